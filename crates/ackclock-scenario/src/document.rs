//! The sections of a tree, every key and value checked by itself. What depends on more than one key comes later.

use crate::keys::{Mechanism, Section};
use crate::mechanisms::GivenTables;
use crate::settings::Given;
use crate::text::diagnostic::{At, Report};
use crate::text::suggest;
use crate::text::tree::{Entry, Item, Node, Table, quoted};

/// All that a scenario's files say.
pub(crate) struct Document {
    pub(crate) top: Given,
    pub(crate) network: Given,
    pub(crate) nodes: Vec<Named>,
    pub(crate) links: Vec<Named>,
    /// Tables of links that are called after one direction, or after several.
    pub(crate) directions: Vec<Named>,
    pub(crate) queue: GivenTables,
    pub(crate) ports: Vec<Named>,
    pub(crate) atm: Given,
    pub(crate) packet: Given,
    pub(crate) abr: Given,
    pub(crate) tcp: GivenTables,
    pub(crate) traffic: Given,
    pub(crate) flows: Vec<Named>,
    pub(crate) udp: Vec<Named>,
    pub(crate) satellites: Given,
    pub(crate) places: Vec<Named>,
    /// Whether every section is a table where it should be: else what is missing is not known.
    pub(crate) is_whole: bool,
}

/// One of several tables of a kind.
pub(crate) struct Named {
    pub(crate) name: String,
    /// The name in the header.
    pub(crate) at: At,
    pub(crate) given: Given,
    /// Of a port, for each drop policy and rate algorithm with parameters its table.
    pub(crate) mechanisms: Vec<Given>,
    /// The table `abr` within it.
    pub(crate) abr: Given,
    /// The table `tcp` within it.
    pub(crate) tcp: GivenTables,
}

impl Document {
    /// Checks the tree.
    pub(crate) fn read(tree: &Table, report: &mut Report) -> Document {
        let tables: Vec<&'static str> =
            Section::ALL.iter().filter(|section| is_top_level(**section)).map(|section| section.key()).collect();
        let mut top = Given::read(Section::Top, tree, &tables, report);
        // A key that is missing from the top is missing from no place in particular.
        top.at = None;
        let mut is_whole = true;
        let whole = &mut is_whole;
        let links = named(Section::Link, tree, whole, report);
        let (directions, links) = links.into_iter().partition(|table| is_direction(&table.name));
        Document {
            top,
            network: single(Section::Network, tree, whole, report),
            nodes: named(Section::Node, tree, whole, report),
            links,
            directions,
            queue: with_mechanisms(Section::Queue, tree, whole, report),
            ports: named(Section::Port, tree, whole, report),
            atm: single(Section::Atm, tree, whole, report),
            packet: single(Section::Packet, tree, whole, report),
            abr: single(Section::Abr, tree, whole, report),
            tcp: with_mechanisms(Section::Tcp, tree, whole, report),
            traffic: single(Section::Traffic, tree, whole, report),
            flows: named(Section::Flow, tree, whole, report),
            udp: named(Section::Udp, tree, whole, report),
            satellites: single(Section::Satellites, tree, whole, report),
            places: named(Section::Place, tree, whole, report),
            is_whole,
        }
    }
}

fn is_top_level(section: Section) -> bool {
    !matches!(section, Section::Top | Section::FlowAbr | Section::FlowTcp | Section::LinkDirection)
}

fn single(section: Section, tree: &Table, whole: &mut bool, report: &mut Report) -> Given {
    let Some(entry) = tree.entries.get(section.key()) else { return Given::default() };
    let Some(table) = table(entry, section.header(), whole, report) else { return Given::default() };
    Given::read(section, table, &[], report)
}

/// A table that chooses a mechanism, and the tables of mechanisms in it.
fn with_mechanisms(section: Section, tree: &Table, whole: &mut bool, report: &mut Report) -> GivenTables {
    match tree.entries.get(section.key()) {
        Some(entry) => tables_of(section, entry, whole, report),
        None => GivenTables::default(),
    }
}

fn tables_of(section: Section, entry: &Entry, whole: &mut bool, report: &mut Report) -> GivenTables {
    let Some(table) = table(entry, section.header(), whole, report) else { return GivenTables::default() };
    let own = Given::read(section, table, &names_of_tables(section), report);
    GivenTables { own, mechanisms: mechanisms_within(section, table, whole, report) }
}

fn names_of_tables(section: Section) -> Vec<&'static str> {
    let mechanisms = section.chooses().map_or(&[][..], |chooses| chooses.mechanisms);
    mechanisms.iter().map(|mechanism| mechanism.name).collect()
}

/// The tables of mechanisms in another one, if that chooses any.
fn mechanisms_within(section: Section, around: &Table, whole: &mut bool, report: &mut Report) -> Vec<Given> {
    let Some(chooses) = section.chooses() else { return Vec::new() };
    let read = |(index, mechanism): (usize, &Mechanism)| {
        let section = (chooses.section)(index as u8);
        let entry = around.entries.get(mechanism.name)?;
        let table = table(entry, section.header(), whole, report)?;
        Some(Given::read(section, table, &[], report))
    };
    chooses.mechanisms.iter().enumerate().map(read).map(Option::unwrap_or_default).collect()
}

fn named(section: Section, tree: &Table, whole: &mut bool, report: &mut Report) -> Vec<Named> {
    let Some(entry) = tree.entries.get(section.key()) else { return Vec::new() };
    let Some(tables) = table(entry, section.header(), whole, report) else { return Vec::new() };
    let mut all = Vec::with_capacity(tables.entries.len());
    for (name, entry) in &tables.entries {
        let section = if section == Section::Link && is_direction(name) { Section::LinkDirection } else { section };
        if !matches!(section, Section::Port | Section::LinkDirection) && !is_name(name) {
            let help = (section == Section::Link).then(|| "one direction of a link is \"A->B\"".to_owned());
            report
                .error(entry.key_at, format!("{} is no name for a {}", quoted(name), section.key()))
                .label("1 to 64 letters, digits, `_`, `-` and `.`")
                .help_if(help);
            *whole = false;
            continue;
        }
        // The position of a place may stand for all that is said of it.
        let mut whole_place = None;
        if section == Section::Place && matches!(entry.item.node, Node::Text(_)) {
            let mut table = Table::empty(entry.item.at);
            table.entries.insert("at".to_owned(), entry.clone());
            let item = Item { at: entry.item.at, node: Node::Table(table) };
            whole_place = Some(Entry { key_at: entry.key_at, item });
        }
        let entry = whole_place.as_ref().unwrap_or(entry);
        let Some(table) = named_table(section, name, entry) else {
            misplaced(section, name, entry, report);
            *whole = false;
            continue;
        };
        let is_flow = section == Section::Flow;
        let tcp = table.entries.get("tcp").filter(|_| is_flow);
        let tcp = tcp.map_or_else(GivenTables::default, |tcp| tables_of(Section::FlowTcp, tcp, whole, report));
        let abr = if is_flow { single(Section::FlowAbr, table, whole, report) } else { Given::default() };
        let mechanisms = mechanisms_within(section, table, whole, report);
        let mut tables = names_of_tables(section);
        tables.extend(WITHIN_FLOWS.iter().filter(|_| is_flow).map(|section| section.key()));
        let given = Given::read(section, table, &tables, report);
        all.push(Named { name: name.clone(), at: entry.key_at, given, mechanisms, abr, tcp });
    }
    all
}

/// The table of a name; `None` where a key stands in the place of a name.
fn named_table<'a>(section: Section, name: &str, entry: &'a Entry) -> Option<&'a Table> {
    let Node::Table(table) = &entry.item.node else { return None };
    // [flow.tcp] is a flow, unless it has keys of [tcp].
    let has_keys_of =
        |within: &Section| name == within.key() && table.entries.keys().any(|key| within.key_named(key).is_some());
    let is_within = section == Section::Flow && WITHIN_FLOWS.iter().any(has_keys_of);
    (!is_within).then_some(table)
}

fn table<'a>(entry: &'a Entry, header: &str, whole: &mut bool, report: &mut Report) -> Option<&'a Table> {
    *whole &= matches!(entry.item.node, Node::Table(_));
    match &entry.item.node {
        Node::Table(table) => Some(table),
        Node::Array(_) => {
            report
                .error(entry.item.at, "a list of tables is used where tables have names")
                .label("no list")
                .help(format!("write {header}"));
            None
        }
        _ => {
            report
                .error(entry.item.at, format!("this is {}, not a section", entry.item.described()))
                .label("expected a table")
                .help(format!("write {header}, and keys below it"));
            None
        }
    }
}

/// A key where the name of a table belongs.
fn misplaced(section: Section, name: &str, entry: &Entry, report: &mut Report) {
    let is_of = |section: Section| name == section.key() || section.key_named(name).is_some();
    let defaults = if section == Section::Port {
        Section::Queue
    } else if section == Section::Flow && Section::Traffic.key_named(name).is_some() {
        Section::Traffic
    } else if section == Section::Flow && is_of(Section::Tcp) {
        Section::Tcp
    } else if section == Section::Flow && is_of(Section::Abr) {
        Section::Abr
    } else {
        section
    };
    let help = if defaults != section && (defaults.key_named(name).is_some() || defaults.key() == name) {
        format!("keys for all of them belong to {}", defaults.header())
    } else {
        format!("write {}, and keys below it", section.header())
    };
    let names = section.keys().map(|key| key.name);
    let key = suggest::nearest(name, names).is_some() || defaults != section;
    let what = if key { "is in no table with a name" } else { "is not a table" };
    report.error(entry.key_at, format!("`{name}` {what}")).label(format!("expected {}", section.header())).help(help);
}

/// The tables within the table of a flow.
const WITHIN_FLOWS: [Section; 2] = [Section::FlowAbr, Section::FlowTcp];

/// Whether a text is the name of one direction of a link, or a pattern of several.
fn is_direction(text: &str) -> bool {
    let is_end = |end: &str| is_name(&end.replace('*', "-"));
    text.split_once("->").is_some_and(|(from, to)| is_end(from) && is_end(to))
}

/// Whether a text may be the name of a node, a link or a flow.
fn is_name(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&text.len()) && text.chars().all(fine)
}
