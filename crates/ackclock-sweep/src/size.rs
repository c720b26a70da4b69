//! How large the files of a sweep are going to be: from its plan, and from rows like those that it will have.

use crate::metrics::METRICS;
use crate::plan::Plan;
use crate::report;
use crate::results::row::Row;

/// What the files of a sweep consist of.
#[derive(Debug)]
pub(crate) struct Sizes {
    points: f64,
    /// Octets of a line of the ledger.
    line: f64,
    /// How many numbers rows have, and octets of one in decimal digits.
    numbers: f64,
    digits: f64,
    /// Those that are drawn.
    drawn: f64,
    /// Octets of the values of a point as text, and of the arguments that give them.
    values: f64,
    arguments: f64,
    /// Octets of the keys and values in the plan.
    keys: f64,
    /// Points of the figures on the page, and of those for a paper; none of a sweep without figures.
    figures: Option<report::Drawings>,
}

impl Sizes {
    pub(crate) fn of(plan: &Plan, rows: &[Row]) -> Sizes {
        let count = rows.len().max(1) as f64;
        let text = |row: &Row| serde_json::to_string(row).map_or(0, |text| text.len()) as f64;
        let has = |place: usize| rows.iter().any(|row| row.numbers.get(place).is_some_and(|number| number.is_some()));
        let asked = plan.asked().count() as f64;
        let numbers = asked + (0..METRICS.len()).filter(|place| has(*place)).count() as f64;
        let each = || rows.iter().flat_map(|row| row.numbers.iter().flatten());
        let digits: usize = each().map(|number| number.to_string().len()).sum();
        let values = plan.keys().map(|key| mean_length(&key.values)).sum();
        Sizes {
            points: plan.points.iter().flatten().count() as f64,
            line: LINE_BYTES + rows.iter().map(text).sum::<f64>() / count,
            numbers,
            digits: if rows.is_empty() { MOST_DIGITS } else { digits as f64 / each().count().max(1) as f64 },
            drawn: asked + report::usual_numbers(|name| place_of(name).is_some_and(has)) as f64,
            values,
            arguments: plan.keys().map(|key| key.path.len() as f64 + mean_length(&key.values) + 9.0).sum(),
            keys: plan.keys().map(|key| key.values.len() as f64 * (2.0 * mean_length(&key.values) + 40.0)).sum(),
            figures: report::drawings(plan),
        }
    }

    /// Octets that so many runs add to the ledger.
    pub(crate) fn ledger(&self, runs: f64) -> f64 {
        runs * self.line
    }

    /// Octets of the plan, and of what marks a folder.
    pub(crate) fn plan(&self) -> f64 {
        2.0 * BLOCK_BYTES + PLAN_BYTES + self.points * POINT_OF_PLAN_BYTES + self.keys
    }

    /// Octets of all files but the ledger where each point has so many seeds, when all runs have ended.
    pub(crate) fn tables(&self, seeds: usize, has_differences: bool) -> f64 {
        let has_intervals = seeds > 1;
        let runs = self.points * seeds as f64;
        let csv = runs * (self.numbers * (self.digits + 1.0) + self.values + 24.0);
        let parquet = PARQUET_BYTES + runs * (self.numbers * 8.0 + 9.0);
        let pooled = if has_intervals { POOLED_NUMBERS } else { 0.0 };
        let means = if has_intervals { 3.0 * MOST_DIGITS } else { self.digits + 3.0 };
        let summary = self.points * (self.numbers * means + pooled * MOST_DIGITS + self.values);
        let summaries = if has_differences { 2.0 } else { 1.0 };
        let figures = self.page(has_intervals, pooled, means) + self.paper(means);
        FILES * BLOCK_BYTES + csv + parquet + summaries * summary + self.plan() + figures
    }

    /// The page: rows of points, and figures with their numbers.
    fn page(&self, has_intervals: bool, pooled: f64, means: f64) -> f64 {
        let rows = self.points.min(report::MOST_ROWS as f64);
        let cell = if has_intervals { 70.0 } else { 15.0 };
        let of_row = self.drawn * cell + self.arguments + self.values + 140.0 + pooled * 18.0 + self.values + 60.0;
        let figures = self.figures.as_ref().map_or(0.0, |figures| {
            let inline = figures.page_points.min(report::MOST_INLINE as f64) * (means + self.values + 8.0);
            inline + figures.page_marks * (MARK_BYTES + self.arguments)
        });
        PAGE_BYTES + rows * of_row + self.drawn * figures
    }

    /// The figures for a paper.
    fn paper(&self, means: f64) -> f64 {
        self.figures.as_ref().map_or(0.0, |figures| {
            let csv = FONT_BYTES + figures.paper_points * (self.drawn * means + self.values);
            csv + self.drawn * figures.paper_marks * 2.0 * MARK_ON_PAPER_BYTES
        })
    }
}

fn mean_length(values: &[String]) -> f64 {
    values.iter().map(String::len).sum::<usize>() as f64 / values.len().max(1) as f64
}

fn place_of(name: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.name == name)
}

/// Of a line of the ledger beside the row: key, checksum, names.
const LINE_BYTES: f64 = 105.0;
/// Digits of a mean, with a comma.
const MOST_DIGITS: f64 = 18.0;
const POOLED_NUMBERS: f64 = 9.0;
const PARQUET_BYTES: f64 = 7000.0;
const PLAN_BYTES: f64 = 1500.0;
const POINT_OF_PLAN_BYTES: f64 = 42.0;
/// Style and script of a page, and what it says of any sweep.
const PAGE_BYTES: f64 = 75_000.0;
/// A mark with a link, and the points of its curve and its band.
const MARK_BYTES: f64 = 260.0;
/// The font in a figure as PDF.
const FONT_BYTES: f64 = 27_000.0;
const MARK_ON_PAPER_BYTES: f64 = 240.0;
/// Files of a folder, each of which fills its last block in part.
const FILES: f64 = 9.0;
const BLOCK_BYTES: f64 = 2048.0;
