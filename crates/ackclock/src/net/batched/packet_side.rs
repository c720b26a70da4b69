//! What packets under way carry that is more than two numbers and a length, such as SACK blocks. Few packets do: the
//! numbers travel with them, and so does the window that a router has written into an acknowledgement with nothing else.
//!
//! Where something is recorded, each packet has a place here too, with its number among those of its connection.

use crate::ids::{IdVec, VcId};
use crate::packet::{Ecn, Segment};

/// What a packet under way carries besides its numbers, as one word: nothing (zero), a window, or the key of a segment in the
/// side table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketKey(pub(super) u32);

impl PacketKey {
    /// Windows are below it (RFC 7323 §2.3: 2^30), and so are keys of the table.
    const WINDOW: u32 = 1 << 31;

    /// An acknowledgement with this window in bytes and nothing else.
    #[inline(always)]
    pub(super) fn of_window(window: u32) -> PacketKey {
        assert!(window < PacketKey::WINDOW, "a window of {window} bytes");
        PacketKey(PacketKey::WINDOW | window)
    }

    /// The window of an acknowledgement with nothing else.
    #[inline(always)]
    pub(super) fn window(self) -> Option<u32> {
        (self.0 >= PacketKey::WINDOW).then_some(self.0 & !PacketKey::WINDOW)
    }

    /// Whether the packet carries nothing else, or a window alone.
    #[inline(always)]
    pub(super) fn is_plain_or_window(self) -> bool {
        // In one comparison: zero is the largest number then.
        self.0.wrapping_sub(1) >= PacketKey::WINDOW - 1
    }

    /// Where its segment is in the table.
    #[inline]
    fn place(self) -> Option<usize> {
        if self.is_plain_or_window() { None } else { Some(self.0 as usize - 1) }
    }
}

/// The segments of such packets, each in its place until the packet arrives or is lost.
#[derive(Default)]
pub(super) struct PacketSideTable {
    places: Vec<Place>,
    free: Vec<u32>,
    /// The number of each connection's next packet, if they are numbered; else empty.
    next: IdVec<VcId, u32>,
}

#[derive(Clone, Copy)]
struct Place {
    segment: Segment,
    number: u32,
}

impl PacketSideTable {
    /// No packet is under way; those of so many connections are numbered.
    pub(super) fn new(numbered: usize) -> PacketSideTable {
        PacketSideTable { next: (0..numbered).map(|_| 0).collect(), ..PacketSideTable::default() }
    }

    #[inline]
    pub(super) fn numbers_packets(&self) -> bool {
        !self.next.is_empty()
    }

    /// The key under which the segment of a packet of `vc` is kept; zero if it is plain, and not numbered.
    #[inline(always)]
    pub(super) fn keep(&mut self, vc: VcId, segment: Segment) -> u32 {
        if segment.is_plain() && !self.numbers_packets() { 0 } else { self.put(vc, segment) }
    }

    /// The key under which the segment of a packet is kept that a router has made, with this number.
    pub(super) fn keep_made(&mut self, segment: Segment, number: u32) -> u32 {
        self.put_at_free(Place { segment, number })
    }

    /// Data with this key, which acknowledge all before this number, and say this window, from now on.
    pub(super) fn write_acknowledgement(&mut self, key: u32, ack: u64, window: Option<u32>) {
        let place = PacketKey(key).place().expect("data that acknowledge have a place");
        let segment = &mut self.places[place].segment;
        (segment.ack, segment.window) = (ack, window);
    }

    /// A key for a packet that carries what the one with this key does, and has its number.
    #[inline(never)]
    pub(super) fn copy(&mut self, key: u32) -> u32 {
        let Some(place) = PacketKey(key).place() else { return key };
        let copy = self.places[place];
        self.put_at_free(copy)
    }

    /// The segment kept under this key, which is free again; `None` if there is none.
    #[inline(never)]
    pub(super) fn take(&mut self, key: u32) -> Option<Segment> {
        let place = PacketKey(key).place()?;
        self.free.push(place as u32);
        Some(self.places[place].segment)
    }

    /// The key of an acknowledgement that now carries this window; `key` is the one that it had.
    #[inline(always)]
    pub(super) fn write_window(&mut self, key: u32, window: u32) -> u32 {
        match PacketKey(key).place() {
            Some(place) => {
                self.places[place].segment.window = Some(window);
                key
            }
            None => PacketKey::of_window(window).0,
        }
    }

    /// The window that a packet with this key carries, if a router has written one.
    #[inline(always)]
    pub(super) fn window(&self, key: u32) -> Option<u32> {
        match PacketKey(key).place() {
            Some(place) => self.places[place].segment.window,
            None => PacketKey(key).window(),
        }
    }

    /// Whether the packet with this key can be marked, and whether it is.
    #[inline]
    pub(super) fn ecn(&self, key: u32) -> Ecn {
        self.segment(key).map_or(Ecn::NOT_ECT, |segment| segment.ecn.of_ip())
    }

    /// The packet with this key leaves a port, and is `marked` or not: one that can be has a key.
    #[inline]
    pub(super) fn mark(&mut self, key: u32, marked: bool) {
        if marked {
            self.mark_segment(key);
        }
    }

    #[cold]
    #[inline(never)]
    fn mark_segment(&mut self, key: u32) {
        if let Some(place) = PacketKey(key).place() {
            let segment = &mut self.places[place].segment;
            segment.ecn = segment.ecn.marked();
        }
    }

    /// The segment kept under this key.
    pub(super) fn segment(&self, key: u32) -> Option<&Segment> {
        PacketKey(key).place().map(|place| &self.places[place].segment)
    }

    /// The number before which the packet with this key acknowledges everything; `number` travels with it, and is that of its data, too,
    /// if it has some.
    #[inline]
    pub(super) fn acknowledged(&self, key: u32, number: u64) -> u64 {
        self.segment(key).map_or(number, |segment| segment.ack)
    }

    /// The number of the packet with this key among those of its connection; zero if they are not numbered.
    pub(super) fn number(&self, key: u32) -> u32 {
        PacketKey(key).place().map_or(0, |place| self.places[place].number)
    }

    /// The number that the next packet of `vc` will get; zero if they are not numbered.
    pub(super) fn next_number(&self, vc: VcId) -> u32 {
        if self.next.is_empty() { 0 } else { self.next[vc] }
    }

    #[inline(never)]
    fn put(&mut self, vc: VcId, segment: Segment) -> u32 {
        let mut number = 0;
        if !self.next.is_empty() {
            number = self.next[vc];
            self.next[vc] = number.wrapping_add(1);
        }
        self.put_at_free(Place { segment, number })
    }

    fn put_at_free(&mut self, place: Place) -> u32 {
        let free = self.free.pop().unwrap_or(self.places.len() as u32);
        if free as usize == self.places.len() {
            self.places.push(place);
        } else {
            self.places[free as usize] = place;
        }
        free + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::packet::SackOption;

    #[test]
    fn each_packet_gets_back_its_own_segment() {
        let blocks = |start: u8| Segment { sack: SackOption::from(&[5, 3, start][..]), ..Segment::default() };
        let mut packet_side = PacketSideTable::default();
        let vc = VcId::from_index(0);
        assert_eq!(packet_side.keep(vc, Segment::default()), 0);
        let numbers: Vec<u32> = (0..4).map(|start| packet_side.keep(vc, blocks(start))).collect();
        assert_eq!(packet_side.take(numbers[2]), Some(blocks(2)));
        assert_eq!(packet_side.keep(vc, blocks(7)), numbers[2], "its place is free");
        for (number, start) in [(numbers[0], 0), (numbers[1], 1), (numbers[2], 7), (numbers[3], 3)] {
            assert_eq!(packet_side.take(number), Some(blocks(start)));
        }
        assert_eq!(packet_side.take(0), None);
    }

    #[test]
    fn a_window_alone_needs_no_place() {
        let mut packet_side = PacketSideTable::default();
        let key = packet_side.write_window(0, 1 << 30);
        assert_eq!((packet_side.window(key), packet_side.window(0)), (Some(1 << 30), None));
        let key = packet_side.write_window(key, 0);
        assert_eq!((packet_side.window(key), PacketKey(key).is_plain_or_window()), (Some(0), true));
        assert_eq!((packet_side.segment(key), packet_side.number(key)), (None, 0));
        assert_eq!(packet_side.take(key), None);
        let blocks = Segment { sack: SackOption::from(&[5, 3, 1][..]), ..Segment::default() };
        let kept = packet_side.keep(VcId::from_index(0), blocks);
        assert_eq!((packet_side.write_window(kept, 7), PacketKey(kept).is_plain_or_window()), (kept, false));
        assert_eq!(packet_side.take(kept), Some(Segment { window: Some(7), ..blocks }));
    }

    #[test]
    fn packets_are_numbered_by_connection_if_asked_for() {
        let mut packet_side = PacketSideTable::new(2);
        let [a, b] = [0, 1].map(VcId::from_index);
        let none = Segment::default();
        let keys = [a, a, b, a].map(|vc| packet_side.keep(vc, none));
        assert_eq!(keys.map(|key| packet_side.number(key)), [0, 1, 0, 2]);
        packet_side.take(keys[1]);
        assert_eq!(packet_side.next_number(b), 1);
        let key = packet_side.keep(b, none);
        assert_eq!((key, packet_side.number(key)), (keys[1], 1));
    }
}
