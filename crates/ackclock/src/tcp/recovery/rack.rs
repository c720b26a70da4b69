//! RACK-TLP: a segment is lost when one that was sent after it has arrived, and a reordering window has passed; and after two
//! round trips without an answer a probe asks for one. So a lost retransmission and the loss of the end of a flight are found
//! without a timeout.
//! Source: RFC 8985 §6 (RACK), §7 (TLP), whose steps the comments name.   Segments go by their numbers, times are instants.

mod known;
mod probe;
mod reordering;
mod round_trips;
mod shortest;

use std::collections::{BTreeSet, VecDeque};

use super::{
    BatchHints, Deadline, DupAck, Flight, LossDetection, Mechanism, Needs, NewAck, Recovery, RecoveryContext, Sending,
    TimerAction, WindowReduction,
    proportional::{News, Reduction},
};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::SackBlock;
use crate::rng::Stream;
use crate::tcp::cc::Window;
use crate::tcp::sack::interval_set::IntervalSet;
use crate::units::{Span, Time};
use probe::Probe;
use reordering::Reordering;
use round_trips::RoundTrips;
use shortest::Shortest;

/// RACK-TLP.
#[derive(Clone, Debug)]
pub struct Rack {
    mss: u64,
    /// The number of the segment at una; the last transmission of each from there on.
    first: u64,
    records: VecDeque<Record>,
    /// What is selectively acknowledged, and what is lost and not sent again.
    held: IntervalSet,
    lost: BTreeSet<u64>,
    /// Numbers of those that were lost with the last event.
    newly_lost: Vec<u64>,
    /// Bytes that are neither held nor lost.
    in_flight: u64,
    /// Bytes that were delivered with the last event, and of the segments sent once among them the number of the first.
    delivered: u64,
    first_original: u64,
    /// Transmissions in the order in which they were, of what may still be in flight.
    order: VecDeque<(Time, u64)>,
    /// RACK.xmit_ts, RACK.end_seq: the last transmission of what was delivered; RACK.rtt.
    newest: (Time, u64),
    /// The same, with RACK.rtt, of those that were sent once.
    newest_original: ((Time, u64), Span),
    rtt: Span,
    round_trips: RoundTrips,
    reordering: Reordering,
    /// RecoveryPoint, while losses are repaired.
    recovery_point: Option<u64>,
    /// How the window comes down, and while it does what there is to know.
    window_reduction: WindowReduction,
    reduction: Option<Reduction>,
    /// After a timeout: losses below this byte do not lower the window again.
    repaired_at: u64,
    /// When another segment may turn out to be lost.
    reorder_at: Time,
    probe: Probe,
}

impl Mechanism for Rack {
    const NAME: &'static str = "rack";
    const ABOUT: &'static str =
        "RACK-TLP: segments sent before a segment that has arrived are lost, and a probe finds a lost tail (RFC 8985).";
    const KEYS: &'static [Key] = &[
        Key::new(
            "min_rtt_window",
            Kind::time(Span::from_ms(1), Span::from_secs(3600)),
            Default::Is(Value::time(Span::from_secs(300))),
            "RFC 8985 §6.2 asks for one; literature: Linux",
            "How long the shortest round trip is valid, a quarter of which is the reordering window.",
        ),
        WindowReduction::KEY,
    ];
    const NEEDS: Needs = Needs::SACK;
    const KNOWS_LOSSES: bool = true;
    type Params = RackParams;
    type State = Box<Rack>;

    fn params(values: &Values) -> Result<RackParams, Misfit> {
        let window_reduction = WindowReduction::of(values);
        Ok(RackParams { min_rtt_window: values.time("min_rtt_window"), window_reduction })
    }

    fn start(params: &RackParams, mss: u64, _draws: Stream) -> Box<Rack> {
        Box::new(Rack::new(params, mss))
    }
}

/// Choices within RACK-TLP.
#[derive(Clone, Debug, PartialEq)]
pub struct RackParams {
    /// For how long the shortest round trip holds (RFC 8985 §6.2, step 1).
    pub min_rtt_window: Span,
    /// How the window comes down.
    pub window_reduction: WindowReduction,
}

impl std::default::Default for RackParams {
    fn default() -> RackParams {
        Rack::default_params()
    }
}

/// The last transmission of a segment.
#[derive(Clone, Copy, Debug)]
struct Record {
    sent: Time,
    len: u64,
    /// Whether it was not the first.
    again: bool,
}

/// DupThresh: so many held segments leave no time for reordering.
const DUP_THRESHOLD: u64 = 3;

impl Rack {
    /// Of a connection with segments of `mss` bytes that has sent nothing.
    pub fn new(params: &RackParams, mss: u64) -> Rack {
        Rack {
            mss,
            first: 0,
            records: VecDeque::new(),
            held: IntervalSet::default(),
            lost: BTreeSet::new(),
            newly_lost: Vec::new(),
            in_flight: 0,
            delivered: 0,
            first_original: u64::MAX,
            order: VecDeque::new(),
            newest: (Time::ZERO, 0),
            newest_original: ((Time::ZERO, 0), Span::ZERO),
            rtt: Span::ZERO,
            round_trips: RoundTrips { shortest: Shortest::new(params.min_rtt_window), smoothed: None },
            reordering: Reordering { highest: 0, seen: false, multiplier: 1, persists: 0, round_ends_at: 0 },
            recovery_point: None,
            window_reduction: params.window_reduction,
            reduction: None,
            repaired_at: 0,
            reorder_at: Time::NEVER,
            probe: Probe::NONE,
        }
    }

    /// §6.2, steps 1 to 3: a segment is known to be delivered.
    fn deliver(&mut self, now: Time, number: u64, record: Record) {
        self.delivered += record.len;
        if !record.again {
            self.first_original = self.first_original.min(number);
        }
        if !self.lost.remove(&number) {
            self.in_flight -= record.len;
        }
        let rtt = now.since(record.sent);
        if record.again && self.round_trips.shortest.value().is_some_and(|shortest| rtt < shortest) {
            return; // of an earlier transmission
        }
        if !record.again {
            self.round_trips.sample(now, rtt);
        }
        self.rtt = rtt;
        self.newest = self.newest.max((record.sent, number));
        if !record.again {
            self.newest_original = (self.newest_original.0.max((record.sent, number)), rtt);
        }
        if number + 1 >= self.reordering.highest {
            self.reordering.highest = number + 1;
        } else if !record.again {
            self.reordering.seen = true;
        }
    }

    /// Everything before the byte `una` is delivered.
    fn advance(&mut self, now: Time, una: u64) {
        while self.first * self.mss < una {
            let record = self.records.pop_front().expect("what is acknowledged was sent");
            if !self.held.contains(self.first) {
                self.deliver(now, self.first, record);
            }
            self.first += 1;
        }
        self.held.remove_below(self.first);
    }

    /// The bytes from `start` to `end`, not beyond `max`, are selectively acknowledged.
    fn hold(&mut self, now: Time, block: &SackBlock, max: u64) {
        let (start, end) = (block.start / self.mss, block.end.min(max).div_ceil(self.mss));
        let mut number = self.held.first_absent(start.max(self.first));
        while number < end {
            let record = self.records[(number - self.first) as usize];
            self.deliver(now, number, record);
            self.held.insert(number, number + 1);
            number = self.held.first_absent(number + 1);
        }
    }

    /// §6.2, step 4: for how long a segment may be late.
    fn reordering_window(&self) -> Span {
        let repairs = self.recovery_point.is_some() || self.is_after_timeout();
        if !self.reordering.seen && (repairs || self.held.count() >= DUP_THRESHOLD) {
            return Span::ZERO;
        }
        let RoundTrips { shortest, smoothed } = &self.round_trips;
        let quarter = Span::from_ps(shortest.value().unwrap_or(Span::ZERO).as_ps() / 4);
        let window = quarter * u64::from(self.reordering.multiplier);
        window.min(smoothed.unwrap_or(Span::ZERO))
    }

    fn is_after_timeout(&self) -> bool {
        self.first * self.mss < self.repaired_at
    }

    /// §6.2, step 5: RACK_detect_loss (), and the timer of what may still come.
    fn detect_losses(&mut self, now: Time) {
        self.reorder_at = Time::NEVER;
        let patience = self.rtt + self.reordering_window();
        while self.order.front().is_some_and(|&transmission| !self.is_in_flight(transmission)) {
            self.order.pop_front();
        }
        let mut late = Vec::new();
        for &transmission in self.order.iter().take_while(|&&transmission| transmission < self.newest) {
            let (sent, number) = transmission;
            if !self.is_in_flight(transmission) {
                continue;
            }
            if sent + patience <= now {
                late.push(number);
            } else {
                // The last of them: RACK waits for all.
                self.reorder_at = sent + patience;
            }
        }
        late.into_iter().for_each(|number| self.lose(number));
        // §8: one timer at a time.
        if self.reorder_at < Time::NEVER {
            self.probe.at = Time::NEVER;
        }
    }

    /// Whether this was the last transmission of a segment that is neither held nor lost.
    fn is_in_flight(&self, (sent, number): (Time, u64)) -> bool {
        let record = number.checked_sub(self.first).and_then(|index| self.records.get(index as usize));
        record.is_some_and(|record| record.sent == sent) && !self.held.contains(number) && !self.lost.contains(&number)
    }

    fn lose(&mut self, number: u64) {
        self.in_flight -= self.records[(number - self.first) as usize].len;
        self.lost.insert(number);
        self.newly_lost.push(number);
    }

    /// Whether there are losses that begin a recovery.
    fn begins(&self, una: u64) -> bool {
        !self.lost.is_empty() && self.recovery_point.is_none() && una >= self.repaired_at
    }

    fn begin(&mut self, una: u64, flight: &Flight, context: &mut RecoveryContext<'_>) {
        self.recovery_point = Some(flight.max);
        self.probe = Probe::NONE;
        context.reduce(flight);
        let held = self.held.count() * self.mss;
        let news = self.news(flight, una);
        self.reduction = self.window_reduction.begin(flight, una, held, &news, context.window);
    }

    /// What the event says that is handled.
    fn news(&self, flight: &Flight, una: u64) -> News {
        let is_safe = una > flight.una && self.newly_lost.is_empty();
        News { delivered: self.delivered, in_flight: self.in_flight, is_safe }
    }

    /// An acknowledgement during a recovery.
    fn reduce(&mut self, una: u64, flight: &Flight, window: &mut Window) {
        let news = self.news(flight, una);
        if let (Some(reduction), Some(_)) = (&mut self.reduction, self.recovery_point) {
            reduction.on_ack(flight.mss, &news, window);
        }
    }

    /// Whether the segment at `una` is lost and not sent again.
    fn is_first_lost(&self, una: u64) -> bool {
        self.lost.first().is_some_and(|&number| number * self.mss == una)
    }

    /// §7.2: a probe is scheduled while nothing is lost, nothing is held, and no reordering timer runs.
    fn schedule_probe(&mut self, now: Time) {
        let is_quiet = self.recovery_point.is_none() && !self.is_after_timeout() && self.held.count() == 0;
        let is_quiet = is_quiet && self.reorder_at == Time::NEVER;
        let goes = is_quiet && self.lost.is_empty() && self.probe.awaited.is_none() && self.in_flight > 0;
        let wait = Probe::wait(self.round_trips.smoothed, self.in_flight <= self.mss);
        (self.probe.at, self.probe.is_due) = (if goes { now + wait } else { Time::NEVER }, false);
    }
}

impl Recovery for Rack {
    fn on_sack(&mut self, now: Time, una: u64, blocks: &[SackBlock], flight: &Flight) {
        self.newly_lost.clear();
        (self.delivered, self.first_original) = (0, u64::MAX);
        if una == flight.una {
            // Whether or not anything is outstanding, so that it is a duplicate acknowledgement: a probe may have asked for it.
            self.probe.repaired(una, false, !blocks.is_empty());
        }
        let repairs = self.is_after_timeout();
        self.advance(now, una);
        if repairs && !self.is_after_timeout() {
            self.reordering.end_recovery();
        }
        // In the order of their numbers, so that reordering is not seen within one acknowledgement.
        let mut ascending: Vec<SackBlock> = blocks.iter().copied().filter(|block| block.end > una).collect();
        ascending.sort_by_key(|block| block.start);
        ascending.iter().for_each(|block| self.hold(now, block, flight.max));
        self.detect_losses(now);
    }

    fn on_dup_ack(&mut self, _count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        if !self.begins(flight.una) {
            if self.held.count() > 0 {
                self.probe.at = Time::NEVER;
            }
            self.reduce(flight.una, flight, context.window);
            return DupAck::Noted;
        }
        self.begin(flight.una, flight, &mut context);
        if self.is_first_lost(flight.una) { DupAck::FastRetransmit(TimerAction::Leave) } else { DupAck::Noted }
    }

    fn on_new_ack(&mut self, ack: u64, flight: &Flight, mut context: RecoveryContext<'_>) -> NewAck {
        let ended = self.recovery_point.is_some_and(|point| ack >= point);
        if ended {
            self.recovery_point = None;
            self.reordering.end_recovery();
        }
        if self.recovery_point.is_some() {
            self.reduce(ack, flight, context.window);
            return NewAck::Partial { retransmit: false, restart_timer: true };
        }
        let repaired = self.probe.repaired(ack, true, self.held.count() > 0);
        if self.begins(ack) {
            self.begin(ack, flight, &mut context);
            let is_first = self.is_first_lost(ack);
            return if is_first {
                NewAck::FastRetransmit
            } else {
                NewAck::Partial { retransmit: false, restart_timer: true }
            };
        }
        self.schedule_probe(context.now);
        if repaired {
            context.reduce(flight);
        }
        if ended || repaired {
            context.window.cwnd = context.window.ssthresh;
            return NewAck::Recovered;
        }
        NewAck::Grow
    }

    /// §6.3, in the reading of RFC 6675 §5.1: everything that is not held is lost; and RFC 2018 §8: everything, if the receiver has
    /// discarded what it held.
    fn on_timeout(&mut self, flight: &Flight, _context: RecoveryContext<'_>) {
        self.newly_lost.clear();
        if self.has_reneged(flight.una) {
            self.held.clear();
        }
        let end = self.first + self.records.len() as u64;
        self.lost = (self.first..end).filter(|&number| !self.held.contains(number)).collect();
        self.in_flight = 0;
        self.order.clear();
        self.recovery_point = None;
        self.repaired_at = flight.max;
        self.reorder_at = Time::NEVER;
        self.probe = Probe::NONE;
    }

    /// What arrived twice was not lost, but late (RFC 2883): §6.2, step 4; §7.4.2 for a probe.
    fn on_duplicate(&mut self, duplicate: SackBlock, una: u64, flight: &Flight) {
        self.reordering.widen(una.max(flight.una), flight.max);
        self.probe.awaited = self.probe.awaited.filter(|&(end, _)| duplicate.end != end);
    }

    fn on_undo(&mut self, una: u64) {
        for number in std::mem::take(&mut self.lost) {
            self.in_flight += self.records[(number - self.first) as usize].len;
        }
        self.newly_lost.clear();
        let numbered = self.records.iter().zip(self.first..);
        let in_flight = numbered.filter(|&(_, number)| !self.held.contains(number));
        let mut order: Vec<(Time, u64)> = in_flight.map(|(record, number)| (record.sent, number)).collect();
        order.sort_unstable();
        self.order = order.into();
        // What was sent again may not have arrived yet: it was an earlier transmission that did.
        (self.newest, self.rtt) = self.newest_original;
        self.recovery_point = None;
        self.repaired_at = una;
        self.reorder_at = Time::NEVER;
    }

    fn first_original(&self) -> Option<u64> {
        Some(self.first_original.saturating_mul(self.mss))
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.round_trips.sample(now, rtt);
    }

    /// §7.2: TCP_RTO_expiration ().
    fn expect_timeout(&mut self, at: Time) {
        if self.probe.at < Time::NEVER {
            self.probe.at = self.probe.at.min(at);
        }
    }

    fn deadline(&self) -> Time {
        self.reorder_at.min(self.probe.at)
    }

    fn on_deadline(&mut self, flight: &Flight, mut context: RecoveryContext<'_>) -> Deadline {
        self.newly_lost.clear();
        self.delivered = 0;
        if self.reorder_at <= context.now {
            self.detect_losses(context.now);
            if self.begins(flight.una) {
                self.begin(flight.una, flight, &mut context);
                return if self.is_first_lost(flight.una) { Deadline::FastRetransmit } else { Deadline::Noted };
            }
        }
        if self.probe.at <= context.now {
            self.probe = Probe { at: Time::NEVER, is_due: true, awaited: None };
            return Deadline::Probe;
        }
        Deadline::Noted
    }

    fn sending(&self, flight: &Flight, window: &Window) -> Sending {
        let new = Some(flight.max).filter(|&seq| flight.offered(seq));
        if self.probe.is_due {
            // §7.3, TLP_send_probe ()
            let last = flight.una + (flight.max - 1 - flight.una) / flight.mss * flight.mss;
            return Sending::Segment(new.unwrap_or(last));
        }
        let next = self.lost.first().map(|&number| number * self.mss).or(new);
        let fits = |seq: u64| (self.in_flight + flight.segment_len(seq)) as f64 <= window.cwnd;
        next.filter(|&seq| fits(seq)).map_or(Sending::Nothing, Sending::Segment)
    }

    fn on_sent(&mut self, now: Time, seq: u64, _fast: bool, flight: &Flight) {
        let (number, len, again) = (seq / self.mss, flight.segment_len(seq), seq < flight.max);
        if !again || self.lost.remove(&number) {
            self.in_flight += len;
        }
        if let (Some(reduction), Some(_)) = (&mut self.reduction, self.recovery_point) {
            reduction.on_sent(len);
        }
        let record = Record { sent: now, len, again };
        match self.records.get_mut((number - self.first) as usize) {
            Some(old) => *old = record,
            None => self.records.push_back(record),
        }
        self.order.push_back((now, number));
        if self.probe.is_due {
            self.probe = Probe { at: Time::NEVER, is_due: false, awaited: Some((seq + len, again)) };
        } else if !again {
            self.schedule_probe(now);
        }
    }

    fn in_recovery(&self) -> bool {
        self.recovery_point.is_some()
    }

    fn has_reneged(&self, una: u64) -> bool {
        self.held.contains(una / self.mss)
    }

    fn loss_detection(&self) -> Option<&dyn LossDetection> {
        Some(self)
    }
}

/// It sees every segment and every acknowledgement: nothing may be left out.
impl BatchHints for Rack {}

#[cfg(test)]
mod tests;
