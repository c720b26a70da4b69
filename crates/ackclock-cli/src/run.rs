//! `ackclock run`: simulate under each seed, print the table, keep the result.

use std::collections::BTreeSet;

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::sim::{self, Engine};
use ackclock_results::document::{Document, Run, ScenarioPart};
use ackclock_scenario::Loaded;

use crate::args::RunArgs;
use crate::failure::{Exit, Failure};
use crate::folder::Folder;
use crate::progress::Reporter;
use crate::stage::Wanted;
use crate::{console, diagnostics, estimate, interrupt, load, pool, table};

/// Runs a scenario file.
pub fn run(args: &RunArgs, command: Vec<String>) -> Result<Exit, Failure> {
    let Loaded { scenario, seed, resolved, .. } = load::load(&args.file, &args.sets(), Some("nothing was run"))?;
    let seeds = seeds(seed, args.seeds)?;
    let part = ScenarioPart::of(&scenario, resolved);
    let folder = Folder::prepare(&args.out.clone().unwrap_or_else(|| Folder::default_path(&part)))?;
    if seeds.len() > 1 && !sim::has_randomness(&scenario) {
        console::note(format_args!("note: this scenario has no randomness: every seed gives the same result"));
    }
    let earlier = folder.earlier().filter(|document| document.same_experiment(&part.hash));
    let wanted = Wanted::of(&scenario, &part);
    let before = finished_before(&wanted, &seeds, &folder, earlier.as_ref());
    if let Some(warning) = estimate::warning(&scenario, seeds.len() - before.len()) {
        console::note(format_args!("{warning}"));
    }
    let keep = |finished: Records| {
        let run = Run::from(&finished);
        folder.stage().keep(&wanted, &part, &run, &finished).map(|()| run)
    };
    let (runs, failure) = simulate(scenario, &seeds, args.engine.into(), before, keep);
    finish(&folder, &wanted, earlier.as_ref(), Document::new(command, part, seeds, runs), failure, args.json)
}

/// `count` seeds, beginning with `first`. Each of them could stand in a scenario file.
fn seeds(first: u64, count: u32) -> Result<Vec<u64>, Failure> {
    let last = first.saturating_add(u64::from(count) - 1);
    if last > LARGEST_SEED {
        return Err(Failure::usage(
            format_args!("{count} seeds from {first} on go beyond the largest seed, {LARGEST_SEED}"),
            "choose a smaller first seed with --set seed=N",
        ));
    }
    Ok((first..=last).collect())
}

/// The runs that an interrupted result already holds, with what they recorded. They are not run again.
fn finished_before(recorded: &Wanted, seeds: &[u64], folder: &Folder, earlier: Option<&Document>) -> Vec<Run> {
    let Some(interrupted) = earlier.filter(|document| !document.complete) else { return Vec::new() };
    let kept = |run: &Run| recorded.is_kept(folder.path(), interrupted, run);
    let wanted = |run: &&Run| seeds.binary_search(&run.seed).is_ok() && kept(run);
    let runs: Vec<Run> = interrupted.runs.iter().filter(wanted).cloned().collect();
    if !runs.is_empty() {
        console::note(format_args!("going on: {} of {} runs were finished before", runs.len(), seeds.len()));
    }
    runs
}

/// Runs what is still open. Returns all finished runs in the order of the seeds, and what went wrong as they were kept.
fn simulate(
    scenario: Scenario,
    seeds: &[u64],
    engine: Engine,
    before: Vec<Run>,
    keep: impl Fn(Records) -> Result<Run, Failure> + Sync,
) -> (Vec<Run>, Option<Failure>) {
    let finished: BTreeSet<u64> = before.iter().map(|run| run.seed).collect();
    let open: Vec<u64> = seeds.iter().copied().filter(|seed| !finished.contains(seed)).collect();
    let (new, failure) = pool::run_all(scenario, &open, engine, interrupt::watch(), &mut Reporter::new(), keep);
    let mut runs = before;
    runs.extend(new);
    runs.sort_by_key(|run| run.seed);
    (runs, failure)
}

/// Keeps the result and prints it. A failure to keep some run comes last: what was finished is kept all the same.
fn finish(
    folder: &Folder,
    recorded: &Wanted,
    earlier: Option<&Document>,
    document: Document,
    failure: Option<Failure>,
    json: bool,
) -> Result<Exit, Failure> {
    let (finished, wanted) = (document.runs.len(), document.seeds.len());
    let kept = match keep(earlier, &document) {
        true => folder.write(&document),
        false => Ok(()),
    };
    // Whatever became of the folder: the numbers have been computed and are shown, and the other way round.
    let shown = match finished {
        0 => Ok(()),
        _ => console::print(&if json { document.to_json() } else { table::render(&document) }),
    };
    if let Some(failure) = failure {
        if finished > 0 && kept.is_ok() {
            let all = diagnostics::plural(wanted, "run");
            console::note(format_args!("{finished} of {all} finished and kept in {}", folder.path().display()));
        }
        return Err(failure);
    }
    kept?;
    if finished > 0 {
        recorded.announce(folder.path());
    }
    if document.complete {
        console::note(format_args!("results in {}", folder.path().display()));
        return shown.map(|()| Exit::Fine);
    }
    let wanted = diagnostics::plural(wanted, "run");
    match finished {
        0 => console::note(format_args!("interrupted: none of {wanted} was finished, nothing was written")),
        _ => console::note(format_args!(
            "interrupted: {finished} of {wanted} finished and kept in {}\nrun the same command again to go on",
            folder.path().display()
        )),
    }
    shown.map(|()| Exit::Interrupted)
}

/// Whether a document is worth writing: it holds runs, and more than the complete result that is there already.
fn keep(earlier: Option<&Document>, document: &Document) -> bool {
    let complete = earlier.filter(|other| other.complete).map_or(&[][..], |other| &other.seeds);
    let nothing_new = document.runs.iter().all(|run| complete.contains(&run.seed));
    !document.runs.is_empty() && (document.complete || !nothing_new)
}

/// The largest integer of a TOML file.
const LARGEST_SEED: u64 = i64::MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_results::example::example;

    /// What is left of a result for the seeds 1 to 3 after an interruption: the runs of these seeds.
    fn interrupted(finished: &[u64]) -> Document {
        let mut document = example(1, 1, 3);
        document.runs.retain(|run| finished.contains(&run.seed));
        document.complete = false;
        document
    }

    #[test]
    fn an_interrupted_result_replaces_a_complete_one_only_if_it_knows_more() {
        assert!(!keep(Some(&example(1, 1, 2)), &interrupted(&[1, 2])));
        assert!(keep(Some(&example(1, 1, 2)), &interrupted(&[1, 3])));
        assert!(keep(Some(&interrupted(&[1])), &interrupted(&[1, 2])));
        assert!(keep(None, &interrupted(&[2])));
    }

    #[test]
    fn a_complete_result_is_always_kept_and_an_empty_one_never() {
        assert!(keep(Some(&example(1, 1, 9)), &example(1, 1, 1)));
        assert!(!keep(None, &interrupted(&[])));
    }
}
