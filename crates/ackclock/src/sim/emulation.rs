//! The network of a scenario between hosts that are outside: they hand frames down at instants of their own, and get those that
//! arrive. Everything between hosts is that of a [`Simulation`]; its TCP and its sources of datagrams are not there.

use std::fmt;

use super::{Network, Simulation, prepared};
use crate::net::{Connection, LeastTimes, Passed, Recorder, Reference};
use crate::packet::Segment;
use crate::record::{Metric, Records};
use crate::scenario::{Scenario, ServiceCategory};
use crate::tcp::{EcnMode, HostModel};
use crate::units::{Span, Time};

/// One run of the network of one scenario under one seed. No input or output, no threads, no clock: who drives it says what time it is.
///
/// ```
/// # use ackclock::{ids::*, packet::Segment, scenario::Scenario, sim::{Connection, Emulation, NotEmulated, Passed}, units::*};
/// /// When a segment of 1000 bytes is at the receiver of the first flow that its sender hands down at 3 ms.
/// fn arrival(scenario: &Scenario) -> Result<Option<Time>, Vec<NotEmulated>> {
///     let mut emulation = Emulation::new(scenario, 1)?;
///     let (sent, mut arrived) = (Time::ZERO + Span::from_ms(3), None);
///     emulation.advance(sent, |_| ());
///     let segment = Segment { len: 1000, ..Segment::default() };
///     emulation.hand_down(sent, Connection::Data(FlowId::from_index(0)), segment, 0);
///     while emulation.next_arrival() < emulation.end() && arrived.is_none() {
///         emulation.advance(emulation.next_arrival(), |passed| match passed {
///             Passed::Arrived { time, handle: 0, .. } => arrived = Some(time),
///             Passed::Arrived { .. } | Passed::Lost { .. } => {}
///         });
///     }
///     Ok(arrived)
/// }
/// ```
pub struct Emulation {
    simulation: Simulation,
    least_times: LeastTimes,
}

/// Why a scenario cannot be emulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEmulated {
    /// What of the scenario it is, as `flow f` or `link a->b`.
    pub place: String,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for NotEmulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.reason, self.remedy)
    }
}

impl std::error::Error for NotEmulated {}

impl Emulation {
    /// The network before anything has been handed down.
    ///
    /// # Errors
    /// Everything of the scenario that only simulated hosts can do.
    pub fn new(scenario: &Scenario, seed: u64) -> Result<Emulation, Vec<NotEmulated>> {
        let wrong = not_emulated(scenario);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let recorder = Recorder::new(scenario);
        let network = Reference::with_external_ends(scenario, seed, recorder.as_deref());
        let simulation = prepared(scenario, seed, Network::Reference(Box::new(network)), recorder);
        Ok(Emulation { simulation, least_times: LeastTimes::new(scenario) })
    }

    /// A host hands a segment down to the network, which has [advanced](Emulation::advance) to this instant. The caller knows it by
    /// `handle`. Sequence and acknowledgement numbers count from the first byte of the connection and do not wrap.
    ///
    /// # Panics
    /// If what happens at this instant or before it has not been handled, if the run has come to its end, or if the scenario has
    /// no such connection.
    pub fn hand_down(&mut self, now: Time, connection: Connection, segment: Segment, handle: u32) {
        self.open(now).hand_down_from_outside(now, connection, segment, handle);
    }

    /// A host hands the next datagram of the UDP source with this number down, with so many bytes of payload.
    ///
    /// # Panics
    /// As [`Emulation::hand_down`].
    pub fn hand_down_datagram(&mut self, now: Time, source: usize, payload_bytes: u32, handle: u32) {
        self.open(now).hand_down_datagram(now, source, payload_bytes, handle);
    }

    /// Handles everything that happens up to `now`, that instant included, and before the end of the scenario. `passed` gets what has
    /// become of frames, in order of time.
    pub fn advance(&mut self, now: Time, passed: impl FnMut(Passed)) {
        self.simulation.step(now.saturating_add(Span::from_ps(1)));
        self.reference().take_passed(passed);
    }

    /// Before then, no frame arrives, unless one is handed down until then: a lower bound. [`Time::NEVER`] if nothing is on its way.
    pub fn next_arrival(&self) -> Time {
        let Network::Reference(network) = &self.simulation.network else { unreachable!("{ENGINE}") };
        network.next_arrival(&self.least_times)
    }

    /// The end of the scenario: nothing is handed down from then on.
    pub fn end(&self) -> Time {
        self.simulation.end
    }

    /// Ends the run at the instant to which it has come: its records say that it is not complete.
    pub fn cancel(&mut self) {
        self.simulation.cancel();
    }

    /// The records up to now. Those of flows hold what is seen of them at both ends of the network; what only TCP knows, as windows and
    /// timeouts, is 0 or missing.
    pub fn records(&self) -> Records {
        seen(self.simulation.records())
    }

    /// The records at the end. Long ones are not copied.
    pub fn finish(self) -> Records {
        seen(self.simulation.finish())
    }

    fn reference(&mut self) -> &mut Reference {
        let Network::Reference(network) = &mut self.simulation.network else { unreachable!("{ENGINE}") };
        network
    }

    /// The network at an instant before the end.
    fn open(&mut self, now: Time) -> &mut Reference {
        assert!(now < self.simulation.end, "the run ended at {}, before {now}", self.simulation.end);
        self.reference()
    }
}

const ENGINE: &str = "the ends are outside of the reference engine";

/// Without the series of which nothing is known.
fn seen(mut records: Records) -> Records {
    records.series.retain(|series| {
        let of_tcp = [Metric::Cwnd, Metric::Ssthresh, Metric::SendWindow, Metric::Rtt, Metric::Srtt, Metric::Rto];
        !of_tcp.contains(&series.metric)
    });
    records
}

/// What only simulated hosts can do.
fn not_emulated(scenario: &Scenario) -> Vec<NotEmulated> {
    let mut wrong = Vec::new();
    let mut add = |place: String, reason: &str, remedy: &str| {
        wrong.push(NotEmulated { place, reason: reason.to_owned(), remedy: remedy.to_owned() });
    };
    for source in scenario.udp.iter().filter(|source| source.echo.is_some()) {
        let reason = "datagrams that come back (echo) are sent by simulated hosts";
        add(format!("source {}", source.name), reason, "leave `echo` out, or simulate the scenario");
    }
    for flow in scenario.flows.iter() {
        let place = || format!("flow {}", flow.name);
        if flow.back_of.is_some() {
            let reason = "responses (the application \"exchanges\") begin when simulated hosts have a request";
            add(place(), reason, "choose another `application`, or simulate the scenario");
        }
        if let ServiceCategory::Abr(_) = flow.service {
            let reason = "the service ABR needs a host that sends cell by cell at the rate that RM cells say";
            add(place(), reason, "choose service = \"ubr\", or simulate the scenario");
        }
        if flow.tcp.ecn.mode != EcnMode::Off {
            let reason = "marks of queues (ecn) are those of simulated packets, and do not reach real hosts";
            add(place(), reason, "choose ecn = \"off\", or simulate the scenario");
        }
        if flow.tcp.host != HostModel::Immediate {
            let reason =
                "service times of hosts (host = \"served\") are those of simulated hosts, real ones take their own";
            add(place(), reason, "choose host = \"immediate\", or simulate the scenario");
        }
    }
    for link in scenario.links.iter().filter(|link| link.params.duplicate > 0.0) {
        let reason = "a packet of a real host that comes twice (duplicate) cannot be told from its copy";
        add(format!("link {}", link.name), reason, "leave `duplicate` out, or simulate the scenario");
    }
    for (_, link) in scenario.links.iter_ids().filter(|(_, link)| link.queue.feedback.is_some()) {
        let reason = "routers that tell TCP senders rates (tcp_feedback) change acknowledgements, and those of real hosts stay as they are";
        add(format!("link {}", link.name), reason, "choose tcp_feedback = \"none\", or simulate the scenario");
    }
    wrong
}
