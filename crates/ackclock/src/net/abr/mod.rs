//! What ABR adds to a network: hosts that send cell by cell, and ports that compute rates.

mod cell_scheduler;
mod connection;
mod parts;
mod port_rates;
mod shares;
mod trace;

pub(super) use cell_scheduler::{Begun, CellScheduler, More};
pub(super) use connection::{AbrConnections, AbrTraces};
pub(super) use parts::{rates, scheduler};
pub(super) use port_rates::PortRates;
pub(super) use shares::tcp_shares;
pub(super) use trace::{CountTrace, RateTrace};
