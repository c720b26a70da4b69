//! Files outside result folders that are written under a name of the user: nothing but an earlier file of the same kind is replaced.

use std::io::{ErrorKind, Read};
use std::path::Path;

use ackclock_report::page::paper::is_figure;
use ackclock_store::files;

use crate::failure::Failure;
use crate::output::Output;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    Report,
    /// An SVG or PDF figure.
    Figure,
    /// Lines of numbers, which begin like this: CSV with its names of columns, or JSON lines.
    Lines(&'a str),
    Manual,
}

/// Refuses a name under which there is anything but an earlier file of this kind. `elsewhere` is the remedy.
///
/// # Errors
/// If there is, or if it cannot be the name of a file.
pub fn refuse_other(path: &Path, kind: Kind<'_>, elsewhere: &str) -> Result<(), Failure> {
    if path.file_name().and_then(|name| name.to_str()).is_none() {
        return Err(Failure::usage(format_args!("`{}` cannot be the name of a file", path.display()), elsewhere));
    }
    match is_replaceable(path, kind) {
        true => Ok(()),
        false => Err(Failure::outside(
            format_args!("`{}` exists already and is not a {} of ackclock", path.display(), kind.name()),
            elsewhere,
        )),
    }
}

/// Writes a file that has its name only when it is whole.
///
/// # Errors
/// As [`refuse_other`], or if it cannot be written.
pub fn write(path: &Path, kind: Kind<'_>, content: &[u8], elsewhere: &'static str) -> Result<(), Failure> {
    refuse_other(path, kind, elsewhere)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut output = Output::file(folder, name, elsewhere)?;
    output.write_bytes(content)?;
    output.finish()
}

/// Whether there is no such file, or one that ackclock has written.
fn is_replaceable(path: &Path, kind: Kind<'_>) -> bool {
    let mut head = Vec::new();
    match files::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head)) {
        Ok(_) => match kind {
            Kind::Report => String::from_utf8_lossy(&head).contains("<meta name=\"generator\" content=\"Ackclock "),
            Kind::Figure => is_figure(&head),
            // A table of no rows as JSON lines is empty.
            Kind::Lines(first) => head.starts_with(first.as_bytes()) || head.is_empty() && first.starts_with('{'),
            Kind::Manual => String::from_utf8_lossy(&head).contains(".TH ackclock"),
        },
        // Where a file is in the place of its folder, writing it says so.
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

impl Kind<'_> {
    fn name(self) -> &'static str {
        match self {
            Kind::Report => "report",
            Kind::Figure => "figure",
            Kind::Lines(_) => "table of the same columns",
            Kind::Manual => "page of the manual",
        }
    }
}

/// The marks of our files stand within their first bytes.
const HEAD_BYTES: u64 = 2000;
