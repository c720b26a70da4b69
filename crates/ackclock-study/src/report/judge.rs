//! Where published numbers and measurements meet: every cell and claim of a scope is judged.

use ackclock::sim::RESULT_VERSION;

use super::axis_plot::axis_plot_report;
use super::cells::table_report;
use super::headline::chosen::{BOUND, chosen};
use super::headline::power::{power, published};
use super::judged_again::{bring_together, judged_again, readings};
use super::live::LiveReport;
use super::quantity::Measured;
use super::{
    AlternativeReport, AssumptionReport, CardReport, ClaimReport, ComparisonReport, ExperimentReport, FindingReport,
    GroupReport, Headline, Report, ShownReport, Tally, Verdict,
};
use crate::data::{Assumption, Card, Compared, Comparison, Experiment, Finding, Group, Mark, Origin, Point, Shown};
use crate::measure::Row;
use crate::plan::Scope;
use crate::study::Study;

impl Report {
    /// Judges the measurements of everything in the scope.
    pub(crate) fn new<'a>(study: &'a Study, scope: &Scope, run: &'a dyn Fn(&Point, u64) -> &'a Row) -> Report {
        let cards: Vec<CardReport> = scope.reported(study).map(|card| card_report(study, scope, card, run)).collect();
        let examined = scope.examined(study);
        let experiments = |finding: &Finding| {
            let measured = Measured { study, seeds: scope.seeds_of_experiments(study, finding), run, changes: &[] };
            scope.experiments(finding).iter().map(|of| experiment_report(&measured, of)).collect()
        };
        let findings = scope.findings(study).into_iter().map(|finding| FindingReport {
            id: finding.id.clone(),
            title: finding.title.clone(),
            text: finding.text.clone(),
            evidence: finding.evidence.clone(),
            experiments: experiments(finding),
            left_out: scope.experiments(finding).len() < finding.experiments.len(),
            covers: finding.covered(scope.quick).filter(|id| examined.contains(*id)).cloned().collect(),
            about: finding.about.iter().filter(|id| examined.contains(*id)).cloned().collect(),
        });
        let findings: Vec<FindingReport> = findings.collect();
        let experiments = findings.iter().flat_map(|finding| &finding.experiments);
        let mut tally = Tally::of(&cards);
        tally.misplaced = findings.iter().filter(|finding| is_misplaced(finding, &cards)).count();
        tally.refuted = experiments.filter(|experiment| experiment.confirmed == Some(false)).count();
        let power = power(cards.iter().map(|card| published(card.table.as_ref())));
        let mut report = Report {
            format: 3,
            study: study.name.clone(),
            title: study.head.title.clone(),
            citation: study.head.citation.clone(),
            result_version: RESULT_VERSION,
            seeds: scope.seeds,
            quick: scope.quick,
            live: LiveReport::of(study, scope, run),
            readings: readings(&cards),
            chosen: chosen(study, scope, &cards),
            cards,
            findings,
            remarks: if scope.is_whole(study) { study.head.remarks.clone() } else { Vec::new() },
            abbreviations: Vec::new(),
            tally,
            power,
            headline: Headline::default(),
        };
        report.headline = Headline::of(&report);
        report.explaining(&study.head.abbreviations)
    }
}

/// Whether a finding is about a number or claim that does not hold, and does not cover it.
fn is_misplaced(finding: &FindingReport, cards: &[CardReport]) -> bool {
    let fails = |id: &String| {
        let cells = cards.iter().flat_map(|card| &card.table).flat_map(|table| &table.cells);
        let mut claims = cards.iter().flat_map(|card| &card.claims);
        cells.filter(|cell| cell.id == *id).any(|cell| !cell.verdict.agrees())
            || claims.any(|claim| id.strip_prefix("claim:") == Some(&claim.id) && !claim.holds)
    };
    finding.about.iter().any(fails)
}

fn card_report<'a>(
    study: &'a Study,
    scope: &Scope,
    card: &'a Card,
    run: &'a dyn Fn(&Point, u64) -> &'a Row,
) -> CardReport {
    let measured = Measured { study, seeds: scope.seeds_of(card), run, changes: &[] };
    let claims = scope.claims(study, card).map(|claim| {
        let examined = measured.examine(&claim.test);
        let finding = study.finding_for(&format!("claim:{}", claim.id), scope.quick).map(|finding| finding.id.as_str());
        ClaimReport {
            id: claim.id.clone(),
            text: claim.text.clone(),
            own: study.origin_of(claim) == Origin::Own,
            beyond: card.beyond,
            weak: study.is_weak(claim),
            depends_on: claim.after_results.iter().map(|_| BOUND.to_owned()).collect(),
            beside: Vec::new(),
            holds: examined.holds,
            evidence: examined.evidence,
            verdict: Verdict::new(examined.holds, finding),
        }
    });
    let sensitivity = Measured { seeds: scope.sensitivity_seeds(study, card), ..measured };
    let mut report = CardReport {
        id: card.id.clone(),
        title: card.title.clone(),
        seeds: measured.seeds,
        table: study.tables.get(&card.id).map(|table| table_report(&measured, scope, card, table)),
        beyond: card.beyond,
        judged_again: judged_again(&measured, scope, card),
        comparisons: scope
            .comparisons(study, card)
            .map(|comparison| comparison_report(&measured, comparison))
            .collect(),
        plots: scope.plots(study, card).map(|plot| axis_plot_report(&measured, plot)).collect(),
        claims: claims.collect(),
        assumptions: study
            .assumptions_of(card)
            .map(|assumption| assumption_report(&sensitivity, assumption, scope.groups(assumption)))
            .collect(),
    };
    bring_together(&mut report);
    report
}

fn assumption_report(measured: &Measured, assumption: &Assumption, groups: &[Group]) -> AssumptionReport {
    let group_report = |group: &Group| {
        let points = measured.points(&group.at);
        let show = assumption.shown_on(group);
        let mut alternatives = vec![choice(measured, &assumption.default, &points, show)];
        for alternative in assumption.alternatives_on(group) {
            let points: Vec<Point> = points.iter().map(|point| point.with(&alternative.set)).collect();
            alternatives.push(choice(measured, &alternative.label, &points, show));
        }
        GroupReport { label: group.label.clone(), shown: shown(show), alternatives }
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
        after_results: assumption.after_results.clone(),
        groups: groups.iter().map(group_report).collect(),
    }
}

fn comparison_report(measured: &Measured, comparison: &Comparison) -> ComparisonReport {
    let Comparison { id, label, text, show, rows, .. } = comparison;
    ComparisonReport { id: id.clone(), text: text.clone(), choices: side_by_side(measured, label, show, rows) }
}

fn experiment_report(measured: &Measured, experiment: &Experiment) -> ExperimentReport {
    let Experiment { text, label, show, rows, test } = experiment;
    let examined = test.as_ref().map(|test| measured.examine(test));
    ExperimentReport {
        text: text.clone(),
        choices: side_by_side(measured, label, show, rows),
        confirmed: examined.as_ref().map(|examined| examined.holds),
        evidence: examined.map_or(String::new(), |examined| examined.evidence),
    }
}

fn side_by_side(measured: &Measured, label: &str, show: &[Shown], rows: &[Compared]) -> GroupReport {
    let row = |row: &Compared| choice(measured, &row.label, &measured.points(&row.at), show);
    GroupReport { label: label.into(), shown: shown(show), alternatives: rows.iter().map(row).collect() }
}

/// What one choice gives at these points.
fn choice(measured: &Measured, label: &str, points: &[Point], shown: &[Shown]) -> AlternativeReport {
    let numbers = shown.iter().map(|shown| measured.shown(points, shown)).collect();
    AlternativeReport { label: label.into(), numbers }
}

fn shown(show: &[Shown]) -> Vec<ShownReport> {
    show.iter().map(|shown| ShownReport { label: shown.label.clone(), decimals: shown.decimals }).collect()
}
