//! A result that is compared.

use std::collections::BTreeSet;

use ackclock::record::Series;
use ackclock_store::document::Document;

/// One of the results that are compared.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is called here; unique.
    pub label: String,
    /// The result, with at least one finished run.
    pub document: Document,
    /// What was recorded over time under its first seed, if anything was.
    pub series: Vec<Series>,
}

/// What the n-th result is called.
pub fn name(entries: &[Entry], n: usize) -> String {
    entries[n].label.clone()
}

/// What all of them count in, or both words.
pub fn unit(entries: &[Entry]) -> String {
    let units: BTreeSet<&str> = entries.iter().map(|entry| entry.document.scenario.unit.as_str()).collect();
    units.into_iter().collect::<Vec<_>>().join(" or ")
}
