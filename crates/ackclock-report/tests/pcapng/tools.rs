//! What programs of others say about the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ackclock::packet::Segment;
use ackclock::record::{Capture, Captured, Loss};
use ackclock::tcp::offset_sack::{Alternative, Form, Preference};
use ackclock::tcp::{OffsetSackParams, SackParams, TcpParams, sack_option};
use ackclock::units::{Span, Time};
use ackclock_report::captures::pcapng::{self, Meta};

use crate::programs::*;
use crate::reader::BEGINS_S;
use crate::wire::{every_recovery, losses, params, transfer};

const FILE_BYTES: u64 = 1_000_001;

/// Writes a capture into a file of the given name.
fn save(name: &str, capture: &Capture, meta: &Meta) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut file = io::BufWriter::new(fs::File::create(&path).unwrap());
    pcapng::write(&mut file, capture, meta, 3).unwrap();
    path
}

#[test]
fn tshark_reads_every_packet_to_the_nanosecond() {
    if !installed(TSHARK) {
        return;
    }
    let wire = transfer(&params(every_recovery().remove(4).1), FILE_BYTES, losses);
    for (name, capture) in [("every-s1", &wire.at_sender), ("every-d1", &wire.at_receiver)] {
        let file = save(&format!("{name}.pcapng"), capture, &wire.meta);
        let dissection = dissect(&file, &[]);
        assert_eq!(dissection.0.len(), capture.packets.len());
        for (row, packet) in dissection.0.iter().zip(&capture.packets) {
            let ns = packet.time.as_ps() / 1000;
            let segment = &packet.segment;
            let (address, port) = if packet.data { ("10.0.0.2", 49_152) } else { ("10.0.0.1", 5001) };
            let blocks = sack_option::to_stream(&segment.sack, segment.ack).unwrap_or_default();
            let left_edges = blocks.as_slice().iter().map(|block| (block.start + 1).to_string());
            let expected = [
                format!("{}.{:09}", BEGINS_S + ns / 1_000_000_000, ns % 1_000_000_000),
                segment.ip_bytes().to_string(),
                address.into(),
                port.to_string(),
                (segment.seq + 1).to_string(),
                (segment.ack + 1).to_string(),
                segment.len.to_string(),
                "61440".into(),
                left_edges.collect::<Vec<_>>().join(";"),
            ];
            assert_eq!(row[..expected.len()], expected);
        }
        assert!(dissection.having(&["tcp.options.sack_le"]) > 100 || name == "every-s1");
        assert_eq!(dissection.having(&["_ws.malformed", "_ws.short"]), 0);
        let lost = capture.packets.iter().filter(|packet| packet.lost.is_some()).count();
        let told = dissection.all("_ws.expert.message").iter().filter(|text| text.contains("lost at sw1->sw2")).count();
        assert_eq!(told, lost);
    }
}

/// Nobody else knows the offset option: its octets are there, and nothing is wrong with the packet.
#[test]
fn tshark_shows_the_octets_of_options_that_it_does_not_know() {
    if !installed(TSHARK) {
        return;
    }
    for (form, kind) in [(Form::Private { kind: 253 }, "253"), (Form::Experimental, "254")] {
        let preference = Preference::Always(Alternative::FirstEdge);
        let offset = OffsetSackParams { preference, form, receiver_knows: true };
        let sack = SackParams { offset: Some(offset), duplicates: true, ..SackParams::default() };
        let timestamp_clock = Some(Span::from_ms(1));
        let params = TcpParams { sack, timestamp_clock, ..params(every_recovery().remove(4).1) };
        let holes =
            |data, frame: u32| losses(data, frame) || data && (200..260).contains(&frame) && frame.is_multiple_of(2);
        let wire = transfer(&params, FILE_BYTES, holes);
        let file = save(&format!("offset-{kind}.pcapng"), &wire.at_sender, &wire.meta);
        // It knows duplicates, where they are in the option of RFC 2018.
        let dissection = dissect(&file, &[]);
        assert_eq!(dissection.warnings(&["out-of-order segment", "D-SACK Sequence"]), [""; 0]);
        assert_ne!(dissection.warnings(&["out-of-order segment"]), [""; 0]);
        let options = tshark(&file, &["-n", "-T", "fields", "-e", "tcp.options"]);
        let mut offsets = 0;
        for (line, packet) in options.lines().zip(&wire.at_sender.packets) {
            let octets: String = packet.segment.sack.octets().iter().map(|octet| format!("{octet:02x}")).collect();
            assert!(line.ends_with(&octets), "{line} {octets}");
            offsets += u32::from(octets.starts_with(if kind == "253" { "fd" } else { "fe" }));
        }
        assert!(offsets >= 3, "{kind}: {offsets}");
    }
}

#[test]
fn tshark_knows_the_names_of_the_hosts() {
    if !installed(TSHARK) {
        return;
    }
    let wire = transfer(&params(every_recovery().remove(0).1), 1, |_, _| false);
    let file = save("names.pcapng", &wire.at_sender, &wire.meta);
    let names = tshark(&file, &["-N", "n", "-T", "fields", "-e", "ip.src_host", "-e", "ip.dst_host"]);
    assert_eq!(names, "s1\td1\nd1\ts1\n");
}

/// Of packets that are not stored whole it checks none, so here their payload is put back: zeros.
#[test]
fn tshark_finds_every_checksum_good() {
    if !installed(TSHARK) {
        return;
    }
    let wire = transfer(&params(every_recovery().remove(4).1), 100_000, losses);
    let short = save("short.pcapng", &wire.at_sender, &wire.meta);
    let whole = short.with_file_name("whole.pcapng");
    fs::write(&whole, with_payload(&fs::read(&short).unwrap())).unwrap();
    let dissection = dissect(&whole, &[]);
    let packets = wire.at_sender.packets.len();
    for layer in ["ip.checksum.status", "tcp.checksum.status"] {
        // Newer ones say it in words.
        let good = dissection.all(layer).iter().filter(|status| ["1", "Good"].contains(status)).count();
        assert_eq!(good, packets, "{layer}");
    }
}

#[test]
fn tshark_finds_our_retransmissions_and_no_faults() {
    if !installed(TSHARK) {
        return;
    }
    // The others are left to tcptrace, which is faster.
    for (name, recovery) in every_recovery().into_iter().filter(|(name, _)| ["vanilla", "rfc6675"].contains(name)) {
        let wire = transfer(&params(recovery), FILE_BYTES, losses);
        let retransmissions = wire.sender.stats().retransmissions;
        assert!(retransmissions > 30, "{name}");
        let sent = dissect(&save(&format!("tshark-{name}-s1.pcapng"), &wire.at_sender, &wire.meta), &[]);
        assert_eq!(sent.having(&AGAIN), retransmissions, "{name}");
        assert_eq!(sent.warnings(&["out-of-order segment"]), [""; 0], "{name}");
        // Here some segments really did not come.
        let arrived = dissect(&save(&format!("tshark-{name}-d1.pcapng"), &wire.at_receiver, &wire.meta), &[]);
        let holes = ["out-of-order segment", "Previous segment(s) not captured"];
        assert_eq!(arrived.warnings(&holes), [""; 0], "{name}");
        assert_ne!(arrived.warnings(&[]), [""; 0], "{name}: holes are told");
    }
}

#[test]
fn tshark_has_nothing_to_say_of_a_transfer_without_losses() {
    if !installed(TSHARK) {
        return;
    }
    let wire = transfer(&params(every_recovery().remove(2).1), FILE_BYTES, |_, _| false);
    for (name, capture) in [("clean-s1", &wire.at_sender), ("clean-d1", &wire.at_receiver)] {
        let dissection = dissect(&save(&format!("{name}.pcapng"), capture, &wire.meta), &[]);
        assert_eq!(dissection.having(&["tcp.analysis.flags"]), 0);
        assert_eq!(dissection.warnings(&[]), [""; 0]);
    }
}

/// The scale of a window is announced in a handshake, and there is none.
#[test]
fn tshark_can_be_told_the_scale_of_a_window() {
    let wide = TcpParams {
        receive_window: 600_000,
        window_scale: TcpParams::scale_for(600_000),
        initial_ssthresh: Some(600_000),
        ..params(every_recovery().remove(2).1)
    };
    // 600000 / 2^4 = 37500
    assert_eq!(wide.window_scale, 4);
    let wire = transfer(&wide, FILE_BYTES, |_, _| false);
    let file = save("wide.pcapng", &wire.at_sender, &wire.meta);
    if installed(TSHARK) {
        for (told, window) in [(&[][..], "37500"), (&["-o", "tcp.default_window_scaling:4 (multiply by 16)"], "600000")]
        {
            let dissection = dissect(&file, told);
            assert!(dissection.all("tcp.window_size").iter().all(|this| *this == window));
            assert_eq!(dissection.warnings(&[]), [""; 0], "{told:?}");
        }
    }
    if installed(TCPTRACE) {
        let counts = tcptrace(&file);
        assert_eq!((counts("unique bytes sent"), counts("rexmt data pkts")), (FILE_BYTES, 0));
    }
}

#[test]
fn tcptrace_counts_what_the_two_ends_counted() {
    if !installed(TCPTRACE) {
        return;
    }
    for (name, recovery) in every_recovery() {
        let wire = transfer(&params(recovery), FILE_BYTES, losses);
        let sent = wire.sender.stats();
        let file = save(&format!("tcptrace-{name}-s1.pcapng"), &wire.at_sender, &wire.meta);
        let at_sender = tcptrace(&file);
        assert_eq!(at_sender("actual data pkts"), sent.segments_sent, "{name}");
        assert_eq!(at_sender("actual data bytes"), sent.bytes_sent, "{name}");
        assert_eq!(at_sender("unique bytes sent"), FILE_BYTES, "{name}");
        assert_eq!(at_sender("rexmt data pkts"), sent.retransmissions, "{name}");
        assert_eq!(at_sender("rexmt data bytes"), sent.bytes_sent - FILE_BYTES, "{name}");

        let received = wire.receiver.stats();
        let file = save(&format!("tcptrace-{name}-d1.pcapng"), &wire.at_receiver, &wire.meta);
        let at_receiver = tcptrace(&file);
        assert_eq!(at_receiver("actual data pkts"), received.segments_received, "{name}");
        assert_eq!(at_receiver("unique bytes sent"), wire.receiver.delivered(), "{name}");
        assert_eq!(at_receiver("rexmt data pkts"), received.unnecessary, "{name}");
    }
}

#[test]
fn flows_between_the_same_hosts_are_told_apart() {
    let recovery = || every_recovery().remove(4).1;
    let lossy = transfer(&params(recovery()), 200_000, losses);
    let clean = transfer(&params(recovery()), 100_000, |_, _| false);
    let second = clean.at_sender.packets.into_iter().map(|packet| Captured { flow: 1, ..packet });
    let capture = Capture { packets: lossy.at_sender.packets.into_iter().chain(second).collect(), ..clean.at_sender };
    let flows = [lossy.meta.flows, clean.meta.flows].concat();
    let file = save("two-flows.pcapng", &capture, &Meta { flows, ..lossy.meta });
    if installed(TCPTRACE) {
        let counts = tcptrace_of_each(&file);
        assert_eq!(counts("unique bytes sent"), [200_000, 100_000]);
        assert_eq!(counts("rexmt data pkts"), [lossy.sender.stats().retransmissions, 0]);
    }
}

/// Segments around the 2^32nd byte of a stream, which cannot be simulated in a moment.
#[test]
fn sequence_numbers_wrap_for_both() {
    let wire = transfer(&params(every_recovery().remove(4).1), 1024, |_, _| false);
    let first = (1 << 32) - 10 * 1024;
    let packet = |number: u64, data: bool| {
        let seq = first + 1024 * number;
        let (time, frame) = (Time::ZERO + Span::from_ms(number), number as u32);
        let segment = match data {
            true => Segment { seq, len: 1024, ..Segment::default() },
            false => Segment { ack: seq + 1024, ..Segment::default() },
        };
        Captured { time, flow: 0, data, sent: data, frame, segment, cwnd: None, lost: None }
    };
    let packets = (0..20).map(|number| packet(number, true)).chain(
        (0..20).map(|number| Captured { time: Time::ZERO + Span::from_ms(number + 5), ..packet(number, false) }),
    );
    let mut capture = Capture { host: "s1".into(), packets: packets.collect() };
    capture.packets.sort_by_key(|packet| (packet.time, packet.sent));
    let file = save("wrap.pcapng", &capture, &wire.meta);
    if installed(TSHARK) {
        let dissection = dissect(&file, &[]);
        assert_eq!(dissection.having(&["tcp.analysis.flags"]), 0);
        assert_eq!(dissection.warnings(&[]), [""; 0]);
    }
    if installed(TCPTRACE) {
        let counts = tcptrace(&file);
        assert_eq!((counts("unique bytes sent"), counts("rexmt data pkts")), (20 * 1024, 0));
    }
}

/// What is lost on purpose never becomes a frame and has the identification of the next one. tcptrace looks for packets
/// that it is shown twice by their identification; it must not take these for one.
#[test]
fn a_segment_lost_on_purpose_twice_is_counted_three_times() {
    if !installed(TCPTRACE) {
        return;
    }
    let wire = transfer(&params(every_recovery().remove(2).1), 1024, |_, _| false);
    let on_purpose = |time| Some(Loss { time, port: None, reason: None, by_frame_before: false });
    let copy = |number: u64| {
        let time = Time::ZERO + Span::from_secs(number);
        let segment = Segment { seq: 0, len: 1024, ..Segment::default() };
        let lost = if number < 2 { on_purpose(time) } else { None };
        Captured { time, flow: 0, data: true, sent: true, frame: 7, segment, cwnd: None, lost }
    };
    let capture = Capture { host: "s1".into(), packets: (0..3).map(copy).collect() };
    let file = save("on-purpose.pcapng", &capture, &wire.meta);
    let counts = tcptrace(&file);
    assert_eq!((counts("actual data pkts"), counts("rexmt data pkts"), counts("unique bytes sent")), (3, 2, 1024));
}
