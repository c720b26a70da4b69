//! What does not go with a medium that links share: routes that change, and rates for TCP.

use ackclock::scenario::UdpFlow;

use crate::flows::PlannedFlow;
use crate::network::Network;
use crate::queues::QueueSettings;
use crate::text::diagnostic::Report;

/// Reports it, if a link is on a medium.
pub(crate) fn check(
    network: &Network,
    (flows, udp): (&[PlannedFlow], &[UdpFlow]),
    queues: &QueueSettings,
    report: &mut Report,
) {
    let Some(medium) = network.links.iter().find_map(|link| link.medium.as_ref()) else { return };
    if let Some(link) = network.links.iter().find(|link| link.queue.feedback.is_some()) {
        let own = queues.ports.iter().find(|(name, _)| *name == link.name).map(|(_, tables)| &tables.own);
        let at = own.unwrap_or(&queues.general.own).at("tcp_feedback");
        report
            .error(at, format!("`tcp_feedback` at {} is in one network with the medium {}", link.name, medium.name))
            .label("no router of a network with a medium gives rates to flows")
            .help("leave `tcp_feedback` out, or the medium");
    }
    let of_flows = flows.iter().flat_map(|planned| {
        let at = |key| planned.given.common.settings.own.at(key);
        let name = &planned.flow.name;
        let (there, back) = (at("route_changes"), at("back_route_changes"));
        [(name, &planned.flow.forward, there.or(back)), (name, &planned.flow.backward, back.or(there))]
    });
    let of_udp = udp.iter().flat_map(|source| source.routes().map(|route| (&source.name, route, None)));
    for (name, route, at) in of_flows.chain(of_udp).filter(|(_, route, _)| route.fixed().is_none()) {
        let links = route.links();
        let Some(link) = links.iter().map(|&link| &network.links[link]).find(|link| link.medium.is_some()) else {
            continue;
        };
        report
            .error(at, format!("a route of {name} changes, and may lead over {}, which shares a medium", link.name))
            .label("routes over a medium do not change")
            .help("let the routes avoid the medium, or leave the changes out");
        return;
    }
}
