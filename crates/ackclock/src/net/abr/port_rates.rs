//! The rate algorithm of a cell port: which of its cells count for which connection, and when its averaging intervals end. It says
//! rates to sources of ABR in RM cells, and, if the port has feedback, to senders of TCP by its edge device.
//!
//! Interval k ends at k · m · c, c the cell time of the port and m the slots of an interval. At that instant the departure that is
//! due has gone, and the cells of the slot that ends have not been offered yet: they count in the next interval.

use super::trace::RateTrace;
use crate::atm::RmRates;
use crate::atm::rate::{RateAlgorithm, RateAllocator, Unit};
use crate::ids::{Id, VcId};
use crate::net::feedback::SessionRates;
use crate::packet::{Pti, RmCell};
use crate::record::PortRatesRecord;
use crate::units::{Span, Time};

/// A rate algorithm at a port, and its clock.
#[derive(Clone)]
pub(in crate::net) struct PortRates {
    allocator: Box<dyn RateAllocator>,
    /// Whether it is told of each cell by itself, when that is offered: else it is not told when.
    is_told_late: bool,
    /// The length of an interval, m · c; none if the algorithm has no intervals.
    interval: Option<Span>,
    /// When the interval that runs ends.
    interval_end: Time,
    /// For each connection of the port what the algorithm knows it as, if it serves it: the data of ABR flows, and if the port
    /// has feedback those of all flows of TCP.
    served: Vec<Option<Served>>,
    /// What it says to the senders of TCP of those that it serves, if the port has feedback; in cells per second.
    of_tcp: Option<SessionRates>,
    marked_cells: u64,
    /// What it offers over time, if that is recorded.
    trace: Option<RateTrace>,
}

/// A connection that an algorithm serves.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Served {
    /// Its number among those.
    pub(in crate::net) number: usize,
    /// How exact the rates in its RM cells are, if it is of the service ABR.
    pub(in crate::net) rm_rates: Option<RmRates>,
}

impl PortRates {
    /// An algorithm at a port of this name, under this seed; `served` says which connections of the port it serves.
    pub(in crate::net) fn new(
        algorithm: &RateAlgorithm,
        port: &crate::atm::rate::Port<'_>,
        (name, seed): (&str, u64),
        served: Vec<Option<Served>>,
    ) -> PortRates {
        let interval = algorithm.interval().map(|interval| port.rate.cell_time() * port.slots(interval));
        let interval_end = interval.map_or(Time::NEVER, |interval| Time::ZERO + interval);
        let allocator = algorithm.start(port, name, seed);
        let is_told_late = allocator.efci_threshold().is_some();
        PortRates {
            allocator,
            is_told_late,
            interval,
            interval_end,
            served,
            of_tcp: None,
            marked_cells: 0,
            trace: None,
        }
    }

    /// From now on gives rates to the senders of all flows that it serves, each time that an interval has ended.
    pub(in crate::net) fn give_rates_to_tcp(&mut self) {
        let sessions = self.served.iter().flatten().count();
        self.of_tcp = Some(SessionRates::new(&mut *self.allocator, sessions, self.interval));
    }

    /// The rate of each flow that it serves, in cells per second, if the port has feedback; infinite while it has none.
    pub(in crate::net) fn of_tcp(&self) -> Option<&[f64]> {
        self.of_tcp.as_ref().map(SessionRates::rates)
    }

    /// Records from now on what it offers over time.
    pub(in crate::net) fn record_allocation(&mut self) {
        self.trace = Some(RateTrace::default());
    }

    /// What it told sources of ABR until `now`, if it serves any.
    pub(in crate::net) fn record(&self, now: Time) -> Option<PortRatesRecord> {
        self.served.iter().flatten().find(|served| served.rm_rates.is_some())?;
        Some(PortRatesRecord { marked_cells: self.marked_cells, allocation: self.allocation(now) })
    }

    /// What it offers at `now` to a connection that it limits, in cells per second.
    pub(in crate::net) fn allocation(&self, now: Time) -> Option<f64> {
        let mut rates = self.clone();
        rates.end_idle_intervals(now);
        rates.allocator.allocation()
    }

    /// What it offered over time until `now`, if that is recorded.
    pub(in crate::net) fn allocations(&self, now: Time) -> Option<RateTrace> {
        self.trace.as_ref()?;
        let mut rates = self.clone();
        rates.end_idle_intervals(now);
        rates.trace
    }

    /// The same in bits per second, with cell headers.
    pub(in crate::net) fn allocation_bps(&self, now: Time) -> Option<f64> {
        Some(self.allocation(now)? * Unit::Cell.bits())
    }

    /// When the interval that runs ends; never if the algorithm has no intervals.
    pub(in crate::net) fn interval_end(&self) -> Time {
        self.interval_end
    }

    /// The end of the interval after one that ends at `end`.
    pub(in crate::net) fn end_after(&self, end: Time) -> Time {
        self.interval.map_or(Time::NEVER, |interval| end.saturating_add(interval))
    }

    /// Ends the intervals that end before `now`, which is the end of a slot: the queue was empty then.
    pub(in crate::net) fn end_idle_intervals(&mut self, now: Time) {
        while self.interval_end < now {
            self.end_interval(0);
        }
    }

    /// Ends the interval that ends now, if one does, with so many cells waiting.
    pub(in crate::net) fn end_interval_at(&mut self, now: Time, queued: u64) {
        if self.interval_end == now {
            self.end_interval(queued);
        }
    }

    fn end_interval(&mut self, queued: u64) {
        let interval = self.interval.expect("only what has intervals ends one");
        let now = self.interval_end;
        self.allocator.on_interval_end(now, queued);
        if let Some(of_tcp) = &mut self.of_tcp {
            of_tcp.end_interval(&mut *self.allocator, now, interval, queued);
        }
        if let (Some(trace), Some(rate)) = (&mut self.trace, self.allocator.allocation()) {
            trace.change(now, rate);
        }
        self.interval_end = self.end_after(now);
    }

    /// How many cells may wait before data cells are marked, of an algorithm that may be told of many cells at once, at the latest
    /// when an interval ends.
    pub(in crate::net) fn efci_threshold(&self) -> Option<u64> {
        self.allocator.efci_threshold()
    }

    /// A cell is offered at `now` while so many wait: it is counted, and marked if the queue is long. `rm` is what it says if it is a
    /// forward RM cell.
    pub(in crate::net) fn on_offered<'a>(
        &mut self,
        now: Time,
        vc: VcId,
        pti: Pti,
        queued: u64,
        rm: impl FnOnce() -> &'a mut RmCell,
    ) -> Pti {
        self.count(now, vc, 1);
        self.on_counted(now, vc, pti, queued, rm)
    }

    /// So many cells of a connection are offered: one, at `now`, if the algorithm has no threshold of EFCI; else until then.
    pub(in crate::net) fn count(&mut self, now: Time, vc: VcId, cells: u64) {
        let now = (!self.is_told_late).then_some(now);
        match self.served[vc.index()] {
            Some(served) => {
                self.allocator.on_cells(now, served.number, cells);
                if let Some(of_tcp) = &mut self.of_tcp {
                    of_tcp.on_arrival(served.number, cells);
                }
            }
            None => self.allocator.on_other_cells(now, cells),
        }
    }

    /// So many cells that are counted got EFCI.
    pub(in crate::net) fn count_marked(&mut self, cells: u64) {
        self.marked_cells += cells;
    }

    /// Whether the algorithm serves a connection of the port that is of the service ABR: then its cells may get EFCI.
    pub(in crate::net) fn marks(&self, vc: VcId) -> bool {
        self.served[vc.index()].is_some_and(|served| served.rm_rates.is_some())
    }

    /// A cell that is counted is offered at `now` while so many wait, see [`PortRates::on_offered`].
    pub(in crate::net) fn on_counted<'a>(
        &mut self,
        now: Time,
        vc: VcId,
        pti: Pti,
        queued: u64,
        rm: impl FnOnce() -> &'a mut RmCell,
    ) -> Pti {
        let Some(Served { number, rm_rates: Some(rm_rates) }) = self.served[vc.index()] else { return pti };
        if pti == Pti::FORWARD_RM {
            let cell = rm();
            if let Some(of_tcp) = &mut self.of_tcp {
                of_tcp.on_forward_rm(number, cell);
            }
            self.allocator.on_forward_rm(now, number, queued, cell);
            cell.er = rm_rates.written(cell.er);
        }
        if !self.allocator.marks_efci(queued) {
            return pti;
        }
        let marked = pti.marked();
        self.marked_cells += u64::from(marked != pti);
        marked
    }

    /// A backward RM cell passes, whose data cross the port as connection `vc`, while so many cells wait.
    pub(in crate::net) fn on_backward_rm(&mut self, now: Time, vc: VcId, queued: u64, cell: &mut RmCell) {
        // What ends at this instant at the port has ended already, unless nothing was there to do it.
        self.end_idle_intervals(now);
        self.end_interval_at(now, queued);
        let Some(Served { number, rm_rates: Some(rm_rates) }) = self.served[vc.index()] else {
            unreachable!("an RM cell is one of an ABR flow")
        };
        self.allocator.on_backward_rm(now, number, queued, cell);
        cell.er = rm_rates.written(cell.er);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::atm::rate::{CustomRateAlgorithm, Port};
    use crate::units::Rate;
    use crate::units::instants::ps as at;

    const PORT: (&str, u64) = ("a->b", 1);

    /// What an algorithm was told, and for which instants.
    #[derive(Clone, Debug, Default)]
    struct Told(Arc<Mutex<Vec<String>>>);

    impl Told {
        fn note(&self, what: String) {
            self.0.lock().unwrap().push(what);
        }

        fn take(&self) -> String {
            std::mem::take(&mut *self.0.lock().unwrap()).join(" ")
        }
    }

    impl RateAllocator for Told {
        fn on_cells(&mut self, now: Option<Time>, connection: usize, cells: u64) {
            self.note(format!("{connection}:{cells}@{}", now.unwrap().as_ps()));
        }

        fn on_other_cells(&mut self, now: Option<Time>, cells: u64) {
            self.note(format!("other:{cells}@{}", now.unwrap().as_ps()));
        }

        fn on_forward_rm(&mut self, now: Time, connection: usize, queued: u64, cell: &mut RmCell) {
            cell.er /= 2.0;
            self.note(format!("{connection}:ccr={}:{queued}@{}", cell.ccr, now.as_ps()));
        }

        fn on_interval_end(&mut self, now: Time, queued: u64) {
            self.note(format!("end:{queued}@{}", now.as_ps()));
        }

        fn on_backward_rm(&mut self, now: Time, connection: usize, queued: u64, cell: &mut RmCell) {
            cell.er /= 2.0;
            self.note(format!("{connection}:back:{queued}@{}", now.as_ps()));
        }

        fn marks_efci(&self, queued: u64) -> bool {
            queued > 2
        }
    }

    /// A port with slots of 100 ps and intervals of five of them, which serves its connections 1 and 3.
    fn rates() -> (PortRates, Told) {
        let told = Told::default();
        let start = told.clone();
        let custom = CustomRateAlgorithm::new("told", Some(Span::from_ps(510)), move |_, _| Box::new(start.clone()));
        let rate = Rate::from_bps(4_240_000_000_000).unwrap();
        let port = Port { rate, unit: Unit::Cell, connections: 2, max_min: &|_| vec![], openings: &[] };
        let served = |number, rm_rates| Some(Served { number, rm_rates: Some(rm_rates) });
        let served = vec![None, served(0, RmRates::Exact), None, served(1, RmRates::Tm4)];
        (PortRates::new(&RateAlgorithm::Custom(custom), &port, PORT, served), told)
    }

    fn rm(ccr: f64) -> RmCell {
        RmCell { er: 10.0, ccr, mcr: 0.0, ci: false, ni: false, bn: false, clp: false }
    }

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    #[test]
    fn intervals_end_every_m_slots_whether_or_not_anything_comes() {
        let (mut rates, told) = rates();
        rates.end_idle_intervals(at(500));
        assert_eq!(told.take(), "", "the one that ends now is not over before what departs now has gone");
        rates.end_interval_at(at(500), 7);
        rates.end_interval_at(at(500), 7);
        assert_eq!(told.take(), "end:7@500", "once");
        rates.end_idle_intervals(at(2000));
        rates.end_interval_at(at(1900), 1);
        assert_eq!(told.take(), "end:0@1000 end:0@1500");
        rates.end_interval_at(at(2000), 1);
        assert_eq!(told.take(), "end:1@2000");
    }

    #[test]
    fn cells_of_abr_flows_are_counted_for_their_connection_and_all_others_together() {
        let (mut rates, told) = rates();
        let mut cell = rm(5.0);
        let mut offered = |number, pti, queued| rates.on_offered(at(300), vc(number), pti, queued, || &mut cell);
        assert_eq!(offered(3, Pti::data(true), 2), Pti::data(true));
        assert_eq!(offered(1, Pti::data(false), 3), Pti::data(false).marked());
        assert_eq!(offered(1, Pti::FORWARD_RM, 3), Pti::FORWARD_RM);
        // A backward RM cell is one of a connection whose data go the other way.
        assert_eq!(offered(2, Pti::BACKWARD_RM, 3), Pti::BACKWARD_RM);
        assert_eq!(offered(0, Pti::data(false), 3), Pti::data(false), "UBR is not marked");
        assert_eq!(told.take(), "1:1@300 0:1@300 0:1@300 0:ccr=5:3@300 other:1@300 other:1@300");
        assert_eq!(cell.er, 5.0, "what the algorithm writes is in the cell");
        assert_eq!(rates.record(at(0)).unwrap().marked_cells, 1, "RM cells are not marked");
    }

    /// One of ABR, which says its rate in RM cells, and one of UBR: two cells in 500 ps. A third one has sent nothing.
    #[test]
    fn senders_of_tcp_get_rates_when_an_interval_ends() {
        let told = Told::default();
        let start = told.clone();
        let custom = CustomRateAlgorithm::new("told", Some(Span::from_ps(500)), move |_, _| Box::new(start.clone()));
        let rate = Rate::from_bps(4_240_000_000_000).unwrap();
        let port = Port { rate, unit: Unit::Cell, connections: 3, max_min: &|_| vec![], openings: &[] };
        let served = |number, rm_rates| Some(Served { number, rm_rates });
        let served = vec![served(0, Some(RmRates::Exact)), None, served(1, None), served(2, None)];
        let mut rates = PortRates::new(&RateAlgorithm::Custom(custom), &port, PORT, served);
        rates.give_rates_to_tcp();
        assert_eq!(rates.of_tcp(), Some(&[f64::INFINITY; 3][..]));
        assert_eq!((rates.marks(vc(0)), rates.marks(vc(2))), (true, false));
        let mut cell = rm(7.0);
        for (number, pti) in [(0, Pti::FORWARD_RM), (2, Pti::data(false)), (2, Pti::data(true))] {
            assert_eq!(rates.on_offered(at(200), vc(number), pti, 3, || &mut cell), pti, "UBR is not marked");
        }
        rates.end_interval_at(at(500), 4);
        let measured = 2.0 / Span::from_ps(500).as_secs_f64();
        let asked = format!("end:4@500 0:ccr=7:4@500 0:back:4@500 1:ccr={measured}:4@500 1:back:4@500");
        assert_eq!(told.take(), format!("0:1@200 0:ccr=7:3@200 1:1@200 1:1@200 {asked}"));
        assert!(rates.record(at(500)).is_some());
    }

    /// What no cell has made it end is ended for the record alone.
    #[test]
    fn records_are_of_the_instant_that_is_asked_for() {
        let capc = |name: &str| {
            let capc = crate::atm::rate::ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
            let values = crate::keys::Values::of(capc.keys, |key| {
                (key.name == "averaging_interval").then_some(crate::keys::Value::time(Span::from_us(3)))
            });
            (capc.params)(&values).unwrap()
        };
        let rate = Rate::from_bps(424_000_000).unwrap();
        let port = Port { rate, unit: Unit::Cell, connections: 1, max_min: &|_| vec![], openings: &[] };
        let served = vec![Some(Served { number: 0, rm_rates: Some(RmRates::Exact) })];
        let mut rates = PortRates::new(&capc("capc"), &port, PORT, served);
        rates.record_allocation();
        // 1 us a cell, three to an interval; without load ERQ, first 950,000, rises by a tenth up to C.
        let allocation = |us: u64| rates.allocation(Time::ZERO + Span::from_us(us));
        assert_eq!([allocation(3), allocation(4)], [None, Some(1e6)]);
        let allocations = rates.allocations(Time::ZERO + Span::from_us(10)).unwrap();
        let crate::record::Columns::Points { time, value } = allocations.columns(Time::NEVER) else { panic!() };
        assert_eq!((time, value), (vec![Time::ZERO + Span::from_us(3)], vec![424e6]));
    }

    #[test]
    fn a_backward_rm_cell_comes_after_all_that_the_port_does_at_its_instant() {
        let (mut rates, told) = rates();
        let mut cell = rm(0.0);
        rates.on_backward_rm(at(1000), vc(3), 4, &mut cell);
        assert_eq!((told.take().as_str(), cell.er), ("end:0@500 end:4@1000 1:back:4@1000", 5.0));
        rates.end_interval_at(at(1000), 4);
        assert_eq!(told.take(), "");
    }

    /// Half of 1001 cells per second, on a connection whose RM cells have 16 bits for rates: in steps of 1/2 at 500.
    #[test]
    fn what_is_written_has_the_bits_of_its_rm_cells() {
        let (mut rates, _) = rates();
        let mut written = |number, pti: Pti, er| {
            let mut cell = RmCell { er, ..rm(0.0) };
            match pti == Pti::FORWARD_RM {
                true => drop(rates.on_offered(at(0), vc(number), pti, 0, || &mut cell)),
                false => rates.on_backward_rm(at(0), vc(number), 0, &mut cell),
            }
            cell.er
        };
        for pti in [Pti::FORWARD_RM, Pti::BACKWARD_RM] {
            assert_eq!([written(1, pti, 1000.6), written(3, pti, 1000.6)], [500.3, 500.0]);
        }
    }
}
