//! The sending end: window, timer, go-back-N. What a loss means is [`recovery`](super::recovery)'s, how the window
//! grows is [`cc`](super::cc)'s.
//! Sources: [SACK-UBR] §2 to §4; the timer of 4.3BSD-Reno, docs/models/retransmission-timer.md.

use super::cc::{Ack, CongestionControl, Growth, Loss, Window};
use super::recovery::{AnyRecovery, DupAck, Flight, Hands, NewAck, Recovery, Sending};
use super::{CoarseRto, TcpParams, TickClock};
use crate::packet::{SackBlocks, Segment};
use crate::record::Fingerprint;
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
    /// When the retransmission timer expired.
    pub timeouts: Vec<Time>,
    /// Reductions of ssthresh with no growth of the window between them: the longest series.
    pub longest_backoff: u32,
    /// When the last byte of a file was acknowledged.
    pub completed: Option<Time>,
}

/// The sending end of a connection.
#[derive(Clone, Debug)]
pub struct Sender {
    application: Application,
    started: bool,
    flight: Flight,
    window: Window,
    growth: Growth,
    recovery: AnyRecovery,
    dup_acks: u32,
    /// The segment that recovery wants sent before anything else.
    fast_retransmit: Option<u64>,
    clock: TickClock,
    /// Ticks of the clock that this connection has seen.
    ticks: u64,
    rto: CoarseRto,
    /// The tick at which the retransmission timer expires.
    expiry: Option<u64>,
    /// The segment whose round trip is measured: its first byte, and the ticks seen when it was sent.
    timed: Option<(u64, u64)>,
    backoff: u32,
    stats: SenderStats,
    fingerprint: Fingerprint,
}

impl Sender {
    /// A connection that is established and has sent nothing.
    pub fn new(params: &TcpParams, application: Application, clock: TickClock) -> Sender {
        let mss = u64::from(params.mss);
        Sender {
            application,
            started: false,
            flight: Flight {
                una: 0,
                nxt: 0,
                max: 0,
                mss,
                rwnd: params.advertised_window(),
                limit: application.size.unwrap_or(u64::MAX),
            },
            window: Window {
                cwnd: f64::from(params.initial_window_segments) * f64::from(params.mss),
                ssthresh: params.initial_ssthresh as f64,
            },
            growth: Growth::new(&params.growth),
            recovery: AnyRecovery::new(&params.recovery, params.receiver_sack, mss),
            dup_acks: 0,
            fast_retransmit: None,
            clock,
            ticks: 0,
            rto: CoarseRto::new(&params.timer),
            expiry: None,
            timed: None,
            backoff: 0,
            stats: SenderStats::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// A segment from the receiver: acknowledgements.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.pass_time(now, self.clock.before(now));
        self.fingerprint.event(now.as_ps(), segment.ack);
        let ack = segment.ack;
        assert!(ack <= self.flight.max, "{now}: byte {ack} acknowledged, but only {} sent", self.flight.max);
        if ack < self.flight.una {
            return; // an old one
        }
        self.recovery.on_sack(ack, segment.sack.as_slice(), &self.flight);
        if ack > self.flight.una {
            self.on_new_ack(now, ack);
        } else if self.flight.max > self.flight.una {
            self.on_dup_ack();
        }
    }

    /// A deadline has come: the start, or a tick.
    pub fn on_timer(&mut self, now: Time) -> Expired {
        if !self.started {
            self.pass_time(now, self.clock.before(now));
            self.started = now >= self.application.start;
            return Expired::Nothing;
        }
        let Some(expiry) = self.expiry.filter(|&tick| self.clock.instant(tick) <= now) else {
            return Expired::Nothing;
        };
        self.pass_time(now, expiry);
        self.on_timeout(now);
        Expired::Retransmission
    }

    /// The next segment to send, as long as there is one.
    pub fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        if !self.started {
            return None;
        }
        let fast = self.fast_retransmit.take();
        let seq = fast.or_else(|| self.next_by_recovery_or_window())?;
        let len = self.flight.segment_len(seq);
        let before = self.flight;
        self.flight.nxt = before.nxt.max(seq + len);
        self.flight.max = before.max.max(seq + len);
        self.recovery.on_sent(seq, fast.is_some(), &before);

        if seq < before.max {
            self.stats.retransmissions += 1;
            self.timed = None; // Karn: the acknowledgement would be ambiguous
        } else if self.timed.is_none() {
            self.timed = Some((seq, self.ticks));
        }
        if self.expiry.is_none() {
            self.restart_timer();
        }
        self.stats.segments_sent += 1;
        self.stats.bytes_sent += len;
        self.fingerprint.event(now.as_ps(), seq);
        Some(Segment { seq, len: len as u32, ack: 0, sack: SackBlocks::default() })
    }

    /// When [`Sender::on_timer`] is to be called.
    pub fn next_deadline(&self) -> Option<Time> {
        if self.started { self.expiry.map(|tick| self.clock.instant(tick)) } else { Some(self.application.start) }
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

    /// What was counted.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }

    /// Hash over every acknowledgement received and every segment sent, with their times.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    fn on_new_ack(&mut self, now: Time, ack: u64) {
        if let Some((_, sent)) = self.timed.filter(|&(seq, _)| ack > seq) {
            self.rto.sample(self.ticks - sent);
            self.timed = None;
        }
        let hands = Hands { growth: &mut self.growth, window: &mut self.window };
        let meaning = self.recovery.on_new_ack(ack, &self.flight, hands);
        if meaning == NewAck::Grow {
            let ack = Ack { mss: self.flight.mss as f64, limit: self.flight.rwnd as f64 };
            self.growth.on_ack(&ack, &mut self.window);
            self.backoff = 0;
        }
        self.flight.una = ack;
        self.flight.nxt = self.flight.nxt.max(ack); // the receiver held more than was sent again
        self.dup_acks = 0;
        self.fast_retransmit = match meaning {
            NewAck::Partial { retransmit: true, .. } | NewAck::FastRetransmit => Some(ack),
            _ => None,
        };
        if meaning == NewAck::FastRetransmit {
            self.count_fast_retransmit();
        }
        if ack == self.flight.max {
            self.expiry = None;
        } else if !matches!(meaning, NewAck::Partial { restart_timer: false, .. }) {
            self.restart_timer();
        }
        if self.application.size == Some(ack) {
            self.stats.completed.get_or_insert(now);
        }
    }

    fn on_dup_ack(&mut self) {
        self.dup_acks += 1;
        let hands = Hands { growth: &mut self.growth, window: &mut self.window };
        if self.recovery.on_dup_ack(self.dup_acks, &self.flight, hands) == DupAck::FastRetransmit {
            self.fast_retransmit = Some(self.flight.una);
            self.count_fast_retransmit();
        }
    }

    fn on_timeout(&mut self, now: Time) {
        self.stats.timeouts.push(now);
        self.count_reduction();
        let loss = Loss { mss: self.flight.mss as f64, limit: self.flight.rwnd as f64 };
        self.growth.on_rto(&loss, &mut self.window);
        self.recovery.on_timeout(&self.flight);
        self.flight.nxt = self.flight.una;
        self.dup_acks = 0;
        self.fast_retransmit = None;
        self.timed = None;
        self.rto.back_off();
        self.expiry = None; // sending una starts it again
    }

    fn count_fast_retransmit(&mut self) {
        self.stats.fast_retransmits += 1;
        self.count_reduction();
    }

    fn count_reduction(&mut self) {
        self.backoff += 1;
        self.stats.longest_backoff = self.stats.longest_backoff.max(self.backoff);
    }

    fn next_by_recovery_or_window(&self) -> Option<u64> {
        match self.recovery.sending(&self.flight, &self.window) {
            Sending::Segment(seq) => Some(seq),
            Sending::Nothing => None,
            Sending::ByWindow => {
                let seq = self.flight.nxt;
                if !self.flight.offered(seq) {
                    return None;
                }
                let end = seq + self.flight.segment_len(seq) - self.flight.una;
                (end as f64 <= self.window.cwnd).then_some(seq)
            }
        }
    }

    fn restart_timer(&mut self) {
        self.expiry = Some(self.ticks + self.rto.ticks());
    }

    /// Every handler begins here: the ticks up to now are seen, and an application past its end offers no more.
    fn pass_time(&mut self, now: Time, ticks: u64) {
        self.ticks = self.ticks.max(ticks);
        if self.application.stop.is_some_and(|stop| now >= stop) {
            self.application.stop = None;
            self.flight.limit = self.flight.limit.min(self.flight.max);
        }
    }
}
