//! The topologies, a line each. From the list come the words of scenario files, what `explain` says of them, and for each key of
//! [network] the topologies that have it.

use super::Topology;

/// All, in the order in which they are explained.
const ALL: &[&Topology] = &[
    &super::n_source::TOPOLOGY,
    &super::dumbbell::TOPOLOGY,
    &super::cascade::TOPOLOGY,
    &super::parking_lot::TOPOLOGY,
    &super::gfc::GFC_1,
    &super::gfc::GFC_2,
    &super::n_by_n::TOPOLOGY,
    &super::star::TOPOLOGY,
    &super::graph::TOPOLOGY,
];

/// The words of scenario files, and what they mean.
pub(crate) const TOPOLOGIES: [(&str, &Topology); ALL.len()] = {
    let mut all = [("", ALL[0]); ALL.len()];
    let mut next = 0;
    while next < ALL.len() {
        all[next] = (ALL[next].name, ALL[next]);
        next += 1;
    }
    all
};

/// What they are, in one sentence.
pub(crate) const ABOUT: &str = {
    const LENGTH: usize = sentence::<0>().1;
    const BYTES: [u8; LENGTH] = sentence::<LENGTH>().0;
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => panic!("text is text"),
    }
};

/// The first `N` bytes of the sentence, and how many it has.
const fn sentence<const N: usize>() -> ([u8; N], usize) {
    let (mut bytes, mut length, mut next) = ([0; N], 0, 0);
    append("The form of the network. ", &mut bytes, &mut length);
    while next < ALL.len() {
        if next > 0 {
            append("; ", &mut bytes, &mut length);
        }
        append(ALL[next].name, &mut bytes, &mut length);
        append(": ", &mut bytes, &mut length);
        append(ALL[next].about, &mut bytes, &mut length);
        next += 1;
    }
    append(".", &mut bytes, &mut length);
    (bytes, length)
}

const fn append<const N: usize>(text: &str, bytes: &mut [u8; N], length: &mut usize) {
    let (text, mut next) = (text.as_bytes(), 0);
    while next < text.len() {
        if *length < N {
            bytes[*length] = text[next];
        }
        *length += 1;
        next += 1;
    }
}

/// How many have a key of [network].
pub(crate) const fn count_using(key: &str) -> usize {
    let (mut count, mut next) = (0, 0);
    while next < ALL.len() {
        count += uses(ALL[next], key) as usize;
        next += 1;
    }
    count
}

/// The words of those that have a key of [network]: so many, [`count_using`] says.
pub(crate) const fn words_using<const N: usize>(key: &str) -> [&'static str; N] {
    let (mut words, mut count, mut next) = ([""; N], 0, 0);
    while next < ALL.len() {
        if uses(ALL[next], key) {
            words[count] = ALL[next].name;
            count += 1;
        }
        next += 1;
    }
    words
}

const fn uses(topology: &Topology, key: &str) -> bool {
    let mut next = 0;
    while next < topology.uses.len() {
        if is_same(topology.uses[next], key) {
            return true;
        }
        next += 1;
    }
    false
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut next = 0;
    while next < a.len() && next < b.len() && a[next] == b[next] {
        next += 1;
    }
    next == a.len() && next == b.len()
}
