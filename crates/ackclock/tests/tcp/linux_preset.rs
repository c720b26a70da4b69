//! The dialect linux-2.2-sat over the link emulator of [VEGAS-A] §3: a file by hand, and the same lost packets for SACK and New Reno.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Captured, DropReason, Records};
use ackclock::tcp::sack_option::{KIND, PERMITTED_KIND, WireBlock, decode, encode};
use ackclock::units::{Span, Time};

/// The emulator of `studies/testbed`: 10 Mb/s and 255 ms each way behind a box whose buffer has room for 100 packets.
const EMULATOR: &str = r#"
duration = "2000 s"
network = { technology = "packet", topology = "graph" }
node = { client1.kind = "host", box.kind = "switch", server.kind = "host" }
[link]
access = { ends = ["client1", "box"], rate = "100 Mbps", delay = "0 s" }
emulated = { ends = ["box", "server"], rate = "10 Mbps", delay = "255 ms" }
[queue]
buffer = "100 packets"
[tcp]
dialect = "linux-2.2-sat"
[flow]
f = { from = "client1", to = "server", size = "1 MB" }
"#;

fn run(sets: &[&str], seed: u64) -> Records {
    assert_engines_agree(&sets.join(" "), &scenario(EMULATOR, sets), seed)
}

/// SYN and its answer have 64 octets: 24 of options. Then an acknowledgement of 52, and two segments of 1500 octets, which one
/// acknowledgement answers; then three.
#[test]
fn a_file_of_five_segments_takes_the_time_computed_by_hand() {
    let records = run(&["flow.f.size=7240 B", "capture=[\"client1\"]"], 1);
    let sent: Vec<&Captured> = records.captures[0].packets.iter().filter(|packet| packet.sent && packet.data).collect();
    let payload = sent.iter().filter(|packet| packet.segment.len > 1);
    let times: Vec<Time> = payload.map(|packet| packet.time).collect();
    assert_eq!(times.len(), 5, "no segment is sent twice");
    // Both of the first round follow the answer to the SYN; those of the second follow one acknowledgement.
    let round = |from: Time, to: Time| to.since(from).as_secs_f64();
    let on_access = 8.0 * 1500.0 / 100e6;
    for (before, after) in [(0, 1), (2, 3), (3, 4)] {
        assert!((round(times[before], times[after]) - on_access).abs() < 1e-9, "handed down together: {times:?}");
    }
    let control = |bytes: f64| 8.0 * bytes / 100e6 + 8.0 * bytes / 10e6;
    let handshake = 2.0 * (0.255 + control(64.0)) + 8.0 * 52.0 / 100e6;
    assert!((round(Time::ZERO, times[0]) - handshake).abs() < 1e-9, "{times:?}");
    // Two packets of 1500 octets leave the box back to back; 52 octets come back.
    let first = on_access + 2.0 * 8.0 * 1500.0 / 10e6 + 0.255 + 0.255 + control(52.0);
    assert!((round(times[0], times[2]) - first).abs() < 1e-9, "{times:?}");
    let last = on_access + 3.0 * 8.0 * 1500.0 / 10e6 + 0.255;
    let delivered = flow(&records, "f").last_delivery.unwrap();
    assert!((round(times[2], delivered) - last).abs() < 1e-9, "{delivered:?}");
    assert!(flow(&records, "f").completed.unwrap() > delivered + Span::from_ms(255));
}

/// The numbers of the packets that are corrupted, counted in the order in which the client sends them.
fn corrupted(records: &Records) -> (Vec<usize>, usize) {
    let sent: Vec<&Captured> = records.captures[0].packets.iter().filter(|packet| packet.sent).collect();
    let is_corrupted =
        |packet: &Captured| packet.lost.as_ref().is_some_and(|loss| loss.reason == Some(DropReason::Corrupted));
    let numbers = sent.iter().enumerate().filter(|(_, packet)| is_corrupted(packet)).map(|(number, _)| number);
    (numbers.collect(), sent.len())
}

/// Common random numbers: the n-th packet of TCP towards the server is lost under both TCPs or under neither, whatever it carries.
/// Another seed loses others, and a box that loses packets of its own, before the model, changes which packet is the n-th, but not
/// which ordinals are lost.
#[test]
fn sack_and_new_reno_lose_the_same_ordinals() {
    let errors =
        "link.emulated.errors={ model = \"uniform\", rate = 0.01, direction = \"box->server\", applies_to = \"tcp\" }";
    let with = |recovery: &str, seed| {
        let recovery = format!("tcp.recovery={recovery}");
        let records = run(&[errors, &recovery, "capture=[\"client1\"]"], seed);
        assert_eq!(records.ports.iter().map(|port| port.drops.total()).sum::<u64>(), 0, "the box refuses nothing");
        (corrupted(&records), flow(&records, "f").sender_fingerprint)
    };
    for seed in 1..=5 {
        let ((sack, sack_sent), sack_acts) = with("rfc6675", seed);
        let ((new_reno, new_reno_sent), new_reno_acts) = with("new-reno", seed);
        let both = sack_sent.min(new_reno_sent);
        let within = |numbers: &[usize]| numbers.iter().copied().filter(|&number| number < both).collect::<Vec<_>>();
        assert_eq!(within(&sack), within(&new_reno), "seed {seed}");
        assert!(sack.len() >= 2 && sack_acts != new_reno_acts, "seed {seed}: {sack:?}");
    }
    assert_ne!(with("rfc6675", 1).0.0, with("rfc6675", 2).0.0);
}

/// Figures 1 and 2 of the chapter: SACK-permitted has kind 4, SACK kind 5 and 8 n + 2 octets for n blocks, each a left and a right edge.
/// The two octets of the first on the wire: `captures/headers.rs` of `ackclock-report`.
#[test]
fn the_options_have_the_octets_of_figures_1_and_2() {
    assert_eq!((PERMITTED_KIND, KIND), (4, 5));
    let blocks = [3_000_u32, 6_000, 9_000, 12_000].map(|left| WireBlock { left, right: left + 1448 });
    for n in 1..=4 {
        let option = encode(&blocks[..n], 40).unwrap();
        let octets = option.octets();
        assert_eq!((octets.len(), octets[0], usize::from(octets[1])), (8 * n + 2, KIND, 8 * n + 2));
        assert_eq!(octets[2..10], [0, 0, 0x0b, 0xb8, 0, 0, 0x11, 0x60], "3000 and 4448");
        assert_eq!(decode(octets).unwrap(), blocks[..n]);
    }
}
