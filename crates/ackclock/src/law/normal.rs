//! Normal, by the polar method of Marsaglia and Bray (1964); what would be below zero is zero.

use super::{AMOUNT, Draw, Mechanism};
use crate::exact::{exponential, natural_logarithm};
use crate::keys::{Key, Misfit, Values};

/// X = max(0, mean + deviation · Z).
pub struct Normal;

/// Its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalParams {
    /// The mean, before what is below zero becomes zero.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl Mechanism for Normal {
    const NAME: &'static str = "normal";
    const ABOUT: &'static str = "Normal; what would be below zero is zero.";
    const KEYS: &'static [Key] = &[
        Key::required_as("mean", AMOUNT, "\"10 ms\"", "The mean, before what is below zero becomes zero."),
        Key::required_as("deviation", AMOUNT, "\"2 ms\"", "The standard deviation."),
    ];
    type Params = NormalParams;

    fn params(values: &Values) -> Result<NormalParams, Misfit> {
        Ok(NormalParams { mean: values.amount("mean") as f64, deviation: values.amount("deviation") as f64 })
    }

    fn amount(params: &NormalParams, draw: Draw) -> f64 {
        (params.mean + params.deviation * standard(draw)).max(0.0)
    }

    /// Of what is zero where it would be below: m Φ(m/d) + d φ(m/d).
    fn mean(params: &NormalParams) -> Option<f64> {
        let &NormalParams { mean, deviation } = params;
        // Beyond eight deviations what is below zero is less than the last digit.
        if mean >= 8.0 * deviation {
            return Some(mean);
        }
        let (below, density) = up_to(mean / deviation);
        Some(mean * below + deviation * density)
    }

    fn largest(_params: &NormalParams) -> Option<f64> {
        None
    }

    fn is_random(params: &NormalParams) -> bool {
        params.deviation > 0.0
    }
}

/// Φ(x) and φ(x) of the standard normal law, for x from 0 to 8: Φ(x) = 1/2 + φ(x) (x + x³/3 + x⁵/(3·5) + …).
fn up_to(x: f64) -> (f64, f64) {
    let density = exponential(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
    let (mut sum, mut term, mut odd) = (0.0, x, 1.0);
    while term > 1e-17 * sum {
        sum += term;
        odd += 2.0;
        term *= x * x / odd;
    }
    (0.5 + density * sum, density)
}

/// A standard normal number: of points that are uniform in a square the first within the unit circle.
pub(super) fn standard(draw: Draw) -> f64 {
    let mut next = draw;
    // Of four points three are within; after sixty-four something else is wrong.
    for _ in 0..64 {
        let (x, y) = (2.0 * next.uniform() - 1.0, 2.0 * next.another().uniform() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * natural_logarithm(square) / square).sqrt();
        }
        next = next.another().another();
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::super::tests::{drawn, quantiles};
    use super::*;

    /// Quantiles of the standard normal law: z(0.9) = 1.28155, z(0.99) = 2.32635.
    #[test]
    fn the_mean_and_the_quantiles_are_those_of_the_law() {
        let all = drawn::<Normal>(&NormalParams { mean: 1000.0, deviation: 200.0 });
        assert!((all.mean / 1000.0 - 1.0).abs() < 0.003, "{}", all.mean);
        let expected = [(0.01, 534.73), (0.1, 743.69), (0.5, 1000.0), (0.9, 1256.31), (0.99, 1465.27)];
        quantiles(&all, &expected, 0.01);
    }

    #[test]
    fn half_of_a_law_around_zero_is_zero() {
        let all = drawn::<Normal>(&NormalParams { mean: 0.0, deviation: 200.0 });
        let zeros = all.sorted.iter().filter(|&&x| x == 0.0).count();
        assert!(zeros.abs_diff(all.sorted.len() / 2) < 1000, "{zeros}");
    }

    /// Φ(0.5) = 0.691462, φ(0.5) = 0.352065; Φ(1) = 0.841345, φ(1) = 0.241971; Φ(4) = 0.999968, φ(4) = 0.000134.
    #[test]
    fn the_mean_is_that_of_what_is_drawn() {
        for (mean, deviation, expected) in [
            (0.0, 1000.0, 398.942),
            (500.0, 1000.0, 697.796),
            (1000.0, 1000.0, 1083.315),
            (1000.0, 300.0, 1000.034),
            (4000.0, 1000.0, 4000.007),
            (8000.0, 1000.0, 8000.0),
            (5.0, 0.0, 5.0),
            (0.0, 0.0, 0.0),
        ] {
            let params = NormalParams { mean, deviation };
            let (found, all) = (Normal::mean(&params).unwrap(), drawn::<Normal>(&params));
            assert!((found - expected).abs() < 1e-3, "{params:?}: {found}");
            // Five times the standard error of 10⁵ draws.
            assert!((all.mean - found).abs() <= 0.016 * deviation, "{params:?}: {} {found}", all.mean);
        }
    }
}
