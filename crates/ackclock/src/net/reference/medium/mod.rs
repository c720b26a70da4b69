//! The media of a network: ports that share a transmitter. The turns of a medium are events of the output of its first link.

mod turns;

use std::sync::Arc;

use crate::ids::{IdVec, LinkId};
use crate::link::Turns;
use crate::scenario::Scenario;

/// All media of a scenario.
pub(super) struct Media {
    /// In the order of their first links.
    all: Vec<Shared>,
    /// Of each link the medium on which it sends, if it shares one, and its number there.
    places: IdVec<LinkId, Option<(usize, usize)>>,
}

/// A medium, and whose turn it is.
struct Shared {
    turns: Turns,
    /// The links that send on it, in the order of the turns.
    links: Vec<LinkId>,
}

impl Media {
    pub(super) fn new(scenario: &Scenario) -> Media {
        let mut media = Media { all: Vec::new(), places: scenario.links.iter().map(|_| None).collect() };
        for (first, link) in scenario.links.iter_ids() {
            let (Some(medium), None) = (&link.medium, media.places[first]) else { continue };
            let shares = |id: &LinkId| {
                scenario.links[*id].medium.as_ref().is_some_and(|other| Arc::ptr_eq(other, medium) || other == medium)
            };
            let links: Vec<LinkId> = scenario.links.ids().filter(shares).collect();
            for (number, &id) in links.iter().enumerate() {
                media.places[id] = Some((media.all.len(), number));
            }
            let nodes = links.iter().map(|&id| scenario.links[id].from);
            media.all.push(Shared { turns: Turns::new(medium.overhead, nodes), links });
        }
        media
    }

    /// The number of the medium on which a link sends, if it shares one.
    pub(super) fn of(&self, link: LinkId) -> Option<usize> {
        self.places[link].map(|(medium, _)| medium)
    }

    /// The link whose output has the events of this one: the first of its medium, if it shares one.
    pub(super) fn output_of(&self, link: LinkId) -> LinkId {
        self.of(link).map_or(link, |medium| self.all[medium].links[0])
    }
}
