//! Maps whose keys are numbers of nodes and links, looked up several times for each flow. Nobody chooses these numbers in order to
//! make them collide, so a product spreads them well enough, in a tenth of the instructions of the usual hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from ids, or pairs of ids.
pub(crate) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// The hash of one id, or of several in their order.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, octets: &[u8]) {
        octets.iter().for_each(|octet| self.write_u64(u64::from(*octet)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(32) ^ number).wrapping_mul(GOLDEN);
    }

    fn finish(&self) -> u64 {
        // A product is best in its upper half, and maps look at the lower one too.
        self.0 ^ self.0 >> 32
    }
}

/// 2^64 over the golden ratio, made odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Of 65,536 pairs in a table of 131,072 places, chance would leave 65,536 · (1 − e^−½) · 2 = 51,573 places in use.
    #[test]
    fn pairs_of_small_numbers_are_spread_over_a_table() {
        let hash = |from: u32, to: u32| {
            let mut hasher = IdHasher::default();
            hasher.write_u32(from);
            hasher.write_u32(to);
            hasher.finish() % 131_072
        };
        let in_use = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            pairs.map(|(from, to)| hash(from, to)).collect::<HashSet<u64>>().len()
        };
        let square = in_use(&mut (0..256).flat_map(|from| (0..256).map(move |to| (from, to))));
        let star = in_use(&mut (0..32_768).flat_map(|host| [(host, 40_000), (40_000, host)]));
        assert!(square > 48_000 && star > 48_000, "{square} and {star}");
    }
}
