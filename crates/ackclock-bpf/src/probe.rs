//! What the TCP of this machine does at each segment that it receives, whatever the congestion control.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use libbpf_rs::{Link, MapCore as _, MapFlags, Object, RingBuffer, RingBufferBuilder};

use crate::error::{Error, MOST_NAMESPACES};
use crate::kernel::{load, loading, map, variables};

/// `bpf/trace.bpf.c`, compiled.
const PROGRAM: &[u8] = include_bytes!("../bpf/trace.bpf.o");

/// The state of a connection when it received a segment, before that was processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub time: u64,
    /// The inode of its network namespace.
    pub namespace: u32,
    /// The port of this end.
    pub local_port: u16,
    /// The port of the other end.
    pub remote_port: u16,
    /// Packets.
    pub cwnd: u32,
    /// Packets; 0x7fff_ffff is none.
    pub ssthresh: u32,
    /// Microseconds; zero before the first round trip.
    pub srtt: u32,
    /// First octet not acknowledged, as numbered on the wire.
    pub snd_una: u32,
    /// Next octet to send, as numbered on the wire.
    pub snd_nxt: u32,
    /// Packets sent and not acknowledged.
    pub packets_out: u32,
    /// The window of the other end, octets.
    pub peer_window: u32,
    /// The state of recovery, as Linux numbers them: 0 open, 1 disorder, 2 reduction, 3 recovery, 4 loss.
    pub state: u32,
}

impl Event {
    /// `struct event` of `trace.bpf.c`.
    fn of(octets: &[u8]) -> Option<Event> {
        let octets: &[u8; 48] = octets.get(..48)?.try_into().ok()?;
        let word = |at: usize| u32::from_ne_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]]);
        let port = |at: usize| u16::from_ne_bytes([octets[at], octets[at + 1]]);
        Some(Event {
            time: u64::from_ne_bytes(octets[..8].try_into().ok()?),
            namespace: word(8),
            local_port: port(12),
            remote_port: port(14),
            cwnd: word(16),
            ssthresh: word(20),
            srtt: word(24),
            snd_una: word(28),
            snd_nxt: word(32),
            packets_out: word(36),
            peer_window: word(40),
            state: word(44),
        })
    }
}

/// Looks at all TCP connections of some network namespaces, for as long as it lives. Events wait in 4 MiB of memory, about
/// 70,000 of them, until [`Probe::drain`] takes them.
pub struct Probe {
    // In this order: the kernel stops to write before what is written to goes.
    _link: Link,
    buffer: RingBuffer<'static>,
    taken: Rc<RefCell<Vec<Event>>>,
    object: Object,
}

impl Probe {
    /// Looks at the namespaces with these inodes, which are the numbers of the files in `/run/netns`, 1 to 1,024 of them.
    ///
    /// # Errors
    /// If there are none or too many, and if the machine or the kernel does not let programs be loaded: see
    /// [`missing`](crate::missing).
    pub fn start(namespaces: &[u64]) -> Result<Probe, Error> {
        if !(1..=MOST_NAMESPACES).contains(&namespaces.len()) {
            return Err(Error::Namespaces { given: namespaces.len() });
        }
        let taken = Rc::new(RefCell::new(Vec::new()));
        let into = Rc::clone(&taken);
        let (object, buffer, link) = loading("load the probe", || {
            let object = load(PROGRAM, |_| Ok(()))?;
            for &inode in namespaces {
                // Inodes of namespaces have 32 bits in the kernel: with others there is none.
                if let Ok(inode) = u32::try_from(inode) {
                    map(&object, "namespaces").update(&inode.to_ne_bytes(), &[1], MapFlags::ANY)?;
                }
            }
            let events = map(&object, "events");
            let mut builder = RingBufferBuilder::new();
            builder.add(&events, move |octets| {
                into.borrow_mut().extend(Event::of(octets));
                0
            })?;
            let buffer = builder.build()?;
            let program = object.progs_mut().find(|program| program.name() == "trace");
            let link = program.expect("a program of our own object").attach()?;
            Ok((object, buffer, link))
        })
        .map_err(|(_, error)| error)?;
        Ok(Probe { _link: link, buffer, taken, object })
    }

    /// Hands out what has happened since the last call, in the order of time for each connection.
    ///
    /// # Errors
    /// If the kernel does not let the events be read.
    pub fn drain(&mut self, mut each: impl FnMut(&Event)) -> Result<(), Error> {
        let result = self.buffer.consume();
        self.taken.borrow_mut().drain(..).for_each(|event| each(&event));
        result.map_err(|error| Error::Kernel { doing: "read the events of the probe", said: format!("{error:#}") })
    }

    /// Events for which there was no room: `drain` more often.
    pub fn lost(&self) -> u64 {
        variables(&self.object).first().copied().unwrap_or(0)
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("lost", &self.lost()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_it_was_written() {
        let mut octets = 1_000_000_007_u64.to_ne_bytes().to_vec();
        octets.extend(11_u32.to_ne_bytes());
        octets.extend(12_u16.to_ne_bytes());
        octets.extend(13_u16.to_ne_bytes());
        for word in 14_u32..=21 {
            octets.extend(word.to_ne_bytes());
        }
        assert_eq!(Event::of(&octets[..47]), None);
        let event = Event::of(&octets).unwrap();
        assert_eq!((event.time, event.namespace, event.local_port, event.remote_port), (1_000_000_007, 11, 12, 13));
        assert_eq!((event.cwnd, event.ssthresh, event.srtt, event.snd_una, event.snd_nxt), (14, 15, 16, 17, 18));
        assert_eq!((event.packets_out, event.peer_window, event.state), (19, 20, 21));
    }
}
