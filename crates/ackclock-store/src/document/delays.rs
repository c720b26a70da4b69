//! How often each delay occurred, as the document says it: number, mean, and the percentiles that people ask for.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::Histogram;
use serde::{Deserialize, Serialize};

use super::interval::{Interval, over};

/// Delays of one run. Mean, smallest and largest are exact, the others to within 0.4 % of themselves; `null` of no delays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delays {
    pub count: u64,
    pub mean_s: Option<f64>,
    pub min_s: Option<f64>,
    pub p50_s: Option<f64>,
    pub p95_s: Option<f64>,
    pub p99_s: Option<f64>,
    pub max_s: Option<f64>,
    /// What [`PER_MILLE`] thousandths of all delays do not exceed, in that order.
    pub quantiles_s: Vec<f64>,
}

/// Of which quantiles a distribution is drawn, in thousandths.
pub const PER_MILLE: [u32; 21] =
    [1, 5, 10, 20, 50, 100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 950, 980, 990, 995, 999, 1000];

/// Delays over several runs: of each number its mean over the runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DelaySummary {
    pub count: Interval,
    pub mean_s: Option<Interval>,
    pub min_s: Option<Interval>,
    pub p50_s: Option<Interval>,
    pub p95_s: Option<Interval>,
    pub p99_s: Option<Interval>,
    pub max_s: Option<Interval>,
}

impl From<&Histogram> for Delays {
    fn from(histogram: &Histogram) -> Delays {
        let quantile = |per_mille| histogram.quantile(per_mille).map(|delay| delay.as_secs_f64());
        Delays {
            count: histogram.count(),
            mean_s: histogram.mean_s(),
            min_s: histogram.min().map(|delay| delay.as_secs_f64()),
            p50_s: quantile(500),
            p95_s: quantile(950),
            p99_s: quantile(990),
            max_s: histogram.max().map(|delay| delay.as_secs_f64()),
            quantiles_s: PER_MILLE.into_iter().filter_map(quantile).collect(),
        }
    }
}

impl DelaySummary {
    /// The delays of the parts of several runs, if all have them.
    pub fn of<'a, T: 'a>(parts: &[&'a T], delays: impl Fn(&'a T) -> &'a Option<Delays>) -> Option<DelaySummary> {
        let delays: Vec<&Delays> = parts.iter().map(|part| delays(part).as_ref()).collect::<Option<_>>()?;
        Some(DelaySummary {
            count: over(&delays, |delays| Some(delays.count as f64))?,
            mean_s: over(&delays, |delays| delays.mean_s),
            min_s: over(&delays, |delays| delays.min_s),
            p50_s: over(&delays, |delays| delays.p50_s),
            p95_s: over(&delays, |delays| delays.p95_s),
            p99_s: over(&delays, |delays| delays.p99_s),
            max_s: over(&delays, |delays| delays.max_s),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::units::Span;

    #[test]
    fn of_no_delays_there_is_no_percentile() {
        let delays = Delays::from(&Histogram::default());
        assert_eq!((delays.count, delays.mean_s, delays.p99_s, delays.quantiles_s.len()), (0, None, None, 0));
    }

    #[test]
    fn percentiles_are_in_seconds() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|ms| histogram.add(Span::from_ms(ms), 1));
        let delays = Delays::from(&histogram);
        assert_eq!((delays.count, delays.min_s, delays.max_s), (1000, Some(0.001), Some(1.0)));
        for (found, exact) in [(delays.p50_s, 0.5), (delays.p95_s, 0.95), (delays.p99_s, 0.99), (delays.mean_s, 0.5005)]
        {
            assert!((found.unwrap() - exact).abs() <= exact / 256.0, "{found:?}");
        }
        assert_eq!(delays.quantiles_s.len(), PER_MILLE.len());
        let summary = DelaySummary::of(&[&Some(delays.clone()), &Some(delays)], |delays| delays).unwrap();
        assert_eq!(summary.max_s.unwrap().ci95, Some(0.0));
        assert_eq!(DelaySummary::of(&[&None], |delays| delays), None);
    }
}
