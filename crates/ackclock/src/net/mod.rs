//! The network: hosts, ports and links, and the engine that drives them.

mod batched;
mod build;
mod cell_port;
mod flow;
mod nic;
mod occupancy;
mod packet_port;
mod reference;

pub use batched::Batched;
pub use build::has_randomness;
pub use reference::Reference;
