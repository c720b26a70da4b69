//! Whether a sender uses its window, and what it remembers of pauses.
//! Sources: RFC 9438 §5.8; RFC 7661 §4.4; RFC 5681 §4.1; Linux 6.x, tcp.h (tcp_is_cwnd_limited), tcp_output.c (tcp_cwnd_restart), behaviour only.

mod persist;
mod validation;

pub(super) use persist::Persist;
pub(super) use validation::Validation;

use super::cc::Window;
use super::recovery::Flight;
use super::{IdleReduction, TcpParams, WindowGrowth};
use crate::units::{Span, Time};

/// Whether the window was full of late.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowUse {
    /// What was outstanding when the window was full the last time ended at this byte.
    full_until: u64,
    /// As in Linux: the most that was outstanding since the window began that ends at this byte, and the first byte never sent then.
    linux: Option<Most>,
    /// Whether a window that is not used grows all the same.
    always: bool,
}

/// The most that was outstanding of late (max_packets_out, cwnd_usage_seq).
#[derive(Clone, Copy, Debug, Default)]
struct Most {
    outstanding: u64,
    until: u64,
    sent: u64,
}

/// What a sender remembers whose application may pause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// When it sent last; never before that.
    pub(super) last_sent: Time,
    /// The largest restart window, bytes; infinite if there is none.
    pub(super) restart_window: f64,
    /// Whether a pause halves the window step by step, in whole segments of so many bytes.
    halves: Option<f64>,
}

impl WindowUse {
    /// Of senders whose window does not grow unused, be it by a rule of the connection or of its congestion control, or grows as in Linux.
    pub(super) fn new(params: &TcpParams) -> Option<WindowUse> {
        let (control, rules) = (&params.congestion_control, &params.window_rules);
        let asks = control.needs().round_trips && !control.has_fine_timeouts();
        let is_linux = rules.growth == WindowGrowth::Linux;
        let linux = is_linux.then(Most::default);
        let always = rules.grow_unused && !asks && !params.validates_window();
        (!always || is_linux).then_some(WindowUse { full_until: 0, linux, always })
    }

    /// Whether a window grows by what is delivered.
    pub(super) fn counts_delivered(&self) -> bool {
        self.linux.is_some()
    }

    /// New data is acknowledged, `flight` being from before: whether something of it was outstanding when the window was full.
    #[inline]
    pub(super) fn is_used(&mut self, flight: &Flight, window: &Window) -> bool {
        // Through signed numbers, which is one instruction.
        let outstanding = (flight.max - flight.una) as i64 as f64;
        let is_full = outstanding + flight.mss as i64 as f64 > window.cwnd;
        if is_full {
            self.full_until = flight.max;
        }
        let half = self.linux.as_mut().is_some_and(|most| most.is_half(flight, window, is_full));
        half || self.always || flight.una < self.full_until
    }
}

impl Most {
    /// Whether the window is used in slow start. What was outstanding is looked at when something was sent.
    fn is_half(&mut self, flight: &Flight, window: &Window, is_full: bool) -> bool {
        let outstanding = flight.max - flight.una;
        let has_sent = is_full || flight.max != self.sent;
        if has_sent && (flight.una >= self.until || is_full || outstanding > self.outstanding) {
            *self = Most { outstanding, until: flight.max, sent: flight.max };
        }
        window.cwnd < window.ssthresh && window.cwnd < (2 * self.outstanding) as f64
    }
}

impl Pauses {
    /// Of a sender whose application offers its data little by little.
    pub(super) fn new(params: &TcpParams) -> Pauses {
        // RFC 7661 §4.4.3 takes the place of the restart window. A congestion control with a pace leaves its window as it is (\[BBR1\] §4.3.4.4).
        let restarts = params.window_rules.restart_after_idle && !params.congestion_control.needs().pacing;
        let restarts = restarts && !params.validates_window();
        let initial = f64::from(params.initial_window_segments) * f64::from(params.mss);
        let restart_window = if restarts { initial } else { f64::INFINITY };
        let halves = params.window_rules.idle_reduction == IdleReduction::Halving;
        Pauses { last_sent: Time::NEVER, restart_window, halves: halves.then_some(f64::from(params.mss)) }
    }

    /// A pause of this length ends, longer than the timeout: whether the window is lowered (tcp_cwnd_restart of Linux; RFC 2861).
    pub(super) fn lower(&self, pause: Span, timeout: Span, window: &mut Window) -> bool {
        let Some(mss) = self.halves else {
            let lowers = self.restart_window < window.cwnd;
            window.cwnd = window.cwnd.min(self.restart_window);
            return lowers;
        };
        if self.restart_window == f64::INFINITY {
            return false;
        }
        let before = (window.cwnd / mss).floor();
        window.ssthresh = window.ssthresh.max(((before / 2.0).floor() + (before / 4.0).floor()) * mss);
        let (mut left, mut segments) = (pause.as_ps().saturating_sub(timeout.as_ps()), before);
        while left > 0 && segments * mss > self.restart_window {
            segments = (segments / 2.0).floor();
            left = left.saturating_sub(timeout.as_ps());
        }
        let lowered = (segments * mss).max(self.restart_window.min(before * mss));
        let lowers = lowered < window.cwnd;
        window.cwnd = window.cwnd.min(lowered);
        lowers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(growth: WindowGrowth, segments: u64) -> Vec<bool> {
        let mut params = TcpParams::default();
        (params.window_rules.growth, params.window_rules.grow_unused) = (growth, false);
        let mut watch = WindowUse::new(&params).expect("it does not grow unused");
        let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        let ack = |una: u64| {
            let flight = Flight { una, nxt: segments, max: segments, mss: 1, rwnd: 99, advertised: 99, limit: 99 };
            let used = watch.is_used(&flight, &window);
            window.cwnd += if used { 2.0 } else { 0.0 };
            used
        };
        (0..segments).step_by(2).map(ack).collect()
    }

    /// Forty segments; the restart window is ten. Each timeout of the pause halves them, and ssthresh is thirty at least.
    #[test]
    fn pauses_halve_the_window_or_end_with_the_restart_window() {
        let after = |reduction, timeouts: u64, cwnd: f64, ssthresh: f64| {
            let mut params = TcpParams { mss: 1000, initial_window_segments: 10, ..TcpParams::default() };
            params.window_rules.restart_after_idle = true;
            params.window_rules.idle_reduction = reduction;
            let mut window = Window { cwnd, ssthresh };
            let pause = Span::from_ms(100 * timeouts + 1);
            let lowers = Pauses::new(&params).lower(pause, Span::from_ms(100), &mut window);
            (lowers, window.cwnd, window.ssthresh)
        };
        let halved = |timeouts| after(IdleReduction::Halving, timeouts, 40_000.0, 20_000.0);
        assert_eq!(halved(1), (true, 20_000.0, 30_000.0));
        assert_eq!(halved(2), (true, 10_000.0, 30_000.0));
        assert_eq!(halved(9), (true, 10_000.0, 30_000.0));
        assert_eq!(after(IdleReduction::Halving, 1, 15_900.0, 20_000.0), (true, 10_000.0, 20_000.0), "half is 7");
        assert_eq!(after(IdleReduction::Halving, 1, 8000.0, 20_000.0), (false, 8000.0, 20_000.0));
        assert_eq!(after(IdleReduction::RestartWindow, 1, 40_000.0, 20_000.0), (true, 10_000.0, 20_000.0));
        assert_eq!(after(IdleReduction::RestartWindow, 1, 8000.0, 20_000.0), (false, 8000.0, 20_000.0));
    }

    /// Acknowledgements of two segments each, in a window of ten. Of six outstanding ten is less than the double, twelve is not; of nine
    /// sixteen is, eighteen is not. Otherwise only a full window is used.
    #[test]
    fn on_linux_half_a_window_is_used_in_slow_start() {
        assert_eq!(used(WindowGrowth::Linux, 5), [false; 3]);
        assert_eq!(used(WindowGrowth::Linux, 6), [true, false, false]);
        assert_eq!(used(WindowGrowth::Linux, 9), [true, true, true, true, false]);
        assert_eq!(used(WindowGrowth::Standard, 9), [false; 5]);
        assert_eq!(used(WindowGrowth::Standard, 10), [true; 5]);
    }
}
