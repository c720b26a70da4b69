//! The drop policies of packets.

use std::sync::Arc;

use super::{Mechanism, PacketPolicy};
use crate::factory::Factory;
use crate::queue::Policy;
use crate::rng::Stream;
use crate::units::Rate;

/// The family, a line each. From the list come the parameters, how each begins, and [`POLICIES`].
macro_rules! packet_policies {
    ($($file:ident::$Name:ident,)*) => {
        $(use super::$file::$Name;)*

        /// A drop policy of packets and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum PacketPolicyParams {
            $($Name(<$Name as Mechanism>::Params),)*
            /// A policy from outside.
            Custom(CustomPacketPolicy),
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
            pub fn name(&self) -> &'static str {
                match self {
                    $(PacketPolicyParams::$Name(_) => $Name::NAME,)*
                    PacketPolicyParams::Custom(_) => CUSTOM,
                }
            }

            /// The policy before the first packet, at a port of this name and rate, under this seed.
            pub fn start(&self, rate: Rate, port: &str, seed: u64) -> Box<dyn PacketPolicy> {
                let draws = Stream::new(seed, port, self.name());
                match self {
                    $(PacketPolicyParams::$Name(params) => Box::new($Name::start(params, rate, draws)),)*
                    PacketPolicyParams::Custom(custom) => (custom.start)(rate, draws),
                }
            }

            /// Whether the policy draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    $(PacketPolicyParams::$Name(_) => $Name::IS_RANDOM,)*
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
}

/// The name of a policy from outside.
pub const CUSTOM: &str = "custom";

/// A policy that is none of the family: how it begins at a port of a rate, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomPacketPolicy {
    start: Factory<Start>,
}

type Start = dyn Fn(Rate, Stream) -> Box<dyn PacketPolicy> + Send + Sync;

impl CustomPacketPolicy {
    /// A policy that `start` begins, at each port anew.
    pub fn new(start: impl Fn(Rate, Stream) -> Box<dyn PacketPolicy> + Send + Sync + 'static) -> CustomPacketPolicy {
        CustomPacketPolicy { start: Factory::new(Arc::new(start)) }
    }
}
