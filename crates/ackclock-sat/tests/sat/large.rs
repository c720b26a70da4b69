//! Paths through a shell of 1584 satellites, against a shortest-path computation that has nothing in common with ours: its
//! positions are those of the specification, its links are found by distance, and it tries every satellite that one end
//! sees with every one that the other sees.

use ackclock::units::Span;
use ackclock_sat::checks::Jitter;
use ackclock_sat::constellation::Constellation;
use ackclock_sat::earth::Earth;
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::isl::IslPattern;
use ackclock_sat::orbit::Perturbation;
use ackclock_sat::plan::{EventKind, Gap, Plan, Setup};
use ackclock_sat::routing::Routing;
use ackclock_sat::walker::Walker;

use crate::scenes::{delay_ms, ends, seconds, terminal, walker};

const BERLIN: (&str, f64, f64) = ("Berlin", 52.5, 13.4);
const CAPE_TOWN: (&str, f64, f64) = ("Cape Town", -33.9, 18.4);
const PLANES: usize = 72;
const PER_PLANE: usize = 22;
const PHASING: usize = 39;
const MASK_DEG: f64 = 10.0;

fn setup(isl: IslPattern, policy: HandoverPolicy) -> Setup {
    let terminals = vec![terminal(BERLIN, MASK_DEG), terminal(CAPE_TOWN, MASK_DEG)];
    let mut setup = Setup::new(Earth::NS2, walker("53:1584/72/39", 550.0), terminals, seconds(600));
    setup.isl.pattern = isl;
    setup.policy = policy;
    setup.ttl = 64;
    setup
}

type Point = [f64; 3];

fn distance(a: Point, b: Point) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]) * (a[axis] - b[axis])).sum::<f64>().sqrt()
}

/// The shell and its links at one instant.
struct Shell {
    t: f64,
    satellites: Vec<Point>,
    links: Vec<Vec<usize>>,
}

impl Shell {
    fn at(t: f64, nearest: bool) -> Shell {
        let radius = 6378.0 + 550.0;
        let mean_motion = (398_601.2f64 / (radius * radius * radius)).sqrt();
        let (sin_i, cos_i) = libm::sincos(53f64.to_radians());
        let mut satellites = Vec::new();
        for plane in 0..PLANES {
            for index in 0..PER_PLANE {
                let node = (360.0 * plane as f64 / PLANES as f64).to_radians();
                let phase = 360.0 * index as f64 / PER_PLANE as f64 + 360.0 * (PHASING * plane) as f64 / 1584.0;
                let (sin_u, cos_u) = libm::sincos(phase.to_radians() + mean_motion * t);
                let (sin_o, cos_o) = libm::sincos(node);
                satellites.push([
                    radius * (cos_o * cos_u - sin_o * sin_u * cos_i),
                    radius * (sin_o * cos_u + cos_o * sin_u * cos_i),
                    radius * sin_u * sin_i,
                ]);
            }
        }
        let mut links = vec![Vec::new(); satellites.len()];
        let mut join = |a: usize, b: usize| {
            links[a].push(b);
            links[b].push(a);
        };
        for plane in 0..PLANES {
            for index in 0..PER_PLANE {
                let id = PER_PLANE * plane + index;
                join(id, PER_PLANE * plane + (index + 1) % PER_PLANE);
                let beside = (plane + 1) % PLANES;
                let partner = match nearest {
                    true => (0..PER_PLANE)
                        .map(|other| PER_PLANE * beside + other)
                        .min_by(|&x, &y| {
                            distance(satellites[id], satellites[x]).total_cmp(&distance(satellites[id], satellites[y]))
                        })
                        .unwrap(),
                    // Around the ring the phase has grown by 39 steps of a plane.
                    false => PER_PLANE * beside + (index + if beside == 0 { PHASING } else { 0 }) % PER_PLANE,
                };
                join(id, partner);
            }
        }
        Shell { t, satellites, links }
    }

    fn place(&self, (_, latitude, longitude): (&str, f64, f64)) -> Point {
        let (sin_lat, cos_lat) = libm::sincos(latitude.to_radians());
        let (sin_lon, cos_lon) = libm::sincos(longitude.to_radians() + std::f64::consts::TAU / 86_164.0 * self.t);
        [6378.0 * cos_lat * cos_lon, 6378.0 * cos_lat * sin_lon, 6378.0 * sin_lat]
    }

    /// The satellites that a place sees: their sine of elevation, number and distance.
    fn seen(&self, place: (&str, f64, f64)) -> Vec<(f64, usize, f64)> {
        let ground = self.place(place);
        let all = self.satellites.iter().enumerate().map(|(id, &satellite)| {
            let range = distance(ground, satellite);
            let up: f64 = (0..3).map(|axis| ground[axis] * (satellite[axis] - ground[axis])).sum();
            (up / 6378.0 / range, id, range)
        });
        all.filter(|seen| seen.0 > libm::sin(MASK_DEG.to_radians())).collect()
    }

    /// Kilometres from a satellite to all others, by Dijkstra's algorithm without a heap.
    fn from(&self, start: usize) -> Vec<f64> {
        let mut far = vec![f64::INFINITY; self.satellites.len()];
        let mut open: Vec<usize> = vec![start];
        far[start] = 0.0;
        while !open.is_empty() {
            let nearest = (0..open.len()).min_by(|&x, &y| far[open[x]].total_cmp(&far[open[y]])).unwrap();
            let here = open.swap_remove(nearest);
            for &next in &self.links[here] {
                let total = far[here] + distance(self.satellites[here], self.satellites[next]);
                if total < far[next] {
                    if far[next].is_infinite() {
                        open.push(next);
                    }
                    far[next] = total;
                }
            }
        }
        far
    }

    /// The shortest path over the given satellites up and down, ms.
    fn shortest_ms(&self, up: &[(f64, usize, f64)], down: &[(f64, usize, f64)]) -> f64 {
        let mut least = f64::INFINITY;
        for &(_, first, range) in up {
            let far = self.from(first);
            least = down.iter().map(|&(_, last, more)| range + far[last] + more).fold(least, f64::min);
        }
        least / 299_793.0 * 1e3
    }
}

fn highest(seen: &[(f64, usize, f64)]) -> Vec<(f64, usize, f64)> {
    seen.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)).into_iter().collect()
}

#[test]
fn berlin_to_cape_town_takes_what_an_independent_computation_finds() {
    for (pattern, is_nearest) in [(IslPattern::Grid, false), (IslPattern::GridNearest, true)] {
        let shell = Shell::at(0.0, is_nearest);
        let (up, down) = (shell.seen(BERLIN), shell.seen(CAPE_TOWN));
        let expected = shell.shortest_ms(&highest(&up), &highest(&down));
        let plan = setup(pattern, HandoverPolicy::Sticky).plan().unwrap();
        let found = delay_ms(&plan, seconds(0));
        assert!((found - expected).abs() < 1e-4, "{pattern:?}, highest satellites: {found} ms, {expected} expected");
        let expected = shell.shortest_ms(&up, &down);
        let plan = setup(pattern, HandoverPolicy::LeastDelay { hysteresis_s: 0.0 }).plan().unwrap();
        let found = delay_ms(&plan, seconds(0));
        assert!((found - expected).abs() < 1e-4, "{pattern:?}, best satellites: {found} ms, {expected} expected");
    }
    // What was found before there was a choice: half around the Earth.
    let at = |pattern, policy| delay_ms(&setup(pattern, policy).plan().unwrap(), seconds(0));
    let least = HandoverPolicy::LeastDelay { hysteresis_s: 0.001 };
    let found = [
        (IslPattern::Grid, HandoverPolicy::Sticky),
        (IslPattern::GridNearest, HandoverPolicy::Sticky),
        (IslPattern::GridNearest, least),
    ]
    .map(|(pattern, policy)| at(pattern, policy));
    assert_eq!(found.map(|ms| (ms * 100.0).round() / 100.0), [124.05, 63.77, 35.16]);
    let mut high = setup(IslPattern::GridNearest, least);
    high.terminals = vec![terminal(BERLIN, 25.0), terminal(CAPE_TOWN, 25.0)];
    assert_eq!((delay_ms(&high.plan().unwrap(), seconds(0)) * 100.0).round(), 3747.0, "of fewer satellites");
}

#[test]
fn over_ten_minutes_no_pair_of_satellites_would_have_been_better() {
    let mut exact = setup(IslPattern::GridNearest, HandoverPolicy::LeastDelay { hysteresis_s: 0.0 });
    exact.routing = Routing::Every(Span::from_secs(10));
    let hysteresis = setup(IslPattern::GridNearest, HandoverPolicy::LeastDelay { hysteresis_s: 0.001 });
    let (exact, hysteresis) = (exact.plan().unwrap(), hysteresis.plan().unwrap());
    for second in [10, 130, 260, 390, 480, 590] {
        let shell = Shell::at(second as f64, true);
        let expected = shell.shortest_ms(&shell.seen(BERLIN), &shell.seen(CAPE_TOWN));
        let found = delay_ms(&exact, seconds(second));
        assert!((found - expected).abs() < 1e-4, "{second} s: {found} ms, {expected} expected");
        // Between two handovers routes stay, and lose a little against the best.
        let found = delay_ms(&hysteresis, seconds(second));
        assert!(found < expected + 1.1, "{second} s: {found} ms with hysteresis, {expected} without");
    }
    let handovers =
        |plan: &ackclock_sat::plan::Plan| plan.events.iter().filter(|event| event.kind == EventKind::Handover).count();
    assert!(handovers(&hysteresis) < handovers(&exact), "{} and {}", handovers(&hysteresis), handovers(&exact));
}

#[test]
fn terminals_without_links_between_satellites_share_the_one_of_the_shortest_path() {
    let mut setup = setup(IslPattern::None, HandoverPolicy::LeastDelay { hysteresis_s: 0.0 });
    setup.terminals[1] = terminal(("Zurich", 47.4, 8.5), MASK_DEG);
    setup.access = ackclock_sat::plan::Access::Common;
    let plan = setup.plan().unwrap();
    let shell = Shell::at(0.0, false);
    let (up, down) = (shell.seen(BERLIN), shell.seen(("Zurich", 47.4, 8.5)));
    let both = up.iter().flat_map(|a| down.iter().filter(|b| b.1 == a.1).map(|b| a.2 + b.2));
    let expected = both.fold(f64::INFINITY, f64::min) / 299_793.0 * 1e3;
    assert!((delay_ms(&plan, seconds(0)) - expected).abs() < 1e-4);
}

#[test]
fn the_default_limit_of_links_is_enough_for_the_longest_paths_of_the_shell() {
    for text in ["53:1584/72/39", "53:1584/72/17"] {
        let mut setup = setup(IslPattern::Grid, HandoverPolicy::Sticky);
        setup.constellation = walker(text, 550.0);
        let gaps = |ttl: u8| {
            let plan = Setup { ttl, ..setup.clone() }.plan().unwrap();
            let (from, to) = ends(&plan);
            plan.gaps(from, to)
        };
        let is_longer = gaps(32).iter().any(|(_, _, gap)| *gap == Gap::TooManyHops);
        assert_eq!(is_longer, text.ends_with("17"), "{text}: a path of more than 32 links");
        assert_eq!(gaps(64), [], "{text}");
    }
}

const SYDNEY: (&str, f64, f64) = ("sydney", -33.9, 151.2);
const TOKYO: (&str, f64, f64) = ("tokyo", 35.7, 139.7);

/// Tokyo and Sydney in a given order, for five minutes.
fn pacific(terminals: [(&str, f64, f64); 2]) -> Setup {
    let terminals = terminals.map(|place| terminal(place, 25.0)).to_vec();
    let mut setup = Setup::new(Earth::WGS84, shell_on(&Earth::WGS84), terminals, seconds(300));
    setup.isl.pattern = IslPattern::GridNearest;
    setup.policy = HandoverPolicy::LeastDelay { hysteresis_s: 0.001 };
    setup.ttl = 64;
    setup
}

fn shell_on(earth: &Earth) -> Constellation {
    let walker: Walker = "53:1584/72/39".parse().unwrap();
    walker.at_altitude(earth, 550.0, Perturbation::None).unwrap()
}

/// The delay of each second, ms.
fn delays_of(plan: &Plan) -> Vec<f64> {
    (0..300).map(|second| delay_ms(plan, seconds(second))).collect()
}

/// The shortest path of each second is that of terminals that look every second and have no hysteresis; between two looks, 10 s or
/// 15, a path becomes longer by less than 0.3 ms against it.
fn no_longer_than_the_shortest(found: &[f64]) {
    let mut setup = pacific([SYDNEY, TOKYO]);
    setup.policy = HandoverPolicy::LeastDelay { hysteresis_s: 0.0 };
    setup.terminal_interval = Span::from_secs(1);
    let shortest = delays_of(&setup.plan().unwrap());
    for (second, (found, shortest)) in found.iter().zip(&shortest).enumerate() {
        assert!(*found < shortest + 1.3, "{second} s: {found} ms, and the shortest path takes {shortest} ms");
    }
}

#[test]
fn when_one_end_loses_its_satellite_both_choose_again_at_that_instant() {
    let found = delays_of(&pacific([SYDNEY, TOKYO]).plan().unwrap());
    no_longer_than_the_shortest(&found);
    let longest = found.into_iter().fold(0.0, f64::max);
    assert!(longest < 31.7, "{longest} ms: one end kept a satellite that was good for the old path");
}

#[test]
fn the_order_and_the_names_of_terminals_decide_nothing() {
    let zsydney = ("zsydney", SYDNEY.1, SYDNEY.2);
    let expected = delays_of(&pacific([SYDNEY, TOKYO]).plan().unwrap());
    assert_eq!(delays_of(&pacific([TOKYO, zsydney]).plan().unwrap()), expected);
    assert_eq!(delays_of(&pacific([TOKYO, SYDNEY]).plan().unwrap()), expected);
}

#[test]
fn ends_that_check_at_different_instants_choose_at_the_instants_of_both() {
    for seed in 1..4 {
        let mut setup = pacific([SYDNEY, TOKYO]);
        setup.jitter = Jitter::Half { seed };
        no_longer_than_the_shortest(&delays_of(&setup.plan().unwrap()));
    }
}

#[test]
fn of_three_terminals_in_any_order_no_path_is_a_detour() {
    let lima = ("lima", -12.0, -77.0);
    let orders = [[SYDNEY, TOKYO, lima], [lima, TOKYO, SYDNEY], [TOKYO, lima, SYDNEY]];
    let mut found: Vec<Vec<(String, u64)>> = Vec::new();
    for order in orders {
        let mut setup = pacific([SYDNEY, TOKYO]);
        setup.terminals = order.map(|place| terminal(place, 25.0)).to_vec();
        setup.pairs = vec![(0, 1), (0, 2), (1, 2)];
        let plan = setup.plan().unwrap();
        let mut delays: Vec<(String, u64)> = Vec::new();
        for (from, to) in [("sydney", "tokyo"), ("sydney", "lima"), ("tokyo", "lima")] {
            let of = |name: &str| plan.named(name).unwrap();
            for second in (0..300).step_by(5) {
                let delay = plan.delay(of(from), of(to), seconds(second)).unwrap();
                // Each terminal has one satellite for two paths.
                let number = |name: &str| order.iter().position(|place| place.0 == name).unwrap();
                let direct = setup.direct_delay_s(number(from), number(to));
                assert!(delay.as_secs_f64() < 2.0 * direct, "{from} to {to} at {second} s: {delay}, direct {direct} s");
                delays.push((format!("{from}-{to} {second}"), delay.as_ps()));
            }
        }
        found.push(delays);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "the order decided");
}
