//! What a dialect of TCP makes of defaults. The dialects themselves are in `keys/dialects.rs`.

use std::collections::HashMap;
use std::sync::LazyLock;

use ackclock::keys::{Dimension, Quantity, Value};
use ackclock::packet::Timestamps;
use ackclock::tcp::{cc, recovery};

use crate::check;
use crate::keys::dialects::{ALL, Default, named};
use crate::keys::{Section, tcp_algorithms};
use crate::mechanisms::Tables;
use crate::settings::Settings;
use crate::value::FileValue;

/// Puts the defaults of the dialect, and of the congestion control in it, in the place of the usual ones; `path_mtu` is the
/// largest datagram that the path carries, if that is said.
pub(crate) fn apply(tables: &mut Tables, path_mtu: Option<u32>) {
    let Some(dialect) = tables.own.word("dialect").and_then(named) else { return };
    dialect.defaults.iter().for_each(|default| replace(tables, default));
    let chosen = tables.own.word("congestion_control").and_then(cc::Algorithm::named);
    let with = dialect.with.iter().filter(|(with, _)| chosen.is_some_and(|algorithm| with.is(algorithm)));
    with.flat_map(|(_, defaults)| *defaults).for_each(|default| replace(tables, default));
    if let Some(usual) = chosen.and_then(|algorithm| algorithm.usual_recovery) {
        let has_sack = |name| recovery::Algorithm::named(name).is_some_and(|algorithm| algorithm.needs.sack);
        // If no recovery is chosen, it is still that of the dialect.
        if usual.instead_of_sack.is_some() || !tables.own.word("recovery").is_some_and(has_sack) {
            tables.own.replace_default("recovery", Value::Word(usual.name), usual.source);
        }
    }
    if dialect.follows_mtu {
        replace_mss(&mut tables.own, path_mtu);
        replace_initial_window(&mut tables.own);
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
        settings.replace_default("mss", mss, source);
    }
}

/// Octets of the largest datagram on Ethernet (RFC 894).
const ETHERNET_MTU: u32 = 1500;

/// RFC 6928 §2: ten segments, or as many as 14600 bytes have, but at least two.
fn replace_initial_window(settings: &mut Settings) {
    if let Some(mss) = settings.amount("mss").filter(|&mss| mss > 0) {
        let segments = Quantity { dimension: Dimension::Segments, amount: (14_600 / mss).clamp(2, 10) };
        settings.replace_default("initial_window", segments, "RFC 6928 §2");
    }
}

fn replace(tables: &mut Tables, &(path, text, source): &Default) {
    let Some((settings, name)) = tables.table_of(path) else {
        unreachable!("a dialect sets `{path}`, which is in no table")
    };
    settings.replace_default(name, VALUES[&(path, text)].clone(), source);
}

/// The value of each default of a dialect, by key and text: a scenario may have tables of TCP by the thousand.
static VALUES: LazyLock<HashMap<(&str, &str), FileValue>> = LazyLock::new(|| {
    let value = |&(path, text, _): &Default| {
        let key = match path.split_once('.') {
            None => Section::Tcp.key_named(path),
            Some((mechanism, name)) => {
                let table = tcp_algorithms().iter().find(|table| table.name == mechanism);
                table.and_then(|table| table.keys.iter().find(|key| key.name == name))
            }
        };
        let key = key.unwrap_or_else(|| unreachable!("a dialect sets `{path}`, which is no key"));
        ((path, text), check::value_of(key, text))
    };
    let defaults = ALL.iter().flat_map(|dialect| dialect.with.iter().map(|(_, with)| *with).chain([dialect.defaults]));
    defaults.flatten().map(value).collect()
});
