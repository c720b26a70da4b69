//! Forgiveness: one bit per connection that spares those who were dropped the last time (SD+, EPD+, FBA+).
//! Source: [SD-PLUS] §4. The study does not define "episode"; both readings are here. Drops by overflow do not touch
//! the bit, and an idle connection keeps it.

use super::{Forgiveness, FrameRule};
use crate::ids::{IdVec, VcId};
use crate::queue::Buffer;

/// A frame rule with the forgiveness bit.
#[derive(Clone, Debug)]
pub struct Forgiving<R> {
    base: R,
    /// Set: dropped the last time.
    bit: IdVec<VcId, bool>,
    episode: Option<Episode>,
}

/// Reading B: the bits that count are those at the beginning of the congestion episode.
#[derive(Clone, Debug)]
struct Episode {
    low_threshold_cells: f64,
    high_threshold_cells: f64,
    running: bool,
    at_start: IdVec<VcId, bool>,
}

/// A rule that only acts above a threshold of the queue.
pub trait Thresholded {
    /// R, cells.
    fn threshold_cells(&self) -> f64;
}

impl<R: FrameRule + Thresholded> Forgiving<R> {
    /// `base` with the forgiveness bit, in the given reading.
    pub fn new(base: R, reading: &Forgiveness, vcs: usize) -> Self {
        let clear: IdVec<VcId, bool> = (0..vcs).map(|_| false).collect();
        let episode = match reading {
            Forgiveness::Toggle => None,
            Forgiveness::Episode { low_threshold_cells } => Some(Episode {
                low_threshold_cells: *low_threshold_cells,
                high_threshold_cells: base.threshold_cells(),
                running: false,
                at_start: clear.clone(),
            }),
        };
        Forgiving { base, bit: clear, episode }
    }
}

impl<R: FrameRule + Thresholded> FrameRule for Forgiving<R> {
    fn accept_frame(&mut self, vc: VcId, buffer: &Buffer) -> bool {
        if self.base.accept_frame(vc, buffer) {
            return true; // within its share: the bit stays
        }
        let spared = match &self.episode {
            None => self.bit[vc],
            Some(episode) => episode.at_start[vc],
        };
        self.bit[vc] = !spared;
        spared
    }

    /// An episode begins when X rises above R. It may begin unseen, by a cell that is accepted and followed by a
    /// fall below R before the next arrival; no bit can have changed in between, so the snapshot is the same.
    fn observe(&mut self, buffer: &Buffer) {
        let Some(episode) = &mut self.episode else { return };
        let x = f64::from(buffer.queued());
        if episode.running && x <= episode.low_threshold_cells {
            episode.running = false;
        }
        if !episode.running && x > episode.high_threshold_cells {
            episode.running = true;
            episode.at_start.clone_from(&self.bit);
        }
    }
    /// The bits are no counters, and an episode is a matter of X.
    fn looks_at_shares(&self, queued: u32) -> bool {
        self.base.looks_at_shares(queued)
    }

    fn observes(&self) -> bool {
        self.episode.is_some()
    }
}
