//! From the text of a scenario to the scenario, or to every error at once.

use crate::document::Document;
use crate::plan::{Plan, plan};
use crate::text::diagnostic::{Diagnostic, LoadError, Report, Severity};
use crate::text::overrides::{self, Argument};
use crate::text::source::Source;
use crate::text::tree::Table;
use crate::text::{files, version};
use crate::write;

/// A scenario that passed every check.
#[derive(Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: ackclock::scenario::Scenario,
    /// The first seed (key `seed`).
    pub seed: u64,
    /// The scenario file with every key written out. Canonical: it does not depend on how the values were given
    /// (file, `extends`, `--set`, default), has no comments, and loads to the same scenario.
    pub resolved: String,
    /// The resolved scenario with a comment at each key that says where its value comes from: `check --print`.
    pub annotated: String,
    /// Which nodes can communicate, when, and at what delay, if there are satellites.
    pub contacts: Option<ackclock_sat::plan::Plan>,
    /// What is probably not meant, though it can be run.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a scenario file, applies `overrides` (each `path=value`), fills in defaults and checks everything.
pub fn load(source: &dyn Source, path: &str, overrides: &[String]) -> Result<Loaded, LoadError> {
    load_with(source, path, &[], overrides)
}

/// Loads a scenario, with options that stand for keys; `overrides` take precedence over them.
pub fn load_with(
    source: &dyn Source,
    path: &str,
    arguments: &[Argument<'_>],
    overrides: &[String],
) -> Result<Loaded, LoadError> {
    let mut report = Report::of(path);
    let mut tree = files::read(source, path, &mut report)?;
    let is_readable = !report.has_errors();
    overrides::apply_arguments(&mut tree, arguments, &mut report);
    overrides::apply(&mut tree, overrides, &mut report);
    check(tree, is_readable, source, path, report)
}

/// The scenario that a tree describes. Not `is_readable`: a text of it does not parse, and what else is wrong is not known.
pub(crate) fn check(
    mut tree: Table,
    is_readable: bool,
    source: &dyn Source,
    path: &str,
    mut report: Report,
) -> Result<Loaded, LoadError> {
    files::refuse_extends(&mut tree, &mut report);
    version::translate(&mut tree, &mut report);
    let document = Document::read(&tree, &mut report);
    // What is missing, and what does not fit together, is known only once every text is a tree.
    let plan = if is_readable && document.is_whole { plan(&document, source, path, &mut report) } else { None };
    let Some(plan) = plan.filter(|_| !report.has_errors()) else {
        let diagnostics = report.into_diagnostics();
        assert!(
            diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error),
            "the scenario {path} is refused without a reason"
        );
        return Err(LoadError::Invalid(diagnostics));
    };
    let (resolved, annotated) = write::write(&plan, &document, &report);
    let Plan { scenario, seed, contacts, .. } = plan;
    Ok(Loaded { scenario, seed, resolved, annotated, contacts, warnings: report.into_diagnostics() })
}
