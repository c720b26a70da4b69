//! Statistics over repeated runs: mean, spread, Student's confidence interval of the mean, differences of pairs; bootstrap
//! intervals, quantiles, and how much of a run to leave out as warm-up. The only home of statistics in the project.
//! Only `+ - * /` and `sqrt`, so that every machine gets the same bits.
//! Source: M. Abramowitz, I. Stegun, *Handbook of Mathematical Functions* (1964), \[A&S\].
//!
//! Tests compare with values of scipy 1.17.1.

mod bootstrap;
mod normal;
mod quantiles;
mod warmup;

pub use bootstrap::{Bounds, bca, percentile};
pub use quantiles::quantile;
pub use warmup::mser5;

/// What several runs say about one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many values there are, at least one.
    pub n: usize,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean (Student's t); `None` for a single value.
    pub ci95: Option<f64>,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// Summarizes the values of one number over several runs; `None` where there are no values.
pub fn summarize(values: &[f64]) -> Option<Summary> {
    let first = *values.first()?;
    let n = values.len();
    Some(Summary {
        n,
        mean: mean(values),
        ci95: sample_sd(values).map(|sd| t975(n as u64 - 1) * sd / (n as f64).sqrt()),
        min: values.iter().copied().fold(first, f64::min),
        max: values.iter().copied().fold(first, f64::max),
    })
}

/// Summarizes the differences `a - b` of two variants, each pair under one seed: with common random numbers what both have
/// in common cancels, so that the interval is narrower than that of two independent means. `None` where there are no pairs.
pub fn paired(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Summary> {
    let differences: Vec<f64> = pairs.into_iter().map(|(a, b)| a - b).collect();
    summarize(&differences)
}

/// The arithmetic mean; 0 of no values. The mean of equal values is that value, exactly.
pub fn mean(values: &[f64]) -> f64 {
    moments(values).0
}

/// The sample standard deviation (divided by n - 1); `None` for fewer than two values.
pub fn sample_sd(values: &[f64]) -> Option<f64> {
    (values.len() >= 2).then(|| (moments(values).1 / (values.len() - 1) as f64).sqrt())
}

/// The 0.975 quantile of Student's t distribution: half the width of a 95 % interval in standard errors.
/// Correct to ten digits for every number of degrees of freedom.
///
/// # Panics
/// If `degrees_of_freedom` is 0: the distribution does not exist.
pub fn t975(degrees_of_freedom: u64) -> f64 {
    assert!(degrees_of_freedom > 0, "Student's t needs at least one degree of freedom");
    if degrees_of_freedom > EXACT_UP_TO {
        return t975_asymptotic(degrees_of_freedom as f64);
    }
    // The quantile lies between that of the normal distribution and that of one degree of freedom, 12.706…
    let (mut low, mut high) = (1.9, 13.0);
    loop {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if central_probability(middle, degrees_of_freedom) < 0.95 { low = middle } else { high = middle }
    }
}

/// Mean and sum of squared deviations, by Welford's recurrence.
fn moments(values: &[f64]) -> (f64, f64) {
    let (mut mean, mut squares) = (0.0, 0.0);
    for (i, x) in values.iter().enumerate() {
        let delta = x - mean;
        mean += delta / (i + 1) as f64;
        squares += delta * (x - mean);
    }
    (mean, squares)
}

/// A(t|ν), the probability of [-t, t] for t > 0: \[A&S\] 26.7.3 (ν odd) and 26.7.4 (ν even), with θ = atan(t/√ν).
fn central_probability(t: f64, nu: u64) -> f64 {
    let nu_f = nu as f64;
    let hypotenuse = (nu_f + t * t).sqrt();
    let (sin, cos) = (t / hypotenuse, nu_f.sqrt() / hypotenuse);
    let even = nu.is_multiple_of(2);
    // The terms of both series: each is the one before times cos² θ · k/(k+1).
    let mut term = if even { 1.0 } else { cos };
    let mut sum = 0.0;
    let mut k = if even { 1 } else { 2 };
    while k < nu {
        sum += term;
        term = term * (cos * cos) * k as f64 / (k + 1) as f64;
        k += 2;
    }
    if even { sin * sum } else { (FRAC_PI_2 - arctan(cos / sin) + sin * sum) / FRAC_PI_2 }
}

/// The arc tangent for x ≥ 0: halve the angle until it is small, then sum the power series.
fn arctan(x: f64) -> f64 {
    let mut small = x;
    for _ in 0..4 {
        small /= 1.0 + (1.0 + small * small).sqrt();
    }
    let square = small * small;
    let series = (0..12).rev().fold(0.0, |sum, k| 1.0 / (2 * k + 1) as f64 - square * sum);
    16.0 * small * series
}

/// \[A&S\] 26.7.5: the quantile as a series in 1/ν around that of the normal distribution.
fn t975_asymptotic(nu: f64) -> f64 {
    let z = 1.959_963_984_540_054;
    let z2 = z * z;
    let g1 = z * (z2 + 1.0) / 4.0;
    let g2 = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let g3 = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    let g4 = z * ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92_160.0;
    z + (g1 + (g2 + (g3 + g4 / nu) / nu) / nu) / nu
}

/// Above this many degrees of freedom the asymptotic series is as good as the exact one.
const EXACT_UP_TO: u64 = 200;
const FRAC_PI_2: f64 = std::f64::consts::FRAC_PI_2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        let known = [
            (1, 12.706_204_74),
            (2, 4.302_652_73),
            (3, 3.182_446_31),
            (4, 2.776_445_11),
            (9, 2.262_157_16),
            (29, 2.045_229_64),
            (30, 2.042_272_46),
            (100, 1.983_971_52),
            (1_000_000_000, 1.959_963_99),
        ];
        for (nu, t) in known {
            assert!((t975(nu) - t).abs() < 1e-8, "nu = {nu}: {} instead of {t}", t975(nu));
        }
    }

    #[test]
    fn one_and_two_degrees_of_freedom_agree_with_their_closed_forms() {
        // ν = 2: t = 0.95 √2 / √(1 - 0.95²)
        let two = 0.95 * 2f64.sqrt() / (1.0 - 0.95 * 0.95f64).sqrt();
        assert!((t975(2) - two).abs() < 1e-12);
        // ν = 1: t = tan(0.475 π), whose arc tangent is 0.475 π
        assert!((arctan(t975(1)) - 0.475 * std::f64::consts::PI).abs() < 1e-14);
    }

    #[test]
    fn the_exact_and_the_asymptotic_quantiles_meet() {
        for nu in [EXACT_UP_TO - 1, EXACT_UP_TO] {
            assert!((t975(nu) - t975_asymptotic(nu as f64)).abs() < 1e-10);
        }
        assert!(t975(EXACT_UP_TO) > t975(EXACT_UP_TO + 1));
    }

    #[test]
    fn a_summary_by_hand() {
        // 1, 2, 3, 4: mean 2.5, squared deviations 2.25 + 0.25 + 0.25 + 2.25 = 5, sd √(5/3),
        // half width 3.182446… · √(5/3) / 2 = 2.054261…
        let s = summarize(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((s.n, s.mean, s.min, s.max), (4, 2.5, 1.0, 4.0));
        assert!((s.ci95.unwrap() - 3.182_446_31 * (5.0f64 / 3.0).sqrt() / 2.0).abs() < 1e-8);
    }

    /// `ttest_1samp(...).confidence_interval()` and `t.ppf(0.975, nu)` of scipy.
    #[test]
    fn intervals_of_means_are_those_of_scipy() {
        let s = summarize(&SKEWED).unwrap();
        assert!((s.mean - 7.92).abs() < 1e-14 && (s.ci95.unwrap() - 1.648_186_727_133_866_8).abs() < 1e-9, "{s:?}");
        for (nu, t) in [(5, 2.570_581_835_636_314_6), (199, 1.971_956_544_251_753_3), (201, 1.971_836_506_779_859)] {
            assert!((t975(nu) - t).abs() < 1e-10, "nu = {nu}: {} instead of {t}", t975(nu));
        }
    }

    /// `ttest_rel(a, b).confidence_interval()` of scipy.
    #[test]
    fn differences_of_pairs_are_those_of_scipy() {
        let (a, b) = ([4.1, 3.8, 5.2, 4.4, 4.9], [3.9, 3.1, 4.8, 4.5, 4.0]);
        let s = paired(a.into_iter().zip(b)).unwrap();
        assert!((s.mean - 0.42).abs() < 1e-14 && (s.ci95.unwrap() - 0.491_987_326_113_540_3).abs() < 1e-9, "{s:?}");
        assert_eq!(paired([]), None);
    }

    /// Goodputs of ten runs, two of which had a timeout at an unlucky time.
    pub(super) const SKEWED: [f64; 10] = [9.1, 8.7, 9.3, 2.2, 9.0, 8.8, 9.4, 7.9, 9.2, 5.6];

    #[test]
    fn equal_values_have_an_interval_of_zero_and_one_value_has_none() {
        let s = summarize(&[0.1; 7]).unwrap();
        assert_eq!((s.mean, s.ci95), (0.1, Some(0.0)));
        assert_eq!(summarize(&[0.1]).unwrap().ci95, None);
        assert_eq!(summarize(&[]), None);
    }
}
