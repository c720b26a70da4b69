//! A probability, compared with 64 random bits.

#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(f64);

impl Chance {
    /// A probability, 0 to 1.
    pub(super) fn new(probability: f64) -> Chance {
        Chance(probability * TWO_TO_64)
    }

    /// Whether it comes true if these 64 bits are drawn: never for 0, always for 1.
    pub(super) fn hits(self, draw: u64) -> bool {
        // Of 2^64 draws as many are below as are due, but for the rounding of the draw to 53 bits.
        (draw as f64) < self.0 || self.0 >= TWO_TO_64
    }
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_zero_nothing_comes_true_and_of_one_everything() {
        let hits = |probability, draw| Chance::new(probability).hits(draw);
        assert_eq!([hits(0.0, 0), hits(1.0, u64::MAX)], [false, true]);
        assert_eq!([hits(0.5, (1 << 63) - 1024), hits(0.5, 1 << 63)], [true, false]);
    }
}
