//! From the sections of a document to a scenario: everything that depends on more than one key.

use std::collections::BTreeSet;

use ackclock::ids::{FlowId, Id, IdVec};
use ackclock::keys::{Dimension, Quantity, Value};
use ackclock::record::MetricSet;
use ackclock::scenario::{Flow, Recording, Scenario, Technology};
use ackclock::units::Span;

use crate::abr;
use crate::bottleneck;
use crate::document::{Document, network_settings};
use crate::doubts;
use crate::feedback;
use crate::flows::application;
use crate::flows::exchanges;
use crate::flows::route_changes;
use crate::flows::service;
use crate::flows::tcp;
use crate::flows::udp;
use crate::flows::{self, GivenKeys, PlannedFlow};
use crate::keys::Section;
use crate::keys::words::{self, TechnologyWord};
use crate::mechanisms::{self, Tables};
use crate::medium;
use crate::network::Network;
use crate::queues::{self, QueueSettings};
use crate::satellite_links;
use crate::satellites::{self, Satellites};
use crate::settings::{Settings, warn_unused};
use crate::text::diagnostic::{At, Report};
use crate::text::source::Source;
use crate::topologies::{TOPOLOGIES, Topology};
use crate::value::FileValue;

/// A scenario, and where every part of it comes from.
pub(crate) struct Plan {
    pub(crate) scenario: Scenario,
    pub(crate) seed: u64,
    pub(crate) top: Settings,
    pub(crate) network: Settings,
    pub(crate) queues: QueueSettings,
    pub(crate) framing: Settings,
    /// What holds in [abr], if a flow is of that service.
    pub(crate) abr: Option<Settings>,
    pub(crate) tcp: Tables,
    pub(crate) traffic: Tables,
    pub(crate) tables: FlowTables,
    /// What is said about satellites, and their contact plan.
    pub(crate) satellites: Option<Satellites>,
    pub(crate) contacts: Option<ackclock_sat::plan::Plan>,
}

/// What holds before anything is known of nodes and flows.
struct Frame {
    top: Settings,
    network: Settings,
    topology: Option<&'static Topology>,
    technology_word: Option<TechnologyWord>,
    /// The keys of [atm] or [packet].
    framing: Settings,
    technology: Option<Technology>,
}

impl Frame {
    fn read(document: &Document, path: &str, report: &mut Report) -> Frame {
        let mut top = Settings::resolve(Section::Top, &[&document.top]);
        let has_satellites = document.satellites.at.is_some();
        let mut network = network_settings(&document.network, has_satellites);
        if has_satellites {
            refuse_with_satellites(&network, report);
        }
        let technology_word = network.choice("technology", &words::TECHNOLOGIES);
        let topology = network.choice("topology", &TOPOLOGIES);
        top.set_default("name", FileValue::Text(stem(path)), "the name of the file");
        if let Some(topology) = topology {
            network.set_defaults_of(topology);
            let link = topology.bottleneck.unwrap_or("none");
            top.set_default("bottleneck", FileValue::Text(link.to_owned()), "the link between the switches");
        }
        let has_bottleneck = top.text("bottleneck").map(|name| if name == "none" { "none" } else { "named" });
        let words = [
            ("technology", network.word("technology")),
            ("topology", network.word("topology")),
            ("bottleneck", has_bottleneck),
            ("record", top.is_list_given("record")),
        ];
        let context = |key: &str| words.iter().find(|(name, _)| *name == key).and_then(|(_, word)| *word);
        top.require("", &|_| None, report);
        if document.network.at.is_none() && !has_satellites {
            report.error(None, "the section [network] is missing").help(
                "add [network] with topology = \"n-source\", \"dumbbell\" or \"graph\" and the keys of that topology",
            );
        } else {
            network.require("[network]", &context, report);
        }
        times(&top, report);
        doubts::of_times(document, &top, report);
        warn_capacity(document, &top, has_bottleneck, report);
        foreign_sections(document, technology_word, report);
        let framing = framing(document, technology_word);
        let technology = technology(technology_word, &framing);
        Frame { top, network, topology, technology_word, framing, technology }
    }
}

/// Checks what the document says as a whole. `None`: wrong, and reported.
pub(crate) fn plan(document: &Document, source: &dyn Source, path: &str, report: &mut Report) -> Option<Plan> {
    let Frame { mut top, network: network_settings, topology, technology_word, framing, technology } =
        Frame::read(document, path, report);
    let queues = technology_word.map(|technology| queues::settings(document, technology, report));
    warn_tcp(document, &network_settings, report);
    application::check(document, network_settings.word("technology"), report);
    let traffic = application::of_traffic(document);

    let context = satellites::Context { document, duration: top.span("duration"), source };
    let satellites = Satellites::read(&context, report);
    let in_sky = satellites.as_ref().ok().and_then(Option::as_ref);
    let made = topology.and_then(|topology| (topology.flows)(&network_settings));
    let mut network = match &satellites {
        Ok(_) => Network::build(document, &network_settings, made.as_ref(), in_sky, top.span("duration"), report),
        Err(()) => None,
    };
    let flow_context = flows::Context {
        document,
        network: network.as_ref(),
        technology,
        duration: top.span("duration"),
        made: made.as_ref().map(|made| &made.flows[..]),
    };
    let flows = flows::plan(&flow_context, report);
    let (network, mut flows, queues, technology) = (network.as_mut()?, flows?, queues?, technology?);
    exchanges::add_responses(&mut flows, technology, report)?;
    let mut udp = udp::plan(document, network, technology, top.span("duration"), &flows, report);
    let of_udp = udp.as_deref_mut().unwrap_or_default();
    let contacts = match in_sky {
        Some(satellites) => Some(satellite_links::fill(satellites, network, &mut flows, of_udp, report)?),
        None => None,
    };
    let changing = flows.iter_mut().map(|planned| (&mut planned.flow, &planned.given.route_changes));
    // The routes of a network with satellites follow from these: no flow changes its own.
    let mut events = route_changes::fill(network, changing);
    events.extend(contacts.as_ref().map(satellite_links::events).unwrap_or_default());
    queues::fill(network, &flows, of_udp, &queues, technology, report);
    flows::receive_window::size(network, &mut flows);
    feedback::check(network, &flows, &queues, report);
    medium::check(network, (&flows, of_udp), &queues, report);
    abr::check_minimum_rates(network, &flows, report);
    abr::warn_parameters(document, &flows, report);
    abr::warn_rates(network, technology, &flows, &queues, report);
    let bottleneck = bottleneck::find(network, &flows, technology, &mut top, report).ok()?;
    if let Some(bottleneck) = &bottleneck {
        let places =
            [top.at("bottleneck"), network_settings.at("access_rate").or(network_settings.at("bottleneck_rate"))];
        doubts::of_bottleneck(network, &flows, of_udp, (bottleneck.link, places), report);
    }
    doubts::of_windows(network, &flows, report);
    doubts::of_marks(network, &flows, report);
    let recording = recording(&top, network, report);
    if report.has_errors() {
        return None;
    }
    let path_mtu = common_mtu(&flows);
    let mut tcp = tcp::settings(Section::Tcp, &[&document.tcp], technology_word, path_mtu);
    flows::receive_window::describe(&mut tcp.own, &flows);
    let (flows, tables) = FlowTables::of(flows, path_mtu, network);
    let scenario = Scenario {
        name: top.text("name")?.to_owned(),
        duration: top.span("duration")?,
        warmup: top.span("warmup")?,
        technology,
        flows,
        nodes: std::mem::take(&mut network.nodes),
        links: std::mem::take(&mut network.links),
        udp: udp?,
        bottleneck,
        recording: recording?,
        events,
    };
    let seed = top.integer("seed")?;
    let (network, satellites) = (network_settings, satellites.ok()?);
    let abr = scenario.has_abr().then(|| service::settings(None, document));
    Some(Plan { scenario, seed, top, network, queues, framing, abr, tcp, traffic, tables, satellites, contacts })
}

/// What is written of the flows of a scenario.
#[derive(Default)]
pub(crate) struct FlowTables {
    /// Those that have a table of their own, and what was said about them.
    pub(crate) flows: Vec<(FlowId, GivenKeys)>,
    /// The names by which files know the ends of those.
    pub(crate) ends: Vec<(String, String)>,
    /// Which tables of arrivals say all of their files, by their places among the files of the document: those whose files take of TCP what
    /// other flows do.
    pub(crate) arrivals: BTreeSet<usize>,
}

impl FlowTables {
    fn of(planned: Vec<PlannedFlow>, path_mtu: Option<u32>, network: &Network) -> (IdVec<FlowId, Flow>, FlowTables) {
        let mut tables = FlowTables::default();
        let ids = (0..planned.len()).map(FlowId::from_index);
        // Collected where they are: of many flows there is no room for both.
        let flows = planned.into_iter().zip(ids).map(|(PlannedFlow { flow, given }, id)| {
            // What TCP takes from another path than that of the others is written too.
            let has_other_path = given.path_mtu != path_mtu;
            match given.files.filter(|_| !has_other_path) {
                _ if flow.back_of.is_some() => {}
                Some(files) => drop(tables.arrivals.insert(files)),
                None if given.has_table || has_other_path => {
                    let last = flow.forward.destination(&network.links);
                    let from = network.links[flow.forward.first()].from;
                    tables.flows.push((id, given));
                    tables.ends.push((network.name_in_files(from).to_owned(), network.name_in_files(last).to_owned()));
                }
                None => {}
            }
            flow
        });
        let mut flows: IdVec<FlowId, Flow> = flows.collect();
        flows.shrink_to_fit();
        (flows, tables)
    }
}

/// What holds in [atm] or [packet], whichever is about this technology.
fn framing(document: &Document, technology: Option<TechnologyWord>) -> Settings {
    match technology {
        Some(TechnologyWord::Packet) => {
            let mut framing = Settings::resolve(Section::Packet, &[&document.packet]);
            if document.satellites.at.is_some() {
                let header = Quantity { dimension: Dimension::Size, amount: 16 };
                framing.replace_default("link_header", Value::Quantity(header), "literature: ns-2");
            }
            framing
        }
        Some(TechnologyWord::Atm) | None => Settings::resolve(Section::Atm, &[&document.atm]),
    }
}

/// The MTU of all paths of data, if it is one.
fn common_mtu(flows: &[PlannedFlow]) -> Option<u32> {
    let mut mtus = flows.iter().map(|planned| planned.given.path_mtu);
    let first = mtus.next()??;
    mtus.all(|mtu| mtu == Some(first)).then_some(first)
}

/// What is to be written down while the run goes on.
fn recording(top: &Settings, network: &Network, report: &mut Report) -> Option<Recording> {
    let metrics = match top.value("record") {
        Some(FileValue::Metrics(metrics)) => *metrics,
        _ => MetricSet::NONE,
    };
    let mut captures = Vec::new();
    if let Some(FileValue::Names(names)) = top.value("capture") {
        for name in names {
            let node = match network.host_at(&name.text) {
                Some(host) => host,
                None => network.expect_node(&name.text, Some(name.at), report)?,
            };
            if !network.is_host(node) {
                report
                    .error(name.at, format!("{} is a switch", name.text))
                    .label("captures are made at hosts")
                    .help("record = [\"drops\"] records the units that a port refuses");
                return None;
            }
            if captures.contains(&node) {
                report.warning(name.at, format!("{} is in the list already", name.text)).label("counts once");
                continue;
            }
            captures.push(node);
        }
    }
    captures.sort_unstable();
    if metrics.is_empty()
        && let Some(at) = top.at("record_interval")
    {
        report
            .warning(at, "`record_interval` has no effect here")
            .label("nothing is recorded")
            .help("name metrics, as in record = [\"queue\"]");
    }
    let delays = top.flag("delays").unwrap_or(false);
    Some(Recording { metrics, interval: top.span("record_interval")?, captures, delays })
}

/// Reports what satellites cannot go with.
fn refuse_with_satellites(network: &Settings, report: &mut Report) {
    if network.choice("technology", &words::TECHNOLOGIES) == Some(TechnologyWord::Atm) {
        report
            .error(network.at("technology"), "satellites forward packets, and this is an ATM network")
            .label("not with [satellites]")
            .help("leave it out, or write technology = \"packet\"");
    }
    if network.choice("topology", &TOPOLOGIES).is_some_and(Topology::makes_flows) {
        report
            .error(network.at("topology"), "satellites connect places, and this topology has none")
            .label("not with [satellites]")
            .help("leave it out, or write topology = \"graph\" and describe what is on the ground in [node] and [link] tables");
    }
}

/// The name of a file without folder and ending.
fn stem(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".toml").filter(|stem| !stem.is_empty()).unwrap_or(file).to_owned()
}

fn times(top: &Settings, report: &mut Report) {
    let (Some(duration), Some(warmup)) = (top.span("duration"), top.span("warmup")) else { return };
    if warmup >= duration {
        let spelled = |span: Span| Quantity { dimension: Dimension::Time, amount: span.as_ps() }.canonical();
        report
            .error(top.at("warmup"), format!("`warmup` is {}, the run lasts {}", spelled(warmup), spelled(duration)))
            .label("must be less than `duration`");
    }
}

/// The default, which canonical files state, needs no check.
fn warn_capacity(document: &Document, top: &Settings, bottleneck: Option<&str>, report: &mut Report) {
    let is_default = top.word("capacity") == Some("auto");
    if let (Some("none"), Some(at), false) = (bottleneck, document.top.key_at("capacity"), is_default) {
        report
            .warning(at, "`capacity` has no effect here")
            .label("there is no bottleneck")
            .help("name a link, as in bottleneck = \"sw1->sw2\"");
    }
}

/// Reports what belongs to the other technology.
fn foreign_sections(document: &Document, technology: Option<TechnologyWord>, report: &mut Report) {
    let mut refuse = |at: Option<At>, what: &str, belongs: &str, here: &str| {
        if let Some(at) = at {
            report
                .error(at, format!("{what} belongs to {belongs} networks"))
                .label(format!("technology is \"{here}\""))
                .help(format!(
                    "leave it out, or write technology = \"{}\" in [network]",
                    if here == "atm" { "packet" } else { "atm" }
                ));
        }
    };
    match technology {
        Some(TechnologyWord::Atm) => refuse(document.packet.at, "[packet]", "packet", "atm"),
        Some(TechnologyWord::Packet) => {
            refuse(document.atm.at, "[atm]", "ATM", "packet");
            refuse(document.abr.at, "[abr]", "ATM", "packet");
            for named in &document.flows {
                for key in ["pcr", "service"] {
                    refuse(named.given.key_at(key), &format!("`{key}`"), "ATM", "packet");
                }
                refuse(named.abr.at, &format!("[flow.{}.abr]", named.name), "ATM", "packet");
            }
        }
        None => {}
    }
}

fn technology(word: Option<TechnologyWord>, framing: &Settings) -> Option<Technology> {
    Some(match word? {
        TechnologyWord::Atm => Technology::Atm { llc: framing.flag("llc")? },
        TechnologyWord::Packet => {
            Technology::Packet { link_header_bytes: u32::try_from(framing.amount("link_header")?).ok()? }
        }
    })
}

/// Warns about keys of [tcp] that no flow uses, and keys of [flow.NAME.tcp] that this flow does not.
fn warn_tcp(document: &Document, network: &Settings, report: &mut Report) {
    let technology = network.choice("technology", &words::TECHNOLOGIES);
    let resolved: Vec<Tables> = document
        .tables_of_flows()
        .map(|named| tcp::settings(Section::FlowTcp, &[&named.tcp, &document.tcp], technology, None))
        .collect();
    for (named, tables) in document.tables_of_flows().zip(&resolved) {
        warn_unused(&named.tcp.own, Section::FlowTcp, &[&tables.own], &|_| None, report);
        mechanisms::warn(&named.tcp.mechanisms, Section::FlowTcpAlgorithm, &[tables], report);
    }
    let general = tcp::settings(Section::Tcp, &[&document.tcp], technology, None);
    let generated = network.choice("topology", &TOPOLOGIES).is_some_and(Topology::makes_flows);
    let mut everywhere: Vec<&Tables> = resolved.iter().collect();
    if generated || document.tables_of_flows().any(|named| named.tcp.is_empty()) {
        everywhere.push(&general);
    }
    let own: Vec<&Settings> = everywhere.iter().map(|tables| &tables.own).collect();
    warn_unused(&document.tcp.own, Section::Tcp, &own, &|_| None, report);
    mechanisms::warn(&document.tcp.mechanisms, Section::TcpAlgorithm, &everywhere, report);
}
