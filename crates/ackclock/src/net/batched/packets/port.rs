//! Output ports of packet switches, packet by packet: when each is transmitted is known when it arrives.
//!
//! Ports that one output feeds, and nothing else, advance together: behind a bottleneck there are as many as flows.

use std::sync::Arc;

use crate::ids::{Id, IdVec, VcId};
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::io::{Arrival, Cells, Destination, InputRef, Io, UnderWay};
use crate::net::batched::mailbox_set::MailboxSet;
use crate::net::batched::packet_side::PacketSideTable;
use crate::net::batched::packets::last_hop::LastHopPorts;
use crate::net::batched::packets::port_feedback::{AckWindows, PortRates};
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::batched::process::{Ports, Process};
use crate::net::feedback::PacketRates;
use crate::net::link::AFTER_ALL;
use crate::queue::DropReason;
use crate::queue::packet_fifo::{PacketFifo, Waits};
use crate::record::PortRecord;
use crate::record::trace::{PortTrace, Refused};
use crate::units::{Span, Time};

/// Ports that share a mailbox, or several.
pub(in crate::net::batched) struct PacketPorts {
    mailboxes: MailboxSet<Arrival>,
    ports: Vec<PacketPort>,
    last_hops: LastHopPorts,
    serializers: Serializers,
    /// What they do for rate control of TCP, if they do anything.
    feedback: Option<Box<PortFeedback>>,
    /// Whether one of them is.
    recorded: bool,
    packets: u64,
}

/// What ports do for rate control.
struct PortFeedback {
    windows: AckWindows,
    /// By port, if they give any: their intervals end at the same instants.
    rates: Vec<PortRates>,
}

/// A packet port.
#[derive(Clone)]
pub(in crate::net::batched) struct PacketPort {
    serializer: u32,
    last_time: LastTime,
    vcs: IdVec<VcId, PortVc>,
    /// When the transmission of the last accepted packet is complete.
    free: Time,
    /// The packets that waited when the last one arrived.
    fifo: PacketFifo<Waiting>,
    /// When the transmission of the first of them begins; never if none waits.
    next_start: Time,
    monitor: FifoMonitor,
    trace: Option<Box<PortTrace>>,
    records_transmissions: bool,
}

/// A packet that waits.
#[derive(Clone, Copy, Default)]
struct Waiting {
    /// When its transmission begins.
    start: Time,
    /// Its connection's number at the port.
    vc: VcId,
    bytes: u32,
}

impl Waits for Waiting {
    #[inline(always)]
    fn bytes(&self) -> u32 {
        self.bytes
    }
}

/// One connection at a port.
#[derive(Clone)]
pub(in crate::net::batched) struct PortVc {
    pub(in crate::net::batched) id: VcId,
    pub(in crate::net::batched) name_hash: u64,
    /// The next hop from here: from the completion of a transmission to the arrival.
    pub(in crate::net::batched) lag: Span,
    pub(in crate::net::batched) to: Destination,
}

impl PortFeedback {
    fn interval_end(&self) -> Time {
        self.rates.first().map_or(Time::NEVER, PortRates::interval_end)
    }
}

/// Packets arrive at ports with these rates, if there are any.
fn count_arrivals(rates: &mut [PortRates], packets: &[Arrival]) {
    let count = |rates: &mut PortRates, packet: &Arrival| {
        rates.on_arrival(packet.time, packet.input_ref.at_port, packet.size.into());
    };
    match rates {
        [] => {}
        [rates] => packets.iter().for_each(|packet| count(rates, packet)),
        rates => packets.iter().for_each(|packet| count(&mut rates[packet.input_ref.port as usize], packet)),
    }
}

impl PacketPorts {
    /// Ports that read these mailboxes, and those behind them.
    pub(in crate::net::batched) fn new(
        mailboxes: MailboxSet<Arrival>,
        ports: Vec<PacketPort>,
        last_hops: LastHopPorts,
        serializers: Serializers,
    ) -> PacketPorts {
        let recorded = ports.iter().any(|port| port.trace.is_some());
        PacketPorts { mailboxes, ports, last_hops, serializers, feedback: None, recorded, packets: 0 }
    }

    /// The same with what they do for rate control of TCP. Either all of them give rates, at the same instants, or none.
    pub(in crate::net::batched) fn with_feedback(self, windows: AckWindows, rates: Vec<PortRates>) -> PacketPorts {
        assert!(rates.is_empty() || rates.len() == self.ports.len(), "all of them give rates, or none");
        assert!(rates.windows(2).all(|pair| pair[0].interval_end() == pair[1].interval_end()), "at the same instants");
        let feedback = (!windows.is_empty() || !rates.is_empty()).then(|| Box::new(PortFeedback { windows, rates }));
        PacketPorts { feedback, ..self }
    }

    /// The rates that one of the ports gives, if it does.
    pub(in crate::net::batched) fn rates(&self, port: u32) -> Option<&PacketRates> {
        Some(self.feedback.as_ref()?.rates.get(port as usize)?.rates())
    }

    /// The rates that one of the ports behind them gives, if it does.
    pub(in crate::net::batched) fn last_hop_rates(&self, last_hop: u32) -> Option<&PacketRates> {
        Some(self.last_hops.get(last_hop).0.rates()?.rates())
    }

    /// When they, or ports behind them, give new rates; never if none gives any.
    pub(in crate::net::batched) fn next_rates(&self) -> Time {
        self.interval_end().min(self.last_hops.interval_end())
    }

    /// When the averaging intervals of its ports end; never if they give no rates.
    fn interval_end(&self) -> Time {
        self.feedback.as_ref().map_or(Time::NEVER, |feedback| feedback.interval_end())
    }

    fn on_packets(&mut self, packets: &[Arrival], io: &mut Io) {
        if self.recorded {
            self.take_in::<true>(packets, io);
        } else {
            self.take_in::<false>(packets, io);
        }
    }

    /// Packets arrive before `until`, at ports that do something for rate control. Nothing happens at the end of a run, but an
    /// interval that ends at another instant ends as soon as all before is known: others may wait for the rates.
    #[inline(never)]
    fn on_packets_with_feedback(
        &mut self,
        feedback: &mut PortFeedback,
        packets: &mut [Arrival],
        until: Time,
        io: &mut Io,
    ) {
        let mut rest = packets;
        loop {
            let own_end = feedback.interval_end();
            // Acknowledgements may enter one of these ports that pass the edge of a port behind another of them.
            let end = own_end.min(self.last_hops.interval_end());
            let in_interval = rest.partition_point(|packet| packet.time < end);
            let (packets, others) = rest.split_at_mut(in_interval);
            rest = others;
            feedback.windows.write(packets, io);
            count_arrivals(&mut feedback.rates, packets);
            self.on_packets(packets, io);
            if !io.may_end_interval(end, until) {
                break;
            }
            self.packets += 1;
            self.last_hops.end_intervals(end, io);
            if end < own_end {
                continue;
            }
            for (port, rates) in self.ports.iter_mut().zip(&mut feedback.rates) {
                // At one instant departures come first.
                port.depart_more(end);
                rates.end_interval(port.fifo.bytes(), io);
            }
        }
    }

    fn take_in<const RECORDED: bool>(&mut self, packets: &[Arrival], io: &mut Io) {
        let (last_hops, serializers) = (&mut self.last_hops, &mut self.serializers);
        if let [port] = &mut self.ports[..] {
            return port.on_arrivals::<RECORDED>(packets, last_hops, serializers, io);
        }
        for packets in packets.chunk_by(|one, next| one.input_ref.port == next.input_ref.port) {
            let port = &mut self.ports[packets[0].input_ref.port as usize];
            port.on_arrivals::<RECORDED>(packets, last_hops, serializers, io);
        }
    }

    /// The record at `now` of one of the ports behind them, which these connections cross.
    pub(in crate::net::batched) fn last_hop_record(
        &self,
        last_hop: u32,
        now: Time,
        under_way: &UnderWay,
        crossing: &[VcId],
        name: &str,
        vcs: impl Iterator<Item = Arc<str>>,
    ) -> PortRecord {
        let (last_hop, kind) = self.last_hops.get(last_hop);
        let before = &self.ports[last_hop.behind as usize];
        let accepted = crossing.iter().map(|&vc| (vc, before.accepted(before.number_of(vc))));
        last_hop.record(kind, now, accepted, under_way, name, vcs)
    }
}

impl Process for PacketPorts {
    fn add_under_way(&self, io: &Io, vcs: &mut Vec<VcId>) -> bool {
        // What waits here is on its way from here already.
        let of = |InputRef { port, at_port, .. }: InputRef| self.ports[port as usize].vcs[at_port].id;
        vcs.extend(self.mailboxes.waiting(&io.mailboxes).map(|packet| of(packet.input_ref)));
        true
    }

    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut taken = self.mailboxes.take_before(until, &mut io.mailboxes);
        let packets = taken.items();
        self.packets += packets.len() as u64;
        match self.feedback.take() {
            None => self.on_packets(packets, io),
            Some(mut feedback) => {
                self.on_packets_with_feedback(&mut feedback, packets, until, io);
                self.feedback = Some(feedback);
            }
        }
        self.mailboxes.give_back(taken, &mut io.mailboxes);
        self.last_hops.end_intervals(until, io);
    }

    fn next(&self, io: &Io) -> Time {
        self.mailboxes.earliest(&io.mailboxes).min(self.interval_end()).min(self.last_hops.next_end(io))
    }

    fn events(&self) -> u64 {
        self.packets
    }

    fn take_trace(&mut self, port: u32, now: Time) -> Option<PortTrace> {
        let port = &mut self.ports[port as usize];
        port.trace.as_ref()?;
        port.depart_before(now);
        port.trace.take().map(|trace| *trace)
    }
}

impl Ports for PacketPorts {
    fn record(&self, port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord {
        let port = &self.ports[port as usize];
        let mut monitor = port.monitor.clone();
        // Departures are handled when the next packet arrives.
        let waiting = port.fifo.as_slice();
        let (begun, waiting) = waiting.split_at(waiting.partition_point(|packet| packet.start < now));
        begun.iter().for_each(|packet| monitor.leave(packet.vc));
        monitor.record(now, name, vcs, waiting.iter().map(|packet| (packet.vc, packet.start.as_ps())))
    }

    fn trace(&self, port: u32, now: Time) -> Option<PortTrace> {
        let port = &self.ports[port as usize];
        port.trace.as_ref()?;
        let mut port = port.clone();
        port.depart_before(now);
        port.trace.map(|trace| *trace)
    }
}

impl PacketPort {
    /// An idle port whose packets this serializer serializes.
    pub(in crate::net::batched) fn new(
        serializer: u32,
        max_bytes: u64,
        vcs: IdVec<VcId, PortVc>,
        monitor: FifoMonitor,
        trace: Option<Box<PortTrace>>,
    ) -> PacketPort {
        PacketPort {
            serializer,
            last_time: LastTime::default(),
            vcs,
            free: Time::ZERO,
            fifo: PacketFifo::new(max_bytes),
            next_start: Time::NEVER,
            monitor,
            records_transmissions: trace.as_ref().is_some_and(|trace| trace.wants_transmissions()),
            trace,
        }
    }

    /// Everything before `now` departs: that is handled when the next packet arrives.
    fn depart_before(&mut self, now: Time) {
        while self.next_start < now {
            self.depart::<true>();
        }
    }

    /// Packets arrive, one after the other. Not inlined: there are not enough registers for a caller's values too.
    ///
    /// Mostly several of one connection come in succession: where they go is looked up once.
    #[inline(never)]
    fn on_arrivals<const RECORDED: bool>(
        &mut self,
        packets: &[Arrival],
        last_hops: &mut LastHopPorts,
        serializers: &mut Serializers,
        io: &mut Io,
    ) {
        let mut rest = packets;
        while let Some(first) = rest.first() {
            let at_port = first.input_ref.at_port;
            let PortVc { id: vc, lag, to, .. } = self.vcs[at_port];
            let mut of_this_connection = || {
                let (packet, others) = rest.split_first().filter(|(packet, _)| packet.input_ref.at_port == at_port)?;
                rest = others;
                Some(packet)
            };
            match to {
                Destination::LastHopPort { last_hop, at_port } => {
                    let counts = last_hops.counts(last_hop);
                    let (last_hop, kind) = last_hops.get_mut(last_hop);
                    let (inbox, link) = (&mut io.inboxes[kind.inbox as usize], last_hop.link);
                    while let Some(packet) = of_this_connection() {
                        if let Some(free) = self.accept::<RECORDED>(packet, serializers, &mut io.packet_side) {
                            let time = last_hop.pass(kind, packet, free + lag, at_port, serializers, counts);
                            packet.arrives(inbox.place(), time, vc, link);
                        }
                    }
                }
                Destination::Host { inbox, link } => {
                    let inbox = &mut io.inboxes[inbox as usize];
                    while let Some(packet) = of_this_connection() {
                        if let Some(free) = self.accept::<RECORDED>(packet, serializers, &mut io.packet_side) {
                            packet.arrives(inbox.place(), free + lag, vc, link);
                        }
                    }
                }
                Destination::Port { mailbox, input_ref } => {
                    let mailbox = &mut io.mailboxes[mailbox as usize];
                    while let Some(packet) = of_this_connection() {
                        if let Some(free) = self.accept::<RECORDED>(packet, serializers, &mut io.packet_side) {
                            let &Arrival { seq_or_ack, frame, size, .. } = packet;
                            let cells = Cells::default();
                            mailbox.post(Arrival { time: free + lag, seq_or_ack, input_ref, frame, size, cells });
                        }
                    }
                }
                Destination::RunPort { .. } => unreachable!("packets go to packet ports"),
            }
        }
    }

    /// A packet arrives; returns when its transmission is complete, unless it is refused.
    #[inline(always)]
    fn accept<const RECORDED: bool>(
        &mut self,
        packet: &Arrival,
        serializers: &mut Serializers,
        packet_side: &mut PacketSideTable,
    ) -> Option<Time> {
        let now = packet.time;
        // At one instant departures come first.
        self.depart_up_to::<RECORDED>(now);
        // If the last packet that was accepted is out, nothing waits.
        let start = if self.free <= now {
            self.monitor.arrive(packet.input_ref.at_port, 1);
            if RECORDED && let Some(trace) = &mut self.trace {
                trace.departs(now, Span::ZERO);
            }
            now
        } else {
            // A policy that refuses more than what has no room is driven event by event.
            if !self.fifo.has_room(packet.size, self.monitor.buffer().is_full()) {
                self.refuse(packet, packet_side);
                return None;
            }
            self.enqueue::<RECORDED>(packet);
            // On a slow link more may wait than time can tell.
            self.free.min(AFTER_ALL)
        };
        self.free = start + self.last_time.of(self.serializer, packet.size, serializers);
        if RECORDED
            && self.records_transmissions
            && let Some(trace) = &mut self.trace
        {
            trace.transmits(start, self.free);
        }
        Some(self.free)
    }

    #[cold]
    #[inline(never)]
    fn refuse(&mut self, packet: &Arrival, packet_side: &mut PacketSideTable) {
        let reason = DropReason::Overflow;
        let &Arrival { time, input_ref: InputRef { at_port, .. }, frame, .. } = packet;
        if let Some(trace) = &mut self.trace {
            let (vc, frame) = (at_port.index() as u32, packet_side.number(frame));
            trace.refused(Refused { time, vc, frame, reason });
        }
        packet_side.take(frame);
        self.monitor.arrive(at_port, 1);
        self.monitor.refuse(time, at_port, self.vcs[at_port].name_hash, reason);
    }

    /// A packet waits until the last one before it is out.
    #[inline(always)]
    fn enqueue<const RECORDED: bool>(&mut self, packet: &Arrival) {
        let &Arrival { time: now, input_ref: InputRef { at_port, .. }, size, .. } = packet;
        self.monitor.arrive_and_wait(at_port, now.as_ps(), self.free.as_ps());
        let place = self.fifo.place(size);
        (place.start, place.vc, place.bytes) = (self.free, at_port, size);
        self.next_start = self.next_start.min(self.free);
        if RECORDED && let Some(trace) = &mut self.trace {
            trace.enters(now, at_port.index(), || self.monitor.buffer().queued_of(at_port));
        }
    }

    /// The number here of a connection that crosses the port.
    fn number_of(&self, vc: VcId) -> VcId {
        let index = self.vcs.binary_search_by(|crossing| crossing.id.cmp(&vc));
        VcId::from_index(index.expect("connections are numbered in their order"))
    }

    fn accepted(&self, at_port: VcId) -> u64 {
        self.monitor.accepted_of(at_port)
    }

    /// Transmissions begin that are due at `now`: mostly one, for one packet that arrives.
    #[inline(always)]
    fn depart_up_to<const RECORDED: bool>(&mut self, now: Time) {
        if self.next_start <= now {
            self.depart::<RECORDED>();
            if self.next_start <= now {
                self.depart_more(now);
            }
        }
    }

    #[inline(never)]
    fn depart_more(&mut self, now: Time) {
        while self.next_start <= now {
            self.depart::<true>();
        }
    }

    /// The first of the waiting packets is transmitted.
    #[inline(always)]
    fn depart<const RECORDED: bool>(&mut self) {
        let Some(Waiting { start, vc, .. }) = self.fifo.pop() else { return };
        self.next_start = self.fifo.first().map_or(Time::NEVER, |packet| packet.start);
        self.monitor.leave(vc);
        if RECORDED && let Some(trace) = &mut self.trace {
            trace.leaves(start, vc.index(), || self.monitor.buffer().queued_of(vc));
        }
    }
}
