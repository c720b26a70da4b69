//! What is under way between the parts of the network. Nothing else crosses from one part to another.

use super::mailbox::{Mailbox, Travels};
use crate::ids::{IdVec, VcId};
use crate::packet::FrameLog;
use crate::units::{Span, Time};

/// Everything under way.
pub(super) struct Io {
    /// What the frames of each connection carry.
    pub(super) frames: IdVec<VcId, FrameLog>,
    /// Units on their way to each port.
    pub(super) mailboxes: Vec<Mailbox>,
    /// Frames on their way to each group of hosts.
    pub(super) inboxes: Vec<Mailbox<Arrived>>,
}

/// A frame that arrives at the end of its connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrived {
    /// When its last bit does.
    pub(super) time: Time,
    pub(super) vc: VcId,
    pub(super) frame: u32,
    /// By which link: at one instant a host takes what arrives in the order of its links.
    pub(super) link: u32,
    /// Whether it is whole.
    pub(super) good: bool,
}

/// Units of one frame on their way to a port: cells at their connection's spacing, or one packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Item {
    /// When the first cell arrives, or the packet.
    pub(super) time: Time,
    /// Which port it goes to, of those that share the mailbox.
    pub(super) port: u32,
    /// Which of the port's inputs it comes from.
    pub(super) input: u32,
    /// The connection's number at the port.
    pub(super) at_port: VcId,
    pub(super) frame: u32,
    /// How many cells; of a packet, its octets.
    pub(super) size: u32,
    /// The first cell's number within the frame.
    pub(super) index: u16,
    /// Whether the last of these cells is the frame's last.
    pub(super) eom: bool,
}

/// The way from one output to the next part of the network, for one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    /// From the sending output's reference instant to the arrival: its documentation says which.
    pub(super) lag: Span,
    pub(super) to: Destination,
}

/// Where a leg leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A port: which mailbox, which port of those that share it, and what the leg is there.
    Port { mailbox: u32, port: u32, input: u32, at_port: VcId },
    /// The last port before a host, done together with the port before: which of them, and what the leg is there.
    Tail { tail: u32, at_port: VcId },
    /// The host where the connection ends: in which group of hosts it is, and by which link it is reached.
    Host { group: u32, link: u32 },
}

/// The frames on their way to hosts, by connections.
pub(super) struct UnderWay {
    frames: Vec<(VcId, Frame)>,
}

/// A frame on its way to a host: when it will be there, and the octets of its datagram.
pub(super) struct Frame {
    pub(super) time: Time,
    pub(super) ip_bytes: u32,
}

impl UnderWay {
    /// Those of connection `vc`.
    pub(super) fn of(&self, vc: VcId) -> impl Iterator<Item = &Frame> {
        let start = self.frames.partition_point(|&(of, _)| of < vc);
        self.frames[start..].iter().take_while(move |&&(of, _)| of == vc).map(|(_, frame)| frame)
    }
}

impl Io {
    /// The frames on their way to hosts.
    pub(super) fn under_way(&self) -> UnderWay {
        let frame = |&Arrived { time, vc, frame, .. }: &Arrived| {
            (vc, Frame { time, ip_bytes: self.frames[vc].segment(frame).ip_bytes() })
        };
        let mut frames: Vec<_> = self.inboxes.iter().flat_map(|inbox| inbox.waiting()).map(frame).collect();
        frames.sort_by_key(|&(vc, _)| vc);
        UnderWay { frames }
    }

    /// A frame is on its way to a host of this group.
    #[inline(always)]
    pub(super) fn deliver(&mut self, group: u32, frame: Arrived) {
        self.inboxes[group as usize].post(frame);
    }

    /// Units are on their way to a port.
    #[inline(always)]
    pub(super) fn post(&mut self, mailbox: u32, item: Item) {
        self.mailboxes[mailbox as usize].post(item);
    }
}

impl Travels for Item {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }

    #[inline]
    fn input(&self) -> u32 {
        self.input
    }
}

impl Travels for Arrived {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }

    #[inline]
    fn input(&self) -> u32 {
        self.link
    }
}
