//! A simulation that is paused: flows are observed, their windows and pacing rates are held, and it goes on. Both engines give the
//! same, and a simulation that was paused and observed gives what one gives that was not.

use std::fmt;

use super::{Network, Simulation};
use crate::ids::{FlowId, Id};
use crate::net::Action;
use crate::record::{Observation, Stage};
use crate::units::Rate;

/// Why a flow cannot be observed or steered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SteeringError {
    /// The name of the flow, or its number if there is none of that number.
    pub flow: String,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for SteeringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flow {}: {}; {}", self.flow, self.reason, self.remedy)
    }
}

impl std::error::Error for SteeringError {}

impl Simulation {
    /// What is seen of a flow at the instant to which the run has come.
    ///
    /// # Errors
    /// If there is no such flow.
    pub fn observe(&self, flow: FlowId) -> Result<Observation, SteeringError> {
        self.name_of(flow)?;
        Ok(self.network.observe(flow.index()))
    }

    /// Holds the congestion window of a flow at so many bytes from now on; `None` releases it. A recovery from losses sets the window as
    /// long as it lasts. The receiver's window limits as before.
    ///
    /// # Errors
    /// If there is no such flow, if it has ended, or if the window is smaller than a segment or larger than 1 GiB, the most that
    /// a receiver can allow (RFC 7323 §2.3).
    pub fn hold_window(&mut self, flow: FlowId, bytes: Option<u64>) -> Result<(), SteeringError> {
        let name = self.open(flow)?;
        let mss = self.network.observe(flow.index()).segment_bytes;
        if let Some(bytes) = bytes.filter(|bytes| !(mss..=MOST_WINDOW_BYTES).contains(bytes)) {
            let reason = format!("a window of {bytes} bytes cannot be held");
            let remedy = format!("hold a segment, {mss} bytes, or more, and at most {MOST_WINDOW_BYTES} bytes");
            return Err(SteeringError { flow: name, reason, remedy });
        }
        let bytes = bytes.map(|bytes| bytes as f64);
        self.network.steer(flow.index(), Action::Window(bytes));
        Ok(())
    }

    /// Holds the rate at which segments of a flow leave, of their payload, from now on; `None` releases it. The windows limit as before.
    ///
    /// # Errors
    /// If there is no such flow, or if it has ended.
    pub fn hold_pacing_rate(&mut self, flow: FlowId, rate: Option<Rate>) -> Result<(), SteeringError> {
        self.open(flow)?;
        let bytes_per_second = rate.map(|rate| rate.as_bps() as f64 / 8.0);
        self.network.steer(flow.index(), Action::PacingRate(bytes_per_second));
        Ok(())
    }

    fn name_of(&self, flow: FlowId) -> Result<String, SteeringError> {
        let (number, flows) = (flow.index(), self.measured.len());
        let name = || self.network.flow_name(number).to_owned();
        (number < flows).then(name).ok_or_else(|| SteeringError {
            flow: format!("number {number}"),
            reason: format!("the scenario has {flows} flows"),
            remedy: "they are numbered in the order of the scenario, from 0 on".into(),
        })
    }

    /// The name of a flow that has not ended.
    fn open(&self, flow: FlowId) -> Result<String, SteeringError> {
        let name = self.name_of(flow)?;
        let is_over = self.network.observe(flow.index()).stage == Stage::Ended;
        let (reason, remedy) = match () {
            () if is_over => (
                "it has ended: all that its application offered is acknowledged",
                "look at its stage before, and leave it as it is",
            ),
            () if self.progress().finished() => ("the run is over", "look before whether it is, and hold nothing then"),
            () => return Ok(name),
        };
        Err(SteeringError { flow: name, reason: reason.into(), remedy: remedy.into() })
    }
}

impl Network {
    fn flow_name(&self, flow: usize) -> &str {
        match self {
            Network::Batched(network) => network.flow_name(flow),
            Network::Reference(network) => network.flow_name(flow),
        }
    }

    fn observe(&self, flow: usize) -> Observation {
        match self {
            Network::Batched(network) => network.observe(flow),
            Network::Reference(network) => network.observe(flow),
        }
    }

    fn steer(&mut self, flow: usize, action: Action) {
        match self {
            Network::Batched(network) => network.steer(flow, action),
            Network::Reference(network) => network.steer(flow, action),
        }
    }
}

/// 2³⁰, the largest window of RFC 7323.
const MOST_WINDOW_BYTES: u64 = 1 << 30;
