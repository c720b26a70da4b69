//! One number over several runs, as the document says it.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::stats::{self, Summary};
use serde::{Deserialize, Serialize};

/// One number over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// says all of it.
    pub fn cut(&self, least: f64, most: f64) -> Option<(f64, f64)> {
        let half = self.ci95.filter(|half| *half > 0.0)?;
        // Rounding may leave a mean a little beyond.
        let (least, most) = (least.min(self.mean), most.max(self.mean));
        let (low, high) = (self.mean - half, self.mean + half);
        (low < least || high > most).then(|| (low.max(least), high.min(most)))
    }
}

/// One number of each item, summarized.
pub(crate) fn over<T>(items: &[T], number: impl Fn(&T) -> Option<f64>) -> Option<Interval> {
    let values: Option<Vec<f64>> = items.iter().map(number).collect();
    stats::summarize(&values?).map(Interval::from)
}
