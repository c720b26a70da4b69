//! Keys of selective acknowledgements.

use super::*;

pub(super) const KEYS: &[Key] = &[
    Key {
        sections: TCPS,
        name: "sack_blocks",
        kind: Kind::Integer { min: 1, max: 4 },
        default: Fallback::Bare("3"),
        source: "[SACK-UBR] §3; RFC 2018 §3: 3 or 4",
        about: "How many blocks the SACK option of RFC 2018 has at most. Beside timestamps there is room for 3.",
        used_if: IF_SACK,
    },
    Key {
        sections: TCPS,
        name: "dsack",
        kind: Kind::Flag,
        default: Fallback::Bare("false"),
        source: "RFC 2883; [SACK-UBR] has none",
        about: "Whether the receiver reports what arrived twice, in the first block.",
        used_if: IF_SACK,
    },
    Key {
        sections: TCPS,
        name: "sack_option",
        kind: Kind::Word(&["standard", "offset-1", "offset-2", "offset-auto"]),
        default: Fallback::Text("standard"),
        source: "RFC 2018; offset: [VEGAS-A] §5.2",
        about: "Which SACK option the connection offers. Offset options have as many blocks as fit: 1 counts edges from the first one, 2 from the one before, auto takes what has more blocks, or is shorter.",
        used_if: IF_SACK,
    },
    Key {
        sections: TCPS,
        name: "offset_sack_kind",
        kind: Kind::Word(&["private", "experimental"]),
        default: Fallback::Text("private"),
        source: "[VEGAS-A] Fig 38; experimental: RFC 6994",
        about: "How the offset option is recognized: by kind 253 and nothing else, or by kind 254 and an identifier, two octets more.",
        used_if: IF_OFFSET,
    },
    Key {
        sections: TCPS,
        name: "receiver_offset_sack",
        kind: Kind::Flag,
        default: Fallback::Bare("true"),
        source: "Ackclock",
        about: "Whether the receiver knows the offset option; if not, the option of RFC 2018 is used.",
        used_if: IF_OFFSET,
    },
    Key {
        sections: TCPS,
        name: "limited_transmit",
        kind: Kind::Flag,
        default: Fallback::Bare("true"),
        source: "RFC 6675 §5 (3), RFC 3042",
        about: "Whether the first two duplicate acknowledgements let new data be sent.",
        used_if: IF_RFC6675,
    },
];

const SACK: Condition = Condition { key: "recovery", is: &["fall-floyd", "rfc6675", "rack"] };
const REPORTED: Condition = Condition { key: "receiver_sack", is: &["true"] };
const IF_SACK: &[Condition] = &[SACK, REPORTED];
const IF_OFFSET: &[Condition] =
    &[SACK, REPORTED, Condition { key: "sack_option", is: &["offset-1", "offset-2", "offset-auto"] }];
const IF_RFC6675: &[Condition] = &[Condition { key: "recovery", is: &["rfc6675"] }];
