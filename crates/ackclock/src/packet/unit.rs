//! What moves as one: a cell, or on a packet network a packet. A small value that is copied; payload does not exist.

use crate::ids::VcId;

/// One cell of an AAL5 frame; on a packet network the whole packet, as a frame of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its connection.
    pub vc: VcId,
    /// The frame's number within the connection.
    pub frame: u32,
    /// The unit's number within the frame.
    pub index: u16,
    /// The links of its connection's route that it has left behind.
    pub hop: u8,
    /// Whether it is the last of the frame: the end mark of AAL5, in the cell header's PTI field.
    pub eom: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stay_small() {
        assert_eq!(std::mem::size_of::<Unit>(), 12);
    }
}
