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
use crate::net::packet_port::{Departure, PacketPort, Turn};
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// Such a port.
pub(in crate::net::batched) struct ChangingPort {
    mailbox: usize,
    port: PacketPort<Arrival>,
    vcs: IdVec<VcId, PortVc>,
    /// The acknowledgements into which it writes windows.
    windows: AckWindows,
    /// The edge that uses its rates, if it gives rates.
    edge: Option<usize>,
    kinds: PacketKinds,
    packets: u64,
}

impl ChangingPort {
    /// A port that reads `mailbox`.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        port: PacketPort<Arrival>,
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
    fn on_arrival(&mut self, packet: &mut Arrival, io: &mut Io) {
        self.packets += 1;
        self.windows.write(std::slice::from_mut(packet), io);
        let copy = self.port.duplicates().then(|| Arrival { frame: io.packet_side.copy(packet.frame), ..*packet });
        self.take_in(packet, io);
        if let Some(copy) = copy {
            self.take_in(&copy, io);
        }
    }

    fn take_in(&mut self, packet: &Arrival, io: &mut Io) {
        let vc = &self.vcs[packet.input_ref.at_port];
        let meta = PacketMeta {
            vc: packet.input_ref.at_port,
            vc_name: vc.name_hash,
            frame: io.packet_side.number(packet.frame),
            packet: Packet { bytes: packet.size, kind: self.kinds.of(vc.id) },
            ecn: io.packet_side.ecn(packet.frame),
        };
        let packet_side = &mut io.packet_side;
        let departure = self.port.on_arrival(packet.time, meta, *packet, |lost| {
            packet_side.take(lost.frame);
        });
        self.launch(departure, io);
    }

    fn on_event(&mut self, io: &mut Io) {
        self.packets += 1;
        let packet_side = &mut io.packet_side;
        let forget = |lost: Arrival| {
            packet_side.take(lost.frame);
        };
        let now = self.port.next_event();
        match self.port.on_event(now, forget, |_| false) {
            Some(Turn::Departs(departure)) => self.launch(Some(departure), io),
            Some(Turn::IntervalEnds) => {
                if let (Some(edge), Some(rates)) = (self.edge, self.port.rates()) {
                    io.edges[edge].rates.push(rates.rates());
                }
            }
            Some(Turn::Leaves(..)) => unreachable!("there is no other port"),
            None => {}
        }
    }

    #[inline(always)]
    fn launch(&self, departure: Option<Departure<Arrival>>, io: &mut Io) {
        let Some(Departure { handle, arrives: time, marked, .. }) = departure else { return };
        let Arrival { seq_or_ack, input_ref, frame, size, .. } = handle;
        io.packet_side.mark(frame, marked);
        let vc = &self.vcs[input_ref.at_port];
        io.send_packet(vc.to, time, vc.id, SentPacket { seq_or_ack, frame, size, crossed: Cells::default() });
    }
}

impl Process for ChangingPort {
    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        for packet in mailbox.take_before(until) {
            // At one instant departures come first.
            while self.port.next_event() <= packet.time {
                self.on_event(io);
            }
            self.on_arrival(packet, io);
        }
        while self.port.next_event() < until {
            self.on_event(io);
        }
        // An interval that ends now ends as soon as all before is known: others may wait for the rates. What departs now comes first.
        while let Some(rates) = self.port.rates().filter(|rates| io.may_end_interval(rates.interval_end(), until)) {
            debug_assert!(self.port.next_event() <= rates.interval_end());
            self.on_event(io);
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
