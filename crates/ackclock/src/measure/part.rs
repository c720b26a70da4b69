//! A part of a run.

use crate::units::{Span, Time};

/// From one instant of a run to another; milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    from_ms: u64,
    to_ms: u64,
}

impl Part {
    /// `N to M s`, in seconds with up to three decimals, N less than M, which is an instant that a run can have.
    pub fn named(text: &str) -> Option<Part> {
        let (from, to) = text.trim().strip_suffix(" s")?.split_once(" to ")?;
        let milliseconds = |seconds: &str| {
            let ms = seconds.parse::<f64>().ok()? * 1000.0;
            ((0.0..=LAST_MS).contains(&ms) && (ms - ms.round()).abs() < 1e-6).then_some(ms.round() as u64)
        };
        let (from_ms, to_ms) = (milliseconds(from)?, milliseconds(to)?);
        (from_ms < to_ms).then_some(Part { from_ms, to_ms })
    }

    /// From one instant to another, to the millisecond.
    pub(super) fn between(from: Time, to: Time) -> Part {
        let ms = |time: Time| (time.as_secs_f64() * 1000.0).round() as u64;
        Part { from_ms: ms(from), to_ms: ms(to) }
    }

    /// Whether it ends after the run does.
    pub(super) fn is_beyond(self, duration: Span) -> bool {
        Span::from_ms(self.to_ms) > duration
    }

    /// Whether it consists of intervals of this length, the last one that a run of this duration has included.
    pub(super) fn is_of(self, interval: Span, duration: Span) -> bool {
        let is_edge = |ms: u64| Span::from_ms(ms).as_ps().is_multiple_of(interval.as_ps().max(1));
        is_edge(self.from_ms) && (is_edge(self.to_ms) || Span::from_ms(self.to_ms) == duration)
    }

    /// Whether an instant lies in it.
    pub(super) fn contains(self, time: Time) -> bool {
        (self.from_ms..self.to_ms).contains(&(time.as_ps() / Span::from_ms(1).as_ps()))
    }
}

/// The last millisecond that 64 bits of picoseconds have room for, rounded down.
const LAST_MS: f64 = 1e10;

/// Values of intervals that follow each other from the start of the run; the last one ends with the run. What was not recorded is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Intervals {
    pub interval: Span,
    /// The length of the run.
    pub duration: Span,
    pub values: Vec<f64>,
}

impl Intervals {
    /// The values of the intervals that begin in a part of the run; `None` if there are none.
    pub fn within(&self, part: Part) -> Option<&[f64]> {
        let place = |ms: u64| Span::from_ms(ms).as_ps().div_ceil(self.interval.as_ps().max(1)) as usize;
        let places = place(part.from_ms)..place(part.to_ms).min(self.values.len());
        self.values.get(places).filter(|values| !values.is_empty())
    }

    /// Their mean, in which each counts for as long as its interval is.
    pub fn mean(&self, part: Part) -> Option<f64> {
        let values = self.within(part)?;
        let last = self.duration.as_ps() % self.interval.as_ps().max(1);
        let has_last = std::ptr::eq(values.as_ptr_range().end, self.values.as_ptr_range().end);
        match values {
            [rest @ .., short] if has_last && last > 0 => {
                let weight = last as f64 / self.interval.as_ps() as f64;
                Some((rest.iter().sum::<f64>() + short * weight) / (rest.len() as f64 + weight))
            }
            values => Some(mean(values)),
        }
    }
}

/// The mean of some values over the intervals of a part of the run.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part {
        Part::named(text).unwrap()
    }

    #[test]
    fn a_part_has_the_intervals_that_begin_between_its_instants() {
        let all = |duration: u64| Intervals {
            interval: Span::from_ms(500),
            duration: Span::from_ms(duration),
            values: vec![1.0, 2.0, 3.0, 4.0],
        };
        let of = |text: &str| all(2000).within(part(text)).map(<[f64]>::to_vec);
        assert_eq!((of("0 to 1 s"), of("0.5 to 1.5 s")), (Some(vec![1.0, 2.0]), Some(vec![2.0, 3.0])));
        assert_eq!((of("1 to 9 s"), of("2 to 3 s")), (Some(vec![3.0, 4.0]), None));
        assert_eq!(
            [249, 250, 999, 1000].map(|ms| part("0.25 to 1 s").contains(Time::ZERO + Span::from_ms(ms))),
            [false, true, true, false]
        );
        // A last interval of 100 ms counts for a fifth of the others.
        assert_eq!(
            (all(2000).mean(part("1 to 2 s")), all(1600).mean(part("1 to 1.6 s"))),
            (Some(3.5), Some((3.0 + 4.0 / 5.0) / 1.2))
        );
        assert_eq!(all(1600).mean(part("0 to 1 s")), Some(1.5));
    }

    #[test]
    fn parts_of_other_intervals_and_beyond_the_end_are_known() {
        let (interval, duration) = (Span::from_ms(100), Span::from_ms(1650));
        let is_of = |text: &str| part(text).is_of(interval, duration);
        assert!(is_of("0.1 to 1.6 s") && is_of("1 to 1.65 s") && !is_of("0.15 to 1 s") && !is_of("1 to 1.61 s"));
        assert!(part("1 to 1.651 s").is_beyond(duration) && !part("1 to 1.65 s").is_beyond(duration));
    }

    #[test]
    fn what_is_no_part_is_refused() {
        assert!(Part::named("0 to 10000000 s").is_some_and(|part| part.is_beyond(Span::from_ms(1))));
        for text in [
            "1 to 2",
            "1 s",
            "1 to s",
            "-1 to 2 s",
            "0.0001 to 2 s",
            "a to 2 s",
            "5 to 2 s",
            "2 to 2 s",
            "2 to 1e300 s",
            // Of picoseconds that would be more than 64 bits.
            "2 to 20000000 s",
            "0 to inf s",
        ] {
            assert_eq!(Part::named(text), None, "{text}");
        }
    }
}
