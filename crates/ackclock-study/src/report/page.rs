//! Reports as a page: the same as the text, with its figures drawn, in one file that opens without a network.

use ackclock::units::Time;
use ackclock_report::page::Page;
use ackclock_report::page::html::Html;
use ackclock_report::page::number::fixed;
use ackclock_report::page::table::{self, Cell, Table, Tone};
use ackclock_report::repeat::command_line;

use super::{
    AssumptionReport, AxisPlotReport, CardReport, ClaimReport, ExperimentReport, FindingReport, GroupReport, Number,
    Report, TableReport, Tally, Verdict,
};
use super::{curves, picture, text};
use crate::data::Abbreviation;
use crate::figure::{DrawnFigure, DrawnFlow};

/// The page of a report. `command` is how to repeat it. What decides comes first: the verdict, as a picture and in
/// numbers; tables, claims and assumptions are folded away, unless something in them fails.
pub(crate) fn render(report: &Report, figures: &[DrawnFigure], command: &[String]) -> String {
    let mut page = Page::new(format!("Reproduction of {}", report.study), &report.title);
    page.lead(&lead(report));
    page.section("verdict", "Verdict", verdict_section(report));
    for card in &report.cards {
        let drawn: Vec<&DrawnFigure> = figures.iter().filter(|figure| figure.card == card.id).collect();
        let body = card_section(&mut page, card, report, &drawn);
        page.section_named(format!("card-{}", card.id), picture::short_title(card), &card.title, body);
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
    html.leaf("p", &[("class", "lead")], &report.citation);
    html.leaf(
        "p",
        &[],
        &format!("Means over seeds 1 to {}{part}, with half of the 95 % confidence interval.", report.seeds),
    );
    html
}

fn verdict_section(report: &Report) -> Html {
    let mut html = Html::new();
    html.tag("p", &[], |html| {
        let Tally { failures, vanished, refuted, .. } = report.tally;
        let (tone, words) = match report.passed() {
            true => (Tone::Good, "every difference has a finding, and every finding applies".to_owned()),
            false => {
                let differences =
                    format!("{failures} differences have no finding, {vanished} differences of findings have vanished");
                let experiments = format!("{refuted} experiments do not show what their finding says");
                (Tone::Bad, format!("{differences}, {experiments}"))
            }
        };
        table::verdict(html, tone, &words);
    });
    let depends_on = report.depends_on();
    if !depends_on.is_empty() {
        html.leaf("p", &[], text::AFTER_RESULTS);
        html.append(&list(depends_on.iter().map(String::as_str)));
    }
    html.append(&picture::picture(report));
    html.tag("div", &[("class", "beside")], |html| {
        html.append(&tally(report));
        html.append(&abbreviations(report));
    });
    html
}

fn tally(report: &Report) -> Html {
    let Tally { cells, cells_agree, cells_differ, cells_exact, cells_exact_agree, .. } = report.tally;
    let Tally { cells_wide, cells_wide_agree, .. } = report.tally;
    let Tally { claims, claims_hold, claims_differ, .. } = report.tally;
    let mut table = Table::new("Published numbers and claims")
        .words("what")
        .column("examined", "")
        .column("agree or hold", "")
        .column("differ, with a finding", "")
        .note("A number agrees if our mean lies within its tolerance of the published one. A finding states a difference with its evidence.");
    let number = |value: usize| Cell::Number(value.to_string());
    table.row(vec![Cell::text("numbers"), number(cells), number(cells_agree), number(cells_differ)]);
    let mut of_them = |what: &str, all: usize, agree: usize| {
        if all > 0 {
            table.row(vec![Cell::text(what), number(all), number(agree), number(all - agree)]);
        }
    };
    of_them(
        "of them with a tolerance that does not distinguish the numbers of their row",
        cells_wide,
        cells_wide_agree,
    );
    of_them("of them to the last digit", cells_exact, cells_exact_agree);
    table.row(vec![Cell::text("claims"), number(claims), number(claims_hold), number(claims_differ)]);
    Html::of_class("div", "", &table.html())
}

fn abbreviations(report: &Report) -> Html {
    let mut html = Html::new();
    if report.abbreviations.is_empty() {
        return html;
    }
    html.tag("div", &[], |html| {
        html.leaf("h3", &[], "Abbreviations");
        html.tag("dl", &[("class", "short-words")], |html| {
            for Abbreviation { word, means } in &report.abbreviations {
                html.tag("div", &[], |html| {
                    html.leaf("dt", &[], word).leaf("dd", &[], means);
                });
            }
        });
    });
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
        html.append(&part("Numbers", "agree", &verdicts, &published(card, table)));
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

/// The columns that decide come first: on a narrow screen the others are scrolled to.
fn published(card: &CardReport, report: &TableReport) -> Html {
    let mut table = Table::new(&report.quantity)
        .words("row")
        .words("column")
        .words("verdict")
        .column("published", "")
        .column("ours", "")
        .column("tolerance", "")
        .column("share", "")
        .column("range", "");
    for label in &report.beside {
        table = table.column(label, "");
    }
    for (nth, cell) in report.cells.iter().enumerate() {
        let ours = cell.comparable();
        let mut cells = vec![
            Cell::text(&cell.row),
            Cell::text(&cell.column),
            verdict(&cell.verdict, if cell.wide { "agrees, wide" } else { "agrees" }),
            Cell::number(cell.published, cell.decimals),
            number(ours, cell.decimals),
            Cell::Number(text::tolerance(cell)),
            Cell::Number(text::relative_tolerance(cell)),
            Cell::Number(format!("{} to {}", fixed(ours.min, cell.decimals), fixed(ours.max, cell.decimals))),
        ];
        cells.extend(cell.beside.iter().map(|value| Cell::number(*value, cell.decimals)));
        table.row_named(picture::anchor(card, nth), cells);
    }
    if report.cells.iter().any(|cell| cell.exact) {
        table = table
            .note("If the tolerance is \"printed\", our number is rounded, rounded up or truncated as the study does.");
    }
    let mut html = Html::new();
    html.tag("div", &[("class", "beside")], |html| {
        html.append(&Html::of_class("div", "", &table.html()));
        html.tag("div", &[], |html| {
            html.leaf("h3", &[], "Why these tolerances");
            let reasons = text::tolerance_reasons(report);
            let reasons: Vec<String> =
                reasons.iter().map(|(tolerances, reason)| format!("{tolerances}: {reason}")).collect();
            html.append(&list(reasons.iter().map(String::as_str)));
            if report.cells.iter().any(|cell| cell.wide) {
                html.leaf("p", &[("class", "note")], text::WIDE);
            }
        });
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
        let judged = [verdict(&claim.verdict, "holds"), Cell::text(&claim.evidence)];
        table.row([Cell::text(&claim.text)].into_iter().chain(of).chain(judged).collect());
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
    table.html()
}

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

/// The name of a finding in the page.
fn anchor(finding: &str) -> String {
    format!("finding-{finding}")
}

fn repeat(report: &Report, command: &[String]) -> Html {
    let mut html = Html::new();
    html.leaf("pre", &[], &command_line(command));
    let version = format!("Ackclock {}, result version {}.", env!("CARGO_PKG_VERSION"), report.result_version);
    html.leaf("p", &[], &version);
    html
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> Html {
    Html::of("ul", |html| {
        for item in items {
            html.leaf("li", &[], item);
        }
    })
}

fn number(number: &Number, decimals: usize) -> Cell {
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
fn verdict(verdict: &Verdict, good: &str) -> Cell {
    let (tone, words) = (picture::tone(verdict), picture::words(verdict, good));
    match verdict {
        Verdict::Differs(finding) => Cell::Explained(tone, words, format!("#{}", anchor(finding))),
        _ => Cell::Verdict(tone, words),
    }
}
