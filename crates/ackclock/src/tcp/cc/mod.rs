//! Congestion control: how large may the window be? Asked per acknowledgement.
//!
//! To add one: one file with its law, one variant in [`GrowthParams`] and in [`Growth`], its name in the scenario
//! language. CONTRIBUTING.md has the recipe.

mod reno;

pub use reno::Reno;

use super::GrowthParams;

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
}

/// A loss was found, or the timer expired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Segment size, bytes.
    pub mss: f64,
    /// The receiver's window, bytes.
    pub limit: f64,
}

/// Decides the size of the window.
pub trait CongestionControl: Send {
    /// New data was acknowledged outside recovery: grow.
    fn on_ack(&mut self, ack: &Ack, window: &mut Window);
    /// A loss was found by acknowledgements: set ssthresh, once per recovery. cwnd is recovery's.
    fn on_congestion(&mut self, loss: &Loss, window: &mut Window);
    /// The retransmission timer expired: set ssthresh and cwnd.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window);
}

/// Any of the congestion controls: one variant each.
#[derive(Clone, Debug)]
pub enum Growth {
    /// Slow start and additive increase.
    Reno(Reno),
}

impl Growth {
    /// The congestion control that `params` describes.
    pub fn new(params: &GrowthParams) -> Growth {
        match params {
            GrowthParams::Reno(arithmetic) => Growth::Reno(Reno::new(*arithmetic)),
        }
    }
}

impl CongestionControl for Growth {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_ack(ack, window),
        }
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_congestion(loss, window),
        }
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        match self {
            Growth::Reno(cc) => cc.on_rto(loss, window),
        }
    }
}
