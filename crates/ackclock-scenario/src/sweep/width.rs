//! `--until-ci [NUMBER=]SHARE`: how narrow the confidence intervals of a number of the runs have to be.

use ackclock::measure::Expression;

use super::measures;
use crate::check::suggest;
use crate::text::diagnostic::{At, Report};
use crate::text::tree::quoted;

/// The largest half width of the confidence intervals of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Width {
    /// The name of the number, one of those that the sweep was read for.
    pub number: String,
    /// A share of the mean, more than 0 and less than 1.
    pub share: f64,
}

impl Width {
    /// Reads an argument. The first of the known numbers is meant where none is named.
    pub(super) fn argument(
        text: &str,
        known: &[&str],
        measures: &mut Vec<Expression>,
        report: &mut Report,
    ) -> Option<Width> {
        let id = report.add_argument(OPTION, text);
        Width::parse(text, At::new(id, 0..text.len(), 0), known, measures, report)
    }

    /// Reads a text at a place. A number that is none of the known ones may be a measure, which is asked for by that.
    pub(super) fn parse(
        text: &str,
        at: At,
        known: &[&str],
        measures: &mut Vec<Expression>,
        report: &mut Report,
    ) -> Option<Width> {
        let (number, share) = match text.rsplit_once('=') {
            Some((number, share)) => (number.trim(), share),
            None => (*known.first()?, text),
        };
        let is_asked = |measures: &[Expression]| measures.iter().any(|measure| measure.text() == number);
        if !known.contains(&number) && !is_asked(measures) && number.contains('(') {
            measures.push(measures::parse(number, at, report)?);
        }
        if !known.contains(&number) && !is_asked(measures) {
            let near = suggest::nearest(number, known.iter().copied());
            report
                .error(at, format!("{} is no number of a run", quoted(number)))
                .label("unknown")
                .help(near.map_or(format!("known: {}", known.join(", ")), |near| format!("did you mean `{near}`?")));
            return None;
        }
        let share = share.trim();
        let value = match share.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
            None => share.parse::<f64>().ok(),
        };
        match value.filter(|share| *share > 0.0 && *share < 1.0) {
            Some(share) => Some(Width { number: number.to_owned(), share }),
            None => {
                report
                    .error(at, format!("{} is no share of a mean", quoted(share)))
                    .label("expected a share between 0 and 100 %")
                    .help(format!("write half the width of the interval as a share of the mean, as in {number}=2%"));
                None
            }
        }
    }
}

const OPTION: &str = "--until-ci";
