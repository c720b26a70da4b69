//! How simplified ERICA+ reads what its printed rule leaves open or gets wrong: each gap is a key whose default is the reading of
//! docs/models/simplified-erica-plus.md and whose other values are the print to the letter, or what ERICA does there.
//! Source: \[RATE-CONTROL\] §5.

use super::erica::LEAST_LOAD;
use super::{Default, Key, Kind, Misfit, Value, Values};

/// The readings of the printed rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readings {
    /// When a connection gets its first rate.
    pub rates_from: RatesFrom,
    /// What limits the first rate of a connection.
    pub first_rate: FirstRate,
    /// The most by which a rate is multiplied from one interval to the next.
    pub largest_rise: f64,
    /// The least load, which is a divisor.
    pub least_load: f64,
    /// Whether a rate is limited by the target rate.
    pub limited_by_target: bool,
    /// Whether a connection that sends less than the fair share gets no more than that.
    pub limited_by_fair_share: bool,
    /// Whether a connection gets the fair share at least while the load is light.
    pub fair_share_at_light_load: bool,
}

/// When a connection gets its first rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatesFrom {
    /// When the interval of its first packet ends.
    FirstPacket,
    /// When the first interval of the port ends.
    FirstInterval,
}

/// What limits the first rate of a connection, which has none before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRate {
    /// Nothing.
    Unlimited,
    /// The largest rise, from an equal part of the whole link.
    EqualShare,
    /// The largest rise, from zero.
    Zero,
}

impl Readings {
    /// The keys of the readings.
    #[rustfmt::skip]
    pub(super) const KEYS: [Key; 7] = [
        Key::new("rates_from", Kind::Word(&["first-packet", "first-interval"]), Default::Is(Value::Word("first-packet")), "inferred; printed: first-interval",
            "When a connection gets its first rate: when the interval of its first packet ends, or when the first interval of the port ends."),
        Key::new("first_rate", Kind::Word(&["unlimited", "equal-share", "zero"]), Default::Is(Value::Word("unlimited")), "inferred; printed: zero",
            "From what the first rate of a connection rises by `largest_rise` at most: equal-share is the link's rate over the active connections."),
        Key::new("largest_rise", Kind::Number(100.0), Default::Is(Value::Number(1.1)), "[RATE-CONTROL] §5, pseudocode",
            "The most by which a rate is multiplied from one interval to the next; at least 1."),
        Key::new("least_load", Kind::Number(1.0), Default::Is(Value::Number(LEAST_LOAD)), "[KAL97]; printed: 0",
            "The least load: rates are divided by the load, which is 0 where nothing arrives."),
        Key::new("limited_by_target", Kind::Flag, Default::Is(Value::Flag(true)), "[KAL97]; printed: false",
            "Whether no rate exceeds the target rate of the port."),
        Key::new("limited_by_fair_share", Kind::Flag, Default::Is(Value::Flag(true)), "inferred; printed without an index: false",
            "Whether a connection that sends less than the fair share gets no more than that."),
        Key::new("fair_share_at_light_load", Kind::Flag, Default::Is(Value::Flag(false)), "[RATE-CONTROL] §5; [KAL97]: true",
            "Whether a connection gets the fair share at least, up to a load of 1 + delta."),
    ];

    /// The values of these keys.
    ///
    /// # Errors
    /// If the largest rise would have rates fall.
    pub(super) fn of(values: &Values) -> Result<Readings, Misfit> {
        let largest_rise = values.number("largest_rise");
        if largest_rise < 1.0 {
            let problem = format!("{largest_rise} would have every rate fall");
            return Err(Misfit { keys: &["largest_rise"], problem, expected: "1 or more" });
        }
        let from = [("first-packet", RatesFrom::FirstPacket), ("first-interval", RatesFrom::FirstInterval)];
        let first =
            [("unlimited", FirstRate::Unlimited), ("equal-share", FirstRate::EqualShare), ("zero", FirstRate::Zero)];
        Ok(Readings {
            rates_from: values.choice("rates_from", &from),
            first_rate: values.choice("first_rate", &first),
            largest_rise,
            least_load: values.number("least_load"),
            limited_by_target: values.flag("limited_by_target"),
            limited_by_fair_share: values.flag("limited_by_fair_share"),
            fair_share_at_light_load: values.flag("fair_share_at_light_load"),
        })
    }

    /// The rate from which the next one of a connection rises by [`Readings::largest_rise`] at most; `None` if nothing limits it.
    pub(super) fn risen_from(&self, rate: Option<f64>, equal_share: f64) -> Option<f64> {
        rate.or(match self.first_rate {
            FirstRate::Unlimited => None,
            FirstRate::EqualShare => Some(equal_share),
            FirstRate::Zero => Some(0.0),
        })
    }
}
