//! A receiver that discards what it has acknowledged selectively: it needs the memory for something else.
//! Source: RFC 2018 §8.

use crate::tcp::TcpParams;
use crate::units::Time;

/// When a receiver discards what it holds beyond a hole.
#[derive(Clone, Debug)]
pub(super) struct Reneging {
    /// In order, each once; those before the number are past.
    at: Box<[Time]>,
    past: usize,
}

impl Reneging {
    /// Of a connection whose receiver does that, at its beginning.
    pub(super) fn new(params: &TcpParams) -> Option<Reneging> {
        let mut at = params.reneges_at.clone();
        at.sort_unstable();
        at.dedup();
        (!at.is_empty()).then(|| Reneging { at: at.into(), past: 0 })
    }

    /// Whether it has done so since it was asked before.
    pub(super) fn pass(&mut self, now: Time) -> bool {
        let before = self.past;
        while self.at.get(self.past).is_some_and(|&at| at <= now) {
            self.past += 1;
        }
        self.past > before
    }
}
