//! What moves as one: a cell, or on a packet network a packet. A small value that is copied; payload does not exist.

use crate::ids::VcId;

/// One cell of an AAL5 frame; on a packet network the whole packet, as a frame of one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Its connection.
    pub vc: VcId,
    /// The frame's number within the connection.
    pub frame: u32,
    /// The unit's number within the frame.
    pub index: u16,
    /// The links of its connection's route that it has left behind.
    pub hop: u8,
    /// What it is.
    pub pti: Pti,
}

/// PTI, payload type indication of a cell: three bits of its header (ITU-T I.361 §2.2.4). A fourth bit, which says in which direction an RM
/// cell goes, stands for the bit DIR of its payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pti(u8);

impl Pti {
    /// A cell of a frame, which has met no congestion; `eom`: the last one, the end mark of AAL5.
    #[inline]
    pub const fn data(eom: bool) -> Pti {
        Pti(eom as u8)
    }

    /// An RM cell on its way from the source.
    pub const FORWARD_RM: Pti = Pti(RM);
    /// An RM cell on its way back to the source.
    pub const BACKWARD_RM: Pti = Pti(RM | BACKWARD);

    /// Whether it is the last cell of a frame.
    #[inline]
    pub const fn eom(self) -> bool {
        self.0 & (NO_DATA | EOM) == EOM
    }

    /// Whether it is a cell of a frame that has met congestion.
    #[inline]
    pub const fn efci(self) -> bool {
        self.0 & (NO_DATA | EFCI) == EFCI
    }

    /// The bits.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether it is an RM cell.
    #[inline]
    pub const fn is_rm(self) -> bool {
        self.0 & RM == RM
    }

    /// This PTI after congestion: a cell of a frame is marked, an RM cell has no bit for that.
    #[inline]
    pub const fn marked(self) -> Pti {
        if self.is_rm() { self } else { Pti(self.0 | EFCI) }
    }
}

const EOM: u8 = 0b001;
const EFCI: u8 = 0b010;
const NO_DATA: u8 = 0b100;
const RM: u8 = 0b110;
const BACKWARD: u8 = 0b1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stay_small() {
        assert_eq!(std::mem::size_of::<Unit>(), 12);
    }

    #[test]
    fn an_rm_cell_is_neither_the_end_of_a_frame_nor_marked() {
        let said = |pti: Pti| (pti.eom(), pti.efci(), pti.is_rm());
        assert_eq!([false, true].map(|eom| said(Pti::data(eom))), [(false, false, false), (true, false, false)]);
        assert_eq!([false, true].map(|eom| said(Pti::data(eom).marked())), [(false, true, false), (true, true, false)]);
        for rm in [Pti::FORWARD_RM, Pti::BACKWARD_RM] {
            assert_eq!(said(rm), (false, false, true));
            assert_eq!(rm.marked(), rm);
        }
        assert_ne!(Pti::FORWARD_RM, Pti::BACKWARD_RM);
    }
}
