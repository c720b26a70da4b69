//! What is wrong in the folder of a sweep, or of a part of one, whether it is complete or not.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use ackclock_store::{BadLine, Findings, Key as RunKey, Ledger, Marked, files, read_file, seal};

use crate::METRICS;
use crate::error::Error;
use crate::plan::Plan;
use crate::results::pooled;
use crate::results::row::Row;
use crate::results::{Results, Status};
use crate::store::files::{LEDGER, PLAN, own_files};
use crate::store::read_plan;
use crate::summary::{Baseline, Method};
use crate::table::{self, Selection};
use crate::write::TABLES;

/// Looks at everything in a folder of `sweep` or `merge`.
pub fn verify(marked: &Marked) -> Findings {
    let path = marked.path();
    let mut findings = Findings::default();
    let plan = match read_plan(path) {
        Ok(plan) => plan,
        Err(Error::Plan { file, reason }) => {
            findings.damage(&file, reason, PLAN_AGAIN);
            None
        }
        Err(error) => {
            findings.damage(&path.join(PLAN), error.to_string(), error.help());
            None
        }
    };
    // Plans of other versions can be read, but not damaged ones.
    if plan.is_some()
        && let Some(text) = read_file(&path.join(PLAN), PLAN_AGAIN, &mut findings)
        && let Err(what) = seal::read::<Plan>(&text)
    {
        findings.damage(&path.join(PLAN), what, PLAN_AGAIN);
    }
    let ledger = path.join(LEDGER);
    // The ledger is the first file of a sweep. Without a line in it, nothing has begun.
    let is_begun = marked.is_complete() || fs::metadata(&ledger).is_ok_and(|metadata| metadata.len() > 0);
    if plan.is_none() && is_begun && !path.join(PLAN).exists() {
        findings.damage(&path.join(PLAN), "it is missing", PLAN_AGAIN);
    }
    let mut results = plan.map(Results::new);
    if ledger.exists() {
        lines(&ledger, marked, results.as_mut(), &mut findings);
    } else if marked.is_complete() || path.join(PLAN).exists() {
        findings.damage(&ledger, "it is missing: all finished runs were in it", AGAIN);
    }
    let missing = results.as_ref().map_or(0, |results| results.count(Status::Missing));
    if marked.is_complete() && missing > 0 && ledger.exists() {
        findings.damage(&ledger, format!("{missing} runs of the tables are not in it"), AGAIN);
    }
    // Of a sweep that goes on, tables may be there that an earlier call wrote of fewer runs.
    for name in TABLES {
        let is_there = path.join(name).exists();
        if (is_there || marked.is_complete()) && marked.has_checksum(name) {
            marked.check(name, TABLE_AGAIN, &mut findings);
        } else if is_there && marked.is_complete() {
            findings.damage(&path.join(name), "ackclock did not write it", TABLE_AGAIN);
        }
    }
    let is_to_follow = marked.is_complete() && marked.is_of_this_version() && missing == 0;
    if let Some(mut results) = results.filter(|results| is_to_follow && results.plan().is_of_this_version()) {
        match pooled::fill(&mut results, &ledger) {
            Ok(()) => follow(path, &results, &mut findings),
            Err(error) => findings.damage(&ledger, error.to_string(), AGAIN),
        }
    }
    marked.others(&[&own_files()[..], &[LEDGER]].concat(), &mut findings);
    findings
}

/// Reads the ledger into the results.
fn lines(ledger: &Path, marked: &Marked, mut results: Option<&mut Results>, findings: &mut Findings) {
    let by_key = results.as_ref().map(|results| results.by_key()).unwrap_or_default();
    // Of each finished run a hash of its numbers.
    let mut finished: HashMap<RunKey, u128> = HashMap::new();
    let mut others = 0_usize;
    let (mut bad, mut last_good): (Vec<(usize, BadLine)>, usize) = (Vec::new(), 0);
    let mut found = Findings::default();
    let read = Ledger::read_lines(ledger, |number, line: Result<(RunKey, Row), BadLine>| {
        let line_of = || format!("line {number}");
        match line {
            Ok((key, row)) => {
                last_good = number;
                // What failed may be tried again, and finished once.
                let hash = || row.hash_of_numbers();
                match (row.failed.is_none()).then(hash).and_then(|hash| Some((hash, finished.insert(key, hash)?))) {
                    Some((hash, earlier)) if hash == earlier => {
                        found.remains(ledger, format!("{} repeats an earlier line", line_of()), LINE_IS_NOT_USED);
                    }
                    Some(_) => found.damage_at(ledger, line_of(), OTHER_NUMBERS, REMOVE_BOTH),
                    None => {}
                }
                match (by_key.get(&key), &mut results) {
                    (Some(run), Some(results)) => {
                        if row.failed.is_none() && row.numbers.len() != METRICS.len() {
                            let what = "it has other numbers than the sweep";
                            found.damage_at(ledger, line_of(), what, AGAIN);
                        }
                        results.set(*run, row);
                    }
                    _ => others += 1,
                }
            }
            // A process that is stopped leaves it. Of a complete sweep no run is written any more.
            Err(BadLine::Torn) if !marked.is_complete() => found.remains(ledger, BadLine::Torn.to_string(), AGAIN),
            Err(problem) => bad.push((number, problem)),
        }
    });
    findings.append(found);
    let is_full = results.as_ref().is_some_and(|results| results.count(Status::Missing) == 0);
    for (number, problem) in bad {
        match problem {
            // The runs in such lines were done again later, and the lines stay in the ledger.
            BadLine::Checksum(line) | BadLine::Version(line)
                if is_full && number < last_good || marked.is_mended(line) =>
            {
                let what = format!("line {number} is not used: {problem}");
                findings.remains(ledger, what, "nothing is to be done: no run is missing");
            }
            _ => findings.damage_at(ledger, format!("line {number}"), problem.to_string(), AGAIN),
        }
    }
    if let Err(error) = read {
        findings.damage(ledger, format!("it cannot be read: {error}"), AGAIN);
    }
    if others > 0 && results.is_some() {
        let what = format!("{others} of its runs are not in the plan: they are of other values");
        findings.remains(ledger, what, "they are used again if these values are");
    }
}

/// Makes sure that the tables are those of the runs in the ledger. What only their checksums vouch for, pages and figures, is made of
/// the same numbers.
fn follow(path: &Path, results: &Results, findings: &mut Findings) {
    let methods = [Method::Student, Method::Percentile, Method::Bca];
    let is_equal = |name: &str, write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
        let mut text = Vec::new();
        write(&mut text).is_ok() && files::read(&path.join(name)).is_ok_and(|found| found == text)
    };
    let mut tables = vec![
        ("table.parquet", is_equal("table.parquet", &|out| table::parquet(results, out))),
        ("table.csv", is_equal("table.csv", &|out| table::csv(results, out))),
        (
            "summary.csv",
            methods.iter().any(|method| {
                is_equal("summary.csv", &|out| table::summary_csv(results, *method, None, Selection::default(), out))
            }),
        ),
    ];
    if path.join(DIFFERENCES).exists() {
        let found = files::read(&path.join(DIFFERENCES)).unwrap_or_default();
        let is_as_the_ledger = methods.iter().any(|method| are_differences(results, *method, &found));
        tables.push((DIFFERENCES, is_as_the_ledger));
    }
    for (name, is_as_the_ledger) in tables {
        // One that is missing or damaged has been named.
        let file = path.join(name);
        if !is_as_the_ledger && !findings.all().iter().any(|finding| finding.file == file) {
            findings.damage(&file, "it does not follow from the ledger, `runs.jsonl`", TABLE_AGAIN);
        }
    }
}

/// Whether a file has the differences from some baseline. Most baselines are told by the first row.
fn are_differences(results: &Results, method: Method, found: &[u8]) -> bool {
    let plan = results.plan();
    let written = |baseline: Baseline, selection: Selection<'_>| {
        let mut text = Vec::new();
        let written = table::summary_csv(results, method, Some(baseline), selection, &mut text);
        if written.is_ok() { text } else { Vec::new() }
    };
    Baseline::all(plan).any(|baseline| {
        let is_shown = |point: &usize| plan.points[*point].is_some() && baseline.point_of(plan, *point) != *point;
        let first: Vec<usize> = (0..plan.points.len()).find(is_shown).into_iter().collect();
        found.starts_with(&written(baseline, Selection { points: Some(&first), metrics: None }))
            && found == written(baseline, Selection::default())
    })
}

const DIFFERENCES: &str = "differences.csv";
const AGAIN: &str = "the same `ackclock sweep`, or `ackclock merge`, does what is missing and writes the tables again";
/// A file that was changed is not replaced.
const TABLE_AGAIN: &str =
    "remove or move it if it is there, and the same `ackclock sweep`, or `ackclock merge`, writes it again";
const OTHER_NUMBERS: &str = "it is the run of an earlier line, with other numbers";
const REMOVE_BOTH: &str = "remove both lines, and the same `ackclock sweep` does the run again";
const LINE_IS_NOT_USED: &str = "nothing is to be done: the run counts once";
const PLAN_AGAIN: &str = "remove it, and run the same `ackclock sweep` again: runs in the ledger are used";
