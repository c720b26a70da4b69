//! Dynamic threshold: a connection may hold as many cells as a multiple of the room that is left.
//! Source: \[CH98\], T(t) = α · (B − Q(t)); a queue that has reached T accepts no more arrivals.
//!
//! Inferred: the source has queues of output ports that share the memory of a switch, and refuses cells. Here the connections
//! of a port share its buffer, and what is refused are new frames.

use super::frame::{FrameDiscard, FrameParams, FrameRule};
use super::{CellArrival, Mechanism};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Buffer, Port};
use crate::rng::Stream;

/// The rule: Y_i ≥ α · (K − X).
#[derive(Clone, Copy, Debug)]
pub struct DynamicThreshold {
    alpha: f64,
}

impl Mechanism for DynamicThreshold {
    const NAME: &'static str = "dynamic-threshold";
    const ABOUT: &'static str =
        "Dynamic threshold: new frames are refused of connections that hold more than a multiple of the free space.";
    const KEYS: &'static [Key] = &[Key::new(
        "alpha",
        Kind::Number(1e6),
        Default::Is(Value::Number(1.0)),
        "Ackclock; [CH98] has powers of 2 around it",
        "How many cells of a connection may wait, as a multiple of the free space.",
    )];
    const NEEDS_LIMIT: Option<&'static str> = Some("dynamic-threshold compares with the room that is left");
    type Params = f64;
    type State = FrameDiscard<DynamicThreshold>;

    fn params(values: &Values, _: &Port) -> Result<f64, Misfit> {
        Ok(values.number("alpha"))
    }

    fn start(alpha: &f64, vcs: usize, _draws: Stream) -> FrameDiscard<DynamicThreshold> {
        FrameDiscard::new(DynamicThreshold { alpha: *alpha }, &FrameParams::PLAIN, vcs)
    }
}

impl FrameRule for DynamicThreshold {
    fn accept_frame(&mut self, first: CellArrival, buffer: &Buffer) -> bool {
        let room = f64::from(buffer.capacity() - buffer.queued());
        f64::from(buffer.queued_of(first.vc)) < self.alpha * room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id, VcId};
    use crate::units::Time;

    fn buffer(capacity: u32, held: [u32; 2]) -> Buffer {
        let mut buffer = Buffer::new(capacity, 2);
        for (vc, cells) in held.into_iter().enumerate() {
            (0..cells).for_each(|_| _ = buffer.enter(VcId::from_index(vc)));
        }
        buffer
    }

    fn accepts(alpha: f64, held: [u32; 2]) -> [bool; 2] {
        let buffer = buffer(12, held);
        let first = |vc| CellArrival { now: Time::ZERO, vc: VcId::from_index(vc), eom: false };
        [0, 1].map(|vc| DynamicThreshold { alpha }.accept_frame(first(vc), &buffer))
    }

    #[test]
    fn a_connection_may_hold_less_than_a_multiple_of_the_room() {
        // K = 12. Alone with alpha 1: 5 < 12 − 5, but 6 is not less than 12 − 6.
        assert_eq!([accepts(1.0, [5, 0])[0], accepts(1.0, [6, 0])[0]], [true, false]);
        // Two of them: 3 < 12 − 7 and 4 < 12 − 7, but 4 is not less than 12 − 8: each has a third.
        assert_eq!([accepts(1.0, [3, 4]), accepts(1.0, [4, 4])], [[true, true], [false, false]]);
        // With alpha 2: 7 < 2 · 5, but 8 is not less than 2 · 4. Half: 3 < 9 / 2, but 4 is not less than 8 / 2.
        assert_eq!([accepts(2.0, [7, 0])[0], accepts(2.0, [8, 0])[0]], [true, false]);
        assert_eq!([accepts(0.5, [3, 0])[0], accepts(0.5, [4, 0])[0]], [true, false]);
    }

    #[test]
    fn who_holds_nothing_may_begin_as_long_as_there_is_room() {
        assert_eq!(accepts(0.5, [11, 0]), [false, true]);
        assert_eq!(accepts(0.5, [12, 0]), [false, false]);
    }
}
