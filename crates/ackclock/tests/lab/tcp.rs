//! Anything that can be said about TCP, as a function of bytes.

use ackclock::keys::Values;
use ackclock::scenario::Scenario;
use ackclock::tcp::cc::{self, CongestionAvoidance};
use ackclock::tcp::offset_sack::{Alternative, Form, Preference};
use ackclock::tcp::*;
use ackclock::units::Span;

use super::random::Choices;

/// Anything that can be said about a connection but for its times.
pub fn tcp(choices: &mut Choices) -> TcpParams {
    let mss = choices.one_of(&[512, 512, 512, 1460, 1460, 40, 9140, 1]);
    // The last comes later, in `sack_options`, so that older inputs remain what they are.
    let kind = choices.index(RECOVERIES - 1);
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
        if let RecoveryParams::Rfc6675(params) = &mut flow.tcp.recovery {
            params.limited_transmit = !choices.once_in(4);
            if choices.once_in(2) {
                flow.tcp.recovery = RecoveryParams::Rack;
            }
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
    new_reno: NewRenoParams,
    /// In the place of whatever the flow has.
    congestion_control: Option<CongestionControlParams>,
    vegas_recovery: Option<RecoveryParams>,
}

fn dialect(choices: &mut Choices) -> Dialect {
    let new_reno = NewRenoParams {
        restart_timer_on_fast_retransmit: choices.once_in(2),
        partial_ack_window: choices.one_of(&[PartialAckWindow::Reset, PartialAckWindow::Deflate]),
        recovery_burst_segments: choices.one_of(&[Some(2), None, Some(1)]),
        growth_at_recovery_end: choices.once_in(2),
        ..NewRenoParams::default()
    };
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
        new_reno,
        congestion_control: congestion_control(choices),
        vegas_recovery: choices.one_of(&[
            Some(RecoveryParams::Vegas),
            Some(RecoveryParams::Vegas1995),
            Some(RecoveryParams::Vegas),
            None,
        ]),
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
            if let Some(recovery) = self.vegas_recovery.clone().filter(|_| has_fine_timeouts) {
                tcp.recovery = recovery;
            }
        }
        if let RecoveryParams::NewReno(params) = &mut tcp.recovery {
            let NewRenoParams { guard_after_timeout, restart_timer_on_partial_ack, .. } = *params;
            *params = NewRenoParams { guard_after_timeout, restart_timer_on_partial_ack, ..self.new_reno.clone() };
        }
    }
}

/// The number of recoveries.
pub const RECOVERIES: usize = 6;

/// A recovery, by its number, with any of its choices.
pub fn recovery(choices: &mut Choices, kind: usize) -> RecoveryParams {
    let mut no = || choices.once_in(3);
    let restart_timer_on_partial_ack = !no();
    match kind {
        0 => RecoveryParams::NewReno(NewRenoParams {
            guard_after_timeout: !no(),
            restart_timer_on_partial_ack: match restart_timer_on_partial_ack {
                true => PartialAckTimer::Each,
                false => PartialAckTimer::First,
            },
            ..NewRenoParams::default()
        }),
        1 => RecoveryParams::Vanilla,
        2 => RecoveryParams::Reno,
        3 => RecoveryParams::FallFloyd(FallFloydParams {
            partial_ack_pipe_segments: if no() { 1 } else { 2 },
            restart_timer_on_partial_ack,
            only_below_highest_sack: !no(),
            guard_after_timeout: no(),
        }),
        4 => RecoveryParams::Rfc6675(Rfc6675Params { restart_timer_on_partial_ack, ..Rfc6675Params::default() }),
        _ => RecoveryParams::Rack,
    }
}
