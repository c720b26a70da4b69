//! Whatever stands in the files of result folders, it is read or named in one line, and no more. The fuzz target checks the same with
//! inputs of its own.

use proptest::prelude::*;

/// `PROPTEST_CASES`, or so many as take a few seconds.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn whatever_stands_in_a_file_is_read_or_named(
        which in 0_u8..8,
        how in 0_u8..4,
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        crate::readers::check_bytes(&[&[which, how][..], &bytes].concat());
    }
}
