//! Keys of the experiment, the network and its queues.

use ackclock::feedback::Units;
use ackclock::keys::{
    ATM_ONLY, Condition, DELAY, Default, Dimension, Family, HOUR, INSTANT, Key, Kind, LATER, Limit, PACKET_ONLY, RATE,
    Value, words_of,
};
use ackclock::scenario::{NodeKind, ServiceOrder};
use ackclock::units::Span;

use super::words;
use crate::topologies;

/// Those at the top of a file.
#[rustfmt::skip]
pub(super) const TOP: &[Key] = &[
    Key::new("version", Kind::Integer(2, 2), Default::Is(Value::Integer(2)), "Ackclock",
        "Version of the language of scenario files."),
    Key::new("name", Kind::Text, Default::Derived("the name of the file, without its ending"), "Ackclock",
        "Name of the scenario, for readers."),
    Key::new("description", Kind::Text, Default::Is(Value::Word("")), "Ackclock",
        "What the scenario shows, for readers."),
    Key::required("duration", LATER, "Simulated time."),
    Key::new("warmup", INSTANT, Default::Is(Value::time(Span::ZERO)), "[SACK-UBR] §6.2; inferred",
        "The time from which results without the start-up count; less than the duration."),
    Key::new("seed", Kind::Integer(0, i64::MAX as u64), Default::Is(Value::Integer(1)), "Ackclock", "First seed."),
    Key::new("bottleneck", Kind::LinkName(&["none"]), Default::Derived("that of the topology: \"sw1->sw2\" of n-source, dumbbell and n-by-n, \"sw1->d1\" of a star; else \"none\""), "[SACK-UBR] Fig 5",
        "The link that efficiency refers to, as \"A->B\"."),
    Key::new("capacity", Kind::Or(&RATE, &["auto"]), Default::Is(Value::Word("auto")), "[SACK-UBR] §6.2; docs/models/aal5.md",
        "TCP payload per second at an efficiency of 1; \"auto\": the rate of the bottleneck times the share of payload on the wire.").used_if(IF_BOTTLENECK),
    Key::new("record", Kind::Metrics, Default::Derived("nothing"), "Ackclock",
        "What is recorded over time: metrics, or the groups tcp, ports and delays. `ackclock explain METRIC` describes each."),
    Key::new("record_interval", Kind::time(Span::from_us(1), HOUR), Default::Is(Value::time(Span::from_ms(10))), "Ackclock",
        "Length of the intervals over which queues, utilisation and throughput are recorded, and between samples of path delays.").used_if(IF_RECORD),
    Key::new("capture", Kind::Nodes, Default::Derived("nowhere"), "Ackclock",
        "Hosts at which every datagram is captured, for Wireshark and tcptrace."),
    Key::new("delays", Kind::Flag, Default::Derived("false"), "Ackclock",
        "Percentiles of one-way delays, round trips, jitter of UDP, and waiting times at ports."),
];

/// The topologies that have a key of [network].
macro_rules! if_used {
    ($key:literal) => {{
        const WORDS: [&str; topologies::count_using($key)] = topologies::words_using($key);
        const CONDITION: &[Condition] = &[Condition::new("topology", &WORDS)];
        CONDITION
    }};
}

/// Those of [network].
#[rustfmt::skip]
pub(super) const NETWORK: &[Key] = &[
    Key::new("technology", Kind::Word(&words_of(&words::TECHNOLOGIES)), Default::Is(Value::Word("atm")), "Ackclock",
        "The units on the links: cells (atm) or packets."),
    Key::required("topology", Kind::Word(&words_of(&topologies::TOPOLOGIES)),
        topologies::ABOUT),
    Key::required("sources", Kind::Integer(1, 10_000_000),
        "N: the number of sources, of destinations and of flows f1 to fN; a star has one destination.").used_if(if_used!("sources")),
    Key::required("cross_sources", Kind::Integer(0, 10_000_000),
        "The number of flows g1, g2, ... that cross the second trunk only.").used_if(if_used!("cross_sources")),
    Key::required("switches", Kind::Integer(2, 254),
        "The number of switches; in a parking lot the flow A crosses all trunks, B1, B2, ... one each.").used_if(if_used!("switches")),
    Key::required("rate", RATE,
        "Rate of every link; in parking-lot, gfc-1 and gfc-2 the rate of the fastest trunk, in gfc-1 and gfc-2 by default 150 Mbps, in n-by-n 155.52 Mbps.").used_if(if_used!("rate")),
    Key::required("access_delay", DELAY,
        "One-way delay of the links between hosts and switches; the default of gfc-1 and gfc-2 is 5 ms. In n-by-n it is that of group A, by default 15 us; groups B and C have 100 and 1000 times that.").used_if(if_used!("access_delay")),
    Key::required("trunk_delay", DELAY,
        "One-way delay of each link between two switches; in gfc-1 and gfc-2 of the shortest one, by default 5 ms; in n-by-n by default 5 ms.").used_if(if_used!("trunk_delay")),
    Key::new("second_rate", RATE, Default::Derived("that of `rate`"), "Ackclock",
        "Rate of the second trunk of a cascade, from sw2 to sw3.").used_if(if_used!("second_rate")),
    Key::required("access_rate", RATE,
        "Rate of the links between hosts and switches; the default is `rate` in a parking lot, 155.52 Mbps in gfc-1 and gfc-2.").used_if(if_used!("access_rate")),
    Key::required("bottleneck_rate", RATE, "Rate of the link between the switches.").used_if(if_used!("bottleneck_rate")),
    Key::required("bottleneck_delay", DELAY, "One-way delay of the link between the switches.").used_if(if_used!("bottleneck_delay")),
];

/// Those of a node.
#[rustfmt::skip]
pub(super) const NODE: &[Key] = &[
    Key::required("kind", Kind::Word(NodeKind::NAMES), "A host has ends of flows, a switch forwards."),
];

/// That of a link which its directions have not.
#[rustfmt::skip]
pub(super) const ENDS: &[Key] = &[
    Key::required("ends", Kind::Ends,
        "The two nodes that the link connects. If the topology connects them, the table describes the link of the topology."),
];

/// Those of [queue], and of a port.
#[rustfmt::skip]
pub(super) const QUEUE: &[Key] = &[
    Key::new("buffer", Kind::Or(&Kind::Quantities(BUFFERS), &["infinite"]), Default::Is(Value::Word("infinite")), "Ackclock",
        "How much data may wait: cells on ATM networks, packets or bytes on packet networks, multiples of the bandwidth-delay product on both."),
    Key::new("policy", Kind::Mechanism(Family::Policy), Default::Is(Value::Word("tail-drop")), "Ackclock",
        "The drop policy, which decides which units are refused when the buffer fills. Its parameters are in a table of its name."),
    Key::new("rate_algorithm", Kind::Mechanism(Family::RateAlgorithm), Default::Is(Value::Word("none")), "Ackclock",
        "The algorithm by which the port computes rates for the flows that cross it. On ATM networks it tells them to the sources of ABR connections, in RM cells or by EFCI; on all networks to TCP senders, as `tcp_feedback` says. Its parameters are in a table of its name."),
    Key::new("tcp_feedback", Kind::Word(&words_of(&words::TCP_FEEDBACKS)), Default::Is(Value::Word("none")), "Ackclock",
        "How the router of the port, or the ATM edge device, tells TCP senders the rates of its rate algorithm: it lowers the receive window in their acknowledgements, lets these wait in an acknowledgement bucket, or both. An edge device reassembles the acknowledgements for this."),
    Key::new("feedback_round_trip", Kind::Or(&Kind::time(Span::from_us(1), Span::from_secs(100)), &["individual"]), Default::Is(Value::Word("individual")), "[RATE-CONTROL] §4.1",
        "The time by which window feedback multiplies a rate: one time for all flows, or the propagation round trip of each.").used_if(IF_WINDOW_FEEDBACK),
    Key::new("feedback_units", Kind::Word(Units::NAMES), Default::Is(Value::Word("payload")), "inferred",
        "What window feedback counts of the segments that a rate allows: their payload, or all that they take on the wire.").used_if(IF_WINDOW_FEEDBACK),
    Key::new("feedback_group", Kind::Integer(1, 1_000_000), Default::Is(Value::Integer(1)), "Ackclock",
        "So many flows in a row, in the order of their names, are one unit for a packet port: they share one rate, of which each that has been heard has an equal part, and one acknowledgement bucket. 1: each flow by itself.").used_if(IF_PACKET_FEEDBACK),
    Key::new("counting", Kind::Word(&words_of(&words::COUNTINGS)), Default::Is(Value::Word("waiting")), "Ackclock",
        "How the buffer of a packet port is counted: all of it for waiting packets, or as in ns-2, where of 50 packets 49 wait and one is transmitted.").used_if(PACKET_ONLY),
    Key::new("service_order", Kind::Word(ServiceOrder::NAMES), Default::Is(Value::Word("random")), "inferred: a fixed order starves all sources but one",
        "The order in which cells of one slot are admitted: random, by name beginning one input later in every slot, always by name, or as they arrive.").used_if(ATM_ONLY),
];

const BUFFERS: &[Limit] = &[
    Limit { dimension: Dimension::Cells, min: 1, max: MOST_CELLS },
    Limit { dimension: Dimension::Packets, min: 1, max: 1 << 31 },
    Limit { dimension: Dimension::Size, min: 1, max: MOST_BYTES },
    Limit { dimension: Dimension::Bdp, min: 1, max: 1_000_000_000_000 },
];
/// The largest buffers: cells are counted in 32 bits, bytes in 64.
pub(crate) const MOST_CELLS: u64 = 1 << 31;
pub(crate) const MOST_BYTES: u64 = 1_000_000_000_000;
const IF_PACKET_FEEDBACK: &[Condition] =
    &[Condition::new("technology", &["packet"]), Condition::new("tcp_feedback", &["window", "bucket", "both"])];
const IF_WINDOW_FEEDBACK: &[Condition] = &[Condition::new("tcp_feedback", &["window", "both"])];
const IF_BOTTLENECK: &[Condition] = &[Condition::new("bottleneck", &["named"])];
const IF_RECORD: &[Condition] = &[Condition::new("record", &["given"])];
