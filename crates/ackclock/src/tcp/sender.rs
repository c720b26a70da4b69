//! The sending end: window, timer, go-back-N. What a loss means is [`recovery`](super::recovery)'s, how the window
//! grows is [`cc`](super::cc)'s.
//! Sources: [SACK-UBR] §2 to §4; the timer of 4.3BSD-Reno, docs/models/retransmission-timer.md.

mod fast_path;
mod growing;
mod optional_state;
mod paced;
mod sending;

use optional_state::OptionalState;

use super::cc::{CongestionControl, CongestionControlState, Loss, Window};
use super::handshake::{ActiveEnd, Opened, RTO_AFTER_LOST_SYN};
use super::recovery::{Deadline, DupAck, Flight, NewAck, Recovery, RecoveryContext, RecoveryState, TimerAction};
use super::sack_ends::{SackReader, SackStats};
use super::timer::RetransmissionTimer;
use super::{HostQueue, InitialWindowFrom, TcpParams, TickClock, sack_option};
use crate::packet::{SackBlock, Segment, SegmentKind};
use crate::record::Fingerprint;
use crate::record::trace::TimerState;
use crate::rng::Stream;
use crate::units::{Span, Time};

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
#[derive(Debug)]
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
    congestion_control: CongestionControlState,
    recovery: RecoveryState,
    /// Whether recovery has a say in what is sent next.
    recovery_decides: bool,
    dup_acks: u32,
    /// Reductions of ssthresh since the window last grew.
    backoff: u32,
    /// The segment that recovery wants sent before anything else, or [`NONE`].
    fast_retransmit: u64,
    timer: RetransmissionTimer,
    /// The segment whose round trip is measured, by its first byte, or [`NONE`].
    timed: u64,
    /// When it was sent, as the timer remembers it.
    timed_at: u64,
    header_bytes: u16,
    /// Whether all segments are plain, and sent as soon as the window allows: from when what is special about the beginning
    /// is over, until a part of the handshake comes again.
    plain: bool,
    /// Whether there is nothing but the window to look at: most of the time of most senders.
    fast_path: bool,
    /// Whether the timer's samples come from timestamps.
    samples_by_timestamps: bool,
    host_queue: HostQueue,
    /// What only some senders have, if this one has any of it.
    extra: Option<Box<OptionalState>>,
    stats: SenderStats,
    fingerprint: Fingerprint,
}

/// Beyond every byte of a connection.
const NONE: u64 = u64::MAX;
/// What congestion controls draw random numbers for.
const TIES: &str = "throughput-ties";

impl Sender {
    /// A connection that is established and has sent nothing.
    pub fn new(params: &TcpParams, application: Application, clock: TickClock) -> Sender {
        let mss = u64::from(params.mss);
        let size = application.size.map_or(NONE, |bytes| bytes + params.empty_bytes());
        let extra = OptionalState::new(params);
        let window_at_start = match params.initial_window_from {
            InitialWindowFrom::Start => params.initial_window_segments,
            _ => 1,
        };
        let rwnd = params.advertised_window();
        Sender {
            started: false,
            stop: application.stop.unwrap_or(Time::NEVER),
            size,
            flight: Flight { una: 0, nxt: 0, max: 0, mss, rwnd, limit: size.saturating_add(u64::from(params.fin)) },
            window: Window {
                cwnd: f64::from(window_at_start) * f64::from(params.mss),
                ssthresh: params.initial_ssthresh.map_or(f64::INFINITY, |bytes| bytes as f64),
            },
            window_end: 0,
            congestion_control: params.congestion_control.start(Stream::new(0, "", TIES)),
            recovery: params.recovery.start(params.receiver_sack, mss),
            recovery_decides: false,
            dup_acks: 0,
            backoff: 0,
            fast_retransmit: NONE,
            timer: RetransmissionTimer::new(&params.timer, clock, application.start),
            timed: NONE,
            timed_at: 0,
            header_bytes: params.header_bytes,
            plain: extra.as_ref().is_none_or(|extra| extra.is_plain()),
            fast_path: false,
            samples_by_timestamps: params.timestamp_clock.is_some(),
            host_queue: params.host_queue,
            extra,
            stats: SenderStats::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Draws what is random in its congestion control for the connection called `name`.
    #[must_use]
    pub fn with_randomness(mut self, params: &TcpParams, seed: u64, name: &str) -> Sender {
        self.congestion_control = params.congestion_control.start(Stream::new(seed, name, TIES));
        self
    }

    /// A segment from the receiver: acknowledgements.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: Segment) {
        if self.extra.is_some() && !self.on_extra(now, &segment) {
            return;
        }
        if segment.sack.is_empty() {
            return self.on_ack(now, segment.ack, &[]);
        }
        self.on_sack(now, &segment);
    }

    /// The same of a segment with a SACK option.
    #[inline(never)]
    fn on_sack(&mut self, now: Time, segment: &Segment) {
        let (few, many);
        let blocks = match self.extra.as_mut().and_then(|extra| extra.sack.as_mut()) {
            Some(sack) => {
                many = sack.read(segment, self.flight.max);
                many.as_slice()
            }
            None => {
                few = sack_option::to_stream(&segment.sack, segment.ack).unwrap_or_default();
                few.as_slice()
            }
        };
        self.on_ack(now, segment.ack, blocks);
    }

    /// A segment to a sender that has more than others: whether it acknowledges data.
    #[inline(never)]
    fn on_extra(&mut self, now: Time, segment: &Segment) -> bool {
        self.timer.pass(now);
        let Some(extra) = self.extra.as_deref_mut() else { return true };
        extra.sampled = None;
        if let (Some(clock), Some(timestamps)) = (extra.clock, segment.timestamps) {
            extra.echo = timestamps.value;
            // RFC 7323 §4.1: of what acknowledges new data.
            if segment.ack > self.flight.una {
                let rtt = clock.since(now, timestamps.echo);
                self.timer.sample_span(rtt);
                extra.sampled = Some(rtt);
            }
        }
        let Some(end) = &mut extra.end else { return true };
        match segment.kind {
            SegmentKind::SynAck => {
                self.fingerprint.event(now.as_ps(), segment.kind as u64);
                if let Some(sack) = &mut extra.sack {
                    sack.on_syn_ack(segment);
                }
                let opened = end.on_syn_ack();
                self.plain = false;
                self.on_opened(now, opened);
                false
            }
            SegmentKind::FinAck => {
                end.on_fin();
                true
            }
            _ => true,
        }
    }

    fn on_opened(&mut self, now: Time, opened: Opened) {
        if let Opened::Now { syn_stamp } = opened {
            self.timer.stop();
            match syn_stamp {
                Some(stamp) => self.timer.sample(now, stamp),
                None => {
                    self.timer.at_least(RTO_AFTER_LOST_SYN);
                    self.window.cwnd = self.flight.mss as f64; // RFC 6928 §2
                }
            }
            self.stop_if_due(now);
        }
        self.update_send_state();
    }

    /// The same, given what the segment says.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, ack: u64, blocks: &[SackBlock]) {
        if !(blocks.is_empty() && self.on_ack_fast(now, ack)) {
            self.on_ack_in_full(now, ack, blocks);
        }
    }

    #[inline(never)]
    fn on_ack_in_full(&mut self, now: Time, ack: u64, blocks: &[SackBlock]) {
        self.pass_time(now);
        self.fingerprint.event(now.as_ps(), ack);
        assert!(ack <= self.flight.max, "{now}: byte {ack} acknowledged, but only {} sent", self.flight.max);
        if ack < self.flight.una {
            return; // an old one
        }
        if !self.plain {
            self.record_delivery(now, ack, blocks);
        }
        self.recovery.on_sack(now, ack, blocks, &self.flight);
        if ack > self.flight.una {
            self.on_new_ack(now, ack);
        } else if self.flight.max > self.flight.una {
            self.on_dup_ack(now);
        } else if self.plain {
            return;
        }
        self.update_send_state();
    }

    /// A deadline has come: the start, or a tick.
    pub fn on_timer(&mut self, now: Time) -> Expired {
        if !self.started {
            self.pass_time(now);
            self.started = now >= self.timer.wake();
            if self.started {
                self.timer.stop();
                if let Some(end) = self.end_mut() {
                    end.begin();
                }
                self.update_send_state();
            }
            return Expired::Nothing;
        }
        if !self.timer.expires(now) {
            if self.recovery.deadline() <= now {
                self.on_deadline_of_recovery(now);
            } else if self.pacer_mut().is_some() {
                self.pass_time(now); // to send
            }
            return Expired::Nothing;
        }
        if let Some(end) = self.end_mut().filter(|end| !end.is_open()) {
            end.on_timeout();
            self.timer.back_off();
            self.update_send_state();
            return Expired::Nothing;
        }
        self.stop_if_due(now);
        self.on_timeout(now);
        self.update_send_state();
        match self.host_queue {
            HostQueue::Discard => Expired::Retransmission,
            HostQueue::Keep => Expired::Nothing,
        }
    }

    /// Whether all segments are plain at present, with [`Sender::header_bytes`] and nothing beside.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Octets of the headers of a plain segment.
    #[inline]
    pub fn header_bytes(&self) -> u16 {
        self.header_bytes
    }

    /// When [`Sender::on_timer`] is to be called.
    pub fn next_deadline(&self) -> Option<Time> {
        Some(self.deadline()).filter(|&deadline| deadline < Time::NEVER)
    }

    /// The same, or never.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.timer.wake()
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
        self.timer.ticks()
    }

    /// The segment whose round trip is measured, by its first byte.
    pub fn timed(&self) -> Option<u64> {
        Some(self.timed).filter(|&seq| seq != NONE)
    }

    /// Where timestamps measure round trips: the sample that the timer took from the last segment, if it took one.
    pub fn sample_by_timestamps(&self) -> Option<Option<Span>> {
        self.samples_by_timestamps.then(|| self.extra.as_ref().and_then(|extra| extra.sampled))
    }

    /// What is recorded of the timer.
    pub fn timer_state(&self) -> TimerState {
        self.timer.state()
    }

    /// What was counted.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }

    /// What was counted of selective acknowledgements, if they are more than blocks of RFC 2018.
    pub fn sack_stats(&self) -> SackStats {
        self.extra.as_ref().and_then(|extra| extra.sack.as_ref()).map(SackReader::stats).unwrap_or_default()
    }

    /// When the retransmission timer expired.
    pub fn timeouts(&self) -> Vec<Time> {
        self.timer.expirations()
    }

    /// Hash over every acknowledgement received and every segment sent, with their times.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    #[inline(never)]
    fn on_new_ack(&mut self, now: Time, ack: u64) {
        if ack > self.timed {
            if !self.samples_by_timestamps {
                self.timer.sample(now, self.timed_at);
            }
            self.timed = NONE;
        }
        let meaning =
            if self.extra.is_none() { self.grow_or_recover(now, ack) } else { self.measure_and_grow(now, ack) };
        self.flight.una = ack;
        self.flight.nxt = self.flight.nxt.max(ack); // the receiver held more than was sent again
        self.dup_acks = 0;
        self.fast_retransmit = NONE;
        let timer = if meaning == NewAck::Grow { TimerAction::Restart } else { self.on_loss_known(ack, meaning) };
        if ack == self.flight.max {
            self.timer.stop();
        } else if timer == TimerAction::Restart {
            self.timer.start(now);
        }
        if ack >= self.size {
            self.stats.completed.get_or_insert(now);
        }
    }

    /// New data is acknowledged, and recovery makes more of it than that the window grows; returns what becomes of the timer.
    #[inline(never)]
    fn on_loss_known(&mut self, ack: u64, meaning: NewAck) -> TimerAction {
        self.fast_retransmit = match meaning {
            NewAck::Partial { retransmit: true, .. } | NewAck::FastRetransmit | NewAck::GrowAndRetransmit => ack,
            _ => NONE,
        };
        if meaning == NewAck::FastRetransmit {
            self.count_fast_retransmit();
        }
        let runs_on = matches!(meaning, NewAck::Partial { restart_timer: false, .. });
        if runs_on { TimerAction::Leave } else { TimerAction::Restart }
    }

    #[inline(never)]
    fn on_dup_ack(&mut self, now: Time) {
        self.dup_acks += 1;
        let times = self.extra.as_ref().and_then(|extra| extra.times.as_ref());
        let context = RecoveryContext {
            congestion_control: &mut self.congestion_control,
            window: &mut self.window,
            now,
            times,
            rtt: None,
        };
        if self.recovery.on_dup_ack(self.dup_acks, &self.flight, context) == DupAck::FastRetransmit {
            self.fast_retransmit = self.flight.una;
            self.count_fast_retransmit();
            match self.recovery.timer_at_fast_retransmit() {
                TimerAction::Leave => {}
                TimerAction::Restart => self.timer.start(now),
                TimerAction::BackOff => {
                    self.timer.back_off();
                    self.timer.start(now);
                }
            }
        }
    }

    #[inline(never)]
    fn on_deadline_of_recovery(&mut self, now: Time) {
        self.pass_time(now);
        let context = RecoveryContext {
            congestion_control: &mut self.congestion_control,
            window: &mut self.window,
            now,
            times: None,
            rtt: None,
        };
        match self.recovery.on_deadline(&self.flight, context) {
            Deadline::Noted => {}
            Deadline::FastRetransmit => {
                self.fast_retransmit = self.flight.una;
                self.count_fast_retransmit();
            }
            Deadline::Probe => self.timer.start(now),
        }
        self.pacer_on_losses(now);
        self.update_send_state();
    }

    fn on_timeout(&mut self, now: Time) {
        self.count_reduction();
        self.pacer_on_timeout(now);
        let loss = Loss::of(self.flight.mss as f64, self.flight.rwnd as f64);
        self.congestion_control.on_rto(&loss, &mut self.window);
        let context = RecoveryContext {
            congestion_control: &mut self.congestion_control,
            window: &mut self.window,
            now,
            times: None,
            rtt: None,
        };
        self.recovery.on_timeout(&self.flight, context);
        self.flight.nxt = self.flight.una;
        self.dup_acks = 0;
        self.fast_retransmit = NONE;
        self.timed = NONE;
        self.timer.back_off(); // sending una starts it again
    }

    fn count_fast_retransmit(&mut self) {
        self.stats.fast_retransmits += 1;
        self.count_reduction();
    }

    fn count_reduction(&mut self) {
        self.backoff += 1;
        self.stats.longest_backoff = self.stats.longest_backoff.max(self.backoff);
    }

    fn end(&self) -> Option<&ActiveEnd> {
        self.extra.as_ref().and_then(|extra| extra.end.as_ref())
    }

    fn end_mut(&mut self) -> Option<&mut ActiveEnd> {
        self.extra.as_mut().and_then(|extra| extra.end.as_mut())
    }

    /// Every handler begins here: the ticks up to now are seen, and an application past its end offers no more.
    #[inline]
    fn pass_time(&mut self, now: Time) {
        self.timer.pass(now);
        self.stop_if_due(now);
    }

    #[inline]
    fn stop_if_due(&mut self, now: Time) {
        if now >= self.stop {
            self.stop = Time::NEVER;
            let fin = u64::from(self.extra.as_ref().is_some_and(|extra| extra.fin));
            self.flight.limit = self.flight.limit.min(self.flight.max + fin);
        }
    }
}
