//! What can go wrong in a live run, with what to do about it.

use std::fmt::{self, Display, Formatter};

/// Why there is no live run, or why it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveError {
    kind: ErrorKind,
    text: String,
    help: String,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The scenario asks for what no live run can do.
    Scenario,
    /// This machine, or this process, lacks something.
    Machine,
}

impl LiveError {
    /// The scenario asks for what no live run can do.
    pub fn scenario(text: impl Display, help: impl Display) -> LiveError {
        LiveError { kind: ErrorKind::Scenario, text: text.to_string(), help: help.to_string() }
    }

    /// This machine, or this process, lacks something.
    pub fn machine(text: impl Display, help: impl Display) -> LiveError {
        LiveError { kind: ErrorKind::Machine, text: text.to_string(), help: help.to_string() }
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What to do about it.
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl Display for LiveError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for LiveError {}
