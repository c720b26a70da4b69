//! Keys of sources of datagrams.

use super::key::*;
use crate::values::quantity::Dimension;

pub(super) const KEYS: &[Key] = &[
    Key {
        sections: &[Section::Udp],
        name: "from",
        kind: Kind::NodeName,
        default: Fallback::Required,
        source: "",
        about: "The host that sends.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "to",
        kind: Kind::NodeName,
        default: Fallback::Required,
        source: "",
        about: "The host that receives.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "route",
        kind: Kind::Route,
        default: Fallback::Derived("fewest links, then least delay, then names in order"),
        source: "Ackclock",
        about: "Nodes of the path, ends included.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "payload",
        kind: amount(&[Limit { dimension: Dimension::Size, min: 12, max: 65_507 }]),
        default: Fallback::Text("1470 B"),
        source: "literature: iperf 1; not stated in [VEGAS-A] §3.2.3",
        about: "Payload of each datagram.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "rate",
        kind: amount(&[RATE]),
        default: Fallback::Required,
        source: "",
        about: "Payload per second.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "dither",
        kind: Kind::Flag,
        default: Fallback::Bare("false"),
        source: "Ackclock",
        about: "Whether each datagram is sent at a random instant of its interval, and not at the beginning.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "start",
        kind: amount(&[INSTANT]),
        default: Fallback::Text("0 s"),
        source: "Ackclock",
        about: "When the first datagram is sent.",
        used_if: ALWAYS,
    },
    Key {
        sections: &[Section::Udp],
        name: "stop",
        kind: amount_or(&[INSTANT], &["never"]),
        default: Fallback::Text("never"),
        source: "Ackclock",
        about: "When the source stops sending.",
        used_if: ALWAYS,
    },
];
