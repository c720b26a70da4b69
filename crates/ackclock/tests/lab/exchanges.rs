//! Flows with data in both directions in random networks: the flow of the responses is added to each that can have one.

use ackclock::ids::{FlowId, Id};
use ackclock::law::{Law, UniformParams};
use ackclock::rng::Stream;
use ackclock::scenario::{Flow, Scenario, Technology};
use ackclock::tcp::application::ExchangesParams;
use ackclock::tcp::{ApplicationParams, FirstSegment, HostModel, TcpParams};
use ackclock::units::Span;

/// Adds them; other flows with exchanges have bulk transfers instead.
pub fn add_responses(scenario: &mut Scenario) {
    let one_way = matches!(scenario.technology, Technology::Atm { .. });
    for number in 0..scenario.flows.len() {
        let flow = &mut scenario.flows[FlowId::from_index(number)];
        if !matches!(*flow.application, ApplicationParams::Exchanges(_)) {
            continue;
        }
        let fits = flow.tcp.first_segment == FirstSegment::Data && flow.tcp.reading.is_none();
        let fits = fits && matches!(flow.tcp.host, HostModel::Immediate);
        if one_way || !fits {
            flow.application = ApplicationParams::Bulk(()).into();
            continue;
        }
        (flow.size, flow.stop) = (None, None);
        if let ApplicationParams::Exchanges(params) = &mut *flow.application {
            // With thousands at once no run is long enough for any of them.
            params.outstanding = 1 + params.outstanding % 8;
        }
        let back = Flow {
            name: format!("{}-back", flow.name),
            forward: flow.backward.clone(),
            backward: flow.forward.clone(),
            start_jitter: Span::ZERO,
            application: ApplicationParams::Bulk(()).into(),
            tcp: TcpParams { handshake: false, fin: false, ..TcpParams::clone(&flow.tcp) }.into(),
            forced_drops: Vec::new(),
            back_of: Some(FlowId::from_index(number)),
            ..flow.clone()
        };
        scenario.flows.push(back);
    }
}

/// Gives every flow exchanges of a few segments, if the network can have them; else nothing is done.
pub fn everywhere(scenario: &mut Scenario, draws: Stream) -> bool {
    let has_some = scenario.flows.iter().any(|flow| flow.back_of.is_some());
    if has_some || matches!(scenario.technology, Technology::Atm { .. }) {
        return false;
    }
    for (number, flow) in (10_000..).zip(scenario.flows.iter_mut()) {
        let segments = |most: u64| {
            Law::Uniform(UniformParams {
                least: 1.0,
                most: f64::from(flow.tcp.mss) * (1 + draws.below(most, number)) as f64,
            })
        };
        let think = scenario.duration.as_ps() as f64 / (1 + draws.below(300, number)) as f64;
        let params = ExchangesParams {
            count: (draws.below(3, number) > 0).then(|| 1 + draws.below(40, number)),
            request: segments(8),
            response: segments(60),
            think: Law::Constant(if draws.below(2, number) == 0 { 0.0 } else { think }),
            outstanding: [1, 1, 3, 20][draws.below(4, number + 50_000) as usize],
        };
        flow.application = ApplicationParams::Exchanges(params).into();
        (flow.tcp.first_segment, flow.tcp.host, flow.tcp.reading) = (FirstSegment::Data, HostModel::Immediate, None);
    }
    add_responses(scenario);
    true
}
