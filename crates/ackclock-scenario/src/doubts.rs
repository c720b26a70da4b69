//! What can be run, but is probably not meant: times that do not fit the run or the Earth, a bottleneck that is none, windows
//! that limit. All of it is said before the run.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ackclock::ids::LinkId;
use ackclock::keys::{Dimension, Quantity};
use ackclock::record::MOST_INTERVALS;
use ackclock::scenario::{Route, UdpFlow};
use ackclock::tcp::EcnMode;
use ackclock::units::Span;

use crate::check::suggest::marking;
use crate::document::Document;
use crate::flows::PlannedFlow;
use crate::flows::receive_window::{largest_rate, round_trip_ps};
use crate::network::Network;
use crate::settings::{Given, Settings};
use crate::text::diagnostic::{At, Report};
use crate::value::FileValue;

/// Warns of times: delays longer than any on Earth, and what is longer than the run or after its end.
pub(crate) fn of_times(document: &Document, top: &Settings, report: &mut Report) {
    let duration = top.span("duration");
    let links = document.links.iter().chain(&document.directions).map(|named| &named.given);
    for given in [&document.network].into_iter().chain(links) {
        long_delays(given, report);
        if let Some(duration) = duration {
            after_the_end(given, duration, report);
        }
    }
    let Some(duration) = duration else { return };
    if let (Some(interval), Some(at)) = (top.span("record_interval"), top.at("record_interval"))
        && interval > duration
        && top.is_list_given("record") == Some("given")
    {
        report
            .warning(
                at,
                format!("`record_interval` is {}, longer than the run of {}", spelled(interval), spelled(duration)),
            )
            .label("the whole run is one interval")
            .help("a hundredth of `duration` shows what happens over time");
    }
    if let (Some(interval), at) = (top.span("record_interval"), top.at("record_interval"))
        && duration.as_ps().div_ceil(interval.as_ps()) > MOST_INTERVALS
        && top.is_list_given("record") == Some("given")
    {
        report
            .warning(at, format!("records have more than {MOST_INTERVALS} intervals, the most that are read again"))
            .label("reports and exports refuse them")
            .help(format!("an interval of {} is long enough", spelled(Span::from_ps(duration.as_ps() / 1_000_000))));
    }
    let flows = document.flows.iter().map(|named| &named.given);
    for given in [&document.traffic.own].into_iter().chain(flows) {
        let (jitter, at) = (span(given, "start_jitter"), given.key_at("start_jitter"));
        if let Some(jitter) = jitter.filter(|&jitter| jitter > duration) {
            report
                .warning(
                    at,
                    format!("`start_jitter` is {}, longer than the run of {}", spelled(jitter), spelled(duration)),
                )
                .label("some flows may start when the run is over")
                .help("one round trip is enough to take flows out of step");
        }
    }
}

/// No path on Earth is so long, not by a satellite either: nearly always milliseconds were meant.
fn long_delays(given: &Given, report: &mut Report) {
    for (key, at) in given.keys() {
        let is_delay = key == "delay" || key.ends_with("_delay");
        let longest = match given.value(key) {
            Some(FileValue::Schedule(schedule)) => {
                let amounts = schedule.then.iter().map(|(_, quantity)| *quantity).chain([schedule.first]);
                amounts.max_by_key(|quantity| quantity.amount)
            }
            value => value.and_then(FileValue::quantity),
        };
        let Some(longest) = longest.filter(|longest| is_delay && longest.dimension == Dimension::Time) else {
            continue;
        };
        if longest.amount > LONGEST_DELAY.as_ps() {
            report
                .warning(at, format!("`{key}` is {} one way", longest.canonical()))
                .label("more than 2 s; light takes 1.3 s to the Moon")
                .help("delays are times of one direction, as in \"250 ms\"");
        }
    }
}

/// What a link does when the run is over.
fn after_the_end(given: &Given, duration: Span, report: &mut Report) {
    for (key, at) in given.keys() {
        let late = match given.value(key) {
            Some(FileValue::Outages(outages)) => {
                outages.iter().map(|outage| outage.from_ps).find(|&ps| ps >= duration.as_ps())
            }
            Some(FileValue::Schedule(schedule)) => {
                schedule.then.iter().map(|(ps, _)| *ps).find(|&ps| ps >= duration.as_ps())
            }
            _ => None,
        };
        if let Some(late) = late {
            let what = if key == "outages" { "an outage begins" } else { "a change comes" };
            report
                .warning(at, format!("`{key}`: {what} at {}, when the run is over", spelled(Span::from_ps(late))))
                .label(format!("not before the end of `duration`, {}", spelled(duration)))
                .help("let it come earlier, or make the run longer");
        }
    }
}

/// Warns of a bottleneck that the links before it and behind it cannot fill.
pub(crate) fn of_bottleneck(
    network: &Network,
    flows: &[PlannedFlow],
    udp: &[UdpFlow],
    (link, places): (LinkId, [Option<At>; 2]),
    report: &mut Report,
) {
    // What a flow can bring is limited by the slowest of its other links; that several share one is not counted.
    let slowest = |links: Cow<'_, [LinkId]>| {
        let others = links.iter().filter(|id| **id != link);
        others.map(|id| u128::from(largest_rate(&network.links[*id]).as_bps())).min().unwrap_or(u128::MAX)
    };
    let of_flows = flows.iter().map(|planned| planned.flow.forward.links());
    let of_udp = udp.iter().flat_map(UdpFlow::routes).map(Route::links);
    let crossing: Vec<u128> = of_flows.chain(of_udp).filter(|links| links.contains(&link)).map(slowest).collect();
    let brought = crossing.iter().fold(0_u128, |sum, &rate| sum.saturating_add(rate));
    let rate = u128::from(largest_rate(&network.links[link]).as_bps());
    if crossing.is_empty() || brought >= rate {
        return;
    }
    let words = |bps: u128| Quantity { dimension: Dimension::Rate, amount: bps as u64 }.canonical();
    let name = &network.links[link].name;
    report
        .warning(
            places.into_iter().flatten().next(),
            format!(
                "the bottleneck {name} is never full: its flows bring {} at most over their other links",
                words(brought)
            ),
        )
        .label(format!("the bottleneck has {}", words(rate)))
        .help("make the links of hosts faster, add flows, or name the link that limits: bottleneck = \"A->B\"");
}

/// Warns of flows with ECN whose data cross no queue that marks.
pub(crate) fn of_marks(network: &Network, flows: &[PlannedFlow], report: &mut Report) {
    let marks = |link: &LinkId| network.links[*link].queue.policy.marks();
    let without = |planned: &&PlannedFlow| {
        planned.flow.tcp.ecn.mode == EcnMode::Classic && !planned.flow.forward.links().iter().any(marks)
    };
    let Some(first) = flows.iter().find(without) else { return };
    let at = first.given.common.tcp_settings.own.at("ecn");
    report
        .warning(at, format!("`ecn` changes nothing for {}: no queue on the path of its data marks", first.flow.name))
        .label("nothing is marked")
        .help(marking());
}

/// Warns of receive windows that together are less than the bandwidth-delay product of the slowest link of their path.
pub(crate) fn of_windows(network: &Network, flows: &[PlannedFlow], report: &mut Report) {
    // Flows with the same slowest link share it: each sends a window in a round trip at most. Bits per second, and flows.
    let mut sums: BTreeMap<LinkId, (f64, usize)> = BTreeMap::new();
    let most_bps = |planned: &PlannedFlow| {
        planned.flow.tcp.receive_window as f64 * 8.0 / (round_trip_ps(network, planned) as f64 * 1e-12)
    };
    let slowest = |planned: &PlannedFlow| {
        let links = planned.flow.forward.links();
        links
            .iter()
            .copied()
            .min_by_key(|id| (largest_rate(&network.links[*id]), network.is_host(network.links[*id].from)))
    };
    let slowest: Vec<Option<LinkId>> = flows.iter().map(slowest).collect();
    for (planned, link) in flows.iter().zip(&slowest) {
        let &Some(link) = link else { continue };
        let sum = sums.entry(link).or_default();
        *sum = (sum.0 + most_bps(planned), sum.1 + 1);
    }
    let mut said: Vec<Option<At>> = Vec::new();
    // A window that follows the path is as large as it can be.
    let is_given = |(planned, _): &(&PlannedFlow, _)| !planned.given.common.follows_path;
    for (planned, link) in flows.iter().zip(&slowest).filter(is_given) {
        let &Some(link) = link else { continue };
        let (sum_bps, sharing) = sums[&link];
        let rate_bps = largest_rate(&network.links[link]).as_bps() as f64;
        let window = planned.flow.tcp.receive_window;
        if sum_bps >= rate_bps || planned.flow.size.is_some_and(|size| size <= window) {
            continue;
        }
        let at = planned.given.common.tcp_settings.own.at("receive_window");
        if said.contains(&at) {
            continue;
        }
        said.push(at);
        let (flow, link) = (&planned.flow.name, &network.links[link].name);
        let product = rate_bps * round_trip_ps(network, planned) as f64 * 1e-12 / 8.0;
        let bytes = |amount: u64| Quantity { dimension: Dimension::Size, amount }.canonical();
        let (window, product) = (bytes(window), bytes(product as u64));
        let problem = match sharing {
            1 => format!(
                "the receive window of {flow} is {window}, and the round trip over {link} has room for {product}"
            ),
            flows => format!(
                "the receive windows of the {flows} flows over {link} do not fill it: that of {flow} is {window}, and its round trip has room for {product}"
            ),
        };
        report
            .warning(at, problem)
            .label(format!("limits goodput to {:.0} % of the rate of {link}", 100.0 * sum_bps / rate_bps))
            .help("write receive_window = \"auto\" in [tcp], which follows path and buffer");
    }
}

/// The time of a key that is given and right.
fn span(given: &Given, key: &str) -> Option<Span> {
    let quantity = given.value(key)?.quantity().filter(|quantity| quantity.dimension == Dimension::Time)?;
    Some(Span::from_ps(quantity.amount))
}

fn spelled(span: Span) -> String {
    Quantity { dimension: Dimension::Time, amount: span.as_ps() }.canonical()
}

/// The longest delay of which nothing is said.
const LONGEST_DELAY: Span = Span::from_secs(2);
