//! A result folder as it was kept: for the commands that begin with one.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ackclock_columns::files;
use serde::Deserialize;

use crate::document::summary::SummaryPart;
use crate::document::{Document, FORMAT, FORMAT_VERSION};
use crate::flows;
use crate::seal::{self, Seal};
use crate::tables::TableError;

/// The document of a result.
pub const RESULT: &str = "result.json";
/// The scenario file of a result, with every key written out.
pub const SCENARIO: &str = "scenario.toml";
/// The folder of all runs whose results are not written yet, in a result folder.
pub const UNFINISHED: &str = ".ackclock.unfinished";

/// Why the result of a folder cannot be used.
#[derive(Debug)]
pub enum ResultError {
    /// The document was changed after it was written: how that shows.
    Changed(PathBuf, &'static str),
    /// The document is cut off or damaged.
    Damaged(PathBuf, serde_json::Error),
    /// The file is no document of a result.
    Foreign(PathBuf),
    /// The document is as it was written, by a build of the program whose documents have other members.
    OtherBuild(PathBuf, serde_json::Error),
    /// The document is as it was written, and a file with flows of its runs is not.
    Flows(TableError),
    /// The document has another format version, or none.
    Version(PathBuf, Option<u32>),
    /// The folder holds finished runs without a result.
    Unfinished(PathBuf),
    /// The folder holds no result.
    Empty(PathBuf),
    /// There is no such folder.
    Missing(PathBuf),
    /// The operating system does not let the document be read.
    Unreadable(PathBuf, io::Error),
}

/// The result in a folder, made sure to be as it was written. The path of its `result.json` will do as well.
///
/// # Errors
/// If there is none, if it cannot be read, or if it was changed.
pub fn open(path: &Path) -> Result<(&Path, Document), ResultError> {
    let (folder, mut document, seal) = read_kept(path)?;
    // One that was changed is refused below, whatever is in the files that it names.
    if seal == Seal::Intact {
        flows::fill_document(folder, &mut document).map_err(ResultError::Flows)?;
    }
    check(folder.join(RESULT), &document, seal)?;
    Ok((folder, document))
}

/// Makes sure that a document is as it was written, and that its summary follows from its runs.
///
/// # Errors
/// If not.
pub fn check(file: PathBuf, document: &Document, seal: Seal) -> Result<(), ResultError> {
    let because = match seal {
        Seal::Broken => "it does not match its checksum",
        Seal::Missing => "it has no checksum: an earlier version or another program wrote it",
        // The checksum does not keep anybody from changing both.
        Seal::Intact if !follows(document) => "its summary does not follow from its runs",
        Seal::Intact => return Ok(()),
    };
    Err(ResultError::Changed(file, because))
}

/// Whether the summary of a document follows from its runs. That of another version may have been another.
fn follows(document: &Document) -> bool {
    document.ackclock != env!("CARGO_PKG_VERSION") || SummaryPart::of(&document.runs) == document.summary
}

/// The result in a folder, and whether its document is as it was written.
///
/// # Errors
/// If there is none, if it cannot be read, or if a file with flows of its runs is not as it was written.
pub fn read(path: &Path) -> Result<(&Path, Document, Seal), ResultError> {
    let (folder, mut document, seal) = read_kept(path)?;
    flows::fill_document(folder, &mut document).map_err(ResultError::Flows)?;
    Ok((folder, document, seal))
}

/// The document in a folder, in which nothing is that is in other files, and whether it is as it was written.
///
/// # Errors
/// If there is none, or if it cannot be read.
pub fn read_kept(path: &Path) -> Result<(&Path, Document, Seal), ResultError> {
    let folder = match path.file_name() {
        Some(name) if name == RESULT => path.parent().unwrap_or(path),
        _ => path,
    };
    let file = folder.join(RESULT);
    let text = files::read(&file).map_err(|error| unreadable(folder, error))?;
    let (document, seal) = parse(file, &text)?;
    Ok((folder, document, seal))
}

/// The result in the text of a file, and whether it is as it was written.
///
/// # Errors
/// If it is none.
pub fn parse(file: PathBuf, text: &[u8]) -> Result<(Document, Seal), ResultError> {
    let damaged = |error| ResultError::Damaged(file.clone(), error);
    // What was cut off still begins like an object, or is empty.
    if text.first().is_some_and(|&first| first != b'{') {
        return Err(ResultError::Foreign(file));
    }
    // The version is looked at before anything that may differ between versions.
    let head: Head = serde_json::from_slice(text).map_err(damaged)?;
    if head.format.as_deref() != Some(FORMAT) {
        return Err(ResultError::Foreign(file));
    }
    if head.format_version != Some(FORMAT_VERSION) {
        return Err(ResultError::Version(file, head.format_version));
    }
    let seal = seal::check(text);
    let document = serde_json::from_slice(text).map_err(|error| match seal {
        Seal::Intact => ResultError::OtherBuild(file.clone(), error),
        Seal::Broken | Seal::Missing => damaged(error),
    })?;
    Ok((document, seal))
}

fn unreadable(folder: &Path, error: io::Error) -> ResultError {
    match error.kind() {
        ErrorKind::NotFound if folder.join(UNFINISHED).is_dir() => ResultError::Unfinished(folder.into()),
        ErrorKind::NotFound if folder.is_dir() => ResultError::Empty(folder.into()),
        ErrorKind::NotFound => ResultError::Missing(folder.into()),
        _ => ResultError::Unreadable(folder.join(RESULT), error),
    }
}

#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    format_version: Option<u32>,
}

impl ResultError {
    /// What is wrong with the document, in words that begin after its name.
    pub fn what(&self) -> String {
        match self {
            ResultError::Changed(_, because) => (*because).into(),
            ResultError::Damaged(_, error) => format!("it is damaged: {error}"),
            ResultError::OtherBuild(_, error) => format!("{OTHER_BUILD} ({error})"),
            ResultError::Foreign(_) => "it is not a result of ackclock run".into(),
            ResultError::Flows(error) => format!("flows of its runs cannot be read: {error}"),
            ResultError::Version(_, found) => {
                let version = found.map_or("no".into(), |version| version.to_string());
                format!("it has format version {version}; this program reads {FORMAT_VERSION}")
            }
            ResultError::Unfinished(_) | ResultError::Empty(_) | ResultError::Missing(_) => "it is missing".into(),
            ResultError::Unreadable(_, error) => format!("it cannot be read: {error}"),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        let help = match self {
            ResultError::Flows(error) => return error.help(),
            ResultError::Changed(..) => "run it again with `ackclock run`, or list the changes with `ackclock rerun`",
            ResultError::Damaged(..) => {
                "run the scenario again: `ackclock run` on the scenario.toml of the folder, with --out DIR"
            }
            ResultError::Version(..) | ResultError::OtherBuild(..) => {
                "read it with the ackclock that wrote it, or run the scenario again"
            }
            ResultError::Unfinished(_) => "run the same `ackclock run` again: it resumes from these runs",
            ResultError::Missing(_) => "`ackclock run` prints the folder of its results at its end",
            ResultError::Unreadable(_, error) if error.kind() == ErrorKind::PermissionDenied => {
                "allow reading it, or copy the folder to a place where you can read it"
            }
            ResultError::Unreadable(_, error) if files::Refused::of(error).is_some() => files::REFUSED_HELP,
            ResultError::Foreign(_) | ResultError::Empty(_) | ResultError::Unreadable(..) => {
                "name a folder that `ackclock run` has written"
            }
        };
        help.into()
    }
}

impl fmt::Display for ResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultError::Changed(file, because) => {
                write!(f, "`{}` is not as ackclock wrote it: {because}", file.display())
            }
            ResultError::Damaged(file, error) => write!(f, "`{}` is damaged: {error}", file.display()),
            ResultError::OtherBuild(file, error) => write!(f, "`{}`: {OTHER_BUILD} ({error})", file.display()),
            ResultError::Flows(error) => write!(f, "{error}"),
            ResultError::Foreign(file) => write!(f, "`{}` is not a result of ackclock run", file.display()),
            ResultError::Version(file, found) => {
                let version = found.map_or("no".into(), |version| version.to_string());
                let shown = file.display();
                write!(f, "`{shown}` has format version {version}; this program reads {FORMAT_VERSION}")
            }
            ResultError::Unfinished(folder) => {
                let shown = folder.display();
                write!(f, "`{shown}` has finished runs of an incomplete result: there is no {RESULT} in it")
            }
            ResultError::Empty(folder) => {
                write!(f, "`{}` has no result: there is no {RESULT} in it", folder.display())
            }
            ResultError::Missing(folder) => write!(f, "there is no folder `{}`", folder.display()),
            ResultError::Unreadable(file, error) => write!(f, "cannot read `{}`: {error}", file.display()),
        }
    }
}

impl std::error::Error for ResultError {}

const OTHER_BUILD: &str = "it is as another build of ackclock wrote it, whose results have other members";

#[cfg(test)]
mod tests {
    use super::*;

    /// Written when format 2 was as old as this file; what was added since has a default.
    const EARLIER: &[u8] = include_bytes!("document/earlier/format-2.json");

    #[test]
    fn a_result_of_an_earlier_build_is_read() {
        let (document, seal) = parse("result.json".into(), EARLIER).unwrap();
        check("result.json".into(), &document, seal).unwrap();
        let run = &document.runs[0];
        assert_eq!((document.runs.len(), run.flows.len(), run.udp.len(), run.measures.len()), (1, 2, 1, 0));
    }

    #[test]
    fn a_result_that_lacks_a_member_is_of_another_build_if_it_is_intact_and_damaged_if_not() {
        let text = String::from_utf8(EARLIER.to_vec()).unwrap().replace("\"fingerprint\":", "\"hash_of_all\":");
        let error = parse("result.json".into(), text.as_bytes()).unwrap_err();
        assert!(matches!(error, ResultError::Damaged(..)), "{error}");
        let members: serde_json::Value = serde_json::from_str(&text).unwrap();
        let sealed = seal::to_text(&without_seal(members));
        let error = parse("result.json".into(), sealed.as_bytes()).unwrap_err();
        assert!(matches!(error, ResultError::OtherBuild(..)) && error.to_string().contains("`fingerprint`"), "{error}");
        assert_eq!(error.help(), "read it with the ackclock that wrote it, or run the scenario again");
    }

    fn without_seal(mut document: serde_json::Value) -> serde_json::Value {
        document.as_object_mut().unwrap().remove("blake3").unwrap();
        document
    }
}
