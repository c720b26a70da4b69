//! Into a port of a network with ABR connections and out of it: each cell is counted by the rate algorithm, may be marked, is
//! accepted or refused, waits, and departs.
//!
//! The cells of a connection that are like the one before are counted together: when an averaging interval ends, or when another kind of
//! cell comes.

use std::collections::VecDeque;

use crate::ids::{IdVec, VcId};
use crate::net::abr::{PortRates, RateTrace};
use crate::net::batched::abr::fifo::LateFifo;
use crate::net::batched::abr::run::Run;
use crate::net::batched::abr::under_way::{CellRun, StreamCell, Visit, VisitHop};
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::io::{Delivery, Destination, Io, NextHop, What};
use crate::packet::Pti;
use crate::packet::aal5::{Reassembled, Reassembler};
use crate::queue::cell::{CellArrival, CellPolicy};
use crate::queue::{DropReason, Verdict};
use crate::record::PortRatesRecord;
use crate::units::{Span, Time};

/// The queue of a port, with what is counted there.
pub(in crate::net::batched) struct RunAdmission {
    pub(in crate::net::batched) fifo: LateFifo,
    pub(in crate::net::batched) vcs: IdVec<VcId, RunVc>,
    /// Which rates it gives to ABR connections, if it does.
    rates: Option<Box<PortRates>>,
    /// The slot end at which the averaging interval ends that runs; none if there are no intervals.
    interval_end: u64,
    /// The edge that uses its rates, if acknowledgements pass one.
    edge: Option<usize>,
}

/// The number of no run.
pub(in crate::net::batched) const NO_RUN: u32 = u32::MAX;

/// One connection at a port.
pub(in crate::net::batched) struct RunVc {
    pub(in crate::net::batched) id: VcId,
    pub(in crate::net::batched) name_hash: u64,
    /// From the slot end at which a cell departs to its arrival.
    pub(in crate::net::batched) next_hop: NextHop,
    /// Where its RM cells go: past an edge device, if one puts its frames together.
    of_rm_cells: Destination,
    /// The next stop is a port, which gets each cell by itself.
    goes_on_by_cells: bool,
    /// By which of the streams to that port, and what the next cell in it is if it is the next one of the same frame.
    stream: u32,
    follows: u64,
    /// The ports that its backward RM cells visit up to there.
    pub(in crate::net::batched) visits: Box<[VisitHop]>,
    /// Of what reaches the host; nothing is lost behind the last port.
    pub(in crate::net::batched) reassembler: Reassembler,
    /// EFCI of the last data cell since a forward RM cell, where the next stop is the host: what the destination will know.
    pub(in crate::net::batched) efci: bool,
    /// The number of the run that began last; if the cells come from a port, of all of them, and none before the first.
    pub(in crate::net::batched) latest: u32,
    /// If the cells come from a port: what comes after the run that is served.
    pub(in crate::net::batched) runs: VecDeque<Run>,
    /// A cell of the frame was accepted, and none refused since: the next one is accepted if there is room.
    pub(in crate::net::batched) sure: bool,
    /// A data cell that waits longer gets EFCI, slots: it found more waiting than the threshold.
    marked_beyond: u64,
    /// Cells that have arrived, not yet counted.
    uncounted: u32,
    /// Those of them that got EFCI.
    marked: u32,
}

impl RunVc {
    /// Connection `id` before its first cell.
    /// If it goes on to a port, it does so in the stream of this number.
    pub(in crate::net::batched) fn new(
        id: VcId,
        name_hash: u64,
        (next_hop, of_rm_cells): (NextHop, Destination),
        stream: u32,
        visits: Vec<VisitHop>,
    ) -> RunVc {
        RunVc {
            id,
            name_hash,
            next_hop,
            of_rm_cells,
            goes_on_by_cells: matches!(next_hop.to, Destination::RunPort { .. }),
            stream,
            follows: u64::MAX,
            visits: visits.into_boxed_slice(),
            reassembler: Reassembler::default(),
            efci: false,
            latest: NO_RUN,
            runs: VecDeque::new(),
            sure: false,
            marked_beyond: u64::MAX,
            uncounted: 0,
            marked: 0,
        }
    }
}

impl RunVc {
    /// The cell of a run before the next one departs at `begins`, and goes to the next port.
    #[inline(always)]
    fn go_on_to_port(&mut self, begins: Time, run: &Run, pti: Pti, io: &mut Io) {
        let Destination::RunPort { mailbox, input_ref } = self.next_hop.to else {
            unreachable!("the next stop is a port")
        };
        let time = begins.saturating_add(self.next_hop.lag);
        let (frame, first, eom) = (run.frame, run.next - 1, run.eom && run.left == 0);
        let stream = &mut io.abr.streams[mailbox as usize][self.stream as usize];
        let key = key(frame, first, pti);
        let is_new = std::mem::replace(&mut self.follows, key + NEXT_CELL) != key;
        if is_new {
            let (&Run { seq_or_ack, size, .. }, spacing, count) = (run, Span::ZERO, 1);
            let run = CellRun { time, spacing, seq_or_ack, size, input_ref, frame, first, count, eom, pti };
            stream.runs.push_back(run);
        }
        stream.cells.push_back(StreamCell { time, at_port: input_ref.at_port, is_new, eom });
    }
}

impl RunAdmission {
    /// An empty queue of these connections.
    pub(in crate::net::batched) fn new(
        fifo: LateFifo,
        vcs: IdVec<VcId, RunVc>,
        rates: Option<Box<PortRates>>,
    ) -> RunAdmission {
        let mut admission = RunAdmission { fifo, vcs, rates, interval_end: 0, edge: None };
        if let Some(rates) = &admission.rates {
            match rates.efci_threshold() {
                Some(threshold) => {
                    let marked_beyond = threshold.saturating_add(1);
                    let served: Vec<VcId> = admission.vcs.ids().filter(|&vc| rates.marks(vc)).collect();
                    served.into_iter().for_each(|vc| admission.vcs[vc].marked_beyond = marked_beyond);
                }
                None => admission.fifo.ask_about_each_cell(),
            }
        }
        admission.find_interval_end();
        admission
    }

    /// With this edge, if one uses its rates.
    pub(in crate::net::batched) fn with_reader(self, edge: Option<usize>) -> RunAdmission {
        RunAdmission { edge, ..self }
    }

    /// When the averaging interval ends that runs, if an edge waits for the rates.
    pub(in crate::net::batched) fn next_rates(&self) -> Option<Time> {
        self.edge?;
        Some(self.rates.as_ref()?.interval_end())
    }

    /// What it offers at `now` to a flow that it limits, in bits per second.
    pub(in crate::net::batched) fn allocation_bps(&self, now: Time) -> Option<f64> {
        self.rates.as_ref()?.allocation_bps(now)
    }

    /// The slot end at which the averaging interval ends that runs.
    #[inline]
    pub(in crate::net::batched) fn interval_end(&self) -> u64 {
        self.interval_end
    }

    /// What it said to ABR connections until `now`, if it gives them rates.
    pub(in crate::net::batched) fn rates_record(&self, now: Time) -> Option<PortRatesRecord> {
        let mut record = self.rates.as_ref()?.record(now)?;
        record.marked_cells += self.vcs.iter().map(|vc| u64::from(vc.marked)).sum::<u64>();
        Some(record)
    }

    /// What it offered to ABR connections over time until `now`, if that is recorded.
    pub(in crate::net::batched) fn allocations(&self, now: Time) -> Option<RateTrace> {
        self.rates.as_ref()?.allocations(now)
    }

    fn find_interval_end(&mut self) {
        let end = self.rates.as_ref().map_or(Time::NEVER, |rates| rates.interval_end());
        self.interval_end = if end == Time::NEVER { u64::MAX } else { self.fifo.cell_time.slots(end.as_ps()) };
    }

    /// The interval ends; cells of earlier slots have been admitted, and those of the slot that ends with it not.
    pub(in crate::net::batched) fn end_interval(&mut self, io: &mut Io) {
        let (now, queued) = (self.fifo.cell_time.instant(self.interval_end), self.fifo.waiting_at(self.interval_end));
        self.vcs.ids().for_each(|vc| self.count(now, vc));
        if let Some(rates) = &mut self.rates {
            rates.end_interval_at(now, queued);
            if let (Some(edge), Some(of_tcp)) = (self.edge, rates.of_tcp()) {
                io.edges[edge].rates.push(of_tcp);
            }
        }
        self.find_interval_end();
    }

    /// A backward RM cell passes the switch; the cells of all slots that have ended were admitted, and no others.
    pub(in crate::net::batched) fn visited(&mut self, visit: &Visit, io: &mut Io) {
        let queued = self.fifo.waiting_at(self.fifo.cell_time.slots(visit.time.as_ps()));
        if let Some(rates) = &mut self.rates {
            let cell = io.abr.connections.of(visit.vc).cell_mut(visit.number);
            rates.on_backward_rm(visit.time, visit.at_port, queued, cell);
        }
    }

    /// The counters with what is not yet counted.
    pub(in crate::net::batched) fn monitor(&self) -> FifoMonitor {
        let mut monitor = self.fifo.monitor().clone();
        for (at_port, vc) in self.vcs.iter_ids() {
            monitor.arrive(at_port, vc.uncounted.into());
        }
        monitor
    }

    /// Counts the cells of a connection that have come so far, the last of them until `now`.
    #[inline(always)]
    fn count(&mut self, now: Time, at_port: VcId) {
        let vc = &mut self.vcs[at_port];
        if vc.uncounted > 0 {
            let cells = u64::from(std::mem::take(&mut vc.uncounted));
            let marked = u64::from(std::mem::take(&mut vc.marked));
            self.fifo.monitor_mut().arrive(at_port, cells);
            if let Some(rates) = &mut self.rates {
                rates.count(now, at_port, cells);
                rates.count_marked(marked);
            }
        }
    }

    /// The next cell of a run is accepted or refused at slot end `now`.
    #[inline(always)]
    pub(in crate::net::batched) fn serve<P: CellPolicy>(
        &mut self,
        policy: &mut P,
        now: u64,
        run: &mut Run,
        io: &mut Io,
    ) {
        let vc = &mut self.vcs[run.at_port];
        // There is room, and the policy need not be asked (see BatchHints::needs_every_cell).
        if vc.sure
            && run.is_data
            && let Some(waits) = self.fifo.accept_plainly(now, run.at_port)
        {
            run.advance();
            vc.uncounted += 1;
            let mut pti = run.pti;
            if waits > vc.marked_beyond {
                pti = pti.marked();
                vc.marked += u32::from(pti != run.pti);
            }
            vc.efci = pti.efci();
            if run.eom && run.left == 0 {
                policy.end_accepted(run.at_port);
                vc.sure = false;
            }
            let departs = now + waits;
            if vc.goes_on_by_cells {
                vc.go_on_to_port(self.fifo.cell_time.instant(departs), run, pti, io);
                return;
            }
            if pti.efci() {
                let time = self.fifo.cell_time.instant(departs).saturating_add(vc.next_hop.lag);
                io.abr.mark(vc.id, time, io.until);
            }
            if run.left == 0 {
                self.reassemble(departs, run, run.next, io);
            }
        } else {
            self.serve_with_care(policy, now, run, io);
        }
    }

    /// Serves a cell in the general case.
    #[inline(never)]
    fn serve_with_care<P: CellPolicy>(&mut self, policy: &mut P, now: u64, run: &mut Run, io: &mut Io) {
        run.advance();
        let vc = run.at_port;
        self.vcs[vc].uncounted += 1;
        let instant = self.fifo.cell_time.instant(now);
        self.count(instant, vc);
        let waiting = self.fifo.waiting_at(now);
        let mut pti = run.pti;
        if let Some(rates) = &mut self.rates {
            let id = self.vcs[vc].id;
            pti = rates.on_counted(instant, vc, pti, waiting, || io.abr.connections.of(id).cell_mut(run.frame));
        }
        let verdict = if !pti.is_rm() {
            self.decide(policy, now, waiting, vc, run.eom && run.left == 0)
        } else if self.fifo.has_room(now) {
            // As in the reference engine, policies neither see nor count RM cells.
            Verdict::Accept
        } else {
            Verdict::Drop(DropReason::Overflow)
        };
        match verdict {
            Verdict::Accept | Verdict::Mark => {
                let departs = self.fifo.accept(now, vc);
                if pti.is_rm() || pti.efci() || self.vcs[vc].goes_on_by_cells {
                    self.go_on(departs, run, pti, io);
                }
                if !pti.is_rm() {
                    self.vcs[vc].efci = pti.efci();
                }
                if run.left == 0 {
                    self.reassemble(departs, run, run.next, io);
                }
            }
            Verdict::Drop(reason) => {
                self.fifo.refuse(now, vc, self.vcs[vc].name_hash, run.frame, reason);
                let id = self.vcs[vc].id;
                if pti.is_rm() {
                    io.abr.connections.of(id).refuse();
                }
                io.lost_datagrams.refused(id, run.frame);
                self.reassemble(now, run, run.next - 1, io);
                run.accepted_from = run.next;
            }
        }
    }

    /// Whether the policy lets a data cell in.
    #[inline(always)]
    fn decide<P: CellPolicy>(&mut self, policy: &mut P, now: u64, waiting: u64, vc: VcId, eom: bool) -> Verdict {
        if self.vcs[vc].sure && self.fifo.has_room(now) {
            // See BatchHints::needs_every_cell.
            if eom {
                policy.end_accepted(vc);
                self.vcs[vc].sure = false;
            }
            return Verdict::Accept;
        }
        if policy.reads_per_vc(waiting as u32) {
            self.fifo.catch_up(now);
        } else {
            self.fifo.monitor_mut().set_queued(waiting);
        }
        let verdict =
            policy.admit(CellArrival { now: self.fifo.cell_time.instant(now), vc, eom }, self.fifo.monitor().buffer());
        let is_in = matches!(verdict, Verdict::Accept | Verdict::Mark);
        self.vcs[vc].sure = is_in && !eom && !policy.needs_every_cell();
        verdict
    }

    /// The cell of a run before the next one departs, and goes to the next port; or it is an RM cell or a marked one, and goes to
    /// its host.
    #[inline(always)]
    fn go_on(&mut self, departs: u64, run: &Run, pti: Pti, io: &mut Io) {
        let vc = &mut self.vcs[run.at_port];
        let begins = self.fifo.cell_time.instant(departs);
        let time = begins.saturating_add(vc.next_hop.lag);
        let &Run { seq_or_ack, frame, size, .. } = run;
        if pti == Pti::BACKWARD_RM {
            io.abr.visit(&vc.visits, begins, vc.id, frame);
        }
        match if pti.is_rm() { vc.of_rm_cells } else { vc.next_hop.to } {
            Destination::RunPort { .. } if vc.goes_on_by_cells => vc.go_on_to_port(begins, run, pti, io),
            // Past an edge device, which sends frames as hosts do.
            Destination::RunPort { mailbox, input_ref } => {
                // In the stream of all that comes by this link: of cells in one slot the first one comes first.
                let stream = &mut io.abr.streams[mailbox as usize][vc.stream as usize];
                stream.runs.push_back(CellRun { time, seq_or_ack, size, input_ref, ..CellRun::rm(pti, frame) });
                stream.cells.push_back(StreamCell { time, at_port: input_ref.at_port, is_new: true, eom: false });
            }
            Destination::Host { inbox, link } if pti.is_rm() => {
                if pti == Pti::FORWARD_RM && std::mem::take(&mut vc.efci) {
                    // The destination would write it, and nobody reads it before.
                    io.abr.connections.of(vc.id).cell_mut(frame).ci = true;
                }
                if pti == Pti::BACKWARD_RM {
                    io.abr.come_back(time, vc.id);
                }
                let of_rm = Delivery { time, seq_or_ack, vc: vc.id, frame, size, link, what: What::RmCell };
                io.deliver(inbox, of_rm);
            }
            Destination::Host { .. } => io.abr.mark(vc.id, time, io.until),
            Destination::Port { .. } | Destination::LastHopPort { .. } => {
                unreachable!("ports of networks with ABR connections take runs of cells")
            }
        }
    }

    /// The cells from the last refused one up to number `end` were accepted, and reach their host; the last of them departs then.
    #[inline(always)]
    fn reassemble(&mut self, departs: u64, run: &mut Run, end: u16, io: &mut Io) {
        let vc = &mut self.vcs[run.at_port];
        let count = end - std::mem::replace(&mut run.accepted_from, end);
        let Destination::Host { inbox, link } = vc.next_hop.to else { return };
        if count == 0 || run.pti.is_rm() {
            return;
        }
        let eom = run.eom && run.left == 0 && end == run.next;
        if let Some(reassembled) = vc.reassembler.on_units(run.frame, end - count, count, eom) {
            let what = match reassembled {
                Reassembled::Good { .. } => What::WholeFrame,
                Reassembled::Damaged => What::DamagedFrame,
            };
            let time = self.fifo.cell_time.instant(departs).saturating_add(vc.next_hop.lag);
            let &mut Run { seq_or_ack, frame, size, .. } = run;
            io.deliver(inbox, Delivery { time, seq_or_ack, vc: vc.id, frame, size, link, what });
        }
    }

    /// The cells of a run from number `first` on do not come.
    pub(in crate::net::batched) fn shorten(&mut self, run: &mut Run, first: u16, io: &mut Io) {
        run.shorten(first);
        if run.left == 0 {
            // Its last cell is not the end of a frame, so nothing is complete.
            self.reassemble(0, run, run.next, io);
        }
    }
}

/// What a cell of a connection is, as one number: its frame or, of an RM cell, its own number, which cell of the frame, and of which kind.
#[inline(always)]
fn key(frame: u32, cell: u16, pti: Pti) -> u64 {
    u64::from(frame) << 32 | u64::from(cell) << 8 | u64::from(pti.bits())
}

/// From the key of a cell to that of the next one of the same frame and kind.
const NEXT_CELL: u64 = 1 << 8;
