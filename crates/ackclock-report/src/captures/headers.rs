//! IPv4, TCP and UDP headers of simulated segments and datagrams.
//! Sources: RFC 791 §3.1 (IPv4), RFC 9293 §3.1 (TCP), RFC 2018 §3 (SACK), RFC 768 (UDP), RFC 1071 (checksum).

use std::iter;
use std::net::Ipv4Addr;

use ackclock::feedback::checksum::updated;
use ackclock::packet::{IP_HEADER_BYTES, Segment, SegmentKind, TCP_HEADER_BYTES, Timestamps, wire_number};

/// The longest pair of headers: 20 + 20 octets, and 40 of options.
pub(super) const MAX_BYTES: usize = 80;

/// One end of a connection.
#[derive(Clone, Copy)]
pub(super) struct Endpoint {
    pub(super) address: Ipv4Addr,
    pub(super) port: u16,
}

/// A segment as it would be on the wire. Its payload is zeros.
pub(super) struct Datagram<'a> {
    pub(super) from: Endpoint,
    pub(super) to: Endpoint,
    pub(super) identification: u16,
    pub(super) push: bool,
    /// The window field, not scaled.
    pub(super) window: u16,
    /// What a SYN says: payload bytes of a full segment, shift count of the window.
    pub(super) mss: u16,
    pub(super) window_scale: u8,
    pub(super) segment: &'a Segment,
}

pub(super) struct UdpDatagram {
    pub(super) from: Endpoint,
    pub(super) to: Endpoint,
    pub(super) identification: u16,
    pub(super) payload_bytes: u32,
}

impl Datagram<'_> {
    /// Octets of the whole datagram, with the headers that are written here. A scenario may count others (`header`); the
    /// payload and its numbers fit these.
    pub(super) fn length(&self) -> u32 {
        self.segment.payload() + IP_HEADER_BYTES + TCP_HEADER_BYTES + self.segment.option_bytes()
    }

    /// The headers. The checksums are those of the whole datagram: zeros of payload add nothing but their number.
    pub(super) fn headers(&self) -> Vec<u8> {
        let field = self.segment.ecn.field();
        let mut bytes = ipv4((self.from, self.to), field, self.identification, PROTOCOL_TCP, self.length());
        let tcp = bytes.len();
        let data_offset_words = 5 + self.segment.option_bytes() as u8 / 4;
        bytes.extend(self.from.port.to_be_bytes());
        bytes.extend(self.to.port.to_be_bytes());
        let opens = matches!(self.segment.kind, SegmentKind::Syn | SegmentKind::SynAck);
        // A SYN takes the number before that of the first byte.
        bytes.extend(wire_number(self.segment.seq).wrapping_sub(u32::from(opens)).to_be_bytes());
        let acknowledges = self.segment.kind != SegmentKind::Syn;
        bytes.extend((wire_number(self.segment.ack) * u32::from(acknowledges)).to_be_bytes());
        bytes.extend([data_offset_words << 4, self.flags()]);
        bytes.extend(self.window.to_be_bytes());
        bytes.extend([0; 4]); // checksum, urgent pointer
        if opens {
            bytes.extend([MAXIMUM_SEGMENT_SIZE, 4]);
            bytes.extend(self.mss.to_be_bytes());
            bytes.extend([NOP, WINDOW_SCALE, 3, self.window_scale, NOP, NOP, SACK_PERMITTED, 2]);
        }
        if let Some(Timestamps { value, echo }) = self.segment.timestamps {
            bytes.extend([NOP, NOP, TIMESTAMPS, 10]);
            bytes.extend(value.to_be_bytes());
            bytes.extend(echo.to_be_bytes());
        }
        let sack = self.segment.sack.octets();
        bytes.extend(iter::repeat_n(NOP, self.segment.sack.padded_bytes() as usize - sack.len()));
        bytes.extend(sack);
        let sum = checksum_of(&bytes, PROTOCOL_TCP, self.length());
        bytes[tcp + 16..tcp + 18].copy_from_slice(&sum);
        if let Some(window) = self.segment.window {
            // A router has written it, and changed the checksum as RFC 1624 says.
            let (old, new) = (self.window, (window >> self.window_scale) as u16);
            bytes[tcp + 14..tcp + 16].copy_from_slice(&new.to_be_bytes());
            bytes[tcp + 16..tcp + 18].copy_from_slice(&updated(u16::from_be_bytes(sum), old, new).to_be_bytes());
        }
        bytes
    }

    fn flags(&self) -> u8 {
        let push = if self.push { PSH } else { 0 };
        let ecn = self.segment.ecn;
        let of_ecn = (u8::from(ecn.ece()) * ECE) | (u8::from(ecn.cwr()) * CWR);
        of_ecn
            | match self.segment.kind {
                SegmentKind::Syn => SYN,
                SegmentKind::SynAck => SYN | ACK,
                SegmentKind::Fin | SegmentKind::FinAck => FIN | ACK | push,
                SegmentKind::Data | SegmentKind::Empty | SegmentKind::Ack | SegmentKind::Probe | SegmentKind::Echo => {
                    ACK | push
                }
            }
    }
}

impl UdpDatagram {
    /// Octets of the whole datagram.
    pub(super) fn length(&self) -> u32 {
        self.payload_bytes + IP_HEADER_BYTES + UDP_HEADER_BYTES
    }

    /// The headers, with the checksums of the whole datagram.
    pub(super) fn headers(&self) -> Vec<u8> {
        let mut bytes = ipv4((self.from, self.to), 0, self.identification, PROTOCOL_UDP, self.length());
        let udp = bytes.len();
        bytes.extend(self.from.port.to_be_bytes());
        bytes.extend(self.to.port.to_be_bytes());
        bytes.extend(((self.length() - IP_HEADER_BYTES) as u16).to_be_bytes());
        bytes.extend([0, 0]);
        let sum = checksum_of(&bytes, PROTOCOL_UDP, self.length());
        // Zero would say that there is none.
        let sum = if sum == [0, 0] { [0xff, 0xff] } else { sum };
        bytes[udp + 6..udp + 8].copy_from_slice(&sum);
        bytes
    }
}

/// The header of a datagram of `length` octets with this ECN field, with room for others behind it.
fn ipv4((from, to): (Endpoint, Endpoint), ecn: u8, identification: u16, protocol: u8, length: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAX_BYTES);
    // Without headers a segment may be as long as a datagram. Then 0, as captures of offloaded segments have.
    let total_length = u16::try_from(length).unwrap_or(0);
    bytes.extend([0x45, ecn]); // version 4, five words; type of service 0, but for its two last bits (RFC 3168 §5)
    bytes.extend(total_length.to_be_bytes());
    bytes.extend(identification.to_be_bytes());
    bytes.extend(DONT_FRAGMENT.to_be_bytes());
    bytes.extend([TTL, protocol, 0, 0]);
    bytes.extend(from.address.octets());
    bytes.extend(to.address.octets());
    let sum = checksum(&[&bytes]);
    bytes[10..12].copy_from_slice(&sum);
    bytes
}

/// The checksum of what is behind the IPv4 header and of the pseudo header, in a datagram of `length` octets whose headers
/// are `bytes`.
fn checksum_of(bytes: &[u8], protocol: u8, length: u32) -> [u8; 2] {
    let (ip, transport) = bytes.split_at(IP_HEADER_BYTES as usize);
    let transport_length = (length - IP_HEADER_BYTES) as u16;
    checksum(&[&ip[12..], &[0, protocol], &transport_length.to_be_bytes(), transport])
}

/// RFC 1071 §1: the complement of the sum of all 16-bit words in ones' complement. Every part is a number of words.
fn checksum(parts: &[&[u8]]) -> [u8; 2] {
    let words = parts.iter().flat_map(|part| part.chunks_exact(2));
    let sum: u32 = words.map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    // No part is longer than 64 KiB, so the carries of the carries are at most one.
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    (!folded as u16).to_be_bytes()
}

const DONT_FRAGMENT: u16 = 0x4000;
/// RFC 1700 recommends it. Switches do not lower it here: captures at both ends show the same packet.
const TTL: u8 = 64;
const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
const UDP_HEADER_BYTES: u32 = 8;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const PSH: u8 = 0x08;
const ECE: u8 = 0x40;
const CWR: u8 = 0x80;
/// Option kinds.
const NOP: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const TIMESTAMPS: u8 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::packet::{Ecn, SackBlock, SackOption};
    use ackclock::tcp::sack_option;

    /// The example of RFC 1071 §3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
    #[test]
    fn the_checksum_of_the_source() {
        assert_eq!(checksum(&[&[0x00, 0x01, 0xf2, 0x03], &[0xf4, 0xf5, 0xf6, 0xf7]]), (!0xddf2u16).to_be_bytes());
    }

    /// ffff + ffff + 0001 = 1ffff: folded 10000, folded again 0001.
    #[test]
    fn a_carry_out_of_the_folding_is_added_too() {
        assert_eq!(checksum(&[&[0xff, 0xff, 0xff, 0xff, 0x00, 0x01]]), (!0x0001u16).to_be_bytes());
    }

    fn headers(segment: &Segment, push: bool) -> Vec<u8> {
        let from = Endpoint { address: Ipv4Addr::new(10, 0, 0, 1), port: 49_152 };
        let to = Endpoint { address: Ipv4Addr::new(10, 0, 0, 2), port: 5001 };
        Datagram { from, to, identification: 258, push, window: 65_535, mss: 512, window_scale: 2, segment }.headers()
    }

    /// As if the receiver had advertised it: window 1234 in units of 4 bytes, and the checksum of all.
    #[test]
    fn a_window_that_a_router_has_written_has_a_right_checksum() {
        let acknowledgement = |window| headers(&Segment { ack: 70_000, window, ..Segment::default() }, false);
        let (written, mut whole) = (acknowledgement(Some(4 * 0x1234)), acknowledgement(None));
        whole[34..36].copy_from_slice(&[0x12, 0x34]);
        whole[36..38].copy_from_slice(&[0, 0]);
        let sum = checksum_of(&whole, PROTOCOL_TCP, 40);
        whole[36..38].copy_from_slice(&sum);
        assert_eq!(written, whole);
    }

    #[test]
    fn a_data_segment_octet_by_octet() {
        let bytes = headers(&Segment { seq: 512, len: 512, ..Segment::default() }, false);
        let ip = [
            [0x45, 0x00, 0x02, 0x28], // 552 octets
            [0x01, 0x02, 0x40, 0x00],
            // 4500 + 0228 + 0102 + 4000 + 4006 + 0a00 + 0001 + 0a00 + 0002 = dc33; its complement
            [0x40, 0x06, 0x23, 0xcc],
            [10, 0, 0, 1],
            [10, 0, 0, 2],
        ];
        assert_eq!(bytes[..20], ip.concat());
        let tcp = [
            [0xc0, 0x00, 0x13, 0x89],
            [0x00, 0x00, 0x02, 0x01], // 513: the byte after 512 others, and after the SYN that was not
            [0x00, 0x00, 0x00, 0x01],
            [0x50, 0x10, 0xff, 0xff],
            // pseudo header 0a00 + 0001 + 0a00 + 0002 + 0006 + 0214 = 161d; with the words above 3bb9; its complement
            [0xc4, 0x46, 0x00, 0x00],
        ];
        assert_eq!(bytes[20..], tcp.concat());
    }

    #[test]
    fn a_syn_comes_before_the_first_byte_and_has_its_options() {
        let timestamps = Some(Timestamps { value: 1, echo: 0 });
        let bytes = headers(&Segment { kind: SegmentKind::Syn, timestamps, ..Segment::default() }, false);
        assert_eq!(bytes[24..32], [0; 8]);
        assert_eq!(bytes[32..34], [11 << 4, 0x02], "5 words and 6 of options; SYN");
        let options = [2, 4, 2, 0, 1, 3, 3, 2, 1, 1, 4, 2, 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0];
        assert_eq!(bytes[40..], options);
        let bytes = headers(&Segment { kind: SegmentKind::SynAck, ..Segment::default() }, false);
        assert_eq!((&bytes[24..32], bytes[33]), (&[0, 0, 0, 0, 0, 0, 0, 1][..], 0x12));
    }

    /// RFC 3168: the two last bits of the second octet of IP are 10 for ECT(0) and 11 for CE; CWR and ECE are the two first of TCP's flags.
    #[test]
    fn the_bits_of_ecn_are_in_both_headers() {
        let bits = |ecn| {
            let bytes = headers(&Segment { len: 512, ecn, ..Segment::default() }, false);
            assert_eq!(checksum(&[&bytes[..20]]), [0, 0], "of the whole header");
            (bytes[1], bytes[33])
        };
        assert_eq!(bits(Ecn::NOT_ECT), (0, 0x10));
        assert_eq!(bits(Ecn::ECT_0.with(Ecn::CWR)), (0b10, 0x90));
        assert_eq!(bits(Ecn::CE), (0b11, 0x10));
        assert_eq!(bits(Ecn::ECE), (0, 0x50));
        let syn = Segment { kind: SegmentKind::Syn, ecn: Ecn::ECE.with(Ecn::CWR), ..Segment::default() };
        assert_eq!(headers(&syn, false)[33], 0xc2);
    }

    #[test]
    fn a_fin_is_the_last_number_and_no_payload() {
        let fin = Segment { seq: 512, len: 101, kind: SegmentKind::Fin, ..Segment::default() };
        let bytes = headers(&fin, true);
        assert_eq!((&bytes[2..4], bytes[33]), (&[0, 140][..], 0x19));
        assert_eq!(headers(&Segment { kind: SegmentKind::FinAck, ..Segment::default() }, false)[33], 0x11);
    }

    #[test]
    fn sequence_numbers_wrap() {
        let sack = sack_option::of_stream(&[SackBlock { start: (1 << 32) - 2, end: (1 << 32) + 9 }]);
        let bytes = headers(&Segment { seq: (1 << 32) + 4, ack: (1 << 32) - 1, sack, ..Segment::default() }, false);
        assert_eq!(bytes[24..32], [[0, 0, 0, 5], [0, 0, 0, 0]].concat());
        assert_eq!(bytes[40..], [[1, 1, 5, 10], [255, 255, 255, 255], [0, 0, 0, 10]].concat());
    }

    #[test]
    fn headers_are_as_long_as_the_simulator_counts() {
        for octets in 0..=SackOption::MAX_BYTES {
            let sack = SackOption::from(&[254; SackOption::MAX_BYTES][..octets]);
            let segment = Segment { sack, ..Segment::default() };
            let bytes = headers(&segment, false);
            assert_eq!(bytes.len(), segment.ip_bytes() as usize, "{octets} octets");
            assert_eq!(usize::from(bytes[32] >> 4) * 4, bytes.len() - 20);
            assert!(bytes.len() <= MAX_BYTES);
            assert_eq!(bytes[bytes.len() - octets..], [254; SackOption::MAX_BYTES][..octets], "after the NOPs");
        }
    }

    /// ns-2 counts 1000 octets of payload as a packet of 1000: on the wire they would be 1040, and the next begins 1000 on.
    #[test]
    fn a_segment_that_is_counted_without_headers_has_its_headers_here() {
        let bytes = headers(&Segment { seq: 1000, len: 1000, headers: 0, ..Segment::default() }, false);
        assert_eq!((bytes.len(), &bytes[2..4]), (40, &1040_u16.to_be_bytes()[..]));
        let long = headers(&Segment { len: 65_530, headers: 0, ..Segment::default() }, false);
        assert_eq!(long[2..4], [0, 0], "too long for its field");
    }

    #[test]
    fn a_user_datagram_octet_by_octet() {
        let from = Endpoint { address: Ipv4Addr::new(10, 0, 0, 1), port: 49_152 };
        let to = Endpoint { address: Ipv4Addr::new(10, 0, 0, 2), port: 5001 };
        let bytes = |payload_bytes| UdpDatagram { from, to, identification: 258, payload_bytes }.headers();
        let expected = [
            [0x45, 0x00, 0x02, 0x1c], // 512 + 28 octets
            [0x01, 0x02, 0x40, 0x00],
            // 4500 + 021c + 0102 + 4000 + 4011 + 0a00 + 0001 + 0a00 + 0002 = dc32; its complement
            [0x40, 0x11, 0x23, 0xcd],
            [10, 0, 0, 1],
            [10, 0, 0, 2],
            [0xc0, 0x00, 0x13, 0x89],
            // pseudo header 0a00 + 0001 + 0a00 + 0002 + 0011 + 0208 = 161c; + c000 + 1389 + 0208 = ebad; its complement
            [0x02, 0x08, 0x14, 0x52],
        ];
        assert_eq!(bytes(512), expected.concat());
        // 0a00 + 0001 + 0a00 + 0002 + 0011 + c000 + 1389 = e79d, and twice the length: ffff with 0c31 octets, which are
        // 3113 of payload. The complement is zero, which says something else.
        assert_eq!(bytes(0x0c31 - 8)[26..], [0xff, 0xff]);
    }

    #[test]
    fn the_end_of_a_file_is_pushed() {
        let segment = Segment { seq: 0, len: 100, ..Segment::default() };
        assert_eq!([false, true].map(|push| headers(&segment, push)[33]), [0x10, 0x18]);
    }
}
