//! Packet ports of which it is not known, when a packet arrives, when it will be at the other end of the link: their
//! policy looks at time, or the link changes or corrupts packets. They are driven event by event, as in the reference, up to the
//! horizon: no transmission that begins before it can be changed by what comes after it.

use std::sync::Arc;

use crate::ids::{IdVec, VcId};
use crate::link::Packet;
use crate::net::batched::io::{Arrival, Cells, Io, SentPacket};
use crate::net::batched::packet_side::PacketSideTable;
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

/// What has to do with packets at the port, beside the port.
pub(super) struct Packets<'a> {
    pub(super) vcs: &'a IdVec<VcId, PortVc>,
    pub(super) side: &'a mut PacketSideTable,
    pub(super) kinds: &'a PacketKinds,
}

impl PacketOwner<Held> for Packets<'_> {
    fn meta(&self, packet: &Held) -> PacketMeta {
        let vc = &self.vcs[packet.vc];
        PacketMeta {
            vc: packet.vc,
            vc_name: vc.name_hash,
            frame: self.side.number(packet.frame),
            packet: Packet { bytes: packet.size, kind: self.kinds.of(vc.id) },
            ecn: self.side.ecn(packet.frame),
        }
    }

    fn lose(&mut self, packet: Held) {
        self.side.take(packet.frame);
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

    #[inline(always)]
    fn on_arrival<const PLAIN: bool>(&mut self, packet: &mut Arrival, io: &mut Io) {
        self.packets += 1;
        self.windows.write(std::slice::from_mut(packet), io);
        if !PLAIN && self.port.duplicates() {
            self.take_in_twice(packet, io);
        } else {
            self.take_in::<PLAIN>(packet, io);
        }
    }

    #[inline(never)]
    fn take_in_twice(&mut self, packet: &Arrival, io: &mut Io) {
        let copy = Arrival { frame: io.packet_side.copy(packet.frame), ..*packet };
        self.take_in::<false>(packet, io);
        self.take_in::<false>(&copy, io);
    }

    #[inline(always)]
    fn take_in<const PLAIN: bool>(&mut self, packet: &Arrival, io: &mut Io) {
        let &Arrival { time, seq_or_ack, input_ref, frame, size, .. } = packet;
        let vc = input_ref.at_port;
        let coming = Coming { vc, bytes: size, ecn: io.packet_side.ecn(frame) };
        let mut owner = Packets { vcs: &self.vcs, side: &mut io.packet_side, kinds: &self.kinds };
        let held = Held { seq_or_ack, frame, size, vc };
        let departure = self.port.arrives::<PLAIN, _>(time, coming, held, &mut owner);
        if let Some(departure) = departure {
            self.launch_at_once(&departure, io);
        }
    }

    #[inline(never)]
    fn launch_at_once(&self, departure: &Departure<Held>, io: &mut Io) {
        self.launch(departure, io);
    }

    #[inline(always)]
    fn on_event<const PLAIN: bool>(&mut self, io: &mut Io) {
        self.packets += 1;
        let mut owner = Packets { vcs: &self.vcs, side: &mut io.packet_side, kinds: &self.kinds };
        match self.port.happens::<PLAIN, _>(self.port.next_event(), &mut owner) {
            Some(Turn::Departs(departure)) => self.launch(&departure, io),
            Some(Turn::IntervalEnds) => self.push_rates(io),
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

    #[inline(always)]
    fn launch(&self, departure: &Departure<Held>, io: &mut Io) {
        let &Departure { handle: Held { seq_or_ack, frame, size, vc }, arrives: time, marked, .. } = departure;
        io.packet_side.mark(frame, marked);
        let vc = &self.vcs[vc];
        io.send_packet(vc.to, time, vc.id, SentPacket { seq_or_ack, frame, size, crossed: Cells::default() });
    }

    /// An averaging interval ends, if nothing departs before.
    #[inline(never)]
    fn end_interval(&mut self, io: &mut Io) {
        self.on_event::<false>(io);
    }

    /// All that happens here before `until`, with these packets, which come. `PLAIN`: [`PacketPort::is_plain`].
    fn serve<const PLAIN: bool>(&mut self, coming: &mut [Arrival], until: Time, io: &mut Io) {
        let mut coming = coming.iter_mut();
        let mut next = coming.next();
        loop {
            // At one instant departures come first.
            let arrives = next.as_ref().map_or(Time::NEVER, |packet| packet.time);
            if self.port.next_event() <= arrives {
                if self.port.next_event() >= until {
                    return;
                }
                self.on_event::<PLAIN>(io);
            } else if let Some(packet) = next {
                self.on_arrival::<PLAIN>(packet, io);
                next = coming.next();
            }
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
        match self.port.is_plain() {
            true => self.serve::<true>(coming, until, io),
            false => self.serve::<false>(coming, until, io),
        }
        // An interval that ends now ends as soon as all before is known: others may wait for the rates. What departs now comes first.
        while let Some(rates) = self.port.rates().filter(|rates| io.may_end_interval(rates.interval_end(), until)) {
            debug_assert!(self.port.next_event() <= rates.interval_end());
            self.end_interval(io);
        }
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
