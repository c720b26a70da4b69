//! What a page of a reproduction begins with: whether the publication reproduces, its tables as pictures, and what differs in words.

use ackclock_report::page::html::Html;
use ackclock_report::page::number::plural;
use ackclock_report::page::table::{self, Cell, Table, Tone};

use super::super::{Outcome, Report, headline, text};
use super::picture;
use super::pieces::{anchor, list};
use crate::data::Abbreviation;

/// The first screen, then what it rests on.
pub(super) fn section(report: &Report) -> Html {
    let mut html = Html::new();
    let first = report.headline.reproduces.first().map_or("", String::as_str);
    html.tag("p", &[("class", "lead-verdict")], |html| {
        table::verdict(html, tone(report.headline.outcome), first);
    });
    let (told, others) = headline::told_first(report);
    if !told.is_empty() {
        html.leaf("p", &[("class", "beside-verdict")], &told.join(" "));
    }
    let pictures = picture::picture(report);
    let claims = differing(report, pictures.is_empty());
    match (pictures.is_empty(), claims) {
        (false, Some(claims)) => html.tag("div", &[("class", "first")], |html| {
            html.append(&Html::of_class("div", "", &pictures)).append(&claims);
        }),
        (true, Some(claims)) => html.append(&Html::of_class("div", "wide", &claims)),
        (_, None) => html.append(&pictures),
    };
    if !others.is_empty() {
        html.tag("details", &[], |html| {
            html.leaf("summary", &[], &format!("More about the verdict: {}", plural(others.len(), "sentence")));
            html.append(&list(others.iter().map(String::as_str)));
        });
    }
    html.tag("p", &[], |html| {
        let tone = if report.passed() { Tone::Neutral } else { Tone::Bad };
        table::verdict(html, tone, &report.headline.consistent);
        if let Some(prose) = headline::prose(&report.findings) {
            html.text(" ").text(&prose);
        }
    });
    html.append(&chosen(report));
    html.tag("div", &[("class", "beside")], |html| {
        html.append(&tally(report));
        html.append(&abbreviations(report));
    });
    html
}

/// Amber is what is worth a look, and a publication that does not reproduce is nothing that is wrong with the program.
fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Reproduces => Tone::Good,
        Outcome::InPart | Outcome::Hardly => Tone::Notable,
        Outcome::Nothing => Tone::Neutral,
    }
}

/// The first published claims that do not hold, in words; with the numbers that decide where there is room. The tables of claims have
/// them, too.
fn differing(report: &Report, has_room: bool) -> Option<Html> {
    let claims = report.cards.iter().flat_map(|card| card.claims.iter().map(move |claim| (card, claim)));
    let differ: Vec<_> = claims.filter(|(_, claim)| !claim.own && !claim.holds).collect();
    differ.first()?;
    let mut html = Html::new();
    html.tag("div", &[("class", "differing")], |html| {
        html.leaf("h3", &[], &format!("Published claims that do not hold: {}", differ.len()));
        html.tag("ul", &[], |html| {
            for (_, claim) in differ.iter().take(MOST_CLAIMS) {
                html.tag("li", &[], |html| {
                    let of = claim.instance().map_or(String::new(), |instance| format!(" ({instance})"));
                    html.text(&format!("{}{of} ", claim.text));
                    if has_room {
                        html.leaf("span", &[("class", "note")], &claim.evidence);
                    }
                    if let Some(finding) = claim.verdict.finding() {
                        html.text(" ").leaf("a", &[("href", &format!("#{}", anchor(finding)))], finding);
                    }
                });
            }
        });
        if differ.len() > MOST_CLAIMS {
            let mut cards: Vec<(&str, &str)> = Vec::new();
            for (card, _) in &differ[MOST_CLAIMS..] {
                let of = (card.id.as_str(), picture::short_title(card));
                if !cards.contains(&of) {
                    cards.push(of);
                }
            }
            html.tag("p", &[("class", "note")], |html| {
                html.text(&format!("{} more: ", differ.len() - MOST_CLAIMS));
                for (nth, (id, title)) in cards.iter().enumerate() {
                    html.text(if nth > 0 { ", " } else { "" }).leaf("a", &[("href", &format!("#card-{id}"))], title);
                }
            });
        }
    });
    Some(html)
}

/// What was chosen when the results were known.
fn chosen(report: &Report) -> Html {
    let mut html = Html::new();
    if report.chosen.is_empty() {
        return html;
    }
    html.tag("details", &[], |html| {
        let depend = report.tally.numbers.agree_by_choice + report.tally.claims.agree_by_choice;
        let words =
            format!("{} {}; {depend} numbers and claims depend on it", text::AFTER_RESULTS, report.chosen.len());
        html.leaf("summary", &[], &words);
        let all: Vec<String> = report.chosen.iter().map(|chosen| chosen.words()).collect();
        html.append(&list(all.iter().map(String::as_str)));
    });
    html
}

fn tally(report: &Report) -> Html {
    let mut table = Table::new("Numbers and claims")
        .words("what")
        .column("examined", "")
        .column("agree or hold", "")
        .column("without what was chosen after results", "")
        .column("differ, with a finding", "")
        .note(
            "A number agrees if our mean lies within its tolerance of the published one. A finding states a difference with its evidence. \
             Checks of our own are parameters, exact arithmetic, and what the publication does not examine.",
        );
    let number = |value: usize| Cell::Number(value.to_string());
    for (what, count) in report.tally.counts() {
        table.row(vec![
            Cell::text(what),
            number(count.examined),
            number(count.agree),
            number(count.agree_without_choice()),
            number(count.differ),
        ]);
    }
    let tally = &report.tally;
    let mut of_them = |what: &str, all: usize, agree: usize| {
        if all > 0 {
            table.row(vec![Cell::text(what), number(all), number(agree), Cell::None, number(all - agree)]);
        }
    };
    of_them(
        "published numbers with a tolerance that does not distinguish those of their row",
        tally.numbers_wide,
        tally.numbers_wide_agree,
    );
    of_them("published numbers to the last digit", tally.numbers_exact, tally.numbers_exact_agree);
    Html::of_class("div", "", &table.html())
}

fn abbreviations(report: &Report) -> Html {
    let mut html = Html::new();
    if report.abbreviations.is_empty() {
        return html;
    }
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], &format!("Abbreviations: {}", report.abbreviations.len()));
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

/// Claims that are told at the beginning.
const MOST_CLAIMS: usize = 4;
