//! The congestion controls.

use std::fmt;
use std::sync::Arc;

use super::{Ack, CongestionControl, Loss, LostSegment, Mechanism, Needs, Restart, UsualRecovery, Window};
use crate::factory::{Factory, dispatched};
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The family, a line each. From the list come the parameters, the states and their dispatch, and [`ALL`]. The first is
/// part of every sender and inlined, the others are allocated and called: most senders have the first, which does least.
macro_rules! congestion_controls {
    ($first:ident::$First:ident, $($file:ident::$Name:ident,)*) => {
        pub use super::$first::*;
        $(pub use super::$file::*;)*

        /// A congestion control and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum CongestionControlParams {
            $First(<$First as Mechanism>::Params),
            $($Name(<$Name as Mechanism>::Params),)*
            Custom(CustomCongestionControl),
        }

        /// The congestion control of a sender.
        #[derive(Debug)]
        #[allow(missing_docs)]
        pub enum CongestionControlState {
            $First($First),
            $($Name(Box<$Name>),)*
            Custom(Box<dyn CongestionControl>),
        }

        /// All of the family.
        pub const ALL: &[Algorithm] = &[
            Algorithm::of::<$First>(|values| $First::params(values).map(CongestionControlParams::$First)),
            $(Algorithm::of::<$Name>(|values| $Name::params(values).map(CongestionControlParams::$Name)),)*
        ];

        impl CongestionControlParams {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    CongestionControlParams::$First(_) => $First::NAME,
                    $(CongestionControlParams::$Name(_) => $Name::NAME,)*
                    CongestionControlParams::Custom(custom) => custom.name(),
                }
            }

            /// What it needs.
            pub fn needs(&self) -> Needs {
                match self {
                    CongestionControlParams::$First(_) => $First::NEEDS,
                    $(CongestionControlParams::$Name(_) => $Name::NEEDS,)*
                    CongestionControlParams::Custom(custom) => custom.needs,
                }
            }

            /// What a mark leaves of the window where it takes less than a loss, if that is defined.
            pub fn abe(&self) -> Option<f64> {
                match self {
                    CongestionControlParams::$First(_) => $First::ABE,
                    $(CongestionControlParams::$Name(_) => $Name::ABE,)*
                    CongestionControlParams::Custom(custom) => custom.abe,
                }
            }

            /// Whether Vegas' recoveries go with it.
            pub fn has_fine_timeouts(&self) -> bool {
                match self {
                    CongestionControlParams::$First(_) => $First::HAS_FINE_TIMEOUTS,
                    $(CongestionControlParams::$Name(_) => $Name::HAS_FINE_TIMEOUTS,)*
                    CongestionControlParams::Custom(_) => false,
                }
            }

            /// Whether it draws random numbers; of one from outside this is not known, and said to be so.
            pub fn is_random(&self) -> bool {
                match self {
                    CongestionControlParams::$First(params) => $First::is_random(params),
                    $(CongestionControlParams::$Name(params) => $Name::is_random(params),)*
                    CongestionControlParams::Custom(_) => true,
                }
            }

            /// The congestion control at the start of a connection; what is random in it is drawn from `draws`.
            pub fn start(&self, draws: Stream) -> CongestionControlState {
                match self {
                    CongestionControlParams::$First(params) => {
                        CongestionControlState::$First($First::start(params, draws))
                    }
                    $(CongestionControlParams::$Name(params) => {
                        CongestionControlState::$Name(Box::new($Name::start(params, draws)))
                    })*
                    CongestionControlParams::Custom(custom) => CongestionControlState::Custom((custom.start)(draws)),
                }
            }
        }

        /// Calls the congestion control that this is.
        macro_rules! dispatch {
            ($any:expr, $cc:ident => $call:expr) => {
                match $any {
                    CongestionControlState::$First($cc) => $call,
                    $(CongestionControlState::$Name($cc) => $call,)*
                    CongestionControlState::Custom($cc) => $call,
                }
            };
        }

        impl CongestionControlState {
            /// A copy of what is acknowledged: by reference it would have to be in memory for the first, too.
            #[inline(never)]
            fn on_ack_of_others(&mut self, ack: Ack<'_>, window: &mut Window) {
                dispatch!(self, cc => cc.on_ack(&ack, window));
            }
        }

        impl CongestionControl for CongestionControlState {
            #[inline(always)]
            fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    CongestionControlState::$First(cc) => cc.on_ack(ack, window),
                    others => others.on_ack_of_others(*ack, window),
                }
            }

            dispatched! {
                fn on_congestion(&mut self, loss: &Loss, window: &mut Window);
                fn on_mark(&mut self, mark: &Loss, window: &mut Window) -> bool;
                fn on_rto(&mut self, loss: &Loss, window: &mut Window);
                fn on_repeated_rto(&mut self, loss: &Loss, window: &mut Window);
                fn on_undo(&mut self);
                fn on_handshake(&mut self, now: Time, rtt: Span, window: &Window);
                fn on_restart(&mut self, restart: &Restart);
                fn on_lost_segment(&mut self, lost: &LostSegment);
                fn pacing_rate(&self) -> Option<f64>;
                fn holds_back(&self) -> bool;
            }
        }
    };
}

congestion_controls! {
    reno::Reno,
    cubic::Cubic,
    bbr1::Bbr1,
    bbr3::Bbr3,
    hybla::Hybla,
    illinois::Illinois,
    vegas::Vegas,
    vegas_1995::Vegas1995,
    vegas_a::VegasA,
    vegas_linux::VegasLinux,
    vegas_plus::VegasPlus,
    external::External,
}

/// A congestion control as its file describes it.
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
    /// The recovery that it has where none is chosen, if it is not that of all.
    pub usual_recovery: Option<UsualRecovery>,
    /// Whether Vegas' recoveries go with it.
    pub has_fine_timeouts: bool,
    /// What a mark leaves of the window where it takes less than a loss, if that is defined for it.
    pub abe: Option<f64>,
    /// Whether it decides the size of the window; else somebody outside does.
    pub sets_window: bool,
    /// Its parameters, checked.
    pub params: fn(&Values) -> Result<CongestionControlParams, Misfit>,
}

impl Algorithm {
    const fn of<M: Mechanism>(params: fn(&Values) -> Result<CongestionControlParams, Misfit>) -> Algorithm {
        Algorithm {
            name: M::NAME,
            about: M::ABOUT,
            keys: M::KEYS,
            needs: M::NEEDS,
            usual_recovery: M::USUAL_RECOVERY,
            has_fine_timeouts: M::HAS_FINE_TIMEOUTS,
            abe: M::ABE,
            sets_window: M::SETS_WINDOW,
            params,
        }
    }

    /// The congestion control of this name.
    pub fn named(name: &str) -> Option<&'static Algorithm> {
        ALL.iter().find(|algorithm| algorithm.name == name)
    }

    /// It with the defaults of all its parameters.
    ///
    /// # Panics
    /// If these do not fit together.
    pub fn with_defaults(&self) -> CongestionControlParams {
        (self.params)(&Values::defaults(self.keys)).expect("defaults fit together")
    }
}

/// A congestion control that is none of the family: what it needs, and how it begins, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomCongestionControl {
    needs: Needs,
    abe: Option<f64>,
    start: Factory<Start>,
}

type Start = dyn Fn(Stream) -> Box<dyn CongestionControl> + Send + Sync;

impl CustomCongestionControl {
    /// A congestion control of this name that `start` begins, for each connection anew.
    pub fn new(
        name: impl Into<Arc<str>>,
        needs: Needs,
        start: impl Fn(Stream) -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> CustomCongestionControl {
        CustomCongestionControl { needs, abe: None, start: Factory::new(name, Arc::new(start)) }
    }

    /// The same, for which it is defined that a mark takes less than a loss (RFC 8511): this part of the window is left ([`Loss::kept`]).
    pub fn with_abe(self, kept: f64) -> CustomCongestionControl {
        CustomCongestionControl { abe: Some(kept), ..self }
    }

    /// What it is called, in scenario files.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}

impl fmt::Debug for dyn CongestionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CongestionControl")
    }
}
