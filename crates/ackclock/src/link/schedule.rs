//! A link that changes while the run goes on: its delay, its rate, and whether it is there at all.
//! Source: docs/models/paths.md; a delay holds for the packets whose transmission begins under it, as in ns-2 and as
//! \[VEGAS-A\] §3.1 has it. Whole picoseconds throughout.

use std::sync::Arc;

use super::assert_ascending;
use super::opportunities::Opportunities;
use super::routing::FarEnds;
use crate::ids::NodeId;
use crate::keys::words;
use crate::units::{Rate, Span, Time};

/// How one direction of a link changes.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSchedule {
    /// Its delay.
    pub delays: Delays,
    /// Its rate.
    pub rates: Rates,
    /// When how much of what waits goes, if that is not a matter of the rate; the rate is the mean then.
    pub opportunities: Option<Arc<Opportunities>>,
    /// When it is down.
    pub outages: Outages,
    /// To which nodes it leads; `None`: always to the same one.
    pub far_ends: Option<FarEnds>,
    /// What becomes of the order of packets when the delay shrinks.
    pub reordering: Reordering,
    /// What becomes of the packets on the link when its delay steps, or when its far end changes.
    pub under_way: UnderWay,
}

/// A delay over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Delays {
    shape: Shape,
    /// The delay from each instant on, or at it.
    points: Vec<(Time, Span)>,
    /// The least delay of each point and all after it.
    least: Vec<Span>,
}

/// A delay on its way from one point to the next, or that of a step, as numbers that are small enough for words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    from: Time,
    to: Time,
    /// The lower end.
    low: Span,
    /// What the other is higher, and the time between them, ps.
    change: u64,
    whole: u64,
    rises: bool,
}

impl Line {
    /// Up to where it goes.
    #[inline(always)]
    pub(super) fn end(&self) -> Time {
        self.to
    }

    /// The longest delay on it.
    #[inline(always)]
    pub(super) fn highest(&self) -> Span {
        self.low + Span::from_ps(self.change)
    }

    /// The delay at `time`, if that is before the second point; it is not before the first one.
    #[inline(always)]
    pub(super) fn at_or_after(&self, time: Time) -> Option<Span> {
        if time >= self.to {
            return None;
        }
        let passed = if self.rises { time.since(self.from) } else { self.to.since(time) }.as_ps();
        Some(self.low + Span::from_ps((self.change * passed + self.whole / 2) / self.whole))
    }
}

/// How a delay goes from one point to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It stays until the next point, and is another from there on.
    Steps,
    /// In a straight line, rounded to the nearest picosecond; after the last point it stays. Of two points at one instant the
    /// line before ends at the first, and the line after it begins at the second: a step.
    Linear,
}
words!(Shape: "steps" = Steps, "linear" = Linear);

/// A rate over time, in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// The rate from each instant on; the first is at time 0, and each is later than the one before.
    points: Vec<(Time, Rate)>,
}

/// When a link is down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outages {
    /// From an instant on, until another, at which it is up again; in order, and apart.
    intervals: Vec<(Time, Time)>,
    /// What becomes of the packet that is being transmitted.
    pub in_service: InService,
    /// What becomes of the packets that wait.
    pub queued: Queued,
}

/// What becomes of the packet in transmission when its link goes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InService {
    /// It is transmitted to its end.
    #[default]
    Finish,
    /// It is lost.
    Lose,
}
words!(InService: "finish" = Finish, "lose" = Lose);

/// What becomes of the packets that wait for a link when it goes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Queued {
    /// They wait until it is up.
    #[default]
    Keep,
    /// They are lost.
    Flush,
}
words!(Queued: "keep" = Keep, "flush" = Flush);

/// What becomes of the order of packets when the delay shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reordering {
    /// A later packet may arrive before an earlier one.
    Natural,
    /// No packet arrives before one that was sent before it.
    Prevent,
}
words!(Reordering: "natural" = Natural, "prevent" = Prevent);

/// What becomes of the packets on a link when its delay steps: another way is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderWay {
    /// They arrive as if nothing had happened.
    Keep,
    /// They are lost.
    Drop,
}
words!(UnderWay: "keep" = Keep, "drop" = Drop);

/// A while in which all but the delay stays as it is, the link is up and leads to somebody, and nothing is lost on it but by
/// errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct StableInterval {
    from: Time,
    until: Time,
    pub(super) rate: Rate,
    /// Where the link leads, unless always to the same node.
    pub(super) far_end: Option<NodeId>,
}

impl StableInterval {
    /// Whether it is stable at `time`.
    #[inline]
    pub(super) fn covers(&self, time: Time) -> bool {
        self.from <= time && time < self.until
    }

    pub(super) fn until(&self) -> Time {
        self.until
    }
}

/// A delay that falls by no more than this part of the time lets no packet overtake another: the shortest that there is takes more
/// than this part of the time of the longest one, 20 of 65535 octets. That of a satellite falls by a 40,000th at most.
const SLOWLY: u64 = 10_000;

impl LinkSchedule {
    /// The stable interval that covers `time` and goes on as long as can be, if the link is up then and leads to somebody.
    pub(super) fn stable_at(&self, time: Time) -> Option<StableInterval> {
        let far_end = self.far_ends.as_ref().map(|ends| ends.at(time));
        if self.opportunities.is_some() || self.outages.up_from(time) != time || far_end == Some(None) {
            return None;
        }
        let down = self.outages.next_after(time).map(|(down, _)| down);
        let handover = self.far_ends.as_ref().and_then(|ends| ends.next_after(time));
        let step = match self.under_way {
            UnderWay::Keep => None,
            UnderWay::Drop => self.delays.step_between(time, Time::NEVER),
        };
        let changes = [self.rates.next_after(time), down, handover, step];
        let until = changes.into_iter().flatten().min().unwrap_or(Time::NEVER);
        Some(StableInterval { from: time, until, rate: self.rates.at(time), far_end: far_end.flatten() })
    }

    /// A link that does not change.
    pub fn constant(rate: Rate, delay: Span) -> LinkSchedule {
        LinkSchedule {
            delays: Delays::constant(delay),
            rates: Rates::constant(rate),
            opportunities: None,
            outages: Outages::default(),
            far_ends: None,
            reordering: Reordering::Natural,
            under_way: UnderWay::Keep,
        }
    }

    /// This schedule on a smaller scale of time: each instant is that of this schedule, divided by this power of two. Where instants
    /// become one, the last change counts; an outage that becomes nothing is none. Far ends stay as they are.
    pub fn scaled(&self, power: u32) -> LinkSchedule {
        let delays =
            Delays::new(self.delays.shape, scaled(&self.delays.points, power, self.delays.shape == Shape::Linear));
        let rates = Rates::new(scaled(&self.rates.points, power, false));
        let mut intervals: Vec<(Time, Time)> = Vec::new();
        for [down, up] in self.outages.intervals.iter().map(|&(down, up)| [down, up].map(|time| sooner(time, power))) {
            match intervals.last_mut() {
                Some(last) if last.1 >= down => last.1 = up,
                _ if down < up => intervals.push((down, up)),
                _ => {}
            }
        }
        let outages = Outages::new(intervals, self.outages.in_service, self.outages.queued);
        let opportunities = self.opportunities.as_ref().map(|all| Arc::new(all.scaled(power)));
        LinkSchedule { delays, rates, opportunities, outages, ..self.clone() }
    }

    /// The first instant after `sent` and before `arrives` at which what is under way is lost, if there is one.
    pub(super) fn dropped_between(&self, sent: Time, arrives: Time) -> Option<Time> {
        if self.under_way == UnderWay::Keep {
            return None;
        }
        let step = self.delays.step_between(sent, arrives);
        let handover = self.far_ends.as_ref().and_then(|ends| ends.next_after(sent)).filter(|&at| at < arrives);
        step.into_iter().chain(handover).min()
    }
}

impl Delays {
    /// A delay that does not change.
    pub fn constant(delay: Span) -> Delays {
        Delays::new(Shape::Steps, vec![(Time::ZERO, delay)])
    }

    /// A delay through these points, of which the first is at time 0 and each is later than the one before; in a line two of
    /// them, and no more, may be at one instant.
    ///
    /// # Panics
    /// If they are not.
    pub fn new(shape: Shape, points: Vec<(Time, Span)>) -> Delays {
        match shape {
            Shape::Steps => assert_ascending(points.iter().map(|&(time, _)| time)),
            Shape::Linear => {
                let in_order = points.windows(2).all(|pair| pair[0].0 <= pair[1].0);
                let is_step = points.windows(3).all(|three| three[0].0 < three[2].0);
                assert!(in_order && is_step, "points must be in order of time");
                assert_eq!(points[0].0, Time::ZERO, "the first point is at time 0");
            }
        }
        let mut least: Vec<Span> = points.iter().map(|&(_, delay)| delay).collect();
        for place in (1..least.len()).rev() {
            least[place - 1] = least[place - 1].min(least[place]);
        }
        Delays { shape, points, least }
    }

    /// The delay of a packet whose transmission begins at `time`.
    pub fn at(&self, time: Time) -> Span {
        self.of(self.next(time) - 1, time)
    }

    /// The delay at `time`, which lies between the point at `place` and the next.
    #[inline]
    fn of(&self, place: usize, time: Time) -> Span {
        let (from, delay) = self.points[place];
        match (self.shape, self.points.get(place + 1)) {
            (Shape::Linear, Some(&(to, end))) => between(delay, end, time.since(from), to.since(from)),
            _ => delay,
        }
    }

    /// The delay at a time not earlier than the last one that was looked up with this `place`, which is 0 at first.
    #[inline]
    pub(super) fn at_or_after(&self, place: &mut usize, time: Time) -> Span {
        while self.points.get(*place + 1).is_some_and(|&(from, _)| from <= time) {
            *place += 1;
        }
        self.of(*place, time)
    }

    /// The line that begins at the point at `place`, if its numbers are small; a step is a line without a slope.
    pub(super) fn line(&self, place: usize) -> Option<Line> {
        let (from, begin) = self.points[place];
        let (to, end) = match (self.shape, self.points.get(place + 1)) {
            (Shape::Linear, Some(&next)) => next,
            (Shape::Steps, Some(&(to, _))) => (to, begin),
            (_, None) => (Time::NEVER, begin),
        };
        let (low, change) = (begin.min(end), begin.max(end) - begin.min(end));
        let (change, whole) = (change.as_ps(), if change > Span::ZERO { to.since(from).as_ps() } else { 1 });
        change.checked_mul(whole)?.checked_add(whole / 2)?;
        Some(Line { from, to, low, change, whole, rises: begin <= end })
    }

    /// The least delay of packets whose transmission begins at `time` or later, or one that is nearly reached at a step.
    pub fn least_from(&self, time: Time) -> Span {
        self.least.get(self.next(time)).map_or(self.at(time), |&later| later.min(self.at(time)))
    }

    /// The least delay of packets whose transmission begins from `from` on and before `until`, and whether none of them arrives before one
    /// that begins before it.
    pub(super) fn least_between(&self, from: Time, until: Time) -> (Span, bool) {
        let (first, last) = (self.next(from) - 1, self.next(until));
        let steps = self.shape == Shape::Steps;
        let falls_fast = |pair: &[(Time, Span)]| {
            let ((from, begin), (to, end)) = (pair[0], pair[1]);
            begin > end && (steps || (begin - end).as_ps().saturating_mul(SLOWLY) >= to.since(from).as_ps())
        };
        // A line goes on to the next point.
        let end = if steps { last } else { self.points.len().min(last + 1) };
        let in_order = !self.points[first..end].windows(2).any(falls_fast);
        let ends = self.at(from).min(self.at(until));
        let between = self.points[first + 1..last.max(first + 1)].iter().map(|&(_, delay)| delay);
        (between.fold(ends, Span::min), in_order)
    }

    /// The longest delay there ever is.
    pub fn longest(&self) -> Span {
        self.points.iter().map(|&(_, delay)| delay).max().expect("there is a first point")
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        self.points.iter().all(|&(_, delay)| delay == self.points[0].1)
    }

    /// The first step after `sent` and before `arrives`.
    fn step_between(&self, sent: Time, arrives: Time) -> Option<Time> {
        let next = self.next(sent);
        let later = self.points[next..].iter().take_while(|&&(at, _)| at < arrives);
        let is_step = |place: usize| match self.shape {
            Shape::Steps => true,
            Shape::Linear => self.points.get(place + 1).is_some_and(|next| next.0 == self.points[place].0),
        };
        later.zip(next..).find(|&(_, place)| is_step(place)).map(|(&(at, _), _)| at)
    }

    /// The number of points up to `time`.
    fn next(&self, time: Time) -> usize {
        self.points.partition_point(|&(from, _)| from <= time)
    }
}

impl Rates {
    /// A rate that does not change.
    pub fn constant(rate: Rate) -> Rates {
        Rates { points: vec![(Time::ZERO, rate)] }
    }

    /// These rates, each from its instant on; the first is at time 0, and each is later than the one before.
    ///
    /// # Panics
    /// If they are not.
    pub fn new(points: Vec<(Time, Rate)>) -> Rates {
        assert_ascending(points.iter().map(|&(time, _)| time));
        Rates { points }
    }

    /// From when on it is which.
    pub fn points(&self) -> &[(Time, Rate)] {
        &self.points
    }

    /// The rate at which a packet is transmitted whose transmission begins at `time`.
    pub fn at(&self, time: Time) -> Rate {
        self.points[self.points.partition_point(|&(from, _)| from <= time) - 1].1
    }

    /// When the rate changes after `time`.
    fn next_after(&self, time: Time) -> Option<Time> {
        self.points.get(self.points.partition_point(|&(from, _)| from <= time)).map(|&(from, _)| from)
    }

    /// The largest rate there ever is.
    pub fn largest(&self) -> Rate {
        self.points.iter().map(|&(_, rate)| rate).max().expect("there is a first point")
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        self.points.iter().all(|&(_, rate)| rate == self.points[0].1)
    }
}

impl Outages {
    /// A link that is down in each of these intervals, from the first instant on until the second; they are in order, and
    /// apart.
    ///
    /// # Panics
    /// If they are not.
    pub fn new(intervals: Vec<(Time, Time)>, in_service: InService, queued: Queued) -> Outages {
        assert!(
            intervals.iter().all(|(down, up)| down < up) && intervals.windows(2).all(|pair| pair[0].1 < pair[1].0),
            "outages must be in order: {intervals:?}"
        );
        Outages { intervals, in_service, queued }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// The first instant from `time` on at which the link is up; `Time::NEVER` if there is none.
    pub fn up_from(&self, time: Time) -> Time {
        let next = self.intervals.partition_point(|&(down, _)| down <= time);
        let current = next.checked_sub(1).map(|index| self.intervals[index]);
        current.filter(|&(_, up)| up > time).map_or(time, |(_, up)| up)
    }

    /// The first outage that begins after `time`.
    pub(super) fn next_after(&self, time: Time) -> Option<(Time, Time)> {
        self.intervals.get(self.intervals.partition_point(|&(down, _)| down <= time)).copied()
    }
}

/// A time on a scale that is smaller by this power of two; what never is stays so.
fn sooner(time: Time, power: u32) -> Time {
    if time == Time::NEVER { time } else { Time::from_ps(time.as_ps().checked_shr(power).unwrap_or(0)) }
}

/// The points on such a scale; of several at one instant the last, and if `steps` are two points, the first before it.
fn scaled<T: Copy>(points: &[(Time, T)], power: u32, steps: bool) -> Vec<(Time, T)> {
    let all: Vec<(Time, T)> = points.iter().map(|&(time, value)| (sooner(time, power), value)).collect();
    let is_other =
        |place: Option<usize>, time| place.and_then(|place| all.get(place)).is_none_or(|other| other.0 != time);
    let stays = |&(place, &(time, _)): &(usize, &(Time, T))| {
        is_other(Some(place + 1), time) || steps && is_other(place.checked_sub(1), time)
    };
    all.iter().enumerate().filter(stays).map(|(_, &point)| point).collect()
}

/// Linear interpolation between two delays, after `passed` of `whole`.
#[inline]
fn between(start: Span, end: Span, passed: Span, whole: Span) -> Span {
    let (low, high) = (start.min(end), start.max(end));
    let (up, whole) = (if start <= end { passed } else { whole - passed }, whole.as_ps());
    // Mostly it fits into 64 bits, of which a division is many times faster.
    let scaled = (high - low).as_ps().checked_mul(up.as_ps()).and_then(|scaled| scaled.checked_add(whole / 2));
    let part = match scaled {
        Some(scaled) => scaled / whole,
        None => {
            let scaled = u128::from((high - low).as_ps()) * u128::from(up.as_ps());
            let part = (scaled + u128::from(whole) / 2) / u128::from(whole);
            u64::try_from(part).expect("a part is no more than the whole")
        }
    };
    low + Span::from_ps(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::link::NoReceiver;
    use crate::units::instants::ps as at;

    fn ps(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    #[test]
    fn the_least_delay_of_a_while_and_whether_what_is_later_may_overtake() {
        let (ms, at) = (Span::from_ms, |ms: u64| Time::ZERO + Span::from_ms(ms));
        let points =
            vec![(at(0), ms(30)), (at(1000), ms(20)), (at(2000), ms(40)), (at(2000), ms(35)), (at(9000), ms(35))];
        let line = Delays::new(Shape::Linear, points);
        // From 30 to 20 ms in a second is a hundredth of the time: too fast. At 2 s it steps down.
        assert_eq!(line.least_between(at(500), at(1500)), (ms(20), false));
        assert_eq!(line.least_between(at(1000), at(1999)), (ms(20), true));
        assert_eq!(line.least_between(at(1100), at(1500)), (ms(22), true), "a tenth of the way from 20 to 40 ms");
        assert_eq!(line.least_between(at(1100), at(2000)), (ms(22), false));
        assert_eq!(line.least_between(at(2000), at(3000)), (ms(35), true));
        assert_eq!(line.least_between(at(9500), Time::NEVER), (ms(35), true));
        // A satellite that comes at 7.5 km/s: 25 µs in a second.
        let nearer = Delays::new(Shape::Linear, vec![(at(0), ms(30)), (at(1000), ms(30) - Span::from_us(25))]);
        assert_eq!(nearer.least_between(at(0), at(1000)), (ms(30) - Span::from_us(25), true));
        let steps = Delays::new(Shape::Steps, vec![(at(0), ms(30)), (at(1000), ms(40)), (at(2000), ms(39))]);
        assert_eq!(steps.least_between(at(0), at(1500)), (ms(30), true));
        assert_eq!(steps.least_between(at(1000), at(2500)), (ms(39), false));
    }

    #[test]
    fn a_step_holds_from_its_instant_on() {
        let delays = Delays::new(Shape::Steps, vec![(at(0), ps(10)), (at(100), ps(50)), (at(200), ps(20))]);
        assert_eq!([0, 99, 100, 199, 200, 1_000_000].map(|time| delays.at(at(time)).as_ps()), [10, 10, 50, 50, 20, 20]);
    }

    #[test]
    fn a_line_is_rounded_to_the_nearest_picosecond() {
        let delays = Delays::new(Shape::Linear, vec![(at(0), ps(10)), (at(300), ps(11)), (at(303), ps(8))]);
        // 10 + t/300: one half at 150; then one less each picosecond.
        let all = [0, 149, 150, 300, 301, 302, 303, 999].map(|time| delays.at(at(time)).as_ps());
        assert_eq!(all, [10, 10, 11, 11, 10, 9, 8, 8]);
        // Days and seconds, without overflow.
        let (day, far) = (86_400_000_000_000_000, 100_000_000_000_000);
        let slow = Delays::new(Shape::Linear, vec![(at(0), ps(far)), (at(200 * day), ps(0))]);
        assert_eq!(slow.at(at(100 * day)), ps(far / 2));
    }

    #[test]
    fn the_least_delay_is_that_of_the_future() {
        let delays = Delays::new(Shape::Steps, vec![(at(0), ps(10)), (at(100), ps(50)), (at(200), ps(20))]);
        assert_eq!([0, 99, 100, 200].map(|time| delays.least_from(at(time)).as_ps()), [10, 10, 20, 20]);
        let falling = Delays::new(Shape::Linear, vec![(at(0), ps(50)), (at(100), ps(10))]);
        assert_eq!(falling.least_from(at(50)), ps(10));
        let rising = Delays::new(Shape::Linear, vec![(at(0), ps(10)), (at(100), ps(50))]);
        assert_eq!(rising.least_from(at(50)), ps(30));
    }

    #[test]
    fn a_line_may_have_steps() {
        let points = vec![(at(0), ps(10)), (at(100), ps(20)), (at(100), ps(50)), (at(200), ps(30))];
        let delays = Delays::new(Shape::Linear, points);
        assert_eq!([0, 50, 90, 100, 150, 300].map(|time| delays.at(at(time)).as_ps()), [10, 15, 19, 50, 40, 30]);
        let place = &mut 0;
        let one_by_one = [0, 50, 90, 100, 100, 150, 300].map(|time| delays.at_or_after(place, at(time)).as_ps());
        assert_eq!(one_by_one, [10, 15, 19, 50, 50, 40, 30]);
        assert_eq!([0, 60, 100, 150].map(|time| delays.least_from(at(time)).as_ps()), [10, 16, 30, 30]);
        let between = |sent, arrives| delays.step_between(at(sent), at(arrives)).map(Time::as_ps);
        assert_eq!(between(95, 105), Some(100));
        assert_eq!([between(0, 100), between(100, 300)], [None, None], "not at it, and no other");
    }

    #[test]
    fn a_schedule_on_a_smaller_scale_keeps_the_last_of_what_becomes_one_instant() {
        let rate = |bps| Rate::from_bps(bps).unwrap();
        let mut schedule = LinkSchedule::constant(rate(8), ps(10));
        schedule.delays =
            Delays::new(Shape::Steps, vec![(at(0), ps(10)), (at(3), ps(20)), (at(8), ps(30)), (at(9), ps(40))]);
        schedule.rates = Rates::new(vec![(at(0), rate(8)), (at(16), rate(16))]);
        let outages = vec![(at(5), at(7)), (at(8), at(9)), (at(10), at(17)), (at(18), at(40)), (at(50), Time::NEVER)];
        schedule.outages = Outages::new(outages, InService::Lose, Queued::Flush);
        let quarter = schedule.scaled(2);
        assert_eq!(quarter.delays.points, [(at(0), ps(20)), (at(2), ps(40))]);
        assert_eq!(quarter.rates.points, [(at(0), rate(8)), (at(4), rate(16))]);
        // From 1 to 1 and from 2 to 2 are none; two that touch are one.
        assert_eq!(quarter.outages.intervals, [(at(2), at(10)), (at(12), Time::NEVER)]);
        assert_eq!((quarter.outages.in_service, quarter.outages.queued), (InService::Lose, Queued::Flush));
        assert_eq!(schedule.scaled(0), schedule);
        assert_eq!(schedule.scaled(64).rates.points, [(at(0), rate(16))]);

        let points = vec![(at(0), ps(10)), (at(100), ps(20)), (at(101), ps(70)), (at(101), ps(50)), (at(200), ps(30))];
        schedule.delays = Delays::new(Shape::Linear, points);
        let half = schedule.scaled(1).delays;
        assert_eq!(half.points, [(at(0), ps(10)), (at(50), ps(20)), (at(50), ps(50)), (at(100), ps(30))]);
    }

    #[test]
    fn what_is_under_way_when_the_far_end_changes_is_lost_if_so_chosen() {
        let node = |number| Some(NodeId::from_index(number));
        let points = vec![(at(0), node(1)), (at(100), node(2))];
        let mut schedule = LinkSchedule::constant(Rate::from_bps(8).unwrap(), ps(10));
        schedule.far_ends = Some(FarEnds::new(points, NoReceiver::Lose));
        assert_eq!(schedule.dropped_between(at(95), at(105)), None);
        schedule.under_way = UnderWay::Drop;
        assert_eq!(schedule.dropped_between(at(95), at(105)), Some(at(100)));
        assert_eq!(
            [(90, 100), (100, 150)].map(|(sent, arrives)| schedule.dropped_between(at(sent), at(arrives))),
            [None; 2]
        );
    }

    #[test]
    fn rates_change_in_steps() {
        let rate = |bps| Rate::from_bps(bps).unwrap();
        let rates = Rates::new(vec![(at(0), rate(8)), (at(100), rate(2)), (at(200), rate(9))]);
        assert_eq!([0, 99, 100, 200].map(|time| rates.at(at(time)).as_bps()), [8, 8, 2, 9]);
        assert_eq!(rates.largest(), rate(9));
        assert!(!rates.is_constant() && Rates::constant(rate(8)).is_constant());
    }

    #[test]
    fn a_link_is_up_again_at_the_end_of_an_outage() {
        let outages =
            Outages::new(vec![(at(10), at(20)), (at(30), Time::NEVER)], InService::default(), Queued::default());
        assert_eq!([9, 10, 19, 20, 29].map(|time| outages.up_from(at(time)).as_ps()), [9, 20, 20, 20, 29]);
        assert_eq!(outages.up_from(at(31)), Time::NEVER);
        assert_eq!(outages.next_after(at(9)), Some((at(10), at(20))));
        assert_eq!(outages.next_after(at(10)), Some((at(30), Time::NEVER)));
    }

    #[test]
    fn what_is_under_way_when_the_delay_steps_is_lost_if_so_chosen() {
        let delays = Delays::new(Shape::Steps, vec![(at(0), ps(10)), (at(100), ps(50))]);
        let mut schedule = LinkSchedule { delays, ..LinkSchedule::constant(Rate::from_bps(8).unwrap(), ps(10)) };
        assert_eq!(schedule.dropped_between(at(95), at(105)), None, "nothing is lost by default");
        schedule.under_way = UnderWay::Drop;
        assert_eq!(schedule.dropped_between(at(95), at(105)), Some(at(100)));
        // Arrived at the very instant, or sent at it.
        assert_eq!(schedule.dropped_between(at(90), at(100)), None);
        assert_eq!(schedule.dropped_between(at(100), at(150)), None);
    }

    #[test]
    #[should_panic(expected = "in order of time")]
    fn three_points_at_one_instant_are_a_bug() {
        Delays::new(Shape::Linear, vec![(at(0), ps(1)), (at(5), ps(2)), (at(5), ps(3)), (at(5), ps(4))]);
    }

    #[test]
    #[should_panic(expected = "in order of time")]
    fn points_out_of_order_are_a_bug() {
        Delays::new(Shape::Steps, vec![(at(0), ps(1)), (at(5), ps(2)), (at(5), ps(3))]);
    }
}
