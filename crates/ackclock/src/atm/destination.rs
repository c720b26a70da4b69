//! The destination of an ABR connection: it returns RM cells to the source.
//! Source: \[TM4\] §5.10.5, rules 1 to 3. Rules 4 to 6, congestion of the destination itself, are left out.

use crate::packet::RmCell;

/// The destination's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbrDestination {
    /// EFCI of the data cell that arrived last, since the last forward RM cell.
    efci: bool,
    /// The backward RM cell that waits for its turn on the way back. There is room for one.
    waiting: Option<RmCell>,
}

impl AbrDestination {
    /// A data cell of the connection arrives, whatever becomes of its frame.
    #[inline]
    pub fn on_data_cell(&mut self, efci: bool) {
        self.efci = efci;
    }

    /// A forward RM cell arrives: it is turned around, and reports congestion that data cells have met. Returns the backward
    /// RM cell that waited and is replaced, if there was one: the newer one knows more.
    pub fn on_forward_rm(&mut self, cell: RmCell) -> Option<RmCell> {
        let ci = cell.ci | std::mem::take(&mut self.efci);
        self.waiting.replace(RmCell { ci, bn: false, ..cell })
    }

    /// The backward RM cell that waits, if there is one.
    pub fn waiting(&self) -> Option<&RmCell> {
        self.waiting.as_ref()
    }

    /// The backward RM cell that waits is sent.
    pub fn take(&mut self) -> Option<RmCell> {
        self.waiting.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forward(ccr: f64) -> RmCell {
        RmCell { er: 1000.0, ccr, mcr: 1.0, ci: false, ni: true, bn: false, clp: true }
    }

    #[test]
    fn rule_2_turns_a_forward_rm_cell_around_as_it_came() {
        let mut destination = AbrDestination::default();
        // BN = 1 would say that the destination or a switch has generated it.
        assert_eq!(destination.on_forward_rm(RmCell { bn: true, ..forward(5.0) }), None);
        assert_eq!(destination.waiting(), Some(&forward(5.0)));
        assert_eq!(destination.take(), Some(forward(5.0)));
        assert_eq!(destination.take(), None);
    }

    #[test]
    fn rule_1_reports_the_efci_of_the_last_data_cell_once() {
        let mut destination = AbrDestination::default();
        let mut reported = |marks: &[bool], ci| {
            marks.iter().for_each(|&efci| destination.on_data_cell(efci));
            destination.on_forward_rm(RmCell { ci, ..forward(5.0) });
            destination.take().unwrap().ci
        };
        assert!(reported(&[false, true], false));
        assert!(!reported(&[], false), "it was reported");
        assert!(!reported(&[true, false], false), "the last one counts");
        assert!(reported(&[false], true), "what a switch said stays");
    }

    #[test]
    fn rule_3_a_newer_rm_cell_takes_the_place_of_one_that_waits() {
        let mut destination = AbrDestination::default();
        destination.on_data_cell(true);
        destination.on_forward_rm(forward(5.0));
        let replaced = destination.on_forward_rm(forward(6.0));
        assert_eq!(replaced, Some(RmCell { ci: true, ..forward(5.0) }));
        assert_eq!(destination.take(), Some(forward(6.0)));
    }
}
