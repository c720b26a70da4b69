//! The picture with which a reproduction begins: every published number against ours, by table and quantity.

use ackclock_report::page::agreement::{Dot, Panel, Size, key};
use ackclock_report::page::html::Html;
use ackclock_report::page::number::{fixed, plural};
use ackclock_report::page::table::Tone;

use super::super::headline::power::published;
use super::super::text;
use super::super::{CardReport, CellReport, Report, TableReport, Verdict};

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
    let mut panels: Vec<Panel> = report.cards.iter().filter_map(panel_of).collect();
    let (size, class) = match panels.len() {
        0..=FEW => (Size::Large, "panels"),
        count if count <= MANY => (Size::Small, "panels many"),
        _ => (Size::Tiny, "panels crowd"),
    };
    for panel in &mut panels {
        panel.size = size;
        if size == Size::Tiny {
            panel.title = panel.title.split_once(':').map_or(panel.title.clone(), |(short, _)| short.to_owned());
        }
    }
    if panels.is_empty() {
        return html;
    }
    html.append(&Html::of_class("div", "panels-head", &keys(report)));
    html.tag("div", &[("class", class)], |html| {
        panels.iter().for_each(|panel| {
            html.append(&panel.html());
        });
    });
    html.append(&how_to_read(report, panels.iter().any(Panel::is_wider_at_one)));
    html
}

fn keys(report: &Report) -> Html {
    let cells = || report.cards.iter().filter_map(panel_cells).flatten();
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
    html
}

fn how_to_read(report: &Report, is_wider_at_one: bool) -> Html {
    let mut html = Html::new();
    html.leaf(
        "p",
        &[("class", "note")],
        "Horizontal axis: published numbers; vertical axis: our means over the seeds; equal numbers lie on the dashed line. \
         The bar at a number reaches as far as its tolerance: ours agrees within it. Each mark leads to its row.",
    );
    if is_wider_at_one {
        html.leaf("p", &[("class", "note")], "Axes of shares that crowd at 1 are wider there: ticks show it.");
    }
    above_one(report).iter().for_each(|words| {
        html.leaf("p", &[("class", "note")], words);
    });
    html
}

/// Why efficiencies exceed 1, where they do.
fn above_one(report: &Report) -> Option<String> {
    let is_above = |table: &&TableReport| {
        let mut cells = published(Some(*table)).into_iter().filter(|cell| cell.counts == ("efficiency", 1.0));
        cells.any(|cell| cell.ours.mean > 1.0 || cell.published > 1.0)
    };
    let mut capacities: Vec<String> = Vec::new();
    for table in report.cards.iter().flat_map(|card| &card.table).filter(is_above) {
        let capacity = table.capacity_mbps.to_string();
        if !capacities.contains(&capacity) {
            capacities.push(capacity);
        }
    }
    let measure = capacities.join(" and ");
    (!capacities.is_empty()).then(|| {
        format!("Values above 1: the measure of the study, {measure} Mb/s, is less than the largest payload rate of the link.")
    })
}

/// The cells of a card that are drawn at the beginning: of its published numbers, those of the quantity of which there are most.
fn panel_cells(card: &CardReport) -> Option<Vec<&CellReport>> {
    let cells = published(card.table.as_ref());
    let count = |kind: (&str, f64)| cells.iter().filter(|cell| cell.counts == kind).count();
    // Of equally many the first.
    let kind = cells.iter().rev().max_by_key(|cell| count(cell.counts))?.counts;
    Some(cells.into_iter().filter(|cell| cell.counts == kind).collect())
}

/// The panel of a card that has published numbers.
fn panel_of(card: &CardReport) -> Option<Panel> {
    let table = card.table.as_ref()?;
    let members = panel_cells(card)?;
    let kind = members.first()?.counts.0;
    let agree = members.iter().filter(|cell| cell.verdict.agrees()).count();
    let all = published(Some(table)).len();
    let title = match card.title.split_once(':') {
        Some((short, what)) if all == members.len() => format!("{short}: {}", what.trim()),
        _ => format!("{}: {kind}", short_title(card)),
    };
    let others = match all - members.len() {
        0 => String::new(),
        others => format!("; {others} others below"),
    };
    let place = |cell: &CellReport| table.cells.iter().position(|of| of.id == cell.id).unwrap_or_default();
    Some(Panel {
        title,
        about: format!("{agree} of {} agree{others}", plural(members.len(), "number")),
        short: format!("{agree} of {}", members.len()),
        link: format!("#card-{}", card.id),
        size: Size::Large,
        dots: members.iter().map(|cell| dot(card, place(cell), cell)).collect(),
    })
}

fn dot(card: &CardReport, nth: usize, cell: &CellReport) -> Dot {
    let ours = cell.comparable();
    let half = match (ours.cut, ours.ci95) {
        (Some([low, high]), _) => format!(" ({} to {})", fixed(low, cell.decimals), fixed(high, cell.decimals)),
        (None, Some(half)) => format!(" ± {}", fixed(half, cell.decimals)),
        (None, None) => String::new(),
    };
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

pub(crate) fn words(verdict: &Verdict, good: &str) -> String {
    match verdict {
        Verdict::Agrees => good.into(),
        Verdict::Differs(finding) => format!("differs ({finding})"),
        Verdict::Fails => "fails: no finding".into(),
        Verdict::Vanished(finding) => format!("fails: {finding} vanished"),
    }
}

/// Of more panels than these each is small, or very small: all of them have room on one screen.
const FEW: usize = 4;
const MANY: usize = 8;
