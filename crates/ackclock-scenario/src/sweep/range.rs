//! Ranges of values: `0.1..4bdp:log:10`.

use ackclock::keys::{Dimension as Measure, Quantity, QuantityError, split};

use crate::check::nearest_unit;
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node, quoted};

/// Values from one to another.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) at: At,
    pub(super) text: String,
    kind: Kind,
    /// The unit of the second end.
    unit: String,
    low: f64,
    high: f64,
    spacing: Spacing,
    /// How many values; without it the range is sampled.
    pub(super) count: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Whole numbers: both ends are written so.
    Whole,
    Decimal,
    /// Base units.
    Quantity(Measure),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Logarithmic,
}

/// Whether a text is meant as a range, right or wrong: it begins with a number, or has a spacing.
pub(super) fn is_range(text: &str) -> bool {
    text.split_once("..").is_some_and(|(low, rest)| {
        let has_spacing = rest.split(':').skip(1).any(|part| ["lin", "log"].contains(&part.trim()));
        has_spacing || low.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-')
    })
}

impl Range {
    /// Reads a range at a place.
    pub(super) fn parse(text: &str, at: At, report: &mut Report) -> Option<Range> {
        let (low, rest) = text.split_once("..")?;
        let mut parts = rest.split(':').map(str::trim);
        let (low, high) = (low.trim(), parts.next().unwrap_or(""));
        let (spacing, count) = (parts.next(), parts.next());
        let shape = "write LOW..HIGH:log:N for N values in equal ratios, LOW..HIGH:lin:N for equal steps, as in 0.1..4bdp:log:10";
        let spacing = match spacing {
            Some("lin") => Spacing::Linear,
            Some("log") => Spacing::Logarithmic,
            None => {
                report
                    .error(at, format!("the range {} has no spacing", quoted(text)))
                    .label("expected :log:N or :lin:N")
                    .help(shape);
                return None;
            }
            Some(other) => {
                report.error(at, format!("{} is no spacing", quoted(other))).label("known: lin, log").help(shape);
                return None;
            }
        };
        let count = match count.map(|count| (count, count.parse::<usize>())) {
            None => None,
            Some((_, Ok(count))) if (2..=MOST_VALUES).contains(&count) => Some(count),
            Some((count, _)) => {
                report
                    .error(at, format!("{} is no number of values", quoted(count)))
                    .label(format!("expected a whole number from 2 to {MOST_VALUES}"))
                    .help(shape);
                return None;
            }
        };
        if parts.next().is_some() {
            report
                .error(at, format!("the range {} goes on after its number of values", quoted(text)))
                .label("too long")
                .help(shape);
            return None;
        }
        let (kind, ends) = ends(low, high, at, report)?;
        let unit = split(high).map_or("", |(_, unit)| unit).to_owned();
        let range = Range { at, text: text.trim().to_owned(), kind, unit, low: ends.0, high: ends.1, spacing, count };
        range.is_sound(low, high, report).then_some(range)
    }

    fn is_sound(&self, low: &str, high: &str, report: &mut Report) -> bool {
        if self.low >= self.high {
            let help = match self.low > self.high {
                true => "write the smaller end first".to_owned(),
                false => format!("for one value write {high}"),
            };
            report
                .error(self.at, format!("the range {} is empty", quoted(&self.text)))
                .label(format!("{high} is not more than {low}"))
                .help(help);
            return false;
        }
        if self.low == 0.0 && self.spacing == Spacing::Logarithmic {
            report
                .error(self.at, "a range in equal ratios cannot begin at 0")
                .label("begins at 0")
                .help("begin above 0, or write :lin for equal steps");
            return false;
        }
        true
    }

    /// So many values. Those that are equal once they are rounded come once.
    pub(super) fn values(&self, count: usize) -> Vec<Item> {
        let mut values: Vec<Item> = Vec::with_capacity(count);
        for place in 0..count {
            let node = self.value(place as f64 / (count - 1) as f64);
            let is_new = values.last().is_none_or(|last| !same(&last.node, &node));
            if is_new {
                values.push(Item { at: self.at, node });
            }
        }
        values
    }

    /// The value at a share of the range, 0 to 1: the ends as they are, between them six significant digits, and whole numbers
    /// of the base unit, so that values can be read, and do not depend on the mathematics of a machine.
    pub(super) fn value(&self, share: f64) -> Node {
        let between = match self.spacing {
            _ if share <= 0.0 => self.low,
            _ if share >= 1.0 => self.high,
            Spacing::Linear => six_digits(self.low + (self.high - self.low) * share),
            Spacing::Logarithmic => six_digits(self.low * (self.high / self.low).powf(share)),
        };
        match self.kind {
            Kind::Decimal => Node::Float(between),
            Kind::Whole => Node::Integer(Some(between.round() as i64)),
            Kind::Quantity(dimension) => {
                let quantity = Quantity { dimension, amount: between.round() as u64 };
                Node::Text(quantity.spelled_in(&self.unit).unwrap_or_else(|| quantity.canonical()))
            }
        }
    }
}

/// A number with six significant digits.
fn six_digits(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

fn same(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Integer(a), Node::Integer(b)) => a == b,
        (Node::Float(a), Node::Float(b)) => a == b,
        (Node::Text(a), Node::Text(b)) => a == b,
        _ => false,
    }
}

/// Both ends in base units; the first takes the unit of the second where it has none.
fn ends(low: &str, high: &str, at: At, report: &mut Report) -> Option<(Kind, (f64, f64))> {
    let ((low_number, low_unit), (high_number, high_unit)) = (end(low, at, report)?, end(high, at, report)?);
    if low_unit.is_empty() && high_unit.is_empty() {
        let is_whole = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        let number = |text: &str| text.replace('_', "").parse::<f64>().unwrap_or(f64::NAN);
        let kind = if is_whole(low_number) && is_whole(high_number) { Kind::Whole } else { Kind::Decimal };
        let ends = (number(low_number), number(high_number));
        if ends.1 > MOST_EXACT {
            report.error(at, format!("{high} is too large for a range")).label("at most 2^53");
            return None;
        }
        return Some((kind, ends));
    }
    if high_unit.is_empty() {
        report
            .error(at, format!("the end {} has no unit", quoted(high)))
            .label("expected a unit")
            .help(format!("write {low}..{high}{low_unit}"));
        return None;
    }
    let low_with_unit = if low_unit.is_empty() { format!("{low_number} {high_unit}") } else { low.to_owned() };
    let mut quantity = |text: &str| {
        let parsed = Quantity::parse(text, &Measure::ALL);
        if let Err(error) = &parsed {
            unreadable(text, error, at, report);
        }
        parsed.ok()
    };
    let (low_quantity, high_quantity) = (quantity(&low_with_unit)?, quantity(high)?);
    if low_quantity.dimension != high_quantity.dimension {
        let (first, second) = (low_quantity.dimension.name(), high_quantity.dimension.name());
        report.error(at, format!("a range from {first} to {second}")).label("expected one measure at both ends");
        return None;
    }
    let ends = (low_quantity.amount as f64, high_quantity.amount as f64);
    if ends.1 > MOST_EXACT {
        report.error(at, format!("{high} is too large for a range")).label("beyond what is exact");
        return None;
    }
    Some((Kind::Quantity(high_quantity.dimension), ends))
}

/// Number and unit of an end.
fn end<'a>(text: &'a str, at: At, report: &mut Report) -> Option<(&'a str, &'a str)> {
    let parts = split(text).ok();
    if parts.is_none() {
        let help = match text.chars().next() {
            Some('-') => "values are not negative".to_owned(),
            Some('.') => format!("write a digit before the point: 0{text}"),
            _ => "write a number at both ends, as in 0.1..4bdp:log:10".to_owned(),
        };
        let message = match text {
            "" => "the range has no first end, or no last".to_owned(),
            text => format!("{} is no end of a range", quoted(text)),
        };
        report.error(at, message).label("expected a number").help(help);
    }
    parts
}

fn unreadable(text: &str, error: &QuantityError, at: At, report: &mut Report) {
    let draft = report.error(at, format!("{} is no end of a range", quoted(text)));
    match error {
        QuantityError::UnknownUnit { unit, .. } => {
            let near = nearest_unit(unit, &Measure::ALL).map(|near| format!("did you mean {near}?"));
            draft.label(format!("there is no unit {}", quoted(unit))).help_if(near);
        }
        QuantityError::NotWhole { dimension } => {
            draft.label(format!("not a whole number of {}", dimension.base_unit()));
        }
        QuantityError::TooLarge { dimension } => {
            draft.label(format!("too many {}", dimension.base_unit()));
        }
        QuantityError::NotANumber
        | QuantityError::Negative
        | QuantityError::NoUnit { .. }
        | QuantityError::WrongDimension { .. } => {
            draft.label("expected a number and a unit");
        }
    }
}

/// More values of one range are not meant.
const MOST_VALUES: usize = 1_000_000;
/// Whole numbers up to it are exact as floating-point numbers.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let mut report = Report::of("test");
        let id = report.add_argument("--vary", text);
        let range = Range::parse(text, At::new(id, 0..text.len(), 0), &mut report).expect("a sound range");
        let spelled = |item: Item| match item.node {
            Node::Text(text) => text,
            Node::Integer(Some(integer)) => integer.to_string(),
            Node::Float(float) => format!("{float:?}"),
            _ => panic!("no such value"),
        };
        range.values(range.count.unwrap()).into_iter().map(spelled).collect()
    }

    #[test]
    fn steps_and_ratios_are_equal_and_ends_are_exact() {
        assert_eq!(values("10..40ms:lin:4"), ["10 ms", "20 ms", "30 ms", "40 ms"]);
        // 10^(1/3) = 2.154434690, 10^(2/3) = 4.641588834.
        assert_eq!(values("1..10 ms:log:4"), ["1 ms", "2.15443 ms", "4.64159 ms", "10 ms"]);
        assert_eq!(values("500us..2ms:log:3"), ["0.5 ms", "1 ms", "2 ms"]);
        assert_eq!(values("1..2KiB:lin:3"), ["1024 B", "1536 B", "2048 B"]);
        assert_eq!(values("0.1..4bdp:log:3"), ["0.1 bdp", "0.632456 bdp", "4 bdp"]);
        assert_eq!(values("155.52..622.08Mbps:lin:2"), ["155.52 Mbps", "622.08 Mbps"]);
        assert_eq!(values("0..1:lin:3"), ["0", "1"], "whole ends have whole values: 0.5 is rounded to 1");
        assert_eq!(values("0.0..1:lin:3"), ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn equal_values_come_once() {
        // In cells: 1, 1.58, 2.51, 3.98, 6.31, 10.
        assert_eq!(values("1..10cells:log:6"), ["1 cell", "2 cells", "3 cells", "4 cells", "6 cells", "10 cells"]);
        assert_eq!(values("1..3:lin:9"), ["1", "2", "3"]);
    }
}
