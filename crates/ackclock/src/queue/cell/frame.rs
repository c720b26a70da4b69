//! Discarding the rest of a frame: the per-connection memory that PPD, EPD, Selective Drop and FBA share.
//! Source: \[RF95\] (Romanow and Floyd) for PPD and EPD; \[SACK-UBR\] §5.1: accepted frames are completed if possible.

use super::forgiveness::Bits;
use super::{BatchHints, CellArrival, CellPolicy, Forgiveness};
use crate::ids::{IdVec, VcId};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Buffer, DropReason, Port, Verdict};

/// May a new frame of this connection enter? Asked at its first cell only. The defaults of what an engine may leave out
/// are always right, and slow.
pub trait FrameRule: Send {
    /// Whether the frame of which this is the first cell is accepted.
    fn accept_frame(&mut self, first: CellArrival, buffer: &Buffer) -> bool;

    /// Whether the answer may depend on whose cells wait, and not only on their number X, when `queued` cells wait.
    fn reads_per_vc(&self, _queued: u32) -> bool {
        true
    }
}

/// What happens to frames beyond the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameParams {
    /// Keep the last cell of a frame that is refused whole (some hardware does).
    pub keep_eom_of_whole: bool,
    /// Spare connections that were refused before.
    pub forgiveness: Option<Forgiveness>,
}

impl FrameParams {
    /// A refused frame is refused whole, without forgiveness.
    pub const PLAIN: FrameParams = FrameParams { keep_eom_of_whole: false, forgiveness: None };

    /// The keys that rules with a threshold share, beside that.
    #[rustfmt::skip]
    pub(super) const KEYS: [Key; 3] = [
        Key::new("keep_eom_of_whole", Kind::Flag, Default::Is(Value::Flag(false)), "literature: [RF95]",
            "Whether the last cell of a frame that is refused whole is kept."),
        Forgiveness::KEY,
        Forgiveness::EPISODE_END,
    ];

    /// What `values` say, beside a threshold R.
    pub(super) fn read(values: &Values, port: &Port, threshold_cells: f64) -> Result<FrameParams, Misfit> {
        let keep_eom_of_whole = values.flag("keep_eom_of_whole");
        Ok(FrameParams { keep_eom_of_whole, forgiveness: Forgiveness::read(values, port, threshold_cells)? })
    }
}

/// R in cells, of a rule that acts above it: at most the buffer.
pub(super) fn threshold(values: &Values, port: &Port) -> Result<f64, Misfit> {
    let threshold_cells = values.level("threshold", port.capacity_cells);
    match port.capacity_cells {
        Some(room) if threshold_cells > f64::from(room) => Err(Misfit {
            keys: &["threshold", "buffer"],
            problem: format!("`threshold` is {threshold_cells} cells, more than the buffer of {room}"),
            expected: "must be at most the buffer",
        }),
        _ => Ok(threshold_cells),
    }
}

/// The key of R, with this default.
pub(super) const fn threshold_key(fraction: f64, source: &'static str) -> Key {
    Key::new(
        "threshold",
        Kind::Level,
        Default::Is(Value::Number(fraction)),
        source,
        "R: new frames may be refused when more cells than this wait; a fraction of the buffer, or cells.",
    )
}

/// The policy made of a rule for new frames and partial packet discard for accepted ones.
#[derive(Clone, Debug)]
pub struct FrameDiscard<R> {
    rule: R,
    keep_eom_of_whole: bool,
    forgiveness: Option<Bits>,
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
    pub fn new(rule: R, params: &FrameParams, vcs: usize) -> Self {
        FrameDiscard {
            rule,
            keep_eom_of_whole: params.keep_eom_of_whole,
            forgiveness: params.forgiveness.map(|reading| Bits::new(reading, vcs)),
            fate: (0..vcs).map(|_| Fate::BetweenFrames).collect(),
        }
    }
}

impl<R: FrameRule> CellPolicy for FrameDiscard<R> {
    #[inline]
    fn admit(&mut self, arrival: CellArrival, buffer: &Buffer) -> Verdict {
        if let Some(bits) = &mut self.forgiveness {
            bits.observe(buffer);
        }
        let fate = &mut self.fate[arrival.vc];
        let first = *fate == Fate::BetweenFrames;
        if first {
            let accepted = self.rule.accept_frame(arrival, buffer)
                || self.forgiveness.as_mut().is_some_and(|bits| bits.spare(arrival.vc));
            *fate = if accepted { Fate::Accepted } else { Fate::RefuseWhole };
        }
        let keep_delimiter = arrival.eom && !buffer.is_full();
        let verdict = match *fate {
            // A frame of one cell is its own end mark: to keep it would be to accept the frame.
            Fate::RefuseWhole if first || !(keep_delimiter && self.keep_eom_of_whole) => {
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
}

impl<R: FrameRule> BatchHints for FrameDiscard<R> {
    /// A frame whose last cell so far was accepted, and was not its end, has the fate `Accepted`: in a buffer that
    /// is not full, its next cell is accepted and leaves it so, unless it is the last. The rule is asked at the first cell
    /// only; the bits of an episode follow the queue.
    fn needs_every_cell(&self) -> bool {
        self.forgiveness.as_ref().is_some_and(Bits::observes)
    }

    /// Beyond the rule there is the fate of the frame, whether the buffer is full, and bits that are no counters.
    #[inline]
    fn reads_per_vc(&self, queued: u32) -> bool {
        self.rule.reads_per_vc(queued)
    }

    #[inline]
    fn end_accepted(&mut self, vc: VcId) {
        self.fate[vc] = Fate::BetweenFrames;
    }
}
