//! How large segments become on the wire: docs/models/aal5.md.

use ackclock::packet::{IP_HEADER_BYTES, SackOption, Segment, TCP_HEADER_BYTES, aal5};
use ackclock::scenario::{MIN_DATAGRAM_BYTES, Technology};
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

/// Bytes on the wire of a data segment with `payload` bytes.
pub(crate) fn segment_wire_bytes(payload: u32, technology: Technology) -> u64 {
    wire_bytes(Segment { len: payload, ..Segment::default() }, technology)
}

/// Bytes on the wire of a datagram with `payload` bytes.
pub(crate) fn datagram_wire_bytes(payload: u32, technology: Technology) -> u64 {
    segment_wire_bytes(payload - MIN_DATAGRAM_BYTES, technology)
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
    use super::*;

    #[test]
    fn segments_have_the_sizes_of_the_framing_table() {
        let (with, without) = (Technology::Atm { llc: true }, Technology::Atm { llc: false });
        for (mss, cells_with, cells_without) in [(512, 12, 12), (1024, 23, 23), (9140, 192, 192), (9180, 193, 193)] {
            assert_eq!(segment_wire_bytes(mss, with), cells_with * 53, "{mss}");
            assert_eq!(segment_wire_bytes(mss, without), cells_without * 53, "{mss}");
        }
        // 40 + 8 + 8 = 56 octets need two cells, 40 + 8 = 48 exactly one.
        assert_eq!(ack_wire_bytes(0, with), 106);
        assert_eq!(ack_wire_bytes(40, with), 106);
        assert_eq!(ack_wire_bytes(0, without), 53);
        assert_eq!(ack_wire_bytes(26, without), 106);
        assert_eq!(segment_wire_bytes(1460, Technology::Packet { link_header_bytes: 18 }), 1518);
    }

    #[test]
    fn the_largest_segment_fills_a_datagram() {
        assert_eq!(largest_mss(Technology::Atm { llc: true }), 65_487);
        assert_eq!(largest_mss(Technology::Atm { llc: false }), 65_495);
        assert_eq!(largest_mss(Technology::Packet { link_header_bytes: 18 }), 65_495);
    }
}
