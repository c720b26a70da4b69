//! Fewer points, the same picture: what a plot of some pixel columns has to know of a long record.
//! Of the points in a column the first, the lowest, the highest and the last are enough, for a line and for steps.

use ackclock::units::{Span, Time};

/// The positions of the points to keep, in order: about as many as `room` and never more.
/// `end` is the right edge of the plot, whose left edge is the start of the run.
pub fn keep(time: &[Time], value: &[f64], end: Time, room: usize) -> Vec<usize> {
    if time.len() <= room {
        return (0..time.len()).collect();
    }
    // A record that fills a part of the time only can have finer columns, which enlarging shows.
    let coarsest = (room / PER_COLUMN).max(1) as u64;
    let finer = FINER.map(|factor| columns(time, value, end, coarsest * factor));
    finer.into_iter().find(|kept| kept.len() <= room).unwrap_or_else(|| {
        // Not even room for one column: the extremes still come first.
        let mut kept = columns(time, value, end, 1);
        kept.truncate(room);
        kept
    })
}

/// Intervals, several of which have become one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The length of each; the last one ends with the record.
    pub interval: Span,
    /// Smallest value of each.
    pub min: Vec<f64>,
    /// Average over the time of each.
    pub mean: Vec<f64>,
    /// Largest value of each.
    pub max: Vec<f64>,
}

/// At most `room` intervals in place of those given: the smallest minimum, the average over time, the largest maximum
/// of as many neighbours as it takes.
pub fn merge(interval: Span, end: Time, min: &[f64], mean: &[f64], max: &[f64], room: usize) -> Merged {
    let group = mean.len().div_ceil(room.max(1)).max(1);
    let length = |n: usize| {
        let begin = interval.as_ps().saturating_mul(n as u64);
        let next = begin.saturating_add(interval.as_ps());
        next.min(end.as_ps()).saturating_sub(begin) as f64
    };
    let average = |first: usize, means: &[f64]| {
        let weights = || (first..first + means.len()).map(length);
        let total: f64 = weights().sum();
        // Equal values stay what they are; and an interval of no length has a value too.
        if means.iter().all(|mean| *mean == means[0]) || total == 0.0 {
            return means[0];
        }
        means.iter().zip(weights()).map(|(mean, weight)| mean * weight).sum::<f64>() / total
    };
    Merged {
        interval: Span::from_ps(interval.as_ps().saturating_mul(group as u64)),
        min: min.chunks(group).map(|chunk| chunk.iter().copied().fold(f64::INFINITY, f64::min)).collect(),
        mean: mean.chunks(group).enumerate().map(|(n, chunk)| average(n * group, chunk)).collect(),
        max: max.chunks(group).map(|chunk| chunk.iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect(),
    }
}

/// How many events fall into each of `bins` equal parts of the time up to `end`. What happens at the end itself
/// belongs to the last part.
pub fn count(times: impl Iterator<Item = Time>, end: Time, bins: usize) -> Vec<u64> {
    let mut counts = vec![0; bins];
    for time in times {
        counts[column(time, end, bins as u64) as usize] += 1;
    }
    counts
}

/// The largest share of which everybody can have as much as they want of it, if together they get `budget` at most:
/// those that need less leave the rest to the others.
pub fn fair_share(wanted: &[usize], budget: usize) -> usize {
    let mut sorted = wanted.to_vec();
    sorted.sort_unstable();
    let mut left = budget;
    for (n, want) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - n);
        if *want > share {
            return share;
        }
        left -= want;
    }
    sorted.last().copied().unwrap_or(0)
}

/// The points that `columns` equal columns need. A value that is not finite (ssthresh before the first loss) has no
/// place in a plot: the first of a column stays, as a gap.
fn columns(time: &[Time], value: &[f64], end: Time, columns: u64) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut from = 0;
    while from < time.len() {
        let here = column(time[from], end, columns);
        let to = from + time[from..].partition_point(|t| column(*t, end, columns) == here);
        let finite = || (from..to).filter(|&n| value[n].is_finite());
        let lowest = finite().min_by(|&a, &b| value[a].total_cmp(&value[b]));
        let highest = finite().max_by(|&a, &b| value[a].total_cmp(&value[b]));
        let gap = (from..to).find(|&n| !value[n].is_finite());
        let mut some: Vec<usize> = [Some(from), lowest, highest, gap, Some(to - 1)].into_iter().flatten().collect();
        some.sort_unstable();
        some.dedup();
        kept.extend(some);
        from = to;
    }
    kept
}

fn column(time: Time, end: Time, columns: u64) -> u64 {
    if end == Time::ZERO {
        return 0;
    }
    let column = u128::from(time.as_ps()) * u128::from(columns) / u128::from(end.as_ps());
    (column as u64).min(columns - 1)
}

/// First, lowest, highest, last, and a gap.
const PER_COLUMN: usize = 5;
/// How much finer than the plot the columns can be, most first.
const FINER: [u64; 4] = [64, 16, 4, 1];

#[cfg(test)]
mod tests {
    use super::*;

    fn times(count: u64) -> Vec<Time> {
        (0..count).map(|n| Time::from_ps(n * 1000)).collect()
    }

    /// A saw with one spike up and one down, each a single point.
    fn saw(count: usize) -> Vec<f64> {
        let mut value: Vec<f64> = (0..count).map(|n| (n % 1000) as f64).collect();
        value[count / 3] = 1e9;
        value[count / 2] = -5.0;
        value
    }

    #[test]
    fn a_short_record_is_kept_whole() {
        assert_eq!(keep(&times(4), &[1.0; 4], Time::from_ps(4000), 4), [0, 1, 2, 3]);
    }

    #[test]
    fn extremes_and_both_ends_survive_and_the_room_is_enough() {
        let (time, value) = (times(2_000_000), saw(2_000_000));
        let end = Time::from_ps(2_000_000_000);
        for room in [50, 1000, 8000] {
            let kept = keep(&time, &value, end, room);
            assert!(kept.len() <= room, "{} > {room}", kept.len());
            assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!((kept[0], *kept.last().unwrap()), (0, 1_999_999));
            assert!(kept.contains(&666_666) && kept.contains(&1_000_000));
        }
    }

    #[test]
    fn every_column_keeps_its_own_extremes() {
        // Two columns of five points: 0 to 4 us and 5 to 9 us, in room for ten of ten and then of twenty.
        let value = [3.0, 1.0, 2.0, 9.0, 4.0, 5.0, 6.0, 0.0, 8.0, 7.0];
        assert_eq!(columns(&times(10), &value, Time::from_ps(10_000), 2), [0, 1, 3, 4, 5, 7, 8, 9]);
    }

    #[test]
    fn a_burst_gets_finer_columns_than_a_record_that_fills_the_time() {
        let (time, value) = (times(10_000), saw(10_000));
        let short = keep(&time, &value, Time::from_ps(10_000_000), 500).len();
        let burst = keep(&time, &value, Time::from_ps(640_000_000), 500);
        // 100 columns for 64 times the time hold 10 points of the burst at most; 6,400 columns hold 400.
        assert!(short <= 500 && burst.len() > 100, "{short}, {}", burst.len());
    }

    #[test]
    fn steps_hold_before_and_after_every_column() {
        let (time, value) = (times(100_000), saw(100_000));
        let end = Time::from_ps(100_000_000);
        let kept = columns(&time, &value, end, 100);
        // At the last instant of each column the kept steps have the value that all of them have.
        for n in 1..=100 {
            let last = n * 1000 - 1;
            let held = kept[kept.partition_point(|&k| k <= last) - 1];
            assert_eq!(value[held], value[last]);
        }
    }

    #[test]
    fn values_that_are_not_finite_hide_no_extreme() {
        let mut value = saw(100_000);
        value[..500].fill(f64::INFINITY);
        let kept = keep(&times(100_000), &value, Time::from_ps(100_000_000), 100);
        assert!(value[kept[0]].is_infinite());
        assert!(kept.contains(&33_333) && kept.contains(&50_000));
    }

    #[test]
    fn everything_at_once_and_a_run_of_no_length_are_no_problem() {
        let kept = keep(&vec![Time::ZERO; 1000], &saw(1000), Time::ZERO, 20);
        assert!(kept.contains(&333) && kept.contains(&500) && kept.len() <= 20);
        assert_eq!(keep(&[], &[], Time::ZERO, 20), Vec::<usize>::new());
        assert!(keep(&times(10), &saw(10), Time::from_ps(10), 2).len() <= 2);
    }

    #[test]
    fn merged_intervals_weigh_by_time() {
        // Lengths 10, 10, 5 ns: two in the first, the short one alone.
        let (min, mean, max) = ([1.0, 0.0, 5.0], [2.0, 4.0, 6.0], [3.0, 9.0, 7.0]);
        let merged = merge(Span::from_ps(10_000), Time::from_ps(25_000), &min, &mean, &max, 2);
        assert_eq!(merged.interval, Span::from_ps(20_000));
        assert_eq!((merged.min, merged.mean, merged.max), (vec![0.0, 5.0], vec![3.0, 6.0], vec![9.0, 7.0]));
        // All in one: (2 · 10 + 4 · 10 + 6 · 5) / 25
        let one = merge(Span::from_ps(10_000), Time::from_ps(25_000), &min, &mean, &max, 1);
        assert_eq!((one.min[0], one.mean[0], one.max[0]), (0.0, 3.6, 9.0));
    }

    #[test]
    fn few_intervals_stay_as_they_are() {
        let values = [1.0, 2.0];
        let merged = merge(Span::from_ps(10), Time::from_ps(20), &values, &values, &values, 2);
        assert_eq!((merged.interval, merged.mean), (Span::from_ps(10), values.to_vec()));
        assert!(merge(Span::from_ps(10), Time::ZERO, &[], &[], &[], 2).mean.is_empty());
    }

    #[test]
    fn events_are_counted_where_they_happen() {
        let times = [0, 1, 5, 9, 10].map(Time::from_ps);
        assert_eq!(count(times.into_iter(), Time::from_ps(10), 2), [2, 3]);
        assert_eq!(count([].into_iter(), Time::ZERO, 1), [0]);
    }

    #[test]
    fn who_wants_little_leaves_the_rest_to_the_others() {
        assert_eq!(fair_share(&[10, 1000, 1000], 100), 45);
        assert_eq!(fair_share(&[10, 20], 100), 20);
        assert_eq!(fair_share(&[100; 4], 100), 25);
        assert_eq!(fair_share(&[], 100), 0);
    }
}
