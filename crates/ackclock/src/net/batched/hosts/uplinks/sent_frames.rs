//! What a host sent recently: the counters of ports without a queue follow from it.

use std::collections::VecDeque;

use crate::units::{Span, Time};

/// The frames that a host sent recently.
pub(in crate::net::batched) struct SentFrames {
    memory: Span,
    /// All cells sent.
    cells: u64,
    /// Frames: when their first cell was complete, and how many cells they have.
    frames: VecDeque<(Time, u16)>,
}

impl SentFrames {
    /// A record that remembers cells for `memory` after they are sent.
    pub(in crate::net::batched) fn new(memory: Span) -> SentFrames {
        SentFrames { memory, cells: 0, frames: VecDeque::new() }
    }

    pub(super) fn push(&mut self, first: Time, cells: u16, spacing: Span) {
        let forgotten = |&(time, cells): &(Time, u16)| time + spacing * u64::from(cells) + self.memory < first;
        while self.frames.front().is_some_and(forgotten) {
            self.frames.pop_front();
        }
        self.cells += u64::from(cells);
        self.frames.push_back((first, cells));
    }

    /// How many cells have reached a place `lag` after they were sent before `now`.
    pub(super) fn passed(&self, lag: Span, now: Time, spacing: Span) -> u64 {
        let to_come = |&(first, cells): &(Time, u16)| {
            (0..u64::from(cells)).filter(|&cell| first + spacing * cell + lag >= now).count() as u64
        };
        self.cells - self.frames.iter().map(to_come).sum::<u64>()
    }
}
