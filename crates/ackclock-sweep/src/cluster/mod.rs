//! Runs of a sweep that other processes do: on a cluster, of whatever kind. [`run_missing_on`] hands out chunks of runs and keeps the rows as
//! they come, in the same store as runs that are done here; [`work`] is what a worker does. What the cluster is made of is behind
//! [`Cluster`], which has three functions.

mod files;
mod task;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::time::Duration;

use ackclock_run::{ALMOST, Status};

use crate::check::Checked;
use crate::error::Error;
use crate::run::{Options, Todo, todo};
use crate::store::Store;

pub use files::Recording;
pub use task::{Task, work};

/// A cluster: processes that do chunks of work, which may be lost.
pub trait Cluster: Send {
    /// Gives all workers, of now and later, what the chunks of a sweep have in common. Returns how many chunks are done at a time.
    ///
    /// # Errors
    /// If the cluster cannot be reached: what is wrong.
    fn begin(&mut self, task: &str) -> Result<usize, String>;

    /// Hands out a chunk: some worker is to call [`work`] with the task and this text.
    ///
    /// # Errors
    /// If the cluster cannot be reached any more.
    fn submit(&mut self, number: u64, chunk: &str) -> Result<(), String>;

    /// Waits at most so long until a chunk is done, and returns its number and what `work` returned; an error of its own where no worker did
    /// it: that is done again.
    ///
    /// # Errors
    /// If the cluster cannot be reached any more.
    fn next(&mut self, patience: Duration) -> Result<Option<Ended>, String>;
}

/// The number of a chunk, and what [`work`] returned, or why no worker did it.
pub type Ended = (u64, Result<String, String>);

/// Gives the cluster at an address, as `dask://scheduler:8786`; an error says why there is none.
pub type Connect = dyn Fn(&str) -> Result<Box<dyn Cluster>, String>;

/// Does the runs of the shard that are not in the store on a cluster, and keeps each as its chunk ends. A chunk that a lost worker had is
/// done again. Returns how many runs ended; fewer than were missing if it was stopped.
///
/// # Errors
/// If the cluster cannot be reached any more, if a worker is of another version, or if a run cannot be kept; what was finished until
/// then is kept.
pub fn run_missing_on(
    cluster: &mut dyn Cluster,
    task: &Task,
    checked: &Checked,
    store: &Store,
    options: &Options<'_>,
    mut watch: impl FnMut(&Status),
) -> Result<usize, Error> {
    let todo = todo(checked, store, options);
    let mut chunks = Chunks::of(todo, checked);
    let slots = cluster.begin(&task.text()).map_err(unreachable)?.max(1);
    let done = (|| {
        while !chunks.are_done() && !options.stop.load(Ordering::Relaxed) {
            // A worker that ends a chunk has the next one already.
            while chunks.under_way.len() < 2 * slots
                && let Some((number, text)) = chunks.next(slots)
            {
                cluster.submit(number, &text).map_err(unreachable)?;
            }
            let ended = cluster.next(PATIENCE).map_err(unreachable)?;
            if let Some((number, outcome)) = ended {
                chunks.end(number, outcome, store)?;
            }
            watch(&chunks.status());
        }
        Ok(chunks.ended)
    })();
    store.sync()?;
    done
}

fn unreachable(wrong: String) -> Error {
    Error::Cluster {
        wrong,
        help: "finished runs are kept: run the same sweep again, on a cluster that is there or on this machine".into(),
    }
}

/// The runs, in chunks that take some seconds each: the sizes follow how long those before took.
struct Chunks<'a> {
    checked: &'a Checked,
    open: VecDeque<Todo>,
    under_way: BTreeMap<u64, Given>,
    /// Chunks that were lost, and how often.
    lost: VecDeque<Given>,
    next: u64,
    runs: usize,
    cost: f64,
    ended: usize,
    /// The cost of the runs that ended, and how many seconds of computing they took.
    done: f64,
    seconds: f64,
}

/// A chunk that a worker has.
struct Given {
    runs: Vec<Todo>,
    times: usize,
}

impl<'a> Chunks<'a> {
    fn of(todo: Vec<Todo>, checked: &'a Checked) -> Chunks<'a> {
        let (runs, cost) = (todo.len(), todo.iter().map(|todo| todo.cost).sum());
        let (under_way, lost) = Default::default();
        Chunks { checked, open: todo.into(), under_way, lost, next: 0, runs, cost, ended: 0, done: 0.0, seconds: 0.0 }
    }

    fn are_done(&self) -> bool {
        self.open.is_empty() && self.under_way.is_empty() && self.lost.is_empty()
    }

    /// The next chunk, if there is anything left to hand out: first what was lost.
    fn next(&mut self, slots: usize) -> Option<(u64, String)> {
        let given = self.lost.pop_front().or_else(|| {
            let first = self.open.pop_front()?;
            let (mut runs, mut cost) = (vec![first], first.cost);
            let most = self.most_cost(slots);
            while let Some(next) = self.open.front().filter(|next| cost + next.cost <= most && runs.len() < MOST_RUNS) {
                cost += next.cost;
                runs.push(*next);
                self.open.pop_front();
            }
            Some(Given { runs, times: 0 })
        })?;
        self.next += 1;
        let text = task::chunk(self.checked, &given.runs);
        self.under_way.insert(self.next, given);
        Some((self.next, text))
    }

    /// How much the runs of a chunk may cost. The first chunks are single runs, which say how long others take; the last are small, so
    /// that all workers end at about the same time.
    fn most_cost(&self, slots: usize) -> f64 {
        if self.seconds <= 0.0 {
            return 0.0;
        }
        let left: f64 = self.open.iter().map(|todo| todo.cost).sum();
        let in_time = CHUNK_SECONDS * self.done / self.seconds;
        in_time.min(left / (PARTS * slots) as f64)
    }

    /// Takes what became of a chunk.
    fn end(&mut self, number: u64, outcome: Result<String, String>, store: &Store) -> Result<(), Error> {
        if number > self.next {
            let wrong = format!("the cluster returned chunk {number}, which was not handed out");
            return Err(unreachable(wrong));
        }
        // What was handed out again may come twice.
        let Some(given) = self.under_way.remove(&number) else { return Ok(()) };
        let text = match outcome {
            Ok(text) => text,
            Err(_) if given.times + 1 < MOST_TIMES => {
                self.lost.push_back(Given { times: given.times + 1, ..given });
                return Ok(());
            }
            Err(why) => {
                let wrong = format!("workers of the cluster were lost {MOST_TIMES} times with the same runs: {why}");
                return Err(unreachable(wrong));
            }
        };
        let (rows, seconds) = task::rows(&text)?;
        for (run, row) in rows {
            // Nothing but what was handed out.
            if given.runs.iter().any(|given| given.run == run) {
                store.keep(run, row)?;
                self.ended += 1;
            }
        }
        self.seconds += seconds;
        self.done += given.runs.iter().map(|todo| todo.cost).sum::<f64>();
        Ok(())
    }

    fn status(&self) -> Status {
        let simulated = if self.cost > 0.0 { (self.done / self.cost).min(1.0) } else { 1.0 };
        let fraction = if self.are_done() { 1.0 } else { simulated.min(ALMOST) };
        Status { runs: self.runs, finished: self.ended, being_kept: 0, simulated, fraction, events: 0 }
    }
}

/// What a chunk takes, if there are runs enough.
const CHUNK_SECONDS: f64 = 10.0;
/// Into so many chunks for each worker what is left is divided at least.
const PARTS: usize = 3;
const MOST_RUNS: usize = 10_000;
/// A chunk with which so many workers were lost is not handed out again.
const MOST_TIMES: usize = 4;
/// How long to wait for a chunk before looking at what else there is.
const PATIENCE: Duration = Duration::from_millis(100);
