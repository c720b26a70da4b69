//! Nodes and links: those of the topology, and those of [node] and [link] tables.

pub(crate) mod given_link;
pub(crate) mod id_map;
mod link_schedule;
pub(crate) mod links;
pub(crate) mod media;
mod nodes;
pub(crate) mod rate_traces;
pub(crate) mod routes;
pub(crate) mod satellites;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ackclock::ids::{IdVec, LinkId, NodeId};
use ackclock::scenario::{Link, Node, NodeKind, Queue};
use ackclock::units::{Rate, Span};

use self::given_link::{Direction, Mtu};
use self::id_map::IdMap;
use self::links::{Duplex, ordered};
use self::media::Media;
use crate::document::Document;
use crate::keys::Section;
use crate::keys::words::{self, TechnologyWord};
use crate::satellites::Satellites;
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::text::names::natural;
use crate::text::tree::quoted;
use crate::topologies::{self, Flows, MadeFlow, TOPOLOGIES, Topology, Trunk};

/// The network, its queues not yet filled in.
pub(crate) struct Network {
    pub(crate) nodes: IdVec<NodeId, Node>,
    pub(crate) links: IdVec<LinkId, Link>,
    /// What links have before their queues are known, and those of hosts at all.
    unlimited: Arc<Queue>,
    between: IdMap<(NodeId, NodeId), LinkId>,
    /// Switches next to each node.
    switches: IdVec<NodeId, Vec<NodeId>>,
    /// Hosts next to each node, by number.
    hosts: IdVec<NodeId, usize>,
    /// The hosts of each flow that the topology makes, from which and to which it goes.
    made: Vec<(NodeId, NodeId)>,
    /// The hosts at places, by the names of the places.
    at_places: BTreeMap<String, NodeId>,
    /// Links that stand for satellite paths, with the numbers of the places that they join.
    pub(crate) through_sky: BTreeMap<LinkId, (usize, usize)>,
    /// The numbers of links before and after satellites came in.
    moved: BTreeMap<LinkId, LinkId>,
    /// Links by name, once there are some that are not called after both their ends.
    by_name: HashMap<String, LinkId>,
    /// The largest datagrams of links, where they are said.
    mtus: HashMap<LinkId, Mtu>,
    /// The largest propagation delays of paths that change, picoseconds, by their first link and their destination.
    pub(crate) largest_delays: HashMap<(LinkId, NodeId), u128>,
}

/// Where a link comes from.
enum Origin {
    Old(LinkId),
    New(usize),
}

impl Network {
    /// The network of a document for a run of this length, or `None` and reports.
    pub(crate) fn build(
        document: &Document,
        settings: &Settings,
        made: Option<&Flows>,
        satellites: Option<&Satellites>,
        duration: Option<Span>,
        report: &mut Report,
    ) -> Option<Network> {
        let topology = settings.choice("topology", &TOPOLOGIES)?;
        let mut whole = no_key_of_another_topology(document, topology.name, report);
        let Flows { switches, flows } = made?;
        let (nodes, hosts_of_made) =
            nodes::all(document, topology, (*switches, flows), satellites, report, &mut whole)?;
        let mut network = Network {
            switches: nodes.iter().map(|_| Vec::new()).collect(),
            hosts: nodes.iter().map(|_| 0).collect(),
            nodes,
            links: IdVec::new(),
            unlimited: Arc::new(Queue::unlimited()),
            between: IdMap::default(),
            made: hosts_of_made,
            at_places: BTreeMap::new(),
            through_sky: BTreeMap::new(),
            moved: BTreeMap::new(),
            by_name: HashMap::new(),
            mtus: HashMap::new(),
            largest_delays: HashMap::new(),
        };
        let made = network.made(topology, settings, *switches, flows);
        whole &= made.is_some();
        let mut made = made.unwrap_or_default();
        made.extend(satellites.iter().flat_map(|satellites| network.places(document, satellites)));
        let is_atm = settings.choice("technology", &words::TECHNOLOGIES) == Some(TechnologyWord::Atm);
        let media = Media::read(document, is_atm, report);
        let context = links::Context { document, nodes: &network.nodes, media: &media, is_atm, duration };
        let duplexes = links::all(&context, made, report);
        let mut duplexes = duplexes.filter(|_| whole)?;
        // Nodes are in the order of their names: neither the order of the file nor that of `ends` matters.
        duplexes.sort_by_key(|duplex| ordered(duplex.ends));
        // There may be hundreds of thousands of them: no more room than they need.
        network.links = IdVec::with_capacity(2 * duplexes.len());
        network.between.reserve(2 * duplexes.len());
        for duplex in duplexes {
            let ((a, b), [there, back]) = (duplex.ends, duplex.directions);
            let (there, back) = if a < b { (there, back) } else { (back, there) };
            let (a, b) = ordered((a, b));
            network.add(a, b, there);
            network.add(b, a, back);
        }
        if let Some(satellites) = satellites {
            network.find_sky(satellites);
        }
        network.warn_unlinked(document, report);
        media::warn_unused(document, &network.links, report);
        Some(network)
    }

    /// Warns about nodes to which no link leads.
    fn warn_unlinked(&self, document: &Document, report: &mut Report) {
        for named in &document.nodes {
            let node = self.node(&named.name);
            if node.is_some_and(|node| self.switches[node].is_empty() && self.hosts[node] == 0) {
                report
                    .warning(named.at, format!("no link leads to {}", named.name))
                    .label("nothing can reach it")
                    .help(format!("add [link.NAME] with ends = [{:?}, \"...\"], or leave the node out", named.name));
            }
        }
    }

    /// The links of places: to their hosts, and one from each to each other that stands for all paths between them.
    fn places(&mut self, document: &Document, satellites: &Satellites) -> Vec<Duplex> {
        let nodes: Vec<NodeId> = satellites.places.iter().filter_map(|place| self.node(&place.name)).collect();
        let rates: Option<Vec<Rate>> = (0..nodes.len()).map(|place| satellites.up_rate(place)).collect();
        // Wrong, and reported.
        let Some(rates) = rates else { return Vec::new() };
        let mut links = Vec::new();
        for (index, (&node, place)) in nodes.iter().zip(&satellites.places).enumerate() {
            if nodes::is_end_of_flows(document, &place.name)
                && let Some(host) = self.node(&nodes::host_of(&place.name))
            {
                self.at_places.insert(place.name.clone(), host);
                links.push(Duplex::closed((host, node), HOST_RATE, HOST_DELAY));
            }
            for (other, &before) in nodes[..index].iter().enumerate() {
                let mut path = Duplex::closed((before, node), rates[other], Span::from_ms(1));
                path.directions[1].rate = rates[index];
                links.push(path);
            }
        }
        links
    }

    fn find_sky(&mut self, satellites: &Satellites) {
        let nodes: Vec<Option<NodeId>> = satellites.places.iter().map(|place| self.node(&place.name)).collect();
        for (a, &from) in nodes.iter().enumerate() {
            for (b, &to) in nodes.iter().enumerate() {
                if let Some(link) = from.zip(to).and_then(|(from, to)| self.link_between(from, to)) {
                    self.through_sky.insert(link, (a, b));
                }
            }
        }
    }

    pub(crate) fn host_at(&self, place: &str) -> Option<NodeId> {
        self.at_places.get(place).copied()
    }

    /// Adds switches. The numbers of nodes change.
    pub(crate) fn add_switches(&mut self, names: impl Iterator<Item = String>) {
        let old = std::mem::take(&mut self.nodes);
        let known: Vec<String> = old.iter().map(|node| node.name.clone()).collect();
        let new = names.map(|name| Node { name, kind: NodeKind::Switch });
        let mut all: Vec<Node> = old.iter().cloned().chain(new).collect();
        all.sort_by(|a, b| natural(&a.name, &b.name));
        self.nodes = all.into_iter().collect();
        let moved: IdVec<NodeId, NodeId> =
            known.iter().map(|name| self.node(name).expect("no node is taken away")).collect();
        for link in self.links.iter_mut() {
            (link.from, link.to) = (moved[link.from], moved[link.to]);
        }
        self.at_places.values_mut().for_each(|host| *host = moved[*host]);
        self.made.iter_mut().for_each(|(source, sink)| (*source, *sink) = (moved[*source], moved[*sink]));
    }

    /// Puts links in the place of those that stand for satellite paths. Returns their numbers; those of all others
    /// change as [`Network::moved`] says.
    pub(crate) fn replace_stand_ins(&mut self, new: Vec<Link>) -> Vec<LinkId> {
        let stand_in = |id: LinkId| self.through_sky.contains_key(&id);
        let old = self.links.iter_ids().filter(|(id, _)| !stand_in(*id));
        let mut all: Vec<(Origin, Link)> = old.map(|(id, link)| (Origin::Old(id), link.clone())).collect();
        all.extend(new.into_iter().enumerate().map(|(index, link)| (Origin::New(index), link)));
        all.sort_by_key(|(_, link)| (ordered((link.from, link.to)), link.from));
        let mut added = BTreeMap::new();
        self.links = IdVec::new();
        self.moved.clear();
        self.between.clear();
        self.by_name.clear();
        for (origin, link) in all {
            let (ends, name) = ((link.from, link.to), link.name.clone());
            let id = self.links.push(link);
            self.between.insert(ends, id);
            self.by_name.insert(name, id);
            match origin {
                Origin::Old(old) => drop(self.moved.insert(old, id)),
                Origin::New(index) => drop(added.insert(index, id)),
            }
        }
        added.into_values().collect()
    }

    /// The number that a link has now; none if it stood for satellite paths.
    pub(crate) fn moved(&self, link: LinkId) -> Option<LinkId> {
        self.moved.get(&link).copied()
    }

    /// The host of a name, or the one at the place of a name, or a report; `what` is in need of one.
    pub(crate) fn expect_host(&self, name: &str, what: &str, at: Option<At>, report: &mut Report) -> Option<NodeId> {
        if let Some(host) = self.host_at(name) {
            return Some(host);
        }
        let node = self.expect_node(name, at, report)?;
        if !self.is_host(node) {
            report
                .error(at, format!("{} is a switch; {what} begin and end at hosts", quoted(name)))
                .label("not a host");
            return None;
        }
        Some(node)
    }

    /// The name by which files know a host: that of the place at which it is, if it is at one.
    pub(crate) fn name_in_files(&self, host: NodeId) -> &str {
        let place = self.at_places.iter().find(|(_, at_place)| **at_place == host);
        place.map_or(&self.nodes[host].name, |(name, _)| name)
    }

    pub(crate) fn node(&self, name: &str) -> Option<NodeId> {
        nodes::named(&self.nodes, name)
    }

    pub(crate) fn expect_node(&self, name: &str, at: Option<At>, report: &mut Report) -> Option<NodeId> {
        nodes::expect(&self.nodes, name, at, report)
    }

    pub(crate) fn link_between(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        self.between.get(&(from, to)).copied()
    }

    /// The hosts of the flow of this number, of those that the topology makes.
    pub(crate) fn hosts_of_made(&self, number: usize) -> Option<(NodeId, NodeId)> {
        self.made.get(number).copied()
    }

    /// The link of a name `a->b`.
    pub(crate) fn link(&self, name: &str) -> Option<LinkId> {
        if let Some(&link) = self.by_name.get(name) {
            return Some(link);
        }
        let (from, to) = name.split_once("->")?;
        self.link_between(self.node(from)?, self.node(to)?)
    }

    /// The links of a route in the other direction, from its end.
    pub(crate) fn reversed(&self, route: &[LinkId]) -> Vec<LinkId> {
        let back = |link: &LinkId| {
            let link = &self.links[*link];
            self.link_between(link.to, link.from).expect("a link has two directions")
        };
        route.iter().rev().map(back).collect()
    }

    /// The link of a path that carries the smallest datagrams, if any says how large they may be.
    pub(crate) fn path_mtu(&self, path: &[LinkId]) -> Option<(LinkId, Mtu)> {
        // Most networks say nothing of it, and some have a million paths.
        if self.mtus.is_empty() {
            return None;
        }
        let said = path.iter().filter_map(|link| self.mtus.get(link).map(|mtu| (*link, *mtu)));
        said.min_by_key(|(_, mtu)| mtu.bytes)
    }

    /// Switches next to a node, in the order of names.
    pub(crate) fn switches_next_to(&self, node: NodeId) -> &[NodeId] {
        &self.switches[node]
    }

    /// Whether a node has one neighbour only, and that is a switch: which one.
    pub(crate) fn only_switch(&self, node: NodeId) -> Option<NodeId> {
        match self.switches[node][..] {
            [switch] if self.hosts[node] == 0 => Some(switch),
            [..] => None,
        }
    }

    pub(crate) fn is_host(&self, node: NodeId) -> bool {
        self.nodes[node].kind == NodeKind::Host
    }

    /// The links that a topology makes. That of a destination that all flows have is there once.
    fn made(
        &self,
        topology: &Topology,
        settings: &Settings,
        switches: usize,
        flows: &[MadeFlow],
    ) -> Option<Vec<Duplex>> {
        if !topology.makes_flows() {
            return Some(Vec::new());
        }
        let trunks = (topology.trunks)(settings)?;
        let (access_rate, access_delay) = (settings.rate(topology.access_rate)?, settings.span("access_delay")?);
        let switch = |number| self.node(&topologies::switch(number));
        let switches: Vec<NodeId> = (1..=switches).map(switch).collect::<Option<_>>()?;
        let of_trunk = |trunk: Trunk| {
            let ends = (switches[trunk.ends.0 - 1], switches[trunk.ends.1 - 1]);
            Duplex::plain(ends, trunk.rate, trunk.delay)
        };
        let mut links: Vec<Duplex> = trunks.into_iter().map(of_trunk).collect();
        let sinks = topology.destinations(flows.len());
        let flows = || flows.iter().zip(&self.made);
        // Those to sinks come first: that is nearly the order of the nodes, in which links are put later.
        let to_sinks = flows().map(|(flow, &(_, sink))| (flow, (switches[flow.leaves - 1], sink)));
        let of_sources = flows().map(|(flow, &(source, _))| (flow, (source, switches[flow.enters - 1])));
        let access = to_sinks.take(sinks).chain(of_sources);
        links.extend(access.map(|(flow, ends)| Duplex::plain(ends, access_rate, access_delay * flow.distance)));
        Some(links)
    }

    fn add(&mut self, from: NodeId, to: NodeId, direction: Direction) {
        let name = [&*self.nodes[from].name, "->", &*self.nodes[to].name].concat();
        let Direction { rate, delay, medium, medium_at: _, params, mtu } = direction;
        let queue = Arc::clone(&self.unlimited);
        let link = self.links.push(Link { name, from, to, rate, delay, medium, params, queue });
        self.between.insert((from, to), link);
        if let Some(mtu) = mtu {
            self.mtus.insert(link, mtu);
        }
        if self.is_host(to) {
            self.hosts[from] += 1;
        } else {
            self.switches[from].push(to);
        }
    }
}

/// Reports keys of [network] that another topology has.
fn no_key_of_another_topology(document: &Document, topology: &'static str, report: &mut Report) -> bool {
    let mut fine = true;
    for (name, at) in document.network.keys() {
        let Some(key) = Section::Network.key_named(name) else { continue };
        for condition in key.used_if.iter().filter(|condition| !condition.is.contains(&topology)) {
            let names: Vec<&str> = Section::Network
                .keys()
                .filter(|key| key.used_if.iter().all(|condition| condition.is.contains(&topology)))
                .map(|key| key.name)
                .collect();
            report
                .error(at, format!("`{name}` belongs to the topology {}", condition.is.join(" or ")))
                .label(format!("not to {topology}"))
                .help(format!("keys of {topology}: {}", names.join(", ")));
            fine = false;
        }
    }
    fine
}

const HOST_RATE: Rate = Rate::from_bps(10_000_000_000).expect("more than zero");
const HOST_DELAY: Span = Span::from_ps(1);
