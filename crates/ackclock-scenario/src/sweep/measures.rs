//! Measures, as in `--measure EXPRESSION`: numbers that a sweep keeps of each run beside those that it keeps anyway.

use std::collections::BTreeSet;

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

/// The measures that a run keeps of a scenario: those that are asked for; without any, of each group of files how many were finished, and
/// how long that took.
///
/// # Errors
/// As [`asked`].
pub fn asked_or_of_files(texts: &[String], scenario: &Scenario) -> Result<Vec<Expression>, Vec<Diagnostic>> {
    let files = scenario.flows.iter().filter(|flow| flow.size.is_some());
    let groups: BTreeSet<&str> = files.filter_map(|flow| flow.group.as_deref()).collect();
    let of_group = |group| {
        [format!("finished({group})"), format!("p50(completion: {group})"), format!("p95(completion: {group})")]
    };
    let of_files: Vec<String> = groups.into_iter().take(MOST_GROUPS).flat_map(of_group).collect();
    asked(if texts.is_empty() { &of_files } else { texts }, scenario)
}

/// Of more groups the lines would hide everything else.
const MOST_GROUPS: usize = 4;

/// Reads an argument of the command line.
pub(super) fn argument(text: &str, report: &mut Report) -> Option<Expression> {
    let id = report.add_argument("--measure", text);
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
    measure: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Nothing of which there is such a number has this name; these have. Whether something else has it.
    Name { name: String, known: Vec<String>, is_another: bool },
    /// It is not recorded.
    Record(Need),
    /// It is of a part of the run that does not fit: why.
    Part(String),
}

/// Whether a flow, a group, a source or a port has this name.
fn is_there(name: &str, scenario: &Scenario) -> bool {
    let flows = scenario.flows.iter().any(|flow| flow.name == name || flow.group.as_deref() == Some(name));
    flows || scenario.udp.iter().any(|of| of.name == name) || scenario.links.iter().any(|link| link.name == name)
}

impl Lack {
    /// What a measure lacks in a scenario.
    pub fn of(measure: &Expression, scenario: &Scenario) -> Vec<Lack> {
        let lack = |what| Lack { measure: measure.text().to_owned(), what };
        let names = measure.unknown_names(scenario).into_iter();
        let records = measure.not_recorded(scenario).into_iter().map(What::Record);
        let part = measure.misplaced(scenario).map(What::Part);
        let names = names.map(|name| What::Name {
            name: name.to_owned(),
            known: measure.known_names(scenario),
            is_another: is_there(name, scenario),
        });
        names.chain(records).chain(part).map(lack).collect()
    }

    /// Whether both lack the same.
    pub fn is_same(&self, other: &Lack) -> bool {
        let is_same = match (&self.what, &other.what) {
            (What::Name { name, .. }, What::Name { name: other, .. }) => name == other,
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
                What::Name { name, known, is_another } => {
                    let has_another = *is_another;
                    let near = suggest::nearest(name, known.iter().map(String::as_str)).filter(|_| !has_another);
                    let shown = known.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
                    let more = if known.len() > SHOWN { ", ..." } else { "" };
                    let names = measure.find(['(', ':']).unwrap_or(0);
                    let from = measure[names..].find(name.as_str()).unwrap_or(0) + names;
                    report
                        .error(
                            At::new(id, from..from + name.len(), 0),
                            match has_another {
                                true => format!("`{name}` has no such number"),
                                false => format!("nothing of which there is such a number is called `{name}`"),
                            },
                        )
                        .label(if has_another { "of another kind, or a group" } else { "not in the scenario" })
                        .help(match near {
                            Some(near) => format!("did you mean `{near}`?"),
                            None if has_another => "docs/measures.md says what has which numbers".into(),
                            None => format!("there are: {shown}{more}"),
                        });
                }
                What::Record(need) => {
                    let (wrong, label, help) = match need {
                        Need::Delays => (
                            "this measure needs the delays, which the scenario does not count".into(),
                            "not counted",
                            String::from("set delays = true"),
                        ),
                        Need::File => unreachable!("flows without a size are left out"),
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
                What::Part(why) => {
                    let from = measure.rfind(',').map_or(0, |comma| comma + 1);
                    let from = from + measure[from..].len() - measure[from..].trim_start().len();
                    report
                        .error(
                            At::new(id, from..measure.trim_end_matches(')').len(), 0),
                            "the measure has no value in this part",
                        )
                        .label("not possible")
                        .help(format!("{why}; a part is written as `2 to 5 s`"));
                }
            }
        }
        report.into_diagnostics()
    }
}

/// Measures are also those of sweep files and of intervals that are asked for.
const OPTION: &str = "measure";
/// More names are not listed.
const SHOWN: usize = 12;
