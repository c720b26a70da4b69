//! How long random scenarios run, and what depends on that.

use ackclock::ids::{Id, LinkId};
use ackclock::scenario::*;
use ackclock::sim::{Engine, build_with};
use ackclock::tcp::*;
use ackclock::units::{CELL_BITS, Span, Time};

use super::choices::Choices;
use super::queues::frame_cells;

/// The time in which about so many units cross links: whatever limits the flows, the links of their hosts or their windows.
pub fn duration_ps(scenario: &Scenario, events: f64) -> u64 {
    let expected = |ps: f64| -> f64 {
        let of_flow = |flow: &Flow| {
            let route = [flow.forward.links(), flow.backward.links()].concat();
            let links = || route.iter().map(|&link| &scenario.links[link]);
            let (units, unit_bits) = match scenario.technology {
                Technology::Atm { .. } => (f64::from(frame_cells(flow.tcp.mss, scenario.technology)), CELL_BITS as f64),
                Technology::Packet { .. } => (1.0, f64::from(flow.tcp.mss + 40) * 8.0),
            };
            let rate =
                flow.forward.links().iter().map(|&link| scenario.links[link].rate.as_bps()).min().unwrap_or(1) as f64;
            let by_rate = ps * rate / 1e12 / unit_bits;
            let round_trip: f64 = links().map(|link| link.delay.as_ps() as f64).sum();
            let window = (flow.tcp.receive_window / u64::from(flow.tcp.mss)) as f64 * units;
            let by_window = window * (ps / round_trip.max(1.0) + 1.0);
            by_rate.min(by_window) * links().count() as f64
        };
        scenario.flows.iter().map(of_flow).sum()
    };
    let mut ps = 1e6;
    while ps < 1e15 && expected(ps * 1.25) < events {
        ps *= 1.25;
    }
    // The first round trips of slow start carry little, so there is time for some of them.
    ps.max((8.0 * longest_round_trip_ps(scenario) as f64).min(16.0 * ps)) as u64
}

fn longest_round_trip_ps(scenario: &Scenario) -> u64 {
    let of_flow = |flow: &Flow| {
        [flow.forward.links(), flow.backward.links()]
            .concat()
            .iter()
            .map(|&link| scenario.links[link].delay.as_ps())
            .sum()
    };
    scenario.flows.iter().map(of_flow).max().unwrap_or(0)
}

/// Whatever was expected, the run ends soon after [`MOST_EVENTS`] of the reference engine.
pub fn shorten(scenario: &mut Scenario, seed: u64) {
    let mut simulation = build_with(scenario, seed, Engine::Reference);
    for part in 1..64 {
        let length = Span::from_ps(scenario.duration.as_ps() / 64 * part);
        if length > scenario.warmup && simulation.step(Time::ZERO + length).events > MOST_EVENTS {
            scenario.duration = length;
            break;
        }
    }
}

/// What depends on the length of the run: timers, starts, stops, files, losses on purpose, the warm-up.
pub fn traffic_and_timers(choices: &mut Choices, scenario: &mut Scenario) {
    let ps = scenario.duration.as_ps();
    let part =
        |numerator: u64, denominator: u64| (u128::from(ps) * u128::from(numerator) / u128::from(denominator)) as u64;
    // Patient enough to wait for an acknowledgement, or not.
    let patient = part(1, 40).max(longest_round_trip_ps(scenario));
    let granularity =
        Span::from_ps(choices.one_of(&[patient, patient, patient, patient / 5, part(1, 20), part(1, 500)]).max(1000));
    let phase = match choices.below(4) {
        0 | 1 => TickPhase::Common(Span::ZERO),
        2 => TickPhase::Random,
        _ => TickPhase::Common(Span::from_ps(granularity.as_ps() / 3)),
    };
    let timer = TimerParams {
        kind: TimerKind::Bsd,
        granularity,
        phase,
        min_rto_ticks: choices.one_of(&[2, 1, 3]),
        max_rto: granularity * 64,
        initial_rto: granularity * choices.one_of(&[4, 2, 10]),
        scope: TimerScope::Connection,
        segment_timeout: SegmentTimeout::Current,
        samples: RttSamples::OneAtATime,
        rttvar_factor: 4,
        scaled_gains: false,
        restarts_at_fast_retransmit: false,
        margin: RtoMargin::None,
    };
    let ack = match choices.below(3) {
        0 | 1 => AckPolicy::EverySegment,
        _ => AckPolicy::Delayed { timeout: granularity * choices.one_of(&[2, 1]) },
    };
    scenario.warmup = Span::from_ps(choices.one_of(&[0, part(1, 4), part(1, 3) + 1]).min(ps - 1));
    for flow in scenario.flows.iter_mut() {
        flow.tcp.timer = timer.clone();
        flow.tcp.ack = ack;
        let mss = u64::from(flow.tcp.mss);
        match choices.below(8) {
            0..=3 => {}
            4 => flow.start = Time::from_ps(part(choices.below(16), 16)),
            5 => flow.size = Some(1 + choices.one_of(&[mss * 10, mss * 4 - 1, mss / 2, mss * 100])),
            6 => {
                flow.start = Time::from_ps(part(choices.below(4), 16));
                flow.stop = Some(Time::from_ps(flow.start.as_ps() + 1 + part(choices.below(8), 16)));
            }
            _ => {
                let mut lost: Vec<(u64, u32)> =
                    (0..1 + choices.below(4)).map(|_| (choices.below(20), 1 + choices.below(3) as u32)).collect();
                lost.sort_unstable();
                lost.dedup();
                let drop = |(segment, transmission)| ForcedDrop { segment, transmission };
                flow.forced_drops = lost.into_iter().map(drop).collect();
            }
        }
    }
}

/// Instants in order, and rarely one that is past already.
pub fn stops(choices: &mut Choices, scenario: &Scenario) -> Vec<Time> {
    let ps = scenario.duration.as_ps();
    let cell_ps = scenario.links[LinkId::from_index(0)].rate.cell_time().as_ps();
    let mut stops: Vec<Time> = (0..choices.below(5))
        .map(|_| {
            let any = (u128::from(ps) * u128::from(choices.below(256)) / 256) as u64;
            // On the end of a slot, one before and one after.
            Time::from_ps(match choices.below(4) {
                0 => any,
                1 => any / cell_ps * cell_ps,
                2 => any / cell_ps * cell_ps + 1,
                _ => (any / cell_ps * cell_ps).saturating_sub(1),
            })
        })
        .collect();
    if !choices.once_in(8) {
        stops.sort();
    }
    stops
}

/// Events of the reference engine after which a run is cut.
const MOST_EVENTS: u64 = 15_000;
