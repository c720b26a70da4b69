//! Reports as a page: the same as the text, with its figures drawn, in one file that opens without a network.

mod curves;
mod numbers;
mod picture;
mod pieces;
mod verdict;

use ackclock::units::Time;
use ackclock_report::page::Page;
use ackclock_report::page::html::Html;
use ackclock_report::page::table::{self, Cell, Table, Tone};
use ackclock_report::repeat::command_line;

use pieces::{anchor, list, number, verdict};

use super::text;
use super::{
    AssumptionReport, AxisPlotReport, CardReport, ClaimReport, ExperimentReport, FindingReport, GroupReport, Report,
    Verdict,
};
use crate::figure::{DrawnFigure, DrawnFlow};

/// The page of a report. `command` is how to repeat it. What decides comes first: what reproduces, in sentences and as pictures;
/// tables, claims and assumptions are folded away, unless something in them fails.
pub(crate) fn render(report: &Report, figures: &[DrawnFigure], command: &[String]) -> String {
    let mut page = Page::new(format!("Reproduction of {}", report.study), &report.title);
    page.lead(&lead(report));
    page.section("verdict", "Verdict", verdict::section(report));
    for card in &report.cards {
        let drawn: Vec<&DrawnFigure> = figures.iter().filter(|figure| figure.card == card.id).collect();
        let body = card_section(&mut page, card, report, &drawn);
        page.section_named(format!("card-{}", card.id), picture::short_title(card), &card.title, body);
    }
    if let Some(live) = &report.live {
        let mut body = Html::new();
        body.leaf("p", &[], &live.words());
        for (heading, texts) in live.lists().into_iter().filter(|(_, texts)| !texts.is_empty()) {
            body.leaf("h3", &[], heading);
            body.append(&list(texts.iter().map(String::as_str)));
        }
        page.section_named("live", "Live runs", "Live runs", body);
    }
    if !report.findings.is_empty() {
        let heading = text::findings_heading(&report.findings);
        page.section_named("findings", "Findings", heading, findings(&report.findings));
    }
    if !report.remarks.is_empty() {
        let remarks = list(report.remarks.iter().map(String::as_str));
        page.section_named(
            "remarks",
            "Remarks",
            "Remarks on the publication",
            Html::of_class("div", "in-columns", &remarks),
        );
    }
    page.section_named("repeat", "Repeat", "How to repeat it", repeat(report, command));
    page.render()
}

fn lead(report: &Report) -> Html {
    let part = if report.quick { ", quick subset" } else { "" };
    let mut html = Html::new();
    let seeds = match report.seeds {
        1 => format!("Seed 1 only{part}."),
        seeds => format!("Means over seeds 1 to {seeds}{part}, with half of the 95 % confidence interval."),
    };
    html.leaf("p", &[("class", "lead cited")], &format!("{} {seeds}", report.citation));
    html
}

fn card_section(page: &mut Page, card: &CardReport, report: &Report, figures: &[&DrawnFigure]) -> Html {
    let mut html = Html::new();
    if card.seeds != report.seeds {
        let seeds = if card.seeds == 1 { "Seed 1 only.".into() } else { format!("Seeds 1 to {}.", card.seeds) };
        html.leaf("p", &[], &seeds);
    }
    for again in &card.judged_again {
        html.leaf("p", &[], &format!("{}.", again.words()));
        let changed: Vec<String> = again.changed.iter().map(|changed| changed.words()).collect();
        html.append(&list(changed.iter().map(String::as_str)));
    }
    if let Some(table) = &card.table {
        let verdicts: Vec<&Verdict> = table.cells.iter().map(|cell| &cell.verdict).collect();
        html.append(&part("Numbers", "agree", &verdicts, &numbers::numbers(card, table)));
    }
    for plot in &card.plots {
        html.append(&over_axis(plot, card.beyond));
    }
    for comparison in &card.comparisons {
        html.leaf("p", &[], &comparison.text);
        html.append(&choices(&comparison.choices.label, &comparison.choices));
    }
    if !card.claims.is_empty() {
        let verdicts: Vec<&Verdict> = card.claims.iter().map(|claim| &claim.verdict).collect();
        html.append(&part("Claims", "hold", &verdicts, &claims(&card.claims)));
    }
    if !card.assumptions.is_empty() {
        let heading =
            format!("Assumptions: {}, and what the alternatives would change (not judged)", card.assumptions.len());
        html.append(&folded(&heading, Tone::Neutral, "", false, &assumptions(&card.assumptions)));
    }
    for figure in figures {
        html.append(&drawn(page, figure, card.beyond));
    }
    html
}

/// Something with a verdict for each of its rows, folded away unless one of them fails.
fn part(heading: &str, good: &str, verdicts: &[&Verdict], body: &Html) -> Html {
    let count = |wanted: Tone| verdicts.iter().filter(|verdict| picture::tone(verdict) == wanted).count();
    let (agree, differ, fail) = (count(Tone::Good), count(Tone::Notable), count(Tone::Bad));
    let mut words = format!("{agree} of {} {good}", verdicts.len());
    if differ > 0 {
        words += &format!(", {differ} differ with a finding");
    }
    if fail > 0 {
        words += &format!(", {fail} fail");
    }
    let tone = match (differ, fail) {
        (0, 0) => Tone::Good,
        (_, 0) => Tone::Notable,
        _ => Tone::Bad,
    };
    folded(&format!("{heading}: "), tone, &words, fail > 0, body)
}

fn folded(heading: &str, tone: Tone, words: &str, open: bool, body: &Html) -> Html {
    let mut html = Html::new();
    let open = if open { "open" } else { "" };
    html.tag("details", &[("class", "part"), ("open", open)], |html| {
        html.tag("summary", &[], |html| {
            html.text(heading);
            if !words.is_empty() {
                table::verdict(html, tone, words);
            }
        });
        html.append(body);
    });
    html
}

/// A plot over an axis: what it is to show, the curves, and their numbers.
fn over_axis(plot: &AxisPlotReport, beyond: bool) -> Html {
    let mut html = Html::new();
    html.leaf("h3", &[("id", &format!("plot-{}", plot.id))], &plot.title);
    html.leaf("p", &[], &described(&plot.shows, beyond));
    html.append(&plot.drawn());
    html.leaf("p", &[("class", "note")], "Bands are 95 % confidence intervals.");
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], "The numbers");
        plot.quantities.iter().for_each(|quantity| {
            html.append(&table_of(&quantity.label, &plot.x, quantity));
        });
    });
    html
}

fn described(shows: &str, beyond: bool) -> String {
    if beyond { shows.to_owned() } else { format!("As the study describes it: {shows}") }
}

/// A figure: what it is to show, and its plots.
fn drawn(page: &mut Page, figure: &DrawnFigure, beyond: bool) -> Html {
    let mut html = Html::new();
    html.leaf("h3", &[], &figure.title);
    html.leaf("p", &[], &described(&figure.shows, beyond));
    if !figure.marks.is_empty() {
        // To a tenth of a second: a line cannot be read more exactly.
        let at = |(time, what): &(Time, String)| format!("{what} at {} s", (time.as_secs_f64() * 10.0).round() / 10.0);
        let marks: Vec<String> = figure.marks.iter().map(at).collect();
        html.leaf("p", &[], &format!("Vertical lines: {}.", marks.join(", ")));
    }
    // The script of the page looks for the controls of every choice.
    let mut choice_of = |label: &str, drawn: &[DrawnFlow]| {
        (!drawn.is_empty()).then(|| {
            let (choice, controls) = page.choice(curves::choice(label, drawn));
            html.append(&controls);
            choice
        })
    };
    let choices = [choice_of("Flows", &figure.flows), choice_of("Ports", &figure.ports)];
    html.tag("div", &[("class", "charts")], |html| {
        for (is_of_ports, chart) in curves::charts(figure) {
            if let Some(choice) = choices[usize::from(is_of_ports)] {
                html.append(&page.chart(&chart, choice));
            }
        }
    });
    for (run, scenario) in &figure.scenarios {
        html.tag("details", &[], |html| {
            let of = if run.is_empty() { String::new() } else { format!(": {run}") };
            html.leaf("summary", &[], &format!("The scenario of this figure{of}")).leaf("pre", &[], scenario);
        });
    }
    html
}

fn claims(claims: &[ClaimReport]) -> Html {
    let has_instances = claims.iter().any(|claim| claim.instance().is_some());
    let mut table = Table::new("Claims").words("claim");
    if has_instances {
        table = table.words("of");
    }
    table = table.words("verdict").words("our numbers");
    for claim in claims {
        let of = has_instances.then(|| Cell::text(claim.instance().unwrap_or_default()));
        let mut evidence = claim.evidence.clone();
        claim.beside.iter().for_each(|beside| evidence += &format!("; {}", beside.words()));
        let holds = format!("holds{}", text::claim_remarks(claim));
        let judged = [verdict(&claim.verdict, &holds), Cell::text(evidence)];
        let mark = claim.mark().map_or(String::new(), |mark| format!(" ({mark})"));
        table.row([Cell::text(format!("{}{mark}", claim.text))].into_iter().chain(of).chain(judged).collect());
    }
    table.html()
}

fn assumptions(assumptions: &[AssumptionReport]) -> Html {
    let mut html = Html::new();
    html.tag("div", &[("class", "in-columns")], |html| {
        for assumption in assumptions {
            html.append(&Html::of_class("div", "", &assumed(assumption)));
        }
    });
    html
}

fn assumed(assumption: &AssumptionReport) -> Html {
    let mut html = Html::new();
    html.tag("p", &[], |html| {
        html.leaf("strong", &[], &assumption.id).text(&format!(" ({}): {} ", assumption.mark, assumption.statement));
        html.text(&assumption.reason);
        if let Some(why) = &assumption.after_results {
            html.text(" Chosen when its results were known. ").text(why);
        }
    });
    for group in &assumption.groups {
        html.append(&choices(&format!("Sensitivity to {}: {}", assumption.id, group.label), group));
    }
    html
}

/// A row for each choice.
fn choices(title: &str, group: &GroupReport) -> Html {
    table_of(title, "choice", group)
}

/// A row for each alternative, below a word for what they are.
fn table_of(title: &str, what: &str, group: &GroupReport) -> Html {
    let mut table = Table::new(title).words(what);
    for shown in &group.shown {
        table = table.column(&shown.label, "");
    }
    for alternative in &group.alternatives {
        let numbers = alternative.numbers.iter().zip(&group.shown);
        let numbers = numbers.map(|(value, shown)| number(value, shown.decimals));
        table.row([Cell::text(&alternative.label)].into_iter().chain(numbers).collect());
    }
    match group.alternatives.len() {
        0..=ROWS_OPEN => table.html(),
        rows => Html::of("details", |html| {
            html.leaf("summary", &[], &format!("{title}: {rows} rows")).append(&table.html());
        }),
    }
}

/// Longer tables are folded.
const ROWS_OPEN: usize = 12;

/// Tables of experiments take the whole width.
fn findings(findings: &[FindingReport]) -> Html {
    let mut html = Html::new();
    let has_tables = findings.iter().any(|finding| !finding.experiments.is_empty());
    html.tag("div", &[("class", if has_tables { "" } else { "in-columns" })], |html| {
        for finding in findings {
            html.tag("div", &[("id", &anchor(&finding.id)), ("class", "finding")], |html| {
                html.leaf("h3", &[], &format!("{}: {}", finding.id, finding.title));
                html.leaf("p", &[], &finding.text);
                if !finding.evidence.is_empty() {
                    html.append(&list(finding.evidence.iter().map(String::as_str)));
                }
                finding.experiments.iter().for_each(|of| {
                    html.append(&experiment(of));
                });
                if let Some(words) = text::without_experiments(finding) {
                    html.leaf("p", &[("class", "note")], words);
                }
                if !finding.about.is_empty() {
                    let about = format!("About what holds: {}.", finding.about.join(", "));
                    html.leaf("p", &[("class", "note")], &about);
                }
                if !finding.covers.is_empty() {
                    html.leaf("p", &[("class", "note")], &format!("Covers {}.", finding.covers.join(", ")));
                }
            });
        }
    });
    html
}

fn experiment(experiment: &ExperimentReport) -> Html {
    let mut html = Html::new();
    html.leaf("p", &[], &experiment.text);
    html.append(&choices(&experiment.choices.label, &experiment.choices));
    if let Some(words) = experiment.words() {
        let tone = if experiment.confirmed == Some(true) { Tone::Good } else { Tone::Bad };
        html.tag("p", &[], |html| {
            table::verdict(html, tone, &words);
        });
    }
    html
}

fn repeat(report: &Report, command: &[String]) -> Html {
    let mut html = Html::new();
    html.leaf("pre", &[], &command_line(command));
    let version = format!("Ackclock {}, result version {}.", env!("CARGO_PKG_VERSION"), report.result_version);
    html.leaf("p", &[], &version);
    html
}
