//! Sources that are not TCP.

mod cbr;
mod echoes;
mod pattern;

pub use cbr::{Cbr, CbrParams, Dither};
pub use echoes::Echoes;
pub use pattern::{PatternParams, TurnsParams};
