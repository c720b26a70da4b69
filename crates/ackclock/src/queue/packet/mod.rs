//! Drop policies of packets: a packet has an arrival time and a size, and may be refused when it comes, or dropped when
//! its turn has come.
//!
//! To add a policy: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod codel;
mod family;
mod pie;
mod red;
mod tail_drop;

pub use codel::{CoDel, CoDelParams};
pub use family::{CUSTOM, CustomPacketPolicy, POLICIES, PacketPolicyParams};
pub use pie::{Pie, PieParams};
pub use red::{AboveMax, Red, RedParams, Spacing};
pub use tail_drop::TailDrop;

use super::{DropReason, Port, Verdict};
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::{Rate, Span, Time};

/// Decides about packets. The caller keeps the queue.
pub trait PacketPolicy: BatchHints + Send {
    /// Whether an arriving packet may enter; the queue does not contain it yet.
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict;

    /// Whether the packet that has waited for so long, and is the first in the queue, is transmitted now, while
    /// `left_bytes` wait behind it. If not, it is asked about the next one at once.
    fn on_dequeue(&mut self, _now: Time, _waited: Span, _left_bytes: u64) -> Verdict {
        Verdict::Accept
    }

    /// Nothing waits any more.
    fn on_idle(&mut self) {}

    /// The same policy in the same state.
    fn boxed_clone(&self) -> Box<dyn PacketPolicy>;
}

/// What an engine may leave out because its outcome is certain. The defaults are always right, and slow.
pub trait BatchHints {
    /// Whether a packet that finds the port idle is accepted, is not dropped later, and leaves nothing to be remembered: then
    /// the policy need not be told.
    fn accepts_at_once(&self) -> bool {
        false
    }
}

/// A packet that asks for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketArrival {
    /// When.
    pub now: Time,
    /// If nothing waits and nothing is transmitted: for how long.
    pub idle: Option<Span>,
    /// Packets waiting.
    pub queued: u32,
    /// Octets waiting.
    pub queued_bytes: u64,
    /// Whether it does not fit.
    pub is_full: bool,
}

/// A policy as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key];
    /// Whether it draws random numbers.
    const IS_RANDOM: bool;
    /// Why it cannot work in a buffer without a limit, if it cannot.
    const NEEDS_LIMIT: Option<&'static str> = None;
    /// What of its parameters is probably not meant, though it can be run.
    const DOUBT: fn(&Values) -> Option<Misfit> = |_| None;
    /// Its parameters, checked and in the units that it computes with.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;
    /// The policy at work.
    type State: PacketPolicy + 'static;

    /// Its parameters at a port.
    ///
    /// # Errors
    /// If they do not fit together, or do not fit the port.
    fn params(values: &Values, port: &Port) -> Result<Self::Params, Misfit>;

    /// The policy before the first packet, at a port of this rate, with random numbers from `draws`.
    fn start(params: &Self::Params, rate: Rate, draws: Stream) -> Self::State;
}

impl Clone for Box<dyn PacketPolicy> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// A packet that fits may enter.
fn unless_full(arrival: &PacketArrival) -> Verdict {
    if arrival.is_full { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
}
