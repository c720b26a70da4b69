//! Which terminal sees which satellite, and when.

use ackclock::units::Time;

use super::World;
use crate::error::SatError;
use crate::place::Station;
use crate::plan::contacts::{STEP, Watch};
use crate::plan::snapshot::LineOfSight;
use crate::plan::{Contact, LinkKind, Setup};

impl World<'_> {
    /// Finds out which terminal sees which satellite, and when.
    pub(super) fn watch(&mut self) -> Result<(), SatError> {
        let satellites = self.setup.constellation.satellites().len();
        let mut watches = vec![Watch::default(); satellites * self.stations.len()];
        let mut now = Time::ZERO;
        loop {
            self.snapshot.go_to(now);
            for terminal in 0..self.stations.len() {
                let station = self.snapshot.station(terminal);
                for satellite in 0..satellites {
                    let position = self.snapshot.satellite(satellite)?;
                    let margin = station.sin_elevation(position) - self.sin_masks[terminal];
                    let line = line_of_sight(self.setup, self.stations, &self.sin_masks, terminal, satellite);
                    watches[terminal * satellites + satellite].look(&line, now, margin)?;
                }
            }
            if now == self.setup.end {
                break;
            }
            now = (now + STEP).min(self.setup.end);
        }
        for (index, mut watch) in watches.into_iter().enumerate() {
            let (terminal, satellite) = (index / satellites, index % satellites);
            watch.finish(self.setup.end);
            let b = self.node_of(terminal);
            let contact = |(from, to)| Contact { a: satellite, b, kind: LinkKind::Access, from, to };
            self.contacts.extend(watch.passes.into_iter().map(contact));
        }
        Ok(())
    }
}

/// The line between a terminal and a satellite.
pub(super) fn line_of_sight<'a>(
    setup: &'a Setup,
    stations: &[Station],
    sin_masks: &[f64],
    terminal: usize,
    satellite: usize,
) -> LineOfSight<'a> {
    LineOfSight {
        earth: &setup.earth,
        constellation: &setup.constellation,
        satellite,
        station: stations[terminal],
        sin_mask: sin_masks[terminal],
        advance: setup.time_advance,
    }
}
