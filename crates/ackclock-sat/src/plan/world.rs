//! The course of events: links come up and go down at checks, terminals change satellites, routes are computed.

mod known;
mod ways;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ackclock::units::{Span, Time};

use known::Linked;

use super::service::{Computed, Windows, serve};
use super::setup::{Access, Setup};
use super::{Contact, Event, EventKind, Gap, LinkKind, Node, NodeId, NodeKind, Plan, Reason, Way};
use crate::checks::Checks;
use crate::contacts::{STEP, Watch, sets};
use crate::delay_curve::LONGEST_LINE;
use crate::error::SatError;
use crate::handover::View;
use crate::isl::{Geometry, Isl, IslPattern, fixed_links, seam, seam_partners};
use crate::place::Station;
use crate::routing::{Routing, next_hops};
use crate::snapshot::{LineOfSight, Snapshot};

impl Setup {
    /// The contact plan.
    ///
    /// # Errors
    /// If the settings do not go together, or if a satellite comes down. That two terminals never have a way is no
    /// error: [`Plan::never`] says so.
    pub fn plan(&self) -> Result<Plan, SatError> {
        self.check()?;
        plan(self)
    }
}

/// The contact plan of a setup that has been checked.
///
/// A line between two breakpoints of a delay is another line if it is cut off at the end of the plan. So that a plan does
/// not depend on where it ends, it is computed for as much longer as a line may be, and what begins after its end is left
/// out.
fn plan(setup: &Setup) -> Result<Plan, SatError> {
    let step = STEP.as_ps();
    let beyond = (setup.end + LONGEST_LINE).as_ps().div_ceil(step) * step;
    let longer = Setup { end: Time::from_ps(beyond), ..setup.clone() };
    match whole_plan(&longer) {
        // A satellite that comes down after the end is none of this plan's business.
        Err(SatError::Decayed { .. }) => whole_plan(setup),
        made => made.map(|plan| plan.cut(setup.end)),
    }
}

fn whole_plan(setup: &Setup) -> Result<Plan, SatError> {
    let stations: Vec<Station> = setup.terminals.iter().map(|terminal| terminal.place.station(&setup.earth)).collect();
    let mut world = World::new(setup, &stations);
    world.start()?;
    world.run()?;
    world.finish()
}

/// All state that changes with time.
struct World<'a> {
    setup: &'a Setup,
    stations: &'a [Station],
    sin_masks: Vec<f64>,
    snapshot: Snapshot<'a>,
    geometry: Geometry,
    links: Vec<Isl>,
    links_of: Vec<Vec<usize>>,
    /// Since when each link is up.
    up: Vec<Option<Time>>,
    /// Links across the seam: both ends, the lower first, and since when.
    across: Vec<(usize, usize, Time)>,
    /// Which satellite each terminal has, and since when.
    access: Vec<Option<(usize, Time)>>,
    /// Terminals that choose together.
    groups: Vec<Vec<usize>>,
    /// When a satellite will set, by terminal and satellite: asked for again and again during a pass.
    setting: Vec<Vec<Time>>,
    windows: Windows,
    contacts: Vec<Contact>,
    events: Vec<Event>,
    computed: Vec<Computed>,
    /// What was found of the ways between terminals at one instant.
    ways: known::Known,
    /// Routes that will hold from an instant on, in order; those without next hops are computed then.
    due: VecDeque<(Time, Option<NextHops>)>,
}

/// Of each destination, the next node of every node.
type NextHops = Vec<(NodeId, Vec<Option<NodeId>>)>;

/// Whose check it is. Their order is the order of what happens at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entity {
    Satellite(usize),
    Seam,
    Group(usize),
}

impl<'a> World<'a> {
    fn new(setup: &'a Setup, stations: &'a [Station]) -> World<'a> {
        let constellation = &setup.constellation;
        let satellites = constellation.satellites().len();
        let links = fixed_links(constellation, setup.isl.pattern);
        let mut links_of = vec![Vec::new(); satellites];
        for (index, link) in links.iter().enumerate() {
            links_of[link.a].push(index);
            links_of[link.b].push(index);
        }
        let terminals = setup.terminals.len();
        let groups = match setup.access {
            Access::Independent => (0..terminals).map(|terminal| vec![terminal]).collect(),
            Access::Common => vec![(0..terminals).collect()],
        };
        World {
            setup,
            stations,
            sin_masks: setup.terminals.iter().map(|terminal| libm::sin(terminal.mask_deg.to_radians())).collect(),
            snapshot: Snapshot::new(setup.earth, constellation, stations, setup.time_advance),
            geometry: Geometry::new(&setup.isl, setup.earth.radius_km),
            up: vec![None; links.len()],
            links,
            links_of,
            across: Vec::new(),
            access: vec![None; terminals],
            groups,
            setting: vec![vec![Time::ZERO; satellites]; terminals],
            windows: Windows::default(),
            contacts: Vec::new(),
            events: Vec::new(),
            computed: Vec::new(),
            ways: known::Known::default(),
            due: VecDeque::new(),
        }
    }

    /// The state at the start, and the first routes.
    fn start(&mut self) -> Result<(), SatError> {
        for index in 0..self.links.len() {
            let Isl { a, b, kind } = self.links[index];
            if self.geometry.obstacle(kind, self.snapshot.satellite(a)?, self.snapshot.satellite(b)?).is_none() {
                self.up[index] = Some(Time::ZERO);
                self.isl_event(Time::ZERO, EventKind::IslUp, a, b, Reason::Start);
            }
        }
        self.check_seam(Time::ZERO)?;
        for group in 0..self.groups.len() {
            self.check_group(Time::ZERO, group)?;
        }
        let next = self.next_hops()?;
        self.keep_routes(Time::ZERO, next)?;
        if let Routing::Every(interval) = self.setup.routing {
            self.due.push_back((Time::ZERO + interval, None));
        }
        Ok(())
    }

    /// Goes from check to check.
    fn run(&mut self) -> Result<(), SatError> {
        let mut checks = self.checks();
        let mut queue: BinaryHeap<_> =
            checks.iter().enumerate().map(|(index, (_, checks))| Reverse((checks.next(), index))).collect();
        loop {
            let check = queue.peek().map(|&Reverse((time, _))| time);
            let Some(now) = [check, self.due.front().map(|&(due, _)| due)]
                .into_iter()
                .flatten()
                .min()
                .filter(|&now| now < self.setup.end)
            else {
                return Ok(());
            };
            self.snapshot.go_to(now);
            self.ways.forget();
            let mut changed = false;
            while let Some(&Reverse((time, index))) = queue.peek()
                && time == now
            {
                queue.pop();
                let (entity, checks) = &mut checks[index];
                checks.advance();
                queue.push(Reverse((checks.next(), index)));
                changed |= self.check(now, *entity)?;
            }
            self.route(now, changed)?;
        }
    }

    /// Everybody who checks something, in the order of what happens at one instant.
    fn checks(&self) -> Vec<(Entity, Checks)> {
        let setup = self.setup;
        let isl = |name: &str| Checks::new(setup.isl_interval, setup.jitter, name);
        let mut checks = Vec::new();
        for (index, satellite) in setup.constellation.satellites().iter().enumerate() {
            let changes = self.links_of[index].iter().any(|&link| self.links[link].kind != LinkKind::InPlane);
            // Between circular orbits of one plane nothing ever changes.
            if changes {
                checks.push((Entity::Satellite(index), isl(&satellite.name)));
            }
        }
        if setup.isl.pattern == IslPattern::GridAcrossSeam {
            checks.push((Entity::Seam, isl("seam")));
        }
        for (index, group) in self.groups.iter().enumerate() {
            let names: Vec<&str> = group.iter().map(|&terminal| setup.terminals[terminal].place.name()).collect();
            let entity = Checks::new(setup.terminal_interval, setup.jitter, &names.join("+"));
            checks.push((Entity::Group(index), entity));
        }
        checks
    }

    /// Whether anything changed.
    fn check(&mut self, now: Time, entity: Entity) -> Result<bool, SatError> {
        match entity {
            Entity::Satellite(satellite) => self.check_satellite(now, satellite),
            Entity::Seam => self.check_seam(now),
            Entity::Group(group) => self.check_group(now, group),
        }
    }

    /// A satellite looks at its links to other planes.
    fn check_satellite(&mut self, now: Time, satellite: usize) -> Result<bool, SatError> {
        let mut changed = false;
        for at in 0..self.links_of[satellite].len() {
            let index = self.links_of[satellite][at];
            let Isl { a, b, kind } = self.links[index];
            if kind == LinkKind::InPlane {
                continue;
            }
            let obstacle = self.geometry.obstacle(kind, self.snapshot.satellite(a)?, self.snapshot.satellite(b)?);
            match (self.up[index], obstacle) {
                (Some(since), Some(reason)) => {
                    self.up[index] = None;
                    self.went_down(a, b, kind, since, now);
                    self.isl_event(now, EventKind::IslDown, a, b, reason);
                    changed = true;
                }
                (None, None) => {
                    self.up[index] = Some(now);
                    self.isl_event(now, EventKind::IslUp, a, b, Reason::Clear);
                    changed = true;
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    /// The partners across the seam are found anew, for all its satellites at once.
    fn check_seam(&mut self, now: Time) -> Result<bool, SatError> {
        if self.setup.isl.pattern != IslPattern::GridAcrossSeam {
            return Ok(false);
        }
        let partners = self.partners_across_seam()?;
        let mut changed = false;
        for (a, b, since) in std::mem::take(&mut self.across) {
            if partners.contains(&(a, b)) {
                self.across.push((a, b, since));
                continue;
            }
            let obstacle =
                self.geometry.obstacle(LinkKind::CrossSeam, self.snapshot.satellite(a)?, self.snapshot.satellite(b)?);
            self.went_down(a, b, LinkKind::CrossSeam, since, now);
            self.isl_event(now, EventKind::IslDown, a, b, obstacle.unwrap_or(Reason::SeamPartner));
            changed = true;
        }
        for (a, b) in partners {
            if !self.across.iter().any(|&(x, y, _)| (x, y) == (a, b)) {
                self.across.push((a, b, now));
                let reason = if now == Time::ZERO { Reason::Start } else { Reason::SeamPartner };
                self.isl_event(now, EventKind::IslUp, a, b, reason);
                changed = true;
            }
        }
        Ok(changed)
    }

    fn partners_across_seam(&mut self) -> Result<Vec<(usize, usize)>, SatError> {
        let Some((first, last)) = seam(&self.setup.constellation) else { return Ok(Vec::new()) };
        let mut positions = |members: &[usize]| -> Result<Vec<_>, SatError> {
            members.iter().map(|&member| self.snapshot.satellite(member)).collect()
        };
        let (of_first, of_last) = (positions(first)?, positions(last)?);
        let ends = |i: usize, j: usize| (first[i].min(last[j]), first[i].max(last[j]));
        let linked = |i, j| {
            let (a, b) = ends(i, j);
            self.links_of[a].iter().any(|&index| self.links[index].b == b)
        };
        let partners = seam_partners(&self.geometry, &of_first, &of_last, linked);
        Ok(partners.into_iter().map(|(i, j)| ends(i, j)).collect())
    }

    /// Terminals look at their satellite.
    fn check_group(&mut self, now: Time, group: usize) -> Result<bool, SatError> {
        let first = self.groups[group][0];
        let current = self.access[first].map(|(satellite, _)| satellite);
        let policy = self.setup.policy;
        let (chosen, reason) = policy.choose(current, &mut GroupView { world: self, group, now })?;
        if chosen == current {
            return Ok(false);
        }
        let kind = match (current, chosen) {
            (None, _) => EventKind::Acquired,
            (Some(_), Some(_)) => EventKind::Handover,
            (Some(_), None) => EventKind::Lost,
        };
        let reason = if now == Time::ZERO { Reason::Start } else { reason };
        for at in 0..self.groups[group].len() {
            let terminal = self.groups[group][at];
            let node = self.node_of(terminal);
            if let Some((satellite, since)) = self.access[terminal].take() {
                self.windows.add(satellite, node, LinkKind::Access, since, now);
            }
            self.access[terminal] = chosen.map(|satellite| (satellite, now));
            self.events.push(Event { time: now, kind, node, before: current, after: chosen, reason });
        }
        Ok(true)
    }

    /// Computes routes, or lets those hold that were computed before, if it is time.
    fn route(&mut self, now: Time, changed: bool) -> Result<(), SatError> {
        if let Routing::AtChange { after } = self.setup.routing
            && changed
        {
            // What is known of the change is known now; the nodes act on it later.
            let next = self.next_hops()?;
            self.due.push_back((now + after, Some(next)));
        }
        if self.due.front().is_some_and(|&(due, _)| due == now) {
            let next = match self.due.pop_front().and_then(|(_, next)| next) {
                Some(next) => next,
                None => self.next_hops()?,
            };
            self.keep_routes(now, next)?;
            if let Routing::Every(interval) = self.setup.routing {
                self.due.push_back((now + interval, None));
            }
        } else if changed {
            // The routes are still the old ones, but a way may have lost a link.
            let next = self.computed.last().expect("routes are computed at the start").next.clone();
            self.keep_routes(now, next)?;
        }
        Ok(())
    }

    fn next_hops(&mut self) -> Result<NextHops, SatError> {
        let destinations = self.destinations();
        let routes = |destination| Ok((destination, self.routes_to(destination, Across::AsTheyAre)?));
        destinations.into_iter().map(routes).collect()
    }

    fn keep_routes(&mut self, now: Time, next: NextHops) -> Result<(), SatError> {
        let mut ways = Vec::new();
        for (from, to) in self.directions() {
            let (_, hops) =
                next.iter().find(|(destination, _)| *destination == to).expect("every direction has routes");
            let way = self.follow(from, to, hops)?;
            ways.push((from, to, way));
        }
        self.computed.push(Computed { time: now, next, ways });
        Ok(())
    }

    /// The way that packets take, if all of it is up.
    fn follow(&mut self, from: NodeId, to: NodeId, next: &[Option<NodeId>]) -> Result<Way, SatError> {
        let mut nodes = vec![from];
        let mut node = from;
        while node != to {
            let Some(hop) = next[node] else { return Ok(Way::None(self.gap(from, to)?)) };
            if !self.is_up(node, hop) {
                let gap = match [from, to].into_iter().find(|&terminal| self.satellite_of(terminal).is_none()) {
                    Some(terminal) => Gap::NoSatellite(terminal),
                    None => Gap::RoutesNotUpdated,
                };
                return Ok(Way::None(gap));
            }
            nodes.push(hop);
            node = hop;
            if nodes.len() > usize::from(self.setup.ttl) + 1 {
                return Ok(Way::None(Gap::TooManyHops));
            }
        }
        Ok(Way::Through(nodes))
    }

    /// Why there is no way between two terminals.
    fn gap(&mut self, from: NodeId, to: NodeId) -> Result<Gap, SatError> {
        if let Some(terminal) = [from, to].into_iter().find(|&terminal| self.satellite_of(terminal).is_none()) {
            return Ok(Gap::NoSatellite(terminal));
        }
        if self.routes_to(to, Across::AsTheyAre)?[from].is_some() {
            return Ok(Gap::RoutesNotUpdated);
        }
        // Would links across the seam help?
        let without_seam = [IslPattern::Grid, IslPattern::GridNearest].contains(&self.setup.isl.pattern);
        let is_open = without_seam && seam(&self.setup.constellation).is_some();
        Ok(match is_open && self.routes_to(to, Across::Everywhere)?[from].is_some() {
            true => Gap::Seam,
            false => Gap::NoIslRoute,
        })
    }

    /// Next hops from everywhere to a terminal.
    fn routes_to(&mut self, destination: NodeId, across: Across) -> Result<Vec<Option<NodeId>>, SatError> {
        let satellites = self.setup.constellation.satellites().len();
        let seam_links: Vec<(usize, usize)> = match across {
            Across::AsTheyAre => self.across.iter().map(|&(a, b, _)| (a, b)).collect(),
            Across::Everywhere => self.partners_across_seam()?,
        };
        let World { snapshot, links, links_of, up, access, .. } = self;
        next_hops(
            satellites + access.len(),
            destination,
            |node| node >= satellites,
            |node, found| {
                let mut to = |other: NodeId| -> Result<(), SatError> {
                    found(other, (snapshot.light_time(node, other)? * 1e12).round() as u64);
                    Ok(())
                };
                if let Some(terminal) = node.checked_sub(satellites) {
                    return access[terminal].map_or(Ok(()), |(satellite, _)| to(satellite));
                }
                Linked { links, links_of, up, across: &seam_links }.each(node, &mut to)?;
                for (terminal, _) in access.iter().enumerate().filter(|(_, has)| has.is_some_and(|(s, _)| s == node)) {
                    to(satellites + terminal)?;
                }
                Ok(())
            },
        )
    }

    fn is_up(&self, x: NodeId, y: NodeId) -> bool {
        let (a, b) = (x.min(y), x.max(y));
        if let Some(terminal) = self.terminal_of(b) {
            return self.access[terminal].is_some_and(|(satellite, _)| satellite == a);
        }
        let is_fixed_up = self.links_of[a].iter().any(|&index| self.links[index].b == b && self.up[index].is_some());
        is_fixed_up || self.across.iter().any(|&(first, last, _)| (first, last) == (a, b))
    }

    fn satellite_of(&self, node: NodeId) -> Option<usize> {
        self.access[self.terminal_of(node)?].map(|(satellite, _)| satellite)
    }

    fn terminal_of(&self, node: NodeId) -> Option<usize> {
        node.checked_sub(self.setup.constellation.satellites().len())
    }

    fn node_of(&self, terminal: usize) -> NodeId {
        self.setup.constellation.satellites().len() + terminal
    }

    /// Both directions of every pair, each once.
    fn directions(&self) -> Vec<(NodeId, NodeId)> {
        let mut directions: Vec<(NodeId, NodeId)> =
            self.setup.pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        directions.sort_unstable();
        directions.dedup();
        directions.into_iter().map(|(a, b)| (self.node_of(a), self.node_of(b))).collect()
    }

    fn destinations(&self) -> Vec<NodeId> {
        let mut destinations: Vec<NodeId> = self.directions().into_iter().map(|(_, to)| to).collect();
        destinations.sort_unstable();
        destinations.dedup();
        destinations
    }

    fn isl_event(&mut self, time: Time, kind: EventKind, a: usize, b: usize, reason: Reason) {
        let (before, after) = if kind == EventKind::IslUp { (None, Some(b)) } else { (Some(b), None) };
        self.events.push(Event { time, kind, node: a, before, after, reason });
    }

    fn went_down(&mut self, a: usize, b: usize, kind: LinkKind, from: Time, to: Time) {
        self.windows.add(a, b, kind, from, to);
        self.contacts.push(Contact { a, b, kind, from, to });
    }

    /// Everything ends; what was gathered becomes the plan.
    fn finish(mut self) -> Result<Plan, SatError> {
        let end = self.setup.end;
        for index in 0..self.links.len() {
            if let Some(since) = self.up[index] {
                let Isl { a, b, kind } = self.links[index];
                self.went_down(a, b, kind, since, end);
            }
        }
        for (a, b, since) in std::mem::take(&mut self.across) {
            self.went_down(a, b, LinkKind::CrossSeam, since, end);
        }
        for terminal in 0..self.access.len() {
            if let Some((satellite, since)) = self.access[terminal] {
                self.windows.add(satellite, self.node_of(terminal), LinkKind::Access, since, end);
            }
        }
        self.watch()?;
        self.contacts.sort_by_key(|contact| (contact.from, contact.a, contact.b));
        let setup = self.setup;
        let (hops, routes, used) = serve(&self.computed, &self.windows, setup.linger, end);
        let mut sampler = Snapshot::new(setup.earth, &setup.constellation, self.stations, setup.time_advance);
        let links =
            used.into_iter().map(|link| link.sampled(setup.delay_error, &mut sampler)).collect::<Result<_, _>>()?;
        Ok(Plan {
            end,
            ttl: setup.ttl,
            delay_error: setup.delay_error,
            settings: setup.settings(),
            nodes: self.nodes(),
            contacts: self.contacts,
            links,
            hops,
            routes,
            events: self.events,
        })
    }

    fn nodes(&self) -> Vec<Node> {
        let satellites = self.setup.constellation.satellites().iter();
        let satellites = satellites.map(|s| Node { name: s.name.clone(), kind: NodeKind::Satellite });
        let terminals = self.setup.terminals.iter();
        let terminals = terminals.map(|t| Node { name: t.place.name().into(), kind: NodeKind::Terminal });
        satellites.chain(terminals).collect()
    }

    /// Finds out which terminal sees which satellite, and when.
    fn watch(&mut self) -> Result<(), SatError> {
        let satellites = self.setup.constellation.satellites().len();
        let mut watches = vec![Watch::default(); satellites * self.stations.len()];
        let mut now = Time::ZERO;
        loop {
            self.snapshot.go_to(now);
            for terminal in 0..self.stations.len() {
                let station = self.snapshot.station(terminal);
                for satellite in 0..satellites {
                    let position = self.snapshot.satellite(satellite)?;
                    let margin = station.sin_elevation(position) - self.sin_masks[terminal];
                    let line = line_of_sight(self.setup, self.stations, &self.sin_masks, terminal, satellite);
                    watches[terminal * satellites + satellite].look(&line, now, margin)?;
                }
            }
            if now == self.setup.end {
                break;
            }
            now = (now + STEP).min(self.setup.end);
        }
        for (index, mut watch) in watches.into_iter().enumerate() {
            let (terminal, satellite) = (index / satellites, index % satellites);
            watch.finish(self.setup.end);
            let b = self.node_of(terminal);
            let contact = |(from, to)| Contact { a: satellite, b, kind: LinkKind::Access, from, to };
            self.contacts.extend(watch.passes.into_iter().map(contact));
        }
        Ok(())
    }
}

/// Whether links across the seam are those that there are, or those that there could be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Across {
    AsTheyAre,
    Everywhere,
}

fn line_of_sight<'a>(
    setup: &'a Setup,
    stations: &[Station],
    sin_masks: &[f64],
    terminal: usize,
    satellite: usize,
) -> LineOfSight<'a> {
    LineOfSight {
        earth: &setup.earth,
        constellation: &setup.constellation,
        satellite,
        station: stations[terminal],
        sin_mask: sin_masks[terminal],
        advance: setup.time_advance,
    }
}

/// What terminals that choose together see.
struct GroupView<'w, 'a> {
    world: &'w mut World<'a>,
    group: usize,
    now: Time,
}

impl View for GroupView<'_, '_> {
    type Error = SatError;

    fn elevation(&mut self, satellite: usize) -> Result<Option<f64>, SatError> {
        let position = self.world.snapshot.satellite(satellite)?;
        let mut least = f64::INFINITY;
        for &terminal in &self.world.groups[self.group] {
            let sin = self.world.snapshot.station(terminal).sin_elevation(position);
            if sin <= self.world.sin_masks[terminal] {
                return Ok(None);
            }
            least = least.min(sin);
        }
        Ok(Some(libm::asin(least.clamp(-1.0, 1.0)).to_degrees()))
    }

    fn remaining(&mut self, satellite: usize) -> Result<f64, SatError> {
        let World { setup, stations, sin_masks, setting, groups, .. } = &mut *self.world;
        let mut least = f64::INFINITY;
        for &terminal in &groups[self.group] {
            let known = &mut setting[terminal][satellite];
            if *known <= self.now {
                let line = line_of_sight(setup, stations, sin_masks, terminal, satellite);
                *known = sets(&line, self.now, LONGEST_LOOK_AHEAD)?;
            }
            least = least.min(known.since(self.now).as_secs_f64());
        }
        Ok(least)
    }

    fn best_delay(&mut self, satellite: usize) -> Result<f64, SatError> {
        self.world.mean_delay(self.group, satellite, known::FarEnd::Best)
    }

    fn present_delay(&mut self, satellite: usize) -> Result<f64, SatError> {
        self.world.mean_delay(self.group, satellite, known::FarEnd::Present)
    }

    fn follower(&self, satellite: usize) -> Option<usize> {
        self.world.setup.constellation.follower(satellite)
    }

    fn count(&self) -> usize {
        self.world.setup.constellation.satellites().len()
    }
}

/// What stays longer than an hour in view is as good as what stays for ever.
const LONGEST_LOOK_AHEAD: Span = Span::from_secs(3600);
