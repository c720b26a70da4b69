//! Objects of Python that do a mechanism, and what becomes of their errors.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock::rng::Stream;
use ackclock::tcp::cc;
use pyo3::prelude::*;

use super::events::{Draws, Window};
use crate::errors;

/// Where the mechanisms of one run, or of all runs of a call, leave their first error: whoever runs them raises it. After it none of them is
/// asked any more.
#[derive(Clone, Default)]
pub struct Failed(Arc<Mutex<Option<PyErr>>>);

thread_local! {
    /// Where mechanisms that begin in this thread now leave their errors.
    static HERE: RefCell<Option<Failed>> = const { RefCell::new(None) };
}

impl Failed {
    /// Does a piece of a run in this thread. Mechanisms that begin in it leave their errors here, not with those of other runs of the scenario.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts back what was there, also if the work panics.
        struct Before(Option<Failed>);
        impl Drop for Before {
            fn drop(&mut self) {
                HERE.set(self.0.take());
            }
        }
        let _before = Before(HERE.replace(Some(self.clone())));
        work()
    }

    /// Whether one of them raised an error: then the run is to stop.
    pub fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn set(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The error, which is then gone.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An object of Python that does a mechanism for one connection or port. After an error it is not asked any more.
pub(super) struct Object {
    /// `None` if it could not be made.
    object: Option<Py<PyAny>>,
    pub(super) name: String,
    failed: Failed,
}

impl Object {
    /// Makes one. `common` is where errors go of runs that have no place of their own.
    pub(super) fn new(class: &Py<PyAny>, name: &str, draws: Stream, common: &Failed) -> Object {
        let failed = HERE.with_borrow(|here| here.as_ref().unwrap_or(common).clone());
        let object = Python::attach(|py| class.call1(py, (Draws(draws),)).map_err(|error| failed.set(error)).ok());
        Object { object, name: name.to_owned(), failed }
    }

    /// Asks something of it; `None` after an error of any mechanism of the run.
    pub(super) fn ask<T>(&self, ask: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        if self.failed.is_set() {
            return None;
        }
        let object = self.object.as_ref()?;
        Python::attach(|py| ask(py, object.bind(py)).map_err(|error| self.failed.set(error)).ok())
    }

    /// Calls a method with what happened and the window, which it may change, and returns what `answer` makes of its answer.
    pub(super) fn change<T>(
        &self,
        method: &str,
        window: &mut cc::Window,
        event: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
        answer: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let (changed, answer) = self.ask(|py, object| {
            let given = Py::new(py, Window { cwnd: window.cwnd, ssthresh: window.ssthresh })?;
            let answer = answer(&object.call_method1(method, (event(py)?, &given))?)?;
            let Window { cwnd, ssthresh } = *given.borrow(py);
            let is_sound = cwnd.is_finite() && cwnd > 0.0 && !ssthresh.is_nan() && ssthresh > 0.0;
            match is_sound {
                true => Ok((cc::Window { cwnd, ssthresh }, answer)),
                false => Err(errors::usage(
                    py,
                    format_args!("{}.{method} left a window of cwnd = {cwnd}, ssthresh = {ssthresh}", self.name),
                    "both are bytes, more than 0, and only ssthresh may be infinite",
                )),
            }
        })?;
        *window = changed;
        Some(answer)
    }

    /// What a method that answers True or False answered; `help` says what these mean.
    pub(super) fn flag(&self, method: &str, answer: &Bound<'_, PyAny>, help: &str) -> PyResult<bool> {
        answer.extract().map_err(|_| self.misanswered(method, answer, help))
    }

    /// The error that a method answered something else than what `help` says.
    pub(super) fn misanswered(&self, method: &str, answer: &Bound<'_, PyAny>, help: &str) -> PyErr {
        let shown = answer.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
        errors::usage(answer.py(), format_args!("{}.{method} returned {shown}", self.name), help)
    }
}
