//! Networks of one line: a chain of switches, and flows between hosts that enter and leave it. Each flow has hosts of its own, but those
//! of a star have one destination, the host d1.
//! Source: docs/scenarios.md; GFC-1 and GFC-2: ATM Forum 94-0557 (literature), with lengths and rates in configuration.

use ackclock::keys::Value;
use ackclock::units::{Rate, Span};

use crate::keys::words::Topology;
use crate::settings::Settings;

/// A flow that a topology makes.
pub(crate) struct MadeFlow {
    pub(crate) name: String,
    /// The numbers, from 1, of the switches at which its hosts are.
    pub(crate) enters: usize,
    pub(crate) leaves: usize,
    /// The delay of the links of its hosts, in multiples of that of the shortest.
    pub(crate) distance: u64,
}

/// The host of a flow that a topology makes: `letter` is `s` or `d`. f1 goes from s1 to d1, A1 from sA1 to dA1.
pub(crate) fn host(letter: char, flow: &str) -> String {
    let mut name = String::with_capacity(flow.len() + 1);
    name.push(letter);
    name.push_str(flow.strip_prefix('f').unwrap_or(flow));
    name
}

/// The name of the host to which a flow goes that a topology makes.
pub(crate) fn destination(topology: Topology, flow: &str) -> String {
    if has_one_destination(topology) { host('d', "1") } else { host('d', flow) }
}

/// Whether all flows go to the same host.
pub(crate) fn has_one_destination(topology: Topology) -> bool {
    topology == Topology::Star
}

/// The name of a switch, counted from 1.
pub(crate) fn switch(number: usize) -> String {
    format!("sw{number}")
}

/// The flows that a topology makes; `None` if their number is not known.
pub(crate) fn flows(topology: Topology, settings: &Settings) -> Option<Vec<MadeFlow>> {
    let several = |letter: char, count: u64, enters: usize, leaves: usize| {
        (1..=count).map(move |number| MadeFlow { name: format!("{letter}{number}"), enters, leaves, distance: 1 })
    };
    let of_group = |&(name, enters, leaves): &(&str, usize, usize)| {
        let name = name.to_owned();
        MadeFlow { name, enters, leaves, distance: 1 }
    };
    Some(match topology {
        Topology::Graph => Vec::new(),
        Topology::NSource | Topology::Dumbbell => several('f', settings.integer("sources")?, 1, 2).collect(),
        Topology::Star => several('f', settings.integer("sources")?, 1, 1).collect(),
        Topology::Cascade => {
            let cross = several('g', settings.integer("cross_sources")?, 2, 3);
            several('f', settings.integer("sources")?, 1, 3).chain(cross).collect()
        }
        Topology::ParkingLot => {
            let switches = usize::try_from(settings.integer("switches")?).ok()?;
            let flow = |name, enters, leaves| MadeFlow { name, enters, leaves, distance: 1 };
            let one_link = (1..switches).map(|at| flow(format!("B{at}"), at, at + 1));
            [flow("A".to_owned(), 1, switches)].into_iter().chain(one_link).collect()
        }
        Topology::Gfc1 => GFC_1.flows.iter().map(of_group).collect(),
        Topology::Gfc2 => GFC_2.flows.iter().map(of_group).collect(),
        Topology::NByN => {
            let group =
                |(letter, distance)| several(letter, N_BY_N_GROUP, 1, 2).map(move |flow| MadeFlow { distance, ..flow });
            N_BY_N.into_iter().flat_map(group).collect()
        }
    })
}

/// How many switches a topology makes; `None` if that is not known.
pub(crate) fn switches(topology: Topology, settings: &Settings) -> Option<usize> {
    Some(match topology {
        Topology::Graph => 0,
        Topology::Star => 1,
        Topology::NSource | Topology::Dumbbell | Topology::NByN => 2,
        Topology::Cascade => 3,
        Topology::ParkingLot => usize::try_from(settings.integer("switches")?).ok()?,
        Topology::Gfc1 => GFC_1.trunks.len() + 1,
        Topology::Gfc2 => GFC_2.trunks.len() + 1,
    })
}

/// Rate and delay of the links between the switches, from the first on.
pub(super) fn trunks(topology: Topology, settings: &Settings) -> Option<Vec<(Rate, Span)>> {
    let (rate, delay) = (|| settings.rate("rate"), || settings.span("trunk_delay"));
    Some(match topology {
        Topology::Graph | Topology::Star => Vec::new(),
        Topology::NSource | Topology::NByN => vec![(rate()?, delay()?)],
        Topology::Dumbbell => vec![(settings.rate("bottleneck_rate")?, settings.span("bottleneck_delay")?)],
        Topology::Cascade => vec![(rate()?, delay()?), (settings.rate("second_rate")?, delay()?)],
        Topology::ParkingLot => vec![(rate()?, delay()?); switches(topology, settings)? - 1],
        Topology::Gfc1 => GFC_1.scaled(rate()?, delay()?),
        Topology::Gfc2 => GFC_2.scaled(rate()?, delay()?),
    })
}

/// Rate and delay of the links of hosts.
pub(super) fn access(topology: Topology, settings: &Settings) -> Option<(Rate, Span)> {
    let rate = match topology {
        Topology::NSource | Topology::Cascade | Topology::NByN | Topology::Star => "rate",
        Topology::Dumbbell | Topology::ParkingLot | Topology::Gfc1 | Topology::Gfc2 | Topology::Graph => "access_rate",
    };
    Some((settings.rate(rate)?, settings.span("access_delay")?))
}

/// Fills in what follows from the topology.
pub(crate) fn set_defaults(topology: Topology, settings: &mut Settings) {
    let same_rate = settings.value("rate").cloned();
    match topology {
        Topology::Gfc1 | Topology::Gfc2 => {
            let length = Value::time(Span::from_ms(5));
            settings.set_default("rate", Value::rate(FASTEST_TRUNK * 1_000_000), "literature");
            settings.set_default("access_rate", Value::rate(155_520_000), "inferred");
            settings.set_default("access_delay", length, "by calculation: 1000 km at 5 us/km");
            settings.set_default("trunk_delay", length, "by calculation: 1000 km at 5 us/km");
        }
        Topology::Cascade | Topology::ParkingLot => {
            let key = if topology == Topology::Cascade { "second_rate" } else { "access_rate" };
            // Without `rate` nothing is run, and that one is missing is enough to say.
            let rate = same_rate.unwrap_or(Value::rate(FASTEST_TRUNK).into());
            settings.set_default(key, rate, "that of `rate`");
        }
        Topology::NByN => {
            let length = |us: u64| Value::time(Span::from_us(us));
            settings.set_default("rate", Value::rate(155_520_000), "[RATE-CONTROL] \u{a7}6");
            settings.set_default("access_delay", length(15), "[RATE-CONTROL] \u{a7}6: 3 km at 5 us/km");
            settings.set_default("trunk_delay", length(5000), "[RATE-CONTROL] \u{a7}6, by calculation: 1000 km");
        }
        Topology::NSource | Topology::Dumbbell | Topology::Star | Topology::Graph => {}
    }
}

/// A network of the generic fairness configurations.
struct Gfc {
    /// Rates in Mb/s where the fastest has 150, and lengths in multiples of the shortest, of the links between switches.
    trunks: &'static [(u64, u64)],
    /// Name, and the switches where it enters and leaves.
    flows: &'static [(&'static str, usize, usize)],
}

impl Gfc {
    fn scaled(&self, fastest: Rate, shortest: Span) -> Vec<(Rate, Span)> {
        let of_trunk = |&(rate, length): &(u64, u64)| {
            let bps = (fastest.as_bps() * rate / FASTEST_TRUNK).max(1);
            (Rate::from_bps(bps).expect("not zero"), shortest * length)
        };
        self.trunks.iter().map(of_trunk).collect()
    }
}

const FASTEST_TRUNK: u64 = 150;

/// The groups of the heterogeneous N×N configuration of \[RATE-CONTROL\] figure 1: hosts at 3, 300 and 3000 km from their
/// switches, so that round trips are 10.06, 16 and 70 ms.
const N_BY_N: [(char, u64); 3] = [('A', 1), ('B', 100), ('C', 1000)];
const N_BY_N_GROUP: u64 = 5;

const GFC_1: Gfc = Gfc {
    trunks: &[(50, 1), (150, 1), (150, 1), (100, 1)],
    flows: &[
        ("A1", 1, 4),
        ("A2", 1, 4),
        ("A3", 1, 4),
        ("B1", 2, 5),
        ("B2", 2, 5),
        ("B3", 2, 5),
        ("C1", 3, 4),
        ("C2", 3, 4),
        ("C3", 3, 4),
        ("D1", 1, 2),
        ("D2", 1, 2),
        ("D3", 1, 2),
        ("D4", 1, 2),
        ("D5", 1, 2),
        ("D6", 1, 2),
        ("E1", 4, 5),
        ("E2", 4, 5),
        ("E3", 4, 5),
        ("E4", 4, 5),
        ("E5", 4, 5),
        ("E6", 4, 5),
        ("F1", 2, 3),
        ("F2", 2, 3),
    ],
};

const GFC_2: Gfc = Gfc {
    trunks: &[(50, 4), (100, 2), (50, 1), (150, 1), (150, 1), (50, 2)],
    flows: &[
        ("A1", 1, 6),
        ("A2", 2, 6),
        ("A3", 3, 6),
        ("B1", 1, 7),
        ("B2", 2, 7),
        ("B3", 4, 7),
        ("C1", 5, 6),
        ("C2", 5, 6),
        ("C3", 5, 6),
        ("D", 1, 2),
        ("E1", 2, 3),
        ("E2", 2, 3),
        ("F", 3, 4),
        ("G1", 6, 7),
        ("G2", 6, 7),
        ("G3", 6, 7),
        ("G4", 6, 7),
        ("G5", 6, 7),
        ("G6", 6, 7),
        ("G7", 6, 7),
        ("H1", 4, 5),
        ("H2", 4, 5),
    ],
};
