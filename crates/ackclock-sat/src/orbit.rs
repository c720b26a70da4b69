//! Positions of satellites on circular orbits and above the equator.
//!
//! Inertial frame: z is the north pole, and at t = 0 the prime meridian is on x.
//! u = α₀ + 2πt/T is the angle from the ascending node, T = 2π √(R³/μ), and with Ω the longitude of the node
//!     x = R (cos Ω cos u − sin Ω sin u cos i),  y = R (sin Ω cos u + cos Ω sin u cos i),  z = R sin u sin i.
//! Source: two-body motion without eccentricity, as in the satellite extensions of ns-2. J2 is an option and turns the
//! node by −1.5 J2 (R_E/R)² n cos i; its other effects are left out.

use crate::earth::Earth;
use crate::error::SatError;
use crate::place::in_range;
use crate::vector::{Turn, Vector};

/// What disturbs a circular orbit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Perturbation {
    /// Nothing: the plane stays among the stars.
    #[default]
    None,
    /// The flattening of the Earth turns the plane.
    J2,
}

/// Where a satellite on a circular orbit is at the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elements {
    /// Height above the equator's radius, km.
    pub altitude_km: f64,
    /// Inclination, degrees.
    pub inclination_deg: f64,
    /// Longitude of the ascending node at the start, degrees east of Greenwich.
    pub node_deg: f64,
    /// Angle from the ascending node at the start, degrees.
    pub phase_deg: f64,
}

/// A circular orbit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CircularOrbit {
    radius_km: f64,
    /// n = 2π/T, rad/s.
    mean_motion: f64,
    phase: f64,
    /// Node and node rate, rad and rad/s.
    node: f64,
    node_rate: f64,
    node_turn: Turn,
    sin_inclination: f64,
    cos_inclination: f64,
}

impl CircularOrbit {
    /// The orbit of given elements.
    ///
    /// # Errors
    /// If it is in the ground or beyond a million kilometres, or the inclination is not 0 to 180 degrees.
    pub fn new(earth: &Earth, elements: Elements, perturbation: Perturbation) -> Result<CircularOrbit, SatError> {
        altitude_in_space(elements.altitude_km)?;
        in_range("inclination".into(), elements.inclination_deg, 0.0, 180.0, "degrees")?;
        in_range("longitude of the ascending node".into(), elements.node_deg, -360.0, 360.0, "degrees")?;
        in_range("angle from the ascending node".into(), elements.phase_deg, -1e6, 1e6, "degrees")?;
        let radius_km = earth.radius_km + elements.altitude_km;
        let mean_motion = (earth.mu_km3_s2 / (radius_km * radius_km * radius_km)).sqrt();
        let (sin_inclination, cos_inclination) = libm::sincos(elements.inclination_deg.to_radians());
        let flatness = earth.radius_km / radius_km;
        let node_rate = match perturbation {
            Perturbation::None => 0.0,
            Perturbation::J2 => -1.5 * earth.j2 * flatness * flatness * mean_motion * cos_inclination,
        };
        let node = elements.node_deg.to_radians();
        let phase = elements.phase_deg.to_radians();
        let node_turn = Turn::by(node);
        Ok(CircularOrbit {
            radius_km,
            mean_motion,
            phase,
            node,
            node_rate,
            node_turn,
            sin_inclination,
            cos_inclination,
        })
    }

    /// One turn, s.
    pub fn period_s(&self) -> f64 {
        std::f64::consts::TAU / self.mean_motion
    }

    /// How fast the plane turns, rad/s; 0 without J2.
    pub fn node_rate(&self) -> f64 {
        self.node_rate
    }

    /// Where the satellite is `seconds` after the start.
    pub fn position(&self, seconds: f64) -> Vector {
        let (sin, cos) = libm::sincos(self.phase + self.mean_motion * seconds);
        let in_plane = Vector::new(cos, sin * self.cos_inclination, sin * self.sin_inclination) * self.radius_km;
        let turn = match self.node_rate == 0.0 {
            true => self.node_turn,
            false => Turn::by(self.node + self.node_rate * seconds),
        };
        in_plane.turned(turn)
    }
}

/// A place above the equator that turns with the Earth: no drift, no inclination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoSlot {
    fixed: Vector,
    spin: f64,
}

impl GeoSlot {
    /// The slot at a longitude in degrees east of Greenwich.
    ///
    /// # Errors
    /// If the longitude is not -180 to 360 degrees.
    pub fn new(earth: &Earth, longitude_deg: f64) -> Result<GeoSlot, SatError> {
        in_range("longitude of the slot".into(), longitude_deg, -180.0, 360.0, "degrees; west is negative")?;
        let (sin, cos) = libm::sincos(longitude_deg.to_radians());
        let fixed = Vector::new(cos, sin, 0.0) * (earth.radius_km + earth.geo_altitude_km);
        Ok(GeoSlot { fixed, spin: earth.spin() })
    }

    /// Where the satellite is `seconds` after the start.
    pub fn position(&self, seconds: f64) -> Vector {
        self.fixed.turned(Turn::by(self.spin * seconds))
    }
}

/// Refuses heights at which nothing can circle the Earth.
pub(crate) fn altitude_in_space(altitude_km: f64) -> Result<(), SatError> {
    let what = "km above the ground; satellites burn up below 100 km";
    in_range("altitude".into(), altitude_km, LOWEST_KM, HIGHEST_KM, what)
}

/// Below it satellites burn up.
pub(crate) const LOWEST_KM: f64 = 100.0;
/// Beyond it nothing circles the Earth: the Sun is stronger.
pub(crate) const HIGHEST_KM: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    fn orbit(earth: &Earth, altitude_km: f64, inclination_deg: f64, perturbation: Perturbation) -> CircularOrbit {
        let elements = Elements { altitude_km, inclination_deg, node_deg: 30.0, phase_deg: 10.0 };
        CircularOrbit::new(earth, elements, perturbation).unwrap()
    }

    #[test]
    fn periods_are_those_of_kepler() {
        // 2π √(7158³ / 398601.2): the study's 6206.9 s is a digit swap of ns-2's 6026.9 s.
        let period = orbit(&Earth::NS2, 780.0, 86.4, Perturbation::None).period_s();
        assert!((period - 6026.96).abs() < 0.2, "{period}");
        let period = orbit(&Earth::WGS84, 550.0, 53.0, Perturbation::None).period_s();
        assert!((period - 5739.0).abs() < 0.1, "{period}");
        let period = orbit(&Earth::WGS84, 35_786.0, 0.0, Perturbation::None).period_s();
        assert!((period - 86_164.0).abs() < 1.0, "{period}");
    }

    #[test]
    fn after_a_period_it_is_where_it_was() {
        let orbit = orbit(&Earth::NS2, 780.0, 86.4, Perturbation::None);
        let moved = orbit.position(0.0).distance(orbit.position(orbit.period_s()));
        assert!(moved < 1e-8, "{moved} km");
        let half = orbit.position(0.0) + orbit.position(orbit.period_s() / 2.0);
        assert!(half.norm() < 1e-8, "on the other side after half of it");
    }

    #[test]
    fn flattening_turns_the_plane_of_iridium_by_0_42_degrees_a_day() {
        let rate = orbit(&Earth::NS2, 780.0, 86.4, Perturbation::J2).node_rate();
        assert!(((rate * 86_400.0).to_degrees() + 0.42).abs() < 0.005, "{rate}");
        // Sun-synchronous: 0.9856 degrees a day eastwards at 98.6 degrees and 800 km.
        let rate = orbit(&Earth::WGS84, 800.0, 98.603, Perturbation::J2).node_rate();
        assert!(((rate * 86_400.0).to_degrees() - 0.9856).abs() < 0.002, "{rate}");
    }

    #[test]
    fn a_turning_plane_starts_in_the_same_place() {
        let (still, turning) =
            (orbit(&Earth::NS2, 780.0, 60.0, Perturbation::None), orbit(&Earth::NS2, 780.0, 60.0, Perturbation::J2));
        assert!(still.position(0.0).distance(turning.position(0.0)) < 1e-9);
        let day = 86_400.0;
        // After a day the plane of the second is behind by 2π − |rate| t: the positions differ by that turn.
        let turned = still.position(day).turned(Turn::by(turning.node_rate() * day));
        assert!(turned.distance(turning.position(day)) < 1e-6);
    }

    #[test]
    fn orbits_in_the_ground_are_refused() {
        for altitude_km in [-780.0, 0.0, 99.9, 1e7, f64::NAN] {
            let elements = Elements { altitude_km, inclination_deg: 86.4, node_deg: 0.0, phase_deg: 0.0 };
            assert!(CircularOrbit::new(&Earth::NS2, elements, Perturbation::None).is_err(), "{altitude_km}");
        }
    }

    #[test]
    fn a_slot_stays_above_its_longitude() {
        let slot = GeoSlot::new(&Earth::NS2, -95.0).unwrap();
        for hours in 0..30 {
            let seconds = f64::from(hours) * 3600.0;
            let over_ground = slot.position(seconds).turned(Earth::NS2.turn(-seconds));
            assert!((libm::atan2(over_ground.y, over_ground.x).to_degrees() + 95.0).abs() < 1e-9);
            assert!((over_ground.norm() - 42_164.0).abs() < 1e-9);
        }
    }
}
