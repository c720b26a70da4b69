//! Constant: always the same amount.

use super::{AMOUNT, Draw, Mechanism};
use crate::keys::{Key, Misfit, Values};

/// Always the same.
pub struct Constant;

impl Mechanism for Constant {
    const NAME: &'static str = "constant";
    const ABOUT: &'static str = "Always the same.";
    const KEYS: &'static [Key] = &[Key::required_as("value", AMOUNT, "\"1 s\"", "What it always is.")];
    type Params = f64;

    fn params(values: &Values) -> Result<f64, Misfit> {
        Ok(values.amount("value") as f64)
    }

    fn amount(value: &f64, _draw: Draw) -> f64 {
        *value
    }

    fn mean(value: &f64) -> Option<f64> {
        Some(*value)
    }

    fn largest(value: &f64) -> Option<f64> {
        Some(*value)
    }

    fn is_random(_value: &f64) -> bool {
        false
    }
}
