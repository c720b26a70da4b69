//! Log-normal: e^(μ + σ Z). Given are mean m and standard deviation d: σ² = ln(1 + d²/m²), μ = ln m − σ²/2.

use super::normal::standard;
use super::{AMOUNT, Draw, Mechanism};
use crate::exact::{exponential, natural_logarithm};
use crate::keys::{Key, Misfit, Values};

/// X = e^(μ + σ Z).
pub struct LogNormal;

/// Its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormalParams {
    /// The mean.
    pub mean: f64,
    /// μ: the mean of the logarithm of an amount.
    pub mu: f64,
    /// σ: the standard deviation of that logarithm.
    pub sigma: f64,
}

impl LogNormalParams {
    /// Of a law with this mean, above zero, and this standard deviation.
    pub fn new(mean: f64, deviation: f64) -> LogNormalParams {
        let ratio = deviation / mean;
        let variance = natural_logarithm(1.0 + ratio * ratio);
        LogNormalParams { mean, mu: natural_logarithm(mean) - variance / 2.0, sigma: variance.sqrt() }
    }
}

impl Mechanism for LogNormal {
    const NAME: &'static str = "log-normal";
    const ABOUT: &'static str = "Log-normal: its logarithm is normal; most are small, and some are large.";
    const KEYS: &'static [Key] = &[
        Key::required_as("mean", AMOUNT, "\"10 kB\"", "The mean."),
        Key::required_as("deviation", AMOUNT, "\"25 kB\"", "The standard deviation, of the amounts themselves."),
    ];
    type Params = LogNormalParams;

    fn params(values: &Values) -> Result<LogNormalParams, Misfit> {
        let (mean, deviation) = (values.amount("mean") as f64, values.amount("deviation") as f64);
        if mean == 0.0 {
            let problem = "`mean` is zero, and amounts of this law are above it".to_owned();
            return Err(Misfit { keys: &["mean"], problem, expected: "more than zero" });
        }
        Ok(LogNormalParams::new(mean, deviation))
    }

    fn amount(params: &LogNormalParams, draw: Draw) -> f64 {
        exponential(params.mu + params.sigma * standard(draw))
    }

    fn mean(params: &LogNormalParams) -> Option<f64> {
        Some(params.mean)
    }

    fn largest(_params: &LogNormalParams) -> Option<f64> {
        None
    }

    fn is_random(params: &LogNormalParams) -> bool {
        params.sigma > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{drawn, quantiles};
    use super::*;

    /// Mean 1000 and deviation 500: σ² = ln 1.25 = 0.223144, μ = 6.907755 − 0.111572 = 6.796183; quantiles e^(μ + 0.472381 z).
    #[test]
    fn the_mean_and_the_quantiles_are_those_of_the_law() {
        let params = LogNormalParams::new(1000.0, 500.0);
        assert!((params.mu - 6.796_183).abs() < 1e-6 && (params.sigma - 0.472_381).abs() < 1e-6, "{params:?}");
        let all = drawn::<LogNormal>(&params);
        assert!((all.mean / 1000.0 - 1.0).abs() < 0.01, "{}", all.mean);
        quantiles(&all, &[(0.1, 488.2), (0.5, 894.43), (0.9, 1638.6), (0.99, 2683.8)], 0.02);
    }

    /// The main objects of 3GPP2's model of pages: mean 10 710, deviation 25 032 are μ = 8.346, σ = 1.366.
    #[test]
    fn its_parameters_are_those_of_a_published_pair() {
        let params = LogNormalParams::new(10_710.0, 25_032.0);
        assert!((params.mu - 8.346).abs() < 5e-4 && (params.sigma - 1.366).abs() < 5e-4, "{params:?}");
    }
}
