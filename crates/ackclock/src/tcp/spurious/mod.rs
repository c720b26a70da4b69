//! Spurious reductions: nothing was lost, segments or acknowledgements were late. What a sender remembers of a reduction so that it can be
//! undone, and what shows that it was spurious: every retransmission arrived twice, by D-SACK; an acknowledgement answers what was sent
//! before the first of them, by timestamps; or F-RTO.
//! Sources: RFC 3522 (detection by timestamps), RFC 4015 (response), RFC 3708 (D-SACK), RFC 5682 (F-RTO); Linux 6.x, tcp_input.c
//! (tcp_may_undo, tcp_init_undo, tcp_undo_cwnd_reduction), behaviour only.

mod episode;
mod f_rto;
mod sent_again;

pub(super) use f_rto::{Answer, FRto, Verdict};

use super::cc::Window;
use super::recovery::RecoveryParams;
use super::timer::Estimates;
use super::{TcpParams, Undo, UndoResponse};
use crate::packet::SackBlock;
use episode::Episode;
use sent_again::SentAgain;

/// What a sender remembers of the last reduction.
#[derive(Clone, Debug)]
pub(super) struct Spurious {
    by: Undo,
    /// The initial window, if timeouts are answered by the Eifel response, in bytes.
    eifel: Option<u64>,
    /// If it is used.
    pub(super) f_rto: Option<FRto>,
    episode: Option<Episode>,
    /// The window before the event that is handled, and whether losses were being repaired.
    before: Window,
    was_repairing: bool,
    /// Segments sent again since nothing is repaired, which are probes, and the byte up to which the last of them goes.
    probes: SentAgain,
    probed: u64,
    /// What the segment echoes that is handled, if that has timestamps.
    pub(super) echo: Option<u32>,
    /// What the timer is to know of the last spurious timeout, with the round trip of the first data after it.
    cautious: Option<Cautious>,
}

/// A timeout was spurious: what its timer takes at least for estimates (RFC 4015 §3).
#[derive(Clone, Copy, Debug)]
struct Cautious {
    /// Data from this byte on was not sent before the timeout.
    from: u64,
    estimates: Estimates,
}

impl Spurious {
    /// Of senders that undo something. Not with Vegas' recoveries nor with congestion controls that measure rates of delivery, which have
    /// rules of their own for what a loss means, and not with recoveries from outside, which could not be told.
    pub(super) fn new(params: &TcpParams) -> Option<Spurious> {
        let rules = &params.window_rules;
        let has_own_rules = params.congestion_control.needs().delivery_rates
            || params.recovery.needs().fine_timeouts
            || matches!(params.recovery, RecoveryParams::Custom(_));
        if has_own_rules || (rules.undo == Undo::Off && !rules.f_rto) {
            return None;
        }
        Some(Spurious {
            by: rules.undo,
            eifel: (rules.undo_response == UndoResponse::Eifel)
                .then(|| u64::from(params.initial_window_segments) * u64::from(params.mss)),
            f_rto: rules.f_rto.then(FRto::default),
            episode: None,
            before: Window { cwnd: 0.0, ssthresh: 0.0 },
            was_repairing: false,
            probes: SentAgain::default(),
            probed: 0,
            echo: None,
            cautious: None,
        })
    }

    /// An event begins that may reduce the window.
    pub(super) fn watch(&mut self, window: Window, repairs: bool) {
        (self.before, self.was_repairing) = (window, repairs);
    }

    /// It is over: whether a recovery began with it, while the bytes from `una` to `max` are outstanding.
    pub(super) fn note(&mut self, window: &Window, repairs: bool, una: u64, max: u64) {
        if repairs && (!self.was_repairing || window.ssthresh != self.before.ssthresh) {
            self.begin(una, max);
        }
    }

    /// The timer has expired. Of what was being repaired already it is no other reduction: what was before that is restored.
    pub(super) fn note_timeout(&mut self, una: u64, max: u64, estimates: Option<Estimates>) {
        let goes_on = self.episode.as_ref().is_some_and(|episode| una < episode.end);
        if !goes_on {
            self.begin(una, max);
        }
        if let Some(episode) = &mut self.episode {
            episode.by_timeout = true;
            // Of the first of several, without what the timer has seen since.
            episode.estimates = episode.estimates.or(estimates);
        }
    }

    /// Whether the timer expired in the middle of repairs.
    pub(super) fn was_repairing(&self) -> bool {
        self.was_repairing
    }

    fn begin(&mut self, una: u64, max: u64) {
        let probes = std::mem::take(&mut self.probes);
        let probes = if una < self.probed { probes } else { SentAgain::default() };
        self.episode = Some(Episode::new(self.before, una, max, probes));
    }

    /// A segment is sent again, with this timestamp if there are any, while everything before `una` is acknowledged.
    pub(super) fn on_sent_again(&mut self, una: u64, segment: SackBlock, mss: u64, stamp: Option<u32>) {
        match &mut self.episode {
            Some(episode) if una < episode.end => episode.on_sent_again(segment, mss, stamp),
            _ => {
                if una >= self.probed {
                    self.probes = SentAgain::default();
                }
                self.probes.insert(segment, mss);
                self.probed = segment.end;
            }
        }
    }

    /// The receiver says that this arrived twice. What a probe sent again since has nothing to do with the last reduction.
    pub(super) fn on_duplicate(&mut self, duplicate: SackBlock, mss: u64) {
        if self.probes.report(duplicate, mss) {
            return;
        }
        if let Some(episode) = &mut self.episode {
            episode.on_duplicate(duplicate, mss);
        }
    }

    /// Everything before `ack` is acknowledged, before `una` it was: whether that shows that the last reduction was spurious.
    pub(super) fn is_shown(&self, una: u64, ack: u64) -> bool {
        let Some(episode) = &self.episode else { return false };
        let by_dsack = matches!(self.by, Undo::Dsack | Undo::Both) && episode.all_arrived_twice();
        let echo = self.echo.filter(|_| matches!(self.by, Undo::Timestamps | Undo::Both));
        by_dsack || echo.is_some_and(|echo| episode.answers_earlier(echo, una, ack))
    }

    /// The window is reduced because of a mark, which is no loss: what was before that is not restored any more.
    pub(super) fn on_mark(&mut self) {
        self.episode = None;
    }

    /// The last reduction is undone by an acknowledgement of `acked` bytes after which `flight` bytes are outstanding: the window from now on;
    /// but not if it says that a queue was long (RFC 4015 §3).
    pub(super) fn take(&mut self, acked: u64, flight: u64, echoes: bool) -> Option<Undone> {
        let episode = self.episode.take()?;
        let before = episode.before;
        let Some(initial) = self.eifel.filter(|_| episode.by_timeout) else { return Some(Undone::Window(before)) };
        self.cautious = episode.estimates.map(|estimates| Cautious { from: episode.end, estimates });
        if echoes {
            return Some(Undone::Nothing);
        }
        let cwnd = (flight + acked.min(initial)) as f64;
        Some(Undone::Window(Window { cwnd, ssthresh: before.ssthresh.max(episode.flight() as f64) }))
    }

    /// Everything before `ack` is acknowledged: what the timer takes at least for estimates with the sample that follows, if that is the first
    /// of data that was sent after a timeout that was spurious.
    pub(super) fn cautious(&mut self, ack: u64) -> Option<Estimates> {
        self.cautious.take_if(|cautious| ack > cautious.from).map(|cautious| cautious.estimates)
    }

    /// Whether nothing of that is expected.
    pub(super) fn is_calm(&self) -> bool {
        self.cautious.is_none()
    }
}

/// What is left of a reduction that was spurious.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Undone {
    /// The window is this, or what it is if that is more.
    Window(Window),
    /// The window stays reduced.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { cwnd: 20_000.0, ssthresh: f64::INFINITY };
    const REDUCED: Window = Window { cwnd: 10_000.0, ssthresh: 10_000.0 };

    fn spurious(undo: Undo) -> Spurious {
        let mut params = TcpParams::default();
        params.window_rules.undo = undo;
        Spurious::new(&params).expect("it undoes something")
    }

    fn twice(number: u64) -> SackBlock {
        SackBlock { start: number * 1000, end: (number + 1) * 1000 }
    }

    /// A recovery from byte 10 000 on, with 30 000 outstanding, that sends two segments again.
    fn repaired(undo: Undo) -> Spurious {
        let mut spurious = spurious(undo);
        spurious.watch(WINDOW, false);
        spurious.note(&REDUCED, true, 10_000, 30_000);
        spurious.on_sent_again(10_000, twice(10), 1000, Some(500));
        spurious.on_sent_again(10_000, twice(12), 1000, Some(520));
        spurious
    }

    #[test]
    fn all_retransmissions_must_have_arrived_twice() {
        for (undo, shown) in [(Undo::Dsack, true), (Undo::Both, true), (Undo::Timestamps, false)] {
            let mut spurious = repaired(undo);
            spurious.on_duplicate(twice(10), 1000);
            assert!(!spurious.is_shown(14_000, 14_000), "one of two");
            // What was sent before the reduction has nothing to do with it.
            spurious.on_duplicate(twice(9), 1000);
            assert!(!spurious.is_shown(14_000, 14_000));
            spurious.on_duplicate(twice(12), 1000);
            assert_eq!(spurious.is_shown(14_000, 14_000), shown);
            assert_eq!(spurious.take(0, 0, false), Some(Undone::Window(WINDOW)));
            assert!(!spurious.is_shown(14_000, 14_000) && spurious.take(0, 0, false).is_none(), "once");
        }
    }

    /// RFC 3522: the first retransmission has the time 500.
    #[test]
    fn an_acknowledgement_of_what_was_sent_before_the_first_retransmission_shows_it() {
        let shown = |undo, echo, una, ack| {
            let mut spurious = repaired(undo);
            spurious.echo = Some(echo);
            spurious.is_shown(una, ack)
        };
        assert!(shown(Undo::Timestamps, 499, 10_000, 13_000));
        assert!(shown(Undo::Both, 499, 10_000, 30_000));
        assert!(!shown(Undo::Timestamps, 500, 10_000, 13_000), "of the retransmission, or as late");
        assert!(!shown(Undo::Dsack, 499, 10_000, 13_000));
        assert!(!shown(Undo::Timestamps, 499, 10_000, 10_000), "nothing new");
        assert!(!shown(Undo::Timestamps, 499, 10_000, 12_999), "a retransmission may still have been needed");
        assert!(!shown(Undo::Timestamps, 499, 30_000, 31_000), "of what was sent after the recovery began");
        assert!(!shown(Undo::Timestamps, u32::MAX - 5, 30_000, 31_000));
        let mut without = repaired(Undo::Timestamps);
        without.echo = None;
        assert!(!without.is_shown(10_000, 13_000));
    }

    /// The clock of timestamps wraps.
    #[test]
    fn times_are_compared_modulo_their_range() {
        let mut spurious = spurious(Undo::Timestamps);
        spurious.note(&REDUCED, true, 10_000, 30_000);
        spurious.on_sent_again(10_000, twice(10), 1000, Some(2));
        for (echo, shown) in [(u32::MAX, true), (1, true), (2, false), (3, false)] {
            spurious.echo = Some(echo);
            assert_eq!(spurious.is_shown(10_000, 11_000), shown, "{echo}");
        }
    }

    /// A timeout needs the first acknowledgement only, whatever else was sent again; and if something was being repaired, what was before
    /// that is restored.
    #[test]
    fn a_timeout_in_a_recovery_goes_on_with_it() {
        let mut spurious = repaired(Undo::Timestamps);
        spurious.watch(REDUCED, true);
        spurious.note_timeout(10_000, 30_000, None);
        spurious.echo = Some(499);
        assert!(spurious.is_shown(10_000, 11_000));
        assert_eq!(spurious.take(0, 0, false), Some(Undone::Window(WINDOW)));
        let mut spurious = repaired(Undo::Timestamps);
        spurious.watch(REDUCED, false);
        spurious.note_timeout(30_000, 40_000, None);
        assert_eq!(spurious.take(0, 0, false), Some(Undone::Window(REDUCED)));
    }

    /// A recovery that follows another in one acknowledgement is a reduction, one that goes on is none.
    #[test]
    fn another_reduction_begins_anew() {
        let mut spurious = repaired(Undo::Both);
        spurious.watch(REDUCED, true);
        spurious.note(&REDUCED, true, 20_000, 40_000);
        assert_eq!(spurious.episode.as_ref().map(|episode| episode.before), Some(WINDOW));
        spurious.watch(REDUCED, true);
        spurious.note(&Window { ssthresh: 5000.0, ..REDUCED }, true, 30_000, 50_000);
        assert_eq!(spurious.take(0, 0, false), Some(Undone::Window(REDUCED)));
    }

    /// A probe that was sent again before the timeout arrives twice as well.
    #[test]
    fn probes_before_a_reduction_count() {
        let mut spurious = spurious(Undo::Dsack);
        spurious.on_sent_again(10_000, twice(29), 1000, None);
        spurious.watch(WINDOW, false);
        spurious.note_timeout(10_000, 30_000, None);
        spurious.on_sent_again(10_000, twice(10), 1000, None);
        spurious.on_duplicate(twice(10), 1000);
        assert!(!spurious.is_shown(12_000, 12_000));
        spurious.on_duplicate(twice(29), 1000);
        assert!(spurious.is_shown(12_000, 12_000));
    }

    /// RFC 3708: a network that duplicates says nothing of what was sent again, whether before or after that. What has been sent since,
    /// or before, does not matter.
    #[test]
    fn a_duplicate_of_what_was_not_sent_again_makes_d_sacks_worthless() {
        for (other, shown) in [(9, true), (11, false), (12, false), (29, false), (30, true)] {
            let mut spurious = repaired(Undo::Dsack);
            for number in [12, other, 10] {
                spurious.on_duplicate(twice(number), 1000);
            }
            assert_eq!(spurious.is_shown(14_000, 14_000), shown, "{other}");
        }
    }

    /// Everything of the recovery is acknowledged, one of its retransmissions was needed; then a probe arrives twice.
    #[test]
    fn a_later_probe_does_not_undo_what_is_over() {
        let mut spurious = repaired(Undo::Dsack);
        spurious.on_duplicate(twice(10), 1000);
        spurious.on_sent_again(35_000, twice(35), 1000, None);
        spurious.on_duplicate(twice(35), 1000);
        assert!(!spurious.is_shown(36_000, 36_000));
        spurious.on_duplicate(twice(12), 1000);
        assert!(spurious.is_shown(36_000, 36_000), "what it needs");
    }

    #[test]
    fn a_mark_ends_what_could_be_undone() {
        let mut spurious = repaired(Undo::Dsack);
        spurious.on_mark();
        [10, 12].into_iter().for_each(|number| spurious.on_duplicate(twice(number), 1000));
        assert!(!spurious.is_shown(14_000, 14_000));
    }

    /// RFC 4015 §3: what is in flight, and as much as was acknowledged, at most an initial window, 1 000 bytes here. ssthresh is what was in flight, 20 000
    /// bytes, or what it was if that is more. A recovery has the window before it.
    #[test]
    fn the_eifel_response_to_a_timeout_is_what_is_in_flight_and_a_little_more() {
        let mut params = TcpParams { mss: 1000, ..TcpParams::default() };
        (params.window_rules.undo, params.window_rules.undo_response) = (Undo::Both, UndoResponse::Eifel);
        let undone = |before: Window, timeout: bool, acked, echoes| {
            let mut spurious = Spurious::new(&params).expect("it undoes something");
            spurious.watch(before, false);
            if timeout {
                spurious.note_timeout(10_000, 30_000, None);
            } else {
                spurious.note(&REDUCED, true, 10_000, 30_000);
            }
            spurious.take(acked, 12_000, echoes).expect("there is something to undo")
        };
        let eifel = |cwnd, ssthresh| Undone::Window(Window { cwnd, ssthresh });
        let slow = Window { cwnd: 20_000.0, ssthresh: 8000.0 };
        assert_eq!(undone(slow, true, 999, false), eifel(12_999.0, 20_000.0));
        assert_eq!(undone(slow, true, 1000, false), eifel(13_000.0, 20_000.0));
        assert_eq!(undone(slow, true, 1001, false), eifel(13_000.0, 20_000.0));
        assert_eq!(undone(Window { ssthresh: 20_001.0, ..slow }, true, 0, false), eifel(12_000.0, 20_001.0));
        assert_eq!(undone(slow, true, 1000, true), Undone::Nothing, "a queue is long");
        assert_eq!(undone(slow, false, 1000, true), Undone::Window(slow), "no timeout");
    }

    /// Whoever has rules of its own undoes nothing, nor who is not asked to.
    #[test]
    fn not_every_sender_undoes() {
        let mut params = TcpParams::default();
        assert!(Spurious::new(&params).is_none());
        params.window_rules.f_rto = true;
        assert!(Spurious::new(&params).is_some());
        params.congestion_control = crate::tcp::cc::Algorithm::named("bbr3").expect("it is there").with_defaults();
        assert!(Spurious::new(&params).is_none());
        let vegas = crate::tcp::recovery::Algorithm::named("vegas").expect("it is there").with_defaults();
        let mut params = TcpParams { recovery: vegas, ..TcpParams::default() };
        params.window_rules.undo = Undo::Both;
        assert!(Spurious::new(&params).is_none());
    }
}
