//! Simulations that are paused, observed, steered, and go on.

use ackclock::ids::{FlowId, Id};
use ackclock::record::{LimitedTimes, Observation, Records, Stage};
use ackclock::rng::Stream;
use ackclock::scenario::Scenario;
use ackclock::sim::{Engine, build_with};
use ackclock::units::{Rate, Span, Time};

use crate::lab::random::{Example, example};

const PAUSES: u64 = 100;

/// The random network with this number.
fn network(number: u64) -> (Scenario, u64) {
    let stream = Stream::new(number, "steered networks", "test");
    let bytes: Vec<u8> = (0..800).map(|index| stream.at(index) as u8).collect();
    let Example { scenario, seed, .. } = example(&bytes);
    (scenario, seed)
}

/// Runs it with pauses, at each of which every flow is observed; where it is steered, something is done to one of them by random numbers
/// that are the same on both engines.
fn paused(scenario: &Scenario, seed: u64, engine: Engine, is_steered: bool) -> (Records, Vec<Observation>, u32) {
    let mut simulation = build_with(scenario, seed, engine);
    let draws = Stream::new(seed, "steering", "test");
    let (mut seen, mut done) = (Vec::new(), 0);
    let mut limited = vec![[Span::ZERO; 4]; scenario.flows.len()];
    for pause in 1..=PAUSES {
        // Not all of them at round instants.
        simulation.step(Time::from_ps(scenario.duration.as_ps() * pause / PAUSES + pause % 3));
        // What has ended is seen as before.
        if engine == Engine::Batched {
            simulation.free_ended();
        }
        let flows = 0..scenario.flows.len();
        seen.extend(flows.map(|flow| simulation.observe(FlowId::from_index(flow)).unwrap()));
        // What has limited a sender for some time has done so for as long at least later on.
        for (flow, before) in simulation.records().flows.iter().zip(&mut limited) {
            let LimitedTimes { receive_window, congestion_window, application, host } = flow.limited;
            let now = [receive_window, congestion_window, application, host];
            assert!(
                now.iter().zip(&*before).all(|(now, before)| now >= before),
                "{}: {before:?} to {now:?}",
                flow.name
            );
            *before = now;
        }
        if !is_steered {
            continue;
        }
        let flow = FlowId::from_index(draws.below(scenario.flows.len() as u64, 3 * pause) as usize);
        let mss = u64::from(scenario.flows[flow].tcp.mss);
        let much = draws.below(40, 3 * pause + 1);
        let result = match draws.below(5, 3 * pause + 2) {
            0 => simulation.hold_window(flow, Some(mss * (1 + much) + much % 3)),
            1 => simulation.hold_window(flow, None),
            2 => simulation.hold_pacing_rate(flow, Rate::from_bps(100_000 << (much / 4))),
            3 => simulation.hold_pacing_rate(flow, None),
            _ => Ok(()),
        };
        let has_ended = seen[seen.len() - scenario.flows.len() + flow.index()].stage == Stage::Ended;
        assert!(result.is_ok() || has_ended || simulation.progress().finished(), "{result:?}");
        done += u32::from(result.is_ok());
    }
    (simulation.finish(), seen, done)
}

#[test]
fn a_simulation_that_is_paused_and_observed_gives_what_one_gives_that_is_not() {
    for number in 0..40 {
        let (scenario, seed) = network(number);
        for engine in [Engine::Batched, Engine::Reference] {
            let mut simulation = build_with(&scenario, seed, engine);
            simulation.step(Time::NEVER);
            let (records, _, _) = paused(&scenario, seed, engine, false);
            assert_eq!(records, simulation.finish(), "network {number}, {engine:?}");
        }
    }
}

#[test]
fn both_engines_see_and_do_the_same_in_random_networks_that_are_steered() {
    let (mut done, mut differ) = (0, 0);
    for number in 0..150 {
        let (scenario, seed) = network(number);
        let (reference, of_reference, _) = paused(&scenario, seed, Engine::Reference, true);
        let (batched, of_batched, actions) = paused(&scenario, seed, Engine::Batched, true);
        for (place, (one, other)) in of_reference.iter().zip(&of_batched).enumerate() {
            let flow = place % scenario.flows.len();
            assert_eq!(one, other, "network {number}, flow {flow}, pause {}", place / scenario.flows.len());
        }
        assert_eq!(batched, reference, "network {number}");
        crate::lab::conserves(&reference);
        let (alone, _, _) = paused(&scenario, seed, Engine::Batched, false);
        differ += u32::from(alone.fingerprint != batched.fingerprint);
        done += actions;
    }
    assert!(done > 5000 && differ > 100, "{done} actions, of which {differ} networks show something");
}

/// A packet of 960 octets, 40 of headers and 12 of timestamps takes .8096 ms of each of three links, an acknowledgement of 52 octets
/// 41.6 us, and the link in the middle 20 ms in each direction: the round trip is 42.5536 ms where nothing waits.
const PATH: &str = r#"
name = "held"
duration = "20 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 1
access_rate = "10 Mbps"
access_delay = "0 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "20 ms"
[queue]
buffer = "1000 packets"
[tcp]
mss = "960 B"
delayed_ack = false
receive_window = "500 kB"
"#;

#[test]
fn a_held_window_gives_one_window_in_each_round_trip_and_a_held_rate_that_rate() {
    let scenario = crate::lab::scenario(PATH, &[]);
    let flow = FlowId::from_index(0);
    for engine in [Engine::Batched, Engine::Reference] {
        let mut simulation = build_with(&scenario, 1, engine);
        let observe = |simulation: &mut ackclock::sim::Simulation, until: u64| {
            simulation.step(Time::ZERO + Span::from_secs(until));
            simulation.observe(flow).unwrap()
        };
        simulation.hold_window(flow, Some(8 * 960)).unwrap();
        let (one, two) = (observe(&mut simulation, 1), observe(&mut simulation, 4));
        let (expected, found) = (8.0 * 960.0 * 8.0 / RTT_S, two.delivery_rate_bps(&one).unwrap());
        assert!((found / expected - 1.0).abs() < 0.004, "{found} instead of {expected} bit/s");
        assert_eq!((two.window, two.in_flight, two.loss(&one)), (8.0 * 960.0, 8 * 960, Some(0.0)));
        // Twice the window at the rate of one: the window does not limit.
        simulation.hold_window(flow, Some(32 * 960)).unwrap();
        simulation.hold_pacing_rate(flow, Rate::from_bps(1_500_000)).unwrap();
        let (one, two) = (observe(&mut simulation, 5), observe(&mut simulation, 9));
        let found = two.delivery_rate_bps(&one).unwrap();
        assert!((found / 1.5e6 - 1.0).abs() < 0.003, "{found} bit/s");
        assert_eq!(two.pacing_rate, Some(1.5e6 / 8.0));
        // What is released goes on: Reno fills the path, 960 of 1,012 octets of 10 Mb/s.
        simulation.hold_window(flow, None).unwrap();
        simulation.hold_pacing_rate(flow, None).unwrap();
        let (one, two) = (observe(&mut simulation, 14), observe(&mut simulation, 19));
        let found = two.delivery_rate_bps(&one).unwrap();
        assert!(
            (found / (1e7 * 960.0 / 1012.0) - 1.0).abs() < 0.001 && two.window > 52.0 * 960.0,
            "{found} bit/s, {}",
            two.window
        );
    }
}

/// A timer that wakes and does not expire changes nothing of what has limited a sender until then: here at the end of a file, which is
/// sent and not yet acknowledged.
#[test]
fn what_limits_a_sender_up_to_an_instant_is_the_same_when_it_is_asked_for_later() {
    for size in ["traffic.size=60 kB", "traffic.size=61 kB", "traffic.size=62 kB"] {
        let timer = ["tcp.dialect=osu", "tcp.timer=ns2", "tcp.tick=10 ms", "tcp.receive_window=20 kB"];
        let scenario = crate::lab::scenario(PATH, &[&timer[..], &[size, "duration=500 ms"]].concat());
        for engine in [Engine::Batched, Engine::Reference] {
            let mut simulation = build_with(&scenario, 1, engine);
            let mut before = [Span::ZERO; 4];
            for step in 1..=10_000 {
                simulation.step(Time::ZERO + Span::from_us(50 * step));
                let LimitedTimes { receive_window, congestion_window, application, host } =
                    simulation.records().flows[0].limited;
                let now = [receive_window, congestion_window, application, host];
                let is_later = now.iter().zip(&before).all(|(now, before)| now >= before);
                assert!(is_later, "{size}, {engine:?}, step {step}: {before:?}, then {now:?}");
                before = now;
            }
        }
    }
}

#[test]
fn what_cannot_be_done_to_a_flow_is_said_with_its_reason() {
    let scenario = crate::lab::scenario(PATH, &["traffic.size=10 kB"]);
    let mut simulation = build_with(&scenario, 1, Engine::Batched);
    let flow = FlowId::from_index(0);
    let stage = |simulation: &ackclock::sim::Simulation| simulation.observe(flow).unwrap().stage;
    assert_eq!(stage(&simulation), Stage::NotBegun);
    let said = |result: Result<(), ackclock::sim::SteeringError>| result.unwrap_err().to_string();
    assert_eq!(
        said(simulation.hold_window(flow, Some(959))),
        "flow f1: a window of 959 bytes cannot be held; hold a segment, 960 bytes, or more, and at most 1073741824 bytes"
    );
    assert!(said(simulation.hold_window(flow, Some((1 << 30) + 1))).contains("1073741825 bytes cannot be held"));
    assert_eq!(
        said(simulation.hold_pacing_rate(FlowId::from_index(3), None)),
        "flow number 3: the scenario has 1 flows; they are numbered in the order of the scenario, from 0 on"
    );
    simulation.step(Time::ZERO + Span::from_ms(50));
    assert_eq!(stage(&simulation), Stage::Open);
    simulation.step(Time::ZERO + Span::from_secs(2));
    assert_eq!(stage(&simulation), Stage::Ended);
    assert_eq!(
        said(simulation.hold_pacing_rate(flow, Rate::from_bps(1))),
        "flow f1: it has ended: all that its application offered is acknowledged; look at its stage before, and \
         leave it as it is"
    );
}

const RTT_S: f64 = 0.042_553_6;
