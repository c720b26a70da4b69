//! The dialect of ns-2: how long a file takes, and how many packets are sent again.

use ackclock::record::{Columns, Metric, Records};
use ackclock::scenario::Scenario;
use ackclock::sim::{Engine, build_with};
use ackclock::units::{Span, Time};

/// S1–R1–R2–D1 with rates in kb/s and one-way delays; `limit` counts the packet under way, as ns-2 does.
fn line(rates: [u32; 3], delays: [&str; 3], limit: u32, sets: &[&str]) -> Scenario {
    let mut text = "duration = \"400 s\"\nrecord = [\"acknowledged\"]\n[network]\ntechnology = \"packet\"\n\
                    topology = \"graph\"\n[node]\nS1.kind = \"host\"\nR1.kind = \"switch\"\nR2.kind = \"switch\"\n\
                    D1.kind = \"host\"\n[tcp]\ndialect = \"ns2-2001\"\n[flow.f]\nfrom = \"S1\"\nto = \"D1\"\n[link]\n"
        .to_owned();
    for (ends, (rate, delay)) in
        ["\"S1\", \"R1\"", "\"R1\", \"R2\"", "\"R2\", \"D1\""].iter().zip(rates.iter().zip(delays))
    {
        let name = ends.replace(['"', ',', ' '], "");
        text += &format!("{name} = {{ ends = [{ends}], rate = \"{rate} kbps\", delay = \"{delay}\" }}\n");
    }
    text += &format!(
        "[queue]\npolicy = \"tail-drop\"\nbuffer = \"49 packets\"\n[port.\"R1->R2\"]\nbuffer = \"{} packets\"\n",
        limit - 1
    );
    crate::lab::scenario(&text, sets)
}

/// When the file is through, as a program sees it that looks every millisecond whether packet `number` is acknowledged,
/// and how many packets were sent again until then.
fn transfer(scenario: Scenario, number: u64) -> (f64, u64) {
    transfer_with(scenario, number, 1)
}

fn transfer_with(mut scenario: Scenario, number: u64, seed: u64) -> (f64, u64) {
    let mss = u64::from(scenario.flows.iter().next().unwrap().tcp.mss);
    let whole = run_with(&scenario, seed);
    let Columns::Points { time, value } = &whole.series_of(Metric::Acknowledged) else { panic!() };
    let place = value.iter().position(|&bytes| bytes >= ((number + 1) * mss) as f64).expect("the file ends");
    let milliseconds = time[place].as_ps().div_ceil(1_000_000_000);
    scenario.duration = Span::from_ms(milliseconds);
    (milliseconds as f64 / 1000.0, run_with(&scenario, seed).flows[0].counts.retransmissions)
}

fn run_with(scenario: &Scenario, seed: u64) -> Records {
    let mut simulation = build_with(scenario, seed, Engine::Batched);
    simulation.step(Time::NEVER);
    simulation.records()
}

trait SeriesOf {
    fn series_of(&self, metric: Metric) -> Columns;
}

impl SeriesOf for Records {
    fn series_of(&self, metric: Metric) -> Columns {
        let series = self.series.iter().find(|series| series.metric == metric);
        series.expect("recorded").columns.clone()
    }
}

/// When files of 5 and 10 MB are through, and how much was sent again: as ns-2 2.35 has it with the settings of 2001. What
/// was published of it is in the study `vegas-a`.
#[test]
fn long_transfers_stay_as_they_are() {
    let mut text = String::new();
    let mut row = |algorithm: &str, what: &str, (seconds, again): (f64, u64)| {
        text += &format!("{algorithm:7}  {what}  {seconds:.3} s  {again:3} again\n");
    };
    for (algorithm, first) in [("reno", 5001), ("vegas", 5001)] {
        let algorithm_set = format!("tcp.congestion_control={algorithm}");
        for (delay, number) in [("2.5 ms", first), ("2.5 ms", 10_001), ("22.5 ms", first), ("22.5 ms", 10_001)] {
            let scenario = line([1000, 250, 250], [delay, delay, "5 ms"], 50, &[&algorithm_set]);
            row(algorithm, &format!("{delay:>7}  packet {number:5}"), transfer(scenario, number));
        }
        for limit in [10, 15, 20, 25, 30] {
            let scenario = line([1000, 500, 1000], ["20 ms", "5 ms", "5 ms"], limit, &[&algorithm_set]);
            row(algorithm, &format!("limit {limit}  packet 10001"), transfer(scenario, 10_001));
        }
    }
    for seed in 1..=3 {
        let scenario = line([1000, 250, 250], ["2.5 ms", "2.5 ms", "5 ms"], 50, &["tcp.congestion_control=vegas-a"]);
        row("vegas-a", &format!(" seed {seed}  packet  5001"), transfer_with(scenario, 5001, seed));
    }
    insta::assert_snapshot!(text);
}

/// Short transfers with losses, repaired by partial acknowledgements, by the fine timeout and by the coarse one: 301
/// packets at 437 kb/s through small buffers. Expected: ns-2 2.35 with the settings of 2001 (`precisionReduce_`,
/// `rfc2988_`, `newreno_changes1_`, `partial_window_deflation_` and `singledup_` 0), run for this test. With buffers of 2
/// and 3 packets arrivals coincide with departures, and which comes first differs.
#[test]
fn short_transfers_with_losses_are_those_of_ns2() {
    for (algorithm, limit, seconds, again) in [
        ("reno", 3, 6.515, 13),
        ("reno", 4, 6.395, 12),
        ("reno", 6, 6.449, 15),
        ("reno", 8, 6.557, 16),
        ("reno", 10, 6.698, 17),
        ("reno", 12, 6.803, 19),
        ("reno", 15, 6.932, 21),
        ("reno", 20, 7.293, 26),
        ("vegas", 4, 7.217, 6),
        ("vegas", 5, 7.137, 4),
        ("vegas", 8, 5.854, 0),
    ] {
        let algorithm = format!("tcp.congestion_control={algorithm}");
        let scenario = line([1000, 437, 991], ["20.3 ms", "5.1 ms", "5.7 ms"], limit, &[&algorithm]);
        assert_eq!(transfer(scenario, 301), (seconds, again), "{algorithm}, limit {limit}");
    }
}
