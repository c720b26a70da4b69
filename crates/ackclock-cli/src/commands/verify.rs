//! `ackclock verify`: every damage in folders of results, named.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_report::captures;
use ackclock_store::document::Document;
use ackclock_store::result::{self, RESULT};
use ackclock_store::{Finding, Findings, Holds, Marked, Weight, check_page, flows, tables};
use serde::Serialize;

use super::quick;
use crate::args::VerifyArgs;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::output;

/// Looks at every file of the folders. Nothing is written.
pub fn verify(args: &VerifyArgs) -> Result<Exit, Failure> {
    let mut looked = Vec::new();
    for dir in &args.dirs {
        let before = looked.len();
        let folder = match dir.file_name() {
            Some(name) if name == RESULT => dir.parent().unwrap_or(dir),
            _ => dir,
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        look(folder, DEPTH, &mut looked)?;
        if looked.len() == before {
            return Err(Failure::outside(
                format_args!("`{}` has no results of ackclock", dir.display()),
                "name a folder that `run`, `quick`, `sweep`, `merge` or `reproduce` has written, or one with such folders in it",
            ));
        }
    }
    output::print(&match args.json {
        true => json(&looked),
        false => text(&looked),
    })?;
    Ok(if looked.iter().all(Looked::is_whole) { Exit::Fine } else { Exit::Outside })
}

/// A folder, and what was found in it.
#[derive(Serialize)]
struct Looked {
    folder: PathBuf,
    /// `None` of a folder with such folders in it.
    holds: Option<Holds>,
    whole: bool,
    findings: Vec<Finding>,
}

impl Looked {
    fn new(folder: &Path, holds: Option<Holds>, findings: &Findings) -> Looked {
        let whole = findings.of(Weight::Damage).next().is_none();
        Looked { folder: folder.to_path_buf(), holds, whole, findings: findings.all().to_vec() }
    }

    fn is_whole(&self) -> bool {
        self.whole
    }
}

/// Looks at a folder and at those in it.
fn look(folder: &Path, depth: u32, looked: &mut Vec<Looked>) -> Result<(), Failure> {
    let mut findings = Findings::default();
    let marked = Marked::open(folder, &mut findings)?;
    if let Some(marked) = &marked {
        findings.append(match marked.holds() {
            Holds::Run => ackclock_run::verify(marked),
            Holds::Reproduction => ackclock_study::verify(marked),
            Holds::Sweep => ackclock_sweep::verify(marked),
        });
        looked.push(Looked::new(folder, Some(marked.holds()), &findings));
    } else if !findings.all().is_empty() {
        // A marker that is damaged, and nothing by which the kind of the folder could be known.
        looked.push(Looked::new(folder, None, &findings));
    }
    let before = looked.len();
    let entries = fs::read_dir(folder).map_err(|error| {
        Failure::outside(
            format_args!("cannot read the folder `{}`: {error}", folder.display()),
            "check the path; `ackclock run` prints the folder of its results at its end",
        )
    })?;
    let mut folders: Vec<PathBuf> = entries.flatten().filter(is_folder).map(|entry| entry.path()).collect();
    folders.sort();
    // What a run recorded belongs to its result.
    let recorded = [tables::FOLDER, captures::FOLDER, flows::FOLDER];
    let is_recorded = |path: &PathBuf| marked.is_some() && recorded.iter().any(|kind| path.ends_with(kind));
    for inner in folders.iter().filter(|inner| depth > 0 && !is_recorded(inner)) {
        look(inner, depth - 1, looked)?;
    }
    // The page of `quick` is beside the folders of its results.
    if marked.is_none() && looked.len() > before {
        let mut findings = Findings::default();
        check_page(&folder.join("report.html"), is_compared(&folders), &mut findings);
        if !findings.all().is_empty() {
            looked.push(Looked::new(folder, None, &findings));
        }
    }
    Ok(())
}

/// Whether these folders are all that a `quick` compares: it has written its page, which is its last.
fn is_compared(folders: &[PathBuf]) -> bool {
    let documents: Vec<(&PathBuf, Document)> =
        folders.iter().filter_map(|folder| Some((folder, result::open(folder).ok()?.1))).collect();
    documents.iter().any(|(_, document)| {
        let is_there = |name: &str| {
            let of_name = |(folder, other): &(&PathBuf, Document)| {
                folder.ends_with(name) && other.complete && other.command == document.command
            };
            documents.iter().any(of_name)
        };
        quick::names_of(&document.command).is_some_and(|names| names.iter().all(|name| is_there(name)))
    })
}

/// Whether an entry is a folder that can hold results: no link, and not hidden.
fn is_folder(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir()) && !entry.file_name().to_string_lossy().starts_with('.')
}

fn text(looked: &[Looked]) -> String {
    let mut text = String::new();
    for Looked { folder, holds, findings, .. } in looked {
        let damage = findings.iter().filter(|finding| finding.weight == Weight::Damage).count();
        let state = match damage {
            0 => "no damage".to_owned(),
            count => format!("{} damaged", plural(count, "place")),
        };
        let holds = holds.map(|holds| format!(" ({})", holds.in_words())).unwrap_or_default();
        text += &format!("{}: {state}{holds}\n", folder.display());
        for finding in findings.iter().take(MOST_FINDINGS) {
            let note = if finding.weight == Weight::Remains { "note: " } else { "" };
            text += &format!("  {note}{finding}\n");
        }
        if findings.len() > MOST_FINDINGS {
            text += &format!("  ... and {} more; --json lists all\n", findings.len() - MOST_FINDINGS);
        }
    }
    text
}

/// The document of `--json`.
#[derive(Serialize)]
struct Verification<'a> {
    format: &'static str,
    format_version: u32,
    ackclock: &'static str,
    folders: &'a [Looked],
}

fn json(folders: &[Looked]) -> String {
    let document = Verification {
        format: "ackclock-verification",
        format_version: 1,
        ackclock: env!("CARGO_PKG_VERSION"),
        folders,
    };
    serde_json::to_string_pretty(&document).expect("the document has string keys only") + "\n"
}

/// Folders are looked at in folders as deep as this.
const DEPTH: u32 = 8;
/// Of more in one folder the first are printed.
const MOST_FINDINGS: usize = 20;
