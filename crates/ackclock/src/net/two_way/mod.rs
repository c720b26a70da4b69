//! Connections with data in both directions. Such a connection is two flows that share it: one sends from client to server, the other
//! back. Each has its sender and its receiver; what a host sends on the connection, data of one flow and acknowledgements of the
//! other, takes one path, and a segment of data carries the acknowledgement that is due (RFC 9293 §3.1, RFC 5681 §4.2).
//!
//! Both engines ask this for what happens at an end, and only carry the segments.

use super::flow::{Action, End, Sink, Source};
use super::host_traces::HostTraces;
use crate::ids::Id;
use crate::packet::{SackOption, Segment, SegmentKind, wire_number};
use crate::record::{Capture, FlowRecord};
use crate::scenario::{Flow, Scenario};
use crate::tcp::application::{ApplicationParams, Messages, Next, Session};
use crate::tcp::{Receiver, Sender};
use crate::units::Time;

/// All of these connections.
#[derive(Debug, Default)]
pub(super) struct TwoWay {
    connections: Vec<Connection>,
    /// By flow, its connection; empty if there is none.
    of_flow: Vec<Option<u32>>,
}

/// One of them.
#[derive(Debug)]
struct Connection {
    /// The flow of the client's data, and that of the server's.
    flows: [usize; 2],
    session: Session,
}

/// The ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Where requests are sent.
    Client,
    /// Where responses are sent.
    Server,
}

/// One end of such a connection: whose sender and whose receiver are there, and on which path what it sends goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TwoWayEnd {
    connection: usize,
    pub(super) side: Side,
    /// The flow that sends from there, and the one that arrives there.
    pub(super) sends: usize,
    pub(super) receives: usize,
    /// The flow on whose path from there all goes: its data connection at the client, that of its acknowledgements at the server.
    pub(super) path: usize,
}

/// What happens at an end.
pub(super) enum Happening {
    /// A segment arrives.
    Arrives(Segment),
    /// A deadline of the sender has come.
    SenderTimer,
    /// A deadline of the receiver has come.
    ReceiverTimer,
    /// The flow that sends is steered from outside.
    Steered(Action),
}

impl TwoWay {
    /// Those of a scenario, before anything is sent.
    pub(super) fn new(scenario: &Scenario, seed: u64) -> TwoWay {
        let mut two_way = TwoWay::default();
        for (back, of) in scenario.flows.iter().enumerate() {
            let Some(forward) = of.back_of else { continue };
            let Flow { name, application, tcp, .. } = &scenario.flows[forward];
            let ApplicationParams::Exchanges(params) = &**application else {
                unreachable!("{name}: only exchanges have data in both directions")
            };
            if two_way.of_flow.is_empty() {
                two_way.of_flow = vec![None; scenario.flows.len()];
            }
            let flows = [forward.index(), back];
            for flow in flows {
                two_way.of_flow[flow] = Some(two_way.connections.len() as u32);
            }
            let since = Time::ZERO + scenario.warmup;
            // What is captured gets its numbers at the end.
            let keeps = !scenario.recording.captures.is_empty();
            let session = Session::new(params, (tcp.mss, keeps), (seed, name), since);
            two_way.connections.push(Connection { flows, session });
        }
        two_way
    }

    /// The end where the data of a flow are sent; `None` if it is the only flow of its connection.
    #[inline]
    pub(super) fn end_of_sender(&self, flow: usize) -> Option<TwoWayEnd> {
        if self.of_flow.is_empty() { None } else { self.find(flow, flow) }
    }

    /// The end where the data of a flow arrive.
    #[inline]
    pub(super) fn end_of_receiver(&self, flow: usize) -> Option<TwoWayEnd> {
        if self.of_flow.is_empty() { None } else { self.other(flow).and_then(|other| self.find(flow, other)) }
    }

    /// The end that a connection of a flow leads to, or where a deadline of that end of the flow comes.
    #[inline]
    pub(super) fn end_at(&self, flow: usize, end: End) -> Option<TwoWayEnd> {
        match end {
            End::Sender => self.end_of_sender(flow),
            End::Receiver => self.end_of_receiver(flow),
        }
    }

    /// The flow that sends on the reverse path of this one.
    pub(super) fn back_on(&self, flow: usize) -> Option<usize> {
        let connection = (*self.of_flow.get(flow)?)? as usize;
        let [forward, back] = self.connections[connection].flows;
        (forward == flow).then_some(back)
    }

    /// The other flow of the connection of a flow.
    fn other(&self, flow: usize) -> Option<usize> {
        let flows = self.connections[(*self.of_flow.get(flow)?)? as usize].flows;
        Some(if flows[0] == flow { flows[1] } else { flows[0] })
    }

    /// The end of the connection of `flow` where `sends` sends.
    fn find(&self, flow: usize, sends: usize) -> Option<TwoWayEnd> {
        let connection = (*self.of_flow.get(flow)?)? as usize;
        let [forward, back] = self.connections[connection].flows;
        let side = if sends == forward { Side::Client } else { Side::Server };
        let receives = if sends == forward { back } else { forward };
        Some(TwoWayEnd { connection, side, sends, receives, path: forward })
    }

    /// Something happens at an end, whose source and sink these are: what it sends then, in order, is added to `out`.
    pub(super) fn handle(
        &mut self,
        now: Time,
        end: TwoWayEnd,
        happening: Happening,
        (source, sink): (&mut Source, &mut Sink),
        traces: Option<&mut HostTraces>,
        out: &mut Vec<Segment>,
    ) {
        let session = &mut self.connections[end.connection].session;
        let (sender, receiver) = (&mut source.sender, &mut sink.receiver);
        let mut at_end = AtEnd { now, end, session, sender, receiver, traces };
        match happening {
            Happening::Arrives(segment) => at_end.arrives(segment),
            Happening::SenderTimer => {
                // What waits in the host stays there at a timeout: acknowledgements are among it.
                at_end.sender.on_timer(now);
                if end.side == Side::Client && at_end.sender.may_write(now) {
                    let next = at_end.session.on_client_ready(now);
                    at_end.follow_client(next);
                }
            }
            Happening::ReceiverTimer => at_end.receiver.on_timer(now),
            Happening::Steered(action) => action.act(now, at_end.sender),
        }
        at_end.send(out);
    }

    /// Captured segments get the numbers that they have on the wire: those that count only what the messages contain.
    pub(super) fn write_numbers(&self, captures: &mut [Capture]) {
        for packet in captures.iter_mut().flat_map(|capture| &mut capture.packets) {
            let Some(Some(number)) = self.of_flow.get(packet.flow as usize) else { continue };
            let Session { requests, responses, .. } = &self.connections[*number as usize].session;
            let (sent, received) = if packet.data { (requests, responses) } else { (responses, requests) };
            let segment = &mut packet.segment;
            let acknowledged = segment.ack;
            segment.sack = on_the_wire(segment.sack, acknowledged, received);
            segment.seq -= sent.unfilled_before(segment.seq);
            segment.ack -= received.unfilled_before(acknowledged);
        }
    }

    /// The record of a flow with what its session says, if it has one.
    pub(super) fn complete(&self, flow: usize, record: FlowRecord) -> FlowRecord {
        let connection = self.of_flow.get(flow).copied().flatten().map(|number| &self.connections[number as usize]);
        match connection.filter(|connection| connection.flows[0] == flow) {
            None => record,
            Some(Connection { session, .. }) => {
                let exchanges = Some(Box::new(session.record()));
                FlowRecord { exchanges, completed: session.closed(), ..record }
            }
        }
    }
}

/// The blocks of RFC 2018 beside the acknowledgement of everything before `ack`, with their numbers on the wire. Other options, as those of a
/// SYN, have no numbers.
fn on_the_wire(option: SackOption, ack: u64, received: &Messages) -> SackOption {
    let Some((kind_and_length, edges)) = option.octets().split_at_checked(2) else { return option };
    if kind_and_length[0] != SACK_KIND || !edges.len().is_multiple_of(8) {
        return option;
    }
    let mut written = SackOption::from(kind_and_length);
    for edge in edges.chunks_exact(4) {
        let number = u32::from_be_bytes(edge.try_into().expect("four octets"));
        let place = ack.wrapping_add_signed(i64::from(number.wrapping_sub(wire_number(ack)) as i32));
        written.extend(&wire_number(place - received.unfilled_before(place)).to_be_bytes());
    }
    written
}

/// The kind of the SACK option (RFC 2018 §3).
const SACK_KIND: u8 = 5;

/// One end of a connection at an instant.
struct AtEnd<'a> {
    now: Time,
    end: TwoWayEnd,
    session: &'a mut Session,
    sender: &'a mut Sender,
    receiver: &'a mut Receiver,
    traces: Option<&'a mut HostTraces>,
}

impl AtEnd<'_> {
    /// A segment arrives: first what it acknowledges, then its data.
    fn arrives(&mut self, segment: Segment) {
        let opens_or_closes = match self.end.side {
            // What answers a SYN or a FIN is for the client's sender, what it says of them for the server's receiver.
            Side::Client => false,
            Side::Server => matches!(segment.kind, SegmentKind::Syn | SegmentKind::Ack),
        };
        if !opens_or_closes {
            let before = self.sender.flight().una;
            self.sender.on_segment(self.now, segment);
            // Data that acknowledges nothing new says nothing to the sender.
            if segment.len == 0 || segment.ack > before {
                if let Some(traces) = &mut self.traces {
                    traces.acked(self.now, self.end.sends, self.sender);
                }
                let una = self.sender.flight().una;
                self.messages_sent().forget(una);
            }
        }
        if opens_or_closes || segment.len > 0 {
            self.receiver.on_segment(self.now, segment);
            let nxt = self.receiver.next();
            let unfilled = self.messages_received().unfilled_before(nxt);
            self.receiver.leave_out(unfilled);
            if let Some(traces) = &mut self.traces {
                traces.delivered(self.now, self.end.receives, self.receiver);
            }
            match self.end.side {
                Side::Client => {
                    let next = self.session.on_delivered_to_client(self.now, nxt);
                    self.follow_client(next);
                }
                Side::Server => {
                    let next = self.session.on_delivered_to_server(nxt);
                    self.follow(next);
                }
            }
        }
    }

    /// The client does this next, and sends what else there is to send now.
    fn follow_client(&mut self, mut next: Option<Next>) {
        self.follow(next);
        while matches!(next, Some(Next::Send(_))) {
            next = self.session.on_client_ready(self.now);
            self.follow(next);
        }
    }

    /// What the session does next, the sender can send.
    fn follow(&mut self, next: Option<Next>) {
        match next {
            None => {}
            Some(Next::Send(end)) => self.sender.write_until(self.now, end),
            Some(Next::Think(until)) => self.sender.write_at(until),
            Some(Next::Close) => self.sender.end_writing(self.now),
        }
    }

    /// Sends what there is: an acknowledgement that data would hide, the data, and an acknowledgement that no data carries.
    fn send(&mut self, out: &mut Vec<Segment>) {
        let now = self.now;
        if self.receiver.acknowledges_alone() {
            self.acknowledge(out);
        }
        while let Some(mut segment) = self.sender.poll_segment(now) {
            if let Some(traces) = &mut self.traces {
                traces.sent(now, self.end.sends, self.sender, segment.seq, segment.len);
            }
            let unfilled = match segment.kind {
                SegmentKind::Data => {
                    self.messages_sent().unfilled_in(segment.seq, segment.seq + u64::from(segment.len))
                }
                _ => 0,
            };
            self.sender.leave_out(unfilled);
            if segment.kind != SegmentKind::Syn {
                self.receiver.acknowledge_with(now, &mut segment);
            }
            self.push(segment, unfilled, out);
        }
        self.acknowledge(out);
        if let Some(traces) = &mut self.traces {
            traces.settled(now, self.end.sends, self.sender);
        }
    }

    /// Sends the acknowledgement that is due, if one is, without data.
    fn acknowledge(&mut self, out: &mut Vec<Segment>) {
        if let Some(acknowledgement) = self.receiver.poll_segment(self.now) {
            let seq = self.sender.flight().max;
            self.push(Segment { seq, ..acknowledgement }, 0, out);
        }
    }

    fn push(&mut self, segment: Segment, unfilled: u32, out: &mut Vec<Segment>) {
        if let Some(traces) = &mut self.traces {
            traces.handed_down(self.now, self.end.sends);
        }
        out.push(Segment { unfilled: Some(unfilled), ..segment });
    }

    fn messages_sent(&mut self) -> &mut Messages {
        match self.end.side {
            Side::Client => &mut self.session.requests,
            Side::Server => &mut self.session.responses,
        }
    }

    fn messages_received(&mut self) -> &mut Messages {
        match self.end.side {
            Side::Client => &mut self.session.responses,
            Side::Server => &mut self.session.requests,
        }
    }
}
