//! What records need of hosts.

use super::Hosts;
use crate::ids::VcId;
use crate::net::ends::Ends;
use crate::net::flow::{SinkSummary, SourceSummary};
use crate::net::link::Link;
use crate::units::{Span, Time};

impl Hosts {
    /// The warm-up ends now.
    pub(in crate::net::batched) fn end_warmup(&mut self) {
        self.sinks.end_warmup();
    }

    /// What records need of the sending ends of all flows up to `now`, if they are here, and how many segments were lost on purpose.
    pub(in crate::net::batched) fn sources(&self, now: Time) -> impl Iterator<Item = (SourceSummary, u64)> {
        self.sources.summaries(now).enumerate().map(|(flow, source)| (source, self.exits.uplinks.forced_drops(flow)))
    }

    /// The same of the receiving ends, if they are here.
    pub(in crate::net::batched) fn sinks(&self, now: Time) -> impl Iterator<Item = SinkSummary> {
        self.sinks.summaries(now)
    }

    /// Drops the ends of all flows, and what is known of their way out if no port asks for it.
    pub(in crate::net::batched) fn drop_ends(&mut self) {
        self.exits.uplinks.drop_packets();
        (self.sources, self.sinks) = (Ends::default(), Ends::default());
    }

    /// How many of the flows that come and go are there, if they are sent from here.
    pub(in crate::net::batched) fn open(&self) -> usize {
        self.sources.open()
    }

    /// Whether so many are there that it is worthwhile to look whether some have ended.
    pub(in crate::net::batched) fn has_many_open(&self) -> bool {
        self.sources.are_many()
    }

    /// Those of them that have ended, and have no timer at the sender.
    pub(in crate::net::batched) fn quiet(&self) -> Vec<usize> {
        self.sources.quiet()
    }

    /// Whether the receiver of a flow, if it is here, has no timer.
    pub(in crate::net::batched) fn is_quiet(&self, flow: usize) -> bool {
        self.sinks.is_empty() || self.sinks.deadline(flow) == Time::NEVER
    }

    /// Nothing can happen to these flows any more: what is here of their ends is freed.
    pub(in crate::net::batched) fn put_away(&mut self, flows: &[usize]) {
        if !self.sources.is_empty() {
            self.sources.put_away(flows, self.clock);
        }
        if !self.sinks.is_empty() {
            self.sinks.put_away(flows, self.clock);
        }
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
