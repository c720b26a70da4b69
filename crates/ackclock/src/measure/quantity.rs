//! What an expression is about: a measure of one of the tables, or a distribution.

use super::names::{Names, is_named, is_of};
use super::tables::{DISTRIBUTIONS, OF_FLOWS, OF_PORTS, OF_RUNS, OF_UDP, PORT_TALLIES};
use super::{
    Distribution, Flow, Flows, Measure, Need, Over, Part, Port, Ports, Range, Run, Runs, Sources, Subject, Udp,
};
use crate::record::Histogram;
use crate::record::stats::quantile;
use crate::scenario::{Scenario, UdpFlow};

/// Something that is measured, by its name.
#[derive(Clone, Copy, Debug)]
pub enum Quantity {
    /// Of the whole network.
    OfRun(&'static Measure<Runs>),
    /// Of flows, of sources of datagrams, or of both.
    OfFlows(Option<&'static Measure<Flows>>, Option<&'static Measure<Sources>>),
    /// Of ports.
    OfPorts(&'static Measure<Ports>),
    /// Times, of flows and sources, or of ports.
    Times(&'static Distribution),
}

impl Quantity {
    /// The one of this name: of a run where that has one.
    pub fn named(name: &str) -> Option<Quantity> {
        fn find<S: Subject>(table: &'static [Measure<S>], name: &str) -> Option<&'static Measure<S>> {
            table.iter().find(|measure| measure.name == name)
        }
        let (flow, udp) = (find(OF_FLOWS, name), find(OF_UDP, name));
        find(OF_RUNS, name)
            .map(Quantity::OfRun)
            .or_else(|| (flow.is_some() || udp.is_some()).then_some(Quantity::OfFlows(flow, udp)))
            .or_else(|| find(OF_PORTS, name).or_else(|| find(PORT_TALLIES, name)).map(Quantity::OfPorts))
            .or_else(|| DISTRIBUTIONS.iter().find(|times| times.name == name).map(Quantity::Times))
    }

    /// The one of this name that several things have: of flows, sources or ports.
    pub fn of_several(name: &str) -> Option<Quantity> {
        match Quantity::named(name) {
            Some(Quantity::OfRun(_)) => {
                let flow = OF_FLOWS.iter().find(|measure| measure.name == name);
                flow.map(|flow| Quantity::OfFlows(Some(flow), None))
            }
            other => other,
        }
    }

    /// Every name.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let of_flows = OF_FLOWS.iter().map(|measure| measure.name);
        let of_udp = OF_UDP.iter().map(|measure| measure.name);
        let of_ports = OF_PORTS.iter().chain(PORT_TALLIES).map(|measure| measure.name);
        let times = DISTRIBUTIONS.iter().map(|times| times.name);
        OF_RUNS.iter().map(|measure| measure.name).chain(of_flows).chain(of_udp).chain(of_ports).chain(times)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Quantity::OfRun(measure) => measure.name,
            Quantity::OfFlows(flow, udp) => flow.map_or_else(|| udp.map_or("", |udp| udp.name), |flow| flow.name),
            Quantity::OfPorts(measure) => measure.name,
            Quantity::Times(times) => times.name,
        }
    }

    pub(super) fn unit(self) -> &'static str {
        match self {
            Quantity::OfRun(measure) => measure.unit,
            Quantity::OfFlows(flow, udp) => flow.map_or_else(|| udp.map_or("", |udp| udp.unit), |flow| flow.unit),
            Quantity::OfPorts(measure) => measure.unit,
            Quantity::Times(_) => "s",
        }
    }

    pub(super) fn range(self) -> Range {
        match self {
            Quantity::OfRun(measure) => measure.range,
            Quantity::OfFlows(Some(flow), _) => flow.range,
            Quantity::OfFlows(None, udp) => udp.map_or(Range::AtLeast0, |udp| udp.range),
            Quantity::OfPorts(measure) => measure.range,
            Quantity::Times(_) => Range::AtLeast0,
        }
    }

    /// How several become one where nothing is said.
    pub(super) fn over(self) -> Over {
        match self {
            Quantity::OfRun(measure) => measure.over,
            Quantity::OfFlows(Some(flow), _) => flow.over,
            Quantity::OfFlows(None, udp) => udp.map_or(Over::Mean, |udp| udp.over),
            Quantity::OfPorts(measure) => measure.over,
            Quantity::Times(_) => Over::Mean,
        }
    }

    /// What it means, in one sentence, for people.
    pub fn about(self) -> &'static str {
        match self {
            Quantity::OfRun(measure) => measure.about,
            Quantity::OfFlows(flow, udp) => flow.map_or_else(|| udp.map_or("", |udp| udp.about), |flow| flow.about),
            Quantity::OfPorts(measure) => measure.about,
            Quantity::Times(times) => times.about,
        }
    }

    /// Its values in a part of the run, or in the time that counts: of all flows, or of those that are named; of ports likewise. Without
    /// names, sources of datagrams count only where flows have no such number. `None` where one has none.
    pub(super) fn values(self, run: &Run<'_>, names: &Names, part: Option<Part>) -> Option<Vec<f64>> {
        fn of<S: Subject>(measure: &Measure<S>, of: &S::Of<'_>, run: &Run<'_>, part: Option<Part>) -> Option<f64> {
            // What is not counted is taken of the record of the time that counts.
            measure.value(of, part.or_else(|| measure.of.is_none().then(|| run.part())))
        }
        match self {
            Quantity::OfRun(measure) => of(measure, run, run, part).map(|value| vec![value]),
            Quantity::OfFlows(flow, udp) => {
                let of_flows = flow.into_iter().flat_map(|measure| {
                    let has_number = |flow: &Flow<'_>| flow.of.size.is_some() || !measure.needs.contains(&Need::File);
                    let wanted = move |flow: &Flow<'_>| is_of(flow.of, names) && has_number(flow);
                    run.flows().filter(wanted).map(move |flow| of(measure, &flow, run, part))
                });
                let has_parts = |udp: &&'static Measure<Sources>| part.is_none() || udp.during.is_some();
                let udp = udp.filter(|udp| (flow.is_none() || !names.is_empty()) && has_parts(udp));
                let of_udp = udp.into_iter().flat_map(|measure| {
                    let wanted = |source: &Udp<'_>| is_named(&source.record.name, names);
                    run.udp().filter(wanted).map(|source| of(measure, &source, run, part))
                });
                of_flows.chain(of_udp).collect()
            }
            Quantity::OfPorts(measure) if names.is_empty() => {
                Some(vec![of(measure, &run.limiting_port()?, run, part)?])
            }
            Quantity::OfPorts(measure) => {
                let wanted = |port: &Port<'_>| is_named(&port.record.name, names);
                run.ports().filter(wanted).map(|port| of(measure, &port, run, part)).collect()
            }
            Quantity::Times(_) => None,
        }
    }

    /// So many thousandths of its values, of flows, sources or ports, are at most that: exact, between two values in proportion. A file
    /// that was not finished counts as longer than all. `None` where another thing has no value, or none is left.
    pub(super) fn quantile(self, run: &Run<'_>, names: &Names, part: Option<Part>, per_mille: u32) -> Option<f64> {
        let mut values = match self {
            Quantity::OfFlows(Some(flow), _) if flow.needs.contains(&Need::File) => {
                let files = run.flows().filter(|flow| is_of(flow.of, names) && flow.of.size.is_some());
                // A rate has no such meaning.
                let absent = (flow.unit == "s").then_some(f64::INFINITY);
                files.filter_map(|file| flow.value(&file, part).or(absent)).collect()
            }
            _ if names.is_empty() && self.is_of_ports() => self.values(run, &["*".to_owned()], part)?,
            _ => self.values(run, names, part)?,
        };
        values.sort_by(f64::total_cmp);
        quantile(&values, f64::from(per_mille) / 1000.0)
    }

    /// All times of what is named together; `None` without any.
    pub(super) fn times(self, run: &Run<'_>, names: &Names) -> Option<Histogram> {
        let Quantity::Times(times) = self else { return None };
        let mut all = Histogram::default();
        let mut add = |part: Option<&Histogram>| part.into_iter().for_each(|part| all.merge(part));
        if let Some(of) = times.of_flow {
            run.flows().filter(|flow| is_of(flow.of, names)).for_each(|flow| add(of(&flow)));
        }
        if let Some(of) = times.of_udp.filter(|_| times.of_flow.is_none() || !names.is_empty()) {
            run.udp().filter(|source| is_named(&source.record.name, names)).for_each(|source| add(of(&source)));
        }
        if let Some(of) = times.of_port {
            match names.is_empty() {
                true => run.limiting_port().into_iter().for_each(|port| add(of(&port))),
                false => {
                    run.ports().filter(|port| is_named(&port.record.name, names)).for_each(|port| add(of(&port)));
                }
            }
        }
        (all.count() > 0).then_some(all)
    }

    /// Whether anything of a scenario has one of these names, as this quantity looks for them.
    pub(super) fn knows(self, scenario: &Scenario, name: &str) -> bool {
        let names = [name.to_owned()];
        let flows = || scenario.flows.iter().any(|flow| is_of(flow, &names));
        let udp = || scenario.udp.iter().any(|source| is_named(&source.name, &names));
        let ports = || scenario.links.iter().any(|link| is_named(&link.name, &names));
        match self {
            Quantity::OfRun(_) => false,
            Quantity::OfFlows(flow, of_udp) => (flow.is_some() && flows()) || (of_udp.is_some() && udp()),
            Quantity::OfPorts(_) => ports(),
            Quantity::Times(times) => {
                let has_it = |source: &UdpFlow| source.echo.is_some() || !times.needs_echo;
                let mut sources = scenario.udp.iter().filter(|source| is_named(&source.name, &names));
                (times.of_flow.is_some() && flows())
                    || (times.of_udp.is_some() && sources.any(has_it))
                    || (times.of_port.is_some() && ports())
            }
        }
    }

    /// Whether it has a value in a part of a run.
    pub fn has_parts(self) -> bool {
        match self {
            Quantity::OfRun(measure) => measure.during.is_some(),
            Quantity::OfFlows(flow, _) => flow.is_some_and(|flow| flow.during.is_some()),
            Quantity::OfPorts(measure) => measure.during.is_some(),
            Quantity::Times(_) => false,
        }
    }

    /// What has to be recorded for it, in a part of the run or in the time that counts.
    pub(super) fn needs(self, in_part: bool) -> &'static [Need] {
        fn of<S: Subject>(measure: &'static Measure<S>, in_part: bool) -> &'static [Need] {
            // What is counted anyway needs a record for a part of the run only.
            let is_counted = measure.of.is_some() && measure.during.is_some() && !in_part;
            if is_counted { &[] } else { measure.needs }
        }
        match self {
            Quantity::OfRun(measure) => of(measure, in_part),
            Quantity::OfFlows(flow, udp) => {
                flow.map(|flow| of(flow, in_part)).or_else(|| udp.map(|udp| of(udp, in_part))).unwrap_or_default()
            }
            Quantity::OfPorts(measure) => of(measure, in_part),
            Quantity::Times(_) => &[Need::Delays],
        }
    }

    pub(super) fn is_of_ports(self) -> bool {
        match self {
            Quantity::OfPorts(_) => true,
            Quantity::Times(times) => times.of_port.is_some(),
            Quantity::OfRun(_) | Quantity::OfFlows(..) => false,
        }
    }
}
