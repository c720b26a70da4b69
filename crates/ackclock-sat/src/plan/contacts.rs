//! From when to when a terminal sees a satellite: the geometry alone, whether or not the satellite is used.
//!
//! Elevations are looked at every 10 s; the instant at which one crosses the mask is found by bisection, to a
//! microsecond. A pass so low that it falls between two looks is found by its highest point.

use ackclock::units::{Span, Time};

use crate::error::SatError;
use crate::plan::snapshot::LineOfSight;

/// How often is looked.
pub(crate) const STEP: Span = Span::from_secs(10);
/// How exactly the instants of rising and setting are found.
const EXACT: Span = Span::from_us(1);
/// A maximum between two looks is at most this much higher than the higher of them, as a sine: a satellite at 200 km
/// moves by 12 degrees within 10 s as seen from its zenith, at worst by twice that.
const HIDDEN: f64 = 0.2;

/// Looks at one satellite, in order of time, and gathers when it is seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    rose: Option<Time>,
    last: Option<(Time, f64)>,
    before: Option<(Time, f64)>,
    pub passes: Vec<(Time, Time)>,
}

impl Watch {
    pub fn look(&mut self, line: &LineOfSight<'_>, time: Time, margin: f64) -> Result<(), SatError> {
        match (self.last, self.rose) {
            (None, _) if margin > 0.0 => self.rose = Some(time),
            (Some((last, _)), None) if margin > 0.0 => self.rose = Some(crossing(line, last, time)?),
            (Some((last, _)), Some(rose)) if margin <= 0.0 => {
                self.passes.push((rose, crossing(line, last, time)?));
                self.rose = None;
            }
            (Some((_, high)), None) => {
                let rising = self.before.is_some_and(|(_, before)| before < high);
                if let Some((before, _)) = self.before.filter(|_| rising && high >= margin && high > -HIDDEN) {
                    self.passes.extend(hidden_pass(line, before, time)?);
                }
            }
            _ => {}
        }
        (self.before, self.last) = (self.last, Some((time, margin)));
        Ok(())
    }

    /// There is nothing more to look at.
    pub fn finish(&mut self, end: Time) {
        if let Some(rose) = self.rose.take().filter(|&rose| rose < end) {
            self.passes.push((rose, end));
        }
    }
}

/// A pass above the mask that lies wholly around the middle of three looks, all of them below.
fn hidden_pass(line: &LineOfSight<'_>, from: Time, to: Time) -> Result<Option<(Time, Time)>, SatError> {
    let (mut low, mut high) = (from, to);
    while high.since(low) > EXACT {
        let third = Span::from_ps(high.since(low).as_ps() / 3);
        let (left, right) = (low + third, Time::from_ps(high.as_ps() - third.as_ps()));
        let (at_left, at_right) = (line.margin(left)?, line.margin(right)?);
        if at_left.max(at_right) > 0.0 {
            let top = if at_left > at_right { left } else { right };
            return Ok(Some((crossing(line, from, top)?, crossing(line, top, to)?)));
        }
        if at_left < at_right { low = left } else { high = right }
    }
    Ok(None)
}

/// The first instant at which it is above if it rises, below if it sets. At `from` it is the other way than at `to`.
fn crossing(line: &LineOfSight<'_>, from: Time, to: Time) -> Result<Time, SatError> {
    let (mut low, mut high) = (from, to);
    let above = line.margin(to)? > 0.0;
    while high.since(low) > EXACT {
        let middle = low + Span::from_ps(high.since(low).as_ps() / 2);
        if (line.margin(middle)? > 0.0) == above { high = middle } else { low = middle }
    }
    Ok(high)
}

/// When a satellite that is seen will set, as far as that is known: asked for again and again during a pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Setting {
    /// Until when it is known to be seen.
    seen_until: Time,
    /// Whether it sets then.
    sets: bool,
}

impl Setting {
    /// When it sets, asked at an instant at which it is seen; none if it stays longer than [`LOOK_AHEAD`], which is as good as
    /// for ever. The end of elements is an end of the pass.
    pub fn after(&mut self, line: &LineOfSight<'_>, now: Time) -> Result<Option<Time>, SatError> {
        if self.sets && self.seen_until <= now {
            *self = Setting::default();
        }
        self.seen_until = self.seen_until.max(now);
        while !self.sets && self.seen_until.since(now) < LOOK_AHEAD {
            let step = if line.range_km(self.seen_until)? > FAR_KM { FAR_STEP } else { STEP };
            let next = self.seen_until + step;
            match line.margin(next) {
                Ok(margin) if margin > 0.0 => self.seen_until = next,
                Ok(_) => (self.seen_until, self.sets) = (crossing(line, self.seen_until, next)?, true),
                Err(SatError::Decayed { .. }) => self.sets = true,
                Err(error) => return Err(error),
            }
        }
        Ok(self.sets.then_some(self.seen_until))
    }
}

/// Satellites whose height does not change rise and set, if ever, once in a day or more often.
const LOOK_AHEAD: Span = Span::from_secs(86_400);
/// From here on elevations change by less than a twentieth of a degree a second.
const FAR_KM: f64 = 10_000.0;
const FAR_STEP: Span = Span::from_secs(60);
