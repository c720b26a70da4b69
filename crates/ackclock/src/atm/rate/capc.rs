//! CAPC, congestion avoidance using proportional control: one rate for all connections of a port, which rises while the port
//! has less to carry than it aims at, and falls while it has more.
//! Source: the explicit-rate switch of \[UBR-ABR\] §2.3, read as CAPC (inferred: its own source, ATM Forum 95-0195, could not
//! be obtained). Products, limits and the threshold are those of the published scheme.

use super::{MARK_KEY, Mark, Mechanism, Port, RateAllocator, interval_key, mark, threshold_key};
use crate::atm::params::TCR;
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::packet::RmCell;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of CAPC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapcParams {
    /// T: how long the port counts cells.
    pub interval: Span,
    /// The target utilisation, as a part of the capacity.
    pub target_utilisation: f64,
    /// Rup: how fast the rate rises.
    pub rup: f64,
    /// Rdn: how fast the rate falls.
    pub rdn: f64,
    /// ERU: the most by which the rate is multiplied.
    pub eru: f64,
    /// ERF: the least by which the rate is multiplied.
    pub erf: f64,
    /// Cells that may wait before every source has to slow down.
    pub threshold: u64,
    /// Into which RM cells rate and CI are written.
    pub mark: Mark,
}

/// CAPC at a port.
#[derive(Clone, Debug)]
pub struct Capc {
    params: CapcParams,
    capacity: f64,
    interval_units: f64,
    cells: u64,
    other_cells: u64,
    erq: f64,
    /// Whether the first interval has ended: before that no rate is said.
    begun: bool,
}

impl Mechanism for Capc {
    const NAME: &'static str = "capc";
    const ABOUT: &'static str =
        "CAPC: one explicit rate for all, in proportion to how far the load is from its target.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        interval_key(Span::from_ms(1), "inferred"),
        Key::new("target_utilisation", Kind::Number(1.0), Default::Is(Value::Number(0.95)), "inferred from the throughput in [UBR-ABR] §3.3",
            "The target utilisation, as a part of the link's rate."),
        Key::new("rup", Kind::Number(1.0), Default::Is(Value::Number(0.1)), "literature; 0.025 to 0.1",
            "Rup: how much the rate rises with the distance of the load from its target."),
        Key::new("rdn", Kind::Number(1.0), Default::Is(Value::Number(0.8)), "literature; 0.2 to 0.8",
            "Rdn: how much the rate falls with the distance of the load from its target."),
        Key::new("eru", Kind::Number(10.0), Default::Is(Value::Number(1.5)), "literature",
            "ERU: the most by which the rate is multiplied in one interval; at least 1."),
        Key::new("erf", Kind::Number(1.0), Default::Is(Value::Number(0.5)), "literature",
            "ERF: the least by which the rate is multiplied in one interval."),
        threshold_key("While more cells wait than this, every RM cell that is written into gets CI."),
        MARK_KEY,
    ];
    type Params = CapcParams;

    fn params(values: &Values) -> Result<CapcParams, Misfit> {
        let eru = values.number("eru");
        if eru < 1.0 {
            let problem = format!("a rate that is multiplied by at most {eru} never rises");
            return Err(Misfit { keys: &["eru"], problem, expected: "1 or more" });
        }
        Ok(CapcParams {
            interval: values.time("averaging_interval"),
            target_utilisation: values.number("target_utilisation"),
            rup: values.number("rup"),
            rdn: values.number("rdn"),
            eru,
            erf: values.number("erf"),
            threshold: u64::from(values.count("threshold")),
            mark: mark(values),
        })
    }

    fn interval(params: &CapcParams) -> Option<Span> {
        Some(params.interval)
    }

    fn start(params: &CapcParams, port: &Port<'_>, _draws: Stream) -> Capc {
        let capacity = port.capacity();
        Capc {
            params: *params,
            capacity,
            interval_units: port.units(params.interval),
            cells: 0,
            other_cells: 0,
            erq: params.target_utilisation * capacity,
            begun: false,
        }
    }
}

impl Capc {
    /// The next rate at load z, relative to the target.
    fn follow(&mut self, z: f64) {
        let CapcParams { rup, rdn, eru, erf, .. } = self.params;
        // At a load without end (nothing is left for ABR) the product would be none.
        let factor = if z < 1.0 { eru.min(1.0 + (1.0 - z) * rup) } else { erf.max(1.0 - (z - 1.0) * rdn) };
        // Products never lead away from 0: the rate stays above TCR.
        self.erq = (self.erq * factor).max(TCR).min(self.capacity);
    }

    fn write(&self, queued: u64, cell: &mut RmCell) {
        if self.begun {
            cell.er = cell.er.min(self.erq);
        }
        cell.ci |= queued > self.params.threshold;
    }
}

impl RateAllocator for Capc {
    fn on_cells(&mut self, _now: Option<Time>, _vc: usize, cells: u64) {
        self.cells += cells;
    }

    fn on_other_cells(&mut self, _now: Option<Time>, cells: u64) {
        self.other_cells += cells;
    }

    fn on_interval_end(&mut self, _now: Time, _queued: u64) {
        let target = self.params.target_utilisation * self.interval_units - self.other_cells as f64;
        self.follow(if target > 0.0 { self.cells as f64 / target } else { f64::INFINITY });
        (self.cells, self.other_cells, self.begun) = (0, 0, true);
    }

    fn on_forward_rm(&mut self, _now: Time, _vc: usize, queued: u64, cell: &mut RmCell) {
        if self.params.mark == Mark::Forward {
            self.write(queued, cell);
        }
    }

    fn on_backward_rm(&mut self, _now: Time, _vc: usize, queued: u64, cell: &mut RmCell) {
        if self.params.mark == Mark::Backward {
            self.write(queued, cell);
        }
    }

    fn allocation(&self) -> Option<f64> {
        self.begun.then_some(self.erq)
    }

    fn efci_threshold(&self) -> Option<u64> {
        Some(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{backward, draws, port};
    use super::*;

    fn capc() -> Capc {
        Capc::start(&Capc::default_params(), &port(150_000_000, 2), draws())
    }

    /// ERQ from 336084.906 on, multiplied by what each load gives.
    #[test]
    fn the_rate_follows_the_load() {
        let mut capc = capc();
        let rate = |capc: &Capc| (capc.erq * 1e3).round() / 1e3;
        assert_eq!(rate(&capc), 336_084.906);
        let loads = [1.6, 3.0, 1.05, 1.0, 0.9, 0.4, 0.0];
        let rates = loads.map(|z| {
            capc.follow(z);
            rate(&capc)
        });
        assert_eq!(rates, [174_764.151, 87_382.075, 83_886.792, 83_886.792, 84_725.66, 89_809.2, 98_790.12]);
    }

    #[test]
    fn the_load_is_what_is_offered_in_an_interval_beside_other_cells() {
        // 354 slots at 150 Mb/s.
        let mut counting = capc();
        assert_eq!(counting.interval_units, 354.0);
        counting.on_cells(None, 0, 100);
        counting.on_cells(None, 1, 60);
        counting.on_other_cells(None, 120);
        counting.on_interval_end(Time::ZERO, 0);
        let mut followed = capc();
        followed.follow(160.0 / (0.95 * 354.0 - 120.0));
        assert_eq!(counting.erq, followed.erq);
        assert_eq!((counting.cells, counting.other_cells), (0, 0));
        // Nothing is left for ABR.
        counting.on_other_cells(None, 337);
        counting.on_interval_end(Time::ZERO, 0);
        assert_eq!(counting.erq, followed.erq * 0.5);
    }

    /// With Rup = 0.1 it would rise by a tenth.
    #[test]
    fn the_rate_rises_by_no_more_than_eru() {
        let params = CapcParams { eru: 1.05, ..Capc::default_params() };
        let mut capc = Capc::start(&params, &port(150_000_000, 2), draws());
        capc.erq = 100.0;
        capc.follow(0.0);
        assert_eq!(capc.erq, 105.0);
    }

    #[test]
    fn the_rate_stays_between_tcr_and_the_link() {
        let mut capc = capc();
        (0..100).for_each(|_| capc.follow(3.0));
        assert_eq!(capc.erq, 10.0);
        (0..1000).for_each(|_| capc.follow(0.0));
        assert_eq!(capc.erq, 150e6 / 424.0);
    }

    #[test]
    fn backward_rm_cells_get_the_rate_once_there_is_one_and_ci_while_many_wait() {
        let mut capc = capc();
        let answer = |capc: &mut Capc, er, queued| {
            let mut cell = backward(er);
            capc.on_backward_rm(Time::ZERO, 0, queued, &mut cell);
            (cell.er, cell.ci)
        };
        assert_eq!(answer(&mut capc, 350_000.0, 256), (350_000.0, false), "before the first interval has ended");
        assert_eq!(answer(&mut capc, 350_000.0, 257), (350_000.0, true));
        assert_eq!(capc.allocation(), None);
        capc.on_interval_end(Time::ZERO, 0);
        let erq = capc.allocation().unwrap();
        assert_eq!(answer(&mut capc, 350_000.0, 0), (erq.min(350_000.0), false));
        assert_eq!(answer(&mut capc, 1000.0, 0), (1000.0, false), "it is only lowered");
        // CI that another switch set stays.
        let mut cell = RmCell { ci: true, ..backward(1.0) };
        capc.on_backward_rm(Time::ZERO, 0, 0, &mut cell);
        assert!(cell.ci);
    }
}
