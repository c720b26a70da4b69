//! What a key says is what the mechanism gets: the same number, in the unit that the key is described in. A parameter that is read in
//! bits for bytes, or in seconds for milliseconds, is found here.

use ackclock::keys::{Dimension, Key, Kind, Quantity, Setting, Value, Values};
use ackclock::queue::{self, Port};
use ackclock::rng::mix;
use ackclock::tcp::{application, cc, recovery};
use ackclock::units::{Rate, Span};

/// A mechanism: its name, its keys, and its parameters of these values as a text, unless they do not fit together.
struct Mechanism {
    name: &'static str,
    keys: &'static [Key],
    params: Params,
}

type Params = Box<dyn Fn(&Values) -> Option<String>>;

fn mechanisms() -> Vec<Mechanism> {
    let port = Port { capacity_cells: Some(100_000), rate: Rate::from_bps(149_760_000).unwrap() };
    let mut all: Vec<Mechanism> = Vec::new();
    let mut add = |name, keys, params: Params| all.push(Mechanism { name, keys, params });
    for policy in queue::packet::POLICIES {
        add(
            policy.name,
            policy.keys,
            Box::new(move |values| Some(format!("{:?}", (policy.params)(values, &port).ok()?))),
        );
    }
    for policy in queue::cell::POLICIES {
        add(
            policy.name,
            policy.keys,
            Box::new(move |values| Some(format!("{:?}", (policy.params)(values, &port).ok()?))),
        );
    }
    for algorithm in cc::ALL {
        let params = move |values: &Values| Some(format!("{:?}", (algorithm.params)(values).ok()?));
        add(algorithm.name, algorithm.keys, Box::new(params));
    }
    for algorithm in recovery::ALL {
        let params = move |values: &Values| Some(format!("{:?}", (algorithm.params)(values).ok()?));
        add(algorithm.name, algorithm.keys, Box::new(params));
    }
    for model in ackclock::link::errors::ALL {
        add(model.name, model.keys, Box::new(move |values| Some(format!("{:?}", (model.params)(values).ok()?))));
    }
    for description in application::ALL {
        let params = move |values: &Values| Some(format!("{:?}", (description.params)(values, 1).ok()?));
        add(description.name, description.keys, Box::new(params));
    }
    all
}

/// Numbers near a value, none of which is round; none near zero, which is zero in any unit.
fn near(value: Value) -> Vec<Value> {
    let more_and_less = |amount: u64| [amount + amount / 8 + 1, amount - amount / 8];
    match value {
        Value::Number(number) if number > 0.0 => [0.96875, 1.03125].map(|part| Value::Number(number * part)).to_vec(),
        Value::Integer(number) if number > 0 => more_and_less(number).map(Value::Integer).to_vec(),
        Value::Quantity(Quantity { dimension, amount }) if amount > 0 => {
            more_and_less(amount).map(|amount| Value::quantity(dimension, amount)).to_vec()
        }
        _ => Vec::new(),
    }
}

/// Whether parameters have this value. Of a time some have the picoseconds: those that draw from laws.
fn has(text: &str, value: Value) -> bool {
    let picoseconds = match value {
        Value::Quantity(Quantity { dimension: Dimension::Time, amount }) => Some(amount.to_string()),
        _ => None,
    };
    has_number(text, &shown(value)) || picoseconds.is_some_and(|amount| has_number(text, &amount))
}

/// How parameters show this value.
fn shown(value: Value) -> String {
    match value {
        Value::Number(number) => format!("{number:?}"),
        Value::Integer(number) => format!("{number}"),
        Value::Quantity(quantity) if quantity.dimension == Dimension::Time => {
            format!("{:?}", Span::from_ps(quantity.amount))
        }
        Value::Quantity(quantity) => quantity.amount.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Word(word) => word.to_owned(),
    }
}

/// Whether a text has this number, and not as a part of a longer one.
fn has_number(text: &str, number: &str) -> bool {
    let is_part = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let follows = |before: &str| before.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    text.match_indices(number).any(|(at, _)| {
        let after = &text[at + number.len()..];
        !follows(&text[..at]) && !is_part(after.strip_prefix(".0").unwrap_or(after))
    })
}

/// Settings of all keys: the draws are a function of this number.
fn settings(keys: &[Key], number: u64) -> Values {
    let mut state = mix(number);
    Values::sample(keys, &mut |below| {
        state = mix(state);
        state % below
    })
}

#[test]
fn what_a_key_says_is_what_the_mechanism_gets() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for Mechanism { name, keys, params } in mechanisms() {
        for key in keys.iter().filter(|key| !matches!(key.kind, Kind::Level)) {
            // With some settings of the others a key means nothing: it must be found with one of them.
            let (mut tried, mut found) = (None, false);
            for number in 0..SETTINGS {
                let others = settings(keys, number);
                let Setting::One(value) = others.setting(key.name).clone() else { continue };
                for value in near(value) {
                    let of = |other: &Key| match other.name == key.name {
                        true => Setting::One(value),
                        false => others.setting(other.name).clone(),
                    };
                    let Some(text) = params(&Values::of(keys, |other| Some(of(other)))) else { continue };
                    found |= has(&text, value);
                    tried = Some(format!("{name}.{} = {} is not in {text}", key.name, shown(value)));
                }
            }
            checked += u32::from(found);
            wrong.extend(tried.filter(|_| !found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 70, "{checked}");
}

const SETTINGS: u64 = 40;
