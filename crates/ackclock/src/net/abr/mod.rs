//! What ABR adds to a network: hosts that send cell by cell, and ports that compute rates.

mod cell_scheduler;
mod connection;
mod port_rates;
mod shares;

pub(super) use cell_scheduler::{Begun, CellScheduler};
pub(super) use connection::AbrConnections;
pub(super) use port_rates::PortRates;
pub(super) use shares::{abr_params, max_min_shares, served};
