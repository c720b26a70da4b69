//! Selective Drop: beyond R, refuse new frames of connections that hold more than their share of the buffer.
//! Source: \[SACK-UBR\] §5.2.

use super::Mechanism;
use super::frame::{FrameDiscard, FrameParams, FrameRule, threshold, threshold_key};
use crate::ids::VcId;
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Buffer, Port};

/// Selective Drop's rule: X > R and Y_i·N_a/X > Z.
#[derive(Clone, Copy, Debug)]
pub struct SelectiveDrop {
    threshold_cells: f64,
    load_ratio: f64,
}

/// The parameters of Selective Drop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectiveDropParams {
    /// R, cells.
    pub threshold_cells: f64,
    /// Z: the load ratio beyond which a connection is over its share.
    pub load_ratio: f64,
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
        FrameParams::KEYS[0],
        FrameParams::KEYS[1],
        FrameParams::KEYS[2],
    ];
    const IS_RANDOM: bool = false;
    type Params = SelectiveDropParams;
    type State = FrameDiscard<SelectiveDrop>;

    fn params(values: &Values, port: &Port) -> Result<SelectiveDropParams, Misfit> {
        let threshold_cells = threshold(values, port)?;
        let frame = FrameParams::read(values, port, threshold_cells)?;
        Ok(SelectiveDropParams { threshold_cells, load_ratio: values.number("load_ratio"), frame })
    }

    fn start(params: &SelectiveDropParams, vcs: usize) -> FrameDiscard<SelectiveDrop> {
        let SelectiveDropParams { threshold_cells, load_ratio, frame } = params;
        let rule = SelectiveDrop { threshold_cells: *threshold_cells, load_ratio: *load_ratio };
        FrameDiscard::new(rule, frame, vcs)
    }

    fn threshold_cells(params: &SelectiveDropParams) -> Option<f64> {
        Some(params.threshold_cells)
    }
}

impl FrameRule for SelectiveDrop {
    fn accept_frame(&mut self, vc: VcId, buffer: &Buffer) -> bool {
        let x = f64::from(buffer.queued());
        // A connection with nothing waiting has load ratio 0 and is never refused.
        x <= self.threshold_cells || weighted_load(vc, buffer) <= self.load_ratio * x
    }

    fn reads_per_vc(&self, queued: u32) -> bool {
        f64::from(queued) > self.threshold_cells
    }
}

/// The key of Z.
pub(super) const fn load_ratio_key(source: &'static str) -> Key {
    Key::new(
        "load_ratio",
        Kind::Number(1e6),
        Default::Is(Value::Number(0.8)),
        source,
        "Z: the share of the buffer beyond which a connection is refused new frames, in fair shares.",
    )
}

/// Y_i·N_a: the load ratio times X. Multiplied out, so that no division rounds.
pub(super) fn weighted_load(vc: VcId, buffer: &Buffer) -> f64 {
    f64::from(buffer.queued_of(vc)) * f64::from(buffer.active())
}
