//! Runs of one scenario under several seeds, on all cores, and the folder of their result; what there is to say goes to standard error.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ackclock::record::Records;
use ackclock::scenario::{Scenario, Technology};
use ackclock::sim::Engine;
use ackclock_run::{Folder, Jobs, Runs, Status, Wanted};
use ackclock_store::document::{Document, ScenarioPart};
use ackclock_store::{Owner, StoreError};

use crate::failure::Failure;
use crate::progress::Reporter;
use crate::{console, editors, interrupt};

/// Runs the scenario once for each of the first `count` seeds, until Ctrl-C. Returns what `keep` makes of the finished runs, in the order
/// of the seeds, and the first failure, which ended the others.
pub fn run_all<T: Send>(
    scenario: impl Into<Arc<Scenario>>,
    seeds: impl Iterator<Item = u64> + Send,
    count: usize,
    engine: Engine,
    keep: impl Fn(Records) -> Result<T, Failure> + Sync,
) -> (Vec<T>, Option<Failure>) {
    let scenario = scenario.into();
    let (name, duration_s) = (scenario.name.clone(), scenario.duration.as_secs_f64());
    let mut reporter = Reporter::new();
    let watch = |status: &Status| {
        reporter.update(status.fraction, |elapsed| describe(status, duration_s, elapsed));
    };
    let jobs = Jobs::of_seeds(scenario, seeds, count);
    let Runs { kept, failure } =
        ackclock_run::run_all(jobs, cores(), engine, interrupt::watch(), watch, |(), records| keep(records));
    reporter.clear();
    // The caller reports what happened to the runs.
    interrupt::keep_finished();
    let failure = failure.map(|failure| match failure {
        ackclock_run::Failure::NotKept(failure) => failure,
        ackclock_run::Failure::Panicked { seed, message, .. } => {
            Failure::defect(format_args!("the run of {name} with seed {seed} failed: {message}"))
        }
    });
    (kept, failure)
}

/// Says how much there is to simulate if that takes minutes. `scenarios` are to be run under so many seeds; `shorter` is the
/// argument for a shorter duration.
pub fn warn_of_work<'a>(scenarios: impl Iterator<Item = &'a Scenario> + Clone, seeds: usize, shorter: &str) {
    let crossings: f64 = scenarios.clone().map(ackclock_run::most_crossings).sum();
    let is_cells = scenarios.into_iter().any(|scenario| matches!(scenario.technology, Technology::Atm { .. }));
    if let Some(note) = work(crossings * seeds as f64, if is_cells { "cells" } else { "packets" }, shorter) {
        console::note(format_args!("{note}"));
    }
}

/// What there is to say of so many units, each counted at every switch port that it crosses.
fn work(crossings: f64, units: &str, shorter: &str) -> Option<String> {
    (crossings >= MUCH_WORK).then(|| {
        format!(
            "note: up to {:.0} million {units} are to be simulated, counted at each switch port that they cross; a shorter \
             duration ({shorter}) or fewer seeds (--seeds) make it less; Ctrl-C stops it",
            crossings / 1e6
        )
    })
}

/// How many runs there are at a time.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

pub fn prepare(path: &Path, part: &ScenarioPart) -> Result<Folder, StoreError> {
    Folder::prepare(path, part, |owner| say_that_it_waits(path, owner))
}

/// Says that the folder may be in use.
pub fn say_that_it_waits(path: &Path, owner: &Owner) {
    console::note(format_args!(
        "process {} on {} used `{}` last: checking for ten seconds whether it still does",
        owner.process,
        owner.machine,
        path.display()
    ));
}

/// Writes the result, with a line in its scenario file by which editors find the schema.
pub fn write(folder: &mut Folder, document: &Document) -> Result<(), StoreError> {
    let head = editors::line_below(folder.path());
    folder.write(document, &head)
}

/// Says where the captures are, if there are any.
pub fn announce_captures(wanted: &Wanted, folder: &Folder) {
    if let Some(captures) = wanted.captures_in(folder.path()) {
        console::note(format_args!("captures in {}, for Wireshark and tcptrace", captures.display()));
    }
}

fn describe(status: &Status, duration_s: f64, elapsed: Duration) -> String {
    let to_simulate_s = duration_s * status.runs as f64;
    let being_written = match status.being_kept {
        0 => String::new(),
        runs => format!(", {runs} being written"),
    };
    format!(
        "{} of {} runs, {:.1} of {to_simulate_s:.1} s simulated{being_written}, {:.1} M events/s",
        status.finished,
        status.runs,
        status.simulated * to_simulate_s,
        status.events as f64 / elapsed.as_secs_f64() / 1e6,
    )
}

/// A core takes minutes for so many packets or cells at ports.
const MUCH_WORK: f64 = 2e9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_minutes_is_announced() {
        assert_eq!(work(1.999_999e9, "cells", "--duration"), None);
        assert!(work(2e9, "cells", "--duration").is_some());
        let said = work(3.4567e10, "packets", "--duration").unwrap();
        assert!(said.starts_with("note: up to 34567 million packets are to be simulated"), "{said}");
        assert!(said.contains("(--duration)") && !said.contains('\n'), "{said}");
    }
}
