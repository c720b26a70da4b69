//! What is known of a run, and what to think of it.

use std::time::Duration;

use ackclock::record::{Histogram, Records};
use ackclock::units::Time;

use crate::exact::{Disturbed, Limits, Share};

use super::verdict::{self, Evidence, Outside, Verdict};
use super::wait::Scheduling;

/// What the emulator knows of a run, and what its ends have added.
#[derive(Clone, Debug)]
pub struct Emulated {
    /// The records of ports and links, and what was seen of flows.
    pub records: Records,
    /// How much later than in the scenario each packet was written to the device of its host.
    pub lateness: Histogram,
    /// How much later than at once hosts have acknowledged what they must, and their programs have sent what was due.
    pub host_lateness: Histogram,
    /// For which part of their time flows have felt single pauses.
    pub felt: Share,
    /// What lateness is compared with.
    pub limits: Limits,
    /// What was counted that nothing of the scenario explains.
    pub outside: Outside,
    /// What to think of the run.
    pub verdict: Verdict,
    /// Why, if it is not valid.
    pub reasons: Vec<String>,
    /// How the thread was scheduled.
    pub scheduling: Scheduling,
    /// How long a processor worked for the thread, waiting for the last microseconds before an instant included, and what the kernel
    /// does with the packets that are written.
    pub processor: Duration,
    disturbed: Disturbed,
    /// When each flow began and ended.
    times: Vec<(Time, Time)>,
}

/// What was measured between hosts.
pub(super) struct Measured {
    pub(super) lateness: Histogram,
    pub(super) host_lateness: Histogram,
    pub(super) limits: Limits,
    pub(super) disturbed: Disturbed,
    pub(super) times: Vec<(Time, Time)>,
    pub(super) outside: Outside,
    pub(super) scheduling: Scheduling,
}

/// What is known where packets are sent, and not between hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfEnds {
    /// Datagrams that the kernel has refused.
    pub(crate) refused: u64,
    /// How much later than it was due programs have sent something.
    pub(crate) lateness: Histogram,
    /// Of flows the same.
    pub(crate) disturbed: Disturbed,
    /// Of each flow the part of its time in which its program had not written what there was room for; of those where it had not.
    pub(crate) starved: Vec<(String, f64)>,
}

impl Emulated {
    /// Judges a run.
    pub(super) fn new(records: Records, measured: Measured, processor: Duration) -> Emulated {
        let Measured { lateness, host_lateness, limits, disturbed, times, outside, scheduling } = measured;
        let (verdict, reasons, felt) = (Verdict::Valid, Vec::new(), Share::default());
        let mut emulated = Emulated {
            records,
            lateness,
            host_lateness,
            felt,
            limits,
            outside,
            verdict,
            reasons,
            scheduling,
            processor,
            disturbed,
            times,
        };
        emulated.judge(&[]);
        emulated
    }

    /// Adds what the ends of connections know, and judges once more.
    pub(crate) fn add(&mut self, ends: &OfEnds) {
        self.outside.refused += ends.refused;
        self.host_lateness.merge(&ends.lateness);
        self.disturbed.merge(&ends.disturbed);
        self.judge(&ends.starved);
    }

    fn judge(&mut self, starved: &[(String, f64)]) {
        self.felt = self.disturbed.share(&self.times);
        (self.verdict, self.reasons) = verdict::judge(&Evidence {
            limits: &self.limits,
            lateness: &self.lateness,
            host_lateness: &self.host_lateness,
            felt: self.felt,
            starved,
            outside: &self.outside,
            scheduling: &self.scheduling,
        });
    }
}
