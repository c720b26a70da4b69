//! The Earth: its size, its gravity, its rotation, and the speed of light.
//!
//! Source: `ns2` are the values of the satellite extensions of ns-2, which \[VEGAS-A\] used, the misprinted speed of
//! light included; `wgs84` those of the World Geodetic System \[WGS84\].

use crate::vector::Turn;

/// The constants that positions and delays are computed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Earth {
    /// What the preset is called in files.
    pub name: &'static str,
    /// Radius at the equator, km.
    pub radius_km: f64,
    /// Flattening of the ellipsoid that places lie on; 0 is a sphere.
    pub flattening: f64,
    /// Gravitational parameter, km³/s².
    pub mu_km3_s2: f64,
    /// Second zonal harmonic of the gravity field, no unit.
    pub j2: f64,
    /// Speed of light, km/s.
    pub light_km_s: f64,
    /// One turn relative to the stars, s.
    pub sidereal_day_s: f64,
    /// Height of the geostationary orbit, km.
    pub geo_altitude_km: f64,
}

impl Earth {
    /// ns-2: a sphere, and a speed of light 1.8 ppm too high.
    pub const NS2: Earth = Earth {
        name: "ns2",
        radius_km: 6378.0,
        flattening: 0.0,
        mu_km3_s2: 398_601.2,
        j2: J2,
        light_km_s: 299_793.0,
        sidereal_day_s: 86_164.0,
        geo_altitude_km: 35_786.0,
    };
    /// WGS-84, places on a sphere of its equatorial radius.
    pub const WGS84: Earth = Earth {
        name: "wgs84",
        radius_km: 6378.137,
        flattening: 0.0,
        mu_km3_s2: 398_600.441_8,
        j2: J2,
        light_km_s: 299_792.458,
        sidereal_day_s: 86_164.090_5,
        geo_altitude_km: 35_786.0,
    };
    /// WGS-84, places on its ellipsoid: up to 21 km nearer to the centre at the poles.
    pub const WGS84_ELLIPSOID: Earth =
        Earth { name: "wgs84-ellipsoid", flattening: 1.0 / 298.257_223_563, ..Earth::WGS84 };
    /// All presets.
    pub const PRESETS: [Earth; 3] = [Earth::NS2, Earth::WGS84, Earth::WGS84_ELLIPSOID];

    /// The preset of a name.
    pub fn named(name: &str) -> Option<Earth> {
        Earth::PRESETS.into_iter().find(|earth| earth.name == name)
    }

    /// Angular speed of the rotation, rad/s.
    pub fn spin(&self) -> f64 {
        std::f64::consts::TAU / self.sidereal_day_s
    }

    /// How far the Earth has turned `seconds` after the start of the run, when the prime meridian was on the x axis.
    pub fn turn(&self, seconds: f64) -> Turn {
        Turn::by(self.spin() * seconds)
    }

    /// The time light takes, s.
    pub fn light_time(&self, distance_km: f64) -> f64 {
        distance_km / self.light_km_s
    }
}

/// Of WGS-84 and EGM-96 alike to the digits that matter here.
const J2: f64 = 1.082_63e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_names_of_files() {
        for earth in Earth::PRESETS {
            assert_eq!(Earth::named(earth.name), Some(earth));
        }
        assert_eq!(Earth::named("wgs72"), None);
    }

    #[test]
    fn light_of_ns2_is_faster_by_1_8_millionths() {
        let ratio = Earth::WGS84.light_time(1000.0) / Earth::NS2.light_time(1000.0);
        assert!((ratio - 1.0 - 1.808e-6).abs() < 1e-9, "{ratio}");
    }
}
