//! The verdict: where published numbers and measurements meet.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ackclock::record::stats::{Summary, sample_sd, summarize};
use ackclock::sim::RESULT_VERSION;
use ackclock_store::WholeFile;
use serde::Serialize;

use crate::abbreviations::Abbreviation;
use crate::claim::Measured;
use crate::data::{Assumption, Beside, Card, Group, Mark, Point, Shown, Table, Tolerance, cell_id, merged};
use crate::figure::DrawnFigure;
use crate::measure::{Measurement, Metric};
use crate::plan::Scope;
use crate::study::Study;
use crate::{page, text};

/// What is written of it.
pub(crate) const FILES: [&str; 3] = ["report.json", "report.txt", "report.html"];

/// What became of a study. Serializes to the JSON of `--json` and `report.json`; `format` changes with its meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of this structure: 2.
    pub format: u32,
    /// Name of the study.
    pub study: String,
    /// Its title.
    pub title: String,
    /// Where it was published.
    pub citation: String,
    /// Version of the simulator's results ([`ackclock::sim::RESULT_VERSION`]).
    pub result_version: u32,
    /// Seeds 1 to this per point, unless a card says otherwise.
    pub seeds: u64,
    /// Whether only the quick subset was examined.
    pub quick: bool,
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
}

/// One card: a published table, or claims without a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CardReport {
    /// Name of the card.
    pub id: String,
    /// Title.
    pub title: String,
    /// Seeds 1 to this per point of the card.
    pub seeds: u64,
    /// The published table, where the card has one.
    pub table: Option<TableReport>,
    /// The claims.
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
    /// Row by row.
    pub cells: Vec<CellReport>,
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
    /// The published number.
    pub published: f64,
    /// By how much our mean may differ.
    pub tolerance: f64,
    /// What the table tells apart here: the largest distance from the published number to another one of the same
    /// quantity in its row, or, if there is none, in its column.
    pub apart: Option<f64>,
    /// Whether the tolerance is as large as that: who agrees with this number, agrees with all of the row.
    pub wide: bool,
    /// Whether every digit that was printed must be ours: `tolerance` is the step of the last one.
    pub exact: bool,
    /// What it counts, in a word, and in which unit: numbers alike can share an axis.
    #[serde(skip)]
    pub(crate) counts: (&'static str, f64),
    /// Decimals that tell something.
    pub decimals: usize,
    /// Why so much.
    pub tolerance_reason: String,
    /// Our number over the seeds.
    pub ours: Number,
    /// The same with as many digits as the study printed, got as the study got them: rounded, rounded up or cut off. Where
    /// not every digit is asked for, none.
    pub as_printed: Option<Number>,
    /// The same, computed in other ways, in the order of [`TableReport::beside`]. Not judged.
    pub beside: Vec<f64>,
    /// The judgement.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A number over the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Seeds.
    pub n: usize,
    /// Mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval; none for a single seed.
    pub ci95: Option<f64>,
    /// The ends of that interval, cut to what the quantity can be, where it goes beyond: of few seeds it can.
    pub cut: Option<[f64; 2]>,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
}

/// One claim of the study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimReport {
    /// Name, unique within the study; findings cover `claim:<id>`.
    pub id: String,
    /// What is claimed, in words.
    pub text: String,
    /// Whether our measurements bear it out.
    pub holds: bool,
    /// The numbers that decide, in words.
    pub evidence: String,
    /// The judgement.
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

/// A recorded difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingReport {
    /// Name.
    pub id: String,
    /// Title.
    pub title: String,
    /// What differs.
    pub text: String,
    /// What was measured to establish it.
    pub evidence: Vec<String>,
    /// The cells and claims among those examined that it explains.
    pub covers: Vec<String>,
}

/// Something the publication leaves open.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AssumptionReport {
    /// Name.
    pub id: String,
    /// What is assumed.
    pub statement: String,
    /// `stated`, `literature` or `inferred`.
    pub mark: String,
    /// Why.
    pub reason: String,
    /// The points on which the alternatives were tried; empty where none were.
    pub groups: Vec<GroupReport>,
}

/// The default and its alternatives on the same points with the same seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupReport {
    /// The points.
    pub label: String,
    /// What is shown of each choice.
    pub shown: Vec<ShownReport>,
    /// The default first.
    pub alternatives: Vec<AlternativeReport>,
}

/// What one choice gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlternativeReport {
    /// The choice.
    pub label: String,
    /// One number for each of [`GroupReport::shown`].
    pub numbers: Vec<Number>,
}

/// A number that is shown of each choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownReport {
    /// What it is.
    pub label: String,
    /// Decimals that tell something.
    pub decimals: usize,
}

/// How many cells and claims stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Cells examined.
    pub cells: usize,
    /// Cells within the tolerance.
    pub cells_agree: usize,
    /// Cells whose tolerance is as large as what their table tells apart.
    pub cells_wide: usize,
    /// Those of them that agree.
    pub cells_wide_agree: usize,
    /// Cells that must equal every digit that was printed.
    pub cells_exact: usize,
    /// Those of them that do.
    pub cells_exact_agree: usize,
    /// Cells outside, recorded.
    pub cells_differ: usize,
    /// Claims examined.
    pub claims: usize,
    /// Claims that hold.
    pub claims_hold: usize,
    /// Claims that do not hold, recorded.
    pub claims_differ: usize,
    /// Cells and claims outside, not recorded.
    pub failures: usize,
    /// Cells and claims recorded as different that agree.
    pub vanished: usize,
}

impl Report {
    /// Whether every difference is recorded, and every recorded difference is there. Otherwise the command exits with 4.
    pub fn passed(&self) -> bool {
        self.tally.failures == 0 && self.tally.vanished == 0
    }

    /// Plain text, at most 120 columns.
    pub fn text(&self) -> String {
        text::render(self)
    }

    /// JSON, indented, with a newline at the end.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report is plain data") + "\n"
    }

    /// Judges the measurements of everything in the scope.
    pub(crate) fn new<'a>(study: &'a Study, scope: &Scope, run: &'a dyn Fn(&Point, u64) -> &'a Measurement) -> Report {
        let cards: Vec<CardReport> = scope.cards(study).map(|card| card_report(study, scope, card, run)).collect();
        let mut tally = Tally::default();
        let mut examined = Vec::new();
        for card in &cards {
            for cell in card.table.iter().flat_map(|table| &table.cells) {
                tally.cells += 1;
                tally.cells_agree += usize::from(cell.verdict == Verdict::Agrees);
                tally.cells_wide += usize::from(cell.wide);
                tally.cells_wide_agree += usize::from(cell.wide && cell.verdict == Verdict::Agrees);
                tally.cells_exact += usize::from(cell.exact);
                tally.cells_exact_agree += usize::from(cell.exact && cell.verdict == Verdict::Agrees);
                tally.cells_differ += usize::from(matches!(cell.verdict, Verdict::Differs(_)));
                tally.count_failure(&cell.verdict);
                examined.push(cell.id.clone());
            }
            for claim in &card.claims {
                tally.claims += 1;
                tally.claims_hold += usize::from(claim.verdict == Verdict::Agrees);
                tally.claims_differ += usize::from(matches!(claim.verdict, Verdict::Differs(_)));
                tally.count_failure(&claim.verdict);
                examined.push(format!("claim:{}", claim.id));
            }
        }
        let findings = study.findings.iter().map(|finding| FindingReport {
            id: finding.id.clone(),
            title: finding.title.clone(),
            text: finding.text.clone(),
            evidence: finding.evidence.clone(),
            covers: finding.covered(scope.quick).filter(|id| examined.contains(id)).cloned().collect(),
        });
        Report {
            format: 2,
            study: study.name.clone(),
            title: study.head.title.clone(),
            citation: study.head.citation.clone(),
            result_version: RESULT_VERSION,
            seeds: scope.seeds,
            quick: scope.quick,
            cards,
            findings: findings.filter(|finding| !finding.covers.is_empty()).collect(),
            remarks: if scope.is_whole(study) { study.head.remarks.clone() } else { Vec::new() },
            abbreviations: Vec::new(),
            tally,
        }
        .explaining(&study.head.abbreviations)
    }

    /// Writes `report.json`, `report.txt` and `report.html` into the folder, each whole or not at all. `command` is how
    /// to repeat it.
    pub(crate) fn write(
        &self,
        folder: &Path,
        figures: &[DrawnFigure],
        command: &[String],
    ) -> Result<(), (PathBuf, io::Error)> {
        let page = page::render(self, figures, command);
        for (name, content) in FILES.into_iter().zip([self.json(), self.text(), page]) {
            let path = folder.join(name);
            let write = || -> io::Result<()> {
                let mut file = WholeFile::create(&path)?;
                file.write_all(content.as_bytes())?;
                file.commit()
            };
            write().map_err(|error| (path.clone(), error))?;
        }
        Ok(())
    }
}

impl CellReport {
    /// Our number as it can be compared with the published one digit by digit.
    pub(crate) fn comparable(&self) -> &Number {
        self.as_printed.as_ref().unwrap_or(&self.ours)
    }
}

impl ClaimReport {
    /// Which instance of a claim it is, if that has several.
    pub(crate) fn instance(&self) -> Option<&str> {
        self.id.split_once('/').map(|(_, instance)| instance)
    }
}

impl Tally {
    fn count_failure(&mut self, verdict: &Verdict) {
        self.failures += usize::from(*verdict == Verdict::Fails);
        self.vanished += usize::from(matches!(verdict, Verdict::Vanished(_)));
    }
}

impl Verdict {
    /// From what was measured, and from what is recorded about it.
    fn new(agrees: bool, finding: Option<&str>) -> Verdict {
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
    fn printed_with(self, tolerance: &Tolerance) -> Option<Number> {
        let [mean, min, max] = [self.mean, self.min, self.max].map(|number| tolerance.printed(number));
        Some(Number { mean: mean?, min: min?, max: max?, ..self })
    }
}

fn card_report<'a>(
    study: &'a Study,
    scope: &Scope,
    card: &Card,
    run: &'a dyn Fn(&Point, u64) -> &'a Measurement,
) -> CardReport {
    let measured = Measured { study, seeds: scope.seeds_of(card), run };
    let claims = scope.claims(study, card).map(|claim| {
        let examined = measured.examine(claim);
        let finding = study.finding_for(&format!("claim:{}", claim.id), scope.quick).map(|finding| finding.id.as_str());
        ClaimReport {
            id: claim.id.clone(),
            text: claim.text.clone(),
            holds: examined.holds,
            evidence: examined.evidence,
            verdict: Verdict::new(examined.holds, finding),
        }
    });
    let sensitivity = Measured { seeds: scope.sensitivity_seeds(study, card), ..measured };
    CardReport {
        id: card.id.clone(),
        title: card.title.clone(),
        seeds: measured.seeds,
        table: study.tables.get(&card.id).map(|table| table_report(&measured, scope, card, table)),
        claims: claims.collect(),
        assumptions: study
            .assumptions_of(card)
            .map(|assumption| assumption_report(&sensitivity, assumption, scope.groups(assumption)))
            .collect(),
    }
}

fn table_report(measured: &Measured, scope: &Scope, card: &Card, table: &Table) -> TableReport {
    let study = measured.study;
    let mut cells = Vec::new();
    for row in scope.rows(study, card) {
        for ((column, published), tolerance) in table.columns_of(row).iter().zip(&row.published).zip(&row.tolerance) {
            let points = study.checked_points(&merged(&row.at, &column.at));
            let name = column.metric.as_ref().unwrap_or(&table.metric);
            let metric = study.metric(name, table.capacity_mbps);
            let tolerance = table.tolerance(tolerance).expect("checked when the study was loaded");
            let values = match tolerance.is_about_runs() {
                true => {
                    points.iter().flat_map(|point| measured.per_seed(std::slice::from_ref(point), &metric)).collect()
                }
                false => measured.per_seed(&points, &metric),
            };
            let values: Vec<f64> =
                values.into_iter().flatten().map(|value| value / column.unit + column.plus).collect();
            let (least, most) = metric.bounds();
            let shown = |value: f64| value / column.unit + column.plus;
            let ours = Number::of(&values, (shown(least), shown(most)));
            let beside = table.beside.iter().map(|beside| {
                let Beside { capacity_mbps, after_warmup, .. } = beside;
                let metric = Metric::Efficiency { capacity_bps: capacity_mbps * 1e6, after_warmup: *after_warmup };
                measured.summary(&points, &metric).expect("an efficiency always exists").mean
            });
            let id = cell_id(&card.id, &row.label, &column.label);
            let deviation = sample_sd(&values).unwrap_or(0.0);
            let agrees = tolerance.agrees(ours.mean, *published, deviation);
            let finding = study.finding_for(&id, scope.quick).map(|finding| finding.id.as_str());
            let verdict = Verdict::new(agrees, finding);
            cells.push(CellReport {
                id,
                row: row.label.clone(),
                column: column.label.clone(),
                published: *published,
                tolerance: tolerance.distance(*published, deviation),
                apart: None,
                wide: false,
                exact: tolerance.is_exact(),
                counts: (name.counts(), column.unit),
                decimals: tolerance.printed_decimals().unwrap_or(column.decimals),
                tolerance_reason: tolerance.reason.clone(),
                ours,
                as_printed: ours.printed_with(tolerance),
                beside: beside.collect(),
                verdict,
            });
        }
    }
    tell_apart(table, &mut cells);
    TableReport {
        quantity: table.quantity.clone(),
        beside: table.beside.iter().map(|beside| beside.label.clone()).collect(),
        cells,
    }
}

/// What the table tells apart at each of its cells, and whether their tolerances are as large.
fn tell_apart(table: &Table, cells: &mut [CellReport]) {
    let quantity = |cell: &CellReport| {
        let column = table.columns.iter().find(|column| column.label == cell.column).expect("a cell has a column");
        (column.metric.as_ref().unwrap_or(&table.metric), column.unit, column.plus)
    };
    let farthest = |cell: &CellReport, of: &dyn Fn(&CellReport) -> bool| {
        let others = cells.iter().filter(|other| of(other) && quantity(other) == quantity(cell));
        let distances = others.map(|other| (other.published - cell.published).abs());
        Some(distances.fold(0.0, f64::max)).filter(|distance| *distance > 0.0)
    };
    let apart: Vec<Option<f64>> = cells
        .iter()
        .map(|cell| {
            let of_row = farthest(cell, &|other| other.row == cell.row);
            of_row.or_else(|| farthest(cell, &|other| other.column == cell.column))
        })
        .collect();
    for (cell, apart) in cells.iter_mut().zip(apart) {
        cell.apart = apart;
        cell.wide = !cell.exact && apart.is_some_and(|apart| cell.tolerance >= apart * (1.0 - 1e-9));
    }
}

fn assumption_report(measured: &Measured, assumption: &Assumption, groups: &[Group]) -> AssumptionReport {
    let study = measured.study;
    let choice = |label: &str, points: &[Point], shown: &[Shown]| {
        let number = |shown: &Shown| {
            let metric = study.metric(&shown.metric, None);
            let values = measured.per_seed(points, &metric).into_iter().flatten();
            let values: Vec<f64> = values.map(|value| value / shown.unit).collect();
            let (least, most) = metric.bounds();
            Number::of(&values, (least / shown.unit, most / shown.unit))
        };
        AlternativeReport { label: label.into(), numbers: shown.iter().map(number).collect() }
    };
    let group_report = |group: &Group| {
        let points = study.checked_points(&group.at);
        let mut alternatives = vec![choice(&assumption.default, &points, &group.show)];
        for alternative in assumption.alternatives_on(group) {
            let points: Vec<Point> = points.iter().map(|point| point.with(&alternative.set)).collect();
            alternatives.push(choice(&alternative.label, &points, &group.show));
        }
        let shown = |shown: &Shown| ShownReport { label: shown.label.clone(), decimals: shown.decimals };
        GroupReport { label: group.label.clone(), shown: group.show.iter().map(shown).collect(), alternatives }
    };
    AssumptionReport {
        id: assumption.id.clone(),
        statement: assumption.statement.clone(),
        mark: match assumption.mark {
            Mark::Stated => "stated",
            Mark::Literature => "literature",
            Mark::Inferred => "inferred",
        }
        .into(),
        reason: assumption.reason.clone(),
        groups: groups.iter().map(group_report).collect(),
    }
}
