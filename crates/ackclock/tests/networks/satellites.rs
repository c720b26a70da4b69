//! Networks of satellites to the end of a run, on both engines, with times by hand.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, port, scenario};
use ackclock::record::{Columns, Metric, Records};
use ackclock::scenario::Scenario;
use ackclock::sim::{Engine, build_with};
use ackclock::units::{Span, Time};

/// New York to San Francisco by a satellite that stores and forwards. A datagram is 956 + 28 + 16 = 1000 octets on a link.
const REGENERATIVE: &str = r#"
duration = "30 s"
[tcp]
dialect = "osu"
[satellites]
geostationary = "95 W"
earth = "ns2"
payload = "regenerative"
rate = "1.5 Mbps"
down_rate = "3 Mbps"
[place]
new-york = "40.9 N 73.9 W"
san-francisco = "37.8 N 122.4 W"
[flow]
f = { from = "new-york", to = "san-francisco", start = "5 s" }
[udp]
u = { from = "new-york", to = "san-francisco", payload = "956 B", rate = "95.6 kbps" }
"#;

/// The records of the reference engine, with which the other one agrees.
fn run(name: &str, scenario: &Scenario) -> Records {
    assert_engines_agree(name, scenario, 1)
}

fn link_delay(scenario: &Scenario, name: &str) -> Span {
    scenario.links.iter().find(|link| link.name == name).expect("the link exists").delay
}

/// When the first datagram arrives, to within 10 ps: each of its four transmissions is rounded to whole ones.
fn assert_first_arrives(scenario: &Scenario, expected: Span) {
    for engine in [Engine::Reference, Engine::Batched] {
        let delivered = |until: Span| {
            let mut simulation = build_with(scenario, 1, engine);
            simulation.step(Time::ZERO + until);
            simulation.records().udp[0].counts.delivered
        };
        let before = Span::from_ps(expected.as_ps() - 10);
        assert_eq!((delivered(before), delivered(expected + Span::from_ps(10))), (0, 1), "{engine:?}: {expected}");
    }
}

#[test]
fn a_regenerative_satellite_stores_and_forwards() {
    let scenario = scenario(REGENERATIVE, &[]);
    let [up, down] = ["new-york->sky", "sky->san-francisco"].map(|name| link_delay(&scenario, name));
    // satellites.md: 253.174 ms for both.
    assert!(((up + down).as_secs_f64() - 0.253_174).abs() < 5e-7);
    let hosts =
        link_delay(&scenario, "new-york.host->new-york") + link_delay(&scenario, "san-francisco->san-francisco.host");
    // 8000 bits: 0.8 us twice at 10 Gb/s, 5333.333 us at 1.5 Mb/s, 2666.667 us at 3 Mb/s, which a bent pipe has not.
    assert_first_arrives(&scenario, hosts + Span::from_ps(2 * 800_000) + Span::from_us(8000) + up + down);
    let records = run("regenerative", &scenario);
    assert_eq!(port(&records, "sky->san-francisco").drops.total(), 0, "its link is the faster one");
    assert!(flow(&records, "f").counts.bytes_delivered > 300_000);
    // One in 80 ms makes 375 in 30 s; those of 29.76, 29.84 and 29.92 s take 261 ms and are under way.
    assert_eq!((records.udp[0].counts.sent, records.udp[0].counts.delivered), (375, 372));
}

#[test]
fn what_a_slower_downlink_cannot_take_waits_on_board_and_is_refused_there() {
    let sets = ["satellites.down_rate=750 kbps", "udp.u.rate=1 Mbps", "record=[\"drops\", \"queue\"]"];
    let records = run("on board", &scenario(REGENERATIVE, &sets));
    let on_board = port(&records, "sky->san-francisco");
    assert_eq!(on_board.max_queue, 50, "packets, the default buffer");
    // 1000 octets take 8000 / 0.75 = 10.667 ms: 30 s less the first 0.13 s are 2800 packets.
    assert!((2750..=2805).contains(&on_board.departures), "{}", on_board.departures);
    let of_port = |series: &&ackclock::record::Series| series.metric == Metric::Drops && series.of == on_board.name;
    let Some(Columns::Drops { time, .. }) = records.series.iter().find(of_port).map(|series| &series.columns) else {
        panic!("drops are recorded")
    };
    assert_eq!(time.len() as u64, on_board.drops.total());
    assert!(on_board.drops.total() > 500);
}

/// Berkeley to Boston through Iridium, past the handover of Boston at 390 s.
const LEO: &str = r#"
duration = "400 s"
record = ["delay"]
record_interval = "1 s"
[tcp]
dialect = "osu"
[satellites]
constellation = "iridium"
earth = "ns2"
[place]
berkeley = "37.9 N 122.3 W"
boston = "42.3 N 71.1 W"
[flow]
f = { from = "berkeley", to = "boston", start = "380 s" }
"#;

#[test]
fn the_recorded_delay_of_a_path_is_that_of_the_plan() {
    let scenario = scenario(LEO, &[]);
    let records = run("leo", &scenario);
    let hosts = link_delay(&scenario, "berkeley.host->berkeley") + link_delay(&scenario, "boston->boston.host");
    let Columns::Points { time, value } = &records.series[0].columns else { panic!("points") };
    // satellites.md: one way, ms.
    for (second, ms) in [(0, 33.882), (100, 33.084), (200, 34.287), (300, 37.800), (385, 41.597), (390, 47.310)] {
        let place = time.binary_search(&(Time::ZERO + Span::from_secs(second))).expect("it changes all the time");
        let delay_ms = (value[place] - hosts.as_secs_f64()) * 1e3;
        assert!((delay_ms - ms).abs() < 0.0005, "{second} s: {delay_ms}");
    }
    assert!(flow(&records, "f").counts.bytes_delivered > 500_000);
}

/// Iridium has some 400 ports. A packet begins and ends at any picosecond of an interval, so its shares of two intervals have 34 bits each:
/// five or six octets with how they are told, and as floating-point numbers nine. A day of this is 144 times as much.
#[test]
fn ports_of_a_constellation_are_recorded_in_little_memory() {
    let text = include_str!("../../../../scenarios/iridium.toml");
    let scenario = scenario(text, &["record=[\"ports\"]"]);
    let mut simulation = build_with(&scenario, 1, Engine::Batched);
    while !simulation.step(Time::NEVER).finished() {}
    let records = simulation.finish();
    let (mut held, mut intervals) = (0, 0);
    for series in &records.series {
        if let Columns::Intervals { min, mean, max, .. } = &series.columns {
            held += [min, mean, max].map(|column| column.held_bytes()).iter().sum::<usize>();
            intervals += mean.len();
        }
    }
    assert!(intervals > 1_000_000 && held < 1_000_000, "{held} octets for {intervals} intervals");
}
