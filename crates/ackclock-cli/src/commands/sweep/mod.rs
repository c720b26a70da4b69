//! `ackclock sweep`: one scenario under many values and seeds, kept run by run, as one table.

mod command;
pub mod merge;
mod shown;

use std::path::Path;
use std::time::Duration;

use ackclock::sim::Engine;
use ackclock_scenario::sweep::{Lack, Request, Sweep};
use ackclock_scenario::{Diagnostic, Disk, Source};
use ackclock_sweep::cluster::{Cluster, Connect, Recording, Task, run_missing_on};
use ackclock_sweep::summary::{measures_without_values, too_wide, without_effect, without_values};
use ackclock_sweep::{
    Checked, Estimate, METRICS, Opened, Options, Refused, Results, Seeds, Shard, Status, Store, UntilCi, missing,
    report, run_missing,
};

use crate::args::SweepArgs;
use crate::failure::{Exit, Failure};
use crate::progress::Reporter;
use crate::room::{self, Need, size};
use crate::{console, diagnostics, interrupt, load, output, seeds, table};
use shown::Shown;

/// What the arguments ask for; `numbers` may have intervals.
fn request<'a>(args: &'a SweepArgs, numbers: &'a [&'a str]) -> Request<'a> {
    Request {
        file: &args.file,
        sets: &args.set,
        vary: &args.vary,
        latin_hypercube: args.latin_hypercube.map(|points| points as usize),
        until_ci: &args.until_ci,
        measures: &args.measure,
        numbers,
        ..Request::default()
    }
}

/// Runs a sweep, or says what it takes.
pub fn sweep(args: &SweepArgs, connect: Option<&Connect>) -> Result<Exit, Failure> {
    interrupt::say_at_end("nothing was run".into());
    let numbers: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let mut cluster = args.cluster().map_or(Ok(None), |address| connected(address, connect).map(Some))?;
    // A cluster gets what is read here.
    let (request, recording) = (request(args, &numbers), Recording::new(&Disk));
    let source: &dyn Source = if cluster.is_some() { &recording } else { &Disk };
    let sweep = Sweep::read(source, &request).map_err(|error| load::failure(error, NOTHING))?;
    let Seeds { most: seeds, until_ci } = Seeds::of(&sweep, args.seeds.map(u64::from), args.max_seeds.map(u64::from))?;
    refuse_too_many(&sweep, seeds, args.max_runs)?;
    let threads = args.threads.map_or_else(seeds::cores, |threads| threads as usize);
    let beside = Estimate::memory_of(sweep.points() as f64, seeds as f64);
    // One point tells about how large the others are, of which as many as there are threads are loaded at a time.
    let first = sweep.load(0).map_or(0.0, |loaded| ackclock_run::network_bytes(&loaded.scenario));
    let threads_to_check = fitting(threads, first, beside)?;
    let time_limit = args.time_limit.as_deref().map(time_limit).transpose()?;
    let command = command::of(args, sweep.points().saturating_mul(seeds as u128));
    let Some(checked) = check(&sweep, seeds, until_ci, command, threads_to_check)? else { return Ok(interrupted()) };
    refuse_points(&checked, args.skip_refused)?;
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let path = args.out.clone().unwrap_or_else(|| Store::default_path(&checked.plan, shard));
    let shown = Shown::of(&args.shown, &checked.plan, &path)?;
    diagnostics::print(&checked.warnings);
    if seeds > 1 && checked.is_certain {
        console::note(format_args!("note: this scenario has no randomness: every seed gives the same result"));
    }
    let at_a_time = fitting(threads, checked.network_bytes, beside)?;
    if at_a_time < threads {
        let each = size(checked.network_bytes);
        console::note(format_args!(
            "note: {at_a_time} instead of {threads} runs at a time: each takes about {each} of memory"
        ));
    }
    let memory = beside + checked.network_bytes * at_a_time as f64;
    let options = Options {
        threads: at_a_time,
        engine: args.engine.into(),
        time_limit,
        shard,
        retry: args.retry,
        stop: interrupt::watch(),
        are_void: &|| false,
    };
    if args.dry_run {
        let todo = missing(&Results::new(checked.plan.clone()), &checked.costs, &options);
        return match announced(&sweep, &checked, &todo, &options, memory, &shown)? {
            Some((text, _)) => output::print(&(text + "\n")).map(|()| Exit::Fine),
            None => Ok(interrupted()),
        };
    }
    let (mut opened, damage) =
        Store::open(&path, checked.plan.clone(), |owner| seeds::say_that_it_waits(&path, owner))?;
    if !damage.is_none() {
        console::note(format_args!("warning: {damage}"));
    }
    take_beside(&mut opened, &options);
    let todo = missing(opened.results(), &checked.costs, &options);
    match announced(&sweep, &checked, &todo, &options, memory, &shown)? {
        Some((text, estimate)) if !todo.is_empty() => {
            console::note(format_args!("{text}"));
            room::refuse_beyond(Need { disk: estimate.disk_bytes, memory: 0.0 }, &path, LESS)?;
        }
        Some(_) => {}
        None => return Ok(interrupted()),
    }
    let mut store = opened.begin()?;
    let task = cluster.as_ref().map(|_| Task::new(&request, &recording, &checked, &options));
    let runner = match (&mut cluster, &task) {
        (Some(cluster), Some(task)) => Runner::On(&mut **cluster, task),
        _ => Runner::Here(&sweep),
    };
    if let Some(said) = simulate(runner, &checked, &store, &options)? {
        console::note(format_args!("interrupted: {said}"));
        return Ok(Exit::Interrupted);
    }
    store.note_mended(&damage)?;
    finish(&mut store, &shown, options.shard)
}

/// Takes over runs of other sweeps. Who asks for the reference engine wants it to do the runs, and a part holds its own runs alone.
fn take_beside(opened: &mut Opened, options: &Options<'_>) {
    let may_take = options.engine == Engine::Batched && options.shard == Shard::WHOLE;
    let taken = if may_take { opened.take_beside() } else { 0 };
    if taken > 0 {
        let runs = diagnostics::plural(taken, "run");
        console::note(format_args!("note: {runs} of other sweeps in the same folder are taken over"));
    }
}

/// Where runs are done.
enum Runner<'a> {
    Here(&'a Sweep<'a>),
    On(&'a mut dyn Cluster, &'a Task),
}

/// The cluster at this address.
fn connected(address: &str, connect: Option<&Connect>) -> Result<Box<dyn Cluster>, Failure> {
    let Some(connect) = connect else {
        return Err(Failure::usage(
            format_args!("--on {address}: this program knows no cluster; the one of the Python package does"),
            "install that with pip install 'ackclock[dask]', or divide the sweep with --shard",
        ));
    };
    connect(address).map_err(|wrong| {
        Failure::outside(
            format_args!("--on {address}: {wrong}"),
            "look whether the scheduler is there; the address is as in --on dask://scheduler:8786",
        )
    })
}

/// How many runs, or points that are loaded, fit into memory at a time, at most so many.
fn fitting(threads: usize, each: f64, beside: f64) -> Result<usize, Failure> {
    match room::runs_at_a_time(threads, each, beside) {
        Some(threads) => Ok(threads),
        None => {
            room::refuse_beyond(Need { disk: 0.0, memory: beside + each }, Path::new("."), LESS)?;
            Ok(1)
        }
    }
}

/// Refuses a number of runs that is probably a mistake.
fn refuse_too_many(sweep: &Sweep<'_>, seeds: usize, most: u64) -> Result<(), Failure> {
    let points = sweep.points();
    let runs = points.saturating_mul(seeds as u128);
    if runs <= u128::from(most) {
        return Ok(());
    }
    let [runs, points, seeds, most] = [runs, points, seeds as u128, u128::from(most)].map(grouped);
    Err(Failure::usage(
        format_args!("this sweep has {runs} runs ({points} points, {seeds} seeds each), more than {most}"),
        format_args!("vary fewer keys or fewer values, or confirm with --max-runs {}", runs.replace(',', "")),
    ))
}

/// A number with commas between thousands.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|part| std::str::from_utf8(part).unwrap_or("")).collect();
    parts.join(",")
}

fn time_limit(text: &str) -> Result<Duration, Failure> {
    let span = ackclock_scenario::time(text).map_err(|problem| {
        Failure::usage(
            format_args!("--time-limit {text:?}: {problem}"),
            "write a time and a unit, as in --time-limit 60s",
        )
    })?;
    Ok(Duration::from_secs_f64(span.as_secs_f64()))
}

fn interrupted() -> Exit {
    console::note(format_args!("interrupted: nothing was run"));
    Exit::Interrupted
}

/// Loads every point; `None` if that was interrupted.
fn check(
    sweep: &Sweep<'_>,
    seeds: usize,
    until_ci: Option<UntilCi>,
    command: Vec<String>,
    threads: usize,
) -> Result<Option<Checked>, Failure> {
    let points = sweep.points() as f64;
    let mut reporter = Reporter::new();
    let mut watch =
        |done: usize| reporter.update(done as f64 / points, |_| format!("{done} of {points} points checked"));
    let checked = Checked::of(sweep, seeds, until_ci, command, threads, interrupt::watch(), &mut watch);
    reporter.clear();
    Ok(checked?)
}

/// Shows what the scenario refuses, each thing once; an error unless the other points are to be run.
fn refuse_points(checked: &Checked, skip: bool) -> Result<(), Failure> {
    let Checked { refused, refused_points, .. } = checked;
    if *refused_points == 0 {
        return refuse_lacks(checked);
    }
    let found: Vec<Diagnostic> = refused.iter().map(|refused| with_points(refused, checked)).collect();
    let of_all = format!("{refused_points} of {}", diagnostics::plural(checked.plan.points.len(), "point"));
    let accepted = checked.accepted_points();
    if !skip || accepted == 0 {
        if accepted > 0 {
            console::note(format_args!("the scenario refuses {of_all}; --skip-refused runs the others"));
        }
        return Err(Failure::Scenario { diagnostics: found, consequence: NOTHING });
    }
    diagnostics::print(&found);
    console::note(format_args!("the scenario refuses {of_all}, which are skipped"));
    refuse_lacks(checked)
}

/// Refuses measures that no accepted point has.
fn refuse_lacks(checked: &Checked) -> Result<(), Failure> {
    if checked.lacks.is_empty() {
        return Ok(());
    }
    Err(Failure::Scenario { diagnostics: Lack::diagnostics(&checked.lacks), consequence: NOTHING })
}

/// What is wrong, and at which points if not at all.
fn with_points(refused: &Refused, checked: &Checked) -> Diagnostic {
    let Refused { diagnostic, points, first } = refused;
    let mut diagnostic = diagnostic.clone();
    if *points < checked.plan.points.len() {
        let count = if *points == 1 { String::new() } else { format!("{points} points, the first ") };
        diagnostic.message += &format!(" (at {count}{first})");
    }
    diagnostic
}

/// How many runs, how long, and how much disk; `None` if it was interrupted. Refuses a figure without room for what the runs have.
fn announced(
    sweep: &Sweep<'_>,
    checked: &Checked,
    todo: &[usize],
    options: &Options<'_>,
    memory: f64,
    shown: &Shown<'_>,
) -> Result<Option<(String, Estimate)>, Failure> {
    let plan = &checked.plan;
    let estimate = Estimate::of(sweep, checked, todo, options, shown.baseline.is_some());
    let Some(estimate) = estimate else { return Ok(None) };
    shown.refuse_low(plan, &estimate.numbers)?;
    let points = diagnostics::plural(checked.accepted_points(), "point");
    let least = plan.until_ci.as_ref().map_or(plan.seeds, |until| until.least);
    let all = checked.accepted_points() * least;
    let simulated: f64 = todo.iter().map(|run| checked.durations_s[run / plan.seeds]).sum();
    let shard = match options.shard {
        Shard::WHOLE => String::new(),
        shard => format!(", of which part {shard}"),
    };
    let open = match todo.len() {
        open if open == all => String::new(),
        open => format!(", {} to do", grouped(open as u128)),
    };
    let memory = match memory {
        bytes if bytes >= MUCH_MEMORY => format!(", {} of memory", size(bytes)),
        _ => String::new(),
    };
    let (seeds, at_most, disk) = match &plan.until_ci {
        None => (diagnostics::plural(plan.seeds, "seed"), "", estimate.disk_bytes),
        Some(until) => {
            let seeds = format!("{} to {} seeds until {}", until.least, plan.seeds, until.said());
            (seeds, "at most ", estimate.most_disk_bytes)
        }
    };
    let at_first = if plan.until_ci.is_some() { " at first" } else { "" };
    let text = format!(
        "{points}, {seeds}: {} runs{at_first}{shard}{open}, {} s simulated\nabout {} on {}, {at_most}{} of disk{memory}",
        grouped(all as u128),
        seconds(simulated),
        duration(estimate.seconds),
        diagnostics::plural(options.threads, "core"),
        size(disk),
    );
    Ok(Some((text, estimate)))
}

fn seconds(seconds: f64) -> String {
    let digits = if seconds >= 1000.0 { 0 } else { 1 };
    format!("{seconds:.digits$}")
}

fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 48.0 * 3600.0 => format!("{:.0} days", seconds / 86_400.0),
        _ if seconds >= 5400.0 => format!("{:.1} h", seconds / 3600.0),
        _ if seconds >= 90.0 => format!("{:.0} min", seconds / 60.0),
        _ if seconds >= 1.0 => format!("{seconds:.0} s"),
        _ => "a second".into(),
    }
}

/// Does the missing runs, and those that are missing after them where the number of seeds depends on the runs. If it was
/// interrupted: how far it came.
fn simulate(
    mut runner: Runner<'_>,
    checked: &Checked,
    store: &Store,
    options: &Options<'_>,
) -> Result<Option<String>, Failure> {
    let place = store.path().display().to_string();
    let todo = |options: &Options<'_>| store.with_results(|results| missing(results, &checked.costs, options)).len();
    let before = |status| store.with_results(|results| results.count(status));
    let (finished, failed, mut open) = (before(Status::Finished), before(Status::Failed), todo(options));
    if finished + failed > 0 && open > 0 {
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        console::note(format_args!("resuming: {} finished before{failed}", diagnostics::plural(finished, "run")));
    }
    // Each run is kept as it ends, in a line that must be whole.
    interrupt::keep_finished();
    let (mut options, mut done) = (*options, 0);
    while open > 0 {
        let all = done + open;
        let mut reporter = Reporter::new();
        let watch = |status: &ackclock_run::Status| {
            let finished = done + status.finished;
            interrupt::say_at_end(format!("{finished} of {all} runs finished and kept in {place}\n{RESUME}"));
            reporter.update(status.fraction, |elapsed| {
                let speed = status.events as f64 / elapsed.as_secs_f64() / 1e6;
                format!("{finished} of {all} runs, {speed:.1} M events/s")
            });
        };
        let finished = match &mut runner {
            Runner::Here(sweep) => run_missing(sweep, checked, store, &options, watch),
            Runner::On(cluster, task) => run_missing_on(&mut **cluster, task, checked, store, &options, watch),
        };
        reporter.clear();
        done += finished?;
        if done < all {
            return Ok(Some(format!("{done} of {all} runs finished and kept in {place}\n{RESUME}")));
        }
        // What failed now was tried now.
        options.retry = false;
        open = todo(&options);
    }
    Ok(None)
}

/// Writes the tables if all runs of the sweep ended, and says what there is.
fn finish(store: &mut Store, shown: &Shown, shard: Shard) -> Result<Exit, Failure> {
    let missing = store.with_results(|results| results.count(Status::Missing));
    let place = store.path().display().to_string();
    if missing > 0 {
        return unfinished(store, shown, shard, missing);
    }
    let (method, baseline) = (shown.method, shown.baseline);
    store.write_tables(method, baseline)?;
    output::print(&store.with_results(|results| table::sweep::render(results, method, baseline)))?;
    for key in store.with_results(without_effect) {
        console::note(format_args!("note: `{key}` has no effect: every run gives the same with each of its values"));
    }
    for number in store.with_results(without_values) {
        console::note(format_args!(
            "warning: --until-ci {number}: no run has this number, so nothing decided how many seeds there are; {}",
            if number.contains('(') { "docs/measures.md".into() } else { format!("`ackclock explain {number}`") }
                + " says where it is defined"
        ));
    }
    for measure in store.with_results(measures_without_values) {
        console::note(format_args!("note: no run has a value of {measure}: the tables have no column of it"));
    }
    if let Some(ports) = store.with_results(report::ports) {
        console::note(format_args!("{ports}"));
    }
    store.with_results(say_settling);
    store.with_results(say_wide);
    let failed = store.with_results(say_failures);
    console::note(format_args!("tables and report.html in {place}"));
    if store.with_results(|results| report::has_figure(results.plan()) && !report::pdf_has_letters(results.plan())) {
        console::note(format_args!(
            "note: the font of figure.pdf has no more letters than Latin-1, and others are question marks; figure.svg has them"
        ));
    }
    store.with_results(|results| shown.write(results))?;
    // What failed is in the table, with the reason; a script notices by the exit code.
    Ok(if failed > 0 { Exit::Outside } else { Exit::Fine })
}

/// Says what is missing of a sweep of which not all runs ended: of a part that is nothing wrong, unless some of its runs failed, or files
/// were asked for that only the whole sweep has.
fn unfinished(store: &Store, shown: &Shown, shard: Shard, missing: usize) -> Result<Exit, Failure> {
    let place = store.path().display();
    let missing = diagnostics::plural(missing, "run");
    console::note(format_args!("{missing} of the sweep missing in {place}: no table was written"));
    let remedy = match shard {
        Shard::WHOLE => {
            "run the other parts, or `ackclock sweep` with --out of this folder, which does what is missing"
        }
        _ => "put the parts together: ackclock merge DIR... --out DIR",
    };
    let failed = store.with_results(say_failures);
    if let Some(first) = shown.asked_for() {
        return Err(Failure::outside(format_args!("`{}` was not written: {missing} missing", first.display()), remedy));
    }
    console::note(format_args!("{remedy}"));
    // A part is whole with its own runs; a merge is not.
    Ok(if failed > 0 || shard == Shard::WHOLE { Exit::Outside } else { Exit::Fine })
}

/// Says at which points the most seeds were not enough.
fn say_wide(results: &Results) {
    let (plan, wide) = (results.plan(), too_wide(results));
    let (Some(until), Some(first)) = (&plan.until_ci, wide.first()) else { return };
    let (label, seeds) = (plan.label(*first), plan.seeds);
    let first = if label.is_empty() { String::new() } else { format!(" (the first: {label})") };
    let (points, said) = (diagnostics::plural(wide.len(), "point"), until.said());
    console::note(format_args!("warning: after {seeds} seeds not {said}: {points}{first}; raise --max-seeds to go on"));
}

/// Says how long a start lasts that is no part of the rest, if it is not left out: advice.
fn say_settling(results: &Results) {
    let plan = results.plan();
    let longest = results.settling().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let Some((run, settles_s)) = longest else { return };
    let (point, seed) = plan.point_and_seed(run);
    let label = plan.label(point);
    let at = if label.is_empty() { String::new() } else { format!("{label}, ") };
    console::note(format_args!(
        "note: there is no warm-up, and the goodput settles after up to {} s (MSER-5, in the first run of the first, a middle and the \
         last point; here at {at}seed {seed}); --set \"warmup={} s\" leaves the start out of all numbers",
        short(settles_s),
        short(settles_s)
    ));
}

/// A number with three significant digits at most.
fn short(number: f64) -> String {
    let decimals = (2 - number.log10().floor() as i32).max(0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Says which runs failed; how many there are.
fn say_failures(results: &Results) -> usize {
    let plan = results.plan();
    let failed = results.count(Status::Failed);
    if failed == 0 {
        return 0;
    }
    console::note(format_args!("{} failed; --retry runs them again", diagnostics::plural(failed, "run")));
    let runs = results.runs().filter(|run| results.is_own(*run) && results.status(*run) == Status::Failed);
    for run in runs.take(MOST_FAILURES) {
        let (point, seed) = plan.point_and_seed(run);
        let label = plan.label(point);
        let at = if label.is_empty() { String::new() } else { format!("{label}, ") };
        console::note(format_args!("  {at}seed {seed}: {}", results.failure(run).unwrap_or_default()));
    }
    if failed > MOST_FAILURES {
        console::note(format_args!("  and {} more, in the column `status` of the table", failed - MOST_FAILURES));
    }
    failed
}

const NOTHING: Option<&str> = Some("nothing was run");
const LESS: &str = "vary fewer keys or fewer values";
const RESUME: &str = "run the same command again to resume";
const MOST_FAILURES: usize = 10;
/// From so many octets on memory is worth a word.
const MUCH_MEMORY: f64 = 5e8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_read_at_a_glance() {
        assert_eq!([1, 999, 1000, 1_000_000_000].map(grouped), ["1", "999", "1,000", "1,000,000,000"]);
        assert_eq!([0.2, 5.4, 150.0, 7200.0, 3e5].map(duration), ["a second", "5 s", "2 min", "2.0 h", "3 days"]);
    }
}
