//! `ackclock explain`: what a word means, wherever the program uses it.

use ackclock::record::{DropReason, GROUPS, Metric, Shape, Subject};
use ackclock_scenario::NOT_MODELLED_PAGE;
use ackclock_store::tables::{SEED, columns};
use ackclock_sweep::METRICS;
use serde_json::Value;

use crate::failure::{Exit, Failure};
use crate::{keys, output, spelling};

/// Explains a metric, a column, a key of the result document, a word of printed tables, a reason of drops, an exit code,
/// a key or a word of scenario files, a term. What means several things is explained as each of them; letter case does
/// not matter.
pub fn explain(word: &str) -> Result<Exit, Failure> {
    let found: Vec<Entry> = entries().into_iter().filter(|entry| entry.word.eq_ignore_ascii_case(word)).collect();
    if found.is_empty() {
        let Some(name) = ackclock_scenario::not_modelled(word) else { return Err(unknown(word)) };
        let text =
            format!("{word}: {name}, which is not modelled\n    {NOT_MODELLED_PAGE} lists what is not modelled.\n");
        return output::print(&text).map(|()| Exit::Fine);
    }
    let texts: Vec<String> = found.iter().map(|entry| format!("{}: {}\n", entry.word, entry.text)).collect();
    output::print(&texts.join("\n")).map(|()| Exit::Fine)
}

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
    for (words, text) in TERMS {
        words.iter().for_each(|word| add(word, (*text).into()));
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
        add(key, format!("a key {place}\n    {about}{choice}"));
        for word in words {
            add(word, format!("a value of the key `{key}` {place}\n    {about}"));
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

/// Words of printed tables that are no keys themselves.
const HEADINGS: [(&str, &str); 3] =
    [("goodput", "goodput_bps"), ("rtx", "retransmissions"), ("unnecessary", "unnecessary_retransmissions")];

/// Terms of the field that the program uses and does not define elsewhere.
const TERMS: [(&[&str], &str); 15] = [
    (
        &["bdp", "bandwidth-delay-product"],
        "bandwidth-delay product, a unit of `buffer`, as in \"1 bdp\"
    The rate of a port times the longest round trip of the flows that cross it, without queues: the data that fill the path.",
    ),
    (
        &["rtt", "round-trip"],
        "round-trip time
    From the transmission of a segment to the arrival of its acknowledgement, queues included. The option `--rtt` of
    `quick` is the round trip without queues.",
    ),
    (
        &["percentile", "p50", "p95", "p99", "median", "quantile"],
        "a percentile of several values
    The p-th percentile is a value that p per cent of them do not exceed. p50 is the median; one value in a hundred is
    larger than p99.",
    ),
    (
        &["confidence-interval", "+/-"],
        "the 95 % confidence interval of a mean over several seeds, as mean +/- half its width
    By Student's t: 95 of a hundred such intervals contain the mean over all seeds. `ci95` in result.json.",
    ),
    (
        &["bootstrap", "bca"],
        "confidence intervals without an assumption on how the values are distributed: `sweep --interval bca`
    The mean of many lists drawn from the values with replacement, between its percentiles 2.5 and 97.5; BCa corrects
    these for bias and skewness. It needs ten seeds or more to mean much.",
    ),
    (
        &["jain"],
        "Jain's index of fairness
    (sum of x)^2 / (n * sum of x^2) over the goodputs x of n flows: 1 is equal shares, 1/n is one flow with everything.",
    ),
    (
        &["acr", "allowed-cell-rate"],
        "allowed cell rate of an ABR source
    The rate at which the source may send now, RM cells included. It begins at ICR and stays between MCR and PCR.",
    ),
    (
        &["rm-cell", "rm-cells", "frm", "brm", "resource-management-cell"],
        "resource management cell of an ABR connection
    A source sends a forward RM cell (FRM) with every Nrm cells. The destination returns it as a backward RM cell (BRM).
    Switches on its way lower the rate in it (ER) or set CI; the source follows.",
    ),
    (
        &["er", "explicit-rate"],
        "explicit rate, a field of RM cells
    The source asks for PCR, switches lower it to what they can carry, and ACR is never more than the last one returned.",
    ),
    (
        &["erq"],
        "explicit rate for the queue of a port, of `capc`
    The one rate that the port offers to all connections; it rises while the load is below its target, else it falls.",
    ),
    (
        &["ccr", "current-cell-rate"],
        "current cell rate, a field of RM cells
    ACR of the source when it sent the RM cell.",
    ),
    (
        &["ci", "ni"],
        "congestion indication and no increase, bits of RM cells
    CI: the source lowers ACR by RDF times ACR. NI: it does not raise ACR.",
    ),
    (
        &["crm", "missing-rm-cell-count"],
        "missing RM cell count, TBE over Nrm
    After so many forward RM cells without one that returns, ACR falls by CDF times ACR at each further one.",
    ),
    (
        &["tcr", "tagged-cell-rate", "out-of-rate"],
        "tagged cell rate, 10 cells per second
    A source whose ACR is below it sends an RM cell every 100 ms, out of rate (CLP = 1), so that it may learn a rate again.",
    ),
    (
        &["max-min-share"],
        "max-min share of a connection
    Every link is shared equally by the connections that it limits: no share can grow unless one that is no larger shrinks.",
    ),
];

const CAPTURES: &str = "the packets of a host, as a file for Wireshark and tcptrace
    `ackclock run FILE --capture HOST,...` writes captures/seed-N/HOST.pcapng into the result folder. It has data and
    acknowledgements with IP and TCP headers, when their transmission begins and when their last bit arrives. The
    comment of each packet has the flow, the sender's window, and where, when and why it was lost. See docs/captures.md.";

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::events::EventPart;
    use ackclock_store::document::example::{example, with_abr, with_delays, with_feedback};

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
        let mut document = with_feedback(with_abr(with_delays(example(1, 1, 2))));
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
    fn terms_say_one_thing_in_a_line_and_the_rest_below() {
        for (words, text) in TERMS {
            assert!(words.iter().all(|word| *word == word.to_lowercase()) && text.ends_with('.'), "{words:?}");
            assert!(text.lines().skip(1).all(|line| line.starts_with("    ")), "{words:?}");
        }
    }

    #[test]
    fn keys_and_words_of_scenario_files_are_found_at_any_depth() {
        let words = words();
        for word in ["policy", "selective-drop", "record_interval", "mss", "cwnd", "tcp", "queue_mean_packets", "130"] {
            assert!(words.iter().any(|known| known == word), "{word}");
        }
    }
}
