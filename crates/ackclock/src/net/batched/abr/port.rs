//! A cell port of a network with ABR connections. Like [`CellPort`](crate::net::batched::cells::port::CellPort) it goes through the
//! slots in which something arrives, up to its horizon; between slots it ends averaging intervals and takes visits.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::net::abr::RateTrace;
use crate::net::batched::abr::admission::{NO_RUN, RunAdmission};
use crate::net::batched::abr::run::Run;
use crate::net::batched::abr::under_way::{CellRun, Stream, StreamCell};
use crate::net::batched::cells::pacing::{Pacing, Place, Spacing};
use crate::net::batched::cells::passed::Passed;
use crate::net::batched::cells::service::Service;
use crate::net::batched::io::Io;
use crate::net::batched::process::{Ports, Process};
use crate::net::lists::Lists;
use crate::queue::cell::{CellPolicy, CellPolicyState, Visitor};
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// A cell port with slots.
pub(in crate::net::batched) struct RunPort {
    policy: CellPolicyState,
    kernel: Kernel,
}

/// What a port is made of, its policy excepted.
struct Kernel {
    process: usize,
    service: Service,
    admission: RunAdmission,
    /// The next slot end.
    slot: u64,
    pacing: Pacing<Run>,
    /// By input, the runs that begin so late that they cannot be written down yet, in order; and how many they are.
    later: Vec<VecDeque<CellRun>>,
    late: usize,
    /// Cells that arrived.
    cells: u64,
}

impl RunPort {
    /// An empty port, which is process number `process`.
    pub(in crate::net::batched) fn new(
        process: usize,
        policy: CellPolicyState,
        service: Service,
        admission: RunAdmission,
    ) -> RunPort {
        let pacing = Pacing::new(admission.fifo.cell_time);
        let later = service.inputs.iter().map(|_| VecDeque::new()).collect();
        RunPort { policy, kernel: Kernel { process, service, admission, slot: 1, pacing, later, late: 0, cells: 0 } }
    }

    /// What ports without a queue behind this one have to know.
    pub(in crate::net::batched) fn passed(&self) -> Passed {
        let RunAdmission { fifo, vcs, .. } = &self.kernel.admission;
        let departures = Lists::new(vcs.len(), fifo.departures());
        Passed::new(fifo.cell_time, self.kernel.admission.monitor().accepted(), departures)
    }

    /// When the averaging interval ends that runs, if an edge waits for the rates.
    pub(in crate::net::batched) fn next_rates(&self) -> Option<Time> {
        self.kernel.admission.next_rates()
    }

    /// What it offers at `now` to a flow that it limits, in bits per second.
    pub(in crate::net::batched) fn allocation_bps(&self, now: Time) -> Option<f64> {
        self.kernel.admission.allocation_bps(now)
    }

    /// What it offered over time until `now`, if that is recorded.
    pub(in crate::net::batched) fn allocations(&self, now: Time) -> Option<RateTrace> {
        self.kernel.admission.allocations(now)
    }
}

impl Process for RunPort {
    fn advance(&mut self, until: Time, io: &mut Io) {
        self.policy.visit(Advance(&mut self.kernel, until, io));
    }

    fn next(&self, io: &Io) -> Time {
        let Kernel { process, pacing, slot, admission, later, .. } = &self.kernel;
        let slot = if pacing.is_empty() { Time::NEVER } else { Time::from_ps(slot * admission.fifo.cell_time.ps()) };
        let first = |run: &CellRun| run.time;
        let run = io.abr.runs[*process].iter().chain(later.iter().flatten()).map(first).min().unwrap_or(Time::NEVER);
        let of_stream = |stream: &Stream| stream.cells.front().map(|cell| cell.time);
        let cell = io.abr.streams[*process].iter().filter_map(of_stream).min().unwrap_or(Time::NEVER);
        let rates = admission.next_rates().unwrap_or(Time::NEVER);
        slot.min(run).min(cell).min(rates).min(io.abr.visits[*process].earliest())
    }

    fn events(&self) -> u64 {
        self.kernel.cells
    }

    fn take_trace(&mut self, _port: u32, now: Time) -> Option<PortTrace> {
        self.kernel.admission.fifo.trace.take().map(|trace| trace.until(now))
    }
}

impl Ports for RunPort {
    fn record(&self, _port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord {
        let admission = &self.kernel.admission;
        let rates = admission.rates_record(now);
        let record = admission.monitor().record(now, name, vcs, admission.fifo.waiting());
        PortRecord { rates, ..record }
    }

    fn trace(&self, _port: u32, now: Time) -> Option<PortTrace> {
        self.kernel.admission.fifo.trace.clone().map(|trace| trace.until(now))
    }
}

/// One kernel for each policy, so that its calls are inlined.
struct Advance<'a>(&'a mut Kernel, Time, &'a mut Io);

impl Visitor for Advance<'_> {
    type Output = ();

    fn visit<P: CellPolicy>(self, policy: &mut P) {
        let Advance(kernel, until, io) = self;
        kernel.advance(policy, until, io);
    }
}

impl Kernel {
    fn advance<P: CellPolicy>(&mut self, policy: &mut P, until: Time, io: &mut Io) {
        let cell_time = self.admission.fifo.cell_time;
        let last = cell_time.slots(until.as_ps() - 1);
        io.abr.visits[self.process].settle_if_due(until);
        while self.slot <= last {
            let end = self.begin_window(last, io).min(last);
            self.slot = self.pacing.next_slot(self.slot, end);
            if self.slot <= end {
                self.serve_window(policy, end, io);
            }
            self.slot = end + 1;
        }
        self.pass_barriers(last, io);
        // What is left of the visits comes in the slot that is running.
        while let Some(&visit) = io.abr.visits[self.process].first().filter(|visit| visit.time < until) {
            io.abr.visits[self.process].take();
            self.admission.visited(&visit, io);
        }
        // Records are made where the engine stops.
        if until >= io.until {
            self.admission.fifo.catch_up(last);
        }
        // An interval that ends now ends as soon as all before is known: an edge may wait for the rates. What departs now comes first.
        while self.admission.next_rates().is_some_and(|end| io.may_end_interval(end, until)) {
            self.admission.end_interval(io);
        }
    }

    /// Takes in what is on its way, as far ahead as cells are written down. Returns the last slot end of the window that is then
    /// known; it need not be beyond slot end `last`.
    fn begin_window(&mut self, last: u64, io: &mut Io) -> u64 {
        let end = self.pacing.reach_far(self.slot, last);
        if self.late > 0 {
            self.begin_later(end);
        }
        let mut runs = std::mem::take(&mut io.abr.runs[self.process]);
        for run in runs.drain(..) {
            if run.count == 0 {
                self.shorten(&run, io);
                continue;
            }
            let place = self.pacing.place_of(run.time.as_ps());
            if place.slot <= end {
                self.begin(&run, place);
            } else {
                let later = &mut self.later[run.input_ref.input as usize];
                debug_assert!(later.back().is_none_or(|last| last.time <= run.time), "a link keeps its order");
                later.push_back(run);
                self.late += 1;
            }
        }
        io.abr.runs[self.process] = runs;
        for Stream { cells, runs } in &mut io.abr.streams[self.process] {
            let (first, second) = cells.as_slices();
            let taken = match self.write_before(end, first, runs) {
                all if all == first.len() => all + self.write_before(end, second, runs),
                some => some,
            };
            cells.drain(..taken);
        }
        end
    }

    /// Cells come from another port: those that come up to slot end `end` are written down. Returns how many. What is new among them
    /// is in `runs`.
    #[inline(always)]
    fn write_before(&mut self, end: u64, cells: &[StreamCell], runs: &mut VecDeque<CellRun>) -> usize {
        for (number, cell) in cells.iter().enumerate() {
            let place = self.pacing.place_of(cell.time.as_ps());
            if place.slot > end {
                return number;
            }
            self.write(cell, place, runs);
        }
        cells.len()
    }

    /// A cell comes from another port, within reach. If it is another thing than the one before it, that is the first of `runs`.
    ///
    /// # Panics
    /// If it comes in a slot that is over: time would go back.
    #[inline(always)]
    fn write(&mut self, cell: &StreamCell, place: Place, runs: &mut VecDeque<CellRun>) {
        assert!(place.slot >= self.slot, "time went back to {}", cell.time);
        let vc = &mut self.admission.vcs[cell.at_port];
        if cell.is_new {
            let run = runs.pop_front().expect("what is new is in the list");
            if run.pti.is_rm() {
                // By itself: the frames of its connection may come from an edge device.
                let number = self.pacing.number(Run::new(&run));
                self.pacing.add_cell(number, place);
                return;
            }
            let run = Run::open(&run);
            if vc.latest == NO_RUN {
                vc.latest = self.pacing.number(run);
            } else {
                let last = self.pacing.train_mut(vc.latest);
                match last.left {
                    0 => *last = run,
                    _ => vc.runs.push_back(run),
                }
            }
        } else {
            vc.runs.back_mut().unwrap_or_else(|| self.pacing.train_mut(vc.latest)).extend(cell.eom);
        }
        self.pacing.add_cell(vc.latest, place);
    }

    /// A run that was announced ends early, see [`CellRun::end`].
    #[inline(never)]
    fn shorten(&mut self, end: &CellRun, io: &mut Io) {
        let &CellRun { input_ref, frame, first, .. } = end;
        if let Some(run) = self.later[input_ref.input as usize].back_mut() {
            debug_assert_eq!((run.input_ref, run.frame), (input_ref, frame));
            (run.count, run.eom) = (first - run.first, false);
            return;
        }
        let number = self.admission.vcs[input_ref.at_port].latest;
        self.admission.shorten(self.pacing.train_mut(number), first, io);
    }

    /// The same of those that began too late before.
    #[inline(never)]
    fn begin_later(&mut self, end: u64) {
        for input in 0..self.later.len() {
            while let Some(&run) = self.later[input].front() {
                let place = self.pacing.place_of(run.time.as_ps());
                if place.slot > end {
                    break;
                }
                self.later[input].pop_front();
                self.late -= 1;
                self.begin(&run, place);
            }
        }
    }

    /// A run begins that is within reach: its first cell comes then.
    ///
    /// # Panics
    /// If its first cell comes in a slot that is over: time would go back.
    #[inline(always)]
    fn begin(&mut self, run: &CellRun, place: Place) {
        assert!(place.slot >= self.slot, "time went back to {}", run.time);
        let cells = Run::new(run);
        if run.count == 1 {
            let number = self.pacing.number(cells);
            self.pacing.add_cell(number, place);
        } else {
            let spacing = Spacing::new(run.spacing.as_ps(), self.admission.fifo.cell_time.ps());
            self.admission.vcs[run.input_ref.at_port].latest = self.pacing.add(cells, place, spacing);
        }
    }

    /// Serves the cells of the slots up to slot end `last`, and between them what else is to be done.
    #[inline(never)]
    fn serve_window<P: CellPolicy>(&mut self, policy: &mut P, last: u64, io: &mut Io) {
        self.pacing.take(self.slot, last, &self.service);
        let mut barrier = self.barrier(io);
        let (cells, runs, ended) = self.pacing.window();
        self.cells += cells.len() as u64;
        for &(offset, number) in cells {
            let slot = self.slot + u64::from(offset);
            if slot >= barrier {
                barrier = pass_barriers(&mut self.admission, self.process, slot, io);
            }
            let run = &mut runs[number as usize];
            if run.left > 0 {
                self.admission.serve(policy, slot, run, io);
            } else {
                run.skip_ghost();
            }
            if run.left == 0 {
                if run.is_open() {
                    if let Some(next) = self.admission.vcs[run.at_port].runs.pop_front() {
                        *run = next;
                    }
                } else if run.is_over() {
                    ended.push(number);
                }
            }
        }
    }

    /// The first slot end before whose cells something else is to be done: an interval ends with the slot, or a visit came in it.
    #[inline]
    fn barrier(&self, io: &Io) -> u64 {
        visit_slot(&self.admission, self.process, io).min(self.admission.interval_end())
    }

    fn pass_barriers(&mut self, slot: u64, io: &mut Io) {
        if self.barrier(io) <= slot {
            pass_barriers(&mut self.admission, self.process, slot, io);
        }
    }
}

/// The end of the slot in which the next visit of process `process` comes.
#[inline]
fn visit_slot(admission: &RunAdmission, process: usize, io: &Io) -> u64 {
    let first = io.abr.visits[process].first();
    first.map_or(u64::MAX, |visit| admission.fifo.cell_time.slots(visit.time.as_ps()) + 1)
}

/// Does what is to be done before the cells of the slot that ends at `slot`: takes the visits of earlier slots and that one, ends
/// intervals that end with earlier ones and that one. Returns the next slot end before whose cells there is something to be done.
#[inline(never)]
fn pass_barriers(admission: &mut RunAdmission, process: usize, slot: u64, io: &mut Io) -> u64 {
    loop {
        let (visited, ends) = (visit_slot(admission, process, io), admission.interval_end());
        if visited.min(ends) > slot {
            return visited.min(ends);
        }
        match io.abr.visits[process].first() {
            // A visit within a slot comes before what happens at its end.
            Some(&visit) if visited <= ends => {
                io.abr.visits[process].take();
                admission.visited(&visit, io);
            }
            _ => admission.end_interval(io),
        }
    }
}
