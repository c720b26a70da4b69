//! The edges of a router, or of an ATM edge device, that is a process: which rates each of them has taken, and what happens next.

use crate::net::batched::io::Io;
use crate::net::batched::packets::rate_log::RatedEdge;
use crate::units::Time;

/// The edges of one router, in the order of their ports.
pub(in crate::net::batched) struct RouterEdges(Vec<EdgeHere>);

struct EdgeHere {
    /// Its number among the edges of the network.
    number: usize,
    /// The interval of its port whose rates it has.
    interval: u64,
}

impl RouterEdges {
    /// Those with these numbers.
    pub(in crate::net::batched) fn new(edges: impl Iterator<Item = usize>) -> RouterEdges {
        RouterEdges(edges.map(|number| EdgeHere { number, interval: 0 }).collect())
    }

    /// The number among the edges of the network of the one at this place.
    pub(in crate::net::batched) fn number(&self, place: usize) -> usize {
        self.0[place].number
    }

    /// When new rates come, and to the edge at which place; the first at one instant.
    pub(in crate::net::batched) fn next_rates(&self, io: &Io) -> (Time, usize) {
        let next = |EdgeHere { number, interval }: &EdgeHere| {
            io.edges[*number].rates.of_interval(interval + 1).map_or(Time::NEVER, |rates| rates.0)
        };
        self.0.iter().enumerate().map(|(place, edge)| (next(edge), place)).min().unwrap_or((Time::NEVER, 0))
    }

    /// The new rates of the edge at this place have come.
    pub(in crate::net::batched) fn take_rates(&mut self, place: usize, io: &mut Io) {
        let EdgeHere { number, interval } = &mut self.0[place];
        *interval += 1;
        let RatedEdge { edge, rates } = &mut io.edges[*number];
        if let Some((since, rates)) = rates.of_interval(*interval) {
            edge.on_rates(since, rates);
        }
    }

    /// When the next acknowledgement leaves a bucket, and of the edge at which place; the first at one instant.
    pub(in crate::net::batched) fn next_release(&self, io: &Io) -> (Time, usize) {
        let next =
            self.0.iter().enumerate().map(|(place, edge)| (io.edges[edge.number].edge.next_release(), place)).min();
        next.unwrap_or((Time::NEVER, 0))
    }
}
