//! Hosts: the ends of connections and their timers.
//!
//! Hosts do not interact but through the network, so those of one group are handled together, frame by frame as
//! they arrive. At one instant the order within a host is that of the reference: a transmission that ends, arrivals
//! in the order of links, timers in the order of flows.

use super::io::{Arrived, Io};
use super::outlets::{Numbering, Outlets};
use crate::engine::Agenda;
use crate::ids::VcId;
use crate::net::flow::{End, Sink, Source, ack_vc, data_vc, end_of};
use crate::net::recorder::HostTraces;
use crate::tcp::Expired;
use crate::units::{Span, Time};

/// Some of the hosts: all that send data, all that receive it, or, if some do both, all.
pub(super) struct Hosts {
    group: usize,
    numbering: Numbering,
    /// By flow; empty if they belong to another group.
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    outlets: Outlets,
    timers: Agenda,
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
        outlets: Outlets,
    ) -> Hosts {
        let timers = Agenda::new(outlets.len());
        let mut hosts = Hosts { group, numbering, sources, sinks, outlets, timers, done: Time::ZERO, events: 0 };
        for (flow, source) in hosts.sources.iter().enumerate() {
            hosts.timers.set(numbering.of(flow, End::Sender), source.sender.next_deadline().unwrap_or(Time::NEVER));
        }
        hosts
    }

    /// Handles everything before `until`.
    ///
    /// # Panics
    /// If something is left from before the last call: time would go back.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        let next = self.next(io);
        assert!(next >= self.done, "time went back from {} to {next}", self.done);
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

    /// What was recorded here.
    pub(super) fn traces(&self) -> Option<&HostTraces> {
        self.outlets.traces.as_deref()
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

    #[inline]
    fn on_arrival(&mut self, frame: &Arrived, io: &mut Io) {
        let &Arrived { time: now, vc, frame, good, .. } = frame;
        self.events += 1;
        let (flow, end) = end_of(vc);
        if !good {
            io.frames[vc].retire(frame);
            match end {
                End::Receiver => self.sinks[flow].damaged_frames += 1,
                End::Sender => self.sources[flow].damaged_frames += 1,
            }
            return;
        }
        let segment = io.frames[vc].take(frame);
        if let Some(traces) = &mut self.outlets.traces {
            traces.arrives(now, vc, frame, &segment);
        }
        match end {
            End::Receiver => {
                self.sinks[flow].receiver.on_segment(now, segment);
                if let Some(traces) = &mut self.outlets.traces {
                    traces.delivered(now, flow, &self.sinks[flow].receiver);
                }
                self.send_acknowledgement(now, flow, io);
            }
            End::Sender => {
                self.sources[flow].sender.on_segment(now, segment);
                if let Some(traces) = &mut self.outlets.traces {
                    traces.acked(now, flow, &self.sources[flow].sender);
                }
                self.send_data(now, flow, io);
            }
        }
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

    /// Sends what the sender has, and sets its timer.
    #[inline]
    fn send_data(&mut self, now: Time, flow: usize, io: &mut Io) {
        let number = self.numbering.of(flow, End::Sender);
        let sender = &mut self.sources[flow].sender;
        // By reference: a copy of what was just put together would wait for the writes to settle.
        while let Some(segment) = &sender.poll_segment(now) {
            if let Some(traces) = &mut self.outlets.traces {
                traces.sent(now, flow, sender, segment.seq, segment.len);
            }
            self.outlets.send(now, data_vc(flow), number, segment, io);
        }
        if let Some(traces) = &mut self.outlets.traces {
            traces.settled(now, flow, sender);
        }
        self.timers.set(number, sender.next_deadline().unwrap_or(Time::NEVER));
    }

    /// Sends what the receiver has, and sets its timer.
    #[inline]
    fn send_acknowledgement(&mut self, now: Time, flow: usize, io: &mut Io) {
        let number = self.numbering.of(flow, End::Receiver);
        let receiver = &mut self.sinks[flow].receiver;
        if let Some(segment) = &receiver.poll_segment(now) {
            self.outlets.send(now, ack_vc(flow), number, segment, io);
        }
        self.timers.set(number, receiver.next_deadline().unwrap_or(Time::NEVER));
    }
}
