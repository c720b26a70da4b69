//! What is wrong with a scenario, and where.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A scenario that cannot be used.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum LoadError {
    /// The scenario file could not be read.
    Unreadable { path: String, error: std::io::Error },
    /// Everything that is wrong with the scenario, never empty.
    Invalid(Vec<Diagnostic>),
}

/// One thing wrong with a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where; `None`: in the scenario as a whole, as where a key is missing from the top of a file.
    pub place: Option<Place>,
    /// The path of the scenario file.
    pub file: Arc<str>,
    /// A short text at the caret.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// What is wrong and the text at the caret, as a sentence without a place.
    pub fn sentence(&self) -> String {
        let mut letters = self.message.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        let label = if self.label.is_empty() { String::new() } else { format!(": {}", self.label) };
        format!("{first}{}{label}.", letters.as_str())
    }
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
    /// The file's path, or the name of an option of the command line such as `--set`.
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
#[derive(Clone, Default)]
pub(crate) struct Report {
    /// The path of the scenario file.
    scenario: Arc<str>,
    texts: Vec<Text>,
    /// Options of the command line that stand for keys.
    options: Vec<(Vec<String>, String)>,
    errors: Findings,
    warnings: Findings,
}

#[derive(Clone)]
struct Text {
    /// The path of a file, or the name of an option.
    file: Arc<str>,
    text: Arc<str>,
    is_argument: bool,
    /// Where each line begins.
    lines: Arc<[u32]>,
}

/// Findings of one severity, as many as anybody will read.
#[derive(Clone, Default)]
struct Findings {
    kept: Vec<Finding>,
    /// What came after those, and how many they were.
    last: Option<Finding>,
    left_out: usize,
}

#[derive(Clone)]
struct Finding {
    at: Option<At>,
    /// The text does not even parse here.
    syntax: bool,
    diagnostic: Diagnostic,
}

impl Report {
    /// Nothing is wrong yet with the scenario file of this path.
    pub(crate) fn of(path: &str) -> Report {
        Report { scenario: path.into(), ..Report::default() }
    }

    /// From here on it is about the scenario file of this path.
    pub(crate) fn be_about(&mut self, path: &str) {
        self.scenario = path.into();
    }

    pub(crate) fn add_text(&mut self, file: &str, text: &str) -> TextId {
        self.add(file, text, false)
    }

    /// Adds the value of an option of the command line.
    pub(crate) fn add_argument(&mut self, option: &str, text: &str) -> TextId {
        self.add(option, text, true)
    }

    /// An option of the command line stands for a key, in the tables in which it is.
    pub(crate) fn stands_for(&mut self, option: &str, key: &[&str]) {
        self.options.push((key.iter().map(|name| (*name).to_owned()).collect(), option.to_owned()));
    }

    /// How `technology` is chosen, for messages: by the option that stands for it, or in a file.
    pub(crate) fn technology(&self, word: &str) -> String {
        match self.options.iter().find(|(key, _)| key[..] == ["network", "technology"]) {
            Some((_, option)) => format!("{option} {word}"),
            None => format!("technology = {word:?} in [network]"),
        }
    }

    fn add(&mut self, file: &str, text: &str, is_argument: bool) -> TextId {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = [0].into_iter().chain(newlines.map(|(index, _)| index as u32 + 1)).collect();
        self.texts.push(Text { file: file.into(), text: text.into(), is_argument, lines });
        TextId(self.texts.len() as u32 - 1)
    }

    /// An error. `None` is the scenario as a whole.
    pub(crate) fn error(&mut self, at: impl Into<Option<At>>, message: impl Into<String>) -> Draft<'_> {
        self.draft(Severity::Error, false, at.into(), message.into())
    }

    pub(crate) fn warning(&mut self, at: impl Into<Option<At>>, message: impl Into<String>) -> Draft<'_> {
        self.draft(Severity::Warning, false, at.into(), message.into())
    }

    /// An error in the syntax of a text.
    pub(crate) fn syntax_error(&mut self, at: At, message: impl Into<String>) -> Draft<'_> {
        self.draft(Severity::Error, true, Some(at), message.into())
    }

    /// Whether anything is an error.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.kept.is_empty()
    }

    /// Whether there is already more than anybody will read; what is costly to say may be left out.
    pub(crate) fn is_long(&self) -> bool {
        self.errors.kept.len() + self.warnings.kept.len() > 100
    }

    /// `FILE:LINE` of a place, or the name of an option.
    pub(crate) fn file_line(&self, at: At) -> String {
        let Text { file, is_argument, .. } = &self.texts[at.text as usize];
        if *is_argument { file.to_string() } else { format!("{file}:{}", self.line(at) + 1) }
    }

    /// The file of a place; none for arguments.
    pub(crate) fn file_of(&self, at: At) -> Option<&str> {
        let Text { file, is_argument, .. } = &self.texts[at.text as usize];
        (!is_argument).then_some(file)
    }

    /// All findings in the order of the texts and their bytes, consequences of syntax errors left out.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        let file = self.scenario.clone();
        let mut broken = BTreeSet::new();
        for at in self.errors.kept.iter().filter(|finding| finding.syntax).filter_map(|finding| finding.at) {
            let line = self.line(at);
            // After a broken header it is not known which keys belong where: the whole text is suspect.
            let start = self.texts[at.text as usize].lines[line] as usize;
            let header = self.texts[at.text as usize].text[start..].trim_start_matches([' ', '\t']).starts_with('[');
            broken.insert((at.text, (!header).then_some(line)));
        }
        let left_out = self.errors.left_out + self.warnings.left_out;
        let mut findings = std::mem::take(&mut self.errors.kept);
        findings.append(&mut self.warnings.kept);
        if !broken.is_empty() {
            findings.retain(|finding| {
                let known =
                    |at: At| !broken.contains(&(at.text, None)) && !broken.contains(&(at.text, Some(self.line(at))));
                finding.syntax || finding.at.is_some_and(known)
            });
        }
        findings.sort_by_key(|finding| (finding.at.is_none(), finding.at));
        let mut diagnostics: Vec<Diagnostic> = findings.into_iter().map(|finding| finding.diagnostic).collect();
        diagnostics.dedup();
        if left_out > 0 {
            let severity = if self.errors.left_out > 0 { Severity::Error } else { Severity::Warning };
            let message = format!("and {left_out} more like these");
            diagnostics.push(Diagnostic { place: None, help: None, label: String::new(), severity, message, file });
        }
        diagnostics
    }

    fn draft(&mut self, severity: Severity, syntax: bool, at: Option<At>, message: String) -> Draft<'_> {
        let place = at.map(|at| self.place(at));
        let file = self.scenario.clone();
        let diagnostic = Diagnostic { severity, message, place, file, label: String::new(), help: None };
        let finding = Finding { at, syntax, diagnostic };
        let findings = if severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        let kept = if findings.kept.len() < MOST_FINDINGS {
            findings.kept.push(finding);
            findings.kept.last_mut().expect("just added")
        } else {
            findings.left_out += 1;
            findings.last.insert(finding)
        };
        Draft { diagnostic: &mut kept.diagnostic }
    }

    fn place(&self, at: At) -> Place {
        let text = &self.texts[at.text as usize];
        let start = char_start(&text.text, at.start as usize);
        let end = char_start(&text.text, at.end as usize).max(start);
        Place { file: text.file.clone(), text: text.text.clone(), span: start..end }
    }

    /// The line of a place, counted from 0.
    fn line(&self, at: At) -> usize {
        let lines = &self.texts[at.text as usize].lines;
        lines.partition_point(|start| *start <= at.start).saturating_sub(1)
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

/// More errors, and more warnings, are counted only.
const MOST_FINDINGS: usize = 1_000;

/// The byte where the character begins that `byte` is in; at most the end of the text.
fn char_start(text: &str, byte: usize) -> usize {
    let mut start = byte.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    start
}
