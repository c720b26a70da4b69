//! Sources that are not TCP.

mod cbr;
mod pattern;

pub use cbr::{Cbr, CbrParams, Dither};
pub use pattern::{PatternParams, TurnsParams};
