//! The order of names: digits count as numbers, so that s2 comes before s10.

use std::cmp::Ordering;

/// Compares two names naturally. Different names are never equal.
pub(crate) fn natural(left: &str, right: &str) -> Ordering {
    // The order of UTF-8 octets is that of characters, and no octet of a longer character is a digit.
    let (mut a, mut b) = (left.as_bytes(), right.as_bytes());
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, rest_a) = run_of_digits(a);
            let (y, rest_b) = run_of_digits(b);
            match x.len().cmp(&y.len()).then_with(|| x.cmp(y)) {
                Ordering::Equal => (a, b) = (rest_a, rest_b),
                different => return different,
            }
        } else if x != y {
            return x.cmp(y);
        } else {
            (a, b) = (rest_a, rest_b);
        }
    }
    a.len().cmp(&b.len()).then_with(|| left.cmp(right))
}

/// The number at the beginning, without leading zeros, and what follows it.
fn run_of_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|octet| !octet.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (&digits[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = [
            "s10",
            "s2",
            "d1",
            "sw1",
            "s1",
            "s01",
            "s",
            "s1a",
            "99999999999999999999999",
            "s2-10",
            "s2-9",
            "sö",
            "sé1",
        ];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            [
                "99999999999999999999999",
                "d1",
                "s",
                "s01",
                "s1",
                "s1a",
                "s2",
                "s2-9",
                "s2-10",
                "s10",
                "sw1",
                "sé1",
                "sö"
            ]
        );
    }
}
