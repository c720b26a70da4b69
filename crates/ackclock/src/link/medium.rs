//! A shared medium: packets of several links are transmitted one at a time, whichever direction they go, as on a channel of a
//! wireless network. Who sends next is a matter of turns: those of nodes, and at each node those of its ports.
//! Source: docs/models/medium.md.

use std::collections::BTreeMap;

use crate::ids::NodeId;
use crate::keys::{Default, Key, Kind, RATE, Value};
use crate::units::{Rate, Span, Time};

/// What is said about a medium.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Medium {
    /// Its name, unique among those of the scenario.
    pub name: String,
    /// The rate at which a packet is transmitted.
    pub rate: Rate,
    /// How long the medium is busy after each transmission, with what is no packet.
    pub overhead: Span,
}

impl Medium {
    /// The keys of its table.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::required("rate", RATE,
            "Rate at which the packets of all links of the medium are transmitted, one at a time."),
        Key::new("overhead", Kind::time(Span::ZERO, Span::from_secs(1)), Default::Is(Value::time(Span::ZERO)), "Ackclock",
            "How long the medium is busy after each transmission, as with preambles and acknowledgements of the link layer."),
    ];
}

/// The turns at a medium: who sends next, and when.
///
/// Nodes take turns in their order, which is that of their names; a node with nothing to send now is passed over. The ports of a node take
/// its turns in the order of their links. The first turn is that of the first node that has something. A packet that finds the
/// medium free, and nothing waiting, is transmitted at once; that is a turn, too.
#[derive(Clone, Debug)]
pub struct Turns {
    overhead: Span,
    /// When the medium is free again.
    free: Time,
    /// When the next turn is; never if nothing waits.
    next: Time,
    stations: Vec<Station>,
    /// Which of them had the last turn.
    last: usize,
    /// In the order of their numbers.
    ports: Vec<PortHere>,
    /// When the first of them has something to send; never if nothing waits.
    earliest: Time,
}

/// A port at the medium.
#[derive(Clone, Copy, Debug)]
struct PortHere {
    station: usize,
    /// Its place among the ports of the station.
    place: usize,
    /// From when on it has something to send; never if nothing waits.
    ready: Time,
}

/// A node with ports at the medium.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Station {
    /// The numbers of its ports.
    ports: Vec<usize>,
    /// The place of the one that had its last turn.
    last: usize,
}

impl Turns {
    /// An idle medium with ports at these nodes, in the order of their links: their numbers are their places.
    ///
    /// # Panics
    /// If there is no port.
    pub fn new(overhead: Span, nodes: impl Iterator<Item = NodeId>) -> Turns {
        let mut stations: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (port, node) in nodes.enumerate() {
            stations.entry(node).or_default().push(port);
        }
        // Nobody had a turn: the first is next.
        let stations: Vec<Station> =
            stations.into_values().map(|ports| Station { last: ports.len() - 1, ports }).collect();
        let mut ports: Vec<_> = stations
            .iter()
            .enumerate()
            .flat_map(|(station, of)| of.ports.iter().enumerate().map(move |(place, &port)| (port, (station, place))))
            .collect();
        ports.sort_unstable();
        assert!(!ports.is_empty(), "a medium has ports");
        Turns {
            overhead,
            free: Time::ZERO,
            next: Time::NEVER,
            last: stations.len() - 1,
            stations,
            ports: ports
                .into_iter()
                .map(|(_, (station, place))| PortHere { station, place, ready: Time::NEVER })
                .collect(),
            earliest: Time::NEVER,
        }
    }

    /// How long the medium is busy after each transmission.
    pub fn overhead(&self) -> Span {
        self.overhead
    }

    /// When the medium is free again, or since when it is.
    pub fn free(&self) -> Time {
        self.free
    }

    /// When the next turn is, if nothing comes before; never if nothing waits.
    pub fn next(&self) -> Time {
        self.next
    }

    /// The number of the port whose turn is next.
    ///
    /// # Panics
    /// If nothing waits.
    pub fn port(&self) -> usize {
        let count = self.stations.len();
        let stations = (1..=count).map(|step| &self.stations[(self.last + step) % count]);
        stations.filter_map(|station| self.port_of(station)).next().expect("something waits")
    }

    /// The port of a station whose turn is next there, if it has something to send then.
    fn port_of(&self, station: &Station) -> Option<usize> {
        let count = station.ports.len();
        let ports = (1..=count).map(|step| station.ports[(station.last + step) % count]);
        ports.into_iter().find(|&port| self.ports[port].ready <= self.next)
    }

    /// Something has happened at port number `port`, which has something to send from `ready` on, never if nothing waits: perhaps a
    /// transmission has begun there, which will be complete at `complete`.
    pub fn settle(&mut self, now: Time, port: usize, complete: Option<Time>, ready: Time) {
        let PortHere { station, place, ready: before } = self.ports[port];
        if let Some(complete) = complete {
            self.free = complete + self.overhead;
            self.last = station;
            self.stations[station].last = place;
        }
        self.ports[port].ready = ready;
        self.earliest = if before > self.earliest {
            self.earliest.min(ready)
        } else {
            // It was the first.
            self.ports.iter().map(|port| port.ready).min().expect("a medium has ports")
        };
        self.next = self.earliest.max(self.free).max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// Ports at a base (node 0, three) and at three stations, in the order of their links.
    fn base_and_stations(overhead: Span) -> Turns {
        Turns::new(overhead, [0, 0, 0, 1, 2, 3].into_iter().map(NodeId::from_index))
    }

    /// The ports of so many turns, each of 1 us, at which all that is marked always waits.
    fn turns(medium: &mut Turns, count: usize) -> Vec<usize> {
        let mut taken = Vec::new();
        for _ in 0..count {
            let (now, port) = (medium.next(), medium.port());
            medium.settle(now, port, Some(now + Span::from_us(1)), now);
            taken.push(port);
        }
        taken
    }

    #[test]
    fn nodes_take_turns_and_at_each_its_ports() {
        let mut medium = base_and_stations(Span::ZERO);
        (0..6).for_each(|port| medium.settle(at(0), port, None, at(0)));
        assert_eq!(turns(&mut medium, 13), [0, 3, 4, 5, 1, 3, 4, 5, 2, 3, 4, 5, 0]);
        assert_eq!(medium.free(), at(13));
    }

    #[test]
    fn who_has_nothing_is_passed_over() {
        let mut medium = base_and_stations(Span::ZERO);
        [1, 2, 5].into_iter().for_each(|port| medium.settle(at(0), port, None, at(0)));
        assert_eq!(turns(&mut medium, 5), [1, 5, 2, 5, 1]);
        medium.settle(at(5), 5, None, Time::NEVER);
        assert_eq!(turns(&mut medium, 3), [2, 1, 2]);
        // Node 2 comes: after the base it is next, and the base after it.
        medium.settle(at(8), 4, None, at(8));
        assert_eq!(turns(&mut medium, 3), [4, 1, 4]);
    }

    #[test]
    fn a_medium_is_busy_for_its_overhead_too() {
        let mut medium = base_and_stations(Span::from_us(3));
        assert_eq!((medium.next(), medium.free()), (Time::NEVER, at(0)));
        // Port 4 sends at once, and begins to wait with its next packet: nothing else does.
        medium.settle(at(10), 4, Some(at(12)), Time::NEVER);
        assert_eq!((medium.next(), medium.free()), (Time::NEVER, at(15)));
        medium.settle(at(11), 4, None, at(11));
        assert_eq!((medium.next(), medium.port()), (at(15), 4));
        // Another comes while the medium is busy, and is next.
        medium.settle(at(14), 5, None, at(14));
        assert_eq!((medium.next(), medium.port()), (at(15), 5));
        // All that waits at 5 is lost when its turn comes: the turn is that of the next one, at once.
        medium.settle(at(15), 5, None, Time::NEVER);
        assert_eq!((medium.next(), medium.port()), (at(15), 4));
        medium.settle(at(20), 4, None, at(20));
        assert_eq!(medium.next(), at(20), "time does not go back");
    }

    #[test]
    fn what_is_held_back_is_passed_over_until_its_time() {
        let mut medium = base_and_stations(Span::ZERO);
        medium.settle(at(0), 0, None, at(5));
        assert_eq!((medium.next(), medium.port()), (at(5), 0));
        medium.settle(at(1), 4, None, at(1));
        assert_eq!((medium.next(), medium.port()), (at(1), 4), "the base is not ready");
        medium.settle(at(1), 4, Some(at(7)), at(7));
        assert_eq!((medium.next(), medium.port()), (at(7), 0), "it is, and the medium is busy until then");
    }
}
