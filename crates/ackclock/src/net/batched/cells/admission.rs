//! Into a cell port and out of it: each cell is accepted or refused, waits, and departs.

use crate::ids::{IdVec, VcId};
use crate::net::batched::cells::cell_time::CellTime;
use crate::net::batched::cells::fifo::CellFifo;
use crate::net::batched::cells::pacing::Spacing;
use crate::net::batched::cells::train::Train;
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::io::{Arrival, Cells, Delivery, Destination, Io, NextHop, What};
use crate::packet::aal5::{Reassembled, Reassembler};
use crate::queue::cell::{CellArrival, CellPolicy};
use crate::queue::{DropReason, Verdict};
use crate::units::Time;

/// The queue of a cell port, with what is counted there.
pub(in crate::net::batched) struct CellAdmission {
    /// Arrivals are counted when a frame begins, waiting when it ends; [`CellAdmission::monitor_with`] has them to the cell.
    pub(in crate::net::batched) fifo: CellFifo,
    pub(in crate::net::batched) vcs: IdVec<VcId, PortVc>,
}

/// One connection at a port.
pub(in crate::net::batched) struct PortVc {
    pub(in crate::net::batched) id: VcId,
    pub(in crate::net::batched) name_hash: u64,
    /// From one cell to the next on the input link.
    pub(in crate::net::batched) spacing: Spacing,
    /// From the slot end at which a cell departs to its arrival.
    pub(in crate::net::batched) next_hop: NextHop,
    /// Behind this port nothing is lost before the host: what its reassembly will say is known here.
    pub(in crate::net::batched) reassembler: Reassembler,
}

impl PortVc {
    /// The last cell of a train was accepted, and reaches the host at `time`: only whole frames, and the ends of
    /// others, matter there.
    #[inline(always)]
    fn end_train(&mut self, train: &Train, inbox: u32, link: u32, time: Time, io: &mut Io) {
        let count = train.end - train.accepted_from;
        let reassembled = self.reassembler.on_units(train.frame, train.accepted_from, count, train.eom);
        if let Some(reassembled) = reassembled {
            let what = match reassembled {
                Reassembled::Good { .. } => What::WholeFrame,
                Reassembled::Damaged => What::DamagedFrame,
            };
            let Train { frame, seq_or_ack, size, .. } = *train;
            io.deliver(inbox, Delivery { time, seq_or_ack, vc: self.id, frame, size, link, what });
        }
    }
}

impl CellAdmission {
    /// An empty queue of these connections.
    pub(in crate::net::batched) fn new(fifo: CellFifo, vcs: IdVec<VcId, PortVc>) -> CellAdmission {
        CellAdmission { fifo, vcs }
    }

    /// The next cell of a train is accepted or refused at slot end `now`.
    #[inline(always)]
    pub(in crate::net::batched) fn serve<P: CellPolicy>(
        &mut self,
        policy: &mut P,
        now: u64,
        train: &mut Train,
        io: &mut Io,
    ) {
        // Not the first cell of a frame that is accepted so far, and there is room: the answer of the policy is certain,
        // and the policy only needs the end of the frame (see BatchHints::needs_every_cell).
        if train.is_sure() && self.accept_plainly(now, train) {
            if train.left == 0 {
                self.complete(policy, self.fifo.queue.last_departure(), train, io);
            }
        } else {
            self.serve_with_care(policy, now, train, io);
        }
    }

    /// Serves a cell in the general case.
    #[inline(never)]
    fn serve_with_care<P: CellPolicy>(&mut self, policy: &mut P, now: u64, train: &mut Train, io: &mut Io) {
        if train.is_sure() && self.fifo.has_room(now) {
            // As in CellAdmission::serve.
            train.left -= 1;
            let departs = self.accept(now, train, 1);
            if train.left == 0 {
                self.complete(policy, departs, train, io);
            }
        } else {
            self.decide(policy, now, 1, train, io);
        }
    }

    /// From slot end `now` to slot end `last` nothing arrives but one cell of this train in each slot, up to its end.
    /// Returns the slot end after its last cell so far.
    #[inline(always)]
    pub(in crate::net::batched) fn serve_alone<P: CellPolicy>(
        &mut self,
        policy: &mut P,
        mut now: u64,
        last: u64,
        train: &mut Train,
        io: &mut Io,
    ) -> u64 {
        while train.left > 0 && now <= last {
            let count = u64::from(train.left).min(last + 1 - now) as u16;
            now += u64::from(if train.sure {
                // The cell before was accepted, and so are these: if nothing waits they are transmitted at once; otherwise
                // for each that comes one departs before it, so there is room as there was for the cell before.
                train.left -= count;
                let departs = self.accept(now, train, u32::from(count));
                if train.left == 0 {
                    self.complete(policy, departs + u64::from(count) - 1, train, io);
                }
                count
            } else {
                self.decide(policy, now, count, train, io)
            });
        }
        now
    }

    /// The counters with those cells of unfinished frames that have come so far.
    pub(in crate::net::batched) fn monitor_with<'a>(&self, unfinished: impl Iterator<Item = &'a Train>) -> FifoMonitor {
        let mut monitor = self.fifo.monitor.clone();
        for train in unfinished {
            monitor.not_arrived(train.at_port, u64::from(train.left));
            monitor.wait(train.at_port, train.waited);
        }
        monitor
    }

    /// As [`CellFifo::accept_plainly`] for the next cell of a train that is sure. Returns whether it is accepted.
    #[inline(always)]
    fn accept_plainly(&mut self, now: u64, train: &mut Train) -> bool {
        let Some(waits) = self.fifo.accept_plainly(now, train.at_port) else { return false };
        train.left -= 1;
        train.waited += waits;
        true
    }

    /// As [`CellFifo::accept`] for cells of a train.
    #[inline(always)]
    fn accept(&mut self, now: u64, train: &mut Train, count: u32) -> u64 {
        let departs = self.fifo.accept(now, train.at_port, count);
        train.waited += u64::from(count) * (departs - now);
        departs
    }

    /// The last cell of a train was accepted without a question to the policy, and departs then.
    #[inline(always)]
    fn complete<P: CellPolicy>(&mut self, policy: &mut P, departs: u64, train: &Train, io: &mut Io) {
        if train.eom {
            policy.end_accepted(train.at_port);
        }
        self.fifo.monitor.wait(train.at_port, train.waited);
        let vc = &mut self.vcs[train.at_port];
        let Destination::Host { inbox, link } = vc.next_hop.to else {
            unreachable!("towards a port the policy is always asked")
        };
        let time = self.fifo.cell_time.instant(departs).saturating_add(vc.next_hop.lag);
        vc.end_train(train, inbox, link, time, io);
    }

    /// The policy decides about the next cell of a train. If its answer is certain for the cells after it, and they are
    /// `alone` with it, one in each slot, they are served too. Returns how many cells were served.
    #[inline(always)]
    fn decide<P: CellPolicy>(&mut self, policy: &mut P, now: u64, alone: u16, train: &mut Train, io: &mut Io) -> u16 {
        // The policy reads the present counters, as far as it needs them.
        let waiting = self.fifo.queue.waiting_at(now);
        if policy.reads_per_vc(waiting as u32) {
            self.fifo.depart(now);
        } else {
            self.fifo.monitor.set_queued(waiting);
        }
        let eom = train.eom && train.left == 1;
        let arrival = CellArrival { now: self.fifo.cell_time.instant(now), vc: train.at_port, eom };
        let verdict = policy.admit(arrival, self.fifo.monitor.buffer());
        let Verdict::Drop(reason) = verdict else { return self.accepted(policy, now, alone, train, io) };
        train.left -= 1;
        self.refused(now, train, reason, io);
        1
    }

    /// The policy has accepted the next cell of a train.
    #[inline(always)]
    fn accepted<P: CellPolicy>(&mut self, policy: &mut P, now: u64, alone: u16, train: &mut Train, io: &mut Io) -> u16 {
        let next_hop = self.vcs[train.at_port].next_hop;
        let time = |departs: u64, cell_time: CellTime| cell_time.instant(departs).saturating_add(next_hop.lag);
        match next_hop.to {
            // Towards a host only whole frames and their ends count, unless a policy looks at cells.
            Destination::Host { inbox, link } => {
                train.sure = !policy.needs_every_cell();
                // As in CellAdmission::serve_alone.
                let count = if train.sure { alone } else { 1 };
                train.left -= count;
                let departs = self.accept(now, train, u32::from(count)) + u64::from(count) - 1;
                if train.left == 0 {
                    if train.eom && count > 1 {
                        policy.end_accepted(train.at_port);
                    }
                    self.fifo.monitor.wait(train.at_port, train.waited);
                    let time = time(departs, self.fifo.cell_time);
                    self.vcs[train.at_port].end_train(train, inbox, link, time, io);
                }
                count
            }
            Destination::Port { mailbox, input_ref } => {
                train.left -= 1;
                let departs = self.accept(now, train, 1);
                let (index, eom) = (train.end - train.left - 1, train.eom && train.left == 0);
                let (time, cells) = (time(departs, self.fifo.cell_time), Cells::new(index, 1, eom));
                let Train { frame, seq_or_ack, size, .. } = *train;
                io.post(mailbox, Arrival { time, seq_or_ack, input_ref, frame, size, cells });
                if train.left == 0 {
                    self.fifo.monitor.wait(train.at_port, train.waited);
                }
                1
            }
            Destination::LastHopPort { .. } => unreachable!("a last-hop port is behind a packet port"),
            Destination::RunPort { .. } => unreachable!("of ports in one network either all take runs or none"),
        }
    }

    /// A cell of a train that has just come is refused.
    #[inline(never)]
    fn refused(&mut self, now: u64, train: &mut Train, reason: DropReason, io: &mut Io) {
        let vc = &mut self.vcs[train.at_port];
        self.fifo.refuse(now, train.at_port, vc.name_hash, train.frame, reason);
        io.lost_datagrams.refused(vc.id, train.frame);
        let index = train.end - train.left - 1;
        if train.accepted_from < index {
            vc.reassembler.on_units(train.frame, train.accepted_from, index - train.accepted_from, false);
        }
        train.accepted_from = index + 1;
        train.sure = false;
        if train.left == 0 {
            self.fifo.monitor.wait(train.at_port, train.waited);
        }
    }
}
