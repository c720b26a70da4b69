//! The constellation of \[VEGAS-A\], which is that of the Iridium example of ns-2.
//!
//! 66 satellites in 6 planes at 780 km, 86.4 degrees, 11 per plane. It is no exact Walker star: planes are 31.6 degrees
//! apart instead of 30, which leaves a seam of 22 degrees, and every second plane is ahead by 16.36 degrees.
//! Period: computed from the altitude, 6026.96 s. The 6206.9 s that the study prints are a digit swap of ns-2's 6026.9 s.

use crate::constellation::{Closing, Constellation};
use crate::earth::Earth;
use crate::error::SatError;
use crate::orbit::{CircularOrbit, Elements, Perturbation};

/// Iridium, as ns-2 and the study have it.
///
/// # Errors
/// Never on an Earth of the presets.
pub fn iridium(earth: &Earth) -> Result<Constellation, SatError> {
    Constellation::regular("iridium".into(), PLANES, PER_PLANE, Closing::Seam, |plane, index| {
        let ahead = if plane % 2 == 1 { PHASING_DEG } else { 0.0 };
        let elements = Elements {
            altitude_km: 780.0,
            inclination_deg: 86.4,
            node_deg: PLANE_SPACING_DEG * plane as f64,
            phase_deg: 360.0 * index as f64 / PER_PLANE as f64 + ahead,
        };
        CircularOrbit::new(earth, elements, Perturbation::None)
    })
}

const PLANES: usize = 6;
const PER_PLANE: usize = 11;
const PLANE_SPACING_DEG: f64 = 31.6;
/// Two decimals, as in ns-2, not 180/11 = 16.3636…: delays depend on it by 2 µs.
const PHASING_DEG: f64 = 16.36;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use crate::vector::Vector;

    #[test]
    fn positions_at_the_start_are_those_of_the_specification() {
        let constellation = iridium(&Earth::NS2).unwrap();
        let at = |name: &str| constellation.position(constellation.named(name).unwrap(), 0.0).unwrap();
        assert_eq!(at("1.0"), Vector::new(7158.0, 0.0, 0.0));
        let found = at("3.4");
        let expected = Vector::new(-2416.675, -4030.838, 5398.981);
        assert!(found.distance(expected) < 0.001, "{found:?}");
        let latitude = libm::asin(found.z / found.norm()).to_degrees();
        assert!((latitude - 48.961).abs() < 0.0005, "{latitude}");
        let berkeley = Place::new("Berkeley", 37.9, -122.3).unwrap().station(&Earth::NS2);
        let elevation = libm::asin(berkeley.sin_elevation(found)).to_degrees();
        assert!((elevation - 25.108).abs() < 0.0005, "{elevation}");
        let range = found.distance(berkeley.position);
        assert!((range - 1522.395).abs() < 0.0005, "{range}");
    }

    #[test]
    fn neighbours_in_a_plane_are_4033_km_apart() {
        let constellation = iridium(&Earth::NS2).unwrap();
        let at = |id: usize, t: f64| constellation.position(id, t).unwrap();
        for (a, b) in [(0, 1), (10, 0), (12, 13)] {
            for t in [0.0, 1234.5] {
                let distance = at(a, t).distance(at(b, t));
                assert!((distance - 4033.28).abs() < 0.005, "{distance}");
                assert!((Earth::NS2.light_time(distance) * 1e3 - 13.454).abs() < 0.0005);
            }
        }
    }
}
