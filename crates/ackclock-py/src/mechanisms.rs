//! Mechanisms written in Python: congestion controls and drop policies of packets, through the traits that those of the simulator have. Each
//! question takes the interpreter, which is slow; the numbers are the same.

use std::sync::{Arc, Mutex, PoisonError};

use ackclock::queue::packet::{BatchHints, CustomDiscipline, Fifo, PacketArrival, PacketPolicy};
use ackclock::queue::{DropReason, Verdict};
use ackclock::rng::Stream;
use ackclock::tcp::cc::{self, Ack, CongestionControl, CustomCongestionControl, LossState, Needs, Restart};
use ackclock::units::{Span, Time};
use ackclock_scenario::Outside;
use pyo3::prelude::*;

use crate::errors;

/// The mechanisms of a scenario that are written in Python, and the first error of one of them.
#[derive(Clone, Default)]
pub struct Mechanisms {
    pub outside: Outside,
    failed: Failed,
}

/// Where a mechanism leaves its error: whoever runs the scenario raises it.
#[derive(Clone, Default)]
struct Failed(Arc<Mutex<Option<PyErr>>>);

impl Failed {
    fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn set(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

impl Mechanisms {
    /// Mechanisms of these classes, which are derived from `CongestionControl` and `PacketPolicy` of `ackclock.mechanisms`.
    pub fn of(py: Python<'_>, classes: &[Bound<'_, PyAny>]) -> PyResult<Mechanisms> {
        let mut mechanisms = Mechanisms::default();
        let bases = py.import("ackclock.mechanisms")?;
        let (control, policy) = (bases.getattr("CongestionControl")?, bases.getattr("PacketPolicy")?);
        for class in classes {
            let is_of = |base: &Bound<'_, PyAny>| {
                class.cast::<pyo3::types::PyType>().is_ok_and(|class| class.is_subclass(base).unwrap_or(false))
            };
            let (is_control, is_policy) = (is_of(&control), is_of(&policy));
            if !is_control && !is_policy {
                let help =
                    "derive a class from ackclock.CongestionControl or ackclock.PacketPolicy, and give the class";
                return Err(errors::usage(py, format_args!("{} is no mechanism", class.repr()?), help));
            }
            let name = text_of(class, "name")?;
            let version = text_of(class, "version")?;
            let (made, failed) = (class.clone().unbind(), mechanisms.failed.clone());
            let added = if is_control {
                let needs = needs_of(class, &name)?;
                let of = name.clone();
                let start = move |draws| -> Box<dyn CongestionControl> {
                    Box::new(Control(Object::new(&made, &of, draws, &failed)))
                };
                mechanisms.outside.add(&version, CustomCongestionControl::new(name, needs, start))
            } else {
                let of = name.clone();
                let discipline = CustomDiscipline::new(name, move |port, draws| {
                    Box::new(Fifo::new(port, Policy(Object::new(&made, &of, draws, &failed))))
                });
                mechanisms.outside.add(&version, discipline)
            };
            added.map_err(|refused| errors::usage(py, refused.problem, refused.help))?;
        }
        Ok(mechanisms)
    }

    /// Whether there are any.
    pub fn has_any(&self) -> bool {
        self.outside.words().next().is_some()
    }

    /// Whether one of them raised an error: then the run is to stop.
    pub fn have_failed(&self) -> bool {
        self.failed.is_set()
    }

    /// The error that one of them raised, which is then gone.
    pub fn take_error(&self) -> Option<PyErr> {
        self.failed.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An attribute of a class that is a text.
fn text_of(class: &Bound<'_, PyAny>, attribute: &str) -> PyResult<String> {
    class.getattr(attribute).and_then(|text| text.extract()).map_err(|_| {
        let shown = class.repr().map_or_else(|_| "a class".to_owned(), |text| text.to_string());
        errors::usage(
            class.py(),
            format_args!("{shown} has no text {attribute}"),
            format_args!("write {attribute} = \"...\" in the class"),
        )
    })
}

/// What a class says it needs: a word, or several.
fn needs_of(class: &Bound<'_, PyAny>, name: &str) -> PyResult<Needs> {
    let said = class.getattr("needs")?;
    let words = said.extract::<String>().map(|word| vec![word]).or_else(|_| said.extract::<Vec<String>>());
    let mut needs = Needs::NOTHING;
    let mut known = words.is_ok();
    for word in words.unwrap_or_default() {
        match word.as_str() {
            "nothing" => {}
            "round-trips" => needs.round_trips = true,
            "delivery-rates" => needs.delivery_rates = true,
            "pacing" => needs.pacing = true,
            _ => known = false,
        }
    }
    if !known {
        let help = "write \"nothing\", \"round-trips\", \"delivery-rates\" or \"pacing\", or several in parentheses";
        return Err(errors::usage(class.py(), format_args!("{name}: needs = {}", said.repr()?), help));
    }
    let base = class.py().import("ackclock.mechanisms")?.getattr("CongestionControl")?;
    if !needs.pacing && !class.getattr("pacing_rate")?.is(&base.getattr("pacing_rate")?) {
        let help = "write needs = \"pacing\" in the class, or add it to the others: (\"delivery-rates\", \"pacing\")";
        let problem = format_args!("{name}: pacing_rate is never asked, as needs = {} has no pacing", said.repr()?);
        return Err(errors::usage(class.py(), problem, help));
    }
    Ok(needs)
}

/// An object of Python that does a mechanism for one connection or port. After an error it is not asked any more.
struct Object {
    /// `None` if it could not be made.
    object: Option<Py<PyAny>>,
    name: String,
    failed: Failed,
}

impl Object {
    fn new(class: &Py<PyAny>, name: &str, draws: Stream, failed: &Failed) -> Object {
        let object = Python::attach(|py| class.call1(py, (Draws(draws),)).map_err(|error| failed.set(error)).ok());
        Object { object, name: name.to_owned(), failed: failed.clone() }
    }

    /// Asks something of it; `None` after an error of any mechanism of the scenario.
    fn ask<T>(&self, ask: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        if self.failed.is_set() {
            return None;
        }
        let object = self.object.as_ref()?;
        Python::attach(|py| ask(py, object.bind(py)).map_err(|error| self.failed.set(error)).ok())
    }

    /// Calls a method with what happened and the window, which it may change.
    fn change(&self, method: &str, window: &mut cc::Window, event: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        let changed = self.ask(|py, object| {
            let given = Py::new(py, Window { cwnd: window.cwnd, ssthresh: window.ssthresh })?;
            object.call_method1(method, (event(py)?, &given))?;
            let Window { cwnd, ssthresh } = *given.borrow(py);
            let is_sound = cwnd.is_finite() && cwnd > 0.0 && !ssthresh.is_nan() && ssthresh > 0.0;
            match is_sound {
                true => Ok(cc::Window { cwnd, ssthresh }),
                false => Err(errors::usage(
                    py,
                    format_args!("{}.{method} left a window of cwnd = {cwnd}, ssthresh = {ssthresh}", self.name),
                    "both are bytes, more than 0, and only ssthresh may be infinite",
                )),
            }
        });
        if let Some(changed) = changed {
            *window = changed;
        }
    }
}

/// Congestion and slow-start window of a connection, bytes. A mechanism may change both.
#[pyclass(module = "ackclock.mechanisms", get_all, set_all)]
pub struct Window {
    cwnd: f64,
    ssthresh: f64,
}

/// Random numbers of a connection or port, as a function of a counter: the same in every run of a seed.
#[pyclass(frozen, module = "ackclock.mechanisms")]
pub struct Draws(Stream);

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

    /// 64 random bits.
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
        /// Segment size.
        mss: f64,
        /// The receiver's window, beyond which cwnd does not grow.
        limit: f64,
        /// Bytes of new data acknowledged outside recovery, by which the window grows; 0 where there are none.
        acked: f64,
        /// When it came; None unless the mechanism needs round trips, as the following.
        now_ps: Option<u64>,
        /// When the connection sent its first segment.
        start_ps: Option<u64>,
        /// First byte not acknowledged now.
        una: Option<u64>,
        /// Next byte to send.
        nxt: Option<u64>,
        /// The round trip of the newest segment acknowledged, if it was sent once.
        rtt_ps: Option<u64>,
        /// Whether the window was all that kept the sender from sending more.
        window_limited: Option<bool>,
        /// What it says about the delivery of data; None unless the mechanism needs rates of delivery.
        delivery: Option<Py<DeliveryEvent>>,
    }

    /// A loss was found, or the timer expired. Bytes.
    LossEvent {
        /// Segment size.
        mss: f64,
        /// The receiver's window.
        limit: f64,
        /// What is in flight, where the slow-start threshold comes from that; else infinite.
        flight: f64,
        /// Whether what was lost had been sent more than once, if the recovery knows.
        sent_again: Option<bool>,
    }

    /// What an acknowledgement says about the delivery of data. Bytes, bytes per second; times in picoseconds.
    DeliveryEvent {
        /// When it came.
        now_ps: u64,
        /// Segment size.
        mss: f64,
        /// The receiver's window.
        limit: f64,
        /// What it says is delivered, and was not known to be.
        delivered: f64,
        /// Delivered in all.
        total: u64,
        /// The rate of delivery, if there is one that can be trusted.
        rate: Option<f64>,
        /// Whether that says what was offered, not what the path can do.
        app_limited: bool,
        /// The shortest round trip of these segments that were sent once.
        rtt_ps: Option<u64>,
        /// What it shows to be lost, and was not known to be.
        lost: f64,
        /// In flight before it.
        prior_in_flight: f64,
        /// In flight after it.
        in_flight: f64,
        /// "open", "recovery" or "timeout".
        loss_state: &'static str,
    }

    /// A packet asks for room at a port. Times in picoseconds.
    ArrivalEvent {
        /// When.
        now_ps: u64,
        /// If nothing waits and nothing is transmitted: for how long.
        idle_ps: Option<u64>,
        /// Packets waiting.
        queued: u32,
        /// Octets waiting.
        queued_bytes: u64,
        /// Whether it does not fit.
        is_full: bool,
    }
}

struct Control(Object);

impl Control {
    fn lost(&self, method: &str, loss: &cc::Loss, window: &mut cc::Window) {
        let &cc::Loss { mss, limit, flight, sent_again, .. } = loss;
        self.0.change(method, window, |py| Ok(Py::new(py, LossEvent { mss, limit, flight, sent_again })?.into_any()));
    }
}

/// What an acknowledgement says about the delivery of data.
fn delivery_event(delivery: &cc::Delivery) -> DeliveryEvent {
    DeliveryEvent {
        now_ps: delivery.now.as_ps(),
        mss: delivery.mss,
        limit: delivery.limit,
        delivered: delivery.delivered,
        total: delivery.total,
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
    }
}

impl CongestionControl for Control {
    fn on_ack(&mut self, ack: &Ack, window: &mut cc::Window) {
        let measured = ack.measured.as_ref();
        let event = |delivery| AckEvent {
            mss: ack.mss,
            limit: ack.limit,
            acked: ack.acked,
            now_ps: measured.map(|measured| measured.now.as_ps()),
            start_ps: measured.map(|measured| measured.start.as_ps()),
            una: measured.map(|measured| measured.una),
            nxt: measured.map(|measured| measured.nxt),
            rtt_ps: measured.and_then(|measured| measured.rtt).map(Span::as_ps),
            window_limited: measured.map(|measured| measured.window_limited),
            delivery,
        };
        self.0.change("on_ack", window, |py| {
            let delivery = ack.delivery.map(|delivery| Py::new(py, delivery_event(delivery))).transpose()?;
            Ok(Py::new(py, event(delivery))?.into_any())
        });
    }

    fn on_congestion(&mut self, loss: &cc::Loss, window: &mut cc::Window) {
        self.lost("on_congestion", loss, window);
    }

    fn on_rto(&mut self, loss: &cc::Loss, window: &mut cc::Window) {
        self.lost("on_rto", loss, window);
    }

    fn on_repeated_rto(&mut self, loss: &cc::Loss, window: &mut cc::Window) {
        self.lost("on_repeated_rto", loss, window);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span, _window: &cc::Window) {
        self.0.ask(|_, object| object.call_method1("on_handshake", (now.as_ps(), rtt.as_ps())).map(drop));
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.0.ask(|_, object| object.call_method1("on_restart", (restart.now.as_ps(), restart.nxt)).map(drop));
    }

    fn pacing_rate(&self) -> Option<f64> {
        let rate = self.0.ask(|py, object| {
            let rate: Option<f64> = object.call_method0("pacing_rate")?.extract()?;
            match rate {
                Some(rate) if !(rate.is_finite() && rate >= 0.125) => Err(errors::usage(
                    py,
                    format_args!("{}.pacing_rate returned {rate}", self.0.name),
                    "return bytes per second, 1/8 or more, or None",
                )),
                rate => Ok(rate),
            }
        });
        rate.flatten()
    }
}

struct Policy(Object);

impl BatchHints for Policy {}

impl Policy {
    fn verdict(&self, method: &str, answer: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = answer.py();
        answer.extract().map_err(|_| {
            let answer = answer.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
            errors::usage(
                py,
                format_args!("{}.{method} returned {answer}", self.0.name),
                "return True to accept the packet, False to drop it",
            )
        })
    }
}

impl PacketPolicy for Policy {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        if arrival.is_full {
            // Whatever it says: there is no room.
            self.ask_enqueue(arrival);
            return Verdict::Drop(DropReason::Overflow);
        }
        match self.ask_enqueue(arrival) {
            Some(false) => Verdict::Drop(DropReason::Policy),
            Some(true) | None => Verdict::Accept,
        }
    }

    fn on_dequeue(&mut self, now: Time, waited: Span, left_bytes: u64) -> Verdict {
        let accepted = self.0.ask(|_, object| {
            self.verdict("on_dequeue", &object.call_method1("on_dequeue", (now.as_ps(), waited.as_ps(), left_bytes))?)
        });
        if accepted == Some(false) { Verdict::Drop(DropReason::Policy) } else { Verdict::Accept }
    }

    fn on_idle(&mut self) {
        self.0.ask(|_, object| object.call_method0("on_idle").map(drop));
    }
}

impl Policy {
    fn ask_enqueue(&self, arrival: &PacketArrival) -> Option<bool> {
        self.0.ask(|py, object| {
            let event = ArrivalEvent {
                now_ps: arrival.now.as_ps(),
                idle_ps: arrival.idle.map(Span::as_ps),
                queued: arrival.queued,
                queued_bytes: arrival.queued_bytes,
                is_full: arrival.is_full,
            };
            self.verdict("on_enqueue", &object.call_method1("on_enqueue", (Py::new(py, event)?,))?)
        })
    }
}
