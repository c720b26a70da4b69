//! What the reference engine says of a run up to an instant.

use std::sync::Arc;

use super::Reference;
use super::build::{Flow, Link, Output};
use crate::ids::{LinkId, VcId};
use crate::net::feedback::PacketRates;
use crate::net::flow::{self, Arrivals, End, ForcedDrops, SinkSummary, SourceSummary, end_of};
use crate::net::host_traces::HostTraces;
use crate::net::recorder::{LinkRecording, PortRecording, RatesRecording, Recorded, Recorder};
use crate::record::{EdgeRecord, FlowRecord, LinkRecord, PortRecord, UdpRecord};
use crate::traffic::Cbr;
use crate::units::{Span, Time};

impl Reference {
    /// The flows' records up to `now`, which is `simulated` after the start.
    pub fn flow_records(&self, simulated: Span, warmup: Span) -> Vec<FlowRecord> {
        let now = Time::ZERO + simulated;
        let ends = self.sources.summaries(now).zip(self.sinks.summaries(now));
        let record = |(number, (flow, (source, sink))): (usize, (&Flow, (SourceSummary, SinkSummary)))| {
            let Flow { name, forced_drops } = flow;
            let forced_drops = ForcedDrops::count(forced_drops);
            match &self.external {
                None => flow::record(name, source, sink, forced_drops, simulated, warmup),
                Some(external) => {
                    let lost = (sink.damaged_frames, source.damaged_frames, forced_drops);
                    external.observed[number].record(name, lost, simulated, warmup)
                }
            }
        };
        let records = self.flows.iter().zip(ends).enumerate().map(record).zip(self.abr.records(now));
        let records = records.map(|(record, abr)| FlowRecord { abr, ..record }).enumerate();
        records.map(|(flow, record)| self.two_way.complete(flow, record)).collect()
    }

    /// The records of the sources of datagrams, `simulated` after the start; what packet ports and links lost is not known here.
    pub fn udp_records(&self, simulated: Span) -> Vec<UdpRecord> {
        let record = |(number, (name, source, arrivals)): (usize, &(String, Cbr, Arrivals))| {
            let mut record = arrivals.record(name, source, self.lost_datagrams.count(number), simulated);
            if let Some(external) = &self.external {
                record.counts.sent = external.datagrams_sent[number];
            }
            record
        };
        self.udp.iter().enumerate().map(record).collect()
    }

    /// The records of all switch ports at `now`.
    pub fn port_records(&self, now: Time) -> Vec<PortRecord> {
        let record = |(id, link): (LinkId, &Link)| {
            let monitor = match &link.output {
                Output::Nic(..) | Output::Scheduler(_) => return None,
                Output::PassThrough(monitor) => monitor,
                Output::Cells(port) => &port.monitor,
                Output::Packets(port) => &port.monitor,
            };
            let names = self.names(link);
            let rates = match &link.output {
                Output::Cells(port) => port.rates.as_ref().and_then(|rates| rates.record(now)),
                Output::Nic(..) | Output::Scheduler(_) | Output::PassThrough(_) | Output::Packets(_) => None,
            };
            let feedback = self.edges.record(id).map(|edge| {
                let allocation = match &link.output {
                    Output::Packets(port) => port.rates().and_then(PacketRates::allocation),
                    Output::Cells(port) => port.rates.as_ref().and_then(|rates| rates.allocation_bps(now)),
                    Output::Nic(..) | Output::Scheduler(_) | Output::PassThrough(_) => None,
                };
                EdgeRecord { allocation, ..edge }
            });
            Some(PortRecord { rates, feedback, ..monitor.record(now, &link.name, names.into_iter()) })
        };
        self.links.iter_ids().filter_map(record).collect()
    }

    /// The records at `now` of all links that change or corrupt packets.
    pub fn link_records(&self, now: Time) -> Vec<LinkRecord> {
        let record = |link: &Link| Some(link.changing()?.record(now, &link.name, self.names(link).into_iter()));
        self.links.iter().filter_map(record).collect()
    }

    /// What was recorded over time up to `now`, and what was captured.
    pub fn recorded(&self, recorder: &Recorder, now: Time) -> Recorded {
        self.recorded_with(self.traces.clone(), recorder, now)
    }

    /// What was recorded, at the end of the run: the records of hosts are moved out.
    pub fn take_recorded(&mut self, recorder: &Recorder, now: Time) -> Recorded {
        let hosts = self.traces.take();
        self.recorded_with(hosts, recorder, now)
    }

    fn recorded_with(&self, hosts: Option<Box<HostTraces>>, recorder: &Recorder, now: Time) -> Recorded {
        let of_port = |link: &'_ Link| {
            let monitor = match &link.output {
                Output::Nic(..) | Output::Scheduler(_) | Output::PassThrough(_) => return None,
                Output::Cells(port) => &port.monitor,
                Output::Packets(port) => &port.monitor,
            };
            Some(monitor.trace.as_deref()?.clone())
        };
        let ports: Vec<PortRecording<'_>> = self
            .links
            .iter_ids()
            .filter_map(|(id, link)| {
                let trace = of_port(link)?;
                Some(PortRecording { link: id, name: &link.name, crossing: &link.crossing, trace })
            })
            .collect();
        let of_link = |link: &'_ Link| link.changing().map(|changing| changing.losses.before(now).copied().collect());
        let links: Vec<LinkRecording<'_>> = self
            .links
            .iter_ids()
            .filter_map(|(id, link)| {
                let (name, crossing) = (link.name.as_str(), &link.crossing[..]);
                Some(LinkRecording { link: id, name, crossing, lost: of_link(link)? })
            })
            .collect();
        let mut recorded = recorder.recorded(hosts, ports, &links, &self.rates_recorded(now), now);
        self.two_way.write_numbers(&mut recorded.captures);
        recorded
    }

    /// What ABR connections and the ports that tell them rates recorded.
    fn rates_recorded(&self, now: Time) -> RatesRecording {
        let allocation = |link: &Link| match &link.output {
            Output::Cells(port) => Some((link.name.clone(), port.rates.as_ref()?.allocations(now)?)),
            Output::Packets(port) => Some((link.name.clone(), port.rates()?.allocations()?)),
            Output::Nic(..) | Output::Scheduler(_) | Output::PassThrough(_) => None,
        };
        let allocations = self.links.iter().filter_map(allocation).collect();
        RatesRecording::new(&self.abr, allocations, now)
    }

    /// The names of the connections that cross a link.
    fn names(&self, link: &Link) -> Vec<Arc<str>> {
        let name = |&vc: &VcId| {
            let (flow, end) = end_of(vc);
            match self.flows.get(flow) {
                Some(of) => match self.two_way.back_on(flow).filter(|_| end == End::Sender) {
                    Some(back) => self.flows[back].name.as_str().into(),
                    None => flow::vc_name(&of.name, end).into(),
                },
                None => flow::vc_name(&self.udp[flow - self.flows.len()].0, end).into(),
            }
        };
        link.crossing.iter().map(name).collect()
    }
}
