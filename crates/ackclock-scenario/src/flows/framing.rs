//! How large segments become on the wire: docs/models/aal5.md.

use ackclock::packet::{IP_HEADER_BYTES, SackOption, Segment, TCP_HEADER_BYTES, Timestamps, aal5};
use ackclock::scenario::{MIN_DATAGRAM_BYTES, Technology};
use ackclock::tcp::TcpParams;
use ackclock::units::CELL_BYTES;

/// Octets of the largest datagram.
const LARGEST_DATAGRAM: u32 = 65_535;

/// The largest segment payload that a datagram, and an AAL5 frame around it, can carry.
pub(crate) fn largest_mss(technology: Technology) -> u32 {
    largest_datagram(technology) - IP_HEADER_BYTES - TCP_HEADER_BYTES
}

/// The largest payload of UDP that a datagram, and an AAL5 frame around it, can carry.
pub(crate) fn largest_udp_payload(technology: Technology) -> u32 {
    largest_mss(technology) + MIN_DATAGRAM_BYTES
}

fn largest_datagram(technology: Technology) -> u32 {
    match technology {
        Technology::Atm { llc: true } => aal5::MAX_PAYLOAD_BYTES - aal5::LLC_BYTES,
        Technology::Atm { llc: false } => aal5::MAX_PAYLOAD_BYTES,
        Technology::Packet { .. } => LARGEST_DATAGRAM,
    }
}

/// Bytes on the wire of a full data segment of a connection, options included.
pub(crate) fn full_segment_wire_bytes(tcp: &TcpParams, technology: Technology) -> u64 {
    wire_bytes(full_segment(tcp), technology)
}

/// Octets of the IP datagram around a full data segment of a connection, options included.
pub(crate) fn full_segment_datagram_bytes(tcp: &TcpParams) -> u32 {
    full_segment(tcp).ip_bytes()
}

/// Octets of the IP datagram around the longest acknowledgement of a connection.
pub(crate) fn longest_ack_datagram_bytes(tcp: &TcpParams) -> u32 {
    let sack = SackOption::from(&[0; SackOption::MAX_BYTES][..tcp.longest_sack_option()]);
    Segment { sack, timestamps: timestamps(tcp), ..Segment::default() }.ip_bytes()
}

/// Octets of the IP datagram around so many bytes of a source of datagrams.
pub(crate) fn udp_datagram_bytes(payload: u32) -> u32 {
    udp_segment(payload).ip_bytes()
}

fn full_segment(tcp: &TcpParams) -> Segment {
    Segment { len: tcp.mss, headers: tcp.header_bytes, timestamps: timestamps(tcp), ..Segment::default() }
}

fn udp_segment(payload: u32) -> Segment {
    Segment { len: payload - MIN_DATAGRAM_BYTES, ..Segment::default() }
}

fn timestamps(tcp: &TcpParams) -> Option<Timestamps> {
    tcp.timestamp_clock.map(|_| Timestamps::default())
}

/// Bytes on the wire of a datagram with `payload` bytes.
pub(crate) fn datagram_wire_bytes(payload: u32, technology: Technology) -> u64 {
    wire_bytes(udp_segment(payload), technology)
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
    use ackclock::tcp::RecoveryParams;
    use ackclock::tcp::recovery::RackParams;
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
        assert_eq!([&plain, &stamped].map(full_segment_datagram_bytes), [1500, 1512]);
        assert_eq!(full_segment_wire_bytes(&TcpParams { header_bytes: 0, ..plain }, packet), 1478);
        // 20 + 20, and 2 + 3 · 8 octets of SACK in whole words; with timestamps 12 more.
        let sack = TcpParams { recovery: RecoveryParams::Rack(RackParams::default()), ..TcpParams::default() };
        let sack_and_timestamps = TcpParams { timestamp_clock: Some(Span::from_ms(1)), ..sack.clone() };
        let acks = [&TcpParams::default(), &sack, &sack_and_timestamps].map(longest_ack_datagram_bytes);
        assert_eq!(acks, [40, 68, 80]);
        assert_eq!((udp_datagram_bytes(1470), udp_datagram_bytes(12)), (1498, 40));
    }

    #[test]
    fn the_largest_segment_fills_a_datagram() {
        assert_eq!(largest_mss(Technology::Atm { llc: true }), 65_487);
        assert_eq!(largest_mss(Technology::Atm { llc: false }), 65_495);
        assert_eq!(largest_mss(Technology::Packet { link_header_bytes: 18 }), 65_495);
        let [with_llc, without] = [true, false].map(|llc| largest_udp_payload(Technology::Atm { llc }));
        assert_eq!((with_llc, without), (65_499, 65_507));
    }
}
