//! EFCI, explicit forward congestion indication: a bit of data cells, which the destination reports to the source.
//! Source: \[UBR-ABR\] §2.3. The bit is set when the cell arrives (inferred; at its departure is the alternative).

use super::{Mechanism, Port, RateAllocator, threshold_key};
use crate::keys::{Key, Misfit, Values};
use crate::packet::RmCell;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of EFCI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EfciParams {
    /// Cells that may wait before data cells are marked.
    pub threshold: u64,
}

/// A port that marks.
#[derive(Clone, Debug)]
pub struct Efci {
    threshold: u64,
}

impl Mechanism for Efci {
    const NAME: &'static str = "efci";
    const ABOUT: &'static str = "EFCI: data cells that find a long queue are marked, and the source slows down.";
    const KEYS: &'static [Key] = &[threshold_key("Data cells that find more cells waiting than this are marked.")];
    type Params = EfciParams;

    fn params(values: &Values) -> Result<EfciParams, Misfit> {
        Ok(EfciParams { threshold: u64::from(values.count("threshold")) })
    }

    fn interval(_params: &EfciParams) -> Option<Span> {
        None
    }

    fn start(params: &EfciParams, _port: &Port<'_>, _draws: Stream) -> Efci {
        Efci { threshold: params.threshold }
    }
}

impl RateAllocator for Efci {
    fn on_cells(&mut self, _now: Option<Time>, _vc: usize, _cells: u64) {}

    fn on_other_cells(&mut self, _now: Option<Time>, _cells: u64) {}

    fn on_interval_end(&mut self, _now: Time, _queued: u64) {}

    fn on_backward_rm(&mut self, _now: Time, _vc: usize, _queued: u64, _cell: &mut RmCell) {}

    fn marks_efci(&self, queued: u64) -> bool {
        queued > self.threshold
    }

    fn efci_threshold(&self) -> Option<u64> {
        Some(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_beyond_the_threshold_are_marked() {
        let efci = Efci { threshold: 256 };
        assert!(!efci.marks_efci(256) && efci.marks_efci(257));
    }
}
