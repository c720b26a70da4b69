//! The sequence of events: links come up and go down at checks, terminals change satellites, routes are computed.

mod groups;
mod known;
mod path_delays;
mod routes;
mod sight;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ackclock::units::Time;

use super::service::{Computed, Windows, serve};
use super::setup::{Access, Setup};
use super::{Contact, Event, EventKind, LinkKind, Node, NodeId, NodeKind, Plan, Reason};
use crate::checks::Checks;
use crate::delay_curve::LONGEST_LINE;
use crate::error::SatError;
use crate::isl::{Geometry, Isl, IslPattern, fixed_links, seam, seam_partners};
use crate::place::Station;
use crate::plan::contacts::{STEP, Setting};
use crate::plan::snapshot::Snapshot;
use crate::routing::Routing;

impl Setup {
    /// The contact plan.
    ///
    /// # Errors
    /// If the settings do not go together, or if a satellite comes down. That two terminals never have a path is no
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
    /// When a satellite will set, by terminal and satellite.
    setting: Vec<Vec<Setting>>,
    windows: Windows,
    contacts: Vec<Contact>,
    events: Vec<Event>,
    computed: Vec<Computed>,
    /// What was found of the paths between terminals at one instant.
    path_delays: known::DelayCache,
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
            setting: vec![vec![Setting::default(); satellites]; terminals],
            windows: Windows::default(),
            contacts: Vec::new(),
            events: Vec::new(),
            computed: Vec::new(),
            path_delays: known::DelayCache::default(),
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
        let all: Vec<usize> = (0..self.groups.len()).collect();
        self.check_groups(Time::ZERO, &all)?;
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
            self.path_delays.forget();
            let mut changed = false;
            let mut groups = Vec::new();
            while let Some(&Reverse((time, index))) = queue.peek()
                && time == now
            {
                queue.pop();
                let (entity, checks) = &mut checks[index];
                checks.advance();
                queue.push(Reverse((checks.next(), index)));
                match *entity {
                    Entity::Satellite(satellite) => changed |= self.check_satellite(now, satellite)?,
                    Entity::Seam => changed |= self.check_seam(now)?,
                    Entity::Group(group) => groups.push(group),
                }
            }
            changed |= self.check_groups(now, &groups)?;
            self.route(now, changed)?;
        }
    }

    /// All that check something, in the order of events at one instant.
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
}
