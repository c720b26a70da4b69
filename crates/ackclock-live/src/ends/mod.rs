//! The ends of all connections: one thread that writes and reads their sockets, as the applications of the scenario say, and reads what
//! their TCP says of itself.

#[cfg(feature = "bpf")]
mod programs;
#[cfg(not(feature = "bpf"))]
#[path = "no_programs.rs"]
mod programs;
mod receiver;
mod sender;
mod trace;
mod udp;

use std::collections::BTreeMap;
use std::io;
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ackclock::ids::{FlowId, Id, NodeId};
use ackclock::record::{Histogram, Series};
use ackclock::scenario::Scenario;
use ackclock::units::{Span, Time};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

use crate::clock::Clock;
use crate::exact::{Disturbed, Limits};
use crate::hosts::Host;
use crate::settings::Settings;
use crate::{Addresses, LiveError, UdpId, sys};

pub use trace::SenderCounts;

use programs::{Acknowledgements, CongestionControls};
use receiver::Receiver;
use sender::Sender;
use trace::SenderTrace;
use udp::Source;

/// The ends of a scenario, before it begins.
pub struct Ends {
    epoll: OwnedFd,
    flows: Vec<Flow>,
    udp: Vec<Source>,
    _sinks: Vec<UdpSocket>,
    lateness: Histogram,
    disturbed: Disturbed,
    warmup: Option<Time>,
    end: Time,
    poll: Span,
    acknowledgements: Acknowledgements,
    /// From when on every file is delivered.
    delivered: Option<Time>,
    until_delivered: bool,
    // Last: they stay until the sockets are closed.
    _congestion_controls: CongestionControls,
}

/// Both ends of a connection.
struct Flow {
    name: String,
    sender: Sender,
    receiver: Receiver,
    trace: SenderTrace,
    at_warmup: Option<SenderCounts>,
    problem: Option<String>,
}

/// What the ends know of a run.
#[derive(Clone, Debug, Default)]
pub struct EndsRecord {
    /// Of each flow, in the order of the scenario.
    pub flows: Vec<FlowEnds>,
    /// How many datagrams of each source of UDP the kernel refused.
    pub udp_refused: Vec<u64>,
    /// How much later than it was due each connection was opened, each write made and each datagram sent.
    pub lateness: Histogram,
    /// Of flows the same, as far as it is felt.
    pub(crate) disturbed: Disturbed,
    /// What went wrong with connections, in sentences.
    pub problems: Vec<String>,
    /// The time between two readings.
    pub poll: Span,
    /// Whether each acknowledgement was looked at, not only what is read now and then.
    pub sees_acknowledgements: bool,
    /// Whether every flow has a size, and all of it was delivered a second ago.
    pub are_delivered: bool,
}

/// What the ends of one flow know of it.
#[derive(Clone, Debug)]
pub struct FlowEnds {
    /// What the sender's TCP has counted.
    pub counts: SenderCounts,
    /// The same at the end of the warm-up, if there is one.
    pub at_warmup: Option<SenderCounts>,
    /// Bytes that the application at the receiver has got.
    pub received: u64,
    /// Windows and timers over time.
    pub series: Vec<Series>,
}

impl Ends {
    /// Opens the sockets of a scenario at its hosts.
    pub fn open(
        scenario: &Scenario,
        seed: u64,
        addresses: &Addresses,
        settings: &Settings,
        hosts: &BTreeMap<NodeId, Host>,
    ) -> Result<Ends, LiveError> {
        let failed = |what: &str, name: &str| {
            let place = format!("{what} of {name}");
            move |error: io::Error| {
                LiveError::machine(
                    format_args!("cannot open the {place}: {error}"),
                    "run it as root; `ackclock doctor` says what is missing; many flows need a higher `ulimit -n`",
                )
            }
        };
        let of_epoll = |error: rustix::io::Errno| failed("events", "sockets")(error.into());
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(of_epoll)?;
        let congestion_controls = CongestionControls::load(&settings.flows)?;
        let acknowledgements = Acknowledgements::watch(scenario, addresses, hosts);
        let mut flows = Vec::new();
        for (id, flow) in scenario.flows.iter_ids() {
            let of_flow = &settings.flows[id.index()];
            let [from, to] = [scenario.links[flow.forward.first()].from, flow.forward.destination(&scenario.links)];
            let at = addresses.receiver(id);
            let receiver = hosts[&to].namespace.enter(|| Receiver::open(at, of_flow)).and_then(|opened| opened);
            let receiver = receiver.map_err(failed("receiver", &flow.name))?;
            let open = || {
                of_flow.algorithm.check()?;
                let algorithm = congestion_controls.name(id.index(), of_flow);
                Sender::open(flow, seed, (addresses.sender_port(id), at), of_flow, algorithm)
                    .map_err(failed("sender", &flow.name))
            };
            let sender = hosts[&from].namespace.enter(open).map_err(failed("sender", &flow.name))??;
            epoll::add(&epoll, &receiver, token_of(id, Socket::Listener), EventFlags::IN).map_err(of_epoll)?;
            let trace = SenderTrace::new(scenario.recording.metrics);
            flows.push(Flow { name: flow.name.clone(), sender, receiver, trace, at_warmup: None, problem: None });
        }
        let (mut udp, mut sinks) = (Vec::new(), Vec::new());
        for (number, source) in scenario.udp.iter().enumerate() {
            let [from, to] = [scenario.links[source.route.first()].from, source.route.destination(&scenario.links)];
            let (port, at) = (addresses.udp_port(UdpId(number)), addresses.udp_sink(UdpId(number)));
            let sink = hosts[&to].namespace.enter(|| udp::sink(at)).and_then(|opened| opened);
            sinks.push(sink.map_err(failed("receiver", &source.name))?);
            let opened =
                hosts[&from].namespace.enter(|| Source::open(source, seed, port, at)).and_then(|opened| opened);
            udp.push(opened.map_err(failed("sender", &source.name))?);
        }
        let warmup = Some(Time::ZERO + scenario.warmup).filter(|_| scenario.warmup > Span::ZERO);
        let poll = POLL.max(PER_READING * flows.len() as u64);
        let end = Time::ZERO + scenario.duration;
        Ok(Ends {
            epoll,
            flows,
            udp,
            _sinks: sinks,
            lateness: Histogram::default(),
            disturbed: Disturbed::new(&Limits::of(scenario).flows),
            warmup,
            end,
            poll,
            acknowledgements,
            delivered: None,
            until_delivered: false,
            _congestion_controls: congestion_controls,
        })
    }

    /// The same; if `ends`, they end a second after the last byte of every flow was delivered, if all have a size.
    pub fn until_delivered(mut self, ends: bool) -> Ends {
        self.until_delivered = ends;
        self
    }

    /// Does what the scenario says until its end, or until `stop`. Sockets are closed when this returns.
    ///
    /// # Errors
    /// If the machine does not let it go on.
    pub fn run(mut self, clock: Clock, stop: &AtomicBool) -> Result<EndsRecord, LiveError> {
        // Below the priority of who moves packets. Without the privilege the thread is one as any other.
        let _ = sys::set_real_time(PRIORITY);
        let mut buffer = vec![0; READ_BYTES];
        let mut events = Vec::with_capacity(MOST_EVENTS);
        let mut next_reading = Time::ZERO;
        std::thread::sleep(clock.until(Time::ZERO));
        let mut now = clock.now();
        while now < self.end && !stop.load(Ordering::Relaxed) && !(self.until_delivered && self.are_delivered(now)) {
            self.do_what_is_due(now)?;
            if now >= next_reading {
                self.read_acknowledgements(clock);
                self.read_all(now);
                next_reading = now + self.poll;
            }
            let due = self.flows.iter().map(|flow| flow.sender.due()).chain(self.udp.iter().map(Source::due));
            let due = due.min().unwrap_or(Time::NEVER).min(next_reading).min(self.end);
            // Somebody else may ask to stop.
            let wait = clock.until(due).min(LONGEST_WAIT);
            let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
            events.clear();
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&wait)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    return Err(LiveError::machine(format_args!("cannot wait for sockets: {error}"), HELP));
                }
            }
            now = clock.now();
            for event in &events {
                self.on_event(now, event.data.u64(), &mut buffer)?;
            }
        }
        let now = clock.now().min(self.end);
        self.read_acknowledgements(clock);
        self.read_all(now);
        Ok(self.record(now))
    }

    /// Whether the last byte of every flow was delivered so long ago that its acknowledgement has arrived.
    fn are_delivered(&mut self, now: Time) -> bool {
        if self.delivered.is_none() && !self.flows.is_empty() && self.flows.iter().all(Flow::is_delivered) {
            self.delivered = Some(now);
        }
        self.delivered.is_some_and(|delivered| now >= delivered + LAST_ACKNOWLEDGEMENT)
    }

    fn do_what_is_due(&mut self, now: Time) -> Result<(), LiveError> {
        for number in 0..self.flows.len() {
            let Ends { flows, lateness, disturbed, .. } = self;
            let flow = &mut flows[number];
            if flow.sender.due() > now {
                continue;
            }
            let had_begun = flow.sender.has_begun();
            let advanced = flow.sender.advance(now, |due| {
                lateness.add(now.since(due), 1);
                disturbed.late(number, due, now.since(due));
            });
            if !had_begun && flow.sender.has_begun() {
                let events = EventFlags::OUT | EventFlags::ET;
                let added =
                    epoll::add(&self.epoll, &flow.sender, token_of(FlowId::from_index(number), Socket::Sender), events);
                added.map_err(|error| LiveError::machine(format_args!("cannot watch a socket: {error}"), HELP))?;
            }
            flow.note(advanced);
        }
        for source in &mut self.udp {
            let sent = source.advance(now, |due| self.lateness.add(now.since(due), 1));
            sent.map_err(|error| LiveError::machine(format_args!("cannot send a datagram: {error}"), HELP))?;
        }
        Ok(())
    }

    fn on_event(&mut self, now: Time, token: u64, buffer: &mut [u8]) -> Result<(), LiveError> {
        let (number, socket) = ((token / SOCKETS) as usize, token % SOCKETS);
        let flow = &mut self.flows[number];
        let outcome = match socket {
            socket if socket == Socket::Sender as u64 => flow.on_sender(now),
            socket if socket == Socket::Listener as u64 => match flow.receiver.accept() {
                Ok(true) => {
                    let receiver = token_of(FlowId::from_index(number), Socket::Receiver);
                    epoll::add(&self.epoll, &flow.receiver, receiver, EventFlags::IN | EventFlags::ET)
                        .map_err(Into::into)
                }
                outcome => outcome.map(drop),
            },
            _ => flow.receiver.read(buffer),
        };
        flow.note(outcome);
        Ok(())
    }

    /// Reads what the TCP of each sender says of itself.
    fn read_all(&mut self, now: Time) {
        let is_warm = self.warmup.filter(|warmup| now >= *warmup);
        for flow in &mut self.flows {
            flow.read(now);
            if is_warm.is_some() {
                flow.at_warmup = Some(flow.trace.counts(now, flow.sender.opened()));
            }
        }
        if is_warm.is_some() {
            self.warmup = None;
        }
    }

    /// Reads what the kernel has noted at each acknowledgement, if it does.
    fn read_acknowledgements(&mut self, clock: Clock) {
        let (flows, end) = (&mut self.flows, self.end);
        self.acknowledgements.drain(clock, |flow, time, acknowledged| {
            if time <= end {
                flows[flow].trace.acknowledged(time, acknowledged);
            }
        });
    }

    fn record(mut self, now: Time) -> EndsRecord {
        let are_delivered = self.are_delivered(now);
        let mut problems: Vec<String> = self.flows.iter().filter_map(|flow| flow.problem.clone()).collect();
        let lost = self.acknowledgements.lost();
        if lost > 0 {
            problems.push(format!("traces lack {lost} acknowledgements, for which the kernel had no room"));
        }
        let of_flow = |flow: Flow| FlowEnds {
            counts: flow.trace.counts(now, flow.sender.opened()),
            at_warmup: flow.at_warmup,
            received: flow.receiver.received(),
            series: flow.trace.into_series(&flow.name),
        };
        EndsRecord {
            udp_refused: self.udp.iter().map(Source::refused).collect(),
            lateness: self.lateness,
            disturbed: self.disturbed,
            problems,
            sees_acknowledgements: self.acknowledgements.are_seen(),
            are_delivered,
            poll: self.poll,
            flows: self.flows.into_iter().map(of_flow).collect(),
        }
    }
}

impl Flow {
    /// Whether the receiver has got all of a file.
    fn is_delivered(&self) -> bool {
        self.sender.size().is_some_and(|size| self.receiver.received() >= size)
    }

    /// Something has happened at the socket of the sender.
    fn on_sender(&mut self, now: Time) -> io::Result<()> {
        if self.sender.on_event()? {
            // The initial window, before anything is sent.
            self.read(now);
        }
        // What is due without an event is looked for before events are.
        self.sender.advance(now, |_| ())
    }

    /// Reads what the TCP of the sender says of itself. The initial window is set as the connection is opened.
    fn read(&mut self, now: Time) {
        if self.sender.has_begun()
            && let Ok(info) = sys::tcp_info(&self.sender)
            && info.state != SYN_SENT
        {
            self.trace.read(now, &info);
        }
    }

    /// Keeps the first thing that went wrong. The others go on.
    fn note(&mut self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            self.problem.get_or_insert_with(|| format!("flow {}: its connection ended: {error}", self.name));
        }
    }
}

/// Which socket of a flow an event is about.
#[derive(Clone, Copy)]
enum Socket {
    Sender = 0,
    Listener = 1,
    Receiver = 2,
}

fn token_of(flow: FlowId, socket: Socket) -> EventData {
    EventData::new_u64(flow.index() as u64 * SOCKETS + socket as u64)
}

const SOCKETS: u64 = 3;
const HELP: &str = "try it again; if it happens again, `ackclock doctor` may say why";
/// From one reading of `TCP_INFO` to the next.
const POLL: Span = Span::from_ms(10);
/// Of many flows readings are rarer, so that they take a tenth of a core at most.
const PER_READING: Span = Span::from_us(30);
/// `TCP_SYN_SENT` of Linux.
const SYN_SENT: u8 = 2;
/// From the last byte of all flows until their connections are closed.
const LAST_ACKNOWLEDGEMENT: Span = Span::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_millis(50);
const READ_BYTES: usize = 1 << 18;
const MOST_EVENTS: usize = 256;
const PRIORITY: i32 = 5;
