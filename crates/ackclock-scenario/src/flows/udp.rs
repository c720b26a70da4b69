//! Sources of datagrams: [udp] tables.

use ackclock::ids::{LinkId, NodeId};
use ackclock::keys::{Dimension, Quantity};
use ackclock::law::Law;
use ackclock::scenario::{MAX_ROUTE_LINKS, Route, Technology, UdpFlow};
use ackclock::traffic::{CbrParams, Dither, PatternParams, TurnsParams};
use ackclock::units::{Rate, Span, Time};

use crate::document::{Document, Named};
use crate::flows::PlannedFlow;
use crate::flows::{framing, service};
use crate::keys::Section;
use crate::network::Network;
use crate::network::routes::{self, Finder};
use crate::settings::{Settings, warn_unused};
use crate::text::diagnostic::Report;
use crate::text::names::natural;
use crate::value::FileValue;
use crate::value::rate_trace::{RateTrace, TraceContent};

/// All sources in natural order of their names, or `None` and reports.
pub(crate) fn plan(
    document: &Document,
    network: &Network,
    technology: Technology,
    duration: Option<Span>,
    flows: &[PlannedFlow],
    report: &mut Report,
) -> Option<Vec<UdpFlow>> {
    let mut finder = Finder::new(network);
    let mut tables: Vec<&Named> = document.udp.iter().collect();
    tables.sort_by(|a, b| natural(&a.name, &b.name));
    let mut all = Vec::with_capacity(tables.len());
    for named in &tables {
        if flows.iter().any(|planned| planned.flow.name == named.name) {
            report.error(named.at, format!("there is a flow {} already", named.name)).label("name is taken");
            continue;
        }
        all.extend(source(named, network, technology, duration, &mut finder, report));
    }
    (all.len() == tables.len()).then_some(all)
}

fn source(
    named: &Named,
    network: &Network,
    technology: Technology,
    duration: Option<Span>,
    finder: &mut Finder<'_>,
    report: &mut Report,
) -> Option<UdpFlow> {
    let settings = Settings::resolve(Section::Udp, &[&named.given]);
    let word = match technology {
        Technology::Atm { .. } => "atm",
        Technology::Packet { .. } => "packet",
    };
    let context = |key: &str| (key == "technology").then_some(word);
    settings.require(&format!("[udp.{}]", named.name), &context, report);
    warn_unused(&named.given, Section::Udp, &[&settings], &context, report);
    let (from, to) = (host(&settings, "from", network, report), host(&settings, "to", network, report));
    let (from, to) = (from?, to?);
    if from == to {
        report.error(settings.at("to"), "the datagrams begin and end at the same host").label("two hosts are needed");
        return None;
    }
    let there = route(named, &settings, network, (from, to), finder, report)?;
    let echo = match settings.flag("echo")? {
        true => Some(route(named, &settings, network, (to, from), finder, report)?),
        false => None,
    };
    let mut payload = payload(&settings, network, &there, technology, report);
    if let Some(back) = &echo {
        payload = payload.and(self::payload(&settings, network, back, technology, report));
    }
    let pcr = pcr(named, &settings, network, there[0], technology, report);
    let start = settings.span("start")?;
    let stop = settings.choice_or("stop", &[("never", None)], || settings.span("stop").map(Some))?;
    if stop.is_some_and(|stop| stop <= start) {
        let at = settings.at("stop").or(settings.at("start"));
        report.error(at, "the source stops before it sends anything").label("`stop` must be later than `start`");
        return None;
    }
    if duration.is_some_and(|duration| start >= duration) {
        report
            .warning(settings.at("start"), "the source starts when the run is over")
            .label("not before the end of `duration`");
    }
    let payload = payload?;
    let (rate, interval) = rate(named, &settings, payload, report)?;
    let pattern = if interval.is_none() { pattern(&settings, payload, report)? } else { None };
    let source = CbrParams {
        payload_bytes: payload,
        rate,
        interval,
        start: Time::ZERO + start,
        stop: stop.map(|stop| Time::ZERO + stop),
        dither: if settings.flag("dither")? { Dither::Uniform } else { Dither::Off },
        pattern,
    };
    let flow =
        UdpFlow { name: named.name.clone(), route: there.into(), echo: echo.map(Route::from), pcr: pcr?, source };
    warn_too_fast(&settings, network, &flow, technology, report);
    Some(flow)
}

/// The rate, and the interval where that is given in its place. `None`: wrong, and reported.
fn rate(named: &Named, settings: &Settings, payload: u32, report: &mut Report) -> Option<(Rate, Option<Span>)> {
    match (settings.has("rate"), settings.has("interval")) {
        (true, false) => Some((settings.rate("rate")?, None)),
        (false, true) => {
            let is_given =
                |key: &&str| if *key == "burst" { settings.integer(key) != Some(1) } else { settings.has(key) };
            let of_pattern = ["on", "off", "burst"].into_iter().find(is_given);
            if let Some(key) = of_pattern {
                report
                    .error(
                        settings.at(key),
                        format!("`{key}` is about a source with a `rate`, and this one has an `interval`"),
                    )
                    .label("not with `interval`")
                    .help("leave it out, or write a `rate` in place of `interval`");
                return None;
            }
            let interval = settings.span("interval")?;
            let bits = u128::from(payload) * 8;
            let bps = (bits * 1_000_000_000_000).div_ceil(u128::from(interval.as_ps()));
            Some((Rate::from_bps(u64::try_from(bps).ok()?)?, Some(interval)))
        }
        (true, true) => {
            report
                .error(settings.at("interval"), "`rate` and `interval` both say how often datagrams are sent")
                .label("one of them is too many")
                .help("leave one of them out");
            None
        }
        (false, false) => {
            report
                .error(named.at, format!("`rate` is missing in [udp.{}]", named.name))
                .label("needs one more key")
                .help(
                    "add rate = \"1 Mbps\" (payload per second), or interval = \"1 s\" (from one datagram to the next)",
                );
            None
        }
    }
}

/// How the rate changes, if it does. `None`: wrong, and reported.
fn pattern(settings: &Settings, payload: u32, report: &mut Report) -> Option<Option<Box<PatternParams>>> {
    let rates = match settings.value("rate")? {
        FileValue::Schedule(schedule) => {
            let rate = |bps| Rate::from_bps(bps).expect("rates are above zero");
            schedule.points().map(|(at, bps)| (at, rate(bps))).collect()
        }
        FileValue::RateTrace(RateTrace { content: Some(TraceContent::Rates(rates)), .. }) => rates.points().to_vec(),
        FileValue::RateTrace(_) => {
            report
                .error(settings.at("rate"), "a source follows no delivery opportunities, which are those of links")
                .label("expected a table of times and rates")
                .help("write a file of CSV, with the columns time_s and rate_mbps");
            return None;
        }
        _ => vec![(Time::ZERO, settings.rate("rate")?)],
    };
    let turns = match (stay(settings, "on", report)?, stay(settings, "off", report)?) {
        (None, None) => None,
        (Some(on), Some(off)) => Some(TurnsParams { on, off }),
        (on, _) => {
            let (is, missing) = if on.is_some() { ("on", "off") } else { ("off", "on") };
            report
                .error(settings.at(is), format!("`{is}` without `{missing}`"))
                .label("a source is on and off by turns")
                .help(format!("add {missing} = \"1 s\", or a law, as in {{ law = \"exponential\", mean = \"1 s\" }}"));
            return None;
        }
    };
    let burst = u32::try_from(settings.integer("burst")?).ok()?;
    let pattern = PatternParams { rates, turns, burst };
    if pattern.rates.len() == 1 && pattern.turns.is_none() && burst == 1 {
        return Some(None);
    }
    if settings.flag("dither")? {
        report
            .error(settings.at("dither"), "`dither` is about datagrams one interval apart, and these are not")
            .label("not with rates that change, times on and off, or bursts")
            .help("leave it out; a law of times on and off is random already");
        return None;
    }
    let of_burst = u64::from(payload) * 8 * u64::from(burst);
    let longest = pattern.rates.iter().map(|(_, rate)| rate.serialization(of_burst)).max()?;
    let on = pattern.turns.as_ref().and_then(|turns| turns.on.mean()).map(|ps| Span::from_ps(ps as u64));
    if let Some(on) = on.filter(|on| u128::from(longest.as_ps()) > u128::from(on.as_ps()) * MOST_TIMES_ON) {
        let (burst, on) = (longest.as_secs_f64(), on.as_secs_f64());
        report
            .error(settings.at("on"), format!("a burst takes {burst} s at this `rate`, and `on` is {on} s on average"))
            .label("at least a thousandth of it")
            .help("let the source be on for longer, or give it a higher `rate`");
        return None;
    }
    Some(Some(Box::new(pattern)))
}

/// How long the source is on or off, if it is that. `None`: wrong, and reported.
fn stay(settings: &Settings, key: &str, report: &mut Report) -> Option<Option<Law>> {
    if !settings.has(key) {
        return Some(None);
    }
    let FileValue::Setting(setting) = settings.value(key)? else { return None };
    let law = Law::read(setting).ok()?;
    if let Err((problem, expected)) = law.mean_of_stays(LEAST_STAY.as_ps()) {
        report.error(settings.at(key), format!("the times of `{key}` {problem}")).label(expected);
        return None;
    }
    Some(Some(law))
}

/// The least of such times, on average.
const LEAST_STAY: Span = Span::from_us(1);
/// Over how many times on a burst may be produced, on average: each of them is gone through.
const MOST_TIMES_ON: u128 = 1000;

/// The peak cell rate, if one is given, on an ATM network; `None`: wrong, and reported.
fn pcr(
    named: &Named,
    settings: &Settings,
    network: &Network,
    first: LinkId,
    technology: Technology,
    report: &mut Report,
) -> Option<Option<Rate>> {
    if let Technology::Packet { .. } = technology {
        return Some(None);
    }
    let pcr = settings.choice_or("pcr", &[("link-rate", None)], || settings.rate("pcr").map(Some))?;
    let link = &network.links[first];
    match service::too_high(pcr, link) {
        None => Some(pcr),
        Some(pcr) => {
            service::pcr_too_high(&named.name, pcr, link, settings.at("pcr"), report);
            None
        }
    }
}

/// Warns if a source is faster than the link of its host, or than its peak cell rate: what waits there grows without end, for
/// hosts never drop.
fn warn_too_fast(settings: &Settings, network: &Network, flow: &UdpFlow, technology: Technology, report: &mut Report) {
    let source = &flow.source;
    // Echoes leave by the link of the other host.
    let links = flow.routes().map(|route| &network.links[route.first()]);
    let Some(link) = links.min_by_key(|link| link.params.largest_rate(link.rate)) else { return };
    let largest = flow.pcr.unwrap_or_else(|| link.params.largest_rate(link.rate));
    let wire_bytes = framing::datagram_wire_bytes(source.payload_bytes, technology);
    let fastest = source.largest_rate();
    // Bits per second with headers, times the bytes of a payload.
    let (wanted, payload) = (u128::from(fastest.as_bps()) * u128::from(wire_bytes), u128::from(source.payload_bytes));
    if wanted > u128::from(largest.as_bps()) * payload {
        let spelled = |bps: u128| {
            Quantity { dimension: Dimension::Rate, amount: u64::try_from(bps).unwrap_or(u64::MAX) }.canonical()
        };
        let headers = spelled(wanted.div_ceil(payload));
        let most = u128::from(largest.as_bps()) * payload / u128::from(wire_bytes);
        let carries = spelled(largest.as_bps().into());
        let (limit, help) = match flow.pcr {
            Some(_) => (
                format!("its peak cell rate is {carries}"),
                "hosts never drop, so the queue of the host grows without end; lower `rate`, or raise `pcr`",
            ),
            None => (
                format!("the link {} carries {carries}", link.name),
                "hosts never drop, so the queue of the host grows without end; to overload a router, give the host a faster link",
            ),
        };
        report
            .warning(
                settings.at("rate").or(settings.at("interval")),
                format!("with headers the source sends {headers}, and {limit}"),
            )
            .label(format!("at most {} fit", spelled(most)))
            .help(help);
    }
}

/// The payload of datagrams that fit the links of their route, as there is no fragmentation; else a report.
fn payload(
    settings: &Settings,
    network: &Network,
    route: &[LinkId],
    technology: Technology,
    report: &mut Report,
) -> Option<u32> {
    let payload = u32::try_from(settings.amount("payload")?).ok()?;
    let largest = framing::largest_udp_payload(technology);
    if payload > largest {
        report
            .error(settings.at("payload"), format!("`payload` is {payload} B, more than one frame can carry"))
            .label(format!("at most {largest} B"))
            .help("a frame has at most 65535 octets, headers included");
        return None;
    }
    let datagram = framing::udp_datagram_bytes(payload);
    let too_small = network.path_mtu(route).filter(|(_, mtu)| mtu.bytes < datagram);
    let Some((link, mtu)) = too_small else { return Some(payload) };
    let most = mtu.bytes - (datagram - payload);
    let name = &network.links[link].name;
    report
        .error(
            settings.at("payload").or(mtu.at),
            format!(
                "datagrams of {payload} B have {datagram} B with their headers, and the link {name} carries {} B",
                mtu.bytes
            ),
        )
        .label(format!("with a `payload` of {most} B they fit"))
        .help("there is no fragmentation: lower `payload`, or raise `mtu`");
    None
}

fn host(settings: &Settings, key: &str, network: &Network, report: &mut Report) -> Option<NodeId> {
    let (text, at) = (settings.text(key)?, settings.at(key));
    network.expect_host(text, "datagrams", at, report)
}

fn route(
    named: &Named,
    settings: &Settings,
    network: &Network,
    ends: (NodeId, NodeId),
    finder: &mut Finder<'_>,
    report: &mut Report,
) -> Option<Vec<LinkId>> {
    let route = match settings.value("route") {
        Some(FileValue::Names(nodes)) if network.expect_node(&nodes.first()?.text, None, report) == Some(ends.1) => {
            // An echo goes back by the same nodes.
            let back: Vec<_> = nodes.iter().rev().cloned().collect();
            routes::along(network, ends, &back, settings.at("route"), report)?
        }
        Some(FileValue::Names(nodes)) => routes::along(network, ends, nodes, settings.at("route"), report)?,
        _ if settings.has("route") => return None,
        _ => match finder.find(ends.0, ends.1) {
            Some(route) => route,
            None => {
                let (from, to) = (&network.nodes[ends.0].name, &network.nodes[ends.1].name);
                report
                    .error(named.at, format!("{}: there is no path from {from} to {to}", named.name))
                    .label("unreachable")
                    .help("hosts do not forward: every node between must be a switch");
                return None;
            }
        },
    };
    if route.len() > MAX_ROUTE_LINKS {
        report
            .error(named.at, format!("{}: the route has {} links", named.name, route.len()))
            .label(format!("at most {MAX_ROUTE_LINKS}"));
        return None;
    }
    Some(route)
}
