//! What is wrong in the folder of a result, or of the finished runs of one that is not complete.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ackclock_report::captures;
use ackclock_store::document::{Document, Run, events};
use ackclock_store::result::{self, RESULT, ResultError, SCENARIO, UNFINISHED};
use ackclock_store::tables::{self, Origin, Tables};
use ackclock_store::{BadLine, Findings, Key, Ledger, Marked, PAGE_AGAIN, check_page, files, flows, recorded};

use crate::unfinished::{KINDS, LEDGER, SEED, is_recorded};

/// Looks at everything in a folder of `run` or `quick`.
pub fn verify(marked: &Marked) -> Findings {
    let path = marked.path();
    let mut findings = Findings::default();
    // A process that was stopped in the middle of replacing an earlier result left a new one beside it. Files of both are there.
    let is_between = marked.has_partial(RESULT);
    let of_result = |document: &Document| {
        let found = result_files(marked, document);
        if is_between { found.as_remains() } else { found }
    };
    match result::open(path) {
        Ok((_, document)) => findings.append(of_result(&document)),
        // Beside the file that could not be read there may be others.
        Err(ResultError::Flows(_)) => match result::read_kept(path) {
            Ok((_, document, _)) => findings.append(of_result(&document)),
            Err(error) => findings.damage(&path.join(RESULT), error.what(), error.help()),
        },
        Err(ResultError::Empty(_) | ResultError::Unfinished(_)) => {
            let is_promised = marked.is_complete() && !is_between && !path.join(UNFINISHED).is_dir();
            if is_promised || (path.join(SCENARIO).exists() && !is_between && !path.join(UNFINISHED).is_dir()) {
                findings.damage(&path.join(RESULT), "it is missing", AGAIN);
            }
        }
        Err(error) => findings.damage(&path.join(RESULT), error.what(), error.help()),
    }
    for folder in folders(&path.join(UNFINISHED)) {
        unfinished(path, &folder, &mut findings);
    }
    match marked.has_checksum(PAGE) {
        true => drop(marked.check(PAGE, PAGE_AGAIN, &mut findings)),
        false => check_page(&path.join(PAGE), false, &mut findings),
    }
    let ours = [RESULT, SCENARIO, events::FILE, UNFINISHED, PAGE, tables::FOLDER, captures::FOLDER, flows::FOLDER];
    marked.others(&ours, &mut findings);
    findings
}

/// What belongs to a document that is whole itself.
fn result_files(marked: &Marked, document: &Document) -> Findings {
    let path = marked.path();
    let mut findings = Findings::default();
    if marked.check(SCENARIO, SCENARIO_AGAIN, &mut findings) {
        let text = files::read_to_string(&path.join(SCENARIO)).unwrap_or_default();
        // A line for editors may come first.
        let scenario = match text.split_once('\n') {
            Some((first, rest)) if first.starts_with("#:schema ") => rest,
            _ => &text,
        };
        if scenario != document.scenario.resolved {
            findings.damage(&path.join(SCENARIO), "it is not the scenario of the result beside it", SCENARIO_AGAIN);
        }
    }
    if !document.scenario.events.is_empty() {
        marked.check(events::FILE, AGAIN, &mut findings);
    } else if path.join(events::FILE).exists() {
        findings.damage(&path.join(events::FILE), "the scenario of the result has no events", "remove it");
    }
    for run in &document.runs {
        let place = path.join(tables::FOLDER).join(tables::seed_folder(run.seed));
        if place.exists() || recorded::is_promised(document) {
            verify_tables(&place, document, run, &mut findings);
        }
        let place = captures::folder_of(path, run.seed);
        if place.exists() || recorded::promises_captures(document) {
            let of = (run.seed, run.fingerprint.as_str());
            captures::verify(&place, Some(&document.scenario.hash), of, AGAIN, &mut findings);
        }
        flows::damage(path, run).iter().for_each(|error| findings.table(error));
    }
    let seeds: BTreeSet<String> = document.runs.iter().map(|run| tables::seed_folder(run.seed)).collect();
    for kind in KINDS {
        for folder in entries(&path.join(kind)) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(SEED) && !seeds.contains(&name) && is_recorded(kind, &folder) {
                findings.remains(&folder, "the result has no run of this seed", "the next complete result replaces it");
            } else if !seeds.contains(&name) {
                findings.remains(&folder, "ackclock did not write it", "it stays; nothing reads it");
            }
        }
    }
    findings
}

fn verify_tables(folder: &Path, document: &Document, run: &Run, findings: &mut Findings) {
    let origin = Origin::of(&document.scenario, run);
    let tables = match Tables::open(folder) {
        Ok(tables) => tables,
        Err(error) => return findings.table(&error),
    };
    let damage = tables.damage();
    damage.iter().for_each(|error| findings.table(error));
    if damage.is_empty() && tables.expect(&origin).is_err() {
        let what = "it belongs to another run than the result beside it";
        findings.damage(&folder.join(tables::INDEX), what, AGAIN);
    }
}

/// The finished runs of a result that is not complete. A process may have been stopped at any time.
fn unfinished(result: &Path, folder: &Path, findings: &mut Findings) {
    let path = folder.join(LEDGER);
    if !path.exists() {
        // No run was finished.
        return;
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut found = Findings::default();
    let mut seen: BTreeMap<Key, String> = BTreeMap::new();
    let read = Ledger::read_lines(&path, |number, line: Result<(Key, Run), BadLine>| match line {
        Ok((key, run)) => {
            match seen.insert(key, run.fingerprint.clone()) {
                Some(earlier) if earlier == run.fingerprint => {
                    found.remains(&path, format!("line {number} repeats an earlier line"), LINE_IS_NOT_USED);
                }
                Some(_) => found.damage_at(&path, format!("line {number}"), OTHER_NUMBERS, REMOVE_BOTH),
                None => {}
            }
            runs.push(run);
        }
        Err(BadLine::Torn) => found.remains(&path, BadLine::Torn.to_string(), RESUME),
        Err(bad) => found.damage_at(&path, format!("line {number}"), bad.to_string(), RESUME),
    });
    findings.append(found);
    if let Err(error) = read {
        return findings.damage(&path, format!("it cannot be read: {error}"), RESUME);
    }
    // All runs of a scenario record the same. After Ctrl-C what they recorded is with the incomplete result.
    for kind in KINDS {
        let recorded = |seed: u64| folder.join(kind).join(tables::seed_folder(seed));
        if !runs.iter().any(|run| recorded(run.seed).exists()) {
            continue;
        }
        for run in &runs {
            let (seed, fingerprint) = (run.seed, run.fingerprint.as_str());
            let place = recorded(seed);
            let is_with_result = !place.exists() && result.join(kind).join(tables::seed_folder(seed)).exists();
            if is_with_result {
                continue;
            }
            if kind == captures::FOLDER {
                captures::verify(&place, None, (seed, fingerprint), RESUME, findings);
                continue;
            }
            if kind == flows::FOLDER {
                flows::damage(folder, run).iter().for_each(|error| findings.table(error));
                continue;
            }
            match Tables::open(&place) {
                Ok(tables) if (tables.index().seed, tables.index().fingerprint.as_str()) != (seed, fingerprint) => {
                    findings.damage(&place, "it belongs to another run", RESUME);
                }
                Ok(tables) => tables.damage().iter().for_each(|error| findings.table(error)),
                Err(error) => findings.table(&error),
            }
        }
    }
}

/// The folders in a folder, in order of their names.
fn folders(path: &Path) -> Vec<PathBuf> {
    entries(path).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(path: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

const PAGE: &str = "report.html";
const AGAIN: &str = "run the scenario again: `ackclock run` on the scenario.toml of the folder, with --out DIR";
const SCENARIO_AGAIN: &str = "put it back, or move it and run the scenario again; `result.json` has the text of the scenario as `scenario.resolved`";
const RESUME: &str = "the same `ackclock run` does this run again";
const OTHER_NUMBERS: &str = "it is the run of an earlier line, with other numbers";
const REMOVE_BOTH: &str = "remove both lines, and the same `ackclock run` does the run again";
const LINE_IS_NOT_USED: &str = "nothing is to be done: the runs are equal";
