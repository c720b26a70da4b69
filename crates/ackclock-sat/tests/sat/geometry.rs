//! Contact times, elevations and delays against an independent computation: spherical trigonometry on the rotating
//! globe instead of vectors among the stars, and plain fine sampling instead of bisection.

use std::f64::consts::TAU;

use ackclock::units::{Span, Time};
use ackclock_sat::checks::Jitter;
use ackclock_sat::earth::Earth;
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::plan::{Contact, LinkKind, Plan, RoutePath, Setup};
use proptest::prelude::*;

use crate::scenes::{ends, seconds, study, terminal, walker};

/// A circular orbit and a place, by angles alone; kilometres, degrees, ns-2's constants.
#[derive(Clone, Copy)]
struct Pass {
    altitude: f64,
    inclination: f64,
    node: f64,
    phase: f64,
    latitude: f64,
    longitude: f64,
}

impl Pass {
    /// Latitude and longitude of the point below the satellite, rad.
    fn ground(&self, t: f64) -> (f64, f64) {
        let radius = 6378.0 + self.altitude;
        let period = TAU * libm::sqrt(radius * radius * radius / 398_601.2);
        let u = self.phase.to_radians() + TAU * t / period;
        let i = self.inclination.to_radians();
        // Napier: sin δ = sin i sin u, tan Δλ = cos i tan u; the Earth turns away below.
        let latitude = libm::asin(libm::sin(i) * libm::sin(u));
        let along = libm::atan2(libm::cos(i) * libm::sin(u), libm::cos(u));
        (latitude, self.node.to_radians() + along - TAU * t / 86_164.0)
    }

    /// Elevation, rad, and range, km, from the angle at the centre of the Earth.
    fn seen(&self, t: f64) -> (f64, f64) {
        let (latitude, longitude) = self.ground(t);
        let (phi, lambda) = (self.latitude.to_radians(), self.longitude.to_radians());
        // The haversine keeps its digits at small angles.
        let hav = |x: f64| libm::sin(x / 2.0) * libm::sin(x / 2.0);
        let h = hav(latitude - phi) + libm::cos(phi) * libm::cos(latitude) * hav(longitude - lambda);
        let centre = 2.0 * libm::asin(libm::sqrt(h.min(1.0)));
        let (r, s) = (6378.0, 6378.0 + self.altitude);
        let elevation = libm::atan2(libm::cos(centre) - r / s, libm::sin(centre));
        (elevation, libm::sqrt(r * r + s * s - 2.0 * r * s * libm::cos(centre)))
    }

    /// Rises and sets within some seconds, to the step of the sampling.
    fn passes(&self, mask_deg: f64, end: u64, step: f64) -> Vec<(f64, f64)> {
        let above = |t: f64| self.seen(t).0 > mask_deg.to_radians();
        let mut passes = Vec::new();
        let mut rose = above(0.0).then_some(0.0);
        for look in 1..=(end as f64 / step).round() as u64 {
            let t = look as f64 * step;
            match (rose, above(t)) {
                (None, true) => rose = Some(t),
                (Some(from), false) => {
                    passes.push((from, t));
                    rose = None;
                }
                _ => {}
            }
        }
        passes.extend(rose.map(|from| (from, end as f64)));
        passes
    }
}

/// A satellite of Iridium, by its name.
fn iridium_pass(name: &str, latitude: f64, longitude: f64) -> Pass {
    let (plane, index) = name.split_once('.').unwrap();
    let (plane, index): (f64, f64) = (plane.parse().unwrap(), index.parse().unwrap());
    let ahead = if plane % 2.0 == 0.0 { 16.36 } else { 0.0 };
    Pass {
        altitude: 780.0,
        inclination: 86.4,
        node: 31.6 * (plane - 1.0),
        phase: 360.0 * index / 11.0 + ahead,
        latitude,
        longitude,
    }
}

fn contacts_of(plan: &Plan, satellite: usize, terminal: usize) -> Vec<Contact> {
    let of_both = |contact: &&Contact| (contact.a, contact.b) == (satellite, terminal);
    plan.contacts.iter().filter(of_both).copied().collect()
}

#[test]
fn contacts_of_all_iridium_satellites_are_those_of_fine_sampling() {
    let mut setup = study();
    setup.end = seconds(1800);
    let plan = setup.plan().unwrap();
    let (berkeley, boston) = ends(&plan);
    let mut found = 0;
    for satellite in 0..66 {
        for (node, latitude, longitude) in [(berkeley, 37.9, -122.3), (boston, 42.3, -71.1)] {
            let expected = iridium_pass(&plan.nodes[satellite].name, latitude, longitude).passes(8.2, 1800, 0.05);
            let contacts = contacts_of(&plan, satellite, node);
            assert_eq!(contacts.len(), expected.len(), "{}", plan.nodes[satellite].name);
            for (contact, (from, to)) in contacts.iter().zip(expected) {
                assert!((contact.from.as_secs_f64() - from).abs() < 0.051, "{contact:?} {from}");
                assert!((contact.to.as_secs_f64() - to).abs() < 0.051, "{contact:?} {to}");
                found += 1;
            }
        }
    }
    assert!(found > 10, "{found} passes");
}

#[test]
fn handovers_of_the_golden_path_follow_the_independent_settings() {
    // 5.4 sets in Boston, 3.4 in Berkeley; the next check at a multiple of 10 s finds it.
    for (name, latitude, longitude, check) in [("5.4", 42.3, -71.1, 390.0), ("3.4", 37.9, -122.3, 520.0)] {
        let (_, sets) = iridium_pass(name, latitude, longitude).passes(8.2, 600, 0.01)[0];
        assert!((check - 10.0..=check).contains(&sets), "{name} sets at {sets} s");
    }
}

#[test]
fn access_delays_are_within_a_nanosecond_of_the_independent_range() {
    let plan = study().plan().unwrap();
    let mut checked = 0;
    for link in plan.links.iter().filter(|link| link.kind == LinkKind::Access) {
        let (latitude, longitude) = if plan.nodes[link.b].name == "Boston" { (42.3, -71.1) } else { (37.9, -122.3) };
        let pass = iridium_pass(&plan.nodes[link.a].name, latitude, longitude);
        let (from, to) = (link.delay_curve.from().as_ps(), link.delay_curve.to().as_ps());
        for part in 0..20_000 {
            let time = Time::from_ps(from + (to - from) / 20_000 * part + 12_345);
            let expected = pass.seen(time.as_secs_f64()).1 / 299_793.0 * 1e12;
            let error = link.delay_curve.at(time).as_ps() as f64 - expected;
            assert!(error.abs() < 1002.0, "{error} ps at {time}");
            checked += 1;
        }
    }
    assert_eq!(checked, 80_000);
}

#[test]
fn the_ground_track_moves_westwards_by_the_turn_of_the_earth_in_a_period() {
    // 6026.97 s of 86164 s are 25.18 degrees. From the plan's own positions: what passes over a place at one time passes
    // over the place 25.18 degrees west of it a period later, in the same way.
    let pass = iridium_pass("1.0", 0.0, 0.0);
    let (_, longitude) = pass.ground(6026.966);
    assert!(
        (longitude.to_degrees() - 360.0 + 25.181).rem_euclid(360.0) < 0.001
            || (longitude.to_degrees() + 25.181).abs() < 0.001,
        "{}",
        longitude.to_degrees()
    );
    let setup = Setup::new(
        Earth::NS2,
        ackclock_sat::iridium::iridium(&Earth::NS2).unwrap(),
        vec![terminal(("here", 30.0, 10.0), 8.2), terminal(("west", 30.0, 10.0 - 25.181), 8.2)],
        seconds(8000),
    );
    let plan = setup.plan().unwrap();
    let (here, west) = ends(&plan);
    let early = contacts_of(&plan, 0, here).into_iter().find(|c| c.from > Time::ZERO);
    let later = contacts_of(&plan, 0, west).into_iter().find(|c| c.from > seconds(6000));
    let (Some(early), Some(later)) = (early, later) else { panic!("no passes") };
    let apart = later.from.as_secs_f64() - early.from.as_secs_f64();
    assert!((apart - 6026.97).abs() < 0.1, "{apart}");
}

#[test]
fn a_pass_of_seconds_between_two_looks_is_found() {
    // 1.0 flies north from the equator. The mask is just below where it stands highest, which is put at 45 s: between the
    // looks at 40 and at 50 s.
    let pass = Pass { latitude: 6.0, longitude: 0.0, ..iridium_pass("1.0", 0.0, 0.0) };
    let tops = (0..20_000).map(|t| f64::from(t) * 0.01);
    let top = tops.max_by(|&s, &t| pass.seen(s).0.total_cmp(&pass.seen(t).0)).unwrap();
    let mask = pass.seen(top).0.to_degrees() - 0.2;
    let mut setup = study();
    setup.time_advance = Span::from_ms(((top - 45.0) * 1e3).round() as u64);
    setup.terminals = vec![terminal(("under", 6.0, 0.0), mask)];
    setup.pairs.clear();
    let plan = setup.plan().unwrap();
    let (from, to) = pass.passes(mask, 200, 0.01)[0];
    let (from, to) = (from - (top - 45.0), to - (top - 45.0));
    assert!(from > 40.1 && to < 49.9, "{from} {to}");
    let contacts = contacts_of(&plan, plan.named("1.0").unwrap(), plan.named("under").unwrap());
    assert_eq!(contacts.len(), 1);
    assert!((contacts[0].from.as_secs_f64() - from).abs() < 0.011);
    assert!((contacts[0].to.as_secs_f64() - to).abs() < 0.011);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Whatever the orbit, the place, the mask and the policy: contacts are those of the other formulation, links of
    /// terminals are up only where it sees the satellite at the last check, delays are its ranges.
    #[test]
    fn random_orbits_agree_with_the_independent_geometry(
        altitude in 300.0..2000.0f64,
        inclination in 20.0..100.0f64,
        latitude in -60.0..60.0f64,
        longitude in -180.0..180.0f64,
        mask in 5.0..40.0f64,
        policy in 0..4,
        seed in 0..1000u64,
    ) {
        let text = format!("{inclination}:24/4/1");
        let mut setup = Setup::new(
            Earth::NS2,
            walker(&text, altitude),
            vec![terminal(("a", latitude, longitude), mask), terminal(("b", latitude * 0.9, longitude), mask)],
            seconds(900),
        );
        setup.jitter = Jitter::Half { seed };
        setup.policy = match policy {
            0 => HandoverPolicy::Sticky,
            1 => HandoverPolicy::MaxElevation { hysteresis_deg: 2.0 },
            2 => HandoverPolicy::LeastDelay { hysteresis_s: 0.0 },
            _ => HandoverPolicy::MaxRemainingTime { hysteresis_s: 20.0 },
        };
        let plan = setup.plan().unwrap();
        let (a, _) = ends(&plan);
        for satellite in 0..24usize {
            let (plane, index) = (satellite / 6, satellite % 6);
            let pass = Pass {
                altitude,
                inclination,
                node: 90.0 * plane as f64,
                phase: 60.0 * index as f64 + 15.0 * plane as f64,
                latitude,
                longitude,
            };
            // The sampling finds a pass that is shorter than its step, or misses it, by chance.
            let expected = pass.passes(mask, 900, 0.1);
            let contacts = contacts_of(&plan, satellite, a);
            let is_same = |contact: &Contact, (from, to): (f64, f64)| {
                (contact.from.as_secs_f64() - from).abs() < 0.101 && (contact.to.as_secs_f64() - to).abs() < 0.101
            };
            for contact in contacts.iter().filter(|contact| contact.to.since(contact.from).as_secs_f64() > 0.1) {
                prop_assert!(expected.iter().any(|pass| is_same(contact, *pass)), "{:?} {:?}", contact, expected);
            }
            for pass in expected.iter().filter(|(from, to)| to - from > 0.15) {
                prop_assert!(contacts.iter().any(|contact| is_same(contact, *pass)), "{:?} {:?}", pass, contacts);
            }
            for link in plan.links.iter().filter(|link| (link.a, link.b) == (satellite, a)) {
                for part in 0..200 {
                    let (from, to) = (link.delay_curve.from().as_ps(), link.delay_curve.to().as_ps());
                    let time = Time::from_ps(from + (to - from) / 200 * part);
                    let (elevation, range) = pass.seen(time.as_secs_f64());
                    let error = link.delay_curve.at(time).as_ps() as f64 - range / 299_793.0 * 1e12;
                    prop_assert!(error.abs() < 1002.0, "{} ps", error);
                    if part == 0 {
                        prop_assert!(elevation.to_degrees() > mask - 1e-9);
                    }
                }
            }
        }
        for route in &plan.routes {
            if let RoutePath::Through(nodes) = &route.path {
                prop_assert_eq!((nodes[0], *nodes.last().unwrap()), (route.from, route.to));
                prop_assert!(plan.delay(route.from, route.to, route.time).is_some());
                let mut once = nodes.clone();
                once.sort_unstable();
                once.dedup();
                prop_assert_eq!(once.len(), nodes.len(), "no node twice");
            }
        }
        for pair in plan.events.windows(2) {
            prop_assert!(pair[0].time <= pair[1].time);
        }
    }
}
