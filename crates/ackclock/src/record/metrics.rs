//! Metrics over finished runs.

/// Jain's fairness index (Σx)²/(N·Σx²) [SACK-UBR §6.2]: 1 if all are equal, 1/N if one has everything.
/// Where nobody has anything, or there is nobody, it is 1.
pub fn jain(rates: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = rates.clone().count() as f64;
    let sum: f64 = rates.clone().sum();
    let squares: f64 = rates.map(|x| x * x).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (count * squares) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_is_one_for_equal_rates_and_one_nth_for_a_monopoly() {
        assert_eq!(jain([3.0, 3.0, 3.0].into_iter()), 1.0);
        assert_eq!(jain([5.0, 0.0, 0.0, 0.0, 0.0].into_iter()), 0.2);
        // (1+2+3)² / (3·(1+4+9)) = 36/42
        assert_eq!(jain([1.0, 2.0, 3.0].into_iter()), 36.0 / 42.0);
        assert_eq!(jain([0.0, 0.0].into_iter()), 1.0);
    }
}
