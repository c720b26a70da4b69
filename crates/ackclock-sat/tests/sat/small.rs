//! One, two and three satellites per plane, one plane, one satellite; constellations without links; the seam.

use ackclock::units::{Span, Time};
use ackclock_sat::earth::Earth;
use ackclock_sat::elements::{ElementFile, Unusable};
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::isl::IslPattern;
use ackclock_sat::orbit::Perturbation;
use ackclock_sat::plan::{Access, EventKind, Gap, LinkKind, RoutePath, Setup};
use ackclock_sat::routing::Routing;
use ackclock_sat::walker::Walker;

use crate::scenes::{BERKELEY, BOSTON, delay_ms, ends, seconds, study, terminal, walker};

fn setup(text: &str, altitude_km: f64, end: u64) -> Setup {
    let terminals = vec![terminal(BERKELEY, 8.2), terminal(BOSTON, 8.2)];
    Setup::new(Earth::NS2, walker(text, altitude_km), terminals, seconds(end))
}

#[test]
fn few_satellites_per_plane_give_plans_with_gaps_and_reasons() {
    for text in
        ["86.4:6/6/0", "86.4:12/6/1", "86.4:18/6/1", "star 86.4:18/6/1", "86.4:1/1/0", "86.4:2/1/0", "86.4:3/1/0"]
    {
        let plan = setup(text, 780.0, 86_400).plan().unwrap();
        let (from, to) = ends(&plan);
        let gaps = plan.gaps(from, to);
        assert!(!gaps.is_empty(), "{text}");
        assert!(gaps.iter().any(|(_, _, gap)| matches!(gap, Gap::NoSatellite(_))), "{text}: {gaps:?}");
        // Paths and gaps fill the time without holes.
        assert_eq!(plan.routes.iter().find(|r| (r.from, r.to) == (from, to)).unwrap().time, Time::ZERO);
        assert!(plan.events.iter().any(|event| event.kind == EventKind::Acquired), "{text}: at some time one is seen");
        assert!(plan.events.iter().any(|event| event.kind == EventKind::Lost), "{text}: and lost");
    }
}

#[test]
fn the_earth_is_between_two_satellites_of_a_plane() {
    // Opposite each other: no link. Three at 780 km do not see each other either, three at 10 000 km do:
    // the line of two comes as near as R cos 60°, 3579 and 8189 km.
    for (text, altitude_km, links) in
        [("86.4:2/1/0", 780.0, 0), ("86.4:3/1/0", 780.0, 0), ("86.4:3/1/0", 10_000.0, 3), ("86.4:2/1/0", 10_000.0, 0)]
    {
        let plan = setup(text, altitude_km, 60).plan().unwrap();
        let found = plan.contacts.iter().filter(|contact| contact.kind == LinkKind::InPlane).count();
        assert_eq!(found, links, "{text} at {altitude_km} km");
    }
}

#[test]
fn terminals_of_satellites_without_links_use_one_that_both_see() {
    let mut common = setup("53:1584/72/39", 550.0, 300);
    common.isl.pattern = IslPattern::None;
    common.terminals = vec![terminal(("user", 47.0, 8.0), 25.0), terminal(("gateway", 48.5, 2.0), 25.0)];
    let mut independent = common.clone();
    common.access = Access::Common;
    let plan = common.plan().unwrap();
    let (from, to) = ends(&plan);
    assert_eq!(plan.gaps(from, to), []);
    assert!(plan.routes.iter().all(|route| matches!(&route.path, RoutePath::Through(nodes) if nodes.len() == 3)));
    independent.access = Access::Independent;
    let plan = independent.plan().unwrap();
    assert!(plan.gaps(from, to).iter().any(|(_, _, gap)| *gap == Gap::NoIslRoute), "two satellites, and no link");
}

#[test]
fn a_large_shell_with_a_grid_joins_two_continents() {
    let mut setup = setup("53:1584/72/39", 550.0, 60);
    setup.terminals = vec![terminal(("London", 51.5, -0.1), 25.0), terminal(("New York", 40.9, -73.9), 25.0)];
    setup.terminal_interval = Span::from_secs(15);
    setup.isl_interval = Span::from_secs(15);
    setup.isl.polar_latitude_deg = 90.0;
    setup.ttl = 64;
    let plan = setup.plan().unwrap();
    let (from, to) = ends(&plan);
    assert_eq!(plan.gaps(from, to), []);
    let delay = plan.delay(from, to, Time::ZERO).unwrap().as_secs_f64() * 1e3;
    // The great circle on the ground, 5570 km, takes light 18.6 ms. The highest satellite of one place climbs, that of
    // the other descends: in the grid they are far apart.
    assert!((18.6..200.0).contains(&delay), "{delay} ms");
}

#[test]
fn real_satellites_make_plans_too() {
    let text = "ISS (ZARYA)\n\
                1 25544U 98067A   23145.32602431  .00014206  00000+0  25493-3 0  9994\n\
                2 25544  51.6413  81.8570 0005396  18.1967 120.0030 15.50160974398246\n";
    let file = ElementFile::read("stations.txt", text).unwrap();
    let earth = Earth::WGS84_ELLIPSOID;
    let end = seconds(86_400);
    let (constellation, warnings) =
        file.propagated(&earth, None, Span::ZERO, Span::from_secs(86_400), Unusable::Refuse).unwrap();
    assert_eq!(warnings, []);
    let terminals = vec![terminal(("Lyon", 45.8, 4.8), 5.0), terminal(("Bern", 46.9, 7.4), 5.0)];
    let plan = Setup::new(earth, constellation, terminals, end).plan().unwrap();
    let (from, _) = ends(&plan);
    let paths =
        plan.routes.iter().filter(|route| route.from == from && matches!(route.path, RoutePath::Through(_))).count();
    // It passes over Switzerland in five or six of its fifteen and a half turns a day, for some minutes each.
    assert!((4..=7).contains(&paths), "{paths}");
    for contact in &plan.contacts {
        let minutes = contact.to.since(contact.from).as_secs_f64() / 60.0;
        assert!((1.0..11.0).contains(&minutes), "{minutes}");
        let delay = |time| plan.link_delay(contact.a, contact.b, time);
        if let Some(delay) = delay(contact.from + Span::from_secs(120)) {
            // 420 to 2000 km.
            assert!((1.4..6.7).contains(&(delay.as_secs_f64() * 1e3)), "{delay}");
        }
    }
}

/// Two places between which the seam lies at the start: 0 degrees west of plane 1 and east of plane 6.
fn across_the_seam(pattern: IslPattern) -> Setup {
    let mut setup = study();
    setup.isl.pattern = pattern;
    setup.terminals = vec![terminal(("west", 0.0, -22.0), 8.2), terminal(("east", 0.0, 8.0), 8.2)];
    setup
}

#[test]
fn across_the_seam_the_path_is_long_unless_it_is_linked() {
    let delay = |pattern| {
        let plan = across_the_seam(pattern).plan().unwrap();
        let (from, to) = ends(&plan);
        assert_eq!(plan.gaps(from, to), []);
        (plan.delay(from, to, Time::ZERO).unwrap().as_secs_f64() * 1e3, plan)
    };
    let (around, plan) = delay(IslPattern::Grid);
    assert!(plan.contacts.iter().all(|contact| contact.kind != LinkKind::CrossSeam));
    let (over, plan) = delay(IslPattern::GridAcrossSeam);
    assert!(around > 100.0 && over < 40.0, "{around} ms around the Earth, {over} ms across the seam");
    assert!(plan.contacts.iter().any(|contact| contact.kind == LinkKind::CrossSeam));
    let partners = plan.events.iter().filter(|event| event.reason.name() == "seam-partner").count();
    assert!(partners > 10, "satellites that fly in opposite directions change partners: {partners}");
}

#[test]
fn two_satellites_have_one_link_even_if_their_planes_meet_on_both_sides() {
    // Two planes: beside each other on one side, the seam on the other.
    let mut setup = setup("star 111.5:8/2/1", 2762.5, 1800);
    setup.isl.pattern = IslPattern::GridAcrossSeam;
    let plan = setup.plan().unwrap();
    let kinds = |a, b| {
        let of_both = plan.contacts.iter().filter(|contact| (contact.a, contact.b) == (a, b));
        of_both.map(|contact| contact.kind).collect::<std::collections::BTreeSet<LinkKind>>()
    };
    let satellites = setup.constellation.satellites().len();
    let pairs = (0..satellites).flat_map(|a| (a + 1..satellites).map(move |b| (a, b)));
    assert!(pairs.clone().all(|(a, b)| kinds(a, b).len() <= 1));
    assert!(pairs.clone().any(|(a, b)| kinds(a, b).contains(&LinkKind::CrossPlane)));
    assert!(pairs.clone().any(|(a, b)| kinds(a, b).contains(&LinkKind::CrossSeam)));
}

#[test]
fn a_path_that_only_the_seam_keeps_closed_says_so() {
    // Only links within planes: two planes beside each other are not linked, two across the seam neither.
    let mut setup = across_the_seam(IslPattern::Grid);
    setup.isl.polar_latitude_deg = 0.0;
    setup.end = seconds(10);
    let plan = setup.plan().unwrap();
    let (from, to) = ends(&plan);
    assert_eq!(plan.gaps(from, to)[0].2, Gap::NoIslRoute, "above 0 degrees every link between planes is down");
    // Two planes of a star: the one gap is linked, the other is the seam; with the polar limit between the two.
    let mut setup = self::setup("star 90:36/2/0", 780.0, 10);
    setup.terminals = vec![terminal(("a", 0.0, 0.0), 8.2), terminal(("b", 0.0, 90.0), 8.2)];
    let plan = setup.plan().unwrap();
    let (from, to) = ends(&plan);
    let gaps = plan.gaps(from, to);
    assert!(gaps.iter().all(|(_, _, gap)| *gap == Gap::NoIslRoute), "90 degrees are too far for any link: {gaps:?}");
}

#[test]
fn packets_cross_only_so_many_links() {
    let mut setup = study();
    setup.ttl = 4;
    let plan = setup.plan().unwrap();
    let (from, to) = ends(&plan);
    // 4 links until 390 s, then 5, then 4 again.
    assert_eq!(plan.gaps(from, to), [(seconds(390), seconds(520), Gap::TooManyHops)]);
}

#[test]
fn old_routes_hold_until_new_ones_are_computed() {
    let mut setup = study();
    setup.routing = Routing::AtChange { after: Span::from_secs(3) };
    let plan = setup.plan().unwrap();
    let (from, to) = ends(&plan);
    let gaps = plan.gaps(from, to);
    let after = |start| (seconds(start), seconds(start + 3), Gap::RoutesNotUpdated);
    assert_eq!(gaps, [after(390), after(520)]);
    setup.routing = Routing::Every(Span::from_secs(60));
    let plan = setup.plan().unwrap();
    // The next multiples of a minute.
    let until = |start, end| (seconds(start), seconds(end), Gap::RoutesNotUpdated);
    assert_eq!(plan.gaps(from, to), [until(390, 420), until(520, 540)]);
}

#[test]
fn every_change_leads_to_routes_of_its_own() {
    // Boston's satellite changes at 390 s, links between planes every 10 s or so: each 25 s later.
    let mut setup = study();
    setup.routing = Routing::AtChange { after: Span::from_secs(25) };
    let plan = setup.plan().unwrap();
    let (from, to) = ends(&plan);
    let after = |start| (seconds(start), seconds(start + 25), Gap::RoutesNotUpdated);
    assert_eq!(plan.gaps(from, to), [after(390), after(520)]);
}

#[test]
fn a_satellite_that_rises_is_of_use_when_the_routes_say_so() {
    let mut setup = setup("86.4:1/1/0", 2000.0, 86_400);
    let at_once = setup.plan().unwrap();
    setup.routing = Routing::AtChange { after: Span::from_secs(7) };
    let late = setup.plan().unwrap();
    let (from, to) = ends(&late);
    let first_path = |plan: &ackclock_sat::plan::Plan| {
        let mut paths = plan.routes.iter().filter(|route| (route.from, route.to) == (from, to));
        paths.find(|route| matches!(route.path, RoutePath::Through(_))).unwrap().time
    };
    assert_eq!(first_path(&late), first_path(&at_once) + Span::from_secs(7));
    let before = late.gaps(from, to).into_iter().find(|gap| gap.1 == first_path(&late)).unwrap();
    assert_eq!(before, (first_path(&at_once), first_path(&late), Gap::RoutesNotUpdated));
}

#[test]
fn a_plan_says_how_it_came_about() {
    let settings = study().plan().unwrap().settings;
    let said = |name: &str| settings.iter().find(|(key, _)| key == name).unwrap().1.as_str();
    assert_eq!((said("earth"), said("constellation"), said("policy")), ("ns2", "iridium", "sticky"));
    assert_eq!(said("terminal"), "Berkeley: 37.9 deg N, -122.3 deg E, mask 8.2 deg");
    assert_eq!(walker("53:72/6/2", 550.0).about(), "walker delta 53:72/6/2, 550 km");
}

#[test]
fn impossible_settings_say_what_to_do() {
    let problem = |change: &dyn Fn(&mut Setup)| {
        let mut setup = study();
        change(&mut setup);
        let error = setup.plan().unwrap_err();
        assert!(!error.help().is_empty());
        error.to_string()
    };
    assert_eq!(
        problem(&|s| s.terminals[1] = terminal(BERKELEY, 8.2)),
        "`Berkeley` is the name of two terminals, or of a terminal and a satellite"
    );
    assert!(problem(&|s| s.terminals[0].mask_deg = 90.0).starts_with("elevation mask of `Berkeley` is 90"));
    assert!(problem(&|s| s.pairs = vec![(0, 0)]).contains("no pair"));
    assert!(problem(&|s| s.pairs = vec![(0, 2)]).contains("no pair"));
    assert!(problem(&|s| s.isl_interval = Span::ZERO).contains("at least 1 ms"));
    assert!(problem(&|s| s.routing = Routing::Every(Span::ZERO)).contains("checks of routes"));
    assert!(problem(&|s| s.isl.polar_latitude_deg = 91.0).starts_with("polar latitude"));
    assert!(problem(&|s| s.end = Time::ZERO).contains("an end") || problem(&|s| s.end = Time::ZERO).contains("lasts"));
    assert!(
        problem(&|s| {
            s.access = Access::Common;
            s.terminals.push(terminal(("third", 0.0, 0.0), 8.2));
        })
        .contains("for two terminals, and there are 3")
    );
    assert!(
        problem(&|s| {
            s.constellation = crate::scenes::bent_pipe(0.0).constellation;
        })
        .contains("in none")
    );
}

#[test]
fn a_plan_does_not_depend_on_where_it_ends() {
    let mut jitter = study();
    jitter.jitter = ackclock_sat::checks::Jitter::Half { seed: 3 };
    jitter.isl.pattern = IslPattern::GridAcrossSeam;
    let mut late = study();
    late.routing = Routing::AtChange { after: Span::from_secs(7) };
    let mut shell = setup("53:360/20/7", 1100.0, 1);
    shell.isl.pattern = IslPattern::GridNearest;
    shell.policy = ackclock_sat::handover::HandoverPolicy::LeastDelay { hysteresis_s: 0.001 };
    // High up delays change so slowly that a line could be minutes long.
    let high = setup("60:24/6/1", 20_200.0, 1);
    for setup in [study(), jitter, late, shell, high] {
        let longer = Setup { end: seconds(700), ..setup.clone() }.plan().unwrap();
        // Between checks, at a check, and in the middle of nowhere.
        for end in [
            Time::from_ps(3),
            Time::from_ps(97_531_246_813_579),
            seconds(390),
            seconds(395),
            Time::from_ps(600_000_000_000_001),
        ] {
            let shorter = Setup { end, ..setup.clone() }.plan().unwrap();
            let cut = longer.clone().cut(end);
            assert_eq!(cut.links, shorter.links, "{} until {end}", setup.constellation.about());
            assert!(cut == shorter, "{} until {end}", setup.constellation.about());
        }
    }
}

#[test]
fn remaining_times_beyond_an_hour_are_the_true_ones() {
    // Turns of 4.8 and 11.9 h: one satellite, and several at the same time, are seen for more than an hour.
    the_longest_in_view_is_chosen(8062.0, 4);
    the_longest_in_view_is_chosen(20_200.0, 12);
}

/// Eight satellites above the equator, which fly eastwards; 0 is the one above the place at the start.
fn the_longest_in_view_is_chosen(altitude_km: f64, hours: u64) {
    let earth = Earth::WGS84;
    let walker: Walker = "0:8/1/0".parse().unwrap();
    let constellation = walker.at_altitude(&earth, altitude_km, Perturbation::None).unwrap();
    let terminals = vec![terminal(("a", 0.0, 0.0), 10.0), terminal(("b", 0.0, 90.0), 10.0)];
    let mut setup = Setup::new(earth, constellation, terminals, seconds(hours * 3600));
    setup.policy = HandoverPolicy::MaxRemainingTime { hysteresis_s: 0.0 };
    setup.isl.pattern = IslPattern::InPlane;
    let plan = setup.plan().unwrap();
    let (a, _) = ends(&plan);
    let set_at = |satellite: usize, time: Time| {
        let pass = plan.contacts.iter().find(|c| (c.a, c.b) == (satellite, a) && c.from <= time && time < c.to);
        pass.unwrap_or_else(|| panic!("satellite {satellite} is not seen at {time:?}")).to
    };
    let chosen: Vec<(Time, usize)> =
        plan.events.iter().filter(|event| event.node == a).map(|event| (event.time, event.after.unwrap())).collect();
    assert!(chosen.len() >= 3, "{chosen:?}");
    for &(time, satellite) in &chosen {
        let seen = plan.contacts.iter().filter(|c| c.b == a && c.from <= time && time < c.to);
        let longest = seen.map(|c| c.to).max().unwrap();
        assert_eq!(set_at(satellite, time), longest, "{time:?}: {satellite} sets earlier than another that is seen");
    }
}

#[test]
fn satellites_that_never_set_are_kept_and_all_are_equally_good() {
    // Above the equator, as high as those that stand still: a turn takes a day.
    let earth = Earth::WGS84;
    let walker: Walker = "0:24/1/0".parse().unwrap();
    let constellation = walker.at_altitude(&earth, 35_786.0, Perturbation::None).unwrap();
    let terminals = vec![terminal(("a", 0.0, 0.0), 10.0), terminal(("b", 10.0, 20.0), 10.0)];
    let mut setup = Setup::new(earth, constellation, terminals, seconds(3 * 3600));
    setup.policy = HandoverPolicy::MaxRemainingTime { hysteresis_s: 0.0 };
    let plan = setup.plan().unwrap();
    let handovers = plan.events.iter().filter(|event| event.kind == EventKind::Handover).count();
    assert_eq!(handovers, 0);
}

#[test]
fn elements_that_end_soon_after_the_run_do_not_end_a_plan_that_looks_ahead() {
    // SGP4 gives them up 22 minutes after the epoch, high above the ground [VCHK06]; the look ahead is a day.
    let text = "HIGH\n\
                1 33333U 05037B   05333.02012661  .25992681  00000-0  24476-3 0  1532\n\
                2 33333  96.4736 157.9986 9950000 244.0492 110.6523  4.00004038 10700\n";
    let earth = Earth::WGS84_ELLIPSOID;
    let length = Span::from_secs(600);
    let file = ElementFile::read("a.tle", text).unwrap();
    let (constellation, _) = file.propagated(&earth, None, Span::ZERO, length, Unusable::Refuse).unwrap();
    let sky = constellation.satellites()[0].motion.position(600.0).unwrap();
    // The Earth turns by a degree in 240 s.
    let below = (libm::asin(sky.z / sky.norm()).to_degrees(), libm::atan2(sky.y, sky.x).to_degrees() - 600.0 / 240.0);
    let terminals = vec![terminal(("a", below.0, below.1), 0.0), terminal(("b", below.0, below.1 + 0.5), 0.0)];
    let mut setup = Setup::new(earth, constellation, terminals, Time::ZERO + length);
    setup.policy = HandoverPolicy::MaxRemainingTime { hysteresis_s: 0.0 };
    let plan = setup.plan().unwrap();
    assert!(plan.events.iter().any(|event| event.kind == EventKind::Acquired), "{:?}", plan.events);
}

/// At the start the satellites of this constellation are the same north and south of the equator, so that between places on it two
/// paths are equally short. One end must not take the satellite of the one and the other that of the other.
#[test]
fn of_two_paths_that_are_equally_short_both_ends_take_the_same() {
    for (west, east) in [(0.0, 110.0), (0.0, 150.0), (7.0, 117.0), (7.0, 157.0)] {
        let delay = |latitude: f64| {
            let terminals = [("a", latitude, west), ("b", latitude, east)].map(|place| terminal(place, 5.0)).to_vec();
            let mut setup = Setup::new(Earth::NS2, walker("60:64/8/4", 1000.0), terminals, seconds(1));
            setup.policy = HandoverPolicy::LeastDelay { hysteresis_s: 0.0 };
            delay_ms(&setup.plan().unwrap(), Time::ZERO)
        };
        // A metre to the north there is one that is shortest.
        let (equal, shortest) = (delay(0.0), delay(1e-5));
        assert!((equal - shortest).abs() < 1e-4, "{west} to {east}: {equal} ms, the shortest path takes {shortest} ms");
    }
}
