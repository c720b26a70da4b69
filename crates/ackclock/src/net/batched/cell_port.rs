//! The output port of an ATM switch that several inputs share, slot by slot.
//!
//! The model is that of [`crate::net`]'s reference (docs/models/cell-port.md): what arrives within a slot is admitted at its end, after the
//! departure due then. What is different is what is looped over. There are no events: the inputs' next cells are
//! known as far as the horizon, so the port goes through the slots in which something arrives. A frame on a link of
//! the port's own rate has one cell in every slot from its first to its last, so between two changes of the set of
//! such frames nothing has to be searched.

use super::cell_queue::CellQueue;
use super::counts::Counts;
use super::io::{Arrived, Destination, Io, Item, Leg};
use super::mailbox::Mailbox;
use crate::ids::{IdVec, VcId};
use crate::packet::aal5::{Reassembled, Reassembler};
use crate::queue::drop::{Arrival, DropPolicy, Policy, Verdict};
use crate::record::PortRecord;
use crate::rng::{Stream, mix};
use crate::scenario::ServiceOrder;
use crate::units::{Span, Time};

/// A shared cell port.
pub(super) struct CellPort {
    policy: Policy,
    kernel: Kernel,
}

/// What a port is made of, its policy excepted.
struct Kernel {
    mailbox: usize,
    /// Picoseconds.
    cell_time: u64,
    service: Service,
    vcs: IdVec<VcId, PortVc>,
    /// The next slot end.
    slot: u64,
    /// Frames with one cell in every slot.
    trains: Vec<Train>,
    /// Frames with another spacing.
    paced: Vec<Train>,
    queue: CellQueue,
    /// Arrivals are counted when a frame begins, waiting when it ends; [`Kernel::counts`] has them to the cell.
    counts: Counts,
    frames: u64,
    /// Every connection goes on to a host: no cell has to be passed on by itself.
    to_hosts: bool,
    /// The frames that have a cell in the slot at hand, with their places in the order of service.
    present: Vec<(u64, Turn)>,
}

/// One connection at a port.
pub(super) struct PortVc {
    pub(super) id: VcId,
    pub(super) name_hash: u64,
    /// From one cell to the next on the input link.
    pub(super) spacing: Span,
    /// From the slot end at which a cell departs to its arrival.
    pub(super) leg: Leg,
    /// Behind this port nothing is lost before the host: what its reassembly will say is known here.
    pub(super) reassembler: Reassembler,
}

/// The order of service within a slot.
pub(super) struct Service {
    pub(super) order: ServiceOrder,
    pub(super) stream: Stream,
    /// Hashes of the inputs' names.
    pub(super) inputs: Vec<u64>,
}

/// The cells of a frame that are still to come.
#[derive(Clone, Copy)]
struct Train {
    /// When the next one arrives. Kept for paced frames only.
    time: u64,
    spacing: u64,
    /// Slots that its cells wait, not yet counted.
    waited: u64,
    input: u32,
    at_port: VcId,
    frame: u32,
    /// The next cell.
    index: u16,
    /// The number after the last one's.
    end: u16,
    /// The cells from this one up to the next one were accepted.
    accepted_from: u16,
    eom: bool,
}

#[derive(Clone, Copy)]
enum Turn {
    Paced(u32),
    Train(u32),
}

impl CellPort {
    /// An empty port that reads `mailbox`; departed cells are remembered for `memory`.
    pub(super) fn new(
        mailbox: usize,
        cell_time: Span,
        policy: Policy,
        service: Service,
        vcs: IdVec<VcId, PortVc>,
        counts: Counts,
        memory: Span,
    ) -> CellPort {
        let slots = if memory == Span::ZERO { 0 } else { memory / cell_time + 2 };
        let to_hosts = vcs.iter().all(|vc| matches!(vc.leg.to, Destination::Host { .. }));
        let kernel = Kernel {
            mailbox,
            cell_time: cell_time.as_ps(),
            service,
            vcs,
            slot: 1,
            trains: Vec::new(),
            paced: Vec::new(),
            queue: CellQueue::new(slots),
            counts,
            frames: 0,
            to_hosts,
            present: Vec::new(),
        };
        CellPort { policy, kernel }
    }

    /// Handles every slot end before `until`.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        // One kernel for each policy, so that its calls are inlined.
        let kernel = &mut self.kernel;
        match &mut self.policy {
            Policy::TailDrop(policy) => kernel.advance(policy, until, io),
            Policy::Ppd(policy) => kernel.advance(policy, until, io),
            Policy::Epd(policy) => kernel.advance(policy, until, io),
            Policy::EpdPlus(policy) => kernel.advance(policy, until, io),
            Policy::SelectiveDrop(policy) => kernel.advance(policy, until, io),
            Policy::SelectiveDropPlus(policy) => kernel.advance(policy, until, io),
            Policy::Fba(policy) => kernel.advance(policy, until, io),
            Policy::FbaPlus(policy) => kernel.advance(policy, until, io),
        }
    }

    /// Before then nothing happens here, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        let Kernel { trains, paced, slot, cell_time, mailbox, .. } = &self.kernel;
        if trains.is_empty() && paced.is_empty() {
            io.mailboxes[*mailbox].earliest()
        } else {
            Time::from_ps(slot * cell_time)
        }
    }

    /// Frames that began to arrive so far.
    pub(super) fn events(&self) -> u64 {
        self.kernel.frames
    }

    /// The port's record at `now`.
    pub(super) fn record(&self, now: Time, name: &str, vcs: impl Iterator<Item = String>) -> PortRecord {
        self.kernel.counts().record(now, name, vcs, self.kernel.queue.waiting())
    }

    /// For each connection, how many of its cells have reached a place `lag` after their departures before `now`.
    pub(super) fn passed(&self, lag: Span, now: Time) -> IdVec<VcId, u64> {
        let mut passed = self.kernel.counts().accepted();
        for (vc, departs) in self.kernel.queue.departures() {
            if Time::from_ps(departs * self.kernel.cell_time) + lag < now {
                break;
            }
            passed[vc] -= 1;
        }
        passed
    }
}

impl Kernel {
    fn advance<P: DropPolicy>(&mut self, policy: &mut P, until: Time, io: &mut Io) {
        let last = (until.as_ps() - 1) / self.cell_time;
        if last < self.slot {
            return;
        }
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle();
        let mut now = self.slot;
        loop {
            if self.trains.is_empty() {
                let paced = self.paced.iter().map(|train| train.time).min().unwrap_or(u64::MAX);
                let next = paced.min(mailbox.first_time().as_ps());
                if next == u64::MAX {
                    break;
                }
                now = now.max(next / self.cell_time + 1);
            }
            if now > last {
                break;
            }
            self.begin(&mut mailbox, now * self.cell_time);
            self.depart(now);
            now = if self.trains.len() == 1 && self.paced.is_empty() {
                self.alone(policy, now, last, mailbox.first_time(), io)
            } else {
                self.contended(policy, now, io);
                now + 1
            };
        }
        self.depart(last);
        self.slot = last + 1;
        io.mailboxes[self.mailbox] = mailbox;
    }

    /// Takes in what begins to arrive before `end`.
    fn begin(&mut self, mailbox: &mut Mailbox, end: u64) {
        while let Some(&Item { time, input, at_port, frame, size, index, eom }) = mailbox.first() {
            if time.as_ps() >= end {
                break;
            }
            mailbox.take();
            self.frames += 1;
            self.counts.arrive(at_port, u64::from(size));
            let spacing = self.vcs[at_port].spacing.as_ps();
            let train = Train {
                time: time.as_ps(),
                spacing,
                waited: 0,
                input,
                at_port,
                frame,
                index,
                end: index + size as u16,
                accepted_from: index,
                eom,
            };
            if spacing == self.cell_time { self.trains.push(train) } else { self.paced.push(train) }
        }
    }

    /// One frame arrives, one cell in every slot: goes on until it ends, another begins, or `last` is behind.
    fn alone<P: DropPolicy>(&mut self, policy: &mut P, mut now: u64, last: u64, next: Time, io: &mut Io) -> u64 {
        // `next` arrives in the slot after this one.
        let last = last.min(next.as_ps() / self.cell_time);
        let mut train = self.trains[0];
        loop {
            self.serve(policy, now, &mut train, io);
            now += 1;
            if train.index == train.end {
                self.trains.clear();
                return now;
            }
            if now > last {
                break;
            }
            self.depart(now);
            if train.certain() && !policy.asks_always() && self.to_hosts {
                // Neither the first cell nor the last of a frame that is accepted so far, and nothing else arrives.
                // One cell departs for each that comes, so if there was room for the cell before there is for all
                // these: no question to the policy can change anything (see DropPolicy::asks_always).
                let count = (u64::from(train.end - train.index) - 1).min(last + 1 - now);
                self.accept_run(now, count, &mut train);
                now += count;
                if now > last {
                    break;
                }
                self.depart(now);
            }
        }
        self.trains[0] = train;
        now
    }

    /// Several cells may arrive in this slot: in the order of service.
    fn contended<P: DropPolicy>(&mut self, policy: &mut P, now: u64, io: &mut Io) {
        let mut present = std::mem::take(&mut self.present);
        present.clear();
        let (slot, end) = (now - 1, now * self.cell_time);
        let turn = self.service.begin(slot);
        // Two cells of one input keep their order, as the sort is stable. If they are of a paced frame and of one
        // with the port's spacing, the paced one came first: the other holds the link for the rest of the slot.
        for (number, train) in self.paced.iter().enumerate() {
            let mut time = train.time;
            for _ in train.index..train.end {
                if time >= end {
                    break;
                }
                present.push((turn.of(train.input), Turn::Paced(number as u32)));
                time += train.spacing;
            }
        }
        for (number, train) in self.trains.iter().enumerate() {
            present.push((turn.of(train.input), Turn::Train(number as u32)));
        }
        sort_few(&mut present);
        let mut ended = false;
        for &(_, which) in &present {
            let mut train = match which {
                Turn::Paced(number) => self.paced[number as usize],
                Turn::Train(number) => self.trains[number as usize],
            };
            self.serve(policy, now, &mut train, io);
            train.time += train.spacing;
            ended |= train.index == train.end;
            match which {
                Turn::Paced(number) => self.paced[number as usize] = train,
                Turn::Train(number) => self.trains[number as usize] = train,
            }
        }
        if ended {
            self.paced.retain(|train| train.index < train.end);
            self.trains.retain(|train| train.index < train.end);
        }
        self.present = present;
    }

    /// Those whose time has come leave the queue.
    #[inline]
    fn depart(&mut self, now: u64) {
        let mut due = self.queue.due(now);
        while due > 0 {
            let (vc, cells) = self.queue.pop(due);
            self.counts.leave(vc, cells as u32);
            due -= cells;
        }
    }

    /// The next cell of a frame is accepted or refused at slot end `now`.
    #[inline]
    fn serve<P: DropPolicy>(&mut self, policy: &mut P, now: u64, train: &mut Train, io: &mut Io) {
        let index = train.index;
        let certain = train.certain() && !policy.asks_always() && !self.counts.buffer().is_full();
        train.index += 1;
        let eom = train.eom && train.index == train.end;
        let verdict = if certain {
            Verdict::Accept
        } else {
            policy.admit(Arrival { vc: train.at_port, eom }, self.counts.buffer())
        };
        if let Verdict::Drop(reason) = verdict {
            let vc = &mut self.vcs[train.at_port];
            self.counts.refuse(Time::from_ps(now * self.cell_time), train.at_port, vc.name_hash, reason);
            if train.accepted_from < index {
                vc.reassembler.on_units(train.frame, train.accepted_from, index - train.accepted_from, false);
            }
            train.accepted_from = train.index;
            if train.index == train.end {
                self.counts.wait(train.at_port, train.waited);
            }
            return;
        }
        let departs = self.queue.push(train.at_port, now, 1);
        if departs > now {
            self.counts.enter(train.at_port, now, departs);
            train.waited += departs - now;
        }
        let vc = &mut self.vcs[train.at_port];
        if let Destination::Port { mailbox, input, at_port } = vc.leg.to {
            let time = Time::from_ps(departs * self.cell_time) + vc.leg.lag;
            io.post(mailbox, Item { time, input, at_port, frame: train.frame, size: 1, index, eom });
        }
        if train.index == train.end {
            self.counts.wait(train.at_port, train.waited);
            let count = train.end - train.accepted_from;
            if let Some(reassembled) = vc.reassembler.on_units(train.frame, train.accepted_from, count, eom) {
                if let Destination::Host { log } = vc.leg.to {
                    let good = matches!(reassembled, Reassembled::Good { .. });
                    let time = Time::from_ps(departs * self.cell_time) + vc.leg.lag;
                    io.deliver(log, Arrived { time, vc: vc.id, frame: train.frame, good });
                }
            }
        }
    }

    /// The next `count` cells of a frame are accepted, one at each slot end from `now` on.
    fn accept_run(&mut self, now: u64, count: u64, train: &mut Train) {
        if count == 0 {
            return;
        }
        let departs = self.queue.push(train.at_port, now, count);
        train.index += count as u16;
        if departs > now {
            self.counts.enter_many(train.at_port, count as u32, now, departs);
            train.waited += count * (departs - now);
            self.depart(now + count - 1);
            self.counts.note_max(train.at_port);
        }
    }

    /// The counters with those cells of unfinished frames that have come so far.
    fn counts(&self) -> Counts {
        let mut counts = self.counts.clone();
        for train in self.trains.iter().chain(&self.paced) {
            counts.not_arrived(train.at_port, u64::from(train.end - train.index));
            counts.wait(train.at_port, train.waited);
        }
        counts
    }
}

impl Train {
    /// The next cell is neither the first nor the last of its frame, and the one before it was accepted.
    #[inline]
    fn certain(&self) -> bool {
        self.accepted_from < self.index && self.index + 1 < self.end
    }
}

impl Service {
    /// The order of service in one slot.
    fn begin(&self, slot: u64) -> Order<'_> {
        match self.order {
            ServiceOrder::Random => Order::Random { draw: self.stream.at(slot), inputs: &self.inputs },
            ServiceOrder::Rotating => {
                let count = self.inputs.len() as u64;
                Order::Rotating { first: slot % count, count }
            }
            ServiceOrder::Fixed => Order::Rotating { first: 0, count: self.inputs.len() as u64 },
        }
    }
}

enum Order<'a> {
    Random { draw: u64, inputs: &'a [u64] },
    Rotating { first: u64, count: u64 },
}

impl Order<'_> {
    #[inline]
    fn of(&self, input: u32) -> u64 {
        match self {
            Order::Random { draw, inputs } => mix(draw ^ inputs[input as usize]),
            Order::Rotating { first, count } => {
                let place = u64::from(input) + count - first;
                if place >= *count { place - count } else { place }
            }
        }
    }
}

/// A stable sort for what is nearly always two or three.
fn sort_few(present: &mut [(u64, Turn)]) {
    if present.len() > 20 {
        present.sort_by_key(|&(key, _)| key);
        return;
    }
    for next in 1..present.len() {
        let item = present[next];
        let mut place = next;
        while place > 0 && item.0 < present[place - 1].0 {
            present[place] = present[place - 1];
            place -= 1;
        }
        present[place] = item;
    }
}
