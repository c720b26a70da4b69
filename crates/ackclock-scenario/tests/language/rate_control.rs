//! Rate control of TCP: what is said about feedback that cannot work, and what the keys become.

use crate::good::{link, loaded};
use crate::render::{indented, said_about};
use ackclock::feedback::{Feedback, RoundTrip, Units, WindowFeedback};
use ackclock::scenario::{EventKind, Route};
use ackclock::units::{Span, Time};

const N_BY_N: &str = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "n-by-n"
[queue]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "window"
[tcp]
dialect = "osu"
"#;

/// Two routers that are connected twice: acknowledgements of f may come by r3.
const RING: &str = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "graph"
[node]
a.kind = "host"
b.kind = "host"
r1.kind = "switch"
r2.kind = "switch"
r3.kind = "switch"
r4.kind = "switch"
[link]
a1 = { ends = ["a", "r1"], rate = "10 Mbps", delay = "1 ms" }
12 = { ends = ["r1", "r2"], rate = "10 Mbps", delay = "1 ms" }
24 = { ends = ["r2", "r4"], rate = "10 Mbps", delay = "1 ms" }
13 = { ends = ["r1", "r3"], rate = "10 Mbps", delay = "1 ms" }
34 = { ends = ["r3", "r4"], rate = "10 Mbps", delay = "1 ms" }
4b = { ends = ["r4", "b"], rate = "10 Mbps", delay = "1 ms" }
[flow.f]
from = "a"
to = "b"
route = ["a", "r1", "r2", "r4", "b"]
back_route = ["b", "r4", "r3", "r1", "a"]
"#;

/// The ring with more flows of this kind, each with a letter for its name.
fn with_more(names: &str) -> String {
    let flow = RING.split("[flow.f]").nth(1).unwrap();
    let more = names.chars().map(|name| format!("[flow.{name}]{flow}"));
    RING.to_owned() + &more.collect::<String>()
}

fn said(text: &str, sets: &[&str]) -> String {
    format!("{}\n{}", sets.join("; "), indented(&said_about(text, sets)))
}

#[test]
fn feedback_that_cannot_work() {
    let feedback = "queue.tcp_feedback=bucket";
    let rates = "queue.rate_algorithm=simplified-erica-plus";
    let datagrams = RING.replace("flow.f", "udp.f").replace("back_route", "# back_route") + "rate = \"1 Mbps\"\n";
    let of_port = ["port.r2->r4.rate_algorithm=simplified-erica-plus", "port.r2->r4.tcp_feedback=bucket"];
    let all = [
        said(N_BY_N, &["queue.rate_algorithm=none"]),
        said(N_BY_N, &["queue.rate_algorithm=efci"]),
        said(N_BY_N, &["queue.tcp_feedback=none"]),
        said(N_BY_N, &["queue.tcp_feedback=windows"]),
        said(N_BY_N, &["queue.feedback_round_trip=0 ms"]),
        said(N_BY_N, &["queue.feedback_round_trip=0"]),
        said(N_BY_N, &["queue.feedback_units=cells"]),
        said(N_BY_N, &["queue.feedback_group=0"]),
        said(N_BY_N, &["queue.feedback_group=5", "queue.tcp_feedback=none", "queue.rate_algorithm=none"]),
        said(N_BY_N, &["queue.tcp_feedback=bucket", "queue.feedback_round_trip=70 ms"]),
        said(N_BY_N, &["queue.simplified-erica-plus.averaging_interval=10 us"]),
        said(N_BY_N, &["network.rate=1 Mbps", "queue.simplified-erica-plus.averaging_interval=3 ms"]),
        said(N_BY_N, &["queue.simplified-erica-plus.a=0.5"]),
        said(N_BY_N, &["flow.A1.encrypted_headers=true", "flow.B2.encrypted_headers=true"]),
        said(RING, &of_port),
        said(RING, &[rates, feedback]),
        said(&with_more("gh"), &[rates, feedback]),
        said(&with_more("ghijklmnop"), &[rates, feedback]),
        said(&with_more("gh"), &of_port),
        // The feedback is said for all ports, and only the buffer for this one.
        said(RING, &[rates, feedback, "port.r2->r4.buffer=20 packets"]),
        // The port of the acknowledgements, and not that of the data.
        said(RING, &["port.r4->r3.rate_algorithm=simplified-erica-plus", "port.r4->r3.tcp_feedback=window"]),
        said(&datagrams, &[rates, feedback]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A packet takes 10 ms at the port by which acknowledgements go back, twice an averaging interval. No sender is told its rates.
#[test]
fn a_port_without_data_may_be_slower_than_its_averaging_interval() {
    let n_source = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "n-source"
sources = 2
rate = "10 Mbps"
access_delay = "1 ms"
trunk_delay = "1 ms"
[queue]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "window"
"#;
    let slow_back = "link.sw2->sw1.rate=32 kbps";
    assert_eq!(said_about(n_source, &[slow_back]).trim(), "nothing");
    assert_eq!(said_about(&n_source.replace("packet", "atm"), &[slow_back]).trim(), "nothing");
    let slow = said_about(n_source, &["link.sw1->sw2.rate=32 kbps"]);
    assert!(slow.contains("shorter than a packet takes at the port sw1->sw2"), "{slow}");
}

/// An edge device can do what a router can, and the same cannot work.
#[test]
fn feedback_of_edge_devices_that_cannot_work() {
    let (n_by_n, ring) = (N_BY_N.replace("packet", "atm"), RING.replace("packet", "atm"));
    let of_port = ["port.r2->r4.rate_algorithm=simplified-erica-plus", "port.r2->r4.tcp_feedback=bucket"];
    let all = [
        said(&n_by_n, &[]),
        said(&n_by_n, &["queue.rate_algorithm=none"]),
        said(&n_by_n, &["queue.rate_algorithm=efci"]),
        said(&n_by_n, &["queue.tcp_feedback=none"]),
        said(&n_by_n, &["queue.simplified-erica-plus.averaging_interval=30 us"]),
        said(&n_by_n, &["flow.A1.encrypted_headers=true"]),
        said(&n_by_n, &["queue.feedback_group=5"]),
        said(&n_by_n, &["atm.service=abr"]),
        said(&n_by_n, &["queue.rate_algorithm=none", "queue.tcp_feedback=none", "atm.service=abr"]),
        said(&ring, &of_port),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// The acknowledgements of f leave the path of its data at 500 ms.
const CHANGES: &str = r#"
back_route_changes = [{ at = "500 ms", route = ["b", "r4", "r2", "r1", "a"] }]
"#;

#[test]
fn feedback_where_routes_change() {
    let rates = "queue.rate_algorithm=simplified-erica-plus";
    let (window, fixed) = ("queue.tcp_feedback=window", "queue.feedback_round_trip=70 ms");
    let leaves = RING.replace("\"r4\", \"r3\", \"r1\", \"a\"]", "\"r4\", \"r2\", \"r1\", \"a\"]");
    let change = |route: &str| format!("{leaves}back_route_changes = [{{ at = \"500 ms\", route = {route} }}]\n");
    // The host a has two links: the route of f leaves it by one of them at first, and by the other one later.
    let by_another_link = RING
        .replace("[flow.f]", "a3 = { ends = [\"a\", \"r3\"], rate = \"10 Mbps\", delay = \"1 ms\" }\n[flow.f]")
        + "route_changes = [{ at = \"500 ms\", route = [\"a\", \"r3\", \"r4\", \"b\"] }]\n";
    let by_r3 = change("[\"b\", \"r4\", \"r3\", \"r1\", \"a\"]");
    let all = [
        said(&(RING.to_owned() + CHANGES), &[rates, window, fixed]),
        said(&by_r3, &[rates, window, fixed]),
        said(&format!("{by_r3}[flow.g]{}", by_r3.split("[flow.f]").nth(1).unwrap()), &[rates, window, fixed]),
        said(&by_r3, &[rates, window]),
        said(&by_r3, &[rates, window, "queue.feedback_round_trip=individual"]),
        said(&by_r3, &["queue.rate_algorithm=max-min", window, fixed]),
        said(&by_another_link, &[rates, window, fixed]),
        said(&by_r3, &[rates, "queue.tcp_feedback=bucket"]),
        said(&by_r3.replace("packet", "atm"), &[]),
        said(&change("[\"b\", \"r4\", \"a\"]"), &[]),
        said(&change("[\"b\"]"), &[]),
        said(&change("\"r3\""), &[]),
        said(&change("[\"a\", \"r1\", \"r2\", \"r4\", \"b\"]"), &[]),
        said(&by_r3.replace("at = \"500 ms\", ", ""), &[]),
        said(&by_r3.replace(" }]", " }, { at = \"500 ms\", route = [\"b\", \"r4\", \"r2\", \"r1\", \"a\"] }]"), &[]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A node that is on a later path only has a route from its instant on; one that is on the first only keeps its route.
#[test]
fn what_routes_that_change_become() {
    let text = RING.to_owned() + CHANGES;
    let loaded = loaded(&text, &[]);
    let scenario = &loaded.scenario;
    let flow = scenario.flows.iter().next().unwrap();
    let path = |ms: u64| -> Vec<&str> {
        let path = flow.backward.at(Time::ZERO + Span::from_ms(ms), &scenario.links);
        path.iter().map(|link| &*scenario.links[*link].name).collect()
    };
    assert_eq!(path(0), ["b->r4", "r4->r3", "r3->r1", "r1->a"]);
    assert_eq!(path(499), path(0));
    assert_eq!(path(500), ["b->r4", "r4->r2", "r2->r1", "r1->a"]);
    let Route::Dynamic { table, .. } = &flow.backward else { panic!() };
    let r3 = scenario.nodes.iter_ids().find(|(_, node)| node.name == "r3").unwrap().0;
    assert!(table.link(r3, Time::ZERO + Span::from_secs(1)).is_some(), "packets that are under way arrive");
    assert!(flow.forward.fixed().is_some());
    let [event] = &scenario.events[..] else { panic!("{:?}", scenario.events) };
    assert_eq!((event.time, event.kind, &*event.node), (Time::ZERO + Span::from_ms(500), EventKind::RouteChanged, "b"));
    let paths = [&event.before, &event.after].map(|path| path.as_deref());
    assert_eq!(paths, [Some("b > r4 > r3 > r1 > a"), Some("b > r4 > r2 > r1 > a")]);
    // A change to the path that it is on is none.
    let same = text.replace("\"r2\", \"r1\", \"a\"] }]", "\"r3\", \"r1\", \"a\"] }]");
    assert_eq!(crate::good::loaded(&same, &[]).scenario.events, []);
}

#[test]
fn what_the_keys_become() {
    let feedback = |sets: &[&str]| {
        let (loaded, in_cells) = (loaded(N_BY_N, sets), loaded(&N_BY_N.replace("packet", "atm"), sets));
        let of_port = |link: &ackclock::scenario::Link| (link.name.clone(), link.queue.feedback);
        let all = |scenario: &ackclock::scenario::Scenario| scenario.links.iter().map(of_port).collect::<Vec<_>>();
        assert_eq!(all(&loaded.scenario), all(&in_cells.scenario));
        link(&loaded.scenario, "sw1->sw2").queue.feedback
    };
    let window = |round_trip, units| Some(WindowFeedback { round_trip, units });
    assert_eq!(
        feedback(&[]),
        Some(Feedback { window: window(RoundTrip::Individual, Units::Payload), bucket: false, group: 1 })
    );
    let fixed = RoundTrip::Fixed(Span::from_ms(70));
    assert_eq!(
        feedback(&["queue.tcp_feedback=both", "queue.feedback_round_trip=70 ms", "queue.feedback_units=wire"]),
        Some(Feedback { window: window(fixed, Units::Wire), bucket: true, group: 1 })
    );
    assert_eq!(feedback(&["queue.tcp_feedback=bucket"]), Some(Feedback { window: None, bucket: true, group: 1 }));
    // Cells are not grouped.
    let groups = loaded(N_BY_N, &["queue.tcp_feedback=bucket", "queue.feedback_group=5"]).scenario;
    let of_ports: Vec<Option<Feedback>> = groups.links.iter().map(|link| link.queue.feedback).collect();
    assert!(of_ports.contains(&Some(Feedback { window: None, bucket: true, group: 5 })));
    assert_eq!(feedback(&["queue.tcp_feedback=none", "queue.rate_algorithm=none"]), None);
}

/// \[RATE-CONTROL\] figure 1: three groups of five with round trips of 10.06, 16 and 70 ms.
#[test]
fn the_heterogeneous_configuration_has_its_round_trips() {
    let scenario = loaded(N_BY_N, &[]).scenario;
    let round_trips: Vec<(String, Span)> = scenario
        .flows
        .iter()
        .map(|flow| {
            let links = [flow.forward.links(), flow.backward.links()].concat();
            (flow.name.clone(), links.iter().fold(Span::ZERO, |sum, &link| sum + scenario.links[link].delay))
        })
        .collect();
    assert_eq!(round_trips.len(), 15);
    for (group, us) in [('A', 10_060), ('B', 16_000), ('C', 70_000)] {
        let of_group: Vec<_> = round_trips.iter().filter(|(name, _)| name.starts_with(group)).collect();
        assert!(of_group.len() == 5 && of_group.iter().all(|(_, time)| *time == Span::from_us(us)));
    }
}
