//! Loss recovery: what is retransmitted, and when. The size of the window is another family, [`super::cc`].
//!
//! The sender counts duplicate acknowledgements and handles timeouts and go-back-N alike for all; a recovery says
//! what a duplicate or a partial acknowledgement means.

mod fall_floyd;
mod newreno;
mod rack;
mod reno;
mod rfc6675;
mod vanilla;
mod vegas;
mod vegas_1995;

pub use fall_floyd::FallFloyd;
pub use newreno::NewReno;
pub use rack::Rack;
pub use reno::Reno;
pub use rfc6675::Rfc6675;
pub use vanilla::Vanilla;
pub use vegas::Vegas;
pub use vegas_1995::Vegas1995;

use super::cc::{CongestionControl, CongestionControlState, Loss, Window};
use super::send_times::Transmissions;
use super::{NewRenoParams, RecoveryParams, SendTimes};
use crate::packet::SackBlock;
use crate::units::{Span, Time};

/// The sender's place in the stream, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// First byte not acknowledged.
    pub una: u64,
    /// Next byte to send; below `max` after a timeout.
    pub nxt: u64,
    /// First byte never sent.
    pub max: u64,
    /// Segment size.
    pub mss: u64,
    /// The receiver's window.
    pub rwnd: u64,
    /// First byte that the application does not offer.
    pub limit: u64,
}

impl Flight {
    /// Bytes of the segment at `seq`: a full one, except at the end of a file.
    #[inline]
    pub fn segment_len(&self, seq: u64) -> u64 {
        self.mss.min(self.limit - seq)
    }

    /// Whether there is a segment at `seq` to send, and the receiver has room for it.
    #[inline]
    pub fn offered(&self, seq: u64) -> bool {
        seq < self.limit && seq + self.segment_len(seq) <= self.una + self.rwnd
    }
}

/// What a recovery may change, the window, by congestion control or by its own rule; and what it may look at.
pub struct RecoveryContext<'a> {
    /// The congestion control.
    pub congestion_control: &'a mut CongestionControlState,
    /// The window.
    pub window: &'a mut Window,
    /// When this is.
    pub now: Time,
    /// When outstanding segments were sent, if the sender remembers that.
    pub times: Option<&'a SendTimes>,
    /// The round trip of the newest segment acknowledged, if it is known.
    pub rtt: Option<Span>,
}

impl RecoveryContext<'_> {
    /// A loss was found: lower ssthresh.
    fn reduce(&mut self, flight: &Flight) {
        self.reduce_again(flight, false);
    }

    /// The same of a segment that was perhaps sent again before.
    fn reduce_again(&mut self, flight: &Flight, sent_again: bool) {
        let loss = Loss { sent_again, ..Loss::of(flight.mss as f64, flight.rwnd as f64) };
        self.congestion_control.on_congestion(&loss, self.window);
    }

    /// The transmissions of an outstanding segment.
    ///
    /// # Panics
    /// If the sender does not remember them.
    fn transmissions(&self, seq: u64) -> Transmissions {
        self.times.and_then(|times| times.of(seq)).expect("a sender with this recovery remembers what is outstanding")
    }

    /// When the first segment of the connection was sent.
    fn start(&self) -> Time {
        self.times.map_or(self.now, SendTimes::start)
    }
}

/// The meaning of a duplicate acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DupAck {
    /// Nothing is to be sent because of it alone.
    Noted,
    /// A loss: the segment at una is to be sent again at once.
    FastRetransmit,
}

/// The meaning of a deadline of the recovery's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// Nothing is to be sent because of it alone.
    Noted,
    /// A loss: the segment at una is to be sent again at once.
    FastRetransmit,
    /// A probe is to be sent, and the retransmission timer starts again.
    Probe,
}

/// The meaning of an acknowledgement of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewAck {
    /// Not in recovery: the window grows.
    Grow,
    /// The window grows, but another segment is overdue: that at the new una is to be sent again at once.
    GrowAndRetransmit,
    /// The end of recovery.
    Recovered,
    /// Another loss is known: the segment at the new una is to be sent again at once.
    FastRetransmit,
    /// Recovery goes on.
    Partial {
        /// Send the segment at the new una again at once.
        retransmit: bool,
        /// Restart the retransmission timer.
        restart_timer: bool,
    },
}

/// What a fast retransmit does to the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerAction {
    /// It runs on.
    Leave,
    /// It starts again.
    Restart,
    /// It starts again, with twice the timeout.
    BackOff,
}

/// Who decides what is sent next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// The window, from nxt on.
    ByWindow,
    /// Recovery: this segment.
    Segment(u64),
    /// Recovery: nothing now.
    Nothing,
}

/// Decides what is retransmitted.
pub trait Recovery: Send {
    /// An acknowledgement, selective or not; before its cumulative part is handled. `una` is that number.
    fn on_sack(&mut self, _now: Time, _una: u64, _blocks: &[SackBlock], _flight: &Flight) {}
    /// The `count`th duplicate acknowledgement in a row.
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck;
    /// New data is acknowledged, up to `ack`; `flight` is from before.
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck;
    /// The timer expired; `flight` is from before, the window is cut already.
    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>);
    /// When it wants to be asked, if nothing happens before: [`Recovery::on_deadline`].
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// That instant has come.
    fn on_deadline(&mut self, _flight: &Flight, _context: RecoveryContext<'_>) -> Deadline {
        Deadline::Noted
    }
    /// What a fast retransmit does to the retransmission timer.
    fn timer_at_fast_retransmit(&self) -> TimerAction {
        TimerAction::Leave
    }
    /// Whether it has a say in what is sent next. As long as it has not, the window decides, and neither
    /// [`Recovery::sending`] nor [`Recovery::on_sent`] is called.
    fn has_a_say(&self) -> bool {
        false
    }
    /// Whether new data that is acknowledged without blocks would mean that the window grows and would change nothing here but for the
    /// round trip, until another method is called that may change something. Mostly so, and then such acknowledgements need not
    /// come here.
    fn sleeps(&self) -> bool {
        false
    }
    /// While it sleeps: the round trip of the newest segment acknowledged, if that was sent once, of a connection whose
    /// first segment was sent at `start`. Only of senders that remember such things.
    fn on_round_trip(&mut self, _now: Time, _start: Time, _rtt: Option<Span>) {}
    /// What to send next.
    fn sending(&self, _flight: &Flight, _window: &Window) -> Sending {
        Sending::ByWindow
    }
    /// The segment at `seq` was sent; `fast`: because [`DupAck`] or [`NewAck`] asked for it.
    fn on_sent(&mut self, _now: Time, _seq: u64, _fast: bool, _flight: &Flight) {}
    /// Whether a loss is being repaired.
    fn in_recovery(&self) -> bool;
    /// Bytes that are believed to be in the network.
    fn in_flight(&self, flight: &Flight) -> u64 {
        flight.nxt - flight.una
    }
    /// Whether [`Recovery::in_flight`] counts a segment from [`Recovery::on_sent`] on.
    fn counts_at_once(&self) -> bool {
        false
    }
    /// What was sent before this byte and is not held by the receiver is believed to be lost.
    fn lost_below(&self, flight: &Flight) -> u64 {
        flight.una
    }
    /// Numbers of other segments that the last event showed to be lost.
    fn newly_lost(&self) -> &[u64] {
        &[]
    }
}

/// Duplicate acknowledgements that mean a loss (RFC 2001 §3).
const DUP_ACK_THRESHOLD: u32 = 3;

/// Any of the recoveries: one variant each.
#[derive(Clone, Debug)]
pub enum AnyRecovery {
    /// Timeout only.
    Vanilla(Vanilla),
    /// Fast recovery.
    Reno(Reno),
    /// Fast recovery through partial acknowledgements.
    NewReno(NewReno),
    /// SACK with PIPE.
    FallFloyd(FallFloyd),
    /// SACK of RFC 6675.
    Rfc6675(Rfc6675),
    /// RACK-TLP. There is more to remember than in others.
    Rack(Box<Rack>),
    /// Vegas' own. There is more to remember than in others, and few senders have it.
    Vegas(Box<Vegas>),
    /// Vegas' as published.
    Vegas1995(Box<Vegas1995>),
}

impl AnyRecovery {
    /// The recovery that `params` describes. A SACK recovery facing a receiver without SACK is New Reno.
    pub fn new(params: &RecoveryParams, receiver_sack: bool, mss: u64) -> AnyRecovery {
        match params {
            RecoveryParams::Vanilla => AnyRecovery::Vanilla(Vanilla),
            RecoveryParams::Reno => AnyRecovery::Reno(Reno::default()),
            RecoveryParams::NewReno(params) => AnyRecovery::NewReno(NewReno::new(params)),
            RecoveryParams::FallFloyd(_) | RecoveryParams::Rfc6675(_) | RecoveryParams::Rack if !receiver_sack => {
                let fallback = NewRenoParams::default();
                AnyRecovery::NewReno(NewReno::new(&fallback))
            }
            RecoveryParams::FallFloyd(params) => AnyRecovery::FallFloyd(FallFloyd::new(params, mss)),
            RecoveryParams::Rfc6675(params) => AnyRecovery::Rfc6675(Rfc6675::new(params, mss)),
            RecoveryParams::Rack => AnyRecovery::Rack(Box::new(Rack::new(mss))),
            RecoveryParams::Vegas => AnyRecovery::Vegas(Box::default()),
            RecoveryParams::Vegas1995 => AnyRecovery::Vegas1995(Box::default()),
        }
    }
}

/// Calls the recovery that this is. Not through a `dyn` reference: most calls find nothing to do, so they are worth
/// being inlined.
macro_rules! dispatch {
    ($any:expr, $recovery:ident => $call:expr) => {
        match $any {
            AnyRecovery::Vanilla($recovery) => $call,
            AnyRecovery::Reno($recovery) => $call,
            AnyRecovery::NewReno($recovery) => $call,
            AnyRecovery::FallFloyd($recovery) => $call,
            AnyRecovery::Rfc6675($recovery) => $call,
            AnyRecovery::Rack($recovery) => $call,
            AnyRecovery::Vegas($recovery) => $call,
            AnyRecovery::Vegas1995($recovery) => $call,
        }
    };
}

impl Recovery for AnyRecovery {
    #[inline(always)]
    fn on_sack(&mut self, now: Time, una: u64, blocks: &[SackBlock], flight: &Flight) {
        dispatch!(self, recovery => recovery.on_sack(now, una, blocks, flight));
    }

    #[inline]
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck {
        dispatch!(self, recovery => recovery.on_dup_ack(count, flight, context))
    }

    #[inline(always)]
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        dispatch!(self, recovery => recovery.on_new_ack(ack, flight, context))
    }

    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>) {
        dispatch!(self, recovery => recovery.on_timeout(flight, context));
    }

    fn timer_at_fast_retransmit(&self) -> TimerAction {
        dispatch!(self, recovery => recovery.timer_at_fast_retransmit())
    }

    #[inline(always)]
    fn has_a_say(&self) -> bool {
        dispatch!(self, recovery => recovery.has_a_say())
    }

    fn sleeps(&self) -> bool {
        dispatch!(self, recovery => recovery.sleeps())
    }

    /// The others that measure never sleep.
    #[inline(always)]
    fn on_round_trip(&mut self, now: Time, start: Time, rtt: Option<Span>) {
        if let AnyRecovery::Vegas(vegas) = self {
            vegas.on_round_trip(now, start, rtt);
        }
    }

    fn sending(&self, flight: &Flight, window: &Window) -> Sending {
        dispatch!(self, recovery => recovery.sending(flight, window))
    }

    fn on_sent(&mut self, now: Time, seq: u64, fast: bool, flight: &Flight) {
        dispatch!(self, recovery => recovery.on_sent(now, seq, fast, flight));
    }

    fn in_recovery(&self) -> bool {
        dispatch!(self, recovery => recovery.in_recovery())
    }

    fn in_flight(&self, flight: &Flight) -> u64 {
        dispatch!(self, recovery => recovery.in_flight(flight))
    }

    fn deadline(&self) -> Time {
        dispatch!(self, recovery => recovery.deadline())
    }

    fn on_deadline(&mut self, flight: &Flight, context: RecoveryContext<'_>) -> Deadline {
        dispatch!(self, recovery => recovery.on_deadline(flight, context))
    }

    fn counts_at_once(&self) -> bool {
        dispatch!(self, recovery => recovery.counts_at_once())
    }

    fn lost_below(&self, flight: &Flight) -> u64 {
        dispatch!(self, recovery => recovery.lost_below(flight))
    }

    fn newly_lost(&self) -> &[u64] {
        dispatch!(self, recovery => recovery.newly_lost())
    }
}
