//! The order of names: digits count as numbers, so that s2 comes before s10.

use std::cmp::Ordering;

/// Compares two names naturally. Different names are never equal.
pub(crate) fn natural(left: &str, right: &str) -> Ordering {
    let (mut a, mut b) = (left, right);
    while let (Some(x), Some(y)) = (a.chars().next(), b.chars().next()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, rest_a) = run_of_digits(a);
            let (y, rest_b) = run_of_digits(b);
            match x.len().cmp(&y.len()).then_with(|| x.cmp(y)) {
                Ordering::Equal => (a, b) = (rest_a, rest_b),
                different => return different,
            }
        } else if x != y {
            return x.cmp(&y);
        } else {
            (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]);
        }
    }
    a.len().cmp(&b.len()).then_with(|| left.cmp(right))
}

/// The number at the beginning, without leading zeros, and what follows it.
fn run_of_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].trim_start_matches('0'), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["s10", "s2", "d1", "sw1", "s1", "s01", "s", "s1a", "99999999999999999999999", "s2-10", "s2-9"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            ["99999999999999999999999", "d1", "s", "s01", "s1", "s1a", "s2", "s2-9", "s2-10", "s10", "sw1"]
        );
    }
}
