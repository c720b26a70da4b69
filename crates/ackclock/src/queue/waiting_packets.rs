//! Packets at a port as its engine knows them, while a queue discipline has them.

/// What the engine knows the packets by that a discipline has, by the handles that the discipline knows them by.
#[derive(Debug)]
pub(crate) struct WaitingPackets<T> {
    places: Vec<T>,
    free: Vec<u32>,
    bytes: u64,
}

impl<T> Default for WaitingPackets<T> {
    fn default() -> WaitingPackets<T> {
        WaitingPackets { places: Vec::new(), free: Vec::new(), bytes: 0 }
    }
}

impl<T: Copy> WaitingPackets<T> {
    /// Whether no packet is in the queue.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.places.len()
    }

    /// How many packets are in the queue.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Those that wait, in any order.
    pub(crate) fn all(&self) -> impl Iterator<Item = T> + '_ {
        let mut waits = vec![true; self.places.len()];
        self.free.iter().for_each(|&place| waits[place as usize] = false);
        self.places.iter().zip(waits).filter_map(|(packet, waits)| waits.then_some(*packet))
    }

    /// The octets that wait.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A packet of so many octets waits: its handle.
    #[inline(always)]
    pub(crate) fn put(&mut self, packet: T, bytes: u32) -> u32 {
        self.bytes += u64::from(bytes);
        let place = self.free.pop().unwrap_or_else(|| self.add_place(packet));
        self.places[place as usize] = packet;
        place
    }

    #[inline(never)]
    fn add_place(&mut self, packet: T) -> u32 {
        self.places.push(packet);
        self.places.len() as u32 - 1
    }

    /// The packet with this handle, of so many octets, waits no more.
    #[inline(always)]
    pub(crate) fn take(&mut self, place: u32, bytes: u32) -> T {
        self.free.push(place);
        self.bytes -= u64::from(bytes);
        self.places[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_used_again() {
        let mut waiting = WaitingPackets::default();
        assert_eq!([('a', 100), ('b', 20)].map(|(packet, bytes)| waiting.put(packet, bytes)), [0, 1]);
        assert_eq!((waiting.len(), waiting.bytes(), waiting.take(0, 100)), (2, 120, 'a'));
        assert_eq!((waiting.put('c', 1), waiting.take(1, 20), waiting.take(0, 1)), (0, 'b', 'c'));
        assert!(waiting.is_empty() && waiting.bytes() == 0);
    }

    #[test]
    fn what_has_left_does_not_wait() {
        let mut waiting = WaitingPackets::default();
        for packet in ['a', 'b', 'c'] {
            waiting.put(packet, 1);
        }
        waiting.take(1, 1);
        assert_eq!(waiting.all().collect::<String>(), "ac");
        waiting.take(0, 1);
        waiting.take(2, 1);
        assert_eq!(waiting.all().count(), 0);
    }
}
