//! Recorders: they watch one thing each while the run goes on, and keep columns.
//!
//! Both engines call them at the same instants with the same values, in the order of time for each thing. A recorder
//! exists only where the scenario asks for it.

use super::{Columns, DropReason, Metric, MetricSet, Series};
use crate::units::{Span, Time};

/// Values at instants.
#[derive(Clone, Debug, Default)]
struct Points {
    time: Vec<Time>,
    value: Vec<f64>,
}

impl Points {
    fn push(&mut self, now: Time, value: f64) {
        self.time.push(now);
        self.value.push(value);
    }

    /// The value from now on. What lasts no time leaves no trace.
    fn change(&mut self, now: Time, value: f64) {
        if self.value.last() == Some(&value) {
            return;
        }
        if self.time.last() == Some(&now) {
            self.time.pop();
            self.value.pop();
            if self.value.last() == Some(&value) {
                return;
            }
        }
        self.push(now, value);
    }

    fn columns(&self) -> Columns {
        Columns::Points { time: self.time.clone(), value: self.value.clone() }
    }
}

/// What is recorded of a sender, as it is after an event.
#[derive(Clone, Copy, Debug)]
pub struct SenderState {
    /// Bytes.
    pub cwnd: f64,
    /// Bytes.
    pub ssthresh: f64,
    /// Seconds; `None` before the first sample.
    pub srtt: Option<f64>,
    /// Seconds.
    pub rto: f64,
    /// First byte not acknowledged.
    pub acknowledged: u64,
}

/// Records a sender.
#[derive(Clone, Debug)]
pub struct SenderTrace {
    metrics: MetricSet,
    cwnd: Points,
    ssthresh: Points,
    rtt: Points,
    srtt: Points,
    rto: Points,
    sent: Points,
    retransmissions: Points,
    acknowledged: Points,
    /// First byte never sent.
    highest: u64,
    /// The segment whose round trip is measured, by its first byte, and when it was handed down.
    timed: Option<(u64, Time)>,
}

impl SenderTrace {
    /// A recorder of those of `metrics` that are a sender's; `None` if there are none.
    pub fn new(metrics: MetricSet) -> Option<Box<SenderTrace>> {
        const MINE: [Metric; 8] = [
            Metric::Cwnd,
            Metric::Ssthresh,
            Metric::Rtt,
            Metric::Srtt,
            Metric::Rto,
            Metric::Sent,
            Metric::Retransmissions,
            Metric::Acknowledged,
        ];
        MINE.iter().any(|&metric| metrics.contains(metric)).then(|| {
            Box::new(SenderTrace {
                metrics,
                cwnd: Points::default(),
                ssthresh: Points::default(),
                rtt: Points::default(),
                srtt: Points::default(),
                rto: Points::default(),
                sent: Points::default(),
                retransmissions: Points::default(),
                acknowledged: Points::default(),
                highest: 0,
                timed: None,
            })
        })
    }

    /// Bytes up to `una` are acknowledged. To be called before the sender answers with new segments.
    pub fn acked(&mut self, now: Time, una: u64) {
        if let Some((_, since)) = self.timed.take_if(|(seq, _)| una > *seq)
            && self.metrics.contains(Metric::Rtt)
        {
            self.rtt.push(now, now.since(since).as_secs_f64());
        }
    }

    /// The segment of the bytes `seq..end` is handed down; `timed` is the segment whose round trip is measured now.
    pub fn sent(&mut self, now: Time, seq: u64, end: u64, timed: Option<u64>) {
        if self.metrics.contains(Metric::Sent) {
            self.sent.push(now, seq as f64);
        }
        if seq < self.highest && self.metrics.contains(Metric::Retransmissions) {
            self.retransmissions.push(now, seq as f64);
        }
        self.highest = self.highest.max(end);
        if timed != self.timed.map(|(seq, _)| seq) {
            self.timed = timed.map(|seq| (seq, now));
        }
    }

    /// An event is over, and this is how the sender is now.
    pub fn settled(&mut self, now: Time, state: &SenderState) {
        let change = |metric, points: &mut Points, value| {
            if self.metrics.contains(metric) {
                points.change(now, value);
            }
        };
        change(Metric::Cwnd, &mut self.cwnd, state.cwnd);
        change(Metric::Ssthresh, &mut self.ssthresh, state.ssthresh);
        if let Some(srtt) = state.srtt {
            change(Metric::Srtt, &mut self.srtt, srtt);
        }
        change(Metric::Rto, &mut self.rto, state.rto);
        change(Metric::Acknowledged, &mut self.acknowledged, state.acknowledged as f64);
    }

    /// The congestion window at an instant, after whatever happens then.
    pub fn cwnd_at(&self, instant: Time) -> Option<f64> {
        let after = self.cwnd.time.partition_point(|&time| time <= instant);
        self.cwnd.value.get(after.checked_sub(1)?).copied()
    }

    /// The record of one of its metrics.
    pub fn columns(&self, metric: Metric) -> Columns {
        match metric {
            Metric::Cwnd => &self.cwnd,
            Metric::Ssthresh => &self.ssthresh,
            Metric::Rtt => &self.rtt,
            Metric::Srtt => &self.srtt,
            Metric::Rto => &self.rto,
            Metric::Sent => &self.sent,
            Metric::Retransmissions => &self.retransmissions,
            _ => &self.acknowledged,
        }
        .columns()
    }
}

/// How many parts an interval has, over which the extremes of a rate are taken.
const PARTS: u64 = 10;

/// An amount per interval, as a rate: its mean, and the extremes over tenths of the interval.
#[derive(Clone, Debug)]
pub struct Amounts {
    part: Span,
    parts: Vec<u64>,
}

impl Amounts {
    /// Nothing yet. `interval` is a multiple of ten picoseconds.
    pub fn new(interval: Span) -> Amounts {
        Amounts { part: Span::from_ps(interval.as_ps() / PARTS), parts: Vec::new() }
    }

    /// Something at an instant.
    pub fn add(&mut self, now: Time, amount: u64) {
        let part = (now.as_ps() / self.part.as_ps()) as usize;
        self.reach(part);
        self.parts[part] += amount;
    }

    /// One per picosecond from an instant to another, which is not earlier.
    fn add_time(&mut self, from: Time, to: Time) {
        let width = self.part.as_ps();
        let (mut from, to) = (from.as_ps(), to.as_ps());
        while from < to {
            let part = (from / width) as usize;
            let end = to.min((part as u64 + 1) * width);
            self.reach(part);
            self.parts[part] += end - from;
            from = end;
        }
    }

    fn reach(&mut self, part: usize) {
        if part >= self.parts.len() {
            self.parts.resize(part + 1, 0);
        }
    }

    /// Amounts per `unit` of time, up to `end`.
    fn columns(&self, end: Time, unit: Span) -> Columns {
        let width = self.part.as_ps();
        let (mut min, mut mean, mut max) = (Vec::new(), Vec::new(), Vec::new());
        let count = end.as_ps().div_ceil(width * PARTS);
        for interval in 0..count {
            let (mut low, mut high, mut sum, mut time) = (f64::INFINITY, 0.0f64, 0, 0);
            for part in interval * PARTS..(interval + 1) * PARTS {
                let length = end.as_ps().saturating_sub(part * width).min(width);
                if length == 0 {
                    break;
                }
                let amount = self.parts.get(part as usize).copied().unwrap_or(0);
                let rate = amount as f64 / (length as f64 / unit.as_ps() as f64);
                (low, high) = (low.min(rate), high.max(rate));
                sum += amount;
                time += length;
            }
            min.push(low);
            mean.push(sum as f64 / (time as f64 / unit.as_ps() as f64));
            max.push(high);
        }
        Columns::Intervals { interval: Span::from_ps(width * PARTS), end, min, mean, max }
    }
}

/// The time in which something goes on.
#[derive(Clone, Debug)]
struct Busy {
    time: Amounts,
    /// The last stretch, not counted yet: the end of the run may cut it.
    last: (Time, Time),
}

impl Busy {
    /// It goes on from an instant to another; not before the end of what was told before.
    #[inline]
    fn add(&mut self, from: Time, to: Time) {
        if from > self.last.1 {
            self.time.add_time(self.last.0, self.last.1);
            self.last.0 = from;
        }
        self.last.1 = to;
    }

    fn columns(&self, end: Time) -> Columns {
        let mut time = self.time.clone();
        time.add_time(self.last.0, self.last.1.min(end));
        time.columns(end, Span::from_ps(1))
    }
}

/// Records what a receiver delivers.
#[derive(Clone, Debug)]
pub struct DeliveryTrace {
    bits: Amounts,
    delivered: u64,
}

impl DeliveryTrace {
    /// A recorder, if the throughput is asked for.
    pub fn new(metrics: MetricSet, interval: Span) -> Option<Box<DeliveryTrace>> {
        let wanted = metrics.contains(Metric::Throughput);
        wanted.then(|| Box::new(DeliveryTrace { bits: Amounts::new(interval), delivered: 0 }))
    }

    /// So many bytes are delivered in all.
    pub fn delivered(&mut self, now: Time, bytes: u64) {
        if bytes > self.delivered {
            self.bits.add(now, 8 * (bytes - self.delivered));
            self.delivered = bytes;
        }
    }

    /// The throughput up to `end`, in bits per second.
    pub fn columns(&self, end: Time) -> Columns {
        self.bits.columns(end, Span::from_secs(1))
    }
}

/// Records a number that changes at instants: minimum, mean and maximum per interval, every change, or both.
#[derive(Clone, Debug)]
struct LevelTrace {
    averages: Option<Averages>,
    changes: Option<Points>,
}

impl LevelTrace {
    fn new(averages: Option<Span>, changes: bool) -> LevelTrace {
        let changes = changes.then(|| Points { time: vec![Time::ZERO], value: vec![0.0] });
        LevelTrace { averages: averages.map(Averages::new), changes }
    }

    #[inline]
    fn set(&mut self, now: Time, value: u32) {
        if let Some(averages) = &mut self.averages {
            averages.set(now, value);
        }
        if let Some(changes) = &mut self.changes {
            changes.change(now, f64::from(value));
        }
    }
}

/// Exact averages of a number over intervals.
#[derive(Clone, Debug)]
struct Averages {
    interval: Span,
    value: u32,
    since: Time,
    /// The end of the running interval.
    next: Time,
    /// Over the running interval so far: the number times picoseconds, and the values that lasted.
    integral: u128,
    min: u32,
    max: u32,
    columns: [Vec<f64>; 3],
}

impl Averages {
    fn new(interval: Span) -> Averages {
        let columns = [const { Vec::new() }; 3];
        let next = Time::ZERO + interval;
        Averages { interval, value: 0, since: Time::ZERO, next, integral: 0, min: u32::MAX, max: 0, columns }
    }

    #[inline]
    fn set(&mut self, now: Time, value: u32) {
        while now >= self.next {
            self.close();
        }
        self.lasted(now);
        self.value = value;
    }

    /// The value lasted until now.
    #[inline]
    fn lasted(&mut self, now: Time) {
        if now > self.since {
            self.integral += u128::from(self.value) * u128::from(now.since(self.since).as_ps());
            self.min = self.min.min(self.value);
            self.max = self.max.max(self.value);
            self.since = now;
        }
    }

    fn close(&mut self) {
        let (next, length) = (self.next, self.interval);
        self.lasted(next);
        self.write(length);
        self.next += self.interval;
    }

    /// The running interval is over and was so long.
    fn write(&mut self, length: Span) {
        let mean = self.integral as f64 / length.as_ps() as f64;
        for (column, value) in self.columns.iter_mut().zip([f64::from(self.min), mean, f64::from(self.max)]) {
            column.push(value);
        }
        (self.integral, self.min, self.max) = (0, u32::MAX, 0);
    }

    fn columns(&self, end: Time) -> Columns {
        let mut all = self.clone();
        while end >= all.next {
            all.close();
        }
        all.lasted(end);
        let begun = Time::from_ps(all.next.as_ps() - all.interval.as_ps());
        if end > begun {
            all.write(end.since(begun));
        }
        let [min, mean, max] = all.columns;
        Columns::Intervals { interval: self.interval, end, min, mean, max }
    }
}

/// Records a port.
#[derive(Clone, Debug)]
pub struct PortTrace {
    queue: Option<LevelTrace>,
    vcs: Vec<LevelTrace>,
    /// When the port transmits.
    busy: Option<Busy>,
    drops: Option<Vec<Refused>>,
}

/// A refused unit.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// When.
    pub time: Time,
    /// The connection's number at the port.
    pub vc: u32,
    /// The how manieth frame of the connection it belongs to.
    pub frame: u32,
    /// Why.
    pub reason: DropReason,
}

impl PortTrace {
    /// A recorder of those of `metrics` that are a port's, at a port that `vcs` connections cross; `None` if there are
    /// none.
    pub fn new(metrics: MetricSet, interval: Span, vcs: usize) -> Option<Box<PortTrace>> {
        let level = |average, changes| {
            let (average, changes) = (metrics.contains(average), metrics.contains(changes));
            (average || changes).then(|| LevelTrace::new(average.then_some(interval), changes))
        };
        let queue = level(Metric::Queue, Metric::QueueChanges);
        let of_vc = level(Metric::VcQueue, Metric::VcQueueChanges);
        let trace = PortTrace {
            vcs: of_vc.map_or(Vec::new(), |level| vec![level; vcs]),
            busy: metrics
                .contains(Metric::Utilisation)
                .then(|| Busy { time: Amounts::new(interval), last: (Time::ZERO, Time::ZERO) }),
            drops: metrics.contains(Metric::Drops).then(Vec::new),
            queue,
        };
        let wanted = trace.queue.is_some() || !trace.vcs.is_empty() || trace.busy.is_some() || trace.drops.is_some();
        wanted.then(|| Box::new(trace))
    }

    /// So many units wait now, so many of them of connection `vc`; of the others as many as before.
    #[inline]
    pub fn waiting(&mut self, now: Time, queued: u32, vc: usize, of_vc: u32) {
        if let Some(queue) = &mut self.queue {
            queue.set(now, queued);
        }
        if let Some(level) = self.vcs.get_mut(vc) {
            level.set(now, of_vc);
        }
    }

    /// The port transmits from an instant to another.
    #[inline]
    pub fn transmits(&mut self, from: Time, to: Time) {
        if let Some(busy) = &mut self.busy {
            busy.add(from, to);
        }
    }

    /// Whether it wants to know how many wait of each connection.
    pub fn wants_vcs(&self) -> bool {
        !self.vcs.is_empty()
    }

    /// A unit is refused.
    pub fn refused(&mut self, refused: Refused) {
        if let Some(drops) = &mut self.drops {
            drops.push(refused);
        }
    }

    /// Everything refused so far.
    pub fn all_refused(&self) -> &[Refused] {
        self.drops.as_deref().unwrap_or_default()
    }

    /// The record of one metric up to `end` at the port called `name`, which the connections called `vcs` cross.
    pub fn series(&self, metric: Metric, end: Time, name: &str, vcs: &[String]) -> Vec<Series> {
        let one = |columns| vec![Series { metric, of: name.to_owned(), vc: None, columns }];
        let level = |level: &LevelTrace| match metric {
            Metric::Queue | Metric::VcQueue => level.averages.as_ref().map(|averages| averages.columns(end)),
            _ => level.changes.as_ref().map(Points::columns),
        };
        match metric {
            Metric::Queue | Metric::QueueChanges => self.queue.as_ref().and_then(level).map(one).unwrap_or_default(),
            Metric::VcQueue | Metric::VcQueueChanges => {
                let of_vc = |(trace, vc): (&LevelTrace, &String)| {
                    Some(Series { metric, of: name.to_owned(), vc: Some(vc.clone()), columns: level(trace)? })
                };
                self.vcs.iter().zip(vcs).filter_map(of_vc).collect()
            }
            Metric::Utilisation => self.busy.as_ref().map(|busy| one(busy.columns(end))).unwrap_or_default(),
            Metric::Drops => self.drops.as_ref().map(|drops| one(drop_columns(drops, vcs))).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

fn drop_columns(drops: &[Refused], vcs: &[String]) -> Columns {
    Columns::Drops {
        time: drops.iter().map(|drop| drop.time).collect(),
        vc: drops.iter().map(|drop| drop.vc).collect(),
        frame: drops.iter().map(|drop| drop.frame).collect(),
        reason: drops.iter().map(|drop| drop.reason).collect(),
        names: vcs.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn set(metrics: &[Metric]) -> MetricSet {
        metrics.iter().copied().collect()
    }

    fn intervals(columns: Columns) -> [Vec<f64>; 3] {
        let Columns::Intervals { min, mean, max, .. } = columns else { panic!("no intervals") };
        [min, mean, max]
    }

    #[test]
    fn a_value_that_lasts_no_time_leaves_no_trace() {
        let mut points = Points::default();
        for (time, value) in [(0, 1.0), (5, 2.0), (5, 1.0), (7, 3.0), (7, 4.0), (9, 4.0)] {
            points.change(at(time), value);
        }
        assert_eq!((points.time, points.value), (vec![at(0), at(7)], vec![1.0, 4.0]));
    }

    #[test]
    fn averages_by_hand() {
        let mut trace = PortTrace::new(set(&[Metric::Queue]), Span::from_ps(100), 1).unwrap();
        // 0 until 50, 4 until 150, 1 until 350; at 150 it was 9 for no time.
        for (time, queued) in [(50, 4), (150, 9), (150, 1), (350, 2)] {
            trace.waiting(at(time), queued, 0, queued);
        }
        let series = trace.series(Metric::Queue, at(375), "p", &["v".into()]);
        let [min, mean, max] = intervals(series[0].columns.clone());
        assert_eq!(min, [0.0, 1.0, 1.0, 1.0]);
        // 4·50/100; (4·50 + 1·50)/100; 1; (1·50 + 2·25)/75
        assert_eq!(mean, [2.0, 2.5, 1.0, 100.0 / 75.0]);
        assert_eq!(max, [4.0, 4.0, 1.0, 2.0]);
    }

    #[test]
    fn a_run_that_ends_with_an_interval_has_no_empty_one() {
        let trace = PortTrace::new(set(&[Metric::Queue]), Span::from_ps(100), 1).unwrap();
        assert_eq!(intervals(trace.series(Metric::Queue, at(200), "p", &[])[0].columns.clone())[1], [0.0, 0.0]);
    }

    #[test]
    fn utilisation_by_hand() {
        let mut trace = PortTrace::new(set(&[Metric::Utilisation]), Span::from_ps(100), 1).unwrap();
        trace.transmits(at(5), at(20));
        trace.transmits(at(95), at(125));
        let series = trace.series(Metric::Utilisation, at(120), "p", &[]);
        let [min, mean, max] = intervals(series[0].columns.clone());
        // First interval: 15 + 5 of 100, tenths between nothing and all; second: all of 20, what is beyond the end
        // does not count.
        assert_eq!((min, mean, max), (vec![0.0, 1.0], vec![0.2, 1.0], vec![1.0, 1.0]));
    }

    #[test]
    fn throughput_by_hand() {
        let mut trace = DeliveryTrace::new(set(&[Metric::Throughput]), Span::from_ms(10)).unwrap();
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        trace.delivered(ms(0), 1000);
        trace.delivered(ms(3), 1000);
        trace.delivered(ms(3), 3000);
        trace.delivered(ms(12), 4000);
        let [min, mean, max] = intervals(trace.columns(ms(15)));
        // 24 kb in 10 ms; 16 of them in one tenth. 8 kb in 5 ms, all in one tenth.
        assert_eq!((min, mean, max), (vec![0.0, 0.0], vec![2.4e6, 1.6e6], vec![16e6, 8e6]));
    }

    #[test]
    fn round_trips_are_those_of_timed_segments() {
        let mut trace = SenderTrace::new(set(&[Metric::Rtt, Metric::Sent, Metric::Retransmissions])).unwrap();
        trace.sent(at(10), 0, 100, Some(0));
        trace.sent(at(20), 100, 200, Some(0));
        trace.acked(at(500), 0);
        trace.acked(at(1_000_000_000_010), 100);
        trace.sent(at(1_000_000_000_010), 200, 300, Some(200));
        // Sent again: no longer timed.
        trace.sent(at(1_000_000_000_020), 100, 200, None);
        trace.acked(at(2_000_000_000_000), 300);
        assert_eq!(trace.columns(Metric::Rtt), Columns::Points { time: vec![at(1_000_000_000_010)], value: vec![1.0] });
        let Columns::Points { value, .. } = trace.columns(Metric::Retransmissions) else { panic!() };
        assert_eq!(value, [100.0]);
        assert_eq!(trace.columns(Metric::Sent).len(), 4);
    }

    #[test]
    fn what_nobody_asks_for_has_no_recorder() {
        assert!(SenderTrace::new(set(&[Metric::Queue, Metric::Throughput])).is_none());
        assert!(PortTrace::new(set(&[Metric::Cwnd]), Span::from_ms(1), 3).is_none());
        assert!(DeliveryTrace::new(set(&[Metric::Cwnd]), Span::from_ms(1)).is_none());
    }
}
