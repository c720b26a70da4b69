//! Loss recovery: what is retransmitted, and when. The size of the window is another family, [`super::cc`].
//!
//! The sender counts duplicate acknowledgements and handles timeouts and go-back-N alike for all; a recovery says
//! what a duplicate or a partial acknowledgement means.
//!
//! To add one: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod fall_floyd;
mod family;
mod newreno;
pub(in crate::tcp) mod proportional;
mod rack;
mod reno;
mod rfc6675;
mod vanilla;
mod vegas;
mod vegas_1995;

pub use family::*;
pub use proportional::WindowReduction;

use super::cc::{CongestionControl, CongestionControlState, Loss, Window};
use super::send_times::Transmissions;
use super::{SendTimes, SsthreshFrom};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::SackBlock;
use crate::rng::Stream;
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
    /// The receiver's window as the last acknowledgement said it: less than what the receiver advertises if a router on its
    /// path has lowered it ([`crate::feedback`]).
    pub rwnd: u64,
    /// The window that the receiver itself advertises: the congestion window grows up to it.
    pub advertised: u64,
    /// First byte that the application does not offer.
    pub limit: u64,
}

impl Flight {
    /// Bytes of the segment at `seq`: a full one, except at the end of a file.
    #[inline]
    pub fn segment_len(&self, seq: u64) -> u64 {
        self.mss.min(self.limit - seq)
    }

    /// What a congestion control gets of a loss here.
    pub(super) fn loss(&self, from: SsthreshFrom) -> Loss {
        let loss = Loss::of(self.mss as f64, self.rwnd as f64);
        match from {
            SsthreshFrom::Window => loss,
            SsthreshFrom::Flight => Loss { flight: (self.max - self.una) as f64, ..loss },
        }
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
    /// What a loss takes a part of.
    pub ssthresh_from: SsthreshFrom,
    /// How much of the window is in use, where that is less than half of it and counts (RFC 7661 §4.4.1); bytes.
    pub in_use: Option<f64>,
    /// Whether the window was reduced for the window of data of which something is lost: because of a mark (RFC 3168 §6.1.2).
    pub is_answered: bool,
}

impl RecoveryContext<'_> {
    /// A loss was found: lower ssthresh.
    fn reduce(&mut self, flight: &Flight) {
        self.reduce_by(flight, None);
    }

    /// Reduces the window where it is known whether the lost segment had been sent more than once.
    fn reduce_by(&mut self, flight: &Flight, sent_again: Option<bool>) {
        if self.is_answered {
            return;
        }
        let loss = Loss { sent_again, ..flight.loss(self.ssthresh_from) }.of_use(self.in_use);
        self.congestion_control.on_congestion(&loss, self.window);
    }

    /// The transmissions of an outstanding segment. One that is still in service at its host counts as sent now.
    ///
    /// # Panics
    /// If the sender does not remember transmissions.
    fn transmissions(&self, seq: u64) -> Transmissions {
        let times = self.times.expect("a sender with this recovery remembers transmissions");
        times.of(seq).unwrap_or(Transmissions { last: self.now, count: 1 })
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
    /// A loss: the segment at una is to be sent again at once; and what that does to the retransmission timer.
    FastRetransmit(TimerAction),
}

/// The meaning of a deadline of the recovery's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// Nothing is to be sent because of it alone.
    Noted,
    /// A loss: the segment at una is to be sent again at once.
    FastRetransmit,
    /// A probe is to be sent.
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

impl NewAck {
    /// Whether the window grows.
    pub(super) fn grows(self) -> bool {
        match self {
            NewAck::Grow | NewAck::GrowAndRetransmit => true,
            NewAck::Recovered | NewAck::FastRetransmit | NewAck::Partial { .. } => false,
        }
    }

    /// Whether the segment at the new una is to be sent again at once.
    pub(super) fn retransmits(self) -> bool {
        match self {
            NewAck::GrowAndRetransmit | NewAck::FastRetransmit => true,
            NewAck::Grow | NewAck::Recovered => false,
            NewAck::Partial { retransmit, .. } => retransmit,
        }
    }

    /// Whether the retransmission timer starts again.
    pub(super) fn restarts_timer(self) -> bool {
        match self {
            NewAck::Grow | NewAck::GrowAndRetransmit | NewAck::Recovered | NewAck::FastRetransmit => true,
            NewAck::Partial { restart_timer, .. } => restart_timer,
        }
    }
}

/// What a fast retransmit does to the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerAction {
    /// It runs on, unless the connection's timer starts again with every fast retransmit.
    Leave,
    /// It starts again.
    Restart,
    /// It starts again, with twice the timeout.
    BackOff,
}

/// What decides which segment is sent next.
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
pub trait Recovery: BatchHints + Send {
    /// An acknowledgement, selective or not; before its cumulative part is handled. `una` is that number.
    fn on_sack(&mut self, _now: Time, _una: u64, _blocks: &[SackBlock], _flight: &Flight) {}
    /// The `count`th duplicate acknowledgement in a row.
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck;
    /// New data is acknowledged, up to `ack`; `flight` is from before.
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck;
    /// The timer expired; `flight` is from before, the window is cut already.
    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>);
    /// What the receiver reports to have arrived twice (RFC 2883), with an acknowledgement of everything before `una`; before
    /// [`Recovery::on_sack`].
    fn on_duplicate(&mut self, _duplicate: SackBlock, _una: u64, _flight: &Flight) {}
    /// What it took for lost is in flight: the reduction was spurious. Everything before `una` is acknowledged.
    fn on_undo(&mut self, _una: u64) {}
    /// Of the segments sent once that the last acknowledgement has delivered, selectively or not, the first, by its first byte; beyond
    /// all bytes if there are none; `None` if that is not known.
    fn first_original(&self) -> Option<u64> {
        None
    }
    /// The connection was opened by a handshake, whose round trip this was; nothing is sent yet.
    fn on_handshake(&mut self, _now: Time, _rtt: Span) {}
    /// The retransmission timer will expire then, if nothing happens before.
    fn expect_timeout(&mut self, _at: Time) {}
    /// When it wants to be asked, if nothing happens before: [`Recovery::on_deadline`]. Until then the retransmission timer does not
    /// expire; then it starts again (RFC 8985 §8).
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// That instant has come.
    fn on_deadline(&mut self, _flight: &Flight, _context: RecoveryContext<'_>) -> Deadline {
        Deadline::Noted
    }
    /// What to send next.
    fn sending(&self, _flight: &Flight, _window: &Window) -> Sending {
        Sending::ByWindow
    }
    /// The segment at `seq` was sent; `fast`: because [`DupAck`] or [`NewAck`] asked for it. `flight` is from before.
    fn on_sent(&mut self, _now: Time, _seq: u64, _fast: bool, _flight: &Flight) {}
    /// Whether a loss is being repaired.
    fn in_recovery(&self) -> bool;
    /// Whether the receiver has acknowledged the segment at `una` selectively, so that it has discarded it since (RFC 2018 §8).
    fn has_reneged(&self, _una: u64) -> bool {
        false
    }
    /// What it knows of losses, if it finds them by selective acknowledgements ([`Mechanism::KNOWS_LOSSES`]).
    fn loss_detection(&self) -> Option<&dyn LossDetection> {
        None
    }
}

/// What a sender may leave out because its outcome is certain. The defaults are always right, and slow.
pub trait BatchHints {
    /// Whether new data that is acknowledged without blocks would mean that the window grows and would change nothing here but for the
    /// round trip, until a method is called that may change something. Mostly so, and then such acknowledgements need not
    /// come here: [`Recovery::on_sack`] and [`Recovery::on_new_ack`] are not called.
    fn is_idle(&self) -> bool {
        false
    }

    /// While it is idle: the round trip of the newest segment acknowledged, if that was sent once, of a connection whose
    /// first segment was sent at `start`. Only of senders that remember such things.
    fn on_round_trip(&mut self, _now: Time, _start: Time, _rtt: Option<Span>) {}

    /// Whether [`Recovery::sending`] may say anything but [`Sending::ByWindow`], or [`Recovery::on_sent`] change anything. If not, neither
    /// is called.
    fn controls_sending(&self) -> bool {
        true
    }
}

/// What a recovery knows of losses.
pub trait LossDetection {
    /// Bytes that are believed to be in the network.
    fn in_flight(&self, flight: &Flight) -> u64;
    /// What is believed to be lost.
    fn lost(&self) -> Lost<'_>;
    /// Bytes that the last acknowledgement says are delivered, in order or not, and that were not known to be; of those that count them.
    fn delivered(&self) -> Option<u64> {
        None
    }
    /// How many segments are held, lost, sent again; of those that number their segments.
    fn counts(&self, _flight: &Flight) -> Option<SegmentCounts> {
        None
    }
}

/// Outstanding segments, by what is believed of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    /// Selectively acknowledged.
    pub held: u64,
    /// Lost, those included that were sent again since.
    pub lost: u64,
    /// Sent again, and in flight.
    pub again: u64,
    /// Whether what was outstanding when the timer expired is not all acknowledged.
    pub after_timeout: bool,
}

/// What is believed to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost<'a> {
    /// What was sent before this byte and is not held by the receiver.
    Before(u64),
    /// The segments of these numbers, by the last event; others were told before.
    Segments(&'a [u64]),
}

/// Duplicate acknowledgements that mean a loss (RFC 2001 §3).
const DUP_ACK_THRESHOLD: u32 = 3;

/// A recovery as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism: Sized {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key] = &[];
    /// What it needs beside acknowledgements.
    const NEEDS: Needs = Needs::NOTHING;
    /// Whether it knows from selective acknowledgements what is lost and what is in flight ([`Recovery::loss_detection`]). Rates
    /// of delivery cannot be measured without.
    const KNOWS_LOSSES: bool = false;
    /// Its parameters, checked.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;
    /// The recovery at work: itself, part of every sender, or in a box if it remembers more than others.
    type State;

    /// Its parameters.
    ///
    /// # Errors
    /// If they do not fit together.
    fn params(values: &Values) -> Result<Self::Params, Misfit>;

    /// The recovery at the start of a connection with segments of `mss` bytes; what is random in it is drawn from `draws`.
    fn start(params: &Self::Params, mss: u64, draws: Stream) -> Self::State;

    /// Whether it draws random numbers.
    fn is_random(_params: &Self::Params) -> bool {
        false
    }

    /// Its parameters, each with its default.
    ///
    /// # Panics
    /// If these do not fit together.
    fn default_params() -> Self::Params {
        Self::params(&Values::defaults(Self::KEYS)).expect("defaults fit together")
    }
}

/// What a recovery needs of the sender, and of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Selective acknowledgements.
    pub sack: bool,
    /// When outstanding segments were sent ([`RecoveryContext::times`]), and a congestion control that leaves losses to
    /// timeouts finer than the timer's (`HAS_FINE_TIMEOUTS` of [`super::cc::Mechanism`]).
    pub fine_timeouts: bool,
}

impl Needs {
    /// Acknowledgements are enough.
    pub const NOTHING: Needs = Needs { sack: false, fine_timeouts: false };
    /// Selective acknowledgements.
    pub const SACK: Needs = Needs { sack: true, ..Needs::NOTHING };
    /// When outstanding segments were sent, and that congestion control leaves losses to it.
    pub const FINE_TIMEOUTS: Needs = Needs { fine_timeouts: true, ..Needs::NOTHING };
}

/// The key of what a partial acknowledgement does to the timer.
const RESTART_TIMER_ON_PARTIAL_ACK: Key = Key::new(
    "restart_timer_on_partial_ack",
    Kind::Flag,
    Default::Is(Value::Flag(true)),
    "RFC 2582 §4; for fall-floyd inferred",
    "Whether a partial acknowledgement restarts the retransmission timer.",
);

/// The key of the guard against duplicates of what a timeout sends again.
const fn guard_key(default: bool, source: &'static str) -> Key {
    Key::new(
        "guard_after_timeout",
        Kind::Flag,
        Default::Is(Value::Flag(default)),
        source,
        "Whether duplicate acknowledgements of segments sent before a timeout are ignored.",
    )
}
