//! SACK recovery of RFC 6675: PIPE is computed from the scoreboard at every acknowledgement.
//! Source: RFC 6675 §4 (SetPipe, NextSeg), §5 (algorithm), §5.1 (timeouts). The steps are named in the comments.

use super::{
    BatchHints, DUP_ACK_THRESHOLD, DupAck, Flight, LossDetection, Lost, Mechanism, Needs, NewAck,
    RESTART_TIMER_ON_PARTIAL_ACK, Recovery, RecoveryContext, SegmentCounts, Sending, TimerAction, WindowReduction,
    proportional::{News, Reduction},
};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::SackBlock;
use crate::rng::Stream;
use crate::tcp::Scoreboard;
use crate::tcp::cc::Window;
use crate::units::Time;

/// SACK recovery of RFC 6675.
#[derive(Clone, Debug)]
pub struct Rfc6675 {
    params: Rfc6675Params,
    scoreboard: Scoreboard,
    episode: Option<Episode>,
    /// Duplicate acknowledgements in a row, for limited transmit.
    dup_acks: u32,
    /// After a timeout: no new recovery before this byte is acknowledged (§5.1).
    no_recovery_below: u64,
    /// Of the acknowledgement that is handled: what is delivered by it, and whether something else is lost.
    delivered: u64,
    loses: bool,
}

/// Choices within RFC 6675.
#[derive(Clone, Debug, PartialEq)]
pub struct Rfc6675Params {
    /// Whether a partial acknowledgement restarts the retransmission timer (RFC 6675 §6 leaves it open).
    pub restart_timer_on_partial_ack: bool,
    /// Whether new data may be sent for the first two duplicates (RFC 6675 §5 (3), RFC 3042).
    pub limited_transmit: bool,
    /// How the window comes down.
    pub window_reduction: WindowReduction,
}

impl std::default::Default for Rfc6675Params {
    fn default() -> Rfc6675Params {
        Rfc6675::default_params()
    }
}

impl Mechanism for Rfc6675 {
    const NAME: &'static str = "rfc6675";
    const ABOUT: &'static str = "SACK: the bytes in the network are computed from the scoreboard (RFC 6675).";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key { source: "RFC 6675 §6 leaves it open", ..RESTART_TIMER_ON_PARTIAL_ACK },
        Key::new("limited_transmit", Kind::Flag, Default::Is(Value::Flag(true)), "RFC 6675 §5 (3), RFC 3042",
            "Whether the first two duplicate acknowledgements allow new data to be sent."),
        WindowReduction::KEY,
    ];
    const NEEDS: Needs = Needs::SACK;
    const KNOWS_LOSSES: bool = true;
    type Params = Rfc6675Params;
    type State = Rfc6675;

    fn params(values: &Values) -> Result<Rfc6675Params, Misfit> {
        let restart_timer_on_partial_ack = values.flag("restart_timer_on_partial_ack");
        let (limited_transmit, window_reduction) = (values.flag("limited_transmit"), WindowReduction::of(values));
        Ok(Rfc6675Params { restart_timer_on_partial_ack, limited_transmit, window_reduction })
    }

    fn start(params: &Rfc6675Params, mss: u64, _draws: Stream) -> Rfc6675 {
        Rfc6675::new(params, mss)
    }
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    /// RecoveryPoint.
    recovery_point: u64,
    /// First byte after HighRxt, the highest one sent again in this recovery.
    high_rxt: u64,
    /// Whether the rescue retransmission of NextSeg (4) was used.
    rescued: bool,
    /// If the window does not come down at once.
    reduction: Option<Reduction>,
}

impl Rfc6675 {
    /// The recovery with the given choices.
    pub fn new(params: &Rfc6675Params, mss: u64) -> Rfc6675 {
        Rfc6675 {
            params: params.clone(),
            scoreboard: Scoreboard::new(mss),
            episode: None,
            dup_acks: 0,
            no_recovery_below: 0,
            delivered: 0,
            loses: false,
        }
    }

    /// A loss is known: a new recovery begins with the segment at `una`.
    fn begin(&mut self, una: u64, flight: &Flight, mut context: RecoveryContext<'_>) {
        self.scoreboard.clear_retransmitted();
        context.reduce(flight);
        let (news, held) = (self.news(flight, una), self.scoreboard.held());
        let reduction = self.params.window_reduction.begin(flight, una, held, &news, context.window);
        self.episode = Some(Episode { recovery_point: flight.max, high_rxt: una, rescued: false, reduction });
    }

    /// What the acknowledgement says that is handled.
    fn news(&self, flight: &Flight, una: u64) -> News {
        let (delivered, in_flight) = (self.delivered, self.scoreboard.pipe(flight.max));
        News { delivered, in_flight, is_safe: una > flight.una && !self.loses }
    }

    /// An acknowledgement during a recovery.
    #[inline(always)]
    fn reduce(&mut self, flight: &Flight, una: u64, window: &mut Window) {
        if self.params.window_reduction == WindowReduction::Proportional {
            self.reduce_in_proportion(flight, una, window);
        }
    }

    #[inline(never)]
    fn reduce_in_proportion(&mut self, flight: &Flight, una: u64, window: &mut Window) {
        let news = self.news(flight, una);
        if let Some(reduction) = self.episode.as_mut().and_then(|episode| episode.reduction.as_mut()) {
            reduction.on_ack(flight.mss, &news, window);
        }
    }

    /// [`Recovery::on_sack`], with what the window's reduction wants to know.
    #[inline(never)]
    fn on_sack_with_news(&mut self, una: u64, blocks: &[SackBlock], flight: &Flight) {
        let (held, lost_below) = (self.scoreboard.held(), self.scoreboard.lost_below());
        self.scoreboard.on_ack(una, blocks, flight.max);
        self.delivered = (una + self.scoreboard.held()).saturating_sub(flight.una + held);
        self.loses = self.scoreboard.lost_below() > lost_below.max(una);
    }

    /// NextSeg ().
    fn next_segment(&self, episode: &Episode, flight: &Flight) -> Option<u64> {
        let above = self.scoreboard.first_unsacked(episode.high_rxt.max(flight.una));
        let hole = Some(above).filter(|&seq| seq < self.scoreboard.highest_sacked());
        // (1) a lost segment, (2) new data, (3) a hole not known to be lost.
        if let Some(seq) = hole.filter(|&seq| seq < self.scoreboard.lost_below()) {
            return Some(seq);
        }
        let new = flight.max;
        if flight.offered(new) {
            return Some(new);
        }
        if hole.is_some() {
            return hole;
        }
        // (4) the rescue: once per recovery, the highest segment that is not held.
        let last = (flight.max - 1 - flight.una) / flight.mss * flight.mss + flight.una;
        (!episode.rescued && last >= episode.high_rxt && !self.scoreboard.is_sacked(last)).then_some(last)
    }
}

impl Recovery for Rfc6675 {
    #[inline(always)]
    fn on_sack(&mut self, _now: Time, una: u64, blocks: &[SackBlock], flight: &Flight) {
        match self.params.window_reduction {
            WindowReduction::AtOnce => self.scoreboard.on_ack(una, blocks, flight.max),
            _ => self.on_sack_with_news(una, blocks, flight),
        }
    }

    fn on_dup_ack(&mut self, count: u32, flight: &Flight, context: RecoveryContext<'_>) -> DupAck {
        self.dup_acks = count;
        let known_lost = flight.una < self.scoreboard.lost_below(); // §5 (2)
        let triggered = count >= DUP_ACK_THRESHOLD || known_lost; // §5 (1)
        if self.episode.is_some() || !triggered || flight.una < self.no_recovery_below {
            self.reduce(flight, flight.una, context.window);
            return DupAck::Noted;
        }
        self.begin(flight.una, flight, context);
        DupAck::FastRetransmit(TimerAction::Leave)
    }

    #[inline]
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        self.dup_acks = 0;
        if self.episode.is_some_and(|episode| ack < episode.recovery_point) {
            self.reduce(flight, ack, context.window);
            return NewAck::Partial { retransmit: false, restart_timer: self.params.restart_timer_on_partial_ack };
        }
        let recovered = self.episode.take().is_some();
        // §2: what brings news of blocks is a duplicate, even if it acknowledges something; then §5 (2).
        if ack < self.scoreboard.lost_below() && ack >= self.no_recovery_below {
            self.begin(ack, flight, context);
            return NewAck::FastRetransmit;
        }
        if recovered {
            context.window.cwnd = context.window.ssthresh;
            return NewAck::Recovered;
        }
        NewAck::Grow
    }

    fn on_timeout(&mut self, flight: &Flight, _context: RecoveryContext<'_>) {
        self.episode = None;
        self.dup_acks = 0;
        self.scoreboard.clear();
        self.no_recovery_below = flight.max;
    }

    fn sending(&self, flight: &Flight, window: &Window) -> Sending {
        let room = |pipe: u64| pipe as f64 + flight.mss as f64 <= window.cwnd;
        if let Some(episode) = &self.episode {
            // §5 (C)
            let next = room(self.scoreboard.pipe(flight.max)).then(|| self.next_segment(episode, flight));
            return next.flatten().map_or(Sending::Nothing, Sending::Segment);
        }
        // §5 (3): limited transmit, new data for what duplicate acknowledgements say has left.
        if self.dup_acks > 0 && flight.una >= self.no_recovery_below && flight.nxt == flight.max {
            let limited = self.params.limited_transmit;
            let allowed = limited && flight.offered(flight.max) && room(self.scoreboard.pipe(flight.max));
            return if allowed { Sending::Segment(flight.max) } else { Sending::Nothing };
        }
        Sending::ByWindow
    }

    fn on_sent(&mut self, _now: Time, seq: u64, _fast: bool, flight: &Flight) {
        let Some(episode) = &mut self.episode else { return };
        if let Some(reduction) = &mut episode.reduction {
            reduction.on_sent(flight.segment_len(seq));
        }
        if seq >= flight.max {
            return;
        }
        // Whatever is sent beyond every hole is the rescue. It leaves HighRxt alone, as NextSeg (4) asks, so SetPipe
        // counts it once.
        if seq >= self.scoreboard.highest_sacked() && seq > flight.una {
            episode.rescued = true;
        } else {
            self.scoreboard.retransmitted(seq);
            episode.high_rxt = episode.high_rxt.max(seq + flight.segment_len(seq));
        }
    }

    fn on_undo(&mut self, _una: u64) {
        self.episode = None; // what was sent again will come twice: the guard of §5.1 stays
        self.dup_acks = 0;
    }

    fn has_reneged(&self, una: u64) -> bool {
        self.scoreboard.is_sacked(una)
    }

    fn in_recovery(&self) -> bool {
        self.episode.is_some()
    }

    fn loss_detection(&self) -> Option<&dyn LossDetection> {
        Some(self)
    }
}

impl BatchHints for Rfc6675 {
    // The scoreboard gets what is acknowledged with the next block, before anything reads it.
    fn is_idle(&self) -> bool {
        self.episode.is_none() && self.dup_acks == 0 && self.scoreboard.is_empty()
    }

    #[inline]
    fn controls_sending(&self) -> bool {
        self.episode.is_some() || self.dup_acks > 0
    }
}

impl LossDetection for Rfc6675 {
    /// PIPE, except after a timeout: what was sent before that is gone.
    fn in_flight(&self, flight: &Flight) -> u64 {
        if flight.nxt == flight.max { self.scoreboard.pipe(flight.max) } else { flight.nxt - flight.una }
    }

    fn lost(&self) -> Lost<'_> {
        Lost::Before(self.scoreboard.lost_below())
    }

    fn delivered(&self) -> Option<u64> {
        (self.params.window_reduction == WindowReduction::Proportional).then_some(self.delivered)
    }

    /// After a timeout all that is outstanding is lost, and what is before nxt is sent again.
    fn counts(&self, flight: &Flight) -> Option<SegmentCounts> {
        let (after_timeout, segments) = (flight.nxt < flight.max, |bytes: u64| bytes.div_ceil(flight.mss));
        let held = segments(self.scoreboard.held());
        let (lost, again) = match after_timeout {
            true => (segments(flight.max - flight.una) - held, segments(flight.nxt - flight.una)),
            false => (self.scoreboard.lost(), self.scoreboard.again()),
        };
        Some(SegmentCounts { held, lost, again, after_timeout })
    }
}
