//! Requests and responses on one connection: the client sends a request, the server answers when that is there in full, and after a time to
//! think the client sends the next. So one exchange is under way, or several, which the server answers in their order.
//! Source: docs/models/application-exchanges.md.   Units: bytes of payload; places are numbers of a stream, see [`Messages`].

use std::collections::VecDeque;

use super::{Application, Mechanism};
use crate::keys::{Default, HOUR, Key, Kind, Misfit, Value, Values};
use crate::law::Law;
use crate::record::{Delays, ExchangesRecord};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// Exchanges of requests and responses.
#[derive(Clone, Copy, Debug)]
pub struct Exchanges;

/// How many exchanges there are, how large, and how far apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ExchangesParams {
    /// How many exchanges there are; `None`: without end.
    pub count: Option<u64>,
    /// The sizes of requests, bytes.
    pub request: Law,
    /// The sizes of responses, bytes.
    pub response: Law,
    /// From when a response is there to the next request.
    pub think: Law,
    /// How many exchanges are under way at once, or wait for the client to think.
    pub outstanding: u64,
}

impl Mechanism for Exchanges {
    const NAME: &'static str = "exchanges";
    const ABOUT: &'static str = "Requests and responses on one connection, with data in both directions.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("count", Kind::Or(&Kind::Integer(1, 1_000_000_000), &["endless"]), Default::Is(Value::Integer(1)), "Ackclock",
            "Number of exchanges, one after the other; \"endless\": as many as the run has time for."),
        Key::new("request", Kind::Law(&SIZE), Default::Is(Value::bytes(328)), "literature: mean request of web models",
            "Size of each request, which the client sends: a size, or a law of sizes."),
        Key::new("response", Kind::Law(&SIZE), Default::Is(Value::bytes(10_000)), "Ackclock",
            "Size of each response, which the server sends when the request is there in full: a size, or a law of sizes."),
        Key::new("think", Kind::Law(&THINK), Default::Is(Value::time(Span::ZERO)), "Ackclock",
            "Time from when a response is there in full to the next request: a time, or a law of times."),
        Key::new("outstanding", Kind::Integer(1, 10_000), Default::Is(Value::Integer(1)), "Ackclock",
            "How many requests may be without their response at once: with more than one data goes in both directions at the same time (pipelining)."),
    ];
    type Params = ExchangesParams;

    fn params(values: &Values, _mss: u32) -> Result<ExchangesParams, Misfit> {
        let law = |key| Law::read(values.setting(key));
        let count = match values.value("count") {
            Value::Integer(0) => {
                let problem = "there are no exchanges: `count` is 0".to_owned();
                return Err(Misfit { keys: &["count"], problem, expected: "1 or more" });
            }
            Value::Integer(count) => Some(count),
            _ => None,
        };
        let [request, response, think] = [law("request")?, law("response")?, law("think")?];
        let Value::Integer(outstanding) = values.value("outstanding") else { unreachable!("it is a whole number") };
        Ok(ExchangesParams { count, request, response, think, outstanding: outstanding.max(1) })
    }

    /// It offers nothing by itself: what it sends depends on what comes, see [`Session`].
    fn start(_params: &ExchangesParams, _draws: Stream) -> Option<Box<dyn Application>> {
        None
    }

    fn is_random(params: &ExchangesParams) -> bool {
        params.request.is_random() || params.response.is_random() || params.think.is_random()
    }

    fn offered_in(_params: &ExchangesParams, _time: Span) -> f64 {
        f64::INFINITY
    }
}

const SIZE: Kind = Kind::bytes(1, 1_000_000_000_000);
const THINK: Kind = Kind::time(Span::ZERO, HOUR);

/// The messages of one direction, in the numbers of its stream. Each begins with a segment of its own, so its last segment is as long
/// as what is left of it: segments are known by their places, and each takes the numbers of a full one.
#[derive(Clone, Debug)]
pub struct Messages {
    mss: u64,
    /// Where the next message begins.
    end: u64,
    /// The number behind the last segment of each message, and how many numbers stood for nothing up to there. Those that are
    /// acknowledged are forgotten, but for the last.
    ends: VecDeque<(u64, u64)>,
    unfilled: u64,
    /// Bytes of all messages.
    bytes: u64,
    /// Whether those that are acknowledged are kept.
    keeps: bool,
}

impl Messages {
    /// None yet, of a stream with segments of so many bytes.
    fn new(mss: u32, keeps: bool) -> Messages {
        Messages { mss: mss.into(), end: 0, ends: VecDeque::new(), unfilled: 0, bytes: 0, keeps }
    }

    /// Another message of so many bytes; returns the number behind it.
    fn add(&mut self, bytes: u64) -> u64 {
        let numbers = bytes.div_ceil(self.mss) * self.mss;
        self.end += numbers;
        self.unfilled += numbers - bytes;
        self.bytes += bytes;
        self.ends.push_back((self.end, self.unfilled));
        self.end
    }

    /// How many numbers before `place` stand for nothing.
    pub fn unfilled_before(&self, place: u64) -> u64 {
        let passed = self.ends.partition_point(|&(end, _)| end <= place);
        passed.checked_sub(1).map_or(0, |last| self.ends[last].1)
    }

    /// How many of the numbers `start..end` of a segment stand for nothing.
    pub fn unfilled_in(&self, start: u64, end: u64) -> u32 {
        (self.unfilled_before(end) - self.unfilled_before(start)) as u32
    }

    /// Everything before `una` is acknowledged.
    pub fn forget(&mut self, una: u64) {
        while !self.keeps && self.ends.get(1).is_some_and(|&(end, _)| end <= una) {
            self.ends.pop_front();
        }
    }
}

/// What an end of a session does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It sends a message that ends at this number of its stream.
    Send(u64),
    /// The client thinks until then.
    Think(Time),
    /// The session is over.
    Close,
}

/// A session: the state of the exchanges on one connection, at both ends.
#[derive(Clone, Debug)]
pub struct Session {
    params: ExchangesParams,
    /// Of requests, of responses, of times to think.
    draws: [Stream; 3],
    /// What the client sends.
    pub requests: Messages,
    /// What the server sends.
    pub responses: Messages,
    /// Requests sent, responses begun, and exchanges that are complete.
    asked: u64,
    answered: u64,
    completed: u64,
    /// When the client sends its next requests, in order.
    due: VecDeque<Time>,
    /// Requests without a response, and responses that are not there in full: the number behind each, and when the request was sent.
    unanswered: VecDeque<(u64, Time)>,
    incomplete: VecDeque<(u64, Time)>,
    /// When the last response of all was there.
    closed: Option<Time>,
    times: Delays,
}

impl Session {
    /// A session before its first request, of the flow called `name`, under a seed, in segments of `mss` bytes. It `keeps` what it knows
    /// of messages that are acknowledged, or not. Exchanges count that end from `since` on.
    pub fn new(params: &ExchangesParams, (mss, keeps): (u32, bool), (seed, name): (u64, &str), since: Time) -> Session {
        let at_first = params.count.map_or(params.outstanding, |count| count.min(params.outstanding));
        Session {
            params: params.clone(),
            draws: ["requests", "responses", "think"].map(|purpose| Stream::new(seed, name, purpose)),
            requests: Messages::new(mss, keeps),
            responses: Messages::new(mss, keeps),
            asked: 0,
            answered: 0,
            completed: 0,
            due: (0..at_first).map(|_| Time::ZERO).collect(),
            unanswered: VecDeque::new(),
            incomplete: VecDeque::new(),
            closed: None,
            times: Delays::new(since),
        }
    }

    /// The client may send now: it began, has thought, or has sent another request at this instant. To be asked until it says nothing or
    /// thinks.
    pub fn on_client_ready(&mut self, now: Time) -> Option<Next> {
        let at = *self.due.front()?;
        if at > now {
            return Some(Next::Think(at));
        }
        self.due.pop_front();
        let size = self.params.request.bytes(self.draws[0], self.asked);
        self.asked += 1;
        let end = self.requests.add(size);
        self.unanswered.push_back((end, now));
        Some(Next::Send(end))
    }

    /// Everything before `nxt` is at the server: it answers the requests that are there in full.
    pub fn on_delivered_to_server(&mut self, nxt: u64) -> Option<Next> {
        let mut next = None;
        while let Some(asked_at) = take_until(&mut self.unanswered, nxt) {
            let size = self.params.response.bytes(self.draws[1], self.answered);
            self.answered += 1;
            let end = self.responses.add(size);
            self.incomplete.push_back((end, asked_at));
            next = Some(Next::Send(end));
        }
        next
    }

    /// Everything before `nxt` is at the client: the exchanges are complete whose responses are among it. If there are any, what the client
    /// does next, as of [`Session::on_client_ready`].
    pub fn on_delivered_to_client(&mut self, now: Time, nxt: u64) -> Option<Next> {
        let before = self.completed;
        while let Some(asked_at) = take_until(&mut self.incomplete, nxt) {
            self.completed += 1;
            self.times.add(now, now.since(asked_at));
            if self.params.count.is_none_or(|count| self.asked + (self.due.len() as u64) < count) {
                let at = now + self.params.think.span(self.draws[2], self.completed - 1);
                self.due.insert(self.due.partition_point(|&due| due <= at), at);
            }
        }
        if self.completed == before {
            return None;
        }
        if self.params.count == Some(self.completed) {
            self.closed = Some(now);
            return Some(Next::Close);
        }
        self.on_client_ready(now)
    }

    /// When the last response was there; `None` while it is not.
    pub fn closed(&self) -> Option<Time> {
        self.closed
    }

    /// Requests and responses of a session until now.
    pub fn record(&self) -> ExchangesRecord {
        ExchangesRecord {
            requests: self.asked,
            completed: self.completed,
            request_bytes: self.requests.bytes,
            response_bytes: self.responses.bytes,
            times: self.times.histogram().clone(),
        }
    }
}

/// The first of the messages, if it ends at `nxt` or before: when its request was sent. It is taken out.
fn take_until(messages: &mut VecDeque<(u64, Time)>, nxt: u64) -> Option<Time> {
    messages.front().filter(|&&(end, _)| end <= nxt)?;
    messages.pop_front().map(|(_, asked_at)| asked_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms as at;

    fn params(count: u64, think: f64) -> ExchangesParams {
        let [request, response] = [1500.0, 2500.0].map(Law::Constant);
        ExchangesParams { count: Some(count), request, response, think: Law::Constant(think * 1e9), outstanding: 1 }
    }

    /// Requests of 1500 bytes and responses of 2500, in segments of 1000: two segments, and three.
    #[test]
    fn a_request_is_answered_when_it_is_there_and_followed_after_a_time_to_think() {
        let mut session = Session::new(&params(2, 50.0), (1000, false), (1, "f"), Time::ZERO);
        assert_eq!(session.on_delivered_to_server(0), None);
        assert_eq!(session.on_client_ready(at(10)), Some(Next::Send(2000)));
        assert_eq!((session.on_client_ready(at(11)), session.on_delivered_to_client(at(11), 0)), (None, None));
        assert_eq!(session.on_delivered_to_server(1000), None, "half of it");
        assert_eq!(session.on_delivered_to_server(2000), Some(Next::Send(3000)));
        assert_eq!((session.on_delivered_to_server(2000), session.on_delivered_to_client(at(20), 2000)), (None, None));
        assert_eq!(session.on_delivered_to_client(at(30), 3000), Some(Next::Think(at(80))));
        assert_eq!(session.on_client_ready(at(80)), Some(Next::Send(4000)));
        assert_eq!(session.on_delivered_to_server(4000), Some(Next::Send(6000)));
        assert_eq!(session.on_delivered_to_client(at(95), 6000), Some(Next::Close));
        assert_eq!((session.on_client_ready(at(99)), session.closed()), (None, Some(at(95))));
        let record = session.record();
        assert_eq!(
            (record.requests, record.completed, record.request_bytes, record.response_bytes),
            (2, 2, 3000, 5000)
        );
        assert_eq!([record.times.min(), record.times.max()], [Some(Span::from_ms(15)), Some(Span::from_ms(20))]);
    }

    #[test]
    fn without_a_time_to_think_the_next_request_follows_at_once() {
        let mut session = Session::new(&params(2, 0.0), (1000, false), (1, "f"), Time::ZERO);
        session.on_client_ready(at(0));
        session.on_delivered_to_server(2000);
        assert_eq!(session.on_delivered_to_client(at(9), 3000), Some(Next::Send(4000)));
    }

    /// Of four exchanges three are under way at once: the first three requests go together, and the fourth when the client has thought after the
    /// first response. An acknowledgement of two responses completes two exchanges.
    #[test]
    fn several_exchanges_are_under_way_at_once() {
        let params = ExchangesParams { outstanding: 3, ..params(4, 50.0) };
        let mut session = Session::new(&params, (1000, false), (1, "f"), Time::ZERO);
        let sent: Vec<_> = std::iter::from_fn(|| session.on_client_ready(at(10))).collect();
        assert_eq!(sent, [2000, 4000, 6000].map(Next::Send));
        assert_eq!(session.on_delivered_to_server(1000), None);
        assert_eq!(session.on_delivered_to_server(4000), Some(Next::Send(6000)), "two of them");
        assert_eq!(session.on_delivered_to_client(at(30), 3000), Some(Next::Think(at(80))));
        assert_eq!(session.on_delivered_to_server(6000), Some(Next::Send(9000)));
        assert_eq!(session.on_client_ready(at(80)), Some(Next::Send(8000)));
        assert_eq!(session.on_client_ready(at(80)), None);
        assert_eq!(session.on_delivered_to_client(at(90), 9000), None, "two more, and there are no requests left");
        assert_eq!(session.on_delivered_to_server(8000), Some(Next::Send(12_000)));
        assert_eq!(session.on_delivered_to_client(at(95), 12_000), Some(Next::Close));
        let record = session.record();
        assert_eq!((record.requests, record.completed), (4, 4));
        assert_eq!([record.times.min(), record.times.max()], [Some(Span::from_ms(15)), Some(Span::from_ms(80))]);
    }

    /// Times to think that are shorter than those before them come first.
    #[test]
    fn requests_go_in_the_order_of_their_times() {
        let params = ExchangesParams { outstanding: 2, ..params(9, 50.0) };
        let mut session = Session::new(&params, (1000, false), (1, "f"), Time::ZERO);
        while session.on_client_ready(at(0)).is_some() {}
        session.on_delivered_to_server(4000);
        assert_eq!(session.on_delivered_to_client(at(20), 3000), Some(Next::Think(at(70))));
        session.params.think = Law::Constant(1e10);
        assert_eq!(session.on_delivered_to_client(at(30), 6000), Some(Next::Think(at(40))));
        assert_eq!(session.on_client_ready(at(40)), Some(Next::Send(6000)));
        assert_eq!(session.on_client_ready(at(40)), Some(Next::Think(at(70))));
    }

    /// 300, 2000 and 1 bytes in segments of 1000: the numbers 300 to 999 and 3001 to 3999 stand for nothing.
    #[test]
    fn what_does_not_fill_a_segment_stands_for_nothing() {
        let mut messages = Messages::new(1000, false);
        assert_eq!([300, 2000, 1].map(|bytes| messages.add(bytes)), [1000, 3000, 4000]);
        let before =
            |messages: &Messages| [0, 999, 1000, 2000, 3000, 3999, 4000].map(|at| messages.unfilled_before(at));
        assert_eq!(before(&messages), [0, 0, 700, 700, 700, 700, 1699]);
        assert_eq!([0, 1000, 2000, 3000].map(|at| messages.unfilled_in(at, at + 1000)), [700, 0, 0, 999]);
        messages.forget(3000);
        assert_eq!(before(&messages)[2..], [0, 0, 700, 700, 1699], "only what is acknowledged is forgotten");
        assert_eq!(messages.ends.len(), 2);
    }
}
