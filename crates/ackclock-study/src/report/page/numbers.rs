//! The numbers of a table: in the layout of the publication, ours beside each, and one by one.

use ackclock_report::page::html::Html;
use ackclock_report::page::number::fixed;
use ackclock_report::page::table::{Cell, Table, Tone};

use super::super::{CardReport, TableReport, headline, text};
use super::picture;
use super::pieces::{list, number, verdict};

/// What the agreement tells, the table of the publication, and each number by itself.
pub(super) fn numbers(card: &CardReport, report: &TableReport) -> Html {
    let mut html = Html::new();
    if !report.layout.rows.is_empty() {
        html.append(&as_published(report));
        for words in report.power.iter().flat_map(text::power_words) {
            html.leaf("p", &[("class", "note")], &words);
        }
        for reading in &report.readings {
            let power = reading.power.as_ref().map_or(String::new(), |power| format!(": {}", headline::skill(power)));
            html.leaf("p", &[("class", "note")], &format!("With \"{}\"{power}.", reading.label));
        }
    }
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], "Each number with its tolerance").append(&one_by_one(card, report));
    });
    html
}

/// The rows and columns of the publication; beside each number ours, and that of readings that stand beside the default.
fn as_published(report: &TableReport) -> Html {
    let mut table = Table::new(format!("{}: published, and ours", report.quantity)).words(&report.layout.corner);
    for column in &report.layout.columns {
        table = table.column(column, "").column("ours", "");
        for reading in &report.readings {
            table = table.column(&reading.label, "");
        }
    }
    for row in &report.layout.rows {
        let mut cells = vec![Cell::text(&row.label)];
        for place in &row.cells {
            let Some((nth, cell)) = place.map(|nth| (nth, &report.cells[nth])) else {
                cells.extend((0..2 + report.readings.len()).map(|_| Cell::None));
                continue;
            };
            cells.push(Cell::number(cell.published, cell.decimals));
            let ours = Cell::number(cell.comparable().mean, cell.decimals);
            cells.push(Cell::Judged(picture::tone(&cell.verdict), Box::new(ours)));
            cells.extend(report.readings.iter().map(|reading| {
                let tone = if reading.agree[nth] { Tone::Good } else { Tone::Notable };
                Cell::Judged(tone, Box::new(Cell::number(reading.numbers[nth].mean, cell.decimals)))
            }));
        }
        table.row(cells);
    }
    table.html()
}

/// The columns that decide come first: on a narrow screen the others are scrolled to.
fn one_by_one(card: &CardReport, report: &TableReport) -> Html {
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
            verdict(&cell.verdict, &format!("agrees{}", text::remarks(cell))),
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
            if report.cells.iter().any(|cell| cell.verdict.agrees() && !cell.depends_on.is_empty()) {
                html.leaf("p", &[("class", "note")], text::BY_CHOICE);
            }
        });
    });
    html
}
