//! The runs of a plan that are missing, then the verdicts.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ackclock::record::Records;
use ackclock::sim::Engine;
use ackclock_run::{Failure, Job, Jobs};

use crate::error::Error;
use crate::kernel::Kernel;
use crate::measure::Row;
use crate::plan::{Plan, Planned};
use crate::progress::{Progress, Status};
use crate::report::Report;
use crate::stored_result::StoredRuns;
use crate::study::Study;
use crate::{figure, live};

/// How `reproduce` ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one per command")]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Outcome {
    /// Every run is there.
    Finished(Report),
    /// It was asked to stop when so many runs of the plan were finished. They are kept: the same call goes on from there.
    Stopped { finished: usize, total: usize },
}

/// Runs what is not yet in `folder` on `threads` threads, then judges. Writes `runs.jsonl`, `report.json`, `report.txt`
/// and `report.html` there. Ends soon after `stop` becomes true. What comes out depends neither on the engine, nor on the number of
/// threads, nor on what was reused.
pub fn reproduce(
    study: &Study,
    plan: &Plan,
    engine: Engine,
    folder: &Path,
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let mut stored = StoredRuns::open(folder, progress)?;
    let finished = run_missing(plan, engine, &mut stored, threads, stop, progress)?;
    stored.sync()?;
    judge(study, plan, engine, stored, threads, stop, finished)
}

/// The same for the part of a study that runs live: the simulations beside it first, on `threads` threads, then its live runs on
/// `kernel`, `at_once` at a time. One that measured the machine is made again.
///
/// # Errors
/// As of [`reproduce`]; and if the kernel cannot do what is asked, before anything is run, or if runs stay invalid. What is finished
/// is kept.
pub fn reproduce_live(
    study: &Study,
    plan: &Plan,
    (kernel, at_once): (&dyn Kernel, usize),
    folder: &Path,
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    live::announce(plan, kernel, progress)?;
    let engine = Engine::default();
    let mut stored = StoredRuns::open(folder, progress)?;
    let mut finished = run_missing(plan, engine, &mut stored, threads, stop, progress)?;
    if !stop.load(Ordering::Relaxed) {
        finished = live::run_missing(plan, kernel, at_once, &mut stored, stop, progress, finished)?;
    }
    stored.sync()?;
    judge(study, plan, engine, stored, threads, stop, finished)
}

/// Writes what came out, if all runs of the plan are there.
fn judge(
    study: &Study,
    plan: &Plan,
    engine: Engine,
    mut stored: StoredRuns,
    threads: usize,
    stop: &AtomicBool,
    finished: usize,
) -> Result<Outcome, Error> {
    if finished < plan.runs() {
        return Ok(Outcome::Stopped { finished, total: plan.runs() });
    }
    let report = Report::new(study, &plan.scope, &|point, seed| {
        stored.run(&plan.key(point, seed)).expect("every run of the plan is there")
    });
    let Some(figures) = figure::draw(study, &plan.scope, engine, threads, stop)? else {
        return Ok(Outcome::Stopped { finished, total: plan.runs() });
    };
    let command = plan.scope.command(study);
    report.write(stored.folder(), &figures, &command)?;
    stored.note_mended()?;
    Ok(Outcome::Finished(report))
}

/// What `keep` and the progress share.
struct Shared<'a> {
    stored: &'a mut StoredRuns,
    status: Status,
}

/// Brings the ledger up to the plan, but for live runs; how many runs of the plan it has in the end.
fn run_missing<'p>(
    plan: &'p Plan,
    engine: Engine,
    stored: &mut StoredRuns,
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<usize, Error> {
    let job = |(planned, seed): (&'p Planned, u64)| Job {
        scenario: planned.scenario.clone(),
        seed,
        cost: planned.cost(),
        of: planned,
    };
    let missing = plan.missing(|key| stored.run(key));
    let lacking = missing.iter().filter(|(planned, seed)| stored.run(&planned.key(*seed)).is_some()).count();
    if lacking > 0 {
        progress.noted(&match lacking {
            1 => "1 kept run lacks a metric that a card judges or shows: it is run again".to_owned(),
            more => format!("{more} kept runs lack a metric that a card judges or shows: they are run again"),
        });
    }
    let reused = plan.runs() - missing.len();
    if !missing.is_empty() {
        stored.folder().note_incomplete()?;
    }
    let simulated = missing.iter().filter(|(planned, _)| !planned.point.live);
    let missing: Vec<Job<&Planned>> = simulated.copied().map(job).collect();
    let part = if plan.live_runs().next().is_some() { live::BEFORE } else { 1.0 };
    let fraction = if missing.is_empty() { part } else { 0.0 };
    let shared = Mutex::new(Shared {
        stored,
        status: Status { runs_finished: reused, runs_reused: reused, runs: plan.runs(), fraction },
    });
    let advance = |change: &dyn Fn(&mut Status)| {
        let status = &mut lock(&shared).status;
        change(status);
        progress.advanced(status);
    };
    advance(&|_| {});
    let watch = |runs: &ackclock_run::Status| advance(&|status| status.fraction = part * runs.fraction);
    let keep = |planned: &&Planned, records: Records| {
        let run = Row::of(&records, &planned.scenario, &plan.metrics);
        lock(&shared).stored.append(planned.key(records.seed), run)?;
        advance(&|status| status.runs_finished += 1);
        Ok(())
    };
    let jobs = Jobs::most_expensive_first(missing);
    match ackclock_run::run_all(jobs, threads, engine, stop, watch, keep).failure {
        Some(Failure::NotKept(error)) => Err(error),
        Some(Failure::Panicked { of: Planned { point, .. }, seed, message }) => {
            Err(Error::Run { file: point.scenario.clone(), sets: point.sets.clone(), seed, message })
        }
        None => Ok(lock(&shared).status.runs_finished),
    }
}

/// A thread that panicked while it held the lock did so in the caller's progress bar; the ledger is whole.
fn lock<'a, T>(mutex: &'a Mutex<T>) -> MutexGuard<'a, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ackclock_store::Ledger;

    use super::*;
    use crate::plan::Selection;
    use crate::progress::Quiet;

    /// Three short runs.
    fn figures() -> (Study, Plan) {
        let study = Study::load("sack-ubr").unwrap();
        let plan = study.plan(&Selection { card: Some("figures".into()), ..Selection::default() }).unwrap();
        assert_eq!(plan.runs(), 3);
        (study, plan)
    }

    fn finished(outcome: Outcome) -> Report {
        match outcome {
            Outcome::Finished(report) => report,
            Outcome::Stopped { .. } => panic!("nobody asked it to stop"),
        }
    }

    /// Remembers the last status, and stops after some runs.
    struct Watch<'a> {
        last: Mutex<Option<Status>>,
        notes: Mutex<Vec<String>>,
        stop: &'a AtomicBool,
        stop_after: usize,
    }

    impl Progress for Watch<'_> {
        fn advanced(&self, status: &Status) {
            *self.last.lock().unwrap() = Some(*status);
            if status.runs_finished >= self.stop_after {
                self.stop.store(true, Ordering::Relaxed);
            }
        }

        fn noted(&self, note: &str) {
            self.notes.lock().unwrap().push(note.to_owned());
        }
    }

    #[test]
    fn the_report_depends_neither_on_engine_and_threads_nor_on_what_was_reused() {
        let (study, plan) = figures();
        let go = AtomicBool::new(false);
        let one = tempfile::tempdir().unwrap();
        let first = finished(reproduce(&study, &plan, Engine::default(), one.path(), 1, &go, &Quiet).unwrap());
        let many = tempfile::tempdir().unwrap();
        let second = finished(reproduce(&study, &plan, Engine::Reference, many.path(), 8, &go, &Quiet).unwrap());
        assert_eq!(first, second);

        let ledger = fs::read(one.path().join("runs.jsonl")).unwrap();
        let watch = Watch { last: Mutex::new(None), notes: Mutex::default(), stop: &go, stop_after: usize::MAX };
        let again = finished(reproduce(&study, &plan, Engine::default(), one.path(), 2, &go, &watch).unwrap());
        assert_eq!(first, again);
        let status = watch.last.into_inner().unwrap().unwrap();
        assert_eq!((status.runs_reused, status.runs_finished, status.runs), (3, 3, 3));
        assert_eq!(status.fraction, 1.0);
        assert_eq!(fs::read(one.path().join("runs.jsonl")).unwrap(), ledger);

        assert_eq!(fs::read_to_string(one.path().join("report.txt")).unwrap(), first.text());
        assert_eq!(fs::read_to_string(one.path().join("report.json")).unwrap(), first.json());
        let page = fs::read_to_string(one.path().join("report.html")).unwrap();
        for part in ["<title>", "figure-4-cwnd", "ackclock reproduce sack-ubr/figures", "verdict good"] {
            assert!(page.contains(part), "no {part} on the page");
        }
        // The ledger, three reports, and the marker of the folder.
        assert_eq!(fs::read_dir(one.path()).unwrap().count(), 5);
    }

    #[test]
    fn what_is_stopped_goes_on_where_it_was() {
        let (study, plan) = figures();
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let watch = Watch { last: Mutex::new(None), notes: Mutex::default(), stop: &stop, stop_after: 1 };
        let outcome = reproduce(&study, &plan, Engine::default(), folder.path(), 1, &stop, &watch).unwrap();
        assert_eq!(outcome, Outcome::Stopped { finished: 1, total: 3 });
        assert!(!folder.path().join("report.json").exists());

        let go = AtomicBool::new(false);
        let watch = Watch { last: Mutex::new(None), notes: Mutex::default(), stop: &go, stop_after: usize::MAX };
        let report = finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &watch).unwrap());
        let status = watch.last.into_inner().unwrap().unwrap();
        assert_eq!((status.runs_reused, status.runs_finished), (1, 3));

        let whole = tempfile::tempdir().unwrap();
        assert_eq!(
            finished(reproduce(&study, &plan, Engine::default(), whole.path(), 2, &go, &Quiet).unwrap()),
            report
        );
    }

    #[test]
    fn what_a_kill_left_of_a_line_is_run_again() {
        let (study, plan) = figures();
        let folder = tempfile::tempdir().unwrap();
        let go = AtomicBool::new(false);
        let first = finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &Quiet).unwrap());
        let file = folder.path().join("runs.jsonl");
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 10]).unwrap();
        let watch = Watch { last: Mutex::new(None), notes: Mutex::default(), stop: &go, stop_after: usize::MAX };
        assert_eq!(
            finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &watch).unwrap()),
            first
        );
        assert_eq!(watch.last.into_inner().unwrap().unwrap().runs_reused, 2);
        let notes = watch.notes.into_inner().unwrap();
        assert!(
            notes.len() == 1 && notes[0].contains("the last line was incomplete; these runs are done again"),
            "{notes:?}"
        );
    }

    #[test]
    fn a_changed_digit_in_the_ledger_is_named_and_its_run_done_again() {
        let (study, plan) = figures();
        let folder = tempfile::tempdir().unwrap();
        let go = AtomicBool::new(false);
        let first = finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &Quiet).unwrap());
        let file = folder.path().join("runs.jsonl");
        let whole = fs::read_to_string(&file).unwrap();
        let number = "\"sum(goodput)\":";
        let at = whole.rfind(number).unwrap() + number.len();
        let digit = if &whole[at..=at] == "7" { "8" } else { "7" };
        fs::write(&file, [&whole[..at], digit, &whole[at + 1..]].concat()).unwrap();
        let watch = Watch { last: Mutex::new(None), notes: Mutex::default(), stop: &go, stop_after: usize::MAX };
        let again = finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &watch).unwrap());
        assert_eq!(again, first);
        assert_eq!(watch.last.into_inner().unwrap().unwrap().runs_reused, 2);
        let notes = watch.notes.into_inner().unwrap();
        assert!(notes.len() == 1 && notes[0].contains("runs.jsonl`: 1 line (3) does not match"), "{notes:?}");
    }

    /// A run that was kept for other metrics, as of an earlier state of the study.
    #[test]
    fn a_kept_run_that_lacks_a_metric_is_run_again_and_no_other() {
        let (study, plan) = figures();
        let folder = tempfile::tempdir().unwrap();
        let go = AtomicBool::new(false);
        let first = finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &Quiet).unwrap());
        let (mut ledger, runs, _) = Ledger::open::<Row>(&folder.path().join("runs.jsonl")).unwrap();
        let (key, row) = runs.first_key_value().unwrap();
        let needed = plan.scenarios[0].needed.first().unwrap();
        let mut values = row.values.clone();
        assert!(values.remove(needed).is_some(), "{needed}");
        ledger.append(key, &Row { values, ..row.clone() }).unwrap();
        drop(ledger);
        let watch = Watch { last: Mutex::new(None), notes: Mutex::default(), stop: &go, stop_after: usize::MAX };
        let again = finished(reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &watch).unwrap());
        assert_eq!(again, first);
        assert_eq!(watch.last.into_inner().unwrap().unwrap().runs_reused, 2);
        let notes = watch.notes.into_inner().unwrap();
        assert_eq!(notes, ["1 kept run lacks a metric that a card judges or shows: it is run again"]);
    }

    #[test]
    fn files_of_the_user_are_not_replaced_by_reports() {
        let (study, plan) = figures();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("report.txt"), "of the user").unwrap();
        let go = AtomicBool::new(false);
        let refused = reproduce(&study, &plan, Engine::default(), folder.path(), 1, &go, &Quiet);
        assert!(matches!(refused, Err(Error::Store(_))), "{refused:?}");
        assert_eq!(fs::read_to_string(folder.path().join("report.txt")).unwrap(), "of the user");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
