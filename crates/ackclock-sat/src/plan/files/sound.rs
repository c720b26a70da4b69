//! What a plan that was read has to be like before anything is computed with it. A checksum says that a file is as it was
//! written, not that this program wrote it.

use std::collections::BTreeSet;

use ackclock::units::{Span, Time};

use crate::plan::{NodeKind, Plan, RoutePath};

impl Plan {
    /// Makes sure of the orders and ranges that the plan's methods and simulators count on.
    pub(super) fn check_sound(&self) -> Result<(), &'static str> {
        self.check_nodes()?;
        self.check_order()?;
        self.check_ends()?;
        self.check_ranges()
    }

    fn check_nodes(&self) -> Result<(), &'static str> {
        let names: BTreeSet<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        if names.len() < self.nodes.len() || names.contains("") {
            return Err("its nodes have not each a name of their own");
        }
        let satellites = self.nodes.iter().take_while(|node| node.kind == NodeKind::Satellite).count();
        match self.nodes[satellites..].iter().all(|node| node.kind == NodeKind::Terminal) {
            true => Ok(()),
            false => Err("a satellite comes after a terminal"),
        }
    }

    fn check_order(&self) -> Result<(), &'static str> {
        if !self.links.is_sorted_by_key(|link| (link.a, link.b, link.delay_curve.from())) {
            return Err("its links are not in order");
        }
        let overlaps = self.links.windows(2).any(|pair| {
            (pair[0].a, pair[0].b) == (pair[1].a, pair[1].b) && pair[0].delay_curve.to() > pair[1].delay_curve.from()
        });
        if overlaps {
            return Err("a link has two delays at one time");
        }
        let sorted = self.hops.is_sorted_by_key(|hop| (hop.time, hop.destination, hop.node))
            && self.routes.is_sorted_by_key(|route| route.time)
            && self.events.is_sorted_by_key(|event| event.time)
            && self.contacts.is_sorted_by_key(|contact| contact.from);
        if sorted { Ok(()) } else { Err("its times do not go up") }
    }

    /// Links are of two nodes, the lower first; paths lead from terminal to terminal.
    fn check_ends(&self) -> Result<(), &'static str> {
        let is_terminal = |node: usize| self.nodes[node].kind == NodeKind::Terminal;
        let links = self.links.iter().map(|link| (link.a, link.b));
        let contacts = self.contacts.iter().map(|contact| (contact.a, contact.b));
        if links.chain(contacts).any(|(a, b)| a >= b || is_terminal(a)) {
            return Err("a link does not begin at a satellite, or its ends are not in order");
        }
        if self.hops.iter().any(|hop| !is_terminal(hop.destination) || hop.next == Some(hop.node)) {
            return Err("a next hop leads to no terminal, or to where it begins");
        }
        let leads = |from: usize, to: usize, path: &RoutePath| match path {
            RoutePath::Through(nodes) => nodes.len() > 2 && nodes[0] == from && nodes.last() == Some(&to),
            RoutePath::None(_) => true,
        };
        let mut routes = self.routes.iter();
        match routes.all(|r| is_terminal(r.from) && is_terminal(r.to) && r.from != r.to && leads(r.from, r.to, &r.path))
        {
            true => Ok(()),
            false => Err("a path does not lead from a terminal to another"),
        }
    }

    fn check_ranges(&self) -> Result<(), &'static str> {
        if self.end == Time::ZERO || self.end > Time::ZERO + LONGEST || self.ttl == 0 {
            return Err("it lasts no time or longer than 720 hours, or no packet may cross a link");
        }
        let mut delays = self.links.iter().flat_map(|link| link.delay_curve.points()).map(|&(_, delay)| delay);
        if delays.any(|delay| delay == Span::ZERO || delay > LARGEST_DELAY) {
            return Err("a delay is not between 1 ps and 60 s");
        }
        match self.contacts.iter().all(|contact| contact.from <= contact.to) {
            true => Ok(()),
            false => Err("a contact ends before it begins"),
        }
    }
}

/// Four times what light takes between two satellites of the greatest altitude.
const LARGEST_DELAY: Span = Span::from_secs(60);
/// As long as a scenario can be.
const LONGEST: Span = Span::from_secs(720 * 3600);
