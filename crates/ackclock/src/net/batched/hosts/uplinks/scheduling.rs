//! What happens at hosts that send cell by cell, among others.

use super::{HostUplinks, ScheduledLink};
use crate::ids::VcId;
use crate::net::batched::io::Io;
use crate::net::flow::End;
use crate::packet::Segment;
use crate::scenario::Technology;
use crate::units::Time;

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
        let abr = io.abr.connections.of(vc);
        match end {
            End::Receiver => {
                if link.scheduler.on_forward_rm(now, vc, number, abr.cell(number)).is_some() {
                    abr.replace();
                }
            }
            End::Sender => {
                link.scheduler.on_backward_rm(vc, &abr.arrive(number));
                abr.follow(now, link.scheduler.acr(vc).expect("an ABR source has a rate"));
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

    /// What is due begins before `until`, and is on its way.
    pub(super) fn work_off_scheduled(&mut self, until: Time, io: &mut Io) {
        for nic in 0..self.scheduled.len() {
            self.run_scheduled(nic as u32, Time::from_ps(until.as_ps() - 1), io);
            if let Some(link) = &mut self.scheduled[nic] {
                link.post(&mut self.uplinks, io);
            }
        }
    }

    /// When the next cells begin.
    pub(super) fn next_scheduled(&self) -> impl Iterator<Item = Time> {
        self.scheduled.iter().flatten().map(|link| link.next())
    }

    /// See [`ScheduledLink::run`].
    fn run_scheduled(&mut self, nic: u32, until: Time, io: &mut Io) {
        let Technology::Atm { llc } = self.technology else { return };
        if let Some(Some(link)) = self.scheduled.get_mut(nic as usize) {
            link.run(until, llc, &mut self.uplinks, io);
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
