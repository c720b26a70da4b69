//! Hosts: the ends of connections and their timers.
//!
//! Hosts do not interact but through the network, so those of one group are handled together, frame by frame as
//! they arrive. At one instant the order within a host is that of the reference: a transmission that ends, arrivals
//! in the order of links, timers in the order of flows.

use super::io::{Arrived, Io};
use super::outlets::{Numbering, Outlets};
use crate::engine::Agenda;
use crate::ids::VcId;
use crate::net::flow::{self, End, Sink, Source, ack_vc, data_vc, end_of};
use crate::net::link::Link;
use crate::packet::{SackBlock, Segment};
use crate::tcp::Expired;
use crate::traffic::Cbr;
use crate::units::{Span, Time};

/// Some of the hosts: all that send data, all that receive it, or, if some do both, all.
pub(super) struct Hosts {
    group: usize,
    numbering: Numbering,
    /// By flow; empty if they belong to another group.
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    /// Sources of datagrams: their numbers follow those of the flows.
    datagrams: Vec<Cbr>,
    outlets: Outlets,
    timers: Agenda,
    /// Octets of the headers of a packet; none if what arrives was cells.
    packet_headers: Option<u32>,
    /// Everything before has happened.
    done: Time,
    events: u64,
}

impl Hosts {
    /// The group of hosts with these ends of flows and these outputs.
    pub(super) fn new(
        group: usize,
        numbering: Numbering,
        sources: Vec<Source>,
        sinks: Vec<Sink>,
        datagrams: Vec<Cbr>,
        outlets: Outlets,
    ) -> Hosts {
        let timers = Agenda::new(outlets.len());
        let packet_headers = outlets.packet_headers();
        let (done, events) = (Time::ZERO, 0);
        let mut hosts =
            Hosts { group, numbering, sources, sinks, datagrams, outlets, timers, packet_headers, done, events };
        for (flow, source) in hosts.sources.iter().enumerate() {
            hosts.timers.set(numbering.of(flow, End::Sender), source.sender.next_deadline().unwrap_or(Time::NEVER));
        }
        for (source, cbr) in hosts.datagrams.iter().enumerate() {
            hosts.timers.set(numbering.of(hosts.sources.len() + source, End::Sender), cbr.next());
        }
        hosts
    }

    /// Handles everything before `until`.
    ///
    /// # Panics
    /// If something is left from before the last call: time would go back.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        // The inbox asserts the same.
        let own = self.timers.earliest().0.min(self.outlets.next_start());
        assert!(own >= self.done, "time went back from {} to {own}", self.done);
        self.done = until;
        let mut inbox = std::mem::take(&mut io.inboxes[self.group]);
        inbox.settle(until);
        for frame in inbox.take_before(until) {
            // At one instant timers come last.
            self.expire_before(frame.time, io);
            self.on_arrival(frame, io);
        }
        self.expire_before(until, io);
        // What hosts of this group have sent to others of it without a port between them.
        let posted = std::mem::replace(&mut io.inboxes[self.group], inbox);
        posted.waiting().iter().for_each(|&frame| io.inboxes[self.group].post(frame));
        self.outlets.work_off(until, io);
    }

    /// Before then nothing happens here, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        let arrival = io.inboxes[self.group].earliest();
        let (due, _) = self.timers.earliest();
        due.min(arrival).min(self.outlets.next_start())
    }

    /// Frames and timers handled so far.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// The warm-up ends now.
    pub(super) fn end_warmup(&mut self) {
        self.sinks.iter_mut().for_each(Sink::end_warmup);
    }

    /// The sending ends of all flows, if they are here, with how many segments were lost on purpose.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&Source, u64)> {
        self.sources.iter().enumerate().map(|(flow, source)| (source, self.outlets.forced_drops(flow)))
    }

    /// The receiving ends of all flows, if they are here.
    pub(super) fn sinks(&self) -> &[Sink] {
        &self.sinks
    }

    /// The sources of datagrams, if they are here.
    pub(super) fn datagrams(&self) -> &[Cbr] {
        &self.datagrams
    }

    /// The links behind these hosts that change or corrupt packets.
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.outlets.links()
    }

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(super) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        self.outlets.passed(vc, lag, now)
    }

    /// Handles the timers before `until`.
    #[inline]
    fn expire_before(&mut self, until: Time, io: &mut Io) {
        loop {
            let (due, end) = self.timers.earliest();
            if due >= until {
                break;
            }
            self.on_timer(due, end, io);
        }
    }

    #[inline(always)]
    fn on_arrival(&mut self, frame: &Arrived, io: &mut Io) {
        self.events += 1;
        match self.packet_headers {
            Some(headers) => self.on_packet(frame, headers, io),
            None => self.on_frame(frame, io),
        }
    }

    /// A packet with so many octets of headers arrives, which are all but the data.
    #[inline(always)]
    fn on_packet(&mut self, packet: &Arrived, headers: u32, io: &mut Io) {
        let &Arrived { time: now, carries, vc, frame, size, .. } = packet;
        if io.traces.as_ref().is_some_and(|traces| traces.captures()) {
            Hosts::record_packet(packet, headers, io);
        }
        match end_of(vc) {
            (flow, End::Receiver) => {
                if frame != 0 {
                    io.sacks.take(frame);
                }
                self.on_data(now, flow, carries, size - headers, io);
            }
            (flow, End::Sender) => {
                let sack;
                let blocks: &[SackBlock] = if frame == 0 {
                    &[]
                } else {
                    sack = io.sacks.take(frame);
                    sack.as_slice()
                };
                self.on_acknowledgement(now, flow, carries, blocks, io);
            }
        }
    }

    /// A packet arrives at a host that may be captured at.
    #[cold]
    fn record_packet(packet: &Arrived, headers: u32, io: &mut Io) {
        let &Arrived { time: now, carries, vc, frame, size, .. } = packet;
        let segment = match end_of(vc) {
            (_, End::Receiver) => Segment { seq: carries, len: size - headers, ..Segment::default() },
            (_, End::Sender) => Segment { ack: carries, sack: io.sacks.blocks(frame), ..Segment::default() },
        };
        if let Some(traces) = &mut io.traces {
            traces.arrives(now, vc, io.sacks.number(frame), &segment);
        }
    }

    /// A frame that came in cells has arrived, or what is left of it.
    #[inline(never)]
    fn on_frame(&mut self, frame: &Arrived, io: &mut Io) {
        let &Arrived { time: now, vc, frame, good, .. } = frame;
        let (flow, end) = end_of(vc);
        if !good {
            io.frames[vc].retire(frame);
            if let Some(traces) = &mut io.traces {
                traces.damaged(vc, frame);
            }
            match end {
                End::Receiver => self.sinks[flow].damaged_frames += 1,
                End::Sender => self.sources[flow].damaged_frames += 1,
            }
            return;
        }
        let segment = io.frames[vc].take(frame);
        if let Some(traces) = &mut io.traces {
            traces.arrives(now, vc, frame, &segment);
        }
        let Segment { seq, len, ack, sack } = segment;
        match end {
            End::Receiver => self.on_data(now, flow, seq, len, io),
            End::Sender => self.on_acknowledgement(now, flow, ack, sack.as_slice(), io),
        }
    }

    #[inline(always)]
    fn on_data(&mut self, now: Time, flow: usize, seq: u64, len: u32, io: &mut Io) {
        self.sinks[flow].receiver.on_data(now, seq, seq + u64::from(len));
        if let Some(traces) = &mut io.traces {
            traces.delivered(now, flow, &self.sinks[flow].receiver);
        }
        self.send_acknowledgement(now, flow, io);
    }

    #[inline(always)]
    fn on_acknowledgement(&mut self, now: Time, flow: usize, ack: u64, blocks: &[SackBlock], io: &mut Io) {
        self.sources[flow].sender.on_ack(now, ack, blocks);
        if let Some(traces) = &mut io.traces {
            traces.acked(now, flow, &self.sources[flow].sender);
        }
        self.send_data(now, flow, io);
    }

    #[inline(never)]
    fn on_timer(&mut self, now: Time, number: usize, io: &mut Io) {
        self.events += 1;
        let (flow, end) = match self.numbering {
            Numbering::OneEnd if self.sinks.is_empty() => (number, End::Sender),
            Numbering::OneEnd => (number, End::Receiver),
            Numbering::BothEnds if number.is_multiple_of(2) => (number / 2, End::Sender),
            Numbering::BothEnds => (number / 2, End::Receiver),
        };
        match end {
            End::Sender if flow >= self.sources.len() => self.send_datagram(now, flow, number, io),
            End::Sender => {
                let source = &mut self.sources[flow];
                if source.sender.on_timer(now) == Expired::Retransmission {
                    source.discarded_in_host += self.outlets.discard(now, data_vc(flow), number, io);
                }
                self.send_data(now, flow, io);
            }
            End::Receiver => {
                self.sinks[flow].receiver.on_timer(now);
                self.send_acknowledgement(now, flow, io);
            }
        }
    }

    /// Sends the next datagram of a source whose number follows those of the flows.
    fn send_datagram(&mut self, now: Time, flow: usize, number: usize, io: &mut Io) {
        let source = &mut self.datagrams[flow - self.sources.len()];
        let segment = flow::datagram(source.send(), source.payload_bytes());
        self.timers.set(number, source.next());
        self.outlets.send_rare(now, data_vc(flow), number, segment, io);
    }

    /// Sends what the sender has, and sets its timer.
    #[inline(always)]
    fn send_data(&mut self, now: Time, flow: usize, io: &mut Io) {
        let number = self.numbering.of(flow, End::Sender);
        let sender = &mut self.sources[flow].sender;
        while let Some((seq, len)) = sender.poll(now) {
            if let Some(traces) = &mut io.traces {
                traces.sent(now, flow, sender, seq, len);
            }
            let segment = Segment { seq, len, ..Segment::default() };
            self.outlets.send(now, data_vc(flow), number, segment, io);
        }
        if let Some(traces) = &mut io.traces {
            traces.settled(now, flow, sender);
        }
        self.timers.set(number, sender.deadline());
    }

    /// Sends what the receiver has, and sets its timer.
    #[inline(always)]
    fn send_acknowledgement(&mut self, now: Time, flow: usize, io: &mut Io) {
        let number = self.numbering.of(flow, End::Receiver);
        let receiver = &mut self.sinks[flow].receiver;
        if let Some(ack) = receiver.poll(now) {
            if receiver.has_report() {
                let segment = Segment { ack, sack: receiver.report(), ..Segment::default() };
                self.outlets.send_rare(now, ack_vc(flow), number, segment, io);
            } else {
                // Seldom is there more to say, so this is compiled without looking for it.
                let segment = Segment { ack, ..Segment::default() };
                self.outlets.send(now, ack_vc(flow), number, segment, io);
            }
        }
        self.timers.set(number, receiver.next_deadline().unwrap_or(Time::NEVER));
    }
}
