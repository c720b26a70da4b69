//! How often each delay occurred, as the document says it: number, mean, and the percentiles that people ask for.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::Histogram;
use serde::{Deserialize, Serialize};

use crate::document::Run;
use crate::summary::{Interval, SummaryPart, over};

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

/// The delays of one kind, of everything that has such.
#[derive(Clone, Debug)]
pub struct Kind<'a, T> {
    /// In one or two words.
    pub name: &'static str,
    /// Name and delays of each flow, source of datagrams, or port.
    pub delays: Vec<(&'a str, &'a T)>,
}

/// The delays of several runs, kind by kind; none if the scenario does not ask for them.
pub fn kinds(summary: &SummaryPart) -> Vec<Kind<'_, DelaySummary>> {
    let SummaryPart { flows, udp, ports, .. } = summary;
    let of_flows = flows.iter().map(|flow| (&flow.name, &flow.one_way_delay, &flow.round_trip));
    let of_udp = udp.iter().map(|source| (&source.name, &source.one_way_delay, &source.jitter));
    arrange(of_flows, of_udp, ports.iter().map(|port| (&port.name, &port.sojourn)))
}

/// The same of one run.
pub fn kinds_of_run(run: &Run) -> Vec<Kind<'_, Delays>> {
    let of_flows = run.flows.iter().map(|flow| (&flow.name, &flow.one_way_delay, &flow.round_trip));
    let of_udp = run.udp.iter().map(|source| (&source.name, &source.one_way_delay, &source.jitter));
    arrange(of_flows, of_udp, run.ports.iter().map(|port| (&port.name, &port.sojourn)))
}

fn arrange<'a, T>(
    flows: impl Iterator<Item = (&'a String, &'a Option<T>, &'a Option<T>)> + Clone,
    udp: impl Iterator<Item = (&'a String, &'a Option<T>, &'a Option<T>)> + Clone,
    ports: impl Iterator<Item = (&'a String, &'a Option<T>)>,
) -> Vec<Kind<'a, T>> {
    let one_way = flows.clone().chain(udp.clone()).map(|(name, one_way, _)| (name, one_way));
    let kinds = [
        of_kind("one-way", one_way),
        of_kind("round trip", flows.map(|(name, _, round_trip)| (name, round_trip))),
        of_kind("jitter", udp.map(|(name, _, jitter)| (name, jitter))),
        of_kind("waiting", ports),
    ];
    kinds.into_iter().filter(|kind| !kind.delays.is_empty()).collect()
}

fn of_kind<'a, T>(name: &'static str, delays: impl Iterator<Item = (&'a String, &'a Option<T>)>) -> Kind<'a, T> {
    Kind { name, delays: delays.filter_map(|(name, delays)| Some((name.as_str(), delays.as_ref()?))).collect() }
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
