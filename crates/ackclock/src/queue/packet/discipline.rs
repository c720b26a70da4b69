//! Queue disciplines: who of the packets at a port waits, in which order they leave, and which are dropped. A discipline owns what
//! waits, in one queue or in several.
//!
//! To write one: its `enqueue` and its `dequeue`, and it never asks what a packet carries. The port counts and transmits.

use super::{DropReason, Verdict};
use crate::packet::Ecn;
use crate::units::{Rate, Span, Time};

/// A packet at a port. A discipline gives back what it got; [`QueuedPacket::mark`] is all that it may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueuedPacket {
    /// When it came.
    pub arrived: Time,
    /// What the port knows it by.
    pub(crate) handle: u32,
    /// Its size, octets.
    pub bytes: u32,
    /// The number of its connection at the port; see [`QueuePort::flows`].
    pub flow: u32,
    /// Whether it can be marked, and whether it is: the ECN field of its IP header.
    pub ecn: Ecn,
}

impl QueuedPacket {
    /// Marks it, if that can be (RFC 3168 §5): whether it is marked now. The port sees that when it leaves.
    pub fn mark(&mut self) -> bool {
        self.ecn = self.ecn.marked();
        self.ecn.is_ce()
    }
}

/// Owns the packets that wait at a port.
pub trait QueueDiscipline: Send {
    /// A packet comes to the port, at the time that it says. It waits from now on, unless it is among those that are `dropped`; others
    /// may be dropped for it.
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped);

    /// The link is free: the packet that leaves. Others may be dropped before it. `None` if nothing waits any more, or if what waits is
    /// held back until [`QueueDiscipline::next`].
    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<QueuedPacket>;

    /// When [`QueueDiscipline::dequeue`] is to be asked again after it gave nothing although packets wait, as that of a shaper does: an
    /// instant after the `now` of that call. If another packet comes before, it is asked then, or on a medium that transmits as soon as
    /// that is free. [`Time::NEVER`]: it is asked only when another packet comes.
    fn next(&self) -> Time {
        Time::NEVER
    }

    /// The next packet that is lost because the link goes down; none is left in the end.
    fn flush(&mut self) -> Option<QueuedPacket>;

    /// Whether a packet that finds the link free and nothing waiting is certain to leave at once, and nothing is to be remembered of
    /// it: then the discipline need not be told.
    fn accepts_at_once(&self) -> bool {
        false
    }

    /// If packets leave in the order in which they came, as they came, and only those are dropped for which there is no room when they
    /// come: that room. Then the discipline need not be told of those for which there is.
    fn room(&self) -> Option<Room> {
        None
    }
}

/// What may wait at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many packets the queue holds at most.
    pub packets: u32,
    /// How many octets the queue holds at most.
    pub bytes: u64,
}

/// What the link behind a port does when a packet comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// If nothing waits and nothing is transmitted: for how long.
    pub idle: Option<Span>,
    /// Whether the packet can be transmitted at once, as nothing else waits: then it needs no room unless it is held back, and is asked back
    /// before time goes on.
    pub is_free: bool,
}

/// A port as a discipline begins at it.
#[derive(Clone, Copy, Debug)]
pub struct QueuePort<'a> {
    /// The rate of its link.
    pub rate: Rate,
    /// The most packets that may wait.
    pub max_packets: u32,
    /// The most octets that may wait.
    pub max_bytes: u64,
    /// A number for each connection that may cross it, which is the same in every run: a hash of its name.
    pub flows: &'a [u64],
}

/// Packets that are dropped at one instant, in that order, each with its reason.
#[derive(Clone, Debug, Default)]
pub struct Dropped(Vec<(QueuedPacket, DropReason)>);

impl Dropped {
    /// A packet is dropped: it no longer waits, or never did.
    #[inline(never)]
    pub fn push(&mut self, packet: QueuedPacket, reason: DropReason) {
        self.0.push((packet, reason));
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A verdict on a packet that has its turn: it leaves, `marked` or not, or is dropped, and another one has its turn.
    #[inline]
    pub(super) fn leaving(
        &mut self,
        mut packet: QueuedPacket,
        verdict: Verdict,
        marked: impl FnOnce(),
    ) -> Option<QueuedPacket> {
        match verdict {
            Verdict::Accept => return Some(packet),
            Verdict::Drop(reason) => self.push(packet, reason),
            Verdict::Mark if packet.mark() => {
                marked();
                return Some(packet);
            }
            Verdict::Mark => self.push(packet, DropReason::Policy),
        }
        None
    }

    /// Those that were dropped; then none are.
    pub fn drain(&mut self) -> impl Iterator<Item = (QueuedPacket, DropReason)> + '_ {
        self.0.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_small() {
        assert_eq!(size_of::<QueuedPacket>(), 24);
    }
}
