//! A simulation that Python steps through: flows are observed, their windows and pacing rates are held, and it goes on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use ackclock::ids::FlowId;
use ackclock::record::{self, Stage};
use ackclock::sim::{self, Engine, SteeringError};
use ackclock::units::{Rate, Span, Time};
use pyo3::prelude::*;

use crate::errors;
use crate::mechanisms::Failed;
use crate::result::{self, Result};
use crate::scenario::{Scenario, flow_number};
use crate::waiting;

/// A run that is stepped through: `Scenario.start` makes it. Between two steps flows are observed and steered. It gives what a run gives
/// that was not stepped through, unless something was held.
#[pyclass(frozen, module = "ackclock")]
pub struct Simulation {
    scenario: Py<Scenario>,
    of: Arc<ackclock::scenario::Scenario>,
    seed: u64,
    /// `None` once its result was taken.
    run: Mutex<Option<sim::Simulation>>,
    was_steered: AtomicBool,
    /// The error of a mechanism of this run.
    failed: Failed,
}

/// Begins a run of a scenario under a seed, by the engine of this name, at the instant 0; nothing of it has happened yet.
#[pyfunction]
pub fn start(py: Python<'_>, scenario: &Bound<'_, Scenario>, seed: u64, engine: &str) -> PyResult<Simulation> {
    let engine = result::engine_named(py, engine)?;
    let scenario = scenario.clone().unbind();
    Ok(py.detach(|| begun(scenario, seed, engine, Failed::default())))
}

/// A run that has begun, whose mechanisms leave their errors in `failed`.
pub(crate) fn begun(scenario: Py<Scenario>, seed: u64, engine: Engine, failed: Failed) -> Simulation {
    let of = scenario.get().loaded.clone();
    let run = Mutex::new(Some(failed.during(|| sim::build_with(&of, seed, engine))));
    Simulation { scenario, of, seed, run, was_steered: AtomicBool::new(false), failed }
}

impl Simulation {
    fn flow(&self, py: Python<'_>, name: &str) -> PyResult<FlowId> {
        flow_number(&self.of, name).ok_or_else(|| {
            let names: Vec<&str> = self.of.flows.iter().take(20).map(|flow| flow.name.as_str()).collect();
            errors::usage(py, format_args!("there is no flow {name:?}"), format_args!("there are {}", names.join(", ")))
        })
    }

    /// The run, which one thread uses at a time. To wait for another one here would keep the interpreter, which that one waits for.
    pub(crate) fn locked(&self) -> std::result::Result<MutexGuard<'_, Option<sim::Simulation>>, Unusable> {
        match self.run.try_lock() {
            Ok(run) => Ok(run),
            Err(TryLockError::Poisoned(run)) => Ok(run.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Unusable("another thread steps the simulation now", "use each simulation in one thread at a time"))
            }
        }
    }

    fn run(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Option<sim::Simulation>>> {
        self.locked().map_err(|Unusable(problem, help)| errors::usage(py, problem, help))
    }

    /// From now on its result is that of a run that was steered.
    pub(crate) fn is_steered(&self) {
        self.was_steered.store(true, Ordering::Relaxed);
    }

    /// Where its mechanisms leave their errors.
    pub(crate) fn failed(&self) -> &Failed {
        &self.failed
    }

    /// Whether so much time is simulated in a moment, as far as is known before.
    pub(crate) fn is_short(&self, length: Span) -> bool {
        is_short(&self.of, length)
    }

    fn with<T>(&self, py: Python<'_>, look: impl FnOnce(&mut sim::Simulation) -> T) -> PyResult<T> {
        match self.run(py)?.as_mut() {
            Some(run) => Ok(look(run)),
            None => Err(errors::usage(py, ENDED.0, ENDED.1)),
        }
    }

    fn steered(
        &self,
        py: Python<'_>,
        name: &str,
        steer: impl FnOnce(&mut sim::Simulation, FlowId) -> std::result::Result<(), SteeringError>,
    ) -> PyResult<()> {
        let flow = self.flow(py, name)?;
        self.is_steered();
        self.with(py, |run| steer(run, flow))?
            .map_err(|error| errors::usage(py, format_args!("flow {}: {}", error.flow, error.reason), error.remedy))
    }

    /// Goes on up to an instant, in pieces between which Ctrl-C is looked for.
    fn advance(&self, py: Python<'_>, until: Time) -> PyResult<()> {
        let length = until.since(self.with(py, |run| run.progress().now)?);
        // What takes less than a moment needs no thread.
        if self.is_short(length) {
            self.with(py, |run| py.detach(|| self.failed.during(|| run.step(until))))?;
            return match self.failed.take() {
                // What went on without the mechanism means nothing.
                Some(error) => self.run(py).map(|mut run| *run = None).and(Err(error)),
                None => Ok(()),
            };
        }
        let mut guard = self.run(py)?;
        let Some(run) = guard.as_mut() else { return Ok(()) };
        let stop = AtomicBool::new(false);
        let ((), raised) = waiting::work(py, &stop, None, &self.failed, |_| {
            self.failed.during(|| in_pieces(run, until, &stop));
        });
        if let Some(error) = self.failed.take() {
            *guard = None;
            return Err(error);
        }
        raised.map_or(Ok(()), Err)
    }
}

#[pymethods]
impl Simulation {
    /// Simulates what happens within so many seconds from now on; at most to the end of the scenario.
    fn step_s(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        if !seconds.is_finite() || seconds <= 0.0 {
            return Err(errors::usage(
                py,
                format_args!("a step of {seconds} s"),
                "step by more than 0, as in \"100 ms\" or 0.1",
            ));
        }
        let until = self.with(py, |run| after(run, seconds))?;
        self.advance(py, until)
    }

    /// Simulates up to an instant, seconds since the start; at most to the end of the scenario.
    fn run_until_s(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        let now = self.now_s(py)?;
        match seconds > now {
            true => self.step_s(py, seconds - now),
            false => Ok(()),
        }
    }

    /// Simulates to the end of the scenario.
    fn run_to_end(&self, py: Python<'_>) -> PyResult<()> {
        let end = self.with(py, |run| run.progress().end)?;
        self.advance(py, end)
    }

    /// The instant to which the run has come, seconds.
    #[getter]
    fn now_s(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |run| run.progress().now.as_secs_f64())
    }

    /// The end of the scenario, seconds.
    #[getter]
    fn end_s(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |run| run.progress().end.as_secs_f64())
    }

    /// Whether nothing is left to do.
    #[getter]
    fn finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |run| run.progress().finished())
    }

    /// The names of the flows of TCP, in order.
    #[getter]
    fn flows(&self) -> Vec<String> {
        self.of.flows.iter().map(|flow| flow.name.clone()).collect()
    }

    /// What is seen of a flow now.
    #[pyo3(name = "flow")]
    fn observed(&self, py: Python<'_>, name: &str) -> PyResult<Observation> {
        let flow = self.flow(py, name)?;
        let seen = self.with(py, |run| run.observe(flow))?;
        seen.map(|seen| Observation { seen, flow: name.to_owned() })
            .map_err(|error| errors::usage(py, error.reason, error.remedy))
    }

    /// Holds the congestion window of a flow at so many bytes from now on; None releases it. A recovery from losses sets the window as
    /// long as it lasts.
    fn hold_window(&self, py: Python<'_>, flow: &str, window_bytes: Option<f64>) -> PyResult<()> {
        let bytes = match window_bytes {
            Some(bytes) if bytes.is_finite() && bytes >= 0.0 => Some(whole_bytes(bytes)),
            Some(bytes) => {
                return Err(errors::usage(py, format_args!("a window of {bytes} bytes"), "hold a segment or more"));
            }
            None => None,
        };
        self.steered(py, flow, |run, flow| run.hold_window(flow, bytes))
    }

    /// Holds the rate at which segments of a flow leave at so many bits of payload per second; None releases it.
    fn hold_pacing_rate(&self, py: Python<'_>, flow: &str, rate_bps: Option<f64>) -> PyResult<()> {
        let rate = match rate_bps {
            None => None,
            Some(bps) => match whole_rate(bps) {
                Some(rate) => Some(rate),
                None => {
                    let wrong = format_args!("a rate of {bps} bit/s cannot be held");
                    return Err(errors::usage(py, wrong, "hold 1 bit/s or more, or None for no rate"));
                }
            },
        };
        self.steered(py, flow, |run, flow| run.hold_pacing_rate(flow, rate))
    }

    /// Ends the simulation and gives its result, of what was simulated until now.
    fn result(&self, py: Python<'_>) -> PyResult<Result> {
        let Some(run) = self.run(py)?.take() else {
            return Err(errors::usage(py, "the result of the simulation was taken", "keep what result() returned"));
        };
        let records = py.detach(|| run.finish());
        Ok(Result::of_run(
            self.scenario.clone_ref(py),
            self.of.clone(),
            records,
            self.was_steered.load(Ordering::Relaxed),
        ))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let at = self.now_s(py).map_or_else(|_| "ended".to_owned(), |now| format!("at {now} s"));
        format!("Simulation({:?}, seed {}, {at})", self.of.name, self.seed)
    }
}

/// Why a simulation cannot be used now, and what to do.
pub(crate) struct Unusable(pub &'static str, pub &'static str);

/// Its result was taken, or a mechanism failed.
pub(crate) const ENDED: Unusable = Unusable(
    "the simulation has ended: its result was taken, or a mechanism of it failed",
    "start another with Scenario.start",
);

/// Whether so much time of a scenario is simulated in a moment, as far as is known before.
pub(crate) fn is_short(of: &ackclock::scenario::Scenario, length: Span) -> bool {
    of.flows.len() < FEW_FLOWS && length < SHORT
}

/// The instant so many seconds from where a run is, and not much beyond its end.
pub(crate) fn after(run: &sim::Simulation, seconds: f64) -> Time {
    let end = run.progress();
    end.now + span(seconds.min(end.end.since(end.now).as_secs_f64() + 1.0))
}

/// Steps up to an instant, in pieces between which `stop` is looked at.
pub(crate) fn in_pieces(run: &mut sim::Simulation, until: Time, stop: &AtomicBool) {
    let until = until.min(run.progress().end);
    while run.progress().now < until && !stop.load(Ordering::Relaxed) {
        let from = run.next_event();
        run.step((from + SHORT).min(until));
    }
}

/// A window as it is held.
pub(crate) fn whole_bytes(bytes: f64) -> u64 {
    bytes.round() as u64
}

/// A rate as it is held; `None` below 1 bit/s.
pub(crate) fn whole_rate(bps: f64) -> Option<Rate> {
    Rate::from_bps(if bps.is_finite() && bps >= 1.0 { bps.round() as u64 } else { 0 })
}

fn span(seconds: f64) -> Span {
    Span::from_ps((seconds * 1e12).round() as u64)
}

/// What is seen of the sender of a flow while a simulation is paused.
#[pyclass(frozen, module = "ackclock")]
pub struct Observation {
    seen: record::Observation,
    flow: String,
}

impl Observation {
    /// Refuses an observation that is none of before of the same flow.
    fn check_earlier(&self, py: Python<'_>, earlier: &Observation) -> PyResult<()> {
        match () {
            () if earlier.flow != self.flow => Err(errors::usage(
                py,
                format_args!("an observation of {} and one of {}", self.flow, earlier.flow),
                "compare observations of one flow",
            )),
            () if earlier.seen.now > self.seen.now || earlier.seen.acknowledged > self.seen.acknowledged => {
                Err(errors::usage(py, "the observation that is given is not earlier", "give the one of before"))
            }
            () => Ok(()),
        }
    }
}

#[pymethods]
impl Observation {
    /// The name of the flow.
    #[getter]
    fn flow(&self) -> &str {
        &self.flow
    }

    /// The instant, seconds: everything before it has happened.
    #[getter]
    fn time_s(&self) -> f64 {
        self.seen.now.as_secs_f64()
    }

    /// "not-begun", "open" or "ended".
    #[getter]
    fn stage(&self) -> &'static str {
        match self.seen.stage {
            Stage::NotBegun => "not-begun",
            Stage::Open => "open",
            Stage::Ended => "ended",
        }
    }

    /// Bytes of a full segment.
    #[getter]
    fn segment_bytes(&self) -> u64 {
        self.seen.segment_bytes
    }

    /// The congestion window, bytes.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.seen.window
    }

    /// The slow-start threshold, bytes; infinite before the first loss, if nothing else was set.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.seen.ssthresh
    }

    /// Whether a loss is being repaired without a timeout.
    #[getter]
    fn in_recovery(&self) -> bool {
        self.seen.in_recovery
    }

    /// Bytes believed to be in the network.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.seen.in_flight
    }

    /// The rate at which segments may leave, bits per second; None: as the windows allow.
    #[getter]
    fn pacing_rate_bps(&self) -> Option<f64> {
        self.seen.pacing_rate.map(|bytes| bytes * 8.0)
    }

    /// The smoothed round trip of the retransmission timer, seconds; None before the first sample.
    #[getter]
    fn srtt_s(&self) -> Option<f64> {
        self.seen.smoothed_round_trip_s
    }

    /// The retransmission timeout, seconds.
    #[getter]
    fn rto_s(&self) -> f64 {
        self.seen.timeout_s
    }

    /// Bytes of payload that the receiver has acknowledged since the start, each once.
    #[getter]
    fn acknowledged(&self) -> u64 {
        self.seen.acknowledged
    }

    /// Bytes of payload sent since the start, those sent again included.
    #[getter]
    fn sent(&self) -> u64 {
        self.seen.sent
    }

    /// Segments sent since the start, those sent again included.
    #[getter]
    fn segments_sent(&self) -> u64 {
        self.seen.segments_sent
    }

    /// Segments that TCP has sent again since the start.
    #[getter]
    fn retransmissions(&self) -> u64 {
        self.seen.retransmissions
    }

    /// How often the retransmission timer has expired.
    #[getter]
    fn timeouts(&self) -> usize {
        self.seen.timeouts
    }

    /// Bits per second that were acknowledged since an earlier observation; None at the same instant.
    fn delivery_rate_bps(&self, py: Python<'_>, earlier: &Observation) -> PyResult<Option<f64>> {
        self.check_earlier(py, earlier)?;
        Ok(self.seen.delivery_rate_bps(&earlier.seen))
    }

    /// Of the segments sent since an earlier observation the share that was sent again; None if none was sent.
    fn loss(&self, py: Python<'_>, earlier: &Observation) -> PyResult<Option<f64>> {
        self.check_earlier(py, earlier)?;
        Ok(self.seen.loss(&earlier.seen))
    }

    fn __repr__(&self) -> String {
        format!(
            "Observation(at {} s: {}, cwnd {:.0} bytes, in flight {} bytes)",
            self.time_s(),
            self.stage(),
            self.seen.window,
            self.seen.in_flight
        )
    }
}

/// Steps of fewer flows and less time are done by the thread that asks for them.
const FEW_FLOWS: usize = 100;
const SHORT: Span = Span::from_ms(200);
