//! How often each delay occurred: a histogram whose relative error is the same at every size.
//!
//! Each octave is cut into [`PARTS`] bins of equal width, so a bin is as wide as 1/128 of its lower end, at most. A quantile
//! is the middle of the bin in which it lies: it differs from the exact one by at most half a bin, 1/256 (0.4 %). Number,
//! sum, smallest and largest value are exact, and so are values below [`PARTS`] ps.

use crate::units::{Span, Time};

/// Bins of an octave.
const PARTS: u64 = 1 << PART_BITS;
const PART_BITS: u32 = 7;

/// How often each delay occurred, in picoseconds.
///
/// Only the bins from the smallest to the largest value are there, so that two histograms of the same values are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    /// The number of the first bin in `bins`.
    first: usize,
    bins: Vec<u64>,
}

/// The number of the bin in which a value lies.
fn bin_of(value: u64) -> usize {
    // Below one octave of bins each value has its own; from there on the leading bit says which octave it is.
    let octave = (value | PARTS).ilog2() - PART_BITS;
    let part = (value >> octave) as usize;
    part + octave as usize * PARTS as usize
}

/// The smallest value of a bin, and how many values it has.
fn bounds(bin: usize) -> (u64, u64) {
    let parts = PARTS as usize;
    let octave = (bin / parts).saturating_sub(1);
    let part = (bin - octave * parts) as u64;
    (part << octave, 1 << octave)
}

impl Histogram {
    /// `times` times this value.
    pub fn add(&mut self, value: Span, times: u64) {
        if times == 0 {
            return;
        }
        let ps = value.as_ps();
        self.min = if self.count == 0 { ps } else { self.min.min(ps) };
        self.max = self.max.max(ps);
        self.count += times;
        self.sum += u128::from(ps) * u128::from(times);
        let bin = bin_of(ps);
        if self.bins.is_empty() {
            self.first = bin;
        } else if bin < self.first {
            let more = self.first - bin;
            self.bins.splice(..0, std::iter::repeat_n(0, more));
            self.first = bin;
        }
        let place = bin - self.first;
        if place >= self.bins.len() {
            self.bins.resize(place + 1, 0);
        }
        self.bins[place] += times;
    }

    /// Adds all values of another histogram. The order in which histograms are merged makes no difference.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        let (first, last) = (self.first.min(other.first), self.last().max(other.last()));
        if first < self.first {
            self.bins.splice(..0, std::iter::repeat_n(0, self.first - first));
            self.first = first;
        }
        self.bins.resize(last - first, 0);
        let places = self.bins[other.first - first..].iter_mut();
        places.zip(&other.bins).for_each(|(bin, times)| *bin += times);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// The bin after the last.
    fn last(&self) -> usize {
        self.first + self.bins.len()
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The smallest value; `None` of no values.
    pub fn min(&self) -> Option<Span> {
        (self.count > 0).then(|| Span::from_ps(self.min))
    }

    /// The largest value; `None` of no values.
    pub fn max(&self) -> Option<Span> {
        (self.count > 0).then(|| Span::from_ps(self.max))
    }

    /// The arithmetic mean, in seconds; `None` of no values.
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 * 1e-12)
    }

    /// The standard deviation, as of a sample, in seconds: of the middles of the bins; `None` of fewer than two values.
    pub fn deviation_s(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let middles = (self.first..).zip(&self.bins).map(|(bin, &times)| {
            let (start, width) = bounds(bin);
            ((start + width / 2).clamp(self.min, self.max) as f64, times as f64)
        });
        let mean = middles.clone().map(|(ps, times)| ps * times).sum::<f64>() / self.count as f64;
        let squares: f64 = middles.map(|(ps, times)| (ps - mean) * (ps - mean) * times).sum();
        Some((squares / (self.count - 1) as f64).sqrt() * 1e-12)
    }

    /// The smallest value that is not below `per_mille` thousandths of all values (the nearest rank), to within 1/256 of it;
    /// `None` of no values.
    pub fn quantile(&self, per_mille: u32) -> Option<Span> {
        self.quantiles([per_mille])[0]
    }

    /// Several quantiles, the smallest first, as [`Histogram::quantile`] finds one.
    pub fn quantiles<const N: usize>(&self, per_mille: [u32; N]) -> [Option<Span>; N] {
        debug_assert!(per_mille.is_sorted());
        let (mut below, mut next) = (0, 0);
        per_mille.map(|per_mille| {
            if self.count == 0 {
                return None;
            }
            let rank = (u128::from(self.count) * u128::from(per_mille)).div_ceil(1000).max(1) as u64;
            while let Some(&times) = self.bins.get(next)
                && below + times < rank
            {
                below += times;
                next += 1;
            }
            let (start, width) = bounds(self.first + next);
            Some(Span::from_ps((start + width / 2).clamp(self.min, self.max)))
        })
    }

    /// The values by bins that hold some, in order: of each bin its smallest value, and how many values there are.
    pub fn bins(&self) -> impl Iterator<Item = (Span, u64)> {
        let filled = (self.first..).zip(&self.bins).filter(|(_, times)| **times > 0);
        filled.map(|(bin, times)| (Span::from_ps(bounds(bin).0), *times))
    }
}

/// The delays that end at an instant or after it: at the end of the warm-up.
#[derive(Clone, Debug)]
pub struct Delays {
    since: Time,
    histogram: Histogram,
}

impl Delays {
    /// None so far; those that end before `since` do not count.
    pub fn new(since: Time) -> Delays {
        Delays { since, histogram: Histogram::default() }
    }

    /// A delay ends now.
    #[inline]
    pub fn add(&mut self, now: Time, delay: Span) {
        if now >= self.since {
            self.histogram.add(delay, 1);
        }
    }

    /// Delays of this length end at each of `times` instants, of which the first is `from` and the next are `step` apart.
    pub fn add_run(&mut self, from: Time, step: Span, delay: Span, times: u64) {
        let early = match self.since.as_ps().checked_sub(from.as_ps()) {
            Some(wait) if wait > 0 => wait.div_ceil(step.as_ps()).min(times),
            _ => 0,
        };
        self.histogram.add(delay, times - early);
    }

    /// All that count.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bins_follow_each_other_without_gaps() {
        // Each value below 256 has its own bin; from 256 to 511 they are 2 wide, from 512 on 4.
        assert_eq!((bin_of(0), bin_of(127), bin_of(128), bin_of(255)), (0, 127, 128, 255));
        assert_eq!((bin_of(256), bin_of(257), bin_of(258), bin_of(511)), (256, 256, 257, 383));
        assert_eq!((bin_of(512), bin_of(515), bin_of(516)), (384, 384, 385));
        assert_eq!(bounds(383), (510, 2));
        let mut next = 0;
        for bin in 0..=bin_of(u64::MAX) {
            let (start, width) = bounds(bin);
            assert_eq!((start, bin_of(start), bin_of(start + (width - 1))), (next, bin, bin));
            next = start.wrapping_add(width);
        }
        assert_eq!(next, 0, "the last bin ends with the largest number");
    }

    #[test]
    fn of_one_value_all_quantiles_are_that_value() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.quantile(500), histogram.mean_s(), histogram.max()), (None, None, None));
        histogram.add(Span::from_ps(1_000_001), 3);
        for per_mille in [0, 1, 500, 1000] {
            assert_eq!(histogram.quantile(per_mille), Some(Span::from_ps(1_000_001)));
        }
        assert_eq!((histogram.count(), histogram.mean_s()), (3, Some(1_000_001e-12)));
    }

    #[test]
    fn ranks_are_counted_from_the_smallest() {
        // 1 to 100 ps, exact: the 95th of them is 95; 99.1 % are more than 99 of 100.
        let mut histogram = Histogram::default();
        (1..=100).rev().for_each(|ps| histogram.add(Span::from_ps(ps), 1));
        let quantile = |per_mille| histogram.quantile(per_mille).unwrap().as_ps();
        assert_eq!([0, 10, 500, 950, 990, 991, 1000].map(quantile), [1, 1, 50, 95, 99, 100, 100]);
    }

    #[test]
    fn what_ends_in_the_warm_up_does_not_count() {
        let mut delays = Delays::new(Time::from_ps(100));
        delays.add(Time::from_ps(99), Span::from_ps(1));
        delays.add(Time::from_ps(100), Span::from_ps(2));
        // At 70, 90, 110, 130: two of four.
        delays.add_run(Time::from_ps(70), Span::from_ps(20), Span::from_ps(3), 4);
        // At 80, 100: one of two. At 10, 30: none.
        delays.add_run(Time::from_ps(80), Span::from_ps(20), Span::from_ps(3), 2);
        delays.add_run(Time::from_ps(10), Span::from_ps(20), Span::from_ps(3), 2);
        delays.add_run(Time::from_ps(500), Span::from_ps(20), Span::from_ps(3), 1);
        let histogram = delays.histogram();
        assert_eq!(
            (histogram.count(), histogram.min(), histogram.max()),
            (5, Some(Span::from_ps(2)), Some(Span::from_ps(3)))
        );
    }

    /// 100 and 150 ms, in bins of 0.5 and 1.1 ms: 25 ms from the mean each.
    #[test]
    fn values_have_a_deviation_and_one_value_has_none() {
        let mut histogram = Histogram::default();
        histogram.add(Span::from_ms(100), 1);
        assert_eq!(histogram.deviation_s(), None);
        histogram.add(Span::from_ms(150), 1);
        let near = |histogram: &Histogram, ms: f64| (histogram.deviation_s().unwrap() * 1e3 - ms).abs() < 0.6;
        // Two squares of 25, over 1.
        assert!(near(&histogram, 35.36), "{:?}", histogram.deviation_s());
        histogram.add(Span::from_ms(100), 19);
        histogram.add(Span::from_ms(150), 19);
        // Forty of them, over 39.
        assert!(near(&histogram, 25.32), "{:?}", histogram.deviation_s());
    }

    proptest! {
        /// Against the sorted list of all values.
        #[test]
        fn quantiles_are_within_a_256th_of_the_exact_ones(
            values in prop::collection::vec((0_u32..63, any::<u64>(), 1_u64..4), 1..200),
            per_mille in 0_u32..=1000,
        ) {
            let mut histogram = Histogram::default();
            let mut all = Vec::new();
            for (shift, value, times) in values {
                histogram.add(Span::from_ps(value >> shift), times);
                all.extend((0..times).map(|_| value >> shift));
            }
            let mut backwards = Histogram::default();
            all.iter().rev().for_each(|&ps| backwards.add(Span::from_ps(ps), 1));
            prop_assert_eq!(&backwards, &histogram);
            let mut parts = [Histogram::default(), Histogram::default(), Histogram::default()];
            all.iter().enumerate().for_each(|(i, &ps)| parts[i * i % 3].add(Span::from_ps(ps), 1));
            let mut merged = Histogram::default();
            parts.iter().for_each(|part| merged.merge(part));
            prop_assert_eq!(&merged, &histogram);
            all.sort_unstable();
            let rank = (all.len() * per_mille as usize).div_ceil(1000).max(1);
            let exact = all[rank - 1];
            let several = histogram.quantiles([per_mille / 2, per_mille, 1000]);
            prop_assert_eq!(several, [per_mille / 2, per_mille, 1000].map(|of| histogram.quantile(of)));
            prop_assert_eq!(histogram.bins().map(|(_, times)| times).sum::<u64>(), histogram.count());
            let found = histogram.quantile(per_mille).unwrap().as_ps();
            prop_assert!(found.abs_diff(exact) <= exact / 256, "{} for {}", found, exact);
            prop_assert_eq!(histogram.max().unwrap().as_ps(), all[all.len() - 1]);
        }
    }
}
