//! Where SGP4 says that a satellite is.

use ackclock::units::{Span, Time};

use super::epoch::{Epoch, SECONDS_PER_DAY};
use super::set::{ElementSet, wrong};
use crate::earth::Earth;
use crate::error::SatError;
use crate::vector::{Turn, Vector};

/// A satellite that moves as its elements say.
#[derive(Clone, Debug)]
pub struct Propagated {
    constants: sgp4::Constants,
    minutes_at_start: f64,
    /// Years since the noon of 1 January 2000.
    years_at_start: f64,
    spin: f64,
    ground_km: f64,
}

impl Propagated {
    /// A satellite at the start of a run of this length.
    pub(super) fn new(earth: &Earth, set: &ElementSet, start: Epoch, length: Span) -> Result<Propagated, SatError> {
        let constants = sgp4::Constants::from_elements_afspc_compatibility_mode(&set.elements)
            .map_err(|error| wrong(&set.place, Some(&set.name), &error.to_string(), "fetch the elements again"))?;
        let satellite = Propagated {
            constants,
            minutes_at_start: set.epoch().days_to(start) * 1440.0,
            years_at_start: sgp4::julian_years_since_j2000(&start.0),
            spin: earth.spin(),
            ground_km: earth.radius_km,
        };
        // Satellites that come down within the run are found before it, not where they happen to be looked at.
        let end = length.as_secs_f64();
        let mut seconds = 0.0;
        loop {
            satellite.position(seconds).map_err(|problem| SatError::Decayed {
                satellite: set.name.clone(),
                at: Time::from_ps((seconds * 1e12) as u64),
                problem: format!("{problem} ({}, epoch {})", set.place, set.epoch()),
            })?;
            if seconds >= end {
                return Ok(satellite);
            }
            seconds = (seconds + DECAY_STEP_S).min(end);
        }
    }

    /// Where the satellite is `seconds` after the start.
    ///
    /// # Errors
    /// If it would be in the ground, or if SGP4 says that these are no longer elements of an orbit.
    pub fn position(&self, seconds: f64) -> Result<Vector, String> {
        let teme = self.teme(self.minutes_at_start + seconds / 60.0)?;
        if teme.norm() < self.ground_km {
            return Err(format!("it would be {:.0} km below the ground", self.ground_km - teme.norm()));
        }
        let years = self.years_at_start + seconds / (SECONDS_PER_DAY * 365.25);
        Ok(teme.turned(Turn::by(self.spin * seconds - sgp4::iau_epoch_to_sidereal_time(years))))
    }

    /// The position among the stars, `minutes` after the epoch of the elements.
    pub(super) fn teme(&self, minutes: f64) -> Result<Vector, String> {
        let minutes = sgp4::MinutesSinceEpoch(minutes);
        let prediction =
            self.constants.propagate_afspc_compatibility_mode(minutes).map_err(|error| error.to_string())?;
        let [x, y, z] = prediction.position;
        Ok(Vector::new(x, y, z))
    }
}

/// How often a run is looked through for satellites that come down; an orbit takes at least 5200 s.
const DECAY_STEP_S: f64 = 600.0;
