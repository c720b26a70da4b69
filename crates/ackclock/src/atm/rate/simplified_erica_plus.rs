//! ERICA+ as simplified for TCP: when an interval ends every connection gets a rate, which may rise by a tenth and fall
//! without limit. Nothing is computed in between.
//! Source: \[RATE-CONTROL\] §5. The printed rule leaves open the first rate of a connection, the time before its first packet,
//! and a port without load; docs/models/simplified-erica-plus.md says how each is read.

use super::erica::{LEAST_LOAD, delta_key};
use super::erica_plus::QueueControl;
use super::{Default, Key, Kind, Mechanism, Misfit, Port, RateAllocator, Value, Values, interval_key};
use crate::packet::RmCell;
use crate::units::Span;

/// The parameters of simplified ERICA+.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimplifiedEricaPlusParams {
    /// T: how long the port counts.
    pub interval: Span,
    /// How the target rate follows the queue.
    pub control: QueueControl,
    /// δ: up to a load of 1 + δ, connections are raised to the largest rate of the interval before.
    pub delta: f64,
    /// What a connection that sent nothing in an interval counts for, as a part of what it counted before; 0: nothing.
    pub activity_decay: f64,
}

/// Simplified ERICA+ at a port.
#[derive(Clone, Debug)]
pub struct SimplifiedEricaPlus {
    params: SimplifiedEricaPlusParams,
    capacity: f64,
    interval_units: f64,
    connections: Vec<Connection>,
    others: u64,
    fair_share: Option<f64>,
    largest: f64,
    largest_before: f64,
}

#[derive(Clone, Debug, Default)]
struct Connection {
    /// What it sent in this interval.
    units: u64,
    /// What it counts for among the active ones.
    activity: f64,
    /// ER, from the end of the interval of its first packet on.
    rate: Option<f64>,
}

impl Mechanism for SimplifiedEricaPlus {
    const NAME: &'static str = "simplified-erica-plus";
    const ABOUT: &'static str = "ERICA+ simplified for TCP: a rate for each connection at the end of each interval, which rises by a tenth at most.";
    const KEYS: &'static [Key] = &crate::keys::joined::<7>(&[
        &[interval_key(Span::from_ms(5), "[RATE-CONTROL] §6")],
        &QueueControl::keys(
            (Span::from_us(1500), "[RATE-CONTROL] §6"),
            (1.0, "[RATE-CONTROL] §6"),
            "[RATE-CONTROL] §6",
        ),
        &[
            delta_key(0.1, "literature"),
            Key::new(
                "activity_decay",
                Kind::Share,
                Default::Is(Value::Number(0.9)),
                "literature; printed: 0",
                "What a connection that sent nothing in an interval counts for, relative to the interval before; 0: nothing.",
            ),
        ],
    ]);
    type Params = SimplifiedEricaPlusParams;

    fn params(values: &Values) -> Result<SimplifiedEricaPlusParams, Misfit> {
        Ok(SimplifiedEricaPlusParams {
            interval: values.time("averaging_interval"),
            control: QueueControl::of(values)?,
            delta: values.number("delta"),
            activity_decay: values.number("activity_decay"),
        })
    }

    fn interval(params: &SimplifiedEricaPlusParams) -> Option<Span> {
        Some(params.interval)
    }

    fn start(params: &SimplifiedEricaPlusParams, port: &Port<'_>) -> SimplifiedEricaPlus {
        SimplifiedEricaPlus {
            params: *params,
            capacity: port.capacity(),
            interval_units: port.units(params.interval),
            connections: vec![Connection::default(); port.connections],
            others: 0,
            fair_share: None,
            largest: 0.0,
            largest_before: 0.0,
        }
    }
}

impl SimplifiedEricaPlus {
    /// The rate of so many units in an interval.
    fn rate(&self, units: u64) -> f64 {
        units as f64 / self.interval_units * self.capacity
    }
}

impl RateAllocator for SimplifiedEricaPlus {
    fn on_cells(&mut self, vc: usize, cells: u64) {
        self.connections[vc].units += cells;
    }

    fn on_other_cells(&mut self, cells: u64) {
        self.others += cells;
    }

    fn on_interval_end(&mut self, queued: u64) {
        let target = self.params.control.target(self.capacity, self.rate(self.others), queued);
        let input = self.rate(self.connections.iter().map(|connection| connection.units).sum());
        let load = (input / target).max(LEAST_LOAD);
        let mut active = 0.0;
        for connection in &mut self.connections {
            let before = connection.activity * self.params.activity_decay;
            connection.activity = if connection.units > 0 { 1.0 } else { before };
            active += connection.activity;
        }
        let fair_share = target / f64::max(active, 1.0);
        for number in 0..self.connections.len() {
            let rate = self.rate(self.connections[number].units);
            let connection = &mut self.connections[number];
            if connection.units == 0 && connection.rate.is_none() {
                continue; // not heard yet
            }
            connection.units = 0;
            let share = rate / load;
            let mut er =
                if load > 1.0 + self.params.delta { share.max(fair_share) } else { self.largest_before.max(share) };
            if let Some(before) = connection.rate {
                er = er.min(LARGEST_RISE * before);
            }
            // The largest rate is one before it is limited, and may be more than the target.
            self.largest = self.largest.max(er);
            if er > fair_share && rate < fair_share {
                er = fair_share;
            }
            connection.rate = Some(er.min(target));
        }
        self.largest_before = self.largest;
        self.largest = fair_share;
        (self.others, self.fair_share) = (0, Some(fair_share));
    }

    fn on_backward_rm(&mut self, vc: usize, _queued: u64, cell: &mut RmCell) {
        if let Some(rate) = self.connections[vc].rate {
            cell.er = cell.er.min(rate);
        }
    }

    fn efci_threshold(&self) -> Option<u64> {
        Some(u64::MAX)
    }

    fn allocation(&self) -> Option<f64> {
        self.fair_share
    }

    fn boxed_clone(&self) -> Box<dyn RateAllocator> {
        Box::new(self.clone())
    }
}

/// The most by which a rate is multiplied from one interval to the next.
const LARGEST_RISE: f64 = 1.1;

#[cfg(test)]
mod tests {
    use super::super::Unit;
    use super::super::tests::backward;
    use super::*;
    use crate::units::Rate;

    /// Bytes of a packet on the wire: 23 cells.
    const WIRE: u64 = 1219;

    /// Three connections over 155.52 Mb/s.
    fn erica(change: impl Fn(&mut SimplifiedEricaPlusParams)) -> SimplifiedEricaPlus {
        let mut params = SimplifiedEricaPlus::default_params();
        change(&mut params);
        let rate = Rate::from_bps(155_520_000).unwrap();
        let port = Port { rate, unit: Unit::Byte, connections: 3, max_min: &|_| vec![] };
        SimplifiedEricaPlus::start(&params, &port)
    }

    /// The rates in packets per second, to three digits, after an interval with these packets and so many waiting.
    fn interval(erica: &mut SimplifiedEricaPlus, packets: [u64; 3], waiting: u64) -> [f64; 3] {
        packets.iter().enumerate().for_each(|(vc, packets)| erica.on_cells(vc, packets * WIRE));
        erica.on_interval_end(waiting * WIRE);
        [0, 1, 2].map(|vc| {
            let mut cell = backward(f64::INFINITY);
            erica.on_backward_rm(vc, 0, &mut cell);
            (cell.er / WIRE as f64 * 1e3).round() / 1e3
        })
    }

    const UNSET: f64 = f64::INFINITY;

    /// Four intervals by hand: §7 of the specification.
    #[test]
    fn hand_computed_intervals() {
        let mut erica = erica(|_| ());
        let share = |erica: &SimplifiedEricaPlus| (erica.allocation().unwrap() / WIRE as f64 * 1e3).round() / 1e3;
        assert_eq!(erica.allocation(), None);
        assert_eq!(interval(&mut erica, [10, 4, 0], 0), [7973.749, 4556.428, UNSET]);
        assert_eq!(share(&erica), 7973.749);
        assert_eq!(interval(&mut erica, [60, 8, 2], 30), [8771.124, 5012.071, 5145.29]);
        assert_eq!(interval(&mut erica, [70, 20, 10], 100), [7890.154, 3757.216, 3757.216]);
        assert_eq!(interval(&mut erica, [40, 20, 12], 10), [8679.17, 4132.938, 4132.938]);
        assert_eq!(share(&erica), 5315.833);
    }

    /// What the rule of the specification gives, computed apart from this code: rates above the target, loads just above it, a first
    /// rate of its own, silence.
    #[test]
    fn twelve_intervals_of_another_computation() {
        let mut erica = erica(|_| ());
        let intervals = [
            ([10, 4, 0], 0, [7973.749, 4556.428, UNSET]),
            ([1, 1, 30], 100, [3757.216, 3757.216, 11271.649]),
            ([20, 20, 30], 0, [4132.938, 4132.938, 11391.07]),
            ([28, 20, 35], 0, [4546.232, 4546.232, 11391.07]),
            ([28, 30, 26], 0, [5000.855, 5000.855, 5315.833]),
            ([20, 20, 38], 0, [5315.833, 5315.833, 5847.416]),
            ([5, 0, 5], 0, [5499.137, 5499.137, 5499.137]),
            ([20, 30, 0], 0, [5499.137, 6049.051, 5499.137]),
            ([30, 30, 30], 300, [2657.916, 2657.916, 2657.916]),
            ([0, 0, 30], 0, [2923.708, 2923.708, 2923.708]),
            ([0, 0, 0], 0, [2923.708, 2923.708, 2923.708]),
            ([26, 27, 0], 0, [3216.079, 3216.079, 3216.079]),
        ];
        for (packets, waiting, rates) in intervals {
            assert_eq!(interval(&mut erica, packets, waiting), rates, "{packets:?}");
        }
    }

    /// 200 bytes per second, as if they were a thousandth of the target.
    #[test]
    fn the_load_is_a_thousandth_at_least() {
        let mut erica = erica(|_| ());
        erica.on_cells(0, 1);
        erica.on_interval_end(0);
        let mut cell = backward(f64::INFINITY);
        erica.on_backward_rm(0, 0, &mut cell);
        assert_eq!(cell.er.round(), 200_000.0);
        // What another switch said stays if it is less.
        let mut cell = backward(1000.0);
        erica.on_backward_rm(0, 0, &mut cell);
        assert_eq!(cell.er, 1000.0);
    }

    #[test]
    fn who_is_silent_counts_for_less_each_interval_or_for_nothing() {
        let shares = |decay: f64| {
            let mut erica = erica(|params| params.activity_decay = decay);
            [[1, 1, 1], [1, 1, 0], [1, 0, 0]].map(|packets| {
                interval(&mut erica, packets, 0);
                (erica.capacity / erica.allocation().unwrap() * 1e6).round() / 1e6
            })
        };
        assert_eq!(shares(0.9), [3.0, 2.9, 2.71]);
        assert_eq!(shares(0.0), [3.0, 2.0, 1.0]);
        // One at least.
        let mut erica = erica(|_| ());
        for _ in 0..3 {
            interval(&mut erica, [1, 0, 0], 0);
            interval(&mut erica, [0, 0, 0], 0);
            assert_eq!(erica.allocation(), Some(erica.capacity));
        }
    }

    #[test]
    fn a_rate_that_is_known_rises_by_a_tenth_at_most_and_is_kept_in_silence() {
        let mut erica = erica(|_| ());
        let first = interval(&mut erica, [1, 0, 0], 0)[0];
        let mut before = first;
        for _ in 0..5 {
            let next = interval(&mut erica, [0, 0, 0], 0)[0];
            assert!(next <= before * 1.1 + 1e-3 && next > 0.0, "{next} after {before}");
            before = next;
        }
    }

    #[test]
    fn what_others_take_is_shared_no_more() {
        let mut erica = erica(|_| ());
        // Half of the link: 97,200 bytes in 5 ms.
        erica.on_other_cells(48_600);
        interval(&mut erica, [1, 1, 0], 0);
        assert_eq!(erica.allocation(), Some(9_720_000.0 / 2.0));
        interval(&mut erica, [1, 1, 0], 0);
        assert_eq!(erica.allocation(), Some(19_440_000.0 / 2.0), "they have stopped");
        // All of it: nothing is left.
        erica.on_other_cells(97_200);
        assert_eq!(interval(&mut erica, [1, 1, 0], 0), [0.0, 0.0, UNSET]);
    }
}
