//! Where SGP4 says that a satellite is, and whether it can be there.
//!
//! Far from their epoch SGP4 makes nonsense of some elements without an error: drag is a polynomial of time, which brings a satellite
//! to the centre of the Earth and out again to anywhere. So each satellite is followed from its epoch to the end of the run.

use ackclock::units::Span;

use super::epoch::{Epoch, SECONDS_PER_DAY};
use super::set::{ElementSet, wrong};
use crate::earth::Earth;
use crate::error::SatError;
use crate::orbit::{HIGHEST_KM, LOWEST_KM};
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

/// When satellites are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The start of the run.
    pub(super) start: Epoch,
    /// Positions are those of this much later.
    pub(super) advance: Span,
    /// How long the run is.
    pub(super) length: Span,
}

impl Window {
    /// Days from a moment to the first position that is asked for; negative if that is earlier.
    pub(super) fn days_from(&self, epoch: Epoch) -> f64 {
        epoch.days_to(self.start) + self.advance.as_secs_f64() / SECONDS_PER_DAY
    }

    /// Instants of the run, minutes after an epoch, and instants between that epoch and the run.
    fn looks(&self, epoch: Epoch) -> impl Iterator<Item = f64> {
        let begin = self.days_from(epoch) * 1440.0;
        let end = begin + self.length.as_secs_f64() / 60.0;
        let to_run = if begin > 0.0 { begin } else { end.min(0.0) };
        looks(0.0, to_run, LOOKS_BEFORE).chain(looks(begin, end, LOOKS_OF_RUN))
    }
}

/// Instants from one to another, both with them: a minute apart, or so that there are no more than `most`.
fn looks(from: f64, to: f64, most: f64) -> impl Iterator<Item = f64> {
    let count = (to - from).abs().ceil().clamp(1.0, most);
    (0..=count as u32).map(move |look| from + (to - from) * f64::from(look) / count)
}

/// The distances from the centre of the Earth between which elements keep a satellite, km.
struct Band {
    least: f64,
    most: f64,
}

impl Band {
    /// a(1 − e) to a(1 + e) of the elements at their epoch, and what perturbations add.
    fn of(elements: &sgp4::Elements) -> Option<Band> {
        let earth = sgp4::WGS72;
        let radians = std::f64::consts::PI / 180.0;
        let orbit = sgp4::Orbit::from_kozai_elements(
            &earth,
            elements.inclination * radians,
            elements.right_ascension * radians,
            elements.eccentricity,
            elements.argument_of_perigee * radians,
            elements.mean_anomaly * radians,
            elements.mean_motion * std::f64::consts::PI / 720.0,
        );
        let per_minute = earth.ke / orbit.ok()?.mean_motion;
        let axis = earth.ae * libm::cbrt(per_minute * per_minute);
        let eccentricity = elements.eccentricity;
        let stray = if axis < DEEP_SPACE_KM { STRAY_KM } else { axis * STRAY_OF_DEEP_SPACE };
        Some(Band { least: axis * (1.0 - eccentricity) - stray, most: axis * (1.0 + eccentricity) + stray })
    }
}

impl Propagated {
    /// A satellite in a run.
    ///
    /// # Errors
    /// If the elements lead nowhere at any time from their epoch to the end of the run: when, and where to.
    pub(super) fn new(earth: &Earth, set: &ElementSet, window: &Window) -> Result<Propagated, SatError> {
        let refused = |problem: &str, help| wrong(&set.place, Some(&set.name), problem, help);
        let constants = sgp4::Constants::from_elements_afspc_compatibility_mode(&set.elements);
        let (Ok(constants), Some(band)) = (constants, Band::of(&set.elements)) else {
            return Err(refused("SGP4 makes no orbit of these elements", "fetch the elements again"));
        };
        let satellite = Propagated {
            constants,
            minutes_at_start: set.epoch().days_to(window.start) * 1440.0,
            years_at_start: sgp4::julian_years_since_j2000(&window.start.0),
            spin: earth.spin(),
            ground_km: earth.radius_km,
        };
        for minutes in window.looks(set.epoch()) {
            satellite.look(minutes, &band).map_err(|problem| {
                let relation = if minutes < 0.0 { "before" } else { "after" };
                let days = minutes.abs() / 1440.0;
                let problem = format!("{days:.3} days {relation} its epoch, {}, {problem}", set.epoch());
                refused(&problem, "take it out of the file, fetch newer elements, or start nearer to their epoch")
            })?;
        }
        Ok(satellite)
    }

    /// Whether the satellite is where a satellite of its elements can be, `minutes` after their epoch.
    fn look(&self, minutes: f64, band: &Band) -> Result<(), String> {
        let distance = self.teme(minutes)?.norm();
        let height = distance - self.ground_km;
        let problem = if height < 0.0 {
            format!("it would be {:.0} km below the ground", -height)
        } else if !(LOWEST_KM..=HIGHEST_KM).contains(&height) {
            format!(
                "its height would be {height:.0} km; nothing circles the Earth below {LOWEST_KM} or above {HIGHEST_KM} km"
            )
        } else if !(band.least..=band.most).contains(&distance) {
            let (least, most) = (band.least - self.ground_km, band.most - self.ground_km);
            format!("its height would be {height:.0} km, and its elements keep it between {least:.0} and {most:.0} km")
        } else {
            return Ok(());
        };
        Err(problem)
    }

    /// Where the satellite is `seconds` after the start.
    ///
    /// # Errors
    /// If it would be in the ground or nowhere, or if SGP4 says that these are no longer elements of an orbit.
    pub fn position(&self, seconds: f64) -> Result<Vector, String> {
        let teme = self.teme(self.minutes_at_start + seconds / 60.0)?;
        if !(self.ground_km..=self.ground_km + HIGHEST_KM).contains(&teme.norm()) {
            return Err(format!("its height would be {:.0} km", teme.norm() - self.ground_km));
        }
        let years = self.years_at_start + seconds / (SECONDS_PER_DAY * 365.25);
        Ok(teme.turned(Turn::by(self.spin * seconds - sgp4::iau_epoch_to_sidereal_time(years))))
    }

    /// The position among the stars, `minutes` after the epoch of the elements.
    pub(super) fn teme(&self, minutes: f64) -> Result<Vector, String> {
        let minutes = sgp4::MinutesSinceEpoch(minutes);
        let prediction = self
            .constants
            .propagate_afspc_compatibility_mode(minutes)
            .map_err(|error| format!("SGP4 stops: {error}"))?;
        let [x, y, z] = prediction.position;
        Ok(Vector::new(x, y, z))
    }
}

/// How far perturbations lead a satellite from the distances of its elements.
const STRAY_KM: f64 = 100.0;
/// The semi-major axis from which on SGP4 counts Sun and Moon in: that of a period of 225 minutes.
const DEEP_SPACE_KM: f64 = 12_250.0;
/// There they move perigee and apogee by hundreds of kilometres within weeks; as a part of the semi-major axis. Of the satellites
/// of \[VCHK06\] one at 110 000 km strays by 0.1 % in 47 days and by 1 % in 63.
const STRAY_OF_DEEP_SPACE: f64 = 0.02;
/// In a minute a satellite near its perigee changes its height by less than it may be too low before the ground.
const LOOKS_OF_RUN: f64 = 10_000.0;
/// What drag makes of an orbit shows at every place of it.
const LOOKS_BEFORE: f64 = 1000.0;
