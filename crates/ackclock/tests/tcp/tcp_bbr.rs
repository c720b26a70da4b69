//! BBR over whole paths, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{SECOND_FLOW, flow, port, scenario, two_senders};
use ackclock::record::{Columns, FlowRecord, Metric, Records, Series};
use ackclock::units::Time;

/// One flow over 10 Mb/s and 100 ms: 125 kB, 83 segments of 1500 octets.
fn path() -> String {
    let head = "duration = \"60 s\"\nrecord = [\"cwnd\", \"rtt\", \"sent\"]";
    two_senders(head, "1 Gbps", "40 ms", "1000 packets", "congestion_control = \"bbr1\"")
}

/// Version 3 in the place of version 1.
const V3: &str = "tcp.congestion_control=bbr3";

fn run(name: &str, sets: &[&str]) -> Records {
    assert_engines_agree(name, &scenario(&path(), sets), 1)
}

/// Bits per second of payload that the bottleneck can carry: segments of 1448 octets with headers and timestamps.
const CAPACITY: f64 = 10e6 * MSS / 1500.0;
const MSS: f64 = 1448.0;

fn share(flow: &FlowRecord) -> f64 {
    flow.goodput_bps / CAPACITY
}

fn points(records: &Records, metric: Metric) -> Vec<(Time, f64)> {
    let series: &Series = records.series.iter().find(|series| series.metric == metric && series.of == "f1").unwrap();
    let Columns::Points { time, value } = &series.columns else { panic!("{metric:?} has points") };
    time.iter().copied().zip(value.iter().copied()).collect()
}

/// One flow on a path with a buffer of 1.5 MB, which New Reno would fill: it gets at least this share, and next to nothing waits.
fn fills(name: &str, sets: &[&str], at_least: f64) -> Records {
    let records = run(name, sets);
    let bbr = flow(&records, "f1");
    assert!(share(bbr) > at_least, "{name}: {}", share(bbr));
    assert_eq!((bbr.counts.retransmissions, bbr.counts.timeouts), (0, 0), "{name}");
    assert!(port(&records, "sw1->sw2").mean_queue < 15.0, "{name}: Startup included");
    records
}

/// Two flows share it, each with more than this.
fn shared(name: &str, sets: &[&str], each: f64) {
    let shares: Vec<f64> = run(name, &[&SECOND_FLOW, sets].concat()).flows.iter().map(share).collect();
    assert!(shares.iter().sum::<f64>() > 0.9, "{name}: {shares:?}");
    assert!(shares.iter().all(|&share| share > each), "{name}: {shares:?}");
}

/// When the window first is below so many segments, a second or more apart, and how large it is then.
fn pauses(records: &Records, segments: f64) -> Vec<(f64, f64)> {
    let mut pauses: Vec<(f64, f64)> = Vec::new();
    for (time, cwnd) in points(records, Metric::Cwnd) {
        let (time, cwnd) = (time.as_secs_f64(), cwnd / MSS);
        if cwnd < segments && time > 1.0 && pauses.last().is_none_or(|&(last, _)| time > last + 1.0) {
            pauses.push((time, cwnd));
        }
    }
    pauses
}

/// A transfer of 1 MB that ends.
fn file(name: &str, sets: &[&str]) -> Time {
    let records = run(name, &[&["flow.f1.size=1 MB"], sets].concat());
    let bbr = flow(&records, "f1");
    assert_eq!(bbr.counts.bytes_delivered, 1_000_000, "{name}");
    bbr.completed.unwrap()
}

#[test]
fn the_path_is_filled_with_next_to_no_queue() {
    let records = fills("deep buffer", &[], 0.95);
    let late: Vec<f64> =
        points(&records, Metric::Rtt).iter().filter(|p| p.0.as_secs_f64() > 5.0).map(|p| p.1).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((0.1..0.115).contains(&mean), "mean round trip {mean} s");
}

#[test]
fn random_losses_hardly_matter() {
    let errors = "link.middle.errors={ model = \"uniform\", rate = 0.02, direction = \"sw1->sw2\" }";
    let bbr = share(flow(&run("random losses", &[errors]), "f1"));
    let cubic = share(flow(&run("random losses, CUBIC", &[errors, "tcp.congestion_control=cubic"]), "f1"));
    assert!(bbr > 0.85 && cubic < 0.3, "BBR {bbr}, CUBIC {cubic}");
}

/// Two flows always queue behind each other, so neither sees its shortest round trip again: four segments every ten
/// seconds.
#[test]
fn the_window_falls_to_four_segments_every_ten_seconds() {
    let pauses = pauses(&run("pauses", &SECOND_FLOW), 4.5);
    assert!((4..=6).contains(&pauses.len()) && pauses.iter().all(|pause| pause.1 == 4.0), "{pauses:?}");
    assert!(pauses.windows(2).all(|pair| (9.5..12.0).contains(&(pair[1].0 - pair[0].0))), "{pauses:?}");
}

/// At 10 Mb/s of payload and 1.25 at most, two segments are at least 0.9 ms apart once the path is known.
#[test]
fn segments_leave_one_by_one() {
    let records = run("pace", &[]);
    let sent = points(&records, Metric::Sent);
    let steady: Vec<f64> = sent.iter().map(|p| p.0.as_secs_f64()).filter(|&time| time > 5.0).collect();
    let least = steady.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
    let slot = MSS * 8.0 / CAPACITY;
    assert!(least > slot / 1.25 * 0.97, "{least} s");
}

#[test]
fn two_flows_share_a_path() {
    shared("two", &[], 0.25);
}

#[test]
fn a_file_ends_and_the_connection_closes() {
    let completed = file("file", &[]);
    assert!(completed < Time::from_ps(2_500_000_000_000), "{completed:?}");
}

/// A little less, as the window is bounded by twice what the path holds, and its pace is 1 % lower.
#[test]
fn version_3_fills_the_path_with_next_to_no_queue() {
    fills("deep buffer, version 3", &[V3], 0.93);
}

/// Half of 83 segments, every five seconds.
#[test]
fn version_3_halves_its_window_every_five_seconds() {
    let pauses = pauses(&run("pauses, version 3", &[V3]), 60.0);
    assert!((9..=12).contains(&pauses.len()), "{pauses:?}");
    assert!(pauses.iter().all(|pause| (40.0..43.0).contains(&pause.1)), "{pauses:?}");
    assert!(pauses.windows(2).all(|pair| (4.9..6.5).contains(&(pair[1].0 - pair[0].0))), "{pauses:?}");
}

/// A quarter of a bdp: version 1 knows no volume that the path takes, and loses again and again.
#[test]
fn version_3_finds_out_how_much_a_shallow_buffer_takes() {
    let lossy = |algorithm: &str| {
        let records = run("shallow buffer", &[SECOND_FLOW[0], SECOND_FLOW[1], "queue.buffer=20 packets", algorithm]);
        let sum: f64 = records.flows.iter().map(share).sum();
        (sum, records.flows.iter().map(|flow| flow.counts.retransmissions).sum::<u64>())
    };
    let ((one, lost_by_one), (three, lost_by_three)) = (lossy("tcp.congestion_control=bbr1"), lossy(V3));
    assert!(three > 0.9 && one > 0.9, "{three} {one}: RACK repairs what either loses");
    assert!(3 * lost_by_three < lost_by_one, "{lost_by_three} {lost_by_one}");
}

/// Below 2 % of losses it keeps its pace, above that it takes them for a path that is too full.
#[test]
fn version_3_tolerates_few_random_losses_and_not_many() {
    let with = |rate: &str| {
        let errors = format!("link.middle.errors={{ model = \"uniform\", rate = {rate}, direction = \"sw1->sw2\" }}");
        share(flow(&run("random losses, version 3", &[V3, &errors]), "f1"))
    };
    let (few, many) = (with("0.005"), with("0.02"));
    assert!(few > 0.85 && many < 0.8, "{few} {many}");
}

#[test]
fn a_file_ends_with_version_3() {
    file("file, version 3", &[V3]);
}

#[test]
fn two_flows_of_version_3_share_a_path() {
    shared("two, version 3", &[V3], 0.35);
}

/// 20 Mb/s and 600 ms with one loss in a thousand and a buffer of half a bdp: Startup loses every second segment of a window of
/// 4 MB. Whatever repairs that, through timeouts or without, the path is used afterwards. A sender that is stuck has 1.4 to
/// 4.8 Mb/s.
fn is_not_stuck(recovery: &str, algorithm: &str) {
    let text = format!(
        "duration = \"60 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n\
         [node]\ns.kind = \"host\"\na.kind = \"switch\"\nb.kind = \"switch\"\nd.kind = \"host\"\n\
         [link.up]\nends = [\"s\", \"a\"]\nrate = \"1 Gbps\"\ndelay = \"1 ms\"\n\
         [link.middle]\nends = [\"a\", \"b\"]\nrate = \"20 Mbps\"\ndelay = \"298 ms\"\n\
         errors = {{ model = \"uniform\", rate = 0.001, direction = \"a->b\" }}\n\
         [link.down]\nends = [\"b\", \"d\"]\nrate = \"1 Gbps\"\ndelay = \"1 ms\"\n\
         [queue]\nbuffer = \"750 kB\"\n\
         [tcp]\ndialect = \"standard\"\nrecovery = \"{recovery}\"\ncongestion_control = \"{algorithm}\"\nreceive_window = \"16 MB\"\n\
         [flow.f]\nfrom = \"s\"\nto = \"d\"\n"
    );
    let scenario = scenario(&text, &[]);
    for seed in 1..=5 {
        let goodput = crate::lab::run(&scenario, seed).flows[0].goodput_bps;
        assert!(goodput > 8e6, "{recovery}, {algorithm}, seed {seed}: {goodput:.0} b/s");
    }
}

#[test]
fn what_startup_loses_is_repaired_with_rfc_6675() {
    is_not_stuck("rfc6675", "bbr1");
}

#[test]
fn what_startup_loses_is_repaired_with_rack() {
    is_not_stuck("rack", "bbr1");
}

#[test]
fn what_startup_of_version_3_loses_is_repaired_with_rfc_6675() {
    is_not_stuck("rfc6675", "bbr3");
}

#[test]
fn what_startup_of_version_3_loses_is_repaired_with_rack() {
    is_not_stuck("rack", "bbr3");
}
