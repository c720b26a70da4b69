//! The language: every key of a scenario file, in the order in which files are written out. The checker, the
//! JSON Schema and the writer all read this table.

pub(crate) mod dialects;
mod errors;
mod flows;
mod mechanisms;
mod network;
pub(crate) mod outside;
mod satellites;
mod section;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use ackclock::atm::AbrParams;
use ackclock::keys::Key;
use ackclock::link::{LinkParams, Medium};
use ackclock::scenario::{Flow, UdpFlow};
use ackclock::tcp::TcpParams;

pub(crate) use errors::{ErrorModelKeys, LAW, MODEL, error_models};
pub(crate) use mechanisms::{
    Mechanism, NO_RATES, applications, keys_of_applications, names, queue_algorithms, tcp_algorithms, words as words_of,
};
pub(crate) use network::{MOST_BYTES, MOST_CELLS};
pub(crate) use section::Section;

impl Section {
    /// Those of [`Section::ALL`], and those of mechanisms for all ports and connections.
    pub(crate) fn everywhere() -> impl Iterator<Item = Section> {
        let of_queues = (0..queue_algorithms().len()).map(|index| Section::QueueAlgorithm(index as u8));
        let algorithms = (0..tcp_algorithms().len()).map(|index| Section::TcpAlgorithm(index as u8));
        let applications = (0..applications().len()).map(|index| Section::Application(index as u8));
        Section::ALL.iter().copied().chain(of_queues).chain(algorithms).chain(applications)
    }

    /// Every kind of table.
    pub(crate) fn every() -> impl Iterator<Item = Section> {
        let of_ports = (0..queue_algorithms().len()).map(|index| Section::PortAlgorithm(index as u8));
        let of_flows = (0..tcp_algorithms().len()).map(|index| Section::FlowTcpAlgorithm(index as u8));
        let applications = (0..applications().len()).map(|index| Section::FlowApplication(index as u8));
        Section::everywhere().chain([Section::LinkDirection]).chain(of_ports).chain(of_flows).chain(applications)
    }

    /// Every kind of table but those of mechanisms, and [`Section::LinkDirection`], whose keys [`Section::Link`] has too.
    pub(crate) const ALL: &'static [Section] = &[
        Section::Top,
        Section::Network,
        Section::Node,
        Section::Link,
        Section::Medium,
        Section::Queue,
        Section::Port,
        Section::Atm,
        Section::Packet,
        Section::Abr,
        Section::Tcp,
        Section::Traffic,
        Section::Flow,
        Section::FlowAbr,
        Section::FlowTcp,
        Section::Arrivals,
        Section::Udp,
        Section::Satellites,
        Section::Place,
    ];

    /// How its header looks in general.
    pub(crate) fn header(self) -> &'static str {
        match self {
            Section::Top => "the top of the file",
            Section::Network => "[network]",
            Section::Node => "[node.NAME]",
            Section::Link => "[link.NAME]",
            Section::LinkDirection => "[link.\"A->B\"]",
            Section::Medium => "[medium.NAME]",
            Section::Queue => "[queue]",
            Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => self.header_of_mechanism(),
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => self.header_of_mechanism(),
            Section::Application(_) | Section::FlowApplication(_) => self.header_of_mechanism(),
            Section::Port => "[port.\"A->B\"]",
            Section::Atm => "[atm]",
            Section::Packet => "[packet]",
            Section::Abr => "[abr]",
            Section::Tcp => "[tcp]",
            Section::Traffic => "[traffic]",
            Section::Flow => "[flow.NAME]",
            Section::FlowAbr => "[flow.NAME.abr]",
            Section::FlowTcp => "[flow.NAME.tcp]",
            Section::Arrivals => "[arrivals.NAME]",
            Section::Udp => "[udp.NAME]",
            Section::Satellites => "[satellites]",
            Section::Place => "[place.NAME]",
        }
    }

    /// The key of the top level under which it is found.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Section::Top => "",
            Section::Network => "network",
            Section::Node => "node",
            Section::Link | Section::LinkDirection => "link",
            Section::Medium => "medium",
            Section::Queue => "queue",
            Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.name)
            }
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.name)
            }
            Section::Application(_) | Section::FlowApplication(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.name)
            }
            Section::Port => "port",
            Section::Atm => "atm",
            Section::Packet => "packet",
            Section::Abr | Section::FlowAbr => "abr",
            Section::Tcp | Section::FlowTcp => "tcp",
            Section::Traffic => "traffic",
            Section::Flow => "flow",
            Section::Arrivals => "arrivals",
            Section::Udp => "udp",
            Section::Satellites => "satellites",
            Section::Place => "place",
        }
    }

    /// What it is for.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Section::Top => "A scenario of Ackclock: a network, its traffic, the length of the experiment.",
            Section::Network => "The nodes and links of the network.",
            Section::Node => "A host or a switch.",
            Section::Link => {
                "A duplex link; or, with the name \"A->B\", the differences of one direction of a link, or of all directions that match a pattern as in \"s*->sw1\"."
            }
            Section::LinkDirection => "The differences of one direction of a link.",
            Section::Medium => {
                "A medium that several links share: one packet is transmitted at a time, and the nodes take turns."
            }
            Section::Queue => "The queue of every output port of every switch.",
            Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.about)
            }
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.about)
            }
            Section::Application(_) | Section::FlowApplication(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.about)
            }
            Section::Port => "The differences of one output port of a switch.",
            Section::Atm => "Settings of ATM networks.",
            Section::Packet => "Settings of packet networks.",
            Section::Abr => {
                "The parameters of every connection of the service ABR, under their names in TM 4.0; PCR is `pcr` in [atm]."
            }
            Section::Tcp => "Both ends of every TCP connection.",
            Section::Traffic => "The data that every flow sends.",
            Section::Flow => "A TCP connection with data in one direction.",
            Section::FlowAbr | Section::FlowTcp => "The differences of one connection.",
            Section::Satellites => "Satellites that connect places on the ground, and the rules of their links.",
            Section::Place => {
                "A place on the ground with a terminal: flows begin and end there, and links may lead there. The position alone can replace the table."
            }
            Section::Arrivals => {
                "Files that arrive during the run, each a flow NAME-1, NAME-2, ... of the group NAME: their instants and sizes by laws."
            }
            Section::Udp => {
                "A UDP source without feedback, at a constant rate, in steps, on and off, or in bursts; on ATM networks on a connection of its own, of the service UBR."
            }
        }
    }

    /// Whether there is one table for each of several names.
    pub(crate) fn is_named(self) -> bool {
        matches!(
            self,
            Section::Node
                | Section::Link
                | Section::Medium
                | Section::Port
                | Section::Flow
                | Section::Arrivals
                | Section::Udp
                | Section::Place
        )
    }

    /// Its keys in the order of writing.
    pub(crate) fn keys(self) -> impl Iterator<Item = &'static Key> {
        // Asked for at every table that is read, so the lists are gone through once.
        static ALL: OfSections<Vec<&'static Key>> = OfSections::new();
        ALL.get(self, || self.listed_keys()).iter().copied()
    }

    fn listed_keys(self) -> Vec<&'static Key> {
        let lists: &[&'static [Key]] = match self {
            Section::Top => &[network::TOP],
            Section::Network => &[network::NETWORK],
            Section::Node => &[network::NODE],
            Section::Link => &[network::ENDS, LinkParams::KEYS],
            Section::LinkDirection => &[LinkParams::KEYS],
            Section::Medium => &[Medium::KEYS],
            Section::Queue | Section::Port => &[network::QUEUE],
            Section::Atm => &[flows::ATM, flows::SERVICE],
            Section::Packet => &[flows::PACKET],
            Section::Abr | Section::FlowAbr => &[AbrParams::KEYS],
            Section::Tcp | Section::FlowTcp => &[flows::DIALECT, TcpParams::KEYS],
            Section::Traffic => &[Flow::KEYS],
            Section::Flow => &[flows::FLOW, flows::SERVICE, Flow::KEYS],
            Section::Arrivals => &[flows::ARRIVALS],
            Section::Udp => &[UdpFlow::KEYS],
            Section::Satellites => &[satellites::SATELLITES],
            Section::Place => &[satellites::PLACE],
            Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => &[self.keys_of_mechanism()],
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => &[self.keys_of_mechanism()],
            Section::Application(_) | Section::FlowApplication(_) => &[self.keys_of_mechanism()],
        };
        let mut keys: Vec<&'static Key> = lists.iter().flat_map(|keys| keys.iter()).collect();
        if matches!(self, Section::Traffic | Section::Flow) {
            keys.extend(keys_of_applications());
        }
        keys
    }

    fn keys_of_mechanism(self) -> &'static [Key] {
        self.mechanism().map_or(&[], |mechanism| mechanism.keys)
    }

    /// One of its keys.
    pub(crate) fn key_named(self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }
}

/// Something of each kind of table, made when it is asked for first: a scenario has few kinds of many.
pub(crate) struct OfSections<T>(LazyLock<BTreeMap<Section, OnceLock<T>>>);

impl<T> OfSections<T> {
    pub(crate) const fn new() -> OfSections<T> {
        OfSections(LazyLock::new(|| Section::every().map(|section| (section, OnceLock::new())).collect()))
    }

    pub(crate) fn get(&self, section: Section, make: impl FnOnce() -> T) -> &T {
        self.0[&section].get_or_init(make)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ackclock::keys::{Default, Kind};

    use super::words::TECHNOLOGIES;
    use super::*;

    const BOOLEANS: [&str; 2] = ["true", "false"];
    const LISTS: [&str; 2] = ["given", "none"];

    /// What conditions of keys in `section` may say of `key`: the words of a key of that table, or of what is known of the network
    /// as a whole.
    fn words_of_condition(section: Section, key: &str) -> Vec<&'static str> {
        match (section.key_named(key).map(|key| &key.kind), key) {
            (Some(Kind::Flag), _) => BOOLEANS.to_vec(),
            (Some(Kind::Or(Kind::Flag, words)), _) => BOOLEANS.iter().chain(*words).copied().collect(),
            (Some(Kind::Metrics | Kind::Schedule(_) | Kind::Outages), _) => LISTS.to_vec(),
            (Some(Kind::LinkName(words)), _) => words.iter().copied().chain(["named"]).collect(),
            // A quantity is none of the words.
            (Some(Kind::Or(_, words)), _) => words.iter().copied().chain(["a size"]).collect(),
            (Some(kind), _) => words_of(kind).to_vec(),
            (None, "technology") => TECHNOLOGIES.map(|(word, _)| word).to_vec(),
            (None, "satellites" | "file") => vec!["geostationary", "iridium", "walker", "elements", "plan"],
            (None, "stores" | "linked") => BOOLEANS.to_vec(),
            (None, _) => Vec::new(),
        }
    }

    /// A key that is described twice would have two defaults, of which one holds.
    #[test]
    fn a_key_is_described_once_in_each_table() {
        for section in Section::every() {
            let mut names: Vec<&str> = section.keys().map(|key| key.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", section.header());
        }
    }

    /// Conditions are compared as text: a word that the other key does not have would never hold, and nobody would be told.
    #[test]
    fn conditions_name_keys_and_words_that_there_are() {
        let mut wrong = BTreeSet::new();
        let mut checked = 0;
        for section in Section::everywhere() {
            for key in section.keys() {
                for condition in key.used_if {
                    let known = words_of_condition(section, condition.key);
                    let unknown: Vec<_> = condition.is.iter().filter(|word| !known.contains(word)).collect();
                    checked += 1;
                    if !unknown.is_empty() || condition.is.is_empty() {
                        wrong.insert(format!("{} `{}`: {condition:?}", section.header(), key.name));
                    }
                }
            }
        }
        assert!(wrong.is_empty() && checked > 50, "{checked} conditions, of which wrong: {wrong:#?}");
    }

    /// Defaults of mechanisms that follow a word have one for each word of that key, and for no other.
    #[test]
    fn defaults_that_follow_a_word_name_every_word_of_its_key() {
        for mechanism in queue_algorithms().iter().chain(tcp_algorithms()).chain(applications()) {
            for key in mechanism.keys {
                let Default::Of(other, cases) = key.default else { continue };
                let other = mechanism.keys.iter().find(|key| key.name == other).expect("a key of the same table");
                let words = if matches!(other.kind, Kind::Flag) { &BOOLEANS[..] } else { words_of(&other.kind) };
                let cases: BTreeSet<&str> = cases.iter().map(|(word, ..)| *word).collect();
                assert_eq!(cases, words.iter().copied().collect(), "{} `{}`", mechanism.name, key.name);
            }
        }
    }
}
