//! The delay of a link over time: straight lines between breakpoints.
//!
//! Breakpoints lie so close that the line differs from the true delay by no more than a stated bound: where the delay
//! curves a lot they are a fraction of a second apart, where it stays they are few. Everything is whole picoseconds, so
//! a curve gives the same delays on every machine.

use ackclock::link::{Delays, Shape};
use ackclock::units::{Span, Time};

/// The delay of a link over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayCurve {
    points: Vec<(Time, Span)>,
}

impl DelayCurve {
    /// A curve through breakpoints. None if there are none, or if their times do not go up.
    pub fn new(points: Vec<(Time, Span)>) -> Option<DelayCurve> {
        let rising = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (rising && !points.is_empty()).then_some(DelayCurve { points })
    }

    /// The breakpoints, in order.
    pub fn points(&self) -> &[(Time, Span)] {
        &self.points
    }

    /// When it begins.
    pub fn from(&self) -> Time {
        self.points[0].0
    }

    /// When it ends.
    pub fn to(&self) -> Time {
        self.points[self.points.len() - 1].0
    }

    /// The curve without what is not needed for delays until `end`, which is after its begin. The line that goes on at
    /// `end` is kept whole: cut off it would be another one.
    pub(crate) fn cut(mut self, end: Time) -> DelayCurve {
        let needed = self.points.partition_point(|&(time, _)| time < end) + 1;
        self.points.truncate(needed);
        if let [.., (_, before), (last, delay)] = &mut self.points[..]
            && before == delay
        {
            *last = end.min(*last);
        }
        self
    }

    /// The delay of what leaves at an instant: between two breakpoints on the line, rounded to the nearest picosecond, a
    /// half to the larger; before the first and after the last that of these. The simulator's [`Delays`] are the same.
    pub fn at(&self, time: Time) -> Span {
        let after = self.points.partition_point(|&(point, _)| point <= time);
        if after == 0 || after == self.points.len() {
            return self.points[after.saturating_sub(1)].1;
        }
        let ((t0, d0), (t1, d1)) = (self.points[after - 1], self.points[after]);
        let (part, whole) = (i128::from(time.since(t0).as_ps()), i128::from(t1.since(t0).as_ps()));
        let rise = i128::from(d1.as_ps()) - i128::from(d0.as_ps());
        // ⌊x + 1/2⌋, in whole numbers.
        let change = (2 * rise * part + whole).div_euclid(2 * whole);
        Span::from_ps((i128::from(d0.as_ps()) + change) as u64)
    }
}

/// The curves of one link, in order of time, as the simulator takes them: from the start of the run on. Where there is
/// no curve nothing leaves, so it does not matter that the delay goes on in a line to the next.
///
/// # Panics
/// If they are not in order.
pub(crate) fn delays<'a>(delay_curves: impl Iterator<Item = &'a DelayCurve>) -> Delays {
    let mut points: Vec<(Time, Span)> = Vec::new();
    for delay_curve in delay_curves {
        match points.last() {
            None if delay_curve.from() > Time::ZERO => points.push((Time::ZERO, delay_curve.points[0].1)),
            _ => {}
        }
        points.extend(&delay_curve.points);
    }
    Delays::new(Shape::Linear, points)
}

/// The curve of a delay, given in seconds as a function of time, from one instant to another.
///
/// The step follows from how much the last line missed the middle of its interval: half of the bound is aimed at, and
/// more than the bound is not taken. So slowly as distances in space change their curvature, the middle is where a
/// line misses most.
pub(crate) fn sample<E>(
    from: Time,
    to: Time,
    bound: Span,
    mut delay_s: impl FnMut(Time) -> Result<f64, E>,
) -> Result<DelayCurve, E> {
    let bound_ps = bound.as_ps() as f64;
    let (mut t0, mut d0) = (from, delay_s(from)? * 1e12);
    let mut points = vec![(from, Span::from_ps(d0.round() as u64))];
    let mut step = FIRST_STEP_PS;
    while t0 < to {
        let t1 = Time::from_ps(to.as_ps().min(t0.as_ps().saturating_add(step)));
        let width = t1.since(t0).as_ps();
        let d1 = delay_s(t1)? * 1e12;
        let middle = delay_s(t0 + Span::from_ps(width / 2))? * 1e12;
        let missed = (middle - (d0 + d1) / 2.0).abs();
        // A line misses by the square of its length.
        let factor = (AIM * bound_ps / missed.max(1e-3)).sqrt().clamp(0.25, MAX_GROWTH);
        step = grid((width as f64 * factor) as u64);
        if missed > MOST * bound_ps && width > GRID_PS {
            continue;
        }
        let delay = Span::from_ps(d1.round() as u64);
        // A level stretch needs its ends only.
        if let [.., (_, first), (_, second)] = points[..]
            && first == second
            && second == delay
        {
            points.pop();
        }
        points.push((t1, delay));
        (t0, d0) = (t1, d1);
    }
    Ok(DelayCurve { points })
}

/// Steps are whole milliseconds: breakpoints compress better, and are easier to look at.
fn grid(step_ps: u64) -> u64 {
    (step_ps / GRID_PS * GRID_PS).clamp(GRID_PS, LAST_STEP_PS)
}

const GRID_PS: u64 = 1_000_000_000;
const FIRST_STEP_PS: u64 = 200 * GRID_PS;
const LAST_STEP_PS: u64 = 20_000 * GRID_PS;
/// No line between two breakpoints is longer, unless the delay stays.
pub(crate) const LONGEST_LINE: Span = Span::from_ps(LAST_STEP_PS);
/// Parts of the bound: aimed at, and not exceeded in the middle.
const AIM: f64 = 0.6;
const MOST: f64 = 0.9;
/// Near a point of inflection the middle says little: the step grows slowly.
const MAX_GROWTH: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const NS: Span = Span::from_ps(1000);

    fn seconds(s: f64) -> Time {
        Time::from_ps((s * 1e12).round() as u64)
    }

    fn delay_curve(to: f64, delay: impl Fn(f64) -> f64) -> DelayCurve {
        let delay = |time: Time| Ok::<f64, Infallible>(delay(time.as_secs_f64()));
        sample(Time::ZERO, seconds(to), NS, delay).unwrap()
    }

    #[test]
    fn between_breakpoints_the_delay_is_on_a_line_rounded_to_the_nearest() {
        let at = |ps| Time::from_ps(ps);
        let points = vec![(at(10), Span::from_ps(100)), (at(20), Span::from_ps(103)), (at(30), Span::from_ps(93))];
        let delay_curve = DelayCurve::new(points).unwrap();
        // 100 + 3·4/10 and 103 − 10·5/10, 103 − 10·1/10
        for (time, delay) in [(0, 100), (10, 100), (14, 101), (20, 103), (21, 102), (25, 98), (30, 93), (99, 93)] {
            assert_eq!(delay_curve.at(at(time)).as_ps(), delay, "{time}");
        }
    }

    #[test]
    fn the_simulator_has_the_same_delays() {
        let at = |ps| Time::from_ps(ps);
        let delay_curve = |points: &[(u64, u64)]| {
            DelayCurve::new(points.iter().map(|&(time, delay)| (at(time), Span::from_ps(delay))).collect()).unwrap()
        };
        let (early, late) = (delay_curve(&[(5, 100), (15, 103), (22, 90)]), delay_curve(&[(30, 7), (41, 8)]));
        let delays = delays([&early, &late].into_iter());
        for ps in (0..=22).chain(30..60) {
            let delay_curve = if ps < 30 { &early } else { &late };
            assert_eq!(delays.at(at(ps)), delay_curve.at(at(ps)), "{ps}");
        }
    }

    #[test]
    fn breakpoints_go_up() {
        let point = |ps| (Time::from_ps(ps), Span::from_ps(1));
        assert!(DelayCurve::new(vec![]).is_none());
        assert!(DelayCurve::new(vec![point(1), point(1)]).is_none());
        assert!(DelayCurve::new(vec![point(1), point(2)]).is_some());
    }

    #[test]
    fn a_constant_delay_has_two_breakpoints() {
        let delay_curve = delay_curve(600.0, |_| 0.25);
        let delay = Span::from_ms(250);
        assert_eq!(delay_curve.points(), [(Time::ZERO, delay), (seconds(600.0), delay)]);
    }

    #[test]
    fn a_pass_overhead_is_met_to_a_nanosecond() {
        // Straight flight at 7.5 km/s past a place at 780 km: d = √(780² + (7.5 (t − 300))²) / c. Inflections and all.
        let delay = |t: f64| (780.0 * 780.0 + 56.25 * (t - 300.0) * (t - 300.0)).sqrt() / 299_792.458;
        let delay_curve = delay_curve(600.0, delay);
        assert!(delay_curve.points().len() < 2500, "{}", delay_curve.points().len());
        for i in 0..600_000 {
            let time = seconds(f64::from(i) * 0.001);
            let missed = delay_curve.at(time).as_ps() as f64 - delay(time.as_secs_f64()) * 1e12;
            assert!(missed.abs() <= 1001.0, "{missed} ps at {time}");
        }
    }

    #[test]
    fn a_step_that_would_miss_by_more_than_the_bound_is_not_taken() {
        // Over the first step of 0.2 s a line misses this by 2 ns.
        let delay_curve = delay_curve(10.0, |t| 0.01 + 2e-7 * t * t);
        let missed = |t: f64| delay_curve.at(seconds(t)).as_ps() as f64 - (0.01 + 2e-7 * t * t) * 1e12;
        assert!((0..10_000).all(|ms| missed(f64::from(ms) * 0.001).abs() < 1001.0));
    }

    #[test]
    fn the_ends_are_exact() {
        let delay_curve = delay_curve(0.1234, |t| 0.01 + t * t);
        assert_eq!((delay_curve.from(), delay_curve.to()), (Time::ZERO, seconds(0.1234)));
        assert_eq!(delay_curve.at(seconds(0.1234)).as_ps(), 25_227_560_000);
    }
}
