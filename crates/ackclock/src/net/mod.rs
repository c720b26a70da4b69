//! The network: hosts, ports and links, and the engine that drives them.

mod cell_port;
mod flow;
mod nic;
mod occupancy;
mod packet_port;
mod reference;

pub use reference::{Reference, has_randomness};
