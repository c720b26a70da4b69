//! A result folder as it was kept: for the commands that begin with one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use ackclock_results::document::{Document, FORMAT, FORMAT_VERSION};
use ackclock_results::summary::SummaryPart;
use ackclock_results::tables::TableError;
use ackclock_store::seal::{self, Seal};
use serde::Deserialize;

use crate::failure::Failure;
use crate::folder::RESULT;
use crate::unfinished::UNFINISHED;

/// The result in a folder, made sure to be as it was written. The path of its `result.json` will do as well.
pub fn open(path: &Path) -> Result<(&Path, Document), Failure> {
    let (folder, document, seal) = read(path)?;
    let shown = folder.join(RESULT);
    let help = "run it again with `ackclock run`, or see what was changed with `ackclock rerun`";
    let because = match seal {
        Seal::Broken => "it does not fit its checksum",
        Seal::Missing => {
            "it has no checksum, as if it were of an earlier version or had been written by another program"
        }
        // The checksum does not keep anybody from changing both.
        Seal::Intact if !follows(&document) => "its summary does not follow from its runs",
        Seal::Intact => return Ok((folder, document)),
    };
    Err(Failure::outside(format_args!("`{}` is not as ackclock wrote it: {because}", shown.display()), help))
}

/// Whether the summary of a document follows from its runs. That of another version may have been another.
fn follows(document: &Document) -> bool {
    document.ackclock != env!("CARGO_PKG_VERSION") || SummaryPart::of(&document.runs) == document.summary
}

/// The result in a folder, and whether it is as it was written.
pub fn read(path: &Path) -> Result<(&Path, Document, Seal), Failure> {
    let folder = match path.file_name() {
        Some(name) if name == RESULT => path.parent().unwrap_or(path),
        _ => path,
    };
    let file = folder.join(RESULT);
    let text = fs::read(&file).map_err(|error| unreadable(folder, &error))?;
    let shown = file.display();
    let damaged = |error: serde_json::Error| {
        Failure::outside(
            format_args!("`{shown}` is damaged: {error}"),
            "run the scenario again: `ackclock run` on the scenario.toml of the folder, with --out DIR",
        )
    };
    let foreign = || {
        Failure::outside(
            format_args!("`{shown}` is not a result of ackclock run"),
            "name a folder that `ackclock run` has written",
        )
    };
    // What was cut off still begins like an object, or is empty.
    if text.first().is_some_and(|&first| first != b'{') {
        return Err(foreign());
    }
    // The version is looked at before anything that may differ between versions.
    let head: Head = serde_json::from_slice(&text).map_err(damaged)?;
    if head.format.as_deref() != Some(FORMAT) {
        return Err(foreign());
    }
    if head.format_version != Some(FORMAT_VERSION) {
        let version = head.format_version.map_or("no".into(), |version| version.to_string());
        return Err(Failure::outside(
            format_args!("`{shown}` has format version {version}; this program reads {FORMAT_VERSION}"),
            "read it with the ackclock that wrote it, or run the scenario again",
        ));
    }
    Ok((folder, serde_json::from_slice(&text).map_err(damaged)?, seal::check(&text)))
}

/// What is wrong with tables, as the end of a command.
pub fn failure(error: TableError) -> Failure {
    Failure::outside(&error, error.help())
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Failure {
    let shown = folder.display();
    match error.kind() {
        ErrorKind::NotFound if folder.join(UNFINISHED).is_dir() => Failure::outside(
            format_args!("`{shown}` holds finished runs of a result that is not complete: there is no {RESULT} in it"),
            "give the same `ackclock run` again: it goes on from these",
        ),
        ErrorKind::NotFound if folder.is_dir() => Failure::outside(
            format_args!("`{shown}` holds no result: there is no {RESULT} in it"),
            "name a folder that `ackclock run` has written",
        ),
        ErrorKind::NotFound => Failure::outside(
            format_args!("there is no folder `{shown}`"),
            "`ackclock run` says at its end where its results are",
        ),
        ErrorKind::PermissionDenied => Failure::outside(
            format_args!("cannot read `{shown}/{RESULT}`: {error}"),
            "allow reading it, or copy the folder to where you may read",
        ),
        _ => Failure::outside(
            format_args!("cannot read `{shown}/{RESULT}`: {error}"),
            "name a folder that `ackclock run` has written",
        ),
    }
}

#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    format_version: Option<u32>,
}
