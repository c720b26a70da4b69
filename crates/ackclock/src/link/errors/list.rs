//! A list of errors: exactly these packets are corrupted.
//! Source: as in ns-2's ListErrorModel, for scripted losses.

use super::{Draws, ErrorModel, Mechanism};
use crate::keys::{Key, Kind, Misfit, Values};
use crate::units::Time;

/// The parameters of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ListParams {
    /// The ordinals of the packets, strictly increasing.
    pub packets: Vec<u64>,
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct List {
    packets: Vec<u64>,
    /// The place in the list of the next that comes.
    next: usize,
}

impl Mechanism for List {
    const NAME: &'static str = "list";
    const ABOUT: &'static str = "Exactly the packets of a list are corrupted.";
    const KEYS: &'static [Key] =
        &[Key::required_as("packets", Kind::Integers, "[3, 5]", "Which packets are corrupted: the first is 0.")];
    const IS_RANDOM: bool = false;
    type Params = ListParams;

    fn params(values: &Values) -> Result<ListParams, Misfit> {
        Ok(ListParams { packets: values.integers("packets").to_vec() })
    }

    fn corrupts_all(_params: &ListParams) -> Option<&'static str> {
        None
    }

    fn start(params: &ListParams, _draws: &Draws<'_>) -> List {
        List { packets: params.packets.clone(), next: 0 }
    }
}

impl ErrorModel for List {
    fn corrupts(&mut self, ordinal: u64, _now: Time, _bytes: u32) -> bool {
        let hit = self.packets.get(self.next) == Some(&ordinal);
        self.next += usize::from(hit);
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_exact() {
        let mut list = List { packets: vec![0, 3, 4, 9], next: 0 };
        let corrupted: Vec<u64> = (0..20).filter(|&ordinal| list.corrupts(ordinal, Time::ZERO, 1000)).collect();
        assert_eq!(corrupted, [0, 3, 4, 9]);
    }
}
