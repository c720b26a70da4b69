//! Standard error, which carries everything but results.

use std::fmt::{Arguments, Display};
use std::io::Write;

/// Writes a line to standard error. If even that fails, there is no place for a message.
pub fn note(text: Arguments<'_>) {
    stderr(format_args!("{text}\n"));
}

/// Writes an error and its remedy to standard error.
pub fn error(text: &dyn Display, help: &dyn Display) {
    stderr(format_args!("{BOLD_RED}error{RESET}: {text}\n{BOLD_CYAN}help{RESET}: {help}\n"));
}

/// Writes text to standard error. Its colours vanish where they are not wanted: not a terminal, `NO_COLOR`.
pub fn stderr(text: Arguments<'_>) {
    let mut err = anstream::stderr().lock();
    // One call of `write`, so that lines of several processes do not mix.
    let _ = err.write_all(text.to_string().as_bytes()).and_then(|()| err.flush());
}

const BOLD_RED: &str = "\x1b[1;31m";
const BOLD_CYAN: &str = "\x1b[1;36m";
const RESET: &str = "\x1b[0m";
