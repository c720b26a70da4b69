//! Inter-satellite links: which there are, and when they hold.
//!
//! Source: the satellite extensions of ns-2 and its Iridium example; \[VEGAS-A\] for the seam.

use std::collections::BTreeSet;

use crate::constellation::{Closing, Constellation, Motion};
use crate::plan::{LinkKind, Reason};
use crate::vector::Vector;

/// Which satellites have links to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IslPattern {
    /// None: satellites are mirrors between two places.
    None,
    /// Each with the one before and the one behind it in its plane.
    InPlane,
    /// Also with those of the same index in the planes beside it, but not across the seam.
    Grid,
    /// Also with one of each plane beside it: the one that is nearest on average over a turn. Not across the seam.
    GridNearest,
    /// As the grid, and across the seam with whichever is nearest.
    GridAcrossSeam,
}

/// Which inter-satellite links there are, and what takes them down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslRules {
    /// Which links there are.
    pub pattern: IslPattern,
    /// Links to other planes are down while either end is farther from the equator than this, degrees. 90 is never.
    pub polar_latitude_deg: f64,
    /// No link passes lower than this above the ground, km.
    pub grazing_margin_km: f64,
    /// Links across the seam are down while the longitudes of their ends differ by less than this, degrees.
    pub seam_longitude_deg: f64,
}

/// Those of the Iridium example of ns-2.
impl Default for IslRules {
    fn default() -> IslRules {
        IslRules {
            pattern: IslPattern::Grid,
            polar_latitude_deg: 60.0,
            grazing_margin_km: 150.0,
            seam_longitude_deg: 10.0,
        }
    }
}

/// A link that, if it is up, is between the same two satellites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Isl {
    pub a: usize,
    pub b: usize,
    pub kind: LinkKind,
}

/// The links that do not change partners: each once, the lower number first.
pub(crate) fn fixed_links(constellation: &Constellation, pattern: IslPattern) -> Vec<Isl> {
    let mut links = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |a: usize, b: usize, kind: LinkKind| {
        let (a, b) = (a.min(b), a.max(b));
        // One satellite per plane is its own neighbour; two have each other on both sides; so do two planes in a ring.
        if a != b && known.insert((a, b)) {
            links.push(Isl { a, b, kind });
        }
    };
    if pattern == IslPattern::None {
        return links;
    }
    let planes = constellation.planes();
    for members in planes {
        for (index, &member) in members.iter().enumerate() {
            add(member, members[(index + 1) % members.len()], LinkKind::InPlane);
        }
    }
    if pattern == IslPattern::InPlane {
        return links;
    }
    let mut join = |plane: &[usize], beside: &[usize], same: usize| {
        let shift = match pattern {
            IslPattern::GridNearest => nearest_shift(constellation, plane, beside),
            _ => same,
        };
        for (index, &member) in plane.iter().enumerate() {
            add(member, beside[(index + shift) % beside.len()], LinkKind::CrossPlane);
        }
    };
    for pair in planes.windows(2) {
        join(&pair[0], &pair[1], 0);
    }
    if let (Closing::Ring { shift }, [first, .., last]) = (constellation.closing(), planes) {
        join(last, first, shift);
    }
    links
}

/// By how much the index of the satellite beside one is larger that is nearest to it on average over a turn.
///
/// Satellites of equal orbits that are evenly spaced have all the same shift, and none of them changes its partner. For
/// small differences ΔΩ of the nodes the nearest is the one whose angle from the node differs most nearly by −ΔΩ cos i.
fn nearest_shift(constellation: &Constellation, plane: &[usize], beside: &[usize]) -> usize {
    let satellites = constellation.satellites();
    let Some((&one, Motion::Circular(orbit))) = plane.first().map(|one| (one, &satellites[*one].motion)) else {
        return 0;
    };
    // The square of the distance is a constant and a second harmonic of the turn, of which equal steps leave the constant.
    let instants: Vec<f64> = (0..STEPS).map(|step| orbit.period_s() * f64::from(step) / f64::from(STEPS)).collect();
    let squares = |other: usize| -> Option<f64> {
        let apart = |&t: &f64| {
            let line = satellites[other].motion.position(t).ok()? - satellites[one].motion.position(t).ok()?;
            Some(line.dot(line))
        };
        instants.iter().map(apart).sum()
    };
    let all: Vec<f64> = beside.iter().map(|&other| squares(other).unwrap_or(f64::INFINITY)).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    // Of two at equal distances, on both sides, rounding shall not decide.
    all.iter().position(|&squares| squares <= least * (1.0 + 1e-9)).unwrap_or(0)
}

const STEPS: u32 = 8;

/// The planes on both sides of the seam, if there is one.
pub(crate) fn seam(constellation: &Constellation) -> Option<(&[usize], &[usize])> {
    match (constellation.closing(), constellation.planes()) {
        (Closing::Seam, [first, .., last]) => Some((first, last)),
        _ => None,
    }
}

/// What decides whether links hold, with everything that is known beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    sin_polar: f64,
    grazing_km: f64,
    seam_longitude: f64,
}

impl Geometry {
    pub fn new(rules: &IslRules, earth_radius_km: f64) -> Geometry {
        Geometry {
            sin_polar: libm::sin(rules.polar_latitude_deg.to_radians()),
            grazing_km: earth_radius_km + rules.grazing_margin_km,
            seam_longitude: rules.seam_longitude_deg.to_radians(),
        }
    }

    /// Why a link between two points is down; nothing if it is up.
    pub fn obstacle(&self, kind: LinkKind, a: Vector, b: Vector) -> Option<Reason> {
        if kind != LinkKind::InPlane && (self.is_polar(a) || self.is_polar(b)) {
            return Some(Reason::Latitude);
        }
        if self.grazes(a, b) {
            return Some(Reason::Grazing);
        }
        (kind == LinkKind::CrossSeam && self.side_by_side(a, b)).then_some(Reason::SeamLongitude)
    }

    fn is_polar(&self, point: Vector) -> bool {
        point.z.abs() > self.sin_polar * point.norm()
    }

    /// Whether the line between two satellites comes too near to the ground.
    pub fn grazes(&self, a: Vector, b: Vector) -> bool {
        let line = b - a;
        let length = line.norm();
        // The foot of the perpendicular from the centre, as a fraction of the line.
        let foot = -a.dot(line) / (length * length);
        let lowest = if (0.0..=1.0).contains(&foot) { a.cross(line).norm() / length } else { a.norm().min(b.norm()) };
        lowest < self.grazing_km
    }

    fn side_by_side(&self, a: Vector, b: Vector) -> bool {
        // The angle between the projections on the equator.
        let sin = a.x * b.y - a.y * b.x;
        let cos = a.x * b.x + a.y * b.y;
        libm::atan2(sin, cos).abs() < self.seam_longitude
    }
}

/// The links across the seam, as indices into its two sides: nearest first, each satellite at most once.
/// Satellites that are `linked` anyway, as the two planes of a star are on their other side, are no partners.
pub(crate) fn seam_partners(
    geometry: &Geometry,
    first: &[Vector],
    last: &[Vector],
    linked: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(first.len() * last.len());
    for (i, &a) in first.iter().enumerate() {
        for (j, &b) in last.iter().enumerate() {
            if geometry.obstacle(LinkKind::CrossSeam, a, b).is_none() && !linked(i, j) {
                pairs.push((a.distance(b), i, j));
            }
        }
    }
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let (mut taken_first, mut taken_last) = (vec![false; first.len()], vec![false; last.len()]);
    pairs.retain(|&(_, i, j)| {
        let free = !taken_first[i] && !taken_last[j];
        if free {
            (taken_first[i], taken_last[j]) = (true, true);
        }
        free
    });
    pairs.into_iter().map(|(_, i, j)| (i, j)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::earth::Earth;
    use crate::iridium::iridium;
    use crate::orbit::Perturbation;
    use crate::walker::Walker;

    fn walker(text: &str) -> Constellation {
        text.parse::<Walker>().unwrap().at_altitude(&Earth::NS2, 780.0, Perturbation::None).unwrap()
    }

    fn count(constellation: &Constellation, kind: LinkKind) -> usize {
        fixed_links(constellation, IslPattern::Grid).iter().filter(|link| link.kind == kind).count()
    }

    #[test]
    fn iridium_has_a_seam() {
        let constellation = iridium(&Earth::NS2).unwrap();
        assert_eq!(count(&constellation, LinkKind::InPlane), 66);
        assert_eq!(count(&constellation, LinkKind::CrossPlane), 55, "five gaps between six planes");
        assert!(seam(&constellation).is_some());
        assert!(fixed_links(&constellation, IslPattern::None).is_empty());
        assert_eq!(fixed_links(&constellation, IslPattern::InPlane).len(), 66);
    }

    #[test]
    fn a_delta_has_none() {
        let constellation = walker("53:72/6/2");
        assert_eq!(count(&constellation, LinkKind::CrossPlane), 72);
        assert!(seam(&constellation).is_none());
        // 6.11, the last of the last plane, is beside number 11 + 2 − 12 of the first.
        let id = |name: &str| constellation.named(name).unwrap();
        let link = Isl { a: id("1.1"), b: id("6.11"), kind: LinkKind::CrossPlane };
        assert!(fixed_links(&constellation, IslPattern::Grid).contains(&link));
    }

    #[test]
    fn the_nearest_of_the_plane_beside_is_that_whose_phase_fits_the_turn_of_the_node() {
        let beside = |text: &str, name: &str| {
            let constellation = walker(text);
            let id = constellation.named(name).unwrap();
            let links = fixed_links(&constellation, IslPattern::GridNearest);
            let cross = links.iter().filter(|link| link.kind == LinkKind::CrossPlane && [link.a, link.b].contains(&id));
            let name = |link: &Isl| constellation.satellites()[link.a + link.b - id].name.clone();
            cross.map(name).collect::<Vec<_>>()
        };
        // Same index: 8.864° ahead, and the node turned by 5° takes 5° cos 53° = 3.009° of it: 11.873°. The one behind is
        // 16.364° less far ahead: 4.491°. Across the end of the ring: index + 39 mod 22 = 17 is 0° ahead of plane 73.
        assert_eq!(beside("53:1584/72/39", "2.5"), ["1.6", "3.4"]);
        assert_eq!(beside("53:1584/72/39", "72.0"), ["71.1", "1.16"]);
        // 3.864° ahead and 3.009° make 6.873°, less than half a step.
        assert_eq!(beside("53:1584/72/17", "2.5"), ["1.5", "3.5"]);
        // Half a step, in polar orbits: as far ahead as behind. The lower index.
        assert_eq!(beside("star 90:44/4/2", "1.3"), ["2.3"]);
        let links = fixed_links(&walker("53:1584/72/39"), IslPattern::GridNearest);
        assert_eq!(links.len(), 2 * 1584, "four links of each");
    }

    #[test]
    fn one_two_and_three_satellites_per_plane() {
        for (text, in_plane, cross) in [
            ("86.4:6/6/0", 0, 6),
            ("86.4:12/6/0", 6, 12),
            ("86.4:18/6/0", 18, 18),
            ("86.4:1/1/0", 0, 0),
            ("86.4:3/1/0", 3, 0),
            ("86.4:2/2/0", 0, 1),
            ("star 86.4:2/2/0", 0, 1),
            ("86.4:4/2/1", 2, 4),
        ] {
            let constellation = walker(text);
            assert_eq!(count(&constellation, LinkKind::InPlane), in_plane, "{text}");
            assert_eq!(count(&constellation, LinkKind::CrossPlane), cross, "{text}");
        }
    }

    #[test]
    fn polar_latitudes_take_down_links_between_planes_only() {
        let geometry = Geometry::new(&IslRules::default(), 6378.0);
        let at = |latitude: f64, longitude: f64| {
            let (sin, cos) = libm::sincos(f64::to_radians(latitude));
            let (sin_lon, cos_lon) = libm::sincos(f64::to_radians(longitude));
            Vector::new(cos * cos_lon, cos * sin_lon, sin) * 7158.0
        };
        assert_eq!(geometry.obstacle(LinkKind::CrossPlane, at(59.9, 0.0), at(-59.9, 0.0)), Some(Reason::Grazing));
        assert_eq!(geometry.obstacle(LinkKind::CrossPlane, at(59.9, 0.0), at(40.0, 20.0)), None);
        assert_eq!(geometry.obstacle(LinkKind::CrossPlane, at(60.1, 0.0), at(40.0, 20.0)), Some(Reason::Latitude));
        assert_eq!(geometry.obstacle(LinkKind::CrossPlane, at(40.0, 0.0), at(-60.1, 20.0)), Some(Reason::Latitude));
        assert_eq!(geometry.obstacle(LinkKind::InPlane, at(60.1, 0.0), at(40.0, 20.0)), None);
        assert_eq!(geometry.obstacle(LinkKind::CrossSeam, at(40.0, 0.0), at(40.0, 9.9)), Some(Reason::SeamLongitude));
        assert_eq!(geometry.obstacle(LinkKind::CrossSeam, at(40.0, -5.1), at(40.0, 5.0)), None);
    }

    #[test]
    fn no_link_is_longer_than_the_earth_allows() {
        // 2 √(7158² − 6528²) = 5872.7 km for two satellites at 780 km and a margin of 150 km.
        let geometry = Geometry::new(&IslRules::default(), 6378.0);
        let apart = |km: f64| {
            let half = libm::asin(km / 2.0 / 7158.0);
            let (sin, cos) = libm::sincos(half);
            geometry.grazes(Vector::new(cos, sin, 0.0) * 7158.0, Vector::new(cos, -sin, 0.0) * 7158.0)
        };
        assert!(!apart(5872.6));
        assert!(apart(5872.8));
        // One above the other: the line does not come below the lower one.
        assert!(!geometry.grazes(Vector::new(7000.0, 0.0, 0.0), Vector::new(42_000.0, 0.0, 0.0)));
    }

    #[test]
    fn across_the_seam_the_nearest_are_partners_and_each_has_one() {
        let rules = IslRules { polar_latitude_deg: 90.0, seam_longitude_deg: 0.0, ..IslRules::default() };
        let geometry = Geometry::new(&rules, 6378.0);
        let on_equator = |degrees: f64| {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            Vector::new(cos, sin, 0.0) * 7158.0
        };
        let first = [on_equator(0.0), on_equator(20.0)];
        let last = [on_equator(21.0), on_equator(23.0)];
        // 20° with 21°; what is left for 0° is 23°.
        assert_eq!(seam_partners(&geometry, &first, &last, |_, _| false), [(1, 0), (0, 1)]);
        assert_eq!(seam_partners(&geometry, &first, &last, |i, j| (i, j) == (1, 0)), [(1, 1), (0, 0)]);
    }
}
