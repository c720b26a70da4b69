//! What the engine asks of every logical process, and of those that are switch ports.

use std::sync::Arc;

use super::io::Io;
use crate::ids::VcId;
use crate::net::link::Link;
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// A part of the network that is advanced by itself: a logical process, as the literature on parallel simulation calls it.
pub(super) trait Process {
    /// Handles everything before `until`.
    fn advance(&mut self, until: Time, io: &mut Io);
    /// Before then nothing happens here, as far as is known.
    fn next(&self, io: &Io) -> Time;
    /// Frames, packets and timers handled so far.
    fn events(&self) -> u64;
    /// Adds the connections of which something is here or on its way to here; returns whether all of them are known.
    fn add_under_way(&self, _io: &Io, _vcs: &mut Vec<VcId>) -> bool {
        false
    }
    /// Of switch ports: the same as [`Ports::trace`], moved out as the run is over; records are long.
    fn take_trace(&mut self, _port: u32, _now: Time) -> Option<PortTrace> {
        None
    }
}

/// Switch ports that are advanced together, numbered from 0.
pub(super) trait Ports {
    /// The record of port number `port` at `now`; `vcs` are the names of the connections that cross it.
    fn record(&self, port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord;
    /// What port number `port` recorded before `now`, if it is recorded.
    fn trace(&self, port: u32, now: Time) -> Option<PortTrace>;
    /// The links behind them that change or corrupt packets.
    fn links(&self) -> Vec<&Link> {
        Vec::new()
    }
}
