//! The Internet checksum where a word of what it covers changes.
//! Source: RFC 1624 §3, equation 3. (The rule printed in \[RATE-CONTROL\] adds where it has to subtract.)

/// The checksum after one 16-bit word of what it covers has become `new`.
pub fn updated(checksum: u16, old: u16, new: u16) -> u16 {
    !folded(u64::from(!checksum) + u64::from(!old) + u64::from(new))
}

fn folded(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 1071: the checksum of these octets; an odd last one is followed by a zero.
    fn checksum(octets: &[u8]) -> u16 {
        let (words, rest) = octets.as_chunks::<2>();
        let sum: u64 = words.iter().map(|&word| u64::from(u16::from_be_bytes(word))).sum();
        !folded(sum + rest.first().map_or(0, |&octet| u64::from(octet) << 8))
    }

    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(updated(0xdd2f, 0x5555, 0x3285), 0);
    }

    /// A pure acknowledgement from 10.0.0.2:5001 to 10.0.0.1:40000 with this number and window, its checksum zero.
    fn acknowledgement(ack: u32, window: u16) -> Vec<u8> {
        let mut octets = vec![10, 0, 0, 2, 10, 0, 0, 1, 0, 6, 0, 20];
        for word in [5001, 40_000, 0, 1, (ack >> 16) as u16, ack as u16, 0x5010, window, 0, 0] {
            octets.extend(u16::to_be_bytes(word));
        }
        octets
    }

    /// The vectors of the specification: acknowledgement number and window before and after, and both checksums.
    #[test]
    fn hand_computed_headers() {
        for (old, new, before, after) in [
            ((0x0000_0401, 0x927c), (0x0000_0401, 0x1280), 0x558a, 0xd586),
            ((0x0001_2345, 0x927c), (0x0000_1234, 0x1194), 0x3645, 0xc83f),
            ((0x7fff_0001, 0x1280), (0x7ffe_fc01, 0x1240), 0x5987, 0x5dc7),
        ] {
            assert_eq!(checksum(&acknowledgement(old.0, old.1)), before);
            assert_eq!(checksum(&acknowledgement(new.0, new.1)), after);
            let window = updated(before, old.1, new.1);
            let high = updated(window, (old.0 >> 16) as u16, (new.0 >> 16) as u16);
            assert_eq!(updated(high, old.0 as u16, new.0 as u16), after);
        }
    }

    proptest! {
        #[test]
        fn a_changed_word_changes_the_checksum_as_if_it_were_computed_anew(
            mut octets in prop::collection::vec(any::<u8>(), 4..60), place: prop::sample::Index, new: u16,
        ) {
            // Some other word is not zero, as in every header: zero has two forms in one's complement.
            octets.extend([1, 2]);
            octets.truncate(octets.len() / 2 * 2);
            let before = checksum(&octets);
            let at = 2 * place.index(octets.len() / 2 - 1);
            let old = u16::from_be_bytes([octets[at], octets[at + 1]]);
            octets[at..at + 2].copy_from_slice(&new.to_be_bytes());
            prop_assert_eq!(updated(before, old, new), checksum(&octets));
        }
    }
}
