//! Media: those of [medium.NAME] tables, which links send on one.

use std::collections::HashMap;
use std::sync::Arc;

use ackclock::ids::{IdVec, LinkId};
use ackclock::link::Medium;
use ackclock::scenario::Link;

use super::given_link::Direction;
use crate::check::suggest;
use crate::document::{Document, Named};
use crate::keys::Section;
use crate::settings::{Given, Settings};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::quoted;
use crate::value::FileValue;

/// The media of a document by their names; those that are wrong, and reported, are `None`.
pub(crate) struct Media {
    by_name: HashMap<String, Option<Arc<Medium>>>,
    is_atm: bool,
}

impl Media {
    /// The media of a document.
    pub(crate) fn read(document: &Document, is_atm: bool, report: &mut Report) -> Media {
        let read = |named: &Named| (named.name.clone(), medium(document, named, is_atm, report).map(Arc::new));
        Media { by_name: document.media.iter().map(read).collect(), is_atm }
    }

    /// The medium on which a direction of a link sends, if it shares one, by the tables that are about it, the most special first: the
    /// first with a rate of its own or a medium decides. `Err`: wrong, and reported.
    pub(crate) fn of(&self, layers: &[&Given], report: &mut Report) -> Result<Option<Arc<Medium>>, ()> {
        let decides = |given: &&&Given| given.key_at("medium").is_some() || given.key_at("rate").is_some();
        let Some(given) = layers.iter().find(decides) else { return Ok(None) };
        let Some(at) = given.key_at("medium") else { return Ok(None) };
        if self.is_atm {
            let packet = report.technology("packet");
            report
                .error(at, "links that share a medium are links of packets, and this is an ATM network")
                .label("on ATM networks each direction of a link has its own transmitter")
                .help(format!("leave it out, or write {packet}"));
            return Err(());
        }
        if let Some(rate) = given.key_at("rate") {
            report
                .error(rate, "a link that shares a medium has no rate of its own")
                .label("`medium` is given, too")
                .help("leave `rate` out: the rate is that of [medium.NAME]; or leave `medium` out");
            return Err(());
        }
        let Some(FileValue::Text(name)) = given.value("medium") else { return Err(()) };
        match self.by_name.get(name) {
            Some(medium) => medium.clone().map(Some).ok_or(()),
            None => {
                let near = suggest::nearest(name, self.by_name.keys().map(String::as_str));
                let help = match near {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => "add [medium.NAME] of this name with its `rate`".to_owned(),
                };
                report
                    .error(at, format!("there is no medium {}", quoted(name)))
                    .label("expected the NAME of a table [medium.NAME]")
                    .help(help);
                Err(())
            }
        }
    }
}

/// The medium of a table; `None`: wrong, and reported.
fn medium(document: &Document, named: &Named, is_atm: bool, report: &mut Report) -> Option<Medium> {
    let header = format!("[medium.{}]", named.name);
    if is_atm {
        let packet = report.technology("packet");
        report
            .error(named.at, format!("{header} belongs to packet networks"))
            .label("technology is \"atm\"")
            .help(format!("leave it out, or write {packet}"));
        return None;
    }
    if document.satellites.at.is_some() {
        report
            .error(named.at, format!("{header} does not go with [satellites]"))
            .label("routes over satellites change, and routes over a medium do not")
            .help("leave one of them out");
        return None;
    }
    let settings = Settings::resolve(Section::Medium, &[&named.given]);
    settings.require(&header, &|_| None, report);
    Some(Medium { name: named.name.clone(), rate: settings.rate("rate")?, overhead: settings.span("overhead")? })
}

/// Why a direction of a link may not share a medium.
pub(super) enum Misfit {
    BeginsAtHost,
    HasOutages,
}

/// Why this direction, which begins at a host or not, may not share the medium that it shares, if it may not.
pub(super) fn misfit(direction: &Direction, is_of_host: bool) -> Option<Misfit> {
    direction.medium.as_ref()?;
    let outages = direction.params.schedule.as_ref().is_some_and(|schedule| !schedule.outages.is_empty());
    match (is_of_host, outages) {
        (true, _) => Some(Misfit::BeginsAtHost),
        (false, true) => Some(Misfit::HasOutages),
        (false, false) => None,
    }
}

impl Misfit {
    /// Says so of the direction called `name`, whose medium is named at a place.
    pub(super) fn say(&self, name: &str, at: Option<At>, report: &mut Report) {
        match self {
            Misfit::BeginsAtHost => report
                .error(at, format!("{name} begins at a host, and ports at a medium are those of switches"))
                .label("a host sends without a queue that could wait for its turn")
                .help(format!(
                    "put a switch between the host and the medium, with a fast link to the host; or give this direction a rate of its \
                     own, in [link.{name:?}]"
                )),
            Misfit::HasOutages => report
                .error(at, format!("{name} has `outages`, and a medium is always up"))
                .label("not with `outages`")
                .help("leave one of them out; what is lost on the way is said with `errors`"),
        };
    }
}

/// Warns of media that no link is on.
pub(super) fn warn_unused(document: &Document, links: &IdVec<LinkId, Link>, report: &mut Report) {
    for named in &document.media {
        let is_on = |link: &Link| link.medium.as_ref().is_some_and(|medium| medium.name == named.name);
        if !links.iter().any(is_on) {
            report
                .warning(named.at, format!("no link is on the medium {}", named.name))
                .label("nothing is sent there")
                .help(format!("write medium = {:?} in [link.NAME], or leave the medium out", named.name));
        }
    }
}
