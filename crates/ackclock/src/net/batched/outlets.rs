//! The ways out of hosts: frames one after the other on each host's link.

mod lane;

use std::collections::VecDeque;
use std::sync::Arc;

use super::io::{Arrived, Cells, Destination, Entrance, Io, Item, Leg, SentPacket};
use super::routed_ports::PortPlaces;
use super::serializer::{LastTime, Serializers};
use crate::ids::{Id, LinkId, NodeId, VcId};
use crate::net::flow::{End, ForcedDrops, end_of};
use crate::net::link::{Intent, Link, Rider, Sending};
use crate::net::nic::{Nic, NicQueue};
use crate::packet::{Segment, aal5};
use crate::path::{Kind, Onward, Packet, RoutingTable, Signpost};
use crate::record::DropReason;
use crate::scenario::Technology;
use crate::units::{Span, Time};

/// The outputs of a group of hosts.
pub(super) struct Outlets {
    technology: Technology,
    /// Octets that each link adds to a packet.
    link_header_bytes: u32,
    numbering: Numbering,
    /// By the numbers of the ends.
    outlets: Vec<Outlet>,
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
pub(super) enum Numbering {
    /// Only one end of each flow is here.
    OneEnd,
    /// Both are.
    BothEnds,
}

impl Numbering {
    /// The number of one end of `flow`.
    #[inline]
    pub(super) fn of(self, flow: usize, end: End) -> usize {
        match (self, end) {
            (Numbering::OneEnd, _) => flow,
            (Numbering::BothEnds, End::Sender) => 2 * flow,
            (Numbering::BothEnds, End::Receiver) => 2 * flow + 1,
        }
    }
}

/// The way out of a host for one end of a connection.
pub(super) struct Outlet {
    pub(super) nic: u32,
    /// Of cells, at the source.
    pub(super) spacing: Span,
    /// Of one cell on the host's link.
    pub(super) cell_time: Span,
    /// Of packets on the host's link: which serializer.
    pub(super) serializer: u32,
    /// How many frames were sent in cells, modulo 2^32.
    pub(super) frames: u32,
    /// From the completion of a unit to its arrival.
    pub(super) leg: Leg,
    /// What ports without a queue have to count.
    pub(super) trail: Option<Box<Trail>>,
    /// If some segments are lost on purpose.
    pub(super) forced_drops: Option<Box<ForcedDrops>>,
    /// If the link behind the host is more than plain.
    pub(super) path: Option<Box<PathOutlet>>,
    /// Whether plain segments go as packets to a port, and nothing else is done with them.
    pub(super) direct: bool,
}

/// The way out of a host whose link is more than plain.
pub(super) struct PathOutlet {
    /// Which of the group's links of this kind.
    pub(super) link: u32,
    /// The connection's number there.
    pub(super) at_link: VcId,
    /// Hash of the connection's name.
    pub(super) vc_name: u64,
    /// What its packets carry.
    pub(super) kind: Kind,
    /// If its route changes.
    pub(super) routed: Option<Box<RoutedOutlet>>,
}

/// The way out of a host on a route that changes.
pub(super) struct RoutedOutlet {
    pub(super) table: Arc<RoutingTable>,
    /// Where the ports are that it may cross.
    pub(super) ports: Arc<PortPlaces>,
    /// Where the last packet went on.
    pub(super) signpost: Option<Signpost>,
}

impl RoutedOutlet {
    /// Where a packet of `vc` goes that comes by link `input` to `node` at `time`; `host` if it is there.
    fn to(
        &mut self,
        host: Destination,
        vc: VcId,
        input: LinkId,
        node: NodeId,
        time: Time,
    ) -> Result<Destination, DropReason> {
        match self.table.onward_by(&mut self.signpost, node, time, 1) {
            Onward::Arrived => Ok(host),
            Onward::By(link) => {
                let ((mailbox, port), input) = (self.ports.of(link), input.index() as u32);
                Ok(Destination::Port { mailbox, entrance: Entrance { port, input, at_port: vc } })
            }
            Onward::Lost(reason) => Err(reason),
        }
    }
}

/// The frames that a host sent not long ago.
pub(super) struct Trail {
    memory: Span,
    /// All cells sent.
    cells: u64,
    /// Frames: when their first cell was complete, and how many cells they have.
    frames: VecDeque<(Time, u16)>,
}

impl Trail {
    /// A trail that remembers cells for `memory` after they are sent.
    pub(super) fn new(memory: Span) -> Trail {
        Trail { memory, cells: 0, frames: VecDeque::new() }
    }

    fn push(&mut self, first: Time, cells: u16, spacing: Span) {
        let forgotten = |&(time, cells): &(Time, u16)| time + spacing * u64::from(cells) + self.memory < first;
        while self.frames.front().is_some_and(forgotten) {
            self.frames.pop_front();
        }
        self.cells += u64::from(cells);
        self.frames.push_back((first, cells));
    }

    /// How many cells have reached a place `lag` after they were sent before `now`.
    fn passed(&self, lag: Span, now: Time, spacing: Span) -> u64 {
        let to_come = |&(first, cells): &(Time, u16)| {
            (0..u64::from(cells)).filter(|&cell| first + spacing * cell + lag >= now).count() as u64
        };
        self.cells - self.frames.iter().map(to_come).sum::<u64>()
    }
}

impl Outlets {
    /// The outlets of `nics` outputs, by the numbers of the ends.
    pub(super) fn new(
        technology: Technology,
        numbering: Numbering,
        outlets: Vec<Outlet>,
        nics: usize,
        links: Vec<Link>,
        serializers: Serializers,
    ) -> Outlets {
        let mut outlets = outlets;
        outlets.iter_mut().for_each(|outlet| outlet.direct = outlet.is_direct_with(technology));
        let link_header_bytes = match technology {
            Technology::Atm { .. } => 0,
            Technology::Packet { link_header_bytes } => link_header_bytes,
        };
        Outlets {
            technology,
            link_header_bytes,
            numbering,
            outlets,
            nics: (0..nics).map(|_| Nic::default()).collect(),
            links,
            times: Times { serializers, serializer: 0, last: LastTime::default() },
            backlog: Vec::new(),
            listed: vec![false; nics],
            spare: Vec::new(),
        }
    }

    /// Octets that each link adds to a packet; none if there are no packets.
    pub(super) fn link_header(&self) -> Option<u32> {
        match self.technology {
            Technology::Atm { .. } => None,
            Technology::Packet { link_header_bytes } => Some(link_header_bytes),
        }
    }

    /// How many ends there are.
    pub(super) fn len(&self) -> usize {
        self.outlets.len()
    }

    /// The segment of `len` bytes from `seq` on, or the acknowledgement of those before `ack`, with nothing beside, goes
    /// out on `vc`, of the end with this number, as soon as the host's link is free. One of the two numbers is zero.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "what a segment is made of")]
    pub(super) fn send_plain(
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
        if !io.sacks.numbers_packets()
            && let Some(mut lane) = self.lane(number, &mut io.mailboxes)
            && lane.is_free(now)
        {
            return lane.send(now, seq + ack, len + u32::from(headers));
        }
        self.send(now, vc, number, Segment { seq, ack, len, headers, ..Segment::default() }, io);
    }

    /// A segment on `vc`, of the end with this number, goes out as soon as the host's link is free.
    #[inline(always)]
    fn send(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let outlet = &mut self.outlets[number];
        let nic = &mut self.nics[outlet.nic as usize];
        if nic.is_idle(now) {
            outlet.transmit(now, vc, segment, nic, self.technology, &mut self.links, &mut self.times, io);
        } else {
            self.queue_up(now, vc, number, segment, io);
        }
    }

    /// The same of a segment of any kind.
    #[inline(never)]
    pub(super) fn send_rare(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        self.send(now, vc, number, segment, io);
    }

    /// Takes back what waits on `vc`; returns how many segments that were.
    pub(super) fn discard(&mut self, now: Time, vc: VcId, number: usize, io: &mut Io) -> u64 {
        let nic = self.outlets[number].nic;
        self.transmit_waiting(nic, now, io);
        self.nics[nic as usize].discard(vc)
    }

    /// What waits begins before `until`.
    pub(super) fn work_off(&mut self, until: Time, io: &mut Io) {
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
    pub(super) fn next_start(&self) -> Time {
        let start = |&nic: &u32| self.nics[nic as usize].next_start();
        self.backlog.iter().map(start).min().unwrap_or(Time::NEVER)
    }

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(super) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        let (flow, end) = end_of(vc);
        let outlet = &self.outlets[self.numbering.of(flow, end.other())];
        outlet.trail.as_ref().map_or(0, |trail| trail.passed(lag, now, outlet.spacing))
    }

    /// The links that change or corrupt packets.
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter()
    }

    /// How many segments of `flow` were lost on purpose.
    pub(super) fn forced_drops(&self, flow: usize) -> u64 {
        ForcedDrops::count(&self.outlets[self.numbering.of(flow, End::Sender)].forced_drops)
    }

    /// The link is busy, or something waits that should have gone before.
    #[inline(never)]
    fn queue_up(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let nic = self.outlets[number].nic;
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
            let outlet = &mut self.outlets[self.numbering.of(flow, end.other())];
            outlet.transmit(start, vc, segment, nic, self.technology, &mut self.links, &mut self.times, io);
        }
    }
}

impl Outlet {
    /// The way out on which nothing ever goes.
    pub(super) fn unused() -> Outlet {
        Outlet {
            nic: 0,
            spacing: Span::ZERO,
            cell_time: Span::ZERO,
            serializer: 0,
            leg: Leg { lag: Span::ZERO, to: Destination::Host { group: 0, link: 0 } },
            trail: None,
            forced_drops: None,
            frames: 0,
            path: None,
            direct: false,
        }
    }

    fn is_direct_with(&self, technology: Technology) -> bool {
        let special = self.path.is_some() || self.forced_drops.is_some();
        !special && matches!(technology, Technology::Packet { .. }) && matches!(self.leg.to, Destination::Port { .. })
    }

    /// A frame begins at `start`, when the link is free.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "parts of the outlets that are not this one's")]
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
            Technology::Packet { link_header_bytes } if self.path.is_some() => {
                self.transmit_on_path(start, vc, segment, link_header_bytes, nic, links, io);
            }
            Technology::Packet { link_header_bytes } => {
                let size = segment.ip_bytes() + link_header_bytes;
                let complete = start + times.of(self.serializer, size);
                nic.occupy(complete);
                if self.is_watched(io) && self.begin(start, vc, io.sacks.next_number(vc), segment, io) == Intent::Lose {
                    return;
                }
                let time = complete + self.leg.lag;
                // One of the two is zero.
                let carries = segment.seq + segment.ack;
                let frame = io.sacks.keep(vc, segment);
                io.send_packet(self.leg.to, time, vc, SentPacket { carries, frame, size, crossed: Cells::default() });
            }
            Technology::Atm { llc } => self.transmit_cells(start, vc, segment, nic, llc, io),
        }
    }

    /// A packet begins on a link that changes or corrupts packets.
    #[cold]
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "parts of the outlets that are not this one's")]
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
        let Some(PathOutlet { link, at_link, vc_name, kind, routed }) = self.path.as_deref_mut() else {
            unreachable!("it is such a link")
        };
        let link = &mut links[*link as usize];
        let (size, frame) = (segment.ip_bytes() + link_header_bytes, io.sacks.next_number(vc));
        let packet = Packet { bytes: size, kind: *kind };
        let rider = Rider { vc: *at_link, vc_name: *vc_name, frame, packet };
        let Sending { begins, free, arrives } = link.send(start, &rider, intent);
        nic.occupy(free);
        if let Some(traces) = io.packet_traces().filter(|_| begins < Time::NEVER) {
            traces.departs(begins, vc, frame, &segment, intent == Intent::Lose);
        }
        if intent == Intent::Lose {
            return;
        }
        // What is lost has had its number.
        let frame = io.sacks.keep(vc, segment);
        let Some(time) = arrives else {
            io.sacks.take(frame);
            return;
        };
        let to = match routed {
            None => Ok(self.leg.to),
            Some(routed) => routed.to(self.leg.to, vc, link.id, link.far_end(begins), time),
        };
        let to = match to {
            Ok(to) => to,
            Err(reason) => {
                // Known when it begins to wait for the link, which may be down for long.
                link.losses.add(start, time, &rider, reason);
                io.sacks.take(frame);
                return;
            }
        };
        let carries = segment.seq + segment.ack;
        io.send_packet(to, time, vc, SentPacket { carries, frame, size, crossed: Cells::crossed(1) });
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
            io.reports[vc].keep(frame, segment);
        }
        // One of the two is zero.
        let (carries, size) = (segment.seq + segment.ack, segment.len);
        let complete = start + self.cell_time;
        if let Some(trail) = &mut self.trail {
            trail.push(complete, cells, self.spacing);
        }
        let time = complete + self.leg.lag;
        match self.leg.to {
            Destination::Port { mailbox, entrance } => {
                let cells = Cells::new(0, cells, true);
                io.post(mailbox, Item { time, carries, entrance, frame, size, cells });
            }
            Destination::Host { group, link } => {
                let time = time + self.spacing * u64::from(cells - 1);
                io.deliver(group, Arrived { time, carries, vc, frame, size, link, good: true });
            }
            Destination::Tail { .. } => unreachable!("a tail is behind a packet port"),
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
