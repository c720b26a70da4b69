//! Mechanisms from outside: which names they may have, and what is said about wrong ones.

use crate::render::render;
use ackclock::keys::Values;
use ackclock::link::errors::{CustomErrorModel, Mechanism, Periodic, PeriodicParams};
use ackclock::queue::packet::{self, CustomDiscipline};
use ackclock::queue::{Port, cell};
use ackclock::tcp::cc::{self, CustomCongestionControl};
use ackclock::units::Rate;
use ackclock_scenario::{LoadError, Loader, Memory, Outside, load};

const PACKETS: &str = "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 2\n\
    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"8 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
    [queue]\nbuffer = \"20 packets\"\n";

fn congestion_control(name: &str) -> CustomCongestionControl {
    let cubic = cc::Algorithm::named("cubic").unwrap();
    let params = cubic.with_defaults();
    CustomCongestionControl::new(name, cubic.needs, move |draws| Box::new(params.start(draws)))
}

fn discipline(name: &str) -> CustomDiscipline {
    let codel = packet::POLICIES.iter().find(|policy| policy.name == "codel").unwrap();
    let place = Port { capacity_cells: None, rate: Rate::from_bps(8_000_000).unwrap() };
    let params = (codel.params)(&Values::defaults(codel.keys), &place).unwrap();
    CustomDiscipline::new(name, move |port, _| params.start(port, "", 0))
}

fn cell_policy(name: &str) -> cell::CustomCellPolicy {
    let epd = cell::POLICIES.iter().find(|policy| policy.name == "epd").unwrap();
    let place = Port { capacity_cells: Some(1000), rate: Rate::from_bps(8_000_000).unwrap() };
    let params = (epd.params)(&Values::defaults(epd.keys), &place).unwrap();
    cell::CustomCellPolicy::new(name, move |vcs, _| Box::new(params.start(vcs, "", 0)))
}

fn error_model(name: &str) -> CustomErrorModel {
    let params = PeriodicParams { every: 100, offset: 0 };
    CustomErrorModel::new(name, move |draws| Box::new(Periodic::start(&params, draws)))
}

fn both() -> Outside {
    let mut outside = Outside::default();
    outside.add("2", congestion_control("my-vegas")).unwrap();
    outside.add("2", discipline("my-queue")).unwrap();
    outside.add("2", cell_policy("cells-first")).unwrap();
    outside.add("2", error_model("my-losses")).unwrap();
    outside
}

/// Everything that is said about a scenario with these values.
fn said(outside: &Outside, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let files = Memory::new().with("test.toml", PACKETS);
    match Loader::new(&files).overrides(&sets).outside(outside).load("test.toml") {
        Ok(loaded) => render(&loaded.warnings),
        Err(LoadError::Invalid(diagnostics)) => render(&diagnostics),
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn an_unknown_name_is_told_those_from_outside() {
    insta::assert_snapshot!(said(&both(), &["tcp.congestion_control=my-vega"]));
    insta::assert_snapshot!(said(&both(), &["queue.policy=my-queu"]));
    insta::assert_snapshot!(said(&both(), &["queue.policy=cells-first"]));
}

#[test]
fn a_version_that_is_not_here_is_an_error() {
    assert_eq!(said(&both(), &["tcp.congestion_control=my-vegas@2", "queue.policy=my-queue"]), "nothing\n");
    insta::assert_snapshot!(said(&both(), &["tcp.congestion_control=my-vegas@1"]));
    insta::assert_snapshot!(said(&Outside::default(), &["tcp.congestion_control=my-vegas@1"]));
}

#[test]
fn one_from_outside_has_no_table() {
    let sets = ["tcp.congestion_control=my-vegas", "tcp.my-vegas.alpha=2"];
    insta::assert_snapshot!(said(&both(), &sets));
}

#[test]
fn error_models_from_outside_have_the_keys_of_all() {
    let set = |errors: &str| said(&both(), &[&format!("link.sw1->sw2.errors={{ {errors} }}")]);
    assert_eq!(set("model = \"my-losses\", place = \"egress\""), "nothing\n");
    let wrong = [
        "model = \"my-losses\", rate = 0.1",
        "model = \"my-losses\", plaice = \"egress\"",
        "model = \"my-losses@1\"",
        "model = \"my-loses\"",
        "model = 5",
        "place = \"egress\"",
    ];
    insta::assert_snapshot!(wrong.map(set).join("\n"));
}

#[test]
fn what_does_not_go_with_a_congestion_control_from_outside() {
    let sets = ["tcp.congestion_control=my-vegas", "tcp.recovery=vegas"];
    insta::assert_snapshot!(said(&both(), &sets));
}

#[test]
fn names_are_words_of_their_own() {
    let mut outside = both();
    let mut add = |version: &str, name: &str| {
        outside.add(version, congestion_control(name)).map_err(|error| error.to_string()).unwrap_err()
    };
    let all = [
        add("1", "cubic"),
        add("1", "bbr"),
        add("1", "My Vegas"),
        add("1", "my@vegas"),
        add("1", ""),
        add("", "other"),
        add("1 or 2", "other"),
        add("3", "my-vegas"),
    ];
    insta::assert_snapshot!(all.join("\n"));
    // A name is of one family: those of queues and those of TCP do not meet. Those of cells and packets do.
    outside.add("1", congestion_control("my-queue")).unwrap();
    outside.add("1", discipline("tail-drop")).unwrap_err();
    outside.add("1", discipline("epd")).unwrap_err();
    outside.add("1", discipline("cells-first")).unwrap_err();
    outside.add("1", error_model("periodic")).unwrap_err();
    outside.add("1", error_model("my-losses")).unwrap_err();
    outside.add("1", error_model("cubic")).unwrap();
}

#[test]
fn without_the_program_that_registers_it_the_resolved_scenario_is_an_error() {
    let files = Memory::new().with("test.toml", PACKETS);
    let set = ["tcp.congestion_control=my-vegas".to_owned()];
    let loaded = Loader::new(&files).overrides(&set).outside(&both()).load("test.toml").unwrap();
    let files = Memory::new().with("resolved.toml", loaded.resolved.as_str());
    assert!(load(&files, "resolved.toml", &[]).is_err());
    assert!(Loader::new(&files).outside(&both()).load("resolved.toml").is_ok());
}
