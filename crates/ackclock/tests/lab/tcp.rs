//! Anything that can be said about TCP, as a function of bytes.

use ackclock::keys::Values;
use ackclock::scenario::Scenario;
use ackclock::tcp::cc::{self, CongestionAvoidance};
use ackclock::tcp::host::{AckNumber, Distribution, Served};
use ackclock::tcp::offset_sack::{Alternative, Form, Preference};
use ackclock::tcp::recovery::{self, RecoveryParams};
use ackclock::tcp::*;
use ackclock::units::Span;

use super::choices::Choices;

/// Anything that can be said about a connection but for its times.
pub fn tcp(choices: &mut Choices) -> TcpParams {
    let mss = choices.one_of(&[512, 512, 512, 1460, 1460, 40, 9140, 1]);
    let kind = choices.index(recoveries().len());
    let recovery = recovery(choices, kind);
    let receive_window =
        u64::from(mss) * choices.one_of(&[20, 64, 8, 128, 40, 1, 3]) + choices.one_of(&[0, 0, u64::from(mss) / 2]);
    let scale = TcpParams::scale_for(receive_window);
    TcpParams {
        mss,
        recovery,
        congestion_control: CongestionControlParams::Reno(choices.one_of(&[
            CongestionAvoidance::AckCounting,
            CongestionAvoidance::Integer,
            CongestionAvoidance::Float,
        ])),
        initial_window_segments: choices.one_of(&[1, 1, 2, 4, 20]),
        initial_ssthresh: choices.one_of(&[Some(receive_window), None, Some(u64::from(mss) * 4), Some(1)]),
        receive_window,
        window_scale: scale,
        ack: AckPolicy::EverySegment,
        out_of_order: choices.one_of(&[OutOfOrder::Buffer, OutOfOrder::Buffer, OutOfOrder::Discard]),
        receiver_sack: !choices.once_in(8),
        ..TcpParams::default()
    }
}

/// What differs between dialects, for all flows alike or for some. The last of all choices, so that those before remain
/// what they are in older inputs.
pub fn dialects(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(3) {
        return;
    }
    let mut dialect = dialect(choices);
    for flow in scenario.flows.iter_mut() {
        if choices.once_in(4) {
            dialect = self::dialect(choices);
        }
        dialect.apply(&mut flow.tcp);
    }
}

/// What selective acknowledgements say, and in which option. After all choices of older inputs.
pub fn sack_options(choices: &mut Choices, scenario: &mut Scenario) {
    if choices.once_in(2) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        let alternatives = [Alternative::FirstEdge, Alternative::EdgeBefore].map(Preference::Always);
        let preference = choices.one_of(&[alternatives[0], alternatives[1], Preference::Shorter]);
        let form = choices.one_of(&[Form::Private { kind: 253 }, Form::Experimental]);
        let offset = OffsetSackParams { preference, form, receiver_knows: !choices.once_in(4) };
        flow.tcp.sack = SackParams {
            standard_blocks: choices.one_of(&[3, 4, 1, 2]),
            offset: (!choices.once_in(4)).then_some(offset),
            duplicates: choices.once_in(2),
        };
    }
}

/// How long hosts take, and what their timers time. After all choices of older inputs.
pub fn hosts(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(4) {
        return;
    }
    let longest = (scenario.duration.as_ps() / 100).max(1);
    for flow in scenario.flows.iter_mut() {
        let served = Served {
            distribution: choices.one_of(&[Distribution::Exponential, Distribution::Fixed]),
            segment: Span::from_ps(longest >> choices.below(16)),
            acknowledgement: Span::from_ps(longest >> choices.below(64)),
            ack_number: choices.one_of(&[AckNumber::Arrival, AckNumber::Departure]),
        };
        if !choices.once_in(4) {
            flow.tcp.host = HostModel::Served(served);
        }
        flow.tcp.timer.scope = choices.one_of(&[TimerScope::Segment, TimerScope::Connection]);
        flow.tcp.timer.restarts_at_fast_retransmit = choices.once_in(2);
        flow.tcp.timer.margin = choices.one_of(&[RtoMargin::None, RtoMargin::Linux22]);
    }
}

/// What round trips timers measure, and how far above them the timeout is. After all choices of older inputs.
pub fn timers(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(4) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        let timer = &mut flow.tcp.timer;
        timer.samples = choices.one_of(&[RttSamples::EverySegment, RttSamples::OneAtATime]);
        timer.segment_timeout = choices.one_of(&[SegmentTimeout::WhenSent, SegmentTimeout::Current]);
        timer.rttvar_factor = choices.one_of(&[2, 4, 1]);
    }
}

/// When windows rise and fall, and the gains of the timer. After all choices of older inputs.
pub fn window_rules(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(2) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        flow.tcp.window_rules = WindowRules {
            ssthresh_from: choices.one_of(&[SsthreshFrom::Window, SsthreshFrom::Flight]),
            hold_ssthresh: choices.once_in(2),
            grow_unused: !choices.once_in(2),
            restart_after_idle: choices.once_in(2),
            idle_reduction: IdleReduction::RestartWindow,
            window_validation: false,
            limited_transmit: choices.once_in(2),
            slow_start_exit: SlowStartExit::Loss,
            slow_start_limit: None,
            undo: Undo::Off,
            undo_response: UndoResponse::Restore,
            growth: WindowGrowth::Standard,
            f_rto: false,
        };
        flow.tcp.timer.scaled_gains = choices.once_in(2);
    }
}

/// The rule of slow start. After all choices of older inputs.
pub fn slow_start(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(3) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        let rules = &mut flow.tcp.window_rules;
        rules.slow_start_exit =
            choices.one_of(&[SlowStartExit::HystartPlusPlus, SlowStartExit::Hystart, SlowStartExit::Loss]);
        rules.slow_start_limit = choices.one_of(&[None, Some(2), Some(u32::MAX)]);
        if rules.slow_start_limit == Some(u32::MAX) {
            rules.growth = WindowGrowth::Linux;
        }
    }
}

/// Some of what differs between dialects.
struct Dialect {
    timer: TimerKind,
    header_bytes: u16,
    first_segment: FirstSegment,
    host_queue: HostQueue,
    handshake: bool,
    fin: bool,
    timestamp_clock: Option<Span>,
    initial_window_from: InitialWindowFrom,
    /// In the place of whatever the flow has.
    congestion_control: Option<CongestionControlParams>,
    /// In the place of whatever the flow has, if that congestion control goes with it.
    fine_timeouts: Option<RecoveryParams>,
}

fn dialect(choices: &mut Choices) -> Dialect {
    Dialect {
        timer: choices.one_of(&[TimerKind::Ns2, TimerKind::Bsd, TimerKind::Rfc6298]),
        header_bytes: choices.one_of(&[0, 40, 52]),
        first_segment: choices.one_of(&[FirstSegment::Empty, FirstSegment::Data]),
        host_queue: choices.one_of(&[HostQueue::Keep, HostQueue::Discard]),
        initial_window_from: choices.one_of(&[
            InitialWindowFrom::FirstAck,
            InitialWindowFrom::SecondAck,
            InitialWindowFrom::Start,
        ]),
        congestion_control: congestion_control(choices),
        fine_timeouts: fine_timeouts(choices),
        handshake: choices.once_in(2),
        fin: choices.once_in(2),
        timestamp_clock: choices.one_of(&[None, Some(Span::from_ms(1)), Some(Span::from_us(3))]),
    }
}

/// Any congestion control, mostly, each parameter with its default or another value.
fn congestion_control(choices: &mut Choices) -> Option<CongestionControlParams> {
    if choices.below(10) < 3 {
        return None;
    }
    let algorithm = cc::ALL[choices.index(cc::ALL.len())];
    let sampled = Values::sample(algorithm.keys, &mut |bound| choices.below(bound));
    let values = Values::of(algorithm.keys, |key| choices.once_in(2).then(|| sampled.value(key.name)));
    Some((algorithm.params)(&values).unwrap_or_else(|_| algorithm.with_defaults()))
}

impl Dialect {
    fn apply(&self, tcp: &mut TcpParams) {
        tcp.timer.kind = self.timer;
        tcp.header_bytes = self.header_bytes;
        tcp.first_segment = self.first_segment;
        tcp.handshake = self.handshake;
        tcp.fin = self.fin;
        tcp.timestamp_clock = self.timestamp_clock;
        tcp.host_queue = self.host_queue;
        tcp.initial_window_from = self.initial_window_from;
        if let Some(congestion_control) = &self.congestion_control {
            tcp.congestion_control = congestion_control.clone();
            let has_fine_timeouts = congestion_control.has_fine_timeouts();
            if let Some(recovery) = self.fine_timeouts.clone().filter(|_| has_fine_timeouts) {
                tcp.recovery = recovery;
            }
        }
    }
}

/// The recoveries that go with every congestion control.
pub fn recoveries() -> Vec<&'static recovery::Algorithm> {
    recovery::ALL.iter().filter(|algorithm| !algorithm.needs.fine_timeouts).collect()
}

/// One of those, by its number, each parameter with its default or another value.
pub fn recovery(choices: &mut Choices, kind: usize) -> RecoveryParams {
    sampled(choices, recoveries()[kind])
}

/// One of the others, mostly.
fn fine_timeouts(choices: &mut Choices) -> Option<RecoveryParams> {
    let others: Vec<_> = recovery::ALL.iter().filter(|algorithm| algorithm.needs.fine_timeouts).collect();
    let kind = choices.index(2 * others.len());
    others.get(kind / 2).filter(|_| kind != 1).map(|algorithm| sampled(choices, algorithm))
}

fn sampled(choices: &mut Choices, algorithm: &recovery::Algorithm) -> RecoveryParams {
    let sampled = Values::sample(algorithm.keys, &mut |bound| choices.below(bound));
    let values = Values::of(algorithm.keys, |key| choices.once_in(2).then(|| sampled.value(key.name)));
    (algorithm.params)(&values).unwrap_or_else(|_| algorithm.with_defaults())
}

/// What hosts of today do: timer and acknowledgements of Linux, and spurious reductions undone. After all choices of older inputs.
pub fn hosts_of_today(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(2) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        flow.tcp.window_rules.undo = choices.one_of(&[Undo::Both, Undo::Dsack, Undo::Timestamps, Undo::Off]);
        flow.tcp.window_rules.f_rto = !choices.once_in(3);
        if choices.once_in(3) {
            flow.tcp.timer.kind = TimerKind::Linux;
        }
        if choices.once_in(3) {
            flow.tcp.ack = AckPolicy::Linux;
        }
        flow.tcp.sack.duplicates |= flow.tcp.uses_sack() && choices.once_in(2);
    }
}

/// Explicit congestion notification, for all flows or for some. After all choices of older inputs.
pub fn ecn(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(3) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        let response = choices.one_of(&[EcnResponse::Loss, EcnResponse::Abe]);
        let mode = if choices.once_in(4) { EcnMode::Off } else { EcnMode::Classic };
        let is_proportional = choices.once_in(2);
        flow.tcp.ecn = EcnParams { mode, response, is_proportional };
    }
}

/// What is done when a timeout was spurious. After all choices of older inputs.
pub fn undo_responses(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(2) {
        return;
    }
    for flow in scenario.flows.iter_mut() {
        flow.tcp.window_rules.undo_response = choices.one_of(&[UndoResponse::Eifel, UndoResponse::Restore]);
    }
}
