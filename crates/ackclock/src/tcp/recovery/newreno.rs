//! New Reno: a partial acknowledgement shows the next hole; recovery ends when everything sent before it is
//! acknowledged. One hole is repaired per round trip.
//! Sources: RFC 6582 §3.2; RFC 2582 §3, §5; [SACK-UBR] §2.3; what ns-2 does otherwise: [NS2] §6.

use super::{
    BatchHints, DUP_ACK_THRESHOLD, DupAck, Flight, Mechanism, NewAck, RESTART_TIMER_ON_PARTIAL_ACK, Recovery,
    RecoveryContext, Sending, TimerAction, guard_key,
};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::tcp::cc::Window;
use crate::units::Time;

/// Fast recovery of New Reno.
#[derive(Clone, Debug)]
pub struct NewReno {
    params: NewRenoParams,
    /// In recovery: ends when this byte is acknowledged.
    recover: Option<u64>,
    /// Whether no partial acknowledgement has come in this recovery.
    awaits_first_partial_ack: bool,
    /// After a timeout: duplicate acknowledgements mean nothing before this byte is acknowledged.
    ignore_dup_acks_below: u64,
    /// Segments that the last acknowledgement still allows, if recovery is sent in bursts of so many.
    burst: u32,
}

/// New Reno's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRenoParams {
    /// After a timeout, ignore duplicate acknowledgements until everything sent before it is acknowledged
    /// (RFC 2582 §5).
    pub guard_after_timeout: bool,
    /// Which partial acknowledgements restart the retransmission timer.
    pub restart_timer_on_partial_ack: PartialAckTimer,
    /// Whether a fast retransmit restarts the retransmission timer.
    pub restart_timer_on_fast_retransmit: bool,
    /// What a partial acknowledgement does to the window.
    pub partial_ack_window: PartialAckWindow,
    /// How many segments an acknowledgement allows during recovery, beside a retransmission; `None` is any number.
    pub recovery_burst_segments: Option<u32>,
    /// Whether the acknowledgement that ends recovery also lets the window grow.
    pub growth_at_recovery_end: bool,
}

/// Which partial acknowledgements of a recovery restart the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAckTimer {
    /// Each one: a window with many holes is repaired hole by hole ("slow but steady" of RFC 2582 §4).
    Each,
    /// The first: a window with many holes ends in a timeout and slow start ("impatient"; RFC 6582 §3.2, step 5).
    First,
    /// None.
    Never,
}

impl PartialAckTimer {
    /// Whether this one does; `is_first` in its recovery.
    pub fn restarts(self, is_first: bool) -> bool {
        match self {
            PartialAckTimer::Each => true,
            PartialAckTimer::First => is_first,
            PartialAckTimer::Never => false,
        }
    }
}

/// What a partial acknowledgement does to the window that duplicates have inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAckWindow {
    /// Deflated by what was acknowledged, then a segment more (RFC 6582 §3.2, step 5).
    Deflate,
    /// Back to ssthresh, as ns-2 does (`partial_window_deflation_` 0).
    Reset,
}

impl std::default::Default for NewRenoParams {
    fn default() -> NewRenoParams {
        NewReno::default_params()
    }
}

impl Mechanism for NewReno {
    const NAME: &'static str = "new-reno";
    const ABOUT: &'static str = "Fast recovery that continues after partial acknowledgements (RFC 6582).";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key {
            kind: Kind::Or(&Kind::Flag, &["first"]),
            about: "Whether a partial acknowledgement restarts the retransmission timer; \"first\": the first of a recovery only.",
            source: "RFC 2582 §4",
            ..RESTART_TIMER_ON_PARTIAL_ACK
        },
        guard_key(true, "RFC 2582 §5"),
        Key::new("restart_timer_on_fast_retransmit", Kind::Flag, Default::Is(Value::Flag(false)), "RFC 6298 §5",
            "Whether a fast retransmit restarts the retransmission timer."),
        Key::new("partial_ack_window", Kind::Word(&["deflate", "reset"]), Default::Is(Value::Word("deflate")), "RFC 6582 §3.2 (5)",
            "What a partial acknowledgement does to the inflated window: deflate by the acknowledged bytes, or reset to ssthresh."),
        Key::new("recovery_burst", Kind::Or(&Kind::segments(1, 65_535), &["unlimited"]), Default::Is(Value::Word("unlimited")), "RFC 6582",
            "How many segments an acknowledgement allows during recovery, beside a retransmission."),
        Key::new("growth_at_recovery_end", Kind::Flag, Default::Is(Value::Flag(false)), "RFC 6582 §3.2 (3)",
            "Whether the acknowledgement that ends recovery also lets the window grow."),
    ];
    type Params = NewRenoParams;
    type State = NewReno;

    fn params(values: &Values) -> Result<NewRenoParams, Misfit> {
        let restarts =
            [("true", PartialAckTimer::Each), ("first", PartialAckTimer::First), ("false", PartialAckTimer::Never)];
        let windows = [("deflate", PartialAckWindow::Deflate), ("reset", PartialAckWindow::Reset)];
        Ok(NewRenoParams {
            guard_after_timeout: values.flag("guard_after_timeout"),
            restart_timer_on_partial_ack: values.choice("restart_timer_on_partial_ack", &restarts),
            restart_timer_on_fast_retransmit: values.flag("restart_timer_on_fast_retransmit"),
            partial_ack_window: values.choice("partial_ack_window", &windows),
            recovery_burst_segments: (!values.is_word("recovery_burst")).then(|| values.count("recovery_burst")),
            growth_at_recovery_end: values.flag("growth_at_recovery_end"),
        })
    }

    fn start(params: &NewRenoParams, _mss: u64, _draws: Stream) -> NewReno {
        NewReno::new(params)
    }
}

impl NewReno {
    /// New Reno with the given choices.
    pub fn new(params: &NewRenoParams) -> NewReno {
        NewReno {
            params: params.clone(),
            recover: None,
            awaits_first_partial_ack: false,
            ignore_dup_acks_below: 0,
            burst: 0,
        }
    }

    /// Whether what is sent now is limited to so much per acknowledgement.
    fn sends_bursts(&self) -> bool {
        self.params.recovery_burst_segments.is_some() && self.recover.is_some()
    }

    /// Another acknowledgement allows another burst.
    fn allow_burst(&mut self) {
        self.burst = self.params.recovery_burst_segments.unwrap_or(0);
    }
}

impl Recovery for NewReno {
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        self.allow_burst();
        if self.recover.is_some() {
            context.window.cwnd += flight.mss as f64;
            return DupAck::Noted;
        }
        if count != DUP_ACK_THRESHOLD || flight.una < self.ignore_dup_acks_below {
            return DupAck::Noted;
        }
        self.recover = Some(flight.max);
        self.awaits_first_partial_ack = true;
        context.reduce(flight);
        context.window.cwnd = context.window.ssthresh + 3.0 * flight.mss as f64;
        let restart = self.params.restart_timer_on_fast_retransmit;
        DupAck::FastRetransmit(if restart { TimerAction::Restart } else { TimerAction::Leave })
    }

    #[inline]
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        let Some(recover) = self.recover else { return NewAck::Grow };
        if ack >= recover {
            self.recover = None;
            context.window.cwnd = context.window.ssthresh;
            return if self.params.growth_at_recovery_end { NewAck::Grow } else { NewAck::Recovered };
        }
        self.allow_burst();
        let mss = flight.mss as f64;
        context.window.cwnd = match self.params.partial_ack_window {
            // By what was acknowledged, then one segment for the one that leaves with the retransmission.
            PartialAckWindow::Deflate => (context.window.cwnd - (ack - flight.una) as f64).max(0.0) + mss,
            PartialAckWindow::Reset => context.window.ssthresh,
        };
        let is_first = std::mem::replace(&mut self.awaits_first_partial_ack, false);
        NewAck::Partial { retransmit: true, restart_timer: self.params.restart_timer_on_partial_ack.restarts(is_first) }
    }

    fn on_timeout(&mut self, flight: &Flight, _context: RecoveryContext<'_>) {
        self.recover = None;
        if self.params.guard_after_timeout {
            self.ignore_dup_acks_below = flight.max;
        }
    }

    fn sending(&self, _flight: &Flight, _window: &Window) -> Sending {
        if self.sends_bursts() && self.burst == 0 { Sending::Nothing } else { Sending::ByWindow }
    }

    fn on_sent(&mut self, _now: Time, _seq: u64, fast: bool, _flight: &Flight) {
        if self.sends_bursts() && !fast {
            self.burst = self.burst.saturating_sub(1);
        }
    }

    fn on_undo(&mut self, _una: u64) {
        self.recover = None; // what was sent again will come twice: the guard stays
    }

    fn in_recovery(&self) -> bool {
        self.recover.is_some()
    }
}

impl BatchHints for NewReno {
    fn is_idle(&self) -> bool {
        self.recover.is_none()
    }

    #[inline]
    fn controls_sending(&self) -> bool {
        self.sends_bursts()
    }
}
