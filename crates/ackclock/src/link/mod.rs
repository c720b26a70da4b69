//! What a link does to packets beyond its rate and its delay: it loses some, and it changes while the run goes on.
//!
//! The models of [`errors`] corrupt packets, a [`LinkSchedule`] says how delay and rate change and when the link is down, and a [`LinkState`]
//! is both together, as the port before it sees them: a packet goes in, and it is known when it is out, when it arrives, or
//! where it is lost. A [`RoutingTable`] says by which links it goes on if that changes, too. Everything is a function of scenario, seed and the order of the packets, so it can be asked ahead of
//! time.

mod chance;
mod duplicate;
pub mod errors;
mod jitter;
mod medium;
mod opportunities;
mod params;
mod reorder;
mod routing;
mod schedule;
mod state;

pub use errors::{AppliesTo, ErrorModelParams, ErrorParams, Errors, Packet, PacketKind, Place};
pub use jitter::{JitterLaw, JitterParams};
pub use medium::{Medium, Turns};
pub use opportunities::Opportunities;
pub use params::LinkParams;
pub use reorder::ReorderParams;
pub use routing::{FarEnds, Forwarding, NoReceiver, NodeRoutes, RoutingTable};
pub use schedule::{Delays, InService, LinkSchedule, Outages, Queued, Rates, Reordering, Shape, UnderWay};
pub use state::{Fate, LinkState, Transmission};

use crate::units::Time;

/// Schedules begin at time 0 and go forward.
fn assert_ascending(times: impl Iterator<Item = Time> + Clone) {
    assert_eq!(times.clone().next(), Some(Time::ZERO), "the first point is at time 0");
    assert!(times.clone().zip(times.skip(1)).all(|(one, next)| one < next), "points must be in order of time");
}
