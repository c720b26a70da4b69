//! Keys of satellites and of places on the ground.

use super::*;

pub(super) const KEYS: &[Key] = &[
    Key {
        sections: SATELLITES,
        name: "constellation",
        kind: Kind::Text,
        default: Fallback::Derived("none"),
        source: "Ackclock",
        about: "Satellites on circular orbits: \"iridium\", or a Walker pattern INCLINATION:SATELLITES/PLANES/PHASING as in \"53:72/6/2\" or \"star 86.4:66/6/2\".",
        used_if: ALWAYS,
    },
    Key {
        sections: SATELLITES,
        name: "altitude",
        kind: amount(&[Limit { dimension: Dimension::Distance, min: 0, max: 2_000_000_000 }]),
        default: Fallback::Required,
        source: "",
        about: "Height of the orbits above the equator.",
        used_if: IF_WALKER,
    },
    Key {
        sections: SATELLITES,
        name: "j2",
        kind: Kind::Flag,
        default: Fallback::Bare("false"),
        source: "literature: ns-2",
        about: "Whether the flattening of the Earth turns the planes.",
        used_if: IF_WALKER,
    },
    Key {
        sections: SATELLITES,
        name: "geostationary",
        kind: Kind::Longitude,
        default: Fallback::Derived("none"),
        source: "Ackclock",
        about: "One satellite above the equator: its longitude, as in \"95 W\".",
        used_if: ALWAYS,
    },
    Key {
        sections: SATELLITES,
        name: "elements",
        kind: Kind::Text,
        default: Fallback::Derived("none"),
        source: "Ackclock",
        about: "A file of two-line elements, or an Orbit Mean-Elements Message as JSON, CSV or XML; the path is relative to the scenario file.",
        used_if: ALWAYS,
    },
    Key {
        sections: SATELLITES,
        name: "epoch",
        kind: Kind::Text,
        default: Fallback::Derived("the epoch of the newest elements"),
        source: "Ackclock",
        about: "When the run starts, UTC, as in \"2026-11-21T12:00:00\".",
        used_if: IF_ELEMENTS,
    },
    Key {
        sections: SATELLITES,
        name: "plan",
        kind: Kind::Text,
        default: Fallback::Derived("none"),
        source: "Ackclock",
        about: "The folder of a contact plan that `ackclock contacts` wrote: it is read, and nothing is computed.",
        used_if: ALWAYS,
    },
    Key {
        sections: SATELLITES,
        name: "digest",
        kind: Kind::Text,
        default: Fallback::Derived("that of the file"),
        source: "Ackclock",
        about: "BLAKE3 of the elements, or of the index of the plan: another file is refused.",
        used_if: IF_FILE,
    },
    Key {
        sections: SATELLITES,
        name: "earth",
        kind: Kind::Word(&["wgs84", "wgs84-ellipsoid", "ns2"]),
        default: Fallback::Text("wgs84"),
        source: "[WGS84]",
        about: "Size and gravity of the Earth, and the speed of light; places are on a sphere or on the ellipsoid.",
        used_if: IF_COMPUTED,
    },
    Key {
        sections: PLACED,
        name: "mask",
        kind: amount(&[Limit { dimension: Dimension::Angle, min: 0, max: 89_900_000 }]),
        default: Fallback::Derived("8.2 deg for iridium, else 10 deg"),
        source: "literature: ns-2; Ackclock",
        about: "A terminal sees satellites that stand higher above its horizon than this.",
        used_if: IF_COMPUTED,
    },
    Key {
        sections: SATELLITES,
        name: "handover",
        kind: Kind::Word(&["sticky", "max-elevation", "max-remaining-time"]),
        default: Fallback::Text("sticky"),
        source: "literature: ns-2",
        about: "Which satellite a terminal uses: the one it has as long as it sees it, the highest, or the one it will see longest.",
        used_if: IF_MOVING,
    },
    Key {
        sections: SATELLITES,
        name: "hysteresis",
        kind: amount(&[
            Limit { dimension: Dimension::Angle, min: 0, max: 90_000_000 },
            Limit { dimension: Dimension::Time, min: 0, max: HOUR_PS },
        ]),
        default: Fallback::Derived("none: 0 deg or 0 s"),
        source: "Ackclock",
        about: "By how much another satellite has to be better: an angle for max-elevation, a time for max-remaining-time.",
        used_if: IF_BEST,
    },
    Key {
        sections: SATELLITES,
        name: "check_interval",
        kind: amount(&[Limit { dimension: Dimension::Time, min: 1_000_000_000, max: HOUR_PS }]),
        default: Fallback::Text("10 s"),
        source: "literature: ns-2",
        about: "How often a terminal looks whether it still sees its satellite, and a satellite at its links.",
        used_if: IF_MOVING,
    },
    Key {
        sections: SATELLITES,
        name: "check_jitter",
        kind: Kind::Word(&["none", "half"]),
        default: Fallback::Text("none"),
        source: "[VEGAS-A] Figure 32; by calculation",
        about: "What keeps the checks apart: nothing, or each waits between a half and three halves of the interval, at random.",
        used_if: IF_MOVING,
    },
    Key {
        sections: SATELLITES,
        name: "check_seed",
        kind: Kind::Integer { min: 0, max: i64::MAX as u64 },
        default: Fallback::Bare("1"),
        source: "Ackclock",
        about: "What these waits follow from; the seed of a run does not change its contact plan.",
        used_if: IF_JITTER,
    },
    Key {
        sections: SATELLITES,
        name: "isl",
        kind: Kind::Word(&["none", "in-plane", "grid", "grid-across-seam"]),
        default: Fallback::Derived("grid for constellations, none for elements"),
        source: "literature: ns-2",
        about: "Links between satellites: within the plane, also to the planes beside, also across the seam.",
        used_if: IF_MOVING,
    },
    Key {
        sections: SATELLITES,
        name: "polar_latitude",
        kind: amount(&[Limit { dimension: Dimension::Angle, min: 0, max: 90_000_000 }]),
        default: Fallback::Text("60 deg"),
        source: "literature: ns-2",
        about: "Links to other planes are down while either end is nearer to a pole than this latitude.",
        used_if: IF_CROSS,
    },
    Key {
        sections: SATELLITES,
        name: "grazing_margin",
        kind: amount(&[Limit { dimension: Dimension::Distance, min: 0, max: 100_000_000 }]),
        default: Fallback::Text("150 km"),
        source: "literature: ns-2",
        about: "No link between satellites passes lower above the ground than this.",
        used_if: IF_LINKED,
    },
    Key {
        sections: SATELLITES,
        name: "seam_longitude",
        kind: amount(&[Limit { dimension: Dimension::Angle, min: 0, max: 180_000_000 }]),
        default: Fallback::Text("10 deg"),
        source: "literature: ns-2",
        about: "Links across the seam are down while the longitudes of their ends differ by less.",
        used_if: IF_SEAM,
    },
    Key {
        sections: SATELLITES,
        name: "routing",
        kind: Kind::Word(&["at-change", "interval"]),
        default: Fallback::Text("at-change"),
        source: "literature: ns-2",
        about: "When ways of least delay are found: at every change of a link, or at equal intervals.",
        used_if: IF_MOVING,
    },
    Key {
        sections: SATELLITES,
        name: "routing_delay",
        kind: amount(&[Limit { dimension: Dimension::Time, min: 0, max: HOUR_PS }]),
        default: Fallback::Text("0 s"),
        source: "literature: ns-2",
        about: "How long after a change the old routes hold.",
        used_if: IF_AT_CHANGE,
    },
    Key {
        sections: SATELLITES,
        name: "routing_interval",
        kind: amount(&[Limit { dimension: Dimension::Time, min: 1_000_000_000, max: HOUR_PS }]),
        default: Fallback::Text("10 s"),
        source: "Ackclock",
        about: "The time from one computation of the routes to the next.",
        used_if: IF_INTERVAL,
    },
    Key {
        sections: SATELLITES,
        name: "ttl",
        kind: Kind::Integer { min: 1, max: 255 },
        default: Fallback::Bare("32"),
        source: "literature: ns-2",
        about: "How many links a packet may cross from terminal to terminal.",
        used_if: IF_MOVING,
    },
    Key {
        sections: SATELLITES,
        name: "time_advance",
        kind: amount(&[INSTANT]),
        default: Fallback::Text("0 s"),
        source: "[VEGAS-A] Figure 32; inferred",
        about: "Positions are those of this much later.",
        used_if: IF_COMPUTED,
    },
    Key {
        sections: SATELLITES,
        name: "rate",
        kind: amount(&[RATE]),
        default: Fallback::Text("1.5 Mbps"),
        source: "[VEGAS-A] §4.2.2",
        about: "Rate of the links up from terminals.",
        used_if: ALWAYS,
    },
    Key {
        sections: SATELLITES,
        name: "down_rate",
        kind: amount(&[RATE]),
        default: Fallback::Derived("the rate of the links up"),
        source: "literature: ns-2",
        about: "Rate of the links down to terminals.",
        used_if: IF_STORED,
    },
    Key {
        sections: SATELLITES,
        name: "isl_rate",
        kind: amount(&[RATE]),
        default: Fallback::Text("25 Mbps"),
        source: "literature: ns-2",
        about: "Rate of the links between satellites.",
        used_if: IF_LINKS,
    },
    Key {
        sections: SATELLITES,
        name: "payload",
        kind: Kind::Word(&["bent-pipe", "regenerative"]),
        default: Fallback::Derived("bent-pipe for a geostationary satellite, else regenerative"),
        source: "[VEGAS-A] §4.2.2; inferred",
        about: "What a geostationary satellite is: a mirror without a queue between two places, or a node that stores and forwards.",
        used_if: IF_GEO,
    },
    Key {
        sections: &[Section::Place],
        name: "at",
        kind: Kind::Position,
        default: Fallback::Derived("none: only a contact plan knows"),
        source: "Ackclock",
        about: "Where it is, as in \"37.9 N 122.3 W\".",
        used_if: IF_COMPUTED,
    },
    Key {
        sections: &[Section::Place],
        name: "height",
        kind: amount(&[Limit { dimension: Dimension::Distance, min: 0, max: 100_000 }]),
        default: Fallback::Text("0 m"),
        source: "literature: ns-2",
        about: "How high above the sea.",
        used_if: IF_COMPUTED,
    },
    Key {
        sections: &[Section::Place],
        name: "errors",
        kind: Kind::Errors,
        default: Fallback::Derived("none"),
        source: "Ackclock",
        about: "Which packets from the sky arrive damaged: one model or several, as in { model = \"uniform\", rate = 0.01 }.",
        used_if: ALWAYS,
    },
];

const SATELLITES: &[Section] = &[Section::Satellites];
const PLACED: &[Section] = &[Section::Satellites, Section::Place];
const MOVING: &[&str] = &["iridium", "walker", "elements"];
const IF_COMPUTED: &[Condition] =
    &[Condition { key: "satellites", is: &["geostationary", "iridium", "walker", "elements"] }];
const IF_WALKER: &[Condition] = &[Condition { key: "satellites", is: &["walker"] }];
const IF_GEO: &[Condition] = &[Condition { key: "satellites", is: &["geostationary", "plan"] }];
const IF_ELEMENTS: &[Condition] = &[Condition { key: "satellites", is: &["elements"] }];
const IF_FILE: &[Condition] = &[Condition { key: "file", is: &["elements", "plan"] }];
const IF_MOVING: &[Condition] = &[Condition { key: "satellites", is: MOVING }];
const IF_BEST: &[Condition] = &[
    Condition { key: "satellites", is: MOVING },
    Condition { key: "handover", is: &["max-elevation", "max-remaining-time"] },
];
const IF_JITTER: &[Condition] =
    &[Condition { key: "satellites", is: MOVING }, Condition { key: "check_jitter", is: &["half"] }];
const IF_LINKED: &[Condition] = &[
    Condition { key: "satellites", is: MOVING },
    Condition { key: "isl", is: &["in-plane", "grid", "grid-across-seam"] },
];
const IF_CROSS: &[Condition] =
    &[Condition { key: "satellites", is: MOVING }, Condition { key: "isl", is: &["grid", "grid-across-seam"] }];
const IF_SEAM: &[Condition] =
    &[Condition { key: "satellites", is: MOVING }, Condition { key: "isl", is: &["grid-across-seam"] }];
const IF_AT_CHANGE: &[Condition] =
    &[Condition { key: "satellites", is: MOVING }, Condition { key: "routing", is: &["at-change"] }];
const IF_INTERVAL: &[Condition] =
    &[Condition { key: "satellites", is: MOVING }, Condition { key: "routing", is: &["interval"] }];
const IF_LINKS: &[Condition] = &[Condition { key: "linked", is: &["true"] }];
/// Satellites that store packets before they send them down.
const IF_STORED: &[Condition] = &[Condition { key: "stores", is: &["true"] }];
