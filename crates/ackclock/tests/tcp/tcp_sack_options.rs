//! SACK options in running connections: what the receiver writes, what it lets the sender know, and what is agreed upon.
//! The scripts of [VEGAS-A] §2.2.2 and chapter 5 with all losses chosen.

use crate::pair::*;
use ackclock::packet::{Segment, SegmentKind};
use ackclock::tcp::offset_sack::{Alternative, Form, Preference};
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

const ONE_WAY: Span = Span::from_ms(50);
const FIRST: Preference = Preference::Always(Alternative::FirstEdge);
const SECOND: Preference = Preference::Always(Alternative::EdgeBefore);
const PRIVATE: Form = Form::Private { kind: 253 };

fn standard(standard_blocks: u8) -> SackParams {
    SackParams { standard_blocks, ..SackParams::default() }
}

fn offset(preference: Preference) -> SackParams {
    let offset = OffsetSackParams { preference, form: PRIVATE, receiver_knows: true };
    SackParams { offset: Some(offset), ..SackParams::default() }
}

fn octets(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

// ---- what the receiver writes ----

/// A receiver of segments of 500 bytes that has everything before the number 5500 of the wire, where the first byte is 1.
fn at_5500(params: &TcpParams) -> Receiver {
    let mut receiver = Receiver::new(params);
    arrives(&mut receiver, 1, 4999);
    arrives(&mut receiver, 5000, 500);
    receiver
}

/// Bytes from this number of the wire on arrive; the answer.
fn arrives(receiver: &mut Receiver, number: u64, len: u32) -> Segment {
    receiver.on_segment(Time::ZERO, Segment { seq: number - 1, len, ..Segment::default() });
    receiver.poll_segment(Time::ZERO).expect("acknowledged at once")
}

fn options_of(sack: SackParams, numbers: &[u64]) -> Vec<Vec<u8>> {
    let params = TcpParams { mss: 500, recovery: rfc6675(), sack, ..TcpParams::default() };
    let mut receiver = at_5500(&params);
    numbers.iter().map(|&number| arrives(&mut receiver, number, 500).sack.octets().to_vec()).collect()
}

const EVERY_SECOND: [u64; 5] = [6000, 7000, 8000, 9000, 10_000];

/// [VEGAS-A] Table 19: L, R of each block in full, the last four of them.
#[test]
fn table_19_is_on_the_wire() {
    let four = options_of(standard(4), &EVERY_SECOND);
    let of = |lefts: &[u32]| {
        let edges = lefts.iter().flat_map(|&left| [left, left + 500]).flat_map(u32::to_be_bytes);
        [5, 2 + 8 * lefts.len() as u8].into_iter().chain(edges).collect::<Vec<u8>>()
    };
    assert_eq!(four[0], of(&[6000]));
    assert_eq!(four[1], of(&[7000, 6000]));
    assert_eq!(four[2], of(&[8000, 7000, 6000]));
    assert_eq!(four[3], of(&[9000, 8000, 7000, 6000]));
    assert_eq!(four[4], of(&[10_000, 9000, 8000, 7000]), "6000 has no room");
    assert_eq!(four[3].len(), 34);
}

/// [VEGAS-A] Table 20: A; offsets down to L, then R and L of each further block. The option of RFC 2018 has the same
/// blocks as long as they fit, and is used; with one block in it at most the other form shows all along.
#[test]
fn table_20_is_on_the_wire() {
    let expected = [
        "fd 0c 0b 00001d4c 3e8fa2ee00",
        "fd 0f 0c 00002134 1f43e85dc7d09c40",
        "fd 12 0c 0000251c 1f43e85dc7d09c4bb8dac0",
        "fd 16 0d 00002904 0fa0fa0bb87d04e22ee1b58fa08ca0",
    ];
    let one = options_of(SackParams { standard_blocks: 1, ..offset(FIRST) }, &EVERY_SECOND);
    assert_eq!(one[1..], expected.map(octets));
    let four = options_of(SackParams { standard_blocks: 4, ..offset(FIRST) }, &EVERY_SECOND);
    assert_eq!(four[..4], options_of(standard(4), &EVERY_SECOND)[..4]);
    assert_eq!(four[4], octets(expected[3]));
    let second = options_of(offset(SECOND), &EVERY_SECOND);
    assert_eq!(second[4], octets("fd 12 49 00002904 fa7d3e9f4fa7d3e9f4fa00"));
    assert_eq!(options_of(offset(Preference::Shorter), &EVERY_SECOND)[4], second[4]);
    let known = OffsetSackParams { preference: FIRST, form: Form::Experimental, receiver_knows: true };
    let experimental = SackParams { offset: Some(known), ..SackParams::default() };
    let by_identifier = octets("fe 18 ac0c 0d 00002904 0fa0fa0bb87d04e22ee1b58fa08ca0");
    assert_eq!(options_of(experimental, &EVERY_SECOND)[4], by_identifier);
}

/// RFC 2883 §4.1, §4.2: below the acknowledgement, in the second block, and in part.
#[test]
fn duplicates_are_reported_first_and_once() {
    let blocks = |option: &[u8]| -> Vec<(u32, u32)> {
        let edge = |octets: &[u8]| u32::from_be_bytes(octets.try_into().unwrap());
        option[2..].chunks(8).map(|block| (edge(&block[..4]), edge(&block[4..]))).collect()
    };
    let params = |sack| TcpParams { mss: 500, recovery: rfc6675(), sack, ..TcpParams::default() };
    let mut receiver = at_5500(&params(SackParams { duplicates: true, ..standard(4) }));
    let mut said = |number, len| blocks(arrives(&mut receiver, number, len).sack.octets());
    assert_eq!(said(5000, 500), [(5000, 5500)], "nothing is held: the duplicate alone");
    assert_eq!(said(8000, 500), [(8000, 8500)]);
    assert_eq!(said(9000, 500), [(9000, 9500), (8000, 8500)]);
    assert_eq!(said(5000, 500), [(5000, 5500), (9000, 9500), (8000, 8500)]);
    assert_eq!(said(8000, 500), [(8000, 8500), (8000, 8500), (9000, 9500)], "in the second block");
    assert_eq!(said(8250, 500), [(8250, 8500), (8000, 8750), (9000, 9500)], "in part");
    assert_eq!(said(10_000, 500), [(10_000, 10_500), (8000, 8750), (9000, 9500)], "once");
    // V10 of the specification: the duplicate is below all others, so offsets have signs.
    let one = SackParams { standard_blocks: 1, duplicates: true, ..offset(FIRST) };
    let mut receiver = at_5500(&params(one));
    for number in [5500, 8000, 9000] {
        arrives(&mut receiver, number, 500);
    }
    assert_eq!(arrives(&mut receiver, 5500, 500).sack.octets(), octets("fd 10 8d 00001770 0fa495289163cc1800"));
}

#[test]
fn options_take_their_room_in_the_datagram() {
    let ip_bytes = |sack: SackParams, timestamps: bool| {
        let timestamp_clock = timestamps.then_some(Span::from_ms(1));
        let params = TcpParams { mss: 500, recovery: rfc6675(), sack, timestamp_clock, ..TcpParams::default() };
        let mut receiver = at_5500(&params);
        let answer = EVERY_SECOND.map(|number| arrives(&mut receiver, number, 500))[4];
        (answer.sack.octets().len(), answer.ip_bytes())
    };
    // 40 of headers, 12 of timestamps, whole words.
    assert_eq!(ip_bytes(standard(3), false), (26, 40 + 28));
    assert_eq!(ip_bytes(standard(4), false), (34, 40 + 36));
    assert_eq!(ip_bytes(standard(4), true), (26, 40 + 12 + 28), "no room for four");
    assert_eq!(ip_bytes(offset(FIRST), false), (22, 40 + 24));
    assert_eq!(ip_bytes(offset(FIRST), true), (22, 40 + 12 + 24), "five all the same");
    assert_eq!(ip_bytes(offset(SECOND), true), (18, 40 + 12 + 20));
}

// ---- what the sender reads ----

#[test]
fn an_option_that_makes_no_sense_is_counted_and_the_acknowledgement_taken() {
    let params = TcpParams { sack: offset(FIRST), ..params(rfc6675(), 10) };
    let mut sender = Sender::new(&params, GREEDY, clock());
    sender.on_timer(Time::ZERO);
    while sender.poll_segment(Time::ZERO).is_some() {}
    let wrong = ["fd 09 00 00000401 fa00", "fd 07 09 00001964", "05 0a 00000401 00000401", "fe 09 09 00001964 fa00"];
    for (ack, text) in (1..).zip(wrong) {
        let sack = octets(text).as_slice().into();
        sender.on_segment(Time::ZERO + ONE_WAY, Segment { ack: ack * MSS, sack, ..Segment::default() });
        assert_eq!(sender.flight().una, ack * MSS);
    }
    // The last one is another kind, which may mean anything.
    assert_eq!(sender.sack_stats(), SackStats { malformed: 3, duplicates: 0 });
}

#[test]
fn a_sender_counts_the_duplicates_that_it_is_told_of() {
    for sack in [standard(3), offset(FIRST), offset(Preference::Shorter)] {
        let params =
            TcpParams { sack: SackParams { duplicates: true, ..sack }, ..params(RecoveryParams::Vanilla(()), 10) };
        let params = TcpParams { recovery: rfc6675(), ..params };
        // The acknowledgements of the first window are lost, so all is sent again after the timeout.
        let transfer = Transfer { size: Some(10 * MSS), ..GREEDY };
        let mut pair = Pair::new(&params, transfer, ONE_WAY, |_, _| false);
        pair.lost_answers = (0..10).collect();
        pair.run(Time::ZERO + Span::from_secs(20));
        let again = pair.receiver.stats().unnecessary;
        assert!(again > 0);
        assert_eq!(pair.sender.sack_stats(), SackStats { malformed: 0, duplicates: again });
    }
}

// ---- what is agreed upon ----

/// Ten holes, so that the options differ. The longest option of the receiver, and what the SYN and its answer carry.
fn negotiated(sack: SackParams, handshake: bool) -> (u8, Vec<u8>) {
    let params = TcpParams { sack, handshake, ..params(rfc6675(), 30) };
    let mut pair = Pair::new(&params, GREEDY, ONE_WAY, |number, transmission| number % 2 == 0 && transmission == 1);
    pair.run(Time::ZERO + Span::from_ms(320));
    let answers = pair.answers.iter().filter(|answer| answer.kind == SegmentKind::Data);
    let longest = answers.max_by_key(|answer| answer.sack.octets().len()).expect("there are some");
    let syn_ack = pair.answers.iter().find(|answer| answer.kind == SegmentKind::SynAck);
    (longest.sack.octets()[0], syn_ack.map_or(Vec::new(), |answer| answer.sack.octets().to_vec()))
}

#[test]
fn the_offset_option_needs_both_ends() {
    let of = |receiver_knows| {
        let offset = OffsetSackParams { preference: FIRST, form: PRIVATE, receiver_knows };
        SackParams { offset: Some(offset), ..SackParams::default() }
    };
    let offer = vec![254, 5, 0xac, 0x0c, 7];
    assert_eq!(negotiated(of(true), true), (253, offer), "offered and answered");
    assert_eq!(negotiated(of(false), true), (5, vec![]), "the receiver does not know it");
    assert_eq!(negotiated(standard(3), true), (5, vec![]), "not offered");
    assert_eq!(negotiated(of(true), false), (253, vec![]), "established, with whatever both know");
    assert_eq!(negotiated(of(false), false), (5, vec![]));
}

#[test]
fn the_offer_takes_eight_octets_of_the_syn() {
    let syn = |sack| {
        let params =
            TcpParams { handshake: true, timestamp_clock: Some(Span::from_ms(1)), sack, ..params(rfc6675(), 1) };
        let mut sender = Sender::new(&params, GREEDY, clock());
        sender.on_timer(Time::ZERO);
        sender.poll_segment(Time::ZERO).unwrap()
    };
    assert_eq!(syn(standard(3)).option_bytes(), 24);
    let offering = syn(offset(FIRST));
    assert_eq!((offering.kind, offering.option_bytes()), (SegmentKind::Syn, 32));
    assert_eq!(offering.sack.octets(), [254, 5, 0xac, 0x0c, 7]);
}

// ---- the scripts ----

/// What was sent, in the published numbers, first transmissions left out; and how much of it the receiver held.
fn repaired(pair: &Pair<impl FnMut(u64, u32) -> bool>, first: u64) -> (Vec<u64>, u64) {
    (pair.retransmitted().iter().map(|number| number + first).collect(), pair.receiver.stats().unnecessary)
}

/// [VEGAS-A] §2.2.2: packets 1 to 11 under way, of which 2, 7, 9 and 11 are lost, and the acknowledgements of 6, 8 and 10.
fn table_1(sack: SackParams, timestamps: bool, lost_answers: &[usize]) -> (Vec<u64>, u64) {
    let recovery = RecoveryParams::Rfc6675(Rfc6675Params { limited_transmit: false, ..Rfc6675Params::default() });
    let timestamp_clock = timestamps.then_some(Span::from_ms(1));
    let params = TcpParams { sack, timestamp_clock, ..params(recovery, 11) };
    let is_lost = |number, transmission| [2, 7, 9, 11].contains(&(number + 1)) && transmission == 1;
    let mut pair = Pair::new(&params, GREEDY, ONE_WAY, is_lost);
    pair.lost_answers = lost_answers.to_vec();
    pair.run(Time::ZERO + ONE_WAY * 2 + Span::from_ms(1));
    let new = pair.sent.iter().filter(|sent| sent.transmission == 1).count();
    assert_eq!(new, 12, "the first acknowledgement lets 12 be sent, the duplicates nothing new");
    assert_eq!(pair.retransmitted(), [1], "2 is sent again for the third duplicate");
    // Until everything is repaired, and before the next window is.
    pair.run_while(Time::ZERO + Span::from_secs(2), |pair| pair.sender.flight().una < 11 * MSS);
    repaired(&pair, 1)
}

/// Answers are counted from 0: those of packets 1, 3, 4, 5, 6, 8, 10, 12.
const OF_6_8_10: &[usize] = &[4, 5, 6];

#[test]
fn table_1_sends_6_again_for_nothing_with_three_blocks_and_not_with_more() {
    assert_eq!(table_1(standard(3), true, OF_6_8_10), (vec![2, 6, 7, 9, 11], 1));
    for preference in [FIRST, SECOND, Preference::Shorter] {
        assert_eq!(table_1(offset(preference), true, OF_6_8_10), (vec![2, 7, 9, 11], 0), "{preference:?}");
    }
    assert_eq!(table_1(standard(4), false, OF_6_8_10), (vec![2, 7, 9, 11], 0), "four blocks are enough");
    assert_eq!(table_1(standard(4), true, OF_6_8_10), (vec![2, 6, 7, 9, 11], 1), "beside timestamps three fit");
    assert_eq!(table_1(standard(3), true, &[]), (vec![2, 7, 9, 11], 0), "it is the lost acknowledgements");
    assert_eq!(table_1(offset(FIRST), true, &[]), (vec![2, 7, 9, 11], 0));
}

/// [VEGAS-A] Table 19: segments of 500 from 5000 on, every second one lost. In ours a segment is 512 bytes: they are
/// counted.
fn table_19(sack: SackParams, timestamps: bool, segments: u64, lost_answers: &[usize]) -> (Vec<u64>, u64) {
    let timestamp_clock = timestamps.then_some(Span::from_ms(1));
    let params = TcpParams { sack, timestamp_clock, ..params(rfc6675(), 14) };
    let transfer = Transfer { size: Some(segments * MSS), ..GREEDY };
    let is_lost = |number, transmission| number % 2 == 1 && number < 12 && transmission == 1;
    let mut pair = Pair::new(&params, transfer, ONE_WAY, is_lost);
    pair.lost_answers = lost_answers.to_vec();
    pair.run(Time::ZERO + Span::from_secs(1));
    assert_eq!(pair.receiver.delivered(), segments * MSS);
    let (again, unnecessary) = repaired(&pair, 0);
    (again.into_iter().map(|number| 5000 + 500 * number).collect(), unnecessary)
}

#[test]
fn table_19_needs_all_its_acknowledgements_lost() {
    let lost = vec![5500, 6500, 7500, 8500, 9500, 10_500];
    // (a) 6000 is left out of the last report, but was in four before it.
    for sack in [standard(4), offset(FIRST), offset(SECOND)] {
        let (again, unnecessary) = table_19(sack, false, 12, &[]);
        assert_eq!((again, unnecessary), (lost.clone(), 0));
    }
    // (b) Those four are lost; the answers are of 5000, 6000, 7000, 8000, 9000, 10000, 11000 and 11500.
    let four = &[1, 2, 3, 4];
    let with = |needless: &[u64]| {
        let mut all = [&lost[..], needless].concat();
        all.sort_unstable();
        (all, needless.len() as u64)
    };
    assert_eq!(table_19(standard(4), false, 14, four), with(&[6000]));
    assert_eq!(table_19(standard(4), true, 14, four), with(&[6000, 7000]));
    for timestamps in [false, true] {
        for preference in [FIRST, SECOND] {
            assert_eq!(table_19(offset(preference), timestamps, 14, four), with(&[]));
        }
    }
}

/// [VEGAS-A] Fig. 39, 40: 38, 40, … 50 are lost, and the acknowledgements of 39, 41, … 49: that of 51 is the first to arrive,
/// and says three blocks, which is enough. (If those of 47 and 49 arrived, they would tell of 43 and 45.)
fn figure_39(sack: SackParams, timestamps: bool) -> Vec<u64> {
    let timestamp_clock = timestamps.then_some(Span::from_ms(1));
    let params = TcpParams { sack, timestamp_clock, mss: 1000, receive_window: 14_000, ..params(rfc6675(), 14) };
    // 1000 bytes are not the 512 of the pair, which numbers segments by those.
    let number_of = |number: u64| (number * MSS).div_ceil(1000);
    let is_lost = |number, transmission| {
        transmission == 1 && (38..=50).contains(&number_of(number)) && number_of(number).is_multiple_of(2)
    };
    let mut pair = Pair::new(&params, GREEDY, ONE_WAY, is_lost);
    pair.lost_answers = (38..44).collect();
    pair.run_while(Time::ZERO + Span::from_secs(2), |pair| pair.sender.flight().una < 60_000);
    pair.retransmitted().into_iter().map(number_of).collect()
}

#[test]
fn figures_39_and_40_resend_four_packets_for_nothing_or_none() {
    let lost = [38, 40, 42, 44, 46, 48, 50];
    let needless = |sack, timestamps| {
        let mut again = figure_39(sack, timestamps);
        assert!(lost.iter().all(|number| again.contains(number)));
        again.retain(|number| !lost.contains(number));
        again
    };
    assert_eq!(needless(standard(3), false), [39, 41, 43, 45]);
    assert!(needless(offset(FIRST), false).is_empty());
    // Beside timestamps alternative 1 has room for six of the seven blocks, alternative 2 for all.
    assert_eq!(needless(offset(FIRST), true), [39]);
    assert!(needless(offset(SECOND), true).is_empty());
}
