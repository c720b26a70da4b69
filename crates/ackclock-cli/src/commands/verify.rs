//! `ackclock verify`: every damage in folders of results, named.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_store::result::RESULT;
use ackclock_store::{Finding, Findings, Holds, Marked, Weight, check_page};
use serde::Serialize;

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

/// Looks at a folder, or at those in it.
fn look(folder: &Path, depth: u32, looked: &mut Vec<Looked>) -> Result<(), Failure> {
    let mut findings = Findings::default();
    if let Some(marked) = Marked::open(folder, &mut findings)? {
        findings.append(match marked.holds() {
            Holds::Run => ackclock_run::verify(&marked),
            Holds::Reproduction => ackclock_study::verify(&marked),
            Holds::Sweep => ackclock_sweep::verify(&marked),
        });
        looked.push(Looked::new(folder, Some(marked.holds()), &findings));
        return Ok(());
    }
    if !findings.all().is_empty() {
        // A marker that is damaged, and nothing by which the kind of the folder could be known.
        looked.push(Looked::new(folder, None, &findings));
        return Ok(());
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
    for inner in folders.iter().filter(|_| depth > 0) {
        look(inner, depth - 1, looked)?;
    }
    // The page of `quick` is beside the folders of its results.
    let mut findings = Findings::default();
    if looked.len() > before {
        check_page(&folder.join("report.html"), &mut findings);
    }
    if !findings.all().is_empty() {
        looked.push(Looked::new(folder, None, &findings));
    }
    Ok(())
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
        for finding in findings {
            let note = if finding.weight == Weight::Remains { "note: " } else { "" };
            text += &format!("  {note}{finding}\n");
        }
    }
    text
}

/// The document of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    format_version: u32,
    ackclock: &'static str,
    folders: &'a [Looked],
}

fn json(folders: &[Looked]) -> String {
    let document =
        Document { format: "ackclock-verification", format_version: 1, ackclock: env!("CARGO_PKG_VERSION"), folders };
    serde_json::to_string_pretty(&document).expect("the document has string keys only") + "\n"
}

/// `results` holds `reproduce`, and that the folders of studies.
const DEPTH: u32 = 4;
