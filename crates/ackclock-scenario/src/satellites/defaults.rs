//! Defaults that depend on which and how many satellites there are, and on the dialect.

use ackclock::keys::{Dimension, Quantity, Value};
use ackclock_sat::earth::Earth;
use ackclock_sat::isl::IslPattern;
use ackclock_sat::walker::Walker;

use super::kind::SatelliteKind;
use crate::document::Document;
use crate::keys::words::{self, Handover, word_of};
use crate::keys::{Section, dialects};
use crate::settings::Settings;

/// Sets the defaults of the shape of the Earth, of links between satellites, of handover and of the number of links that packets may cross.
pub(super) fn set(settings: &mut Settings, kind: SatelliteKind, document: &Document) {
    // Passes of real satellites, as seen from a sphere, begin and end up to a minute too early or too late, and low ones are missed.
    let earth = if kind == SatelliteKind::Elements { Earth::WGS84_ELLIPSOID } else { Earth::WGS84 };
    settings.set_default("earth", Value::Word(earth.name), "[WGS84]");
    let is_walker = kind == SatelliteKind::Walker;
    let walker: Option<Walker> =
        settings.text("constellation").filter(|_| is_walker).and_then(|text| text.parse().ok());
    let is_large = walker.is_some_and(|walker| walker.satellites() >= LARGE_SHELL);
    let (isl, source) = match (is_large, kind) {
        (true, _) => (IslPattern::GridNearest, "Ackclock: 200 satellites or more"),
        (false, SatelliteKind::Elements) => (IslPattern::None, "literature: ns-2"),
        (false, SatelliteKind::Iridium | SatelliteKind::Walker) => (IslPattern::Grid, "literature: ns-2"),
        // Without a meaning there.
        (false, SatelliteKind::Geostationary | SatelliteKind::Plan) => (IslPattern::Grid, "literature: ns-2"),
    };
    settings.set_default("isl", Value::Word(word_of(isl, &words::ISLS)), source);
    let is_linked = settings.choice("isl", &words::ISLS) != Some(IslPattern::None);
    let (handover, source) = match is_large && is_linked {
        true => (Handover::LeastDelay, "Ackclock: 200 satellites or more"),
        false => (Handover::Sticky, "literature: ns-2"),
    };
    settings.set_default("handover", Value::Word(word_of(handover, &words::HANDOVERS)), source);
    if settings.choice("handover", &words::HANDOVERS) == Some(Handover::LeastDelay) {
        let millisecond = Quantity { dimension: Dimension::Time, amount: 1_000_000_000 };
        settings.set_default("hysteresis", Value::Quantity(millisecond), "Ackclock");
    }
    let tcp = Settings::resolve(Section::Tcp, &[&document.tcp.own]);
    let widest = walker.filter(|_| is_linked).map_or(0, |walker| u64::from(walker.widest()) + UP_DOWN_AND_DETOURS);
    let of_dialect = tcp.word("dialect").and_then(dialects::named).and_then(|dialect| dialect.satellite_ttl);
    let (ttl, source) = match of_dialect {
        Some((ttl, source)) => (u64::from(ttl), source),
        None if widest > IP_TTL => (widest.min(255), "Ackclock: as wide as the grid of satellites"),
        None => (IP_TTL, "RFC 1700: default time to live of IP"),
    };
    settings.set_default("ttl", Value::Integer(ttl), source);
}

/// From so many satellites on paths are chosen for their delay. At 550 km and a mask of 10° a terminal sees 1.7 % of them: of
/// fewer than 200 mostly none or one in each direction of flight, so that there is nothing to choose; of 200 three or more.
/// There, satellites that fly north and satellites that fly south are above a terminal at the same time and far apart in the
/// grid, and which one is used decides how long the path is. Iridium and what is compared with ns-2 have fewer.
pub(super) const LARGE_SHELL: u32 = 200;
/// RFC 1700, "IP TIME TO LIVE PARAMETER".
const IP_TTL: u64 = 64;
/// The links up and down, and some more for packets that are on a path when it changes.
const UP_DOWN_AND_DETOURS: u64 = 16;
