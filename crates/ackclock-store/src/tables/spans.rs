//! Intervals in which nothing changes, one row for as many as follow each other: most ports of a constellation are idle.
//!
//! A row stands for several intervals if the value was the same throughout all of them: smallest, mean and largest are
//! that value, to the bit. Its `start_ps` is that of the first, its `end_ps` that of the last, so what a row says is true
//! of the time that it names, however many intervals that is.

use std::borrow::Cow;
use std::ops::Range;

use ackclock::record::{Columns, Series};
use ackclock::units::{Span, Time};
use parquet::errors::ParquetError;

use ackclock_columns::wrong;

/// The rows of a series in its table.
pub(super) struct Rows<'a> {
    pub series: &'a Series,
    /// Of intervals, if it saves any: which of them each row stands for.
    pub spans: Option<Vec<Range<usize>>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(series: &'a Series) -> Rows<'a> {
        Rows { series, spans: spans(&series.columns) }
    }

    pub(super) fn len(&self) -> usize {
        self.spans.as_ref().map_or(self.series.columns.len(), Vec::len)
    }

    /// The numbers of some rows, of which `all` has one for each interval or point.
    pub(super) fn numbers(&self, all: &'a [f64], rows: Range<usize>) -> Cow<'a, [f64]> {
        match &self.spans {
            None => Cow::Borrowed(&all[rows]),
            Some(spans) => Cow::Owned(spans[rows].iter().map(|span| all[span.start]).collect()),
        }
    }
}

fn spans(columns: &Columns) -> Option<Vec<Range<usize>>> {
    let Columns::Intervals { interval, end, min, mean, max } = columns else { return None };
    // By the times of a row it must be known how many intervals it stands for.
    if u64::try_from(mean.len()) != Ok(end.as_ps().div_ceil(interval.as_ps())) {
        return None;
    }
    let constant = |row: usize| {
        let value = mean[row].to_bits();
        (min[row].to_bits() == value && max[row].to_bits() == value).then_some(value)
    };
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    for row in 0..mean.len() {
        let value = constant(row);
        match spans.last_mut() {
            Some(span) if value.is_some() && value == before => span.end = row + 1,
            _ => spans.push(row..row + 1),
        }
        before = value;
    }
    (spans.len() < mean.len()).then_some(spans)
}

/// How many intervals each row stands for, by its times; together they must be `intervals`.
pub(super) fn counts(
    start: &[u64],
    end: &[u64],
    interval: Span,
    run_end: Time,
    intervals: u64,
) -> Result<Vec<usize>, ParquetError> {
    let broken = || wrong("its intervals do not follow each other");
    let whole = interval.as_ps();
    if whole == 0 || run_end.as_ps().div_ceil(whole) != intervals {
        return Err(broken());
    }
    let mut next = 0;
    let mut counts = Vec::with_capacity(start.len());
    for (&start, &end) in start.iter().zip(end) {
        if start != next || end <= start {
            return Err(broken());
        }
        counts.push(usize::try_from(end.div_ceil(whole) - start / whole).map_err(|_| broken())?);
        next = end;
    }
    match next == run_end.as_ps() {
        true => Ok(counts),
        false => Err(broken()),
    }
}

/// Each number as often as its row stands for intervals.
pub(super) fn expanded(numbers: impl Iterator<Item = f64>, counts: &[usize]) -> Vec<f64> {
    numbers.zip(counts).flat_map(|(number, &count)| std::iter::repeat_n(number, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(end: u64, rows: &[(f64, f64, f64)]) -> Columns {
        Columns::Intervals {
            interval: Span::from_ps(10),
            end: Time::from_ps(end),
            min: rows.iter().map(|row| row.0).collect(),
            mean: rows.iter().map(|row| row.1).collect(),
            max: rows.iter().map(|row| row.2).collect(),
        }
    }

    #[test]
    fn equal_intervals_in_which_nothing_changed_are_one_row() {
        let (idle, one, busy) = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 0.5, 1.0));
        let rows = [idle, idle, idle, busy, busy, one, one, idle];
        // Busy intervals are alike by chance, and stay.
        assert_eq!(spans(&intervals(75, &rows)), Some(vec![0..3, 3..4, 4..5, 5..7, 7..8]));
        assert_eq!(spans(&intervals(30, &[idle, busy, one])), None, "it saves nothing");
        assert_eq!(spans(&intervals(90, &[idle, idle])), None, "the times would not say how many there are");
        // Minus zero is another number.
        assert_eq!(spans(&intervals(20, &[idle, (-0.0, -0.0, -0.0)])), None);
    }

    #[test]
    fn the_times_of_rows_say_how_many_intervals_they_are() {
        let of = |start: &[u64], end: &[u64]| counts(start, end, Span::from_ps(10), Time::from_ps(75), 8);
        assert_eq!(of(&[0, 30, 40, 50, 70], &[30, 40, 50, 70, 75]).unwrap(), [3, 1, 1, 2, 1]);
        assert_eq!(expanded([1.0, 2.0].into_iter(), &[2, 1]), [1.0, 1.0, 2.0]);
        for (start, end) in [(&[0, 40][..], &[30, 75][..]), (&[0, 30], &[30, 70]), (&[0, 30], &[30, 20]), (&[], &[])] {
            assert!(of(start, end).is_err(), "{start:?} {end:?}");
        }
    }
}
