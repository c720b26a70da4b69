//! The tables of error models: the keys of each model are those that it describes itself, the others are those of all.

use std::sync::LazyLock;

use ackclock::link::errors;

use super::key::{ALWAYS, Condition, Fallback, Family, Key, Kind};
use super::mechanisms::described_key;
use super::words::{APPLIES_TO, PLACES, words_of};

/// The keys of one error model.
pub(crate) struct ErrorModelKeys {
    pub(crate) model: errors::Model,
    pub(crate) keys: Vec<Key>,
}

/// The error models.
pub(crate) fn error_models() -> &'static [ErrorModelKeys] {
    static ALL: LazyLock<Vec<ErrorModelKeys>> = LazyLock::new(|| {
        let keys = |model: &errors::Model| {
            let is: &'static [&'static str] = vec![model.name].leak();
            let condition = Condition { key: MODEL.name, is };
            let used_if = |key: &Key| -> &'static [Condition] {
                [condition].into_iter().chain(key.used_if.iter().copied()).collect::<Vec<_>>().leak()
            };
            let keys = model.keys.iter().map(described_key);
            keys.map(|key| Key { used_if: used_if(&key), ..key }).collect()
        };
        errors::ALL.iter().map(|model| ErrorModelKeys { model: *model, keys: keys(model) }).collect()
    });
    &ALL
}

/// The key that chooses a model.
pub(crate) const MODEL: Key = Key {
    // Those of tables in lists are in no section.
    sections: &[],
    name: "model",
    kind: Kind::Mechanism(Family::ErrorModel),
    default: Fallback::Required,
    source: "",
    about: "Which packets are corrupted: the error model.",
    used_if: ALWAYS,
};

/// What all models of links have.
pub(super) const ERRORS_OF_LINKS: &[Key] = &[place("egress"), APPLIES_TO_KEY, DIRECTION];
/// What all models of places on the ground have.
pub(super) const ERRORS_OF_PLACES: &[Key] = &[place("receiver"), APPLIES_TO_KEY, DIRECTION];

const fn place(default: &'static str) -> Key {
    Key {
        sections: &[],
        name: "place",
        kind: Kind::Word(const { &words_of(&PLACES) }),
        default: Fallback::Text(default),
        source: "Ackclock",
        about: "Where a packet is lost: before the queue, when its last bit is sent, or when that arrives.",
        used_if: ALWAYS,
    }
}

const APPLIES_TO_KEY: Key = Key {
    sections: &[],
    name: "applies_to",
    kind: Kind::Word(const { &words_of(&APPLIES_TO) }),
    default: Fallback::Text("all"),
    source: "Ackclock",
    about: "Which packets pass the model and are counted: all, those of TCP, or those that carry data.",
    used_if: ALWAYS,
};

const DIRECTION: Key = Key {
    sections: &[],
    name: "direction",
    kind: Kind::LinkName(&["both"]),
    default: Fallback::Text("both"),
    source: "Ackclock",
    about: "The direction of the link, as \"A->B\"; of both, each has its own errors.",
    used_if: ALWAYS,
};
