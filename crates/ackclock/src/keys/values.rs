//! The values of parameters: each of the kind that its key says.

use super::key::{Default, Key, Value};
use super::quantity::Quantity;
use crate::units::Span;

/// What a parameter is: one value, or several.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A single value.
    One(Value),
    /// Whole numbers, each more than the one before.
    Integers(Vec<u64>),
    /// Quantities.
    Amounts(Vec<Quantity>),
    /// A table with parameters of its own.
    Table(Values),
}

/// The keys of several lists as one list.
pub const fn joined<const N: usize>(lists: &[&[Key]]) -> [Key; N] {
    let mut keys = [lists[0][0]; N];
    let (mut list, mut next) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            keys[next] = lists[list][index];
            (index, next) = (index + 1, next + 1);
        }
        list += 1;
    }
    assert!(next == N, "as many keys as the lists have together");
    keys
}

/// The parameters of one mechanism, each with a value of its kind.
#[derive(Clone, Debug, std::default::Default, PartialEq)]
pub struct Values(Vec<(&'static str, Setting)>);

impl Values {
    /// Those of `keys` that `given` knows, and the defaults of the others.
    ///
    /// # Panics
    /// If a key that must be given is not.
    pub fn of<S: Into<Setting>>(keys: &[Key], mut given: impl FnMut(&Key) -> Option<S>) -> Values {
        let mut values = Values(Vec::with_capacity(keys.len()));
        for key in keys {
            let setting = given(key).map_or_else(|| Setting::One(values.default_of(key).0), S::into);
            values.0.push((key.name, setting));
        }
        values
    }

    /// Adds a parameter.
    pub fn push(&mut self, name: &'static str, setting: Setting) {
        self.0.push((name, setting));
    }

    /// All parameters in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Setting)> {
        self.0.iter().map(|(name, setting)| (*name, setting))
    }

    /// The defaults of all of `keys`.
    pub fn defaults(keys: &[Key]) -> Values {
        Values::of(keys, |_| None::<Value>)
    }

    /// The value that `key` has where it is not given, after the earlier keys of its table, and the source of that value.
    ///
    /// # Panics
    /// If the default refers to a key, or to a word of a key, that there is not; and if the key must be given.
    pub fn default_of(&self, key: &Key) -> (Value, &'static str) {
        match key.default {
            Default::Is(value) => (value, key.source),
            Default::SameAs(other) => (self.value(other), key.source),
            Default::Of(other, cases) => {
                let word = self.word(other);
                let case = cases.iter().find(|(of, ..)| *of == word);
                let (_, value, source) = case.unwrap_or_else(|| panic!("`{}` has no default for {word}", key.name));
                (*value, source)
            }
            Default::Required(_) => panic!("`{}` must be given", key.name),
            Default::Derived(what) => panic!("`{}` follows from the scenario: {what}", key.name),
        }
    }

    /// Any setting.
    ///
    /// # Panics
    /// This one and those below panic if there is no such key, or if its values are of another kind: a mechanism reads only
    /// the keys that it describes.
    pub fn setting(&self, name: &str) -> &Setting {
        let found = self.0.iter().find(|(known, _)| *known == name);
        &found.unwrap_or_else(|| panic!("`{name}` is not described")).1
    }

    /// Any single value.
    pub fn value(&self, name: &str) -> Value {
        match self.setting(name) {
            Setting::One(value) => *value,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// Whole numbers, each more than the one before.
    pub fn integers(&self, name: &str) -> &[u64] {
        match self.setting(name) {
            Setting::Integers(integers) => integers,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// Quantities of a list.
    pub fn amounts(&self, name: &str) -> &[Quantity] {
        match self.setting(name) {
            Setting::Amounts(amounts) => amounts,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// The parameters in a table.
    pub fn table(&self, name: &str) -> &Values {
        match self.setting(name) {
            Setting::Table(values) => values,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// Whether a parameter is `true`.
    pub fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Flag(flag) => flag,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A word; of a boolean `true` or `false`.
    pub fn word(&self, name: &str) -> &'static str {
        let value = self.value(name);
        value.word().unwrap_or_else(|| panic!("`{name}` is {value:?}"))
    }

    /// What a word stands for.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> T {
        let word = self.word(name);
        let choice = choices.iter().find(|(known, _)| *known == word);
        choice.unwrap_or_else(|| panic!("`{name}` is {word}, which has no meaning")).1
    }

    /// Whether a word stands in the place of a value of another kind.
    pub fn is_word(&self, name: &str) -> bool {
        matches!(self.value(name), Value::Word(_))
    }

    /// A number without unit.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => number,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A whole number of 32 bits.
    pub fn integer(&self, name: &str) -> u32 {
        u32::try_from(self.long_integer(name)).expect("limits are below 2^32")
    }

    /// A whole number of 64 bits.
    pub fn long_integer(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Integer(integer) => integer,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A time, in whole picoseconds.
    pub fn time(&self, name: &str) -> Span {
        Span::from_ps(self.amount(name))
    }

    /// The amount of a quantity in the base unit of the only dimension that it can have: bits per second, bytes, packets.
    pub fn amount(&self, name: &str) -> u64 {
        self.quantity(name).amount
    }

    /// A quantity.
    pub fn quantity(&self, name: &str) -> Quantity {
        match self.value(name) {
            Value::Quantity(quantity) => quantity,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// An amount of 32 bits: of cells, of segments, of bytes.
    pub fn count(&self, name: &str) -> u32 {
        u32::try_from(self.amount(name)).expect("limits are below 2^32")
    }

    /// A level in cells, of a buffer of so many; a fraction of a buffer without a limit is infinite.
    pub fn level(&self, name: &str, capacity: Option<u32>) -> f64 {
        match self.value(name) {
            Value::Quantity(quantity) => quantity.amount as f64,
            Value::Number(fraction) => capacity.map_or(f64::INFINITY, |cells| fraction * f64::from(cells)),
            other => panic!("`{name}` is {other:?}"),
        }
    }
}

impl From<Value> for Setting {
    fn from(value: Value) -> Setting {
        Setting::One(value)
    }
}

/// Why parameters that are right by themselves do not fit together, or do not fit their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The keys that it is about, of the mechanism's table or of the one around it: the first that was given is to be
    /// shown.
    pub keys: &'static [&'static str],
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub expected: &'static str,
}

#[cfg(test)]
mod tests {
    use super::super::key::Kind;
    use super::*;

    const KEYS: &[Key] = &[
        Key::new("of", Kind::Word(&["a", "b"]), Default::Is(Value::Word("a")), "x", ""),
        Key::new("p", Kind::Number(1.0), Default::Of("of", A_AND_B), "", ""),
        Key::new("q", Kind::Number(1.0), Default::SameAs("p"), "z", ""),
    ];
    const A_AND_B: &[(&str, Value, &str)] = &[("a", Value::Number(0.1), "y"), ("b", Value::Number(0.2), "")];

    #[test]
    fn defaults_follow_the_keys_before_them() {
        let with = |given: &[(&str, Value)]| {
            let values =
                Values::of(KEYS, |key| given.iter().find(|(name, _)| *name == key.name).map(|(_, value)| *value));
            (values.number("p"), values.number("q"))
        };
        assert_eq!(with(&[]), (0.1, 0.1));
        assert_eq!(with(&[("of", Value::Word("b"))]), (0.2, 0.2));
        assert_eq!(with(&[("p", Value::Number(0.5))]), (0.5, 0.5));
        assert_eq!(with(&[("q", Value::Number(0.5))]), (0.1, 0.5));
        let values = Values::defaults(KEYS);
        assert_eq!(values.default_of(&KEYS[1]), (Value::Number(0.1), "y"));
    }
}
