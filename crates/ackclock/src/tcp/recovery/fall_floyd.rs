//! SACK recovery with the PIPE variable: an estimate of what is in the network decides when something may be sent,
//! the scoreboard decides what.
//! Sources: [FF96] (Fall and Floyd); RFC 2018; [SACK-UBR] §3; docs/models/fall-floyd.md.   Units: bytes.

use super::{
    BatchHints, DUP_ACK_THRESHOLD, DupAck, Flight, Mechanism, Needs, NewAck, RESTART_TIMER_ON_PARTIAL_ACK, Recovery,
    RecoveryContext, Sending, TimerAction, guard_key,
};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::SackBlock;
use crate::rng::Stream;
use crate::tcp::Scoreboard;
use crate::tcp::cc::Window;
use crate::units::Time;

/// SACK recovery of Fall and Floyd.
#[derive(Clone, Debug)]
pub struct FallFloyd {
    params: FallFloydParams,
    scoreboard: Scoreboard,
    episode: Option<Episode>,
    /// After a timeout: duplicate acknowledgements mean nothing before this byte is acknowledged.
    ignore_dup_acks_below: u64,
}

/// Choices that [SACK-UBR] §3 leaves open for its SACK.
#[derive(Clone, Debug, PartialEq)]
pub struct FallFloydParams {
    /// Segments by which a partial acknowledgement lowers PIPE.
    pub partial_ack_pipe_segments: u32,
    /// Whether a partial acknowledgement restarts the retransmission timer.
    pub restart_timer_on_partial_ack: bool,
    /// Retransmit only holes below the highest selectively acknowledged byte.
    pub only_below_highest_sack: bool,
    /// After a timeout, ignore duplicate acknowledgements until everything sent before it is acknowledged. The
    /// study describes no such guard; RFC 2582 §5 has it for New Reno.
    pub guard_after_timeout: bool,
    /// What PIPE begins with.
    pub pipe_start: PipeStart,
    /// Whether PIPE counts the segment that the third duplicate acknowledgement sends again.
    pub count_first_retransmission: bool,
    /// Whether a partial acknowledgement ends recovery, as under Reno; otherwise recovery goes on, as under New Reno.
    pub partial_ack_ends_recovery: bool,
}

/// What PIPE begins with when the third duplicate acknowledgement comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeStart {
    /// The outstanding bytes less three segments, which have left the network: [SACK-UBR] §4 says CWND − 3.
    Outstanding,
    /// The congestion window before it is halved: [SACK-UBR] §3.
    Cwnd,
}

impl std::default::Default for FallFloydParams {
    fn default() -> FallFloydParams {
        FallFloyd::default_params()
    }
}

impl Mechanism for FallFloyd {
    const NAME: &'static str = "fall-floyd";
    const ABOUT: &'static str = "SACK with the variable PIPE, an estimate of the bytes in the network.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key { source: "inferred", ..RESTART_TIMER_ON_PARTIAL_ACK },
        guard_key(false, "[SACK-UBR] §3"),
        Key::new("partial_ack_pipe", Kind::segments(0, 65_535), Default::Is(Value::segments(2)), "[SACK-UBR] §3",
            "By how much a partial acknowledgement lowers PIPE."),
        Key::new("only_below_highest_sack", Kind::Flag, Default::Is(Value::Flag(true)), "literature: [FF96]",
            "Whether only holes below the highest selectively acknowledged byte are retransmitted."),
        Key::new("pipe_start", Kind::Word(&["outstanding", "cwnd"]), Default::Is(Value::Word("outstanding")), "[SACK-UBR] §4; cwnd: §3",
            "What PIPE begins with: the outstanding bytes less three segments, or the congestion window before it is halved."),
        Key::new("count_first_retransmission", Kind::Flag, Default::Is(Value::Flag(false)), "inferred; true: [SACK-UBR] §3",
            "Whether PIPE counts the segment that the third duplicate acknowledgement sends again."),
        Key::new("partial_ack_ends_recovery", Kind::Flag, Default::Is(Value::Flag(false)), "[SACK-UBR] §2.3; true: RFC 2001 §4",
            "Whether a partial acknowledgement ends recovery, as under Reno; otherwise recovery goes on, as under New Reno."),
    ];
    const NEEDS: Needs = Needs::SACK;
    type Params = FallFloydParams;
    type State = FallFloyd;

    fn params(values: &Values) -> Result<FallFloydParams, Misfit> {
        let starts = [("outstanding", PipeStart::Outstanding), ("cwnd", PipeStart::Cwnd)];
        Ok(FallFloydParams {
            partial_ack_pipe_segments: values.count("partial_ack_pipe"),
            restart_timer_on_partial_ack: values.flag("restart_timer_on_partial_ack"),
            only_below_highest_sack: values.flag("only_below_highest_sack"),
            guard_after_timeout: values.flag("guard_after_timeout"),
            pipe_start: values.choice("pipe_start", &starts),
            count_first_retransmission: values.flag("count_first_retransmission"),
            partial_ack_ends_recovery: values.flag("partial_ack_ends_recovery"),
        })
    }

    fn start(params: &FallFloydParams, mss: u64, _draws: Stream) -> FallFloyd {
        FallFloyd::new(params, mss)
    }
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    /// Recovery ends when this byte is acknowledged.
    recover: u64,
    /// Bytes believed to be in the network. Below zero after more reports than segments.
    pipe: i64,
}

impl FallFloyd {
    /// The recovery with the given choices.
    pub fn new(params: &FallFloydParams, mss: u64) -> FallFloyd {
        let scoreboard = Scoreboard::new(mss);
        FallFloyd { params: params.clone(), scoreboard, episode: None, ignore_dup_acks_below: 0 }
    }
}

impl Recovery for FallFloyd {
    #[inline]
    fn on_sack(&mut self, _now: Time, una: u64, blocks: &[SackBlock], flight: &Flight) {
        self.scoreboard.on_ack(una, blocks, flight.max);
    }

    fn on_dup_ack(&mut self, count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        if let Some(episode) = &mut self.episode {
            episode.pipe -= flight.mss as i64;
            return DupAck::Noted;
        }
        if count != DUP_ACK_THRESHOLD || flight.una < self.ignore_dup_acks_below {
            return DupAck::Noted;
        }
        let pipe = match self.params.pipe_start {
            PipeStart::Outstanding => (flight.nxt - flight.una) as i64 - 3 * flight.mss as i64,
            PipeStart::Cwnd => context.window.cwnd as i64,
        };
        self.episode = Some(Episode { recover: flight.max, pipe });
        self.scoreboard.clear_retransmitted();
        context.reduce(flight);
        context.window.cwnd = context.window.ssthresh;
        DupAck::FastRetransmit(TimerAction::Leave)
    }

    #[inline]
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        let Some(episode) = &mut self.episode else { return NewAck::Grow };
        if ack >= episode.recover || self.params.partial_ack_ends_recovery {
            self.episode = None;
            context.window.cwnd = context.window.ssthresh;
            return NewAck::Recovered;
        }
        // The original segment was lost and its retransmission has arrived: two have left the network.
        episode.pipe -= i64::from(self.params.partial_ack_pipe_segments) * flight.mss as i64;
        NewAck::Partial { retransmit: false, restart_timer: self.params.restart_timer_on_partial_ack }
    }

    fn on_timeout(&mut self, flight: &Flight, _context: RecoveryContext<'_>) {
        self.episode = None;
        self.scoreboard.clear();
        if self.params.guard_after_timeout {
            self.ignore_dup_acks_below = flight.max;
        }
    }

    fn sending(&self, flight: &Flight, window: &Window) -> Sending {
        let Some(episode) = self.episode else { return Sending::ByWindow };
        if episode.pipe as f64 + flight.mss as f64 > window.cwnd {
            return Sending::Nothing;
        }
        let limit = if self.params.only_below_highest_sack { self.scoreboard.highest_sacked() } else { flight.max };
        // The holes first; then what the receiver has not reported, from nxt on.
        let hole = self.scoreboard.first_hole(limit.min(flight.max));
        let seq = hole.unwrap_or_else(|| self.scoreboard.first_unsacked(flight.nxt));
        if flight.offered(seq) { Sending::Segment(seq) } else { Sending::Nothing }
    }

    fn on_sent(&mut self, _now: Time, seq: u64, fast: bool, flight: &Flight) {
        let Some(episode) = &mut self.episode else { return };
        if seq < flight.max {
            self.scoreboard.retransmitted(seq);
        }
        // Only the first retransmission of a recovery is fast.
        if !fast || self.params.count_first_retransmission {
            episode.pipe += flight.mss as i64;
        }
    }

    fn on_undo(&mut self, _una: u64) {
        self.episode = None; // what was sent again will come twice: the guard stays
    }

    fn has_reneged(&self, una: u64) -> bool {
        self.scoreboard.is_sacked(una)
    }

    fn in_recovery(&self) -> bool {
        self.episode.is_some()
    }
}

impl BatchHints for FallFloyd {
    // The scoreboard gets what is acknowledged with the next block, before anything reads it.
    fn is_idle(&self) -> bool {
        self.episode.is_none() && self.scoreboard.is_empty()
    }

    #[inline]
    fn controls_sending(&self) -> bool {
        self.episode.is_some()
    }
}
