//! Dialects of TCP: other defaults of the keys in [tcp] and of the parameters of congestion controls and recoveries, each named
//! here, with its source.

use ackclock::tcp::cc;

use super::words::TechnologyWord;

/// A dialect.
pub(crate) struct Dialect {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it has in the place of the usual defaults.
    pub(crate) defaults: &'static [Default],
    /// What else it has with some congestion controls.
    pub(crate) with: &'static [(With, &'static [Default])],
    /// Whether segments and the initial window follow what the path carries.
    pub(crate) follows_mtu: bool,
    /// How many links of satellites a packet may cross, with the source, if the dialect says so.
    pub(crate) satellite_ttl: Option<(u8, &'static str)>,
}

/// Congestion controls with which a dialect has other defaults.
#[derive(Clone, Copy, Debug)]
pub(crate) enum With {
    /// Those with fine timeouts, as Vegas.
    FineTimeouts,
    /// That of this name.
    Named(&'static str),
}

impl With {
    /// Whether it is one of them.
    pub(crate) fn is(self, algorithm: &cc::Algorithm) -> bool {
        match self {
            With::FineTimeouts => algorithm.has_fine_timeouts,
            With::Named(name) => algorithm.name == name,
        }
    }

    fn words(self) -> &'static str {
        match self {
            With::FineTimeouts => "Vegas",
            With::Named(name) => name,
        }
    }
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
    Dialect { name: "osu", defaults: &[], with: &[], follows_mtu: false, satellite_ttl: None },
    Dialect {
        name: "ns2-2001",
        defaults: NS2_2001,
        with: &[(With::FineTimeouts, NS2_2001_WITH_FINE_TIMEOUTS)],
        follows_mtu: false,
        satellite_ttl: Some((32, "literature: ns-2")),
    },
    Dialect { name: "standard", defaults: STANDARD, with: &[], follows_mtu: true, satellite_ttl: None },
    Dialect {
        name: "linux",
        defaults: LINUX,
        with: &[(With::Named("cubic"), LINUX_WITH_CUBIC)],
        follows_mtu: true,
        satellite_ttl: None,
    },
    Dialect { name: "linux-2.2-sat", defaults: LINUX_2_2_SAT, with: &[], follows_mtu: false, satellite_ttl: None },
];

/// What the dialects have in the place of the usual default of a key, as `key` or `mechanism.key`: the dialect, and the value
/// with its source.
pub(crate) fn defaults_of(path: &str) -> Vec<(&'static str, String)> {
    let spelled = |(_, value, source): &Default| match *value {
        "true" | "false" => format!("{value} ({source})"),
        text => format!("{text:?} ({source})"),
    };
    let of = |dialect: &'static Dialect| {
        let find = |defaults: &'static [Default]| defaults.iter().find(|(key, ..)| *key == path).map(spelled);
        let derived =
            FOLLOWING_MTU.iter().find(|(key, _)| dialect.follows_mtu && *key == path).map(|(_, words)| *words);
        let usual = find(dialect.defaults).or_else(|| derived.map(String::from));
        let with = dialect
            .with
            .iter()
            .filter_map(|(with, defaults)| find(defaults).map(|value| format!("with {} {value}", with.words())));
        let words: Vec<String> = usual.into_iter().chain(with).collect();
        (!words.is_empty()).then(|| (dialect.name, words.join(", ")))
    };
    ALL.iter().filter_map(of).collect()
}

/// What follows from the path in dialects whose segments follow it, in words.
const FOLLOWING_MTU: [(&str, &str); 2] = [
    ("mss", "what the path carries less headers and options, 1448 B on Ethernet (RFC 6691)"),
    ("initial_window", "10 segments, fewer of more than 1460 B (RFC 6928 §2)"),
];

/// A default of a dialect: `key` or `mechanism.key`, the value as `--set` takes it, and its source.
pub(crate) type Default = (&'static str, &'static str, &'static str);

/// ns-2 as it was in 2001, as [VEGAS-A] used it.
const NS2_2001: &[Default] = &[
    ("mss", "1000 B", "[NS2] §1: 1000 B in all"),
    ("header", "0 B", "[NS2] §1: counted in the segment"),
    ("reno.congestion_avoidance", "float", "[NS2] §1"),
    ("initial_window", "2 segments", "[NS2] §1"),
    ("initial_window_from", "first-ack", "[NS2] §1"),
    ("first_segment", "empty", "[NS2] §1"),
    ("receive_window", "1000000 B", "[VEGAS-A] cards: 1000 packets"),
    ("timer", "ns2", "[NS2] §1"),
    ("tick", "100 ms", "[NS2] §1"),
    ("min_rto", "1 s", "[NS2] §1"),
    ("initial_rto", "6 s", "[NS2] §1"),
    ("max_rto", "86400 s", "literature: ns-2, effectively none"),
    ("host_queue_at_timeout", "keep", "[NS2] §1"),
    ("new-reno.restart_timer_on_partial_ack", "true", "[NS2] §6"),
    ("new-reno.restart_timer_on_fast_retransmit", "true", "[NS2] §6"),
    ("new-reno.partial_ack_window", "reset", "[NS2] §6"),
    ("new-reno.recovery_burst", "2 segments", "[NS2] §6"),
    ("new-reno.growth_at_recovery_end", "true", "[NS2] §6"),
];

/// TCP by the RFCs of today.
const STANDARD: &[Default] = &[
    ("recovery", "rack", "RFC 8985; hosts of today"),
    ("reno.congestion_avoidance", "bytes", "RFC 5681 §3.1"),
    ("handshake", "true", "RFC 9293 §3.5"),
    ("fin", "true", "RFC 9293 §3.6"),
    ("timestamps", "true", "RFC 7323 §3"),
    ("ssthresh_from", "flight", "RFC 5681 §3.1, equation (4)"),
    ("hold_ssthresh", "true", "RFC 5681 §3.1"),
    ("grow_unused_window", "false", "RFC 7661 §4.4, RFC 9438 §5.8"),
    ("restart_after_idle", "true", "RFC 5681 §4.1"),
    ("limited_transmit", "true", "RFC 3042"),
    ("receive_window", "auto", "Ackclock: sized to path and buffer, so that it does not limit"),
    ("timer", "rfc6298", "RFC 6298"),
    ("tick", "1 ms", "RFC 6298 §4: finer than 100 ms"),
    ("min_rto", "1 s", "RFC 6298 (2.4)"),
    ("initial_rto", "1 s", "RFC 6298 (2.1)"),
    ("max_rto", "60 s", "RFC 6298 (2.5)"),
    ("undo_response", "eifel", "RFC 4015 §3"),
    ("scale_rtt_gains", "true", "RFC 7323 appendix G"),
    ("delayed_ack", "true", "RFC 5681 §4.2"),
    ("delayed_ack_timeout", "200 ms", "RFC 5681 §4.2: below 500 ms; BSD"),
    ("host_queue_at_timeout", "keep", "Ackclock: what is queued is sent"),
    ("new-reno.restart_timer_on_partial_ack", "first", "RFC 6582 §3.2 (5): the first of a recovery"),
];

/// A host on Linux of today, with what its kernel does by itself. Recalled and read in public copies of its source, behaviour only.
const LINUX: &[Default] = &[
    ("congestion_control", "cubic", "Linux 6.x, net/ipv4/Kconfig: the default"),
    ("recovery", "rack", "Linux 6.x, tcp_recovery.c: tcp_recovery = 1, tcp_early_retrans = 3"),
    ("rack.window_reduction", "proportional", "Linux 6.x, tcp_input.c: tcp_cwnd_reduction"),
    ("rfc6675.window_reduction", "proportional", "Linux 6.x, tcp_input.c: tcp_cwnd_reduction"),
    ("ecn_reduction", "proportional", "Linux 6.x, tcp_input.c: tcp_enter_cwr"),
    ("undo", "both", "Linux 6.x, tcp_input.c: tcp_may_undo"),
    ("f_rto", "true", "Linux 6.x, tcp_input.c: tcp_frto = 2"),
    ("dsack", "true", "Linux 6.x, tcp_ipv4.c: tcp_dsack = 1"),
    ("reno.congestion_avoidance", "bytes", "Linux 6.x, tcp_cong.c: tcp_cong_avoid_ai counts what is acknowledged"),
    ("slow_start_limit", "unlimited", "Linux 6.x, tcp_cong.c: tcp_slow_start"),
    (
        "window_growth",
        "linux",
        "Linux 6.x, tcp.h: tcp_is_cwnd_limited; tcp_input.c: tcp_cong_control counts what is delivered",
    ),
    ("initial_ssthresh", "infinite", "Linux 6.x, tcp.h: TCP_INFINITE_SSTHRESH"),
    ("ssthresh_from", "window", "Linux 6.x, tcp_cong.c, tcp_cubic.c: half or 0.7 of the congestion window"),
    ("hold_ssthresh", "true", "Linux 6.x, tcp_input.c: tcp_enter_loss"),
    ("grow_unused_window", "false", "Linux 6.x, tcp.h: tcp_is_cwnd_limited"),
    ("restart_after_idle", "true", "Linux 6.x, tcp_output.c: tcp_slow_start_after_idle = 1"),
    ("idle_reduction", "halving", "Linux 6.x, tcp_output.c: tcp_cwnd_restart"),
    ("limited_transmit", "true", "Linux 6.x, tcp_input.c: RFC 3042"),
    ("handshake", "true", "RFC 9293 §3.5"),
    ("fin", "true", "RFC 9293 §3.6"),
    ("timestamps", "true", "Linux 6.x, tcp_ipv4.c: tcp_timestamps = 1, of 1 ms"),
    ("receive_window", "auto", "Ackclock: sized to path and buffer, so that it does not limit"),
    ("timer", "linux", "Linux 6.x, tcp_input.c: tcp_rtt_estimator"),
    ("tick", "1 ms", "Linux 6.x: round trips in microseconds, timers in jiffies"),
    ("min_rto", "200 ms", "Linux 6.x, tcp.h: TCP_RTO_MIN"),
    ("initial_rto", "1 s", "Linux 6.x, tcp.h: TCP_TIMEOUT_INIT"),
    ("max_rto", "120 s", "Linux 6.x, tcp.h: TCP_RTO_MAX"),
    ("restart_timer_on_fast_retransmit", "true", "Linux 6.x, tcp_output.c: tcp_xmit_retransmit_queue"),
    ("new-reno.restart_timer_on_partial_ack", "true", "Linux 6.x, tcp_input.c: tcp_rearm_rto"),
    ("delayed_ack", "linux", "Linux 6.x, tcp_input.c: __tcp_ack_snd_check"),
    ("host_queue_at_timeout", "keep", "Linux 6.x: what is queued is sent"),
];

/// What CUBIC has beside.
const LINUX_WITH_CUBIC: &[Default] = &[
    ("slow_start_exit", "hystart", "Linux 6.x, tcp_cubic.c: hystart = 1"),
    ("cubic.least_growth", "0.05", "Linux 6.x, tcp_cubic.c: bictcp_update, a segment for 20 at least"),
];

/// Linux 2.2 as [VEGAS-A] §3 used it behind a link emulator and over a satellite.
const LINUX_2_2_SAT: &[Default] = &[
    ("mss", "1448 B", "[VEGAS-A] §3.2.2 has 1460 B; less 12 B of timestamps"),
    ("recovery", "rfc6675", "[VEGAS-A] §3.1: SACK; FACK of Linux is not modelled"),
    ("reno.congestion_avoidance", "ack-counting", "literature: Linux 2.2 counts acknowledgements"),
    ("initial_window", "2 segments", "literature: Linux 2.2"),
    ("handshake", "true", "RFC 9293 §3.5"),
    ("fin", "true", "RFC 9293 §3.6"),
    ("timestamps", "true", "literature: the default of Linux 2.2"),
    ("timestamp_clock", "10 ms", "literature: Linux 2.2, 100 ticks in a second"),
    ("initial_ssthresh", "infinite", "literature: Linux 2.2"),
    ("receive_window", "65536 B", "[VEGAS-A] §3.2: 32 KB to 1024 KB; that of Table 3's first row"),
    ("timer", "rfc6298", "literature: Linux 2.2 has SRTT + 4 RTTVAR, and a margin"),
    ("tick", "10 ms", "literature: Linux 2.2, 100 ticks in a second"),
    ("min_rto", "200 ms", "literature: Linux 2.2"),
    ("rto_margin", "linux-2.2", "literature: Linux 2.2"),
    ("initial_rto", "3 s", "RFC 1122; literature: Linux 2.2"),
    ("max_rto", "120 s", "literature: Linux 2.2"),
    ("restart_timer_on_fast_retransmit", "true", "literature: Linux 2.2"),
    ("host_queue_at_timeout", "keep", "Ackclock: what is queued is sent"),
    ("delayed_ack", "true", "RFC 5681 §4.2"),
    ("delayed_ack_timeout", "200 ms", "RFC 5681 §4.2: below 500 ms; literature: Linux 2.2"),
    ("new-reno.restart_timer_on_partial_ack", "first", "RFC 2582 §3; Linux 2.2 restarts it each time"),
];

/// How Vegas begins in ns-2.
const NS2_2001_WITH_FINE_TIMEOUTS: &[Default] =
    &[("initial_window_from", "second-ack", "[NS2] §1: Vegas' own"), ("first_segment", "data", "[NS2] §1: Vegas' own")];

#[cfg(test)]
mod tests {
    use super::*;

    /// Both dialects of today are compared rule by rule on a page: each key in which one of them differs from the others stands there.
    #[test]
    fn every_rule_of_todays_dialects_is_on_the_page_that_compares_them() {
        let page = include_str!("../../../../docs/models/linux.md");
        // What follows from other rows, or is on another page.
        let elsewhere = ["scale_rtt_gains", "delayed_ack_timeout", "rfc6675.window_reduction"];
        let keys = STANDARD.iter().chain(LINUX).chain(LINUX_WITH_CUBIC).map(|(key, ..)| *key);
        let missing: Vec<&str> =
            keys.filter(|key| !elsewhere.contains(key) && !page.contains(&format!("`{key}`"))).collect();
        assert_eq!(missing, [""; 0], "add a row to docs/models/linux.md");
    }
}
