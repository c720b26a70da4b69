//! Scenario in, records out.

use crate::record::Records;
use crate::scenario::Scenario;
use crate::units::Time;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Everything before this instant has happened.
    pub now: Time,
    /// The end of the scenario.
    pub end: Time,
    /// Events handled: one per cell (or packet) and hop, and one per timer.
    pub events: u64,
}

impl Progress {
    /// Whether there is nothing left to do.
    pub fn finished(&self) -> bool {
        self.now >= self.end
    }
}

/// Number that changes whenever any golden result changes.
pub const RESULT_VERSION: u32 = 1;

/// One run of one scenario under one seed.
pub struct Simulation {}

/// Builds a run. It cannot fail: a [`Scenario`] is valid.
pub fn build(_scenario: &Scenario, _seed: u64) -> Simulation {
    unimplemented!()
}

impl Simulation {
    /// Handles every event before `until` (at most to the end of the scenario).
    pub fn step(&mut self, _until: Time) -> Progress {
        unimplemented!()
    }
    /// How far the run is.
    pub fn progress(&self) -> Progress {
        unimplemented!()
    }
    /// Ends the run here: further steps do nothing, and the records say that it is not complete.
    pub fn cancel(&mut self) {
        unimplemented!()
    }
    /// Whether the seed can make any difference to this scenario.
    pub fn has_randomness(&self) -> bool {
        unimplemented!()
    }
    /// The records up to now.
    pub fn records(&self) -> Records {
        unimplemented!()
    }
}
