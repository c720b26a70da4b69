//! The octets of packets that are on their way.

/// Packets by numbers; those of packets that have gone are given again.
#[derive(Default)]
pub(super) struct Packets {
    packets: Vec<Vec<u8>>,
    /// By packet, the byte before which it acknowledges everything.
    acks: Vec<u64>,
    free: Vec<u32>,
}

impl Packets {
    /// Keeps a packet that acknowledges everything before this byte; returns its number.
    pub(super) fn keep(&mut self, octets: &[u8], ack: u64) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.packets.push(Vec::new());
            self.acks.push(0);
            self.packets.len() as u32 - 1
        });
        let packet = &mut self.packets[number as usize];
        packet.clear();
        packet.extend_from_slice(octets);
        self.acks[number as usize] = ack;
        number
    }

    /// The octets of a packet that is kept.
    pub(super) fn octets(&self, number: u32) -> &[u8] {
        &self.packets[number as usize]
    }

    /// What a packet that is kept acknowledges.
    pub(super) fn ack(&self, number: u32) -> u64 {
        self.acks[number as usize]
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
        let [first, second] = [&b"first"[..], b"second"].map(|octets| packets.keep(octets, 7));
        packets.release(first);
        assert_eq!(packets.keep(b"3", 9), first);
        assert_eq!((packets.octets(first), packets.octets(second)), (&b"3"[..], &b"second"[..]));
        assert_eq!((packets.ack(first), packets.ack(second)), (9, 7));
        assert_eq!(packets.packets.len(), 2);
    }
}
