//! The part of the printed table about delays: percentiles, of each kind those with the longest first.

use ackclock_store::document::Document;
use ackclock_store::document::delay_kinds::kinds;
use ackclock_store::document::delays::DelaySummary;
use ackclock_store::document::interval::Interval;

use super::columns::{NAME_LENGTH, Row, count, header, mean_in_brackets, short};

/// The rows of a result whose scenario asks for delays; the header alone if it does not.
pub fn rows(document: &Document) -> Vec<Row> {
    let mut rows = vec![header(&["delay, in ms", "number", "p50", "p95", "p99", "max"])];
    for kind in kinds(&document.summary) {
        // As in the table of ports, those at which nothing ever waited are left out.
        let waited = |(_, delays): &&(&str, &DelaySummary)| delays.max_s.is_none_or(|max| max.max > 0.0);
        let mut longest: Vec<&(&str, &DelaySummary)> = kind.delays.iter().filter(waited).collect();
        longest.sort_by(|(_, a), (_, b)| p99(b).total_cmp(&p99(a)));
        let shown = if longest.len() <= LINES { longest.len() } else { LINES - 1 };
        rows.extend(longest[..shown].iter().map(|(name, delays)| row(kind.name, name, delays)));
        if longest.len() > shown {
            rows.push(vec![first(kind.name, &format!("... and {} more", longest.len() - shown))]);
        }
    }
    rows
}

/// The first cell of a row: kinds stand below each other, and so do names.
fn first(kind: &str, name: &str) -> String {
    format!("{kind:<10}  {name}")
}

fn p99(delays: &DelaySummary) -> f64 {
    delays.p99_s.map_or(0.0, |p99| p99.mean)
}

fn row(kind: &str, name: &str, delays: &DelaySummary) -> Row {
    let ms = |delay: &Option<Interval>| delay.map_or("-".into(), |delay| mean_in_brackets(&delay, 1e3, 3));
    vec![
        first(kind, &short(name, NAME_LENGTH)),
        count(&delays.count),
        ms(&delays.p50_s),
        ms(&delays.p95_s),
        ms(&delays.p99_s),
        ms(&delays.max_s),
    ]
}

/// Lines of each kind of delay.
const LINES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::{example, with_delays};

    #[test]
    fn without_delays_there_is_nothing() {
        assert_eq!(rows(&example(2, 2, 2)).len(), 1);
    }

    #[test]
    fn those_with_the_longest_delays_are_shown() {
        let rows = rows(&with_delays(example(6, 2, 2)));
        // 6 flows and a source of datagrams; 6 round trips; a jitter; 2 ports.
        assert_eq!(rows.len(), 1 + 4 + 4 + 1 + 2);
        assert_eq!(rows[1], ["one-way     f6", "100", "749.472", "1421.634", "1481.764", "1500.000"]);
        assert_eq!(rows[4], ["one-way     ... and 4 more"]);
    }
}
