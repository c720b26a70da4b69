//! Recorders: they watch one thing each while the run goes on, and keep columns.
//!
//! Both engines call them at the same instants with the same values, in the order of time for each thing. A recorder
//! exists only where the scenario asks for it.

mod amounts;
mod fifo;
mod level;
mod points;
mod port;
mod receiver;
mod sender;
mod sojourn;
mod transit;

pub use fifo::FifoTrace;
pub use port::{PortTrace, Refused};
pub use receiver::DeliveryTrace;
pub use sender::{SenderState, SenderTrace, TimerState};
pub use transit::TransitTrace;
