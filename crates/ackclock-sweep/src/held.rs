//! The scenarios of points that stay in memory from the check to the run, so that most sweeps load each point once.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock::ids::LinkId;
use ackclock::scenario::{Flow, Link, Node, Scenario, UdpFlow};
use ackclock_scenario::Loaded;

/// Scenarios of points, as many as there is room for.
#[derive(Debug)]
pub(crate) struct Held {
    scenarios: BTreeMap<usize, Arc<Scenario>>,
    room_bytes: usize,
}

/// A scenario that is small enough to be held, and about how many octets it takes.
#[derive(Debug)]
pub(crate) struct Small {
    scenario: Arc<Scenario>,
    bytes: usize,
}

impl Small {
    /// `None` of a large scenario, whose runs take much longer than to load it again. Satellites make routes and delays of files
    /// and orbits; how large these are is not said in the text.
    pub(crate) fn of(loaded: Loaded) -> Option<Small> {
        if loaded.contacts.is_some() {
            return None;
        }
        let bytes = bytes(&loaded.scenario, &loaded.resolved);
        (bytes <= LARGEST_BYTES).then(|| Small { scenario: Arc::new(loaded.scenario), bytes })
    }
}

impl Held {
    /// None yet.
    pub(crate) fn new() -> Held {
        Held { scenarios: BTreeMap::new(), room_bytes: ROOM_BYTES }
    }

    /// Holds the scenario of a point, if there is room.
    pub(crate) fn hold(&mut self, point: usize, small: Small) {
        if let Some(room_bytes) = self.room_bytes.checked_sub(small.bytes) {
            self.room_bytes = room_bytes;
            self.scenarios.insert(point, small.scenario);
        }
    }

    /// The scenario of a point, if it is held.
    pub(crate) fn get(&self, point: usize) -> Option<Arc<Scenario>> {
        self.scenarios.get(&point).cloned()
    }
}

/// About how much memory a scenario takes: what it consists of, with names and routes, and the lists that stand in its text.
fn bytes(scenario: &Scenario, resolved: &str) -> usize {
    let nodes = scenario.nodes.len() * (size_of::<Node>() + NAME_BYTES);
    let links = scenario.links.len() * (size_of::<Link>() + NAME_BYTES);
    let flows = scenario.flows.len() * (size_of::<Flow>() + NAME_BYTES + 2 * ROUTE_LINKS * size_of::<LinkId>());
    let udp = scenario.udp.len() * (size_of::<UdpFlow>() + NAME_BYTES + ROUTE_LINKS * size_of::<LinkId>());
    size_of::<Scenario>() + nodes + links + flows + udp + LIST_SHARE * resolved.len()
}

/// A name, with what the allocator adds.
const NAME_BYTES: usize = 48;
/// Few routes are longer.
const ROUTE_LINKS: usize = 16;
/// Octets of an element of a list, over those of its text.
const LIST_SHARE: usize = 2;
/// Of one scenario. To load a larger one is still much less work than to run it.
const LARGEST_BYTES: usize = 64 << 10;
/// Of all of them.
pub(crate) const ROOM_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use ackclock_scenario::{Memory, load};

    use super::*;

    fn loaded(sources: usize) -> Loaded {
        let file = format!(
            "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = {sources}\nrate = \"10 Mbps\"\n\
             access_delay = \"5 us\"\ntrunk_delay = \"5 us\"\n[queue]\nbuffer = \"100 cells\"\n"
        );
        load(&Memory::new().with("a.toml", file), "a.toml", &[]).unwrap()
    }

    #[test]
    fn small_scenarios_are_held_until_the_room_is_taken() {
        let bytes = Small::of(loaded(2)).unwrap().bytes;
        let mut held = Held { room_bytes: 2 * bytes + bytes / 2, ..Held::new() };
        for point in [7, 1, 4] {
            held.hold(point, Small::of(loaded(2)).unwrap());
        }
        let points: Vec<usize> = (0..9).filter(|point| held.get(*point).is_some()).collect();
        assert_eq!(points, [1, 7], "there is no room for a third");
        assert_eq!(*held.get(1).unwrap(), loaded(2).scenario);
    }

    #[test]
    fn a_large_scenario_is_not_held() {
        assert!(Small::of(loaded(10)).is_some());
        assert!(Small::of(loaded(1000)).is_none());
    }
}
