//! Standard error, which carries everything but results.

use std::borrow::Cow;
use std::fmt::{Arguments, Display};
use std::io::Write;

/// Writes a line to standard error. If even that fails, there is no place for a message.
pub fn note(text: Arguments<'_>) {
    stderr(format_args!("{}\n", harmless(&text.to_string())));
}

/// Writes an error and its remedy to standard error.
pub fn error(text: &dyn Display, help: &dyn Display) {
    let (text, help) = (text.to_string(), help.to_string());
    let (text, help) = (harmless(&text), harmless(&help));
    stderr(format_args!("{BOLD_RED}error{RESET}: {text}\n{BOLD_CYAN}help{RESET}: {help}\n"));
}

/// Writes text to standard error. Its colours vanish where they are not wanted: not a terminal, `NO_COLOR`.
pub fn stderr(text: Arguments<'_>) {
    let mut err = anstream::stderr().lock();
    // One call of `write`, so that lines of several processes do not mix.
    let _ = err.write_all(text.to_string().as_bytes()).and_then(|()| err.flush());
}

/// A text that shows and does nothing else: names of files, and words of results and scenarios that came from elsewhere, may have characters
/// that move the cursor, hide a line, or turn the direction of writing. Such a character becomes a question mark.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let acts = |c: char| match c {
        '\n' | '\t' => false,
        // Marks that turn, embed or isolate directions of writing (UAX #9).
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    };
    match text.contains(acts) {
        true => Cow::Owned(text.replace(acts, "?")),
        false => Cow::Borrowed(text),
    }
}

const BOLD_RED: &str = "\x1b[1;31m";
const BOLD_CYAN: &str = "\x1b[1;36m";
const RESET: &str = "\x1b[0m";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_do_something_to_a_terminal_become_question_marks() {
        for (text, shown) in [
            ("a\x1b[2J\x1b]0;title\x07b", "a?[2J?]0;title?b"),
            ("over\rwritten\x08", "over?written?"),
            ("\u{9b}31m", "?31m"),
            ("gpj.\u{202e}exe", "gpj.?exe"),
            ("two\tcolumns\nÜ → ±", "two\tcolumns\nÜ → ±"),
        ] {
            assert_eq!(harmless(text), shown);
        }
    }
}
