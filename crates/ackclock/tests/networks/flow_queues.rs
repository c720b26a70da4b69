//! Disciplines of several queues in whole networks, on both engines: shares of greedy flows, and how long thin flows wait.

use ackclock::measure::{Expression, Period, Run};
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::{Span, Time};

use crate::lab::agree::assert_engines_agree;
use crate::lab::*;

/// What a queue may send in its turn, octets.
const QUANTUM: u64 = 1514;

fn milliseconds(scenario: &Scenario, records: &Records, measure: &str) -> f64 {
    Expression::parse(measure).unwrap().value(&Run::new(scenario, records, Period::Measured)).unwrap() * 1000.0
}

const DUMBBELL: &str = r#"
duration = "12 s"
warmup = "5 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 5
access_rate = "1 Gbps"
access_delay = "1 ms"
bottleneck_rate = "50 Mbps"
bottleneck_delay = "8 ms"
[queue]
buffer = "1000 packets"
policy = "fq-codel"
[tcp]
dialect = "standard"
congestion_control = "cubic"
mss = "1448 B"
"#;

/// Sources that send more than their shares. With packets of one size they differ by two quanta at most; of different sizes by two
/// packets and a quantum ([SV96] §4, theorem 3).
#[test]
fn greedy_flows_have_equal_shares_in_any_tenth_of_a_second() {
    let source = |(payload, number): (u64, usize)| {
        format!(
            "[udp.u{number}]\nfrom = \"s{number}\"\nto = \"d{number}\"\nrate = \"20 Mbps\"\npayload = \"{payload} B\"\n"
        )
    };
    let largest_difference = |policy: &str, payloads: [u64; 4]| {
        let sources: String = payloads.into_iter().zip(1..).map(source).collect();
        let later =
            ["flow.f1.start=1 h", "flow.f2.start=1 h", "flow.f3.start=1 h", "flow.f4.start=1 h", "flow.f5.start=1 h"];
        let scenario =
            scenario(&format!("{DUMBBELL}{sources}"), &[&later[..], &[&format!("queue.policy={policy}")]].concat());
        let mut simulation = sim::build(&scenario, 1);
        let (mut before, mut largest) = ([0; 4], 0);
        for tenth in 10..100 {
            simulation.step(Time::ZERO + Span::from_ms(100 * tenth));
            let records = simulation.records();
            let udp = &port(&records, "sw1->sw2").vcs;
            let sent: [u64; 4] = std::array::from_fn(|number| {
                let vc = udp.iter().find(|vc| vc.name.starts_with(&format!("u{}", number + 1))).unwrap();
                vc.departures * (payloads[number] + 28)
            });
            let of_tenth: [u64; 4] = std::array::from_fn(|number| sent[number] - before[number]);
            if tenth > 10 {
                largest = largest.max(of_tenth.iter().max().unwrap() - of_tenth.iter().min().unwrap());
            }
            before = sent;
        }
        largest
    };
    let (equal, different) = ([1472; 4], [1472, 972, 472, 172]);
    for policy in ["fq-codel", "drr"] {
        let differences = (largest_difference(policy, equal), largest_difference(policy, different));
        assert!(differences.0 <= 2 * QUANTUM && differences.1 <= 2 * 1500 + QUANTUM, "{policy}: {differences:?}");
    }
    assert!(largest_difference("tail-drop", different) > 20 * QUANTUM);
}

/// Whatever their congestion controls, which share a FIFO unequally.
#[test]
fn different_controls_have_equal_goodputs() {
    let jain = |policy: &str| {
        let tcps = ["cubic", "reno", "bbr3", "illinois", "vegas-linux"];
        let words: Vec<String> =
            tcps.iter().zip(1..).map(|(tcp, n)| format!("flow.f{n}.tcp.congestion_control={tcp}")).collect();
        let sets: Vec<&str> = words.iter().map(String::as_str).collect();
        let scenario = scenario(DUMBBELL, &[&[&*format!("queue.policy={policy}")], &sets[..]].concat());
        assert_engines_agree(policy, &scenario, 1).after_warmup.unwrap().fairness.unwrap()
    };
    let (fifo, fq_codel, drr) = (jain("tail-drop"), jain("fq-codel"), jain("drr"));
    assert!(fifo < 0.8 && fq_codel > 0.95 && drr > 0.99, "{fifo} {fq_codel} {drr}");
}

/// The wait of a thin flow's packets at the port is at most a quantum of each of the other flows, and what is being transmitted.
#[test]
fn a_thin_flow_hardly_waits() {
    let thin = "[udp.thin]\nfrom = \"s1\"\nto = \"d1\"\nrate = \"100 kbps\"\npayload = \"172 B\"\n";
    let wait = |policy: &str| {
        let scenario = scenario(&format!("delays = true\n{DUMBBELL}{thin}"), &[&format!("queue.policy={policy}")]);
        let records = assert_engines_agree(policy, &scenario, 3);
        // 200 octets on three links.
        milliseconds(&scenario, &records, "p95(one-way-delay: thin)") - (10.0 + 1.6e-3 + 32e-3 + 1.6e-3)
    };
    let of_quanta = 5.0 * QUANTUM as f64 * 8.0 / 50e6 * 1000.0;
    let fq_codel = wait("fq-codel");
    assert!(fq_codel <= of_quanta, "{fq_codel} ms, {of_quanta} ms");
    assert!(wait("tail-drop") > 50.0);
}

/// The scenario of the documentation: 50 and 10 Mb/s, 20 ms.
#[test]
fn a_call_beside_an_upload_and_a_download() {
    let text = include_str!("../../../../scenarios/fq-codel.toml");
    let wait = |policy: &str| {
        let scenario = scenario(text, &[&format!("queue.policy={policy}")]);
        let records = assert_engines_agree(policy, &scenario, 1);
        let p95 = |call: &str| milliseconds(&scenario, &records, &format!("p95(one-way-delay: {call})"));
        let goodput = |name: &str| flow(&records, name).goodput_after_warmup_bps.unwrap();
        // With tail drop the acknowledgements of the download wait behind the upload.
        let least = if policy == "fq-codel" { 40e6 } else { 15e6 };
        assert!(goodput("upload") > 8e6 && goodput("download") > least, "{policy}: {}", goodput("download"));
        // Without the delays of the links, each way.
        p95("call-up") + p95("call-down") - 20.0
    };
    let (tail_drop, fq_codel) = (wait("tail-drop"), wait("fq-codel"));
    assert!(tail_drop > 200.0 && fq_codel < 10.0, "{tail_drop} ms, {fq_codel} ms");
}
