//! The flows of a network that is paused.

use super::Reference;
use crate::net::flow::Action;
use crate::net::two_way::Happening;
use crate::record::Observation;

impl Reference {
    /// The name of a flow.
    pub fn flow_name(&self, flow: usize) -> &str {
        &self.flows[flow].name
    }

    /// What is seen of a flow at the instant to which the network has come.
    pub fn observe(&self, flow: usize) -> Observation {
        self.sources.observe(flow, self.now)
    }

    /// Does something to a flow at this instant, and sends what it has then.
    pub fn steer(&mut self, flow: usize, action: Action) {
        if let Some(end) = self.two_way.end_of_sender(flow) {
            return self.at_end_of_two(end, Happening::Steered(action));
        }
        action.act(self.now, &mut self.sources.at(flow).sender);
        self.send_data(flow);
        self.schedule_timers(flow);
    }
}
