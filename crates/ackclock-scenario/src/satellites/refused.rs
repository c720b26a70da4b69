//! How an error of `ackclock-sat` is reported.

use ackclock_sat::error::SatError;

use crate::text::diagnostic::{At, Report};

/// Reports it at the value that it is about.
pub(super) fn wrong(error: &SatError, at: Option<At>, label: &str, report: &mut Report) {
    report.error(at, error.to_string()).label(label).help(error.help());
}
