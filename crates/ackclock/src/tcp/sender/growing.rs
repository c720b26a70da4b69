//! New data is acknowledged: the round trip is measured, and the window grows, if recovery does not make more of it.
//! By how much is congestion control's: [`cc`](crate::tcp::cc).

use super::{OptionalState, Sender};
use crate::tcp::SendTimes;
use crate::tcp::cc::{Ack, CongestionControl, CongestionControlState, Measured};
use crate::tcp::recovery::{Flight, LossDetection, NewAck, Recovery};
use crate::tcp::setup::Setup;
use crate::tcp::slow_start::Acknowledged;
use crate::units::{Span, Time};

impl Sender {
    /// New data is acknowledged: what recovery makes of it; perhaps the window grows.
    pub(super) fn grow_or_recover(&mut self, now: Time, ack: u64) -> NewAck {
        let meaning =
            self.ask_recovery(now, None, |recovery, flight, context| recovery.on_new_ack(ack, flight, context));
        if meaning == NewAck::Grow {
            self.grow(ack);
        }
        meaning
    }

    /// The window grows, if it is used or grows unused.
    #[inline]
    pub(super) fn grow_if_used(&mut self, ack: u64) {
        if self.window_is_used() {
            self.grow(ack);
        }
    }

    /// The window grows.
    #[inline(always)]
    pub(super) fn grow(&mut self, ack: u64) {
        // Through signed numbers, which is one instruction.
        let acked = self.newly_delivered(ack).unwrap_or((ack - self.flight.una) as i64 as f64);
        let ack = Ack { acked, ..Ack::of(self.flight.mss as i64 as f64, self.flight.advertised as i64 as f64) };
        self.congestion_control.on_ack(&ack, &mut self.window);
        self.backoff = 0;
    }

    /// Growth with the measurements that only some senders have.
    #[inline(never)]
    pub(super) fn measure_and_grow(&mut self, now: Time, ack: u64) -> NewAck {
        let Some(OptionalState { setup, times, samples_every, sampled, samples, .. }) = self.extra.as_deref_mut()
        else {
            return self.grow_or_recover(now, ack);
        };
        if let Some(window) = setup.as_mut().and_then(Setup::window_before) {
            self.window.cwnd = window;
        }
        let window_after = setup.as_ref().and_then(Setup::window_after);
        let rtt = times.as_mut().and_then(|times| times.on_ack(now, ack));
        if let (true, Some(rtt)) = (*samples_every, rtt) {
            *sampled = Some(rtt);
            let begins = samples.expected(ack, &self.flight).begins;
            self.timer.sample_since(now, rtt, begins, &self.window, self.flight.mss);
        }
        let start = times.as_ref().map(SendTimes::start);
        self.validate_window(now, ack);
        self.watch_window();
        let meaning =
            self.ask_recovery(now, rtt, |recovery, flight, context| recovery.on_new_ack(ack, flight, context));
        self.note_window(ack);
        if meaning.grows() && self.marks_allow_growth() && !self.defers_growth(now, ack, start, rtt) {
            let before = self.window.cwnd;
            match start {
                Some(start) => self.grow_by_measure(now, ack, start, rtt),
                None => self.grow_if_used(ack),
            }
            self.follow_slow_start(now, ack, rtt, before);
        }
        if let Some(window) = window_after {
            self.window.cwnd = window;
        }
        meaning
    }

    /// The rule of slow start, if there is one, of a window that was `before`.
    fn follow_slow_start(&mut self, now: Time, ack: u64, rtt: Option<Span>, before: f64) {
        let bytes = self.newly_delivered(ack).unwrap_or((ack - self.flight.una) as f64);
        let Some(slow_start) = self.extra.as_mut().and_then(|extra| extra.slow_start.as_mut()) else { return };
        let nxt = self.flight.nxt.max(ack);
        let (mss, advertised) = (self.flight.mss as f64, self.flight.advertised as f64);
        let acknowledged = Acknowledged { now, una: ack, nxt, rtt, bytes, mss, advertised };
        slow_start.on_ack(&acknowledged, before, &mut self.window);
    }

    /// Where rates of delivery are needed, congestion control gets the acknowledgement with these, when recovery has seen it.
    fn defers_growth(&mut self, now: Time, ack: u64, start: Option<Time>, rtt: Option<Span>) -> bool {
        if self.extra.as_ref().is_none_or(|extra| extra.deliveries.is_none()) {
            return false;
        }
        let is_used = self.window_is_used();
        let measured = start.and_then(|start| measured(now, ack, start, rtt, &self.flight, is_used).measured);
        let grows = is_used || self.window_rules.grow_unused;
        let acked = if grows { (ack - self.flight.una) as f64 } else { 0.0 };
        if let Some(deliveries) = self.extra.as_mut().and_then(|extra| extra.deliveries.as_mut()) {
            deliveries.record_growth(acked, measured);
        }
        self.backoff = 0;
        true
    }

    /// The window grows, by an algorithm that may want to know the round trip and when the first segment was sent.
    #[inline(always)]
    pub(super) fn grow_by_measure(&mut self, now: Time, ack: u64, start: Time, rtt: Option<Span>) {
        let (is_used, before) = (self.window_is_used(), self.window.cwnd);
        // Vegas needs least, so it alone is inlined, and computes of the acknowledgement only what it reads.
        match &mut self.congestion_control {
            CongestionControlState::Vegas(vegas) => {
                let ack = measured(now, ack, start, rtt, &self.flight, is_used);
                vegas.on_ack(&ack, &mut self.window);
            }
            _ => self.grow_by_measure_of_others(now, ack, start, rtt, is_used),
        }
        // What measures round trips sees all of them, but an unused window does not grow.
        let grows_unused =
            self.window_rules.grow_unused && self.extra.as_ref().is_none_or(|extra| extra.validation.is_none());
        if !is_used && !grows_unused && self.window.cwnd > before {
            self.window.cwnd = before;
        }
        self.backoff = 0;
    }

    #[inline(never)]
    fn grow_by_measure_of_others(&mut self, now: Time, ack: u64, start: Time, rtt: Option<Span>, is_used: bool) {
        let delivered = self.newly_delivered(ack);
        let mut ack = measured(now, ack, start, rtt, &self.flight, is_used);
        ack.acked = delivered.unwrap_or(ack.acked);
        self.congestion_control.on_ack(&ack, &mut self.window);
    }

    /// Bytes that an acknowledgement of everything before `ack` delivers, where windows grow by these: what is held was delivered before, and
    /// without SACK a segment for each duplicate, of which one fills the hole.
    #[inline]
    fn newly_delivered(&self, ack: u64) -> Option<f64> {
        let watch = self.extra.as_ref()?.window_use.as_ref()?;
        if !watch.counts_delivered() {
            return None;
        }
        let (acked, mss) = (ack - self.flight.una, self.flight.mss);
        // Nothing is held there, and recovery has not seen the acknowledgement.
        if self.fast_path {
            return Some(acked as f64);
        }
        let known = self.recovery.loss_detection().and_then(LossDetection::delivered);
        let bytes = known.unwrap_or_else(|| acked.saturating_sub(u64::from(self.dup_acks) * mss).max(acked.min(mss)));
        Some(bytes as f64)
    }
}

/// The acknowledgement of the bytes before `ack`, to a sender that was there.
#[inline(always)]
fn measured(
    now: Time,
    ack: u64,
    start: Time,
    rtt: Option<Span>,
    flight: &Flight,
    window_limited: bool,
) -> Ack<'static> {
    // Through signed numbers, which is one instruction.
    let f64 = |bytes: u64| bytes as i64 as f64;
    let measured = Measured { now, start, una: ack, nxt: flight.nxt.max(ack), rtt, window_limited };
    Ack { acked: f64(ack - flight.una), measured: Some(measured), ..Ack::of(f64(flight.mss), f64(flight.advertised)) }
}
