//! The recorders of all hosts: what the engines tell them while a run goes on.

use super::flow::{End, end_of};
use crate::ids::VcId;
use crate::packet::Segment;
use crate::record::trace::{DeliveryTrace, SenderState, SenderTrace, TransitTrace};
use crate::record::{Captured, Columns, Loss, Metric};
use crate::tcp::{Receiver, Sender};
use crate::units::Time;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
pub(super) struct HostTraces {
    /// By flow; empty if nothing of senders is asked for.
    pub(super) senders: Vec<SenderTrace>,
    pub(super) watched: Watched,
    /// By flow; empty if nothing of receivers is asked for.
    pub(super) receivers: Vec<DeliveryTrace>,
    pub(super) captured: Vec<CapturedEnds>,
    /// What passed each captured host, as it came.
    pub(super) packets: Vec<Vec<Captured>>,
    /// Frames of captured senders that ended a damaged frame at the receiver.
    pub(super) damaged: BTreeSet<(VcId, u32)>,
    /// Frames that arrived, if there may be copies: what is lost of these was not all.
    pub(super) arrived: Option<BTreeSet<(VcId, u32)>>,
    /// By flow, and then by source of datagrams; empty if the delays of their data are not recorded.
    pub(super) transits: Vec<TransitTrace>,
    /// How many of these are flows.
    pub(super) flows: usize,
    /// By the flow on whose connection they come, the flows that are the other direction of one.
    pub(super) backs: BTreeMap<usize, usize>,
}

/// What the recorders of hosts record. Callers test this first and skip the rest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    /// Windows, and whatever else an event may change at a sender.
    pub(super) windows: bool,
    /// More of a sender than its window, whenever an event may change that.
    pub(super) states: bool,
    /// Each segment that is handed down, and each acknowledgement.
    pub(super) segments: bool,
    pub(super) deliveries: bool,
    /// Each packet that is handed down, begins to be transmitted, or arrives.
    pub(super) packets: bool,
}

/// The captured hosts of the sender and of the receiver of a flow, or of datagrams.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedEnds {
    pub(super) sender: Option<u32>,
    pub(super) receiver: Option<u32>,
}

impl HostTraces {
    /// The sender of a flow has seen an acknowledgement, and has not answered yet.
    #[inline]
    pub(super) fn acked(&mut self, now: Time, flow: usize, sender: &Sender) {
        if self.watched.segments {
            let trace = &mut self.senders[flow];
            match sender.sample_of_acknowledgement() {
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

    /// The recorder of a flow's sender, if it records the window after events.
    #[inline]
    pub(super) fn of_windows(&mut self, flow: usize) -> Option<&mut SenderTrace> {
        self.senders.get_mut(flow).filter(|_| self.watched.windows)
    }

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
    pub(super) fn transit(&mut self, vc: VcId) -> Option<&mut TransitTrace> {
        let (flow, end) = end_of(vc);
        let flow = if end == End::Receiver { flow } else { *self.backs.get(&flow)? };
        self.transits.get_mut(flow)
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
        let is_udp = end_of(vc).0 >= self.flows;
        if let Some(transit) = self.transit(vc) {
            transit.arrives(now, frame, is_udp || segment.payload() > 0);
        }
        if let Some(arrived) = &mut self.arrived {
            arrived.insert((vc, frame));
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

    pub(super) fn capture(
        &mut self,
        time: Time,
        vc: VcId,
        sent: bool,
        frame: u32,
        segment: &Segment,
        lost: Option<Loss>,
    ) {
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
    pub(super) fn take(&mut self, metric: Metric, flow: usize, end: Time) -> Option<Columns> {
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
    let state = SenderState {
        cwnd: window.cwnd,
        ssthresh: window.ssthresh,
        send_window: sender.usable_window(),
        una: sender.flight().una,
    };
    trace.state(now, &state, || sender.timer_state());
}
