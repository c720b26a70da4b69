//! What a scenario may say about congestion control: how the window grows and shrinks.

use crate::units::Span;

/// Window growth: the other axis.
#[derive(Clone, Debug, PartialEq)]
pub enum GrowthParams {
    /// Slow start and additive increase, halving on loss.
    Reno(CongestionAvoidance),
    /// BBR, version 1.
    Bbr1(Bbr1Params),
    /// BBR, version 3.
    Bbr3(Bbr3Params),
    /// CUBIC of RFC 9438.
    Cubic(CubicParams),
    /// Vegas, as ns-2 has it.
    Vegas(VegasParams),
    /// Vegas, as it was published.
    Vegas1995(VegasParams),
    /// Vegas-A: Vegas with thresholds that adapt.
    VegasA(VegasAParams),
    /// Vegas as Linux has it.
    VegasLinux(VegasLinuxParams),
    /// Vegas+: Vegas that turns to Reno among Renos.
    VegasPlus(VegasPlusParams),
}

impl GrowthParams {
    /// Whether it measures the round trip of every segment.
    pub fn measures(&self) -> bool {
        match self {
            GrowthParams::Reno(_) | GrowthParams::Bbr1(_) | GrowthParams::Bbr3(_) => false,
            GrowthParams::Cubic(_) | GrowthParams::VegasLinux(_) => true,
            GrowthParams::Vegas(_) | GrowthParams::Vegas1995(_) => true,
            GrowthParams::VegasA(_) | GrowthParams::VegasPlus(_) => true,
        }
    }

    /// Whether it sets a rate at which segments leave, and measures that at which they are delivered.
    pub fn paces(&self) -> bool {
        matches!(self, GrowthParams::Bbr1(_) | GrowthParams::Bbr3(_))
    }

    /// Whether it is Vegas or a relative of it that leaves losses to Vegas' own recovery.
    pub fn is_vegas(&self) -> bool {
        use GrowthParams::{Vegas, Vegas1995, VegasA, VegasPlus};
        matches!(self, Vegas(_) | Vegas1995(_) | VegasA(_) | VegasPlus(_))
    }
}

/// The constants of BBR, version 1 (\[BBR1\] §4.1.2, §4.3.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr1Params {
    /// For how long the shortest round trip is believed.
    pub rtprop_window: Span,
    /// For how long next to nothing is sent when it is measured again.
    pub probe_rtt: Span,
}

impl Default for Bbr1Params {
    fn default() -> Bbr1Params {
        Bbr1Params { rtprop_window: Span::from_secs(10), probe_rtt: Span::from_ms(200) }
    }
}

/// The constants of BBR, version 3 (\[BBR3\] §2.8, §2.16).
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr3Params {
    /// For how long the shortest round trip is believed: MinRTTFilterLen.
    pub min_rtt_window: Span,
    /// For how long no shorter one is seen before it is measured again: ProbeRTTInterval.
    pub probe_rtt_interval: Span,
    /// For how long less is sent when it is: ProbeRTTDuration.
    pub probe_rtt: Span,
    /// Lost part of what is in flight above which there was too much: LossThresh.
    pub loss_threshold: f64,
    /// What a round trip with losses leaves at least: Beta.
    pub beta: f64,
    /// Part of inflight_longterm that is left to others: Headroom.
    pub headroom: f64,
}

impl Default for Bbr3Params {
    fn default() -> Bbr3Params {
        Bbr3Params {
            min_rtt_window: Span::from_secs(10),
            probe_rtt_interval: Span::from_secs(5),
            probe_rtt: Span::from_ms(200),
            loss_threshold: 0.02,
            beta: 0.7,
            headroom: 0.15,
        }
    }
}

/// The constants of CUBIC (RFC 9438 §4.1, §4.6, §4.7).
#[derive(Clone, Debug, PartialEq)]
pub struct CubicParams {
    /// C, segments per second cubed.
    pub c: f64,
    /// What is left of the window after a loss.
    pub beta: f64,
    /// Whether a connection that loses below its last maximum gives way to others.
    pub fast_convergence: bool,
}

impl Default for CubicParams {
    fn default() -> CubicParams {
        CubicParams { c: 0.4, beta: 0.7, fast_convergence: true }
    }
}

/// The thresholds of Vegas, in packets that wait in queues.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasParams {
    /// With fewer the window grows.
    pub alpha: f64,
    /// With more it shrinks.
    pub beta: f64,
    /// With more slow start ends.
    pub gamma: f64,
    /// Whether changes of route are looked for, and how.
    pub reroute: Option<RerouteParams>,
}

/// When Vegas takes round trips that have grown for a longer path.
#[derive(Clone, Debug, PartialEq)]
pub struct RerouteParams {
    /// K: packets at the beginning that are not looked at.
    pub first_packets: u32,
    /// N: packets in a block.
    pub block_packets: u32,
    /// L: blocks in a row.
    pub blocks: u32,
    /// How far above base their shortest round trips are, as a part of base.
    pub delta: f64,
    /// Packets that the new window lets wait.
    pub queued_packets: f64,
}

/// The thresholds of Linux' Vegas, whole segments.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasLinuxParams {
    /// With fewer the window grows.
    pub alpha: u32,
    /// With more it shrinks.
    pub beta: u32,
    /// With more slow start ends.
    pub gamma: u32,
}

impl Default for VegasLinuxParams {
    fn default() -> VegasLinuxParams {
        VegasLinuxParams { alpha: 2, beta: 4, gamma: 1 }
    }
}

/// The choices of Vegas+.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasPlusParams {
    /// Its thresholds in moderate mode.
    pub vegas: VegasParams,
    /// At this count it becomes aggressive.
    pub count_max: u32,
    /// When it becomes moderate again.
    pub back: PlusReturn,
}

impl Default for VegasPlusParams {
    fn default() -> VegasPlusParams {
        VegasPlusParams { vegas: VegasParams::default(), count_max: 8, back: PlusReturn::CountIsZero }
    }
}

/// When Vegas+ becomes moderate again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlusReturn {
    /// When losses have halved its count down to zero.
    CountIsZero,
    /// At any loss.
    AnyLoss,
}

impl Default for VegasParams {
    fn default() -> VegasParams {
        VegasParams { alpha: 1.0, beta: 3.0, gamma: 1.0, reroute: None }
    }
}

/// The choices of Vegas-A.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasAParams {
    /// The thresholds at the start.
    pub vegas: VegasParams,
    /// How the window grows by a packet.
    pub increase: Increase,
    /// Throughputs that differ by no more than this part of the earlier one are equal.
    pub th_tolerance: f64,
    /// With this probability equal throughputs count as risen.
    pub tie_up_probability: f64,
    /// With this probability equal throughputs count as fallen.
    pub tie_down_probability: f64,
    /// Whether a loss makes the throughput before it count for nothing.
    pub reset_th_on_loss: bool,
    /// Whether a timeout sets the thresholds back to what they were at the start.
    pub reset_ab_on_rto: bool,
    /// Beyond this alpha does not rise.
    pub alpha_max: Option<f64>,
    /// By how much the thresholds move.
    pub step: AbStep,
    /// Whether they move together.
    pub coupling: AbCoupling,
}

impl Default for VegasAParams {
    fn default() -> VegasAParams {
        VegasAParams {
            vegas: VegasParams::default(),
            increase: Increase::AtOnce,
            th_tolerance: 1e-9,
            tie_up_probability: 0.01,
            tie_down_probability: 0.0,
            reset_th_on_loss: true,
            reset_ab_on_rto: false,
            alpha_max: None,
            step: AbStep::Unit,
            coupling: AbCoupling::Locked,
        }
    }
}

/// How a window grows by a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Increase {
    /// At once, when that is decided.
    AtOnce,
    /// By 1/cwnd with each acknowledgement of the next round trip.
    Spread,
    /// So while alpha is at its floor, which is what Vegas does; at once above it.
    SpreadAtFloor,
}

/// By how much the thresholds of Vegas-A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbStep {
    /// By one packet.
    Unit,
    /// By the relative change of the throughput, times the window, at most one.
    Throughput,
    /// By the relative change of the round-trip time, times the window, at most one.
    Rtt,
}

/// Whether the thresholds of Vegas-A move together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AbCoupling {
    /// Always by the same.
    Locked,
    /// Each by its own multiple of the step.
    Independent {
        /// By which alpha rises.
        raise_alpha: f64,
        /// By which beta rises.
        raise_beta: f64,
        /// By which alpha falls.
        lower_alpha: f64,
        /// By which beta falls.
        lower_beta: f64,
    },
}

/// The arithmetic of `cwnd += mss * mss / cwnd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionAvoidance {
    /// Integer division: the window stops growing beyond mss² bytes [SACK-UBR §7.2].
    Integer,
    /// Integers, but acknowledgements are counted until they are worth at least a byte.
    AckCounting,
    /// Floating point.
    Float,
    /// Acknowledged bytes are counted: a segment per window of them; in slow start no more than a segment per
    /// acknowledgement (RFC 5681 §3.1).
    ByteCounting,
}
