//! Congestion control: how large may the window be? Asked per acknowledgement.
//!
//! To add one: one file with its law, one variant in [`GrowthParams`] and in [`Growth`], its name in the scenario
//! language. CONTRIBUTING.md has the recipe.

mod bbr1;
mod bbr3;
mod cubic;
mod path_model;
mod reno;
mod reroute_detect;
mod vegas;
mod vegas_1995;
mod vegas_a;
mod vegas_linux;
mod vegas_plus;

pub use bbr1::Bbr1;
pub use bbr3::Bbr3;
pub use cubic::Cubic;
pub use reno::Reno;
pub use vegas::Vegas;
pub use vegas_1995::Vegas1995;
pub use vegas_a::VegasA;
pub use vegas_linux::VegasLinux;
pub use vegas_plus::VegasPlus;

use super::GrowthParams;
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

/// New data was acknowledged outside recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// Segment size, bytes.
    pub mss: f64,
    /// The window beyond which cwnd does not grow: the receiver's, bytes.
    pub limit: f64,
    /// Bytes acknowledged.
    pub acked: f64,
    /// When. From here on: known only to laws that measure round trips ([`GrowthParams::measures`]).
    pub now: Time,
    /// When the connection sent its first segment. (Vegas)
    pub start: Time,
    /// First byte not acknowledged now. (Vegas)
    pub una: u64,
    /// Next byte to send. (Vegas)
    pub nxt: u64,
    /// The round trip of the newest segment acknowledged, if it was sent once. (Vegas, CUBIC)
    pub rtt: Option<Span>,
    /// Whether the window was all that kept the sender from sending more. (CUBIC)
    pub window_limited: bool,
}

impl Ack {
    /// A full segment is acknowledged.
    #[inline]
    pub const fn of(mss: f64, limit: f64) -> Ack {
        let (now, start) = (Time::ZERO, Time::ZERO);
        Ack { mss, limit, acked: mss, now, start, una: 0, nxt: 0, rtt: None, window_limited: true }
    }
}

/// A loss was found, or the timer expired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Segment size, bytes.
    pub mss: f64,
    /// The receiver's window, bytes.
    pub limit: f64,
    /// Whether what was lost had been sent more than once. Known only to Vegas, with its own recovery.
    pub sent_again: bool,
}

impl Loss {
    /// What every law is told.
    #[inline]
    pub const fn of(mss: f64, limit: f64) -> Loss {
        Loss { mss, limit, sent_again: false }
    }
}

/// What an acknowledgement, cumulative or selective, says about the delivery of data: to laws that pace. Bytes, and bytes
/// per second.
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
    /// The same when the newest of these segments was sent; `None` if nothing new is delivered.
    pub total_when_sent: Option<u64>,
    /// The rate of delivery since then, if it can be trusted.
    pub rate: Option<f64>,
    /// Whether the sender had not enough to send then.
    pub app_limited: bool,
    /// Whether since then the window was, at any time, all that kept the sender from sending more. (BBR 3)
    pub window_limited: bool,
    /// The shortest round trip of these segments that were sent once.
    pub rtt: Option<Span>,
    /// What it shows to be lost, and was not known to be.
    pub lost: f64,
    /// In flight before it.
    pub prior_in_flight: f64,
    /// In flight after it.
    pub in_flight: f64,
    /// In flight when the newest of these segments was sent, itself included. (BBR 3)
    pub in_flight_when_sent: f64,
    /// What was found to be lost since then. (BBR 3)
    pub lost_since: f64,
    /// Whether losses are being repaired.
    pub loss_state: LossState,
}

/// A segment is found to be lost: to laws that pace. Bytes.
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

/// Decides the size of the window.
pub trait CongestionControl: Send {
    /// New data was acknowledged outside recovery: grow.
    fn on_ack(&mut self, ack: &Ack, window: &mut Window);
    /// A loss was found by acknowledgements: set ssthresh, once per recovery. cwnd is recovery's.
    fn on_congestion(&mut self, loss: &Loss, window: &mut Window);
    /// The retransmission timer expired: set ssthresh and cwnd.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window);
    /// Only of a law that paces ([`GrowthParams::paces`]): an acknowledgement came, and recovery has seen it. Whatever it
    /// made of the window, this decides.
    fn on_delivery(&mut self, _delivery: &Delivery, _window: &mut Window) {}
    /// Only of a law that paces: a segment is found to be lost. At once at a timeout, else before
    /// [`CongestionControl::on_delivery`].
    fn on_lost_segment(&mut self, _lost: &LostSegment) {}
    /// Bytes per second at which segments may leave; `None`: as the window allows.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// Whether it sends less than the path can take, so that rates of delivery say nothing about the path.
    fn holds_back(&self) -> bool {
        false
    }
}

/// Any of the congestion controls: one variant each.
#[derive(Clone, Debug)]
pub enum Growth {
    /// Slow start and additive increase.
    Reno(Reno),
    /// BBR, version 1.
    Bbr1(Box<Bbr1>),
    /// BBR, version 3.
    Bbr3(Box<Bbr3>),
    /// CUBIC.
    Cubic(Box<Cubic>),
    /// Vegas.
    Vegas(Box<Vegas>),
    /// Vegas as published.
    Vegas1995(Box<Vegas1995>),
    /// Vegas-A.
    VegasA(Box<VegasA>),
    /// Vegas as Linux has it.
    VegasLinux(Box<VegasLinux>),
    /// Vegas+.
    VegasPlus(Box<VegasPlus>),
}

impl Growth {
    /// The congestion control that `params` describes; what is random in it is drawn from `stream`.
    pub fn new(params: &GrowthParams, stream: Stream) -> Growth {
        match params {
            GrowthParams::Reno(arithmetic) => Growth::Reno(Reno::new(*arithmetic)),
            GrowthParams::Bbr1(params) => Growth::Bbr1(Box::new(Bbr1::new(params, stream))),
            GrowthParams::Bbr3(params) => Growth::Bbr3(Box::new(Bbr3::new(params, stream))),
            GrowthParams::Cubic(params) => Growth::Cubic(Box::new(Cubic::new(params))),
            GrowthParams::Vegas(params) => Growth::Vegas(Box::new(Vegas::new(params))),
            GrowthParams::Vegas1995(params) => Growth::Vegas1995(Box::new(Vegas1995::new(params))),
            GrowthParams::VegasLinux(params) => Growth::VegasLinux(Box::new(VegasLinux::new(params))),
            GrowthParams::VegasPlus(params) => Growth::VegasPlus(Box::new(VegasPlus::new(params))),
            GrowthParams::VegasA(params) => Growth::VegasA(Box::new(VegasA::new(params, stream))),
        }
    }

    /// A copy of what is acknowledged: by reference it would have to be in memory for the law that is inlined, too.
    #[inline(never)]
    fn on_ack_of_others(&mut self, ack: Ack, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_ack(&ack, window),
            Growth::Bbr1(cc) => cc.on_ack(&ack, window),
            Growth::Bbr3(cc) => cc.on_ack(&ack, window),
            Growth::Cubic(cc) => cc.on_ack(&ack, window),
            Growth::Vegas(cc) => cc.on_ack(&ack, window),
            Growth::Vegas1995(cc) => cc.on_ack(&ack, window),
            Growth::VegasA(cc) => cc.on_ack(&ack, window),
            Growth::VegasLinux(cc) => cc.on_ack(&ack, window),
            Growth::VegasPlus(cc) => cc.on_ack(&ack, window),
        }
    }
}

impl CongestionControl for Growth {
    /// Every acknowledgement of flows that measure nothing comes here; most have the law that needs least, so it alone is
    /// inlined.
    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_ack(ack, window),
            other => other.on_ack_of_others(*ack, window),
        }
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_congestion(loss, window),
            Growth::Bbr1(cc) => cc.on_congestion(loss, window),
            Growth::Bbr3(cc) => cc.on_congestion(loss, window),
            Growth::Cubic(cc) => cc.on_congestion(loss, window),
            Growth::Vegas(cc) => cc.on_congestion(loss, window),
            Growth::Vegas1995(cc) => cc.on_congestion(loss, window),
            Growth::VegasA(cc) => cc.on_congestion(loss, window),
            Growth::VegasLinux(cc) => cc.on_congestion(loss, window),
            Growth::VegasPlus(cc) => cc.on_congestion(loss, window),
        }
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_rto(loss, window),
            Growth::Bbr1(cc) => cc.on_rto(loss, window),
            Growth::Bbr3(cc) => cc.on_rto(loss, window),
            Growth::Cubic(cc) => cc.on_rto(loss, window),
            Growth::Vegas(cc) => cc.on_rto(loss, window),
            Growth::Vegas1995(cc) => cc.on_rto(loss, window),
            Growth::VegasA(cc) => cc.on_rto(loss, window),
            Growth::VegasLinux(cc) => cc.on_rto(loss, window),
            Growth::VegasPlus(cc) => cc.on_rto(loss, window),
        }
    }

    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        match self {
            Growth::Bbr1(cc) => cc.on_delivery(delivery, window),
            Growth::Bbr3(cc) => cc.on_delivery(delivery, window),
            _ => {}
        }
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        if let Growth::Bbr3(cc) = self {
            cc.on_lost_segment(lost);
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        match self {
            Growth::Bbr1(cc) => cc.pacing_rate(),
            Growth::Bbr3(cc) => cc.pacing_rate(),
            _ => None,
        }
    }

    fn holds_back(&self) -> bool {
        match self {
            Growth::Bbr1(cc) => cc.holds_back(),
            Growth::Bbr3(cc) => cc.holds_back(),
            _ => false,
        }
    }
}
