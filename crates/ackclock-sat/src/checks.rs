//! When a terminal or a satellite looks whether its links still hold.

use ackclock::rng::Stream;
use ackclock::units::{Span, Time};

/// What keeps the checks of different entities from falling together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Jitter {
    /// Nothing: all check at the same instants.
    #[default]
    None,
    /// The time to the next check is uniform between a half and three halves of the interval, as in the example of
    /// ns-2.
    Half {
        /// With the name of the entity it decides about the instants.
        seed: u64,
    },
}

/// The instants at which one entity checks. The state at the start is not one of them.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    interval: Span,
    stream: Option<Stream>,
    count: u64,
    next: Time,
}

impl Checks {
    pub fn new(interval: Span, jitter: Jitter, entity: &str) -> Checks {
        let stream = match jitter {
            Jitter::None => None,
            Jitter::Half { seed } => Some(Stream::new(seed, entity, "handover-check")),
        };
        let mut checks = Checks { interval, stream, count: 0, next: Time::ZERO };
        checks.advance();
        checks
    }

    pub fn next(&self) -> Time {
        self.next
    }

    pub fn advance(&mut self) {
        let ps = self.interval.as_ps();
        let wait = self.stream.map_or(ps, |stream| ps / 2 + stream.below(ps + 1, self.count));
        self.count += 1;
        // Half of a single picosecond is none.
        self.next += Span::from_ps(wait.max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instants(jitter: Jitter, entity: &str, count: usize) -> Vec<f64> {
        let mut checks = Checks::new(Span::from_secs(10), jitter, entity);
        let mut instants = Vec::new();
        for _ in 0..count {
            instants.push(checks.next().as_secs_f64());
            checks.advance();
        }
        instants
    }

    #[test]
    fn without_jitter_checks_are_equally_spaced() {
        assert_eq!(instants(Jitter::None, "a", 4), [10.0, 20.0, 30.0, 40.0]);
    }

    #[test]
    fn with_jitter_waits_are_five_to_fifteen_seconds_and_depend_on_the_name() {
        let mut all = vec![0.0];
        all.extend(instants(Jitter::Half { seed: 1 }, "a", 10_000));
        let waits: Vec<f64> = all.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(waits.iter().all(|wait| (4.999..15.001).contains(wait)));
        // Uniform: mean 10 s with a standard error of 10/√12/100 = 0.029 s.
        let mean = all[10_000] / 10_000.0;
        assert!((mean - 10.0).abs() < 0.12, "{mean}");
        assert!(waits.iter().filter(|&&wait| wait < 6.0).count() > 800, "a tenth of them");
        assert_eq!(instants(Jitter::Half { seed: 1 }, "a", 3), all[1..4]);
        assert_ne!(instants(Jitter::Half { seed: 1 }, "b", 3), all[1..4]);
        assert_ne!(instants(Jitter::Half { seed: 2 }, "a", 3), all[1..4]);
    }
}
