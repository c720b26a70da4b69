//! Random early detection: packets are refused before the buffer is full, more of them the longer the queue is on
//! average.
//! Source: \[FJ93\] §4, its algorithm and its names; \[Flo00\] for the gentle slope; `Spacing::Wait` as in ns-2.
//!
//! Deviation: the average is over the packets that wait; the one in transmission does not count, as everywhere here.

use super::{BatchHints, Fifo, Mechanism, PacketArrival, PacketPolicy, QueuePort, ecn_key, signal, unless_full};
use crate::exact::power;
use crate::keys::{Condition, Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Port, Verdict};
use crate::rng::Stream;
use crate::units::{Rate, Span};

/// The parameters of RED.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedParams {
    /// min_th: below this average nothing is refused. Packets.
    pub min_packets: f64,
    /// max_th: from this average on everything is refused, or with ever larger probability if it is gentle. Packets; more
    /// than `min_packets`.
    pub max_packets: f64,
    /// w_q: what a sample weighs in the average; more than 0, at most 1.
    pub weight: f64,
    /// max_p: the probability at max_th; more than 0, at most 1.
    pub max_p: f64,
    /// What happens above max_th.
    pub above: AboveMax,
    /// How the refused packets are spread.
    pub spacing: Spacing,
    /// The size of a typical packet: while the port is idle, the average falls as if such packets were coming. Octets.
    pub packet_bytes: u32,
    /// Whether what can be marked is, and not refused.
    pub marks: bool,
    /// Whether this holds too where everything is refused.
    pub marks_all: bool,
}

/// What RED does when the average is above max_th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboveMax {
    /// The probability rises from max_p to 1 at twice max_th.
    Gentle,
    /// Everything is refused.
    All,
}

/// How the packets that RED refuses are spread over those that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Evenly: after one that is refused, the next is as likely any of the 1/p_b that follow.
    Uniform,
    /// Uniform, after 1/p_b packets that are not refused.
    Wait,
}

/// The state of RED.
#[derive(Clone, Debug)]
pub struct Red {
    params: RedParams,
    /// The time of a typical packet.
    packet_time: Span,
    /// avg: the average number of waiting packets.
    average: f64,
    /// count: arrivals since the last packet that was refused, the arriving one included, while the average is at least
    /// min_th; none below it (−1 in \[FJ93\] Fig. 2, so that the first packet above it counts 0).
    count: Option<u64>,
    draws: Stream,
    drawn: u64,
}

impl Mechanism for Red {
    const NAME: &'static str = "red";
    const ABOUT: &'static str =
        "RED: packets are refused at random, with a probability that grows with the average queue.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("values", Kind::Word(&["ns-2", "fj93"]), Default::Is(Value::Word("ns-2")), "Ackclock",
            "The source of default values: ns-2, or the original paper."),
        Key::new("min_threshold", Kind::packets(0, MOST_PACKETS), Default::Is(Value::packets(5)), "[FJ93] §5, ns-2",
            "No packet is refused while fewer packets wait on average."),
        Key::new("max_threshold", Kind::packets(0, MOST_PACKETS), Default::Is(Value::packets(15)), "[FJ93] §5, ns-2",
            "Every packet is refused while more packets wait on average; with `gentle` the probability rises from there."),
        Key::new("weight", Kind::Number(1.0), Default::Is(Value::Number(0.002)), "[FJ93] §5, ns-2",
            "The weight of the queue length at one arrival in its average."),
        Key::new("max_p", Kind::Number(1.0), Default::Of("values", &[("ns-2", Value::Number(0.1), "ns-2"), ("fj93", Value::Number(0.02), "[FJ93] §5")]), "ns-2; [FJ93] §5",
            "The drop probability when the average is at the upper threshold."),
        Key::new("gentle", Kind::Flag, Default::Of("values", &[("ns-2", Value::Flag(true), "ns-2"), ("fj93", Value::Flag(false), "[FJ93] §4")]), "[Flo00], ns-2; [FJ93] §4",
            "Whether the probability rises from `max_p` at the upper threshold to 1 at twice this threshold, and not at once."),
        Key::new("spacing", Kind::Word(&["uniform", "wait"]), Default::Of("values", &[("ns-2", Value::Word("wait"), "ns-2"), ("fj93", Value::Word("uniform"), "[FJ93] §7")]), "ns-2; [FJ93] §7",
            "How refused packets are spread over arriving packets."),
        Key::new("mean_packet", Kind::bytes(1, 65_535), Default::Is(Value::bytes(500)), "ns-2",
            "The size of packets by which the average falls while the port is idle."),
        ecn_key(false, "Ackclock"),
        Key::new("ecn_above_max", Kind::Word(&["drop", "mark"]), Default::Is(Value::Word("drop")), "RFC 3168 §7",
            "What happens to packets that can be marked where every packet is refused: from `max_threshold` on, with `gentle` from twice that on.")
            .used_if(&[Condition::new("ecn", &["true"])]),
    ];
    type Params = RedParams;
    type State = Fifo<Red>;

    fn params(values: &Values, _: &Port) -> Result<RedParams, Misfit> {
        let (min_packets, max_packets) = (values.amount("min_threshold"), values.amount("max_threshold"));
        if max_packets <= min_packets {
            return Err(Misfit {
                keys: &["max_threshold", "min_threshold"],
                problem: format!("`min_threshold` is {min_packets} packets, `max_threshold` {max_packets}"),
                expected: "the upper threshold must be above the lower one",
            });
        }
        Ok(RedParams {
            min_packets: min_packets as f64,
            max_packets: max_packets as f64,
            weight: values.number("weight"),
            max_p: values.number("max_p"),
            above: if values.flag("gentle") { AboveMax::Gentle } else { AboveMax::All },
            spacing: if values.word("spacing") == "wait" { Spacing::Wait } else { Spacing::Uniform },
            packet_bytes: values.amount("mean_packet") as u32,
            marks: values.flag("ecn"),
            marks_all: values.flag("ecn") && values.word("ecn_above_max") == "mark",
        })
    }

    fn is_random(_params: &RedParams, _connections: usize) -> bool {
        true
    }

    fn marks(params: &RedParams) -> bool {
        params.marks
    }

    fn start(params: &RedParams, port: &QueuePort<'_>, draws: Stream) -> Fifo<Red> {
        Fifo::new(port, Red::new(*params, port.rate, draws))
    }
}

impl Red {
    /// RED at a port of this rate, with random numbers from `draws`.
    pub fn new(params: RedParams, rate: Rate, draws: Stream) -> Red {
        let packet_time = rate.serialization(8 * u64::from(params.packet_bytes));
        Red { params, packet_time, average: 0.0, count: None, draws, drawn: 0 }
    }

    /// \[FJ93\] Fig. 2, "calculate the new average queue size".
    fn update_average(&mut self, arrival: &PacketArrival) {
        let RedParams { weight, .. } = self.params;
        self.average = match arrival.idle {
            None => (1.0 - weight) * self.average + weight * f64::from(arrival.queued),
            Some(idle) => power(1.0 - weight, idle / self.packet_time) * self.average,
        };
    }

    /// p_b of \[FJ93\] §4, or `None` if nothing is refused.
    fn base_probability(&self) -> Option<f64> {
        let RedParams { min_packets: min, max_packets: max, max_p, above, .. } = self.params;
        if self.average < min {
            None
        } else if self.average < max {
            Some(max_p * (self.average - min) / (max - min))
        } else if above == AboveMax::Gentle && self.average < 2.0 * max {
            Some(max_p + (1.0 - max_p) * (self.average - max) / max)
        } else {
            Some(1.0)
        }
    }

    /// Whether this one is refused: the `count`th arrival since the last one that was.
    fn hits(&mut self, base: f64, count: u64) -> bool {
        let counted = count as f64 * base;
        let probability = match self.params.spacing {
            _ if base >= 1.0 => 1.0,
            Spacing::Uniform if counted < 1.0 => base / (1.0 - counted),
            Spacing::Wait if counted < 1.0 => 0.0,
            Spacing::Wait if counted < 2.0 => base / (2.0 - counted),
            Spacing::Uniform | Spacing::Wait => 1.0,
        };
        let draw = self.draws.at(self.drawn) as f64 / TWO_TO_64;
        self.drawn += 1;
        draw < probability
    }
}

impl PacketPolicy for Red {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        self.update_average(arrival);
        let Some(base) = self.base_probability() else {
            self.count = None;
            return unless_full(arrival);
        };
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        if self.hits(base, count) {
            self.count = Some(0);
            return signal(if base < 1.0 { self.params.marks } else { self.params.marks_all });
        }
        if arrival.is_full {
            self.count = Some(0);
        }
        unless_full(arrival)
    }
}

impl BatchHints for Red {}

const MOST_PACKETS: u64 = 1 << 31;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::DropReason;
    use crate::units::Time;

    /// [FJ93] §5 with a weight that can be followed by hand.
    const PARAMS: RedParams = RedParams {
        min_packets: 5.0,
        max_packets: 15.0,
        weight: 0.5,
        max_p: 0.02,
        above: AboveMax::All,
        spacing: Spacing::Uniform,
        packet_bytes: 1000,
        marks: false,
        marks_all: false,
    };

    fn red(params: RedParams) -> Red {
        // A packet takes a microsecond.
        Red::new(params, Rate::from_bps(8_000_000_000).unwrap(), Stream::new(1, "port", "red"))
    }

    fn arrival(queued: u32) -> PacketArrival {
        PacketArrival { now: Time::ZERO, idle: None, queued, queued_bytes: 500 * u64::from(queued), is_full: false }
    }

    #[test]
    fn the_average_follows_the_queue_and_decays_while_the_port_is_idle() {
        let mut red = red(PARAMS);
        for (queued, average) in [(4, 2.0), (4, 3.0), (5, 4.0)] {
            red.update_average(&arrival(queued));
            assert_eq!(red.average, average);
        }
        // Two microseconds and a half: two packets could have gone.
        red.update_average(&PacketArrival { idle: Some(Span::from_ps(2_500_000)), ..arrival(0) });
        assert_eq!(red.average, 1.0);
    }

    #[test]
    fn the_probability_is_a_line_from_min_to_max() {
        let base = |average: f64, above| Red { average, ..red(RedParams { above, ..PARAMS }) }.base_probability();
        assert_eq!(base(4.99, AboveMax::All), None);
        assert_eq!(base(5.0, AboveMax::All), Some(0.0));
        assert_eq!(base(10.0, AboveMax::All), Some(0.01));
        assert_eq!(base(15.0, AboveMax::All), Some(1.0));
        // Gentle: 0.02 + 0.98 · (22.5 − 15)/15 = 0.51.
        assert_eq!(base(15.0, AboveMax::Gentle), Some(0.02));
        assert!((base(22.5, AboveMax::Gentle).unwrap() - 0.51).abs() < 1e-12);
        assert_eq!(base(30.0, AboveMax::Gentle), Some(1.0));
    }

    /// The numbers of packets from one that is refused to the next, at an average that stays.
    fn gaps(spacing: Spacing, packets: u32) -> Vec<u64> {
        let mut red = red(RedParams { spacing, ..PARAMS });
        red.average = 10.0;
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for _ in 0..packets {
            gap += 1;
            if red.on_enqueue(&arrival(10)) != Verdict::Accept {
                gaps.push(std::mem::take(&mut gap));
            }
        }
        gaps.split_off(1)
    }

    #[test]
    fn refused_packets_are_spread_evenly() {
        // p_b = 0.01: gaps are uniform on 1 to 99, with a mean of 50 and a standard deviation of 28.6.
        let even = gaps(Spacing::Uniform, 200_000);
        assert!(even.iter().all(|&gap| gap <= 99) && even.contains(&1));
        let mean = even.iter().sum::<u64>() as f64 / even.len() as f64;
        assert!((mean - 50.0).abs() < 4.0 * 28.6 / (even.len() as f64).sqrt(), "{mean}");
        // With waiting: the same after 99 that are spared.
        let waited = gaps(Spacing::Wait, 200_000);
        assert!(waited.iter().all(|gap| (100..200).contains(gap)), "{:?}", waited.iter().min());
    }

    #[test]
    fn a_full_buffer_refuses_below_the_threshold_too() {
        let mut red = red(PARAMS);
        let full = PacketArrival { is_full: true, ..arrival(4) };
        assert_eq!(red.on_enqueue(&full), Verdict::Drop(DropReason::Overflow));
        red.average = 100.0;
        assert_eq!(red.on_enqueue(&arrival(100)), Verdict::Drop(DropReason::Policy));
    }

    /// Average 20 of thresholds 5 and 15, gentle, is refused by chance; 30, twice the upper one, always.
    #[test]
    fn marks_take_the_place_of_early_drops_and_above_the_maximum_only_if_asked_for() {
        let verdict = |marks, marks_all, queued| {
            let mut red =
                red(RedParams { weight: 1.0, above: AboveMax::Gentle, max_p: 1.0 - 1e-12, marks, marks_all, ..PARAMS });
            red.on_enqueue(&arrival(queued))
        };
        let drop = Verdict::Drop(DropReason::Policy);
        assert_eq!([verdict(false, false, 29), verdict(false, false, 30)], [drop, drop]);
        assert_eq!([verdict(true, false, 29), verdict(true, false, 30)], [Verdict::Mark, drop]);
        assert_eq!([verdict(true, true, 29), verdict(true, true, 30)], [Verdict::Mark, Verdict::Mark]);
        assert_eq!(verdict(true, true, 4), Verdict::Accept);
    }

    #[test]
    fn a_mark_counts_as_a_drop_does() {
        let mut red = red(RedParams { weight: 1.0, marks: true, max_p: 1.0, ..PARAMS });
        for _ in 0..9 {
            red.on_enqueue(&arrival(6));
        }
        let mut dropping = super::Red::new(
            RedParams { marks: false, ..red.params },
            Rate::from_bps(8_000_000_000).unwrap(),
            red.draws,
        );
        for _ in 0..9 {
            dropping.on_enqueue(&arrival(6));
        }
        assert_eq!((red.count, red.drawn), (dropping.count, dropping.drawn));
    }
}
