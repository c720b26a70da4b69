//! Intervals in which nothing changes, one row for as many as follow each other: most ports of a constellation are idle.
//!
//! A row stands for several intervals if the value was the same throughout all of them: smallest, mean and largest are
//! that value, to the bit. Its `start_ps` is that of the first, its `end_ps` that of the last, so what a row says is true
//! of the time that it names, however many intervals that is. Rows are made as they are asked for: of a day there are more than fit into memory.

use ackclock::record::{Columns, PerInterval, Series, Stretches};
use ackclock::units::{Span, Time};
use parquet::errors::ParquetError;

use ackclock_columns::wrong;

/// The rows of a series in its table.
pub(super) struct Rows<'a> {
    pub series: &'a Series,
    rows: usize,
    /// Of intervals: whether a row may stand for several.
    pub are_merged: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn of(series: &'a Series) -> Rows<'a> {
        let all = series.columns.len();
        let merged =
            intervals(&series.columns, true).filter(|_| is_told_by_times(&series.columns)).map(Iterator::count);
        Rows { series, rows: merged.unwrap_or(all), are_merged: merged.is_some_and(|rows| rows < all) }
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// The rows of intervals; `None` of a series of something else.
    pub(super) fn intervals(&self) -> Option<IntervalRows<'a>> {
        intervals(&self.series.columns, self.are_merged)
    }
}

/// By the times of a row it must be known how many intervals it stands for.
fn is_told_by_times(columns: &Columns) -> bool {
    let Columns::Intervals { interval, end, mean, .. } = columns else { return false };
    u64::try_from(mean.len()) == Ok(end.as_ps().div_ceil(interval.as_ps()))
}

/// One interval or several equal ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IntervalRow {
    /// The number of the first.
    pub first: u64,
    pub intervals: u64,
    /// Smallest value, mean and largest.
    pub numbers: [f64; 3],
}

impl IntervalRow {
    /// When it begins and when it ends, picoseconds.
    pub(super) fn times(&self, interval: Span, end: Time) -> (u64, u64) {
        let at = |number: u64| interval.as_ps().saturating_mul(number);
        (at(self.first), at(self.first + self.intervals).min(end.as_ps()))
    }
}

/// The rows of intervals, one after the other.
pub(super) struct IntervalRows<'a> {
    columns: [Column<'a>; 3],
    first: u64,
    is_merging: bool,
}

struct Column<'a> {
    rest: Stretches<'a>,
    value: f64,
    left: u64,
}

/// The rows of intervals, each for itself or equal ones as one; `None` of something else.
pub(super) fn intervals(columns: &Columns, is_merging: bool) -> Option<IntervalRows<'_>> {
    let Columns::Intervals { min, mean, max, .. } = columns else { return None };
    let column = |of| Column { rest: PerInterval::stretches(of), value: 0.0, left: 0 };
    Some(IntervalRows { columns: [min, mean, max].map(column), first: 0, is_merging })
}

impl Iterator for IntervalRows<'_> {
    type Item = IntervalRow;

    fn next(&mut self) -> Option<IntervalRow> {
        for column in &mut self.columns {
            if column.left == 0 {
                (column.value, column.left) = column.rest.next()?;
            }
        }
        let numbers = [0, 1, 2].map(|column: usize| self.columns[column].value);
        let is_constant = numbers.iter().all(|number| number.to_bits() == numbers[0].to_bits());
        let equal = self.columns.iter().map(|column| column.left).min().unwrap_or(1);
        let intervals = if is_constant && self.is_merging { equal } else { 1 };
        self.columns.iter_mut().for_each(|column| column.left -= intervals);
        let first = self.first;
        self.first += intervals;
        Some(IntervalRow { first, intervals, numbers })
    }
}

/// Finds out by the times of rows how many intervals each stands for.
pub(super) struct Counting {
    interval: u64,
    end: u64,
    next: u64,
}

impl Counting {
    /// Of a run that ends then; together there must be so many.
    pub(super) fn new(interval: Span, end: Time, intervals: u64) -> Result<Counting, ParquetError> {
        let (interval, end) = (interval.as_ps(), end.as_ps());
        match interval > 0 && end.div_ceil(interval) == intervals {
            true => Ok(Counting { interval, end, next: 0 }),
            false => Err(broken()),
        }
    }

    /// How many the next row stands for.
    pub(super) fn row(&mut self, start: u64, end: u64) -> Result<u64, ParquetError> {
        if start != self.next || end <= start || end > self.end {
            return Err(broken());
        }
        self.next = end;
        Ok(end.div_ceil(self.interval) - start / self.interval)
    }

    /// There is no other row.
    pub(super) fn finish(self) -> Result<(), ParquetError> {
        if self.next == self.end { Ok(()) } else { Err(broken()) }
    }
}

fn broken() -> ParquetError {
    wrong("its intervals do not follow each other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::Metric;

    fn series(end: u64, rows: &[(f64, f64, f64)]) -> Series {
        let columns = Columns::Intervals {
            interval: Span::from_ps(10),
            end: Time::from_ps(end),
            min: rows.iter().map(|row| row.0).collect(),
            mean: rows.iter().map(|row| row.1).collect(),
            max: rows.iter().map(|row| row.2).collect(),
        };
        Series { metric: Metric::Queue, of: "p".into(), vc: None, columns }
    }

    fn spans(end: u64, rows: &[(f64, f64, f64)]) -> (bool, Vec<(u64, u64)>) {
        let series = series(end, rows);
        let rows = Rows::of(&series);
        let found: Vec<(u64, u64)> =
            rows.intervals().unwrap().map(|row| (row.first, row.first + row.intervals)).collect();
        assert_eq!(found.len(), rows.len());
        (rows.are_merged, found)
    }

    #[test]
    fn equal_intervals_in_which_nothing_changed_are_one_row() {
        let (idle, one, busy) = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 0.5, 1.0));
        let rows = [idle, idle, idle, busy, busy, one, one, idle];
        // Busy intervals are alike by chance, and stay.
        assert_eq!(spans(75, &rows), (true, vec![(0, 3), (3, 4), (4, 5), (5, 7), (7, 8)]));
        assert_eq!(spans(30, &[idle, busy, one]), (false, vec![(0, 1), (1, 2), (2, 3)]), "it saves nothing");
        assert_eq!(spans(90, &[idle, idle]), (false, vec![(0, 1), (1, 2)]), "times would not say how many there are");
        // Minus zero is another number.
        assert_eq!(spans(20, &[idle, (-0.0, -0.0, -0.0)]), (false, vec![(0, 1), (1, 2)]));
    }

    #[test]
    fn the_times_of_rows_say_how_many_intervals_they_are() {
        let of = |start: &[u64], end: &[u64]| -> Result<Vec<u64>, ParquetError> {
            let mut counting = Counting::new(Span::from_ps(10), Time::from_ps(75), 8)?;
            let counts = start.iter().zip(end).map(|(start, end)| counting.row(*start, *end)).collect();
            counting.finish().and(counts)
        };
        assert_eq!(of(&[0, 30, 40, 50, 70], &[30, 40, 50, 70, 75]).unwrap(), [3, 1, 1, 2, 1]);
        for (start, end) in [(&[0, 40][..], &[30, 75][..]), (&[0, 30], &[30, 70]), (&[0, 30], &[30, 20]), (&[], &[])] {
            assert!(of(start, end).is_err(), "{start:?} {end:?}");
        }
        assert!(Counting::new(Span::ZERO, Time::from_ps(75), 8).is_err());
    }
}
