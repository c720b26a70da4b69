//! How the program ends: exit codes, and what is said when a command fails.

use std::fmt::Display;

use ackclock_run::KeepError;
use ackclock_scenario::Diagnostic;
use ackclock_store::StoreError;
use ackclock_store::result::ResultError;
use ackclock_store::tables::TableError;

use crate::{console, diagnostics};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Fine = 0,
    /// Something outside failed: a file, a folder, a disk.
    Outside = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The scenario is wrong, or a script cannot be run.
    Invalid = 3,
    /// A reproduction differs from what was published in a way that is not recorded, or a repeated run from what was
    /// kept; or a script expects something else than is simulated.
    Differs = 4,
    /// A broken invariant; the code of any Rust program that panics.
    Defect = 101,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
}

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// One message and what to do about it.
    Message { exit: Exit, text: String, help: String },
    /// A scenario with everything that is wrong with it.
    Scenario {
        /// Never empty.
        diagnostics: Vec<Diagnostic>,
        /// What did not happen because of them.
        consequence: Option<&'static str>,
    },
}

impl Failure {
    pub fn outside(text: impl Display, help: impl Display) -> Failure {
        Failure::Message { exit: Exit::Outside, text: text.to_string(), help: help.to_string() }
    }

    /// The command line asks for something that is not there.
    pub fn usage(text: impl Display, help: impl Display) -> Failure {
        Failure::Message { exit: Exit::Usage, text: text.to_string(), help: help.to_string() }
    }

    /// The program contradicts itself.
    pub fn defect(text: impl Display) -> Failure {
        let help = "please report it with the command line and the output of `ackclock --version`".into();
        Failure::Message { exit: Exit::Defect, text: format!("ackclock has a defect: {text}"), help }
    }

    /// Says on standard error what is wrong and returns the exit code.
    pub fn report(&self) -> Exit {
        match self {
            Failure::Message { exit, text, help } => {
                console::error(text, help);
                *exit
            }
            Failure::Scenario { diagnostics: all, consequence } => {
                diagnostics::print(all);
                let count = diagnostics::count(all);
                let consequence = consequence.map(|c| format!(", {c}")).unwrap_or_default();
                console::note(format_args!("{count}{consequence}"));
                Exit::Invalid
            }
        }
    }
}

impl From<ackclock_sweep::Error> for Failure {
    fn from(error: ackclock_sweep::Error) -> Failure {
        match error {
            ackclock_sweep::Error::Defect(message) => Failure::defect(message),
            error @ (ackclock_sweep::Error::Seeds { .. } | ackclock_sweep::Error::Usage { .. }) => {
                Failure::usage(&error, error.help())
            }
            error => Failure::outside(&error, error.help()),
        }
    }
}

/// Errors that say themselves what to do.
macro_rules! outside {
    ($($Error:ty),*) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Failure {
                Failure::outside(&error, error.help())
            }
        })*
    };
}
outside!(StoreError, KeepError, ResultError, TableError);
