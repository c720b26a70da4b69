//! Runs of one scenario under several seeds, on all cores. The outcome does not depend on the threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim::{self, Engine, Simulation};
use ackclock::units::Span;

use crate::progress::Reporter;

/// Runs the scenario once for each seed. Each run that comes to its end is handed to `keep` at once, in the thread that
/// ran it, so that what it recorded need not wait in memory for the others; what `keep` makes of the runs is returned
/// in the order of the seeds. When `stop` is set, runs under way are given up; so they are when `keep` fails, and the
/// first failure is returned with what was kept before.
pub fn run_all<T: Send, E: Send>(
    scenario: &Scenario,
    seeds: &[u64],
    engine: Engine,
    stop: &AtomicBool,
    reporter: &mut Reporter,
    keep: impl Fn(Records) -> Result<T, E> + Sync,
) -> (Vec<T>, Option<E>) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = Work { scenario, seeds, engine, stop, failed: AtomicBool::new(false), next, done: Done::default() };
    let mut finished: Vec<Option<T>> = seeds.iter().map(|_| None).collect();
    let mut failure = None;
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..cores.min(seeds.len()) {
            let (work, keep, sender) = (&work, &keep, sender.clone());
            scope.spawn(move || {
                while let Some((index, records)) = work.run_next() {
                    let kept = keep(records);
                    work.failed.fetch_or(kept.is_err(), Ordering::Relaxed);
                    // The receiver outlives every thread of the scope.
                    let _ = sender.send((index, kept));
                }
            });
        }
        drop(sender);
        let mut runs = 0;
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok((index, Ok(kept))) => {
                    finished[index] = Some(kept);
                    runs += 1;
                }
                Ok((_, Err(error))) => {
                    failure.get_or_insert(error);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            reporter.update(work.fraction(), |elapsed| work.describe(runs, elapsed));
        }
    });
    reporter.clear();
    (finished.into_iter().flatten().collect(), failure)
}

/// What the threads share.
struct Work<'a> {
    scenario: &'a Scenario,
    seeds: &'a [u64],
    engine: Engine,
    stop: &'a AtomicBool,
    /// Set when a run could not be kept: the next could not either.
    failed: AtomicBool,
    /// The first seed that nobody has taken yet.
    next: AtomicUsize,
    done: Done,
}

/// Sums over all runs.
#[derive(Default)]
struct Done {
    simulated_us: AtomicU64,
    events: AtomicU64,
}

impl Work<'_> {
    /// Takes the next seed and runs it to the end. `None` if there is none or if it was stopped.
    fn run_next(&self) -> Option<(usize, Records)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let mut simulation = sim::build_with(self.scenario, *self.seeds.get(index)?, self.engine);
        let mut slice = FIRST_SLICE;
        while !simulation.progress().finished() {
            if self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed) {
                return None;
            }
            slice = self.step(&mut simulation, slice);
        }
        Some((index, simulation.records()))
    }

    /// Simulates one slice. Returns the length of the next one: such that it takes about `SLICE` of real time.
    fn step(&self, simulation: &mut Simulation, slice: Span) -> Span {
        let before = simulation.progress();
        let started = Instant::now();
        let after = simulation.step(before.now + slice.min(before.end.since(before.now)));
        let took = started.elapsed();
        let simulated_us = after.now.as_ps() / PS_PER_US - before.now.as_ps() / PS_PER_US;
        self.done.simulated_us.fetch_add(simulated_us, Ordering::Relaxed);
        self.done.events.fetch_add(after.events - before.events, Ordering::Relaxed);
        if took < SLICE / 2 {
            (slice + slice).min(LONGEST_SLICE)
        } else if took > SLICE * 2 {
            Span::from_ps(slice.as_ps() / 2).max(SHORTEST_SLICE)
        } else {
            slice
        }
    }

    fn simulated_s(&self) -> f64 {
        self.done.simulated_us.load(Ordering::Relaxed) as f64 / 1e6
    }

    fn to_simulate_s(&self) -> f64 {
        self.scenario.duration.as_secs_f64() * self.seeds.len() as f64
    }

    fn fraction(&self) -> f64 {
        self.simulated_s() / self.to_simulate_s()
    }

    fn describe(&self, runs_done: usize, elapsed: Duration) -> String {
        let events_per_s = self.done.events.load(Ordering::Relaxed) as f64 / elapsed.as_secs_f64();
        format!(
            "{runs_done} of {} runs, {:.1} of {:.1} s simulated, {:.1} M events/s",
            self.seeds.len(),
            self.simulated_s(),
            self.to_simulate_s(),
            events_per_s / 1e6,
        )
    }
}

/// How long Ctrl-C and the progress display wait for a run, roughly.
const SLICE: Duration = Duration::from_millis(50);
const FIRST_SLICE: Span = Span::from_us(100);
const SHORTEST_SLICE: Span = Span::from_us(1);
/// Quiet times pass quickly, but what follows them may not be quiet.
const LONGEST_SLICE: Span = Span::from_ms(100);
/// How often the progress display is brought up to date.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const PS_PER_US: u64 = 1_000_000;
