//! What records need of hosts.

use super::Hosts;
use crate::ids::VcId;
use crate::net::flow::{Sink, Source};
use crate::net::link::Link;
use crate::units::{Span, Time};

impl Hosts {
    /// The warm-up ends now.
    pub(in crate::net::batched) fn end_warmup(&mut self) {
        self.sinks.iter_mut().for_each(Sink::end_warmup);
    }

    /// The sending ends of all flows, if they are here, with how many segments were lost on purpose.
    pub(in crate::net::batched) fn sources(&self) -> impl Iterator<Item = (&Source, u64)> {
        self.sources.iter().enumerate().map(|(flow, source)| (source, self.exits.uplinks.forced_drops(flow)))
    }

    /// The receiving ends of all flows, if they are here.
    pub(in crate::net::batched) fn sinks(&self) -> &[Sink] {
        &self.sinks
    }

    /// Drops the ends of all flows.
    pub(in crate::net::batched) fn drop_ends(&mut self) {
        (self.sources, self.sinks) = (Vec::new(), Vec::new());
    }

    /// The links behind these hosts that change or corrupt packets.
    pub(in crate::net::batched) fn links(&self) -> impl Iterator<Item = &Link> {
        self.exits.uplinks.links()
    }

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(in crate::net::batched) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        self.exits.uplinks.passed(vc, lag, now)
    }
}
