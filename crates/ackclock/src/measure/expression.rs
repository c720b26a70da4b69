//! The language of measures: one number of a run, written as a user writes it.
//!
//! ```text
//! NAME                      a number of the network, or of all flows: counts are added up, everything else is averaged
//! NAME(a b c*)              of these flows, sources or ports, by name (`*` stands for anything) or group
//! FUNCTION(NAME)            sum, mean, least, largest, range, deviation or jain over all flows, or all ports
//! FUNCTION(NAME: a b c*)    over these
//! share(NAME: a b c*)       their sum in parts of the sum over everything that has the number: flows and sources, or ports
//! ratio(NAME: a b / c d)    the value of some over that of others
//! jain(NAME: a 1 b 2)       Jain's index over these, each in parts of its weight
//! misallocation(NAME: a 1 b 2) the sum of the distances of these from shares in proportion to the weights
//! p95(TIMES), p50(TIMES: a) a percentile of times, as of one-way-delay, round-trip, jitter and queueing-delay
//! p95(NAME), p50(NAME: a*)  a percentile of the values of flows, or of ports
//! web[10kB..1MB]            in place of a name: of these the files of such sizes
//! ...(..., 2 to 5 s)        in a part of the run; `, whole run` and `, after warm-up` are the other times
//! ```

use std::collections::BTreeSet;
use std::fmt;

use super::names::split;
use super::{Combine, Need, Over, Part, Period, Quantity, Range, Run};
use crate::record::Metric;
use crate::scenario::Scenario;

/// One number of a run.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    what: What,
    of: Quantity,
    /// Of which; none: of all.
    names: Vec<String>,
    when: Option<When>,
}

/// Over which time, if not that which counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Period(Period),
    Part(Part),
}

impl When {
    const PERIODS: [(&str, When); 2] =
        [("whole run", When::Period(Period::Whole)), ("after warm-up", When::Period(Period::Measured))];

    fn named(text: &str) -> Result<When, ExpressionError> {
        let text = text.trim();
        let period = When::PERIODS.iter().find(|(name, _)| *name == text).map(|(_, when)| *when);
        period.or_else(|| Part::named(text).map(When::Part)).ok_or_else(|| {
            let wrong = format!("`{text}` is no part of a run: write `2 to 5 s`, `whole run` or `after warm-up`");
            error(wrong, text, When::PERIODS.map(|(name, _)| name.to_owned()))
        })
    }
}

/// What is made of the values.
#[derive(Clone, Debug, PartialEq)]
enum What {
    /// Counts are added up, everything else is averaged.
    Plain,
    Combined(Combine),
    /// The sum, in parts of the sum over everything that has the number, so that shares of all add up to 1.
    Share,
    /// Over the value of others.
    Ratio(Vec<String>),
    /// So many parts of a thousand of the times are at most that.
    Quantile(u32),
    /// Jain's index of the values in parts of these weights.
    WeightedJain(Vec<u32>),
    /// The sum of the distances from shares in proportion to these weights.
    Misallocation(Vec<u32>),
}

/// Why a text is no expression, or has no meaning in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// One sentence that says what is wrong, without a remedy.
    pub wrong: String,
    /// The word that is wrong, and what it could have been, for a suggestion of what is spelled alike.
    pub word: String,
    /// What could stand there instead; empty where that is no name.
    pub known: Vec<String>,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.wrong)
    }
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// If it is none: what is wrong.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        let text = text.trim();
        let Some((head, rest)) = text.split_once('(') else {
            return Expression::new(text, What::Plain, text, "", None);
        };
        let inside = rest.strip_suffix(')').filter(|inside| !inside.contains(['(', ')']));
        let Some(inside) = inside else {
            return Err(error(format!("{text:?} has a parenthesis that is not closed, or more than one"), text, []));
        };
        let head = head.trim();
        let (inside, when) = match inside.rsplit_once(',') {
            Some((inside, when)) => (inside, Some(When::named(when)?)),
            // NAME(2 to 5 s): of all flows.
            None => When::named(inside).map_or((inside, None), |when| ("", Some(when))),
        };
        if inside.trim().is_empty() && when.is_none() {
            return Err(error(format!("nothing stands in the parentheses of {text:?}"), head, []));
        }
        let (name, names) = inside.split_once(':').unwrap_or((inside, ""));
        let what = match head {
            "share" | "ratio" if names.trim().is_empty() => {
                let wrong = format!("{head} needs a number and names, as in {}", example(head));
                return Err(error(wrong, head, []));
            }
            "share" => What::Share,
            "ratio" => {
                let Some((upper, lower)) = names
                    .split_once('/')
                    .filter(|(upper, lower)| [upper, lower].iter().all(|side| !side.trim().is_empty()))
                else {
                    return Err(error(format!("ratio needs two sides, as in {}", example(head)), head, []));
                };
                return Expression::new(text, What::Ratio(words(lower)), name, upper, when);
            }
            "jain" | "misallocation" if head != "jain" || looks_weighted(names) => {
                let Some((names, weights)) = weights(names) else {
                    let wrong = format!(
                        "{head} needs names of single flows, each once with a whole number from 1 on, as in {}",
                        example(head)
                    );
                    return Err(error(wrong, head, []));
                };
                let what = if head == "jain" { What::WeightedJain(weights) } else { What::Misallocation(weights) };
                return Expression::new(text, what, name, &names, when);
            }
            _ => match (Combine::named(head), quantile(head)) {
                (Some(combine), _) => What::Combined(combine),
                (None, Some(per_mille)) => What::Quantile(per_mille),
                (None, None) => return Expression::new(text, What::Plain, head, inside, when),
            },
        };
        Expression::new(text, what, name, names, when)
    }

    fn new(text: &str, what: What, name: &str, names: &str, when: Option<When>) -> Result<Expression, ExpressionError> {
        let (name, names) = (name.trim(), words(names));
        let is_whole = what == What::Plain && names.is_empty();
        let found = if is_whole { Quantity::named(name) } else { Quantity::of_several(name) };
        let Some(of) = found else {
            let (wrong, known) = match Quantity::named(name) {
                Some(_) => (format!("`{name}` is a number of the whole network, not of single flows"), Vec::new()),
                None => {
                    let functions =
                        Combine::NAMES.iter().map(|(name, _)| *name).chain(["share", "ratio", "misallocation"]);
                    let known = Quantity::names().chain(functions.filter(|_| what == What::Plain));
                    (format!("there is no measure `{name}`"), known.map(str::to_owned).collect())
                }
            };
            return Err(error(wrong, name, known));
        };
        let is_of_times = matches!(of, Quantity::Times(_));
        let lower: &[String] = if let What::Ratio(lower) = &what { lower } else { &[] };
        let no_sizes = names.iter().chain(lower).find_map(|name| split(name).err());
        let wrong = match &what {
            _ if no_sizes.is_some() => no_sizes,
            _ if matches!(when, Some(When::Part(_))) && !of.has_parts() => Some(format!(
                "`{name}` has no value in a part of a run: {} have one",
                Quantity::names()
                    .filter(|name| Quantity::of_several(name).is_some_and(Quantity::has_parts))
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
            _ if when == Some(When::Period(Period::Whole)) && is_of_times => {
                Some(format!("`{name}` is counted after the warm-up only"))
            }
            What::Plain | What::Share | What::Ratio(_) | What::WeightedJain(_) | What::Misallocation(_)
                if is_of_times =>
            {
                Some(format!("`{name}` are many times: write mean({name}), p95({name}) or the like"))
            }
            What::Combined(Combine::Sum | Combine::Jain | Combine::Range) if is_of_times => {
                Some(format!("of `{name}` there are mean, least, largest, deviation and percentiles"))
            }
            _ => None,
        };
        match wrong {
            Some(wrong) => Err(error(wrong, name, [])),
            None => Ok(Expression { text: text.to_owned(), what, of, names, when }),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The unit of the number; empty of shares, quotients and counts. `units` are cells or packets.
    pub fn unit(&self) -> &'static str {
        match self.what {
            What::Share | What::Ratio(_) | What::Combined(Combine::Jain) | What::WeightedJain(_) => "",
            What::Plain | What::Combined(_) | What::Quantile(_) | What::Misallocation(_) => self.of.unit(),
        }
    }

    /// Which numbers can be compared with one another, in a word: those of the same function where that makes something else of values, and
    /// of the same unit, or of the same measure where that has none.
    pub fn kind(&self) -> &'static str {
        match self.what {
            What::Share => "share",
            What::Ratio(_) => "ratio",
            What::WeightedJain(_) | What::Combined(Combine::Jain) => "fairness",
            What::Misallocation(_) => "misallocation",
            What::Combined(combine) => combine.name(),
            What::Plain | What::Quantile(_) => match self.of.unit() {
                "" | "fraction" => self.of.name(),
                unit => unit,
            },
        }
    }

    /// What the number can be.
    pub fn range(&self) -> Range {
        match self.what {
            What::Share => Range::Share,
            What::WeightedJain(_) => Range::Index,
            What::Ratio(_) | What::Misallocation(_) => Range::AtLeast0,
            What::Combined(combine) => combine.range(self.of.range()),
            What::Plain if self.of.over() == Over::Sum => Range::AtLeast0,
            What::Plain | What::Quantile(_) => self.of.range(),
        }
    }

    /// What it is about, in one sentence.
    pub fn about(&self) -> &'static str {
        self.of.about()
    }

    /// What has to be recorded over time for it.
    pub fn series(&self) -> Vec<Metric> {
        let needs = self.of.needs(matches!(self.when, Some(When::Part(_)))).iter();
        needs.filter_map(|need| if let Need::Series(metric) = need { Some(*metric) } else { None }).collect()
    }

    /// What is wrong with the part of a run that it is about, in a scenario; `None` if nothing is.
    pub fn misplaced(&self, scenario: &Scenario) -> Option<String> {
        let Some(When::Part(part)) = self.when else { return None };
        let (interval, duration) = (scenario.recording.interval, scenario.duration);
        if part.is_beyond(duration) {
            return Some(format!("it ends after the run, which lasts {} s", duration.as_secs_f64()));
        }
        let is_counted = self.of.needs(true).is_empty();
        (!is_counted && !part.is_of(interval, duration))
            .then(|| format!("it does not consist of intervals of the record, {} s long", interval.as_secs_f64()))
    }

    /// What a scenario does not record and it needs.
    pub fn not_recorded(&self, scenario: &Scenario) -> Vec<Need> {
        let needs = self.of.needs(matches!(self.when, Some(When::Part(_))));
        needs.iter().copied().filter(|need| !need.is_met(scenario)).collect()
    }

    /// The names of flows, sources, ports and groups that nothing of a scenario has.
    pub fn unknown_names(&self, scenario: &Scenario) -> Vec<&str> {
        let lower: &[String] = if let What::Ratio(lower) = &self.what { lower } else { &[] };
        let names = self.names.iter().chain(lower).map(String::as_str);
        // A weight is that of a single flow: a group has none.
        let is_weighted = matches!(self.what, What::WeightedJain(_) | What::Misallocation(_));
        let is_single = |name: &str| {
            !is_weighted
                || self.of.is_of_ports()
                || scenario.flows.iter().any(|flow| flow.name == name)
                || scenario.udp.iter().any(|source| source.name == name)
        };
        names.filter(|name| !self.of.knows(scenario, name) || !is_single(name)).collect()
    }

    /// What there is in a scenario of which it could be.
    pub fn known_names(&self, scenario: &Scenario) -> Vec<String> {
        if self.of.is_of_ports() {
            return scenario.links.iter().map(|link| link.name.clone()).collect();
        }
        let groups = scenario.flows.iter().filter_map(|flow| flow.group.as_deref().map(str::to_owned));
        let flows = scenario.flows.iter().map(|flow| flow.name.clone());
        let mut all: Vec<String> = groups.chain(flows).chain(scenario.udp.iter().map(|of| of.name.clone())).collect();
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|name| seen.insert(name.clone()));
        all
    }

    /// Its value in a run; `None` where it has none: nothing has these names, something was not recorded, or it would be divided by
    /// zero.
    pub fn value(&self, run: &Run<'_>) -> Option<f64> {
        let other;
        let (run, part) = match self.when {
            None => (run, None),
            Some(When::Part(part)) => (run, Some(part)),
            Some(When::Period(period)) => {
                other = run.over(period);
                (&other, None)
            }
        };
        let values = |names: &[String]| self.of.values(run, names, part);
        let value = match &self.what {
            What::Quantile(per_mille) if !matches!(self.of, Quantity::Times(_)) => {
                self.of.quantile(run, &self.names, part, *per_mille)
            }
            What::Quantile(per_mille) => {
                self.of.times(run, &self.names)?.quantile(*per_mille).map(|time| time.as_secs_f64())
            }
            What::Combined(combine) if matches!(self.of, Quantity::Times(_)) => {
                let times = self.of.times(run, &self.names)?;
                match combine {
                    Combine::Mean => times.mean_s(),
                    Combine::Least => times.min().map(|time| time.as_secs_f64()),
                    Combine::Largest => times.max().map(|time| time.as_secs_f64()),
                    Combine::Deviation => times.deviation_s(),
                    Combine::Sum | Combine::Jain | Combine::Range => None,
                }
            }
            // Of one port there would be nothing to combine.
            What::Combined(combine) if self.names.is_empty() && self.of.is_of_ports() => {
                combine.of(&values(&["*".to_owned()])?)
            }
            What::Combined(combine) => combine.of(&values(&self.names)?),
            What::Plain => self.plain(&values(&self.names)?),
            What::Share => {
                let sum = |names: &[String]| Combine::Sum.of(&values(names)?);
                quotient(sum(&self.names)?, sum(&["*".to_owned()])?)
            }
            What::Ratio(lower) => quotient(self.plain(&values(&self.names)?)?, self.plain(&values(lower)?)?),
            What::WeightedJain(weights) | What::Misallocation(weights) => {
                // One by one: each has its weight.
                let one = |name: &String| match values(std::slice::from_ref(name))?[..] {
                    [value] => Some(value),
                    _ => None,
                };
                let values: Vec<f64> = self.names.iter().map(one).collect::<Option<_>>()?;
                let weights = weights.iter().copied().map(f64::from);
                match self.what {
                    What::Misallocation(_) => Some(misallocation(&values, weights)),
                    _ => Combine::Jain.of(&values
                        .iter()
                        .zip(weights)
                        .map(|(value, weight)| value / weight)
                        .collect::<Vec<_>>()),
                }
            }
        };
        value.filter(|value| value.is_finite())
    }

    /// The values of several as one.
    fn plain(&self, values: &[f64]) -> Option<f64> {
        match self.of.over() {
            Over::Sum => Combine::Sum.of(values),
            Over::Mean => Combine::Mean.of(values),
            Over::Largest => Combine::Largest.of(values),
        }
    }
}

/// The sum of how far each is from its share of what they have together, in proportion to the weights.
fn misallocation(values: &[f64], weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let (together, all) = (values.iter().sum::<f64>(), weights.clone().sum::<f64>());
    values.iter().zip(weights).map(|(value, weight)| (value - together * weight / all).abs()).sum()
}

/// Whether every second word is a number.
fn looks_weighted(names: &str) -> bool {
    let words = words(names);
    words.len() >= 2 && words.iter().skip(1).step_by(2).all(|word| word.parse::<f64>().is_ok())
}

/// `a 1 b 2`: names, each once, and their weights.
fn weights(text: &str) -> Option<(String, Vec<u32>)> {
    let words = words(text);
    let pairs = words.chunks(2).map(|pair| match pair {
        [name, weight] => Some((name.as_str(), weight.parse::<u32>().ok().filter(|weight| *weight > 0)?)),
        _ => None,
    });
    let (names, weights): (Vec<&str>, Vec<u32>) = pairs.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let each_once = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let are_single = names.iter().all(|name| !name.contains('*'));
    (!names.is_empty() && each_once && are_single).then(|| (names.join(" "), weights))
}

fn quotient(upper: f64, lower: f64) -> Option<f64> {
    (lower != 0.0).then(|| upper / lower)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// `p95` are 950 of a thousand, `p99.9` are 999.
fn quantile(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('p').filter(|text| text.chars().all(|c| c.is_ascii_digit() || c == '.'))?;
    let percent: f64 = digits.parse().ok()?;
    let per_mille = (percent * 10.0).round();
    ((percent * 10.0 - per_mille).abs() < 1e-9 && (1.0..1000.0).contains(&per_mille)).then_some(per_mille as u32)
}

fn example(function: &str) -> &'static str {
    match function {
        "share" => "share(goodput: f1)",
        "misallocation" => "misallocation(sent: f1 1 f2 2)",
        "jain" => "jain(sent: f1 1 f2 2)",
        _ => "ratio(goodput: f1 / f2)",
    }
}

fn error(wrong: String, word: &str, known: impl IntoIterator<Item = String>) -> ExpressionError {
    ExpressionError { wrong, word: word.to_owned(), known: known.into_iter().collect() }
}
