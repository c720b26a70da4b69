//! The packets that wait at an output port, first in, first out. Both engines have it: the reference engine keeps what it must
//! know when the turn of a packet comes, the batched engine when that is.

use super::Buffer;
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

    /// Whether a packet of so many octets may wait besides. `buffer` counts the packets that wait.
    #[inline(always)]
    pub(crate) fn has_room(&self, bytes: u32, buffer: &Buffer) -> bool {
        self.bytes + u64::from(bytes) <= self.max_bytes && !buffer.is_full()
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
    use crate::ids::{Id, VcId};

    impl Waits for u32 {
        fn bytes(&self) -> u32 {
            *self
        }
    }

    #[test]
    fn packets_wait_in_order_while_their_octets_and_their_number_are_within_the_limits() {
        let (mut fifo, mut buffer, vc) = (PacketFifo::new(150), Buffer::new(3, 1), VcId::from_index(0));
        let enter = |fifo: &mut PacketFifo<u32>, buffer: &mut Buffer, bytes| {
            *fifo.place(bytes) = bytes;
            buffer.enter(vc);
        };
        enter(&mut fifo, &mut buffer, 100);
        assert!(fifo.has_room(50, &buffer) && !fifo.has_room(51, &buffer));
        enter(&mut fifo, &mut buffer, 20);
        enter(&mut fifo, &mut buffer, 10);
        assert!(!fifo.has_room(1, &buffer), "three packets");
        assert_eq!(
            (fifo.pop(), fifo.first(), fifo.as_slice(), fifo.bytes()),
            (Some(100), Some(&20), &[20, 10][..], 30)
        );
        buffer.leave(vc);
        assert!(fifo.has_room(120, &buffer) && !fifo.has_room(121, &buffer));
        assert_eq!((fifo.pop(), fifo.pop(), fifo.pop(), fifo.bytes()), (Some(20), Some(10), None, 0));
    }
}
