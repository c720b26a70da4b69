//! What a key wants, in words, and an example.

use ackclock::keys::{Default, Key, Kind};

use super::quantities::{Amount, example_unit};
use super::words::listed;
use crate::keys::names;
use crate::text::diagnostic::Report;
use crate::text::tree::Item;
use crate::value::FileValue;

/// A value that a key could have, as TOML.
pub(crate) fn example(key: &Key) -> String {
    if let Default::Required(example) = key.default
        && !example.is_empty()
    {
        return example.to_owned();
    }
    let kind = if let Kind::Schedule(kind) | Kind::Law(kind) = key.kind { kind } else { &key.kind };
    match Amount::of(kind) {
        Some(amount) => match amount.limits.first() {
            Some(limit) => format!("\"10 {}\"", example_unit(limit)),
            None => "0".to_owned(),
        },
        None => expectation(kind).1,
    }
}

/// What a kind of value is, and an example.
pub(super) fn expectation(kind: &Kind) -> (String, String) {
    let (expected, example) = match kind {
        Kind::Text => ("a text in quotes", "\"...\""),
        Kind::NodeName => ("the name of a node in quotes", "\"s1\""),
        Kind::LinkName(_) => ("the name of a link in one direction", "\"sw1->sw2\""),
        Kind::Flag => ("true or false", "true"),
        Kind::Or(Kind::Flag, words) => return (format!("true, false or one of {}", listed(words)), "true".to_owned()),
        Kind::Word(words) => return (format!("one of {}", listed(words)), format!("{:?}", words[0])),
        Kind::Mechanism(family) => {
            let names = names(*family);
            return (format!("one of {}", listed(names)), format!("{:?}", names[0]));
        }
        Kind::Integer(min, _) => return ("a whole number".to_owned(), min.to_string()),
        Kind::Number(_) => ("a number", "0.8"),
        Kind::Or(Kind::Number(_), words) => return (format!("a number or one of {}", listed(words)), "0.8".to_owned()),
        Kind::Share => ("a number from 0 to 1", "0.5"),
        Kind::Factor => ("a number from 0 to 1 or a fraction in quotes", "\"1/16\""),
        Kind::Integers => ("a list of whole numbers", "[3, 5]"),
        Kind::Table(_) => ("a table in braces", "{ ... }"),
        Kind::Ends => ("the two nodes that the link connects", "[\"a\", \"b\"]"),
        Kind::Route => ("a list of nodes, ends included", "[\"s1\", \"sw1\", \"sw2\", \"d1\"]"),
        Kind::Metrics => ("a list of metrics in quotes", "[\"cwnd\", \"queue\"]"),
        Kind::Nodes => ("a list of nodes in quotes", "[\"s1\", \"d1\"]"),
        Kind::Drops(_) => ("a list of segment numbers", "[30, { segment = 31, transmission = 2 }]"),
        Kind::Position => ("a latitude and a longitude in degrees", "\"37.9 N 122.3 W\""),
        Kind::Longitude => ("a longitude in degrees", "\"95 W\""),
        Kind::Outages => ("a list of outages", "[{ from = \"10 s\", until = \"12 s\" }]"),
        Kind::RouteChanges => ("a list of routes", "[{ at = \"2 s\", route = [\"s1\", \"sw1\", \"d1\"] }]"),
        Kind::Amounts(_) => ("a list of quantities", "[\"10 ms\", \"12 ms\"]"),
        Kind::Law(_) => ("an amount, or a law in braces", "{ law = \"exponential\", mean = \"1 s\" }"),
        Kind::Errors(_) => ("an error model, or a list of them", "{ model = \"uniform\", rate = 0.01 }"),
        Kind::Quantity(_) | Kind::Quantities(_) | Kind::Level | Kind::Or(..) | Kind::Schedule(_) => {
            unreachable!("quantities explain themselves")
        }
    };
    (expected.to_owned(), example.to_owned())
}

/// Reports that a value is of another kind.
pub(super) fn unexpected(key: &Key, item: &Item, report: &mut Report) -> Option<FileValue> {
    let (expected, _) = expectation(&key.kind);
    report
        .error(item.at, format!("`{}` is {}", key.name, item.described()))
        .label(format!("expected {expected}"))
        .help(format!("write {} = {}", key.name, example(key)));
    None
}
