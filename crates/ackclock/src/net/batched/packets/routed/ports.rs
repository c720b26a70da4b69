//! Packet ports that routes which change may cross, in processes: where a packet goes is known when its transmission begins,
//! but that may be any of them, and at once if it takes another port of the same node.
//!
//! They are driven event by event, by the state machine of the reference (`net/packet_port.rs`), and in its order: at one
//! instant ports whose turn it is, then arrivals, both in the order of links. What goes from one port of a process to another
//! stays here. A port that nothing comes to costs nothing.

use std::sync::Arc;

use super::edges::{Onward, RoutedEdges};
use super::fused::{FusedPort, FusedPorts};
use super::packets::{Handle, MayLeave, Packets, VcRoute};
use super::port::{Exit, PortTable, RoutedPort};
use super::port_places::PortPlaces;
use crate::engine::EventTree;
use crate::ids::{Id, LinkId, VcId};
use crate::link::Forwarding;
use crate::net::batched::io::{Arrival, Cells, Delivery, Destination, InputRef, Io, LostBehindHost, SentPacket, What};
use crate::net::batched::process::{Ports, Process};
use crate::net::build::PacketKinds;
use crate::net::feedback::PacketRates;
use crate::net::link::Link;
use crate::net::packet_port::{Coming, Departure, Turn};
use crate::record::trace::PortTrace;
use crate::record::{DropReason, PortRecord};
use crate::units::Time;

/// Such ports.
pub(in crate::net::batched) struct RoutedPorts {
    mailbox: usize,
    /// In the order of their links.
    ports: PortTable,
    /// Ports of others that are fused with one of these for a while.
    fused: FusedPorts,
    places: Arc<PortPlaces>,
    /// When each port has its turn, then, when the next packet arrives by each of their links, and then, when each edge releases an
    /// acknowledgement.
    event_tree: EventTree,
    /// The routers that change acknowledgements, if there are some.
    edges: Option<Box<RoutedEdges>>,
    kinds: PacketKinds,
    packets: u64,
    /// Besides, those at fused ports.
    fused_packets: u64,
}

impl RoutedPorts {
    /// Ports in the order of their links, which read `mailbox`. What is put there names
    /// connections by their numbers in the scenario.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        ports: Vec<RoutedPort>,
        places: Arc<PortPlaces>,
        kinds: PacketKinds,
    ) -> RoutedPorts {
        let event_tree = EventTree::new(2 * ports.len());
        let (ports, fused) = (PortTable::new(ports), FusedPorts::default());
        RoutedPorts { mailbox, ports, fused, places, event_tree, edges: None, kinds, packets: 0, fused_packets: 0 }
    }

    /// With these routers, if they are of this process: all ports of the network are then.
    pub(in crate::net::batched) fn with_edges(mut self, edges: Option<RoutedEdges>) -> RoutedPorts {
        if let Some(edges) = edges {
            self.event_tree = EventTree::new(2 * self.ports.len() + edges.len());
            for (number, port) in self.ports.iter().enumerate() {
                self.event_tree.set(number, port.port.next_event());
            }
            self.edges = Some(Box::new(edges));
        }
        self
    }

    /// One of them that is not fused with others.
    pub(in crate::net::batched) fn port(&self, number: u32) -> &RoutedPort {
        &self.ports[number as usize]
    }

    /// All that are not.
    pub(in crate::net::batched) fn all(&self) -> impl Iterator<Item = &RoutedPort> {
        self.ports.iter()
    }

    /// What is on the links between these ports waits in the mailbox from now on.
    pub(in crate::net::batched) fn post_under_way(&mut self, io: &mut Io) {
        let count = self.ports.len();
        for number in 0..count {
            let RoutedPort { link, under_way, .. } = &mut self.ports[number];
            if under_way.is_empty() {
                continue;
            }
            for (time, port, Handle { vc, seq_or_ack, frame, size, crossed, .. }) in under_way.drain(..) {
                let input_ref = InputRef { port, input: link.index() as u32, at_port: vc };
                let cells = Cells::crossed(crossed);
                io.post(self.mailbox as u32, Arrival { time, seq_or_ack, input_ref, frame, size, cells });
            }
            self.event_tree.set(count + number, Time::NEVER);
        }
    }

    /// Takes a port out, at which nothing waits, to be fused with ports of another process; and what is under way to it.
    pub(in crate::net::batched) fn take_out(
        &mut self,
        number: u32,
        io: &mut Io,
    ) -> (Box<RoutedPort>, Vec<(Time, Handle)>) {
        let arrivals = io.mailboxes[self.mailbox].remove(|arrival| arrival.input_ref.port == number);
        let packet = |&Arrival { time, seq_or_ack, input_ref, frame, size, cells }: &Arrival| {
            let crossed = cells.first() as u8;
            (time, Handle { vc: input_ref.at_port, number: 0, seq_or_ack, frame, size, crossed })
        };
        let mut port = self.ports.take(number as usize);
        port.forget_exits();
        (port, arrivals.iter().map(packet).collect())
    }

    /// Ports of others are fused with these. `under_way` has what is on its way to each of them, by their numbers; what comes to a port comes after all that is
    /// beyond it, so the last ones come first.
    pub(in crate::net::batched) fn fuse(
        &mut self,
        fused: FusedPorts,
        under_way: Vec<Vec<(Time, Handle)>>,
        io: &mut Io,
    ) {
        self.fused = fused;
        self.ports.iter_mut().for_each(RoutedPort::forget_exits);
        for (number, packets) in (0..).zip(under_way).collect::<Vec<(u32, _)>>().into_iter().rev() {
            for (time, packet) in packets {
                self.fused_packets += self.fused.follow(number, time, packet, (&self.places, &self.kinds), io);
            }
        }
    }

    /// How many packets have crossed fused ports, each counted at each port.
    pub(in crate::net::batched) fn fused_packets(&self) -> u64 {
        self.fused_packets
    }

    /// Whether something has come that the fused ports could not take.
    pub(in crate::net::batched) fn are_blocked(&self) -> bool {
        self.fused.are_blocked()
    }

    /// Gives the fused ports back.
    pub(in crate::net::batched) fn separate(&mut self) -> Vec<FusedPort> {
        let mut ports = self.fused.take();
        self.ports.iter_mut().for_each(RoutedPort::forget_exits);
        ports.iter_mut().for_each(|fused| fused.port.forget_exits());
        ports
    }

    /// Puts a port back that was fused with ports of another process.
    pub(in crate::net::batched) fn put_back(&mut self, number: u32, port: Box<RoutedPort>) {
        self.ports.put(number as usize, port);
    }

    /// The rates that one of the ports gives to TCP flows, if it does.
    pub(in crate::net::batched) fn rates(&self, port: u32) -> Option<&PacketRates> {
        self.ports[port as usize].port.rates()
    }

    /// Whether something is due before what arrives from elsewhere.
    fn comes_before(&self, arrival: &Arrival) -> bool {
        let (time, source) = self.event_tree.earliest();
        let is_first = match source.checked_sub(self.ports.len()) {
            None => true,
            // Acknowledgements leave buckets after all that arrives.
            Some(port) => port < self.ports.len() && self.ports[port].link.index() < arrival.input_ref.input as usize,
        };
        time < arrival.time || time == arrival.time && is_first
    }

    /// What is due next happens.
    #[inline]
    fn on_event<const EDGES: bool>(&mut self, io: &mut Io) {
        let (now, source) = self.event_tree.earliest();
        match source.checked_sub(self.ports.len()) {
            None => self.on_turn::<EDGES>(now, source, io),
            Some(edge) if EDGES && edge >= self.ports.len() => self.on_release(now, edge - self.ports.len(), io),
            Some(from) => {
                let under_way = &mut self.ports[from].under_way;
                let (_, port, packet) = under_way.pop_front().expect("a link with an event has something under way");
                let next = under_way.front().map_or(Time::NEVER, |&(time, ..)| time);
                self.event_tree.set(source, next);
                self.arrive::<EDGES>(now, self.ports[from].link, port as usize, packet, io);
            }
        }
    }

    /// A packet arrives by a link at a node, on its way to a port there.
    #[inline(always)]
    fn arrive<const EDGES: bool>(&mut self, now: Time, from: LinkId, number: usize, packet: Handle, io: &mut Io) {
        if EDGES && let Some(edges) = &self.edges {
            let RoutedPort { link, node, .. } = self.ports[number];
            if let Some(place) = edges.place(packet.vc, node, link) {
                let onward = edges.on_ack(place, packet.at_edge(now, from), link, io);
                return self.leave_edge(now, place.edge, onward, io);
            }
        }
        self.on_arrival::<EDGES>(now, number, packet, io);
    }

    /// An acknowledgement leaves a bucket.
    #[inline(never)]
    fn on_release(&mut self, now: Time, edge: usize, io: &mut Io) {
        let edges = self.edges.as_ref().expect("a bucket is one of an edge");
        let onward = edges.on_release(now, edge, io);
        self.leave_edge(now, edge, onward, io);
    }

    /// An acknowledgement goes on from an edge, if one does.
    #[inline(never)]
    fn leave_edge(&mut self, now: Time, edge: usize, onward: Option<Onward>, io: &mut Io) {
        if let Some(Onward { ack, to }) = onward {
            let packet = Handle::from_edge(&ack);
            match to {
                Forwarding::By(link) => self.on_arrival::<true>(now, self.places.of(link).1 as usize, packet, io),
                Forwarding::Lost(reason) => {
                    self.lose_at_edge(now, LinkId::from_index(ack.input_ref.input as usize), &packet, reason, io)
                }
                Forwarding::Arrived => unreachable!("no acknowledgement ends at a router"),
            }
        }
        self.event_tree.set(2 * self.ports.len() + edge, io.edges[edge].edge.next_release());
    }

    /// An acknowledgement that came by link `from` has no route from its router.
    fn lose_at_edge(&mut self, now: Time, from: LinkId, packet: &Handle, reason: DropReason, io: &mut Io) {
        match self.ports.number(from) {
            Some(number) => {
                let number_there = self.ports[number].number_of(packet.vc);
                self.lose(number, (now, now), &Handle { number: number_there, ..*packet }, reason, io);
            }
            None => {
                let frame = io.packet_side.number(packet.frame);
                io.lost_behind_hosts.push(LostBehindHost { link: from, time: now, vc: packet.vc, frame, reason });
                io.packet_side.take(packet.frame);
            }
        }
    }

    #[inline(never)]
    fn on_arrival<const EDGES: bool>(&mut self, now: Time, number: usize, mut packet: Handle, io: &mut Io) {
        self.packets += 1;
        let port = &mut self.ports[number];
        if EDGES && let Some(edges) = &mut self.edges {
            edges.on_packet(packet.vc, port.node, port.link);
        }
        packet.number = port.number_of(packet.vc);
        if let Some((begins, arrives)) = port.port.pass(now, packet.vc_here(), packet.size) {
            if let Some(next) = port.known_fused(&packet, arrives) {
                packet.crossed += 1;
                self.fused_packets += self.fused.follow(next, arrives, packet, (&self.places, &self.kinds), io);
                return;
            }
            return self.launch(number, now, Departure { handle: packet, begins, arrives, marked: false }, io);
        }
        self.take_in(now, number, packet, io);
    }

    /// A packet arrives that may have to wait, or may be lost.
    #[inline(never)]
    fn take_in(&mut self, now: Time, number: usize, packet: Handle, io: &mut Io) {
        let copies = self.ports[number].port.duplicates();
        let copy = copies.then(|| Handle { frame: io.packet_side.copy(packet.frame), ..packet });
        for packet in [Some(packet), copy].into_iter().flatten() {
            let RoutedPort { port, vcs, .. } = &mut self.ports[number];
            let ecn = io.packet_side.ecn(packet.frame);
            let coming = Coming { vc: packet.vc_here(), bytes: packet.size, ecn };
            let mut owner = Packets { vcs, side: &mut io.packet_side, kinds: &self.kinds };
            let departure = port.on_arrival(now, coming, packet, &mut owner);
            self.event_tree.set(number, port.next_event());
            if let Some(departure) = departure {
                self.launch(number, now, departure, io);
            }
        }
    }

    fn on_turn<const EDGES: bool>(&mut self, now: Time, number: usize, io: &mut Io) {
        self.packets += 1;
        let RoutedPort { link, node, port, vcs, routes, .. } = &mut self.ports[number];
        let elsewhere = |packet: &Handle| {
            let VcRoute::Dynamic(route) = vcs[packet.number as usize].route else { return None };
            routes[route as usize].table.other_than(*link, *node, now)
        };
        let packets = Packets { vcs, side: &mut io.packet_side, kinds: &self.kinds };
        let mut owner = MayLeave { packets, can_leave: |packet: &Handle| elsewhere(packet).is_some() };
        let turn = port.on_event(now, &mut owner);
        let other = match turn {
            Some(Turn::Leaves(ref packet, _)) => elsewhere(packet),
            _ => None,
        };
        self.event_tree.set(number, port.next_event());
        match turn {
            Some(Turn::IntervalEnds) => self.take_rates(now, number, io),
            Some(Turn::Departs(departure)) => self.launch(number, now, departure, io),
            Some(Turn::Leaves(packet, marked)) => {
                io.packet_side.mark(packet.frame, marked);
                // All ports of a node at which that can be are in one process.
                let (_, other) = self.places.of(other.expect("it can go elsewhere"));
                self.on_arrival::<EDGES>(now, other as usize, packet, io);
            }
            None => {}
        }
    }

    /// An averaging interval of a port has ended.
    fn take_rates(&mut self, now: Time, number: usize, io: &mut Io) {
        let RoutedPort { link, port, .. } = &self.ports[number];
        if let (Some(edges), Some(rates)) = (&self.edges, port.rates())
            && let Some(edge) = edges.take_rates(now, *link, rates.rates(), io)
        {
            self.event_tree.set(2 * self.ports.len() + edge, io.edges[edge].edge.next_release());
        }
    }

    /// It is known of a packet when it is on the link of a port, now or later.
    #[inline(always)]
    fn launch(&mut self, number: usize, now: Time, departure: Departure<Handle>, io: &mut Io) {
        let Departure { handle: packet, arrives: time, marked, .. } = departure;
        io.packet_side.mark(packet.frame, marked);
        let port = &self.ports[number];
        let Handle { vc, number: at_port, seq_or_ack, frame, size, crossed } = packet;
        let input = port.link.index() as u32;
        match port.vcs[at_port as usize].route {
            VcRoute::Fixed(Destination::Port { mailbox, input_ref: InputRef { port: next, .. } })
                if mailbox as usize == self.mailbox =>
            {
                self.send_on(number, time, next, packet);
            }
            VcRoute::Fixed(to) => {
                io.send_packet(to, time, vc, SentPacket { seq_or_ack, frame, size, crossed: Cells::default() })
            }
            VcRoute::Dynamic(_) => match self.exit(number, &departure) {
                Ok(Exit::Fused(next)) => {
                    let packet = Handle { crossed: crossed + 1, ..packet };
                    self.fused_packets += self.fused.follow(next, time, packet, (&self.places, &self.kinds), io);
                }
                Ok(Exit::Within(next)) => self.send_on(number, time, next, Handle { crossed: crossed + 1, ..packet }),
                Ok(Exit::Port { mailbox, port }) => {
                    let (input_ref, cells) = (InputRef { port, input, at_port: vc }, Cells::crossed(crossed + 1));
                    io.post(mailbox, Arrival { time, seq_or_ack, input_ref, frame, size, cells });
                }
                Ok(Exit::Host(group)) => {
                    io.deliver(
                        group,
                        Delivery { time, seq_or_ack, vc, frame, size, link: input, what: What::WholeFrame },
                    );
                }
                Err(reason) => self.lose(number, (now, time), &packet, reason, io),
            },
        }
    }

    /// Where a packet goes that is on the link of a port and on a route that changes.
    #[inline(always)]
    fn exit(&mut self, number: usize, departure: &Departure<Handle>) -> Result<Exit, DropReason> {
        let &Departure { handle: packet, begins, arrives, .. } = departure;
        let (fused, places, own) = (&self.fused, &self.places, self.mailbox);
        let place = |next: LinkId| match (fused.number(next), places.of(next)) {
            (Some(number), _) => Exit::Fused(number),
            (None, (mailbox, port)) if mailbox as usize == own => Exit::Within(port),
            (None, (mailbox, port)) => Exit::Port { mailbox, port },
        };
        self.ports[number].exit(&packet, (begins, arrives), place)
    }

    /// A packet on the link of a port goes to another one; it may overtake others.
    #[inline]
    fn send_on(&mut self, number: usize, time: Time, to: u32, packet: Handle) {
        let under_way = &mut self.ports[number].under_way;
        if under_way.back().is_some_and(|&(before, ..)| before <= time) {
            return under_way.push_back((time, to, packet));
        }
        let place = under_way.partition_point(|&(before, ..)| before <= time);
        under_way.insert(place, (time, to, packet));
        if place == 0 {
            self.event_tree.set(self.ports.len() + number, time);
        }
    }

    /// A packet of which is known now when it is transmitted will be lost when it arrives.
    fn lose(&mut self, number: usize, (now, time): (Time, Time), packet: &Handle, reason: DropReason, io: &mut Io) {
        self.ports[number].lose((now, time), packet, reason, &mut io.packet_side, &self.kinds);
    }

    /// Handles everything before `until`, with routers that change acknowledgements or without.
    fn advance_with<const EDGES: bool>(&mut self, until: Time, io: &mut Io) {
        // Nothing is posted here meanwhile.
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        for arrival in mailbox.take_before(until).iter() {
            // At one instant turns come first, and arrivals in the order of links.
            while self.comes_before(arrival) {
                self.on_event::<EDGES>(io);
            }
            let &Arrival { time, seq_or_ack, input_ref, frame, size, cells } = arrival;
            let InputRef { port, input, at_port: vc } = input_ref;
            let packet = Handle { vc, number: 0, seq_or_ack, frame, size, crossed: cells.first() as u8 };
            self.arrive::<EDGES>(time, LinkId::from_index(input as usize), port as usize, packet, io);
        }
        io.mailboxes[self.mailbox] = mailbox;
        while self.event_tree.earliest().0 < until {
            self.on_event::<EDGES>(io);
        }
    }
}

impl Process for RoutedPorts {
    fn add_under_way(&self, io: &Io, vcs: &mut Vec<VcId>) -> bool {
        vcs.extend(io.mailboxes[self.mailbox].waiting().iter().map(|packet| packet.input_ref.at_port));
        self.ports.iter().for_each(|port| port.add_under_way(vcs));
        // In buckets; all of them are of this process, if it has edges.
        if self.edges.is_some() {
            let waiting = io.edges.iter().flat_map(|edge| edge.edge.waiting());
            vcs.extend(waiting.map(|ack| ack.input_ref.at_port));
        }
        true
    }

    fn advance(&mut self, until: Time, io: &mut Io) {
        if self.edges.is_none() { self.advance_with::<false>(until, io) } else { self.advance_with::<true>(until, io) }
    }

    fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest().min(self.event_tree.earliest().0)
    }

    fn events(&self) -> u64 {
        self.packets + self.fused_packets
    }

    fn take_trace(&mut self, port: u32, _now: Time) -> Option<PortTrace> {
        self.ports[port as usize].port.monitor.trace.take().map(|trace| *trace)
    }
}

impl Ports for RoutedPorts {
    fn record(&self, port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord {
        self.ports[port as usize].port.record(now, name, vcs)
    }

    fn trace(&self, port: u32, _now: Time) -> Option<PortTrace> {
        self.ports[port as usize].port.monitor.trace.as_deref().cloned()
    }

    fn links(&self) -> Vec<&Link> {
        self.ports.iter().filter_map(|port| port.port.link.as_deref()).collect()
    }
}
