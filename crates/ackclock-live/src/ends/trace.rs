//! What `TCP_INFO` says of a sender over time, as the recorders of a simulation have it.

use ackclock::record::{Columns, FlowCounts, LimitedTimes, Metric, MetricSet, Series};
use ackclock::units::{Span, Time};

use crate::sys::TcpInfo;

/// What was read of one sender so far.
#[derive(Clone, Debug)]
pub struct SenderTrace {
    columns: Vec<(Metric, Vec<Time>, Vec<f64>)>,
    last: TcpInfo,
    timeouts: u64,
    timeout_times: Vec<Time>,
    fast_retransmits: u64,
}

/// What the kernel has noted at an acknowledgement, before it was processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// The congestion window, segments.
    pub cwnd: u32,
    /// The slow-start threshold, segments.
    pub ssthresh: u32,
    /// Microseconds; zero before the first sample.
    pub srtt: u32,
    /// The window of the receiver, bytes.
    pub peer_window: u32,
}

/// What only the sender's TCP knows of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SenderCounts {
    /// When the retransmission timer expired, as far as that was seen: to within the time between two readings.
    pub timeout_times: Vec<Time>,
    /// Expiries of the timer, and recoveries without one.
    pub counts: FlowCounts,
    /// What kept it from sending more.
    pub limited: LimitedTimes,
}

impl SenderTrace {
    /// A trace of those of these metrics that readings show.
    pub fn new(metrics: MetricSet) -> SenderTrace {
        let shown = [Metric::Cwnd, Metric::Ssthresh, Metric::SendWindow, Metric::Srtt, Metric::Rto];
        let wanted = shown.into_iter().filter(|metric| metrics.contains(*metric));
        SenderTrace {
            columns: wanted.map(|metric| (metric, Vec::new(), Vec::new())).collect(),
            last: TcpInfo::default(),
            timeouts: 0,
            timeout_times: Vec::new(),
            fast_retransmits: 0,
        }
    }

    /// A reading of the connection at an instant.
    pub fn read(&mut self, now: Time, info: &TcpInfo) {
        self.note(now, info, |_| true);
        let before = std::mem::replace(&mut self.last, *info);
        // Kernels before 6.7 do not count timeouts: then each step of the backoff is one that was seen.
        let new = match info.total_rto {
            0 => u64::from(info.backoff.saturating_sub(before.backoff)),
            total => u64::from(total.wrapping_sub(before.total_rto)),
        };
        self.timeouts += new;
        self.timeout_times.extend((0..new).map(|_| now));
        self.fast_retransmits += u64::from(info.ca_state == IN_RECOVERY && before.ca_state != IN_RECOVERY);
    }

    /// An acknowledgement came at an instant.
    pub fn acknowledged(&mut self, at: Time, acknowledged: &Acknowledged) {
        let Acknowledged { cwnd, ssthresh, srtt, peer_window } = *acknowledged;
        let info = TcpInfo { snd_cwnd: cwnd, snd_ssthresh: ssthresh, rtt: srtt, snd_wnd: peer_window, ..self.last };
        // Without a reading the size of segments is not known.
        if info.snd_mss > 0 {
            self.note(at, &info, |metric| metric != Metric::Rto);
        }
    }

    /// Adds what has changed of these metrics. What is earlier than what is there is left out.
    fn note(&mut self, at: Time, info: &TcpInfo, which: impl Fn(Metric) -> bool) {
        for (metric, time, value) in self.columns.iter_mut().filter(|(metric, ..)| which(*metric)) {
            let is = reading(*metric, info);
            if let Some(is) = is.filter(|is| value.last() != Some(is) && time.last().is_none_or(|last| *last <= at)) {
                time.push(at);
                value.push(is);
            }
        }
    }

    /// What it has counted by now, of a connection that is open since `opened`.
    pub fn counts(&self, now: Time, opened: Option<Time>) -> SenderCounts {
        let us = |us: u64| Span::from_us(us);
        let info = &self.last;
        let (receiver, buffer) = (us(info.rwnd_limited), us(info.sndbuf_limited));
        let busy = us(info.busy_time).max(receiver + buffer);
        let open = opened.filter(|opened| *opened < now).map_or(Span::ZERO, |opened| now.since(opened));
        let counts =
            FlowCounts { timeouts: self.timeouts, fast_retransmits: self.fast_retransmits, ..FlowCounts::default() };
        let limited = LimitedTimes {
            receive_window: receiver,
            congestion_window: busy - receiver - buffer,
            application: Span::from_ps(open.as_ps().saturating_sub(busy.as_ps())),
            host: buffer,
        };
        SenderCounts { timeout_times: self.timeout_times.clone(), counts, limited }
    }

    /// The series of the flow with this name.
    pub fn into_series(self, name: &str) -> Vec<Series> {
        let series = |(metric, time, value)| Series {
            metric,
            of: name.to_owned(),
            vc: None,
            columns: Columns::Points { time, value },
        };
        self.columns.into_iter().map(series).collect()
    }
}

/// What a reading says about a metric, in its unit.
fn reading(metric: Metric, info: &TcpInfo) -> Option<f64> {
    let (mss, seconds) = (f64::from(info.snd_mss), |us: u32| f64::from(us) / 1e6);
    let cwnd = f64::from(info.snd_cwnd) * mss;
    match metric {
        Metric::Cwnd => Some(cwnd),
        Metric::Ssthresh if info.snd_ssthresh >= INFINITE_SSTHRESH => Some(f64::INFINITY),
        Metric::Ssthresh => Some(f64::from(info.snd_ssthresh) * mss),
        Metric::SendWindow => Some(cwnd.min(f64::from(info.snd_wnd))).filter(|_| info.snd_wnd > 0),
        Metric::Srtt => Some(seconds(info.rtt)).filter(|_| info.rtt > 0),
        Metric::Rto => Some(seconds(info.rto)),
        _ => None,
    }
}

/// `TCP_CA_Recovery` of Linux: a loss is repaired without a timeout.
const IN_RECOVERY: u8 = 3;
/// `TCP_INFINITE_SSTHRESH` of Linux.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn readings_become_changes_in_bytes_and_seconds() {
        let mut trace = SenderTrace::new([Metric::Cwnd, Metric::Ssthresh, Metric::Srtt].into_iter().collect());
        let first = TcpInfo { snd_mss: 1448, snd_cwnd: 10, snd_ssthresh: INFINITE_SSTHRESH, ..TcpInfo::default() };
        trace.read(ms(10), &first);
        trace.read(ms(20), &TcpInfo { snd_cwnd: 20, rtt: 20_500, ..first });
        trace.read(ms(30), &TcpInfo { snd_cwnd: 20, rtt: 20_500, snd_ssthresh: 7, ..first });
        let columns: Vec<Columns> = trace.into_series("f").into_iter().map(|series| series.columns).collect();
        let points = |time: &[Time], value: &[f64]| Columns::Points { time: time.into(), value: value.into() };
        assert_eq!(columns[0], points(&[ms(10), ms(20)], &[14_480.0, 28_960.0]));
        assert_eq!(columns[1], points(&[ms(10), ms(30)], &[f64::INFINITY, 10_136.0]));
        assert_eq!(columns[2], points(&[ms(20)], &[0.0205]), "before the first sample there is no round trip");
    }

    #[test]
    fn timeouts_and_recoveries_are_counted_as_they_are_seen() {
        let mut trace = SenderTrace::new(MetricSet::NONE);
        let state = |ca_state, total_rto, backoff| TcpInfo { ca_state, total_rto, backoff, ..TcpInfo::default() };
        let readings = [state(0, 0, 0), state(3, 0, 0), state(3, 0, 0), state(0, 0, 0), state(4, 2, 2), state(3, 2, 0)];
        readings.iter().zip(1..).for_each(|(info, n)| trace.read(ms(10 * n), info));
        let counted = trace.counts(ms(100), None);
        assert_eq!((counted.counts.timeouts, counted.counts.fast_retransmits), (2, 2));
        assert_eq!(counted.timeout_times, [ms(50), ms(50)]);
        // A kernel that does not count them.
        let mut trace = SenderTrace::new(MetricSet::NONE);
        [0, 1, 2, 0, 1].iter().zip(1..).for_each(|(backoff, n)| trace.read(ms(10 * n), &state(4, 0, *backoff)));
        assert_eq!(trace.counts(ms(100), None).counts.timeouts, 3);
    }

    #[test]
    fn what_limits_adds_up_to_the_time_that_the_connection_is_open() {
        let mut trace = SenderTrace::new(MetricSet::NONE);
        let info = TcpInfo { busy_time: 700_000, rwnd_limited: 200_000, sndbuf_limited: 100_000, ..TcpInfo::default() };
        trace.read(ms(1500), &info);
        let limited = trace.counts(ms(1500), Some(ms(500))).limited;
        let of = [limited.receive_window, limited.congestion_window, limited.application, limited.host];
        assert_eq!(of, [200, 400, 300, 100].map(Span::from_ms));
    }

    #[test]
    fn acknowledgements_say_what_is_between_two_readings() {
        let metrics = [Metric::Cwnd, Metric::Srtt, Metric::Rto].into_iter().collect();
        let mut trace = SenderTrace::new(metrics);
        let at = |cwnd, srtt| Acknowledged { cwnd, srtt, ..Acknowledged::default() };
        trace.acknowledged(ms(5), &at(7, 0));
        let first = TcpInfo { snd_mss: 1000, snd_cwnd: 10, rto: 1_000_000, ..TcpInfo::default() };
        trace.read(ms(10), &first);
        for (time, cwnd, srtt) in [(12, 10, 0), (14, 11, 20_000), (18, 13, 20_000)] {
            trace.acknowledged(ms(time), &at(cwnd, srtt));
        }
        trace.read(ms(20), &TcpInfo { snd_cwnd: 14, rtt: 20_000, rto: 300_000, ..first });
        trace.acknowledged(ms(19), &at(13, 20_000));
        let columns: Vec<Columns> = trace.into_series("f").into_iter().map(|series| series.columns).collect();
        let points = |time: &[u64], value: &[f64]| Columns::Points {
            time: time.iter().map(|time| ms(*time)).collect(),
            value: value.into(),
        };
        assert_eq!(columns[0], points(&[10, 14, 18, 20], &[10_000.0, 11_000.0, 13_000.0, 14_000.0]));
        assert_eq!(columns[1], points(&[14], &[0.02]));
        assert_eq!(columns[2], points(&[10, 20], &[1.0, 0.3]));
    }
}
