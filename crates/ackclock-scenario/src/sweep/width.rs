//! `--until-ci [NUMBER=]SHARE`: how narrow the confidence intervals of a number of the runs have to be.

use crate::text::diagnostic::{At, Report};
use crate::text::suggest;
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
    pub(super) fn argument(text: &str, known: &[&str], report: &mut Report) -> Option<Width> {
        let id = report.add_argument(OPTION, text);
        Width::parse(text, At::new(id, 0..text.len(), 0), known, report)
    }

    /// Reads a text at a place.
    pub(super) fn parse(text: &str, at: At, known: &[&str], report: &mut Report) -> Option<Width> {
        let (number, share) = match text.split_once('=') {
            Some((number, share)) => (number.trim(), share),
            None => (*known.first()?, text),
        };
        if !known.contains(&number) {
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
