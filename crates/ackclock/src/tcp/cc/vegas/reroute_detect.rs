//! The remedy of La, Walrand and Anantharam for Vegas after a change of route: when the shortest round trip of every block
//! of packets stays far above base, the path itself has become longer, and base is set anew. It goes with every Vegas.
//! Source: [LWA98], as described in [VEGAS-A] §2.2.1B; constants inferred, docs/models/reroute-detect.md.   Units: packets,
//! seconds.

use super::round::{MIN_WINDOW, Round};
use crate::keys::{Condition, Default, Key, Kind, Value, Values};

/// When Vegas takes round trips that have grown for a longer path.
#[derive(Clone, Debug, PartialEq)]
pub struct RerouteParams {
    /// K: packets at the beginning that are ignored.
    pub first_packets: u32,
    /// N: packets in a block.
    pub block_packets: u32,
    /// L: blocks in a row.
    pub blocks: u32,
    /// How far above base their shortest round trips are, as a part of base.
    pub delta: f64,
    /// Packets that the new window lets wait.
    pub queued_packets: f64,
}

impl RerouteParams {
    /// The keys of a mechanism that has the detector.
    #[rustfmt::skip]
    pub(in crate::tcp::cc) const KEYS: [Key; 5] = [
        Key::new("reroute_detect", Kind::Flag, Default::Is(Value::Flag(false)), "[VEGAS-A] §2.2.1B",
            "Whether a path that has become longer is recognised, and base and window are set to match (La, Walrand, Anantharam)."),
        Key::new("reroute_first_packets", Kind::Integer(1, 1_000_000), Default::Is(Value::Integer(100)), "inferred",
            "K: packets at the beginning that are ignored.").used_if(IF_DETECTED),
        Key::new("reroute_block_packets", Kind::Integer(1, 1_000_000), Default::Is(Value::Integer(20)), "inferred",
            "N: packets in a block, of which the shortest round trip counts.").used_if(IF_DETECTED),
        Key::new("reroute_blocks", Kind::Integer(1, 1_000_000), Default::Is(Value::Integer(4)), "inferred",
            "L: successive blocks that must be far above base.").used_if(IF_DETECTED),
        Key::new("reroute_delta", Kind::Number(1e6), Default::Is(Value::Number(0.2)), "inferred",
            "The distance from base that is far above it, as a share of base.").used_if(IF_DETECTED),
    ];

    /// What `values` say, if the detector is wanted; the new window lets `queued_packets` wait.
    pub(in crate::tcp::cc) fn read(values: &Values, queued_packets: f64) -> Option<RerouteParams> {
        values.flag("reroute_detect").then(|| RerouteParams {
            first_packets: values.integer("reroute_first_packets"),
            block_packets: values.integer("reroute_block_packets"),
            blocks: values.integer("reroute_blocks"),
            delta: values.number("reroute_delta"),
            queued_packets,
        })
    }
}

const IF_DETECTED: &[Condition] = &[Condition { key: "reroute_detect", is: &["true"] }];

/// The detector of one connection.
#[derive(Clone, Debug)]
pub(in crate::tcp::cc) struct RerouteDetect {
    params: RerouteParams,
    /// Packets that Vegas itself lets wait.
    beta: f64,
    /// Samples so far, of the first packets and then of this block.
    samples: u32,
    /// Whether the first packets are over.
    watches: bool,
    /// The shortest round trip of this block.
    shortest: f64,
    /// Blocks in a row that were far above base.
    above: u32,
    /// Packets per second in the last round.
    actual: f64,
}

/// What is known of a path that has become longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tcp::cc) struct Rerouted {
    /// The new base, seconds.
    pub(in crate::tcp::cc) base: f64,
    pub(in crate::tcp::cc) cwnd: f64,
}

impl RerouteDetect {
    /// Before the first packet.
    pub(in crate::tcp::cc) fn new(params: &RerouteParams, beta: f64) -> RerouteDetect {
        let (samples, watches, shortest, above, actual) = (0, false, f64::INFINITY, 0, 0.0);
        RerouteDetect { params: params.clone(), beta, samples, watches, shortest, above, actual }
    }

    /// A round is over.
    pub(in crate::tcp::cc) fn on_round(&mut self, round: &Round) {
        self.actual = round.actual();
    }

    /// A packet that was sent once took `rtt`; the shortest that any took is `base`.
    pub(in crate::tcp::cc) fn on_sample(&mut self, rtt: f64, base: f64) -> Option<Rerouted> {
        self.samples += 1;
        if !self.watches {
            self.watches = self.samples >= self.params.first_packets;
            self.samples = if self.watches { 0 } else { self.samples };
            return None;
        }
        self.shortest = self.shortest.min(rtt);
        if self.samples < self.params.block_packets {
            return None;
        }
        let block = std::mem::replace(&mut self.shortest, f64::INFINITY);
        self.samples = 0;
        self.above = if self.is_far_above(block, base) { self.above + 1 } else { 0 };
        if self.above < self.params.blocks {
            return None;
        }
        self.above = 0;
        let cwnd = (self.actual * block + self.params.queued_packets).max(MIN_WINDOW);
        Some(Rerouted { base: block, cwnd })
    }

    /// The queue that Vegas itself keeps must not count: beta packets at the present rate.
    fn is_far_above(&self, block: f64, base: f64) -> bool {
        let queue = if self.actual > 0.0 { self.beta / self.actual } else { 0.0 };
        block > base * (1.0 + self.params.delta) + queue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After 3 packets, blocks of 2; 2 blocks more than a tenth above base, and more than 3 packets' time.
    fn detector() -> RerouteDetect {
        let params = RerouteParams { first_packets: 3, block_packets: 2, blocks: 2, delta: 0.1, queued_packets: 1.0 };
        let mut detector = RerouteDetect::new(&params, 3.0);
        detector.on_round(&Round { sent: 10.0, in_flight: 10.0, rtt: 0.1, base: 0.1 });
        detector
    }

    /// 100 packets per second, base 100 ms: the limit is 110 ms and 30 ms of queue.
    #[test]
    fn two_blocks_far_above_base_are_a_new_route() {
        let mut detector = detector();
        for rtt in [0.3, 0.3, 0.3, 0.3, 0.2, 0.3] {
            assert_eq!(detector.on_sample(rtt, 0.1), None, "three first packets, a block of 0.2, half a block");
        }
        assert_eq!(detector.on_sample(0.25, 0.1), Some(Rerouted { base: 0.25, cwnd: 26.0 }));
        assert_eq!(detector.on_sample(0.25, 0.1), None, "and it begins anew");
    }

    #[test]
    fn one_short_round_trip_in_a_block_is_enough_to_say_that_the_route_is_the_same() {
        let mut detector = detector();
        for rtt in [0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0.14, 0.3, 0.3, 0.3] {
            assert_eq!(detector.on_sample(rtt, 0.1), None, "0.14 is not above 0.14");
        }
        assert!(detector.on_sample(0.141, 0.1).is_some());
    }
}
