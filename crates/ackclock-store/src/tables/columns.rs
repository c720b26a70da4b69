//! The columns of each metric's table: names with units, kinds, meanings, and the value of each row.

use std::ops::Range;

use ackclock::record::{Columns, Metric, PerInterval, Series, Shape, Subject};
use ackclock_columns::{Kind, Values};

use super::spans::{self, IntervalRow};

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, unit included.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// The unit; empty for names.
    pub unit: String,
    /// What it means.
    pub about: &'static str,
    role: Role,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A name.
    Text(&'a str),
    /// Picoseconds.
    Time(u64),
    /// A whole number.
    Count(u32),
    /// A number.
    Number(f64),
}

/// One row of a series: a point, a lost unit, or an interval for itself.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    series: &'a Series,
    number: usize,
    interval: Option<IntervalRow>,
}

/// The rows of a series, in order; of intervals one for each, however alike they are.
pub fn rows(series: &Series) -> impl Iterator<Item = Row<'_>> {
    let of_intervals = spans::intervals(&series.columns, false);
    let points = if of_intervals.is_some() { 0 } else { series.columns.len() };
    let intervals = of_intervals.into_iter().flatten().map(Some);
    intervals.chain((0..points).map(|_| None)).enumerate().map(|(number, interval)| Row { series, number, interval })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Of,
    Vc,
    Time,
    Start,
    End,
    Value,
    Min,
    Mean,
    Max,
    Frame,
    Reason,
}

/// The first column of every table: its name and what it means.
pub const SEED: (&str, &str) = ("seed", "The seed of the run.");

/// The further columns of a metric's table where ports count `unit`: cells or packets.
pub fn columns(metric: Metric, unit: &str) -> Vec<Column> {
    let text =
        |role, name: &str, about| Column { name: name.into(), kind: Kind::Text, unit: String::new(), about, role };
    let time = |role, name: &str, about| Column { name: name.into(), kind: Kind::Time, unit: "ps".into(), about, role };
    let number = |role, part: &str, about| Column {
        name: format!("{}{part}_{}", metric.name().replace('-', "_"), suffix(metric, unit)),
        kind: if is_whole(metric, role) { Kind::Whole } else { Kind::Number },
        unit: if metric.unit() == "units" { unit.into() } else { metric.unit().into() },
        about,
        role,
    };
    let mut columns = match metric.subject() {
        Subject::Flow => vec![text(Role::Of, "flow", "The flow.")],
        Subject::Port => vec![text(Role::Of, "port", PORT)],
        Subject::PortVc => vec![text(Role::Of, "port", PORT), text(Role::Vc, "vc", VC)],
    };
    match metric.shape() {
        Shape::Changes => {
            columns.push(time(
                Role::Time,
                "time_ps",
                "The time from which the value holds, until that of the next row.",
            ));
            columns.push(number(Role::Value, "", metric.about()));
        }
        Shape::Events => {
            columns.push(time(Role::Time, "time_ps", "The time of the event; between rows there is no value."));
            columns.push(number(Role::Value, "", metric.about()));
        }
        Shape::Intervals => {
            columns.push(time(
                Role::Start,
                "start_ps",
                "Beginning of the interval, or of the first of several equal intervals.",
            ));
            columns.push(time(
                Role::End,
                "end_ps",
                "End of the interval, or of the last of several equal intervals; the last one ends with the run.",
            ));
            columns.push(number(Role::Min, "_min", "Smallest value within the interval."));
            columns.push(number(Role::Mean, "_mean", "Average over the time of the interval."));
            columns.push(number(Role::Max, "_max", "Largest value within the interval."));
        }
        Shape::Drops => {
            columns.push(time(Role::Time, "time_ps", "When the unit was refused or lost."));
            columns.push(text(Role::Vc, "vc", VC));
            columns.push(Column {
                name: "frame".into(),
                kind: Kind::Count,
                unit: String::new(),
                about: "The number of the frame in its connection, counted from 0.",
                role: Role::Frame,
            });
            columns.push(text(Role::Reason, "reason", "The reason: overflow, partial-frame or policy at the port; corrupted, no-route, no-receiver or ttl on its link; outage at either."));
        }
    }
    columns
}

impl Column {
    /// Its value in a row of a series. The series is of the metric that the column is of.
    ///
    /// # Panics
    /// If it is not.
    pub fn cell<'a>(&self, row: &Row<'a>) -> Cell<'a> {
        let series = row.series;
        if let (Some(interval), Columns::Intervals { interval: length, end, .. }) = (&row.interval, &series.columns) {
            let (start, end) = interval.times(*length, *end);
            match self.role {
                Role::Start => return Cell::Time(start),
                Role::End => return Cell::Time(end),
                Role::Min | Role::Mean | Role::Max => return Cell::Number(self.of_interval(interval)),
                _ => {}
            }
        }
        match self.kind {
            Kind::Text => Cell::Text(self.name_at(series, row.number)),
            Kind::Time => Cell::Time(self.time_at(series, row.number)),
            Kind::Count => Cell::Count(self.counts(series)[row.number]),
            Kind::Number | Kind::Whole => Cell::Number(self.numbers(series)[row.number]),
            Kind::Optional | Kind::OptionalWhole => unreachable!("tables of runs have every number"),
            Kind::Name => unreachable!("names of tables of runs repeat"),
        }
    }

    pub(super) fn of_interval(&self, interval: &IntervalRow) -> f64 {
        let [min, mean, max] = interval.numbers;
        match self.role {
            Role::Min => min,
            Role::Max => max,
            _ => mean,
        }
    }

    /// Whether it has the beginnings of intervals; else, if it has times of intervals, it has their ends.
    pub(super) fn is_of_starts(&self) -> bool {
        self.role == Role::Start
    }

    /// Whether all its numbers in a series are such.
    pub(super) fn all_numbers(&self, series: &Series, are: fn(f64) -> bool) -> bool {
        let of_intervals = |all: &PerInterval| all.stretches().all(|(number, _)| are(number));
        match (self.role, &series.columns) {
            (Role::Min, Columns::Intervals { min, .. }) => of_intervals(min),
            (Role::Mean, Columns::Intervals { mean, .. }) => of_intervals(mean),
            (Role::Max, Columns::Intervals { max, .. }) => of_intervals(max),
            _ => self.numbers(series).iter().all(|number| are(*number)),
        }
    }

    /// Its names in some rows of a series: each with how often it comes in a row.
    pub(super) fn names<'a>(&self, series: &'a Series, rows: Range<usize>) -> impl Iterator<Item = (&'a str, usize)> {
        let of_each = matches!(series.columns, Columns::Drops { .. }) && self.role != Role::Of;
        let (rows, times) = if of_each { (rows, 1) } else { (rows.start..rows.start + 1, rows.len()) };
        rows.map(move |row| (self.name_at(series, row), times))
    }

    /// Its times in some rows of several series of points or lost units.
    pub(super) fn times<'a>(&self, rows: impl Iterator<Item = (&'a Series, Range<usize>)>) -> Values<'a> {
        let instants = |(series, rows): (&'a Series, Range<usize>)| match &series.columns {
            Columns::Points { time, .. } | Columns::Drops { time, .. } => &time[rows],
            Columns::Intervals { .. } => self.foreign(series),
        };
        Values::Instants(rows.map(instants).collect())
    }

    pub(super) fn numbers<'a>(&self, series: &'a Series) -> &'a [f64] {
        match (self.role, &series.columns) {
            (Role::Value, Columns::Points { value, .. }) => value,
            _ => self.foreign(series),
        }
    }

    /// Its whole numbers in all rows of a series.
    pub(super) fn counts<'a>(&self, series: &'a Series) -> &'a [u32] {
        match &series.columns {
            Columns::Drops { frame, .. } => frame,
            _ => self.foreign(series),
        }
    }

    fn name_at<'a>(&self, series: &'a Series, row: usize) -> &'a str {
        match (self.role, &series.columns) {
            (Role::Of, _) => &series.of,
            (Role::Vc, Columns::Drops { vc, names, .. }) => &names[vc[row] as usize],
            (Role::Vc, _) => series.vc.as_deref().unwrap_or_default(),
            (Role::Reason, Columns::Drops { reason, .. }) => reason[row].name(),
            _ => self.foreign(series),
        }
    }

    fn time_at(&self, series: &Series, row: usize) -> u64 {
        match (self.role, &series.columns) {
            (Role::Time, Columns::Points { time, .. } | Columns::Drops { time, .. }) => time[row].as_ps(),
            _ => self.foreign(series),
        }
    }

    fn foreign(&self, series: &Series) -> ! {
        panic!("{} has no {:?}: its columns are not those of its shape", series.metric.name(), self.role)
    }
}

/// Whether values are whole: octets of a sequence, units that wait at an instant or arrive in an interval, a bit.
fn is_whole(metric: Metric, role: Role) -> bool {
    match metric {
        Metric::Sent | Metric::Retransmissions | Metric::Acknowledged => true,
        Metric::Marks | Metric::QueueChanges | Metric::VcQueueChanges | Metric::Efci | Metric::Ci => true,
        Metric::Queue | Metric::VcQueue => matches!(role, Role::Min | Role::Max),
        _ => false,
    }
}

/// How a unit is spelled in the name of a column.
fn suffix(metric: Metric, unit: &str) -> &str {
    match metric.unit() {
        "units" => unit,
        "bit/s" => "bps",
        other => other,
    }
}

const PORT: &str = "The output port, from->to.";
const VC: &str = "The connection: the flow's name, with /ack for the reverse direction.";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(metric: Metric) -> Vec<String> {
        columns(metric, "cells").into_iter().map(|column| column.name).collect()
    }

    #[test]
    fn units_are_in_the_names() {
        assert_eq!(names(Metric::Cwnd), ["flow", "time_ps", "cwnd_bytes"]);
        assert_eq!(names(Metric::Rtt), ["flow", "time_ps", "rtt_s"]);
        let queue =
            ["port", "vc", "start_ps", "end_ps", "vc_queue_min_cells", "vc_queue_mean_cells", "vc_queue_max_cells"];
        assert_eq!(names(Metric::VcQueue), queue);
        assert_eq!(names(Metric::Throughput)[3..], ["throughput_min_bps", "throughput_mean_bps", "throughput_max_bps"]);
        assert_eq!(names(Metric::Drops), ["port", "time_ps", "vc", "frame", "reason"]);
        assert_eq!(columns(Metric::Queue, "packets")[4].name, "queue_mean_packets");
    }

    #[test]
    fn every_number_has_a_unit_and_every_column_a_meaning() {
        for column in Metric::ALL.into_iter().flat_map(|metric| columns(metric, "cells")) {
            assert!(!column.about.is_empty());
            assert!(
                !matches!(column.kind, Kind::Number | Kind::Whole | Kind::Time) || !column.unit.is_empty(),
                "{}",
                column.name
            );
        }
    }
}
