//! What each single timeout and retransmission of a run shows, where the run records what is sent and acknowledged.

use std::collections::HashMap;

use ackclock::record::{Columns, FlowRecord, Metric, Series};
use ackclock::units::{Span, Time};

/// What is seen of the timeouts of all flows, one by one. What was not recorded, or of which there is none, is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Timeouts {
    /// The shortest time for which a flow had sent nothing when its timer expired, seconds.
    pub shortest_idle: Option<f64>,
    /// The share of these times in which an acknowledgement of new data reached the source of another flow.
    pub others_advance: Option<f64>,
    /// Of the segments that were sent again, the share whose round trip was longer than the timeout in force when they were sent
    /// before.
    pub late_segments: Option<f64>,
    /// The same of the segments whose own timer expired.
    pub late_timeouts: Option<f64>,
    /// Of the segments whose own timer expired, the share whose round trip was longer than the timeout in force when it did, less
    /// the tick by which a timer that ticks may expire early.
    pub late_at_expiry: Option<f64>,
    /// The share of timeouts after which the timeout in force was at least twice as long as before.
    pub doubled: Option<f64>,
}

impl Timeouts {
    /// Those of a run, in which the timers of the flows tick at these intervals.
    pub fn of(flows: &[FlowRecord], series: &[Series], ticks: &[Span]) -> Timeouts {
        let recorded = |flow: &FlowRecord, metric| points(series, &flow.name, metric);
        let sent: Option<Vec<Points>> = flows.iter().map(|flow| recorded(flow, Metric::Sent)).collect();
        let acknowledged: Option<Vec<Points>> = flows.iter().map(|flow| recorded(flow, Metric::Acknowledged)).collect();
        let Some((sent, acknowledged)) = sent.zip(acknowledged) else { return Timeouts::default() };
        let (mut idle, mut others) = (Vec::new(), Share::default());
        let [mut segments, mut timeouts, mut at_expiry, mut doubled] = [Share::default(); 4];
        for (number, flow) in flows.iter().enumerate() {
            let (sent, own) = (sent[number], acknowledged[number]);
            for &expired in &flow.timeout_times {
                let Some((last, _)) = sent.before(expired) else { continue };
                idle.push(expired.since(last).as_secs_f64());
                let mut rest = acknowledged.iter().enumerate().filter(|(other, _)| *other != number);
                others.count(rest.any(|(_, other)| other.changes_between(last, expired)));
            }
            let Some(rto) = recorded(flow, Metric::Rto) else { continue };
            for &expired in &flow.timeout_times {
                let (before, after) = (rto.before(expired), rto.before(just_after(expired)));
                before
                    .zip(after)
                    .into_iter()
                    .for_each(|((_, before), (_, after))| doubled.count(after >= 2.0 * before));
            }
            // A segment that was lost has no round trip.
            if flow.counts.unnecessary_retransmissions == flow.counts.retransmissions {
                sent.again()
                    .filter_map(|(time, byte)| is_late(time, byte, own, rto.before(just_after(time))))
                    .for_each(|late| segments.count(late));
                for &expired in &flow.timeout_times {
                    let oldest = own.before(expired).map_or(0.0, |(_, byte)| byte);
                    let Some(time) = sent.last_of(oldest, expired) else { continue };
                    let tick = ticks[number].as_secs_f64();
                    let then = rto.before(expired).map(|(time, timeout)| (time, timeout - tick));
                    for (share, rto) in [(&mut timeouts, rto.before(just_after(time))), (&mut at_expiry, then)] {
                        is_late(time, oldest, own, rto).into_iter().for_each(|late| share.count(late));
                    }
                }
            }
        }
        Timeouts {
            shortest_idle: idle.into_iter().reduce(f64::min),
            others_advance: others.value(),
            late_segments: segments.value(),
            late_timeouts: timeouts.value(),
            late_at_expiry: at_expiry.value(),
            doubled: doubled.value(),
        }
    }
}

/// Whether the segment that begins with this byte and was sent at `time` was acknowledged later than a timeout in force; `None` if it
/// was not acknowledged.
fn is_late(time: Time, byte: f64, acknowledged: Points, rto: Option<(Time, f64)>) -> Option<bool> {
    let first = acknowledged.value.partition_point(|&next| next <= byte);
    let round_trip = acknowledged.time.get(first)?.since(time).as_secs_f64();
    let (_, timeout) = rto?;
    Some(round_trip > timeout)
}

/// What is recorded before it includes what is recorded at `time`.
fn just_after(time: Time) -> Time {
    Time::from_ps(time.as_ps() + 1)
}

/// What was recorded at instants.
#[derive(Clone, Copy)]
struct Points<'a> {
    time: &'a [Time],
    value: &'a [f64],
}

fn points<'a>(series: &'a [Series], flow: &str, metric: Metric) -> Option<Points<'a>> {
    let of_flow = series.iter().find(|series| series.metric == metric && series.of == flow)?;
    match &of_flow.columns {
        Columns::Points { time, value } => Some(Points { time, value }),
        _ => None,
    }
}

impl Points<'_> {
    /// Of each segment that was sent again the instant at which it was sent before, and its first byte.
    fn again(&self) -> impl Iterator<Item = (Time, f64)> {
        let mut last: HashMap<u64, Time> = HashMap::new();
        let all = self.time.iter().zip(self.value);
        all.filter_map(move |(&time, &byte)| Some((last.insert(byte as u64, time)?, byte)))
    }

    /// When this value was recorded last before an instant.
    fn last_of(&self, value: f64, end: Time) -> Option<Time> {
        let before = self.time.partition_point(|&time| time < end);
        (0..before).rev().find(|&place| self.value[place] == value).map(|place| self.time[place])
    }

    /// The last one before an instant.
    fn before(&self, end: Time) -> Option<(Time, f64)> {
        let last = self.time.partition_point(|&time| time < end).checked_sub(1)?;
        Some((self.time[last], self.value[last]))
    }

    /// Whether there is one after an instant and before another.
    fn changes_between(&self, from: Time, to: Time) -> bool {
        self.before(to).is_some_and(|(time, _)| time > from)
    }
}

/// How many of all.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    of: u64,
    all: u64,
}

impl Share {
    fn count(&mut self, is_one: bool) {
        self.of += u64::from(is_one);
        self.all += 1;
    }

    fn value(self) -> Option<f64> {
        (self.all > 0).then(|| self.of as f64 / self.all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKS: [Span; 2] = [Span::from_ms(10); 2];

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn series(flow: &str, metric: Metric, rows: &[(u64, f64)]) -> Series {
        let columns = Columns::Points {
            time: rows.iter().map(|row| at(row.0)).collect(),
            value: rows.iter().map(|row| row.1).collect(),
        };
        Series { metric, of: flow.into(), vc: None, columns }
    }

    /// Two flows of a real run, with what is set here alone.
    fn flows(timeouts_ms: [&[u64]; 2], retransmissions: u64, unnecessary: u64) -> Vec<FlowRecord> {
        let text = "duration = \"1 ms\"\n[network]\ntopology = \"n-source\"\nsources = 2\nrate = \"1 Mbps\"\n\
                    access_delay = \"0 s\"\ntrunk_delay = \"0 s\"\n";
        let source = ackclock_scenario::Memory::new().with("test.toml", text);
        let loaded = ackclock_scenario::load(&source, "test.toml", &[]).unwrap();
        let mut simulation = ackclock::sim::build(&loaded.scenario, 1);
        simulation.step(Time::NEVER);
        let mut flows = simulation.finish().flows;
        for (flow, timeouts) in flows.iter_mut().zip(timeouts_ms) {
            flow.timeout_times = timeouts.iter().copied().map(at).collect();
            (flow.counts.retransmissions, flow.counts.unnecessary_retransmissions) = (retransmissions, unnecessary);
        }
        flows
    }

    /// f1 sends segments of 100 bytes at 0, 10 and 20 ms, and again from 150 ms on, when its timer has expired at 140 ms; the
    /// acknowledgements of the first two come at 160 ms and that of the third at 170 ms.
    fn recorded(other: &[(u64, f64)], rto: &[(u64, f64)]) -> Vec<Series> {
        let sent = [(0, 0.0), (10, 100.0), (20, 200.0), (150, 0.0), (161, 200.0), (180, 300.0)];
        vec![
            series("f1", Metric::Sent, &sent),
            series("f1", Metric::Acknowledged, &[(0, 0.0), (60, 0.0), (160, 200.0), (170, 300.0)]),
            series("f1", Metric::Rto, rto),
            series("f2", Metric::Sent, &[(5, 0.0)]),
            series("f2", Metric::Acknowledged, other),
            series("f2", Metric::Rto, &[(0, 3.0)]),
        ]
    }

    #[test]
    fn a_gap_lasts_from_the_last_segment_sent_to_the_expiry() {
        let flows = flows([&[140], &[]], 2, 2);
        let others = |other: &[(u64, f64)]| {
            let timeouts = Timeouts::of(&flows, &recorded(other, &[(0, 3.0)]), &TICKS);
            assert_eq!(timeouts.shortest_idle, Some(0.12));
            timeouts.others_advance
        };
        // At 20 ms the gap begins, at 140 it ends.
        assert_eq!([others(&[(0, 0.0), (20, 1.0)]), others(&[(0, 0.0), (21, 1.0)])], [Some(0.0), Some(1.0)]);
        assert_eq!([others(&[(139, 1.0)]), others(&[(140, 1.0)])], [Some(1.0), Some(0.0)]);
    }

    /// Round trips of 160 ms of the segment whose timer expires and 150 ms of the third; the second is not sent again.
    #[test]
    fn round_trips_are_compared_with_the_timeout_in_force_when_the_segment_was_sent() {
        let flows = flows([&[140], &[]], 2, 2);
        let late = |rto: &[(u64, f64)]| {
            let timeouts = Timeouts::of(&flows, &recorded(&[(0, 0.0)], rto), &TICKS);
            assert_eq!(timeouts.doubled, Some(if rto.len() > 1 { 1.0 } else { 0.0 }), "0.28 and 0.6 at 140 ms");
            [timeouts.late_segments, timeouts.late_timeouts].map(Option::unwrap)
        };
        assert_eq!(
            [late(&[(0, 0.149)]), late(&[(0, 0.159)]), late(&[(0, 0.161)])],
            [[1.0, 1.0], [0.5, 1.0], [0.0, 0.0]]
        );
        assert_eq!(late(&[(0, 0.3), (20, 0.14), (140, 0.28)]), [0.5, 0.0]);
        assert_eq!(late(&[(0, 0.14), (15, 0.3), (140, 0.6)]), [0.5, 1.0]);
    }

    /// The segment whose timer expires at 140 ms has a round trip of 160 ms; the timeout in force was 300 ms when it was sent.
    #[test]
    fn a_timeout_may_be_shorter_at_expiry_than_when_the_segment_was_sent() {
        let flows = flows([&[140], &[]], 2, 2);
        let of = |rto: &[(u64, f64)]| {
            let timeouts = Timeouts::of(&flows, &recorded(&[(0, 0.0)], rto), &TICKS);
            [timeouts.late_timeouts, timeouts.late_at_expiry, timeouts.doubled].map(Option::unwrap)
        };
        assert_eq!(of(&[(0, 0.3), (20, 0.14), (140, 0.28)]), [0.0, 1.0, 1.0]);
        // 0.339 is less than twice 0.17, and 0.16 is not more than 0.17 less a tick of 10 ms; it is more than 0.169 less that.
        assert_eq!(of(&[(0, 0.3), (20, 0.17), (140, 0.339)]), [0.0, 0.0, 0.0]);
        assert_eq!(of(&[(0, 0.3), (20, 0.169), (140, 0.339)]), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn flows_that_lost_something_are_left_out_and_what_was_not_recorded_is_not_known() {
        let lost = flows([&[140], &[]], 2, 1);
        let all = recorded(&[(0, 0.0)], &[(0, 0.1)]);
        let timeouts = Timeouts::of(&lost, &all, &TICKS);
        assert_eq!((timeouts.late_segments, timeouts.shortest_idle), (None, Some(0.12)));
        assert_eq!(Timeouts::of(&lost, &all[..4], &TICKS), Timeouts::default());
    }
}
