//! The max-min shares of the whole network as explicit rates, known from the start: no algorithm for a switch, but what others
//! are measured against.
//! Source: [`crate::atm::max_min`].

use super::{Default, Key, Kind, MARK_KEY, Mark, Mechanism, Misfit, Port, RateAllocator, Value, Values, mark};
use crate::packet::RmCell;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of fixed max-min shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxMinParams {
    /// The part of the capacity of every link that is shared.
    pub target_utilisation: f64,
    /// Into which RM cells shares are written.
    pub mark: Mark,
}

/// Fixed max-min shares at a port.
#[derive(Clone, Debug)]
pub struct MaxMin {
    shares: Vec<f64>,
    mark: Mark,
}

impl Mechanism for MaxMin {
    const NAME: &'static str = "max-min";
    const ABOUT: &'static str =
        "Fixed max-min shares of the whole network: what other algorithms are measured against.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("target_utilisation", Kind::Number(1.0), Default::Is(Value::Number(0.95)), "Ackclock",
            "The part of the capacity of every link that is shared."),
        MARK_KEY,
    ];
    type Params = MaxMinParams;

    fn params(values: &Values) -> Result<MaxMinParams, Misfit> {
        Ok(MaxMinParams { target_utilisation: values.number("target_utilisation"), mark: mark(values) })
    }

    fn interval(_params: &MaxMinParams) -> Option<Span> {
        None
    }

    fn start(params: &MaxMinParams, port: &Port<'_>, _draws: Stream) -> MaxMin {
        MaxMin { shares: (port.max_min)(params.target_utilisation), mark: params.mark }
    }
}

impl RateAllocator for MaxMin {
    fn on_cells(&mut self, _now: Option<Time>, _vc: usize, _cells: u64) {}

    fn on_other_cells(&mut self, _now: Option<Time>, _cells: u64) {}

    fn on_interval_end(&mut self, _now: Time, _queued: u64) {}

    fn on_forward_rm(&mut self, _now: Time, vc: usize, _queued: u64, cell: &mut RmCell) {
        if self.mark == Mark::Forward {
            cell.er = cell.er.min(self.shares[vc]);
        }
    }

    fn on_backward_rm(&mut self, _now: Time, vc: usize, _queued: u64, cell: &mut RmCell) {
        if self.mark == Mark::Backward {
            cell.er = cell.er.min(self.shares[vc]);
        }
    }

    fn efci_threshold(&self) -> Option<u64> {
        Some(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{backward, draws};
    use super::super::{Port, Unit};
    use super::*;
    use crate::units::Rate;

    #[test]
    fn each_connection_gets_its_share() {
        let shares = |part: f64| vec![part * 100.0, part * 200.0];
        let port = Port {
            rate: Rate::from_bps(1000).unwrap(),
            unit: Unit::Cell,
            connections: 2,
            max_min: &shares,
            openings: &[],
        };
        let mut max_min = MaxMin::start(&MaxMin::default_params(), &port, draws());
        let said = [0, 1].map(|vc| {
            let mut cell = backward(150.0);
            max_min.on_backward_rm(Time::ZERO, vc, 0, &mut cell);
            cell.er
        });
        assert_eq!(said, [95.0, 150.0]);
    }
}
