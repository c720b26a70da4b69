//! Normal, by the polar method of Marsaglia and Bray (1964); what would be below zero is zero.

use super::{AMOUNT, Draw, Mechanism};
use crate::exact::natural_logarithm;
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

    /// Beyond four deviations what is below zero makes no difference that anybody could see; before, the mean is not that which was
    /// asked for, and is not said.
    fn mean(params: &NormalParams) -> Option<f64> {
        (params.mean >= 4.0 * params.deviation).then_some(params.mean)
    }

    fn largest(_params: &NormalParams) -> Option<f64> {
        None
    }

    fn is_random(params: &NormalParams) -> bool {
        params.deviation > 0.0
    }
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
        assert_eq!(Normal::mean(&NormalParams { mean: 1.0, deviation: 0.26 }), None);
        assert_eq!(Normal::mean(&NormalParams { mean: 1.0, deviation: 0.25 }), Some(1.0));
    }
}
