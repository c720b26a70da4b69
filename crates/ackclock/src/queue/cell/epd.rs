//! Early packet discard: refuse every new frame while more than R cells wait.
//! Source: \[RF95\]; \[SACK-UBR\] §5.1.

use super::frame::{FrameDiscard, FrameParams, FrameRule, threshold, threshold_key};
use super::{CellArrival, Mechanism};
use crate::keys::{Key, Misfit, Values};
use crate::queue::{Buffer, Port};
use crate::rng::Stream;

/// EPD's rule: X > R.
#[derive(Clone, Copy, Debug)]
pub struct Epd {
    threshold_cells: f64,
}

/// The parameters of EPD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpdParams {
    /// R: new frames are refused when more than this many cells wait.
    pub threshold_cells: f64,
    /// What happens to frames beyond the rule.
    pub frame: FrameParams,
}

impl Mechanism for Epd {
    const NAME: &'static str = "epd";
    const ABOUT: &'static str = "Early packet discard: new frames are refused above a threshold.";
    const KEYS: &'static [Key] = &[
        threshold_key(0.8, "literature: later papers of the group of [SACK-UBR]"),
        FrameParams::KEYS[0],
        FrameParams::KEYS[1],
        FrameParams::KEYS[2],
    ];
    type Params = EpdParams;
    type State = FrameDiscard<Epd>;

    fn params(values: &Values, port: &Port) -> Result<EpdParams, Misfit> {
        let threshold_cells = threshold(values, port)?;
        Ok(EpdParams { threshold_cells, frame: FrameParams::read(values, port, threshold_cells)? })
    }

    fn start(params: &EpdParams, vcs: usize, _draws: Stream) -> FrameDiscard<Epd> {
        FrameDiscard::new(Epd { threshold_cells: params.threshold_cells }, &params.frame, vcs)
    }

    fn threshold_cells(params: &EpdParams) -> Option<f64> {
        Some(params.threshold_cells)
    }
}

impl FrameRule for Epd {
    fn accept_frame(&mut self, _first: CellArrival, buffer: &Buffer) -> bool {
        f64::from(buffer.queued()) <= self.threshold_cells
    }

    fn reads_per_vc(&self, _queued: u32) -> bool {
        false
    }
}
