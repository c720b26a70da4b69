//! What mechanisms written in Python are told: value classes, and what of the simulator they come from.

use ackclock::queue::packet::PacketArrival;
use ackclock::rng::Stream;
use ackclock::tcp::cc::{self, Ack, Delivery, Loss, LossState, LostSegment, Restart};
use ackclock::units::Span;
use pyo3::prelude::*;

/// Congestion and slow-start window of a connection, bytes. A mechanism may change both.
#[pyclass(module = "ackclock.mechanisms", get_all, set_all)]
pub struct Window {
    /// The congestion window, bytes.
    pub(super) cwnd: f64,
    /// The slow-start threshold, bytes.
    pub(super) ssthresh: f64,
}

/// Random numbers of a connection or port, as a function of a counter: the same in every run of a seed.
#[pyclass(frozen, module = "ackclock.mechanisms")]
pub struct Draws(pub(super) Stream);

#[pymethods]
impl Draws {
    /// A number from 0 to 1, without 1.
    fn uniform(&self, counter: u64) -> f64 {
        (self.0.at(counter) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number from 0 to `bound`, without that.
    fn below(&self, bound: u64, counter: u64) -> PyResult<u64> {
        match bound {
            0 => Err(pyo3::exceptions::PyValueError::new_err("a range of nothing has no number")),
            bound => Ok(self.0.below(bound, counter)),
        }
    }

    /// 64 random bits, as a whole number from 0 to 2⁶⁴ - 1: the same for the same counter.
    fn bits(&self, counter: u64) -> u64 {
        self.0.at(counter)
    }
}

/// A value class of Python that says what happened.
macro_rules! events {
    ($($(#[$about:meta])* $Name:ident { $($(#[$of:meta])* $field:ident: $Type:ty,)* })*) => {
        $($(#[$about])*
        #[pyclass(frozen, get_all, module = "ackclock.mechanisms")]
        pub struct $Name { $($(#[$of])* $field: $Type,)* })*
    };
}

events! {
    /// New data was acknowledged outside recovery; with rates of delivery any acknowledgement. Bytes; times in picoseconds.
    AckEvent {
        /// The payload of a full segment, bytes.
        mss: f64,
        /// The receiver's window, bytes, beyond which cwnd does not grow.
        limit: f64,
        /// Bytes of new data acknowledged outside recovery, by which the window grows; 0 where there are none.
        acked: f64,
        /// When it came, picoseconds; None unless the mechanism needs round trips, as the following.
        now_ps: Option<u64>,
        /// When the connection sent its first segment, picoseconds.
        start_ps: Option<u64>,
        /// First byte not acknowledged now; bytes are counted from 0.
        una: Option<u64>,
        /// Next byte to send.
        nxt: Option<u64>,
        /// The round trip of the newest segment acknowledged, if it was sent once; picoseconds.
        rtt_ps: Option<u64>,
        /// Whether the window was all that kept the sender from sending more.
        window_limited: Option<bool>,
        /// What it says about the delivery of data; None unless the mechanism needs rates of delivery.
        delivery: Option<Py<DeliveryEvent>>,
    }

    /// A loss was found, a mark was echoed, or the timer expired. Bytes.
    LossEvent {
        /// The payload of a full segment, bytes.
        mss: f64,
        /// The receiver's window, bytes, beyond which cwnd does not grow.
        limit: f64,
        /// What is in flight, bytes, where the slow-start threshold comes from that; else infinite.
        flight: f64,
        /// Whether what was lost had been sent more than once, if the recovery knows.
        sent_again: Option<bool>,
        /// Of a mark, where it takes less than a loss (RFC 8511): the part of the window that is left, 0 to 1.
        kept: Option<f64>,
    }

    /// A segment is found to be lost; only with rates of delivery. Bytes; times in picoseconds.
    LostSegmentEvent {
        /// When it is found, picoseconds.
        now_ps: u64,
        /// The payload of a full segment, bytes.
        mss: f64,
        /// The number of the segment, counted from 0.
        number: u64,
        /// The payload of the segment, bytes.
        len: f64,
        /// What the connection has delivered in all; bytes.
        total: u64,
        /// In flight when it was sent, itself included; bytes.
        in_flight_when_sent: f64,
        /// What was found to be lost since then, itself included; bytes.
        lost_since: f64,
        /// Whether the sender had not enough to send then.
        app_limited: bool,
    }

    /// What an acknowledgement says about the delivery of data. Bytes, bytes per second; times in picoseconds.
    DeliveryEvent {
        /// When the acknowledgement came, picoseconds.
        now_ps: u64,
        /// The payload of a full segment, bytes.
        mss: f64,
        /// The receiver's window, bytes, beyond which cwnd does not grow.
        limit: f64,
        /// What it says is delivered, and was not known to be; bytes.
        delivered: f64,
        /// What the connection has delivered in all; bytes.
        total: u64,
        /// What the newest of these segments says about the path; None if nothing new is delivered.
        sample: Option<Py<RateSample>>,
        /// Whether since that was sent the window was, at any time, all that kept the sender from sending more.
        window_limited: bool,
        /// The rate of delivery, bytes per second, if there is one that can be trusted: that of `sample`.
        rate: Option<f64>,
        /// Whether that says what was offered, not what the path can do: as in `sample`; False without one.
        app_limited: bool,
        /// The shortest round trip of these segments that were sent once, picoseconds.
        rtt_ps: Option<u64>,
        /// What it shows to be lost, and was not known to be; bytes.
        lost: f64,
        /// In flight before it, bytes.
        prior_in_flight: f64,
        /// In flight after it, bytes.
        in_flight: f64,
        /// "open", "recovery" or "timeout".
        loss_state: &'static str,
    }

    /// What was delivered and lost since the newest of the segments that an acknowledgement delivers was sent. Bytes, bytes per second.
    RateSample {
        /// What the connection had delivered in all when it was sent; bytes.
        prior_delivered: u64,
        /// What was delivered since then; bytes.
        delivered: f64,
        /// The rate of delivery since then, bytes per second, if it can be trusted.
        rate: Option<f64>,
        /// Whether the sender had not enough to send then.
        app_limited: bool,
        /// In flight when it was sent, itself included; bytes.
        in_flight: f64,
        /// What was found to be lost since then; bytes.
        lost: f64,
    }

    /// A sender sends again after a pause. Bytes; times in picoseconds.
    RestartEvent {
        /// When the first segment after the pause is sent, picoseconds.
        now_ps: u64,
        /// Next byte to send.
        nxt: u64,
        /// What the connection has delivered in all, bytes; 0 unless the mechanism needs rates of delivery.
        delivered: u64,
        /// Whether the window is the restart window now (RFC 5681 section 4.1), and was larger.
        window_lowered: bool,
    }

    /// A packet asks for room at a port. Times in picoseconds.
    ArrivalEvent {
        /// When the packet comes, picoseconds.
        now_ps: u64,
        /// If nothing waits and nothing is transmitted: for how long, picoseconds.
        idle_ps: Option<u64>,
        /// How many packets wait at the port.
        queued: u32,
        /// How many octets wait at the port.
        queued_bytes: u64,
        /// Whether it does not fit.
        is_full: bool,
    }
}

impl AckEvent {
    pub(super) fn of(py: Python<'_>, ack: &Ack) -> PyResult<AckEvent> {
        let measured = ack.measured.as_ref();
        Ok(AckEvent {
            mss: ack.mss,
            limit: ack.limit,
            acked: ack.acked,
            now_ps: measured.map(|measured| measured.now.as_ps()),
            start_ps: measured.map(|measured| measured.start.as_ps()),
            una: measured.map(|measured| measured.una),
            nxt: measured.map(|measured| measured.nxt),
            rtt_ps: measured.and_then(|measured| measured.rtt).map(Span::as_ps),
            window_limited: measured.map(|measured| measured.window_limited),
            delivery: ack.delivery.map(|delivery| Py::new(py, DeliveryEvent::of(py, delivery)?)).transpose()?,
        })
    }
}

impl LossEvent {
    pub(super) fn of(&Loss { mss, limit, flight, sent_again, kept }: &Loss) -> LossEvent {
        LossEvent { mss, limit, flight, sent_again, kept }
    }
}

impl LostSegmentEvent {
    pub(super) fn of(lost: &LostSegment) -> LostSegmentEvent {
        LostSegmentEvent {
            now_ps: lost.now.as_ps(),
            mss: lost.mss,
            number: lost.number,
            len: lost.len,
            total: lost.total,
            in_flight_when_sent: lost.in_flight_when_sent,
            lost_since: lost.lost_since,
            app_limited: lost.app_limited,
        }
    }
}

impl DeliveryEvent {
    fn of(py: Python<'_>, delivery: &Delivery) -> PyResult<DeliveryEvent> {
        Ok(DeliveryEvent {
            now_ps: delivery.now.as_ps(),
            mss: delivery.mss,
            limit: delivery.limit,
            delivered: delivery.delivered,
            total: delivery.total,
            sample: delivery.sample.map(|sample| Py::new(py, RateSample::of(sample))).transpose()?,
            window_limited: delivery.window_limited,
            rate: delivery.rate(),
            app_limited: delivery.is_app_limited(),
            rtt_ps: delivery.rtt.map(Span::as_ps),
            lost: delivery.lost,
            prior_in_flight: delivery.prior_in_flight,
            in_flight: delivery.in_flight,
            loss_state: match delivery.loss_state {
                LossState::Open => "open",
                LossState::Recovery => "recovery",
                LossState::Timeout => "timeout",
            },
        })
    }
}

impl RateSample {
    fn of(sample: cc::RateSample) -> RateSample {
        let cc::RateSample { prior_delivered, delivered, rate, app_limited, in_flight, lost } = sample;
        RateSample { prior_delivered, delivered, rate, app_limited, in_flight, lost }
    }
}

impl RestartEvent {
    pub(super) fn of(&Restart { now, nxt, delivered, window_lowered }: &Restart) -> RestartEvent {
        RestartEvent { now_ps: now.as_ps(), nxt, delivered, window_lowered }
    }
}

impl ArrivalEvent {
    pub(super) fn of(arrival: &PacketArrival) -> ArrivalEvent {
        ArrivalEvent {
            now_ps: arrival.now.as_ps(),
            idle_ps: arrival.idle.map(Span::as_ps),
            queued: arrival.queued,
            queued_bytes: arrival.queued_bytes,
            is_full: arrival.is_full,
        }
    }
}
