//! The verdict on a study: what a report says. Published numbers and measurements meet in [`judge`]; [`text`] and [`page`] show what
//! came out.

#![allow(missing_docs, reason = "most names of fields say what they are")]

mod abbreviations;
mod axis_plot;
mod cells;
mod claim;
pub(crate) mod files;
mod headline;
mod judge;
mod judged_again;
mod live;
pub(crate) mod page;
mod quantity;
mod text;
mod written;

use ackclock::record::stats::{Summary, summarize};
use serde::Serialize;

use crate::data::{Abbreviation, Tolerance};

pub use live::LiveReport;

pub use headline::types::{
    BesideReport, ChosenReport, Count, Headline, KindReport, LayoutReport, LayoutRowReport, Outcome, PowerReport,
    ReadingReport, Tally,
};

/// What became of a study. Serializes to the JSON of `--json` and `report.json`; `format` changes with its meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of this structure: 3.
    pub format: u32,
    /// Name of the study.
    pub study: String,
    pub title: String,
    /// Where it was published.
    pub citation: String,
    /// Version of the simulator's results ([`ackclock::sim::RESULT_VERSION`]).
    pub result_version: u32,
    /// Seeds 1 to this per point, unless a card says otherwise.
    pub seeds: u64,
    /// Whether only the quick subset was examined.
    pub quick: bool,
    /// Its live runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveReport>,
    /// The cards, in the order of the study.
    pub cards: Vec<CardReport>,
    /// The recorded differences that concern what was examined.
    pub findings: Vec<FindingReport>,
    /// What the publication says that does not fit together; not repeated where only a part was examined.
    pub remarks: Vec<String>,
    /// The abbreviations of the study that stand in what was examined.
    pub abbreviations: Vec<Abbreviation>,
    /// How many agree, and so on.
    pub tally: Tally,
    /// What the agreement of the published numbers tells, all tables together.
    pub power: Option<PowerReport>,
    /// Readings that stand beside the default.
    pub readings: Vec<ReadingReport>,
    /// What was chosen when the results were known.
    pub chosen: Vec<ChosenReport>,
    /// The verdict in sentences.
    pub headline: Headline,
}

/// One card: a published table, or claims without a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CardReport {
    /// Name of the card.
    pub id: String,
    pub title: String,
    /// Seeds 1 to this per point of the card.
    pub seeds: u64,
    /// The published table, where the card has one.
    pub table: Option<TableReport>,
    /// Whether it examines what the publication does not.
    pub beyond: bool,
    /// The same judged with alternatives to assumptions.
    pub judged_again: Vec<JudgedAgainReport>,
    /// Choices side by side, on what the publication does not examine. Never part of the verdict.
    pub comparisons: Vec<ComparisonReport>,
    /// Curves over an axis. Never part of the verdict.
    pub plots: Vec<AxisPlotReport>,
    pub claims: Vec<ClaimReport>,
    /// What the publication leaves open, and what the alternatives would change. Never part of the verdict.
    pub assumptions: Vec<AssumptionReport>,
}

/// A published table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableReport {
    /// What is in it, with its unit or denominator.
    pub quantity: String,
    /// Other ways to compute the same quantity: labels of [`CellReport::beside`].
    pub beside: Vec<String>,
    /// What counts as an efficiency of 1, Mb/s.
    #[serde(skip)]
    pub(crate) capacity_mbps: f64,
    pub cells: Vec<CellReport>,
    /// The rows and columns of the publication.
    pub layout: LayoutReport,
    /// What the agreement of its published numbers tells.
    pub power: Option<PowerReport>,
    /// The same numbers with readings that stand beside the default.
    pub readings: Vec<ReadingColumnReport>,
}

/// The numbers of a table with another reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadingColumnReport {
    /// What the reading reads otherwise, as in the headline.
    pub label: String,
    /// One for each of [`TableReport::cells`], as it is compared.
    pub numbers: Vec<Number>,
    /// Which of them agree.
    pub agree: Vec<bool>,
    /// What the agreement of the published ones tells.
    pub power: Option<PowerReport>,
}

/// One number of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellReport {
    /// `card/row/column`.
    pub id: String,
    /// Label of the row.
    pub row: String,
    /// Label of the column.
    pub column: String,
    pub published: f64,
    /// By how much our mean may differ.
    pub tolerance: f64,
    /// What the table distinguishes here: the largest distance from the published number to another one of the same
    /// quantity in its row, or, if there is none, in its column.
    pub apart: Option<f64>,
    /// Whether the tolerance is as large as that: a value that agrees with this number agrees with all of the row.
    pub wide: bool,
    /// Whether the number is our own: the publication does not print it.
    pub own: bool,
    /// What was chosen when the results were known, without which it would not agree or not be judged so.
    pub depends_on: Vec<String>,
    #[serde(skip)]
    pub(crate) judged_by: Tolerance,
    /// Whether every digit that was printed must be ours: `tolerance` is the step of the last one.
    pub exact: bool,
    /// What kind of number it is, in a word, and in which unit: numbers alike can be compared, and share an axis.
    #[serde(skip)]
    pub(crate) counts: (&'static str, f64),
    /// Decimals that tell something.
    pub decimals: usize,
    pub tolerance_reason: String,
    /// Our number over the seeds.
    pub ours: Number,
    /// Our number with as many digits as the study printed, rounded, rounded up or truncated as there. `None` where not every
    /// digit is judged.
    pub as_printed: Option<Number>,
    /// The quantity, computed in other ways, in the order of [`TableReport::beside`]. Not judged.
    pub beside: Vec<f64>,
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A number over the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Number {
    pub n: usize,
    pub mean: f64,
    /// Half the width of the 95 % confidence interval; none for a single seed.
    pub ci95: Option<f64>,
    /// The ends of that interval, cut to what the quantity can be, where it goes beyond: of few seeds it can.
    pub cut: Option<[f64; 2]>,
    pub min: f64,
    pub max: f64,
}

/// One claim of the study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimReport {
    /// Name, unique within the study; findings cover `claim:<id>`.
    pub id: String,
    /// What is claimed, in words.
    pub text: String,
    /// Whether it is our own: the publication does not make it.
    pub own: bool,
    /// Whether its card examines what the publication does not.
    pub beyond: bool,
    /// Whether it is published, denies no difference, and would hold if the effect that it is about were absent.
    pub weak: bool,
    /// What was chosen when the results were known, without which it would not hold or not be judged so.
    pub depends_on: Vec<String>,
    /// Whether our measurements bear it out.
    pub holds: bool,
    /// The numbers that decide, in words.
    pub evidence: String,
    /// The same with readings that stand beside the default.
    pub beside: Vec<BesideReport>,
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// How a number or a claim stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", content = "finding", rename_all = "kebab-case")]
pub enum Verdict {
    /// Within the tolerance; the claim holds.
    Agrees,
    /// Outside, and recorded: the name of the finding.
    Differs(String),
    /// Outside, and not recorded.
    Fails,
    /// Within, but recorded as different: the name of the finding.
    Vanished(String),
}

/// A recorded difference, or a reading of the text, which covers nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingReport {
    pub id: String,
    pub title: String,
    pub text: String,
    /// What was measured to establish it, in words.
    pub evidence: Vec<String>,
    /// What was measured now.
    pub experiments: Vec<ExperimentReport>,
    /// Whether it has experiments that the quick subset leaves out.
    #[serde(skip)]
    pub(crate) left_out: bool,
    /// The cells and claims among those examined that it explains.
    pub covers: Vec<String>,
    /// The cells and claims, which hold, to which a reading belongs.
    pub about: Vec<String>,
}

/// Runs that show why something differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperimentReport {
    pub text: String,
    pub choices: GroupReport,
    /// Whether they do show it; none where that is for people to see.
    pub confirmed: Option<bool>,
    /// The numbers that decide, in words; empty of none.
    pub evidence: String,
}

/// The numbers and claims of a card with an alternative to an assumption. Never part of the verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedAgainReport {
    /// Name of the assumption.
    pub assumption: String,
    pub statement: String,
    /// Why it was chosen when its results were known, if it was.
    pub after_results: Option<String>,
    /// What is assumed, in a word.
    pub default: String,
    pub alternative: String,
    /// Whether it stands beside the default in tables and verdict.
    pub beside: bool,
    /// Seeds 1 to this, of both.
    pub seeds: u64,
    /// Numbers and claims.
    pub of: usize,
    /// Those that agree or hold with the default.
    pub agree_by_default: usize,
    /// Those that agree or hold with the alternative.
    pub agree: usize,
    pub changed: Vec<ChangedReport>,
    /// All of them with the alternative.
    #[serde(skip)]
    pub(crate) judged: Judged,
}

/// The numbers and claims of a card with one reading.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub table: Option<TableReport>,
    pub claims: Vec<JudgedClaim>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JudgedClaim {
    pub id: String,
    pub own: bool,
    pub holds: bool,
    pub evidence: String,
}

/// A number or claim that an alternative changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedReport {
    /// `card/row/column` or `claim:<id>`.
    pub id: String,
    /// Whether it agrees or holds with the alternative.
    pub agrees: bool,
    /// The numbers that decide, in words.
    pub evidence: String,
}

/// Something the publication leaves open.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AssumptionReport {
    pub id: String,
    pub statement: String,
    /// `stated`, `literature` or `inferred`.
    pub mark: String,
    pub reason: String,
    /// Why it was chosen when its results were known, if it was.
    pub after_results: Option<String>,
    /// The points on which the alternatives were tried; empty where none were.
    pub groups: Vec<GroupReport>,
}

/// Choices side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonReport {
    pub id: String,
    /// What can be seen.
    pub text: String,
    pub choices: GroupReport,
}

/// Curves over an axis, a group for each quantity: a row for each value on the axis, a column for each curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AxisPlotReport {
    /// Name, unique within the study.
    pub id: String,
    pub title: String,
    /// What the publication describes there.
    pub shows: String,
    /// The axis from left to right.
    pub x: String,
    pub quantities: Vec<GroupReport>,
}

/// Choices with the same seeds: the default of an assumption and its alternatives on the same points, or the rows of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupReport {
    pub label: String,
    /// What is shown of each choice.
    pub shown: Vec<ShownReport>,
    /// The default first, if there is one.
    pub alternatives: Vec<AlternativeReport>,
}

/// What one choice gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlternativeReport {
    pub label: String,
    /// One number for each of [`GroupReport::shown`].
    pub numbers: Vec<Number>,
}

/// A number that is shown of each choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownReport {
    pub label: String,
    /// Decimals that tell something.
    pub decimals: usize,
}

impl Report {
    /// Whether every difference is recorded, every recorded difference is there, every experiment shows what its finding says, and
    /// readings are about what holds. Otherwise the command exits with 4.
    pub fn passed(&self) -> bool {
        let Tally { failures, vanished, refuted, misplaced, .. } = self.tally;
        [failures, vanished, refuted, misplaced] == [0; 4]
    }

    /// JSON, indented, with a newline at the end.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report is plain data") + "\n"
    }
}

impl CellReport {
    /// Our number as it can be compared with the published one digit by digit.
    pub(crate) fn comparable(&self) -> &Number {
        self.as_printed.as_ref().unwrap_or(&self.ours)
    }

    /// Whether a number in the place of ours would agree.
    pub(crate) fn would_agree(&self, number: f64) -> bool {
        match self.exact {
            true => self.judged_by.agrees(number, self.published, 0.0),
            false => (number - self.published).abs() <= self.tolerance + 1e-12 * self.published.abs().max(1.0),
        }
    }
}

impl FindingReport {
    /// Whether its numbers come from prose only, which no run repeats.
    pub(crate) fn is_prose(&self) -> bool {
        self.experiments.is_empty() && !self.left_out && !self.evidence.is_empty()
    }
}

impl ExperimentReport {
    /// What the numbers say of the finding; `None` where no predicate decides.
    pub(crate) fn words(&self) -> Option<String> {
        let verdict = if self.confirmed? { "confirmed" } else { "NOT CONFIRMED" };
        Some(format!("{verdict}: {}", self.evidence))
    }
}

impl ClaimReport {
    /// Whose it is, in a word, where that is not plain.
    pub(crate) fn mark(&self) -> Option<&'static str> {
        match (self.own, self.beyond) {
            (true, true) => Some("beyond"),
            (true, false) => Some("own"),
            (false, true) => Some("claim"),
            (false, false) => None,
        }
    }

    /// Which instance of a claim it is, if that has several.
    pub(crate) fn instance(&self) -> Option<&str> {
        self.id.split_once('/').map(|(_, instance)| instance)
    }
}

impl Verdict {
    /// Whether a number agrees or a claim holds, recorded as different or not.
    pub(crate) fn agrees(&self) -> bool {
        matches!(self, Verdict::Agrees | Verdict::Vanished(_))
    }

    pub(crate) fn finding(&self) -> Option<&str> {
        match self {
            Verdict::Differs(finding) | Verdict::Vanished(finding) => Some(finding),
            Verdict::Agrees | Verdict::Fails => None,
        }
    }

    /// From what was measured, and from what is recorded about it.
    pub(crate) fn new(agrees: bool, finding: Option<&str>) -> Verdict {
        match (agrees, finding) {
            (true, None) => Verdict::Agrees,
            (false, Some(finding)) => Verdict::Differs(finding.into()),
            (false, None) => Verdict::Fails,
            (true, Some(finding)) => Verdict::Vanished(finding.into()),
        }
    }
}

impl Number {
    /// Of no run: a file that was never finished, for one. It agrees with nothing.
    const NONE: Number = Number { n: 0, mean: f64::NAN, ci95: None, cut: None, min: f64::NAN, max: f64::NAN };

    /// Of values of a quantity that can be from `least` to `most`.
    pub(crate) fn of(values: &[f64], (least, most): (f64, f64)) -> Number {
        let Some(Summary { n, mean, ci95, min, max }) = summarize(values) else { return Number::NONE };
        let ends = ci95.map(|half| [mean - half, mean + half]);
        let cut = ends.filter(|[low, high]| *low < least || *high > most);
        Number { n, mean, ci95, cut: cut.map(|[low, high]| [low.max(least), high.min(most)]), min, max }
    }

    /// With the digits that the study printed, where a tolerance asks for every one of them.
    pub(crate) fn printed_with(self, tolerance: &Tolerance) -> Option<Number> {
        let [mean, min, max] = [self.mean, self.min, self.max].map(|number| tolerance.printed(number));
        Some(Number { mean: mean?, min: min?, max: max?, ..self })
    }
}
