//! The times of a script, and the virtual time of the host.

use ackclock::units::{Span, Time};

use crate::script::{Named, When};

/// How far the script is.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    now: Time,
    /// The time of the last event, as the script says it, if later times count from it; and how long after the one before that was.
    last: Option<i64>,
    delta: i64,
    tolerance: i64,
    /// Per cent of the time since the event before.
    tolerance_percent: f64,
}

/// What packetdrill takes for equal times, microseconds.
const TOLERANCE: i64 = 4_000;

impl Default for Clock {
    fn default() -> Clock {
        Clock { now: Time::ZERO, last: None, delta: 0, tolerance: TOLERANCE, tolerance_percent: 1.0 }
    }
}

impl Clock {
    /// An option of the script about time; whether it is one.
    pub(super) fn take_option(&mut self, option: &Named) -> bool {
        match option.name.as_str() {
            "tolerance_usecs" => self.tolerance = option.value.parse().unwrap_or(TOLERANCE),
            "tolerance_percent" => self.tolerance_percent = option.value.parse().unwrap_or(1.0),
            _ => return false,
        }
        true
    }

    pub(super) fn now(&self) -> Time {
        self.now
    }

    pub(super) fn set(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// When the next event is expected: from and until when, microseconds; `None`: whenever it is.
    pub(super) fn expect(&mut self, time: When) -> (Option<i64>, Option<i64>) {
        let now = (self.now.as_ps() / PS) as i64;
        let last = self.last.filter(|_| is_anchored(time)).unwrap_or(now);
        let (start, end) = match time {
            When::Absolute(at) => (Some(at), Some(at)),
            When::AbsoluteRange(from, until) => (Some(from), Some(until)),
            When::Relative(after) => (Some(last.saturating_add(after)), Some(last.saturating_add(after))),
            When::RelativeRange(from, until) => (Some(now.saturating_add(from)), Some(now.saturating_add(until))),
            When::Any => (None, None),
        };
        self.delta = start.map_or(0, |start| start.saturating_sub(self.last.unwrap_or(now)));
        self.last = start.filter(|_| is_anchored(time));
        (start, end)
    }

    /// The event has happened: a time that was not fixed is this.
    pub(super) fn expect_done(&mut self, start: Option<i64>, at: Time) {
        if start.is_none() {
            self.last = None;
        }
        self.set(at);
    }

    /// This time of the script as an instant, not before now.
    pub(super) fn instant(&self, at: Option<i64>) -> Time {
        at.map_or(self.now, to_instant).max(self.now)
    }

    /// It is this time of the script now.
    pub(super) fn reach(&mut self, at: Option<i64>) -> Time {
        self.now = self.instant(at);
        self.now
    }

    /// The first and the last instant at which a packet of this time may be sent.
    pub(super) fn bounds(&self, start: Option<i64>, end: Option<i64>) -> (Option<Time>, Option<Time>) {
        let tolerance = self.tolerance_us();
        let first = start.map(|start| to_instant(start.saturating_sub(tolerance)));
        (first, end.map(|end| to_instant(end.saturating_add(tolerance))))
    }

    /// How far times and timestamps may be off, microseconds.
    pub(super) fn tolerance_us(&self) -> i64 {
        self.tolerance.max((self.delta as f64 * self.tolerance_percent / 100.0) as i64)
    }

    /// When a call returns that waits.
    pub(super) fn end_of_call(&self, time: When, end: i64) -> i64 {
        match time {
            When::Relative(after) => {
                self.last.unwrap_or((self.now.as_ps() / PS) as i64).saturating_sub(after).saturating_add(end)
            }
            _ => end,
        }
    }
}

fn to_instant(us: i64) -> Time {
    Time::from_ps(us.clamp(0, i64::MAX / PS as i64) as u64 * PS)
}

/// Picoseconds in a microsecond.
const PS: u64 = 1_000_000;

/// A time of a script in seconds.
pub(super) fn seconds(us: i64) -> String {
    let time = Time::ZERO + Span::from_ps(to_instant(us).as_ps());
    format!("{:.6}", time.as_secs_f64())
}

/// Whether the time of an event is one that later times count from.
fn is_anchored(time: When) -> bool {
    matches!(time, When::Absolute(_) | When::AbsoluteRange(..) | When::Relative(_))
}
