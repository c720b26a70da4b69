//! Rate algorithms of ABR switches: what a port says to the sources of the connections that cross it, in RM cells and by EFCI.
//! To add one: one file and one line in `family.rs`.
//!
//! A port tells its algorithm what cells are offered to it, whether or not they enter the buffer, and asks it about each
//! backward RM cell that comes from where the port leads to. It ends an averaging interval every m slots of cell time c:
//! an interval is m · c long, m = T/c rounded, at least 1. So a count of cells, divided by m, is a share of the link's rate.
//! Rates are in cells per second; C, the rate of the link, is not rounded to cell times.

mod capc;
mod efci;
mod erica;
mod erica_plus;
mod family;
mod max_min;
mod simplified_erica_plus;
mod simplified_erica_plus_readings;

pub use erica::Sharing;
pub use erica_plus::QueueControl;
pub use family::*;
pub use simplified_erica_plus_readings::{FirstRate, RatesFrom, Readings};

use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::RmCell;
use crate::rng::Stream;
use crate::units::{CELL_BITS, Rate, Span, Time};

/// A rate algorithm at work at one port.
///
/// The calls come in the order in which cells are offered, backward RM cells pass and intervals end. At one instant an interval ends
/// first, then cells are offered, then backward RM cells pass. A forward RM cell is counted ([`RateAllocator::on_cells`]) just before
/// [`RateAllocator::on_forward_rm`] says what it says.
///
/// Of an algorithm with [`RateAllocator::efci_threshold`], the counts of the interval that runs may come later, and in any order: several
/// cells of one connection at once, before or after RM cells that were offered later, but at the latest before
/// [`RateAllocator::on_interval_end`] is called for the interval in which they are offered. RM cells and ends of intervals keep their order.
///
/// `now` is the instant of what is told, the same in both engines. Counts that may come later have none: of an algorithm with
/// [`RateAllocator::efci_threshold`] it is `None`, of all others it is known.
pub trait RateAllocator: CloneAllocator + Send {
    /// So many cells of ABR connection `vc` of this port are offered on their way forward, RM cells included, in rate or out.
    fn on_cells(&mut self, now: Option<Time>, vc: usize, cells: u64);
    /// So many other cells are offered: of UBR, and those on the way back of a connection whose data go the other way.
    fn on_other_cells(&mut self, now: Option<Time>, cells: u64);
    /// A forward RM cell of connection `vc` is offered at `now`, while so many cells wait. An algorithm that marks forward writes into it.
    fn on_forward_rm(&mut self, _now: Time, _vc: usize, _queued: u64, _cell: &mut RmCell) {}
    /// An averaging interval ends at `now`, while so many cells wait. The cells that are offered at this instant are of the next one.
    fn on_interval_end(&mut self, now: Time, queued: u64);
    /// A backward RM cell of connection `vc` passes at `now`, while so many cells wait. An algorithm that marks backward writes into it.
    fn on_backward_rm(&mut self, now: Time, vc: usize, queued: u64, cell: &mut RmCell);
    /// Whether a data cell that is offered while so many cells wait gets EFCI.
    fn marks_efci(&self, _queued: u64) -> bool {
        false
    }
    /// For an algorithm that reads counts of cells only when an interval ends, and that always marks the data cells that find more
    /// cells waiting than a fixed number, and no others: this number, [`u64::MAX`] if it marks none. So its port can handle many cells
    /// in one step. If none is given, every cell is told and asked about by itself, which is always right.
    fn efci_threshold(&self) -> Option<u64> {
        None
    }
    /// The rate that the port offers to a connection that it limits, if it has computed one: what is recorded.
    fn allocation(&self) -> Option<f64> {
        None
    }
}

/// Copies of whatever algorithm.
pub trait CloneAllocator {
    /// The same algorithm in the same state.
    fn boxed_clone(&self) -> Box<dyn RateAllocator>;
}

impl<A: RateAllocator + Clone + 'static> CloneAllocator for A {
    fn boxed_clone(&self) -> Box<dyn RateAllocator> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn RateAllocator> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// What a port counts, and what rates are rates of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Cells, at cell ports.
    Cell,
    /// Bytes on the wire, at packet ports: with packets of one length this is as good as counting packets.
    Byte,
}

impl Unit {
    /// Bits on the wire.
    pub fn bits(self) -> f64 {
        match self {
            Unit::Cell => CELL_BITS as f64,
            Unit::Byte => 8.0,
        }
    }
}

/// The port at which an algorithm begins.
#[derive(Clone, Copy)]
pub struct Port<'a> {
    /// The rate of its link.
    pub rate: Rate,
    /// What it counts.
    pub unit: Unit,
    /// How many ABR connections cross it forward: they are numbered from 0.
    pub connections: usize,
    /// The max-min shares of these connections where this part of the capacity of every link is shared. Asked by those that need
    /// to know the whole network.
    pub max_min: &'a dyn Fn(f64) -> Vec<f64>,
    /// Of each connection the units of the segment that opens it, which carries no data; missing: 0. One that has sent no more has not
    /// begun to send.
    pub openings: &'a [u64],
}

impl Port<'_> {
    /// C: the rate of the link in units per second.
    fn capacity(&self) -> f64 {
        match self.unit {
            Unit::Cell => super::cells_per_second(self.rate),
            Unit::Byte => self.rate.as_bps() as f64 / Unit::Byte.bits(),
        }
    }

    /// The units that the link carries in an averaging interval of this length: so many, divided by this, are a share of C.
    fn units(&self, interval: Span) -> f64 {
        match self.unit {
            Unit::Cell => self.slots(interval) as f64,
            Unit::Byte => interval.as_secs_f64() * self.capacity(),
        }
    }

    /// The slots of an averaging interval of about this length, at a cell port.
    pub fn slots(&self, interval: Span) -> u64 {
        let cell_time = self.rate.cell_time().as_ps();
        ((interval.as_ps() + cell_time / 2) / cell_time).max(1)
    }
}

/// A rate algorithm as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism: RateAllocator + Sized {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key];
    /// Its parameters, checked.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;

    /// Its parameters.
    ///
    /// # Errors
    /// If they do not fit together.
    fn params(values: &Values) -> Result<Self::Params, Misfit>;

    /// T, the averaging interval, of an algorithm that has one.
    fn interval(params: &Self::Params) -> Option<Span>;

    /// The algorithm before the first cell; what is random in it is drawn from `draws`.
    fn start(params: &Self::Params, port: &Port<'_>, draws: Stream) -> Self;

    /// Whether the seed makes a difference: it draws random numbers.
    fn is_random(_params: &Self::Params) -> bool {
        false
    }

    /// Its parameters, each with its default.
    ///
    /// # Panics
    /// If these do not fit together.
    fn default_params() -> Self::Params {
        Self::params(&Values::defaults(Self::KEYS)).expect("defaults fit together")
    }
}

/// Into which RM cells an algorithm writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Into backward ones, when they pass the switch on their way to the source.
    Backward,
    /// Into forward ones, when they are offered to the port.
    Forward,
}

/// The key of that choice.
const MARK_KEY: Key = Key::new(
    "mark",
    Kind::Word(&["backward", "forward"]),
    Default::Is(Value::Word("backward")),
    "Ackclock: the shorter loop; [UBR-ABR] §2.3 says only that an RM cell is received",
    "Whether rates are written into backward RM cells, as they pass the switch, or into forward ones, as they are offered to the port.",
);

/// The value of that key.
fn mark(values: &Values) -> Mark {
    values.choice("mark", &[("backward", Mark::Backward), ("forward", Mark::Forward)])
}

const fn interval_key(default: Span, source: &'static str) -> Key {
    Key::new(
        "averaging_interval",
        Kind::time(Span::from_us(1), Span::from_secs(10)),
        Default::Is(Value::time(default)),
        source,
        "T: how long the port counts cells before it computes rates anew, rounded to whole cell times.",
    )
}

const fn threshold_key(about: &'static str) -> Key {
    Key::new("threshold", Kind::cells(0, u32::MAX as u64), Default::Is(Value::cells(256)), "[UBR-ABR] Table 1", about)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port with a link of this rate, crossed by so many connections.
    pub(super) fn port(bps: u64, connections: usize) -> Port<'static> {
        Port {
            rate: Rate::from_bps(bps).unwrap(),
            connections,
            unit: Unit::Cell,
            max_min: &|_| vec![1.0; 9],
            openings: &[],
        }
    }

    /// Random numbers of a port.
    pub(super) fn draws() -> Stream {
        Stream::new(1, "port", "rates")
    }

    /// A backward RM cell with this explicit rate.
    pub(super) fn backward(er: f64) -> RmCell {
        RmCell { er, ccr: 0.0, mcr: 0.0, ci: false, ni: false, bn: false, clp: false }
    }

    #[test]
    fn an_interval_is_a_whole_number_of_slots() {
        let slots = |bps, us| port(bps, 1).slots(Span::from_us(us));
        assert_eq!([slots(150_000_000, 1000), slots(155_520_000, 1000)], [354, 367]);
        assert_eq!([slots(150_000_000, 5000), slots(155_520_000, 5000)], [1769, 1834]);
        assert_eq!(slots(150_000_000, 1), 1);
    }

    /// Every algorithm, with default and random parameters, told anything in any order: explicit rates are only lowered and are
    /// never negative, and a copy goes on as the original does.
    #[test]
    fn no_algorithm_raises_a_rate() {
        let mut drawn = 1_u64;
        let mut below = |end: u64| {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (drawn >> 33) % end
        };
        for algorithm in ALGORITHMS {
            for round in 0..50 {
                let values = match round {
                    0 => Values::defaults(algorithm.keys),
                    _ => Values::sample(algorithm.keys, &mut below),
                };
                let Ok(params) = (algorithm.params)(&values) else { continue };
                assert_eq!(params.name(), algorithm.name);
                let mut port = params.start(&port(150_000_000, 3), "port", 1);
                for _ in 0..300 {
                    let (vc, queued) = (below(3) as usize, below(2000));
                    match below(5) {
                        0 => port.on_cells(None, vc, below(40)),
                        1 => port.on_other_cells(None, below(40)),
                        2 => port.on_interval_end(Time::ZERO, queued),
                        way => {
                            let tell = |port: &mut Box<dyn RateAllocator>, cell: &mut RmCell| match way {
                                3 => port.on_forward_rm(Time::ZERO, vc, queued, cell),
                                _ => port.on_backward_rm(Time::ZERO, vc, queued, cell),
                            };
                            let sent = RmCell { ccr: below(400_000) as f64, ..backward(below(400_000) as f64) };
                            let (mut cell, mut of_copy) = (sent, sent);
                            tell(&mut port.clone(), &mut of_copy);
                            tell(&mut port, &mut cell);
                            assert_eq!(cell, of_copy);
                            assert!(0.0 <= cell.er && cell.er <= sent.er, "{values:?}: {cell:?}");
                            assert!(port.allocation().is_none_or(|rate| rate >= 0.0 && rate.is_finite()));
                        }
                    }
                }
            }
        }
    }

    /// Of each algorithm that writes rates: the same into the cells of one way as into those of the other, and nothing into the rest.
    #[test]
    fn rates_are_written_into_the_cells_of_one_way() {
        let mut writing = Vec::new();
        for algorithm in ALGORITHMS {
            let said = |word: &'static str| {
                let given = |key: &Key| (key.name == "mark").then_some(Value::Word(word));
                let params = (algorithm.params)(&Values::of(algorithm.keys, given)).unwrap();
                let mut port = params.start(&port(150_000_000, 3), "port", 1);
                port.on_cells(None, 1, 300);
                port.on_interval_end(Time::ZERO, 300);
                let sent = RmCell { ccr: 300_000.0, ..backward(353_773.0) };
                let (mut there, mut back) = (sent, sent);
                port.on_forward_rm(Time::ZERO, 1, 300, &mut there);
                port.on_backward_rm(Time::ZERO, 1, 300, &mut back);
                [there, back].map(|cell| (cell != sent).then_some(cell))
            };
            if algorithm.keys.iter().any(|key| key.name == "mark") {
                let ([None, Some(back)], [Some(there), None]) = (said("backward"), said("forward")) else {
                    panic!("{}", algorithm.name)
                };
                assert_eq!(there, back);
                writing.push(algorithm.name);
            }
        }
        assert_eq!(writing, ["capc", "erica", "erica-plus", "max-min"]);
    }

    #[test]
    fn an_algorithm_from_outside_is_a_member() {
        let custom =
            RateAlgorithm::Custom(CustomRateAlgorithm::new("halves", Some(Span::from_ms(1)), |port, draws| {
                // As many as there are connections, and a number that depends on the seed.
                let threshold = port.connections as u64 + draws.below(1000, 0) * 1000;
                Box::new(Efci::start(&EfciParams { threshold }, port, draws))
            }));
        assert_eq!((custom.name(), custom.interval()), ("halves", Some(Span::from_ms(1))));
        let threshold = |name: &str, seed| custom.start(&port(1000, 5), name, seed).efci_threshold().unwrap();
        assert_eq!(threshold("a->b", 1) % 1000, 5);
        assert!(custom.is_random(), "what is not known counts as random");
        assert_eq!(threshold("a->b", 1), threshold("a->b", 1));
        assert_ne!(threshold("a->b", 1), threshold("a->b", 2), "seeds differ");
        assert_ne!(threshold("a->b", 1), threshold("b->a", 1), "ports differ");
        assert_eq!(custom, custom.clone());
    }
}
