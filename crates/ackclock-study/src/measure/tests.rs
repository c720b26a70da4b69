//! Metrics of whole runs, beside what their records say.

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::units::Time;

use super::*;

fn run(text: &str) -> (Scenario, Records) {
    let source = ackclock_scenario::Memory::new().with("test.toml", text);
    let scenario = ackclock_scenario::load(&source, "test.toml", &[]).unwrap().scenario;
    let mut simulation = ackclock::sim::build(&scenario, 1);
    simulation.step(Time::NEVER);
    let records = simulation.finish();
    (scenario, records)
}

fn row((scenario, records): &(Scenario, Records), names: &[&str]) -> Row {
    let metrics: Vec<Metric> = names.iter().map(|name| MetricName::known(name).with(100e6)).collect();
    Row::of(records, scenario, &metrics)
}

fn value(of: &(Scenario, Records), name: &str) -> Option<f64> {
    MetricName::known(name).with(100e6).value(&row(of, &[name]))
}

const TWO: &str = "duration = \"1 s\"\nwarmup = \"400 ms\"\n[network]\ntopology = \"n-source\"\nsources = 2\n\
                   rate = \"10 Mbps\"\naccess_delay = \"5 us\"\ntrunk_delay = \"1 ms\"\n[queue]\nbuffer = \"20 cells\"\n";

#[test]
fn an_efficiency_is_goodput_over_the_capacity() {
    let two = run(TWO);
    let flows = &two.1.flows;
    assert_eq!(value(&two, "efficiency"), Some(flows.iter().map(|flow| flow.goodput_bps).sum::<f64>() / 100e6));
    let late = Metric::efficiency(50e6, true);
    let goodput: f64 = flows.iter().filter_map(|flow| flow.goodput_after_warmup_bps).sum();
    assert_eq!(late.value(&Row::of(&two.1, &two.0, [&late])), Some(goodput / 50e6));
    assert_eq!((late.unit(&Row::default()), late.bounds()), ("", (0.0, f64::INFINITY)));
}

/// What studies call goodput is that of the whole run.
#[test]
fn numbers_are_those_of_the_whole_run_unless_another_time_is_named() {
    let two = run(TWO);
    let place = two.1.ports.iter().position(|port| port.name == "sw1->sw2").unwrap();
    let (port, rest) = (&two.1.ports[place], &two.1.after_warmup.as_ref().unwrap().ports[place]);
    assert!(rest.drops.total() > 0 && rest.drops.total() < port.drops.total());
    let part = |drops: u64, arrivals: u64| Some(drops as f64 / arrivals as f64);
    assert_eq!(value(&two, "drop-ratio(sw1->sw2)"), part(port.drops.total(), port.arrivals));
    assert_eq!(value(&two, "drop-ratio(sw1->sw2, after warm-up)"), part(rest.drops.total(), rest.arrivals));
    let all: u64 = two.1.ports.iter().map(|port| port.drops.total()).sum();
    assert_eq!(value(&two, "sum(drops)"), Some(all as f64));
    assert_eq!(MetricName::known("sum(drops)").with(1.0).unit(&row(&two, &[])), "cells");
}

#[test]
fn a_row_has_what_was_asked_for_and_nothing_else() {
    let two = run(TWO);
    let row = row(&two, &["goodput(s1)", "cwnd(s1)"]);
    let has = |names: &[&str]| row.has(&names.iter().map(|name| (*name).to_owned()).collect());
    // Of what was not recorded it is known that there is no value.
    assert_eq!(row.values["cwnd(s1)"], None);
    assert!(has(&["cwnd(s1)", "goodput(s1)"]) && !has(&["goodput(s2)"]));
    let text = serde_json::to_string(&row).unwrap();
    assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
}

#[test]
fn parameters_are_those_of_the_scenario() {
    let abr = run("duration = \"1 ms\"\n[network]\ntopology = \"n-source\"\nsources = 1\nrate = \"100 Mbps\"\n\
         access_delay = \"0 s\"\ntrunk_delay = \"1 ms\"\n[atm]\nservice = \"abr\"\n[abr]\nrif = \"1/16\"\nrdf = \"1/4\"\n\
         [queue]\nrate_algorithm = \"efci\"\nefci.threshold = \"256 cells\"\n");
    let values = ["abr(rif)", "abr(rdf)", "abr(threshold)", "rate-control(duration)"].map(|name| value(&abr, name));
    assert_eq!(values, [Some(0.0625), Some(0.25), Some(256.0), None]);
    assert_eq!(value(&abr, "valid-checksums(printed)"), None, "nothing was captured");
}

#[test]
fn what_is_no_metric_is_said() {
    let error = |text: &str| MetricName::try_from(text.to_owned()).unwrap_err();
    assert_eq!(error("speed(s1)"), "\"speed(s1)\" is no metric: there is no measure `speed`");
    for text in [
        "sack-left(s1: 0)",
        "sent(s1",
        "ratio(sent: s1)",
        "abr(mcr)",
        "queue(r1->r2, 1 to s)",
        "retransmissions(s1, 1 to 2 s)",
    ] {
        assert!(error(text).starts_with(&format!("{text:?} is no metric: ")), "{}", error(text));
    }
}
