//! Writes: the same amount at equal intervals, the first at the start, as of an interactive connection.
//! Source: docs/models/application-writes.md.

use super::{Application, Mechanism, Offer};
use crate::keys::{Condition, Default, Dimension, HOUR, Key, Kind, Limit, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// An application that writes piece by piece.
#[derive(Clone, Copy, Debug)]
pub struct Writes {
    params: WritesParams,
}

/// How it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritesParams {
    /// Bytes of each piece: whole segments. The last one of a size may have less.
    pub bytes: u64,
    /// From one to the next. Not zero.
    pub interval: Span,
}

impl Mechanism for Writes {
    const NAME: &'static str = "writes";
    const ABOUT: &'static str = "Writes of one size at equal intervals, the first at the start.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("write", Kind::Or(&Kind::Quantities(&[BYTES, SEGMENTS]), &["all"]), Default::Is(Value::Word("all")), "[SACK-UBR] §6.1: infinite transfer",
            "What the application writes at a time, in whole segments; \"all\": everything at the start.").used_if(&[Condition::new("application", &["bulk", "writes"])]),
        Key::new("write_interval", Kind::time(Span::from_ps(1_000), HOUR), Default::Is(Value::time(Span::from_ms(100))), "Ackclock",
            "The time from one `write` to the next; the first is at the start.").used_if(&[Condition::new("application", &["writes"]), Condition::new("write", &["a size"])]),
    ];
    const HAS_TABLE: bool = false;
    type Params = WritesParams;

    fn params(values: &Values, mss: u32) -> Result<WritesParams, Misfit> {
        let misfit = |problem, expected| Err(Misfit { keys: &["write"], problem, expected });
        if values.is_word("write") {
            return misfit("`application` is \"writes\", and `write` is no size".to_owned(), "as in \"2 segments\"");
        }
        let (piece, mss) = (values.quantity("write"), u64::from(mss));
        let bytes = if piece.dimension == Dimension::Segments { piece.amount * mss } else { piece.amount };
        if !bytes.is_multiple_of(mss) {
            let problem = format!("`write` is {bytes} B, not a whole number of segments of {mss} B");
            return misfit(problem, "as in \"2 segments\"");
        }
        Ok(WritesParams { bytes, interval: values.time("write_interval") })
    }

    fn start(params: &WritesParams, _draws: Stream) -> Option<Box<dyn Application>> {
        Some(Box::new(Writes { params: *params }))
    }

    fn offered_in(params: &WritesParams, time: Span) -> f64 {
        (time.as_secs_f64() / params.interval.as_secs_f64()).ceil() * params.bytes as f64
    }
}

impl Application for Writes {
    fn offer(&mut self, now: Time) -> Offer {
        Offer { bytes: self.params.bytes, next: now + self.params.interval }
    }
}

const BYTES: Limit = Limit { dimension: Dimension::Size, min: 1, max: 1_000_000_000_000_000_000 };
const SEGMENTS: Limit = Limit { dimension: Dimension::Segments, min: 1, max: 1_000_000 };

#[cfg(test)]
mod tests {
    use super::*;

    fn params(write: Value, mss: u32) -> Result<WritesParams, Misfit> {
        Writes::params(&Values::of(Writes::KEYS, |key| (key.name == "write").then_some(write)), mss)
    }

    #[test]
    fn pieces_are_whole_segments() {
        let interval = Span::from_ms(100);
        assert_eq!(params(Value::segments(3), 512), Ok(WritesParams { bytes: 1536, interval }));
        assert_eq!(params(Value::bytes(1024), 512), Ok(WritesParams { bytes: 1024, interval }));
        assert!(params(Value::bytes(1023), 512).is_err() && params(Value::Word("all"), 512).is_err());
    }

    /// 100 ms apart from the instant at which it is asked first: three pieces in 201 ms.
    #[test]
    fn pieces_are_an_interval_apart() {
        let params = params(Value::segments(2), 500).unwrap();
        let mut writes = Writes::start(&params, Stream::new(1, "f", "application")).unwrap();
        let start = Time::ZERO + Span::from_ms(7);
        assert_eq!(writes.offer(start), Offer { bytes: 1000, next: start + Span::from_ms(100) });
        assert_eq!(Writes::offered_in(&params, Span::from_ms(201)), 3000.0);
    }
}
