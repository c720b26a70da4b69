//! Every congestion control and every recovery on both engines, on packets and on cells; and one of each from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lab::agree::assert_engines_agree;
use ackclock::packet::SackBlock;
use ackclock::record::Records;
use ackclock::rng::Stream;
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::tcp::cc::{
    self, Ack, Algorithm, CongestionControl, CustomCongestionControl, Delivery, Loss, LossState, Measured, Needs,
    RateSample, Window,
};
use ackclock::tcp::recovery::{
    self, BatchHints, CustomRecovery, Deadline, DupAck, Flight, LossDetection, NewAck, Recovery, RecoveryContext,
    RecoveryParams, RecoveryState, Sending, TimerAction,
};
use ackclock::tcp::{CongestionControlParams, TcpParams};
use ackclock::units::{Span, Time};

/// Three connections through one queue that is too short for them.
const NETWORKS: [(&str, &str); 2] = [
    (
        "packets",
        "duration = \"4 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 3\n\
         access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"3 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
         [queue]\nbuffer = \"6 packets\"\n[tcp]\ndialect = \"standard\"\nmin_rto = \"200 ms\"\n",
    ),
    (
        "cells",
        "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = 3\nrate = \"25 Mbps\"\naccess_delay = \"5 us\"\n\
         trunk_delay = \"2 ms\"\n[queue]\nbuffer = \"150 cells\"\npolicy = \"epd\"\n[tcp]\nrecovery = \"rack\"\n\
         initial_rto = \"300 ms\"\n",
    ),
];

/// Runs the network with these parameters at every flow, on both engines.
fn agree(name: &str, text: &str, change: impl Fn(&mut TcpParams)) -> (Scenario, Records) {
    let mut scenario = crate::lab::scenario(text, &[]);
    for flow in scenario.flows.iter_mut() {
        change(&mut flow.tcp);
    }
    let records = assert_engines_agree(name, &scenario, 7);
    let lost: u64 = records.ports.iter().map(|port| port.drops.total()).sum();
    let sent_again: u64 = records.flows.iter().map(|flow| flow.counts.retransmissions).sum();
    assert!(records.flows.iter().all(|flow| flow.counts.bytes_delivered > 20_000), "{name}: {records:#?}");
    assert!(lost > 0 && sent_again > 0, "{name}: nothing is lost");
    (scenario, records)
}

#[test]
fn every_congestion_control_on_both_engines() {
    for (network, text) in NETWORKS {
        for algorithm in cc::ALL {
            let name = format!("{} on {network}", algorithm.name);
            agree(&name, text, |tcp| {
                tcp.congestion_control = algorithm.with_defaults();
                // Enough to lose something by slow start, which Vegas does not by itself.
                tcp.initial_window_segments = 10;
            });
        }
    }
}

/// cwnd and ssthresh over time, bytes, of a path with segments of this size whose round trips are from 100 to 130 ms: rounds of one
/// acknowledgement for each segment of the window, a loss after every 25th round. `is_used`: by a window that is used.
fn windows(algorithm: &Algorithm, mss: u64, is_used: bool) -> Vec<[f64; 2]> {
    let mut control = algorithm.with_defaults().start(Stream::new(1, "f", "congestion control"));
    let (size, limit, start) = (mss as f64, 1000.0 * mss as f64, Time::ZERO);
    let (mut window, mut now, mut una) = (Window { cwnd: 20.0 * size, ssthresh: 40.0 * size }, start, 0);
    let mut found = Vec::new();
    for round in 0..100_u64 {
        let rtt = Span::from_ms(100 + 3 * (round % 11));
        let segments = (window.cwnd / size) as u64;
        for _ in 0..segments {
            (now, una) = (now + Span::from_ps(rtt.as_ps() / segments), una + mss);
            let flight = segments as f64 * size;
            let rate = flight / rtt.as_secs_f64();
            let delivery = Delivery {
                now,
                mss: size,
                limit,
                delivered: size,
                total: una,
                sample: Some(RateSample {
                    prior_delivered: una.saturating_sub(segments * mss),
                    delivered: flight,
                    rate: Some(rate),
                    app_limited: !is_used,
                    in_flight: flight,
                    lost: 0.0,
                }),
                window_limited: is_used,
                rtt: Some(rtt),
                lost: 0.0,
                prior_in_flight: flight,
                in_flight: flight - size,
                loss_state: LossState::Open,
            };
            let measured =
                Measured { now, start, una, nxt: una + segments * mss, rtt: Some(rtt), window_limited: is_used };
            let ack = Ack {
                measured: algorithm.needs.round_trips.then_some(measured),
                delivery: algorithm.needs.delivery_rates.then_some(&delivery),
                ..Ack::of(size, limit)
            };
            control.on_ack(&ack, &mut window);
        }
        if round % 25 == 24 {
            control.on_congestion(&Loss::of(size, limit), &mut window);
            window.cwnd = window.ssthresh.min(window.cwnd);
        }
        found.push([window.cwnd, window.ssthresh]);
    }
    found
}

/// Windows are the same in segments, however large those are: none takes segments for bytes. With segments of one byte both are the same,
/// and with large ones far from it. In `reno` a window grows by whole bytes, as in BSD: of these segments have more.
#[test]
fn every_congestion_control_counts_in_segments() {
    let mut wrong = Vec::new();
    for algorithm in cc::ALL {
        let sizes = [if algorithm.name == "reno" { 1 << 16 } else { 1 }, 1 << 20];
        let [small, large] = sizes.map(|mss| {
            let in_segments = |windows: [f64; 2]| windows.map(|bytes| bytes / mss as f64);
            windows(algorithm, mss, true).into_iter().map(in_segments).collect::<Vec<_>>()
        });
        let is_same = |(small, large): (&f64, &f64)| small == large || (large / small - 1.0).abs() < 0.01;
        let differs = |(small, large): &(&[f64; 2], &[f64; 2])| !small.iter().zip(large.iter()).all(is_same);
        let first = small.iter().zip(&large).enumerate().find(|(_, windows)| differs(windows));
        wrong.extend(first.map(|(round, windows)| format!("{}, round {round}: {windows:?}", algorithm.name)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Those of which a window grows here that is not used, unless it is validated (RFC 7661). On this path that of `vegas` does not grow in any
/// case.
const GROW_UNUSED: [&str; 7] = ["reno", "bbr1", "bbr3", "vegas-1995", "vegas-a", "vegas-linux", "vegas-plus"];

/// As in Linux; a congestion control that grows all the same says so here.
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let most =
        |algorithm: &Algorithm| windows(algorithm, 1024, false).iter().map(|[cwnd, _]| *cwnd).fold(0.0, f64::max);
    let grow: Vec<&str> = cc::ALL.iter().filter(|of| most(of) > 20.0 * 1024.0).map(|of| of.name).collect();
    assert_eq!(grow, GROW_UNUSED);
}

/// A window that grows by half a segment per acknowledgement, and starts over at every loss; and how often it was asked.
struct Halves(Arc<AtomicU64>);

impl CongestionControl for Halves {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        self.0.fetch_add(1, Ordering::Relaxed);
        window.cwnd = (window.cwnd + ack.mss / 2.0).min(ack.limit);
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = 2.0 * loss.mss;
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        (window.ssthresh, window.cwnd) = (2.0 * loss.mss, loss.mss);
    }
}

#[test]
fn a_congestion_control_from_outside_on_both_engines() {
    let asked = Arc::new(AtomicU64::new(0));
    let custom = || {
        let asked = asked.clone();
        let start = move |_| Box::new(Halves(asked.clone())) as Box<dyn CongestionControl>;
        CongestionControlParams::Custom(CustomCongestionControl::new("constant", Needs::NOTHING, start))
    };
    for (network, text) in NETWORKS {
        let (_, halves) = agree(&format!("custom on {network}"), text, |tcp| tcp.congestion_control = custom());
        let (scenario, reno) = agree(&format!("reno on {network}"), text, |_| {});
        assert_ne!(halves.fingerprint, reno.fingerprint, "{network}: it makes no difference");
        assert!(asked.swap(0, Ordering::Relaxed) > 100, "{network}: it is not asked");
        assert_eq!(scenario.flows.iter().next().unwrap().tcp.congestion_control.name(), "reno");
    }
    assert_eq!(custom().name(), "constant");
    assert!(custom().is_random(), "what is not known counts as random");
}

/// Those with fine timeouts go with Vegas.
#[test]
fn every_recovery_on_both_engines() {
    let vegas = cc::Algorithm::named("vegas").unwrap();
    for (network, text) in NETWORKS {
        for algorithm in recovery::ALL {
            agree(&format!("{} on {network}", algorithm.name), text, |tcp| {
                tcp.recovery = algorithm.with_defaults();
                if algorithm.needs.fine_timeouts {
                    tcp.congestion_control = vegas.with_defaults();
                }
                tcp.initial_window_segments = 10;
            });
        }
    }
}

/// The first duplicate acknowledgement of a segment means that it is lost; and how often that happened.
struct Hasty {
    recover: Option<u64>,
    found: Arc<AtomicU64>,
}

impl Recovery for Hasty {
    fn on_dup_ack(&mut self, _count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck {
        if self.recover.is_some() {
            return DupAck::Noted;
        }
        self.found.fetch_add(1, Ordering::Relaxed);
        self.recover = Some(flight.max);
        context.window.cwnd = (context.window.cwnd / 2.0).max(2.0 * flight.mss as f64);
        DupAck::FastRetransmit(TimerAction::Leave)
    }

    fn on_new_ack(&mut self, ack: u64, _flight: &Flight, _context: RecoveryContext<'_>) -> NewAck {
        match self.recover {
            None => NewAck::Grow,
            Some(recover) if ack < recover => NewAck::Partial { retransmit: true, restart_timer: true },
            Some(_) => {
                self.recover = None;
                NewAck::Recovered
            }
        }
    }

    fn on_timeout(&mut self, _flight: &Flight, _context: RecoveryContext<'_>) {
        self.recover = None;
    }

    fn in_recovery(&self) -> bool {
        self.recover.is_some()
    }
}

/// Leaves nothing out.
impl BatchHints for Hasty {}

/// The first to fourth duplicate acknowledgement of a segment means that it is lost, as is drawn for each loss; the sixth in the
/// second half of each 40 ms.
struct Drawn {
    hasty: Hasty,
    draws: Stream,
    losses: u64,
}

impl Recovery for Drawn {
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck {
        let is_late = context.now.as_ps() % Span::from_ms(40).as_ps() >= Span::from_ms(20).as_ps();
        let meant = if is_late { 6 } else { 1 + self.draws.below(4, self.losses) as u32 };
        if count < meant || self.hasty.recover.is_some() {
            return DupAck::Noted;
        }
        self.losses += 1;
        self.hasty.on_dup_ack(count, flight, context)
    }

    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        self.hasty.on_new_ack(ack, flight, context)
    }

    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>) {
        self.hasty.on_timeout(flight, context);
    }

    fn in_recovery(&self) -> bool {
        self.hasty.in_recovery()
    }
}

impl BatchHints for Drawn {}

/// Both engines draw the same; under another seed it is something else, and that is known.
#[test]
fn a_recovery_from_outside_draws_on_both_engines() {
    let found = Arc::new(AtomicU64::new(0));
    let start = {
        let found = found.clone();
        move |_, draws| {
            let hasty = Hasty { recover: None, found: found.clone() };
            Box::new(Drawn { hasty, draws, losses: 0 }) as Box<dyn Recovery>
        }
    };
    let custom = RecoveryParams::Custom(CustomRecovery::new("drawn", recovery::Needs::NOTHING, start));
    assert!(custom.is_random(), "what is not known counts as random");
    for ((network, text), set) in NETWORKS.into_iter().zip([None, Some("queue.service_order=fixed")]) {
        let mut scenario = crate::lab::scenario(text, &Vec::from_iter(set));
        assert!(!sim::has_randomness(&scenario), "{network}: nothing else is drawn");
        for flow in scenario.flows.iter_mut() {
            flow.tcp.recovery = custom.clone();
        }
        assert!(sim::has_randomness(&scenario), "{network}");
        let [one, other] = [1, 2].map(|seed| assert_engines_agree(network, &scenario, seed).fingerprint);
        assert!(found.swap(0, Ordering::Relaxed) > 0, "{network}: it is not asked");
        assert_ne!(one, other, "{network}: two seeds");
        // Connections differ: each has numbers of its own.
        let alone = |name: &str| {
            let mut scenario = scenario.clone();
            scenario.flows.iter_mut().for_each(|flow| flow.name = format!("{name}-{}", flow.name));
            assert_engines_agree(network, &scenario, 1).flows.iter().map(|flow| flow.counts).collect::<Vec<_>>()
        };
        assert_ne!(alone("a"), alone("b"), "{network}: other names");
    }
}

/// A recovery that says nothing of what may be left out.
struct WithoutHints(RecoveryState);

impl BatchHints for WithoutHints {}

impl Recovery for WithoutHints {
    fn on_sack(&mut self, now: Time, una: u64, blocks: &[SackBlock], flight: &Flight) {
        self.0.on_sack(now, una, blocks, flight);
    }

    fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck {
        self.0.on_dup_ack(count, flight, context)
    }

    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        self.0.on_new_ack(ack, flight, context)
    }

    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>) {
        self.0.on_timeout(flight, context);
    }

    fn on_duplicate(&mut self, duplicate: SackBlock, una: u64, flight: &Flight) {
        self.0.on_duplicate(duplicate, una, flight);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.0.on_handshake(now, rtt);
    }

    fn expect_timeout(&mut self, at: Time) {
        self.0.expect_timeout(at);
    }

    fn deadline(&self) -> Time {
        self.0.deadline()
    }

    fn on_deadline(&mut self, flight: &Flight, context: RecoveryContext<'_>) -> Deadline {
        self.0.on_deadline(flight, context)
    }

    fn sending(&self, flight: &Flight, window: &Window) -> Sending {
        self.0.sending(flight, window)
    }

    fn on_sent(&mut self, now: Time, seq: u64, fast: bool, flight: &Flight) {
        self.0.on_sent(now, seq, fast, flight);
    }

    fn in_recovery(&self) -> bool {
        self.0.in_recovery()
    }

    fn loss_detection(&self) -> Option<&dyn LossDetection> {
        self.0.loss_detection()
    }
}

/// What a sender leaves out by the hints of a recovery changes nothing.
#[test]
fn every_recovery_does_the_same_without_its_hints() {
    let vegas = cc::Algorithm::named("vegas").unwrap();
    for (network, text) in NETWORKS {
        for algorithm in recovery::ALL {
            let params = algorithm.with_defaults();
            let run = |params: RecoveryParams| {
                let mut scenario = crate::lab::scenario(text, &[]);
                for flow in scenario.flows.iter_mut() {
                    flow.tcp.recovery = params.clone();
                    flow.tcp.initial_window_segments = 10;
                    if algorithm.needs.fine_timeouts {
                        flow.tcp.congestion_control = vegas.with_defaults();
                    }
                }
                crate::lab::run(&scenario, 7)
            };
            let own = params.clone();
            let start = move |mss, draws| Box::new(WithoutHints(own.start(true, mss, draws))) as Box<dyn Recovery>;
            let without = run(RecoveryParams::Custom(CustomRecovery::new(algorithm.name, algorithm.needs, start)));
            assert_eq!(run(params), without, "{} on {network}", algorithm.name);
        }
    }
}

#[test]
fn the_family_knows_which_recoveries_know_losses() {
    for algorithm in recovery::ALL {
        let recovery = algorithm.with_defaults().start(true, 1000, Stream::new(1, "f", "recovery"));
        assert_eq!(recovery.loss_detection().is_some(), algorithm.knows_losses, "{}", algorithm.name);
    }
}

#[test]
fn a_recovery_from_outside_on_both_engines() {
    let found = Arc::new(AtomicU64::new(0));
    let hasty = || {
        let found = found.clone();
        let start = move |_, _| Box::new(Hasty { recover: None, found: found.clone() }) as Box<dyn Recovery>;
        RecoveryParams::Custom(CustomRecovery::new("hasty", recovery::Needs::NOTHING, start))
    };
    for (network, text) in NETWORKS {
        let (_, records) = agree(&format!("custom on {network}"), text, |tcp| tcp.recovery = hasty());
        let (_, others) = agree(&format!("others on {network}"), text, |_| {});
        assert_ne!(records.fingerprint, others.fingerprint, "{network}: it makes no difference");
        assert!(found.swap(0, Ordering::Relaxed) > 0, "{network}: it is not asked");
        assert!(records.flows.iter().all(|flow| flow.counts.fast_retransmits > 0), "{network}");
    }
    assert_eq!(hasty().name(), "hasty");
}
