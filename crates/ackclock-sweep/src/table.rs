//! The table of a sweep: one row for each run, with a column for each key that changes, for the seed, and for each number.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use ackclock_columns::csv::field;
use ackclock_columns::{Kind, Values, cause};

use crate::metrics::METRICS;
use crate::plan::{About, Key, Plan};
use crate::results::pooled::POOLED;
use crate::results::{Results, Status};
use crate::summary::{self, Baseline, Method};

#[derive(Clone, Debug)]
struct Column {
    name: String,
    unit: String,
    about: String,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Seed,
    /// The values of the n-th key as scenario files spell them.
    Text(usize),
    /// The values of the n-th key as numbers.
    Number(usize),
    /// `finished`, or why there are no numbers.
    Status,
    /// The port that limits.
    Port,
    /// The n-th metric.
    Metric(usize),
}

/// The columns of a table. Metrics that no run has are left out.
fn columns(results: &Results) -> Vec<Column> {
    let plan = results.plan();
    let mut columns = Vec::new();
    for (place, key) in plan.keys().enumerate() {
        columns.extend(columns_of(place, key));
    }
    columns.push(Column {
        name: "seed".into(),
        unit: String::new(),
        about: "The seed of the run. Runs of equal seeds have common random numbers.".into(),
        what: What::Seed,
    });
    columns.push(Column {
        name: "status".into(),
        unit: String::new(),
        about: "`finished`, or why there are no numbers.".into(),
        what: What::Status,
    });
    if results.runs().any(|run| results.port(run).is_some()) {
        columns.push(Column { name: PORT.0.into(), unit: String::new(), about: PORT.1.into(), what: What::Port });
    }
    // A number that every row has may be asked for, too: it has one column.
    let is_first = |place: usize, name: &str| plan.place_of(name) == Some(place);
    let metrics = plan.metrics.iter().enumerate();
    for (place, name) in metrics.filter(|(place, name)| results.has(*place) && is_first(*place, name)) {
        let About { unit, about, .. } = plan.about(place);
        let unit = if unit == "units" { plan.unit.clone() } else { unit.to_owned() };
        let about = if place < METRICS.len() { about.to_owned() } else { format!("{name}: {about}") };
        columns.push(Column { name: identifier(name), unit, about, what: What::Metric(place) });
    }
    unique(&mut columns);
    columns
}

/// A key whose values are numbers has a column of them, with the unit in its name; otherwise one of texts.
fn columns_of(place: usize, key: &Key) -> Option<Column> {
    let name = identifier(&key.path);
    let about = format!("The key {} of the scenario.", key.path);
    let column = |name, unit: &str, what| Some(Column { name, unit: unit.into(), about: about.clone(), what });
    match &key.numbers {
        Some(_) if key.unit.is_empty() => column(name, "", What::Number(place)),
        Some(_) => column(format!("{name}_{}", key.unit), &key.unit, What::Number(place)),
        None => column(name, "", What::Text(place)),
    }
}

/// A name that every reader of tables takes: letters, digits and underscores, as in `share_goodput_new`.
pub(crate) fn identifier(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Names that are equal by chance get numbers.
fn unique(columns: &mut [Column]) {
    let mut seen = BTreeSet::new();
    for column in columns {
        let name = column.name.clone();
        let mut number = 2;
        while !seen.insert(column.name.clone()) {
            column.name = format!("{name}_{number}");
            number += 1;
        }
    }
}

/// A column with its values, in the order of the runs.
#[derive(Debug)]
pub struct Filled<'a> {
    /// Its name.
    pub name: String,
    /// The unit; empty for counts, shares and names.
    pub unit: String,
    /// What it means.
    pub about: String,
    /// Whether it is a measure that was asked for.
    pub is_asked: bool,
    /// Texts, numbers, or numbers some of which are not there.
    pub values: Values<'a>,
}

/// The columns of the table with their values.
pub fn filled(results: &Results) -> Vec<Filled<'_>> {
    let (plan, runs) = (results.plan(), results.runs().collect::<Vec<_>>());
    let keys: Vec<&Key> = plan.keys().collect();
    let filled = |Column { name, unit, about, what }| {
        let values = values(results, &keys, what, &runs);
        Filled { name, unit, about, is_asked: is_asked(what), values }
    };
    columns(results).into_iter().map(filled).collect()
}

/// The means of the points: the columns of keys, how many runs of each point were finished and failed, and of each number that some run has its
/// mean and the ends of the 95 % confidence interval.
pub fn means(results: &Results, method: Method) -> Vec<Filled<'_>> {
    let plan = results.plan();
    let points: Vec<usize> = (0..plan.points.len()).filter(|point| plan.points[*point].is_some()).collect();
    let runs: Vec<usize> = points.iter().map(|point| point * plan.seeds).collect();
    let keys: Vec<&Key> = plan.keys().collect();
    let count = |name: &str, about: &str, status| Filled {
        name: name.into(),
        unit: String::new(),
        about: about.into(),
        is_asked: false,
        values: Values::Whole(vec![
            points.iter().map(|point| summary::count(results, *point, status) as f64).collect(),
        ]),
    };
    let (mut filled, mut of_numbers) = (Vec::new(), Vec::new());
    for Column { name, unit, about, what } in columns(results) {
        match what {
            What::Text(_) | What::Number(_) => {
                filled.push(Filled { name, unit, about, is_asked: false, values: values(results, &keys, what, &runs) });
            }
            What::Metric(metric) => {
                let means: Vec<_> = points.iter().map(|point| summary::mean(results, *point, metric, method)).collect();
                let interval = |end: fn(ackclock::record::stats::Bounds) -> f64| {
                    means.iter().map(|mean| mean.as_ref().and_then(|mean| mean.interval).map(end)).collect()
                };
                let mean = means.iter().map(|mean| mean.as_ref().map(|mean| mean.mean)).collect();
                let mut column = |end: &str, about: String, values| {
                    of_numbers.push(Filled {
                        name: format!("{name}{end}"),
                        unit: unit.clone(),
                        about,
                        is_asked: is_asked(what),
                        values: Values::Optional(values),
                    });
                };
                column("", format!("Mean over the seeds. {about}"), mean);
                column(
                    "_low",
                    "Lower end of the 95 % confidence interval of the mean.".into(),
                    interval(|ends| ends.low),
                );
                column("_high", "Upper end of it.".into(), interval(|ends| ends.high));
            }
            What::Seed | What::Status | What::Port => {}
        }
    }
    filled.push(count("runs", "Runs that were finished.", Status::Finished));
    filled.push(count("failed", "Runs that failed.", Status::Failed));
    filled.extend(of_numbers);
    filled
}

fn is_asked(what: What) -> bool {
    matches!(what, What::Metric(metric) if metric >= METRICS.len())
}

/// Writes the table as Parquet. Its metadata have the unit and the meaning of each column.
pub fn parquet(results: &Results, file: impl Write + Send) -> io::Result<()> {
    let (plan, columns) = (results.plan(), columns(results));
    let kind = |what| match what {
        What::Seed => Kind::Whole,
        What::Text(_) | What::Status | What::Port => Kind::Text,
        What::Number(_) => Kind::Number,
        What::Metric(_) => Kind::Optional,
    };
    let named: Vec<(&str, Kind)> = columns.iter().map(|column| (column.name.as_str(), kind(column.what))).collect();
    let mut metadata: Vec<(String, String)> = vec![
        ("format_version".into(), plan.format_version.to_string()),
        ("version".into(), plan.ackclock.clone()),
        ("result_version".into(), plan.result_version.to_string()),
        ("scenario".into(), plan.scenario.clone()),
    ];
    for Column { name, unit, about, .. } in &columns {
        metadata.push((format!("column.{name}.unit"), unit.clone()));
        metadata.push((format!("column.{name}.about"), about.clone()));
    }
    let all: Vec<usize> = results.runs().collect();
    let groups: Vec<&[usize]> = all.chunks(GROUP_ROWS).collect();
    let keys: Vec<&Key> = plan.keys().collect();
    let values = |group: usize, column: usize| values(results, &keys, columns[column].what, groups[group]);
    ackclock_columns::write(file, "sweep", &named, metadata, groups.len(), values).map_err(cause)
}

fn values<'a>(results: &'a Results, keys: &[&'a Key], what: What, runs: &[usize]) -> Values<'a> {
    let plan = results.plan();
    match what {
        What::Seed => Values::Whole(vec![runs.iter().map(|run| plan.point_and_seed(*run).1 as f64).collect()]),
        What::Text(key) => {
            Values::Text(runs.iter().map(|run| keys[key].values[row(plan, *run, key)].as_str()).collect())
        }
        What::Number(key) => {
            Values::Number(vec![runs.iter().map(|run| keys[key].number(row(plan, *run, key))).collect()])
        }
        What::Status => Values::Text(runs.iter().map(|run| status(results, *run)).collect()),
        What::Port => Values::Text(runs.iter().map(|run| results.port(*run).unwrap_or_default()).collect()),
        What::Metric(metric) => Values::Optional(runs.iter().map(|run| results.number(*run, metric)).collect()),
    }
}

/// The number of the value that a key has in a run.
fn row(plan: &Plan, run: usize, key: usize) -> usize {
    plan.rows_at(run / plan.seeds)[key]
}

fn status(results: &Results, run: usize) -> &str {
    match results.status(run) {
        Status::Finished => "finished",
        Status::Missing => "missing",
        Status::Failed => results.failure(run).unwrap_or("failed"),
    }
}

/// Writes the table as CSV; what is not there is empty.
pub fn csv(results: &Results, mut file: impl Write) -> io::Result<()> {
    let (plan, columns) = (results.plan(), columns(results));
    let names: Vec<String> = columns.iter().map(|column| field(&column.name)).collect();
    writeln!(file, "{}", names.join(","))?;
    let keys: Vec<&Key> = plan.keys().collect();
    let mut line = String::new();
    for run in results.runs() {
        line.clear();
        let (point, seed) = plan.point_and_seed(run);
        let rows = plan.rows_at(point);
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                line.push(',');
            }
            match column.what {
                What::Seed => line += &seed.to_string(),
                What::Text(key) => line += &field(&keys[key].values[rows[key]]),
                What::Number(key) => {
                    let _ = write!(line, "{}", keys[key].number(rows[key]));
                }
                What::Status => line += &field(status(results, run)),
                What::Port => line += &field(results.port(run).unwrap_or_default()),
                What::Metric(metric) => number(&mut line, results.number(run, metric)),
            }
        }
        writeln!(file, "{line}")?;
    }
    Ok(())
}

/// The column of the port that limits, and what it means.
pub const PORT: (&str, &str) = (
    "limiting_port",
    "The port that limits, of which loss, queue and queueing delay are: that of the bottleneck; without one, of the ports that data pass, the one with the longest mean queue.",
);

/// Which of the means are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// These points, in this order; `None`: all.
    pub points: Option<&'a [usize]>,
    /// These numbers, by their places in the list of metrics; `None`: all.
    pub metrics: Option<&'a [usize]>,
}

/// Writes a row for each point as CSV: how many runs were finished and failed, and of each number the mean, and the ends of its
/// 95 % confidence interval, and percentiles over all runs together; with a baseline how many pairs of runs there are, and the mean difference from that, of the other points.
pub fn summary_csv(
    results: &Results,
    method: Method,
    baseline: Option<Baseline>,
    only: Selection<'_>,
    mut file: impl Write,
) -> io::Result<()> {
    let (plan, columns) = (results.plan(), columns(results));
    let is_wanted = |metric: &usize| only.metrics.is_none_or(|metrics| metrics.contains(metric));
    let (of_keys, rest): (Vec<Column>, Vec<Column>) =
        columns.into_iter().partition(|column| matches!(column.what, What::Text(_) | What::Number(_)));
    let metrics: Vec<(usize, &str)> = rest
        .iter()
        .filter_map(|column| match column.what {
            What::Metric(metric) => is_wanted(&metric).then_some((metric, column.name.as_str())),
            What::Seed | What::Status | What::Port | What::Text(_) | What::Number(_) => None,
        })
        .collect();
    let mut names: Vec<String> = of_keys.iter().map(|column| field(&column.name)).collect();
    match baseline {
        None => names.extend(["runs".into(), "failed".into()]),
        Some(_) => names.push("pairs".into()),
    }
    let has_port = baseline.is_none() && rest.iter().any(|column| column.what == What::Port);
    names.extend(has_port.then(|| PORT.0.to_owned()));
    names.extend(
        metrics.iter().flat_map(|(_, name)| [(*name).to_owned(), format!("{name}_low"), format!("{name}_high")]),
    );
    // Over all runs of a point together; there is nothing like that of differences, nor for a figure of means.
    let has_pooled = baseline.is_none() && only.metrics.is_none();
    let pooled: Vec<usize> = (0..POOLED.len()).filter(|place| has_pooled && results.has_pooled(*place)).collect();
    names.extend(pooled.iter().map(|place| POOLED[*place].name.to_owned()));
    writeln!(file, "{}", names.join(","))?;
    let keys: Vec<&Key> = plan.keys().collect();
    let is_shown = |point: &usize| {
        plan.points[*point].is_some() && baseline.is_none_or(|baseline| baseline.point_of(plan, *point) != *point)
    };
    let all: Vec<usize> = (0..plan.points.len()).collect();
    for point in only.points.unwrap_or(&all).iter().copied().filter(is_shown) {
        let rows = plan.rows_at(point);
        let mut line = String::new();
        for column in &of_keys {
            match column.what {
                What::Number(key) => {
                    let _ = write!(line, "{},", keys[key].number(rows[key]));
                }
                What::Text(key) => line += &(field(&keys[key].values[rows[key]]) + ","),
                What::Seed | What::Status | What::Port | What::Metric(_) => {}
            }
        }
        let count = |status| summary::count(results, point, status);
        let _ = match baseline {
            None => write!(line, "{},{}", count(Status::Finished), count(Status::Failed)),
            Some(baseline) => write!(line, "{}", summary::pairs(results, point, baseline)),
        };
        if has_port {
            line.push(',');
            line += &field(&results.ports_of(point).into_iter().collect::<Vec<_>>().join(" "));
        }
        for (metric, _) in &metrics {
            let mean = match baseline {
                None => summary::mean(results, point, *metric, method),
                Some(baseline) => summary::difference(results, point, *metric, method, baseline),
            };
            let interval = mean.and_then(|mean| mean.interval);
            for value in
                [mean.map(|mean| mean.mean), interval.map(|bounds| bounds.low), interval.map(|bounds| bounds.high)]
            {
                line.push(',');
                number(&mut line, value);
            }
        }
        for place in &pooled {
            line.push(',');
            number(&mut line, results.pooled(point, *place));
        }
        writeln!(file, "{line}")?;
    }
    Ok(())
}

/// Exact: it reads back as the same number.
fn number(line: &mut String, value: Option<f64>) {
    if let Some(value) = value {
        let _ = write!(line, "{value}");
    }
}

const GROUP_ROWS: usize = 1 << 16;
