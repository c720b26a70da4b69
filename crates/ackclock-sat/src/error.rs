//! What can be wrong with satellites and places: always what, and what to do.

use std::error::Error;
use std::fmt::{self, Write as _};

use ackclock::units::Time;

/// Why there is no constellation, or no contact plan.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum SatError {
    /// A number that nothing can be made of; what it is, with the name of the place or satellite, and what it can be, with the unit.
    OutOfRange { what: String, value: f64, allowed: String },
    /// A constellation that is not written as one.
    Notation { text: String, problem: String },
    /// A file of elements that cannot be used: its name and, where known, line and satellite.
    Elements { place: String, satellite: Option<String>, problem: String, help: String },
    /// Element sets, two or more, of as many in a file, that cannot be used.
    Unusable { sets: Vec<SatError>, of: usize },
    /// A satellite that is no longer in orbit, or whose elements lead nowhere, from this time of the run on.
    Decayed { satellite: String, at: Time, problem: String },
    /// Settings that do not go together.
    Conflict { problem: String, help: String },
}

impl SatError {
    /// Settings that do not go together, with the remedy.
    pub(crate) fn conflict(problem: impl Into<String>, help: impl Into<String>) -> SatError {
        SatError::Conflict { problem: problem.into(), help: help.into() }
    }

    /// Element sets that cannot be used, of as many in the file: what is wrong with each.
    pub(crate) fn unusable(mut sets: Vec<SatError>, of: usize) -> SatError {
        match sets.len() {
            1 => sets.remove(0),
            _ => SatError::Unusable { sets, of },
        }
    }

    /// How many element sets it is about, which can be left out; none if it is about something else.
    pub fn sets(&self) -> usize {
        match self {
            SatError::Unusable { sets, .. } => sets.len(),
            SatError::Elements { satellite: Some(_), .. } => 1,
            _ => 0,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            SatError::OutOfRange { allowed, .. } => format!("choose {allowed}"),
            SatError::Notation { .. } => "write INCLINATION:SATELLITES/PLANES/PHASING, for instance 86.4:66/6/2, or \
                                          `star 90:40/5/1` where the planes span half the globe"
                .into(),
            SatError::Elements { help, .. } | SatError::Conflict { help, .. } => help.clone(),
            SatError::Unusable { .. } => {
                "take them out of the file, fetch newer elements, or start nearer to their epochs".into()
            }
            SatError::Decayed { satellite, .. } => {
                format!("take `{satellite}` out of the file, fetch newer elements, or start nearer to their epoch")
            }
        }
    }
}

impl fmt::Display for SatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            SatError::OutOfRange { what, value, allowed } => format!("{what} is {value}; it can be {allowed}"),
            SatError::Notation { text, problem } => format!("`{text}` is no constellation: {problem}"),
            SatError::Elements { place, satellite: Some(satellite), problem, .. } => {
                format!("{place}: satellite `{satellite}`: {problem}")
            }
            SatError::Elements { place, satellite: None, problem, .. } => format!("{place}: {problem}"),
            SatError::Decayed { satellite, at, problem } => {
                format!("satellite `{satellite}` has decayed {} s after the start: {problem}", at.as_secs_f64())
            }
            SatError::Unusable { sets, of } => {
                let reasons: Vec<String> = sets.iter().take(NAMED_WITH_REASON).map(SatError::to_string).collect();
                let named = sets.iter().skip(NAMED_WITH_REASON).map(|set| match set {
                    SatError::Elements { place, satellite: Some(satellite), .. } => format!("`{satellite}` ({place})"),
                    other => other.to_string(),
                });
                let others: Vec<String> = named.collect();
                let also = if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) };
                format!("{} of {of} element sets cannot be used: {}{also}", sets.len(), reasons.join("; "))
            }
            SatError::Conflict { problem, .. } => problem.clone(),
        };
        // Names and values of files may have line ends in them; a message is one line.
        for letter in text.chars() {
            match letter.is_control() {
                true => write!(f, "{}", letter.escape_default())?,
                false => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

impl Error for SatError {}

/// Of so many element sets a message says what is wrong; of more it has the names only.
pub(crate) const NAMED_WITH_REASON: usize = 8;
