//! The files by themselves: blocks, options, headers, checksums.

use ackclock::ids::IdVec;
use ackclock::link::LinkParams;
use ackclock::packet::{SackBlock, Segment, SegmentKind};
use ackclock::record::{Capture, Captured, DropReason, Loss};
use ackclock::scenario::*;
use ackclock::tcp::{TcpParams, sack_option};
use ackclock::units::{Rate, Span, Time};
use ackclock_report::captures::pcapng::{self, FlowMeta, Meta, UdpMeta};

use crate::reader::*;
use crate::wire::{every_recovery, losses, params, transfer};

const COMMENT: u16 = 1;

fn file(capture: &Capture, meta: &Meta) -> Vec<u8> {
    let mut file = Vec::new();
    pcapng::write(&mut file, capture, meta, 3).unwrap();
    file
}

fn flow(name: &str, sender: usize, receiver: usize) -> FlowMeta {
    FlowMeta { name: name.into(), sender, receiver, size: None, mss: 512, window: 65_535, window_scale: 0, sack: true }
}

fn meta(flows: Vec<FlowMeta>) -> Meta {
    let hosts = ["a", "bb", "c"].map(String::from).to_vec();
    Meta { scenario: "small".into(), hash: "00ff".into(), hosts, flows, udp: Vec::new(), real: None }
}

fn packet(segment: Segment) -> Captured {
    let data = segment.len > 0;
    Captured { time: Time::ZERO, flow: 0, data, sent: data, frame: 0, segment, cwnd: None, lost: None }
}

fn packets(file: &[u8]) -> Vec<Packet> {
    blocks(file).iter().filter(|block| block.block_type == PACKET).map(Packet::of).collect()
}

/// The only packet of a capture at `a`, where one flow to `bb` begins.
fn written(packet: Captured, flow: FlowMeta) -> Packet {
    let capture = Capture { host: "a".into(), packets: vec![packet] };
    packets(&file(&capture, &meta(vec![flow]))).remove(0)
}

#[test]
fn a_file_begins_with_the_run_the_host_and_the_names() {
    let capture = Capture { host: "bb".into(), packets: vec![packet(Segment { len: 1, ..Segment::default() })] };
    let blocks = blocks(&file(&capture, &meta(vec![flow("f1", 0, 1), flow("f2", 0, 2)])));
    let types: Vec<u32> = blocks.iter().map(|block| block.block_type).collect();
    assert_eq!(types, [SECTION_HEADER, INTERFACE, NAMES, PACKET]);

    let section = &blocks[0].body;
    assert_eq!((u32_at(section, 0), u16_at(section, 4), u16_at(section, 6)), (0x1a2b_3c4d, 1, 0));
    assert_eq!(section[8..16], [0xff; 8]);
    let section = options(&section[16..]);
    let comments: Vec<_> = section.iter().filter(|(code, _)| *code == COMMENT).map(|(_, text)| text).collect();
    assert_eq!(comments.len(), 2, "the run, and the flow that ends here, not the other");
    assert_eq!(comments[0], b"scenario small, seed 3, BLAKE3 of the resolved scenario 00ff");
    let flow = "flow f1: 10.0.0.1:49152 -> 10.0.0.2:5001, MSS 512 B, window 65535 B, window shift 0, SACK";
    assert_eq!(comments[1], flow.as_bytes());
    assert_eq!(text(&section, 2), "none, simulated");
    assert_eq!(text(&section, 3), format!("Ackclock, result version {}", ackclock::sim::RESULT_VERSION));
    assert!(text(&section, 4).starts_with("Ackclock "));

    let interface = &blocks[1].body;
    assert_eq!((u16_at(interface, 0), u32_at(interface, 4)), (101, 80));
    assert_eq!(options(&interface[8..]), [(2, b"bb".to_vec()), (9, vec![9])]);

    assert_eq!(options(&blocks[2].body), [(1, b"\x0a\0\0\x01a\0".to_vec()), (1, b"\x0a\0\0\x02bb\0".to_vec())]);
}

#[test]
fn of_a_hundred_and_one_flows_a_hundred_are_described() {
    let count = |flows| {
        let capture = Capture { host: "a".into(), packets: vec![] };
        let blocks = blocks(&file(&capture, &meta(vec![flow("f", 0, 1); flows])));
        options(&blocks[0].body[16..]).into_iter().filter(|(code, _)| *code == COMMENT).map(|(_, text)| text).collect()
    };
    let hundred: Vec<_> = count(100);
    assert_eq!(hundred.len(), 101);
    assert!(hundred[100].starts_with(b"flow f: 10.0.0.1:49251 -> "));
    let more: Vec<_> = count(101);
    assert_eq!(more.len(), 102);
    assert_eq!(more[101], b"and 1 more");
}

#[test]
fn instants_are_rounded_down_to_nanoseconds() {
    for (ps, ns) in [(0, 0), (999, 0), (1000, 1), (213 * 86_400 * 1_000_000_000_000 + 1999, 18_403_200_000_000_001)] {
        let written = written(Captured { time: Time::from_ps(ps), ..packet(Segment::default()) }, flow("f", 0, 1));
        assert_eq!((written.time, written.interface), (ns, 0));
    }
}

/// Hosts take no time, so both are at the same instant.
#[test]
fn what_arrives_comes_before_its_answer() {
    let at = |ps, sent| Captured { time: Time::from_ps(ps), sent, ..packet(Segment::default()) };
    let capture = Capture { host: "a".into(), packets: vec![at(5000, true), at(5000, false), at(5001, false)] };
    let packets = packets(&file(&capture, &meta(vec![flow("f", 0, 1)])));
    let flags: Vec<u8> = packets.iter().map(|packet| packet.options[0].1[0]).collect();
    assert_eq!(flags, [1, 2, 1]);
}

#[test]
fn payload_counts_but_is_not_stored() {
    let data = written(packet(Segment { len: 512, ..Segment::default() }), flow("f", 0, 1));
    assert_eq!((data.bytes.len(), data.original_length), (40, 552));
    let sack = sack_option::of_stream(&[SackBlock { start: 512, end: 1024 }]);
    let ack = written(packet(Segment { sack, ..Segment::default() }), flow("f", 0, 1));
    assert_eq!((ack.bytes.len(), ack.original_length), (52, 52));
}

/// Sources of datagrams are numbered after the flows, and their ports begin anew.
#[test]
fn datagrams_are_those_of_udp() {
    let udp = vec![UdpMeta { name: "u".into(), sender: 2, receiver: 1, payload: 1000 }];
    let meta = Meta { udp, ..meta(vec![flow("f", 0, 1)]) };
    let segment = Segment { seq: 7, len: 988, ..Segment::default() };
    let datagram = Captured { flow: 1, frame: 7, ..packet(segment) };
    let capture = Capture { host: "c".into(), packets: vec![datagram] };
    let file = file(&capture, &meta);
    let section = options(&blocks(&file)[0].body[16..]);
    let comments: Vec<_> = section.iter().filter(|(code, _)| *code == COMMENT).map(|(_, text)| text).collect();
    assert_eq!(comments[1..], [b"udp u: 10.0.0.3:49152 -> 10.0.0.2:5001, 1000 B of payload each"]);
    let written = packets(&file).remove(0);
    assert_eq!((written.bytes.len(), written.original_length), (28, 1028));
    assert_eq!(written.text(COMMENT), "udp u");
    let bytes = written.datagram();
    assert_eq!((&bytes[2..6], bytes[9], &bytes[24..26]), (&[4, 4, 0, 7][..], 17, &[3, 240][..]));
    assert_eq!((&bytes[12..20], &bytes[20..24]), (&[10, 0, 0, 3, 10, 0, 0, 2][..], &[0xc0, 0, 0x13, 0x89][..]));
    assert_eq!(ones_complement_sum(&bytes[..20]), 0xffff);
    assert_eq!(ones_complement_sum(&tcp_with_pseudo_header(&bytes)), 0xffff);
}

#[test]
fn comments_say_what_headers_do_not() {
    let comment = |packet| written(packet, flow("f1", 0, 1)).text(COMMENT).to_owned();
    let data = packet(Segment { len: 512, ..Segment::default() });
    assert_eq!(comment(data.clone()), "flow f1");
    assert_eq!(comment(Captured { cwnd: Some(5120.9), ..data.clone() }), "flow f1, cwnd 5120 B");
    let time = Time::from_ps(1_500_000_000_001);
    let (port, reason) = (Some("sw1->sw2".into()), Some(DropReason::PartialFrame));
    let loss = Loss { time, port, reason, by_frame_before: false };
    let joined = Captured { lost: Some(Loss { by_frame_before: true, ..loss.clone() }), ..data.clone() };
    assert_eq!(
        comment(joined),
        "flow f1, lost with the end of the frame before at sw1->sw2 at 1.500000000001 s: partial-frame"
    );
    let lost = Captured { cwnd: Some(512.0), lost: Some(loss), ..data.clone() };
    assert_eq!(comment(lost), "flow f1, cwnd 512 B, lost at sw1->sw2 at 1.500000000001 s: partial-frame");
    let lost = Captured { lost: Some(Loss { time, port: None, reason: None, by_frame_before: false }), ..data };
    assert_eq!(comment(lost), "flow f1, lost on purpose at 1.500000000001 s");
}

#[test]
fn the_flags_tell_what_the_host_sent() {
    for (sent, flags) in [(true, [2, 0, 0, 0]), (false, [1, 0, 0, 0])] {
        let packet = Captured { sent, ..packet(Segment::default()) };
        assert_eq!(written(packet, flow("f", 0, 1)).options[0], (2, flags.to_vec()));
    }
}

#[test]
fn data_and_acknowledgements_go_in_opposite_directions() {
    let ends = |packet: Packet| (packet.bytes[12..20].to_vec(), packet.bytes[20..24].to_vec());
    let data = written(packet(Segment { len: 1, ..Segment::default() }), flow("f", 2, 1));
    // Ports 49152 = c000 and 5001 = 1389.
    assert_eq!(ends(data), (vec![10, 0, 0, 3, 10, 0, 0, 2], vec![0xc0, 0, 0x13, 0x89]));
    let ack = written(packet(Segment::default()), flow("f", 2, 1));
    assert_eq!(ends(ack), (vec![10, 0, 0, 2, 10, 0, 0, 3], vec![0x13, 0x89, 0xc0, 0]));
}

#[test]
fn the_window_is_given_in_units_of_its_scale() {
    let wide = FlowMeta { window: 600_000, window_scale: 4, ..flow("f", 0, 1) };
    // 600000 / 16 = 37500 = 927c
    assert_eq!(written(packet(Segment::default()), wide).bytes[34..36], [0x92, 0x7c]);
}

/// RFC 7323 §2.2: the scale holds from the first segment after the handshake on. 600000 does not fit; 60000 does, = ea60.
#[test]
fn the_window_of_a_syn_is_not_scaled() {
    let syn = |kind, window| {
        let flow = FlowMeta { window, window_scale: 4, ..flow("f", 0, 1) };
        written(packet(Segment { kind, ..Segment::default() }), flow).bytes[34..36].to_vec()
    };
    for kind in [SegmentKind::Syn, SegmentKind::SynAck] {
        assert_eq!(syn(kind, 600_000), [0xff, 0xff]);
        assert_eq!(syn(kind, 60_000), [0xea, 0x60]);
    }
    assert_eq!(syn(SegmentKind::Ack, 600_000), [0x92, 0x7c]);
}

/// RFC 6691 §2: 1448 bytes of payload beside 12 octets of timestamps make an MSS of 1460.
#[test]
fn the_mss_is_that_of_segments_without_options() {
    let tcp = |timestamp_clock| TcpParams { mss: 1448, timestamp_clock, ..TcpParams::default() };
    assert_eq!(tcp(Some(Span::from_ms(1))).mss_option(), 1460);
    assert_eq!(tcp(None).mss_option(), 1448);
}

#[test]
fn only_the_last_segment_of_a_file_is_pushed() {
    let file = FlowMeta { size: Some(1000), ..flow("f", 0, 1) };
    let flags = |seq, len| written(packet(Segment { seq, len, ..Segment::default() }), file.clone()).bytes[33];
    assert_eq!([flags(0, 512), flags(512, 488), flags(1000, 0)], [0x10, 0x18, 0x10]);
}

#[test]
fn no_two_flows_share_both_ports() {
    let meta = meta(vec![]);
    assert_eq!(meta.ports(0), (49_152, 5001));
    assert_eq!(meta.ports(16_383), (65_535, 5001));
    assert_eq!(meta.ports(16_384), (49_152, 5002));
    assert_eq!(meta.ports(99_999), (50_847, 5007)); // 99999 = 6 · 16384 + 1695
}

#[test]
fn addresses_count_on_through_all_octets() {
    let meta = Meta { hosts: vec![String::new(); 70_000], ..meta(vec![]) };
    let address = |host| meta.address(host).octets();
    assert_eq!([address(0), address(254), address(255)], [[10, 0, 0, 1], [10, 0, 0, 255], [10, 0, 1, 0]]);
    assert_eq!(address(69_999), [10, 1, 17, 112]); // 70000 = 1 · 65536 + 17 · 256 + 112
}

#[test]
fn every_checksum_of_a_transfer_is_right() {
    for (name, recovery) in every_recovery() {
        let wire = transfer(&params(recovery), 1_000_001, losses);
        for capture in [&wire.at_sender, &wire.at_receiver] {
            let packets = packets(&file(capture, &wire.meta));
            assert_eq!(packets.len(), capture.packets.len());
            for (packet, captured) in packets.iter().zip(&capture.packets) {
                let datagram = packet.datagram();
                assert_eq!(datagram.len(), captured.segment.ip_bytes() as usize);
                assert_eq!(ones_complement_sum(&datagram[..20]), 0xffff, "{name}: IP, {captured:?}");
                assert_eq!(ones_complement_sum(&tcp_with_pseudo_header(&datagram)), 0xffff, "{name}: {captured:?}");
                assert_eq!(packet.time, captured.time.as_ps() / 1000);
            }
        }
    }
}

/// Whoever has both files can follow a packet by its addresses and its identification.
#[test]
fn what_arrives_is_what_was_sent() {
    let wire = transfer(&params(every_recovery().remove(4).1), 300_000, losses);
    let there = packets(&file(&wire.at_sender, &wire.meta));
    let here = packets(&file(&wire.at_receiver, &wire.meta));
    let lost = there.iter().filter(|packet| packet.text(COMMENT).contains("lost at sw1->sw2")).count();
    let data = |packet: &&Packet| packet.original_length > 100;
    let (sent, arrived) = (there.iter().filter(data), here.iter().filter(data));
    assert!(lost > 10 && arrived.clone().count() + lost == sent.clone().count());
    for packet in arrived {
        assert_eq!(sent.clone().filter(|sent| sent.bytes == packet.bytes).count(), 1);
    }
}

/// Two hosts on both sides of a switch, in the order of the scenario too.
fn scenario(tcp: TcpParams) -> Scenario {
    let mut nodes = IdVec::new();
    let [a, s, z] = [("a", NodeKind::Host), ("s", NodeKind::Switch), ("z", NodeKind::Host)]
        .map(|(name, kind)| nodes.push(Node { name: name.into(), kind }));
    let (rate, delay) = (Rate::from_bps(1_000_000).unwrap(), Span::from_ms(1));
    let mut links = IdVec::new();
    let [z_s, s_a, a_s, s_z] =
        [("z->s", z, s), ("s->a", s, a), ("a->s", a, s), ("s->z", s, z)].map(|(name, from, to)| {
            let (params, queue) = (LinkParams::plain(), Queue::unlimited());
            links.push(Link { name: name.into(), from, to, rate, delay, medium: None, params, queue: queue.into() })
        });
    let flow = Flow {
        name: "f".into(),
        forward: vec![z_s, s_a].into(),
        backward: vec![a_s, s_z].into(),
        start: Time::ZERO,
        start_jitter: Span::ZERO,
        stop: None,
        size: Some(9),
        application: ackclock::tcp::ApplicationParams::Bulk(()).into(),
        service: ackclock::scenario::ServiceCategory::UBR,
        tcp: tcp.into(),
        group: None,
        forced_drops: vec![],
        back_of: None,
    };
    Scenario {
        name: "small".into(),
        duration: Span::from_secs(1),
        warmup: Span::ZERO,
        technology: Technology::Atm { llc: true },
        nodes,
        links,
        flows: [flow].into_iter().collect(),
        udp: Vec::new(),
        bottleneck: None,
        recording: Recording::none(),
        events: Vec::new(),
    }
}

#[test]
fn a_scenario_says_what_its_packets_have_in_common() {
    let sack = every_recovery().remove(4).1;
    let tcp = TcpParams { mss: 100, receive_window: 100_001, window_scale: 1, recovery: sack, ..TcpParams::default() };
    let expected = FlowMeta {
        name: "f".into(),
        sender: 1, // of the hosts; the switch does not count
        receiver: 0,
        size: Some(9),
        mss: 100,
        window: 100_000,
        window_scale: 1,
        sack: true,
    };
    let meta = Meta::of(&scenario(tcp.clone()), "00ff");
    let hosts = ["a", "z"].map(String::from).to_vec();
    let flows = vec![expected];
    assert_eq!(meta, Meta { scenario: "small".into(), hash: "00ff".into(), hosts, flows, udp: Vec::new(), real: None });
    let silent = TcpParams { receiver_sack: false, ..tcp.clone() };
    assert!(!Meta::of(&scenario(silent), "").flows[0].sack);
    let new_reno = TcpParams { recovery: every_recovery().remove(2).1, ..tcp };
    assert!(!Meta::of(&scenario(new_reno), "").flows[0].sack);
}

#[test]
fn a_host_may_have_any_name_a_scenario_allows() {
    assert_eq!(pcapng::file_name("s1.east-2"), "s1.east-2.pcapng");
}
