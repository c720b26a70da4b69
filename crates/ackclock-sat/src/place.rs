//! Places on the Earth, and how high above their horizon something stands.

use std::fmt;

use crate::earth::Earth;
use crate::error::SatError;
use crate::vector::{Turn, Vector};

/// A place on the Earth with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    name: String,
    latitude_deg: f64,
    longitude_deg: f64,
    height_km: f64,
}

impl Place {
    /// A place at sea level: latitude in degrees north of the equator, longitude in degrees east of Greenwich.
    ///
    /// # Errors
    /// If it is not on the globe: latitudes are -90 to 90, longitudes -180 to 360.
    pub fn new(name: &str, latitude_deg: f64, longitude_deg: f64) -> Result<Place, SatError> {
        let of = |what: &str| format!("{what} of `{name}`");
        in_range(of("latitude"), latitude_deg, -90.0, 90.0, "degrees; north is positive, south negative")?;
        in_range(of("longitude"), longitude_deg, -180.0, 360.0, "degrees; east is positive, west negative")?;
        Ok(Place { name: name.into(), latitude_deg, longitude_deg, height_km: 0.0 })
    }

    /// This place at a height above the surface.
    ///
    /// # Errors
    /// If it is in the ground or in space: below -1 km or above 100 km.
    pub fn at_height(mut self, height_km: f64) -> Result<Place, SatError> {
        in_range(format!("height of `{}`", self.name), height_km, -1.0, 100.0, "km above the surface")?;
        self.height_km = height_km;
        Ok(self)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is on a given Earth.
    ///
    /// On an ellipsoid the latitude is geodetic: the angle of the plumb line with the equator.
    pub(crate) fn station(&self, earth: &Earth) -> Station {
        let (sin_lat, cos_lat) = libm::sincos(self.latitude_deg.to_radians());
        let (sin_lon, cos_lon) = libm::sincos(self.longitude_deg.to_radians());
        let up = Vector::new(cos_lat * cos_lon, cos_lat * sin_lon, sin_lat);
        // Radius of curvature in the prime vertical, and its shortening along the axis.
        let squared_eccentricity = earth.flattening * (2.0 - earth.flattening);
        let normal = earth.radius_km / (1.0 - squared_eccentricity * sin_lat * sin_lat).sqrt();
        let across = normal + self.height_km;
        let along = normal * (1.0 - squared_eccentricity) + self.height_km;
        Station { position: Vector::new(up.x * across, up.y * across, up.z * along), up }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} deg N, {} deg E", self.name, self.latitude_deg, self.longitude_deg)?;
        if self.height_km == 0.0 { Ok(()) } else { write!(f, ", {} km high", self.height_km) }
    }
}

/// A place as vectors, at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Station {
    pub position: Vector,
    /// Where the zenith is, of length 1.
    pub up: Vector,
}

impl Station {
    /// This place after a rotation of the Earth.
    pub fn turned(self, turn: Turn) -> Station {
        Station { position: self.position.turned(turn), up: self.up.turned(turn) }
    }

    /// The sine of the angle at which a satellite stands above the horizon.
    pub fn sin_elevation(&self, satellite: Vector) -> f64 {
        let line = satellite - self.position;
        self.up.dot(line) / line.norm()
    }
}

/// Refuses what is not a number from `min` to `max`.
pub(crate) fn in_range(what: String, value: f64, min: f64, max: f64, unit: &str) -> Result<(), SatError> {
    match (min..=max).contains(&value) {
        true => Ok(()),
        false => Err(SatError::OutOfRange { what, value, allowed: format!("{min} to {max} {unit}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_off_the_globe_are_refused_with_their_name() {
        assert!(Place::new("pole", 90.0, -180.0).is_ok());
        let error = Place::new("Berlin", 90.1, 13.4).unwrap_err().to_string();
        assert_eq!(
            error,
            "latitude of `Berlin` is 90.1; it can be -90 to 90 degrees; north is positive, south negative"
        );
        assert!(Place::new("Berlin", 52.5, 360.1).is_err());
        assert!(Place::new("Berlin", f64::NAN, 13.4).is_err());
        assert!(Place::new("Moon", 0.0, 0.0).unwrap().at_height(384_400.0).is_err());
    }

    #[test]
    fn the_ellipsoid_is_flat_at_the_poles() {
        // WGS-84: polar radius 6356.752 km.
        let pole = Place::new("pole", 90.0, 0.0).unwrap().station(&Earth::WGS84_ELLIPSOID);
        assert!((pole.position.norm() - 6_356.752_314).abs() < 1e-6, "{:?}", pole.position);
        let equator = Place::new("equator", 0.0, 90.0).unwrap().station(&Earth::WGS84_ELLIPSOID);
        assert!((equator.position.y - 6378.137).abs() < 1e-9, "{:?}", equator.position);
    }

    #[test]
    fn height_is_along_the_plumb_line() {
        let low = Place::new("low", 45.0, 7.0).unwrap();
        let high = low.clone().at_height(2.0).unwrap();
        let (low, high) = (low.station(&Earth::WGS84_ELLIPSOID), high.station(&Earth::WGS84_ELLIPSOID));
        assert!((high.position - low.position - low.up * 2.0).norm() < 1e-12);
    }

    #[test]
    fn what_stands_in_the_zenith_has_an_elevation_of_ninety_degrees() {
        let station = Place::new("x", 10.0, 20.0).unwrap().station(&Earth::NS2);
        assert!((station.sin_elevation(station.position * 1.1) - 1.0).abs() < 1e-12);
        assert!((station.sin_elevation(station.position * 0.9) + 1.0).abs() < 1e-12);
    }
}
