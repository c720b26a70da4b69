//! Hosts: the ends of connections and their timers.
//!
//! Hosts do not interact but through the network, so those of one group are handled together, frame by frame as
//! they arrive. At one instant the order within a host is that of the reference: a transmission that ends, arrivals
//! in the order of links, timers in the order of flows.

mod exits;
mod records;
mod steering;
mod two_way;
pub(super) mod udp;
pub(super) mod uplinks;

use exits::Exits;

use crate::engine::EventTree;
use crate::ids::VcId;
use crate::net::batched::hosts::uplinks::{HostUplinks, Numbering};
use crate::net::batched::io::{Delivery, Io, What};
use crate::net::batched::mailbox_set::MailboxSet;
use crate::net::batched::packet_side::PacketKey;
use crate::net::batched::process::Process;
use crate::net::ends::Ends;
use crate::net::flow::{Arrivals, End, Sink, Source, data_vc, end_of};
use crate::net::two_way::{Happening, TwoWay};
use crate::packet::{IP_HEADER_BYTES, Segment, SegmentKind, TCP_HEADER_BYTES};
use crate::tcp::Expired;
use crate::traffic::Cbr;
use crate::units::Time;

/// Some of the hosts: all that send data, all that receive it, or, if some do both, all.
pub(in crate::net::batched) struct Hosts {
    inboxes: MailboxSet<Delivery>,
    /// By flow; empty if they belong to another group.
    sources: Ends<Source>,
    sinks: Ends<Sink>,
    /// Sources of datagrams: their numbers follow those of the flows.
    udp: Vec<Cbr>,
    /// What arrived of the datagrams that are sent back, by source of any kind; empty if there are none, or if they arrive elsewhere.
    echoed: Vec<Arrivals>,
    two_way: TwoWay,
    exits: Exits,
    /// Octets that each link adds to a packet; none if what arrives was cells.
    link_header: Option<u32>,
    /// Everything before has happened.
    clock: Time,
    events: u64,
}

impl Hosts {
    /// The group of hosts with these inboxes, ends of flows and outputs.
    pub(in crate::net::batched) fn new(
        inboxes: MailboxSet<Delivery>,
        numbering: Numbering,
        sources: Ends<Source>,
        sinks: Ends<Sink>,
        udp: Vec<Cbr>,
        echoed: Vec<Arrivals>,
        uplinks: HostUplinks,
    ) -> Hosts {
        let timers = EventTree::new(uplinks.len());
        let link_header = uplinks.link_header();
        let mut exits = Exits { numbering, uplinks, timers };
        for flow in 0..sources.len() {
            exits.timers.set(numbering.of(flow, End::Sender), sources.deadline(flow));
        }
        for (source, cbr) in udp.iter().enumerate() {
            exits.timers.set(numbering.of(sources.len() + source, End::Sender), cbr.next());
        }
        Hosts {
            inboxes,
            sources,
            sinks,
            udp,
            echoed,
            two_way: TwoWay::default(),
            exits,
            link_header,
            clock: Time::ZERO,
            events: 0,
        }
    }

    /// Handles the timers before `until`.
    #[inline]
    fn expire_before(&mut self, until: Time, io: &mut Io) {
        while self.exits.timers.next() < until {
            let (due, end) = self.exits.timers.earliest();
            self.on_timer(due, end, io);
        }
    }

    /// Packets arrive, of which so many octets are the link's. Here and below, whether anything is `RECORDED` is decided once
    /// for a whole batch; `true` is always right.
    #[inline(never)]
    fn on_packets<const RECORDED: bool, const ROUTED: bool>(
        &mut self,
        packets: &[Delivery],
        link_header: u32,
        io: &mut Io,
    ) {
        let mut rest = packets;
        while let Some((packet, others)) = rest.split_first() {
            let after = self.on_ordinary_packets::<RECORDED, ROUTED>(packet.vc, rest, link_header, io);
            if after.len() < rest.len() {
                rest = after;
                continue;
            }
            // At one instant timers come last.
            self.expire_before(packet.time, io);
            self.on_packet(packet, link_header, io);
            rest = others;
        }
    }

    /// The first of the packets that arrive are of connection `vc`. As long as they are, and have nothing special, they are
    /// handled here, with everything looked up once; returns those that are left.
    #[inline(always)]
    fn on_ordinary_packets<'a, const RECORDED: bool, const ROUTED: bool>(
        &mut self,
        vc: VcId,
        packets: &'a [Delivery],
        link_header: u32,
        io: &mut Io,
    ) -> &'a [Delivery] {
        let (flow, end) = end_of(vc);
        if RECORDED && io.packet_side.numbers_packets() {
            return packets;
        }
        let Exits { numbering, uplinks, timers } = &mut self.exits;
        let (mut rest, number) = (packets, numbering.of(flow, end));
        let times = if ROUTED { (packets[0].time, self.clock) } else { (Time::ZERO, Time::ZERO) };
        let fast = uplinks.fast_uplink::<ROUTED>(number, times, &mut io.mailboxes);
        let Some(mut fast) = fast else { return packets };
        match end {
            End::Receiver => {
                let Some(Sink { receiver, .. }) = self.sinks.get_mut(flow) else { return packets };
                let headers = link_header + receiver.header_bytes();
                while let Some((&Delivery { time: now, seq_or_ack, size, .. }, others)) =
                    next_ordinary(rest, vc, timers.next())
                {
                    debug_assert!(size >= headers, "a segment without a payload is not plain");
                    let end = seq_or_ack + u64::from(size - headers);
                    let start = fast.start(now);
                    if start >= self.clock {
                        break;
                    }
                    let Some(ack) = receiver.answer_fast(now, seq_or_ack, end) else { break };
                    if RECORDED && let Some(traces) = io.traces.as_mut().filter(|_| io.watched.deliveries) {
                        traces.delivered(now, flow, receiver);
                    }
                    debug_assert_eq!(receiver.deadline(), Time::NEVER, "nothing is left to be done later");
                    fast.send(start, ack, IP_HEADER_BYTES + TCP_HEADER_BYTES);
                    rest = others;
                }
            }
            // With such records every segment is handled one by one.
            End::Sender if RECORDED && (io.watched.segments || io.watched.states) => {}
            End::Sender => {
                let Some(Source { sender, .. }) = self.sources.get_mut(flow) else { return packets };
                let traces = if RECORDED { io.traces.as_mut() } else { None };
                let mut trace = traces.and_then(|traces| traces.of_windows(flow));
                while let Some((&Delivery { time: now, seq_or_ack, frame, .. }, others)) =
                    next_ordinary(rest, vc, timers.next())
                {
                    rest = others;
                    if let Some(window) = PacketKey(frame).window() {
                        sender.on_window(now, seq_or_ack, window);
                    }
                    if !sender.on_ack(now, seq_or_ack) {
                        self.exits.go_on::<RECORDED>(now, flow, sender, io);
                        break;
                    }
                    let has_more = loop {
                        let Some((seq, len)) = sender.next_fast(now) else { break false };
                        // What certainly goes later in this batch need not wait for it.
                        let start = fast.start(now);
                        if start > now && (start >= self.clock || start > sender.keeps_waiting_until(now)) {
                            break true;
                        }
                        let len = sender.send_fast(now, seq, len);
                        fast.send(start, seq, len + u32::from(sender.header_bytes()));
                    };
                    if has_more {
                        // Several at once: the others wait.
                        self.exits.send_data::<RECORDED>(now, flow, sender, io);
                        break;
                    }
                    if RECORDED && let Some(trace) = &mut trace {
                        trace.window(now, sender.window().cwnd);
                    }
                    timers.set(number, sender.deadline());
                }
            }
        }
        rest
    }

    /// Frames arrive that came in cells.
    #[inline(never)]
    fn on_frames<const RECORDED: bool>(&mut self, frames: &[Delivery], io: &mut Io) {
        for frame in frames {
            self.expire_before(frame.time, io);
            self.on_frame::<RECORDED>(frame, io);
        }
    }

    /// A packet arrives, of which so many octets are the link's.
    #[inline(never)]
    fn on_packet(&mut self, packet: &Delivery, link_header: u32, io: &mut Io) {
        let &Delivery { time: now, seq_or_ack, vc, frame, size, .. } = packet;
        if !PacketKey(frame).is_plain_or_window() {
            return self.on_rare_packet(packet, io);
        }
        match end_of(vc) {
            (flow, End::Receiver) => {
                let receiver = &mut self.sinks.at(flow).receiver;
                let headers = link_header + receiver.header_bytes();
                receiver.on_data(now, seq_or_ack, seq_or_ack + u64::from(size - headers));
                self.exits.answer::<true>(now, flow, receiver, io);
            }
            (flow, End::Sender) => {
                let sender = &mut self.sources.at(flow).sender;
                if let Some(window) = PacketKey(frame).window() {
                    sender.on_window(now, seq_or_ack, window);
                }
                sender.on_ack(now, seq_or_ack);
                self.exits.go_on::<true>(now, flow, sender, io);
            }
        }
    }

    /// A packet arrives that is not plain, or that is numbered because something is recorded.
    #[inline(never)]
    fn on_rare_packet(&mut self, packet: &Delivery, io: &mut Io) {
        let &Delivery { time: now, vc, frame, .. } = packet;
        let number = io.packet_side.number(frame);
        let Some(segment) = io.packet_side.take(frame) else { unreachable!("a packet with a key has a segment") };
        if let Some(traces) = io.packet_traces() {
            traces.arrives(now, vc, number, &segment);
        }
        let (flow, end) = end_of(vc);
        self.on_segment(now, flow, end, &segment, io);
    }

    #[inline(always)]
    fn on_segment(&mut self, now: Time, flow: usize, end: End, segment: &Segment, io: &mut Io) {
        if segment.unfilled.is_some()
            && let Some(place) = self.two_way.end_at(flow, end)
        {
            return self.at_end_of_two(now, place, Happening::Arrives(*segment), io);
        }
        if segment.kind == SegmentKind::Echo {
            return self.on_datagram(now, flow, end, segment, io);
        }
        match end {
            End::Receiver => {
                let receiver = &mut self.sinks.at(flow).receiver;
                receiver.on_segment(now, *segment);
                self.exits.answer::<true>(now, flow, receiver, io);
            }
            End::Sender => {
                let sender = &mut self.sources.at(flow).sender;
                sender.on_segment(now, *segment);
                self.exits.go_on::<true>(now, flow, sender, io);
            }
        }
    }

    /// A frame that came in cells has arrived, or what is left of it.
    #[inline(always)]
    fn on_frame<const RECORDED: bool>(&mut self, frame: &Delivery, io: &mut Io) {
        let &Delivery { time: now, seq_or_ack, vc, frame, size, what, .. } = frame;
        let (flow, end) = end_of(vc);
        if what != What::WholeFrame {
            if what == What::RmCell {
                return self.exits.on_rm_cell(now, flow, end, frame, io);
            }
            io.frame_side[vc].take(frame);
            if RECORDED && let Some(traces) = io.packet_traces() {
                traces.damaged(vc, frame);
            }
            match end {
                _ if self.is_udp(flow) => io.lost_datagrams.ended(vc, frame, false),
                End::Receiver => self.sinks.at(flow).damaged_frames += 1,
                End::Sender => self.sources.at(flow).damaged_frames += 1,
            }
            return;
        }
        if let Some(segment) = io.frame_side[vc].take(frame) {
            if RECORDED && let Some(traces) = io.packet_traces() {
                traces.arrives(now, vc, frame, &segment);
            }
            io.lost_datagrams.ended(vc, frame, true);
            return self.on_segment(now, flow, end, &segment, io);
        }
        match end {
            End::Receiver => {
                let receiver = &mut self.sinks.at(flow).receiver;
                if RECORDED && let Some(traces) = io.packet_traces() {
                    let headers = receiver.header_bytes() as u16;
                    let segment = Segment { seq: seq_or_ack, len: size, headers, ..Segment::default() };
                    traces.arrives(now, vc, frame, &segment);
                }
                let end = seq_or_ack + u64::from(size);
                self.exits.take_data::<RECORDED>(now, flow, receiver, (seq_or_ack, end), io);
            }
            End::Sender => {
                if RECORDED && let Some(traces) = io.packet_traces() {
                    traces.arrives(now, vc, frame, &Segment { ack: seq_or_ack, ..Segment::default() });
                }
                let sender = &mut self.sources.at(flow).sender;
                sender.on_ack(now, seq_or_ack);
                self.exits.go_on::<RECORDED>(now, flow, sender, io);
            }
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, now: Time, number: usize, io: &mut Io) {
        self.events += 1;
        let (flow, end) = match self.exits.numbering {
            Numbering::OneEnd if self.sinks.is_empty() => (number, End::Sender),
            Numbering::OneEnd => (number, End::Receiver),
            Numbering::BothEnds if number.is_multiple_of(2) => (number / 2, End::Sender),
            Numbering::BothEnds => (number / 2, End::Receiver),
        };
        if let Some(place) = self.two_way.end_at(flow, end) {
            let timer = if end == End::Sender { Happening::SenderTimer } else { Happening::ReceiverTimer };
            return self.at_end_of_two(now, place, timer, io);
        }
        match end {
            End::Sender if flow >= self.sources.len() => self.send_udp(now, flow, number, io),
            End::Sender => {
                let source = self.sources.at(flow);
                if source.sender.on_timer(now) == Expired::Retransmission {
                    source.discarded_in_host += self.exits.uplinks.discard(now, data_vc(flow), number, io);
                    if let Some(traces) = io.packet_traces() {
                        traces.taken_back(flow);
                    }
                }
                self.exits.send_data::<true>(now, flow, &mut source.sender, io);
            }
            End::Receiver => {
                let receiver = &mut self.sinks.at(flow).receiver;
                receiver.on_timer(now);
                self.exits.send_acknowledgement(now, flow, receiver, io);
            }
        }
    }
}

/// The first of the packets, and the others, if it is one of `vc` with nothing special that arrives at `until` or before.
#[inline(always)]
fn next_ordinary(packets: &[Delivery], vc: VcId, until: Time) -> Option<(&Delivery, &[Delivery])> {
    let is_ordinary =
        |packet: &Delivery| packet.vc == vc && PacketKey(packet.frame).is_plain_or_window() && packet.time <= until;
    packets.split_first().filter(|(packet, _)| is_ordinary(packet))
}

impl Process for Hosts {
    fn add_under_way(&self, io: &Io, vcs: &mut Vec<VcId>) -> bool {
        vcs.extend(self.inboxes.waiting(&io.inboxes).map(|frame| frame.vc));
        self.exits.uplinks.add_waiting(vcs)
    }

    /// # Panics
    /// If something is left from before the last call: time would go back.
    #[inline(never)]
    fn advance(&mut self, until: Time, io: &mut Io) {
        // The inbox asserts the same.
        let own = self.exits.timers.next().min(self.exits.uplinks.next_start());
        assert!(own >= self.clock, "time went back from {} to {own}", self.clock);
        let batch = until.since(std::mem::replace(&mut self.clock, until));
        let mut taken = self.inboxes.take_before(until, &mut io.inboxes);
        let frames = taken.items();
        self.events += frames.len() as u64;
        let recorded = io.traces.is_some() || io.packet_side.numbers_packets();
        match (self.link_header, recorded) {
            (Some(link_header), false) if self.exits.uplinks.are_routed() => {
                self.on_packets::<false, true>(frames, link_header, io)
            }
            (Some(link_header), false) => self.on_packets::<false, false>(frames, link_header, io),
            (Some(link_header), true) => self.on_packets::<true, false>(frames, link_header, io),
            (None, false) => self.on_frames::<false>(frames, io),
            (None, true) => self.on_frames::<true>(frames, io),
        }
        self.expire_before(until, io);
        // Hosts of this group may have sent to others of it without a port between them.
        self.inboxes.give_back(taken, &mut io.inboxes);
        self.exits.uplinks.work_off(until, batch, io);
    }

    fn next(&self, io: &Io) -> Time {
        let arrival = self.inboxes.earliest(&io.inboxes);
        self.exits.timers.next().min(arrival).min(self.exits.uplinks.next_start())
    }

    fn events(&self) -> u64 {
        self.events
    }
}
