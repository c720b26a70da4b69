//! Applications: when how much data is handed to a TCP sender. What of it is sent when is the sender's.
//!
//! To add one: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod bulk;
mod exchanges;
mod family;
mod offered;
mod on_off;
mod writes;

pub use family::*;
pub(super) use offered::{Known, Offered};

use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// What an application hands to its sender at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Bytes of payload beside those that it has offered before. What does not fill a segment waits for more, or for the end.
    pub bytes: u64,
    /// When it offers more, after now; [`Time::NEVER`] if this was the last of its data.
    pub next: Time,
}

/// When how much data is offered. The size and the stop of the flow end it, whatever the application would go on to offer.
pub trait Application: Send {
    /// What it offers now. It is asked at the beginning of the flow, and then at each instant that the last offer has named.
    fn offer(&mut self, now: Time) -> Offer;
}

/// An application as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key] = &[];
    /// Whether these stand in a table of its own; else they are keys of the flow.
    const HAS_TABLE: bool = true;
    /// Its parameters, checked.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;

    /// Its parameters, at a sender whose segments have so many bytes of payload.
    ///
    /// # Errors
    /// If they do not fit together, or not these segments.
    fn params(values: &Values, mss: u32) -> Result<Self::Params, Misfit>;

    /// The application before its first offer, with random numbers of its own: functions of seed and flow. `None`: it offers all
    /// of its data at its beginning, and there is nothing to ask it.
    fn start(params: &Self::Params, draws: Stream) -> Option<Box<dyn Application>>;

    /// Whether it draws random numbers.
    fn is_random(_params: &Self::Params) -> bool {
        false
    }

    /// How many bytes it offers in so much time at most, or about so many if that is random.
    fn offered_in(params: &Self::Params, time: Span) -> f64;
}
