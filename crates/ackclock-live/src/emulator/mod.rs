//! The network between the hosts of a live run: packets of their devices cross the simulator's own ports and links, as the clock says.
//!
//! One thread for all devices and directions. It reads what hosts send, hands it to the [`Emulation`], and writes each packet to its
//! device when it has arrived there. In between it sleeps.

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
use ackclock::record::{Histogram, Metric, Records};
use ackclock::scenario::Scenario;
use ackclock::sim::{Connection, Emulation, NotEmulated, Passed};
use ackclock::units::Time;
use rustix::io::Errno;

use crate::clock::Clock;
use crate::hosts::Host;
use crate::tun::DEVICE;
use crate::{Addresses, LiveError, Namespace, Passage, Tun};

use packets::Packets;
use round_trips::RoundTrips;
use segments::{From, Numbering};
use wait::{BATCH, Waiting};

pub use self_test::self_test;
pub use verdict::{DEGRADED_ABOVE_PERCENT, INVALID_ABOVE_PERCENT, Limits, Outside, Verdict};
pub use wait::Scheduling;

/// What the emulator knows of a run.
#[derive(Clone, Debug)]
pub struct Emulated {
    /// The records of ports and links, and what was seen of flows.
    pub records: Records,
    /// How much later than in the scenario each packet was written to the device of its host.
    pub lateness: Histogram,
    /// What lateness is compared with.
    pub limits: Limits,
    /// What was counted that nothing of the scenario explains.
    pub outside: Outside,
    /// What to think of the run.
    pub verdict: Verdict,
    /// Why, if it is not valid.
    pub reasons: Vec<String>,
    /// How the thread was scheduled.
    pub scheduling: Scheduling,
    /// How long a processor worked for the thread, waiting for the last microseconds before an instant included, and what the kernel
    /// does with the packets that are written.
    pub processor: Duration,
}

impl Emulated {
    /// So many datagrams were refused by the kernel, which is known where they were sent: judges once more.
    pub(crate) fn refused(&mut self, datagrams: u64) {
        self.outside.refused += datagrams;
        (self.verdict, self.reasons) = verdict::judge(&self.limits, &self.lateness, self.outside, &self.scheduling);
    }
}

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
        lateness: Histogram::default(),
        outside: Outside::default(),
    };
    let processor = processor_time();
    emulator.run(stop).map_err(|error| {
        LiveError::machine(
            format_args!("the emulator cannot go on: {error}"),
            "look at the kernel's log; a device may have been taken down from outside",
        )
    })?;
    let processor = processor_time().saturating_sub(processor);
    let Emulator { emulation, lateness, mut outside, round_trips, .. } = emulator;
    outside.device_drops = hosts.values().map(|host| device_drops(&host.namespace) + host.tun.lost()).sum();
    let limits = Limits::of(scenario);
    let (verdict, reasons) = verdict::judge(&limits, &lateness, outside, &scheduling);
    let mut records = emulation.finish();
    let names = scenario.flows.iter().map(|flow| &flow.name);
    records.series.extend(round_trips.into_iter().zip(names).map(|(trips, name)| trips.into_series(name)));
    Ok(Emulated { records, lateness, limits, outside, verdict, reasons, scheduling, processor })
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
    lateness: Histogram,
    outside: Outside,
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
            for device in waiting.until(self.clock, next)? {
                for _ in 0..BATCH {
                    match rustix::io::read(self.devices[device], &mut buffer) {
                        Ok(length) => self.take(&buffer[..length]),
                        Err(Errno::AGAIN) => break,
                        Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
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
            if let Connection::Acknowledgements(flow) = connection
                && let Some(trips) = self.round_trips.get_mut(flow.index())
            {
                trips.acknowledged(time, self.packets.ack(number));
            }
            let device = self.devices[self.destinations.of_connection(connection)];
            self.lateness.add(self.clock.now().since(time), 1);
            if device.write(self.packets.octets(number)).is_err() {
                self.outside.write_errors += 1;
            }
            self.packets.release(number);
        }
        now
    }

    /// A host has sent this packet.
    fn take(&mut self, packet: &[u8]) {
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
                let number = self.packets.keep(packet, 0);
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
        let number = self.packets.keep(packet, segment.ack);
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

/// Packets that the device of a host has lost, in both directions.
fn device_drops(namespace: &Namespace) -> u64 {
    let table = namespace.enter(|| std::fs::read_to_string("/proc/thread-self/net/dev"));
    table.and_then(|table| table).map_or(0, |table| drops_in(&table))
}

/// The same from the table of the kernel: its columns are bytes, packets, errors, drops and four more received, then the same sent.
fn drops_in(table: &str) -> u64 {
    let mut lines = table.lines().filter_map(|line| line.split_once(':'));
    let columns = lines.find(|(name, _)| name.trim() == DEVICE).map_or("", |(_, columns)| columns);
    let columns: Vec<u64> = columns.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    [3, 11].into_iter().filter_map(|column| columns.get(column)).sum()
}

/// The longest IP packet.
const MOST_OCTETS: usize = 65_535;
/// Octets of the headers of IP and UDP.
const UDP_HEADERS: u32 = 28;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_a_device_are_those_of_both_directions() {
        let table = "Inter-|   Receive                                                |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
            lo:       0       0    0    9    0     0          0         0        0       0    0    9    0     0       0          0\n \
            link0:     100       1    2    3    4     5          6         7        8       9   10   11   12    13      14         15\n";
        assert_eq!(drops_in(table), 14);
        assert_eq!(drops_in(""), 0);
    }
}
