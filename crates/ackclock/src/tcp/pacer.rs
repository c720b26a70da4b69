//! A sender whose congestion control sets a rate, too: when the next segment may go, and what was delivered.
//! Sources: \[BBR1\] §4.2.1 (pacing), \[DRATE\]; losses and limits: \[BBR3\] §2.2, §4.1.2.

use super::cc::{CongestionControl, CongestionControlState, Delivery, LossState, LostSegment, RateSample, Window};
use super::delivery_rate::{Delivered, DeliveryRateEstimator, LostTransmission};
use super::recovery::{Flight, LossDetection, Lost, Recovery, RecoveryState};
use crate::packet::SackBlock;
use crate::units::{Span, Time};

/// The pace of one sender.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    deliveries: DeliveryRateEstimator,
    /// The next segment may be sent then.
    next: Time,
    /// An acknowledgement that congestion control has not got yet: when it came, what it delivers, what was in flight.
    latest: Option<(Time, Delivered, u64)>,
    /// After a timeout: until this byte is acknowledged what was in flight then is being sent again.
    repaired_at: u64,
    /// Bytes delivered in all when the window was all that kept the sender from sending more, the last time.
    window_limited_at: Option<u64>,
}

impl Pacer {
    /// Of a connection with segments of `mss` bytes that has sent nothing.
    pub(super) fn new(mss: u64) -> Pacer {
        Pacer {
            deliveries: DeliveryRateEstimator::new(mss),
            next: Time::ZERO,
            latest: None,
            repaired_at: 0,
            window_limited_at: None,
        }
    }

    /// Bytes delivered in all.
    pub(super) fn delivered(&self) -> u64 {
        self.deliveries.delivered()
    }

    /// When the next segment may be sent.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// The segment of `len` bytes at `seq` is sent, at `rate` bytes per second within a window of `cwnd`; `idle`: nothing was
    /// outstanding before; `in_flight`: bytes that are, itself included.
    pub(super) fn on_sent(
        &mut self,
        now: Time,
        (seq, len): (u64, u64),
        idle: bool,
        in_flight: u64,
        (rate, cwnd): (Option<f64>, f64),
    ) {
        self.deliveries.on_sent(now, seq, idle, in_flight);
        if (in_flight + len) as f64 > cwnd {
            self.window_limited_at = Some(self.deliveries.delivered());
        }
        // Cut off to a whole picosecond; a rate is never so low that this overflows.
        let gap = rate.map_or(Span::ZERO, |rate| Span::from_ps((len as f64 * 1e12 / rate) as u64));
        self.next = self.next.max(now) + gap;
    }

    /// An acknowledgement comes, and recovery has not yet seen it.
    pub(super) fn record_delivery(
        &mut self,
        now: Time,
        ack: u64,
        blocks: &[SackBlock],
        flight: &Flight,
        in_flight: u64,
    ) {
        let delivered = self.deliveries.on_ack(now, ack, blocks, flight.max);
        self.latest = Some((now, delivered, in_flight));
    }

    /// After recovery: congestion control gets the sample, and sets the window.
    pub(super) fn update_congestion_control(
        &mut self,
        congestion_control: &mut CongestionControlState,
        recovery: &RecoveryState,
        (flight, in_flight): (&Flight, u64),
        window: &mut Window,
    ) {
        let Some((now, delivered, prior_in_flight)) = self.latest.take() else { return };
        self.report_losses(now, recovery, flight, congestion_control);
        let loss_state = match recovery.in_recovery() {
            true => LossState::Recovery,
            false if flight.una < self.repaired_at => LossState::Timeout,
            false => LossState::Open,
        };
        let sample = delivered.sample.map(|sample| RateSample {
            prior_delivered: sample.prior_delivered,
            delivered: (delivered.total - sample.prior_delivered) as f64,
            rate: sample.rate,
            app_limited: sample.app_limited,
            in_flight: sample.in_flight as f64,
            lost: (self.deliveries.lost() - sample.prior_lost) as f64,
        });
        // In the round trip that ends with the newest of what is delivered.
        let since = delivered.sample.map_or(0, |sample| sample.prior_delivered);
        let delivery = Delivery {
            now,
            mss: flight.mss as f64,
            limit: flight.advertised as f64,
            delivered: delivered.now as f64,
            total: delivered.total,
            sample,
            window_limited: self.window_limited_at.is_some_and(|at| at >= since),
            rtt: delivered.rtt,
            // What has left the network and did not arrive.
            lost: prior_in_flight.saturating_sub(in_flight + delivered.now) as f64,
            prior_in_flight: prior_in_flight as f64,
            in_flight: in_flight as f64,
            loss_state,
        };
        congestion_control.on_delivery(&delivery, window);
        if congestion_control.holds_back() {
            self.deliveries.limit(in_flight);
        }
    }

    /// The timer expires: everything that is not delivered is lost, which congestion control gets.
    pub(super) fn on_timeout(&mut self, now: Time, flight: &Flight, congestion_control: &mut CongestionControlState) {
        self.repaired_at = flight.max;
        self.deliveries.look_again();
        self.report_losses_below(now, flight.max, flight, congestion_control);
        self.deliveries.look_again();
    }

    /// Congestion control gets what recovery has found to be lost.
    pub(super) fn report_losses(
        &mut self,
        now: Time,
        recovery: &RecoveryState,
        flight: &Flight,
        congestion_control: &mut CongestionControlState,
    ) {
        match recovery.loss_detection().map(LossDetection::lost) {
            None => {}
            Some(Lost::Before(seq)) => self.report_losses_below(now, seq, flight, congestion_control),
            Some(Lost::Segments(numbers)) => {
                for &number in numbers {
                    if let Some(lost) = self.deliveries.lose(number, flight.max) {
                        self.report_loss(now, &lost, flight, congestion_control);
                    }
                }
            }
        }
    }

    fn report_losses_below(
        &mut self,
        now: Time,
        lost_below: u64,
        flight: &Flight,
        congestion_control: &mut CongestionControlState,
    ) {
        while let Some(lost) = self.deliveries.lose_below(lost_below, flight.max) {
            self.report_loss(now, &lost, flight, congestion_control);
        }
    }

    fn report_loss(
        &self,
        now: Time,
        lost: &LostTransmission,
        flight: &Flight,
        congestion_control: &mut CongestionControlState,
    ) {
        congestion_control.on_lost_segment(&LostSegment {
            now,
            mss: flight.mss as f64,
            number: lost.number,
            len: lost.len as f64,
            total: self.deliveries.delivered(),
            in_flight_when_sent: lost.in_flight as f64,
            lost_since: lost.lost as f64,
            app_limited: lost.app_limited,
        });
    }

    /// The application has no more to send than what is in flight.
    pub(super) fn on_no_data(&mut self, in_flight: u64) {
        self.deliveries.limit(in_flight);
    }
}
