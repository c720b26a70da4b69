//! The queue disciplines of ports of packets: drop policies of a FIFO, and those of several queues.

use std::sync::Arc;

use super::{Mechanism, QueueDiscipline, QueuePort};
use crate::factory::Factory;
use crate::queue::Policy;
use crate::rng::Stream;

/// The family, a line each. From the list come the parameters, how each begins, and [`POLICIES`].
macro_rules! packet_policies {
    ($($file:ident::$Name:ident,)*) => {
        $(use super::$file::$Name;)*

        /// A queue discipline and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum PacketPolicyParams {
            $($Name(<$Name as Mechanism>::Params),)*
            /// A discipline from outside.
            Custom(CustomDiscipline),
        }

        /// All of the family.
        pub const POLICIES: &[Policy<PacketPolicyParams>] = &[$(Policy {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            needs_limit: $Name::NEEDS_LIMIT,
            doubt: $Name::DOUBT,
            params: |values, port| $Name::params(values, port).map(PacketPolicyParams::$Name),
        },)*];

        impl PacketPolicyParams {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    $(PacketPolicyParams::$Name(_) => $Name::NAME,)*
                    PacketPolicyParams::Custom(custom) => custom.name(),
                }
            }

            /// The discipline before the first packet, at this port, whose name is `name`, under this seed.
            pub fn start(&self, port: &QueuePort<'_>, name: &str, seed: u64) -> Box<dyn QueueDiscipline> {
                let draws = Stream::new(seed, name, self.name());
                match self {
                    $(PacketPolicyParams::$Name(params) => Box::new($Name::start(params, port, draws)),)*
                    PacketPolicyParams::Custom(custom) => (custom.start)(port, draws),
                }
            }

            /// Whether the seed makes a difference at a port that so many connections cross; of one from outside this is not known, and
            /// said to be so.
            pub fn is_random(&self, connections: usize) -> bool {
                match self {
                    $(PacketPolicyParams::$Name(params) => $Name::is_random(params, connections),)*
                    PacketPolicyParams::Custom(_) => true,
                }
            }
        }
    };
}

packet_policies! {
    tail_drop::TailDrop,
    red::Red,
    codel::CoDel,
    pie::Pie,
    fq_codel::FqCoDel,
    drr::Drr,
    blue::Blue,
}

/// A discipline that is none of the family: how it begins at a port, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomDiscipline {
    start: Factory<Start>,
}

type Start = dyn Fn(&QueuePort<'_>, Stream) -> Box<dyn QueueDiscipline> + Send + Sync;

impl CustomDiscipline {
    /// A discipline of this name that `start` begins, at each port anew. That of a drop policy is a [`Fifo`](super::Fifo) with it.
    pub fn new(
        name: impl Into<Arc<str>>,
        start: impl Fn(&QueuePort<'_>, Stream) -> Box<dyn QueueDiscipline> + Send + Sync + 'static,
    ) -> CustomDiscipline {
        CustomDiscipline { start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files and in what seeds its random numbers.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}
