//! How many seeds a point gets where that depends on its confidence intervals.
//!
//! The rule is sequential: a point begins with some seeds, and gets more until the intervals of all numbers that are named
//! are narrow enough. It looks only at runs of the point itself, in the order of their seeds, and only when all that it
//! asked for have ended. So neither threads, shards nor interruptions change which runs there are.
//! Source: Y. S. Chow, H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals for the mean",
//! Annals of Mathematical Statistics 36 (1965).

use ackclock::record::stats;
use ackclock_scenario::sweep::{Sweep, Width};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// When points have enough seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UntilCi {
    /// The seeds that every point has, at least two.
    pub least: usize,
    /// Of each number the largest half width of its 95 % interval (Student's t).
    pub widths: Vec<MetricWidth>,
}

/// The largest half width of the intervals of a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricWidth {
    /// The name of the number, one of those of a row.
    pub metric: String,
    /// As a share of the mean.
    pub share: f64,
}

/// How many seeds points have.
#[derive(Clone, Debug, PartialEq)]
pub struct Seeds {
    /// How many at most.
    pub most: usize,
    /// The rule by which points have fewer, if there is one.
    pub until_ci: Option<UntilCi>,
}

impl Seeds {
    /// How many seeds the points of a sweep have, of which `seeds` and `most` are asked for beside what its file says.
    ///
    /// # Errors
    /// If that makes no sense.
    pub fn of(sweep: &Sweep<'_>, seeds: Option<u64>, most: Option<u64>) -> Result<Seeds, Error> {
        let refused = |wrong: String, help: String| Err(Error::Usage { wrong, help });
        let (seeds, most) = (seeds.or(sweep.seeds), most.or(sweep.max_seeds));
        let least = seeds.unwrap_or(LEAST_SEEDS) as usize;
        let Some(until_ci) = UntilCi::of(&sweep.widths, least) else {
            return match most {
                None => Ok(Seeds { most: seeds.unwrap_or(1) as usize, until_ci: None }),
                Some(_) => refused(
                    "--max-seeds (max_seeds) without --until-ci (until_ci): nothing decides how many seeds there are"
                        .into(),
                    "write --seeds N for N seeds, or say how narrow the intervals are to be, as in --until-ci 2%"
                        .into(),
                ),
            };
        };
        let most = most.unwrap_or(MOST_SEEDS.max(least as u64)) as usize;
        if least < 2 {
            return refused(
                "--until-ci with one seed: a confidence interval needs two runs at least".into(),
                format!("leave --seeds out, and each point begins with {LEAST_SEEDS} seeds"),
            );
        }
        if most < least {
            return refused(
                format!("points begin with {least} seeds (--seeds), and have at most {most} (--max-seeds)"),
                "raise --max-seeds or lower --seeds".into(),
            );
        }
        Ok(Seeds { most, until_ci: Some(until_ci) })
    }
}

/// What each point begins with where its intervals decide how many seeds it has, and what it has at most.
const LEAST_SEEDS: u64 = 5;
const MOST_SEEDS: u64 = 100;

impl UntilCi {
    /// The rule for some widths; `None` of no widths.
    pub fn of(widths: &[Width], least: usize) -> Option<UntilCi> {
        let width = |width: &Width| MetricWidth { metric: width.number.clone(), share: width.share };
        (!widths.is_empty()).then(|| UntilCi { least, widths: widths.iter().map(width).collect() })
    }

    /// What is asked for, as in `goodput_bps within 2 %`.
    pub fn said(&self) -> String {
        let said = |width: &MetricWidth| format!("{} within {} %", width.metric, percent(width.share));
        self.widths.iter().map(said).collect::<Vec<_>>().join(", ")
    }

    /// Whether it can be followed.
    pub(crate) fn is_sound(&self, seeds: usize, metrics: &[String]) -> bool {
        let is_sound = |width: &MetricWidth| width.share > 0.0 && width.share < 1.0 && metrics.contains(&width.metric);
        (2..=seeds).contains(&self.least) && !self.widths.is_empty() && self.widths.iter().all(is_sound)
    }

    /// How many seeds a point is to have that has `seeds`, all of which have ended: more, or `seeds` if that is enough. `values`
    /// are the values of a number, by its place in the list of metrics, in the runs that have it.
    pub(crate) fn after(&self, seeds: usize, metrics: &[String], values: impl Fn(usize) -> Vec<f64>) -> usize {
        let after = |width: &MetricWidth| {
            let place = metrics.iter().position(|metric| *metric == width.metric);
            place.map_or(seeds, |place| width.after(seeds, &values(place)))
        };
        self.widths.iter().map(after).max().unwrap_or(seeds)
    }
}

impl MetricWidth {
    /// Whether an interval is narrow enough.
    pub(crate) fn is_met(&self, values: &[f64]) -> bool {
        self.after(values.len(), values) == values.len()
    }

    fn after(&self, seeds: usize, values: &[f64]) -> usize {
        let Some(summary) = stats::summarize(values) else {
            // Where no run has the number more runs will not have it either.
            return seeds;
        };
        // A half width shrinks with the square root of the number of runs. After few runs it is not known well, so the number
        // at most doubles; and it is not looked at after every run, because each look is another chance to stop too early.
        let most = seeds * 2;
        let Some(half) = summary.ci95 else { return most };
        let wanted = self.share * summary.mean.abs();
        if half <= wanted {
            return seeds;
        }
        let ratio = half / wanted;
        // Infinite where the mean is 0: then the conversion gives the largest integer.
        ((seeds as f64 * ratio * ratio).ceil() as usize).clamp(seeds + seeds.div_ceil(4), most)
    }
}

/// A share in percent, without the digits that a binary fraction adds.
fn percent(share: f64) -> f64 {
    (share * 1e8).round() / 1e6
}

#[cfg(test)]
mod tests {
    use ackclock::rng::Stream;

    use super::*;

    fn width(share: f64) -> MetricWidth {
        MetricWidth { metric: "goodput_bps".into(), share }
    }

    #[test]
    fn more_seeds_are_wanted_until_the_interval_is_narrow_enough() {
        // Mean 10, standard deviation 1, t(3) = 3.182: half a width of 1.59.
        let values = [9.0, 9.5, 10.5, 11.0];
        let half = stats::summarize(&values).unwrap().ci95.unwrap() / 10.0;
        assert!((half - 0.1453).abs() < 1e-4, "{half}");
        assert_eq!(width(half * 1.001).after(4, &values), 4);
        // Just too wide: a quarter more. 1.3 times too wide: 1.69 times as many. Much too wide: twice as many.
        assert_eq!(width(half * 0.999).after(4, &values), 5);
        assert_eq!(width(half / 1.3).after(4, &values), 7);
        assert_eq!(width(half / 50.0).after(4, &values), 8);
        // Equal values are certain; a mean of 0 has no share; one value has no interval; none are not waited for.
        assert_eq!(width(0.01).after(5, &[0.0; 5]), 5);
        assert_eq!(width(0.01).after(2, &[-1.0, 1.0]), 4);
        assert_eq!(width(0.01).after(5, &[3.0]), 10);
        assert_eq!(width(0.01).after(5, &[]), 5);
    }

    #[test]
    fn every_number_that_is_named_counts() {
        let until = |widths: &[(&str, f64)]| UntilCi {
            least: 2,
            widths: widths
                .iter()
                .map(|(metric, share)| MetricWidth { metric: (*metric).into(), share: *share })
                .collect(),
        };
        let metrics = ["goodput_bps".to_owned(), "loss".to_owned()];
        let loss = 1;
        let values = |place: usize| if place == loss { vec![1.0, 3.0] } else { vec![5.0, 5.0] };
        assert_eq!(until(&[("goodput_bps", 0.1)]).after(2, &metrics, values), 2);
        assert_eq!(until(&[("goodput_bps", 0.1), ("loss", 0.1)]).after(2, &metrics, values), 4);
        assert!(until(&[("loss", 0.1)]).is_sound(2, &metrics));
        assert!(!until(&[("loss", 0.1)]).is_sound(1, &metrics) && !until(&[("loss", 1.0)]).is_sound(2, &metrics));
        assert!(!until(&[]).is_sound(2, &metrics) && !until(&[("lost", 0.1)]).is_sound(2, &metrics));
    }

    /// A rule that stops where an interval happens to be narrow covers the mean less often than 95 %. The shares that the manual
    /// gives are measured here: normal values with a coefficient of variation of 5 %, intervals of 2 %, from five and from ten seeds on.
    #[test]
    fn intervals_of_points_that_stopped_cover_the_mean_as_often_as_the_manual_says() {
        for (least, said) in [(5, 0.928), (10, 0.936)] {
            let (share, seeds) = coverage(least);
            // Three standard errors of the share, and half of the last digit that is said.
            let error = (said * (1.0 - said) / TRIALS as f64).sqrt();
            assert!((share - said).abs() <= 3.0 * error + 0.0005, "{share} from {least} seeds on, {said} is said");
            assert!((28.0..30.0).contains(&seeds), "{seeds}");
        }
    }

    const TRIALS: usize = 50_000;

    /// How often an interval covers the mean where points begin with so many seeds, and how many seeds they have on average.
    fn coverage(least: usize) -> (f64, f64) {
        let rule = width(0.02);
        let (mut covered, mut seeds) = (0, 0);
        for trial in 0..TRIALS {
            let stream = Stream::new(trial as u64, "until", "test");
            let uniform = |n: usize| stream.at(n as u64) as f64 / 2.0_f64.powi(64);
            let mut values: Vec<f64> = Vec::new();
            let mut wanted = least;
            while values.len() < wanted {
                // Twelve uniform numbers: near enough to the normal distribution.
                values.push(1.0 + 0.05 * ((0..12).map(|n| uniform(values.len() * 12 + n)).sum::<f64>() - 6.0));
                if values.len() == wanted {
                    wanted = rule.after(wanted, &values);
                }
            }
            let summary = stats::summarize(&values).unwrap();
            covered += usize::from((summary.mean - 1.0).abs() <= summary.ci95.unwrap());
            seeds += values.len();
        }
        (covered as f64 / TRIALS as f64, seeds as f64 / TRIALS as f64)
    }
}
