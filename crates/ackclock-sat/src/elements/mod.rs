//! Element sets of real satellites, propagated by SGP4.
//!
//! Files: two-line elements (`tle.rs`) and Orbit Mean-Elements Messages as JSON, CSV or XML (`omm.rs`). SGP4 is that of
//! the crate `sgp4`, \[STR3\] as revised by \[VCHK06\], with WGS-72 constants and the sidereal time of its
//! reference code, as the elements are made with them. Its positions are in TEME (true equator, mean equinox); they are
//! turned by Greenwich mean sidereal time to the Earth, and with the Earth to the frame of `vector::Vector`.
//!
//! Deviation: polar motion and UT1 − UTC are left out, less than half a kilometre on the ground; elements themselves are
//! good to a kilometre or so at their epoch and worse by a few each day.

mod epoch;
mod omm;
mod propagated;
mod set;
mod tle;

pub use epoch::Epoch;
pub use propagated::Propagated;
pub use set::ElementSet;

use std::collections::BTreeSet;

use ackclock::units::Span;

use self::set::{FORMATS, wrong};
use crate::constellation::{Closing, Constellation, Motion, Satellite};
use crate::earth::Earth;
use crate::error::SatError;

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
        // Debris has the name of what it comes from; the catalogue number distinguishes them.
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

/// Beyond this age elements are worth a warning.
const OLD_DAYS: f64 = 7.0;

#[cfg(test)]
mod tests;
