//! The tables of error models: the keys of each model are those that it describes itself, the others are those of all.

use std::sync::LazyLock;

use ackclock::keys::{Condition, Family, Key, Kind};
use ackclock::link::errors;

/// The keys of one error model.
pub(crate) struct ErrorModelKeys {
    pub(crate) model: errors::Model,
    pub(crate) keys: Vec<Key>,
}

/// The error models. What is made here lives as long as the program.
pub(crate) fn error_models() -> &'static [ErrorModelKeys] {
    static ALL: LazyLock<Vec<ErrorModelKeys>> = LazyLock::new(|| {
        let keys = |model: &errors::Model| {
            let condition = Condition::new(MODEL.name, vec![model.name].leak());
            let used_if =
                |key: &Key| [condition].into_iter().chain(key.used_if.iter().copied()).collect::<Vec<_>>().leak();
            model.keys.iter().map(|key| key.used_if(used_if(key))).collect()
        };
        errors::ALL.iter().map(|model| ErrorModelKeys { model: *model, keys: keys(model) }).collect()
    });
    &ALL
}

/// The key that chooses a law.
pub(crate) const LAW: Key =
    Key::required_as("law", Kind::Mechanism(Family::Law), "\"exponential\"", "How the amounts are distributed.");
/// The key that chooses a model.
pub(crate) const MODEL: Key =
    Key::required("model", Kind::Mechanism(Family::ErrorModel), "Which packets are corrupted: the error model.");
