//! Which satellites these are, as the keys say that name them.

use ackclock_sat::error::SatError;
use ackclock_sat::walker::Walker;

use crate::check::suggest;
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};

/// Which satellites these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SatelliteKind {
    /// One above the equator.
    Geostationary,
    Iridium,
    Walker,
    /// Those of a file of element sets.
    Elements,
    /// Those of a contact plan that is read.
    Plan,
}

impl SatelliteKind {
    /// What conditions of keys call it.
    pub(super) fn word(self) -> &'static str {
        match self {
            SatelliteKind::Geostationary => "geostationary",
            SatelliteKind::Iridium => "iridium",
            SatelliteKind::Walker => "walker",
            SatelliteKind::Elements => "elements",
            SatelliteKind::Plan => "plan",
        }
    }
}

/// Which satellites these are.
pub(super) fn kind(settings: &Settings, at: At, report: &mut Report) -> Option<SatelliteKind> {
    let given: Vec<&'static str> = SOURCES.into_iter().filter(|key| settings.has(key)).collect();
    match given[..] {
        ["constellation"] if settings.text("constellation") == Some("iridium") => Some(SatelliteKind::Iridium),
        ["constellation"] => {
            let text = settings.text("constellation")?;
            if let Err(error) = text.parse::<Walker>() {
                unknown_constellation(text, &error, settings.at("constellation"), report);
                return None;
            }
            Some(SatelliteKind::Walker)
        }
        ["geostationary"] => Some(SatelliteKind::Geostationary),
        ["elements"] => Some(SatelliteKind::Elements),
        [] if settings.has("plan") => Some(SatelliteKind::Plan),
        [] => {
            report.error(at, "no key says which satellites these are").label("needs one more key").help(
                "add constellation = \"iridium\", or constellation = \"86.4:66/6/2\" and `altitude`, or \
                 geostationary = \"95 W\", or elements = \"FILE\", or plan = \"FOLDER\"",
            );
            None
        }
        [first, second, ..] => {
            report
                .error(settings.at(second), format!("`{first}` and `{second}` name different satellites"))
                .label("contradicts another key")
                .help("leave all but one of them out");
            None
        }
        [_] => unreachable!("all sources are listed"),
    }
}

fn unknown_constellation(text: &str, error: &SatError, at: Option<At>, report: &mut Report) {
    let near = suggest::nearest(text, ["iridium"]).map(|near| format!("did you mean \"{near}\"?"));
    report.error(at, error.to_string()).label("no constellation").help(near.unwrap_or_else(|| error.help()));
}

/// What says which satellites there are; a plan may come with them, or alone.
const SOURCES: [&str; 3] = ["constellation", "geostationary", "elements"];
