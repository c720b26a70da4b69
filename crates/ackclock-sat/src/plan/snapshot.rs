//! Where everything is at one instant; each satellite is computed when it is needed, and once.

use ackclock::units::{Span, Time};

use crate::constellation::Constellation;
use crate::earth::Earth;
use crate::error::SatError;
use crate::place::Station;
use crate::plan::NodeId;
use crate::vector::{Turn, Vector};

/// Positions at one instant. Nodes are satellites, then stations.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot<'a> {
    earth: Earth,
    constellation: &'a Constellation,
    stations: &'a [Station],
    advance: Span,
    seconds: f64,
    turn: Turn,
    known: Vec<Option<Vector>>,
}

impl<'a> Snapshot<'a> {
    pub fn new(earth: Earth, constellation: &'a Constellation, stations: &'a [Station], advance: Span) -> Snapshot<'a> {
        let known = vec![None; constellation.satellites().len()];
        let mut snapshot =
            Snapshot { earth, constellation, stations, advance, seconds: 0.0, turn: earth.turn(0.0), known };
        snapshot.go_to(Time::ZERO);
        snapshot
    }

    /// Goes to another instant.
    pub fn go_to(&mut self, time: Time) {
        self.seconds = (time + self.advance).as_secs_f64();
        self.turn = self.earth.turn(self.seconds);
        self.known.fill(None);
    }

    pub fn satellite(&mut self, id: usize) -> Result<Vector, SatError> {
        match self.known[id] {
            Some(position) => Ok(position),
            None => {
                let position = self.constellation.position(id, self.seconds)?;
                self.known[id] = Some(position);
                Ok(position)
            }
        }
    }

    /// A terminal, counted from 0.
    pub fn station(&self, terminal: usize) -> Station {
        self.stations[terminal].turned(self.turn)
    }

    /// How long light takes from one node to another, s.
    pub fn light_time(&mut self, a: NodeId, b: NodeId) -> Result<f64, SatError> {
        let distance = self.node(a)?.distance(self.node(b)?);
        Ok(self.earth.light_time(distance))
    }

    fn node(&mut self, id: NodeId) -> Result<Vector, SatError> {
        match id.checked_sub(self.known.len()) {
            Some(terminal) => Ok(self.station(terminal).position),
            None => self.satellite(id),
        }
    }
}

/// One satellite as one terminal sees it, over time; for searching instants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineOfSight<'a> {
    pub earth: &'a Earth,
    pub constellation: &'a Constellation,
    pub satellite: usize,
    pub station: Station,
    pub sin_mask: f64,
    pub advance: Span,
}

impl LineOfSight<'_> {
    /// How far the satellite is from the terminal, km.
    pub fn range_km(&self, time: Time) -> Result<f64, SatError> {
        let seconds = (time + self.advance).as_secs_f64();
        let position = self.constellation.position(self.satellite, seconds)?;
        Ok(self.station.turned(self.earth.turn(seconds)).position.distance(position))
    }

    /// By how much the sine of the elevation exceeds that of the mask.
    pub fn margin(&self, time: Time) -> Result<f64, SatError> {
        let seconds = (time + self.advance).as_secs_f64();
        let position = self.constellation.position(self.satellite, seconds)?;
        Ok(self.station.turned(self.earth.turn(seconds)).sin_elevation(position) - self.sin_mask)
    }
}
