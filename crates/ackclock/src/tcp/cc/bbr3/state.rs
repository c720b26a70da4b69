//! What a connection of BBR remembers, part by part: in which state it is, its losses, its probes, its round trips.
//! Source: \[BBR3\] §2.   Units: bytes, bytes per second.

use crate::tcp::cc::path_model::Maximum;
use crate::units::{Span, Time};

/// BBR.MinPipeCwnd, segments.
pub(super) const MIN_WINDOW: f64 = 4.0;

/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// The round trips in which losses are summed up, and what was lost in the present one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRound {
    /// BBR.loss_round_delivered, BBR.loss_round_start.
    pub(super) ends_at: u64,
    pub(super) starts: bool,
    /// BBR.is_loss_in_round; how many ranges of segments; the number after the last one.
    pub(super) any: bool,
    pub(super) ranges: u32,
    pub(super) next_number: Option<u64>,
}

/// BBR.extra_acked: what is acknowledged beyond what the rate lets expect.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    pub(super) since: Time,
    pub(super) delivered: f64,
    pub(super) extra: Maximum,
}

/// BBR.min_rtt, and BBR.probe_rtt_min_delay, which decides when that is measured again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shortest {
    pub(super) rtt: Option<Span>,
    pub(super) at: Time,
    pub(super) probed: Option<Span>,
    pub(super) probed_at: Time,
    pub(super) expired: bool,
}

impl State {
    /// BBR.pacing_gain (§5.6.1).
    pub(super) fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => 2.77,
            State::Drain => 0.5,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.25,
        }
    }

    /// BBR.cwnd_gain (§5.6.1).
    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => 2.25,
            State::ProbeRtt => 0.5,
            State::Startup | State::Drain | State::Down | State::Cruise | State::Refill => 2.0,
        }
    }

    /// IsInAProbeBWState ()
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW ()
    pub(super) fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// BBR.ack_phase: what acknowledgements say about probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Probing for bandwidth (§2.14).
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) ack_phase: AckPhase,
    /// Whether rate samples are of what was sent while probing.
    pub(super) is_sample: bool,
    /// Bytes acknowledged since inflight_longterm grew; how many make it grow by a segment; round trips of growth.
    pub(super) acked: f64,
    pub(super) acked_per_increment: f64,
    pub(super) rounds: u32,
    /// Round trips since the last probe, when the cycle began, and how long it lasts at most.
    pub(super) rounds_since: u64,
    pub(super) cycle_began: Time,
    pub(super) wait: Span,
    /// Whether the last probe lost too much; whether it ended before it could.
    pub(super) was_too_high: bool,
    pub(super) was_precautionary: bool,
}

impl Probe {
    /// Before the first probe.
    pub(super) fn new() -> Probe {
        Probe {
            ack_phase: AckPhase::Init,
            is_sample: false,
            acked: 0.0,
            acked_per_increment: f64::INFINITY,
            rounds: 0,
            rounds_since: 0,
            cycle_began: Time::ZERO,
            wait: Span::ZERO,
            was_too_high: false,
            was_precautionary: false,
        }
    }
}
