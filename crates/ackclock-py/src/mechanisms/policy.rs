//! Drop policies of packets written in Python.

use ackclock::queue::packet::{BatchHints, PacketArrival, PacketPolicy};
use ackclock::queue::{DropReason, Verdict};
use ackclock::units::{Span, Time};
use pyo3::prelude::*;

use super::events::ArrivalEvent;
use super::object::Object;

/// An object of Python for a port.
pub(super) struct Policy(pub(super) Object);

impl BatchHints for Policy {}

impl PacketPolicy for Policy {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        let verdict = self.ask_enqueue(arrival);
        // Whatever it says: there is no room.
        if arrival.is_full { Verdict::Drop(DropReason::Overflow) } else { verdict }
    }

    fn on_dequeue(&mut self, now: Time, waited: Span, left_bytes: u64) -> Verdict {
        self.ask("on_dequeue", |_, object| object.call_method1("on_dequeue", (now.as_ps(), waited.as_ps(), left_bytes)))
    }

    fn on_marked(&mut self) {
        self.0.ask(|_, object| object.call_method0("on_marked").map(drop));
    }

    fn on_idle(&mut self) {
        self.0.ask(|_, object| object.call_method0("on_idle").map(drop));
    }
}

impl Policy {
    /// What a method says of a packet; after an error every packet is accepted.
    fn ask(
        &self,
        method: &str,
        call: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> Verdict {
        let verdict = self.0.ask(|py, object| {
            let answer = call(py, object)?;
            match (answer.extract::<bool>(), answer.extract::<&str>()) {
                (Ok(true), _) => Ok(Verdict::Accept),
                (Ok(false), _) => Ok(Verdict::Drop(DropReason::Policy)),
                (_, Ok("mark")) => Ok(Verdict::Mark),
                _ => {
                    let help = "return True to accept the packet, False to drop it, \"mark\" to mark it, or drop what cannot be marked";
                    Err(self.0.misanswered(method, &answer, help))
                }
            }
        });
        verdict.unwrap_or(Verdict::Accept)
    }

    fn ask_enqueue(&self, arrival: &PacketArrival) -> Verdict {
        self.ask("on_enqueue", |py, object| {
            object.call_method1("on_enqueue", (Py::new(py, ArrivalEvent::of(arrival))?,))
        })
    }
}
