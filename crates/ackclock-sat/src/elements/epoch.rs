//! Moments of the calendar.

use std::ops::RangeInclusive;

use sgp4::chrono::{Datelike, NaiveDateTime, TimeDelta, Timelike};

use crate::error::SatError;

/// A moment of the calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub(super) NaiveDateTime);

impl Epoch {
    /// `2026-11-21T12:00:00`, with or without fractions of a second and a final Z.
    ///
    /// # Errors
    /// If it is no date with a time, or of a year without satellites.
    pub fn parse(text: &str) -> Result<Epoch, SatError> {
        let bare = text.trim().trim_end_matches('Z');
        let help = "write it as 2026-11-21T12:00:00; it is taken as UTC";
        let Ok(datetime) = bare.parse::<NaiveDateTime>() else {
            return Err(SatError::conflict(format!("`{text}` is no date with a time"), help));
        };
        match YEARS.contains(&datetime.year()) {
            true => Ok(Epoch(datetime)),
            false => Err(SatError::conflict(
                format!("`{text}` is not in the years {} to {}", YEARS.start(), YEARS.end()),
                help,
            )),
        }
    }

    /// Days from this moment to another, negative if that is earlier.
    pub(super) fn days_to(self, other: Epoch) -> f64 {
        let span = other.0 - self.0;
        span.num_seconds() as f64 / SECONDS_PER_DAY + f64::from(span.subsec_nanos()) / (1e9 * SECONDS_PER_DAY)
    }
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
