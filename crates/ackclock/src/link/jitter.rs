//! Jitter: what packets take longer than the delay of their link, each by itself. Those that would overtake others arrive with them,
//! or overtake. Source: docs/models/paths.md.

use crate::law::Law;
use crate::rng::Stream;
use crate::units::Span;

/// What packets take longer.
#[derive(Clone, Debug, PartialEq)]
pub struct JitterParams {
    /// How much.
    pub law: JitterLaw,
    /// Whether a packet may arrive before one that was sent before it.
    pub overtaking: bool,
}

/// How much longer packets take.
#[derive(Clone, Debug, PartialEq)]
pub enum JitterLaw {
    /// A whole number of picoseconds below this, each as likely.
    Below(Span),
    /// By a law of times.
    By(Law),
}

impl JitterParams {
    /// Up to this, in order.
    pub fn below(bound: Span) -> JitterParams {
        JitterParams { law: JitterLaw::Below(bound), overtaking: false }
    }

    /// The longest; of laws without one the mean, if there is one.
    pub fn longest(&self) -> Span {
        match &self.law {
            JitterLaw::Below(bound) => *bound,
            JitterLaw::By(law) => {
                Span::from_ps(law.largest().or(law.mean()).map_or(0, |ps| (ps as u64).min(crate::law::LONGEST.as_ps())))
            }
        }
    }

    pub(crate) fn is_random(&self) -> bool {
        match &self.law {
            JitterLaw::Below(bound) => *bound > Span::ZERO,
            JitterLaw::By(law) => law.is_random(),
        }
    }
}

/// The jitter of one direction of a link.
#[derive(Clone, Debug)]
pub(super) struct Jitter {
    params: JitterParams,
    stream: Stream,
    /// Packets so far: each has a random number of its own.
    packets: u64,
}

impl Jitter {
    /// That of the link called `link` in a run with this seed.
    pub(super) fn new(params: &JitterParams, seed: u64, link: &str) -> Jitter {
        Jitter { params: params.clone(), stream: Stream::new(seed, link, "jitter"), packets: 0 }
    }

    pub(super) fn keeps_order(&self) -> bool {
        !self.params.overtaking
    }

    /// Of the next packet.
    pub(super) fn next(&mut self) -> Span {
        self.packets += 1;
        match &self.params.law {
            JitterLaw::Below(Span::ZERO) => Span::ZERO,
            JitterLaw::Below(bound) => Span::from_ps(self.stream.below(bound.as_ps(), self.packets)),
            JitterLaw::By(law) => law.span(self.stream, self.packets - 1),
        }
    }
}
