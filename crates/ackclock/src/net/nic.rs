//! A host's output: frames one after the other, never interleaved, never refused.

use std::collections::VecDeque;

use crate::ids::VcId;
use crate::packet::Segment;
use crate::units::Time;

/// The segments that wait for a host's link.
#[derive(Clone, Debug, Default)]
pub(super) struct Nic {
    queue: VecDeque<(VcId, Segment)>,
    free: Time,
}

impl Nic {
    /// A segment is handed down.
    pub(super) fn push(&mut self, vc: VcId, segment: Segment) {
        self.queue.push_back((vc, segment));
    }

    /// The next segment, if the link is free; the caller says with [`Nic::occupy`] for how long it is not.
    pub(super) fn next(&mut self, now: Time) -> Option<(VcId, Segment)> {
        if self.free <= now { self.queue.pop_front() } else { None }
    }

    /// The link is busy until then.
    pub(super) fn occupy(&mut self, until: Time) {
        self.free = until;
    }

    /// Throws away what waits on `vc`; returns how many segments that were.
    pub(super) fn discard(&mut self, vc: VcId) -> u64 {
        let before = self.queue.len();
        self.queue.retain(|&(of, _)| of != vc);
        (before - self.queue.len()) as u64
    }

    /// When the next waiting segment can go.
    pub(super) fn next_start(&self) -> Time {
        if self.queue.is_empty() { Time::NEVER } else { self.free }
    }
}
