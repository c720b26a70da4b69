//! The uplink of a host, for one end of a connection: a frame, or a packet, begins on the link.

use std::ops::Range;
use std::sync::Arc;

use super::sent_frames::SentFrames;
use crate::ids::{Id, VcId};
use crate::link::{Forwarding, Packet, PacketKind, RoutingTable};
use crate::net::batched::abr::under_way::CellRun;
use crate::net::batched::io::{Arrival, Cells, Delivery, Destination, InputRef, Io, NextHop, SentPacket, What};
use crate::net::batched::packets::routed::port_places::PortPlaces;
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::flow::ForcedDrops;
use crate::net::link::{Intent, Link, PacketMeta, Sending};
use crate::net::nic::Nic;
use crate::packet::{Ecn, Pti, Segment, aal5};
use crate::record::DropReason;
use crate::scenario::Technology;
use crate::units::{Span, Time};

/// How long packets take on the hosts' links.
pub(super) struct Times {
    serializers: Serializers,
    /// The serializer that was asked last, and what it said.
    serializer: u32,
    last: LastTime,
}

impl Times {
    pub(super) fn new(serializers: Serializers) -> Times {
        Times { serializers, serializer: 0, last: LastTime::default() }
    }

    fn of(&mut self, serializer: u32, bytes: u32) -> Span {
        let (last, serializers) = self.last_of(serializer);
        last.of(serializer, bytes, serializers)
    }

    /// What this serializer said last, if it was the one asked last.
    #[inline(always)]
    pub(super) fn last_of(&mut self, serializer: u32) -> (&mut LastTime, &mut Serializers) {
        if self.serializer != serializer {
            (self.serializer, self.last) = (serializer, LastTime::default());
        }
        (&mut self.last, &mut self.serializers)
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
    /// The window that is written into acknowledgements that say none, if they have to say one.
    pub(in crate::net::batched) advertised: Option<u32>,
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
    pub(in crate::net::batched) kind: PacketKind,
    /// If its route changes.
    pub(in crate::net::batched) routed: Option<Box<RoutedUplink>>,
}

/// An uplink of a connection whose route changes.
pub(in crate::net::batched) struct RoutedUplink {
    pub(in crate::net::batched) table: Arc<RoutingTable>,
    /// Where the ports are that it may cross.
    pub(in crate::net::batched) ports: Arc<PortPlaces>,
    /// Where the last packet went on, and when packets arrive that do the same.
    pub(in crate::net::batched) known: Option<(Range<Time>, Destination)>,
}

impl RoutedUplink {
    /// Where a packet of `vc` goes that leaves by `link`, where its transmission begins at `begins`, and arrives at `time`; `host` if it is
    /// there.
    #[inline(always)]
    fn to(
        &mut self,
        host: Destination,
        vc: VcId,
        link: &Link,
        (begins, time): (Time, Time),
    ) -> Result<Destination, DropReason> {
        if let Some((times, to)) = &self.known
            && times.contains(&time)
        {
            return Ok(*to);
        }
        let (times, to) = self.by_table(host, vc, link, (begins, time))?;
        // Those that follow begin later, and before the far end changes if they arrive before.
        self.known = link.state.stable_until(begins).map(|stable| (times.start..times.end.min(stable), to));
        Ok(to)
    }

    /// The same by the routing table, and when packets arrive of which it says the same.
    #[inline(never)]
    fn by_table(
        &self,
        host: Destination,
        at_port: VcId,
        link: &Link,
        (begins, time): (Time, Time),
    ) -> Result<(Range<Time>, Destination), DropReason> {
        let node = link.far_end(begins);
        let to = match self.table.forward(node, time, 1) {
            Forwarding::Arrived => host,
            Forwarding::By(next) => {
                let ((mailbox, port), input) = (self.ports.of(next), link.id.index() as u32);
                Destination::Port { mailbox, input_ref: InputRef { port, input, at_port } }
            }
            Forwarding::Lost(reason) => return Err(reason),
        };
        Ok((self.table.holds(node, time).0, to))
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
            next_hop: NextHop { lag: Span::ZERO, to: Destination::Host { inbox: 0, link: 0 } },
            sent_frames: None,
            forced_drops: None,
            frames: 0,
            changing: None,
            advertised: None,
            direct: false,
        }
    }

    pub(super) fn is_direct_with(&self, technology: Technology) -> bool {
        let special = self.changing.is_some() || self.forced_drops.is_some() || self.advertised.is_some();
        !special
            && matches!(technology, Technology::Packet { .. })
            && matches!(self.next_hop.to, Destination::Port { .. })
    }

    /// The uplink of a route that changes, if nothing else is done with plain segments.
    #[inline(always)]
    pub(super) fn plain_on_path(&self) -> Option<&ChangingUplink> {
        self.changing.as_deref().filter(|_| self.forced_drops.is_none() && self.advertised.is_none())
    }

    /// A frame begins at `start`, when the link is free.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "parts of the uplinks that are not this one's")]
    pub(super) fn transmit(
        &mut self,
        start: Time,
        vc: VcId,
        mut segment: Segment,
        nic: &mut Nic,
        technology: Technology,
        links: &mut [Link],
        times: &mut Times,
        io: &mut Io,
    ) {
        if let Some(window) = self.advertised {
            HostUplink::say_window(&mut segment, window);
        }
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

    /// The segment says a window if it has to. That of a SYN has no scale.
    #[cold]
    #[inline(never)]
    fn say_window(segment: &mut Segment, window: u32) {
        if !segment.kind.opens() {
            segment.window.get_or_insert(window);
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
        let meta = PacketMeta { vc: *at_link, vc_name: *vc_name, frame, packet, ecn: Ecn::NOT_ECT };
        // Mostly nothing but the delay changes.
        let known = if intent == Intent::Send { link.state.transmit_stable(start, start, size) } else { None };
        let Sending { begins, free, arrives } = match known {
            Some((complete, arrives)) => Sending { begins: start, free: complete, arrives: Some(arrives) },
            None => link.send(start, &meta, intent),
        };
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
            Some(routed) => routed.to(self.next_hop.to, vc, link, (begins, time)),
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

    /// A plain segment that begins with byte `seq_or_ack`, or acknowledges those before it, begins on the link of a route that changes:
    /// it need not be in memory if the link is stable, and nothing else is done with it. Returns whether this is so; otherwise nothing
    /// has happened.
    #[inline]
    pub(super) fn transmit_plain_on_path(
        &mut self,
        start: Time,
        vc: VcId,
        (seq_or_ack, size): (u64, u32),
        nic: &mut Nic,
        links: &mut [Link],
        io: &mut Io,
    ) -> bool {
        if self.plain_on_path().is_none() || io.packet_side.numbers_packets() {
            return false;
        }
        let Some(ChangingUplink { link, at_link, vc_name, kind, routed: Some(routed) }) = self.changing.as_deref_mut()
        else {
            return false;
        };
        let link = &mut links[*link as usize];
        let Some((complete, time)) = link.state.transmit_stable(start, start, size) else { return false };
        nic.occupy(complete);
        match routed.to(self.next_hop.to, vc, link, (start, time)) {
            Ok(to) => {
                io.send_packet(to, time, vc, SentPacket { seq_or_ack, frame: 0, size, crossed: Cells::crossed(1) })
            }
            Err(reason) => {
                let packet = Packet { bytes: size, kind: *kind };
                let meta = PacketMeta { vc: *at_link, vc_name: *vc_name, frame: 0, packet, ecn: Ecn::NOT_ECT };
                link.losses.add(start, time, &meta, reason);
            }
        }
        true
    }

    #[inline]
    fn transmit_cells(&mut self, start: Time, vc: VcId, segment: Segment, nic: &mut Nic, llc: bool, io: &mut Io) {
        let cells = aal5::cells(segment.ip_bytes(), llc);
        nic.occupy(start + self.spacing * u64::from(cells));
        if self.is_watched(io) && self.begin(start, vc, self.frames, segment, io) == Intent::Lose {
            return;
        }
        if !segment.is_plain() {
            io.frame_side[vc].keep(self.frames, segment);
        }
        // One of the two is zero.
        self.post_frame(start, vc, segment.seq + segment.ack, segment.len, cells, io);
    }

    /// The same of a plain segment that begins with byte `seq_or_ack`, or acknowledges those before it, when nothing is watched: it
    /// need not be in memory. Its headers have so many octets.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "what a segment is made of")]
    pub(super) fn transmit_plain_cells(
        &mut self,
        start: Time,
        vc: VcId,
        seq_or_ack: u64,
        len: u32,
        headers: u16,
        nic: &mut Nic,
        llc: bool,
        io: &mut Io,
    ) {
        let cells = aal5::cells(len + u32::from(headers), llc);
        nic.occupy(start + self.spacing * u64::from(cells));
        self.post_frame(start, vc, seq_or_ack, len, cells, io);
    }

    /// So many cells begin at `start`: a frame with `size` octets of data.
    #[inline(always)]
    fn post_frame(&mut self, start: Time, vc: VcId, seq_or_ack: u64, size: u32, cells: u16, io: &mut Io) {
        let frame = self.frames;
        self.frames = frame.wrapping_add(1);
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
            Destination::Host { inbox, link } => {
                let time = time + self.spacing * u64::from(cells - 1);
                io.deliver(inbox, Delivery { time, seq_or_ack, vc, frame, size, link, what: What::WholeFrame });
            }
            Destination::RunPort { mailbox, input_ref } => {
                let (spacing, count, eom, pti) = (self.spacing, cells, true, Pti::data(false));
                let run = CellRun { time, spacing, seq_or_ack, size, input_ref, frame, first: 0, count, eom, pti };
                io.abr.runs[mailbox as usize].push(run);
            }
            Destination::LastHopPort { .. } => unreachable!("a last-hop port is behind a packet port"),
        }
    }

    /// Whether more than usual is to be done when a frame begins.
    #[inline(always)]
    pub(super) fn is_watched(&self, io: &Io) -> bool {
        self.forced_drops.is_some() || io.watched.packets
    }

    /// A frame with this number begins where some are lost on purpose, or each is recorded.
    #[inline(never)]
    pub(super) fn begin(&mut self, start: Time, vc: VcId, frame: u32, segment: Segment, io: &mut Io) -> Intent {
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
