//! Rate control of TCP at ATM edge devices: acknowledgements are put together, changed, and sent on in cells.

use std::sync::Arc;

use crate::lab::agree::{assert_engines_agree, assert_engines_agree_on_chains_with_feedback};
use crate::lab::{self, port, scenario};
use ackclock::record::{EdgeRecord, FlowRecord, Records};
use ackclock::scenario::Buffer;
use ackclock::sim;
use ackclock::units::{Span, Time};

/// Two sources over one link of 10 Mb/s, for each of which a packet takes 23 cells.
const TWO_SOURCES: &str = r#"
duration = "1 s"
warmup = "500 ms"
[network]
technology = "atm"
topology = "n-source"
sources = 2
rate = "10 Mbps"
access_delay = "1 ms"
trunk_delay = "5 ms"
[tcp]
mss = "1024 B"
receive_window = "64000 B"
recovery = "vanilla"
"#;

/// Four edge devices in a row, with a flow over all of them and one over each link, and few cells of buffer.
const PARKING_LOT: &str = r#"
duration = "1500 ms"
[network]
technology = "atm"
topology = "parking-lot"
switches = 4
rate = "10 Mbps"
access_delay = "1 ms"
trunk_delay = "3 ms"
[queue]
buffer = "460 cells"
[tcp]
dialect = "standard"
receive_window = "400000 B"
"#;

/// A flow in each direction, and datagrams beside the acknowledgements of f.
const TWO_DIRECTIONS: &str = r#"
duration = "1 s"
network = { technology = "atm", topology = "graph" }
node = { a.kind = "host", b.kind = "host", c.kind = "host", d.kind = "host", sw1.kind = "switch", sw2.kind = "switch" }
[link]
a1 = { ends = ["a", "sw1"], rate = "10 Mbps", delay = "1 ms" }
d1 = { ends = ["d", "sw1"], rate = "10 Mbps", delay = "1 ms" }
12 = { ends = ["sw1", "sw2"], rate = "10 Mbps", delay = "1 ms" }
b2 = { ends = ["b", "sw2"], rate = "10 Mbps", delay = "1 ms" }
c2 = { ends = ["c", "sw2"], rate = "10 Mbps", delay = "1 ms" }
[queue]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "window"
buffer = "100 cells"
[flow]
f = { from = "a", to = "b" }
g = { from = "b", to = "a" }
[udp]
u = { from = "c", to = "d", payload = "1000 B", rate = "8.3 Mbps" }
"#;

/// Two flows through one switch, with four hosts.
const TWO_PORTS: &str = r#"
duration = "1 s"
network = { technology = "atm", topology = "graph" }
node = { a.kind = "host", b.kind = "host", c.kind = "host", d.kind = "host", sw.kind = "switch" }
[link]
a = { ends = ["a", "sw"], rate = "20 Mbps", delay = "10 ms" }
b = { ends = ["b", "sw"], rate = "10 Mbps", delay = "1 ms" }
c = { ends = ["c", "sw"], rate = "20 Mbps", delay = "10 ms" }
d = { ends = ["d", "sw"], rate = "10 Mbps", delay = "1 ms" }
[port."sw->b"]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "window"
[flow]
f = { from = "a", to = "b" }
g = { from = "c", to = "d" }
"#;

const RATES: &str = "port.sw1->sw2.rate_algorithm=simplified-erica-plus";
const WINDOW: &str = "port.sw1->sw2.tcp_feedback=window";
const BUCKET: &str = "port.sw1->sw2.tcp_feedback=bucket";
const BOTH: &str = "port.sw1->sw2.tcp_feedback=both";

fn run(text: &str, sets: &[&str]) -> Records {
    lab::run(&scenario(text, sets), 1)
}

fn edge(records: &Records) -> EdgeRecord {
    port(records, "sw1->sw2").feedback.unwrap()
}

/// One source, one segment: nothing else happens, so all times are known. A cell takes 42.4 us of every link.
///
/// The last of 23 cells is at sw1 after 1975.2 us, in slot 47, whose end is 1992.8 us; it is at the receiver a cell and 5 ms and a cell
/// and 1 ms later, at 8077.6 us. The second cell of the acknowledgement is at sw1 after three cells and 6 ms more, at 14,204.8 us. Only now
/// both enter sw1->s1, in slot 336 (from 0): one is transmitted from 14,246.4 us on, the other one a cell later, and 1 ms later it has
/// arrived.
///
/// Interval 1 saw a load of 23 of 118 slots from one source: all of the 23,584.9 cells per second are its share. In 14 ms they carry
/// 14.36 segments.
#[test]
fn an_acknowledgement_leaves_the_edge_when_its_last_cell_has_come() {
    let sets = ["network.sources=1", RATES, WINDOW, "traffic.size=1024 B", "capture=[\"s1\"]"];
    let records = assert_engines_agree("one segment", &scenario(TWO_SOURCES, &sets), 1);
    let arrives = records.captures[0].packets.last().unwrap();
    assert_eq!((arrives.time, arrives.segment.ack), (Time::ZERO + Span::from_ps(15_331_200_000), 1024));
    assert_eq!(arrives.segment.window, Some(14 * 1024));
    let back = port(&records, "sw1->s1");
    assert_eq!((back.arrivals, back.max_queue), (2, 1), "both come together");
    let edge = edge(&records);
    assert_eq!((edge.acks, edge.windows_lowered, edge.allocation), (1, 1, Some(10e6)));
}

#[test]
fn the_engines_agree_with_every_kind_of_feedback() {
    let record = "record=[\"tcp\", \"send-window\", \"allocation\", \"ports\"]";
    for (feedback, window, bucket) in [(WINDOW, true, false), (BUCKET, false, true), (BOTH, true, true)] {
        let scenario = scenario(TWO_SOURCES, &[RATES, feedback, record, "capture=[\"s1\"]"]);
        let records = assert_engines_agree(feedback, &scenario, 1);
        let edge = edge(&records);
        assert!(edge.acks > 500 && edge.damaged_ack_frames == 0, "{edge:?}");
        assert_eq!((edge.windows_lowered > 100, edge.most_acks_waiting > 1), (window, bucket), "{edge:?}");
        assert!(port(&records, "sw1->s1").feedback.is_none());
        let queue = port(&records, "sw1->sw2").mean_queue;
        assert!(queue < 150.0, "{queue}");
        let goodput = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).sum::<f64>();
        assert!(goodput > 7e6, "{goodput}");
        for flow in &records.flows {
            assert_eq!((flow.counts.retransmissions, flow.counts.damaged_ack_frames), (0, 0));
        }
    }
    let without = run(TWO_SOURCES, &[]);
    assert!(port(&without, "sw1->sw2").mean_queue > 1000.0);
}

/// Each algorithm that computes rates, at every port of a chain, with losses, delayed acknowledgements, SACK, SYN and FIN.
/// At the end of a slot tail drop asks for room before it is known that nothing else goes then: a port without any, which a program can
/// make and no file, refuses all. A last port that gives rates was thought never to refuse anything.
#[test]
fn a_last_port_without_room_refuses_everything() {
    for (cells, refuses) in [(0, true), (1, false)] {
        let sets = ["queue.rate_algorithm=simplified-erica-plus", "queue.tcp_feedback=window"];
        let mut scenario = scenario(TWO_SOURCES, &sets);
        let last = scenario.links.iter_mut().find(|link| link.name == "sw2->d1").unwrap();
        Arc::make_mut(&mut last.queue).buffer = Buffer::Cells(cells);
        let records = assert_engines_agree("a last port", &scenario, 1);
        let last = port(&records, "sw2->d1");
        assert!(last.arrivals > 20 && last.max_queue == 0);
        assert_eq!(last.drops.overflow, if refuses { last.arrivals } else { 0 }, "{cells} cells");
    }
}

#[test]
fn the_engines_agree_on_chains_of_edges() {
    assert_engines_agree_on_chains_with_feedback(PARKING_LOT, |algorithm, records| {
        assert!(records.flows.iter().all(|flow| flow.completed.is_some()), "{algorithm}");
    });
}

/// Datagrams fill the port by which acknowledgements come to the edge device. An acknowledgement has two cells: whatever has come of
/// those that were damaged does not go on, and all others do.
#[test]
fn acknowledgements_that_lose_a_cell_are_discarded_at_the_edge() {
    for feedback in ["window", "bucket", "both"] {
        let chosen = format!("queue.tcp_feedback={feedback}");
        let scenario = scenario(TWO_DIRECTIONS, &["flow.g.size=1024 B", &chosen]);
        let records = assert_engines_agree(feedback, &scenario, 1);
        let edge = edge(&records);
        assert!(edge.damaged_ack_frames > 2, "{edge:?}");
        let flow = &records.flows[0];
        assert_eq!(flow.counts.damaged_ack_frames, 0, "nothing is lost behind the edge");
        let of_acks = |of: &str| port(&records, of).vcs.iter().find(|vc| &*vc.name == "f/ack").unwrap().clone();
        let (before, behind) = (of_acks("sw2->sw1"), of_acks("sw1->a"));
        assert!(before.drops >= edge.damaged_ack_frames);
        assert_eq!(behind.arrivals, 2 * edge.acks, "{feedback}: whole acknowledgements");
    }
}

/// Data in both directions and edges at both ends: the acknowledgements of each flow enter the port whose rates the other edge uses.
#[test]
fn edges_may_depend_on_each_other() {
    let records = assert_engines_agree(
        "two directions",
        &scenario(TWO_DIRECTIONS, &["queue.tcp_feedback=both", "udp.u.rate=1 Mbps"]),
        1,
    );
    let acks = |name| port(&records, name).feedback.unwrap().acks;
    let both = [acks("sw1->sw2"), acks("sw2->sw1")];
    assert!(both.iter().all(|acks| *acks > 100), "{both:?}");
}

/// The source of f follows its rate in RM cells as well; those are no part of the frames that are put together.
#[test]
fn edges_change_the_acknowledgements_of_abr_connections() {
    let sets = [RATES, WINDOW, "atm.service=abr", "tcp.receive_window=300000 B"];
    let records = assert_engines_agree("ABR", &scenario(TWO_SOURCES, &sets), 1);
    let edge = edge(&records);
    assert!(edge.acks > 500 && edge.windows_lowered > 400, "{edge:?}");
    assert!(port(&records, "sw1->sw2").rates.unwrap().allocation.is_some(), "it serves ABR connections, too");
    for flow in &records.flows {
        let abr = flow.abr.unwrap();
        assert!(abr.backward_rm_cells > 100 && abr.least_acr < 0.6 * 23_585.0, "{abr:?}");
        assert!(flow.goodput_after_warmup_bps.unwrap() > 3e6);
    }
}

/// A flow that leaves the edge device by another port, and comes back by another one.
#[test]
fn connections_of_other_ports_are_not_touched() {
    let with = run(TWO_PORTS, &[]);
    let without = run(TWO_PORTS, &["port.sw->b.tcp_feedback=none", "port.sw->b.rate_algorithm=none"]);
    assert!(with.ports.iter().any(|port| port.feedback.is_some_and(|feedback| feedback.windows_lowered > 10)));
    assert_ne!(with.flows[0], without.flows[0]);
    // Which shares there are to compare with depends on whether any port gives rates.
    let of_flow = |records: &Records| FlowRecord { max_min: None, ..records.flows[1].clone() };
    assert_eq!(of_flow(&with), of_flow(&without));
}

/// The heterogeneous N×N configuration of \[RATE-CONTROL\], with packets that take as much of a link as their cells: 23 cells of 53 octets
/// are 1219, and 1024 + 40 + 155 as well. The dialect is given, because its default differs: packet networks have `standard`, with an initial
/// window of ten segments, no tick and 12 octets of timestamps in each of them.
fn n_by_n(technology: &str, link_header: &str) -> String {
    format!(
        r#"
duration = "3 s"
warmup = "1 s"
[network]
technology = "{technology}"
topology = "n-by-n"
{link_header}
[queue]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "both"
feedback_round_trip = "70 ms"
[traffic]
start_jitter = "1 ms"
[tcp]
dialect = "osu"
mss = "1024 B"
receive_window = "600000 B"
recovery = "vanilla"
"#
    )
}

/// Jain's index after the warm-up, and the mean queue in packets of so many units: means over three starts.
fn fairness_and_queue(text: &str, sets: &[&str], units: f64) -> (f64, f64) {
    let (mut jain, mut queue) = (0.0, 0.0);
    for seed in 1..=3 {
        let mut run = sim::build(&scenario(text, sets), seed);
        while !run.step(Time::NEVER).finished() {}
        let records = run.finish();
        jain += records.after_warmup.as_ref().unwrap().fairness.unwrap() / 3.0;
        queue += port(&records, "sw1->sw2").mean_queue / units / 3.0;
    }
    (jain, queue)
}

/// The figure that decides: Jain's index within 0.02, the mean queue within a tenth. A packet is 23 cells.
#[test]
fn a_cell_port_is_as_fair_as_a_packet_port_and_its_queue_as_long() {
    let header = "[packet]\nlink_header = \"155 B\"";
    for sets in [&["queue.tcp_feedback=bucket"][..], &[]] {
        let packets = fairness_and_queue(&n_by_n("packet", header), sets, 1.0);
        let cells = fairness_and_queue(&n_by_n("atm", ""), sets, 23.0);
        assert!((packets.0 - cells.0).abs() < 0.02, "{sets:?}: {packets:?} {cells:?}");
        assert!((cells.1 / packets.1 - 1.0).abs() < 0.1, "{sets:?}: {packets:?} {cells:?}");
    }
}
