//! `--measure EXPRESSION`: numbers that a sweep keeps of each run beside those that it keeps anyway.

use ackclock::measure::{Expression, ExpressionError, Need};
use ackclock::scenario::Scenario;

use crate::check::suggest;
use crate::text::diagnostic::{At, Diagnostic, Report};

/// Reads the measures that a command line asks for, of runs of this scenario.
///
/// # Errors
/// What is wrong with each: it is none, nothing has a name in it, or what it needs is not recorded.
pub fn asked(texts: &[String], scenario: &Scenario) -> Result<Vec<Expression>, Vec<Diagnostic>> {
    let mut report = Report::default();
    let measures: Vec<Expression> = texts.iter().filter_map(|text| argument(text, &mut report)).collect();
    let mut wrong = report.into_diagnostics();
    wrong.extend(Lack::diagnostics(&measures.iter().flat_map(|of| Lack::of(of, scenario)).collect::<Vec<_>>()));
    if wrong.is_empty() { Ok(measures) } else { Err(wrong) }
}

/// Reads an argument of the command line.
pub(super) fn argument(text: &str, report: &mut Report) -> Option<Expression> {
    let id = report.add_argument(OPTION, text);
    parse(text, At::new(id, 0..text.len(), 0), report)
}

/// Reads a text at a place.
pub(super) fn parse(text: &str, at: At, report: &mut Report) -> Option<Expression> {
    match Expression::parse(text) {
        Ok(measure) => Some(measure),
        Err(error) => {
            refuse(&error, at, report);
            None
        }
    }
}

/// Says what is wrong, and what was probably meant.
pub(super) fn refuse(error: &ExpressionError, at: At, report: &mut Report) {
    let near = suggest::nearest(&error.word, error.known.iter().map(String::as_str));
    report.error(at, error.wrong.clone()).label("no measure").help(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "docs/measures.md has all measures and what can be made of them, as jain(goodput) and p95(round-trip: f1)"
                .into()
        }
    });
}

/// What a measure lacks in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The text of the measure.
    measure: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Nothing has this name; these are there.
    Name(String, Vec<String>),
    /// It is not recorded.
    Record(Need),
}

impl Lack {
    /// What a measure lacks in a scenario.
    pub fn of(measure: &Expression, scenario: &Scenario) -> Vec<Lack> {
        let lack = |what| Lack { measure: measure.text().to_owned(), what };
        let names = measure.unknown_names(scenario).into_iter();
        let records = measure.not_recorded(scenario).into_iter().map(What::Record);
        names.map(|name| What::Name(name.to_owned(), measure.known_names(scenario))).chain(records).map(lack).collect()
    }

    /// Whether both lack the same.
    pub fn is_same(&self, other: &Lack) -> bool {
        let is_same = match (&self.what, &other.what) {
            (What::Name(name, _), What::Name(other, _)) => name == other,
            (one, other) => one == other,
        };
        self.measure == other.measure && is_same
    }

    /// What is wrong, and what to do.
    pub fn diagnostics(lacks: &[Lack]) -> Vec<Diagnostic> {
        let mut report = Report::default();
        for Lack { measure, what } in lacks {
            let id = report.add_argument(OPTION, measure);
            match what {
                What::Name(name, known) => {
                    let near = suggest::nearest(name, known.iter().map(String::as_str));
                    let shown = known.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
                    let more = if known.len() > SHOWN { ", ..." } else { "" };
                    let names = measure.find(['(', ':']).unwrap_or(0);
                    let from = measure[names..].find(name.as_str()).unwrap_or(0) + names;
                    report
                        .error(At::new(id, from..from + name.len(), 0), format!("nothing is called `{name}`"))
                        .label("no flow, source, port or group of the scenario")
                        .help(
                            near.map_or(format!("there are: {shown}{more}"), |near| format!("did you mean `{near}`?")),
                        );
                }
                What::Record(need) => {
                    let (wrong, label, help) = match need {
                        Need::Delays => (
                            "this measure needs the delays, which the scenario does not count".into(),
                            "not counted",
                            String::from("set delays = true"),
                        ),
                        Need::Series(metric) => (
                            format!(
                                "this measure needs `{}` over time, which the scenario does not record",
                                metric.name()
                            ),
                            "not recorded",
                            format!("add \"{}\" to `record`", metric.name()),
                        ),
                    };
                    report.error(At::new(id, 0..measure.len(), 0), wrong).label(label).help(help);
                }
            }
        }
        report.into_diagnostics()
    }
}

const OPTION: &str = "--measure";
/// More names are not listed.
const SHOWN: usize = 12;
