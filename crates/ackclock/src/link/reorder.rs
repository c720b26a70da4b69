//! Reordering by chance: some packets are held back on their way, and those that follow overtake them. Source: docs/models/paths.md.

use super::chance::Chance;
use crate::keys::{Key, Kind, LATER, Misfit, Values};
use crate::law::Law;
use crate::rng::Stream;
use crate::units::Span;

/// Which packets are held back, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct ReorderParams {
    /// The probability of each packet.
    pub probability: f64,
    /// How much later it arrives.
    pub delay: Law,
}

impl ReorderParams {
    /// The keys of its table.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::required_as("probability", Kind::Share, "0.01", "The probability that a packet is held back."),
        Key::required_as("delay", Kind::Law(&LATER), "\"10 ms\"", "How much later it arrives: a time, or a law of times."),
    ];

    /// What a table says.
    ///
    /// # Errors
    /// If the law's parameters do not fit together.
    pub fn read(values: &Values) -> Result<ReorderParams, Misfit> {
        Ok(ReorderParams { probability: values.number("probability"), delay: Law::read(values.setting("delay"))? })
    }

    pub(crate) fn is_random(&self) -> bool {
        self.probability > 0.0 && self.probability < 1.0 || self.delay.is_random()
    }
}

/// Reordering in one direction of a link.
#[derive(Clone, Debug)]
pub(super) struct Reorder {
    chance: Chance,
    delay: Law,
    choices: Stream,
    delays: Stream,
    packets: u64,
}

impl Reorder {
    /// That of the link called `link` in a run with this seed.
    pub(super) fn new(params: &ReorderParams, seed: u64, link: &str) -> Reorder {
        let [choices, delays] = ["reorder", "reorder-delay"].map(|purpose| Stream::new(seed, link, purpose));
        Reorder { chance: Chance::new(params.probability), delay: params.delay.clone(), choices, delays, packets: 0 }
    }

    /// How much later the next packet arrives, if it is held back.
    pub(super) fn next(&mut self) -> Option<Span> {
        let number = self.packets;
        self.packets += 1;
        self.chance.hits(self.choices.at(number)).then(|| self.delay.span(self.delays, number))
    }
}
