//! The order in which the inputs of a cell port are served within a slot.

use crate::net::batched::cells::train::Train;
use crate::rng::{Stream, mix};
use crate::scenario::ServiceOrder;

/// The order of service of one port.
pub(in crate::net::batched) struct Service {
    pub(in crate::net::batched) order: ServiceOrder,
    pub(in crate::net::batched) stream: Stream,
    /// Hashes of the inputs' names.
    pub(in crate::net::batched) inputs: Vec<u64>,
}

/// Up to so many inputs are put in order without a branch that depends on the order.
pub(in crate::net::batched) const FEW: usize = 8;

impl Service {
    /// The order in one slot.
    #[inline]
    pub(in crate::net::batched) fn in_slot(&self, slot: u64) -> Turns<'_> {
        match self.order {
            ServiceOrder::Random => Turns::Random { draw: self.stream.at(slot), inputs: &self.inputs },
            ServiceOrder::Rotating => {
                let count = self.inputs.len() as u64;
                Turns::Rotating { first: slot % count, count }
            }
            ServiceOrder::Fixed => Turns::Rotating { first: 0, count: self.inputs.len() as u64 },
            ServiceOrder::Arrival => Turns::Arrival,
        }
    }

    /// Whether cells are served as they arrive.
    #[inline]
    pub(in crate::net::batched) fn is_by_arrival(&self) -> bool {
        self.order == ServiceOrder::Arrival
    }

    /// The order of a few trains, all from different inputs: their numbers, the first in the lowest byte. It is random,
    /// so a branch on a comparison would be guessed wrong half of the time: each one's place is the number of those
    /// before it. In one word, as bytes written one by one are not at once read together.
    #[inline]
    pub(in crate::net::batched) fn order_of_few(&self, slot: u64, trains: &[Train]) -> u64 {
        let in_slot = self.in_slot(slot);
        let mut turns = [0; FEW];
        for (turn, train) in turns.iter_mut().zip(trains) {
            *turn = in_slot.of(train.input);
        }
        let mut places = 0_u64;
        for one in 1..trains.len() {
            for other in 0..one {
                let first = u64::from(turns[one] < turns[other]);
                places += (first << (8 * other)) + ((1 - first) << (8 * one));
            }
        }
        let place = |number: usize| places >> (8 * number) & 0xff;
        (0..trains.len()).fold(0, |order, number| order | (number as u64) << (8 * place(number)))
    }
}

/// The order of inputs within one slot.
pub(in crate::net::batched) enum Turns<'a> {
    Random {
        draw: u64,
        inputs: &'a [u64],
    },
    Rotating {
        first: u64,
        count: u64,
    },
    /// By the time within the slot, which the input does not tell.
    Arrival,
}

impl Turns<'_> {
    /// The turn of an input: the smallest comes first.
    #[inline]
    pub(in crate::net::batched) fn of(&self, input: u32) -> u64 {
        match self {
            Turns::Random { draw, inputs } => mix(draw ^ inputs[input as usize]),
            Turns::Rotating { first, count } => {
                let place = u64::from(input) + count - first;
                if place >= *count { place - count } else { place }
            }
            Turns::Arrival => 0,
        }
    }
}
