//! Applications that write their data piece by piece.

use ackclock::keys::Dimension;
use ackclock::tcp::Writes;

use crate::document::{Document, Named};
use crate::keys::Section;
use crate::settings::{Settings, warn_unused};
use crate::text::diagnostic::Report;

/// How an application writes whose segments have so many bytes; the inner `None`: all at once. `None`: wrong, and reported.
pub(super) fn writes(settings: &Settings, mss: u32, report: &mut Report) -> Option<Option<Writes>> {
    settings.choice_or("write", &[("all", None)], || pieces(settings, mss, report).map(Some))
}

fn pieces(settings: &Settings, mss: u32, report: &mut Report) -> Option<Writes> {
    let (piece, mss) = (settings.quantity("write")?, u64::from(mss));
    let bytes = if piece.dimension == Dimension::Segments { piece.amount * mss } else { piece.amount };
    if !bytes.is_multiple_of(mss) {
        let place = settings.at("write");
        let nearest = bytes.div_ceil(mss) * mss;
        report
            .error(place, format!("`write` is {bytes} B, not a whole number of segments of {mss} B"))
            .label(format!("as {nearest} B are"))
            .help(format!("write \"{nearest} B\", or \"{} segments\"; or change `mss` in [tcp]", nearest / mss));
        return None;
    }
    Some(Writes { bytes, interval: settings.span("write_interval")? })
}

/// Warns about keys of flows without effect: intervals where everything is written at once, and what cells do not know.
pub(crate) fn warn(document: &Document, technology: Option<&'static str>, report: &mut Report) {
    // Keys of cells are errors on packet networks.
    let context = |key: &str| technology.filter(|word| key == "technology" && *word == "atm");
    let of_flow = |named: &Named| Settings::resolve(Section::Flow, &[&named.given, &document.traffic]);
    let general = Settings::resolve(Section::Traffic, &[&document.traffic]);
    let of_flows: Vec<Settings> = document.flows.iter().map(of_flow).collect();
    for (named, settings) in document.flows.iter().zip(&of_flows) {
        warn_unused(&named.given, Section::Flow, &[settings], &context, report);
    }
    let holds: Vec<&Settings> = [&general].into_iter().chain(&of_flows).collect();
    warn_unused(&document.traffic, Section::Traffic, &holds, &context, report);
}
