//! One hash per entity over its observable events, and one for the whole run.

use crate::rng::{mix, name_hash};

/// The running hash of one entity. Equal fingerprints mean the same events at the same picoseconds in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    hash: u64,
}

impl Fingerprint {
    /// Adds one word of an event.
    pub fn add(&mut self, word: u64) {
        self.hash = mix(self.hash.rotate_left(5) ^ word.wrapping_add(0x2545_f491_4f6c_dd1d));
    }

    /// The hash so far; zero if nothing was added.
    pub fn value(self) -> u64 {
        self.hash
    }
}

/// The fingerprint of a run from those of its entities: in name order, whatever order they come in, leaving out
/// those to which nothing happened, so that an idle entity changes nothing.
pub fn combine<'a>(entities: impl Iterator<Item = (&'a str, u64)>) -> u64 {
    let mut sorted: Vec<_> = entities.filter(|&(_, hash)| hash != 0).collect();
    sorted.sort_unstable();
    let mut whole = Fingerprint::default();
    for (name, hash) in sorted {
        whole.add(name_hash(name));
        whole.add(hash);
    }
    whole.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_value_of_events_matter() {
        let of = |words: &[u64]| {
            let mut fingerprint = Fingerprint::default();
            words.iter().for_each(|&word| fingerprint.add(word));
            fingerprint.value()
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_eq!(of(&[]), 0);
    }

    #[test]
    fn idle_entities_and_the_order_of_entities_do_not_matter() {
        let two = combine([("a", 1), ("b", 2)].into_iter());
        assert_eq!(two, combine([("b", 2), ("a", 1)].into_iter()));
        assert_eq!(two, combine([("b", 2), ("idle", 0), ("a", 1)].into_iter()));
        assert_ne!(two, combine([("b", 1), ("a", 2)].into_iter()));
    }
}
