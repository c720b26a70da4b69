//! Quantities: numbers with a unit, and what may stand in their place.

use std::slice;

use ackclock::keys::{DAY, Dimension, INSTANT, Kind, Limit, Quantity, QuantityError, Value, bytes_per_second};

use super::words::{float, whole};
use crate::check::suggest;
use crate::keys::words::TechnologyWord;
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node, quoted};
use crate::value::FileValue;

/// A number with a unit, or something else that stands in its place.
#[derive(Clone, Copy)]
pub(crate) struct Amount<'a> {
    /// Dimensions and their limits in base units, both included.
    pub(crate) limits: &'a [Limit],
    /// Words that may stand instead of a number, as "infinite".
    pub(crate) words: &'static [&'static str],
    /// Numbers without unit allowed instead.
    pub(crate) bare: Bare,
}

/// Which numbers without unit may stand in the place of a quantity.
#[derive(Clone, Copy)]
pub(crate) enum Bare {
    None,
    /// More than 0, at most 1.
    Fraction,
    /// A whole number up to this.
    Integer {
        max: u64,
    },
}

impl<'a> Amount<'a> {
    /// What a kind says, if its values are quantities or may be.
    pub(crate) fn of(kind: &'a Kind) -> Option<Amount<'a>> {
        let limited = Amount::of_limits;
        match kind {
            Kind::Quantity(limit) => Some(limited(slice::from_ref(limit))),
            Kind::Quantities(limits) => Some(limited(limits)),
            Kind::Level => Some(Amount { bare: Bare::Fraction, ..limited(LEVELS) }),
            Kind::Or(Kind::Integer(_, max), words) => {
                Some(Amount { limits: &[], words, bare: Bare::Integer { max: *max } })
            }
            Kind::Or(kind, words) => Some(Amount { words, ..Amount::of(kind)? }),
            Kind::Flag | Kind::Word(_) | Kind::Number(_) | Kind::Share | Kind::Factor | Kind::Integer(..) => None,
            Kind::Integers | Kind::Table(_) | Kind::Mechanism(_) | Kind::Text | Kind::NodeName => None,
            Kind::LinkName(_) | Kind::Ends | Kind::Route | Kind::Nodes | Kind::RouteChanges | Kind::Drops(_) => None,
            Kind::Schedule(_) | Kind::Outages | Kind::Errors(_) | Kind::Metrics => None,
            Kind::Position | Kind::Longitude | Kind::Amounts(_) | Kind::Law(_) => None,
        }
    }

    /// Quantities within these limits.
    pub(crate) fn of_limits(limits: &'a [Limit]) -> Amount<'a> {
        Amount { limits, words: &[], bare: Bare::None }
    }

    /// The limits of what networks of a technology can have of it: where cells and packets are counted, cells are of ATM networks, and
    /// packets and octets are of packet networks.
    pub(crate) fn limits_in(&self, technology: TechnologyWord) -> Vec<Limit> {
        let counts = |dimension| self.limits.iter().any(|limit| limit.dimension == dimension);
        let is_of_both = counts(Dimension::Cells) && counts(Dimension::Packets);
        let fits = |limit: &&Limit| match limit.dimension {
            Dimension::Cells => technology == TechnologyWord::Atm,
            Dimension::Packets | Dimension::Size => technology == TechnologyWord::Packet,
            _ => true,
        };
        self.limits.iter().filter(|limit| !is_of_both || fits(limit)).copied().collect()
    }
}

/// The quantity of a key within a table, of a kind that is nothing else.
pub(super) fn quantity_of(name: &str, kind: &Kind, item: &Item, report: &mut Report) -> Option<Quantity> {
    quantity(name, &Amount::of(kind)?, item, report)?.quantity()
}

/// The time of a key within a table, picoseconds, `min` at least.
pub(super) fn time_of(name: &str, item: &Item, min: u64, report: &mut Report) -> Option<u64> {
    let amount = quantity_of(name, &INSTANT, item, report)?.amount;
    if amount >= min {
        return Some(amount);
    }
    let least = Quantity { dimension: Dimension::Time, amount: min }.canonical();
    report.error(item.at, format!("`{name}` is too short")).label(format!("at least {least}"));
    None
}

/// The quantity of a key, or what stands in its place, in a network of this technology. Messages name what such a network can have. A
/// quantity that only networks of the other technology can have is read: who uses it says what it is here.
pub(super) fn quantity_in(
    technology: TechnologyWord,
    name: &str,
    amount: &Amount<'_>,
    item: &Item,
    report: &mut Report,
) -> Option<FileValue> {
    if matches!(&item.node, Node::Text(text) if is_accepted(amount, text)) {
        return quantity(name, amount, item, report);
    }
    quantity(name, &Amount { limits: &amount.limits_in(technology), ..*amount }, item, report)
}

fn dimensions(amount: &Amount<'_>) -> Vec<Dimension> {
    amount.limits.iter().map(|limit| limit.dimension).collect()
}

/// The quantity of a key, or what stands in its place.
pub(super) fn quantity(name: &str, amount: &Amount<'_>, item: &Item, report: &mut Report) -> Option<FileValue> {
    let dimensions = dimensions(amount);
    match (&item.node, &amount.bare) {
        (Node::Integer(Some(_)) | Node::Float(_), Bare::Fraction) => {
            let number = float(&item.node);
            if number > 0.0 && number <= 1.0 {
                return Some(Value::Number(number).into());
            }
            let cells = format!("{number} cells");
            let help = (number > 1.0 && is_accepted(amount, &cells)).then(|| format!("for cells write {cells:?}"));
            report
                .error(item.at, format!("`{name}` is {number}"))
                .label("a number without unit is a fraction of the buffer: more than 0, at most 1")
                .help_if(help);
            return None;
        }
        (Node::Integer(integer), Bare::Integer { max }) => {
            return whole(name, *integer, 0, *max, item.at, report).map(|integer| Value::Integer(integer).into());
        }
        (Node::Integer(_) | Node::Float(_), _) => {
            let number = match item.node {
                Node::Integer(Some(integer)) if integer >= 0 => integer.to_string(),
                Node::Float(float) if float.is_finite() && float >= 0.0 => float.to_string(),
                _ => {
                    report
                        .error(item.at, format!("`{name}` is {}", item.described()))
                        .label(format!("expected {}", alternatives(amount)));
                    return None;
                }
            };
            // A unit would not help a zero.
            if let ([limit], "0") = (amount.limits, &*number)
                && limit.min > 0
            {
                report
                    .error(item.at, format!("`{name}` is 0"))
                    .label(expected(limit, amount.words, true))
                    .help_if(instead_of_zero(name, limit, amount.words));
                return None;
            }
            let examples = examples(amount, &number);
            let label = match examples.is_empty() {
                true => format!("expected {}", alternatives(amount)),
                false => format!("write {}", examples.join(" or ")),
            };
            report.error(item.at, format!("`{name}` needs a unit")).label(label).help(units(&dimensions));
            return None;
        }
        _ => {}
    }
    let Node::Text(text) = &item.node else {
        report
            .error(item.at, format!("`{name}` is {}", item.described()))
            .label(format!("expected {}", alternatives(amount)));
        return None;
    };
    if let Some(word) = amount.words.iter().find(|word| **word == text.trim()) {
        return Some(Value::Word(word).into());
    }
    match Quantity::parse(text, &dimensions) {
        Ok(quantity) => within_limits(name, amount, quantity, text, item.at, report),
        Err(problem) => {
            explain(name, amount, &dimensions, text, problem, item.at, report);
            None
        }
    }
}

fn within_limits(
    name: &str,
    amount: &Amount<'_>,
    quantity: Quantity,
    text: &str,
    at: At,
    report: &mut Report,
) -> Option<FileValue> {
    let limit = amount.limits.iter().find(|limit| limit.dimension == quantity.dimension)?;
    if (limit.min..=limit.max).contains(&quantity.amount) {
        return Some(quantity.into());
    }
    let is_zero = quantity.amount == 0;
    report
        .error(at, format!("`{name}` is {}", quoted(text.trim())))
        .label(expected(limit, amount.words, is_zero))
        .help_if(is_zero.then(|| instead_of_zero(name, limit, amount.words)).flatten());
    None
}

/// What to write in the place of a number in quotes.
fn without_unit(amount: &Amount<'_>, number: &str) -> String {
    let plain = number.parse::<f64>().unwrap_or(f64::NAN);
    let fits = match amount.bare {
        Bare::None => false,
        Bare::Fraction => plain > 0.0 && plain <= 1.0,
        Bare::Integer { max } => plain.fract() == 0.0 && plain <= max as f64,
    };
    let examples = examples(amount, number);
    match (fits, examples.is_empty()) {
        (true, _) => format!("write {number} without quotes"),
        (false, false) => format!("write {}", examples.join(" or ")),
        (false, true) => format!("expected {}", alternatives(amount)),
    }
}

/// What to write in the place of a number in per cent.
fn of_percent(amount: &Amount<'_>, number: &str) -> String {
    let fraction = number.parse::<f64>().map_or(f64::NAN, |percent| percent / 100.0);
    match fraction > 0.0 && fraction <= 1.0 {
        true => format!("write {fraction}"),
        false => format!("expected {}", alternatives(amount)),
    }
}

/// Whether a text may be the value. What a message suggests has to be.
fn is_accepted(amount: &Amount<'_>, text: &str) -> bool {
    let Ok(quantity) = Quantity::parse(text, &dimensions(amount)) else { return false };
    let mut limits = amount.limits.iter().filter(|limit| limit.dimension == quantity.dimension);
    limits.any(|limit| (limit.min..=limit.max).contains(&quantity.amount))
}

/// A number without a unit with the units of one or two dimensions that it may have, each in quotes.
fn examples(amount: &Amount<'_>, number: &str) -> Vec<String> {
    let spelled = |limit: &Limit| format!("{number} {}", example_unit(limit));
    // Buffers of many bandwidth-delay products are not what a bare number means.
    let is_meant =
        |limit: &&Limit| limit.dimension != Dimension::Bdp || number.parse().is_ok_and(|number: f64| number <= 10.0);
    let fitting = amount.limits.iter().filter(is_meant).map(spelled).filter(|text| is_accepted(amount, text));
    fitting.take(2).map(|text| format!("{text:?}")).collect()
}

/// What to write where nothing is meant by a zero, and a word stands for what may be.
fn instead_of_zero(name: &str, limit: &Limit, words: &[&str]) -> Option<String> {
    let word = words.first()?;
    Some(format!("write {name} = \"{word}\", or {} above 0", limit.dimension.short_name()))
}

/// What a value within a limit is, and which words may stand in its place.
fn expected(limit: &Limit, words: &[&str], is_zero: bool) -> String {
    let spelled = |amount: u64| Quantity { dimension: limit.dimension, amount }.canonical();
    let mut label = match is_zero && limit.min == 1 {
        true => "must be more than 0".to_owned(),
        false => format!("must be {} to {}", spelled(limit.min), spelled(limit.max)),
    };
    words.iter().for_each(|word| label += &format!(" or {word:?}"));
    label
}

fn explain(
    name: &str,
    amount: &Amount<'_>,
    dimensions: &[Dimension],
    text: &str,
    problem: QuantityError,
    at: At,
    report: &mut Report,
) {
    let shown = quoted(text.trim());
    match problem {
        QuantityError::NotANumber => {
            let near = suggest::nearest(text.trim(), amount.words.iter().copied());
            report
                .error(at, format!("`{name}` is {shown}"))
                .label(format!("expected {}", alternatives(amount)))
                .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
        }
        QuantityError::Negative => {
            report
                .error(at, format!("`{name}` is negative"))
                .label(format!("expected {}", alternatives(amount)))
                .help("zero or more is meant: leave out the sign");
        }
        QuantityError::NoUnit { number } => {
            report
                .error(at, format!("`{name}` needs a unit"))
                .label(without_unit(amount, &number))
                .help_if((!dimensions.is_empty()).then(|| units(dimensions)));
        }
        QuantityError::UnknownUnit { number, unit } if unit == "%" && matches!(amount.bare, Bare::Fraction) => {
            let label = of_percent(amount, &number);
            report.error(at, format!("`{name}` is {shown}")).label(label).help("fractions are plain numbers");
        }
        QuantityError::UnknownUnit { number, unit }
            if dimensions.contains(&Dimension::Rate) && bytes_per_second(&number, &unit).is_some() =>
        {
            let bits = bytes_per_second(&number, &unit).expect("just found");
            let label = match is_accepted(amount, &bits) {
                true => format!("in bits per second: {bits:?}"),
                false => format!("expected {}", alternatives(amount)),
            };
            report
                .error(at, format!("{} is a unit of bytes per second", quoted(&unit)))
                .label(label)
                .help(units(dimensions));
        }
        QuantityError::UnknownUnit { number, unit } => {
            let near = nearest_unit(&unit, dimensions).map(|near| format!("{number} {near}"));
            let near = near.filter(|near| is_accepted(amount, near));
            let has_near = near.is_some();
            report
                .error(at, format!("{} is no unit", quoted(&unit)))
                .label(near.map_or_else(|| units(dimensions), |near| format!("did you mean {near:?}?")))
                .help_if(has_near.then(|| units(dimensions)));
        }
        QuantityError::WrongDimension { found, .. } => {
            report
                .error(at, format!("{shown} is {}, which does not fit `{name}`", found.name()))
                .label(format!("expected {}", alternatives(amount)))
                .help(units(dimensions));
        }
        QuantityError::NotWhole { dimension } => {
            report
                .error(at, format!("{shown} is not a whole number of {}", dimension.base_unit()))
                .label(format!("the finest is {}", Quantity { dimension, amount: 1 }.canonical()));
        }
        QuantityError::TooLarge { dimension } => {
            let limit = amount.limits.iter().find(|limit| limit.dimension == dimension);
            let most = limit.map(|limit| Quantity { dimension, amount: limit.max }.canonical());
            report
                .error(at, format!("`{name}` is {shown}"))
                .label(most.map_or_else(|| "too large".to_owned(), |most| format!("at most {most}")));
        }
    }
}

/// "a time or "never"".
fn alternatives(amount: &Amount<'_>) -> String {
    let mut all: Vec<String> = amount.limits.iter().map(|limit| limit.dimension.short_name().to_owned()).collect();
    match amount.bare {
        Bare::None => {}
        Bare::Fraction => all.insert(0, "a fraction of the buffer (more than 0, at most 1)".to_owned()),
        Bare::Integer { max } => all.push(format!("a whole number, 0 to {max}")),
    }
    all.extend(amount.words.iter().map(|word| format!("{word:?}")));
    match all.pop() {
        Some(last) if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn units(dimensions: &[Dimension]) -> String {
    let lists: Vec<&str> = dimensions.iter().map(|dimension| dimension.unit_list()).collect();
    format!("units that fit: {}", lists.join(", "))
}

const LEVELS: &[Limit] = &[Limit { dimension: Dimension::Cells, min: 0, max: 1 << 31 }];

/// The unit that an example most likely wants.
pub(super) fn example_unit(limit: &Limit) -> &'static str {
    match limit.dimension {
        Dimension::Rate => "Mbps",
        Dimension::Time if limit.max > DAY.as_ps() => "s",
        Dimension::Time => "ms",
        Dimension::Size => "B",
        Dimension::Distance => "km",
        other => other.unit_list(),
    }
}

/// The unit that was probably meant by a spelling in no table, among those of `allowed`.
pub(crate) fn nearest_unit(spelling: &str, allowed: &[Dimension]) -> Option<&'static str> {
    let units = || allowed.iter().flat_map(|dimension| dimension.spellings());
    let same_letters = units().map(|(unit, _)| unit).find(|unit| unit.eq_ignore_ascii_case(spelling));
    same_letters.or_else(|| {
        // "Kb" for a size, "Mb/s" for a rate: the same first letter, and not much else is different.
        let letter = spelling.chars().next()?;
        let first_fits = |unit: &&str| unit.starts_with(|c: char| c.eq_ignore_ascii_case(&letter));
        let usual = units().filter(|(_, is_usual)| *is_usual).map(|(unit, _)| unit).filter(first_fits);
        let distance = |unit: &str| strsim::damerau_levenshtein(&spelling.to_lowercase(), &unit.to_lowercase());
        let near = usual.map(|unit| (distance(unit), unit)).filter(|(distance, _)| *distance <= 2);
        near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_unit_has_the_same_letters_or_nearly() {
        assert_eq!(nearest_unit("mbps", &[Dimension::Rate]), Some("Mbps"));
        assert_eq!(nearest_unit("KB", &[Dimension::Size]), Some("kB"));
        assert_eq!(nearest_unit("Kb", &[Dimension::Size]), Some("kB"));
        assert_eq!(nearest_unit("mb/s", &[Dimension::Rate]), Some("Mb/s"));
        assert_eq!(nearest_unit("Mbs", &[Dimension::Rate]), Some("Mbps"));
        assert_eq!(nearest_unit("celsl", &[Dimension::Cells, Dimension::Size]), Some("cells"));
        assert_eq!(nearest_unit("sec", &[Dimension::Time]), Some("s"));
        assert_eq!(nearest_unit("Kb", &[Dimension::Rate]), Some("kbps"));
        assert_eq!(nearest_unit("parsec", &[Dimension::Time]), None);
    }
}
