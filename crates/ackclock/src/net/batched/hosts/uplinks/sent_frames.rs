//! What a host sent recently: the counters of ports without a queue follow from it.

use std::collections::VecDeque;

use crate::units::{Span, Time};

/// The cells that a host sent recently.
pub(in crate::net::batched) struct SentFrames {
    memory: Span,
    /// All cells sent.
    cells: u64,
    /// Frames, or parts of them.
    runs: VecDeque<Run>,
}

/// Cells at a spacing.
struct Run {
    /// When the first one was complete.
    first: Time,
    spacing: Span,
    cells: u16,
}

impl SentFrames {
    /// A record that remembers cells for `memory` after they are sent.
    pub(in crate::net::batched) fn new(memory: Span) -> SentFrames {
        SentFrames { memory, cells: 0, runs: VecDeque::new() }
    }

    pub(super) fn push(&mut self, first: Time, cells: u16, spacing: Span) {
        if self.runs.len() == self.runs.capacity() {
            self.forget(first);
        }
        self.cells += u64::from(cells);
        self.runs.push_back(Run { first, spacing, cells });
    }

    /// Forgets what need not be remembered at `now`: only where there is no room, not with each frame.
    #[inline(never)]
    fn forget(&mut self, now: Time) {
        let forgotten = |run: &Run| run.first + run.spacing * u64::from(run.cells) + self.memory < now;
        while self.runs.front().is_some_and(forgotten) {
            self.runs.pop_front();
        }
    }

    /// The last so many cells of the last run are not sent.
    pub(super) fn take_back(&mut self, cells: u16) {
        self.cells -= u64::from(cells);
        if let Some(run) = self.runs.back_mut() {
            run.cells -= cells;
        }
    }

    /// How many cells have reached a place `lag` after they were sent before `now`.
    pub(super) fn passed(&self, lag: Span, now: Time) -> u64 {
        let to_come = |&Run { first, spacing, cells }: &Run| {
            (0..u64::from(cells)).filter(|&cell| first + spacing * cell + lag >= now).count() as u64
        };
        self.cells - self.runs.iter().map(to_come).sum::<u64>()
    }
}
