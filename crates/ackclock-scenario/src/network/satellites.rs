//! Satellites that store and forward: nodes, links and routing tables from a contact plan.
//!
//! A terminal has one link up, whose far end is the satellite that it uses now; its queue stays where it is. A satellite has
//! a link down to each terminal that ever uses it, with a queue of its own, and links to its neighbours. Only nodes and
//! links that some path uses are built.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ackclock::ids::{LinkId, NodeId};
use ackclock::link::{
    Delays, FarEnds, InService, LinkParams, LinkSchedule, NoReceiver, Outages, Queued, Reordering, RoutingTable, Shape,
    UnderWay,
};
use ackclock::scenario::{Link, Queue, Route};
use ackclock::units::{Rate, Span, Time};
use ackclock_sat::plan::{EventKind, LinkKind, NodeId as PlanNode, NodeKind, Plan};

use crate::keys::words::{self, IslQueue};
use crate::network::Network;
use crate::satellites::{SATELLITE_NODE, Satellites};
use crate::text::diagnostic::Report;

/// The links between satellites and terminals in a network, and the routes over them.
pub(crate) struct SatelliteNetwork<'a> {
    plan: &'a Plan,
    /// Of each place, its terminal in the plan.
    terminals: Vec<PlanNode>,
    links: BTreeMap<Hop, LinkId>,
    nodes: BTreeMap<PlanNode, NodeId>,
    tables: BTreeMap<TerminalPath, Arc<RoutingTable>>,
}

/// A link of a satellite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hop {
    /// From a terminal to its satellite.
    Up(PlanNode),
    /// From a satellite to a terminal.
    Down(PlanNode, PlanNode),
    /// From a satellite to another.
    Across(PlanNode, PlanNode),
}

/// A path from one terminal to another, with its links on the ground: after the link of the host, and at the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TerminalPath {
    before: Vec<LinkId>,
    from: PlanNode,
    to: PlanNode,
    after: Vec<LinkId>,
}

/// During which time a terminal uses a satellite.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Access {
    from: Time,
    /// [`Time::NEVER`] if for ever.
    until: Time,
    satellite: Option<PlanNode>,
    /// Whether it has just changed.
    is_new: bool,
}

/// What happens to links when routes change.
struct Rules {
    /// Of each terminal, up and down.
    rates: BTreeMap<PlanNode, (Rate, Rate)>,
    isl_rate: Rate,
    gap: Span,
    terminal_queue: Queued,
    /// What happens to packets whose transmission begins when the uplink, or the downlink, has no receiver.
    up_no_receiver: NoReceiver,
    down_no_receiver: NoReceiver,
    under_way: UnderWay,
    reordering: Reordering,
    isl_queue: IslQueue,
}

impl<'a> SatelliteNetwork<'a> {
    /// Puts the satellites of a plan into a network, in place of the links that stand for satellite paths.
    pub(crate) fn build(
        satellites: &Satellites,
        plan: &'a Plan,
        pairs: &[(usize, usize)],
        network: &mut Network,
        report: &mut Report,
    ) -> Option<SatelliteNetwork<'a>> {
        let terminals: Vec<PlanNode> =
            satellites.places.iter().map(|place| plan.named(&place.name)).collect::<Option<_>>()?;
        let used: BTreeSet<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let rate =
            |&place: &usize| Some((terminals[place], (satellites.up_rate(place)?, satellites.down_rate(place)?)));
        let rules = Rules::of(satellites, used.iter().map(rate).collect::<Option<_>>()?)?;
        let hops = hops(plan, used.iter().map(|&place| terminals[place]));
        let mut errors = BTreeMap::new();
        for &place in &used {
            errors.insert(terminals[place], satellites.errors(place, report)?);
        }
        let names: BTreeSet<PlanNode> = used_satellites(plan, &hops);
        if let Some(&taken) = names.iter().find(|&&satellite| network.node(&plan.nodes[satellite].name).is_some()) {
            let name = &plan.nodes[taken].name;
            report
                .error(satellites.settings.at, format!("a satellite and a node on the ground are both called {name}"))
                .label("name is taken")
                .help("choose another name for the node");
            return None;
        }
        network.add_switches(names.iter().map(|&satellite| plan.nodes[satellite].name.clone()));
        let all = names.iter().copied().chain(used.iter().map(|&place| terminals[place]));
        let node_of = |network: &Network, node: PlanNode| network.node(&plan.nodes[node].name);
        let nodes = all.map(|node| Some((node, node_of(network, node)?))).collect::<Option<BTreeMap<_, _>>>()?;
        let maker = Maker { plan, rules, nodes: &nodes };
        let made: Vec<(Hop, Link)> = hops
            .iter()
            .map(|&hop| {
                let mut link = maker.link(hop);
                if let Hop::Down(_, terminal) = hop {
                    link.params.errors = errors[&terminal].clone();
                }
                (hop, link)
            })
            .collect();
        let (keys, new): (Vec<Hop>, Vec<Link>) = made.into_iter().unzip();
        let ids = network.replace_stand_ins(new);
        let links = keys.into_iter().zip(ids).collect();
        Some(SatelliteNetwork { plan, terminals, links, nodes, tables: BTreeMap::new() })
    }

    /// The route over links on the ground and the satellite path between two places. The numbers of its links are those
    /// in the network now.
    pub(crate) fn route(
        &mut self,
        network: &Network,
        before: &[LinkId],
        (from, to): (usize, usize),
        after: &[LinkId],
    ) -> Route {
        let first = before[0];
        let (from, to) = (self.terminals[from], self.terminals[to]);
        let path = TerminalPath { before: before[1..].to_vec(), from, to, after: after.to_vec() };
        let table = match self.tables.get(&path) {
            Some(table) => table.clone(),
            None => {
                let table = Arc::new(self.table(network, &path));
                self.tables.insert(path, table.clone());
                table
            }
        };
        Route::Dynamic { first, table }
    }

    /// The largest propagation delay that the path from one place to another ever has, picoseconds.
    pub(crate) fn largest_delay_ps(&self, (from, to): (usize, usize)) -> u128 {
        let largest = self.plan.largest_delay(self.terminals[from], self.terminals[to]);
        largest.map_or(0, |delay| u128::from(delay.as_ps()))
    }

    fn table(&self, network: &Network, path: &TerminalPath) -> RoutingTable {
        let TerminalPath { before, from, to, after } = path;
        let (from, to) = (*from, *to);
        let mut nodes: BTreeMap<NodeId, Vec<(Time, Option<LinkId>)>> = BTreeMap::new();
        for &link in before.iter().chain(after) {
            nodes.insert(network.links[link].from, vec![(Time::ZERO, Some(link))]);
        }
        nodes.insert(self.nodes[&from], vec![(Time::ZERO, Some(self.links[&Hop::Up(from)]))]);
        for (satellite, schedule) in schedules(self.plan, to) {
            let Some(&node) = self.nodes.get(&satellite) else { continue };
            let link = |next: PlanNode| match next == to {
                true => self.links[&Hop::Down(satellite, to)],
                false => self.links[&Hop::Across(satellite, next)],
            };
            nodes.insert(node, schedule.into_iter().map(|(time, next)| (time, next.map(link))).collect());
        }
        let destination = network.links[*after.last().expect("paths end at hosts")].to;
        let on_ground = u8::try_from(before.len() + after.len() + 1).unwrap_or(u8::MAX);
        RoutingTable::new(destination, self.plan.ttl.saturating_add(on_ground), nodes.into_iter().collect())
    }
}

impl Rules {
    fn of(satellites: &Satellites, rates: BTreeMap<PlanNode, (Rate, Rate)>) -> Option<Rules> {
        let settings = &satellites.settings;
        let (terminal_queue, up_no_receiver) = settings.choice("terminal_queue", &words::TERMINAL_QUEUES)?;
        Some(Rules {
            rates,
            isl_rate: settings.rate("isl_rate")?,
            gap: settings.span("handover_gap")?,
            terminal_queue,
            up_no_receiver,
            down_no_receiver: settings.choice("old_downlink", &words::OLD_DOWNLINKS)?,
            under_way: settings.choice("in_flight", &words::IN_FLIGHT)?,
            reordering: settings.choice("reordering", Reordering::WORDS)?,
            isl_queue: settings.choice("isl_queue", &words::ISL_QUEUES)?,
        })
    }
}

/// Makes links.
struct Maker<'a> {
    plan: &'a Plan,
    rules: Rules,
    nodes: &'a BTreeMap<PlanNode, NodeId>,
}

impl Maker<'_> {
    fn link(&self, hop: Hop) -> Link {
        match hop {
            Hop::Up(terminal) => self.up(terminal),
            Hop::Down(satellite, terminal) => self.down(satellite, terminal),
            Hop::Across(a, b) => self.across(a, b),
        }
    }

    fn up(&self, terminal: PlanNode) -> Link {
        let access = access(self.plan, terminal);
        let delays = up_delays(self.plan, terminal, &access);
        let points =
            access.iter().map(|access| (access.from, access.satellite.map(|satellite| self.nodes[&satellite])));
        let points: Vec<(Time, Option<NodeId>)> = points.collect();
        // A terminal that never sees anything sends nothing; where its link would lead does not matter.
        let first = points.iter().find_map(|&(_, node)| node);
        let to =
            first.unwrap_or_else(|| *self.nodes.values().find(|&&node| node != self.nodes[&terminal]).expect("two"));
        let far_ends = FarEnds::new(points, self.rules.up_no_receiver);
        let schedule = LinkSchedule {
            delays,
            rates: ackclock::link::Rates::constant(self.rules.rates[&terminal].0),
            opportunities: None,
            outages: Outages::new(self.silent(&access, self.leaving()), InService::Finish, self.rules.terminal_queue),
            far_ends: Some(far_ends),
            reordering: self.rules.reordering,
            under_way: self.rules.under_way,
        };
        self.made(format!("{}->{SATELLITE_NODE}", self.plan.nodes[terminal].name), self.nodes[&terminal], to, schedule)
    }

    fn down(&self, satellite: PlanNode, terminal: PlanNode) -> Link {
        let access = access(self.plan, terminal);
        let receiver = |access: &Access| (access.satellite == Some(satellite)).then_some(self.nodes[&terminal]);
        let points = access.iter().map(|access| (access.from, receiver(access))).collect();
        let own: Vec<Access> = access.iter().copied().filter(|access| access.satellite == Some(satellite)).collect();
        let schedule = LinkSchedule {
            delays: self.delays(satellite, terminal),
            rates: ackclock::link::Rates::constant(self.rules.rates[&terminal].1),
            opportunities: None,
            outages: Outages::new(self.silent(&own, self.rules.gap), InService::Finish, Queued::Keep),
            far_ends: Some(FarEnds::new(points, self.rules.down_no_receiver)),
            reordering: self.rules.reordering,
            under_way: self.rules.under_way,
        };
        self.made(self.name(satellite, terminal), self.nodes[&satellite], self.nodes[&terminal], schedule)
    }

    fn across(&self, a: PlanNode, b: PlanNode) -> Link {
        let outages = match self.rules.isl_queue {
            IslQueue::Drop => Outages::new(self.down_times(a, b), InService::Finish, Queued::Flush),
            IslQueue::Drain => Outages::default(),
        };
        let schedule = LinkSchedule {
            delays: self.delays(a, b),
            rates: ackclock::link::Rates::constant(self.rules.isl_rate),
            opportunities: None,
            outages,
            far_ends: None,
            reordering: self.rules.reordering,
            under_way: UnderWay::Keep,
        };
        self.made(self.name(a, b), self.nodes[&a], self.nodes[&b], schedule)
    }

    fn made(&self, name: String, from: NodeId, to: NodeId, schedule: LinkSchedule) -> Link {
        let (rate, delay) = (schedule.rates.at(Time::ZERO), schedule.delays.at(Time::ZERO));
        let params = LinkParams { schedule: Some(Box::new(schedule)), ..LinkParams::plain() };
        Link { name, from, to, rate, delay, medium: None, params, queue: Arc::new(Queue::unlimited()) }
    }

    fn name(&self, from: PlanNode, to: PlanNode) -> String {
        format!("{}->{}", self.plan.nodes[from].name, self.plan.nodes[to].name)
    }

    fn delays(&self, a: PlanNode, b: PlanNode) -> Delays {
        self.plan.delays(a, b).unwrap_or(Delays::constant(NO_DELAY))
    }

    /// How long a terminal is silent after it has left its satellite; at least an instant if its queue is lost then.
    fn leaving(&self) -> Span {
        match self.rules.terminal_queue {
            Queued::Flush => self.rules.gap.max(Span::from_ps(1)),
            Queued::Keep => self.rules.gap,
        }
    }

    /// When a terminal cannot send or receive: without a satellite, and for a while, `gap`, after a handover.
    fn silent(&self, access: &[Access], gap: Span) -> Vec<(Time, Time)> {
        let mut silent: Vec<(Time, Time)> = Vec::new();
        for access in access {
            let until = match access.satellite {
                None => access.until,
                Some(_) if access.is_new => (access.from + gap).min(access.until),
                Some(_) => access.from,
            };
            match silent.last_mut() {
                _ if until <= access.from => {}
                Some(last) if last.1 >= access.from => last.1 = until,
                _ => silent.push((access.from, until)),
            }
        }
        silent
    }

    /// When a link between satellites is down.
    fn down_times(&self, a: PlanNode, b: PlanNode) -> Vec<(Time, Time)> {
        let ends = (a.min(b), a.max(b));
        let mut down = Vec::new();
        let mut since = Time::ZERO;
        for contact in self.plan.contacts.iter().filter(|contact| (contact.a, contact.b) == ends) {
            if contact.from > since {
                down.push((since, contact.from));
            }
            since = contact.to;
        }
        if since < self.plan.end {
            down.push((since, Time::NEVER));
        }
        down
    }
}

/// The satellites that a terminal uses, one after the other, without a gap from the start on.
fn access(plan: &Plan, terminal: PlanNode) -> Vec<Access> {
    let mut all: Vec<Access> = vec![Access { from: Time::ZERO, until: Time::NEVER, satellite: None, is_new: false }];
    let own = plan.events.iter().filter(|event| event.node == terminal);
    for event in own.filter(|event| !matches!(event.kind, EventKind::IslUp | EventKind::IslDown)) {
        let last = all.last_mut().expect("there is one from the start on");
        let is_new = event.time > Time::ZERO && event.after.is_some();
        let next = Access { from: event.time, until: Time::NEVER, satellite: event.after, is_new };
        if last.from == event.time {
            *last = next;
        } else {
            last.until = event.time;
            all.push(next);
        }
    }
    all
}

/// The delay of a terminal's link up: that to the satellite of each time, with a step at each handover.
fn up_delays(plan: &Plan, terminal: PlanNode, access: &[Access]) -> Delays {
    let mut points: Vec<(Time, Span)> = Vec::new();
    for &Access { from, until, satellite, .. } in access {
        let Some(satellite) = satellite else { continue };
        let curves: Vec<_> = plan
            .links
            .iter()
            .filter(|link| (link.a, link.b) == (satellite, terminal))
            .map(|link| &link.delay_curve)
            .collect();
        let during: Vec<_> = curves.into_iter().filter(|curve| curve.from() < until && curve.to() > from).collect();
        let (Some(first), Some(last)) = (during.first(), during.last()) else { continue };
        if points.is_empty() && from > Time::ZERO {
            points.push((Time::ZERO, first.at(from)));
        }
        points.push((from, first.at(from)));
        let inside = during.iter().flat_map(|curve| curve.points().iter().copied());
        points.extend(inside.filter(|&(time, _)| from < time && time < until));
        // Of the satellite at the end the line goes on: cut off at the end of the plan it would be another one.
        if until < Time::NEVER {
            points.push((until, last.at(until)));
        }
    }
    if points.is_empty() {
        return Delays::constant(NO_DELAY);
    }
    Delays::new(Shape::Linear, points)
}

/// The links that paths to these terminals ever take, and the links up of all of them.
fn hops(plan: &Plan, terminals: impl Iterator<Item = PlanNode>) -> BTreeSet<Hop> {
    let mut hops = BTreeSet::new();
    for terminal in terminals {
        hops.insert(Hop::Up(terminal));
        for (satellite, schedule) in schedules(plan, terminal) {
            let hop = |next: PlanNode| match next == terminal {
                true => Hop::Down(satellite, terminal),
                false => Hop::Across(satellite, next),
            };
            hops.extend(schedule.into_iter().filter_map(|(_, next)| next).map(hop));
        }
    }
    hops
}

fn used_satellites(plan: &Plan, hops: &BTreeSet<Hop>) -> BTreeSet<PlanNode> {
    let of_hop = |hop: &Hop| match *hop {
        Hop::Up(terminal) => access(plan, terminal).into_iter().filter_map(|access| access.satellite).collect(),
        Hop::Down(satellite, _) => vec![satellite],
        Hop::Across(a, b) => vec![a, b],
    };
    hops.iter().flat_map(of_hop).collect()
}

/// Of each satellite, where it sends what is for a terminal, over time: nowhere while the link there is down.
fn schedules(plan: &Plan, terminal: PlanNode) -> BTreeMap<PlanNode, Vec<(Time, Option<PlanNode>)>> {
    let mut hops: BTreeMap<PlanNode, Vec<(Time, Option<PlanNode>)>> = BTreeMap::new();
    let is_satellite = |node: PlanNode| plan.nodes[node].kind == NodeKind::Satellite;
    for hop in plan.hops.iter().filter(|hop| hop.destination == terminal && is_satellite(hop.node)) {
        hops.entry(hop.node).or_default().push((hop.time, hop.next));
    }
    let access = access(plan, terminal);
    for (&node, schedule) in &mut hops {
        *schedule = while_up(schedule, |next| match next == terminal {
            true => {
                let own = access.iter().filter(|access| access.satellite == Some(node));
                own.map(|access| (access.from, access.until)).collect()
            }
            false => up_times(plan, node, next),
        });
    }
    hops
}

/// When packets can be on a link between satellites.
fn up_times(plan: &Plan, a: PlanNode, b: PlanNode) -> Vec<(Time, Time)> {
    let ends = (a.min(b), a.max(b));
    let of_ends = plan.links.iter().filter(|link| (link.a, link.b) == ends && link.kind != LinkKind::Access);
    let end = |to: Time| if to >= plan.end { Time::NEVER } else { to };
    of_ends.map(|link| (link.delay_curve.from(), end(link.delay_curve.to()))).collect()
}

/// A schedule with its entries cut to the times at which their links are up.
fn while_up(
    schedule: &[(Time, Option<PlanNode>)],
    up: impl Fn(PlanNode) -> Vec<(Time, Time)>,
) -> Vec<(Time, Option<PlanNode>)> {
    let mut cut: Vec<(Time, Option<PlanNode>)> = Vec::new();
    let mut push = |time: Time, next: Option<PlanNode>| match cut.last_mut() {
        Some(last) if last.0 == time => last.1 = next,
        Some(last) if last.1 == next => {}
        _ => cut.push((time, next)),
    };
    for (index, &(from, next)) in schedule.iter().enumerate() {
        let until = schedule.get(index + 1).map_or(Time::NEVER, |&(time, _)| time);
        push(from, None);
        let Some(next) = next else { continue };
        for (up_from, up_until) in up(next) {
            let (begin, end) = (up_from.max(from), up_until.min(until));
            if begin < end {
                push(begin, Some(next));
                if end < until {
                    push(end, None);
                }
            }
        }
    }
    cut
}

/// The delay of a link on which nothing ever is.
const NO_DELAY: Span = Span::from_ms(1);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn a_hop_holds_only_while_its_link_is_up() {
        let schedule = [(at(0), Some(1)), (at(100), Some(2)), (at(200), None)];
        let up = |next: PlanNode| if next == 1 { vec![(at(0), at(60)), (at(80), Time::NEVER)] } else { vec![] };
        let cut = while_up(&schedule, up);
        assert_eq!(cut, [(at(0), Some(1)), (at(60), None), (at(80), Some(1)), (at(100), None)]);
        let always = |_| vec![(at(0), Time::NEVER)];
        assert_eq!(while_up(&schedule, always), schedule);
    }
}
