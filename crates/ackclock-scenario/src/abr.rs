//! What must hold of ABR flows together, and of them and the ports that they cross.

use std::collections::BTreeMap;

use ackclock::atm::AbrParams;
use ackclock::ids::LinkId;
use ackclock::keys::{Dimension, Quantity};
use ackclock::scenario::{Flow, ServiceCategory, Technology};
use ackclock::units::CELL_BITS;

use crate::document::Document;
use crate::flows::PlannedFlow;
use crate::keys::NO_RATES;
use crate::network::Network;
use crate::queues::QueueSettings;
use crate::text::diagnostic::{At, Report};

/// Reports links on which more is guaranteed to ABR connections than they carry.
pub(crate) fn check_minimum_rates(network: &Network, flows: &[PlannedFlow], report: &mut Report) {
    let mut sums: BTreeMap<LinkId, (f64, &PlannedFlow)> = BTreeMap::new();
    for planned in flows {
        let Some(params) = abr_params(&planned.flow).filter(|params| params.mcr > 0.0) else { continue };
        for &link in &*planned.flow.forward.links() {
            sums.entry(link).or_insert((0.0, planned)).0 += params.mcr;
        }
    }
    // Sums of fractions are compared as whole bits.
    let bps = |sum: f64| (sum * CELL_BITS as f64).round() as u64;
    let too_much = sums.iter().find(|(link, (sum, _))| bps(*sum) > network.links[**link].rate.as_bps());
    let Some((link, (sum, planned))) = too_much else { return };
    let link = &network.links[*link];
    let spelled = |bps| Quantity { dimension: Dimension::Rate, amount: bps }.canonical();
    report
        .error(
            planned.given.common.abr_settings.at("mcr"),
            format!("the MCRs of the connections over {} are {} together", link.name, spelled(bps(*sum))),
        )
        .label(format!("the link carries {}", spelled(link.rate.as_bps())))
        .help("lower `mcr`: the sum of what is guaranteed may not be more than the rate of any link");
}

/// The parameters of ABR of a flow of that service.
fn abr_params(flow: &Flow) -> Option<&AbrParams> {
    match &flow.service {
        ServiceCategory::Abr(params) => Some(params),
        ServiceCategory::Ubr { .. } => None,
    }
}

/// Warns about parameters of ABR that no flow has.
pub(crate) fn warn_parameters(document: &Document, flows: &[PlannedFlow], report: &mut Report) {
    if report.has_errors() {
        return;
    }
    let is_of = |planned: &PlannedFlow| abr_params(&planned.flow).is_some();
    let mut unused: Vec<At> = Vec::new();
    if !flows.iter().any(is_of) {
        unused.extend(document.abr.at.filter(|_| document.abr.keys().next().is_some()));
    }
    for named in &document.flows {
        let at = named.abr.at.filter(|_| named.abr.keys().next().is_some());
        let is_unused = || flows.iter().any(|planned| planned.flow.name == named.name && !is_of(planned));
        unused.extend(at.filter(|_| is_unused()));
    }
    for at in unused {
        report
            .warning(at, "the parameters of abr have no effect here")
            .label("the service is ubr")
            .help("write service = \"abr\" in [atm] or [flow.NAME], or leave them out");
    }
}

/// Warns about rate algorithms where no source follows them, and about sources that no port tells a rate.
pub(crate) fn warn_rates(
    network: &Network,
    technology: Technology,
    flows: &[PlannedFlow],
    settings: &QueueSettings,
    report: &mut Report,
) {
    if report.has_errors() {
        return;
    }
    let (label, help) = match technology {
        Technology::Atm { .. } => (
            "no flow has the service abr, and no TCP sender is told its rates",
            "write service = \"abr\" in [atm] or [flow.NAME], or tcp_feedback = \"window\", \"bucket\" or \"both\" beside it",
        ),
        Technology::Packet { .. } => {
            ("no TCP sender is told its rates", "write tcp_feedback = \"window\", \"bucket\" or \"both\" beside it")
        }
    };
    let mut abr = flows.iter().filter(|planned| abr_params(&planned.flow).is_some()).peekable();
    if abr.peek().is_none() {
        let everywhere = [&settings.general].into_iter().chain(settings.ports.iter().map(|(_, port)| port));
        let chosen = everywhere.map(|tables| &tables.own).find_map(|queue| {
            let name = queue.word("rate_algorithm").filter(|name| *name != NO_RATES)?;
            queue.at("rate_algorithm").map(|at| (name, at))
        });
        let has_feedback = network.links.iter().any(|link| link.queue.feedback.is_some());
        if let Some((name, at)) = chosen.filter(|_| !has_feedback) {
            report.warning(at, format!("the rate algorithm {name} has no effect here")).label(label).help(help);
        }
        return;
    }
    let is_told = |planned: &PlannedFlow| {
        planned.flow.forward.links().iter().any(|link| network.links[*link].queue.rates.is_some())
    };
    if let Some(planned) = abr.find(|planned| !is_told(planned)) {
        report
            .warning(
                planned.given.common.settings.own.at("service"),
                format!("no port tells {} a rate", planned.flow.name),
            )
            .label("the source rises to PCR, whatever happens to its cells")
            .help("write rate_algorithm = \"erica\" or another one in [queue]");
    }
}
