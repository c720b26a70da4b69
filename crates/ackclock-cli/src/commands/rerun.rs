//! `ackclock rerun`: repeat the runs of a result and compare them to the bit.

use std::path::Path;

use ackclock::measure::Expression;
use ackclock::record::Records;
use ackclock::scenario::Recording;
use ackclock::sim::RESULT_VERSION;
use ackclock_store::document::changed;
use ackclock_store::document::{Document, Run, ScenarioPart};
use ackclock_store::files;
use ackclock_store::result::{self, SCENARIO};
use ackclock_store::seal::Seal;
use serde_json::Value;

use crate::args::RerunArgs;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::{console, interrupt, load, output, seeds};

/// Repeats the finished runs of a result folder. Nothing in the folder changes.
pub fn rerun(args: &RerunArgs) -> Result<Exit, Failure> {
    let (folder, document, seal) = result::read(&args.dir)?;
    let document = document.without_files();
    if document.live.is_some() {
        return Err(Failure::outside(
            format_args!("`{}` is of live runs, and no two of them are equal to the bit", folder.display()),
            "run it again with `ackclock live`, and lay both side by side with `ackclock compare`",
        ));
    }
    if document.result_version != RESULT_VERSION {
        return Err(Failure::outside(
            format_args!(
                "`{}` is of result version {} (ackclock {}); this program computes version {RESULT_VERSION}, \
                 whose numbers may differ",
                folder.display(),
                document.result_version,
                document.ackclock
            ),
            "repeat it with the ackclock that wrote it, or run the scenario again and compare the numbers",
        ));
    }
    let scenario = folder.join(SCENARIO);
    if let Err(error) = files::open(&scenario)
        && files::Refused::of(&error).is_some()
    {
        return Err(Failure::outside(
            format_args!("cannot read `{}`: {error}", scenario.display()),
            files::REFUSED_HELP,
        ));
    }
    let mut loaded = load::load(&scenario.to_string_lossy(), &[], Some("nothing was run"))?;
    // The file has every key written out: keys without effect, of which the first run warned, are not in it.
    let warnings = document.scenario.warnings.clone();
    let part = ScenarioPart::of(&loaded.scenario, loaded.resolved).warned(warnings);
    if part.hash != document.scenario.hash {
        return Err(Failure::outside(
            format_args!("`{}` is not the scenario of the result beside it", folder.join(SCENARIO).display()),
            "it was changed after the run; put it back, or run it with `ackclock run`",
        ));
    }
    let asked: Vec<&String> = document.runs.first().into_iter().flat_map(|run| run.measures.keys()).collect();
    let measures: Vec<Expression> = asked.iter().filter_map(|text| Expression::parse(text).ok()).collect();
    // What is written down on the way changes nothing, and is not compared; delays are in the result, and what measures need.
    if measures.is_empty() {
        let delays = loaded.scenario.recording.delays;
        loaded.scenario.recording = Recording { delays, ..Recording::none() };
    }
    let network = (!measures.is_empty()).then(|| loaded.scenario.clone());
    let seeds: Vec<u64> = document.runs.iter().map(|run| run.seed).collect();
    let keep = |records: Records| {
        let run = Run::from(&records);
        Ok(match &network {
            Some(network) => run.measured(&measures, network, &records),
            None => run,
        })
    };
    interrupt::say_at_end("the runs were not repeated".into());
    let (open, count) = (seeds.iter().copied(), seeds.len());
    let (runs, failure) = seeds::run_all(loaded.scenario, open, count, args.engine.into(), keep);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if runs.len() < seeds.len() {
        console::note(format_args!("interrupted: {} of {} repeated", runs.len(), plural(seeds.len(), "run")));
        return Ok(Exit::Interrupted);
    }
    let (command, seeds) = (document.command.clone(), document.seeds.clone());
    let again = Document { ackclock: document.ackclock.clone(), ..Document::new(command, part, seeds, runs) };
    compare(folder, &document, &again, seal)
}

/// Compares all that a result says with what it would say now.
fn compare(folder: &Path, stored: &Document, new: &Document, seal: Seal) -> Result<Exit, Failure> {
    let runs = plural(new.runs.len(), "run");
    let differing: Vec<(&Run, &Run)> =
        stored.runs.iter().zip(&new.runs).filter(|(stored, new)| stored != new).collect();
    let mut text = match differing.len() {
        0 => format!("{}: {runs} repeated, all equal to the bit\n", folder.display()),
        n => format!("{}: {n} of {runs} differ\n", folder.display()),
    };
    for (stored, new) in differing.iter().take(SHOWN) {
        text += &match stored.fingerprint == new.fingerprint {
            true => format!("seed {}: same fingerprint {}, but other numbers\n", stored.seed, stored.fingerprint),
            false => format!("seed {}: fingerprint {}, now {}\n", stored.seed, stored.fingerprint, new.fingerprint),
        };
    }
    if differing.len() > SHOWN {
        text += &format!("... and {} more\n", differing.len() - SHOWN);
    }
    let places = changed::places(&json(stored), &json(new));
    for place in places.iter().take(SHOWN) {
        text += &format!("result.json: {place}\n");
    }
    if places.len() > SHOWN {
        text += &format!("... and {} more places\n", places.len() - SHOWN);
    }
    if places.is_empty() && seal != Seal::Intact {
        text += match seal {
            Seal::Missing => "result.json: it has no checksum\n",
            _ => "result.json: it does not match its checksum, although all its numbers are equal\n",
        };
    }
    output::print(&text)?;
    if places.is_empty() && seal == Seal::Intact {
        return Ok(Exit::Fine);
    }
    console::note(match seal {
        Seal::Intact => format_args!(
            "result.json matches its checksum: the program computes other numbers with the same result version; \
             please report this"
        ),
        Seal::Missing | Seal::Broken => format_args!("result.json was changed after it was written"),
    });
    Ok(Exit::Differs)
}

fn json(document: &Document) -> Value {
    serde_json::to_value(document).expect("a document has string keys only")
}

/// More differences are counted only.
const SHOWN: usize = 10;
