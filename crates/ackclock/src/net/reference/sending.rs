//! Frames leave their hosts.

use super::Reference;
use super::build::Output;
use super::under_way::{UnderWay, meta};
use crate::ids::{Id, LinkId, VcId};
use crate::net::flow::{End, end_of};
use crate::net::link::{Intent, Sending};
use crate::packet::{Pti, Segment, Unit, aal5};
use crate::scenario::Technology;
use crate::units::Time;

impl Reference {
    /// Begins the next frame of a host, if its link is free.
    pub(super) fn feed_from_nic(&mut self, id: LinkId) {
        let Output::Nic(nic, _) = &mut self.links[id].output else { unreachable!("only hosts begin frames") };
        if let Some((vc, segment)) = nic.next(self.now) {
            let intent = self.intent(vc, &segment);
            match self.technology {
                Technology::Atm { llc } => self.send_cells(id, vc, &segment, llc, intent),
                Technology::Packet { .. } => self.send_packet(id, vc, &segment, intent),
            }
        }
        let Output::Nic(nic, _) = &self.links[id].output else { unreachable!("it was one before") };
        self.event_tree.set(id.index(), nic.next_start());
    }

    /// Whether a segment that a host begins to send is to be lost on purpose.
    pub(super) fn intent(&mut self, vc: VcId, segment: &Segment) -> Intent {
        let (flow, end) = end_of(vc);
        let of_flow = self.flows.get_mut(flow).filter(|_| end == End::Receiver);
        let forced_drops = of_flow.and_then(|flow| flow.forced_drops.as_mut());
        if forced_drops.is_some_and(|drops| drops.hit(segment)) { Intent::Lose } else { Intent::Send }
    }

    pub(super) fn send_cells(&mut self, id: LinkId, vc_id: VcId, segment: &Segment, llc: bool, intent: Intent) {
        let now = self.now;
        let link = &mut self.links[id];
        let Output::Nic(nic, _) = &mut link.output else { unreachable!("only hosts begin frames") };
        let (cells, spacing) = (aal5::cells(segment.ip_bytes(), llc), self.vcs[vc_id].cell_spacing);
        nic.occupy(now + spacing * u64::from(cells));
        let (first, node) = (now + link.cell_time + link.delay, link.to);
        let sent = &mut self.frames[vc_id].sent;
        if let Some(traces) = &mut self.traces {
            traces.departs(now, vc_id, sent.next_number(), segment, intent == Intent::Lose);
        }
        if let Some(external) = &mut self.external {
            external.begins(vc_id, sent.next_number(), intent == Intent::Lose);
        }
        if intent == Intent::Send {
            let frame = sent.push(segment);
            for index in 0..cells {
                let pti = Pti::data(index + 1 == cells);
                let unit = Unit { vc: vc_id, frame, index, hop: 0, pti };
                self.launch(id, UnderWay { time: first + spacing * u64::from(index), node, unit });
            }
        }
    }

    pub(super) fn send_packet(&mut self, id: LinkId, vc_id: VcId, segment: &Segment, intent: Intent) {
        let now = self.now;
        let vc = &self.vcs[vc_id];
        let packets = &mut self.frames[vc_id].packets;
        let unit = Unit { vc: vc_id, frame: packets.next, index: 0, hop: 0, pti: Pti::data(true) };
        let kind = self.kinds.of(vc_id);
        let meta = meta(self.technology, vc.route[0], vc, unit, (segment, kind));
        let link = &mut self.links[id];
        let Output::Nic(nic, path) = &mut link.output else { unreachable!("only hosts begin frames") };
        let Sending { begins, free, arrives } = match path {
            Some(path) => path.send(now, &meta, intent),
            None => {
                let complete = now + link.rate.serialization(u64::from(meta.packet.bytes) * 8);
                Sending { begins: now, free: complete, arrives: Some(complete + link.delay) }
            }
        };
        nic.occupy(free);
        if let Some(traces) = self.traces.as_mut().filter(|_| begins < Time::NEVER) {
            traces.departs(begins, vc_id, unit.frame, segment, intent == Intent::Lose);
        }
        if let Some(external) = &mut self.external {
            external.begins(vc_id, unit.frame, intent == Intent::Lose);
        }
        if intent == Intent::Lose {
            return;
        }
        packets.next = packets.next.wrapping_add(1);
        if let Some(time) = arrives {
            packets.insert(unit, *segment);
            let node = path.as_ref().map_or(link.to, |path| path.far_end(begins));
            self.launch(id, UnderWay { time, node, unit });
        }
    }
}
