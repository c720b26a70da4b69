//! The sections of a tree, every key and value checked by itself. What depends on more than one key comes later.

use ackclock::keys::Value;
use ackclock::units::Time;

use crate::check::{Here, suggest};
use crate::keys::outside::Outside;
use crate::keys::words;
use crate::keys::{Mechanism, Section};
use crate::mechanisms::GivenTables;
use crate::settings::{Given, Settings};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Entry, Item, Node, Table, quoted};

/// All that a scenario's files say.
pub(crate) struct Document {
    pub(crate) top: Given,
    pub(crate) network: Given,
    pub(crate) nodes: Vec<Named>,
    pub(crate) links: Vec<Named>,
    /// Tables of links that are called after one direction, or after several.
    pub(crate) directions: Vec<Named>,
    pub(crate) media: Vec<Named>,
    pub(crate) queue: GivenTables,
    pub(crate) ports: Vec<Named>,
    pub(crate) atm: Given,
    pub(crate) packet: Given,
    pub(crate) abr: Given,
    pub(crate) tcp: GivenTables,
    pub(crate) traffic: GivenTables,
    pub(crate) flows: Vec<Named>,
    pub(crate) arrivals: Vec<Named>,
    /// What arrives by them, once that is drawn.
    pub(crate) files: Vec<Files>,
    pub(crate) udp: Vec<Named>,
    pub(crate) satellites: Given,
    pub(crate) places: Vec<Named>,
    /// Whether every section is a table where it should be: else what is missing is not known.
    pub(crate) is_whole: bool,
    /// The mechanisms from outside that may be named.
    pub(crate) outside: Outside,
}

/// One of several tables of a kind.
pub(crate) struct Named {
    pub(crate) name: String,
    /// The name in the header.
    pub(crate) at: At,
    pub(crate) given: Given,
    /// For each mechanism with parameters that it may choose its table: of a port drop policies and rate algorithms, of a flow applications.
    pub(crate) mechanisms: Vec<Given>,
    /// The table `abr` within it.
    pub(crate) abr: Given,
    /// The table `tcp` within it.
    pub(crate) tcp: GivenTables,
}

/// The files of one table [arrivals.NAME]. There may be a million: what is said of all of them is there once.
pub(crate) struct Files {
    /// The [flow] table that each of them would have, with the name of the table of arrivals, and start and size of the first file.
    pub(crate) of_each: Named,
    /// In the order in which they begin, which is that of their numbers.
    pub(crate) files: Vec<File>,
}

/// What files of one table do not share.
#[derive(Clone, Copy)]
pub(crate) struct File {
    pub(crate) start: Time,
    /// Bytes.
    pub(crate) size: u64,
}

impl Files {
    /// The name of the file at this place: numbers begin with 1.
    pub(crate) fn name_of(&self, place: usize) -> String {
        format!("{}-{}", self.of_each.name, place + 1)
    }

    /// Whether one of them has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let number = name.strip_prefix(&self.of_each.name).and_then(|rest| rest.strip_prefix('-'));
        let place = number.and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        place.is_some_and(|place| place < self.files.len() && self.name_of(place) == name)
    }
}

impl Document {
    pub(crate) fn read(tree: &Table, outside: &Outside, report: &mut Report) -> Document {
        let tables: Vec<&'static str> =
            Section::ALL.iter().filter(|section| is_top_level(**section)).map(|section| section.key()).collect();
        let mut top = Given::read(Section::Top, tree, &tables, Here { technology: None, outside }, report);
        // A key that is missing from the top is missing from no place in particular.
        top.at = None;
        let mut reader = Reader { here: Here { technology: None, outside }, is_whole: true, report };
        let (network, satellites) = (reader.single(Section::Network, tree), reader.single(Section::Satellites, tree));
        reader.here.technology =
            network_settings(&network, satellites.at.is_some()).choice("technology", &words::TECHNOLOGIES);
        let links = reader.named(Section::Link, tree);
        let (directions, links) = links.into_iter().partition(|table| is_direction(&table.name));
        Document {
            top,
            network,
            nodes: reader.named(Section::Node, tree),
            links,
            directions,
            media: reader.named(Section::Medium, tree),
            queue: reader.with_mechanisms(Section::Queue, tree),
            ports: reader.named(Section::Port, tree),
            atm: reader.single(Section::Atm, tree),
            packet: reader.single(Section::Packet, tree),
            abr: reader.single(Section::Abr, tree),
            tcp: reader.with_mechanisms(Section::Tcp, tree),
            traffic: reader.with_mechanisms(Section::Traffic, tree),
            flows: reader.named(Section::Flow, tree),
            arrivals: reader.named(Section::Arrivals, tree),
            files: Vec::new(),
            udp: reader.named(Section::Udp, tree),
            satellites,
            places: reader.named(Section::Place, tree),
            is_whole: reader.is_whole,
            outside: outside.clone(),
        }
    }

    /// The tables of flows: of files that arrive together one for all of them.
    pub(crate) fn tables_of_flows(&self) -> impl Iterator<Item = &Named> + Clone {
        self.flows.iter().chain(self.files.iter().map(|files| &files.of_each))
    }
}

/// What holds in [network], before the topology has added its defaults.
pub(crate) fn network_settings(given: &Given, has_satellites: bool) -> Settings {
    let mut network = Settings::resolve(Section::Network, &[given]);
    if has_satellites {
        network.replace_default("technology", Value::Word("packet"), "satellites forward packets");
        network.replace_default("topology", Value::Word("graph"), "satellites connect places");
    }
    network
}

fn is_top_level(section: Section) -> bool {
    !matches!(section, Section::Top | Section::FlowAbr | Section::FlowTcp | Section::LinkDirection)
}

/// Reads the tables of a tree.
struct Reader<'a> {
    /// The technology is `None` before [network] is read, and if that names none that is known.
    here: Here<'a>,
    /// See [`Document::is_whole`].
    is_whole: bool,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn given(&mut self, section: Section, table: &Table, tables: &[&'static str]) -> Given {
        Given::read(section, table, tables, self.here, self.report)
    }

    fn single(&mut self, section: Section, tree: &Table) -> Given {
        let Some(entry) = tree.entries.get(section.key()) else { return Given::default() };
        let Some(table) = self.table(entry, section.header()) else { return Given::default() };
        self.given(section, table, &[])
    }

    /// A table that chooses a mechanism, and the tables of mechanisms in it.
    fn with_mechanisms(&mut self, section: Section, tree: &Table) -> GivenTables {
        match tree.entries.get(section.key()) {
            Some(entry) => self.tables_of(section, entry),
            None => GivenTables::default(),
        }
    }

    fn tables_of(&mut self, section: Section, entry: &Entry) -> GivenTables {
        let Some(table) = self.table(entry, section.header()) else { return GivenTables::default() };
        let own = self.given(section, table, &names_of_tables(section));
        GivenTables { own, mechanisms: self.mechanisms_within(section, table) }
    }

    /// The tables of mechanisms in another one, if that chooses any.
    fn mechanisms_within(&mut self, section: Section, around: &Table) -> Vec<Given> {
        let Some(chooses) = section.chooses() else { return Vec::new() };
        let read = |(index, mechanism): (usize, &Mechanism)| {
            let section = (chooses.section)(index as u8);
            let entry = around.entries.get(mechanism.name)?;
            let table = self.table(entry, section.header())?;
            Some(self.given(section, table, &[]))
        };
        chooses.mechanisms.iter().enumerate().map(read).map(Option::unwrap_or_default).collect()
    }

    fn named(&mut self, section: Section, tree: &Table) -> Vec<Named> {
        let Some(entry) = tree.entries.get(section.key()) else { return Vec::new() };
        let Some(tables) = self.table(entry, section.header()) else { return Vec::new() };
        let mut all = Vec::with_capacity(tables.entries.len());
        for (name, entry) in &tables.entries {
            let section = if section == Section::Link && is_direction(name) { Section::LinkDirection } else { section };
            if !matches!(section, Section::Port | Section::LinkDirection) && !is_name(name) {
                let help = (section == Section::Link).then(|| "one direction of a link is \"A->B\"".to_owned());
                self.report
                    .error(entry.key_at, format!("{} is no name for a {}", quoted(name), section.key()))
                    .label("1 to 64 letters, digits, `_`, `-` and `.`")
                    .help_if(help);
                self.is_whole = false;
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
                misplaced(section, name, entry, self.report);
                self.is_whole = false;
                continue;
            };
            let is_flow = section == Section::Flow;
            let tcp = table.entries.get("tcp").filter(|_| is_flow);
            let tcp = tcp.map_or_else(GivenTables::default, |tcp| self.tables_of(Section::FlowTcp, tcp));
            let abr = if is_flow { self.single(Section::FlowAbr, table) } else { Given::default() };
            let mechanisms = self.mechanisms_within(section, table);
            let mut tables = names_of_tables(section);
            tables.extend(WITHIN_FLOWS.iter().filter(|_| is_flow).map(|section| section.key()));
            let given = self.given(section, table, &tables);
            all.push(Named { name: name.clone(), at: entry.key_at, given, mechanisms, abr, tcp });
        }
        all
    }

    fn table<'a>(&mut self, entry: &'a Entry, header: &str) -> Option<&'a Table> {
        self.is_whole &= matches!(entry.item.node, Node::Table(_));
        match &entry.item.node {
            Node::Table(table) => Some(table),
            Node::Array(_) => {
                self.report
                    .error(entry.item.at, "a list of tables is used where tables have names")
                    .label("no list")
                    .help(format!("write {header}"));
                None
            }
            _ => {
                self.report
                    .error(entry.item.at, format!("this is {}, not a section", entry.item.described()))
                    .label("expected a table")
                    .help(format!("write {header}, and keys below it"));
                None
            }
        }
    }
}

fn names_of_tables(section: Section) -> Vec<&'static str> {
    let mechanisms = section.chooses().map_or(&[][..], |chooses| chooses.mechanisms);
    mechanisms.iter().map(|mechanism| mechanism.name).collect()
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
pub(crate) fn is_name(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&text.len()) && text.chars().all(fine)
}
