//! Time, rates and their one rounding.
//!
//! Time is whole picoseconds. The serialization time of a unit (a cell on a link, a packet of a given size
//! on a link) is rounded once, to the nearest picosecond; after that every instant is an exact sum.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Bits of one ATM cell on the wire (53 octets).
pub const CELL_BITS: u64 = 424;
/// Octets of one ATM cell on the wire.
pub const CELL_BYTES: u64 = 53;
/// Octets of a cell's payload.
pub const CELL_PAYLOAD_BYTES: u64 = 48;

const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// An instant of simulated time: picoseconds since the start of the run. The range is 213 days.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// A length of simulated time in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

/// A bit rate in whole bits per second. Never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than every event: "never".
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }

    /// Picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for output only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// So long after this instant; never, if that is beyond the range of time.
    #[inline]
    pub const fn saturating_add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// So long before this instant; the start, if that is before it.
    pub const fn saturating_sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }

    /// The time since an earlier instant.
    ///
    /// # Panics
    /// If `earlier` is later than `self`: time went back.
    #[inline(always)]
    pub fn since(self, earlier: Time) -> Span {
        if earlier.0 > self.0 {
            went_back(earlier, self);
        }
        Span(self.0 - earlier.0)
    }
}

/// Apart from where spans are computed: there the instants would have to be in memory for the message.
#[cold]
#[inline(never)]
fn went_back(from: Time, to: Time) -> ! {
    panic!("time went back from {from} to {to}")
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// A span of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Span {
        Span(ps)
    }

    /// A span of `us` microseconds.
    pub const fn from_us(us: u64) -> Span {
        Span(us * 1_000_000)
    }

    /// A span of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Span {
        Span(ms * 1_000_000_000)
    }

    /// A span of `s` seconds.
    pub const fn from_secs(s: u64) -> Span {
        Span(s * PS_PER_SECOND)
    }

    /// Picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds, for output, and for control laws that count in them.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        // A signed number is converted in one instruction.
        let ps = i64::try_from(self.0).map_or_else(|_| self.0 as f64, |ps| ps as f64);
        ps / PS_PER_SECOND as f64
    }
}

impl Rate {
    /// A rate in bits per second, or `None` for zero.
    pub const fn from_bps(bps: u64) -> Option<Rate> {
        if bps == 0 { None } else { Some(Rate(bps)) }
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// The time to serialize `bits` bits, rounded once to the nearest picosecond.
    ///
    /// A cell at 155.52 Mb/s takes 2 726 337 ps (exactly 2 726 337.448…, 0.16 ppm more).
    pub fn serialization(self, bits: u64) -> Span {
        let ps = u128::from(bits) * u128::from(PS_PER_SECOND);
        let rate = u128::from(self.0);
        Span(u64::try_from((ps + rate / 2) / rate).expect("serialization time beyond the range of Span"))
    }

    /// The serialization time of one cell.
    pub fn cell_time(self) -> Span {
        self.serialization(CELL_BITS)
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, n: u64) -> Span {
        Span(self.0 * n)
    }
}

/// How many whole spans fit.
impl Div for Span {
    type Output = u64;
    fn div(self, other: Span) -> u64 {
        self.0 / other.0
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:012} s", self.0 / PS_PER_SECOND, self.0 % PS_PER_SECOND)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Time(self.0), f)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bit/s", self.0)
    }
}

/// Instants of tests.
#[cfg(test)]
pub(crate) mod instants {
    use super::{Span, Time};

    pub fn ps(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    pub fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    pub fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbps(x: f64) -> Rate {
        Rate::from_bps((x * 1e6) as u64).unwrap()
    }

    #[test]
    fn cell_times_are_rounded_once_to_the_nearest_picosecond() {
        // 424 bit / 155.52 Mb/s = 2 726 337.448… ps
        assert_eq!(mbps(155.52).cell_time(), Span::from_ps(2_726_337));
        // 424 bit / 149.76 Mb/s = 2 831 196.58… ps: rounds up
        assert_eq!(mbps(149.76).cell_time(), Span::from_ps(2_831_197));
        // 424 bit / 150 Mb/s = 2 826 666.6… ps
        assert_eq!(mbps(150.0).cell_time(), Span::from_ps(2_826_667));
    }

    #[test]
    fn a_rate_is_never_zero() {
        assert_eq!(Rate::from_bps(0), None);
    }

    #[test]
    #[should_panic(expected = "time went back")]
    fn time_going_back_is_a_bug() {
        let _ = Time::from_ps(1).since(Time::from_ps(2));
    }
}
