//! Columns: what was recorded over time, and what was captured at hosts.

use super::{DropReason, Metric, PerInterval};
use crate::packet::Segment;
use crate::units::{Span, Time};

/// The record of one metric of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What was recorded.
    pub metric: Metric,
    /// The flow or the port it was recorded of.
    pub of: String,
    /// The connection, where it was recorded of each that crosses a port: the flow's name, with `/ack` for the reverse path
    /// back.
    pub vc: Option<String>,
    /// The record itself.
    pub columns: Columns,
}

/// Values over time, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// Values at instants; of a metric whose shape is `Changes` each holds until the next.
    Points {
        /// When.
        time: Vec<Time>,
        /// What, in the metric's unit.
        value: Vec<f64>,
    },
    /// Values over intervals that follow each other from the start of the run. Interval n begins at n times their
    /// length; the last one ends with the run.
    Intervals {
        /// Their length.
        interval: Span,
        /// The end of the run.
        end: Time,
        /// Smallest value of each, in the metric's unit.
        min: PerInterval,
        /// Average over the time of each.
        mean: PerInterval,
        /// Largest value of each.
        max: PerInterval,
    },
    /// Units that were refused, or lost on the link.
    Drops {
        /// When.
        time: Vec<Time>,
        /// Of which connection: an index into `names`.
        vc: Vec<u32>,
        /// Of which frame: the how manieth of its connection, counted from 0.
        frame: Vec<u32>,
        /// Why.
        reason: Vec<DropReason>,
        /// The connections that cross port and link.
        names: Vec<String>,
    },
}

impl Columns {
    /// How many points, intervals or units there are.
    pub fn len(&self) -> usize {
        match self {
            Columns::Points { time, .. } | Columns::Drops { time, .. } => time.len(),
            Columns::Intervals { mean, .. } => mean.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// So many intervals of one series are read from files at the most: a number for each takes 8 GiB. (In steps of 1 ms they are 12 days.)
pub const MOST_INTERVALS: u64 = 1 << 30;

/// What passed one host: what it sent, as its transmission began, and what arrived whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// The host's name.
    pub host: String,
    /// In order of time.
    pub packets: Vec<Captured>,
}

/// One datagram at a host.
#[derive(Clone, Debug, PartialEq)]
pub struct Captured {
    /// When its transmission began, or when its last bit arrived.
    pub time: Time,
    /// The flow, as an index into [`Records::flows`](super::Records::flows). The sources of datagrams are numbered after
    /// them, in the order of [`Records::udp`](super::Records::udp).
    pub flow: u32,
    /// Whether it is data; else it is an acknowledgement.
    pub data: bool,
    /// Whether the host sent it; else it arrived.
    pub sent: bool,
    /// The how manieth frame of its connection it is, counted from 0.
    pub frame: u32,
    /// What it carries; of a datagram the number, as `seq`, and what is as long.
    pub segment: Segment,
    /// The sender's congestion window in bytes after this packet, if the host is the flow's sender.
    pub cwnd: Option<f64>,
    /// Where on its way it was lost, if it was sent here and lost; for a frame of which several cells were refused,
    /// the first.
    pub lost: Option<Loss>,
}

/// Where and why a frame was lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// When.
    pub time: Time,
    /// The port's name; `None`: lost on purpose, by the scenario's `drops`.
    pub port: Option<String>,
    /// Why; `None` if it was lost on purpose.
    pub reason: Option<DropReason>,
    /// Whether nothing of the frame itself was refused, but the end of the frame before: what was left of that one and
    /// this one reached the receiver as one frame, which was damaged. Time, port and reason are those of the frame before.
    pub by_frame_before: bool,
}
