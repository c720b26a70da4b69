//! Discarding the rest of a frame: the per-connection memory that PPD, EPD, Selective Drop and FBA share.
//! Source: [RF95] (Romanow and Floyd) for PPD and EPD; [SACK-UBR] §5.1: accepted frames are completed if possible.

use super::{Arrival, DropPolicy, DropReason, FrameParams, Verdict};
use crate::ids::{IdVec, VcId};
use crate::queue::Buffer;

/// May a new frame of this connection enter? Asked at its first cell only.
pub trait FrameRule: Send {
    /// Whether the frame whose first cell arrives is accepted.
    fn accept_frame(&mut self, vc: VcId, buffer: &Buffer) -> bool;

    /// Sees the buffer at every arrival, before the decision about it. For rules that follow the queue over time:
    /// between two arrivals the queue only falls, so its low points are seen.
    fn observe(&mut self, _buffer: &Buffer) {}

    /// Whether the answer may depend on whose cells wait, and not only on their number.
    fn looks_at_shares(&self, _queued: u32) -> bool {
        true
    }

    /// Whether it has to see every arrival: to be said by a rule that has an [`FrameRule::observe`].
    fn observes(&self) -> bool {
        false
    }
}

/// The policy made of a rule for new frames and partial packet discard for accepted ones.
#[derive(Clone, Debug)]
pub struct FrameDiscard<R> {
    rule: R,
    params: FrameParams,
    fate: IdVec<VcId, Fate>,
}

/// What is decided about the frame that a connection is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The next cell is the first of a frame.
    BetweenFrames,
    /// Accepted so far.
    Accepted,
    /// A cell was lost to overflow: refuse the rest, keep the last cell, which delimits the next frame.
    RefuseTail,
    /// Refused by the rule: no cell of it is in the buffer, so its last cell is not needed either.
    RefuseWhole,
}

impl<R: FrameRule> FrameDiscard<R> {
    /// A policy for the connections numbered below `vcs`.
    pub fn new(rule: R, params: FrameParams, vcs: usize) -> Self {
        FrameDiscard { rule, params, fate: (0..vcs).map(|_| Fate::BetweenFrames).collect() }
    }
}

impl<R: FrameRule> DropPolicy for FrameDiscard<R> {
    #[inline]
    fn admit(&mut self, arrival: Arrival, buffer: &Buffer) -> Verdict {
        self.rule.observe(buffer);
        let fate = &mut self.fate[arrival.vc];
        let first = *fate == Fate::BetweenFrames;
        if first {
            let accepted = self.rule.accept_frame(arrival.vc, buffer);
            *fate = if accepted { Fate::Accepted } else { Fate::RefuseWhole };
        }
        let keep_delimiter = arrival.eom && !buffer.is_full();
        let verdict = match *fate {
            // A frame of one cell is its own end mark: to keep it would be to accept the frame.
            Fate::RefuseWhole if first || !(keep_delimiter && self.params.keep_eom_of_whole) => {
                Verdict::Drop(DropReason::Policy)
            }
            Fate::RefuseTail if !keep_delimiter => Verdict::Drop(DropReason::PartialFrame),
            Fate::Accepted if buffer.is_full() => {
                *fate = Fate::RefuseTail;
                Verdict::Drop(DropReason::Overflow)
            }
            _ => Verdict::Accept,
        };
        if arrival.eom {
            *fate = Fate::BetweenFrames;
        }
        verdict
    }

    /// A frame whose last cell so far was accepted, and was not its end, has the fate `Accepted`: in a buffer that
    /// is not full, its next cell is accepted and leaves it so, unless it is the last.
    fn asks_always(&self) -> bool {
        self.rule.observes()
    }

    /// Beyond the rule there is only the fate of the frame, and whether the buffer is full.
    #[inline]
    fn looks_at_shares(&self, queued: u32) -> bool {
        self.rule.looks_at_shares(queued)
    }

    #[inline]
    fn end_accepted(&mut self, vc: VcId) {
        self.fate[vc] = Fate::BetweenFrames;
    }
}
