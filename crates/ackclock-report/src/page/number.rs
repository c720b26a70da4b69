//! Numbers for people: few digits, a prefix that fits, no-break spaces.

/// A number with a fixed count of decimals; digits before the point in groups of three from five digits on.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return if value == f64::INFINITY { "infinite".into() } else { "–".into() };
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (n, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && n > 0 && (whole.len() - n).is_multiple_of(3) {
            grouped.push(GROUP);
        }
        grouped.push(digit);
    }
    // Minus zero is zero.
    let negative = value < 0.0 && text.chars().any(|c| c.is_ascii_digit() && c != '0');
    let sign = if negative { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

/// What [`half_width`] says of a mean without any spread.
pub const EQUAL: &str = "equal";

/// What stands behind a mean for its accuracy: half the width of the interval, with a sign. A zero that was rounded is not
/// shown as one, and one that was not is no accuracy: all seeds have given the same.
pub fn half_width(half: f64, decimals: usize) -> String {
    let smallest = 0.1_f64.powi(decimals as i32);
    match half {
        0.0 => EQUAL.into(),
        half if half < smallest / 2.0 => format!("± <{}", fixed(smallest, decimals)),
        half => format!("± {}", fixed(half, decimals)),
    }
}

/// A mean of counts: whole where it is, and where a tenth says nothing.
pub fn count(value: f64) -> String {
    fixed(value, if value.fract() == 0.0 || value >= 1000.0 { 0 } else { 1 })
}

/// A share as a percentage, with enough decimals to tell something from nothing.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.005 {
        return "less than 0.01 %".into();
    }
    let decimals = match percent.abs() {
        p if p == 0.0 || (99.995..=100.0).contains(&p) => 0,
        p if p < 1.0 => 2,
        p if p < 99.0 => 1,
        _ => 2,
    };
    format!("{} %", fixed(percent, decimals))
}

/// A number of things: `1 flow`, `3 flows`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", fixed(count as f64, 0), if count == 1 { "" } else { "s" })
}

/// A quantity with three digits or so and a prefix that fits: `12.5 ms`, `155 Mb/s`.
pub fn quantity(value: f64, unit: &str) -> String {
    let scale = Scale::fitting(value.abs(), unit);
    let scaled = value * scale.factor;
    let decimals = match scaled.abs() {
        s if s >= 100.0 || s == 0.0 => 0,
        s if s >= 10.0 => 1,
        _ => 2,
    };
    format!("{} {}", fixed(scaled, decimals), scale.unit).trim_end().to_string()
}

/// How values are shown: multiplied, in a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What to multiply the value with.
    pub factor: f64,
    /// The unit after that.
    pub unit: String,
}

impl Scale {
    /// The value as it is.
    pub fn plain(unit: &str) -> Scale {
        Scale { factor: 1.0, unit: unit.into() }
    }

    /// The prefix that fits values of about `size`, given in bytes, seconds or bits per second.
    pub fn fitting(size: f64, unit: &str) -> Scale {
        let prefixes: &[(f64, &str)] = match unit {
            "bytes" => &[(1e9, "GB"), (1e6, "MB"), (1e4, "kB"), (0.0, "bytes")],
            "bit/s" => &[(1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (0.0, "b/s")],
            "s" => &[(1.0, "s"), (1e-3, "ms"), (0.0, "µs")],
            _ => return Scale::plain(if unit == "fraction" { "" } else { unit }),
        };
        // A value of nothing tells nothing: the unit itself.
        if size == 0.0 && unit == "s" {
            return Scale::plain("s");
        }
        let (_, name) = prefixes.iter().find(|(from, _)| size >= *from).unwrap_or(&prefixes[prefixes.len() - 1]);
        let factor = match *name {
            "GB" | "Gb/s" => 1e-9,
            "MB" | "Mb/s" => 1e-6,
            "kB" | "kb/s" => 1e-3,
            "ms" => 1e3,
            "µs" => 1e6,
            _ => 1.0,
        };
        Scale { factor, unit: name.to_string() }
    }
}

/// A narrow no-break space.
const GROUP: char = '\u{202f}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_five_on() {
        assert_eq!(fixed(1234.0, 0), "1234");
        assert_eq!(fixed(12345.67, 1), "12\u{202f}345.7");
        assert_eq!(fixed(-1234567.0, 0), "−1\u{202f}234\u{202f}567");
        assert_eq!((fixed(-0.001, 1), fixed(0.0, 3)), ("0.0".into(), "0.000".into()));
        assert_eq!((fixed(f64::INFINITY, 2), fixed(f64::NAN, 2)), ("infinite".into(), "–".into()));
    }

    #[test]
    fn an_accuracy_is_no_zero() {
        let half = [0.0, 0.0004, 0.0006, 1234.5].map(|half| half_width(half, 3));
        assert_eq!(half, ["equal", "± <0.001", "± 0.001", "± 1234.500"]);
    }

    #[test]
    fn counts_are_whole_where_they_are() {
        assert_eq!((count(3.0), count(3.26)), ("3".into(), "3.3".into()));
        assert_eq!((plural(1, "seed"), plural(0, "seed")), ("1 seed".into(), "0 seeds".into()));
    }

    #[test]
    fn shares_near_nothing_and_near_all_keep_their_difference() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.0012), "0.12 %");
        assert_eq!(percent(0.00001), "less than 0.01 %");
        assert_eq!(percent(0.231), "23.1 %");
        assert_eq!(percent(0.9988), "99.88 %");
        assert_eq!(percent(1.0), "100 %");
    }

    #[test]
    fn the_prefix_fits() {
        assert_eq!(quantity(0.0125, "s"), "12.5 ms");
        assert_eq!(quantity(1.55e8, "bit/s"), "155 Mb/s");
        assert_eq!(quantity(9180.0, "bytes"), "9180 bytes");
        assert_eq!(quantity(65535.0, "bytes"), "65.5 kB");
        assert_eq!(quantity(0.0, "s"), "0 s");
        assert_eq!(quantity(767.0, "cells"), "767 cells");
    }
}
