//! What is to be run: scenarios under seeds.

use std::sync::Arc;

use ackclock::scenario::Scenario;

/// What gives the scenario of a run, in the thread that does it.
pub trait Load: Send {
    /// The scenario; `None` if it cannot be had: then no other run begins. The caller of the runs knows why.
    fn load(self) -> Option<Arc<Scenario>>;
}

/// It is there already.
impl Load for Arc<Scenario> {
    fn load(self) -> Option<Arc<Scenario>> {
        Some(self)
    }
}

/// One run.
#[derive(Debug)]
pub struct Job<J, S = Arc<Scenario>> {
    /// What is simulated.
    pub scenario: S,
    /// Under which seed.
    pub seed: u64,
    /// The computing time that it takes, in any unit; only the ratio to other jobs matters.
    pub cost: f64,
    /// What the caller knows it by.
    pub of: J,
}

/// Jobs in the order in which they begin.
#[derive(Debug)]
pub struct Jobs<I> {
    pub(crate) jobs: I,
    /// How many there are, and what they cost together.
    pub(crate) count: usize,
    pub(crate) cost: f64,
}

impl Jobs<()> {
    /// The first `count` seeds of one scenario. Neither jobs nor seeds are kept in memory, and the last job takes the scenario
    /// along, so that the scenario is dropped once the last network is built, if nobody else has it: a large scenario is large in memory.
    pub fn of_seeds(
        scenario: impl Into<Arc<Scenario>>,
        seeds: impl Iterator<Item = u64> + Send,
        count: usize,
    ) -> Jobs<impl Iterator<Item = Job<()>> + Send> {
        let mut scenario = Some(scenario.into());
        let jobs = seeds.take(count).enumerate().map(move |(index, seed)| {
            let scenario = if index + 1 < count { scenario.clone() } else { scenario.take() };
            Job { scenario: scenario.expect("there are no jobs after the last"), seed, cost: 1.0, of: () }
        });
        Jobs { jobs, count, cost: count as f64 }
    }

    /// So many jobs as they come, which cost so much together: made when a thread is free for them, so that their scenarios need
    /// not be in memory all at once. One thread at a time makes a job, so what takes long belongs into [`Load`].
    pub fn as_they_come<J, S, I>(jobs: I, count: usize, cost: f64) -> Jobs<I>
    where
        J: Send,
        S: Load,
        I: Iterator<Item = Job<J, S>> + Send,
    {
        Jobs { jobs, count, cost }
    }

    /// The most expensive jobs first: no long run is left over when the others are done.
    pub fn most_expensive_first<J: Send>(mut jobs: Vec<Job<J>>) -> Jobs<impl Iterator<Item = Job<J>> + Send> {
        jobs.sort_by(|a, b| b.cost.total_cmp(&a.cost));
        Jobs { count: jobs.len(), cost: jobs.iter().map(|job| job.cost).sum(), jobs: jobs.into_iter() }
    }
}
