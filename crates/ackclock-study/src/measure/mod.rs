//! Metrics: the numbers of runs that a study judges. Most are measures, which `docs/measures.md` has; a few are a study's own.

mod abr;
mod checksums;
mod own;
mod parameters;
mod sack;
mod timeouts;

use std::collections::{BTreeMap, BTreeSet};

use ackclock::measure::{Expression, Period, Run};
use ackclock::record::Records;
use ackclock::scenario::{Scenario, Technology};
use serde::{Deserialize, Serialize};

pub(crate) use own::handovers;
use own::{Own, Recorded};

use crate::kernel::Exactness;

/// A metric in study data: `efficiency`, a measure of the whole run (`sent(s1)`, `sum(goodput, after warm-up)`), or a number that only
/// studies have (`sack-left(s1: 2)`).
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct MetricName {
    text: String,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Goodput of all flows over a capacity, which the table or the study has.
    Efficiency,
    Measure(Expression),
    Own(&'static Own, String),
}

impl TryFrom<String> for MetricName {
    type Error = String;
    fn try_from(text: String) -> Result<MetricName, String> {
        let own = Own::find(&text).map(|(own, of)| What::Own(own, of.to_owned()));
        let what = match own {
            _ if text == "efficiency" => What::Efficiency,
            Some(own) => own,
            None => What::Measure(Expression::parse(&text).map_err(|error| format!("{text:?} is no metric: {error}"))?),
        };
        Ok(MetricName { text, what })
    }
}

impl MetricName {
    /// A metric that is spelled right.
    pub fn known(text: &str) -> MetricName {
        MetricName::try_from(text.to_owned()).expect("it is known")
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The metric, with what counts as an efficiency of 1.
    pub fn with(&self, capacity_bps: f64) -> Metric {
        match self.what {
            What::Efficiency => Metric::efficiency(capacity_bps, false),
            _ => Metric { of: self.clone(), capacity_bps: None },
        }
    }

    /// Which numbers of a table can be compared with one another, in a word: a sum and a range of rates cannot.
    pub fn kind(&self) -> &'static str {
        match &self.what {
            What::Efficiency => "efficiency",
            What::Measure(expression) => in_a_word(expression.kind()),
            What::Own(own, of) => in_a_word(own.kind(of)),
        }
    }
}

/// What numbers of a unit are.
fn in_a_word(kind: &'static str) -> &'static str {
    match kind {
        "bit/s" => "rate",
        "s" => "time",
        "units" => "queue",
        other => other,
    }
}

/// A metric, ready to be taken from a row.
#[derive(Clone, Debug)]
pub(crate) struct Metric {
    of: MetricName,
    /// What it is divided by.
    capacity_bps: Option<f64>,
}

impl Metric {
    /// Goodput of all flows, of the whole run or after the warm-up, over a capacity.
    pub fn efficiency(capacity_bps: f64, after_warmup: bool) -> Metric {
        let goodput = if after_warmup { "sum(goodput, after warm-up)" } else { "sum(goodput)" };
        Metric { of: MetricName::known(goodput), capacity_bps: Some(capacity_bps) }
    }

    /// What a row has to have for it.
    pub fn needs(&self) -> &str {
        &self.of.text
    }

    /// The smallest and the largest value that it can have.
    pub fn bounds(&self) -> (f64, f64) {
        match &self.of.what {
            // Of a study's index the number of flows is not known.
            What::Measure(expression) => match expression.range().limits(usize::MAX) {
                (least, most) if most == 1.0 => (least.floor(), most),
                limits => limits,
            },
            What::Own(own, _) => own.bounds,
            What::Efficiency => (0.0, f64::INFINITY),
        }
    }

    /// Its value in a run; `None` where it has no meaning.
    pub fn value(&self, row: &Row) -> Option<f64> {
        let value = row.values.get(self.needs()).copied().flatten()?;
        Some(self.capacity_bps.map_or(value, |capacity| value / capacity))
    }

    /// The unit of its values in a run, as [`Scale::fitting`](ackclock_report::page::number::Scale::fitting) knows it; empty of
    /// shares, quotients and the like.
    pub fn unit<'a>(&self, row: &'a Row) -> &'a str {
        let unit = match &self.of.what {
            _ if self.capacity_bps.is_some() => "",
            What::Efficiency => "",
            What::Measure(expression) => expression.unit(),
            What::Own(own, of) => own.unit(of),
        };
        match unit {
            "units" => &row.queue_unit,
            "fraction" => "",
            unit => unit,
        }
    }
}

/// What is kept of a run: the value of each metric that the study has, by its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// What waits at ports: cells or packets.
    pub queue_unit: String,
    pub values: BTreeMap<String, Option<f64>>,
    /// Of a live run, how exact it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Exactness>,
}

impl Row {
    /// Of a run of this scenario.
    pub fn of<'m>(records: &Records, scenario: &Scenario, metrics: impl IntoIterator<Item = &'m Metric>) -> Row {
        let recorded = Recorded::of(Run::new(scenario, records, Period::Whole));
        let value = |metric: &Metric| match &metric.of.what {
            What::Measure(expression) => expression.value(&recorded.run),
            What::Own(own, of) => (own.of)(&recorded, of).filter(|value| value.is_finite()),
            What::Efficiency => None,
        };
        let queue_unit = match scenario.technology {
            Technology::Atm { .. } => "cells",
            Technology::Packet { .. } => "packets",
        };
        let values = metrics.into_iter().map(|metric| (metric.needs().to_owned(), value(metric))).collect();
        Row { queue_unit: queue_unit.into(), values, live: None }
    }

    /// Whether it has all of these.
    pub fn has(&self, metrics: &BTreeSet<String>) -> bool {
        metrics.iter().all(|metric| self.values.contains_key(metric))
    }
}

#[cfg(test)]
mod tests;
