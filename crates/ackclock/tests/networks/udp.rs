//! UDP at a constant rate beside TCP, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, port, scenario};
use ackclock::measure::{Expression, Period, Run};
use ackclock::record::{Records, UdpCounts, UdpRecord};
use ackclock::units::Span;

/// TCP and UDP from one host over a link of 10 Mb/s.
const SHARED: &str = r#"
duration = "10 s"
network = { technology = "packet", topology = "graph" }
node = { a.kind = "host", r.kind = "switch", b.kind = "host" }
[link]
first = { ends = ["a", "r"], rate = "100 Mbps", delay = "1 ms" }
last = { ends = ["r", "b"], rate = "10 Mbps", delay = "10 ms" }
[queue]
buffer = "50 packets"
[tcp]
dialect = "osu"
mss = "1460 B"
recovery = "rfc6675"
[flow]
f = { from = "a", to = "b" }
[udp]
u = { from = "a", to = "b", payload = "972 B", rate = "972 kbps" }
"#;

fn run(name: &str, sets: &[&str]) -> Records {
    assert_engines_agree(name, &scenario(SHARED, sets), 1)
}

fn udp(records: &Records) -> &UdpRecord {
    &records.udp[0]
}

#[test]
fn alone_every_datagram_arrives() {
    let records = run("alone", &["flow.f.start=9.9 s", "udp.u.stop=9 s"]);
    // 972 bytes at 972 kb/s: one in 8 ms from 0 on, 1125 before 9 s.
    let UdpCounts { sent, delivered, lost, bytes_delivered } = udp(&records).counts;
    assert_eq!((sent, delivered, lost, bytes_delivered), (1125, 1125, 0, 1125 * 972));
    assert_eq!(udp(&records).goodput_bps, 1125.0 * 972.0 * 8.0 / 10.0);
    assert_eq!(port(&records, "r->b").vcs[1].arrivals, 1125);
}

#[test]
fn tcp_gets_what_is_left_and_ever_less_of_it() {
    let goodput = |rate: &str| {
        let records = run(rate, &[&format!("udp.u.rate={rate}"), "udp.u.dither=true"]);
        let UdpCounts { sent, delivered, lost, .. } = udp(&records).counts;
        assert!(delivered + lost <= sent && delivered + lost + 100 >= sent, "{rate}: the others are on their way");
        flow(&records, "f").goodput_bps / 1e6
    };
    // 1000 bytes on the wire for 972: 2 Mb/s leave 7.9.
    let rates = ["2 Mbps", "6 Mbps", "9.7 Mbps"].map(goodput);
    assert!(rates[0] > 6.0 && rates[0] < 8.0, "{rates:?}");
    assert!(rates[1] > 1.5 && rates[1] < 4.0 && rates[2] < 0.7, "{rates:?}");
}

#[test]
fn errors_may_be_about_tcp_only() {
    let errors = |applies_to: &str| {
        let errors = format!(
            "link.last.errors={{ model = \"uniform\", rate = 0.05, direction = \"r->b\", applies_to = \"{applies_to}\" }}"
        );
        let records = run(&errors, &[&errors]);
        let link = records.links.iter().find(|link| link.name == "r->b").expect("it has a record");
        [link.vcs[0].lost.corrupted, link.vcs[1].lost.corrupted].map(|corrupted| corrupted > 0)
    };
    assert_eq!(errors("tcp"), [true, false]);
    assert_eq!(errors("data"), [true, true]);
}

/// 972 bytes are 8 ms at 972 kb/s and 4 ms at twice that: 500 in the first 4 s, 1000 in the next, and then one is in the middle.
#[test]
fn a_stepped_rate_is_followed_to_the_bit() {
    let steps = "udp.u.rate=[\"972 kbps\", { at = \"4 s\", rate = \"1944 kbps\" }]";
    let records = run("steps", &["flow.f.start=9.9 s", "udp.u.stop=8 s", steps]);
    let UdpCounts { sent, delivered, lost, .. } = udp(&records).counts;
    assert_eq!((sent, delivered, lost), (1500, 1500, 0));
}

/// On for 20 ms and off for 30 ms, 160 times before 8 s: 3200 ms on are 400 datagrams after the first, or 100 bursts of four.
#[test]
fn times_on_and_off_and_bursts_have_their_mean_rate() {
    let turns = ["udp.u.on=20 ms", "udp.u.off=30 ms"];
    let sets = [&["flow.f.start=9.9 s", "udp.u.stop=8 s"], &turns[..]].concat();
    assert_eq!(udp(&run("on-off", &sets)).counts.sent, 401);
    let bursts = [&sets[..], &["udp.u.burst=4", "delays=true"]].concat();
    let records = run("bursts", &bursts);
    assert_eq!(udp(&records).counts.sent, 404);
    // The second to fourth wait for the first: 0.08 ms each at 100 Mb/s, 0.8 ms at 10 Mb/s.
    let one_way = &udp(&records).delays.as_ref().unwrap().one_way;
    let [least, most] = [one_way.min(), one_way.max()].map(|delay| delay.unwrap().as_ps() / 1_000_000);
    assert!(most > least + 2390, "{least} us {most} us");
    let laws = [
        "udp.u.on={ law = \"exponential\", mean = \"20 ms\" }",
        "udp.u.off={ law = \"pareto\", mean = \"30 ms\", shape = 2.5 }",
    ];
    let random = run("laws", &[&["flow.f.start=9.9 s"], &laws[..]].concat()).udp[0].counts.sent;
    // Two fifths of 1250, with times on of 2.5 datagrams, of which there are two hundred.
    assert!((400..=600).contains(&random), "{random}");
}

/// Datagrams that come back, one in 8 ms before 9.495 s, with these settings too.
fn pings(name: &str, sets: &[&str]) -> Records {
    let ping = ["udp.u.rate=972 kbps", "udp.u.echo=true", "udp.u.stop=9.495 s", "flow.f.start=9.9 s"];
    run(name, &[&ping[..], sets].concat())
}

/// 1000 bytes take 0.08 and 0.8 ms, and the links 11 ms, each way.
#[test]
fn an_echo_comes_back_after_a_round_trip() {
    let records = pings("ping", &[]);
    let (counts, round_trips) = (udp(&records).counts, udp(&records).round_trips.as_ref().unwrap());
    assert_eq!((counts.sent, counts.delivered, counts.lost, round_trips.count()), (1187, 1187, 0, 1187));
    let ps = |span: Option<Span>| span.unwrap().as_ps();
    assert_eq!((ps(round_trips.min()), ps(round_trips.max())), (23_760_000_000, 23_760_000_000));
    assert_eq!(port(&records, "r->a").vcs.last().map(|vc| (&*vc.name, vc.arrivals)), Some(("u/ack", 1187)));
    // An interval that no rate in whole bits per second gives.
    let mut scenario = scenario(SHARED, &["udp.u.echo=true", "flow.f.start=9.9 s", "udp.u.stop=9 s"]);
    scenario.udp[0].source.interval = Some(Span::from_us(70_001));
    let records = assert_engines_agree("interval", &scenario, 1);
    assert_eq!((udp(&records).counts.sent, udp(&records).counts.delivered), (129, 129));
}

/// A fifth is lost each way, and each copy is sent back: a datagram is lost if no echo of it comes.
#[test]
fn echoes_are_lost_on_the_way_back_and_come_once() {
    let errors = |direction: &str| {
        format!(
            "link.last.errors={{ model = \"uniform\", rate = 0.2, direction = \"{direction}\", applies_to = \"data\" }}"
        )
    };
    for (direction, echoes) in [("r->b", 0.8), ("b->r", 1.0)] {
        let records = pings(direction, &[&errors(direction)]);
        let counts = udp(&records).counts;
        assert_eq!((counts.sent, counts.delivered + counts.lost), (1187, 1187), "{direction}");
        assert!((counts.lost as f64 / 1187.0 - 0.2).abs() < 0.04, "{direction}: {}", counts.lost);
        // So many are sent back.
        let arrivals = port(&records, "r->a").vcs.iter().find(|vc| &*vc.name == "u/ack").unwrap().arrivals;
        let lost_later = if direction == "b->r" { counts.lost } else { 0 };
        assert!(((arrivals + lost_later) as f64 / 1187.0 - echoes).abs() < 0.04, "{direction}: {arrivals}");
    }
    let records = pings("twice", &["link.\"r->b\".duplicate=1"]);
    let (counts, round_trips) = (udp(&records).counts, udp(&records).round_trips.as_ref().unwrap());
    assert_eq!((counts.delivered, counts.lost, round_trips.count()), (1187, 0, 1187));
    assert_eq!(port(&records, "r->a").vcs.last().unwrap().arrivals, 2 * 1187, "both copies are sent back");
}

/// The scenario of the documentation. 100 packets of 1500 octets before it are 120 ms at 10 Mb/s; with FQ-CoDel at most one.
#[test]
fn a_ping_beside_an_upload() {
    let text = include_str!("../../../../scenarios/ping.toml");
    let of = |policy: &str| {
        let scenario = scenario(text, &[&format!("queue.policy={policy}")]);
        let records = assert_engines_agree(policy, &scenario, 1);
        let measured = Run::new(&scenario, &records, Period::Measured);
        let value = |text: &str| Expression::parse(text).unwrap().value(&measured).unwrap();
        assert!(value("goodput(upload)") > 9e6, "{policy}");
        let counts = udp(&records).counts;
        assert!(counts.sent == 600 && counts.delivered + counts.lost >= 598, "{policy}: {counts:?}");
        assert!((counts.lost > 0) == (policy == "tail-drop"), "{policy}: {counts:?}");
        ["least", "mean", "p95"].map(|what| 1000.0 * value(&format!("{what}(round-trip: ping)")))
    };
    // Alone: 20.2 ms, 84 octets at 10 Mb/s twice, at 1 Gb/s four times.
    let alone = 20.2 + 84.0 * 8.0 * (2.0 / 10e6 + 4.0 / 1e9) * 1000.0;
    let (tail_drop, fq_codel) = (of("tail-drop"), of("fq-codel"));
    assert!(tail_drop[2] > alone + 100.0 && tail_drop[2] < alone + 122.0 && tail_drop[1] > 100.0, "{tail_drop:?}");
    assert!(fq_codel[0] >= alone - 1e-6 && fq_codel[2] < alone + 1.3, "{fq_codel:?}, {alone} ms alone");
}
