//! The retransmission timer of a sender: how a round trip is measured, for how long the timer runs, when it expires.
//! Each kind is a [`TimerKind`]; docs/models/retransmission-timer.md.

mod linux;
mod rfc6298;
pub(super) mod rto;
pub(super) mod segment_starts;
mod tick_log;
pub(super) mod timestamps;

use super::cc::Window;
use super::{TimerKind, TimerParams};
use crate::record::trace::TimerState;
use crate::units::{Span, Time};
pub(super) use rfc6298::Estimates;
use rfc6298::FineRto;
use rto::{CoarseRto, SeenTicks, TickClock};
use tick_log::TickLog;
use timestamps::Round;

/// Whole segments of the congestion window.
fn segments(window: &Window, mss: u64) -> u64 {
    (window.cwnd / mss as f64) as u64
}

/// Beyond this every timeout has reached its maximum.
const MOST_DOUBLINGS: u32 = 20;

/// A sender's retransmission timer. What BSD does is at hand: most senders of large scenarios have it.
#[derive(Clone, Debug)]
pub(super) struct RetransmissionTimer {
    /// The ticks of the clock that this connection has seen.
    ticks: SeenTicks,
    rto: CoarseRto,
    /// That of RFC 6298 or of Linux, which then counts.
    fine: Option<Box<FineRto>>,
    kind: TimerKind,
    /// Whether the gains of the estimator depend on how many samples a round trip has.
    scaled_gains: bool,
    restarts_at_fast_retransmit: bool,
    /// When it expires; never if it is off.
    due: Time,
    /// When [`RetransmissionTimer::expires`] is to be asked: not after `due`. A timer that runs from any instant moves
    /// with every acknowledgement, but its owner is notified only when it has become earlier, or was called too early.
    wake: Time,
    /// When it expired: ticks of BSD's clock, picoseconds of others.
    expirations: TickLog,
}

impl RetransmissionTimer {
    /// A timer that is off, but is called first at `wake`. Its ticks are those of `clock`.
    pub(super) fn new(params: &TimerParams, clock: TickClock, wake: Time) -> RetransmissionTimer {
        RetransmissionTimer {
            ticks: SeenTicks::new(clock),
            rto: CoarseRto::new(params),
            fine: matches!(params.kind, TimerKind::Rfc6298 | TimerKind::Linux).then(|| Box::new(FineRto::new(params))),
            kind: params.kind,
            scaled_gains: params.scaled_gains,
            restarts_at_fast_retransmit: params.restarts_at_fast_retransmit,
            due: Time::NEVER,
            wake,
            expirations: TickLog::default(),
        }
    }

    /// All ticks before `now` are seen.
    #[inline(always)]
    pub(super) fn pass(&mut self, now: Time) {
        self.ticks.pass(now);
    }

    /// What is to be remembered of the instant at which a segment is sent whose round trip will be measured.
    #[inline(always)]
    pub(super) fn stamp(&self, now: Time) -> u64 {
        match self.kind {
            TimerKind::Bsd => self.ticks.count(),
            TimerKind::Ns2 => self.ticks.up_to(now),
            TimerKind::Rfc6298 | TimerKind::Linux => now.as_ps(),
        }
    }

    /// The segment is acknowledged that was sent this long ago, and whose stamp was not kept.
    pub(super) fn sample_since(&mut self, now: Time, rtt: Span, begins: bool, window: &Window, mss: u64) {
        if let Some(fine) = &mut self.fine {
            return fine.sample_of(rtt, Round { samples: 1, begins }, segments(window, mss));
        }
        let sent = Time::from_ps(now.as_ps() - rtt.as_ps());
        let stamp = match self.kind {
            TimerKind::Bsd => self.ticks.before(sent),
            TimerKind::Ns2 => self.ticks.up_to(sent),
            TimerKind::Rfc6298 | TimerKind::Linux => sent.as_ps(),
        };
        self.sample(now, stamp, window, mss);
    }

    /// The segment sent at that instant is acknowledged.
    pub(super) fn sample(&mut self, now: Time, stamp: u64, window: &Window, mss: u64) {
        let elapsed = self.stamp(now) - stamp;
        match &mut self.fine {
            Some(fine) => fine.sample_of(Span::from_ps(elapsed), Round::ONE, segments(window, mss)),
            None => self.rto.sample(elapsed),
        }
    }

    /// A round trip of this length, measured otherwise.
    pub(super) fn sample_span(&mut self, rtt: Span, round: Round, window: &Window, mss: u64) {
        let samples = if self.scaled_gains { round.samples } else { 1 };
        match &mut self.fine {
            Some(fine) => fine.sample_of(rtt, Round { samples, ..round }, segments(window, mss)),
            None => self.rto.sample(rtt / self.ticks.granularity()),
        }
    }

    /// The timeout begins again after SYNs were lost, if it is that of RFC 6298.
    pub(super) fn begin_after_lost_syn(&mut self) {
        if let Some(fine) = &mut self.fine {
            fine.begin_after_lost_syn();
        }
    }

    /// For how long it runs at least once it starts: the first tick of a clock may follow at once.
    #[inline]
    pub(super) fn least(&self) -> Span {
        self.ticks.granularity() * self.rto.least_ticks().saturating_sub(1)
    }

    /// It starts, or starts again.
    #[inline(always)]
    pub(super) fn start(&mut self, now: Time) {
        match self.kind {
            TimerKind::Bsd => {
                self.due = self.ticks.instant(self.ticks.count() + self.rto.ticks());
                self.wake = self.due;
            }
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => self.start_from(now),
        }
    }

    /// What is to be remembered of the instant at which a segment is sent from which the timer may run.
    pub(super) fn start_stamp(&self, now: Time) -> u64 {
        match self.kind {
            TimerKind::Bsd => self.ticks.count(),
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => now.as_ps(),
        }
    }

    /// The stamp of the instant at which a timer expires that starts at the instant of this stamp and runs for the timeout that holds
    /// now.
    pub(super) fn expiry_stamp(&self, stamp: u64) -> u64 {
        match self.kind {
            TimerKind::Bsd => stamp + self.rto.ticks(),
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => stamp + self.timeout().as_ps(),
        }
    }

    /// It starts, or starts again, and expires at the instant of this stamp; if that is past, at once or at the next tick.
    pub(super) fn start_until(&mut self, now: Time, expiry: u64) {
        match self.kind {
            TimerKind::Bsd => self.due = self.ticks.instant(expiry.max(self.ticks.count() + 1)),
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => self.due = Time::from_ps(expiry).max(now),
        }
        self.wake = self.due;
    }

    /// It starts again, for the timeout as it was doubled so many times more, which it does not remember.
    pub(super) fn start_after(&mut self, now: Time, doublings: u32) {
        let most =
            self.fine.as_ref().map_or_else(|| self.ticks.granularity() * self.rto.max_ticks(), |fine| fine.longest());
        let timeout = self.timeout();
        let longer = Span::from_ps(timeout.as_ps().saturating_mul(1 << doublings.min(MOST_DOUBLINGS)));
        let longer = longer.min(most.max(timeout));
        let stamp = self.start_stamp(now);
        let expiry = match self.kind {
            TimerKind::Bsd => stamp + longer / self.ticks.granularity(),
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => stamp + longer.as_ps(),
        };
        self.start_until(now, expiry);
    }

    /// The receiver seems to have discarded what it had acknowledged selectively. On Linux it starts again, for half a round trip: so
    /// long another acknowledgement may say that this is not so.
    pub(super) fn start_after_reneging(&mut self, now: Time) {
        if self.kind == TimerKind::Linux {
            let srtt = self.fine.as_ref().and_then(|fine| fine.srtt()).unwrap_or(Span::ZERO);
            let wait = Span::from_ps(srtt.as_ps() / 2).max(linux::LEAST_AFTER_RENEGING);
            self.start_until(now, (now + wait).as_ps());
        }
    }

    /// It is turned off.
    #[inline]
    pub(super) fn stop(&mut self) {
        self.due = Time::NEVER;
        self.wake = Time::NEVER;
    }

    /// Whether a fast retransmit restarts it, whatever the recovery says.
    #[inline]
    pub(super) fn restarts_at_fast_retransmit(&self) -> bool {
        self.restarts_at_fast_retransmit
    }

    #[inline]
    pub(super) fn is_off(&self) -> bool {
        self.due == Time::NEVER
    }

    /// It is to be asked by then, at the latest, whatever it says itself.
    pub(super) fn ask_by(&mut self, time: Time) {
        self.wake = self.wake.min(time);
    }

    /// When it expires if it is not started again; never if it is off.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// It is not to be asked before that, whatever it says itself.
    pub(super) fn wait_until(&mut self, time: Time) {
        self.wake = time;
    }

    /// When it is to be asked whether it expires.
    #[inline]
    pub(super) fn wake(&self) -> Time {
        self.wake
    }

    /// Whether it expires now; then it is off, and that is remembered.
    pub(super) fn expires(&mut self, now: Time) -> bool {
        let expired = self.take_expiry(now);
        if let Some(stamp) = expired {
            self.expirations.push(stamp);
        }
        expired.is_some()
    }

    /// If it expires now, what is to be remembered of that; then it is off.
    pub(super) fn take_expiry(&mut self, now: Time) -> Option<u64> {
        if self.due == Time::NEVER || now < self.due {
            self.wake = self.due;
            return None;
        }
        let stamp = match self.kind {
            TimerKind::Bsd => {
                let tick = self.ticks.number(self.due);
                self.ticks.reach(tick);
                tick
            }
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => now.as_ps(),
        };
        self.stop();
        Some(stamp)
    }

    /// SRTT and RTTVAR as a spurious timeout leaves them, of a timer of RFC 6298 (RFC 4015 §3).
    pub(super) fn estimates(&self) -> Option<Estimates> {
        self.fine.as_ref().and_then(|fine| fine.estimates())
    }

    /// The next sample is the first of data that was sent after a spurious timeout, at which the estimates were these.
    pub(super) fn be_cautious(&mut self, before: Estimates) {
        if let Some(fine) = &mut self.fine {
            fine.be_cautious(before);
        }
    }

    /// Doubles the timeout, up to its maximum, until the next sample.
    pub(super) fn back_off(&mut self) {
        match &mut self.fine {
            Some(fine) => fine.back_off(),
            None => self.rto.back_off(),
        }
    }

    /// The timeout in ticks, backoff included; what is left of one is cut off.
    pub(super) fn ticks(&self) -> u64 {
        self.timeout() / self.ticks.granularity()
    }

    /// What is recorded of it.
    pub(super) fn state(&self) -> TimerState {
        let tick = self.ticks.granularity().as_secs_f64();
        match &self.fine {
            Some(fine) => TimerState { srtt: fine.srtt().map(Span::as_secs_f64), rto: fine.timeout().as_secs_f64() },
            None => TimerState {
                srtt: self.rto.srtt_ticks().map(|ticks| ticks * tick),
                rto: self.rto.ticks() as f64 * tick,
            },
        }
    }

    pub(super) fn expirations(&self) -> Vec<Time> {
        let instant = |n| match self.kind {
            TimerKind::Bsd => self.ticks.instant(n),
            TimerKind::Ns2 | TimerKind::Rfc6298 | TimerKind::Linux => Time::from_ps(n),
        };
        self.expirations.iter().map(instant).collect()
    }

    fn start_from(&mut self, now: Time) {
        self.due = now + self.timeout();
        // A call before the deadline finds that it has not come.
        self.wake = self.wake.min(self.due);
    }

    /// For how long it runs.
    pub(super) fn timeout(&self) -> Span {
        self.fine.as_ref().map_or_else(|| self.ticks.granularity() * self.rto.ticks(), |fine| fine.timeout())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::TcpParams;
    use crate::units::instants::ms;

    const WINDOW: Window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };

    fn timer(kind: TimerKind) -> RetransmissionTimer {
        let params = TimerParams { kind, ..TcpParams::default().timer };
        RetransmissionTimer::new(&params, TickClock::new(params.granularity, Span::ZERO), Time::NEVER)
    }

    /// 3 s before the first sample. BSD: 30 ticks of 100 ms, of which that at 200 ms is the first. ns-2: from 150 ms on.
    #[test]
    fn bsd_expires_at_a_tick_and_ns2_after_the_timeout() {
        for (kind, due) in [(TimerKind::Bsd, 3100), (TimerKind::Ns2, 3150)] {
            let mut timer = timer(kind);
            timer.pass(ms(150));
            timer.start(ms(150));
            assert_eq!(timer.wake(), ms(due), "{kind:?}");
            assert!(!timer.expires(ms(due - 1)) && timer.expires(ms(due)));
            assert!(timer.is_off());
            assert_eq!(timer.expirations(), [ms(due)]);
        }
    }

    /// A timer that runs from an earlier instant expires when the timeout has passed since, 3 s or 30 ticks; and if that is
    /// past already, at the next tick or at once.
    #[test]
    fn a_timer_may_run_from_an_earlier_instant() {
        for (kind, due, next) in
            [(TimerKind::Bsd, 3100, 4500), (TimerKind::Ns2, 3150, 4450), (TimerKind::Rfc6298, 3150, 4450)]
        {
            let mut timer = timer(kind);
            timer.pass(ms(150));
            let stamp = timer.start_stamp(ms(150));
            timer.pass(ms(950));
            timer.start_until(ms(950), timer.expiry_stamp(stamp));
            assert_eq!(timer.wake(), ms(due), "{kind:?}");
            timer.pass(ms(4450));
            timer.start_until(ms(4450), timer.expiry_stamp(stamp));
            assert_eq!(timer.wake(), ms(next), "{kind:?}");
            assert!(timer.expires(ms(next)));
        }
    }

    #[test]
    fn a_timer_of_ns2_that_starts_again_is_asked_early_and_says_so() {
        let mut timer = timer(TimerKind::Ns2);
        timer.start(ms(0));
        timer.start(ms(700));
        assert_eq!(timer.wake(), ms(3000));
        assert!(!timer.expires(ms(3000)));
        assert_eq!(timer.wake(), ms(3700));
        assert!(timer.expires(ms(3700)));
    }

    /// A round trip from 150 to 310 ms: ticks at 200 and 300. BSD adds one to the first sample, ns-2 does not.
    /// From 250 to 290 ms there is no tick: BSD counts 0, ns-2 at least 1.
    #[test]
    fn both_count_ticks_and_ns2_at_least_one() {
        // BSD: srtt8 = 24, rttvar4 = 6: 3 + 6. Then m = 0: error −3, srtt8 21, rttvar4 6 + 3 − 1 = 8: 2 + 8.
        // ns-2: srtt8 = 16, rttvar4 = 4: 2 + 4. Then m = 1: error −1, srtt8 15, rttvar4 4 + 1 − 1 = 4: 1 + 4.
        for (kind, first, second) in [(TimerKind::Bsd, 9, 10), (TimerKind::Ns2, 6, 5)] {
            let mut timer = timer(kind);
            for (sent, acknowledged, expected) in [(150, 310, first), (350, 390, second)] {
                timer.pass(ms(sent));
                let stamp = timer.stamp(ms(sent));
                timer.pass(ms(acknowledged));
                timer.sample(ms(acknowledged), stamp, &WINDOW, 1);
                assert_eq!(timer.ticks(), expected, "{kind:?}, sent at {sent}");
            }
        }
    }

    /// A round trip from 150 to 310 ms is the same whether its stamp was kept or is made of the instant afterwards.
    #[test]
    fn the_stamp_of_a_segment_can_be_made_afterwards() {
        for kind in [TimerKind::Bsd, TimerKind::Ns2, TimerKind::Rfc6298] {
            let (mut kept, mut made) = (timer(kind), timer(kind));
            kept.pass(ms(150));
            let stamp = kept.stamp(ms(150));
            kept.pass(ms(310));
            kept.sample(ms(310), stamp, &WINDOW, 1);
            made.pass(ms(310));
            made.sample_since(ms(310), Span::from_ms(160), true, &WINDOW, 1);
            assert_eq!((kept.state().srtt, kept.ticks()), (made.state().srtt, made.ticks()), "{kind:?}");
            // The first sample: 3 ticks and 6, 2 and 4, 160 ms and 4 · 80.
            let expected = [9, 6, 4][kind as usize];
            assert_eq!(made.ticks(), expected, "{kind:?}");
        }
    }

    /// ns-2 backs off by a factor of the timeout before its bounds are applied.
    #[test]
    fn ns2_doubles_what_is_below_the_minimum() {
        let params = TimerParams { kind: TimerKind::Ns2, min_rto_ticks: 10, ..TcpParams::default().timer };
        let mut timer = RetransmissionTimer::new(&params, TickClock::new(params.granularity, Span::ZERO), Time::NEVER);
        timer.sample(ms(100), 0, &WINDOW, 1);
        let mut seen = Vec::new();
        for _ in 0..9 {
            seen.push(timer.ticks());
            timer.back_off();
        }
        // One tick each: srtt8 = 8, rttvar4 = 2, 3 ticks; times 1, 2, 4, 8, …, 64.
        assert_eq!(seen, [10, 10, 12, 24, 48, 96, 192, 192, 192]);
    }
}
