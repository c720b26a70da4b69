//! What is said of many numbers and claims at once: types, and nothing else.

use serde::Serialize;

/// What the agreement of some numbers tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PowerReport {
    /// Numbers that have others of their kind in their table.
    pub numbers: usize,
    /// Those within their tolerance.
    pub agree: usize,
    /// Those within whose tolerance the mean of their kind and table lies.
    pub agree_with_mean: usize,
    /// The most within whose tolerance one constant lies, for each kind and table.
    pub agree_with_best: usize,
    /// 1 less the quotient of our mean error and that of the mean; none if all published numbers are alike.
    pub skill: Option<f64>,
    /// Spearman's rank correlation in each table of at least three numbers of a kind that are not all alike, averaged with their
    /// numbers as weights.
    pub rank_correlation: Option<f64>,
    /// The errors, in the unit of each kind.
    pub kinds: Vec<KindReport>,
}

/// The errors of numbers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindReport {
    /// What is counted, in a word.
    pub what: String,
    /// Decimals of the published numbers.
    pub decimals: usize,
    /// Numbers.
    pub numbers: usize,
    /// The mean distance of our numbers from the published ones.
    pub error: f64,
    /// The mean distance of the constant from the published ones.
    pub error_of_mean: f64,
    /// As of the whole.
    pub skill: Option<f64>,
    /// As of the whole.
    pub rank_correlation: Option<f64>,
}

/// How many numbers and claims stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Numbers that the publication prints.
    pub numbers: Count,
    /// Of them, those whose tolerance is as large as what their table distinguishes.
    pub numbers_wide: usize,
    /// Those of these that agree.
    pub numbers_wide_agree: usize,
    /// Of the published numbers, those of which every printed digit must be ours.
    pub numbers_exact: usize,
    /// Those of these that agree.
    pub numbers_exact_agree: usize,
    /// Claims that the publication makes.
    pub claims: Count,
    /// Of those that hold, those that would hold if the effect that they are about were absent.
    pub claims_weak: usize,
    /// Numbers and claims of our own.
    pub own: Count,
    /// Numbers and claims outside, not recorded.
    pub failures: usize,
    /// Numbers and claims recorded as different that agree.
    pub vanished: usize,
    /// Experiments of findings that do not show what the finding says.
    pub refuted: usize,
    /// Findings that say how a sentence is read which stands against us: they would have to cover it.
    pub misplaced: usize,
}

/// Numbers or claims of one origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Those examined.
    pub examined: usize,
    /// Those that agree or hold.
    pub agree: usize,
    /// Those that do not, with a finding.
    pub differ: usize,
    /// Of those that agree, those that would not without what was chosen when the results were known.
    pub agree_by_choice: usize,
}

/// Something that was chosen when its results were known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChosenReport {
    /// What: an assumption, a measure, a tolerance, a bound.
    pub what: String,
    /// Why it was chosen so although its results were known, as the study says it.
    pub why: String,
    /// How many numbers and claims agree that would not without it, or are not judged without it. `None` where no card is judged
    /// with an alternative.
    pub agree_by_it: Option<usize>,
}

/// A reading that stands beside the default, on all cards that are judged with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadingReport {
    /// Its name: that of an assumption, or of alternatives together.
    pub id: String,
    /// What is read otherwise.
    pub label: String,
    /// Names of the cards.
    pub cards: Vec<String>,
    /// Published numbers on these cards.
    pub numbers: usize,
    /// How many of these numbers agree with this reading.
    pub numbers_agree: usize,
    /// Those that agree with the default.
    pub numbers_agree_by_default: usize,
    /// Published claims on these cards.
    pub claims: usize,
    /// How many of these claims hold with this reading.
    pub claims_hold: usize,
    /// Those that hold with the default.
    pub claims_hold_by_default: usize,
    /// What the agreement of the numbers tells.
    pub power: Option<PowerReport>,
}

/// What a claim is with a reading that stands beside the default.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideReport {
    /// What the reading reads otherwise, as in [`ReadingReport::label`].
    pub label: String,
    /// Whether the claim holds.
    pub holds: bool,
    /// The numbers that decide, in words.
    pub evidence: String,
}

/// The verdict in sentences.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Headline {
    /// Whether the publication reproduces.
    pub outcome: Outcome,
    /// What of it does, and how strong the evidence is. The first sentence says it all in short.
    pub reproduces: Vec<String>,
    /// Whether every difference has a finding, and every finding applies.
    pub consistent: String,
}

/// Whether a publication reproduces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Nothing published was examined.
    #[default]
    Nothing,
    /// Nine tenths of it at least.
    Reproduces,
    /// Half of it at least; also where a constant is as close as we are, or most claims do not hold.
    InPart,
    /// Less.
    Hardly,
}

/// A table as the publication arranges it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LayoutReport {
    /// The head of the labels of the rows.
    pub corner: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The rows that have a number.
    pub rows: Vec<LayoutRowReport>,
}

/// A row of the publication.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayoutRowReport {
    /// Its label.
    pub label: String,
    /// For each column the place of its number among the cells of the report of its table.
    pub cells: Vec<Option<usize>>,
}
