//! Proportional rate reduction (PRR): during a recovery the window falls in the proportion in which data is delivered, so that as
//! much is in flight at its end as ssthresh says, and segments leave all the time. Without it the window is ssthresh at once: nothing
//! leaves until so much has arrived.
//! Source: RFC 9937 §6, whose variables are named. Bytes.

use super::Flight;
use crate::keys::{Default, Key, Kind, Value, Values};
use crate::tcp::cc::Window;

/// How the window comes down in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowReduction {
    /// To ssthresh, at the start of a recovery.
    AtOnce,
    /// By proportional rate reduction.
    Proportional,
}

impl WindowReduction {
    pub(super) const KEY: Key = Key::new(
        "window_reduction",
        Kind::Word(&["at-once", "proportional"]),
        Default::Is(Value::Word("at-once")),
        "RFC 6675 §5 (4.2)",
        "How the window comes down in a recovery: to ssthresh at once, or by proportional rate reduction (RFC 9937).",
    );

    pub(super) fn of(values: &Values) -> WindowReduction {
        let words = [("at-once", WindowReduction::AtOnce), ("proportional", WindowReduction::Proportional)];
        values.choice(WindowReduction::KEY.name, &words)
    }

    /// A recovery begins with an acknowledgement, or a timer, by which `news.delivered` is delivered; ssthresh is lowered. `held`: bytes of
    /// those outstanding that the receiver has.
    pub(super) fn begin(
        self,
        flight: &Flight,
        una: u64,
        held: u64,
        news: &News,
        window: &mut Window,
    ) -> Option<Reduction> {
        if self == WindowReduction::AtOnce {
            window.cwnd = window.ssthresh;
            return None;
        }
        let before = (flight.max + news.delivered).saturating_sub(una + held);
        let mut reduction = Reduction::of(before);
        reduction.update(flight.mss, news, window);
        Some(reduction)
    }
}

/// What an acknowledgement says to a recovery.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct News {
    /// DeliveredData: what it says is delivered, in order or not, and was not known to be.
    pub(in crate::tcp) delivered: u64,
    /// What is believed to be in the network now.
    pub(in crate::tcp) in_flight: u64,
    /// SafeACK: una advances, and nothing else is found to be lost.
    pub(in crate::tcp) is_safe: bool,
}

/// The reduction of a recovery under way.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Reduction {
    /// RecoverFS: what was in flight at its start, with what was delivered then.
    recover_fs: f64,
    /// prr_delivered, prr_out: what was delivered and sent since.
    delivered: f64,
    out: f64,
}

impl Reduction {
    /// With so many bytes in flight at its start.
    pub(in crate::tcp) fn of(in_flight: u64) -> Reduction {
        Reduction { recover_fs: in_flight.max(1) as f64, delivered: 0.0, out: 0.0 }
    }

    /// An acknowledgement during the recovery: the window becomes what is in flight and what may be sent now.
    pub(in crate::tcp) fn on_ack(&mut self, mss: u64, news: &News, window: &mut Window) {
        if news.delivered > 0 {
            self.update(mss, news, window);
        }
    }

    fn update(&mut self, mss: u64, news: &News, window: &mut Window) {
        let (mss, in_flight, newly) = (mss as f64, news.in_flight as f64, news.delivered as f64);
        self.delivered += newly;
        let mut may_send = if in_flight > window.ssthresh {
            (self.delivered * window.ssthresh / self.recover_fs).ceil() - self.out
        } else {
            // PRR-CRB; PRR-SSRB where the recovery makes progress.
            let conserved = (self.delivered - self.out).max(newly);
            let catches_up = if news.is_safe { conserved + mss } else { conserved };
            catches_up.min(window.ssthresh - in_flight)
        };
        if self.out == 0.0 && may_send <= 0.0 {
            may_send = mss; // the retransmission with which it begins
        }
        // A short segment that is delivered allows less than a whole one: with nothing in flight, nothing would ever leave.
        window.cwnd = (in_flight + may_send.max(0.0)).max(mss);
    }

    /// A segment of so many bytes is sent during the recovery.
    pub(in crate::tcp) fn on_sent(&mut self, bytes: u64) {
        self.out += bytes as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn begun(before: u64, ssthresh: f64) -> (Reduction, Window) {
        let mut window = Window { cwnd: before as f64, ssthresh };
        let flight =
            Flight { una: 0, nxt: before, max: before, mss: MSS, rwnd: 1 << 30, advertised: 1 << 30, limit: 1 << 30 };
        // Three segments are held, by the last of which the loss is known; one is lost.
        let news = News { delivered: MSS, in_flight: before - 4 * MSS, is_safe: false };
        let reduction = WindowReduction::Proportional.begin(&flight, 0, 3 * MSS, &news, &mut window);
        (reduction.expect("it takes a round trip"), window)
    }

    /// What may be sent, in segments, after an acknowledgement of one that leaves so much in flight; it is sent.
    fn sent(reduction: &mut Reduction, window: &mut Window, in_flight: &mut u64, is_safe: bool) -> u64 {
        *in_flight -= MSS;
        reduction.on_ack(MSS, &News { delivered: MSS, in_flight: *in_flight, is_safe }, window);
        let mut segments = 0;
        while (*in_flight + MSS) as f64 <= window.cwnd {
            (*in_flight, segments) = (*in_flight + MSS, segments + 1);
            reduction.on_sent(MSS);
        }
        segments
    }

    /// RFC 9937 §6.2: 18 segments count as in flight before, with the one just delivered. While more than ssthresh is in flight, what is
    /// sent is ssthresh/18 of what was delivered, rounded up to a byte; whole segments leave.
    #[test]
    fn what_leaves_is_in_proportion_to_what_is_delivered() {
        let (mut reduction, mut window) = begun(20 * MSS, 9000.0);
        assert_eq!(reduction.recover_fs, 18_000.0);
        // One of 18 is delivered: half a segment is allowed, and as nothing has left, it is still the retransmission that may.
        assert_eq!(window.cwnd, 16_500.0);
        reduction.on_sent(MSS);
        let mut in_flight = 17 * MSS;
        let left: Vec<u64> = (0..16).map(|_| sent(&mut reduction, &mut window, &mut in_flight, false)).collect();
        // With the thirteenth no more than ssthresh is in flight; from then on it stays there.
        assert_eq!(left, [0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1]);
        assert_eq!((reduction.delivered, reduction.out, in_flight), (17_000.0, 9000.0, 9 * MSS));
    }

    /// At ssthresh and below: as much as is delivered (PRR-CRB), a segment more where una advances and nothing else is lost (PRR-SSRB), and
    /// never beyond ssthresh.
    #[test]
    fn below_ssthresh_the_flight_is_kept_or_grows_by_a_segment() {
        let (mut reduction, mut window) = begun(20 * MSS, 9000.0);
        reduction.on_sent(MSS);
        // Many more are lost: five in flight.
        let mut in_flight = 6 * MSS;
        assert_eq!(sent(&mut reduction, &mut window, &mut in_flight, false), 1);
        let left: Vec<u64> = (0..6).map(|_| sent(&mut reduction, &mut window, &mut in_flight, true)).collect();
        assert_eq!((left, in_flight), (vec![2, 2, 2, 1, 1, 1], 9 * MSS));
        // Exactly ssthresh in flight is not more: one is delivered, and one may leave.
        assert_eq!(sent(&mut reduction, &mut window, &mut in_flight, false), 1);
    }

    /// What was not sent though it was allowed is made up for.
    #[test]
    fn what_was_not_sent_is_made_up_for() {
        let (mut reduction, mut window) = begun(20 * MSS, 9000.0);
        reduction.on_sent(MSS);
        for in_flight in [8000, 7000, 6000] {
            reduction.on_ack(MSS, &News { delivered: MSS, in_flight, is_safe: false }, &mut window);
        }
        // Four delivered, one sent.
        assert_eq!(window.cwnd, 9000.0);
    }

    /// Nothing is in flight, and what was delivered is less than a segment, as at the end of a write.
    #[test]
    fn the_window_is_a_segment_at_least() {
        let (mut reduction, mut window) = begun(20 * MSS, 9000.0);
        reduction.on_sent(MSS);
        reduction.on_ack(MSS, &News { delivered: 287, in_flight: 0, is_safe: false }, &mut window);
        assert_eq!(window.cwnd, 1000.0);
    }

    #[test]
    fn an_acknowledgement_that_delivers_nothing_changes_nothing() {
        let (mut reduction, mut window) = begun(20 * MSS, 9000.0);
        let before = window;
        reduction.on_ack(MSS, &News { delivered: 0, in_flight: 3 * MSS, is_safe: true }, &mut window);
        assert_eq!(window, before);
    }

    #[test]
    fn at_once_the_window_is_ssthresh() {
        let mut window = Window { cwnd: 20_000.0, ssthresh: 9000.0 };
        let flight =
            Flight { una: 0, nxt: 20_000, max: 20_000, mss: MSS, rwnd: 1 << 30, advertised: 1 << 30, limit: 1 << 30 };
        let news = News { delivered: MSS, in_flight: 16_000, is_safe: false };
        assert!(WindowReduction::AtOnce.begin(&flight, 0, 3000, &news, &mut window).is_none());
        assert_eq!(window.cwnd, 9000.0);
    }
}
