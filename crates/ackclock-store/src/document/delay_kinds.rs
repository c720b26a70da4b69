//! The delays of a result, kind by kind: one-way, round trip, jitter, waiting.

use super::delays::{DelaySummary, Delays};
use super::run::Run;
use super::summary::SummaryPart;

/// The delays of one kind, of everything that has such.
#[derive(Clone, Debug)]
pub struct Kind<'a, T> {
    /// In one or two words.
    pub name: &'static str,
    /// Name and delays of each flow, source of datagrams, or port.
    pub delays: Vec<(&'a str, &'a T)>,
}

/// The delays of several runs, kind by kind; none if the scenario does not ask for them.
pub fn kinds(summary: &SummaryPart) -> Vec<Kind<'_, DelaySummary>> {
    let SummaryPart { flows, udp, ports, .. } = summary;
    let of_flows = flows.iter().map(|flow| (&flow.name, &flow.one_way_delay, &flow.round_trip, &flow.exchange));
    let of_udp = udp.iter().map(|source| (&source.name, &source.one_way_delay, &source.jitter, &source.round_trip));
    arrange(of_flows, of_udp, ports.iter().map(|port| (&port.name, &port.sojourn)))
}

/// The delays of one run, kind by kind.
pub fn kinds_of_run(run: &Run) -> Vec<Kind<'_, Delays>> {
    let of_flows = run.flows.iter().map(|flow| (&flow.name, &flow.one_way_delay, &flow.round_trip, &flow.exchange));
    let of_udp = run.udp.iter().map(|source| (&source.name, &source.one_way_delay, &source.jitter, &source.round_trip));
    arrange(of_flows, of_udp, run.ports.iter().map(|port| (&port.name, &port.sojourn)))
}

fn arrange<'a, T>(
    flows: impl Iterator<Item = (&'a String, &'a Option<T>, &'a Option<T>, &'a Option<T>)> + Clone,
    udp: impl Iterator<Item = (&'a String, &'a Option<T>, &'a Option<T>, &'a Option<T>)> + Clone,
    ports: impl Iterator<Item = (&'a String, &'a Option<T>)>,
) -> Vec<Kind<'a, T>> {
    let of_flows = flows.clone().map(|(name, one_way, ..)| (name, one_way));
    let one_way = of_flows.chain(udp.clone().map(|(name, one_way, ..)| (name, one_way)));
    let echoes = udp.clone().map(|(name, _, _, round_trip)| (name, round_trip));
    let kinds = [
        of_kind("one-way", one_way),
        of_kind("round trip", flows.clone().map(|(name, _, round_trip, _)| (name, round_trip)).chain(echoes)),
        of_kind("exchange", flows.map(|(name, _, _, exchange)| (name, exchange))),
        of_kind("jitter", udp.map(|(name, _, jitter, _)| (name, jitter))),
        of_kind("waiting", ports),
    ];
    kinds.into_iter().filter(|kind| !kind.delays.is_empty()).collect()
}

fn of_kind<'a, T>(name: &'static str, delays: impl Iterator<Item = (&'a String, &'a Option<T>)>) -> Kind<'a, T> {
    Kind { name, delays: delays.filter_map(|(name, delays)| Some((name.as_str(), delays.as_ref()?))).collect() }
}
