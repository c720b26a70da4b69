//! A place in the text of a script, and what is wrong there.

use std::fmt;

/// A line of a script, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub usize);

/// Why a script cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Where in the text reading stopped.
    pub place: Place,
    /// What is wrong there, in one sentence without a remedy.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

impl Trouble {
    /// Something is wrong on this line.
    pub fn new(line: usize, reason: impl Into<String>, remedy: impl Into<String>) -> Trouble {
        Trouble { place: Place(line), reason: reason.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.place.0, self.reason)
    }
}

/// The page that says what is understood.
pub(super) const PAGE: &str = "docs/packetdrill.md lists what is understood";

/// Where the reader is.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, line: 1 }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// What is left of the present line.
    pub(super) fn rest_of_line(&self) -> &'a str {
        self.rest().lines().next().unwrap_or_default().trim_end()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        let (passed, _) = self.rest().split_at(bytes);
        self.line += passed.matches('\n').count();
        self.at += bytes;
    }

    /// Passes spaces, line ends and comments.
    pub(super) fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start().len();
            self.advance(space);
            let comment = match self.rest() {
                rest if rest.starts_with("//") || rest.starts_with('#') => rest.find('\n').unwrap_or(rest.len()),
                rest if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => 0,
            };
            if space == 0 && comment == 0 {
                return;
            }
            self.advance(comment);
        }
    }

    /// Passes spaces and comments, and this word if it comes next.
    pub(super) fn accept(&mut self, word: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(word);
        if found {
            self.advance(word.len());
        }
        found
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<(), Trouble> {
        if self.accept(word) { Ok(()) } else { Err(self.unexpected(&format!("expected `{word}`"))) }
    }

    /// As many characters as there are of such.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.advance(end);
        &rest[..end]
    }

    /// The text up to this word, which is passed too.
    pub(super) fn take_until(&mut self, word: &str) -> Result<&'a str, Trouble> {
        let (line, rest) = (self.line, self.rest());
        let Some(end) = rest.find(word) else {
            return Err(Trouble::new(line, format!("no `{word}` follows"), format!("close it with `{word}`")));
        };
        self.advance(end + word.len());
        Ok(&rest[..end])
    }

    pub(super) fn number(&mut self, what: &str) -> Result<i64, Trouble> {
        self.skip_space();
        let digits = self.take_while(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| self.unexpected(&format!("expected {what}, a number")))
    }

    /// Something else stands here than is understood.
    pub(super) fn unexpected(&self, expected: &str) -> Trouble {
        let found = match self.rest_of_line() {
            "" => "the end of the line".to_string(),
            text => format!("`{text}`"),
        };
        Trouble::new(self.line, format!("{expected}, found {found}"), PAGE)
    }
}
