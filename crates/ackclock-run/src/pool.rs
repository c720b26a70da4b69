//! The thread pool: runs on several threads. The outcome does not depend on the threads.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ackclock::record::Records;
use ackclock::sim::{self, Engine, Simulation};
use ackclock::units::{Span, Time};

use crate::job::{Job, Jobs, Load};
use crate::progress::{Status, Sums};
use ackclock_store::panics::caught;

/// What became of the runs.
#[derive(Debug)]
pub struct Runs<T, J, E> {
    /// What `keep` made of the finished runs, in the order of the jobs.
    pub kept: Vec<T>,
    /// The first failure, which ended the other runs.
    pub failure: Option<Failure<J, E>>,
}

/// Why the runs were ended.
#[derive(Debug)]
pub enum Failure<J, E> {
    /// A run broke an invariant of the simulator.
    Panicked {
        /// What the caller knows its job by.
        of: J,
        /// Its seed.
        seed: u64,
        /// The message of the panic, with its place if the hook of the program asks [`is_caught`](ackclock_store::panics::is_caught).
        message: String,
    },
    /// A run was finished and `keep` failed.
    NotKept(E),
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// It came to its end.
    Finished(Box<Records>),
    /// It broke an invariant of the simulator: the message of the panic.
    Panicked(String),
    /// It took longer than a run may take.
    OverTime,
}

/// Does the jobs on so many threads. Each run that comes to its end is handed to `keep` at once, in the thread that ran it,
/// so that what it recorded need not wait in memory for the others. When `stop` is set, runs under way are given up; so they are when
/// one panics or is not kept. `watch` gets the progress of the runs every tenth of a second, from one thread. The thread of the
/// caller runs jobs itself: it is the one that loaded the scenario, and what was freed since then is free for this
/// thread only.
pub fn run_all<J: Send, S: Load, T: Send, E: Send>(
    jobs: Jobs<impl Iterator<Item = Job<J, S>> + Send>,
    threads: usize,
    engine: Engine,
    stop: &AtomicBool,
    watch: impl FnMut(&Status) + Send,
    keep: impl Fn(&J, Records) -> Result<T, E> + Sync,
) -> Runs<T, J, E> {
    run_jobs(jobs, threads, Limits { engine, time: None, stop }, watch, |of, _, end| match end {
        End::Finished(records) => keep(of, *records).map_err(Bad::NotKept),
        End::Panicked(message) => Err(Bad::Panicked(message)),
        End::OverTime => unreachable!("runs may take any time"),
    })
}

/// Does the jobs as [`run_all`] does; but a run that panics, or that takes longer than `time_limit`, is handed to `keep` as well, and
/// the others go on.
pub fn run_each<J: Send, S: Load, T: Send, E: Send>(
    jobs: Jobs<impl Iterator<Item = Job<J, S>> + Send>,
    threads: usize,
    engine: Engine,
    time_limit: Option<Duration>,
    stop: &AtomicBool,
    watch: impl FnMut(&Status) + Send,
    keep: impl Fn(&J, u64, End) -> Result<T, E> + Sync,
) -> Runs<T, J, E> {
    let limits = Limits { engine, time: time_limit, stop };
    run_jobs(jobs, threads, limits, watch, |of, seed, end| keep(of, seed, end).map_err(Bad::NotKept))
}

/// How runs are done, and when they are given up.
struct Limits<'a> {
    engine: Engine,
    /// The most that one may take.
    time: Option<Duration>,
    stop: &'a AtomicBool,
}

/// Why no other run begins.
enum Bad<E> {
    Panicked(String),
    NotKept(E),
}

fn run_jobs<J: Send, S: Load, T: Send, E: Send>(
    jobs: Jobs<impl Iterator<Item = Job<J, S>> + Send>,
    threads: usize,
    limits: Limits<'_>,
    watch: impl FnMut(&Status) + Send,
    keep: impl Fn(&J, u64, End) -> Result<T, Bad<E>> + Sync,
) -> Runs<T, J, E> {
    let Jobs { jobs, count, cost } = jobs;
    let next = Mutex::new(jobs.enumerate());
    let shared = Shared { count, cost, limits, failed: AtomicBool::new(false), sums: Mutex::default() };
    let outcomes: Mutex<Outcomes<T, J, E>> = Mutex::default();
    // Each thread has a sender for as long as it runs jobs.
    let (running, all_ended) = mpsc::channel();
    let run = |running: Sender<Infallible>| {
        let take = || lock(&next).next();
        while !shared.is_to_stop()
            && let Some((index, job)) = take()
            && let Some(outcome) = shared.run(job, &keep)
        {
            lock(&outcomes).add(index, outcome);
        }
        drop(running);
    };
    thread::scope(|scope| {
        let watcher = scope.spawn(|| shared.tell(all_ended, watch));
        for _ in 1..threads.min(count) {
            let (run, running) = (&run, running.clone());
            scope.spawn(move || run(running));
        }
        run(running);
        watcher.join().expect("who watches the runs does not panic");
    });
    let Outcomes { mut kept, failure } = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    kept.sort_unstable_by_key(|(index, _)| *index);
    Runs { kept: kept.into_iter().map(|(_, kept)| kept).collect(), failure }
}

/// What became of the runs so far, with the numbers of their jobs.
struct Outcomes<T, J, E> {
    kept: Vec<(usize, T)>,
    failure: Option<Failure<J, E>>,
}

impl<T, J, E> Default for Outcomes<T, J, E> {
    fn default() -> Self {
        Outcomes { kept: Vec::new(), failure: None }
    }
}

impl<T, J, E> Outcomes<T, J, E> {
    fn add(&mut self, index: usize, outcome: Result<T, Failure<J, E>>) {
        match outcome {
            Ok(kept) => self.kept.push((index, kept)),
            Err(error) => {
                self.failure.get_or_insert(error);
            }
        }
    }
}

/// What the threads share.
struct Shared<'a> {
    count: usize,
    cost: f64,
    limits: Limits<'a>,
    /// Set when a run panicked or was not kept: the next would not fare better.
    failed: AtomicBool,
    sums: Mutex<Sums>,
}

impl Shared<'_> {
    /// Reports progress until the last sender is dropped. Nothing wakes this thread when a run ends: that would cost what many
    /// a short run takes.
    fn tell(&self, all_ended: Receiver<Infallible>, mut watch: impl FnMut(&Status)) {
        while let Err(RecvTimeoutError::Timeout) = all_ended.recv_timeout(TELL_EVERY) {
            watch(&self.sums().status(self.count, self.cost));
        }
    }

    /// Does a job to the end; `None` if it was stopped.
    fn run<J, S: Load, T, E>(
        &self,
        job: Job<J, S>,
        keep: &impl Fn(&J, u64, End) -> Result<T, Bad<E>>,
    ) -> Option<Result<T, Failure<J, E>>> {
        let Job { scenario, seed, cost, of } = job;
        let mut beside = Duration::ZERO;
        let end = match caught(|| self.simulate(scenario, seed, cost, &mut beside)) {
            Ok(end) => end?,
            Err(message) => End::Panicked(message),
        };
        self.sums().simulated += 1;
        let started = Instant::now();
        let kept = caught(|| keep(&of, seed, end)).unwrap_or_else(|message| Err(Bad::Panicked(message)));
        let mut sums = self.sums();
        sums.kept += 1;
        sums.beside += beside + started.elapsed();
        drop(sums);
        self.failed.fetch_or(kept.is_err(), Ordering::Relaxed);
        Some(kept.map_err(|bad| match bad {
            Bad::Panicked(message) => Failure::Panicked { of, seed, message },
            Bad::NotKept(error) => Failure::NotKept(error),
        }))
    }

    /// Simulates until the end; `None` if it was stopped. Adds to `beside` what loading the scenario, building the network and making
    /// the records took.
    fn simulate(&self, scenario: impl Load, seed: u64, cost: f64, beside: &mut Duration) -> Option<End> {
        let began = Instant::now();
        let Some(scenario) = scenario.load() else {
            self.failed.store(true, Ordering::Relaxed);
            return None;
        };
        let duration = scenario.duration;
        let mut simulation = sim::build_with(&scenario, seed, self.limits.engine);
        drop(scenario);
        *beside += began.elapsed();
        let mut slice = Slice { from: Time::ZERO, length: FIRST_SLICE };
        while !simulation.progress().finished() {
            if self.is_to_stop() {
                return None;
            }
            if self.limits.time.is_some_and(|limit| began.elapsed() > limit) {
                let left = duration.as_secs_f64() - simulation.progress().now.as_secs_f64();
                self.sums().work += left / duration.as_secs_f64() * cost;
                return Some(End::OverTime);
            }
            slice = self.step(&mut simulation, slice, cost / duration.as_secs_f64());
        }
        let simulated = Instant::now();
        let records = simulation.finish();
        *beside += simulated.elapsed();
        Some(End::Finished(Box::new(records)))
    }

    /// Simulates one slice. Returns the next one: such that it takes about `SLICE` of real time. After a slice without an event it
    /// begins with the next event.
    fn step(&self, simulation: &mut Simulation, Slice { from, length }: Slice, cost_per_s: f64) -> Slice {
        let before = simulation.progress();
        let started = Instant::now();
        let after = simulation.step(from + length.min(before.end.since(from)));
        let took = started.elapsed();
        let mut sums = self.sums();
        sums.work += after.now.since(before.now).as_secs_f64() * cost_per_s;
        sums.simulation += took;
        sums.events += after.events - before.events;
        let length = if took < SLICE / 2 {
            (length + length).min(LONGEST_SLICE)
        } else if took > SLICE * 2 {
            Span::from_ps(length.as_ps() / 2).max(SHORTEST_SLICE)
        } else {
            length
        };
        Slice { from: if after.events > before.events { after.now } else { simulation.next_event() }, length }
    }

    fn is_to_stop(&self) -> bool {
        self.limits.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        lock(&self.sums)
    }
}

/// What a thread that panicked held was only added to, or counted.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is simulated before the clock is asked: some time after an instant. Up to there nothing happens.
struct Slice {
    from: Time,
    length: Span,
}

/// How long a run takes to notice that it is to stop, roughly.
const SLICE: Duration = Duration::from_millis(50);
const FIRST_SLICE: Span = Span::from_us(100);
const SHORTEST_SLICE: Span = Span::from_us(1);
/// What is quiet now may not be so at the end of a slice: a second of the busiest link takes a fifth of a second. Where routes change, the
/// end of each slice costs the engine as much as thirty segments.
const LONGEST_SLICE: Span = Span::from_secs(4);
/// How often progress is reported.
const TELL_EVERY: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;
