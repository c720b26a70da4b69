//! How the ends of flows send: over the uplinks and with the timers that they share.

use super::uplinks::{HostUplinks, Numbering};
use crate::engine::EventTree;
use crate::net::batched::io::Io;
use crate::net::flow::{End, ack_vc, data_vc};
use crate::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES};
use crate::tcp::{Receiver, Sender};
use crate::units::Time;

/// How the ends of flows get at what they share: their timers, and the uplinks.
pub(super) struct Exits {
    pub(super) numbering: Numbering,
    pub(super) uplinks: HostUplinks,
    pub(super) timers: EventTree,
}

impl Exits {
    /// The RM cell with this number arrives at one end of a flow.
    #[inline(never)]
    pub(super) fn on_rm_cell(&mut self, now: Time, flow: usize, end: End, number: u32, io: &mut Io) {
        let back = if end == End::Receiver { ack_vc(flow) } else { data_vc(flow) };
        self.uplinks.on_rm_cell(now, end, back, self.numbering.of(flow, end), number, io);
    }

    /// A plain segment of these bytes for the receiver of a flow.
    #[inline(always)]
    pub(super) fn take_data<const RECORDED: bool>(
        &mut self,
        now: Time,
        flow: usize,
        receiver: &mut Receiver,
        (start, end): (u64, u64),
        io: &mut Io,
    ) {
        // Mostly the answer is due at once, and no timer runs.
        match receiver.answer_fast(now, start, end) {
            Some(ack) => {
                if RECORDED && let Some(traces) = io.traces.as_mut().filter(|_| io.watched.deliveries) {
                    traces.delivered(now, flow, receiver);
                }
                self.acknowledge(now, flow, ack, io);
            }
            None => {
                receiver.on_data(now, start, end);
                self.answer::<RECORDED>(now, flow, receiver, io);
            }
        }
    }

    /// The receiver of a flow has taken a segment.
    #[inline(always)]
    pub(super) fn answer<const RECORDED: bool>(
        &mut self,
        now: Time,
        flow: usize,
        receiver: &mut Receiver,
        io: &mut Io,
    ) {
        if RECORDED && let Some(traces) = io.traces.as_mut().filter(|_| io.watched.deliveries) {
            traces.delivered(now, flow, receiver);
        }
        self.send_acknowledgement(now, flow, receiver, io);
    }

    /// The sender of a flow has taken an acknowledgement.
    #[inline(always)]
    pub(super) fn go_on<const RECORDED: bool>(&mut self, now: Time, flow: usize, sender: &mut Sender, io: &mut Io) {
        if RECORDED && let Some(traces) = io.traces.as_mut().filter(|_| io.watched.segments) {
            traces.acked(now, flow, sender);
        }
        self.send_data::<RECORDED>(now, flow, sender, io);
    }

    /// Sends what the sender has, and sets its timer.
    #[inline(always)]
    pub(super) fn send_data<const RECORDED: bool>(&mut self, now: Time, flow: usize, sender: &mut Sender, io: &mut Io) {
        let number = self.numbering.of(flow, End::Sender);
        while let Some((seq, len)) = sender.poll(now) {
            if RECORDED && let Some(traces) = io.traces.as_mut().filter(|_| io.watched.segments) {
                traces.sent(now, flow, sender, seq, len);
            }
            if RECORDED && let Some(traces) = io.packet_traces() {
                traces.handed_down(now, flow);
            }
            if sender.is_plain() {
                self.uplinks.send_plain(now, data_vc(flow), number, (seq, 0), len, sender.header_bytes(), io);
            } else {
                self.uplinks.send_rare(now, data_vc(flow), number, sender.segment(now, seq, len), io);
            }
        }
        if RECORDED && let Some(traces) = io.traces.as_mut().filter(|_| io.watched.windows) {
            traces.settled(now, flow, sender);
        }
        self.timers.set(number, sender.deadline());
    }

    /// Sends what the receiver has, and sets its timer.
    #[inline(always)]
    pub(super) fn send_acknowledgement(&mut self, now: Time, flow: usize, receiver: &mut Receiver, io: &mut Io) {
        let number = self.numbering.of(flow, End::Receiver);
        if let Some(ack) = receiver.poll(now) {
            if receiver.has_report() {
                let segment = receiver.report(now, ack);
                self.uplinks.send_rare(now, ack_vc(flow), number, segment, io);
            } else {
                self.acknowledge(now, flow, ack, io);
            }
        }
        self.timers.set(number, receiver.deadline());
    }

    /// Sends a plain acknowledgement.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, now: Time, flow: usize, ack: u64, io: &mut Io) {
        let number = self.numbering.of(flow, End::Receiver);
        let headers = (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16;
        self.uplinks.send_plain(now, ack_vc(flow), number, (0, ack), 0, headers, io);
    }
}
