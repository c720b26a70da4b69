//! Receivers whose applications do not read at once, over a whole path and on both engines.
//! Sources: RFC 9293 §3.8.6; docs/models/reading.md.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::packet::{SackBlock, Segment, SegmentKind};
use ackclock::record::{Captured, Records};
use ackclock::tcp::{ReadingParams, Sender, TcpParams, sack_option};
use ackclock::units::{Rate, Time};

use crate::pair::{GREEDY, MSS, clock, new_reno, params, rfc6675};

/// 10 Mb/s and a round trip of 100 ms and 0.93 ms, a window of 20 segments; the buffer holds all of them.
fn run(name: &str, sets: &[&str]) -> Records {
    let text = "duration = \"9 s\"\ncapture = [\"d1\"]\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
         access_rate = \"10 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Mbps\"\nbottleneck_delay = \"48 ms\"\n\
         [queue]\nbuffer = \"100 packets\"\n[tcp]\ndialect = \"standard\"\nmss = \"1000 B\"\nreceive_window = \"20 kB\"\n\
         delayed_ack = false\nwindow_scale = 0\n";
    assert_engines_agree(name, &scenario(text, sets), 1)
}

/// It reads at once until 1 s, and again from 5 s on.
const PAUSE: &str =
    "flow.f1.reads=[\"1 Gbps\", { at = \"1 s\", rate = \"0 bps\" }, { at = \"5 s\", rate = \"1 Gbps\" }]";

/// When window probes come to the receiver, seconds.
fn probes(records: &Records) -> Vec<f64> {
    let packets = records.captures[0].packets.iter();
    packets
        .filter(|packet| !packet.sent && packet.segment.kind == SegmentKind::Probe)
        .map(|packet| packet.time.as_secs_f64())
        .collect()
}

/// Windows that the receiver advertises, with their instants.
fn advertised(records: &Records) -> Vec<(f64, u32)> {
    let packets = records.captures[0].packets.iter().filter(|packet| packet.sent);
    packets.filter_map(|packet| Some((packet.time.as_secs_f64(), packet.segment.window?))).collect()
}

/// Twenty segments come after it has stopped reading. One second after the last acknowledgement (RTO) the sender sends a probe, then after two;
/// when it reads again, there is a window update, and data goes on.
#[test]
fn a_zero_window_is_probed_until_it_opens() {
    let records = run("paused", &[PAUSE]);
    let windows = advertised(&records);
    let closed = windows.iter().find(|(_, window)| *window == 0).expect("it is zero").0;
    assert!((1.0..1.2).contains(&closed), "{closed}");
    // A window has room beyond what was read.
    let held = windows.iter().filter(|(time, _)| *time > 1.0 && *time <= closed).count();
    assert_eq!(held, 20);
    // The sender gets it 50 ms later, and the probe takes 50 ms.
    let probes = probes(&records);
    assert_eq!(probes.len(), 2, "{probes:?}");
    for (probe, expected) in probes.iter().zip([closed + 1.1, closed + 3.1]) {
        assert!((probe - expected).abs() < 0.01, "{probes:?}, zero at {closed}");
    }
    assert!(windows.iter().any(|(time, window)| (time - probes[1]).abs() < 1e-6 && *window == 0), "an answer at once");
    let (opened, window) = *windows.iter().find(|(time, window)| *time > closed && *window > 0).expect("it opens");
    assert!((5.0..5.001).contains(&opened) && window == 2000, "{opened} {window}");
    let counts = flow(&records, "f1").counts;
    assert_eq!((counts.retransmissions, counts.timeouts, counts.fast_retransmits), (0, 0, 0));
    // What has just arrived is not read when it is acknowledged: 19 segments in 0.10093 s, but for slow start and the pause.
    let segments = counts.bytes_delivered as f64 / 1000.0;
    assert!((segments - 19.0 * (9.0 - 4.0) / 0.10093).abs() < 30.0, "{segments}");
}

/// The window update is lost: only the next probe finds that out. The pause is longer than the timeout, so that ten segments follow at once
/// (restart_after_idle), and not nineteen.
#[test]
fn a_lost_window_update_is_found_by_a_probe() {
    let all = advertised(&run("advertised", &[PAUSE]));
    // The answer to the SYN is the first packet of the receiver.
    let first = 1 + all.iter().position(|(time, _)| *time >= 5.0).unwrap();
    let lost: Vec<String> = (0..10).map(|n| (first + n).to_string()).collect();
    let errors = format!("link.\"sw2->sw1\".errors={{ model = \"list\", packets = [{}] }}", lost.join(", "));
    let records = run("lost", &[PAUSE, &errors]);
    let probes = probes(&records);
    assert_eq!(probes.len(), 3, "{probes:?}");
    let data = records.captures[0].packets.iter().filter(|packet| !packet.sent && packet.segment.payload() > 0);
    let after = |packet: &Captured| packet.time.as_secs_f64() - probes[2];
    assert_eq!(data.filter(|packet| (0.0..0.15).contains(&after(packet))).count(), 10);
    let counts = flow(&records, "f1").counts;
    assert_eq!((counts.retransmissions, counts.timeouts), (0, 0));
    let silent = run("not lost", &[PAUSE]).flows[0].counts.bytes_delivered - counts.bytes_delivered;
    // From 5 s until the answer to the third probe, 7 s after the window was zero.
    assert!((silent as f64 / 1000.0 - 19.0 * (probes[2] - 5.0) / 0.10093).abs() < 15.0, "{silent}");
}

/// 1 Mb/s of 10: what is delivered is what is read and a window; without SACK no window update is taken for a duplicate acknowledgement.
#[test]
fn a_slow_reader_is_the_bottleneck() {
    for recovery in ["rack", "new-reno", "rfc6675"] {
        let sets = ["flow.f1.reads=1 Mbps", &format!("tcp.recovery={recovery}")];
        let records = run(&format!("slow, {recovery}"), &sets);
        let counts = flow(&records, "f1").counts;
        assert_eq!((counts.retransmissions, counts.timeouts, counts.fast_retransmits), (0, 0, 0), "{recovery}");
        let delivered = counts.bytes_delivered as f64;
        let read = 1e6 / 8.0 * (9.0 - 0.15);
        assert!((read..read + 21_000.0).contains(&delivered), "{recovery}: {delivered}");
        // Never more than the buffer is there that was not read.
        for (time, window) in advertised(&records) {
            assert!(window <= 20_000, "{time}");
        }
    }
}

/// Losses, a slow reader with pauses, and a file: it arrives whole.
#[test]
fn a_file_arrives_whole_although_the_reader_pauses_and_packets_are_lost() {
    let reads =
        "flow.f1.reads=[\"2 Mbps\", { at = \"1 s\", rate = \"0 bps\" }, { at = \"1500 ms\", rate = \"4 Mbps\" }]";
    let errors = "link.\"sw1->sw2\".errors={ model = \"uniform\", rate = 0.02 }";
    for recovery in ["rack", "new-reno"] {
        let sets = [reads, errors, "flow.f1.size=600 kB", &format!("tcp.recovery={recovery}"), "duration=60 s"];
        let records = run(&format!("file, {recovery}"), &sets);
        assert_eq!(flow(&records, "f1").counts.bytes_delivered, 600_000);
        assert!(
            flow(&records, "f1").completed.is_some() && flow(&records, "f1").counts.retransmissions > 3,
            "{recovery}"
        );
    }
}

/// Windows of one segment and a half, and windows in units of 16 KiB, which go back by a part of one: with losses, nobody waits for ever.
#[test]
fn odd_windows_end_too() {
    let reads = "flow.f1.reads=[\"2 Mbps\", { at = \"1 s\", rate = \"0 bps\" }, { at = \"2 s\", rate = \"4 Mbps\" }]";
    let errors = "link.\"sw1->sw2\".errors={ model = \"uniform\", rate = 0.03 }";
    for recovery in ["rack", "new-reno", "rfc6675", "reno"] {
        for (window, more) in
            [("1400 B", "tcp.mss=1000 B"), ("1999 B", "tcp.delayed_ack=true"), ("100 kB", "tcp.window_scale=14")]
        {
            let sets = [
                reads,
                errors,
                "flow.f1.size=150 kB",
                &format!("tcp.recovery={recovery}"),
                &format!("tcp.receive_window={window}"),
                more,
                "duration=120 s",
            ];
            let records = run(&format!("odd, {recovery}, {window}"), &sets);
            assert_eq!(flow(&records, "f1").counts.bytes_delivered, 150_000, "{recovery}, {window}");
        }
    }
}

/// The first of ten segments is missing. Larger windows with the block of before are no duplicate acknowledgements; of those with more in the block
/// the third is.
#[test]
fn a_window_update_behind_a_hole_is_no_duplicate() {
    let reading = Some(ReadingParams { rates: vec![(Time::ZERO, Rate::from_bps(1_000_000))] });
    let mut sender = Sender::new(&TcpParams { reading, ..params(rfc6675(), 10) }, GREEDY, clock());
    sender.on_timer(Time::ZERO);
    while sender.poll_segment(Time::ZERO).is_some() {}
    let mut window_update = |held: u64, window: u32| {
        let sack = sack_option::of_stream(&[SackBlock { start: MSS, end: (1 + held) * MSS }]);
        sender.on_segment(Time::ZERO, Segment { sack, window: Some(window), ..Segment::default() });
        sender.stats().fast_retransmits
    };
    assert_eq!([6000, 7000, 8000, 9000].map(|window| window_update(1, window)), [0; 4]);
    assert_eq!([2, 3].map(|held| window_update(held, 9000)), [0, 1]);
}

/// Ten segments are sent, and then the window is taken back to less than one: after a timeout the first that is missing is sent again all the same.
#[test]
fn what_was_sent_is_repaired_although_the_window_was_taken_back() {
    let reading = Some(ReadingParams { rates: vec![(Time::ZERO, None)] });
    let mut sender = Sender::new(&TcpParams { reading, ..params(new_reno(), 10) }, GREEDY, clock());
    sender.on_timer(Time::ZERO);
    while sender.poll_segment(Time::ZERO).is_some() {}
    sender.on_segment(Time::ZERO, Segment { ack: MSS, window: Some(100), ..Segment::default() });
    assert_eq!(sender.poll_segment(Time::ZERO), None);
    let timeout = sender.next_deadline().expect("the timer runs");
    sender.on_timer(timeout);
    assert_eq!(sender.poll_segment(timeout).map(|segment| segment.seq), Some(MSS));
    assert_eq!((sender.poll_segment(timeout), sender.timeouts().len()), (None, 1));
}
