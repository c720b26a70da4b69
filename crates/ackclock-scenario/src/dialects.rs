//! Dialects of TCP. A dialect is nothing but other defaults of the keys in [tcp]: each is named here, with its source.

use ackclock::packet::Timestamps;

use crate::keys::Fallback::{self, Bare, Text};
use crate::quantity::{Dimension, Quantity};
use crate::settings::Settings;
use crate::values::{self, Value};

/// A default of a dialect.
struct Default {
    key: &'static str,
    value: Fallback,
    source: &'static str,
}

const fn default(key: &'static str, value: Fallback, source: &'static str) -> Default {
    Default { key, value, source }
}

/// ns-2 as it was in 2001, as [VEGAS-A] used it.
const NS2_2001: &[Default] = &[
    default("mss", Text("1000 B"), "[NS2] §1: 1000 B in all"),
    default("header", Text("0 B"), "[NS2] §1: counted in the segment"),
    default("congestion_avoidance", Text("float"), "[NS2] §1"),
    default("initial_window", Text("2 segments"), "[NS2] §1"),
    default("initial_window_from", Text("first-ack"), "[NS2] §1"),
    default("first_segment", Text("empty"), "[NS2] §1"),
    default("receive_window", Text("1000000 B"), "[VEGAS-A] cards: 1000 packets"),
    default("timer", Text("ns2"), "[NS2] §1"),
    default("tick", Text("100 ms"), "[NS2] §1"),
    default("min_rto", Text("1 s"), "[NS2] §1"),
    default("initial_rto", Text("6 s"), "[NS2] §1"),
    default("max_rto", Text("86400 s"), "literature: ns-2, as good as none"),
    default("host_queue_at_timeout", Text("keep"), "[NS2] §1"),
    default("restart_timer_on_partial_ack", Bare("true"), "[NS2] §6"),
    default("restart_timer_on_fast_retransmit", Bare("true"), "[NS2] §6"),
    default("partial_ack_window", Text("reset"), "[NS2] §6"),
    default("recovery_burst", Text("2 segments"), "[NS2] §6"),
    default("growth_at_recovery_end", Bare("true"), "[NS2] §6"),
];

/// TCP by the RFCs of today.
const STANDARD: &[Default] = &[
    default("recovery", Text("rack"), "RFC 8985; hosts of today"),
    default("congestion_avoidance", Text("bytes"), "RFC 5681 §3.1"),
    default("handshake", Bare("true"), "RFC 9293 §3.5"),
    default("fin", Bare("true"), "RFC 9293 §3.6"),
    default("timestamps", Bare("true"), "RFC 7323 §3"),
    default("receive_window", Text("4194304 B"), "Ackclock: limits few paths"),
    default("timer", Text("rfc6298"), "RFC 6298"),
    default("tick", Text("1 ms"), "RFC 6298 §4: finer than 100 ms"),
    default("min_rto", Text("1 s"), "RFC 6298 (2.4)"),
    default("initial_rto", Text("1 s"), "RFC 6298 (2.1)"),
    default("max_rto", Text("60 s"), "RFC 6298 (2.5)"),
    default("delayed_ack", Bare("true"), "RFC 5681 §4.2"),
    default("delayed_ack_timeout", Text("200 ms"), "RFC 5681 §4.2: below 500 ms; BSD"),
    default("host_queue_at_timeout", Text("keep"), "Ackclock: what is queued is sent"),
];

/// New Reno as the RFC has it.
const STANDARD_NEW_RENO: &[Default] =
    &[default("restart_timer_on_partial_ack", Text("first"), "RFC 6582 §3.2 (5): the first of a recovery")];

/// What goes with the growth of Vegas in the older dialects: they have no SACK.
const WITH_VEGAS: &[Default] = &[default("recovery", Text("vegas"), "[NS2] §4: part of Vegas")];
const WITH_VEGAS_1995: &[Default] = &[default("recovery", Text("vegas-1995"), "[BP95] §III.A: part of Vegas")];

/// What BBR needs in any dialect.
const WITH_BBR: &[Default] = &[default("recovery", Text("rack"), "RFC 8985; BBR of today goes with it")];

/// How Vegas begins in ns-2.
const NS2_2001_WITH_VEGAS: &[Default] = &[
    default("initial_window_from", Text("second-ack"), "[NS2] §1: Vegas' own"),
    default("first_segment", Text("data"), "[NS2] §1: Vegas' own"),
];

/// The growths that the recoveries of Vegas belong to.
pub(crate) const VEGAS_FAMILY: [&str; 4] = ["vegas", "vegas-1995", "vegas-a", "vegas-plus"];

/// Puts the defaults of the dialect, and of the growth in it, in the place of the usual ones; `path_mtu` is the largest
/// datagram that the path carries, if that is said.
pub(crate) fn apply(settings: &mut Settings, path_mtu: Option<u32>) {
    let is_ns2 = settings.word("dialect") == Some("ns2-2001");
    let is_vegas = settings.word("growth").is_some_and(|growth| VEGAS_FAMILY.contains(&growth));
    let is_vegas_1995 = settings.word("growth") == Some("vegas-1995");
    let is_bbr = matches!(settings.word("growth"), Some("bbr1" | "bbr3"));
    let is_standard = settings.word("dialect") == Some("standard");
    let layers = [
        (is_ns2, NS2_2001),
        (is_standard, STANDARD),
        (is_vegas && !is_standard, WITH_VEGAS),
        (is_vegas_1995 && !is_standard, WITH_VEGAS_1995),
        (is_ns2 && is_vegas, NS2_2001_WITH_VEGAS),
        (is_bbr, WITH_BBR),
    ];
    for default in layers.iter().filter(|(holds, _)| *holds).flat_map(|(_, defaults)| *defaults) {
        replace(settings, default);
    }
    if is_standard {
        if settings.word("recovery") == Some("new-reno") {
            STANDARD_NEW_RENO.iter().for_each(|default| replace(settings, default));
        }
        replace_mss(settings, path_mtu);
        replace_initial_window(settings);
    }
}

/// RFC 9293 §3.7.1, RFC 6691: what headers and options leave of the path's MTU, or of Ethernet's if none is said.
fn replace_mss(settings: &mut Settings, path_mtu: Option<u32>) {
    let mtu = path_mtu.unwrap_or(ETHERNET_MTU);
    let timestamps = if settings.flag("timestamps") == Some(true) { Timestamps::OPTION_BYTES } else { 0 };
    if let Some(header) = settings.amount("header") {
        let payload = u64::from(mtu).saturating_sub(header + u64::from(timestamps)).max(1);
        let mss = Quantity { dimension: Dimension::Size, amount: payload };
        let source = match path_mtu {
            Some(mtu) => format!("RFC 9293 §3.7.1: the path carries datagrams of {mtu} B"),
            None => "RFC 6691: Ethernet's 1500 B less headers and options".to_owned(),
        };
        settings.replace_default("mss", Value::Quantity(mss), &source);
    }
}

/// Octets of the largest datagram on Ethernet (RFC 894).
const ETHERNET_MTU: u32 = 1500;

/// RFC 6928 §2: ten segments, or as many as 14600 bytes have, but at least two.
fn replace_initial_window(settings: &mut Settings) {
    if let Some(mss) = settings.amount("mss").filter(|&mss| mss > 0) {
        let segments = Quantity { dimension: Dimension::Segments, amount: (14_600 / mss).clamp(2, 10) };
        settings.replace_default("initial_window", Value::Quantity(segments), "RFC 6928 §2");
    }
}

fn replace(settings: &mut Settings, default: &Default) {
    let Some(key) = settings.section.key_named(default.key) else {
        unreachable!("a dialect sets `{}`, which is no key", default.key)
    };
    let Some(value) = values::fallback_value(key, &default.value) else {
        unreachable!("a dialect sets `{}` to what it cannot be", default.key)
    };
    settings.replace_default(key.name, value, default.source);
}
