//! The contact plan: which nodes can communicate, when, at what delay, and which path packets take. Plain data in whole picoseconds;
//! a run takes it as it is, and so does not depend on the arithmetic of orbits.

#![allow(missing_docs, reason = "most names of fields say what they are")]

mod changes;
mod contacts;
mod csv;
mod names;
mod service;
mod setup;
mod snapshot;
mod world;

#[cfg(feature = "files")]
pub mod files;

pub use changes::Change;
pub use setup::{Access, Setup, Terminal};

use ackclock::link::Delays;
use ackclock::units::{Span, Time};

use crate::delay_curve::{self, DelayCurve};

/// The number of a node: its place in [`Plan::nodes`].
pub type NodeId = usize;

/// What is known of a run's satellites beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// When the plan ends; it begins at [`Time::ZERO`].
    pub end: Time,
    /// How many links a packet may cross.
    pub ttl: u8,
    /// How much a delay between two breakpoints may differ from the true one.
    pub delay_error: Span,
    /// How it came about, for the reader: names and values.
    pub settings: Vec<(String, String)>,
    /// Satellites in the order of the constellation, then terminals.
    pub nodes: Vec<Node>,
    /// Which nodes can communicate, from when to when; of a terminal and a satellite to a microsecond, of two satellites as their
    /// checks find it. In order of time, then of nodes.
    pub contacts: Vec<Contact>,
    /// The links that packets can be on, and their delays. In order of nodes, then of time.
    pub links: Vec<Link>,
    /// The next node of each node on the path to each destination. It holds until the next entry of the same two. In
    /// order of time, then of destination and node.
    pub hops: Vec<Hop>,
    /// The path from each terminal to another of the pairs that were asked for. It holds until the next entry of the same
    /// two. In order of time.
    pub routes: Vec<Route>,
    /// What happened to links, in order of time.
    pub events: Vec<Event>,
}

/// A satellite or a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name. No two have the same.
    pub name: String,
    pub kind: NodeKind,
}

/// Which sort of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Satellite,
    Terminal,
}

/// Which sort of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// Of a terminal with a satellite.
    Access,
    /// Of satellites that follow each other.
    InPlane,
    /// Of satellites of neighbouring planes.
    CrossPlane,
    /// Of satellites on both sides of the seam.
    CrossSeam,
}

/// Two nodes that see each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The node with the lower number: a satellite.
    pub a: NodeId,
    pub b: NodeId,
    /// The sort of link that they can have.
    pub kind: LinkKind,
    /// Since when; contacts of before the start begin there.
    pub from: Time,
    /// Until when; contacts that last longer end with the plan.
    pub to: Time,
}

/// A link while packets can be on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The node with the lower number: a satellite.
    pub a: NodeId,
    /// The other. Both directions have the same delay.
    pub b: NodeId,
    pub kind: LinkKind,
    /// From when to when, and the delay of what leaves then.
    pub delay_curve: DelayCurve,
}

/// Where a node sends what is for a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// From when on.
    pub time: Time,
    /// For which terminal.
    pub destination: NodeId,
    pub node: NodeId,
    /// The next one; none if there is no path, or if nothing for that terminal can be here any more.
    pub next: Option<NodeId>,
}

/// The path between two terminals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// From when on.
    pub time: Time,
    pub from: NodeId,
    pub to: NodeId,
    pub path: RoutePath,
}

/// A path, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutePath {
    /// All nodes, both terminals included.
    Through(Vec<NodeId>),
    /// There is none.
    None(Gap),
}

/// Why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// This terminal has no satellite above its mask, or none at its last check.
    NoSatellite(NodeId),
    /// The satellites of the terminals are not linked with each other.
    NoIslRoute,
    /// They are not, but they would be with links across the seam.
    Seam,
    /// All paths cross more links than a packet may.
    TooManyHops,
    /// The routes are still those of before a link went down.
    RoutesNotUpdated,
}

/// Something that happened to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub time: Time,
    pub kind: EventKind,
    /// Of which node: of a link between satellites the one with the lower number.
    pub node: NodeId,
    /// With which node it had a link.
    pub before: Option<NodeId>,
    /// With which node it has one.
    pub after: Option<NodeId>,
    pub reason: Reason,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A terminal without a satellite found one.
    Acquired,
    /// A terminal went over to another satellite.
    Handover,
    /// A terminal lost its satellite and found no other.
    Lost,
    /// A link between satellites came up.
    IslUp,
    /// A link between satellites went down.
    IslDown,
}

/// Why it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was so at the start.
    Start,
    /// A satellite came over the horizon.
    Rises,
    /// The satellite went below the mask.
    BelowMask,
    /// Another satellite stood higher.
    HigherElevation,
    /// Another satellite will be seen longer.
    LongerInView,
    /// The path over another satellite was shorter.
    ShorterPath,
    /// One end was too near to a pole.
    Latitude,
    /// The line between them came too near to the ground.
    Grazing,
    /// Across the seam, one was above the other.
    SeamLongitude,
    /// Across the seam, another satellite was nearer.
    SeamPartner,
    /// No condition kept it down any more.
    Clear,
}

const SECOND_PS: u64 = 1_000_000_000_000;
/// More times without a path are counted only.
const GAPS_TOLD: usize = 5;

impl Plan {
    /// The plan until an earlier end: the one that would have been made with that end.
    pub fn cut(mut self, end: Time) -> Plan {
        if end >= self.end {
            return self;
        }
        self.end = end;
        self.contacts.retain(|contact| contact.from < end);
        for contact in &mut self.contacts {
            contact.to = contact.to.min(end);
        }
        let links = self.links.into_iter().filter(|link| link.delay_curve.from() < end);
        self.links = links.map(|link| Link { delay_curve: link.delay_curve.cut(end), ..link }).collect();
        self.hops.retain(|hop| hop.time < end);
        self.routes.retain(|route| route.time < end);
        self.events.retain(|event| event.time < end);
        self
    }

    /// The number of the node of a name.
    pub fn named(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node.name == name)
    }

    /// The path from one terminal to another at an instant; none if the plan was not asked for it.
    pub fn path(&self, from: NodeId, to: NodeId, time: Time) -> Option<&RoutePath> {
        let of_pair = self.routes.iter().filter(|route| (route.from, route.to) == (from, to));
        of_pair.take_while(|route| route.time <= time).last().map(|route| &route.path)
    }

    /// The delay of a link for what leaves at an instant; none if nothing can be on it then.
    pub fn link_delay(&self, a: NodeId, b: NodeId, time: Time) -> Option<Span> {
        let of_ends = self.links_between(a, b).iter();
        let link = of_ends.take_while(|link| link.delay_curve.from() <= time).last()?;
        (time <= link.delay_curve.to()).then(|| link.delay_curve.at(time))
    }

    /// The delay of a link over the whole run, as the simulator takes it; none if nothing is ever on it.
    pub fn delays(&self, a: NodeId, b: NodeId) -> Option<Delays> {
        let links = self.links_between(a, b);
        (!links.is_empty()).then(|| delay_curve::delays(links.iter().map(|link| &link.delay_curve)))
    }

    /// The times during which packets can be on a link.
    fn links_between(&self, a: NodeId, b: NodeId) -> &[Link] {
        let ends = (a.min(b), a.max(b));
        let first = self.links.partition_point(|link| (link.a, link.b) < ends);
        let count = self.links[first..].partition_point(|link| (link.a, link.b) == ends);
        &self.links[first..first + count]
    }

    /// The sum of the delays of all links on the path from one terminal to another, at an instant.
    pub fn delay(&self, from: NodeId, to: NodeId, time: Time) -> Option<Span> {
        let Some(RoutePath::Through(nodes)) = self.path(from, to, time) else { return None };
        self.delay_along(nodes, time)
    }

    fn delay_along(&self, nodes: &[NodeId], time: Time) -> Option<Span> {
        nodes.windows(2).try_fold(Span::ZERO, |sum, ends| Some(sum + self.link_delay(ends[0], ends[1], time)?))
    }

    /// The largest delay that the path from one terminal to another has, as [`Plan::longest`] finds it.
    pub fn largest_delay(&self, from: NodeId, to: NodeId) -> Option<Span> {
        self.longest(from, to).map(|(_, delay)| delay)
    }

    /// When the path from one terminal to another is longest, and its delay then; looked at every second, at every change of the
    /// path and of the satellites of its ends, and just before each. None if there is never a path.
    pub fn longest(&self, from: NodeId, to: NodeId) -> Option<(Time, Span)> {
        let paths: Vec<&Route> = self.routes.iter().filter(|route| (route.from, route.to) == (from, to)).collect();
        let of_ends = self.events.iter().filter(|event| event.node == from || event.node == to);
        let changes = paths.iter().map(|route| route.time).chain(of_ends.map(|event| event.time));
        let mut times: Vec<Time> = (0..=self.end.as_ps() / SECOND_PS).map(|s| Time::from_ps(s * SECOND_PS)).collect();
        times.extend(changes.flat_map(|time| [Time::from_ps(time.as_ps().saturating_sub(1)), time]));
        times.sort_unstable();
        times.dedup();
        let delay = |time: Time| {
            let after = paths.partition_point(|route| route.time <= time);
            let RoutePath::Through(nodes) = &paths.get(after.checked_sub(1)?)?.path else { return None };
            self.delay_along(nodes, time)
        };
        times.into_iter().filter_map(|time| Some((time, delay(time)?))).max_by_key(|&(_, delay)| delay)
    }

    /// From when to when there is no path from one terminal to another, and why.
    pub fn gaps(&self, from: NodeId, to: NodeId) -> Vec<(Time, Time, Gap)> {
        let of_pair: Vec<&Route> = self.routes.iter().filter(|route| (route.from, route.to) == (from, to)).collect();
        let mut gaps = Vec::new();
        for (index, route) in of_pair.iter().enumerate() {
            if let RoutePath::None(gap) = route.path {
                gaps.push((route.time, of_pair.get(index + 1).map_or(self.end, |next| next.time), gap));
            }
        }
        gaps
    }

    /// Whether there is a path from one terminal to another at any time; if not, when and why not, in words.
    pub fn never(&self, from: NodeId, to: NodeId) -> Option<String> {
        let mut paths = self.routes.iter().filter(|route| (route.from, route.to) == (from, to));
        if paths.any(|route| matches!(route.path, RoutePath::Through(_))) {
            return None;
        }
        let all = self.gaps(from, to);
        let told = |&(start, end, gap): &(Time, Time, Gap)| {
            format!("from {} s to {} s {}", start.as_secs_f64(), end.as_secs_f64(), self.reason(gap))
        };
        let mut gaps: Vec<String> = all.iter().take(GAPS_TOLD).map(told).collect();
        if all.len() > GAPS_TOLD {
            gaps.push(format!("and {} more such times", all.len() - GAPS_TOLD));
        }
        let (from, to) = (&self.nodes[from].name, &self.nodes[to].name);
        Some(format!("there is never a route from `{from}` to `{to}`: {}", gaps.join("; ")))
    }

    /// Why there is no path, in words.
    pub fn reason(&self, gap: Gap) -> String {
        match gap {
            Gap::NoSatellite(terminal) => {
                format!("`{}` has no satellite above its elevation mask", self.nodes[terminal].name)
            }
            Gap::NoIslRoute => "the satellites of the two are not linked with each other".into(),
            Gap::Seam => "the satellites of the two are on different sides of the seam".into(),
            Gap::TooManyHops => format!("every path has more than {} links", self.ttl),
            Gap::RoutesNotUpdated => "the routes are not yet updated after a link went down".into(),
        }
    }

    /// The names of the nodes of a path.
    pub fn path_text(&self, nodes: &[NodeId]) -> String {
        let names: Vec<&str> = nodes.iter().map(|&node| self.nodes[node].name.as_str()).collect();
        names.join(" > ")
    }
}
