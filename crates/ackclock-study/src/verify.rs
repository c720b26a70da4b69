//! What is wrong in the folder of a study that was reproduced, whether all of it or not.

use std::collections::BTreeMap;
use std::path::Path;

use ackclock::sim::RESULT_VERSION;
use ackclock_store::{BadLine, Findings, Key, Ledger, Marked, files};
use serde::Deserialize;

use crate::measure::Row;
use crate::plan::Selection;
use crate::report::Report;
use crate::report::files::FILES;
use crate::stored_result::LEDGER;
use crate::study::Study;

/// Looks at everything in a folder of `reproduce`.
pub fn verify(marked: &Marked) -> Findings {
    let path = marked.path();
    let mut findings = Findings::default();
    let ledger = path.join(LEDGER);
    let mut runs = BTreeMap::new();
    if ledger.exists() {
        runs = lines(&ledger, marked, &mut findings);
    } else if marked.is_complete() || FILES.iter().any(|name| path.join(name).exists()) {
        findings.damage(&ledger, "it is missing: all finished runs were in it", AGAIN);
    }
    let mut is_whole = true;
    for name in FILES {
        let is_there = path.join(name).exists();
        if marked.has_checksum(name) && (is_there || marked.is_complete()) {
            is_whole &= marked.check(name, AGAIN, &mut findings);
        }
    }
    if marked.is_complete() && marked.is_of_this_version() && is_whole {
        follow(path, &runs, &mut findings);
    }
    marked.others(&[&FILES[..], &[LEDGER]].concat(), &mut findings);
    findings
}

fn lines(ledger: &Path, marked: &Marked, findings: &mut Findings) -> BTreeMap<Key, Row> {
    let mut runs = BTreeMap::new();
    let mut found = Findings::default();
    let read = Ledger::read_lines(ledger, |number, line: Result<(Key, Row), BadLine>| match line {
        Ok((key, run)) => {
            if runs.insert(key, run).is_some() {
                let remedy = "nothing is to be done: the later line counts";
                found.remains(ledger, format!("line {number} repeats an earlier line"), remedy);
            }
        }
        // A process that is stopped leaves it.
        Err(BadLine::Torn) if !marked.is_complete() => found.remains(ledger, BadLine::Torn.to_string(), AGAIN),
        Err(BadLine::Checksum(line) | BadLine::Version(line)) if marked.is_mended(line) => {
            found.remains(
                ledger,
                format!("line {number} is damaged and not used"),
                "nothing is to be done: no run is missing",
            );
        }
        Err(bad) => found.damage_at(ledger, format!("line {number}"), bad.to_string(), AGAIN),
    });
    findings.append(found);
    if let Err(error) = read {
        findings.damage(ledger, format!("it cannot be read: {error}"), AGAIN);
    }
    runs
}

/// What the report says of itself.
#[derive(Deserialize)]
struct Head {
    study: String,
    result_version: u32,
    seeds: u64,
    quick: bool,
    live: Option<serde_json::Value>,
    cards: Vec<Card>,
}

#[derive(Deserialize)]
struct Card {
    id: String,
}

/// Makes sure that the reports are those of the runs in the ledger. The page, which also has figures of further runs, is left to its
/// checksum.
fn follow(path: &Path, runs: &BTreeMap<Key, Row>, findings: &mut Findings) {
    let [json, text, _] = FILES.map(|name| path.join(name));
    let head: Head = match files::read(&json).map(|text| serde_json::from_slice(&text)) {
        Ok(Ok(head)) => head,
        Ok(Err(error)) => return findings.damage(&json, format!("it is no report: {error}"), AGAIN),
        Err(error) => return findings.damage(&json, format!("it cannot be read: {error}"), AGAIN),
    };
    if head.result_version != RESULT_VERSION {
        return;
    }
    let study = if head.live.is_some() { Study::load_live(&head.study) } else { Study::load(&head.study) };
    let Ok(study) = study else {
        return findings.damage(&json, format!("there is no study `{}`", head.study), AGAIN);
    };
    let card = match &head.cards[..] {
        [one] if study.head.cards.len() > 1 => Some(one.id.clone()),
        _ => None,
    };
    let plan = match study.plan(&Selection { card, quick: head.quick, seeds: Some(head.seeds) }) {
        Ok(plan) => plan,
        Err(error) => return findings.damage(&json, format!("it is no report of this study: {error}"), AGAIN),
    };
    let missing = plan.missing(|key| runs.get(key)).len();
    if missing > 0 {
        return findings.damage(&path.join(LEDGER), format!("{missing} runs of the report are not in it"), AGAIN);
    }
    let report = Report::new(&study, &plan.scope, &|point, seed| &runs[&plan.key(point, seed)]);
    for (file, expected) in [(&json, report.json()), (&text, report.text())] {
        if files::read(file).is_ok_and(|found| found != expected.as_bytes()) {
            findings.damage(file, "it does not follow from the ledger, `runs.jsonl`", AGAIN);
        }
    }
}

const AGAIN: &str = "the same `ackclock reproduce` does what is missing and writes the reports again";
