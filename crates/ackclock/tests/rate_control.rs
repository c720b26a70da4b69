//! Rate control of TCP at routers: window feedback and the acknowledgement bucket, in networks.

mod lab;

use ackclock::record::{Columns, EdgeRecord, Metric, PortRecord, Records};
use ackclock::sim;
use lab::agree::assert_engines_agree;
use lab::scenario;

/// The heterogeneous N×N configuration of \[RATE-CONTROL\], with packets that take as much of a link as their cells would.
const N_BY_N: &str = r#"
duration = "1 s"
warmup = "500 ms"
[network]
technology = "packet"
topology = "n-by-n"
[packet]
link_header = "155 B"
[tcp]
mss = "1024 B"
receive_window = "600000 B"
recovery = "vanilla"
"#;

/// Four routers in a row, with a flow over all of them and one over each link, and few bytes of buffer.
const PARKING_LOT: &str = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "parking-lot"
switches = 4
rate = "10 Mbps"
access_delay = "1 ms"
trunk_delay = "3 ms"
[queue]
buffer = "20 packets"
[tcp]
dialect = "standard"
receive_window = "400000 B"
"#;

const RATES: &str = "queue.rate_algorithm=simplified-erica-plus";

fn run(text: &str, sets: &[&str]) -> Records {
    let mut run = sim::build(&scenario(text, sets), 1);
    while !run.step(ackclock::units::Time::NEVER).finished() {}
    run.finish()
}

fn port<'a>(records: &'a Records, name: &str) -> &'a PortRecord {
    records.ports.iter().find(|port| port.name == name).unwrap()
}

fn edge(records: &Records, name: &str) -> EdgeRecord {
    port(records, name).feedback.unwrap()
}

#[test]
fn the_engines_agree_with_every_kind_of_feedback() {
    for feedback in ["window", "bucket", "both"] {
        let feedback = format!("queue.tcp_feedback={feedback}");
        let records = assert_engines_agree(&feedback, &scenario(N_BY_N, &[RATES, &feedback]), 1);
        let edge = edge(&records, "sw1->sw2");
        assert!(edge.acks > 1000 && edge.allocation.is_some());
        assert_eq!(edge.windows_lowered > 100, !feedback.contains("bucket"));
        assert_eq!(edge.most_acks_waiting > 100, !feedback.contains("window"));
    }
}

/// Each algorithm that computes rates; several routers on a path; losses, delayed acknowledgements, SACK, SYN and FIN; all that
/// can be recorded.
#[test]
fn the_engines_agree_on_chains_of_routers() {
    let algorithms = ["simplified-erica-plus", "erica", "erica-plus", "capc", "max-min"];
    for (algorithm, feedback) in algorithms.into_iter().zip(["window", "bucket", "both"].into_iter().cycle()) {
        let mut chosen = vec![format!("queue.rate_algorithm={algorithm}"), format!("queue.tcp_feedback={feedback}")];
        if algorithm != "max-min" {
            chosen.push(format!("queue.{algorithm}.averaging_interval=10 ms"));
        }
        let mut sets: Vec<&str> = chosen.iter().map(String::as_str).collect();
        sets.extend([
            "record=[\"tcp\", \"send-window\", \"allocation\", \"ports\"]",
            "tcp.handshake=true",
            "tcp.fin=true",
        ]);
        sets.extend(["traffic.size=300 kB", "tcp.delayed_ack=true"]);
        let records = assert_engines_agree(algorithm, &scenario(PARKING_LOT, &sets), 2);
        let edges: Vec<EdgeRecord> = records.ports.iter().filter_map(|port| port.feedback).collect();
        assert_eq!(edges.iter().filter(|edge| edge.acks > 0).count(), 7, "three trunks, and four ports to receivers");
    }
}

/// The window is what the rate fills in the fixed time, and without a rate what the receiver advertises.
#[test]
fn senders_follow_the_window() {
    let sets = [RATES, "queue.tcp_feedback=window", "queue.feedback_round_trip=70 ms", "record=[\"send-window\"]"];
    let records = run(N_BY_N, &sets);
    let windows =
        records.series.iter().find(|series| series.metric == Metric::SendWindow && series.of == "C1").unwrap();
    let Columns::Points { value, .. } = &windows.columns else { panic!() };
    let steady = &value[value.len() / 2..];
    let mean = steady.iter().sum::<f64>() / steady.len() as f64;
    assert!((40_000.0..100_000.0).contains(&mean), "{mean}");
    assert!(steady.iter().all(|window| window % 1024.0 == 0.0), "whole segments");
}

/// \[RATE-CONTROL\] §4.1, case b: the receiver's window is less than what the rate fills.
#[test]
fn a_small_receiver_window_is_not_changed_at_all() {
    let small = "tcp.receive_window=4096 B";
    let without = run(N_BY_N, &[small]);
    let with = run(N_BY_N, &[small, RATES, "queue.tcp_feedback=window", "queue.feedback_round_trip=70 ms"]);
    assert_eq!(edge(&with, "sw1->sw2").windows_lowered, 0);
    assert_eq!(without.flows, with.flows);
}

/// Released acknowledgements of a flow are as far apart as the rate says; here it is fixed.
#[test]
fn a_bucket_releases_at_the_rate() {
    let sets = [
        "queue.rate_algorithm=max-min",
        "queue.max-min.target_utilisation=1",
        "queue.tcp_feedback=bucket",
        "tcp.receive_window=131072 B",
        "duration=3 s",
        "warmup=2 s",
    ];
    let records = run(N_BY_N, &sets);
    // Windows of 128 segments are enough for a fifteenth of the link in every round trip.
    let goodputs: Vec<f64> = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).collect();
    let share = 155.52e6 / 15.0 * 1024.0 / 1219.0;
    for goodput in goodputs {
        assert!((goodput / share - 1.0).abs() < 0.01, "{goodput} of {share}");
    }
}

/// Two flows in opposite directions whose acknowledgements enter the ports whose rates the other one's router uses: rates and
/// acknowledgements depend on each other at one instant.
#[test]
fn the_engines_agree_on_feedback_in_both_directions() {
    let text = r#"
duration = "500 ms"
[network]
technology = "packet"
topology = "graph"
[node]
a.kind = "host"
r.kind = "switch"
b.kind = "host"
[link.left]
ends = ["a", "r"]
rate = "10 Mbps"
delay = "1 ms"
[link.right]
ends = ["r", "b"]
rate = "5 Mbps"
delay = "1 ms"
[queue]
rate_algorithm = "simplified-erica-plus"
[flow.f]
from = "a"
to = "b"
[flow.g]
from = "b"
to = "a"
"#;
    for feedback in ["window", "bucket", "both"] {
        let chosen = format!("queue.tcp_feedback={feedback}");
        let records = assert_engines_agree(feedback, &scenario(text, &[&chosen]), 1);
        assert!(records.ports.iter().all(|port| port.feedback.unwrap().acks > 10));
    }
}
