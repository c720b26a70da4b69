//! UDP at a constant rate in cells: its frames beside those of TCP, on both engines.

use crate::lab::abr::{GREEDY, defaults, erica, with_abr};
use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, port, queues::cell_kinds, run, scenario};
use ackclock::atm::rate::RateAlgorithm;
use ackclock::record::{Records, UdpCounts};
use ackclock::scenario::{Scenario, ServiceCategory};
use ackclock::sim::{self, Engine};
use ackclock::units::{Span, Time};

/// Links of 42.4 Mb/s: a cell in 10 us. 1000 octets are a frame of 22 cells, one in a millisecond.
const CELLS: u64 = 22;
const SHARED: &str = r#"
duration = "2 s"
network = { topology = "graph" }
node = { a.kind = "host", c.kind = "host", r.kind = "switch", b.kind = "host" }
[link]
first = { ends = ["a", "r"], rate = "42.4 Mbps", delay = "1 ms" }
other = { ends = ["c", "r"], rate = "42.4 Mbps", delay = "1 ms" }
last = { ends = ["r", "b"], rate = "42.4 Mbps", delay = "10 ms" }
[udp]
u = { from = "a", to = "b", payload = "1000 B", rate = "8 Mbps" }
"#;

const FLOW: &str = r#"
[flow]
f = { from = "c", to = "b" }
"#;

/// Datagrams of 105 cells through two ports of 42.4 Mb/s, at each beside those of one other source.
const TWO_PORTS: &str = r#"
duration = "2 s"
network = { topology = "graph" }
node = { a.kind = "host", b.kind = "host", c.kind = "host", d.kind = "host", r.kind = "switch", q.kind = "switch" }
[link]
first = { ends = ["a", "r"], rate = "42.4 Mbps", delay = "1 ms" }
second = { ends = ["c", "r"], rate = "42.4 Mbps", delay = "1 ms" }
middle = { ends = ["r", "q"], rate = "42.4 Mbps", delay = "1 ms" }
third = { ends = ["d", "q"], rate = "42.4 Mbps", delay = "1 ms" }
last = { ends = ["q", "b"], rate = "42.4 Mbps", delay = "10 ms" }
[udp]
u = { from = "a", to = "b", rate = "25 Mbps", payload = "5000 B", stop = "1.9 s" }
v = { from = "c", to = "b", rate = "20 Mbps", payload = "5000 B", stop = "1.9 s" }
w = { from = "d", to = "b", rate = "20 Mbps", payload = "5000 B", stop = "1.9 s" }
"#;

fn counts(records: &Records) -> UdpCounts {
    records.udp[0].counts
}

/// How many datagrams have arrived just before an instant, and at it, on both engines.
#[track_caller]
fn arrive_at(scenario: &Scenario, arrival: Time, number: u64) {
    for engine in [Engine::Reference, Engine::Batched] {
        let mut simulation = sim::build_with(scenario, 1, engine);
        let mut delivered = |time| {
            simulation.step(time);
            counts(&simulation.records()).delivered
        };
        let before = delivered(arrival);
        assert_eq!((before, delivered(arrival + Span::from_ps(1))), (number - 1, number), "{engine:?}");
    }
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// 22 cells of 10 us, 1 ms, one cell time at the switch, 10 ms.
#[test]
fn a_datagram_alone_takes_the_times_computed_by_hand() {
    let alone = scenario(SHARED, &[]);
    arrive_at(&alone, us(220 + 1000 + 10 + 10_000), 1);
    arrive_at(&alone, us(1000 + 220 + 1000 + 10 + 10_000), 2);
    // 1000 + 28 octets, and 8 of the trailer, are 22 cells too; 21 octets less are 21, and with LLC 13 less.
    for (llc, payload, cells) in
        [(true, 1000, 22), (true, 993, 22), (true, 964, 21), (false, 972, 21), (false, 973, 22)]
    {
        let sets = [format!("atm.llc={llc}"), format!("udp.u.payload={payload} B")];
        let scenario = scenario(SHARED, &sets.each_ref().map(|set| &set[..]));
        arrive_at(&scenario, us(10 * cells + 1000 + 10 + 10_000), 1);
    }
}

/// Half the rate of the link: from cell to cell 20 us.
#[test]
fn a_peak_cell_rate_spaces_the_cells() {
    let paced = scenario(SHARED, &["udp.u.pcr=21.2 Mbps"]);
    arrive_at(&paced, us(21 * 20 + 10 + 1000 + 10 + 10_000), 1);
    // A frame takes 440 us, and two come in that time: each waits for the one before.
    let fast = scenario(SHARED, &["udp.u.pcr=21.2 Mbps", "udp.u.rate=32 Mbps"]);
    arrive_at(&fast, us(440 + 21 * 20 + 10 + 1000 + 10 + 10_000), 2);
}

/// Two inputs: the port has slots, and each cell waits for the end of its own.
#[test]
fn at_a_shared_port_a_cell_waits_for_the_end_of_its_slot() {
    let shared = scenario(&[SHARED, FLOW].concat(), &["flow.f.start=1.9 s"]);
    arrive_at(&shared, us(220 + 1000 + 10 + 10 + 10_000), 1);
}

#[test]
fn alone_every_datagram_arrives() {
    let records = assert_engines_agree("alone", &scenario(SHARED, &["udp.u.stop=1.9 s"]), 1);
    let UdpCounts { sent, delivered, lost, bytes_delivered } = counts(&records);
    assert_eq!((sent, delivered, lost, bytes_delivered), (1900, 1900, 0, 1_900_000));
    assert_eq!(port(&records, "r->b").arrivals, 1900 * CELLS);
}

/// What is refused, of cells and of datagrams, beside a source of the same rate through a small buffer.
#[test]
fn with_every_policy_each_datagram_arrives_or_is_lost() {
    for kind in cell_kinds() {
        let name = kind.split(' ').next().unwrap();
        let policy = format!("queue.policy={name}");
        let sets = [
            "udp.u.rate=22 Mbps",
            "udp.u.stop=1.9 s",
            "udp.v={ from = \"c\", to = \"b\", rate = \"15 Mbps\", payload = \"500 B\", stop = \"1.9 s\", dither = true }",
            "queue.buffer=60 cells",
            &policy,
        ];
        let records = assert_engines_agree(&kind, &scenario(SHARED, &sets), 1);
        for (place, source) in records.udp.iter().enumerate() {
            let UdpCounts { sent, delivered, lost, .. } = source.counts;
            assert_eq!(sent, delivered + lost, "{kind}, {}", source.name);
            assert!(lost > 20 && delivered > 20, "{kind}, {}: {lost} of {sent}", source.name);
            let cells = port(&records, "r->b").vcs[place].drops;
            assert!(cells >= lost / 2, "{kind}: {cells} cells");
        }
    }
}

/// Above the threshold frames are refused as a whole, and the buffer has room for those that were let in.
#[test]
fn epd_refuses_whole_datagrams() {
    let sets = [
        "udp.u.rate=25 Mbps",
        "udp.u.stop=1.9 s",
        "udp.v={ from = \"c\", to = \"b\", rate = \"25 Mbps\", payload = \"1000 B\", stop = \"1.9 s\" }",
        "queue.buffer=200 cells",
        "queue.policy=epd",
        "queue.epd.threshold=100 cells",
    ];
    let records = assert_engines_agree("EPD", &scenario(SHARED, &sets), 1);
    let port = port(&records, "r->b");
    assert!(port.drops.policy > 0 && port.drops.total() == port.drops.policy, "{:?}", port.drops);
    for (source, vc) in records.udp.iter().zip(&port.vcs) {
        let UdpCounts { sent, delivered, lost, .. } = source.counts;
        assert!(lost > 100 && sent == delivered + lost);
        assert_eq!(vc.drops, lost * CELLS, "{}", vc.name);
    }
}

/// Cells are lost at two ports one behind the other: a datagram that loses some at both counts once.
#[test]
fn a_datagram_that_loses_cells_at_two_ports_counts_once() {
    let sets = ["queue.policy=tail-drop", "queue.buffer=120 cells"];
    let records = assert_engines_agree("two ports", &scenario(TWO_PORTS, &sets), 1);
    let drops = ["r->q", "q->b"].map(|name| port(&records, name).vcs[0].drops);
    assert!(drops.iter().all(|&drops| drops > 100), "{drops:?}");
    let UdpCounts { sent, delivered, lost, .. } = counts(&records);
    assert!(sent == delivered + lost && lost > 100, "{sent} {delivered} {lost}");
}

/// Exactly 22 cells come in each interval of a millisecond, 100 slots.
fn beside_abr(algorithm: &RateAlgorithm, sets: &[&str]) -> Records {
    let sets = [&["flow.f.from=c", "flow.f.to=b", "warmup=1 s"], sets].concat();
    let scenario = with_abr(&[SHARED, GREEDY].concat(), &sets, algorithm, |_| {});
    assert_engines_agree(algorithm.name(), &scenario, 1)
}

#[test]
fn erica_gives_away_exactly_what_datagrams_leave() {
    let erica = erica(|sharing| {
        sharing.delta = 0.0;
        sharing.interval = Span::from_ms(1);
    });
    let RateAlgorithm::Erica(params) = &erica else { panic!() };
    let target = params.target_utilisation * 100_000.0;
    for (sets, cells_per_second) in
        [(&["udp.u.start=3 s"][..], 0.0), (&[], 22_000.0), (&["udp.u.rate=16 Mbps"], 44_000.0)]
    {
        let records = beside_abr(&erica, sets);
        let given = port(&records, "r->b").rates.unwrap().allocation.unwrap();
        assert!((given - (target - cells_per_second)).abs() < 1e-9, "{given}");
        let acr = flow(&records, "f").abr.unwrap().mean_acr;
        assert!((acr / given - 1.0).abs() < 0.01, "{acr} of {given}");
    }
}

#[test]
fn capc_gives_away_what_datagrams_leave() {
    let target = 0.95 * 100_000.0;
    for (sets, cells_per_second) in [(&["udp.u.start=3 s"][..], 0.0), (&[], 22_000.0)] {
        let records = beside_abr(&defaults("capc"), sets);
        let acr = flow(&records, "f").abr.unwrap().mean_acr;
        assert!((acr / (target - cells_per_second) - 1.0).abs() < 0.02, "{acr}");
    }
}

/// From a host that sends cell by cell, because an ABR connection begins there too.
#[test]
fn datagrams_leave_a_host_of_abr_connections() {
    for pcr in ["link-rate", "20 Mbps"] {
        let mut scenario = with_abr(
            SHARED,
            &[
                "flow.f.from=a",
                "flow.f.to=b",
                "flow.g.from=c",
                "flow.g.to=a",
                &format!("udp.u.pcr={pcr}"),
                "udp.u.stop=1.9 s",
            ],
            &defaults("erica-plus"),
            |params| params.nrm = 8,
        );
        let records = assert_engines_agree(pcr, &scenario, 1);
        let UdpCounts { sent, delivered, lost, .. } = counts(&records);
        assert_eq!((sent, delivered, lost), (1900, 1900, 0), "{pcr}");
        assert!(flow(&records, "f").counts.bytes_delivered > 100_000);
        // The same datagrams take longer where cells of another connection come between.
        scenario.flows.iter_mut().for_each(|flow| flow.service = ServiceCategory::UBR);
        assert_ne!(run(&scenario, 1).udp[0].fingerprint, records.udp[0].fingerprint);
    }
}
