//! Ends of connections that are outside: the caller of the engine hands frames down at hosts, and gets those back that arrive.

use std::collections::VecDeque;

use super::observed::ObservedFlow;
use crate::ids::{FlowId, Id, IdVec, VcId};
use crate::net::flow::{End, ack_vc, data_vc, end_of};
use crate::scenario::Scenario;
use crate::units::Time;

/// A one-way path of a scenario: what is sent on it, by whom, to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connection {
    /// From the sender of a flow to its receiver.
    Data(FlowId),
    /// From the receiver of a flow to its sender.
    Acknowledgements(FlowId),
    /// Of the source of datagrams that has this number in the scenario.
    Udp(usize),
}

impl Connection {
    /// Its number, in a scenario with so many flows.
    pub(super) fn vc(self, flows: usize) -> VcId {
        match self {
            Connection::Data(flow) => data_vc(flow.index()),
            Connection::Acknowledgements(flow) => ack_vc(flow.index()),
            Connection::Udp(number) => data_vc(flows + number),
        }
    }

    /// The connection of this number, in a scenario with so many flows.
    fn of(vc: VcId, flows: usize) -> Connection {
        match end_of(vc) {
            (flow, _) if flow >= flows => Connection::Udp(flow - flows),
            (flow, End::Receiver) => Connection::Data(FlowId::from_index(flow)),
            (flow, End::Sender) => Connection::Acknowledgements(FlowId::from_index(flow)),
        }
    }
}

/// What has become of a frame that was handed down. Each becomes one of these once, or is still on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// It has arrived whole at the end of its connection.
    Arrived {
        /// When its last bit was there.
        time: Time,
        /// What it was sent on.
        connection: Connection,
        /// What the caller knows it by.
        handle: u32,
    },
    /// It will not arrive. This may be known later than it happens.
    Lost {
        /// What the caller knows it by.
        handle: u32,
    },
}

/// What the engine keeps for the caller.
pub(super) struct ExternalEnds {
    pub(super) observed: Vec<ObservedFlow>,
    /// Of each source the datagrams handed down.
    pub(super) datagrams_sent: Vec<u64>,
    handles: IdVec<VcId, Handles>,
    passed: Vec<Passed>,
}

/// By which handles the caller knows the frames of a connection.
#[derive(Default)]
struct Handles {
    /// Of those that wait in the host, in order.
    waiting: VecDeque<u32>,
    /// Of those that have begun, by their numbers, which ascend. `None`: it has arrived, and an earlier one perhaps not yet.
    begun: VecDeque<(u32, Option<u32>)>,
}

impl ExternalEnds {
    /// Nothing has been handed down in a scenario with so many connections.
    pub(super) fn new(scenario: &Scenario, connections: usize) -> ExternalEnds {
        ExternalEnds {
            observed: scenario.flows.iter().map(|flow| ObservedFlow::new(flow.size)).collect(),
            datagrams_sent: vec![0; scenario.udp.len()],
            handles: (0..connections).map(|_| Handles::default()).collect(),
            passed: Vec::new(),
        }
    }

    /// A frame waits in its host.
    pub(super) fn waits(&mut self, vc: VcId, handle: u32) {
        self.handles[vc].waiting.push_back(handle);
    }

    /// The first of those that wait begins to be transmitted, as this frame; or it is lost on purpose, and has no number.
    pub(super) fn begins(&mut self, vc: VcId, frame: u32, is_lost: bool) {
        let handles = &mut self.handles[vc];
        let handle = handles.waiting.pop_front().expect("what begins has waited");
        match is_lost {
            true => self.passed.push(Passed::Lost { handle }),
            false => handles.begun.push_back((frame, Some(handle))),
        }
    }

    /// A frame is at the end of its connection, or what is left of it.
    pub(super) fn ends(&mut self, now: Time, vc: VcId, frame: u32, is_whole: bool) {
        let begun = &mut self.handles[vc].begun;
        let first = begun.front().expect("a frame that arrives has begun").0;
        // Numbers follow each other, and they may wrap.
        let (_, handle) = &mut begun[frame.wrapping_sub(first) as usize];
        let handle = handle.take().expect("a frame arrives once");
        let connection = Connection::of(vc, self.observed.len());
        self.passed.push(match is_whole {
            true => Passed::Arrived { time: now, connection, handle },
            false => Passed::Lost { handle },
        });
    }

    /// Forgets the first frames of a connection of which nothing is on its way, as `is_gone` says.
    pub(super) fn clear(&mut self, vc: VcId, is_gone: impl Fn(u32) -> bool) {
        let begun = &mut self.handles[vc].begun;
        while let Some((_, handle)) = begun.front().filter(|(frame, handle)| handle.is_none() || is_gone(*frame)) {
            self.passed.extend(handle.map(|handle| Passed::Lost { handle }));
            begun.pop_front();
        }
    }

    /// What has become of frames since this was last asked.
    pub(super) fn take_passed(&mut self, mut each: impl FnMut(Passed)) {
        self.passed.drain(..).for_each(&mut each);
    }
}
