//! The generic fairness configurations: chains of switches with several bottlenecks, and groups of flows.
//! Source: ATM Forum 94-0557 (literature), with lengths and rates in configuration.

use ackclock::keys::Value;
use ackclock::units::{Rate, Span};

use super::{Fallback, Flows, Given, MadeFlow, Topology, Trunk};

pub(super) const GFC_1: Topology = Topology {
    name: "gfc-1",
    about: "the first generic fairness configuration, five switches in a row and 23 flows in six groups",
    uses: USES,
    access_rate: "access_rate",
    bottleneck: None,
    one_destination: false,
    defaults: DEFAULTS,
    flows: |_| Some(FIRST.flows()),
    trunks: |given| FIRST.trunks(given),
};

pub(super) const GFC_2: Topology = Topology {
    name: "gfc-2",
    about: "the second one, seven switches in a row and 22 flows in eight groups",
    flows: |_| Some(SECOND.flows()),
    trunks: |given| SECOND.trunks(given),
    ..GFC_1
};

const USES: &[&str] = &["rate", "access_delay", "trunk_delay", "access_rate"];
const DEFAULTS: &[(&str, Fallback, &str)] = &[
    ("rate", Fallback::Is(Value::rate(FASTEST_TRUNK * 1_000_000)), "literature"),
    ("access_rate", Fallback::Is(Value::rate(155_520_000)), "inferred"),
    ("access_delay", LENGTH, "by calculation: 1000 km at 5 us/km"),
    ("trunk_delay", LENGTH, "by calculation: 1000 km at 5 us/km"),
];
const LENGTH: Fallback = Fallback::Is(Value::time(Span::from_ms(5)));
const FASTEST_TRUNK: u64 = 150;

/// A network of the generic fairness configurations.
struct Gfc {
    /// Rates in Mb/s where the fastest has 150, and lengths in multiples of the shortest, of the links between switches.
    trunks: &'static [(u64, u64)],
    /// Name, and the switches where it enters and leaves.
    flows: &'static [(&'static str, usize, usize)],
}

impl Gfc {
    fn flows(&self) -> Flows {
        let flows = self.flows.iter().map(|&(name, enters, leaves)| MadeFlow::new(name, enters, leaves));
        Flows { switches: self.trunks.len() + 1, flows: flows.collect() }
    }

    fn trunks(&self, given: &dyn Given) -> Option<Vec<Trunk>> {
        let (fastest, shortest) = (given.rate("rate")?, given.span("trunk_delay")?);
        let of_trunk = |&(rate, length): &(u64, u64)| {
            let bps = (fastest.as_bps() * rate / FASTEST_TRUNK).max(1);
            (Rate::from_bps(bps).expect("not zero"), shortest * length)
        };
        Some(Trunk::chain(self.trunks.iter().map(of_trunk)))
    }
}

const FIRST: Gfc = Gfc {
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

const SECOND: Gfc = Gfc {
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
