//! `ackclock quick`: which TCP over this path? A comparison without a file.

mod compared;
pub mod tcps;

mod path;
mod shown;
mod table;

use std::path::{Path, PathBuf};

use ackclock::record::stats;
use ackclock::record::{Columns, Metric, Records, Series};
use ackclock::sim::Engine;
use ackclock_report as page;
use ackclock_report::compare::Entry;
use ackclock_run::Wanted;
use ackclock_scenario::Loaded;
use ackclock_store::comparison::Comparison;
use ackclock_store::document::{Document, Run, ScenarioPart};
use clap::Parser;

use super::report;
use crate::args::{Cli, Command, QuickArgs, Technology};
use crate::failure::{Exit, Failure};
use crate::{console, diagnostics, interrupt, output, seeds};
use compared::{Asked, Compared};
use path::{QuickPath, load};
use shown::{Shown, columns};

/// Runs every TCP, drop policy or mixture over the path and compares them.
pub fn quick(args: &QuickArgs, command: Vec<String>) -> Result<Exit, Failure> {
    let asked = Asked::of(args)?;
    let path = QuickPath::of(args)?;
    let buffer = path.buffer(args);
    let variants = variants(args, &asked, &path)?;
    let out = args.out.clone().unwrap_or_else(|| default_path(&variants));
    let scenarios = variants.iter().map(|variant| &variant.loaded.scenario);
    seeds::warn_of_work(scenarios, args.seeds as usize, "--duration");
    let mut shown = Vec::new();
    for variant in variants {
        let path = out.join(&variant.compared.name);
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
            let technology = if args.technology == Technology::Atm { "ATM, " } else { "" };
            let path = format!("{technology}{}, RTT {}, buffer {buffer}, {seconds} s", args.rate, args.rtt);
            page::compare::compare_over(&entries(several), &DRAWN, &path)
        }
    };
    let path = out.join("report.html");
    // Whatever becomes of the file: the numbers have been computed and are shown.
    let written = report::write(&path, &page);
    output::print(&match args.json {
        true => Comparison::of(&results(&shown)).to_json(),
        false => format!("{}\n{}", table::table(args, &asked, buffer, &shown), table::chart(&asked, &shown)),
    })?;
    written?;
    console::note(format_args!("report in {}", path.display()));
    Ok(Exit::Fine)
}

/// The folders of the results that a command compares; `None` of another command.
pub fn names_of(command: &[String]) -> Option<Vec<String>> {
    let Command::Quick(args) = Cli::try_parse_from(command).ok()?.command else { return None };
    let asked = Asked::of(&args).ok()?;
    Some(asked.compared.into_iter().map(|compared| compared.name).collect())
}

/// One of the results that are compared, before it is run.
struct Variant {
    compared: Compared,
    loaded: Loaded,
}

fn variants(args: &QuickArgs, asked: &Asked, path: &QuickPath) -> Result<Vec<Variant>, Failure> {
    let mut variants: Vec<Variant> = Vec::new();
    for compared in &asked.compared {
        variants.push(Variant { compared: compared.clone(), loaded: load(args, path, asked, compared)? });
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

fn default_path(variants: &[Variant]) -> PathBuf {
    let all: String = variants.iter().map(|variant| variant.loaded.resolved.as_str()).collect();
    Path::new("results").join(format!("quick-{}", &blake3::hash(all.as_bytes()).to_hex()[..8]))
}

impl Variant {
    /// Runs it under all seeds and keeps the result; `None` if it was interrupted.
    fn run(self, path: &Path, command: &[String], seeds: u32) -> Result<Option<Shown>, Failure> {
        let Loaded { scenario: network, seed: first, resolved, warnings, .. } = self.loaded;
        let Compared { name, tcp, groups, policy } = self.compared;
        let scenario = ScenarioPart::of(&network, resolved).warned(diagnostics::sentences(&warnings));
        let window = network.flows.iter().map(|flow| flow.tcp.receive_window).max().unwrap_or(0);
        let flows: Vec<String> = network.flows.iter().map(|flow| flow.name.clone()).collect();
        let mut folder = seeds::prepare(path, &scenario)?;
        let wanted = Wanted::of(&network, &scenario);
        let seeds: Vec<u64> = (first..first.saturating_add(u64::from(seeds))).collect();
        let keep = |records: Records| {
            let run = folder.keep_recorded(&wanted, &scenario, Run::from(&records), &records)?;
            // Its numbers are nowhere else.
            interrupt::keep_finished();
            let mut rtts = vec![mean_rtt(&records.series, |_| true)];
            rtts.extend(groups.iter().map(|group| {
                mean_rtt(&records.series, |of| flows.iter().position(|name| name == of).is_some_and(|at| group.has(at)))
            }));
            let series = if records.seed == first { records.series } else { Vec::new() };
            Ok((run, rtts, series))
        };
        let (kept, failure) = seeds::run_all(network, seeds.iter().copied(), seeds.len(), Engine::default(), keep);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let mean = |index: usize| {
            let rtts: Vec<f64> = kept.iter().filter_map(|(_, rtts, _)| rtts[index]).collect();
            stats::summarize(&rtts).map(|summary| summary.mean)
        };
        let (rtt, group_rtts) = (mean(0), (1..=groups.len()).map(mean).collect());
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
        let receive_window = ackclock_scenario::size(window);
        let shown = Shown { name, tcp, policy, groups, document, receive_window, rtt, group_rtts, series };
        Ok(shown.document.complete.then_some(shown))
    }
}

/// The results as a comparison takes them.
fn entries(shown: &[Shown]) -> Vec<Entry> {
    let entry = |result: &Shown| Entry {
        label: result.name.clone(),
        document: result.document.clone(),
        series: result.series.clone(),
    };
    shown.iter().map(entry).collect()
}

fn results(shown: &[Shown]) -> Vec<(String, Document)> {
    shown.iter().map(|result| (result.name.clone(), result.document.clone())).collect()
}

fn mean_rtt(series: &[Series], is_of: impl Fn(&str) -> bool) -> Option<f64> {
    let values = columns(series, Metric::Rtt, is_of).flat_map(|columns| match columns {
        Columns::Points { value, .. } => value.as_slice(),
        _ => &[],
    });
    let values: Vec<f64> = values.copied().collect();
    stats::summarize(&values).map(|summary| summary.mean)
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
