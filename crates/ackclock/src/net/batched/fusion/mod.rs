//! Ports that are fused for a while: where routes change, most ports are fed by one other port alone, as long as nothing changes. What
//! leaves this one is then taken through all that follow in one loop (`packets/routed/fused.rs`), without mailboxes and events on the
//! way, and a horizon spans all links between ports that several feed, instead of each link by itself.
//!
//! It is known from the routes and from the schedules of the links how long nothing changes. Ports are fused up to this instant, or
//! up to where the engine is asked to advance, and are given back to their processes then: what has happened before it is the same
//! in any case. They are also given back if something happens that is not known when a packet comes to a port.

mod changes;
mod plan;
mod state;

pub use state::Fusing;
pub(super) use state::{FusableRoute, Fusion};
