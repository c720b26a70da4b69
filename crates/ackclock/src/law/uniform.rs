//! Uniform: anywhere between two amounts.

use super::{AMOUNT, Draw, Mechanism};
use crate::keys::{Key, Misfit, Values};

/// X = least + (most − least) · U.
pub struct Uniform;

/// Its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformParams {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Mechanism for Uniform {
    const NAME: &'static str = "uniform";
    const ABOUT: &'static str = "Anywhere between two amounts, everywhere as often.";
    const KEYS: &'static [Key] = &[
        Key::required_as("least", AMOUNT, "\"0 s\"", "The least amount."),
        Key::required_as("most", AMOUNT, "\"2 s\"", "The largest amount."),
    ];
    type Params = UniformParams;

    fn params(values: &Values) -> Result<UniformParams, Misfit> {
        let (least, most) = (values.amount("least") as f64, values.amount("most") as f64);
        if least > most {
            let problem = "`least` is more than `most`".to_owned();
            return Err(Misfit { keys: &["least", "most"], problem, expected: "at most as much as `most`" });
        }
        Ok(UniformParams { least, most })
    }

    fn amount(params: &UniformParams, draw: Draw) -> f64 {
        params.least + (params.most - params.least) * draw.uniform()
    }

    fn mean(params: &UniformParams) -> Option<f64> {
        Some((params.least + params.most) / 2.0)
    }

    fn largest(params: &UniformParams) -> Option<f64> {
        Some(params.most)
    }

    fn is_random(params: &UniformParams) -> bool {
        params.least < params.most
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{drawn, quantiles};
    use super::*;

    #[test]
    fn everything_between_the_ends_is_as_likely() {
        let all = drawn::<Uniform>(&UniformParams { least: 500.0, most: 1500.0 });
        assert!((all.mean / 1000.0 - 1.0).abs() < 0.005, "{}", all.mean);
        assert!(all.sorted[0] >= 500.0 && all.sorted[all.sorted.len() - 1] <= 1500.0);
        quantiles(&all, &[(0.1, 600.0), (0.5, 1000.0), (0.9, 1400.0)], 0.01);
    }
}
