//! What a sweep looks like: a page with figures and a table of all points, and a figure for a paper.

mod figures;
mod layout;

pub use figures::{figure_csv, has_figure, pdf, svg};

use ackclock_report::page::Page;
use ackclock_report::page::html::Html;
use ackclock_report::page::table::{Cell, Table};
use ackclock_report::repeat::command_line;
use ackclock_store::document::interval::Interval;

use crate::plan::Plan;
use crate::results::{Results, Status};
use crate::summary::{Method, count, mean};
use figures::{Drawn, Figures, drawn};

/// The page of a sweep: curves, and a table of all points with the command of each.
pub fn page(results: &Results, method: Method) -> String {
    let plan = results.plan();
    let mut page = Page::new("Sweep", &plan.scenario);
    page.lead(&lead(results, method));
    match Figures::of(results, method) {
        Some(figures) => {
            for (place, drawn) in drawn(results) {
                page.section(drawn.metric.replace('_', "-"), drawn.name, figures.html((place, drawn)));
            }
        }
        None => {
            let text = "No key with numbers changes, so there are no curves; the table has all points.";
            let mut html = Html::new();
            html.leaf("p", &[], text);
            page.section("curves", "Curves", html);
        }
    }
    page.section("points", "Points", table(results, method));
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
    html
}

/// A row for each point: values, means, and the command that runs it alone.
fn table(results: &Results, method: Method) -> Html {
    let plan = results.plan();
    let shown: Vec<(usize, &Drawn)> = drawn(results).collect();
    let mut table = Table::new("Means of all points");
    for key in plan.keys() {
        table = table.words(&key.path);
    }
    if plan.dimensions.is_empty() {
        table = table.words("scenario");
    }
    table = table.column("runs", "");
    for (_, drawn) in &shown {
        table = table.column(drawn.name, drawn.shown);
    }
    table = table.words("command");
    let accepted: Vec<usize> = (0..plan.points.len()).filter(|point| plan.points[*point].is_some()).collect();
    for point in accepted.iter().take(MOST_ROWS) {
        let of_keys = plan.keys().zip(plan.rows_at(*point)).map(|(key, row)| Cell::text(key.values[row].clone()));
        let mut cells: Vec<Cell> = of_keys.collect();
        if cells.is_empty() {
            cells.push(Cell::text(plan.scenario.clone()));
        }
        cells.push(Cell::number(count(results, *point, Status::Finished) as f64, 0));
        for (place, drawn) in &shown {
            cells.push(mean(results, *point, *place, method).map_or(Cell::None, |mean| {
                let ci95 = mean.interval.map(|interval| (interval.high - interval.low) / 2.0);
                let interval = Interval { mean: mean.mean, ci95, min: mean.mean, max: mean.mean };
                Cell::interval(&interval, drawn.scale, drawn.decimals)
            }));
        }
        cells.push(Cell::Code(command_line(&plan.command_of(*point, results.seeds(*point)))));
        table.row_named(format!("point-{point}"), cells);
    }
    if accepted.len() > MOST_ROWS {
        table = table.note(format!("{} more points are in summary.csv.", accepted.len() - MOST_ROWS));
    }
    table.html()
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

const MOST_ROWS: usize = 2000;
