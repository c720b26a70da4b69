//! The heterogeneous N×N configuration: three groups of flows at two switches.
//! Source: \[RATE-CONTROL\] figure 1, §6.

use ackclock::keys::Value;
use ackclock::units::Span;

use super::{Fallback, Flows, MadeFlow, Topology, n_source};

/// The groups: hosts at 3, 300 and 3000 km from their switches, so that round trips are 10.06, 16 and 70 ms.
const GROUPS: [(char, u64); 3] = [('A', 1), ('B', 100), ('C', 1000)];
const GROUP: u64 = 5;

pub(super) const TOPOLOGY: Topology = Topology {
    name: "n-by-n",
    about: "15 flows at two switches, in three groups of different round trips",
    uses: &["rate", "access_delay", "trunk_delay"],
    access_rate: "rate",
    bottleneck: Some("sw1->sw2"),
    one_destination: false,
    defaults: &[
        ("rate", Fallback::Is(Value::rate(155_520_000)), "[RATE-CONTROL] \u{a7}6"),
        ("access_delay", Fallback::Is(Value::time(Span::from_us(15))), "[RATE-CONTROL] \u{a7}6: 3 km at 5 us/km"),
        (
            "trunk_delay",
            Fallback::Is(Value::time(Span::from_us(5000))),
            "[RATE-CONTROL] \u{a7}6, by calculation: 1000 km",
        ),
    ],
    flows: |_| {
        let group =
            |(letter, distance)| MadeFlow::several(letter, GROUP, 1, 2).map(move |flow| MadeFlow { distance, ..flow });
        Some(Flows { switches: 2, flows: GROUPS.into_iter().flat_map(group).collect() })
    },
    trunks: n_source::TOPOLOGY.trunks,
};
