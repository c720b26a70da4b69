//! CoDel, controlled delay: when packets have waited longer than a target for a whole interval, some are dropped as their
//! turn comes, ever more often until the wait is short again.
//! Source: RFC 8289 §5, whose names are used.

use super::{BatchHints, Fifo, Mechanism, PacketArrival, PacketPolicy, QueuePort, ecn_key, signal, unless_full};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Port, Verdict};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelParams {
    /// The wait that is acceptable for ever.
    pub target: Span,
    /// The time for which a longer wait is acceptable: a round trip.
    pub interval: Span,
    /// Nothing is dropped while no more than this waits behind a packet: one of the largest size. Octets.
    pub mtu_bytes: u32,
    /// Whether what can be marked is, and not dropped.
    pub marks: bool,
}

/// The state of CoDel.
#[derive(Clone, Debug)]
pub struct CoDel {
    params: CoDelParams,
    /// When the wait will have been above the target for an interval, if it is above it.
    first_above: Option<Time>,
    dropping: bool,
    /// When the next packet is dropped, in the dropping state.
    drop_next: Time,
    /// Packets dropped since it began to drop, and that number when it began the last time.
    count: u64,
    last_count: u64,
    /// Why the packet before was dropped, in this turn.
    dropped: Option<Cause>,
}

/// Why a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It begins to drop.
    First,
    /// The next drop is due.
    Due,
}

impl Mechanism for CoDel {
    const NAME: &'static str = "codel";
    const ABOUT: &'static str =
        "CoDel: packets are dropped at their turn after packets have waited longer than a target for an interval.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("target", Kind::time(SHORTEST, LONGEST), Default::Is(Value::time(Span::from_ms(5))), "RFC 8289 §4.4",
            "The waiting time that is acceptable for any length of time."),
        Key::new("interval", Kind::time(SHORTEST, LONGEST), Default::Is(Value::time(Span::from_ms(100))), "RFC 8289 §4.3",
            "How long a longer waiting time is acceptable; about a round trip."),
        Key::new("mtu", Kind::bytes(1, 65_535), Default::Is(Value::bytes(1500)), "RFC 8289 §5.6",
            "No packet is dropped while no more bytes than this wait."),
        ecn_key(false, "Ackclock"),
    ];
    const DOUBT: fn(&Values) -> Option<Misfit> = |values| {
        (values.time("target") > values.time("interval")).then(|| Misfit {
            keys: &["target", "interval"],
            problem: "`target` of codel is longer than its `interval`".to_owned(),
            expected: "RFC 8289 §4.4: 5 to 10 % of the interval",
        })
    };
    type Params = CoDelParams;
    type State = Fifo<CoDel>;

    fn params(values: &Values, _: &Port) -> Result<CoDelParams, Misfit> {
        let mtu_bytes = values.amount("mtu") as u32;
        let (target, interval) = (values.time("target"), values.time("interval"));
        Ok(CoDelParams { target, interval, mtu_bytes, marks: values.flag("ecn") })
    }

    fn marks(params: &CoDelParams) -> bool {
        params.marks
    }

    fn start(params: &CoDelParams, port: &QueuePort<'_>, _draws: Stream) -> Fifo<CoDel> {
        Fifo::new(port, CoDel::new(*params))
    }
}

impl CoDel {
    /// CoDel before the first packet.
    pub fn new(params: CoDelParams) -> CoDel {
        CoDel {
            params,
            first_above: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropped: None,
        }
    }

    /// So many packets of its queue were dropped for lack of room.
    pub(super) fn raise_count(&mut self, dropped: u64) {
        self.count += dropped;
    }

    #[inline(always)]
    fn is_short(&self, waited: Span, left_bytes: u64) -> bool {
        waited < self.params.target || left_bytes <= u64::from(self.params.mtu_bytes)
    }

    /// A packet that waited so long has its turn. Apart, so that the usual case needs few registers.
    #[inline(never)]
    fn on_turn(&mut self, now: Time, waited: Span, left_bytes: u64) -> Verdict {
        let ok = self.ok_to_drop(now, waited, left_bytes);
        self.dropped = match self.dropped {
            None => self.first_of_turn(now, ok),
            Some(Cause::First) => None,
            Some(Cause::Due) => self.next_of_turn(now, ok),
        };
        if self.dropped.is_some() { signal(self.params.marks) } else { Verdict::Accept }
    }

    /// RFC 8289 §5.6, `dodequeue`: whether it is all right to drop.
    fn ok_to_drop(&mut self, now: Time, waited: Span, left_bytes: u64) -> bool {
        if self.is_short(waited, left_bytes) {
            self.first_above = None;
            return false;
        }
        now >= *self.first_above.get_or_insert(now + self.params.interval)
    }

    /// RFC 8289 §5.5, `deque`, at the first packet of a turn.
    fn first_of_turn(&mut self, now: Time, ok: bool) -> Option<Cause> {
        if self.dropping {
            self.dropping = ok;
            return self.due(now);
        }
        if !ok {
            return None;
        }
        self.dropping = true;
        // What controlled the queue a short while ago is a good beginning.
        let delta = self.count - self.last_count;
        let recently = now < self.drop_next + self.params.interval * 16;
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.drop_next = self.control_law(now);
        self.last_count = self.count;
        Some(Cause::First)
    }

    /// A packet has its turn after one that was dropped because it was due.
    fn next_of_turn(&mut self, now: Time, ok: bool) -> Option<Cause> {
        self.dropping = ok;
        if ok {
            self.drop_next = self.control_law(self.drop_next);
        }
        self.due(now)
    }

    fn due(&mut self, now: Time) -> Option<Cause> {
        let due = self.dropping && now >= self.drop_next;
        self.count += u64::from(due);
        due.then_some(Cause::Due)
    }

    /// RFC 8289 §5.3: the next drop is an interval over the square root of the count away.
    fn control_law(&self, from: Time) -> Time {
        from + Span::from_ps((self.params.interval.as_ps() as f64 / (self.count as f64).sqrt()) as u64)
    }
}

impl PacketPolicy for CoDel {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        unless_full(arrival)
    }

    #[inline(always)]
    fn on_dequeue(&mut self, now: Time, waited: Span, left_bytes: u64) -> Verdict {
        // Mostly the wait is short, or has not been long for an interval.
        if !self.dropping && self.dropped.is_none() && self.is_short(waited, left_bytes) {
            self.first_above = None;
            return Verdict::Accept;
        }
        self.on_turn(now, waited, left_bytes)
    }

    /// One signal ends the turn; the next is due as after a drop (Linux).
    fn on_marked(&mut self) {
        if self.dropped.take() == Some(Cause::Due) {
            self.drop_next = self.control_law(self.drop_next);
        }
    }

    fn on_idle(&mut self) {
        self.first_above = None;
        self.dropping = false;
        self.dropped = None;
    }
}

impl BatchHints for CoDel {}

const SHORTEST: Span = Span::from_us(1);
const LONGEST: Span = Span::from_secs(3600);

#[cfg(test)]
mod tests {
    use super::*;

    impl CoDel {
        pub(crate) fn count(&self) -> u64 {
            self.count
        }
    }

    const PARAMS: CoDelParams =
        CoDelParams { target: Span::from_ms(5), interval: Span::from_ms(100), mtu_bytes: 1500, marks: false };

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// When packets are dropped if one has its turn every millisecond, each after such a wait.
    fn drops(codel: &mut CoDel, turns: std::ops::Range<u64>, waited: impl Fn(u64) -> u64, left: u64) -> Vec<u64> {
        let mut drops = Vec::new();
        for turn in turns {
            while codel.on_dequeue(ms(turn), Span::from_ms(waited(turn)), left) != Verdict::Accept {
                drops.push(turn);
            }
        }
        drops
    }

    #[test]
    fn a_wait_above_the_target_is_tolerated_for_an_interval_and_then_thinned_out() {
        let mut codel = CoDel::new(PARAMS);
        // Above from 0 on: the first at 100, then 100/√1, 100/√2, 100/√3 later: 200, 270.7, 328.4, 378.4, 423.2.
        assert_eq!(drops(&mut codel, 0..430, |_| 5, 10_000), [100, 200, 271, 329, 379, 424]);
    }

    #[test]
    fn a_short_wait_ends_it_and_counts_from_where_it_was_soon_after() {
        let mut codel = CoDel::new(PARAMS);
        drops(&mut codel, 0..430, |_| 5, 10_000);
        assert_eq!((codel.count, codel.last_count), (6, 1));
        assert_eq!(drops(&mut codel, 430..440, |_| 4, 10_000), []);
        // Above again from 440: the first at 540, where the count goes on at 6 − 1 = 5: the next 100/√5 = 44.7 later, then
        // 100/√6 = 40.8 more.
        assert_eq!(drops(&mut codel, 440..630, |_| 5, 10_000), [540, 585, 626]);
        // After more than 16 intervals it begins anew.
        drops(&mut codel, 630..640, |_| 4, 10_000);
        assert_eq!(drops(&mut codel, 5000..5201, |_| 5, 10_000), [5100, 5200]);
    }

    #[test]
    fn the_last_packets_are_spared() {
        assert_eq!(drops(&mut CoDel::new(PARAMS), 0..500, |_| 50, 1500), [], "no more than one of the largest is left");
        assert_eq!(drops(&mut CoDel::new(PARAMS), 0..101, |_| 50, 1501), [100]);
    }

    #[test]
    fn an_empty_queue_ends_it() {
        let mut codel = CoDel::new(PARAMS);
        drops(&mut codel, 0..150, |_| 5, 10_000);
        assert!(codel.dropping);
        codel.on_idle();
        assert_eq!(drops(&mut codel, 150..251, |_| 5, 10_000), [250]);
    }

    #[test]
    fn several_are_dropped_in_one_turn_if_several_are_due() {
        let mut codel = CoDel::new(PARAMS);
        drops(&mut codel, 0..101, |_| 5, 10_000);
        // The next turn is at 290: what was due at 200 and at 270.7 goes, what is due at 328.4 does not.
        assert_eq!(drops(&mut codel, 290..291, |_| 5, 10_000), [290, 290]);
    }

    /// RFC 8289's law with marks: what is signalled and sent ends a turn, so one signal a turn. Dequeues at every millisecond: the first
    /// signal after 100 ms, the next 100, 170.711, 228.446, 278.446, 323.167 ms after it.
    #[test]
    fn a_mark_is_one_signal_of_a_turn_and_the_law_is_that_of_drops() {
        let mut codel = CoDel::new(CoDelParams { marks: true, ..PARAMS });
        let mut marks = Vec::new();
        for turn in 0..430 {
            match codel.on_dequeue(ms(turn), Span::from_ms(5), 10_000) {
                Verdict::Mark => {
                    codel.on_marked();
                    marks.push(turn);
                }
                verdict => assert_eq!(verdict, Verdict::Accept),
            }
        }
        assert_eq!(marks, [100, 200, 271, 329, 379, 424]);
        // After a pause two are due: of marks one a turn, at 430 and 431; a packet that cannot be marked is one signal more.
        let mut late = CoDel::new(CoDelParams { marks: true, ..PARAMS });
        let mut signals = |turn, can: bool| {
            let mut signals = 0;
            while late.on_dequeue(ms(turn), Span::from_ms(5), 10_000) == Verdict::Mark {
                signals += 1;
                if can {
                    late.on_marked();
                    break;
                }
            }
            signals
        };
        for turn in 0..=100 {
            signals(turn, true);
        }
        assert_eq!([signals(290, true), signals(291, true), signals(292, true)], [1, 1, 0]);
        // Due at 328.4 and 378.4: both go in one turn.
        assert_eq!(signals(380, false), 2);
    }
}
