//! Mechanisms from outside that scenario files name: copies of those of the simulator make the same runs, on both engines.

use crate::lab::agree::assert_engines_agree;
use ackclock::atm::rate::{ALGORITHMS, CustomRateAlgorithm};
use ackclock::keys::Values;
use ackclock::link::errors::{CustomErrorModel, Mechanism, Periodic, PeriodicParams, Uniform, UniformParams, Unit};
use ackclock::queue::cell::{self, CellPolicy, CustomCellPolicy};
use ackclock::queue::packet::{self, CustomDiscipline};
use ackclock::queue::{Policy, Port};
use ackclock::record::Records;
use ackclock::sim::has_randomness;
use ackclock::tcp::application::{CustomApplication, Description};
use ackclock::tcp::cc::{self, CustomCongestionControl};
use ackclock::tcp::recovery::{self, CustomRecovery};
use ackclock::units::Rate;
use ackclock_scenario::{Loader, Memory, Outside, OutsideMechanism};

const PACKETS: &str = "duration = \"6 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 3\n\
    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"8 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
    [queue]\nbuffer = \"20 packets\"\n";
const CELLS: &str = "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = 5\nrate = \"155.52 Mbps\"\n\
    access_delay = \"5 us\"\ntrunk_delay = \"5 us\"\n[queue]\nbuffer = \"1000 cells\"\n[tcp]\nreceive_window = \"auto\"\n";

/// The records of a scenario in which `key` is `word`, on both engines, and its resolved text.
fn run(text: &str, outside: &Outside, set: &[&str]) -> (Records, String) {
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    let files = Memory::new().with("a.toml", text);
    let loaded = Loader::new(&files).overrides(&set).outside(outside).load("a.toml");
    let loaded = loaded.unwrap_or_else(|error| panic!("{set:?}: {error:?}"));
    let again = Memory::new().with("b.toml", loaded.resolved.as_str());
    let again = Loader::new(&again).outside(outside).load("b.toml").unwrap();
    assert_eq!(again.resolved, loaded.resolved, "the resolved scenario loads again");
    (assert_engines_agree(&set.join(" "), &loaded.scenario, 3), loaded.resolved)
}

fn with(mechanism: impl Into<OutsideMechanism>) -> Outside {
    let mut outside = Outside::default();
    outside.add("7", mechanism).unwrap();
    outside
}

fn place() -> Port {
    Port { capacity_cells: Some(1000), rate: Rate::from_bps(8_000_000).unwrap() }
}

fn defaults<P>(family: &[Policy<P>], name: &str) -> P {
    let policy = family.iter().find(|policy| policy.name == name).unwrap();
    (policy.params)(&Values::defaults(policy.keys), &place()).unwrap()
}

/// That a scenario in which a key is a copy from outside runs as with the original; `more` holds in both, and the original does
/// something that without it is not done.
fn equals_the_original(text: &str, mechanism: impl Into<OutsideMechanism>, key: &str, original: &str, more: &[&str]) {
    let mechanism = mechanism.into();
    let name = mechanism.name().to_owned();
    let outside = with(mechanism);
    let set = |word: Option<&str>| {
        let own = word.map(|word| format!("{key}={word}"));
        let set: Vec<&str> = own.iter().map(String::as_str).chain(more.iter().copied()).collect();
        run(text, &outside, &set)
    };
    let ((copy, resolved), (inside, _), (without, _)) = (set(Some(&name)), set(Some(original)), set(None));
    assert_eq!(copy.fingerprint, inside.fingerprint, "{name}");
    assert_ne!(copy.fingerprint, without.fingerprint, "{name} makes a difference");
    let (_, word) = key.split_once('.').unwrap();
    assert!(resolved.contains(&format!("\n{word} = \"{name}@7\"\n")), "{resolved}");
}

#[test]
fn a_congestion_control_from_outside_that_a_file_names() {
    let cubic = cc::Algorithm::named("cubic").unwrap();
    let params = cubic.with_defaults();
    let copy = CustomCongestionControl::new("my-cubic", cubic.needs, move |draws| Box::new(params.start(draws)));
    equals_the_original(PACKETS, copy, "tcp.congestion_control", "cubic", &["tcp.recovery=rack"]);
}

#[test]
fn a_recovery_from_outside_that_a_file_names() {
    let copy = |name: &str| {
        let original = recovery::Algorithm::named(name).unwrap();
        let params = original.with_defaults();
        let start = move |mss, draws| Box::new(params.start(true, mss, draws)) as Box<dyn recovery::Recovery>;
        CustomRecovery::new(format!("my-{name}"), original.needs, start)
    };
    equals_the_original(CELLS, copy("rack"), "tcp.recovery", "rack", &[]);
    // It knows what is lost, so a congestion control that measures delivery rates goes with it.
    let more = ["tcp.congestion_control=bbr1"];
    equals_the_original(PACKETS, copy("rfc6675"), "tcp.recovery", "rfc6675", &more);
}

#[test]
fn an_application_from_outside_that_a_file_names() {
    let on_off = Description::named("on-off").unwrap();
    let params = (on_off.params)(&Values::defaults(on_off.keys), 1460).unwrap();
    let copy = CustomApplication::new("my-source", move |_| params.start(1, "f1").unwrap());
    let outside = with(copy);
    let (records, resolved) = run(PACKETS, &outside, &["traffic.application=my-source"]);
    assert!(resolved.contains("application = \"my-source@7\""), "{resolved}");
    assert!(records.flows.iter().all(|flow| flow.counts.segments_sent > 10), "each flow has it");
}

#[test]
fn a_queue_discipline_from_outside_that_a_file_names() {
    let params = defaults(packet::POLICIES, "codel");
    let copy = CustomDiscipline::new("my-queue", move |port, _| params.start(port, "", 0));
    equals_the_original(PACKETS, copy, "queue.policy", "codel", &[]);
}

#[test]
fn a_cell_policy_from_outside_that_a_file_names() {
    let params = defaults(cell::POLICIES, "epd");
    let start = move |vcs, _| Box::new(params.start(vcs, "", 0)) as Box<dyn CellPolicy>;
    equals_the_original(CELLS, CustomCellPolicy::new("my-epd", start), "queue.policy", "epd", &[]);
}

#[test]
fn a_rate_algorithm_from_outside_that_a_file_names() {
    let erica = ALGORITHMS.iter().find(|algorithm| algorithm.name == "erica").unwrap();
    let params = (erica.params)(&Values::defaults(erica.keys)).unwrap();
    let copy = CustomRateAlgorithm::new("my-erica", params.interval(), move |port, _| params.start(port, "", 0));
    equals_the_original(CELLS, copy, "queue.rate_algorithm", "erica", &["atm.service=abr"]);
}

/// Of a link, and of one direction of it; beside its name a table has the keys that all models have.
#[test]
fn an_error_model_from_outside_that_a_file_names() {
    let params = PeriodicParams { every: 40, offset: 7 };
    let outside = with(CustomErrorModel::new("my-losses", move |draws| Box::new(Periodic::start(&params, draws))));
    let with_errors = |errors: &str| run(PACKETS, &outside, &[&format!("link.sw1->sw2.errors={{ {errors} }}")]);
    let (copy, resolved) = with_errors("model = \"my-losses\", place = \"ingress\", applies_to = \"data\"");
    let (inside, _) =
        with_errors("model = \"periodic\", every = 40, offset = 7, place = \"ingress\", applies_to = \"data\"");
    assert_eq!(copy.fingerprint, inside.fingerprint);
    assert_ne!(copy.fingerprint, run(PACKETS, &outside, &[]).0.fingerprint, "it makes a difference");
    assert!(resolved.contains("model = \"my-losses@7\""), "{resolved}");
    let (of_version, again) = with_errors("model = \"my-losses@7\", place = \"ingress\", applies_to = \"data\"");
    assert_eq!((of_version.fingerprint, again), (copy.fingerprint, resolved));
}

/// The numbers that it draws are functions of the seed.
#[test]
fn an_error_model_from_outside_draws() {
    let params = UniformParams { rate: 0.02, unit: Unit::Packet };
    let outside = with(CustomErrorModel::new("my-losses", move |draws| Box::new(Uniform::start(&params, draws))));
    let files = Memory::new().with("a.toml", PACKETS);
    let set = ["link.sw1->sw2.errors={ model = \"my-losses\" }".to_owned()];
    let scenario = Loader::new(&files).overrides(&set).outside(&outside).load("a.toml").unwrap().scenario;
    assert!(has_randomness(&scenario) && !has_randomness(&crate::lab::scenario(PACKETS, &[])));
    let [one, other] = [1, 2].map(|seed| assert_engines_agree("an error model from outside", &scenario, seed));
    assert_ne!(one.fingerprint, other.fingerprint, "two seeds");
}
