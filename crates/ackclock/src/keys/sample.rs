//! Settings within the limits of keys, for tests of every mechanism of a family.

use super::key::{Default, Key, Kind, Limit, Value};
use super::quantity::Dimension;
use super::values::{Setting, Values};

impl Values {
    /// A setting of each of `keys`, most often near the default if there is one; `below` draws a whole number below another one.
    pub fn sample(keys: &[Key], below: &mut dyn FnMut(u64) -> u64) -> Values {
        let mut values = Values::default();
        for key in keys {
            let default = match key.default {
                Default::Required(_) | Default::Derived(_) => None,
                Default::Is(_) | Default::Of(..) | Default::SameAs(_) => Some(values.default_of(key).0),
            };
            values.push(key.name, sample(&key.kind, default, below));
        }
        values
    }
}

fn sample(kind: &Kind, default: Option<Value>, below: &mut dyn FnMut(u64) -> u64) -> Setting {
    match *kind {
        Kind::Integers => {
            let mut integers: Vec<u64> = (0..below(8)).map(|_| below(256)).collect();
            integers.sort_unstable();
            integers.dedup();
            Setting::Integers(integers)
        }
        Kind::Amounts(limits) => {
            let kind = Kind::Quantity(limits[0]);
            let amount = |below: &mut dyn FnMut(u64) -> u64| match value(&kind, None, below) {
                Value::Quantity(quantity) => quantity,
                other => unreachable!("a quantity is {other:?}"),
            };
            Setting::Amounts((0..1 + below(4)).map(|_| amount(below)).collect())
        }
        // One that is constant: which laws there are is not known here.
        Kind::Law(kind) => sample(kind, default, below),
        Kind::Table(keys) => Setting::Table(Values::sample(keys, below)),
        ref kind => Setting::One(value(kind, default, below)),
    }
}

/// A single value. Where the default is a word instead of a value, one near the lower limit.
fn value(kind: &Kind, default: Option<Value>, below: &mut dyn FnMut(u64) -> u64) -> Value {
    let number = |otherwise: f64| if let Some(Value::Number(number)) = default { number } else { otherwise };
    match *kind {
        Kind::Flag => Value::Flag(below(2) == 1),
        Kind::Word(words) => Value::Word(words[below(words.len() as u64) as usize]),
        Kind::Number(max) => {
            let number = number(max.min(2.5));
            Value::Number([number, number / 2.0, (2.0 * number).min(max), max.min(1.0)][below(4) as usize])
        }
        Kind::Factor => Value::Number(1.0 / (1_u32 << below(16)) as f64),
        Kind::Share if default.is_none() => Value::Number([0.01, 0.1, 0.5, 0.0, 1.0, 1e-5][below(6) as usize]),
        Kind::Share => {
            let number = number(0.5);
            Value::Number([number, number / 2.0, 0.5, 0.0][below(4) as usize])
        }
        Kind::Integer(min, max) if default.is_none() => Value::Integer((min + below(100)).min(max)),
        Kind::Integer(min, max) => {
            let number = if let Some(Value::Integer(number)) = default { number } else { min };
            // Of 0 there are no parts and no multiples.
            Value::Integer(scaled(number.max(1), min, max, below(7)))
        }
        Kind::Quantity(limit) => Value::quantity(limit.dimension, amount(&limit, default, below)),
        Kind::Quantities(limits) => value(&Kind::Quantity(limits[below(limits.len() as u64) as usize]), default, below),
        Kind::Level if below(2) == 1 => Value::cells(below(100)),
        Kind::Level => Value::Number((1 + below(4)) as f64 / 4.0),
        Kind::Or(kind, words) => match below(1 + words.len() as u64) {
            0 => value(kind, default, below),
            word => Value::Word(words[word as usize - 1]),
        },
        ref other => unreachable!("no mechanism has {other:?}"),
    }
}

fn amount(limit: &Limit, default: Option<Value>, below: &mut dyn FnMut(u64) -> u64) -> u64 {
    let Limit { dimension, min, max } = *limit;
    let usual = if let Some(Value::Quantity(quantity)) = default { Some(quantity.amount) } else { None };
    match dimension {
        // Any order of magnitude up to some seconds.
        Dimension::Time if default.is_none() => (min.max(1) << below(24)).min(max),
        Dimension::Time => scaled(usual.unwrap_or(min) >> below(11), min, max, below(7)),
        Dimension::Rate => scaled(usual.unwrap_or(min.max(1_000_000)), min, max, below(7)),
        Dimension::Segments => scaled(usual.unwrap_or(min + 1), min, max, below(7)),
        _ => scaled(usual.unwrap_or(min), min, max, below(7)),
    }
}

fn scaled(amount: u64, min: u64, max: u64, draw: u64) -> u64 {
    match draw {
        0..=3 => (amount >> draw).clamp(min, max),
        4..=5 => (amount << (draw - 3)).clamp(min, max),
        _ => min,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    const NESTED: &[Key] = &[
        Key::required("rate", Kind::Share, ""),
        Key::required("packets", Kind::Integers, ""),
        Key::required(
            "state",
            Kind::Table(&[Key::required("stay", Kind::time(Span::from_us(1), super::super::HOUR), "")]),
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
