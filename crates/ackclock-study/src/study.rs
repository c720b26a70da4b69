//! A study: everything in its folder.

use std::collections::BTreeMap;

use crate::data::figures::Figure;
use crate::data::{
    Assumption, AxisPlot, Card, Claim, Comparison, Coordinates, Finding, Head, Origin, Point, Reading, Table, Together,
    alternative,
};
use crate::measure::{Metric, MetricName};

/// A study: everything in its folder, checked.
#[derive(Clone, Debug)]
pub struct Study {
    pub(crate) name: String,
    /// Whether it is the part of a study that runs live, beside simulations of the same cases.
    pub(crate) is_live: bool,
    pub(crate) head: Head,
    pub(crate) tables: BTreeMap<String, Table>,
    /// Claims, those with several instances already expanded.
    pub(crate) claims: Vec<Claim>,
    pub(crate) assumptions: Vec<Assumption>,
    pub(crate) together: Vec<Together>,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) plots: Vec<AxisPlot>,
}

/// A card, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardInfo<'a> {
    /// Name.
    pub id: &'a str,
    /// Title.
    pub title: &'a str,
}

impl Study {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the folder of its results: those that are live have one of their own.
    pub fn folder_name(&self) -> String {
        if self.is_live { format!("{}-live", self.name) } else { self.name.clone() }
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.head.title
    }

    /// Where it was published.
    pub fn citation(&self) -> &str {
        &self.head.citation
    }

    /// Its cards, in order.
    pub fn cards(&self) -> Vec<CardInfo<'_>> {
        self.head.cards.iter().map(|card| CardInfo { id: &card.id, title: &card.title }).collect()
    }

    /// The metric of this name, with the study's capacity unless the table has its own.
    pub(crate) fn metric(&self, name: &MetricName, capacity_mbps: Option<f64>) -> Metric {
        name.clone().with(capacity_mbps.unwrap_or(self.head.capacity_mbps) * 1e6)
    }

    /// Every combination of the coordinates, the last axis fastest.
    pub(crate) fn points(&self, at: &Coordinates) -> Result<Vec<Point>, String> {
        if let Some(unknown) = at.keys().find(|name| self.head.axes.iter().all(|axis| axis.name != **name)) {
            return Err(format!("there is no axis \"{unknown}\""));
        }
        let mut points = vec![Point::default()];
        for axis in &self.head.axes {
            let Some(wanted) = at.get(&axis.name) else { continue };
            let mut longer = Vec::new();
            for point in &points {
                for name in wanted.values() {
                    let value = axis
                        .values
                        .iter()
                        .find(|value| value.name == *name)
                        .ok_or_else(|| format!("the axis \"{}\" has no value \"{name}\"", axis.name))?;
                    let mut point = point.with(&value.set);
                    point.live |= value.live;
                    if let Some(scenario) = &value.scenario {
                        point.scenario = format!("{}/{scenario}", self.name);
                    }
                    longer.push(point);
                }
            }
            points = longer;
        }
        match points.first() {
            None => Err("a list of values is empty".into()),
            Some(point) if point.scenario.is_empty() => Err("no coordinate names a scenario".into()),
            Some(_) => Ok(points),
        }
    }

    /// The points of coordinates that were checked when the study was loaded.
    pub(crate) fn checked_points(&self, at: &Coordinates) -> Vec<Point> {
        self.points(at).expect("checked when the study was loaded")
    }

    pub(crate) fn assumptions_of(&self, card: &Card) -> impl Iterator<Item = &Assumption> {
        self.assumptions.iter().filter(|assumption| assumption.card == card.id)
    }

    pub(crate) fn origin_of(&self, claim: &Claim) -> Origin {
        let is_beyond = self.head.cards.iter().any(|card| card.id == claim.card && card.beyond);
        claim.tally.unwrap_or(if is_beyond { Origin::Own } else { Origin::Published })
    }

    /// Whether a published claim would hold if its effect were absent, though it does not deny one.
    pub(crate) fn is_weak(&self, claim: &Claim) -> bool {
        !claim.equality
            && self.origin_of(claim) == Origin::Published
            && claim.test.holds_without_effect(claim.absent) == Some(true)
    }

    /// The readings with which a card is judged again: single alternatives, then those that are tried together.
    pub(crate) fn readings_of<'a>(&'a self, card: &Card) -> Vec<Reading<'a>> {
        let mut readings = Vec::new();
        for assumption in &self.assumptions {
            let judged = assumption.alternatives.iter().filter(|alternative| alternative.judged.contains(&card.id));
            readings.extend(judged.map(|alternative| Reading {
                id: &assumption.id,
                statement: &assumption.statement,
                after_results: assumption.after_results.clone(),
                default: assumption.default.clone(),
                label: &alternative.label,
                set: &alternative.set,
                beside: alternative.beside,
            }));
        }
        let together = self.together.iter().filter(|together| together.judged.contains(&card.id));
        readings.extend(together.map(|together| self.reading_of(together)));
        readings
    }

    /// Alternatives to several assumptions as one.
    fn reading_of<'a>(&'a self, together: &'a Together) -> Reading<'a> {
        let of = together.of.iter().filter_map(|name| alternative(&self.assumptions, name));
        let assumptions: Vec<&Assumption> = of.map(|(assumption, _)| assumption).collect();
        let known: Vec<&str> = assumptions.iter().filter_map(|of| of.after_results.as_deref()).collect();
        Reading {
            id: &together.id,
            statement: &together.reason,
            after_results: (!known.is_empty()).then(|| known.join(" ")),
            default: assumptions.iter().map(|of| of.default.as_str()).collect::<Vec<_>>().join(", "),
            label: &together.label,
            set: &together.set,
            beside: together.beside,
        }
    }

    pub(crate) fn comparisons_of(&self, card: &Card) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(|comparison| comparison.card == card.id)
    }

    pub(crate) fn plots_of(&self, card: &Card) -> impl Iterator<Item = &AxisPlot> {
        self.plots.iter().filter(|plot| plot.card == card.id)
    }

    /// The finding that covers a cell or claim in the quick subset, or in the whole study.
    pub(crate) fn finding_for(&self, id: &str, quick: bool) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.covered(quick).any(|covered| covered == id))
    }
}
