//! The rule of slow start of a sender: its limit, and its exit.
//! Sources: RFC 3465 §2.2; RFC 9406 §4.2.

use super::hystart::Hystart;
use super::hystart_plus_plus::{self, HystartPlusPlus};
use super::{Acknowledged, Advice};
use crate::tcp::cc::Window;
use crate::tcp::{SlowStartExit, TcpParams};

/// The rule of slow start of one sender.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SlowStart {
    /// L of RFC 3465, segments; `None`: as the congestion control grows.
    limit: Option<f64>,
    exit: Exit,
    /// ssthresh as it was seen last, or set here, bytes: another one means a loss.
    ssthresh: f64,
}

#[derive(Clone, Debug)]
enum Exit {
    Loss,
    HystartPlusPlus(HystartPlusPlus),
    Hystart(Hystart),
}

impl SlowStart {
    /// Of connections with a rule of their own. A congestion control that measures rates of delivery has a start of its own.
    pub(in crate::tcp) fn new(params: &TcpParams) -> Option<SlowStart> {
        let rules = &params.window_rules;
        let is_usual = rules.slow_start_exit == SlowStartExit::Loss && rules.slow_start_limit.is_none();
        if is_usual || params.congestion_control.needs().delivery_rates {
            return None;
        }
        let exit = match rules.slow_start_exit {
            SlowStartExit::Loss => Exit::Loss,
            SlowStartExit::HystartPlusPlus => Exit::HystartPlusPlus(HystartPlusPlus::default()),
            SlowStartExit::Hystart => Exit::Hystart(Hystart::default()),
        };
        let usual = matches!(exit, Exit::HystartPlusPlus(_)).then_some(hystart_plus_plus::L);
        let ssthresh = params.initial_ssthresh.map_or(f64::INFINITY, |bytes| bytes as f64);
        Some(SlowStart { limit: rules.slow_start_limit.map(f64::from).or(usual), exit, ssthresh })
    }

    /// Whether it needs round trips.
    pub(in crate::tcp) fn measures(&self) -> bool {
        !matches!(self.exit, Exit::Loss)
    }

    /// New data is acknowledged outside recovery. The window was `before`; congestion control has let it grow, unless it is not used.
    pub(in crate::tcp) fn on_ack(&mut self, ack: &Acknowledged, before: f64, window: &mut Window) {
        if window.ssthresh != self.ssthresh {
            self.ssthresh = window.ssthresh;
            self.on_loss();
        }
        if let Exit::Hystart(hystart) = &mut self.exit {
            hystart.measure(ack.rtt);
        }
        if before >= window.ssthresh {
            return;
        }
        let advice = match &mut self.exit {
            Exit::Loss => Advice::Grow(1.0),
            Exit::HystartPlusPlus(hystart) => hystart.on_ack(ack),
            Exit::Hystart(hystart) => hystart.on_ack(ack, before / ack.mss),
        };
        let (Advice::Grow(part) | Advice::End(part)) = advice;
        if let (Some(limit), true) = (self.limit, window.cwnd > before) {
            let grown = before + ack.bytes.min(limit * ack.mss) * part;
            window.cwnd = grown.min(window.ssthresh).min(ack.advertised).max(before);
        }
        if let Advice::End(_) = advice {
            window.ssthresh = window.cwnd;
            self.ssthresh = window.ssthresh;
        }
    }

    /// Something was lost.
    fn on_loss(&mut self) {
        match &mut self.exit {
            Exit::Loss => {}
            // RFC 9406 §4.2: the first slow start only.
            Exit::HystartPlusPlus(_) => self.exit = Exit::Loss,
            Exit::Hystart(hystart) => hystart.on_loss(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Span, Time};

    const MSS: f64 = 1000.0;

    fn rule(exit: SlowStartExit, limit: Option<u32>) -> SlowStart {
        let mut params = TcpParams { initial_ssthresh: None, ..TcpParams::default() };
        (params.window_rules.slow_start_exit, params.window_rules.slow_start_limit) = (exit, limit);
        SlowStart::new(&params).expect("it has a rule")
    }

    fn ack(bytes: f64) -> Acknowledged {
        let rtt = Some(Span::from_ms(10));
        Acknowledged { now: Time::ZERO, una: 1, nxt: 2, rtt, bytes, mss: MSS, advertised: 100_000.0 }
    }

    /// What a window becomes that congestion control has let grow by a segment.
    fn grown(rule: &mut SlowStart, bytes: f64, before: f64, ssthresh: f64) -> f64 {
        let mut window = Window { cwnd: before + MSS, ssthresh };
        rule.on_ack(&ack(bytes), before, &mut window);
        window.cwnd
    }

    /// RFC 3465 §2.2: as much as is acknowledged, L segments at most, and not beyond ssthresh or the receiver's window.
    #[test]
    fn an_acknowledgement_adds_what_it_acknowledges_up_to_a_limit() {
        let mut two = rule(SlowStartExit::Loss, Some(2));
        let infinite = f64::INFINITY;
        assert_eq!(grown(&mut two, 500.0, 10_000.0, infinite), 10_500.0);
        assert_eq!(grown(&mut two, 2000.0, 10_000.0, infinite), 12_000.0);
        assert_eq!(grown(&mut two, 2001.0, 10_000.0, infinite), 12_000.0);
        assert_eq!(grown(&mut two, 2000.0, 99_000.0, infinite), 100_000.0);
        assert_eq!(grown(&mut two, 2000.0, 10_000.0, 11_500.0), 11_500.0);
        // In congestion avoidance it is congestion control's.
        assert_eq!(grown(&mut two, 2000.0, 12_000.0, 12_000.0), 13_000.0);
        assert_eq!(grown(&mut rule(SlowStartExit::Loss, Some(u32::MAX)), 40_000.0, 10_000.0, infinite), 50_000.0);
        // RFC 9406: L = 8.
        assert_eq!(grown(&mut rule(SlowStartExit::HystartPlusPlus, None), 40_000.0, 10_000.0, infinite), 18_000.0);
        // Linux' HyStart leaves the growth to congestion control, if no limit is given.
        assert_eq!(grown(&mut rule(SlowStartExit::Hystart, None), 40_000.0, 10_000.0, infinite), 11_000.0);
    }

    /// A window that congestion control does not let grow, as nobody uses it, does not grow here.
    #[test]
    fn an_unused_window_does_not_grow() {
        let mut window = Window { cwnd: 10_000.0, ssthresh: f64::INFINITY };
        rule(SlowStartExit::Loss, Some(2)).on_ack(&ack(2000.0), 10_000.0, &mut window);
        assert_eq!(window.cwnd, 10_000.0);
    }

    /// RFC 9406 §4.2: HyStart++ is for the first slow start, which ends with a loss; HyStart of Linux looks at all of them.
    #[test]
    fn after_a_loss_only_hystart_of_linux_is_there() {
        for (exit, is_there) in [(SlowStartExit::HystartPlusPlus, false), (SlowStartExit::Hystart, true)] {
            let mut rule = rule(exit, None);
            grown(&mut rule, MSS, 10_000.0, f64::INFINITY);
            assert!(rule.measures());
            grown(&mut rule, MSS, 1000.0, 5000.0);
            assert_eq!(rule.measures(), is_there);
        }
    }

    /// Congestion controls that measure rates of delivery have a start of their own.
    #[test]
    fn bbr_has_a_start_of_its_own() {
        let bbr = crate::tcp::cc::Algorithm::named("bbr3").expect("it is of the family").with_defaults();
        let mut params = TcpParams { congestion_control: bbr, ..TcpParams::default() };
        params.window_rules.slow_start_exit = SlowStartExit::Hystart;
        assert!(SlowStart::new(&params).is_none());
    }
}
