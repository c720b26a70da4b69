//! The nodes of a network: those of the topology, those of [node.NAME] tables, and those that places need.

use std::collections::HashMap;

use ackclock::ids::{Id, IdVec, NodeId};
use ackclock::scenario::{Node, NodeKind};

use super::topologies::{self, MadeFlow};
use crate::check::suggest;
use crate::document::Document;
use crate::keys::Section;
use crate::keys::words::Topology;
use crate::satellites::{SATELLITE_NODE, Satellites};
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::text::names::natural;
use crate::text::tree::quoted;
use crate::value::FileValue;

/// All nodes in natural order of their names.
pub(super) fn all(
    document: &Document,
    topology: Topology,
    (switches, flows): (usize, &[MadeFlow]),
    satellites: Option<&Satellites>,
    report: &mut Report,
    whole: &mut bool,
) -> Option<IdVec<NodeId, Node>> {
    let mut all: HashMap<String, NodeKind> = HashMap::new();
    for flow in flows {
        all.extend(['s', 'd'].map(|letter| (topologies::host(letter, &flow.name), NodeKind::Host)));
    }
    all.extend((1..=switches).map(|number| (topologies::switch(number), NodeKind::Switch)));
    for named in &document.nodes {
        let settings = Settings::resolve(Section::Node, &[&named.given]);
        settings.require(&format!("[node.{}]", named.name), &|_| None, report);
        if all.contains_key(&named.name) {
            report
                .error(named.at, format!("the topology {} already has a node {}", topology.word(), named.name))
                .label("name is taken")
                .help("choose another name");
            *whole = false;
            continue;
        }
        let kind = settings.choice("kind", NodeKind::WORDS);
        *whole &= kind.is_some();
        let kind = kind.unwrap_or(NodeKind::Switch);
        all.insert(named.name.clone(), kind);
    }
    for place in satellites.iter().flat_map(|satellites| &satellites.places) {
        if all.contains_key(SATELLITE_NODE) || place.name == SATELLITE_NODE {
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
            if all.insert(name.clone(), kind).is_some() {
                report
                    .error(place.at, format!("there is a node {name}, and a place that needs one of this name"))
                    .label("name is taken")
                    .help("choose another name");
                *whole = false;
            }
        }
    }
    if all.is_empty() {
        report
            .error(document.network.at, "the network has no nodes")
            .label("a graph is made of [node] and [link] tables")
            .help("add [node.NAME] with kind = \"host\" or \"switch\", and [link.NAME] with ends, rate and delay");
        return None;
    }
    let mut sorted: Vec<(String, NodeKind)> = all.into_iter().collect();
    sorted.sort_by(|(a, _), (b, _)| natural(a, b));
    Some(sorted.into_iter().map(|(name, kind)| Node { name, kind }).collect())
}

/// The node of a name. They are in the order of their names.
pub(super) fn named(nodes: &IdVec<NodeId, Node>, name: &str) -> Option<NodeId> {
    nodes.binary_search_by(|node| natural(&node.name, name)).ok().map(NodeId::from_index)
}

/// The node of a name, or a report.
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
    document.flows.iter().chain(&document.udp).any(|named| {
        ["from", "to"]
            .into_iter()
            .any(|key| matches!(named.given.value(key), Some(FileValue::Text(name)) if name == place))
    })
}

/// The host at a place. It is so near to the terminal that the path between them does not matter.
pub(super) fn host_of(place: &str) -> String {
    format!("{place}.host")
}
