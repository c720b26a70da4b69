//! How exact the emulator is on this machine: datagrams with the time at which they were sent, between two hosts.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::net::{SocketAddrV4, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use ackclock::ids::IdVec;
use ackclock::link::LinkParams;
use ackclock::record::Histogram;
use ackclock::scenario::{Buffer, Link, Node, NodeKind, Queue, Recording, Scenario, Technology, UdpFlow};
use ackclock::traffic::{CbrParams, Dither};
use ackclock::units::{Rate, Span, Time};

use super::wait::Scheduling;
use super::{Emulated, UDP_HEADERS};
use crate::clock::Clock;
use crate::settings::Settings;
use crate::{Addresses, LiveError, UdpId, hosts, sys};

/// What was measured, with the limits.
#[derive(Clone, Debug)]
pub struct SelfTest {
    /// Rates of links that are never idle.
    pub rates: Vec<RateTest>,
    /// Delays of links that are almost always idle.
    pub delays: Vec<DelayTest>,
    /// How the emulator was scheduled.
    pub scheduling: Scheduling,
}

/// The rate of a link to which more is sent than it carries.
#[derive(Clone, Debug)]
pub struct RateTest {
    /// The rate of the scenario.
    pub rate: Rate,
    /// How long it was measured.
    pub time: Span,
    /// Bits per second that arrived.
    pub measured_bps: f64,
    /// Packets lost outside the scenario.
    pub drops_outside: u64,
    /// Processes that ran or wanted to, on average over the last minute.
    pub load: f64,
}

/// The delay of a link.
#[derive(Clone, Debug)]
pub struct DelayTest {
    /// The one-way delay of the scenario.
    pub delay: Span,
    /// How much later than that datagrams were at the kernel of the receiver, after the program of the sender gave them to its kernel.
    pub added: Histogram,
    /// How much later than that the emulator wrote them.
    pub lateness: Histogram,
    /// Datagrams that did not arrive.
    pub lost: u64,
    /// Processes that ran or wanted to, on average over the last minute.
    pub load: f64,
}

/// The largest error of a rate, as a part of it.
pub const RATE_ERROR: f64 = 0.001;
/// The largest delay that the median may have more, and 99 %.
pub const ADDED_DELAY: [Span; 2] = [Span::from_us(50), Span::from_ms(1)];

impl RateTest {
    /// The error as a part of the rate.
    pub fn error(&self) -> f64 {
        self.measured_bps / self.rate.as_bps() as f64 - 1.0
    }

    /// Whether it is within the limits.
    pub fn passes(&self) -> bool {
        self.error().abs() < RATE_ERROR && self.drops_outside == 0
    }
}

impl DelayTest {
    /// Whether it is within the limits.
    pub fn passes(&self) -> bool {
        let [median, most] = self.added.quantiles([500, 990]);
        let within = |quantile: Option<Span>, limit| quantile.is_some_and(|quantile| quantile < limit);
        within(median, ADDED_DELAY[0]) && within(most, ADDED_DELAY[1]) && self.lost == 0
    }
}

impl SelfTest {
    /// Whether all of it is within the limits.
    pub fn passes(&self) -> bool {
        self.rates.iter().all(RateTest::passes) && self.delays.iter().all(DelayTest::passes)
    }
}

impl Display for SelfTest {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let verdict = |passes: bool| if passes { "ok" } else { "FAILS" };
        let [limit_50, limit_99] = ADDED_DELAY.map(microseconds);
        writeln!(f, "Rate of a link to which more is sent than it carries (limit {} %):", 100.0 * RATE_ERROR)?;
        for test in &self.rates {
            writeln!(
                f,
                "  {:7.2} Mbit/s for {:.0} s: {:10.5} Mbit/s, error {:+.4} %, {} packets lost outside the scenario, load {:.1}: {}",
                test.rate.as_bps() as f64 / 1e6,
                test.time.as_secs_f64(),
                test.measured_bps / 1e6,
                100.0 * test.error(),
                test.drops_outside,
                test.load,
                verdict(test.passes())
            )?;
        }
        writeln!(
            f,
            "Delay that is added, from the program that sends to the kernel that receives (limits: median {limit_50} µs, 99 % {limit_99} µs):"
        )?;
        for test in &self.delays {
            let added =
                test.added.quantiles([500, 990, 999]).map(|quantile| microseconds(quantile.unwrap_or(Span::ZERO)));
            let late =
                test.lateness.quantiles([500, 990, 999]).map(|quantile| microseconds(quantile.unwrap_or(Span::ZERO)));
            let most = |histogram: &Histogram| microseconds(histogram.max().unwrap_or(Span::ZERO));
            writeln!(
                f,
                "  {:4.0} ms: median {} µs, 99 % {} µs, 99.9 % {} µs, all {} µs; written late: {}, {}, {}, {} µs; {} of {} lost, load {:.1}: {}",
                1e3 * test.delay.as_secs_f64(),
                added[0],
                added[1],
                added[2],
                most(&test.added),
                late[0],
                late[1],
                late[2],
                most(&test.lateness),
                test.lost,
                test.lost + test.added.count(),
                test.load,
                verdict(test.passes())
            )?;
        }
        match &self.scheduling {
            Scheduling::RealTime => writeln!(f, "The emulator runs with real-time priority."),
            Scheduling::Ordinary { reason } => writeln!(f, "The emulator has no real-time priority ({reason})."),
        }
    }
}

fn microseconds(span: Span) -> String {
    format!("{:.1}", 1e6 * span.as_secs_f64())
}

/// Measures rates and delays on this machine. It takes about 50 s.
///
/// # Errors
/// If this machine, or this process, lacks something.
pub fn self_test() -> Result<SelfTest, LiveError> {
    measure(&RATES_BPS, Span::from_secs(10), &DELAYS_MS, Span::from_secs(4))
}

/// 155.52 Mbit/s carry this much in the payload of cells.
const OC3_PAYLOAD_BPS: u64 = 140_848_302;
const RATES_BPS: [u64; 3] = [10_000_000, OC3_PAYLOAD_BPS, 200_000_000];
const DELAYS_MS: [u64; 3] = [5, 50, 255];

/// Measures each of these rates for `rate_time`, in bits per second, and each of these delays for `delay_time`.
///
/// # Errors
/// As [`self_test`].
pub fn measure(rates_bps: &[u64], rate_time: Span, delays_ms: &[u64], delay_time: Span) -> Result<SelfTest, LiveError> {
    let mut scheduling = Scheduling::RealTime;
    let mut rates = Vec::new();
    for &bps in rates_bps {
        let rate = Rate::from_bps(bps).expect("it is not zero");
        let bits = 8 * u64::from(LARGE_PAYLOAD + UDP_HEADERS);
        // A quarter more than the link carries.
        let interval = Span::from_ps(rate.serialization(bits).as_ps() * 4 / 5);
        let delay = Span::from_ms(5);
        let probe = Probe { rate, delay, payload: LARGE_PAYLOAD, interval, time: rate_time + SETTLING };
        let Measured { arrivals, emulated } = probe.run()?;
        let settled = Time::ZERO + SETTLING;
        let times: Vec<Time> =
            arrivals.iter().map(|arrival| arrival.received).filter(|time| *time >= settled).collect();
        let lost_at_socket = emulated.records.udp[0].counts.delivered - arrivals.len() as u64;
        let measured_bps = match times[..] {
            [first, .., last] => bits as f64 * (times.len() - 1) as f64 / last.since(first).as_secs_f64(),
            _ => 0.0,
        };
        scheduling = emulated.scheduling;
        let drops_outside = emulated.outside.drops() + lost_at_socket;
        rates.push(RateTest { rate, time: rate_time, measured_bps, drops_outside, load: load() });
    }
    let mut delays = Vec::new();
    for &ms in delays_ms {
        let delay = Span::from_ms(ms);
        let rate = FAST;
        let probe = Probe { rate, delay, payload: SMALL_PAYLOAD, interval: Span::from_ms(1), time: delay_time };
        let Measured { arrivals, emulated } = probe.run()?;
        let transmission = rate.serialization(8 * u64::from(SMALL_PAYLOAD + UDP_HEADERS));
        let expected = delay + transmission + transmission;
        let mut added = Histogram::default();
        for Arrival { sent, received } in &arrivals {
            added.add(received.saturating_sub(expected).max(*sent).since(*sent), 1);
        }
        let lost = emulated.records.udp[0].counts.sent - arrivals.len() as u64;
        scheduling = emulated.scheduling;
        delays.push(DelayTest { delay, added, lateness: emulated.lateness, lost, load: load() });
    }
    Ok(SelfTest { rates, delays, scheduling })
}

/// Datagrams over one link.
struct Probe {
    rate: Rate,
    delay: Span,
    payload: u32,
    interval: Span,
    time: Span,
}

/// What came of them.
struct Measured {
    arrivals: Vec<Arrival>,
    emulated: Emulated,
}

struct Arrival {
    sent: Time,
    received: Time,
}

impl Probe {
    /// Sender, switch, receiver.
    fn scenario(&self) -> Scenario {
        let nodes = [("sender", NodeKind::Host), ("switch", NodeKind::Switch), ("receiver", NodeKind::Host)];
        let nodes: IdVec<_, _> = nodes.into_iter().map(|(name, kind)| Node { name: name.into(), kind }).collect();
        let ids: Vec<_> = nodes.ids().collect();
        let queue = |packets| Queue { buffer: Buffer::Packets(packets), ..Queue::unlimited() };
        let link = |name: &str, ends: [usize; 2], rate, delay, packets| {
            let (from, to) = (ids[ends[0]], ids[ends[1]]);
            Link {
                name: name.into(),
                from,
                to,
                rate,
                delay,
                medium: None,
                params: LinkParams::plain(),
                queue: queue(packets).into(),
            }
        };
        // The buffer outlasts a pause of the sender.
        let buffer = (self.rate.as_bps() / 10 / (8 * u64::from(self.payload))).clamp(100, 5000) as u32;
        let links: IdVec<_, _> = [
            link("sender->switch", [0, 1], FAST, Span::ZERO, 1),
            link("switch->receiver", [1, 2], self.rate, self.delay, buffer),
        ]
        .into_iter()
        .collect();
        let route = links.ids().collect::<Vec<_>>().into();
        let rate = Rate::from_bps(8 * u64::from(self.payload) * 1_000_000_000_000 / self.interval.as_ps());
        let source = CbrParams {
            payload_bytes: self.payload,
            rate: rate.expect("it is not zero"),
            interval: None,
            start: Time::ZERO,
            stop: None,
            dither: Dither::Off,
            pattern: None,
        };
        Scenario {
            name: "self-test".into(),
            duration: self.time + self.delay + Span::from_ms(300),
            warmup: Span::ZERO,
            technology: Technology::Packet { link_header_bytes: 0 },
            nodes,
            links,
            flows: IdVec::new(),
            udp: vec![UdpFlow { name: "probe".into(), route, echo: None, pcr: None, source }],
            bottleneck: None,
            recording: Recording::none(),
            events: Vec::new(),
        }
    }

    fn run(&self) -> Result<Measured, LiveError> {
        let scenario = self.scenario();
        let addresses = Addresses::of(&scenario)?;
        let settings = Settings::of(&scenario, &addresses)?;
        let hosts = hosts::set_up(&scenario, &addresses, &settings)?;
        let [sender, receiver] = [0, 2].map(|place| scenario.nodes.ids().nth(place).expect("there are three"));
        let sink = addresses.udp_sink(UdpId(0));
        let failed = |error: io::Error| {
            LiveError::machine(format_args!("the probe has no socket: {error}"), "look at the limits of this process")
        };
        let open = |host, address: SocketAddrV4| -> io::Result<UdpSocket> {
            hosts[&host].namespace.enter(|| UdpSocket::bind(address))?
        };
        let any = SocketAddrV4::new(addresses.host(sender), 0);
        let to = open(sender, any).and_then(|socket| socket.connect(sink).map(|()| socket)).map_err(failed)?;
        let from = open(receiver, sink).map_err(failed)?;
        let buffered = || -> io::Result<()> {
            from.set_read_timeout(Some(Duration::from_millis(20)))?;
            sys::stamp_arrivals(&from)?;
            rustix::net::sockopt::set_socket_recv_buffer_size_force(&from, SOCKET_OCTETS)?;
            Ok(rustix::net::sockopt::set_socket_send_buffer_size_force(&to, SOCKET_OCTETS)?)
        };
        buffered().map_err(failed)?;
        let clock = Clock::beginning(Instant::now() + Duration::from_millis(100));
        let (end, stop) = (Time::ZERO + scenario.duration, AtomicBool::new(false));
        let (arrivals, emulated) = thread::scope(|scope| {
            let emulator = scope.spawn(|| super::run(&scenario, 1, &addresses, &hosts, clock, &stop));
            let receives = scope.spawn(|| self.receive(&from, clock, end));
            let sends = scope.spawn(|| self.send(&to, clock));
            sends.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let arrivals = receives.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            stop.store(true, Ordering::Relaxed);
            (arrivals, emulator.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        Ok(Measured { arrivals, emulated: emulated? })
    }

    /// Sends a datagram at every interval, late ones at once, each with the time at which it is sent.
    fn send(&self, to: &UdpSocket, clock: Clock) {
        Scheduling::of_this_thread(true);
        let mut payload = vec![0; self.payload as usize];
        for number in 0..self.time.as_ps() / self.interval.as_ps() {
            thread::sleep(clock.until(Time::ZERO + self.interval * number));
            payload[..8].copy_from_slice(&clock.now().as_ps().to_be_bytes());
            // What the kernel refuses is not sent: the emulator counts what is.
            let _ = to.send(&payload);
        }
    }

    fn receive(&self, from: &UdpSocket, clock: Clock, end: Time) -> Vec<Arrival> {
        Scheduling::of_this_thread(true);
        let mut payload = vec![0; self.payload as usize];
        let mut arrivals = Vec::with_capacity((self.time.as_ps() / self.interval.as_ps()) as usize);
        while clock.now() < end {
            let Ok((_, Some(received))) = sys::receive_with_time(from, &mut payload) else { continue };
            // The kernel's time is that of the day, which is corrected now and then: not in between.
            let ago = UNIX_EPOCH.elapsed().unwrap_or_default().saturating_sub(received);
            let received = clock.now().saturating_sub(Span::from_ps(1000 * ago.as_nanos() as u64));
            let sent = u64::from_be_bytes(payload[..8].try_into().expect("eight octets"));
            arrivals.push(Arrival { sent: Time::from_ps(sent), received });
        }
        arrivals
    }
}

fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(f64::NAN)
}

/// Of links that are there for their delay alone.
const FAST: Rate = Rate::from_bps(10_000_000_000).unwrap();
/// Until the queue of the link is never empty.
const SETTLING: Span = Span::from_ms(700);
/// A packet of 1500 octets.
const LARGE_PAYLOAD: u32 = 1472;
const SMALL_PAYLOAD: u32 = 172;
const SOCKET_OCTETS: usize = 16 << 20;
