//! A scenario as meant: typed, complete, every reference resolved. What a file says becomes this in
//! `ackclock-scenario`, which checks everything that [`crate::sim::build`] relies on.

use std::borrow::Cow;
use std::sync::Arc;

use crate::atm::AbrParams;
use crate::atm::rate::RateAlgorithm;
use crate::feedback::Feedback;
use crate::ids::{FlowId, IdVec, LinkId, NodeId};
use crate::keys::{
    ATM_ONLY, Default, Dimension, Family, HOUR, INSTANT, Key, Kind, LATER, Limit, MOST_ORDINAL, RATE, Value, words,
};
use crate::link::{LinkParams, Medium, RoutingTable};
use crate::queue::PolicyParams;
use crate::record::MetricSet;
use crate::rng::Stream;
use crate::shared::Shared;
use crate::tcp::{ApplicationParams, TcpParams};
use crate::traffic::CbrParams;
use crate::units::{Rate, Span, Time};

/// One experiment: the network, the traffic, the length.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The scenario's name, for people.
    pub name: String,
    /// Simulated time.
    pub duration: Span,
    /// Results that exclude the start-up count from here. Shorter than `duration`.
    pub warmup: Span,
    /// What travels on the links.
    pub technology: Technology,
    /// Hosts and switches; names are unique.
    pub nodes: IdVec<NodeId, Node>,
    /// Every direction of every link; names are unique.
    pub links: IdVec<LinkId, Link>,
    /// The TCP connections; names are unique.
    pub flows: IdVec<FlowId, Flow>,
    /// Datagrams that are sent whatever becomes of them; names are unique, among the flows too.
    pub udp: Vec<UdpFlow>,
    /// The link that efficiency refers to.
    pub bottleneck: Option<Bottleneck>,
    /// What is written down while the run goes on.
    pub recording: Recording,
    /// What happens to the network, for the reader of results, in order of time. What it does to packets is said in routes
    /// and links; it changes nothing by itself.
    pub events: Vec<Event>,
}

/// Something that happens to the network, at an instant known before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: Time,
    /// What.
    pub kind: EventKind,
    /// The name of the node to which it happens: of a handover the terminal; of a link its first node; of a route its source.
    pub node: String,
    /// The name of the other node before; of a route its destination; of one that changes, the nodes of the path before.
    pub before: Option<String>,
    /// And after.
    pub after: Option<String>,
}

/// What can happen to a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A terminal without a satellite finds one.
    Acquired,
    /// A terminal goes over to another satellite.
    Handover,
    /// A terminal loses its satellite and finds no other.
    Lost,
    /// A link between satellites comes up.
    LinkUp,
    /// A link between satellites goes down.
    LinkDown,
    /// A route to a destination exists again.
    RouteFound,
    /// A route to a destination no longer exists.
    RouteLost,
    /// A route becomes another one, as the scenario says.
    RouteChanged,
}

names!(EventKind:
    Acquired = "acquired", Handover = "handover", Lost = "lost", LinkUp = "link-up", LinkDown = "link-down",
    RouteFound = "route-found", RouteLost = "route-lost", RouteChanged = "route-changed"
);

/// What is written down while a run goes on. It changes nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Which metrics.
    pub metrics: MetricSet,
    /// The length of the intervals over which metrics of that shape are taken. Not zero.
    pub interval: Span,
    /// The hosts at which every datagram is captured.
    pub captures: Vec<NodeId>,
    /// Whether it is counted how often each delay occurs: from end to end, and in queues.
    pub delays: bool,
}

impl Recording {
    /// Nothing over time, no captures.
    pub fn none() -> Recording {
        Recording { metrics: MetricSet::NONE, interval: Span::from_ms(10), captures: Vec::new(), delays: false }
    }
}

/// What travels on the links of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technology {
    /// 53-octet cells carrying AAL5 frames.
    Atm {
        /// Whether an LLC/SNAP header of 8 octets precedes each IP datagram.
        llc: bool,
    },
    /// Whole packets.
    Packet {
        /// Octets that each link adds to an IP datagram.
        link_header_bytes: u32,
    },
}

/// A host or a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique name. Random numbers depend on it.
    pub name: String,
    /// What the node does.
    pub kind: NodeKind,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Holds the ends of flows. Its output never drops.
    Host,
    /// Forwards, with a queue at every output port.
    Switch,
}
words!(NodeKind: "host" = Host, "switch" = Switch);

/// One direction of a link, with the output port that feeds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Unique name, `from->to`. It is the port's name too, and random numbers depend on it.
    pub name: String,
    /// Where the port is.
    pub from: NodeId,
    /// Where the link leads; if that changes, the first far end.
    pub to: NodeId,
    /// The rate of port and link, at the start.
    pub rate: Rate,
    /// Propagation delay at the start. It may be zero: a transmission takes time all the same.
    pub delay: Span,
    /// The medium on which it sends, if it shares one: `rate` is that of the medium. Only of packet networks without rate control of
    /// TCP, of links that begin at switches, have no outages and are on no route that changes.
    pub medium: Option<Arc<Medium>>,
    /// How it changes, and what it loses. Of packet networks only: on ATM networks links are plain.
    pub params: LinkParams,
    /// The queue of the port. Of no meaning at a host. Most ports share one: of many flows, links are most of a scenario.
    pub queue: Arc<Queue>,
}

impl Link {
    /// Who receives what begins to be transmitted at `time`.
    pub fn far_end(&self, time: Time) -> Option<NodeId> {
        match self.params.schedule.as_ref().and_then(|schedule| schedule.far_ends.as_ref()) {
            Some(far_ends) => far_ends.at(time),
            None => Some(self.to),
        }
    }
}

/// The queue of an output port.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// How much may wait, what is being transmitted not counted.
    pub buffer: Buffer,
    /// Who is refused: of the kind that the technology has.
    pub policy: PolicyParams,
    /// The order in which cells of one slot are admitted.
    pub service_order: ServiceOrder,
    /// Which rates the port gives to the ABR connections that cross it, or on packet networks to the TCP flows, if it does.
    pub rates: Option<RateAlgorithm>,
    /// How the router of the port tells TCP senders these rates, if it does: only with `rates`, and on packet networks.
    pub feedback: Option<Feedback>,
}

impl Queue {
    /// A queue that refuses nothing.
    pub fn unlimited() -> Queue {
        Queue {
            buffer: Buffer::Infinite,
            policy: PolicyParams::TailDrop,
            service_order: ServiceOrder::Random,
            rates: None,
            feedback: None,
        }
    }
}

/// The size of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Nothing is ever refused for want of room.
    Infinite,
    /// Cells (ATM networks).
    Cells(u32),
    /// Packets (packet networks).
    Packets(u32),
    /// Bytes on the wire (packet networks).
    Bytes(u64),
}

/// The order in which the inputs of a shared cell port are served within a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// A new order in every slot, a function of seed, port, slot and input.
    Random,
    /// By name, beginning one input later in every slot.
    Rotating,
    /// By name, always the same.
    Fixed,
    /// As they arrive: the first first; at one instant by name.
    Arrival,
}
words!(ServiceOrder: "random" = Random, "rotating" = Rotating, "fixed" = Fixed, "arrival" = Arrival);

/// A TCP connection with data in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Unique name. Random numbers depend on it.
    pub name: String,
    /// The group of flows that it belongs to, for measures of groups. It changes nothing in a run; fairness is not about
    /// files of a group.
    pub group: Option<Arc<str>>,
    /// The forward path, from the sender's host to the receiver's.
    pub forward: Route,
    /// The reverse path, of the acknowledgements.
    pub backward: Route,
    /// When the application begins to send, at the earliest.
    pub start: Time,
    /// It begins later by a random time below this: [`Flow::begins`].
    pub start_jitter: Span,
    /// When the application offers nothing new any more; what was sent is still repaired.
    pub stop: Option<Time>,
    /// Bytes the application has to send; `None` is infinite.
    pub size: Option<u64>,
    /// The application that offers them.
    pub application: Shared<ApplicationParams>,
    /// The service of its connections: on packet networks UBR without a peak rate.
    pub service: ServiceCategory,
    /// Both ends of the connection.
    pub tcp: Shared<TcpParams>,
    /// Segments lost on purpose.
    pub forced_drops: Vec<ForcedDrop>,
    /// The flow whose connection it shares, as the data of the other direction: they take the reverse path of that flow, and its own
    /// paths are the same in the other direction. Of packet networks without rate control of TCP only.
    pub back_of: Option<FlowId>,
}

impl Scenario {
    /// Whether any flow has the service ABR.
    pub fn has_abr(&self) -> bool {
        self.flows.iter().any(|flow| matches!(flow.service, ServiceCategory::Abr(_)))
    }
}

impl Flow {
    /// The keys of what an application sends, but those of single applications.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::new("start", INSTANT, Default::Is(Value::time(Span::ZERO)), "[SD-PLUS] §5.2",
            "When the application begins to send."),
        Key::new("start_jitter", INSTANT, Default::Is(Value::time(Span::ZERO)), "Ackclock",
            "Upper bound of a uniform random delay of the start, which depends on seed and name of the flow."),
        Key::new("stop", Kind::Or(&LATER, &["never"]), Default::Is(Value::Word("never")), "[SACK-UBR] §6.1",
            "When the application stops offering new data."),
        Key::new("size", Kind::Or(&Kind::bytes(1, 1_000_000_000_000_000_000), &["infinite"]), Default::Is(Value::Word("infinite")), "[SACK-UBR] §6.1",
            "Number of bytes that the application sends."),
        Key::new("application", Kind::Mechanism(Family::Application), Default::Derived("\"writes\" with a `write`, else \"bulk\""), "[SACK-UBR] §6.1: infinite transfer",
            "When how much of the data is there to be sent."),
        Key::new("reads", Kind::Schedule(&READ_RATE), Default::Derived("at once"), "[SACK-UBR] §6.1",
            "How fast the application of the receiver reads: what it has not read takes room, and the window says what is left. A rate; or a list of rates with their instants, of which 0 bps is a pause."),
        Key::new("reneges_at", Kind::Amounts(INSTANTS), Default::Derived("never"), "RFC 2018 §8",
            "When the receiver discards the data that it holds beyond a hole, though it has acknowledged them selectively: a list of instants."),
    ];

    /// When the application begins to send under a seed: the start, and a uniform random time below the jitter, which is a
    /// function of seed and name.
    pub fn begins(&self, seed: u64) -> Time {
        match self.start_jitter.as_ps() {
            0 => self.start,
            bound => self.start + Span::from_ps(Stream::new(seed, &self.name, "start").below(bound, 0)),
        }
    }
}

/// When a receiver may discard data.
const INSTANTS: &[Limit] = &[Limit::time(Span::from_ps(1), Span::from_secs(720 * 3_600))];

/// What an application may read per second: nothing in a pause.
const READ_RATE: Kind = Kind::quantity(Dimension::Rate, 0, 1_000_000_000_000);

/// The ATM service of a flow's connections.
#[derive(Clone, Debug, PartialEq)]
pub enum ServiceCategory {
    /// Unspecified bit rate.
    Ubr {
        /// Peak cell rate of the data and of the acknowledgement connection, as a bit rate including cell headers. At most the
        /// rate of the host's link, which it is if not given.
        pcr: Option<Rate>,
    },
    /// Available bit rate: the data follow the rates that RM cells carry. Acknowledgements and backward RM cells go
    /// at the rate of the host's link. The reverse path is the forward path, reversed.
    Abr(Box<AbrParams>),
}

impl ServiceCategory {
    /// UBR at the rate of the host's link.
    pub const UBR: ServiceCategory = ServiceCategory::Ubr { pcr: None };

    /// The peak cell rate of UBR, as a bit rate, if there is one.
    pub fn pcr(&self) -> Option<Rate> {
        match self {
            ServiceCategory::Ubr { pcr } => *pcr,
            ServiceCategory::Abr(_) => None,
        }
    }
}

/// Datagrams in one direction, UDP; on ATM networks on a UBR connection.
#[derive(Clone, Debug, PartialEq)]
pub struct UdpFlow {
    /// Unique name. Random numbers depend on it.
    pub name: String,
    /// The path from host to host.
    pub route: Route,
    /// The path back, if the other host sends each datagram back; on ATM networks at the rate of its link.
    pub echo: Option<Route>,
    /// Peak cell rate, as a bit rate including cell headers, on ATM networks: at most the rate of the host's link, which it is if not
    /// given.
    pub pcr: Option<Rate>,
    /// What is sent. The payload has [`MIN_DATAGRAM_BYTES`] at least.
    pub source: CbrParams,
}

impl UdpFlow {
    /// The paths that its datagrams take: there, and back if they come back.
    pub fn routes(&self) -> impl Iterator<Item = &Route> + Clone {
        std::iter::once(&self.route).chain(&self.echo)
    }

    /// The keys of a source of datagrams.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::required("from", Kind::NodeName, "The host that sends."),
        Key::required("to", Kind::NodeName, "The host that receives."),
        Key::new("route", Kind::Route, Default::Derived("fewest links, then least delay, then names in order"), "Ackclock",
            "Nodes of the path, ends included."),
        Key::new("payload", Kind::bytes(12, 65_507), Default::Is(Value::bytes(1470)), "literature: iperf 1; not stated in [VEGAS-A] §3.2.3",
            "Payload of each datagram."),
        Key::new("rate", Kind::Schedule(&RATE), Default::Derived("`payload` per `interval`"), "Ackclock",
            "Payload per second, which it needs unless `interval` says it; or a list, as in [\"2 Mbps\", { at = \"20 s\", rate = \"1 Mbps\" }], or a file with times and rates, as in { trace = \"rates.csv\" }."),
        Key::new("interval", Kind::time(Span::from_us(1), HOUR), Default::Derived("`payload` per `rate`"), "Ackclock",
            "From one datagram to the next, in place of `rate`."),
        Key::new("echo", Kind::Flag, Default::Is(Value::Flag(false)), "Ackclock",
            "Whether the other host sends each datagram back, as for ping: round trips are counted then, and a datagram whose echo is lost is lost."),
        Key::new("on", Kind::Law(&STAY), Default::Derived("always on"), "Ackclock",
            "How long the source is on, by turns with `off` and on at first: a time, or a law of times."),
        Key::new("off", Kind::Law(&STAY), Default::Derived("never off"), "Ackclock",
            "How long the source is off: a time, or a law of times."),
        Key::new("burst", Kind::Integer(1, 10_000), Default::Is(Value::Integer(1)), "Ackclock",
            "Datagrams that are sent at one instant, as much less often."),
        Key::new("pcr", Kind::Or(&RATE, &["link-rate"]), Default::Is(Value::Word("link-rate")), "Ackclock",
            "Peak cell rate at which the cells of a datagram follow each other, in bits per second with cell headers; at most the rate of the link of the host. `pcr` in [atm] is that of flows.").used_if(ATM_ONLY),
        Key::new("dither", Kind::Flag, Default::Is(Value::Flag(false)), "Ackclock",
            "Whether each datagram is sent at a random instant of its interval, and not at the beginning."),
        Key::new("start", INSTANT, Default::Is(Value::time(Span::ZERO)), "Ackclock", "When the first datagram is sent."),
        Key::new("stop", Kind::Or(&LATER, &["never"]), Default::Is(Value::Word("never")), "Ackclock",
            "When the source stops sending."),
    ];
}

/// How long a source of datagrams is on or off.
const STAY: Kind = Kind::time(Span::from_us(1), HOUR);

/// The path of packets or cells from one host to another.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// Always these links, 1 to [`MAX_ROUTE_LINKS`]. None of them changes its far end.
    Fixed(Arc<[LinkId]>),
    /// Whatever the routing table says when a packet arrives at a node. On packet networks only.
    Dynamic {
        /// The link of the host where the path begins.
        first: LinkId,
        /// How it goes on. Routes to the same destination share it. Only the ports of switches are named, each at its own
        /// node.
        table: Arc<RoutingTable>,
    },
}

impl Route {
    /// The first link, which is one of a host.
    pub fn first(&self) -> LinkId {
        match self {
            Route::Fixed(links) => links[0],
            Route::Dynamic { first, .. } => *first,
        }
    }

    /// The links of a route that does not change, in order.
    pub fn fixed(&self) -> Option<&[LinkId]> {
        match self {
            Route::Fixed(links) => Some(links),
            Route::Dynamic { .. } => None,
        }
    }

    /// The host at its end, in a network with these links.
    pub fn destination(&self, links: &IdVec<LinkId, Link>) -> NodeId {
        match self {
            Route::Fixed(route) => links[route[route.len() - 1]].to,
            Route::Dynamic { table, .. } => table.destination(),
        }
    }

    /// The links that it would cross if everything stayed as it is at `time`, in a network with these links: of a route that
    /// leads nowhere then, as far as it goes.
    pub fn at(&self, time: Time, links: &IdVec<LinkId, Link>) -> Cow<'_, [LinkId]> {
        let Route::Dynamic { first, table } = self else { return self.links() };
        let mut route = vec![*first];
        while let Some(next) = links[route[route.len() - 1]].far_end(time).and_then(|node| table.link(node, time)) {
            if route.len() == usize::from(table.ttl()) {
                break;
            }
            route.push(next);
        }
        route.into()
    }

    /// The links that it may cross: in order if it is fixed; else the first, and all of its table, each once.
    pub fn links(&self) -> Cow<'_, [LinkId]> {
        match self {
            Route::Fixed(links) => Cow::Borrowed(links),
            Route::Dynamic { first, table } => {
                let mut links: Vec<LinkId> = [*first].into_iter().chain(table.links()).collect();
                links.sort_unstable();
                links.dedup();
                Cow::Owned(links)
            }
        }
    }
}

impl From<Vec<LinkId>> for Route {
    fn from(links: Vec<LinkId>) -> Route {
        Route::Fixed(links.into())
    }
}

/// The smallest payload of a datagram: what UDP's header is shorter than TCP's.
pub const MIN_DATAGRAM_BYTES: u32 = 12;

/// The longest route. A unit counts the links behind it in a byte.
pub const MAX_ROUTE_LINKS: usize = 255;

/// One transmission of one segment that is lost on its way out of the sender's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedDrop {
    /// The segment, counted from 0 in sequence order.
    pub segment: u64,
    /// Which of its transmissions, counted from 1.
    pub transmission: u32,
}

impl ForcedDrop {
    /// The keys of its table.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::required_as("segment", Kind::Integer(0, MOST_ORDINAL), "30", "The segment, counted from 0."),
        Key::new("transmission", Kind::Integer(1, u32::MAX as u64), Default::Is(Value::Integer(1)), "Ackclock",
            "Which of its transmissions is lost, counted from 1."),
    ];
}

/// What efficiency is measured against.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// The link that limits.
    pub link: LinkId,
    /// TCP payload in bits per second that counts as an efficiency of 1.
    pub capacity_bps: f64,
}
