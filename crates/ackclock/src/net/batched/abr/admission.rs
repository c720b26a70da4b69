//! Into a port of a network with ABR connections and out of it, cell by cell: each is counted by the rate algorithm, may be marked,
//! is accepted or refused, waits, and departs.

use crate::ids::{Id, IdVec, VcId};
use crate::net::abr::PortRates;
use crate::net::batched::abr::under_way::{CellRun, Visit, VisitHop};
use crate::net::batched::cells::cell_time::CellTime;
use crate::net::batched::cells::queue::CellQueue;
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::io::{Delivery, Destination, Io, NextHop, What};
use crate::packet::Pti;
use crate::packet::aal5::{Reassembled, Reassembler};
use crate::queue::cell::{CellArrival, CellPolicy};
use crate::queue::{DropReason, Verdict};
use crate::record::trace::{FifoTrace, Refused};
use crate::units::{Span, Time};

/// The queue of a port, with what is counted there.
pub(in crate::net::batched) struct RunAdmission {
    pub(in crate::net::batched) cell_time: CellTime,
    pub(in crate::net::batched) vcs: IdVec<VcId, RunVc>,
    pub(in crate::net::batched) queue: CellQueue,
    pub(in crate::net::batched) monitor: FifoMonitor,
    pub(in crate::net::batched) trace: Option<Box<FifoTrace>>,
    /// Which rates it gives to ABR connections, if it does.
    rates: Option<Box<PortRates>>,
    /// The slot end at which the averaging interval ends that runs; none if there are no intervals.
    interval_end: u64,
}

/// One connection at a port.
pub(in crate::net::batched) struct RunVc {
    pub(in crate::net::batched) id: VcId,
    pub(in crate::net::batched) name_hash: u64,
    /// From the slot end at which a cell departs to its arrival.
    pub(in crate::net::batched) next_hop: NextHop,
    /// The ports that its backward RM cells visit up to there.
    pub(in crate::net::batched) visits: Box<[VisitHop]>,
    /// Of what reaches the host; nothing is lost behind the last port.
    pub(in crate::net::batched) reassembler: Reassembler,
    /// EFCI of the last data cell since a forward RM cell, where the next stop is the host: what the destination will know.
    pub(in crate::net::batched) efci: bool,
    /// A cell of the frame was accepted, and none refused since: the next one is accepted if there is room.
    pub(in crate::net::batched) sure: bool,
}

/// The cells of a run that are still to come.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) struct Run {
    seq_or_ack: u64,
    pub(in crate::net::batched) input: u32,
    at_port: VcId,
    frame: u32,
    size: u32,
    /// The number of the next one.
    next: u16,
    pub(in crate::net::batched) left: u16,
    eom: bool,
    pti: Pti,
}

impl Run {
    pub(in crate::net::batched) fn new(run: &CellRun) -> Run {
        let &CellRun { seq_or_ack, size, input_ref, frame, first, count, eom, pti, .. } = run;
        Run {
            seq_or_ack,
            input: input_ref.input,
            at_port: input_ref.at_port,
            frame,
            size,
            next: first,
            left: count,
            eom,
            pti,
        }
    }
}

impl RunAdmission {
    /// An empty queue; departed cells are remembered for `memory`.
    pub(in crate::net::batched) fn new(
        cell_time: Span,
        vcs: IdVec<VcId, RunVc>,
        monitor: FifoMonitor,
        memory: Span,
        trace: Option<Box<FifoTrace>>,
        rates: Option<Box<PortRates>>,
    ) -> RunAdmission {
        let slots = if memory == Span::ZERO { 0 } else { memory / cell_time + 2 };
        let mut admission = RunAdmission {
            cell_time: CellTime::new(cell_time.as_ps()),
            vcs,
            queue: CellQueue::new(slots),
            monitor,
            trace,
            rates,
            interval_end: 0,
        };
        admission.find_interval_end();
        admission
    }

    /// The slot end at which the averaging interval ends that runs.
    #[inline]
    pub(in crate::net::batched) fn interval_end(&self) -> u64 {
        self.interval_end
    }

    /// Which rates it gives to ABR connections, if it does.
    pub(in crate::net::batched) fn rates(&self) -> Option<&PortRates> {
        self.rates.as_deref()
    }

    fn find_interval_end(&mut self) {
        let end = self.rates.as_ref().map_or(Time::NEVER, |rates| rates.interval_end());
        self.interval_end = if end == Time::NEVER { u64::MAX } else { self.cell_time.slots(end.as_ps()) };
    }

    /// The interval ends; cells of earlier slots have been admitted, and those of the slot that ends with it not.
    pub(in crate::net::batched) fn end_interval(&mut self) {
        let (slot, queued) = (self.interval_end, self.queue.waiting_at(self.interval_end));
        if let Some(rates) = &mut self.rates {
            rates.end_interval_at(self.cell_time.instant(slot), queued);
        }
        self.find_interval_end();
    }

    /// A backward RM cell passes the switch; the cells of all slots that have ended were admitted, and no others.
    pub(in crate::net::batched) fn visited(&mut self, visit: &Visit, io: &mut Io) {
        let queued = self.queue.waiting_at(self.cell_time.slots(visit.time.as_ps()));
        if let Some(rates) = &mut self.rates {
            let cell = io.abr.connections.of(visit.vc).cell_mut(visit.number);
            rates.on_backward_rm(visit.time, visit.at_port, queued, cell);
        }
    }

    /// Those whose time has come by slot end `now` leave the counters.
    #[inline(never)]
    pub(in crate::net::batched) fn depart(&mut self, now: u64) {
        let RunAdmission { queue, monitor, .. } = self;
        queue.take_departed(now, |vc, cells| monitor.leave_late(vc, cells));
        monitor.set_queued(queue.waiting_at(now));
    }

    /// The next cell of a run is accepted or refused at slot end `now`. No more records are made of instants before `done`.
    #[inline(always)]
    pub(in crate::net::batched) fn serve<P: CellPolicy>(
        &mut self,
        policy: &mut P,
        now: u64,
        run: &mut Run,
        done: Time,
        io: &mut Io,
    ) {
        run.left -= 1;
        let (index, eom, vc) = (run.next, run.eom && run.left == 0, run.at_port);
        run.next += 1;
        self.monitor.arrive(vc, 1);
        let waiting = self.queue.waiting_at(now);
        let mut pti = run.pti;
        if let Some(rates) = &mut self.rates {
            let id = self.vcs[vc].id;
            pti = rates.on_offered(vc, pti, waiting, || io.abr.connections.of(id).cell(run.frame));
        }
        let has_room = waiting < u64::from(self.monitor.buffer().capacity());
        let verdict = if pti.is_rm() {
            // As in the reference engine, policies neither see nor count RM cells.
            if has_room { Verdict::Accept } else { Verdict::Drop(DropReason::Overflow) }
        } else {
            self.decide(policy, now, waiting, vc, eom)
        };
        match verdict {
            Verdict::Accept => {
                let departs = self.accept(now, vc);
                self.go_on(departs, run, index, (eom, pti), done, io);
            }
            Verdict::Drop(reason) => self.refuse(now, vc, run.frame, reason, io),
        }
    }

    /// Whether the policy lets a data cell in.
    #[inline(always)]
    fn decide<P: CellPolicy>(&mut self, policy: &mut P, now: u64, waiting: u64, vc: VcId, eom: bool) -> Verdict {
        if self.vcs[vc].sure && waiting < u64::from(self.monitor.buffer().capacity()) {
            // See BatchHints::needs_every_cell.
            if eom {
                policy.end_accepted(vc);
                self.vcs[vc].sure = false;
            }
            return Verdict::Accept;
        }
        if policy.reads_per_vc(waiting as u32) {
            self.depart(now);
        } else {
            self.monitor.set_queued(waiting);
        }
        let verdict = policy.admit(CellArrival { vc, eom }, self.monitor.buffer());
        self.vcs[vc].sure = verdict == Verdict::Accept && !eom && !policy.needs_every_cell();
        verdict
    }

    /// A cell enters the queue at slot end `now`. Returns when it departs.
    #[inline(always)]
    fn accept(&mut self, now: u64, vc: VcId) -> u64 {
        let departs = self.queue.departure(now);
        if let Some(trace) = &mut self.trace {
            match departs - now {
                0 => trace.pass(now, 1),
                wait => trace.enter(vc.index(), now, departs, 1, wait - 1),
            }
        }
        if departs == now {
            if !self.queue.is_drained() {
                self.depart(now);
            }
            self.queue.pass(vc, now, 1);
            return departs;
        }
        self.monitor.wait(vc, departs - now);
        // Departures that are handled late make Y_i too large, which does not matter below its maximum.
        if self.queue.has_room() && self.monitor.enter_among_others(vc, now, departs - now - 1) {
            self.queue.push(vc, 1);
            return departs;
        }
        self.enter(now, vc, departs);
        departs
    }

    /// A cell begins to wait at slot end `now` until `departs`, where more has to be looked at than usual.
    #[inline(never)]
    fn enter(&mut self, now: u64, vc: VcId, departs: u64) {
        if !(self.monitor.buffer().stays_below_max(vc, 1) && self.queue.has_room()) {
            self.depart(now);
            self.queue.make_room();
        }
        self.monitor.enter(vc, now, departs, 1, departs - now - 1);
        self.queue.push(vc, 1);
    }

    /// A cell departs, and goes to the next port or to its host.
    #[inline(always)]
    fn go_on(&mut self, departs: u64, run: &Run, index: u16, (eom, pti): (bool, Pti), done: Time, io: &mut Io) {
        let vc = &mut self.vcs[run.at_port];
        let begins = self.cell_time.instant(departs);
        let time = begins.saturating_add(vc.next_hop.lag);
        let &Run { seq_or_ack, frame, size, .. } = run;
        if pti == Pti::BACKWARD_RM {
            io.abr.visit(&vc.visits, begins, vc.id, frame);
        }
        match vc.next_hop.to {
            Destination::RunPort { mailbox, input_ref } => {
                let (spacing, first, count) = (Span::ZERO, index, 1);
                let run = CellRun { time, spacing, seq_or_ack, size, input_ref, frame, first, count, eom, pti };
                io.abr.runs[mailbox as usize].push(run);
            }
            Destination::Host { group, link } if pti.is_rm() => {
                if pti == Pti::FORWARD_RM && std::mem::take(&mut vc.efci) {
                    // The destination would write it, and nobody reads it before.
                    io.abr.connections.of(vc.id).cell_mut(frame).ci = true;
                }
                let of_rm = Delivery { time, seq_or_ack, vc: vc.id, frame, size, link, what: What::RmCell };
                io.deliver(group, of_rm);
            }
            Destination::Host { group, link } => {
                vc.efci = pti.efci();
                if vc.efci {
                    io.abr.mark(vc.id, time, done);
                }
                if let Some(reassembled) = vc.reassembler.on_units(frame, index, 1, eom) {
                    let what = match reassembled {
                        Reassembled::Good { .. } => What::WholeFrame,
                        Reassembled::Damaged => What::DamagedFrame,
                    };
                    io.deliver(group, Delivery { time, seq_or_ack, vc: vc.id, frame, size, link, what });
                }
            }
            Destination::Port { .. } | Destination::LastHopPort { .. } => {
                unreachable!("ports of networks with ABR connections take runs of cells")
            }
        }
    }

    /// A cell that has just come is refused.
    #[inline(never)]
    fn refuse(&mut self, now: u64, vc: VcId, frame: u32, reason: DropReason, io: &mut Io) {
        let now = self.cell_time.instant(now);
        if let Some(trace) = &mut self.trace {
            trace.refused(Refused { time: now, vc: vc.index() as u32, frame, reason });
        }
        self.monitor.refuse(now, vc, self.vcs[vc].name_hash, reason);
        io.lost_datagrams.refused(self.vcs[vc].id, frame);
    }
}
