//! Exact quantiles of a list of values. Those of delays, of which there are millions, are of [`Histogram`](crate::record::Histogram).

/// The value below which the part `p` of all values lies: between two values it is interpolated linearly (definition 7 of
/// Hyndman and Fan, 1996, as in numpy and R). `None` of no values.
///
/// # Panics
/// If `p` is not from 0 to 1. The values are in ascending order.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    assert!((0.0..=1.0).contains(&p), "{p} is no part of a whole");
    debug_assert!(sorted.is_sorted(), "quantiles are of values in order");
    let at = p * sorted.len().checked_sub(1)? as f64;
    let below = at.floor();
    let (low, high) = (sorted[below as usize], sorted[at.ceil() as usize]);
    Some(low + (high - low) * (at - below))
}

#[cfg(test)]
mod tests {
    use super::super::tests::SKEWED;
    use super::*;

    /// `numpy.quantile` 2.4.6.
    #[test]
    fn quantiles_are_those_of_numpy() {
        let mut sorted = SKEWED;
        sorted.sort_by(f64::total_cmp);
        for (p, value) in [(0.0, 2.2), (0.05, 3.73), (0.25, 8.1), (0.5, 8.9), (0.9, 9.31), (0.95, 9.355), (1.0, 9.4)] {
            let found = quantile(&sorted, p).unwrap();
            assert!((found - value).abs() < 1e-12, "{p}: {found} instead of {value}");
        }
        assert_eq!((quantile(&[], 0.5), quantile(&[7.0], 0.99)), (None, Some(7.0)));
    }
}
