//! What happens to the path between two terminals, instant by instant, and why.

use ackclock::units::{Span, Time};

use super::{Event, EventKind, NodeId, Plan, RoutePath};

/// A change of the path between two terminals, or of a terminal's satellite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// When.
    pub time: Time,
    /// What happened, in words: `boston: handover 5.4 to 5.3 (below-mask)`. Empty at the start.
    pub causes: Vec<String>,
    /// The one-way delay just before, if there was a path.
    pub before: Option<Span>,
    /// The one-way delay from now on, if there is a path.
    pub after: Option<Span>,
    /// The path from now on.
    pub path: &'a RoutePath,
}

impl Plan {
    /// Everything that happens to the path from one terminal to another, beginning with the path at the start.
    pub fn changes(&self, from: NodeId, to: NodeId) -> Vec<Change<'_>> {
        let of_pair = || self.routes.iter().filter(|route| (route.from, route.to) == (from, to));
        let of_ends = self.events.iter().filter(|event| event.node == from || event.node == to);
        let mut times: Vec<Time> = of_pair().map(|route| route.time).chain(of_ends.map(|event| event.time)).collect();
        times.sort_unstable();
        times.dedup();
        let change = |time: Time| {
            let before = time.as_ps().checked_sub(1).map(Time::from_ps);
            Some(Change {
                time,
                causes: before.map_or(Vec::new(), |before| self.causes(from, to, before, time)),
                before: before.and_then(|before| self.delay(from, to, before)),
                after: self.delay(from, to, time),
                path: self.path(from, to, time)?,
            })
        };
        times.into_iter().filter_map(change).collect()
    }

    /// What happened at `time` to the two terminals and to the links of the paths before and after.
    fn causes(&self, from: NodeId, to: NodeId, before: Time, time: Time) -> Vec<String> {
        let first = self.events.partition_point(|event| event.time < time);
        let now = || self.events[first..].iter().take_while(|event| event.time == time);
        let paths = (self.path(from, to, before), self.path(from, to, time));
        let lost = now().filter(|event| event.kind == EventKind::IslDown && event.is_on(paths.0));
        let won = now().filter(|event| event.kind == EventKind::IslUp && event.is_on(paths.1));
        let of_ends = now().filter(|event| event.node == from || event.node == to);
        let mut causes: Vec<String> = of_ends.chain(lost).chain(won).map(|event| self.told(event)).collect();
        if causes.is_empty() && paths.0 != paths.1 {
            causes.push("rerouted".into());
        }
        causes
    }

    pub(super) fn told(&self, event: &Event) -> String {
        let name = |node: Option<NodeId>| node.map_or("", |node| self.nodes[node].name.as_str());
        let (node, reason) = (&self.nodes[event.node].name, event.reason.name());
        let kind = event.kind.name();
        match event.kind {
            EventKind::Handover => {
                format!("{node}: {kind} {} to {} ({reason})", name(event.before), name(event.after))
            }
            _ => format!("{node}: {kind} {} ({reason})", name(event.after.or(event.before))),
        }
    }
}

impl Event {
    /// Whether the link between its two nodes is on a path.
    fn is_on(&self, path: Option<&RoutePath>) -> bool {
        let Some(RoutePath::Through(nodes)) = path else { return false };
        let Some(other) = self.before.or(self.after) else { return false };
        nodes.windows(2).any(|pair| pair == [self.node, other] || pair == [other, self.node])
    }
}
