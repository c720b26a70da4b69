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
        // Whole picoseconds: a path is equally long from both of its ends, and a sum the same in every order.
        let terminals = self.groups[group].clone();
        let mut up = 0;
        for &terminal in &terminals {
            up += picoseconds(self.snapshot.light_time(satellite, self.node_of(terminal))?);
        }
        let seconds = |ps: u64| ps as f64 / 1e12;
        if self.setup.access == Access::Common {
            // The path from one of them to the other.
            return Ok(seconds(up));
        }
        let others = self.partners(terminals[0]);
        let mut sum = 0;
        for &other in &others {
            let delay = self.delays_to(other, far)?[satellite];
            sum += up + delay.min(NO_PATH_PS);
        }
        Ok(seconds(sum) / others.len().max(1) as f64)
    }

    /// The terminals that one exchanges packets with.
    pub(super) fn partners(&self, terminal: usize) -> Vec<usize> {
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
            // A satellite that has gone below the mask of the other end is none for it: it will be left at this instant.
            let may_be_last = far == FarEnd::Best || present == Some(satellite);
            if may_be_last && station.sin_elevation(self.snapshot.satellite(satellite)?) > self.sin_masks[terminal] {
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
const NO_PATH_PS: u64 = 60_000_000_000_000;
