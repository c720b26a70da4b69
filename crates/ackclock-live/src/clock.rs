//! The time of a scenario on the clock of this machine.

use std::time::{Duration, Instant};

use ackclock::units::{Span, Time};

/// When the scenario begins.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero: Instant,
}

impl Clock {
    /// The scenario begins at this instant.
    pub fn beginning(zero: Instant) -> Clock {
        Clock { zero }
    }

    /// The instant at which it begins.
    pub fn zero(&self) -> Instant {
        self.zero
    }

    /// The time of the scenario now; zero before it begins.
    pub fn now(&self) -> Time {
        let nanoseconds = Instant::now().saturating_duration_since(self.zero).as_nanos();
        Time::ZERO + Span::from_ps(1000 * nanoseconds as u64)
    }

    /// How long it is until then; nothing if it is past.
    pub fn until(&self, time: Time) -> Duration {
        let at = self.zero.checked_add(Duration::from_nanos(time.as_ps().div_ceil(1000)));
        at.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()))
    }
}
