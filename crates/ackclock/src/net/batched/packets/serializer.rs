//! Serialization times of packets, each size computed once.

use std::collections::BTreeMap;

use crate::units::{Rate, Span};

/// The times at one rate of the sizes seen last: on one link there are few.
struct Serializer {
    rate: Rate,
    known: [(u32, Span); 4],
    oldest: usize,
}

/// The time found last with one serializer: mostly the next packet is as long, and this needs no search.
#[derive(Clone, Copy, Default, PartialEq)]
pub(in crate::net::batched) struct LastTime {
    bytes: u32,
    time: Span,
}

impl LastTime {
    /// The time that `bytes` take at the rate of the serializer, which is always the same.
    #[inline(always)]
    pub(in crate::net::batched) fn of(&mut self, serializer: u32, bytes: u32, serializers: &mut Serializers) -> Span {
        if self.bytes != bytes {
            *self = LastTime { bytes, time: serializers.time(serializer, bytes) };
        }
        self.time
    }
}

/// Serializers for the rates of several links.
#[derive(Default)]
pub(in crate::net::batched) struct Serializers {
    all: Vec<Serializer>,
    /// Their numbers: mostly there are few, but each link may have a rate of its own.
    numbers: BTreeMap<Rate, u32>,
}

impl Serializers {
    /// The number of the serializer for this rate.
    pub(in crate::net::batched) fn of(&mut self, rate: Rate) -> u32 {
        *self.numbers.entry(rate).or_insert_with(|| {
            self.all.push(Serializer { rate, known: [(0, Span::ZERO); 4], oldest: 0 });
            self.all.len() as u32 - 1
        })
    }

    /// The time that `bytes` take at the rate of this serializer.
    #[inline(never)]
    fn time(&mut self, number: u32, bytes: u32) -> Span {
        let serializer = &mut self.all[number as usize];
        match serializer.known.iter().find(|(size, _)| *size == bytes) {
            Some((_, time)) => *time,
            None => serializer.compute(bytes),
        }
    }
}

impl Serializer {
    #[cold]
    fn compute(&mut self, bytes: u32) -> Span {
        let time = self.rate.serialization(u64::from(bytes) * 8);
        self.known[self.oldest] = (bytes, time);
        self.oldest = (self.oldest + 1) % self.known.len();
        time
    }
}
