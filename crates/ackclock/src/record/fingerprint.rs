//! One hash per entity over its observable events, and one for the whole run.

use std::cmp::Ordering;

use crate::rng::{mix, name_hash};

/// The running hash of one entity. Equal fingerprints mean the same events at the same picoseconds in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    state: u64,
}

/// Digits of pi, so that a first event with small numbers, or with none, does not give a factor of zero.
const TIME: u64 = 0x243f_6a88_85a3_08d3;
const NUMBER: u64 = 0x1319_8a2e_0370_7344;

impl Fingerprint {
    /// Adds an event: when it was, and the number that describes it. One long multiplication folds both in, because
    /// a run does this several times for each segment.
    #[inline]
    pub fn event(&mut self, time_ps: u64, number: u64) {
        let time = self.state ^ time_ps ^ TIME;
        let number = self.state.rotate_left(32) ^ number ^ NUMBER;
        let product = u128::from(time) * u128::from(number);
        self.state = product as u64 ^ (product >> 64) as u64;
    }

    /// Adds one word of an event that is more than a time and a number.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.event(word, 0);
    }

    /// The hash so far; zero if nothing was added.
    pub fn value(self) -> u64 {
        mix(self.state)
    }
}

/// The name of an entity, in two parts that follow each other: there may be hundreds of thousands of them, and the first
/// part is somewhere anyway.
pub type EntityName<'a> = (&'a str, &'static str);

/// The fingerprint of a run from those of its entities: in name order, whatever order they come in, leaving out
/// those to which nothing happened, so that an idle entity changes nothing.
pub fn combine<'a>(entities: impl Iterator<Item = (EntityName<'a>, u64)> + Clone) -> u64 {
    let entities = entities.filter(|&(_, hash)| hash != 0);
    // Of a million flows room that is doubled again and again would be more than all records of a port.
    let mut sorted = Vec::with_capacity(entities.clone().count());
    sorted.extend(entities);
    // Stable, which is quick: entities come in natural order of their names, long stretches of which are in this order, too.
    sorted.sort_by(|(one, hash), (other, of_other)| in_name_order(*one, *other).then(hash.cmp(of_other)));
    let mut whole = Fingerprint::default();
    let mut name = String::new();
    for ((first, second), hash) in sorted {
        name.clear();
        name.push_str(first);
        name.push_str(second);
        whole.add(name_hash(&name));
        whole.add(hash);
    }
    whole.value()
}

/// The order of two names as if each were in one part.
fn in_name_order(one: EntityName<'_>, other: EntityName<'_>) -> Ordering {
    let both = one.0.len().min(other.0.len());
    let (begins, rest) = one.0.as_bytes().split_at(both);
    let (of_other, rest_of_other) = other.0.as_bytes().split_at(both);
    let rest = || rest.iter().chain(one.1.as_bytes()).cmp(rest_of_other.iter().chain(other.1.as_bytes()));
    begins.cmp(of_other).then_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn of_words(words: &[u64]) -> u64 {
        let mut fingerprint = Fingerprint::default();
        words.iter().for_each(|&word| fingerprint.add(word));
        fingerprint.value()
    }

    fn of_events(events: &[(u64, u64)]) -> u64 {
        let mut fingerprint = Fingerprint::default();
        events.iter().for_each(|&(time, number)| fingerprint.event(time, number));
        fingerprint.value()
    }

    #[test]
    fn values_are_fixed_for_ever() {
        // Golden values: a change here changes every published fingerprint.
        assert_eq!(of_events(&[(2_726_337, 512)]), 0x8693_5aac_72f0_a366);
        assert_eq!(of_events(&[(2_726_337, 512), (5_452_674, 1024)]), 0x2415_eebf_d222_d83a);
    }

    #[test]
    fn order_and_value_of_words_matter() {
        assert_ne!(of_words(&[1, 2]), of_words(&[2, 1]));
        assert_ne!(of_words(&[0]), of_words(&[0, 0]));
        assert_eq!(of_words(&[]), 0);
    }

    #[test]
    fn order_time_and_number_of_events_matter() {
        assert_ne!(of_events(&[(1, 7), (2, 7)]), of_events(&[(2, 7), (1, 7)]));
        assert_ne!(of_events(&[(1, 2)]), of_events(&[(2, 1)]), "time and number are not interchangeable");
        assert_ne!(of_events(&[(0, 0)]), of_events(&[]));
        assert_ne!(of_events(&[(0, 0)]), of_events(&[(0, 0), (0, 0)]));
    }

    /// A thousand segments, then the same with one bit of one time or number changed: all different, whether the
    /// change is in the first event, in the middle or in the last.
    #[test]
    fn every_bit_of_every_event_matters() {
        let events: Vec<(u64, u64)> = (0..1000).map(|n| (n * 2_726_337, n * 512)).collect();
        let mut seen = BTreeSet::from([of_events(&events)]);
        for place in [0, 500, 999] {
            for bit in 0..64 {
                for (time, number) in [(1 << bit, 0), (0, 1 << bit)] {
                    let mut changed = events.clone();
                    changed[place].0 ^= time;
                    changed[place].1 ^= number;
                    assert!(seen.insert(of_events(&changed)), "bit {bit} of event {place}");
                }
            }
        }
    }

    /// A change of one bit changes half of the bits, so that short prefixes of fingerprints differ, too.
    #[test]
    fn a_change_spreads_over_the_whole_value() {
        let changed = |bit: u32| (of_events(&[(1 << bit, 3), (5, 9)]) ^ of_events(&[(0, 3), (5, 9)])).count_ones();
        let mean = (0..64).map(changed).sum::<u32>() / 64;
        assert!((28..=36).contains(&mean), "{mean} of 64 bits");
    }

    #[test]
    fn idle_entities_and_the_order_of_entities_do_not_matter() {
        let of = |names: &[(&'static str, u64)]| combine(names.iter().map(|&(name, hash)| ((name, ""), hash)));
        let two = of(&[("a", 1), ("b", 2)]);
        assert_eq!(two, of(&[("b", 2), ("a", 1)]));
        assert_eq!(two, of(&[("b", 2), ("idle", 0), ("a", 1)]));
        assert_ne!(two, of(&[("b", 1), ("a", 2)]));
    }

    /// `f1:sender` comes after `f10:sender`, as a colon comes after the digits.
    #[test]
    fn a_name_in_two_parts_is_that_name() {
        let names = [("f1", ":sender"), ("f10", ":sender"), ("f1", "0:link"), ("", "f1"), ("f1", ""), ("g", ":a")];
        for one in names {
            for other in names {
                let whole = |(first, second): EntityName<'_>| format!("{first}{second}");
                assert_eq!(in_name_order(one, other), whole(one).cmp(&whole(other)), "{one:?} {other:?}");
            }
        }
        let parts = combine([(("f1", ":sender"), 1), (("f10", ":sender"), 2)].into_iter());
        assert_eq!(parts, combine([(("f10:sender", ""), 2), (("f1:sender", ""), 1)].into_iter()));
    }
}
