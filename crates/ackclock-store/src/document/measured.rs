//! Results without their warm-up: what tables, reports and comparisons show.

use std::borrow::Cow;

use crate::document::abr::Abr;
use crate::document::interval::Interval;
use crate::document::summary::SummaryPart;
use crate::document::{Document, Flow, Limited, Link, Port, Run, Udp};
use crate::flows::parts::PartFiles;

impl Document {
    /// Whether the scenario has a warm-up and every run knows what it did after it.
    pub fn leaves_out_warmup(&self) -> bool {
        self.scenario.warmup_s > 0.0 && !self.runs.is_empty() && self.runs.iter().all(Run::knows_warmup)
    }

    /// The document over the time after the warm-up; the document as it is where [`Document::leaves_out_warmup`] is false.
    /// Whole runs remain: largest and last queues, when timers expired, and what single paths did at ports and on links,
    /// which is left away.
    pub fn after_warmup(&self) -> Cow<'_, Document> {
        if !self.leaves_out_warmup() {
            return Cow::Borrowed(self);
        }
        let runs: Vec<Run> = self.runs.iter().map(|run| run.after_warmup(self.scenario.warmup_s)).collect();
        let summary = match self.summary.flows.is_empty() && self.summary.ports.is_empty() {
            true => SummaryPart::of_all(&runs),
            false => SummaryPart::of(&runs),
        };
        Cow::Owned(self.with(runs, summary))
    }

    /// The same with other runs and their summary.
    pub(crate) fn with(&self, runs: Vec<Run>, summary: SummaryPart) -> Document {
        Document {
            format: self.format.clone(),
            format_version: self.format_version,
            ackclock: self.ackclock.clone(),
            result_version: self.result_version,
            command: self.command.clone(),
            scenario: self.scenario.clone(),
            live: self.live.clone(),
            seeds: self.seeds.clone(),
            complete: self.complete,
            summary,
            runs,
        }
    }

    /// The time that [`Document::after_warmup`] is about, seconds.
    pub fn measured_s(&self) -> f64 {
        self.scenario.duration_s - if self.leaves_out_warmup() { self.scenario.warmup_s } else { 0.0 }
    }

    /// The warm-up in the words of a title, after the simulated time; nothing where there is none.
    pub fn warmup_words(&self) -> String {
        match (self.scenario.warmup_s, self.leaves_out_warmup()) {
            (0.0, _) => String::new(),
            (warmup, true) => format!(", of which the first {warmup} s (warm-up) are left out"),
            // A result of a program that did not count this yet.
            (warmup, false) => format!(", the first {warmup} s (warm-up) included"),
        }
    }
}

impl Document {
    /// A sentence about receive windows that limit flows for a part of their time that matters; `None` where they do not. The
    /// shares are means over the flows that it names.
    pub fn limited_by_windows(&self) -> Option<String> {
        let measured = self.after_warmup();
        let is_limited = |limited: &Limited<Interval>| limited.by_receive_window.mean >= LEAST_SHARE;
        let limited: Vec<_> =
            measured.limits().filter_map(|(name, limited)| Some((name, limited.filter(is_limited)?))).collect();
        let (first, _) = limited.first()?;
        let whose = match (limited.len(), measured.flows()) {
            (1, _) => format!("flow {first}"),
            (some, all) if some == all => format!("all {all} flows"),
            (some, all) => format!("{some} of {all} flows, {first} among them,"),
        };
        let mean = |part: fn(&Limited<Interval>) -> f64| {
            100.0 * limited.iter().map(|(_, limited)| part(limited)).sum::<f64>() / limited.len() as f64
        };
        let others = [
            ("the congestion window", mean(|limited| limited.by_congestion_window.mean)),
            ("the application", mean(|limited| limited.by_application.mean)),
            ("the host", mean(|limited| limited.by_host.mean)),
        ];
        let others: Vec<String> = others
            .iter()
            .filter(|(_, share)| *share >= 0.05)
            .map(|(what, share)| format!("{what} {share:.1} %"))
            .collect();
        let rest = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
        Some(format!(
            "The receive window limits {whose} for {:.1} % of the time{rest}.",
            mean(|limited| limited.by_receive_window.mean)
        ))
    }
}

/// Less is not worth a sentence.
const LEAST_SHARE: f64 = 0.01;

impl Run {
    fn knows_warmup(&self) -> bool {
        self.flows.iter().any(|flow| flow.after_warmup.is_some())
            || self.udp.iter().any(|source| source.after_warmup.is_some())
            || self.ports.iter().any(|port| port.after_warmup.is_some())
    }

    /// Without the first `warmup_s`. It knows of no warm-up any more.
    fn after_warmup(&self, warmup_s: f64) -> Run {
        Run {
            seed: self.seed,
            simulated_s: self.simulated_s - warmup_s,
            efficiency: self.efficiency_after_warmup,
            efficiency_after_warmup: None,
            fairness: self.fairness_after_warmup,
            live: self.live.clone(),
            measures: self.measures.clone(),
            parts: PartFiles::new(),
            fairness_after_warmup: None,
            fingerprint: self.fingerprint.clone(),
            flows: self.flows.iter().map(Flow::measured).collect(),
            udp: self.udp.iter().map(Udp::measured).collect(),
            ports: self.ports.iter().map(Port::measured).collect(),
            links: self.links.iter().map(Link::measured).collect(),
        }
    }
}

impl Flow {
    fn measured(&self) -> Flow {
        let mut flow = Flow { timeout_times_s: Vec::new(), after_warmup: None, ..self.clone() };
        if let Some(later) = &self.after_warmup {
            flow.goodput_bps = self.goodput_after_warmup_bps.unwrap_or(0.0);
            flow.counts = *later;
            flow.limited = flow.limited_after_warmup.take();
        }
        flow.abr = self.abr.as_ref().map(Abr::measured);
        flow
    }
}

impl Udp {
    fn measured(&self) -> Udp {
        let mut source = Udp { after_warmup: None, ..self.clone() };
        if let Some(later) = &self.after_warmup {
            source.goodput_bps = later.goodput_bps;
            source.counts = later.counts;
        }
        source
    }
}

impl Port {
    fn measured(&self) -> Port {
        let (arrivals, departures, drops, tallies, mean_queue) = match &self.after_warmup {
            Some(later) => (later.arrivals, later.departures, later.drops, later.tallies, later.mean_queue),
            None => (self.arrivals, self.departures, self.drops, self.tallies, self.mean_queue),
        };
        let marked_cells = self.after_warmup.as_ref().and_then(|later| later.marked_cells);
        // Paths may be many, and are not shown.
        Port {
            name: self.name.clone(),
            arrivals,
            departures,
            drops,
            tallies,
            mean_queue,
            rates: self.rates.map(|rates| rates.measured(marked_cells)),
            sojourn: self.sojourn.clone(),
            vcs: Vec::new(),
            after_warmup: None,
            ..*self
        }
    }
}

impl Link {
    fn measured(&self) -> Link {
        Link {
            name: self.name.clone(),
            lost: self.after_warmup.unwrap_or(self.lost),
            after_warmup: None,
            vcs: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::example::{example, example_with_warmup};
    use crate::document::summary::SummaryPart;

    /// The example has 10 s with a warm-up of 0.5 s, in which each flow delivers nothing and sends one of its
    /// retransmissions, each port refuses a third, and link and source lose one packet.
    #[test]
    fn what_is_shown_leaves_out_the_warmup() {
        let document = example_with_warmup(2, 2, 3);
        assert!(document.leaves_out_warmup());
        let shown = document.after_warmup();
        let (whole, later) = (&document.runs[2], &shown.runs[2]);
        assert_eq!((later.simulated_s, later.efficiency), (9.5, Some(0.9)));
        assert_eq!(later.fairness, Some(0.25));
        assert_eq!((whole.flows[0].counts.retransmissions, later.flows[0].counts.retransmissions), (3, 2));
        assert_eq!(later.flows[1].goodput_bps, whole.flows[1].goodput_after_warmup_bps.unwrap());
        assert_eq!((whole.ports[1].drops.by_reason.overflow, later.ports[1].drops.by_reason.overflow), (4, 1));
        assert_eq!((later.udp[0].counts.lost, later.links[0].lost.total()), (4, 3));
        assert_eq!(shown.summary.flows[0].counts.retransmissions.mean, 1.0);
        assert_eq!(shown.summary.lost_on_links.unwrap().mean, 3.0);
        assert_eq!(shown.after_warmup(), shown, "once is enough");
    }

    #[test]
    fn results_that_do_not_know_their_warmup_are_shown_whole() {
        let document = example(1, 1, 1);
        assert!(!document.leaves_out_warmup());
        assert_eq!(&*document.after_warmup(), &document);
        assert_eq!(document.warmup_words(), ", the first 0.5 s (warm-up) included");
        let mut none = example(1, 1, 1);
        none.scenario.warmup_s = 0.0;
        assert_eq!(none.warmup_words(), "");
    }

    #[test]
    fn windows_that_limit_are_said_with_the_shares_of_all_that_limits() {
        let mut document = example(2, 1, 2);
        assert_eq!(document.limited_by_windows(), None, "half a per cent is not worth a sentence");
        for run in &mut document.runs {
            let limited = run.flows[1].limited.as_mut().unwrap();
            (limited.by_receive_window, limited.by_congestion_window) = (0.75, 0.2);
        }
        document.summary = SummaryPart::of(&document.runs);
        // The example has 0.045 and 0.005 for the other two: 0.75 + 0.2 + 0.045 + 0.005 = 1. All of them are 0.05 % at least, and are said.
        assert_eq!(
            document.limited_by_windows().unwrap(),
            "The receive window limits flow f2 for 75.0 % of the time; the congestion window 20.0 %, the application 4.5 %, the host 0.5 %."
        );
        for run in &mut document.runs {
            run.flows[0].limited = run.flows[1].limited;
        }
        document.summary = SummaryPart::of(&document.runs);
        assert!(document.limited_by_windows().unwrap().starts_with("The receive window limits all 2 flows for 75.0 %"));
    }
}
