//! What is recorded while a run goes on, alike in both engines, and how it becomes records.

use std::collections::{BTreeMap, BTreeSet};

use super::abr::{AbrConnections, AbrTraces, CountTrace, RateTrace};
use super::flow::{End, ack_vc, backs, data_vc, duplicates, end_of, vc_name};
use super::host_traces::{CapturedEnds, HostTraces, Watched};
use super::path_delays::path_delays;
use crate::ids::{LinkId, VcId};
use crate::record::trace::{DeliveryTrace, PortTrace, Refused, SenderTrace, TransitTrace};
use crate::record::{
    Capture, Captured, Columns, FlowDelays, Histogram, Loss, Metric, MetricSet, Series, Subject, UdpDelays,
};
use crate::scenario::{self, Route, Scenario};
use crate::units::{Span, Time};

/// What a scenario asks to record, with the names that records need.
pub struct Recorder {
    metrics: MetricSet,
    interval: Span,
    /// The names of the flows, and then of the sources of datagrams.
    names: Vec<String>,
    flows: usize,
    /// The names of the hosts that are captured at.
    hosts: Vec<String>,
    /// Of each flow the delay of its path over the whole run; empty if that is not asked for.
    delays: Vec<Vec<(Time, f64)>>,
    /// For each flow and source of datagrams the captured hosts at which it is sent and received; empty if there are none.
    captured: Vec<CapturedEnds>,
    /// The end of the warm-up, if it is recorded how often each delay occurs after it.
    delays_since: Option<Time>,
    /// Whether packets may come twice.
    duplicates: bool,
    /// By the flow on whose connection they come, the flows that are the other direction of one.
    backs: BTreeMap<usize, usize>,
}

/// What was recorded of a run.
#[derive(Default)]
pub struct Recorded {
    /// Over time.
    pub series: Vec<Series>,
    /// What passed the captured hosts.
    pub captures: Vec<Capture>,
    /// By flow; empty if that is not recorded, as are the next two.
    pub flows: Vec<FlowDelays>,
    /// By source of datagrams.
    pub udp: Vec<UdpDelays>,
    /// How long units waited at ports where anything can, by the names of the ports.
    pub ports: BTreeMap<String, Histogram>,
}

pub(super) struct PortRecording<'a> {
    pub(super) link: LinkId,
    pub(super) name: &'a str,
    /// The connections that cross it, by their numbers there.
    pub(super) crossing: &'a [VcId],
    pub(super) trace: PortTrace,
}

pub(super) struct LinkRecording<'a> {
    pub(super) link: LinkId,
    pub(super) name: &'a str,
    /// The connections that cross it, by their numbers there.
    pub(super) crossing: &'a [VcId],
    pub(super) lost: Vec<Refused>,
}

/// What ABR connections and the ports that tell them rates recorded.
pub(super) struct RatesRecording {
    /// Of each flow, if it is one of ABR.
    flows: Vec<Option<AbrTraces>>,
    /// The max-min share of each flow, cells per second.
    shares: Vec<Option<f64>>,
    /// What each port offered, with its name.
    allocations: Vec<(String, RateTrace)>,
}

impl RatesRecording {
    /// What was recorded until `now`; `allocations` is what each port offered, with its name.
    pub(super) fn new(
        connections: &AbrConnections,
        allocations: Vec<(String, RateTrace)>,
        now: Time,
    ) -> RatesRecording {
        let flows = connections.traces().map(|traces| traces.cloned()).collect();
        let shares = connections.records(now).map(|abr| Some(abr?.max_min_share)).collect();
        RatesRecording { flows, shares, allocations }
    }

    /// With the data cells of each flow that arrived with EFCI.
    pub(super) fn with_efci(mut self, efci: impl Iterator<Item = Option<CountTrace>>) -> RatesRecording {
        self.flows.iter_mut().zip(efci).for_each(|(traces, efci)| {
            if let Some(traces) = traces {
                traces.efci = efci;
            }
        });
        self
    }

    /// Whether it is here that a metric is recorded.
    fn has(metric: Metric) -> bool {
        let of_flows = [Metric::Acr, Metric::MaxMinShare, Metric::ExplicitRate, Metric::Ci, Metric::Efci];
        of_flows.contains(&metric) || metric == Metric::Allocation
    }

    /// A metric up to `end`: whose it is, and what.
    fn series(&self, metric: Metric, names: &[String], end: Time) -> Vec<Series> {
        let series = |of: &String, columns| Series { metric, of: of.clone(), vc: None, columns };
        let of_flows = |columns: &dyn Fn(&AbrTraces) -> Option<Columns>| {
            let all = names.iter().zip(&self.flows);
            all.filter_map(|(name, traces)| Some(series(name, columns(traces.as_ref()?)?))).collect()
        };
        match metric {
            Metric::Acr => of_flows(&|traces| Some(traces.acr.as_ref()?.columns(end))),
            Metric::ExplicitRate => of_flows(&|traces| Some(traces.er.as_ref()?.columns(end))),
            Metric::Ci => of_flows(&|traces| Some(traces.ci.as_ref()?.columns(end))),
            Metric::Efci => of_flows(&|traces| Some(traces.efci.as_ref()?.columns(end))),
            Metric::MaxMinShare => {
                let of = |(name, share): (&String, &Option<f64>)| {
                    let mut constant = RateTrace::default();
                    constant.change(Time::ZERO, (*share)?);
                    Some(series(name, constant.columns(end)))
                };
                names.iter().zip(&self.shares).filter_map(of).collect()
            }
            _ => self.allocations.iter().map(|(name, trace)| series(name, trace.columns(end))).collect(),
        }
    }
}

impl Recorder {
    /// What is to be recorded; `None` if it is nothing.
    pub fn new(scenario: &Scenario) -> Option<Box<Recorder>> {
        let scenario::Recording { metrics, interval, captures, delays } = &scenario.recording;
        if metrics.is_empty() && captures.is_empty() && !delays {
            return None;
        }
        let captured = |node| captures.iter().position(|&host| host == node).map(|number| number as u32);
        let ends = |route: &Route| CapturedEnds {
            sender: captured(scenario.links[route.first()].from),
            receiver: captured(route.destination(&scenario.links)),
        };
        let of_flows = scenario.flows.iter().map(|flow| &flow.forward);
        let routes = of_flows.chain(scenario.udp.iter().map(|source| &source.route));
        Some(Box::new(Recorder {
            metrics: *metrics,
            interval: *interval,
            names: flow_names(scenario).map(str::to_owned).collect(),
            flows: scenario.flows.len(),
            delays: if metrics.contains(Metric::Delay) { path_delays(scenario) } else { Vec::new() },
            hosts: captures.iter().map(|&host| scenario.nodes[host].name.clone()).collect(),
            captured: if captures.is_empty() { Vec::new() } else { routes.map(ends).collect() },
            delays_since: delays.then(|| Time::ZERO + scenario.warmup),
            duplicates: duplicates(scenario),
            backs: backs(scenario),
        }))
    }

    pub(super) fn hosts(&self) -> Option<Box<HostTraces>> {
        // A capture says how large the window was.
        let windows = (!self.hosts.is_empty()).then_some(Metric::Cwnd);
        let of_senders: MetricSet = self.metrics.iter().chain(windows).collect();
        let sender = |_: usize| SenderTrace::new(of_senders, self.delays_since).map(|trace| *trace);
        let receiver = |_: usize| DeliveryTrace::new(self.metrics, self.interval).map(|trace| *trace);
        let senders: Vec<SenderTrace> = (0..self.flows).filter_map(sender).collect();
        let receivers: Vec<DeliveryTrace> = (0..self.flows).filter_map(receiver).collect();
        let transit = |number| TransitTrace::new(self.delays_since, self.metrics, self.interval, number >= self.flows);
        let count = if self.records_transits() { self.names.len() } else { 0 };
        let transits: Vec<TransitTrace> = (0..count).map(transit).collect();
        let watched = Watched {
            windows: senders.iter().any(SenderTrace::wants_events),
            segments: senders.iter().any(SenderTrace::wants_segments),
            states: senders.iter().any(SenderTrace::wants_state),
            deliveries: !receivers.is_empty(),
            packets: !self.captured.is_empty() || !transits.is_empty(),
        };
        let wanted = !senders.is_empty() || watched.deliveries || watched.packets;
        wanted.then(|| {
            Box::new(HostTraces {
                watched,
                senders,
                receivers,
                backs: self.backs.clone(),
                captured: self.captured.clone(),
                packets: vec![Vec::new(); self.hosts.len()],
                damaged: BTreeSet::new(),
                arrived: (self.duplicates && !self.hosts.is_empty()).then(BTreeSet::new),
                transits,
                flows: self.flows,
            })
        })
    }

    /// Whether each loss is recorded, and it matters which frame of its connection a unit belongs to: for drops, and for
    /// captures.
    pub(super) fn records_losses(&self) -> bool {
        self.metrics.contains(Metric::Drops) || self.metrics.contains(Metric::Loss) || !self.hosts.is_empty()
    }

    /// Whether it is recorded how long data take from end to end, or what happens to each packet.
    fn records_transits(&self) -> bool {
        self.delays_since.is_some() || TransitTrace::is_wanted(self.metrics)
    }

    /// Whether packets need numbers: for what was lost, and for how long they were under way.
    pub(super) fn numbers_packets(&self) -> bool {
        self.records_losses() || self.records_transits()
    }

    /// The recorder of a port that `vcs` connections cross.
    pub(super) fn port(&self, vcs: usize) -> Option<Box<PortTrace>> {
        // A capture says where a packet was lost.
        let losses = self.records_losses().then_some(Metric::Drops);
        PortTrace::new(self.metrics.iter().chain(losses).collect(), self.interval, vcs, self.delays_since)
    }

    /// Everything over time, up to `end`, what passed the captured hosts, and how often each delay occurred.
    pub(super) fn recorded(
        &self,
        mut hosts: Option<Box<HostTraces>>,
        ports: Vec<PortRecording<'_>>,
        links: &[LinkRecording<'_>],
        rates: &RatesRecording,
        end: Time,
    ) -> Recorded {
        let (mut flows, mut udp) = (Vec::new(), Vec::new());
        for (number, transit) in hosts.iter().flat_map(|hosts| &hosts.transits).enumerate() {
            let Some(one_way) = transit.one_way().cloned() else { break };
            if let Some(jitter) = transit.jitter().cloned() {
                udp.push(UdpDelays { one_way, jitter });
            } else {
                let sender = hosts.as_ref().and_then(|hosts| hosts.senders.get(number));
                let round_trip = sender.and_then(SenderTrace::round_trips).cloned().unwrap_or_default();
                flows.push(FlowDelays { one_way, round_trip });
            }
        }
        let sojourn = |port: &PortRecording<'_>| Some((port.name.to_owned(), port.trace.sojourn()?.clone()));
        // Captures look up what series take out.
        let captures = self.captures(hosts.as_deref_mut(), &ports, links);
        let sojourns = ports.iter().filter_map(sojourn).collect();
        let series = self.series(hosts, ports, links, rates, end);
        Recorded { series, captures, flows, udp, ports: sojourns }
    }

    fn series(
        &self,
        mut hosts: Option<Box<HostTraces>>,
        mut ports: Vec<PortRecording<'_>>,
        links: &[LinkRecording<'_>],
        rates: &RatesRecording,
        end: Time,
    ) -> Vec<Series> {
        let lost = if self.metrics.contains(Metric::Loss) { self.lost_udp(&ports, links) } else { BTreeMap::new() };
        let mut all = Vec::new();
        for metric in self.metrics.iter() {
            if metric == Metric::Delay {
                let series = |(delays, name): (&Vec<(Time, f64)>, &String)| {
                    let (time, value) = delays.iter().take_while(|&&(time, _)| time < end).copied().unzip();
                    Series { metric, of: name.clone(), vc: None, columns: Columns::Points { time, value } }
                };
                all.extend(self.delays.iter().zip(&self.names).map(series));
            } else if RatesRecording::has(metric) {
                all.extend(rates.series(metric, &self.names[..self.flows], end));
            } else if matches!(metric, Metric::OneWayDelay | Metric::Jitter | Metric::Loss) {
                for (number, name) in self.names.iter().enumerate() {
                    let transit = hosts.as_mut().and_then(|hosts| hosts.transits.get_mut(number));
                    let none = BTreeSet::new();
                    let lost = lost.get(&number).unwrap_or(&none);
                    let columns = transit.and_then(|transit| transit.take(metric, lost, end));
                    all.extend(columns.map(|columns| Series { metric, of: name.clone(), vc: None, columns }));
                }
            } else if metric.subject() == Subject::Flow {
                for (flow, name) in self.names[..self.flows].iter().enumerate() {
                    let columns = hosts.as_mut().and_then(|hosts| hosts.take(metric, flow, end));
                    all.extend(columns.map(|columns| Series { metric, of: name.clone(), vc: None, columns }));
                }
            } else if metric == Metric::Drops {
                all.extend(self.drops(&mut ports, links));
            } else {
                for port in &mut ports {
                    all.extend(port.trace.take(metric, end, port.name, &self.names(port.crossing)));
                }
            }
        }
        all
    }

    /// The numbers of the datagrams of each source that are lost; sources are numbered after the flows.
    fn lost_udp(&self, ports: &[PortRecording<'_>], links: &[LinkRecording<'_>]) -> BTreeMap<usize, BTreeSet<u32>> {
        let mut lost: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        let mut add = |crossing: &[VcId], refused: &Refused| {
            let (source, _) = end_of(crossing[refused.vc as usize]);
            if source >= self.flows {
                // In cells a datagram may be refused several times.
                lost.entry(source).or_default().insert(refused.frame);
            }
        };
        ports.iter().for_each(|port| port.trace.all_refused().iter().for_each(|refused| add(port.crossing, refused)));
        links.iter().for_each(|link| link.lost.iter().for_each(|refused| add(link.crossing, refused)));
        lost
    }

    /// What ports refused and what their links lost, in the order of the scenario.
    fn drops(&self, ports: &mut [PortRecording<'_>], links: &[LinkRecording<'_>]) -> Vec<Series> {
        let mut all: BTreeMap<LinkId, (&str, &[VcId], Vec<Refused>)> = BTreeMap::new();
        for PortRecording { link, name, crossing, trace } in ports {
            all.insert(*link, (*name, *crossing, trace.take_refused()));
        }
        for &LinkRecording { link, name, crossing, ref lost } in links {
            // They are known in another order.
            let mut lost = lost.clone();
            lost.sort_by_key(|lost| (lost.time, lost.vc, lost.frame));
            all.entry(link).or_insert((name, crossing, Vec::new())).2.extend(lost);
        }
        let series = |(name, crossing, mut drops): (&str, &[VcId], Vec<Refused>)| {
            // At one instant what the port refused comes first.
            drops.sort_by_key(|drop| drop.time);
            let columns = drop_columns(&drops, self.names(crossing));
            Series { metric: Metric::Drops, of: name.to_owned(), vc: None, columns }
        };
        all.into_values().map(series).collect()
    }

    fn captures(
        &self,
        mut hosts: Option<&mut HostTraces>,
        ports: &[PortRecording<'_>],
        links: &[LinkRecording<'_>],
    ) -> Vec<Capture> {
        let losses = losses(ports, links);
        let mut packets = hosts.as_mut().map_or(Vec::new(), |hosts| std::mem::take(&mut hosts.packets));
        let hosts = hosts.as_deref();
        let of_host = |(number, host): (usize, &String)| {
            let mut packets: Vec<Captured> = packets.get_mut(number).map(std::mem::take).unwrap_or_default();
            for packet in packets.iter_mut() {
                self.complete(packet, number as u32, hosts, &losses);
            }
            // At one instant what arrives comes first: it may be the cause of what is sent.
            packets.sort_by_key(|packet| (packet.time, packet.sent, packet.flow, !packet.data, packet.frame));
            Capture { host: host.clone(), packets }
        };
        self.hosts.iter().enumerate().map(of_host).collect()
    }

    /// Adds what is known only afterwards.
    fn complete(
        &self,
        packet: &mut Captured,
        host: u32,
        hosts: Option<&HostTraces>,
        losses: &BTreeMap<(VcId, u32), Loss>,
    ) {
        let flow = packet.flow as usize;
        if self.captured[flow].sender == Some(host) {
            packet.cwnd = hosts.and_then(|hosts| hosts.senders.get(flow)?.cwnd_at(packet.time));
        }
        if packet.sent && packet.lost.is_none() {
            let vc = if packet.data { data_vc(flow) } else { ack_vc(flow) };
            let arrived = hosts.and_then(|hosts| hosts.arrived.as_ref());
            let has_arrived = arrived.is_some_and(|arrived| arrived.contains(&(vc, packet.frame)));
            packet.lost = losses.get(&(vc, packet.frame)).filter(|_| !has_arrived).cloned();
            if packet.lost.is_none() && hosts.is_some_and(|hosts| hosts.damaged.contains(&(vc, packet.frame))) {
                // AAL5: a lost end mark ruins its frame and the next, of which every cell may have arrived. So the end
                // mark of the frame before is what was refused.
                let before = packet.frame.checked_sub(1).and_then(|before| losses.get(&(vc, before)));
                packet.lost = before.map(|loss| Loss { by_frame_before: true, ..loss.clone() });
            }
        }
    }

    fn names(&self, crossing: &[VcId]) -> Vec<String> {
        let name = |&vc: &VcId| {
            let (flow, end) = end_of(vc);
            match self.backs.get(&flow).filter(|_| end == End::Sender) {
                Some(&back) => self.names[back].clone(),
                None => vc_name(&self.names[flow], end).into_owned(),
            }
        };
        crossing.iter().map(name).collect()
    }
}

/// The names of the flows of a scenario, and then of its sources of datagrams, in the order of their connections.
pub(super) fn flow_names(scenario: &Scenario) -> impl Iterator<Item = &str> {
    let of_flows = scenario.flows.iter().map(|flow| flow.name.as_str());
    of_flows.chain(scenario.udp.iter().map(|source| source.name.as_str()))
}

fn drop_columns(drops: &[Refused], names: Vec<String>) -> Columns {
    Columns::Drops {
        time: drops.iter().map(|drop| drop.time).collect(),
        vc: drops.iter().map(|drop| drop.vc).collect(),
        frame: drops.iter().map(|drop| drop.frame).collect(),
        reason: drops.iter().map(|drop| drop.reason).collect(),
        names,
    }
}

/// For each frame of which something was lost at a port or on a link, where that was first.
fn losses(ports: &[PortRecording<'_>], links: &[LinkRecording<'_>]) -> BTreeMap<(VcId, u32), Loss> {
    let mut losses: BTreeMap<(VcId, u32), Loss> = BTreeMap::new();
    let mut add = |name: &str, crossing: &[VcId], refused: &Refused| {
        let loss = Loss {
            time: refused.time,
            port: Some(name.to_owned()),
            reason: Some(refused.reason),
            by_frame_before: false,
        };
        let known = losses.entry((crossing[refused.vc as usize], refused.frame)).or_insert(loss.clone());
        if loss.time < known.time {
            *known = loss;
        }
    };
    for port in ports {
        port.trace.all_refused().iter().for_each(|refused| add(port.name, port.crossing, refused));
    }
    for link in links {
        link.lost.iter().for_each(|lost| add(link.name, link.crossing, lost));
    }
    losses
}
