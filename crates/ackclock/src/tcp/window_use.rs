//! Whether a sender uses its window, and what it remembers of pauses.
//! Sources: RFC 9438 §5.8; RFC 7661 §4.4; RFC 5681 §4.1.

use super::TcpParams;
use super::cc::Window;
use super::recovery::Flight;
use crate::units::Time;

/// Whether the window was full of late.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowUse {
    /// What was outstanding when the window was full the last time ended at this byte.
    full_until: u64,
}

/// What a sender remembers whose application may pause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// When it sent last; never before that.
    pub(super) last_sent: Time,
    /// The largest restart window, bytes; infinite if there is none.
    pub(super) restart_window: f64,
}

impl WindowUse {
    /// Of senders whose window does not grow unused, be it by a rule of the connection or of its congestion control.
    pub(super) fn new(params: &TcpParams) -> Option<WindowUse> {
        let control = &params.congestion_control;
        let asks = control.needs().round_trips && !control.has_fine_timeouts();
        (asks || !params.window_rules.grow_unused).then(WindowUse::default)
    }

    /// New data is acknowledged, `flight` being from before: whether something of it was outstanding when the window was full.
    #[inline]
    pub(super) fn is_used(&mut self, flight: &Flight, window: &Window) -> bool {
        // Through signed numbers, which is one instruction.
        let outstanding = (flight.max - flight.una) as i64 as f64;
        if outstanding + flight.mss as i64 as f64 > window.cwnd {
            self.full_until = flight.max;
        }
        flight.una < self.full_until
    }
}

impl Pauses {
    /// Of a sender whose application offers its data little by little.
    pub(super) fn new(params: &TcpParams) -> Pauses {
        // A congestion control with a pace leaves its window as it is (\[BBR1\] §4.3.4.4).
        let restarts = params.window_rules.restart_after_idle && !params.congestion_control.needs().pacing;
        let initial = f64::from(params.initial_window_segments) * f64::from(params.mss);
        let restart_window = if restarts { initial } else { f64::INFINITY };
        Pauses { last_sent: Time::NEVER, restart_window }
    }
}
