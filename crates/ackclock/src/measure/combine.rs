//! How the values of several flows, sources or ports become one number.

use super::Range;
use crate::record::metrics::jain;
use crate::record::stats::sample_sd;

/// What is made of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// All of them added up.
    Sum,
    /// The arithmetic mean; each flow counts alike, whatever it sent.
    Mean,
    /// The smallest of them, whichever flow has it.
    Least,
    /// The largest of them, whichever flow has it.
    Largest,
    /// The largest less the smallest.
    Range,
    /// The standard deviation, as of a sample.
    Deviation,
    /// Jain's index.
    Jain,
}

impl Combine {
    /// Their names in expressions.
    pub const NAMES: [(&'static str, Combine); 7] = [
        ("sum", Combine::Sum),
        ("mean", Combine::Mean),
        ("least", Combine::Least),
        ("largest", Combine::Largest),
        ("range", Combine::Range),
        ("deviation", Combine::Deviation),
        ("jain", Combine::Jain),
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Combine> {
        Combine::NAMES.iter().find(|(known, _)| *known == name).map(|(_, combine)| *combine)
    }

    pub(super) fn name(self) -> &'static str {
        Combine::NAMES.iter().find(|(_, combine)| *combine == self).map_or("", |(name, _)| name)
    }

    /// Of these values; `None` where it has no meaning: of no values, and Jain's index where nobody has anything.
    pub fn of(self, values: &[f64]) -> Option<f64> {
        if values.is_empty() {
            return None;
        }
        let least = || values.iter().copied().reduce(f64::min);
        let largest = || values.iter().copied().reduce(f64::max);
        match self {
            Combine::Sum => Some(values.iter().sum()),
            Combine::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
            Combine::Least => least(),
            Combine::Largest => largest(),
            Combine::Range => Some(largest()? - least()?),
            Combine::Deviation => sample_sd(values),
            Combine::Jain => jain(values.iter().copied()),
        }
    }

    /// What the number can be, of values that can be in `range`.
    pub(super) fn range(self, range: Range) -> Range {
        match self {
            Combine::Mean | Combine::Least | Combine::Largest => range,
            Combine::Sum | Combine::Range | Combine::Deviation => Range::AtLeast0,
            Combine::Jain => Range::Index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_one_as_by_hand() {
        let of = |combine: Combine| combine.of(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!((of(Combine::Sum), of(Combine::Mean), of(Combine::Range)), (9.0, 3.0, 5.0));
        assert_eq!((of(Combine::Least), of(Combine::Largest)), (1.0, 6.0));
        // Squares of the distances from 3: 4, 1, 9; over two. (1 + 2 + 6)² / (3 · 41) = 81 / 123.
        assert_eq!((of(Combine::Deviation), of(Combine::Jain)), (7.0_f64.sqrt(), 81.0 / 123.0));
        assert!(Combine::NAMES.iter().all(|(_, combine)| combine.of(&[]).is_none()));
        assert_eq!(Combine::Jain.of(&[0.0, 0.0]), None);
    }
}
