//! How large segments become on the wire: docs/models/aal5.md.

use ackclock::packet::{IP_HEADER_BYTES, SackOption, Segment, TCP_HEADER_BYTES, Timestamps, aal5};
use ackclock::scenario::{MIN_DATAGRAM_BYTES, Technology};
use ackclock::tcp::TcpParams;
use ackclock::units::CELL_BYTES;

/// Octets of the largest datagram.
const LARGEST_DATAGRAM: u32 = 65_535;

/// The largest segment payload that a datagram, and an AAL5 frame around it, can carry.
pub(crate) fn largest_mss(technology: Technology) -> u32 {
    let datagram = match technology {
        Technology::Atm { llc: true } => aal5::MAX_PAYLOAD_BYTES - aal5::LLC_BYTES,
        Technology::Atm { llc: false } => aal5::MAX_PAYLOAD_BYTES,
        Technology::Packet { .. } => LARGEST_DATAGRAM,
    };
    datagram - IP_HEADER_BYTES - TCP_HEADER_BYTES
}

/// Bytes on the wire of a full data segment of a connection, options included.
pub(crate) fn full_segment_wire_bytes(tcp: &TcpParams, technology: Technology) -> u64 {
    let timestamps = tcp.timestamp_clock.map(|_| Timestamps::default());
    wire_bytes(Segment { len: tcp.mss, headers: tcp.header_bytes, timestamps, ..Segment::default() }, technology)
}

/// Bytes on the wire of a datagram with `payload` bytes.
pub(crate) fn datagram_wire_bytes(payload: u32, technology: Technology) -> u64 {
    wire_bytes(Segment { len: payload - MIN_DATAGRAM_BYTES, ..Segment::default() }, technology)
}

/// Bytes on the wire of the longest acknowledgement, whose SACK option has so many octets.
pub(crate) fn ack_wire_bytes(sack_octets: usize, technology: Technology) -> u64 {
    let sack = SackOption::from(&[0; SackOption::MAX_BYTES][..sack_octets]);
    wire_bytes(Segment { sack, ..Segment::default() }, technology)
}

fn wire_bytes(segment: Segment, technology: Technology) -> u64 {
    match technology {
        Technology::Atm { llc } => u64::from(aal5::cells(segment.ip_bytes(), llc)) * CELL_BYTES,
        Technology::Packet { link_header_bytes } => u64::from(segment.ip_bytes()) + u64::from(link_header_bytes),
    }
}

#[cfg(test)]
mod tests {
    use ackclock::units::Span;

    use super::*;

    #[test]
    fn segments_have_the_sizes_of_the_framing_table() {
        let (with, without) = (Technology::Atm { llc: true }, Technology::Atm { llc: false });
        for (mss, cells_with, cells_without) in [(512, 12, 12), (1024, 23, 23), (9140, 192, 192), (9180, 193, 193)] {
            let tcp = TcpParams { mss, ..TcpParams::default() };
            assert_eq!(full_segment_wire_bytes(&tcp, with), cells_with * 53, "{mss}");
            assert_eq!(full_segment_wire_bytes(&tcp, without), cells_without * 53, "{mss}");
        }
        // 40 + 8 + 8 = 56 octets need two cells, 40 + 8 = 48 exactly one.
        assert_eq!(ack_wire_bytes(0, with), 106);
        assert_eq!(ack_wire_bytes(40, with), 106);
        assert_eq!(ack_wire_bytes(0, without), 53);
        assert_eq!(ack_wire_bytes(26, without), 106);
        let packet = Technology::Packet { link_header_bytes: 18 };
        let plain = TcpParams { mss: 1460, ..TcpParams::default() };
        assert_eq!(full_segment_wire_bytes(&plain, packet), 1518);
        let stamped = TcpParams { timestamp_clock: Some(Span::from_ms(1)), ..plain.clone() };
        assert_eq!(full_segment_wire_bytes(&stamped, packet), 1530);
        assert_eq!(full_segment_wire_bytes(&TcpParams { header_bytes: 0, ..plain }, packet), 1478);
    }

    #[test]
    fn the_largest_segment_fills_a_datagram() {
        assert_eq!(largest_mss(Technology::Atm { llc: true }), 65_487);
        assert_eq!(largest_mss(Technology::Atm { llc: false }), 65_495);
        assert_eq!(largest_mss(Technology::Packet { link_header_bytes: 18 }), 65_495);
    }
}
