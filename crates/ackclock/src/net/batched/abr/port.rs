//! A cell port of a network with ABR connections. Like [`CellPort`](crate::net::batched::cells::port::CellPort) it goes through the
//! slots in which something arrives, up to its horizon; between slots it ends averaging intervals and takes visits.

use std::collections::VecDeque;

use crate::net::abr::RateTrace;
use crate::net::batched::abr::admission::{Run, RunAdmission};
use crate::net::batched::abr::under_way::{CellRun, Visit};
use crate::net::batched::cells::pacing::{Paced, Pacing, Spacing};
use crate::net::batched::cells::port::Passed;
use crate::net::batched::cells::service::Service;
use crate::net::batched::io::Io;
use crate::net::batched::mailbox::Mailbox;
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
    /// Everything before has happened here: records are of later instants.
    done: Time,
    /// Runs that began to arrive.
    runs: u64,
}

impl Paced for Run {
    #[inline(always)]
    fn input(&self) -> u32 {
        self.input
    }

    #[inline(always)]
    fn left(&self) -> u16 {
        self.left
    }
}

impl RunPort {
    /// An empty port, which is process number `process`.
    pub(in crate::net::batched) fn new(
        process: usize,
        policy: CellPolicyState,
        service: Service,
        admission: RunAdmission,
    ) -> RunPort {
        let pacing = Pacing::new(admission.cell_time);
        let later = service.inputs.iter().map(|_| VecDeque::new()).collect();
        let (done, runs) = (Time::ZERO, 0);
        RunPort { policy, kernel: Kernel { process, service, admission, slot: 1, pacing, later, late: 0, done, runs } }
    }

    /// What ports without a queue behind this one have to know.
    pub(in crate::net::batched) fn passed(&self) -> Passed {
        let RunAdmission { cell_time, vcs, queue, monitor, .. } = &self.kernel.admission;
        Passed::new(*cell_time, monitor.accepted(), Lists::new(vcs.len(), queue.departures()))
    }

    /// What it offered to ABR connections over time until `now`, if that is recorded.
    pub(in crate::net::batched) fn allocations(&self, now: Time) -> Option<RateTrace> {
        self.kernel.admission.rates()?.allocations(now)
    }
}

impl Process for RunPort {
    fn advance(&mut self, until: Time, io: &mut Io) {
        self.policy.visit(Advance(&mut self.kernel, until, io));
    }

    fn next(&self, io: &Io) -> Time {
        let Kernel { process, pacing, slot, admission, later, .. } = &self.kernel;
        let slot = if pacing.is_empty() { Time::NEVER } else { Time::from_ps(slot * admission.cell_time.ps()) };
        let first = |run: &CellRun| run.time;
        let run = io.abr.runs[*process].iter().chain(later.iter().flatten()).map(first).min().unwrap_or(Time::NEVER);
        slot.min(run).min(io.abr.visits[*process].earliest())
    }

    fn events(&self) -> u64 {
        self.kernel.runs
    }
}

impl Ports for RunPort {
    fn record(&self, _port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = String>) -> PortRecord {
        let RunAdmission { monitor, queue, .. } = &self.kernel.admission;
        let rates = self.kernel.admission.rates().map(|rates| rates.record(now));
        PortRecord { rates, ..monitor.record(now, name, vcs, queue.waiting()) }
    }

    fn trace(&self, _port: u32, now: Time) -> Option<PortTrace> {
        self.kernel.admission.trace.as_ref().map(|trace| trace.until(now))
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
        let cell_time = self.admission.cell_time;
        let last = cell_time.slots(until.as_ps() - 1);
        let mut visits = std::mem::take(&mut io.abr.visits[self.process]);
        visits.settle(until);
        if self.slot <= last {
            while self.slot <= last {
                let end = self.begin_window(io).min(last);
                self.slot = self.pacing.next_slot(self.slot);
                if self.slot <= end {
                    self.serve_window(policy, end, &mut visits, io);
                }
                self.slot = end + 1;
            }
        }
        let admission = &mut self.admission;
        pass_barriers(admission, last, &mut visits, io);
        // What is left of the visits comes in the slot that is running.
        while let Some(visit) = visits.first().filter(|visit| visit.time < until) {
            admission.visited(visit, io);
            visits.take();
        }
        admission.depart(last);
        self.done = until;
        let posted = std::mem::replace(&mut io.abr.visits[self.process], visits);
        posted.waiting().iter().for_each(|&visit| io.abr.visits[self.process].post(visit));
    }

    /// Takes in what is on its way, as far ahead as cells are written down. Returns the last slot end of the window that is then
    /// known.
    fn begin_window(&mut self, io: &mut Io) -> u64 {
        let end = self.pacing.reach_far(self.slot);
        if self.late > 0 {
            self.begin_later(end);
        }
        let mut runs = std::mem::take(&mut io.abr.runs[self.process]);
        for run in runs.drain(..) {
            if self.admission.cell_time.slots(run.time.as_ps()) < end {
                self.begin(&run);
            } else {
                let later = &mut self.later[run.input_ref.input as usize];
                // Mostly it is the last one: a host that sends on several connections posts a run when it is over.
                let place = match later.back() {
                    Some(last) if last.time > run.time => later.partition_point(|other| other.time <= run.time),
                    _ => later.len(),
                };
                later.insert(place, run);
                self.late += 1;
            }
        }
        io.abr.runs[self.process] = runs;
        end
    }

    /// The same of those that began too late before.
    #[inline(never)]
    fn begin_later(&mut self, end: u64) {
        for input in 0..self.later.len() {
            let cell_time = self.admission.cell_time;
            let in_reach = |run: &&CellRun| cell_time.slots(run.time.as_ps()) < end;
            while let Some(&run) = self.later[input].front().filter(in_reach) {
                self.later[input].pop_front();
                self.late -= 1;
                self.begin(&run);
            }
        }
    }

    /// A run begins that is within reach.
    ///
    /// # Panics
    /// If its first cell comes in a slot that is over: time would go back.
    #[inline(always)]
    fn begin(&mut self, run: &CellRun) {
        let cell_time = self.admission.cell_time.ps();
        assert!(run.time.as_ps() >= (self.slot - 1) * cell_time, "time went back to {}", run.time);
        let spacing = match run.count {
            1 => Spacing::EVEN,
            _ => Spacing::new(run.spacing.as_ps(), cell_time),
        };
        self.pacing.add(Run::new(run), run.time.as_ps(), spacing);
        self.runs += 1;
    }

    /// Serves the cells of the slots up to slot end `last`, and between them what else is to be done.
    #[inline(never)]
    fn serve_window<P: CellPolicy>(&mut self, policy: &mut P, last: u64, visits: &mut Mailbox<Visit>, io: &mut Io) {
        self.pacing.take(self.slot, last, &self.service);
        let mut barrier = barrier(&self.admission, visits);
        let (cells, runs, ended) = self.pacing.window();
        for &(offset, number) in cells {
            let slot = self.slot + u64::from(offset);
            if slot >= barrier {
                barrier = pass_barriers(&mut self.admission, slot, visits, io);
            }
            let run = &mut runs[number as usize];
            self.admission.serve(policy, slot, run, self.done, io);
            if run.left == 0 {
                ended.push(number);
            }
        }
        self.pacing.served();
    }
}

/// The first slot end before whose cells something else is to be done: an interval ends with the slot, or a visit came in it.
#[inline]
fn barrier(admission: &RunAdmission, visits: &Mailbox<Visit>) -> u64 {
    visit_slot(admission, visits).min(admission.interval_end())
}

/// The end of the slot in which the next visit comes.
#[inline]
fn visit_slot(admission: &RunAdmission, visits: &Mailbox<Visit>) -> u64 {
    visits.first().map_or(u64::MAX, |visit| admission.cell_time.slots(visit.time.as_ps()) + 1)
}

/// Does what is to be done before the cells of the slot that ends at `slot`: takes the visits of earlier slots and that one, ends
/// intervals that end with earlier ones and that one. Returns the next barrier.
#[inline(never)]
fn pass_barriers(admission: &mut RunAdmission, slot: u64, visits: &mut Mailbox<Visit>, io: &mut Io) -> u64 {
    loop {
        let (visited, ends) = (visit_slot(admission, visits), admission.interval_end());
        if visited.min(ends) > slot {
            return visited.min(ends);
        }
        match visits.first() {
            // A visit within a slot comes before what happens at its end.
            Some(visit) if visited <= ends => {
                admission.visited(visit, io);
                visits.take();
            }
            _ => admission.end_interval(),
        }
    }
}
