//! Selective Drop: beyond R, refuse new frames of connections that hold more than their share of the buffer.
//! Source: [SACK-UBR] §5.2.   Parameters: R threshold (cells), Z load-ratio limit (no unit).

use super::FrameRule;
use super::forgiveness::Thresholded;
use crate::ids::VcId;
use crate::queue::Buffer;

/// Selective Drop's rule: X > R and Y_i·N_a/X > Z.
#[derive(Clone, Copy, Debug)]
pub struct SelectiveDrop {
    threshold_cells: f64,
    load_ratio: f64,
}

impl SelectiveDrop {
    /// Selective Drop with threshold R and load-ratio limit Z.
    pub fn new(threshold_cells: f64, load_ratio: f64) -> SelectiveDrop {
        SelectiveDrop { threshold_cells, load_ratio }
    }
}

impl FrameRule for SelectiveDrop {
    fn accept_frame(&mut self, vc: VcId, buffer: &Buffer) -> bool {
        let x = f64::from(buffer.queued());
        // A connection with nothing waiting has load ratio 0 and is never refused.
        x <= self.threshold_cells || weighted_load(vc, buffer) <= self.load_ratio * x
    }

    fn looks_at_shares(&self, queued: u32) -> bool {
        f64::from(queued) > self.threshold_cells
    }
}

impl Thresholded for SelectiveDrop {
    fn threshold_cells(&self) -> f64 {
        self.threshold_cells
    }
}

/// Y_i·N_a: the load ratio times X. Multiplied out, so that no division rounds.
pub(super) fn weighted_load(vc: VcId, buffer: &Buffer) -> f64 {
    f64::from(buffer.queued_of(vc)) * f64::from(buffer.active())
}
