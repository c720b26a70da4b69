//! Walker constellations from one line: `i:T/P/F`, T satellites in P planes at inclination i, phasing F.
//!
//! S = T/P satellites in each plane, α = 360 k/S + 360 F p/T; nodes Ω_p = 360 p/P (delta) or 180 p/P (star).
//! Source: \[Wal84\].

use std::fmt;
use std::str::FromStr;

use crate::constellation::{Closing, Constellation};
use crate::earth::Earth;
use crate::error::SatError;
use crate::orbit::{CircularOrbit, Elements, Perturbation, altitude_in_space};

/// How the nodes of the planes are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Over the whole equator: the planes form a ring.
    Delta,
    /// Over half of it: near-polar planes with a seam between the last and the first.
    Star,
}

/// A Walker constellation without its altitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    spread: Spread,
    inclination_deg: f64,
    planes: u32,
    per_plane: u32,
    phasing: u32,
}

impl Walker {
    /// How many satellites there are.
    pub fn satellites(&self) -> u32 {
        self.planes * self.per_plane
    }

    /// How many links the longest path over the grid has, if no link of it is down: half around the ring of planes, or from
    /// the first plane to the last of a star, and half around a plane.
    pub fn widest(&self) -> u32 {
        let across = match self.spread {
            Spread::Delta => self.planes / 2,
            Spread::Star => self.planes - 1,
        };
        across + self.per_plane / 2
    }

    /// The constellation at an altitude.
    ///
    /// # Errors
    /// If nothing can circle the Earth there.
    pub fn at_altitude(
        &self,
        earth: &Earth,
        altitude_km: f64,
        perturbation: Perturbation,
    ) -> Result<Constellation, SatError> {
        altitude_in_space(altitude_km)?;
        let (planes, per_plane) = (self.planes as usize, self.per_plane as usize);
        let (p, s, f) = (f64::from(self.planes), f64::from(self.per_plane), f64::from(self.phasing));
        let (span_deg, closing) = match self.spread {
            Spread::Delta => (360.0, Closing::Ring { shift: self.phasing as usize % per_plane }),
            Spread::Star => (180.0, Closing::Seam),
        };
        let about = format!("walker {self}, {altitude_km} km");
        Constellation::regular(about, planes, per_plane, closing, |plane, index| {
            let (plane, index) = (plane as f64, index as f64);
            let elements = Elements {
                altitude_km,
                inclination_deg: self.inclination_deg,
                node_deg: span_deg * plane / p,
                phase_deg: 360.0 * index / s + 360.0 * f * plane / (p * s),
            };
            CircularOrbit::new(earth, elements, perturbation)
        })
    }
}

/// `86.4:66/6/2`, `delta 53:1584/72/39`, `star 90:40/5/1`.
impl FromStr for Walker {
    type Err = SatError;

    fn from_str(text: &str) -> Result<Walker, SatError> {
        let wrong = |problem: String| SatError::Notation { text: text.into(), problem };
        let trimmed = text.trim();
        let (spread, rest) = match trimmed.split_once(' ') {
            Some(("star", rest)) => (Spread::Star, rest.trim()),
            Some(("delta", rest)) => (Spread::Delta, rest.trim()),
            _ => (Spread::Delta, trimmed),
        };
        let (inclination, counts) =
            rest.split_once(':').ok_or_else(|| wrong("there is no colon behind the inclination".into()))?;
        let inclination_deg: f64 =
            inclination.trim().parse().map_err(|_| wrong(format!("`{inclination}` is no inclination in degrees")))?;
        if !(0.0..=180.0).contains(&inclination_deg) {
            return Err(wrong(format!("the inclination is {inclination_deg}; it can be 0 to 180 degrees")));
        }
        let counts: Vec<&str> = counts.split('/').map(str::trim).collect();
        let [total, planes, phasing] = counts[..] else {
            return Err(wrong(format!("satellites/planes/phasing are three numbers, not {}", counts.len())));
        };
        let whole = |what: &str, text: &str| {
            text.parse::<u32>().map_err(|_| wrong(format!("the {what} is `{text}`, which is no whole number")))
        };
        let total = whole("number of satellites", total)?;
        let planes = whole("number of planes", planes)?;
        let phasing = whole("phasing", phasing)?;
        if !(1..=MAX_SATELLITES).contains(&total) {
            return Err(wrong(format!("{total} satellites; there can be 1 to {MAX_SATELLITES}")));
        }
        if planes == 0 || total % planes != 0 {
            return Err(wrong(format!("{total} satellites cannot be divided evenly among {planes} planes")));
        }
        if phasing >= planes {
            return Err(wrong(format!("the phasing is {phasing}; with {planes} planes it can be 0 to {}", planes - 1)));
        }
        Ok(Walker { spread, inclination_deg, planes, per_plane: total / planes, phasing })
    }
}

impl fmt::Display for Walker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spread = match self.spread {
            Spread::Delta => "delta",
            Spread::Star => "star",
        };
        let total = self.planes * self.per_plane;
        write!(f, "{spread} {}:{total}/{}/{}", self.inclination_deg, self.planes, self.phasing)
    }
}

/// More than anybody has announced.
const MAX_SATELLITES: u32 = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Constellation {
        let walker: Walker = text.parse().unwrap();
        walker.at_altitude(&Earth::WGS84, 780.0, Perturbation::None).unwrap()
    }

    /// Longitude of the node and angle from the node, degrees, from the position and a moment later.
    fn angles(constellation: &Constellation, name: &str) -> (f64, f64) {
        let id = constellation.named(name).unwrap();
        let at = |t| constellation.position(id, t).unwrap();
        let normal = at(0.0).cross(at(1.0));
        let node = libm::atan2(normal.x, -normal.y);
        let to_node = crate::vector::Vector::new(libm::cos(node), libm::sin(node), 0.0);
        let ahead = normal.cross(to_node) * (1.0 / normal.norm());
        let phase = libm::atan2(at(0.0).dot(ahead), at(0.0).dot(to_node));
        (node.to_degrees(), phase.to_degrees())
    }

    fn near(found: (f64, f64), node: f64, phase: f64) -> bool {
        let off = |a: f64, b: f64| (a - b + 540.0).rem_euclid(360.0) - 180.0;
        off(found.0, node).abs() < 1e-6 && off(found.1, phase).abs() < 1e-6
    }

    #[test]
    fn a_delta_spreads_its_nodes_over_the_equator() {
        let constellation = made("53:72/6/2");
        assert_eq!(constellation.satellites().len(), 72);
        // Ω = 360·4/6, α = 360·5/12 + 360·2·4/72.
        assert!(near(angles(&constellation, "5.5"), 240.0, 190.0));
        assert_eq!(constellation.closing(), Closing::Ring { shift: 2 });
    }

    #[test]
    fn a_star_spreads_them_over_half_of_it() {
        let constellation = made("star 86.4:66/6/2");
        // Ω = 180·5/6, α = 360·10/11 + 360·2·5/66.
        assert!(near(angles(&constellation, "6.10"), 150.0, 327.272_727 + 54.545_454_5));
        assert_eq!(constellation.closing(), Closing::Seam);
    }

    #[test]
    fn any_number_of_satellites_per_plane_will_do() {
        for (text, count) in [("86.4:6/6/2", 6), ("86.4:12/6/2", 12), ("86.4:18/6/2", 18), ("0:1/1/0", 1)] {
            assert_eq!(made(text).satellites().len(), count, "{text}");
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        for text in ["delta 86.4:66/6/2", "star 90:40/5/1"] {
            assert_eq!(text.parse::<Walker>().unwrap().to_string(), text);
        }
        assert_eq!(" 53 : 1584 / 72 / 39 ".parse::<Walker>().unwrap().to_string(), "delta 53:1584/72/39");
    }

    #[test]
    fn impossible_constellations_say_what_is_impossible() {
        let problem = |text: &str| text.parse::<Walker>().unwrap_err().to_string();
        assert_eq!(
            problem("86.4:66/7/2"),
            "`86.4:66/7/2` is no constellation: 66 satellites cannot be divided evenly among 7 planes"
        );
        assert!(problem("86.4:66/6/6").contains("the phasing is 6; with 6 planes it can be 0 to 5"));
        assert!(problem("86.4:66/6/1.5").contains("the phasing is `1.5`, which is no whole number"));
        assert!(problem("86.4:66/0/0").contains("cannot be divided evenly among 0 planes"));
        assert!(problem("86.4:0/1/0").contains("0 satellites"));
        assert!(problem("86.4:66/6").contains("three numbers, not 2"));
        assert!(problem("66/6/2").contains("no colon"));
        assert!(problem("190:66/6/2").contains("it can be 0 to 180 degrees"));
        assert!(problem("x:66/6/2").contains("`x` is no inclination"));
        assert!(problem("NaN:66/6/2").contains("0 to 180"));
        assert!("86.4:66/6/5".parse::<Walker>().is_ok());
    }
}
