//! Terminals that choose their satellites together: when they look, and what they see.

use ackclock::units::{Span, Time};

use super::World;
use super::known::FarEnd;
use super::sight::line_of_sight;
use crate::error::SatError;
use crate::handover::View;
use crate::plan::contacts::sets;
use crate::plan::{Event, EventKind, LinkKind, Reason};

impl World<'_> {
    /// Terminals look at their satellite.
    pub(super) fn check_group(&mut self, now: Time, group: usize) -> Result<bool, SatError> {
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

/// What stays longer than an hour in view is as good as what stays for ever.
const LONGEST_LOOK_AHEAD: Span = Span::from_secs(3600);
