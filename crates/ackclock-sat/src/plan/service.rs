//! Which nodes and links packets can be in, so that a plan says no more than a run can ask.
//!
//! A node serves a destination while it is on a path to it, and for a time after that: it may still hold packets, which
//! go on by the routes of then. So do the nodes that these come through. All others have no next hop, and links that
//! lead to no next hop have no delay in the plan.

use std::collections::{BTreeMap, BTreeSet};

use ackclock::units::{Span, Time};

use super::{Hop, Link, LinkKind, NodeId, Route, RoutePath};
use crate::delay_curve::sample;
use crate::error::SatError;
use crate::plan::snapshot::Snapshot;

/// Routes as they were computed at an instant. They hold until the next.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    pub time: Time,
    /// Of each destination, the next node of every node.
    pub next: Vec<(NodeId, Vec<Option<NodeId>>)>,
    /// Of each direction, the path.
    pub paths: Vec<(NodeId, NodeId, RoutePath)>,
}

/// From when to when each link was up, by its ends, the lower first.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows(BTreeMap<(NodeId, NodeId), Window>);

#[derive(Clone, Debug)]
struct Window {
    kind: LinkKind,
    up: Vec<Interval>,
}

/// From when to when.
type Interval = (Time, Time);

impl Windows {
    pub fn add(&mut self, a: NodeId, b: NodeId, kind: LinkKind, from: Time, to: Time) {
        self.0.entry((a, b)).or_insert_with(|| Window { kind, up: Vec::new() }).up.push((from, to));
    }
}

/// A link and from when to when packets can be on it.
#[derive(Clone, Debug)]
pub(super) struct Used {
    a: NodeId,
    b: NodeId,
    kind: LinkKind,
    from: Time,
    to: Time,
}

impl Used {
    /// The link with its delays.
    pub fn sampled(self, bound: Span, positions: &mut Snapshot<'_>) -> Result<Link, SatError> {
        let Used { a, b, kind, from, to } = self;
        let delay_curve = sample(from, to, bound, |time| {
            positions.go_to(time);
            positions.light_time(a, b)
        })?;
        Ok(Link { a, b, kind, delay_curve })
    }
}

/// The schedule of next hops, the paths, and the links that both need.
pub(super) fn serve(
    computed: &[Computed],
    windows: &Windows,
    linger: Span,
    end: Time,
) -> (Vec<Hop>, Vec<Route>, Vec<Used>) {
    let mut hops = Vec::new();
    let mut asked: BTreeMap<(NodeId, NodeId), Vec<Interval>> = BTreeMap::new();
    let destinations = computed.first().map_or(0, |first| first.next.len());
    for at in 0..destinations {
        one_destination(computed, at, linger, end, &mut hops, &mut asked);
    }
    hops.sort_by_key(|hop: &Hop| (hop.time, hop.destination, hop.node));
    (hops, routes(computed), used(&asked, windows))
}

fn one_destination(
    computed: &[Computed],
    at: usize,
    linger: Span,
    end: Time,
    hops: &mut Vec<Hop>,
    asked: &mut BTreeMap<(NodeId, NodeId), Vec<Interval>>,
) {
    // Until when each node was on a path, and until when packets could come through it.
    let mut on_path: BTreeMap<NodeId, Time> = BTreeMap::new();
    let mut reached: BTreeMap<NodeId, Time> = BTreeMap::new();
    let mut present: BTreeMap<NodeId, Option<NodeId>> = BTreeMap::new();
    for (index, routes) in computed.iter().enumerate() {
        let (from, to) = (routes.time, computed.get(index + 1).map_or(end, |next| next.time));
        let (destination, next) = &routes.next[at];
        let since = Time::from_ps(from.as_ps().saturating_sub(linger.as_ps()));
        for (source, _, path) in routes.paths.iter().filter(|(_, whereto, _)| whereto == destination) {
            on_path.insert(*source, to);
            if let RoutePath::Through(nodes) = path {
                on_path.extend(nodes.iter().map(|&node| (node, to)));
            }
        }
        on_path.retain(|_, until| *until >= since);
        reached.extend(downstream(on_path.keys().copied(), next).into_iter().map(|node| (node, to)));
        reached.retain(|_, until| *until >= since);
        let serving = downstream(reached.keys().copied(), next);
        let mut now: BTreeMap<NodeId, Option<NodeId>> = BTreeMap::new();
        for &node in serving.iter().filter(|node| *node != destination) {
            now.insert(node, next[node]);
            if let Some(hop) = next[node] {
                asked.entry((node.min(hop), node.max(hop))).or_default().push((from, to));
            }
        }
        // A node that no longer serves gets an entry without a next hop; one that never did gets none.
        let gone = present.iter().filter(|(node, hop)| hop.is_some() && !now.contains_key(node));
        let gone: Vec<(NodeId, Option<NodeId>)> = gone.map(|(&node, _)| (node, None)).collect();
        for (node, hop) in now.into_iter().chain(gone) {
            if present.get(&node).copied().unwrap_or(None) != hop {
                hops.push(Hop { time: from, destination: *destination, node, next: hop });
            }
            present.insert(node, hop);
        }
    }
}

/// Nodes and all that come after them.
fn downstream(nodes: impl Iterator<Item = NodeId>, next: &[Option<NodeId>]) -> BTreeSet<NodeId> {
    let mut all = BTreeSet::new();
    for start in nodes {
        let mut node = Some(start);
        while let Some(here) = node {
            if !all.insert(here) {
                break;
            }
            node = next[here];
        }
    }
    all
}

/// The paths where they change.
fn routes(computed: &[Computed]) -> Vec<Route> {
    let mut last: BTreeMap<(NodeId, NodeId), &RoutePath> = BTreeMap::new();
    let mut routes = Vec::new();
    for at in computed {
        for (from, to, path) in &at.paths {
            if last.insert((*from, *to), path) != Some(path) {
                routes.push(Route { time: at.time, from: *from, to: *to, path: path.clone() });
            }
        }
    }
    routes
}

/// When links were asked for and up; neighbouring intervals are one.
fn used(asked: &BTreeMap<(NodeId, NodeId), Vec<Interval>>, windows: &Windows) -> Vec<Used> {
    let mut used: Vec<Used> = Vec::new();
    for (&(a, b), intervals) in asked {
        let Some(Window { kind, up }) = windows.0.get(&(a, b)) else { continue };
        let mut intervals = intervals.clone();
        intervals.sort_unstable();
        for &(up_from, up_to) in up {
            let first = used.len();
            for &(from, to) in &intervals {
                let (from, to) = (from.max(up_from), to.min(up_to));
                match used[first..].last_mut() {
                    _ if from >= to => {}
                    Some(last) if from <= last.to => last.to = last.to.max(to),
                    _ => used.push(Used { a, b, kind: *kind, from, to }),
                }
            }
        }
    }
    used
}
