//! A satellite above the equator: the golden values of the specification's scenario.

use ackclock::units::Time;
use ackclock_sat::plan::{Gap, LinkKind, RoutePath};

use crate::scenes::{bent_pipe, delay_ms, ends, seconds};

#[test]
fn one_way_delay_and_ranges_are_those_of_the_specification() {
    let plan = bent_pipe(-95.0).plan().unwrap();
    for time in [Time::ZERO, seconds(300), seconds(600)] {
        assert!((delay_ms(&plan, time) - 253.174).abs() < 0.0005, "{}", delay_ms(&plan, time));
    }
    let (new_york, san_francisco) = ends(&plan);
    let range_km = |terminal| plan.link_delay(0, terminal, Time::ZERO).unwrap().as_secs_f64() * 299_793.0;
    assert!((range_km(new_york) - 37_936.9).abs() < 0.05, "{}", range_km(new_york));
    assert!((range_km(san_francisco) - 37_962.8).abs() < 0.05, "{}", range_km(san_francisco));
}

#[test]
fn the_slot_hardly_matters() {
    for (slot, ms) in [(-75.0, 255.852), (-100.0, 253.109), (-120.0, 255.290)] {
        let found = delay_ms(&bent_pipe(slot).plan().unwrap(), Time::ZERO);
        assert!((found - ms).abs() < 0.0005, "{slot}: {found}");
    }
}

#[test]
fn elevations_are_38_degrees() {
    // By the mask: just below 38.0 and 37.7 degrees there is a path, just above there is none.
    for (terminal, seen, unseen) in [(0, 37.9, 38.1), (1, 37.6, 37.8)] {
        for (mask, is_seen) in [(seen, true), (unseen, false)] {
            let mut setup = bent_pipe(-95.0);
            setup.terminals[terminal].mask_deg = mask;
            let plan = setup.plan().unwrap();
            let (from, to) = ends(&plan);
            assert_eq!(plan.never(from, to).is_none(), is_seen, "{terminal} {mask}");
        }
    }
}

#[test]
fn nothing_changes_so_the_plan_is_short() {
    let plan = bent_pipe(-95.0).plan().unwrap();
    assert_eq!(plan.links.len(), 2);
    assert!(plan.links.iter().all(|link| link.kind == LinkKind::Access && link.delay_curve.points().len() < 20));
    assert_eq!(plan.routes.len(), 2, "one way in each direction");
    assert_eq!(plan.events.len(), 2);
    assert!(plan.contacts.iter().all(|contact| (contact.from, contact.to) == (Time::ZERO, plan.end)));
}

#[test]
fn a_slot_behind_the_horizon_says_who_does_not_see_it() {
    let plan = bent_pipe(100.0).plan().unwrap();
    let (from, to) = ends(&plan);
    assert_eq!(plan.gaps(from, to), [(Time::ZERO, seconds(600), Gap::NoSatellite(from))]);
    assert_eq!(
        plan.never(from, to).unwrap(),
        "there is never a route from `New York` to `San Francisco`: from 0 s to 600 s `New York` has no satellite above \
         its elevation mask"
    );
    assert_eq!(plan.path(from, to, Time::ZERO), Some(&RoutePath::None(Gap::NoSatellite(from))));
    assert!(plan.links.is_empty());
}
