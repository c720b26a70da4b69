//! Keys of satellites and of places on the ground.

use ackclock::keys::{Condition, Default, Dimension, HOUR, INSTANT, Key, Kind, Limit, RATE, Value, words_of};
use ackclock::link::{ErrorParams, Reordering};
use ackclock::units::Span;

use super::words;

/// Keys of the table `[satellites]`: what flies, and between which instants.
#[rustfmt::skip]
pub(super) const SATELLITES: &[Key] = &[
    Key::new("constellation", Kind::Text, Default::Derived("none"), "Ackclock",
        "Satellites on circular orbits: \"iridium\", or a Walker pattern INCLINATION:SATELLITES/PLANES/PHASING as in \"53:72/6/2\" or \"star 86.4:66/6/2\"."),
    Key::required("altitude", Kind::quantity(Dimension::Distance, 0, 2_000_000_000),
        "Height of the orbits above the equator.").used_if(IF_WALKER),
    Key::new("j2", Kind::Flag, Default::Is(Value::Flag(false)), "literature: ns-2",
        "Whether the orbital planes turn because of the flattening of the Earth (J2).").used_if(IF_WALKER),
    Key::new("geostationary", Kind::Longitude, Default::Derived("none"), "Ackclock",
        "One satellite above the equator: its longitude, as in \"95 W\"."),
    Key::new("elements", Kind::Text, Default::Derived("none"), "Ackclock",
        "A file of two-line elements, or an Orbit Mean-Elements Message as JSON, CSV or XML; the path is relative to the scenario file."),
    Key::new("epoch", Kind::Text, Default::Derived("the epoch of the newest elements"), "Ackclock",
        "When the run starts, UTC, as in \"2026-11-21T12:00:00\", or with the day of the year, \"2026-325T12:00:00\".").used_if(IF_ELEMENTS),
    Key::new("unusable_elements", Kind::Word(&words_of(&words::UNUSABLE_ELEMENTS)), Default::Is(Value::Word("refuse")), "Ackclock",
        "What happens if element sets cannot be used, because they are damaged, not of SGP4, or lead nowhere within the run: an error names all of them, or these satellites are left out and a warning names them.").used_if(IF_ELEMENTS),
    Key::new("plan", Kind::Text, Default::Derived("none"), "Ackclock",
        "The folder of a contact plan that `ackclock contacts` wrote; the plan is read instead of computed."),
    Key::new("digest", Kind::Text, Default::Derived("that of the file"), "Ackclock",
        "BLAKE3 of the elements, or of the index of the plan: another file is refused.").used_if(IF_FILE),
    Key::new("earth", Kind::Word(&["wgs84", "wgs84-ellipsoid", "ns2"]), Default::Derived("wgs84-ellipsoid for elements, else wgs84"), "[WGS84]",
        "Size and gravity of the Earth, and the speed of light; places are on a sphere or on the ellipsoid.").used_if(IF_COMPUTED),
    MASK,
    Key::new("handover", Kind::Word(&words_of(&words::HANDOVERS)), Default::Derived("least-delay in linked Walker constellations of 200 satellites or more, else sticky"), "Ackclock; literature: ns-2",
        "Which satellite a terminal uses: the current one while it sees it, the highest, the one that it will see longest, or the one with the shortest delay to the other end.").used_if(IF_MOVING),
    Key::new("hysteresis", Kind::Quantities(&[Limit { dimension: Dimension::Angle, min: 0, max: 90_000_000 }, Limit::time(Span::ZERO, HOUR)]), Default::Derived("1 ms for least-delay, else none: 0 deg or 0 s"), "Ackclock",
        "By how much another satellite must be better for a handover: an angle for max-elevation, a time for max-remaining-time, a delay for least-delay.").used_if(IF_BEST),
    Key::new("check_interval", Kind::time(Span::from_ms(1), HOUR), Default::Is(Value::time(Span::from_secs(10))), "literature: ns-2",
        "How often a terminal checks its satellite, and a satellite its links.").used_if(IF_MOVING),
    Key::new("check_jitter", Kind::Word(&words_of(&words::CHECK_JITTERS)), Default::Is(Value::Word("none")), "[VEGAS-A] Figure 32; by calculation",
        "Randomness of the checks: none, or each waits a random time between a half and three halves of the interval.").used_if(IF_MOVING),
    Key::new("check_seed", Kind::Integer(0, i64::MAX as u64), Default::Is(Value::Integer(1)), "Ackclock",
        "The seed of these random times; the seed of a run does not change its contact plan.").used_if(IF_JITTER),
    Key::new("isl", Kind::Word(&words_of(&words::ISLS)), Default::Derived("grid-nearest for Walker constellations of 200 satellites or more, grid for smaller ones, none for elements"), "Ackclock; literature: ns-2",
        "Links between satellites: within the plane; also to the same index in the neighbouring planes, or to the nearest satellite of each; also across the seam.").used_if(IF_MOVING),
    Key::new("polar_latitude", Kind::quantity(Dimension::Angle, 0, 90_000_000), Default::Is(Value::quantity(Dimension::Angle, 60_000_000)), "literature: ns-2",
        "Links to other planes are down while either end is nearer to a pole than this latitude.").used_if(IF_CROSS),
    Key::new("grazing_margin", Kind::quantity(Dimension::Distance, 0, 100_000_000), Default::Is(Value::quantity(Dimension::Distance, 150_000)), "literature: ns-2",
        "No link between satellites passes lower above the ground than this.").used_if(IF_LINKED),
    Key::new("seam_longitude", Kind::quantity(Dimension::Angle, 0, 180_000_000), Default::Is(Value::quantity(Dimension::Angle, 10_000_000)), "literature: ns-2",
        "Links across the seam are down while the longitudes of their ends differ by less.").used_if(IF_SEAM),
    Key::new("routing", Kind::Word(&words_of(&words::ROUTINGS)), Default::Is(Value::Word("at-change")), "literature: ns-2",
        "When routes of least delay are computed: at every change of a link, or at equal intervals.").used_if(IF_MOVING),
    Key::new("routing_delay", Kind::time(Span::ZERO, HOUR), Default::Is(Value::time(Span::ZERO)), "literature: ns-2",
        "How long the old routes are used after a change.").used_if(IF_AT_CHANGE),
    Key::new("routing_interval", Kind::time(Span::from_ms(1), HOUR), Default::Is(Value::time(Span::from_secs(10))), "Ackclock",
        "The time from one computation of the routes to the next.").used_if(IF_INTERVAL),
    Key::new("ttl", Kind::Integer(1, 255), Default::Derived("32 in the dialect ns2-2001, else 64, or more if the grid of satellites is wider"), "literature: ns-2; RFC 1700",
        "How many links a packet may cross from terminal to terminal.").used_if(IF_MOVING),
    Key::new("time_advance", INSTANT, Default::Is(Value::time(Span::ZERO)), "[VEGAS-A] Figure 32; inferred",
        "Offset of the time at which positions are computed.").used_if(IF_COMPUTED),
    Key::new("rate", RATE, Default::Is(Value::rate(1_500_000)), "[VEGAS-A] §4.2.2",
        "Rate of the uplinks of terminals."),
    Key::new("down_rate", RATE, Default::Derived("the rate of the uplinks"), "literature: ns-2",
        "Rate of the downlinks to terminals.").used_if(IF_STORED),
    Key::new("isl_rate", RATE, Default::Is(Value::rate(25_000_000)), "literature: ns-2",
        "Rate of the links between satellites.").used_if(IF_LINKS),
    Key::new("payload", Kind::Word(&words_of(&words::PAYLOADS)), Default::Derived("bent-pipe for a geostationary satellite, else regenerative"), "[VEGAS-A] §4.2.2; inferred",
        "What a geostationary satellite does: it repeats signals between two places without a queue, or stores and forwards packets.").used_if(IF_GEO),
    Key::new("handover_gap", Kind::time(Span::ZERO, HOUR), Default::Is(Value::time(Span::ZERO)), "literature: ns-2",
        "How long a terminal can neither send nor receive after a handover; packets wait.").used_if(IF_STORED),
    Key::new("terminal_queue", Kind::Word(&words_of(&words::TERMINAL_QUEUES)), Default::Is(Value::Word("keep")), "Ackclock",
        "What happens to packets that wait at a terminal at a handover: the next satellite gets them; or they are lost at once; or, as in ns-2, they have the address of the old satellite, and are sent and lost.").used_if(IF_STORED),
    Key::new("old_downlink", Kind::Word(&words_of(&words::OLD_DOWNLINKS)), Default::Is(Value::Word("drop")), "literature: ns-2",
        "What happens to packets that wait at a satellite for a terminal that has left it: they are sent and lost, or rerouted.").used_if(IF_STORED),
    Key::new("in_flight", Kind::Word(&words_of(&words::IN_FLIGHT)), Default::Is(Value::Word("deliver")), "literature: ns-2",
        "What happens to packets between a terminal and a satellite when the terminal leaves it.").used_if(IF_STORED),
    Key::new("isl_queue", Kind::Word(&words_of(&words::ISL_QUEUES)), Default::Is(Value::Word("drain")), "literature: ns-2",
        "What happens to packets that wait for a link between satellites when it goes down: they are sent, or lost.").used_if(IF_LINKS),
    Key::new("reordering", Kind::Word(Reordering::NAMES), Default::Is(Value::Word("natural")), "literature: ns-2",
        "Whether a packet may arrive before another that was sent before it over the same link.").used_if(IF_STORED),
];

/// Those of a place on the ground.
#[rustfmt::skip]
pub(super) const PLACE: &[Key] = &[
    MASK,
    Key::new("at", Kind::Position, Default::Derived("none: only a contact plan has it"), "Ackclock",
        "The position, as in \"37.9 N 122.3 W\".").used_if(IF_COMPUTED),
    Key::new("height", Kind::quantity(Dimension::Distance, 0, 100_000), Default::Is(Value::quantity(Dimension::Distance, 0)), "literature: ns-2",
        "Height above sea level.").used_if(IF_COMPUTED),
    Key::new("rate", RATE, Default::Derived("that in [satellites]"), "Ackclock",
        "Rate of the uplink of this terminal: a return channel may be slower than that of another place."),
    Key::new("down_rate", RATE, Default::Derived("that in [satellites]"), "Ackclock",
        "Rate of the downlinks to this terminal.").used_if(IF_STORED),
    Key::new("errors", Kind::Errors(ErrorParams::KEYS_OF_PLACES), Default::Derived("none"), "Ackclock",
        "Which packets on the downlink to this place are corrupted: one model or several, as in { model = \"uniform\", rate = 0.01 }."),
];

#[rustfmt::skip]
const MASK: Key = Key::new("mask", Kind::quantity(Dimension::Angle, 0, 89_900_000), Default::Derived("8.2 deg for iridium, else 10 deg"), "literature: ns-2; Ackclock",
    "The elevation above which a terminal sees satellites.").used_if(IF_COMPUTED);
const MOVING: &[&str] = &["iridium", "walker", "elements"];
const IF_COMPUTED: &[Condition] = &[Condition::new("satellites", &["geostationary", "iridium", "walker", "elements"])];
const IF_WALKER: &[Condition] = &[Condition::new("satellites", &["walker"])];
const IF_GEO: &[Condition] = &[Condition::new("satellites", &["geostationary", "plan"])];
const IF_ELEMENTS: &[Condition] = &[Condition::new("satellites", &["elements"])];
const IF_FILE: &[Condition] = &[Condition::new("file", &["elements", "plan"])];
const IF_MOVING: &[Condition] = &[Condition::new("satellites", MOVING)];
const IF_BEST: &[Condition] = &[
    Condition::new("satellites", MOVING),
    Condition::new("handover", &["max-elevation", "max-remaining-time", "least-delay"]),
];
const IF_JITTER: &[Condition] = &[Condition::new("satellites", MOVING), Condition::new("check_jitter", &["half"])];
const IF_LINKED: &[Condition] = &[
    Condition::new("satellites", MOVING),
    Condition::new("isl", &["in-plane", "grid", "grid-nearest", "grid-across-seam"]),
];
const IF_CROSS: &[Condition] =
    &[Condition::new("satellites", MOVING), Condition::new("isl", &["grid", "grid-nearest", "grid-across-seam"])];
const IF_SEAM: &[Condition] = &[Condition::new("satellites", MOVING), Condition::new("isl", &["grid-across-seam"])];
const IF_AT_CHANGE: &[Condition] = &[Condition::new("satellites", MOVING), Condition::new("routing", &["at-change"])];
const IF_INTERVAL: &[Condition] = &[Condition::new("satellites", MOVING), Condition::new("routing", &["interval"])];
const IF_LINKS: &[Condition] = &[Condition::new("linked", &["true"])];
/// Satellites that store packets before they send them down.
const IF_STORED: &[Condition] = &[Condition::new("stores", &["true"])];
