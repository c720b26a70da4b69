//! The thread pool on short runs.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use ackclock::scenario::Scenario;
use ackclock::tcp::CongestionControlParams;
use ackclock::tcp::cc::{CustomCongestionControl, Needs};
use ackclock_scenario::Memory;

use super::*;

fn scenario() -> Scenario {
    let text = "duration = \"200 ms\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
                access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Mbps\"\nbottleneck_delay = \"9 ms\"\n";
    ackclock_scenario::load(&Memory::new().with("short.toml", text), "short.toml", &[]).unwrap().scenario
}

/// A scenario that breaks an invariant.
fn broken() -> Scenario {
    let mut broken = scenario();
    for flow in broken.flows.iter_mut() {
        flow.tcp.congestion_control =
            CongestionControlParams::Custom(CustomCongestionControl::new("panics", Needs::NOTHING, |_| {
                panic!("no window")
            }));
    }
    broken
}

fn job(scenario: &Arc<Scenario>, seed: u64, cost: f64, of: &'static str) -> Job<&'static str> {
    Job { scenario: scenario.clone(), seed, cost, of }
}

/// Without stop and without watcher.
fn run<J: Send, T: Send, E: Send>(
    jobs: Jobs<impl Iterator<Item = Job<J>> + Send>,
    threads: usize,
    keep: impl Fn(&J, Records) -> Result<T, E> + Sync,
) -> Runs<T, J, E> {
    run_all(jobs, threads, Engine::default(), &AtomicBool::new(false), |_| {}, keep)
}

fn seed_of<J>(_: &J, records: Records) -> Result<u64, ()> {
    Ok(records.seed)
}

#[test]
fn runs_come_back_in_the_order_of_their_seeds_whatever_the_threads() {
    for threads in [0, 1, 3, 50] {
        let runs = run(Jobs::of_seeds(scenario(), 5.., 20), threads, seed_of);
        assert_eq!(runs.kept, (5..25).collect::<Vec<_>>(), "{threads} threads");
        assert!(runs.failure.is_none());
    }
    assert!(run(Jobs::of_seeds(scenario(), 5.., 0), 2, seed_of).kept.is_empty());
}

#[test]
fn a_scenario_that_cannot_be_had_ends_the_runs() {
    struct Or(Option<Arc<Scenario>>);
    impl Load for Or {
        fn load(self) -> Option<Arc<Scenario>> {
            self.0
        }
    }
    let scenario = Arc::new(scenario());
    let job = |seed: u64| Job { scenario: Or((seed != 3).then(|| scenario.clone())), seed, cost: 1.0, of: () };
    let jobs = Jobs::as_they_come((1..10).map(job), 9, 9.0);
    let runs = run_all(jobs, 1, Engine::default(), &AtomicBool::new(false), |_| {}, seed_of);
    assert_eq!(runs.kept, [1, 2]);
    assert!(runs.failure.is_none(), "the caller knows why");
}

#[test]
fn the_last_seed_takes_the_scenario_along() {
    let mut jobs = Jobs::of_seeds(scenario(), 1.., 3).jobs;
    let first = jobs.next().unwrap();
    assert_eq!(Arc::strong_count(&first.scenario), 2);
    jobs.next().unwrap();
    let last = jobs.next().unwrap();
    drop(first);
    assert_eq!(Arc::strong_count(&last.scenario), 1, "nobody else holds it");
    assert!(jobs.next().is_none());
}

#[test]
fn what_costs_most_begins_first() {
    let scenario = Arc::new(scenario());
    let jobs = vec![job(&scenario, 1, 1.0, "a"), job(&scenario, 2, 3.0, "b"), job(&scenario, 3, 2.0, "c")];
    let order = Mutex::new(Vec::new());
    let runs = run(Jobs::most_expensive_first(jobs), 1, |name, records| {
        order.lock().unwrap().push((*name, records.seed));
        Ok::<_, ()>(())
    });
    assert_eq!((runs.kept.len(), order.into_inner().unwrap()), (3, vec![("b", 2), ("c", 3), ("a", 1)]));
}

#[test]
fn a_panic_is_an_error_with_its_job_and_seed_and_ends_the_others() {
    let (good, bad) = (Arc::new(scenario()), Arc::new(broken()));
    let jobs = vec![job(&good, 1, 3.0, "good"), job(&bad, 7, 2.0, "bad"), job(&good, 2, 1.0, "good")];
    let runs = run(Jobs::most_expensive_first(jobs), 1, seed_of);
    assert_eq!(runs.kept, [1], "what was finished before is kept, and no further run begins");
    let Some(Failure::Panicked { of, seed, message }) = runs.failure else { panic!("{:?}", runs.failure) };
    assert_eq!((of, seed), ("bad", 7));
    assert!(message.starts_with("no window"), "{message}");
}

#[test]
fn of_each_run_it_is_said_how_it_ended_and_the_others_go_on() {
    let (good, bad) = (Arc::new(scenario()), Arc::new(broken()));
    let jobs = [job(&good, 1, 1.0, "good"), job(&bad, 7, 1.0, "bad"), job(&good, 2, 1.0, "good")];
    let run = |limit: Option<Duration>| {
        let jobs = Jobs::as_they_come(jobs.iter().map(|of| job(&of.scenario, of.seed, of.cost, of.of)), 3, 3.0);
        let keep = |of: &&str, seed: u64, end: End| match end {
            End::Finished(records) => Ok::<_, ()>(format!("{of} {}", records.seed)),
            End::Panicked(message) => Ok(format!("{of} {seed} {}", &message[..9])),
            End::OverTime => Ok(format!("{of} {seed} over time")),
        };
        let runs = run_each(jobs, 2, Engine::default(), limit, &AtomicBool::new(false), |_| {}, keep);
        assert!(runs.failure.is_none());
        runs.kept
    };
    assert_eq!(run(None), ["good 1", "bad 7 no window", "good 2"]);
    assert_eq!(run(Some(Duration::from_secs(600))), run(None));
    let none = run(Some(Duration::ZERO));
    assert_eq!((none[0].as_str(), none[2].as_str()), ("good 1 over time", "good 2 over time"));
}

#[test]
fn a_run_that_is_not_kept_ends_the_others() {
    let begun = AtomicUsize::new(0);
    let runs = run(Jobs::of_seeds(scenario(), 1.., 1000), 2, |_, records| {
        begun.fetch_add(1, Ordering::Relaxed);
        if records.seed == 3 { Err("disk full") } else { Ok(records.seed) }
    });
    assert!(matches!(runs.failure, Some(Failure::NotKept("disk full"))), "{:?}", runs.failure);
    assert!(runs.kept.starts_with(&[1, 2]) && begun.into_inner() < 1000);
}

#[test]
fn what_is_stopped_keeps_what_was_finished() {
    let stop = AtomicBool::new(false);
    let jobs = Jobs::of_seeds(scenario(), 1.., 1000);
    let runs = run_all(
        jobs,
        1,
        Engine::default(),
        &stop,
        |_| {},
        |_, records| {
            stop.store(records.seed == 2, Ordering::Relaxed);
            seed_of(&(), records)
        },
    );
    assert_eq!(runs.kept, [1, 2]);
    assert!(runs.failure.is_none());
}

#[test]
fn who_watches_is_told_how_far_the_runs_are() {
    let told = Mutex::new(Vec::new());
    let keep = |_: &(), records| {
        thread::sleep(TELL_EVERY * 2);
        seed_of(&(), records)
    };
    let watch = |status: &Status| told.lock().unwrap().push(*status);
    run_all(Jobs::of_seeds(scenario(), 1.., 2), 1, Engine::default(), &AtomicBool::new(false), watch, keep);
    let told = told.into_inner().unwrap();
    let first = told.first().expect("it takes longer than it is told");
    assert_eq!((first.runs, first.being_kept, first.simulated), (2, 1, 0.5));
    assert!(first.events > 0 && told.is_sorted_by(|a, b| a.finished <= b.finished && a.events <= b.events));
}
