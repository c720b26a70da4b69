//! How far the runs are.

use std::time::Duration;

/// What is shown at most while something is left to do.
pub const ALMOST: f64 = 0.99;

/// How far the runs are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// All runs.
    pub runs: usize,
    /// Runs that are finished and kept.
    pub finished: usize,
    /// Runs that are simulated to the end, and whose records are made or kept.
    pub being_kept: usize,
    /// The part of the simulation that is done, 0 to 1, by the costs of the jobs.
    pub simulated: f64,
    /// The part of all work that is done, 0 to 1: building networks, making records and keeping them included.
    pub fraction: f64,
    /// Events of all runs.
    pub events: u64,
}

/// Sums over all runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// What was simulated, in the unit of the costs.
    pub work: f64,
    pub events: u64,
    /// Time that simulation took.
    pub simulation: Duration,
    /// Runs that were simulated to the end, and those of them that were kept.
    pub simulated: usize,
    pub kept: usize,
    /// The time to build the networks of those that were kept, to make their records and to keep them.
    pub beside: Duration,
}

impl Sums {
    /// Of so many runs, which cost so much together.
    pub fn status(&self, runs: usize, cost: f64) -> Status {
        let simulated = if cost > 0.0 { (self.work / cost).min(1.0) } else { 0.0 };
        Status {
            runs,
            finished: self.kept,
            being_kept: self.simulated.saturating_sub(self.kept),
            simulated,
            fraction: self.fraction(simulated, runs),
            events: self.events,
        }
    }

    /// The part of the work that is done if this part of the simulation is. Building networks, making records and keeping them takes
    /// as long for each run as it took for those before.
    fn fraction(&self, simulated: f64, runs: usize) -> f64 {
        if self.kept >= runs {
            return 1.0;
        }
        if simulated <= 0.0 {
            return 0.0;
        }
        let (simulation, beside) = (self.simulation.as_secs_f64(), self.beside.as_secs_f64());
        let all_beside = if self.kept > 0 { beside / self.kept as f64 * runs as f64 } else { 0.0 };
        let all = (simulation / simulated + all_beside).max(NANOSECOND);
        ((simulation + beside) / all).min(ALMOST)
    }
}

const NANOSECOND: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_work_of_their_own() {
        let mut sums = Sums::default();
        assert_eq!(sums.status(2, 2.0).fraction, 0.0);
        // The first of two runs took 3 s to simulate; what its records take is not known yet.
        sums.work = 1.0;
        sums.simulation = Duration::from_secs(3);
        sums.simulated = 1;
        assert_eq!(sums.status(2, 2.0).fraction, 0.5);
        assert_eq!(sums.status(2, 2.0).being_kept, 1);
        // They took 2 s: 5 of 10 s are done, and when the other has been simulated too, 8 of 10.
        sums.kept = 1;
        sums.beside = Duration::from_secs(2);
        assert_eq!(sums.status(2, 2.0).fraction, 0.5);
        sums.work = 2.0;
        sums.simulation = Duration::from_secs(6);
        assert_eq!(sums.status(2, 2.0).fraction, 0.8);
        sums.kept = 2;
        assert_eq!(sums.status(2, 2.0).fraction, 1.0);
    }

    #[test]
    fn a_run_whose_records_are_not_kept_is_not_done() {
        let sums = Sums { work: 1.0, simulation: Duration::from_secs(1), ..Sums::default() };
        assert_eq!(sums.status(1, 1.0).fraction, ALMOST);
    }
}
