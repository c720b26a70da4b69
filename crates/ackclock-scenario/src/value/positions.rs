//! Places on the globe as people write them: `37.9 N 122.3 W`, `37.9, -122.3`; longitudes alone: `95 W`.

use std::fmt;

/// Latitude and longitude in degrees, north and east positive. Whether they are on the globe is not known here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) latitude_deg: f64,
    pub(crate) longitude_deg: f64,
}

impl Position {
    /// Latitude, then longitude, or with their letters in any order.
    pub(crate) fn parse(text: &str) -> Option<Position> {
        let angles = angles(text)?;
        let [first, second] = angles[..] else { return None };
        let (latitude, longitude) = match (first.axis, second.axis) {
            (Some(Axis::Latitude), Some(Axis::Longitude)) | (None, None) => (first, second),
            (Some(Axis::Longitude), Some(Axis::Latitude)) => (second, first),
            _ => return None,
        };
        Some(Position { latitude_deg: latitude.degrees, longitude_deg: longitude.degrees })
    }
}

/// A longitude alone, degrees east.
pub(crate) fn longitude(text: &str) -> Option<f64> {
    match angles(text)?[..] {
        [Angle { degrees, axis: None | Some(Axis::Longitude) }] => Some(degrees),
        _ => None,
    }
}

/// A longitude as it is written out.
pub(crate) fn spelled_longitude(degrees: f64) -> String {
    spelled(degrees, 'E', 'W')
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", spelled(self.latitude_deg, 'N', 'S'), spelled_longitude(self.longitude_deg))
    }
}

fn spelled(degrees: f64, positive: char, negative: char) -> String {
    let letter = if degrees < 0.0 { negative } else { positive };
    format!("{} {letter}", degrees.abs())
}

#[derive(Clone, Copy)]
struct Angle {
    degrees: f64,
    axis: Option<Axis>,
}

#[derive(Clone, Copy)]
enum Axis {
    Latitude,
    Longitude,
}

/// Numbers, each with a letter of the compass behind it or with a sign.
fn angles(text: &str) -> Option<Vec<Angle>> {
    let mut angles: Vec<Angle> = Vec::new();
    // A letter may stand close to its number or apart from it, and so may the sign of a degree.
    let spaced: String = text.chars().flat_map(apart).collect();
    let mut is_open = false;
    for token in spaced.split_whitespace() {
        let axis = match token {
            "N" | "S" => Axis::Latitude,
            "E" | "W" => Axis::Longitude,
            number => {
                let is_plain = number.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c));
                let degrees = number.parse::<f64>().ok().filter(|_| is_plain)?;
                angles.push(Angle { degrees, axis: None });
                is_open = true;
                continue;
            }
        };
        let angle = angles.last_mut().filter(|angle| is_open && angle.degrees.is_sign_positive())?;
        angle.axis = Some(axis);
        if matches!(token, "S" | "W") {
            angle.degrees = -angle.degrees;
        }
        is_open = false;
    }
    Some(angles)
}

fn apart(c: char) -> Vec<char> {
    match c.to_ascii_uppercase() {
        letter @ ('N' | 'S' | 'E' | 'W') => vec![' ', letter, ' '],
        ',' | '\u{b0}' => vec![' '],
        _ => vec![c],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> Option<(f64, f64)> {
        Position::parse(text).map(|position| (position.latitude_deg, position.longitude_deg))
    }

    #[test]
    fn one_place_may_be_written_in_many_ways() {
        for text in ["37.9 N 122.3 W", "37.9N 122.3W", "37.9\u{b0} n, 122.3\u{b0} w", "122.3 W 37.9 N", "37.9, -122.3"]
        {
            assert_eq!(position(text), Some((37.9, -122.3)), "{text}");
        }
        assert_eq!(position("0 N 0 E"), Some((0.0, 0.0)));
        assert_eq!(position("33.9 S 151.2 E"), Some((-33.9, 151.2)));
    }

    #[test]
    fn what_is_no_place_is_not_guessed_at() {
        for text in ["", "37.9", "37.9 N", "37.9 N 122.3", "37.9 N 12 S", "1 2 3", "N 37.9 W 122.3", "-37.9 S 1 E"] {
            assert_eq!(position(text), None, "{text}");
        }
        for text in ["Berkeley", "37.9 N N 122 W", "1e5 2", "nan 1", "inf N 2 E"] {
            assert_eq!(position(text), None, "{text}");
        }
    }

    #[test]
    fn longitudes_stand_alone() {
        assert_eq!(longitude("95 W"), Some(-95.0));
        assert_eq!(longitude("-95"), Some(-95.0));
        assert_eq!(longitude("19.2E"), Some(19.2));
        assert_eq!((longitude("95 N"), longitude("95 W 3 E"), longitude("")), (None, None, None));
    }

    #[test]
    fn what_is_written_out_is_read_again() {
        for text in ["37.9 N 122.3 W", "33.9 S 151.2 E", "0 N 0 E"] {
            let position = Position::parse(text).unwrap();
            assert_eq!(position.to_string(), text);
        }
        assert_eq!(spelled_longitude(-95.0), "95 W");
    }
}
