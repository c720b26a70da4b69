//! What can be wrong with tables of a run.

use super::FORMAT_VERSION;
use crate::disk;
use ackclock_columns::{FileError, FileKind};

/// Why tables cannot be written or read.
pub type TableError = FileError<OfTables>;
/// What is wrong.
pub type Problem = ackclock_columns::Problem<OfTables>;

/// What only tables of a run can have.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum OfTables {
    /// Tables of another run than the result beside them.
    OtherRun,
    /// The metric was not recorded, but these were.
    NotRecorded { recorded: Vec<String> },
}

impl FileKind for OfTables {
    const WHAT: &'static str = "tables of ackclock";
    const FORMAT_VERSION: u32 = FORMAT_VERSION;

    fn words(&self) -> &'static str {
        match self {
            OfTables::OtherRun => "belongs to another run than the result beside it",
            OfTables::NotRecorded { .. } => "was not recorded",
        }
    }

    fn help(problem: &Problem) -> String {
        match problem {
            Problem::Io(error) => disk::remedy(error).into(),
            Problem::Missing | Problem::Damaged(_) | Problem::Own(OfTables::OtherRun) => {
                "run the scenario again: `ackclock run` on the scenario.toml of the folder, with --out DIR".into()
            }
            Problem::Foreign => "name a folder that `ackclock run` has written".into(),
            Problem::OtherFormat { found } if *found > FORMAT_VERSION => {
                "read it with the newer ackclock that wrote it".into()
            }
            Problem::OtherFormat { .. } => "read it with the older ackclock that wrote it, or run it again".into(),
            Problem::Own(OfTables::NotRecorded { recorded }) if recorded.is_empty() => {
                "record it: `ackclock run FILE --record METRIC,...`; `ackclock list record` names them".into()
            }
            Problem::Own(OfTables::NotRecorded { recorded }) => {
                format!("recorded are: {}; record others with --record METRIC,...", recorded.join(", "))
            }
        }
    }
}
