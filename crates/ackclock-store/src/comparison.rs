//! Several results side by side: each number of each, and paired differences where seeds are common.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use std::collections::BTreeSet;

use ackclock::measure::Expression;
use ackclock::record::{is_of_data, stats};
use serde::Serialize;

use crate::document::interval::Interval;
use crate::document::live::Validity;
use crate::document::{Document, Port, Run};

/// The value of `format`, by which a comparison is recognized.
pub const FORMAT: &str = "ackclock-comparison";
/// The number that changes whenever a reader of the document would have to.
pub const FORMAT_VERSION: u32 = 1;

/// A number that results are compared by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    Efficiency,
    Fairness,
    /// Of rates over max-min shares.
    WeightedFairness,
    /// The sum over the flows.
    GoodputBps,
    /// Mean time that a unit waits at the port compared.
    QueueingDelayS,
    MeanQueue,
    /// At all ports.
    Drops,
    /// On all links, of packets that their ports did not refuse.
    LostOnLinks,
    /// Of all datagrams that were sent, the share that was lost.
    UdpLoss,
    Retransmissions,
    Timeouts,
    /// A measure that was asked for when the results were run, as it was written.
    #[serde(untagged)]
    Asked(String),
}

/// Results side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub format: &'static str,
    pub format_version: u32,
    pub ackclock: &'static str,
    /// The first is the one that the others are compared with.
    pub results: Vec<Compared>,
    /// Whether all of them were run under the same seeds.
    pub same_seeds: bool,
    /// Seeds that all of them were run under.
    pub common_seeds: Vec<u64>,
    /// Whether all of them are of the same scenario.
    pub same_scenario: bool,
    pub differences: Vec<Difference>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    pub label: String,
    pub scenario: String,
    pub scenario_hash: String,
    pub result_version: u32,
    /// Of a result on the TCP of a kernel its verdict; nothing of a simulated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<&'static str>,
    pub seeds: Vec<u64>,
    /// The time that the measures are about: without the warm-up, where the runs know what they did after it.
    pub measured_s: f64,
    /// The port at which queue and delay are measured.
    pub port: Option<String>,
    pub measures: Vec<Measured>,
}

/// One number of one result.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub measure: Measure,
    /// One value for each seed, in their order.
    pub values: Vec<f64>,
    pub summary: Interval,
}

/// How one number of a result differs from that of the first, seed by seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub measure: Measure,
    /// The result, as an index into `results`.
    pub result: usize,
    /// The seeds that both were run under.
    pub seeds: usize,
    /// Over these seeds, the result minus the first.
    pub difference: Interval,
    pub verdict: Verdict,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same number under every common seed.
    Equal,
    /// The 95 % interval lies above zero.
    Higher,
    /// The 95 % interval lies below zero.
    Lower,
    /// The 95 % interval holds zero.
    NotShown,
    /// One common seed: there is no interval.
    OneSeed,
}

impl Measure {
    /// All of them, in the order of a table.
    pub const ALL: [Measure; 11] = [
        Measure::Efficiency,
        Measure::Fairness,
        Measure::WeightedFairness,
        Measure::GoodputBps,
        Measure::QueueingDelayS,
        Measure::MeanQueue,
        Measure::Drops,
        Measure::LostOnLinks,
        Measure::UdpLoss,
        Measure::Retransmissions,
        Measure::Timeouts,
    ];

    /// Its name for people.
    pub fn name(&self) -> &str {
        match self {
            Measure::Efficiency => "efficiency",
            Measure::Fairness => "fairness",
            Measure::WeightedFairness => "weighted fairness",
            Measure::GoodputBps => "goodput",
            Measure::QueueingDelayS => "queueing delay",
            Measure::MeanQueue => "mean queue",
            Measure::Drops => "drops",
            Measure::LostOnLinks => "lost on links",
            Measure::UdpLoss => "UDP loss",
            Measure::Retransmissions => "retransmissions",
            Measure::Timeouts => "timeouts",
            Measure::Asked(text) => text,
        }
    }

    /// Whether more of it is better, not less; of what was asked for that is not known.
    pub fn more_is_better(&self) -> Option<bool> {
        Some(match self {
            Measure::Asked(_) => return None,
            Measure::Efficiency | Measure::Fairness | Measure::WeightedFairness | Measure::GoodputBps => true,
            Measure::QueueingDelayS
            | Measure::MeanQueue
            | Measure::Drops
            | Measure::LostOnLinks
            | Measure::UdpLoss
            | Measure::Retransmissions
            | Measure::Timeouts => false,
        })
    }

    /// Whether only some networks have it.
    pub fn is_rare(&self) -> bool {
        matches!(self, Measure::LostOnLinks | Measure::UdpLoss | Measure::WeightedFairness)
    }

    /// Its unit. `units` are cells or packets, as the scenario counts.
    pub fn unit(&self) -> &'static str {
        match self {
            Measure::GoodputBps => "bit/s",
            Measure::QueueingDelayS => "s",
            Measure::MeanQueue | Measure::Drops | Measure::LostOnLinks => "units",
            Measure::Asked(text) => match Expression::parse(text).map(|measure| measure.unit()) {
                Ok("fraction") | Err(_) => "",
                Ok(unit) => unit,
            },
            _ => "",
        }
    }

    /// Its value in one run; queue and delay are those of `port`. `None` where there is nothing to measure.
    fn of(&self, run: &Run, port: Option<&str>) -> Option<f64> {
        let port = || run.ports.iter().find(|candidate| Some(candidate.name.as_str()) == port);
        Some(match self {
            Measure::Efficiency => run.efficiency?,
            Measure::Fairness => run.fairness?,
            Measure::WeightedFairness => run.weighted_fairness()?,
            Measure::GoodputBps => run.flows.iter().map(|flow| flow.goodput_bps).sum(),
            Measure::QueueingDelayS => queueing_delay(port()?, run.simulated_s)?,
            Measure::MeanQueue => port()?.mean_queue,
            Measure::Drops => run.ports.iter().map(|port| port.drops.total).sum::<u64>() as f64,
            Measure::LostOnLinks => run.lost_on_links()?,
            Measure::UdpLoss => run.udp_loss()?,
            Measure::Retransmissions => run.flows.iter().map(|flow| flow.counts.retransmissions).sum::<u64>() as f64,
            Measure::Asked(text) => return run.measures.get(text).copied().flatten(),
            Measure::Timeouts => run.flows.iter().map(|flow| flow.counts.timeouts).sum::<u64>() as f64,
        })
    }
}

impl Difference {
    /// Whether the result is better than the first by this measure; `None` where no difference is shown, or nobody knows
    /// which is better.
    pub fn is_better(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Higher => self.measure.more_is_better(),
            Verdict::Lower => self.measure.more_is_better().map(|better| !better),
            Verdict::Equal | Verdict::NotShown | Verdict::OneSeed => None,
        }
    }
}

impl Comparison {
    /// Compares results with the first of them. Each has a label and at least one finished run.
    pub fn of(results: &[(String, Document)]) -> Comparison {
        let compared: Vec<Compared> = results.iter().map(|(label, document)| Compared::of(label, document)).collect();
        let seeds: Vec<BTreeSet<u64>> = compared.iter().map(|result| result.seeds.iter().copied().collect()).collect();
        let common = seeds.iter().skip(1).fold(seeds.first().cloned().unwrap_or_default(), |all, these| &all & these);
        let mut comparison = Comparison {
            format: FORMAT,
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION"),
            same_seeds: seeds.iter().all(|these| *these == common),
            common_seeds: common.into_iter().collect(),
            same_scenario: compared.iter().all(|result| result.scenario_hash == compared[0].scenario_hash),
            results: compared,
            differences: Vec::new(),
        };
        let measures = comparison.measures();
        let results = &comparison.results;
        comparison.differences = (1..results.len())
            .flat_map(|n| measures.iter().map(move |measure| (n, measure)))
            .filter_map(|(n, measure)| Difference::of(measure, n, &results[0], &results[n]))
            .collect();
        comparison
    }

    /// The difference of one number between a result and the first.
    pub fn difference(&self, measure: &Measure, result: usize) -> Option<&Difference> {
        self.differences.iter().find(|difference| difference.measure == *measure && difference.result == result)
    }

    /// What the results are compared by, in the order of a table: what each has anyway, then what was asked for.
    pub fn measures(&self) -> Vec<Measure> {
        let asked = self.results.iter().flat_map(|result| &result.measures).map(|measured| &measured.measure);
        let mut all = Measure::ALL.to_vec();
        for measure in asked {
            if !all.contains(measure) {
                all.push(measure.clone());
            }
        }
        all
    }

    /// The text of the document, ending in a line feed.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the document has string keys only");
        text.push('\n');
        text
    }
}

impl Compared {
    fn of(label: &str, document: &Document) -> Compared {
        let whole = document;
        let port = port(whole);
        let document = &*whole.after_warmup();
        let asked = document.runs.first().into_iter().flat_map(|run| run.measures.keys());
        let asked = asked.map(|text| Measure::Asked(text.clone()));
        let measures = Measure::ALL.into_iter().chain(asked).filter_map(|measure| {
            let values = document.runs.iter().map(|run| measure.of(run, port)).collect::<Option<Vec<f64>>>()?;
            Some(Measured { measure, summary: stats::summarize(&values)?.into(), values })
        });
        Compared {
            label: label.into(),
            scenario: document.scenario.name.clone(),
            scenario_hash: document.scenario.hash.clone(),
            result_version: document.result_version,
            live: document.live.as_ref().and(document.validity()).map(Validity::name),
            seeds: document.runs.iter().map(|run| run.seed).collect(),
            measured_s: whole.measured_s(),
            port: port.map(str::to_string),
            measures: measures.collect(),
        }
    }

    /// One of its numbers.
    pub fn measured(&self, measure: &Measure) -> Option<&Measured> {
        self.measures.iter().find(|measured| measured.measure == *measure)
    }
}

impl Difference {
    fn of(measure: &Measure, result: usize, base: &Compared, other: &Compared) -> Option<Difference> {
        let (ours, theirs) = (other.measured(measure)?, base.measured(measure)?);
        let pairs = other.seeds.iter().zip(&ours.values).filter_map(|(seed, value)| {
            let position = base.seeds.iter().position(|candidate| candidate == seed)?;
            Some((*value, theirs.values[position]))
        });
        let summary = stats::paired(pairs)?;
        let (seeds, difference) = (summary.n, Interval::from(summary));
        let verdict = match difference.ci95 {
            _ if difference.min == 0.0 && difference.max == 0.0 => Verdict::Equal,
            None => Verdict::OneSeed,
            Some(half) if difference.mean - half > 0.0 => Verdict::Higher,
            Some(half) if difference.mean + half < 0.0 => Verdict::Lower,
            Some(_) => Verdict::NotShown,
        };
        Some(Difference { measure: measure.clone(), result, seeds, difference, verdict })
    }
}

/// The port that limits, by the rule of [`limiting_port`]: that of the bottleneck, else, of those that data pass, the one with the
/// longest mean queue, after the warm-up where that is known, over all seeds.
///
/// [`limiting_port`]: ackclock::record::limiting_port
pub fn port(document: &Document) -> Option<&str> {
    let named = document.scenario.bottleneck.as_ref().map(|bottleneck| bottleneck.link.as_str());
    let measured = document.after_warmup();
    // Paths through ports are known of whole runs only; a document without its warm-up knows none, and takes every port.
    let knows_paths = document.runs.iter().flat_map(|run| &run.ports).any(|port| !port.vcs.is_empty());
    let passed = |place: &usize| {
        let mut paths = document.runs.iter().filter_map(|run| run.ports.get(*place)).flat_map(|port| &port.vcs);
        !knows_paths || paths.any(|vc| vc.arrivals > 0 && is_of_data(&vc.name))
    };
    let queue = |place: usize| measured.summary.ports[place].mean_queue.mean;
    let ports = &document.summary.ports;
    let longest = || {
        let passed = (0..ports.len().min(measured.summary.ports.len())).filter(passed);
        passed.reduce(|a, b| if queue(b) > queue(a) { b } else { a }).map(|place| &ports[place])
    };
    ports.iter().find(|port| Some(port.name.as_str()) == named).or_else(longest).map(|port| port.name.as_str())
}

/// Mean time in seconds that a unit waits at a port: exact where delays are counted, else by Little's law, mean number waiting over
/// departures per second. `None` if nothing has left it.
pub fn queueing_delay(port: &Port, simulated_s: f64) -> Option<f64> {
    if let Some(mean) = port.sojourn.as_ref().and_then(|sojourn| sojourn.mean_s) {
        return Some(mean);
    }
    (port.departures > 0).then(|| port.mean_queue * simulated_s / port.departures as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Vc;
    use crate::document::example::{example, with_abr};

    fn results(documents: Vec<Document>) -> Vec<(String, Document)> {
        documents.into_iter().enumerate().map(|(n, document)| (format!("r{n}"), document)).collect()
    }

    #[test]
    fn a_result_equals_itself() {
        let both = vec![with_abr(example(2, 2, 3)), with_abr(example(2, 2, 3))];
        let comparison = Comparison::of(&results(both));
        assert!(comparison.same_seeds && comparison.same_scenario);
        assert_eq!(comparison.common_seeds, [1, 2, 3]);
        assert_eq!(comparison.differences.len(), Measure::ALL.len());
        assert!(comparison.differences.iter().all(|difference| difference.verdict == Verdict::Equal));
    }

    #[test]
    fn differences_are_paired_by_seed() {
        // Goodput 1.1, 1.2, 1.3 Mb/s against 0.1, 0.2 and, under another seed, 7 Mb/s more: the pairs differ by 0.1 and
        // 0.2 Mb/s; mean 0.15, sd 0.0707107, half width 12.7062 · 0.0707107 / √2 = 0.63531 Mb/s.
        let mut other = example(1, 1, 3);
        for (run, more) in other.runs.iter_mut().zip([1e5, 2e5, 7e6]) {
            run.flows[0].goodput_bps += more;
        }
        other.runs[2].seed = 9;
        let comparison = Comparison::of(&results(vec![example(1, 1, 3), other]));
        assert_eq!((comparison.same_seeds, &comparison.common_seeds[..]), (false, &[1, 2][..]));
        let goodput = comparison.difference(&Measure::GoodputBps, 1).unwrap();
        assert_eq!((goodput.seeds, goodput.verdict), (2, Verdict::NotShown));
        assert!((goodput.difference.mean - 1.5e5).abs() < 1e-3);
        assert!((goodput.difference.ci95.unwrap() - 635_310.0).abs() < 1.0);
    }

    #[test]
    fn the_verdict_is_the_side_of_the_interval() {
        for (more, verdict) in [(1.0, Verdict::Higher), (-1.0, Verdict::Lower)] {
            let mut other = example(1, 1, 3);
            other.runs.iter_mut().for_each(|run| run.fairness = Some(1.0 / 3.0 + more));
            let comparison = Comparison::of(&results(vec![example(1, 1, 3), other]));
            assert_eq!(comparison.difference(&Measure::Fairness, 1).unwrap().verdict, verdict);
        }
        let mut one = example(1, 1, 1);
        one.runs[0].fairness = Some(1.0);
        let comparison = Comparison::of(&results(vec![example(1, 1, 3), one]));
        assert_eq!(comparison.difference(&Measure::Fairness, 1).unwrap().verdict, Verdict::OneSeed);
    }

    /// Of 130 datagrams 5 are lost, and links lose 4 packets; a network without either, or without ABR, has no such number.
    #[test]
    fn what_only_some_networks_have_is_compared_where_both_have_it() {
        let mut plain = example(1, 1, 1);
        plain.runs[0].links.clear();
        plain.runs[0].udp.clear();
        let all = vec![with_abr(example(1, 1, 1)), with_abr(example(1, 1, 1)), plain];
        let comparison = Comparison::of(&results(all));
        let first = |measure| comparison.results[0].measured(&measure).unwrap().values[0];
        assert_eq!((first(Measure::LostOnLinks), first(Measure::UdpLoss)), (4.0, 5.0 / 130.0));
        for measure in Measure::ALL.into_iter().filter(|measure| measure.is_rare()) {
            assert!(comparison.difference(&measure, 1).is_some() && comparison.difference(&measure, 2).is_none());
        }
    }

    #[test]
    fn without_common_seeds_there_are_no_differences() {
        let mut other = example(1, 1, 1);
        other.runs[0].seed = 5;
        let comparison = Comparison::of(&results(vec![example(1, 1, 1), other]));
        assert!(comparison.differences.is_empty() && comparison.common_seeds.is_empty() && !comparison.same_seeds);
    }

    #[test]
    fn less_delay_is_better_and_less_goodput_is_not() {
        let mut other = example(1, 2, 3);
        for run in &mut other.runs {
            run.ports[1].mean_queue /= 2.0;
            run.flows[0].goodput_bps /= 2.0;
        }
        let comparison = Comparison::of(&results(vec![example(1, 2, 3), other]));
        let better = |measure| comparison.difference(&measure, 1).unwrap().is_better();
        let verdict = |measure| comparison.difference(&measure, 1).unwrap().verdict;
        assert_eq!((verdict(Measure::QueueingDelayS), better(Measure::QueueingDelayS)), (Verdict::Lower, Some(true)));
        assert_eq!((verdict(Measure::GoodputBps), better(Measure::GoodputBps)), (Verdict::Lower, Some(false)));
        assert_eq!(better(Measure::Timeouts), None);
    }

    #[test]
    fn delay_is_that_of_the_bottleneck_by_littles_law() {
        // The bottleneck is sw1->sw2, the second port: mean queue 1.1, 990 departures in 10 s.
        let document = example(1, 2, 1);
        assert_eq!(port(&document), Some("sw1->sw2"));
        let delay = queueing_delay(&document.runs[0].ports[1], 10.0).unwrap();
        assert!((delay - 11.0 / 990.0).abs() < 1e-12);
    }

    #[test]
    fn without_a_bottleneck_it_is_the_longest_queue_that_data_pass() {
        let mut document = example(1, 3, 1);
        document.scenario.bottleneck = None;
        assert_eq!(port(&document), Some("sw2->sw3"), "of no paths anything is known");
        let vc = |name: &str, arrivals| Vc {
            name: name.into(),
            arrivals,
            departures: arrivals,
            drops: 0,
            mean_queue: 0.0,
            max_queue: 0,
            final_queue: 0,
        };
        for run in &mut document.runs {
            run.ports[0].vcs = vec![vc("f1", 5)];
            run.ports[1].vcs = vec![vc("f1", 0), vc("f1/ack", 5)];
            run.ports[2].vcs = vec![vc("f1/ack", 9)];
        }
        assert_eq!(port(&document), Some("sw0->sw1"), "the others have longer queues of acknowledgements");
    }

    #[test]
    fn the_document_of_a_comparison_is_json() {
        let comparison = Comparison::of(&results(vec![example(1, 1, 2), example(1, 1, 2)]));
        let value: serde_json::Value = serde_json::from_str(&comparison.to_json()).unwrap();
        assert_eq!((&value["format"], &value["differences"][0]["verdict"]), (&FORMAT.into(), &"equal".into()));
    }
}
