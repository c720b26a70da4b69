//! The uplinks of hosts: frames one after the other on each host's link.

mod fast_uplink;
mod sent_frames;

use std::sync::Arc;

pub(in crate::net::batched) use sent_frames::SentFrames;

use crate::ids::{Id, LinkId, NodeId, VcId};
use crate::link::{Forwarding, Kind, NextHopCache, Packet, RoutingTable};
use crate::net::batched::io::{Arrival, Cells, Delivery, Destination, InputRef, Io, NextHop, SentPacket};
use crate::net::batched::packets::routed_ports::PortPlaces;
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::flow::{End, ForcedDrops, end_of};
use crate::net::link::{Intent, Link, PacketMeta, Sending};
use crate::net::nic::{Nic, NicQueue};
use crate::packet::{Segment, aal5};
use crate::record::DropReason;
use crate::scenario::Technology;
use crate::units::{Span, Time};

/// The outputs of a group of hosts.
pub(in crate::net::batched) struct HostUplinks {
    technology: Technology,
    /// Octets that each link adds to a packet.
    link_header_bytes: u32,
    numbering: Numbering,
    /// By the numbers of the ends.
    uplinks: Vec<HostUplink>,
    nics: Vec<Nic>,
    /// The links that change or corrupt packets.
    links: Vec<Link>,
    times: Times,
    /// NICs on which something waits, or did in this batch; and for each NIC whether it is listed.
    backlog: Vec<u32>,
    listed: Vec<bool>,
    /// Room for NICs on which something waits: they are few at any time, and so is their memory.
    #[expect(clippy::vec_box, reason = "they go to NICs and come back as they are")]
    spare: Vec<Box<NicQueue>>,
}

/// How long packets take on the hosts' links.
struct Times {
    serializers: Serializers,
    /// The serializer that was asked last, and what it said.
    serializer: u32,
    last: LastTime,
}

impl Times {
    fn of(&mut self, serializer: u32, bytes: u32) -> Span {
        let (last, serializers) = self.last_of(serializer);
        last.of(serializer, bytes, serializers)
    }

    /// What this serializer said last, if it was the one asked last.
    #[inline(always)]
    fn last_of(&mut self, serializer: u32) -> (&mut LastTime, &mut Serializers) {
        if self.serializer != serializer {
            (self.serializer, self.last) = (serializer, LastTime::default());
        }
        (&mut self.last, &mut self.serializers)
    }
}

/// The numbers of a group's ends of connections.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) enum Numbering {
    /// Only one end of each flow is here.
    OneEnd,
    /// Both are.
    BothEnds,
}

impl Numbering {
    /// The number of one end of `flow`.
    #[inline]
    pub(in crate::net::batched) fn of(self, flow: usize, end: End) -> usize {
        match (self, end) {
            (Numbering::OneEnd, _) => flow,
            (Numbering::BothEnds, End::Sender) => 2 * flow,
            (Numbering::BothEnds, End::Receiver) => 2 * flow + 1,
        }
    }
}

/// The uplink of a host, for one end of a connection.
pub(in crate::net::batched) struct HostUplink {
    pub(in crate::net::batched) nic: u32,
    /// Of cells, at the source.
    pub(in crate::net::batched) spacing: Span,
    /// Of one cell on the host's link.
    pub(in crate::net::batched) cell_time: Span,
    /// Of packets on the host's link: which serializer.
    pub(in crate::net::batched) serializer: u32,
    /// How many frames were sent in cells, modulo 2^32.
    pub(in crate::net::batched) frames: u32,
    /// From the completion of a unit to its arrival.
    pub(in crate::net::batched) next_hop: NextHop,
    /// What ports without a queue have to count.
    pub(in crate::net::batched) sent_frames: Option<Box<SentFrames>>,
    /// If some segments are lost on purpose.
    pub(in crate::net::batched) forced_drops: Option<Box<ForcedDrops>>,
    /// If the link behind the host is more than plain.
    pub(in crate::net::batched) changing: Option<Box<ChangingUplink>>,
    /// Whether plain segments go as packets to a port, and nothing else is done with them.
    pub(in crate::net::batched) direct: bool,
}

/// An uplink whose link changes or corrupts packets, or whose route changes.
pub(in crate::net::batched) struct ChangingUplink {
    /// Which of the group's links of this kind.
    pub(in crate::net::batched) link: u32,
    /// The connection's number there.
    pub(in crate::net::batched) at_link: VcId,
    /// Hash of the connection's name.
    pub(in crate::net::batched) vc_name: u64,
    /// What its packets carry.
    pub(in crate::net::batched) kind: Kind,
    /// If its route changes.
    pub(in crate::net::batched) routed: Option<Box<RoutedUplink>>,
}

/// An uplink of a connection whose route changes.
pub(in crate::net::batched) struct RoutedUplink {
    pub(in crate::net::batched) table: Arc<RoutingTable>,
    /// Where the ports are that it may cross.
    pub(in crate::net::batched) ports: Arc<PortPlaces>,
    /// Where the last packet went on.
    pub(in crate::net::batched) next_hop_cache: Option<NextHopCache>,
}

impl RoutedUplink {
    /// Where a packet of `vc` goes that comes by link `input` to `node` at `time`; `host` if it is there.
    fn to(
        &mut self,
        host: Destination,
        vc: VcId,
        input: LinkId,
        node: NodeId,
        time: Time,
    ) -> Result<Destination, DropReason> {
        match self.table.forward_cached(&mut self.next_hop_cache, node, time, 1) {
            Forwarding::Arrived => Ok(host),
            Forwarding::By(link) => {
                let ((mailbox, port), input) = (self.ports.of(link), input.index() as u32);
                Ok(Destination::Port { mailbox, input_ref: InputRef { port, input, at_port: vc } })
            }
            Forwarding::Lost(reason) => Err(reason),
        }
    }
}

impl HostUplinks {
    /// The uplinks of `nics` outputs, by the numbers of the ends.
    pub(in crate::net::batched) fn new(
        technology: Technology,
        numbering: Numbering,
        uplinks: Vec<HostUplink>,
        nics: usize,
        links: Vec<Link>,
        serializers: Serializers,
    ) -> HostUplinks {
        let mut uplinks = uplinks;
        uplinks.iter_mut().for_each(|uplink| uplink.direct = uplink.is_direct_with(technology));
        let link_header_bytes = match technology {
            Technology::Atm { .. } => 0,
            Technology::Packet { link_header_bytes } => link_header_bytes,
        };
        HostUplinks {
            technology,
            link_header_bytes,
            numbering,
            uplinks,
            nics: (0..nics).map(|_| Nic::default()).collect(),
            links,
            times: Times { serializers, serializer: 0, last: LastTime::default() },
            backlog: Vec::new(),
            listed: vec![false; nics],
            spare: Vec::new(),
        }
    }

    /// Octets that each link adds to a packet; none if there are no packets.
    pub(in crate::net::batched) fn link_header(&self) -> Option<u32> {
        match self.technology {
            Technology::Atm { .. } => None,
            Technology::Packet { link_header_bytes } => Some(link_header_bytes),
        }
    }

    /// How many ends there are.
    pub(in crate::net::batched) fn len(&self) -> usize {
        self.uplinks.len()
    }

    /// The segment of `len` bytes from `seq` on, or the acknowledgement of those before `ack`, with nothing beside, goes
    /// out on `vc`, of the end with this number, as soon as the host's link is free. One of the two numbers is zero.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "what a segment is made of")]
    pub(in crate::net::batched) fn send_plain(
        &mut self,
        now: Time,
        vc: VcId,
        number: usize,
        (seq, ack): (u64, u64),
        len: u32,
        headers: u16,
        io: &mut Io,
    ) {
        // Mostly the link is free, and leads to a port: that needs no [`Segment`] in memory.
        if !io.packet_side.numbers_packets()
            && let Some(mut fast_uplink) = self.fast_uplink(number, &mut io.mailboxes)
            && fast_uplink.is_free(now)
        {
            return fast_uplink.send(now, seq + ack, len + u32::from(headers));
        }
        self.send(now, vc, number, Segment { seq, ack, len, headers, ..Segment::default() }, io);
    }

    /// A segment on `vc`, of the end with this number, goes out as soon as the host's link is free.
    #[inline(always)]
    fn send(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let uplink = &mut self.uplinks[number];
        let nic = &mut self.nics[uplink.nic as usize];
        if nic.is_idle(now) {
            uplink.transmit(now, vc, segment, nic, self.technology, &mut self.links, &mut self.times, io);
        } else {
            self.queue_up(now, vc, number, segment, io);
        }
    }

    /// The same of a segment of any kind.
    #[inline(never)]
    pub(in crate::net::batched) fn send_rare(
        &mut self,
        now: Time,
        vc: VcId,
        number: usize,
        segment: Segment,
        io: &mut Io,
    ) {
        self.send(now, vc, number, segment, io);
    }

    /// Takes back what waits on `vc`; returns how many segments that were.
    pub(in crate::net::batched) fn discard(&mut self, now: Time, vc: VcId, number: usize, io: &mut Io) -> u64 {
        let nic = self.uplinks[number].nic;
        self.transmit_waiting(nic, now, io);
        self.nics[nic as usize].discard(vc)
    }

    /// What waits begins before `until`.
    pub(in crate::net::batched) fn work_off(&mut self, until: Time, io: &mut Io) {
        let mut backlog = std::mem::take(&mut self.backlog);
        backlog.retain(|&nic| {
            self.transmit_waiting(nic, Time::from_ps(until.as_ps() - 1), io);
            let waits = self.nics[nic as usize].next_start() != Time::NEVER;
            self.listed[nic as usize] = waits;
            if !waits {
                self.spare.extend(self.nics[nic as usize].take_queue());
            }
            waits
        });
        self.backlog = backlog;
        // Once all may have waited at the same time, as at a common start.
        let unused = self.spare.len().saturating_sub(self.backlog.len());
        self.spare.truncate(self.spare.len() - unused / 16);
    }

    /// When the next of what waits begins.
    pub(in crate::net::batched) fn next_start(&self) -> Time {
        let start = |&nic: &u32| self.nics[nic as usize].next_start();
        self.backlog.iter().map(start).min().unwrap_or(Time::NEVER)
    }

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(in crate::net::batched) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        let (flow, end) = end_of(vc);
        let uplink = &self.uplinks[self.numbering.of(flow, end.other())];
        uplink.sent_frames.as_ref().map_or(0, |sent_frames| sent_frames.passed(lag, now, uplink.spacing))
    }

    /// The links that change or corrupt packets.
    pub(in crate::net::batched) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter()
    }

    /// How many segments of `flow` were lost on purpose.
    pub(in crate::net::batched) fn forced_drops(&self, flow: usize) -> u64 {
        ForcedDrops::count(&self.uplinks[self.numbering.of(flow, End::Sender)].forced_drops)
    }

    /// The link is busy, or something waits that should have gone before.
    #[inline(never)]
    fn queue_up(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let nic = self.uplinks[number].nic;
        self.transmit_waiting(nic, now, io);
        let state = &mut self.nics[nic as usize];
        if state.is_idle(now) {
            return self.send_rare(now, vc, number, segment, io);
        }
        if !std::mem::replace(&mut self.listed[nic as usize], true) {
            self.backlog.push(nic);
            // Mostly one segment waits for another.
            state.give_queue(self.spare.pop().unwrap_or_else(|| Box::new(NicQueue::with_capacity(1))));
        }
        state.push(vc, segment);
    }

    /// The host's link begins what waits, as far as it can by `now`.
    fn transmit_waiting(&mut self, nic: u32, now: Time, io: &mut Io) {
        let nic = &mut self.nics[nic as usize];
        loop {
            let start = nic.next_start();
            if start > now {
                break;
            }
            let Some((vc, segment)) = nic.next(start) else { break };
            let (flow, end) = end_of(vc);
            let uplink = &mut self.uplinks[self.numbering.of(flow, end.other())];
            uplink.transmit(start, vc, segment, nic, self.technology, &mut self.links, &mut self.times, io);
        }
    }
}

impl HostUplink {
    /// An uplink that nothing is ever sent on.
    pub(in crate::net::batched) fn unused() -> HostUplink {
        HostUplink {
            nic: 0,
            spacing: Span::ZERO,
            cell_time: Span::ZERO,
            serializer: 0,
            next_hop: NextHop { lag: Span::ZERO, to: Destination::Host { group: 0, link: 0 } },
            sent_frames: None,
            forced_drops: None,
            frames: 0,
            changing: None,
            direct: false,
        }
    }

    fn is_direct_with(&self, technology: Technology) -> bool {
        let special = self.changing.is_some() || self.forced_drops.is_some();
        !special
            && matches!(technology, Technology::Packet { .. })
            && matches!(self.next_hop.to, Destination::Port { .. })
    }

    /// A frame begins at `start`, when the link is free.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "parts of the uplinks that are not this one's")]
    fn transmit(
        &mut self,
        start: Time,
        vc: VcId,
        segment: Segment,
        nic: &mut Nic,
        technology: Technology,
        links: &mut [Link],
        times: &mut Times,
        io: &mut Io,
    ) {
        match technology {
            Technology::Packet { link_header_bytes } if self.changing.is_some() => {
                self.transmit_on_path(start, vc, segment, link_header_bytes, nic, links, io);
            }
            Technology::Packet { link_header_bytes } => {
                let size = segment.ip_bytes() + link_header_bytes;
                let complete = start + times.of(self.serializer, size);
                nic.occupy(complete);
                if self.is_watched(io)
                    && self.begin(start, vc, io.packet_side.next_number(vc), segment, io) == Intent::Lose
                {
                    return;
                }
                let time = complete + self.next_hop.lag;
                // One of the two is zero.
                let seq_or_ack = segment.seq + segment.ack;
                let frame = io.packet_side.keep(vc, segment);
                io.send_packet(
                    self.next_hop.to,
                    time,
                    vc,
                    SentPacket { seq_or_ack, frame, size, crossed: Cells::default() },
                );
            }
            Technology::Atm { llc } => self.transmit_cells(start, vc, segment, nic, llc, io),
        }
    }

    /// A packet begins on a link that changes or corrupts packets.
    #[cold]
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "parts of the uplinks that are not this one's")]
    fn transmit_on_path(
        &mut self,
        start: Time,
        vc: VcId,
        segment: Segment,
        link_header_bytes: u32,
        nic: &mut Nic,
        links: &mut [Link],
        io: &mut Io,
    ) {
        let intent = self.intent(&segment);
        let Some(ChangingUplink { link, at_link, vc_name, kind, routed }) = self.changing.as_deref_mut() else {
            unreachable!("it is such a link")
        };
        let link = &mut links[*link as usize];
        let (size, frame) = (segment.ip_bytes() + link_header_bytes, io.packet_side.next_number(vc));
        let packet = Packet { bytes: size, kind: *kind };
        let meta = PacketMeta { vc: *at_link, vc_name: *vc_name, frame, packet };
        let Sending { begins, free, arrives } = link.send(start, &meta, intent);
        nic.occupy(free);
        if let Some(traces) = io.packet_traces().filter(|_| begins < Time::NEVER) {
            traces.departs(begins, vc, frame, &segment, intent == Intent::Lose);
        }
        if intent == Intent::Lose {
            return;
        }
        // What is lost has had its number.
        let frame = io.packet_side.keep(vc, segment);
        let Some(time) = arrives else {
            io.packet_side.take(frame);
            return;
        };
        let to = match routed {
            None => Ok(self.next_hop.to),
            Some(routed) => routed.to(self.next_hop.to, vc, link.id, link.far_end(begins), time),
        };
        let to = match to {
            Ok(to) => to,
            Err(reason) => {
                // Known when it begins to wait for the link, which may be down for long.
                link.losses.add(start, time, &meta, reason);
                io.packet_side.take(frame);
                return;
            }
        };
        let seq_or_ack = segment.seq + segment.ack;
        io.send_packet(to, time, vc, SentPacket { seq_or_ack, frame, size, crossed: Cells::crossed(1) });
    }

    #[inline]
    fn transmit_cells(&mut self, start: Time, vc: VcId, segment: Segment, nic: &mut Nic, llc: bool, io: &mut Io) {
        let cells = aal5::cells(segment.ip_bytes(), llc);
        nic.occupy(start + self.spacing * u64::from(cells));
        if self.is_watched(io) && self.begin(start, vc, self.frames, segment, io) == Intent::Lose {
            return;
        }
        let frame = self.frames;
        self.frames = frame.wrapping_add(1);
        if !segment.is_plain() {
            io.frame_side[vc].keep(frame, segment);
        }
        // One of the two is zero.
        let (seq_or_ack, size) = (segment.seq + segment.ack, segment.len);
        let complete = start + self.cell_time;
        if let Some(sent_frames) = &mut self.sent_frames {
            sent_frames.push(complete, cells, self.spacing);
        }
        let time = complete + self.next_hop.lag;
        match self.next_hop.to {
            Destination::Port { mailbox, input_ref } => {
                let cells = Cells::new(0, cells, true);
                io.post(mailbox, Arrival { time, seq_or_ack, input_ref, frame, size, cells });
            }
            Destination::Host { group, link } => {
                let time = time + self.spacing * u64::from(cells - 1);
                io.deliver(group, Delivery { time, seq_or_ack, vc, frame, size, link, good: true });
            }
            Destination::LastHopPort { .. } => unreachable!("a last-hop port is behind a packet port"),
        }
    }

    /// Whether more than usual is to be done when a frame begins.
    #[inline(always)]
    fn is_watched(&self, io: &Io) -> bool {
        self.forced_drops.is_some() || io.watched.packets
    }

    /// A frame with this number begins where some are lost on purpose, or each is recorded.
    #[inline(never)]
    fn begin(&mut self, start: Time, vc: VcId, frame: u32, segment: Segment, io: &mut Io) -> Intent {
        let intent = self.intent(&segment);
        if let Some(traces) = io.packet_traces() {
            traces.departs(start, vc, frame, &segment, intent == Intent::Lose);
        }
        intent
    }

    fn intent(&mut self, segment: &Segment) -> Intent {
        let lost = self.forced_drops.as_mut().is_some_and(|drops| drops.hit(segment));
        if lost { Intent::Lose } else { Intent::Send }
    }
}
