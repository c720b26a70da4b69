//! The live parts of studies, with a kernel that simulates.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::Time;

use crate::kernel::TRIES;
use crate::plan::Plan;
use crate::study::Study;
use crate::{
    Error, Exactness, Kernel, KernelError, LiveRun, Outcome, Progress, Quiet, Report, Selection, Status, live_names,
    names, reproduce_live,
};

/// A kernel that simulates, and counts what it is asked for. Some runs of the beginning are invalid.
#[derive(Default)]
struct Simulated {
    invalid: usize,
    asked: AtomicUsize,
    begun: AtomicUsize,
    at_once: AtomicUsize,
    /// So many at a time were the most.
    most: AtomicUsize,
    seeds: Mutex<Vec<u64>>,
}

impl Kernel for Simulated {
    fn differences(&self, _scenario: &Scenario) -> Result<Vec<String>, KernelError> {
        Ok(vec!["it has no RACK".into()])
    }

    fn run(
        &self,
        scenario: &Scenario,
        seed: u64,
        _stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Option<LiveRun>, KernelError> {
        let others = self.at_once.fetch_add(1, Ordering::Relaxed);
        self.most.fetch_max(others + 1, Ordering::Relaxed);
        watch(0.5);
        let mut simulation = sim::build(scenario, seed);
        simulation.step(Time::ZERO + scenario.duration);
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        self.seeds.lock().unwrap().push(seed);
        self.at_once.fetch_sub(1, Ordering::Relaxed);
        let exactness = Exactness { kernel: "Linux 6".into(), late_p999_s: Some(0.002), ..Exactness::default() };
        Ok(Some(LiveRun { records: simulation.finish(), is_invalid: asked < self.invalid, exactness }))
    }
}

fn sharing() -> (Study, Plan) {
    let study = Study::load_live("vegas-a").unwrap();
    let selection = Selection { card: Some("sharing".into()), seeds: Some(2), ..Selection::default() };
    let plan = study.plan(&selection).unwrap();
    assert_eq!((plan.runs(), plan.live_runs().count()), (8, 4));
    (study, plan)
}

fn finished(outcome: Outcome) -> Report {
    let Outcome::Finished(report) = outcome else { panic!("nobody asked it to stop") };
    report
}

#[test]
fn the_live_parts_of_studies_fit_together() {
    assert_eq!(live_names(), ["testbed", "vegas-a"]);
    for name in live_names() {
        let study = Study::load_live(name).unwrap();
        assert_eq!((study.name(), study.folder_name()), (name, format!("{name}-live")));
        // Scenarios are accepted, each is simulated too, and there are five runs of each for a confidence interval.
        let plan = study.plan(&Selection::default()).unwrap();
        assert!(2 * plan.live_runs().count() <= plan.runs(), "{name}");
        assert!(plan.scenarios.iter().all(|planned| planned.seeds >= 5), "{name}");
        let quick = study.plan(&Selection { quick: true, ..Selection::default() }).unwrap();
        assert!(quick.live_runs().count() > 0, "{name}");
    }
    for name in names() {
        let study = Study::load(name).unwrap();
        let plan = study.plan(&Selection { quick: true, ..Selection::default() }).unwrap();
        assert_eq!((plan.live_runs().count(), study.folder_name()), (0, name.to_owned()));
    }
    let refused = Study::load_live("sd-plus").unwrap_err();
    assert!(refused.to_string().contains("of these something does: testbed, vegas-a"), "{refused}");
    assert!(matches!(Study::load_live("ubr-sack"), Err(Error::UnknownStudy { .. })));
}

#[test]
fn live_runs_stand_beside_simulated_ones_and_never_take_their_place() {
    let (study, plan) = sharing();
    let (kernel, go, folder) = (Simulated::default(), AtomicBool::new(false), tempfile::tempdir().unwrap());
    let report = finished(reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 2, &go, &Quiet).unwrap());
    assert_eq!(kernel.most.load(Ordering::Relaxed), 1, "live runs are never at the same time if it is not asked for");
    // The first seed of everything before the second of anything.
    assert_eq!(*kernel.seeds.lock().unwrap(), [1, 1, 2, 2]);
    let live = report.live.as_ref().unwrap();
    assert_eq!((live.runs, live.degraded, &live.kernels[..]), (4, 0, &["Linux 6".to_owned()][..]));
    assert_eq!(live.differences, ["it has no RACK"]);
    let text = report.text();
    for part in ["4 runs were live, on Linux 6", "late by 2.0 ms at most", "it has no RACK", "Vegas-A, live"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(std::fs::read_to_string(folder.path().join("report.html")).unwrap().contains("it has no RACK"));
    // Everything is kept.
    let again = finished(reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 2, &go, &Quiet).unwrap());
    assert_eq!((again, kernel.asked.load(Ordering::Relaxed)), (report, 4));
    let mut findings = ackclock_store::Findings::default();
    let marked = ackclock_store::Marked::open(folder.path(), &mut findings).unwrap().unwrap();
    findings.append(crate::verify(&marked));
    assert_eq!(findings.all(), []);
}

#[test]
fn a_run_that_measures_the_machine_is_made_again_a_few_times_and_never_kept() {
    let (study, plan) = sharing();
    let (go, folder) = (AtomicBool::new(false), tempfile::tempdir().unwrap());
    let kernel = Simulated { invalid: TRIES + 1, ..Simulated::default() };
    let refused = reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 2, &go, &Quiet).unwrap_err();
    assert!(refused.to_string().starts_with("1 of 8 runs were invalid 3 times"), "{refused}");
    // The first three times, the second twice, the others once.
    assert_eq!(kernel.asked.load(Ordering::Relaxed), TRIES + 2 + 2);
    let kernel = Simulated::default();
    finished(reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 2, &go, &Quiet).unwrap());
    assert_eq!(*kernel.seeds.lock().unwrap(), [1], "the others are kept");
}

/// A kernel each of whose runs, by its number, waits until this holds, or ends without a result when it is stopped.
struct Waits<F>(Simulated, F);

impl<F: Fn(&Simulated, usize) -> bool + Sync> Kernel for Waits<F> {
    fn differences(&self, scenario: &Scenario) -> Result<Vec<String>, KernelError> {
        self.0.differences(scenario)
    }

    fn run(
        &self,
        scenario: &Scenario,
        seed: u64,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Option<LiveRun>, KernelError> {
        let number = self.0.begun.fetch_add(1, Ordering::Relaxed);
        let since = std::time::Instant::now();
        while !(self.1)(&self.0, number) {
            assert!(since.elapsed().as_secs() < 20, "run {number} neither goes on nor is stopped");
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.0.run(scenario, seed, stop, watch)
    }
}

/// Stops when so many runs are finished.
struct StopAfter<'a>(usize, &'a AtomicBool);

impl Progress for StopAfter<'_> {
    fn advanced(&self, status: &Status) {
        assert!((0.0..=1.0).contains(&status.fraction), "{status:?}");
        self.1.store(status.runs_finished >= self.0, Ordering::Relaxed);
    }

    fn noted(&self, _note: &str) {}
}

#[test]
fn what_is_stopped_goes_on_where_it_was() {
    let (study, plan) = sharing();
    let (stop, folder) = (AtomicBool::new(false), tempfile::tempdir().unwrap());
    let watch = StopAfter(6, &stop);
    // The third does not end by itself.
    let kernel = Waits(Simulated::default(), |_: &Simulated, number| number < 2);
    let outcome = reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 1, &stop, &watch).unwrap();
    assert_eq!(outcome, Outcome::Stopped { finished: 6, total: 8 });
    let (go, kernel) = (AtomicBool::new(false), Simulated::default());
    finished(reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 1, &go, &Quiet).unwrap());
    assert_eq!(kernel.asked.load(Ordering::Relaxed), 2, "what was given up in the middle, and the last");
}

#[test]
fn so_many_live_runs_as_are_asked_for_go_on_at_a_time() {
    let (study, plan) = sharing();
    let (go, folder) = (AtomicBool::new(false), tempfile::tempdir().unwrap());
    // None of two goes on before both have begun.
    let both = |kernel: &Simulated, number: usize| kernel.begun.load(Ordering::Relaxed) >= (number / 2 + 1) * 2;
    let kernel = Waits(Simulated::default(), both);
    let one = finished(reproduce_live(&study, &plan, (&kernel, 2), folder.path(), 2, &go, &Quiet).unwrap());
    assert!(kernel.0.most.load(Ordering::Relaxed) <= 2);
    // What comes out is the same as of one after the other.
    let (kernel, folder) = (Simulated::default(), tempfile::tempdir().unwrap());
    assert_eq!(one, finished(reproduce_live(&study, &plan, (&kernel, 1), folder.path(), 2, &go, &Quiet).unwrap()));
    // More than one that stay invalid are counted.
    let (kernel, folder) = (Simulated { invalid: usize::MAX, ..Simulated::default() }, tempfile::tempdir().unwrap());
    let refused = reproduce_live(&study, &plan, (&kernel, 3), folder.path(), 2, &go, &Quiet).unwrap_err();
    assert!(refused.to_string().starts_with("4 of 8 runs were invalid 3 times"), "{refused}");
}
