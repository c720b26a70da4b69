//! What a scenario may say about explicit congestion notification (ECN).

use crate::keys::{Condition, Default, Key, Kind, Value, Values, words, words_of};

/// What the two ends of a connection do about marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnParams {
    /// Whether there is ECN, and which.
    pub mode: EcnMode,
    /// What an echoed mark does to the window.
    pub response: EcnResponse,
    /// Whether the window comes down over a round trip, in the proportion in which data is delivered.
    pub is_proportional: bool,
}

impl EcnParams {
    /// Their keys.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::new("ecn", Kind::Word(EcnMode::NAMES), Default::Is(Value::Word("off")), "Ackclock",
            "Explicit congestion notification: \"classic\" lets queues mark new data that they would drop early; the receiver echoes the marks, and the sender reduces its window once in a window of data (RFC 3168)."),
        Key::new("ecn_response", Kind::Word(EcnResponse::NAMES), Default::Is(Value::Word("loss")), "RFC 3168 §5",
            "What a mark does to the window: the same as a loss, or less (abe, RFC 8511): 0.8 of it is left with reno, 0.85 with cubic.").used_if(IF_ECN),
        Key::new("ecn_reduction", Kind::Word(&words_of(REDUCTIONS)), Default::Is(Value::Word("at-once")), "RFC 3168 §6.1.2",
            "How the window comes down after a mark: at once, or over a round trip by proportional rate reduction, as on Linux (RFC 9937).").used_if(IF_ECN),
    ];

    /// What the keys describe.
    pub(super) fn read(values: &Values) -> EcnParams {
        EcnParams {
            mode: values.choice("ecn", EcnMode::WORDS),
            response: values.choice("ecn_response", EcnResponse::WORDS),
            is_proportional: values.choice("ecn_reduction", REDUCTIONS),
        }
    }
}

/// Which feedback of marks a connection has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// Its packets cannot be marked.
    #[default]
    Off,
    /// That of RFC 3168: an echo until the sender says that it knows.
    Classic,
}
words!(EcnMode: "off" = Off, "classic" = Classic);

/// What an echoed mark does to the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnResponse {
    /// What a loss does.
    #[default]
    Loss,
    /// Less: alternative backoff (RFC 8511).
    Abe,
}
words!(EcnResponse: "loss" = Loss, "abe" = Abe);

/// How the window comes down, and whether that is in proportion.
const REDUCTIONS: &[(&str, bool); 2] = &[("at-once", false), ("proportional", true)];
const IF_ECN: &[Condition] = &[Condition::new("ecn", &["classic"])];
