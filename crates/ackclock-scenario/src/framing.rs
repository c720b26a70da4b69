//! How large segments become on the wire (framing.md §1).

use ackclock::scenario::Technology;
use ackclock::units::{CELL_BYTES, CELL_PAYLOAD_BYTES};

/// Octets of IP and TCP headers without options.
const HEADERS: u64 = 40;
/// Octets of the longest SACK option: three blocks of 8, kind, length, two of padding.
const SACK_OPTION: u64 = 28;
/// Octets of an LLC/SNAP header.
const LLC: u64 = 8;
/// Octets of the AAL5 trailer.
const TRAILER: u64 = 8;
/// Octets of the largest datagram and of the largest AAL5 payload.
const LARGEST: u64 = 65_535;

/// The largest segment payload that a datagram, and an AAL5 frame around it, can carry.
pub(crate) fn largest_mss(technology: Technology) -> u32 {
    let llc = match technology {
        Technology::Atm { llc: true } => LLC,
        _ => 0,
    };
    (LARGEST - HEADERS - llc) as u32
}

/// Bytes on the wire of a data segment with `payload` bytes.
pub(crate) fn segment_wire_bytes(payload: u32, technology: Technology) -> u64 {
    wire_bytes(HEADERS + u64::from(payload), technology)
}

/// Bytes on the wire of the longest acknowledgement.
pub(crate) fn ack_wire_bytes(sack: bool, technology: Technology) -> u64 {
    wire_bytes(HEADERS + if sack { SACK_OPTION } else { 0 }, technology)
}

fn wire_bytes(datagram: u64, technology: Technology) -> u64 {
    match technology {
        Technology::Atm { llc } => {
            let pdu = datagram + if llc { LLC } else { 0 } + TRAILER;
            pdu.div_ceil(CELL_PAYLOAD_BYTES) * CELL_BYTES
        }
        Technology::Packet { link_header_bytes } => datagram + u64::from(link_header_bytes),
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
        assert_eq!(ack_wire_bytes(false, with), 106);
        assert_eq!(ack_wire_bytes(true, with), 106);
        assert_eq!(ack_wire_bytes(false, without), 53);
        assert_eq!(ack_wire_bytes(true, without), 106);
        assert_eq!(segment_wire_bytes(1460, Technology::Packet { link_header_bytes: 18 }), 1518);
    }

    #[test]
    fn the_largest_segment_fills_a_datagram() {
        assert_eq!(largest_mss(Technology::Atm { llc: true }), 65_487);
        assert_eq!(largest_mss(Technology::Atm { llc: false }), 65_495);
        assert_eq!(largest_mss(Technology::Packet { link_header_bytes: 18 }), 65_495);
    }
}
