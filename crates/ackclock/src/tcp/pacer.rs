//! What a congestion control needs that looks at rates: when the next segment may go, and what was delivered.
//! Sources: \[BBR1\] §4.2.1 (pacing), \[DRATE\]; losses and limits: \[BBR3\] §2.2, §4.1.2.

use super::cc::{
    Ack, CongestionControl, CongestionControlState, Delivery, LossState, LostSegment, Measured, RateSample, Window,
};
use super::delivery_rate::{Delivered, DeliveryRateEstimator, LostTransmission};
use super::recovery::{Flight, LossDetection, Lost, Recovery, RecoveryState};
use crate::packet::SackBlock;
use crate::units::{Span, Time};

/// The pace of one sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    next: Time,
}

impl Pace {
    /// Nothing is sent yet.
    pub(super) const BEGIN: Pace = Pace { next: Time::ZERO };

    /// When the next segment may be sent.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// A segment of `len` bytes is sent, at `rate` bytes per second if there is one.
    pub(super) fn on_sent(&mut self, now: Time, len: u64, rate: Option<f64>) {
        // Cut off to a whole picosecond; a rate is never so low that this overflows.
        let gap = rate.map_or(Span::ZERO, |rate| Span::from_ps((len as f64 * 1e12 / rate) as u64));
        self.next = self.next.max(now) + gap;
    }
}

/// What was delivered of the data of one sender, for its congestion control.
#[derive(Clone, Debug)]
pub(super) struct Deliveries {
    estimator: DeliveryRateEstimator,
    /// An acknowledgement that congestion control has not got yet: when it came, what it delivers, what was in flight.
    latest: Option<(Time, Delivered, u64)>,
    /// What it acknowledges outside recovery, by which the window may grow: bytes, and what a sender knows that measures round trips.
    growth: (f64, Option<Measured>),
    /// After a timeout: until this byte is acknowledged what was in flight then is being sent again.
    repaired_at: u64,
    /// Bytes delivered in all when the window was all that kept the sender from sending more, the last time.
    window_limited_at: Option<u64>,
}

impl Deliveries {
    /// Of a connection with segments of `mss` bytes that has sent nothing.
    pub(super) fn new(mss: u64) -> Deliveries {
        Deliveries {
            estimator: DeliveryRateEstimator::new(mss),
            latest: None,
            growth: (0.0, None),
            repaired_at: 0,
            window_limited_at: None,
        }
    }

    /// Bytes delivered in all.
    pub(super) fn delivered(&self) -> u64 {
        self.estimator.delivered()
    }

    /// The segment of `len` bytes at `seq` is sent, within a window of `cwnd`; `idle`: nothing was
    /// outstanding before; `in_flight`: bytes that are, itself included.
    pub(super) fn on_sent(&mut self, now: Time, (seq, len): (u64, u64), idle: bool, in_flight: u64, cwnd: f64) {
        self.estimator.on_sent(now, seq, idle, in_flight);
        if (in_flight + len) as f64 > cwnd {
            self.window_limited_at = Some(self.estimator.delivered());
        }
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
        let delivered = self.estimator.on_ack(now, ack, blocks, flight.max);
        self.latest = Some((now, delivered, in_flight));
    }

    /// It acknowledges `acked` bytes of new data outside recovery; what is measured of that.
    pub(super) fn record_growth(&mut self, acked: f64, measured: Option<Measured>) {
        self.growth = (acked, measured);
    }

    /// After recovery: congestion control gets the acknowledgement, and sets the window.
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
            lost: (self.estimator.lost() - sample.prior_lost) as f64,
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
        let (acked, measured) = std::mem::take(&mut self.growth);
        let ack = Ack { mss: delivery.mss, limit: delivery.limit, acked, measured, delivery: Some(&delivery) };
        congestion_control.on_ack(&ack, window);
        if congestion_control.holds_back() {
            self.estimator.limit(in_flight);
        }
    }

    /// The timer expires: everything that is not delivered is lost, which congestion control gets.
    pub(super) fn on_timeout(&mut self, now: Time, flight: &Flight, congestion_control: &mut CongestionControlState) {
        self.repaired_at = flight.max;
        self.estimator.look_again();
        self.report_losses_below(now, flight.max, flight, congestion_control);
        self.estimator.look_again();
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
                    if let Some(lost) = self.estimator.lose(number, flight.max) {
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
        while let Some(lost) = self.estimator.lose_below(lost_below, flight.max) {
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
            total: self.estimator.delivered(),
            in_flight_when_sent: lost.in_flight as f64,
            lost_since: lost.lost as f64,
            app_limited: lost.app_limited,
        });
    }

    /// The application has no more to send than what is in flight.
    pub(super) fn on_no_data(&mut self, in_flight: u64) {
        self.estimator.limit(in_flight);
    }
}
