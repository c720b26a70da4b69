//! AAL5: how many cells a datagram becomes, and which frames survive reassembly.
//! Sources: ITU-T I.363.5; RFC 1483 §4.1 (LLC/SNAP); the tables of docs/models/aal5.md are recomputed in the tests.

use super::Unit;
use crate::units::CELL_PAYLOAD_BYTES;

/// Octets of the LLC/SNAP header of a routed IP datagram.
pub const LLC_BYTES: u32 = 8;
/// Octets of the AAL5 trailer.
pub const TRAILER_BYTES: u32 = 8;
/// The largest AAL5 payload, by the trailer's 16-bit length field.
pub const MAX_PAYLOAD_BYTES: u32 = 65_535;

/// Cells of the frame that carries an IP datagram of `ip_bytes`: datagram, LLC/SNAP header, trailer, padding.
pub fn cells(ip_bytes: u32, llc: bool) -> u16 {
    let pdu = u64::from(ip_bytes) + u64::from(if llc { LLC_BYTES } else { 0 }) + u64::from(TRAILER_BYTES);
    u16::try_from(pdu.div_ceil(CELL_PAYLOAD_BYTES)).expect("datagram beyond the AAL5 limit")
}

/// Reassembly of one connection: collects cells up to an end mark and says whether they are one whole frame.
///
/// Length and CRC of the trailer catch every mixture of frames, so a frame is good if and only if its cells are
/// exactly the cells of one frame in order: a lost interior cell ruins its frame, a lost end mark that one and the
/// next. No frame has more than 1366 cells (65 535 octets), so what exceeds the reassembly buffer is damaged anyhow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reassembler {
    /// The cell that would continue an undamaged frame; `None` after damage.
    expected: Expected,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expected {
    /// The first cell of any frame.
    #[default]
    First,
    /// This cell of this frame.
    Next { frame: u32, index: u16 },
    /// Nothing can mend it: wait for an end mark.
    Damaged,
}

/// What an end mark completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reassembled {
    /// Every cell of this frame.
    Good {
        /// The frame's number.
        frame: u32,
    },
    /// Something else; it is discarded, nothing of it is delivered.
    Damaged,
}

impl Reassembler {
    /// Takes the next cell (or packet); answers at the end mark.
    pub fn on_unit(&mut self, unit: Unit) -> Option<Reassembled> {
        self.on_units(unit.frame, unit.index, 1, unit.pti.eom())
    }

    /// Takes the next `count` cells, which follow each other in frame `frame` from number `first` on; answers if the
    /// last of them is the end mark.
    pub fn on_units(&mut self, frame: u32, first: u16, count: u16, eom: bool) -> Option<Reassembled> {
        let fits = match self.expected {
            Expected::First => first == 0,
            Expected::Next { frame: of, index } => frame == of && first == index,
            Expected::Damaged => false,
        };
        if eom {
            self.expected = Expected::First;
            return Some(if fits { Reassembled::Good { frame } } else { Reassembled::Damaged });
        }
        self.expected = if fits { Expected::Next { frame, index: first + count } } else { Expected::Damaged };
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id, VcId};
    use crate::packet::{Pti, SackOption, Segment};
    use crate::units::{CELL_BITS, CELL_BYTES};

    fn data(len: u32) -> Segment {
        Segment { len, ..Segment::default() }
    }

    /// Frames: every row, both encapsulations: MSS, cells with LLC, wire bytes, payload/wire, cells without.
    #[test]
    fn every_cell_of_the_framing_table() {
        for (mss, with_llc, wire, share, without) in [
            (512, 12, 636, 0.80503, 12),
            (1024, 23, 1219, 0.84003, 23),
            (9140, 192, 10176, 0.89819, 192),
            (9180, 193, 10229, 0.89745, 193),
        ] {
            let n = cells(data(mss).ip_bytes(), true);
            assert_eq!(n, with_llc, "MSS {mss}");
            assert_eq!(u64::from(n) * CELL_BYTES, wire, "MSS {mss}");
            assert!((f64::from(mss) / wire as f64 - share).abs() < 5e-6, "MSS {mss}");
            assert_eq!(cells(data(mss).ip_bytes(), false), without, "MSS {mss} without LLC");
        }
    }

    #[test]
    fn an_acknowledgement_is_two_cells_with_llc_and_exactly_one_without() {
        assert_eq!(cells(data(0).ip_bytes(), true), 2);
        assert_eq!(cells(data(0).ip_bytes(), false), 1);
        // One octet more does not fit into one cell.
        assert_eq!(cells(data(1).ip_bytes(), false), 2);
    }

    #[test]
    fn sack_blocks_cost_their_bytes_but_an_acknowledgement_stays_at_two_cells() {
        for (blocks, option, pdu) in [(1, 12, 68), (2, 20, 76), (3, 28, 84)] {
            let sack = SackOption::from(&[0; 34][..2 + 8 * blocks]);
            let ack = Segment { sack, ..Segment::default() };
            assert_eq!(sack.padded_bytes(), option);
            assert_eq!(ack.ip_bytes() + LLC_BYTES + TRAILER_BYTES, pdu);
            assert_eq!(cells(ack.ip_bytes(), true), 2);
            assert_eq!(cells(ack.ip_bytes(), false), 2);
        }
    }

    /// Rates: line rate in Mb/s, cells per second, cell time in µs, share of cell payload, and the maximum
    /// TCP payload rate for MSS 512, 1024, 9140, 9180, in Mb/s.
    #[test]
    fn every_cell_of_the_rate_table() {
        for (line, cell_rate, cell_us, payload, max) in [
            (155.52, 366_792.45, 2.72634, 140.848, [125.198, 130.642, 139.687, 139.571]),
            (149.76, 353_207.55, 2.83120, 135.632, [120.562, 125.803, 134.513, 134.402]),
            (146.9, 346_462.26, 2.88632, 133.042, [118.259, 123.401, 131.944, 131.835]),
            (150.0, 353_773.58, 2.82667, 135.849, [120.755, 126.005, 134.729, 134.617]),
        ] {
            let rate = crate::units::Rate::from_bps((line * 1e6_f64).round() as u64).unwrap();
            assert!((rate.as_bps() as f64 / CELL_BITS as f64 - cell_rate).abs() < 0.005, "{line}");
            assert!((rate.cell_time().as_ps() as f64 / 1e6 - cell_us).abs() < 5e-6, "{line}");
            assert!((line * 48.0 / 53.0 - payload).abs() < 5e-4, "{line}");
            for (mss, expected) in [512, 1024, 9140, 9180].into_iter().zip(max) {
                let wire = u64::from(cells(data(mss).ip_bytes(), true)) * CELL_BYTES;
                assert!((line * f64::from(mss) / wire as f64 - expected).abs() < 5.1e-4, "{line} MSS {mss}");
            }
        }
    }

    fn cell(frame: u32, index: u16, eom: bool) -> Unit {
        Unit { vc: VcId::from_index(0), frame, index, hop: 0, pti: Pti::data(eom) }
    }

    #[test]
    fn a_whole_frame_is_good() {
        let mut reassembler = Reassembler::default();
        assert_eq!(reassembler.on_unit(cell(7, 0, false)), None);
        assert_eq!(reassembler.on_unit(cell(7, 1, false)), None);
        assert_eq!(reassembler.on_unit(cell(7, 2, true)), Some(Reassembled::Good { frame: 7 }));
        assert_eq!(reassembler.on_unit(cell(8, 0, true)), Some(Reassembled::Good { frame: 8 }));
    }

    #[test]
    fn a_missing_interior_cell_ruins_only_its_frame() {
        let mut reassembler = Reassembler::default();
        reassembler.on_unit(cell(0, 0, false));
        assert_eq!(reassembler.on_unit(cell(0, 2, true)), Some(Reassembled::Damaged));
        assert_eq!(reassembler.on_unit(cell(1, 0, true)), Some(Reassembled::Good { frame: 1 }));
    }

    #[test]
    fn a_missing_first_cell_ruins_only_its_frame() {
        let mut reassembler = Reassembler::default();
        assert_eq!(reassembler.on_unit(cell(0, 1, false)), None);
        assert_eq!(reassembler.on_unit(cell(0, 2, true)), Some(Reassembled::Damaged));
        assert_eq!(reassembler.on_unit(cell(1, 0, true)), Some(Reassembled::Good { frame: 1 }));
    }

    #[test]
    fn a_missing_end_mark_ruins_its_frame_and_the_next() {
        let mut reassembler = Reassembler::default();
        assert_eq!(reassembler.on_unit(cell(0, 0, false)), None);
        assert_eq!(reassembler.on_unit(cell(1, 0, false)), None);
        assert_eq!(reassembler.on_unit(cell(1, 1, true)), Some(Reassembled::Damaged));
        assert_eq!(reassembler.on_unit(cell(2, 0, true)), Some(Reassembled::Good { frame: 2 }));
    }

    #[test]
    fn a_kept_delimiter_of_a_cut_frame_saves_the_next() {
        let mut reassembler = Reassembler::default();
        reassembler.on_unit(cell(0, 0, false));
        assert_eq!(reassembler.on_unit(cell(0, 9, true)), Some(Reassembled::Damaged));
        reassembler.on_unit(cell(1, 0, false));
        assert_eq!(reassembler.on_unit(cell(1, 1, true)), Some(Reassembled::Good { frame: 1 }));
    }
}
