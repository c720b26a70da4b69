//! No congestion control of its own: the window is what somebody outside holds it at, and the initial window until then.
//! Source: `Simulation::hold_window`; docs/models/congestion-control-external.md.   Units: bytes.

use super::{Ack, CongestionControl, Loss, Mechanism, Window};
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;

/// Leaves the window as it is.
#[derive(Clone, Copy, Debug)]
pub struct External;

impl Mechanism for External {
    const NAME: &'static str = "external";
    const ABOUT: &'static str =
        "The window is set from outside while the simulation is stepped; else it stays what it is.";
    const KEYS: &'static [Key] = &[];
    const SETS_WINDOW: bool = false;
    type Params = ();

    fn params(_values: &Values) -> Result<(), Misfit> {
        Ok(())
    }

    fn start(_params: &(), _draws: Stream) -> External {
        External
    }
}

impl CongestionControl for External {
    fn on_ack(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// Recovery ends with the window that there was, as far as the receiver's lets it be used: a recovery may have inflated it.
    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = window.cwnd.min(loss.limit);
    }

    /// Whoever sets the window answers marks.
    fn on_mark(&mut self, _mark: &Loss, _window: &mut Window) -> bool {
        false
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        window.cwnd = window.cwnd.min(loss.limit);
        window.ssthresh = window.cwnd;
    }

    fn on_repeated_rto(&mut self, _loss: &Loss, _window: &mut Window) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_happens_changes_the_window() {
        let mut window = Window { cwnd: 14_480.0, ssthresh: f64::INFINITY };
        External.on_ack(&Ack::of(1448.0, 1e6), &mut window);
        External.on_congestion(&Loss::of(1448.0, 1e6), &mut window);
        External.on_rto(&Loss::of(1448.0, 1e6), &mut window);
        External.on_repeated_rto(&Loss::of(1448.0, 1e6), &mut window);
        assert_eq!(window, Window { cwnd: 14_480.0, ssthresh: 14_480.0 });
    }
}
