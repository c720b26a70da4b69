//! Sources that are not TCP.

mod cbr;

pub use cbr::{Cbr, CbrParams, Dither};
