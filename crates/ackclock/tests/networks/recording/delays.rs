//! Delays from end to end, round trips, and losses of datagrams.

use super::*;

/// Datagrams of 1000 octets from `s` over `r` to `d`, 8 ms apart; and a flow beside them.
const TWO_LINKS: &str = r#"
duration = "2 s"
network = { technology = "packet", topology = "graph" }
node = { s.kind = "host", s2.kind = "host", r.kind = "switch", d.kind = "host" }
[link]
first = { ends = ["s", "r"], rate = "10 Mbps", delay = "10 ms" }
second = { ends = ["s2", "r"], rate = "10 Mbps", delay = "10 ms" }
last = { ends = ["r", "d"], rate = "2 Mbps", delay = "30 ms" }
[packet]
link_header = "0 B"
[queue]
buffer = "10 packets"
[tcp]
dialect = "osu"
mss = "960 B"
recovery = "new-reno"
[flow]
f = { from = "s2", to = "d", start = "1 s" }
[udp]
u = { from = "s", to = "d", rate = "1 Mbps", payload = "1000 B", dither = false }
"#;

fn ps(span: Option<Span>) -> u64 {
    span.unwrap().as_ps()
}

fn both_engines(scenario: &Scenario) -> [Records; 2] {
    let _ = assert_engines_agree("delays", scenario, 1);
    [Engine::Reference, Engine::Batched].map(|engine| run(scenario, engine))
}

#[test]
fn one_way_delays_by_hand() {
    let mut scenario = crate::lab::scenario(TWO_LINKS, &[]);
    scenario.recording.delays = true;
    for records in both_engines(&scenario) {
        let delays = records.udp[0].delays.as_ref().unwrap();
        // 1028 octets: 822.4 us at 10 Mb/s, 4.112 ms at 2 Mb/s, and 40 ms.
        assert_eq!(ps(delays.one_way.min()), 44_934_400_000);
        assert_eq!(delays.one_way.count(), records.udp[0].counts.delivered);
        // In the second half they wait behind at most ten packets of 1000 octets and one in transmission.
        let most = 44_934_400_000 + 11 * 4_112_000_000;
        assert!((50_000_000_000..most).contains(&ps(delays.one_way.max())), "{:?}", delays.one_way.max());
        assert!(ps(delays.jitter.max()) > 0 && ps(delays.jitter.min()) == 0);
        assert_eq!(delays.jitter.count(), delays.one_way.count() - 1);
        // A segment of 1000 octets: 800 us and 4 ms; its acknowledgement of 40: 160 us and 32 us.
        let delays = records.flows[0].delays.as_ref().unwrap();
        assert_eq!(ps(delays.one_way.min()), 44_800_000_000);
        assert!(ps(delays.round_trip.min()) >= 84_992_000_000 && delays.round_trip.count() > 3);
        assert!(delays.one_way.count() > 20 && delays.one_way.count() * 960 >= records.flows[0].counts.bytes_delivered);
    }
}

#[test]
fn what_ends_in_the_warm_up_has_no_delay() {
    let mut scenario = crate::lab::scenario(TWO_LINKS, &["warmup=500 ms", "duration=1 s"]);
    scenario.recording.delays = true;
    for records in both_engines(&scenario) {
        let delays = records.udp[0].delays.as_ref().unwrap();
        // Datagram n arrives at 8 n + 44.9344 ms: from n = 57 (500.9344 ms) to 119 (996.9344 ms).
        let one_way = &delays.one_way;
        assert_eq!((one_way.count(), ps(one_way.min()), ps(one_way.max())), (63, 44_934_400_000, 44_934_400_000));
        assert_eq!((delays.jitter.count(), ps(delays.jitter.max())), (63, 0));
        // They are at the port, which is idle, 10.8224 ms after they are sent: from n = 62 (506.8224) to 123 (994.8224).
        let sojourn = crate::lab::port(&records, "r->d").sojourn.as_ref().unwrap();
        assert_eq!((sojourn.count(), ps(sojourn.max())), (62, 0));
        assert_eq!(records.flows[0].delays.as_ref().unwrap().one_way, Histogram::default(), "it has not begun");
    }
}

#[test]
fn delays_of_cells_end_with_the_last_cell() {
    let mut scenario = crate::lab::scenario(crate::lab::LAN, &["duration=300 ms"]);
    scenario.recording.delays = true;
    // The first segment is alone.
    for (flow, number) in scenario.flows.iter_mut().zip(0..) {
        flow.start = Time::ZERO + Span::from_ms(20 * number);
    }
    for records in both_engines(&scenario) {
        // 512 octets, 40 of headers, 8 of LLC and 8 of the trailer: 12 cells. The last is out 12 cell times after the
        // segment was handed down, and takes one more on each of two links; it waits for the end of a slot once, and each
        // link is 5 us long.
        let cell = 2_726_337;
        let least = 14 * cell + 15_000_000;
        for flow in &records.flows {
            let one_way = &flow.delays.as_ref().unwrap().one_way;
            assert!(ps(one_way.min()) > least && one_way.count() * 512 >= flow.counts.bytes_delivered);
        }
        let first = ps(crate::lab::flow(&records, "f1").delays.as_ref().unwrap().one_way.min());
        assert!(first <= least + cell, "{first}");
        let port = crate::lab::port(&records, "sw1->sw2");
        sojourns_agree(port, records.simulated);
        // As many cells as may wait, at most.
        let sojourn = port.sojourn.as_ref().unwrap();
        assert_eq!(ps(sojourn.max()), port.max_queue * cell, "a cell that finds so many before it");
    }
}

#[test]
fn losses_of_datagrams_are_shares_of_what_is_sent() {
    // All in one interval.
    let mut scenario = crate::lab::scenario(LOSSY, &["udp.u.rate=400 kbps"]);
    scenario.recording.interval = scenario.duration;
    // Alone, which nothing else numbers packets for.
    scenario.recording.metrics = [Metric::Loss].into_iter().collect();
    let records = assert_engines_agree("loss", &scenario, 1);
    let source = &records.udp[0];
    let (time, share) = points(find(&records, Metric::Loss, "u", None));
    assert!(source.counts.lost > 0 && records.series.len() == 1);
    assert_eq!((time, share), (&[Time::ZERO][..], &[source.counts.lost as f64 / source.counts.sent as f64][..]));
    // Over seconds, more is lost while the link is down.
    scenario.recording.interval = Span::from_ms(500);
    let records = assert_engines_agree("loss over time", &scenario, 1);
    let (_, shares) = points(find(&records, Metric::Loss, "u", None));
    assert!(shares.len() > 4 && shares.iter().all(|share| (0.0..=1.0).contains(share)));
}

/// RFC 7323 §4.1: every acknowledgement of new data is a sample, delayed acknowledgements and losses included; both engines.
#[test]
fn with_timestamps_every_acknowledgement_of_new_data_is_a_round_trip() {
    let head = "duration = \"5 s\"\nrecord = [\"rtt\", \"acknowledged\"]";
    let text = crate::lab::two_senders(head, "1 Gbps", "40 ms", "20 packets", "");
    let records = assert_engines_agree("samples", &crate::lab::scenario(&text, &[]), 1);
    let of = |metric| points(find(&records, metric, "f1", None));
    let (acknowledged, rtt) = (of(Metric::Acknowledged), of(Metric::Rtt));
    // The first is that of the beginning, when nothing is acknowledged.
    assert_eq!(acknowledged.0[1..], rtt.0[..]);
    assert!(rtt.0.len() > 500, "{}", rtt.0.len());
    let is_whole = |rtt: f64| ((rtt * 1000.0).round() - rtt * 1000.0).abs() < 1e-6;
    assert!(rtt.1.iter().all(|&rtt| rtt >= 0.099 && is_whole(rtt)), "whole ticks of 1 ms, 100 ms but for one");
}
