//! The picture with which a reproduction begins: every published number against ours, by table and quantity.

use ackclock_report::page::agreement::{Dot, Panel, key};
use ackclock_report::page::html::Html;
use ackclock_report::page::number::{fixed, plural};
use ackclock_report::page::table::Tone;

use super::text;
use super::{CardReport, CellReport, Report, TableReport, Verdict};

/// The name of a cell's row in the page: cells are numbered within their card.
pub(crate) fn anchor(card: &CardReport, nth: usize) -> String {
    format!("cell-{}-{nth}", card.id)
}

/// How a verdict looks.
pub(crate) fn tone(verdict: &Verdict) -> Tone {
    match verdict {
        Verdict::Agrees => Tone::Good,
        Verdict::Differs(_) => Tone::Notable,
        Verdict::Fails | Verdict::Vanished(_) => Tone::Bad,
    }
}

/// How a number looks in the picture: one that agrees within a tolerance that would take others of its row for it says less.
fn mark(cell: &CellReport) -> Tone {
    match tone(&cell.verdict) {
        Tone::Good if cell.wide => Tone::Neutral,
        tone => tone,
    }
}

/// What stands before the colon of a title: `Table 1`.
pub(crate) fn short_title(card: &CardReport) -> &str {
    card.title.split_once(':').map_or(card.id.as_str(), |(short, _)| short)
}

/// The keys and the panels; nothing where no number was examined.
pub(crate) fn picture(report: &Report) -> Html {
    let mut html = Html::new();
    let panels: Vec<Html> = report.cards.iter().flat_map(panels).map(|panel| panel.html()).collect();
    if panels.is_empty() {
        return html;
    }
    html.append(&keys(report));
    html.tag("div", &[("class", "panels")], |html| {
        panels.iter().for_each(|panel| {
            html.append(panel);
        });
    });
    html
}

fn keys(report: &Report) -> Html {
    let cells = || report.cards.iter().flat_map(|card| &card.table).flat_map(|table| &table.cells);
    let count = |wanted: Tone| cells().filter(|cell| mark(cell) == wanted).count();
    let mut html = Html::new();
    html.tag("ul", &[("class", "keys")], |html| {
        let words = [
            (Tone::Good, "agree"),
            (Tone::Neutral, "agree within a tolerance that does not distinguish the numbers of their row"),
            (Tone::Notable, "differ with a finding"),
            (Tone::Bad, "differ without a finding, or agree in spite of one"),
        ];
        for (tone, words) in words.into_iter().filter(|(tone, _)| count(*tone) > 0) {
            key(html, tone, &format!("{} {words}", count(tone)));
        }
    });
    html.leaf(
        "p",
        &[("class", "note")],
        "Horizontal axis: published numbers; vertical axis: our means over the seeds; equal numbers lie on the dashed line. \
         The bar at a number reaches as far as its tolerance: ours agrees within it. Each mark leads to its row.",
    );
    html
}

/// A panel for each quantity of a table: numbers that are counted alike share axes.
fn panels(card: &CardReport) -> Vec<Panel> {
    let Some(table) = &card.table else { return Vec::new() };
    let mut kinds: Vec<(&str, f64)> = Vec::new();
    for cell in &table.cells {
        if !kinds.contains(&cell.counts) {
            kinds.push(cell.counts);
        }
    }
    kinds.iter().map(|kind| panel(card, table, *kind, kinds.len() == 1)).collect()
}

fn panel(card: &CardReport, table: &TableReport, kind: (&'static str, f64), single: bool) -> Panel {
    let members = || table.cells.iter().enumerate().filter(|(_, cell)| cell.counts == kind);
    let agree = members().filter(|(_, cell)| cell.verdict == Verdict::Agrees).count();
    let title = if single { card.title.clone() } else { format!("{}, {}", short_title(card), kind.0) };
    Panel {
        title,
        about: format!("{agree} of {} agree", plural(members().count(), "number")),
        link: format!("#card-{}", card.id),
        dots: members().map(|(nth, cell)| dot(card, nth, cell)).collect(),
    }
}

fn dot(card: &CardReport, nth: usize, cell: &CellReport) -> Dot {
    let ours = cell.comparable();
    let half = ours.ci95.map_or(String::new(), |half| format!(" ± {}", fixed(half, cell.decimals)));
    let share = match text::relative_tolerance(cell) {
        share if share == "-" => String::new(),
        share => format!(", {share} of the distances in its row"),
    };
    let label = format!(
        "{}, {}: published {} (tolerance {}{share}), ours {}{half}: {}",
        cell.row,
        cell.column,
        fixed(cell.published, cell.decimals),
        text::tolerance(cell),
        fixed(ours.mean, cell.decimals),
        words(&cell.verdict, "agrees"),
    );
    Dot {
        label,
        link: format!("#{}", anchor(card, nth)),
        published: cell.published,
        // Where every printed digit is asked for, nothing beside the diagonal agrees.
        tolerance: if cell.exact { 0.0 } else { cell.tolerance },
        ours: ours.mean,
        tone: mark(cell),
    }
}

/// A verdict in words.
pub(crate) fn words(verdict: &Verdict, good: &str) -> String {
    match verdict {
        Verdict::Agrees => good.into(),
        Verdict::Differs(finding) => format!("differs ({finding})"),
        Verdict::Fails => "fails: no finding".into(),
        Verdict::Vanished(finding) => format!("fails: {finding} vanished"),
    }
}
