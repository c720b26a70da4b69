//! Partial packet discard: every new frame is accepted; what overflows takes the rest of its frame along.
//! Source: [RF95]. The memory is [`FrameDiscard`](super::FrameDiscard)'s.

use super::FrameRule;
use crate::ids::VcId;
use crate::queue::Buffer;

/// PPD's rule for new frames: none.
#[derive(Clone, Copy, Debug)]
pub struct Ppd;

impl FrameRule for Ppd {
    fn accept_frame(&mut self, _vc: VcId, _buffer: &Buffer) -> bool {
        true
    }

    fn looks_at_shares(&self, _queued: u32) -> bool {
        false
    }
}
