//! Congestion controls written in Python.

use ackclock::tcp::cc::{self, Ack, CongestionControl, LostSegment, Restart};
use ackclock::units::{Span, Time};
use pyo3::prelude::*;

use super::events::{AckEvent, LossEvent, LostSegmentEvent, RestartEvent, Window};
use super::object::Object;
use crate::errors;

/// An object of Python for a connection.
pub(super) struct Control(pub(super) Object);

impl Control {
    fn lost(&self, method: &str, loss: &cc::Loss, window: &mut cc::Window) {
        self.0.change(method, window, |py| Ok(Py::new(py, LossEvent::of(loss))?.into_any()), |_| Ok(()));
    }
}

impl CongestionControl for Control {
    fn on_ack(&mut self, ack: &Ack, window: &mut cc::Window) {
        self.0.change("on_ack", window, |py| Ok(Py::new(py, AckEvent::of(py, ack)?)?.into_any()), |_| Ok(()));
    }

    fn on_congestion(&mut self, loss: &cc::Loss, window: &mut cc::Window) {
        self.lost("on_congestion", loss, window);
    }

    fn on_mark(&mut self, mark: &cc::Loss, window: &mut cc::Window) -> bool {
        let answer = |answer: &Bound<'_, PyAny>| {
            self.0.flag("on_mark", answer, "return True if the window is set, False if marks do not concern it")
        };
        self.0.change("on_mark", window, |py| Ok(Py::new(py, LossEvent::of(mark))?.into_any()), answer).unwrap_or(false)
    }

    fn on_rto(&mut self, loss: &cc::Loss, window: &mut cc::Window) {
        self.lost("on_rto", loss, window);
    }

    fn on_repeated_rto(&mut self, loss: &cc::Loss, window: &mut cc::Window) {
        self.lost("on_repeated_rto", loss, window);
    }

    fn on_undo(&mut self) {
        self.0.ask(|_, object| object.call_method0("on_undo").map(drop));
    }

    fn on_handshake(&mut self, now: Time, rtt: Span, window: &cc::Window) {
        let &cc::Window { cwnd, ssthresh } = window;
        self.0.ask(|py, object| {
            let given = Py::new(py, Window { cwnd, ssthresh })?;
            object.call_method1("on_handshake", (now.as_ps(), rtt.as_ps(), &given))?;
            let left = given.borrow(py);
            match left.cwnd == cwnd && left.ssthresh == ssthresh {
                true => Ok(()),
                // Nothing would come of it.
                false => Err(errors::usage(
                    py,
                    format_args!("{}.on_handshake changed the window", self.0.name),
                    "it is for reading there; tcp.initial_window sets it, and on_ack changes it",
                )),
            }
        });
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.0
            .ask(|py, object| object.call_method1("on_restart", (Py::new(py, RestartEvent::of(restart))?,)).map(drop));
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.0.ask(|py, object| {
            object.call_method1("on_lost_segment", (Py::new(py, LostSegmentEvent::of(lost))?,)).map(drop)
        });
    }

    fn holds_back(&self) -> bool {
        let help = "return True if it sends less than the path can take, else False";
        let answer = self.0.ask(|_, object| self.0.flag("holds_back", &object.call_method0("holds_back")?, help));
        answer.unwrap_or(false)
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
