//! Corruption: which packets arrive damaged, and are thrown away for their checksum.
//! Source: docs/models/paths.md; uniform rates and the two-state model \[VEGAS-A\] §2.2.3, §5.4.2, lists and periods as in
//! ns-2's error models.
//!
//! Every random decision is a function of seed, link and direction, the model's kind and its number among those of its
//! kind, and the ordinal of the packet: neither another model nor what else happens in the network changes it.

use super::markov::{Markov, MarkovParams};
use crate::exact::any_of;
use crate::rng::Stream;
use crate::units::Time;

/// An error model at a place of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorParams {
    /// Which packets are lost.
    pub model: ErrorModel,
    /// Where on the link.
    pub place: Place,
    /// Which packets pass the model; others pass it by, and do not count.
    pub applies_to: AppliesTo,
}

/// Which packets are lost. Ordinals count the packets that pass the model, from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorModel {
    /// Each with the same probability, or with that of one wrong bit at least.
    Uniform {
        /// Probability, 0 to 1.
        rate: f64,
        /// Of what.
        unit: Unit,
    },
    /// These ordinals, strictly increasing.
    List(Vec<u64>),
    /// One in every so many.
    Periodic {
        /// The period, packets; not zero.
        every: u64,
        /// The ordinal of the first that is lost, less than the period.
        offset: u64,
    },
    /// A good and a bad state in turns.
    Markov(MarkovParams),
}

/// What a rate of errors is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets, whatever their size.
    Packet,
    /// Bits on the wire: a packet is lost if one is wrong.
    Bit,
}

/// Where a model acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the queue: what is lost takes no room and no time on the link.
    Ingress,
    /// After the queue, when the last bit is sent: what is lost has used the link.
    Egress,
    /// At the other end of the link, when the last bit arrives.
    Receiver,
}

/// Which packets pass a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppliesTo {
    /// All.
    All,
    /// Those of TCP.
    Tcp,
    /// Those that carry data.
    Data,
}

/// A packet, as far as a link cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Octets on the wire.
    pub bytes: u32,
    /// What it carries.
    pub kind: Kind,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data of TCP.
    Data,
    /// An acknowledgement of TCP.
    Acknowledgement,
    /// Data of UDP.
    Datagram,
}

/// The models of one direction of a link, at all places.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    models: Vec<Model>,
}

#[derive(Clone, Debug)]
struct Model {
    place: Place,
    applies_to: AppliesTo,
    ordinal: u64,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    Packets { threshold: Chance, draws: Stream },
    Bits { rate: f64, draws: Stream },
    List { ordinals: Vec<u64>, next: usize },
    Periodic { every: u64, offset: u64 },
    Markov(Box<Markov>),
}

/// A probability, compared with 64 random bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(f64);

impl Errors {
    /// The models of the link named `link` (`from->to`) in a run with this seed.
    pub fn new(params: &[ErrorParams], seed: u64, link: &str) -> Errors {
        let mut models: Vec<Model> = Vec::with_capacity(params.len());
        for (index, ErrorParams { model, place, applies_to }) in params.iter().enumerate() {
            let number = params[..index].iter().filter(|before| before.model.name() == model.name()).count();
            let purpose = |what: &str| format!("errors/{}/{number}/{what}", model.name());
            let stream = |what: &str| Stream::new(seed, link, &purpose(what));
            let rule = match model {
                ErrorModel::Uniform { rate, unit: Unit::Packet } => {
                    Rule::Packets { threshold: Chance::new(*rate), draws: stream("loss") }
                }
                ErrorModel::Uniform { rate, unit: Unit::Bit } => Rule::Bits { rate: *rate, draws: stream("loss") },
                ErrorModel::List(ordinals) => Rule::List { ordinals: ordinals.clone(), next: 0 },
                ErrorModel::Periodic { every, offset } => Rule::Periodic { every: *every, offset: *offset },
                ErrorModel::Markov(params) => {
                    Rule::Markov(Box::new(Markov::new(*params, stream("state"), stream("loss"))))
                }
            };
            models.push(Model { place: *place, applies_to: *applies_to, ordinal: 0, rule });
        }
        Errors { models }
    }

    /// Whether any of them acts at this place.
    pub fn act_at(&self, place: Place) -> bool {
        self.models.iter().any(|model| model.place == place)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// A packet is at this place; returns whether it is lost there. Every model of the place sees it, whatever the others
    /// say. To be asked about the packets in the order in which they are transmitted, at ingress in that in which they come.
    pub fn corrupt(&mut self, place: Place, now: Time, packet: Packet) -> bool {
        let mut lost = false;
        for model in self.models.iter_mut().filter(|model| model.place == place && model.applies_to.covers(packet.kind))
        {
            let ordinal = model.ordinal;
            model.ordinal += 1;
            lost |= model.rule.corrupts(ordinal, now, packet.bytes);
        }
        lost
    }
}

impl ErrorModel {
    /// Its name in scenario files, and in what seeds its draws.
    pub fn name(&self) -> &'static str {
        match self {
            ErrorModel::Uniform { .. } => "uniform",
            ErrorModel::List(_) => "list",
            ErrorModel::Periodic { .. } => "periodic",
            ErrorModel::Markov(_) => "markov",
        }
    }
}

impl AppliesTo {
    fn covers(self, kind: Kind) -> bool {
        match self {
            AppliesTo::All => true,
            AppliesTo::Tcp => kind != Kind::Datagram,
            AppliesTo::Data => kind != Kind::Acknowledgement,
        }
    }
}

impl Rule {
    fn corrupts(&mut self, ordinal: u64, now: Time, bytes: u32) -> bool {
        match self {
            Rule::Packets { threshold, draws } => threshold.hits(draws.at(ordinal)),
            Rule::Bits { rate, draws } => Chance::new(any_of(*rate, 8 * u64::from(bytes))).hits(draws.at(ordinal)),
            Rule::List { ordinals, next } => {
                let hit = ordinals.get(*next) == Some(&ordinal);
                *next += usize::from(hit);
                hit
            }
            Rule::Periodic { every, offset } => ordinal % *every == *offset,
            Rule::Markov(markov) => markov.corrupts(ordinal, now),
        }
    }
}

impl Chance {
    /// A probability, 0 to 1.
    pub(super) fn new(probability: f64) -> Chance {
        Chance(probability * TWO_TO_64)
    }

    /// Whether it comes true if these 64 bits are drawn: never for 0, always for 1.
    pub(super) fn hits(self, draw: u64) -> bool {
        // Of 2^64 draws as many are below as are due, but for the rounding of the draw to 53 bits.
        (draw as f64) < self.0 || self.0 >= TWO_TO_64
    }
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Sampling, Stay};
    use crate::units::Span;

    const DATA: Packet = Packet { bytes: 1000, kind: Kind::Data };
    const ACK: Packet = Packet { bytes: 40, kind: Kind::Acknowledgement };

    fn at(place: Place, model: ErrorModel) -> ErrorParams {
        ErrorParams { model, place, applies_to: AppliesTo::All }
    }

    fn uniform(rate: f64, unit: Unit) -> ErrorParams {
        at(Place::Egress, ErrorModel::Uniform { rate, unit })
    }

    /// Which of the first packets are lost at egress.
    fn lost(errors: &mut Errors, packets: u64, packet: Packet) -> Vec<u64> {
        (0..packets).filter(|_| errors.corrupt(Place::Egress, Time::ZERO, packet)).collect()
    }

    #[test]
    fn a_uniform_rate_is_met_within_three_standard_deviations() {
        let mut errors = Errors::new(&[uniform(0.05, Unit::Packet)], 1, "a->b");
        let count = lost(&mut errors, 1_000_000, DATA).len() as f64;
        // Mean 50 000, standard deviation sqrt(10⁶ · 0.05 · 0.95) = 217.9.
        assert!((count - 50_000.0).abs() < 3.0 * 217.9, "{count}");
    }

    #[test]
    fn a_rate_of_zero_loses_nothing_and_of_one_everything() {
        let count = |rate, unit| lost(&mut Errors::new(&[uniform(rate, unit)], 1, "a->b"), 1000, DATA).len();
        assert_eq!([count(0.0, Unit::Packet), count(0.0, Unit::Bit)], [0, 0]);
        assert_eq!([count(1.0, Unit::Packet), count(1.0, Unit::Bit)], [1000, 1000]);
    }

    #[test]
    fn a_rate_of_bit_errors_grows_with_the_size() {
        // 1 % of 1460 bytes is 0.86·10⁻⁶ of 11 680 bits: 1 − exp(−0.0100448) = 0.0099945.
        let count = |packet| lost(&mut Errors::new(&[uniform(1e-5, Unit::Bit)], 1, "a->b"), 100_000, packet).len();
        // 1 − (1 − 10⁻⁵)^8000 = 0.07688, ^320 = 0.003195; three standard deviations are 253 and 54.
        assert!(count(DATA).abs_diff(7688) < 253, "{}", count(DATA));
        assert!(count(ACK).abs_diff(319) < 54, "{}", count(ACK));
    }

    #[test]
    fn a_list_is_exact() {
        let mut errors = Errors::new(&[at(Place::Egress, ErrorModel::List(vec![0, 3, 4, 9]))], 1, "a->b");
        assert_eq!(lost(&mut errors, 20, DATA), [0, 3, 4, 9]);
    }

    #[test]
    fn a_period_begins_with_its_offset() {
        let mut errors = Errors::new(&[at(Place::Egress, ErrorModel::Periodic { every: 5, offset: 2 })], 1, "a->b");
        assert_eq!(lost(&mut errors, 14, DATA), [2, 7, 12]);
    }

    #[test]
    fn a_model_acts_at_its_place_only() {
        let mut errors = Errors::new(&[at(Place::Receiver, ErrorModel::List(vec![0]))], 1, "a->b");
        assert!(!errors.act_at(Place::Egress) && errors.act_at(Place::Receiver));
        assert!(!errors.corrupt(Place::Egress, Time::ZERO, DATA), "and is not passed elsewhere");
        assert!(errors.corrupt(Place::Receiver, Time::ZERO, DATA));
    }

    #[test]
    fn what_a_model_does_not_apply_to_passes_it_by_uncounted() {
        let model = ErrorModel::List(vec![0, 2]);
        let mut errors =
            Errors::new(&[ErrorParams { model, place: Place::Egress, applies_to: AppliesTo::Data }], 1, "a->b");
        let packets = [ACK, DATA, ACK, DATA, ACK, DATA];
        let lost = packets.map(|packet| errors.corrupt(Place::Egress, Time::ZERO, packet));
        assert_eq!(lost, [false, true, false, false, false, true]);
    }

    #[test]
    fn another_model_changes_no_draw() {
        let markov = ErrorModel::Markov(MarkovParams {
            good: Stay { interval: Span::from_ms(1), stay: 0.5, loss: 0.0 },
            bad: Stay { interval: Span::from_ms(1), stay: 0.5, loss: 0.0 },
            sampling: Sampling::Interval,
        });
        let alone = lost(&mut Errors::new(&[uniform(0.1, Unit::Packet)], 1, "a->b"), 1000, DATA);
        let with_another = [at(Place::Egress, markov), uniform(0.1, Unit::Packet)];
        assert_eq!(lost(&mut Errors::new(&with_another, 1, "a->b"), 1000, DATA), alone);
        // One of the same kind does not lose the same packets once more.
        let twice = [uniform(0.1, Unit::Packet), uniform(0.1, Unit::Packet)];
        assert!(lost(&mut Errors::new(&twice, 1, "a->b"), 1000, DATA).len() > alone.len() + 50);
        // The other direction is another link.
        assert_ne!(lost(&mut Errors::new(&[uniform(0.1, Unit::Packet)], 1, "b->a"), 1000, DATA), alone);
    }
}
