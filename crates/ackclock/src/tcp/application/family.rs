//! The applications.

use std::fmt;
use std::sync::Arc;

use super::{Application, Mechanism};
use crate::factory::Factory;
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::Span;

/// The family, a line each. From the list come the parameters, how each begins, and [`ALL`].
macro_rules! applications {
    ($($file:ident::$Name:ident,)*) => {
        $(pub use super::$file::*;)*

        /// An application and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum ApplicationParams {
            $($Name(<$Name as Mechanism>::Params),)*
            /// An application from outside.
            Custom(CustomApplication),
        }

        /// All of the family.
        pub const ALL: &[Description] = &[$(Description {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            has_table: $Name::HAS_TABLE,
            params: |values, mss| $Name::params(values, mss).map(ApplicationParams::$Name),
        },)*];

        impl ApplicationParams {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    $(ApplicationParams::$Name(_) => $Name::NAME,)*
                    ApplicationParams::Custom(custom) => custom.name(),
                }
            }

            /// The application of the flow called `name` before its first offer; `None` if it offers everything at its
            /// beginning.
            pub fn start(&self, seed: u64, name: &str) -> Option<Box<dyn Application>> {
                let draws = Stream::new(seed, name, "application");
                match self {
                    $(ApplicationParams::$Name(params) => $Name::start(params, draws),)*
                    ApplicationParams::Custom(custom) => Some((custom.start)(draws)),
                }
            }

            /// Whether it draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    $(ApplicationParams::$Name(params) => $Name::is_random(params),)*
                    ApplicationParams::Custom(_) => true,
                }
            }

            /// How many bytes it offers in so much time at most, or about so many if that is random; of one from outside this is not
            /// known, and said to be infinitely many.
            pub fn offered_in(&self, time: Span) -> f64 {
                match self {
                    $(ApplicationParams::$Name(params) => $Name::offered_in(params, time),)*
                    ApplicationParams::Custom(_) => f64::INFINITY,
                }
            }
        }
    };
}

applications! {
    bulk::Bulk,
    writes::Writes,
    on_off::OnOff,
    exchanges::Exchanges,
}

/// An application as its file describes it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Whether these stand in a table of its own; else they are keys of the flow.
    pub has_table: bool,
    /// Its parameters, checked, at a sender whose segments have so many bytes of payload.
    pub params: fn(&Values, u32) -> Result<ApplicationParams, Misfit>,
}

impl Description {
    /// The application of this name.
    pub fn named(name: &str) -> Option<&'static Description> {
        ALL.iter().find(|application| application.name == name)
    }
}

/// An application that is none of the family: how it begins, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomApplication {
    start: Factory<Start>,
}

type Start = dyn Fn(Stream) -> Box<dyn Application> + Send + Sync;

impl CustomApplication {
    /// An application of this name that `start` begins, for each flow anew.
    pub fn new(
        name: impl Into<Arc<str>>,
        start: impl Fn(Stream) -> Box<dyn Application> + Send + Sync + 'static,
    ) -> CustomApplication {
        CustomApplication { start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}

impl fmt::Debug for dyn Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Application")
    }
}
