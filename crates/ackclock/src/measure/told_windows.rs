//! What the windows that a sender is told say of the rates behind them: a router that computes rates at the end of averaging intervals
//! changes the window of a flow once in an interval at most, and the rate rises from one to the next by no more than the rule allows.

use std::collections::BTreeMap;

use crate::exact::root;
use crate::ids::LinkId;
use crate::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES};
use crate::record::{Columns, Metric, Series};
use crate::scenario::{Flow, Scenario, Technology};
use crate::units::{Span, Time};

/// The windows of a flow whose acknowledgements one packet router changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToldWindows {
    /// How often the window changed.
    pub changes: u64,
    /// How often it changed again within an averaging interval of the router.
    pub changes_in_interval: u64,
    /// The largest factor from one interval to the next by which the rate must have risen: windows are whole segments.
    pub largest_rise: f64,
    /// The least factor from one interval to the next by which it must have fallen.
    pub largest_fall: f64,
}

impl ToldWindows {
    /// Of a flow whose window was recorded, and that was told a window at all.
    pub fn of(flow: &Flow, scenario: &Scenario, series: &[Series]) -> Option<ToldWindows> {
        let router = Router::of(flow, scenario)?;
        let points = |metric: Metric| {
            let series = series.iter().find(|series| series.metric == metric && series.of == flow.name)?;
            let Columns::Points { time, value } = &series.columns else { return None };
            Some(time.iter().copied().zip(value.iter().copied()))
        };
        let cwnd: BTreeMap<Time, f64> = points(Metric::Cwnd)?.collect();
        // What is less than the congestion window is what the sender was told.
        let is_told =
            |(time, window): &(Time, f64)| cwnd.range(..=*time).next_back().is_some_and(|(_, cwnd)| window < cwnd);
        ToldWindows::from_changes(points(Metric::SendWindow)?.filter(is_told), &router, f64::from(flow.tcp.mss))
    }

    fn from_changes(windows: impl Iterator<Item = (Time, f64)>, router: &Router, mss: f64) -> Option<ToldWindows> {
        let mut told = ToldWindows { largest_fall: 1.0, ..ToldWindows::default() };
        let mut last: Option<(u64, f64)> = None;
        for (time, window) in windows {
            let interval = router.interval_of(time);
            if let Some((before, from)) = last.filter(|(_, from)| *from != window) {
                told.changes += 1;
                let intervals = interval - before;
                told.changes_in_interval += u64::from(intervals == 0);
                // A window of n segments is a rate of n to n + 1 segments in a round trip.
                if intervals > 0 {
                    told.largest_rise = told.largest_rise.max(root(window / (from + mss), intervals));
                }
                if intervals == 1 {
                    told.largest_fall = told.largest_fall.min((window + mss) / from);
                }
            }
            last = Some((interval, window));
        }
        last.map(|_| told)
    }
}

/// When a router changes acknowledgements that the sender gets later.
struct Router {
    /// T: what is told changes at its multiples.
    interval: Span,
    /// From the router to the sender.
    delay: Span,
}

impl Router {
    /// Of those that change the acknowledgements of a flow the nearest to its sender, of packets over fixed routes.
    fn of(flow: &Flow, scenario: &Scenario) -> Option<Router> {
        let Technology::Packet { link_header_bytes } = scenario.technology else { return None };
        let bits = u64::from(IP_HEADER_BYTES + TCP_HEADER_BYTES + link_header_bytes) * 8;
        let gives_rates = |link: &&LinkId| scenario.links[**link].queue.feedback.is_some();
        let (forward, backward) = (flow.forward.fixed()?, flow.backward.fixed()?);
        let mut nearest: Option<Router> = None;
        for port in forward.iter().filter(gives_rates) {
            let from = scenario.links[*port].from;
            let Some(way) = backward.iter().position(|link| scenario.links[*link].from == from) else { continue };
            let interval = scenario.links[*port].queue.rates.as_ref()?.interval()?;
            let delay = |sum: Span, link: &LinkId| {
                let link = &scenario.links[*link];
                sum + link.delay + link.rate.serialization(bits)
            };
            let router = Router { interval, delay: backward[way..].iter().fold(Span::ZERO, delay) };
            if nearest.as_ref().is_none_or(|nearest| router.delay < nearest.delay) {
                nearest = Some(router);
            }
        }
        nearest
    }

    /// Which interval had ended last when an acknowledgement left the router that the sender gets now.
    fn interval_of(&self, time: Time) -> u64 {
        time.since(Time::ZERO).as_ps().saturating_sub(self.delay.as_ps()) / self.interval.as_ps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(windows: &[(u64, u64)]) -> ToldWindows {
        let router = Router { interval: Span::from_ms(5), delay: Span::from_ms(2) };
        let at = |&(ms, segments): &(u64, u64)| (Time::ZERO + Span::from_ms(ms), segments as f64 * 1000.0);
        ToldWindows::from_changes(windows.iter().map(at), &router, 1000.0).unwrap()
    }

    /// 2 ms from the router: what comes from 7 to 12 ms has left it in the interval after 5 ms.
    #[test]
    fn a_window_that_changes_twice_within_an_interval_is_counted() {
        assert_eq!(told(&[(7, 50), (9, 50), (12, 54)]).changes_in_interval, 0);
        let twice = told(&[(7, 50), (11, 54), (12, 50)]);
        assert_eq!((twice.changes, twice.changes_in_interval), (2, 1));
    }

    #[test]
    fn windows_of_whole_segments_say_by_how_much_a_rate_has_risen_or_fallen_at_least() {
        // From less than 50 to 54: by more than 1.08. Three intervals later from less than 55 to 72: by more than 1.309.
        let rising = told(&[(7, 49), (12, 54), (27, 72)]);
        assert!((rising.largest_rise * rising.largest_rise * rising.largest_rise - 72.0 / 55.0).abs() < 1e-12);
        assert_eq!(rising.largest_fall, 1.0);
        // From 50 at least to less than 31; over two intervals it is not known in which.
        let falling = told(&[(7, 50), (12, 30), (22, 10)]);
        assert_eq!(falling.largest_fall, 0.62);
        assert!(
            ToldWindows::from_changes([].into_iter(), &Router { interval: Span::from_ms(5), delay: Span::ZERO }, 1.0)
                .is_none()
        );
    }
}
