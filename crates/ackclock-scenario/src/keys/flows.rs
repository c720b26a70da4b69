//! Keys of flows, of what carries them, and of the dialect of TCP.

use ackclock::keys::{ATM_ONLY, Default, Family, INSTANT, Key, Kind, LATER, PACKET_ONLY, RATE, Value, words_of};
use ackclock::scenario::ForcedDrop;
use ackclock::units::Span;

use super::words;

/// Those of a flow by itself.
#[rustfmt::skip]
pub(super) const FLOW: &[Key] = &[
    Key::new("from", Kind::NodeName, Default::Derived("for flows of the topology: of f1 s1, of A1 sA1, ..."), "[SACK-UBR] Fig 5",
        "The host of the sender."),
    Key::new("to", Kind::NodeName, Default::Derived("for flows of the topology: of f1 d1, of A1 dA1, ..."), "[SACK-UBR] Fig 5",
        "The host of the receiver."),
    Key::new("group", Kind::Text, Default::Derived("none"), "Ackclock",
        "Name of a group of flows, of which measures are taken together, as in share(goodput: new). It changes nothing in a run."),
    Key::new("route", Kind::Route, Default::Derived("fewest links, then least delay, then names in order"), "Ackclock",
        "Nodes of the data path, ends included."),
    Key::new("back_route", Kind::Route, Default::Derived("fewest links, then least delay, then names in order"), "Ackclock",
        "Nodes of the path of the acknowledgements, ends included."),
    Key::new("route_changes", Kind::RouteChanges, Default::Derived("none"), "Ackclock",
        "Later paths of the data, each from an instant on: at a node of the new path, packets that arrive from then on go on along it. The first link is always that of `route`. A list, as [{ at = \"2 s\", route = [\"s1\", \"sw1\", \"d1\"] }].").used_if(PACKET_ONLY),
    Key::new("back_route_changes", Kind::RouteChanges, Default::Derived("none"), "Ackclock",
        "Later paths of the acknowledgements, each from an instant on, as `route_changes` of the data.").used_if(PACKET_ONLY),
    Key::new("drops", Kind::Drops(ForcedDrop::KEYS), Default::Derived("none"), "Ackclock",
        "Segments that are lost: numbers counted from 0, whose first transmission is lost, or { segment = 30, transmission = 2 }."),
    Key::new("encrypted_headers", Kind::Flag, Default::Derived("false"), "Ackclock",
        "Whether the headers of segments are encrypted or authenticated on their way, as by IPsec: then no router can change the window or hold acknowledgements back, and a path with `tcp_feedback` is an error."),
];

/// Those of files that arrive.
#[rustfmt::skip]
pub(super) const ARRIVALS: &[Key] = &[
    Key::required("from", Kind::NodeName, "The host that sends the files."),
    Key::required("to", Kind::NodeName, "The host that receives them."),
    Key::required_as("interval", Kind::Law(&LATER), "{ law = \"exponential\", mean = \"1 s\" }",
        "The time from each arrival to the next, and from `start` to the first: a time, or a law of times; exponential ones are a Poisson process."),
    Key::required_as("size", Kind::Law(&Kind::bytes(1, 1 << 40)), "{ law = \"log-normal\", mean = \"100 kB\", deviation = \"300 kB\" }",
        "The octets of each file: a size, or a law of sizes."),
    Key::new("start", INSTANT, Default::Is(Value::time(Span::ZERO)), "Ackclock", "When the first interval begins."),
    Key::new("until", Kind::Or(&LATER, &["never"]), Default::Is(Value::Word("never")), "Ackclock",
        "From when on no file arrives; that of the run at the latest."),
    Key::new("most", Kind::Or(&Kind::Integer(0, 1_000_000), &["any"]), Default::Is(Value::Word("any")), "Ackclock",
        "How many files arrive at most."),
    Key::new("draws", Kind::Integer(0, 1 << 32), Default::Is(Value::Integer(1)), "Ackclock",
        "The list that is drawn: another number gives other instants and sizes. Under every seed of a run the same files arrive."),
];

/// That of [atm] which flows have not.
#[rustfmt::skip]
pub(super) const ATM: &[Key] = &[
    Key::new("llc", Kind::Flag, Default::Is(Value::Flag(true)), "[SACK-UBR] §6.2",
        "Whether a LLC/SNAP header of 8 octets precedes each datagram.").used_if(ATM_ONLY),
];

/// Those of the ATM service, for all flows and for one.
#[rustfmt::skip]
pub(super) const SERVICE: &[Key] = &[
    Key::new("pcr", Kind::Or(&RATE, &["link-rate"]), Default::Is(Value::Word("link-rate")), "[SACK-UBR]: the rate of the link",
        "Peak cell rate of a flow in bits per second with cell headers; at most the rate of the link of its host.").used_if(ATM_ONLY),
    Key::new("service", Kind::Word(&words_of(&words::SERVICES)), Default::Is(Value::Word("ubr")), "[SACK-UBR]",
        "The ATM service of a flow's data: unspecified bit rate, or available bit rate, whose source follows the rates in RM cells; the parameters of that are in [abr].").used_if(ATM_ONLY),
];

/// Those of [packet].
#[rustfmt::skip]
pub(super) const PACKET: &[Key] = &[
    Key::new("link_header", Kind::bytes(0, 65_535), Default::Is(Value::bytes(0)), "Ackclock",
        "Octets that each link adds to a datagram.").used_if(PACKET_ONLY),
];

/// The one of TCP that chooses the defaults of the others.
#[rustfmt::skip]
pub(super) const DIALECT: &[Key] = &[
    Key::new("dialect", Kind::Mechanism(Family::Dialect), Default::Derived("\"osu\" on ATM networks, \"standard\" on packet networks"), "Ackclock",
        "The TCP that gives the defaults of the other keys: that of [SACK-UBR], ns-2 of 2001, the RFCs of today, or Linux 2.2 behind the link emulator of [VEGAS-A]. Each key can be set alone."),
];
