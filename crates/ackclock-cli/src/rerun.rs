//! `ackclock rerun`: repeat the runs of a result and compare them to the bit.

use std::path::Path;

use ackclock::record::Records;
use ackclock::scenario::Recording;
use ackclock::sim::RESULT_VERSION;
use ackclock_results::document::{Document, Run, ScenarioPart};

use crate::args::RerunArgs;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::folder::SCENARIO;
use crate::progress::Reporter;
use crate::{console, interrupt, kept, load, pool};

/// Repeats the finished runs of a result folder. Nothing in the folder changes.
pub fn rerun(args: &RerunArgs) -> Result<Exit, Failure> {
    let (folder, document) = kept::open(&args.dir)?;
    if document.result_version != RESULT_VERSION {
        return Err(Failure::outside(
            format_args!(
                "`{}` is of result version {} (ackclock {}); this program computes version {RESULT_VERSION}, in which \
                 other numbers are right",
                folder.display(),
                document.result_version,
                document.ackclock
            ),
            "repeat it with the ackclock that wrote it, or run the scenario again and compare the numbers",
        ));
    }
    let mut loaded = load::load(&folder.join(SCENARIO).to_string_lossy(), &[], Some("nothing was run"))?;
    if ScenarioPart::of(&loaded.scenario, loaded.resolved).hash != document.scenario.hash {
        return Err(Failure::outside(
            format_args!("`{}` is not the scenario of the result beside it", folder.join(SCENARIO).display()),
            "it was changed after the run; put it back, or run it with `ackclock run`",
        ));
    }
    // What is written down on the way changes nothing, and is not compared.
    loaded.scenario.recording = Recording::none();
    let seeds: Vec<u64> = document.runs.iter().map(|run| run.seed).collect();
    let keep = |records: Records| Ok::<Run, Failure>(Run::from(&records));
    let stop = interrupt::watch();
    let (runs, _) = pool::run_all(loaded.scenario, &seeds, args.engine.into(), stop, &mut Reporter::new(), keep);
    if runs.len() < seeds.len() {
        console::note(format_args!("interrupted: {} of {} repeated", runs.len(), plural(seeds.len(), "run")));
        return Ok(Exit::Interrupted);
    }
    compare(folder, &document, &runs)
}

fn compare(folder: &Path, document: &Document, runs: &[Run]) -> Result<Exit, Failure> {
    let different: Vec<(&Run, &Run)> = document.runs.iter().zip(runs).filter(|(kept, new)| kept != new).collect();
    if different.is_empty() {
        console::print(&format!(
            "{}: {} repeated, all equal to the bit\n",
            folder.display(),
            plural(runs.len(), "run")
        ))?;
        return Ok(Exit::Fine);
    }
    let mut text = format!("{}: {} of {} differ\n", folder.display(), different.len(), plural(runs.len(), "run"));
    for (kept, new) in different.iter().take(SHOWN) {
        text += &match kept.fingerprint == new.fingerprint {
            true => format!("seed {}: same fingerprint {}, but other numbers\n", kept.seed, kept.fingerprint),
            false => format!("seed {}: fingerprint {}, now {}\n", kept.seed, kept.fingerprint, new.fingerprint),
        };
    }
    if different.len() > SHOWN {
        text += &format!("... and {} more\n", different.len() - SHOWN);
    }
    console::print(&text)?;
    console::note(format_args!(
        "result.json was changed, or the program computes something else without another result version: \
         please report that"
    ));
    Ok(Exit::Differs)
}

/// More differences are counted only.
const SHOWN: usize = 10;
