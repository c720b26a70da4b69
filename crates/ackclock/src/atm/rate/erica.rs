//! ERICA, explicit rate indication for congestion avoidance: each connection gets its share of the target rate, or more if
//! the load leaves room.
//! Source: \[KAL97\] chapter 6 and appendix C, \[ERICA\] (literature). What is counted where and in
//! which order: Ackclock.

use super::{
    Default, Key, Kind, MARK_KEY, Mark, Mechanism, Misfit, Port, RateAllocator, Value, Values, interval_key, mark,
};
use crate::packet::RmCell;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of ERICA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EricaParams {
    /// The part of the link's rate that ABR and all others may use.
    pub target_utilisation: f64,
    /// What ERICA and ERICA+ have in common.
    pub sharing: Sharing,
}

/// How the target rate is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// T: how long the port counts cells.
    pub interval: Span,
    /// δ: up to a load of 1 + δ, connections are raised to the largest rate of the interval before.
    pub delta: f64,
    /// Whether the rates of connections are measured here instead of read in RM cells.
    pub measures_rates: bool,
    /// What a connection that sent nothing in an interval counts for, as a part of what it counted before; 0: nothing.
    pub activity_decay: f64,
    /// Weight of the newest interval in the load; 1: nothing else counts.
    pub load_weight: f64,
    /// Whether a backward RM cell, too, shows that its connection is active.
    pub backward_is_active: bool,
    /// Into which RM cells rates are written.
    pub mark: Mark,
}

/// ERICA at a port.
pub type Erica = Shares<EricaParams>;

/// What the members of the ERICA family differ in: the rate that they share.
pub trait TargetRate: Clone + Send {
    /// The target rate of the next interval, cells per second, or less than 0 if others take all. C is the rate of the
    /// link; cells that are not of ABR connections came at the rate of `others`; so many cells wait.
    fn target(&self, capacity: f64, others: f64, queued: u64) -> f64;
}

/// ERICA and ERICA+ at a port: the target rate is that of the parameters, its shares are the same.
#[derive(Clone, Debug)]

pub struct Shares<P: TargetRate> {
    params: P,
    sharing: Sharing,
    capacity: f64,
    interval_units: f64,
    connections: Vec<Connection>,
    cells: u64,
    other_cells: u64,
    /// The load factor z.
    load: f64,
    target: f64,
    fair_share: f64,
    largest: f64,
    largest_before: f64,
    /// Whether the first interval has ended: before that no rate is said.
    begun: bool,
}

#[derive(Clone, Debug, Default)]
struct Connection {
    /// CCR, from its last forward RM cell or measured.
    ccr: f64,
    /// Its cells in this interval.
    cells: u64,
    /// Whether it was seen to be active in this interval.
    seen: bool,
    /// What it counts for among the active ones.
    activity: f64,
    /// The rate that was computed for it in this interval.
    answer: Option<f64>,
}

/// The keys of both, but for the interval.
#[rustfmt::skip]
pub(super) const SHARING_KEYS: [Key; 5] = [
    Key::new("rates", Kind::Word(&["rm-cells", "measured"]), Default::Is(Value::Word("rm-cells")), "literature",
        "The source of the rate of a connection: CCR in its RM cells, or the count of its cells in the last interval."),
    Key::new("activity_decay", Kind::Share, Default::Is(Value::Number(0.0)), "literature; 0.9 with averaging",
        "The factor by which the activity of a connection decays in each interval without a cell; 0: it is inactive at once."),
    Key::new("load_weight", Kind::Number(1.0), Default::Is(Value::Number(1.0)), "literature",
        "The weight of the newest interval in an exponential average of the load; 1: no average."),
    Key::new("backward_is_active", Kind::Flag, Default::Is(Value::Flag(false)), "literature",
        "Whether a backward RM cell, too, shows that its connection is active."),
    MARK_KEY,
];

/// The key of δ.
pub(super) const fn delta_key(default: f64, source: &'static str) -> Key {
    Key::new(
        "delta",
        Kind::Share,
        Default::Is(Value::Number(default)),
        source,
        "δ: up to a load of 1 + δ, connections are raised to the largest rate of the interval before.",
    )
}

/// The values of these keys.
pub(super) fn sharing(values: &Values) -> Sharing {
    Sharing {
        interval: values.time("averaging_interval"),
        delta: values.number("delta"),
        measures_rates: values.choice("rates", &[("rm-cells", false), ("measured", true)]),
        activity_decay: values.number("activity_decay"),
        load_weight: values.number("load_weight"),
        backward_is_active: values.flag("backward_is_active"),
        mark: mark(values),
    }
}

impl Mechanism for Erica {
    const NAME: &'static str = "erica";
    const ABOUT: &'static str =
        "ERICA: to each connection its share of a target rate, or more if the load leaves room.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &crate::keys::joined::<8>(&[
        &[
            interval_key(Span::from_ms(5), "inferred: 5 ms over wide areas, 1 ms over local ones"),
            Key::new("target_utilisation", Kind::Number(1.0), Default::Is(Value::Number(0.95)), "literature: 0.95 over wide areas, 0.9 over local ones",
                "The target utilisation, as a part of the link's rate. Its product with 1 + δ must be below 1, or the queue grows without bound."),
            delta_key(0.05, "Ackclock; literature: 0.1"),
        ],
        &SHARING_KEYS,
    ]);
    type Params = EricaParams;

    fn params(values: &Values) -> Result<EricaParams, Misfit> {
        Ok(EricaParams { target_utilisation: values.number("target_utilisation"), sharing: sharing(values) })
    }

    fn interval(params: &EricaParams) -> Option<Span> {
        Some(params.sharing.interval)
    }

    fn start(params: &EricaParams, port: &Port<'_>, _draws: Stream) -> Erica {
        Shares::new(*params, params.sharing, port)
    }
}

impl TargetRate for EricaParams {
    fn target(&self, capacity: f64, others: f64, _queued: u64) -> f64 {
        self.target_utilisation * capacity - others
    }
}

impl<P: TargetRate> Shares<P> {
    /// Before the first cell.
    pub(super) fn new(params: P, sharing: Sharing, port: &Port<'_>) -> Shares<P> {
        Shares {
            params,
            sharing,
            capacity: port.capacity(),
            interval_units: port.units(sharing.interval),
            connections: vec![Connection::default(); port.connections],
            cells: 0,
            other_cells: 0,
            load: 0.0,
            target: 0.0,
            fair_share: 0.0,
            largest: 0.0,
            largest_before: 0.0,
            begun: false,
        }
    }

    /// The rate of so many cells in an interval.
    fn rate(&self, cells: u64) -> f64 {
        cells as f64 / self.interval_units * self.capacity
    }

    /// Writes the rate of a connection into one of its RM cells.
    fn write(&mut self, vc: usize, cell: &mut RmCell) {
        if !self.begun {
            return;
        }
        let er = match self.connections[vc].answer {
            // One computation for each connection and interval.
            Some(er) => er,
            None => self.answer(vc),
        };
        cell.er = cell.er.min(er);
    }

    fn answer(&mut self, vc: usize) -> f64 {
        let connection = &mut self.connections[vc];
        let mut er = self.fair_share.max(connection.ccr / self.load);
        if self.load <= 1.0 + self.sharing.delta {
            er = er.max(self.largest_before);
        }
        // The largest rate is one before it is limited, and may be more than the target.
        self.largest = self.largest.max(er);
        if er > self.fair_share && connection.ccr < self.fair_share {
            er = self.fair_share;
        }
        let er = er.min(self.target);
        connection.answer = Some(er);
        er
    }
}

impl<P: TargetRate + 'static> RateAllocator for Shares<P> {
    fn on_cells(&mut self, _now: Option<Time>, vc: usize, cells: u64) {
        self.cells += cells;
        let connection = &mut self.connections[vc];
        connection.cells += cells;
        connection.seen |= cells > 0;
    }

    fn on_other_cells(&mut self, _now: Option<Time>, cells: u64) {
        self.other_cells += cells;
    }

    fn on_forward_rm(&mut self, _now: Time, vc: usize, _queued: u64, cell: &mut RmCell) {
        if !self.sharing.measures_rates {
            self.connections[vc].ccr = cell.ccr;
        }
        if self.sharing.mark == Mark::Forward {
            self.write(vc, cell);
        }
    }

    fn on_interval_end(&mut self, _now: Time, queued: u64) {
        self.target = self.params.target(self.capacity, self.rate(self.other_cells), queued).max(0.0);
        let load = match self.target > 0.0 {
            true => (self.rate(self.cells) / self.target).max(LEAST_LOAD),
            false => f64::INFINITY,
        };
        let weight = self.sharing.load_weight;
        // A load without end leaves no average behind.
        self.load = match self.begun && self.load.is_finite() && load.is_finite() {
            true => weight * load + (1.0 - weight) * self.load,
            false => load,
        };
        let (interval_units, capacity, sharing) = (self.interval_units, self.capacity, self.sharing);
        let mut active = 0.0;
        for connection in &mut self.connections {
            connection.activity = if connection.seen { 1.0 } else { connection.activity * sharing.activity_decay };
            active += connection.activity;
            if sharing.measures_rates {
                connection.ccr = connection.cells as f64 / interval_units * capacity;
            }
            (connection.cells, connection.seen, connection.answer) = (0, false, None);
        }
        self.fair_share = self.target / f64::max(active, 1.0);
        self.largest_before = self.largest;
        self.largest = self.fair_share;
        (self.cells, self.other_cells, self.begun) = (0, 0, true);
    }

    fn on_backward_rm(&mut self, _now: Time, vc: usize, _queued: u64, cell: &mut RmCell) {
        self.connections[vc].seen |= self.sharing.backward_is_active;
        if self.sharing.mark == Mark::Backward {
            self.write(vc, cell);
        }
    }

    fn allocation(&self) -> Option<f64> {
        self.begun.then_some(self.fair_share)
    }

    fn efci_threshold(&self) -> Option<u64> {
        Some(u64::MAX)
    }
}

/// The least load: without it an idle port would divide by nothing.
pub(super) const LEAST_LOAD: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::super::tests::{backward, draws, port};
    use super::*;

    /// C = 100,000 cells/s, so that 5 ms are 500 slots; three connections.
    fn erica(change: impl Fn(&mut EricaParams)) -> Erica {
        let mut params = Erica::default_params();
        (params.target_utilisation, params.sharing.delta) = (0.9, 0.1);
        change(&mut params);
        let erica = Erica::start(&params, &port(42_400_000, 3), draws());
        assert_eq!((erica.capacity, erica.interval_units), (100_000.0, 500.0));
        erica
    }

    fn interval(erica: &mut Erica, cells: [u64; 3], others: u64) {
        cells.into_iter().enumerate().for_each(|(vc, cells)| erica.on_cells(None, vc, cells));
        erica.on_other_cells(None, others);
        erica.on_interval_end(Time::ZERO, 7);
    }

    fn says(erica: &mut Erica, vc: usize, ccr: f64) -> f64 {
        erica.on_forward_rm(Time::ZERO, vc, 0, &mut RmCell { ccr, ..backward(0.0) });
        answers(erica, vc)
    }

    fn answers(erica: &mut Erica, vc: usize) -> f64 {
        let mut cell = backward(1e9);
        erica.on_backward_rm(Time::ZERO, vc, 0, &mut cell);
        cell.er
    }

    fn cents(rate: f64) -> f64 {
        (rate * 100.0).round() / 100.0
    }

    #[test]
    fn three_intervals_by_hand() {
        let mut erica = erica(|_| {});
        erica.largest = 42_000.0;
        // 540 cells of 500 · 0.9: z = 1.2, above 1 + δ.
        interval(&mut erica, [300, 100, 140], 0);
        assert_eq!((erica.load, erica.allocation()), (1.2, Some(30_000.0)));
        assert_eq!(says(&mut erica, 0, 60_000.0), 50_000.0);
        assert_eq!(says(&mut erica, 1, 20_000.0), 30_000.0);
        assert_eq!(says(&mut erica, 2, 28_000.0), 30_000.0);
        assert_eq!(says(&mut erica, 0, 10.0), 50_000.0, "once computed it stays");
        // 430 cells: z = 0.9556. The largest rate of before was 50,000.
        interval(&mut erica, [250, 130, 50], 0);
        assert_eq!((erica.load * 1e6).round(), 955_556.0);
        assert_eq!(cents(says(&mut erica, 0, 50_000.0)), 52_325.58);
        assert_eq!(says(&mut erica, 1, 30_000.0), 50_000.0);
        assert_eq!(says(&mut erica, 2, 10_000.0), 30_000.0, "who is below its share comes up to it first");
        // Nothing: z = 0.001, N = 1.
        interval(&mut erica, [0; 3], 0);
        assert_eq!(says(&mut erica, 0, 50_000.0), 90_000.0);
        assert_eq!((cents(erica.largest_before), erica.largest), (52_325.58, 5e7));
        // The 5·10^7 of before, limited by the target.
        interval(&mut erica, [400, 0, 0], 0);
        assert_eq!(says(&mut erica, 0, 90_000.0), 90_000.0);
    }

    /// 490 cells are a load of 1.089, 500 one of 1.111; δ is 0.1.
    #[test]
    fn up_to_a_load_of_1_plus_delta_connections_are_raised_to_the_largest_rate() {
        for (cells, rate) in [(290, 42_000.0), (300, 32_400.0)] {
            let mut erica = erica(|_| {});
            erica.largest = 42_000.0;
            interval(&mut erica, [cells, 100, 100], 0);
            assert_eq!(cents(says(&mut erica, 0, 36_000.0)), rate);
        }
    }

    #[test]
    fn others_are_taken_out_of_the_target() {
        let mut erica = erica(|_| {});
        // 100 of 500: the target is 90,000 - 20,000.
        interval(&mut erica, [175, 175, 0], 100);
        assert_eq!((erica.target, erica.load, erica.fair_share), (70_000.0, 1.0, 35_000.0));
        interval(&mut erica, [175, 175, 0], 450);
        assert_eq!((erica.target, erica.load), (0.0, f64::INFINITY));
        assert_eq!(says(&mut erica, 0, 35_000.0), 0.0);
        interval(&mut erica, [10, 10, 0], 0);
        assert!(erica.load < 0.05);
    }

    #[test]
    fn before_the_first_interval_ends_nothing_is_said() {
        let mut erica = erica(|_| {});
        assert_eq!((says(&mut erica, 0, 50_000.0), erica.allocation()), (1e9, None));
        interval(&mut erica, [500, 0, 0], 0);
        assert_eq!(answers(&mut erica, 0), 90_000.0);
    }

    #[test]
    fn rates_may_be_measured() {
        let mut erica = erica(|params| params.sharing.measures_rates = true);
        erica.on_forward_rm(Time::ZERO, 0, 0, &mut RmCell { ccr: 1.0, ..backward(0.0) });
        interval(&mut erica, [300, 100, 140], 0);
        // 300 of 500 slots are 60,000.
        assert_eq!(answers(&mut erica, 0), 50_000.0);
    }

    #[test]
    fn a_connection_that_pauses_may_count_in_part() {
        let mut erica = erica(|params| params.sharing.activity_decay = 0.5);
        let mut share = |cells| {
            interval(&mut erica, cells, 0);
            erica.fair_share
        };
        assert_eq!(share([150, 150, 150]), 30_000.0);
        assert_eq!(share([150, 0, 0]), 45_000.0);
        assert_eq!(share([150, 0, 0]), 60_000.0);
        assert_eq!(share([150, 1, 0]), 90_000.0 / 2.125);
        assert_eq!(share([0, 0, 0]), 90_000.0 / 1.0625);
    }

    #[test]
    fn a_backward_rm_cell_may_show_that_its_connection_is_active() {
        for (backward_is_active, share) in [(false, 90_000.0), (true, 45_000.0)] {
            let mut erica = erica(|params| params.sharing.backward_is_active = backward_is_active);
            answers(&mut erica, 1);
            interval(&mut erica, [150, 0, 0], 0);
            assert_eq!(erica.allocation(), Some(share));
        }
    }

    /// The first interval by hand, into forward RM cells: each knows its own CCR already.
    #[test]
    fn rates_may_be_written_into_forward_rm_cells() {
        let mut erica = erica(|params| {
            params.sharing.mark = Mark::Forward;
            params.sharing.backward_is_active = true;
        });
        erica.largest = 42_000.0;
        let writes = |erica: &mut Erica, vc, ccr| {
            let mut cell = RmCell { ccr, ..backward(1e9) };
            erica.on_forward_rm(Time::ZERO, vc, 0, &mut cell);
            (cell.er, cell.ccr)
        };
        assert_eq!(writes(&mut erica, 0, 60_000.0), (1e9, 60_000.0), "before the first interval has ended");
        interval(&mut erica, [300, 100, 140], 0);
        assert_eq!(writes(&mut erica, 0, 60_000.0), (50_000.0, 60_000.0));
        assert_eq!(writes(&mut erica, 1, 20_000.0).0, 30_000.0);
        assert_eq!(writes(&mut erica, 0, 10.0).0, 50_000.0, "once computed it stays");
        // Backward ones only show who is active.
        assert_eq!(answers(&mut erica, 2), 1e9);
        interval(&mut erica, [540, 0, 0], 0);
        assert_eq!(erica.allocation(), Some(45_000.0));
    }

    #[test]
    fn the_load_may_be_averaged() {
        let mut erica = erica(|params| params.sharing.load_weight = 0.25);
        let mut load = |cells, others| {
            interval(&mut erica, [cells, 0, 0], others);
            erica.load
        };
        assert_eq!(load(450, 0), 1.0, "the first is all that there is");
        assert_eq!(load(900, 0), 1.25);
        assert_eq!(load(900, 500), f64::INFINITY);
        assert_eq!(load(450, 0), 1.0);
    }
}
