//! What a scenario may say about selective acknowledgements.

use std::sync::LazyLock;

use crate::keys::{Condition, Default, Key, Kind, Value, Values, words_of};
use crate::tcp::offset_sack::{Alternative, Form, Preference};
use crate::tcp::recovery;

/// What selective acknowledgements say, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct SackParams {
    /// How many blocks the option of RFC 2018 has at most: 1 to 4, of which 3 fit beside timestamps.
    pub standard_blocks: u8,
    /// The offset option, if the sender of data offers it.
    pub offset: Option<OffsetSackParams>,
    /// Whether what arrived twice is reported (RFC 2883).
    pub duplicates: bool,
}

/// The defaults of all keys, read once: every connection without SACK has them.
impl std::default::Default for SackParams {
    fn default() -> SackParams {
        static DEFAULTS: LazyLock<SackParams> = LazyLock::new(|| SackParams::read(&Values::defaults(SackParams::KEYS)));
        DEFAULTS.clone()
    }
}

/// The offset option of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetSackParams {
    /// What its offsets count from.
    pub preference: Preference,
    /// How it is recognized.
    pub form: Form,
    /// Whether the receiver of data knows it too; if not, the option of RFC 2018 is used.
    pub receiver_knows: bool,
}

impl SackParams {
    /// The keys of selective acknowledgements, in the table of those of TCP.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::new("sack_blocks", Kind::Integer(1, 4), Default::Is(Value::Integer(3)), "[SACK-UBR] §3; RFC 2018 §3: 3 or 4",
            "The largest number of blocks in the SACK option of RFC 2018. Beside timestamps there is space for 3.").used_if(IF_SACK),
        Key::new("dsack", Kind::Flag, Default::Is(Value::Flag(false)), "RFC 2883; [SACK-UBR] has none",
            "Whether the receiver reports duplicate segments in the first block (D-SACK).").used_if(IF_SACK),
        Key::new("sack_option", Kind::Word(&words_of(&OPTIONS)), Default::Is(Value::Word("standard")), "RFC 2018; offset: [VEGAS-A] §5.2",
            "The SACK option that the connection offers. Offset options have as many blocks as fit: offset-1 counts edges from the first edge, offset-2 from the edge before, offset-auto chooses the one with more blocks, or the shorter one.").used_if(IF_SACK),
        Key::new("offset_sack_kind", Kind::Word(&words_of(&FORMS)), Default::Is(Value::Word("private")), "[VEGAS-A] Fig 38; experimental: RFC 6994",
            "How the offset option is recognized: by kind 253 alone, or by kind 254 and an identifier, which takes two more octets.").used_if(IF_OFFSET),
        Key::new("receiver_offset_sack", Kind::Flag, Default::Is(Value::Flag(true)), "Ackclock",
            "Whether the receiver supports the offset option; if not, the option of RFC 2018 is used.").used_if(IF_OFFSET),
    ];

    /// What the keys of TCP describe.
    pub(super) fn read(values: &Values) -> SackParams {
        let preference = values.choice("sack_option", &OPTIONS);
        let (form, receiver_knows) = (values.choice("offset_sack_kind", &FORMS), values.flag("receiver_offset_sack"));
        SackParams {
            standard_blocks: values.integer("sack_blocks") as u8,
            offset: preference.map(|preference| OffsetSackParams { preference, form, receiver_knows }),
            duplicates: values.flag("dsack"),
        }
    }
}

const OPTIONS: [(&str, Option<Preference>); 4] = [
    ("standard", None),
    ("offset-1", Some(Preference::Always(Alternative::FirstEdge))),
    ("offset-2", Some(Preference::Always(Alternative::EdgeBefore))),
    ("offset-auto", Some(Preference::Shorter)),
];
/// Kind 253 is one of two for experiments (RFC 3692).
const FORMS: [(&str, Form); 2] = [("private", Form::Private { kind: 253 }), ("experimental", Form::Experimental)];
const SACK: Condition = Condition::new("recovery", &SACK_RECOVERIES);
const REPORTED: Condition = Condition::new("receiver_sack", &["true"]);
const IF_SACK: &[Condition] = &[SACK, REPORTED];
const IF_OFFSET: &[Condition] =
    &[SACK, REPORTED, Condition::new("sack_option", &["offset-1", "offset-2", "offset-auto"])];

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
