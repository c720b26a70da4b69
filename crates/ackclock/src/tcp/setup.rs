//! How a connection of ns-2 begins: an empty segment, and a window that grows late.
//! Source: [NS2] §1.

use super::{FirstSegment, InitialWindowFrom, TcpParams};
use crate::packet::{Segment, SegmentKind};

/// What is special about the beginning of a connection.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    first_segment: FirstSegment,
    window_from: InitialWindowFrom,
    /// The window that is to be set, bytes.
    window: f64,
    /// Acknowledgements of new data so far, up to two.
    acks: u8,
}

impl Setup {
    /// The beginning of a connection, if there is anything special about it.
    pub(super) fn new(params: &TcpParams) -> Option<Setup> {
        let &TcpParams { first_segment, initial_window_from: window_from, .. } = params;
        let usual = first_segment == FirstSegment::Data && window_from == InitialWindowFrom::Start;
        let window = f64::from(params.initial_window_segments) * f64::from(params.mss);
        (!usual).then_some(Setup { first_segment, window_from, window, acks: 0 })
    }

    /// An acknowledgement of new data: the window to be set before it lets the window grow.
    pub(super) fn window_before(&mut self) -> Option<f64> {
        self.acks = (self.acks + 1).min(3);
        (self.acks == 2 && self.window_from == InitialWindowFrom::SecondAck).then_some(self.window)
    }

    /// The window to be set after it has.
    pub(super) fn window_after(&self) -> Option<f64> {
        (self.acks == 1 && self.window_from == InitialWindowFrom::FirstAck).then_some(self.window)
    }

    /// Whether segments on their way out are as those of others from now on: the first one is never sent again.
    pub(super) fn is_over(&self) -> bool {
        self.first_segment == FirstSegment::Data || self.acks > 0
    }

    /// Whether acknowledgements of new data mean nothing special from now on.
    pub(super) fn is_past(&self) -> bool {
        self.acks > 1
    }

    /// A segment on its way out.
    pub(super) fn add_options(&self, mut segment: Segment) -> Segment {
        if segment.seq == 0 && self.first_segment == FirstSegment::Empty {
            segment.kind = SegmentKind::Empty;
        }
        segment
    }
}
