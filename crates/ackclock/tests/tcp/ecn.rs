//! Explicit congestion notification (RFC 3168): senders and receivers by hand, and whole networks on both engines.

use std::collections::BTreeMap;

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, packet_network, port, run, scenario};
use crate::pair::{GREEDY, MSS, clock, new_reno, params, rfc6675};
use ackclock::packet::{Ecn, SackBlock, Segment, SegmentKind};
use ackclock::record::{Columns, Metric, Records, Series};
use ackclock::tcp::cc::{self, Window};
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn with_ecn(params: TcpParams) -> TcpParams {
    TcpParams { ecn: EcnParams { mode: EcnMode::Classic, ..EcnParams::default() }, ..params }
}

/// A sender that has sent its window of so many segments at time 0.
fn sender(params: &TcpParams) -> Sender {
    let mut sender = Sender::new(params, GREEDY, clock());
    sender.on_timer(Time::ZERO);
    drain(&mut sender, 0);
    sender
}

/// Number and bits of what is sent.
fn drain(sender: &mut Sender, ms: u64) -> Vec<(u64, Ecn)> {
    let segments = std::iter::from_fn(|| sender.poll_segment(at(ms))).take(1000);
    segments.map(|segment| (segment.seq / MSS, segment.ecn)).collect()
}

/// An acknowledgement of everything before segment `number` comes, with an echo or without.
fn answer(sender: &mut Sender, ms: u64, number: u64, echoes: bool) -> Vec<(u64, Ecn)> {
    let ecn = if echoes { Ecn::ECE } else { Ecn::NOT_ECT };
    sender.on_segment(at(ms), Segment { ack: number * MSS, ecn, ..Segment::default() });
    drain(sender, ms)
}

fn segments(bytes: f64) -> f64 {
    bytes / MSS as f64
}

fn windows(sender: &Sender) -> (f64, f64) {
    let Window { cwnd, ssthresh } = sender.window();
    (segments(cwnd), segments(ssthresh))
}

#[test]
fn a_window_of_marks_is_one_reduction_and_nothing_is_sent_again() {
    // Eight are outstanding, 0 to 7. The first echo halves the window; others of these eight do not.
    let mut sender = sender(&with_ecn(params(rfc6675(), 8)));
    assert_eq!(answer(&mut sender, 100, 1, true), []);
    assert_eq!(windows(&sender), (4.0, 4.0));
    for number in 2..=4 {
        answer(&mut sender, 100 + number, number, true);
        assert_eq!(windows(&sender), (4.0, 4.0));
    }
    // Four are outstanding. From now on one is sent for each; the first has CWR. Without an echo nothing grows before 8 is acknowledged.
    assert_eq!(answer(&mut sender, 105, 5, true), [(8, Ecn::ECT_0.with(Ecn::CWR))]);
    assert_eq!(answer(&mut sender, 106, 6, false), [(9, Ecn::ECT_0)]);
    answer(&mut sender, 107, 8, true);
    assert_eq!(windows(&sender), (4.0, 4.0), "8 is the first byte after the reduction");
    // What was sent after the reduction is another window of data.
    answer(&mut sender, 108, 9, true);
    assert_eq!(windows(&sender), (2.0, 2.0));
    assert_eq!((sender.stats().ecn_reductions, sender.stats().retransmissions), (2, 0));
}

fn proportional(params: TcpParams) -> TcpParams {
    let params = with_ecn(params);
    TcpParams { ecn: EcnParams { is_proportional: true, ..params.ecn }, ..params }
}

/// Twenty are outstanding, and ten are to be: of each two that are delivered one is replaced, from the first on (RFC 9937 §6.2). With the
/// eighteenth acknowledgement ten are in flight, and from then on that many are. At once nothing would leave for ten acknowledgements.
#[test]
fn in_proportion_every_second_is_replaced() {
    for recovery in [rfc6675(), new_reno()] {
        let mut sender = sender(&proportional(params(recovery, 20)));
        let left: Vec<usize> =
            (1..=20).map(|number| answer(&mut sender, 100 + number, number, number == 1).len()).collect();
        assert_eq!(left, [[0, 1].repeat(8), vec![0, 0, 1, 1]].concat());
        assert_eq!(windows(&sender), (10.0, 10.0));
        // What was sent after the reduction is acknowledged: the window is ssthresh, and grows.
        (21..=30).for_each(|number| drop(answer(&mut sender, 200 + number, number, false)));
        let cwnd = windows(&sender).0;
        assert!((10.9..11.1).contains(&cwnd), "{cwnd}");
        assert_eq!((sender.stats().ecn_reductions, sender.stats().retransmissions), (1, 0));
    }
}

/// Few acknowledgements come, each of four segments of sixteen: two leave with each of the first two. Then eight are in flight, and are with each
/// that follows.
#[test]
fn in_proportion_acknowledgements_of_many_count_for_what_they_deliver() {
    let mut sender = sender(&proportional(params(rfc6675(), 16)));
    let left = [4, 8, 12, 16].map(|number| answer(&mut sender, 100 + number, number, number == 4).len());
    assert_eq!(left, [2, 2, 0, 4]);
    assert_eq!(windows(&sender), (8.0, 8.0));
}

/// Windows of one and two segments have nothing to come down to: one is left, at once.
#[test]
fn small_windows_come_down_at_once() {
    for (before, after) in [(1, (1.0, 2.0)), (2, (1.0, 2.0)), (3, (3.0, 2.0))] {
        let mut sender = sender(&proportional(params(rfc6675(), before)));
        answer(&mut sender, 100, 1, true);
        assert_eq!(windows(&sender), after, "{before}");
    }
}

/// The first of twenty is missing: the third report of others begins a recovery, which lowers the window at once, and marks do not raise it again.
#[test]
fn a_recovery_ends_a_reduction_in_proportion() {
    let mut sender = sender(&proportional(params(rfc6675(), 20)));
    let report = |sender: &mut Sender, held: u64, echoes: bool| {
        let blocks = [SackBlock { start: MSS, end: (1 + held) * MSS }];
        let ecn = if echoes { Ecn::ECE } else { Ecn::NOT_ECT };
        sender.on_segment(at(100 + held), Segment { sack: sack_option::of_stream(&blocks), ecn, ..Segment::default() });
        drain(sender, 100 + held).len()
    };
    report(&mut sender, 1, true);
    assert_eq!(windows(&sender), (19.5, 10.0));
    report(&mut sender, 2, true);
    assert_eq!(windows(&sender).1, 10.0, "one window of data");
    assert_eq!(report(&mut sender, 3, true), 1, "what is missing");
    assert_eq!(windows(&sender), (10.0, 10.0));
    (4..20).for_each(|held| {
        report(&mut sender, held, false);
    });
    answer(&mut sender, 200, 20, false);
    assert_eq!(windows(&sender), (10.0, 10.0));
    assert_eq!((sender.stats().ecn_reductions, sender.stats().fast_retransmits), (1, 1));
}

#[test]
fn a_timeout_ends_a_reduction_in_proportion() {
    let mut sender = sender(&proportional(params(rfc6675(), 20)));
    answer(&mut sender, 100, 1, true);
    assert_eq!(windows(&sender), (19.5, 10.0));
    sender.on_timer(at(20_000));
    assert_eq!(drain(&mut sender, 20_000), [(1, Ecn::NOT_ECT)]);
    assert_eq!(windows(&sender).0, 1.0);
    answer(&mut sender, 20_100, 20, false);
    assert_eq!(windows(&sender).0, 2.0);
}

#[test]
fn the_window_grows_again_once_the_reduction_is_acknowledged() {
    let mut sender = sender(&with_ecn(params(rfc6675(), 8)));
    answer(&mut sender, 100, 1, true);
    (5..=8).for_each(|number| drop(answer(&mut sender, 100 + number, number, false)));
    assert_eq!(windows(&sender).0, 4.0);
    // Four acknowledgements after segment 8: about one segment.
    (9..=13).for_each(|number| drop(answer(&mut sender, 200 + number, number, false)));
    let cwnd = windows(&sender).0;
    assert!((4.9..5.3).contains(&cwnd), "{cwnd}");
}

#[test]
fn an_echo_ends_slow_start() {
    let start = TcpParams { initial_ssthresh: None, ..params(rfc6675(), 8) };
    let mut sender = sender(&with_ecn(start));
    answer(&mut sender, 100, 1, true);
    assert_eq!(windows(&sender), (4.0, 4.0));
}

/// The first of eight is lost, 4 is marked: 1 to 3 arrive, are reported, and the loss halves the window; the echoes after it are of the same
/// window of data. The other way round the loss is repaired, and lowers nothing.
#[test]
fn a_loss_and_a_mark_of_one_window_are_one_reduction() {
    let duplicate = |sender: &mut Sender, ms, held: u64, echoes: bool| {
        let blocks = [SackBlock { start: MSS, end: held * MSS }];
        let ecn = if echoes { Ecn::ECE } else { Ecn::NOT_ECT };
        sender.on_segment(at(ms), Segment { sack: sack_option::of_stream(&blocks), ecn, ..Segment::default() });
        drain(sender, ms)
    };
    let mut first_lost = sender(&with_ecn(params(rfc6675(), 8)));
    let sent: Vec<_> = (2..=4).flat_map(|held| duplicate(&mut first_lost, 98 + held, held, false)).collect();
    assert!(sent.contains(&(0, Ecn::NOT_ECT)), "what is sent again cannot be marked: {sent:?}");
    (5..=8).for_each(|held| drop(duplicate(&mut first_lost, 98 + held, held, true)));
    answer(&mut first_lost, 200, 8, true);
    let stats = first_lost.stats();
    assert_eq!((windows(&first_lost).1, stats.ecn_reductions, stats.fast_retransmits), (4.0, 0, 1));
    // An echo first: three are held by then.
    let mut marked_first = sender(&with_ecn(params(rfc6675(), 8)));
    duplicate(&mut marked_first, 100, 2, true);
    assert_eq!(windows(&marked_first), (4.0, 4.0));
    let sent: Vec<_> = (3..=8).flat_map(|held| duplicate(&mut marked_first, 98 + held, held, true)).collect();
    assert_eq!(sent.iter().filter(|(number, _)| *number == 0).count(), 1, "{sent:?}");
    let stats = marked_first.stats();
    assert_eq!((windows(&marked_first).1, stats.ecn_reductions, stats.fast_retransmits), (4.0, 1, 1));
}

/// Segment 0 is sent again although it was only late. What says so comes after a mark: the reduction for the mark stays.
#[test]
fn a_mark_stays_when_a_loss_before_it_was_none() {
    for (echoes, undone) in [(false, 1), (true, 0)] {
        let mut params = with_ecn(params(rfc6675(), 8));
        params.sack.duplicates = true;
        params.window_rules.undo = Undo::Dsack;
        let mut sender = sender(&params);
        let mut sent = Vec::new();
        for held in 2..=8 {
            let sack = sack_option::of_stream(&[SackBlock { start: MSS, end: held * MSS }]);
            sender.on_segment(at(98 + held), Segment { sack, ..Segment::default() });
            sent.extend(drain(&mut sender, 98 + held).into_iter().map(|(number, _)| number));
        }
        let next = sent.iter().max().expect("new data as well") + 1;
        assert!(sent.contains(&0) && sender.stats().fast_retransmits == 1);
        answer(&mut sender, 200, next - 1, false);
        answer(&mut sender, 210, next, echoes);
        let marked = windows(&sender);
        let sack = sack_option::of_stream(&[SackBlock { start: 0, end: MSS }]);
        sender.on_segment(at(220), Segment { ack: next * MSS, sack, ..Segment::default() });
        assert_eq!((sender.stats().ecn_reductions, sender.stats().undone_reductions), (1 - undone, undone));
        assert_eq!(windows(&sender) == marked, echoes, "{:?}", windows(&sender));
    }
}

/// RFC 3168 §6.1.2: at a window of one segment the next waits for as long as the retransmission timer would.
#[test]
fn a_mark_in_a_window_of_one_segment_delays_the_next() {
    let mut sender = sender(&with_ecn(params(rfc6675(), 2)));
    answer(&mut sender, 100, 1, true);
    assert_eq!(windows(&sender), (1.0, 2.0), "the window may be one segment, ssthresh not");
    let sent = answer(&mut sender, 110, 2, false);
    assert_eq!(sent, [(2, Ecn::ECT_0.with(Ecn::CWR))]);
    assert_eq!(answer(&mut sender, 220, 3, true), [], "nothing is outstanding, and nothing may be sent");
    let wakes = sender.next_deadline().expect("it goes on");
    assert_eq!(wakes, at(220 + 300), "a timeout of three ticks");
    sender.on_timer(wakes);
    let sent: Vec<u64> = std::iter::from_fn(|| sender.poll_segment(wakes)).map(|segment| segment.seq / MSS).collect();
    assert_eq!((sent, sender.stats().retransmissions), (vec![3], 0));
}

/// What is left of 100 segments after a mark, by congestion control; BBR and windows from outside do not answer.
#[test]
fn every_congestion_control_answers_marks_as_it_answers_losses() {
    for algorithm in cc::ALL {
        let mut params = with_ecn(params(rfc6675(), 100));
        params.receive_window = 1 << 30;
        params.window_scale = 14;
        params.congestion_control = algorithm.with_defaults();
        let mut sender = sender(&params);
        let before = windows(&sender).0;
        answer(&mut sender, 100, 1, true);
        let (after, reductions) = (windows(&sender).0, sender.stats().ecn_reductions);
        match algorithm.name {
            "bbr1" | "bbr3" | "external" => assert_eq!(reductions, 0, "{}", algorithm.name),
            "cubic" => assert_eq!((after, reductions), (70.0, 1)),
            "reno" | "hybla" | "vegas-linux" | "illinois" => {
                assert_eq!((after, reductions), (50.0, 1), "{}", algorithm.name)
            }
            _ => assert!((50.0..=75.0).contains(&after) && reductions == 1, "{}: {before} to {after}", algorithm.name),
        }
    }
}

/// RFC 8511: 0.8 and 0.85 of 100 segments; a loss takes what it took.
#[test]
fn alternative_backoff_takes_less_for_marks_and_the_same_for_losses() {
    for (name, marked, lost) in [("reno", 80.0, 50.0), ("cubic", 85.0, 70.0)] {
        let mut params = with_ecn(params(rfc6675(), 100));
        (params.receive_window, params.window_scale) = (1 << 30, 14);
        params.congestion_control = cc::Algorithm::named(name).unwrap().with_defaults();
        params.ecn.response = EcnResponse::Abe;
        let mut with_mark = sender(&params);
        answer(&mut with_mark, 100, 1, true);
        assert_eq!(windows(&with_mark), (marked, marked), "{name}");
        let mut with_loss = sender(&params);
        for held in 2..=4 {
            let sack = sack_option::of_stream(&[SackBlock { start: MSS, end: held * MSS }]);
            with_loss.on_segment(at(98 + held), Segment { sack, ..Segment::default() });
        }
        assert_eq!(windows(&with_loss).1, lost, "{name}");
    }
}

/// The receiver delays acknowledgements. The first mark is acknowledged at once; echoes go on until CWR comes.
#[test]
fn the_first_mark_is_acknowledged_at_once() {
    let delayed = TcpParams { ack: AckPolicy::Delayed { timeout: Span::from_ms(200) }, ..params(rfc6675(), 8) };
    let mut receiver = Receiver::new(&with_ecn(delayed));
    let mut receive = |number: u64, ecn| {
        receiver.on_segment(at(number), Segment { seq: number * MSS, len: MSS as u32, ecn, ..Segment::default() });
        receiver.poll_segment(at(number)).map(|answer| (answer.ack / MSS, answer.ecn.ece()))
    };
    assert_eq!([receive(0, Ecn::ECT_0), receive(1, Ecn::ECT_0)], [None, Some((2, false))]);
    assert_eq!(receive(2, Ecn::CE), Some((3, true)), "not delayed");
    assert_eq!([receive(3, Ecn::ECT_0), receive(4, Ecn::ECT_0)], [None, Some((5, true))]);
    assert_eq!([receive(5, Ecn::ECT_0.with(Ecn::CWR)), receive(6, Ecn::NOT_ECT)], [None, Some((7, false))]);
}

#[test]
fn a_handshake_negotiates() {
    let params = with_ecn(TcpParams { handshake: true, ..params(rfc6675(), 2) });
    let (mut sender, mut receiver) = (Sender::new(&params, GREEDY, clock()), Receiver::new(&params));
    sender.on_timer(Time::ZERO);
    let syn = sender.poll_segment(Time::ZERO).unwrap();
    assert_eq!((syn.kind, syn.ecn), (SegmentKind::Syn, Ecn::ECE.with(Ecn::CWR)));
    receiver.on_segment(at(10), syn);
    let answer = receiver.poll_segment(at(10)).unwrap();
    assert_eq!((answer.kind, answer.ecn), (SegmentKind::SynAck, Ecn::ECE));
    sender.on_segment(at(20), answer);
    let sent: Vec<(SegmentKind, Ecn)> =
        std::iter::from_fn(|| sender.poll_segment(at(20))).map(|segment| (segment.kind, segment.ecn)).collect();
    assert_eq!(sent[0], (SegmentKind::Ack, Ecn::NOT_ECT), "{sent:?}");
    assert_eq!(sent[1..], [(SegmentKind::Data, Ecn::ECT_0); 2], "no answer to the flags of a SYN");
    assert_eq!(sender.stats().ecn_reductions, 0);
}

/// Three flows over 10 Mb/s and 20 ms.
fn network(policy: &str, tcp: &str) -> String {
    let links = [
        ("a", ["s", "sw1"], "100 Mbps", "1 ms"),
        ("middle", ["sw1", "sw2"], "10 Mbps", "8 ms"),
        ("exit", ["sw2", "d"], "100 Mbps", "1 ms"),
    ];
    let network = packet_network(&["s", "d"], &["sw1", "sw2"], &links);
    let flows: String = (1..=3).map(|n| format!("[flow.f{n}]\nfrom = \"s\"\nto = \"d\"\n")).collect();
    format!(
        "duration = \"10 s\"\n{network}[queue]\nbuffer = \"300 packets\"\n{policy}\n\
         [tcp]\ndialect = \"standard\"\nreceive_window = \"1 MB\"\n{tcp}\n{flows}"
    )
}

fn totals(records: &Records) -> (u64, u64, u64) {
    records.flows.iter().fold((0, 0, 0), |(marked, sent_again, data), flow| {
        let counts = &flow.counts;
        (marked + counts.marked_segments, sent_again + counts.retransmissions, data + counts.segments_sent)
    })
}

/// How many segments with a mark arrived of the data of each flow of which some did, by its name.
fn marks_received(records: &Records) -> BTreeMap<String, u64> {
    let of_flows = records.flows.iter().map(|flow| (flow.name.to_string(), flow.counts.marked_segments));
    of_flows.filter(|(_, marks)| *marks > 0).collect()
}

/// How many marks the port of each connection had given at the last of them, of the recorded series.
fn of_each_flow(records: &Records) -> BTreeMap<String, u64> {
    let of_series = |series: &Series| {
        assert_eq!((series.metric, &*series.of), (Metric::Marks, "sw1->sw2"));
        let Columns::Points { time, value } = &series.columns else { panic!("values that hold until the next") };
        assert!(time.is_sorted() && value.iter().zip(1_u32..).all(|(&value, number)| value == f64::from(number)));
        (series.vc.clone().expect("it is one of a connection"), value.len() as u64)
    };
    records.series.iter().map(of_series).collect()
}

/// Each policy that marks: with ECN marks and nothing sent again, without it losses and no marks; both engines agree. Marks are among the
/// departures of what can be marked, and all arrive.
#[test]
fn policies_mark_what_they_would_drop_early() {
    let policies = [
        "policy = \"red\"\nred.ecn = true\nred.max_threshold = \"100 packets\"\nred.ecn_above_max = \"mark\"",
        "policy = \"codel\"\ncodel.ecn = true",
        "policy = \"pie\"\npie.ecn = true\npie.ecn_limit = 1",
        "policy = \"fq-codel\"",
    ];
    for policy in policies {
        for congestion_control in ["reno", "cubic", "vegas-linux"] {
            let tcp = format!("congestion_control = \"{congestion_control}\"");
            // They stop, so that nothing is under way at the end.
            let with = scenario(
                &network(policy, &format!("{tcp}\necn = \"classic\"")),
                &["traffic.stop=9 s", "record=[\"marks\"]"],
            );
            let name = format!("{policy}, {congestion_control}");
            let records = assert_engines_agree(&name, &with, 1);
            let (marked, sent_again, data) = totals(&records);
            let bottleneck = port(&records, "sw1->sw2");
            assert_eq!((sent_again, bottleneck.drops.total()), (0, 0), "{name}");
            assert!(
                bottleneck.tallies.marked_packets > 5
                    && bottleneck.tallies.marked_packets < data / 5
                    && data <= bottleneck.departures,
                "{name}: {bottleneck:?}"
            );
            assert_eq!(bottleneck.tallies.marked_packets, marked, "{name}: each arrives");
            assert_eq!(
                of_each_flow(&records),
                marks_received(&records),
                "{name}: marks recorded of the data of each flow"
            );
            let without = run(&scenario(&network(policy, &tcp), &[]), 1);
            let (marked, sent_again, _) = totals(&without);
            assert!(sent_again > 5 && marked == 0, "{name}: {sent_again}");
            assert_eq!(port(&without, "sw1->sw2").tallies.marked_packets, 0, "{name}");
        }
    }
}

/// A flow with ECN and one without behind the same RED: the second loses, the first does not.
#[test]
fn what_cannot_be_marked_is_dropped_beside_what_is() {
    let policy = "policy = \"red\"\nred.ecn = true\nred.max_threshold = \"100 packets\"";
    let mixed = scenario(&network(policy, ""), &["flow.f1.tcp.ecn=classic"]);
    let records = assert_engines_agree("with and without ECN", &mixed, 1);
    let (with, without) = (flow(&records, "f1").counts, flow(&records, "f2").counts);
    assert!(with.marked_segments > 5 && with.retransmissions == 0, "{with:?}");
    assert!(without.marked_segments == 0 && without.retransmissions > 5, "{without:?}");
}

/// RFC 8511 over a whole path: CoDel marks, and one segment is lost. Each mark leaves 0.8 of Reno's window and 0.85 of CUBIC's, the loss 0.5 and 0.7; with
/// `ecn_response = "loss"` all are the same.
#[test]
fn alternative_backoff_over_a_whole_path() {
    for (name, by_mark, by_loss) in [("reno", 0.8, 0.5), ("cubic", 0.85, 0.7)] {
        for response in ["abe", "loss"] {
            let tcp = format!(
                "congestion_control = \"{name}\"\necn = \"classic\"\necn_response = \"{response}\"\nssthresh_from = \"window\"\n\
                 recovery = \"rfc6675\""
            );
            let text = network("policy = \"codel\"\ncodel.ecn = true", &tcp);
            let alone = ["record=[\"cwnd\"]", "flow.f1.drops=[60]", "flow.f2.start=9.9 s", "flow.f3.start=9.9 s"];
            let records = assert_engines_agree(&format!("{name}, {response}"), &scenario(&text, &alone), 1);
            let series = records.series.iter().find(|series| series.of == "f1").expect("it is recorded");
            let Columns::Points { value, .. } = &series.columns else { panic!("it has points") };
            // Reno with ssthresh_from = "window": in whole segments.
            let falls =
                value.windows(2).filter(|pair| pair[1] < pair[0]).map(|pair| [pair[0] / 1448.0, pair[1] / 1448.0]);
            let leaves = |part: f64, [before, after]: [f64; 2]| {
                let exact = part * before;
                (if name == "reno" { exact.floor() } else { exact } - after).abs() < 1e-6
            };
            let part = if response == "abe" { by_mark } else { by_loss };
            let (marks, others): (Vec<[f64; 2]>, Vec<[f64; 2]>) = falls.partition(|&fall| leaves(part, fall));
            let counts = flow(&records, "f1").counts;
            assert!(counts.ecn_reductions >= 5 && counts.retransmissions == 1, "{name}, {response}: {counts:?}");
            // The loss is in slow start, before the first mark: of one window both would be one event.
            let (more, lost) = if response == "abe" { (0, 1) } else { (1, 0) };
            assert_eq!((marks.len() as u64, others.len()), (counts.ecn_reductions + more, lost), "{name}: {others:?}");
            assert!(others.iter().all(|&fall| leaves(by_loss, fall)), "{name}: {others:?}");
        }
    }
}
