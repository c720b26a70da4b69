//! Values that are appended one by one and taken from the front many at a time.

/// A vector whose room is always initialised. A push writes field by field into its place: `Vec::push` would build the
/// value on the stack first, in case it must grow, and copy it from there before the writes have settled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch<T> {
    room: Vec<T>,
    len: usize,
    /// How many times in a row hardly any of the room was in use.
    nearly_empty: u32,
}

/// After so many times most of the room is given back: a flow's window may have been large once, in slow start, and
/// there may be a hundred thousand flows.
const PATIENCE: u32 = 8;

/// Room for so many is kept in any case: to give it back and to take it again would cost more than what it holds.
const KEPT: usize = 8;

impl<T: Copy + Default> Batch<T> {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.room[..self.len]
    }

    /// The values, to be changed.
    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.room[..self.len]
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        *self.place() = value;
    }

    /// Appends any value, to be overwritten. A caller that takes this place before it computes the value keeps none of its
    /// parts in registers while the buffer may grow.
    #[inline(always)]
    pub(crate) fn place(&mut self) -> &mut T {
        let place = self.len;
        self.len += 1;
        if place < self.room.len() { &mut self.room[place] } else { self.grow(place) }
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.len >= self.room.len()
    }

    /// Keeps only those values.
    #[inline]
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let mut kept = 0;
        for place in 0..self.len {
            if keep(&self.room[place]) {
                if kept < place {
                    self.room[kept] = self.room[place];
                }
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Removes the first `taken` values if that is worth the move of the others; returns how many of those that were
    /// taken are left.
    #[inline(never)]
    pub(crate) fn clean(&mut self, taken: usize) -> usize {
        // The number that is left decides: a caller that cleans only when the buffer is full would otherwise never have an
        // empty one. After the buffer is halved, so few are left that they can be moved the next time.
        let left = self.len - taken;
        self.nearly_empty = if 8 * left <= self.room.len() { self.nearly_empty + 1 } else { 0 };
        if taken < 3 * left {
            return taken;
        }
        self.room.copy_within(taken..self.len, 0);
        self.len -= taken;
        if self.nearly_empty >= PATIENCE && self.room.len() > KEPT {
            self.shrink();
        }
        0
    }

    /// There is room for more than the first `full` values; returns the next.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, full: usize) -> &mut T {
        let room = (full + full / 2).max(2);
        self.room.reserve_exact(room - full);
        self.room.resize(room, T::default());
        &mut self.room[full]
    }

    /// Gives back half of the room.
    #[cold]
    #[inline(never)]
    fn shrink(&mut self) {
        self.nearly_empty = 0;
        self.room.truncate((self.room.len() / 2).max(self.len));
        self.room.shrink_to_fit();
    }
}

/// Values that are appended one by one, and taken from the front as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue<T> {
    values: Batch<T>,
    /// Values before this one are taken.
    taken: usize,
}

impl<T: Copy + Default> Queue<T> {
    /// Appends any value, to be overwritten.
    #[inline(always)]
    pub(crate) fn place(&mut self) -> &mut T {
        if self.values.is_full() { self.clean_place() } else { self.values.place() }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.values.as_slice()[self.taken..]
    }

    /// The values, to be changed.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values.as_mut_slice()[self.taken..]
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        self.values.as_slice().get(self.taken)
    }

    /// Takes the first value.
    #[inline]
    pub(crate) fn take(&mut self) {
        self.taken += 1;
    }

    /// Perhaps there is room at the front.
    #[cold]
    #[inline(never)]
    fn clean_place(&mut self) -> &mut T {
        self.taken = self.values.clean(self.taken);
        self.values.place()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        *self.place() = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn a_queue_is_first_in_first_out_and_no_larger_than_needed() {
        let (mut queue, mut plain) = (Queue::default(), VecDeque::new());
        for number in 0..1000 {
            queue.push(number);
            plain.push_back(number);
            while plain.len() > number % 7 {
                assert_eq!(queue.first(), plain.front());
                queue.take();
                plain.pop_front();
            }
            assert_eq!(queue.as_slice(), plain.make_contiguous());
        }
        assert!(queue.values.room.len() <= 64, "{}", queue.values.room.len());
    }

    #[test]
    fn a_queue_that_was_long_once_gives_its_room_back() {
        let mut queue = Queue::default();
        (0..10_000).for_each(|number| queue.push(number));
        (0..10_000).for_each(|_| queue.take());
        for number in 0..1_000_000 {
            queue.push(number);
            assert_eq!(queue.first(), Some(&number));
            queue.take();
        }
        assert!(queue.values.room.len() <= 64, "{}", queue.values.room.len());
    }
}
