//! Rate-based flow control of the available bit rate service (ABR): pure state machines of both ends of a connection and of the
//! ports that compute rates.
//! Source: \[TM4\] §5.10. Rates are in cells of 424 bits per second, as `f64`; each time that follows from a
//! rate is rounded once ([`spacing`]).

mod cell_rate;
mod destination;
pub mod max_min;
mod params;
pub mod rate;
mod source;

pub use cell_rate::{RmRates, cells_per_second, decode, encode, spacing};
pub use destination::AbrDestination;
pub use params::AbrParams;
pub use source::{AbrSource, Turn, Waiting};
