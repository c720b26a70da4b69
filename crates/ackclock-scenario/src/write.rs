//! The whole scenario as a file again: every key that applies, in one order, in one spelling.

use std::borrow::Cow;
use std::fmt::Write as _;

use ackclock::ids::LinkId;
use ackclock::keys::Value;
use ackclock::scenario::{Flow, NodeKind, Scenario, ServiceCategory};
use ackclock::units::Time;

use crate::document::{Document, Named};
use crate::flows::GivenKeys;
use crate::keys::Section;
use crate::mechanisms::Tables;
use crate::plan::Plan;
use crate::settings::{Origin, Settings};
use crate::text::diagnostic::Report;
use crate::text::names::natural;
use crate::topologies;
use crate::value::{FileValue, drops, list, text};

/// A key, its value as in a file, and where that comes from.
type Line<'a> = (&'static str, Cow<'a, str>, Option<&'a Origin>);

/// A file to be.
struct Writer<'a> {
    /// The texts that values come from, if that is to be said.
    sources: Option<&'a Report>,
    text: String,
}

/// The canonical text of a plan.
pub(crate) fn plain(plan: &Plan, document: &Document) -> String {
    write(plan, document, None)
}

/// The canonical text of a plan with the sources of its values.
pub(crate) fn annotated(plan: &Plan, document: &Document, report: &Report) -> String {
    write(plan, document, Some(report))
}

fn write(plan: &Plan, document: &Document, sources: Option<&Report>) -> String {
    let mut writer = Writer { sources, text: String::new() };
    let technology = plan.network.word("technology");
    let topology = plan.network.word("topology");
    let bottleneck = plan.top.text("bottleneck").map(|name| if name == "none" { "none" } else { "named" });
    let words = [
        ("technology", technology),
        ("topology", topology),
        ("bottleneck", bottleneck),
        ("record", plan.top.is_list_given("record")),
    ];
    let context = |key: &str| words.iter().find(|(name, _)| *name == key).and_then(|(_, word)| *word);
    writer.section(None, &plan.top, None, &context);
    writer.section(Some("network"), &plan.network, None, &context);
    let in_order = |tables: &'_ [Named]| -> Vec<usize> {
        let mut order: Vec<usize> = (0..tables.len()).collect();
        order.sort_by(|a, b| natural(&tables[*a].name, &tables[*b].name));
        order
    };
    for (section, tables) in [(Section::Node, &document.nodes), (Section::Link, &document.links)] {
        for index in in_order(tables) {
            let named = &tables[index];
            let settings = Settings::resolve(section, &[&named.given]);
            writer.section(Some(&header(section.key(), &named.name)), &settings, None, &context);
        }
    }
    for index in in_order(&document.directions) {
        writer.given(Section::LinkDirection, &document.directions[index]);
    }
    for index in in_order(&document.media) {
        let named = &document.media[index];
        let settings = Settings::resolve(Section::Medium, &[&named.given]);
        writer.section(Some(&header("medium", &named.name)), &settings, None, &context);
    }
    if let Some(satellites) = &plan.satellites {
        let context = |key: &str| satellites.word(key).or_else(|| context(key));
        writer.section(Some("satellites"), &satellites.settings, None, &context);
        for place in satellites.places.iter().filter(|place| place.at.is_some()) {
            writer.section(Some(&header("place", &place.name)), &place.settings, None, &context);
        }
    }
    let general = &plan.queues.general;
    writer.tables("queue", general, None, QUEUE_CHOICES, &context);
    for (name, port) in &plan.queues.ports {
        writer.tables(&header("port", name), port, Some(general), QUEUE_CHOICES, &context);
    }
    writer.section(Some(plan.framing.section.key()), &plan.framing, None, &context);
    if let Some(abr) = &plan.abr {
        writer.section(Some("abr"), abr, None, &context);
    }
    writer.tables("tcp", &plan.tcp, None, TCP_CHOICES, &context);
    writer.tables("traffic", &plan.traffic, None, FLOW_CHOICES, &context);
    for ((flow, given), ends) in plan.tables.flows.iter().zip(&plan.tables.ends) {
        writer.flow(plan, &plan.scenario.flows[*flow], given, ends, &context);
    }
    let of_files: Vec<&str> = plan.tables.arrivals.iter().map(|files| &*document.files[*files].of_each.name).collect();
    for index in in_order(&document.arrivals) {
        let named = &document.arrivals[index];
        if of_files.contains(&&*named.name) {
            let settings = Settings::resolve(Section::Arrivals, &[&named.given]);
            writer.section(Some(&header("arrivals", &named.name)), &settings, None, &context);
        }
    }
    for index in in_order(&document.udp) {
        let named = &document.udp[index];
        let settings = Settings::resolve(Section::Udp, &[&named.given]);
        writer.section(Some(&header("udp", &named.name)), &settings, None, &context);
    }
    writer.text
}

impl Writer<'_> {
    /// The keys of a section that are used and differ from what holds without it.
    fn section(
        &mut self,
        header: Option<&str>,
        settings: &Settings,
        below: Option<&Settings>,
        context: &dyn Fn(&str) -> Option<&'static str>,
    ) {
        let mut lines = Vec::new();
        for key in settings.section.keys() {
            if settings.is_used(key, context) == Some(false) {
                continue;
            }
            let Some((value, spelled, origin)) = settings.written(key.name) else { continue };
            let written_below = below.is_some_and(|below| {
                let below_key = below.section.key_named(key.name);
                below_key.is_some_and(|key| below.is_used(key, context) != Some(false))
                    && below.value(key.name) == Some(value)
            });
            if !written_below {
                lines.push((key.name, spelled, Some(origin)));
            }
        }
        // A section that says nothing new is left out.
        if below.is_some() && lines.is_empty() {
            return;
        }
        self.lines(header, lines);
    }

    /// A table, and those of the mechanisms that its keys `choices` choose: what differs from what holds without it.
    fn tables(
        &mut self,
        header: &str,
        tables: &Tables,
        below: Option<&Tables>,
        choices: &[&str],
        context: &dyn Fn(&str) -> Option<&'static str>,
    ) {
        self.section(Some(header), &tables.own, below.map(|below| &below.own), context);
        self.chosen(header, tables, below, choices, context);
    }

    /// The tables of the mechanisms that the keys `choices` of a table choose: what differs from what holds without them.
    fn chosen(
        &mut self,
        header: &str,
        tables: &Tables,
        below: Option<&Tables>,
        choices: &[&str],
        context: &dyn Fn(&str) -> Option<&'static str>,
    ) {
        for key in choices {
            let Some(chosen) = tables.chosen(key) else { continue };
            // Of another mechanism nothing is written there.
            let is_same = |below: &&Tables| below.own.word(key) == tables.own.word(key);
            let below = below.filter(is_same).and_then(|below| below.chosen(key));
            self.section(Some(&format!("{header}.{}", chosen.section.key())), chosen, below, context);
        }
    }

    /// The keys that a table gives, and no other: what it does not give holds as it holds without it.
    fn given(&mut self, section: Section, named: &Named) {
        let settings = Settings::resolve(section, &[&named.given]);
        let given = section.keys().filter_map(|key| Some((key.name, named.given.value(key.name)?)));
        let lines = given.map(|(key, value)| (key, value.spelled().into(), settings.origin(key))).collect();
        self.lines(Some(&header(section.key(), &named.name)), lines);
    }

    fn flow(
        &mut self,
        plan: &Plan,
        flow: &Flow,
        given: &GivenKeys,
        (from, to): &(String, String),
        context: &dyn Fn(&str) -> Option<&'static str>,
    ) {
        let common = &given.common;
        let scenario = &plan.scenario;
        let own = &common.settings.own;
        let found = Origin::Default("fewest links, then least delay, then names in order".into());
        let mut lines: Vec<Line<'_>> = Vec::new();
        let topology = plan.network.choice("topology", &topologies::TOPOLOGIES);
        let to_made = topology.map(|topology| topology.destination(&flow.name));
        let made = [Some(topologies::host('s', &flow.name)), to_made].map(|name| name.filter(|_| given.is_generated));
        for ((key, name), made) in [("from", from), ("to", to)].into_iter().zip(made) {
            if made.as_ref() != Some(name) {
                lines.push((key, text(name).into(), own.origin(key)));
            }
        }
        if let Some(group) = &flow.group {
            lines.push(("group", text(group).into(), own.origin("group")));
        }
        let routes =
            [("route", &flow.forward, given.default_routes.0), ("back_route", &flow.backward, given.default_routes.1)];
        for ((key, route, is_default), changes) in routes.into_iter().zip(&given.route_changes) {
            // What satellites change follows from the rest of the scenario.
            if route.fixed().is_none() && changes.is_empty() {
                continue;
            }
            if !(given.is_generated && is_default) {
                let path = route.at(Time::ZERO, &scenario.links);
                lines.push((key, nodes(scenario, &path).into(), own.origin(key).or(Some(&found))));
            }
        }
        for (key, changes) in ["route_changes", "back_route_changes"].into_iter().zip(&given.route_changes) {
            if let Some(value) = own.value(key).filter(|_| !changes.is_empty()) {
                lines.push((key, value.spelled().into(), own.origin(key)));
            }
        }
        if !flow.forced_drops.is_empty() {
            lines.push(("drops", drops(&flow.forced_drops).into(), own.origin("drops")));
        }
        let of_service = ["service", "pcr"].map(|key| (key, &plan.framing));
        for (key, below) in of_service {
            if let Some(value) = own.value(key)
                && below.section != Section::Packet
                && below.value(key) != Some(value)
            {
                lines.push((key, value.spelled().into(), own.origin(key)));
            }
        }
        for key in Section::Traffic.keys().filter(|key| own.is_used(key, context) != Some(false)) {
            let below = &plan.traffic.own;
            // What [traffic] does not use, as the interval where everything is written at once, is not said there.
            let is_said = below.is_used(key, context) != Some(false);
            let of_file = given.files.and_then(|_| of_file(flow, key.name));
            let value = of_file.as_ref().or(own.value(key.name));
            if let Some(value) = value.filter(|value| !is_said || below.value(key.name) != Some(value)) {
                lines.push((key.name, value.spelled().into(), own.origin(key.name)));
            }
        }
        let name = header("flow", &flow.name);
        if !lines.is_empty() {
            self.lines(Some(&name), lines);
        }
        self.chosen(&name, &common.settings, Some(&plan.traffic), FLOW_CHOICES, context);
        if matches!(flow.service, ServiceCategory::Abr(_)) {
            self.section(Some(&format!("{name}.abr")), &common.abr_settings, plan.abr.as_ref(), context);
        }
        self.tables(&format!("{name}.tcp"), &common.tcp_settings, Some(&plan.tcp), TCP_CHOICES, context);
    }

    fn lines(&mut self, header: Option<&str>, lines: Vec<Line<'_>>) {
        if let Some(header) = header {
            let _ = writeln!(self.text, "\n[{header}]");
        }
        let Some(report) = self.sources else {
            for (key, value, _) in lines {
                for part in [key, " = ", &value, "\n"] {
                    self.text.push_str(part);
                }
            }
            return;
        };
        let lines: Vec<(String, Option<&Origin>)> =
            lines.into_iter().map(|(key, value, origin)| (format!("{key} = {value}"), origin)).collect();
        let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= 48).max().unwrap_or(0);
        for (line, origin) in lines {
            let comment = match origin {
                Some(Origin::Given(at)) => format!("from {}", report.file_line(*at)),
                Some(Origin::Default(source)) => format!("default: {source}"),
                None => "default".to_owned(),
            };
            let _ = writeln!(self.text, "{line:<width$}  # {}", one_line(&comment));
        }
    }
}

/// What a file does not share with the others of its table.
fn of_file(flow: &Flow, key: &str) -> Option<FileValue> {
    if key == "start" {
        return Some(Value::time(flow.start.since(Time::ZERO)).into());
    }
    flow.size.filter(|_| key == "size").map(|bytes| Value::bytes(bytes).into())
}

/// The keys of [queue] that choose mechanisms.
const QUEUE_CHOICES: &[&str] = &["policy", "rate_algorithm"];
/// The key of [traffic] and of flows that chooses a mechanism.
const FLOW_CHOICES: &[&str] = &["application"];
/// The keys of [tcp] that choose mechanisms.
const TCP_CHOICES: &[&str] = &["congestion_control", "recovery", "host"];

/// Control characters of a file's path must not end a comment.
fn one_line(comment: &str) -> String {
    comment.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// `KEY.NAME` of a header, quoted where needed.
fn header(key: &str, name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if bare { format!("{key}.{name}") } else { format!("{key}.{}", text(name)) }
}

fn nodes(scenario: &Scenario, path: &[LinkId]) -> String {
    let first = path.first().map(|id| scenario.links[*id].from);
    let others = path.iter().map(|id| scenario.links[*id].to);
    debug_assert!(first.is_none_or(|first| scenario.nodes[first].kind == NodeKind::Host), "routes begin at hosts");
    list(first.into_iter().chain(others).map(|node| text(&scenario.nodes[node].name)))
}
