//! Files with traces of rates of links and of sources, read.

use std::io::ErrorKind;

use crate::document::{Document, Named};
use crate::text::diagnostic::{At, Report};
use crate::text::source::Source;
use crate::value::FileValue;
use crate::value::rate_trace::{RateTrace, TraceContent, WrongLine};

/// Reads the traces that links and sources of datagrams name; of those that cannot be used there is a report, and the value is none.
pub(crate) fn read(document: &mut Document, source: &dyn Source, report: &mut Report) {
    let tables = document.links.iter_mut().chain(&mut document.directions).chain(&mut document.udp);
    for Named { given, .. } in tables {
        given.revise("rate", |value| match value {
            FileValue::RateTrace(trace) => read_one(trace, source, report).map(FileValue::RateTrace),
            value => Some(value),
        });
    }
}

fn read_one(trace: RateTrace, source: &dyn Source, report: &mut Report) -> Option<RateTrace> {
    // Paths are relative to the file that gives them, arguments to where we are.
    let path = match report.file_of(trace.at) {
        Some(file) => source.join(file, &trace.path),
        None => trace.path.clone(),
    };
    let bytes = match source.read_referenced(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let help = match error.kind() {
                ErrorKind::Unsupported | ErrorKind::FileTooLarge => "name a trace: a file of text on a disk",
                _ => "the path is relative to the scenario file",
            };
            let problem = format!("the trace {path} cannot be read: {error}");
            report.error(trace.at, problem).label("not readable").help(help);
            return None;
        }
    };
    let digest = blake3::hash(&bytes).to_hex().to_string();
    if trace.digest.as_ref().is_some_and(|meant| *meant != digest) {
        report
            .error(trace.digest_at, format!("the trace {path} has another digest than `digest`"))
            .label(format!("it is {digest}"))
            .help("put the file back, or leave `digest` out if the change is meant");
        return None;
    }
    let content = content(&trace, &path, bytes, report)?;
    Some(RateTrace { path: source.absolute(&path), digest: Some(digest), content: Some(content), ..trace })
}

fn content(trace: &RateTrace, path: &str, bytes: Vec<u8>, report: &mut Report) -> Option<TraceContent> {
    let Ok(text) = String::from_utf8(bytes) else {
        report
            .error(trace.at, format!("the trace {path} is not UTF-8 text"))
            .label("another kind of file")
            .help("a trace is text: times in milliseconds, or a table with times and rates");
        return None;
    };
    let WrongLine { line, problem, label, help } = match trace.format.read(&text) {
        Ok(content) => return Some(content),
        Err(wrong) => wrong,
    };
    let at = match line {
        Some(line) => At::new(report.add_text(path, &text), span_of(&text, line), 0),
        None => trace.at,
    };
    let problem = if line.is_some() { problem } else { format!("{path}: {problem}") };
    report.error(at, problem).label(label).help(help);
    None
}

/// Where a line is, in bytes.
fn span_of(text: &str, line: usize) -> std::ops::Range<usize> {
    let start = text.split_inclusive('\n').take(line).map(str::len).sum();
    let length = text[start..].lines().next().map_or(0, |line| line.trim_end().len());
    start..start + length
}
