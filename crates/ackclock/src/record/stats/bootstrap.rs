//! Bootstrap intervals: what a statistic of the values of few runs could have been, without an assumption on their distribution.
//! Source: B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap* (1993), \[ET93\].

use super::normal;
use super::quantiles::quantile;
use crate::rng::Stream;

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The percentile interval of a statistic, \[ET93\] §13.3: what lies between the quantiles `(1 - level) / 2` and
/// `(1 + level) / 2` of the statistic over `resamples` lists drawn from the values with replacement. `None` of fewer than
/// two values. The same stream gives the same interval.
///
/// # Panics
/// If `resamples` is 0, or `level` is not between 0 and 1.
pub fn percentile(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    level: f64,
    resamples: usize,
    stream: Stream,
) -> Option<Bounds> {
    let replicates = replicates(values, &statistic, level, resamples, stream)?;
    let at = |p: f64| quantile(&replicates, p).expect("there are resamples");
    Some(Bounds { low: at((1.0 - level) / 2.0), high: at((1.0 + level) / 2.0) })
}

/// The interval BCa of a statistic, \[ET93\] §14.3: the percentile interval, corrected for the bias of the statistic and for
/// how its spread changes with its value. `None` of fewer than two values. The same stream gives the same interval.
///
/// # Panics
/// If `resamples` is 0, or `level` is not between 0 and 1.
pub fn bca(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    level: f64,
    resamples: usize,
    stream: Stream,
) -> Option<Bounds> {
    let replicates = replicates(values, &statistic, level, resamples, stream)?;
    let observed = statistic(values);
    let count = replicates.len() as f64;
    // Of replicates that are equal to it, half count as below.
    let below = replicates.partition_point(|replicate| *replicate < observed) as f64;
    let upto = replicates.partition_point(|replicate| *replicate <= observed) as f64;
    let share = ((below + upto) / (2.0 * count)).clamp(0.5 / count, 1.0 - 0.5 / count);
    let bias = normal::quantile(share);
    let acceleration = acceleration(values, &statistic);
    let at = |p: f64| {
        let shifted = bias + normal::quantile(p);
        let corrected = normal::cdf(bias + shifted / (1.0 - acceleration * shifted));
        quantile(&replicates, corrected).expect("there are resamples")
    };
    Some(Bounds { low: at((1.0 - level) / 2.0), high: at((1.0 + level) / 2.0) })
}

/// The statistic of each resample, in ascending order.
fn replicates(
    values: &[f64],
    statistic: &impl Fn(&[f64]) -> f64,
    level: f64,
    resamples: usize,
    stream: Stream,
) -> Option<Vec<f64>> {
    assert!(level > 0.0 && level < 1.0 && resamples > 0, "an interval needs a level and resamples");
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mut resample = vec![0.0; n];
    let one = |round: usize| {
        for (place, value) in resample.iter_mut().enumerate() {
            *value = values[stream.below(n as u64, (round * n + place) as u64) as usize];
        }
        statistic(&resample)
    };
    let mut replicates: Vec<f64> = (0..resamples).map(one).collect();
    replicates.sort_by(f64::total_cmp);
    Some(replicates)
}

/// \[ET93\] (14.15), from the statistic of the values with each left out in turn. 0 where they are all equal.
fn acceleration(values: &[f64], statistic: &impl Fn(&[f64]) -> f64) -> f64 {
    let n = values.len();
    let left_out = |skip: usize| {
        let others: Vec<f64> = (0..n).filter(|i| *i != skip).map(|i| values[i]).collect();
        statistic(&others)
    };
    let jackknife: Vec<f64> = (0..n).map(left_out).collect();
    let mean = super::mean(&jackknife);
    let (squares, cubes) = jackknife.iter().map(|value| mean - value).fold((0.0, 0.0), |(squares, cubes), distance| {
        (squares + distance * distance, cubes + distance * distance * distance)
    });
    if squares == 0.0 { 0.0 } else { cubes / (6.0 * squares * squares.sqrt()) }
}

#[cfg(test)]
mod tests {
    use super::super::mean;
    use super::super::tests::SKEWED;
    use super::*;

    const STREAM: fn() -> Stream = || Stream::new(1, "goodput", "bootstrap");

    fn is(found: Option<Bounds>, low: f64, high: f64) {
        let found = found.unwrap();
        assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{found:?}");
    }

    /// `scipy.stats.bootstrap` with the 2,000 replicates that the stream gives (`bootstrap_result`). With 200,000 replicates
    /// of its own its interval BCa of the mean is 5.76 to 8.87.
    #[test]
    fn intervals_are_those_of_scipy() {
        let mean = |values: &[f64]| mean(values);
        is(percentile(&SKEWED, mean, 0.95, 2000, STREAM()), 6.28975, 9.060_250_000_000_003);
        is(bca(&SKEWED, mean, 0.95, 2000, STREAM()), 5.606_188_707_121_673, 8.873_470_399_635_904);
        let median = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            quantile(&sorted, 0.5).unwrap()
        };
        is(percentile(&SKEWED, median, 0.95, 2000, STREAM()), 7.15, 9.2);
    }

    #[test]
    fn equal_values_have_an_interval_of_nothing_and_one_value_has_none() {
        let mean = |values: &[f64]| mean(values);
        is(bca(&[0.5; 6], mean, 0.95, 100, STREAM()), 0.5, 0.5);
        assert_eq!((bca(&[0.5], mean, 0.95, 100, STREAM()), percentile(&[], mean, 0.95, 100, STREAM())), (None, None));
    }

    #[test]
    fn a_statistic_that_no_resample_reaches_has_an_interval() {
        // Ten different values: hardly any resample has all of them.
        let different = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            sorted.len() as f64
        };
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        let found = bca(&values, different, 0.95, 100, STREAM()).unwrap();
        assert!(4.0 <= found.low && found.low <= found.high && found.high <= 10.0, "{found:?}");
    }
}
