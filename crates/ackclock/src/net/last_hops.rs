//! Packet ports with almost no queue: the last before a host, fed by one packet port of no higher rate and
//! nothing else. At most one packet waits there, for a longer one before it, and none is ever refused. The batched
//! engine computes them together with the port before, and they are not recorded over time.

use crate::ids::{FlowId, Id, IdVec, LinkId, VcId};
use crate::net::build::{self, Feeder, Wiring};
use crate::net::feedback::Edges;
use crate::net::flow::{Vc, end_of};
use crate::net::lists::Lists;
use crate::scenario::{self, Scenario, Technology};
use crate::tcp::TcpParams;
use crate::units::{Rate, Span};

/// For each link, whether its port is one of these. None is `routed`, or behind one that is, or is behind a router that changes
/// acknowledgements. One that gives rates to TCP is recorded over time; only if it is not, and if `rated` says so, it is one of these.
pub(super) fn last_hops(
    scenario: &Scenario,
    wiring: &Wiring,
    crossing: &Lists<LinkId, VcId>,
    vcs: &IdVec<VcId, Vc>,
    routed: &IdVec<LinkId, bool>,
    edges: &Edges,
    rated: bool,
) -> IdVec<LinkId, bool> {
    let Technology::Packet { link_header_bytes } = scenario.technology else {
        return scenario.links.iter().map(|_| false).collect();
    };
    let is_tail = |(id, link): (LinkId, &scenario::Link)| {
        let [input] = wiring.inputs.of(id)[..] else { return false };
        let of_flow = |&vc: &VcId| end_of(vc).0 < scenario.flows.len();
        let is_last = |&vc: &VcId| vcs[vc].route.last().is_some_and(|hop| hop.link == id);
        if wiring.feeders[input] != Feeder::Packets
            || routed[id]
            || routed[input]
            || !build::is_foreseeable(link)
            || link.queue.feedback.is_some() && !rated
            || !build::is_foreseeable(&scenario.links[input])
            || scenario.links[input].rate > link.rate
            || edges.precede(id)
            || !crossing.of(id).iter().all(|vc| is_last(vc) && of_flow(vc))
        {
            return false;
        }
        let connections = || crossing.of(id).iter().map(|&vc| &*scenario.flows[FlowId::from_index(end_of(vc).0)].tcp);
        let (Some(longest), Some(shortest)) = (
            connections().map(TcpParams::longest_datagram).max(),
            connections().map(TcpParams::shortest_datagram).min(),
        ) else {
            return false;
        };
        let time = |rate: Rate, bytes: u32| rate.serialization(u64::from(bytes) * 8);
        let (longest, shortest) = (longest + link_header_bytes, shortest + link_header_bytes);
        let apart = time(scenario.links[input].rate, shortest);
        never_refuses(build::limits(link.queue.buffer), (time(link.rate, longest), u64::from(longest)), apart)
    };
    scenario.links.iter_ids().map(is_tail).collect()
}

/// Whether a port never has to refuse a packet: it sends the longest in time `longest`, its only input has no higher rate
/// and sends the shortest in time `apart`.
///
/// What is transmitted and waiting when a packet arrives, and that packet, take no longer than `longest` together: this
/// holds for the first, and from one to the next no less time goes by than the next one takes. So the first of those that
/// wait came less than `longest` ago, and each after it, and the packet that arrives, `apart` later or more.
pub(super) fn never_refuses(buffer: (u32, u64), longest: (Span, u64), apart: Span) -> bool {
    let (packets, bytes) = buffer;
    u64::from(packets) >= longest.0.as_ps().div_ceil(apart.as_ps()) && bytes >= 2 * longest.1
}
