//! Windows that grow in spurts: the values at which they rest in between.

use crate::record::{Columns, Metric, Series};
use crate::units::{Span, Time};

/// By how much the window of a flow is larger at each rest than at the one before. A rest is a value that holds for half of the
/// flow's propagation round trip at least, and for half of the longest rest before: round trips grow with queues, and within one spurt
/// other flows may come in between. Rests at the largest value of the run are left out: there growth ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plateaus {
    pub least_quotient: f64,
    pub largest_quotient: f64,
    /// By how much the time from the begin of a rest to that of the next is longer than the time before: the least, and the largest.
    pub gap_quotients: Option<(f64, f64)>,
}

impl Plateaus {
    /// Of what a sender might have outstanding; `None` where that is not recorded, or does not rest twice.
    pub fn of(flow: &str, round_trip: Span, series: &[Series], end: Time) -> Option<Plateaus> {
        let windows = series.iter().find(|series| series.metric == Metric::SendWindow && series.of == flow)?;
        let Columns::Points { time, value } = &windows.columns else { return None };
        let ends = time.iter().skip(1).copied().chain([end]);
        let largest = value.iter().copied().fold(0.0, f64::max);
        let mut shortest = round_trip;
        let (mut values, mut begins) = (Vec::new(), Vec::new());
        for ((begin, value), end) in time.iter().zip(value).zip(ends).take_while(|((_, value), _)| **value < largest) {
            let rest = end.since(*begin);
            if rest * 2 >= shortest {
                shortest = shortest.max(rest);
                values.push(*value);
                begins.push(*begin);
            }
        }
        let gaps: Vec<f64> = begins.windows(2).map(|pair| pair[1].since(pair[0]).as_secs_f64()).collect();
        let (least_quotient, largest_quotient) = quotients(&values)?;
        Some(Plateaus { least_quotient, largest_quotient, gap_quotients: quotients(&gaps) })
    }
}

/// The least and the largest quotient of values that follow each other.
fn quotients(values: &[f64]) -> Option<(f64, f64)> {
    let quotients = || values.windows(2).map(|pair| pair[1] / pair[0]);
    Some((quotients().reduce(f64::min)?, quotients().reduce(f64::max)?))
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
        let found = of(100).unwrap();
        assert_eq!((found.least_quotient, found.largest_quotient), (2.0, 2.5));
        // They begin at 0, 10, 21, 34, 42 and 68 ms: 10, 11, 13, 8, 26 ms.
        let (least, largest) = found.gap_quotients.unwrap();
        assert!((least - 8.0 / 13.0).abs() < 1e-9 && (largest - 26.0 / 8.0).abs() < 1e-9, "{least} {largest}");
        assert_eq!(Plateaus::of("f", Span::from_ms(100), &series, Time::ZERO + Span::from_ms(100)), None);
        assert_eq!(Plateaus::of("g", Span::from_ms(10), &series, Time::ZERO + Span::from_ms(100)), None);
    }
}
