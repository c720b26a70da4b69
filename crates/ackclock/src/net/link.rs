//! A link that changes or corrupts packets, or that is on routes that change, as both engines drive it: its state, and
//! what was lost on it and behind it.

use std::sync::Arc;

use crate::ids::{Id, IdVec, LinkId, NodeId, VcId};
use crate::link::{Fate, LinkState, Packet};
use crate::packet::Ecn;
use crate::record::trace::Refused;
use crate::record::{DropReason, Fingerprint, LinkLosses, LinkRecord, LinkVcRecord};
use crate::rng::mix;
use crate::scenario;
use crate::units::Time;

/// The state of such a link, and its losses.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) id: LinkId,
    /// Its far end, unless that changes.
    to: NodeId,
    pub(super) state: LinkState,
    pub(super) losses: Losses,
    /// Packets that came to its queue twice.
    duplicated: u64,
}

/// A packet that goes on a link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketMeta {
    /// The number of its connection at the link.
    pub(super) vc: VcId,
    /// Hash of the connection's name.
    pub(super) vc_name: u64,
    /// The how manieth packet of its connection it is.
    pub(super) frame: u32,
    pub(super) packet: Packet,
    /// Whether it can be marked, and whether it is: of what comes to a port.
    pub(super) ecn: Ecn,
}

/// When a transmission ends, and when the packet arrives, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transmitted {
    pub(super) complete: Time,
    pub(super) arrives: Option<Time>,
}

/// What a host means to do with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    Send,
    /// To lose it on purpose: it takes its time, and is gone.
    Lose,
}

/// When a host's transmission begins, when the link is free again, and when the packet arrives, if it does. If the link is
/// never up again, it never begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sending {
    pub(super) begins: Time,
    pub(super) free: Time,
    pub(super) arrives: Option<Time>,
}

/// What a link has lost, and what it will lose of what is on it.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    /// By connection: losses that have happened when the last packet was transmitted.
    counts: IdVec<VcId, LinkLosses>,
    /// A sum over those: the order in which things are lost is not that in which they are known.
    sum: u64,
    /// Losses that are known, and of which it is not known whether they have happened.
    to_come: Vec<(Refused, u64)>,
    /// All of them, if they are to be recorded.
    all: Option<Vec<Refused>>,
}

impl Link {
    /// The link of a scenario with this id, which so many connections cross, if it is more than plain or routes that change
    /// are among them. Each loss is recorded if so chosen.
    pub(super) fn new(
        id: LinkId,
        link: &scenario::Link,
        seed: u64,
        vcs: usize,
        routed: bool,
        recording: LossRecording,
    ) -> Option<Box<Link>> {
        if link.params.is_plain() && !routed {
            return None;
        }
        let state = LinkState::new(&link.params, link.rate, link.delay, seed, &link.name);
        let all = (recording == LossRecording::Each).then(Vec::new);
        let counts = (0..vcs).map(|_| LinkLosses::default()).collect();
        Some(Box::new(Link {
            id,
            to: link.to,
            state,
            losses: Losses { counts, sum: 0, to_come: Vec::new(), all },
            duplicated: 0,
        }))
    }

    /// A packet comes to the queue before the link; returns whether it is lost there.
    #[inline]
    pub(super) fn refuses(&mut self, now: Time, meta: &PacketMeta) -> bool {
        let lost = self.state.refuses(now, meta.packet);
        if lost {
            self.losses.add(now, now, meta, DropReason::Corrupted);
        }
        lost
    }

    /// Whether the next packet comes to the queue before the link twice.
    #[inline]
    pub(super) fn duplicates(&mut self) -> bool {
        let does = self.state.duplicates();
        self.duplicated += u64::from(does);
        does
    }

    /// The node that receives a packet whose transmission begins at `begins`, if any does.
    pub(super) fn far_end(&self, begins: Time) -> NodeId {
        self.state.far_end(begins).unwrap_or(self.to)
    }

    /// Where packets go that begin to be transmitted from `time` on, and until when nothing but the delay changes; `None` if the link
    /// is not up, or leads nowhere.
    pub(super) fn steady_from(&self, time: Time) -> Option<(NodeId, Time)> {
        let (far_end, until) = self.state.steady_from(time)?;
        Some((far_end.unwrap_or(self.to), until))
    }

    /// A packet that came to the queue at `came` begins to be transmitted at `now`, or as soon as the link is up after that;
    /// `None` if it never is.
    pub(super) fn transmit(&mut self, came: Time, now: Time, meta: &PacketMeta) -> Option<Transmitted> {
        let begins = self.state.up_from(now);
        if begins == Time::NEVER {
            return None;
        }
        let passage = self.state.transmit(came, begins, meta.packet);
        let arrives = match passage.fate {
            Fate::Arrives(time) => Some(time),
            Fate::Lost { time, reason } => {
                self.losses.add(now, time, meta, reason);
                None
            }
        };
        Some(Transmitted { complete: passage.complete, arrives })
    }

    /// A host takes a packet to send it at `now`; perhaps it is one that the scenario loses on purpose.
    pub(super) fn send(&mut self, now: Time, meta: &PacketMeta, intent: Intent) -> Sending {
        let (transmission, begins) = match intent {
            Intent::Send if self.refuses(now, meta) => return Sending { begins: now, free: now, arrives: None },
            Intent::Send => (self.transmit(now, now, meta), self.state.up_from(now)),
            Intent::Lose => (None, self.state.up_from(now)),
        };
        match (transmission, intent) {
            (Some(Transmitted { complete, arrives }), _) => Sending { begins, free: complete, arrives },
            (None, Intent::Lose) if begins < Time::NEVER => {
                Sending { begins, free: self.state.complete(begins, meta.packet), arrives: None }
            }
            (None, _) => Sending { begins, free: AFTER_ALL, arrives: None },
        }
    }

    /// The record at `now`: `name` is the link's, `vcs` are the names of the connections that cross it.
    pub(super) fn record(&self, now: Time, name: &str, vcs: impl Iterator<Item = Arc<str>>) -> LinkRecord {
        let mut losses = self.losses.clone();
        losses.settle(now);
        let record = |(name, &lost): (Arc<str>, &LinkLosses)| LinkVcRecord { name, lost };
        let vcs: Vec<LinkVcRecord> = vcs.zip(losses.counts.iter()).map(record).collect();
        let mut lost = LinkLosses::default();
        vcs.iter().for_each(|vc| lost += vc.lost);
        let mut fingerprint = Fingerprint::default();
        if lost.total() > 0 {
            for word in [lost.corrupted, lost.outage, losses.sum] {
                fingerprint.add(word);
            }
        }
        LinkRecord { name: name.to_owned(), lost, duplicated: self.duplicated, vcs, fingerprint: fingerprint.value() }
    }
}

/// When a link is free that is never up again, or not before a run can end: units wait for it, and no transmission begins.
/// Later instants can still be represented.
pub(super) const AFTER_ALL: Time = Time::from_ps(1 << 63);

/// Whether each loss on a link is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossRecording {
    Counts,
    /// Each is recorded too.
    Each,
}

impl Losses {
    /// A packet is lost at `time`, as is known at `now`.
    pub(super) fn add(&mut self, now: Time, time: Time, meta: &PacketMeta, reason: DropReason) {
        self.settle(now);
        let lost = Refused { time, vc: meta.vc.index() as u32, frame: meta.frame, reason };
        self.to_come.push((lost, meta.vc_name));
        if let Some(all) = &mut self.all {
            all.push(lost);
        }
    }

    /// What was lost before `now`, if each loss is recorded.
    pub(super) fn before(&self, now: Time) -> impl Iterator<Item = &Refused> {
        self.all.iter().flatten().filter(move |lost| lost.time < now)
    }

    /// Counts what has happened before `now`.
    fn settle(&mut self, now: Time) {
        let (counts, sum) = (&mut self.counts, &mut self.sum);
        self.to_come.retain(|(lost, vc_name)| {
            if lost.time >= now {
                return true;
            }
            counts[VcId::from_index(lost.vc as usize)].count(lost.reason);
            *sum = sum.wrapping_add(mix(mix(lost.time.as_ps()) ^ mix(vc_name.wrapping_add(lost.reason as u64))));
            false
        });
    }
}
