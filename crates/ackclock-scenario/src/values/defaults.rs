//! Defaults, which are spelled as in a file, and checked as what stands there.

use crate::keys::{Fallback, Key, of_plain};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node};
use crate::values::Value;

/// The value of `key` that a default describes, unless it depends on other things; `check` checks it.
pub(super) fn value(
    key: &Key,
    default: &Fallback,
    check: fn(&Key, &Item, &mut Report) -> Option<Value>,
) -> Option<Value> {
    let node = match *default {
        Fallback::Text(text) => Node::Text(text.to_owned()),
        Fallback::Bare("true") => Node::Flag(true),
        Fallback::Bare("false") => Node::Flag(false),
        Fallback::Bare(number) => match number.parse() {
            Ok(integer) => Node::Integer(Some(integer)),
            Err(_) => Node::Float(number.parse().expect("a bare default is a boolean or a number")),
        },
        Fallback::Value(value) => return Some(of_plain(value)),
        Fallback::Required | Fallback::RequiredAs(_) | Fallback::Derived(_) => return None,
    };
    let mut report = Report::default();
    let at = At::new(report.add_text(key.name, ""), 0..0, 0);
    let value = check(key, &Item { at, node }, &mut report);
    debug_assert!(value.is_some(), "the default of `{}` does not fit its kind", key.name);
    value
}
