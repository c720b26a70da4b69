//! Fair Buffer Allocation: as Selective Drop, with a load-ratio limit that falls from infinity at R to Z at K.
//! Source: \[HK98\] (Heinanen and Kilkki); \[SACK-UBR\] §5.2.

use super::frame::{FrameDiscard, FrameParams, FrameRule, threshold_key};
use super::load_ratio::{LoadRatioArithmetic, load_ratio_key};
use super::{CellArrival, Mechanism};
use crate::keys::{Key, Misfit, Values};
use crate::queue::{Buffer, Port};
use crate::rng::Stream;

/// FBA's rule: X > R and Y_i·N_a/X > Z·(K−R)/(X−R).
#[derive(Clone, Copy, Debug)]
pub struct Fba {
    threshold_cells: f64,
    load_ratio: f64,
    arithmetic: LoadRatioArithmetic,
}

/// The parameters of FBA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FbaParams {
    /// R, cells. Smaller than the buffer.
    pub threshold_cells: f64,
    /// Z: the load ratio allowed when the buffer is full.
    pub load_ratio: f64,
    /// How Y_i·N_a/X is computed. The limit with which it is compared is not rounded.
    pub arithmetic: LoadRatioArithmetic,
    /// What happens to frames beyond the rule.
    pub frame: FrameParams,
}

impl Mechanism for Fba {
    const NAME: &'static str = "fba";
    const ABOUT: &'static str = "Fair Buffer Allocation: above a threshold new frames are refused of connections whose share is too large; the limit falls as the buffer fills.";
    const KEYS: &'static [Key] = &[
        threshold_key(0.5, "literature: [HK98], low confidence"),
        load_ratio_key("literature: [HK98]"),
        LoadRatioArithmetic::KEY,
        FrameParams::KEYS[0],
        FrameParams::KEYS[1],
        FrameParams::KEYS[2],
    ];
    const NEEDS_LIMIT: Option<&'static str> = Some("fba compares with the room that is left");
    type Params = FbaParams;
    type State = FrameDiscard<Fba>;

    fn params(values: &Values, port: &Port) -> Result<FbaParams, Misfit> {
        let threshold_cells = values.level("threshold", port.capacity_cells);
        let room = port.capacity_cells.map_or(f64::INFINITY, f64::from);
        if threshold_cells >= room {
            return Err(Misfit {
                keys: &["threshold", "buffer"],
                problem: format!("`threshold` is {threshold_cells} cells, not less than the buffer of {room}"),
                expected: "must be less than the buffer",
            });
        }
        let frame = FrameParams::read(values, port, threshold_cells)?;
        let (load_ratio, arithmetic) = (values.number("load_ratio"), LoadRatioArithmetic::read(values));
        Ok(FbaParams { threshold_cells, load_ratio, arithmetic, frame })
    }

    fn start(params: &FbaParams, vcs: usize, _draws: Stream) -> FrameDiscard<Fba> {
        let FbaParams { threshold_cells, load_ratio, arithmetic, ref frame } = *params;
        FrameDiscard::new(Fba { threshold_cells, load_ratio, arithmetic }, frame, vcs)
    }

    fn threshold_cells(params: &FbaParams) -> Option<f64> {
        Some(params.threshold_cells)
    }
}

impl FrameRule for Fba {
    fn accept_frame(&mut self, first: CellArrival, buffer: &Buffer) -> bool {
        let (x, k, r) = (f64::from(buffer.queued()), f64::from(buffer.capacity()), self.threshold_cells);
        x <= r || self.arithmetic.load_times_queue(first.vc, buffer) * (x - r) <= self.load_ratio * (k - r) * x
    }

    fn reads_per_vc(&self, queued: u32) -> bool {
        f64::from(queued) > self.threshold_cells
    }
}
