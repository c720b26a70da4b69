//! The numbers of the rows of a plan.

use ackclock::measure::{Expression, Measure, Range};

use crate::metrics::METRICS;

/// What is known of a number of a row.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its unit; empty for counts. `units` are cells or packets, as ports of the network count them.
    pub unit: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// What it can be.
    range: Range,
}

impl About {
    /// As it is shown to people: a unit, what values are multiplied with for that, and how many decimals they have.
    pub fn shown(&self) -> (&'static str, f64, usize) {
        match self.unit {
            "bit/s" => ("Mb/s", 1e-6, 3),
            "s" => ("ms", 1e3, 3),
            _ => ("", 1.0, 4),
        }
    }

    /// The least and the most that it can be with so many flows.
    pub fn limits(&self, flows: usize) -> (f64, f64) {
        self.range.limits(flows)
    }
}

impl super::Plan {
    /// What is known of a number by its place in a row.
    pub fn about(&self, place: usize) -> About {
        match METRICS.get(place) {
            Some(Measure { unit, about, range, .. }) => About { unit, about, range: *range },
            None => match Expression::parse(&self.metrics[place]) {
                Ok(measure) => About { unit: measure.unit(), about: measure.about(), range: measure.range() },
                Err(_) => unreachable!("a plan whose measures cannot be read is refused"),
            },
        }
    }

    /// The measures that were asked for, with their places in a row.
    pub fn asked(&self) -> impl Iterator<Item = (usize, &str)> {
        self.metrics.iter().enumerate().skip(METRICS.len()).map(|(place, text)| (place, text.as_str()))
    }

    /// The place of a number in a row, by its name.
    pub fn place_of(&self, name: &str) -> Option<usize> {
        self.metrics.iter().position(|metric| metric == name)
    }
}
