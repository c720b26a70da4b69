//! Hosts: the ends of connections, their timers, and their outputs.
//!
//! Hosts do not interact but through the network, so those of one group are handled together, frame by frame as
//! they arrive. At one instant the order within a host is that of the reference: a transmission that ends, arrivals
//! in the order of links, timers in the order of flows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::VecDeque;
use std::collections::binary_heap::PeekMut;

use super::io::{Arrived, Destination, Io, Item, Leg};
use super::serializer::Serializer;
use crate::engine::Agenda;
use crate::ids::VcId;
use crate::net::flow::{End, Sink, Source, ack_vc, data_vc, end_of};
use crate::net::nic::Nic;
use crate::packet::{Segment, aal5};
use crate::scenario::Technology;
use crate::tcp::Expired;
use crate::units::{Span, Time};

/// Some of the hosts: all that send data, all that receive it, or, if some do both, all.
pub(super) struct Hosts {
    group: usize,
    technology: Technology,
    numbering: Numbering,
    /// By flow; empty if they belong to another group.
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    outlets: Vec<Outlet>,
    timers: Agenda,
    nics: Vec<Nic>,
    /// NICs on which something waits, or did in this batch; and for each NIC whether it is listed.
    backlog: Vec<u32>,
    listed: Vec<bool>,
    /// The first frame of each log that is not empty.
    heads: BinaryHeap<Reverse<(Time, u32)>>,
    events: u64,
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
    /// Of packets on the host's link.
    pub(super) serializer: Option<Box<Serializer>>,
    /// From the completion of a unit to its arrival.
    pub(super) leg: Leg,
    /// What ports without a queue have to count.
    pub(super) trail: Option<Box<Trail>>,
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

impl Hosts {
    /// The group of hosts with these ends of flows and `nics` outputs.
    pub(super) fn new(
        group: usize,
        technology: Technology,
        numbering: Numbering,
        sources: Vec<Source>,
        sinks: Vec<Sink>,
        outlets: Vec<Outlet>,
        nics: usize,
    ) -> Hosts {
        let mut hosts = Hosts {
            group,
            technology,
            numbering,
            timers: Agenda::new(outlets.len()),
            sources,
            sinks,
            outlets,
            nics: (0..nics).map(|_| Nic::default()).collect(),
            backlog: Vec::new(),
            listed: vec![false; nics],
            heads: BinaryHeap::new(),
            events: 0,
        };
        for flow in 0..hosts.sources.len() {
            hosts.schedule(flow, End::Sender);
        }
        hosts
    }

    /// Handles everything before `until`.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        let mut heads = std::mem::take(&mut self.heads);
        let mut ready = std::mem::take(&mut io.ready[self.group]);
        let head = |&log: &u32| io.logs[log as usize].first().map(|frame| Reverse((frame.time, log)));
        heads.extend(ready.iter().filter_map(head));
        loop {
            let arrival = heads.peek().map_or(Time::NEVER, |&Reverse((time, _))| time);
            let (due, end) = self.timers.earliest();
            // At one instant timers come last.
            if arrival <= due {
                if arrival >= until {
                    break;
                }
                let mut head = heads.peek_mut().expect("there is an arrival");
                let log = head.0.1;
                // With a single log, the common case, this only writes the next time.
                let frames = &mut io.logs[log as usize];
                let frame = frames.take();
                match frames.first() {
                    Some(next) => *head = Reverse((next.time, log)),
                    None => {
                        PeekMut::pop(head);
                    }
                }
                self.on_arrival(frame, io);
            } else {
                if due >= until {
                    break;
                }
                self.on_timer(due, end, io);
            }
            self.events += 1;
        }
        // Logs that ran empty and were filled again meanwhile, by hosts of this group, have listed themselves.
        ready.iter().for_each(|&log| io.logs[log as usize].clean());
        ready.clear();
        ready.extend(heads.drain().map(|Reverse((_, log))| log));
        ready.append(&mut io.ready[self.group]);
        io.ready[self.group] = ready;
        self.heads = heads;
        self.work_off(until, io);
    }

    /// Before then nothing happens here, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        let arrival = io.ready[self.group].iter().filter_map(|&log| io.logs[log as usize].first()).map(|f| f.time).min();
        let start = self.backlog.iter().map(|&nic| self.nics[nic as usize].next_start()).min();
        let (due, _) = self.timers.earliest();
        due.min(arrival.unwrap_or(Time::NEVER)).min(start.unwrap_or(Time::NEVER))
    }

    /// Frames and timers handled so far.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// The warm-up ends now.
    pub(super) fn end_warmup(&mut self) {
        self.sinks.iter_mut().for_each(Sink::end_warmup);
    }

    /// The sending ends of all flows, if they are here.
    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The receiving ends of all flows, if they are here.
    pub(super) fn sinks(&self) -> &[Sink] {
        &self.sinks
    }

    /// How many cells of `vc` have reached a place `lag` after they were sent before `now`.
    pub(super) fn passed(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        let (flow, end) = end_of(vc);
        let outlet = &self.outlets[self.numbering.of(flow, end.other())];
        outlet.trail.as_ref().map_or(0, |trail| trail.passed(lag, now, outlet.spacing))
    }

    fn on_arrival(&mut self, frame: Arrived, io: &mut Io) {
        let Arrived { time: now, vc, frame, good } = frame;
        let (flow, end) = end_of(vc);
        let log = &mut io.frames[vc];
        match end {
            End::Receiver if good => {
                self.sinks[flow].receiver.on_segment(now, log.take(frame));
                self.send_acknowledgement(now, flow, io);
            }
            End::Receiver => {
                self.sinks[flow].damaged_frames += 1;
                log.retire(frame);
            }
            End::Sender if good => {
                self.sources[flow].sender.on_segment(now, log.take(frame));
                self.send_data(now, flow, io);
            }
            End::Sender => {
                self.sources[flow].damaged_frames += 1;
                log.retire(frame);
            }
        }
        self.schedule(flow, end);
    }

    fn on_timer(&mut self, now: Time, number: usize, io: &mut Io) {
        let (flow, end) = match self.numbering {
            Numbering::OneEnd if self.sinks.is_empty() => (number, End::Sender),
            Numbering::OneEnd => (number, End::Receiver),
            Numbering::BothEnds if number.is_multiple_of(2) => (number / 2, End::Sender),
            Numbering::BothEnds => (number / 2, End::Receiver),
        };
        match end {
            End::Sender => {
                if self.sources[flow].sender.on_timer(now) == Expired::Retransmission {
                    let nic = self.outlets[number].nic;
                    self.transmit_waiting(nic, now, io);
                    self.sources[flow].discarded_in_host += self.nics[nic as usize].discard(data_vc(flow));
                }
                self.send_data(now, flow, io);
            }
            End::Receiver => {
                self.sinks[flow].receiver.on_timer(now);
                self.send_acknowledgement(now, flow, io);
            }
        }
        self.schedule(flow, end);
    }

    #[inline]
    fn schedule(&mut self, flow: usize, end: End) {
        let deadline = match end {
            End::Sender => self.sources[flow].sender.next_deadline(),
            End::Receiver => self.sinks[flow].receiver.next_deadline(),
        };
        self.timers.set(self.numbering.of(flow, end), deadline.unwrap_or(Time::NEVER));
    }

    #[inline]
    fn send_data(&mut self, now: Time, flow: usize, io: &mut Io) {
        while let Some(segment) = self.sources[flow].sender.poll_segment(now) {
            self.hand_down(now, data_vc(flow), self.numbering.of(flow, End::Sender), segment, io);
        }
    }

    #[inline]
    fn send_acknowledgement(&mut self, now: Time, flow: usize, io: &mut Io) {
        if let Some(segment) = self.sinks[flow].receiver.poll_segment(now) {
            self.hand_down(now, ack_vc(flow), self.numbering.of(flow, End::Receiver), segment, io);
        }
    }

    /// A segment of the end with this number goes out as soon as the host's link is free.
    #[inline(always)]
    fn hand_down(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        if self.nics[self.outlets[number].nic as usize].is_idle(now) {
            self.transmit(now, vc, number, segment, io);
        } else {
            self.queue_up(now, vc, number, segment, io);
        }
    }

    /// The link is busy, or something waits that should have gone before.
    #[inline(never)]
    fn queue_up(&mut self, now: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let nic = self.outlets[number].nic;
        self.transmit_waiting(nic, now, io);
        let state = &mut self.nics[nic as usize];
        if state.is_idle(now) {
            return self.transmit(now, vc, number, segment, io);
        }
        state.push(vc, segment);
        if !std::mem::replace(&mut self.listed[nic as usize], true) {
            self.backlog.push(nic);
        }
    }

    /// The host's link begins what waits, as far as it can by `now`.
    fn transmit_waiting(&mut self, nic: u32, now: Time, io: &mut Io) {
        loop {
            let start = self.nics[nic as usize].next_start();
            if start > now {
                break;
            }
            let Some((vc, segment)) = self.nics[nic as usize].next(start) else { break };
            let (flow, end) = end_of(vc);
            self.transmit(start, vc, self.numbering.of(flow, end.other()), segment, io);
        }
    }

    /// What waits begins before `until`.
    fn work_off(&mut self, until: Time, io: &mut Io) {
        let mut backlog = std::mem::take(&mut self.backlog);
        backlog.retain(|&nic| {
            self.transmit_waiting(nic, Time::from_ps(until.as_ps() - 1), io);
            self.listed[nic as usize] = self.nics[nic as usize].next_start() != Time::NEVER;
            self.listed[nic as usize]
        });
        self.backlog = backlog;
    }

    /// A frame begins at `start`, when the link is free.
    #[inline(always)]
    fn transmit(&mut self, start: Time, vc: VcId, number: usize, segment: Segment, io: &mut Io) {
        let outlet = &mut self.outlets[number];
        let bytes = segment.ip_bytes();
        let (units, size, spacing, first) = match self.technology {
            Technology::Atm { llc } => {
                let cells = aal5::cells(bytes, llc);
                (cells, u32::from(cells), outlet.spacing, outlet.cell_time)
            }
            Technology::Packet { link_header_bytes } => {
                let bytes = bytes + link_header_bytes;
                let serializer = outlet.serializer.as_mut().expect("a packet network serializes packets");
                let time = serializer.time(bytes);
                (1, bytes, time, time)
            }
        };
        self.nics[outlet.nic as usize].occupy(start + spacing * u64::from(units));
        let (flow, destination) = end_of(vc);
        if destination == End::Receiver && self.sources[flow].drops_on_purpose(&segment) {
            return;
        }
        let frame = io.frames[vc].push(segment);
        let complete = start + first;
        if let Some(trail) = &mut outlet.trail {
            trail.push(complete, units, spacing);
        }
        let time = complete + outlet.leg.lag;
        match outlet.leg.to {
            Destination::Port { mailbox, port, input, at_port } => {
                io.post(mailbox, Item { time, port, input, at_port, frame, size, index: 0, eom: true });
            }
            Destination::Host { log } => {
                let time = time + spacing * u64::from(units - 1);
                io.deliver(log, Arrived { time, vc, frame, good: true });
            }
        }
    }
}
