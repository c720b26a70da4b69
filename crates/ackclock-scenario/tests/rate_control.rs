//! Rate control of TCP: what is said about feedback that cannot work, and what the keys become.

#[path = "support/render.rs"]
mod render;

use ackclock::feedback::{Feedback, RoundTrip, Units, WindowFeedback};
use ackclock::units::Span;
use ackclock_scenario::{Memory, load};
use render::said_about;

const N_BY_N: &str = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "n-by-n"
[queue]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "window"
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

fn said(text: &str, sets: &[&str]) -> String {
    let text = said_about(text, sets);
    format!("{}\n{}", sets.join("; "), text.lines().map(|line| format!("    {line}\n")).collect::<String>())
}

#[test]
fn feedback_that_cannot_work() {
    let feedback = "queue.tcp_feedback=bucket";
    let rates = "queue.rate_algorithm=simplified-erica-plus";
    let of_port = ["port.r2->r4.rate_algorithm=simplified-erica-plus", "port.r2->r4.tcp_feedback=bucket"];
    let all = [
        said(N_BY_N, &["queue.rate_algorithm=none"]),
        said(N_BY_N, &["queue.rate_algorithm=efci"]),
        said(N_BY_N, &["queue.tcp_feedback=none"]),
        said(N_BY_N, &["queue.tcp_feedback=windows"]),
        said(N_BY_N, &["queue.feedback_round_trip=0 ms"]),
        said(N_BY_N, &["queue.feedback_units=cells"]),
        said(N_BY_N, &["queue.tcp_feedback=bucket", "queue.feedback_round_trip=70 ms"]),
        said(N_BY_N, &["queue.simplified-erica-plus.averaging_interval=10 us"]),
        said(N_BY_N, &["queue.simplified-erica-plus.a=0.5"]),
        said(N_BY_N, &["flow.A1.encrypted_headers=true"]),
        said(RING, &of_port),
        said(RING, &[rates, feedback]),
    ];
    insta::assert_snapshot!(all.join("\n"));
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
        said(&n_by_n, &["atm.service=abr"]),
        said(&n_by_n, &["queue.rate_algorithm=none", "queue.tcp_feedback=none", "atm.service=abr"]),
        said(&ring, &of_port),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_the_keys_become() {
    let feedback = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let loaded = |text: &str| load(&Memory::new().with("a.toml", text), "a.toml", &sets).unwrap();
        let (loaded, in_cells) = (loaded(N_BY_N), loaded(&N_BY_N.replace("packet", "atm")));
        let of_port = |link: &ackclock::scenario::Link| (link.name.clone(), link.queue.feedback);
        let all = |scenario: &ackclock::scenario::Scenario| scenario.links.iter().map(of_port).collect::<Vec<_>>();
        assert_eq!(all(&loaded.scenario), all(&in_cells.scenario));
        let link = loaded.scenario.links.iter().find(|link| link.name == "sw1->sw2").unwrap();
        link.queue.feedback
    };
    let window = |round_trip, units| Some(WindowFeedback { round_trip, units });
    assert_eq!(feedback(&[]), Some(Feedback { window: window(RoundTrip::Individual, Units::Payload), bucket: false }));
    let fixed = RoundTrip::Fixed(Span::from_ms(70));
    assert_eq!(
        feedback(&["queue.tcp_feedback=both", "queue.feedback_round_trip=70 ms", "queue.feedback_units=wire"]),
        Some(Feedback { window: window(fixed, Units::Wire), bucket: true })
    );
    assert_eq!(feedback(&["queue.tcp_feedback=bucket"]), Some(Feedback { window: None, bucket: true }));
    assert_eq!(feedback(&["queue.tcp_feedback=none", "queue.rate_algorithm=none"]), None);
}

/// \[RATE-CONTROL\] figure 1: three groups of five with round trips of 10.06, 16 and 70 ms.
#[test]
fn the_heterogeneous_configuration_has_its_round_trips() {
    let scenario = load(&Memory::new().with("a.toml", N_BY_N), "a.toml", &[]).unwrap().scenario;
    let round_trips: Vec<(String, Span)> = scenario
        .flows
        .iter()
        .map(|flow| {
            let links = flow.forward.links().into_iter().chain(flow.backward.links());
            (flow.name.clone(), links.fold(Span::ZERO, |sum, link| sum + scenario.links[link].delay))
        })
        .collect();
    assert_eq!(round_trips.len(), 15);
    for (group, us) in [('A', 10_060), ('B', 16_000), ('C', 70_000)] {
        let of_group: Vec<_> = round_trips.iter().filter(|(name, _)| name.starts_with(group)).collect();
        assert!(of_group.len() == 5 && of_group.iter().all(|(_, time)| *time == Span::from_us(us)));
    }
}
