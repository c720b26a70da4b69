//! How long the hosts at both ends take: not at all, or one server for segments and one for acknowledgements, each with a
//! queue. The server of the sender takes a segment when it is idle and the window allows one; the segment is sent, and its timer
//! starts, when its service is over. The server of the receiver takes acknowledgements in the order in which they are due.
//! Source: [UBR-ABR] §2.4 and its figures 2 and 3; docs/models/served-hosts.md.

use std::collections::VecDeque;

use crate::exact::natural_logarithm;
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::Segment;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// How long the hosts at both ends of a connection take.
#[derive(Clone, Debug, PartialEq)]
pub enum HostModel {
    /// No time: segments are sent as soon as the window allows, acknowledgements as soon as they are due.
    Immediate,
    /// A server for segments, and one for acknowledgements.
    Served(Served),
}

/// The servers at both ends of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// How service times are distributed.
    pub distribution: Distribution,
    /// The mean service time of a segment.
    pub segment: Span,
    /// The mean service time of an acknowledgement.
    pub acknowledgement: Span,
    /// When the number of an acknowledgement is fixed.
    pub ack_number: AckNumber,
}

/// The distribution of service times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Exponential. The n-th service of a server is the n-th draw of its stream.
    Exponential,
    /// Always the mean.
    Fixed,
}

/// When the number of an acknowledgement, and all else that it says, is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckNumber {
    /// When the segment arrives that it answers.
    Arrival,
    /// When its service is over.
    Departure,
}

/// What a host model says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Its parameters, checked.
    pub params: fn(&Values) -> Result<HostModel, Misfit>,
}

/// All host models.
pub const MODELS: &[Description] = &[
    Description {
        name: "immediate",
        about: "Hosts that take no time.",
        keys: &[],
        params: |_| Ok(HostModel::Immediate),
    },
    Description {
        name: "served",
        about: "Hosts with a server for segments and one for acknowledgements, each with a queue.",
        keys: Served::KEYS,
        params: |values| Ok(HostModel::Served(Served::of(values))),
    },
];

impl HostModel {
    /// Whether it draws random numbers.
    pub fn is_random(&self) -> bool {
        match self {
            HostModel::Immediate => false,
            HostModel::Served(served) => match served.distribution {
                Distribution::Exponential => true,
                Distribution::Fixed => false,
            },
        }
    }
}

impl Served {
    /// The parameters.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::new("distribution", Kind::Word(&["exponential", "fixed"]), Default::Is(Value::Word("exponential")), "[UBR-ABR] §2.4",
            "The distribution of service times: exponential, or fixed, always the mean."),
        Key::new("segment_service", Kind::time(Span::ZERO, LONGEST), Default::Is(Value::time(Span::from_ms(1))), "[UBR-ABR] §2.4",
            "Mean time that the sending host takes for a segment."),
        Key::new("ack_service", Kind::time(Span::ZERO, LONGEST), Default::Is(Value::time(Span::from_ms(1))), "[UBR-ABR] §2.4",
            "Mean time that the receiving host takes for an acknowledgement."),
        Key::new("ack_number", Kind::Word(&["arrival", "departure"]), Default::Is(Value::Word("arrival")), "[UBR-ABR] §2.4; inferred",
            "When the number of an acknowledgement is fixed: at the arrival of the segment, or when the service of the acknowledgement is over."),
    ];

    fn of(values: &Values) -> Served {
        let distributions = [("exponential", Distribution::Exponential), ("fixed", Distribution::Fixed)];
        let numbers = [("arrival", AckNumber::Arrival), ("departure", AckNumber::Departure)];
        Served {
            distribution: values.choice("distribution", &distributions),
            segment: values.time("segment_service"),
            acknowledgement: values.time("ack_service"),
            ack_number: values.choice("ack_number", &numbers),
        }
    }

    /// The service of segments at the sender of the flow called `name`.
    pub(super) fn segments(&self, seed: u64, name: &str) -> SegmentServer {
        let service = Service::new(self.distribution, self.segment, Stream::new(seed, name, "segment-service"));
        SegmentServer { service, busy: None }
    }

    /// The service of acknowledgements at the receiver of the flow called `name`.
    pub(super) fn acknowledgements(&self, seed: u64, name: &str) -> AckServer {
        let service = Service::new(self.distribution, self.acknowledgement, Stream::new(seed, name, "ack-service"));
        let (queue, ends) = (VecDeque::new(), Time::NEVER);
        AckServer { service, number: self.ack_number, queue, ends }
    }
}

const LONGEST: Span = Span::from_secs(3_600);

/// A segment to which a sender has given its sequence numbers, and which it has not sent yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claimed {
    /// Its first byte.
    pub(super) seq: u64,
    /// Sequence numbers that it takes.
    pub(super) len: u64,
    /// Whether its numbers were given to no segment before.
    pub(super) is_new: bool,
    /// Whether nothing was outstanding.
    pub(super) was_idle: bool,
}

/// The times of one server.
#[derive(Clone, Debug)]
struct Service {
    distribution: Distribution,
    mean: Span,
    draws: Stream,
    /// How many there were.
    count: u64,
}

impl Service {
    fn new(distribution: Distribution, mean: Span, draws: Stream) -> Service {
        Service { distribution, mean, draws, count: 0 }
    }

    /// The time of the next service.
    fn next(&mut self) -> Span {
        let draw = self.draws.at(self.count);
        self.count += 1;
        match self.distribution {
            Distribution::Exponential => exponential(self.mean, draw),
            Distribution::Fixed => self.mean,
        }
    }
}

/// An exponential time with this mean, of 64 random bits: −mean · ln u, u from 2^−53 to 1, rounded to a picosecond.
fn exponential(mean: Span, bits: u64) -> Span {
    let uniform = ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    Span::from_ps((mean.as_ps() as f64 * -natural_logarithm(uniform) + 0.5) as u64)
}

/// The server of a sender: one segment at a time.
#[derive(Clone, Debug)]
pub(super) struct SegmentServer {
    service: Service,
    /// The segment in service, and when that is over.
    busy: Option<(Claimed, Time)>,
}

impl SegmentServer {
    /// When the service under way is over; never if none is.
    pub(super) fn ends(&self) -> Time {
        self.busy.map_or(Time::NEVER, |(_, ends)| ends)
    }

    /// Whether no segment is in service.
    pub(super) fn is_idle(&self) -> bool {
        self.busy.is_none()
    }

    /// The service of a segment begins.
    pub(super) fn begin(&mut self, now: Time, segment: Claimed) {
        self.busy = Some((segment, now + self.service.next()));
    }

    /// The segment whose service is over.
    pub(super) fn finish(&mut self, now: Time) -> Option<Claimed> {
        self.busy.take_if(|(_, ends)| *ends <= now).map(|(segment, _)| segment)
    }
}

/// The server of a receiver, with its queue.
#[derive(Clone, Debug)]
pub(super) struct AckServer {
    service: Service,
    number: AckNumber,
    /// The acknowledgement in service, and those that wait; `None` for what is known only when its service is over.
    queue: VecDeque<Option<Segment>>,
    /// When the service under way is over; never if none is.
    ends: Time,
}

impl AckServer {
    /// When the number of an acknowledgement is fixed.
    pub(super) fn number(&self) -> AckNumber {
        self.number
    }

    /// When the service under way is over; never if none is.
    pub(super) fn ends(&self) -> Time {
        self.ends
    }

    /// An acknowledgement is due.
    pub(super) fn push(&mut self, now: Time, acknowledgement: Option<Segment>) {
        self.queue.push_back(acknowledgement);
        if self.queue.len() == 1 {
            self.ends = now + self.service.next();
        }
    }

    /// The acknowledgement whose service is over; that of the next begins.
    pub(super) fn finish(&mut self, now: Time) -> Option<Option<Segment>> {
        if self.ends > now {
            return None;
        }
        let finished = self.queue.pop_front();
        self.ends = if self.queue.is_empty() { Time::NEVER } else { now + self.service.next() };
        finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ps as at;

    fn served() -> Served {
        Served::of(&Values::defaults(Served::KEYS))
    }

    /// Mean 1 and standard deviation 1 of an exponential time, each with a standard error of 1/√n and √8/√n at most; of
    /// 1/e = 0.3679 of all the time is longer than the mean.
    #[test]
    fn service_times_are_exponential() {
        let mut server = Service::new(Distribution::Exponential, Span::from_ms(1), Stream::new(1, "f1", "test"));
        let count = 1_000_000;
        let times: Vec<f64> = (0..count).map(|_| server.next().as_secs_f64() * 1000.0).collect();
        let n = f64::from(count);
        let mean = times.iter().sum::<f64>() / n;
        let variance = times.iter().map(|time| (time - mean) * (time - mean)).sum::<f64>() / n;
        let longer = times.iter().filter(|&&time| time > 1.0).count() as f64 / n;
        assert!((mean - 1.0).abs() < 0.005, "{mean}");
        assert!((variance - 1.0).abs() < 0.015, "{variance}");
        assert!((longer - 0.367_879).abs() < 0.002_5, "{longer}");
    }

    /// u = 2^−53 gives 53 ln 2 = 36.7 means, u = 1 nothing.
    #[test]
    fn the_smallest_and_the_largest_draw_are_times() {
        assert_eq!(exponential(Span::from_ms(1), 0), Span::from_ps(36_736_800_570));
        assert_eq!(exponential(Span::from_ms(1), u64::MAX), Span::ZERO);
        assert_eq!(exponential(Span::ZERO, 0), Span::ZERO);
    }

    #[test]
    fn seed_flow_and_end_each_have_draws_of_their_own() {
        let segments = |seed, name| served().segments(seed, name).service.next();
        let acknowledgements = |seed, name| served().acknowledgements(seed, name).service.next();
        let all = [segments(1, "f1"), segments(2, "f1"), segments(1, "f2"), acknowledgements(1, "f1")];
        let mut different = all.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), all.len(), "{all:?}");
        assert_eq!(segments(1, "f1"), all[0]);
    }

    #[test]
    fn acknowledgements_are_served_one_after_the_other() {
        let mut server = Served { distribution: Distribution::Fixed, ..served() }.acknowledgements(1, "f1");
        let ms = 1_000_000_000;
        let ack = |ack| Some(Segment { ack, ..Segment::default() });
        server.push(at(0), ack(1));
        server.push(at(ms / 2), ack(2));
        assert_eq!((server.ends(), server.finish(at(ms - 1))), (at(ms), None));
        assert_eq!(server.finish(at(ms)), Some(ack(1)));
        assert_eq!((server.ends(), server.finish(at(ms))), (at(2 * ms), None), "the second waited for the first");
        assert_eq!(server.finish(at(2 * ms)), Some(ack(2)));
        assert_eq!(server.ends(), Time::NEVER);
        server.push(at(5 * ms), None);
        assert_eq!((server.ends(), server.finish(at(6 * ms))), (at(6 * ms), Some(None)));
    }
}
