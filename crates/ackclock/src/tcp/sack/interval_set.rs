//! A set of numbers that come in runs.

use std::collections::VecDeque;

/// A set of integers as the runs that it consists of. What it costs depends on their number, not on their length, and
/// the usual operations, at the upper end, do not even depend on that.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct IntervalSet {
    /// In order, never touching, never empty.
    runs: VecDeque<Run>,
    /// Elements in all.
    count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u64,
    end: u64,
}

impl IntervalSet {
    /// How many elements there are.
    #[inline]
    pub(in crate::tcp) fn count(&self) -> u64 {
        self.count
    }

    /// The number after the highest element; zero if there is none.
    #[inline]
    pub(in crate::tcp) fn end(&self) -> u64 {
        self.runs.back().map_or(0, |run| run.end)
    }

    pub(in crate::tcp) fn clear(&mut self) {
        self.runs.clear();
        self.count = 0;
    }

    /// Whether `n` is in the set.
    pub(in crate::tcp) fn contains(&self, n: u64) -> bool {
        self.first_absent(n) != n
    }

    /// The first number from `n` on that is not in the set.
    pub(in crate::tcp) fn first_absent(&self, n: u64) -> u64 {
        match self.first_ending_after(n) {
            Some(place) if self.runs[place].start <= n => self.runs[place].end,
            _ => n,
        }
    }

    /// The `n`th element from above, counted from 1.
    pub(in crate::tcp) fn nth_from_above(&self, mut n: u64) -> Option<u64> {
        for run in self.runs.iter().rev() {
            let len = run.end - run.start;
            if n <= len {
                return Some(run.end - n);
            }
            n -= len;
        }
        None
    }

    /// Adds `start..end`, which is not empty.
    pub(in crate::tcp) fn insert(&mut self, start: u64, end: u64) {
        let Some(first) = self.first_ending_after(start.saturating_sub(1)) else {
            // Touches nothing and is above all.
            return self.insert_run(self.runs.len(), start, end);
        };
        let run = &mut self.runs[first];
        if run.start <= start && end <= run.end {
            return; // known: what most reports say
        }
        if end < run.start {
            return self.insert_run(first, start, end);
        }
        // One run with the first, and with others that it has grown to touch.
        self.count += run.start.saturating_sub(start);
        run.start = run.start.min(start);
        if end > run.end {
            self.grow(first, end);
        }
    }

    /// Removes `start..end`.
    pub(in crate::tcp) fn remove(&mut self, start: u64, end: u64) {
        let Some(first) = self.first_ending_after(start) else { return };
        let mut place = first;
        while let Some(&Run { start: from, end: to }) = self.runs.get(place).filter(|run| run.start < end) {
            self.count -= to.min(end) - from.max(start);
            match (from < start, to > end) {
                (true, true) => {
                    self.runs[place].end = start;
                    self.runs.insert(place + 1, Run { start: end, end: to });
                    return;
                }
                (true, false) => {
                    self.runs[place].end = start;
                    place += 1;
                }
                (false, true) => {
                    self.runs[place].start = end;
                    return;
                }
                (false, false) => {
                    self.runs.remove(place);
                }
            }
        }
    }

    /// Removes everything below `bound`.
    pub(in crate::tcp) fn remove_below(&mut self, bound: u64) {
        while let Some(run) = self.runs.front_mut().filter(|run| run.start < bound) {
            if run.end > bound {
                self.count -= bound - run.start;
                run.start = bound;
                return;
            }
            self.count -= run.end - run.start;
            self.runs.pop_front();
        }
    }

    fn insert_run(&mut self, place: usize, start: u64, end: u64) {
        self.count += end - start;
        self.runs.insert(place, Run { start, end });
    }

    /// The run at `place` reaches to `end` now.
    fn grow(&mut self, place: usize, mut end: u64) {
        let mut beyond = place + 1;
        let mut known = self.runs[place].end - self.runs[place].start;
        while let Some(run) = self.runs.get(beyond).filter(|run| run.start <= end) {
            known += run.end - run.start;
            end = end.max(run.end);
            beyond += 1;
        }
        if beyond > place + 1 {
            self.runs.drain(place + 1..beyond);
        }
        let run = &mut self.runs[place];
        run.end = end;
        self.count = self.count + (end - run.start) - known;
    }

    /// The place of the first run of which something lies above `n`.
    fn first_ending_after(&self, n: u64) -> Option<usize> {
        let last = self.runs.len().checked_sub(1)?;
        if self.runs[last].end <= n {
            return None;
        }
        // Most questions are about the last run, or about what lies above all others.
        if last == 0 || self.runs[last - 1].end <= n {
            return Some(last);
        }
        Some(self.runs.partition_point(|run| run.end <= n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Any operations, against the plain set.
        #[test]
        fn runs_are_a_set(operations in prop::collection::vec((0_u32..8, 0_u64..100, 1_u64..20), 0..200)) {
            let (mut runs, mut set) = (IntervalSet::default(), BTreeSet::new());
            for (operation, start, len) in operations {
                match operation {
                    0..4 => {
                        runs.insert(start, start + len);
                        set.extend(start..start + len);
                    }
                    4..6 => {
                        runs.remove(start, start + len);
                        set.retain(|n| !(start..start + len).contains(n));
                    }
                    6 => {
                        runs.remove_below(start / 4);
                        set.retain(|&n| n >= start / 4);
                    }
                    _ if start < 5 => {
                        runs.clear();
                        set.clear();
                    }
                    _ => {}
                }
                prop_assert_eq!(runs.count(), set.len() as u64);
                prop_assert_eq!(runs.end(), set.last().map_or(0, |last| last + 1));
                let elements: Vec<u64> = runs.runs.iter().flat_map(|run| run.start..run.end).collect();
                prop_assert_eq!(&elements, &set.iter().copied().collect::<Vec<_>>());
                let apart = runs.runs.iter().zip(runs.runs.iter().skip(1)).all(|(a, b)| a.end < b.start);
                prop_assert!(apart, "{:?}", runs.runs);
                for n in 0..125 {
                    prop_assert_eq!(runs.contains(n), set.contains(&n));
                    prop_assert_eq!(Some(runs.first_absent(n)), (n..).find(|n| !set.contains(n)));
                    if n > 0 {
                        prop_assert_eq!(runs.nth_from_above(n), set.iter().rev().nth(n as usize - 1).copied());
                    }
                }
            }
        }
    }
}
