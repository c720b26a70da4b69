//! Window feedback: the receive window in acknowledgements becomes what a rate fills in a round trip, if that is less.
//! Source: \[RATE-CONTROL\] §3, §4.1. The rounding is Ackclock's.

use crate::keys::words;
use crate::units::Span;

/// How a rate becomes a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowFeedback {
    /// T: the time that is multiplied by the rate.
    pub round_trip: RoundTrip,
    /// What the rate counts.
    pub units: Units,
}

/// The time by which a rate is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundTrip {
    /// The same for all flows.
    Fixed(Span),
    /// The propagation round trip of each flow, which the router knows.
    Individual,
}

/// What is counted of the segments that a rate allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Their payload.
    Payload,
    /// All that their packets or cells take on the wire: larger windows.
    Wire,
}
words!(Units: "payload" = Payload, "wire" = Wire);

/// From rates to windows, for one flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Translation {
    /// Bytes of window for a rate of one unit per second: T, times the bytes that are counted of a unit.
    bytes: f64,
    mss: u32,
    advertised: u32,
    shift: u8,
}

/// The flow whose window follows a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Governed {
    /// Its propagation round trip.
    pub round_trip: Span,
    /// Bytes of payload in a full segment.
    pub mss: u32,
    /// What a full segment takes of a rate: bytes on the wire, or cells.
    pub units: f64,
    /// What it takes on the wire, in bytes.
    pub wire_bytes: f64,
    /// The window that its receiver advertises, and the shift count of the header's field (RFC 7323 §2).
    pub advertised: u32,
    /// See there.
    pub shift: u8,
}

impl Translation {
    /// For this flow.
    pub fn new(params: &WindowFeedback, flow: &Governed) -> Translation {
        let time = match params.round_trip {
            RoundTrip::Fixed(time) => time,
            RoundTrip::Individual => flow.round_trip,
        };
        let counted = match params.units {
            Units::Payload => f64::from(flow.mss),
            Units::Wire => flow.wire_bytes,
        };
        let &Governed { mss, advertised, shift, units, .. } = flow;
        Translation { bytes: time.as_secs_f64() * counted / units, mss, advertised, shift }
    }

    /// The window in bytes that this rate, in units per second, fills: a whole number of segments, at least one, and what the
    /// field of the header can say with the receiver's shift count. Not more than the receiver advertises.
    pub fn window(&self, rate: f64) -> u32 {
        let bytes = rate * self.bytes;
        if bytes >= f64::from(self.advertised) {
            return self.advertised;
        }
        let segments = (bytes as u32 / self.mss).max(1);
        let window = segments * self.mss;
        let said = match window >> self.shift << self.shift {
            // Less than a segment would stop the sender.
            down if down < self.mss => window.next_multiple_of(1 << self.shift),
            down => down,
        };
        said.min(self.advertised)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A flow with segments of 1024 bytes that take 1219 on the wire.
    fn flow(round_trip: Span) -> Governed {
        Governed { round_trip, mss: 1024, units: 1219.0, wire_bytes: 1219.0, advertised: 600_000, shift: 4 }
    }

    fn translation(units: Units) -> Translation {
        let params = WindowFeedback { round_trip: RoundTrip::Fixed(Span::from_ms(70)), units };
        Translation::new(&params, &flow(Span::from_ms(10)))
    }

    /// \[RATE-CONTROL\] §7 of the specification: session 2 at 20 ms.
    #[test]
    fn the_vector_of_the_specification() {
        let rate = 4132.938 * 1219.0;
        assert_eq!(translation(Units::Payload).window(rate), 289 * 1024);
        assert_eq!((289 * 1024) >> 4, 0x4840);
        let wire = (4132.938_f64 * 1219.0 * 0.07 / 1024.0) as u32;
        assert_eq!(translation(Units::Wire).window(rate), wire * 1024);
    }

    #[test]
    fn each_flow_may_have_a_time_of_its_own() {
        let params = WindowFeedback { round_trip: RoundTrip::Individual, units: Units::Payload };
        let of = |us| Translation::new(&params, &flow(Span::from_us(us)));
        // A fifteenth of 155.52 Mb/s: 10.7, 17.0 and 74.4 segments.
        let rate = 155.52e6 / 8.0 / 15.0;
        assert_eq!([10_060, 16_000, 70_000].map(|us| of(us).window(rate) / 1024), [10, 17, 74]);
    }

    #[test]
    fn a_window_is_a_segment_at_least_and_what_is_advertised_at_most() {
        let translation = translation(Units::Payload);
        assert_eq!([0.0, 1.0, f64::INFINITY].map(|rate| translation.window(rate)), [1024, 1024, 600_000]);
    }

    proptest! {
        #[test]
        fn what_is_said_fits_into_the_field_and_lets_a_segment_pass(
            mss in 1_u32..9200, field in 0_u32..65_536, shift in 0_u8..15, rate in 0.0..1e9_f64,
        ) {
            let advertised = (field << shift).max(mss.next_multiple_of(1 << shift));
            let params = WindowFeedback { round_trip: RoundTrip::Fixed(Span::from_ms(1)), units: Units::Payload };
            let units = f64::from(mss) + 40.0;
            let round_trip = Span::from_ms(1);
            let flow = Governed { round_trip, mss, units, wire_bytes: units, advertised, shift };
            let window = Translation::new(&params, &flow).window(rate);
            prop_assert!(window >= mss && window <= advertised);
            prop_assert_eq!(window % (1 << shift), 0, "the field can say it");
        }
    }
}
