//! Routes that change: the routing table for one destination, and links whose far end changes.
//! Source: docs/models/routes.md; both are known before the run, as those of satellites are.

use std::ops::Range;

use crate::ids::{LinkId, NodeId};
use crate::record::DropReason;
use crate::units::Time;

/// The next hop to one host from every node, over time. Packets to that host follow it wherever they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingTable {
    destination: NodeId,
    ttl: u8,
    /// In the order of the nodes. A node that is not here never has a route.
    nodes: Vec<NodeRoutes>,
}

/// The next hop from one node: whatever arrives there at an instant of this list or later, and before the next of them,
/// goes on by that link of the node's, or is lost if there is none. So is what arrives before the first instant.
pub type NodeRoutes = (NodeId, Vec<(Time, Option<LinkId>)>);

/// What happens to a packet that has arrived at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarding {
    /// It is at its destination.
    Arrived,
    /// It goes on by this link.
    By(LinkId),
    /// It is lost: there is no route, or it has crossed as many links as it may.
    Lost(DropReason),
}

impl RoutingTable {
    /// The routes to `destination`, for packets that may cross `ttl` links, the first one from their host included.
    ///
    /// # Panics
    /// If no link may be crossed, if nodes are not in the order of their numbers or instants not in order, or if a node has
    /// routes that is the destination.
    pub fn new(destination: NodeId, ttl: u8, nodes: Vec<NodeRoutes>) -> RoutingTable {
        assert!(ttl > 0, "a packet has to cross a link");
        assert!(nodes.windows(2).all(|pair| pair[0].0 < pair[1].0), "nodes must be in order");
        let in_order = |routes: &[(Time, Option<LinkId>)]| routes.windows(2).all(|pair| pair[0].0 < pair[1].0);
        assert!(nodes.iter().all(|(_, routes)| in_order(routes)), "routes must be in order of time");
        assert!(nodes.iter().all(|&(node, _)| node != destination), "nothing goes on from the destination");
        RoutingTable { destination, ttl, nodes }
    }

    /// The destination of the routes.
    pub fn destination(&self) -> NodeId {
        self.destination
    }

    /// How many links a packet may cross.
    pub fn ttl(&self) -> u8 {
        self.ttl
    }

    /// What becomes of a packet that arrives at `node` at `time`, and has crossed so many links.
    pub fn forward(&self, node: NodeId, time: Time, crossed: u8) -> Forwarding {
        if node == self.destination {
            return Forwarding::Arrived;
        }
        self.by(self.link(node, time), crossed)
    }

    /// Of which packets [`RoutingTable::forward`] says the same as of one that arrives at `node` at `time` and is not lost: of
    /// those that arrive there in this time and have crossed no more than so many links.
    pub fn holds(&self, node: NodeId, time: Time) -> (Range<Time>, u8) {
        if node == self.destination {
            return (Time::ZERO..Time::NEVER, u8::MAX);
        }
        (self.hop(node, time).0, self.ttl - 1)
    }

    #[inline]
    fn by(&self, link: Option<LinkId>, crossed: u8) -> Forwarding {
        match link {
            None => Forwarding::Lost(DropReason::NoRoute),
            Some(_) if crossed >= self.ttl => Forwarding::Lost(DropReason::Ttl),
            Some(link) => Forwarding::By(link),
        }
    }

    /// The link by which packets go on that arrive at `node` at `time`; `None` if they are lost.
    pub fn link(&self, node: NodeId, time: Time) -> Option<LinkId> {
        self.hop(node, time).1
    }

    /// The link by which packets go on that arrive at `node` at `time`, and the instants at which others arrive that do the same.
    fn hop(&self, node: NodeId, time: Time) -> (Range<Time>, Option<LinkId>) {
        let routes = self.of(node);
        let next = routes.partition_point(|&(from, _)| from <= time);
        let (from, link) = next.checked_sub(1).map_or((Time::ZERO, None), |current| routes[current]);
        let until = routes.get(next).map_or(Time::NEVER, |&(from, _)| from);
        (from..until, link)
    }

    /// The other port of `node` by which packets for the destination leave it at `time`; `None` if it is `port`, or if there
    /// is none.
    pub fn other_than(&self, port: LinkId, node: NodeId, time: Time) -> Option<LinkId> {
        self.link(node, time).filter(|&link| link != port)
    }

    /// The links by which packets ever go on from `node`. Some may be named more than once.
    pub fn links_from(&self, node: NodeId) -> impl Iterator<Item = LinkId> {
        self.of(node).iter().filter_map(|&(_, link)| link)
    }

    /// All links by which packets ever go on from any node. Some may be named more than once.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        self.nodes.iter().flat_map(|(_, routes)| routes.iter().filter_map(|&(_, link)| link))
    }

    fn of(&self, node: NodeId) -> &[(Time, Option<LinkId>)] {
        self.nodes.binary_search_by_key(&node, |&(node, _)| node).map_or(&[], |place| &self.nodes[place].1)
    }
}

/// The node at the far end of a link, over time: of a terminal's uplink the satellite that it sends to.
#[derive(Clone, Debug, PartialEq)]
pub struct FarEnds {
    /// Who receives what begins to be transmitted at each instant or later; the first is at time 0, and each is later than
    /// the one before.
    points: Vec<(Time, Option<NodeId>)>,
    /// Which packets have no receiver, and what happens to them.
    pub no_receiver: NoReceiver,
}

/// What happens to a packet whose transmission begins while the link has no receiver for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoReceiver {
    /// It is transmitted, and lost.
    #[default]
    Lose,
    /// It is transmitted, and lost. A packet is addressed to the node that was at the far end when it came to the queue:
    /// another node does not accept it, as in ns-2, which writes the address of the next node before the queue.
    LoseAddressed,
    /// It goes at once to the port by which packets for its destination leave the node now, if that is another one; else
    /// it is transmitted and lost.
    Reroute,
}

impl FarEnds {
    /// These far ends, each for what begins to be transmitted from its instant on. The first is at time 0, and each is later
    /// than the one before; `None` is a link without a receiver.
    ///
    /// # Panics
    /// If they are not.
    pub fn new(points: Vec<(Time, Option<NodeId>)>, no_receiver: NoReceiver) -> FarEnds {
        super::assert_ascending(points.iter().map(|&(time, _)| time));
        FarEnds { points, no_receiver }
    }

    /// Who receives a packet whose transmission begins at `time`.
    pub fn at(&self, time: Time) -> Option<NodeId> {
        self.points[self.points.partition_point(|&(from, _)| from <= time) - 1].1
    }

    /// Who receives a packet that came to the queue at `came` and whose transmission begins at `begins`.
    pub(super) fn receiver(&self, came: Time, begins: Time) -> Option<NodeId> {
        let receiver = self.at(begins);
        receiver.filter(|_| self.no_receiver != NoReceiver::LoseAddressed || self.at(came) == receiver)
    }

    /// Who ever receives anything. Some may be named more than once.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.points.iter().filter_map(|&(_, node)| node)
    }

    /// The first instant after `time` at which the far end is another.
    pub(super) fn next_after(&self, time: Time) -> Option<Time> {
        let next = self.points.partition_point(|&(from, _)| from <= time);
        let now = self.points[next - 1].1;
        self.points[next..].iter().find(|&&(_, node)| node != now).map(|&(from, _)| from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::units::instants::ps as at;

    fn node(number: usize) -> NodeId {
        NodeId::from_index(number)
    }

    fn link(number: usize) -> LinkId {
        LinkId::from_index(number)
    }

    fn table() -> RoutingTable {
        let routes = vec![(at(10), Some(link(4))), (at(20), None), (at(30), Some(link(5)))];
        RoutingTable::new(node(9), 3, vec![(node(1), routes), (node(2), vec![(at(0), Some(link(6)))])])
    }

    #[test]
    fn a_route_holds_for_what_arrives_from_its_instant_on() {
        let table = table();
        let links = [9, 10, 19, 20, 29, 30, 99].map(|time| table.link(node(1), at(time)).map(Id::index));
        assert_eq!(links, [None, Some(4), Some(4), None, None, Some(5), Some(5)]);
        assert_eq!([4, 5].map(|port| table.other_than(link(port), node(1), at(15)).map(Id::index)), [None, Some(4)]);
        assert_eq!(table.link(node(3), at(50)), None, "a node that the table does not name");
        assert_eq!(table.links().map(Id::index).collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(table.links_from(node(2)).map(Id::index).collect::<Vec<_>>(), [6]);
    }

    #[test]
    fn a_packet_may_cross_as_many_links_as_its_ttl() {
        let table = table();
        assert_eq!(table.forward(node(2), at(0), 2), Forwarding::By(link(6)), "as the third");
        assert_eq!(table.forward(node(2), at(0), 3), Forwarding::Lost(DropReason::Ttl));
        assert_eq!(table.forward(node(9), at(0), 3), Forwarding::Arrived, "it need not go on");
        assert_eq!(table.forward(node(1), at(25), 3), Forwarding::Lost(DropReason::NoRoute));
    }

    #[test]
    fn far_ends_hold_from_their_instants_on() {
        let points = vec![(at(0), Some(node(1))), (at(10), None), (at(20), Some(node(2))), (at(30), Some(node(2)))];
        let far_ends = FarEnds::new(points, NoReceiver::Lose);
        let nodes = [0, 9, 10, 19, 20, 40].map(|time| far_ends.at(at(time)).map(Id::index));
        assert_eq!(nodes, [Some(1), Some(1), None, None, Some(2), Some(2)]);
        let changes = [0, 9, 10, 19, 20].map(|time| far_ends.next_after(at(time)).map(Time::as_ps));
        assert_eq!(changes, [Some(10), Some(10), Some(20), Some(20), None], "the same node again is no change");
    }

    #[test]
    #[should_panic(expected = "nothing goes on from the destination")]
    fn routes_at_the_destination_are_a_bug() {
        RoutingTable::new(node(1), 3, vec![(node(1), vec![])]);
    }
}
