//! Routes between terminals: when they are computed, and the paths that packets take by them.

use ackclock::units::Time;

use super::known::Linked;
use super::{NextHops, World};
use crate::error::SatError;
use crate::isl::{IslPattern, seam};
use crate::plan::service::Computed;
use crate::plan::{Gap, NodeId, RoutePath};
use crate::routing::{Routing, next_hops};

impl World<'_> {
    /// Computes routes, or lets those hold that were computed before, if it is time.
    pub(super) fn route(&mut self, now: Time, changed: bool) -> Result<(), SatError> {
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
            // The routes are still the old ones, but a path may have lost a link.
            let next = self.computed.last().expect("routes are computed at the start").next.clone();
            self.keep_routes(now, next)?;
        }
        Ok(())
    }

    pub(super) fn next_hops(&mut self) -> Result<NextHops, SatError> {
        let destinations = self.destinations();
        let routes = |destination| Ok((destination, self.routes_to(destination, Across::AsTheyAre)?));
        destinations.into_iter().map(routes).collect()
    }

    pub(super) fn keep_routes(&mut self, now: Time, next: NextHops) -> Result<(), SatError> {
        let mut paths = Vec::new();
        for (from, to) in self.directions() {
            let (_, hops) =
                next.iter().find(|(destination, _)| *destination == to).expect("every direction has routes");
            let path = self.follow(from, to, hops)?;
            paths.push((from, to, path));
        }
        self.computed.push(Computed { time: now, next, paths });
        Ok(())
    }

    /// The path that packets take, if all of it is up.
    fn follow(&mut self, from: NodeId, to: NodeId, next: &[Option<NodeId>]) -> Result<RoutePath, SatError> {
        let mut nodes = vec![from];
        let mut node = from;
        while node != to {
            let Some(hop) = next[node] else { return Ok(RoutePath::None(self.gap(from, to)?)) };
            if !self.is_up(node, hop) {
                let gap = match [from, to].into_iter().find(|&terminal| self.satellite_of(terminal).is_none()) {
                    Some(terminal) => Gap::NoSatellite(terminal),
                    None => Gap::RoutesNotUpdated,
                };
                return Ok(RoutePath::None(gap));
            }
            nodes.push(hop);
            node = hop;
            if nodes.len() > usize::from(self.setup.ttl) + 1 {
                return Ok(RoutePath::None(Gap::TooManyHops));
            }
        }
        Ok(RoutePath::Through(nodes))
    }

    /// Why there is no path between two terminals.
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
}

/// Whether links across the seam are those that there are, or those that there could be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Across {
    AsTheyAre,
    Everywhere,
}
