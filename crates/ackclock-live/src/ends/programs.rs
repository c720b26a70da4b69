//! Programs that the kernel gets for a run: congestion controls that Linux does not have, and a probe of each acknowledgement. They need
//! capabilities and a kernel with type information.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use ackclock::ids::{Id, NodeId};
use ackclock::scenario::Scenario;
use ackclock::units::Time;
use ackclock_bpf::{CongestionControl, Error, Probe};
use rustix::time::{ClockId, clock_gettime};

use super::trace::Acknowledged;
use crate::clock::Clock;
use crate::hosts::Host;
use crate::settings::FlowSettings;
use crate::{Addresses, LiveError};

/// The congestion controls of a run, until it ends.
pub struct CongestionControls {
    loaded: Vec<CongestionControl>,
    /// Of each flow that has one, its place among them.
    of_flows: Vec<Option<usize>>,
}

/// The name holds for the whole machine: each run of each process has its own.
static NUMBER: AtomicU32 = AtomicU32::new(0);

impl CongestionControls {
    /// Loads what the flows need, flows with the same parameters the same.
    pub fn load(flows: &[FlowSettings]) -> Result<CongestionControls, LiveError> {
        let (mut loaded, mut programs, mut of_flows) = (Vec::new(), Vec::new(), Vec::new());
        for flow in flows {
            let Some(program) = &flow.algorithm.program else {
                of_flows.push(None);
                continue;
            };
            let place = programs.iter().position(|other| *other == program).unwrap_or(programs.len());
            if place == programs.len() {
                let number = NUMBER.fetch_add(1, Ordering::Relaxed) % 10_000;
                let name = format!("ack{}.{number}", std::process::id());
                loaded.push(CongestionControl::load(program.kind, &name, &program.parameters).map_err(live)?);
                programs.push(program);
            }
            of_flows.push(Some(place));
        }
        Ok(CongestionControls { loaded, of_flows })
    }

    /// What the kernel calls the congestion control of a flow.
    pub fn name<'a>(&'a self, flow: usize, settings: &'a FlowSettings) -> &'a str {
        self.of_flows[flow].map_or(settings.algorithm.kernel, |place| self.loaded[place].name())
    }
}

fn live(error: Error) -> LiveError {
    let text = error.to_string();
    let (text, help) = text.split_once("\nhelp: ").unwrap_or((&text, "see docs/live-vegas-a.md"));
    LiveError::machine(text, help)
}

/// A probe of the acknowledgements of all flows. The kernel has none of a connection that its application has closed.
pub struct Acknowledgements {
    probe: Option<Probe>,
    /// The flow of each namespace and port of the receiver.
    flows: BTreeMap<(u64, u16), usize>,
}

impl Acknowledgements {
    /// Watches the senders. Where that is not possible nothing is seen.
    pub fn watch(scenario: &Scenario, addresses: &Addresses, hosts: &BTreeMap<NodeId, Host>) -> Acknowledgements {
        let of_flow = |id| {
            let from = scenario.links[scenario.flows[id].forward.first()].from;
            ((hosts[&from].namespace.inode(), addresses.receiver(id).port()), id.index())
        };
        let flows: BTreeMap<_, _> = scenario.flows.iter_ids().map(|(id, _)| of_flow(id)).collect();
        let mut namespaces: Vec<u64> = flows.keys().map(|(inode, _)| *inode).collect();
        namespaces.dedup();
        Acknowledgements { probe: Probe::start(&namespaces).ok(), flows }
    }

    /// Hands out what has come since the last call.
    pub fn drain(&mut self, clock: Clock, mut each: impl FnMut(usize, Time, &Acknowledged)) {
        let Some(probe) = &mut self.probe else { return };
        // Both clocks are CLOCK_MONOTONIC, and begin elsewhere.
        let monotonic = clock_gettime(ClockId::Monotonic);
        let (here, there) = (clock.now().as_ps(), (monotonic.tv_sec * 1_000_000_000 + monotonic.tv_nsec) as u64);
        let flows = &self.flows;
        // What cannot be read is missing in the trace, as if it were lost.
        let _ = probe.drain(|event| {
            let Some(&flow) = flows.get(&(u64::from(event.namespace), event.remote_port)) else { return };
            let ago = 1000 * there.saturating_sub(event.time);
            let acknowledged = Acknowledged {
                cwnd: event.cwnd,
                ssthresh: event.ssthresh,
                srtt: event.srtt,
                peer_window: event.peer_window,
            };
            each(flow, Time::from_ps(here.saturating_sub(ago)), &acknowledged);
        });
    }

    /// Whether they are seen.
    pub fn are_seen(&self) -> bool {
        self.probe.is_some()
    }

    /// Acknowledgements for which there was no room.
    pub fn lost(&self) -> u64 {
        self.probe.as_ref().map_or(0, Probe::lost)
    }
}
