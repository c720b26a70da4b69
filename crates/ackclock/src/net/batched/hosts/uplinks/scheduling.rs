//! What happens at hosts that send cell by cell, among others.

use super::{HostUplinks, ScheduledLink};
use crate::ids::VcId;
use crate::net::batched::io::Io;
use crate::net::flow::End;
use crate::packet::Segment;
use crate::scenario::Technology;
use crate::units::{Span, Time};

impl HostUplinks {
    /// The outputs of these NICs send cell by cell.
    pub(in crate::net::batched) fn schedule_links(&mut self, links: Vec<(u32, ScheduledLink)>) {
        for (nic, link) in links {
            self.scheduled.resize_with(self.nics.len(), || None);
            self.scheduled[nic as usize] = Some(Box::new(link));
            // Whatever is handed down then waits for the scheduler.
            self.nics[nic as usize].occupy(Time::NEVER);
        }
    }

    /// An RM cell arrives at the `end` of its flow from which connection `vc` leads back, whose uplink has number `uplink`.
    pub(in crate::net::batched) fn on_rm_cell(
        &mut self,
        now: Time,
        end: End,
        vc: VcId,
        uplink: usize,
        number: u32,
        io: &mut Io,
    ) {
        let nic = self.uplinks[uplink].nic;
        self.run_scheduled(nic, now, io);
        let Some(link) = self.scheduled[nic as usize].as_mut() else {
            unreachable!("a host of an ABR connection sends cell by cell")
        };
        match end {
            End::Receiver => {
                link.take_back(now, None, &mut self.uplinks, io);
                let abr = io.abr.connections.of(vc);
                if link.scheduler.on_forward_rm(now, vc, number, abr.cell(number)).is_some() {
                    abr.replace();
                }
            }
            End::Sender => {
                let abr = io.abr.connections.of(vc);
                let before = link.scheduler.acr(vc);
                link.scheduler.on_backward_rm(vc, &abr.arrive(now, number));
                let acr = link.scheduler.acr(vc);
                abr.follow(now, acr.expect("an ABR source has a rate"));
                if link.changes(acr != before) {
                    link.take_back(now, None, &mut self.uplinks, io);
                }
            }
        }
        self.feed_scheduled(nic, now, io);
    }

    pub(super) fn is_scheduled(&self, nic: u32) -> bool {
        self.scheduled.get(nic as usize).is_some_and(|link| link.is_some())
    }

    /// A segment is handed down.
    pub(super) fn schedule(&mut self, now: Time, nic: u32, vc: VcId, segment: Segment, io: &mut Io) {
        self.run_scheduled(nic, now, io);
        if let Some(link) = &mut self.scheduled[nic as usize] {
            link.take_back(now, Some(vc), &mut self.uplinks, io);
            link.scheduler.push(vc, segment);
        }
        self.feed_scheduled(nic, now, io);
    }

    /// Takes back what waits on `vc` and has not begun, if it is such a host; returns how many segments that were.
    pub(super) fn discard_scheduled(&mut self, now: Time, nic: u32, vc: VcId, io: &mut Io) -> Option<u64> {
        self.run_scheduled(nic, now, io);
        let discarded = self.scheduled.get_mut(nic as usize)?.as_mut()?.scheduler.discard(vc);
        self.feed_scheduled(nic, now, io);
        Some(discarded)
    }

    /// What is due begins before `until`, the end of a batch of this length.
    pub(super) fn work_off_scheduled(&mut self, until: Time, batch: Span, io: &mut Io) {
        let Technology::Atm { llc } = self.technology else { return };
        let last = Time::from_ps(until.as_ps() - 1);
        let ahead = last.saturating_add(batch);
        self.next_scheduled = Time::NEVER;
        for link in self.scheduled.iter_mut().flatten() {
            if link.next() <= last {
                link.run(last, ahead, llc, &mut self.uplinks, io);
            }
            self.next_scheduled = self.next_scheduled.min(link.next());
        }
    }

    /// See [`ScheduledLink::run`].
    fn run_scheduled(&mut self, nic: u32, until: Time, io: &mut Io) {
        let Technology::Atm { llc } = self.technology else { return };
        if let Some(Some(link)) = self.scheduled.get_mut(nic as usize) {
            link.run(until, until, llc, &mut self.uplinks, io);
        }
    }

    /// See [`ScheduledLink::feed`].
    fn feed_scheduled(&mut self, nic: u32, now: Time, io: &mut Io) {
        let Technology::Atm { llc } = self.technology else { return };
        if let Some(Some(link)) = self.scheduled.get_mut(nic as usize) {
            link.feed(now, llc, &mut self.uplinks, io);
        }
    }
}
