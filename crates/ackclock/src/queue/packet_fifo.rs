//! Packets that wait, first in, first out: those of a queue discipline, and those of a port whose departures are known on arrival.

use crate::batch::Queue;

/// A packet that waits.
pub(crate) trait Waits: Copy + Default {
    /// Its size, octets.
    fn bytes(&self) -> u32;
}

/// A FIFO with a limit of octets, beside the limit of packets that the buffer of the port has.
#[derive(Clone, Debug)]
pub(crate) struct PacketFifo<W> {
    max_bytes: u64,
    bytes: u64,
    packets: Queue<W>,
}

impl<W: Waits> PacketFifo<W> {
    /// An empty FIFO of at most so many octets.
    pub(crate) fn new(max_bytes: u64) -> PacketFifo<W> {
        PacketFifo { max_bytes, bytes: 0, packets: Queue::default() }
    }

    /// The most octets that wait.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Whether a packet of so many octets may wait besides; `is_full`: no further packet may, whatever its size.
    #[inline(always)]
    pub(crate) fn has_room(&self, bytes: u32, is_full: bool) -> bool {
        self.bytes + u64::from(bytes) <= self.max_bytes && !is_full
    }

    /// Appends any packet, to be overwritten with one of so many octets.
    #[inline(always)]
    pub(crate) fn place(&mut self, bytes: u32) -> &mut W {
        self.bytes += u64::from(bytes);
        self.packets.place()
    }

    /// Takes the first packet.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<W> {
        let first = *self.packets.first()?;
        self.packets.take();
        self.bytes -= u64::from(first.bytes());
        Some(first)
    }

    /// The first packet.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<&W> {
        self.packets.first()
    }

    /// All that wait, in order.
    pub(crate) fn as_slice(&self) -> &[W] {
        self.packets.as_slice()
    }

    /// The octets that wait.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Waits for u32 {
        fn bytes(&self) -> u32 {
            *self
        }
    }

    #[test]
    fn packets_wait_in_order_while_their_octets_are_within_the_limit() {
        let mut fifo = PacketFifo::new(150);
        for bytes in [100, 20, 10] {
            *fifo.place(bytes) = bytes;
        }
        assert!(fifo.has_room(20, false) && !fifo.has_room(21, false) && !fifo.has_room(20, true));
        assert_eq!(
            (fifo.pop(), fifo.first(), fifo.as_slice(), fifo.bytes()),
            (Some(100), Some(&20), &[20, 10][..], 30)
        );
        assert!(fifo.has_room(120, false) && !fifo.has_room(121, false));
        assert_eq!((fifo.pop(), fifo.pop(), fifo.pop(), fifo.bytes()), (Some(20), Some(10), None, 0));
    }
}
