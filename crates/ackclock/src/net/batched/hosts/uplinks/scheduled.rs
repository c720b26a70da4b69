//! Hosts that send cell by cell, because ABR connections begin or end there. The scheduler is that of the reference engine
//! (`net/abr/cell_scheduler.rs`). What it begins is put together again: data cells of one frame that follow each other at a
//! spacing are one run.
//!
//! Nothing is done when a cell is due, but when something happens at the host, and at the end of a batch: first all cells begin that
//! are due by then.

use super::uplink::HostUplink;
use crate::ids::VcId;
use crate::net::abr::{Begun, CellScheduler, More};
use crate::net::batched::abr::under_way::{CellRun, VisitHop};
use crate::net::batched::io::{Delivery, Destination, Io, What};
use crate::net::link::Intent;
use crate::packet::{Pti, Segment, aal5};
use crate::units::Time;

/// The output of a host that sends cell by cell.
pub(in crate::net::batched) struct ScheduledLink {
    pub(super) scheduler: CellScheduler,
    /// When its next cell begins.
    next: Time,
    /// The connections that begin here, in their order.
    vcs: Vec<ScheduledVc>,
}

/// A connection that begins at such a host.
pub(in crate::net::batched) struct ScheduledVc {
    id: VcId,
    /// The number of its uplink.
    uplink: usize,
    /// Whether its cells may be put together: of cells of different connections that reach a port in one slot, those come first
    /// that were posted first.
    joins: bool,
    /// The ports that its backward RM cells visit up to the next output.
    visits: Box<[VisitHop]>,
    /// The frame that is under way, unless it is lost on purpose.
    frame: Option<Frame>,
    /// The cells that have begun and are not posted; the time is that of the start of the first.
    begun: Option<CellRun>,
}

#[derive(Clone, Copy)]
struct Frame {
    number: u32,
    seq_or_ack: u64,
    size: u32,
}

impl ScheduledLink {
    /// A host without anything to send. `vcs` are in the order of the scheduler.
    pub(in crate::net::batched) fn new(scheduler: CellScheduler, vcs: Vec<ScheduledVc>) -> ScheduledLink {
        ScheduledLink { scheduler, next: Time::NEVER, vcs }
    }

    /// When the next cell begins, if nothing else happens before.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Something has happened at `now`: a cell that has become due begins.
    pub(super) fn feed(&mut self, now: Time, llc: bool, uplinks: &mut [HostUplink], io: &mut Io) {
        self.next = self.scheduler.next_start().max(now);
        self.run(now, llc, uplinks, io);
    }

    /// Begins the cells that are due by `until`.
    pub(super) fn run(&mut self, until: Time, llc: bool, uplinks: &mut [HostUplink], io: &mut Io) {
        while self.next <= until {
            let now = self.next;
            let Some((id, begun)) = self.scheduler.next_cell(now, |segment| aal5::cells(segment.ip_bytes(), llc))
            else {
                break;
            };
            let place = self.vcs.binary_search_by_key(&id, |vc| vc.id).expect("the connection begins at this host");
            let vc = &mut self.vcs[place];
            let uplink = &mut uplinks[vc.uplink];
            match begun {
                Begun::Data { index, eom, frame } => {
                    if let Some(segment) = frame {
                        vc.begin(now, &segment, uplink, io);
                    }
                    let more = self.scheduler.more_data(id, until);
                    debug_assert!(!eom || more.eom && more.cells == 0, "a frame ends with its last cell");
                    vc.data(now, index, more, uplink, io);
                }
                Begun::ForwardRm(cell) => {
                    let acr = self.scheduler.acr(id).expect("a forward RM cell is one of an ABR source");
                    let number = io.abr.connections.of(id).send(now, cell, acr);
                    vc.rm(now, Pti::FORWARD_RM, number, uplink, io);
                }
                Begun::BackwardRm(number, cell) => {
                    *io.abr.connections.of(id).cell_mut(number) = cell;
                    io.abr.visit(&vc.visits, now + uplink.cell_time, id, number);
                    vc.rm(now, Pti::BACKWARD_RM, number, uplink, io);
                }
            }
            self.next = self.scheduler.next_start();
        }
    }

    /// What has begun is on its way.
    pub(super) fn post(&mut self, uplinks: &mut [HostUplink], io: &mut Io) {
        self.vcs.iter_mut().for_each(|vc| vc.post(&mut uplinks[vc.uplink], io));
    }
}

impl ScheduledVc {
    /// Connection `id`, whose uplink has this number.
    pub(in crate::net::batched) fn new(id: VcId, uplink: usize, joins: bool, visits: Vec<VisitHop>) -> ScheduledVc {
        ScheduledVc { id, uplink, joins, visits: visits.into_boxed_slice(), frame: None, begun: None }
    }

    /// The first cell of a frame begins.
    fn begin(&mut self, now: Time, segment: &Segment, uplink: &mut HostUplink, io: &mut Io) {
        self.frame = None;
        if uplink.is_watched(io) && uplink.begin(now, self.id, uplink.frames, *segment, io) == Intent::Lose {
            return;
        }
        let number = uplink.frames;
        uplink.frames = number.wrapping_add(1);
        if !segment.is_plain() {
            io.frame_side[self.id].keep(number, *segment);
        }
        // One of the two is zero.
        self.frame = Some(Frame { number, seq_or_ack: segment.seq + segment.ack, size: segment.len });
    }

    /// A data cell with this number begins, and more after it.
    fn data(&mut self, now: Time, index: u16, more: More, uplink: &mut HostUplink, io: &mut Io) {
        let Some(Frame { number, seq_or_ack, size }) = self.frame else { return };
        let More { cells, mut spacing, eom } = more;
        if !self.joins {
            for cell in 0..=cells {
                let run = CellRun {
                    time: now + spacing * u64::from(cell),
                    seq_or_ack,
                    size,
                    frame: number,
                    first: index + cell,
                    count: 1,
                    eom: eom && cell == cells,
                    ..CellRun::default()
                };
                uplink.post(self.id, run, io);
            }
            return;
        }
        if let Some(run) = self.begun.as_mut().filter(|run| run.frame == number && !run.eom) {
            let before = if run.count == 1 { now.since(run.time) } else { run.spacing };
            if cells == 0 {
                spacing = before;
            }
            if spacing == before && now == run.time + spacing * u64::from(run.count) {
                (run.spacing, run.count, run.eom) = (spacing, run.count + 1 + cells, eom);
                return;
            }
        }
        self.post(uplink, io);
        self.begun = Some(CellRun {
            time: now,
            spacing,
            seq_or_ack,
            size,
            frame: number,
            first: index,
            count: 1 + cells,
            eom,
            ..CellRun::default()
        });
    }

    /// An RM cell begins.
    fn rm(&mut self, now: Time, pti: Pti, number: u32, uplink: &mut HostUplink, io: &mut Io) {
        self.post(uplink, io);
        uplink.post(self.id, CellRun { time: now, ..CellRun::rm(pti, number) }, io);
    }

    /// The cells that have begun are on their way.
    fn post(&mut self, uplink: &mut HostUplink, io: &mut Io) {
        if let Some(run) = self.begun.take() {
            uplink.post(self.id, run, io);
        }
    }
}

impl HostUplink {
    /// The cells of a run, whose time is that of the start of the first, are on their way.
    fn post(&mut self, vc: VcId, run: CellRun, io: &mut Io) {
        let complete = run.time + self.cell_time;
        if let Some(sent_frames) = &mut self.sent_frames {
            // No more than a cell time after the last cell may it be forgotten: records may be of that instant.
            sent_frames.push(complete, run.count, run.spacing.max(self.cell_time));
        }
        let time = complete + self.next_hop.lag;
        match self.next_hop.to {
            Destination::RunPort { mailbox, input_ref } => {
                io.abr.runs[mailbox as usize].push(CellRun { time, input_ref, ..run });
            }
            Destination::Host { group, link } => {
                let CellRun { seq_or_ack, frame, size, spacing, count, .. } = run;
                let what = if run.pti.is_rm() { What::RmCell } else { What::WholeFrame };
                if run.pti.is_rm() || run.eom {
                    let time = time + spacing * u64::from(count - 1);
                    io.deliver(group, Delivery { time, seq_or_ack, vc, frame, size, link, what });
                }
            }
            Destination::Port { .. } | Destination::LastHopPort { .. } => {
                unreachable!("ports of networks with ABR connections take runs of cells")
            }
        }
    }
}
