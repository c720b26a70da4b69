//! Ackclock, the simulator.
pub mod engine;
pub mod ids;
pub mod net;
pub mod packet;
pub mod queue;
pub mod record;
pub mod rng;
pub mod scenario;
pub mod sim;
pub mod tcp;
pub mod units;
