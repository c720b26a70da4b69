//! How a mechanism describes its parameters, so that no other place has to repeat them: the checker of scenario files, the
//! JSON Schema, `explain` and the tests of every mechanism of a family read these descriptors.

use crate::units::Span;

/// The descriptor of one parameter, as users write it in the table of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// What it is called.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// What holds if it is not given.
    pub default: Default,
    /// Where the default comes from.
    pub source: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// The keys of the same table on which it depends whether this one matters; all of them must hold.
    pub used_if: &'static [Condition],
}

/// Another key has one of these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The other key.
    pub key: &'static str,
    /// Its words; of a flag `true` or `false`.
    pub is: &'static [&'static str],
}

/// What the value of a parameter may be. Limits are included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A boolean.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number above 0, at most this.
    Number(f64),
    /// A number from 0 to 1.
    Share,
    /// A number from 0 to 1, which may be written as a fraction too, as in "1/16".
    Factor,
    /// A whole number.
    Integer(u64, u64),
    /// A time.
    Time(Span, Span),
    /// A rate in bits per second.
    Rate(u64, u64),
    /// A size in bytes.
    Bytes(u64, u64),
    /// A number of cells.
    Cells(u64, u64),
    /// A number of packets.
    Packets(u64, u64),
    /// A number of segments.
    Segments(u64, u64),
    /// Whole numbers, each more than the one before; none is a list too.
    Integers,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A level of a buffer of cells: a fraction of its size, more than 0 and at most 1, or a number of cells.
    Level,
    /// A value of this kind, or one of these words.
    Or(&'static Kind, &'static [&'static str]),
}

/// What a parameter is: one value, or several.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A single value.
    One(Value),
    /// Whole numbers, each more than the one before.
    Integers(Vec<u64>),
    /// A table.
    Table(Values),
}

/// A single value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A boolean.
    Flag(bool),
    /// One of the words of its kind.
    Word(&'static str),
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(u64),
    /// A time.
    Time(Span),
    /// A rate in bits per second.
    Rate(u64),
    /// A size in bytes.
    Bytes(u64),
    /// A number of packets.
    Packets(u64),
    /// A number of segments.
    Segments(u64),
    /// A level, as a fraction of the buffer.
    Fraction(f64),
    /// A number of cells, also as a level.
    Cells(u64),
}

/// What holds if a parameter is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// This value.
    Is(Value),
    /// For each word of an earlier key its value and the source of that.
    Of(&'static str, &'static [(&'static str, Value, &'static str)]),
    /// The value of an earlier key.
    SameAs(&'static str),
    /// None: the parameter must be given. An example, as in a scenario file.
    Required(&'static str),
}

impl Key {
    /// A parameter that always matters.
    pub const fn new(
        name: &'static str,
        kind: Kind,
        default: Default,
        source: &'static str,
        about: &'static str,
    ) -> Key {
        Key { name, kind, default, source, about, used_if: &[] }
    }

    /// A parameter that must be given, as in this example.
    pub const fn required(name: &'static str, kind: Kind, example: &'static str, about: &'static str) -> Key {
        Key::new(name, kind, Default::Required(example), "", about)
    }

    /// A setting within the limits, most often near the default if there is one; `below` draws a whole number below another
    /// one. For tests of every mechanism of a family.
    pub fn sample(&self, default: Option<Value>, below: &mut dyn FnMut(u64) -> u64) -> Setting {
        match self.kind {
            Kind::Integers => {
                let mut integers: Vec<u64> = (0..below(8)).map(|_| below(256)).collect();
                integers.sort_unstable();
                integers.dedup();
                Setting::Integers(integers)
            }
            Kind::Table(keys) => Setting::Table(Values::sample(keys, below)),
            ref kind => Setting::One(kind.sample(default, below)),
        }
    }

    /// The same parameter, which matters only under these conditions.
    pub const fn used_if(self, conditions: &'static [Condition]) -> Key {
        Key { used_if: conditions, ..self }
    }
}

impl Kind {
    /// A single value of this kind; see [`Key::sample`]. Where the default is a word instead of a value, one near the lower limit.
    fn sample(&self, default: Option<Value>, below: &mut dyn FnMut(u64) -> u64) -> Value {
        let scaled = |amount: u64, min: u64, max: u64, draw: u64| match draw {
            0..=3 => (amount >> draw).clamp(min, max),
            4..=5 => (amount << (draw - 3)).clamp(min, max),
            _ => min,
        };
        match *self {
            Kind::Flag => Value::Flag(below(2) == 1),
            Kind::Word(words) => Value::Word(words[below(words.len() as u64) as usize]),
            Kind::Number(max) => {
                let number = if let Some(Value::Number(number)) = default { number } else { max.min(2.5) };
                Value::Number([number, number / 2.0, (2.0 * number).min(max), max.min(1.0)][below(4) as usize])
            }
            Kind::Factor => Value::Number(1.0 / (1_u32 << below(16)) as f64),
            Kind::Share if default.is_none() => Value::Number([0.01, 0.1, 0.5, 0.0, 1.0, 1e-5][below(6) as usize]),
            Kind::Share => {
                let number = if let Some(Value::Number(number)) = default { number } else { 0.5 };
                Value::Number([number, number / 2.0, 0.5, 0.0][below(4) as usize])
            }
            Kind::Integer(min, max) if default.is_none() => Value::Integer((min + below(100)).min(max)),
            Kind::Integer(min, max) => {
                let number = if let Some(Value::Integer(number)) = default { number } else { min };
                // Of 0 there are no parts and no multiples.
                Value::Integer(scaled(number.max(1), min, max, below(7)))
            }
            // Any order of magnitude up to some seconds.
            Kind::Time(min, max) if default.is_none() => {
                Value::Time(Span::from_ps((min.as_ps().max(1) << below(24)).min(max.as_ps())))
            }
            Kind::Time(min, max) => {
                let ps = if let Some(Value::Time(span)) = default { span.as_ps() } else { min.as_ps() };
                Value::Time(Span::from_ps(scaled(ps >> below(11), min.as_ps(), max.as_ps(), below(7))))
            }
            Kind::Rate(min, max) => {
                let bps = if let Some(Value::Rate(bps)) = default { bps } else { min.max(1_000_000) };
                Value::Rate(scaled(bps, min, max, below(7)))
            }
            Kind::Cells(min, max) => {
                let cells = if let Some(Value::Cells(cells)) = default { cells } else { min };
                Value::Cells(scaled(cells, min, max, below(7)))
            }
            Kind::Bytes(min, max) => {
                let bytes = if let Some(Value::Bytes(bytes)) = default { bytes } else { min };
                Value::Bytes(scaled(bytes, min, max, below(7)))
            }
            Kind::Packets(min, max) => {
                let packets = if let Some(Value::Packets(packets)) = default { packets } else { min };
                Value::Packets(scaled(packets, min, max, below(7)))
            }
            Kind::Segments(min, max) => {
                let segments = if let Some(Value::Segments(segments)) = default { segments } else { min + 1 };
                Value::Segments(scaled(segments, min, max, below(7)))
            }
            Kind::Level if below(2) == 1 => Value::Cells(below(100)),
            Kind::Level => Value::Fraction((1 + below(4)) as f64 / 4.0),
            Kind::Or(kind, words) => match below(1 + words.len() as u64) {
                0 => kind.sample(default, below),
                word => Value::Word(words[word as usize - 1]),
            },
            Kind::Integers | Kind::Table(_) => unreachable!("not a single value"),
        }
    }
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
#[derive(Clone, Debug, PartialEq)]
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

    /// A table.
    pub fn table(&self, name: &str) -> &Values {
        match self.setting(name) {
            Setting::Table(values) => values,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A boolean.
    pub fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Flag(flag) => flag,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A word; of a boolean `true` or `false`.
    pub fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Word(word) => word,
            Value::Flag(true) => "true",
            Value::Flag(false) => "false",
            other => panic!("`{name}` is {other:?}"),
        }
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

    /// A whole number.
    pub fn long_integer(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Integer(integer) => integer,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A number of segments.
    pub fn segments(&self, name: &str) -> u32 {
        match self.value(name) {
            Value::Segments(segments) => u32::try_from(segments).expect("limits are below 2^32"),
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A time.
    pub fn time(&self, name: &str) -> Span {
        match self.value(name) {
            Value::Time(span) => span,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A rate in bits per second.
    pub fn bps(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Rate(bps) => bps,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A number of cells.
    pub fn cells(&self, name: &str) -> u32 {
        match self.value(name) {
            Value::Cells(cells) => u32::try_from(cells).expect("limits are below 2^32"),
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A size in bytes.
    pub fn bytes(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Bytes(bytes) => bytes,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A number of packets.
    pub fn packets(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Packets(packets) => packets,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// A level in cells, of a buffer of so many; a fraction of a buffer without a limit is infinite.
    pub fn level(&self, name: &str, capacity: Option<u32>) -> f64 {
        match self.value(name) {
            Value::Cells(cells) => cells as f64,
            Value::Fraction(fraction) => capacity.map_or(f64::INFINITY, |cells| fraction * f64::from(cells)),
            other => panic!("`{name}` is {other:?}"),
        }
    }
}

impl Values {
    /// A setting of each of `keys`; see [`Key::sample`].
    pub fn sample(keys: &[Key], below: &mut dyn FnMut(u64) -> u64) -> Values {
        let mut values = Values(Vec::with_capacity(keys.len()));
        for key in keys {
            let default = match key.default {
                Default::Required(_) => None,
                Default::Is(_) | Default::Of(..) | Default::SameAs(_) => Some(values.default_of(key).0),
            };
            let setting = key.sample(default, below);
            values.0.push((key.name, setting));
        }
        values
    }
}

impl From<Value> for Setting {
    fn from(value: Value) -> Setting {
        Setting::One(value)
    }
}

/// Packets and segments are counted up to this, 2^40: more than any run sends.
pub const MOST_ORDINAL: u64 = 1 << 40;

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

    const NESTED: &[Key] = &[
        Key::required("rate", Kind::Share, "0.1", ""),
        Key::required("packets", Kind::Integers, "[3, 5]", ""),
        Key::required(
            "state",
            Kind::Table(&[Key::required("stay", Kind::Time(Span::from_us(1), Span::from_secs(3600)), "\"1 s\"", "")]),
            "",
            "",
        ),
    ];

    #[test]
    fn samples_of_lists_and_tables_are_within_their_limits() {
        let mut state = 1_u64;
        let mut below = |bound: u64| {
            state = crate::rng::mix(state);
            state % bound
        };
        for _ in 0..100 {
            let values = Values::sample(NESTED, &mut below);
            assert!((0.0..=1.0).contains(&values.number("rate")));
            assert!(values.integers("packets").windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
            assert!(values.table("state").time("stay") >= Span::from_us(1), "{values:?}");
            let same = Values::of(NESTED, |key| Some(values.setting(key.name).clone()));
            assert_eq!(same, values);
        }
    }

    #[test]
    #[should_panic = "`rate` must be given"]
    fn what_must_be_given_has_no_default() {
        Values::defaults(NESTED);
    }
}
