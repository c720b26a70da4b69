//! What the paths between terminals are computed from, and what is known of them at one instant.

use std::collections::BTreeMap;

use ackclock::units::Time;

use crate::isl::Isl;

/// Which satellite the terminal at the other end of a path uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FarEnd {
    /// Of those that it sees, the one that suits the path best.
    Best,
    /// The one that it has.
    Present,
}

/// The least delay from each satellite to a terminal, picoseconds, by terminal and by what is supposed of it. It holds at
/// one instant: terminals that check at the same time ask the same.
#[derive(Debug, Default)]
pub(super) struct DelayCache(pub(super) BTreeMap<(usize, FarEnd, Option<usize>), Vec<u64>>);

impl DelayCache {
    /// Another instant has come.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The links between satellites that are up.
pub(super) struct Linked<'a> {
    pub(super) links: &'a [Isl],
    pub(super) links_of: &'a [Vec<usize>],
    pub(super) up: &'a [Option<Time>],
    pub(super) across: &'a [(usize, usize)],
}

impl Linked<'_> {
    /// Calls `to` with each satellite that one has a link to.
    pub(super) fn each<E>(&self, satellite: usize, mut to: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        for &index in &self.links_of[satellite] {
            if self.up[index].is_some() {
                to(self.links[index].a + self.links[index].b - satellite)?;
            }
        }
        for &(a, b) in self.across.iter().filter(|(a, b)| *a == satellite || *b == satellite) {
            to(a + b - satellite)?;
        }
        Ok(())
    }
}
