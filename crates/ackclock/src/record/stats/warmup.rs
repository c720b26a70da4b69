//! How much of the beginning of a run to leave out: MSER-5.
//! Sources: K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997);
//! W. W. Franklin, K. P. White, "Stationarity tests and MSER-5", Winter Simulation Conference (2008).

/// How many values at the beginning of a series, in equal intervals of time, to leave out so that the mean of the others is
/// known best: the truncation with the least standard error of the mean, over means of five values. `None` where the series
/// is shorter than 50 values, or where that truncation lies in its second half: then it is too short to tell.
pub fn mser5(values: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let n = batches.len();
    if n < LEAST {
        return None;
    }
    let (mut mean, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    // From the end: each step adds one batch to those that are kept.
    for (kept, (first, batch)) in batches.iter().enumerate().rev().enumerate() {
        let (count, distance) = ((kept + 1) as f64, batch - mean);
        mean += distance / count;
        squares += distance * (batch - mean);
        let error = squares / (count * count);
        // The last batches may be equal by chance.
        if kept + 1 >= LAST && error <= best.0 {
            best = (error, first);
        }
    }
    (2 * best.1 <= n).then_some(best.1 * BATCH)
}

const BATCH: usize = 5;
/// Fewer batches say nothing.
const LEAST: usize = 10;
/// So many batches remain at least.
const LAST: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to 10 within a time constant of `tau` values, with a ripple of ±0.5 upon it.
    fn rising(tau: f64, ripple: f64) -> Vec<f64> {
        let (mut rest, step) = (1.0, 1.0 - 1.0 / tau);
        let next = |i: u32| {
            let value = 10.0 * (1.0 - rest) + ripple * (f64::from(i * 7919 % 101) / 101.0 - 0.5);
            rest *= step;
            value
        };
        (0..400).map(next).collect()
    }

    /// Against the definition: the variance over the number of batches that are kept, of each number of them.
    #[test]
    fn the_truncation_has_the_least_standard_error() {
        for tau in [5.0, 30.0, 60.0] {
            let values = rising(tau, 1.0);
            let batches: Vec<f64> = values.chunks(5).map(super::super::mean).collect();
            let error = |kept: &[f64]| {
                let (sd, count) = (super::super::sample_sd(kept).unwrap(), kept.len() as f64);
                sd * sd * (count - 1.0) / (count * count)
            };
            let errors: Vec<f64> = (0..=75).map(|first| error(&batches[first..])).collect();
            let best = errors.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
            let expected = (best <= 40).then_some(best * 5);
            assert_eq!(mser5(&values), expected, "{tau}");
        }
    }

    #[test]
    fn a_series_that_never_settles_or_is_short_says_nothing() {
        let values = rising(5.0, 0.0);
        assert!(
            mser5(&rising(200.0, 1.0)).is_none() && mser5(&values[..49]).is_none() && mser5(&values[..50]).is_some()
        );
        assert_eq!(mser5(&[3.0; 60]), Some(0), "nothing is left out where nothing differs");
    }
}
