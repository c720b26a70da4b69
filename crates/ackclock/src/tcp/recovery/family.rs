//! The recoveries.

use std::fmt;
use std::sync::Arc;

use super::{
    BatchHints, Deadline, DupAck, Flight, LossDetection, Mechanism, Needs, NewAck, Recovery, RecoveryContext, Sending,
};
use crate::factory::{Factory, dispatched};
use crate::keys::{Key, Misfit, Values};
use crate::packet::SackBlock;
use crate::rng::Stream;
use crate::tcp::cc::Window;
use crate::units::{Span, Time};

/// The family, a line each. From the list come the parameters, the states and their dispatch, and [`ALL`].
macro_rules! recoveries {
    ($($file:ident::$Name:ident,)*) => {
        $(pub use super::$file::*;)*

        /// A recovery and its parameters: what is retransmitted after a loss.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum RecoveryParams {
            $($Name(<$Name as Mechanism>::Params),)*
            Custom(CustomRecovery),
        }

        /// The recovery of a sender.
        #[derive(Debug)]
        #[allow(missing_docs)]
        pub enum RecoveryState {
            $($Name(<$Name as Mechanism>::State),)*
            Custom(Box<dyn Recovery>),
        }

        /// All of the family.
        pub const ALL: &[Algorithm] = &[
            $(Algorithm {
                name: $Name::NAME,
                about: $Name::ABOUT,
                keys: $Name::KEYS,
                needs: $Name::NEEDS,
                knows_losses: $Name::KNOWS_LOSSES,
                params: |values| $Name::params(values).map(RecoveryParams::$Name),
            },)*
        ];

        impl RecoveryParams {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    $(RecoveryParams::$Name(_) => $Name::NAME,)*
                    RecoveryParams::Custom(custom) => custom.name(),
                }
            }

            /// What it needs.
            pub fn needs(&self) -> Needs {
                match self {
                    $(RecoveryParams::$Name(_) => $Name::NEEDS,)*
                    RecoveryParams::Custom(custom) => custom.needs,
                }
            }

            /// Whether it draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    $(RecoveryParams::$Name(params) => $Name::is_random(params),)*
                    RecoveryParams::Custom(_) => true,
                }
            }

            /// The recovery at the start of a connection with segments of `mss` bytes; what is random in it is drawn from `draws`.
            /// One that needs SACK is New Reno where the receiver has none.
            pub fn start(&self, receiver_sack: bool, mss: u64, draws: Stream) -> RecoveryState {
                if self.needs().sack && !receiver_sack {
                    return RecoveryState::NewReno(NewReno::start(&NewReno::default_params(), mss, draws));
                }
                match self {
                    $(RecoveryParams::$Name(params) => RecoveryState::$Name($Name::start(params, mss, draws)),)*
                    RecoveryParams::Custom(custom) => RecoveryState::Custom((custom.start)(mss, draws)),
                }
            }
        }

        /// Calls the recovery that this is. Not through a `dyn` reference: most calls find nothing to do, so they are worth
        /// being inlined.
        macro_rules! dispatch {
            ($any:expr, $recovery:ident => $call:expr) => {
                match $any {
                    $(RecoveryState::$Name($recovery) => $call,)*
                    RecoveryState::Custom($recovery) => $call,
                }
            };
        }
    };
}

recoveries! {
    vanilla::Vanilla,
    reno::Reno,
    newreno::NewReno,
    fall_floyd::FallFloyd,
    rfc6675::Rfc6675,
    rack::Rack,
    vegas::Vegas,
    vegas_1995::Vegas1995,
}

impl Recovery for RecoveryState {
    dispatched! {
        #[inline(always)]
        fn on_sack(&mut self, now: Time, una: u64, blocks: &[SackBlock], flight: &Flight);
        #[inline]
        fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck;
        #[inline(always)]
        fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck;
        fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>);
        fn sending(&self, flight: &Flight, window: &Window) -> Sending;
        fn on_sent(&mut self, now: Time, seq: u64, fast: bool, flight: &Flight);
        fn in_recovery(&self) -> bool;
        fn on_duplicate(&mut self, duplicate: SackBlock, una: u64, flight: &Flight);
        fn on_undo(&mut self, una: u64);
        fn first_original(&self) -> Option<u64>;
        fn has_reneged(&self, una: u64) -> bool;
        fn on_handshake(&mut self, now: Time, rtt: Span);
        fn expect_timeout(&mut self, at: Time);
        fn deadline(&self) -> Time;
        fn on_deadline(&mut self, flight: &Flight, context: RecoveryContext<'_>) -> Deadline;
        fn loss_detection(&self) -> Option<&dyn LossDetection>;
    }
}

impl BatchHints for RecoveryState {
    dispatched! {
        fn is_idle(&self) -> bool;
        #[inline(always)]
        fn on_round_trip(&mut self, now: Time, start: Time, rtt: Option<Span>);
        #[inline(always)]
        fn controls_sending(&self) -> bool;
    }
}

/// A recovery as its file describes it.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// What it needs.
    pub needs: Needs,
    /// Whether it knows from selective acknowledgements what is lost and what is in flight.
    pub knows_losses: bool,
    /// Its parameters, checked.
    pub params: fn(&Values) -> Result<RecoveryParams, Misfit>,
}

impl Algorithm {
    /// The recovery of this name.
    pub fn named(name: &str) -> Option<&'static Algorithm> {
        ALL.iter().find(|algorithm| algorithm.name == name)
    }

    /// It with the defaults of all its parameters.
    ///
    /// # Panics
    /// If these do not fit together.
    pub fn with_defaults(&self) -> RecoveryParams {
        (self.params)(&Values::defaults(self.keys)).expect("defaults fit together")
    }
}

/// A recovery that is none of the family: what it needs, and how it begins, with segments of so many bytes and random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomRecovery {
    needs: Needs,
    start: Factory<Start>,
}

type Start = dyn Fn(u64, Stream) -> Box<dyn Recovery> + Send + Sync;

impl CustomRecovery {
    /// A recovery of this name that `start` begins, for each connection anew.
    pub fn new(
        name: impl Into<Arc<str>>,
        needs: Needs,
        start: impl Fn(u64, Stream) -> Box<dyn Recovery> + Send + Sync + 'static,
    ) -> CustomRecovery {
        CustomRecovery { needs, start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}

impl fmt::Debug for dyn Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recovery")
    }
}
