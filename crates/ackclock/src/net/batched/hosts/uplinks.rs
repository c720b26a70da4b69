//! The uplinks of hosts: frames one after the other on each host's link.

mod backlog;
mod fast_uplink;
mod scheduled;
mod scheduling;
mod sent_frames;
mod uplink;

pub(in crate::net::batched) use scheduled::{ScheduledLink, ScheduledVc};
pub(in crate::net::batched) use sent_frames::SentFrames;
use uplink::Times;
pub(in crate::net::batched) use uplink::{ChangingUplink, HostUplink, RoutedUplink};

use crate::ids::VcId;
use crate::net::batched::io::Io;
use crate::net::batched::packets::serializer::Serializers;
use crate::net::flow::{End, ForcedDrops, end_of};
use crate::net::link::Link;
use crate::net::nic::{Nic, NicQueue};
use crate::packet::Segment;
use crate::scenario::Technology;
use crate::units::{Span, Time};

/// The outputs of a group of hosts.
pub(in crate::net::batched) struct HostUplinks {
    technology: Technology,
    /// Octets that each link adds to a packet.
    link_header_bytes: u32,
    /// Whether all plain segments go on routes that change.
    are_routed: bool,
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
    /// By NIC, those of hosts that send cell by cell; none at all without ABR connections.
    scheduled: Vec<Option<Box<ScheduledLink>>>,
    /// When the next cells of these begin, between two batches.
    next_scheduled: Time,
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
        let is_routed = |uplink: &HostUplink| uplink.plain_on_path().is_some_and(|path| path.routed.is_some());
        // The time of the longest packet on a link is known for no more octets.
        let are_routed = link_header_bytes <= u32::from(u16::MAX) && uplinks.iter().all(is_routed);
        HostUplinks {
            technology,
            link_header_bytes,
            are_routed,
            numbering,
            uplinks,
            nics: (0..nics).map(|_| Nic::default()).collect(),
            links,
            times: Times::new(serializers),
            backlog: Vec::new(),
            listed: vec![false; nics],
            spare: Vec::new(),
            scheduled: Vec::new(),
            next_scheduled: Time::NEVER,
        }
    }

    /// Octets that each link adds to a packet; none if there are no packets.
    pub(in crate::net::batched) fn link_header(&self) -> Option<u32> {
        match self.technology {
            Technology::Atm { .. } => None,
            Technology::Packet { link_header_bytes } => Some(link_header_bytes),
        }
    }

    /// Whether all plain segments go on routes that change.
    pub(in crate::net::batched) fn are_routed(&self) -> bool {
        self.are_routed
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
            && let Some(mut fast_uplink) = self.fast_uplink::<false>(number, (now, now), &mut io.mailboxes)
            && fast_uplink.is_free(now)
        {
            return fast_uplink.send(now, seq + ack, len + u32::from(headers));
        }
        let uplink = &mut self.uplinks[number];
        let nic = &mut self.nics[uplink.nic as usize];
        match self.technology {
            Technology::Atm { llc } => {
                if nic.is_idle(now) && !uplink.is_watched(io) {
                    return uplink.transmit_plain_cells(now, vc, seq + ack, len, headers, nic, llc, io);
                }
            }
            Technology::Packet { link_header_bytes } => {
                let packet = (seq + ack, len + u32::from(headers) + link_header_bytes);
                if nic.is_idle(now) && uplink.transmit_plain_on_path(now, vc, packet, nic, &mut self.links, io) {
                    return;
                }
            }
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

    /// Sends a segment of any kind.
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

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(in crate::net::batched) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        let (flow, end) = end_of(vc);
        let uplink = &self.uplinks[self.numbering.of(flow, end.other())];
        uplink.sent_frames.as_ref().map_or(0, |sent_frames| sent_frames.passed(lag, now))
    }

    /// Drops what is known of each end, where packets are sent: no port asks what has passed.
    pub(in crate::net::batched) fn drop_packets(&mut self) {
        if let Technology::Packet { .. } = self.technology {
            self.uplinks = Vec::new();
        }
    }

    /// The links that change or corrupt packets.
    pub(in crate::net::batched) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter()
    }

    /// How many segments of `flow` were lost on purpose.
    pub(in crate::net::batched) fn forced_drops(&self, flow: usize) -> u64 {
        ForcedDrops::count(&self.uplinks[self.numbering.of(flow, End::Sender)].forced_drops)
    }
}
