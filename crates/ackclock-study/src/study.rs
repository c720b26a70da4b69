//! A study as data: what the TOML files of its folder may say, and whether they fit together.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

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
}

/// A card, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardInfo<'a> {
    /// Name.
    pub id: &'a str,
    /// Title.
    pub title: &'a str,
}

/// `study.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub title: String,
    pub citation: String,
    /// Seeds 1 to this per point.
    pub seeds: u64,
    /// The same with `--quick`.
    pub quick_seeds: u64,
    /// The same for the alternatives of assumptions.
    pub sensitivity_seeds: u64,
    /// What counts as an efficiency of 1, unless a table says otherwise.
    pub capacity_mbps: f64,
    /// What in the publication does not fit together.
    #[serde(default)]
    pub remarks: Vec<String>,
    #[serde(rename = "card")]
    pub cards: Vec<Card>,
    #[serde(rename = "axis")]
    pub axes: Vec<Axis>,
}

/// A card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    pub id: String,
    pub title: String,
    /// File of the table.
    pub table: Option<String>,
    /// Seeds 1 to this per point, whatever was asked for: for cards without randomness.
    pub seeds: Option<u64>,
}

/// One dimension of the space of points.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    pub name: String,
    pub values: Vec<AxisValue>,
}

/// One value on an axis, and what it sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisValue {
    pub name: String,
    /// The scenario file to start from. One axis names it.
    pub scenario: Option<String>,
    #[serde(default)]
    pub set: Vec<String>,
}

/// Axis name to the values wanted on it. A point for every combination.
pub(crate) type Coordinates = BTreeMap<String, OneOrMany>;

/// One value or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn values(&self) -> &[String] {
        match self {
            OneOrMany::One(value) => std::slice::from_ref(value),
            OneOrMany::Many(values) => values,
        }
    }
}

/// A place in the space of points with everything chosen: a scenario file and settings, each `path=value`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub scenario: String,
    pub sets: Vec<String>,
}

impl Point {
    /// The same with some settings replaced or added.
    pub fn with(&self, sets: &[String]) -> Point {
        let mut point = self.clone();
        for set in sets {
            let path = path_of(set);
            point.sets.retain(|old| path_of(old) != path);
            point.sets.push(set.clone());
        }
        point
    }
}

fn path_of(set: &str) -> &str {
    set.split('=').next().unwrap_or(set)
}

/// `tables/*.toml`: a published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// For people: what is in it, of what.
    pub quantity: String,
    pub metric: MetricName,
    pub capacity_mbps: Option<f64>,
    #[serde(default)]
    pub beside: Vec<Beside>,
    #[serde(rename = "tolerance")]
    pub tolerances: Vec<Tolerance>,
    #[serde(rename = "column")]
    pub columns: Vec<Column>,
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

/// Another way to compute the numbers of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beside {
    pub label: String,
    pub capacity_mbps: f64,
    #[serde(default)]
    pub after_warmup: bool,
}

/// How far apart still agrees.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tolerance {
    pub name: String,
    pub value: f64,
    pub reason: String,
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    pub label: String,
    pub at: Coordinates,
}

/// A row of a table: one number per column. Where it names several points, its numbers are means over them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub label: String,
    pub at: Coordinates,
    pub published: Vec<f64>,
    /// Names of tolerances, one per column.
    pub tolerance: Vec<String>,
    #[serde(default)]
    pub quick: bool,
}

/// `claims.toml`: what the study says beyond its numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub id: String,
    /// The card it is examined with.
    pub card: String,
    pub text: String,
    #[serde(default)]
    pub quick: bool,
    /// Instances: each becomes a claim `id/label` with these coordinates added to every quantity.
    #[serde(default)]
    pub each: Vec<Instance>,
    pub test: Predicate,
}

/// An instance of a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instance {
    pub label: String,
    pub at: Coordinates,
    /// Not part of the quick subset although the claim is.
    #[serde(default)]
    pub slow: bool,
}

/// What must be true.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Predicate {
    /// Each quantity stands in the relation to the next.
    Order {
        metric: MetricName,
        is: Relation,
        of: Vec<Quantity>,
        /// What is closer together is equal.
        #[serde(default)]
        resolution: f64,
    },
    /// A quantity stands in the relation to a number.
    Bound {
        metric: MetricName,
        #[serde(default)]
        over: Over,
        of: Quantity,
        is: Relation,
        value: f64,
    },
    /// The difference of two quantities, seed by seed, stands in the relation to a number.
    Difference {
        metric: MetricName,
        of: Quantity,
        minus: Quantity,
        is: Relation,
        value: f64,
        /// The whole 95 % confidence interval, not only the mean.
        #[serde(default)]
        confident: bool,
    },
}

impl Predicate {
    pub fn quantities(&self) -> Vec<&Quantity> {
        match self {
            Predicate::Order { of, .. } => of.iter().collect(),
            Predicate::Bound { of, .. } => vec![of],
            Predicate::Difference { of, minus, .. } => vec![of, minus],
        }
    }

    fn quantities_mut(&mut self) -> Vec<&mut Quantity> {
        match self {
            Predicate::Order { of, .. } => of.iter_mut().collect(),
            Predicate::Bound { of, .. } => vec![of],
            Predicate::Difference { of, minus, .. } => vec![of, minus],
        }
    }
}

/// A number made of measurements: the mean over its points, or the spread along an axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quantity {
    pub label: String,
    #[serde(default)]
    pub at: Coordinates,
    /// Largest less smallest of the means along this axis.
    pub spread_over: Option<String>,
}

/// What a bound is meant for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Over {
    /// The mean over points and seeds.
    #[default]
    Mean,
    /// The mean over the seeds, at every point.
    EveryPoint,
    /// Every single run.
    EveryRun,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Relation {
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = ">")]
    Greater,
}

impl Relation {
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Equal => left == right,
            Relation::AtLeast => left >= right,
            Relation::Greater => left > right,
        }
    }

    pub fn sign(self) -> &'static str {
        match self {
            Relation::Less => "<",
            Relation::AtMost => "≤",
            Relation::Equal => "=",
            Relation::AtLeast => "≥",
            Relation::Greater => ">",
        }
    }
}

/// `assumptions.toml`: what the publication leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assumption {
    pub id: String,
    /// The card it is reported with.
    pub card: String,
    pub statement: String,
    pub mark: Mark,
    pub reason: String,
    /// What the default is called in tables.
    pub default: String,
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
    /// The points on which the alternatives are tried.
    #[serde(default)]
    pub on: Vec<Group>,
}

/// How sure an assumption is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mark {
    /// In the publication.
    Stated,
    /// In other publications.
    Literature,
    /// Our deduction.
    Inferred,
}

/// Another choice.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    pub label: String,
    pub set: Vec<String>,
}

/// Points that are averaged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub label: String,
    pub at: Coordinates,
    /// Alternatives that make sense on these points only.
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
}

/// `findings.toml`: a difference that is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub id: String,
    pub title: String,
    pub text: String,
    pub evidence: Vec<String>,
    /// Names of cells, `card/row/column`, and of claims, `claim:id`.
    pub covers: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    claim: Vec<Claim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Assumptions {
    assumption: Vec<Assumption>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Findings {
    #[serde(default)]
    finding: Vec<Finding>,
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
        let study = Study {
            name: name.into(),
            head,
            tables,
            claims: claims.claim.into_iter().flat_map(expand).collect(),
            assumptions: assumptions.assumption,
            findings: findings.finding,
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
    pub(crate) fn metric(&self, name: MetricName, capacity_mbps: Option<f64>) -> Metric {
        name.with(capacity_mbps.unwrap_or(self.head.capacity_mbps) * 1e6)
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
                names.extend(table.columns.iter().map(|column| cell_id(card, &row.label, &column.label)));
            }
        }
        names
    }

    /// The finding that covers a cell or claim.
    pub(crate) fn finding_for(&self, id: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.covers.iter().any(|covered| covered == id))
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
                if row.published.len() != table.columns.len() || row.tolerance.len() != table.columns.len() {
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
                for column in &table.columns {
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
        let judged = self.judged();
        let mut covered = BTreeSet::new();
        for finding in &self.findings {
            for id in &finding.covers {
                if !judged.contains(id) {
                    return wrong("findings.toml", format!("finding {}: there is no \"{id}\"", finding.id));
                }
                if !covered.insert(id) {
                    return wrong("findings.toml", format!("\"{id}\" is covered twice"));
                }
            }
        }
        Ok(())
    }
}

impl Assumption {
    /// The alternatives that make sense on these points.
    pub fn alternatives_on<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Alternative> {
        self.alternatives.iter().chain(&group.alternatives)
    }
}

impl Table {
    pub fn tolerance(&self, name: &str) -> Option<&Tolerance> {
        self.tolerances.iter().find(|tolerance| tolerance.name == name)
    }
}

/// The name of a cell.
pub(crate) fn cell_id(card: &str, row: &str, column: &str) -> String {
    format!("{card}/{row}/{column}")
}

/// Coordinates of both; the second decides where both name an axis.
pub(crate) fn merged(first: &Coordinates, second: &Coordinates) -> Coordinates {
    let mut all = first.clone();
    all.extend(second.iter().map(|(axis, values)| (axis.clone(), values.clone())));
    all
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
