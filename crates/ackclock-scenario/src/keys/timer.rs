//! Keys of the retransmission timer of TCP.

use super::key::*;
use super::words::{self, words_of};
use crate::values::quantity::Dimension;

pub(super) const KEYS: &[Key] = &[
    Key {
        sections: TCPS,
        name: "timer",
        kind: Kind::Word(const { &words_of(&words::TIMERS) }),
        default: Fallback::Text("bsd"),
        source: "[SD-PLUS] §5.2",
        about: "The retransmission timer: bsd and ns2 count round trips in ticks, and bsd expires at a tick; rfc6298 measures round trips exactly, and the tick is the granularity of its clock.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "tick",
        kind: amount(&[Limit { dimension: Dimension::Time, min: 1_000, max: HOUR_PS }]),
        default: Fallback::Text("100 ms"),
        source: "[SD-PLUS] §5.2",
        about: "Granularity of the retransmission timer.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "tick_phase",
        kind: amount_or(&[Limit { dimension: Dimension::Time, min: 0, max: HOUR_PS }], &["random"]),
        default: Fallback::Text("0 s"),
        source: "inferred",
        about: "The offset of the ticks: the same for all hosts, or random for each.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "min_rto",
        kind: amount(&[
            Limit { dimension: Dimension::Ticks, min: 1, max: u32::MAX as u64 },
            Limit { dimension: Dimension::Time, min: 1, max: HOUR_PS },
        ]),
        default: Fallback::Text("2 ticks"),
        source: "[UBR-ABR] §3.1; elsewhere inferred",
        about: "Lower bound of the retransmission timeout; a time is rounded up to ticks.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "initial_rto",
        kind: amount(&[Limit { dimension: Dimension::Time, min: 1, max: DAY_PS }]),
        default: Fallback::Text("3 s"),
        source: "literature: BSD",
        about: "Timeout before the first sample of the round-trip time.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "max_rto",
        kind: amount(&[Limit { dimension: Dimension::Time, min: 1, max: DAY_PS }]),
        default: Fallback::Text("64 s"),
        source: "literature: BSD",
        about: "Upper bound of the timeout, backoff included.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "scale_rtt_gains",
        kind: Kind::Flag,
        default: Fallback::Bare("false"),
        source: "RFC 6298 §2: gains for one sample per round trip",
        about: "Whether the timer rfc6298 divides the gains of its estimator by the samples that a round trip is expected to have, where timestamps give one with each acknowledgement.",
        used_if: IF_TIMESTAMPS,
    },
    Key {
        sections: TCPS,
        name: "timer_per",
        kind: Kind::Word(const { &words_of(&words::TIMER_SCOPES) }),
        default: Fallback::Text("connection"),
        source: "literature: BSD; RFC 6298 §5",
        about: "What the retransmission timer times: the connection, so that each acknowledgement of new data restarts it; or the oldest segment that is not acknowledged, from the time at which that was sent.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "restart_timer_on_fast_retransmit",
        kind: Kind::Flag,
        default: Fallback::Bare("false"),
        source: "RFC 6298 §5; true: literature: 4.4BSD",
        about: "Whether a fast retransmit restarts the retransmission timer, whatever the recovery says.",
        used_if: ALWAYS,
    },
    Key {
        sections: TCPS,
        name: "rto_margin",
        kind: Kind::Word(const { &words_of(&words::RTO_MARGINS) }),
        default: Fallback::Text("none"),
        source: "RFC 6298 §2; linux-2.2: literature: Linux 2.2",
        about: "What the timeout has beyond that of RFC 6298: nothing, or as in Linux 2.2 a quarter of it, and all of it divided by 2 as often as the congestion window has segments beyond the first.",
        used_if: IF_RFC6298,
    },
    Key {
        sections: TCPS,
        name: "segment_timeout",
        kind: Kind::Word(const { &words_of(&words::SEGMENT_TIMEOUTS) }),
        default: Fallback::Text("current"),
        source: "inferred; when-sent: [UBR-ABR] §2.4",
        about: "For how long the timer of a segment runs: for the timeout that holds when the segment becomes the oldest that is not acknowledged; or for that which held when it was sent.",
        used_if: IF_TIMER_PER_SEGMENT,
    },
    Key {
        sections: TCPS,
        name: "rtt_samples",
        kind: Kind::Word(const { &words_of(&words::RTT_SAMPLES) }),
        default: Fallback::Text("one-at-a-time"),
        source: "literature: BSD; every-segment: [UBR-ABR] §2.4",
        about: "Of which segments the timer measures round trips: of one at a time, or of every one. Of a segment that is sent more than once it measures none.",
        used_if: IF_NO_TIMESTAMPS,
    },
    Key {
        sections: TCPS,
        name: "rttvar_factor",
        kind: Kind::Integer { min: 1, max: 16 },
        default: Fallback::Bare("4"),
        source: "literature: 4.3BSD-Reno; 4.3BSD-Tahoe has 2",
        about: "How many mean deviations the timeout of BSD is above the smoothed round trip: SRTT + rttvar_factor times RTTVAR.",
        used_if: IF_TIMER_OF_BSD,
    },
];

const IF_RFC6298: &[Condition] = &[Condition { key: "timer", is: &["rfc6298"] }];
const IF_TIMER_PER_SEGMENT: &[Condition] = &[Condition { key: "timer_per", is: &["segment"] }];
const IF_TIMESTAMPS: &[Condition] = &[Condition { key: "timestamps", is: &["true"] }];
const IF_NO_TIMESTAMPS: &[Condition] = &[Condition { key: "timestamps", is: &["false"] }];
const IF_TIMER_OF_BSD: &[Condition] = &[Condition { key: "timer", is: &["bsd"] }];
