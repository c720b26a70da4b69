use super::*;
use ackclock_scenario::{Disk, load};
use ackclock_store::document::Document;

/// A scenario of the repository with everything recorded.
fn loaded(name: &str, sets: &[&str]) -> (Scenario, ScenarioPart) {
    let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let all: Vec<String> = Metric::ALL.iter().map(|metric| format!("\"{}\"", metric.name())).collect();
    let mut given = vec![format!("record=[{}]", all.join(","))];
    given.extend(sets.iter().map(|set| set.to_string()));
    let loaded = load(&Disk, &path, &given).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let part = ScenarioPart::of(&loaded.scenario, loaded.resolved);
    (loaded.scenario, part)
}

/// An estimate with the first seed by runs that are at most half as long, against what a run with another seed writes. The
/// scenarios are short, so that what they begin with is much of them.
fn compare(name: &str, sets: &[&str]) {
    let (ratio, bound, estimate, scenario) = ratio(name, sets, 1);
    assert!(estimate.simulated.as_ps() <= scenario.duration.as_ps() / 2, "{name}: nothing was guessed");
    assert!((1.0 / 1.5..=1.5).contains(&ratio), "{name} {sets:?}: {ratio:.2}");
    assert!(bound.bytes > 2.0 * estimate.bytes, "{name}: a bound of {:.0} kB", bound.bytes / 1e3);
}

/// An estimate for so many runs with the first seed, relative to what one with another seed writes.
fn ratio(name: &str, sets: &[&str], runs: usize) -> (f64, Bound, Estimate, Scenario) {
    let (scenario, part) = loaded(name, sets);
    let mut simulation = sim::build(&scenario, 2);
    while !simulation.progress().finished() {
        simulation.step(simulation.progress().now + Span::from_ms(100));
    }
    let events = simulation.progress().events;
    let records = simulation.finish();
    let rows: usize = records.series.iter().map(|series| series.columns.len()).sum();
    let written = sum(&lengths(&records, &scenario, &part));
    let bound = Bound::of(&scenario);
    let enough = Enough { work: (events + rows as u64) / 16, runs, bytes: 0.0 };
    let estimate = Estimate::of(&scenario, &part, 1, &bound, &enough, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let ratio = estimate.bytes / written;
    println!(
        "{name} {sets:?}: {:.0} kB estimated ({:.0} to {:.0}), {:.0} kB written: {ratio:.2}, by {:.3} s",
        estimate.bytes / 1e3,
        estimate.low / 1e3,
        estimate.high / 1e3,
        written / 1e3,
        estimate.simulated.as_secs_f64(),
    );
    assert!(written > 100e3, "{name}: too little to tell");
    (ratio, bound, estimate, scenario)
}

#[test]
fn estimates_of_flows_that_all_send_all_the_time_are_right_within_a_factor_of_1_5() {
    for name in ["lan-selective-drop", "packet-dumbbell", "red", "rack"] {
        compare(name, &[]);
    }
}

#[test]
fn estimates_know_of_flows_that_start_and_stop_and_of_files() {
    for name in ["sd-plus", "paths/udp-background"] {
        compare(name, &[]);
    }
}

#[test]
fn estimates_know_of_links_on_which_little_happens() {
    compare("iridium", &[]);
    compare("vegas-a-ties", &[]);
}

/// With the link down for most of the time but not at its beginning, and at a tenth of its rate after that.
#[test]
fn estimates_know_outages_and_rates_that_change() {
    let outage = "link.\"sw1->sw2\".outages=[{from=\"15 s\",until=\"50 s\"}]";
    let slower = "link.\"sw1->sw2\".rate=[\"20 Mbps\",{at=\"12 s\",rate=\"2 Mbps\"}]";
    for change in [outage, slower] {
        compare("packet-dumbbell", &[change]);
    }
}

/// Cells settle after tens of seconds into a pattern that repeats and takes a third of the room: runs on smaller scales do not
/// see it. Of many runs one may be simulated as a whole.
#[test]
fn the_more_runs_there_are_the_longer_are_those_that_tell() {
    let (alone, _, estimate, scenario) = ratio("wan-epd", &["duration=60 s"], 1);
    assert!(estimate.simulated < scenario.duration, "{:?}", estimate.simulated);
    let (of_many, _, estimate, _) = ratio("wan-epd", &["duration=60 s"], 65);
    assert_eq!(estimate.simulated, scenario.duration);
    assert!((of_many - 1.0).abs() < 0.05 && alone > 1.5, "{alone:.2}, {of_many:.2}");
}

#[test]
fn estimates_know_captures() {
    compare("packet-dumbbell", &["capture=[\"s1\",\"d1\"]", "record=[\"cwnd\"]", "duration=200 s"]);
}

/// What is small by the bound is not simulated, and what is little by the first runs not for long.
#[test]
fn a_gigabyte_is_announced_and_less_is_not() {
    let stop = AtomicBool::new(false);
    // 2.6 MB for one run of 60 s.
    let (scenario, part) = loaded("red", &[]);
    let much = |runs, stop: &AtomicBool| Estimate::of_much(&scenario, &part, 1, runs, stop, &mut |_| {});
    assert!(much(1, &stop).is_none() && much(300, &stop).is_none());
    let estimate = much(500, &stop).unwrap();
    let bytes = 500.0 * estimate.bytes;
    assert!(estimate.is_close() && (1.25e9..1.35e9).contains(&bytes), "{bytes} {estimate:?}");
    // Nothing is said by who was interrupted.
    assert!(much(500, &AtomicBool::new(true)).is_none());
}

/// Documents of many runs of networks of all kinds, with many switches, many hosts, or a constellation.
#[test]
fn a_document_is_as_long_as_is_said_within_a_factor_of_two() {
    let mut wrong = 0;
    for (name, sets) in [
        ("lan-selective-drop", &[][..]),
        ("packet-dumbbell", &[][..]),
        ("packet-dumbbell", &["network.sources=300", "delays=true"]),
        ("abr/gfc-2", &["duration=\"10 ms\"", "warmup=\"0 s\""]),
        ("rate-control/gfc-2", &["duration=\"10 ms\"", "warmup=\"0 s\""]),
        ("iridium", &["duration=\"5 s\""]),
        ("paths/udp-background", &[]),
        ("bench/leo", &["duration=\"2 s\"", "warmup=\"0 s\""]),
    ] {
        let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut given = vec!["record=[]".to_owned(), "capture=[]".to_owned()];
        given.extend(sets.iter().map(|set| set.to_string()));
        let loaded = load(&Disk, &path, &given).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let (part, scenario) = (ScenarioPart::of(&loaded.scenario, loaded.resolved), loaded.scenario);
        let mut simulation = sim::build(&scenario, 1);
        while !simulation.progress().finished() {
            simulation.step(simulation.progress().now + Span::from_ms(100));
        }
        let run = Run::from(&simulation.finish());
        let of_runs = |count: usize| {
            let document = Document::new(Vec::new(), part.clone(), vec![1; count], vec![run.clone(); count]);
            document.to_json().len() as f64
        };
        let written = of_runs(3) - of_runs(2);
        let said = document_bytes(&scenario);
        println!("{name} {sets:?}: {said:.0} said, {written:.0} written, {:.2}", said / written);
        wrong += usize::from(!(0.5..=2.0).contains(&(said / written)));
    }
    assert_eq!(wrong, 0, "scenarios of which another length is said");
}
