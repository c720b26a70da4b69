//! The table and the chart of `quick` in a terminal.

use ackclock::record::metrics::jain;
use ackclock::record::{Metric, stats};
use ackclock::units::{Span, Time};
use ackclock_report::terminal::{self, Letters, Line};
use ackclock_store::document::interval::Interval;
use ackclock_store::document::summary::FlowSummary;
use ackclock_store::document::{Document, Run};

use super::compared::{Asked, Group};
use super::path::{BOTTLENECK, LARGEST_WINDOW};
use super::shown::{Shown, columns};
use crate::args::{QuickArgs, Technology};
use crate::diagnostics::plural;
use crate::table::{NOT_BELOW_0, align, spread};

/// The title, what all results have in common, and a row for each; of a mixture also one for each of its TCPs.
pub fn table(args: &QuickArgs, asked: &Asked, buffer: &str, shown: &[Shown]) -> String {
    let first = &shown[0].document;
    let flows = if asked.flows == 1 { "one flow".to_owned() } else { plural(asked.flows as usize, "flow") };
    let title = format!(
        "{}, RTT {}, buffer {buffer}: {flows} for {} s{}, {}\n{}\n",
        args.rate,
        args.rtt,
        first.scenario.duration_s,
        first.warmup_words(),
        seeds(shown),
        assumptions(args, asked, &shown[0]),
    );
    let header = ["Mb/s", "+/- 95 %", "efficiency", "RTT ms", "rtx", "timeouts", "mean queue", "drops"];
    let has_fairness = asked.flows > 1;
    let names = ["TCP", "policy"].into_iter().take(1 + usize::from(asked.several_policies));
    let last = has_fairness.then_some("fairness");
    let mut rows = vec![names.chain(header).chain(last).map(String::from).collect::<Vec<_>>()];
    for result in shown {
        let document = result.document.after_warmup();
        let mut names = vec![result.tcp.clone()];
        names.extend(asked.several_policies.then(|| result.policy.clone()));
        rows.push([names, whole(result, &document, has_fairness)].concat());
        let of_mixture = result.groups.iter().enumerate().filter(|_| result.groups.len() > 1);
        for (index, group) in of_mixture {
            let mut names = vec![format!("  {}, {}", group.tcp.name, group.names())];
            names.extend(asked.several_policies.then(String::new));
            rows.push([names, part(result.group_rtts[index], group, &document, has_fairness)].concat());
        }
    }
    title + &align(rows)
}

/// The numbers of all flows.
fn whole(result: &Shown, document: &Document, has_fairness: bool) -> Vec<String> {
    let summary = &document.summary;
    let sum = |of: fn(&FlowSummary) -> f64| summary.flows.iter().map(of).sum::<f64>();
    let port = summary.ports.iter().find(|port| port.name == BOTTLENECK);
    let mut row = vec![
        number(&summary.goodput_bps, 1e-6, 3),
        summary.goodput_bps.map_or("-".into(), |goodput| spread(&goodput, 1e-6, 3, NOT_BELOW_0)),
        number(&summary.efficiency, 1.0, 3),
        milliseconds(result.rtt),
        format!("{:.1}", sum(|flow| flow.counts.retransmissions.mean)),
        format!("{:.1}", sum(|flow| flow.counts.timeouts.mean)),
        port.map_or("-".into(), |port| format!("{:.1}", port.mean_queue.mean)),
        port.map_or("-".into(), |port| format!("{:.1}", port.drops.total.mean)),
    ];
    if has_fairness {
        row.push(number(&summary.fairness, 1.0, 3));
    }
    row
}

/// The numbers of the flows with one TCP of a mixture; queue and drops are those of all.
fn part(rtt: Option<f64>, group: &Group, document: &Document, has_fairness: bool) -> Vec<String> {
    let goodputs = |run: &Run| -> Vec<f64> {
        run.flows.iter().enumerate().filter(|(index, _)| group.has(*index)).map(|(_, flow)| flow.goodput_bps).collect()
    };
    let goodput = over(document, |run| Some(goodputs(run).iter().sum()));
    let fairness = over(document, |run| jain(goodputs(run).into_iter()));
    let flows = document.summary.flows.iter().enumerate();
    let own: Vec<_> = flows.filter(|(index, _)| group.has(*index)).map(|(_, flow)| flow).collect();
    let all = document.summary.goodput_bps.zip(document.summary.efficiency).filter(|(all, _)| all.mean > 0.0);
    let efficiency = goodput.zip(all).map(|(own, (all, share))| own.mean / all.mean * share.mean);
    let mut row = vec![
        number(&goodput, 1e-6, 3),
        goodput.map_or("-".into(), |goodput| spread(&goodput, 1e-6, 3, NOT_BELOW_0)),
        efficiency.map_or("-".into(), |efficiency| format!("{efficiency:.3}")),
        milliseconds(rtt),
        format!("{:.1}", own.iter().map(|flow| flow.counts.retransmissions.mean).sum::<f64>()),
        format!("{:.1}", own.iter().map(|flow| flow.counts.timeouts.mean).sum::<f64>()),
        String::new(),
        String::new(),
    ];
    if has_fairness {
        row.push(number(&fairness, 1.0, 3));
    }
    row
}

/// A number of each run over all of them; `None` if a run has none.
fn over(document: &Document, number: impl Fn(&Run) -> Option<f64>) -> Option<Interval> {
    let values: Vec<f64> = document.runs.iter().map(number).collect::<Option<_>>()?;
    stats::summarize(&values).map(Interval::from)
}

fn number(interval: &Option<Interval>, scale: f64, digits: usize) -> String {
    interval.map_or("-".into(), |interval| format!("{:.digits$}", interval.mean * scale))
}

fn milliseconds(rtt: Option<f64>) -> String {
    rtt.map_or("-".into(), |rtt| format!("{:.1}", rtt * 1e3))
}

/// The seeds in words, and whether they make any difference.
fn seeds(shown: &[Shown]) -> String {
    let seeds = plural(shown[0].document.seeds.len(), "seed");
    let alike = |result: &Shown| {
        let runs = &result.document.runs;
        runs.len() > 1 && runs.iter().all(|run| run.fingerprint == runs[0].fingerprint)
    };
    if shown.iter().all(alike) { format!("{seeds} without effect: nothing is random") } else { seeds }
}

/// What all of these TCPs are, and what else the path does.
fn assumptions(args: &QuickArgs, asked: &Asked, first: &Shown) -> String {
    let value = |key: &str| {
        let line =
            first.document.scenario.resolved.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let window = match &first.receive_window {
        window if *window == ackclock_scenario::size(LARGEST_WINDOW) => format!("{window} (the maximum of TCP)"),
        window => window.clone(),
    };
    let mut parts = vec![format!("dialect {}", value("dialect")), format!("receive window {window}")];
    if args.technology == Technology::Atm {
        parts.insert(0, "ATM".to_owned());
        parts.push("queues and drops in cells".to_owned());
    }
    if asked.flows > 1 {
        parts.push("flows begin at random within one round trip".to_owned());
    }
    let policy = value("policy");
    if policy != TAIL_DROP && !asked.several_policies {
        parts.push(format!("queue {policy}"));
    }
    parts.extend(args.loss.as_ref().map(|loss| format!("loss of data {loss}")));
    parts.extend(args.jitter.as_ref().map(|jitter| format!("jitter of data up to {jitter}")));
    parts.join(", ")
}

/// The windows over time, all on one scale: of one flow of each TCP.
pub fn chart(asked: &Asked, shown: &[Shown]) -> String {
    let duration_s = shown[0].document.scenario.duration_s;
    let end = Time::ZERO + Span::from_ps((duration_s * 1e12) as u64);
    let is_mixture = shown.iter().any(|result| result.groups.len() > 1);
    let mut lines = Vec::new();
    for result in shown {
        for group in &result.groups {
            let name = format!("f{}", group.first);
            let cwnd = columns(&result.series, Metric::Cwnd, |of| of == name).next();
            let values = cwnd.map_or(Vec::new(), |cwnd| terminal::averages(cwnd, end, CHART_WIDTH));
            let label = match (is_mixture, asked.several_policies) {
                (false, _) => result.name.clone(),
                (true, false) => format!("{} {name}", group.tcp.name),
                (true, true) => format!("{} {name} {}", group.tcp.name, result.policy),
            };
            lines.push(Line { label, values });
        }
    }
    let whose = if is_mixture { "the first flow of each TCP" } else { "f1" };
    terminal::chart(&format!("cwnd of {whose} over {duration_s} s"), &lines, letters(), |top| {
        format!("{:.0} kB", top / 1000.0)
    })
}

/// What the terminal can show, by what its language settings say.
fn letters() -> Letters {
    let setting =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let unicode = setting.is_some_and(|value| value.to_lowercase().replace('-', "").contains("utf8"));
    if unicode { Letters::Blocks } else { Letters::Ascii }
}

const CHART_WIDTH: usize = 72;
const TAIL_DROP: &str = "tail-drop";
