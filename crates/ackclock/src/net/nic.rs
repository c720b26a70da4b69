//! A host's output: frames one after the other, never interleaved, never refused.

use std::collections::VecDeque;

use crate::ids::VcId;
use crate::packet::Segment;
use crate::units::Time;

/// The segments that wait for a host's link.
#[derive(Clone, Debug, Default)]
pub(super) struct Nic {
    /// Not there before the first segment has to wait: hosts are many, and few of them have any waiting at a time.
    queue: Option<Box<NicQueue>>,
    free: Time,
}

/// Segments in the order they came.
pub(super) type NicQueue = VecDeque<(VcId, Segment)>;

impl Nic {
    /// A segment is handed down.
    pub(super) fn push(&mut self, vc: VcId, segment: Segment) {
        self.queue.get_or_insert_default().push_back((vc, segment));
    }

    /// The next segment, if the link is free; the caller says with [`Nic::occupy`] for how long it is not.
    pub(super) fn next(&mut self, now: Time) -> Option<(VcId, Segment)> {
        if self.free <= now { self.queue.as_mut()?.pop_front() } else { None }
    }

    /// Whether a segment that is handed down now would go at once.
    #[inline]
    pub(super) fn is_idle(&self, now: Time) -> bool {
        self.nothing_waits() && self.is_free(now)
    }

    /// Whether no frame is under way.
    #[inline]
    pub(super) fn is_free(&self, now: Time) -> bool {
        self.free <= now
    }

    /// When a segment goes that is handed down now, if nothing waits.
    #[inline]
    pub(super) fn start(&self, now: Time) -> Time {
        self.free.max(now)
    }

    /// The link is busy until then.
    #[inline]
    pub(super) fn occupy(&mut self, until: Time) {
        self.free = until;
    }

    /// Throws away what waits on `vc`; returns how many segments that were.
    pub(super) fn discard(&mut self, vc: VcId) -> u64 {
        let Some(queue) = &mut self.queue else { return 0 };
        let before = queue.len();
        queue.retain(|&(of, _)| of != vc);
        (before - queue.len()) as u64
    }

    /// Takes the queue away while nothing waits: others can use its room.
    pub(super) fn take_queue(&mut self) -> Option<Box<NicQueue>> {
        self.queue.take()
    }

    /// Gives an empty queue to a NIC that has no room.
    pub(super) fn give_queue(&mut self, queue: Box<NicQueue>) {
        debug_assert!(queue.is_empty() && self.nothing_waits());
        self.queue = Some(queue);
    }

    /// The connections of the segments that wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = VcId> {
        self.queue.iter().flat_map(|queue| queue.iter().map(|&(vc, _)| vc))
    }

    #[inline]
    fn nothing_waits(&self) -> bool {
        self.queue.as_ref().is_none_or(|queue| queue.is_empty())
    }

    /// When the next waiting segment can go.
    pub(super) fn next_start(&self) -> Time {
        if self.nothing_waits() { Time::NEVER } else { self.free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::units::instants::ps as at;

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    /// A host with these segments waiting: connection and sequence number.
    fn nic(waiting: &[(usize, u64)]) -> Nic {
        let mut nic = Nic::default();
        for &(of, seq) in waiting {
            nic.push(vc(of), Segment { seq, ..Segment::default() });
        }
        nic
    }

    fn next(nic: &mut Nic, now: u64) -> Option<(VcId, u64)> {
        nic.next(at(now)).map(|(of, segment)| (of, segment.seq))
    }

    #[test]
    fn frames_go_in_the_order_they_came_whatever_their_connection() {
        let mut nic = nic(&[(1, 10), (0, 20), (1, 30)]);
        assert_eq!(next(&mut nic, 0), Some((vc(1), 10)));
        assert_eq!(next(&mut nic, 0), Some((vc(0), 20)));
        assert_eq!(next(&mut nic, 0), Some((vc(1), 30)));
        assert_eq!(next(&mut nic, 0), None);
    }

    #[test]
    fn a_frame_waits_until_the_one_before_it_is_out() {
        let mut nic = nic(&[(0, 10), (0, 20)]);
        assert_eq!(next(&mut nic, 5), Some((vc(0), 10)));
        nic.occupy(at(100));
        assert_eq!(next(&mut nic, 99), None);
        assert_eq!(next(&mut nic, 100), Some((vc(0), 20)), "the end of one frame is the beginning of the next");
    }

    #[test]
    fn the_next_start_is_the_end_of_the_frame_under_way_if_anything_waits() {
        let mut nic = nic(&[(0, 10), (0, 20)]);
        assert_eq!(nic.next_start(), Time::ZERO, "an idle link");
        nic.next(at(5));
        nic.occupy(at(100));
        assert_eq!(nic.next_start(), at(100));
        nic.discard(vc(0));
        assert_eq!(nic.next_start(), Time::NEVER, "busy, but nothing waits");
    }

    #[test]
    fn a_timeout_takes_back_what_waits_on_its_connection_and_nothing_else() {
        let mut nic = nic(&[(0, 10), (1, 20), (0, 30), (2, 40), (0, 50)]);
        // 10 is under way, so 30 and 50 are left of connection 0.
        nic.next(at(0));
        assert_eq!(nic.discard(vc(0)), 2);
        assert_eq!(nic.discard(vc(0)), 0, "they are gone");
        assert_eq!((next(&mut nic, 0), next(&mut nic, 0)), (Some((vc(1), 20)), Some((vc(2), 40))));
    }
}
