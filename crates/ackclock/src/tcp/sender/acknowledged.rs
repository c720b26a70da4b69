//! A segment comes from the receiver: what it acknowledges, and what that means.
//! Sources: [SACK-UBR] §2; RFC 6298 §5; RFC 7323 §4.1, appendix G; RFC 6675 §2.

mod advertised_window;
mod ecn;
mod spurious;

use super::{NONE, Sender};
use crate::packet::{SackBlock, Segment, SegmentKind};
use crate::tcp::cc::CongestionControl;
use crate::tcp::handshake::Opened;
use crate::tcp::recovery::{DupAck, NewAck, Recovery, TimerAction};
use crate::tcp::sack_option;
use crate::units::Time;

impl Sender {
    /// A segment from the receiver: acknowledgements.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, mut segment: Segment) {
        if segment.len > 0 && segment.ack <= self.flight.una {
            return self.on_data_without_news(now, &segment);
        }
        if let Some(window) = segment.window.take() {
            let is_update = self.is_window_update(&segment, window);
            self.on_window(now, segment.ack, window);
            if is_update {
                return self.on_window_update(now, &segment);
            }
        }
        if segment.is_plain() {
            self.on_ack(now, segment.ack);
        } else if self.extra.is_none() || self.on_extra(now, &segment) {
            if segment.sack.is_empty() {
                self.on_ack_in_full(now, segment.ack, &[]);
            } else {
                self.on_sack(now, &segment);
            }
        }
    }

    /// Data acknowledges nothing new: it is no duplicate acknowledgement (RFC 5681 §2). Its window counts (RFC 9293 §3.10.7.4).
    #[inline(never)]
    fn on_data_without_news(&mut self, now: Time, segment: &Segment) {
        match segment.window {
            Some(window) if segment.ack == self.flight.una => self.on_window(now, segment.ack, window),
            _ => {}
        }
    }

    /// A plain segment from the receiver: everything before `ack` is acknowledged. (By its number alone: to put a whole segment
    /// together costs 20 instructions per acknowledgement, 3 % of all of it.)
    /// Returns whether the window alone decides what is sent from now on (`sender/fast_path.rs`).
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, ack: u64) -> bool {
        if self.on_ack_fast(now, ack) {
            return true;
        }
        if let Some(ecn) = self.ecn_mut() {
            ecn.echoed = false;
        }
        self.on_ack_in_full(now, ack, &[]);
        self.fast_path
    }

    /// A segment with a SACK option.
    #[inline(never)]
    fn on_sack(&mut self, now: Time, segment: &Segment) {
        let (few, many);
        let blocks = match self.extra.as_mut().and_then(|extra| extra.sack.as_mut()) {
            Some(sack) => {
                let report = sack.read(segment, self.flight.max);
                if let Some(duplicate) = report.duplicate {
                    self.recovery.on_duplicate(duplicate, segment.ack, &self.flight);
                    let mss = self.flight.mss;
                    if let Some(spurious) = self.spurious_mut() {
                        spurious.on_duplicate(duplicate, mss);
                    }
                }
                many = report.blocks;
                many.as_slice()
            }
            None => {
                few = sack_option::to_stream(&segment.sack, segment.ack).unwrap_or_default();
                few.as_slice()
            }
        };
        self.on_ack_in_full(now, segment.ack, blocks);
    }

    /// A segment to a sender that has more than others: whether it acknowledges data.
    #[inline(never)]
    fn on_extra(&mut self, now: Time, segment: &Segment) -> bool {
        self.timer.pass(now);
        self.warn_timer(segment.ack);
        let Some(extra) = self.extra.as_deref_mut() else { return true };
        extra.sampled = None;
        if let Some(ecn) = &mut extra.ecn {
            ecn.echoed = segment.ecn.ece() && segment.kind != SegmentKind::SynAck;
        }
        if let Some(spurious) = &mut extra.spurious {
            spurious.echo = segment.timestamps.map(|timestamps| timestamps.echo);
        }
        if let (Some(clock), Some(timestamps)) = (extra.clock, segment.timestamps) {
            extra.echo = timestamps.value;
            // RFC 7323 §4.1: of what acknowledges new data.
            if segment.ack > self.flight.una {
                let rtt = clock.since(now, timestamps.echo);
                let round = extra.samples.expected(segment.ack, &self.flight);
                self.timer.sample_span(rtt, round, &self.window, self.flight.mss);
                extra.sampled = Some(rtt);
            }
        }
        let Some(end) = &mut extra.end else { return true };
        match segment.kind {
            SegmentKind::SynAck => {
                self.fingerprint.event(now.as_ps(), segment.kind as u64);
                if let Some(sack) = &mut extra.sack {
                    sack.on_syn_ack(segment);
                }
                let opened = end.on_syn_ack();
                self.plain = false;
                self.on_opened(now, opened);
                false
            }
            SegmentKind::FinAck => {
                end.on_fin();
                true
            }
            _ => true,
        }
    }

    fn on_opened(&mut self, now: Time, opened: Opened) {
        self.account(now);
        if let Opened::Now { syn } = opened {
            self.timer.stop();
            match syn {
                Some(syn) => {
                    self.timer.sample(now, syn.stamp, &self.window, self.flight.mss);
                    let rtt = now.since(syn.at);
                    self.recovery.on_handshake(now, rtt);
                    self.congestion_control.on_handshake(now, rtt, &self.window);
                }
                None => {
                    self.timer.begin_after_lost_syn();
                    self.window.cwnd = self.flight.mss as f64; // RFC 6928 §2
                }
            }
            self.stop_if_due(now);
        }
        self.update_send_state();
    }

    /// Everything before `ack` is acknowledged, and `blocks` beyond it.
    #[inline(never)]
    fn on_ack_in_full(&mut self, now: Time, ack: u64, blocks: &[SackBlock]) {
        self.pass_time(now);
        self.fingerprint.event(now.as_ps(), ack);
        assert!(ack <= self.flight.max, "{now}: byte {ack} acknowledged, but only {} sent", self.flight.max);
        if let Some(extra) = self.extra.as_mut().filter(|extra| extra.samples_every) {
            extra.sampled = None;
        }
        if ack < self.flight.una {
            return self.on_old_ack(now, blocks);
        }
        if !self.plain {
            self.record_delivery(now, ack, blocks);
            self.on_echo(now, ack);
        }
        if self.extra.is_some() {
            self.warn_timer(ack);
        }
        self.recovery.on_sack(now, ack, blocks, &self.flight);
        if self.extra.as_ref().is_some_and(|extra| extra.spurious.is_some()) {
            self.look_for_spurious(now, ack);
        }
        let una = self.flight.una;
        if ack > una {
            self.on_new_ack(now, ack);
        } else if self.flight.max > una {
            self.on_dup_ack(now);
        } else if self.plain {
            return;
        }
        if !self.plain {
            self.reduce_for_marks(una);
        }
        self.update_send_state();
    }

    /// An acknowledgement that another one has overtaken. What its blocks say is news all the same, if they say that more has
    /// arrived; then it is a duplicate acknowledgement (RFC 6675 §2) to a recovery that knows from blocks what is in flight.
    #[inline(never)]
    fn on_old_ack(&mut self, now: Time, blocks: &[SackBlock]) {
        let (una, before) = (self.flight.una, self.in_flight());
        if blocks.is_empty() || self.recovery.loss_detection().is_none() || self.flight.max == una {
            return;
        }
        if !self.plain {
            self.record_delivery(now, una, blocks);
        }
        self.recovery.on_sack(now, una, blocks, &self.flight);
        if self.in_flight() < before {
            self.on_dup_ack(now);
        }
        self.update_send_state();
    }

    #[inline(never)]
    fn on_new_ack(&mut self, now: Time, ack: u64) {
        if ack > self.timed {
            if !self.samples_by_timestamps {
                self.timer.sample(now, self.timed_at, &self.window, self.flight.mss);
            }
            self.timed = NONE;
        }
        let meaning =
            if self.extra.is_none() { self.grow_or_recover(now, ack) } else { self.measure_and_grow(now, ack) };
        self.flight.una = ack;
        self.flight.nxt = self.flight.nxt.max(ack); // the receiver held more than was sent again
        self.dup_acks = 0;
        self.fast_retransmit = if meaning.retransmits() { ack } else { NONE };
        if meaning == NewAck::FastRetransmit {
            self.count_fast_retransmit();
        }
        if ack == self.flight.max {
            self.timer.stop();
        } else if meaning.restarts_timer() {
            self.restart_timer(now);
        }
        if self.recovery.has_reneged(ack) {
            self.timer.start_after_reneging(now);
        }
        if ack >= self.size {
            self.stats.completed.get_or_insert(now);
        }
    }

    #[inline(never)]
    fn on_dup_ack(&mut self, now: Time) {
        self.dup_acks += 1;
        let count = self.dup_acks;
        self.watch_window();
        let meaning =
            self.ask_recovery(now, None, |recovery, flight, context| recovery.on_dup_ack(count, flight, context));
        self.note_window(self.flight.una);
        let DupAck::FastRetransmit(timer) = meaning else { return };
        self.fast_retransmit = self.flight.una;
        self.count_fast_retransmit();
        match timer {
            TimerAction::Leave if !self.timer.restarts_at_fast_retransmit() => {}
            TimerAction::Leave | TimerAction::Restart => self.restart_timer(now),
            TimerAction::BackOff => {
                self.timer.back_off();
                self.restart_timer(now);
            }
        }
    }
}
