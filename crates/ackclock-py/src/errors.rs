//! Errors as Python raises them: exceptions of `ackclock._errors`, which have the exit code of the command line, the remedy, and of
//! scenarios the place of everything that is wrong.

use std::fmt::Display;

use ackclock_scenario::{Diagnostic, LoadError, Severity};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Something outside failed: a file, a folder, a disk. Exit code 1.
pub fn outside(py: Python<'_>, message: impl Display, remedy: impl Display) -> PyErr {
    raised(py, "OutsideError", message, remedy)
}

/// What was asked for makes no sense. Exit code 2.
pub fn usage(py: Python<'_>, message: impl Display, remedy: impl Display) -> PyErr {
    raised(py, "UsageError", message, remedy)
}

/// The program contradicts itself. Exit code 101.
pub fn defect(py: Python<'_>, message: impl Display) -> PyErr {
    raised(py, "DefectError", message, "please report it with the scenario and `ackclock.__version__`")
}

fn raised(py: Python<'_>, class: &str, message: impl Display, remedy: impl Display) -> PyErr {
    new(py, class, (message.to_string(), remedy.to_string())).map_or_else(|error| error, PyErr::from_value)
}

fn new<'py>(py: Python<'py>, class: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("ackclock._errors")?.getattr(class)?.call1(arguments)
}

/// A scenario that cannot be used, or read.
pub fn load(py: Python<'_>, error: LoadError) -> PyErr {
    match error {
        LoadError::Unreadable { path, error } => {
            outside(py, format_args!("cannot read `{path}`: {error}"), "check the path and the permissions")
        }
        LoadError::Invalid(diagnostics) => invalid(py, &diagnostics),
    }
}

/// Everything that is wrong with a scenario. Exit code 3.
pub fn invalid(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyErr {
    let made = || {
        let all = diagnostics.iter().map(|diagnostic| object(py, diagnostic)).collect::<PyResult<Vec<_>>>()?;
        new(py, "ScenarioError", (all,))
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// A diagnostic as an object of `ackclock._errors.Diagnostic`.
pub fn object<'py>(py: Python<'py>, diagnostic: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let members = PyDict::new(py);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    members.set_item("severity", severity)?;
    members.set_item("message", &diagnostic.message)?;
    members.set_item("label", &diagnostic.label)?;
    members.set_item("remedy", diagnostic.help.as_deref())?;
    let place = diagnostic.place.as_ref();
    members.set_item("file", place.map_or(&*diagnostic.file, |place| &*place.file))?;
    members.set_item("line", place.map(|place| place.line_column().0))?;
    members.set_item("column", place.map(|place| place.line_column().1))?;
    members.set_item("text", ackclock_cli::diagnostics::plain(diagnostic))?;
    py.import("ackclock._errors")?.getattr("Diagnostic")?.call((), Some(&members))
}
