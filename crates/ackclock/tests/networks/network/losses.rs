//! Sources that end, segments and cells that are lost on purpose, and what is counted then.

use crate::lab::agree::assert_engines_agree;
use crate::lab::*;
use ackclock::record::{FlowRecord, Records};
use ackclock::sim;
use ackclock::units::{Span, Time};

#[test]
fn files_end_and_stopped_sources_fall_silent() {
    let records = run(&scenario(LAN, &["flow.f1.size=100 kB", "flow.f2.stop=300 ms", "flow.f3.start=1 s"]), 1);
    assert_eq!(flow(&records, "f1").counts.bytes_delivered, 100_000);
    assert!(flow(&records, "f1").completed.is_some());
    let stopped = flow(&records, "f2");
    assert_eq!(stopped.counts.bytes_delivered % 512, 0);
    assert!(stopped.counts.bytes_delivered < flow(&records, "f4").counts.bytes_delivered / 2);
    assert!(flow(&records, "f3").counts.bytes_delivered > 0);
}

/// One source on the LAN, whose queues take everything.
fn one_source() -> String {
    let one = LAN.replace("sources = 5", "sources = 1");
    one.replace("1000 cells", "infinite").replace("policy = \"selective-drop\"", "policy = \"tail-drop\"")
}

#[test]
fn forced_drops_lose_exactly_the_chosen_transmissions() {
    let drops = "flow.f1.drops=[40, 41, { segment = 41, transmission = 2 }]";
    let records = run(&scenario(&one_source(), &[drops]), 1);
    let flow = flow(&records, "f1");
    assert_eq!(flow.counts.forced_drops, 3);
    assert!(flow.counts.retransmissions >= 3, "40 once, 41 twice");
    assert_eq!(flow.counts.timeouts, 1, "a retransmission that is lost again is found only by the timer");
}

/// One source over an idle path with this round trip, and segments lost on purpose.
fn alone(sets: &[&str]) -> FlowRecord {
    flow(&run(&scenario(&one_source().replace("2 s", "60 s"), sets), 1), "f1").clone()
}

/// Six segments, of which 0 and 3 are lost. The timeout sends 0 again; its acknowledgement says 3 and opens the window
/// to two: 3, which is missing, and 4, which is held.
#[test]
fn what_the_receiver_held_is_counted_as_unnecessary() {
    let window = ["tcp.initial_window=6 segments", "traffic.size=3072 B", "flow.f1.drops=[0, 3]"];
    let flow = alone(&[&window[..], &["tcp.recovery=vanilla"]].concat());
    assert_eq!(
        (flow.counts.segments_sent, flow.counts.retransmissions, flow.counts.unnecessary_retransmissions),
        (9, 3, 1)
    );
    assert_eq!((flow.counts.timeouts, flow.counts.forced_drops, flow.counts.bytes_delivered), (1, 2, 3072));
    // A receiver that discards what is out of order needs all it had not delivered: 0 to 5 again.
    let flow = alone(&[&window[..], &["tcp.recovery=vanilla", "tcp.out_of_order=discard"]].concat());
    assert_eq!(
        (flow.counts.retransmissions, flow.counts.unnecessary_retransmissions, flow.counts.bytes_delivered),
        (6, 0, 3072)
    );
}

/// Figure 2 of [SACK-UBR] over a network: 32 segments are sent, the first three are lost. Reno halves at 0, at 1 and at
/// the timeout for 2; in between acknowledgements end recoveries, but nothing grows.
#[test]
fn three_adjacent_losses_under_reno_are_a_backoff_of_three() {
    let sets = |recovery: &'static str, drops: &'static str| {
        let window = ["tcp.initial_window=32 segments", "tcp.initial_ssthresh=16384 B", "network.trunk_delay=240 ms"];
        alone(&[&window[..], &["duration=6 s", recovery, drops]].concat())
    };
    let reno = sets("tcp.recovery=reno", "flow.f1.drops=[0, 1, 2]");
    assert_eq!((reno.counts.fast_retransmits, reno.counts.timeouts, reno.longest_backoff), (2, 1, 3));
    // New Reno repairs all three in one recovery.
    let new_reno = sets("tcp.recovery=new-reno", "flow.f1.drops=[0, 1, 2]");
    assert_eq!((new_reno.counts.fast_retransmits, new_reno.counts.timeouts, new_reno.longest_backoff), (1, 0, 1));
    assert_eq!(sets("tcp.recovery=reno", "flow.f1.drops=[]").longest_backoff, 0);
}

/// A file of as many segments as the window, of which the first so many are lost, over a path of 480 ms and some, on both engines. In
/// how many round trips it is complete: one if nothing is lost, and those of the recovery.
fn round_trips_of_sack(window: u32, lost: u32, sets: &[&str]) -> u64 {
    let lost: Vec<String> = (0..lost).map(|number| number.to_string()).collect();
    let chosen = [
        "network.trunk_delay=240 ms".to_owned(),
        "duration=10 s".to_owned(),
        format!("tcp.initial_window={window} segments"),
        format!("traffic.size={} B", window * 512),
        format!("flow.f1.drops=[{}]", lost.join(", ")),
    ];
    let all: Vec<&str> = chosen.iter().map(String::as_str).chain(sets.iter().copied()).collect();
    let records = assert_engines_agree(&format!("{sets:?}"), &scenario(&one_source(), &all), 1);
    let flow = flow(&records, "f1");
    assert_eq!((flow.counts.timeouts, flow.counts.fast_retransmits), (0, u64::from(!lost.is_empty())), "{sets:?}");
    flow.completed.expect("it is complete").since(Time::ZERO) / Span::from_ms(480)
}

/// 34 segments are sent, L are lost, 34 − L duplicates come, the third of which halves cwnd to 17. Something leaves when PIPE is 16 at
/// most, so of the 31 − L duplicates after the third the first ones lower PIPE only:
///
///     PIPE begins with           31       31 + 1   34       34 + 1
///     duplicates that only count 14       15       17       18
///     segments that leave        17 − L   16 − L   14 − L   13 − L
///
/// All L − 1 others leave in the first round trip if L is at most 9, 8, 7, 7; then the file takes 2 round trips, else 3.
#[test]
fn what_pipe_begins_with_decides_how_much_is_repaired_in_one_round_trip() {
    const COUNT: &str = "tcp.fall-floyd.count_first_retransmission=true";
    const CWND: &str = "tcp.fall-floyd.pipe_start=cwnd";
    assert_eq!(round_trips_of_sack(34, 0, &[]), 1);
    for (most, sets) in [(9, &[][..]), (8, &[COUNT]), (7, &[CWND]), (7, &[CWND, COUNT])] {
        assert_eq!(round_trips_of_sack(34, most, sets), 2, "{sets:?}");
        assert_eq!(round_trips_of_sack(34, most + 1, sets), 3, "{sets:?}");
    }
}

/// A window of ten segments is sent at 0; 0 is lost, and its retransmission, after a round trip of 480 ms and some, is lost again. The
/// first timeout is 30 ticks: from 0 it expires at tick 30, and from the fast retransmit, at which 4 ticks have passed, at tick 34.
#[test]
fn the_timer_that_a_fast_retransmit_restarts_expires_later() {
    for recovery in ["reno", "new-reno", "fall-floyd"] {
        for (restart, expiry) in [(false, 3000), (true, 3400)] {
            let text = one_source().replace("fall-floyd", recovery);
            let key = format!("tcp.restart_timer_on_fast_retransmit={restart}");
            let sets = [
                "network.trunk_delay=240 ms",
                "duration=6 s",
                "tcp.initial_window=10 segments",
                "traffic.size=5120 B",
                "flow.f1.drops=[0, { segment = 0, transmission = 2 }]",
                &key,
            ];
            let records = assert_engines_agree(recovery, &scenario(&text, &sets), 1);
            let expected = Time::ZERO + Span::from_ms(expiry);
            assert_eq!(flow(&records, "f1").timeout_times, [expected], "{recovery}, {key}");
        }
    }
}

/// A file of 16 segments; 0 to 3 and their retransmissions are lost, and 15. After the timeout, at cwnd 1, then 2, then 4, 0 to 6 are sent
/// again. 3 fills the hole: the receiver has all up to 15. 4, 5 and 6, which it held, make three duplicates of 15, below the 16 that
/// were sent before the timeout: a fast retransmit without the guard, none with it.
#[test]
fn the_guard_ignores_what_go_back_n_sends_needlessly() {
    for (guard, fast_retransmits) in [(false, 2), (true, 1)] {
        let lost_again: Vec<String> =
            (0..4).map(|number| format!("{number}, {{ segment = {number}, transmission = 2 }}")).collect();
        let sets = [
            "network.trunk_delay=240 ms".to_owned(),
            "duration=20 s".to_owned(),
            "tcp.initial_window=16 segments".to_owned(),
            "traffic.size=8192 B".to_owned(),
            format!("flow.f1.drops=[{}, 15]", lost_again.join(", ")),
            format!("tcp.fall-floyd.guard_after_timeout={guard}"),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let records = assert_engines_agree("guard", &scenario(&one_source(), &sets), 1);
        let counts = &flow(&records, "f1").counts;
        assert_eq!((counts.fast_retransmits, counts.timeouts), (fast_retransmits, 1), "guard {guard}");
    }
}

/// Timeouts of one segment in a row: lost once, twice, three times. The window grows only when it arrives.
#[test]
fn timeouts_in_a_row_are_one_backoff() {
    let sets = ["traffic.size=1024 B", "tcp.recovery=vanilla"];
    let drops = "flow.f1.drops=[0, { segment = 0, transmission = 2 }, { segment = 1, transmission = 1 }]";
    let flow = alone(&[&sets[..], &[drops]].concat());
    // Segment 0: two timeouts; it arrives and the window grows; segment 1: one more.
    assert_eq!((flow.counts.timeouts, flow.longest_backoff), (3, 2));
}

/// Two sources send two segments at the same instant, cell by cell, s1 first. One cell leaves per slot and two come, so
/// after slot n n cells wait, until the buffer is full.
fn two_at_once(sets: &[&str]) -> Records {
    let text = LAN.replace("sources = 5", "sources = 2").replace("2 s", "20 s");
    let fixed = ["queue.policy=tail-drop", "queue.service_order=fixed", "tcp.initial_window=2 segments"];
    run(&scenario(&text, &[&fixed[..], &["flow.f2.size=1024 B"], sets].concat()), 1)
}

/// f1 is 12 + 11 cells, f2 12 + 12. 22 wait after slot 22. In slot 23 one leaves, the last cell of f1 comes in, the 23rd
/// of f2 does not. In slot 24 one leaves, and the last of f2, alone now, finds room: it ends a frame that lacks a cell.
#[test]
fn a_frame_that_lacks_a_cell_is_damaged_once() {
    let records = two_at_once(&["flow.f1.size=976 B", "queue.buffer=22 cells"]);
    assert_eq!(port(&records, "sw1->sw2").drops.overflow, 1);
    let [f1, f2] = ["f1", "f2"].map(|name| flow(&records, name));
    assert_eq!((f1.counts.damaged_frames, f1.counts.timeouts, f1.counts.bytes_delivered), (0, 0, 976));
    assert_eq!(
        (f2.counts.damaged_frames, f2.counts.timeouts, f2.counts.bytes_delivered),
        (1, 1, 1024),
        "sent again, it arrives"
    );
    assert_eq!(
        (f2.counts.retransmissions, f2.counts.unnecessary_retransmissions, f2.counts.damaged_ack_frames),
        (1, 0, 0)
    );
}

/// 24 cells each, with room for 23: in slot 24 one leaves, the last of f1 comes in, the last of f2 does not. Nothing ends
/// f2's frame but the end of its retransmission, which it spoils: two are one damaged frame. The third arrives.
#[test]
fn a_frame_without_its_end_takes_the_next_one_with_it() {
    let records = two_at_once(&["flow.f1.size=1024 B", "queue.buffer=23 cells"]);
    assert_eq!(port(&records, "sw1->sw2").drops.overflow, 1);
    let [f1, f2] = ["f1", "f2"].map(|name| flow(&records, name));
    assert_eq!((f1.counts.damaged_frames, f1.counts.timeouts, f1.counts.bytes_delivered), (0, 0, 1024));
    assert_eq!((f2.counts.damaged_frames, f2.counts.timeouts, f2.counts.bytes_delivered), (1, 2, 1024));
    assert_eq!((f2.counts.retransmissions, f2.counts.unnecessary_retransmissions), (2, 0));
}

/// A timeout of one tick is over at the next tick, often while the second of two segments that an
/// acknowledgement lets go waits for the first. It is taken back, although its link is free again before the batch ends.
#[test]
fn what_waits_within_a_batch_is_taken_back_where_a_timer_may_expire_at_once() {
    let text = r#"
        duration = "120 s"
        [network]
        technology = "packet"
        topology = "dumbbell"
        sources = 3
        access_rate = "1 Mbps"
        access_delay = "20 ms"
        bottleneck_rate = "10 Mbps"
        bottleneck_delay = "20 ms"
        [tcp]
        dialect = "osu"
        mss = "1460 B"
        receive_window = "5840 B"
        tick = "149 ms"
        min_rto = "1 tick"
        initial_rto = "149 ms"
        max_rto = "149 ms"
        [traffic]
        start_jitter = "149 ms"
    "#;
    let records = assert_engines_agree("timers of one tick", &scenario(text, &[]), 1);
    let taken_back: u64 = records.flows.iter().map(|flow| flow.counts.segments_discarded_in_host).sum();
    assert!(taken_back > 100, "{taken_back}");
}

/// 20 packets of 1500 octets at 1 Mb/s: one begins every 12 ms, so 0 to 8 have begun when the timer expires at 100 ms,
/// and 11 wait. They are taken back: only 0 is sent again. At 300 ms nothing waits, and the first acknowledgement comes
/// after 400 ms.
#[test]
fn a_timeout_takes_back_what_waits_in_the_host() {
    let text = r#"
        duration = "60 s"
        [network]
        technology = "packet"
        topology = "dumbbell"
        sources = 1
        access_rate = "1 Mbps"
        access_delay = "1 ms"
        bottleneck_rate = "10 Mbps"
        bottleneck_delay = "200 ms"
        [tcp]
        dialect = "osu"
        mss = "1460 B"
        initial_window = "20 segments"
        tick = "10 ms"
        initial_rto = "100 ms"
        [traffic]
        size = "29200 B"
    "#;
    let mut simulation = sim::build(&scenario(text, &[]), 1);
    simulation.step(Time::ZERO + Span::from_ms(100));
    assert_eq!(flow(&simulation.records(), "f1").counts.segments_discarded_in_host, 0);
    simulation.step(Time::ZERO + Span::from_ms(400));
    let early = simulation.records();
    assert_eq!((flow(&early, "f1").counts.timeouts, flow(&early, "f1").counts.segments_discarded_in_host), (2, 11));
    // 0 to 8, and 0 twice more, have reached the switch.
    assert_eq!(port(&early, "sw1->sw2").arrivals, 11);
    simulation.step(Time::NEVER);
    let records = simulation.records();
    let flow = flow(&records, "f1");
    assert_eq!(
        (flow.counts.bytes_delivered, flow.completed.is_some()),
        (29_200, true),
        "everything arrives all the same"
    );
    let crossed = port(&records, "sw1->sw2").vcs.iter().find(|vc| &*vc.name == "f1").unwrap().arrivals;
    assert_eq!(crossed, flow.counts.segments_sent - flow.counts.segments_discarded_in_host);
}
