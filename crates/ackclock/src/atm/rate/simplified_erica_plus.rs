//! ERICA+ as simplified for TCP: when an interval ends every connection gets a rate, which may rise by a tenth and fall
//! without limit. Nothing is computed in between.
//! Source: \[RATE-CONTROL\] §5. What the printed rule leaves open or gets wrong: `simplified_erica_plus_readings.rs`.

use super::erica::delta_key;
use super::erica_plus::QueueControl;
use super::simplified_erica_plus_readings::{RatesFrom, Readings};
use super::{Default, Key, Kind, Mechanism, Misfit, Port, RateAllocator, Value, Values, interval_key};
use crate::packet::RmCell;
use crate::rng::Stream;
use crate::units::{Span, Time};

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
    /// How the printed rule is read.
    pub readings: Readings,
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
    /// ER, once it has one.
    rate: Option<f64>,
    /// What opens it takes so many units: until it sends more in an interval, it has sent nothing.
    opening: u64,
}

impl Mechanism for SimplifiedEricaPlus {
    const NAME: &'static str = "simplified-erica-plus";
    const ABOUT: &'static str = "ERICA+ simplified for TCP: a rate for each connection at the end of each interval, which rises by a tenth at most.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &crate::keys::joined::<14>(&[
        &[interval_key(Span::from_ms(5), "[RATE-CONTROL] §6")],
        &QueueControl::keys(
            (Span::from_us(1500), "[RATE-CONTROL] §6"),
            (1.0, "[RATE-CONTROL] §6"),
            "[RATE-CONTROL] §6",
        ),
        &[
            delta_key(0.1, "literature"),
            Key::new("activity_decay", Kind::Share, Default::Is(Value::Number(0.9)), "[ERICA] with addendum 98-0408; printed: 0",
                "What a connection that sent nothing in an interval counts for, relative to the interval before; 0: nothing."),
        ],
        &Readings::KEYS,
    ]);
    type Params = SimplifiedEricaPlusParams;

    fn params(values: &Values) -> Result<SimplifiedEricaPlusParams, Misfit> {
        Ok(SimplifiedEricaPlusParams {
            interval: values.time("averaging_interval"),
            control: QueueControl::of(values)?,
            delta: values.number("delta"),
            activity_decay: values.number("activity_decay"),
            readings: Readings::of(values)?,
        })
    }

    fn interval(params: &SimplifiedEricaPlusParams) -> Option<Span> {
        Some(params.interval)
    }

    fn start(params: &SimplifiedEricaPlusParams, port: &Port<'_>, _draws: Stream) -> SimplifiedEricaPlus {
        SimplifiedEricaPlus {
            params: *params,
            capacity: port.capacity(),
            interval_units: port.units(params.interval),
            connections: connections(port),
            others: 0,
            fair_share: None,
            largest: 0.0,
            largest_before: 0.0,
        }
    }
}

/// Those of a port at which nothing has arrived.
fn connections(port: &Port<'_>) -> Vec<Connection> {
    let opening = |number: usize| port.openings.get(number).copied().unwrap_or_default();
    (0..port.connections).map(|number| Connection { opening: opening(number), ..Connection::default() }).collect()
}

impl SimplifiedEricaPlus {
    /// The rate of so many units in an interval.
    fn rate(&self, units: u64) -> f64 {
        units as f64 / self.interval_units * self.capacity
    }

    /// Target: what connections may send together while so many units wait.
    fn target(&self, queued: u64) -> f64 {
        self.params.control.target(self.capacity, self.rate(self.others), queued)
    }

    /// z: what connections have sent in the interval, as a part of the target.
    fn load(&self, target: f64) -> f64 {
        let input = self.rate(self.connections.iter().map(|connection| connection.units).sum());
        (input / target).max(self.params.readings.least_load)
    }

    /// What opens a connection is no packet of data, from which its first rate could come.
    fn leave_out_openings(&mut self) {
        for connection in self.connections.iter_mut().filter(|connection| connection.rate.is_none()) {
            if connection.units <= connection.opening {
                connection.units = 0;
            }
        }
    }

    /// N: how many connections are active, at least 1. The interval is over.
    fn count_active(&mut self) -> f64 {
        let mut active = 0.0;
        for connection in &mut self.connections {
            let before = connection.activity * self.params.activity_decay;
            connection.activity = if connection.units > 0 { 1.0 } else { before };
            active += connection.activity;
        }
        f64::max(active, 1.0)
    }
}

impl RateAllocator for SimplifiedEricaPlus {
    fn on_cells(&mut self, _now: Option<Time>, vc: usize, cells: u64) {
        self.connections[vc].units += cells;
    }

    fn on_other_cells(&mut self, _now: Option<Time>, cells: u64) {
        self.others += cells;
    }

    fn on_interval_end(&mut self, _now: Time, queued: u64) {
        let SimplifiedEricaPlusParams { delta, readings, .. } = self.params;
        if readings.rates_from == RatesFrom::FirstPacket {
            self.leave_out_openings();
        }
        let target = self.target(queued);
        let load = self.load(target);
        let active = self.count_active();
        let fair_share = target / active;
        for number in 0..self.connections.len() {
            let rate = self.rate(self.connections[number].units);
            let connection = &mut self.connections[number];
            let is_unheard = connection.units == 0 && connection.rate.is_none();
            if is_unheard && readings.rates_from == RatesFrom::FirstPacket {
                continue;
            }
            connection.units = 0;
            let share = rate / load;
            let mut er = match load > 1.0 + delta {
                true => share.max(fair_share),
                false if readings.fair_share_at_light_load => self.largest_before.max(share).max(fair_share),
                false => self.largest_before.max(share),
            };
            if let Some(before) = readings.risen_from(connection.rate, self.capacity / active) {
                er = er.min(readings.largest_rise * before);
            }
            // The largest rate is one before it is limited, and may be more than the target.
            self.largest = self.largest.max(er);
            if readings.limited_by_fair_share && er > fair_share && rate < fair_share {
                er = fair_share;
            }
            connection.rate = Some(if readings.limited_by_target { er.min(target) } else { er });
        }
        self.largest_before = self.largest;
        self.largest = fair_share;
        (self.others, self.fair_share) = (0, Some(fair_share));
    }

    fn on_backward_rm(&mut self, _now: Time, vc: usize, _queued: u64, cell: &mut RmCell) {
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
}

#[cfg(test)]
mod tests {
    use super::super::tests::{backward, draws};
    use super::super::{FirstRate, Unit};
    use super::*;
    use crate::units::Rate;

    /// Bytes of a packet on the wire: 23 cells.
    const WIRE: u64 = 1219;

    /// Three connections over 155.52 Mb/s.
    fn erica(change: impl Fn(&mut SimplifiedEricaPlusParams)) -> SimplifiedEricaPlus {
        let mut params = SimplifiedEricaPlus::default_params();
        change(&mut params);
        let rate = Rate::from_bps(155_520_000).unwrap();
        let port = Port { rate, unit: Unit::Byte, connections: 3, max_min: &|_| vec![], openings: &[] };
        SimplifiedEricaPlus::start(&params, &port, draws())
    }

    /// The rates in packets per second, to three digits, after an interval with these packets and so many waiting.
    fn interval(erica: &mut SimplifiedEricaPlus, packets: [u64; 3], waiting: u64) -> [f64; 3] {
        packets.iter().enumerate().for_each(|(vc, packets)| erica.on_cells(None, vc, packets * WIRE));
        erica.on_interval_end(Time::ZERO, waiting * WIRE);
        [0, 1, 2].map(|vc| {
            let mut cell = backward(f64::INFINITY);
            erica.on_backward_rm(Time::ZERO, vc, 0, &mut cell);
            (cell.er / WIRE as f64 * 1e3).round() / 1e3
        })
    }

    const UNSET: f64 = f64::INFINITY;

    /// A SYN of 64 bytes, then silence for a round trip: no rate comes from it, and it is not active. The first rate comes from 4 packets,
    /// as in the first of the intervals by hand.
    #[test]
    fn what_opens_a_connection_gives_it_no_rate() {
        let mut erica = erica(|_| ());
        erica.connections[1].opening = 64;
        erica.on_cells(None, 1, 64);
        assert_eq!(interval(&mut erica, [0, 0, 0], 0), [UNSET; 3]);
        erica.on_cells(None, 1, 64);
        assert_eq!(interval(&mut erica, [10, 0, 0], 0)[1], UNSET);
        let mut fresh = self::erica(|_| ());
        let _ = interval(&mut fresh, [10, 0, 0], 0);
        assert_eq!(interval(&mut erica, [10, 4, 0], 0), interval(&mut fresh, [10, 4, 0], 0));
    }

    /// Four intervals by hand: §7 of the specification, with MaxAllocPrev before each of them.
    #[test]
    fn hand_computed_intervals() {
        let mut erica = erica(|_| ());
        let share = |erica: &SimplifiedEricaPlus| (erica.allocation().unwrap() / WIRE as f64 * 1e3).round() / 1e3;
        assert_eq!(erica.allocation(), None);
        let intervals = [
            ([10, 4, 0], 0, (0.0, 1.0, 0.175576, 2.0, 7973.749), [7973.749, 4556.428, UNSET]),
            ([60, 8, 2], 30, (11_391.07, 0.967918, 0.906978, 3.0, 5145.29), [8771.124, 5012.071, 5145.29]),
            ([70, 20, 10], 100, (11_391.07, 0.706797, 1.774363, 3.0, 3757.216), [7890.154, 3757.216, 3757.216]),
            ([40, 20, 12], 10, (7890.154, 1.0, 0.902963, 3.0, 5315.833), [8679.17, 4132.938, 4132.938]),
        ];
        for (packets, waiting, (largest_before, part, load, active, fair_share), rates) in intervals {
            let mut during = erica.clone();
            packets.iter().enumerate().for_each(|(vc, packets)| during.on_cells(None, vc, packets * WIRE));
            let target = during.target(waiting * WIRE);
            let millionths = |value: f64| (value * 1e6).round() / 1e6;
            assert_eq!((during.largest_before / WIRE as f64 * 1e3).round() / 1e3, largest_before);
            assert_eq!(millionths(target / during.capacity), part, "f");
            assert_eq!(millionths(during.load(target)), load, "z");
            assert_eq!(during.count_active(), active, "N");
            assert_eq!(interval(&mut erica, packets, waiting), rates);
            assert_eq!(share(&erica), fair_share);
        }
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
        erica.on_cells(None, 0, 1);
        erica.on_interval_end(Time::ZERO, 0);
        let mut cell = backward(f64::INFINITY);
        erica.on_backward_rm(Time::ZERO, 0, 0, &mut cell);
        assert_eq!(cell.er.round(), 200_000.0);
        // What another switch said stays if it is less.
        let mut cell = backward(1000.0);
        erica.on_backward_rm(Time::ZERO, 0, 0, &mut cell);
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
        erica.on_other_cells(None, 48_600);
        interval(&mut erica, [1, 1, 0], 0);
        assert_eq!(erica.allocation(), Some(9_720_000.0 / 2.0));
        interval(&mut erica, [1, 1, 0], 0);
        assert_eq!(erica.allocation(), Some(19_440_000.0 / 2.0), "they have stopped");
        // All of it: nothing is left.
        erica.on_other_cells(None, 97_200);
        assert_eq!(interval(&mut erica, [1, 1, 0], 0), [0.0, 0.0, UNSET]);
    }

    /// The readings of the rule, against the print to the letter, or ERICA. FairShare is C/N = 7973.749 after the first interval.
    #[test]
    fn each_reading_changes_what_it_says() {
        let rates = |change: fn(&mut Readings), intervals: &[([u64; 3], u64)]| {
            let mut erica = erica(|params| change(&mut params.readings));
            intervals.iter().map(|(packets, waiting)| interval(&mut erica, *packets, *waiting)).last().unwrap()
        };
        let heard_late = [([10, 4, 0], 0), ([10, 4, 10], 0), ([10, 4, 10], 0)];
        assert!(rates(|_| (), &heard_late)[2] > 5000.0);
        // 0 in the first interval, and 1.1 times 0 for ever; the others are as they were.
        let printed = rates(|readings| readings.rates_from = RatesFrom::FirstInterval, &heard_late);
        assert_eq!(printed[2], 0.0);
        assert!(printed[0] > 5000.0 && printed[1] > 5000.0);

        let first = [([10, 4, 0], 0)];
        assert_eq!(rates(|readings| readings.first_rate = FirstRate::Zero, &first), [0.0, 0.0, UNSET]);
        // 1.1 · 7973.749 = 8771.124 is more than the clamp of the first, and than the second's VCShare of 4556.428.
        let equal: fn(&mut Readings) = |readings| readings.first_rate = FirstRate::EqualShare;
        assert_eq!(rates(equal, &first), [7973.749, 4556.428, UNSET]);
        // VCShare is C for the only one that sends, 100 packets: 1.1 · C/2, where without a limit the rate is C.
        let alone = [([0, 1, 0], 0), ([100, 0, 0], 0)];
        let letter = |readings: &mut Readings| readings.limited_by_fair_share = false;
        assert_eq!(rates(letter, &alone)[0], 15_947.498);
        let both = |readings: &mut Readings| {
            (readings.limited_by_fair_share, readings.first_rate) = (false, FirstRate::EqualShare);
        };
        // N is 1 + 0.9.
        assert_eq!(rates(both, &alone)[0], (1.1e3 * 15_947.498_f64 / 1.9).round() / 1e3);

        // VCShare of the first is 11391.07, more than its rate of 2000: without the clamp it gets that.
        assert_eq!(rates(letter, &first), [11_391.07, 4556.428, UNSET]);
        // Twice the link in the first interval, Target 0.5 C in the second.
        let second = [([10, 4, 0], 0), ([10, 4, 0], 500)];
        assert_eq!(rates(|_| (), &second)[0], 3986.874);
        let wide: fn(&mut Readings) =
            |readings| (readings.limited_by_fair_share, readings.limited_by_target) = (false, false);
        assert_eq!(rates(letter, &second)[0], 7973.749, "Target");
        assert!(rates(wide, &second)[0] > 11_391.0);

        let twice = [([10, 4, 0], 0), ([10, 4, 0], 0)];
        let risen = rates(|readings| readings.largest_rise = 10.0, &twice)[1] / rates(|_| (), &first)[1];
        assert!(risen > 1.7, "{risen}");
        // A light load: the second gets FairShare instead of VCShare.
        assert_eq!(rates(|readings| readings.fair_share_at_light_load = true, &first), [7973.749, 7973.749, UNSET]);

        // 200 bytes per second are 1e-5 of the target.
        let mut idle = erica(|params| params.readings.least_load = 1e-6);
        idle.on_cells(None, 0, 1);
        idle.on_interval_end(Time::ZERO, 0);
        assert_eq!(idle.connections[0].rate.map(f64::round), Some(19_440_000.0));
    }

    #[test]
    fn rates_may_not_be_made_to_fall() {
        let given = |key: &Key| (key.name == "largest_rise").then_some(Value::Number(0.9));
        let refused = SimplifiedEricaPlus::params(&Values::of(SimplifiedEricaPlus::KEYS, given));
        assert_eq!(refused.unwrap_err().keys, ["largest_rise"]);
    }
}
