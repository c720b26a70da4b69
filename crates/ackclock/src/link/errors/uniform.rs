//! Uniform errors: each packet is corrupted with the same probability, or with that of one wrong bit at least.
//! Source: \[VEGAS-A\] §2.2.3.

use super::{Draws, ErrorModel, Mechanism};
use crate::exact::any_of;
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::link::chance::Chance;
use crate::rng::Stream;
use crate::units::Time;

/// The parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformParams {
    /// Probability, 0 to 1.
    pub rate: f64,
    /// Of what.
    pub unit: Unit,
}

/// What a rate of errors is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets, whatever their size.
    Packet,
    /// Bits on the wire: a packet is corrupted if one is wrong.
    Bit,
}

/// The model at work.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    params: UniformParams,
    /// The probability of the rate itself.
    of_rate: Chance,
    draws: Stream,
}

impl Mechanism for Uniform {
    const NAME: &'static str = "uniform";
    const ABOUT: &'static str = "Each packet is corrupted with the same probability, independently of all others.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::required_as("rate", Kind::Share, "0.01", "The probability of an error: 0.01 is one in a hundred."),
        Key::new("unit", Kind::Word(&["packet", "bit"]), Default::Is(Value::Word("packet")), "[VEGAS-A] §2.2.3",
            "Whether the probability applies to packets, or to the bits on the wire, of which a single error corrupts the packet."),
    ];
    const IS_RANDOM: bool = true;
    type Params = UniformParams;

    fn params(values: &Values) -> Result<UniformParams, Misfit> {
        let unit = values.choice("unit", &[("packet", Unit::Packet), ("bit", Unit::Bit)]);
        Ok(UniformParams { rate: values.number("rate"), unit })
    }

    fn corrupts_all(params: &UniformParams) -> Option<&'static str> {
        (params.rate == 1.0).then_some("rate")
    }

    fn start(params: &UniformParams, draws: &Draws<'_>) -> Uniform {
        Uniform { params: *params, of_rate: Chance::new(params.rate), draws: draws.stream("loss") }
    }
}

impl ErrorModel for Uniform {
    fn corrupts(&mut self, ordinal: u64, _now: Time, bytes: u32) -> bool {
        let chance = match self.params.unit {
            Unit::Packet => self.of_rate,
            Unit::Bit => Chance::new(any_of(self.params.rate, 8 * u64::from(bytes))),
        };
        chance.hits(self.draws.at(ordinal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the first packets of this size are corrupted.
    fn count(rate: f64, unit: Unit, packets: u64, bytes: u32) -> u64 {
        let draws = Draws { seed: 1, link: "a->b", model: Uniform::NAME, number: 0 };
        let mut model = Uniform::start(&UniformParams { rate, unit }, &draws);
        (0..packets).filter(|&ordinal| model.corrupts(ordinal, Time::ZERO, bytes)).count() as u64
    }

    #[test]
    fn a_uniform_rate_is_met_within_three_standard_deviations() {
        // Mean 50 000, standard deviation sqrt(10⁶ · 0.05 · 0.95) = 217.9.
        let corrupted = count(0.05, Unit::Packet, 1_000_000, 1000);
        assert!(corrupted.abs_diff(50_000) < 3 * 218, "{corrupted}");
    }

    #[test]
    fn a_rate_of_zero_loses_nothing_and_of_one_everything() {
        assert_eq!([Unit::Packet, Unit::Bit].map(|unit| count(0.0, unit, 1000, 1000)), [0, 0]);
        assert_eq!([Unit::Packet, Unit::Bit].map(|unit| count(1.0, unit, 1000, 1000)), [1000, 1000]);
    }

    #[test]
    fn a_rate_of_bit_errors_grows_with_the_size() {
        // 1 − (1 − 10⁻⁵)^8000 = 0.07688, ^320 = 0.003195; three standard deviations are 253 and 54.
        let of_bytes = |bytes| count(1e-5, Unit::Bit, 100_000, bytes);
        assert!(of_bytes(1000).abs_diff(7688) < 253, "{}", of_bytes(1000));
        assert!(of_bytes(40).abs_diff(319) < 54, "{}", of_bytes(40));
    }
}
