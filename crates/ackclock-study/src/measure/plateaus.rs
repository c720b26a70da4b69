//! Windows that grow in spurts: the values at which they rest in between.

use ackclock::record::{Columns, Metric, Series};
use ackclock::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// By how much the window of a flow is larger at each rest than at the one before. A rest is a value that holds for half of the
/// flow's propagation round trip at least, and for half of the longest rest before: round trips grow with queues, and within one spurt
/// other flows may come in between. Rests at the largest value of the run are left out: there growth ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plateaus {
    pub least_quotient: f64,
    pub largest_quotient: f64,
}

impl Plateaus {
    /// Of what a sender might have outstanding; `None` where that is not recorded, or does not rest twice.
    pub fn of(flow: &str, round_trip: Span, series: &[Series], end: Time) -> Option<Plateaus> {
        let windows = series.iter().find(|series| series.metric == Metric::SendWindow && series.of == flow)?;
        let Columns::Points { time, value } = &windows.columns else { return None };
        let ends = time.iter().skip(1).copied().chain([end]);
        let largest = value.iter().copied().fold(0.0, f64::max);
        let mut shortest = round_trip;
        let mut values = Vec::new();
        for ((begin, value), end) in time.iter().zip(value).zip(ends).take_while(|((_, value), _)| **value < largest) {
            let rest = end.since(*begin);
            if rest * 2 >= shortest {
                shortest = shortest.max(rest);
                values.push(*value);
            }
        }
        let quotients = || values.windows(2).map(|pair| pair[1] / pair[0]);
        Some(Plateaus {
            least_quotient: quotients().reduce(f64::min)?,
            largest_quotient: quotients().reduce(f64::max)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round trip of 10 ms: a value that holds for 4 ms is no rest; after a rest of 18 ms one of 8 ms is none.
    #[test]
    fn windows_rest_for_half_a_round_trip_and_half_of_the_longest_rest() {
        let points = [
            (0, 1.0),
            (10, 2.0),
            (20, 3.0),
            (21, 4.0),
            (30, 6.0),
            (34, 8.0),
            (39, 9.0),
            (42, 20.0),
            (60, 21.0),
            (68, 40.0),
            (77, 50.0),
        ];
        let columns = Columns::Points {
            time: points.iter().map(|point| Time::ZERO + Span::from_ms(point.0)).collect(),
            value: points.iter().map(|point| point.1).collect(),
        };
        let series = [Series { metric: Metric::SendWindow, of: "f".into(), vc: None, columns }];
        let of = |end| Plateaus::of("f", Span::from_ms(10), &series, Time::ZERO + Span::from_ms(end));
        // 1, 2, 4, 8, 20, 40; 50 is the largest.
        assert_eq!(of(100), Some(Plateaus { least_quotient: 2.0, largest_quotient: 2.5 }));
        assert_eq!(Plateaus::of("f", Span::from_ms(100), &series, Time::ZERO + Span::from_ms(100)), None);
        assert_eq!(Plateaus::of("g", Span::from_ms(10), &series, Time::ZERO + Span::from_ms(100)), None);
    }
}
