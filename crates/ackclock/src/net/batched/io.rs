//! What is under way between the processes. Nothing else crosses from one process to another.

use super::abr::under_way::AbrIo;
use super::frame_side::FrameSideTable;
use super::mailbox::{Mailbox, MailboxItem};
pub(super) use super::next_hop::{Destination, InputRef, NextHop};
use super::packet_side::PacketSideTable;
use super::packets::rate_log::RatedEdge;
use crate::ids::{IdVec, LinkId, VcId};
use crate::net::flow::LostDatagrams;
use crate::net::host_traces::{HostTraces, Watched};
use crate::queue::DropReason;
use crate::units::Time;

/// Everything under way.
pub(super) struct Io {
    /// SACK blocks of the packets under way: what else they carry is with them.
    pub(super) packet_side: PacketSideTable,
    /// SACK blocks of frames in cells, by connection.
    pub(super) frame_side: IdVec<VcId, FrameSideTable>,
    /// What is recorded at hosts, if something is: it is only written to.
    pub(super) traces: Option<Box<HostTraces>>,
    pub(super) watched: Watched,
    /// Units on their way to each process: first one mailbox for each, then more (`mailbox_set.rs`).
    pub(super) mailboxes: Vec<Mailbox<Arrival>>,
    /// Frames on their way to each group of hosts: first one inbox for each, then more (`mailbox_set.rs`).
    pub(super) inboxes: Vec<Mailbox<Delivery>>,
    /// The same of networks with ABR connections.
    pub(super) abr: AbrIo,
    /// Datagrams in cells of which something was lost.
    pub(super) lost_datagrams: LostDatagrams,
    /// The routers that change acknowledgements, by the ports whose rates they use. Of each flow the acknowledgements pass an edge
    /// in one process.
    pub(super) edges: Vec<RatedEdge<Arrival>>,
    /// Acknowledgements that came from a host by such a link and were lost later, at the router behind it.
    pub(super) lost_behind_hosts: Vec<LostBehindHost>,
    /// Up to where the engine advances. What happens at this instant happens later.
    pub(super) until: Time,
}

/// An acknowledgement that has no route any more when it leaves the bucket of the router behind its host: the link of the host loses it.
pub(super) struct LostBehindHost {
    pub(super) link: LinkId,
    pub(super) time: Time,
    pub(super) vc: VcId,
    /// The packet's number.
    pub(super) frame: u32,
    pub(super) reason: DropReason,
}

/// A frame that arrives at the end of its connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    /// When its last bit does.
    pub(super) time: Time,
    /// What it carries, see [`Arrival`].
    pub(super) seq_or_ack: u64,
    pub(super) vc: VcId,
    /// The frame's number; of a packet, that of its SACK blocks.
    pub(super) frame: u32,
    /// Octets of a packet; of a frame in cells, those of its data.
    pub(super) size: u32,
    /// By which link: at one instant a host takes what arrives in the order of its links.
    pub(super) link: u32,
    pub(super) what: What,
}

/// What can arrive at the end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum What {
    /// A frame, or a packet, with all that it carries.
    #[default]
    WholeFrame,
    /// The end of a frame of which something was lost.
    DamagedFrame,
    RmCell,
}

/// Units of one frame on their way to a port: cells at their connection's spacing, or one packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// When the first cell arrives, or the packet.
    pub(super) time: Time,
    /// Of data the first byte's number, of an acknowledgement the byte expected next.
    pub(super) seq_or_ack: u64,
    pub(super) input_ref: InputRef,
    /// The frame's number; of a packet, that of its SACK blocks.
    pub(super) frame: u32,
    /// Octets of a packet; of cells, those of the data in their frame.
    pub(super) size: u32,
    /// Which cells; of a packet on a route that changes, the links that it has left behind.
    pub(super) cells: Cells,
}

/// A packet that leaves a port or a host. See [`Arrival`].
pub(super) struct SentPacket {
    pub(super) seq_or_ack: u64,
    pub(super) frame: u32,
    pub(super) size: u32,
    /// Links that it has left behind, on a route that changes.
    pub(super) crossed: Cells,
}

/// Some of the cells of a frame, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cells {
    /// The first one's number.
    first: u16,
    /// Twice how many there are, and one more if the last of them is the frame's last.
    count_and_end: u16,
}

impl Cells {
    /// The `count` cells from number `first` on; `eom` says that the last of them is the frame's last.
    #[inline]
    pub(super) fn new(first: u16, count: u16, eom: bool) -> Cells {
        Cells { first, count_and_end: count << 1 | u16::from(eom) }
    }

    /// So many links are left behind.
    pub(super) fn crossed(links: u8) -> Cells {
        Cells { first: u16::from(links), count_and_end: 0 }
    }

    /// The number of the first, or of the links left behind.
    #[inline]
    pub(super) fn first(self) -> u16 {
        self.first
    }

    /// How many there are.
    #[inline]
    pub(super) fn count(self) -> u16 {
        self.count_and_end >> 1
    }

    /// Whether the last one is the frame's last.
    #[inline]
    pub(super) fn eom(self) -> bool {
        self.count_and_end & 1 == 1
    }
}

/// The packets on their way to hosts, by connections.
pub(super) struct UnderWay {
    /// Connection, when it will be there, octets.
    packets: Vec<(VcId, Time, u32)>,
}

impl UnderWay {
    /// Those of connection `vc`: when they will be there, and their octets.
    pub(super) fn of(&self, vc: VcId) -> impl Iterator<Item = (Time, u32)> {
        let start = self.packets.partition_point(|&(of, ..)| of < vc);
        self.packets[start..].iter().take_while(move |&&(of, ..)| of == vc).map(|&(_, time, bytes)| (time, bytes))
    }
}

impl Io {
    /// The packets on their way to hosts.
    pub(super) fn under_way(&self) -> UnderWay {
        let arriving = self.inboxes.iter().flat_map(|inbox| inbox.waiting());
        let mut packets: Vec<_> = arriving.map(|packet| (packet.vc, packet.time, packet.size)).collect();
        packets.sort_unstable();
        UnderWay { packets }
    }

    /// Whether a process that is asked to advance to `horizon` ends an averaging interval at this instant.
    pub(super) fn may_end_interval(&self, end: Time, horizon: Time) -> bool {
        end < horizon || end == horizon && end < self.until
    }

    /// The recorders of the hosts, if they want to know of each packet.
    #[inline(always)]
    pub(super) fn packet_traces(&mut self) -> Option<&mut HostTraces> {
        self.traces.as_deref_mut().filter(|_| self.watched.packets)
    }

    /// A frame is on its way to a host, in this inbox of its group.
    #[inline(always)]
    pub(super) fn deliver(&mut self, inbox: u32, frame: Delivery) {
        self.inboxes[inbox as usize].post(frame);
    }

    /// A packet of connection `vc` arrives at `time` where the link of a port or of a host leads `to`. Ports that handle
    /// many packets of one connection in succession look the next hop up once, and do this themselves.
    #[inline(always)]
    pub(super) fn send_packet(&mut self, to: Destination, time: Time, vc: VcId, packet: SentPacket) {
        let SentPacket { seq_or_ack, frame, size, crossed } = packet;
        match to {
            Destination::Port { mailbox, input_ref } => {
                self.post(mailbox, Arrival { time, seq_or_ack, input_ref, frame, size, cells: crossed });
            }
            Destination::Host { inbox, link } => {
                self.deliver(inbox, Delivery { time, seq_or_ack, vc, frame, size, link, what: What::WholeFrame });
            }
            Destination::LastHopPort { .. } => {
                unreachable!("a last-hop port is behind a port of which everything is known")
            }
            Destination::RunPort { .. } => unreachable!("packets go to packet ports"),
        }
    }

    /// Units are on their way to a port.
    #[inline(always)]
    pub(super) fn post(&mut self, mailbox: u32, arrival: Arrival) {
        self.mailboxes[mailbox as usize].post(arrival);
    }
}

impl Arrival {
    /// Writes down that this packet arrives at the end of connection `vc` by `link` at `time`. Field by field: there are not
    /// enough registers for all at once.
    #[inline(always)]
    pub(super) fn arrives(&self, there: &mut Delivery, time: Time, vc: VcId, link: u32) {
        (there.time, there.vc, there.link, there.what) = (time, vc, link, What::WholeFrame);
        there.seq_or_ack = self.seq_or_ack;
        there.frame = self.frame;
        there.size = self.size;
    }
}

impl MailboxItem for Arrival {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }

    #[inline]
    fn input(&self) -> u32 {
        self.input_ref.input
    }
}

impl MailboxItem for Delivery {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }

    #[inline]
    fn input(&self) -> u32 {
        self.link
    }
}
