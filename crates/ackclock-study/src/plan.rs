//! Which runs are needed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ackclock::scenario::Scenario;
use ackclock::sim::RESULT_VERSION;
use ackclock_store::Key;

use crate::data::{
    Assumption, AxisPlot, Beside, Card, Claim, Comparison, Experiment, Finding, Group, Point, Predicate, Quantity,
    Reading, Row as TableRow, Shown, Table, cell_id, merged,
};
use crate::embedded::Embedded;
use crate::error::Error;
use crate::measure::{Metric, MetricName, Row};
use crate::study::Study;

/// What is to be reproduced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only this card.
    pub card: Option<String>,
    /// Only the quick subset, with fewer seeds.
    pub quick: bool,
    /// Seeds per point; otherwise what the study says.
    pub seeds: Option<u64>,
}

/// The runs that a selection needs, each once.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) scope: Scope,
    pub(crate) scenarios: Vec<Planned>,
    /// Points to scenarios. Different points may be the same scenario.
    pub(crate) index: BTreeMap<Point, usize>,
    /// What is kept of each run: every metric of the study, so that a run need not be repeated for another card.
    pub(crate) metrics: Vec<Metric>,
}

/// A scenario and how often it is run.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// A point that leads to it.
    pub point: Point,
    pub scenario: Arc<Scenario>,
    pub resolved: String,
    /// Seeds 1 to this.
    pub seeds: u64,
    /// The metrics that are judged or shown of it.
    pub needed: BTreeSet<String>,
}

/// How much is asked of a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand {
    /// Seeds 1 to this.
    pub seeds: u64,
    /// The metrics that are judged or shown there.
    pub metrics: BTreeSet<String>,
}

impl Planned {
    /// What identifies the run of a seed: the same key, the same result.
    pub fn key(&self, seed: u64) -> Key {
        let key = match self.point.live {
            true => Key::of_scenario(&format!("# live\n{}", self.resolved), RESULT_VERSION),
            false => Key::of_scenario(&self.resolved, RESULT_VERSION),
        };
        key.with_seed(seed, RESULT_VERSION)
    }

    /// Computing time in arbitrary units: the cell times of the bottleneck.
    pub fn cost(&self) -> f64 {
        let scenario = &self.scenario;
        let rate =
            scenario.bottleneck.as_ref().map_or(1e6, |bottleneck| scenario.links[bottleneck.link].rate.as_bps() as f64);
        scenario.duration.as_secs_f64() * rate
    }
}

impl Study {
    /// The runs that a selection needs.
    pub fn plan(&self, selection: &Selection) -> Result<Plan, Error> {
        Plan::new(self, selection)
    }
}

impl Plan {
    pub(crate) fn new(study: &Study, selection: &Selection) -> Result<Plan, Error> {
        let scope = Scope::new(study, selection)?;
        let demand = scope.demand(study);
        let mut metrics: Vec<Metric> = study.metrics();
        metrics.sort_by(|one, other| one.needs().cmp(other.needs()));
        metrics.dedup_by(|one, other| one.needs() == other.needs());
        let mut plan = Plan { scope, scenarios: Vec::new(), index: BTreeMap::new(), metrics };
        for (point, demand) in demand {
            plan.add(point, demand)?;
        }
        Ok(plan)
    }

    /// The runs that are not kept, or of which something is not kept that is needed now.
    pub(crate) fn missing<'a, 'k>(&'a self, kept: impl Fn(&Key) -> Option<&'k Row>) -> Vec<(&'a Planned, u64)> {
        self.all_runs().filter(|run| self.lacks(*run, &kept)).collect()
    }

    /// Whether a run is not kept, or something of it.
    pub(crate) fn lacks<'k>(&self, (planned, seed): (&Planned, u64), kept: impl Fn(&Key) -> Option<&'k Row>) -> bool {
        !kept(&planned.key(seed)).is_some_and(|row| row.has(&planned.needed))
    }

    fn all_runs(&self) -> impl Iterator<Item = (&Planned, u64)> {
        self.scenarios.iter().flat_map(|planned| (1..=planned.seeds).map(move |seed| (planned, seed)))
    }

    /// The runs on the TCP of a kernel.
    pub(crate) fn live_runs(&self) -> impl Iterator<Item = (&Planned, u64)> {
        self.all_runs().filter(|(planned, _)| planned.point.live)
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.scenarios.iter().map(|planned| planned.seeds as usize).sum()
    }

    /// The key of the run of a seed at a point of the plan.
    pub(crate) fn key(&self, point: &Point, seed: u64) -> Key {
        self.scenarios[self.index[point]].key(seed)
    }

    fn add(&mut self, point: Point, demand: Demand) -> Result<(), Error> {
        let loaded = ackclock_scenario::load(&Embedded, &point.scenario, &point.sets)
            .map_err(|error| Error::Scenario { file: point.scenario.clone(), sets: point.sets.clone(), error })?;
        let same = |planned: &Planned| planned.resolved == loaded.resolved && planned.point.live == point.live;
        let same = self.scenarios.iter().position(same);
        let i = same.unwrap_or(self.scenarios.len());
        match same {
            Some(i) => {
                self.scenarios[i].seeds = self.scenarios[i].seeds.max(demand.seeds);
                self.scenarios[i].needed.extend(demand.metrics);
            }
            None => self.scenarios.push(Planned {
                point: point.clone(),
                scenario: Arc::new(loaded.scenario),
                resolved: loaded.resolved,
                seeds: demand.seeds,
                needed: demand.metrics,
            }),
        }
        self.index.insert(point, i);
        Ok(())
    }
}

/// What a selection means for a study: the part of it that is examined.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub quick: bool,
    /// Seeds 1 to this, where a card does not say otherwise.
    pub seeds: u64,
    /// Names of the cards wanted, in the order of the study.
    pub cards: Vec<String>,
}

impl Scope {
    pub fn new(study: &Study, selection: &Selection) -> Result<Scope, Error> {
        let known: Vec<String> = study.head.cards.iter().map(|card| card.id.clone()).collect();
        let cards = match &selection.card {
            None => known,
            Some(card) if known.contains(card) => vec![card.clone()],
            Some(card) => return Err(Error::UnknownCard { card: card.clone(), study: study.name.clone(), known }),
        };
        let usual = if selection.quick { study.head.quick_seeds } else { study.head.seeds };
        match selection.seeds.unwrap_or(usual) {
            0 => Err(Error::NoSeeds),
            seeds => Ok(Scope { quick: selection.quick, seeds, cards }),
        }
    }

    /// The command line that asks for it.
    pub fn command(&self, study: &Study) -> Vec<String> {
        let name = match &self.cards[..] {
            [card] if study.head.cards.len() > 1 => format!("{}/{card}", study.name),
            _ => study.name.clone(),
        };
        let mut command: Vec<String> = vec!["ackclock".into(), "reproduce".into(), name];
        let usual = if self.quick { study.head.quick_seeds } else { study.head.seeds };
        if study.is_live {
            command.push("--live".into());
        }
        if self.quick {
            command.push("--quick".into());
        }
        if self.seeds != usual {
            command.extend(["--seeds".into(), self.seeds.to_string()]);
        }
        command
    }

    /// Whether nothing of the study is left out.
    pub fn is_whole(&self, study: &Study) -> bool {
        !self.quick && self.cards.len() == study.head.cards.len()
    }

    /// Seeds 1 to this at the points of a card.
    pub fn seeds_of(&self, card: &Card) -> u64 {
        let quick = card.quick_seeds.filter(|_| self.quick);
        quick.or(card.seeds).unwrap_or(self.seeds)
    }

    /// Seeds 1 to this for the alternatives of a card's assumptions.
    pub fn sensitivity_seeds(&self, study: &Study, card: &Card) -> u64 {
        self.seeds_of(card).min(study.head.sensitivity_seeds)
    }

    pub fn cards<'a>(&self, study: &'a Study) -> impl Iterator<Item = &'a Card> {
        study.head.cards.iter().filter(|card| self.cards.contains(&card.id))
    }

    /// The cards wanted of which there is something to report: `--quick` examines nothing of some, and draws nothing.
    pub fn reported<'a>(&self, study: &'a Study) -> impl Iterator<Item = &'a Card> {
        self.cards(study).filter(move |card| {
            !self.quick
                || self.cards.len() == 1
                || self.examines(study, card)
                || study.figures.iter().any(|figure| figure.card == card.id)
        })
    }

    /// Whether a number or a claim of a card is judged.
    pub fn examines(&self, study: &Study, card: &Card) -> bool {
        self.rows(study, card).next().is_some() || self.claims(study, card).next().is_some()
    }

    /// The rows wanted of a card's table.
    pub fn rows<'a>(&self, study: &'a Study, card: &Card) -> impl Iterator<Item = &'a TableRow> {
        let quick = self.quick;
        study.tables.get(&card.id).into_iter().flat_map(|table| &table.rows).filter(move |row| row.quick || !quick)
    }

    /// The claims wanted of a card.
    pub fn claims<'a>(&self, study: &'a Study, card: &'a Card) -> impl Iterator<Item = &'a Claim> {
        let quick = self.quick;
        study.claims.iter().filter(move |claim| claim.card == card.id && (claim.quick || !quick))
    }

    /// The points on which the alternatives of an assumption are tried: none if it has to be quick.
    pub fn groups<'a>(&self, assumption: &'a Assumption) -> &'a [Group] {
        if self.quick { &[] } else { &assumption.on }
    }

    /// The readings with which a card is judged again: none if it has to be quick.
    pub fn readings<'a>(&self, study: &'a Study, card: &Card) -> Vec<Reading<'a>> {
        if self.quick { Vec::new() } else { study.readings_of(card) }
    }

    /// Seeds 1 to this for a reading with which a card is judged again: all of them where it stands beside the default.
    pub fn seeds_of_reading(&self, study: &Study, card: &Card, reading: &Reading) -> u64 {
        if reading.beside { self.seeds_of(card) } else { self.sensitivity_seeds(study, card) }
    }

    /// The comparisons of a card: none if it has to be quick.
    pub fn comparisons<'a>(&self, study: &'a Study, card: &'a Card) -> impl Iterator<Item = &'a Comparison> {
        let quick = self.quick;
        study.comparisons_of(card).filter(move |_| !quick)
    }

    /// The plots over an axis of a card: none if it has to be quick.
    pub fn plots<'a>(&self, study: &'a Study, card: &'a Card) -> impl Iterator<Item = &'a AxisPlot> {
        let quick = self.quick;
        study.plots_of(card).filter(move |_| !quick)
    }

    /// The names of the cells and claims that are examined.
    pub fn examined(&self, study: &Study) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for card in self.cards(study) {
            for row in self.rows(study, card) {
                let columns = study.tables[&card.id].columns_of(row);
                names.extend(columns.iter().map(|column| cell_id(&card.id, &row.label, &column.label)));
            }
            names.extend(self.claims(study, card).map(|claim| format!("claim:{}", claim.id)));
        }
        names
    }

    /// The findings that concern what is examined, and the readings about cards in the scope that have something to show.
    pub fn findings<'a>(&self, study: &'a Study) -> Vec<&'a Finding> {
        let examined = self.examined(study);
        let concerns = |finding: &&Finding| {
            finding.covered(self.quick).any(|id| examined.contains(id))
                || finding.is_reading() && !self.quick && self.card_of(study, finding).is_some()
        };
        study.findings.iter().filter(concerns).collect()
    }

    /// The card that a finding is about, if it is in the scope.
    fn card_of<'a>(&self, study: &'a Study, finding: &Finding) -> Option<&'a Card> {
        self.cards(study).find(|card| finding.card.as_ref() == Some(&card.id))
    }

    /// How many seeds the experiments of a finding have.
    pub fn seeds_of_experiments(&self, study: &Study, finding: &Finding) -> u64 {
        self.card_of(study, finding).map_or(self.seeds, |card| self.seeds_of(card))
    }

    /// The experiments of a finding: none if it has to be quick.
    pub fn experiments<'a>(&self, finding: &'a Finding) -> &'a [Experiment] {
        if self.quick { &[] } else { &finding.experiments }
    }

    /// The points at which the numbers and claims of a card are judged.
    fn judged(&self, study: &Study, card: &Card) -> Vec<Point> {
        let cells = self
            .rows(study, card)
            .flat_map(|row| study.tables[&card.id].columns_of(row).iter().map(|column| merged(&row.at, &column.at)));
        let claims = self.claims(study, card).flat_map(|claim| claim.test.quantities()).flat_map(Quantity::all_at);
        cells.chain(claims).flat_map(|at| study.checked_points(&at)).collect()
    }

    /// What is judged of a card at [`Scope::judged`].
    fn judged_metrics(&self, study: &Study, card: &Card) -> BTreeSet<String> {
        let table = study.tables.get(&card.id).filter(|_| self.rows(study, card).next().is_some());
        let of_table = table.into_iter().flat_map(|table| table.metrics(study));
        let of_claims = self.claims(study, card).map(|claim| study.metric(claim.test.metric(), None));
        of_table.chain(of_claims).map(|metric| metric.needs().to_owned()).collect()
    }

    /// What is asked of which points.
    pub fn demand(&self, study: &Study) -> BTreeMap<Point, Demand> {
        let mut demand: BTreeMap<Point, Demand> = BTreeMap::new();
        let mut want = |points: Vec<Point>, seeds: u64, metrics: &BTreeSet<String>| {
            for point in points {
                let wanted = demand.entry(point).or_default();
                wanted.seeds = seeds.max(wanted.seeds);
                wanted.metrics.extend(metrics.iter().cloned());
            }
        };
        for card in self.cards(study) {
            let seeds = self.seeds_of(card);
            let (judged, metrics) = (self.judged(study, card), self.judged_metrics(study, card));
            for reading in self.readings(study, card) {
                let points = judged.iter().map(|point| point.with(reading.set)).collect();
                want(points, self.seeds_of_reading(study, card, &reading), &metrics);
            }
            want(judged, seeds, &metrics);
            for comparison in self.comparisons(study, card) {
                let shown = study.shown_metrics(&comparison.show);
                comparison.rows.iter().for_each(|row| want(study.checked_points(&row.at), seeds, &shown));
            }
            for plot in self.plots(study, card) {
                let shown = study.shown_metrics(&plot.show);
                plot.all_at().for_each(|at| want(study.checked_points(&at), seeds, &shown));
            }
            let seeds = self.sensitivity_seeds(study, card);
            for assumption in study.assumptions_of(card) {
                for group in self.groups(assumption) {
                    let (points, shown) =
                        (study.checked_points(&group.at), study.shown_metrics(assumption.shown_on(group)));
                    for alternative in assumption.alternatives_on(group) {
                        want(points.iter().map(|point| point.with(&alternative.set)).collect(), seeds, &shown);
                    }
                    want(points, seeds, &shown);
                }
            }
        }
        for finding in self.findings(study) {
            let seeds = self.seeds_of_experiments(study, finding);
            for experiment in self.experiments(finding) {
                let mut metrics = study.shown_metrics(&experiment.show);
                metrics.extend(experiment.test.iter().map(|test| study.metric(test.metric(), None).needs().to_owned()));
                let of_rows = experiment.rows.iter().map(|row| row.at.clone());
                let of_test = experiment.test.iter().flat_map(Predicate::quantities).flat_map(Quantity::all_at);
                of_rows.chain(of_test).for_each(|at| want(study.checked_points(&at), seeds, &metrics));
            }
        }
        demand
    }
}

impl Study {
    /// What a row has to have for numbers that are shown.
    fn shown_metrics(&self, shown: &[Shown]) -> BTreeSet<String> {
        shown.iter().map(|shown| self.metric(&shown.metric, None).needs().to_owned()).collect()
    }

    /// Every metric of the study.
    fn metrics(&self) -> Vec<Metric> {
        let shown = (self.assumptions.iter())
            .flat_map(|assumption| {
                let of_groups = assumption.on.iter().flat_map(|group| assumption.shown_on(group));
                assumption.show.iter().chain(of_groups)
            })
            .chain(self.comparisons.iter().flat_map(|comparison| &comparison.show))
            .chain(self.plots.iter().flat_map(|plot| &plot.show));
        let experiments = || self.findings.iter().flat_map(|finding| &finding.experiments);
        let tests = self.claims.iter().map(|claim| &claim.test).chain(experiments().flat_map(|of| &of.test));
        let names = shown.chain(experiments().flat_map(|of| &of.show)).map(|shown| &shown.metric);
        let names: Vec<&MetricName> = names.chain(tests.map(Predicate::metric)).collect();
        let of_tables = self.tables.values().flat_map(|table| table.metrics(self));
        names.into_iter().map(|name| self.metric(name, None)).chain(of_tables).collect()
    }
}

impl Table {
    /// The metrics of its columns, and those beside them.
    fn metrics(&self, study: &Study) -> Vec<Metric> {
        let of_columns = self.columns.iter().map(|column| study.metric(self.metric_of(column), self.capacity_mbps));
        of_columns.chain(self.beside.iter().map(Beside::metric)).collect()
    }
}
