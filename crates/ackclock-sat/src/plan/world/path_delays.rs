//! How long the whole path between terminals takes over each satellite, for terminals that choose by it.

use super::World;
use super::known::{FarEnd, Linked};
use crate::error::SatError;
use crate::plan::Access;
use crate::routing::least_delays;

impl World<'_> {
    /// The delay from the terminals of a group over a satellite to the terminals that they exchange packets with, seconds;
    /// the mean if these are several.
    pub(super) fn mean_delay(&mut self, group: usize, satellite: usize, far: FarEnd) -> Result<f64, SatError> {
        let terminals = self.groups[group].clone();
        let mut up = 0.0;
        for &terminal in &terminals {
            up += self.snapshot.light_time(satellite, self.node_of(terminal))?;
        }
        if self.setup.access == Access::Common {
            // The path from one of them to the other.
            return Ok(up);
        }
        let others = self.partners(terminals[0]);
        let mut sum = 0.0;
        for &other in &others {
            let delay = self.delays_to(other, far)?[satellite];
            sum += if delay == u64::MAX { NO_PATH_S } else { delay as f64 / 1e12 };
        }
        Ok(up + sum / others.len().max(1) as f64)
    }

    /// The terminals that one exchanges packets with.
    fn partners(&self, terminal: usize) -> Vec<usize> {
        let pairs = self.setup.pairs.iter();
        let mut partners: Vec<usize> =
            pairs.filter(|(a, b)| *a == terminal || *b == terminal).map(|(a, b)| a + b - terminal).collect();
        partners.sort_unstable();
        partners.dedup();
        partners
    }

    /// The least delay from each satellite to a terminal.
    fn delays_to(&mut self, terminal: usize, far: FarEnd) -> Result<&[u64], SatError> {
        let present = self.access[terminal].map(|(satellite, _)| satellite);
        let key = (terminal, far, present.filter(|_| far == FarEnd::Present));
        if !self.path_delays.0.contains_key(&key) {
            let delays = self.computed_delays_to(terminal, far, present)?;
            self.path_delays.0.insert(key, delays);
        }
        Ok(&self.path_delays.0[&key])
    }

    fn computed_delays_to(
        &mut self,
        terminal: usize,
        far: FarEnd,
        present: Option<usize>,
    ) -> Result<Vec<u64>, SatError> {
        let satellites = self.setup.constellation.satellites().len();
        let node = self.node_of(terminal);
        let station = self.snapshot.station(terminal);
        let mut last = Vec::new();
        for satellite in 0..satellites {
            let is_last = match far {
                FarEnd::Present => present == Some(satellite),
                FarEnd::Best => station.sin_elevation(self.snapshot.satellite(satellite)?) > self.sin_masks[terminal],
            };
            if is_last {
                last.push((satellite, picoseconds(self.snapshot.light_time(satellite, node)?)));
            }
        }
        let across: Vec<(usize, usize)> = self.across.iter().map(|&(a, b, _)| (a, b)).collect();
        let World { snapshot, links, links_of, up, .. } = self;
        let linked = Linked { links, links_of, up, across: &across };
        least_delays(satellites, last, |here, found| {
            linked.each(here, |other| {
                found(other, picoseconds(snapshot.light_time(here, other)?));
                Ok(())
            })
        })
    }
}

fn picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12).round() as u64
}

/// What no path counts as: longer than any, so that of satellites those are taken that lead to most terminals.
const NO_PATH_S: f64 = 60.0;
