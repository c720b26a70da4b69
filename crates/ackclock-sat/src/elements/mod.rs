//! Element sets of real satellites, propagated by SGP4.
//!
//! Files: two-line elements (`tle.rs`) and Orbit Mean-Elements Messages as JSON, CSV or XML (`omm.rs`). SGP4 is that of
//! the crate `sgp4`, \[STR3\] as revised by \[VCHK06\], with WGS-72 constants and the sidereal time of its
//! reference code, as the elements are made with them. Its positions are in TEME (true equator, mean equinox); they are
//! turned by Greenwich mean sidereal time to the Earth, and with the Earth to the frame of `vector::Vector`.
//!
//! Deviation: polar motion and UT1 − UTC are left out, less than half a kilometre on the ground; elements themselves are
//! good to a kilometre or so at their epoch and worse by a few each day.

mod omm;
mod tle;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use ackclock::units::{Span, Time};
use sgp4::chrono::{Datelike, NaiveDateTime, TimeDelta, Timelike};

use crate::constellation::{Closing, Constellation, Motion, Satellite};
use crate::earth::Earth;
use crate::error::SatError;
use crate::vector::{Turn, Vector};

/// A moment of the calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(NaiveDateTime);

impl Epoch {
    /// `2026-11-21T12:00:00`, with or without fractions of a second and a final Z.
    ///
    /// # Errors
    /// If it is no date with a time, or of a year without satellites.
    pub fn parse(text: &str) -> Result<Epoch, SatError> {
        let bare = text.trim().trim_end_matches('Z');
        let help = "write it as 2026-11-21T12:00:00; it is taken as UTC";
        let Ok(datetime) = bare.parse::<NaiveDateTime>() else {
            return Err(SatError::conflict(format!("`{text}` is no date with a time"), help));
        };
        match YEARS.contains(&datetime.year()) {
            true => Ok(Epoch(datetime)),
            false => Err(SatError::conflict(
                format!("`{text}` is not in the years {} to {}", YEARS.start(), YEARS.end()),
                help,
            )),
        }
    }

    /// Days from this moment to another, negative if that is earlier.
    fn days_to(self, other: Epoch) -> f64 {
        let span = other.0 - self.0;
        span.num_seconds() as f64 / SECONDS_PER_DAY + f64::from(span.subsec_nanos()) / (1e9 * SECONDS_PER_DAY)
    }
}

impl std::fmt::Display for Epoch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Two-line elements give a fraction of a day, which is seldom a whole number of microseconds.
        let rounded = self.0 + TimeDelta::nanoseconds(500);
        let whole = rounded.with_nanosecond(rounded.nanosecond() / 1000 * 1000).unwrap_or(rounded);
        // Debug is the form of ISO 8601; Display has no T.
        write!(f, "{whole:?}")
    }
}

/// The elements of one satellite as they stand in a file.
#[derive(Clone, Debug)]
pub struct ElementSet {
    name: String,
    place: String,
    elements: sgp4::Elements,
}

/// Something that does not keep a run from being made.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning(String);

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl ElementSet {
    /// The element sets of a file; what it is, is seen from its text. `file` is its name, for messages.
    ///
    /// # Errors
    /// If it holds none, or if one of them cannot be used: the place in the file, the satellite, and a remedy.
    pub fn read_all(file: &str, text: &str) -> Result<Vec<ElementSet>, SatError> {
        let text = text.trim_start_matches('\u{feff}');
        let start = text.trim_start();
        let sets = match start.chars().next() {
            Some('[' | '{') => omm::json(file, text)?,
            Some('<') => omm::xml(file, text)?,
            _ if omm::is_csv(start) => omm::csv(file, text)?,
            _ => tle::read(file, text)?,
        };
        match sets.is_empty() {
            true => Err(wrong(file, None, "there are no elements in it", FORMATS)),
            false => Ok(sets),
        }
    }

    /// The satellite.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When the elements held.
    pub fn epoch(&self) -> Epoch {
        Epoch(self.elements.datetime)
    }

    /// Refuses what SGP4 would make nonsense of.
    fn checked(name: String, place: String, elements: sgp4::Elements) -> Result<ElementSet, SatError> {
        let ranges = [
            ("inclination", elements.inclination, 0.0, 180.0, "degrees"),
            ("right ascension of the node", elements.right_ascension, -360.0, 360.0, "degrees"),
            ("argument of perigee", elements.argument_of_perigee, -360.0, 360.0, "degrees"),
            ("mean anomaly", elements.mean_anomaly, -360.0, 360.0, "degrees"),
            ("eccentricity", elements.eccentricity, 0.0, 0.999_999, ""),
            ("mean motion", elements.mean_motion, 1e-3, 17.5, "turns a day"),
            ("drag term", elements.drag_term, -1e3, 1e3, "per Earth radius"),
        ];
        for (what, value, min, max, unit) in ranges {
            if !(min..=max).contains(&value) {
                let problem = format!("its {what} is {value}; it can be {min} to {max} {unit}");
                return Err(wrong(&place, Some(&name), problem.trim_end(), "fetch the elements again"));
            }
        }
        Ok(ElementSet { name, place, elements })
    }
}

/// The satellites of element sets, for a run that starts at a moment of the calendar and lasts `length`; where no
/// moment is given, at the epoch of the newest elements. Old elements are worth a warning.
///
/// # Errors
/// If a satellite has decayed at the start, at the end or between, or cannot be propagated.
pub fn propagated(
    earth: &Earth,
    sets: Vec<ElementSet>,
    start: Option<Epoch>,
    length: Span,
) -> Result<(Constellation, Vec<Warning>), SatError> {
    let Some(newest) = sets.iter().map(ElementSet::epoch).max() else {
        return Err(SatError::conflict("there are no element sets", "give the constellation at least one"));
    };
    let start = start.unwrap_or(newest);
    let mut warnings = Vec::new();
    let mut satellites = Vec::with_capacity(sets.len());
    let mut names = BTreeSet::new();
    for mut set in sets {
        // Debris has the name of what it comes from; the catalogue number tells them apart.
        if !names.insert(set.name.clone()) {
            set.name = format!("{} [{}]", set.name, set.elements.norad_id);
            names.insert(set.name.clone());
        }
        warnings.extend(age_warning(&set, start));
        let motion = Motion::Propagated(Box::new(Propagated::new(earth, &set, start, length)?));
        satellites.push(Satellite { name: set.name, motion });
    }
    let about = format!("{} satellites by SGP4 from {start}", satellites.len());
    Ok((Constellation::new(about, satellites, Vec::new(), Closing::Seam)?, warnings))
}

fn age_warning(set: &ElementSet, start: Epoch) -> Option<Warning> {
    let days = set.epoch().days_to(start);
    (days.abs() > OLD_DAYS).then(|| {
        let relation = if days > 0.0 { "before" } else { "after" };
        Warning(format!(
            "the elements of `{}` ({}) are of {}, {:.1} days {relation} the start; beyond {OLD_DAYS} days positions may \
             be wrong by tens of kilometres: fetch newer ones",
            set.name,
            set.place,
            set.epoch(),
            days.abs()
        ))
    })
}

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
    fn new(earth: &Earth, set: &ElementSet, start: Epoch, length: Span) -> Result<Propagated, SatError> {
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
    fn teme(&self, minutes: f64) -> Result<Vector, String> {
        let minutes = sgp4::MinutesSinceEpoch(minutes);
        let prediction =
            self.constants.propagate_afspc_compatibility_mode(minutes).map_err(|error| error.to_string())?;
        let [x, y, z] = prediction.position;
        Ok(Vector::new(x, y, z))
    }
}

fn wrong(place: &str, satellite: Option<&str>, problem: &str, help: &str) -> SatError {
    SatError::Elements {
        place: place.into(),
        satellite: satellite.map(str::to_owned),
        problem: problem.into(),
        help: help.into(),
    }
}

/// The first satellite flew in 1957. The upper end keeps the arithmetic of the calendar, which ends in the year 262142,
/// away from its limits; two-line elements end in 2056.
const YEARS: RangeInclusive<i32> = 1957..=2199;
/// Beyond this age elements are worth a warning.
const OLD_DAYS: f64 = 7.0;
const SECONDS_PER_DAY: f64 = 86_400.0;
/// How often a run is looked through for satellites that come down; an orbit takes at least 5200 s.
const DECAY_STEP_S: f64 = 600.0;
const FORMATS: &str = "name a file of two-line elements, or an OMM file as JSON, CSV or XML, as CelesTrak offers them";

#[cfg(test)]
mod tests;
