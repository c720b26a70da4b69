//! Early packet discard: refuse every new frame while more than R cells wait.
//! Source: [RF95]; [SACK-UBR] §5.1.   Parameter: R threshold (cells).

use super::FrameRule;
use super::forgiveness::Thresholded;
use crate::ids::VcId;
use crate::queue::Buffer;

/// EPD's rule: X > R.
#[derive(Clone, Copy, Debug)]
pub struct Epd {
    threshold_cells: f64,
}

impl Epd {
    /// EPD with threshold R.
    pub fn new(threshold_cells: f64) -> Epd {
        Epd { threshold_cells }
    }
}

impl FrameRule for Epd {
    fn accept_frame(&mut self, _vc: VcId, buffer: &Buffer) -> bool {
        f64::from(buffer.queued()) <= self.threshold_cells
    }

    fn looks_at_shares(&self, _queued: u32) -> bool {
        false
    }
}

impl Thresholded for Epd {
    fn threshold_cells(&self) -> f64 {
        self.threshold_cells
    }
}
