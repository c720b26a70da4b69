//! The output port of a packet switch, event by event: any queue discipline, any link.
//!
//! The reference engine drives every packet port like this, the batched one those whose departures are not known when
//! packets arrive: behind them is a link that changes or corrupts packets, or their discipline is more than a FIFO with tail drop.

mod launched;
mod shared_transmitter;

use std::sync::Arc;

use launched::Launched;

use super::feedback::PacketRates;
use super::link::{Link, PacketMeta, Transmitted};
use super::queue_monitor::QueueMonitor;
use crate::ids::{Id, VcId};
use crate::packet::Ecn;
use crate::queue::DropReason;
use crate::queue::packet::{Dropped, LinkUse, QueueDiscipline, QueuedPacket, Room};
use crate::queue::waiting_packets::WaitingPackets;
use crate::record::PortRecord;
use crate::units::{Rate, Span, Time};

/// The engine that drives a port, as far as its packets are concerned; `T` is what it knows a packet by. The port keeps that, and the
/// discipline keeps what a discipline knows: nothing of a packet is kept twice.
pub(super) trait PacketOwner<T> {
    /// What a link and the counters of losses know of a packet. Ports before plain links ask it only of what is lost.
    fn meta(&self, packet: &T) -> PacketMeta;

    /// A packet is lost.
    fn lose(&mut self, packet: T);

    /// Whether a packet can take another port, now that the link has no receiver.
    fn can_leave(&self, _packet: &T) -> bool {
        false
    }
}

/// What a port has to know of a packet that comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    /// The number of its connection at the port.
    pub(super) vc: VcId,
    /// Its size, octets.
    pub(super) bytes: u32,
    /// Whether it can be marked, and whether it is.
    pub(super) ecn: Ecn,
}

/// A packet port; `T` is what the engine knows a packet by.
pub(super) struct PacketPort<T> {
    rate: Rate,
    delay: Span,
    /// The time that the last packet took, of so many octets: mostly the next one is as long.
    last_time: (u32, Span),
    /// What is behind it, if that is more than a link of constant rate and delay.
    pub(super) link: Option<Box<Link>>,
    discipline: Box<dyn QueueDiscipline>,
    /// See [`QueueDiscipline::accepts_at_once`].
    accepts_at_once: bool,
    /// See [`QueueDiscipline::room`].
    room: Option<Room>,
    dropped: Dropped,
    waiting: WaitingPackets<T>,
    /// Those before them.
    launched: Launched,
    /// When the last transmission is complete.
    free: Time,
    /// Whether the discipline holds back what waits.
    is_held_back: bool,
    /// When the next of those that wait begins to be transmitted, and when all of them are lost; never if none waits.
    next_start: Time,
    flush: Time,
    /// When something happens that is not an arrival.
    next: Time,
    /// The rates that it gives to TCP flows, if it does.
    rates: Option<Box<PacketRates>>,
    pub(super) monitor: QueueMonitor,
}

/// A packet that is on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Departure<T> {
    pub(super) handle: T,
    /// When its transmission begins.
    pub(super) begins: Time,
    /// When it arrives at the other end.
    pub(super) arrives: Time,
    /// Whether the discipline has marked it.
    pub(super) marked: bool,
}

/// What becomes of the packet that has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn<T> {
    Departs(Departure<T>),
    /// It takes another port at once; and whether the discipline has marked it.
    Leaves(T, bool),
    /// No packet: an averaging interval ends, and there are new rates.
    IntervalEnds,
}

impl<T: Copy> PacketPort<T> {
    /// The packets that the discipline has. What is not among them is on the link already.
    pub(super) fn all_waiting(&self) -> impl Iterator<Item = T> + '_ {
        self.waiting.all()
    }

    /// An idle port before a link of this rate and delay, unless `link` says more.
    pub(super) fn new(
        (rate, delay): (Rate, Span),
        link: Option<Box<Link>>,
        discipline: Box<dyn QueueDiscipline>,
        monitor: QueueMonitor,
    ) -> PacketPort<T> {
        PacketPort {
            rate,
            delay,
            last_time: (0, Span::ZERO),
            room: discipline.room(),
            accepts_at_once: discipline.accepts_at_once()
                && link.as_ref().is_none_or(|link| !link.state.may_duplicate()),
            link,
            discipline,
            dropped: Dropped::default(),
            waiting: WaitingPackets::default(),
            launched: Launched::default(),
            free: Time::ZERO,
            is_held_back: false,
            next_start: Time::NEVER,
            flush: Time::NEVER,
            next: Time::NEVER,
            rates: None,
            monitor,
        }
    }

    /// Gives rates to TCP flows from now on, if there is an algorithm for it.
    pub(super) fn give_rates(&mut self, rates: Option<Box<PacketRates>>) {
        self.accepts_at_once &= rates.is_none();
        self.rates = rates;
        self.plan::<false>();
    }

    /// The rates that it gives to TCP flows, if it does.
    pub(super) fn rates(&self) -> Option<&PacketRates> {
        self.rates.as_deref()
    }

    /// Whether there is nothing but a discipline and a link of constant rate and delay, and nothing of the port is recorded over time: then
    /// much need not be asked of each packet.
    pub(super) fn is_plain(&self) -> bool {
        self.link.is_none() && self.rates.is_none() && self.monitor.trace.is_none()
    }

    /// Whether the packet that arrives next comes twice: then the copy is told as another arrival, directly after it.
    #[inline]
    pub(super) fn duplicates(&mut self) -> bool {
        self.link.as_mut().is_some_and(|link| link.duplicates())
    }

    /// A packet arrives. It is transmitted at once, or waits (then [`PacketPort::next_event`] says for how long), or is
    /// lost, perhaps with others.
    #[inline(always)]
    pub(super) fn on_arrival(
        &mut self,
        now: Time,
        coming: Coming,
        handle: T,
        owner: &mut impl PacketOwner<T>,
    ) -> Option<Departure<T>> {
        self.arrives::<false, _>(now, coming, handle, owner)
    }

    /// The same; `PLAIN`: [`PacketPort::is_plain`].
    #[inline(always)]
    pub(super) fn arrives<const PLAIN: bool, O: PacketOwner<T>>(
        &mut self,
        now: Time,
        coming: Coming,
        handle: T,
        owner: &mut O,
    ) -> Option<Departure<T>> {
        let Coming { vc, bytes, ecn } = coming;
        if !PLAIN && self.link.as_mut().is_some_and(|link| link.refuses(now, &owner.meta(&handle))) {
            owner.lose(handle);
            return None;
        }
        if let Some(rates) = self.rates.as_mut().filter(|_| !PLAIN) {
            rates.on_arrival(now, vc, bytes.into());
        }
        if !PLAIN && !self.launched.is_empty() {
            self.launched.settle(now, &mut self.monitor);
            if !self.has_room(bytes) {
                self.refuse_behind_launched(now, handle, owner);
                return None;
            }
        }
        let is_first = self.waiting.is_empty();
        let is_idle = is_first && self.free <= now;
        let is_free = is_idle && (PLAIN || self.up_from(now) == now);
        let link = LinkUse { idle: is_idle.then(|| now.since(self.free)), is_free };
        let place = self.waiting.put(handle, bytes);
        let flow = vc.index() as u32;
        self.discipline.enqueue(
            QueuedPacket { arrived: now, handle: place, bytes, flow, ecn },
            link,
            &mut self.dropped,
        );
        if is_free && let Some(packet) = self.discipline.dequeue(now, &mut self.dropped) {
            return self.leave_at_once(&packet, ecn, owner);
        }
        let is_accepted = self.lose_dropped(now, Some(place), owner);
        if is_accepted {
            self.monitor.arrive_and_enter::<PLAIN>(now, vc);
        }
        if is_first && is_accepted {
            if !PLAIN {
                self.flush = self.link.as_ref().map_or(Time::NEVER, |link| link.state.flushes_after(now));
            }
            match is_free {
                true => self.hold_back(now),
                false => self.begin_next::<PLAIN>(self.free.max(now)),
            }
        } else if !is_first && self.is_held_back {
            // Perhaps that has changed.
            self.begin_next::<PLAIN>(self.free.max(now));
        }
        None
    }

    /// The next transmission begins then, or when the link is up, unless nothing waits.
    #[inline(always)]
    fn begin_next<const PLAIN: bool>(&mut self, time: Time) {
        self.next_start = if PLAIN { time } else { self.up_from(time) };
        self.is_held_back = false;
        self.plan::<PLAIN>();
    }

    /// The discipline gave nothing: what waits is held back, if something does.
    #[inline(never)]
    fn hold_back(&mut self, now: Time) {
        if self.waiting.is_empty() {
            return;
        }
        let next = self.discipline.next();
        assert!(next > now, "a discipline that holds packets back at {now} says until when; it says {next}");
        self.begin_next::<false>(next);
        self.is_held_back = true;
    }

    /// A packet leaves as soon as it has come, with `came` in its header: it has never waited.
    #[inline(never)]
    fn leave_at_once(
        &mut self,
        packet: &QueuedPacket,
        came: Ecn,
        owner: &mut impl PacketOwner<T>,
    ) -> Option<Departure<T>> {
        let &QueuedPacket { arrived: now, handle: place, bytes, flow, ecn } = packet;
        let vc = VcId::from_index(flow as usize);
        self.lose_dropped(now, None, owner);
        let handle = self.waiting.take(place, bytes);
        self.monitor.arrive_and_pass(now, vc);
        let marked = ecn != came;
        if marked {
            self.monitor.mark(now, vc);
        }
        self.transmit::<false, _>((now, now), marked, bytes, handle, owner)
    }

    /// Those that the discipline has dropped are lost: those that waited, and perhaps the packet at `arriving`, which has just come.
    /// Whether that one is not among them.
    #[inline(always)]
    fn lose_dropped(&mut self, now: Time, arriving: Option<u32>, owner: &mut impl PacketOwner<T>) -> bool {
        self.dropped.is_empty() || self.lose_each(now, arriving, owner)
    }

    #[inline(never)]
    fn lose_each(&mut self, now: Time, arriving: Option<u32>, owner: &mut impl PacketOwner<T>) -> bool {
        let mut is_accepted = true;
        for (QueuedPacket { handle: place, bytes, .. }, reason) in self.dropped.drain() {
            let handle = self.waiting.take(place, bytes);
            let meta = owner.meta(&handle);
            if arriving == Some(place) {
                is_accepted = false;
                self.monitor.arrive(meta.vc);
                self.monitor.refuse(now, meta.vc, meta.vc_name, meta.frame, reason);
            } else {
                self.monitor.drop_waiting(now, meta.vc, meta.vc_name, meta.frame, reason);
            }
            owner.lose(handle);
        }
        self.plan::<false>();
        is_accepted
    }

    /// A packet of `vc` and this size arrives. If it is certain to be transmitted when the link is free, and to arrive at the other end, it
    /// is: returns when its transmission begins, and when it arrives. `None`: nothing has happened that can be seen,
    /// [`PacketPort::on_arrival`] is to be asked. The reference engine always asks that.
    ///
    /// It is certain if the link is stable for so long, the discipline has nothing to remember and refuses nothing that need not wait,
    /// and, if the packet has to wait, all that wait are like that, and there is room.
    #[inline(always)]
    pub(super) fn pass(&mut self, now: Time, vc: VcId, bytes: u32) -> Option<(Time, Time)> {
        if !self.waiting.is_empty() || !self.accepts_at_once {
            return None;
        }
        if now < self.free && (self.room.is_none() || self.monitor.trace.is_some()) {
            return None;
        }
        self.pass_foreseen(now, vc, bytes)
    }

    /// The same if [`PacketPort::foresees`], and nothing waits of which it is not known when it leaves.
    #[inline(always)]
    pub(super) fn pass_foreseen(&mut self, now: Time, vc: VcId, bytes: u32) -> Option<(Time, Time)> {
        if !self.launched.is_empty() {
            self.launched.settle(now, &mut self.monitor);
        }
        let waits = now < self.free;
        if waits && !self.has_room(bytes) {
            return None;
        }
        let begins = self.free.max(now);
        let (complete, arrives) = self.link.as_mut()?.state.transmit_stable(now, begins, bytes)?;
        if waits {
            self.monitor.arrive_and_enter::<true>(now, vc);
            self.launched.push(now, begins, vc, bytes);
        } else {
            self.monitor.arrive_and_transmit(now, complete, vc);
        }
        self.free = complete;
        Some((begins, arrives))
    }

    /// Whether of every packet that comes now or later it is known at once what becomes of it, unless the link changes.
    pub(super) fn foresees(&self) -> bool {
        let draws = self.link.as_ref().is_none_or(|link| link.state.draws());
        self.accepts_at_once && self.room.is_some() && !draws && self.monitor.trace.is_none() && self.waiting.is_empty()
    }

    /// Whether [`PacketPort::pass`] has not taken a packet for lack of room alone: so it is lost.
    pub(super) fn refuses_for_room(&self, now: Time, bytes: u32) -> bool {
        self.waiting.is_empty() && !self.launched.is_empty() && now < self.free && !self.has_room(bytes)
    }

    /// Whether a packet of so many octets may wait besides, if the discipline refuses for lack of room alone.
    #[inline]
    fn has_room(&self, bytes: u32) -> bool {
        let packets = self.launched.len() + self.waiting.len();
        let waiting = self.launched.bytes() + self.waiting.bytes();
        self.room.is_some_and(|room| packets < room.packets as usize && waiting + u64::from(bytes) <= room.bytes)
    }

    /// The discipline would find room for a packet, as it does not know of those that are launched.
    #[inline(never)]
    fn refuse_behind_launched(&mut self, now: Time, handle: T, owner: &mut impl PacketOwner<T>) {
        let PacketMeta { vc, vc_name, frame, .. } = owner.meta(&handle);
        self.monitor.arrive(vc);
        self.monitor.refuse(now, vc, vc_name, frame, DropReason::Overflow);
        owner.lose(handle);
    }

    /// The port's record at `now`; see [`QueueMonitor::record`].
    pub(super) fn record(&self, now: Time, name: &str, names: impl Iterator<Item = Arc<str>>) -> PortRecord {
        let mut monitor = self.monitor.clone();
        self.launched.count_begun(now, &mut monitor);
        monitor.record(now, name, names)
    }

    /// What is due at [`PacketPort::next_event`] happens: the next transmission begins, or what waits is lost. If the link has no
    /// receiver, those may leave that can take another port.
    #[inline(always)]
    pub(super) fn on_event(&mut self, now: Time, owner: &mut impl PacketOwner<T>) -> Option<Turn<T>> {
        self.happens::<false, _>(now, owner)
    }

    /// The same; `PLAIN`: [`PacketPort::is_plain`].
    #[inline(always)]
    pub(super) fn happens<const PLAIN: bool, O: PacketOwner<T>>(
        &mut self,
        now: Time,
        owner: &mut O,
    ) -> Option<Turn<T>> {
        if !PLAIN && !self.launched.is_empty() {
            self.launched.settle(now, &mut self.monitor);
        }
        // At one instant what departs comes first.
        if !PLAIN && (now != self.next_start || now == self.flush) {
            return self.on_rare_event(now, owner);
        }
        let leaves = self.discipline.dequeue(now, &mut self.dropped);
        self.lose_dropped(now, None, owner);
        let Some(QueuedPacket { arrived, handle: place, bytes, flow, ecn }) = leaves else {
            self.hold_back(now);
            return None;
        };
        let handle = self.waiting.take(place, bytes);
        self.monitor.leave::<PLAIN>(now, VcId::from_index(flow as usize), arrived);
        // Mostly nothing is marked.
        let marked = ecn.is_ce() && !came_marked(owner, handle);
        if marked {
            self.monitor.mark(now, VcId::from_index(flow as usize));
        }
        let leaves =
            !PLAIN && self.link.as_ref().is_some_and(|link| link.state.avoids(now)) && owner.can_leave(&handle);
        let turn = match leaves {
            true => Some(Turn::Leaves(handle, marked)),
            false => self.transmit::<PLAIN, _>((arrived, now), marked, bytes, handle, owner).map(Turn::Departs),
        };
        // What is transmitted takes time.
        self.begin_next::<PLAIN>(if PLAIN { self.free } else { self.free.max(now) });
        turn
    }

    /// What waits is lost, or an averaging interval ends.
    #[inline(never)]
    fn on_rare_event(&mut self, now: Time, owner: &mut impl PacketOwner<T>) -> Option<Turn<T>> {
        let flushes = now == self.flush;
        if flushes {
            while let Some(packet) = self.discipline.flush() {
                self.dropped.push(packet, DropReason::Outage);
            }
            self.lose_dropped(now, None, owner);
        } else if let Some(rates) = &mut self.rates {
            rates.end_interval(self.waiting.bytes());
        }
        self.plan::<false>();
        (!flushes).then_some(Turn::IntervalEnds)
    }

    /// When something happens here that is not an arrival.
    #[inline(always)]
    pub(super) fn next_event(&self) -> Time {
        self.next
    }

    /// Something has changed of what [`PacketPort::next_event`] says.
    #[inline(always)]
    fn plan<const PLAIN: bool>(&mut self) {
        if self.waiting.is_empty() {
            (self.next_start, self.flush) = (Time::NEVER, Time::NEVER);
        }
        if PLAIN {
            self.next = self.next_start;
            return;
        }
        self.next = self.next_start.min(self.flush);
        if let Some(rates) = &self.rates {
            self.next = self.next.min(rates.interval_end());
        }
    }

    #[inline(always)]
    fn up_from(&self, time: Time) -> Time {
        self.link.as_ref().map_or(time, |link| link.state.up_from(time))
    }

    #[inline(always)]
    fn transmit<const PLAIN: bool, O: PacketOwner<T>>(
        &mut self,
        (came, now): (Time, Time),
        marked: bool,
        bytes: u32,
        handle: T,
        owner: &mut O,
    ) -> Option<Departure<T>> {
        let (complete, arrives) = match self.link.as_mut().filter(|_| !PLAIN) {
            None => {
                if self.last_time.0 != bytes {
                    self.last_time = (bytes, self.rate.serialization(u64::from(bytes) * 8));
                }
                let complete = now + self.last_time.1;
                (complete, Some(complete + self.delay))
            }
            Some(link) => {
                let Transmitted { complete, arrives } =
                    link.transmit(came, now, &owner.meta(&handle)).expect("the link is up");
                (complete, arrives)
            }
        };
        self.free = complete;
        if !PLAIN {
            self.monitor.transmits(now, complete.since(now));
        }
        if arrives.is_none() {
            owner.lose(handle);
        }
        arrives.map(|arrives| Departure { handle, begins: now, arrives, marked })
    }
}

/// Whether a packet was marked when it came.
#[cold]
#[inline(never)]
fn came_marked<T>(owner: &impl PacketOwner<T>, packet: T) -> bool {
    owner.meta(&packet).ecn.is_ce()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id, LinkId, NodeId, VcId};
    use crate::link::errors::ListParams;
    use crate::link::{AppliesTo, FarEnds, NoReceiver};
    use crate::link::{
        Delays, ErrorModelParams, ErrorParams, InService, LinkParams, LinkSchedule, Outages, Packet, PacketKind, Place,
        Queued,
    };
    use crate::link::{Reordering, Shape};
    use crate::net::link::LossRecording;
    use crate::queue::Buffer;
    use crate::queue::packet::{CoDelParams, PacketPolicyParams, QueuePort};
    use crate::scenario::{self, Queue};
    use proptest::prelude::*;

    /// One byte takes 8 ns.
    const RATE: u64 = 1_000_000_000;

    fn rate() -> Rate {
        Rate::from_bps(RATE).unwrap()
    }

    fn of_policy(
        max_packets: u32,
        max_bytes: u64,
        policy: &PacketPolicyParams,
        params: LinkParams,
    ) -> PacketPort<(u32, u32)> {
        let (from, to) = (NodeId::from_index(0), NodeId::from_index(1));
        let (delay, queue) = (Span::from_us(1), Queue::unlimited());
        let link = scenario::Link {
            name: "a->b".into(),
            from,
            to,
            rate: rate(),
            delay,
            medium: None,
            params,
            queue: queue.into(),
        };
        let link = Link::new(LinkId::from_index(0), &link, 1, 1, false, LossRecording::Each);
        let discipline = policy.start(&QueuePort { rate: rate(), max_packets, max_bytes, flows: &[0] }, "a->b", 1);
        PacketPort::new((rate(), delay), link, discipline, QueueMonitor::new(max_packets, 1, None))
    }

    fn port(max_packets: u32, max_bytes: u64) -> PacketPort<(u32, u32)> {
        of_policy(max_packets, max_bytes, &PacketPolicyParams::TailDrop(()), LinkParams::plain())
    }

    impl PacketPort<(u32, u32)> {
        fn waiting(&self) -> usize {
            self.waiting.len()
        }
    }

    fn coming(bytes: u32) -> Coming {
        Coming { vc: VcId::from_index(0), bytes, ecn: Ecn::NOT_ECT }
    }

    /// Knows packets by handle and size; and which it has lost.
    #[derive(Default)]
    struct Owner {
        lost: Vec<u32>,
        leave: bool,
    }

    impl PacketOwner<(u32, u32)> for Owner {
        fn meta(&self, &(_, bytes): &(u32, u32)) -> PacketMeta {
            let packet = Packet { bytes, kind: PacketKind::Data };
            PacketMeta { vc: VcId::from_index(0), vc_name: 0, frame: 0, packet, ecn: Ecn::NOT_ECT }
        }

        fn lose(&mut self, (handle, _): (u32, u32)) {
            self.lost.push(handle);
        }

        fn can_leave(&self, _: &(u32, u32)) -> bool {
            self.leave
        }
    }

    fn ns(ns: u64) -> Time {
        Time::from_ps(ns * 1000)
    }

    /// A packet of this handle and size arrives: when it arrives at the other end, if it goes at once.
    fn arrive(port: &mut PacketPort<(u32, u32)>, now: u64, handle: u32, bytes: u32) -> Option<(u32, Time)> {
        let departure = port.on_arrival(ns(now), coming(bytes), (handle, bytes), &mut Owner::default());
        departure.map(|departure| (departure.handle.0, departure.arrives))
    }

    /// What happens next at a port that expects it then.
    fn event(port: &mut PacketPort<(u32, u32)>, now: u64) -> (Option<(u32, Time)>, Vec<u32>) {
        assert_eq!(port.next_event(), ns(now));
        let mut owner = Owner::default();
        let departure = match port.on_event(ns(now), &mut owner) {
            Some(Turn::Departs(Departure { handle: (handle, _), begins, arrives, .. })) => {
                assert_eq!(begins, ns(now));
                Some((handle, arrives))
            }
            Some(Turn::Leaves(..)) => unreachable!("there is no other port"),
            Some(Turn::IntervalEnds) | None => None,
        };
        (departure, owner.lost)
    }

    fn departs(handle: u32, arrives: u64) -> Option<(u32, Time)> {
        Some((handle, ns(arrives)))
    }

    /// What departs when packets of these sizes arrive after these times, and the record in the end; those that can, pass, if
    /// so chosen. How many do.
    fn all(
        mut port: PacketPort<(u32, u32)>,
        arrivals: &[(u64, u32)],
        may_pass: bool,
    ) -> (Vec<(u32, Time)>, PortRecord, usize) {
        let (mut departures, mut now, mut passed) = (Vec::new(), 0, 0);
        let events = |port: &mut PacketPort<(u32, u32)>, until: Time, departures: &mut Vec<_>| {
            while port.next_event() <= until && port.next_event() < Time::NEVER {
                if let Some(Turn::Departs(departure)) = port.on_event(port.next_event(), &mut Owner::default()) {
                    departures.push((departure.handle.0, departure.arrives));
                }
            }
        };
        for (&(after, bytes), handle) in arrivals.iter().zip(0..) {
            now += after;
            events(&mut port, ns(now), &mut departures);
            match may_pass.then(|| port.pass(ns(now), coming(bytes).vc, bytes)).flatten() {
                Some((_, arrives)) => {
                    departures.push((handle, arrives));
                    passed += 1;
                }
                None => departures.extend(arrive(&mut port, now, handle, bytes)),
            }
        }
        events(&mut port, Time::NEVER, &mut departures);
        (departures, port.record(ns(100_000), "a->b", ["v".into()].into_iter()), passed)
    }

    proptest! {
        #[test]
        fn what_passes_does_as_what_arrives(
            arrivals in prop::collection::vec((0_u64..2000, 1_u32..200), 1..40),
            (outage, shrinks, prevents) in any::<(bool, bool, bool)>(),
        ) {
            let mut schedule = LinkSchedule::constant(rate(), Span::from_us(1));
            if outage {
                schedule.outages = Outages::new(vec![(ns(5000), ns(9000))], InService::Lose, Queued::Keep);
            }
            if shrinks {
                let points = vec![(ns(0), Span::from_us(5)), (ns(7000), Span::from_us(1))];
                schedule.delays = Delays::new(Shape::Steps, points);
            }
            if prevents {
                schedule.reordering = Reordering::Prevent;
            }
            let params = || LinkParams { schedule: Some(Box::new(schedule.clone())), ..LinkParams::plain() };
            let [plain, other] = [false, true].map(|may_pass| {
                all(of_policy(3, 300, &PacketPolicyParams::TailDrop(()), params()), &arrivals, may_pass)
            });
            prop_assert_eq!((&plain.0, &plain.1), (&other.0, &other.1));
            // The first is lost on the link, or waits for it, if that is down soon.
            prop_assert!(other.2 > 0 || outage);
        }
    }

    #[test]
    fn packets_follow_each_other_without_gaps() {
        let mut port = port(10, u64::MAX);
        assert_eq!(arrive(&mut port, 0, 0, 100), departs(0, 1800));
        assert_eq!(arrive(&mut port, 10, 1, 50), None);
        assert_eq!(event(&mut port, 800), (departs(1, 2200), vec![]));
        assert_eq!(port.next_event(), Time::NEVER);
        assert_eq!(arrive(&mut port, 1200, 2, 100), departs(2, 3000), "idle at the very instant");
    }

    #[test]
    fn the_limit_counts_waiting_packets() {
        let mut port = port(2, u64::MAX);
        for handle in 0..4 {
            arrive(&mut port, 0, handle, 100);
        }
        assert_eq!((port.waiting(), port.monitor.buffer().queued()), (2, 2), "one under way, two wait, one gone");
    }

    #[test]
    fn or_waiting_bytes() {
        let mut port = port(Buffer::INFINITE, 150);
        for handle in 0..3 {
            arrive(&mut port, 0, handle, 100);
        }
        assert_eq!(port.waiting(), 1);
        arrive(&mut port, 0, 3, 50);
        assert_eq!(port.waiting(), 2, "50 bytes fit exactly");
        arrive(&mut port, 0, 4, 1);
        assert_eq!(port.waiting(), 2);
    }

    fn down(queued: Queued) -> LinkParams {
        let mut schedule = LinkSchedule::constant(rate(), Span::from_us(1));
        schedule.outages = Outages::new(vec![(ns(1000), ns(5000))], InService::Finish, queued);
        LinkParams { schedule: Some(Box::new(schedule)), ..LinkParams::plain() }
    }

    #[test]
    fn while_a_link_is_down_packets_wait() {
        let mut port = of_policy(10, u64::MAX, &PacketPolicyParams::TailDrop(()), down(Queued::Keep));
        assert!(arrive(&mut port, 900, 0, 100).is_some());
        // 0 is finished at 1700, after the link went down.
        assert_eq!(arrive(&mut port, 950, 1, 100), None);
        assert_eq!(arrive(&mut port, 2000, 2, 100), None);
        assert_eq!(event(&mut port, 5000), (departs(1, 6800), vec![]));
        assert_eq!(event(&mut port, 5800), (departs(2, 7600), vec![]));
        // A packet that finds an idle port and no link waits as well.
        let mut idle = of_policy(10, u64::MAX, &PacketPolicyParams::TailDrop(()), down(Queued::Keep));
        assert_eq!(arrive(&mut idle, 3000, 0, 100), None);
        assert_eq!(event(&mut idle, 5000), (departs(0, 6800), vec![]));
    }

    #[test]
    fn or_they_are_lost_when_it_goes_down() {
        let mut port = of_policy(10, u64::MAX, &PacketPolicyParams::TailDrop(()), down(Queued::Flush));
        for handle in 0..3 {
            arrive(&mut port, 900, handle, 100);
        }
        assert_eq!(event(&mut port, 1000), (None, vec![1, 2]), "0 is under way");
        assert_eq!((port.monitor.buffer().queued(), port.waiting.bytes()), (0, 0));
        assert_eq!(arrive(&mut port, 2000, 3, 100), None);
        assert_eq!(event(&mut port, 5000), (departs(3, 6800), vec![]), "what came later is not lost");
        let record = port.monitor.record(ns(9000), "a->b", ["v".into()].into_iter());
        assert_eq!((record.arrivals, record.departures, record.drops.outage), (4, 2, 2));
    }

    #[test]
    fn what_waits_when_nobody_listens_any_more_is_transmitted_and_lost_or_takes_another_port() {
        let leaves = |no_receiver| {
            let mut schedule = LinkSchedule::constant(rate(), Span::from_us(1));
            let points = vec![(ns(0), Some(NodeId::from_index(1))), (ns(1000), None)];
            schedule.far_ends = Some(FarEnds::new(points, no_receiver));
            let params = LinkParams { schedule: Some(Box::new(schedule)), ..LinkParams::plain() };
            let mut port = of_policy(10, u64::MAX, &PacketPolicyParams::TailDrop(()), params);
            for handle in 0..4 {
                arrive(&mut port, 500, handle, 100);
            }
            port
        };
        // Each takes 800 ns: the first is out at 1300, when the link has no receiver any more, but it arrives.
        let mut port = leaves(NoReceiver::Lose);
        assert_eq!(event(&mut port, 1300), (None, vec![1]), "nobody receives it");
        assert_eq!(event(&mut port, 2100), (None, vec![2]), "and it takes its time");
        // The second finds no other port; the third and the fourth leave at one instant.
        let mut port = leaves(NoReceiver::Reroute);
        assert_eq!(event(&mut port, 1300), (None, vec![1]));
        for handle in [2, 3] {
            assert_eq!(port.next_event(), ns(2100));
            let mut owner = Owner { leave: true, ..Owner::default() };
            assert_eq!(port.on_event(ns(2100), &mut owner), Some(Turn::Leaves((handle, 100), false)));
            assert_eq!(owner.lost, []);
        }
        assert_eq!(port.next_event(), Time::NEVER);
        let record = port.monitor.record(ns(9000), "a->b", ["v".into()].into_iter());
        assert_eq!((record.arrivals, record.departures, record.final_queue), (4, 4, 0));
    }

    #[test]
    fn what_is_lost_before_the_queue_takes_no_room_and_after_it_takes_time() {
        let params = |place| {
            let error = ErrorParams {
                model: ErrorModelParams::List(ListParams { packets: vec![0] }),
                place,
                applies_to: AppliesTo::All,
            };
            LinkParams { errors: vec![error], ..LinkParams::plain() }
        };
        for (place, free) in [(Place::Ingress, 0), (Place::Egress, 800)] {
            let mut port = of_policy(10, u64::MAX, &PacketPolicyParams::TailDrop(()), params(place));
            let mut owner = Owner::default();
            assert_eq!(port.on_arrival(ns(0), coming(100), (7, 100), &mut owner), None);
            assert_eq!((owner.lost, port.free), (vec![7], ns(free)), "{place:?}");
            let link = port.link.as_ref().unwrap();
            assert_eq!(link.record(ns(free), "a->b", ["v".into()].into_iter()).lost.corrupted, 0, "not yet");
            assert_eq!(link.record(ns(free + 1), "a->b", ["v".into()].into_iter()).lost.corrupted, 1);
        }
    }

    #[test]
    fn a_policy_may_throw_away_what_has_its_turn() {
        // 1500 B take 12 µs; target 10 µs, interval 20 µs: the wait is above it from the second packet on.
        let params =
            CoDelParams { target: Span::from_us(10), interval: Span::from_us(20), mtu_bytes: 1500, marks: false };
        let mut port = of_policy(100, u64::MAX, &PacketPolicyParams::CoDel(params), LinkParams::plain());
        for handle in 0..20 {
            arrive(&mut port, 0, handle, 1500);
        }
        // Turns at 12, 24, 36 µs: above since 12, so at 36 = 12 + 24 ≥ 32 the third of them is dropped.
        assert_eq!(event(&mut port, 12_000).1, []);
        assert_eq!(event(&mut port, 24_000).1, []);
        assert_eq!(event(&mut port, 36_000), (departs(4, 49_000), vec![3]));
        let record = port.monitor.record(ns(40_000), "a->b", ["v".into()].into_iter());
        assert_eq!((record.departures, record.drops.policy, record.final_queue), (4, 1, 15));
    }
}
