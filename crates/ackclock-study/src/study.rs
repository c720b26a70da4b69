//! A study: its files read, and whether they fit together.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use crate::data::*;
use crate::figures::{Figure, Figures};
use crate::measure::{Metric, MetricName};
use crate::{Error, Plan, Selection, embedded};

/// The names of all studies.
pub fn names() -> Vec<&'static str> {
    embedded::file_names().filter_map(|file| file.strip_suffix("/study.toml")).collect()
}

/// A study: everything in its folder, checked.
#[derive(Clone, Debug)]
pub struct Study {
    pub(crate) name: String,
    pub(crate) head: Head,
    /// The tables of the cards that have one.
    pub(crate) tables: BTreeMap<String, Table>,
    /// Claims, those with several instances already expanded.
    pub(crate) claims: Vec<Claim>,
    pub(crate) assumptions: Vec<Assumption>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) figures: Vec<Figure>,
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
    /// The embedded study of this name.
    pub fn load(name: &str) -> Result<Study, Error> {
        if !names().contains(&name) {
            let known = names().into_iter().map(String::from).collect();
            return Err(Error::UnknownStudy { name: name.into(), known });
        }
        Study::parse(name, &|file| embedded::file(&format!("{name}/{file}")).map(String::from))
    }

    /// The study whose files `read` gives.
    pub(crate) fn parse(name: &str, read: &dyn Fn(&str) -> Option<String>) -> Result<Study, Error> {
        let head: Head = parse_file(name, "study.toml", read)?;
        let mut tables = BTreeMap::new();
        for card in &head.cards {
            if let Some(file) = &card.table {
                tables.insert(card.id.clone(), parse_file(name, file, read)?);
            }
        }
        let claims: Claims = parse_file(name, "claims.toml", read)?;
        let assumptions: Assumptions = parse_file(name, "assumptions.toml", read)?;
        let findings: Findings = parse_file(name, "findings.toml", read)?;
        let figures: Figures = match read("figures.toml") {
            Some(_) => parse_file(name, "figures.toml", read)?,
            None => Figures::default(),
        };
        let study = Study {
            name: name.into(),
            head,
            tables,
            claims: claims.claim.into_iter().flat_map(expand).collect(),
            assumptions: assumptions.assumption,
            findings: findings.finding,
            figures: figures.figure,
        };
        study.check()?;
        Ok(study)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
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

    /// The runs that a selection needs.
    pub fn plan(&self, selection: &Selection) -> Result<Plan, Error> {
        Plan::new(self, selection)
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
        let mut points = vec![Point { scenario: String::new(), sets: Vec::new() }];
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

    /// The assumptions of a card.
    pub(crate) fn assumptions_of(&self, card: &Card) -> impl Iterator<Item = &Assumption> {
        self.assumptions.iter().filter(|assumption| assumption.card == card.id)
    }

    /// The names of all cells and claims: what findings may cover.
    pub(crate) fn judged(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.claims.iter().map(|claim| format!("claim:{}", claim.id)).collect();
        for (card, table) in &self.tables {
            for row in &table.rows {
                names.extend(table.columns_of(row).iter().map(|column| cell_id(card, &row.label, &column.label)));
            }
        }
        names
    }

    /// The same of the quick subset.
    fn judged_quickly(&self) -> BTreeSet<String> {
        let claims = self.claims.iter().filter(|claim| claim.quick);
        let mut names: BTreeSet<String> = claims.map(|claim| format!("claim:{}", claim.id)).collect();
        for (card, table) in &self.tables {
            for row in table.rows.iter().filter(|row| row.quick) {
                names.extend(table.columns_of(row).iter().map(|column| cell_id(card, &row.label, &column.label)));
            }
        }
        names
    }

    /// The finding that covers a cell or claim in the quick subset, or in the whole study.
    pub(crate) fn finding_for(&self, id: &str, quick: bool) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.covered(quick).any(|covered| covered == id))
    }

    /// Whether the files fit together.
    fn check(&self) -> Result<(), Error> {
        let wrong = |file: &str, message: String| Err(Error::Data { file: format!("{}/{file}", self.name), message });
        let cards: BTreeSet<&str> = self.head.cards.iter().map(|card| card.id.as_str()).collect();
        if cards.len() != self.head.cards.len() {
            return wrong("study.toml", "two cards have the same name".into());
        }
        for card in &self.head.cards {
            let (Some(table), Some(file)) = (self.tables.get(&card.id), &card.table) else { continue };
            let mut labels = BTreeSet::new();
            for row in &table.rows {
                if !labels.insert(&row.label) {
                    return wrong(file, format!("two rows are named \"{}\"", row.label));
                }
                let columns = row.columns.unwrap_or(table.columns.len());
                if columns > table.columns.len() {
                    return wrong(file, format!("row \"{}\" has more columns than there are", row.label));
                }
                if row.published.len() != columns || row.tolerance.len() != columns {
                    return wrong(
                        file,
                        format!("row \"{}\" does not have one number and tolerance per column", row.label),
                    );
                }
                for tolerance in &row.tolerance {
                    if table.tolerance(tolerance).is_none() {
                        return wrong(file, format!("row \"{}\": there is no tolerance \"{tolerance}\"", row.label));
                    }
                }
                for column in table.columns_of(row) {
                    if let Err(message) = self.points(&merged(&row.at, &column.at)) {
                        return wrong(file, format!("row \"{}\", column \"{}\": {message}", row.label, column.label));
                    }
                }
            }
        }
        let mut ids = BTreeSet::new();
        for claim in &self.claims {
            if !ids.insert(&claim.id) {
                return wrong("claims.toml", format!("two claims are named \"{}\"", claim.id));
            }
            if !cards.contains(claim.card.as_str()) {
                return wrong("claims.toml", format!("claim \"{}\": there is no card \"{}\"", claim.id, claim.card));
            }
            if matches!(&claim.test, Predicate::Order { of, .. } if of.len() < 2) {
                return wrong("claims.toml", format!("claim \"{}\": an order needs two quantities", claim.id));
            }
            for quantity in claim.test.quantities() {
                if let Err(message) = self.points(&quantity.at) {
                    return wrong("claims.toml", format!("claim \"{}\", {}: {message}", claim.id, quantity.label));
                }
                if quantity.statistic == Statistic::Median && !claim.test.asks_for_statistic() {
                    return wrong("claims.toml", format!("claim \"{}\": it does not ask for a median", claim.id));
                }
                if quantity.spread_over.as_ref().is_some_and(|axis| !quantity.at.contains_key(axis)) {
                    return wrong(
                        "claims.toml",
                        format!("claim \"{}\": a spread over an axis without values", claim.id),
                    );
                }
            }
        }
        for assumption in &self.assumptions {
            let id = &assumption.id;
            if !cards.contains(assumption.card.as_str()) {
                return wrong(
                    "assumptions.toml",
                    format!("assumption \"{id}\": there is no card \"{}\"", assumption.card),
                );
            }
            for group in &assumption.on {
                if let Err(message) = self.points(&group.at) {
                    return wrong("assumptions.toml", format!("assumption \"{id}\", {}: {message}", group.label));
                }
            }
        }
        for figure in &self.figures {
            let id = &figure.id;
            if !cards.contains(figure.card.as_str()) {
                return wrong("figures.toml", format!("figure \"{id}\": there is no card \"{}\"", figure.card));
            }
            for (label, at) in figure.all_runs() {
                match self.points(&at) {
                    Ok(points) if points.len() == 1 => {}
                    Ok(_) => {
                        let message = format!("figure \"{id}\": its run \"{label}\" is several");
                        return wrong("figures.toml", message);
                    }
                    Err(message) => return wrong("figures.toml", format!("figure \"{id}\": {message}")),
                }
            }
        }
        let (judged, quickly) = (self.judged(), self.judged_quickly());
        for quick in [false, true] {
            let mut covered = BTreeSet::new();
            for finding in &self.findings {
                for id in finding.covered(quick) {
                    if !judged.contains(id) {
                        return wrong("findings.toml", format!("finding {}: there is no \"{id}\"", finding.id));
                    }
                    if !covered.insert(id) {
                        return wrong("findings.toml", format!("\"{id}\" is covered twice"));
                    }
                }
                // What --quick leaves out is examined by the whole study only: `covers` says that already.
                if let Some(id) = finding.quick_only.iter().chain(&finding.whole_only).find(|id| !quickly.contains(*id))
                {
                    return wrong(
                        "findings.toml",
                        format!("finding {}: \"{id}\" is not in the quick subset; name it in covers", finding.id),
                    );
                }
            }
        }
        Ok(())
    }
}

/// One claim per instance.
fn expand(claim: Claim) -> Vec<Claim> {
    if claim.each.is_empty() {
        return vec![claim];
    }
    let instance_of = |instance: &Instance| {
        let mut one = claim.clone();
        one.id = format!("{}/{}", claim.id, instance.label);
        one.quick &= !instance.slow;
        for quantity in one.test.quantities_mut() {
            quantity.at = merged(&instance.at, &quantity.at);
        }
        one
    };
    claim.each.iter().map(instance_of).collect()
}

fn parse_file<T: DeserializeOwned>(study: &str, file: &str, read: &dyn Fn(&str) -> Option<String>) -> Result<T, Error> {
    let wrong = |message| Error::Data { file: format!("{study}/{file}"), message };
    let text = read(file).ok_or_else(|| wrong("the file is missing".into()))?;
    toml::from_str(&text).map_err(|error| wrong(error.to_string()))
}
