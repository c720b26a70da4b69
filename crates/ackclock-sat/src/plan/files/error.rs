//! What can be wrong with a plan on the disk.

use std::io::ErrorKind;

use ackclock_columns::{FileError, FileKind};

use super::{FORMAT_VERSION, INDEX};

/// Why a plan cannot be written or read.
pub type PlanError = FileError<OfPlans>;
/// What is wrong.
pub type Problem = ackclock_columns::Problem<OfPlans>;

/// What only plans can have.
#[derive(Debug)]
pub enum OfPlans {
    /// Something else has the name of a file that would be written.
    NotOurs,
}

impl FileKind for OfPlans {
    const WHAT: &'static str = "a contact plan of ackclock";
    const FORMAT_VERSION: u32 = FORMAT_VERSION;

    fn words(&self) -> &'static str {
        match self {
            OfPlans::NotOurs => "is not a file of a contact plan, and would be replaced",
        }
    }

    fn help(problem: &Problem) -> String {
        match problem {
            Problem::Io(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                    "free space on the disk, or choose another disk".into()
                }
                ErrorKind::PermissionDenied => "allow access to it, or use a folder of your own".into(),
                _ => "check the path and the disk".into(),
            },
            Problem::Missing => format!("name the folder of a contact plan: one with a file {INDEX}"),
            Problem::Damaged(_) => "write the plan again, or copy it again with all its files".into(),
            Problem::Foreign => "name the folder of a contact plan that ackclock has written".into(),
            Problem::OtherFormat { found } if *found > FORMAT_VERSION => {
                "read it with the newer ackclock that wrote it".into()
            }
            Problem::OtherFormat { .. } => "write the plan again with this ackclock".into(),
            Problem::Own(OfPlans::NotOurs) => "name another folder, or move it away; nothing was written".into(),
        }
    }
}
