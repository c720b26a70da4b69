//! Forgiveness: one bit per connection, which accepts a frame of a connection that lost one the last time (SD+, EPD+, FBA+).
//! Source: \[SD-PLUS\] §4. The study does not define "episode"; both readings are here. Drops by overflow do not touch
//! the bit, and an idle connection keeps it.

use crate::ids::{IdVec, VcId};
use crate::keys::{Condition, Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Buffer, Port};

/// The two readings of the forgiveness bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Forgiveness {
    /// Reading A: a connection that was dropped is spared the next time, and so on in turn.
    Toggle,
    /// Reading B: connections dropped in one congestion episode are spared in the next.
    Episode {
        /// An episode begins when more cells wait than R.
        threshold_cells: f64,
        /// It ends when no more than this many cells wait; at most R.
        low_threshold_cells: f64,
    },
}

impl Forgiveness {
    /// The key that switches it on.
    pub(super) const KEY: Key = Key::new(
        "forgiveness",
        Kind::Word(&["none", "toggle", "episode"]),
        Default::Is(Value::Word("none")),
        "Ackclock",
        "The forgiveness bit of SD+, EPD+ and FBA+: accept every second frame that would be refused, or accept frames of a connection in the episode after one in which it lost frames.",
    );

    /// The key of the end of an episode.
    pub(super) const EPISODE_END: Key = Key::new(
        "episode_end",
        Kind::Level,
        Default::SameAs("threshold"),
        "the threshold: a pure crossing; inferred",
        "A congestion episode ends when no more cells than this wait; at most the threshold.",
    )
    .used_if(&[Condition { key: "forgiveness", is: &["episode"] }]);

    /// The reading that `values` ask for, if any, beside a threshold R.
    pub(super) fn read(values: &Values, port: &Port, threshold_cells: f64) -> Result<Option<Forgiveness>, Misfit> {
        let low_threshold_cells = match values.word(Self::KEY.name) {
            "toggle" => return Ok(Some(Forgiveness::Toggle)),
            "episode" => values.level(Self::EPISODE_END.name, port.capacity_cells),
            _none => return Ok(None),
        };
        if low_threshold_cells > threshold_cells {
            return Err(Misfit {
                keys: &["episode_end", "threshold"],
                problem: format!("`episode_end` is {low_threshold_cells} cells, `threshold` {threshold_cells}"),
                expected: "an episode must end at or below the threshold",
            });
        }
        Ok(Some(Forgiveness::Episode { threshold_cells, low_threshold_cells }))
    }
}

/// The forgiveness bits of the connections of a port.
#[derive(Clone, Debug)]
pub(super) struct Bits {
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

impl Bits {
    /// No frame was dropped so far.
    pub(super) fn new(reading: Forgiveness, vcs: usize) -> Bits {
        let clear: IdVec<VcId, bool> = (0..vcs).map(|_| false).collect();
        let episode = match reading {
            Forgiveness::Toggle => None,
            Forgiveness::Episode { threshold_cells, low_threshold_cells } => Some(Episode {
                low_threshold_cells,
                high_threshold_cells: threshold_cells,
                running: false,
                at_start: clear.clone(),
            }),
        };
        Bits { bit: clear, episode }
    }

    /// Whether a frame of `vc` is accepted although the rule refuses it. One that the rule accepts leaves the bit.
    pub(super) fn spare(&mut self, vc: VcId) -> bool {
        let spared = match &self.episode {
            None => self.bit[vc],
            Some(episode) => episode.at_start[vc],
        };
        self.bit[vc] = !spared;
        spared
    }

    /// The buffer at every arrival. An episode begins when X rises above R. It may begin undetected, by a cell that is
    /// accepted and followed by a fall below R before the next arrival; no bit can have changed in between, so the
    /// snapshot is the same.
    pub(super) fn observe(&mut self, buffer: &Buffer) {
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

    /// Whether it has to observe every arrival.
    pub(super) fn observes(&self) -> bool {
        self.episode.is_some()
    }
}
