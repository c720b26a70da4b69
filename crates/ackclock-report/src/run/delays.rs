//! The part of a report about delays: percentiles as tables, and the distributions of one run as curves.

use crate::page::curves::{Curve, Curves};
use crate::page::html::Html;
use crate::page::number::{Scale, plural};
use crate::page::table::{Cell, Table};
use ackclock_store::document::Document;
use ackclock_store::document::delay_kinds::{Kind, kinds, kinds_of_run};
use ackclock_store::document::delays::{DelaySummary, Delays, PER_MILLE};

/// What a reader has to know of a kind of delay, by its name: what the table is called, and what its numbers are.
const ABOUT: [(&str, &str, &str); 5] = [
    (
        "one-way",
        "One-way delays",
        "From when the sender hands data to its host until they have arrived completely. Lost data have no delay.",
    ),
    (
        "round trip",
        "Round trips",
        "As TCP measures them; of a UDP source with echoes, from when a datagram is sent until it has come back.",
    ),
    ("exchange", "Exchanges", "From when a request is sent until its response is there in full."),
    ("jitter", "Jitter of UDP", "Interarrival jitter of RFC 3550, section 6.4.1, after each arrival."),
    ("waiting", "Waiting times at ports", "From when a unit was admitted until its transmission began."),
];

/// The tables and curves of all delays; nothing if the scenario does not ask for them. The curves are of the run of `seed`.
pub fn section(document: &Document, seed: u64) -> Html {
    let mut html = Html::new();
    let of_run: Vec<Kind<'_, Delays>> =
        document.runs.iter().find(|run| run.seed == seed).map(kinds_of_run).unwrap_or_default();
    for kind in kinds(&document.summary) {
        html.append(&table(&kind));
        if let Some(kind) = of_run.iter().find(|of_run| of_run.name == kind.name) {
            html.append(&curves(kind, seed).html());
        }
    }
    html
}

fn about(kind: &str) -> (&'static str, &'static str) {
    let found = ABOUT.iter().find(|(name, ..)| *name == kind);
    found.map(|&(_, caption, about)| (caption, about)).expect("every kind of delay is described")
}

/// Those with the longest delays first.
fn table(kind: &Kind<'_, DelaySummary>) -> Html {
    let (caption, about) = about(kind.name);
    let mut delays: Vec<&(&str, &DelaySummary)> = kind.delays.iter().collect();
    let p99 = |delays: &DelaySummary| delays.p99_s.map_or(0.0, |p99| p99.mean);
    delays.sort_by(|(_, a), (_, b)| p99(b).total_cmp(&p99(a)));
    let longest = delays.iter().filter_map(|(_, delays)| delays.max_s).map(|max| max.mean).fold(0.0, f64::max);
    let scale = Scale::fitting(longest, "s");
    let mut table = Table::new(format!("{caption}, in {}", scale.unit)).words("of").column("number", "");
    for name in ["min", "mean", "p50", "p95", "p99", "max"] {
        table = table.column(name, "");
    }
    for (name, of) in delays.iter().take(LISTED) {
        let mut cells = vec![Cell::text(*name), Cell::number(of.count.mean, 0)];
        let of_each = [&of.min_s, &of.mean_s, &of.p50_s, &of.p95_s, &of.p99_s, &of.max_s];
        cells.extend(of_each.map(|delay| Cell::maybe(delay, scale.factor, 3)));
        table.row(cells);
    }
    let more = delays.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" {} more in result.json.", plural(more, "row")) } else { String::new() };
    table.note(format!("{about} Percentiles to within 0.4 %.{more}")).html()
}

/// The distributions of those with the longest delays, in the order of the document.
fn curves(kind: &Kind<'_, Delays>, seed: u64) -> Curves {
    let mut all: Vec<&(&str, &Delays)> = kind.delays.iter().filter(|(_, delays)| delays.count > 0).collect();
    all.sort_by(|(_, a), (_, b)| b.p99_s.unwrap_or_default().total_cmp(&a.p99_s.unwrap_or_default()));
    let drawn: Vec<Curve> = all.iter().take(CURVES).map(|(name, delays)| curve(name, delays)).collect();
    let (caption, _) = about(kind.name);
    let which = if all.len() > CURVES { format!(", the {CURVES} with the longest p99") } else { String::new() };
    Curves {
        label: format!("{caption}: share of delays that are not longer{which}; seed {seed}"),
        x: ("delay".into(), "s".into()),
        y: "share, %".into(),
        curves: drawn,
    }
}

fn curve(name: &str, delays: &Delays) -> Curve {
    let shares = PER_MILLE.iter().map(|&per_mille| f64::from(per_mille) / 10.0);
    let first = delays.min_s.map(|min| (min, 0.0));
    Curve {
        name: name.into(),
        points: first.into_iter().chain(delays.quantiles_s.iter().copied().zip(shares)).collect(),
    }
}

/// More rows are left to `result.json`.
const LISTED: usize = 200;
/// As many as there are colours.
const CURVES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::{example, with_delays};

    #[test]
    fn delays_are_tables_and_curves() {
        let html = section(&with_delays(example(8, 2, 2)), 1);
        let text = html.as_str();
        for part in ["One-way delays, in s", "Round trips", "Jitter of UDP, in s", "Waiting times at ports, in s"] {
            assert!(text.contains(part), "{part}");
        }
        // In two pictures and a legend: 8 flows and a source of datagrams, of which six are drawn; 8 round trips, of which six; a jitter; 2 ports.
        assert_eq!(text.matches("<polyline").count(), 3 * (6 + 6 + 1 + 2));
        assert!(text.contains("the 6 with the longest p99") && !text.contains("NaN") && !text.contains("inf"));
        // f8 has the longest.
        assert!(text.find(">f8<").unwrap() < text.find(">f1<").unwrap());
    }

    #[test]
    fn without_delays_there_is_no_section() {
        assert!(section(&example(2, 2, 2), 1).is_empty());
    }
}
