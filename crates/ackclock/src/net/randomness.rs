//! Whether the seed can make a difference to a scenario: everything of it that draws random numbers.
//!
//! Each structure is taken apart field by field and each word has an arm of its own, so that the compiler asks about
//! whatever is added to a scenario. `crates/ackclock-scenario/tests/language/randomness.rs` compares two seeds for every word.

use super::build::Wiring;
use crate::atm::rate::RateAlgorithm;
use crate::ids::{IdVec, LinkId};
use crate::link::{ErrorParams, JitterParams, LinkParams, LinkSchedule, ReorderParams};
use crate::scenario::{Flow, Link, Queue, Scenario, ServiceOrder, Technology, UdpFlow};
use crate::tcp::{TcpParams, TickPhase, TimerKind, TimerParams};
use crate::traffic::{CbrParams, Dither};
use crate::units::Span;

/// Whether the seed can make a difference.
pub fn has_randomness(scenario: &Scenario) -> bool {
    let Scenario {
        name: _,
        duration: _,
        warmup: _,
        technology,
        nodes: _,
        links,
        flows,
        udp,
        bottleneck: _,
        recording: _,
        events: _,
    } = scenario;
    if flows.iter().any(of_flow) || udp.iter().any(of_udp) {
        return true;
    }
    let has_slots = match technology {
        Technology::Atm { llc: _ } => true,
        Technology::Packet { link_header_bytes: _ } => false,
    };
    if has_slots {
        let wiring = Wiring::new(scenario);
        if links.iter_ids().any(|(id, link)| wiring.inputs_of(id) > 1 && orders_at_random(link.queue.service_order)) {
            return true;
        }
    }
    // A link without connections draws nothing.
    links.iter().any(|link| of_link(link, usize::MAX)) && {
        let crossing = crossing(scenario);
        links.iter_ids().any(|(id, link)| crossing[id] > 0 && of_link(link, crossing[id]))
    }
}

/// How many routes cross each link, or may cross it.
fn crossing(scenario: &Scenario) -> IdVec<LinkId, usize> {
    let mut crossing: IdVec<LinkId, usize> = scenario.links.iter().map(|_| 0).collect();
    let of_flows = scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
    for route in of_flows.chain(scenario.udp.iter().flat_map(UdpFlow::routes)) {
        route.links().iter().for_each(|&link| crossing[link] += 1);
    }
    crossing
}

fn of_flow(flow: &Flow) -> bool {
    let Flow {
        name: _,
        group: _,
        forward: _,
        backward: _,
        start: _,
        start_jitter,
        stop: _,
        size: _,
        application,
        service: _,
        tcp,
        forced_drops: _,
        back_of: _,
    } = flow;
    *start_jitter > Span::ZERO || application.is_random() || of_tcp(tcp)
}

fn of_tcp(tcp: &TcpParams) -> bool {
    let TcpParams {
        mss: _,
        recovery,
        congestion_control,
        initial_window_segments: _,
        initial_window_from: _,
        initial_ssthresh: _,
        receive_window: _,
        window_scale: _,
        timer,
        ack: _,
        out_of_order: _,
        header_bytes: _,
        first_segment: _,
        handshake: _,
        fin: _,
        timestamp_clock: _,
        host,
        host_queue: _,
        receiver_sack: _,
        sack: _,
        ecn: _,
        window_rules: _,
        reading: _,
        reneges_at: _,
    } = tcp;
    congestion_control.is_random() || recovery.is_random() || host.is_random() || of_timer(timer)
}

fn of_timer(timer: &TimerParams) -> bool {
    let TimerParams {
        kind,
        granularity: _,
        phase,
        min_rto_ticks: _,
        max_rto: _,
        initial_rto: _,
        scope: _,
        segment_timeout: _,
        samples: _,
        rttvar_factor: _,
        scaled_gains: _,
        restarts_at_fast_retransmit: _,
        margin: _,
    } = timer;
    let draws = match kind {
        TimerKind::Bsd | TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => false,
    };
    draws
        || match phase {
            TickPhase::Common(_) => false,
            TickPhase::Random => true,
        }
}

fn of_udp(source: &UdpFlow) -> bool {
    let UdpFlow {
        name: _,
        route: _,
        echo: _,
        pcr: _,
        source: CbrParams { payload_bytes: _, rate: _, interval: _, start: _, stop: _, dither, pattern },
    } = source;
    if let Some(pattern) = pattern {
        return pattern.is_random();
    }
    match dither {
        Dither::Off => false,
        Dither::Uniform => true,
    }
}

/// A link that so many routes cross.
fn of_link(link: &Link, routes: usize) -> bool {
    let Link { name: _, from: _, to: _, rate: _, delay: _, medium: _, params, queue } = link;
    let LinkParams { schedule, errors, jitter, reorder, duplicate } = params;
    // The order of service is looked at where it counts, at ports of cells with several inputs.
    let Queue { buffer: _, policy, service_order: _, rates, feedback: _ } = &**queue;
    jitter.as_ref().is_some_and(JitterParams::is_random)
        || (*duplicate > 0.0 && *duplicate < 1.0)
        || reorder.as_ref().is_some_and(ReorderParams::is_random)
        || policy.is_random(routes)
        || rates.as_ref().is_some_and(RateAlgorithm::is_random)
        || schedule.as_deref().is_some_and(of_schedule)
        || errors.iter().any(|ErrorParams { model, place: _, applies_to: _ }| model.is_random())
}

/// A link that changes does so at instants known before the run.
fn of_schedule(schedule: &LinkSchedule) -> bool {
    let LinkSchedule { delays: _, rates: _, opportunities: _, outages: _, far_ends: _, reordering: _, under_way: _ } =
        schedule;
    false
}

fn orders_at_random(order: ServiceOrder) -> bool {
    match order {
        ServiceOrder::Random => true,
        ServiceOrder::Rotating | ServiceOrder::Fixed | ServiceOrder::Arrival => false,
    }
}
