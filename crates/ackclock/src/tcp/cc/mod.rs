//! Congestion control: how large may the window be? Asked per acknowledgement.
//!
//! To add one: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod bbr1;
mod bbr3;
mod cubic;
mod external;
mod family;
mod hybla;
mod illinois;
mod path_model;
mod reno;
mod vegas;
mod vegas_1995;
mod vegas_a;
mod vegas_linux;
mod vegas_plus;

pub use family::*;
pub use vegas::reroute_detect::RerouteParams;

use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The window that a sender is allowed. Only congestion control and recovery write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window, bytes.
    pub cwnd: f64,
    /// Slow-start threshold, bytes.
    pub ssthresh: f64,
}

/// New data was acknowledged outside recovery. Where rates of delivery are needed ([`Needs::delivery_rates`]): any acknowledgement
/// that comes, duplicates and those of recovery included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack<'a> {
    /// Segment size, bytes.
    pub mss: f64,
    /// The window beyond which cwnd does not grow: the receiver's, bytes.
    pub limit: f64,
    /// Bytes of new data acknowledged outside recovery, by which a window grows; 0 where there are none.
    pub acked: f64,
    /// Where round trips are needed ([`Needs::round_trips`]): what a sender knows that measures them, if new data was acknowledged
    /// outside recovery.
    pub measured: Option<Measured>,
    /// Where rates of delivery are needed: what it says of the delivery of data.
    pub delivery: Option<&'a Delivery>,
}

/// What a sender that measures round trips knows of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// When it came.
    pub now: Time,
    /// When the connection sent its first segment.
    pub start: Time,
    /// First byte not acknowledged now.
    pub una: u64,
    /// Next byte to send.
    pub nxt: u64,
    /// The round trip of the newest segment acknowledged, if it was sent once.
    pub rtt: Option<Span>,
    /// Whether it acknowledges something of a full window: one that was all that kept the sender from sending more.
    pub window_limited: bool,
}

/// Of the first segment, at the start of time, by a window in use.
#[cfg(test)]
impl std::default::Default for Measured {
    fn default() -> Measured {
        Measured { now: Time::ZERO, start: Time::ZERO, una: 0, nxt: 0, rtt: None, window_limited: true }
    }
}

#[cfg(test)]
impl<'a> Ack<'a> {
    /// An acknowledgement that says this of the delivery of data.
    fn delivering(delivery: &'a Delivery) -> Ack<'a> {
        Ack { acked: delivery.delivered, delivery: Some(delivery), ..Ack::of(delivery.mss, delivery.limit) }
    }
}

impl Ack<'_> {
    /// An acknowledgement of a sender that measures round trips.
    #[cfg(test)]
    fn with(self, measured: Measured) -> Self {
        Ack { measured: Some(measured), ..self }
    }

    /// A full segment is acknowledged.
    #[inline]
    pub const fn of(mss: f64, limit: f64) -> Self {
        Ack { mss, limit, acked: mss, measured: None, delivery: None }
    }

    /// What is known where round trips are needed.
    ///
    /// # Panics
    /// If the congestion control did not say that it needs them.
    #[inline(always)]
    pub fn measured(&self) -> &Measured {
        self.measured.as_ref().expect("round trips are measured where they are needed")
    }

    /// What is known where rates of delivery are needed.
    ///
    /// # Panics
    /// If the congestion control did not say that it needs them.
    #[inline(always)]
    pub fn delivery(&self) -> &Delivery {
        self.delivery.expect("rates of delivery are measured where they are needed")
    }
}

/// A loss was found, or the timer expired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Segment size, bytes.
    pub mss: f64,
    /// The receiver's window, bytes.
    pub limit: f64,
    /// What is in flight, bytes, where ssthresh comes from that ([`SsthreshFrom`](super::SsthreshFrom)); else infinite.
    pub flight: f64,
    /// Whether what was lost had been sent more than once, if the recovery knows: those of Vegas do.
    pub sent_again: Option<bool>,
    /// Of a mark, where it takes less than a loss (RFC 8511): the part of the window that is left.
    pub kept: Option<f64>,
}

impl Loss {
    /// What every algorithm gets.
    #[inline]
    pub const fn of(mss: f64, limit: f64) -> Loss {
        Loss { mss, limit, flight: f64::INFINITY, sent_again: None, kept: None }
    }

    /// Of a sender that uses only so many bytes of its window, if that is known.
    pub(super) fn of_use(self, in_use: Option<f64>) -> Loss {
        Loss { flight: in_use.unwrap_or(self.flight), ..self }
    }

    /// What a loss takes a part of: the window, and no more than what is in flight where that counts. What limited transmit has sent
    /// is in flight, but beyond the window. Bytes.
    pub fn used(&self, window: &Window) -> f64 {
        window.cwnd.min(self.limit).min(self.flight)
    }

    /// RFC 5681 §3.1, equation (4): half of what is used, or what a mark leaves of it, in whole segments, at least two; bytes.
    pub fn halved(&self, window: &Window) -> f64 {
        let half = self.used(window) * self.kept.unwrap_or(0.5);
        ((half / self.mss).floor() * self.mss).max(2.0 * self.mss)
    }
}

/// What an acknowledgement, cumulative or selective, says about the delivery of data: where rates of delivery are
/// needed ([`Needs::delivery_rates`]). Bytes, and bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// When it came.
    pub now: Time,
    /// Segment size.
    pub mss: f64,
    /// The receiver's window, beyond which cwnd does not grow.
    pub limit: f64,
    /// What it says is delivered, and was not known to be.
    pub delivered: f64,
    /// Delivered in all.
    pub total: u64,
    /// What the newest of these segments says about the path; `None` if nothing new is delivered.
    pub sample: Option<RateSample>,
    /// Whether since that was sent the window was, at any time, all that kept the sender from sending more. (BBR 3)
    pub window_limited: bool,
    /// The shortest round trip of these segments that were sent once.
    pub rtt: Option<Span>,
    /// What it shows to be lost, and was not known to be.
    pub lost: f64,
    /// In flight before it.
    pub prior_in_flight: f64,
    /// In flight after it.
    pub in_flight: f64,
    /// Whether losses are being repaired.
    pub loss_state: LossState,
}

/// What was delivered and lost since the newest of the segments that an acknowledgement delivers was sent. Bytes, and bytes
/// per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Delivered in all when it was sent.
    pub prior_delivered: u64,
    /// Delivered since then.
    pub delivered: f64,
    /// The rate of delivery since then, if it can be trusted.
    pub rate: Option<f64>,
    /// Whether the sender had not enough to send then.
    pub app_limited: bool,
    /// In flight when it was sent, itself included. (BBR 3)
    pub in_flight: f64,
    /// What was found to be lost since then. (BBR 3)
    pub lost: f64,
}

impl Delivery {
    /// The rate of delivery, if there is one that can be trusted.
    pub fn rate(&self) -> Option<f64> {
        self.sample.and_then(|sample| sample.rate)
    }

    /// Whether the rate of delivery says what was offered, not what the path can do.
    pub fn is_app_limited(&self) -> bool {
        self.sample.is_some_and(|sample| sample.app_limited)
    }
}

/// A segment is found to be lost, where rates of delivery are needed. Bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// When it is found.
    pub now: Time,
    /// Segment size.
    pub mss: f64,
    /// Its number.
    pub number: u64,
    /// Its length.
    pub len: f64,
    /// Delivered in all.
    pub total: u64,
    /// In flight when it was sent, itself included.
    pub in_flight_when_sent: f64,
    /// What was found to be lost since then, itself included.
    pub lost_since: f64,
    /// Whether the sender had not enough to send then.
    pub app_limited: bool,
}

/// A sender sends again after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    /// The instant at which the first segment after the pause is sent.
    pub now: Time,
    /// Next byte to send.
    pub nxt: u64,
    /// Bytes delivered in all, where rates of delivery are needed.
    pub delivered: u64,
    /// Whether the window is the restart window now (RFC 5681 §4.1), and was larger.
    pub window_lowered: bool,
}

/// Whether losses are being repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossState {
    /// They are not.
    #[default]
    Open,
    /// Without a timeout.
    Recovery,
    /// After a timeout.
    Timeout,
}

/// A mark is a loss of which nothing is sent again (RFC 3168 §5).
fn reduce_by_mark<C: CongestionControl + ?Sized>(control: &mut C, mark: &Loss, window: &mut Window) {
    let used = mark.used(window);
    control.on_congestion(mark, window);
    window.cwnd = if window.ssthresh < used { window.ssthresh } else { mark.mss };
}

/// Decides the size of the window.
pub trait CongestionControl: Send {
    /// New data was acknowledged outside recovery: grow. Where rates of delivery are needed it comes for every acknowledgement, after
    /// recovery has seen it: whatever that made of the window, this decides.
    fn on_ack(&mut self, ack: &Ack, window: &mut Window);
    /// A loss was found by acknowledgements: set ssthresh, once per recovery. cwnd is recovery's. If a congestion control has no
    /// rule of its own, this is Reno's: half the window.
    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = loss.halved(window);
    }
    /// A mark is echoed (ECN): set ssthresh and cwnd, once in a window of data. Nothing is lost. Whether they are set: a congestion
    /// control that marks do not concern says no. If it has no rule of its own, a mark is a loss of which nothing is sent again
    /// (RFC 3168 §5): ssthresh as after a loss, and a window of that; a window that it does not lower is one segment.
    fn on_mark(&mut self, mark: &Loss, window: &mut Window) -> bool {
        reduce_by_mark(self, mark, window);
        true
    }
    /// The retransmission timer expired: set ssthresh and cwnd. If a congestion control has no rule of its own, this is Reno's:
    /// ssthresh as after any loss, and a window of one segment.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.on_congestion(loss, window);
        window.cwnd = loss.mss;
    }
    /// The retransmission timer expired again for the same segment, where that leaves ssthresh
    /// ([`WindowRules::hold_ssthresh`](super::WindowRules)): the window is one segment.
    fn on_repeated_rto(&mut self, loss: &Loss, window: &mut Window) {
        window.cwnd = loss.mss;
    }
    /// The last reduction was spurious; the window is what it was before it. What this congestion control knew then it knows again.
    fn on_undo(&mut self) {}
    /// The connection was opened by a handshake, whose round trip this was; nothing is sent yet.
    fn on_handshake(&mut self, _now: Time, _rtt: Span, _window: &Window) {}
    /// The application writes after a time in which it had nothing to send and nothing was outstanding.
    fn on_restart(&mut self, _restart: &Restart) {}
    /// Where rates of delivery are needed: a segment is found to be lost. At once at a timeout, else before
    /// [`CongestionControl::on_ack`].
    fn on_lost_segment(&mut self, _lost: &LostSegment) {}
    /// Where a pace is needed: bytes per second at which segments may leave; `None`: as the window allows.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// Whether it sends less than the path can take, so that rates of delivery say nothing about the path.
    fn holds_back(&self) -> bool {
        false
    }
}

/// A congestion control as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism: CongestionControl + Sized {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key];
    /// What it needs beside acknowledgements and losses.
    const NEEDS: Needs = Needs::NOTHING;
    /// The recovery that it has where none is chosen, if it is not that of all.
    const USUAL_RECOVERY: Option<UsualRecovery> = None;
    /// Whether Vegas' recoveries go with it, which find losses by timeouts finer than the timer's and leave the size of the
    /// window to it ([`Loss::sent_again`]).
    const HAS_FINE_TIMEOUTS: bool = false;
    /// What a mark leaves of the window where it takes less than a loss, if that is defined for it (RFC 8511).
    const ABE: Option<f64> = None;
    /// Whether it decides the size of the window; else somebody outside does, and to compare it with others says nothing.
    const SETS_WINDOW: bool = true;
    /// Its parameters, checked.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;

    /// Its parameters.
    ///
    /// # Errors
    /// If they do not fit together.
    fn params(values: &Values) -> Result<Self::Params, Misfit>;

    /// The congestion control at the start of a connection; what is random in it is drawn from `draws`.
    fn start(params: &Self::Params, draws: Stream) -> Self;

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

/// What a congestion control needs of the sender, and of the connection: each by itself, and any together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The round trip of every segment: [`Ack::measured`].
    pub round_trips: bool,
    /// How fast data is delivered ([`Delivery`]), which is known with a recovery that knows what is lost from selective
    /// acknowledgements.
    pub delivery_rates: bool,
    /// Segments leave at its pace: [`CongestionControl::pacing_rate`].
    pub pacing: bool,
}

impl Needs {
    /// Acknowledgements and losses are enough.
    pub const NOTHING: Needs = Needs { round_trips: false, delivery_rates: false, pacing: false };
    /// The round trip of every segment.
    pub const ROUND_TRIPS: Needs = Needs { round_trips: true, ..Needs::NOTHING };
    /// How fast data is delivered.
    pub const DELIVERY_RATES: Needs = Needs { delivery_rates: true, ..Needs::NOTHING };
    /// A pace at which segments leave.
    pub const PACING: Needs = Needs { pacing: true, ..Needs::NOTHING };
}

/// The recovery that goes with a congestion control where none is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsualRecovery {
    /// What scenario files call it.
    pub name: &'static str,
    /// Why it goes with it.
    pub source: &'static str,
    /// What is worse with another that has SACK, too; `None`: nothing, and it does not take the place of such a one.
    pub instead_of_sack: Option<&'static str>,
}
