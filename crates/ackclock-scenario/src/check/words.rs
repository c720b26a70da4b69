//! Words and numbers.

use ackclock::keys::Family;

use crate::check::suggest;
use crate::keys::names;
use crate::keys::outside::{Outside, policies};
use crate::keys::words::{TechnologyWord, alias};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Node, quoted};

/// What a scenario has to choose from.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    /// What travels in its network, if that is known.
    pub(crate) technology: Option<TechnologyWord>,
    pub(crate) outside: &'a Outside,
}

/// The one of `words` that a text is.
pub(super) fn word(
    name: &str,
    words: &[&'static str],
    text: &str,
    at: At,
    report: &mut Report,
) -> Option<&'static str> {
    if let Some(word) = words.iter().find(|word| **word == text) {
        return Some(word);
    }
    let near = || suggest::nearest(text, words.iter().copied()).map(did_you_mean);
    let help = suggest::explained(name, text).or_else(near);
    report
        .error(at, format!("unknown {name} {}", quoted(text)))
        .label(format!("known: {}", words.join(", ")))
        .help_if(help);
    None
}

/// The mechanism that a text is, one of the simulator or one from outside.
pub(super) fn mechanism(
    name: &str,
    family: Family,
    text: &str,
    here: Here<'_>,
    at: At,
    report: &mut Report,
) -> Option<&'static str> {
    if let Some(word) = here.outside.word(family, text) {
        return Some(word);
    }
    if let Some(help) = here.outside.help(family, text) {
        report.error(at, format!("unknown {name} {}", quoted(text))).label("not in this version").help(help);
        return None;
    }
    let all = [names(family), &here.outside.names(family, None)].concat();
    match here.technology.filter(|_| family == Family::Policy) {
        Some(technology) => policy(name, text, &all, technology, here.outside, at, report),
        None => word(name, &all, alias(text).unwrap_or(text), at, report),
    }
}

/// The drop policy that a text is. Of an unknown one the message lists those of the technology. One of the other technology is
/// known; the checker of queues says why it cannot be.
fn policy(
    name: &str,
    text: &str,
    all: &[&'static str],
    technology: TechnologyWord,
    outside: &Outside,
    at: At,
    report: &mut Report,
) -> Option<&'static str> {
    if let Some(policy) = all.iter().find(|policy| **policy == text) {
        return Some(policy);
    }
    let (network, here) = (technology.network(), policies(technology, outside));
    let near = || suggest::nearest(text, here.iter().copied()).map(did_you_mean);
    let near_elsewhere = || {
        let near = suggest::nearest(text, all.iter().copied())?;
        Some(format!("\"{near}\" is a policy, but not of {network} networks"))
    };
    let help = suggest::explained(name, text).or_else(near).or_else(near_elsewhere);
    report
        .error(at, format!("unknown {name} {}", quoted(text)))
        .label(format!("{network} networks have {}", here.join(", ")))
        .help_if(help);
    None
}

fn did_you_mean(word: &str) -> String {
    format!("did you mean \"{word}\"?")
}

/// A whole number within limits, both included.
pub(super) fn whole(name: &str, integer: Option<i64>, min: u64, max: u64, at: At, report: &mut Report) -> Option<u64> {
    let value = integer.and_then(|integer| u64::try_from(integer).ok());
    if let Some(value) = value.filter(|value| (min..=max).contains(value)) {
        return Some(value);
    }
    let found = integer.map_or("an integer beyond 64 bits".to_owned(), |integer| integer.to_string());
    let allowed = if min == max { format!("only {min} is known") } else { format!("must be {min} to {max}") };
    report.error(at, format!("`{name}` is {found}")).label(allowed);
    None
}

/// As in messages: "a", "b".
pub(super) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// The number of a node that is one.
pub(super) fn float(node: &Node) -> f64 {
    match node {
        Node::Integer(Some(integer)) => *integer as f64,
        Node::Float(float) => *float,
        _ => f64::NAN,
    }
}

/// Reports a parameter of a mechanism from outside: what is to be left out.
pub(crate) fn outside_has_no_keys(report: &mut Report, at: At, name: &str, left_out: &str) {
    report
        .error(at, format!("{name} has no parameters in scenario files"))
        .label("this is a mechanism from outside")
        .help(format!("leave {left_out} out; the program that registers {name} gives it its parameters"));
}
