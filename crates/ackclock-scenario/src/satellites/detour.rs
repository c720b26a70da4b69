//! Warnings of paths that are far longer than necessary, and what makes them so.
//!
//! What makes a path long is tried: at the instant at which it is longest, what may be the cause is taken away, one thing after the
//! other, until the shortest path is no detour any more. The warning names what had to go.

use ackclock::units::{Span, Time};
use ackclock_sat::checks::Jitter;
use ackclock_sat::constellation::Closing;
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::isl::IslPattern;
use ackclock_sat::plan::{Access, NodeId, Plan, Setup};
use ackclock_sat::routing::Routing;

use super::Satellites;
use super::defaults::LARGE_SHELL;
use crate::text::diagnostic::Report;

/// What can make a path long, and what is done against it.
struct Cause {
    label: &'static str,
    remedy: &'static str,
    /// Takes it away; false if it is not there.
    take_away: fn(&mut Setup) -> bool,
}

/// In the order in which they are tried: first what costs nothing, which is also what is written as a word.
const CAUSES: [Cause; 5] = [
    Cause {
        label: "links to the same index of other planes lead far away",
        remedy: "write isl = \"grid-nearest\"",
        take_away: |setup| {
            let is_there = setup.isl.pattern == IslPattern::Grid;
            if is_there {
                setup.isl.pattern = IslPattern::GridNearest;
            }
            is_there
        },
    },
    Cause {
        label: "the path goes around the seam",
        remedy: "write isl = \"grid-across-seam\"",
        take_away: |setup| {
            let has_seam = setup.constellation.closing() == Closing::Seam;
            let linked = [IslPattern::Grid, IslPattern::GridNearest].contains(&setup.isl.pattern);
            if has_seam && linked {
                setup.isl.pattern = IslPattern::GridAcrossSeam;
            }
            has_seam && linked
        },
    },
    Cause {
        label: "links between planes are down beyond `polar_latitude`",
        remedy: "raise `polar_latitude`",
        take_away: |setup| std::mem::replace(&mut setup.isl.polar_latitude_deg, 90.0) < 90.0,
    },
    Cause {
        label: "links between satellites are down because of `grazing_margin`",
        remedy: "lower `grazing_margin`",
        take_away: |setup| std::mem::replace(&mut setup.isl.grazing_margin_km, 0.0) > 0.0,
    },
    Cause {
        label: "few satellites are seen above the mask",
        remedy: "lower `mask`",
        take_away: |setup| {
            let is_there = setup.terminals.iter().any(|terminal| terminal.mask_deg > 0.0);
            setup.terminals.iter_mut().for_each(|terminal| terminal.mask_deg = 0.0);
            is_there
        },
    },
];

impl Satellites {
    /// In large shells a path can go most of the way around the Earth although a short one is there.
    pub(super) fn warn_of_detour(
        &self,
        setup: &Setup,
        plan: &Plan,
        (a, b): (usize, usize),
        (from, to): (NodeId, NodeId),
        report: &mut Report,
    ) {
        if setup.constellation.satellites().len() < LARGE_SHELL as usize {
            return;
        }
        let Some((time, longest)) = plan.longest(from, to) else { return };
        let direct = setup.direct_delay_s(a, b);
        let bound = Span::from_ps((MOST * direct * 1e12) as u64);
        if longest <= bound {
            return;
        }
        let causes = causes(setup, (a, b), time, bound);
        let first = first_remedy(setup, causes.as_ref().is_some_and(Vec::is_empty));
        let (label, help) = match causes {
            Some(causes) => {
                let causes = causes.iter().map(|cause| (cause.label, cause.remedy));
                let (labels, remedies): (Vec<&str>, Vec<&str>) = first.into_iter().chain(causes).unzip();
                (labels.join(", and "), remedies.join(" and ").replace(" and write ", " and "))
            }
            None => ("this constellation has no shorter path then".into(), "take another constellation".into()),
        };
        let (longest, direct) = (longest.as_secs_f64() * 1e3, direct * 1e3);
        report
            .warning(
                self.places[a].at,
                format!(
                    "the path {} takes up to {longest:.1} ms, more than twice the {direct:.1} ms of the great circle with \
                     the height of the satellites at both ends",
                    self.names(a, b)
                ),
            )
            .label(label)
            .help(help);
    }
}

/// What keeps the ends and the routes from the shortest path that there is: what it is, and the remedy. `is_only` is whether nothing
/// else does.
fn first_remedy(setup: &Setup, is_only: bool) -> Option<(&'static str, &'static str)> {
    let is_by_path = matches!(setup.policy, HandoverPolicy::LeastDelay { .. });
    let is_at_once = setup.routing == Routing::AtChange { after: Span::ZERO };
    match (is_by_path, setup.access) {
        (true, _) if !is_only => None,
        (true, _) if is_at_once => {
            Some(("its ends are late to go over to a shorter path", "shorten `check_interval`, or lower `hysteresis`"))
        }
        (true, _) => {
            Some(("routes are updated late", "shorten `routing_delay` or `routing_interval`, or `check_interval`"))
        }
        (false, Access::Independent) => Some((
            "its ends use satellites that are far apart in the grid of links",
            "write handover = \"least-delay\"",
        )),
        (false, Access::Common) => {
            Some(("the satellite of both ends is not that of the shortest path", "write handover = \"least-delay\""))
        }
    }
}

/// What has to go so that the shortest path at an instant is no longer than a bound; none if nothing helps.
fn causes(setup: &Setup, pair: (usize, usize), time: Time, bound: Span) -> Option<Vec<&'static Cause>> {
    let mut then = setup.clone();
    then.time_advance = then.time_advance + time.since(Time::ZERO);
    then.end = Time::ZERO + Span::from_secs(1);
    then.pairs = vec![pair];
    then.policy = HandoverPolicy::LeastDelay { hysteresis_s: 0.0 };
    then.routing = Routing::AtChange { after: Span::ZERO };
    then.jitter = Jitter::None;
    let is_short = |taken_away: &[&'static Cause]| {
        let mut setup = then.clone();
        for cause in taken_away {
            (cause.take_away)(&mut setup);
        }
        let Ok(plan) = setup.plan() else { return false };
        let of = |terminal: usize| plan.named(setup.terminals[terminal].place.name()).expect("it has all terminals");
        plan.delay(of(pair.0), of(pair.1), Time::ZERO).is_some_and(|delay| delay <= bound)
    };
    let mut taken: Vec<&'static Cause> = Vec::new();
    let mut left = then.clone();
    let mut rest = CAUSES.iter();
    while !is_short(&taken) {
        taken.push(rest.find(|cause| (cause.take_away)(&mut left))?);
    }
    // What was taken away before and did not help by itself may not be needed.
    for cause in taken.clone() {
        let without: Vec<&'static Cause> = taken.iter().copied().filter(|other| !std::ptr::eq(*other, cause)).collect();
        if is_short(&without) {
            taken = without;
        }
    }
    Some(taken)
}

/// So many times the delay of the great circle and the height of the satellites is a detour.
const MOST: f64 = 2.0;
