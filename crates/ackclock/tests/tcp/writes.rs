//! Applications that write their data piece by piece, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, line, scenario};
use ackclock::record::{Columns, FlowRecord, LimitedTimes, Records};
use ackclock::sim::{self, Engine};
use ackclock::units::{Span, Time};

/// 1 Mb/s, 1 ms each link; segments of 1000 bytes, 1040 on the wire: 8.32 ms a link. Two segments every 100 ms.
fn pieces(tcp: &str, sets: &[&str]) -> ackclock::scenario::Scenario {
    let head = "duration = \"10 s\"\n[traffic]\nwrite = \"2 segments\"";
    scenario(&line(head, "1 ms", &format!("mss = \"1000 B\"\n{tcp}")), sets)
}

fn run(name: &str, tcp: &str, sets: &[&str]) -> Records {
    assert_engines_agree(name, &pieces(tcp, sets), 1)
}

fn sent(record: &FlowRecord) -> [u64; 3] {
    [record.counts.segments_sent, record.counts.bytes_sent, record.counts.bytes_delivered]
}

/// The first segment of a piece is at the receiver two transmissions of 8.32 ms and two delays of 1 ms after it was written.
#[test]
fn pieces_are_sent_when_they_are_written() {
    let scenario = pieces("initial_window = \"2 segments\"", &["flow.f.start=30 ms"]);
    for engine in [Engine::Reference, Engine::Batched] {
        for piece in 0..20 {
            let arrival = Time::ZERO + Span::from_us(30_000 + 100_000 * piece + 2 * 9320);
            let mut simulation = sim::build_with(&scenario, 1, engine);
            let mut delivered = |time| {
                simulation.step(time);
                flow(&simulation.records(), "f").counts.bytes_delivered
            };
            let before = delivered(arrival);
            let now = delivered(arrival + Span::from_ps(1));
            assert_eq!((before, now), (2000 * piece, 2000 * piece + 1000), "{engine:?}");
        }
    }
}

#[test]
fn a_stop_and_a_size_end_the_writing() {
    // 100 pieces from 0 to 9.9 s.
    let all = run("all", "", &[]);
    assert_eq!(sent(flow(&all, "f")), [200, 200_000, 200_000]);
    // At 1 s a piece would be written; at 900 ms the last was.
    let stopped = run("stopped", "", &["flow.f.stop=1 s"]);
    assert_eq!(sent(flow(&stopped, "f")), [20, 20_000, 20_000]);
    let sized = run("sized", "", &["flow.f.size=4500 B"]);
    assert_eq!(sent(flow(&sized, "f")), [5, 4500, 4500]);
    // The third piece is half a segment, and acknowledged a round trip after 200 ms.
    let completed = flow(&sized, "f").completed.unwrap();
    assert!((200..230).contains(&(completed.as_ps() / 1_000_000_000)), "{completed:?}");
}

#[test]
fn a_fin_comes_after_the_last_piece_only() {
    let ends = "handshake = true\nfin = true\ndialect = \"standard\"";
    for sets in [&["flow.f.size=4000 B"][..], &["flow.f.stop=150 ms"]] {
        let records = run("fin", ends, &[sets, &["record=[\"cwnd\"]"]].concat());
        let record = flow(&records, "f");
        assert_eq!(record.counts.bytes_delivered, 4000, "{sets:?}");
        // The round trip of a SYN of 64 octets, with its options, is 6.048 ms: on each of four links 0.512 ms and 1 ms. The first
        // answer to a piece takes five times that, as both of its segments are waited for: 2 · 6.048 ms after it was written a probe
        // asks for it (RFC 8985 §7.2, no least time). With that answer, 30.496 ms, the smoothed round trip is 9.104 ms (RFC 6298 §2), and
        // the second piece, whose answer comes after 30 ms again, is probed for after 18.208 ms.
        assert_eq!(record.counts.retransmissions, 2, "{sets:?}");
        // The second answer to the first probe says that nothing was lost, although nothing is outstanding then: the window stays (§7.4.2).
        let Columns::Points { value, .. } = &records.series[0].columns else { panic!("no points") };
        assert_eq!(*value, [10_000.0], "{sets:?}");
    }
}

/// 20,000 bytes in 100 ms are 1.6 Mb/s, more than the link carries: pieces wait for their turn, as with an unlimited file.
#[test]
fn pieces_that_come_too_fast_wait_in_tcp() {
    let fast = run("fast", "", &["traffic.write=20 segments"]);
    let bulk = run("bulk", "", &["traffic.write=all"]);
    let [fast, bulk] = [&fast, &bulk].map(|records| flow(records, "f").counts.bytes_delivered);
    assert!(fast > 1_000_000 && fast.abs_diff(bulk) < 50_000, "{fast} {bulk}");
}

/// Losses are repaired although there is nothing new to send, and the connection goes on afterwards.
#[test]
fn lost_pieces_are_repaired() {
    for recovery in ["vanilla", "new-reno", "fall-floyd", "rfc6675", "rack"] {
        for host in ["immediate", "served"] {
            let tcp = format!("recovery = \"{recovery}\"\nhost = \"{host}\"");
            let records = run(&tcp, &tcp, &["flow.f.drops=[4, 5, 9]", "flow.f.stop=5 s"]);
            let record = flow(&records, "f");
            assert!(record.counts.retransmissions >= 3, "{tcp}");
            assert_eq!(record.counts.bytes_delivered, 100_000, "{tcp}");
        }
    }
}

/// Each stretch of time belongs to what kept the sender from sending more in it.
#[test]
fn what_limits_a_sender_is_known_over_time() {
    let limited = |name: &str, scenario: &ackclock::scenario::Scenario| {
        flow(&assert_engines_agree(name, scenario, 1), "f").limited
    };
    // Of a piece of two segments the window allows one until the first acknowledgement: two times 8.32 ms and 0.32 ms, and four
    // delays of 1 ms are 21.28 ms. From then on it allows both, and the next piece is waited for.
    let first = Span::from_us(21_280);
    let expected =
        LimitedTimes { congestion_window: first, application: Span::from_secs(10) - first, ..LimitedTimes::default() };
    assert_eq!(limited("pieces", &pieces("", &[])), expected);
    // Segments of 552 octets take 4.416 ms, acknowledgements 0.32 ms, each link 50 ms: the first comes back after 209.472 ms. Then
    // two segments may be outstanding, and the receiver allows no more.
    let first = Span::from_us(209_472);
    let two_segments = |head: &str| scenario(&line(head, "50 ms", "receive_window = \"1024 B\""), &[]);
    let expected = LimitedTimes {
        congestion_window: first,
        receive_window: Span::from_secs(10) - first,
        ..LimitedTimes::default()
    };
    assert_eq!(limited("window", &two_segments("duration = \"10 s\"")), expected);
    // Of a file of one segment the end is waited for; after that nothing limits.
    let expected = LimitedTimes { application: first, ..LimitedTimes::default() };
    assert_eq!(limited("file", &two_segments("duration = \"10 s\"\n[traffic]\nsize = \"512 B\"")), expected);
    // After a warm-up of 5 s there is nothing but the receiver.
    let records = assert_engines_agree("warm", &two_segments("duration = \"10 s\"\nwarmup = \"5 s\""), 1);
    let rest = &records.after_warmup.unwrap().limited[0];
    assert_eq!(*rest, LimitedTimes { receive_window: Span::from_secs(5), ..LimitedTimes::default() });
}
