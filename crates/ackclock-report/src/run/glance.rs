//! The first screen: how it went, and why. Some numbers, what they say, and a picture over time.

use ackclock::record::Series;

use super::findings::{findings, remarks, warnings};
use crate::page::html::Html;
use crate::page::number::{Scale, fixed, plural};
use crate::page::table::Cell;
use crate::repeat::seed_words;
use ackclock_store::comparison::port;
use ackclock_store::document::Document;
use ackclock_store::document::interval::Interval;
use ackclock_store::document::summary::least_fairness;

/// What stands under the title. `shown` is the document without its warm-up, `picture` the plots.
pub(super) fn glance(document: &Document, shown: &Document, series: &[Series], picture: &Html) -> Html {
    let mut numbers = figures(document, shown);
    numbers.append(&says(document, series));
    let class = if picture.is_empty() { "glance alone" } else { "glance" };
    let mut html = lead(document);
    html.tag("div", &[("class", class)], |html| {
        html.append(&Html::of_class("div", "numbers", &numbers));
        if !picture.is_empty() {
            html.append(&Html::of_class("div", "picture", picture));
        }
    });
    html
}

fn lead(document: &Document) -> Html {
    let scenario = &document.scenario;
    let warmup = document.warmup_words();
    let mut html = Html::new();
    html.leaf(
        "p",
        &[("class", "lead")],
        &format!(
            "{} s {}{warmup}, {}, {}; queues in {}.",
            scenario.duration_s,
            document.made(),
            seed_words(document),
            plural(document.summary.flows.len(), "flow"),
            scenario.unit
        ),
    );
    html
}

fn figures(document: &Document, shown: &Document) -> Html {
    let scenario = &document.scenario;
    let mut html = Html::new();
    html.tag("dl", &[("class", "figures")], |html| {
        let summary = &shown.summary;
        let total = summary.goodput_bps;
        let goodput = total.map(|total| Scale::fitting(total.mean, "bit/s"));
        figure(html, "efficiency", &summary.efficiency, &Scale::plain(""), 4, Some(0.0));
        if let Some(scale) = goodput {
            figure(html, "goodput", &total, &scale, 3, None);
        }
        figure(html, "fairness", &summary.fairness, &Scale::plain(""), 4, Some(least_fairness(summary.flows.len())));
        figure(html, "weighted fairness", &summary.weighted_fairness, &Scale::plain(""), 4, Some(0.0));
        let bottleneck = port(shown).and_then(|name| summary.ports.iter().find(|port| port.name == name));
        if let Some(port) = bottleneck {
            figure(html, "mean queue", &Some(port.mean_queue), &Scale::plain(&scenario.unit), 1, None);
        }
    });
    html
}

/// What the numbers say, the most important first: the first sentences, and the others folded.
fn says(document: &Document, series: &[Series]) -> Html {
    let mut html = Html::new();
    html.append(&notices("Warning", &warnings(document)));
    let findings = findings(document, series);
    let (first, more) = findings.split_at(findings.len().min(FIRST_SENTENCES));
    let list = |html: &mut Html, sentences: &[String]| {
        html.tag("ul", &[("class", "findings")], |html| {
            for sentence in sentences {
                html.leaf("li", &[], sentence);
            }
        });
    };
    list(&mut html, first);
    if !more.is_empty() {
        html.tag("details", &[("class", "more")], |html| {
            html.leaf("summary", &[], &plural(more.len(), "more sentence"));
            list(html, more);
        });
    }
    let remarks = remarks(document);
    if !remarks.is_empty() {
        html.leaf("p", &[("class", "note remark")], &remarks.join(" "));
    }
    html
}

/// Sentences that should not be overlooked, each with the word that says what it is.
fn notices(word: &str, sentences: &[String]) -> Html {
    let mut html = Html::new();
    if sentences.is_empty() {
        return html;
    }
    html.tag("ul", &[("class", "notices")], |html| {
        for sentence in sentences {
            html.tag("li", &[], |html| {
                html.leaf("strong", &[], &format!("{word}:")).text(" ").text(sentence);
            });
        }
    });
    html
}

/// `least` is that of a share or an index, whose most is 1.
fn figure(html: &mut Html, name: &str, value: &Option<Interval>, scale: &Scale, decimals: usize, least: Option<f64>) {
    let Some(value) = value else { return };
    html.tag("div", &[], |html| {
        html.leaf("dt", &[], name);
        html.tag("dd", &[], |html| {
            html.leaf("span", &[("class", "value")], &fixed(value.mean * scale.factor, decimals));
            if !scale.unit.is_empty() {
                html.text(" ").leaf("span", &[("class", "unit")], &scale.unit);
            }
            if let Cell::Interval(_, shown, _) = Cell::measured(value, scale.factor, decimals, least) {
                html.text(" ").leaf("span", &[("class", "half")], &shown);
            }
        });
    });
}

/// More sentences are folded.
const FIRST_SENTENCES: usize = 3;
