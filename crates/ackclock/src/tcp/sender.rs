//! The sending end: window, timer, go-back-N. What a loss means is [`recovery`](super::recovery)'s, how the window
//! grows is [`cc`](super::cc)'s.
//! Sources: [SACK-UBR] §2 to §4; the timer of 4.3BSD-Reno, docs/models/retransmission-timer.md.

mod acknowledged;
mod fast_path;
mod growing;
mod held;
mod limit_times;
mod limits;
mod optional_state;
mod paced;
mod restart;
mod sending;
mod served;
mod steering;
mod timeouts;
mod window_use;
mod writing;

pub use steering::{Repair, Standing};

use limit_times::Limits;
use optional_state::OptionalState;

use super::application::{Application, Offered};
use super::cc::{CongestionControlState, Window};
use super::handshake::ActiveEnd;
use super::recovery::{Flight, Recovery, RecoveryContext, RecoveryState};
use super::sack::sack_ends::{SackReader, SackStats};
use super::timer::RetransmissionTimer;
use super::{HostModel, HostQueue, InitialWindowFrom, TcpParams, TickClock, WindowRules};
use crate::record::Fingerprint;
use crate::record::trace::TimerState;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The data of a connection.
#[derive(Debug)]
pub struct Transfer {
    /// When the application begins to send.
    pub start: Time,
    /// When it offers nothing new any more.
    pub stop: Option<Time>,
    /// Bytes in all; `None` is infinite.
    pub size: Option<u64>,
    /// The application that offers them; `None`: all at once.
    pub application: Option<Box<dyn Application>>,
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
    /// Segments sent again. (That the host dropped the first copy at a timeout makes no difference to TCP.)
    pub retransmissions: u64,
    /// Recoveries entered.
    pub fast_retransmits: u64,
    /// Reductions of ssthresh with no growth of the window between them: the longest series.
    pub longest_backoff: u32,
    /// Reductions of the window because of marks.
    pub ecn_reductions: u64,
    /// Reductions of the window that were spurious, and undone.
    pub undone_reductions: u64,
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
    /// When its application offers more of them; never if all are offered, or no more will be.
    next_write: Time,
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
    window_rules: WindowRules,
    /// The segment that timed out last, by its first byte, or [`NONE`].
    timed_out: u64,
    /// The segment whose round trip is measured, by its first byte, or [`NONE`].
    timed: u64,
    /// When it was sent, as the timer remembers it.
    timed_at: u64,
    header_bytes: u16,
    /// Whether all segments are plain, and sent as soon as the window allows: from when what is special about the beginning
    /// is over, until a part of the handshake comes again.
    plain: bool,
    /// Whether the window alone decides what is sent: most of the time of most senders.
    fast_path: bool,
    /// Whether the timer's samples come from timestamps.
    samples_by_timestamps: bool,
    host_queue: HostQueue,
    /// What only some senders have, if this one has any of it.
    extra: Option<Box<OptionalState>>,
    stats: SenderStats,
    limits: Limits,
    fingerprint: Fingerprint,
}

/// Beyond every byte of a connection.
const NONE: u64 = u64::MAX;
/// What congestion controls draw random numbers for.
const TIES: &str = "throughput-ties";
/// What recoveries draw them for.
const RECOVERY: &str = "recovery";

impl Sender {
    /// A connection that is established and has sent nothing.
    pub fn new(params: &TcpParams, transfer: Transfer, clock: TickClock) -> Sender {
        let mss = u64::from(params.mss);
        let size = transfer.size.map_or(NONE, |bytes| bytes + params.empty_bytes());
        let written = match transfer.application {
            Some(_) => params.empty_bytes(),
            None => size.saturating_add(u64::from(params.fin)),
        };
        let offered = transfer.application.map(|application| Offered::new(application, params.empty_bytes()));
        let extra = OptionalState::new(params, offered);
        let window_at_start = match params.initial_window_from {
            InitialWindowFrom::Start => params.initial_window_segments,
            _ => 1,
        };
        let rwnd = params.advertised_window();
        Sender {
            started: false,
            stop: transfer.stop.unwrap_or(Time::NEVER),
            size,
            next_write: Time::NEVER,
            flight: Flight { una: 0, nxt: 0, max: 0, mss, rwnd, advertised: rwnd, limit: written },
            window: Window {
                cwnd: f64::from(window_at_start) * f64::from(params.mss),
                ssthresh: params.initial_ssthresh.map_or(f64::INFINITY, |bytes| bytes as f64),
            },
            window_end: 0,
            congestion_control: params.congestion_control.start(Stream::new(0, "", TIES)),
            recovery: params.recovery.start(params.receiver_sack, mss, Stream::new(0, "", RECOVERY)),
            recovery_decides: false,
            dup_acks: 0,
            backoff: 0,
            fast_retransmit: NONE,
            timer: RetransmissionTimer::new(&params.timer, clock, transfer.start),
            window_rules: params.window_rules,
            timed_out: NONE,
            timed: NONE,
            timed_at: 0,
            header_bytes: params.header_bytes,
            plain: extra.as_ref().is_none_or(|extra| extra.is_plain()),
            fast_path: false,
            samples_by_timestamps: params.timestamp_clock.is_some(),
            host_queue: params.host_queue,
            extra,
            stats: SenderStats::default(),
            limits: Limits::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Draws what is random in its congestion control, its recovery and its host for the connection called `name`.
    #[must_use]
    pub fn with_randomness(mut self, params: &TcpParams, seed: u64, name: &str) -> Sender {
        self.congestion_control = params.congestion_control.start(Stream::new(seed, name, TIES));
        if params.recovery.is_random() {
            let draws = Stream::new(seed, name, RECOVERY);
            self.recovery = params.recovery.start(params.receiver_sack, self.flight.mss, draws);
        }
        if let (HostModel::Served(served), Some(extra)) = (&params.host, &mut self.extra) {
            extra.server = Some(Box::new(served.segments(seed, name)));
        }
        self
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

    /// When [`Sender::on_timer`] is to be called; [`Time::NEVER`] if it is not.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.timer.wake().min(self.next_write)
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

    /// Where acknowledgements measure round trips, by their timestamps or of every segment: the sample that the timer took from the
    /// last segment of the receiver, if it took one.
    pub fn sample_of_acknowledgement(&self) -> Option<Option<Span>> {
        let extra = self.extra.as_ref()?;
        (self.samples_by_timestamps || extra.samples_every).then_some(extra.sampled)
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

    /// What the windows allow to be outstanding, the receiver's and that of congestion control, in bytes.
    pub fn usable_window(&self) -> u64 {
        self.flight.rwnd.min(u64::from(self.window.cwnd as u32))
    }

    /// Calls recovery, with all that it may read and change.
    #[inline(always)]
    fn ask_recovery<R>(
        &mut self,
        now: Time,
        rtt: Option<Span>,
        ask: impl FnOnce(&mut RecoveryState, &Flight, RecoveryContext<'_>) -> R,
    ) -> R {
        let in_use = self.in_use(now);
        let context = RecoveryContext {
            congestion_control: &mut self.congestion_control,
            window: &mut self.window,
            now,
            times: self.extra.as_ref().and_then(|extra| extra.times.as_ref()),
            rtt,
            ssthresh_from: self.window_rules.ssthresh_from,
            in_use,
            is_answered: self.extra.as_ref().is_some_and(|extra| extra.has_answered(self.flight.una)),
        };
        ask(&mut self.recovery, &self.flight, context)
    }

    fn count_fast_retransmit(&mut self) {
        self.stats.fast_retransmits += 1;
        self.count_reduction();
    }

    fn count_reduction(&mut self) {
        let max = self.flight.max;
        if let Some(extra) = self.extra.as_deref_mut() {
            if let Some(ecn) = &mut extra.ecn {
                ecn.on_loss(max);
            }
            if let Some(validation) = &mut extra.validation {
                validation.on_congestion();
            }
        }
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
        self.account(now);
        self.timer.pass(now);
        self.stop_if_due(now);
    }

    #[inline]
    fn stop_if_due(&mut self, now: Time) {
        if now >= self.stop {
            self.stop_offering();
        }
    }

    /// The application offers nothing new any more. It is freed here and not where every acknowledgement asks for the time: there it
    /// costs 8 % of all that hosts do in `bench/p`.
    #[cold]
    #[inline(never)]
    fn stop_offering(&mut self) {
        (self.stop, self.next_write) = (Time::NEVER, Time::NEVER);
        let fin = u64::from(self.extra.as_ref().is_some_and(|extra| extra.fin));
        self.flight.limit = self.end_of_stream().min(self.flight.max + fin);
        if let Some(extra) = &mut self.extra {
            extra.offered = None;
        }
    }
}
