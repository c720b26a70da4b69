//! Functions of real numbers that give the same bits on every machine.
//!
//! `+ − × ÷` and `sqrt` are rounded correctly everywhere (IEEE 754 §5.4.1). What the standard library has beyond them
//! (`cbrt`, `powi`, `exp`, …) is as exact as the platform's own library is, and differs: `clippy.toml` forbids it. A
//! function that is needed stands here, made of the five operations.

/// The cube root by Newton's method; 0 for what is not positive.
pub(crate) fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // From above: each step is smaller than the one before, until rounding ends that.
    let mut root = x.max(1.0);
    loop {
        let next = (2.0 * root + x / (root * root)) / 3.0;
        if next >= root {
            return root;
        }
        root = next;
    }
}

/// A whole power of a number from 0 to 1, by squaring.
pub(crate) fn power(base: f64, mut exponent: u64) -> f64 {
    let (mut result, mut square) = (1.0, base);
    while exponent > 0 && result > 0.0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

/// 2 to the power of a number that is not negative: by doubling for what is whole, by square roots for the binary digits of the
/// rest. Infinite where it is too large for a number.
pub(crate) fn power_of_two(exponent: f64) -> f64 {
    if exponent >= 1024.0 {
        return f64::INFINITY;
    }
    let whole = exponent.max(0.0) as u32;
    let mut result = (0..whole).fold(1.0, |result: f64, _| 2.0 * result);
    let (mut rest, mut root) = (exponent.max(0.0) - f64::from(whole), 2.0_f64);
    while rest > 0.0 {
        rest *= 2.0;
        root = root.sqrt();
        if rest >= 1.0 {
            rest -= 1.0;
            result *= root;
        }
    }
    result
}

/// e to the power of a number, infinite where it is too large for a number.
pub(crate) fn exponential(x: f64) -> f64 {
    let exponent = x / std::f64::consts::LN_2;
    if exponent < 0.0 { 1.0 / power_of_two(-exponent) } else { power_of_two(exponent) }
}

/// The root of a positive normal number, of this degree from 1 on.
pub(crate) fn root(x: f64, degree: u64) -> f64 {
    match degree {
        1 => x,
        _ if x < 1.0 => 1.0 / root(1.0 / x, degree),
        _ => power_of_two(natural_logarithm(x) / std::f64::consts::LN_2 / degree as f64),
    }
}

/// The natural logarithm of a positive normal number: of its power of two, and of the rest m from √½ to √2 by the series of
/// 2 artanh((m − 1)/(m + 1)).
pub(crate) fn natural_logarithm(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let mut m = f64::from_bits(bits & FRACTION | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        (m, exponent) = (m / 2.0, exponent + 1);
    }
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    // |s| < 0.172: the term left out, s^22/23, is below the last digit.
    let series = (0..=10).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * series
}

/// The probability that of so many independent events, each of probability `single`, at least one happens:
/// 1 − (1 − single)^count, without the cancellation in that formula.
pub(crate) fn any_of(single: f64, count: u64) -> f64 {
    let either = |a: f64, b: f64| a + b - a * b;
    let (mut all, mut power, mut left) = (0.0, single, count);
    while left > 0 {
        if left & 1 == 1 {
            all = either(all, power);
        }
        power = either(power, power);
        left >>= 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_what_their_powers_come_from() {
        for (x, degree, expected) in
            [(27.0, 3, 3.0), (0.0625, 4, 0.5), (1.25, 1, 1.25), (1.0, 7, 1.0), (2.0, 2, f64::sqrt(2.0))]
        {
            assert!((root(x, degree) - expected).abs() < 1e-13, "{x} {degree}");
        }
    }

    #[test]
    fn cube_roots_are_as_exact_as_numbers_are() {
        for x in [1e-9, 0.001, 0.5, 1.0, 2.0, 8.0, 750.0, 1e6, 1e15] {
            let root = cube_root(x);
            assert!((root * root * root / x - 1.0).abs() < 1e-14, "{x}: {root}");
        }
        assert_eq!([cube_root(0.0), cube_root(-1.0)], [0.0, 0.0]);
    }

    #[test]
    fn a_power_by_squaring_is_a_power() {
        assert_eq!([power(0.5, 0), power(0.5, 1), power(0.5, 10)], [1.0, 0.5, 1.0 / 1024.0]);
        assert_eq!(power(0.998, u64::MAX), 0.0);
    }

    /// 2^2.5 = 4 √2; 2^0.1 multiplied ten times is 2; halves are exact.
    #[test]
    fn powers_of_two_are_as_exact_as_numbers_are() {
        assert_eq!([0.0, 1.0, 10.0, 1023.0].map(power_of_two), [1.0, 2.0, 1024.0, 2.0 * (1.0 / f64::MIN_POSITIVE)]);
        assert!((power_of_two(2.5) - 5.656_854_249_492_381).abs() < 1e-14);
        let tenth = power_of_two(0.1);
        let product: f64 = (0..10).map(|_| tenth).product();
        assert!((product - 2.0).abs() < 1e-13, "{product}");
        assert_eq!([power_of_two(-1.0), power_of_two(1024.0)], [1.0, f64::INFINITY]);
    }

    #[test]
    fn the_exponential_function_is_the_inverse_of_the_logarithm() {
        for x in [-20.0, -1.0, -1e-9, 0.0, 0.5, 1.0, 10.0, 300.0] {
            let again = if x == 0.0 { exponential(x) - 1.0 } else { natural_logarithm(exponential(x)) / x - 1.0 };
            assert!(again.abs() < 1e-6, "{x}: {again}");
        }
        assert!((exponential(1.0) / std::f64::consts::E - 1.0).abs() < 1e-14);
        assert_eq!(exponential(-1e9), 0.0);
    }

    /// ln 2, ln 10, ln ½, the smallest draw 2^−53, and numbers beside 1, where nothing may cancel: ln(1 + 2^−52) = 2^−52 − 2^−105.
    #[test]
    fn natural_logarithms_are_as_exact_as_numbers_are() {
        let known = [
            (2.0, std::f64::consts::LN_2),
            (10.0, std::f64::consts::LN_10),
            (0.5, -std::f64::consts::LN_2),
            (1.0 / (1_u64 << 53) as f64, -36.736_800_569_677_1),
            (0.75, -0.287_682_072_451_780_9),
            (1.0 + f64::EPSILON, f64::EPSILON),
        ];
        for (x, logarithm) in known {
            let found = natural_logarithm(x);
            assert!((found / logarithm - 1.0).abs() < 1e-15, "{x}: {found}");
        }
        assert_eq!(natural_logarithm(1.0), 0.0);
    }

    #[test]
    fn one_of_many_rare_events_happens_as_often_as_they_do_together() {
        assert!((any_of(0.86e-6, 11_680) - 0.009_994_5).abs() < 1e-7);
        assert_eq!(any_of(0.3, 1), 0.3);
        assert!((any_of(0.5, 3) - 0.875).abs() < 1e-15);
        // Where 1 − p is 1 in floating point: n·p to the last digit but a few.
        assert!((any_of(1e-18, 1000) - 1e-15).abs() < 1e-29);
    }

    /// Every function of `f64` whose result std leaves to the platform ("unspecified precision") is forbidden, in the
    /// simulator and where orbits are computed.
    #[test]
    fn what_differs_between_machines_is_forbidden() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for file in ["clippy.toml", "../ackclock-sat/clippy.toml"] {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            for kind in ["f64", "f32"] {
                let missing: Vec<&str> = INEXACT
                    .into_iter()
                    .filter(|name| !text.contains(&format!("{{ path = \"{kind}::{name}\", reason = ")))
                    .collect();
                assert!(missing.is_empty(), "{file} lacks {kind}: {missing:?}");
            }
        }
    }

    const INEXACT: [&str; 27] = [
        "powi", "powf", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "cbrt", "hypot", "sin", "cos",
        "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
        "mul_add",
    ];
}
