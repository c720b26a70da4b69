//! What an episode knows, what it holds, and what is measured of its flow in a monitor interval.

use std::sync::atomic::{AtomicBool, Ordering};

use ackclock::ids::FlowId;
use ackclock::record::{Observation, Stage};
use ackclock::sim::{self, SteeringError};
use ackclock::units::{Rate, Span};
use pyo3::prelude::*;

use crate::errors;
use crate::simulation::{self, Simulation, Unusable};

/// What an agent does to the flow, and how often.
pub(super) struct How {
    pub(super) interval_s: f64,
    /// Whether the pacing rate is held, else the window.
    pub(super) is_rate: bool,
}

impl How {
    /// The monitor interval, rounded down to whole picoseconds.
    pub(super) fn span(&self) -> Span {
        Span::from_ps((self.interval_s * 1e12) as u64)
    }
}

/// Why nothing could be simulated.
pub(super) enum Wrong {
    /// A UsageError: the problem, and what to do.
    Usage(String, String),
    Raised(PyErr),
    /// Ctrl-C: the caller knows.
    Stopped,
}

impl Wrong {
    pub(super) fn usage(problem: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong::Usage(problem.into(), help.into())
    }

    /// As Python raises it; `stopped` is why it was stopped.
    pub(super) fn raised(self, py: Python<'_>, stopped: Option<PyErr>) -> PyErr {
        match (self, stopped) {
            (Wrong::Usage(problem, help), _) => errors::usage(py, problem, help),
            (Wrong::Raised(error), _) | (Wrong::Stopped, Some(error)) => error,
            (Wrong::Stopped, None) => errors::defect(py, "a step ended before its end"),
        }
    }
}

impl From<Unusable> for Wrong {
    fn from(Unusable(problem, help): Unusable) -> Wrong {
        Wrong::usage(problem, help)
    }
}

impl From<SteeringError> for Wrong {
    fn from(error: SteeringError) -> Wrong {
        Wrong::Usage(format!("flow {}: {}", error.flow, error.reason), error.remedy)
    }
}

/// What was measured of the flow in a monitor interval, as `ackclock.gym.Interval` has it.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    pub(super) time_s: f64,
    pub(super) duration_s: f64,
    pub(super) delivery_rate_bps: f64,
    pub(super) largest_rate_bps: f64,
    pub(super) srtt_s: f64,
    pub(super) least_srtt_s: f64,
    pub(super) loss: f64,
    pub(super) in_flight_bytes: u64,
    pub(super) window_bytes: f64,
    pub(super) segment_bytes: u64,
    pub(super) timeouts: usize,
}

/// How many numbers an observation has.
pub(super) const OBSERVED: usize = 5;

impl Measured {
    /// The numbers of an observation.
    pub(super) fn observed(&self) -> [f32; OBSERVED] {
        let rate = if self.largest_rate_bps > 0.0 { self.delivery_rate_bps / self.largest_rate_bps } else { 0.0 };
        [
            rate as f32,
            (self.srtt_s / self.least_srtt_s - 1.0).min(10.0) as f32,
            self.loss as f32,
            (self.in_flight_bytes as f64 / self.window_bytes).min(2.0) as f32,
            ((1.0 + self.window_bytes / self.segment_bytes as f64).log2() / 10.0) as f32,
        ]
    }
}

/// Weights of the reward that `ackclock.gym.Utility` gives.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub(super) throughput: f64,
    pub(super) delay: f64,
    pub(super) loss: f64,
}

impl Weights {
    /// What `Utility` returns of an interval, to the bit.
    pub(super) fn reward(&self, of: &Measured) -> f64 {
        let least = (8 * of.segment_bytes) as f64 / of.duration_s;
        let rate = (of.delivery_rate_bps.max(least) / 1e6).log2();
        self.throughput * rate - self.delay * (of.srtt_s / of.least_srtt_s).log2() - self.loss * of.loss
    }
}

/// An episode that goes on, or is over.
pub(super) struct State {
    pub(super) simulation: Py<Simulation>,
    flow: FlowId,
    seen: Observation,
    /// What is held: bytes, or bits per second.
    held: f64,
    least_srtt_s: f64,
    largest_rate_bps: f64,
    most_in_flight: u64,
    pub(super) is_over: bool,
    pub(super) is_terminated: bool,
}

impl State {
    /// A run goes on to the first round trip of a flow. `None` if there is none before the end.
    pub(super) fn begin(
        simulation: Py<Simulation>,
        flow: FlowId,
        how: &How,
        stop: &AtomicBool,
    ) -> Result<Option<(State, Measured)>, Wrong> {
        let of = simulation.get();
        let mut guard = of.locked()?;
        let run = guard.as_mut().ok_or(ENDED)?;
        let mut seen = run.observe(flow)?;
        let srtt_s = loop {
            if let Some(srtt_s) = seen.smoothed_round_trip_s {
                break srtt_s;
            }
            if run.progress().finished() || seen.stage == Stage::Ended {
                return Ok(None);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Wrong::Stopped);
            }
            advance(of, run, how.interval_s, stop)?;
            seen = run.observe(flow)?;
        };
        let time_s = seen.now.as_secs_f64();
        let acknowledged = (8 * seen.acknowledged) as f64;
        let mut held = seen.window;
        if how.is_rate {
            // A round trip at which the window would have been sent; from now on nothing but the rate limits.
            held = 8.0 * seen.window / srtt_s;
            if seen.stage == Stage::Open {
                of.is_steered();
                run.hold_window(flow, Some(MOST_WINDOW_BYTES))?;
            }
        }
        drop(guard);
        let mut state = State {
            simulation,
            flow,
            seen,
            held,
            least_srtt_s: srtt_s,
            largest_rate_bps: if time_s > 0.0 { acknowledged / time_s } else { 0.0 },
            most_in_flight: seen.in_flight,
            is_over: false,
            is_terminated: false,
        };
        let time_s = time_s.max(1e-9);
        let measured = state.measured(how, &seen, acknowledged / time_s, 0.0, time_s);
        Ok(Some((state, measured)))
    }

    /// Multiplies what is held, and simulates a monitor interval.
    pub(super) fn step(&mut self, how: &How, factor: f64, stop: &AtomicBool) -> Result<Measured, Wrong> {
        let held = self.held * factor;
        if self.seen.stage == Stage::Open {
            self.held = self.bounded(how, held);
        }
        let before = self.seen;
        let of = self.simulation.get();
        let mut guard = of.locked()?;
        let run = guard.as_mut().ok_or(ENDED)?;
        if before.stage == Stage::Open {
            of.is_steered();
            match how.is_rate {
                false => run.hold_window(self.flow, Some(simulation::whole_bytes(self.held)))?,
                true => run.hold_pacing_rate(self.flow, Some(whole_rate(self.held)?))?,
            }
        }
        if let Err(wrong) = advance(of, run, how.interval_s, stop) {
            if matches!(wrong, Wrong::Raised(_)) {
                // What went on without the mechanism means nothing.
                *guard = None;
            }
            // A part of an interval is no step.
            self.is_over = true;
            return Err(wrong);
        }
        let seen = run.observe(self.flow)?;
        let is_finished = run.progress().finished();
        drop(guard);
        self.is_terminated = seen.stage == Stage::Ended;
        self.is_over = self.is_terminated || is_finished;
        let rate = seen.delivery_rate_bps(&before).unwrap_or(0.0);
        let duration_s = seen.now.as_secs_f64() - before.now.as_secs_f64();
        Ok(self.measured(how, &seen, rate, seen.loss(&before).unwrap_or(0.0), duration_s))
    }

    /// What can be held: at least a segment, and no more than what a receiver's window may let out.
    fn bounded(&self, how: &How, held: f64) -> f64 {
        let segment = self.seen.segment_bytes;
        if how.is_rate {
            let one = (8 * segment) as f64 / self.least_srtt_s;
            return held.max(one).min((4.0 * self.largest_rate_bps).max(FEWEST_SEGMENTS as f64 * one));
        }
        let most = (4 * self.most_in_flight).max(FEWEST_SEGMENTS * segment).min(MOST_WINDOW_BYTES);
        held.max(segment as f64).min(most as f64)
    }

    fn measured(&mut self, how: &How, seen: &Observation, rate: f64, loss: f64, duration_s: f64) -> Measured {
        self.seen = *seen;
        let srtt_s = seen.smoothed_round_trip_s.filter(|&srtt_s| srtt_s > 0.0).unwrap_or(self.least_srtt_s);
        self.least_srtt_s = self.least_srtt_s.min(srtt_s);
        self.largest_rate_bps = self.largest_rate_bps.max(rate);
        self.most_in_flight = self.most_in_flight.max(seen.in_flight);
        Measured {
            time_s: seen.now.as_secs_f64(),
            duration_s,
            delivery_rate_bps: rate,
            largest_rate_bps: self.largest_rate_bps,
            srtt_s,
            least_srtt_s: self.least_srtt_s,
            loss: loss.min(1.0),
            in_flight_bytes: seen.in_flight,
            window_bytes: if how.is_rate { self.held * self.least_srtt_s / 8.0 } else { self.held },
            segment_bytes: seen.segment_bytes,
            timeouts: seen.timeouts,
        }
    }
}

/// Steps a run, in pieces where that takes long.
fn advance(of: &Simulation, run: &mut sim::Simulation, seconds: f64, stop: &AtomicBool) -> Result<(), Wrong> {
    let until = simulation::after(run, seconds);
    let now = run.progress().now;
    of.failed().during(|| match of.is_short(until.since(now)) {
        true => drop(run.step(until)),
        false => simulation::in_pieces(run, until, stop),
    });
    if let Some(error) = of.failed().take() {
        return Err(Wrong::Raised(error));
    }
    match run.progress() {
        at if at.now < until.min(at.end) => Err(Wrong::Stopped),
        _ => Ok(()),
    }
}

fn whole_rate(bps: f64) -> Result<Rate, Wrong> {
    simulation::whole_rate(bps)
        .ok_or_else(|| Wrong::usage(format!("a rate of {bps} bit/s cannot be held"), "hold 1 bit/s or more"))
}

/// Whether episodes with this interval take a moment for each step, as far as is known before.
pub(super) fn is_short(simulation: &Simulation, how: &How) -> bool {
    simulation.is_short(how.span())
}

/// There is no run any more.
const ENDED: Unusable =
    Unusable("the run of this episode has ended: its result was taken, or a mechanism of it failed", "call reset()");
/// Four times the most that was in flight, or of the largest rate, may be held, and so many segments in any case.
const FEWEST_SEGMENTS: u64 = 10;
/// The most that may be held as a window, 2³⁰ bytes.
const MOST_WINDOW_BYTES: u64 = 1 << 30;
