//! ATM edge devices: of each of them a process between the outputs by which acknowledgements come, the port whose rates are used, and
//! the ports by which acknowledgements go on. From port to edge to port no time passes.
//!
//! For the output before, an acknowledgement ends here: it is put together there, as before a host.

use crate::ids::{Id, VcId};
use crate::net::batched::abr::under_way::CellRun;
use crate::net::batched::io::{Arrival, Cells, Delivery, Destination, InputRef, Io, What};
use crate::net::batched::packets::router_edges::RouterEdges;
use crate::net::batched::process::Process;
use crate::net::feedback::{EdgePlace, Passed};
use crate::packet::{Pti, Segment, SegmentKind, aal5};
use crate::units::{Span, Time};

/// The edges of one switch.
pub(in crate::net::batched) struct CellEdges {
    /// The group of hosts as which it gets frames.
    group: usize,
    edges: RouterEdges,
    /// By connection.
    passages: Vec<CellPassage>,
    llc: bool,
    frames: u64,
}

/// Acknowledgements that pass an edge device.
pub(in crate::net::batched) struct CellPassage {
    pub(in crate::net::batched) vc: VcId,
    /// The edge that changes them.
    pub(in crate::net::batched) place: EdgePlace,
    /// The port that they enter.
    pub(in crate::net::batched) to: Destination,
}

impl CellEdges {
    /// The edge device with these edges, which gets frames as this group of hosts.
    pub(in crate::net::batched) fn new(
        group: usize,
        edges: RouterEdges,
        mut passages: Vec<CellPassage>,
        llc: bool,
    ) -> CellEdges {
        passages.sort_by_key(|passage| passage.vc);
        CellEdges { group, edges, passages, llc, frames: 0 }
    }

    fn on_frame(&mut self, frame: &Delivery, io: &mut Io) {
        self.frames += 1;
        let &Delivery { time: now, seq_or_ack, vc, frame: number, size, what, .. } = frame;
        let place = self.passages.binary_search_by_key(&vc, |passage| passage.vc);
        let passage = place.expect("what comes to an edge device passes it");
        let EdgePlace { edge, session } = self.passages[passage].place;
        if what == What::DamagedFrame {
            io.edges[edge].edge.on_damaged();
            if let Some(traces) = io.packet_traces() {
                traces.damaged(vc, number);
            }
            return;
        }
        let segment = io.frame_side[vc].get(number).unwrap_or_else(|| plain(seq_or_ack));
        let cells = aal5::cells(segment.ip_bytes(), self.llc);
        let input_ref = InputRef { port: 0, input: 0, at_port: VcId::from_index(passage) };
        let cells = Cells::new(0, cells, true);
        let handle = Arrival { time: now, seq_or_ack, input_ref, frame: number, size, cells };
        let ack = Passed { handle, window: segment.window };
        let of_flow = &mut io.edges[edge].edge;
        let passed = match segment.kind {
            SegmentKind::SynAck => of_flow.on_syn(now, session, ack),
            _ => of_flow.on_ack(now, session, segment.ack, ack),
        };
        self.edges.after_ack(edge, io);
        if let Some(passed) = passed {
            self.leave(now, passed, io);
        }
    }

    /// All cells of the frame enter the port at this instant.
    fn leave(&self, now: Time, passed: Passed<Arrival>, io: &mut Io) {
        let Passed { handle: Arrival { seq_or_ack, input_ref, frame, size, cells, .. }, window } = passed;
        let &CellPassage { vc, to, .. } = &self.passages[input_ref.at_port.index()];
        if window.is_some() {
            let segment = io.frame_side[vc].get(frame).unwrap_or_else(|| plain(seq_or_ack));
            io.frame_side[vc].write(frame, Segment { window, ..segment });
        }
        match to {
            Destination::Port { mailbox, input_ref } => {
                io.post(mailbox, Arrival { time: now, seq_or_ack, input_ref, frame, size, cells });
            }
            Destination::RunPort { mailbox, input_ref } => {
                let (time, spacing, first, count, eom) = (now, Span::ZERO, 0, cells.count(), true);
                let pti = Pti::data(false);
                let run = CellRun { time, spacing, seq_or_ack, size, input_ref, frame, first, count, eom, pti };
                io.abr.runs[mailbox as usize].push(run);
            }
            Destination::Host { .. } | Destination::LastHopPort { .. } => {
                unreachable!("what passes an edge device goes to a cell port")
            }
        }
    }
}

/// A plain acknowledgement.
fn plain(ack: u64) -> Segment {
    Segment { ack, ..Segment::default() }
}

impl Process for CellEdges {
    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut inbox = std::mem::take(&mut io.inboxes[self.group]);
        inbox.settle(until);
        self.edges.begin(io);
        loop {
            let ((rates, rated), (release, releasing)) = (self.edges.next_rates(), self.edges.next_release());
            let arrival = inbox.first().map_or(Time::NEVER, |frame| frame.time);
            // At one instant in this order.
            let now = rates.min(arrival).min(release);
            if now >= until {
                break;
            }
            if rates == now {
                self.edges.take_rates(rated, io);
            } else if arrival == now {
                if let Some(&frame) = inbox.first() {
                    inbox.take();
                    self.on_frame(&frame, io);
                }
            } else if let Some(passed) = self.edges.release(now, releasing, io) {
                self.leave(now, passed, io);
            }
        }
        io.inboxes[self.group] = inbox;
    }

    fn next(&self, io: &Io) -> Time {
        io.inboxes[self.group].earliest().min(self.edges.next(io))
    }

    fn events(&self) -> u64 {
        self.frames
    }
}
