//! The elements of one satellite.

use super::epoch::Epoch;
use crate::error::SatError;

/// The elements of one satellite as they stand in a file.
#[derive(Clone, Debug)]
pub struct ElementSet {
    pub(super) name: String,
    pub(super) place: String,
    /// The number by which catalogues know the satellite, or its international designator; none if the file gives neither.
    pub(super) identity: Option<String>,
    pub(super) elements: sgp4::Elements,
}

/// The sets of a file, each or what is wrong with it.
pub(super) type ReadSets = Vec<Result<ElementSet, SatError>>;

impl ElementSet {
    /// The satellite.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When the elements held.
    pub fn epoch(&self) -> Epoch {
        Epoch(self.elements.datetime)
    }

    /// Refuses what SGP4 would make nonsense of.
    pub(super) fn checked(
        name: String,
        place: String,
        identity: Option<String>,
        elements: sgp4::Elements,
    ) -> Result<ElementSet, SatError> {
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
        Ok(ElementSet { name, place, identity, elements })
    }
}

/// Refuses elements that are not of SGP4: to propagate them by it would be wrong by kilometres and more. Types are those of
/// \[CCSDS-502\]: 2 and 3 are SGP4 and its part for deep space, 0 or nothing is what is distributed, 4 is SGP4-XP.
pub(super) fn check_ephemeris_type(found: &str, place: &str, name: &str) -> Result<(), SatError> {
    match found {
        "" | "0" | "2" | "3" => Ok(()),
        _ => {
            let of = if found == "4" { ", that of SGP4-XP" } else { "" };
            let problem = format!("its ephemeris type is {found}{of}; elements of SGP4 have 0");
            Err(wrong(place, Some(name), &problem, OTHER_THEORY))
        }
    }
}

/// What is wrong with elements, at a place of a file.
pub(super) fn wrong(place: &str, satellite: Option<&str>, problem: &str, help: &str) -> SatError {
    SatError::Elements {
        place: place.into(),
        satellite: satellite.map(str::to_owned),
        problem: problem.into(),
        help: help.into(),
    }
}

/// What to do if there are none.
pub(super) const FORMATS: &str =
    "name a file of two-line elements, or an OMM file as JSON, CSV or XML, as CelesTrak offers them";
/// What to do with elements of another theory.
pub(super) const OTHER_THEORY: &str = "fetch elements of SGP4: CelesTrak and Space-Track have them of every satellite";
