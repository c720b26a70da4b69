//! Hosts that send cell by cell, because ABR connections begin or end there. The scheduler is that of the reference engine
//! (`net/abr/cell_scheduler.rs`). Data cells of one frame that follow each other at a spacing are one run.
//!
//! Nothing is done when a cell is due, but when something happens at the host, and at the end of a batch: first all cells begin that
//! are due by then. At the end of a batch data cells after it begin too, up to the next cell of another kind or connection: the rate
//! mostly stays what it is, and batches may be shorter than the time between two cells. If something happens at the host before they
//! are sent that changes them, the rest of the run is taken back, from the port as well.

use super::uplink::HostUplink;
use crate::ids::VcId;
use crate::net::abr::{Begun, CellScheduler, More};
use crate::net::batched::abr::under_way::{CellRun, VisitHop};
use crate::net::batched::io::{Delivery, Destination, Io, What};
use crate::net::link::Intent;
use crate::packet::{Pti, Segment, aal5};
use crate::units::{Span, Time};

/// The output of a host that sends cell by cell.
pub(in crate::net::batched) struct ScheduledLink {
    pub(super) scheduler: CellScheduler,
    /// When its next cell begins.
    next: Time,
    /// The connections that begin here, in their order.
    vcs: Vec<ScheduledVc>,
    /// The run that began last.
    open: Option<OpenRun>,
    /// Whether the last backward RM cell changed a rate: probably the next one will.
    is_changing: bool,
}

/// Data cells that begin, if nothing happens before.
#[derive(Clone, Copy)]
struct OpenRun {
    place: usize,
    /// When the last one begins, and the time between two of them.
    last: Time,
    spacing: Span,
    /// The number after the last one's in its frame.
    end: u16,
}

/// A connection that begins at such a host.
pub(in crate::net::batched) struct ScheduledVc {
    id: VcId,
    uplink: usize,
    /// Where its RM cells go, if an edge device puts its frames together.
    of_rm_cells: Option<Destination>,
    /// The ports that its backward RM cells visit up to the next output.
    visits: Box<[VisitHop]>,
    /// The frame that is under way, unless it is lost on purpose.
    frame: Option<Frame>,
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
        ScheduledLink { scheduler, next: Time::NEVER, vcs, open: None, is_changing: true }
    }

    /// When the next cell begins, if nothing else happens before.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Something has happened at `now`: a cell that has become due begins.
    pub(super) fn feed(&mut self, now: Time, llc: bool, uplinks: &mut [HostUplink], io: &mut Io) {
        self.next = self.scheduler.next_start().max(now);
        self.run(now, now, llc, uplinks, io);
    }

    /// A backward RM cell has arrived, which changed a rate or not. Returns whether it did.
    pub(super) fn changes(&mut self, rate_changed: bool) -> bool {
        self.is_changing = rate_changed;
        rate_changed
    }

    /// Begins the cells that are due by `until`, and those data cells after them that are due by `ahead`, or, if the rate stays what
    /// it is, later.
    pub(super) fn run(&mut self, until: Time, ahead: Time, llc: bool, uplinks: &mut [HostUplink], io: &mut Io) {
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
                    let ahead = match uplink.leads_to_port() {
                        true if ahead > until && !self.is_changing => Time::NEVER,
                        true => ahead,
                        false => until,
                    };
                    let more = self.scheduler.more_data(id, ahead);
                    debug_assert!(!eom || more.eom && more.cells == 0, "a frame ends with its last cell");
                    vc.data(now, index, more, uplink, io);
                    let More { cells, spacing, .. } = more;
                    let last = now + spacing * u64::from(cells);
                    self.open = Some(OpenRun { place, last, spacing, end: index + 1 + cells });
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

    /// At `now` something happens that changes what is sent, though not the run of `vc` that began last, if this is given.
    pub(super) fn take_back(&mut self, now: Time, unless: Option<VcId>, uplinks: &mut [HostUplink], io: &mut Io) {
        let Some(OpenRun { place, last, spacing, end }) = self.open.filter(|run| run.last > now) else { return };
        let vc = &mut self.vcs[place];
        if unless == Some(vc.id) {
            return;
        }
        // A cell that is due now has begun.
        let cells = ((last.since(now).as_ps() - 1) / spacing.as_ps() + 1) as u16;
        self.scheduler.take_back(vc.id, cells, spacing);
        vc.take_back(end - cells, cells, &mut uplinks[vc.uplink], io);
        self.open = None;
    }
}

impl ScheduledVc {
    /// Connection `id`, whose uplink has this number. Its RM cells may go elsewhere than its frames.
    pub(in crate::net::batched) fn new(
        id: VcId,
        uplink: usize,
        of_rm_cells: Option<Destination>,
        visits: Vec<VisitHop>,
    ) -> ScheduledVc {
        ScheduledVc { id, uplink, of_rm_cells, visits: visits.into_boxed_slice(), frame: None }
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
        let More { cells, spacing, eom } = more;
        let run = CellRun {
            time: now,
            spacing,
            seq_or_ack,
            size,
            frame: number,
            first: index,
            count: 1 + cells,
            eom,
            ..CellRun::default()
        };
        uplink.post(self.id, run, uplink.next_hop.to, io);
    }

    /// The last cells of a run, so many from number `first` on, do not begin.
    fn take_back(&mut self, first: u16, cells: u16, uplink: &mut HostUplink, io: &mut Io) {
        let Some(Frame { number, .. }) = self.frame else { return };
        if let Some(sent_frames) = &mut uplink.sent_frames {
            sent_frames.take_back(cells);
        }
        let Destination::RunPort { mailbox, input_ref } = uplink.next_hop.to else {
            unreachable!("only what goes to a port begins in advance")
        };
        io.abr.runs[mailbox as usize].push(CellRun::end(input_ref, number, first));
    }

    /// An RM cell begins.
    fn rm(&mut self, now: Time, pti: Pti, number: u32, uplink: &mut HostUplink, io: &mut Io) {
        let to = self.of_rm_cells.unwrap_or(uplink.next_hop.to);
        uplink.post(self.id, CellRun { time: now, ..CellRun::rm(pti, number) }, to, io);
    }
}

impl HostUplink {
    /// Whether a port comes next, and not the host at the other end.
    fn leads_to_port(&self) -> bool {
        matches!(self.next_hop.to, Destination::RunPort { .. })
    }

    /// The cells of a run, whose time is that of the start of the first, are on their way.
    fn post(&mut self, vc: VcId, run: CellRun, to: Destination, io: &mut Io) {
        let complete = run.time + self.cell_time;
        if let Some(sent_frames) = &mut self.sent_frames {
            // No more than a cell time after the last cell may it be forgotten: records may be of that instant.
            sent_frames.push(complete, run.count, run.spacing.max(self.cell_time));
        }
        let time = complete + self.next_hop.lag;
        match to {
            Destination::RunPort { mailbox, input_ref } => {
                io.abr.runs[mailbox as usize].push(CellRun { time, input_ref, ..run });
            }
            Destination::Host { inbox, link } => {
                let CellRun { seq_or_ack, frame, size, spacing, count, .. } = run;
                let what = if run.pti.is_rm() { What::RmCell } else { What::WholeFrame };
                if run.pti.is_rm() || run.eom {
                    let time = time + spacing * u64::from(count - 1);
                    if run.pti == Pti::BACKWARD_RM {
                        io.abr.come_back(time, vc);
                    }
                    io.deliver(inbox, Delivery { time, seq_or_ack, vc, frame, size, link, what });
                }
            }
            Destination::Port { .. } | Destination::LastHopPort { .. } => {
                unreachable!("ports of networks with ABR connections take runs of cells")
            }
        }
    }
}
