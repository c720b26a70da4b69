//! What is wrong with a scenario, and where.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// One thing wrong with a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where; `None` where a key is missing from a file that is empty of it.
    pub place: Option<Place>,
    /// A short text at the caret.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scenario cannot be run.
    Error,
    /// It can, but probably is not meant so.
    Warning,
}

/// A place in a scenario file or in a `--set` argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The file's path, or `--set`.
    pub file: Arc<str>,
    /// Its whole text.
    pub text: Arc<str>,
    /// The bytes that are meant.
    pub span: Range<usize>,
}

impl Place {
    /// Line and column of the first byte meant, both counted from 1, the column in characters.
    pub fn line_column(&self) -> (usize, usize) {
        let before = &self.text[..char_start(&self.text, self.span.start)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// A place by number: the text (in order of reading) and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    /// Which text.
    text: u32,
    start: u32,
    end: u32,
}

impl At {
    /// The place `span`, moved right by `offset`, in a text.
    pub(crate) fn new(text: TextId, span: Range<usize>, offset: usize) -> At {
        let clamp = |byte: usize| u32::try_from(byte + offset).unwrap_or(u32::MAX);
        At { text: text.0, start: clamp(span.start), end: clamp(span.end) }
    }
}

/// The number of a text in a [`Report`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextId(u32);

/// The texts that were read, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Report {
    texts: Vec<Text>,
    findings: Vec<Finding>,
}

struct Text {
    file: Arc<str>,
    text: Arc<str>,
}

struct Finding {
    at: Option<At>,
    /// The text does not even parse here.
    syntax: bool,
    diagnostic: Diagnostic,
}

impl Report {
    /// Adds a text.
    pub(crate) fn add_text(&mut self, file: &str, text: &str) -> TextId {
        self.texts.push(Text { file: file.into(), text: text.into() });
        TextId(self.texts.len() as u32 - 1)
    }

    /// An error. `None` is the scenario as a whole.
    pub(crate) fn error(&mut self, at: impl Into<Option<At>>, message: impl Into<String>) -> Draft<'_> {
        self.add(Severity::Error, false, at.into(), message.into())
    }

    /// A warning.
    pub(crate) fn warning(&mut self, at: impl Into<Option<At>>, message: impl Into<String>) -> Draft<'_> {
        self.add(Severity::Warning, false, at.into(), message.into())
    }

    /// An error in the syntax of a text.
    pub(crate) fn syntax_error(&mut self, at: At, message: impl Into<String>) -> Draft<'_> {
        self.add(Severity::Error, true, Some(at), message.into())
    }

    /// Whether anything is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.diagnostic.severity == Severity::Error)
    }

    /// Whether there is already more than anybody will read; what is costly to say may be left out.
    pub(crate) fn is_long(&self) -> bool {
        self.findings.len() > 100
    }

    /// `FILE:LINE` of a place, or `--set`.
    pub(crate) fn file_line(&self, at: At) -> String {
        let place = self.place(at);
        if &*place.file == SET_FILE { SET_FILE.to_owned() } else { format!("{}:{}", place.file, place.line_column().0) }
    }

    /// All findings in the order of the texts and their bytes, consequences of syntax errors left out.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        let mut broken = BTreeSet::new();
        for at in self.findings.iter().filter(|finding| finding.syntax).filter_map(|finding| finding.at) {
            let text = &self.texts[at.text as usize].text;
            let line = line_of(text, at.start);
            // After a broken header it is not known which keys belong where: the whole text is suspect.
            let header = text.lines().nth(line).is_some_and(|line| line.trim_start().starts_with('['));
            broken.insert((at.text, (!header).then_some(line)));
        }
        if !broken.is_empty() {
            let texts = &self.texts;
            self.findings.retain(|finding| {
                finding.syntax
                    || finding.at.is_some_and(|at| {
                        let line = line_of(&texts[at.text as usize].text, at.start);
                        !broken.contains(&(at.text, None)) && !broken.contains(&(at.text, Some(line)))
                    })
            });
        }
        self.findings.sort_by_key(|finding| (finding.at.is_none(), finding.at));
        let mut diagnostics: Vec<Diagnostic> = self.findings.into_iter().map(|finding| finding.diagnostic).collect();
        diagnostics.dedup();
        diagnostics
    }

    fn add(&mut self, severity: Severity, syntax: bool, at: Option<At>, message: String) -> Draft<'_> {
        let place = at.map(|at| self.place(at));
        let diagnostic = Diagnostic { severity, message, place, label: String::new(), help: None };
        self.findings.push(Finding { at, syntax, diagnostic });
        Draft { diagnostic: &mut self.findings.last_mut().expect("just added").diagnostic }
    }

    fn place(&self, at: At) -> Place {
        let text = &self.texts[at.text as usize];
        let start = char_start(&text.text, at.start as usize);
        let end = char_start(&text.text, at.end as usize).max(start);
        Place { file: text.file.clone(), text: text.text.clone(), span: start..end }
    }
}

/// A finding to which a label and help may still be added.
pub(crate) struct Draft<'a> {
    diagnostic: &'a mut Diagnostic,
}

impl Draft<'_> {
    /// The text at the caret.
    pub(crate) fn label(self, label: impl Into<String>) -> Self {
        self.diagnostic.label = label.into();
        self
    }

    /// What to do.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.diagnostic.help = Some(help.into());
        self
    }

    /// What to do, if there is something to say.
    pub(crate) fn help_if(self, help: Option<String>) -> Self {
        if help.is_some() {
            self.diagnostic.help = help;
        }
        self
    }
}

/// The name of the file that `--set` arguments seem to come from.
pub(crate) const SET_FILE: &str = "--set";

/// The line of a byte, counted from 0.
fn line_of(text: &str, byte: u32) -> usize {
    let before = &text.as_bytes()[..(byte as usize).min(text.len())];
    before.iter().filter(|byte| **byte == b'\n').count()
}

/// The byte where the character begins that `byte` is in; at most the end of the text.
fn char_start(text: &str, byte: usize) -> usize {
    let mut start = byte.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    start
}
