//! Laws: how amounts are distributed that differ from one to the next, as times on and off, sizes, delays. An amount is a number of
//! picoseconds or octets. Each draw is a function of 64 random bits and of its ordinal; whoever draws has a stream of its own.
//!
//! To add one: one file and one line in `family.rs`.

mod constant;
mod exponential;
mod family;
mod listed;
mod log_normal;
mod normal;
mod pareto;
mod uniform;

pub use family::*;

use crate::keys::{Key, Kind, Limit, Misfit, Values};
use crate::rng::mix;
use crate::units::Span;

/// A law as a member of the family: what it says of itself, and what it draws.
pub trait Mechanism {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters. Amounts may be times or sizes here; where a law is used it is known which.
    const KEYS: &'static [Key];
    /// Its parameters, checked.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;

    /// Its parameters.
    ///
    /// # Errors
    /// If they do not fit together.
    fn params(values: &Values) -> Result<Self::Params, Misfit>;

    /// An amount, not below zero.
    fn amount(params: &Self::Params, draw: Draw) -> f64;

    /// The mean of all amounts; `None` if there is none.
    fn mean(params: &Self::Params) -> Option<f64>;

    /// The largest amount, if there is one.
    fn largest(params: &Self::Params) -> Option<f64>;

    /// Whether random numbers make a difference.
    fn is_random(_params: &Self::Params) -> bool {
        true
    }
}

/// What an amount is made of.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    bits: u64,
    /// The ordinal of the amount, from 0.
    pub ordinal: u64,
}

impl Draw {
    /// Of these random bits, for the amount of this ordinal.
    pub fn new(bits: u64, ordinal: u64) -> Draw {
        Draw { bits, ordinal }
    }

    /// A number from 2^−53 to 1.
    pub fn uniform(self) -> f64 {
        ((self.bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below this.
    pub fn below(self, bound: usize) -> usize {
        ((u128::from(self.bits) * bound as u128) >> 64) as usize
    }

    /// Other random bits for the same amount.
    pub fn another(self) -> Draw {
        Draw { bits: mix(self.bits.wrapping_add(0x9e37_79b9_7f4a_7c15)), ..self }
    }
}

/// A time or a size.
const AMOUNT: Kind = Kind::Quantities(AMOUNTS);
const AMOUNTS: &[Limit] =
    &[Limit::time(Span::ZERO, LONGEST), Limit { dimension: crate::keys::Dimension::Size, min: 0, max: 1 << 40 }];
/// A time or a size, or none.
const AMOUNT_OR_NONE: Kind = Kind::Or(&AMOUNT, &["none"]);
/// Longer than any run.
pub(crate) const LONGEST: Span = Span::from_secs(720 * 3_600);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// What a law has drawn.
    pub(super) struct Drawn {
        pub(super) mean: f64,
        pub(super) sorted: Vec<f64>,
    }

    /// 10⁵ amounts of a law.
    pub(super) fn drawn<M: Mechanism>(params: &M::Params) -> Drawn {
        let draws = Stream::new(1, M::NAME, "law");
        let mut sorted: Vec<f64> = (0..100_000).map(|n| M::amount(params, Draw::new(draws.at(n), n))).collect();
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        sorted.sort_unstable_by(f64::total_cmp);
        Drawn { mean, sorted }
    }

    /// Each quantile is what it should be, to this part of it.
    pub(super) fn quantiles(all: &Drawn, expected: &[(f64, f64)], tolerance: f64) {
        for &(share, expected) in expected {
            let found = all.sorted[(share * all.sorted.len() as f64) as usize];
            assert!((found / expected - 1.0).abs() < tolerance, "quantile {share}: {found} instead of {expected}");
        }
    }
}
