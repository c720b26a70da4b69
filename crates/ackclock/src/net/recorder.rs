//! What is recorded while a run goes on, alike in both engines, and how it becomes records.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{End, ack_vc, data_vc, end_of, vc_name};
use super::path_delays::path_delays;
use crate::ids::{LinkId, VcId};
use crate::packet::Segment;
use crate::record::trace::{DeliveryTrace, PortTrace, Refused, SenderTrace, TransitTrace};
use crate::record::{
    Capture, Captured, Columns, DatagramDelays, FlowDelays, Histogram, Loss, Metric, MetricSet, Series, Subject,
};
use crate::scenario::{self, Route, Scenario};
use crate::tcp::{Receiver, Sender};
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
    /// Of each flow the delay of its way over the whole run; empty if that is not asked for.
    delays: Vec<Vec<(Time, f64)>>,
    /// For each flow and source of datagrams the captured hosts at which it is sent and received; empty if there are none.
    captured: Vec<CapturedEnds>,
    /// The end of the warm-up, if it is recorded how often each delay occurs after it.
    delays_since: Option<Time>,
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
    pub datagrams: Vec<DatagramDelays>,
    /// How long units waited at ports where anything can, by the names of the ports.
    pub ports: BTreeMap<String, Histogram>,
}

/// The captured hosts of the sender and of the receiver of a flow, or of datagrams.
#[derive(Clone, Copy, Debug)]
struct CapturedEnds {
    sender: Option<u32>,
    receiver: Option<u32>,
}

/// The recorders of all hosts.
#[derive(Clone, Debug)]
pub(super) struct HostTraces {
    /// By flow; empty if nothing of senders is asked for.
    senders: Vec<SenderTrace>,
    watched: Watched,
    /// By flow; empty if nothing of receivers is asked for.
    receivers: Vec<DeliveryTrace>,
    captured: Vec<CapturedEnds>,
    /// What passed each captured host, as it came.
    packets: Vec<Vec<Captured>>,
    /// Frames of captured senders that ended a damaged frame at the receiver.
    damaged: BTreeSet<(VcId, u32)>,
    /// By flow, and then by source of datagrams; empty if the delays of their data are not recorded.
    transits: Vec<TransitTrace>,
    /// How many of these are flows.
    flows: usize,
}

/// Of what the recorders of hosts want to be told. Who asks this first does nothing else where it is not wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    /// Windows, and whatever else an event may change at a sender.
    pub(super) windows: bool,
    /// More of a sender than its window, whenever an event may change that.
    pub(super) states: bool,
    /// Each segment that is handed down, and each acknowledgement.
    pub(super) segments: bool,
    /// What receivers deliver.
    pub(super) deliveries: bool,
    /// Each packet that is handed down, begins to be transmitted, or arrives.
    pub(super) packets: bool,
}

/// What a port recorded.
pub(super) struct PortRecording<'a> {
    pub(super) link: LinkId,
    pub(super) name: &'a str,
    /// The connections that cross it, by their numbers there.
    pub(super) crossing: &'a [VcId],
    pub(super) trace: PortTrace,
}

/// What a link lost.
pub(super) struct LinkRecording<'a> {
    pub(super) link: LinkId,
    pub(super) name: &'a str,
    /// The connections that cross it, by their numbers there.
    pub(super) crossing: &'a [VcId],
    pub(super) lost: Vec<Refused>,
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
        let routes = of_flows.chain(scenario.datagrams.iter().map(|source| &source.route));
        Some(Box::new(Recorder {
            metrics: *metrics,
            interval: *interval,
            names: flow_names(scenario).map(str::to_owned).collect(),
            flows: scenario.flows.len(),
            delays: if metrics.contains(Metric::Delay) { path_delays(scenario) } else { Vec::new() },
            hosts: captures.iter().map(|&host| scenario.nodes[host].name.clone()).collect(),
            captured: if captures.is_empty() { Vec::new() } else { routes.map(ends).collect() },
            delays_since: delays.then(|| Time::ZERO + scenario.warmup),
        }))
    }

    /// The recorders of the hosts.
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
                captured: self.captured.clone(),
                packets: vec![Vec::new(); self.hosts.len()],
                damaged: BTreeSet::new(),
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

    /// Whether it is recorded how long data take from end to end, or what becomes of each.
    fn records_transits(&self) -> bool {
        self.delays_since.is_some() || TransitTrace::is_wanted(self.metrics)
    }

    /// Whether packets have to be told from each other: for what was lost, and for how long they were under way.
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
        hosts: Option<Box<HostTraces>>,
        ports: &[PortRecording<'_>],
        links: &[LinkRecording<'_>],
        end: Time,
    ) -> Recorded {
        let (mut flows, mut datagrams) = (Vec::new(), Vec::new());
        for (number, transit) in hosts.iter().flat_map(|hosts| &hosts.transits).enumerate() {
            let Some(one_way) = transit.one_way().cloned() else { break };
            if let Some(jitter) = transit.jitter().cloned() {
                datagrams.push(DatagramDelays { one_way, jitter });
            } else {
                let sender = hosts.as_ref().and_then(|hosts| hosts.senders.get(number));
                let round_trip = sender.and_then(SenderTrace::round_trips).cloned().unwrap_or_default();
                flows.push(FlowDelays { one_way, round_trip });
            }
        }
        let sojourn = |port: &PortRecording<'_>| Some((port.name.to_owned(), port.trace.sojourn()?.clone()));
        // Captures look up what series take out.
        let captures = self.captures(hosts.as_deref(), ports, links);
        let series = self.series(hosts, ports, links, end);
        Recorded { series, captures, flows, datagrams, ports: ports.iter().filter_map(sojourn).collect() }
    }

    fn series(
        &self,
        mut hosts: Option<Box<HostTraces>>,
        ports: &[PortRecording<'_>],
        links: &[LinkRecording<'_>],
        end: Time,
    ) -> Vec<Series> {
        let mut all = Vec::new();
        for metric in self.metrics.iter() {
            if metric == Metric::Delay {
                let series = |(delays, name): (&Vec<(Time, f64)>, &String)| {
                    let (time, value) = delays.iter().take_while(|&&(time, _)| time < end).copied().unzip();
                    Series { metric, of: name.clone(), vc: None, columns: Columns::Points { time, value } }
                };
                all.extend(self.delays.iter().zip(&self.names).map(series));
            } else if matches!(metric, Metric::OneWayDelay | Metric::Jitter | Metric::Loss) {
                let lost = if metric == Metric::Loss { self.lost_datagrams(ports, links) } else { BTreeMap::new() };
                for (number, name) in self.names.iter().enumerate() {
                    let transit = hosts.as_mut().and_then(|hosts| hosts.transits.get_mut(number));
                    let lost = lost.get(&number).map_or(&[][..], Vec::as_slice);
                    let columns = transit.and_then(|transit| transit.take(metric, lost, end));
                    all.extend(columns.map(|columns| Series { metric, of: name.clone(), vc: None, columns }));
                }
            } else if metric.subject() == Subject::Flow {
                for (flow, name) in self.names[..self.flows].iter().enumerate() {
                    let columns = hosts.as_mut().and_then(|hosts| hosts.take(metric, flow, end));
                    all.extend(columns.map(|columns| Series { metric, of: name.clone(), vc: None, columns }));
                }
            } else if metric == Metric::Drops {
                all.extend(self.drops(ports, links));
            } else {
                for port in ports {
                    all.extend(port.trace.series(metric, end, port.name, &self.names(port.crossing)));
                }
            }
        }
        all
    }

    /// The numbers of the datagrams of each source that are lost; sources are numbered after the flows.
    fn lost_datagrams(&self, ports: &[PortRecording<'_>], links: &[LinkRecording<'_>]) -> BTreeMap<usize, Vec<u32>> {
        let mut lost: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut add = |crossing: &[VcId], refused: &Refused| {
            let (source, _) = end_of(crossing[refused.vc as usize]);
            if source >= self.flows {
                lost.entry(source).or_default().push(refused.frame);
            }
        };
        ports.iter().for_each(|port| port.trace.all_refused().iter().for_each(|refused| add(port.crossing, refused)));
        links.iter().for_each(|link| link.lost.iter().for_each(|refused| add(link.crossing, refused)));
        lost
    }

    /// What ports refused and what their links lost, in the order of the scenario.
    fn drops(&self, ports: &[PortRecording<'_>], links: &[LinkRecording<'_>]) -> Vec<Series> {
        let mut all: BTreeMap<LinkId, (&str, &[VcId], Vec<Refused>)> = BTreeMap::new();
        for &PortRecording { link, name, crossing, ref trace } in ports {
            all.insert(link, (name, crossing, trace.all_refused().to_vec()));
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
        hosts: Option<&HostTraces>,
        ports: &[PortRecording<'_>],
        links: &[LinkRecording<'_>],
    ) -> Vec<Capture> {
        let losses = losses(ports, links);
        let of_host = |(number, host): (usize, &String)| {
            let mut packets: Vec<Captured> = hosts.map_or(Vec::new(), |hosts| hosts.packets[number].clone());
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
            packet.lost = losses.get(&(vc, packet.frame)).cloned();
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
            vc_name(&self.names[flow], end)
        };
        crossing.iter().map(name).collect()
    }
}

/// The names of the flows of a scenario, and then of its sources of datagrams, in the order of their connections.
pub(super) fn flow_names(scenario: &Scenario) -> impl Iterator<Item = &str> {
    let of_flows = scenario.flows.iter().map(|flow| flow.name.as_str());
    of_flows.chain(scenario.datagrams.iter().map(|source| source.name.as_str()))
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

impl HostTraces {
    /// The sender of a flow has seen an acknowledgement, and has not answered yet.
    #[inline]
    pub(super) fn acked(&mut self, now: Time, flow: usize, sender: &Sender) {
        if self.watched.segments {
            let trace = &mut self.senders[flow];
            match sender.sample_by_timestamps() {
                None => trace.acked(now, sender.flight().una),
                Some(Some(rtt)) => trace.sampled(now, rtt),
                Some(None) => {}
            }
        }
    }

    /// The sender of a flow hands down the segment of these bytes.
    #[inline]
    pub(super) fn sent(&mut self, now: Time, flow: usize, sender: &Sender, seq: u64, len: u32) {
        // Neither SYN nor answers to the receiver's are data.
        if self.watched.segments && len > 0 {
            self.senders[flow].sent(now, seq, seq + u64::from(len), sender.timed());
        }
    }

    /// The sender of a flow has done all that an event made it do.
    pub(super) fn settled(&mut self, now: Time, flow: usize, sender: &Sender) {
        let Some(trace) = self.of_windows(flow) else { return };
        if trace.wants_state() {
            return told_in_full(trace, now, sender);
        }
        trace.window(now, sender.window().cwnd);
    }

    /// The recorder of a flow's sender, if it wants to be told when an event is over.
    #[inline]
    pub(super) fn of_windows(&mut self, flow: usize) -> Option<&mut SenderTrace> {
        self.senders.get_mut(flow).filter(|_| self.watched.windows)
    }

    /// Of what it wants to be told.
    pub(super) fn watched(&self) -> Watched {
        self.watched
    }

    /// The receiver of a flow has taken a segment.
    pub(super) fn delivered(&mut self, now: Time, flow: usize, receiver: &Receiver) {
        if let Some(trace) = self.receivers.get_mut(flow) {
            trace.delivered(now, receiver.delivered());
        }
    }

    /// A flow or a source of datagrams hands a packet of data down.
    pub(super) fn handed_down(&mut self, now: Time, flow: usize) {
        if let Some(transit) = self.transits.get_mut(flow) {
            transit.handed_down(now);
        }
    }

    /// A timeout takes back the segments of a flow that wait in the host.
    pub(super) fn taken_back(&mut self, flow: usize) {
        if let Some(transit) = self.transits.get_mut(flow) {
            transit.taken_back();
        }
    }

    /// The recorder of the data on this connection.
    fn transit(&mut self, vc: VcId) -> Option<&mut TransitTrace> {
        let (flow, end) = end_of(vc);
        self.transits.get_mut(flow).filter(|_| end == End::Receiver)
    }

    /// A host begins to transmit a frame; or it would, and the scenario loses it.
    pub(super) fn departs(&mut self, now: Time, vc: VcId, frame: u32, segment: &Segment, forced: bool) {
        if let Some(transit) = self.transit(vc) {
            transit.departs(frame, forced);
        }
        let lost = forced.then_some(Loss { time: now, port: None, reason: None, by_frame_before: false });
        self.capture(now, vc, true, frame, segment, lost);
    }

    /// A frame has arrived whole at the end of its connection.
    pub(super) fn arrives(&mut self, now: Time, vc: VcId, frame: u32, segment: &Segment) {
        let is_datagram = end_of(vc).0 >= self.flows;
        if let Some(transit) = self.transit(vc) {
            transit.arrives(now, frame, is_datagram || segment.payload() > 0);
        }
        self.capture(now, vc, false, frame, segment, None);
    }

    /// A frame has reached the end of its connection, or what is left of it; it, and what came in one piece with it, is
    /// of no use.
    pub(super) fn damaged(&mut self, vc: VcId, frame: u32) {
        let (flow, end) = end_of(vc);
        if let Some(transit) = self.transit(vc) {
            transit.damaged(frame);
        }
        let captured_at_origin = self.captured.get(flow).and_then(|captured| match end {
            End::Receiver => captured.sender,
            End::Sender => captured.receiver,
        });
        if captured_at_origin.is_some() {
            self.damaged.insert((vc, frame));
        }
    }

    fn capture(&mut self, time: Time, vc: VcId, sent: bool, frame: u32, segment: &Segment, lost: Option<Loss>) {
        let (flow, end) = end_of(vc);
        let data = end == End::Receiver;
        let Some(captured) = self.captured.get(flow) else { return };
        // Data leave the sender's host and reach the receiver's, acknowledgements the other way round.
        let host = if data == sent { captured.sender } else { captured.receiver };
        if let Some(host) = host {
            let (flow, segment) = (flow as u32, *segment);
            self.packets[host as usize].push(Captured { time, flow, data, sent, frame, segment, cwnd: None, lost });
        }
    }

    /// Takes the record of one metric of one flow out.
    fn take(&mut self, metric: Metric, flow: usize, end: Time) -> Option<Columns> {
        match metric {
            Metric::Throughput => self.receivers.get(flow).map(|trace| trace.columns(end)),
            _ => self.senders.get_mut(flow).map(|trace| trace.take(metric)),
        }
    }
}

/// Apart, so that where windows only are recorded there is nothing to save and restore.
#[inline(never)]
fn told_in_full(trace: &mut SenderTrace, now: Time, sender: &Sender) {
    let window = sender.window();
    trace.state(now, window.cwnd, window.ssthresh, sender.flight().una, || sender.timer_state());
}
