//! Published studies, reproduced for Python.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ackclock_study::{Error, Outcome, Progress, Selection, Status, Study};
use pyo3::prelude::*;

use crate::errors;
use crate::mechanisms::Failed;
use crate::result::engine_named;
use crate::waiting;

/// The studies: their names and titles.
#[pyfunction]
pub fn studies(py: Python<'_>) -> PyResult<Vec<(String, String)>> {
    let load = |name: &str| Study::load(name).map(|study| (name.to_owned(), study.title().to_owned()));
    ackclock_study::names().into_iter().map(|name| load(name).map_err(|error| failed(py, &error))).collect()
}

/// A study that was reproduced: its report as text and as JSON, whether no difference is unexplained, and where the report is.
type Reproduced = (String, String, bool, PathBuf);

/// Reproduces a study, or one card of it. The second of what is returned is what ended it early; then there is no report.
#[pyfunction]
#[pyo3(signature = (name, card, quick, seeds, out, engine, threads, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are the keyword arguments of a function of Python")]
pub fn reproduce(
    py: Python<'_>,
    name: &str,
    card: Option<String>,
    quick: bool,
    seeds: Option<u64>,
    out: PathBuf,
    engine: &str,
    threads: usize,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Option<Reproduced>, Option<PyErr>)> {
    let engine = engine_named(py, engine)?;
    let study = Study::load(name).map_err(|error| failed(py, &error))?;
    let plan = study.plan(&Selection { card, quick, seeds }).map_err(|error| failed(py, &error))?;
    let folder = out.join(study.name());
    let stop = AtomicBool::new(false);
    let (outcome, raised) = waiting::work(py, &stop, progress.as_ref(), &Failed::default(), |told| {
        ackclock_study::reproduce(&study, &plan, engine, &folder, threads, &stop, &Teller(told))
    });
    match outcome.map_err(|error| failed(py, &error))? {
        Outcome::Finished(report) => Ok((Some((report.text(), report.json(), report.passed(), folder)), raised)),
        Outcome::Stopped { .. } => Ok((None, raised)),
    }
}

struct Teller<'a>(&'a waiting::Progress);

impl Progress for Teller<'_> {
    fn advanced(&self, status: &Status) {
        self.0.tell(status.fraction, format!("{} of {} runs", status.runs_finished, status.runs));
    }

    fn noted(&self, _note: &str) {}
}

fn failed(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::UnknownStudy { .. } | Error::UnknownCard { .. } => {
            errors::usage(py, error, "ackclock.studies() names them")
        }
        Error::NoSeeds => errors::usage(py, error, "give a number above 0"),
        Error::Store(store) => errors::outside(py, store, store.help()),
        Error::Results { path, .. } => errors::outside(py, error, other_folder(path)),
        // Live runs, of which the package makes none, end with the second three.
        Error::Data { .. } | Error::Scenario { .. } | Error::Run { .. } => errors::defect(py, error),
        Error::NothingLive { .. } | Error::Kernel(_) | Error::Invalid { .. } => errors::defect(py, error),
    }
}

fn other_folder(path: &Path) -> String {
    format!("choose another folder than `{}` with out=, or free space on the disk", path.display())
}
