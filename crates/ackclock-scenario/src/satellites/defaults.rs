//! Defaults that depend on how many satellites there are, and on the dialect.

use ackclock_sat::walker::Walker;

use crate::document::Document;
use crate::keys::Section;
use crate::quantity::{Dimension, Quantity};
use crate::settings::Settings;
use crate::value::Value;

/// Sets the defaults of links between satellites, of handover and of the number of links that packets may cross.
pub(super) fn set(settings: &mut Settings, kind: &str, document: &Document) {
    let walker: Option<Walker> = match kind {
        "walker" => settings.text("constellation").and_then(|text| text.parse().ok()),
        _ => None,
    };
    let is_large = walker.is_some_and(|walker| walker.satellites() >= LARGE_SHELL);
    let (isl, source) = match kind {
        _ if is_large => ("grid-nearest", "Ackclock: 200 satellites or more"),
        "elements" => ("none", "literature: ns-2"),
        _ => ("grid", "literature: ns-2"),
    };
    settings.set_default("isl", Value::Word(isl), source);
    let is_linked = settings.word("isl") != Some("none");
    let (handover, source) = match is_large && is_linked {
        true => ("least-delay", "Ackclock: 200 satellites or more"),
        false => ("sticky", "literature: ns-2"),
    };
    settings.set_default("handover", Value::Word(handover), source);
    if settings.word("handover") == Some("least-delay") {
        let millisecond = Quantity { dimension: Dimension::Time, amount: 1_000_000_000 };
        settings.set_default("hysteresis", Value::Quantity(millisecond), "Ackclock");
    }
    let tcp = Settings::resolve(Section::Tcp, &[&document.tcp.own]);
    let widest = walker.filter(|_| is_linked).map_or(0, |walker| u64::from(walker.widest()) + UP_DOWN_AND_DETOURS);
    let (ttl, source) = match tcp.word("dialect") {
        Some("ns2-2001") => (32, "literature: ns-2"),
        _ if widest > IP_TTL => (widest.min(255), "Ackclock: as wide as the grid of satellites"),
        _ => (IP_TTL, "RFC 1700: default time to live of IP"),
    };
    settings.set_default("ttl", Value::Integer(ttl), source);
}

/// From so many satellites on ways are chosen for their delay. At 550 km and a mask of 10° a terminal sees 1.7 % of them: of
/// fewer than 200 mostly none or one in each direction of flight, so that there is nothing to choose; of 200 three or more.
/// There, satellites that fly north and satellites that fly south are above a terminal at the same time and far apart in the
/// grid, and which one is used decides how long the way is. Iridium and what is compared with ns-2 have fewer.
pub(super) const LARGE_SHELL: u32 = 200;
/// RFC 1700, "IP TIME TO LIVE PARAMETER".
const IP_TTL: u64 = 64;
/// The links up and down, and some more for packets that are on a way when it changes.
const UP_DOWN_AND_DETOURS: u64 = 16;
