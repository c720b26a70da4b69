//! Traces that rates follow: `{ trace = "cell.trace" }`.

use super::fields::Fields;
use super::words::listed;
use crate::text::diagnostic::Report;
use crate::text::tree::{Item, Node, quoted};
use crate::value::FileValue;
use crate::value::rate_trace::{RateTrace, TraceFormat};

/// A table that names the file of a trace.
pub(super) fn rate_trace(name: &str, item: &Item, report: &mut Report) -> Option<FileValue> {
    let mut fields = Fields::new(name, item, &RateTrace::KEYS, report)?;
    let path = text(&mut fields, "trace", "\"cell.trace\"")?;
    let (format, digest) = (fields.table.entries.get("format"), fields.table.entries.get("digest"));
    let format = match format {
        None => TraceFormat::of_file(&path),
        Some(entry) => {
            let word = text(&mut fields, "format", "\"csv\"")?;
            let Some(format) = TraceFormat::named(&word) else {
                fields
                    .report
                    .error(entry.item.at, format!("unknown format {} of a trace", quoted(&word)))
                    .label(format!("expected one of {}", listed(&TraceFormat::NAMES)));
                return None;
            };
            format
        }
    };
    let digest_at = digest.map(|entry| entry.item.at);
    let digest = match digest {
        None => None,
        Some(_) => Some(text(&mut fields, "digest", "\"...\"")?),
    };
    Some(FileValue::RateTrace(RateTrace { path, format, digest, at: fields.at("trace"), digest_at, content: None }))
}

fn text(fields: &mut Fields<'_>, key: &str, example: &str) -> Option<String> {
    let item = fields.item(key, example)?;
    if let Node::Text(text) = &item.node {
        return Some(text.clone());
    }
    fields.report.error(item.at, format!("`{key}` is {}", item.described())).label("expected a text in quotes");
    None
}
