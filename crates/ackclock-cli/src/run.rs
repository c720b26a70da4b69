//! `ackclock run`: simulate under each seed, print the table, keep the result.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim::{self, Engine};
use ackclock_run::{Folder, Wanted};
use ackclock_scenario::Loaded;
use ackclock_store::document::{Document, Run, ScenarioPart};

use crate::args::RunArgs;
use crate::failure::{Exit, Failure};
use crate::{console, diagnostics, estimate, interrupt, load, seeds, table};

/// Runs a scenario file.
pub fn run(args: &RunArgs, command: Vec<String>) -> Result<Exit, Failure> {
    interrupt::say_at_end("nothing was run".into());
    let Loaded { scenario, seed, resolved, .. } = load::load(&args.file, &args.sets(), Some("nothing was run"))?;
    let (seeds, count) = (seeds(seed, args.seeds)?, args.seeds as usize);
    let part = ScenarioPart::of(&scenario, resolved);
    let mut folder = seeds::prepare(&args.out.clone().unwrap_or_else(|| Folder::default_path(&part)), &part)?;
    if count > 1 && !sim::has_randomness(&scenario) {
        console::note(format_args!("note: this scenario has no randomness: every seed gives the same result"));
    }
    let wanted = Wanted::of(&scenario, &part);
    let (before, damage) = folder.finished_before(&wanted, &part, &seeds)?;
    if !damage.is_none() {
        console::note(format_args!("warning: {damage}"));
    }
    if !before.is_empty() {
        console::note(format_args!("resuming: {} of {} runs were finished before", before.len(), count));
    }
    let of_all = diagnostics::plural(count, "run");
    match before.len() {
        0 => interrupt::say_at_end(format!("none of {of_all} was finished, nothing was written")),
        before => interrupt::say_at_end(format!("{before} of {of_all} finished before and kept\n{GO_ON}")),
    }
    if let Some(warning) = estimate::warning(&scenario, &part, seed, count - before.len(), interrupt::watch()) {
        console::note(format_args!("{warning}"));
    }
    let alone = count == 1;
    let kept_runs = AtomicUsize::new(before.len());
    let keep = |finished: Records| {
        let run = Run::from(&finished);
        // The only run is in the result at once.
        let kept = match alone {
            true => folder.keep_recorded(&wanted, &part, &run, &finished),
            false => folder.keep(&wanted, &part, &run, &finished),
        };
        kept?;
        if !alone {
            let (n, place) = (kept_runs.fetch_add(1, Ordering::Relaxed) + 1, folder.path().display());
            interrupt::say_at_end(format!("{n} of {of_all} finished and kept in {place}\n{GO_ON}"));
        }
        Ok(run)
    };
    let (runs, failure) = simulate(scenario, &seeds, count, args.engine.into(), before, keep);
    finish(&mut folder, &wanted, Document::new(command, part, seeds.collect(), runs), failure, args.json)
}

/// `count` seeds, beginning with `first`. Each of them could stand in a scenario file.
fn seeds(first: u64, count: u32) -> Result<RangeInclusive<u64>, Failure> {
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
    scenario: Scenario,
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
    let (finished, wanted) = (document.runs.len(), document.seeds.len());
    // What is not complete never replaces what is.
    let write = document.complete || finished > 0 && !folder.holds_complete();
    let kept = folder.sync().and_then(|()| if write { seeds::write(folder, &document) } else { Ok(()) });
    // Whatever became of the folder: the numbers have been computed and are shown, and the other way round.
    let shown = match finished {
        0 => Ok(()),
        _ => console::print(&if json { document.to_json() } else { table::render(&document) }),
    };
    let place = folder.path().display();
    if let Some(failure) = failure {
        if finished > 0 && kept.is_ok() {
            let all = diagnostics::plural(wanted, "run");
            console::note(format_args!("{finished} of {all} finished and kept in {place}"));
        }
        return Err(failure);
    }
    kept?;
    if write {
        seeds::announce_captures(recorded, folder);
    }
    if document.complete {
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
/// The largest integer of a TOML file.
const LARGEST_SEED: u64 = i64::MAX as u64;
