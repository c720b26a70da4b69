//! Changed files of elements are read or refused in one message.

use proptest::prelude::*;
use proptest::sample::select;

use crate::any_elements::check_bytes;

/// What the fuzz target begins with.
const SEEDS: [&str; 5] = [
    include_str!("../../../../fuzz/seeds/elements/near-earth"),
    include_str!("../../../../fuzz/seeds/elements/deep-space"),
    include_str!("../../../../fuzz/seeds/elements/json"),
    include_str!("../../../../fuzz/seeds/elements/csv"),
    include_str!("../../../../fuzz/seeds/elements/xml"),
];

proptest! {
    #[test]
    fn whatever_a_file_of_elements_says_is_read_or_refused(
        seed in select(&SEEDS[..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 0..5),
    ) {
        let mut bytes = seed.as_bytes().to_vec();
        for (at, with, how) in changes {
            let at = at.index(bytes.len() + 1);
            match how {
                0 => bytes.insert(at, with),
                1 => bytes.truncate(at),
                2 => drop(bytes.drain(at..(at + usize::from(with)).min(bytes.len()))),
                _ => if let Some(byte) = bytes.get_mut(at) { *byte = with },
            }
        }
        check_bytes(&bytes);
    }
}
