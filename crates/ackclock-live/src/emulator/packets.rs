//! The octets of packets that are on their way.

/// Packets by numbers; those of packets that have gone are given again.
#[derive(Default)]
pub(super) struct Packets {
    packets: Vec<Vec<u8>>,
    /// By packet what its segment says.
    numbers: Vec<Numbers>,
    free: Vec<u32>,
}

/// The numbers of a segment, counted from the first byte of its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Of its first byte.
    pub(super) seq: u64,
    /// Its bytes.
    pub(super) payload: u32,
    /// It acknowledges everything before this byte.
    pub(super) ack: u64,
    /// Whether it ends the connection at once.
    pub(super) resets: bool,
}

impl Packets {
    /// Keeps a packet, and what its segment says; returns its number.
    pub(super) fn keep(&mut self, octets: &[u8], numbers: Numbers) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.packets.push(Vec::new());
            self.numbers.push(Numbers::default());
            self.packets.len() as u32 - 1
        });
        let packet = &mut self.packets[number as usize];
        packet.clear();
        packet.extend_from_slice(octets);
        self.numbers[number as usize] = numbers;
        number
    }

    /// The octets of a packet that is kept.
    pub(super) fn octets(&self, number: u32) -> &[u8] {
        &self.packets[number as usize]
    }

    /// What the segment of a packet that is kept says.
    pub(super) fn numbers(&self, number: u32) -> Numbers {
        self.numbers[number as usize]
    }

    /// A packet is needed no longer.
    pub(super) fn release(&mut self, number: u32) {
        self.free.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_packet_that_has_gone_is_used_again() {
        let mut packets = Packets::default();
        let numbers = |ack| Numbers { ack, ..Numbers::default() };
        let [first, second] = [&b"first"[..], b"second"].map(|octets| packets.keep(octets, numbers(7)));
        packets.release(first);
        assert_eq!(packets.keep(b"3", numbers(9)), first);
        assert_eq!((packets.octets(first), packets.octets(second)), (&b"3"[..], &b"second"[..]));
        assert_eq!((packets.numbers(first), packets.numbers(second)), (numbers(9), numbers(7)));
        assert_eq!(packets.packets.len(), 2);
    }
}
