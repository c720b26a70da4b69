//! What a sweep looks like: a page with figures and a table of all points, and a figure for a paper.

mod figures;
mod layout;
mod paper;
mod says;

pub use figures::ports;
pub(crate) use figures::{Drawings, MOST_INLINE, MOST_ROWS, drawings};
pub(crate) use paper::files;
pub use paper::{Number, figure_csv, has_figure, named, pdf_has_letters, plots, plots_before};

use ackclock::record::stats::Bounds;
use ackclock_report::page::Page;
use ackclock_report::page::html::Html;
use ackclock_report::page::number::{fixed, plural};
use ackclock_report::page::table::{Cell, Table};
use ackclock_report::repeat::command_line;

use crate::plan::Plan;
use crate::results::pooled::POOLED;
use crate::results::{Results, Status};
use crate::summary::{Mean, Method, count, mean};
use figures::{DRAWN, Drawn, Figures, drawn};
use layout::accepted;

/// How many of the usual numbers that are drawn runs have, by what `has` says of each.
pub(crate) fn usual_numbers(has: impl Fn(&str) -> bool) -> usize {
    DRAWN.iter().filter(|drawn| has(&drawn.metric)).count()
}

/// The page of a sweep: curves, and a table of all points with the command of each.
pub fn page(results: &Results, method: Method) -> String {
    let plan = results.plan();
    let mut page = Page::new("Sweep", &plan.scenario);
    page.lead(&lead(results, method));
    if let Some(figures) = Figures::of(results, method) {
        page.lead(&figures.html());
    }
    page.section("points", "Points", table(results, method));
    if (0..POOLED.len()).any(|place| results.has_pooled(place)) {
        page.section("percentiles", "Percentiles over runs", percentiles(results));
    }
    page.section_named("repeat", "Repeat", "How to repeat it", repeat(plan, method));
    page.render()
}

fn lead(results: &Results, method: Method) -> Html {
    let plan = results.plan();
    let points = plan.points.iter().flatten().count();
    let interval = match method {
        Method::Student => "Student's t",
        Method::Percentile => "bootstrap, percentiles of 2,000 resamples",
        Method::Bca => "bootstrap, BCa, 2,000 resamples",
    };
    let mut html = Html::new();
    let bands = match plan.seeds {
        1 => "One seed: no confidence intervals.".to_owned(),
        _ if plan.until_ci.is_some() => format!(
            "Means over as many seeds as each point needed ({}); bands and ± are 95 % confidence intervals ({interval}).",
            plan.until_ci.as_ref().map(|until| until.said()).unwrap_or_default()
        ),
        seeds => format!("Means over {seeds} seeds; bands and ± are 95 % confidence intervals ({interval})."),
    };
    let failed = results.count(Status::Failed);
    let failures =
        if failed > 0 { format!(" {failed} runs failed: the column `status` of the table.") } else { String::new() };
    html.leaf(
        "p",
        &[("class", "lead")],
        &format!("{points} points, {} runs. {bands}{failures}", results.runs().count()),
    );
    let says = says::says(results, method);
    if !says.is_empty() {
        html.tag("ul", &[("class", "findings short")], |html| {
            says.iter().for_each(|sentence| {
                html.leaf("li", &[], sentence);
            });
        });
    }
    html
}

/// A row for each point: values, means, and the command that runs it alone.
fn table(results: &Results, method: Method) -> Html {
    let plan = results.plan();
    let shown: Vec<(usize, Drawn)> = drawn(results);
    let mut table = of_keys(plan, "Means of all points");
    for (_, drawn) in &shown {
        table = table.column(drawn.name.as_ref(), drawn.shown);
    }
    table = table.column("runs", "").words("arguments");
    let accepted: Vec<usize> = accepted(plan).collect();
    for point in accepted.iter().take(MOST_ROWS) {
        let mut cells = values(plan, *point);
        for (place, drawn) in &shown {
            cells.push(mean(results, *point, *place, method).map_or(Cell::None, |mean| cell(&mean, drawn)));
        }
        cells.push(Cell::number(count(results, *point, Status::Finished) as f64, 0));
        cells.push(Cell::Code(command_line(&plan.arguments_of(*point, results.seeds(*point)))));
        table.row_named(format!("point-{point}"), cells);
    }
    if accepted.len() > MOST_ROWS {
        table = table.note(format!("{} are in summary.csv.", plural(accepted.len() - MOST_ROWS, "more point")));
    }
    let mut html = Html::new();
    html.leaf("p", &[], "The runs of a point alone: this command, and after it the arguments in the row of the point.");
    html.tag("pre", &[], |html| {
        html.leaf("code", &[], &command_line(&plan.run));
    });
    html.append(&folded(accepted.len(), &table.html()));
    html
}

/// A table of points, folded if it is long.
fn folded(rows: usize, table: &Html) -> Html {
    if rows <= ROWS_OPEN {
        return table.clone();
    }
    let mut html = Html::new();
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], &plural(rows, "point")).append(table);
    });
    html
}

/// Longer tables are folded.
const ROWS_OPEN: usize = 12;

/// A row for each point: percentiles over all of its runs together.
fn percentiles(results: &Results) -> Html {
    let plan = results.plan();
    let places: Vec<usize> = (0..POOLED.len()).filter(|place| results.has_pooled(*place)).collect();
    let mut table = of_keys(plan, "Percentiles over all runs of each point together");
    for place in &places {
        // As in `queueing_delay_pooled_p95_s`.
        let (kind, percentile) = POOLED[*place].name.split_once("_pooled_").unwrap_or_default();
        table = table.column(format!("{}, {}", kind.replace('_', " "), percentile.trim_end_matches("_s")), "ms");
    }
    let accepted: Vec<usize> = accepted(plan).collect();
    for point in accepted.iter().take(MOST_ROWS) {
        let mut cells = values(plan, *point);
        let cell =
            |place: &usize| results.pooled(*point, *place).map_or(Cell::None, |value| Cell::number(value * 1e3, 3));
        cells.extend(places.iter().map(cell));
        table.row(cells);
    }
    let mut html = Html::new();
    html.leaf(
        "p",
        &[],
        "Over all units, segments, round trips and files of all runs of a point, from merged histograms, to within 1.6 %. Each run \
         counts as much as it has of them. (The numbers above are means of percentiles of single runs.)",
    );
    html.append(&folded(accepted.len(), &table.html()));
    html
}

/// A table with a column for each key that changes.
fn of_keys(plan: &Plan, caption: &str) -> Table {
    let mut table = Table::new(caption);
    for key in plan.keys() {
        table = table.words(&key.path);
    }
    if plan.dimensions.is_empty() {
        table = table.words("scenario");
    }
    table
}

/// The values of a point for such a table.
fn values(plan: &Plan, point: usize) -> Vec<Cell> {
    let of_keys = plan.keys().zip(plan.rows_at(point)).map(|(key, row)| Cell::text(key.values[row].clone()));
    let cells: Vec<Cell> = of_keys.collect();
    if cells.is_empty() { vec![Cell::text(plan.scenario.clone())] } else { cells }
}

/// A mean, with half the width of its interval or with its ends.
fn cell(mean: &Mean, drawn: &Drawn) -> Cell {
    let written = fixed(mean.mean * drawn.scale, drawn.decimals);
    match mean.interval {
        None => Cell::Number(written),
        Some(Bounds { low, high }) => {
            let [low, high] = [low, high].map(|end| end * drawn.scale);
            let half = (high - low) / 2.0;
            match mean.has_ends {
                true => Cell::ends(written, (low, high), half, drawn.decimals),
                false => Cell::half(written, half, drawn.decimals),
            }
        }
    }
}

fn repeat(plan: &Plan, method: Method) -> Html {
    let interval = match method {
        Method::Student => &[][..],
        Method::Percentile => &["--interval", "percentile"],
        Method::Bca => &["--interval", "bca"],
    };
    let command: Vec<String> =
        plan.command.iter().cloned().chain(interval.iter().map(|word| word.to_string())).collect();
    let mut html = Html::new();
    html.leaf("p", &[], &format!("Ackclock {}, result version {}:", plan.ackclock, plan.result_version));
    html.tag("pre", &[], |html| {
        html.leaf("code", &[], &command_line(&command));
    });
    html
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ackclock_store::Key as RunKey;

    use super::*;
    use crate::metrics::METRICS;
    use crate::plan::Key;
    use crate::results::row::Row;

    /// Two keys with so many values each, and a goodput at each point that makes a smooth map.
    fn results(columns: usize, rows: usize) -> Results {
        let key = |path: &str, count: usize| {
            let values = (0..count).map(|value| format!("{value} ms")).collect();
            let numbers = Some((0..count).map(|value| Some(value as f64 * 1e-3)).collect());
            vec![Key { path: path.into(), values, arguments: None, unit: "s".into(), numbers }]
        };
        let points = columns * rows;
        let mut results = Results::new(Plan {
            dimensions: vec![key("network.trunk_delay", columns), key("traffic.start_jitter", rows)],
            metrics: METRICS.iter().map(|metric| metric.name.to_owned()).collect(),
            points: (0..points).map(|point| Some(RunKey::new("a", point as u64, 0))).collect(),
            ..Plan::example()
        });
        for point in 0..points {
            let goodput = 1e6 * ((point / rows) as f64 / columns as f64 + (point % rows) as f64 / rows as f64);
            let number = |name: &str| (name == "goodput_bps").then_some(goodput);
            let numbers = METRICS.iter().map(|metric| number(metric.name)).collect();
            results.set(point, Row { numbers, ..Row::default() });
        }
        results
    }

    fn all_after<'a>(page: &'a str, before: &'a str) -> Vec<&'a str> {
        page.split(before).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
    }

    #[test]
    fn every_link_leads_to_a_row_and_maps_have_their_numbers_and_figures() {
        // A map is drawn for wide and for narrow windows.
        for (columns, rows, links) in [(8, 9, 2 * 72), (50, 50, 0)] {
            let results = results(columns, rows);
            let page = page(&results, Method::Student);
            let there: BTreeSet<&str> = all_after(&page, "id=\"point-").into_iter().collect();
            let leads = all_after(&page, "href=\"#point-");
            assert_eq!((leads.len(), there.len()), (links, (columns * rows).min(MOST_ROWS)));
            assert!(leads.iter().all(|point| there.contains(point)));
            assert!(page.contains("download=\"goodput_bps.csv\"") && page.contains("network.trunk_delay, ms"));
            assert!(files(&results, Method::Student).unwrap().0.contains("traffic.start_jitter, ms"));
            let csv = figure_csv(&results, Method::Student).unwrap();
            assert_eq!(csv.iter().filter(|octet| **octet == b'\n').count(), 1 + columns * rows);
        }
    }

    #[test]
    fn the_page_of_a_hundred_thousand_points_is_no_larger_than_a_browser_opens_at_once() {
        for (columns, rows) in [(100, 1000), (100_000, 1)] {
            let results = results(columns, rows);
            let page = page(&results, Method::Student);
            assert!(page.len() < 5_000_000, "{} octets of {columns} by {rows}", page.len());
            assert!(
                page.contains("<a href=\"summary.csv\">")
                    && page.contains("\u{202f}000 more points are in summary.csv.")
            );
            assert!(files(&results, Method::Student).unwrap().0.len() < 3_000_000);
        }
    }
}
