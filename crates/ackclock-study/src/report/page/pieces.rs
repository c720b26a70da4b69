//! What the parts of a page are made of: lists, numbers and verdicts in cells, names for links.

use ackclock_report::page::html::Html;
use ackclock_report::page::number::fixed;
use ackclock_report::page::table::Cell;

use super::super::{Number, Verdict};
use super::picture;

/// The name of a finding in the page.
pub(super) fn anchor(finding: &str) -> String {
    format!("finding-{finding}")
}

pub(super) fn list<'a>(items: impl Iterator<Item = &'a str>) -> Html {
    Html::of("ul", |html| {
        for item in items {
            html.leaf("li", &[], item);
        }
    })
}

pub(super) fn number(number: &Number, decimals: usize) -> Cell {
    if number.n == 0 {
        return Cell::None;
    }
    let mean = fixed(number.mean, decimals);
    if let Some([low, high]) = number.cut {
        return Cell::Number(format!("{mean} ({} to {})", fixed(low, decimals), fixed(high, decimals)));
    }
    number.ci95.map_or(Cell::Number(mean.clone()), |half| Cell::half(mean, half, decimals))
}

/// A verdict leads to the finding that explains it.
pub(super) fn verdict(verdict: &Verdict, good: &str) -> Cell {
    let (tone, words) = (picture::tone(verdict), picture::words(verdict, good));
    match verdict {
        Verdict::Differs(finding) => Cell::Explained(tone, words, format!("#{}", anchor(finding))),
        _ => Cell::Verdict(tone, words),
    }
}
