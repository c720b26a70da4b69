//! The reference engine with the ends of all connections outside: whatever is between hosts is as in a simulation, and it is the
//! caller who hands frames down at hosts and takes those that arrive.

use super::Reference;
use super::external::{Connection, ExternalEnds, Passed};
use crate::ids::VcId;
use crate::net::flow::{self, Arrivals, End, end_of};
use crate::net::recorder::Recorder;
use crate::packet::{Segment, Unit};
use crate::scenario::{MIN_DATAGRAM_BYTES, Scenario, Technology};
use crate::units::Time;

impl Reference {
    /// The network of a scenario, before anything has been handed down.
    pub fn with_external_ends(scenario: &Scenario, seed: u64, recorder: Option<&Recorder>) -> Reference {
        let mut network = Reference::without_events(scenario, seed, recorder);
        network.external = Some(Box::new(ExternalEnds::new(scenario, network.vcs.len())));
        network.schedule_intervals();
        network
    }

    /// A segment is handed down at the host where the connection begins, after all that happens elsewhere at this instant. The engine
    /// has advanced to it or just past it.
    ///
    /// # Panics
    /// If an event before this instant has not been handled, if the ends are not outside, or if there is no such connection.
    pub fn hand_down_from_outside(&mut self, now: Time, connection: Connection, segment: Segment, handle: u32) {
        assert!(self.next_event() > now, "what happened before {now} is not handled yet");
        self.now = now;
        let vc = connection.vc(self.flows.len());
        self.forget_lost(vc);
        let external = self.external.as_deref_mut().expect("the ends are outside");
        external.waits(vc, handle);
        let (flow, end) = end_of(vc);
        let carries_bytes =
            end == End::Receiver && external.observed.get_mut(flow).is_some_and(|flow| flow.sent(now, &segment));
        if let Some(traces) = &mut self.traces {
            if end == End::Receiver {
                traces.handed_down(now, flow);
            }
            if let Some(trace) = traces.senders.get_mut(flow).filter(|_| carries_bytes) {
                trace.acknowledged(now, 0);
                trace.sent(now, segment.seq, segment.seq + u64::from(segment.payload()), None);
            }
        }
        self.hand_down(vc, segment);
    }

    /// A datagram of the source with this number, with so much payload, is handed down.
    ///
    /// # Panics
    /// As [`Reference::hand_down_from_outside`].
    pub fn hand_down_datagram(&mut self, now: Time, source: usize, payload_bytes: u32, handle: u32) {
        let sent = &mut self.external.as_mut().expect("the ends are outside").datagrams_sent[source];
        let number = *sent;
        *sent += 1;
        let missing = MIN_DATAGRAM_BYTES.saturating_sub(payload_bytes);
        let datagram = flow::datagram(number, payload_bytes + missing);
        let datagram = Segment { headers: datagram.headers - missing as u16, ..datagram };
        self.hand_down_from_outside(now, Connection::Udp(source), datagram, handle);
    }

    /// What has become of frames since this was last asked, in order of time.
    pub fn take_passed(&mut self, each: impl FnMut(Passed)) {
        if let Some(external) = &mut self.external {
            external.take_passed(each);
        }
    }

    /// A frame, or what is left of it, is at the end of its connection.
    pub(super) fn on_frame_at_external_end(&mut self, unit: Unit, good: Option<&Segment>) {
        let (now, vc) = (self.now, unit.vc);
        let external = self.external.as_deref_mut().expect("the ends are outside");
        external.ends(now, vc, unit.frame, good.is_some());
        let (flow, end) = end_of(vc);
        match (self.flows.get_mut(flow), end, good) {
            (None, _, None) => {}
            (None, _, Some(datagram)) => {
                let arrivals: &mut Arrivals = &mut self.udp[flow - external.observed.len()].2;
                arrivals.add(now, datagram.seq);
            }
            (Some(_), End::Receiver, None) => self.sinks.at(flow).damaged_frames += 1,
            (Some(_), End::Sender, None) => self.sources.at(flow).damaged_frames += 1,
            (Some(_), End::Receiver, Some(segment)) => {
                let observed = &mut external.observed[flow];
                observed.arrived(now, segment);
                if let Some(trace) = self.traces.as_mut().and_then(|traces| traces.receivers.get_mut(flow)) {
                    trace.delivered(now, observed.delivered());
                }
            }
            (Some(_), End::Sender, Some(segment)) => {
                external.observed[flow].acknowledged(now, segment);
                if let Some(trace) = self.traces.as_mut().and_then(|traces| traces.senders.get_mut(flow)) {
                    trace.acknowledged(now, segment.ack);
                }
            }
        }
        self.forget_lost(vc);
    }

    /// Says of the oldest frames of a connection that they are lost, if they are.
    fn forget_lost(&mut self, vc: VcId) {
        let external = self.external.as_deref_mut().expect("the ends are outside");
        let frames = &self.frames[vc];
        match self.technology {
            Technology::Packet { .. } => external.clear(vc, |frame| !frames.packets.contains(frame)),
            // A connection of cells keeps its order: what is older than the oldest that may still arrive has not arrived.
            Technology::Atm { .. } => external.clear(vc, |frame| !frames.sent.may_arrive(frame)),
        }
    }
}
