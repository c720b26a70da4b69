//! The files of a study: read, and whether they fit together.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_report::page::bands::MOST_CURVES;
use serde::de::DeserializeOwned;

use crate::data::figures::Figures;
use crate::data::{
    Assumptions, AxisPlots, Claim, Claims, Comparisons, Findings, Head, Instance, Predicate, Statistic, Table,
    alternative, cell_id, merged,
};
use crate::embedded;
use crate::error::Error;
use crate::study::Study;

/// The names of all studies.
pub fn names() -> Vec<&'static str> {
    let all = embedded::file_names().filter_map(|file| file.strip_suffix("/study.toml"));
    all.filter(|name| !name.contains('/')).collect()
}

/// The names of the studies of which a part runs live: a folder `live` in that of the study.
pub fn live_names() -> Vec<&'static str> {
    embedded::file_names().filter_map(|file| file.strip_suffix("/live/study.toml")).collect()
}

impl Study {
    /// The embedded study of this name.
    pub fn load(name: &str) -> Result<Study, Error> {
        if !names().contains(&name) {
            let known = names().into_iter().map(String::from).collect();
            return Err(Error::UnknownStudy { name: name.into(), known });
        }
        let study = Study::parse(name, &|file| embedded::file(&format!("{name}/{file}")).map(String::from))?;
        match study.head.axes.iter().flat_map(|axis| &axis.values).find(|value| value.live) {
            None => Ok(study),
            Some(value) => {
                let message = format!("\"{}\" is live: such cases are in the folder `live` of the study", value.name);
                Err(Error::Data { file: format!("{name}/study.toml"), message })
            }
        }
    }

    /// The part of the embedded study of this name that runs live: cases, claims and findings of its own.
    ///
    /// # Errors
    /// If there is no such study, or nothing of it runs live.
    pub fn load_live(name: &str) -> Result<Study, Error> {
        if !live_names().contains(&name) {
            return match names().contains(&name) {
                true => Err(Error::NothingLive { study: name.into(), live: live_names() }),
                false => Study::load(name),
            };
        }
        let study = Study::parse(name, &|file| embedded::file(&format!("{name}/live/{file}")).map(String::from))?;
        if let Some(figure) = study.figures.first() {
            let message = format!("figure \"{}\": nothing is recorded of live runs to draw", figure.id);
            return Err(Error::Data { file: format!("{name}/live/figures.toml"), message });
        }
        Ok(Study { is_live: true, ..study })
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
        let mut assumptions: Assumptions = parse_file(name, "assumptions.toml", read)?;
        assumptions.together.iter_mut().for_each(|together| together.gather(&assumptions.assumption));
        let findings: Findings = parse_file(name, "findings.toml", read)?;
        let figures: Figures = parse_if_there(name, "figures.toml", read)?;
        let comparisons: Comparisons = parse_if_there(name, "comparisons.toml", read)?;
        let plots: AxisPlots = parse_if_there(name, "plots.toml", read)?;
        let study = Study {
            name: name.into(),
            is_live: false,
            head,
            tables,
            claims: claims.claim.into_iter().flat_map(expand).collect(),
            assumptions: assumptions.assumption,
            together: assumptions.together,
            comparisons: comparisons.comparison,
            findings: findings.finding,
            figures: figures.figure,
            plots: plots.plot,
        };
        study.check()?;
        Ok(study)
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

    /// The names of cells and claims that the quick subset judges.
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

    /// Whether the files fit together.
    fn check(&self) -> Result<(), Error> {
        let wrong = |(file, message): (&str, String)| Error::Data { file: format!("{}/{file}", self.name), message };
        let cards: BTreeSet<&str> = self.head.cards.iter().map(|card| card.id.as_str()).collect();
        if cards.len() != self.head.cards.len() {
            return Err(wrong(("study.toml", "two cards have the same name".into())));
        }
        let scenarios: Vec<&String> =
            self.head.axes.iter().flat_map(|axis| &axis.values).filter_map(|value| value.scenario.as_ref()).collect();
        if let Some(meant) =
            self.head.meant.iter().find(|meant| {
                !scenarios.contains(&&meant.scenario) || meant.warning.is_empty() || meant.reason.is_empty()
            })
        {
            let message = format!("a warning that is meant needs a scenario of an axis, words and a reason: {meant:?}");
            return Err(wrong(("study.toml", message)));
        }
        for card in &self.head.cards {
            if let (Some(table), Some(file)) = (self.tables.get(&card.id), &card.table) {
                self.check_table(table).map_err(|message| wrong((file, message)))?;
            }
        }
        self.check_claims(&cards).map_err(|message| wrong(("claims.toml", message)))?;
        self.check_assumptions(&cards).map_err(|message| wrong(("assumptions.toml", message)))?;
        self.check_together(&cards).map_err(|message| wrong(("assumptions.toml", message)))?;
        self.check_comparisons(&cards).map_err(|message| wrong(("comparisons.toml", message)))?;
        self.check_figures(&cards).map_err(|message| wrong(("figures.toml", message)))?;
        self.check_plots(&cards).map_err(|message| wrong(("plots.toml", message)))?;
        self.check_findings().map_err(|message| wrong(("findings.toml", message)))
    }

    fn check_table(&self, table: &Table) -> Result<(), String> {
        table.check_layout()?;
        let mut labels = BTreeSet::new();
        for row in &table.rows {
            if !labels.insert(&row.label) {
                return Err(format!("two rows are named \"{}\"", row.label));
            }
            let columns = row.columns.unwrap_or(table.columns.len());
            if columns > table.columns.len() {
                return Err(format!("row \"{}\" has more columns than there are", row.label));
            }
            if row.published.len() != columns || row.tolerance.len() != columns {
                return Err(format!("row \"{}\" does not have one number and tolerance per column", row.label));
            }
            if let Some(tolerance) = row.tolerance.iter().find(|tolerance| table.tolerance(tolerance).is_none()) {
                return Err(format!("row \"{}\": there is no tolerance \"{tolerance}\"", row.label));
            }
            for column in table.columns_of(row) {
                self.points(&merged(&row.at, &column.at))
                    .map_err(|message| format!("row \"{}\", column \"{}\": {message}", row.label, column.label))?;
            }
        }
        Ok(())
    }

    fn check_claims(&self, cards: &BTreeSet<&str>) -> Result<(), String> {
        let mut ids = BTreeSet::new();
        for claim in &self.claims {
            let wrong = |message: String| Err(format!("claim \"{}\"{message}", claim.id));
            if !ids.insert(&claim.id) {
                return Err(format!("two claims are named \"{}\"", claim.id));
            }
            if !cards.contains(claim.card.as_str()) {
                return wrong(format!(": there is no card \"{}\"", claim.card));
            }
            self.check_predicate(&claim.test).map_err(|message| format!("claim \"{}\"{message}", claim.id))?;
            let without = claim.test.holds_without_effect(claim.absent);
            match (claim.absent, claim.equality, without) {
                (Some(_), _, None) => return wrong(": `absent` belongs to a bound or a range".into()),
                (Some(value), false, Some(true)) => {
                    return wrong(format!(": it would hold without its effect, with {value}"));
                }
                (_, true, Some(false)) => {
                    return wrong(": it says that there is no difference, and fails of none".into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What is wrong with a predicate, for behind the name of what it belongs to.
    fn check_predicate(&self, test: &Predicate) -> Result<(), String> {
        if let Predicate::Order { of, .. } | Predicate::BestDiffers { of, .. } = test
            && of.len() < 2
        {
            return Err(": an order needs two quantities".into());
        }
        if test.quantities().is_empty() {
            return Err(": it compares nothing".into());
        }
        for quantity in test.quantities() {
            for at in quantity.all_at() {
                self.points(&at).map_err(|message| format!(", {}: {message}", quantity.label))?;
            }
            if quantity.statistic != Statistic::Mean && !test.asks_for_statistic() {
                return Err(": it does not ask for a statistic of the seeds".into());
            }
            if matches!(test, Predicate::Within { confident: true, .. })
                && (quantity.ways() > 0 || quantity.statistic != Statistic::Mean)
            {
                return Err(format!(", {}: only a mean has a confidence interval", quantity.label));
            }
            if quantity.ways() > 1 || (quantity.ways() > 0 && !test.asks_for_statistic()) {
                return Err(format!(
                    ", {}: it is made of means in one way at most, where means are compared",
                    quantity.label
                ));
            }
            if matches!(test, Predicate::Points { .. })
                && (quantity.apart_from.is_none() || quantity.statistic != Statistic::Mean)
            {
                return Err(format!(", {}: points are compared with those in `apart_from`, as means", quantity.label));
            }
            let along = match test {
                Predicate::BestDiffers { along, .. } => Some(along.as_str()),
                _ => quantity.along(),
            };
            if along.is_some_and(|axis| quantity.at.get(axis).is_none_or(|values| values.values().len() < 2)) {
                return Err(format!(", {}: it needs two values on the axis", quantity.label));
            }
        }
        Ok(())
    }

    fn check_assumptions(&self, cards: &BTreeSet<&str>) -> Result<(), String> {
        for assumption in &self.assumptions {
            let id = &assumption.id;
            if !cards.contains(assumption.card.as_str()) {
                return Err(format!("assumption \"{id}\": there is no card \"{}\"", assumption.card));
            }
            let judged = assumption.alternatives.iter().flat_map(|alternative| &alternative.judged);
            if let Some(card) = judged.into_iter().find(|card| !cards.contains(card.as_str())) {
                return Err(format!("assumption \"{id}\": there is no card \"{card}\" to judge again"));
            }
            if assumption.on.iter().flat_map(|group| &group.alternatives).any(|of| !of.judged.is_empty() || of.beside) {
                return Err(format!(
                    "assumption \"{id}\": a card is judged with alternatives that make sense on all of it"
                ));
            }
            if let Some(of) = assumption.alternatives.iter().find(|of| of.beside && of.judged.is_empty()) {
                return Err(format!("assumption \"{id}\", {}: with no card judged it stands beside nothing", of.label));
            }
            for group in &assumption.on {
                self.points(&group.at).map_err(|message| format!("assumption \"{id}\", {}: {message}", group.label))?;
            }
        }
        Ok(())
    }

    /// Alternatives that are tried together: they are there, and cards are judged with them.
    fn check_together(&self, cards: &BTreeSet<&str>) -> Result<(), String> {
        let mut ids: BTreeSet<&str> = self.assumptions.iter().map(|assumption| assumption.id.as_str()).collect();
        for together in &self.together {
            let wrong = |message: String| Err(format!("together \"{}\": {message}", together.id));
            if !ids.insert(&together.id) {
                return wrong("an assumption or another one has this name".into());
            }
            if let Some(name) = together.of.iter().find(|name| alternative(&self.assumptions, name).is_none()) {
                return wrong(format!("there is no alternative \"{name}\"; it is written assumption/label"));
            }
            if together.of.len() < 2 || together.judged.is_empty() {
                return wrong("it needs two alternatives, and a card to judge".into());
            }
            if let Some(card) = together.judged.iter().find(|card| !cards.contains(card.as_str())) {
                return wrong(format!("there is no card \"{card}\" to judge again"));
            }
        }
        Ok(())
    }

    fn check_comparisons(&self, cards: &BTreeSet<&str>) -> Result<(), String> {
        let mut ids = BTreeSet::new();
        for comparison in &self.comparisons {
            let id = &comparison.id;
            if !ids.insert(id) {
                return Err(format!("two comparisons are named \"{id}\""));
            }
            if !cards.contains(comparison.card.as_str()) {
                return Err(format!("comparison \"{id}\": there is no card \"{}\"", comparison.card));
            }
            for row in &comparison.rows {
                self.points(&row.at).map_err(|message| format!("comparison \"{id}\", {}: {message}", row.label))?;
            }
        }
        Ok(())
    }

    fn check_figures(&self, cards: &BTreeSet<&str>) -> Result<(), String> {
        for figure in &self.figures {
            let id = &figure.id;
            if !cards.contains(figure.card.as_str()) {
                return Err(format!("figure \"{id}\": there is no card \"{}\"", figure.card));
            }
            for (label, at) in figure.all_runs() {
                let points = self.points(&at).map_err(|message| format!("figure \"{id}\": {message}"))?;
                if points.len() != 1 {
                    return Err(format!("figure \"{id}\": its run \"{label}\" is several"));
                }
            }
        }
        Ok(())
    }

    fn check_plots(&self, cards: &BTreeSet<&str>) -> Result<(), String> {
        for plot in &self.plots {
            let id = &plot.id;
            if !cards.contains(plot.card.as_str()) {
                return Err(format!("plot \"{id}\": there is no card \"{}\"", plot.card));
            }
            if plot.values().len() < 2 {
                return Err(format!("plot \"{id}\": it needs two values on the axis \"{}\"", plot.over));
            }
            if let Some(value) = plot.values().iter().find(|value| value.parse::<f64>().is_err()) {
                return Err(format!("plot \"{id}\": \"{value}\" is no number, and has no place on an axis"));
            }
            if plot.curves.len() > MOST_CURVES {
                return Err(format!("plot \"{id}\": more than {MOST_CURVES} curves cannot be told apart"));
            }
            for at in plot.all_at() {
                self.points(&at).map_err(|message| format!("plot \"{id}\": {message}"))?;
            }
        }
        Ok(())
    }

    /// Every finding covers something, or is about a card and has experiments, whose points there are.
    fn check_experiments(&self) -> Result<(), String> {
        for finding in &self.findings {
            let id = &finding.id;
            if finding.is_reading() && (finding.card.is_none() || finding.experiments.is_empty()) {
                return Err(format!("finding {id} covers nothing: it needs a card and an experiment"));
            }
            if let Some(card) = finding.card.as_ref().filter(|card| self.head.cards.iter().all(|of| of.id != **card)) {
                return Err(format!("finding {id}: there is no card \"{card}\""));
            }
            for experiment in &finding.experiments {
                let of = |message: String| format!("finding {id}, experiment \"{}\"{message}", experiment.label);
                for row in &experiment.rows {
                    self.points(&row.at).map_err(|message| of(format!(", {}: {message}", row.label)))?;
                }
                experiment.test.iter().try_for_each(|test| self.check_predicate(test)).map_err(of)?;
            }
        }
        Ok(())
    }

    fn check_findings(&self) -> Result<(), String> {
        self.check_experiments()?;
        let (judged, quickly) = (self.judged(), self.judged_quickly());
        for quick in [false, true] {
            let mut covered = BTreeSet::new();
            for finding in &self.findings {
                if let Some(id) = finding.about.iter().find(|id| !judged.contains(*id)) {
                    return Err(format!("finding {}: there is no \"{id}\"", finding.id));
                }
                for id in finding.covered(quick) {
                    if !judged.contains(id) {
                        return Err(format!("finding {}: there is no \"{id}\"", finding.id));
                    }
                    if !covered.insert(id) {
                        return Err(format!("\"{id}\" is covered twice"));
                    }
                }
                // What --quick leaves out is examined by the whole study only: `covers` says that already.
                let mut partial = finding.quick_only.iter().chain(&finding.whole_only);
                if let Some(id) = partial.find(|id| !quickly.contains(*id)) {
                    return Err(format!(
                        "finding {}: \"{id}\" is not in the quick subset; name it in covers",
                        finding.id
                    ));
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
        one.tally = instance.tally.or(claim.tally);
        for quantity in one.test.quantities_mut() {
            quantity.at = merged(&instance.at, &quantity.at);
        }
        one
    };
    claim.each.iter().map(instance_of).collect()
}

/// A file that a study may do without.
fn parse_if_there<T: DeserializeOwned + Default>(
    study: &str,
    file: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<T, Error> {
    if read(file).is_some() { parse_file(study, file, read) } else { Ok(T::default()) }
}

fn parse_file<T: DeserializeOwned>(study: &str, file: &str, read: &dyn Fn(&str) -> Option<String>) -> Result<T, Error> {
    let wrong = |message| Error::Data { file: format!("{study}/{file}"), message };
    let text = read(file).ok_or_else(|| wrong("the file is missing".into()))?;
    toml::from_str(&text).map_err(|error| wrong(error.to_string()))
}
