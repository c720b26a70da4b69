//! The senders of hosts that are paused.

use super::Hosts;
use crate::net::batched::io::Io;
use crate::net::flow::Action;
use crate::net::two_way::Happening;
use crate::record::Observation;

impl Hosts {
    /// What is seen of a flow at the instant to which the hosts have come.
    pub(in crate::net::batched) fn observe(&self, flow: usize) -> Observation {
        self.sources.observe(flow, self.clock)
    }

    /// Does something to a flow at this instant, and sends what it has then.
    pub(in crate::net::batched) fn steer(&mut self, flow: usize, action: Action, io: &mut Io) {
        if let Some(end) = self.two_way.end_of_sender(flow) {
            return self.at_end_of_two(self.clock, end, Happening::Steered(action), io);
        }
        let sender = &mut self.sources.at(flow).sender;
        action.act(self.clock, sender);
        self.exits.send_data::<true>(self.clock, flow, sender, io);
    }
}
