//! Into a cell port and out of it: each cell is accepted or refused, waits, and departs.

use super::cell_queue::CellQueue;
use super::counts::Counts;
use super::io::{Arrived, Destination, Io, Item, Leg};
use crate::ids::{Id, IdVec, VcId};
use crate::packet::aal5::{Reassembled, Reassembler};
use crate::queue::drop::{Arrival, DropPolicy, Verdict};
use crate::record::trace::{FifoTrace, Refused};
use crate::units::{Span, Time};

/// The queue of a cell port, with what is counted there.
pub(super) struct Door {
    /// Picoseconds.
    pub(super) cell_time: u64,
    pub(super) vcs: IdVec<VcId, PortVc>,
    pub(super) queue: CellQueue,
    /// Arrivals are counted when a frame begins, waiting when it ends; [`Door::counts_with`] has them to the cell.
    pub(super) counts: Counts,
    pub(super) trace: Option<Box<FifoTrace>>,
}

/// One connection at a port.
pub(super) struct PortVc {
    pub(super) id: VcId,
    pub(super) name_hash: u64,
    /// From one cell to the next on the input link.
    pub(super) spacing: Span,
    /// From the slot end at which a cell departs to its arrival.
    pub(super) leg: Leg,
    /// Behind this port nothing is lost before the host: what its reassembly will say is known here.
    pub(super) reassembler: Reassembler,
}

/// The cells of a frame that are still to come.
#[derive(Clone, Copy, Default)]
pub(super) struct Train {
    pub(super) input: u32,
    pub(super) at_port: VcId,
    frame: u32,
    /// The number after the last cell's.
    end: u16,
    /// Cells to come.
    pub(super) left: u16,
    /// The cells from this one up to the next one were accepted.
    accepted_from: u16,
    eom: bool,
    /// The next cell is accepted if there is room and it is not the last: the policy need not be asked.
    sure: bool,
    /// Slots that its cells wait, not yet counted.
    waited: u64,
}

impl Train {
    /// The `left` cells from number `index` on of a frame; `eom` says that the last of them is the frame's last.
    #[inline(always)]
    pub(super) fn new(input: u32, at_port: VcId, frame: u32, index: u16, left: u16, eom: bool) -> Train {
        Train { input, at_port, frame, end: index + left, left, accepted_from: index, eom, sure: false, waited: 0 }
    }

    /// The next cell is accepted if there is room, and nothing else comes of it.
    #[inline]
    pub(super) fn is_sure(&self) -> bool {
        self.sure && self.left > 1
    }
}

impl Door {
    /// Those whose time has come by slot end `now` leave the queue.
    #[inline(always)]
    pub(super) fn depart(&mut self, now: u64) {
        let mut due = self.queue.due(now);
        while due > 0 {
            let (vc, cells, at) = self.queue.pop(due);
            self.counts.leave(vc, cells, at);
            due -= u64::from(cells);
        }
    }

    /// The next cell of a train is accepted or refused at slot end `now`.
    #[inline(always)]
    pub(super) fn serve<P: DropPolicy>(&mut self, policy: &mut P, now: u64, train: &mut Train, io: &mut Io) {
        if train.is_sure() && !self.counts.buffer().is_full() {
            // Neither the first cell nor the last of a frame that is accepted so far, and there is room: a question
            // to the policy would change nothing (see DropPolicy::asks_always).
            train.left -= 1;
            self.accept(now, train);
        } else {
            self.decide(policy, now, train, io);
        }
    }

    /// From slot end `now` to slot end `last` nothing arrives but one cell of this train in each slot, the last one
    /// before `now` was accepted, and the last one of the frame is not among them: all are accepted. If nothing waits
    /// they are transmitted at once; otherwise for each that comes one departs before it, so there is room as there
    /// was for the cell before.
    #[inline]
    pub(super) fn serve_alone(&mut self, now: u64, last: u64, train: &mut Train) {
        let vc = train.at_port;
        let count = (last + 1 - now) as u16;
        train.left -= count;
        let departs = now + self.queue.wait(now);
        self.record(vc, now, departs, u32::from(count));
        if self.queue.due(now) == 0 {
            self.queue.push(vc, now, u32::from(count));
            return;
        }
        train.waited += u64::from(count) * self.queue.wait(now);
        let mut at = now;
        while at <= last {
            let (leaving, cells, _) = self.queue.pop(last + 1 - at);
            self.queue.push(vc, at, cells);
            self.counts.exchange(vc, leaving, cells, at);
            at += u64::from(cells);
        }
    }

    /// The counters with those cells of unfinished frames that have come so far.
    pub(super) fn counts_with<'a>(&self, unfinished: impl Iterator<Item = &'a Train>) -> Counts {
        let mut counts = self.counts.clone();
        for train in unfinished {
            counts.not_arrived(train.at_port, u64::from(train.left));
            counts.wait(train.at_port, train.waited);
        }
        counts
    }

    #[inline(always)]
    fn accept(&mut self, now: u64, train: &mut Train) -> u64 {
        let departs = self.queue.push(train.at_port, now, 1);
        self.record(train.at_port, now, departs, 1);
        if departs > now {
            train.waited += departs - now;
            self.counts.enter(train.at_port, now);
        }
        departs
    }

    /// In each of `count` slots, of which `now` is the end of the first, a cell of `vc` is accepted; the first one departs
    /// at `departs`.
    #[inline(always)]
    fn record(&mut self, vc: VcId, now: u64, departs: u64, count: u32) {
        if let Some(trace) = &mut self.trace {
            match departs - now {
                0 => trace.pass(now, count),
                wait => trace.enter(vc.index(), now, departs, count, wait - 1),
            }
        }
    }

    /// The policy decides.
    #[inline(never)]
    fn decide<P: DropPolicy>(&mut self, policy: &mut P, now: u64, train: &mut Train, io: &mut Io) {
        train.left -= 1;
        let ended = train.left == 0;
        let eom = train.eom && ended;
        match policy.admit(Arrival { vc: train.at_port, eom }, self.counts.buffer()) {
            Verdict::Accept => {
                let departs = self.accept(now, train);
                let vc = &mut self.vcs[train.at_port];
                let time = Time::from_ps(departs * self.cell_time) + vc.leg.lag;
                match vc.leg.to {
                    Destination::Port { mailbox, port, input, at_port } => {
                        let index = train.end - train.left - 1;
                        let item = Item { time, port, input, at_port, frame: train.frame, size: 1, index, eom };
                        io.post(mailbox, item);
                    }
                    Destination::Tail { .. } => unreachable!("a tail is behind a packet port"),
                    Destination::Host { group, link } if ended => {
                        let count = train.end - train.accepted_from;
                        let reassembled = vc.reassembler.on_units(train.frame, train.accepted_from, count, eom);
                        if let Some(reassembled) = reassembled {
                            let good = matches!(reassembled, Reassembled::Good { .. });
                            io.deliver(group, Arrived { time, vc: vc.id, frame: train.frame, link, good });
                        }
                    }
                    // On the way to a host only whole frames and their ends count, unless a policy looks at cells.
                    Destination::Host { .. } => train.sure = !policy.asks_always(),
                }
            }
            Verdict::Drop(reason) => {
                if let Some(trace) = &mut self.trace {
                    let (time, vc) = (Time::from_ps(now * self.cell_time), train.at_port.index() as u32);
                    trace.refused(Refused { time, vc, frame: train.frame, reason });
                }
                let vc = &mut self.vcs[train.at_port];
                self.counts.refuse(Time::from_ps(now * self.cell_time), train.at_port, vc.name_hash, reason);
                let index = train.end - train.left - 1;
                if train.accepted_from < index {
                    vc.reassembler.on_units(train.frame, train.accepted_from, index - train.accepted_from, false);
                }
                train.accepted_from = index + 1;
                train.sure = false;
            }
        }
        if ended {
            self.counts.wait(train.at_port, train.waited);
        }
    }
}
