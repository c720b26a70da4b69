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
    paced: Vec<Paced>,
    queue: CellQueue,
    /// Arrivals are counted when a frame begins, waiting when it ends; [`Kernel::counts`] has them to the cell.
    counts: Counts,
    frames: u64,
    /// The cells of the slot at hand, with their places in the order of service: paced frames by their numbers, then
    /// the others by theirs.
    present: Vec<(u64, u32)>,
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

/// The cells of a frame that are still to come, one in every slot.
#[derive(Clone, Copy)]
struct Train {
    input: u32,
    at_port: VcId,
    frame: u32,
    /// The number after the last cell's.
    end: u16,
    /// Cells to come.
    left: u16,
    /// The cells from this one up to the next one were accepted.
    accepted_from: u16,
    eom: bool,
    /// The next cell is accepted if there is room and it is not the last: the policy need not be asked.
    sure: bool,
    /// Slots that its cells wait, not yet counted.
    waited: u64,
}

/// A frame whose cells come at another spacing, in picoseconds.
#[derive(Clone, Copy)]
struct Paced {
    train: Train,
    /// When the next cell arrives.
    time: u64,
    spacing: u64,
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
                let paced = self.paced.iter().map(|paced| paced.time).min().unwrap_or(u64::MAX);
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
            if self.paced.is_empty() {
                // What arrives next arrives in the slot after this one.
                let next = mailbox.first_time().as_ps() / self.cell_time;
                now = self.every_slot(policy, now, last.min(next), io);
            } else {
                self.any_spacing(policy, now, io);
                now += 1;
            }
        }
        self.depart(last);
        self.slot = last + 1;
        io.mailboxes[self.mailbox] = mailbox;
    }

    /// Takes in what begins to arrive before `end`.
    #[inline]
    fn begin(&mut self, mailbox: &mut Mailbox, end: u64) {
        while let Some(&Item { time, input, at_port, frame, size, index, eom, .. }) = mailbox.first() {
            if time.as_ps() >= end {
                break;
            }
            mailbox.take();
            self.frames += 1;
            self.counts.arrive(at_port, u64::from(size));
            let end = index + size as u16;
            let left = size as u16;
            let train =
                Train { input, at_port, frame, end, left, accepted_from: index, eom, sure: false, waited: 0 };
            let spacing = self.vcs[at_port].spacing.as_ps();
            if spacing == self.cell_time {
                self.trains.push(train);
            } else {
                self.paced.push(Paced { train, time: time.as_ps(), spacing });
            }
        }
    }

    /// Every frame that arrives has one cell in every slot: goes on until nothing is left of them, or `last` is
    /// behind.
    fn every_slot<P: DropPolicy>(&mut self, policy: &mut P, mut now: u64, last: u64, io: &mut Io) -> u64 {
        loop {
            let count = self.trains.len();
            if count == 1 && self.trains[0].is_sure() {
                now = self.alone(now, last);
            } else {
                self.depart(now);
                let ended = match count {
                    1 => self.serve(policy, now, 0, io),
                    2..=FEW => {
                        let order = self.service.order_of_few(now - 1, &self.trains);
                        let serve = |ended, &number: &u8| self.serve(policy, now, usize::from(number), io) | ended;
                        order[..count].iter().fold(false, serve)
                    }
                    _ => self.serve_many(policy, now, io),
                };
                now += 1;
                if ended {
                    self.trains.retain(|train| train.left > 0);
                    if self.trains.is_empty() {
                        return now;
                    }
                }
            }
            if now > last {
                return now;
            }
        }
    }

    /// A frame of which a cell was just accepted is the only one that arrives: its cells up to the one before its
    /// last, or up to slot end `last`, are accepted. If nothing waits they are transmitted at once; otherwise for
    /// each that comes one departs before it, so there is room as there was for the cell before.
    fn alone(&mut self, now: u64, last: u64) -> u64 {
        let train = &mut self.trains[0];
        let count = u64::from(train.left - 1).min(last + 1 - now) as u16;
        let vc = train.at_port;
        train.left -= count;
        let next = now + u64::from(count);
        if self.queue.due(now) == 0 {
            self.queue.push(vc, now, u32::from(count));
            return next;
        }
        train.waited += u64::from(count) * self.queue.wait(now);
        let mut at = now;
        while at < next {
            let (leaving, cells, _) = self.queue.pop(next - at);
            self.queue.push(vc, at, cells);
            self.counts.exchange(vc, leaving, cells, at);
            at += u64::from(cells);
        }
        next
    }

    /// The cells of one slot, one of each of many frames.
    #[inline(never)]
    fn serve_many<P: DropPolicy>(&mut self, policy: &mut P, now: u64, io: &mut Io) -> bool {
        let mut present = std::mem::take(&mut self.present);
        let turn = self.service.begin(now - 1);
        present.clear();
        present.extend(self.trains.iter().zip(0..).map(|(train, number)| (turn.of(train.input), number)));
        present.sort_unstable();
        let mut ended = false;
        for &(_, number) in &present {
            ended |= self.serve(policy, now, number as usize, io);
        }
        self.present = present;
        ended
    }

    /// One slot, in which cells of any spacing may arrive.
    fn any_spacing<P: DropPolicy>(&mut self, policy: &mut P, now: u64, io: &mut Io) {
        self.depart(now);
        let mut present = std::mem::take(&mut self.present);
        present.clear();
        let (slot, end) = (now - 1, now * self.cell_time);
        let turn = self.service.begin(slot);
        // Two cells of one input keep their order, as the sort is stable. If they are of a paced frame and of one
        // with the port's spacing, the paced one came first: the other holds the link for the rest of the slot.
        for (paced, number) in self.paced.iter().zip(0..) {
            let mut time = paced.time;
            for _ in 0..paced.train.left {
                if time >= end {
                    break;
                }
                present.push((turn.of(paced.train.input), number));
                time += paced.spacing;
            }
        }
        let with_spacing = self.paced.len() as u32;
        for (train, number) in self.trains.iter().zip(with_spacing..) {
            present.push((turn.of(train.input), number));
        }
        present.sort_by_key(|&(turn, _)| turn);
        let mut ended = false;
        for &(_, number) in &present {
            if let Some(paced) = self.paced.get_mut(number as usize) {
                let mut train = paced.train;
                paced.time += paced.spacing;
                ended |= self.serve_train(policy, now, &mut train, io);
                self.paced[number as usize].train = train;
            } else {
                ended |= self.serve(policy, now, (number - with_spacing) as usize, io);
            }
        }
        if ended {
            self.paced.retain(|paced| paced.train.left > 0);
            self.trains.retain(|train| train.left > 0);
        }
        self.present = present;
    }

    /// Those whose time has come leave the queue.
    #[inline]
    fn depart(&mut self, now: u64) {
        let mut due = self.queue.due(now);
        while due > 0 {
            let (vc, cells, at) = self.queue.pop(due);
            self.counts.leave(vc, cells, at);
            due -= u64::from(cells);
        }
    }

    /// The next cell of a train is accepted or refused at slot end `now`. Returns whether it was the last one.
    #[inline(always)]
    fn serve<P: DropPolicy>(&mut self, policy: &mut P, now: u64, number: usize, io: &mut Io) -> bool {
        let train = &mut self.trains[number];
        if train.is_sure() && !self.counts.buffer().is_full() {
            // Neither the first cell nor the last of a frame that is accepted so far, and there is room: a question
            // to the policy would change nothing (see DropPolicy::asks_always).
            train.left -= 1;
            let departs = self.queue.push(train.at_port, now, 1);
            if departs > now {
                train.waited += departs - now;
                self.counts.enter(train.at_port, now);
            }
            return false;
        }
        let mut train = *train;
        self.serve_train(policy, now, &mut train, io);
        self.trains[number] = train;
        train.left == 0
    }

    /// The same for any train and any cell.
    #[inline(never)]
    fn serve_train<P: DropPolicy>(&mut self, policy: &mut P, now: u64, train: &mut Train, io: &mut Io) -> bool {
        train.left -= 1;
        let ended = train.left == 0;
        let eom = train.eom && ended;
        let vc = &mut self.vcs[train.at_port];
        match policy.admit(Arrival { vc: train.at_port, eom }, self.counts.buffer()) {
            Verdict::Accept => {
                let departs = self.queue.push(train.at_port, now, 1);
                if departs > now {
                    train.waited += departs - now;
                    self.counts.enter(train.at_port, now);
                }
                let time = Time::from_ps(departs * self.cell_time) + vc.leg.lag;
                match vc.leg.to {
                    Destination::Port { mailbox, port, input, at_port } => {
                        let index = train.end - train.left - 1;
                        let item = Item { time, port, input, at_port, frame: train.frame, size: 1, index, eom };
                        io.post(mailbox, item);
                    }
                    Destination::Host { log } if ended => {
                        let count = train.end - train.accepted_from;
                        let reassembled = vc.reassembler.on_units(train.frame, train.accepted_from, count, eom);
                        if let Some(reassembled) = reassembled {
                            let good = matches!(reassembled, Reassembled::Good { .. });
                            io.deliver(log, Arrived { time, vc: vc.id, frame: train.frame, good });
                        }
                    }
                    // On the way to a host only whole frames and their ends count, unless a policy looks at cells.
                    Destination::Host { .. } => train.sure = !policy.asks_always(),
                }
            }
            Verdict::Drop(reason) => {
                self.counts.refuse(Time::from_ps(now * self.cell_time), train.at_port, vc.name_hash, reason);
                let index = train.end - train.left - 1;
                if train.accepted_from < index {
                    vc.reassembler.on_units(train.frame, train.accepted_from, index - train.accepted_from, false);
                }
                train.accepted_from = index + 1;
                train.sure = false;
            }
        }
        if ended {
            self.counts.wait(train.at_port, train.waited);
        }
        ended
    }

    /// The counters with those cells of unfinished frames that have come so far.
    fn counts(&self) -> Counts {
        let mut counts = self.counts.clone();
        for train in self.trains.iter().chain(self.paced.iter().map(|paced| &paced.train)) {
            counts.not_arrived(train.at_port, u64::from(train.left));
            counts.wait(train.at_port, train.waited);
        }
        counts
    }
}

impl Train {
    /// The next cell is accepted if there is room, and nothing else comes of it.
    #[inline]
    fn is_sure(&self) -> bool {
        self.sure && self.left > 1
    }
}

/// Up to so many inputs are put in order without a branch that depends on the order.
const FEW: usize = 8;

impl Service {
    /// The order of service in one slot.
    #[inline]
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

    /// The order of service of a few trains, all from different inputs. The order is random, so a branch on a
    /// comparison would be guessed wrong half of the time: each one's place is the number of those before it.
    #[inline]
    fn order_of_few(&self, slot: u64, trains: &[Train]) -> [u8; FEW] {
        let turn = self.begin(slot);
        let mut turns = [0; FEW];
        for (place, train) in turns.iter_mut().zip(trains) {
            *place = turn.of(train.input);
        }
        let mut places = [0_u8; FEW];
        for one in 1..trains.len() {
            for other in 0..one {
                let first = u8::from(turns[one] < turns[other]);
                places[other] += first;
                places[one] += 1 - first;
            }
        }
        let mut order = [0; FEW];
        for (number, &place) in (0..).zip(&places[..trains.len()]) {
            order[usize::from(place) % FEW] = number;
        }
        order
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
