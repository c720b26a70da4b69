//! Runs with a mechanism from outside: documents that are written, read, summarised and compared, and sweeps.

use std::fs;
use std::sync::atomic::AtomicBool;

use ackclock::link::errors::{CustomErrorModel, Mechanism, Periodic, PeriodicParams};
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim::{RESULT_VERSION, build};
use ackclock::tcp::cc::{self, CustomCongestionControl};
use ackclock::units::Time;
use ackclock_report::compare::{Entry, compare};
use ackclock_run::{Folder, Wanted};
use ackclock_scenario::sweep::{Request, Sweep};
use ackclock_scenario::{Loader, Memory, Outside};
use ackclock_store::document::{Document, Run, ScenarioPart};
use ackclock_store::ledger::Key;
use ackclock_sweep::Checked;

const SCENARIO: &str = "duration = \"6 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 2\n\
    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"8 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
    [queue]\nbuffer = \"20 packets\"\n[tcp]\nrecovery = \"rack\"\n";

/// A copy of CUBIC in this version.
fn my_cubic(version: &str) -> Outside {
    let cubic = cc::Algorithm::named("cubic").unwrap();
    let params = cubic.with_defaults();
    let mut outside = Outside::default();
    let copy = CustomCongestionControl::new("my-cubic", cubic.needs, move |draws| Box::new(params.start(draws)));
    outside.add(version, copy).unwrap();
    outside
}

fn load(outside: &Outside, set: &str) -> (Scenario, String) {
    let files = Memory::new().with("a.toml", SCENARIO);
    let set = [set.to_owned()];
    let loaded = Loader::new(&files).overrides(&set).outside(outside).load("a.toml").unwrap();
    (loaded.scenario, loaded.resolved)
}

fn run(scenario: &Scenario, seed: u64) -> Records {
    let mut simulation = build(scenario, seed);
    simulation.step(Time::NEVER);
    simulation.records()
}

/// The document of a result with two seeds, written into a folder and read from there.
fn document(outside: &Outside, set: &str, path: &std::path::Path) -> Document {
    let (scenario, resolved) = load(outside, set);
    let part = ScenarioPart::of(&scenario, resolved);
    let mut folder = Folder::prepare(path, &part, |_| {}).unwrap();
    let wanted = Wanted::of(&scenario, &part);
    let seeds = [1, 2];
    let runs = seeds.map(|seed| {
        let records = run(&scenario, seed);
        folder.keep(&wanted, &part, Run::from(&records), &records).unwrap()
    });
    let before = folder.finished_before(&wanted, &part, &(1..=2)).unwrap();
    assert_eq!(before.0.len(), 2, "runs of the same version are taken from the folder");
    let written = Document::new(Vec::new(), part, seeds.to_vec(), runs.to_vec());
    folder.write(&written, "").unwrap();
    let text = fs::read_to_string(path.join("result.json")).unwrap();
    let read = Document::from_json(&text).unwrap();
    assert_eq!(read, written);
    read
}

#[test]
fn a_run_with_a_mechanism_from_outside_has_a_document() {
    let outside = my_cubic("1");
    let place = tempfile::tempdir().unwrap();
    let [mine, theirs] = ["my-cubic", "cubic"].map(|name| {
        let set = format!("tcp.congestion_control={name}");
        document(&outside, &set, &place.path().join(name))
    });
    assert!(mine.scenario.resolved.contains("\ncongestion_control = \"my-cubic@1\"\n"));
    assert_eq!(mine.summary, theirs.summary, "a copy of CUBIC");
    for (mine, theirs) in mine.runs.iter().zip(&theirs.runs) {
        assert_eq!(mine.fingerprint, theirs.fingerprint);
    }
    let entries = [("mine", mine), ("theirs", theirs)].map(|(label, document)| Entry {
        label: label.to_owned(),
        document,
        series: Vec::new(),
    });
    let page = compare(&entries, &[]);
    assert!(page.contains("my-cubic@1"));
}

/// The names of error models stand in tables within lists; what is read from the document loads again.
#[test]
fn a_run_with_an_error_model_from_outside_has_a_document() {
    let params = PeriodicParams { every: 50, offset: 3 };
    let mut outside = Outside::default();
    let copy = CustomErrorModel::new("my-losses", move |draws| Box::new(Periodic::start(&params, draws)));
    outside.add("5", copy).unwrap();
    let place = tempfile::tempdir().unwrap();
    let set = "link.sw1->sw2.errors=[{ model = \"my-losses\" }]";
    let document = document(&outside, set, &place.path().join("mine"));
    let resolved = &document.scenario.resolved;
    assert!(resolved.contains("model = \"my-losses@5\""), "{resolved}");
    let files = Memory::new().with("again.toml", resolved.as_str());
    let again = Loader::new(&files).outside(&outside).load("again.toml").unwrap();
    assert_eq!(&again.resolved, resolved);
    assert_eq!(Run::from(&run(&again.scenario, 1)).fingerprint, document.runs[0].fingerprint);
    assert!(Loader::new(&files).load("again.toml").is_err(), "without the program that registers it");
}

#[test]
fn a_run_of_one_version_is_none_of_another() {
    let key = |outside: &Outside| Key::of_scenario(&load(outside, "tcp.congestion_control=my-cubic").1, RESULT_VERSION);
    let (old, same, new) = (my_cubic("1"), my_cubic("1"), my_cubic("2"));
    assert_eq!(key(&old), key(&same));
    assert_ne!(key(&old), key(&new));
    let files = Memory::new().with("a.toml", SCENARIO);
    let vary = ["tcp.congestion_control=my-cubic,cubic".to_owned()];
    let sweep = |outside| {
        let request = Request { file: "a.toml", vary: &vary, outside: Some(outside), ..Request::default() };
        Sweep::read(&files, &request).unwrap()
    };
    assert_eq!(sweep(&old).base(), sweep(&same).base());
    assert_ne!(sweep(&old).base(), sweep(&new).base());
    let checked =
        Checked::of(&sweep(&old), 1, None, Vec::new(), 1, &AtomicBool::new(false), &mut |_| {}).unwrap().unwrap();
    assert_eq!((checked.refused_points, checked.plan.points.len()), (0, 2));
}
