//! RED for frames of cells: new frames are refused at random, with a probability that grows with the average queue.
//! Sources: \[RBL99\] for RED at the first cell of a frame; \[FJ93\] for RED itself, which `queue/packet/red.rs` is.
//!
//! Reading: the average changes at the first cell of each frame, and not while nothing arrives.

use super::frame::{FrameDiscard, FrameParams, FrameRule};
use super::{CellArrival, Mechanism};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::packet::{AboveMax, PacketArrival, PacketPolicy, Red, RedParams, Spacing};
use crate::queue::{Buffer, Port, Verdict};
use crate::rng::Stream;
use crate::units::{Rate, Time};

/// The rule: RED, to which the cells that wait are the queue.
#[derive(Clone, Debug)]
pub struct RedEpd {
    red: Red,
}

/// The parameters of RED for frames of cells; thresholds are in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedEpdParams {
    /// RED, for which cells are what it calls packets.
    pub red: RedParams,
    /// The rate of the port: what RED asks for.
    rate: Rate,
    /// What happens to frames that are refused.
    pub frame: FrameParams,
}

impl Mechanism for RedEpd {
    const NAME: &'static str = "red-epd";
    const ABOUT: &'static str =
        "RED for frames: new frames are refused at random, the more the longer the queue is on average.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("min_threshold", Kind::Level, Default::Is(Value::Number(0.2)), "Ackclock",
            "No frame is refused while fewer cells wait on average; a fraction of the buffer, or cells."),
        Key::new("max_threshold", Kind::Level, Default::Is(Value::Number(0.8)), "Ackclock: the threshold of EPD",
            "Every frame is refused while more cells wait on average; a fraction of the buffer, or cells."),
        Key::new("weight", Kind::Number(1.0), Default::Is(Value::Number(0.02)), "Ackclock: ten times that of [FJ93], as it looks at frames",
            "The weight of the queue length at a new frame in its average."),
        Key::new("max_p", Kind::Number(1.0), Default::Is(Value::Number(0.1)), "as of `red`",
            "The probability that a frame is refused when the average is at the upper threshold."),
        FrameParams::KEYS[0],
    ];
    const IS_RANDOM: bool = true;
    type Params = RedEpdParams;
    type State = FrameDiscard<RedEpd>;

    fn params(values: &Values, port: &Port) -> Result<RedEpdParams, Misfit> {
        let level = |name| values.level(name, port.capacity_cells);
        let (min_packets, max_packets) = (level("min_threshold"), level("max_threshold"));
        if max_packets <= min_packets {
            return Err(Misfit {
                keys: &["max_threshold", "min_threshold"],
                problem: format!("`min_threshold` is {min_packets} cells, `max_threshold` {max_packets}"),
                expected: "the upper threshold must be above the lower one",
            });
        }
        let (weight, max_p) = (values.number("weight"), values.number("max_p"));
        let (above, spacing) = (AboveMax::All, Spacing::Uniform);
        Ok(RedEpdParams {
            red: RedParams {
                min_packets,
                max_packets,
                weight,
                max_p,
                above,
                spacing,
                packet_bytes: 53,
                marks: false,
                marks_all: false,
            },
            rate: port.rate,
            frame: FrameParams { keep_eom_of_whole: values.flag("keep_eom_of_whole"), forgiveness: None },
        })
    }

    fn start(params: &RedEpdParams, vcs: usize, draws: Stream) -> FrameDiscard<RedEpd> {
        FrameDiscard::new(RedEpd { red: Red::new(params.red, params.rate, draws) }, &params.frame, vcs)
    }
}

impl FrameRule for RedEpd {
    fn accept_frame(&mut self, _first: CellArrival, buffer: &Buffer) -> bool {
        let queued = buffer.queued();
        let arrival = PacketArrival { now: Time::ZERO, idle: None, queued, queued_bytes: 0, is_full: false };
        self.red.on_enqueue(&arrival) == Verdict::Accept
    }

    fn reads_per_vc(&self, _queued: u32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id, VcId};

    /// Thresholds of 20 and 80 cells of 100, no memory of the queue.
    fn rule() -> RedEpd {
        let port = Port { capacity_cells: Some(100), rate: Rate::from_bps(155_520_000).unwrap() };
        let params = RedEpd::params(&Values::defaults(RedEpd::KEYS), &port).unwrap();
        assert_eq!((params.red.min_packets, params.red.max_packets), (20.0, 80.0));
        RedEpd {
            red: Red::new(RedParams { weight: 1.0, ..params.red }, params.rate, Stream::new(1, "port", "red-epd")),
        }
    }

    fn refused(queued: u32, frames: u32) -> u32 {
        let (mut rule, mut buffer, vc) = (rule(), Buffer::new(100, 1), VcId::from_index(0));
        (0..queued).for_each(|_| _ = buffer.enter(vc));
        (0..frames).filter(|_| !rule.accept_frame(CellArrival { now: Time::ZERO, vc, eom: false }, &buffer)).count()
            as u32
    }

    #[test]
    fn the_upper_threshold_is_above_the_lower_one() {
        let port = Port { capacity_cells: Some(100), rate: Rate::from_bps(155_520_000).unwrap() };
        let misfit = |max: u64| {
            let at = |key: &Key| (key.name == "max_threshold").then(|| Value::cells(max));
            RedEpd::params(&Values::of(RedEpd::KEYS, at), &port).err().map(|misfit| misfit.keys[0])
        };
        assert_eq!([19, 20, 21].map(misfit), [Some("max_threshold"), Some("max_threshold"), None]);
    }

    #[test]
    fn frames_are_refused_with_the_probability_of_the_average() {
        assert_eq!((refused(19, 1000), refused(80, 1000)), (0, 1000));
        // Half of the way to max_p = 0.1: p_b = 0.05, and of 1 to 20 frames the one that is refused is uniform: 10.5 on average.
        let share = f64::from(refused(50, 10_000)) / 10_000.0;
        assert!((share - 1.0 / 10.5).abs() < 0.01, "{share}");
    }
}
