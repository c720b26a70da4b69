//! Moments of the calendar.

use std::ops::RangeInclusive;

use sgp4::chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use crate::error::SatError;

/// A moment of the calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub(super) NaiveDateTime);

impl Epoch {
    /// A moment in the years of satellites.
    pub(super) fn new(datetime: NaiveDateTime) -> Option<Epoch> {
        YEARS.contains(&datetime.year()).then_some(Epoch(datetime))
    }

    /// `2026-11-21T12:00:00`, or with the day of the year `2026-325T12:00:00`, with or without fractions of a second and a
    /// final Z.
    ///
    /// # Errors
    /// If it is no date with a time, or of a year without satellites.
    pub fn parse(text: &str) -> Result<Epoch, SatError> {
        let bare = text.trim();
        let bare = bare.strip_suffix('Z').unwrap_or(bare);
        let help = "write it as 2026-11-21T12:00:00; it is taken as UTC";
        let Some(datetime) = bare.parse::<NaiveDateTime>().ok().or_else(|| with_day_of_year(bare)) else {
            return Err(SatError::conflict(format!("`{text}` is no date with a time"), help));
        };
        Epoch::new(datetime).ok_or_else(|| {
            SatError::conflict(format!("`{text}` is not in the years {} to {}", YEARS.start(), YEARS.end()), help)
        })
    }

    /// Days from this moment to another, negative if that is earlier.
    pub(super) fn days_to(self, other: Epoch) -> f64 {
        let span = other.0 - self.0;
        span.num_seconds() as f64 / SECONDS_PER_DAY + f64::from(span.subsec_nanos()) / (1e9 * SECONDS_PER_DAY)
    }
}

/// Form B of \[CCSDS-301\]: the year, and the day of it as three digits.
fn with_day_of_year(text: &str) -> Option<NaiveDateTime> {
    let (date, time) = text.split_once('T')?;
    let (year, day) = date.split_once('-')?;
    let is_written_so =
        year.len() == 4 && day.len() == 3 && (year.bytes().chain(day.bytes())).all(|c| c.is_ascii_digit());
    let date = NaiveDate::from_yo_opt(year.parse().ok()?, day.parse().ok()?).filter(|_| is_written_so)?;
    Some(date.and_time(time.parse::<NaiveTime>().ok()?))
}

impl std::fmt::Display for Epoch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Two-line elements give a fraction of a day, which is seldom a whole number of microseconds.
        let rounded = self.0 + TimeDelta::nanoseconds(500);
        let whole = rounded.with_nanosecond(rounded.nanosecond() / 1000 * 1000).unwrap_or(rounded);
        // Debug is the form of ISO 8601; Display has no T.
        write!(f, "{whole:?}")
    }
}

/// The first satellite flew in 1957. The upper end keeps the arithmetic of the calendar, which ends in the year 262142,
/// away from its limits; two-line elements end in 2056.
const YEARS: RangeInclusive<i32> = 1957..=2199;
/// Seconds of a day.
pub(super) const SECONDS_PER_DAY: f64 = 86_400.0;
