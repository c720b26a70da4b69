//! Results: what runs of one scenario recorded, as tables, measures, documents and files.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ackclock::measure::{
    self, Expression, Flow, Measure, OF_FLOWS, OF_PORTS, OF_RUNS, OF_UDP, Period, Port, Subject, Udp,
};
use ackclock::record::{Metric, Records, Series};
use ackclock::scenario::Technology;
use ackclock::sim::Engine;
use ackclock_report::captures;
use ackclock_report::captures::pcapng::Meta;
use ackclock_run::{Folder, Jobs, KeepError, Status, Wanted};
use ackclock_store::document::{Document, Run};
use ackclock_store::tables;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors;
use crate::scenario::Scenario;
use crate::series::series_table;
use crate::table::{self, Made, Table};
use crate::waiting;

/// What runs of a scenario gave, one for each seed: `run` makes it.
#[pyclass(frozen, module = "ackclock")]
pub struct Result {
    scenario: Py<Scenario>,
    of: Arc<ackclock::scenario::Scenario>,
    seeds: Vec<u64>,
    runs: Vec<Records>,
    measures: Vec<Expression>,
    /// Why the command line cannot repeat it, if it cannot.
    is_no_run: Option<&'static str>,
}

/// Runs a scenario under seeds that follow each other. `stopped` of what is returned is what ended it early.
#[pyfunction]
#[pyo3(signature = (scenario, first_seed, seeds, measures, engine, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are the keyword arguments of a function of Python")]
pub fn run<'py>(
    py: Python<'py>,
    scenario: &Bound<'py, Scenario>,
    first_seed: u64,
    seeds: usize,
    measures: Vec<String>,
    engine: &str,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Result, Option<PyErr>)> {
    let of = scenario.get().loaded.clone();
    let engine = engine_named(py, engine)?;
    let measures =
        ackclock_scenario::sweep::asked_or_of_files(&measures, &of).map_err(|all| errors::invalid(py, &all))?;
    let asked = seeds_from(py, first_seed, seeds)?;
    let stop = AtomicBool::new(false);
    let duration_s = of.duration.as_secs_f64();
    let (runs, raised) = waiting::work(py, &stop, progress.as_ref(), &scenario.get().mechanisms.failed, |told| {
        let watch = |status: &Status| {
            let simulated = status.simulated * duration_s * status.runs as f64;
            told.tell(
                status.fraction,
                format!("{} of {} runs, {simulated:.1} s simulated", status.finished, status.runs),
            );
        };
        let jobs = Jobs::of_seeds((*of).clone(), asked.clone(), seeds);
        ackclock_run::run_all(jobs, threads, engine, &stop, watch, |(), records| Ok::<_, Infallible>(records))
    });
    if let Some(ackclock_run::Failure::Panicked { seed, message, .. }) = runs.failure {
        return Err(errors::defect(py, format_args!("the run with seed {seed} failed: {message}")));
    }
    if let Some(error) = scenario.get().mechanisms.failed.take() {
        return Err(error);
    }
    let mut runs = runs.kept;
    runs.sort_by_key(|run| run.seed);
    let result =
        Result { scenario: scenario.clone().unbind(), of, seeds: asked.collect(), runs, measures, is_no_run: None };
    Ok((result, raised))
}

/// The engine of this name.
pub fn engine_named(py: Python<'_>, name: &str) -> PyResult<Engine> {
    match name {
        "batched" => Ok(Engine::Batched),
        "reference" => Ok(Engine::Reference),
        _ => Err(errors::usage(
            py,
            format_args!("there is no engine {name:?}"),
            "engine is \"batched\" or \"reference\"",
        )),
    }
}

fn seeds_from(py: Python<'_>, first: u64, count: usize) -> PyResult<RangeInclusive<u64>> {
    if !(1..=MOST_SEEDS).contains(&count) {
        return Err(errors::usage(py, format_args!("{count} seeds"), format_args!("seeds is from 1 to {MOST_SEEDS}")));
    }
    match first.checked_add(count as u64 - 1).filter(|last| *last <= i64::MAX as u64) {
        Some(last) => Ok(first..=last),
        None => Err(errors::usage(
            py,
            format_args!("{count} seeds from {first} on go beyond the largest seed, {}", i64::MAX),
            "choose a smaller first seed",
        )),
    }
}

impl Result {
    /// A result of one run, which may have been steered, or not come to its end.
    pub fn of_run(
        scenario: Py<Scenario>,
        of: Arc<ackclock::scenario::Scenario>,
        records: Records,
        was_steered: bool,
    ) -> Result {
        let is_no_run = match () {
            () if was_steered => Some("windows or rates of the simulation were held from outside"),
            () if !records.complete => Some("the simulation was ended before its end"),
            () => None,
        };
        Result { scenario, of, seeds: vec![records.seed], runs: vec![records], measures: Vec::new(), is_no_run }
    }

    fn measured(&self) -> impl Iterator<Item = measure::Run<'_>> {
        self.runs.iter().map(|records| measure::Run::new(&self.of, records, Period::Measured))
    }

    fn unit(&self) -> &'static str {
        match self.of.technology {
            Technology::Atm { .. } => "cells",
            Technology::Packet { .. } => "packets",
        }
    }

    /// A column of each measure that has a value of something.
    fn columns<S: Subject>(&self, all: &[Measure<S>], values: impl Fn(&Measure<S>) -> Vec<Option<f64>>) -> Vec<Made> {
        let column = |measure: &Measure<S>| {
            let values: Vec<Option<f64>> = if measure.of.is_some() { values(measure) } else { return None };
            Some(self.made(measure.name, measure.unit, measure.about, table::optional(&values)?))
        };
        all.iter().filter_map(column).collect()
    }

    fn made(&self, name: &str, unit: &str, about: &str, values: arrow_array::ArrayRef) -> Made {
        let unit = if unit == "units" { self.unit() } else { unit };
        Made { name: column_name(name, unit), unit: unit.to_owned(), about: about.to_owned(), values }
    }

    /// Columns of the seed and of names, each given for everything in order.
    fn named(&self, named: &[Named<'_>]) -> Vec<Made> {
        let mut columns = Vec::new();
        if let Some((_, _, first)) = named.first() {
            let seeds = table::integers(first.iter().map(|(seed, _)| *seed as i64).collect());
            columns.push(self.made(tables::SEED.0, "", tables::SEED.1, seeds));
        }
        columns.extend(
            named
                .iter()
                .map(|(name, about, of)| self.made(name, "", about, table::names(of.iter().map(|(_, name)| *name)))),
        );
        columns
    }

    fn document(&self) -> Document {
        let run = |records: &Records| Run::from(records).measured(&self.measures, &self.of, records);
        let part = self.scenario.get().part();
        Document::new(self.command(), part, self.seeds.clone(), self.runs.iter().map(run).collect())
    }

    /// The command line that gives the same.
    fn command(&self) -> Vec<String> {
        let scenario = self.scenario.get();
        let mut words: Vec<String> = ["ackclock", "run", &scenario.origin.path].map(str::to_owned).into();
        scenario.sets.iter().for_each(|set| words.extend(["--set".to_owned(), set.clone()]));
        if self.seeds.first().is_some_and(|first| *first != scenario.first_seed) {
            words.extend(["--set".to_owned(), format!("seed={}", self.seeds[0])]);
        }
        if self.seeds.len() > 1 {
            words.extend(["--seeds".to_owned(), self.seeds.len().to_string()]);
        }
        self.measures.iter().for_each(|of| words.extend(["--measure".to_owned(), of.text().to_owned()]));
        words
    }

    fn write(&self, path: &Path) -> std::result::Result<(), KeepError> {
        let part = self.scenario.get().part();
        let wanted = Wanted::of(&self.of, &part);
        let mut folder = Folder::prepare(path, &part, |_| {})?;
        let mut document = self.document();
        let kept = document.runs.drain(..).zip(&self.runs).map(|(run, records)| match self.seeds.len() {
            1 => folder.keep_recorded(&wanted, &part, run, records),
            _ => folder.keep(&wanted, &part, run, records),
        });
        let kept: Vec<Run> = kept.collect::<std::result::Result<_, _>>()?;
        let whole = Document::new(document.command, part, self.seeds.clone(), kept);
        folder.sync()?;
        Ok(folder.write(&whole, "")?)
    }

    fn recorded(&self) -> BTreeSet<Metric> {
        self.runs.iter().flat_map(|run| run.series.iter().map(|series| series.metric)).collect()
    }
}

#[pymethods]
impl Result {
    /// The scenario that was run, with the values that were set.
    #[getter]
    fn scenario(&self, py: Python<'_>) -> Py<Scenario> {
        self.scenario.clone_ref(py)
    }

    /// The seeds of the runs that were finished.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.runs.iter().map(|run| run.seed).collect()
    }

    /// Whether every run that was asked for was finished.
    #[getter]
    fn complete(&self) -> bool {
        self.runs.len() == self.seeds.len() && self.runs.iter().all(|run| run.complete)
    }

    /// The simulated time of each run, seconds: less than the duration of the scenario where a simulation was ended before.
    #[getter]
    fn simulated_s(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.simulated.as_secs_f64()).collect()
    }

    /// Of each run a hash over everything observable, sixteen hexadecimal digits: equal runs have equal ones.
    #[getter]
    fn fingerprints(&self) -> Vec<String> {
        self.runs.iter().map(|run| format!("{:016x}", run.fingerprint)).collect()
    }

    /// A table with a row for each run: numbers of the whole network, and the measures that were asked for.
    #[getter]
    fn runs(&self) -> Table {
        let runs: Vec<_> = self.measured().collect();
        let seeds = table::integers(self.runs.iter().map(|run| run.seed as i64).collect());
        let mut columns = vec![self.made(tables::SEED.0, "", tables::SEED.1, seeds)];
        columns.extend(self.columns(OF_RUNS, |measure| {
            runs.iter().map(|run| measure.value(run, None).filter(|value| value.is_finite())).collect()
        }));
        for asked in &self.measures {
            let values: Vec<Option<f64>> = runs.iter().map(|run| asked.value(run)).collect();
            let values = table::optional(&values).unwrap_or_else(|| table::numbers(vec![f64::NAN; values.len()]));
            let unit = if asked.unit() == "units" { self.unit() } else { asked.unit() };
            let (name, about) = (asked.text().to_owned(), asked.about().to_owned());
            columns.push(Made { name, unit: unit.to_owned(), about, values });
        }
        Table::of(columns)
    }

    /// A table with a row for each run and flow of TCP, after the warm-up where there is one.
    #[getter]
    fn flows(&self) -> Table {
        let runs: Vec<_> = self.measured().collect();
        let flows: Vec<(u64, Flow<'_>)> =
            runs.iter().flat_map(|run| run.flows().map(|flow| (run.records.seed, flow))).collect();
        let names = flows.iter().map(|(seed, flow)| (*seed, flow.record.name.as_str())).collect();
        let group = |flow: &Flow<'_>| flow.of.group.as_deref().unwrap_or_default().to_owned();
        let groups: Vec<String> = flows.iter().map(|(_, flow)| group(flow)).collect();
        let mut named = vec![("flow", "The flow.", names)];
        if groups.iter().any(|group| !group.is_empty()) {
            let of = flows.iter().zip(&groups).map(|((seed, _), group)| (*seed, group.as_str())).collect();
            named.push(("group", "The group of the flow.", of));
        }
        let mut columns = self.named(&named);
        columns.extend(self.columns(OF_FLOWS, |measure| {
            flows.iter().map(|(_, flow)| measure.value(flow, None).filter(|value| value.is_finite())).collect()
        }));
        Table::of(columns)
    }

    /// A table with a row for each run and source of datagrams.
    #[getter]
    fn udp(&self) -> Table {
        let runs: Vec<_> = self.measured().collect();
        let sources: Vec<(u64, Udp<'_>)> =
            runs.iter().flat_map(|run| run.udp().map(|source| (run.records.seed, source))).collect();
        let names = sources.iter().map(|(seed, source)| (*seed, source.record.name.as_str())).collect();
        let mut columns = self.named(&[("source", "The source of datagrams.", names)]);
        columns.extend(self.columns(OF_UDP, |measure| {
            sources.iter().map(|(_, source)| measure.value(source, None).filter(|value| value.is_finite())).collect()
        }));
        Table::of(columns)
    }

    /// A table with a row for each run and output port. Ports count cells on ATM networks, packets on others.
    #[getter]
    fn ports(&self) -> Table {
        let runs: Vec<_> = self.measured().collect();
        let ports: Vec<(u64, Port<'_>)> =
            runs.iter().flat_map(|run| run.ports().map(|port| (run.records.seed, port))).collect();
        let names = ports.iter().map(|(seed, port)| (*seed, port.record.name.as_str())).collect();
        let mut columns = self.named(&[("port", "The output port, from->to.", names)]);
        columns.extend(self.columns(OF_PORTS, |measure| {
            ports.iter().map(|(_, port)| measure.value(port, None).filter(|value| value.is_finite())).collect()
        }));
        Table::of(columns)
    }

    /// The names of the metrics that were recorded over time.
    #[getter]
    fn metrics(&self) -> Vec<&'static str> {
        self.recorded().into_iter().map(Metric::name).collect()
    }

    /// What was recorded of a metric over time: a table with the seed, the flow or port, the time in seconds, and the value. Of intervals
    /// their start, end, and the smallest, mean and largest value.
    #[pyo3(signature = (metric, of=None, seed=None))]
    fn series(&self, py: Python<'_>, metric: &str, of: Option<&str>, seed: Option<u64>) -> PyResult<Table> {
        let recorded = self.recorded();
        let names = || recorded.iter().map(|metric| metric.name()).collect::<Vec<_>>().join(", ");
        let Some(metric) = Metric::named(metric).filter(|metric| recorded.contains(metric)) else {
            let has = if recorded.is_empty() {
                "nothing was recorded".to_owned()
            } else {
                format!("recorded are {}", names())
            };
            let remedy = format!("run it with record=[{metric:?}]; `ackclock list record` names the metrics");
            return Err(errors::usage(py, format_args!("{metric:?} was not recorded: {has}"), remedy));
        };
        let wanted = |of_run: &&Records| seed.is_none_or(|seed| seed == of_run.seed);
        let all = self.runs.iter().filter(wanted).flat_map(|run| run.series.iter().map(move |one| (run.seed, one)));
        let all: Vec<(u64, &Series)> = all.filter(|(_, series)| series.metric == metric).collect();
        let found: Vec<(u64, &Series)> =
            all.iter().copied().filter(|(_, series)| of.is_none_or(|of| series.of == of)).collect();
        if found.is_empty() {
            let there: BTreeSet<&str> = all.iter().map(|(_, series)| series.of.as_str()).collect();
            let (wrong, remedy) = match (of, seed) {
                (_, Some(seed)) if all.is_empty() => {
                    (format!("no run has the seed {seed}"), format!("the seeds are {:?}", self.seeds()))
                }
                (of, _) => {
                    let wrong = format!("{} of {} was not recorded", metric.name(), of.unwrap_or("anything"));
                    (wrong, format!("there are {}", there.into_iter().collect::<Vec<_>>().join(", ")))
                }
            };
            return Err(errors::usage(py, wrong, remedy));
        }
        Ok(series_table(metric, self.unit(), &found))
    }

    /// A measure of each run, in the order of the seeds: None where it has no value. `text` is as of `--measure` of the command line, as
    /// "goodput(f1)", "jain(sent)", "p95(one-way-delay: ping)", "cwnd(f1, 2 to 5 s)".
    fn measure(&self, py: Python<'_>, text: String) -> PyResult<Vec<Option<f64>>> {
        let asked = ackclock_scenario::sweep::asked(&[text], &self.of).map_err(|all| errors::invalid(py, &all))?;
        Ok(self
            .measured()
            .flat_map(|run| asked.iter().map(move |asked| asked.value(&run)).collect::<Vec<_>>())
            .collect())
    }

    /// The result as the JSON document that the command line prints with --json.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.document().without_files().to_json())
    }

    /// Finds out whether a result can be written to a folder, before anything is run.
    #[staticmethod]
    fn check_folder(py: Python<'_>, scenario: &Scenario, path: PathBuf) -> PyResult<()> {
        let part = scenario.part();
        let prepared = py.detach(|| Folder::prepare(&path, &part, |_| {}).map(drop));
        prepared.map_err(|error| errors::outside(py, &error, error.help()))
    }

    /// Writes a result folder, as `ackclock run --out` does: the scenario, result.json, tables and captures.
    fn write_folder(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        if let Some(why) = self.is_no_run {
            let remedy = "save its tables, or save_report(); a result folder is of a run that `ackclock rerun` repeats";
            return Err(errors::usage(py, why, remedy));
        }
        py.detach(|| self.write(&path)).map_err(|error| errors::outside(py, &error, error.help()))
    }

    /// The page that `ackclock report` writes, as text; the plots show the run of this seed, or the first.
    #[pyo3(signature = (seed=None))]
    fn report(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<String> {
        let run = self.runs.iter().find(|run| seed.is_none_or(|seed| seed == run.seed));
        let Some(run) = run else {
            return Err(errors::usage(
                py,
                "there is no run of this seed",
                format_args!("there are {:?}", self.seeds()),
            ));
        };
        Ok(py.detach(|| {
            let page = ackclock_report::run::run(&self.document(), run.seed, &run.series);
            ackclock_store::seal::page(&page)
        }))
    }

    /// Writes a capture of each host that the scenario captures at, and of each seed, into a folder, which is made if it is not there: pcapng files
    /// for Wireshark and tcptrace. Returns their paths.
    fn write_captures<'py>(&self, py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyList>> {
        if self.runs.iter().all(|run| run.captures.is_empty()) {
            return Err(errors::usage(py, "nothing was captured", "run it with capture=[\"HOST\"]"));
        }
        let part = self.scenario.get().part();
        let meta = Meta::of(&self.of, &part.hash);
        let mut written = Vec::new();
        for records in &self.runs {
            let folder = if self.runs.len() == 1 { path.clone() } else { path.join(tables::seed_folder(records.seed)) };
            let run = Run::from(records);
            py.detach(|| captures::write(&folder, &records.captures, &meta, &part, &run)).map_err(|error| {
                errors::outside(
                    py,
                    format_args!("cannot write `{}`: {error}", folder.display()),
                    "choose another folder",
                )
            })?;
            written.extend(records.captures.iter().map(|one| folder.join(captures::pcapng::file_name(&one.host))));
        }
        PyList::new(py, written)
    }

    fn __str__(&self, py: Python<'_>) -> String {
        match self.runs.is_empty() {
            true => "no run was finished".to_owned(),
            false => {
                let table = py.detach(|| ackclock_cli::table::render(&self.document()));
                match self.is_no_run {
                    Some(why) => format!("{table}{why}: {} s were simulated\n", self.runs[0].simulated.as_secs_f64()),
                    None => table,
                }
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("Result({:?}, seeds {:?})", self.of.name, self.seeds())
    }
}

/// As many as the command line takes.
const MOST_SEEDS: usize = 1_000_000;

/// A column of names: what it is called, what it means, and of each row the seed and the name.
type Named<'a> = (&'a str, &'a str, Vec<(u64, &'a str)>);

/// Letters, digits and underscores, with the unit where numbers are not counts or shares.
fn column_name(name: &str, unit: &str) -> String {
    let name = name.replace('-', "_");
    let suffix = match unit {
        "bit/s" => "bps",
        "s" => "s",
        "bytes" => "bytes",
        _ => return name,
    };
    if name.ends_with(&format!("_{suffix}")) { name } else { format!("{name}_{suffix}") }
}
