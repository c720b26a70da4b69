//! The nodes of a network: those of the topology, those of [node.NAME] tables, and those that places need.

use std::collections::HashMap;

use ackclock::ids::{Id, IdVec, NodeId};
use ackclock::scenario::{Node, NodeKind};

use crate::check::suggest;
use crate::document::Document;
use crate::keys::Section;
use crate::satellites::{SATELLITE_NODE, Satellites};
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::text::names::natural;
use crate::text::tree::quoted;
use crate::topologies::{self, MadeFlow, Topology};
use crate::value::FileValue;

/// All nodes in natural order of their names, and the two hosts of each of the flows that the topology makes.
#[allow(clippy::type_complexity)]
pub(super) fn all(
    document: &Document,
    topology: &Topology,
    (switches, flows): (usize, &[MadeFlow]),
    satellites: Option<&Satellites>,
    report: &mut Report,
    whole: &mut bool,
) -> Option<(IdVec<NodeId, Node>, Vec<(NodeId, NodeId)>)> {
    // Nearly in the order of their names, which makes it cheap to sort them.
    let destinations = topology.destinations(flows.len());
    let of_destinations = flows.iter().take(destinations).map(|flow| topology.destination(&flow.name));
    let hosts = of_destinations.chain(flows.iter().map(|flow| topologies::host('s', &flow.name)));
    let hosts = hosts.map(|name| (name, NodeKind::Host));
    let made = hosts.chain((1..=switches).map(|number| (topologies::switch(number), NodeKind::Switch)));
    let mut all = Names::of(made.collect(), !document.nodes.is_empty() || satellites.is_some());
    for named in &document.nodes {
        let settings = Settings::resolve(Section::Node, &[&named.given]);
        settings.require(&format!("[node.{}]", named.name), &|_| None, report);
        if all.contain(&named.name) {
            report
                .error(named.at, format!("the topology {} already has a node {}", topology.name, named.name))
                .label("name is taken")
                .help("choose another name");
            *whole = false;
            continue;
        }
        let kind = settings.choice("kind", NodeKind::WORDS);
        *whole &= kind.is_some();
        let kind = kind.unwrap_or(NodeKind::Switch);
        all.add(named.name.clone(), kind);
    }
    for place in satellites.iter().flat_map(|satellites| &satellites.places) {
        if all.contain(SATELLITE_NODE) || place.name == SATELLITE_NODE {
            report
                .error(
                    satellites.and_then(|satellites| satellites.settings.at),
                    format!("a node is called {SATELLITE_NODE}"),
                )
                .label("the program uses this name for the satellite")
                .help("choose another name");
            *whole = false;
            return None;
        }
        let mut names = vec![(place.name.clone(), NodeKind::Switch)];
        if is_end_of_flows(document, &place.name) {
            names.push((host_of(&place.name), NodeKind::Host));
        }
        for (name, kind) in names {
            if !all.add(name.clone(), kind) {
                report
                    .error(place.at, format!("there is a node {name}, and a place that needs one of this name"))
                    .label("name is taken")
                    .help("choose another name");
                *whole = false;
            }
        }
    }
    if all.all.is_empty() {
        report
            .error(document.network.at, "the network has no nodes")
            .label("a graph is made of [node] and [link] tables")
            .help("add [node.NAME] with kind = \"host\" or \"switch\", and [link.NAME] with ends, rate and delay");
        return None;
    }
    let (nodes, places) = all.sorted();
    let hosts = (0..flows.len()).map(|flow| (places[destinations + flow], places[flow.min(destinations - 1)]));
    Some((nodes, hosts.collect()))
}

/// Nodes with their names.
struct Names {
    all: Vec<(String, NodeKind)>,
    /// Their numbers in the list; empty if none is asked for.
    known: HashMap<String, usize>,
}

impl Names {
    /// These, and others if `more` are added.
    fn of(all: Vec<(String, NodeKind)>, more: bool) -> Names {
        let numbers = all.iter().take(if more { all.len() } else { 0 }).enumerate();
        let known = numbers.map(|(number, (name, _))| (name.clone(), number)).collect();
        Names { all, known }
    }

    fn contain(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Whether the name is new. One that is not has another kind now.
    fn add(&mut self, name: String, kind: NodeKind) -> bool {
        if let Some(&number) = self.known.get(&name) {
            self.all[number].1 = kind;
            return false;
        }
        self.known.insert(name.clone(), self.all.len());
        self.all.push((name, kind));
        true
    }

    /// All nodes in natural order of their names, and where each is among them.
    fn sorted(self) -> (IdVec<NodeId, Node>, Vec<NodeId>) {
        let mut sorted: Vec<(usize, String, NodeKind)> =
            self.all.into_iter().enumerate().map(|(number, (name, kind))| (number, name, kind)).collect();
        sorted.sort_by(|(_, a, _), (_, b, _)| natural(a, b));
        let mut places = vec![NodeId::default(); sorted.len()];
        for (place, (number, ..)) in sorted.iter().enumerate() {
            places[*number] = NodeId::from_index(place);
        }
        (sorted.into_iter().map(|(_, name, kind)| Node { name, kind }).collect(), places)
    }
}

/// The node of a name. They are in the order of their names.
pub(super) fn named(nodes: &IdVec<NodeId, Node>, name: &str) -> Option<NodeId> {
    nodes.binary_search_by(|node| natural(&node.name, name)).ok().map(NodeId::from_index)
}

pub(super) fn expect(nodes: &IdVec<NodeId, Node>, name: &str, at: Option<At>, report: &mut Report) -> Option<NodeId> {
    let found = named(nodes, name);
    if found.is_none() {
        let names = nodes.iter().map(|node| node.name.as_str());
        let near = if report.is_long() { None } else { suggest::nearest(name, names) };
        report
            .error(at, format!("there is no node {}", quoted(name)))
            .label("unknown node")
            .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
    }
    found
}

/// Whether a flow or a source of datagrams begins or ends at a place.
pub(super) fn is_end_of_flows(document: &Document, place: &str) -> bool {
    document.tables_of_flows().chain(&document.udp).any(|named| {
        ["from", "to"]
            .into_iter()
            .any(|key| matches!(named.given.value(key), Some(FileValue::Text(name)) if name == place))
    })
}

/// The host at a place. It is so near to the terminal that the path between them does not matter.
pub(super) fn host_of(place: &str) -> String {
    format!("{place}.host")
}
