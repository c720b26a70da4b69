//! What a scenario says of rate control of TCP: parameters that studies publish.

pub(crate) mod checksums;
pub(crate) mod told_windows;

use ackclock::atm::rate::RateAlgorithm;
use ackclock::feedback::RoundTrip;
use ackclock::scenario::Scenario;
use serde::{Deserialize, Serialize};

/// Parameters of the first flow, and of simplified ERICA+ at the bottleneck. Times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateControlSettings {
    pub duration: f64,
    pub averaging_interval: f64,
    pub target_delay: f64,
    pub drain_limit: f64,
    pub a: f64,
    pub b: f64,
    /// The time that window feedback takes for all flows, if it takes one.
    pub round_trip: Option<f64>,
    /// Bits per second of the bottleneck.
    pub rate: f64,
    /// Bytes.
    pub mss: u32,
    /// What the receiver advertises, bytes.
    pub receive_window: u64,
    /// The slow-start threshold before the first loss, bytes; the receive window if it has no other value.
    pub ssthresh: u64,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateControlSetting {
    Duration,
    AveragingInterval,
    TargetDelay,
    DrainLimit,
    A,
    B,
    RoundTrip,
    Rate,
    Mss,
    ReceiveWindow,
    Ssthresh,
}

impl RateControlSetting {
    /// Names in study data.
    pub const NAMES: [(&'static str, RateControlSetting); 11] = [
        ("duration", RateControlSetting::Duration),
        ("averaging-interval", RateControlSetting::AveragingInterval),
        ("target-delay", RateControlSetting::TargetDelay),
        ("drain-limit", RateControlSetting::DrainLimit),
        ("a", RateControlSetting::A),
        ("b", RateControlSetting::B),
        ("round-trip", RateControlSetting::RoundTrip),
        ("rate", RateControlSetting::Rate),
        ("mss", RateControlSetting::Mss),
        ("receive-window", RateControlSetting::ReceiveWindow),
        ("ssthresh", RateControlSetting::Ssthresh),
    ];

    /// What it is, in a word: parameters of the same word can share an axis.
    pub fn counts(self) -> &'static str {
        match self {
            RateControlSetting::Duration
            | RateControlSetting::AveragingInterval
            | RateControlSetting::TargetDelay
            | RateControlSetting::RoundTrip => "time",
            RateControlSetting::DrainLimit | RateControlSetting::A | RateControlSetting::B => "factor",
            RateControlSetting::Rate => "rate",
            RateControlSetting::Mss | RateControlSetting::ReceiveWindow | RateControlSetting::Ssthresh => "bytes",
        }
    }
}

impl RateControlSettings {
    /// Those of a scenario whose bottleneck gives rates to TCP by simplified ERICA+.
    pub fn of(scenario: &Scenario) -> Option<RateControlSettings> {
        let tcp = &scenario.flows.iter().next()?.tcp;
        let bottleneck = &scenario.links[scenario.bottleneck.as_ref()?.link];
        let Some(RateAlgorithm::SimplifiedEricaPlus(params)) = &bottleneck.queue.rates else { return None };
        let window = bottleneck.queue.feedback?.window;
        Some(RateControlSettings {
            duration: scenario.duration.as_secs_f64(),
            averaging_interval: params.interval.as_secs_f64(),
            target_delay: params.control.target_delay.as_secs_f64(),
            drain_limit: params.control.least,
            a: params.control.a,
            b: params.control.b,
            round_trip: window.and_then(|window| match window.round_trip {
                RoundTrip::Fixed(time) => Some(time.as_secs_f64()),
                RoundTrip::Individual => None,
            }),
            rate: bottleneck.rate.as_bps() as f64,
            mss: tcp.mss,
            receive_window: tcp.advertised_window(),
            ssthresh: tcp.initial_ssthresh.unwrap_or(u64::MAX),
        })
    }

    /// The value of one.
    pub fn value(&self, setting: RateControlSetting) -> Option<f64> {
        match setting {
            RateControlSetting::Duration => Some(self.duration),
            RateControlSetting::AveragingInterval => Some(self.averaging_interval),
            RateControlSetting::TargetDelay => Some(self.target_delay),
            RateControlSetting::DrainLimit => Some(self.drain_limit),
            RateControlSetting::A => Some(self.a),
            RateControlSetting::B => Some(self.b),
            RateControlSetting::RoundTrip => self.round_trip,
            RateControlSetting::Rate => Some(self.rate),
            RateControlSetting::Mss => Some(f64::from(self.mss)),
            RateControlSetting::ReceiveWindow => Some(self.receive_window as f64),
            RateControlSetting::Ssthresh => Some(self.ssthresh as f64),
        }
    }
}
