//! A part of a run.

use crate::units::{Span, Time};

/// From one instant of a run to another; milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    from_ms: u64,
    to_ms: u64,
}

impl Part {
    /// `N to M s`, in seconds with up to three decimals.
    pub fn named(text: &str) -> Option<Part> {
        let (from, to) = text.trim().strip_suffix(" s")?.split_once(" to ")?;
        let milliseconds = |seconds: &str| {
            let ms = seconds.parse::<f64>().ok()? * 1000.0;
            (ms >= 0.0 && (ms - ms.round()).abs() < 1e-6).then_some(ms.round() as u64)
        };
        Some(Part { from_ms: milliseconds(from)?, to_ms: milliseconds(to)? })
    }

    /// From one instant to another, to the millisecond.
    pub(super) fn between(from: Time, to: Time) -> Part {
        let ms = |time: Time| (time.as_secs_f64() * 1000.0).round() as u64;
        Part { from_ms: ms(from), to_ms: ms(to) }
    }

    /// Whether an instant lies in it.
    pub(super) fn contains(self, time: Time) -> bool {
        (self.from_ms..self.to_ms).contains(&(time.as_ps() / Span::from_ms(1).as_ps()))
    }

    /// Those of the values of intervals of this length that follow each other from the start of the run; `None` if there
    /// are none.
    pub(super) fn of(self, values: &[f64], interval: Span) -> Option<&[f64]> {
        let place = |ms: u64| (ms as f64 / 1000.0 / interval.as_secs_f64()).round() as usize;
        values.get(place(self.from_ms)..place(self.to_ms).min(values.len())).filter(|part| !part.is_empty())
    }
}

/// The mean of some values over the intervals of a part of the run.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_intervals_between_its_instants() {
        let values = [1.0, 2.0, 3.0, 4.0];
        let of = |text: &str| Part::named(text).unwrap().of(&values, Span::from_ms(500));
        assert_eq!((of("0 to 1 s"), of("0.5 to 1.5 s")), (Some(&values[..2]), Some(&values[1..3])));
        assert_eq!((of("1 to 9 s"), of("2 to 3 s")), (Some(&values[2..]), None));
        let part = Part::named("0.25 to 1 s").unwrap();
        assert_eq!(
            [249, 250, 999, 1000].map(|ms| part.contains(Time::ZERO + Span::from_ms(ms))),
            [false, true, true, false]
        );
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["1 to 2", "1 s", "1 to s", "-1 to 2 s", "0.0001 to 2 s", "a to 2 s"] {
            assert_eq!(Part::named(text), None, "{text}");
        }
    }
}
