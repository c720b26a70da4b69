//! The source of an ABR connection: which cell it sends when, and at which rate.
//! Source: \[TM4\] §5.10.4, rules 1 to 13. Rule 13 (use it or lose it) has no part beyond rule 5.

use super::params::{MRM, TCR};
use super::{AbrParams, spacing};
use crate::packet::RmCell;
use crate::units::{Span, Time};

/// What waits for the source's turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Whether there is a data cell.
    pub data: bool,
    /// Whether there is a backward RM cell, of the connection in the other direction.
    pub backward_rm: bool,
}

/// The cell that is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// A forward RM cell, in rate or (CLP = 1) out of rate.
    ForwardRm(RmCell),
    /// The backward RM cell that waits.
    BackwardRm,
    /// The data cell that waits first.
    Data,
}

/// The source's state. The owner of the link reads when the next cell is due, and takes it when the link is free.
#[derive(Clone, Debug, PartialEq)]
pub struct AbrSource {
    params: AbrParams,
    /// The time in which the host's link carries a cell.
    cell_time: Span,
    initial_rate: f64,
    crm: u32,
    /// ACR, allowed cell rate.
    acr: f64,
    /// In-rate cells since the last in-rate forward RM cell, that one not counted.
    count: u32,
    last_forward_rm: Time,
    /// When the last in-rate cell began; `None` before the first.
    last_start: Option<Time>,
    /// When the last cell began, in rate or out of rate.
    last_cell: Time,
    /// In-rate forward RM cells since the last backward RM cell that no switch generated.
    unacknowledged: u32,
    backward_rm_sent: bool,
}

impl AbrSource {
    /// A source before its first cell, on a link that carries a cell in `cell_time`.
    pub fn new(params: AbrParams, cell_time: Span) -> AbrSource {
        let (initial_rate, crm) = (params.initial_rate(), params.crm());
        AbrSource {
            params,
            cell_time,
            initial_rate,
            crm,
            acr: initial_rate,
            count: 0,
            last_forward_rm: Time::ZERO,
            last_start: None,
            last_cell: Time::ZERO,
            unacknowledged: 0,
            backward_rm_sent: false,
        }
    }

    /// ACR, allowed cell rate. Cells per second.
    pub fn acr(&self) -> f64 {
        self.acr
    }

    /// When the last in-rate cell began; at the start, if none has.
    pub fn last_start(&self) -> Time {
        self.last_start.unwrap_or(Time::ZERO)
    }

    /// When the next cell is due, if nothing else happens; an instant that has passed if it is due since then, and
    /// [`Time::NEVER`] if there is none to send. It changes with what waits and with each backward RM cell.
    pub fn due(&self, waiting: Waiting) -> Time {
        let Some(last_start) = self.last_start else {
            return if waiting.data { Time::ZERO } else { Time::NEVER };
        };
        if self.acr < TCR {
            return self.last_cell.saturating_add(spacing(TCR, self.cell_time));
        }
        let next = last_start.saturating_add(spacing(self.acr, self.cell_time));
        if waiting.data || waiting.backward_rm || self.count + 1 >= self.params.nrm {
            return next;
        }
        // Rule 3: a source that stops sending still has to send a forward RM cell.
        if self.count >= MRM { next.max(self.last_forward_rm.saturating_add(self.params.trm)) } else { Time::NEVER }
    }

    /// The cell that begins now, at an instant at which one is due and the link is free. Its rate spaces the next one: a
    /// late start is not made up for.
    ///
    /// # Panics
    /// In debug builds, if none is due.
    pub fn next_cell(&mut self, now: Time, waiting: Waiting) -> Turn {
        debug_assert!(self.due(waiting) <= now, "no cell is due at {now:?}");
        self.last_cell = now;
        if self.last_start.is_some() && self.acr < TCR {
            return Turn::ForwardRm(self.rm_cell(true));
        }
        let is_first = self.last_start.is_none();
        self.last_start = Some(now);
        let is_late = self.count >= MRM && now.since(self.last_forward_rm) >= self.params.trm;
        if is_first || self.count + 1 >= self.params.nrm || is_late {
            return Turn::ForwardRm(self.forward_rm(now));
        }
        self.count += 1;
        if waiting.backward_rm && !(self.backward_rm_sent && waiting.data) {
            self.backward_rm_sent = true;
            return Turn::BackwardRm;
        }
        Turn::Data
    }

    /// The data cells that follow the one which has just begun, if data always wait and nothing happens: as many as certainly begin
    /// by `until` before another kind of cell does, and no more than `most`. They begin this long apart; the source counts
    /// them as sent.
    pub fn next_data_cells(&mut self, until: Time, most: u16) -> (u16, Span) {
        let spacing = spacing(self.acr, self.cell_time);
        let Some(first) = self.last_start.map(|last| last.saturating_add(spacing)).filter(|&first| first <= until)
        else {
            return (0, spacing);
        };
        // Up to that instant inclusive.
        let cells_until = |end: Time| if first <= end { end.since(first) / spacing + 1 } else { 0 };
        let is_late = self.last_forward_rm.saturating_add(self.params.trm);
        let in_time = cells_until(Time::from_ps(is_late.as_ps() - 1)).max(u64::from(MRM.saturating_sub(self.count)));
        let before_rm = u64::from(self.params.nrm - 1 - self.count.min(self.params.nrm - 1));
        let cells = cells_until(until).min(in_time).min(before_rm).min(u64::from(most)) as u16;
        if cells > 0 {
            let last = first + spacing * u64::from(cells - 1);
            (self.last_start, self.last_cell) = (Some(last), last);
            self.count += u32::from(cells);
        }
        (cells, spacing)
    }

    /// The last so many of the cells that [`AbrSource::next_data_cells`] has counted as sent, at this spacing, are not sent yet.
    pub fn take_back(&mut self, cells: u16, spacing: Span) {
        let last = self.last_start().as_ps() - spacing.as_ps() * u64::from(cells);
        (self.last_start, self.last_cell) = (Some(Time::from_ps(last)), Time::from_ps(last));
        self.count -= u32::from(cells);
    }

    /// An in-rate forward RM cell (rules 5, 6, 7, 10).
    fn forward_rm(&mut self, now: Time) -> RmCell {
        if self.acr > self.initial_rate && now.since(self.last_forward_rm) > self.params.adtf {
            self.acr = self.initial_rate;
        }
        if self.unacknowledged >= self.crm {
            self.acr = (self.acr - self.acr * self.params.cdf).max(self.params.mcr);
        }
        self.unacknowledged += 1;
        self.count = 0;
        self.last_forward_rm = now;
        self.backward_rm_sent = false;
        self.rm_cell(false)
    }

    fn rm_cell(&self, clp: bool) -> RmCell {
        let written = |rate| self.params.rm_rates.written(rate);
        let [er, ccr, mcr] = [self.params.pcr, self.acr, self.params.mcr].map(written);
        RmCell { er, ccr, mcr, ci: false, ni: false, bn: false, clp }
    }

    /// A backward RM cell arrives, in rate or out of rate (rules 8, 9).
    pub fn on_backward_rm(&mut self, cell: &RmCell) {
        let AbrParams { pcr, mcr, rif, rdf, .. } = self.params;
        if !cell.bn {
            self.unacknowledged = 0;
        }
        // Products and sums in this order: the same bits in every engine.
        if cell.ci {
            self.acr -= self.acr * rdf;
        } else if !cell.ni {
            self.acr = (self.acr + rif * pcr).min(pcr);
        }
        self.acr = self.acr.min(cell.er).max(mcr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::{RmRates, cells_per_second};
    use crate::units::Rate;
    use crate::units::instants::us as at;

    const CELL: Span = Span::from_ps(2_826_667);
    const DATA: Waiting = Waiting { data: true, backward_rm: false };
    const NOTHING: Waiting = Waiting { data: false, backward_rm: false };
    const BACKWARD: Waiting = Waiting { data: false, backward_rm: true };
    const BOTH: Waiting = Waiting { data: true, backward_rm: true };

    fn pcr() -> f64 {
        cells_per_second(Rate::from_bps(150_000_000).unwrap())
    }

    fn params() -> AbrParams {
        AbrParams::new(pcr(), Span::from_ms(10))
    }

    fn source(params: AbrParams) -> AbrSource {
        AbrSource::new(params, CELL)
    }

    fn backward(er: f64) -> RmCell {
        RmCell { er, ccr: 0.0, mcr: 0.0, ci: false, ni: false, bn: false, clp: false }
    }

    /// Takes each cell when it is due, and no earlier than at `from`, until `count` are taken or none is left to take.
    fn take(source: &mut AbrSource, from: Time, waiting: Waiting, count: usize) -> Vec<(Time, Turn)> {
        let mut taken = Vec::new();
        while taken.len() < count && source.due(waiting) != Time::NEVER {
            let now = source.due(waiting).max(from);
            taken.push((now, source.next_cell(now, waiting)));
        }
        taken
    }

    fn is_forward(turn: &Turn) -> bool {
        matches!(turn, Turn::ForwardRm(_))
    }

    #[test]
    fn rule_2_the_first_cell_is_a_forward_rm_cell_with_icr() {
        let mut source = source(AbrParams { icr: 1000.0, ..params() });
        assert_eq!(source.due(NOTHING), Time::NEVER);
        assert_eq!(source.due(BACKWARD), Time::NEVER);
        let Turn::ForwardRm(cell) = source.next_cell(at(5), DATA) else { panic!("no RM cell") };
        assert_eq!(cell, RmCell { er: pcr(), ccr: 1000.0, mcr: 0.0, ci: false, ni: false, bn: false, clp: false });
        // 1 ms later.
        assert_eq!(source.due(DATA), at(1005));
        assert_eq!(source.next_cell(at(1005), DATA), Turn::Data);
    }

    #[test]
    fn rule_3_one_cell_in_nrm_is_a_forward_rm_cell() {
        let mut source = source(params());
        let cells = take(&mut source, at(0), DATA, 32 * 10);
        for (number, (time, turn)) in cells.iter().enumerate() {
            assert_eq!(is_forward(turn), number % 32 == 0, "{number}");
            assert_eq!(time.as_ps(), 2_826_667 * number as u64);
        }
    }

    #[test]
    fn rule_3_after_trm_a_forward_rm_cell_goes_once_mrm_cells_have_gone() {
        // One cell in 60 ms.
        let mut slow = source(AbrParams { icr: 1000.0 / 60.0, ..params() });
        let kinds: Vec<bool> = take(&mut slow, at(0), DATA, 7).iter().map(|(_, turn)| is_forward(turn)).collect();
        // Two cells between: the third is due 180 ms after the first.
        assert_eq!(kinds, [true, false, false, true, false, false, true]);
        // No data after two cells: a forward RM cell is due at Trm; after one cell it is not.
        let mut silent = source(params());
        take(&mut silent, at(0), DATA, 3);
        assert_eq!(silent.due(NOTHING), at(100_000));
        assert!(is_forward(&silent.next_cell(at(100_000), NOTHING)));
        assert_eq!(silent.due(NOTHING), Time::NEVER, "one forward RM cell, then silence");
        let mut silent = source(params());
        take(&mut silent, at(0), DATA, 2);
        assert_eq!(silent.due(NOTHING), Time::NEVER);
        // Trm counts from the forward RM cell before.
        let mut silent = source(params());
        take(&mut silent, at(0), DATA, 32 + 3);
        assert_eq!(silent.due(NOTHING).as_ps(), 32 * 2_826_667 + 100_000_000_000);
        // A slow source may not send as early as after Trm.
        let mut slow = source(AbrParams { icr: 1000.0 / 60.0, ..params() });
        take(&mut slow, at(0), DATA, 3);
        assert_eq!(slow.due(NOTHING), slow.due(DATA));
    }

    #[test]
    fn rule_3_a_forward_rm_cell_that_is_due_by_count_goes_without_data() {
        let mut source = source(params());
        take(&mut source, at(0), DATA, 32);
        assert_eq!(source.due(NOTHING).as_ps(), 32 * 2_826_667);
        let cells = take(&mut source, at(0), NOTHING, 9);
        assert_eq!(cells.len(), 1);
        assert!(is_forward(&cells[0].1));
    }

    #[test]
    fn rule_3_a_backward_rm_cell_goes_before_data_once_between_two_forward_rm_cells() {
        let mut source = source(params());
        take(&mut source, at(0), DATA, 1);
        let turns: Vec<Turn> = take(&mut source, at(0), BOTH, 3).into_iter().map(|(_, turn)| turn).collect();
        assert_eq!(turns, [Turn::BackwardRm, Turn::Data, Turn::Data]);
        // Without data a second one goes.
        assert_eq!(source.next_cell(source.due(BACKWARD), BACKWARD), Turn::BackwardRm);
        // All of them count for Nrm.
        let rest = take(&mut source, at(0), BOTH, 28);
        assert!(rest[..27].iter().all(|(_, turn)| *turn == Turn::Data) && is_forward(&rest[27].1));
        assert_eq!(source.next_cell(source.due(BOTH), BOTH), Turn::BackwardRm);
    }

    #[test]
    fn rule_5_a_rate_above_icr_ends_after_adtf_with_the_next_forward_rm_cell() {
        let after = |idle: Span| {
            let mut source = source(AbrParams { icr: 1000.0, nrm: 2, ..params() });
            take(&mut source, at(0), DATA, 2);
            source.on_backward_rm(&backward(50_000.0));
            assert_eq!(source.acr(), 1000.0 + pcr() / 16.0);
            let Turn::ForwardRm(cell) = source.next_cell(Time::ZERO + idle, DATA) else { panic!("no RM cell") };
            assert_eq!(cell.ccr, source.acr());
            source.acr()
        };
        assert_eq!(after(Span::from_ms(500)), 1000.0 + pcr() / 16.0);
        assert_eq!(after(Span::from_ps(500_000_000_001)), 1000.0);
        // A rate below ICR is no more than what the network allowed.
        let mut low = source(AbrParams { nrm: 2, ..params() });
        take(&mut low, at(0), DATA, 2);
        low.on_backward_rm(&backward(1000.0));
        low.next_cell(at(900_000), DATA);
        assert_eq!(low.acr(), 1000.0);
    }

    #[test]
    fn rule_6_the_rate_falls_while_no_backward_rm_cell_comes() {
        // CRM = 2.
        let mut source = source(AbrParams { nrm: 2, tbe: 4, frtt: Span::ZERO, mcr: 300_000.0, ..params() });
        let mut rates = || {
            let cells = take(&mut source, at(0), DATA, 2);
            assert_eq!(cells.iter().filter(|(_, turn)| is_forward(turn)).count(), 1);
            source.acr()
        };
        let full = pcr();
        assert_eq!([rates(), rates()], [full, full]);
        let less = full - full / 16.0;
        assert_eq!(rates(), less);
        assert_eq!(rates(), less - less / 16.0);
        assert_eq!(rates(), 300_000.0, "not below MCR");
        // One of a switch changes nothing of that, one of the source does.
        let mut counting = self::source(AbrParams { nrm: 2, tbe: 4, frtt: Span::ZERO, ..params() });
        take(&mut counting, at(0), DATA, 4);
        counting.on_backward_rm(&RmCell { bn: true, ni: true, ..backward(full) });
        take(&mut counting, at(0), DATA, 2);
        assert_eq!(counting.acr(), less);
        counting.on_backward_rm(&RmCell { ni: true, ..backward(full) });
        take(&mut counting, at(0), DATA, 4);
        assert_eq!(counting.acr(), less);
        take(&mut counting, at(0), DATA, 2);
        assert_eq!(counting.acr(), less - less / 16.0);
        // CDF = 0 switches the rule off.
        let mut off = self::source(AbrParams { cdf: 0.0, nrm: 2, tbe: 4, frtt: Span::ZERO, ..params() });
        take(&mut off, at(0), DATA, 100);
        assert_eq!(off.acr(), full);
    }

    #[test]
    fn rules_8_and_9_the_rate_follows_backward_rm_cells() {
        let params = AbrParams { mcr: 100.0, rif: 1.0 / 512.0, rdf: 1.0 / 128.0, ..params() };
        let mut source = source(params);
        let mut vectors = |ci, ni, er| {
            source.on_backward_rm(&RmCell { ci, ni, ..backward(er) });
            ((source.acr() * 1e6).round() / 1e6, spacing(source.acr(), CELL).as_ps())
        };
        let (y, n, all) = (true, false, pcr());
        assert_eq!(vectors(y, n, all), (351_009.728774, 2_848_924));
        assert_eq!(vectors(y, n, all), (348_267.465268, 2_871_356));
        assert_eq!(vectors(n, n, all), (348_958.429301, 2_865_671));
        assert_eq!(vectors(n, y, all), (348_958.429301, 2_865_671));
        assert_eq!(vectors(y, n, 100_000.0), (100_000.0, 10_000_000));
        assert_eq!(vectors(n, n, 100_000.0), (100_000.0, 10_000_000));
        assert_eq!(vectors(n, n, all), (100_690.964033, 9_931_378));
        assert_eq!(vectors(y, y, all), (99_904.315877, 10_009_578));
        assert_eq!(vectors(n, n, 50.0), (100.0, 10_000_000_000));
        assert_eq!(vectors(n, n, all), (790.964033, 1_264_279_990));
        // What a backward RM cell says may be above PCR.
        let mut source = self::source(self::params());
        source.on_backward_rm(&backward(2.0 * all));
        assert_eq!(source.acr(), all);
    }

    #[test]
    fn a_new_rate_moves_the_next_cell_at_once_and_a_late_cell_all_later_ones() {
        let mut source = source(AbrParams { icr: 1000.0, ..params() });
        source.next_cell(at(0), DATA);
        assert_eq!(source.due(DATA), at(1000));
        source.on_backward_rm(&backward(10_000.0));
        assert_eq!(source.due(DATA), at(100), "the time has come already if it is later than that");
        source.next_cell(at(170), DATA);
        assert_eq!(source.due(DATA), at(270));
    }

    /// Whatever the source is like, the same cells as one by one.
    #[test]
    fn data_cells_taken_together_are_those_taken_one_by_one() {
        // With 1000 cells per second one is due just when Trm has passed.
        let sources =
            [(1e5, 32, 100_000), (1e5, 8, 781), (3000.0, 32, 781), (1000.0, 32, 3000), (5.0, 4, 781), (1e6, 2, 781)];
        for (icr, nrm, trm_us) in sources {
            let params = AbrParams { icr, nrm, trm: Span::from_us(trm_us), ..params() };
            let (mut together, mut single) = (source(params), source(params));
            for until in (50..60_000).step_by(1730).map(at) {
                let single: Vec<(Time, bool)> = std::iter::from_fn(|| {
                    let now = single.due(DATA);
                    (now <= until).then(|| (now, is_forward(&single.next_cell(now, DATA))))
                })
                .collect();
                let mut taken = Vec::new();
                while together.due(DATA) <= until {
                    let now = together.due(DATA);
                    let forward = is_forward(&together.next_cell(now, DATA));
                    taken.push((now, forward));
                    if !forward {
                        let (cells, spacing) = together.next_data_cells(until, 9);
                        assert!(cells <= 9);
                        taken.extend((1..=u64::from(cells)).map(|cell| (now + spacing * cell, false)));
                    }
                }
                assert_eq!(taken, single, "{icr} {nrm} {trm_us}");
            }
        }
    }

    #[test]
    fn cells_that_are_taken_back_are_due_again() {
        let mut source = source(AbrParams { icr: 1000.0, ..params() });
        take(&mut source, at(0), DATA, 2);
        let mut shorter = source.clone();
        assert_eq!(source.next_data_cells(at(7500), 100), (6, Span::from_ms(1)));
        source.take_back(4, Span::from_ms(1));
        assert_eq!(shorter.next_data_cells(at(7500), 2), (2, Span::from_ms(1)));
        assert_eq!((source.due(DATA), &source), (at(4000), &shorter));
    }

    #[test]
    fn rule_11_below_tcr_only_rm_cells_out_of_rate_are_sent() {
        let mut source = source(AbrParams { icr: 5.0, ..params() });
        let Turn::ForwardRm(first) = source.next_cell(at(0), DATA) else { panic!("no RM cell") };
        assert!(!first.clp, "the first is in rate");
        for n in 1..4 {
            assert_eq!(source.due(DATA), at(100_000 * n));
            let Turn::ForwardRm(cell) = source.next_cell(at(100_000 * n), DATA) else { panic!("no RM cell") };
            assert!(cell.clp);
        }
        // What it sent out of rate neither counts nor is unacknowledged.
        assert_eq!((source.count, source.unacknowledged, source.last_forward_rm), (0, 1, at(0)));
        source.on_backward_rm(&backward(10.0));
        // At TCR itself it sends in rate.
        assert_eq!(source.due(DATA), at(100_000));
        assert_eq!(source.next_cell(at(400_000), DATA), Turn::Data);
    }

    #[test]
    fn rates_in_rm_cells_may_be_those_of_16_bits() {
        let mut source = source(AbrParams { mcr: 1.001, rm_rates: RmRates::Tm4, ..params() });
        let Turn::ForwardRm(cell) = source.next_cell(at(0), DATA) else { panic!("no RM cell") };
        assert_eq!((cell.er, cell.ccr, cell.mcr), (353_280.0, 353_280.0, 1.0));
        assert_eq!(source.acr(), pcr());
    }
}
