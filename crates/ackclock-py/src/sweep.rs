//! Sweeps as Python asks for them: those of the command line, in the same folders.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ackclock_cli::diagnostics;
use ackclock_columns::Values;
use ackclock_scenario::sweep::{Lack, Request, Sweep};
use ackclock_scenario::{Outside, Source};
use ackclock_sweep::cluster::{Recording, Task, run_missing_on};
use ackclock_sweep::summary::{Method, measures_without_values, too_wide, without_effect};
use ackclock_sweep::table::{self, Filled};
use ackclock_sweep::{Checked, Error, METRICS, Options, Results, Seeds, Shard, Status, Store, missing, run_missing};
use pyo3::prelude::*;

use crate::cluster::PythonCluster;
use crate::errors;
use crate::result::engine_named;
use crate::scenario::{Origin, Scenario};
use crate::table::{Made, Table, integers, names, numbers, optional};
use crate::waiting::{self, Progress};

/// What is swept, and how.
#[derive(FromPyObject)]
pub struct Asked {
    path: String,
    sets: Vec<String>,
    vary: Vec<String>,
    seeds: Option<u64>,
    measures: Vec<String>,
    until_ci: Vec<String>,
    max_seeds: Option<u64>,
    latin_hypercube: Option<usize>,
    skip_refused: bool,
    time_limit_s: Option<f64>,
    retry: bool,
    shard: Option<String>,
    threads: usize,
    max_runs: u64,
    out: Option<PathBuf>,
    engine: String,
    cluster: Option<Py<PyAny>>,
    /// The scenario, if it is one that has mechanisms.
    scenario: Option<Py<Scenario>>,
}

/// What a sweep gave: one table with a row for each run, and one with a row for each point.
#[pyclass(frozen, module = "ackclock")]
pub struct SweepResult {
    folder: PathBuf,
    keys: Vec<String>,
    numbers: Vec<String>,
    counts: [usize; 3],
    notes: Vec<String>,
    runs: Py<Table>,
    means: Option<Py<Table>>,
}

#[pymethods]
impl SweepResult {
    /// The folder of the sweep.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The columns of what is varied, in order.
    #[getter]
    fn keys(&self) -> Vec<String> {
        self.keys.clone()
    }

    /// The columns of numbers, those that were asked for first.
    #[getter]
    fn numbers(&self) -> Vec<String> {
        self.numbers.clone()
    }

    /// How many runs were finished, failed, and are missing.
    #[getter]
    fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// What there is to say: damage that was mended, values without effect, intervals that stayed too wide.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// A row for each run.
    #[getter]
    fn runs(&self, py: Python<'_>) -> Py<Table> {
        self.runs.clone_ref(py)
    }

    /// A row for each point; None as long as runs are missing.
    #[getter]
    fn means(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.means.as_ref().map(|means| means.clone_ref(py))
    }
}

/// Runs a sweep, here or on a cluster. The second of what is returned is what ended it early.
#[pyfunction]
#[pyo3(signature = (asked, progress=None))]
pub fn sweep(
    py: Python<'_>,
    asked: Asked,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Option<SweepResult>, Option<PyErr>)> {
    let engine = engine_named(py, &asked.engine)?;
    let shard = match asked.shard.as_deref().map(str::parse::<Shard>) {
        None => Shard::WHOLE,
        Some(Ok(shard)) => shard,
        Some(Err(wrong)) => {
            return Err(errors::usage(
                py,
                format_args!("shard={:?}: {wrong}", asked.shard.unwrap_or_default()),
                "write shard=\"1/8\"",
            ));
        }
    };
    let stop = AtomicBool::new(false);
    let time_limit = asked.time_limit_s.map(Duration::try_from_secs_f64).transpose();
    let time_limit =
        time_limit.map_err(|wrong| errors::usage(py, format_args!("time_limit: {wrong}"), "write \"60 s\""))?;
    let (threads, retry) = (asked.threads, asked.retry);
    let mechanisms = asked.scenario.as_ref().map(|scenario| scenario.get().mechanisms.clone()).unwrap_or_default();
    let are_void = || mechanisms.failed.is_set();
    let options = Options { threads, engine, time_limit, shard, retry, stop: &stop, are_void: &are_void };
    let work = |told: &Progress| done(&asked, &mechanisms.outside, &options, told);
    let (outcome, raised) = waiting::work(py, &stop, progress.as_ref(), &mechanisms.failed, work);
    if let Some(error) = mechanisms.failed.take() {
        return Err(error);
    }
    match (outcome, raised) {
        (Err(failed), _) => Err(failed.raise(py)),
        (Ok(None), Some(error)) => Ok((None, Some(error))),
        (Ok(None), None) => Err(errors::defect(py, "a sweep ended that nobody stopped")),
        (Ok(Some(done)), raised) => Ok((Some(done.given(py)?), raised)),
    }
}

/// Why there is no sweep.
enum Failed {
    Sweep(Error),
    Invalid(Vec<ackclock_scenario::Diagnostic>),
    Usage(String, String),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Sweep(error)
    }
}

impl From<ackclock_store::StoreError> for Failed {
    fn from(error: ackclock_store::StoreError) -> Failed {
        Failed::Sweep(error.into())
    }
}

impl Failed {
    fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Failed::Invalid(diagnostics) => errors::invalid(py, &diagnostics),
            Failed::Usage(wrong, help) => errors::usage(py, wrong, help),
            Failed::Sweep(Error::Load(error)) => errors::load(py, error),
            Failed::Sweep(Error::Defect(message)) => errors::defect(py, message),
            Failed::Sweep(error @ (Error::Usage { .. } | Error::Seeds { .. })) => {
                errors::usage(py, &error, error.help())
            }
            Failed::Sweep(error) => errors::outside(py, &error, error.help()),
        }
    }
}

/// A sweep as far as it came.
struct Done {
    store: Store,
    notes: Vec<String>,
}

/// Does a sweep as far as it is not done; `None` if it was stopped before its folder was taken.
fn done(asked: &Asked, outside: &Outside, options: &Options<'_>, told: &Progress) -> Result<Option<Done>, Failed> {
    let numbers: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let request = Request {
        file: &asked.path,
        sets: &asked.sets,
        vary: &asked.vary,
        latin_hypercube: asked.latin_hypercube,
        until_ci: &asked.until_ci,
        measures: &asked.measures,
        numbers: &numbers,
        outside: Some(outside),
    };
    // A scenario that is loaded stays what it is.
    let origin = match &asked.scenario {
        Some(scenario) => scenario.get().origin.clone(),
        None => Origin::new(asked.path.clone(), None),
    };
    let recording = Recording::new(&origin);
    let source: &dyn Source = if asked.cluster.is_some() { &recording } else { &origin };
    let sweep = Sweep::read(source, &request).map_err(Error::Load)?;
    let Seeds { most: seeds, until_ci } = Seeds::of(&sweep, asked.seeds, asked.max_seeds)?;
    let runs = sweep.points().saturating_mul(seeds as u128);
    if runs > u128::from(asked.max_runs) {
        let wrong = format!("this sweep has {runs} runs, more than max_runs={}", asked.max_runs);
        return Err(Failed::Usage(wrong, format!("vary fewer keys or fewer values, or confirm with max_runs={runs}")));
    }
    let points = sweep.points() as f64;
    let mut watch =
        |checked: usize| told.tell(checked as f64 / points, format!("{checked} of {points} points checked"));
    let command = command(asked, runs);
    let checked = Checked::of(&sweep, seeds, until_ci, command, options.threads, options.stop, &mut watch)?;
    let Some(checked) = checked else { return Ok(None) };
    let mut notes = refused(&checked, asked.skip_refused)?;
    if !checked.lacks.is_empty() {
        return Err(Failed::Invalid(Lack::diagnostics(&checked.lacks)));
    }
    notes.extend(diagnostics::sentences(&checked.warnings));
    let path = asked.out.clone().unwrap_or_else(|| Store::default_path(&checked.plan, options.shard));
    let (mut opened, damage) = Store::open(&path, checked.plan.clone(), |_| {})?;
    notes.extend((!damage.is_none()).then(|| damage.to_string()));
    if options.engine == ackclock::sim::Engine::Batched && options.shard == Shard::WHOLE {
        opened.take_beside();
    }
    let mut store = opened.begin()?;
    let mut cluster = asked.cluster.as_ref().map(|cluster| Python::attach(|py| PythonCluster(cluster.clone_ref(py))));
    let task = cluster.as_ref().map(|_| Task::new(&request, &recording, &checked, options));
    let (mut options, mut ended) = (*options, 0);
    let open = |options: &Options<'_>| store.with_results(|results| missing(results, &checked.costs, options)).len();
    while open(&options) > 0 {
        let all = ended + open(&options);
        let watch = |status: &ackclock_run::Status| {
            told.tell(status.fraction, format!("{} of {all} runs", ended + status.finished));
        };
        let now = match (&mut cluster, &task) {
            (Some(cluster), Some(task)) => run_missing_on(cluster, task, &checked, &store, &options, watch)?,
            _ => run_missing(&sweep, &checked, &store, &options, watch)?,
        };
        ended += now;
        if ended < all {
            return Ok(Some(Done { store, notes }));
        }
        // What failed now was tried now.
        options.retry = false;
    }
    store.note_mended(&damage)?;
    if store.with_results(|results| results.count(Status::Missing)) == 0 {
        store.write_tables(Method::default(), None)?;
        notes.extend(store.with_results(said));
    }
    Ok(Some(Done { store, notes }))
}

/// The command that repeats the sweep; that of a text cannot be repeated by one.
fn command(asked: &Asked, runs: u128) -> Vec<String> {
    let mut words: Vec<String> = ["ackclock", "sweep", &asked.path].map(str::to_owned).into();
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    asked.vary.iter().for_each(|vary| option("--vary", vary.clone()));
    asked.sets.iter().for_each(|set| option("--set", set.clone()));
    asked.latin_hypercube.iter().for_each(|points| option("--latin-hypercube", points.to_string()));
    asked.seeds.iter().for_each(|seeds| option("--seeds", seeds.to_string()));
    asked.measures.iter().for_each(|measure| option("--measure", measure.clone()));
    asked.until_ci.iter().for_each(|width| option("--until-ci", width.clone()));
    asked.max_seeds.iter().for_each(|seeds| option("--max-seeds", seeds.to_string()));
    if runs > 1_000_000 {
        option("--max-runs", runs.to_string());
    }
    if asked.skip_refused {
        words.push("--skip-refused".into());
    }
    words
}

/// What the scenario refuses: an error, or if it is to be left out a note.
fn refused(checked: &Checked, is_skipped: bool) -> Result<Vec<String>, Failed> {
    if checked.refused_points == 0 {
        return Ok(Vec::new());
    }
    if !is_skipped || checked.accepted_points() == 0 {
        return Err(Failed::Invalid(checked.refused.iter().map(|refused| refused.diagnostic.clone()).collect()));
    }
    let points = diagnostics::plural(checked.plan.points.len(), "point");
    Ok(vec![format!("the scenario refuses {} of {points}, which are skipped", checked.refused_points)])
}

/// What there is to say of a sweep that has ended.
fn said(results: &Results) -> Vec<String> {
    let mut said: Vec<String> = without_effect(results)
        .into_iter()
        .map(|key| format!("`{key}` has no effect: every run gives the same with each of its values"))
        .collect();
    said.extend(measures_without_values(results).into_iter().map(|measure| format!("no run has a value of {measure}")));
    let (wide, plan) = (too_wide(results), results.plan());
    if let (Some(until), false) = (&plan.until_ci, wide.is_empty()) {
        let points = diagnostics::plural(wide.len(), "point");
        said.push(format!("after {} seeds not {}: {points}; raise max_seeds to go on", plan.seeds, until.said()));
    }
    for run in results.runs().filter(|run| results.status(*run) == Status::Failed).take(MOST_FAILURES) {
        let (point, seed) = plan.point_and_seed(run);
        let why = results.failure(run).unwrap_or_default();
        said.push(format!("the run at {}, seed {seed} failed: {why}; retry=True runs it again", plan.label(point)));
    }
    said
}

impl Done {
    fn given(self, py: Python<'_>) -> PyResult<SweepResult> {
        let Done { store, notes } = self;
        let folder = store.path().to_path_buf();
        let (runs, means, keys, numbers, counts) = store.with_results(|results| {
            let counts = [Status::Finished, Status::Failed, Status::Missing].map(|status| results.count(status));
            let means = (counts[2] == 0).then(|| table::means(results, Method::default()));
            let is_number = |column: &Filled<'_>| matches!(column.values, Values::Optional(_));
            let runs = table::filled(results);
            // Keys come before the seed.
            let keys: Vec<String> =
                runs.iter().take_while(|column| column.name != "seed").map(|column| column.name.clone()).collect();
            let named = |is_asked: bool| {
                let of = |column: &&Filled<'_>| is_number(column) && column.is_asked == is_asked;
                runs.iter().filter(of).map(|column| column.name.clone()).collect::<Vec<_>>()
            };
            let numbers = [named(true), named(false)].concat();
            (made(runs), means.map(made), keys, numbers, counts)
        });
        let means = means.map(|means| Py::new(py, Table::of(means))).transpose()?;
        Ok(SweepResult { folder, keys, numbers, counts, notes, runs: Py::new(py, Table::of(runs))?, means })
    }
}

fn made(columns: Vec<Filled<'_>>) -> Vec<Made> {
    columns
        .into_iter()
        .map(|Filled { name, unit, about, values, .. }| Made { name, unit, about, values: array(values) })
        .collect()
}

fn array(values: Values<'_>) -> arrow_array::ArrayRef {
    let all =
        |pieces: Vec<std::borrow::Cow<'_, [f64]>>| pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
    match values {
        Values::Text(texts) => names(texts.into_iter()),
        Values::Number(pieces) => numbers(all(pieces)),
        Values::Whole(pieces) => integers(all(pieces).into_iter().map(|number: f64| number as i64).collect()),
        Values::Optional(values) => optional(&values).unwrap_or_else(|| numbers(vec![f64::NAN; values.len()])),
        other => unreachable!("tables of sweeps have no {other:?}"),
    }
}

/// More are in the column `status` of the table.
const MOST_FAILURES: usize = 10;
