//! Whether a live run shows the scenario, or the machine on which it ran.
//!
//! The emulator writes packets later than they arrive in the scenario: it is woken late, or not at all for a while. What such a stall does
//! to a run depends on what a packet waits for anyway: the one-way delay of its path, and the buffers, which fill while nothing moves. The
//! lateness of 99.9 % of the packets is compared with the smaller of the two.

use std::collections::{BTreeMap, BTreeSet};

use ackclock::ids::LinkId;
use ackclock::record::Histogram;
use ackclock::scenario::{Buffer, Link, NodeKind, Route, Scenario, Technology};
use ackclock::units::{CELL_BITS, Span};

use super::wait::Scheduling;

/// What to think of a live run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It shows the scenario.
    Valid,
    /// It shows the scenario with an error that is not small.
    Degraded,
    /// It shows the machine.
    Invalid,
}

impl Verdict {
    /// In a word, for documents.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Valid => "valid",
            Verdict::Degraded => "degraded",
            Verdict::Invalid => "invalid",
        }
    }
}

/// What lateness is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The smaller of the least one-way delay of a path and the least time in which a buffer drains that such a path crosses and that can
    /// fill; `None` of a scenario without paths.
    pub reference: Option<Span>,
    /// What it is, in words.
    pub of: String,
}

/// Of the reference in per cent: above this the run is degraded, or invalid.
pub const DEGRADED_ABOVE_PERCENT: u64 = 10;
/// See [`DEGRADED_ABOVE_PERCENT`].
pub const INVALID_ABOVE_PERCENT: u64 = 50;

impl Limits {
    /// Those of a scenario.
    pub fn of(scenario: &Scenario) -> Limits {
        let of_flows =
            scenario.flows.iter().flat_map(|flow| [(&flow.name, &flow.forward), (&flow.name, &flow.backward)]);
        let routes = of_flows.chain(scenario.udp.iter().map(|source| (&source.name, &source.route)));
        let routes: Vec<_> = routes.collect();
        let filled = Filled::of(routes.iter().map(|(_, route)| *route));
        let mut all: Vec<(Span, String)> = Vec::new();
        for (name, route) in routes {
            if let Some(delay) = least_delay(route, scenario) {
                all.push((delay, format!("the one-way delay of {name}")));
            }
            for &id in route.links().iter().filter(|&&id| filled.can_be(id, scenario)) {
                let link = &scenario.links[id];
                if let Some(time) = drain_time(link, scenario) {
                    all.push((time, format!("the time in which the buffer of {} drains", link.name)));
                }
            }
        }
        match all.into_iter().min_by_key(|(span, _)| *span) {
            Some((span, of)) => Limits { reference: Some(span), of },
            None => Limits { reference: None, of: "nothing".to_owned() },
        }
    }
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

/// What was counted that nothing of the scenario explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Packets lost in devices: their queues were full while the emulator did not run.
    pub device_drops: u64,
    /// Packets that the kernel did not take.
    pub write_errors: u64,
    /// Datagrams that the kernel refused to send: they never came to a device.
    pub refused: u64,
    /// Packets that belong to no flow, and went no further.
    pub unknown: u64,
}

impl Outside {
    /// Packets lost outside the scenario: each of them makes a run invalid.
    pub fn drops(&self) -> u64 {
        self.device_drops + self.write_errors + self.refused
    }
}

/// The verdict, with the reasons for anything but a valid run; a run without packets is valid.
pub(super) fn judge(
    limits: &Limits,
    lateness: &Histogram,
    outside: Outside,
    scheduling: &Scheduling,
) -> (Verdict, Vec<String>) {
    let (mut verdict, mut reasons) = (Verdict::Valid, Vec::new());
    let mut say = |at_least: Verdict, reason: String| {
        verdict = verdict.max(at_least);
        reasons.push(reason);
    };
    if let (Some(late), Some(reference)) = (lateness.quantile(999), limits.reference) {
        // Percent of a reference of no length are not.
        let percent = (late.as_ps().saturating_mul(100)).checked_div(reference.as_ps()).unwrap_or(u64::MAX);
        let of = match percent {
            u64::MAX => "longer than".to_owned(),
            percent => format!("{percent} % of"),
        };
        let why = match scheduling {
            Scheduling::RealTime => "other work of this machine delays it".to_owned(),
            Scheduling::Ordinary { reason } => {
                format!("it has no real-time priority ({reason}), and other work delays it")
            }
        };
        let text = |at: u64| {
            let (late, reference) = (milliseconds(late), milliseconds(reference));
            let what = format!("one packet in a thousand was more than {late} late, {of} {} ({reference})", limits.of);
            format!("{what}; the limit is {at} %: {why}")
        };
        if percent > INVALID_ABOVE_PERCENT {
            say(Verdict::Invalid, text(INVALID_ABOVE_PERCENT));
        } else if percent > DEGRADED_ABOVE_PERCENT {
            say(Verdict::Degraded, text(DEGRADED_ABOVE_PERCENT));
        }
    }
    let Outside { device_drops, write_errors, refused, unknown } = outside;
    if device_drops > 0 {
        say(
            Verdict::Invalid,
            format!("{device_drops} packets were lost in the devices of hosts, outside the scenario"),
        );
    }
    if write_errors > 0 {
        say(Verdict::Invalid, format!("{write_errors} packets were not taken by the kernel, outside the scenario"));
    }
    if refused > 0 {
        say(Verdict::Invalid, format!("{refused} datagrams were refused by the kernel, outside the scenario"));
    }
    if unknown > 0 {
        say(
            Verdict::Degraded,
            format!("{unknown} packets belonged to no flow of the scenario, and were not passed on"),
        );
    }
    (verdict, reasons)
}

fn milliseconds(span: Span) -> String {
    format!("{:.3} ms", 1e3 * span.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lateness(us: &[(u64, u64)]) -> Histogram {
        let mut histogram = Histogram::default();
        us.iter().for_each(|&(us, times)| histogram.add(Span::from_us(us), times));
        histogram
    }

    fn limits(us: u64) -> Limits {
        Limits { reference: Some(Span::from_us(us)), of: "the one-way delay of f".to_owned() }
    }

    #[test]
    fn a_run_is_as_good_as_its_latest_packet_in_a_thousand() {
        let verdict =
            |us: &[(u64, u64)]| judge(&limits(1000), &lateness(us), Outside::default(), &Scheduling::RealTime);
        assert_eq!(verdict(&[]), (Verdict::Valid, vec![]));
        assert_eq!(
            verdict(&[(1, 998), (99, 1), (5000, 1)]).0,
            Verdict::Valid,
            "the latest of a thousand does not count"
        );
        let (degraded, reasons) = verdict(&[(1, 997), (120, 3)]);
        assert_eq!((degraded, reasons.len()), (Verdict::Degraded, 1));
        assert!(reasons[0].contains("the one-way delay of f (1.000 ms)"), "{reasons:?}");
        assert_eq!(verdict(&[(1, 997), (520, 3)]).0, Verdict::Invalid);
        assert_eq!(
            judge(&limits(0), &lateness(&[(1, 1)]), Outside::default(), &Scheduling::RealTime).0,
            Verdict::Invalid
        );
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
        let limits = |exit: &str| {
            let memory = ackclock_scenario::Memory::new().with("l.toml", text(exit));
            Limits::of(&ackclock_scenario::load(&memory, "l.toml", &[]).unwrap().scenario)
        };
        let bottleneck = limits("rate = \"10 Gbps\"");
        assert!(bottleneck.of.contains("the buffer of r->s"), "{bottleneck:?}");
        assert_eq!(limits("rate = \"1.5 Mbps\"").of, bottleneck.of);
        // A little slower, or down for a time: packets wait there.
        assert!(limits("rate = \"1499 kbps\"").of.contains("of r->s"), "it has less time than the slower one");
        let outage = limits("rate = \"10 Gbps\", outages = [{ from = \"0.1 s\", until = \"0.2 s\" }]");
        assert!(outage.of.contains("of s->b"), "{outage:?}");
    }

    #[test]
    fn any_loss_outside_the_scenario_is_invalid() {
        let verdict = |outside| judge(&limits(1000), &Histogram::default(), outside, &Scheduling::RealTime);
        assert_eq!(verdict(Outside { device_drops: 1, ..Outside::default() }).0, Verdict::Invalid);
        assert_eq!(verdict(Outside { write_errors: 1, ..Outside::default() }).0, Verdict::Invalid);
        assert_eq!(verdict(Outside { refused: 1, ..Outside::default() }).0, Verdict::Invalid);
        let all = Outside { device_drops: 1, write_errors: 20, refused: 300, unknown: 4000 };
        assert_eq!(all.drops(), 321);
        let (degraded, reasons) = verdict(Outside { unknown: 3, ..Outside::default() });
        assert_eq!((degraded, reasons[0].starts_with("3 packets")), (Verdict::Degraded, true));
    }
}
