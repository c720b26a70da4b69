//! The kernel of this machine, for the live part of studies.

use std::sync::atomic::{AtomicBool, Ordering};

use ackclock::scenario::Scenario;
use ackclock::units::Time;
use ackclock_live::session::{Choices, Live};
use ackclock_live::{LiveError, emulator, machine};
use ackclock_study::{Exactness, Kernel, KernelError, LiveRun};

use crate::failure::Failure;

/// That of this machine.
pub struct ThisKernel;

/// The kernel of this machine. What it lacks is said where something is asked of it.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
pub fn kernel() -> Result<ThisKernel, Failure> {
    Ok(ThisKernel)
}

impl Kernel for ThisKernel {
    fn differences(&self, scenario: &Scenario) -> Result<Vec<String>, KernelError> {
        Ok(Live::new(scenario).map_err(of_error)?.settings().differences.clone())
    }

    fn run(
        &self,
        scenario: &Scenario,
        seed: u64,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Option<LiveRun>, KernelError> {
        let live = Live::new(scenario).map_err(of_error)?;
        let duration = scenario.duration.as_secs_f64();
        let mut watch = |now: Time| watch(now.as_secs_f64() / duration);
        let choices = Choices { until_delivered: true, ..Choices::default() };
        let outcome = live.run(seed, choices, stop, &mut watch).map_err(of_error)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let emulated = outcome.emulated;
        let [late] = emulated.lateness.quantiles([999]);
        let exactness = Exactness {
            kernel: machine::kernel(),
            reasons: emulated.reasons,
            problems: outcome.problems,
            late_p999_s: late.map(|late| late.as_secs_f64()),
            differences: Vec::new(),
        };
        let is_invalid = emulated.verdict == emulator::Verdict::Invalid;
        Ok(Some(LiveRun { records: emulated.records, is_invalid, exactness }))
    }
}

fn of_error(error: LiveError) -> KernelError {
    KernelError { message: error.to_string(), help: error.help().to_owned() }
}
