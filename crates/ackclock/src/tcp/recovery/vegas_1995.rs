//! Vegas' retransmission as it was published: certain acknowledgements are taken as a hint to look whether a segment is
//! overdue by a timeout of fine measure, beside Reno's third duplicate and its coarse timer; and the window is cut only for
//! what was lost at the present rate.
//! Source: [BP95] §III.A; where the paper gives no number, the choice and its source are in docs/models/vegas-1995.md.
//! Units: bytes, seconds.

use super::vegas::FineTimeout;
use super::{
    BatchHints, DUP_ACK_THRESHOLD, DupAck, Flight, Mechanism, Needs, NewAck, Recovery, RecoveryContext, TimerAction,
};
use crate::keys::{Misfit, Values};
use crate::rng::Stream;
use crate::units::Time;

/// The recovery of Vegas as published.
#[derive(Clone, Debug, Default)]
pub struct Vegas1995 {
    fine: FineTimeout,
    /// Acknowledgements of new data that are still to look for an overdue segment.
    hints: u32,
    /// In fast recovery: the window without duplicates.
    deflated: Option<f64>,
    /// When the window was cut last.
    last_cut: Option<Time>,
    /// After a coarse timeout: below this byte three duplicates mean nothing.
    repaired_at: u64,
}

impl Mechanism for Vegas1995 {
    const NAME: &'static str = "vegas-1995";
    const ABOUT: &'static str =
        "Recovery of Vegas as published: at certain acknowledgements a fine-grained timeout finds overdue segments.";
    const NEEDS: Needs = Needs::FINE_TIMEOUTS;
    type Params = ();
    type State = Box<Vegas1995>;

    fn params(_values: &Values) -> Result<(), Misfit> {
        Ok(())
    }

    fn start(_params: &(), _mss: u64, _draws: Stream) -> Box<Vegas1995> {
        Box::new(Vegas1995::default())
    }
}

/// The first and the second acknowledgement after a retransmission look for an overdue segment.
const HINTS: u32 = 2;

impl Vegas1995 {
    fn is_overdue(&self, seq: u64, context: &RecoveryContext<'_>) -> bool {
        !self.fine.is_new() && self.fine.is_over(context.now.since(context.transmissions(seq).last))
    }

    /// The segment at `seq` is to be sent again. Cuts the window, to `ssthresh` of its congestion control, if it was sent
    /// since the last cut: what was lost before that says nothing about the present rate. Returns whether.
    fn retransmit(&mut self, seq: u64, flight: &Flight, context: &mut RecoveryContext<'_>) -> bool {
        let lost = context.transmissions(seq);
        self.hints = HINTS;
        self.fine.back_off(lost.count > 1);
        if self.last_cut.is_some_and(|cut| lost.last < cut) {
            return false;
        }
        context.reduce_by(flight, Some(lost.count > 1));
        // The linear mode, from here on.
        context.window.cwnd = std::mem::replace(&mut context.window.ssthresh, 2.0 * flight.mss as f64);
        self.last_cut = Some(context.now);
        true
    }
}

impl Recovery for Vegas1995 {
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        let mss = flight.mss as f64;
        let is_third = count == DUP_ACK_THRESHOLD && self.deflated.is_none() && flight.una >= self.repaired_at;
        if !is_third && !self.is_overdue(flight.una, &context) {
            if self.deflated.is_some() {
                context.window.cwnd += mss;
            }
            return DupAck::Noted;
        }
        context.window.cwnd = self.deflated.unwrap_or(context.window.cwnd);
        self.retransmit(flight.una, flight, &mut context);
        self.deflated = Some(context.window.cwnd);
        context.window.cwnd += f64::from(count) * mss;
        DupAck::FastRetransmit(TimerAction::Restart)
    }

    fn on_new_ack(&mut self, ack: u64, flight: &Flight, mut context: RecoveryContext<'_>) -> NewAck {
        if let Some(window) = self.deflated.take() {
            context.window.cwnd = window;
        }
        match context.rtt {
            Some(rtt) if self.fine.is_new() => self.fine.begin(rtt),
            Some(rtt) => self.fine.sample(rtt),
            None => {}
        }
        let looks = self.hints > 0 && ack < flight.max;
        self.hints = self.hints.saturating_sub(1);
        if !looks || !self.is_overdue(ack, &context) {
            return NewAck::Grow;
        }
        match self.retransmit(ack, flight, &mut context) {
            true => NewAck::FastRetransmit,
            false => NewAck::GrowAndRetransmit,
        }
    }

    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>) {
        self.hints = 0;
        self.deflated = None;
        self.last_cut = Some(context.now);
        self.repaired_at = flight.max;
    }

    fn in_recovery(&self) -> bool {
        self.deflated.is_some()
    }
}

impl BatchHints for Vegas1995 {
    #[inline]
    fn controls_sending(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;
    use crate::tcp::cc::{CongestionControlParams, CongestionControlState, VegasParams, Window};
    use crate::tcp::{SendTimes, SsthreshFrom};
    use crate::units::instants::ms;

    const MSS: u64 = 1000;
    const RETRANSMIT: DupAck = DupAck::FastRetransmit(TimerAction::Restart);

    /// A connection with ten segments in flight, one sent every 10 ms from 0 on. The first is acknowledged after 100 ms, so
    /// that the fine timeout is 150 ms.
    struct Connection {
        recovery: Vegas1995,
        congestion_control: CongestionControlState,
        window: Window,
        times: SendTimes,
        flight: Flight,
    }

    impl Connection {
        fn new() -> Connection {
            let params = CongestionControlParams::Vegas1995(VegasParams::default());
            let mut connection = Connection {
                recovery: Vegas1995::default(),
                congestion_control: params.start(Stream::new(0, "", "")),
                window: Window { cwnd: 10_000.0, ssthresh: 1e9 },
                times: SendTimes::new(MSS),
                flight: Flight { una: 0, nxt: 0, max: 0, mss: MSS, rwnd: 1 << 30, advertised: 1 << 30, limit: 1 << 30 },
            };
            (0..10).for_each(|n| connection.send(10 * n, n));
            assert_eq!(connection.ack(100, 1), NewAck::Grow);
            connection
        }

        fn send(&mut self, at: u64, number: u64) {
            self.times.on_sent(ms(at), number * MSS);
            self.flight.max = self.flight.max.max((number + 1) * MSS);
            self.flight.nxt = self.flight.max;
        }

        /// A duplicate; what is to be retransmitted is.
        fn duplicate(&mut self, at: u64, count: u32) -> DupAck {
            let (times, now) = (Some(&self.times), ms(at));
            let context = RecoveryContext {
                congestion_control: &mut self.congestion_control,
                window: &mut self.window,
                now,
                times,
                rtt: None,
                ssthresh_from: SsthreshFrom::Window,
                in_use: None,
                is_answered: false,
            };
            let meaning = self.recovery.on_dup_ack(count, &self.flight, context);
            if meaning == RETRANSMIT {
                self.send(at, self.flight.una / MSS);
            }
            meaning
        }

        /// Everything before segment `una` is acknowledged; what is to be retransmitted is.
        fn ack(&mut self, at: u64, una: u64) -> NewAck {
            let (rtt, now) = (self.times.on_ack(ms(at), una * MSS), ms(at));
            let times = Some(&self.times);
            let context = RecoveryContext {
                congestion_control: &mut self.congestion_control,
                window: &mut self.window,
                now,
                times,
                rtt,
                ssthresh_from: SsthreshFrom::Window,
                in_use: None,
                is_answered: false,
            };
            let meaning = self.recovery.on_new_ack(una * MSS, &self.flight, context);
            self.flight.una = una * MSS;
            if meaning != NewAck::Grow {
                self.send(at, una);
            }
            meaning
        }

        fn cwnd(&self) -> f64 {
            self.window.cwnd / MSS as f64
        }

        /// Segment 1 is sent again after three duplicates, at 130 ms; the fine timeout is 9/8 · 150 ms then.
        fn after_three_duplicates() -> Connection {
            let mut connection = Connection::new();
            let meanings = [110, 120, 130].map(|at| connection.duplicate(at, at as u32 / 10 - 10));
            assert_eq!(meanings, [DupAck::Noted, DupAck::Noted, RETRANSMIT]);
            connection
        }
    }

    /// Segment 1 was sent at 10 ms, the timeout is 150 ms.
    #[test]
    fn one_duplicate_is_enough_when_the_segment_is_overdue() {
        let mut connection = Connection::new();
        assert_eq!(connection.duplicate(159, 1), DupAck::Noted);
        let mut connection = Connection::new();
        assert_eq!(connection.duplicate(161, 1), RETRANSMIT);
        assert_eq!(connection.cwnd(), 8.0 + 1.0, "three quarters of ten, and the duplicate");
        assert_eq!(connection.duplicate(170, 2), DupAck::Noted);
        assert_eq!(connection.duplicate(180, 3), DupAck::Noted, "once is enough");
        assert_eq!(connection.cwnd(), 8.0 + 3.0);
    }

    #[test]
    fn the_third_duplicate_retransmits_as_renos_does_but_takes_a_quarter() {
        let mut connection = Connection::after_three_duplicates();
        assert_eq!((connection.cwnd(), connection.window.ssthresh), (8.0 + 3.0, 2000.0));
        assert_eq!(connection.duplicate(140, 4), DupAck::Noted);
        assert!(connection.recovery.in_recovery() && connection.cwnd() == 12.0);
        assert_eq!(connection.ack(230, 10), NewAck::Grow);
        assert!(!connection.recovery.in_recovery() && connection.cwnd() == 8.0, "deflated");
    }

    /// Segments 1, 2 and 4 are lost. The acknowledgement of 1, sent twice, gives no sample: 2 has waited 210 ms, more than
    /// 169. That of 3 gives 300 ms, so that the timeout is 17/16 · (0.125 + 2 · 0.275/4) s = 279 ms: 4 has waited 290.
    #[test]
    fn acknowledgements_after_a_retransmission_find_what_else_was_lost_and_cut_nothing() {
        let mut connection = Connection::after_three_duplicates();
        assert_eq!(connection.ack(230, 2), NewAck::GrowAndRetransmit);
        assert_eq!(connection.ack(330, 4), NewAck::GrowAndRetransmit);
        assert_eq!(connection.cwnd(), 8.0, "all of them were sent before the cut");
    }

    /// In ns-2 the second looks only if the first found something.
    #[test]
    fn the_first_two_acknowledgements_look_and_no_third() {
        let mut connection = Connection::after_three_duplicates();
        assert_eq!(connection.ack(140, 2), NewAck::Grow, "2 has waited 120 ms");
        let mut third = Connection::after_three_duplicates();
        assert_eq!((third.ack(140, 2), third.ack(150, 3)), (NewAck::Grow, NewAck::Grow));
        assert_eq!(third.ack(600, 4), NewAck::Grow, "although 5 is overdue");
        // A sample of 580 ms makes the timeout 465 ms; 3 has waited 570.
        assert_eq!(connection.ack(600, 3), NewAck::GrowAndRetransmit, "the second");
    }

    #[test]
    fn what_was_sent_since_the_cut_cuts_again() {
        let mut connection = Connection::after_three_duplicates();
        connection.send(135, 10);
        assert_eq!(connection.ack(230, 10), NewAck::Grow);
        connection.send(230, 11);
        assert_eq!(connection.duplicate(400, 1), RETRANSMIT);
        assert_eq!(connection.cwnd(), 6.0 + 1.0, "three quarters of eight");
    }

    #[test]
    fn a_lost_retransmission_takes_half() {
        let mut connection = Connection::after_three_duplicates();
        assert_eq!(connection.duplicate(298, 4), DupAck::Noted, "168 ms after it was sent again");
        assert_eq!(connection.duplicate(299, 5), RETRANSMIT);
        assert_eq!(connection.cwnd(), 4.0 + 5.0);
    }

    #[test]
    fn duplicates_of_what_was_sent_before_a_timeout_mean_nothing() {
        let mut connection = Connection::new();
        let (window, congestion_control, times) =
            (&mut connection.window, &mut connection.congestion_control, Some(&connection.times));
        let ssthresh_from = SsthreshFrom::Window;
        let context = RecoveryContext {
            congestion_control,
            window,
            now: ms(1000),
            times,
            rtt: None,
            ssthresh_from,
            in_use: None,
            is_answered: false,
        };
        connection.recovery.on_timeout(&connection.flight, context);
        connection.send(1000, 1);
        assert_eq!([1, 2, 3].map(|count| connection.duplicate(1050, count)), [DupAck::Noted; 3]);
    }
}
