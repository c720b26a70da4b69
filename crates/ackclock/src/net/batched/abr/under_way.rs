//! What is under way between the processes of a network with ABR connections: runs of cells, visits, and what RM cells say.

use std::collections::VecDeque;

use crate::ids::VcId;
use crate::net::abr::{AbrConnections, CountTrace};
use crate::net::batched::mailbox::{Mailbox, MailboxItem};
use crate::net::batched::next_hop::InputRef;
use crate::net::flow::end_of;
use crate::packet::Pti;
use crate::record::AbrRecord;
use crate::scenario::Scenario;
use crate::units::{Span, Time};

/// Beside [`Io`](crate::net::batched::io::Io), what is under way in a network with ABR connections.
pub(in crate::net::batched) struct AbrIo {
    /// What RM cells say, and what sources did.
    pub(in crate::net::batched) connections: AbrConnections,
    /// Cells on their way from hosts to each port, by process. Of one input those are in order that may come in one slot.
    pub(in crate::net::batched) runs: Vec<Vec<CellRun>>,
    /// Cells on their way from ports to each port, by process: a stream for each of its inputs that is not fed by a host.
    pub(in crate::net::batched) streams: Vec<Vec<Stream>>,
    /// Visits of each port, by process.
    pub(in crate::net::batched) visits: Vec<Mailbox<Visit>>,
    /// Backward RM cells on their way to the hosts of their sources.
    returning: Mailbox<Return>,
    /// By flow, the data cells with EFCI; none if no flow has the service ABR.
    marks: Vec<Marks>,
}

/// A backward RM cell arrives at the host of its source.
#[derive(Clone, Copy, Debug, Default)]
struct Return {
    time: Time,
    flow: u32,
}

/// Cells of one connection on their way to a port, at a spacing: data cells of one frame, or one RM cell.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) struct CellRun {
    /// When the first one arrives.
    pub(in crate::net::batched) time: Time,
    /// From one to the next.
    pub(in crate::net::batched) spacing: Span,
    /// What the frame carries, see [`Arrival`](crate::net::batched::io::Arrival).
    pub(in crate::net::batched) seq_or_ack: u64,
    pub(in crate::net::batched) size: u32,
    pub(in crate::net::batched) input_ref: InputRef,
    /// The frame's number, or that of the RM cell.
    pub(in crate::net::batched) frame: u32,
    /// The first one's number in the frame, and how many there are. None: of the run that was announced last on its link, the
    /// cells from this number on do not come.
    pub(in crate::net::batched) first: u16,
    pub(in crate::net::batched) count: u16,
    /// Whether the last one is the frame's last.
    pub(in crate::net::batched) eom: bool,
    /// What they are, apart from that.
    pub(in crate::net::batched) pti: Pti,
}

/// Cells on their way from one port to another, in order. They come out of a queue, so at no regular spacing. What they are is the
/// same for many of a connection in succession, and is kept once.
#[derive(Clone, Default)]
pub(in crate::net::batched) struct Stream {
    pub(in crate::net::batched) cells: VecDeque<StreamCell>,
    /// What the cells are that begin something new: one cell each, to which others may be added.
    pub(in crate::net::batched) runs: VecDeque<CellRun>,
}

/// A cell on its way from one port to another.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) struct StreamCell {
    pub(in crate::net::batched) time: Time,
    /// The connection's number at the port to which it goes.
    pub(in crate::net::batched) at_port: VcId,
    /// Whether it is another thing than the cell of its connection before it, which is then in [`Stream::runs`]: else it is the next
    /// cell of the same frame.
    pub(in crate::net::batched) is_new: bool,
    /// Whether it is the last one of its frame.
    pub(in crate::net::batched) eom: bool,
}

/// A backward RM cell arrives at the switch where the data of its connection leave by this port.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::net::batched) struct Visit {
    pub(in crate::net::batched) time: Time,
    /// The link by which it arrives.
    pub(in crate::net::batched) link: u32,
    /// The number of its connection's data at the port.
    pub(in crate::net::batched) at_port: VcId,
    /// A connection of its flow, and its own number.
    pub(in crate::net::batched) vc: VcId,
    pub(in crate::net::batched) number: u32,
}

/// On the reverse path of a connection, from one output to the next: a switch whose port will be visited.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) struct VisitHop {
    /// From the sending output's reference instant (see [`NextHop`](crate::net::batched::io::NextHop)) to the arrival there.
    pub(in crate::net::batched) lag: Span,
    pub(in crate::net::batched) link: u32,
    /// The port's process, and the number of the connection's data at the port.
    pub(in crate::net::batched) process: u32,
    pub(in crate::net::batched) at_port: VcId,
}

/// The data cells of a connection that have met congestion.
#[derive(Clone, Debug, Default)]
struct Marks {
    arrived: u64,
    /// When those arrive that may be under way.
    under_way: VecDeque<Time>,
    /// Those that have arrived over time, if that is recorded.
    trace: Option<CountTrace>,
}

impl Marks {
    /// One more arrives at `time`, the last one that is known. Those before `until` have arrived.
    #[inline(never)]
    fn keep(&mut self, time: Time, until: Time) {
        while let Some(&time) = self.under_way.front().filter(|&&time| time < until) {
            self.under_way.pop_front();
            self.arrived += 1;
            if let Some(trace) = &mut self.trace {
                trace.add(time);
            }
        }
        self.under_way.push_back(time);
    }

    /// Those that have arrived before `now` since the last one that is counted.
    fn since(&self, now: Time) -> impl Iterator<Item = Time> {
        self.under_way.iter().copied().take_while(move |&time| time < now)
    }
}

impl AbrIo {
    /// Nothing is under way, in a network of so many processes, to each of which so many streams lead.
    pub(in crate::net::batched) fn new(
        scenario: &Scenario,
        processes: usize,
        streams: impl Fn(usize) -> usize,
    ) -> AbrIo {
        AbrIo {
            connections: AbrConnections::new(scenario),
            runs: vec![Vec::new(); processes],
            streams: (0..processes).map(|process| vec![Stream::default(); streams(process)]).collect(),
            visits: (0..processes).map(|_| Mailbox::default()).collect(),
            returning: Mailbox::default(),
            marks: vec![
                Marks { trace: CountTrace::new(&scenario.recording), ..Marks::default() };
                if scenario.has_abr() { scenario.flows.len() } else { 0 }
            ],
        }
    }

    /// A backward RM cell of connection `vc` will be at the host of its source at `time`.
    pub(in crate::net::batched) fn come_back(&mut self, time: Time, vc: VcId) {
        self.returning.post(Return { time, flow: end_of(vc).0 as u32 });
    }

    /// The first instant before `until` at which a source gets a backward RM cell that may not have made all its visits;
    /// `until`, if there is none. All such cells that arrive before `until` are known. `is_ready` says of a flow and an instant
    /// whether its cell that arrives then has made its visits: if it has, it is not asked about again.
    pub(in crate::net::batched) fn first_unready(
        &mut self,
        until: Time,
        is_ready: impl Fn(usize, Time) -> bool,
    ) -> Time {
        // Asked once a batch, which may be short: nothing is under way in networks without ABR connections.
        if self.returning.waiting().is_empty() {
            return until;
        }
        // Only the order is needed, which is that of the arrivals.
        self.returning.settle_if_due(Time::ZERO);
        while let Some(&Return { time, flow }) = self.returning.first().filter(|cell| cell.time < until) {
            if !is_ready(flow as usize, time) {
                return time;
            }
            self.returning.take();
        }
        until
    }

    /// A backward RM cell of connection `vc` leaves an output at `from`, and will pass these switches.
    pub(in crate::net::batched) fn visit(&mut self, hops: &[VisitHop], from: Time, vc: VcId, number: u32) {
        for &VisitHop { lag, link, process, at_port } in hops {
            let time = from.saturating_add(lag);
            self.visits[process as usize].post(Visit { time, link, at_port, vc, number });
        }
    }

    /// A data cell of `vc` with EFCI will be at its destination at `time`. No records are made of instants before `until`.
    #[inline(always)]
    pub(in crate::net::batched) fn mark(&mut self, vc: VcId, time: Time, until: Time) {
        let marks = &mut self.marks[end_of(vc).0];
        if time < until && marks.trace.is_none() {
            marks.arrived += 1;
        } else {
            marks.keep(time, until);
        }
    }

    /// What the source of each flow did until `now`, if it is one of ABR.
    pub(in crate::net::batched) fn records(&self, now: Time) -> impl Iterator<Item = Option<AbrRecord>> {
        let efci_cells = move |marks: &Marks| marks.arrived + marks.since(now).count() as u64;
        let records = self.connections.records(now).enumerate();
        records.map(move |(flow, record)| {
            let record = record?;
            Some(AbrRecord { efci_cells: efci_cells(&self.marks[flow]), ..record })
        })
    }

    /// The data cells of each flow that arrived with EFCI until `now` over time, if that is recorded.
    pub(in crate::net::batched) fn efci(&self, now: Time) -> impl Iterator<Item = Option<CountTrace>> {
        self.marks.iter().map(move |marks| {
            let mut trace = marks.trace.clone()?;
            marks.since(now).for_each(|time| trace.add(time));
            Some(trace)
        })
    }
}

impl Default for CellRun {
    fn default() -> CellRun {
        CellRun {
            time: Time::ZERO,
            spacing: Span::ZERO,
            seq_or_ack: 0,
            size: 0,
            input_ref: InputRef::default(),
            frame: 0,
            first: 0,
            count: 0,
            eom: false,
            pti: Pti::data(false),
        }
    }
}

impl CellRun {
    /// One RM cell, still without a route.
    pub(in crate::net::batched) fn rm(pti: Pti, number: u32) -> CellRun {
        CellRun { frame: number, count: 1, pti, ..CellRun::default() }
    }

    /// The run that was announced last on this input, of this frame, ends before its cell with number `first`.
    pub(in crate::net::batched) fn end(input_ref: InputRef, frame: u32, first: u16) -> CellRun {
        CellRun { input_ref, frame, first, ..CellRun::default() }
    }
}

impl MailboxItem for Return {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }

    #[inline]
    fn input(&self) -> u32 {
        self.flow
    }
}

impl MailboxItem for Visit {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }

    #[inline]
    fn input(&self) -> u32 {
        self.link
    }
}
