//! Flows that have ended: what they need is freed once nothing can happen to them any more.
//!
//! All that is under way is in the mailboxes of processes, in their queues, and before the links of hosts. So a flow none of whose packets is
//! there, and none of whose ends has a timer, is over, however far each process is. It is looked for when a thousand flows have come since the last time, or a quarter of those that
//! were there.

use super::Batched;
use super::hosts::Hosts;
use crate::ids::VcId;
use crate::net::flow::{ack_vc, data_vc};

impl Batched {
    /// How many of the flows that come and go are there.
    pub fn open_flows(&self) -> usize {
        self.hosts().map(Hosts::open).sum()
    }

    /// Frees what has ended, if many flows are there.
    pub(super) fn put_away_ended(&mut self) {
        if self.hosts().any(Hosts::has_many_open) {
            self.free_ended();
        }
    }

    /// Frees what has ended.
    pub fn free_ended(&mut self) {
        let under_way = self.vcs_under_way();
        let is_under_way = |vc: VcId| under_way.as_ref().is_none_or(|vcs| vcs.binary_search(&vc).is_ok());
        let mut over: Vec<usize> = self.hosts().flat_map(Hosts::quiet).collect();
        over.retain(|&flow| !is_under_way(data_vc(flow)) && !is_under_way(ack_vc(flow)));
        over.retain(|&flow| self.hosts().all(|hosts| hosts.is_quiet(flow)));
        self.hosts_mut().for_each(|hosts| hosts.put_away(&over));
    }

    /// The connections of which something is under way, in order; `None` where some process cannot say it.
    fn vcs_under_way(&self) -> Option<Vec<VcId>> {
        let mut vcs = Vec::new();
        let all_know = self.processes.iter().all(|process| process.process().add_under_way(&self.io, &mut vcs));
        vcs.sort_unstable();
        vcs.dedup();
        all_know.then_some(vcs)
    }
}
