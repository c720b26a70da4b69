//! The drop policies of cells.

use std::sync::Arc;

use super::{BatchHints, CellArrival, CellPolicy, Mechanism};
use crate::factory::Factory;
use crate::ids::VcId;
use crate::queue::{Buffer, Policy, Verdict};
use crate::rng::Stream;

/// The family, a line each. From the list come the parameters, the states and their dispatch, and [`POLICIES`].
macro_rules! cell_policies {
    ($($file:ident::$Name:ident,)*) => {
        $(use super::$file::$Name;)*

        /// A drop policy of cells and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum CellPolicyParams {
            $($Name(<$Name as Mechanism>::Params),)*
            /// A policy from outside.
            Custom(CustomCellPolicy),
        }

        /// A drop policy of cells at work.
        #[allow(missing_docs)]
        pub enum CellPolicyState {
            $($Name(<$Name as Mechanism>::State),)*
            /// A policy from outside.
            Custom(Box<dyn CellPolicy>),
        }

        /// All of the family.
        pub const POLICIES: &[Policy<CellPolicyParams>] = &[$(Policy {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            needs_limit: $Name::NEEDS_LIMIT,
            doubt: |_| None,
            params: |values, port| $Name::params(values, port).map(CellPolicyParams::$Name),
        },)*];

        impl CellPolicyParams {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    $(CellPolicyParams::$Name(_) => $Name::NAME,)*
                    CellPolicyParams::Custom(custom) => custom.name(),
                }
            }

            /// The policy before the first cell, for the connections numbered below `vcs`, at a port of this name, under this seed.
            pub fn start(&self, vcs: usize, port: &str, seed: u64) -> CellPolicyState {
                let draws = Stream::new(seed, port, self.name());
                match self {
                    $(CellPolicyParams::$Name(params) => CellPolicyState::$Name($Name::start(params, vcs, draws)),)*
                    CellPolicyParams::Custom(custom) => CellPolicyState::Custom((custom.start)(vcs, draws)),
                }
            }

            /// R, cells, of a policy that has a threshold.
            pub fn threshold_cells(&self) -> Option<f64> {
                match self {
                    $(CellPolicyParams::$Name(params) => $Name::threshold_cells(params),)*
                    CellPolicyParams::Custom(_) => None,
                }
            }

            /// Whether the policy draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    $(CellPolicyParams::$Name(_) => $Name::IS_RANDOM,)*
                    CellPolicyParams::Custom(_) => true,
                }
            }
        }

        impl CellPolicyState {
            /// Calls `visitor` with the policy itself, whose type is known there.
            #[inline]
            pub fn visit<V: Visitor>(&mut self, visitor: V) -> V::Output {
                match self {
                    $(CellPolicyState::$Name(policy) => visitor.visit(policy),)*
                    CellPolicyState::Custom(policy) => visitor.visit(policy),
                }
            }
        }
    };
}

cell_policies! {
    tail_drop::TailDrop,
    ppd::Ppd,
    epd::Epd,
    selective_drop::SelectiveDrop,
    fba::Fba,
    dynamic_threshold::DynamicThreshold,
    red_epd::RedEpd,
}

/// What is done with a policy whose type is known: one kernel for each.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<P: CellPolicy>(self, policy: &mut P) -> Self::Output;
}

/// A policy that is none of the family: how it begins, for the connections numbered below a number, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomCellPolicy {
    start: Factory<dyn Fn(usize, Stream) -> Box<dyn CellPolicy> + Send + Sync>,
}

impl CustomCellPolicy {
    /// A policy of this name that `start` begins, at each port anew.
    pub fn new(
        name: impl Into<Arc<str>>,
        start: impl Fn(usize, Stream) -> Box<dyn CellPolicy> + Send + Sync + 'static,
    ) -> CustomCellPolicy {
        CustomCellPolicy { start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files and in what seeds its random numbers.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}

impl CellPolicy for Box<dyn CellPolicy> {
    fn admit(&mut self, arrival: CellArrival, buffer: &Buffer) -> Verdict {
        (**self).admit(arrival, buffer)
    }
}

impl BatchHints for Box<dyn CellPolicy> {
    fn needs_every_cell(&self) -> bool {
        (**self).needs_every_cell()
    }

    fn reads_per_vc(&self, queued: u32) -> bool {
        (**self).reads_per_vc(queued)
    }

    fn end_accepted(&mut self, vc: VcId) {
        (**self).end_accepted(vc);
    }
}

impl CellPolicy for CellPolicyState {
    fn admit(&mut self, arrival: CellArrival, buffer: &Buffer) -> Verdict {
        struct Admit<'a>(CellArrival, &'a Buffer);
        impl Visitor for Admit<'_> {
            type Output = Verdict;
            fn visit<P: CellPolicy>(self, policy: &mut P) -> Verdict {
                policy.admit(self.0, self.1)
            }
        }
        self.visit(Admit(arrival, buffer))
    }
}

/// Asked always: the engine that leaves questions out knows the type of the policy.
impl BatchHints for CellPolicyState {}
