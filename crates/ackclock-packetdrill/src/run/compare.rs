//! A packet that a script expects, and what the host has sent.
//!
//! What a script writes as one segment may be several on the wire, one after the other: so packetdrill compares, unless it is told otherwise.

use std::collections::BTreeMap;

use crate::host::{Host, NAMES, Sent};
use crate::script::{EcnBits, Flags, Named, Packet, TcpOption};

/// What is remembered of packets that were compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    /// The tick of timestamps if their values are compared, microseconds.
    tick_us: Option<i64>,
    /// Timestamps of the host, as the script says them and as they were.
    values: BTreeMap<u32, u32>,
    first: Option<(u32, u32)>,
}

impl Comparison {
    /// An option of the script about packets; whether it is one.
    pub(super) fn take_option(&mut self, option: &Named) -> bool {
        match option.name.as_str() {
            "tcp_ts_tick_usecs" => self.tick_us = option.value.parse().ok(),
            "ip_version" | "local_ip" | "remote_ip" | "gateway_ip" | "netmask_ip" | "bind_port" | "connect_port"
            | "define" | "mss" | "speed" | "send_omit_free" => {}
            _ => return false,
        }
        true
    }

    /// A packet that comes in, with timestamps as the host has sent them.
    pub(super) fn to_live(&self, packet: &Packet) -> Packet {
        let mut packet = packet.clone();
        for option in packet.options.iter_mut().flatten() {
            if let TcpOption::Timestamps { echo, .. } = option {
                let shifted = self.first.map(|(script, live)| echo.wrapping_sub(script).wrapping_add(live));
                *echo = self.values.get(echo).copied().or(shifted).unwrap_or(*echo);
            }
        }
        packet
    }

    /// What was sent in place of the packet: several segments as one.
    pub(super) fn take(&self, packet: &Packet, host: &mut Host) -> Option<Sent> {
        let mut whole = host.take_sent()?;
        while whole.len > 0 && whole.len < u64::from(packet.len) {
            let end = whole.seq + whole.len;
            let follows = |next: &&Sent| next.seq == end && next.len > 0 && next.ack == whole.ack && !next.flags.syn;
            if host.sent().filter(follows).is_none() {
                break;
            }
            let Some(next) = host.take_sent() else { break };
            whole.len += next.len;
            whole.flags.fin |= next.flags.fin;
            whole.flags.cwr |= next.flags.cwr;
        }
        Some(whole)
    }

    /// What is different, if anything is.
    pub(super) fn differs(&mut self, packet: &Packet, sent: &Sent, tolerance_us: i64) -> Option<String> {
        if packet.flags != sent.flags {
            return Some(format!("its flags are {}, expected {}", letters(sent.flags), letters(packet.flags)));
        }
        let numbers = [
            ("first number", Some(u64::from(packet.seq)), Some(sent.seq)),
            ("length", Some(u64::from(packet.len)), Some(sent.len)),
            ("acknowledgement", packet.ack.map(u64::from), sent.ack),
        ];
        let shown = |number: Option<u64>| number.map_or("none".to_string(), |number| number.to_string());
        for (what, expected, actual) in numbers {
            if expected != actual {
                return Some(format!("its {what} is {}, expected {}", shown(actual), shown(expected)));
            }
        }
        let is_ect = match packet.ecn {
            None => sent.ect,
            Some(EcnBits::Ect0 | EcnBits::Ect01) => true,
            Some(_) => false,
        };
        if is_ect != sent.ect {
            let (not, expected) = if sent.ect { ("", "it is not") } else { ("not ", "it is") };
            return Some(format!("it is {not}marked as ECT(0), expected that {expected}"));
        }
        packet.options.as_ref()?;
        self.options_differ(packet, sent, tolerance_us)
    }

    fn options_differ(&mut self, packet: &Packet, sent: &Sent, tolerance_us: i64) -> Option<String> {
        let mss = packet.mss();
        if packet.flags.syn && mss != sent.mss {
            return Some(format!("its segment size is {:?}, expected {mss:?}", sent.mss));
        }
        let has = [
            ("SACK permitted", packet.permits_sack(), sent.sack),
            ("window scale", packet.scale().is_some(), sent.scale.is_some()),
            ("timestamps", packet.timestamps().is_some(), sent.timestamps.is_some()),
        ];
        for (what, expected, actual) in has {
            if expected != actual {
                let (has, expected) = if actual { ("the", "none") } else { ("no", "one") };
                return Some(format!("it has {has} option {what}, expected {expected}"));
            }
        }
        if packet.blocks() != sent.blocks {
            let (expected, actual) = (blocks(packet.blocks()), blocks(&sent.blocks));
            return Some(format!("its SACK blocks are {actual}, expected {expected}"));
        }
        let ((value, echo), timestamps) = (packet.timestamps()?, sent.timestamps?);
        if echo != timestamps.echo {
            return Some(format!("its timestamp echoes {}, expected {echo}", timestamps.echo));
        }
        self.values.insert(value, timestamps.value);
        let (script, live) = *self.first.get_or_insert((value, timestamps.value));
        let shown = timestamps.value.wrapping_sub(live).wrapping_add(script);
        let error_us = i64::from(shown.wrapping_sub(value) as i32).abs() * self.tick_us?;
        (error_us > tolerance_us).then(|| format!("its timestamp is {shown}, expected {value}"))
    }
}

/// A packet that is expected, as scripts write it.
pub(super) fn expected(packet: &Packet) -> String {
    let (seq, len) = (u64::from(packet.seq), u64::from(packet.len));
    written(packet.flags, seq, len, packet.ack.map(u64::from), packet.blocks(), packet.timestamps())
}

/// A packet that was sent, as scripts write it.
pub(super) fn actual(sent: &Sent) -> String {
    let timestamps = sent.timestamps.map(|timestamps| (timestamps.value, timestamps.echo));
    written(sent.flags, sent.seq, sent.len, sent.ack, &sent.blocks, timestamps)
}

fn written(
    flags: Flags,
    seq: u64,
    len: u64,
    ack: Option<u64>,
    held: &[(u32, u32)],
    timestamps: Option<(u32, u32)>,
) -> String {
    let ack = ack.map(|ack| format!(" ack {ack}")).unwrap_or_default();
    let sack = (!held.is_empty()).then(|| format!("sack {}", blocks(held)));
    let timestamps = timestamps.map(|(value, echo)| format!("TS val {value} ecr {echo}"));
    let options: Vec<String> = timestamps.into_iter().chain(sack).collect();
    let options = if options.is_empty() { String::new() } else { format!(" <{}>", options.join(",")) };
    format!("{} {seq}:{}({len}){ack}{options}", letters(flags), seq + len)
}

fn letters(flags: Flags) -> String {
    let all =
        [(flags.syn, 'S'), (flags.fin, 'F'), (flags.rst, 'R'), (flags.ece, 'E'), (flags.cwr, 'W'), (flags.ack, '.')];
    all.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| *letter).collect()
}

fn blocks(all: &[(u32, u32)]) -> String {
    let all: Vec<String> = all.iter().map(|(left, right)| format!("{left}:{right}")).collect();
    if all.is_empty() { "none".to_string() } else { all.join(" ") }
}

/// A name that is a number in the language of assertions.
pub(super) fn constant(name: &str) -> Option<f64> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}
