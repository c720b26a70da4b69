//! The error models.

use std::fmt;
use std::sync::Arc;

use super::{Draws, ErrorModel, Mechanism};
use crate::factory::Factory;
use crate::keys::{Key, Misfit, Values};
use crate::units::Time;

/// The family, a line each. From the list come the parameters, the states and their dispatch, and [`ALL`].
macro_rules! error_models {
    ($($file:ident::$Name:ident,)*) => {
        $(use super::$file::$Name;)*

        /// An error model and its parameters. Ordinals count the packets that pass the model, from 0.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum ErrorModelParams {
            $($Name(<$Name as Mechanism>::Params),)*
            /// A model from outside.
            Custom(CustomErrorModel),
        }

        /// An error model at work.
        #[derive(Clone)]
        #[allow(missing_docs)]
        pub enum ErrorModelState {
            $($Name($Name),)*
            /// A model from outside.
            Custom(Box<dyn ErrorModel>),
        }

        /// All of the family.
        pub const ALL: &[Model] = &[$(Model {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            params: |values| $Name::params(values).map(ErrorModelParams::$Name),
        },)*];

        impl ErrorModelParams {
            /// Its name in scenario files, and in what seeds its draws.
            pub fn name(&self) -> &str {
                match self {
                    $(ErrorModelParams::$Name(_) => $Name::NAME,)*
                    ErrorModelParams::Custom(custom) => custom.name(),
                }
            }

            /// Whether the model draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    $(ErrorModelParams::$Name(_) => $Name::IS_RANDOM,)*
                    ErrorModelParams::Custom(_) => true,
                }
            }

            /// The key that makes the model corrupt every packet, if one does.
            pub fn corrupts_all(&self) -> Option<&'static str> {
                match self {
                    $(ErrorModelParams::$Name(params) => $Name::corrupts_all(params),)*
                    ErrorModelParams::Custom(_) => None,
                }
            }

            /// The model before the first packet.
            pub fn start(&self, draws: &Draws<'_>) -> ErrorModelState {
                match self {
                    $(ErrorModelParams::$Name(params) => ErrorModelState::$Name($Name::start(params, draws)),)*
                    ErrorModelParams::Custom(custom) => ErrorModelState::Custom((custom.start)(draws)),
                }
            }
        }

        impl ErrorModelState {
            /// See [`ErrorModel::corrupts`].
            pub fn corrupts(&mut self, ordinal: u64, now: Time, bytes: u32) -> bool {
                match self {
                    $(ErrorModelState::$Name(model) => model.corrupts(ordinal, now, bytes),)*
                    ErrorModelState::Custom(model) => model.corrupts(ordinal, now, bytes),
                }
            }
        }
    };
}

error_models! {
    uniform::Uniform,
    list::List,
    periodic::Periodic,
    markov::Markov,
}

/// An error model as its file describes it.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Its parameters, checked.
    pub params: fn(&Values) -> Result<ErrorModelParams, Misfit>,
}

impl Model {
    /// The error model of this name.
    pub fn named(name: &str) -> Option<&'static Model> {
        ALL.iter().find(|model| model.name == name)
    }
}

/// A model that is none of the family: how it begins, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomErrorModel {
    start: Factory<Start>,
}

type Start = dyn Fn(&Draws<'_>) -> Box<dyn ErrorModel> + Send + Sync;

impl CustomErrorModel {
    /// A model of this name that `start` begins, at each direction of a link anew.
    pub fn new(
        name: impl Into<Arc<str>>,
        start: impl Fn(&Draws<'_>) -> Box<dyn ErrorModel> + Send + Sync + 'static,
    ) -> CustomErrorModel {
        CustomErrorModel { start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files and in what seeds its random numbers.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}

impl fmt::Debug for ErrorModelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorModelState")
    }
}
