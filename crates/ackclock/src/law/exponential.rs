//! Exponential: P(X > x) = e^(−x/mean), by inversion. What comes at such intervals is a Poisson process.

use super::{AMOUNT, Draw, Mechanism};
use crate::exact::natural_logarithm;
use crate::keys::{Key, Misfit, Values};

/// X = −mean · ln U.
pub struct Exponential;

impl Mechanism for Exponential {
    const NAME: &'static str = "exponential";
    const ABOUT: &'static str = "Exponential, without memory; what comes at such intervals is a Poisson process.";
    const KEYS: &'static [Key] = &[Key::required_as("mean", AMOUNT, "\"1 s\"", "The mean.")];
    type Params = f64;

    fn params(values: &Values) -> Result<f64, Misfit> {
        Ok(values.amount("mean") as f64)
    }

    fn amount(mean: &f64, draw: Draw) -> f64 {
        mean * -natural_logarithm(draw.uniform())
    }

    fn mean(mean: &f64) -> Option<f64> {
        Some(*mean)
    }

    fn largest(_mean: &f64) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{drawn, quantiles};
    use super::*;

    /// Quantiles of −ln(1 − q): 0.28768, 0.69315, 2.30259, 4.60517.
    #[test]
    fn the_mean_and_the_quantiles_are_those_of_the_law() {
        let all = drawn::<Exponential>(&1000.0);
        // The deviation is the mean: three hundredths of it for 10⁵ draws are ten times its standard error.
        assert!((all.mean / 1000.0 - 1.0).abs() < 0.01, "{}", all.mean);
        quantiles(&all, &[(0.25, 287.68), (0.5, 693.15), (0.9, 2302.59), (0.99, 4605.17)], 0.03);
    }
}
