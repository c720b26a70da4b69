//! A sender and a receiver joined by a path without bandwidth limit: fixed delay, chosen losses, and a protocol of
//! what happened.

#![allow(dead_code)] // each test program uses its part

use std::collections::{BTreeMap, VecDeque};

use ackclock::packet::{Segment, SegmentKind};
use ackclock::tcp::recovery;
pub use ackclock::tcp::recovery::{FallFloydParams, NewRenoParams, RecoveryParams, Rfc6675Params};
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

pub const MSS: u64 = 512;

/// The OSU parameters, with a window of `window` segments from the start and congestion avoidance at once.
pub fn params(recovery: RecoveryParams, window: u32) -> TcpParams {
    TcpParams {
        recovery,
        initial_window_segments: window,
        initial_ssthresh: Some(u64::from(window) * MSS),
        ..TcpParams::default()
    }
}

pub fn new_reno() -> RecoveryParams {
    RecoveryParams::NewReno(NewRenoParams::default())
}

pub fn fall_floyd() -> RecoveryParams {
    RecoveryParams::FallFloyd(FallFloydParams::default())
}

pub fn rfc6675() -> RecoveryParams {
    RecoveryParams::Rfc6675(Rfc6675Params::default())
}

/// Those that go with every congestion control and wait for the timer: RACK probes before it.
pub fn every_recovery() -> Vec<(&'static str, RecoveryParams)> {
    let waits = |algorithm: &&recovery::Algorithm| !algorithm.needs.fine_timeouts && algorithm.name != "rack";
    recovery::ALL.iter().filter(waits).map(|algorithm| (algorithm.name, algorithm.with_defaults())).collect()
}

pub fn clock() -> TickClock {
    TickClock::new(Span::from_ms(100), Span::ZERO)
}

pub const GREEDY: Transfer = Transfer { start: Time::ZERO, stop: None, size: None, application: None };

/// One transmission of a data segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    pub time: Time,
    pub number: u64,
    /// Which transmission of it, from 1.
    pub transmission: u32,
    pub lost: bool,
}

/// The two ends and the path.
pub struct Pair<F: FnMut(u64, u32) -> bool> {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    one_way: Span,
    loses: F,
    to_receiver: VecDeque<(Time, Segment)>,
    to_sender: VecDeque<(Time, Segment)>,
    /// Every transmission so far.
    pub sent: Vec<Sent>,
    /// Every value of ssthresh, in segments, in the order they were set.
    pub ssthresh: Vec<f64>,
    /// cwnd in segments after each event.
    pub cwnd: Vec<(Time, f64)>,
    /// Segments without sequence numbers that are lost: kind, and which of its kind, from 1.
    pub lost_kinds: Vec<(SegmentKind, usize)>,
    /// Which of the receiver's segments are lost, counted from 0.
    pub lost_answers: Vec<usize>,
    /// All segments of the receiver so far.
    pub answers: Vec<Segment>,
    /// All segments that are not plain data or acknowledgements, of both ends.
    pub kinds: Vec<(Time, SegmentKind)>,
    /// What has reached the receiver: first byte and first byte after it, of each segment once.
    pub arrived: BTreeMap<u64, u64>,
}

impl<F: FnMut(u64, u32) -> bool> Pair<F> {
    /// `loses(number, transmission)` says which transmissions of which segments are lost.
    pub fn new(params: &TcpParams, transfer: Transfer, one_way: Span, loses: F) -> Self {
        let sender = Sender::new(params, transfer, clock());
        Pair {
            sender,
            receiver: Receiver::new(params),
            now: Time::ZERO,
            one_way,
            loses,
            to_receiver: VecDeque::new(),
            to_sender: VecDeque::new(),
            sent: Vec::new(),
            ssthresh: Vec::new(),
            cwnd: Vec::new(),
            lost_kinds: Vec::new(),
            lost_answers: Vec::new(),
            answers: Vec::new(),
            kinds: Vec::new(),
            arrived: BTreeMap::new(),
        }
    }

    /// Runs while events are before `until` and `goes_on` says so.
    pub fn run_while(&mut self, until: Time, goes_on: impl Fn(&Self) -> bool) {
        while goes_on(self) {
            let arrival = |queue: &VecDeque<(Time, Segment)>| queue.front().map_or(Time::NEVER, |&(time, _)| time);
            let (data, ack) = (arrival(&self.to_receiver), arrival(&self.to_sender));
            let timer = self.sender.next_deadline().unwrap_or(Time::NEVER);
            let ack_timer = self.receiver.next_deadline().unwrap_or(Time::NEVER);
            let next = data.min(ack).min(timer).min(ack_timer);
            if next >= until {
                self.now = until;
                return;
            }
            assert!(next >= self.now, "time went back");
            self.now = next;
            if data == next {
                let (_, segment) = self.to_receiver.pop_front().unwrap();
                self.receiver.on_segment(self.now, segment);
                if segment.len > 0 {
                    self.arrived.insert(segment.seq, segment.seq + u64::from(segment.payload()));
                }
            } else if ack == next {
                let (_, segment) = self.to_sender.pop_front().unwrap();
                self.sender.on_segment(self.now, segment);
            } else if timer == next {
                self.sender.on_timer(self.now);
            } else {
                self.receiver.on_timer(self.now);
            }
            self.exchange();
        }
    }

    pub fn run(&mut self, until: Time) {
        self.run_while(until, |_| true);
    }

    /// The first byte that has never reached the receiver.
    pub fn first_not_arrived(&self) -> u64 {
        let reached = |next, (&start, &end): (&u64, &u64)| if start <= next { Ok(end.max(next)) } else { Err(next) };
        self.arrived.iter().try_fold(0, reached).unwrap_or_else(|next| next)
    }

    /// When segment `number` was sent for the `transmission`th time.
    pub fn time_of(&self, number: u64, transmission: u32) -> Option<Time> {
        let same = |sent: &&Sent| sent.number == number && sent.transmission == transmission;
        self.sent.iter().find(same).map(|sent| sent.time)
    }

    /// The numbers of all segments sent again, in order.
    pub fn retransmitted(&self) -> Vec<u64> {
        self.sent.iter().filter(|sent| sent.transmission > 1).map(|sent| sent.number).collect()
    }

    fn exchange(&mut self) {
        let window = self.sender.window();
        if self.ssthresh.last() != Some(&(window.ssthresh / MSS as f64)) {
            self.ssthresh.push(window.ssthresh / MSS as f64);
        }
        self.cwnd.push((self.now, window.cwnd / MSS as f64));
        while let Some(segment) = self.sender.poll_segment(self.now) {
            if segment.len == 0 {
                if !self.is_lost_by_kind(segment.kind) {
                    self.to_receiver.push_back((self.now + self.one_way, segment));
                }
                continue;
            }
            if segment.kind == SegmentKind::Fin {
                self.kinds.push((self.now, segment.kind));
            }
            let number = segment.seq / MSS;
            let transmission = 1 + self.sent.iter().filter(|sent| sent.number == number).count() as u32;
            let lost = (self.loses)(number, transmission);
            self.sent.push(Sent { time: self.now, number, transmission, lost });
            if !lost {
                self.to_receiver.push_back((self.now + self.one_way, segment));
            }
        }
        while let Some(segment) = self.receiver.poll_segment(self.now) {
            let is_lost = self.lost_answers.contains(&self.answers.len());
            self.answers.push(segment);
            let is_lost = segment.kind != SegmentKind::Data && self.is_lost_by_kind(segment.kind) || is_lost;
            if !is_lost {
                self.to_sender.push_back((self.now + self.one_way, segment));
            }
        }
    }

    fn is_lost_by_kind(&mut self, kind: SegmentKind) -> bool {
        self.kinds.push((self.now, kind));
        let number = self.kinds.iter().filter(|&&(_, of)| of == kind).count();
        self.lost_kinds.contains(&(kind, number))
    }
}
