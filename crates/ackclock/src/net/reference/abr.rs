//! ABR in the reference engine: hosts that send cell by cell, and the path of RM cells.

use super::Reference;
use super::build::Output;
use super::under_way::UnderWay;
use crate::ids::{Id, LinkId, VcId};
use crate::net::abr::Begun;
use crate::net::flow::{End, ack_vc, data_vc, end_of};
use crate::net::link::Intent;
use crate::packet::{Pti, Segment, Unit, aal5};
use crate::scenario::Technology;

impl Reference {
    /// Begins the next cell of a host that sends cell by cell, if one is due and the link is free.
    pub(super) fn feed_from_scheduler(&mut self, id: LinkId) {
        let Technology::Atm { llc } = self.technology else { unreachable!("cells are of ATM networks") };
        let now = self.now;
        let link = &mut self.links[id];
        let Output::Scheduler(scheduler) = &mut link.output else { unreachable!("only hosts begin cells") };
        let (time, node) = (now + link.cell_time + link.delay, link.to);
        let begun = scheduler.next_cell(now, |segment| aal5::cells(segment.ip_bytes(), llc));
        let (next, acr) = (scheduler.next_start(), begun.as_ref().and_then(|(vc, _)| scheduler.acr(*vc)));
        self.event_tree.set(id.index(), next);
        let Some((vc, begun)) = begun else { return };
        let (number, index, pti) = match begun {
            Begun::Data { index, eom, frame } => {
                if let Some(segment) = frame {
                    self.begin_frame(vc, &segment);
                }
                let Some(frame) = self.frames[vc].begun else { return };
                (frame, index, Pti::data(eom))
            }
            Begun::ForwardRm(cell) => {
                let acr = acr.expect("a forward RM cell is one of an ABR source");
                (self.abr.of(vc).send(now, cell, acr), 0, Pti::FORWARD_RM)
            }
            Begun::BackwardRm(number, cell) => {
                *self.abr.of(vc).cell_mut(number) = cell;
                (number, 0, Pti::BACKWARD_RM)
            }
        };
        self.launch(id, UnderWay { time, node, unit: Unit { vc, frame: number, index, hop: 0, pti } });
    }

    /// The first cell of a frame begins.
    fn begin_frame(&mut self, vc: VcId, segment: &Segment) {
        let intent = self.intent(vc, segment);
        let frames = &mut self.frames[vc];
        if let Some(traces) = &mut self.traces {
            traces.departs(self.now, vc, frames.sent.next_number(), segment, intent == Intent::Lose);
        }
        frames.begun = (intent == Intent::Send).then(|| frames.sent.push(segment));
    }

    /// A backward RM cell arrives at a switch: the port that its connection's data leave by may change what it says.
    pub(super) fn visit(&mut self, cell: Unit) {
        let (flow, _) = end_of(cell.vc);
        let forward = &self.vcs[data_vc(flow)].route;
        // The reverse path has the links of the forward path, reversed.
        let hop = forward[forward.len() - usize::from(cell.hop)];
        if let Output::Cells(port) = &mut self.links[hop.link].output {
            let queued = u64::from(port.monitor.buffer().queued());
            if let Some(rates) = &mut port.rates {
                let cell = self.abr.of(cell.vc).cell_mut(cell.frame);
                rates.on_backward_rm(self.now, hop.at_port, queued, cell);
            }
        }
    }

    /// A data cell arrives at its end: if it is one of an ABR connection, its destination looks at EFCI.
    pub(super) fn on_abr_data_at_end(&mut self, cell: Unit) {
        let (flow, end) = end_of(cell.vc);
        if end == End::Sender || self.abr.get(cell.vc).is_none() {
            return;
        }
        if cell.pti.efci() {
            self.abr.of(cell.vc).met_congestion(self.now);
        }
        let back = ack_vc(flow);
        if let Output::Scheduler(scheduler) = &mut self.links[self.vcs[back].route[0].link].output {
            scheduler.on_data_cell(back, cell.pti.efci());
        }
    }

    /// An RM cell arrives at the destination of its connection, or back at the source.
    pub(super) fn on_rm_cell_at_end(&mut self, cell: Unit) {
        let (flow, end) = end_of(cell.vc);
        let abr = self.abr.of(cell.vc);
        let reverse = match end {
            End::Receiver => ack_vc(flow),
            End::Sender => data_vc(flow),
        };
        let link = self.vcs[reverse].route[0].link;
        let Output::Scheduler(scheduler) = &mut self.links[link].output else {
            unreachable!("a host of an ABR connection sends cell by cell")
        };
        match end {
            End::Receiver => {
                let said = abr.cell(cell.frame);
                if scheduler.on_forward_rm(self.now, reverse, cell.frame, said).is_some() {
                    abr.replace();
                }
            }
            End::Sender => {
                let said = abr.arrive(self.now, cell.frame);
                scheduler.on_backward_rm(reverse, &said);
                let acr = scheduler.acr(reverse).expect("an ABR source has a rate");
                abr.follow(self.now, acr);
            }
        }
        self.feed_from_scheduler(link);
    }
}
