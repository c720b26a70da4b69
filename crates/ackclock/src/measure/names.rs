//! Which flows, sources and ports an expression is of: by names, in which `*` stands for anything, and by groups; of files those of some
//! sizes: `web[10kB..1MB]`, `[1MB..]`.   Units: bytes.

use std::ops::Range;

use crate::keys::{Dimension, Quantity};
use crate::scenario::Flow;

/// Which things; none: all.
pub(super) type Names = [String];

/// The sizes that a name has in brackets, from the first on to below the second, and the name before them.
///
/// # Errors
/// If what stands in the brackets are no sizes.
pub(super) fn split(written: &str) -> Result<(&str, Option<Range<u64>>), String> {
    let Some((name, sizes)) = written.split_once('[') else { return Ok((written, None)) };
    let bytes = |text: &str, absent: u64| match text {
        "" => Some(absent),
        text => Quantity::parse(text, &[Dimension::Size]).ok().map(|size| size.amount),
    };
    let ends = sizes.strip_suffix(']').and_then(|sizes| sizes.split_once(".."));
    let sizes = ends.and_then(|(least, below)| Some(bytes(least, 0)?..bytes(below, u64::MAX)?));
    match sizes.filter(|sizes| !sizes.is_empty()) {
        Some(sizes) => Ok((if name.is_empty() { "*" } else { name }, Some(sizes))),
        None => Err(format!("`{written}` has no sizes in its brackets: write [10kB..1MB], [..10kB] or [1MB..]")),
    }
}

/// Whether a flow is among those that are named, by its name or its group.
pub(super) fn is_of(flow: &Flow, names: &Names) -> bool {
    names.is_empty()
        || names.iter().filter_map(|written| split(written).ok()).any(|(name, sizes)| {
            (matches(name, &flow.name) || flow.group.as_deref() == Some(name))
                && sizes.is_none_or(|sizes| flow.size.is_some_and(|size| sizes.contains(&size)))
        })
}

/// Whether a name is among these.
pub(super) fn is_named(name: &str, names: &Names) -> bool {
    names.is_empty() || names.iter().any(|pattern| matches(pattern, name))
}

fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| &rest[at..]).chain([""]).any(|rest| matches(after, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_in_brackets_behind_a_name() {
        assert_eq!(split("web"), Ok(("web", None)));
        assert_eq!(split("web[10kB..1MB]"), Ok(("web", Some(10_000..1_000_000))));
        assert_eq!(split("[..1KiB]"), Ok(("*", Some(0..1024))));
        assert_eq!(split("w*[1MB..]"), Ok(("w*", Some(1_000_000..u64::MAX))));
        for wrong in
            ["web[", "web[]", "web[1MB]", "web[1..2]", "web[2MB..1MB]", "web[1MB..1MB]", "web[1MB..2MB", "w[1s..2s]"]
        {
            assert!(split(wrong).unwrap_err().starts_with(&format!("`{wrong}` has no sizes")), "{wrong}");
        }
    }
}
