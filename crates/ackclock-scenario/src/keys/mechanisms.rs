//! The families of mechanisms, and the tables of mechanisms: their keys are those that the mechanisms describe themselves.

use std::sync::LazyLock;

use ackclock::atm::rate;
use ackclock::keys::{Family, Key, Kind};
use ackclock::law;
use ackclock::link::errors;
use ackclock::queue::{cell, packet};
use ackclock::tcp::{application, cc, host, recovery};

use super::dialects;
use super::section::Section;
use super::words::TechnologyWord;

/// The table of one mechanism.
pub(crate) struct Mechanism {
    /// The key that chooses it.
    pub(crate) key: &'static str,
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    /// How the header of its table looks: for all ports or connections, and for one.
    headers: [String; 2],
    /// Its parameters.
    pub(crate) keys: &'static [Key],
}

/// The names of all members of a family, each once.
pub(crate) fn names(family: Family) -> &'static [&'static str] {
    static POLICIES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut names = policies(TechnologyWord::Atm);
        let packets = policies(TechnologyWord::Packet);
        names.extend(packets.into_iter().filter(|name| cell::POLICIES.iter().all(|policy| policy.name != *name)));
        names
    });
    static CONGESTION_CONTROLS: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| cc::ALL.iter().map(|algorithm| algorithm.name).collect());
    static RECOVERIES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| recovery::ALL.iter().map(|algorithm| algorithm.name).collect());
    static HOST_MODELS: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| host::MODELS.iter().map(|model| model.name).collect());
    static RATE_ALGORITHMS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let algorithms = rate::ALGORITHMS.iter().map(|algorithm| algorithm.name);
        [NO_RATES].into_iter().chain(algorithms).collect()
    });
    static DIALECTS: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| dialects::ALL.iter().map(|dialect| dialect.name).collect());
    static ERROR_MODELS: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| errors::ALL.iter().map(|model| model.name).collect());
    static APPLICATIONS: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| application::ALL.iter().map(|application| application.name).collect());
    static LAWS: LazyLock<Vec<&'static str>> = LazyLock::new(|| law::ALL.iter().map(|law| law.name).collect());
    match family {
        Family::Policy => &POLICIES,
        Family::RateAlgorithm => &RATE_ALGORITHMS,
        Family::CongestionControl => &CONGESTION_CONTROLS,
        Family::Recovery => &RECOVERIES,
        Family::HostModel => &HOST_MODELS,
        Family::Dialect => &DIALECTS,
        Family::ErrorModel => &ERROR_MODELS,
        Family::Application => &APPLICATIONS,
        Family::Law => &LAWS,
    }
}

/// The drop policies of what travels in the networks of a technology.
pub(crate) fn policies(technology: TechnologyWord) -> Vec<&'static str> {
    match technology {
        TechnologyWord::Atm => cell::POLICIES.iter().map(|policy| policy.name).collect(),
        TechnologyWord::Packet => packet::POLICIES.iter().map(|policy| policy.name).collect(),
    }
}

/// The words that a value of this kind may be, itself or in the place of something else.
pub(crate) fn words(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Word(words) | Kind::Or(_, words) | Kind::LinkName(words) => words,
        Kind::Mechanism(family) => names(*family),
        Kind::Flag | Kind::Number(_) | Kind::Share | Kind::Factor | Kind::Integer(..) | Kind::Quantity(_) => &[],
        Kind::Quantities(_) | Kind::Level | Kind::Integers | Kind::Table(_) | Kind::Text | Kind::NodeName => &[],
        Kind::Ends | Kind::Route | Kind::Nodes | Kind::RouteChanges | Kind::Drops(_) | Kind::Schedule(_) => &[],
        Kind::Outages | Kind::Errors(_) | Kind::Metrics | Kind::Position | Kind::Longitude => &[],
        Kind::Amounts(_) | Kind::Law(_) => &[],
    }
}

/// The drop policies that have parameters, those of cells, then those of packets; and then the rate algorithms.
pub(crate) fn queue_algorithms() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let cells = cell::POLICIES.iter().map(|policy| (policy.name, policy.about, policy.keys));
        let packets = packet::POLICIES.iter().map(|policy| (policy.name, policy.about, policy.keys));
        let around = ["queue", "port.\"A->B\""];
        let policies = cells.chain(packets).map(|described| Mechanism::new("policy", around, described));
        let rates = rate::ALGORITHMS.iter().map(|algorithm| {
            Mechanism::new("rate_algorithm", around, (algorithm.name, algorithm.about, algorithm.keys))
        });
        tables(policies.chain(rates))
    });
    &ALL
}

/// The congestion controls, then the recoveries, then the host models that have parameters.
pub(crate) fn tcp_algorithms() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let around = ["tcp", "flow.NAME.tcp"];
        let congestion_controls = cc::ALL.iter().map(|algorithm| {
            Mechanism::new("congestion_control", around, (algorithm.name, algorithm.about, algorithm.keys))
        });
        let recoveries = recovery::ALL
            .iter()
            .map(|algorithm| Mechanism::new("recovery", around, (algorithm.name, algorithm.about, algorithm.keys)));
        let hosts =
            host::MODELS.iter().map(|model| Mechanism::new("host", around, (model.name, model.about, model.keys)));
        tables(congestion_controls.chain(recoveries).chain(hosts))
    });
    &ALL
}

/// The applications that have parameters in a table of their own.
pub(crate) fn applications() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let with_table = application::ALL.iter().filter(|application| application.has_table);
        tables(with_table.map(|application| {
            let described = (application.name, application.about, application.keys);
            Mechanism::new("application", ["traffic", "flow.NAME"], described)
        }))
    });
    &ALL
}

/// The keys of applications that stand in the table of the flow.
pub(crate) fn keys_of_applications() -> Vec<&'static Key> {
    let without_table = application::ALL.iter().filter(|application| !application.has_table);
    without_table.flat_map(|application| application.keys).collect()
}

/// Those that have parameters. No two may have tables of one name.
fn tables(mechanisms: impl Iterator<Item = Mechanism>) -> Vec<Mechanism> {
    let all: Vec<Mechanism> = mechanisms.filter(|mechanism| !mechanism.keys.is_empty()).collect();
    assert!(all.iter().enumerate().all(|(i, one)| all[..i].iter().all(|other| other.name != one.name)));
    all
}

type Described = (&'static str, &'static str, &'static [Key]);

impl Mechanism {
    fn new(key: &'static str, around: [&str; 2], (name, about, keys): Described) -> Mechanism {
        Mechanism { key, name, about, headers: around.map(|around| format!("[{around}.{name}]")), keys }
    }
}

/// The mechanisms that a kind of table chooses from.
#[derive(Clone, Copy)]
pub(crate) struct Chooses {
    /// The families that its keys choose members of.
    pub(crate) families: &'static [Family],
    /// Those with parameters.
    pub(crate) mechanisms: &'static [Mechanism],
    /// The kind of the table of each of these, within it.
    pub(crate) section: fn(u8) -> Section,
}

impl Section {
    /// What it chooses from, if it chooses mechanisms.
    pub(crate) fn chooses(self) -> Option<Chooses> {
        let of_queues = |section| {
            let families = &[Family::Policy, Family::RateAlgorithm];
            Chooses { families, mechanisms: queue_algorithms(), section }
        };
        let of_tcp = |section| {
            let families = &[Family::CongestionControl, Family::Recovery, Family::HostModel];
            Chooses { families, mechanisms: tcp_algorithms(), section }
        };
        let of_flows = |section| {
            let families = &[Family::Application];
            Chooses { families, mechanisms: applications(), section }
        };
        match self {
            Section::Queue => Some(of_queues(Section::QueueAlgorithm)),
            Section::Port => Some(of_queues(Section::PortAlgorithm)),
            Section::Tcp => Some(of_tcp(Section::TcpAlgorithm)),
            Section::FlowTcp => Some(of_tcp(Section::FlowTcpAlgorithm)),
            Section::Traffic => Some(of_flows(Section::Application)),
            Section::Flow => Some(of_flows(Section::FlowApplication)),
            Section::Top | Section::Network | Section::Node | Section::Link | Section::LinkDirection => None,
            Section::Medium => None,
            Section::Atm | Section::Packet | Section::Arrivals | Section::Udp => None,
            Section::Abr | Section::FlowAbr | Section::Satellites | Section::Place => None,
            Section::Application(_) | Section::FlowApplication(_) => None,
            Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => None,
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => None,
        }
    }

    /// The mechanism whose table it is.
    pub(crate) fn mechanism(self) -> Option<&'static Mechanism> {
        match self {
            Section::QueueAlgorithm(index) | Section::PortAlgorithm(index) => {
                Some(&queue_algorithms()[usize::from(index)])
            }
            Section::TcpAlgorithm(index) | Section::FlowTcpAlgorithm(index) => {
                Some(&tcp_algorithms()[usize::from(index)])
            }
            Section::Application(index) | Section::FlowApplication(index) => Some(&applications()[usize::from(index)]),
            Section::Top | Section::Network | Section::Node | Section::Link | Section::LinkDirection => None,
            Section::Medium => None,
            Section::Queue | Section::Port | Section::Tcp | Section::FlowTcp => None,
            Section::Atm | Section::Packet | Section::Traffic | Section::Flow => None,
            Section::Arrivals | Section::Udp => None,
            Section::Abr | Section::FlowAbr | Section::Satellites | Section::Place => None,
        }
    }

    /// The families of which its keys choose members with tables in it.
    pub(crate) fn families(self) -> impl Iterator<Item = Family> {
        self.chooses().map_or(&[][..], |chooses| chooses.families).iter().copied()
    }

    /// The table of a mechanism, how its header looks.
    pub(super) fn header_of_mechanism(self) -> &'static str {
        let of_one =
            matches!(self, Section::PortAlgorithm(_) | Section::FlowTcpAlgorithm(_) | Section::FlowApplication(_));
        self.mechanism().map_or("", |mechanism| &mechanism.headers[usize::from(of_one)])
    }
}

/// The word of a port that computes no rates.
pub(crate) const NO_RATES: &str = "none";
