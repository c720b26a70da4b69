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
use crate::packet::{IP_HEADER_BYTES, Segment, TCP_HEADER_BYTES};
use crate::tcp::{Expired, Receiver, Sender};
use crate::traffic::Cbr;
use crate::units::{Span, Time};

/// Some of the hosts: all that send data, all that receive it, or, if some do both, all.
pub(super) struct Hosts {
    group: usize,
    /// By flow; empty if they belong to another group.
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    /// Sources of datagrams: their numbers follow those of the flows.
    datagrams: Vec<Cbr>,
    exits: Exits,
    /// Octets that each link adds to a packet; none if what arrives was cells.
    link_header: Option<u32>,
    /// Everything before has happened.
    done: Time,
    events: u64,
}

/// How the ends of flows get at what they share: their timers, and the ways out.
struct Exits {
    numbering: Numbering,
    outlets: Outlets,
    timers: Agenda,
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
        let link_header = outlets.link_header();
        let mut exits = Exits { numbering, outlets, timers };
        for (flow, source) in sources.iter().enumerate() {
            exits.timers.set(numbering.of(flow, End::Sender), source.sender.deadline());
        }
        for (source, cbr) in datagrams.iter().enumerate() {
            exits.timers.set(numbering.of(sources.len() + source, End::Sender), cbr.next());
        }
        Hosts { group, sources, sinks, datagrams, exits, link_header, done: Time::ZERO, events: 0 }
    }

    /// Handles everything before `until`.
    ///
    /// # Panics
    /// If something is left from before the last call: time would go back.
    #[inline(never)]
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        // The inbox asserts the same.
        let own = self.exits.timers.next().min(self.exits.outlets.next_start());
        assert!(own >= self.done, "time went back from {} to {own}", self.done);
        self.done = until;
        let mut inbox = std::mem::take(&mut io.inboxes[self.group]);
        inbox.settle(until);
        let frames = inbox.take_before(until);
        self.events += frames.len() as u64;
        for frame in frames {
            // At one instant timers come last.
            self.expire_before(frame.time, io);
            self.on_arrival(frame, io);
        }
        self.expire_before(until, io);
        // What hosts of this group have sent to others of it without a port between them.
        let posted = std::mem::replace(&mut io.inboxes[self.group], inbox);
        posted.waiting().iter().for_each(|&frame| io.inboxes[self.group].post(frame));
        self.exits.outlets.work_off(until, io);
    }

    /// Before then nothing happens here, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        let arrival = io.inboxes[self.group].earliest();
        self.exits.timers.next().min(arrival).min(self.exits.outlets.next_start())
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
        self.sources.iter().enumerate().map(|(flow, source)| (source, self.exits.outlets.forced_drops(flow)))
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
        self.exits.outlets.links()
    }

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(super) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        self.exits.outlets.passed(vc, lag, now)
    }

    /// Handles the timers before `until`.
    #[inline]
    fn expire_before(&mut self, until: Time, io: &mut Io) {
        while self.exits.timers.next() < until {
            let (due, end) = self.exits.timers.earliest();
            self.on_timer(due, end, io);
        }
    }

    #[inline(always)]
    fn on_arrival(&mut self, frame: &Arrived, io: &mut Io) {
        match self.link_header {
            Some(link_header) => self.on_packet(frame, link_header, io),
            None => self.on_frame(frame, io),
        }
    }

    /// A packet arrives, of which so many octets are the link's.
    #[inline(always)]
    fn on_packet(&mut self, packet: &Arrived, link_header: u32, io: &mut Io) {
        let &Arrived { time: now, carries, vc, frame, size, .. } = packet;
        if frame != 0 {
            return self.on_rare_packet(packet, io);
        }
        match end_of(vc) {
            (flow, End::Receiver) => {
                let receiver = &mut self.sinks[flow].receiver;
                let headers = link_header + receiver.header_bytes();
                receiver.on_data(now, carries, carries + u64::from(size - headers));
                self.exits.answer(now, flow, receiver, io);
            }
            (flow, End::Sender) => {
                let sender = &mut self.sources[flow].sender;
                sender.on_ack(now, carries, &[]);
                self.exits.go_on(now, flow, sender, io);
            }
        }
    }

    /// A packet arrives that is not plain, or that is numbered because something is recorded.
    #[inline(never)]
    fn on_rare_packet(&mut self, packet: &Arrived, io: &mut Io) {
        let &Arrived { time: now, vc, frame, .. } = packet;
        let Some(segment) = io.sacks.segment(frame) else { unreachable!("a packet with a key has a segment") };
        let number = io.sacks.number(frame);
        if let Some(traces) = io.captures() {
            traces.arrives(now, vc, number, &segment);
        }
        io.sacks.take(frame);
        let (flow, end) = end_of(vc);
        self.on_segment(now, flow, end, &segment, io);
    }

    /// A segment arrives at one end of a flow.
    #[inline(always)]
    fn on_segment(&mut self, now: Time, flow: usize, end: End, segment: &Segment, io: &mut Io) {
        match end {
            End::Receiver => {
                let receiver = &mut self.sinks[flow].receiver;
                receiver.on_segment(now, *segment);
                self.exits.answer(now, flow, receiver, io);
            }
            End::Sender => {
                let sender = &mut self.sources[flow].sender;
                sender.on_segment(now, *segment);
                self.exits.go_on(now, flow, sender, io);
            }
        }
    }

    /// A frame that came in cells has arrived, or what is left of it.
    #[inline(never)]
    fn on_frame(&mut self, frame: &Arrived, io: &mut Io) {
        let &Arrived { time: now, carries, vc, frame, size, good, .. } = frame;
        let (flow, end) = end_of(vc);
        if !good {
            io.reports[vc].take(frame);
            if let Some(traces) = io.captures() {
                traces.damaged(vc, frame);
            }
            match end {
                End::Receiver => self.sinks[flow].damaged_frames += 1,
                End::Sender => self.sources[flow].damaged_frames += 1,
            }
            return;
        }
        if let Some(segment) = io.reports[vc].take(frame) {
            if let Some(traces) = io.captures() {
                traces.arrives(now, vc, frame, &segment);
            }
            return self.on_segment(now, flow, end, &segment, io);
        }
        match end {
            End::Receiver => {
                let receiver = &mut self.sinks[flow].receiver;
                if let Some(traces) = io.captures() {
                    let headers = receiver.header_bytes() as u16;
                    let segment = Segment { seq: carries, len: size, headers, ..Segment::default() };
                    traces.arrives(now, vc, frame, &segment);
                }
                receiver.on_data(now, carries, carries + u64::from(size));
                self.exits.answer(now, flow, receiver, io);
            }
            End::Sender => {
                if let Some(traces) = io.captures() {
                    traces.arrives(now, vc, frame, &Segment { ack: carries, ..Segment::default() });
                }
                let sender = &mut self.sources[flow].sender;
                sender.on_ack(now, carries, &[]);
                self.exits.go_on(now, flow, sender, io);
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
        match end {
            End::Sender if flow >= self.sources.len() => self.send_datagram(now, flow, number, io),
            End::Sender => {
                let source = &mut self.sources[flow];
                if source.sender.on_timer(now) == Expired::Retransmission {
                    source.discarded_in_host += self.exits.outlets.discard(now, data_vc(flow), number, io);
                }
                self.exits.send_data(now, flow, &mut source.sender, io);
            }
            End::Receiver => {
                let receiver = &mut self.sinks[flow].receiver;
                receiver.on_timer(now);
                self.exits.send_acknowledgement(now, flow, receiver, io);
            }
        }
    }

    /// Sends the next datagram of a source whose number follows those of the flows.
    fn send_datagram(&mut self, now: Time, flow: usize, number: usize, io: &mut Io) {
        let source = &mut self.datagrams[flow - self.sources.len()];
        let segment = flow::datagram(source.send(), source.payload_bytes());
        self.exits.timers.set(number, source.next());
        self.exits.outlets.send_rare(now, data_vc(flow), number, segment, io);
    }
}

impl Exits {
    /// The receiver of a flow has taken a segment.
    #[inline(always)]
    fn answer(&mut self, now: Time, flow: usize, receiver: &mut Receiver, io: &mut Io) {
        if let Some(traces) = io.traces.as_mut().filter(|_| io.watched.deliveries) {
            traces.delivered(now, flow, receiver);
        }
        self.send_acknowledgement(now, flow, receiver, io);
    }

    /// The sender of a flow has taken an acknowledgement.
    #[inline(always)]
    fn go_on(&mut self, now: Time, flow: usize, sender: &mut Sender, io: &mut Io) {
        if let Some(traces) = io.traces.as_mut().filter(|_| io.watched.segments) {
            traces.acked(now, flow, sender);
        }
        self.send_data(now, flow, sender, io);
    }

    /// Sends what the sender has, and sets its timer.
    #[inline(always)]
    fn send_data(&mut self, now: Time, flow: usize, sender: &mut Sender, io: &mut Io) {
        let number = self.numbering.of(flow, End::Sender);
        while let Some((seq, len)) = sender.poll(now) {
            if let Some(traces) = io.traces.as_mut().filter(|_| io.watched.segments) {
                traces.sent(now, flow, sender, seq, len);
            }
            if sender.is_plain() {
                self.outlets.send_plain(now, data_vc(flow), number, (seq, 0), len, sender.header_bytes(), io);
            } else {
                self.outlets.send_rare(now, data_vc(flow), number, sender.segment(now, seq, len), io);
            }
        }
        if let Some(traces) = io.traces.as_mut().filter(|_| io.watched.windows) {
            traces.settled(now, flow, sender);
        }
        self.timers.set(number, sender.deadline());
    }

    /// Sends what the receiver has, and sets its timer.
    #[inline(always)]
    fn send_acknowledgement(&mut self, now: Time, flow: usize, receiver: &mut Receiver, io: &mut Io) {
        let number = self.numbering.of(flow, End::Receiver);
        if let Some(ack) = receiver.poll(now) {
            if receiver.has_report() {
                let segment = receiver.report(now, ack);
                self.outlets.send_rare(now, ack_vc(flow), number, segment, io);
            } else {
                let headers = (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16;
                self.outlets.send_plain(now, ack_vc(flow), number, (0, ack), 0, headers, io);
            }
        }
        self.timers.set(number, receiver.deadline());
    }
}
