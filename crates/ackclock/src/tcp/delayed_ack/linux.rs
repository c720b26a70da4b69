//! When a receiver on Linux acknowledges what is in order: at once at the start of a connection, while its window opens, and after
//! duplicates; then every second segment, and one that stays alone after 40 ms, or longer where segments come further apart.
//! Source: Linux 6.x, tcp_input.c (tcp_event_data_recv, tcp_grow_window, __tcp_ack_snd_check), tcp_output.c (tcp_send_delayed_ack),
//! tcp_timer.c (tcp_delack_timer_handler), behaviour only.

use crate::tcp::UNSCALED_WINDOW;
use crate::units::{Span, Time};

/// How soon a receiver on Linux acknowledges, and what it has learnt for that.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    mss: u64,
    /// The window that Linux would advertise by now, and the one up to which it opens; bytes.
    open: u64,
    window: u64,
    /// So many acknowledgements go at once (quick).
    quick: u32,
    /// How long a segment waits (ato).
    wait: Span,
    /// When the last data came.
    last: Option<Time>,
    /// When a SYN came, and whether another had come before; then the round trip of the handshake.
    syn: Option<Time>,
    syn_again: bool,
    rtt: Option<Span>,
}

/// The most acknowledgements that go at once (TCP_MAX_QUICKACKS).
const MOST_QUICK: u32 = 16;
/// The least and the most that a segment waits (TCP_ATO_MIN, TCP_DELACK_MAX).
const LEAST_WAIT: Span = Span::from_ms(40);
const MOST_WAIT: Span = Span::from_ms(200);
/// The timeout before a round trip is known (TCP_TIMEOUT_INIT).
const FIRST_TIMEOUT: Span = Span::from_secs(1);

impl Pace {
    /// Of a receiver of segments of `mss` bytes that advertises `window` in the end.
    pub(super) fn new(mss: u32, window: u64) -> Pace {
        let (mss, open) = (u64::from(mss), window.min(UNSCALED_WINDOW));
        Pace { mss, open, window, quick: 0, wait: LEAST_WAIT, last: None, syn: None, syn_again: false, rtt: None }
    }

    /// A SYN, which is answered at once.
    pub(super) fn on_syn(&mut self, now: Time) {
        self.syn_again |= self.syn.replace(now).is_some();
    }

    /// The first segment after it.
    pub(super) fn on_opened(&mut self, now: Time) {
        // Of several it is not known which was answered.
        if let Some(syn) = self.syn.take().filter(|_| !self.syn_again) {
            self.rtt.get_or_insert(now.since(syn));
        }
    }

    /// Data comes, in order and a full segment if it is `ordinary`, and `waits` says that one like it waits. How long it waits: `None`
    /// if an acknowledgement goes now.
    pub(super) fn on_segment(&mut self, now: Time, ordinary: bool, waits: bool) -> Option<Span> {
        match self.last.replace(now) {
            None => self.be_quick(),
            Some(last) => self.follow(now.since(last)),
        }
        if self.open < self.window {
            self.open = (self.open + 2 * self.mss).min(self.window);
            self.quick |= 1;
        }
        if !ordinary || waits || self.quick > 0 {
            self.acknowledged();
            return None;
        }
        Some(self.wait.min(self.rtt.map_or(MOST_WAIT, |rtt| rtt.max(LEAST_WAIT))).min(MOST_WAIT))
    }

    /// What comes was all there before: the sender waits for an acknowledgement.
    pub(super) fn on_duplicate(&mut self) {
        self.be_quick();
        self.wait = LEAST_WAIT;
    }

    /// A segment waited in vain for another.
    pub(super) fn on_expired(&mut self) {
        self.wait = (self.wait * 2).min(self.timeout());
        self.acknowledged();
    }

    fn acknowledged(&mut self) {
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.wait = LEAST_WAIT;
            }
        }
    }

    fn be_quick(&mut self) {
        let fitting = (self.open / (2 * self.mss)).min(u64::from(MOST_QUICK)) as u32;
        self.quick = self.quick.max(if fitting == 0 { 2 } else { fitting });
    }

    /// Data comes so long after the last.
    fn follow(&mut self, gap: Span) {
        let half = Span::from_ps(self.wait.as_ps() / 2);
        if gap * 2 <= LEAST_WAIT {
            self.wait = half + Span::from_ps(LEAST_WAIT.as_ps() / 2);
        } else if gap < self.wait {
            self.wait = (half + gap).min(self.timeout());
        } else if gap > self.timeout() {
            self.be_quick(); // the sender has begun again
        }
    }

    /// The retransmission timeout of this end, which knows one round trip at most.
    fn timeout(&self) -> Span {
        self.rtt.map_or(FIRST_TIMEOUT, |rtt| rtt + MOST_WAIT.max(rtt * 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms;

    const MSS: u64 = 1000;

    /// How long each of the segments waits that come at these times, in order and full; nothing waits before any of them.
    fn waits(pace: &mut Pace, times: impl IntoIterator<Item = u64>) -> Vec<Option<Span>> {
        times.into_iter().map(|at| pace.on_segment(ms(at), true, false)).collect()
    }

    /// A window that does not grow: sixteen segments, or as many as half the window has in segments.
    #[test]
    fn the_first_segments_are_acknowledged_at_once() {
        for (window, quick) in [(60_000, 16), (32_000, 16), (31_999, 15), (2_000, 1), (1_999, 2)] {
            let mut pace = Pace::new(1000, window);
            let found = waits(&mut pace, 0..20);
            let at_once = found.iter().position(|wait| wait.is_some()).expect("some wait");
            assert_eq!((at_once, found[at_once]), (quick, Some(LEAST_WAIT)), "{window}");
        }
    }

    /// While the window opens by two segments for each that comes, all are acknowledged at once, and sixteen afterwards.
    #[test]
    fn all_are_acknowledged_at_once_while_the_window_opens() {
        let mut pace = Pace::new(1000, UNSCALED_WINDOW + 100 * MSS);
        let found = waits(&mut pace, 0..80);
        // The fiftieth opens it, with one more to come, as 16 + 1 is odd.
        let at_once = found.iter().position(|wait| wait.is_some()).expect("some wait");
        assert_eq!(at_once, 50 + 16);
        let mut pace = Pace::new(1000, 1 << 30);
        assert!(waits(&mut pace, 0..10_000).iter().all(|wait| wait.is_none()));
    }

    fn settled() -> Pace {
        Pace { quick: 0, last: Some(ms(0)), ..Pace::new(1000, 60_000) }
    }

    #[test]
    fn the_second_segment_is_acknowledged_at_once_and_what_is_not_in_order() {
        assert_eq!(settled().on_segment(ms(1), true, false), Some(LEAST_WAIT));
        assert_eq!(settled().on_segment(ms(1), true, true), None);
        assert_eq!(settled().on_segment(ms(1), false, false), None);
    }

    /// Gaps of 20 ms or less leave 40 ms, larger ones add themselves to half of it, up to 200 ms and to a round trip of more than 40 ms;
    /// gaps as long as the wait change nothing.
    #[test]
    fn the_wait_follows_the_gaps() {
        let mut pace = settled();
        assert_eq!(waits(&mut pace, [20, 59]), [LEAST_WAIT, Span::from_ms(59)].map(Some));
        assert_eq!(waits(&mut pace, [59 + 59]), [Some(Span::from_ms(59))], "no less than the wait");
        let mut late = Pace { wait: Span::from_ms(600), ..settled() };
        assert_eq!(waits(&mut late, [500]), [Some(MOST_WAIT)]);
        let mut short = Pace { rtt: Some(Span::from_ms(50)), ..settled() };
        assert_eq!(waits(&mut short, [35, 74]), [50, 50].map(|wait| Some(Span::from_ms(wait))));
        let mut shorter = Pace { rtt: Some(Span::from_ms(1)), ..settled() };
        assert_eq!(waits(&mut shorter, [39]), [Some(LEAST_WAIT)]);
    }

    /// 50 ms of round trip: a timeout of 250 ms.
    #[test]
    fn after_a_pause_longer_than_the_timeout_and_after_duplicates_it_is_quick_again() {
        for (gap, quick) in [(250, false), (251, true)] {
            let mut pace = Pace { rtt: Some(Span::from_ms(50)), ..settled() };
            assert_eq!(waits(&mut pace, [gap])[0].is_none(), quick, "{gap}");
        }
        let mut pace = settled();
        pace.on_duplicate();
        assert_eq!(waits(&mut pace, 1..18).iter().filter(|wait| wait.is_none()).count(), 16);
    }

    #[test]
    fn a_wait_in_vain_doubles_it() {
        let mut pace = settled();
        pace.on_expired();
        assert_eq!(pace.wait, Span::from_ms(80));
        (0..10).for_each(|_| pace.on_expired());
        assert_eq!(pace.wait, FIRST_TIMEOUT);
    }

    /// A SYN at 10 ms, its answer is acknowledged at 60; of several SYNs it is not known which was answered.
    #[test]
    fn the_round_trip_is_that_of_the_handshake() {
        let mut pace = settled();
        pace.on_syn(ms(10));
        pace.on_opened(ms(60));
        pace.on_opened(ms(90));
        assert_eq!(pace.rtt, Some(Span::from_ms(50)));
        for syns in [2, 3, 4] {
            let mut pace = settled();
            (1..=syns).for_each(|n| pace.on_syn(ms(10 * n)));
            pace.on_opened(ms(60));
            assert_eq!(pace.rtt, None, "{syns}");
        }
    }
}
