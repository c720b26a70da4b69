//! What a key says is what the mechanism gets: the same number, in the unit that the key is described in, in the field that has the name
//! of the key if there is one, and the same flag. A parameter that is read in bits for bytes, in seconds for milliseconds, or for
//! another, and a flag that is read the wrong way round are found here.

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
    let port = Port { capacity_cells: Some(CAPACITY_CELLS), rate: Rate::from_bps(149_760_000).unwrap() };
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

/// Whether parameters have the value of a key: in fields of its name, if there are any. Of a time some have the picoseconds: those that
/// draw from laws. Of a level they have the cells.
fn has(text: &str, key: &Key, value: Value) -> bool {
    let numbers = match (value, &key.kind) {
        (Value::Quantity(Quantity { dimension: Dimension::Time, amount }), _) => vec![shown(value), amount.to_string()],
        (Value::Number(fraction), Kind::Level) => vec![format!("{:?}", fraction * f64::from(CAPACITY_CELLS))],
        _ => vec![shown(value)],
    };
    let has_one = |text: &str| numbers.iter().any(|number| has_number(text, number));
    let fields = fields(text, key.name);
    if fields.is_empty() { has_one(text) } else { fields.into_iter().any(has_one) }
}

/// What the fields have that are called as a key, or so with a unit behind: each up to the name of the next field.
fn fields<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let value = |(at, _): (usize, &str)| {
        let (name, value) = text[at..].split_once(": ")?;
        let is_called_so = name.strip_prefix(key).is_some_and(|unit| unit.is_empty() || unit.starts_with('_'));
        let is_whole = name.chars().all(is_of_name) && !text[..at].ends_with(is_of_name);
        (is_called_so && is_whole).then(|| value.split(": ").next().unwrap_or(value))
    };
    text.match_indices(key).filter_map(value).collect()
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
        for key in keys {
            // With some settings of the others a key means nothing: it must be found with one of them. A level is a fraction, and cells.
            let mut tried: Vec<(std::mem::Discriminant<Value>, String, bool)> = Vec::new();
            for number in 0..SETTINGS {
                let others = settings(keys, number);
                let Setting::One(value) = others.setting(key.name).clone() else { continue };
                for value in near(value) {
                    let of = |other: &Key| match other.name == key.name {
                        true => Setting::One(value),
                        false => others.setting(other.name).clone(),
                    };
                    let Some(text) = params(&Values::of(keys, |other| Some(of(other)))) else { continue };
                    let (form, found) = (std::mem::discriminant(&value), has(&text, key, value));
                    let what = format!("{name}.{} = {} is not in {text}", key.name, shown(value));
                    match tried.iter_mut().find(|(other, ..)| *other == form) {
                        Some((.., is_found)) => *is_found |= found,
                        None => tried.push((form, what, found)),
                    }
                }
            }
            checked += u32::from(tried.iter().any(|(.., found)| *found));
            wrong.extend(tried.into_iter().filter(|(.., found)| !found).map(|(_, what, _)| what));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 80, "{checked}");
}

/// Of two settings that differ in a flag, the parameters differ; and where a flag of theirs does, it is the same.
#[test]
fn a_flag_is_not_the_other_way_round() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for Mechanism { name, keys, params } in mechanisms() {
        for key in keys.iter().filter(|key| matches!(key.kind, Kind::Flag)) {
            let mut differ = false;
            for number in 0..SETTINGS {
                let others = settings(keys, number);
                let with = |flag| {
                    let of = |other: &Key| match other.name == key.name {
                        true => Setting::One(Value::Flag(flag)),
                        false => others.setting(other.name).clone(),
                    };
                    params(&Values::of(keys, |other| Some(of(other))))
                };
                let (Some(off), Some(on)) = (with(false), with(true)) else { continue };
                differ |= off != on;
                let words = |text| str::split(text, |c: char| !c.is_ascii_alphanumeric());
                if words(&off).zip(words(&on)).any(|words| words == ("true", "false")) {
                    wrong.push(format!("{name}.{} is the other way round: {on} if it is true", key.name));
                    break;
                }
            }
            checked += u32::from(differ);
            if !differ {
                wrong.push(format!("{name}.{} makes no difference", key.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 10, "{checked}");
}

/// The number of a value, of a level in cells.
fn amount(key: &Key, value: &Setting) -> Option<f64> {
    match (value, &key.kind) {
        (Setting::One(Value::Number(fraction)), Kind::Level) => Some(fraction * f64::from(CAPACITY_CELLS)),
        (Setting::One(Value::Number(number)), _) => Some(*number),
        (Setting::One(Value::Integer(number)), _) => Some(*number as f64),
        (Setting::One(Value::Quantity(quantity)), _) => Some(quantity.amount as f64),
        _ => None,
    }
}

/// Of two keys that differ in `min` and `max` the parameters refuse the larger value for the smaller one.
#[test]
fn a_least_value_is_not_above_the_most() {
    let (mut pairs, mut wrong) = (0, Vec::new());
    for Mechanism { name, keys, params } in mechanisms() {
        for least in keys.iter().filter(|key| key.name.contains("min")) {
            let most = least.name.replace("min", "max");
            let Some(most) = keys.iter().find(|key| key.name == most) else { continue };
            let mut fits = false;
            for number in 0..SETTINGS {
                let others = settings(keys, number);
                let values = [least, most].map(|key| others.setting(key.name).clone());
                let [one, other] = [least, most].map(|key| amount(key, others.setting(key.name)));
                if one.is_none() || other.is_none() || one == other {
                    continue;
                }
                let [low, high] = if one < other { values } else { [values[1].clone(), values[0].clone()] };
                let with = |[of_least, of_most]: [&Setting; 2]| {
                    let of = |key: &Key| match key.name {
                        key if key == least.name => of_least.clone(),
                        key if key == most.name => of_most.clone(),
                        other => others.setting(other).clone(),
                    };
                    params(&Values::of(keys, |key| Some(of(key))))
                };
                fits |= with([&low, &high]).is_some();
                if let Some(text) = with([&high, &low]) {
                    wrong.push(format!("{name}: `{}` may be above `{}`: {text}", least.name, most.name));
                    break;
                }
            }
            pairs += u32::from(fits);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(pairs >= 4, "{pairs}: RED, that of frames, and two of Illinois");
}

const CAPACITY_CELLS: u32 = 100_000;
const SETTINGS: u64 = 200;
