//! TCP.
mod params;
pub use params::*;
