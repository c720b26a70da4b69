//! What lateness is compared with, and for how long a pause is felt.
//!
//! A packet may be late by some part of what it waits for anyway: the one-way delay of its path, and the buffers, which fill while nothing
//! moves. Of a pause that is longer than half of that nothing can be said: in slow start two packets are sent for each that is
//! acknowledged, so what was held up for half the time in which a buffer drains fills it at once, and is lost there; and two such pauses
//! in a round trip are as long as what the timer of Linux allows beyond it. A sender that has lost a packet, or believes so, halves its
//! window: how long it takes until it has it back is how long the pause is felt.

use std::collections::{BTreeMap, BTreeSet};

use ackclock::ids::LinkId;
use ackclock::scenario::{Buffer, Flow, Link, NodeKind, Route, Scenario, Technology};
use ackclock::units::{CELL_BITS, Span};

/// What lateness is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The smaller of the least one-way delay of a path and the least time in which a buffer drains that such a path crosses and that can
    /// fill; `None` of a scenario without paths.
    pub reference: Option<Span>,
    /// What it is, in words.
    pub of: String,
    /// Of each flow, in the order of the scenario.
    pub flows: Vec<FlowLimit>,
}

/// Of one flow the longest pause of which its TCP need not feel anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowLimit {
    /// What a pause is compared with: the smallest of the one-way delays of the flow, the times in which the buffers of its paths drain, and
    /// what its timer allows beyond a round trip.
    pub reference: Span,
    /// What it is, in words.
    pub of: String,
    /// For how long a longer pause is felt: until a sender that has halved its window has it back.
    pub felt: Span,
}

/// Of a reference in per cent: what is later than this makes a run invalid.
pub const INVALID_ABOVE_PERCENT: u64 = 50;

impl FlowLimit {
    /// Pauses up to this length are not felt.
    pub fn longest(&self) -> Span {
        Span::from_ps((u128::from(self.reference.as_ps()) * u128::from(INVALID_ABOVE_PERCENT) / 100) as u64)
    }
}

impl Limits {
    /// Those of a scenario.
    pub fn of(scenario: &Scenario) -> Limits {
        let of_flows = scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
        let filled = Filled::of(of_flows.chain(scenario.udp.iter().map(|source| &source.route)));
        let (mut all, mut flows) = (Vec::new(), Vec::new());
        for flow in scenario.flows.iter() {
            let routes = [&flow.forward, &flow.backward];
            let mut of_flow: Vec<(Span, String)> =
                routes.iter().flat_map(|route| of_route(&flow.name, route, &filled, scenario)).collect();
            all.extend(of_flow.iter().cloned());
            of_flow.push((least_timeout(flow), format!("what the timer of {} allows beyond a round trip", flow.name)));
            let (reference, of) = of_flow.into_iter().min_by_key(|(span, _)| *span).expect("there is a timer");
            flows.push(FlowLimit { reference, of, felt: felt(flow, &filled, scenario) });
        }
        for source in &scenario.udp {
            all.extend(of_route(&source.name, &source.route, &filled, scenario));
        }
        match all.into_iter().min_by_key(|(span, _)| *span) {
            Some((span, of)) => Limits { reference: Some(span), of, flows },
            None => Limits { reference: None, of: "nothing".to_owned(), flows },
        }
    }
}

/// The times for which packets wait on a route anyway, and what each is.
fn of_route(name: &str, route: &Route, filled: &Filled, scenario: &Scenario) -> Vec<(Span, String)> {
    let delay = least_delay(route, scenario).map(|delay| (delay, format!("the one-way delay of {name}")));
    let links = route.links();
    let can_fill = links.iter().filter(|&&id| filled.can_be(id, scenario)).map(|&id| &scenario.links[id]);
    let drains = can_fill.filter_map(|link| {
        Some((drain_time(link, scenario)?, format!("the time in which the buffer of {} drains", link.name)))
    });
    delay.into_iter().chain(drains).collect()
}

/// By how much the timeout of Linux is longer than the smoothed round trip, at least.
fn least_timeout(flow: &Flow) -> Span {
    flow.tcp.timer.granularity * u64::from(flow.tcp.timer.min_rto_ticks)
}

/// How long it takes until a sender that has halved its window has it back. Reno and all that are like it add a segment for each round trip
/// (RFC 5681 §3.1); CUBIC is back at the latest when its cubic function has grown from nothing (RFC 9438 §4.2, with its constant 0.4); what
/// BBR believes of rate and delay it forgets within ten seconds. The window is what the path holds, of flows that share its narrowest link
/// each a part, and at most what the receiver allows. To the end of the run on routes that change.
fn felt(flow: &Flow, filled: &Filled, scenario: &Scenario) -> Span {
    let (Some(forward), Some(backward)) = (flow.forward.fixed(), flow.backward.fixed()) else {
        return Span::from_ps(u64::MAX);
    };
    let links = &scenario.links;
    let rate = |id: &LinkId| links[*id].params.largest_rate(links[*id].rate).as_bps();
    let narrowest = *forward.iter().min_by_key(|id| rate(id)).expect("a route has links");
    let seconds = |span: Span| span.as_secs_f64();
    let delay = |id: &LinkId| seconds(links[*id].params.least_delay(links[*id].delay));
    let delays: f64 = forward.iter().chain(backward).map(delay).sum();
    let fill = forward.iter().filter(|&&id| filled.can_be(id, scenario));
    let buffers = fill.map(|&id| match scenario.nodes[links[id].from].kind {
        NodeKind::Host => Some(0.0),
        NodeKind::Switch => drain_time(&links[id], scenario).map(seconds),
    });
    // Without a limit the window of the receiver decides.
    let buffers = buffers.sum::<Option<f64>>().unwrap_or(f64::INFINITY);
    let sharing = scenario.flows.iter().filter(|other| other.forward.links().contains(&narrowest)).count() as f64;
    let bytes_per_second = rate(&narrowest) as f64 / 8.0;
    let most = flow.tcp.advertised_window() as f64;
    let window = (bytes_per_second / sharing * (delays + buffers)).min(most);
    let segments = window / f64::from(flow.tcp.mss);
    let round_trip = delays.max(window * sharing / bytes_per_second);
    let reno = segments / 2.0 * round_trip;
    let felt = match flow.tcp.congestion_control.name() {
        "cubic" => reno.min((segments / 0.4).cbrt()),
        "bbr1" | "bbr3" => reno.min(10.0),
        _ => reno,
    };
    Span::from_ps((felt * 1e12) as u64)
}

/// Which buffers can fill: a link that is no slower than all links together from which packets come to it has none that wait.
struct Filled {
    inputs: BTreeMap<LinkId, BTreeSet<LinkId>>,
    /// Of routes that change it is not asked from where packets come.
    any: BTreeSet<LinkId>,
}

impl Filled {
    fn of<'r>(routes: impl Iterator<Item = &'r Route>) -> Filled {
        let mut filled = Filled { inputs: BTreeMap::new(), any: BTreeSet::new() };
        for route in routes {
            match route.fixed() {
                Some(links) => links.windows(2).for_each(|pair| {
                    filled.inputs.entry(pair[1]).or_default().insert(pair[0]);
                }),
                None => filled.any.extend(route.links().iter().copied()),
            }
        }
        filled
    }

    fn can_be(&self, link: LinkId, scenario: &Scenario) -> bool {
        let links = &scenario.links;
        let Some(inputs) = self.inputs.get(&link).filter(|_| !self.any.contains(&link)) else { return true };
        let most = |input: &LinkId| links[*input].params.largest_rate(links[*input].rate).as_bps();
        let schedule = links[link].params.schedule.as_ref();
        let is_constant = schedule.is_none_or(|schedule| schedule.rates.is_constant() && schedule.outages.is_empty());
        let sum: u64 = inputs.iter().map(most).fold(0, u64::saturating_add);
        !is_constant || sum > links[link].rate.as_bps()
    }
}

/// The least propagation delay that a route ever has; of one that changes, if it leads to its end then.
fn least_delay(route: &Route, scenario: &Scenario) -> Option<Span> {
    let links = &scenario.links;
    if let Some(fixed) = route.fixed() {
        return Some(
            fixed.iter().fold(Span::ZERO, |sum, &link| sum + links[link].params.least_delay(links[link].delay)),
        );
    }
    let end = scenario.duration.as_ps();
    let instants = (0..SAMPLES).map(|number| ackclock::units::Time::from_ps(end / SAMPLES * number));
    let delay_at = |time| {
        let path = route.at(time, links);
        let is_whole = path.last().and_then(|&link| links[link].far_end(time)) == Some(route.destination(links));
        let of_link = |sum: Span, &link: &ackclock::ids::LinkId| match &links[link].params.schedule {
            None => sum + links[link].delay,
            Some(schedule) => sum + schedule.delays.at(time),
        };
        is_whole.then(|| path.iter().fold(Span::ZERO, of_link))
    };
    instants.filter_map(delay_at).min()
}

/// Instants at which the delay of a route that changes is looked at.
const SAMPLES: u64 = 1000;

/// How long the port of a switch transmits when its buffer is full, at its largest rate: without a limit, no time can be said.
fn drain_time(link: &Link, scenario: &Scenario) -> Option<Span> {
    if scenario.nodes[link.from].kind == NodeKind::Host {
        return None;
    }
    let rate = link.params.largest_rate(link.rate);
    let bits = match (link.queue.buffer, scenario.technology) {
        (Buffer::Infinite, _) => return None,
        (Buffer::Cells(cells), _) => u64::from(cells) * CELL_BITS,
        (Buffer::Packets(packets), Technology::Packet { link_header_bytes }) => {
            u64::from(packets) * 8 * u64::from(longest_packet(scenario) + link_header_bytes)
        }
        (Buffer::Packets(_), Technology::Atm { .. }) => return None,
        (Buffer::Bytes(bytes), _) => bytes.saturating_mul(8),
    };
    Some(rate.serialization(bits))
}

fn longest_packet(scenario: &Scenario) -> u32 {
    let of_flows = scenario.flows.iter().map(|flow| flow.tcp.longest_datagram());
    of_flows.chain(scenario.udp.iter().map(|source| source.source.payload_bytes + 28)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(text: String) -> Scenario {
        let memory = ackclock_scenario::Memory::new().with("l.toml", text);
        ackclock_scenario::load(&memory, "l.toml", &[]).unwrap().scenario
    }

    /// 10 Mb/s and 500 ms back and forth, with a buffer of 250 packets of 1500 octets, 300 ms: what of it is felt for how long.
    #[test]
    fn a_pause_is_felt_until_the_window_is_there_again() {
        let limit = |tcp: &str, more: &str| {
            let text = format!(
                "duration = \"60 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
                 r.kind = \"switch\"\nb.kind = \"host\"\n[queue]\nbuffer = \"250 packets\"\n[link]\n\
                 ar = {{ ends = [\"a\", \"r\"], rate = \"1 Gbps\", delay = \"0 s\" }}\n\
                 rb = {{ ends = [\"r\", \"b\"], rate = \"10 Mbps\", delay = \"250 ms\" }}\n\
                 [tcp]\ndialect = \"linux\"\nmss = \"1250 B\"\n{tcp}\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n{more}"
            );
            let limits = Limits::of(&scenario(text));
            (limits.flows[0].clone(), limits.flows[0].felt.as_secs_f64())
        };
        let near = |felt: f64, expected: f64| (felt / expected - 1.0).abs() < 0.01;
        let wide = "receive_window = \"4 MB\"\ncongestion_control = ";
        let (reno, felt) = limit(&format!("{wide}\"reno\""), "");
        // 200 ms of the timer, which are less than the 250 ms of the path and those of the buffer.
        assert_eq!((reno.reference, reno.longest()), (Span::from_ms(200), Span::from_ms(100)));
        assert_eq!(reno.of, "what the timer of f allows beyond a round trip");
        // The buffer of 250 packets of 1302 octets drains in 260.4 ms. 760.4 ms hold 760 segments: half of them, as many round trips.
        assert!(near(felt, 760.4 / 2.0 * 0.7604), "{felt}");
        // The cube root of 760 / 0.4.
        let (_, felt) = limit(&format!("{wide}\"cubic\""), "");
        assert!(near(felt, 12.39), "{felt}");
        assert!(near(limit(&format!("{wide}\"bbr1\""), "").1, 10.0));
        // A window of ten segments fills nothing: five round trips of half a second.
        let (_, felt) = limit("receive_window = \"12500 B\"\nwindow_scale = 0\ncongestion_control = \"reno\"", "");
        assert!(near(felt, 2.5), "{felt}");
        // Of two flows each has half of the window.
        let (_, felt) = limit(&format!("{wide}\"reno\""), "[flow.g]\nfrom = \"a\"\nto = \"b\"\n");
        assert!(near(felt, 380.2 / 2.0 * 0.7604), "{felt}");
    }

    /// 10 Gb/s and 1 Tb/s behind 1.5 Mb/s: their buffers drain in no time, and never fill.
    #[test]
    fn a_buffer_that_cannot_fill_decides_nothing() {
        let text = |exit: &str| {
            format!(
                "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\nr.kind = \"switch\"\n\
                 s.kind = \"switch\"\nb.kind = \"host\"\n[queue]\nbuffer = \"50 packets\"\n[link]\n\
                 ar = {{ ends = [\"a\", \"r\"], rate = \"10 Gbps\", delay = \"0 s\" }}\n\
                 rs = {{ ends = [\"r\", \"s\"], rate = \"1.5 Mbps\", delay = \"900 ms\" }}\n\
                 sb = {{ ends = [\"s\", \"b\"], delay = \"0 s\", {exit} }}\n\
                 [tcp]\ndialect = \"standard\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n"
            )
        };
        let limits = |exit: &str| Limits::of(&scenario(text(exit)));
        let bottleneck = limits("rate = \"10 Gbps\"");
        assert!(bottleneck.of.contains("the buffer of r->s"), "{bottleneck:?}");
        assert_eq!(limits("rate = \"1.5 Mbps\"").of, bottleneck.of);
        // A little slower, or down for a time: packets wait there.
        assert!(limits("rate = \"1499 kbps\"").of.contains("of r->s"), "it has less time than the slower one");
        let outage = limits("rate = \"10 Gbps\", outages = [{ from = \"0.1 s\", until = \"0.2 s\" }]");
        assert!(outage.of.contains("of s->b"), "{outage:?}");
    }
}
