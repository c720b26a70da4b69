//! Rate control of TCP at routers: explicit rates of the rate algorithms ([`crate::atm::rate`]) are told to senders by what every
//! TCP understands, the receive window and the pace of acknowledgements. Pure state machines.
//! Source: \[RATE-CONTROL\] §3, §4.

pub mod checksum;

mod ack_bucket;
mod window;

pub use ack_bucket::{AckBucket, OnData};
pub use window::{Governed, RoundTrip, Translation, Units, WindowFeedback};

/// How a port tells senders the rates of its rate algorithm. At least one of the two is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The receive window is lowered in acknowledgements that pass.
    pub window: Option<WindowFeedback>,
    /// Acknowledgements wait in a bucket and leave at the rate of their flow.
    pub bucket: bool,
    /// So many flows in a row, in the order of the scenario, are one unit for a packet port: they share a rate and a bucket. 1: each is
    /// one by itself, as on ATM networks.
    pub group: u32,
}
