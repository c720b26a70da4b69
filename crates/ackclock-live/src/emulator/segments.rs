//! What the headers of a real packet say, as the simulator's segment: as long on the wire, its numbers counted from the first byte of its
//! connection.
//! Sources: RFC 791 §3.1 (IPv4), RFC 9293 §3.1 (TCP), RFC 7323 §3.2 (timestamps), RFC 2018 §3 (SACK).

use ackclock::ids::{FlowId, Id};
use ackclock::packet::{Ecn, SackOption, Segment, SegmentKind, Timestamps, wire_number};

/// Sequence numbers of all flows of a run.
pub(super) struct Numbering {
    /// Of each flow those of the sender's bytes, and of the receiver's.
    flows: Vec<[Numbers; 2]>,
    /// Of each flow the window scale of the scenario.
    scales: Vec<u8>,
}

/// The numbers of the bytes in one direction of a connection.
#[derive(Clone, Copy, Default)]
struct Numbers {
    /// The number on the wire of the first byte; `None` before any was seen.
    first: Option<u32>,
    /// The last byte seen, counted from the first.
    last: u64,
    /// The window scale that who sends them has said in its SYN.
    scale: u8,
}

/// Who sends a segment of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Sender = 0,
    Receiver = 1,
}

impl Numbering {
    /// Nothing was seen so far of flows with these window scales, which say in what units windows are written down.
    pub(super) fn new(scales: Vec<u8>) -> Numbering {
        Numbering { flows: vec![Default::default(); scales.len()], scales }
    }

    /// The segment of an IP packet of TCP; `None` if its headers are not whole.
    pub(super) fn segment(&mut self, flow: FlowId, from: From, packet: &[u8]) -> Option<Segment> {
        let ip = 4 * usize::from(packet.first()? & 0x0f);
        let tcp = packet.get(ip..).filter(|tcp| tcp.len() >= FIXED_HEADER)?;
        let header = 4 * usize::from(tcp[12] >> 4);
        if header < FIXED_HEADER || header > tcp.len() {
            return None;
        }
        let (flags, payload) = (tcp[13], (tcp.len() - header) as u32);
        let opens = flags & SYN != 0;
        let numbers = &mut self.flows[flow.index()];
        if opens {
            // The SYN takes the number before that of the first byte. Another number is another connection.
            let first = Some(word(tcp, 4).wrapping_add(1));
            let of_sender = &mut numbers[from as usize];
            if of_sender.first != first {
                *of_sender = Numbers { first, ..Numbers::default() };
            }
            of_sender.scale = window_scale(&tcp[FIXED_HEADER..header]);
        }
        let seq = if opens { 0 } else { numbers[from as usize].place(word(tcp, 4)) };
        let acknowledged = &mut numbers[1 - from as usize];
        let ack = if flags & ACK != 0 { acknowledged.place(word(tcp, 8)) } else { 0 };
        let (timestamps, sack) = timestamps_and_sack(&tcp[FIXED_HEADER..header], acknowledged.first.unwrap_or(1));
        let kind = match (opens, flags & FIN != 0, from) {
            (true, _, From::Sender) => SegmentKind::Syn,
            (true, _, From::Receiver) => SegmentKind::SynAck,
            (false, true, From::Sender) => SegmentKind::Fin,
            (false, true, From::Receiver) if payload == 0 => SegmentKind::FinAck,
            (false, _, _) => SegmentKind::Data,
        };
        let len = match kind {
            SegmentKind::Fin => payload + 1,
            SegmentKind::Syn | SegmentKind::SynAck => 0,
            _ => payload,
        };
        // The window of a SYN has no scale.
        let window = (!opens).then(|| {
            let (written, scale) = (u64::from(u16::from_be_bytes([tcp[14], tcp[15]])), self.scales[flow.index()]);
            let units = (written << self.flows[flow.index()][from as usize].scale) >> scale;
            (units.min(u64::from(u16::MAX)) << scale) as u32
        });
        // Queues drop what hosts outside send, and do not mark it.
        let ecn = Ecn::NOT_ECT;
        let mut segment = Segment { seq, len, headers: 0, kind, ack, sack, timestamps, window, ecn, unfilled: None };
        // Whatever options there are beside these, the packet is as long as it is.
        segment.headers = (packet.len() as u32).saturating_sub(segment.ip_bytes()) as u16;
        Some(segment)
    }
}

/// Whether a packet of TCP, whose headers are whole, ends its connection at once.
pub(super) fn resets(packet: &[u8]) -> bool {
    packet[4 * usize::from(packet[0] & 0x0f) + 13] & RST != 0
}

impl Numbers {
    /// How many bytes come before the one of this number: of those that are possible modulo 2^32 the one closest to the last.
    fn place(&mut self, number: u32) -> u64 {
        let first = *self.first.get_or_insert(number);
        let expected = first.wrapping_add(self.last as u32);
        let moved = i64::from(number.wrapping_sub(expected) as i32);
        // A probe of an idle connection has the number before the first byte.
        let place = self.last.saturating_add_signed(moved);
        self.last = self.last.max(place);
        place
    }
}

/// Timestamps, and the blocks of SACK with numbers that count from the first byte, which has this number on the wire.
fn timestamps_and_sack(octets: &[u8], first: u32) -> (Option<Timestamps>, SackOption) {
    let (mut timestamps, mut sack) = (None, SackOption::default());
    for option in options(octets) {
        match (option[0], option.len()) {
            (TIMESTAMPS, 10) => timestamps = Some(Timestamps { value: word(option, 2), echo: word(option, 6) }),
            (SACK, 10 | 18 | 26 | 34) => {
                sack = SackOption::from(&option[..2]);
                for at in (2..option.len()).step_by(4) {
                    let counted = word(option, at).wrapping_sub(first).wrapping_add(wire_number(0));
                    sack.extend(&counted.to_be_bytes());
                }
            }
            _ => {}
        }
    }
    (timestamps, sack)
}

/// The shift count of the window scale option, at most 14 (RFC 7323 §2.3).
fn window_scale(octets: &[u8]) -> u8 {
    let shift = options(octets).find(|option| option[0] == WINDOW_SCALE && option.len() == 3).map(|option| option[2]);
    shift.unwrap_or(0).min(14)
}

/// The options of a header, each with kind and length, up to what is malformed.
fn options(mut octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        while let Some((&NOP, rest)) = octets.split_first() {
            octets = rest;
        }
        let (&kind, &length) = (octets.first()?, octets.get(1)?);
        let length = usize::from(length);
        if kind == END || length < 2 || length > octets.len() {
            return None;
        }
        let (option, rest) = octets.split_at(length);
        octets = rest;
        Some(option)
    })
}

fn word(octets: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]])
}

const FIXED_HEADER: usize = 20;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;
/// Kinds of options.
const END: u8 = 0;
const NOP: u8 = 1;
const WINDOW_SCALE: u8 = 3;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(seq: u32, ack: u32, flags: u8, options: &[u8], payload: usize) -> Vec<u8> {
        let mut packet = vec![0; 20];
        packet[0] = 0x45;
        packet.extend([4, 0, 156, 64]);
        packet.extend(seq.to_be_bytes());
        packet.extend(ack.to_be_bytes());
        packet.extend([((20 + options.len()) * 4) as u8, flags, 1, 0, 0, 0, 0, 0]);
        packet.extend(options);
        packet.resize(packet.len() + payload, 7);
        packet
    }

    fn flow() -> FlowId {
        FlowId::from_index(0)
    }

    /// A connection from its first SYN on; both ends begin close to the largest number.
    #[test]
    fn numbers_count_from_the_first_byte_and_do_not_wrap() {
        let mut numbering = Numbering::new(vec![2]);
        let mut segment = |from, packet: &[u8]| {
            let segment = numbering.segment(flow(), from, packet).unwrap();
            assert_eq!(segment.ip_bytes() as usize, packet.len());
            segment
        };
        let isn = u32::MAX - 1000;
        let syn_options = [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7];
        let syn = segment(From::Sender, &packet(isn, 0, SYN, &syn_options, 0));
        assert_eq!((syn.seq, syn.len, syn.ack, syn.kind), (0, 0, 0, SegmentKind::Syn));
        assert_eq!(syn.timestamps, Some(Timestamps { value: 9, echo: 0 }));
        let answer = segment(From::Receiver, &packet(77, isn + 1, SYN | ACK, &[], 0));
        assert_eq!((answer.ack, answer.kind, answer.len), (0, SegmentKind::SynAck, 0));
        let first = segment(From::Sender, &packet(isn + 1, 78, ACK, &[], 900));
        assert_eq!((first.seq, first.len, first.ack, first.kind), (0, 900, 0, SegmentKind::Data));
        // 256 in units of 2^7, and without a scale.
        assert_eq!((syn.window, first.window), (None, Some(256 << 7)));
        let second = segment(From::Sender, &packet(isn.wrapping_add(901), 78, ACK, &[], 900));
        assert_eq!((second.seq, second.len), (900, 900));
        let third = segment(From::Sender, &packet(isn.wrapping_add(1801), 78, ACK, &[], 900));
        assert_eq!(third.seq, 1800);
        // The first is missing: the receiver holds 900..2700.
        let mut options = vec![1, 1, 5, 10];
        options.extend(isn.wrapping_add(901).to_be_bytes());
        options.extend(isn.wrapping_add(2701).to_be_bytes());
        let ack = segment(From::Receiver, &packet(78, isn + 1, ACK, &options, 0));
        assert_eq!((ack.ack, ack.len, ack.window), (0, 0, Some(256)));
        assert_eq!(ack.sack.octets(), [5, 10, 0, 0, 3, 133, 0, 0, 10, 141], "901 and 2701, as byte 0 has the number 1");
        let again = segment(From::Sender, &packet(isn + 1, 78, ACK, &[], 900));
        assert_eq!(again.seq, 0, "before the last, and not 2^32 after it");
        let fin = segment(From::Sender, &packet(isn.wrapping_add(2701), 78, FIN | ACK, &[], 100));
        assert_eq!((fin.seq, fin.len, fin.payload(), fin.kind), (2700, 101, 100, SegmentKind::Fin));
        let fin = segment(From::Receiver, &packet(78, isn.wrapping_add(2802), FIN | ACK, &[], 0));
        assert_eq!((fin.ack, fin.kind), (2801, SegmentKind::FinAck));
        // 4 GiB later.
        for step in 0..5 {
            let seq = isn.wrapping_add(1).wrapping_add(0x3fff_ffff_u32.wrapping_mul(step));
            let far = segment(From::Sender, &packet(seq, 78, ACK, &[], 1));
            assert_eq!(far.seq, 0x3fff_ffff * u64::from(step));
        }
        let other = segment(From::Sender, &packet(12, 0, SYN, &[], 0));
        assert_eq!(other.seq, 0);
        assert_eq!(segment(From::Sender, &packet(13, 78, ACK, &[], 1)).seq, 0, "another connection");
    }

    #[test]
    fn broken_options_end_and_what_is_cut_off_is_no_segment() {
        let mut numbering = Numbering::new(vec![2]);
        for options in [&[8, 10, 0, 0][..], &[5, 0, 1, 1], &[1, 1, 1, 5], &[0, 8, 10, 0], &[9, 1, 1, 1]] {
            let packet = packet(1, 2, ACK, options, 5);
            let segment = numbering.segment(flow(), From::Sender, &packet).unwrap();
            assert_eq!((segment.timestamps, segment.sack.is_empty()), (None, true), "{options:?}");
            assert_eq!(segment.ip_bytes() as usize, packet.len());
        }
        let whole = packet(1, 2, ACK, &[1, 1, 1, 1], 0);
        for length in [0, 19, 20, 39, 43] {
            assert!(numbering.segment(flow(), From::Sender, &whole[..length]).is_none(), "{length}");
        }
    }
}
