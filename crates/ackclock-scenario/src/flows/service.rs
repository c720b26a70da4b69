//! The ATM services of flows: their parameters, and what must hold of the routes of ABR and of the links that they share.

use std::collections::BTreeSet;

use ackclock::atm::AbrParams;
use ackclock::ids::LinkId;
use ackclock::keys::{Dimension, Misfit, Quantity, Setting, Value, Values};
use ackclock::scenario::{Link, ServiceCategory, Technology};
use ackclock::units::{Rate, Span};

use crate::document::{Document, Named};
use crate::keys::Section;
use crate::keys::words::{self, Service};
use crate::mechanisms;
use crate::network::{Network, routes};
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::value::{FileValue, list, text};

/// The service of a flow, as far as its route makes no difference.
pub(super) struct GivenService {
    pcr: Option<Rate>,
    /// The parameters of ABR, if it is of that service.
    values: Option<Values>,
}

/// What holds in [abr], or for one flow in [flow.NAME.abr].
pub(crate) fn settings(table: Option<&Named>, document: &Document) -> Settings {
    match table {
        Some(named) => {
            let mut settings = Settings::resolve(Section::FlowAbr, &[&named.abr, &document.abr]);
            settings.at = settings.at.or(Some(named.at));
            settings
        }
        None => Settings::resolve(Section::Abr, &[&document.abr]),
    }
}

/// Whether the keys of a flow choose the service ABR.
pub(super) fn is_abr(flow: &Settings) -> bool {
    flow.choice("service", &words::SERVICES) == Some(Service::Abr)
}

/// The service that the keys of a flow give it; `None`: wrong, and reported.
pub(super) fn given(technology: Option<Technology>, flow: &Settings, abr: &Settings) -> Option<GivenService> {
    if let Some(Technology::Packet { .. }) = technology {
        return Some(GivenService { pcr: None, values: None });
    }
    let pcr = flow.choice_or("pcr", &[("link-rate", None)], || flow.rate("pcr").map(Some))?;
    let values = match flow.choice("service", &words::SERVICES)? {
        Service::Ubr => None,
        Service::Abr => Some(mechanisms::values(AbrParams::KEYS, Some(abr))?),
    };
    Some(GivenService { pcr, values })
}

/// Checks the services of flows, and says the same of many of them once.
pub(super) struct Checker<'a> {
    network: &'a Network,
    /// Where something was found wrong already.
    said: BTreeSet<Option<At>>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(network: &'a Network) -> Checker<'a> {
        Checker { network, said: BTreeSet::new() }
    }

    /// The service of a flow with these routes; `None`: wrong, and reported.
    pub(super) fn service(
        &mut self,
        name: &str,
        given: &GivenService,
        [flow, abr]: [&Settings; 2],
        [forward, backward]: [&[LinkId]; 2],
        report: &mut Report,
    ) -> Option<ServiceCategory> {
        self.check_pcr(name, given.pcr, flow.at("pcr"), [forward, backward], report);
        let Some(values) = &given.values else { return Some(ServiceCategory::Ubr { pcr: given.pcr }) };
        if backward != self.network.reversed(forward) {
            self.not_reversed(name, flow, forward, report);
            return None;
        }
        let rate = self.network.links[forward[0]].rate;
        let delays = [forward, backward].map(|path| routes::delay_ps(self.network, path));
        let propagation = Span::from_ps(u64::try_from(delays[0] + delays[1]).unwrap_or(u64::MAX));
        match AbrParams::read(values, given.pcr.unwrap_or(rate), propagation) {
            Ok(params) => Some(ServiceCategory::Abr(Box::new(params))),
            Err(misfit) => {
                self.misfit(name, &misfit, given.pcr.unwrap_or(rate), propagation, [flow, abr], report);
                None
            }
        }
    }

    /// The peak cell rate holds for data and acknowledgements, at both hosts.
    fn check_pcr(
        &mut self,
        name: &str,
        pcr: Option<Rate>,
        at: Option<At>,
        routes: [&[LinkId]; 2],
        report: &mut Report,
    ) {
        let links = routes.into_iter().filter_map(|route| route.first()).map(|link| &self.network.links[*link]);
        if let Some((link, pcr)) = links.filter_map(|link| Some((link, too_high(pcr, link)?))).next()
            && self.said.insert(at)
        {
            pcr_too_high(name, pcr, link, at, report);
        }
    }

    fn not_reversed(&mut self, name: &str, flow: &Settings, forward: &[LinkId], report: &mut Report) {
        let at = flow.at("back_route").or(flow.at("service"));
        if self.said.insert(at) {
            let links = forward.iter().rev().map(|link| &self.network.links[*link]);
            let last = forward.first().map(|link| self.network.links[*link].from);
            let nodes = links.map(|link| link.to).chain(last).map(|node| text(&self.network.nodes[node].name));
            report
                .error(at, format!("the route back of {name} is not its data route reversed"))
                .label("RM cells of ABR return through the ports that they came through")
                .help(format!("leave `back_route` out, or write back_route = {}", list(nodes)));
        }
    }

    /// A parameter that TM 4.0 does not allow.
    fn misfit(
        &mut self,
        name: &str,
        misfit: &Misfit,
        pcr: Rate,
        propagation: Span,
        [flow, abr]: [&Settings; 2],
        report: &mut Report,
    ) {
        let key = misfit.keys[0];
        let at = abr.at(key).or(flow.at(key)).or(flow.at("pcr")).or(flow.at("service"));
        if !self.said.insert(at) {
            return;
        }
        let value = match abr.value(key).or(flow.value(key)) {
            // The only one that may not be allowed without being given.
            Some(value) if value.word() == Some("propagation") => spelled(Dimension::Time, propagation.as_ps()),
            Some(FileValue::Setting(Setting::One(Value::Number(number)))) => as_fraction(*number),
            Some(value) => value.spelled().trim_matches('"').to_owned(),
            None => String::new(),
        };
        let help = match ["mcr", "icr"].contains(&key) {
            true => format!("PCR of {name} is {}, its `pcr`", spelled(Dimension::Rate, pcr.as_bps())),
            false => "ATM Forum TM 4.0, section 5.10.2, gives the ranges of the parameters of ABR".to_owned(),
        };
        report
            .error(at, format!("`{key}` is {value}, which TM 4.0 does not allow"))
            .label(format!("must be {}", misfit.expected))
            .help(help);
    }
}

/// A factor, as a fraction if it is one part of several.
fn as_fraction(number: f64) -> String {
    let parts = (1.0 / number).round();
    if parts > 1.0 && parts.is_finite() && 1.0 / parts == number { format!("1/{parts}") } else { number.to_string() }
}

/// A peak cell rate that is above the rate of the link.
pub(super) fn too_high(pcr: Option<Rate>, link: &Link) -> Option<Rate> {
    pcr.filter(|pcr| *pcr > link.rate)
}

/// The peak cell rate of a flow, or of datagrams, is above the rate of the link of its host.
pub(super) fn pcr_too_high(name: &str, pcr: Rate, link: &Link, at: Option<At>, report: &mut Report) {
    let (pcr, most) = (spelled(Dimension::Rate, pcr.as_bps()), spelled(Dimension::Rate, link.rate.as_bps()));
    let problem = format!("the peak cell rate {pcr} of {name} is above the rate of the link {}", link.name);
    report.error(at, problem).label(format!("at most {most}"));
}

fn spelled(dimension: Dimension, amount: u64) -> String {
    Quantity { dimension, amount }.canonical()
}
