//! One direction of a link as the port before it sees it: when is a packet out, and when does it arrive, or where is it
//! lost?  Source: docs/models/paths.md.

use super::duplicate::Duplicate;
use super::errors::{Errors, Packet, Place};
use super::jitter::Jitter;
use super::opportunities::Cursor;
use super::params::LinkParams;
use super::reorder::Reorder;
use super::routing::{FarEnds, NoReceiver};
use super::schedule::{InService, Line, LinkSchedule, Queued, Reordering, StableInterval};
use crate::ids::NodeId;
use crate::record::DropReason;
use crate::units::{Rate, Span, Time};

/// The state of a link.
#[derive(Clone, Debug)]
pub struct LinkState {
    schedule: LinkSchedule,
    errors: Errors,
    jitter: Option<Jitter>,
    reorder: Option<Reorder>,
    duplicate: Option<Duplicate>,
    /// Whether chance or an error model has to do with what is on it.
    draws: bool,
    /// Whether it does, or packets are addressed to the far end at the instant at which they come.
    may_lose: bool,
    /// When it is stable: at the last transmission, if it was then.
    stable: Option<StableInterval>,
    /// Until when, or zero; and what twice the longest datagram takes then.
    stable_until: Time,
    longest_time: Span,
    /// Octets of the last packet that was transmitted when it was, and how long that took.
    last_time: (u32, Span),
    /// The opportunity for what is transmitted next, where there are such.
    cursor: Cursor,
    /// The place in the delays at which the last transmission began, and the line that begins there.
    place: usize,
    line: Option<Line>,
    /// The arrival of the last packet that arrives, if the order is kept.
    last_arrival: Time,
}

/// What becomes of a packet that is transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// When the port is done with it.
    pub complete: Time,
    /// What becomes of it after that.
    pub fate: Fate,
}

/// Whether a packet arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does, at this instant.
    Arrives(Time),
    /// It does not.
    Lost {
        /// When it was lost.
        time: Time,
        /// Why.
        reason: DropReason,
    },
}

impl LinkState {
    /// The link named `name` (`from->to`), of this rate and delay unless it changes, in a run with this seed.
    pub fn new(params: &LinkParams, rate: Rate, delay: Span, seed: u64, name: &str) -> LinkState {
        let draws = !params.errors.is_empty() || params.jitter.is_some() || params.reorder.is_some();
        let schedule = params.schedule.as_deref().cloned().unwrap_or_else(|| LinkSchedule::constant(rate, delay));
        let is_addressed = |far_ends: &FarEnds| far_ends.no_receiver == NoReceiver::LoseAddressed;
        LinkState {
            draws,
            may_lose: draws || schedule.far_ends.as_ref().is_some_and(is_addressed),
            schedule,
            errors: Errors::new(&params.errors, seed, name),
            jitter: params.jitter.as_ref().map(|jitter| Jitter::new(jitter, seed, name)),
            reorder: params.reorder.as_ref().map(|reorder| Reorder::new(reorder, seed, name)),
            duplicate: Duplicate::new(params.duplicate, seed, name),
            stable: None,
            stable_until: Time::ZERO,
            longest_time: Span::ZERO,
            last_time: (0, Span::ZERO),
            cursor: Cursor::default(),
            place: 0,
            line: None,
            last_arrival: Time::ZERO,
        }
    }

    /// Whether a packet that comes to the queue before the link is lost there.
    #[inline]
    pub fn refuses(&mut self, now: Time, packet: Packet) -> bool {
        !self.errors.is_empty() && self.errors.corrupt(Place::Ingress, now, packet)
    }

    /// Whether packets may come to the queue before the link twice.
    pub fn may_duplicate(&self) -> bool {
        self.duplicate.is_some()
    }

    /// Whether the next packet does that comes to the queue.
    pub fn duplicates(&mut self) -> bool {
        self.duplicate.as_mut().is_some_and(Duplicate::next)
    }

    /// The first instant from `time` on at which a transmission can begin; `Time::NEVER` if there is none.
    #[inline]
    pub fn up_from(&self, time: Time) -> Time {
        if self.stable_at(time).is_some() { time } else { self.begins(time) }
    }

    #[inline(never)]
    fn begins(&self, time: Time) -> Time {
        let mut begins = self.schedule.outages.up_from(time);
        let Some(opportunities) = &self.schedule.opportunities else { return begins };
        // An opportunity while the link is down is none.
        while begins < Time::NEVER {
            let next = self.cursor.begins(opportunities, begins);
            begins = self.schedule.outages.up_from(next);
            if begins == next {
                break;
            }
        }
        begins
    }

    /// When what waits is lost next, after `time`; `Time::NEVER` if it is not.
    pub fn flushes_after(&self, time: Time) -> Time {
        match self.schedule.outages.queued {
            Queued::Keep => Time::NEVER,
            Queued::Flush => self.schedule.outages.next_after(time).map_or(Time::NEVER, |(down, _)| down),
        }
    }

    /// Who receives a packet whose transmission begins at `time`, if that is not always the same node.
    #[inline]
    pub fn far_end(&self, time: Time) -> Option<NodeId> {
        match self.stable_at(time) {
            Some(stable) => stable.far_end,
            None => self.schedule.far_ends.as_ref().and_then(|far_ends| far_ends.at(time)),
        }
    }

    /// Whether a packet whose turn comes at `time` takes another port, as the link has no receiver.
    pub fn avoids(&self, time: Time) -> bool {
        if self.stable_at(time).is_some() {
            return false;
        }
        let avoids = |far_ends: &FarEnds| far_ends.no_receiver == NoReceiver::Reroute && far_ends.at(time).is_none();
        self.schedule.far_ends.as_ref().is_some_and(avoids)
    }

    /// When the transmission of a packet that begins now is complete, if the link stays up. To be asked once for each packet, in the
    /// order of transmission.
    pub fn complete(&mut self, begins: Time, packet: Packet) -> Time {
        if let Some(opportunities) = &self.schedule.opportunities {
            return self.cursor.take(opportunities, begins, packet.bytes);
        }
        begins + self.schedule.rates.at(begins).serialization(u64::from(packet.bytes) * 8)
    }

    /// A packet that came to the queue at `came` is transmitted from `begins` on, when the link is up. To be told in the
    /// order of transmission.
    pub fn transmit(&mut self, came: Time, begins: Time, packet: Packet) -> Transmission {
        match self.transmit_stable(came, begins, packet.bytes) {
            Some((complete, arrives)) => Transmission { complete, fate: Fate::Arrives(arrives) },
            None => self.transmit_through_changes(came, begins, packet),
        }
    }

    /// Transmits a packet of so many bytes if it arrives before anything but the delay changes: when its transmission is
    /// complete, and when it arrives. Otherwise nothing observable changes, and there is no result.
    #[inline(always)]
    pub(crate) fn transmit_stable(&mut self, came: Time, begins: Time, bytes: u32) -> Option<(Time, Time)> {
        if self.stable_at(begins).is_none() {
            self.find_stable(begins);
        }
        let stable = self.stable.as_ref()?;
        if self.may_lose && (self.draws || !stable.covers(came)) {
            return None;
        }
        if self.last_time.0 != bytes {
            self.last_time = (bytes, stable.rate.serialization(u64::from(bytes) * 8));
        }
        let complete = begins + self.last_time.1;
        let delay = match self.line.as_ref().and_then(|line| line.at_or_after(begins)) {
            Some(delay) => delay,
            None => self.delay_on_new_line(begins),
        };
        let mut arrives = complete + delay;
        if self.schedule.reordering == Reordering::Prevent {
            arrives = arrives.max(self.last_arrival);
        }
        if arrives >= self.stable_until {
            return None;
        }
        self.last_arrival = arrives;
        Some((complete, arrives))
    }

    #[inline(never)]
    fn find_stable(&mut self, begins: Time) {
        self.stable = self.schedule.stable_at(begins);
        self.stable_until = self.stable.as_ref().map_or(Time::ZERO, StableInterval::until);
        self.last_time = (0, Span::ZERO);
        let longest = |stable: &StableInterval| stable.rate.serialization(2 * 8 * u64::from(u16::MAX));
        self.longest_time = self.stable.as_ref().map_or(Span::ZERO, longest);
    }

    /// Whether it is certain that [`LinkState::transmit_stable`] transmits all packets that begin from now on and before `until`, and that they
    /// arrive before `limit`; `now` is not before the last transmission. A packet has no more octets than two of the longest datagrams.
    #[inline(always)]
    pub(crate) fn surely_carries(&self, now: Time, until: Time, limit: Time) -> bool {
        let Some(line) = self.line.as_ref().filter(|_| !self.draws && self.stable_at(now).is_some()) else {
            return false;
        };
        let last = until.saturating_add(line.highest()).saturating_add(self.longest_time);
        until <= line.end() && last < self.stable_until.min(limit) && self.schedule.reordering == Reordering::Natural
    }

    #[inline(never)]
    fn delay_on_new_line(&mut self, begins: Time) -> Span {
        let delay = self.schedule.delays.at_or_after(&mut self.place, begins);
        self.line = self.schedule.delays.line(self.place);
        delay
    }

    #[inline(never)]
    fn transmit_through_changes(&mut self, came: Time, begins: Time, packet: Packet) -> Transmission {
        let complete = self.complete(begins, packet);
        let schedule = &self.schedule;
        let lost = |time, reason| Transmission { complete: complete.min(time), fate: Fate::Lost { time, reason } };
        if schedule.outages.in_service == InService::Lose
            && let Some((down, _)) = schedule.outages.next_after(begins).filter(|&(down, _)| down < complete)
        {
            return lost(down, DropReason::Outage);
        }
        if self.errors.corrupt(Place::Egress, complete, packet) {
            return lost(complete, DropReason::Corrupted);
        }
        if schedule.far_ends.as_ref().is_some_and(|far_ends| far_ends.receiver(came, begins).is_none()) {
            return lost(complete, DropReason::NoReceiver);
        }
        let jitter = self.jitter.as_mut().map_or(Span::ZERO, Jitter::next);
        // What takes many opportunities is complete after every run, and instants end somewhere.
        let delay = schedule.delays.at_or_after(&mut self.place, begins);
        let mut arrives = complete.saturating_add(delay).saturating_add(jitter);
        if schedule.reordering == Reordering::Prevent || self.jitter.as_ref().is_some_and(Jitter::keeps_order) {
            arrives = arrives.max(self.last_arrival);
        }
        let in_order = arrives;
        if let Some(later) = self.reorder.as_mut().and_then(Reorder::next) {
            arrives = arrives.saturating_add(later);
        }
        if let Some(time) = schedule.dropped_between(begins, arrives) {
            return Transmission { complete, fate: Fate::Lost { time, reason: DropReason::Outage } };
        }
        // Those that follow wait for none that is held back.
        self.last_arrival = in_order;
        if self.errors.corrupt(Place::Receiver, arrives, packet) {
            let (time, reason) = (arrives, DropReason::Corrupted);
            return Transmission { complete, fate: Fate::Lost { time, reason } };
        }
        Transmission { complete, fate: Fate::Arrives(arrives) }
    }

    /// Whether chance or an error model has to do with what is on it.
    pub(crate) fn draws(&self) -> bool {
        self.draws
    }

    /// Where the link leads from `time` on, unless always to the same node, and until when nothing but the delay changes; `None` if
    /// it is not up then, or leads nowhere.
    pub(crate) fn steady_from(&self, time: Time) -> Option<(Option<NodeId>, Time)> {
        self.schedule.stable_at(time).map(|stable| (stable.far_end, stable.until()))
    }

    /// The least delay of what begins from `from` on and before `until`, and whether no packet overtakes another one that begins before it.
    pub(crate) fn delays_between(&self, from: Time, until: Time) -> (Span, bool) {
        let (least, in_order) = self.schedule.delays.least_between(from, until);
        (least, in_order || self.schedule.reordering == Reordering::Prevent)
    }

    /// Until when it is stable, if it is known to be at `time`.
    pub(crate) fn stable_until(&self, time: Time) -> Option<Time> {
        self.stable_at(time).map(StableInterval::until)
    }

    /// If it is known to be stable at `time`.
    #[inline]
    fn stable_at(&self, time: Time) -> Option<&StableInterval> {
        self.stable.as_ref().filter(|stable| stable.covers(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::law::{Law, NormalParams};
    use crate::link::errors::ListParams;
    use crate::link::{
        AppliesTo, Delays, ErrorModelParams, ErrorParams, JitterLaw, JitterParams, Opportunities, Outages, PacketKind,
        Rates, ReorderParams, Shape, UnderWay,
    };

    /// A byte takes a nanosecond.
    const RATE: u64 = 8_000_000_000;

    fn rate(bps: u64) -> Rate {
        Rate::from_bps(bps).unwrap()
    }

    fn ns(ns: u64) -> Time {
        Time::from_ps(1000 * ns)
    }

    fn of_ns(ns: u64) -> Span {
        Span::from_ps(1000 * ns)
    }

    fn packet(bytes: u32) -> Packet {
        Packet { bytes, kind: PacketKind::Data }
    }

    fn link_state(change: impl Fn(&mut LinkSchedule), errors: &[ErrorParams]) -> LinkState {
        let mut schedule = LinkSchedule::constant(rate(RATE), of_ns(500));
        change(&mut schedule);
        let params = LinkParams { schedule: Some(Box::new(schedule)), errors: errors.to_vec(), ..LinkParams::plain() };
        LinkState::new(&params, rate(RATE), of_ns(500), 1, "a->b")
    }

    /// The fates of packets of 100 bytes whose transmissions begin at these times: arrivals, or losses below zero.
    fn fates(state: &mut LinkState, begins: &[u64]) -> Vec<i64> {
        let fate = |&begin: &u64| match state.transmit(ns(begin), ns(begin), packet(100)).fate {
            Fate::Arrives(time) => (time.as_ps() / 1000) as i64,
            Fate::Lost { time, .. } => -((time.as_ps() / 1000) as i64),
        };
        begins.iter().map(fate).collect()
    }

    fn falls_at_1000(schedule: &mut LinkSchedule) {
        schedule.delays = Delays::new(Shape::Steps, vec![(ns(0), of_ns(500)), (ns(1000), of_ns(50))]);
    }

    #[test]
    fn a_plain_link_delays_only() {
        let mut plain = LinkState::new(&LinkParams::plain(), rate(RATE), of_ns(500), 1, "a->b");
        assert_eq!(fates(&mut plain, &[0, 100]), [600, 700]);
    }

    /// 60 opportunities, one in 120 hours, are more than instants go; what arrives then is after every run.
    #[test]
    fn what_takes_sparse_opportunities_arrives_no_sooner_than_it_is_complete() {
        let period = Span::from_secs(432_000);
        let sparse = |schedule: &mut LinkSchedule| {
            schedule.opportunities = Some(std::sync::Arc::new(Opportunities::new(vec![period], 1500)));
        };
        let mut state = link_state(sparse, &[]);
        let begins = state.up_from(Time::ZERO);
        let sent = state.transmit(Time::ZERO, begins, packet(60 * 1500));
        assert!(sent.complete > begins + period, "{sent:?}");
        assert!(matches!(sent.fate, Fate::Arrives(time) if time > sent.complete), "{sent:?}");
    }

    #[test]
    fn what_is_transmitted_when_nobody_listens_is_lost_when_it_is_out() {
        let node = |number| Some(NodeId::from_index(number));
        let leaves = |no_receiver| {
            move |schedule: &mut LinkSchedule| {
                let points = vec![(ns(0), node(1)), (ns(1000), None), (ns(2000), node(2))];
                schedule.far_ends = Some(FarEnds::new(points, no_receiver));
            }
        };
        let mut lose = link_state(leaves(NoReceiver::Lose), &[]);
        assert_eq!(fates(&mut lose, &[950, 1050, 1950, 2050]), [1550, -1150, -2050, 2650]);
        assert_eq!([950, 2050].map(|begins| lose.far_end(ns(begins))), [node(1), node(2)]);
        let lost = lose.transmit(ns(1000), ns(1000), packet(100)).fate;
        assert_eq!(lost, Fate::Lost { time: ns(1100), reason: DropReason::NoReceiver });
        assert_eq!([999, 1000].map(|time| lose.avoids(ns(time))), [false, false]);
        let reroute = link_state(leaves(NoReceiver::Reroute), &[]);
        assert_eq!([999, 1000, 2000].map(|time| reroute.avoids(ns(time))), [false, true, false]);
    }

    #[test]
    fn what_is_addressed_to_an_earlier_far_end_is_transmitted_and_lost() {
        let node = |number| Some(NodeId::from_index(number));
        let changes = |no_receiver| {
            move |schedule: &mut LinkSchedule| {
                schedule.far_ends = Some(FarEnds::new(vec![(ns(0), node(1)), (ns(1000), node(2))], no_receiver));
            }
        };
        // It came at 999 or 1000, and begins at 1000 or later.
        let fates = |no_receiver| {
            let mut state = link_state(changes(no_receiver), &[]);
            [(998, 999), (999, 1000), (999, 1100), (1000, 1200)]
                .map(|(came, begins)| state.transmit(ns(came), ns(begins), packet(100)).fate)
        };
        let lost = |ps| Fate::Lost { time: ns(ps), reason: DropReason::NoReceiver };
        let [first, last] = [1599, 1800].map(|time| Fate::Arrives(ns(time)));
        assert_eq!(fates(NoReceiver::LoseAddressed), [first, lost(1100), lost(1200), last]);
        assert_eq!(fates(NoReceiver::Lose), [first, Fate::Arrives(ns(1600)), Fate::Arrives(ns(1700)), last]);
    }

    #[test]
    fn arrivals_around_a_step_of_the_delay_by_hand() {
        // 100 ns to transmit, then 500 ns, or 50 for what begins at 1000 or later.
        let mut state = link_state(falls_at_1000, &[]);
        assert_eq!(fates(&mut state, &[800, 950, 1050]), [1400, 1550, 1200], "the third overtakes both");
        assert_eq!(fates(&mut state, &[1150]), [1300]);
    }

    #[test]
    fn a_delay_that_grows_keeps_what_is_under_way() {
        let rises = |schedule: &mut LinkSchedule| {
            schedule.delays = Delays::new(Shape::Steps, vec![(ns(0), of_ns(50)), (ns(1000), of_ns(500))]);
        };
        assert_eq!(fates(&mut link_state(rises, &[]), &[899, 999, 1000]), [1049, 1149, 1600]);
    }

    #[test]
    fn without_reordering_packets_arrive_in_the_order_they_were_sent() {
        let prevent = |schedule: &mut LinkSchedule| {
            falls_at_1000(schedule);
            schedule.reordering = Reordering::Prevent;
        };
        assert_eq!(fates(&mut link_state(prevent, &[]), &[800, 950, 1050, 1460]), [1400, 1550, 1550, 1610]);
        // On any schedule.
        let (mut state, mut last) = (1_u64, Time::ZERO);
        let mut points = vec![(ns(0), of_ns(1))];
        for step in 1..1000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            points.push((ns(37 * step), of_ns(1 + (state >> 52))));
        }
        let wild = |schedule: &mut LinkSchedule| {
            schedule.delays = Delays::new(Shape::Linear, points.clone());
            schedule.reordering = Reordering::Prevent;
        };
        let mut state = link_state(wild, &[]);
        for number in 0..400 {
            let Fate::Arrives(time) = state.transmit(ns(100 * number), ns(100 * number), packet(100)).fate else {
                panic!("nothing is lost")
            };
            assert!(time >= last);
            last = time;
        }
    }

    #[test]
    fn or_what_is_under_way_is_lost_when_the_delay_steps() {
        let dropping = |schedule: &mut LinkSchedule| {
            falls_at_1000(schedule);
            schedule.under_way = UnderWay::Drop;
        };
        assert_eq!(fates(&mut link_state(dropping, &[]), &[399, 400, 401, 950, 1050]), [999, 1000, -1000, -1000, 1200]);
    }

    #[test]
    fn a_packet_keeps_the_rate_at_which_it_began() {
        let slower = |schedule: &mut LinkSchedule| {
            schedule.rates = Rates::new(vec![(ns(0), rate(RATE)), (ns(1000), rate(RATE / 4))]);
        };
        let mut state = link_state(slower, &[]);
        let complete = |state: &mut LinkState, begins| state.transmit(ns(begins), ns(begins), packet(100)).complete;
        assert_eq!([complete(&mut state, 999), complete(&mut state, 1100)], [ns(1099), ns(1500)]);
    }

    #[test]
    fn what_is_in_service_when_the_link_goes_down_is_finished_or_lost() {
        let down = |in_service| {
            move |schedule: &mut LinkSchedule| {
                schedule.outages = Outages::new(vec![(ns(1000), ns(2000))], in_service, Queued::Keep);
            }
        };
        assert_eq!(fates(&mut link_state(down(InService::Finish), &[]), &[950]), [1550]);
        let mut state = link_state(down(InService::Lose), &[]);
        assert_eq!(
            state.transmit(ns(900), ns(900), packet(100)).fate,
            Fate::Arrives(ns(1500)),
            "out at the very instant"
        );
        let lost = Fate::Lost { time: ns(1000), reason: DropReason::Outage };
        assert_eq!(state.transmit(ns(950), ns(950), packet(100)), Transmission { complete: ns(1000), fate: lost });
        assert_eq!(state.up_from(ns(1000)), ns(2000));
    }

    #[test]
    fn what_is_remembered_of_a_stable_interval_changes_nothing() {
        let node = |number| Some(NodeId::from_index(number));
        let wild = |under_way, reordering, in_service, no_receiver| {
            move |schedule: &mut LinkSchedule| {
                let points = [(0, 500), (3000, 900), (3000, 100), (7000, 300), (9000, 200)];
                schedule.delays = Delays::new(Shape::Linear, points.map(|(at, delay)| (ns(at), of_ns(delay))).to_vec());
                schedule.rates = Rates::new(vec![(ns(0), rate(RATE)), (ns(6000), rate(RATE / 2))]);
                schedule.outages =
                    Outages::new(vec![(ns(1000), ns(1300)), (ns(5000), ns(5001))], in_service, Queued::Keep);
                let ends = vec![(ns(0), node(1)), (ns(2000), None), (ns(2500), node(2)), (ns(8000), node(3))];
                schedule.far_ends = Some(FarEnds::new(ends, no_receiver));
                (schedule.under_way, schedule.reordering) = (under_way, reordering);
            }
        };
        let no_receiver = [NoReceiver::Lose, NoReceiver::LoseAddressed, NoReceiver::Reroute];
        for number in 0..24 {
            let under_way = [UnderWay::Keep, UnderWay::Drop][number % 2];
            let reordering = [Reordering::Natural, Reordering::Prevent][number / 2 % 2];
            let in_service = [InService::Finish, InService::Lose][number / 4 % 2];
            let change = wild(under_way, reordering, in_service, no_receiver[number / 8]);
            let (mut state, mut plain) = (link_state(change, &[]), link_state(change, &[]));
            for time in (0..12_000).step_by(37) {
                let (begins, packet) = (state.up_from(ns(time)), packet(60 + time as u32 % 3));
                assert_eq!(begins, plain.up_from(ns(time)));
                let came = ns(time - time % 5 * 30 % (time + 1));
                let passage = state.transmit(came, begins, packet);
                assert_eq!(passage, plain.transmit_through_changes(came, begins, packet));
                let of = |state: &LinkState| (state.far_end(begins), state.avoids(begins), state.up_from(begins));
                assert_eq!(of(&state), of(&plain), "{begins}");
            }
        }
    }

    #[test]
    fn places_decide_when_and_whether_the_link_is_used() {
        let at = |place| ErrorParams {
            model: ErrorModelParams::List(ListParams { packets: vec![1] }),
            place,
            applies_to: AppliesTo::All,
        };
        let two = |place| fates(&mut link_state(|_| (), &[at(place)]), &[0, 100]);
        assert_eq!(two(Place::Egress), [600, -200], "when its last bit is sent");
        assert_eq!(two(Place::Receiver), [600, -700], "when its last bit arrives");
        let mut state = link_state(|_| (), &[at(Place::Ingress)]);
        assert_eq!([0, 0].map(|now| state.refuses(ns(now), packet(100))), [false, true]);
        assert_eq!(fates(&mut state, &[0, 100]), [600, 700], "what is lost there is not transmitted");
    }

    /// 100 ns to transmit, 500 ns of delay, and up to 300 more: packets that follow each other would overtake.
    #[test]
    fn jitter_delays_each_packet_and_keeps_their_order() {
        let params = LinkParams { jitter: Some(JitterParams::below(of_ns(300))), ..LinkParams::plain() };
        let arrivals = |seed, gap| {
            let mut state = LinkState::new(&params, rate(RATE), of_ns(500), seed, "a->b");
            let begins: Vec<u64> = (0..2000_u64).map(|number| gap * number).collect();
            let late = fates(&mut state, &begins).into_iter().zip(&begins);
            late.map(|(arrives, &begins)| arrives - begins as i64 - 600).collect::<Vec<i64>>()
        };
        let late = arrivals(1, 1000);
        assert!(late.iter().all(|late| (0..300).contains(late)));
        // Uniform: the mean of 2000 has a standard deviation of 300 / sqrt(12 · 2000), about 2.
        let mean = late.iter().sum::<i64>() / 2000;
        assert!((140..=160).contains(&mean), "{mean}");
        assert_ne!(late, arrivals(2, 1000));
        let crowded = arrivals(1, 100);
        assert!(crowded.windows(2).all(|pair| pair[1] + 100 >= pair[0]), "the order is kept");
        assert!(crowded.iter().sum::<i64>() > late.iter().sum(), "and that takes time");
    }

    #[test]
    fn a_law_of_jitter_adds_its_mean_and_lets_packets_overtake_if_they_may() {
        let law = Law::Normal(NormalParams { mean: 200_000.0, deviation: 50_000.0 });
        let late = |overtaking, gap| {
            let jitter = JitterParams { law: JitterLaw::By(law.clone()), overtaking };
            let params = LinkParams { jitter: Some(jitter), ..LinkParams::plain() };
            let mut state = LinkState::new(&params, rate(RATE), of_ns(500), 1, "a->b");
            let begins: Vec<u64> = (0..2000_u64).map(|number| gap * number).collect();
            fates(&mut state, &begins).into_iter().zip(begins).map(|(at, begins)| at - begins as i64 - 600).collect()
        };
        let alone: Vec<i64> = late(false, 1000);
        // A mean of 200 ns; that of 2000 has a standard deviation of 1.1 ns.
        assert!((195..=204).contains(&(alone.iter().sum::<i64>() / 2000)), "{}", alone.iter().sum::<i64>() / 2000);
        let overtake = |late: Vec<i64>| late.windows(2).filter(|pair| pair[1] + 100 < pair[0]).count();
        assert_eq!(overtake(late(false, 100)), 0);
        // Two are 100 ns apart, and their difference has a deviation of 71: 8 % overtake.
        let count = overtake(late(true, 100));
        assert!((110..=210).contains(&count), "{count}");
    }

    #[test]
    fn packets_that_are_held_back_are_overtaken_by_those_that_follow() {
        let reorder = ReorderParams { probability: 0.1, delay: Law::Constant(250_000.0) };
        let params =
            LinkParams { reorder: Some(reorder), jitter: Some(JitterParams::below(of_ns(0))), ..LinkParams::plain() };
        let mut state = LinkState::new(&params, rate(RATE), of_ns(500), 1, "a->b");
        let begins: Vec<u64> = (0..2000).map(|number| 100 * number).collect();
        let late: Vec<i64> =
            fates(&mut state, &begins).iter().zip(&begins).map(|(at, &on)| at - on as i64 - 600).collect();
        assert!(late.iter().all(|late| [0, 250].contains(late)), "the others keep their order, and wait for nobody");
        // A tenth of 2000, with a deviation of 13.
        let held = late.iter().filter(|&&late| late == 250).count();
        assert!((150..=250).contains(&held), "{held}");
    }

    #[test]
    fn a_link_that_goes_down_may_lose_what_waits() {
        let flush = |schedule: &mut LinkSchedule| {
            let intervals = vec![(ns(10), ns(20)), (ns(30), ns(40))];
            schedule.outages = Outages::new(intervals, InService::Finish, Queued::Flush);
        };
        let state = link_state(flush, &[]);
        assert_eq!([0, 10, 30].map(|time| state.flushes_after(ns(time))), [ns(10), ns(30), Time::NEVER]);
    }
}
