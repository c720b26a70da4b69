//! Metrics over finished runs.

/// Jain's fairness index (Σx)²/(N·Σx²) [SACK-UBR §6.2]: 1 if all are equal, 1/N if one has everything.
/// `None` where nobody has anything, or there is nobody: that is neither fair nor unfair.
pub fn jain(rates: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let count = rates.clone().count() as f64;
    let sum: f64 = rates.clone().sum();
    let squares: f64 = rates.map(|x| x * x).sum();
    (squares != 0.0).then(|| sum * sum / (count * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_is_one_for_equal_rates_and_one_nth_for_a_monopoly() {
        assert_eq!(jain([3.0, 3.0, 3.0].into_iter()), Some(1.0));
        assert_eq!(jain([5.0, 0.0, 0.0, 0.0, 0.0].into_iter()), Some(0.2));
        // (1+2+3)² / (3·(1+4+9)) = 36/42
        assert_eq!(jain([1.0, 2.0, 3.0].into_iter()), Some(36.0 / 42.0));
    }

    #[test]
    fn jain_of_nothing_is_none() {
        assert_eq!(jain([0.0, 0.0].into_iter()), None);
        assert_eq!(jain([].into_iter()), None);
    }
}
