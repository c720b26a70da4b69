//! What is kept of a run, and the metrics computed from it.

use ackclock::record::Records;
use ackclock::record::metrics::jain;
use ackclock::units::Span;
use serde::{Deserialize, Serialize};

/// What the metrics need of a run. Lists have one entry per flow, in the order of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measurement {
    /// Simulated time.
    pub seconds: f64,
    /// Payload delivered in order, bits per second, over the whole run.
    pub goodput_bps: Vec<f64>,
    /// The same after the warm-up.
    pub goodput_after_warmup_bps: Vec<f64>,
    pub fast_retransmits: Vec<u64>,
    pub retransmissions: Vec<u64>,
    pub longest_backoff: Vec<u32>,
    /// When the retransmission timer expired, whole milliseconds, rounded down.
    pub timeouts_ms: Vec<Vec<u64>>,
    /// Units refused by all ports; segments lost on purpose are not among them.
    pub drops: u64,
}

impl Measurement {
    pub fn of(records: &Records) -> Measurement {
        let flows = &records.flows;
        let milliseconds = |time: &ackclock::units::Time| time.as_ps() / Span::from_ms(1).as_ps();
        Measurement {
            seconds: records.simulated.as_secs_f64(),
            goodput_bps: flows.iter().map(|flow| flow.goodput_bps).collect(),
            goodput_after_warmup_bps: flows.iter().filter_map(|flow| flow.goodput_after_warmup_bps).collect(),
            fast_retransmits: flows.iter().map(|flow| flow.fast_retransmits).collect(),
            retransmissions: flows.iter().map(|flow| flow.retransmissions).collect(),
            longest_backoff: flows.iter().map(|flow| flow.longest_backoff).collect(),
            timeouts_ms: flows.iter().map(|flow| flow.timeout_times.iter().map(milliseconds).collect()).collect(),
            drops: records.ports.iter().map(|port| port.drops.total()).sum(),
        }
    }
}

/// The name of a metric in study data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MetricName {
    /// Sum of goodput over the capacity.
    Efficiency,
    /// Jain's index over the goodput of the flows.
    Fairness,
    /// Expiries of the retransmission timer, all flows.
    Timeouts,
    /// Fast retransmits, all flows.
    FastRetransmits,
    /// Segments sent again, all flows.
    Retransmissions,
    /// Units refused by all ports.
    Drops,
    /// The longest series of halvings of the slow-start threshold without progress between them, of any flow.
    LongestBackoff,
    /// How much the flows time out together: [`synchrony`].
    Synchrony,
}

/// A metric, ready to be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Metric {
    Efficiency { capacity_bps: f64, after_warmup: bool },
    Other(MetricName),
}

impl MetricName {
    pub fn with(self, capacity_bps: f64) -> Metric {
        match self {
            MetricName::Efficiency => Metric::Efficiency { capacity_bps, after_warmup: false },
            other => Metric::Other(other),
        }
    }
}

impl Metric {
    /// The metric of one run; `None` where it has no meaning.
    pub fn value(self, run: &Measurement) -> Option<f64> {
        let name = match self {
            Metric::Efficiency { capacity_bps, after_warmup } => {
                let goodput = if after_warmup { &run.goodput_after_warmup_bps } else { &run.goodput_bps };
                return Some(goodput.iter().sum::<f64>() / capacity_bps);
            }
            Metric::Other(name) => name,
        };
        let sum = |counts: &[u64]| Some(counts.iter().sum::<u64>() as f64);
        match name {
            MetricName::Efficiency => unreachable!("an efficiency has a capacity"),
            MetricName::Fairness => Some(jain(run.goodput_bps.iter().copied())),
            MetricName::Timeouts => Some(run.timeouts_ms.iter().map(Vec::len).sum::<usize>() as f64),
            MetricName::FastRetransmits => sum(&run.fast_retransmits),
            MetricName::Retransmissions => sum(&run.retransmissions),
            MetricName::Drops => Some(run.drops as f64),
            MetricName::LongestBackoff => run.longest_backoff.iter().max().map(|longest| f64::from(*longest)),
            MetricName::Synchrony => synchrony(&run.timeouts_ms, run.seconds),
        }
    }
}

/// How much the flows time out together. Time is cut into intervals of 100 ms; a flow's indicator is 1 where its timer
/// expired. The mean over all pairs of flows of the correlation (Pearson) of their indicators; a pair counts only if
/// both flows timed out in some interval and not in all. 1: always together; 0: independent; `None`: no pair counts.
fn synchrony(timeouts_ms: &[Vec<u64>], seconds: f64) -> Option<f64> {
    const INTERVAL_MS: u64 = 100;
    let intervals = (seconds * 1000.0 / INTERVAL_MS as f64).ceil() as usize;
    let indicators: Vec<Vec<bool>> = timeouts_ms
        .iter()
        .map(|times| {
            let mut hit = vec![false; intervals];
            for time in times {
                let interval = (time / INTERVAL_MS) as usize;
                hit[interval.min(intervals - 1)] = true;
            }
            hit
        })
        .collect();
    let mut correlations = Vec::new();
    for (i, first) in indicators.iter().enumerate() {
        for second in &indicators[i + 1..] {
            correlations.extend(correlation(first, second));
        }
    }
    (!correlations.is_empty()).then(|| correlations.iter().sum::<f64>() / correlations.len() as f64)
}

/// Pearson's correlation of two indicators; `None` where one is constant.
fn correlation(first: &[bool], second: &[bool]) -> Option<f64> {
    let n = first.len() as f64;
    let share = |indicator: &[bool]| indicator.iter().filter(|hit| **hit).count() as f64 / n;
    let (p, q) = (share(first), share(second));
    let both = first.iter().zip(second).filter(|(a, b)| **a && **b).count() as f64 / n;
    let variance = p * (1.0 - p) * q * (1.0 - q);
    (variance > 0.0).then(|| (both - p * q) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_that_time_out_together_are_in_synchrony_and_others_are_not() {
        let near = |value: Option<f64>, expected: f64| assert!((value.unwrap() - expected).abs() < 1e-12);
        // one second, ten intervals
        near(synchrony(&[vec![130, 550], vec![190, 500]], 1.0), 1.0);
        // p = q = 0.5, never together: (0 - 0.25) / 0.25 = -1
        let even = vec![0, 200, 400, 600, 800];
        let odd = vec![100, 300, 500, 700, 900];
        near(synchrony(&[even.clone(), odd], 1.0), -1.0);
        // a flow without timeouts has no correlation with any
        assert_eq!(synchrony(&[even, vec![]], 1.0), None);
        // an expiry at the very end belongs to the last interval
        near(synchrony(&[vec![1000], vec![950]], 1.0), 1.0);
    }

    #[test]
    fn efficiency_is_the_sum_of_goodput_over_the_capacity() {
        let run = Measurement {
            seconds: 1.0,
            goodput_bps: vec![30e6, 20e6],
            goodput_after_warmup_bps: vec![60e6, 40e6],
            fast_retransmits: vec![1, 2],
            retransmissions: vec![3, 4],
            longest_backoff: vec![1, 5],
            timeouts_ms: vec![vec![1], vec![2, 3]],
            drops: 9,
        };
        let metric = MetricName::Efficiency.with(100e6);
        assert_eq!(metric.value(&run), Some(0.5));
        let late = Metric::Efficiency { capacity_bps: 100e6, after_warmup: true };
        assert_eq!(late.value(&run), Some(1.0));
        let other = |name| Metric::Other(name).value(&run);
        assert_eq!(other(MetricName::Timeouts), Some(3.0));
        assert_eq!(other(MetricName::FastRetransmits), Some(3.0));
        assert_eq!(other(MetricName::Retransmissions), Some(7.0));
        assert_eq!(other(MetricName::LongestBackoff), Some(5.0));
        assert_eq!(other(MetricName::Drops), Some(9.0));
        // (30+20)² / (2·(900+400)) = 2500/2600
        assert_eq!(other(MetricName::Fairness), Some(2500.0 / 2600.0));
    }
}
