//! From the text of a scenario to the scenario, or to every error at once.

use crate::check::version;
use crate::document::Document;
use crate::flows::arrivals;
use crate::keys::outside::Outside;
use crate::network::rate_traces;
use crate::plan::{Plan, plan};
use crate::text::diagnostic::{At, Diagnostic, LoadError, Report, Severity};
use crate::text::files;
use crate::text::overrides::{self, Argument};
use crate::text::source::Source;
use crate::text::tree::Table;
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
    /// Which nodes can communicate, when, and at what delay, if there are satellites.
    pub contacts: Option<ackclock_sat::plan::Plan>,
    /// What is probably not meant, though it can be run.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a scenario file, applies `overrides` (each `path=value`), fills in defaults and checks everything.
pub fn load(source: &dyn Source, path: &str, overrides: &[String]) -> Result<Loaded, LoadError> {
    Loader::new(source).overrides(overrides).load(path)
}

/// As [`load`], and the resolved scenario with a comment at each key that says where its value comes from: `check --print`.
pub fn load_annotated(source: &dyn Source, path: &str, overrides: &[String]) -> Result<(Loaded, String), LoadError> {
    Loader::new(source).overrides(overrides).load_annotated(path)
}

/// Loads scenario files: [`load`] with more than its arguments.
#[derive(Clone)]
pub struct Loader<'a> {
    source: &'a dyn Source,
    arguments: &'a [Argument<'a>],
    overrides: &'a [String],
    outside: Outside,
}

impl<'a> Loader<'a> {
    /// Loads files of this source.
    pub fn new(source: &'a dyn Source) -> Loader<'a> {
        Loader { source, arguments: &[], overrides: &[], outside: Outside::default() }
    }

    /// With options of a command line that stand for keys.
    pub fn arguments(self, arguments: &'a [Argument<'a>]) -> Loader<'a> {
        Loader { arguments, ..self }
    }

    /// With values in the place of those of the files and of [`Loader::arguments`], each `path=value`.
    pub fn overrides(self, overrides: &'a [String]) -> Loader<'a> {
        Loader { overrides, ..self }
    }

    /// With mechanisms from outside, which files may name.
    pub fn outside(self, outside: &Outside) -> Loader<'a> {
        Loader { outside: outside.clone(), ..self }
    }

    /// Reads a scenario file, fills in defaults and checks everything.
    ///
    /// # Errors
    /// Everything that is wrong in the files, or the file that cannot be read.
    pub fn load(&self, path: &str) -> Result<Loaded, LoadError> {
        Ok(loaded(self.read(path)?))
    }

    /// As [`Loader::load`], and the resolved scenario with a comment at each key that says where its value comes from.
    ///
    /// # Errors
    /// Those of [`Loader::load`].
    pub fn load_annotated(&self, path: &str) -> Result<(Loaded, String), LoadError> {
        let checked = self.read(path)?;
        let annotated = write::annotated(&checked.plan, &checked.document, &checked.report);
        Ok((loaded(checked), annotated))
    }

    fn read(&self, path: &str) -> Result<Checked, LoadError> {
        let Loader { source, arguments, overrides, outside } = self;
        let mut report = Report::of(path);
        let mut tree = files::read(*source, path, &mut report)?;
        if let Some(at) = name_of_scenario(&tree) {
            report
                .error(at, "this is a sweep, not a scenario: it names a scenario, and what is varied of it")
                .label("not in a scenario")
                .help(format!("run it with `ackclock sweep {path}`"));
            // Each other key of the file would be an error.
            return Err(LoadError::Invalid(report.into_diagnostics()));
        }
        let is_readable = !report.has_errors();
        overrides::apply_arguments(&mut tree, arguments, &mut report);
        overrides::apply(&mut tree, overrides, &mut report);
        check(tree, is_readable, *source, outside, path, report)
    }
}

/// Where a file that is a sweep, and no scenario, names its scenario.
fn name_of_scenario(tree: &Table) -> Option<At> {
    // A scenario may have a wrong key of this name.
    let is_scenario = ["network", "satellites"].iter().any(|section| tree.entries.contains_key(*section));
    tree.entries.get("scenario").filter(|_| !is_scenario).map(|entry| entry.key_at)
}

/// The scenario that a tree describes.
pub(crate) fn load_tree(
    tree: Table,
    is_readable: bool,
    source: &dyn Source,
    outside: &Outside,
    path: &str,
    report: Report,
) -> Result<Loaded, LoadError> {
    Ok(loaded(check(tree, is_readable, source, outside, path, report)?))
}

/// What passed every check, with what it was read from.
struct Checked {
    plan: Plan,
    document: Document,
    report: Report,
}

/// Not `is_readable`: a text of the tree does not parse, and what else is wrong is not known.
fn check(
    mut tree: Table,
    is_readable: bool,
    source: &dyn Source,
    outside: &Outside,
    path: &str,
    mut report: Report,
) -> Result<Checked, LoadError> {
    files::refuse_extends(&mut tree, &mut report);
    version::translate(&mut tree, &mut report);
    let mut document = Document::read(&tree, outside, &mut report);
    rate_traces::read(&mut document, source, &mut report);
    arrivals::expand(&mut document, &mut report);
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
    Ok(Checked { plan, document, report })
}

fn loaded(checked: Checked) -> Loaded {
    let Checked { plan, document, report } = checked;
    let resolved = write::plain(&plan, &document);
    let Plan { scenario, seed, contacts, .. } = plan;
    Loaded { scenario, seed, resolved, contacts, warnings: report.into_diagnostics() }
}
