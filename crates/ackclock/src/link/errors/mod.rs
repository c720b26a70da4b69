//! Error models: which of the packets on a link arrive damaged, and are dropped for their checksum.
//! Source: docs/models/paths.md.
//!
//! To add a model: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod family;
mod list;
mod markov;
mod periodic;
mod places;
mod uniform;

pub use family::{ALL, CustomErrorModel, ErrorModelParams, ErrorModelState, Model};
pub use list::{List, ListParams};
pub use markov::{Markov, MarkovParams, Sampling, Stay};
pub use periodic::{Periodic, PeriodicParams};
pub use places::{AppliesTo, ErrorParams, Errors, Packet, PacketKind, Place};
pub use uniform::{Uniform, UniformParams, Unit};

use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::Time;

/// Decides about packets, one after the other.
pub trait ErrorModel: CloneModel + Send {
    /// Whether a packet of this size on the wire is corrupted, which passes the model now and before which so many passed it.
    /// Ordinals come in order; instants need not.
    fn corrupts(&mut self, ordinal: u64, now: Time, bytes: u32) -> bool;
}

/// Copies of whatever model.
pub trait CloneModel {
    /// The same model in the same state.
    fn boxed_clone(&self) -> Box<dyn ErrorModel>;
}

impl<M: ErrorModel + Clone + 'static> CloneModel for M {
    fn boxed_clone(&self) -> Box<dyn ErrorModel> {
        Box::new(self.clone())
    }
}

/// An error model as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism: ErrorModel {
    /// What scenario files call it; also part of what seeds its draws.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key];
    /// Whether it draws random numbers.
    const IS_RANDOM: bool;
    /// Its parameters, checked.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;

    /// Its parameters.
    ///
    /// # Errors
    /// If they do not fit together.
    fn params(values: &Values) -> Result<Self::Params, Misfit>;

    /// The key that makes it corrupt every packet, if one does.
    fn corrupts_all(params: &Self::Params) -> Option<&'static str>;

    /// The model before the first packet.
    fn start(params: &Self::Params, draws: &Draws<'_>) -> Self;
}

/// The random numbers of one error model of one direction of a link: functions of seed, link, model, and its number among those of
/// its kind there.
#[derive(Clone, Copy, Debug)]
pub struct Draws<'a> {
    seed: u64,
    link: &'a str,
    model: &'a str,
    number: usize,
}

impl Draws<'_> {
    /// Those for one purpose.
    pub fn stream(&self, purpose: &str) -> Stream {
        Stream::new(self.seed, self.link, &format!("errors/{}/{}/{purpose}", self.model, self.number))
    }
}

impl Clone for Box<dyn ErrorModel> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
