//! The sending end: window, timer, go-back-N. What a loss means is [`recovery`](super::recovery)'s, how the window
//! grows is [`cc`](super::cc)'s.
//! Sources: [SACK-UBR] §2 to §4; the timer of 4.3BSD-Reno, docs/models/retransmission-timer.md.

use super::cc::{Ack, CongestionControl, Growth, Loss, Window};
use super::recovery::{AnyRecovery, DupAck, Flight, Hands, NewAck, Recovery, Sending};
use super::rto::SeenTicks;
use super::tick_log::TickLog;
use super::{CoarseRto, TcpParams, TickClock};
use crate::packet::{SackBlock, SackBlocks, Segment};
use crate::record::Fingerprint;
use crate::record::trace::TimerState;
use crate::units::Time;

/// What the application does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// When it begins to send.
    pub start: Time,
    /// When it offers nothing new any more.
    pub stop: Option<Time>,
    /// Bytes in all; `None` is infinite.
    pub size: Option<u64>,
}

/// What a call of [`Sender::on_timer`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// Nothing that concerns the host.
    Nothing,
    /// The retransmission timer: segments of this connection that the host has not begun to send are to be
    /// discarded, they will be sent again.
    Retransmission,
}

/// What the sender counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Segments sent again. (That the host threw the first copy away at a timeout makes no difference to TCP.)
    pub retransmissions: u64,
    /// Recoveries entered.
    pub fast_retransmits: u64,
    /// Reductions of ssthresh with no growth of the window between them: the longest series.
    pub longest_backoff: u32,
    /// When the last byte of a file was acknowledged.
    pub completed: Option<Time>,
}

/// The sending end of a connection.
///
/// Every segment passes through here, of every flow, so the state is small: what may be absent is one word with a value
/// that does not occur otherwise ([`Time::NEVER`], `NONE`).
#[derive(Clone, Debug)]
pub struct Sender {
    started: bool,
    /// When it offers nothing new any more; never once that has happened.
    stop: Time,
    /// Its bytes in all; [`NONE`] is infinite.
    size: u64,
    flight: Flight,
    window: Window,
    /// First byte that the windows do not allow, the receiver's and that of congestion control; before the start 0.
    window_end: u64,
    growth: Growth,
    recovery: AnyRecovery,
    /// Whether recovery has a say in what is sent next.
    recovery_decides: bool,
    dup_acks: u32,
    /// Reductions of ssthresh since the window last grew.
    backoff: u32,
    /// The segment that recovery wants sent before anything else, or [`NONE`].
    fast_retransmit: u64,
    /// The ticks of the clock that this connection has seen.
    ticks: SeenTicks,
    rto: CoarseRto,
    /// The tick at which the retransmission timer expires, by its instant; never if the timer is off. Before the start
    /// that is the deadline.
    deadline: Time,
    /// The segment whose round trip is measured, by its first byte, or [`NONE`].
    timed: u64,
    /// The ticks seen when it was sent.
    timed_at: u64,
    /// The ticks at which the retransmission timer expired.
    timeouts: TickLog,
    stats: SenderStats,
    fingerprint: Fingerprint,
}

/// Beyond every byte of a connection.
const NONE: u64 = u64::MAX;

impl Sender {
    /// A connection that is established and has sent nothing.
    pub fn new(params: &TcpParams, application: Application, clock: TickClock) -> Sender {
        let mss = u64::from(params.mss);
        let size = application.size.unwrap_or(NONE);
        let rwnd = params.advertised_window();
        Sender {
            started: false,
            stop: application.stop.unwrap_or(Time::NEVER),
            size,
            flight: Flight { una: 0, nxt: 0, max: 0, mss, rwnd, limit: size },
            window: Window {
                cwnd: f64::from(params.initial_window_segments) * f64::from(params.mss),
                ssthresh: params.initial_ssthresh as f64,
            },
            window_end: 0,
            growth: Growth::new(&params.growth),
            recovery: AnyRecovery::new(&params.recovery, params.receiver_sack, mss),
            recovery_decides: false,
            dup_acks: 0,
            backoff: 0,
            fast_retransmit: NONE,
            ticks: SeenTicks::new(clock),
            rto: CoarseRto::new(&params.timer),
            deadline: application.start,
            timed: NONE,
            timed_at: 0,
            timeouts: TickLog::default(),
            stats: SenderStats::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// A segment from the receiver: acknowledgements.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: Segment) {
        self.on_ack(now, segment.ack, segment.sack.as_slice());
    }

    /// The same, given what the segment says.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, ack: u64, blocks: &[SackBlock]) {
        self.pass_time(now);
        self.fingerprint.event(now.as_ps(), ack);
        assert!(ack <= self.flight.max, "{now}: byte {ack} acknowledged, but only {} sent", self.flight.max);
        if ack < self.flight.una {
            return; // an old one
        }
        self.recovery.on_sack(ack, blocks, &self.flight);
        if ack > self.flight.una {
            self.on_new_ack(now, ack);
        } else if self.flight.max > self.flight.una {
            self.on_dup_ack();
        } else {
            return;
        }
        self.look_what_may_be_sent();
    }

    /// A deadline has come: the start, or a tick.
    pub fn on_timer(&mut self, now: Time) -> Expired {
        if !self.started {
            self.pass_time(now);
            self.started = now >= self.deadline;
            if self.started {
                self.deadline = Time::NEVER;
                self.look_what_may_be_sent();
            }
            return Expired::Nothing;
        }
        if self.deadline == Time::NEVER || now < self.deadline {
            return Expired::Nothing;
        }
        let tick = self.ticks.number(self.deadline);
        self.ticks.reach(tick);
        self.stop_if_due(now);
        self.on_timeout(tick);
        self.look_what_may_be_sent();
        Expired::Retransmission
    }

    /// The next segment to send, as long as there is one.
    pub fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        let (seq, len) = self.poll(now)?;
        Some(Segment { seq, len, ack: 0, sack: SackBlocks::default() })
    }

    /// The same, as its first byte and its length.
    #[inline(always)]
    pub fn poll(&mut self, now: Time) -> Option<(u64, u32)> {
        let by_window = !self.recovery_decides && self.fast_retransmit == NONE;
        let (seq, fast) = if by_window { (self.next_by_window(), false) } else { self.next_by_recovery() };
        if seq == NONE {
            return None;
        }
        Some((seq, self.send(now, seq, fast)))
    }

    /// When [`Sender::on_timer`] is to be called.
    pub fn next_deadline(&self) -> Option<Time> {
        Some(self.deadline()).filter(|&deadline| deadline < Time::NEVER)
    }

    /// The same, or never.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Where the sender is in the stream.
    pub fn flight(&self) -> Flight {
        self.flight
    }

    /// Whether a loss is being repaired without a timeout.
    pub fn in_recovery(&self) -> bool {
        self.recovery.in_recovery()
    }

    /// The timeout in ticks, backoff included.
    pub fn rto_ticks(&self) -> u64 {
        self.rto.ticks()
    }

    /// The segment whose round trip is measured, by its first byte.
    pub fn timed(&self) -> Option<u64> {
        Some(self.timed).filter(|&seq| seq != NONE)
    }

    /// What is recorded of the timer.
    pub fn timer_state(&self) -> TimerState {
        let tick = self.ticks.granularity().as_secs_f64();
        TimerState { srtt: self.rto.srtt_ticks().map(|ticks| ticks * tick), rto: self.rto.ticks() as f64 * tick }
    }

    /// What was counted.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }

    /// When the retransmission timer expired.
    pub fn timeouts(&self) -> Vec<Time> {
        self.timeouts.iter().map(|tick| self.ticks.instant(tick)).collect()
    }

    /// Hash over every acknowledgement received and every segment sent, with their times.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// The segment at `seq` is sent; `fast`: because recovery wanted it before anything else. Returns its length.
    #[inline(always)]
    fn send(&mut self, now: Time, seq: u64, fast: bool) -> u32 {
        let len = self.flight.segment_len(seq);
        let end = seq + len;
        if self.recovery_decides {
            self.tell_recovery(seq, fast);
        }
        if seq < self.flight.max {
            self.stats.retransmissions += 1;
            self.timed = NONE; // Karn: the acknowledgement would be ambiguous
        } else if self.timed == NONE {
            self.timed = seq;
            self.timed_at = self.ticks.count();
        }
        self.flight.nxt = self.flight.nxt.max(end);
        self.flight.max = self.flight.max.max(end);
        if self.deadline == Time::NEVER {
            self.restart_timer();
        }
        self.stats.segments_sent += 1;
        self.stats.bytes_sent += len;
        self.fingerprint.event(now.as_ps(), seq);
        len as u32
    }

    #[inline(never)]
    fn tell_recovery(&mut self, seq: u64, fast: bool) {
        self.recovery.on_sent(seq, fast, &self.flight);
    }

    #[inline(always)]
    fn on_new_ack(&mut self, now: Time, ack: u64) {
        if ack > self.timed {
            self.rto.sample(self.ticks.count() - self.timed_at);
            self.timed = NONE;
        }
        let hands = Hands { growth: &mut self.growth, window: &mut self.window };
        let meaning = self.recovery.on_new_ack(ack, &self.flight, hands);
        if meaning == NewAck::Grow {
            // Through signed numbers, which is one instruction.
            let ack = Ack { mss: self.flight.mss as i64 as f64, limit: self.flight.rwnd as i64 as f64 };
            self.growth.on_ack(&ack, &mut self.window);
            self.backoff = 0;
        }
        self.flight.una = ack;
        self.flight.nxt = self.flight.nxt.max(ack); // the receiver held more than was sent again
        self.dup_acks = 0;
        self.fast_retransmit = match meaning {
            NewAck::Partial { retransmit: true, .. } | NewAck::FastRetransmit => ack,
            _ => NONE,
        };
        if meaning == NewAck::FastRetransmit {
            self.count_fast_retransmit();
        }
        if ack == self.flight.max {
            self.deadline = Time::NEVER;
        } else if !matches!(meaning, NewAck::Partial { restart_timer: false, .. }) {
            self.restart_timer();
        }
        if ack == self.size {
            self.stats.completed.get_or_insert(now);
        }
    }

    #[inline(never)]
    fn on_dup_ack(&mut self) {
        self.dup_acks += 1;
        let hands = Hands { growth: &mut self.growth, window: &mut self.window };
        if self.recovery.on_dup_ack(self.dup_acks, &self.flight, hands) == DupAck::FastRetransmit {
            self.fast_retransmit = self.flight.una;
            self.count_fast_retransmit();
        }
    }

    fn on_timeout(&mut self, tick: u64) {
        self.timeouts.push(tick);
        self.count_reduction();
        let loss = Loss { mss: self.flight.mss as f64, limit: self.flight.rwnd as f64 };
        self.growth.on_rto(&loss, &mut self.window);
        self.recovery.on_timeout(&self.flight);
        self.flight.nxt = self.flight.una;
        self.dup_acks = 0;
        self.fast_retransmit = NONE;
        self.timed = NONE;
        self.rto.back_off();
        self.deadline = Time::NEVER; // sending una starts it again
    }

    fn count_fast_retransmit(&mut self) {
        self.stats.fast_retransmits += 1;
        self.count_reduction();
    }

    fn count_reduction(&mut self) {
        self.backoff += 1;
        self.stats.longest_backoff = self.stats.longest_backoff.max(self.backoff);
    }

    /// The next segment by the recovery, or [`NONE`]; and whether it is wanted before anything else.
    #[inline(never)]
    fn next_by_recovery(&mut self) -> (u64, bool) {
        let fast = std::mem::replace(&mut self.fast_retransmit, NONE);
        if fast != NONE {
            return (fast, true);
        }
        match self.recovery.sending(&self.flight, &self.window) {
            Sending::Segment(seq) => (seq, false),
            Sending::Nothing => (NONE, false),
            Sending::ByWindow => (self.next_by_window(), false),
        }
    }

    /// The next segment by the window, or [`NONE`].
    #[inline]
    fn next_by_window(&self) -> u64 {
        let seq = self.flight.nxt;
        let fits = seq < self.flight.limit && seq + self.flight.segment_len(seq) <= self.window_end;
        if fits { seq } else { NONE }
    }

    /// To be called when `una`, the window or the recovery may have changed: segments to send are asked for more often.
    #[inline]
    fn look_what_may_be_sent(&mut self) {
        self.recovery_decides = self.recovery.has_a_say();
        // A fraction of a byte allows nothing.
        self.window_end = self.flight.una + self.flight.rwnd.min(self.window.cwnd as i64 as u64);
    }

    #[inline]
    fn restart_timer(&mut self) {
        self.deadline = self.ticks.instant(self.ticks.count() + self.rto.ticks());
    }

    /// Every handler begins here: the ticks up to now are seen, and an application past its end offers no more.
    #[inline]
    fn pass_time(&mut self, now: Time) {
        self.ticks.pass(now);
        self.stop_if_due(now);
    }

    #[inline]
    fn stop_if_due(&mut self, now: Time) {
        if now >= self.stop {
            self.stop = Time::NEVER;
            self.flight.limit = self.flight.limit.min(self.flight.max);
        }
    }
}
