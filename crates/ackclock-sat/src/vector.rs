//! Points and directions in three dimensions.

use std::ops::{Add, Mul, Sub};

/// A point or a direction. Points are in kilometres from the centre of the Earth.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Vector {
    /// Towards the prime meridian at the start of the run, on the equator.
    pub x: f64,
    /// 90 degrees east of `x`, on the equator.
    pub y: f64,
    /// Towards the north pole.
    pub z: f64,
}

impl Vector {
    /// The vector of three components.
    pub const fn new(x: f64, y: f64, z: f64) -> Vector {
        Vector { x, y, z }
    }

    /// The scalar product.
    pub fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector product.
    pub fn cross(self, other: Vector) -> Vector {
        Vector {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// The length.
    pub fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The distance between two points.
    pub fn distance(self, other: Vector) -> f64 {
        (self - other).norm()
    }

    /// This vector, rotated about the z axis by an angle of known sine and cosine.
    pub fn turned(self, turn: Turn) -> Vector {
        Vector { x: self.x * turn.cos - self.y * turn.sin, y: self.x * turn.sin + self.y * turn.cos, z: self.z }
    }
}

/// A rotation about the axis of the Earth, eastwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    sin: f64,
    cos: f64,
}

impl Turn {
    /// The rotation by an angle in radians.
    pub fn by(angle: f64) -> Turn {
        let (sin, cos) = libm::sincos(angle);
        Turn { sin, cos }
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        Vector { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;
    fn mul(self, factor: f64) -> Vector {
        Vector { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_takes_x_to_y() {
        let turned = Vector::new(2.0, 0.0, 5.0).turned(Turn::by(std::f64::consts::FRAC_PI_2));
        assert!(turned.distance(Vector::new(0.0, 2.0, 5.0)) < 1e-15, "{turned:?}");
    }

    #[test]
    fn the_vector_product_is_right_handed() {
        let product = Vector::new(1.0, 0.0, 0.0).cross(Vector::new(0.0, 1.0, 0.0));
        assert_eq!(product, Vector::new(0.0, 0.0, 1.0));
    }
}
