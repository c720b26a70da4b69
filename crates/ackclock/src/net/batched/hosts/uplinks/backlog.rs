//! Segments that wait for their host's link.

use super::HostUplinks;
use crate::ids::VcId;
use crate::net::batched::io::Io;
use crate::net::flow::end_of;
use crate::net::nic::NicQueue;
use crate::packet::Segment;
use crate::scenario::Technology;
use crate::units::{Span, Time};

impl HostUplinks {
    /// Takes back what waits on `vc`; returns how many segments that were.
    pub(in crate::net::batched) fn discard(&mut self, now: Time, vc: VcId, number: usize, io: &mut Io) -> u64 {
        let nic = self.uplinks[number].nic;
        if let Some(discarded) = self.discard_scheduled(now, nic, vc, io) {
            return discarded;
        }
        self.transmit_waiting(nic, now, io);
        self.nics[nic as usize].discard(vc)
    }

    /// What waits begins before `until`, the end of a batch of this length.
    pub(in crate::net::batched) fn work_off(&mut self, until: Time, batch: Span, io: &mut Io) {
        let mut backlog = std::mem::take(&mut self.backlog);
        backlog.retain(|&nic| {
            self.transmit_waiting(nic, Time::from_ps(until.as_ps() - 1), io);
            let waits = self.nics[nic as usize].next_start() != Time::NEVER;
            self.listed[nic as usize] = waits;
            if !waits {
                self.spare.extend(self.nics[nic as usize].take_queue());
            }
            waits
        });
        self.backlog = backlog;
        // Once all may have waited at the same time, as at a common start.
        let unused = self.spare.len().saturating_sub(self.backlog.len());
        self.spare.truncate(self.spare.len() - unused / 16);
        self.work_off_scheduled(until, batch, io);
    }

    /// Adds the connections of which something waits; returns whether all of them are known.
    pub(in crate::net::batched) fn add_waiting(&self, vcs: &mut Vec<VcId>) -> bool {
        vcs.extend(self.backlog.iter().flat_map(|&nic| self.nics[nic as usize].waiting()));
        self.scheduled.is_empty() && matches!(self.technology, Technology::Packet { .. })
    }

    /// When the next of what waits begins.
    pub(in crate::net::batched) fn next_start(&self) -> Time {
        let start = |&nic: &u32| self.nics[nic as usize].next_start();
        self.backlog.iter().map(start).min().unwrap_or(Time::NEVER).min(self.next_scheduled)
    }

    /// The link is busy, or something waits that should have gone before.
    #[inline(never)]
    pub(super) fn queue_up(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let nic = self.uplinks[number].nic;
        if self.is_scheduled(nic) {
            return self.schedule(now, nic, vc, segment, io);
        }
        self.transmit_waiting(nic, now, io);
        let state = &mut self.nics[nic as usize];
        if state.is_idle(now) {
            return self.send_rare(now, vc, number, segment, io);
        }
        if !std::mem::replace(&mut self.listed[nic as usize], true) {
            self.backlog.push(nic);
            // Mostly one segment waits for another.
            state.give_queue(self.spare.pop().unwrap_or_else(|| Box::new(NicQueue::with_capacity(1))));
        }
        state.push(vc, segment);
    }

    /// The host's link begins what waits, as far as it can by `now`.
    fn transmit_waiting(&mut self, nic: u32, now: Time, io: &mut Io) {
        let nic = &mut self.nics[nic as usize];
        loop {
            let start = nic.next_start();
            if start > now {
                break;
            }
            let Some((vc, segment)) = nic.next(start) else { break };
            let (flow, end) = end_of(vc);
            let uplink = &mut self.uplinks[self.numbering.of(flow, end.other())];
            uplink.transmit(start, vc, segment, nic, self.technology, &mut self.links, &mut self.times, io);
        }
    }
}
