//! Flows: those of the topology, and those of [flow] tables.

pub(crate) mod application;
pub(crate) mod arrivals;
mod dialects;
pub(crate) mod exchanges;
pub(crate) mod framing;
mod names;
pub(crate) mod receive_window;
pub(crate) mod route_changes;
pub(crate) mod service;
pub(crate) mod tcp;
pub(crate) mod udp;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use ackclock::ids::{LinkId, NodeId};
use ackclock::scenario::{Flow, ForcedDrop, MAX_ROUTE_LINKS, ServiceCategory, Technology};
use ackclock::shared::Shared;
use ackclock::tcp::{ApplicationParams, TcpParams};
use ackclock::units::{Span, Time};
use names::Origin;
use route_changes::RouteAt;

use crate::check::suggest;
use crate::document::{Document, File, Files, Named};
use crate::keys::Section;
use crate::keys::words::TechnologyWord;
use crate::mechanisms::{GivenTables, Tables};
use crate::network::Network;
use crate::network::routes::{self, Finder};
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::topologies::MadeFlow;
use crate::value::FileValue;

/// A flow as it will run, and what was said about it.
#[derive(Clone)]
pub(crate) struct PlannedFlow {
    pub(crate) flow: Flow,
    pub(crate) given: GivenKeys,
}

/// What was said about a flow.
#[derive(Clone)]
pub(crate) struct GivenKeys {
    pub(crate) common: Rc<Common>,
    /// If it is a file that arrives: the place of its table among [`Document::files`].
    pub(crate) files: Option<usize>,
    /// Whether it has a table of its own.
    pub(crate) has_table: bool,
    /// Whether the topology makes it.
    pub(crate) is_generated: bool,
    /// Whether its paths are the ones that would be found.
    pub(crate) default_routes: (bool, bool),
    /// Later paths of data and of acknowledgements.
    pub(crate) route_changes: [Vec<RouteAt>; 2],
    /// Octets of the largest datagram that the path of its data carries, if a link says so.
    pub(crate) path_mtu: Option<u32>,
}

/// What flows without a table of their own share, and files of one table but for start and size.
pub(crate) struct Common {
    pub(crate) settings: Rc<Tables>,
    pub(crate) abr_settings: Settings,
    pub(crate) tcp_settings: Tables,
    /// Whether the receive window follows the path.
    pub(crate) follows_path: bool,
    group: Option<Arc<str>>,
    start: Time,
    start_jitter: Span,
    stop: Option<Time>,
    size: Option<u64>,
    application: Shared<ApplicationParams>,
    service: service::GivenService,
    tcp: Shared<TcpParams>,
}

/// What flows depend on.
pub(crate) struct Context<'a> {
    pub(crate) document: &'a Document,
    /// `None`: wrong, and reported.
    pub(crate) network: Option<&'a Network>,
    pub(crate) technology: Option<Technology>,
    pub(crate) duration: Option<Span>,
    /// The flows that the topology makes; `None` if not known.
    pub(crate) made: Option<&'a [MadeFlow]>,
}

/// All flows in natural order of their names, or `None` and reports.
pub(crate) fn plan(context: &Context<'_>, report: &mut Report) -> Option<Vec<PlannedFlow>> {
    let Context { document, made, .. } = context;
    let tables: HashMap<&str, &Named> = document.flows.iter().map(|named| (named.name.as_str(), named)).collect();
    let names = names::of_flows(document, made.unwrap_or_default(), &tables);
    if names.is_empty() && made.is_some() && document.udp.is_empty() {
        let arrivals_are_wrong = !document.arrivals.is_empty() && report.has_errors();
        if document.nodes.is_empty() || arrivals_are_wrong {
            return None;
        }
        report.error(None, "the scenario has no flows").help("add [flow.NAME] with from = \"...\" and to = \"...\"");
        return None;
    }
    names::check_groups(document, &names, report);
    let mut planner = Planner {
        context,
        finder: context.network.map(Finder::new),
        services: context.network.map(service::Checker::new),
        mtu_reported: BTreeSet::new(),
        shared_settings: Rc::new(application::of_flow(document, None)),
        shared: BTreeMap::new(),
    };
    // Of the files of a table the first, like which the others are; `Some(None)`: it is wrong, and reported.
    let mut firsts: Vec<Option<Option<PlannedFlow>>> = document.files.iter().map(|_| None).collect();
    let mut whole = made.is_some();
    let mut flows = Vec::with_capacity(names.len());
    for (name, origin) in names {
        let planned = match origin {
            Origin::Topology(number) => {
                let table = tables.get(name.as_str()).copied();
                planner.flow(name, table, Some(number), report)
            }
            Origin::Table => {
                let table = tables.get(name.as_str()).copied();
                planner.flow(name, table, None, report)
            }
            Origin::Arrives(of, place) => {
                let Files { of_each, files } = &document.files[of];
                let first =
                    firsts[of].get_or_insert_with(|| planner.flow(name.clone(), Some(of_each), None, report)).as_ref();
                first.and_then(|first| file(first, name, of, files[place], report))
            }
        };
        whole &= planned.is_some();
        flows.extend(planned);
    }
    whole.then_some(flows)
}

/// The file called `name` of a table, the place of which is `of`, like the first of that.
fn file(first: &PlannedFlow, name: String, of: usize, file: File, report: &mut Report) -> Option<PlannedFlow> {
    let PlannedFlow { flow, given } = first;
    ends_later(&given.common.settings.own, file.start + flow.start_jitter, flow.stop, report)?;
    let flow = Flow { name, start: file.start, size: Some(file.size), ..flow.clone() };
    Some(PlannedFlow { flow, given: GivenKeys { files: Some(of), ..given.clone() } })
}

/// Whether a flow that begins then at the latest stops later; else it is said, once of all files of a table.
fn ends_later(keys: &Settings, begins: Time, stop: Option<Time>, report: &mut Report) -> Option<()> {
    if stop.is_none_or(|stop| stop > begins) {
        return Some(());
    }
    report
        .error(keys.at("stop").or(keys.at("start")), "the flow stops before it sends anything")
        .label("`stop` must be later than `start`, with `start_jitter`");
    None
}

struct Planner<'a> {
    context: &'a Context<'a>,
    finder: Option<Finder<'a>>,
    services: Option<service::Checker<'a>>,
    /// Where segments were already found too large.
    mtu_reported: BTreeSet<Option<At>>,
    /// Flows without a table of their own share what is said, for paths of one MTU.
    shared_settings: Rc<Tables>,
    shared: BTreeMap<Option<u32>, Option<Rc<Common>>>,
}

impl Planner<'_> {
    /// A flow with this table, or that the topology makes with this number; `None`: wrong, and reported.
    fn flow(
        &mut self,
        name: String,
        table: Option<&Named>,
        made: Option<usize>,
        report: &mut Report,
    ) -> Option<PlannedFlow> {
        let settings = match table {
            Some(_) => Rc::new(application::of_flow(self.context.document, table)),
            None => self.shared_settings.clone(),
        };
        let ends = self.ends(table, made, &name, report);
        let paths = ends.and_then(|ends| self.paths(&name, table, &settings.own, ends, report));
        let path_mtu = paths.as_ref().and_then(|(forward, ..)| self.path_mtu(forward));
        let common = match table {
            Some(_) => self.common(table, settings, path_mtu, report).map(Rc::new),
            None => match self.shared.get(&path_mtu) {
                Some(common) => common.clone(),
                None => {
                    let common = self.common(None, settings, path_mtu, report).map(Rc::new);
                    self.shared.insert(path_mtu, common.clone());
                    common
                }
            },
        };
        let (common, (forward, backward, default_routes)) = (common?, paths?);
        let forced_drops = self.drops(&common, report);
        self.check_mtu(&common, &forward, &backward, report);
        let route_changes = self.route_changes(&common, [&forward, &backward], report)?;
        let service = self.service(&name, &common, [&forward, &backward], report)?;
        let flow = Flow {
            name,
            group: common.group.clone(),
            forward: forward.into(),
            backward: backward.into(),
            start: common.start,
            start_jitter: common.start_jitter,
            stop: common.stop,
            size: common.size,
            application: common.application.clone(),
            service,
            tcp: common.tcp.clone(),
            forced_drops,
            back_of: None,
        };
        let (has_table, is_generated) = (table.is_some(), made.is_some());
        let given = GivenKeys { common, files: None, has_table, is_generated, default_routes, route_changes, path_mtu };
        Some(PlannedFlow { flow, given })
    }

    /// Octets of the largest datagram that a path carries, if a link says so.
    fn path_mtu(&self, path: &[LinkId]) -> Option<u32> {
        self.context.network?.path_mtu(path).map(|(_, mtu)| mtu.bytes)
    }

    /// Checks what a flow has in common with others whose paths have the same MTU.
    fn common(
        &self,
        table: Option<&Named>,
        settings: Rc<Tables>,
        path_mtu: Option<u32>,
        report: &mut Report,
    ) -> Option<Common> {
        let outside = &self.context.document.outside;
        let own = table.map(|named| &named.tcp);
        let layers: Vec<&GivenTables> = own.into_iter().chain([&self.context.document.tcp]).collect();
        let tcp_settings =
            tcp::settings(Section::FlowTcp, &layers, self.context.technology.map(TechnologyWord::of), path_mtu);
        let mut tcp = tcp::params(&tcp_settings, self.context.technology, outside, report);
        let keys = &settings.own;
        if let Some(tcp) = &mut tcp {
            tcp.reading = application::reading(keys);
            tcp.reneges_at = application::reneges_at(keys);
        }
        let start = keys.span("start").map(|start| Time::ZERO + start);
        let stop = keys.choice_or("stop", &[("never", None)], || keys.span("stop").map(|stop| Some(Time::ZERO + stop)));
        if let (Some(start), Some(duration)) = (start, self.context.duration)
            && start >= Time::ZERO + duration
        {
            report
                .warning(keys.at("start"), "the flow starts when the run is over")
                .label("not before the end of `duration`")
                .help("start it earlier, or make the run longer");
        }
        if let (Some(tcp), Some(duration)) = (&tcp, self.context.duration) {
            application::check_reneging(keys, tcp, duration, report);
        }
        let start_jitter = keys.span("start_jitter");
        if let (Some(start), Some(jitter), Some(stop)) = (start, start_jitter, stop) {
            ends_later(keys, start + jitter, stop, report)?;
        }
        let size = keys.choice_or("size", &[("infinite", None)], || keys.amount("size").map(Some));
        let application = tcp.as_ref().and_then(|tcp| application::params(&settings, tcp.mss, outside, report));
        let abr_settings = service::settings(table, self.context.document);
        let service = service::given(self.context.technology, keys, &abr_settings);
        Some(Common {
            start: start?,
            start_jitter: start_jitter?,
            stop: stop?,
            size: size?,
            application: application?.into(),
            service: service?,
            tcp: tcp?.into(),
            follows_path: tcp_settings.own.word("receive_window") == Some(tcp::AUTO),
            group: keys.text("group").map(Arc::from),
            settings,
            abr_settings,
            tcp_settings,
        })
    }

    /// The hosts of sender and receiver.
    fn ends(
        &self,
        table: Option<&Named>,
        made: Option<usize>,
        name: &str,
        report: &mut Report,
    ) -> Option<(NodeId, NodeId)> {
        let settings = table.map(|named| Settings::resolve(Section::Flow, &[&named.given]));
        if made.is_none() && self.context.made.is_some() {
            let is_missing = |key: &&&str| settings.as_ref().is_none_or(|settings| !settings.has(key));
            let missing: Vec<&str> = ["from", "to"].iter().filter(is_missing).copied().collect();
            self.missing_ends(name, &missing, table.map(|named| named.at), report);
        }
        let (source, sink) = made.and_then(|made| self.context.network?.hosts_of_made(made)).unzip();
        let end = |key: &str, usual: Option<NodeId>, report: &mut Report| {
            let given = settings.as_ref().filter(|settings| settings.has(key));
            if let Some(settings) = given {
                let (text, at) = (settings.text(key)?, settings.at(key));
                let network = self.context.network?;
                return network.expect_host(text, "flows", at, report);
            }
            usual
        };
        let (from, to) = (end("from", source, report), end("to", sink, report));
        let (from, to) = (from?, to?);
        if from == to {
            let at = settings.as_ref().and_then(|settings| settings.at("to").or(settings.at("from")));
            report.error(at, "the flow begins and ends at the same host").label("two different hosts are needed");
            return None;
        }
        Some((from, to))
    }

    fn missing_ends(&self, name: &str, keys: &[&str], at: Option<At>, report: &mut Report) {
        if keys.is_empty() {
            return;
        }
        let made = self.context.made.unwrap_or_default();
        let near = if made.len() <= 100 { suggest::nearest(name, made.iter().map(|flow| &*flow.name)) } else { None };
        let are = if keys.len() == 1 { "is" } else { "are" };
        let ours = match (made.first(), made.last()) {
            (Some(first), Some(last)) => format!("; the topology makes {} to {}", first.name, last.name),
            _ => String::new(),
        };
        let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        report
            .error(at, format!("`{}` {are} missing in [flow.{name}]", keys.join("` and `")))
            .label("a new flow needs `from` and `to`")
            .help(format!("add {} = \"...\"{ours}{near}", keys.join(" = \"...\" and ")));
    }

    /// Both paths, and whether they are the ones that would be found anyhow.
    #[allow(clippy::type_complexity)]
    fn paths(
        &mut self,
        name: &str,
        table: Option<&Named>,
        settings: &Settings,
        (from, to): (NodeId, NodeId),
        report: &mut Report,
    ) -> Option<(Vec<LinkId>, Vec<LinkId>, (bool, bool))> {
        let network = self.context.network?;
        let finder = self.finder.as_mut()?;
        let mut path = |key: &str, ends: (NodeId, NodeId), usual: Option<Vec<LinkId>>, report: &mut Report| {
            let found = usual.or_else(|| finder.find(ends.0, ends.1));
            match settings.has(key).then(|| (settings.value(key), settings.at(key))) {
                Some((Some(FileValue::Names(nodes)), at)) => {
                    let path = routes::along(network, ends, nodes, at, report)?;
                    let is_default = found.as_ref() == Some(&path);
                    Some((path, is_default))
                }
                Some(_) => None,
                None => {
                    if found.is_none() {
                        let (from, to) = (&network.nodes[ends.0].name, &network.nodes[ends.1].name);
                        report
                            .error(table.map(|named| named.at), format!("{name}: there is no path from {from} to {to}"))
                            .label("unreachable")
                            .help("hosts do not forward: every node between must be a switch");
                    }
                    found.map(|path| (path, true))
                }
            }
        };
        let forward = path("route", (from, to), None, report);
        // RM cells return through the ports that they came through.
        let reversed = forward.as_ref().filter(|_| service::is_abr(settings));
        let reversed = reversed.map(|(forward, _)| network.reversed(forward));
        let backward = if forward.is_some() { path("back_route", (to, from), reversed, report) } else { None };
        let ((forward, default_forward), (backward, default_backward)) = (forward?, backward?);
        if let Some(links) = [forward.len(), backward.len()].into_iter().find(|&links| links > MAX_ROUTE_LINKS) {
            report
                .error(table.map(|named| named.at), format!("{name}: the route has {links} links"))
                .label(format!("at most {MAX_ROUTE_LINKS}"));
            return None;
        }
        Some((forward, backward, (default_forward, default_backward)))
    }

    /// The later paths of data and acknowledgements that first take these.
    fn route_changes(
        &mut self,
        common: &Common,
        [forward, backward]: [&[LinkId]; 2],
        report: &mut Report,
    ) -> Option<[Vec<RouteAt>; 2]> {
        let has_satellites = self.context.document.satellites.at.is_some();
        if !matches!(self.context.technology, Some(Technology::Packet { .. })) {
            return Some([Vec::new(), Vec::new()]);
        }
        let network = self.context.network?;
        let read = |key, first, report: &mut Report| {
            route_changes::read(network, &common.settings.own, key, first, has_satellites, report)
        };
        let changes = [read("route_changes", forward, report)?, read("back_route_changes", backward, report)?];
        for change in &changes[0] {
            self.check_mtu(common, &change.path, backward, report);
        }
        for change in &changes[1] {
            self.check_mtu(common, forward, &change.path, report);
        }
        Some(changes)
    }

    /// The ATM service of a flow with these routes, there and back.
    fn service(
        &mut self,
        name: &str,
        common: &Common,
        routes: [&[LinkId]; 2],
        report: &mut Report,
    ) -> Option<ServiceCategory> {
        let settings = [&common.settings.own, &common.abr_settings];
        self.services.as_mut()?.service(name, &common.service, settings, routes, report)
    }

    fn drops(&self, common: &Common, report: &mut Report) -> Vec<ForcedDrop> {
        let Some(FileValue::Drops(drops)) = common.settings.own.value("drops") else { return Vec::new() };
        if let (Some(size), Some(last)) = (common.size, drops.last())
            && last.segment >= size.div_ceil(u64::from(common.tcp.mss))
        {
            report
                .warning(common.settings.own.at("drops"), format!("segment {} is never sent", last.segment))
                .label(format!("the flow has {} segments", size.div_ceil(u64::from(common.tcp.mss))));
        }
        drops.clone()
    }

    /// Nothing is fragmented: full segments and acknowledgements must fit the links of their paths.
    fn check_mtu(&mut self, common: &Common, forward: &[LinkId], backward: &[LinkId], report: &mut Report) {
        let Some(network) = self.context.network else { return };
        let (tcp, settings) = (&common.tcp, &common.tcp_settings.own);
        let segment = framing::full_segment_datagram_bytes(tcp);
        if let Some((link, mtu)) = network.path_mtu(forward).filter(|(_, mtu)| mtu.bytes < segment) {
            let at = settings.at("mss").or(mtu.at);
            let name = &network.links[link].name;
            let most = mtu.bytes.saturating_sub(segment - tcp.mss);
            let label = match settings.at("mss") {
                Some(_) => format!("at most {most} B"),
                None => format!("too small for the `mss` of {} B", tcp.mss),
            };
            if self.mtu_reported.insert(at) {
                report
                    .error(at, format!("full segments are datagrams of {segment} B, and the link {name} carries {} B", mtu.bytes))
                    .label(label)
                    .help(format!("there is no fragmentation: write mss = \"{most} B\", or dialect = \"standard\" without `mss`, which takes it from the path; or raise `mtu`"));
            }
        }
        let acknowledgement = framing::longest_ack_datagram_bytes(tcp);
        if let Some((link, mtu)) = network.path_mtu(backward).filter(|(_, mtu)| mtu.bytes < acknowledgement)
            && self.mtu_reported.insert(mtu.at)
        {
            let name = &network.links[link].name;
            report
                .error(mtu.at, format!("acknowledgements have up to {acknowledgement} B, and the link {name} carries {} B", mtu.bytes))
                .label(format!("at least {acknowledgement} B"))
                .help("there is no fragmentation: raise `mtu`, or leave out options, as with timestamps = false or receiver_sack = false");
        }
    }
}
