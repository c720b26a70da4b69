//! Selective Drop: beyond R, refuse new frames of connections that hold more than their share of the buffer.
//! Source: \[SACK-UBR\] §5.2.

use super::frame::{FrameDiscard, FrameParams, FrameRule, threshold, threshold_key};
use super::load_ratio::{LoadRatioArithmetic, load_ratio_key};
use super::{CellArrival, Mechanism};
use crate::keys::{Key, Misfit, Values};
use crate::queue::{Buffer, Port};
use crate::rng::Stream;

/// Selective Drop's rule: X > R and Y_i·N_a/X > Z.
#[derive(Clone, Copy, Debug)]
pub struct SelectiveDrop {
    threshold_cells: f64,
    load_ratio: f64,
    arithmetic: LoadRatioArithmetic,
}

/// The parameters of Selective Drop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectiveDropParams {
    /// R, cells.
    pub threshold_cells: f64,
    /// Z: the load ratio beyond which a connection is over its share.
    pub load_ratio: f64,
    /// How Y_i·N_a/X is computed.
    pub arithmetic: LoadRatioArithmetic,
    /// What happens to frames beyond the rule.
    pub frame: FrameParams,
}

impl Mechanism for SelectiveDrop {
    const NAME: &'static str = "selective-drop";
    const ABOUT: &'static str =
        "Selective Drop: above a threshold new frames are refused of connections that hold more than their share.";
    const KEYS: &'static [Key] = &[
        threshold_key(0.9, "[SD-PLUS] §3"),
        load_ratio_key("[SD-PLUS] §3"),
        LoadRatioArithmetic::KEY,
        FrameParams::KEYS[0],
        FrameParams::KEYS[1],
        FrameParams::KEYS[2],
    ];
    type Params = SelectiveDropParams;
    type State = FrameDiscard<SelectiveDrop>;

    fn params(values: &Values, port: &Port) -> Result<SelectiveDropParams, Misfit> {
        let threshold_cells = threshold(values, port)?;
        let frame = FrameParams::read(values, port, threshold_cells)?;
        let (load_ratio, arithmetic) = (values.number("load_ratio"), LoadRatioArithmetic::read(values));
        Ok(SelectiveDropParams { threshold_cells, load_ratio, arithmetic, frame })
    }

    fn start(params: &SelectiveDropParams, vcs: usize, _draws: Stream) -> FrameDiscard<SelectiveDrop> {
        let SelectiveDropParams { threshold_cells, load_ratio, arithmetic, ref frame } = *params;
        FrameDiscard::new(SelectiveDrop { threshold_cells, load_ratio, arithmetic }, frame, vcs)
    }

    fn threshold_cells(params: &SelectiveDropParams) -> Option<f64> {
        Some(params.threshold_cells)
    }
}

impl FrameRule for SelectiveDrop {
    fn accept_frame(&mut self, first: CellArrival, buffer: &Buffer) -> bool {
        let x = f64::from(buffer.queued());
        // A connection with nothing waiting has load ratio 0 and is never refused.
        x <= self.threshold_cells || self.arithmetic.load_times_queue(first.vc, buffer) <= self.load_ratio * x
    }

    fn reads_per_vc(&self, queued: u32) -> bool {
        f64::from(queued) > self.threshold_cells
    }
}
