//! The error models of one direction of a link, each at its place and for the packets that it applies to.
//!
//! Every random decision is a function of seed, link and direction, the model's kind and its number among those of its
//! kind, and the ordinal of the packet: neither another model nor what else happens in the network changes it.

use super::Draws;
use super::family::{ErrorModelParams, ErrorModelState};
use crate::keys::{Default, Key, Kind, Value, words};
use crate::units::Time;

/// An error model at a place of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorParams {
    /// Which packets are lost.
    pub model: ErrorModelParams,
    /// Where on the link.
    pub place: Place,
    /// Which packets pass the model; others pass it by, and do not count.
    pub applies_to: AppliesTo,
}

impl ErrorParams {
    /// What all models of links have beside their own keys.
    pub const KEYS_OF_LINKS: &'static [Key] = &[place("egress"), APPLIES_TO, DIRECTION];
    /// What all models of places on the ground have.
    pub const KEYS_OF_PLACES: &'static [Key] = &[place("receiver"), APPLIES_TO, DIRECTION];
}

const fn place(default: &'static str) -> Key {
    let about = "Where a packet is lost: before the queue, when its last bit is sent, or when that arrives.";
    Key::new("place", Kind::Word(Place::NAMES), Default::Is(Value::Word(default)), "Ackclock", about)
}

#[rustfmt::skip]
const APPLIES_TO: Key = Key::new("applies_to", Kind::Word(AppliesTo::NAMES), Default::Is(Value::Word("all")), "Ackclock",
    "Which packets pass the model and are counted: all, those of TCP, or those that carry data.");
#[rustfmt::skip]
const DIRECTION: Key = Key::new("direction", Kind::LinkName(&["both"]), Default::Is(Value::Word("both")), "Ackclock",
    "The direction of the link, as \"A->B\"; of both, each has its own errors.");

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
words!(Place: "egress" = Egress, "ingress" = Ingress, "receiver" = Receiver);

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
words!(AppliesTo: "all" = All, "tcp" = Tcp, "data" = Data);

/// A packet, as far as a link cares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Octets on the wire.
    pub bytes: u32,
    /// What it carries.
    pub kind: PacketKind,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketKind {
    /// Data of TCP.
    #[default]
    Data,
    /// An acknowledgement of TCP.
    Acknowledgement,
    /// Data of UDP.
    Udp,
}

/// The models of one direction of a link, at all places.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    models: Vec<PlacedModel>,
}

#[derive(Clone, Debug)]
struct PlacedModel {
    place: Place,
    applies_to: AppliesTo,
    ordinal: u64,
    model: ErrorModelState,
}

impl Errors {
    /// The models of the link named `link` (`from->to`) in a run with this seed.
    pub fn new(params: &[ErrorParams], seed: u64, link: &str) -> Errors {
        let mut models: Vec<PlacedModel> = Vec::with_capacity(params.len());
        for (index, ErrorParams { model, place, applies_to }) in params.iter().enumerate() {
            let number = params[..index].iter().filter(|before| before.model.name() == model.name()).count();
            let state = model.start(&Draws { seed, link, model: model.name(), number });
            models.push(PlacedModel { place: *place, applies_to: *applies_to, ordinal: 0, model: state });
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
            lost |= model.model.corrupts(ordinal, now, packet.bytes);
        }
        lost
    }
}

impl AppliesTo {
    fn covers(self, kind: PacketKind) -> bool {
        match self {
            AppliesTo::All => true,
            AppliesTo::Tcp => kind != PacketKind::Udp,
            AppliesTo::Data => kind != PacketKind::Acknowledgement,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::errors::{ListParams, MarkovParams, Sampling, Stay, UniformParams, Unit};
    use crate::units::Span;

    const DATA: Packet = Packet { bytes: 1000, kind: PacketKind::Data };
    const ACK: Packet = Packet { bytes: 40, kind: PacketKind::Acknowledgement };

    fn at(place: Place, model: ErrorModelParams) -> ErrorParams {
        ErrorParams { model, place, applies_to: AppliesTo::All }
    }

    fn list(packets: &[u64]) -> ErrorModelParams {
        ErrorModelParams::List(ListParams { packets: packets.to_vec() })
    }

    fn uniform(rate: f64) -> ErrorParams {
        at(Place::Egress, ErrorModelParams::Uniform(UniformParams { rate, unit: Unit::Packet }))
    }

    /// Which of the first packets are lost at egress.
    fn lost(errors: &mut Errors, packets: u64, packet: Packet) -> Vec<u64> {
        (0..packets).filter(|_| errors.corrupt(Place::Egress, Time::ZERO, packet)).collect()
    }

    #[test]
    fn a_model_acts_at_its_place_only() {
        let mut errors = Errors::new(&[at(Place::Receiver, list(&[0]))], 1, "a->b");
        assert!(!errors.act_at(Place::Egress) && errors.act_at(Place::Receiver));
        assert!(!errors.corrupt(Place::Egress, Time::ZERO, DATA), "and is not passed elsewhere");
        assert!(errors.corrupt(Place::Receiver, Time::ZERO, DATA));
    }

    #[test]
    fn what_a_model_does_not_apply_to_passes_it_by_uncounted() {
        let model = list(&[0, 2]);
        let mut errors =
            Errors::new(&[ErrorParams { model, place: Place::Egress, applies_to: AppliesTo::Data }], 1, "a->b");
        let packets = [ACK, DATA, ACK, DATA, ACK, DATA];
        let lost = packets.map(|packet| errors.corrupt(Place::Egress, Time::ZERO, packet));
        assert_eq!(lost, [false, true, false, false, false, true]);
    }

    #[test]
    fn another_model_changes_no_draw() {
        let markov = ErrorModelParams::Markov(MarkovParams {
            good: Stay { interval: Span::from_ms(1), stay: 0.5, loss: 0.0 },
            bad: Stay { interval: Span::from_ms(1), stay: 0.5, loss: 0.0 },
            sampling: Sampling::Interval,
        });
        let alone = lost(&mut Errors::new(&[uniform(0.1)], 1, "a->b"), 1000, DATA);
        let with_another = [at(Place::Egress, markov), uniform(0.1)];
        assert_eq!(lost(&mut Errors::new(&with_another, 1, "a->b"), 1000, DATA), alone);
        // One of the same kind does not lose the same packets once more.
        let twice = [uniform(0.1), uniform(0.1)];
        assert!(lost(&mut Errors::new(&twice, 1, "a->b"), 1000, DATA).len() > alone.len() + 50);
        // The other direction is another link.
        assert_ne!(lost(&mut Errors::new(&[uniform(0.1)], 1, "b->a"), 1000, DATA), alone);
    }
}
