//! Duplication: a packet comes to the queue before a link twice. The copy is a packet of its own from there on: it takes room in the
//! queue and time on the link, may be lost, and follows the first. Source: docs/models/paths.md.

use super::chance::Chance;
use crate::rng::Stream;

/// Which packets come twice, in one direction of a link.
#[derive(Clone, Debug)]
pub(super) struct Duplicate {
    chance: Chance,
    draws: Stream,
    packets: u64,
}

impl Duplicate {
    /// Each with this probability, on the link called `link` in a run with this seed; `None` if none does.
    pub(super) fn new(probability: f64, seed: u64, link: &str) -> Option<Duplicate> {
        let draws = Stream::new(seed, link, "duplicate");
        (probability > 0.0).then(|| Duplicate { chance: Chance::new(probability), draws, packets: 0 })
    }

    /// Whether the next packet does.
    pub(super) fn next(&mut self) -> bool {
        self.packets += 1;
        self.chance.hits(self.draws.at(self.packets - 1))
    }
}
