//! Metrics: the number that a run gives.

use ackclock::record::metrics::jain;
use ackclock::record::stats::sample_sd;

use super::flow_metric::FlowMetric;
use super::flow_metric::Recordable;
use super::measurement::Measurement;
use super::name::{Across, InSack, MetricName};
use super::part::{Part, mean};
use super::port_history::{self, OfPort};
use super::timeouts::OfTimeouts;

/// A metric, ready to be computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Metric {
    Efficiency { capacity_bps: f64, after_warmup: bool },
    Other(MetricName),
}

impl MetricName {
    /// The metric of this name, with what counts as an efficiency of 1.
    pub fn with(self, capacity_bps: f64) -> Metric {
        match self {
            MetricName::Efficiency => Metric::Efficiency { capacity_bps, after_warmup: false },
            other => Metric::Other(other),
        }
    }
}

impl Metric {
    /// The smallest and the largest value that it can have.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Metric::Other(
                MetricName::Fairness
                | MetricName::Across(Across::Jain, _)
                | MetricName::WeightedJain(..)
                | MetricName::PortDuring(OfPort::Utilisation | OfPort::LeastUtilisation, ..)
                | MetricName::During(Recordable::Told, ..)
                | MetricName::DropRatio(_)
                | MetricName::ValidChecksums(_)
                | MetricName::DropRatioAfterWarmup(_)
                | MetricName::AcrByFormulas
                | MetricName::OfTimeouts(
                    OfTimeouts::OthersAdvance
                    | OfTimeouts::LateSegments
                    | OfTimeouts::LateTimeouts
                    | OfTimeouts::LateAtExpiry
                    | OfTimeouts::Doubled,
                )
                | MetricName::Of(FlowMetric::ShareSentAgain | FlowMetric::ShareNeedless, _),
            ) => (0.0, 1.0),
            Metric::Other(MetricName::Synchrony | MetricName::QueueAndWindows(..)) => (-1.0, 1.0),
            Metric::Other(MetricName::PortDuring(OfPort::QueueTrend, ..)) => (f64::NEG_INFINITY, f64::INFINITY),
            // Rates, counts, times and ratios of them. Capacities are nominal: an efficiency may be above 1.
            Metric::Efficiency { .. } | Metric::Other(_) => (0.0, f64::INFINITY),
        }
    }

    /// The metric of one run; `None` where it has no meaning.
    pub fn value(&self, run: &Measurement) -> Option<f64> {
        let name = match self {
            Metric::Efficiency { capacity_bps, after_warmup } => {
                let goodput = if *after_warmup { &run.goodput_after_warmup_bps } else { &run.goodput_bps };
                return Some(goodput.iter().sum::<f64>() / capacity_bps);
            }
            Metric::Other(name) => name,
        };
        match name {
            MetricName::Efficiency => unreachable!("an efficiency has a capacity"),
            MetricName::Fairness => jain(run.goodput_bps.iter().copied()),
            MetricName::Drops => Some(run.drops as f64),
            MetricName::LongestBackoff => run.longest_backoff.iter().max().map(|longest| f64::from(*longest)),
            MetricName::Synchrony => synchrony(&run.timeouts_ms, run.seconds),
            MetricName::Of(metric, flows) => metric.over(run, flows),
            MetricName::Ratio(metric, upper, lower) => Some(metric.over(run, upper)? / metric.over(run, lower)?),
            MetricName::Across(across, metric) => across.all(run, *metric),
            MetricName::Arrivals(port) => run.arrivals.get(port).map(|arrivals| *arrivals as f64),
            MetricName::DropRatio(port) => {
                let (arrivals, refused) = (*run.arrivals.get(port)?, *run.refused.get(port)?);
                (arrivals > 0).then(|| refused as f64 / arrivals as f64)
            }
            MetricName::DropRatioAfterWarmup(port) => run.refused_after_warmup.get(port).copied(),
            MetricName::AcrByFormulas => run.acr_by_formulas,
            MetricName::Abr(setting) => run.abr.as_ref().and_then(|abr| abr.value(*setting)),
            MetricName::RateControl(setting) => run.rate_control.as_ref().and_then(|of| of.value(*setting)),
            MetricName::LongestPause => {
                let pauses = run.history.iter().map(|history| history.longest_pause(&history.throughput_bps));
                pauses.reduce(f64::max)
            }
            MetricName::OfTimeouts(what) => run.timeouts.value(*what),
            MetricName::Misallocation(metric, weights) => misallocation(run, *metric, weights),
            MetricName::WeightedJain(metric, weights) => {
                let parts: Vec<f64> = values_of(run, *metric, weights)?
                    .into_iter()
                    .zip(weights)
                    .map(|(value, (_, weight))| value / f64::from(*weight))
                    .collect();
                jain(parts.iter().copied())
            }
            MetricName::RatioDuring(what, upper, lower, part) => {
                Some(what.over(run, upper, *part)? / what.over(run, lower, *part)?)
            }
            MetricName::PortDuring(what, port, part) => run.port_history.get(port)?.value(*what, *part),
            MetricName::During(what, flows, part) => what.over(run, flows, *part),
            MetricName::QueueAndWindows(port, part) => queue_and_windows(run, port, *part),
            MetricName::MeanQueue(port) => run.mean_queue.get(port).copied(),
            MetricName::FirstHandover(place) => run.first_handover.get(place).copied(),
            MetricName::InSack(what, flow) => {
                let flow = run.flows.iter().position(|name| name == flow)?;
                let sack = run.last_sack[flow].as_ref()?;
                let number = match *what {
                    InSack::Edge(edge, number) => sack.edge(edge, number),
                    InSack::Offset(number) => sack.offset(number),
                };
                number.map(f64::from)
            }
            MetricName::LargestOfQueues => run.largest_queue.values().max().map(|largest| *largest as f64),
            MetricName::ValidChecksums(rule) => run.checksums.as_ref().map(|checksums| checksums.valid(*rule)),
            MetricName::LargestQueue(port) => run.largest_queue.get(port).map(|largest| *largest as f64),
            MetricName::MostAcksWaiting(port) => run.most_acks_waiting.get(port).map(|most| *most as f64),
            MetricName::QueueSeconds(port) => run.mean_queue.get(port).map(|mean| mean * run.seconds),
        }
    }
}

impl Across {
    /// What it makes of a metric of every flow.
    fn all(self, run: &Measurement, metric: FlowMetric) -> Option<f64> {
        let values: Option<Vec<f64>> = (0..run.flows.len()).map(|flow| metric.value(run, flow)).collect();
        let values = values?;
        let least = || values.iter().copied().reduce(f64::min);
        let largest = || values.iter().copied().reduce(f64::max);
        match self {
            Across::Deviation => sample_sd(&values),
            Across::Jain => jain(values.iter().copied()),
            Across::Sum => Some(values.iter().sum()),
            Across::Range => Some(largest()? - least()?),
            Across::Least => least(),
            Across::Largest => largest(),
        }
    }
}

/// The sum, over the flows with a weight, of how far each is from its share of what they have together, in proportion to
/// the weights.
fn misallocation(run: &Measurement, metric: FlowMetric, weights: &[(String, u32)]) -> Option<f64> {
    let values = values_of(run, metric, weights)?;
    let (together, all) =
        (values.iter().sum::<f64>(), weights.iter().map(|(_, weight)| f64::from(*weight)).sum::<f64>());
    let shares = weights.iter().map(|(_, weight)| together * f64::from(*weight) / all);
    Some(values.iter().zip(shares).map(|(value, share)| (value - share).abs()).sum())
}

/// A metric of each of the flows that have a weight.
fn values_of(run: &Measurement, metric: FlowMetric, weights: &[(String, u32)]) -> Option<Vec<f64>> {
    let value = |(flow, _): &(String, u32)| {
        let flow = run.flows.iter().position(|name| name == flow)?;
        metric.value(run, flow)
    };
    weights.iter().map(value).collect()
}

/// The correlation of what waits at a port with the mean over all flows of what their senders might have outstanding, over the
/// intervals of a part of the run.
fn queue_and_windows(run: &Measurement, port: &str, part: Part) -> Option<f64> {
    let history = run.port_history.get(port)?;
    let queue = part.of(&history.queue, history.interval)?;
    let windows: Option<Vec<&[f64]>> =
        run.history.iter().map(|flow| part.of(&flow.send_window, flow.interval)).collect();
    let windows = windows.filter(|windows| windows.iter().all(|of| of.len() == queue.len()))?;
    let means: Vec<f64> =
        (0..queue.len()).map(|n| mean(&windows.iter().map(|of| of[n]).collect::<Vec<f64>>())).collect();
    port_history::correlation(queue, &means)
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
mod tests;
