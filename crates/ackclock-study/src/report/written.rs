//! Numbers of a claim in words: in a unit that fits, with as many digits as tell them apart.

use ackclock_report::page::number::Scale;

/// How the numbers of one claim are written, so that they can be compared with each other.
pub(crate) struct Written {
    scale: Scale,
    /// Significant digits.
    digits: usize,
}

impl Written {
    /// For these measured values and bounds, given in a unit of [`MetricName::unit`](crate::measure::MetricName::unit).
    pub fn of(unit: &str, values: &[f64], bounds: &[f64]) -> Written {
        let finite = || values.iter().chain(bounds).copied().filter(|value| value.is_finite());
        let scale = Scale::fitting(finite().map(f64::abs).fold(0.0, f64::max), unit);
        let mut written = Written { scale, digits: DIGITS };
        // Different numbers look different, unless they differ in what rounding leaves.
        let looks_equal = |written: &Written, (one, other): (f64, f64)| {
            one != other && written.digits_of(one) == written.digits_of(other)
        };
        let pairs: Vec<(f64, f64)> =
            finite().enumerate().flat_map(|(n, one)| finite().skip(n + 1).map(move |other| (one, other))).collect();
        while written.digits < MOST_DIGITS && pairs.iter().any(|pair| looks_equal(&written, *pair)) {
            written.digits += 1;
        }
        written
    }

    /// A measured number with its unit.
    pub fn number(&self, value: Option<f64>) -> String {
        value.map_or("undefined".into(), |value| self.with_unit(self.digits_of(value)))
    }

    /// A range of measured numbers with their unit.
    pub fn range(&self, least: f64, most: f64) -> String {
        self.with_unit(format!("{} to {}", self.digits_of(least), self.digits_of(most)))
    }

    /// A measured number, half the width of its interval, and their unit; or the ends of an interval that goes beyond what the
    /// quantity can be, cut to that.
    pub fn interval(&self, value: f64, half: f64, (least, most): (f64, f64)) -> String {
        // What rounding leaves is no spread.
        let half = if half > value.abs() * 1e-12 { half } else { 0.0 };
        let (low, high) = (value - half, value + half);
        if half > 0.0 && (low < least || high > most) {
            let ends = [low.max(least), high.min(most)].map(|end| significant(end * self.scale.factor, DIGITS_OF_HALF));
            return self.with_unit(format!("{} ({} to {})", self.digits_of(value), ends[0], ends[1]));
        }
        let half = significant(half * self.scale.factor, DIGITS_OF_HALF);
        self.with_unit(format!("{} ±{half}", self.digits_of(value)))
    }

    /// A bound, which was not measured, with its unit: all of its digits.
    pub fn bound(&self, value: f64) -> String {
        self.with_unit(self.exact(value))
    }

    /// Two bounds with their unit.
    pub fn bounds(&self, from: f64, to: f64) -> String {
        self.with_unit(format!("{} to {}", self.exact(from), self.exact(to)))
    }

    fn exact(&self, bound: f64) -> String {
        let scaled = bound * self.scale.factor;
        // The product may have a digit that the bound has not.
        let rounded = (scaled * 1e9).round() / 1e9;
        if rounded == 0.0 { scaled.to_string() } else { rounded.to_string() }
    }

    fn digits_of(&self, value: f64) -> String {
        significant(value * self.scale.factor, self.digits)
    }

    fn with_unit(&self, number: String) -> String {
        if self.scale.unit.is_empty() { number } else { format!("{number} {}", self.scale.unit) }
    }
}

/// A number with this many significant digits; whole ones, which are counts, have all of theirs.
fn significant(value: f64, digits: usize) -> String {
    if value.fract() == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded = format!("{:.*e}", digits - 1, value);
    let exponent: i32 =
        rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).expect("`{:e}` has one");
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    if exponent < SMALLEST { rounded } else { format!("{value:.decimals$}") }
}

const DIGITS: usize = 4;
const DIGITS_OF_HALF: usize = 2;
/// More tell nothing: they are what rounding leaves.
const MOST_DIGITS: usize = 9;
/// The power of ten below which numbers are written with it.
const SMALLEST: i32 = -6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_a_unit_that_fits_and_their_counts_whole() {
        let rates = Written::of("bit/s", &[53_342_502.4, 134_720_309.6], &[70e6]);
        assert_eq!(rates.number(Some(53_342_502.4)), "53.34 Mb/s");
        assert_eq!(rates.number(Some(134_720_309.6)), "134.7 Mb/s");
        assert_eq!(
            (rates.bound(70e6), rates.interval(53_342_502.4, 64_056.0, ANY)),
            ("70 Mb/s".into(), "53.34 ±0.064 Mb/s".into())
        );
        let times = Written::of("s", &[0.025], &[0.017, 0.021]);
        assert_eq!((times.number(Some(0.0251)), times.bounds(0.017, 0.021)), ("25.10 ms".into(), "17 to 21 ms".into()));
        assert_eq!(times.interval(0.0251, 1e-18, ANY), "25.10 ±0 ms");
        let ratios = Written::of("", &[0.000_087_2], &[0.0003]);
        assert_eq!((ratios.number(Some(0.000_087_2)), ratios.bound(0.0003)), ("0.00008720".into(), "0.0003".into()));
        assert_eq!(Written::of("", &[2.5e-9], &[]).number(Some(2.5e-9)), "2.500e-9");
        assert_eq!(Written::of("segments", &[1836.0, 2095.0], &[]).range(1836.0, 2095.0), "1836 to 2095 segments");
        assert_eq!((ratios.number(None), ratios.interval(0.0, 0.0, ANY)), ("undefined".into(), "0 ±0".into()));
    }

    /// .3474 of a share, give or take 1.8, is all that a share can be.
    #[test]
    fn an_interval_says_no_more_than_the_quantity_can_be() {
        let share = Written::of("", &[0.3474], &[0.5]);
        assert_eq!(share.interval(0.3474, 1.8, (0.0, 1.0)), "0.3474 (0 to 1)");
        assert_eq!(share.interval(0.3474, 0.2, (0.0, 1.0)), "0.3474 ±0.20");
        let rate = Written::of("bit/s", &[1.2e6], &[]);
        assert_eq!(rate.interval(1.2e6, 1.3e6, (0.0, f64::INFINITY)), "1.200 (0 to 2.5) Mb/s");
        assert_eq!(rate.interval(1.2e6, 1.3e6, ANY), "1.200 ±1.3 Mb/s", "a difference may be negative");
    }

    const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    /// Four digits of 10.814 and 10.812 are the same, five are not.
    #[test]
    fn different_numbers_look_different() {
        let written = Written::of("s", &[0.010_814, 0.010_812], &[]);
        assert_eq!([0.010_814, 0.010_812].map(|value| written.number(Some(value))), ["10.814 ms", "10.812 ms"]);
        let bound = Written::of("", &[0.969_96], &[0.97]);
        assert_eq!(bound.number(Some(0.969_96)), "0.96996");
        let equal = Written::of("", &[0.3, 0.1 + 0.2], &[]);
        assert_eq!(equal.number(Some(0.3)), "0.300000000", "what rounding leaves is no difference");
    }
}
