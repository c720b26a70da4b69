//! Periodic errors: one packet in every so many is corrupted.
//! Source: as in ns-2's PeriodicErrorModel.

use super::{Draws, ErrorModel, Mechanism};
use crate::keys::{Default, Key, Kind, MOST_ORDINAL, Misfit, Value, Values};
use crate::units::Time;

/// The parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicParams {
    /// The period, packets; not zero.
    pub every: u64,
    /// The ordinal of the first that is corrupted, less than the period.
    pub offset: u64,
}

/// The model at work.
#[derive(Clone, Copy, Debug)]
pub struct Periodic {
    params: PeriodicParams,
}

impl Mechanism for Periodic {
    const NAME: &'static str = "periodic";
    const ABOUT: &'static str = "One packet of every period is corrupted.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::required_as("every", Kind::Integer(1, MOST_ORDINAL), "100", "The period, packets."),
        Key::new("offset", Kind::Integer(0, MOST_ORDINAL), Default::Is(Value::Integer(0)), "Ackclock",
            "The first packet that is corrupted, counted from 0; less than the period."),
    ];
    const IS_RANDOM: bool = false;
    type Params = PeriodicParams;

    fn params(values: &Values) -> Result<PeriodicParams, Misfit> {
        let (every, offset) = (values.long_integer("every"), values.long_integer("offset"));
        if offset >= every {
            return Err(Misfit {
                keys: &["offset", "every"],
                problem: format!("`offset` is {offset}, `every` {every}"),
                expected: "must be less than `every`",
            });
        }
        Ok(PeriodicParams { every, offset })
    }

    fn corrupts_all(params: &PeriodicParams) -> Option<&'static str> {
        (params.every == 1).then_some("every")
    }

    fn start(params: &PeriodicParams, _draws: &Draws<'_>) -> Periodic {
        Periodic { params: *params }
    }
}

impl ErrorModel for Periodic {
    fn corrupts(&mut self, ordinal: u64, _now: Time, _bytes: u32) -> bool {
        ordinal % self.params.every == self.params.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_with_its_offset() {
        let mut periodic = Periodic { params: PeriodicParams { every: 5, offset: 2 } };
        let corrupted: Vec<u64> = (0..14).filter(|&ordinal| periodic.corrupts(ordinal, Time::ZERO, 1000)).collect();
        assert_eq!(corrupted, [2, 7, 12]);
    }
}
