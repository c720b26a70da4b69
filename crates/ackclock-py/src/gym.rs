//! Episodes of `ackclock.gym`: a step of one is one call, and so is a step of many.

mod measuring;
mod together;

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, TryLockError};

use ackclock::ids::FlowId;
use ackclock::units::Time;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors;
use crate::mechanisms::Failed;
use crate::result;
use crate::scenario::{Scenario, flow_number};
use crate::simulation::{Simulation, begun};
use crate::waiting;
use measuring::{How, Measured, State, Weights, Wrong};
pub use together::Episodes;

/// The episodes of an environment of `ackclock.gym`, one after the other.
#[pyclass(frozen, module = "ackclock")]
pub struct Episode {
    how: How,
    action: Action,
    reward: Reward,
    /// `tuple.__new__`, and the class of intervals.
    make: Py<PyAny>,
    interval: Py<PyAny>,
    state: Mutex<Option<State>>,
}

/// What an action is.
enum Action {
    /// The place of a factor.
    Place(Vec<f64>),
    /// From -1 to 1, an exponent of this.
    Change(f64),
}

/// How a measured interval is rewarded.
enum Reward {
    Weighted(Weights),
    Of(Py<PyAny>),
}

/// A step, as gymnasium returns it: observation, reward, terminated, truncated, info.
type Stepped<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, bool, bool, Bound<'py, PyDict>);

#[pymethods]
impl Episode {
    /// `control` is "window" or "rate". Actions are places in `factors`, if there are any, else exponents of `largest_factor`. `reward` is a
    /// function of an `interval`, or the three weights of a `Utility`.
    #[new]
    fn new(
        py: Python<'_>,
        interval_s: f64,
        control: &str,
        largest_factor: f64,
        factors: Option<Vec<f64>>,
        reward: Bound<'_, PyAny>,
        interval: Py<PyAny>,
    ) -> PyResult<Episode> {
        let reward = match reward.extract::<(f64, f64, f64)>() {
            Ok((throughput, delay, loss)) => Reward::Weighted(Weights { throughput, delay, loss }),
            Err(_) => Reward::Of(reward.unbind()),
        };
        Ok(Episode {
            how: How { interval_s, is_rate: control == "rate" },
            action: factors.map_or(Action::Change(largest_factor), Action::Place),
            reward,
            make: py.get_type::<PyTuple>().getattr("__new__")?.unbind(),
            interval,
            state: Mutex::new(None),
        })
    }

    /// Begins an episode: a run, up to the first round trip of a flow. Fills five numbers of float32 in, and returns the interval.
    fn begin<'py>(
        &self,
        scenario: &Bound<'py, Scenario>,
        seed: u64,
        flow: &str,
        engine: &str,
        observation: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = scenario.py();
        let mut guard = self.locked(py)?;
        let beginning = Beginning::of(scenario, seed, flow, engine)?;
        let stop = AtomicBool::new(false);
        let is_short = beginning.is_short(&self.how);
        let failed = beginning.failed.clone();
        let (begun, raised) = match is_short {
            true => (py.detach(|| beginning.begin(&self.how, &stop)), None),
            false => waiting::work(py, &stop, None, &failed, |_| beginning.begin(&self.how, &stop)),
        };
        let (state, measured) = match (begun, raised) {
            // Ctrl-C may have come in the last moment.
            (Ok(_), Some(raised)) => return Err(raised),
            (begun, raised) => begun.map_err(|wrong| wrong.raised(py, raised))?,
        };
        *guard = Some(state);
        drop(guard);
        PyBuffer::get(observation)?.copy_from_slice(py, &measured.observed())?;
        self.interval_of(py, &measured)
    }

    /// Steps it by an action, fills the five numbers of `observation` in, and returns what a step of gymnasium returns.
    fn step<'py>(&self, action: &Bound<'py, PyAny>, observation: Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let py = action.py();
        let mut guard = self.locked(py)?;
        let state = going(py, &mut guard)?;
        let factor = self.factor(action)?;
        let stop = AtomicBool::new(false);
        let (measured, raised) = match measuring::is_short(state.simulation.get(), &self.how) {
            true => (py.detach(|| state.step(&self.how, factor, &stop)), None),
            false => {
                let simulation = state.simulation.clone_ref(py);
                waiting::work(py, &stop, None, simulation.get().failed(), |_| state.step(&self.how, factor, &stop))
            }
        };
        let measured = match (measured, raised) {
            (Ok(_), Some(raised)) => return Err(raised),
            (measured, raised) => measured.map_err(|wrong| wrong.raised(py, raised))?,
        };
        let (is_over, is_terminated) = (state.is_over, state.is_terminated);
        drop(guard);
        PyBuffer::get(&observation)?.copy_from_slice(py, &measured.observed())?;
        let interval = self.interval_of(py, &measured)?;
        let reward = self.reward_of(&interval, &measured)?;
        let info = PyDict::new(py);
        info.set_item(pyo3::intern!(py, "interval"), interval)?;
        Ok((observation, reward, is_terminated, is_over && !is_terminated, info))
    }

    /// Ends the episode that goes on, if one does: no step of it can be made any more.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(state) = self.locked(py)?.as_mut() {
            state.is_over = true;
        }
        Ok(())
    }

    /// The run of this episode; None before the first.
    #[getter]
    fn simulation(&self, py: Python<'_>) -> PyResult<Option<Py<Simulation>>> {
        Ok(self.locked(py)?.as_ref().map(|state| state.simulation.clone_ref(py)))
    }
}

impl Episode {
    fn locked(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Option<State>>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(errors::usage(
                py,
                "another thread steps the environment now",
                "use each environment in one thread at a time",
            )),
        }
    }

    /// By what an action multiplies.
    fn factor(&self, action: &Bound<'_, PyAny>) -> PyResult<f64> {
        let factor = match &self.action {
            Action::Place(factors) => action.extract::<usize>().ok().and_then(|place| self.at(factors, place)),
            Action::Change(_) => {
                let change = match action.len() {
                    Ok(1) => action.get_item(0).and_then(|change| change.extract::<f64>()).ok(),
                    _ => None,
                };
                change.and_then(|change| self.power(change))
            }
        };
        factor.ok_or_else(|| self.refused(action))
    }

    fn at(&self, factors: &[f64], place: usize) -> Option<f64> {
        factors.get(place).copied()
    }

    fn power(&self, change: f64) -> Option<f64> {
        match self.action {
            Action::Change(largest) if (-1.0..=1.0).contains(&change) => Some(largest.powf(change)),
            _ => None,
        }
    }

    fn refused(&self, action: &Bound<'_, PyAny>) -> PyErr {
        let shown = action.repr().map_or_else(|_| "of this kind".to_owned(), |text| text.to_string());
        match &self.action {
            Action::Place(factors) => errors::usage(
                action.py(),
                format_args!("action {shown} is no place of a factor"),
                format_args!("write a whole number, 0 to {}", factors.len() - 1),
            ),
            Action::Change(_) => errors::usage(
                action.py(),
                format_args!("action {shown} is out of range"),
                "give one number of -1 to 1 in an array, as [0.5]; clip others",
            ),
        }
    }

    fn interval_of<'py>(&self, py: Python<'py>, of: &Measured) -> PyResult<Bound<'py, PyAny>> {
        let members = (
            of.time_s,
            of.duration_s,
            of.delivery_rate_bps,
            of.largest_rate_bps,
            of.srtt_s,
            of.least_srtt_s,
            of.loss,
            of.in_flight_bytes,
            of.window_bytes,
            of.segment_bytes,
            of.timeouts,
        );
        self.make.bind(py).call1((&self.interval, members))
    }

    fn reward_of<'py>(&self, interval: &Bound<'py, PyAny>, of: &Measured) -> PyResult<Bound<'py, PyAny>> {
        match &self.reward {
            Reward::Weighted(weights) => Ok(weights.reward(of).into_pyobject(interval.py())?.into_any()),
            Reward::Of(function) => function.bind(interval.py()).call1((interval,)),
        }
    }
}

/// The state of an episode that goes on.
fn going<'a>(py: Python<'_>, state: &'a mut MutexGuard<'_, Option<State>>) -> PyResult<&'a mut State> {
    state
        .as_mut()
        .filter(|state| !state.is_over)
        .ok_or_else(|| errors::usage(py, "the episode is over", "call reset() to begin the next one"))
}

/// A run that is to begin.
struct Beginning {
    scenario: Py<Scenario>,
    seed: u64,
    flow: FlowId,
    name: String,
    engine: ackclock::sim::Engine,
    failed: Failed,
}

impl Beginning {
    fn of(scenario: &Bound<'_, Scenario>, seed: u64, name: &str, engine: &str) -> PyResult<Beginning> {
        let py = scenario.py();
        let flow = flow_number(&scenario.get().loaded, name)
            .ok_or_else(|| errors::usage(py, format_args!("there is no flow {name:?}"), "name one of the scenario"))?;
        let engine = result::engine_named(py, engine)?;
        Ok(Beginning {
            scenario: scenario.clone().unbind(),
            seed,
            flow,
            name: name.to_owned(),
            engine,
            failed: Failed::default(),
        })
    }

    /// Whether to begin takes a moment, as far as is known before: up to the start of the flow, and an interval at least.
    fn is_short(&self, how: &How) -> bool {
        let scenario = &self.scenario.get().loaded;
        let before = scenario.flows[self.flow].start.since(Time::ZERO);
        crate::simulation::is_short(scenario, before + how.span())
    }

    fn begin(self, how: &How, stop: &AtomicBool) -> Result<(State, Measured), Wrong> {
        let simulation = begun(self.scenario, self.seed, self.engine, self.failed);
        let simulation = Python::attach(|py| Py::new(py, simulation)).map_err(Wrong::Raised)?;
        State::begin(simulation, self.flow, how, stop)?.ok_or_else(|| {
            let problem = format!("flow {} measures no round trip before the end of the scenario", self.name);
            Wrong::usage(problem, "simulate longer, or let it begin earlier")
        })
    }
}

/// Numbers of an array of Python, in whose place others are put: copies, as other threads may look at the array.
struct Array<T: Element> {
    buffer: PyBuffer<T>,
    numbers: Vec<T>,
}

impl<T: Element> Array<T> {
    /// Refuses an array of other numbers, and one of another length.
    fn of(array: &Bound<'_, PyAny>, len: usize) -> PyResult<Array<T>> {
        let buffer = PyBuffer::get(array)?;
        let numbers = buffer.to_vec(array.py())?;
        match numbers.len() == len && !buffer.readonly() {
            true => Ok(Array { buffer, numbers }),
            false => Err(PyValueError::new_err(format!("an array of {len} numbers that can be written to is needed"))),
        }
    }

    fn write(&self, py: Python<'_>) -> PyResult<()> {
        self.buffer.copy_from_slice(py, &self.numbers)
    }
}
