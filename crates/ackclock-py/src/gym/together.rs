//! Episodes that are stepped together, over threads where that pays.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::measuring::{self, How, Measured, OBSERVED, State, Wrong};
use super::{Action, Array, Beginning, Episode, going};
use crate::mechanisms::Failed;
use crate::scenario::Scenario;
use crate::waiting;

/// Several episodes that are stepped together.
#[pyclass(frozen, module = "ackclock")]
pub struct Episodes {
    all: Vec<Py<Episode>>,
    threads: usize,
    /// What a step of one has taken of a thread of late, nanoseconds.
    took: AtomicU64,
}

/// A step of one of them, or its beginning.
struct Task<'a, Of, Done> {
    how: &'a How,
    of: Option<Of>,
    done: Option<Result<Done, Wrong>>,
}

#[pymethods]
impl Episodes {
    #[new]
    fn new(episodes: Vec<Py<Episode>>, threads: usize) -> Episodes {
        Episodes { all: episodes, threads, took: AtomicU64::new(0) }
    }

    /// Begins those at `places` with runs of scenarios, seeds and flows. Fills in the rows of these places of a matrix of float32, and
    /// returns their intervals.
    fn begin<'py>(
        &self,
        py: Python<'py>,
        places: Vec<usize>,
        runs: Vec<(Bound<'py, Scenario>, u64, String)>,
        engine: &str,
        observations: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut observations = self.observations(observations)?;
        let mut is_long = false;
        let mut tasks: Vec<Task<Beginning, (State, Measured)>> = Vec::with_capacity(places.len());
        for (&place, (scenario, seed, flow)) in places.iter().zip(&runs) {
            let how = &self.at(place)?.how;
            let beginning = Beginning::of(scenario, *seed, flow, engine)?;
            is_long |= !beginning.is_short(how);
            tasks.push(Task { how, of: Some(beginning), done: None });
        }
        // To build a network takes longer than to begin a thread.
        let (mut raised, _) = self.each(py, &mut tasks, true, is_long, Beginning::begin);
        let begun = places.iter().zip(tasks).map(|(&place, task)| done(py, place, task.done, &mut raised));
        let begun = begun.collect::<PyResult<Vec<_>>>()?;
        // Ctrl-C may have come in the last moment. All begin, or none.
        raised.map_or(Ok(()), Err)?;
        let mut intervals = Vec::with_capacity(places.len());
        for (&place, (state, measured)) in places.iter().zip(begun) {
            let episode = self.at(place)?;
            *episode.locked(py)? = Some(state);
            observations.numbers[row(place)].copy_from_slice(&measured.observed());
            intervals.push(episode.interval_of(py, &measured)?);
        }
        observations.write(py)?;
        Ok(intervals)
    }

    /// Steps those at `places` by the actions of these places. Fills in rows of observations (float32), and of rewards (float64), and of
    /// `terminated` and `truncated` (uint8), and returns their intervals.
    #[allow(clippy::too_many_arguments, reason = "the arrays of a step of gymnasium")]
    fn step<'py>(
        &self,
        py: Python<'py>,
        places: Vec<usize>,
        actions: &Bound<'py, PyAny>,
        observations: &Bound<'py, PyAny>,
        rewards: &Bound<'py, PyAny>,
        terminated: &Bound<'py, PyAny>,
        truncated: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let count = self.all.len();
        let (mut observations, mut rewards) = (self.observations(observations)?, Array::<f64>::of(rewards, count)?);
        let (mut terminated, mut truncated) = (Array::<u8>::of(terminated, count)?, Array::<u8>::of(truncated, count)?);
        let factors = self.factors(&places, actions)?;
        let mut stepped = Vec::with_capacity(places.len());
        let mut raised = {
            let mut guards = Vec::with_capacity(places.len());
            for &place in &places {
                guards.push(self.at(place)?.locked(py)?);
            }
            let mut is_long = false;
            let mut tasks: Vec<Task<(&mut State, f64), Measured>> = Vec::with_capacity(places.len());
            for ((&place, guard), factor) in places.iter().zip(&mut guards).zip(factors) {
                let how = &self.at(place)?.how;
                let state = going(py, guard)?;
                is_long |= !measuring::is_short(state.simulation.get(), how);
                tasks.push(Task { how, of: Some((state, factor)), done: None });
            }
            let pays = self.took.load(Ordering::Relaxed) * tasks.len() as u64 > PAYS_NS;
            let step = |(state, factor): (&mut State, f64), how: &How, stop: &AtomicBool| state.step(how, factor, stop);
            let (raised, took) = self.each(py, &mut tasks, pays, is_long, step);
            self.took.store(took, Ordering::Relaxed);
            let outcomes: Vec<_> = tasks.into_iter().map(|task| task.done).collect();
            for (outcome, guard) in outcomes.into_iter().zip(&guards) {
                let ends = guard.as_ref().map_or((true, true), |state| (state.is_over, state.is_terminated));
                stepped.push((outcome, ends));
            }
            raised
        };
        let mut intervals = Vec::with_capacity(places.len());
        for (&place, (outcome, (is_over, is_terminated))) in places.iter().zip(stepped) {
            let measured = done(py, place, outcome, &mut raised)?;
            let episode = self.at(place)?;
            observations.numbers[row(place)].copy_from_slice(&measured.observed());
            let interval = episode.interval_of(py, &measured)?;
            rewards.numbers[place] = episode.reward_of(&interval, &measured)?.extract()?;
            terminated.numbers[place] = u8::from(is_terminated);
            truncated.numbers[place] = u8::from(is_over && !is_terminated);
            intervals.push(interval);
        }
        raised.map_or(Ok(()), Err)?;
        observations.write(py)?;
        rewards.write(py)?;
        terminated.write(py)?;
        truncated.write(py)?;
        Ok(intervals)
    }
}

impl Episodes {
    fn at(&self, place: usize) -> PyResult<&Episode> {
        self.all.get(place).map(Py::get).ok_or_else(|| PyValueError::new_err("no such place"))
    }

    fn observations(&self, array: &Bound<'_, PyAny>) -> PyResult<Array<f32>> {
        Array::of(array, self.all.len() * OBSERVED)
    }

    /// By what each of the places is multiplied.
    fn factors(&self, places: &[usize], actions: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let py = actions.py();
        // What gymnasium samples; anything else is looked at one by one.
        let changes = PyBuffer::<f32>::get(actions).ok();
        let changes = changes.as_ref().filter(|changes| changes.shape() == [self.all.len(), 1]);
        let changes = changes.and_then(|changes| changes.to_vec(py).ok());
        let mut factors = Vec::with_capacity(places.len());
        for &place in places {
            let episode = self.at(place)?;
            let known = match (&episode.action, &changes) {
                (Action::Change(_), Some(changes)) => episode.power(f64::from(changes[place])),
                _ => None,
            };
            factors.push(match known {
                Some(factor) => factor,
                None => episode.factor(&actions.get_item(place)?)?,
            });
        }
        Ok(factors)
    }

    /// Does all tasks, over threads if that pays; those that are long also so that Ctrl-C is obeyed, whose error is returned. And how long a
    /// task took on average, without threads that begin and end, nanoseconds.
    fn each<Of: Send, Done: Send>(
        &self,
        py: Python<'_>,
        tasks: &mut [Task<'_, Of, Done>],
        pays: bool,
        is_long: bool,
        go: impl Fn(Of, &How, &AtomicBool) -> Result<Done, Wrong> + Sync,
    ) -> (Option<PyErr>, u64) {
        let (count, stop, took) = (tasks.len(), AtomicBool::new(false), AtomicU64::new(0));
        let one = |task: &mut Task<'_, Of, Done>| {
            if let Some(of) = task.of.take() {
                let began = Instant::now();
                task.done = Some(go(of, task.how, &stop));
                took.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
            }
        };
        let workers = if pays { self.threads.min(count) } else { 1 };
        let raised = match workers > 1 || is_long {
            false => {
                py.detach(|| tasks.iter_mut().for_each(one));
                None
            }
            true => {
                let queue = Mutex::new(tasks.iter_mut());
                let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let share = || {
                    while let Some(task) = take() {
                        one(task);
                    }
                };
                let all = |_: &waiting::Progress| {
                    thread::scope(|scope| {
                        (1..workers).for_each(|_| drop(scope.spawn(share)));
                        share();
                    });
                };
                // Errors of mechanisms are in what became of the tasks.
                waiting::work(py, &stop, None, &Failed::default(), all).1
            }
        };
        (raised, took.into_inner() / count.max(1) as u64)
    }
}

/// Where the observation of a place is.
fn row(place: usize) -> Range<usize> {
    place * OBSERVED..(place + 1) * OBSERVED
}

/// What became of the task of a place; `raised` is why it was stopped, if it was. An error that is its own says of which environment it is.
fn done<T>(py: Python<'_>, place: usize, outcome: Option<Result<T, Wrong>>, raised: &mut Option<PyErr>) -> PyResult<T> {
    outcome.unwrap_or(Err(Wrong::Stopped)).map_err(|wrong| {
        let is_own = !matches!(wrong, Wrong::Stopped);
        let error = wrong.raised(py, raised.take());
        if is_own {
            // An error that takes no note is told without.
            let _ = error.value(py).call_method1("add_note", (format!("in environment {place}"),));
        }
        error
    })
}

/// Threads pay where steps take longer than to begin and to end these, nanoseconds.
const PAYS_NS: u64 = 500_000;
