//! The network between the hosts of a live run: packets of their devices cross the simulator's own ports and links, as the clock says.
//!
//! One thread for all devices and directions. It reads what hosts send, hands it to the [`Emulation`], and writes each packet to its
//! device when it has arrived there. In between it sleeps.

mod answers;
mod evidence;
mod packets;
mod round_trips;
mod segments;
pub mod self_test;
mod verdict;
mod wait;

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ackclock::ids::{FlowId, Id, NodeId};
use ackclock::record::{Histogram, Metric};
use ackclock::scenario::Scenario;
use ackclock::sim::{Connection, Emulation, NotEmulated, Passed};
use ackclock::units::Time;
use rustix::io::Errno;

use crate::clock::Clock;
use crate::exact::{Counted, Disturbed, Limits};
use crate::hosts::Host;
use crate::{Addresses, LiveError, Passage, Tun};

use answers::Answers;
use packets::{Numbers, Packets};
use round_trips::RoundTrips;
use segments::{From, Numbering};
use wait::{BATCH, Waiting};

pub use evidence::Emulated;
pub(crate) use evidence::OfEnds;
pub use self_test::self_test;
pub use verdict::{
    DEGRADED_ABOVE_FELT_PERCENT, DEGRADED_ABOVE_PERCENT, INVALID_ABOVE_FELT_PERCENT, Outside, STARVED_PERCENT, Verdict,
};
pub use wait::Scheduling;

/// Whether the network of a scenario can be emulated.
///
/// # Errors
/// What only simulated hosts can do, the first of it.
pub fn check(scenario: &Scenario) -> Result<(), LiveError> {
    Emulation::new(scenario, 1).map(drop).map_err(refused)
}

fn refused(wrong: Vec<NotEmulated>) -> LiveError {
    let NotEmulated { place, reason, remedy } = &wrong[0];
    let more = match wrong.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more of the kind)"),
    };
    LiveError::scenario(format_args!("{place}: {reason}{more}"), remedy)
}

/// Moves packets between hosts until the scenario ends, or until `stop` is set. Called on a thread of its own, whose scheduling it changes.
///
/// # Errors
/// If the scenario cannot be emulated, or if a device cannot be read.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    addresses: &Addresses,
    hosts: &BTreeMap<NodeId, Host>,
    clock: Clock,
    stop: &AtomicBool,
) -> Result<Emulated, LiveError> {
    run_as(scenario, seed, addresses, hosts, clock, stop, Scheduling::of_this_thread(true))
}

/// The same with the scheduling that the thread has.
fn run_as(
    scenario: &Scenario,
    seed: u64,
    addresses: &Addresses,
    hosts: &BTreeMap<NodeId, Host>,
    clock: Clock,
    stop: &AtomicBool,
    scheduling: Scheduling,
) -> Result<Emulated, LiveError> {
    let emulation = Emulation::new(scenario, seed).map_err(refused)?;
    let limits = Limits::of(scenario);
    let mut emulator = Emulator {
        emulation,
        clock,
        destinations: Destinations::of(scenario, hosts),
        devices: hosts.values().map(|host| &host.tun).collect(),
        addresses,
        numbering: Numbering::new(scenario.flows.iter().map(|flow| flow.tcp.window_scale).collect()),
        round_trips: match scenario.recording.metrics.contains(Metric::Rtt) {
            true => vec![RoundTrips::default(); scenario.flows.len()],
            false => Vec::new(),
        },
        packets: Packets::default(),
        arrived: Vec::new(),
        answers: Answers::new(scenario.flows.len()),
        lateness: Histogram::default(),
        host_lateness: Histogram::default(),
        disturbed: Disturbed::new(&limits.flows),
        crossed: vec![Crossed::default(); hosts.len()],
        outside: Outside::default(),
    };
    let processor = processor_time();
    emulator.run(stop).and_then(|()| emulator.settle(scenario, hosts)).map_err(|error| {
        LiveError::machine(
            format_args!("the emulator cannot go on: {error}"),
            "look at the kernel's log; a device may have been taken down from outside",
        )
    })?;
    let processor = processor_time().saturating_sub(processor);
    let Emulator { emulation, lateness, host_lateness, disturbed, outside, round_trips, .. } = emulator;
    let mut records = emulation.finish();
    let names = scenario.flows.iter().map(|flow| &flow.name);
    records.series.extend(round_trips.into_iter().zip(names).map(|(trips, name)| trips.into_series(name)));
    let times = scenario.flows.iter().zip(&records.flows);
    let times =
        times.map(|(flow, record)| (flow.begins(seed), record.completed.unwrap_or(Time::ZERO + records.simulated)));
    let times = times.collect();
    let measured = evidence::Measured { lateness, host_lateness, limits, disturbed, times, outside, scheduling };
    Ok(Emulated::new(records, measured, processor))
}

/// How long a processor has been working for this thread.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

struct Emulator<'a> {
    emulation: Emulation,
    clock: Clock,
    destinations: Destinations,
    devices: Vec<&'a Tun>,
    addresses: &'a Addresses,
    numbering: Numbering,
    /// Of each flow; of none if they are not recorded.
    round_trips: Vec<RoundTrips>,
    packets: Packets,
    /// What has arrived and is not written yet: when, on what, and its number.
    arrived: Vec<(Time, Connection, u32)>,
    answers: Answers,
    lateness: Histogram,
    host_lateness: Histogram,
    disturbed: Disturbed,
    /// Of each device.
    crossed: Vec<Crossed>,
    outside: Outside,
}

/// How many packets have crossed a device.
#[derive(Clone, Copy, Debug, Default)]
struct Crossed {
    written: u64,
    read: u64,
}

impl Emulator<'_> {
    fn run(&mut self, stop: &AtomicBool) -> io::Result<()> {
        let end = self.emulation.end();
        let mut waiting = Waiting::new(self.devices.iter())?;
        let mut buffer = vec![0; MOST_OCTETS];
        while !stop.load(Ordering::Relaxed) {
            let now = self.advance();
            if now >= end {
                break;
            }
            let next = self.emulation.next_arrival().min(end);
            let (awake, devices) = waiting.until(self.clock, next)?;
            for device in devices {
                for _ in 0..BATCH {
                    match rustix::io::read(self.devices[device], &mut buffer) {
                        Ok(length) => {
                            self.crossed[device].read += 1;
                            self.take(&buffer[..length], awake);
                        }
                        Err(Errno::AGAIN) => break,
                        Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
        self.missing();
        Ok(())
    }

    /// Lets everything happen that is due, and writes what has arrived. The instant to which the network has come.
    fn advance(&mut self) -> Time {
        let now = self.clock.now();
        let Emulator { emulation, packets, arrived, .. } = self;
        emulation.advance(now, |passed| match passed {
            Passed::Arrived { time, connection, handle } => arrived.push((time, connection, handle)),
            Passed::Lost { handle } => packets.release(handle),
        });
        for (time, connection, number) in self.arrived.drain(..) {
            let numbers = self.packets.numbers(number);
            if let Connection::Acknowledgements(flow) = connection
                && let Some(trips) = self.round_trips.get_mut(flow.index())
            {
                trips.acknowledged(time, numbers.ack);
            }
            let device = self.destinations.of_connection(connection);
            let now = self.clock.now();
            self.lateness.add(now.since(time), 1);
            if let Connection::Data(flow) | Connection::Acknowledgements(flow) = connection {
                self.disturbed.late(flow.index(), time, now.since(time));
                if numbers.resets {
                    self.answers.reset(flow);
                }
            }
            if let Connection::Data(flow) = connection {
                self.answers.written(flow, now, numbers.seq, numbers.payload);
            }
            match self.devices[device].write(self.packets.octets(number)) {
                Ok(()) => self.crossed[device].written += 1,
                Err(_) => self.outside.write_errors += 1,
            }
            self.packets.release(number);
        }
        now
    }

    /// What has not been acknowledged at the end is late by now.
    fn missing(&mut self) {
        let now = self.clock.now().min(self.emulation.end());
        for (flow, since, late) in self.answers.missing(now) {
            self.host_lateness.add(late, 1);
            self.disturbed.late(flow, since, late);
        }
    }

    /// Reads what is left in the devices, of which nothing becomes, and finds out what was lost in hosts. What they have sent by an instant
    /// is in their devices a moment later, and what was written there is received; but they go on, so that is asked for again until
    /// nothing changes. What is missing then was lost.
    fn settle(&mut self, scenario: &Scenario, hosts: &BTreeMap<NodeId, Host>) -> io::Result<()> {
        let mut buffer = vec![0; MOST_OCTETS];
        let counted: Vec<_> = hosts.values().map(|host| Counted::of(&host.namespace)).collect();
        std::thread::sleep(SETTLING);
        for (place, ((node, host), counted)) in hosts.iter().zip(counted).enumerate() {
            let (mut counted, mut beside, mut unchanged) = (counted?, 0, 0);
            for _ in 0..MOST_SETTLING {
                beside += self.empty(place, host, &mut buffer);
                let again = Counted::of(&host.namespace)?;
                unchanged = if again == counted { unchanged + 1 } else { 0 };
                counted = again;
                let Crossed { written, read } = self.crossed[place];
                let is_whole = counted.lost("", written, read, beside).is_empty();
                if unchanged == ENOUGH_UNCHANGED || (is_whole && unchanged > 0) {
                    break;
                }
                std::thread::sleep(SETTLING);
            }
            beside += self.empty(place, host, &mut buffer);
            let Crossed { written, read } = self.crossed[place];
            self.outside.device_drops += counted.dropped.iter().sum::<u64>() + beside;
            let name = &scenario.nodes[*node].name;
            self.outside.in_hosts.extend(counted.lost(name, written, read, beside));
        }
        Ok(())
    }

    /// Reads all that is in a device. What had no room at the other end of a pair.
    fn empty(&mut self, place: usize, host: &Host, buffer: &mut [u8]) -> u64 {
        while rustix::io::read(&host.tun, &mut *buffer).is_ok() {
            self.crossed[place].read += 1;
        }
        host.tun.lost()
    }

    /// A host has sent this packet, which waits since `awake` at the latest.
    fn take(&mut self, packet: &[u8], awake: Time) {
        let now = self.advance();
        if now >= self.emulation.end() {
            return;
        }
        let Some((passage, octets)) = self.addresses.classify(packet).zip(u32::try_from(packet.len()).ok()) else {
            self.outside.unknown += 1;
            return;
        };
        let (flow, from, connection) = match passage {
            Passage::Data(flow) => (flow, From::Sender, Connection::Data(flow)),
            Passage::Acks(flow) => (flow, From::Receiver, Connection::Acknowledgements(flow)),
            Passage::Udp(source) => {
                let number = self.packets.keep(packet, Numbers::default());
                let payload = octets.saturating_sub(UDP_HEADERS);
                return self.emulation.hand_down_datagram(now, source.0, payload, number);
            }
        };
        let Some(segment) = self.numbering.segment(flow, from, packet) else {
            self.outside.unknown += 1;
            return;
        };
        if let (From::Sender, Some(trips)) = (from, self.round_trips.get_mut(flow.index())) {
            trips.sent(now, &segment);
        }
        self.disturbed.late(flow.index(), awake, now.max(awake).since(awake));
        let resets = segments::resets(packet);
        if resets {
            self.answers.reset(flow);
        } else if from == From::Receiver {
            for since in self.answers.acknowledged(flow, segment.ack) {
                let late = now.max(since).since(since);
                self.host_lateness.add(late, 1);
                self.disturbed.late(flow.index(), since, late);
            }
        }
        let numbers = Numbers { seq: segment.seq, payload: segment.payload(), ack: segment.ack, resets };
        let number = self.packets.keep(packet, numbers);
        self.emulation.hand_down(now, connection, segment, number);
    }
}

/// The devices where connections end, by their places among the hosts.
struct Destinations {
    /// Of each flow those of the receiver and of the sender.
    flows: Vec<(usize, usize)>,
    udp: Vec<usize>,
}

impl Destinations {
    fn of(scenario: &Scenario, hosts: &BTreeMap<NodeId, Host>) -> Destinations {
        let place = |node: NodeId| hosts.keys().position(|host| *host == node).expect("routes end at hosts");
        let flows = scenario.flows.iter();
        let ends =
            flows.map(|flow| [&flow.forward, &flow.backward].map(|route| place(route.destination(&scenario.links))));
        let udp = scenario.udp.iter().map(|source| place(source.route.destination(&scenario.links)));
        Destinations { flows: ends.map(|[receiver, sender]| (receiver, sender)).collect(), udp: udp.collect() }
    }

    fn of_connection(&self, connection: Connection) -> usize {
        let of_flow = |flow: FlowId| self.flows[flow.index()];
        match connection {
            Connection::Data(flow) => of_flow(flow).0,
            Connection::Acknowledgements(flow) => of_flow(flow).1,
            Connection::Udp(source) => self.udp[source],
        }
    }
}

/// How long it takes at most until what a host has sent is in its device, and how often that is asked for again.
const SETTLING: Duration = Duration::from_millis(1);
const MOST_SETTLING: u32 = 50;
/// So often the same is final.
const ENOUGH_UNCHANGED: u32 = 5;
/// The longest IP packet.
const MOST_OCTETS: usize = 65_535;
/// Octets of the headers of IP and UDP.
const UDP_HEADERS: u32 = 28;
