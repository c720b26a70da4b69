//! Runs of one scenario under several seeds, on all cores. The outcome does not depend on the threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim::{self, Engine, Simulation};
use ackclock::units::Span;

use crate::interrupt;
use crate::progress::{ALMOST, Reporter};

/// Runs the scenario once for each of `count` seeds. Each run that comes to its end is handed to `keep` at once, in the thread that
/// ran it, so that what it recorded need not wait in memory for the others; what `keep` makes of the runs is returned in
/// the order of the seeds. When `stop` is set, runs under way are given up; so they are when `keep` fails, and the first
/// failure is returned with what was kept before. The scenario is dropped once it is not needed any more: a large one is
/// large in memory. For the same reason this thread runs seeds itself: it is the one that loaded the scenario, and what
/// was freed since then is free for this thread only.
pub fn run_all<T: Send, E: Send>(
    scenario: Scenario,
    seeds: impl Iterator<Item = u64> + Send,
    count: usize,
    engine: Engine,
    stop: &AtomicBool,
    reporter: &mut Reporter,
    keep: impl Fn(Records) -> Result<T, E> + Sync,
) -> (Vec<T>, Option<E>) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let duration_s = scenario.duration.as_secs_f64();
    let seeds: Seeds<'_> = Box::new(seeds.take(count).enumerate());
    let to_do = Mutex::new((seeds, Some(Arc::new(scenario))));
    let failed = AtomicBool::new(false);
    let work = Work { to_do, duration_s, count, engine, stop, failed, done: Done::default() };
    let (sender, receiver) = mpsc::channel();
    let run = |sender: mpsc::Sender<_>| {
        while let Some((index, records, beside)) = work.run_next() {
            let started = Instant::now();
            let kept = keep(records);
            work.failed.fetch_or(kept.is_err(), Ordering::Relaxed);
            work.done.kept(beside + started.elapsed());
            // The receiver outlives every sender.
            let _ = sender.send((index, kept));
        }
    };
    let outcome = thread::scope(|scope| {
        let collector = scope.spawn(|| collect(&work, receiver, reporter));
        for _ in 1..cores.min(count) {
            let (run, sender) = (&run, sender.clone());
            scope.spawn(move || run(sender));
        }
        run(sender);
        collector.join().expect("the collector of the runs does not panic")
    });
    reporter.clear();
    // Whoever called says what has become of the runs.
    interrupt::keep_finished();
    outcome
}

/// Takes the runs as they finish, and shows how far they are, until nobody is left to send one.
fn collect<T, E>(
    work: &Work<'_>,
    receiver: mpsc::Receiver<(usize, Result<T, E>)>,
    reporter: &mut Reporter,
) -> (Vec<T>, Option<E>) {
    let mut finished: Vec<(usize, T)> = Vec::new();
    let mut failure = None;
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok((index, Ok(kept))) => finished.push((index, kept)),
            Ok((_, Err(error))) => {
                failure.get_or_insert(error);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        reporter.update(work.fraction(), |elapsed| work.describe(finished.len(), elapsed));
    }
    finished.sort_unstable_by_key(|(index, _)| *index);
    (finished.into_iter().map(|(_, kept)| kept).collect(), failure)
}

/// Seeds, with which of all each is.
type Seeds<'a> = Box<dyn Iterator<Item = (usize, u64)> + Send + 'a>;

/// What the threads share.
struct Work<'a> {
    /// The seeds that nobody has taken yet, and the scenario as long as there is one.
    to_do: Mutex<(Seeds<'a>, Option<Arc<Scenario>>)>,
    duration_s: f64,
    count: usize,
    engine: Engine,
    stop: &'a AtomicBool,
    /// Set when a run could not be kept: the next could not either.
    failed: AtomicBool,
    done: Done,
}

/// Sums over all runs.
#[derive(Default)]
struct Done {
    simulated_us: AtomicU64,
    events: AtomicU64,
    /// Time that simulation took.
    simulation_ns: AtomicU64,
    /// Runs that were simulated to the end, and those of them that were kept.
    simulated: AtomicU64,
    kept: AtomicU64,
    /// What it took to build the network of those that were kept, to make their records and to keep them.
    beside_ns: AtomicU64,
}

impl Done {
    fn kept(&self, beside: Duration) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.beside_ns.fetch_add(nanoseconds(beside), Ordering::Relaxed);
    }

    /// How much of the work is done if `simulated` of all simulated time has passed, of so many runs. Building networks,
    /// making records and keeping them takes as long for each run as it took for those before.
    fn fraction(&self, simulated: f64, runs: usize) -> f64 {
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed) as f64;
        let (simulation, beside) = (load(&self.simulation_ns), load(&self.beside_ns));
        let (kept, runs) = (load(&self.kept), runs as f64);
        if kept >= runs {
            return 1.0;
        }
        if simulated <= 0.0 {
            return 0.0;
        }
        let all_beside = if kept > 0.0 { beside / kept * runs } else { 0.0 };
        let all = (simulation / simulated + all_beside).max(1.0);
        ((simulation + beside) / all).min(ALMOST)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Work<'_> {
    /// Takes the next seed and runs it to the end. Returns with its records what they took beside the simulation; `None` if
    /// there is no seed or if it was stopped.
    fn run_next(&self) -> Option<(usize, Records, Duration)> {
        let (index, seed, scenario) = self.take_next()?;
        let started = Instant::now();
        let mut simulation = sim::build_with(&scenario, seed, self.engine);
        drop(scenario);
        let build = started.elapsed();
        let mut slice = FIRST_SLICE;
        while !simulation.progress().finished() {
            if self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed) {
                return None;
            }
            slice = self.step(&mut simulation, slice);
        }
        self.done.simulated.fetch_add(1, Ordering::Relaxed);
        let started = Instant::now();
        let records = simulation.finish();
        Some((index, records, build + started.elapsed()))
    }

    /// Whoever takes the last seed takes the scenario along.
    fn take_next(&self) -> Option<(usize, u64, Arc<Scenario>)> {
        let (seeds, scenario) = &mut *self.to_do.lock().expect("nobody panics while taking a seed");
        let (index, seed) = seeds.next()?;
        let scenario = if index + 1 < self.count { scenario.clone() } else { scenario.take() };
        scenario.map(|scenario| (index, seed, scenario))
    }

    /// Simulates one slice. Returns the length of the next one: such that it takes about `SLICE` of real time.
    fn step(&self, simulation: &mut Simulation, slice: Span) -> Span {
        let before = simulation.progress();
        let started = Instant::now();
        let after = simulation.step(before.now + slice.min(before.end.since(before.now)));
        let took = started.elapsed();
        let simulated_us = after.now.as_ps() / PS_PER_US - before.now.as_ps() / PS_PER_US;
        self.done.simulated_us.fetch_add(simulated_us, Ordering::Relaxed);
        self.done.simulation_ns.fetch_add(nanoseconds(took), Ordering::Relaxed);
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
        self.duration_s * self.count as f64
    }

    fn fraction(&self) -> f64 {
        self.done.fraction(self.simulated_s() / self.to_simulate_s(), self.count)
    }

    fn describe(&self, runs_done: usize, elapsed: Duration) -> String {
        let events_per_s = self.done.events.load(Ordering::Relaxed) as f64 / elapsed.as_secs_f64();
        let simulated = self.done.simulated.load(Ordering::Relaxed);
        let being_written = match simulated.saturating_sub(self.done.kept.load(Ordering::Relaxed)) {
            0 => String::new(),
            runs => format!(", {runs} being written"),
        };
        format!(
            "{runs_done} of {} runs, {:.1} of {:.1} s simulated{being_written}, {:.1} M events/s",
            self.count,
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
const LONGEST_SLICE: Span = Span::from_secs(1);
/// How often the progress display is brought up to date.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const PS_PER_US: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_work_of_their_own() {
        let done = Done::default();
        assert_eq!(done.fraction(0.0, 2), 0.0);
        // The first of two runs took 3 s to simulate; what its records take is not known yet.
        done.simulation_ns.store(3_000_000_000, Ordering::Relaxed);
        assert_eq!(done.fraction(0.5, 2), 0.5);
        // They took 2 s: 5 of 10 s are done, and when the other has been simulated too, 8 of 10.
        done.kept(Duration::from_secs(2));
        assert_eq!(done.fraction(0.5, 2), 0.5);
        done.simulation_ns.store(6_000_000_000, Ordering::Relaxed);
        assert_eq!(done.fraction(1.0, 2), 0.8);
        done.kept(Duration::from_secs(2));
        assert_eq!(done.fraction(1.0, 2), 1.0);
    }

    #[test]
    fn a_run_whose_records_are_not_kept_is_not_done() {
        let done = Done::default();
        done.simulation_ns.store(1_000_000_000, Ordering::Relaxed);
        assert_eq!(done.fraction(1.0, 1), 0.99);
    }
}
