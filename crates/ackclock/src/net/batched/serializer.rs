//! Serialization times of packets, each size computed once.

use crate::units::{Rate, Span};

/// The times of the sizes seen last: on one link there are few.
#[derive(Clone)]
pub(super) struct Serializer {
    rate: Rate,
    known: [(u32, Span); 4],
    oldest: usize,
}

impl Serializer {
    /// Serialization at `rate`.
    pub(super) fn new(rate: Rate) -> Serializer {
        Serializer { rate, known: [(0, Span::ZERO); 4], oldest: 0 }
    }

    /// The time that `bytes` take.
    #[inline]
    pub(super) fn time(&mut self, bytes: u32) -> Span {
        match self.known.iter().find(|(size, _)| *size == bytes) {
            Some((_, time)) => *time,
            None => self.compute(bytes),
        }
    }

    #[cold]
    fn compute(&mut self, bytes: u32) -> Span {
        let time = self.rate.serialization(u64::from(bytes) * 8);
        self.known[self.oldest] = (bytes, time);
        self.oldest = (self.oldest + 1) % self.known.len();
        time
    }
}
