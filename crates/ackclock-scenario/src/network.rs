//! Nodes and links: those of the topology, and those of [node] and [link] tables.

use std::collections::HashMap;

use ackclock::ids::{Id, IdVec, LinkId, NodeId};
use ackclock::path::{Course, ErrorParams, PathParams};
use ackclock::scenario::{Link, Node, NodeKind, Queue};
use ackclock::units::{Rate, Span};

use crate::diagnostic::{At, Report};
use crate::document::{Document, Named};
use crate::keys::{ONE_LINE, Section};
use crate::names::natural;
use crate::paths::{self, LinkErrors};
use crate::settings::{Settings, warn_unused};
use crate::suggest;
use crate::tree::quoted;
use crate::values::{Name, Value};

/// The network, its queues not yet filled in.
pub(crate) struct Network {
    pub(crate) nodes: IdVec<NodeId, Node>,
    pub(crate) links: IdVec<LinkId, Link>,
    /// The number of sources of a topology with one line.
    pub(crate) sources: u64,
    between: HashMap<(NodeId, NodeId), LinkId>,
    /// Switches next to each node.
    switches: IdVec<NodeId, Vec<NodeId>>,
    /// Hosts next to each node, by number.
    hosts: IdVec<NodeId, usize>,
}

struct Duplex {
    ends: (NodeId, NodeId),
    rate: Rate,
    delay: Span,
    course: Option<Course>,
    /// Error models of one direction, or of both.
    errors: Vec<(Option<(NodeId, NodeId)>, ErrorParams)>,
    jitter: Span,
}

impl Network {
    /// The network of a document for a run of this length, or `None` and reports.
    pub(crate) fn build(
        document: &Document,
        settings: &Settings,
        duration: Option<Span>,
        report: &mut Report,
    ) -> Option<Network> {
        let topology = settings.word("topology")?;
        let mut whole = no_key_of_another_topology(document, topology, report);
        let sources = if ONE_LINE.contains(&topology) { settings.integer("sources")? } else { 0 };
        let nodes = nodes(document, topology, sources, report, &mut whole)?;
        let mut network = Network {
            switches: nodes.iter().map(|_| Vec::new()).collect(),
            hosts: nodes.iter().map(|_| 0).collect(),
            nodes,
            links: IdVec::new(),
            sources,
            between: HashMap::new(),
        };
        let mut duplexes = network.line(topology, settings);
        whole &= duplexes.is_some();
        let generated = duplexes.get_or_insert_default();
        let mut taken: HashMap<(NodeId, NodeId), Option<At>> = HashMap::with_capacity(generated.len());
        taken.extend(generated.iter().map(|duplex| (ordered(duplex.ends), None)));
        for named in &document.links {
            match network.table_link(named, settings, duration, &mut taken, report) {
                Some(duplex) => generated.push(duplex),
                None => whole = false,
            }
        }
        let mut duplexes = duplexes.filter(|_| whole)?;
        // Nodes are in the order of their names: neither the order of the file nor that of `ends` matters.
        duplexes.sort_by_key(|duplex| ordered(duplex.ends));
        for duplex in duplexes {
            let (a, b) = ordered(duplex.ends);
            network.add(a, b, &duplex);
            network.add(b, a, &duplex);
        }
        Some(network)
    }

    /// The node of a name.
    pub(crate) fn node(&self, name: &str) -> Option<NodeId> {
        // They are in the order of their names.
        self.nodes.binary_search_by(|node| natural(&node.name, name)).ok().map(NodeId::from_index)
    }

    /// The node of a name, or a report.
    pub(crate) fn expect_node(&self, name: &str, at: Option<At>, report: &mut Report) -> Option<NodeId> {
        let found = self.node(name);
        if found.is_none() {
            let names = self.nodes.iter().map(|node| node.name.as_str());
            let near = if report.is_long() { None } else { suggest::nearest(name, names) };
            report
                .error(at, format!("there is no node {}", quoted(name)))
                .label("unknown node")
                .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
        }
        found
    }

    /// The link from one node to another.
    pub(crate) fn link_between(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        self.between.get(&(from, to)).copied()
    }

    /// The link of a name `a->b`.
    pub(crate) fn link(&self, name: &str) -> Option<LinkId> {
        let (from, to) = name.split_once("->")?;
        self.link_between(self.node(from)?, self.node(to)?)
    }

    /// Switches next to a node, in the order of names.
    pub(crate) fn switches_next_to(&self, node: NodeId) -> &[NodeId] {
        &self.switches[node]
    }

    /// Whether a node has one neighbour only, and that is a switch: which one.
    pub(crate) fn only_switch(&self, node: NodeId) -> Option<NodeId> {
        match self.switches[node][..] {
            [switch] if self.hosts[node] == 0 => Some(switch),
            _ => None,
        }
    }

    /// Whether a node is a host.
    pub(crate) fn is_host(&self, node: NodeId) -> bool {
        self.nodes[node].kind == NodeKind::Host
    }

    /// Links of a topology with one line.
    fn line(&self, topology: &str, settings: &Settings) -> Option<Vec<Duplex>> {
        let (access_rate, trunk_rate, trunk_delay) = match topology {
            "n-source" => (settings.rate("rate")?, settings.rate("rate")?, settings.span("trunk_delay")?),
            "dumbbell" => {
                (settings.rate("access_rate")?, settings.rate("bottleneck_rate")?, settings.span("bottleneck_delay")?)
            }
            _ => return Some(Vec::new()),
        };
        let access_delay = settings.span("access_delay")?;
        let (left, right) = (self.node("sw1")?, self.node("sw2")?);
        let duplex =
            |ends, rate, delay| Duplex { ends, rate, delay, course: None, errors: Vec::new(), jitter: Span::ZERO };
        let mut links = vec![duplex((left, right), trunk_rate, trunk_delay)];
        for i in 1..=self.sources {
            let ends = [(self.node(&format!("s{i}"))?, left), (right, self.node(&format!("d{i}"))?)];
            links.extend(ends.map(|ends| duplex(ends, access_rate, access_delay)));
        }
        Some(links)
    }

    fn table_link(
        &self,
        named: &Named,
        network: &Settings,
        duration: Option<Span>,
        taken: &mut HashMap<(NodeId, NodeId), Option<At>>,
        report: &mut Report,
    ) -> Option<Duplex> {
        let settings = Settings::resolve(Section::Link, &[&named.given]);
        settings.require(&format!("[link.{}]", named.name), &|_| None, report);
        let ends = match settings.value("ends") {
            Some(Value::Names(ends)) => self.ends(ends, settings.at("ends"), report),
            _ => None,
        };
        let (rate, delay) = (settings.rate("rate"), settings.span("delay"));
        let ends = ends?;
        if taken.insert(ordered(ends), settings.at("ends")).is_some() {
            let (a, b) = (&self.nodes[ends.0].name, &self.nodes[ends.1].name);
            report
                .error(settings.at("ends"), format!("there is already a link between {a} and {b}"))
                .label("second link between these two")
                .help("put a switch into one of them if two ways are meant");
            return None;
        }
        if network.word("technology") == Some("atm")
            && let Some(key) = PATH_KEYS.iter().find(|key| is_of_path(&settings, key))
        {
            report
                .error(settings.at(key), format!("`{key}` changes or corrupts packets, and this is an ATM network"))
                .label("links of ATM networks are plain")
                .help("leave it out, or write technology = \"packet\" in [network]");
            return None;
        }
        let context = |_: &str| None;
        warn_unused(&named.given, Section::Link, &[&settings], &context, report);
        let errors = self.errors(&settings, ends, report);
        let course = paths::course(&settings, &named.name, duration, report);
        let jitter = settings.span("jitter");
        Some(Duplex { ends, rate: rate?, delay: delay?, course: course?, errors: errors?, jitter: jitter? })
    }

    /// The error models of a link, with their directions.
    #[allow(clippy::type_complexity)]
    fn errors(
        &self,
        settings: &Settings,
        ends: (NodeId, NodeId),
        report: &mut Report,
    ) -> Option<Vec<(Option<(NodeId, NodeId)>, ErrorParams)>> {
        let Some(Value::Errors(all)) = settings.value("errors") else { return Some(Vec::new()) };
        let mut models = Vec::with_capacity(all.len());
        for LinkErrors { params, direction } in all {
            let direction = match direction {
                None => None,
                Some(name) => Some(self.direction(name, ends, report)?),
            };
            models.push((direction, params.clone()));
        }
        Some(models)
    }

    /// One direction of a link between two nodes.
    fn direction(&self, name: &Name, (a, b): (NodeId, NodeId), report: &mut Report) -> Option<(NodeId, NodeId)> {
        let both = [(a, b), (b, a)];
        let spelled = |(from, to): (NodeId, NodeId)| format!("{}->{}", self.nodes[from].name, self.nodes[to].name);
        let found = both.into_iter().find(|&direction| spelled(direction) == name.text);
        if found.is_none() {
            report.error(name.at, format!("{} is no direction of this link", quoted(&name.text))).label(format!(
                "expected {:?} or {:?}",
                spelled(both[0]),
                spelled(both[1])
            ));
        }
        found
    }

    fn ends(&self, names: &[Name], at: Option<At>, report: &mut Report) -> Option<(NodeId, NodeId)> {
        let [a, b] = names else { return None };
        let (from, to) = (self.expect_node(&a.text, Some(a.at), report), self.expect_node(&b.text, Some(b.at), report));
        let (from, to) = (from?, to?);
        if from == to {
            report
                .error(at, format!("the link connects {} with itself", a.text))
                .label("two different nodes are needed");
            return None;
        }
        Some((from, to))
    }

    fn add(&mut self, from: NodeId, to: NodeId, duplex: &Duplex) {
        let name = format!("{}->{}", self.nodes[from].name, self.nodes[to].name);
        let queue = Queue::unlimited();
        let here = duplex.errors.iter().filter(|(direction, _)| direction.is_none_or(|of| of == (from, to)));
        let errors = here.map(|(_, params)| params.clone()).collect();
        let path = PathParams { course: duplex.course.clone(), errors, jitter: duplex.jitter };
        let (rate, delay) = (duplex.rate, duplex.delay);
        let link = self.links.push(Link { name, from, to, rate, delay, path, queue });
        self.between.insert((from, to), link);
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

/// All nodes in natural order of their names.
fn nodes(
    document: &Document,
    topology: &str,
    sources: u64,
    report: &mut Report,
    whole: &mut bool,
) -> Option<IdVec<NodeId, Node>> {
    let mut all: HashMap<String, NodeKind> = HashMap::new();
    if ONE_LINE.contains(&topology) {
        for i in 1..=sources {
            all.insert(format!("s{i}"), NodeKind::Host);
            all.insert(format!("d{i}"), NodeKind::Host);
        }
        all.insert("sw1".to_owned(), NodeKind::Switch);
        all.insert("sw2".to_owned(), NodeKind::Switch);
    }
    for named in &document.nodes {
        let settings = Settings::resolve(Section::Node, &[&named.given]);
        settings.require(&format!("[node.{}]", named.name), &|_| None, report);
        if all.contains_key(&named.name) {
            report
                .error(named.at, format!("the topology {topology} already has a node {}", named.name))
                .label("name is taken")
                .help("choose another name");
            *whole = false;
            continue;
        }
        let kind = match settings.word("kind") {
            Some("host") => NodeKind::Host,
            Some(_) => NodeKind::Switch,
            None => {
                *whole = false;
                NodeKind::Switch
            }
        };
        all.insert(named.name.clone(), kind);
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

/// Whether a key of a link is given, and makes it more than plain.
fn is_of_path(settings: &Settings, key: &str) -> bool {
    let jitters = key == "jitter" && settings.span(key).is_some_and(|jitter| jitter > Span::ZERO);
    jitters || matches!(settings.value(key), Some(Value::Schedule(_) | Value::Outages(_) | Value::Errors(_)))
}

/// The keys with which a link may change or corrupt packets.
const PATH_KEYS: [&str; 5] = ["rate", "delay", "jitter", "outages", "errors"];

fn ordered((a, b): (NodeId, NodeId)) -> (NodeId, NodeId) {
    (a.min(b), a.max(b))
}
