//! Fair Buffer Allocation: as Selective Drop, with a load-ratio limit that falls from infinity at R to Z at K.
//! Source: [HK98] (Heinanen and Kilkki); [SACK-UBR] §5.2.   Parameters: R threshold (cells), Z limit at K (no unit).

use super::FrameRule;
use super::forgiveness::Thresholded;
use super::selective_drop::weighted_load;
use crate::ids::VcId;
use crate::queue::Buffer;

/// FBA's rule: X > R and Y_i·N_a/X > Z·(K−R)/(X−R).
#[derive(Clone, Copy, Debug)]
pub struct Fba {
    threshold_cells: f64,
    load_ratio: f64,
}

impl Fba {
    /// FBA with threshold R, less than the buffer's capacity, and limit Z.
    pub fn new(threshold_cells: f64, load_ratio: f64) -> Fba {
        Fba { threshold_cells, load_ratio }
    }
}

impl FrameRule for Fba {
    fn accept_frame(&mut self, vc: VcId, buffer: &Buffer) -> bool {
        let (x, k, r) = (f64::from(buffer.queued()), f64::from(buffer.capacity()), self.threshold_cells);
        x <= r || weighted_load(vc, buffer) * (x - r) <= self.load_ratio * (k - r) * x
    }

    fn looks_at_shares(&self, queued: u32) -> bool {
        f64::from(queued) > self.threshold_cells
    }
}

impl Thresholded for Fba {
    fn threshold_cells(&self) -> f64 {
        self.threshold_cells
    }
}
