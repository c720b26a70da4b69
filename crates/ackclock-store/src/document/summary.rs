//! The part of the document that takes all seeds together.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use std::collections::BTreeMap;

use ackclock::record::{Counter, Counters, FlowCounts, LinkLosses, PortTallies, UdpCounts, stats};
use serde::{Deserialize, Serialize};

use super::abr::{AbrSummary, RatesSummary};
use super::delays::DelaySummary;
use super::feedback::{FeedbackSummary, MaxMinSummary};
use super::interval::{Interval, over};
use super::keyed::{Keyed, Known, counted, counted_known};
use super::limited::Limited;
use super::run::{DropCounts, Flow, Link, Port, Run, Udp};

/// The numbers of all finished runs together; `null` where there is nothing to summarize.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryPart {
    pub runs: usize,
    pub efficiency: Option<Interval>,
    pub efficiency_after_warmup: Option<Interval>,
    pub fairness: Option<Interval>,
    /// There only with ABR flows, and with flows of TCP that have max-min shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_fairness: Option<Interval>,
    /// The sum over the flows.
    pub goodput_bps: Option<Interval>,
    /// The sum over the sources of datagrams; `null` without any.
    #[serde(default)]
    pub udp_goodput_bps: Option<Interval>,
    /// Of all datagrams sent, the share that was lost.
    #[serde(default)]
    pub udp_loss: Option<Interval>,
    /// Packets that links lost after their ports accepted them; `null` without links that can lose any.
    #[serde(default)]
    pub lost_on_links: Option<Interval>,
    /// Of each measure that was asked for what it is over the runs in which it has a value; `null` where it has none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measures: BTreeMap<String, Option<Interval>>,
    pub flows: Vec<FlowSummary>,
    /// Sources of datagrams.
    #[serde(default)]
    pub udp: Vec<UdpSummary>,
    pub ports: Vec<PortSummary>,
    /// Links that change or corrupt packets.
    #[serde(default)]
    pub links: Vec<LinkSummary>,
}

/// One flow over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowSummary {
    pub name: String,
    pub goodput_bps: Interval,
    pub goodput_after_warmup_bps: Option<Interval>,
    #[serde(flatten)]
    pub counts: Keyed<FlowCounts<Interval>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_way_delay: Option<DelaySummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<DelaySummary>,
    /// From a request to its whole response, by the flow of the requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<DelaySummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abr: Option<AbrSummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_min: Option<MaxMinSummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited<Interval>>,
}

/// One source of datagrams over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpSummary {
    pub name: String,
    pub goodput_bps: Interval,
    #[serde(flatten)]
    pub counts: Keyed<UdpCounts<Interval>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_way_delay: Option<DelaySummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<DelaySummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<DelaySummary>,
}

/// One port over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortSummary {
    pub name: String,
    pub arrivals: Interval,
    pub drops: DropCounts<Interval>,
    #[serde(flatten)]
    pub tallies: Known<PortTallies<Option<Interval>>>,
    pub mean_queue: Interval,
    pub max_queue: Interval,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<RatesSummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<FeedbackSummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sojourn: Option<DelaySummary>,
}

/// The ports at which something happened, those that dropped and queued most first.
///
/// Of many, as a constellation has, also those are left out that lost nothing and never had more in them than what was being
/// sent: packets passed through, and nothing else is to be said.
pub fn busy_ports(ports: &[PortSummary]) -> Vec<&PortSummary> {
    rank(ports.iter().map(Load::of)).into_iter().map(|number| &ports[number]).collect()
}

/// What decides whether and where a port is listed.
pub(crate) struct Load {
    pub(crate) largest_queue: f64,
    pub(crate) mean_queue: f64,
    pub(crate) most_drops: f64,
    pub(crate) mean_drops: f64,
}

impl Load {
    fn of(port: &PortSummary) -> Load {
        Load {
            largest_queue: port.max_queue.max,
            mean_queue: port.mean_queue.mean,
            most_drops: port.drops.total.max,
            mean_drops: port.drops.total.mean,
        }
    }
}

/// The numbers of the busy ports among these, those that dropped and queued most first.
pub(crate) fn rank(ports: impl Iterator<Item = Load>) -> Vec<usize> {
    let mut busy: Vec<(usize, Load)> = ports.enumerate().filter(|(_, port)| port.largest_queue > 0.0).collect();
    if busy.len() > FEW_PORTS {
        busy.retain(|(_, port)| port.largest_queue > 1.0 || port.most_drops > 0.0);
    }
    busy.sort_by(|(_, a), (_, b)| b.mean_drops.total_cmp(&a.mean_drops).then(b.mean_queue.total_cmp(&a.mean_queue)));
    busy.into_iter().map(|(number, _)| number).collect()
}

/// So many are listed without asking what is to be said of each.
const FEW_PORTS: usize = 8;

/// What one direction of a link lost, over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkSummary {
    pub name: String,
    #[serde(flatten)]
    pub lost: Keyed<LinkLosses<Interval>>,
}

/// The least that Jain's index of so many flows can be.
pub fn least_fairness(flows: usize) -> f64 {
    1.0 / flows.max(1) as f64
}

impl SummaryPart {
    /// Summarizes the finished runs of one scenario.
    pub fn of(runs: &[Run]) -> SummaryPart {
        SummaryPart {
            flows: each(runs, |run| &run.flows, FlowSummary::of),
            udp: each(runs, |run| &run.udp, UdpSummary::of),
            ports: each(runs, |run| &run.ports, PortSummary::of),
            links: each(runs, |run| &run.links, LinkSummary::of),
            ..SummaryPart::of_all(runs)
        }
    }

    /// Summarizes the finished runs of one scenario, all of their flows, ports and links together.
    pub fn of_all(runs: &[Run]) -> SummaryPart {
        SummaryPart {
            runs: runs.len(),
            efficiency: over(runs, |run| run.efficiency),
            efficiency_after_warmup: over(runs, |run| run.efficiency_after_warmup),
            fairness: over(runs, |run| run.fairness),
            weighted_fairness: over(runs, Run::weighted_fairness),
            goodput_bps: over(runs, |run| Some(run.flows.iter().map(|flow| flow.goodput_bps).sum())),
            udp_goodput_bps: over(runs, Run::udp_goodput_bps),
            udp_loss: over(runs, Run::udp_loss),
            lost_on_links: over(runs, Run::lost_on_links),
            measures: asked(runs),
            flows: Vec::new(),
            udp: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
        }
    }
}

impl FlowSummary {
    pub(crate) fn of(flows: &[&Flow]) -> Option<FlowSummary> {
        Some(FlowSummary {
            name: flows.first()?.name.clone(),
            goodput_bps: over(flows, |flow| Some(flow.goodput_bps))?,
            goodput_after_warmup_bps: over(flows, |flow| flow.goodput_after_warmup_bps),
            counts: counted(flows, |flow| &flow.counts.0)?,
            one_way_delay: DelaySummary::of(flows, |flow| &flow.one_way_delay),
            round_trip: DelaySummary::of(flows, |flow| &flow.round_trip),
            exchange: DelaySummary::of(flows, |flow| &flow.exchange),
            abr: AbrSummary::of(flows.iter().map(|flow| flow.abr.as_ref())),
            max_min: MaxMinSummary::of(flows.iter().map(|flow| flow.max_min.as_ref())),
            limited: Limited::over(flows),
        })
    }
}

impl Limited<Interval> {
    pub(crate) fn over(flows: &[&Flow]) -> Option<Limited<Interval>> {
        let part = |of: fn(&Limited) -> f64| over(flows, |flow| flow.limited.as_ref().map(of));
        Some(Limited {
            by_receive_window: part(|limited| limited.by_receive_window)?,
            by_congestion_window: part(|limited| limited.by_congestion_window)?,
            by_application: part(|limited| limited.by_application)?,
            by_host: part(|limited| limited.by_host)?,
        })
    }
}

impl UdpSummary {
    fn of(sources: &[&Udp]) -> Option<UdpSummary> {
        Some(UdpSummary {
            name: sources.first()?.name.clone(),
            goodput_bps: over(sources, |source| Some(source.goodput_bps))?,
            counts: counted(sources, |source| &source.counts.0)?,
            one_way_delay: DelaySummary::of(sources, |source| &source.one_way_delay),
            jitter: DelaySummary::of(sources, |source| &source.jitter),
            round_trip: DelaySummary::of(sources, |source| &source.round_trip),
        })
    }
}

impl LinkSummary {
    fn of(links: &[&Link]) -> Option<LinkSummary> {
        Some(LinkSummary { name: links.first()?.name.clone(), lost: counted(links, |link| &link.lost.0)? })
    }

    /// What it lost in a run, for whatever reason.
    pub fn lost(&self) -> f64 {
        self.lost.values().map(|count| count.mean).sum()
    }

    /// The links that lost something, those that lost most first.
    pub fn lossy(links: &[LinkSummary]) -> Vec<&LinkSummary> {
        let mut lossy: Vec<&LinkSummary> = links.iter().filter(|link| link.lost() > 0.0).collect();
        lossy.sort_by(|a, b| b.lost().total_cmp(&a.lost()));
        lossy
    }
}

impl PortSummary {
    pub(crate) fn of(ports: &[&Port]) -> Option<PortSummary> {
        Some(PortSummary {
            name: ports.first()?.name.clone(),
            arrivals: over(ports, |port| Some(port.arrivals as f64))?,
            drops: DropCounts {
                total: over(ports, |port| Some(port.drops.total as f64))?,
                by_reason: counted(ports, |port| &port.drops.by_reason.0)?,
            },
            tallies: counted_known(ports, |port| &port.tallies.0)?,
            mean_queue: over(ports, |port| Some(port.mean_queue))?,
            max_queue: over(ports, |port| Some(port.max_queue as f64))?,
            rates: RatesSummary::of(ports.iter().map(|port| port.rates.as_ref())),
            feedback: FeedbackSummary::of(ports.iter().map(|port| port.feedback.as_ref())),
            sojourn: DelaySummary::of(ports, |port| &port.sojourn),
        })
    }
}

impl PortSummary {
    /// The counters beside arrivals and drops of which some of these ports counted anything.
    pub fn counted<'a>(ports: impl Iterator<Item = &'a PortSummary> + Clone) -> Vec<&'static Counter> {
        let any =
            |counter: &&Counter| ports.clone().any(|port| port.tally(counter).is_some_and(|count| count.max > 0.0));
        PortTallies::<u64>::ALL.iter().filter(any).collect()
    }

    /// What it counted, if a document knows it.
    pub fn tally(&self, counter: &Counter) -> Option<&Interval> {
        let number = PortTallies::<u64>::NAMES.iter().position(|name| *name == counter.name)?;
        self.tallies.values().nth(number)?.as_ref()
    }
}

fn asked(runs: &[Run]) -> BTreeMap<String, Option<Interval>> {
    let of = |text: &String| {
        let values: Vec<f64> = runs.iter().filter_map(|run| run.measures.get(text).copied().flatten()).collect();
        stats::summarize(&values).map(Interval::from)
    };
    runs.first().into_iter().flat_map(|run| run.measures.keys()).map(|text| (text.clone(), of(text))).collect()
}

/// The n-th part of every run, summarized, for every n. All runs have the same parts in the same order; where a document
/// was changed so that some are missing, they are left out, and the summary is not that of the document.
fn each<P, S>(runs: &[Run], parts: impl Fn(&Run) -> &Vec<P>, summary: impl Fn(&[&P]) -> Option<S>) -> Vec<S> {
    let count = runs.first().map_or(0, |run| parts(run).len());
    let (mut all, mut nth) = (Vec::with_capacity(count), Vec::with_capacity(runs.len()));
    for n in 0..count {
        nth.clear();
        nth.extend(runs.iter().filter_map(|run| parts(run).get(n)));
        all.extend(summary(&nth));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::example::example;

    #[test]
    fn of_many_ports_those_that_only_passed_packets_on_are_left_out() {
        let busy = |count: u64, largest: f64| {
            let mut ports = example(1, count, 1).summary.ports;
            for port in &mut ports[1..] {
                port.max_queue.max = largest;
                port.drops.total.max = 0.0;
            }
            ports[2].drops.total.max = 1.0;
            busy_ports(&ports).len()
        };
        assert_eq!((busy(20, 2.0), busy(20, 1.0)), (20, 2), "what waited, and what lost something");
        assert_eq!((busy(8, 1.0), busy(8, 0.0)), (8, 1), "of few those that sent anything");
    }
}
