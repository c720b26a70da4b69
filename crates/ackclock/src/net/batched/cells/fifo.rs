//! The FIFO of a cell port with its counters: cells that are accepted wait, and depart.

use crate::ids::{Id, VcId};
use crate::net::batched::cells::cell_time::CellTime;
use crate::net::batched::cells::queue::CellQueue;
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::queue::DropReason;
use crate::record::trace::{FifoTrace, Refused};
use crate::units::Span;

/// The queue of a cell port, with what is counted there.
pub(in crate::net::batched) struct CellFifo {
    pub(in crate::net::batched) cell_time: CellTime,
    pub(in crate::net::batched) queue: CellQueue,
    pub(in crate::net::batched) monitor: FifoMonitor,
    pub(in crate::net::batched) trace: Option<Box<FifoTrace>>,
    /// A cell that finds fewer waiting, and need not be asked about, need only be counted.
    plain: u64,
}

impl CellFifo {
    /// An empty queue; departed cells are remembered for `memory`.
    pub(in crate::net::batched) fn new(
        cell_time: Span,
        monitor: FifoMonitor,
        memory: Span,
        trace: Option<Box<FifoTrace>>,
    ) -> CellFifo {
        let slots = if memory == Span::ZERO { 0 } else { memory / cell_time + 2 };
        let plain = if trace.is_some() { 0 } else { u64::from(monitor.buffer().capacity()) };
        CellFifo { cell_time: CellTime::new(cell_time.as_ps()), queue: CellQueue::new(slots), monitor, trace, plain }
    }

    /// Whether there is room for a cell at slot end `now`.
    #[inline]
    pub(in crate::net::batched) fn has_room(&self, now: u64) -> bool {
        self.queue.waiting_at(now) < u64::from(self.monitor.buffer().capacity())
    }

    /// Those whose time has come by slot end `now` leave the counters.
    #[inline(always)]
    pub(in crate::net::batched) fn depart(&mut self, now: u64) {
        let CellFifo { queue, monitor, .. } = self;
        queue.take_departed(now, |vc, cells| monitor.leave_late(vc, cells));
        monitor.set_queued(queue.waiting_at(now));
    }

    /// A cell of `vc` enters the queue at slot end `now` if that is as simple as it mostly is: it has to wait, there is room, and
    /// no departure has to be handled first. Returns how many slots it waits, if it does.
    #[inline(always)]
    pub(in crate::net::batched) fn accept_plainly(&mut self, now: u64, vc: VcId) -> Option<u64> {
        // Very many if the last cell departed before: then this one departs at once.
        let before = self.queue.last_departure().wrapping_sub(now);
        if before < self.plain && self.queue.has_room() && self.monitor.enter_among_others(vc, now, before) {
            self.queue.push(vc, 1);
            return Some(before + 1);
        }
        None
    }

    /// In each of `count` slots from slot end `now` on a cell of `vc` enters the queue, and if there are several
    /// no other cell does. Returns when the first departs.
    #[inline(always)]
    pub(in crate::net::batched) fn accept(&mut self, now: u64, vc: VcId, count: u32) -> u64 {
        let departs = self.queue.departure(now);
        self.record(vc, now, departs, count);
        if departs == now {
            self.depart(now);
            self.queue.pass(vc, now, count);
        } else {
            // Departures that are handled late make Y_i too large, which does not matter below its maximum.
            if !(self.monitor.buffer().stays_below_max(vc, count) && self.queue.has_room()) {
                self.accept_up_to_date(now, vc, count);
                return departs;
            }
            // Before each cell but the first, the one due then leaves.
            self.monitor.enter(vc, now, departs, count, departs - now - 1);
            self.queue.push(vc, count);
        }
        departs
    }

    /// In each of `count` slots, of which `now` is the end of the first, a cell of `vc` is accepted; the first one departs
    /// at `departs`.
    #[inline(always)]
    fn record(&mut self, vc: VcId, now: u64, departs: u64, count: u32) {
        if let Some(trace) = &mut self.trace {
            match departs - now {
                0 => trace.pass(now, count),
                wait => trace.enter(vc.index(), now, departs, count, wait - 1),
            }
        }
    }

    /// As [`CellFifo::accept`] for cells that wait, with departures in their time.
    #[inline(never)]
    fn accept_up_to_date(&mut self, now: u64, vc: VcId, count: u32) {
        let before = self.queue.departure(now) - now - 1;
        if before + 1 >= u64::from(count) {
            // In each slot one departs that waits already, and then one of `vc` enters: Y_i never falls, and is largest
            // at the end.
            self.depart(now + u64::from(count) - 1);
            self.queue.make_room();
            self.monitor.enter(vc, now, now + before + 1, count, before);
            self.queue.push(vc, count);
            return;
        }
        for at in now..now + u64::from(count) {
            self.depart(at);
            self.queue.make_room();
            self.monitor.enter(vc, at, at + before + 1, 1, before);
            self.queue.push(vc, 1);
        }
    }

    /// A cell of `vc`, whose name hashes to `vc_name`, is refused at slot end `now`; it is one of this frame.
    pub(in crate::net::batched) fn refuse(&mut self, now: u64, vc: VcId, vc_name: u64, frame: u32, reason: DropReason) {
        let now = self.cell_time.instant(now);
        if let Some(trace) = &mut self.trace {
            trace.refused(Refused { time: now, vc: vc.index() as u32, frame, reason });
        }
        self.monitor.refuse(now, vc, vc_name, reason);
    }
}
