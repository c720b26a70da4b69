//! What a run leaves behind: plain values, named and with units. Files are written elsewhere.

mod abr;
mod after_warmup;
mod counters;
mod feedback;
mod fingerprint;
mod histogram;
mod limited;
mod limiting;
mod metric;
pub mod metrics;
mod observation;
mod per_interval;
mod series;
pub mod stats;
pub mod trace;

pub use abr::{AbrRecord, PortRatesRecord};
pub(crate) use after_warmup::Counted;
pub use after_warmup::{AfterWarmup, PortCounts};
pub(crate) use counters::port_counters;
pub use counters::{AbrCounts, Counter, Counters, Drops, FlowCounts, LinkLosses, PortTallies, UdpCounts};
pub use feedback::EdgeRecord;
pub use fingerprint::{Fingerprint, combine};
pub use histogram::{Delays, Histogram};
pub use limited::LimitedTimes;
pub use limiting::{is_of_data, limiting_port};
pub use metric::{GROUPS, Metric, MetricSet, Shape, Subject};
pub use observation::{Observation, Stage};
pub use per_interval::{PerInterval, Stretches};
pub use series::{Capture, Captured, Columns, Loss, MOST_INTERVALS, Series};

use std::sync::Arc;

use crate::units::{Span, Time};

/// The outcome of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// The seed of the run.
    pub seed: u64,
    /// How far the run came.
    pub simulated: Span,
    /// Whether it came to the end of the scenario; not so if it was cancelled.
    pub complete: bool,
    /// One record per flow, in the order of the scenario.
    pub flows: Vec<FlowRecord>,
    /// One record per source of datagrams, in the order of the scenario.
    pub udp: Vec<UdpRecord>,
    /// One record per output port of a switch, in the order of the scenario.
    pub ports: Vec<PortRecord>,
    /// One record per direction of a link that changes or corrupts packets, in the order of the scenario.
    pub links: Vec<LinkRecord>,
    /// Goodput of the flows whose data cross the bottleneck, over its capacity; `None` where no bottleneck is named.
    pub efficiency: Option<f64>,
    /// Efficiency over the time after the warm-up; `None` also for a run that ended before.
    pub efficiency_after_warmup: Option<f64>,
    /// Jain's index over the goodput of the flows that have begun; where a bottleneck is named, of those whose data
    /// cross it. `None` where they have none. It is not about files of a group, which come and go.
    pub fairness: Option<f64>,
    /// These numbers over the time after the warm-up; `None` without a warm-up, and for a run that ended before.
    pub after_warmup: Option<AfterWarmup>,
    /// A hash over everything observable, entities in name order. Entities to which nothing happened do not count.
    pub fingerprint: u64,
    /// What the scenario asks to record over time: metrics in the order of [`Metric::ALL`], of each the flows or ports
    /// in the order of the scenario.
    pub series: Vec<Series>,
    /// What passed the hosts that the scenario asks to capture at.
    pub captures: Vec<Capture>,
}

/// What one flow did.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowRecord {
    /// The flow's name.
    pub name: String,
    /// Payload bits per second delivered in order, over the whole run.
    pub goodput_bps: f64,
    /// Goodput over the time after the warm-up, bits per second; `None` for a run that ended before.
    pub goodput_after_warmup_bps: Option<f64>,
    /// What is counted.
    pub counts: FlowCounts,
    /// When the timer expired.
    pub timeout_times: Vec<Time>,
    /// Reductions of ssthresh with no growth of the window between them: the longest series.
    pub longest_backoff: u32,
    /// When the last byte of a file was acknowledged.
    pub completed: Option<Time>,
    /// When the last bytes so far were delivered; `None` before the first.
    pub last_delivery: Option<Time>,
    /// Hash over what the sender saw and did.
    pub sender_fingerprint: u64,
    /// Hash over what the receiver saw and did.
    pub receiver_fingerprint: u64,
    /// What kept the sender from sending more, and for how long.
    pub limited: LimitedTimes,
    /// How long its data took, if that is asked for.
    pub delays: Option<Box<FlowDelays>>,
    /// What was exchanged, by the flow of requests.
    pub exchanges: Option<Box<ExchangesRecord>>,
    /// What its ABR source did, if it has one.
    pub abr: Option<AbrRecord>,
    /// Its max-min share, where some port gives rates to flows of TCP and no route changes.
    pub max_min: Option<MaxMinShare>,
}

/// The max-min share of a flow of TCP, where all flows of TCP share the whole rate of every link at all times. What UDP takes is not
/// left out, and no window limits a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxMinShare {
    /// Bits per second on the wire.
    pub wire_bps: f64,
    /// Bits per second of payload in full segments at that rate.
    pub payload_bps: f64,
}

/// How long the data of one flow took, after the warm-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowDelays {
    /// From when TCP hands a segment with payload down until it has arrived whole.
    pub one_way: Histogram,
    /// The round trips that TCP measures.
    pub round_trip: Histogram,
}

/// How long the datagrams of one source took, after the warm-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpDelays {
    /// From when a datagram is sent until it has arrived whole.
    pub one_way: Histogram,
    /// The interarrival jitter of RFC 3550 §6.4.1 after each arrival.
    pub jitter: Histogram,
}

/// What a client and a server exchanged on one connection.
#[derive(Clone, Debug, PartialEq)]
pub struct ExchangesRecord {
    /// Requests that the client has sent.
    pub requests: u64,
    /// Exchanges whose response is there in full.
    pub completed: u64,
    /// Bytes of all requests, and of all responses that were begun.
    pub request_bytes: u64,
    /// Bytes of all responses that were begun.
    pub response_bytes: u64,
    /// How often each time occurred from when a request was sent until its response was there in full, of those after the warm-up.
    pub times: Histogram,
}

/// What one source of datagrams sent, and what of it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct UdpRecord {
    /// The source's name.
    pub name: String,
    /// What is counted.
    pub counts: UdpCounts,
    /// Payload bits per second that arrived, over the whole run.
    pub goodput_bps: f64,
    /// Hash over the arrivals.
    pub fingerprint: u64,
    /// Of datagrams that are sent back, how often each time occurred from when one was sent until its echo had arrived whole, of those
    /// that arrived after the warm-up.
    pub round_trips: Option<Box<Histogram>>,
    /// How long they took, if that is asked for.
    pub delays: Option<Box<UdpDelays>>,
}

/// What happened at one output port of a switch. Units are cells on an ATM network, packets on a packet network.
#[derive(Clone, Debug, PartialEq)]
pub struct PortRecord {
    /// The port's name, `from->to`.
    pub name: String,
    /// Units that were admitted or refused. (A cell that waits for the end of its slot is neither yet.)
    pub arrivals: u64,
    /// Units that began to be transmitted.
    pub departures: u64,
    /// Units refused, by reason.
    pub drops: Drops,
    /// What it counts beside these.
    pub tallies: PortTallies,
    /// Time-weighted mean number of waiting units.
    pub mean_queue: f64,
    /// Largest number of waiting units.
    pub max_queue: u64,
    /// Units waiting at the end.
    pub final_queue: u64,
    /// Time-weighted mean number of connections with something waiting.
    pub mean_active: f64,
    /// How often the queue rose above the threshold R of the drop policy; `None` for a policy without one.
    pub congestion_episodes: Option<u64>,
    /// What it told ABR sources, if it has a rate algorithm and ABR connections cross it.
    pub rates: Option<PortRatesRecord>,
    /// What its router told TCP senders, if it has a rate algorithm with feedback and TCP flows cross it.
    pub feedback: Option<EdgeRecord>,
    /// Each path through the port, in the order of the scenario: data, then acknowledgements of each flow.
    pub vcs: Vec<VcRecord>,
    /// Hash over what the port refused, and its counters.
    pub fingerprint: u64,
    /// How long each unit waited that began to be transmitted after the warm-up, from when it was admitted; if that is asked
    /// for, and if anything can wait here.
    pub sojourn: Option<Box<Histogram>>,
}

/// Why a unit was refused, or lost on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The buffer was full.
    Overflow,
    /// An earlier cell of its frame met a full buffer.
    PartialFrame,
    /// The policy refused its frame.
    Policy,
    /// It arrived damaged, and was discarded for its checksum.
    Corrupted,
    /// Its link went down, or its route was lost.
    Outage,
    /// It came to a node from which there was no route to its destination.
    NoRoute,
    /// It was transmitted when nobody was at the far end.
    NoReceiver,
    /// It had crossed as many links as it may, and was not at its destination.
    Ttl,
}

names!(DropReason:
    Overflow = "overflow", PartialFrame = "partial-frame", Policy = "policy", Corrupted = "corrupted",
    Outage = "outage", NoRoute = "no-route", NoReceiver = "no-receiver", Ttl = "ttl"
);

impl DropReason {
    /// Counts a refusal by a queue for this reason.
    ///
    /// # Panics
    /// For a reason that no queue has.
    pub fn count(self, drops: &mut Drops) {
        match self {
            DropReason::Overflow => drops.overflow += 1,
            DropReason::PartialFrame => drops.partial_frame += 1,
            DropReason::Policy => drops.policy += 1,
            DropReason::Outage => drops.outage += 1,
            DropReason::Corrupted | DropReason::NoRoute | DropReason::NoReceiver | DropReason::Ttl => {
                unreachable!("it is lost on a link, or behind it")
            }
        }
    }
}

impl Drops {
    /// All refused units.
    pub fn total(&self) -> u64 {
        self.values().sum()
    }
}

/// What one direction of a link lost, of packets that its port did not refuse. Only links that change or corrupt packets,
/// or that are on routes that change, and that some connection crosses, have a record.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRecord {
    /// The link's name, `from->to`.
    pub name: String,
    /// What all paths lost.
    pub lost: LinkLosses,
    /// Packets that came to the queue before it twice.
    pub duplicated: u64,
    /// Each path over the link, in the order of the scenario.
    pub vcs: Vec<LinkVcRecord>,
    /// Hash over what was lost, and when.
    pub fingerprint: u64,
}

/// What one path lost on one link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkVcRecord {
    /// The flow's name, with `/ack` for the reverse path; records of one path share it.
    pub name: Arc<str>,
    /// What it lost.
    pub lost: LinkLosses,
}

/// What ports refused and links lost of the connection called `name`.
pub fn lost(name: &str, ports: &[PortRecord], links: &[LinkRecord]) -> u64 {
    let refused = ports.iter().flat_map(|port| &port.vcs).filter(|vc| *vc.name == *name).map(|vc| vc.drops);
    let on_links = links.iter().flat_map(|link| &link.vcs).filter(|vc| *vc.name == *name);
    refused.sum::<u64>() + on_links.map(|vc| vc.lost.total()).sum::<u64>()
}

impl LinkLosses {
    /// All lost packets.
    pub fn total(&self) -> u64 {
        self.values().sum()
    }

    /// Counts a packet that was lost for this reason.
    ///
    /// # Panics
    /// For a reason that only a queue has.
    pub fn count(&mut self, reason: DropReason) {
        match reason {
            DropReason::Corrupted => self.corrupted += 1,
            DropReason::Outage => self.outage += 1,
            DropReason::NoRoute => self.no_route += 1,
            DropReason::NoReceiver => self.no_receiver += 1,
            DropReason::Ttl => self.ttl += 1,
            DropReason::Overflow | DropReason::PartialFrame | DropReason::Policy => {
                unreachable!("a link refuses nothing")
            }
        }
    }
}

/// One path through one port.
#[derive(Clone, Debug, PartialEq)]
pub struct VcRecord {
    /// The flow's name, with `/ack` for the reverse path; records of one path share it.
    pub name: Arc<str>,
    /// Units that were admitted or refused.
    pub arrivals: u64,
    /// Units that began to be transmitted.
    pub departures: u64,
    /// Units refused.
    pub drops: u64,
    /// Time-weighted mean number of waiting units.
    pub mean_queue: f64,
    /// Largest number of waiting units.
    pub max_queue: u64,
    /// Units waiting at the end.
    pub final_queue: u64,
}
