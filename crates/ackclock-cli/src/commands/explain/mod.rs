//! `ackclock explain`: what a word means, wherever the program uses it.

use std::collections::BTreeSet;

use ackclock::measure::{Combine, Quantity};
use ackclock::record::{DropReason, GROUPS, Metric, Shape, Subject};
use ackclock_scenario::NOT_MODELLED_PAGE;
use ackclock_store::tables::{SEED, columns};
use ackclock_sweep::{METRICS, POOLED, table};
use serde_json::Value;

use crate::failure::{Exit, Failure};
use crate::{output, spelling};
use terms::terms;

mod keys;
mod pages;
mod terms;

/// Explains a metric, a column, a key of the result document, a word of printed tables, a reason of drops, an exit code,
/// a key or a word of scenario files, a term. What means several things is explained as each of them, terms and keys first; case,
/// spaces and hyphens do not matter.
pub fn explain(word: &str) -> Result<Exit, Failure> {
    let asked = plain(word);
    let mut found: Vec<Entry> = entries().into_iter().filter(|entry| plain(&entry.word) == asked).collect();
    found.sort_by_key(|entry| entry.text.starts_with(A_VALUE));
    if found.is_empty() {
        let Some(name) = ackclock_scenario::not_modelled(word) else { return Err(unknown(word)) };
        let text =
            format!("{word}: {name}, which is not modelled\n    {NOT_MODELLED_PAGE} lists what is not modelled.\n");
        return output::print(&text).map(|()| Exit::Fine);
    }
    let texts: Vec<String> = found.iter().map(|entry| format!("{}: {}\n", entry.word, entry.text)).collect();
    output::print(&texts.join("\n")).map(|()| Exit::Fine)
}

/// A word without what does not matter in it; signs alone stay as they are.
fn plain(word: &str) -> String {
    let letters =
        |part: &str| part.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match word.strip_suffix('+').filter(|start| !start.is_empty()) {
        Some(start) => letters(start) + "plus",
        None if letters(word).is_empty() => word.to_owned(),
        None => letters(word),
    }
}

/// Functions of measures with a form of their own.
const FUNCTIONS: [(&str, &str); 3] = [
    ("share", "share(goodput: new)"),
    ("ratio", "ratio(goodput: f1 / f2)"),
    ("misallocation", "misallocation(goodput: f1 1 f2 2)"),
];

/// Every word that can be explained, each once.
pub fn words() -> Vec<String> {
    let mut words: Vec<String> = entries().into_iter().map(|entry| entry.word).collect();
    words.sort();
    words.dedup();
    words
}

/// One meaning of a word.
struct Entry {
    word: String,
    text: String,
}

fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |word: &str, text: String| entries.push(Entry { word: word.into(), text });
    for metric in Metric::ALL {
        add(metric.name(), of_metric(metric));
    }
    for (group, metrics) in GROUPS {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        add(group, format!("a group of metrics\n    {}", names.join(", ")));
    }
    for (words, text) in terms() {
        words.iter().for_each(|word| add(word, text.into()));
    }
    add("capture", CAPTURES.into());
    add("captures", CAPTURES.into());
    of_columns(&mut add);
    for (code, about) in keys::EXIT_CODES {
        add(code, format!("an exit code\n    {about}"));
    }
    let all: Vec<String> = keys::EXIT_CODES.iter().map(|(code, about)| format!("    {code:>3}  {about}")).collect();
    add("exit-codes", format!("how the program ends\n{}", all.join("\n")));
    for (key, unit, about) in keys::document() {
        let unit = if unit.is_empty() { String::new() } else { format!(", in {unit}") };
        add(key, format!("a key of result.json{unit}\n    {about}"));
    }
    for metric in METRICS {
        let unit = match metric.unit {
            "" => String::new(),
            "units" => ", in cells or packets".into(),
            unit => format!(", in {unit}"),
        };
        add(metric.name, format!("a column of tables of sweeps{unit}\n    {}", metric.about));
    }
    let (port, about_port) = table::PORT;
    add(port, format!("a column of tables of sweeps\n    {about_port}"));
    for (name, about) in Combine::NAMES.map(|(name, _)| (name, "over flows, sources or ports")) {
        add(name, format!("a function of measures {about}, as in --measure '{name}(goodput)'\n    docs/measures.md."));
    }
    for (name, example) in FUNCTIONS {
        add(name, format!("a function of measures, as in --measure '{example}'\n    docs/measures.md."));
    }
    let names: BTreeSet<&str> = Quantity::names().collect();
    let measures = names.into_iter().filter(|name| METRICS.iter().all(|metric| metric.name != *name));
    for (name, quantity) in measures.filter_map(|name| Some((name, Quantity::named(name)?))) {
        let example = match quantity {
            Quantity::Times(_) => format!("p95({name})"),
            Quantity::OfPorts(_) => format!("{name}(sw1->sw2)"),
            Quantity::OfFlows(..) if quantity.has_parts() => format!("{name}(f1, 2 to 5 s)"),
            Quantity::OfFlows(..) | Quantity::OfRun(_) => format!("sum({name})"),
        };
        add(name, format!("a measure, as in --measure '{example}'\n    {} docs/measures.md.", quantity.about()));
    }
    for pooled in POOLED {
        let merged = "From merged histograms, to within 1.6 %.";
        add(pooled.name, format!("a column of summary.csv of sweeps, in s\n    {} {merged}", pooled.about));
    }
    of_schema(&ackclock_scenario::json_schema(), "", &mut add);
    for reason in DropReason::ALL.map(DropReason::name) {
        add(
            reason,
            format!("a reason of a loss, in the column `reason` of drops\n    {}", about(&reason.replace('-', "_"))),
        );
    }
    for (heading, key) in HEADINGS {
        add(heading, format!("a column of printed tables: `{key}` in result.json\n    {}", about(key)));
    }
    entries
}

/// What a key of the result document says.
fn about(key: &str) -> &'static str {
    keys::document().into_iter().find(|(name, ..)| *name == key).map_or("", |(.., about)| about)
}

fn of_metric(metric: Metric) -> String {
    let unit = match metric.unit() {
        "units" => "cells on ATM networks, packets on packet networks",
        unit => unit,
    };
    let of = match metric.subject() {
        Subject::Flow => "each flow",
        Subject::Port => "each output port of a switch",
        Subject::PortVc => "each connection at each output port of a switch",
    };
    let shape = match metric.shape() {
        Shape::Changes => "at every change; a value holds until the next",
        Shape::Events => "at every event; there is no value in between",
        Shape::Intervals => "minimum, mean and maximum over each `record_interval`",
        Shape::Drops => "one row for each unit refused or lost",
    };
    let of_metric = columns(metric, "cells").into_iter().map(|column| column.name);
    let names: Vec<String> = std::iter::once(SEED.0.to_owned()).chain(of_metric).collect();
    format!(
        "a metric, recorded for {of}\n    {}\n    unit: {unit}\n    rows: {shape}\n    columns of {}.parquet: {}",
        metric.about(),
        metric.name(),
        names.join(", ")
    )
}

fn of_columns(add: &mut impl FnMut(&str, String)) {
    let mut known: Vec<(String, String)> = Vec::new();
    for (metric, unit) in Metric::ALL.into_iter().flat_map(|metric| ["cells", "packets"].map(|unit| (metric, unit))) {
        for column in columns(metric, unit) {
            let unit = if column.unit.is_empty() { String::new() } else { format!(", in {}", column.unit) };
            let text = format!("a column of tables{unit}\n    {}", column.about);
            // Tables share columns; what they say of them differs by shape.
            if !known.contains(&(column.name.clone(), text.clone())) {
                add(&column.name, text.clone());
                known.push((column.name, text));
            }
        }
    }
}

/// The keys of a part of the schema, and the words that they may be.
fn of_schema(schema: &Value, path: &str, add: &mut impl FnMut(&str, String)) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, property) in properties.into_iter().flatten() {
        let place = if path.is_empty() { "at the top of a scenario file".into() } else { format!("in [{path}]") };
        let about = property["description"].as_str().unwrap_or_default();
        let mut words = Vec::new();
        collect_words(property, &mut words);
        let choice = match (words.is_empty(), other_values(property)) {
            (true, _) => String::new(),
            (false, None) => format!("\n    one of: {}", words.join(", ")),
            (false, Some(others)) => format!("\n    {others}, or one of: {}", words.join(", ")),
        };
        let page = |page: Option<String>| page.map_or(String::new(), |page| format!("\n    see docs/models/{page}.md"));
        add(key, format!("a key {place}\n    {about}{choice}{}", page(pages::of_key(path, key))));
        for word in words {
            let alias =
                ackclock_scenario::alias(word).map_or(String::new(), |meant| format!(", another name of {meant}"));
            let page = page(pages::of_word(key, word));
            add(word, format!("{A_VALUE} of the key `{key}` {place}{alias}\n    {about}{page}"));
        }
        let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        of_schema(property, &below, add);
        if let Some(table) = table_in(property) {
            of_schema(table, &below, add);
        }
        if let Some(named) = property.get("additionalProperties").filter(|named| named.is_object()) {
            of_schema(table_in(named).unwrap_or(named), &format!("{below}.NAME"), add);
        }
    }
}

/// The table that a property may be besides other things, or that its lists may hold.
fn table_in(property: &Value) -> Option<&Value> {
    let alternatives = property["anyOf"].as_array().into_iter().flatten().chain(property.get("items"));
    alternatives
        .into_iter()
        .find_map(|schema| if schema["properties"].is_object() { Some(schema) } else { table_in(schema) })
}

/// The words of `enum` in a property, itself or as one of several spellings. Those of lists are explained elsewhere.
fn collect_words<'a>(property: &'a Value, words: &mut Vec<&'a str>) {
    words.extend(property["enum"].as_array().into_iter().flatten().filter_map(Value::as_str));
    for alternative in property["anyOf"].as_array().into_iter().flatten() {
        collect_words(alternative, words);
    }
}

/// What else a property may be that may be one of some words.
fn other_values(property: &Value) -> Option<String> {
    let alternatives = property["anyOf"].as_array().into_iter().flatten();
    let others: Vec<String> = alternatives
        .filter_map(|alternative| match (alternative["type"].as_str()?, alternative["pattern"].as_str()) {
            ("boolean", _) => Some("true, false".to_owned()),
            ("integer", _) => {
                Some(format!("a whole number from {} to {}", alternative["minimum"], alternative["maximum"]))
            }
            ("number", _) if alternative["maximum"].as_f64() == Some(1.0) => Some("a fraction".to_owned()),
            ("number", _) => Some("a number".to_owned()),
            // The units stand in the last parentheses of the pattern.
            ("string", Some(pattern)) => {
                let (_, units) = pattern.rsplit_once('(')?;
                let units = units.split(')').next()?.replace('|', ", ");
                pattern.starts_with("^ *").then(|| format!("a number with a unit ({units})"))
            }
            _ => None,
        })
        .collect();
    (!others.is_empty()).then(|| others.join(", "))
}

fn unknown(word: &str) -> Failure {
    let words = words();
    let help = match spelling::nearest(word, words.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `ackclock explain {near}`?"),
        None => {
            let metrics = Metric::ALL.map(Metric::name).join(", ");
            format!("known words: the metrics {metrics}, columns, keys and exit codes")
        }
    };
    Failure::usage(format_args!("nothing called `{word}` can be explained"), help)
}

/// How the text of a word begins that a key of scenario files may be.
const A_VALUE: &str = "a value";

/// Words of printed tables that are no keys themselves.
const HEADINGS: [(&str, &str); 3] =
    [("goodput", "goodput_bps"), ("rtx", "retransmissions"), ("unnecessary", "unnecessary_retransmissions")];

const CAPTURES: &str = "the packets of a host, as a file for Wireshark and tcptrace
    `ackclock run FILE --capture HOST,...` writes captures/seed-N/HOST.pcapng into the result folder. It has data and
    acknowledgements with IP and TCP headers, when their transmission begins and when their last bit arrives. The
    comment of each packet has the flow, the sender's window, and where, when and why it was lost. See docs/captures.md.";

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::events::EventPart;
    use ackclock_store::document::example::{example, live, with_abr, with_delays, with_feedback};

    fn keys_of(value: &Value, keys: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                keys.extend(map.keys().cloned());
                map.values().for_each(|value| keys_of(value, keys));
            }
            Value::Array(items) => items.iter().for_each(|item| keys_of(item, keys)),
            _ => {}
        }
    }

    #[test]
    fn every_key_of_the_document_is_explained_and_no_other() {
        let mut document = live(with_feedback(with_abr(with_delays(example(1, 1, 2)))));
        document.scenario.events.push(EventPart {
            time_s: 2.5,
            time_ps: 2_500_000_000_000,
            kind: "handover".into(),
            node: "boston".into(),
            before: Some("5.4".into()),
            after: Some("5.3".into()),
        });
        let document: Value = serde_json::from_str(&document.to_json()).unwrap();
        let mut keys = Vec::new();
        keys_of(&document, &mut keys);
        keys.sort();
        keys.dedup();
        let mut explained: Vec<&str> = keys::document().into_iter().map(|(key, ..)| key).collect();
        explained.sort_unstable();
        assert_eq!(keys, explained);
    }

    #[test]
    fn a_key_with_a_unit_in_its_name_says_that_unit() {
        for (key, unit, about) in keys::document() {
            let expected = match key {
                _ if key.ends_with("_bps") => "bit/s",
                _ if key.ends_with("_s") => "s",
                _ if key.starts_with("bytes_") => "bytes",
                _ => unit,
            };
            assert_eq!(unit, expected, "{key}");
            assert!(about.ends_with('.'), "{key}");
        }
    }

    #[test]
    fn reasons_and_words_of_printed_tables_say_what_their_key_says() {
        let entries = entries();
        let text = |word: &str, of: &str| {
            let found = entries.iter().find(|entry| entry.word == word && entry.text.starts_with(of));
            found.unwrap_or_else(|| panic!("{word}")).text.clone()
        };
        for reason in DropReason::ALL {
            assert!(text(reason.name(), "a reason of a loss").ends_with('.'), "{}", reason.name());
        }
        assert!(text("no-route", "a reason").contains("without a route"));
        for (heading, _) in HEADINGS {
            assert!(text(heading, "a column of printed tables").ends_with('.'), "{heading}");
        }
        assert!(text("rtx", "a column").contains("Segments that TCP retransmitted."));
    }

    #[test]
    fn case_spaces_and_hyphens_do_not_matter() {
        for words in [["RM cell", "rm-cell"], ["ERICA+", "erica-plus"], ["Fair Share", "fair_share"], ["+/-", "+/-"]] {
            assert_eq!(plain(words[0]), plain(words[1]));
        }
        assert_ne!(plain("+/-"), plain("-"));
        let all = words();
        let with_letters = |word: &&String| word.chars().any(|letter| letter.is_ascii_alphanumeric());
        assert!(all.iter().filter(with_letters).all(|word| !plain(word).is_empty()));
    }

    #[test]
    fn keys_and_words_of_scenario_files_are_found_at_any_depth() {
        let words = words();
        for word in ["policy", "selective-drop", "record_interval", "mss", "cwnd", "tcp", "queue_mean_packets", "130"] {
            assert!(words.iter().any(|known| known == word), "{word}");
        }
    }
}
