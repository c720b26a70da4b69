//! `ackclock contacts`: which nodes can communicate, when and at what delay, without a run.

use std::path::Path;

use ackclock::units::Span;
use ackclock_sat::plan::{Change, NodeId, Plan, RoutePath};
use ackclock_scenario::Loaded;

use crate::args::ContactsArgs;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::replace::{self, Kind};
use crate::table::{Row, align};
use crate::{console, load, output};

const ELSEWHERE: &str = "name another file with --write FILE.csv";

/// Shows the contact plan of a scenario, and writes it if asked to.
pub fn contacts(args: &ContactsArgs) -> Result<Exit, Failure> {
    let Loaded { scenario, contacts, .. } = load::load(&args.file, &args.set, None)?;
    let Some(plan) = contacts else {
        return Err(Failure::usage(
            format_args!("`{}` has no satellites", args.file),
            "a scenario with [satellites] and [place] has a contact plan; `scenarios/iridium.toml` is one",
        ));
    };
    let paths = paths(&plan);
    if let Some(target) = &args.write {
        return write(args, target, &plan, &paths);
    }
    let satellites = plan.nodes.len() - places(&plan);
    let mut text = format!(
        "{}: contact plan of {} s, {}, {}\n",
        scenario.name,
        plan.end.as_secs_f64(),
        plural(satellites, "satellite"),
        plural(places(&plan), "place")
    );
    for (from, to) in paths {
        text += &format!("\n{} -> {}\n", plan.nodes[from].name, plan.nodes[to].name);
        text += &align(rows(&plan, from, to));
    }
    output::print(&text).map(|()| Exit::Fine)
}

fn places(plan: &Plan) -> usize {
    plan.nodes.iter().filter(|node| node.kind == ackclock_sat::plan::NodeKind::Terminal).count()
}

/// The pairs of terminals with a path in the plan, one direction of each: the reverse path has the same nodes.
fn paths(plan: &Plan) -> Vec<(NodeId, NodeId)> {
    let mut paths: Vec<(NodeId, NodeId)> = Vec::new();
    for route in &plan.routes {
        let path = (route.from, route.to);
        if !paths.contains(&path) && !paths.contains(&(path.1, path.0)) {
            paths.push(path);
        }
    }
    paths
}

fn rows(plan: &Plan, from: NodeId, to: NodeId) -> Vec<Row> {
    let header = ["time s", "ms before", "ms after", "  path", "  event"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let changes = plan.changes(from, to);
    let shown = changes.len().min(LINES);
    rows.extend(changes[..shown].iter().map(|change| row(plan, change)));
    if changes.len() > shown {
        rows.push(vec![format!("... and {} more: --write FILE.csv writes all", changes.len() - shown)]);
    }
    // The last two columns are words: to the left.
    for column in [3, 4] {
        let width = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
            *cell = format!("{cell:<width$}");
        }
    }
    rows
}

fn row(plan: &Plan, change: &Change<'_>) -> Row {
    let milliseconds =
        |delay: Option<Span>| delay.map_or("-".into(), |delay| format!("{:.3}", delay.as_secs_f64() * 1e3));
    let (path, reason) = match change.path {
        RoutePath::Through(nodes) => (folded(plan, &nodes[1..nodes.len() - 1]), None),
        RoutePath::None(gap) => ("no route".into(), Some(plan.reason(*gap))),
    };
    let mut events = change.causes.clone();
    events.extend(reason);
    vec![
        format!("{:.3}", change.time.as_secs_f64()),
        milliseconds(change.before),
        milliseconds(change.after),
        path,
        if events.is_empty() { "start".into() } else { events.join("; ") },
    ]
}

/// The satellites of a path; of many the first and the last: in a large shell they would be wider than any terminal.
fn folded(plan: &Plan, satellites: &[NodeId]) -> String {
    let Some(more) = satellites.len().checked_sub(SATELLITES_SHOWN).filter(|&more| more > 1) else {
        return plan.path_text(satellites);
    };
    let (first, last) = (&satellites[..SATELLITES_SHOWN / 2], &satellites[satellites.len() - SATELLITES_SHOWN / 2..]);
    format!("{} > ({more} more) > {}", plan.path_text(first), plan.path_text(last))
}

/// Writes the plan as a folder of tables, or the delay of one way as CSV.
fn write(args: &ContactsArgs, target: &Path, plan: &Plan, paths: &[(NodeId, NodeId)]) -> Result<Exit, Failure> {
    if target.extension().is_none_or(|ending| ending != "csv") {
        plan.write(target).map_err(|error| Failure::outside(&error, error.help()))?;
        console::note(format_args!("contact plan in {}; a scenario reads it with satellites.plan", target.display()));
        return Ok(Exit::Fine);
    }
    let name = |&(from, to): &(NodeId, NodeId)| format!("{}->{}", plan.nodes[from].name, plan.nodes[to].name);
    let names = || paths.iter().map(name).collect::<Vec<_>>().join(", ");
    let path = match (&args.path, paths) {
        (None, [path]) => Some(*path),
        (None, _) => None,
        (Some(wanted), _) => {
            let both = paths.iter().flat_map(|&(from, to)| [(from, to), (to, from)]);
            both.into_iter().find(|path| name(path) == *wanted)
        }
    };
    let Some((from, to)) = path else {
        return Err(Failure::usage(
            "a CSV file has the delays of one path",
            format_args!("choose one with --path: {}", names()),
        ));
    };
    let step = ackclock_scenario::time(&args.step)
        .and_then(|step| if step > Span::ZERO { Ok(step) } else { Err("must be more than 0".to_owned()) })
        .map_err(|problem| Failure::usage(format_args!("--step {}: {problem}", args.step), "write a time, as in 1s"))?;
    let mut text = Vec::new();
    plan.write_csv(from, to, step, &mut text).expect("memory can be written to");
    let text = String::from_utf8(text).expect("names are UTF-8");
    let begins = text.split_inclusive('\n').next().unwrap_or_default();
    replace::refuse_other(target, Kind::Lines(begins), ELSEWHERE)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name_of_file = target.file_name().unwrap_or_default().to_string_lossy();
    let mut output = Output::file(folder, &name_of_file, ELSEWHERE)?;
    output.write(&text)?;
    output.finish()?;
    console::note(format_args!("delays and events of {} in {}", name(&(from, to)), target.display()));
    Ok(Exit::Fine)
}

/// Longer paths are shown by this many of their satellites. Those of small constellations are shown whole.
const SATELLITES_SHOWN: usize = 6;
/// More changes of a path are counted only.
const LINES: usize = 40;
