//! `ackclock run`: simulate under each seed, print the table, keep the result.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ackclock::measure::Expression;
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim::{self, Engine, RESULT_VERSION};
use ackclock_run::{Estimate, Folder, Wanted};
use ackclock_scenario::sweep::{Request, Sweep};
use ackclock_scenario::{Disk, Loaded};
use ackclock_store::Key;
use ackclock_store::document::{Document, Run, ScenarioPart};

use crate::args::RunArgs;
use crate::failure::{Exit, Failure};
use crate::progress::Reporter;
use crate::room::{self, Need, size};
use crate::{console, diagnostics, interrupt, load, output, seeds, table};

/// Runs a scenario file.
pub fn run(args: &RunArgs, command: Vec<String>) -> Result<Exit, Failure> {
    interrupt::say_at_end("nothing was run".into());
    let Loaded { scenario, seed, resolved, warnings, .. } =
        load::load(&args.file, &args.asked.sets(), Some("nothing was run"))?;
    let measures = ackclock_scenario::sweep::asked_or_of_files(&args.asked.measure, &scenario)
        .map_err(|diagnostics| Failure::Scenario { diagnostics, consequence: Some("nothing was run") })?;
    let (seeds, count) = (seeds(seed, args.seeds)?, args.seeds as usize);
    let part = ScenarioPart::of(&scenario, resolved).warned(diagnostics::sentences(&warnings));
    let mut folder = seeds::prepare(&args.out.clone().unwrap_or_else(|| Folder::default_path(&part)), &part)?;
    if count > 1 && !sim::has_randomness(&scenario) {
        console::note(format_args!("note: this scenario has no randomness: every seed gives the same result"));
    }
    let wanted = Wanted::of(&scenario, &part);
    let (mut before, damage) = folder.finished_before(&wanted, &part, &seeds)?;
    if !damage.is_none() {
        console::note(format_args!("warning: {damage}"));
    }
    let finished = before.len();
    before.retain(|run| run.measures.keys().eq(measures.iter().map(Expression::text).collect::<BTreeSet<_>>()));
    if before.len() < finished {
        let runs = diagnostics::plural(finished - before.len(), "run");
        console::note(format_args!("{runs} finished before with other measures: run again"));
    }
    if !before.is_empty() {
        console::note(format_args!("resuming: {} of {} runs were finished before", before.len(), count));
    }
    // Who asks for the reference engine wants it to do the runs.
    if wanted.is_nothing() && before.len() < count && Engine::from(args.engine) == Engine::Batched {
        take_beside(&folder, args, scenario.recording.delays, &measures, &seeds, &mut before);
    }
    let of_all = diagnostics::plural(count, "run");
    match before.len() {
        0 => interrupt::say_at_end(format!("none of {of_all} was finished, nothing was written")),
        before => interrupt::say_at_end(format!("{before} of {of_all} finished before and kept\n{GO_ON}")),
    }
    seeds::warn_of_work(std::iter::once(&scenario), count - before.len(), "--set duration=10s");
    let recorded = warn_of_much(&scenario, &part, seed, count - before.len());
    refuse_beyond_room(&scenario, &recorded, (count, before.len()), &folder)?;
    let alone = count == 1;
    // Of many flows there is no room for it twice.
    let scenario = Arc::new(scenario);
    let network = (!measures.is_empty()).then(|| scenario.clone());
    // Of many flows only the table is made of what stays in memory, and it does not show what each did at each port.
    let is_of_many = wanted.has_many_flows() && !args.asked.json && !scenario.recording.delays && !scenario.has_abr();
    let kept_runs = AtomicUsize::new(before.len());
    let keep = |finished: Records| {
        let run = if is_of_many { Run::together(&finished) } else { Run::from(&finished) };
        let run = match &network {
            Some(network) => run.measured(&measures, network, &finished),
            None => run,
        };
        // The only run is in the result at once.
        let run = match alone {
            true => folder.keep_recorded(&wanted, &part, run, &finished),
            false => folder.keep(&wanted, &part, run, &finished),
        }?;
        if !alone {
            let (n, place) = (kept_runs.fetch_add(1, Ordering::Relaxed) + 1, folder.path().display());
            interrupt::say_at_end(format!("{n} of {of_all} finished and kept in {place}\n{GO_ON}"));
        }
        Ok(if is_of_many { run.with_parts(finished) } else { run })
    };
    let (runs, failure) = simulate(scenario, &seeds, count, args.engine.into(), before, keep);
    let document = if is_of_many { Document::together } else { Document::new };
    finish(&mut folder, &wanted, document(command, part, seeds.collect(), runs), failure, args.asked.json)
}

/// Adds what sweeps beside the folder keep of the runs that are missing, and says where it is.
fn take_beside(
    folder: &Folder,
    args: &RunArgs,
    delays: bool,
    measures: &[Expression],
    seeds: &RangeInclusive<u64>,
    before: &mut Vec<Run>,
) {
    let sweeps = ackclock_sweep::sweeps_beside(folder.path());
    if sweeps.is_empty() {
        return;
    }
    // A sweep without dimensions has one point, the scenario as sweeps run it: they count delays unless it says not to.
    let request =
        Request { file: &args.file, sets: &args.asked.sets(), measures: &args.asked.measure, ..Request::default() };
    let Ok(point) = Sweep::read(&Disk, &request).and_then(|sweep| sweep.load(0)) else { return };
    let is_open = |seed: &u64| before.iter().all(|run| run.seed != *seed);
    let key = Key::of_scenario(&point.resolved, RESULT_VERSION);
    let keys: BTreeSet<Key> = seeds.clone().filter(is_open).map(|seed| key.with_seed(seed, RESULT_VERSION)).collect();
    let found = ackclock_sweep::kept_runs(&sweeps, &keys, measures);
    let places: BTreeSet<String> = found.iter().map(|kept| kept.folder.display().to_string()).collect();
    if !places.is_empty() {
        let (taken, count) = (found.len(), seeds.end() - seeds.start() + 1);
        let places = places.into_iter().collect::<Vec<_>>().join(", ");
        console::note(format_args!("{taken} of {count} runs were finished by a sweep, in {places}: not run again"));
    }
    before.extend(found.into_iter().map(|kept| if delays { kept.run } else { kept.run.without_delays() }));
}

/// Refuses runs of which not even the least that they are going to write and to hold fits on the disk and into memory. `recorded` is
/// what they are going to record; `runs` is how many there are, and how many of them are finished.
fn refuse_beyond_room(
    scenario: &Scenario,
    recorded: &Need,
    (runs, finished): (usize, usize),
    folder: &Folder,
) -> Result<(), Failure> {
    let document = ackclock_run::document_bytes(scenario);
    // Until the result is written, each run is in the ledger and in the document.
    let disk = recorded.disk + document * (2 * runs - finished) as f64;
    // The scenario is there once, and a network of it for each run that goes on.
    let at_a_time = seeds::cores().min(runs - finished).max(1) as f64;
    let network = ackclock_run::network_bytes(scenario) * (1.0 + OF_A_NETWORK * (at_a_time - 1.0));
    // A run is finished when its network is gone.
    let others = runs.saturating_sub(1) as f64 * ackclock_run::run_bytes(scenario);
    let memory = network + recorded.memory + others;
    room::refuse_beyond(
        Need { disk, memory },
        folder.path(),
        "run fewer seeds, or record less (--record, --record-interval)",
    )
}

/// Says how much so many runs are going to record, if it is much; the least that it takes.
fn warn_of_much(scenario: &Scenario, part: &ScenarioPart, seed: u64, runs: usize) -> Need {
    let mut reporter = Reporter::new();
    let mut watch = |fraction| reporter.update(fraction, |_| "estimating the size of the records".into());
    let estimate = Estimate::of_much(scenario, part, seed, runs, interrupt::watch(), &mut watch);
    reporter.clear();
    let Some(estimate) = estimate else { return Need { disk: 0.0, memory: 0.0 } };
    if estimate.is_much(runs) {
        console::note(format_args!("{}", much(&estimate, runs)));
    }
    // Of the runs that go on at a time, the records are in memory.
    let at_a_time = seeds::cores().min(runs) as f64;
    Need { disk: estimate.low * runs as f64, memory: estimate.memory_bytes * at_a_time }
}

/// What so many runs are going to record, and what would be less.
fn much(estimate: &Estimate, runs: usize) -> String {
    let mut parts = estimate.parts.clone();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let of_all = |bytes: f64| size(bytes * runs as f64);
    let largest: Vec<String> = parts.iter().take(3).map(|(name, bytes)| format!("{name} {}", of_all(*bytes))).collect();
    let all = match estimate.is_close() {
        true => format!("about {}", of_all(estimate.bytes)),
        false => format!("between {} and {}", of_all(estimate.low), of_all(estimate.high)),
    };
    format!(
        "note: the records will take {all} ({}), estimated from runs of up to {:.3} s\n\
         less: fewer metrics (--record), longer intervals (--record-interval), fewer seeds; Ctrl-C stops it",
        largest.join(", "),
        estimate.simulated.as_secs_f64(),
    )
}

/// `count` seeds, beginning with `first`. Each of them could stand in a scenario file.
pub fn seeds(first: u64, count: u32) -> Result<RangeInclusive<u64>, Failure> {
    let last = first.saturating_add(u64::from(count) - 1);
    if last > LARGEST_SEED {
        return Err(Failure::usage(
            format_args!("{count} seeds from {first} on go beyond the largest seed, {LARGEST_SEED}"),
            "choose a smaller first seed with --set seed=N",
        ));
    }
    Ok(first..=last)
}

/// Runs what is still open. Returns all finished runs in the order of the seeds, and what went wrong as they were kept.
fn simulate(
    scenario: Arc<Scenario>,
    seeds: &RangeInclusive<u64>,
    count: usize,
    engine: Engine,
    before: Vec<Run>,
    keep: impl Fn(Records) -> Result<Run, Failure> + Sync,
) -> (Vec<Run>, Option<Failure>) {
    let finished: BTreeSet<u64> = before.iter().map(|run| run.seed).collect();
    let (open, count) = (seeds.clone().filter(|seed| !finished.contains(seed)), count - finished.len());
    let (new, failure) = seeds::run_all(scenario, open, count, engine, keep);
    let mut runs = before;
    runs.extend(new);
    runs.sort_by_key(|run| run.seed);
    (runs, failure)
}

/// Writes the result and prints it. A failure to keep some run comes last: what was finished is kept all the same.
fn finish(
    folder: &mut Folder,
    recorded: &Wanted,
    document: Document,
    failure: Option<Failure>,
    json: bool,
) -> Result<Exit, Failure> {
    let (finished, wanted, complete) = (document.runs.len(), document.seeds.len(), document.complete);
    // What is not complete never replaces what is.
    let write = document.complete || finished > 0 && !folder.holds_complete();
    let synced = folder.sync();
    // A single run is in its result only.
    let is_in_ledger = synced.is_ok() && finished > 0 && wanted > 1;
    let kept = synced.and_then(|()| if write { seeds::write(folder, &document) } else { Ok(()) });
    // Whatever became of the folder: the numbers have been computed and are shown, and the other way round.
    let shown = match finished {
        0 => Ok(()),
        _ if json => output::print(&document.without_files().to_json()),
        _ => output::print(&table::render(&document)),
    };
    let place = folder.path().display();
    if is_in_ledger && (failure.is_some() || kept.is_err()) {
        let all = diagnostics::plural(wanted, "run");
        console::note(format_args!("{finished} of {all} finished and kept in {place}"));
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    kept?;
    if write {
        seeds::announce_captures(recorded, folder);
    }
    if complete {
        console::note(format_args!("results in {place}"));
        return shown.map(|()| Exit::Fine);
    }
    let wanted = diagnostics::plural(wanted, "run");
    let beside = if write { "" } else { "; the earlier complete result stays until all are finished" };
    match finished {
        0 => console::note(format_args!("interrupted: none of {wanted} was finished, nothing was written")),
        _ => console::note(format_args!(
            "interrupted: {finished} of {wanted} finished and kept in {place}{beside}\n{GO_ON}"
        )),
    }
    shown.map(|()| Exit::Interrupted)
}

const GO_ON: &str = "run the same command again to resume";
/// How much of the memory of a scenario and its network that of the network is.
const OF_A_NETWORK: f64 = 0.5;
/// The largest integer of a TOML file.
const LARGEST_SEED: u64 = i64::MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::units::Span;

    #[test]
    fn what_is_recorded_is_announced_with_its_largest_parts() {
        let parts = vec![("cwnd", 1e6), ("queue", 2e6), ("captures", 5e5), ("rtt", 1e5)];
        let mut estimate =
            Estimate { parts, bytes: 3.6e6, low: 3.5e6, high: 3.7e6, memory_bytes: 0.0, simulated: Span::from_ms(250) };
        let said = much(&estimate, 500);
        let expected =
            "will take about 1.8 GB (queue 1.0 GB, cwnd 500 MB, captures 250 MB), estimated from runs of up to 0.250 s";
        assert!(said.contains(expected) && said.contains("--record"), "{said}");
        estimate.high = 7e6;
        assert!(much(&estimate, 500).contains("between 1.8 GB and 3.5 GB"));
    }
}
