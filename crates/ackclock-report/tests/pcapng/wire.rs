//! A connection over a lossy path, captured at both ends: the state machines of the simulator, without its network.

use std::collections::VecDeque;

use ackclock::packet::Segment;
use ackclock::record::{Capture, Captured, DropReason, Loss};
use ackclock::tcp::recovery;
use ackclock::tcp::*;
use ackclock::units::{Rate, Span, Time};
use ackclock_report::captures::pcapng::{FlowMeta, Meta};

/// What one connection did, as told by its ends and as captured at its hosts.
pub struct Wire {
    pub sender: Sender,
    pub receiver: Receiver,
    pub meta: Meta,
    pub at_sender: Capture,
    pub at_receiver: Capture,
}

/// The parameters of these tests: a path of 40 ms, and a receiver with room for 60 segments.
pub fn params(recovery: RecoveryParams) -> TcpParams {
    TcpParams { recovery, mss: 1024, receive_window: 61_440, initial_ssthresh: Some(20_480), ..TcpParams::default() }
}

/// Those that go with every congestion control and wait for the timer.
pub fn every_recovery() -> Vec<(&'static str, RecoveryParams)> {
    let waits = |algorithm: &&recovery::Algorithm| !algorithm.needs.fine_timeouts && algorithm.name != "rack";
    recovery::ALL.iter().filter(waits).map(|algorithm| (algorithm.name, algorithm.with_defaults())).collect()
}

/// Single losses, three in a window, a long series, a whole window, and some acknowledgements.
pub fn losses(data: bool, frame: u32) -> bool {
    match data {
        true => matches!(frame, 40 | 90 | 93 | 95 | 150..=158 | 300..=322) || frame > 400 && frame.is_multiple_of(61),
        false => frame.is_multiple_of(17),
    }
}

/// A file of `size` bytes from the host `s1` to the host `d1`; `loses(data, frame)` says what the path loses.
pub fn transfer(params: &TcpParams, size: u64, loses: impl Fn(bool, u32) -> bool) -> Wire {
    let application = Transfer { start: Time::from_ps(123_456_789), stop: None, size: Some(size), application: None };
    let mut sender = Sender::new(params, application, TickClock::new(Span::from_ms(100), Span::ZERO));
    let mut receiver = Receiver::new(params);
    let mut data = Direction::new(true, &loses);
    let mut acks = Direction::new(false, &loses);
    loop {
        let deadlines = [sender.next_deadline(), receiver.next_deadline(), data.arrival(), acks.arrival()];
        let Some(now) = deadlines.into_iter().flatten().min() else { break };
        if data.arrival() == Some(now) {
            receiver.on_segment(now, data.arrive());
        } else if acks.arrival() == Some(now) {
            sender.on_segment(now, acks.arrive());
            acks.arrived.last_mut().unwrap().cwnd = Some(sender.window().cwnd);
        } else if sender.next_deadline() == Some(now) {
            sender.on_timer(now);
        } else {
            receiver.on_timer(now);
        }
        while let Some(segment) = sender.poll_segment(now) {
            data.send(now, segment, Some(sender.window().cwnd));
        }
        while let Some(segment) = receiver.poll_segment(now) {
            acks.send(now, segment, None);
        }
    }
    assert_eq!(receiver.delivered(), size, "the file arrives");
    let flow = FlowMeta {
        name: "f1".into(),
        sender: 1,
        receiver: 0,
        size: Some(size),
        mss: params.mss,
        window: params.advertised_window(),
        window_scale: params.window_scale,
        sack: params.uses_sack(),
    };
    let meta = Meta {
        scenario: "wire".into(),
        hash: "0123456789abcdef".into(),
        hosts: ["d1", "s1"].map(String::from).to_vec(),
        flows: vec![flow],
        udp: Vec::new(),
        real: None,
    };
    let at_sender = capture("s1", data.sent, acks.arrived);
    let at_receiver = capture("d1", acks.sent, data.arrived);
    Wire { sender, receiver, meta, at_sender, at_receiver }
}

fn capture(host: &str, sent: Vec<Captured>, arrived: Vec<Captured>) -> Capture {
    let mut packets = [sent, arrived].concat();
    packets.sort_by_key(|packet| (packet.time, packet.sent));
    Capture { host: host.into(), packets }
}

struct Direction<'a, F> {
    data: bool,
    loses: &'a F,
    frames: u32,
    free: Time,
    under_way: VecDeque<(Time, Captured)>,
    sent: Vec<Captured>,
    arrived: Vec<Captured>,
}

impl<F: Fn(bool, u32) -> bool> Direction<'_, F> {
    fn new(data: bool, loses: &F) -> Direction<'_, F> {
        let (under_way, sent, arrived) = Default::default();
        Direction { data, loses, frames: 0, free: Time::ZERO, under_way, sent, arrived }
    }

    fn send(&mut self, now: Time, segment: Segment, cwnd: Option<f64>) {
        let time = now.max(self.free);
        // 10.007 Mb/s, so that instants are no whole nanoseconds.
        let rate = Rate::from_bps(10_007_000).unwrap();
        self.free = time + rate.serialization(8 * u64::from(segment.ip_bytes()));
        let frame = self.frames;
        self.frames += 1;
        let lost = (self.loses)(self.data, frame).then(|| Loss {
            time: self.free,
            port: Some("sw1->sw2".into()),
            reason: Some(DropReason::Overflow),
            by_frame_before: false,
        });
        let packet = Captured { time, flow: 0, data: self.data, sent: true, frame, segment, cwnd, lost };
        if packet.lost.is_none() {
            let arrival = self.free + Span::from_ms(20);
            let arrived = Captured { time: arrival, sent: false, cwnd: None, ..packet.clone() };
            self.under_way.push_back((arrival, arrived));
        }
        self.sent.push(packet);
    }

    fn arrival(&self) -> Option<Time> {
        self.under_way.front().map(|(time, _)| *time)
    }

    fn arrive(&mut self) -> Segment {
        let (_, packet) = self.under_way.pop_front().expect("something under way");
        let segment = packet.segment;
        self.arrived.push(packet);
        segment
    }
}
