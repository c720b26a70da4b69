//! Drop policies of packet ports: a packet has an arrival time and a size, and may be refused when it comes, or thrown
//! away when its turn has come.

use super::{CoDel, DropParams, DropReason, Red, Verdict};
use crate::rng::Stream;
use crate::units::{Rate, Span, Time};

/// Decides about packets. The caller keeps the queue.
pub trait PacketPolicy: Send {
    /// Whether an arriving packet may enter; the queue does not contain it yet.
    fn admit(&mut self, arrival: &PacketArrival) -> Verdict;

    /// Whether the packet that has waited for so long, and is the first in the queue, is transmitted now, while
    /// `left_bytes` wait behind it. If not, it is asked about the next one at once.
    fn depart(&mut self, _now: Time, _waited: Span, _left_bytes: u64) -> Verdict {
        Verdict::Accept
    }

    /// Nothing waits any more.
    fn rest(&mut self) {}
}

/// A packet at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketArrival {
    /// When.
    pub now: Time,
    /// If nothing waits and nothing is transmitted: for how long.
    pub idle: Option<Span>,
    /// Packets waiting.
    pub queued: u32,
    /// Whether it does not fit.
    pub is_full: bool,
}

/// Any of the policies: one variant each.
#[derive(Clone, Debug)]
pub enum PacketDrop {
    /// Tail drop.
    TailDrop,
    /// Random early detection.
    Red(Box<Red>),
    /// CoDel.
    Codel(CoDel),
}

impl PacketDrop {
    /// The policy that `params` describes, at a port of this rate; random numbers come from `stream`.
    ///
    /// # Panics
    /// If it is a policy of cells.
    pub fn new(params: &DropParams, rate: Rate, stream: Stream) -> PacketDrop {
        match params {
            DropParams::TailDrop => PacketDrop::TailDrop,
            DropParams::Red(params) => PacketDrop::Red(Box::new(Red::new(*params, rate, stream))),
            DropParams::Codel(params) => PacketDrop::Codel(CoDel::new(*params)),
            other => unreachable!("{other:?} works on cells"),
        }
    }
}

impl PacketPolicy for PacketDrop {
    fn admit(&mut self, arrival: &PacketArrival) -> Verdict {
        match self {
            PacketDrop::TailDrop => unless_full(arrival),
            PacketDrop::Red(policy) => policy.admit(arrival),
            PacketDrop::Codel(policy) => policy.admit(arrival),
        }
    }

    fn depart(&mut self, now: Time, waited: Span, left_bytes: u64) -> Verdict {
        match self {
            PacketDrop::TailDrop => Verdict::Accept,
            PacketDrop::Red(policy) => policy.depart(now, waited, left_bytes),
            PacketDrop::Codel(policy) => policy.depart(now, waited, left_bytes),
        }
    }

    fn rest(&mut self) {
        match self {
            PacketDrop::TailDrop => {}
            PacketDrop::Red(policy) => policy.rest(),
            PacketDrop::Codel(policy) => policy.rest(),
        }
    }
}

/// A packet that fits may enter.
pub(super) fn unless_full(arrival: &PacketArrival) -> Verdict {
    if arrival.is_full { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
}
