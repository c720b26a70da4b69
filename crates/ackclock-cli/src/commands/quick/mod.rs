//! `ackclock quick`: which TCP over this path? A comparison without a file.

pub mod tcps;

mod path;

use std::path::{Path, PathBuf};

use ackclock::record::stats;
use ackclock::record::{Columns, Metric, Records, Series};
use ackclock::sim::Engine;
use ackclock::units::{Span, Time};
use ackclock_report as page;
use ackclock_report::compare::Entry;
use ackclock_report::terminal::{self, Letters, Line};
use ackclock_run::Wanted;
use ackclock_scenario::{Loaded, NOT_MODELLED_PAGE};
use ackclock_store::comparison::Comparison;
use ackclock_store::document::interval::Interval;
use ackclock_store::document::{Document, Run, ScenarioPart};
use clap::Parser;

use super::report;
use crate::args::{Cli, Command, QuickArgs};
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::table::{NOT_BELOW_0, align, spread};
use crate::{console, diagnostics, interrupt, output, seeds, spelling};
use path::{BOTTLENECK, LARGEST_WINDOW, QuickPath, load};
use tcps::{Tcp, tcp_names};

/// Runs every TCP over the path and compares them.
pub fn quick(args: &QuickArgs, command: Vec<String>) -> Result<Exit, Failure> {
    let variants = variants(args)?;
    let out = args.out.clone().unwrap_or_else(|| default_path(&variants));
    let scenarios = variants.iter().map(|variant| &variant.loaded.scenario);
    seeds::warn_of_work(scenarios, args.seeds as usize, "--duration");
    let mut shown = Vec::new();
    for variant in variants {
        let path = out.join(variant.name);
        match variant.run(&path, &command, args.seeds)? {
            Some(result) => shown.push(result),
            None => {
                console::note(format_args!("interrupted: finished runs are kept in {}", out.display()));
                return Ok(Exit::Interrupted);
            }
        }
    }
    let page = match &shown[..] {
        [one] => page::run::run(&one.document, one.document.runs[0].seed, &one.series),
        several => {
            let seconds = several[0].document.scenario.duration_s;
            let buffer = QuickPath::of(args).map_or("", |path| path.buffer(args));
            let path = format!("{}, RTT {}, buffer {buffer}, {seconds} s", args.rate, args.rtt);
            page::compare::compare_over(&entries(several), &DRAWN, &path)
        }
    };
    let path = out.join("report.html");
    // Whatever becomes of the file: the numbers have been computed and are shown.
    let written = report::write(&path, &page);
    output::print(&match args.json {
        true => Comparison::of(&results(&shown)).to_json(),
        false => format!("{}\n{}", table(args, &shown), chart(&shown)),
    })?;
    written?;
    console::note(format_args!("report in {}", path.display()));
    Ok(Exit::Fine)
}

/// The folders of the results that a command compares, by the TCPs that it names; `None` of another command.
pub fn names_of(command: &[String]) -> Option<Vec<&'static str>> {
    let Command::Quick(args) = Cli::try_parse_from(command).ok()?.command else { return None };
    args.tcp.iter().map(|wanted| Some(Tcp::named(wanted)?.name)).collect()
}

/// One TCP over the path.
struct Variant {
    /// What it was called on the command line.
    name: &'static str,
    loaded: Loaded,
}

/// What came out for one TCP.
struct Shown {
    name: &'static str,
    document: Document,
    /// Mean round trip over all runs, seconds.
    rtt: Option<f64>,
    /// What the first seed recorded.
    series: Vec<Series>,
}

fn variants(args: &QuickArgs) -> Result<Vec<Variant>, Failure> {
    let path = QuickPath::of(args)?;
    let mut variants: Vec<Variant> = Vec::new();
    for wanted in &args.tcp {
        let tcp = Tcp::named(wanted).ok_or_else(|| unknown_tcp(wanted))?;
        if variants.iter().all(|variant| variant.name != tcp.name) {
            variants.push(Variant { name: tcp.name, loaded: load(args, &path, &tcp)? });
        }
    }
    // What is wrong with the path is wrong for every TCP.
    let mut warnings = Vec::new();
    for warning in variants.iter().flat_map(|variant| &variant.loaded.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    diagnostics::print(&warnings);
    Ok(variants)
}

fn unknown_tcp(wanted: &str) -> Failure {
    let known = tcp_names();
    if let Some(name) = ackclock_scenario::not_modelled(wanted) {
        let help = format!("not modelled: {name}; {NOT_MODELLED_PAGE} lists what is not modelled");
        return Failure::usage(format_args!("unknown TCP `{wanted}`"), help);
    }
    let help = match spelling::nearest(wanted, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Failure::usage(format_args!("unknown TCP `{wanted}`"), help)
}

fn default_path(variants: &[Variant]) -> PathBuf {
    let all: String = variants.iter().map(|variant| variant.loaded.resolved.as_str()).collect();
    Path::new("results").join(format!("quick-{}", &blake3::hash(all.as_bytes()).to_hex()[..8]))
}

impl Variant {
    /// Runs it under all seeds and keeps the result; `None` if it was interrupted.
    fn run(self, path: &Path, command: &[String], seeds: u32) -> Result<Option<Shown>, Failure> {
        let Loaded { scenario: network, seed: first, resolved, warnings, .. } = self.loaded;
        let scenario = ScenarioPart::of(&network, resolved).warned(diagnostics::sentences(&warnings));
        let mut folder = seeds::prepare(path, &scenario)?;
        let wanted = Wanted::of(&network, &scenario);
        let seeds: Vec<u64> = (first..first.saturating_add(u64::from(seeds))).collect();
        let keep = |records: Records| {
            let run = Run::from(&records);
            folder.keep_recorded(&wanted, &scenario, &run, &records)?;
            // Its numbers are nowhere else.
            interrupt::keep_finished();
            let rtt = mean_rtt(&records.series);
            let series = if records.seed == first { records.series } else { Vec::new() };
            Ok((run, rtt, series))
        };
        let (kept, failure) = seeds::run_all(network, seeds.iter().copied(), seeds.len(), Engine::default(), keep);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let rtts: Vec<f64> = kept.iter().filter_map(|(_, rtt, _)| *rtt).collect();
        let (mut runs, mut series) = (Vec::new(), Vec::new());
        for (run, _, recorded) in kept {
            runs.push(run);
            series.extend(recorded);
        }
        let document = Document::new(command.to_vec(), scenario, seeds, runs);
        if !document.runs.is_empty() {
            seeds::write(&mut folder, &document)?;
            seeds::announce_captures(&wanted, &folder);
        }
        let rtt = stats::summarize(&rtts).map(|summary| summary.mean);
        Ok(document.complete.then_some(Shown { name: self.name, document, rtt, series }))
    }
}

/// The results as a comparison takes them.
fn entries(shown: &[Shown]) -> Vec<Entry> {
    let entry = |result: &Shown| Entry {
        label: result.name.to_owned(),
        document: result.document.clone(),
        series: result.series.clone(),
    };
    shown.iter().map(entry).collect()
}

fn results(shown: &[Shown]) -> Vec<(String, Document)> {
    shown.iter().map(|result| (result.name.to_owned(), result.document.clone())).collect()
}

fn columns(series: &[Series], metric: Metric) -> impl Iterator<Item = &Columns> {
    series.iter().filter(move |series| series.metric == metric).map(|series| &series.columns)
}

fn mean_rtt(series: &[Series]) -> Option<f64> {
    let values = columns(series, Metric::Rtt).flat_map(|columns| match columns {
        Columns::Points { value, .. } => value.as_slice(),
        _ => &[],
    });
    let values: Vec<f64> = values.copied().collect();
    stats::summarize(&values).map(|summary| summary.mean)
}

fn table(args: &QuickArgs, shown: &[Shown]) -> String {
    let first = &shown[0].document;
    let flows = if args.flows == 1 { "one flow".to_owned() } else { plural(args.flows as usize, "flow") };
    let title = format!(
        "{}, RTT {}, buffer {}: {flows} for {} s{}, {}\n{}\n",
        args.rate,
        args.rtt,
        QuickPath::of(args).map_or("", |path| path.buffer(args)),
        first.scenario.duration_s,
        first.warmup_words(),
        seeds(shown),
        assumptions(args, &first.scenario.resolved),
    );
    let header = ["TCP", "Mb/s", "+/- 95 %", "efficiency", "RTT ms", "rtx", "timeouts", "mean queue", "drops"];
    let mut rows = vec![header.map(String::from).to_vec()];
    if shown.iter().any(|result| result.document.summary.flows.len() > 1) {
        rows[0].push("fairness".into());
    }
    rows.extend(shown.iter().map(Shown::row));
    title + &align(rows)
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
fn assumptions(args: &QuickArgs, resolved: &str) -> String {
    let value = |key: &str| {
        let line = resolved.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let limit = format!("{LARGEST_WINDOW} B");
    let window = match value("receive_window") {
        window if window == limit => format!("{window} (the maximum of TCP)"),
        window => window,
    };
    let mut parts = vec![format!("dialect {}", value("dialect")), format!("receive window {window}")];
    if args.flows > 1 {
        parts.push("flows begin at random within one round trip".to_owned());
    }
    let policy = value("policy");
    if policy != TAIL_DROP {
        parts.push(format!("queue {policy}"));
    }
    parts.extend(args.loss.as_ref().map(|loss| format!("loss of data {loss}")));
    parts.extend(args.jitter.as_ref().map(|jitter| format!("jitter of data up to {jitter}")));
    parts.join(", ")
}

impl Shown {
    fn row(&self) -> Vec<String> {
        let document = self.document.after_warmup();
        let summary = &document.summary;
        let number = |interval: &Option<Interval>, scale: f64, digits: usize| {
            interval.map_or("-".into(), |interval| format!("{:.digits$}", interval.mean * scale))
        };
        let sum =
            |of: fn(&ackclock_store::document::summary::FlowSummary) -> f64| summary.flows.iter().map(of).sum::<f64>();
        let port = summary.ports.iter().find(|port| port.name == BOTTLENECK);
        let mut row = vec![
            self.name.to_owned(),
            number(&summary.goodput_bps, 1e-6, 3),
            summary.goodput_bps.map_or("-".into(), |goodput| spread(&goodput, 1e-6, 3, NOT_BELOW_0)),
            number(&summary.efficiency, 1.0, 3),
            self.rtt.map_or("-".into(), |rtt| format!("{:.1}", rtt * 1e3)),
            format!("{:.1}", sum(|flow| flow.counts.retransmissions.mean)),
            format!("{:.1}", sum(|flow| flow.counts.timeouts.mean)),
            port.map_or("-".into(), |port| format!("{:.1}", port.mean_queue.mean)),
            port.map_or("-".into(), |port| format!("{:.1}", port.drops.total.mean)),
        ];
        if summary.flows.len() > 1 {
            row.push(number(&summary.fairness, 1.0, 3));
        }
        row
    }
}

/// The windows over time, all on one scale.
fn chart(shown: &[Shown]) -> String {
    let line = |result: &Shown| {
        let end = Time::ZERO + Span::from_ps((result.document.scenario.duration_s * 1e12) as u64);
        let cwnd = columns(&result.series, Metric::Cwnd).next();
        let values = cwnd.map_or(Vec::new(), |cwnd| terminal::averages(cwnd, end, CHART_WIDTH));
        Line { label: result.name.to_owned(), values }
    };
    let lines: Vec<Line> = shown.iter().map(line).collect();
    let title = format!("cwnd of f1 over {} s", shown[0].document.scenario.duration_s);
    terminal::chart(&title, &lines, letters(), |top| format!("{:.0} kB", top / 1000.0))
}

/// What the terminal can show, by what its language settings say.
fn letters() -> Letters {
    let setting =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let unicode = setting.is_some_and(|value| value.to_lowercase().replace('-', "").contains("utf8"));
    if unicode { Letters::Blocks } else { Letters::Ascii }
}

/// What the report draws.
const DRAWN: [Metric; 9] = [
    Metric::Cwnd,
    Metric::Ssthresh,
    Metric::Throughput,
    Metric::Rtt,
    Metric::Rto,
    Metric::Acknowledged,
    Metric::Sent,
    Metric::Retransmissions,
    Metric::Queue,
];
const CHART_WIDTH: usize = 72;
const TAIL_DROP: &str = "tail-drop";
