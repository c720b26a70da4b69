//! Packet ports of which it is not known, when a packet arrives, when it will be at the other end of the link: their
//! policy looks at time, or the link changes or corrupts packets. They are driven event by event, as in the reference, up to the
//! horizon: no transmission that begins before it can be changed by what comes after it.

use std::sync::Arc;

use crate::ids::{IdVec, VcId};
use crate::link::Packet;
use crate::net::batched::io::{Arrival, Cells, Io, SentPacket};
use crate::net::batched::packets::port::PortVc;
use crate::net::batched::packets::port_feedback::AckWindows;
use crate::net::batched::process::{Ports, Process};
use crate::net::build::PacketKinds;
use crate::net::feedback::PacketRates;
use crate::net::link::{Link, PacketMeta};
use crate::net::packet_port::{Coming, Departure, PacketOwner, PacketPort, Turn};
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// Such a port.
pub(in crate::net::batched) struct ChangingPort {
    mailbox: usize,
    port: PacketPort<Held>,
    vcs: IdVec<VcId, PortVc>,
    /// The acknowledgements into which it writes windows.
    windows: AckWindows,
    /// The edge that uses its rates, if it gives rates.
    edge: Option<usize>,
    kinds: PacketKinds,
    packets: u64,
}

/// What a packet is known by here; its queue knows the rest.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::net::batched) struct Held {
    /// See [`Arrival`].
    pub(super) seq_or_ack: u64,
    pub(super) frame: u32,
    pub(super) size: u32,
    /// The number of its connection at the port.
    pub(super) vc: VcId,
}

/// What has to do with packets at a port, beside the port.
pub(super) struct Packets<'a> {
    pub(super) vcs: &'a IdVec<VcId, PortVc>,
    pub(super) kinds: &'a PacketKinds,
    pub(super) io: &'a mut Io,
}

impl PacketOwner<Held> for Packets<'_> {
    fn meta(&self, packet: &Held) -> PacketMeta {
        let (vc, side) = (&self.vcs[packet.vc], &self.io.packet_side);
        PacketMeta {
            vc: packet.vc,
            vc_name: vc.name_hash,
            frame: side.number(packet.frame),
            packet: Packet { bytes: packet.size, kind: self.kinds.of(vc.id) },
            ecn: side.ecn(packet.frame),
        }
    }

    fn lose(&mut self, packet: Held) {
        self.io.packet_side.take(packet.frame);
    }
}

impl Packets<'_> {
    /// What the port has to know of a packet that arrives, and what that is known by here.
    #[inline(always)]
    pub(super) fn coming(&self, packet: &Arrival) -> (Coming, Held) {
        let &Arrival { seq_or_ack, input_ref, frame, size, .. } = packet;
        let vc = input_ref.at_port;
        (Coming { vc, bytes: size, ecn: self.io.packet_side.ecn(frame) }, Held { seq_or_ack, frame, size, vc })
    }

    /// A packet is on the link.
    #[inline(always)]
    pub(super) fn launch(&mut self, departure: &Departure<Held>) {
        let &Departure { handle: Held { seq_or_ack, frame, size, vc }, arrives: time, marked, .. } = departure;
        self.io.packet_side.mark(frame, marked);
        let vc = &self.vcs[vc];
        self.io.send_packet(vc.to, time, vc.id, SentPacket { seq_or_ack, frame, size, crossed: Cells::default() });
    }

    #[inline(never)]
    fn launch_at_once(&mut self, departure: &Departure<Held>) {
        self.launch(departure);
    }
}

impl ChangingPort {
    /// A port that reads `mailbox`.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        port: PacketPort<Held>,
        vcs: IdVec<VcId, PortVc>,
        windows: AckWindows,
        edge: Option<usize>,
        kinds: PacketKinds,
    ) -> ChangingPort {
        ChangingPort { mailbox, port, vcs, windows, edge, kinds, packets: 0 }
    }

    /// The rates that it gives, if it does.
    pub(in crate::net::batched) fn rates(&self) -> Option<&PacketRates> {
        self.port.rates()
    }

    /// What happens at the port, and to whom it gives packets.
    fn parts<'a>(&'a mut self, io: &'a mut Io) -> (AtPort<'a>, Packets<'a>) {
        let ChangingPort { port, vcs, windows, edge, kinds, .. } = self;
        (AtPort { port, windows, edge: *edge }, Packets { vcs, kinds, io })
    }
}

/// The port while things happen there.
struct AtPort<'a> {
    port: &'a mut PacketPort<Held>,
    windows: &'a AckWindows,
    edge: Option<usize>,
}

impl AtPort<'_> {
    /// All that happens here before `until`, with these packets, which come. `PLAIN`: [`PacketPort::is_plain`], and no windows are
    /// written. Returns how many events there were.
    fn serve<const PLAIN: bool>(&mut self, coming: &mut [Arrival], until: Time, packets: &mut Packets<'_>) -> u64 {
        let mut events = coming.len() as u64;
        let mut coming = coming.iter_mut();
        let mut next = coming.next();
        loop {
            // At one instant departures come first.
            let arrives = next.as_ref().map_or(Time::NEVER, |packet| packet.time);
            if self.port.next_event() <= arrives {
                if self.port.next_event() >= until {
                    return events;
                }
                events += 1;
                self.on_event::<PLAIN>(packets);
            } else if let Some(packet) = next {
                self.on_arrival::<PLAIN>(packet, packets);
                next = coming.next();
            }
        }
    }

    #[inline(always)]
    fn on_arrival<const PLAIN: bool>(&mut self, packet: &mut Arrival, packets: &mut Packets<'_>) {
        if !PLAIN {
            self.windows.write(std::slice::from_mut(packet), packets.io);
            if self.port.duplicates() {
                return self.take_in_twice(packet, packets);
            }
        }
        self.take_in::<PLAIN>(packet, packets);
    }

    #[inline(never)]
    fn take_in_twice(&mut self, packet: &Arrival, packets: &mut Packets<'_>) {
        let copy = Arrival { frame: packets.io.packet_side.copy(packet.frame), ..*packet };
        self.take_in::<false>(packet, packets);
        self.take_in::<false>(&copy, packets);
    }

    #[inline(always)]
    fn take_in<const PLAIN: bool>(&mut self, packet: &Arrival, packets: &mut Packets<'_>) {
        let (coming, held) = packets.coming(packet);
        if let Some(departure) = self.port.arrives::<PLAIN, _>(packet.time, coming, held, packets) {
            packets.launch_at_once(&departure);
        }
    }

    #[inline(always)]
    fn on_event<const PLAIN: bool>(&mut self, packets: &mut Packets<'_>) {
        match self.port.happens::<PLAIN, _>(self.port.next_event(), packets) {
            Some(Turn::Departs(departure)) => packets.launch(&departure),
            Some(Turn::IntervalEnds) => self.push_rates(packets.io),
            Some(Turn::Leaves(..)) => unreachable!("there is no other port"),
            None => {}
        }
    }

    #[inline(never)]
    fn push_rates(&self, io: &mut Io) {
        if let (Some(edge), Some(rates)) = (self.edge, self.port.rates()) {
            io.edges[edge].rates.push(rates.rates());
        }
    }
}

impl Process for ChangingPort {
    fn add_under_way(&self, io: &Io, vcs: &mut Vec<VcId>) -> bool {
        let coming = io.mailboxes[self.mailbox].waiting().iter().map(|packet| packet.input_ref.at_port);
        let waiting = self.port.all_waiting().map(|packet| packet.vc);
        vcs.extend(coming.chain(waiting).map(|at_port| self.vcs[at_port].id));
        true
    }

    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        let coming = mailbox.take_before(until);
        let (mut at_port, mut packets) = self.parts(io);
        let mut events = match at_port.port.is_plain() && at_port.windows.is_empty() {
            true => at_port.serve::<true>(coming, until, &mut packets),
            false => at_port.serve::<false>(coming, until, &mut packets),
        };
        // An interval that ends now ends as soon as all before is known: others may wait for the rates. What departs now comes first.
        let ends = |at_port: &AtPort<'_>| at_port.port.rates().map(PacketRates::interval_end);
        while let Some(end) = ends(&at_port).filter(|&end| packets.io.may_end_interval(end, until)) {
            debug_assert!(at_port.port.next_event() <= end);
            events += 1;
            at_port.on_event::<false>(&mut packets);
        }
        self.packets += events;
        io.mailboxes[self.mailbox] = mailbox;
    }

    fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest().min(self.port.next_event())
    }

    fn events(&self) -> u64 {
        self.packets
    }

    fn take_trace(&mut self, _port: u32, _now: Time) -> Option<PortTrace> {
        self.port.monitor.trace.take().map(|trace| *trace)
    }
}

impl Ports for ChangingPort {
    fn record(&self, _port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord {
        self.port.monitor.record(now, name, vcs)
    }

    fn trace(&self, _port: u32, _now: Time) -> Option<PortTrace> {
        self.port.monitor.trace.as_deref().cloned()
    }

    fn links(&self) -> Vec<&Link> {
        self.port.link.as_deref().into_iter().collect()
    }
}
