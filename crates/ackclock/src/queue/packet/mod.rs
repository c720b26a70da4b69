//! What happens to packets at a port: queue disciplines, which own what waits, and drop policies, with which a [`Fifo`] is one. To a
//! policy a packet has an arrival time and a size, and may be refused when it comes, or dropped when its turn has come.
//!
//! To add one: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod blue;
mod codel;
mod discipline;
mod drr;
mod family;
mod fifo;
mod flow_queues;
mod fq_codel;
mod pie;
mod red;
mod tail_drop;
mod tbf;

pub use blue::{Blue, BlueParams};
pub use codel::{CoDel, CoDelParams};
pub use discipline::{Dropped, LinkUse, QueueDiscipline, QueuePort, QueuedPacket, Room};
pub use drr::{Drr, DrrParams};
pub use family::{CustomDiscipline, POLICIES, PacketPolicyParams};
pub use fifo::Fifo;
pub use fq_codel::{Backlog, FqCoDel, FqCoDelParams};
pub use pie::{Pie, PieParams};
pub use red::{AboveMax, Red, RedParams, Spacing};
pub use tail_drop::TailDrop;
pub use tbf::{Tbf, TbfParams};

use super::{DropReason, Port, Verdict};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// Decides about the packets of a [`Fifo`].
pub trait PacketPolicy: BatchHints + Send {
    /// Whether an arriving packet may enter; the queue does not contain it yet.
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict;

    /// Whether the packet that has waited for so long, and is the first in the queue, is transmitted now, while
    /// `left_bytes` wait behind it. If not, it is asked about the next one at once.
    fn on_dequeue(&mut self, _now: Time, _waited: Span, _left_bytes: u64) -> Verdict {
        Verdict::Accept
    }

    /// The packet that [`PacketPolicy::on_dequeue`] was asked about last could be marked: it is transmitted.
    fn on_marked(&mut self) {}

    /// Nothing waits any more.
    fn on_idle(&mut self) {}
}

/// What an engine may leave out because its outcome is certain. The defaults are always right, and slow.
pub trait BatchHints {
    /// Whether a packet that finds the port idle is accepted, is not dropped later, and leaves nothing to be remembered: then
    /// the policy need not be told.
    fn accepts_at_once(&self) -> bool {
        false
    }

    /// Whether it refuses packets only if there is no room for them, drops none later, marks none, and has nothing to remember of any:
    /// then it need not be told of those for which there is room.
    fn is_for_room_alone(&self) -> bool {
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

/// A discipline as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key];
    /// Whether the seed makes a difference at a port that so many connections cross.
    fn is_random(_params: &Self::Params, _connections: usize) -> bool {
        false
    }
    /// Whether it marks what can be marked.
    fn marks(_params: &Self::Params) -> bool {
        false
    }
    /// Why it cannot work in a buffer without a limit, if it cannot.
    const NEEDS_LIMIT: Option<&'static str> = None;
    /// What of its parameters is probably not meant, though it can be run.
    const DOUBT: fn(&Values) -> Option<Misfit> = |_| None;
    /// Its parameters, checked and in the units that it computes with.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;
    /// The discipline at work; that of a policy is a [`Fifo`] with it.
    type State: QueueDiscipline + 'static;

    /// Its parameters at a port.
    ///
    /// # Errors
    /// If they do not fit together, or do not fit the port.
    fn params(values: &Values, port: &Port) -> Result<Self::Params, Misfit>;

    /// The discipline before the first packet, at this port, with random numbers from `draws`.
    fn start(params: &Self::Params, port: &QueuePort<'_>, draws: Stream) -> Self::State;
}

/// The key of whether a policy marks.
const fn ecn_key(default: bool, source: &'static str) -> Key {
    Key::new(
        "ecn",
        Kind::Flag,
        Default::Is(Value::Flag(default)),
        source,
        "Whether packets that can be marked (`ecn` in [tcp]) are marked where others are dropped early; a full buffer drops all the same.",
    )
}

/// Congestion: what a policy says to that.
fn signal(marks: bool) -> Verdict {
    if marks { Verdict::Mark } else { Verdict::Drop(DropReason::Policy) }
}

/// A packet that fits may enter.
fn unless_full(arrival: &PacketArrival) -> Verdict {
    if arrival.is_full { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
}
