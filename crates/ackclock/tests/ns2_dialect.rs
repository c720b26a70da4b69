//! The dialect of ns-2 against published numbers of [VEGAS-A] that are deterministic: how long a file takes, and how
//! many packets are sent again, to the last printed digit.

mod lab;

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
    lab::scenario(&text, sets)
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
    (milliseconds as f64 / 1000.0, run_with(&scenario, seed).flows[0].retransmissions)
}

fn run(scenario: &Scenario) -> Records {
    run_with(scenario, 1)
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

/// [VEGAS-A] Tables 9 and 10: 20 and 100 ms. In the last row the table has 62; ns-2 2.35 with these settings has 63.
#[test]
fn new_reno_takes_as_long_as_in_tables_9_and_10() {
    let rates = [1000, 250, 250];
    for (first, number, seconds, again) in [
        ("2.5 ms", 5001, 162.353, 58),
        ("2.5 ms", 10_001, 322.353, 62),
        ("22.5 ms", 5001, 166.505, 59),
        ("22.5 ms", 10_001, 326.505, 63),
    ] {
        assert_eq!(
            transfer(line(rates, [first, first, "5 ms"], 50, &[]), number),
            (seconds, again),
            "{first} {number}"
        );
    }
}

/// [VEGAS-A] Table 11: the smaller the buffer, the earlier the losses. The table rounds up to tenths of a second.
#[test]
fn new_reno_takes_as_long_as_in_table_11() {
    let rates = [1000, 500, 1000];
    for (limit, seconds, again) in
        [(10, 161.3, 106), (15, 161.6, 74), (20, 161.9, 61), (25, 162.2, 56), (30, 162.5, 55)]
    {
        let (exact, retransmissions) = transfer(line(rates, ["20 ms", "5 ms", "5 ms"], limit, &[]), 10_001);
        assert_eq!(((exact * 10.0).ceil() / 10.0, retransmissions), (seconds, again), "limit {limit}: {exact} s");
    }
}

/// [VEGAS-A] Tables 9 to 11, Vegas. Nothing is sent again.
#[test]
fn vegas_takes_as_long_as_in_tables_9_to_11() {
    let transfer = |rates, delays, limit, number| transfer(line(rates, delays, limit, &["tcp.growth=vegas"]), number);
    for (first, number, seconds) in [
        ("2.5 ms", 5001, 160.253),
        ("2.5 ms", 10_001, 320.253),
        ("22.5 ms", 5001, 160.651),
        ("22.5 ms", 10_001, 320.651),
    ] {
        assert_eq!(transfer([1000, 250, 250], [first, first, "5 ms"], 50, number), (seconds, 0), "{first} {number}");
    }
    for limit in [10, 15, 20, 25, 30] {
        let (exact, again) = transfer([1000, 500, 1000], ["20 ms", "5 ms", "5 ms"], limit, 10_001);
        assert_eq!(((exact * 10.0).ceil() / 10.0, again), (160.4, 0), "limit {limit}: {exact} s");
    }
}

/// [VEGAS-A] Table 8: three sources behind slower and faster access, 1800 s. The table counts 1024 bits as a kilobit,
/// of packets sent, and cuts off.
#[test]
fn vegas_shares_as_in_table_8() {
    let mut text = "duration = \"1800 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[tcp]\n\
                    dialect = \"ns2-2001\"\ngrowth = \"vegas\"\n[queue]\npolicy = \"tail-drop\"\nbuffer = \"49 packets\"\n\
                    [node]\nR1.kind = \"switch\"\nR2.kind = \"switch\"\n"
        .to_owned();
    for number in 1..=3 {
        text += &format!("S{number}.kind = \"host\"\nD{number}.kind = \"host\"\n");
    }
    text += "[link]\nm = { ends = [\"R1\", \"R2\"], rate = \"400 kbps\", delay = \"5 ms\" }\n";
    for (number, rate) in [(1, 128), (2, 256), (3, 512)] {
        text +=
            &format!("a{number} = {{ ends = [\"S{number}\", \"R1\"], rate = \"{rate} kbps\", delay = \"2.5 ms\" }}\n");
        text += &format!("b{number} = {{ ends = [\"R2\", \"D{number}\"], rate = \"400 kbps\", delay = \"2.5 ms\" }}\n");
    }
    for number in 1..=3 {
        text += &format!("[flow.f{number}]\nfrom = \"S{number}\"\nto = \"D{number}\"\n");
    }
    let records = run(&lab::scenario(&text, &[]));
    let kilobits = |sent: u64| (sent as f64 * 8000.0 / 1800.0 / 1024.0 * 100.0).floor() / 100.0;
    let shares: Vec<f64> = records.flows.iter().map(|flow| kilobits(flow.segments_sent)).collect();
    assert_eq!(shares, [123.34, 146.85, 120.46]);
}

/// Short transfers with losses, repaired by partial acknowledgements, by the fine timeout and by the coarse one: 301
/// packets at 437 kb/s through small buffers. Expected: ns-2 2.35 with the settings of 2001 (`precisionReduce_`,
/// `rfc2988_`, `newreno_changes1_`, `partial_window_deflation_` and `singledup_` 0), run for this test. With buffers of 2
/// and 3 packets arrivals coincide with departures, and which comes first differs.
#[test]
fn short_transfers_with_losses_are_those_of_ns2() {
    for (growth, limit, seconds, again) in [
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
        let growth = format!("tcp.growth={growth}");
        let scenario = line([1000, 437, 991], ["20.3 ms", "5.1 ms", "5.7 ms"], limit, &[&growth]);
        assert_eq!(transfer(scenario, 301), (seconds, again), "{growth}, limit {limit}");
    }
}

/// [VEGAS-A] Table 7: five Vegas that start 50 s apart; a newcomer takes the queue that it finds for a part of the path, and
/// gets more. Bits per second from the start to 899.9 s, of packets sent. The last number is misprinted as 266913.
#[test]
fn late_vegas_get_more_as_in_table_7() {
    let mut text = "duration = \"899.9 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[tcp]\n\
                    dialect = \"ns2-2001\"\ngrowth = \"vegas\"\n[queue]\npolicy = \"tail-drop\"\nbuffer = \"49 packets\"\n\
                    [node]\nR1.kind = \"switch\"\nR2.kind = \"switch\"\n"
        .to_owned();
    for number in 1..=5 {
        text += &format!("S{number}.kind = \"host\"\nD{number}.kind = \"host\"\n");
    }
    text += "[link]\nm = { ends = [\"R1\", \"R2\"], rate = \"1 Mbps\", delay = \"1 ns\" }\n";
    for number in 1..=5 {
        text += &format!("a{number} = {{ ends = [\"S{number}\", \"R1\"], rate = \"1 Mbps\", delay = \"10 ms\" }}\n");
        text += &format!("b{number} = {{ ends = [\"R2\", \"D{number}\"], rate = \"1 Mbps\", delay = \"50 ms\" }}\n");
    }
    for number in 1..=5 {
        let start = 50 * (number - 1);
        text += &format!("[flow.f{number}]\nfrom = \"S{number}\"\nto = \"D{number}\"\nstart = \"{start} s\"\n");
    }
    let records = run(&lab::scenario(&text, &[]));
    let rates: Vec<f64> = records
        .flows
        .iter()
        .enumerate()
        .map(|(number, flow)| flow.segments_sent as f64 * 8000.0 / (899.9 - 50.0 * number as f64))
        .collect();
    let rounded: Vec<f64> = rates.iter().map(|rate| rate.round()).collect();
    assert_eq!(rounded, [218_531.0, 191_533.0, 206_176.0, 247_585.0, 269_913.0]);
    assert!(records.flows.iter().all(|flow| flow.retransmissions == 0));
}

/// [VEGAS-A] Tables 9 and 11: Vegas-A takes as long as Vegas, and hardly anything is lost unless the buffer is small.
/// Which packets wait depends on chance, so these are the claims of the study, under several seeds.
#[test]
fn vegas_a_keeps_the_virtues_of_vegas() {
    for seed in 1..=5 {
        let scenario = line([1000, 250, 250], ["2.5 ms", "2.5 ms", "5 ms"], 50, &["tcp.growth=vegas-a"]);
        let (seconds, again) = transfer_with(scenario, 5001, seed);
        assert!(seconds - 160.253 <= 0.1 && again <= 2, "seed {seed}: {seconds} s, {again}");
        for (limit, most) in [(10, 12), (15, 5), (25, 5)] {
            let scenario = line([1000, 500, 1000], ["20 ms", "5 ms", "5 ms"], limit, &["tcp.growth=vegas-a"]);
            let (_, again) = transfer_with(scenario, 10_001, seed);
            assert!(again <= most, "seed {seed}, limit {limit}: {again}");
        }
    }
}
