//! How often each delay of a run occurred, short enough to be kept of every run: a histogram with 32 bins for each octave. The sum of the
//! sketches of several runs is that of all their delays together, in whatever order they are added (a mergeable summary: P. K. Agarwal
//! et al., "Mergeable summaries", ACM Transactions on Database Systems 38 (2013)). A percentile is the middle of its bin, so it
//! differs from the exact one by 1/64 of itself (1.6 %) at most.

use std::collections::BTreeMap;

/// How many values lie in each bin that has some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sketch(BTreeMap<u32, u64>);

/// The sketch of values in picoseconds, the smallest first, and how often there is each. Bins of a histogram are parts of those of a
/// sketch. The text has of each bin the distance from the one before and how many values it has, as numbers to the base 32 with the least
/// digit first; each digit that another follows is a letter or sign of the second half of the alphabet.
pub(crate) fn text(values: impl IntoIterator<Item = (u64, u64)>) -> String {
    written(values.into_iter().map(|(value, times)| (bin_of(value), times)))
}

/// The text of bins, the first first; those that are equal are one.
fn written(bins: impl Iterator<Item = (u32, u64)>) -> String {
    let mut text = String::new();
    let mut before = 0;
    let mut write = |(bin, times): (u32, u64)| {
        write_number(u64::from(bin - before), &mut text);
        write_number(times, &mut text);
        before = bin;
    };
    let mut open: Option<(u32, u64)> = None;
    for (bin, times) in bins {
        match &mut open {
            Some((last, sum)) if *last == bin => *sum += times,
            _ => open.replace((bin, times)).into_iter().for_each(&mut write),
        }
    }
    open.into_iter().for_each(write);
    text
}

impl Sketch {
    /// Adds the values of a text that [`text`] gave; `None` if it is none.
    pub(crate) fn add_text(&mut self, text: &str) -> Option<()> {
        let (mut digits, mut bin) = (text.bytes(), 0_u64);
        while let Some(gap) = number(&mut digits)? {
            bin = bin.checked_add(gap).filter(|bin| *bin <= u64::from(bin_of(u64::MAX)))?;
            let times = number(&mut digits)??;
            let sum = self.0.entry(bin as u32).or_default();
            *sum = sum.checked_add(times)?;
        }
        Some(())
    }

    /// The smallest values that are not below so many thousandths of all (the nearest rank), to within 1/64 of themselves, in
    /// seconds; `None` of no values.
    pub(crate) fn quantiles_s<const N: usize>(&self, per_mille: [u32; N]) -> Option<[f64; N]> {
        let count = self.0.values().try_fold(0_u64, |sum, times| sum.checked_add(*times)).filter(|count| *count > 0)?;
        Some(per_mille.map(|per_mille| {
            let rank = (u128::from(count) * u128::from(per_mille)).div_ceil(1000).max(1) as u64;
            let mut below = 0;
            let of_rank = self.0.iter().find(|(_, times)| {
                below += **times;
                below >= rank
            });
            of_rank.map_or(0.0, |(bin, _)| middle(*bin) / 1e12)
        }))
    }
}

/// The number of the bin in which a value lies: below an octave of bins each value has its own.
fn bin_of(value: u64) -> u32 {
    let octave = (value | PARTS).ilog2() - PART_BITS;
    (value >> octave) as u32 + octave * PARTS as u32
}

fn middle(bin: u32) -> f64 {
    let octave = (bin / PARTS as u32).saturating_sub(1);
    let part = f64::from(bin - octave * PARTS as u32);
    let width = f64::from(octave).exp2();
    // Where a bin is as wide as a picosecond, it has one value.
    part * width + if octave == 0 { 0.0 } else { width / 2.0 }
}

fn write_number(mut number: u64, text: &mut String) {
    loop {
        let (digit, rest) = ((number % 32) as usize, number / 32);
        text.push(char::from(ALPHABET[if rest > 0 { digit + 32 } else { digit }]));
        number = rest;
        if rest == 0 {
            return;
        }
    }
}

/// The next number; nothing at the end; `None` if it is none.
fn number(digits: &mut impl Iterator<Item = u8>) -> Option<Option<u64>> {
    let Some(first) = digits.next() else { return Some(None) };
    let (mut digit, mut number, mut shift) = (place(first)?, 0_u64, 0);
    loop {
        number = number.checked_add((digit % 32).checked_shl(shift)?)?;
        if digit < 32 {
            return Some(Some(number));
        }
        shift += 5;
        digit = place(digits.next()?)?;
    }
}

fn place(letter: u8) -> Option<u64> {
    let place = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(u64::from(place))
}

const PART_BITS: u32 = 5;
/// Bins of an octave.
const PARTS: u64 = 1 << PART_BITS;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[cfg(test)]
mod tests {
    use ackclock::record::Histogram;
    use ackclock::units::Span;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sketch_by_hand() {
        let mut sketch = Sketch::default();
        assert_eq!((text([]).as_str(), sketch.quantiles_s([500])), ("", None));
        // 31 has a bin of its own; 64 and 65 share one, 33 = 1 + 1 * 32 further; their number, 40, is 8 + 1 * 32.
        let written = text([(31, 1), (64, 39), (65, 1)]);
        assert_eq!(written, "fBhBoB");
        sketch.add_text(&written).unwrap();
        assert_eq!(sketch.quantiles_s([0, 500]), Some([31e-12, 65e-12]));
    }

    #[test]
    fn what_is_no_sketch_is_refused() {
        for wrong in ["f", "A", "ABA", "\u{e9}B", "AB=", "ffffffffffffffffB", "__________________BA"] {
            assert_eq!(Sketch::default().add_text(wrong), None, "{wrong}");
        }
    }

    proptest! {
        /// Of several runs together, against the sorted list of all their values.
        #[test]
        fn percentiles_over_runs_are_within_a_64th_of_the_exact_ones(
            runs in prop::collection::vec(prop::collection::vec((0_u32..63, any::<u64>()), 1..60), 1..6),
            per_mille in 0_u32..=1000,
        ) {
            let runs: Vec<Vec<u64>> = runs.iter().map(|run| run.iter().map(|(shift, value)| value >> shift).collect()).collect();
            let of_run = |run: &Vec<u64>| {
                let mut histogram = Histogram::default();
                run.iter().for_each(|ps| histogram.add(Span::from_ps(*ps), 1));
                text(histogram.bins().map(|(value, times)| (value.as_ps(), times)))
            };
            let texts: Vec<String> = runs.iter().map(of_run).collect();
            let (mut merged, mut backwards) = (Sketch::default(), Sketch::default());
            texts.iter().for_each(|text| merged.add_text(text).unwrap());
            texts.iter().rev().for_each(|text| backwards.add_text(text).unwrap());
            prop_assert_eq!(&merged, &backwards);
            let mut all: Vec<u64> = runs.concat();
            all.sort_unstable();
            let exact = all[(all.len() * per_mille as usize).div_ceil(1000).max(1) - 1] as f64;
            let [found] = merged.quantiles_s([per_mille]).unwrap();
            prop_assert!((found * 1e12 - exact).abs() <= exact / 64.0 + 1e-6 * exact, "{} for {}", found, exact);
            let mut again = Sketch::default();
            again.add_text(&written(merged.0.iter().map(|(bin, times)| (*bin, *times)))).unwrap();
            prop_assert_eq!(again, merged);
        }
    }
}
