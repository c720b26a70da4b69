//! Scenarios as Python has them: loaded, checked, complete.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock::ids::Id;
use ackclock_cli::diagnostics;
use ackclock_sat::plan::Plan;
use ackclock_scenario::{Diagnostic, Disk, LoadError, Loaded, Loader, Source, Unreadable, load};
use ackclock_store::document::ScenarioPart;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors;
use crate::mechanisms::Mechanisms;

/// Where a scenario comes from: files of the disk, and a text in the place of the first of them if one is given. What was read once is not
/// read again, so that a scenario stays what it is when its files change.
#[derive(Clone, Debug)]
pub struct Origin {
    pub path: String,
    pub text: Option<Arc<str>>,
    read: Arc<Mutex<Read>>,
}

#[derive(Debug, Default)]
struct Read {
    files: BTreeMap<String, Vec<u8>>,
    absolute: BTreeMap<String, String>,
    plans: BTreeMap<String, (Plan, String)>,
}

impl Origin {
    /// The file at a path, or the text that stands for it.
    pub fn new(path: String, text: Option<&str>) -> Origin {
        Origin { path, text: text.map(Arc::from), read: Arc::default() }
    }

    fn once<T: Clone, E>(
        &self,
        path: &str,
        of: fn(&mut Read) -> &mut BTreeMap<String, T>,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(known) = of(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner)).get(path) {
            return Ok(known.clone());
        }
        let new = read()?;
        of(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner)).insert(path.to_owned(), new.clone());
        Ok(new)
    }
}

impl Source for Origin {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match &self.text {
            Some(text) if path == self.path => Ok(text.as_bytes().to_vec()),
            _ => self.once(path, |read| &mut read.files, || Disk.read(path)),
        }
    }

    fn read_referenced(&self, path: &str) -> io::Result<Vec<u8>> {
        self.once(path, |read| &mut read.files, || Disk.read_referenced(path))
    }

    fn join(&self, from: &str, reference: &str) -> String {
        Disk.join(from, reference)
    }

    fn absolute(&self, path: &str) -> String {
        let absolute = self.once(path, |read| &mut read.absolute, || Ok::<_, Infallible>(Disk.absolute(path)));
        absolute.unwrap_or_else(|never| match never {})
    }

    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        self.once(path, |read| &mut read.plans, || Disk.plan(path))
    }
}

/// A scenario: what is simulated, checked and with every default filled in. It does not change; `set` makes another one.
///
/// Scenario(path) reads a file; from_text reads a text; build makes one of keyword arguments. Errors raise ScenarioError, which has all
/// of them with file, line, column and remedy.
#[pyclass(frozen, module = "ackclock")]
pub struct Scenario {
    pub origin: Origin,
    pub sets: Vec<String>,
    pub loaded: Arc<ackclock::scenario::Scenario>,
    pub resolved: String,
    pub first_seed: u64,
    pub warnings: Vec<Diagnostic>,
    pub mechanisms: Mechanisms,
}

impl Scenario {
    fn load(py: Python<'_>, origin: Origin, sets: Vec<String>, mechanisms: Mechanisms) -> PyResult<Scenario> {
        let loaded =
            py.detach(|| Loader::new(&origin).overrides(&sets).outside(&mechanisms.outside).load(&origin.path));
        let Loaded { scenario, seed, resolved, warnings, .. } = loaded.map_err(|error| errors::load(py, error))?;
        Ok(Scenario { origin, sets, loaded: Arc::new(scenario), resolved, first_seed: seed, warnings, mechanisms })
    }

    /// What a document says of it.
    pub fn part(&self) -> ScenarioPart {
        ScenarioPart::of(&self.loaded, self.resolved.clone()).warned(diagnostics::sentences(&self.warnings))
    }
}

#[pymethods]
impl Scenario {
    /// Reads a scenario file. `sets` are texts KEY=VALUE, as those of --set of the command line.
    #[new]
    #[pyo3(signature = (path, sets=Vec::new(), mechanisms=Vec::new()))]
    fn new(py: Python<'_>, path: String, sets: Vec<String>, mechanisms: Vec<Bound<'_, PyAny>>) -> PyResult<Scenario> {
        Scenario::load(py, Origin::new(path, None), sets, Mechanisms::of(py, &mechanisms)?)
    }

    /// Reads the text of a scenario file, which is called `name` in messages. Files that it names are looked for where `name` is.
    #[staticmethod]
    #[pyo3(signature = (text, name, sets=Vec::new(), mechanisms=Vec::new()))]
    fn from_text(
        py: Python<'_>,
        text: &str,
        name: String,
        sets: Vec<String>,
        mechanisms: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Scenario> {
        let origin = Origin::new(name, Some(text));
        Scenario::load(py, origin, sets, Mechanisms::of(py, &mechanisms)?)
    }

    /// Everything that is wrong with a scenario, and what is probably not meant: a list of Diagnostic, empty if there is nothing.
    #[staticmethod]
    #[pyo3(signature = (path, text=None, sets=Vec::new()))]
    fn diagnose<'py>(
        py: Python<'py>,
        path: String,
        text: Option<&str>,
        sets: Vec<String>,
    ) -> PyResult<Bound<'py, PyList>> {
        let origin = Origin::new(path, text);
        let found = match py.detach(|| load(&origin, &origin.path, &sets)) {
            Ok(loaded) => loaded.warnings,
            Err(LoadError::Invalid(diagnostics)) => diagnostics,
            Err(error) => return Err(errors::load(py, error)),
        };
        PyList::new(py, found.iter().map(|one| errors::object(py, one)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The same scenario with some values replaced: texts KEY=VALUE.
    fn with_sets(&self, py: Python<'_>, sets: Vec<String>) -> PyResult<Scenario> {
        let sets = self.sets.iter().cloned().chain(sets).collect();
        Scenario::load(py, self.origin.clone(), sets, self.mechanisms.clone())
    }

    /// The scenario file with every key written out. It loads to the same scenario.
    fn to_toml(&self) -> &str {
        &self.resolved
    }

    /// The name of the scenario.
    #[getter]
    fn name(&self) -> &str {
        &self.loaded.name
    }

    /// The path of the file, or the name of the text.
    #[getter]
    fn path(&self) -> &str {
        &self.origin.path
    }

    /// The text that stands for the file; None if it is read from a disk.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.origin.text.as_deref()
    }

    /// The texts KEY=VALUE that replace values of the file.
    #[getter]
    fn sets(&self) -> Vec<String> {
        self.sets.clone()
    }

    /// Whether it has mechanisms that are written in Python.
    #[getter]
    fn has_mechanisms(&self) -> bool {
        self.mechanisms.has_any()
    }

    /// The seed of the first run, if a call does not say another one: `seed` of the file, or 1.
    #[getter]
    fn seed(&self) -> u64 {
        self.first_seed
    }

    /// The simulated time of a run, seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.loaded.duration.as_secs_f64()
    }

    /// The names of the flows of TCP, in order.
    #[getter]
    fn flows(&self) -> Vec<String> {
        self.loaded.flows.iter().map(|flow| flow.name.clone()).collect()
    }

    /// The output ports, from->to.
    #[getter]
    fn ports(&self) -> Vec<String> {
        self.loaded.links.iter().map(|link| link.name.clone()).collect()
    }

    /// Whether the seed makes a difference.
    #[getter]
    fn has_randomness(&self) -> bool {
        ackclock::sim::has_randomness(&self.loaded)
    }

    /// What is probably not meant, though it can be run: a list of Diagnostic.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.warnings.iter().map(|one| errors::object(py, one)).collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self) -> String {
        let (flows, seconds) = (self.loaded.flows.len(), self.duration_s());
        format!("Scenario({:?}, {}, {seconds} s)", self.loaded.name, diagnostics::plural(flows, "flow"))
    }

    fn __eq__(&self, other: &Scenario) -> bool {
        self.resolved == other.resolved
    }

    fn __hash__(&self) -> u64 {
        ackclock::rng::name_hash(&self.resolved)
    }
}

/// The number of the flow of this name.
pub fn flow_number(scenario: &ackclock::scenario::Scenario, name: &str) -> Option<ackclock::ids::FlowId> {
    scenario.flows.iter().position(|flow| flow.name == name).map(ackclock::ids::FlowId::from_index)
}
