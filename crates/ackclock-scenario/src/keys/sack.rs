//! Keys of selective acknowledgements.

use ackclock::tcp::recovery;

use super::key::*;
use super::words::{self, words_of};

pub(super) const KEYS: &[Key] = &[
    Key {
        sections: TCPS,
        name: "sack_blocks",
        kind: Kind::Integer { min: 1, max: 4 },
        default: Fallback::Bare("3"),
        source: "[SACK-UBR] §3; RFC 2018 §3: 3 or 4",
        about: "The largest number of blocks in the SACK option of RFC 2018. Beside timestamps there is space for 3.",
        used_if: IF_SACK,
    },
    Key {
        sections: TCPS,
        name: "dsack",
        kind: Kind::Flag,
        default: Fallback::Bare("false"),
        source: "RFC 2883; [SACK-UBR] has none",
        about: "Whether the receiver reports duplicate segments in the first block (D-SACK).",
        used_if: IF_SACK,
    },
    Key {
        sections: TCPS,
        name: "sack_option",
        kind: Kind::Word(const { &words_of(&words::SACK_OPTIONS) }),
        default: Fallback::Text("standard"),
        source: "RFC 2018; offset: [VEGAS-A] §5.2",
        about: "The SACK option that the connection offers. Offset options have as many blocks as fit: offset-1 counts edges from the first edge, offset-2 from the edge before, offset-auto chooses the one with more blocks, or the shorter one.",
        used_if: IF_SACK,
    },
    Key {
        sections: TCPS,
        name: "offset_sack_kind",
        kind: Kind::Word(const { &words_of(&words::OFFSET_SACK_KINDS) }),
        default: Fallback::Text("private"),
        source: "[VEGAS-A] Fig 38; experimental: RFC 6994",
        about: "How the offset option is recognized: by kind 253 alone, or by kind 254 and an identifier, which takes two more octets.",
        used_if: IF_OFFSET,
    },
    Key {
        sections: TCPS,
        name: "receiver_offset_sack",
        kind: Kind::Flag,
        default: Fallback::Bare("true"),
        source: "Ackclock",
        about: "Whether the receiver supports the offset option; if not, the option of RFC 2018 is used.",
        used_if: IF_OFFSET,
    },
];

const SACK: Condition = Condition { key: "recovery", is: &SACK_RECOVERIES };
const REPORTED: Condition = Condition { key: "receiver_sack", is: &["true"] };
const IF_SACK: &[Condition] = &[SACK, REPORTED];
const IF_OFFSET: &[Condition] =
    &[SACK, REPORTED, Condition { key: "sack_option", is: &["offset-1", "offset-2", "offset-auto"] }];

/// The recoveries that have selective acknowledgements.
const SACK_RECOVERIES: [&str; sack_recoveries(None)] = {
    let mut names = [""; sack_recoveries(None)];
    let mut next = 0;
    while next < names.len() {
        names[next] = recovery::ALL[sack_recoveries(Some(next))].name;
        next += 1;
    }
    names
};

/// How many recoveries have selective acknowledgements, or where in the family the one of this number is.
const fn sack_recoveries(number: Option<usize>) -> usize {
    let (mut index, mut found) = (0, 0);
    while index < recovery::ALL.len() {
        if recovery::ALL[index].needs.sack {
            if let Some(number) = number
                && number == found
            {
                return index;
            }
            found += 1;
        }
        index += 1;
    }
    found
}
