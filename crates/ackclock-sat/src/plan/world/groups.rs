//! Terminals that choose their satellites together: when they look, and what they see.

use ackclock::units::Time;

use super::World;
use super::known::FarEnd;
use super::sight::line_of_sight;
use crate::error::SatError;
use crate::handover::{HandoverPolicy, View};
use crate::plan::{Event, EventKind, LinkKind, Reason};

impl World<'_> {
    /// Terminals look at their satellites, all that do so at this instant. Whether any changes.
    ///
    /// Where terminals choose by the whole path, those at the other ends of the paths decide too: what is the shortest path for one
    /// is good for nothing while the other keeps a satellite that is far from it. All decide by the same state, so that the order
    /// of their names decides nothing, and then in turn until nothing changes.
    pub(super) fn check_groups(&mut self, now: Time, groups: &[usize]) -> Result<bool, SatError> {
        let by_path = match self.setup.policy {
            HandoverPolicy::LeastDelay { hysteresis_s } => Some(hysteresis_s),
            HandoverPolicy::Sticky | HandoverPolicy::MaxElevation { .. } | HandoverPolicy::MaxRemainingTime { .. } => {
                None
            }
        };
        let groups = if by_path.is_some() { self.with_far_ends(groups) } else { groups.to_vec() };
        let before: Vec<Option<(usize, Time)>> = groups.iter().map(|&group| self.access_of(group)).collect();
        let mut choices = Vec::with_capacity(groups.len());
        for &group in &groups {
            choices.push(self.choice(now, group)?);
        }
        for (&group, &(chosen, _)) in groups.iter().zip(&choices) {
            self.give(group, chosen.map(|satellite| (satellite, now)));
        }
        if let Some(hysteresis_s) = by_path {
            self.settle(now, &groups, hysteresis_s)?;
        }
        let mut changed = false;
        for ((group, before), (_, reason)) in groups.into_iter().zip(before).zip(choices) {
            changed |= self.keep_choice(now, group, before, reason);
        }
        Ok(changed)
    }

    /// The satellite that terminals would use from now on, and why.
    fn choice(&mut self, now: Time, group: usize) -> Result<(Option<usize>, Reason), SatError> {
        let current = self.access_of(group).map(|(satellite, _)| satellite);
        let policy = self.setup.policy;
        policy.choose(current, &mut GroupView { world: self, group, now })
    }

    /// Where paths are equally short, or where there are several other ends, the best of one terminal may not go with the best of
    /// another. So each takes in turn what is best with what the others have, if that is shorter by more than the hysteresis.
    fn settle(&mut self, now: Time, groups: &[usize], hysteresis_s: f64) -> Result<(), SatError> {
        // From where they stand, not from what they are called.
        let mut in_turn = groups.to_vec();
        let place = |group: &usize| self.stations[self.groups[*group][0]].position;
        in_turn.sort_by(|a, b| {
            let (a, b) = (place(a), place(b));
            a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
        });
        // With several other ends nothing says that it ends.
        for _ in 0..=groups.len() {
            let mut changed = false;
            for &group in &in_turn {
                let Some((current, _)) = self.access_of(group) else { continue };
                let mut best: Option<(usize, f64)> = None;
                for satellite in 0..self.setup.constellation.satellites().len() {
                    let is_seen = GroupView { world: self, group, now }.elevation(satellite)?.is_some();
                    if is_seen {
                        let delay = self.mean_delay(group, satellite, FarEnd::Present)?;
                        if best.is_none_or(|(_, least)| delay < least) {
                            best = Some((satellite, delay));
                        }
                    }
                }
                let present = self.mean_delay(group, current, FarEnd::Present)?;
                if let Some((satellite, delay)) = best
                    && present > delay + hysteresis_s
                {
                    self.give(group, Some((satellite, now)));
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Terminals, and all that they exchange packets with, and those with which these do.
    fn with_far_ends(&self, groups: &[usize]) -> Vec<usize> {
        let group_of = |terminal: usize| self.groups.iter().position(|group| group.contains(&terminal));
        let mut all: Vec<usize> = groups.to_vec();
        let mut at = 0;
        while at < all.len() {
            for &terminal in &self.groups[all[at]] {
                for partner in self.partners(terminal) {
                    if let Some(group) = group_of(partner).filter(|group| !all.contains(group)) {
                        all.push(group);
                    }
                }
            }
            at += 1;
        }
        all.sort_unstable();
        all
    }

    /// The satellite that terminals use, and since when.
    fn access_of(&self, group: usize) -> Option<(usize, Time)> {
        self.access[self.groups[group][0]]
    }

    fn give(&mut self, group: usize, access: Option<(usize, Time)>) {
        for at in 0..self.groups[group].len() {
            self.access[self.groups[group][at]] = access;
        }
    }

    /// Makes an event of what terminals have now, if it is something else than before. Whether it is.
    fn keep_choice(&mut self, now: Time, group: usize, before: Option<(usize, Time)>, reason: Reason) -> bool {
        let number = |access: Option<(usize, Time)>| access.map(|(satellite, _)| satellite);
        let (current, chosen) = (number(before), number(self.access_of(group)));
        if chosen == current {
            self.give(group, before);
            return false;
        }
        let kind = match (current, chosen) {
            (None, _) => EventKind::Acquired,
            (Some(_), Some(_)) => EventKind::Handover,
            (Some(_), None) => EventKind::Lost,
        };
        let reason = if now == Time::ZERO { Reason::Start } else { reason };
        for at in 0..self.groups[group].len() {
            let node = self.node_of(self.groups[group][at]);
            if let Some((satellite, since)) = before {
                self.windows.add(satellite, node, LinkKind::Access, since, now);
            }
            self.events.push(Event { time: now, kind, node, before: current, after: chosen, reason });
        }
        true
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
            let line = line_of_sight(setup, stations, sin_masks, terminal, satellite);
            let sets = setting[terminal][satellite].after(&line, self.now)?;
            least = least.min(sets.map_or(f64::INFINITY, |sets| sets.since(self.now).as_secs_f64()));
        }
        Ok(least)
    }

    fn best_delay(&mut self, satellite: usize) -> Result<f64, SatError> {
        self.world.mean_delay(self.group, satellite, FarEnd::Best)
    }

    fn present_delay(&mut self, satellite: usize) -> Result<f64, SatError> {
        self.world.mean_delay(self.group, satellite, FarEnd::Present)
    }

    fn follower(&self, satellite: usize) -> Option<usize> {
        self.world.setup.constellation.follower(satellite)
    }

    fn count(&self) -> usize {
        self.world.setup.constellation.satellites().len()
    }
}
