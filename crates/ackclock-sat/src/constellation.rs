//! Satellites with names, and the planes they fly in.

use std::collections::BTreeSet;

use ackclock::units::Time;

use crate::elements::Propagated;
use crate::error::SatError;
use crate::orbit::{CircularOrbit, GeoSlot};
use crate::vector::Vector;

/// How a satellite moves.
#[derive(Clone, Debug)]
pub enum Motion {
    /// On a circular orbit.
    Circular(CircularOrbit),
    /// Above a place on the equator.
    Slot(GeoSlot),
    /// As its elements say, by SGP4.
    Propagated(Box<Propagated>),
}

impl Motion {
    /// Where the satellite is `seconds` after the start, in km from the centre of the Earth; `vector::Vector` says in
    /// which directions.
    ///
    /// # Errors
    /// If its elements do not lead so far: why.
    pub fn position(&self, seconds: f64) -> Result<Vector, String> {
        match self {
            Motion::Circular(orbit) => Ok(orbit.position(seconds)),
            Motion::Slot(slot) => Ok(slot.position(seconds)),
            Motion::Propagated(satellite) => satellite.position(seconds),
        }
    }
}

/// A satellite.
#[derive(Clone, Debug)]
pub struct Satellite {
    /// Its name. Those of computed constellations are PLANE.INDEX, planes from 1 and indices from 0.
    pub name: String,
    /// How it moves.
    pub motion: Motion,
}

/// Whether the last plane is beside the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// No: between them is the seam, where neighbours fly in opposite directions.
    Seam,
    /// Yes; a satellite of the last plane has that of the first beside it whose index is larger by this.
    Ring {
        /// How much larger.
        shift: usize,
    },
}

/// A number of satellites.
#[derive(Clone, Debug)]
pub struct Constellation {
    about: String,
    satellites: Vec<Satellite>,
    planes: Vec<Vec<usize>>,
    closing: Closing,
    seats: Vec<Option<(usize, usize)>>,
}

impl Constellation {
    /// Satellites in planes: of each plane the numbers of its satellites, in the order in which they are met when one
    /// flies ahead. Satellites may be in no plane; then they have no links to others. `about` says which they are.
    ///
    /// # Errors
    /// If there is no satellite, or if two have the same name, or if a name cannot be part of a path.
    pub fn new(
        about: String,
        satellites: Vec<Satellite>,
        planes: Vec<Vec<usize>>,
        closing: Closing,
    ) -> Result<Constellation, SatError> {
        if satellites.is_empty() {
            return Err(SatError::conflict("there is no satellite", "give the constellation at least one"));
        }
        let mut names = BTreeSet::new();
        for satellite in &satellites {
            usable_name(&satellite.name)?;
            if !names.insert(&satellite.name) {
                let problem = format!("two satellites are called `{}`", satellite.name);
                return Err(SatError::conflict(problem, "give each a name of its own"));
            }
        }
        let mut seats = vec![None; satellites.len()];
        for (plane, members) in planes.iter().enumerate() {
            for (index, &member) in members.iter().enumerate() {
                seats[member] = Some((plane, index));
            }
        }
        Ok(Constellation { about, satellites, planes, closing, seats })
    }

    /// One satellite above a place on the equator.
    ///
    /// # Errors
    /// If it has no usable name.
    pub fn geostationary(name: &str, slot: GeoSlot) -> Result<Constellation, SatError> {
        let satellite = Satellite { name: name.into(), motion: Motion::Slot(slot) };
        Constellation::new("geostationary".into(), vec![satellite], Vec::new(), Closing::Seam)
    }

    /// Satellites in `planes` planes of `per_plane` each, named PLANE.INDEX.
    pub(crate) fn regular(
        about: String,
        planes: usize,
        per_plane: usize,
        closing: Closing,
        mut orbit: impl FnMut(usize, usize) -> Result<CircularOrbit, SatError>,
    ) -> Result<Constellation, SatError> {
        let mut satellites = Vec::with_capacity(planes * per_plane);
        for plane in 0..planes {
            for index in 0..per_plane {
                let motion = Motion::Circular(orbit(plane, index)?);
                satellites.push(Satellite { name: format!("{}.{index}", plane + 1), motion });
            }
        }
        let members = |plane: usize| (plane * per_plane..(plane + 1) * per_plane).collect();
        Constellation::new(about, satellites, (0..planes).map(members).collect(), closing)
    }

    /// Which satellites these are, in words.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The satellites; everything else counts them in this order.
    pub fn satellites(&self) -> &[Satellite] {
        &self.satellites
    }

    /// The planes.
    pub fn planes(&self) -> &[Vec<usize>] {
        &self.planes
    }

    /// How the planes are joined.
    pub fn closing(&self) -> Closing {
        self.closing
    }

    /// The number of the satellite of a name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.satellites.iter().position(|satellite| satellite.name == name)
    }

    /// The satellite that follows over the horizon: the one behind in the same plane. None if it flies alone.
    pub(crate) fn follower(&self, satellite: usize) -> Option<usize> {
        let (plane, index) = self.seats[satellite]?;
        let members = &self.planes[plane];
        let behind = members[(index + members.len() - 1) % members.len()];
        (behind != satellite).then_some(behind)
    }

    /// Where a satellite is `seconds` after the start of the run.
    ///
    /// # Errors
    /// If its elements do not lead so far.
    pub(crate) fn position(&self, satellite: usize, seconds: f64) -> Result<Vector, SatError> {
        let satellite = &self.satellites[satellite];
        satellite.motion.position(seconds).map_err(|problem| SatError::Decayed {
            satellite: satellite.name.clone(),
            at: Time::from_ps((seconds.max(0.0) * 1e12) as u64),
            problem,
        })
    }
}

/// Refuses names that could not be read back from a path.
pub(crate) fn usable_name(name: &str) -> Result<(), SatError> {
    match name.trim() == name && !name.is_empty() && !name.contains(" > ") && !name.contains(char::is_control) {
        true => Ok(()),
        false => Err(SatError::conflict(
            format!("`{name}` cannot be a name"),
            "choose one without ` > `, line ends, and spaces at its ends",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::earth::Earth;

    fn slot() -> Satellite {
        let motion = Motion::Slot(GeoSlot::new(&Earth::NS2, 0.0).unwrap());
        Satellite { name: "a".into(), motion }
    }

    #[test]
    fn names_are_unique_and_can_be_read_back() {
        assert!(Constellation::new(String::new(), vec![slot()], vec![], Closing::Seam).is_ok());
        let twice = Constellation::new(String::new(), vec![slot(), slot()], vec![], Closing::Seam).unwrap_err();
        assert_eq!(twice.to_string(), "two satellites are called `a`");
        assert!(Constellation::new(String::new(), vec![], vec![], Closing::Seam).is_err());
        for name in ["", " a", "a > b", "a\n"] {
            assert!(usable_name(name).is_err(), "{name:?}");
        }
        assert!(usable_name("ISS (ZARYA)").is_ok());
    }

    #[test]
    fn the_follower_is_the_one_behind() {
        let constellation = crate::iridium::iridium(&Earth::NS2).unwrap();
        let id = |name: &str| constellation.named(name).unwrap();
        assert_eq!(constellation.follower(id("3.4")), Some(id("3.3")));
        assert_eq!(constellation.follower(id("3.0")), Some(id("3.10")));
        let alone = Constellation::geostationary("a", GeoSlot::new(&Earth::NS2, 0.0).unwrap()).unwrap();
        assert_eq!(alone.follower(0), None);
    }
}
