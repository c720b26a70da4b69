//! The rate algorithms.

use std::sync::Arc;

use super::{Mechanism, Port, RateAllocator};
use crate::factory::Factory;
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::Span;

/// The family, a line each. From the list come the parameters, how each begins, and [`ALGORITHMS`].
macro_rules! rate_algorithms {
    ($($file:ident::$Name:ident { $Params:ident },)*) => {
        $(pub use super::$file::{$Name, $Params};)*

        /// A rate algorithm and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum RateAlgorithm {
            $($Name($Params),)*
            /// An algorithm from outside.
            Custom(CustomRateAlgorithm),
        }

        /// All of the family.
        pub const ALGORITHMS: &[Description] = &[$(Description {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            params: |values| $Name::params(values).map(RateAlgorithm::$Name),
        },)*];

        impl RateAlgorithm {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    $(RateAlgorithm::$Name(_) => $Name::NAME,)*
                    RateAlgorithm::Custom(custom) => custom.name(),
                }
            }

            /// T, the averaging interval, of an algorithm that has one.
            pub fn interval(&self) -> Option<Span> {
                match self {
                    $(RateAlgorithm::$Name(params) => $Name::interval(params),)*
                    RateAlgorithm::Custom(custom) => custom.interval,
                }
            }

            /// The algorithm before the first cell, at this port, whose name is `name`, under this seed.
            pub fn start(&self, port: &Port<'_>, name: &str, seed: u64) -> Box<dyn RateAllocator> {
                // A port may have a queue policy of the same name, which draws numbers of its own.
                let draws = Stream::new(seed, name, &format!("rates/{}", self.name()));
                match self {
                    $(RateAlgorithm::$Name(params) => Box::new($Name::start(params, port, draws)),)*
                    RateAlgorithm::Custom(custom) => (custom.start)(port, draws),
                }
            }

            /// Whether it draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    $(RateAlgorithm::$Name(params) => $Name::is_random(params),)*
                    RateAlgorithm::Custom(_) => true,
                }
            }
        }
    };
}

rate_algorithms! {
    efci::Efci { EfciParams },
    capc::Capc { CapcParams },
    erica::Erica { EricaParams },
    erica_plus::EricaPlus { EricaPlusParams },
    max_min::MaxMin { MaxMinParams },
    simplified_erica_plus::SimplifiedEricaPlus { SimplifiedEricaPlusParams },
}

/// What an algorithm says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Its parameters, checked.
    pub params: fn(&Values) -> Result<RateAlgorithm, Misfit>,
}

/// An algorithm that is none of the family: its averaging interval, and how it begins at a port, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomRateAlgorithm {
    interval: Option<Span>,
    start: Factory<Start>,
}

type Start = dyn Fn(&Port<'_>, Stream) -> Box<dyn RateAllocator> + Send + Sync;

impl CustomRateAlgorithm {
    /// An algorithm of this name that `start` begins, at each port anew.
    pub fn new(
        name: impl Into<Arc<str>>,
        interval: Option<Span>,
        start: impl Fn(&Port<'_>, Stream) -> Box<dyn RateAllocator> + Send + Sync + 'static,
    ) -> CustomRateAlgorithm {
        CustomRateAlgorithm { interval, start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files and in what seeds its random numbers.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}
