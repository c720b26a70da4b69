//! The output port of an ATM switch that several inputs share, slot by slot.
//!
//! The model is that of the reference engine (docs/models/cell-port.md): what arrives within a slot is admitted at
//! its end, after the departure due then. What is different is what is looped over. There are no events: the inputs'
//! next cells are known as far as the horizon, so the port goes through the slots in which something arrives. A frame
//! on a link of the port's own rate has one cell in every slot from its first to its last, so between two changes of
//! the set of such frames nothing has to be searched; and where only one arrives, most of its cells are a single step.

use std::sync::Arc;

use crate::batch::Batch;
use crate::ids::{IdVec, VcId};
use crate::net::abr::PortRates;
use crate::net::batched::cells::admission::CellAdmission;
use crate::net::batched::cells::cell_time::CellTime;
use crate::net::batched::cells::fifo::CellFifo;
use crate::net::batched::cells::last_hop::{LastHopPort, LastHopPorts};
use crate::net::batched::cells::pacing::{Paced, Pacing, Spacing};
use crate::net::batched::cells::passed::Passed;
use crate::net::batched::cells::rates::CellRates;
use crate::net::batched::cells::service::{FEW, Service, Turns};
use crate::net::batched::cells::train::Train;
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::io::{Arrival, Io};
use crate::net::batched::mailbox::Mailbox;
use crate::net::batched::process::{Ports, Process};
use crate::net::lists::Lists;
use crate::queue::cell::{CellPolicy, CellPolicyState, Visitor};
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// A shared cell port.
pub(in crate::net::batched) struct CellPort {
    policy: CellPolicyState,
    kernel: Kernel,
    /// The rates that it gives to senders of TCP, if it does.
    rates: Option<CellRates>,
    /// The ports behind it that are done in the same step, if there are some.
    last_hops: Option<Box<LastHopPorts>>,
}

/// What a port is made of, its policy excepted.
struct Kernel {
    mailbox: usize,
    service: Service,
    admission: CellAdmission,
    /// The next slot end.
    slot: u64,
    /// Frames with one cell in every slot.
    trains: Batch<Train>,
    /// Frames with another spacing.
    pacing: Pacing<Train>,
    frames: u64,
    /// The turns of many trains in a slot, with their numbers.
    present: Vec<(u64, u32)>,
}

impl CellPort {
    /// An empty port that reads `mailbox`.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        policy: CellPolicyState,
        service: Service,
        admission: CellAdmission,
    ) -> CellPort {
        let cell_time = admission.fifo.cell_time;
        let kernel = Kernel {
            mailbox,
            service,
            admission,
            slot: 1,
            trains: Batch::default(),
            pacing: Pacing::new(cell_time),
            frames: 0,
            present: Vec::new(),
        };
        CellPort { policy, kernel, rates: None, last_hops: None }
    }

    /// With these rates, if it gives some, and these ports behind it.
    pub(in crate::net::batched) fn with_rates(self, rates: Option<CellRates>, last_hops: Vec<LastHopPort>) -> CellPort {
        let last_hops = (!last_hops.is_empty()).then(|| Box::new(LastHopPorts::new(last_hops)));
        CellPort { rates, last_hops, ..self }
    }

    /// The rates that it gives, if it does.
    pub(in crate::net::batched) fn rates(&self) -> Option<&PortRates> {
        self.rates.as_ref().map(CellRates::rates)
    }

    /// One of the ports behind it that are done in the same step.
    pub(in crate::net::batched) fn last_hop(&self, number: u32) -> &LastHopPort {
        self.last_hops.as_ref().expect("there are some").get(number)
    }

    /// When it, or a port behind it, gives new rates for which an edge waits; never if none does.
    pub(in crate::net::batched) fn next_rates(&self) -> Time {
        let own = self.rates.as_ref().and_then(CellRates::next_rates);
        own.unwrap_or(Time::NEVER).min(self.last_hops.as_ref().map_or(Time::NEVER, |ports| ports.next_rates()))
    }

    /// What ports without a queue behind this one have to know.
    pub(in crate::net::batched) fn passed(&self) -> Passed {
        let Kernel { admission, .. } = &self.kernel;
        let departures = Lists::new(admission.vcs.len(), admission.fifo.queue.departures());
        Passed::new(admission.fifo.cell_time, self.kernel.monitor().accepted(), departures)
    }

    /// Goes from end to end of the averaging intervals that end by `until`. One ends as soon as all before is known: an edge may wait for
    /// the rates.
    #[inline(never)]
    fn end_intervals(&mut self, until: Time, io: &mut Io) {
        if let Some(ports) = &mut self.last_hops {
            ports.end_intervals(io);
        }
        loop {
            let end = self.rates.as_ref().map_or(Time::NEVER, CellRates::interval_end);
            if let Some(ports) = self.last_hops.as_mut().filter(|ports| ports.next_count() <= until.min(end)) {
                self.policy.visit(Advance(&mut self.kernel, ports.next_count(), io));
                self.kernel.count_sent(ports, io);
            } else if let Some(rates) = self.rates.as_mut().filter(|_| io.may_end_interval(end, until)) {
                self.policy.visit(Advance(&mut self.kernel, end, io));
                self.kernel.end_interval(end, rates, io);
            } else {
                break;
            }
        }
    }
}

impl Process for CellPort {
    fn advance(&mut self, until: Time, io: &mut Io) {
        if self.rates.is_some() || self.last_hops.is_some() {
            self.end_intervals(until, io);
        }
        self.policy.visit(Advance(&mut self.kernel, until, io));
    }

    fn next(&self, io: &Io) -> Time {
        let Kernel { trains, pacing, slot, admission, mailbox, .. } = &self.kernel;
        let own = self.rates.as_ref().and_then(CellRates::next_rates).unwrap_or(Time::NEVER);
        let rates = own.min(self.last_hops.as_ref().map_or(Time::NEVER, |ports| ports.next_count()));
        if trains.as_slice().is_empty() && pacing.is_empty() {
            io.mailboxes[*mailbox].earliest().min(rates)
        } else {
            Time::from_ps(slot * admission.fifo.cell_time.ps()).min(rates)
        }
    }

    fn events(&self) -> u64 {
        self.kernel.frames
    }

    fn take_trace(&mut self, _port: u32, now: Time) -> Option<PortTrace> {
        self.kernel.admission.fifo.trace.take().map(|trace| trace.until(now))
    }
}

impl Ports for CellPort {
    fn record(&self, _port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord {
        self.kernel.monitor().record(now, name, vcs, self.kernel.admission.fifo.queue.waiting())
    }

    fn trace(&self, _port: u32, now: Time) -> Option<PortTrace> {
        self.kernel.admission.fifo.trace.clone().map(|trace| trace.until(now))
    }
}

/// One kernel for each policy, so that its calls are inlined.
struct Advance<'a>(&'a mut Kernel, Time, &'a mut Io);

impl Visitor for Advance<'_> {
    type Output = ();

    fn visit<P: CellPolicy>(self, policy: &mut P) {
        let Advance(kernel, until, io) = self;
        kernel.advance(policy, until, io);
    }
}

impl Kernel {
    fn advance<P: CellPolicy>(&mut self, policy: &mut P, until: Time, io: &mut Io) {
        let cell_time = self.admission.fifo.cell_time;
        let last = cell_time.slots(until.as_ps().saturating_sub(1));
        if last < self.slot {
            return;
        }
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        // Cells that arrive after the last slot end stay.
        mailbox.settle(Time::from_ps(last * cell_time.ps()));
        let mut now = self.slot;
        // The slot end after the arrival of what begins next.
        let mut begins = next_slot(&mailbox, cell_time);
        loop {
            if self.trains.as_slice().is_empty() && self.pacing.is_empty() {
                now = self.one_after_the_other(policy, &mut mailbox, now, &mut begins, last, io);
            }
            if self.trains.as_slice().is_empty() {
                let paced = if self.pacing.is_empty() { u64::MAX } else { self.pacing.next_slot(now, last) };
                now = now.max(paced.min(begins));
            }
            if now > last {
                break;
            }
            if begins <= now {
                self.begin(&mut mailbox, now);
                begins = next_slot(&mailbox, cell_time);
            }
            now = if self.pacing.is_empty() {
                self.every_slot(policy, now, last.min(begins - 1), io)
            } else {
                let end = self.begin_window(&mut mailbox, now, last);
                begins = next_slot(&mailbox, cell_time);
                self.any_spacing(policy, now, end, io);
                end + 1
            };
        }
        self.admission.fifo.depart(last);
        self.slot = last + 1;
        io.mailboxes[self.mailbox] = mailbox;
    }

    /// An averaging interval ends at `end`, a slot end: what departs then comes first, and cells of the slot are of the next interval.
    fn end_interval(&mut self, end: Time, rates: &mut CellRates, io: &mut Io) {
        let CellFifo { cell_time, queue, monitor, .. } = &self.admission.fifo;
        let to_come = self.to_come();
        let come = |vc| monitor.arrived_of(vc) - to_come[vc];
        rates.end_interval(come, queue.waiting_at(cell_time.slots(end.as_ps())), io);
    }

    /// Everything up to now has happened: the ports behind this one count what it has sent.
    fn count_sent(&self, last_hops: &mut LastHopPorts, io: &mut Io) {
        let monitor = &self.admission.fifo.monitor;
        let to_come = self.to_come();
        let sent = |vc| monitor.accepted_of(vc) - to_come[vc] - u64::from(monitor.buffer().queued_of(vc));
        last_hops.count(sent, io);
    }

    /// Cells of each connection that are counted as they are of frames that have begun, and that have not come yet.
    fn to_come(&self) -> IdVec<VcId, u64> {
        let mut to_come: IdVec<VcId, u64> = self.admission.vcs.iter().map(|_| 0).collect();
        for train in self.trains.as_slice().iter().chain(self.pacing.trains()) {
            to_come[train.at_port] += u64::from(train.left);
        }
        to_come
    }

    /// Takes in what begins to arrive in the slot that ends at `now`.
    #[inline(always)]
    fn begin(&mut self, mailbox: &mut Mailbox<Arrival>, now: u64) {
        let end = now * self.admission.fifo.cell_time.ps();
        while let Some(&arrival) = mailbox.first().filter(|arrival| arrival.time.as_ps() < end) {
            mailbox.take();
            let train = self.train(&arrival);
            let spacing = self.admission.vcs[arrival.input_ref.at_port].spacing;
            if spacing == Spacing::EVEN {
                self.trains.push(train);
            } else {
                self.pacing.reach(now);
                self.pacing.add(train, self.pacing.place_of(arrival.time.as_ps()), spacing);
            }
        }
    }

    /// Nothing is under way: takes in frames with one cell in every slot, or all cells in one, as long as each ends before the next
    /// begins, and the last one is under way. `begins` is the slot end after the arrival of what begins next. Returns where it
    /// goes on.
    fn one_after_the_other<P: CellPolicy>(
        &mut self,
        policy: &mut P,
        mailbox: &mut Mailbox<Arrival>,
        mut now: u64,
        begins: &mut u64,
        last: u64,
        io: &mut Io,
    ) -> u64 {
        while *begins <= last {
            let Some(&arrival) = mailbox.first() else { break };
            let spacing = self.admission.vcs[arrival.input_ref.at_port].spacing;
            if spacing != Spacing::EVEN && spacing != Spacing::AT_ONCE {
                break;
            }
            mailbox.take();
            let mut train = self.train(&arrival);
            now = *begins;
            *begins = next_slot(mailbox, self.admission.fifo.cell_time);
            if spacing == Spacing::AT_ONCE {
                if *begins == now {
                    self.pacing.reach(now);
                    self.pacing.add(train, self.pacing.place_of(arrival.time.as_ps()), spacing);
                    break;
                }
                while train.left > 0 {
                    self.admission.serve(policy, now, &mut train, io);
                }
                now += 1;
                continue;
            }
            now = self.admission.serve_alone(policy, now, last.min(*begins - 1), &mut train, io);
            if train.left > 0 {
                self.trains.push(train);
                break;
            }
        }
        now
    }

    /// Every frame that arrives has one cell in every slot: goes on until nothing is left of them, or `last` is
    /// behind.
    fn every_slot<P: CellPolicy>(&mut self, policy: &mut P, mut now: u64, last: u64, io: &mut Io) -> u64 {
        let Kernel { trains, admission, service, present, .. } = self;
        while now <= last && !trains.as_slice().is_empty() {
            let mut ended = false;
            match trains.as_mut_slice() {
                [train] => {
                    // Back to the last slot of these.
                    now = admission.serve_alone(policy, now, last, train, io) - 1;
                    ended = train.left == 0;
                }
                few if few.len() <= FEW && !service.is_by_arrival() => {
                    let order = service.order_of_few(now - 1, few);
                    for place in 0..few.len() {
                        let train = &mut few[(order >> (8 * place) & 0xff) as usize];
                        admission.serve(policy, now, train, io);
                        ended |= train.left == 0;
                    }
                }
                many => {
                    let turns = service.in_slot(now - 1);
                    let numbered = many.iter().zip(0..);
                    present.clear();
                    if let Turns::Arrival = turns {
                        present.extend(numbered.map(|(train, number)| (train.offset, number)));
                        present.sort_unstable_by_key(|&(offset, number)| (offset, many[number as usize].input, number));
                    } else {
                        present.extend(numbered.map(|(train, number)| (turns.of(train.input), number)));
                        present.sort_unstable();
                    }
                    for &(_, number) in &*present {
                        let train = &mut many[number as usize];
                        admission.serve(policy, now, train, io);
                        ended |= train.left == 0;
                    }
                }
            }
            if ended {
                trains.retain(|train| train.left > 0);
            }
            now += 1;
        }
        now
    }

    /// There are paced frames: takes in what begins to arrive from slot end `now` on, not beyond slot end `last`, and puts
    /// frames with one cell in every slot to the paced ones. Returns the last slot end of the window that is then known.
    fn begin_window(&mut self, mailbox: &mut Mailbox<Arrival>, now: u64, last: u64) -> u64 {
        let end = self.pacing.reach(now).min(last);
        let cell_time = self.admission.fifo.cell_time.ps();
        for &train in self.trains.as_slice() {
            self.pacing.add(train, self.pacing.place_of((now - 1) * cell_time + train.offset), Spacing::EVEN);
        }
        self.trains.retain(|_| false);
        while let Some(&arrival) = mailbox.first().filter(|arrival| arrival.time.as_ps() < end * cell_time) {
            mailbox.take();
            let (train, spacing) = (self.train(&arrival), self.admission.vcs[arrival.input_ref.at_port].spacing);
            self.pacing.add(train, self.pacing.place_of(arrival.time.as_ps()), spacing);
        }
        end
    }

    /// Cells of any spacing arrive, in the slots that end from `now` to `last`.
    #[inline(never)]
    fn any_spacing<P: CellPolicy>(&mut self, policy: &mut P, now: u64, last: u64, io: &mut Io) {
        let Kernel { admission, service, pacing, .. } = self;
        pacing.take(now, last, service);
        let (cells, trains, ended) = pacing.window();
        for &(offset, number) in cells {
            let train = &mut trains[number as usize];
            admission.serve(policy, now + u64::from(offset), train, io);
            if train.left == 0 {
                ended.push(number);
            }
        }
    }

    /// What begins to arrive.
    #[inline(always)]
    fn train(&mut self, arrival: &Arrival) -> Train {
        self.frames += 1;
        self.admission.fifo.monitor.arrive(arrival.input_ref.at_port, arrival.cells.count().into());
        let mut train = Train::new(arrival);
        if self.service.is_by_arrival() {
            let cell_time = self.admission.fifo.cell_time;
            let time = arrival.time.as_ps();
            train.offset = time - cell_time.slots(time) * cell_time.ps();
        }
        train
    }

    fn monitor(&self) -> FifoMonitor {
        self.admission.monitor_with(self.trains.as_slice().iter().chain(self.pacing.trains()))
    }
}

impl Paced for Train {
    #[inline(always)]
    fn input(&self) -> u32 {
        self.input
    }

    #[inline(always)]
    fn left(&self) -> u16 {
        self.left
    }
}

/// The slot end after the first arrival in the mailbox.
fn next_slot(mailbox: &Mailbox<Arrival>, cell_time: CellTime) -> u64 {
    mailbox.first().map_or(u64::MAX, |arrival| cell_time.slots(arrival.time.as_ps()) + 1)
}
