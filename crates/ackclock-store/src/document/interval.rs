//! One number over several runs, as the document says it.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::stats::{self, Summary};
use serde::{Deserialize, Serialize};

/// One number over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean; `null` for one run.
    pub ci95: Option<f64>,
    pub min: f64,
    pub max: f64,
}

impl From<Summary> for Interval {
    fn from(summary: Summary) -> Interval {
        Interval { mean: summary.mean, ci95: summary.ci95, min: summary.min, max: summary.max }
    }
}

impl Interval {
    /// The ends of the 95 % interval, cut to what the quantity can be, where it goes beyond; `None` where half its width
    /// says all of it. Where a value is larger than `most`, that is no limit: efficiencies refer to nominal capacities.
    pub fn cut(&self, least: f64, most: f64) -> Option<(f64, f64)> {
        let half = self.ci95.filter(|half| *half > 0.0)?;
        let most = if self.max > most * (1.0 + ROUNDING) { f64::INFINITY } else { most };
        // Rounding may leave a mean a little beyond.
        let (least, most) = (least.min(self.mean), most.max(self.mean));
        let (low, high) = (self.mean - half, self.mean + half);
        (low < least || high > most).then(|| (low.max(least), high.min(most)))
    }
}

/// What rounding adds to a share at most, of itself.
const ROUNDING: f64 = 1e-9;

/// One number of each item, summarized.
pub(crate) fn over<T>(items: &[T], number: impl Fn(&T) -> Option<f64>) -> Option<Interval> {
    // Most documents are of one run, which needs no list.
    if let [item] = items {
        return stats::summarize(&[number(item)?]).map(Interval::from);
    }
    let values: Option<Vec<f64>> = items.iter().map(number).collect();
    stats::summarize(&values?).map(Interval::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_cut_to_what_a_quantity_can_be() {
        let of = |mean: f64, half: f64, max: f64| Interval { mean, ci95: Some(half), min: 0.0, max };
        assert_eq!(of(0.9, 0.2, 1.0).cut(0.25, 1.0), Some((0.7, 1.0)));
        assert_eq!(of(0.5, 0.2, 1.0).cut(0.25, 1.0), None);
        assert_eq!(of(3.0, 4.0, 9.0).cut(0.0, f64::INFINITY), Some((0.0, 7.0)));
        // With an efficiency of more than 1 there is no such limit.
        assert_eq!(of(0.9, 0.2, 1.01).cut(0.0, 1.0), None);
        assert_eq!(of(0.9, 0.2, 1.0 + 1e-12).cut(0.0, 1.0).unwrap().1, 1.0);
        assert_eq!(of(1.0, 0.0, 1.0).cut(0.0, 1.0), None);
    }
}
