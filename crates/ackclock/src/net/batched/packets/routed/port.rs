//! A packet port that routes which change may cross, and where its packets go on.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use super::packets::{Handle, Packets, RoutedVc, VcRoute};
use crate::ids::{Id, LinkId, NodeId, VcId};
use crate::link::{Forwarding, RoutingTable};
use crate::net::batched::packet_side::PacketSideTable;
use crate::net::build::PacketKinds;
use crate::net::packet_port::{PacketOwner, PacketPort};
use crate::record::DropReason;
use crate::units::Time;

/// An output port of a packet switch with the connections that may cross it, of which the routes change.
pub(in crate::net::batched) struct RoutedPort {
    pub(in crate::net::batched) link: LinkId,
    /// The switch whose output it is.
    pub(in crate::net::batched) node: NodeId,
    pub(in crate::net::batched) port: PacketPort<Handle>,
    /// The connections that may cross it, in their order.
    pub(in crate::net::batched) vcs: Vec<RoutedVc>,
    /// Their routes, as far as these change.
    pub(in crate::net::batched) routes: Vec<RouteHere>,
    /// The connection of the last packet, its number here, and where the packet went on.
    last: (VcId, u32, CachedExit),
    /// On its link to other ports of its process, in the order of arrival: which port, and the packet.
    pub(super) under_way: VecDeque<(Time, u32, Handle)>,
}

/// A route that changes, at a port.
pub(in crate::net::batched) struct RouteHere {
    pub(in crate::net::batched) table: Arc<RoutingTable>,
    /// The group of the host at its end.
    group: u32,
    /// Where its last packet went on, if that is known for a while.
    known: Option<CachedExit>,
}

/// The next hop from a port along a route, as long as neither link nor route change.
#[derive(Clone)]
struct CachedExit {
    /// When a packet arrives that has it.
    arrives: Range<Time>,
    /// Links that it may have crossed then.
    most_crossed: u8,
    /// The port or the host to which the packet goes on.
    to: Exit,
}

/// Where a packet goes on a route that changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exit {
    /// To this port of the same process.
    Within(u32),
    /// To this one of the fused ports of the process.
    Fused(u32),
    /// To a port of another process.
    Port { mailbox: u32, port: u32 },
    /// To the host at the end of the route, in this group.
    Host(u32),
}

impl CachedExit {
    /// Whether a packet has it that arrives then, and has crossed so many links before.
    #[inline(always)]
    fn holds(&self, arrives: Time, crossed: u8) -> bool {
        self.arrives.contains(&arrives) && crossed < self.most_crossed
    }
}

impl RouteHere {
    /// A route by this table, to a host of this group.
    pub(in crate::net::batched) fn new(table: Arc<RoutingTable>, group: u32) -> RouteHere {
        RouteHere { table, group, known: None }
    }
}

impl RoutedPort {
    /// A port at `node`, which these connections may cross, on these routes.
    pub(in crate::net::batched) fn new(
        link: LinkId,
        node: NodeId,
        port: PacketPort<Handle>,
        vcs: Vec<RoutedVc>,
        routes: Vec<RouteHere>,
    ) -> RoutedPort {
        let none = CachedExit { arrives: Time::ZERO..Time::ZERO, most_crossed: 0, to: Exit::Host(0) };
        let last = (vcs.first().map_or(VcId::from_index(0), |first| first.id), 0, none);
        RoutedPort { link, node, port, vcs, routes, last, under_way: VecDeque::new() }
    }

    #[inline(always)]
    pub(super) fn number_of(&self, vc: VcId) -> u32 {
        if self.last.0 == vc {
            return self.last.1;
        }
        self.vcs.binary_search_by_key(&vc, |of| of.id).expect("whatever comes may cross the port") as u32
    }

    /// The route of a connection that may cross the port, if it changes.
    pub(in crate::net::batched) fn route_of(&self, vc: VcId) -> Option<&Arc<RoutingTable>> {
        match self.vcs[self.number_of(vc) as usize].route {
            VcRoute::Dynamic(route) => Some(&self.routes[route as usize].table),
            VcRoute::Fixed(_) => None,
        }
    }

    /// The connections of packets that wait, and of which it is not known when they leave.
    pub(in crate::net::batched) fn waiting_vcs(&self) -> impl Iterator<Item = VcId> {
        self.port.all_waiting().map(|packet| packet.vc)
    }

    /// The connections of packets that wait, or are on the link to another port of the process.
    pub(super) fn add_under_way(&self, vcs: &mut Vec<VcId>) {
        let under_way = self.under_way.iter().map(|&(_, _, packet)| packet);
        vcs.extend(self.port.all_waiting().chain(under_way).map(|packet| packet.vc));
    }

    /// Where a packet of a route that changes goes, which begins at `begins` and arrives at `arrives`; `place` says where a port is.
    #[inline(always)]
    pub(super) fn exit(
        &mut self,
        packet: &Handle,
        (begins, arrives): (Time, Time),
        place: impl Fn(LinkId) -> Exit,
    ) -> Result<Exit, DropReason> {
        let (vc, _, last) = &self.last;
        if *vc == packet.vc && last.holds(arrives, packet.crossed) {
            return Ok(last.to);
        }
        self.exit_of_route(packet, (begins, arrives), place)
    }

    /// The fused port to which a packet goes that arrives at `arrives`, if the last one was of the same connection and has gone there.
    #[inline(always)]
    pub(super) fn known_fused(&self, packet: &Handle, arrives: Time) -> Option<u32> {
        match &self.last {
            (vc, _, last) if *vc == packet.vc && last.holds(arrives, packet.crossed) => match last.to {
                Exit::Fused(number) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same if the last packet was of another connection, or has gone elsewhere.
    #[inline(never)]
    fn exit_of_route(
        &mut self,
        packet: &Handle,
        (begins, arrives): (Time, Time),
        place: impl Fn(LinkId) -> Exit,
    ) -> Result<Exit, DropReason> {
        let VcRoute::Dynamic(route) = self.vcs[packet.number as usize].route else {
            unreachable!("the route of the connection changes")
        };
        let to = match &self.routes[route as usize].known {
            Some(known) if known.holds(arrives, packet.crossed) => known.to,
            _ => self.exit_by_table(route, (begins, arrives), packet.crossed, place)?,
        };
        if let Some(known) = &self.routes[route as usize].known {
            self.last = (packet.vc, packet.number, known.clone());
        }
        Ok(to)
    }

    /// The same by the routing table; the result is cached.
    fn exit_by_table(
        &mut self,
        route: u32,
        (begins, arrives): (Time, Time),
        crossed: u8,
        place: impl Fn(LinkId) -> Exit,
    ) -> Result<Exit, DropReason> {
        let RouteHere { table, group, known } = &mut self.routes[route as usize];
        let link = self.port.link.as_ref().expect("a link of a route that changes has a state");
        let node = link.far_end(begins);
        let to = match table.forward(node, arrives, crossed + 1) {
            Forwarding::Arrived => Exit::Host(*group),
            Forwarding::By(next) => place(next),
            Forwarding::Lost(reason) => return Err(reason),
        };
        // Those that follow begin later, and before the far end changes if they arrive before.
        let (times, most_crossed) = table.holds(node, arrives);
        let exit = |stable: Time| CachedExit { arrives: times.start..times.end.min(stable), most_crossed, to };
        *known = link.state.stable_until(begins).map(exit);
        Ok(to)
    }

    /// Forgets where packets went on: the next port may be in another place now.
    pub(super) fn forget_exits(&mut self) {
        self.routes.iter_mut().for_each(|route| route.known = None);
        self.last.2.most_crossed = 0;
    }

    /// A packet of which is known `now` when it is transmitted will be lost when it arrives, at `time`.
    pub(super) fn lose(
        &mut self,
        (now, time): (Time, Time),
        packet: &Handle,
        reason: DropReason,
        side: &mut PacketSideTable,
        kinds: &PacketKinds,
    ) {
        let meta = Packets { vcs: &self.vcs, side, kinds }.meta(packet);
        let link = self.port.link.as_mut().expect("a link of a route that changes counts its losses");
        link.losses.add(now, time, &meta, reason);
        side.take(packet.frame);
    }
}

/// The ports of a process, in the order of their links. For a while some of them may be fused with ports of another process
/// (`fused.rs`), and are not here.
pub(super) struct PortTable(Vec<Option<Box<RoutedPort>>>);

impl PortTable {
    pub(super) fn new(ports: Vec<RoutedPort>) -> PortTable {
        PortTable(ports.into_iter().map(|port| Some(Box::new(port))).collect())
    }

    /// How many there are, those included that are elsewhere.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Those that are here.
    pub(super) fn iter(&self) -> impl Iterator<Item = &RoutedPort> {
        self.0.iter().flatten().map(|port| &**port)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut RoutedPort> {
        self.0.iter_mut().flatten().map(|port| &mut **port)
    }

    /// The number of the port of this link, if it is here.
    pub(super) fn number(&self, link: LinkId) -> Option<usize> {
        self.0.iter().position(|port| port.as_ref().is_some_and(|port| port.link == link))
    }

    /// Takes a port out, to be fused.
    pub(super) fn take(&mut self, number: usize) -> Box<RoutedPort> {
        self.0[number].take().expect(HERE)
    }

    /// Puts a port back that was fused with others.
    pub(super) fn put(&mut self, number: usize, port: Box<RoutedPort>) {
        self.0[number] = Some(port);
    }
}

/// What nobody asks of a port that is elsewhere.
const HERE: &str = "nothing is asked of a port that is fused with others";

impl Index<usize> for PortTable {
    type Output = RoutedPort;

    #[inline(always)]
    fn index(&self, number: usize) -> &RoutedPort {
        self.0[number].as_ref().expect(HERE)
    }
}

impl IndexMut<usize> for PortTable {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut RoutedPort {
        self.0[number].as_mut().expect(HERE)
    }
}
