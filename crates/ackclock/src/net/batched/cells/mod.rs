//! Ports of cells: many cells of a frame are handled in one step where the outcome for each is certain.

pub(super) mod admission;
pub(super) mod cell_time;
pub(super) mod edge;
pub(super) mod fifo;
pub(super) mod last_hop;
pub(super) mod pacing;
pub(super) mod passed;
pub(super) mod port;
pub(super) mod queue;
pub(super) mod rates;
pub(super) mod service;
pub(super) mod train;
