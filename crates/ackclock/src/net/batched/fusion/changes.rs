//! Ports are fused, and given back to their processes.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::FusionPlan;
use super::state::{Fused, Fusing, Fusion};
use crate::net::batched::Batched;
use crate::net::batched::logical_process::LogicalProcess;
use crate::net::batched::packets::routed::fused::{FusedPort, FusedPorts};
use crate::net::batched::packets::routed::packets::Handle;
use crate::net::batched::packets::routed::ports::RoutedPorts;
use crate::net::batched::upstreams::{Upstream, upstreams};
use crate::units::{Span, Time};

/// Ports that were fused for so many of the shortest times were worth it, even if something has come in between.
const WORTH_IT: u64 = 10;

impl Batched {
    /// Says when ports are fused, from where everything has happened on.
    pub fn set_fusing(&mut self, fusing: Fusing) {
        if let Some(fusion) = &mut self.fusion {
            fusion.set(fusing);
        }
    }

    /// How many packets have crossed ports that were fused with others, each counted at each port.
    pub fn fused_packets(&self) -> u64 {
        let routed = (0..self.processes.len()).filter_map(|process| self.routed(process));
        routed.map(RoutedPorts::fused_packets).sum()
    }

    /// Fuses ports or separates them, as is due now. Up to where everything has happened, and how far the engine may go on from there, at most
    /// up to `until`.
    #[inline]
    pub(in crate::net::batched) fn settle_fusion(&mut self, until: Time) -> (Time, Time) {
        let slowest = self.slowest();
        match &self.fusion {
            None => (slowest, until),
            Some(fusion) => match &fusion.now {
                Some(fused) if slowest < fused.limit && !fused.is_blocked => (slowest, fused.limit),
                None if slowest < fusion.next => (slowest, until),
                _ => self.change_fusion(until),
            },
        }
    }

    #[inline(never)]
    fn change_fusion(&mut self, until: Time) -> (Time, Time) {
        let Some(mut fusion) = self.fusion.take() else { return (self.slowest(), until) };
        self.separate_if_over(&mut fusion);
        let slowest = self.slowest();
        if fusion.now.is_none() && slowest >= fusion.next && slowest.saturating_add(fusion.shortest) <= until {
            self.fuse(&mut fusion, slowest, until);
            // What was under way may have met something at once.
            self.separate_if_over(&mut fusion);
        }
        let limit = fusion.now.as_ref().map_or(until, |fused| fused.limit);
        self.fusion = Some(fusion);
        (self.slowest(), limit)
    }

    /// Gives the fused ports back if they are of no use any more.
    fn separate_if_over(&mut self, fusion: &mut Fusion) {
        let slowest = self.slowest();
        let is_over = |fused: &Fused| {
            let blocked = |&owner: &usize| self.routed(owner).is_some_and(RoutedPorts::are_blocked);
            slowest >= fused.limit || fused.owners.iter().any(blocked)
        };
        if fusion.now.as_ref().is_some_and(is_over) {
            self.separate(fusion, slowest);
        }
    }

    /// Whether a process has met something that its fused ports cannot take: no other may go on before they are given back.
    #[inline]
    pub(in crate::net::batched) fn is_blocked(&mut self, process: usize) -> bool {
        let Some(Fusion { now: Some(fused), .. }) = self.fusion.as_deref_mut() else { return false };
        let LogicalProcess::Routed(ports) = &self.processes[process] else { return false };
        fused.is_blocked = ports.are_blocked();
        fused.is_blocked
    }

    /// Up to where everything has happened.
    fn slowest(&self) -> Time {
        *self.clocks.iter().min().expect("a network has hosts")
    }

    /// Fuses ports for what happens from `now` on, if that pays.
    fn fuse(&mut self, fusion: &mut Fusion, now: Time, until: Time) {
        fusion.next = now + fusion.pause;
        fusion.pause = (fusion.pause * 2).min(fusion.pauses.1);
        self.post_under_way();
        let Some(plan) = self.plan_fusion(fusion, now, until) else { return };
        if plan.heads.len() == plan.feeders.len() || !self.is_on_ways(fusion, &plan, now) {
            return;
        }
        let owned = self.take_out_fused(fusion, &plan);
        let with_heads: BTreeSet<usize> = plan.heads.iter().map(|&head| fusion.process(head)).collect();
        let is_empty = |&process: &usize| self.routed(process).is_some() && !with_heads.contains(&process);
        let empty: Vec<usize> = (0..self.processes.len()).filter(is_empty).collect();
        let lookaheads = self.lookaheads(fusion, &plan);
        fusion.separate = std::mem::replace(&mut self.upstreams, upstreams(self.processes.len(), &lookaheads));
        empty.iter().for_each(|&process| self.clocks[process] = Time::NEVER);
        self.order = plan.order(fusion, self.processes.len(), &empty);
        let owners = owned.keys().copied().collect();
        for (owner, (ports, under_way)) in owned {
            let LogicalProcess::Routed(process) = &mut self.processes[owner] else { unreachable!("it has a head") };
            process.fuse(FusedPorts::new(ports, plan.limit), under_way, &mut self.io);
        }
        fusion.now = Some(Fused { since: now, limit: plan.limit, owners, empty, is_blocked: false });
    }

    /// Gives the fused ports back to their processes. What happens before `slowest` has happened, but for what waits for these ports.
    fn separate(&mut self, fusion: &mut Fusion, slowest: Time) {
        let Some(Fused { since, limit, owners, empty, .. }) = fusion.now.take() else { return };
        for owner in owners {
            let LogicalProcess::Routed(process) = &mut self.processes[owner] else { unreachable!("it has a head") };
            for FusedPort { port, home: (process, number), .. } in process.separate() {
                let LogicalProcess::Routed(home) = &mut self.processes[process as usize] else {
                    unreachable!("it came from there")
                };
                home.put_back(number, port);
            }
        }
        self.upstreams = std::mem::take(&mut fusion.separate);
        self.order = (0..self.processes.len()).collect();
        // What waits has been sent by processes that are further than these were; nothing else comes before `slowest`.
        let waits = empty.iter().map(|&process| self.processes[process].process().next(&self.io));
        let clock = waits.fold(slowest, Time::min);
        empty.iter().for_each(|&process| self.clocks[process] = clock);
        if slowest >= limit || slowest >= since + fusion.shortest * WORTH_IT {
            fusion.pause = fusion.pauses.0;
        }
        fusion.next = if slowest >= limit { slowest } else { slowest + fusion.pause };
    }

    /// What is on the links between ports of one process waits in mailboxes.
    fn post_under_way(&mut self) {
        for process in &mut self.processes {
            if let LogicalProcess::Routed(ports) = process {
                ports.post_under_way(&mut self.io);
            }
        }
    }

    /// Takes the ports out of their processes that are to be fused with others: by the process of the port that they follow, each with what
    /// is on its way there, and each after the one that feeds it.
    fn take_out_fused(&mut self, fusion: &Fusion, plan: &FusionPlan) -> BTreeMap<usize, (Vec<FusedPort>, UnderWay)> {
        let (mut owned, mut taken) = (BTreeMap::<usize, (Vec<FusedPort>, UnderWay)>::new(), BTreeSet::new());
        for (way, _) in &plan.ways {
            let mut owner = None;
            for step in way.windows(2) {
                let (feeder, link) = (step[0], step[1]);
                if plan.heads.contains(&link) {
                    owner = Some(fusion.process(link));
                } else if taken.insert(link) {
                    let home = fusion.places.of(link);
                    let LogicalProcess::Routed(process) = &mut self.processes[home.0 as usize] else {
                        unreachable!("routes lead through such ports")
                    };
                    let (port, packets) = process.take_out(home.1, &mut self.io);
                    let (ports, under_way) = owned.entry(owner.expect("the first port is a head")).or_default();
                    ports.push(FusedPort { port, home, feeder });
                    under_way.push(packets);
                }
            }
        }
        owned
    }

    /// The least time from process to process while ports are fused.
    fn lookaheads(&self, fusion: &Fusion, plan: &FusionPlan) -> BTreeMap<(usize, usize), Span> {
        let mut lookaheads = BTreeMap::new();
        let mut look_ahead = |to: usize, from: usize, least: Span| {
            let known = lookaheads.entry((to, from)).or_insert(least);
            *known = (*known).min(least);
        };
        for (to, upstreams) in self.upstreams.iter().enumerate() {
            for &Upstream { from, lookahead } in upstreams {
                if self.routed(to).is_none() && self.routed(from).is_none() {
                    look_ahead(to, from, lookahead);
                }
            }
        }
        for (route, (way, arrives)) in fusion.routes.iter().zip(&plan.ways) {
            let (mut from, mut least) = (route.origin, Span::ZERO);
            for (place, link) in way.iter().enumerate() {
                if place > 0 {
                    let process = fusion.process(*link);
                    // If a fused port is blocked, what waits for it has to be ahead of its process.
                    if process != from {
                        look_ahead(process, from, least);
                    }
                    if plan.heads.contains(link) {
                        (from, least) = (process, Span::ZERO);
                    }
                }
                least = least + fusion.transmissions[*link] + plan.delays[link];
            }
            if *arrives {
                look_ahead(route.destination, from, least);
            }
        }
        lookaheads
    }
}

/// By fused port what is on its way there.
type UnderWay = Vec<Vec<(Time, Handle)>>;
