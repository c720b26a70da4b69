//! Live runs: one after the other, the table, the result folder.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use ackclock::measure::Expression;
use ackclock::record::Histogram;
use ackclock::scenario::Scenario;
use ackclock::units::Span;
use ackclock_live::session::{Choices, Live, Outcome};
use ackclock_live::settings::{FlowSettings, Settings};
use ackclock_live::{ErrorKind, LiveError, emulator, names};
use ackclock_report::captures::pcapng::Real;
use ackclock_run::{Folder, Wanted};
use ackclock_scenario::Loaded;
use ackclock_store::document::live::{self as part, Lateness, LiveRun, Validity};
use ackclock_store::document::{Document, Run, ScenarioPart};

use crate::args::LiveArgs;
use crate::failure::{Exit, Failure};
use crate::progress::Reporter;
use crate::{console, diagnostics, interrupt, load, output, seeds, table};

/// Runs a scenario on the TCP of this machine, or does what needs no scenario.
pub fn live(args: &LiveArgs, command: Vec<String>) -> Result<Exit, Failure> {
    match &args.file {
        None if args.clean => clean(),
        None => self_test(),
        Some(file) => run(args, file, command),
    }
}

fn run(args: &LiveArgs, file: &str, command: Vec<String>) -> Result<Exit, Failure> {
    interrupt::say_at_end("nothing was run".into());
    let Loaded { scenario, seed, resolved, warnings, .. } =
        load::load(file, &args.asked.sets(), Some("nothing was run"))?;
    let measures = ackclock_scenario::sweep::asked_or_of_files(&args.asked.measure, &scenario)
        .map_err(|diagnostics| Failure::Scenario { diagnostics, consequence: Some("nothing was run") })?;
    let seeds = crate::commands::run::seeds(seed, args.seeds)?;
    let part = ScenarioPart::of(&scenario, resolved).warned(diagnostics::sentences(&warnings));
    let live = Live::new(&scenario).map_err(failure)?;
    announce(live.settings(), &scenario, args.seeds);
    let path = args.out.clone().unwrap_or_else(|| default_path(&part));
    let mut folder = seeds::prepare(&path, &part)?;
    let wanted = Wanted::of(&scenario, &part).between(Real {
        system: ackclock_live::machine::kernel(),
        first_address: ackclock_live::FIRST_HOST,
        sender_port: ackclock_live::FIRST_SENDER_PORT,
        receiver_port: ackclock_live::FIRST_PORT,
    });
    let mut runs: Vec<Run> = Vec::new();
    let mut reporter = Reporter::new();
    let stop = interrupt::watch();
    for seed in seeds.clone() {
        let done = runs.len() as f64;
        let duration = scenario.duration.as_secs_f64();
        let mut watch = |now: ackclock::units::Time| {
            let share = now.as_secs_f64() / duration;
            reporter.update((done + share) / f64::from(args.seeds), |_| {
                format!("run {} of {}, {:.1} of {duration:.1} s live", done + 1.0, args.seeds, now.as_secs_f64())
            });
        };
        let outcome =
            live.run(seed, Choices { named: args.named, ..Choices::default() }, stop, &mut watch).map_err(failure);
        let outcome = match outcome {
            Ok(outcome) if outcome.emulated.records.complete => outcome,
            _ if stop.load(Ordering::Relaxed) => break,
            Ok(_) => return Err(Failure::defect("a live run ended before its time")),
            Err(failure) if runs.is_empty() => return Err(failure),
            // The runs before are written.
            Err(failure) => {
                failure.report();
                break;
            }
        };
        let run = of_outcome(&outcome, &measures, &scenario);
        runs.push(folder.keep_recorded(&wanted, &part, run, &outcome.emulated.records)?);
        // From here on there is something to write.
        interrupt::keep_finished();
    }
    reporter.clear();
    interrupt::keep_finished();
    let document = Document::new(command, part, seeds.collect(), runs).of_live(of_settings(live.settings(), &scenario));
    finish(&mut folder, &wanted, &document, args.asked.json)
}

/// Says what the kernel does in another way than the scenario says, and how long it takes.
fn announce(settings: &Settings, scenario: &Scenario, runs: u32) {
    for difference in &settings.differences {
        console::note(format_args!("note: {difference}"));
    }
    let seconds = scenario.duration.as_secs_f64() * f64::from(runs);
    if seconds > LONG_S {
        console::note(format_args!("note: this takes {seconds:.0} s; Ctrl-C stops it, and what is finished is kept"));
    }
}

/// A live result has another folder than a simulated one.
fn default_path(part: &ScenarioPart) -> PathBuf {
    let mut path = Folder::default_path(part).into_os_string();
    path.push("-live");
    path.into()
}

fn of_outcome(outcome: &Outcome, measures: &[Expression], scenario: &Scenario) -> Run {
    let mut run = Run::from(&outcome.emulated.records);
    if !measures.is_empty() {
        run = run.measured(measures, scenario, &outcome.emulated.records);
    }
    run.live = Some(LiveRun {
        verdict: match outcome.emulated.verdict {
            emulator::Verdict::Valid => Validity::Valid,
            emulator::Verdict::Degraded => Validity::Degraded,
            emulator::Verdict::Invalid => Validity::Invalid,
        },
        reasons: outcome.emulated.reasons.clone(),
        lateness: lateness(&outcome.emulated.lateness),
        host_lateness: lateness(&outcome.emulated.host_lateness),
        pauses_felt: outcome.emulated.felt.all,
        drops_outside: outcome.emulated.outside.drops(),
        load: outcome.load,
        processor: outcome.processor,
        trace: if outcome.sees_acknowledgements { "tcp-probe".into() } else { "tcp-info".into() },
        poll_s: outcome.poll.as_secs_f64(),
        problems: outcome.problems.clone(),
    });
    run
}

fn lateness(late: &Histogram) -> Lateness {
    let seconds = |span: Option<Span>| span.map(Span::as_secs_f64);
    let [p50_s, p99_s, p999_s] = late.quantiles([500, 990, 999]).map(seconds);
    Lateness { packets: late.count(), p50_s, p99_s, p999_s, max_s: seconds(late.max()) }
}

fn of_settings(settings: &Settings, scenario: &Scenario) -> part::Live {
    let algorithm = |flow: &FlowSettings| part::KernelAlgorithm {
        name: flow.algorithm.name.clone(),
        kernel_name: flow.algorithm.kernel.to_string(),
    };
    let mut congestion_controls: Vec<part::KernelAlgorithm> = settings.flows.iter().map(algorithm).collect();
    congestion_controls.sort_by(|a, b| a.name.cmp(&b.name));
    congestion_controls.dedup();
    let mut all = Vec::new();
    for (node, of_host) in &settings.hosts {
        let host = &scenario.nodes[*node].name;
        all.extend(of_host.listed().map(|(setting, value)| part::Setting { host: host.clone(), setting, value }));
    }
    part::Live {
        kernel: ackclock_live::machine::kernel(),
        congestion_controls,
        settings: all,
        differences: settings.differences.clone(),
    }
}

/// Writes the result, and prints it unless it measures the machine.
fn finish(folder: &mut Folder, wanted: &Wanted, document: &Document, json: bool) -> Result<Exit, Failure> {
    let (finished, asked) = (document.runs.len(), diagnostics::plural(document.seeds.len(), "run"));
    if finished == 0 {
        console::note(format_args!("interrupted: none of {asked} was finished, nothing was written"));
        return Ok(Exit::Interrupted);
    }
    // What is not complete never replaces what is.
    let write = document.complete || !folder.holds_complete();
    let written = if write { seeds::write(folder, document) } else { Ok(()) };
    let invalid: Vec<&Run> = document.runs.iter().filter(|run| is_invalid(run)).collect();
    let shown = match (json, invalid.is_empty()) {
        // Who reads the document reads the verdict.
        (true, _) => output::print(&document.to_json()),
        (false, true) => output::print(&table::render(document)),
        (false, false) => Ok(()),
    };
    let place = folder.path().display();
    written?;
    shown?;
    of_runs(document);
    if write {
        seeds::announce_captures(wanted, folder);
        console::note(format_args!("results in {place}"));
    }
    if !invalid.is_empty() {
        let why: Vec<&str> =
            invalid.iter().flat_map(|run| run.live.iter().flat_map(|live| &live.reasons)).map(String::as_str).collect();
        let (count, why) = (invalid.len(), why.join("; "));
        return Err(Failure::outside(
            format_args!("{count} of {asked} is invalid, it measures this machine and not the scenario: {why}"),
            "end other programs, or lower rates; `ackclock doctor` says what this machine lacks",
        ));
    }
    match document.complete {
        true => Ok(Exit::Fine),
        false => {
            let beside = if write { "" } else { "; the earlier complete result stays, and nothing was written" };
            console::note(format_args!("{finished} of {asked} finished{beside}"));
            Ok(Exit::Interrupted)
        }
    }
}

fn is_invalid(run: &Run) -> bool {
    run.live.as_ref().is_some_and(|live| live.verdict == Validity::Invalid)
}

/// What there is to say of runs that are not as good as they should be.
fn of_runs(document: &Document) {
    for run in &document.runs {
        let Some(live) = &run.live else { continue };
        let degraded = live.reasons.iter().filter(|_| live.verdict == Validity::Degraded);
        for text in degraded.chain(&live.problems) {
            console::note(format_args!("warning: run of seed {}: {text}", run.seed));
        }
    }
}

/// Takes away what killed runs have left.
fn clean() -> Result<Exit, Failure> {
    let cleaned = names::clean().map_err(failure)?;
    match cleaned.len() {
        0 => console::note(format_args!("nothing is left of live runs")),
        _ => console::note(format_args!("taken away: {}", cleaned.join(", "))),
    }
    Ok(Exit::Fine)
}

/// Measures how exact this machine is.
fn self_test() -> Result<Exit, Failure> {
    console::note(format_args!("measuring rates and delays, which takes about half a minute"));
    let test = emulator::self_test().map_err(failure)?;
    output::print(&format!("{test}\n"))?;
    Ok(if test.passes() { Exit::Fine } else { Exit::Outside })
}

fn failure(error: LiveError) -> Failure {
    let exit = match error.kind() {
        ErrorKind::Scenario => Exit::Invalid,
        ErrorKind::Machine => Exit::Outside,
    };
    Failure::Message { exit, text: error.to_string(), help: error.help().to_owned() }
}

/// Longer runs are announced.
const LONG_S: f64 = 60.0;
