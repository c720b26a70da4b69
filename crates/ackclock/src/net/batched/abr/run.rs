//! The cells of one run on their way through one port.

use crate::ids::VcId;
use crate::net::batched::abr::under_way::CellRun;
use crate::net::batched::cells::pacing::Paced;
use crate::packet::Pti;

/// The cells of a run that are still to come.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) struct Run {
    pub(in crate::net::batched) seq_or_ack: u64,
    input: u32,
    pub(in crate::net::batched) at_port: VcId,
    pub(in crate::net::batched) frame: u32,
    pub(in crate::net::batched) size: u32,
    /// The number of the next one.
    pub(in crate::net::batched) next: u16,
    pub(in crate::net::batched) left: u16,
    /// How many come after those that do not exist, because the run was shortened.
    ghosts: u16,
    /// More cells may be found to follow, see [`Run::extend`].
    is_open: bool,
    /// The cells from this one up to the next one were accepted, and are not yet reassembled.
    pub(in crate::net::batched) accepted_from: u16,
    pub(in crate::net::batched) eom: bool,
    pub(in crate::net::batched) pti: Pti,
    /// Whether they are data cells.
    pub(in crate::net::batched) is_data: bool,
}

impl Run {
    /// A run before its first cell.
    pub(in crate::net::batched) fn new(run: &CellRun) -> Run {
        let &CellRun { seq_or_ack, size, input_ref, frame, first, count, eom, pti, .. } = run;
        Run {
            seq_or_ack,
            input: input_ref.input,
            at_port: input_ref.at_port,
            frame,
            size,
            next: first,
            left: count,
            ghosts: 0,
            is_open: false,
            accepted_from: first,
            eom,
            pti,
            is_data: !pti.is_rm(),
        }
    }

    /// The same of cells that come one by one from another port.
    pub(in crate::net::batched) fn open(run: &CellRun) -> Run {
        Run { is_open: true, ..Run::new(run) }
    }

    /// One cell more comes, after those of which it is known.
    #[inline(always)]
    pub(in crate::net::batched) fn extend(&mut self, is_last: bool) {
        self.left += 1;
        self.eom = is_last;
    }

    /// The next cell comes.
    #[inline(always)]
    pub(in crate::net::batched) fn advance(&mut self) {
        self.left -= 1;
        self.next += 1;
    }

    /// The cells from number `first` on do not come.
    pub(in crate::net::batched) fn shorten(&mut self, first: u16) {
        self.ghosts += self.next + self.left - first;
        (self.left, self.eom) = (first - self.next, false);
    }

    /// One of the cells has come that do not exist.
    pub(in crate::net::batched) fn skip_ghost(&mut self) {
        self.ghosts -= 1;
    }

    /// Whether more cells may be found to follow.
    #[inline(always)]
    pub(in crate::net::batched) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether nothing comes any more: of a run that is not open.
    #[inline(always)]
    pub(in crate::net::batched) fn is_over(&self) -> bool {
        self.left == 0 && self.ghosts == 0
    }
}

impl Paced for Run {
    #[inline(always)]
    fn input(&self) -> u32 {
        self.input
    }

    #[inline(always)]
    fn left(&self) -> u16 {
        self.left
    }
}
