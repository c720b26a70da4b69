//! The table of a sweep: a line for each point, with means over its seeds.

use std::borrow::Cow;

use ackclock_store::document::interval::Interval;
use ackclock_sweep::summary::{Baseline, Method, count, difference, mean, pairs};
use ackclock_sweep::{About, Results, Status};

use super::columns::{NAME_LENGTH, Row, align, half_width, number, short};

/// A number that is shown: its metric, heading, factor and decimals.
#[derive(Clone)]
struct Shown {
    metric: &'static str,
    heading: Cow<'static, str>,
    scale: f64,
    digits: usize,
}

/// The points with means of the numbers that most people look at. Of very many points the first are shown. With a baseline the
/// differences of the other points from it follow.
pub fn render(results: &Results, method: Method, baseline: Option<Baseline>) -> String {
    let mut text = lines(results, method, None);
    if let Some(baseline) = baseline {
        text += &format!("\ndifferences from {}, seed by seed\n", baseline.label(results.plan()));
        text += &lines(results, method, Some(baseline));
    }
    text
}

fn lines(results: &Results, method: Method, baseline: Option<Baseline>) -> String {
    let plan = results.plan();
    let asked = plan.asked().map(|(place, text)| (place, Shown::asked(text, plan.about(place))));
    let is_asked = |shown: &&Shown| plan.asked().any(|(_, text)| text == shown.metric);
    let usual = SHOWN.iter().filter(|shown| !is_asked(shown));
    let usual = usual.filter_map(|shown| Some((plan.place_of(shown.metric)?, shown.clone())));
    let places: Vec<(usize, Shown)> = asked.chain(usual).filter(|(place, _)| results.has(*place)).collect();
    let has_intervals = plan.seeds > 1;
    let mut rows: Vec<Row> = vec![header(results, &places, has_intervals, baseline.is_some())];
    let is_shown = |point: &usize| {
        plan.points[*point].is_some() && baseline.is_none_or(|baseline| baseline.point_of(plan, *point) != *point)
    };
    let points: Vec<usize> = (0..plan.points.len()).filter(is_shown).collect();
    for point in points.iter().take(MOST_POINTS) {
        let of_keys = plan.keys().zip(plan.rows_at(*point)).map(|(key, row)| short(&key.values[row], NAME_LENGTH));
        let mut row: Row = of_keys.collect();
        if row.is_empty() {
            row.push(short(&plan.scenario, NAME_LENGTH));
        }
        row.push(match baseline {
            None => count(results, *point, Status::Finished).to_string(),
            Some(baseline) => pairs(results, *point, baseline).to_string(),
        });
        for (place, shown) in &places {
            let mean = match baseline {
                None => mean(results, *point, *place, method),
                Some(baseline) => difference(results, *point, *place, method, baseline),
            };
            let scaled = |value: f64| number(value * shown.scale, shown.digits);
            row.push(mean.map_or("-".into(), |mean| match baseline {
                None => scaled(mean.mean),
                Some(_) => format!("{:+.*}", shown.digits, mean.mean * shown.scale),
            }));
            if has_intervals {
                let interval = mean.and_then(|mean| mean.interval.map(|interval| (mean, interval)));
                row.push(interval.map_or("-".into(), |(mean, interval)| {
                    let [low, high] = [interval.low, interval.high].map(scaled);
                    match mean.has_ends && low != high {
                        false => half(mean.mean, (interval.high - interval.low) / 2.0, shown),
                        true => format!("{low} to {high}"),
                    }
                }));
            }
        }
        rows.push(row);
    }
    let mut text = align(rows);
    if points.len() > MOST_POINTS {
        let file = if baseline.is_some() { "differences.csv" } else { "summary.csv" };
        text += &format!("... and {} more points in {file}\n", points.len() - MOST_POINTS);
    }
    text
}

/// Half the width of an interval, as in the table of `run`.
fn half(mean: f64, half: f64, shown: &Shown) -> String {
    half_width(&Interval { mean, ci95: Some(half), min: mean, max: mean }, shown.scale, shown.digits)
}

fn header(results: &Results, places: &[(usize, Shown)], has_intervals: bool, is_of_pairs: bool) -> Row {
    let mut header: Row = results.plan().keys().map(|key| short(&key.path, NAME_LENGTH)).collect();
    if header.is_empty() {
        header.push(String::new());
    }
    header.push(if is_of_pairs { "pairs" } else { "runs" }.into());
    for (_, shown) in places {
        header.push(shown.heading.clone().into_owned());
        if has_intervals {
            header.push("+/- 95 %".into());
        }
    }
    header
}

impl Shown {
    /// A measure that was asked for, with its unit in the heading.
    fn asked(text: &str, about: About) -> Shown {
        if let Some(usual) = SHOWN.iter().find(|shown| shown.metric == text) {
            return usual.clone();
        }
        let (unit, scale, digits) = about.shown();
        Shown { metric: "", heading: Cow::Owned(format!("{text} {unit}").trim_end().to_owned()), scale, digits }
    }
}

const SHOWN: [Shown; 6] = [
    Shown { metric: "goodput_bps", heading: Cow::Borrowed("Mb/s"), scale: 1e-6, digits: 3 },
    Shown { metric: "fairness", heading: Cow::Borrowed("fairness"), scale: 1.0, digits: 4 },
    Shown { metric: "loss", heading: Cow::Borrowed("loss %"), scale: 100.0, digits: 3 },
    Shown { metric: "queueing_delay_p95_s", heading: Cow::Borrowed("p95 queue ms"), scale: 1e3, digits: 3 },
    Shown { metric: "udp_loss", heading: Cow::Borrowed("UDP loss %"), scale: 100.0, digits: 3 },
    Shown { metric: "completion_p95_s", heading: Cow::Borrowed("p95 file s"), scale: 1.0, digits: 3 },
];
/// More points are not read on a terminal.
const MOST_POINTS: usize = 200;
