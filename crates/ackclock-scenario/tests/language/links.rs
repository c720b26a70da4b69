//! What tables of links say: about new links, about those of a topology, about one direction, about datagrams too large.

use crate::good::{link, loaded};
use crate::render::{indented, said_about};
use ackclock::law::{Law, NormalParams, ParetoParams, UniformParams as BetweenParams};
use ackclock::link::errors::{UniformParams, Unit};
use ackclock::link::{
    AppliesTo, Delays, ErrorModelParams, ErrorParams, JitterLaw, JitterParams, Place, ReorderParams, Shape,
};
use ackclock::scenario::Scenario;
use ackclock::units::{Rate, Span, Time};

/// Two sources, packets, a bottleneck of 10 Mb/s and 20 ms.
const DUMBBELL: &str = r#"
duration = "10 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 2
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "20 ms"
"#;

fn scenario(file: &str) -> Scenario {
    let loaded = loaded(file, &[]);
    assert_eq!(loaded.warnings, [], "{file}");
    loaded.scenario
}

fn dumbbell(tables: &str) -> Scenario {
    scenario(&format!("{DUMBBELL}{tables}"))
}

fn kbps(scenario: &Scenario, name: &str) -> u64 {
    link(scenario, name).rate.as_bps() / 1000
}

fn uniform(rate: f64) -> ErrorParams {
    let model = ErrorModelParams::Uniform(UniformParams { rate, unit: Unit::Packet });
    ErrorParams { model, place: Place::Egress, applies_to: AppliesTo::All }
}

fn up_to_ms(ms: u64) -> Option<JitterParams> {
    Some(JitterParams::below(Span::from_ms(ms)))
}

fn steps(points: &[(u64, u64)]) -> Delays {
    let point = |&(s, ms): &(u64, u64)| (Time::ZERO + Span::from_secs(s), Span::from_ms(ms));
    Delays::new(Shape::Steps, points.iter().map(point).collect())
}

#[test]
fn a_table_of_one_direction_changes_that_direction_of_the_topology() {
    let changed = dumbbell(
        "[link.\"sw2->sw1\"]\nrate = \"128 kbps\"\ndelay = \"200 ms\"\njitter = \"5 ms\"\n\
         errors = { model = \"uniform\", rate = 0.01 }\noutages = [{ from = \"1 s\", until = \"2 s\" }]",
    );
    let back = link(&changed, "sw2->sw1");
    assert_eq!((back.rate, back.delay), (Rate::from_bps(128_000).unwrap(), Span::from_ms(200)));
    assert_eq!((&back.params.jitter, &back.params.errors[..]), (&up_to_ms(5), &[uniform(0.01)][..]));
    assert!(!back.params.schedule.as_ref().unwrap().outages.is_empty());
    // All others are as they would be without the table.
    let plain = dumbbell("");
    for (one, other) in changed.links.iter().zip(plain.links.iter()).filter(|(link, _)| link.name != "sw2->sw1") {
        assert_eq!(one, other);
    }
}

#[test]
fn a_table_with_the_ends_of_a_link_of_the_topology_changes_both_directions() {
    let changed = dumbbell(
        "[link.trunk]\nends = [\"sw2\", \"sw1\"]\ndelay = [\"20 ms\", { at = \"3 s\", delay = \"90 ms\" }]\n\
         errors = { model = \"uniform\", rate = 0.1, direction = \"sw1->sw2\" }",
    );
    for (name, errors) in [("sw1->sw2", &[uniform(0.1)][..]), ("sw2->sw1", &[])] {
        let link = link(&changed, name);
        assert_eq!((kbps(&changed, name), link.delay), (10_000, Span::from_ms(20)), "as in [network]");
        assert_eq!(link.params.schedule.as_ref().unwrap().delays, steps(&[(0, 20), (3, 90)]));
        assert_eq!(link.params.errors, errors);
    }
}

#[test]
fn what_a_direction_does_not_say_holds_as_its_link_has_it() {
    let changed = dumbbell(
        "[link.trunk]\nends = [\"sw1\", \"sw2\"]\nrate = \"4 Mbps\"\njitter = \"7 ms\"\n\
         delay = [\"20 ms\", { at = \"3 s\", delay = \"90 ms\" }]\nreordering = \"prevent\"\n\
         errors = { model = \"uniform\", rate = 0.1 }\n\
         [link.\"sw2->sw1\"]\nrate = \"1 Mbps\"\ndelay = [\"20 ms\", { at = \"4 s\", delay = \"10 ms\" }]\nerrors = []",
    );
    let (there, back) = (link(&changed, "sw1->sw2"), link(&changed, "sw2->sw1"));
    assert_eq!([there, back].map(|link| link.rate.as_bps()), [4_000_000, 1_000_000]);
    assert_eq!([there, back].map(|link| link.params.jitter.clone()), [up_to_ms(7), up_to_ms(7)]);
    assert_eq!((&there.params.errors[..], &back.params.errors[..]), (&[uniform(0.1)][..], &[][..]));
    let schedules = [there, back].map(|link| link.params.schedule.clone().unwrap());
    assert_eq!(
        schedules.clone().map(|schedule| schedule.delays),
        [steps(&[(0, 20), (3, 90)]), steps(&[(0, 20), (4, 10)])]
    );
    assert!(schedules.iter().all(|schedule| schedule.reordering == ackclock::link::Reordering::Prevent));
}

#[test]
fn a_link_of_a_graph_has_two_directions_too() {
    let graph = "duration = \"10 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\n\
                 a.kind = \"host\"\nr.kind = \"switch\"\nb.kind = \"host\"\n\
                 [link.x]\nends = [\"a\", \"r\"]\nrate = \"1 Mbps\"\ndelay = \"0 s\"\n\
                 [link.y]\nends = [\"r\", \"b\"]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
                 [link.\"b->r\"]\nrate = \"64 kbps\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n";
    let scenario = scenario(graph);
    assert_eq!(["a->r", "r->a", "r->b", "b->r"].map(|name| kbps(&scenario, name)), [1000, 1000, 1000, 64]);
    assert_eq!([link(&scenario, "a->r").delay, link(&scenario, "b->r").delay], [Span::ZERO, Span::from_ms(1)]);
}

#[test]
fn a_pattern_is_about_every_direction_that_fits() {
    let changed = dumbbell(
        "[link.\"d*->sw2\"]\nrate = \"1 Mbps\"\n[link.\"d2->sw2\"]\njitter = \"1 ms\"\n\
         [link.\"*->sw1\"]\nmtu = \"1500 B\"",
    );
    let names = ["d1->sw2", "d2->sw2", "sw2->d1", "s1->sw1", "sw2->sw1"];
    assert_eq!(names.map(|name| kbps(&changed, name)), [1000, 1000, 100_000, 100_000, 10_000]);
    let jitter = |name| link(&changed, name).params.jitter.clone();
    assert_eq!(names.map(jitter), [None, up_to_ms(1), None, None, None]);
    let cells = "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = 3\nrate = \"10 Mbps\"\n\
                 access_delay = \"1 ms\"\ntrunk_delay = \"1 ms\"\n[link.\"s*->sw1\"]\ndelay = \"2 ms\"\nrate = \"5 Mbps\"\n";
    let cells = scenario(cells);
    assert_eq!(link(&cells, "s3->sw1").delay, Span::from_ms(2));
    assert_eq!(link(&cells, "sw1->s3").delay, Span::from_ms(1));
}

#[test]
fn the_example_of_the_page_does_what_the_page_says() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenarios.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let changed = dumbbell(example);
    assert_eq!(link(&changed, "sw2->sw1").delay, Span::from_ms(260));
    let names = ["sw1->sw2", "sw2->sw1", "d1->sw2", "d2->sw2", "sw2->d1"];
    assert_eq!(names.map(|name| kbps(&changed, name)), [10_000, 256, 1000, 1000, 100_000]);
}

#[test]
fn the_segments_of_the_standard_dialect_fit_the_smallest_link_of_their_path() {
    let mss = |tables: &str| -> Vec<u32> {
        let file = format!("capacity = \"1 Mbps\"\n{DUMBBELL}[tcp]\ndialect = \"standard\"\n{tables}");
        scenario(&file).flows.iter().map(|flow| flow.tcp.mss).collect()
    };
    // 20 octets of IP, 20 of TCP, 12 of timestamps.
    assert_eq!(mss("[link.\"sw1->sw2\"]\nmtu = \"1000 B\""), [948, 948]);
    assert_eq!(mss("[link.\"sw1->sw2\"]\nmtu = \"9000 B\""), [8948, 8948]);
    assert_eq!(mss("timestamps = false\n[link.\"sw1->sw2\"]\nmtu = \"1000 B\""), [960, 960]);
    assert_eq!(mss("mss = \"536 B\"\n[link.\"sw1->sw2\"]\nmtu = \"1000 B\""), [536, 536]);
    let several = "[link.\"sw1->sw2\"]\nmtu = \"1000 B\"\n[link.\"sw2->d2\"]\nmtu = \"576 B\"";
    assert_eq!(mss(several), [948, 524]);
    // Acknowledgements go the other way.
    let without = mss("");
    assert_eq!(mss("[link.\"sw2->sw1\"]\nmtu = \"296 B\""), without);
    assert_eq!(mss("[link.\"sw2->d2\"]\nmtu = \"576 B\""), [without[0], 524]);
}

#[test]
fn the_initial_window_follows_the_segments() {
    let tables = "capacity = \"1 Mbps\"\n".to_owned() + DUMBBELL + "[tcp]\ndialect = \"standard\"\n";
    let window = |mtu: &str| {
        let file = format!("{tables}[link.\"sw1->sw2\"]\nmtu = \"{mtu}\"");
        scenario(&file).flows.iter().next().unwrap().tcp.initial_window_segments
    };
    // RFC 6928 §2: 14600 B, at most 10 and at least 2 segments.
    assert_eq!(["576 B", "4000 B", "9000 B"].map(window), [10, 3, 2]);
}

fn said(tables: &[&str]) -> String {
    let each = |tables: &&str| format!("{tables}\n{}", indented(&said_about(&format!("{DUMBBELL}{tables}"), &[])));
    tables.iter().map(each).collect::<Vec<_>>().join("\n")
}

#[test]
fn directions_that_cannot_be() {
    insta::assert_snapshot!(said(&[
        "[link.\"sw1->sw3\"]\nrate = \"1 Mbps\"",
        "[link.\"sw1-sw2\"]\nrate = \"1 Mbps\"",
        "[link.\"sw1->\"]\nrate = \"1 Mbps\"",
        "[link.\"x*->y\"]\nrate = \"1 Mbps\"",
        "[link.\"sw1->sw2\"]\nends = [\"sw1\", \"sw2\"]",
        "[link.\"sw1->sw2\"]\nbandwidth = \"1 Mbps\"",
        "[link.\"sw1->sw2\"]\nbuffer = \"10 packets\"",
        "[link.\"sw1->sw2\"]\nrate = 5",
        "[link.\"sw1->sw2\"]\nreordering = \"prevent\"",
        "[link.\"sw1->sw2\"]\nerrors = { model = \"uniform\", rate = 0.1, direction = \"sw2->sw1\" }",
        "[link.\"s*->*\"]\nrate = \"1 Mbps\"\n[link.\"*1->sw1\"]\ndelay = \"5 ms\"",
        "[link.x]\nends = [\"s1\", \"sw1\"]\n[link.y]\nends = [\"sw1\", \"s1\"]",
        "[link.x]\nends = [\"s1\", \"d1\"]",
        "[link.\"sw1->sw2\"]\noutages = [{ from = \"0 s\", until = \"never\" }]",
        "[link.\"sw1->sw2\"]\nmtu = \"67 B\"",
    ]));
}

#[test]
fn datagrams_that_are_too_large() {
    insta::assert_snapshot!(said(&[
        "[link.\"sw1->sw2\"]\nmtu = \"551 B\"\n[tcp]\ndialect = \"osu\"",
        "[link.\"sw1->sw2\"]\nmtu = \"552 B\"\n[tcp]\ndialect = \"osu\"",
        "[link.\"sw1->sw2\"]\nmtu = \"1500 B\"\n[tcp]\nmss = \"1461 B\"\ndialect = \"osu\"",
        "[link.\"sw1->sw2\"]\nmtu = \"1500 B\"\n[tcp]\ndialect = \"standard\"\nmss = \"1460 B\"",
        "[link.\"sw2->sw1\"]\nmtu = \"79 B\"\n[tcp]\ndialect = \"standard\"",
        "[link.\"sw1->sw2\"]\nmtu = \"1000 B\"\n[udp.u]\nfrom = \"s1\"\nto = \"d1\"\nrate = \"1 Mbps\"\npayload = \"973 B\"",
        "[link.\"sw1->sw2\"]\nmtu = \"1000 B\"\n[udp.u]\nfrom = \"s1\"\nto = \"d1\"\nrate = \"1 Mbps\"",
        "[link.\"sw1->sw2\"]\nmtu = \"1000 B\"\n[udp.u]\nfrom = \"s1\"\nto = \"d1\"\nrate = \"1 Mbps\"\npayload = \"972 B\"",
    ]));
}

#[test]
fn jitter_and_reordering_by_laws() {
    let of = |tables: &str| link(&dumbbell(&format!("[link.\"sw1->sw2\"]\n{tables}")), "sw1->sw2").params.clone();
    let ms = |ms: f64| ms * 1e9;
    let params = of("jitter = { law = \"normal\", mean = \"5 ms\", deviation = \"1 ms\" }\novertaking = true");
    let law = Law::Normal(NormalParams { mean: ms(5.0), deviation: ms(1.0) });
    assert_eq!(params.jitter, Some(JitterParams { law: JitterLaw::By(law), overtaking: true }));
    let params = of("jitter = { law = \"pareto\", mean = \"1 ms\", shape = 1.5 }");
    let law = Law::Pareto(ParetoParams::with_mean(ms(1.0), 1.5));
    assert_eq!(params.jitter, Some(JitterParams { law: JitterLaw::By(law), overtaking: false }));
    let params = of("reorder = { probability = 0.1, delay = \"3 ms\" }");
    assert_eq!(params.reorder, Some(ReorderParams { probability: 0.1, delay: Law::Constant(ms(3.0)) }));
    let params =
        of("reorder = { probability = 0.1, delay = { law = \"uniform\", least = \"3 ms\", most = \"4 ms\" } }");
    let law = Law::Uniform(BetweenParams { least: ms(3.0), most: ms(4.0) });
    assert_eq!((params.jitter, params.reorder), (None, Some(ReorderParams { probability: 0.1, delay: law })));
}

/// A datagram of 65 507 octets takes 44 opportunities, of which there is one in 120 hours: none is received, and the run ends.
#[test]
fn a_datagram_that_takes_longer_than_any_run_is_not_received() {
    let file = "duration = \"200 h\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
        r.kind = \"switch\"\nb.kind = \"host\"\n[link.x]\nends = [\"a\", \"r\"]\nrate = \"1 Gbps\"\ndelay = \"1 ms\"\n\
        [link.y]\nends = [\"r\", \"b\"]\nrate = { trace = \"cell.trace\" }\ndelay = \"1 ms\"\n[udp.u]\nfrom = \"a\"\nto = \"b\"\n\
        payload = \"65507 B\"\nrate = \"10 bps\"\n";
    let files = ackclock_scenario::Memory::new().with("test.toml", file).with("cell.trace", "432000000\n");
    let scenario =
        ackclock_scenario::load(&files, "test.toml", &[]).unwrap_or_else(|error| panic!("{error:#?}")).scenario;
    let mut run = ackclock::sim::build(&scenario, 1);
    run.step(ackclock::units::Time::NEVER);
    let records = run.finish();
    assert_eq!(records.udp.iter().map(|source| source.counts.bytes_delivered).collect::<Vec<_>>(), [0]);
}
