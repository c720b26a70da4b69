//! The output of a host at which ABR connections begin or end: cell by cell, where other hosts send frame by frame.
//!
//! Each connection has the cells of its frames, in order, and a pace: the rate of its ABR source, or a fixed spacing. The reverse VC of
//! an ABR connection carries its backward RM cells too, each before the next cell of an acknowledgement, not paced. Of the cells that
//! are due the one that was due first goes, at the same instant the one of the first connection. A cell that begins late moves the
//! next one of its connection.

use std::collections::VecDeque;

use crate::atm::{AbrDestination, AbrParams, AbrSource, Turn, Waiting};
use crate::ids::VcId;
use crate::packet::{RmCell, Segment};
use crate::units::{Span, Time};

/// The output of a host.
#[derive(Clone, Debug)]
pub(in crate::net) struct CellScheduler {
    cell_time: Span,
    free: Time,
    connections: Vec<Connection>,
}

/// A connection that begins at the host.
#[derive(Clone, Debug)]
struct Connection {
    vc: VcId,
    frames: VecDeque<Segment>,
    /// Of the frame that is under way, cells that have not begun, and the number of the next one.
    left: u16,
    next: u16,
    pace: Pace,
    /// The destination of an ABR connection, if this is its reverse VC: here its RM cells arrive.
    destination: Option<Destination>,
}

#[derive(Clone, Debug)]
enum Pace {
    /// So long from the start of a cell to the next, and when the next may begin.
    Fixed(Span, Time),
    Abr(Box<AbrSource>),
}

#[derive(Clone, Debug, Default)]
struct Destination {
    rules: AbrDestination,
    /// The number of the backward RM cell that waits, and since when it does.
    number: u32,
    since: Time,
}

/// The cell that begins.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::net) enum Begun {
    /// A data cell with its number in its frame.
    Data {
        /// The cell's number.
        index: u16,
        /// Whether it is the last.
        eom: bool,
        /// The frame, if this is its first cell.
        frame: Option<Segment>,
    },
    ForwardRm(RmCell),
    BackwardRm(u32, RmCell),
}

impl CellScheduler {
    /// The output to a link that carries a cell in `cell_time`.
    pub(in crate::net) fn new(cell_time: Span) -> CellScheduler {
        CellScheduler { cell_time, free: Time::ZERO, connections: Vec::new() }
    }

    /// A connection with a fixed time from cell to cell; the reverse VC of an ABR connection if `returns_rm_cells`. To be added in
    /// the order of the connections.
    pub(in crate::net) fn add_fixed(&mut self, vc: VcId, spacing: Span, returns_rm_cells: bool) {
        let destination = returns_rm_cells.then(Destination::default);
        self.add(vc, Pace::Fixed(spacing, Time::ZERO), destination);
    }

    pub(in crate::net) fn add_abr(&mut self, vc: VcId, params: AbrParams) {
        self.add(vc, Pace::Abr(Box::new(AbrSource::new(params, self.cell_time))), None);
    }

    fn add(&mut self, vc: VcId, pace: Pace, destination: Option<Destination>) {
        self.connections.push(Connection { vc, frames: VecDeque::new(), left: 0, next: 0, pace, destination });
    }

    fn of(&mut self, vc: VcId) -> &mut Connection {
        let place = self.connections.binary_search_by_key(&vc, |connection| connection.vc);
        &mut self.connections[place.expect("the connection begins at this host")]
    }

    /// A segment is handed down.
    pub(in crate::net) fn push(&mut self, vc: VcId, segment: Segment) {
        self.of(vc).frames.push_back(segment);
    }

    /// Takes back what waits on `vc` and has not begun; returns how many segments that were.
    pub(in crate::net) fn discard(&mut self, vc: VcId) -> u64 {
        let frames = &mut self.of(vc).frames;
        let discarded = frames.len() as u64;
        frames.clear();
        discarded
    }

    /// A data cell of the connection arrives whose reverse VC is `vc`.
    pub(in crate::net) fn on_data_cell(&mut self, vc: VcId, efci: bool) {
        self.destination(vc).rules.on_data_cell(efci);
    }

    /// The forward RM cell with this number arrives from the connection whose reverse VC is `vc`. Returns the number of the one
    /// that waited and whose place it takes, if there was one.
    pub(in crate::net) fn on_forward_rm(&mut self, now: Time, vc: VcId, number: u32, cell: RmCell) -> Option<u32> {
        let destination = self.destination(vc);
        let replaced = destination.rules.on_forward_rm(cell).map(|_| destination.number);
        destination.number = number;
        if replaced.is_none() {
            destination.since = now;
        }
        replaced
    }

    fn destination(&mut self, vc: VcId) -> &mut Destination {
        self.of(vc).destination.as_mut().expect("the reverse VC of an ABR connection")
    }

    /// A backward RM cell arrives at the source of `vc`.
    pub(in crate::net) fn on_backward_rm(&mut self, vc: VcId, cell: &RmCell) {
        self.source_mut(vc).on_backward_rm(cell);
    }

    fn source_mut(&mut self, vc: VcId) -> &mut AbrSource {
        match &mut self.of(vc).pace {
            Pace::Abr(source) => source,
            Pace::Fixed(..) => unreachable!("RM cells come back to ABR sources only"),
        }
    }

    /// ACR of the source of `vc`, cells per second.
    pub(in crate::net) fn acr(&self, vc: VcId) -> Option<f64> {
        let connection = self.connections.iter().find(|connection| connection.vc == vc)?;
        match &connection.pace {
            Pace::Abr(source) => Some(source.acr()),
            Pace::Fixed(..) => None,
        }
    }

    /// When the next cell begins, if nothing else happens before; [`Time::NEVER`] if there is none.
    pub(in crate::net) fn next_start(&self) -> Time {
        let due = self.connections.iter().map(Connection::due).min().unwrap_or(Time::NEVER);
        if due == Time::NEVER { due } else { due.max(self.free) }
    }

    /// The cell that begins now, if one is due and the link is free, and its connection. `cells` says of how many cells a frame
    /// is.
    pub(in crate::net) fn next_cell(
        &mut self,
        now: Time,
        cells: impl FnOnce(&Segment) -> u16,
    ) -> Option<(VcId, Begun)> {
        if now < self.free {
            return None;
        }
        // Of several the first.
        let connection = self.connections.iter_mut().min_by_key(|connection| connection.due())?;
        if connection.due() > now {
            return None;
        }
        self.free = now + self.cell_time;
        Some((connection.vc, connection.next_cell(now, cells)))
    }
}

/// The data cells that follow one which has just begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) struct More {
    pub(in crate::net) cells: u16,
    /// From one to the next.
    pub(in crate::net) spacing: Span,
    /// Whether the last of them, or the one before if there are none, is the last of its frame.
    pub(in crate::net) eom: bool,
}

impl CellScheduler {
    /// A data cell of `vc` has just begun: as many of those that follow it in its frame begin, each when it is due, as certainly
    /// do by `until` before any other cell of the host.
    pub(in crate::net) fn more_data(&mut self, vc: VcId, until: Time) -> More {
        let others = self.connections.iter().filter(|connection| connection.vc != vc);
        // At one instant the order of connections decides: that is left to others.
        let until = match others.map(Connection::due).min() {
            Some(due) => until.min(Time::from_ps(due.as_ps().saturating_sub(1))),
            None => until,
        };
        let cell_time = self.cell_time;
        let connection = self.of(vc);
        let (cells, spacing, last) = match &mut connection.pace {
            _ if connection.destination.as_ref().is_some_and(|destination| destination.rules.waiting().is_some()) => {
                (0, cell_time, Time::ZERO)
            }
            Pace::Abr(source) => {
                let (cells, spacing) = source.next_data_cells(until, connection.left);
                (cells, spacing, source.last_start())
            }
            Pace::Fixed(spacing, next) => {
                let cells = if *next <= until && *spacing >= cell_time { until.since(*next) / *spacing + 1 } else { 0 };
                let cells = cells.min(u64::from(connection.left)) as u16;
                let last = *next + *spacing * u64::from(cells);
                *next = last;
                (cells, *spacing, Time::from_ps(last.as_ps() - spacing.as_ps()))
            }
        };
        (connection.left, connection.next) = (connection.left - cells, connection.next + cells);
        let eom = connection.left == 0;
        if cells > 0 {
            self.free = last + cell_time;
        }
        More { cells, spacing, eom }
    }

    /// The last of the cells that [`CellScheduler::more_data`] has begun, of `vc` and so many, at this spacing, have not begun:
    /// something has happened before. Nothing has begun after them.
    pub(in crate::net) fn take_back(&mut self, vc: VcId, cells: u16, spacing: Span) {
        let less = spacing * u64::from(cells);
        let connection = self.of(vc);
        (connection.left, connection.next) = (connection.left + cells, connection.next - cells);
        match &mut connection.pace {
            Pace::Abr(source) => source.take_back(cells, spacing),
            Pace::Fixed(_, next) => *next = Time::from_ps(next.as_ps() - less.as_ps()),
        }
        self.free = Time::from_ps(self.free.as_ps() - less.as_ps());
    }
}

impl Connection {
    fn waiting(&self) -> Waiting {
        let data = self.left > 0 || !self.frames.is_empty();
        Waiting { data, backward_rm: false }
    }

    fn due(&self) -> Time {
        let of_data = match &self.pace {
            Pace::Abr(source) => source.due(self.waiting()),
            Pace::Fixed(_, next) if self.waiting().data => *next,
            Pace::Fixed(..) => Time::NEVER,
        };
        let returned = self.destination.as_ref().filter(|destination| destination.rules.waiting().is_some());
        returned.map_or(of_data, |returned| returned.since.min(of_data))
    }

    fn next_cell(&mut self, now: Time, cells: impl FnOnce(&Segment) -> u16) -> Begun {
        if let Some(destination) = &mut self.destination
            && let Some(cell) = destination.rules.take()
        {
            return Begun::BackwardRm(destination.number, cell);
        }
        let waiting = self.waiting();
        match &mut self.pace {
            Pace::Fixed(spacing, next) => *next = now + *spacing,
            Pace::Abr(source) => match source.next_cell(now, waiting) {
                Turn::ForwardRm(cell) => return Begun::ForwardRm(cell),
                Turn::BackwardRm => unreachable!("backward RM cells are not paced"),
                Turn::Data => {}
            },
        }
        let mut frame = None;
        if self.left == 0 {
            let segment = self.frames.pop_front().expect("a data cell waits");
            (self.left, self.next) = (cells(&segment), 0);
            frame = Some(segment);
        }
        (self.left, self.next) = (self.left - 1, self.next + 1);
        Begun::Data { index: self.next - 1, eom: self.left == 0, frame }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::units::instants::ps as at;

    const CELL: u64 = 100;

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    fn span(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    fn rm(er: f64) -> RmCell {
        RmCell { er, ccr: 0.0, mcr: 0.0, ci: false, ni: false, bn: false, clp: false }
    }

    /// 10^10 cells per second are a cell in 100 ps.
    fn abr(icr: f64) -> AbrParams {
        AbrParams { icr, ..AbrParams::new(1e10, Span::ZERO) }
    }

    /// The starts of all cells up to an instant, frames of three cells: time, connection, `d` data, `f` forward, `b` backward.
    fn run(scheduler: &mut CellScheduler, until: u64) -> Vec<(u64, usize, char)> {
        let mut begun = Vec::new();
        while scheduler.next_start() <= at(until) {
            let now = scheduler.next_start();
            let (vc, cell) = scheduler.next_cell(now, |_| 3).unwrap();
            let kind = match cell {
                Begun::Data { .. } => 'd',
                Begun::ForwardRm(_) => 'f',
                Begun::BackwardRm(..) => 'b',
            };
            begun.push((now.as_ps(), vc.index(), kind));
        }
        begun
    }

    #[test]
    fn connections_interleave_by_cells_as_they_are_due() {
        let mut scheduler = CellScheduler::new(span(CELL));
        scheduler.add_fixed(vc(0), span(250), false);
        scheduler.add_fixed(vc(3), span(200), false);
        scheduler.push(vc(0), Segment::default());
        scheduler.push(vc(3), Segment::default());
        // The second cell of connection 3 was due at 300, and waits for that of connection 0.
        assert_eq!(
            run(&mut scheduler, 10_000),
            [(0, 0, 'd'), (100, 3, 'd'), (250, 0, 'd'), (350, 3, 'd'), (500, 0, 'd'), (600, 3, 'd')]
        );
        assert_eq!(scheduler.next_start(), Time::NEVER);
    }

    /// Whatever a host sends, the same cells as one by one.
    #[test]
    fn data_cells_taken_together_are_those_taken_one_by_one() {
        let host = || {
            let mut scheduler = CellScheduler::new(span(CELL));
            scheduler.add_abr(vc(0), AbrParams { nrm: 8, ..abr(3e9) });
            scheduler.add_fixed(vc(3), span(230), true);
            scheduler.add_fixed(vc(4), span(1000), false);
            (0..30).for_each(|_| scheduler.push(vc(0), Segment::default()));
            (0..4).for_each(|_| scheduler.push(vc(3), Segment::default()));
            (0..9).for_each(|_| scheduler.push(vc(4), Segment::default()));
            scheduler
        };
        let (mut single, mut together) = (host(), host());
        for until in (0..60_000).step_by(1730) {
            if until == 1730 * 2 {
                for scheduler in [&mut single, &mut together] {
                    scheduler.on_forward_rm(at(until), vc(3), 7, rm(1.0));
                }
            }
            let expected = run(&mut single, until);
            let mut begun = Vec::new();
            while together.next_start() <= at(until) {
                let now = together.next_start();
                let (of, cell) = together.next_cell(now, |_| 3).unwrap();
                match cell {
                    Begun::Data { eom, .. } => {
                        let more = together.more_data(of, at(until));
                        assert!(!eom || more.cells == 0);
                        let times = (0..=u64::from(more.cells)).map(|cell| now + more.spacing * cell);
                        begun.extend(times.map(|time| (time.as_ps(), of.index(), 'd')));
                    }
                    Begun::ForwardRm(_) => begun.push((now.as_ps(), of.index(), 'f')),
                    Begun::BackwardRm(..) => begun.push((now.as_ps(), of.index(), 'b')),
                }
            }
            assert_eq!(begun, expected);
        }
    }

    #[test]
    fn cells_taken_back_begin_later_at_the_rate_of_then() {
        let mut scheduler = CellScheduler::new(span(CELL));
        scheduler.add_abr(vc(0), abr(2e9));
        scheduler.add_fixed(vc(3), span(200), false);
        (0..2).for_each(|_| scheduler.push(vc(0), Segment::default()));
        assert_eq!(run(&mut scheduler, 500), [(0, 0, 'f'), (500, 0, 'd')]);
        let more = |cells, eom| More { cells, spacing: span(500), eom };
        assert_eq!(scheduler.more_data(vc(0), Time::NEVER), more(2, true));
        assert_eq!(scheduler.next_start(), at(2000));
        // At 1100 another connection has a frame: one of the two has not begun.
        scheduler.take_back(vc(0), 1, span(500));
        scheduler.push(vc(3), Segment::default());
        assert_eq!(run(&mut scheduler, 1200), [(1100, 3, 'd')]);
        assert_eq!(run(&mut scheduler, 1600), [(1300, 3, 'd'), (1500, 0, 'd'), (1600, 3, 'd')]);
        // 500 before the next one was due ACR rises to 2.625·10^9: it is 381 ps after the last one, not 500.
        scheduler.on_backward_rm(vc(0), &rm(1e10));
        assert_eq!(run(&mut scheduler, 2300), [(1881, 0, 'd'), (2262, 0, 'd')]);
    }

    #[test]
    fn a_frame_is_numbered_cell_by_cell_and_handed_over_with_its_first() {
        let mut scheduler = CellScheduler::new(span(CELL));
        scheduler.add_fixed(vc(0), span(CELL), false);
        scheduler.push(vc(0), Segment { seq: 7, ..Segment::default() });
        scheduler.push(vc(0), Segment { seq: 8, ..Segment::default() });
        let mut begun = |ps: u64| scheduler.next_cell(at(ps), |_| 2).map(|(_, begun)| begun);
        let frame = |seq| Some(Segment { seq, ..Segment::default() });
        assert_eq!(begun(0), Some(Begun::Data { index: 0, eom: false, frame: frame(7) }));
        assert_eq!(begun(99), None, "the link is busy");
        assert_eq!(begun(100), Some(Begun::Data { index: 1, eom: true, frame: None }));
        assert_eq!(begun(250), Some(Begun::Data { index: 0, eom: false, frame: frame(8) }));
        assert_eq!(begun(349), None);
        assert_eq!(
            begun(350),
            Some(Begun::Data { index: 1, eom: true, frame: None }),
            "what begins late moves the next"
        );
    }

    #[test]
    fn a_timeout_takes_back_what_has_not_begun() {
        let mut scheduler = CellScheduler::new(span(CELL));
        scheduler.add_fixed(vc(0), span(CELL), false);
        (0..3).for_each(|_| scheduler.push(vc(0), Segment::default()));
        scheduler.next_cell(at(0), |_| 3);
        assert_eq!(scheduler.discard(vc(0)), 2);
        assert_eq!(run(&mut scheduler, 10_000), [(100, 0, 'd'), (200, 0, 'd')], "the frame that has begun goes on");
    }

    #[test]
    fn an_abr_source_sends_rm_cells_among_its_data_at_its_rate() {
        let mut scheduler = CellScheduler::new(span(CELL));
        scheduler.add_abr(vc(0), AbrParams { nrm: 4, ..abr(2e9) });
        scheduler.push(vc(0), Segment::default());
        scheduler.push(vc(0), Segment::default());
        let expected = [(0, 'f'), (500, 'd'), (1000, 'd'), (1500, 'd'), (2000, 'f'), (2500, 'd')];
        assert_eq!(run(&mut scheduler, 2900), expected.map(|(time, kind)| (time, 0, kind)));
        // A higher rate counts at once: 10^10/16 more than 2·10^9.
        scheduler.on_backward_rm(vc(0), &rm(1e10));
        assert_eq!(scheduler.acr(vc(0)), Some(2.625e9));
        assert_eq!(scheduler.next_start(), at(2500 + 381));
        scheduler.on_backward_rm(vc(0), &rm(1e10));
        assert_eq!((scheduler.acr(vc(0)), scheduler.acr(vc(1))), (Some(3.25e9), None));
    }

    #[test]
    fn backward_rm_cells_go_before_the_next_cell_of_an_acknowledgement() {
        let mut scheduler = CellScheduler::new(span(CELL));
        scheduler.add_fixed(vc(1), span(CELL), true);
        scheduler.push(vc(1), Segment::default());
        scheduler.next_cell(at(0), |_| 3);
        scheduler.on_data_cell(vc(1), true);
        assert_eq!(scheduler.on_forward_rm(at(40), vc(1), 5, rm(1.0)), None);
        assert_eq!(scheduler.on_forward_rm(at(60), vc(1), 6, rm(2.0)), Some(5), "the newer takes the place");
        let (_, begun) = scheduler.next_cell(at(100), |_| 3).unwrap();
        assert_eq!(begun, Begun::BackwardRm(6, rm(2.0)), "the mark went with the one that was replaced");
        assert_eq!(run(&mut scheduler, 10_000), [(200, 1, 'd'), (300, 1, 'd')]);
    }
}
