//! Dialects of TCP: other defaults of the keys in [tcp] and of the parameters of congestion controls and recoveries, each named
//! here, with its source.

use super::key::Fallback::{self, Bare, Text};
use super::words::TechnologyWord;

/// A dialect.
pub(crate) struct Dialect {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it has in the place of the usual defaults.
    pub(crate) defaults: &'static [Default],
    /// What else it has where congestion control has fine timeouts, as Vegas does.
    pub(crate) with_fine_timeouts: &'static [Default],
    /// Whether segments and the initial window follow what the path carries.
    pub(crate) follows_mtu: bool,
    /// How many links of satellites a packet may cross, with the source, if the dialect says so.
    pub(crate) satellite_ttl: Option<(u8, &'static str)>,
}

/// The dialect of this name.
pub(crate) fn named(name: &str) -> Option<&'static Dialect> {
    ALL.iter().find(|dialect| dialect.name == name)
}

/// The dialect that networks have without being told: the studies of TCP over ATM are about the TCP of their time.
pub(crate) fn of_technology(technology: Option<TechnologyWord>) -> (&'static str, &'static str) {
    match technology {
        Some(TechnologyWord::Packet) => ("standard", "Ackclock: hosts of today"),
        Some(TechnologyWord::Atm) | None => ("osu", "[SACK-UBR] \u{a7}6.1"),
    }
}

/// All dialects. The first is what the keys default to by themselves.
pub(crate) const ALL: &[Dialect] = &[
    Dialect { name: "osu", defaults: &[], with_fine_timeouts: &[], follows_mtu: false, satellite_ttl: None },
    Dialect {
        name: "ns2-2001",
        defaults: NS2_2001,
        with_fine_timeouts: NS2_2001_WITH_FINE_TIMEOUTS,
        follows_mtu: false,
        satellite_ttl: Some((32, "literature: ns-2")),
    },
    Dialect { name: "standard", defaults: STANDARD, with_fine_timeouts: &[], follows_mtu: true, satellite_ttl: None },
    Dialect {
        name: "linux-2.2-sat",
        defaults: LINUX_2_2_SAT,
        with_fine_timeouts: &[],
        follows_mtu: false,
        satellite_ttl: None,
    },
];

/// What the dialects have in the place of the usual default of a key, as `key` or `mechanism.key`: the dialect, and the value
/// with its source.
pub(crate) fn defaults_of(path: &str) -> Vec<(&'static str, String)> {
    let spelled = |default: &Default| {
        let value = match default.value {
            Text(text) => Some(format!("{text:?}")),
            Bare(text) => Some(text.to_owned()),
            Fallback::Required | Fallback::RequiredAs(_) | Fallback::Value(_) | Fallback::Derived(_) => None,
        };
        format!("{} ({})", value.expect("dialects give values as in a file"), default.source)
    };
    let of = |dialect: &'static Dialect| {
        let find = |defaults: &'static [Default]| defaults.iter().find(|default| default.key == path).map(spelled);
        let derived =
            FOLLOWING_MTU.iter().find(|(key, _)| dialect.follows_mtu && *key == path).map(|(_, words)| *words);
        let usual = find(dialect.defaults).or_else(|| derived.map(String::from));
        let fine = find(dialect.with_fine_timeouts).map(|value| format!("with Vegas {value}"));
        let words: Vec<String> = usual.into_iter().chain(fine).collect();
        (!words.is_empty()).then(|| (dialect.name, words.join(", ")))
    };
    ALL.iter().filter_map(of).collect()
}

/// What follows from the path in dialects whose segments follow it, in words.
const FOLLOWING_MTU: [(&str, &str); 2] = [
    ("mss", "what the path carries less headers and options, 1448 B on Ethernet (RFC 6691)"),
    ("initial_window", "10 segments, fewer of more than 1460 B (RFC 6928 §2)"),
];

/// A default of a dialect.
pub(crate) struct Default {
    /// `key`, or `mechanism.key`.
    pub(crate) key: &'static str,
    pub(crate) value: Fallback,
    pub(crate) source: &'static str,
}

/// A default.
pub(crate) const fn default(key: &'static str, value: Fallback, source: &'static str) -> Default {
    Default { key, value, source }
}

/// ns-2 as it was in 2001, as [VEGAS-A] used it.
const NS2_2001: &[Default] = &[
    default("mss", Text("1000 B"), "[NS2] §1: 1000 B in all"),
    default("header", Text("0 B"), "[NS2] §1: counted in the segment"),
    default("reno.congestion_avoidance", Text("float"), "[NS2] §1"),
    default("initial_window", Text("2 segments"), "[NS2] §1"),
    default("initial_window_from", Text("first-ack"), "[NS2] §1"),
    default("first_segment", Text("empty"), "[NS2] §1"),
    default("receive_window", Text("1000000 B"), "[VEGAS-A] cards: 1000 packets"),
    default("timer", Text("ns2"), "[NS2] §1"),
    default("tick", Text("100 ms"), "[NS2] §1"),
    default("min_rto", Text("1 s"), "[NS2] §1"),
    default("initial_rto", Text("6 s"), "[NS2] §1"),
    default("max_rto", Text("86400 s"), "literature: ns-2, effectively none"),
    default("host_queue_at_timeout", Text("keep"), "[NS2] §1"),
    default("new-reno.restart_timer_on_partial_ack", Bare("true"), "[NS2] §6"),
    default("new-reno.restart_timer_on_fast_retransmit", Bare("true"), "[NS2] §6"),
    default("new-reno.partial_ack_window", Text("reset"), "[NS2] §6"),
    default("new-reno.recovery_burst", Text("2 segments"), "[NS2] §6"),
    default("new-reno.growth_at_recovery_end", Bare("true"), "[NS2] §6"),
];

/// TCP by the RFCs of today.
const STANDARD: &[Default] = &[
    default("recovery", Text("rack"), "RFC 8985; hosts of today"),
    default("reno.congestion_avoidance", Text("bytes"), "RFC 5681 §3.1"),
    default("handshake", Bare("true"), "RFC 9293 §3.5"),
    default("fin", Bare("true"), "RFC 9293 §3.6"),
    default("timestamps", Bare("true"), "RFC 7323 §3"),
    default("ssthresh_from", Text("flight"), "RFC 5681 §3.1, equation (4)"),
    default("hold_ssthresh", Bare("true"), "RFC 5681 §3.1"),
    default("grow_unused_window", Bare("false"), "RFC 7661 §4.4, RFC 9438 §5.8"),
    default("restart_after_idle", Bare("true"), "RFC 5681 §4.1"),
    default("limited_transmit", Bare("true"), "RFC 3042"),
    default("receive_window", Text("auto"), "Ackclock: sized to path and buffer, so that it does not limit"),
    default("timer", Text("rfc6298"), "RFC 6298"),
    default("tick", Text("1 ms"), "RFC 6298 §4: finer than 100 ms"),
    default("min_rto", Text("1 s"), "RFC 6298 (2.4)"),
    default("initial_rto", Text("1 s"), "RFC 6298 (2.1)"),
    default("max_rto", Text("60 s"), "RFC 6298 (2.5)"),
    default("scale_rtt_gains", Bare("true"), "RFC 7323 appendix G"),
    default("delayed_ack", Bare("true"), "RFC 5681 §4.2"),
    default("delayed_ack_timeout", Text("200 ms"), "RFC 5681 §4.2: below 500 ms; BSD"),
    default("host_queue_at_timeout", Text("keep"), "Ackclock: what is queued is sent"),
    default("new-reno.restart_timer_on_partial_ack", Text("first"), "RFC 6582 §3.2 (5): the first of a recovery"),
];

/// Linux 2.2 as [VEGAS-A] §3 used it behind a link emulator and over a satellite.
const LINUX_2_2_SAT: &[Default] = &[
    default("mss", Text("1448 B"), "[VEGAS-A] §3.2.2 has 1460 B; less 12 B of timestamps"),
    default("recovery", Text("rfc6675"), "[VEGAS-A] §3.1: SACK; FACK of Linux is not modelled"),
    default("reno.congestion_avoidance", Text("ack-counting"), "literature: Linux 2.2 counts acknowledgements"),
    default("initial_window", Text("2 segments"), "literature: Linux 2.2"),
    default("handshake", Bare("true"), "RFC 9293 §3.5"),
    default("fin", Bare("true"), "RFC 9293 §3.6"),
    default("timestamps", Bare("true"), "literature: the default of Linux 2.2"),
    default("timestamp_clock", Text("10 ms"), "literature: Linux 2.2, 100 ticks in a second"),
    default("initial_ssthresh", Text("infinite"), "literature: Linux 2.2"),
    default("receive_window", Text("65536 B"), "[VEGAS-A] §3.2: 32 KB to 1024 KB; that of Table 3's first row"),
    default("timer", Text("rfc6298"), "literature: Linux 2.2 has SRTT + 4 RTTVAR, and a margin"),
    default("tick", Text("10 ms"), "literature: Linux 2.2, 100 ticks in a second"),
    default("min_rto", Text("200 ms"), "literature: Linux 2.2"),
    default("rto_margin", Text("linux-2.2"), "literature: Linux 2.2"),
    default("initial_rto", Text("3 s"), "RFC 1122; literature: Linux 2.2"),
    default("max_rto", Text("120 s"), "literature: Linux 2.2"),
    default("restart_timer_on_fast_retransmit", Bare("true"), "literature: Linux 2.2"),
    default("host_queue_at_timeout", Text("keep"), "Ackclock: what is queued is sent"),
    default("delayed_ack", Bare("true"), "RFC 5681 §4.2"),
    default("delayed_ack_timeout", Text("200 ms"), "RFC 5681 §4.2: below 500 ms; literature: Linux 2.2"),
    default("new-reno.restart_timer_on_partial_ack", Text("first"), "RFC 2582 §3; Linux 2.2 restarts it each time"),
];

/// How Vegas begins in ns-2.
const NS2_2001_WITH_FINE_TIMEOUTS: &[Default] = &[
    default("initial_window_from", Text("second-ack"), "[NS2] §1: Vegas' own"),
    default("first_segment", Text("data"), "[NS2] §1: Vegas' own"),
];
