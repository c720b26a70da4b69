//! Ports that are fused for a while with one that they follow: each of them is fed by one other port alone, so a packet that has left
//! the first is taken through all of them at once, although it arrives there later. `net/batched/fusion/` says which, and until when.

use super::packets::{Handle, Packets};
use super::port::{Exit, RoutedPort};
use super::port_places::PortPlaces;
use crate::ids::{Id, LinkId};
use crate::net::batched::io::{Arrival, Cells, Delivery, InputRef, Io, What};
use crate::net::build::PacketKinds;
use crate::net::packet_port::Coming;
use crate::units::Time;

/// The ports that are fused with those of one process; none at first.
#[derive(Default)]
pub(in crate::net::batched) struct FusedPorts {
    ports: Vec<FusedPort>,
    /// Their numbers here, in the order of the links.
    numbers: Vec<(LinkId, u32)>,
    /// What arrives at this instant or later waits until the ports are in their own processes again.
    limit: Time,
}

/// A fused port, and where it comes from.
pub(in crate::net::batched) struct FusedPort {
    pub(in crate::net::batched) port: Box<RoutedPort>,
    /// The process that it belongs to otherwise, and its number there.
    pub(in crate::net::batched) home: (u32, u32),
    /// The link by which all packets come.
    pub(in crate::net::batched) feeder: LinkId,
}

impl FusedPorts {
    /// These ports are fused, for what arrives before `limit`.
    pub(in crate::net::batched) fn new(ports: Vec<FusedPort>, limit: Time) -> FusedPorts {
        let mut numbers: Vec<(LinkId, u32)> = (0..).zip(&ports).map(|(number, of)| (of.port.link, number)).collect();
        numbers.sort_unstable();
        FusedPorts { ports, numbers, limit }
    }

    pub(in crate::net::batched) fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }

    /// Whether a packet has come that cannot be taken through: they are of no use any more.
    pub(in crate::net::batched) fn are_blocked(&self) -> bool {
        self.limit == Time::ZERO && !self.is_empty()
    }

    /// Gives the ports back.
    pub(super) fn take(&mut self) -> Vec<FusedPort> {
        std::mem::take(self).ports
    }

    /// The number of the port of this link, if it is one of them.
    pub(in crate::net::batched) fn number(&self, link: LinkId) -> Option<u32> {
        let place = self.numbers.binary_search_by_key(&link, |&(link, _)| link).ok()?;
        Some(self.numbers[place].1)
    }

    /// A packet arrives at `time` at one of them, and goes on from there. Returns how many of them it has crossed.
    #[inline(never)]
    pub(super) fn follow(
        &mut self,
        first: u32,
        mut time: Time,
        mut packet: Handle,
        (places, kinds): (&PortPlaces, &PacketKinds),
        io: &mut Io,
    ) -> u64 {
        let mut number = first as usize;
        for crossed in 1.. {
            if time >= self.limit {
                self.leave_to_its_process(number, time, &packet, io);
                return crossed - 1;
            }
            let here = &mut *self.ports[number].port;
            packet.number = here.number_of(packet.vc);
            let Some((begins, arrives)) = here.port.pass_foreseen(time, packet.vc_here(), packet.size) else {
                if here.port.refuses_for_room(time, packet.size) {
                    lose(here, time, packet, kinds, io);
                    return crossed;
                }
                // Something has happened that is not foreseen: those that follow do not overtake it.
                self.limit = Time::ZERO;
                self.leave_to_its_process(number, time, &packet, io);
                return crossed - 1;
            };
            let numbers = &self.numbers;
            let place = |next: LinkId| match numbers.binary_search_by_key(&next, |&(link, _)| link) {
                Ok(place) => Exit::Fused(numbers[place].1),
                Err(_) => {
                    let (mailbox, port) = places.of(next);
                    Exit::Port { mailbox, port }
                }
            };
            let Handle { vc, seq_or_ack, frame, size, .. } = packet;
            match here.exit(&packet, (begins, arrives), place) {
                Ok(Exit::Fused(next)) => {
                    packet.crossed += 1;
                    (number, time) = (next as usize, arrives);
                }
                Ok(Exit::Host(group)) => {
                    let link = here.link.index() as u32;
                    let what = What::WholeFrame;
                    io.deliver(group, Delivery { time: arrives, seq_or_ack, vc, frame, size, link, what });
                    return crossed;
                }
                Ok(Exit::Port { mailbox, port }) => {
                    let input_ref = InputRef { port, input: here.link.index() as u32, at_port: vc };
                    let cells = Cells::crossed(packet.crossed + 1);
                    io.post(mailbox, Arrival { time: arrives, seq_or_ack, input_ref, frame, size, cells });
                    return crossed;
                }
                Ok(Exit::Within(_)) => unreachable!("a fused port is in no process"),
                Err(reason) => {
                    here.lose((time, arrives), &packet, reason, &mut io.packet_side, kinds);
                    return crossed;
                }
            }
        }
        unreachable!("a packet crosses a few ports")
    }

    /// A packet waits for one of the ports to be in its own process again.
    #[cold]
    #[inline(never)]
    fn leave_to_its_process(&self, number: usize, time: Time, packet: &Handle, io: &mut Io) {
        let FusedPort { home: (process, port), feeder, .. } = self.ports[number];
        let &Handle { vc, seq_or_ack, frame, size, crossed, .. } = packet;
        let input_ref = InputRef { port, input: feeder.index() as u32, at_port: vc };
        io.post(process, Arrival { time, seq_or_ack, input_ref, frame, size, cells: Cells::crossed(crossed) });
    }
}

/// There is no room for a packet.
#[cold]
#[inline(never)]
fn lose(here: &mut RoutedPort, time: Time, packet: Handle, kinds: &PacketKinds, io: &mut Io) {
    let ecn = io.packet_side.ecn(packet.frame);
    let coming = Coming { vc: packet.vc_here(), bytes: packet.size, ecn };
    let mut owner = Packets { vcs: &here.vcs, side: &mut io.packet_side, kinds };
    let departure = here.port.on_arrival(time, coming, packet, &mut owner);
    assert!(departure.is_none(), "a packet for which there is no room is lost");
}
