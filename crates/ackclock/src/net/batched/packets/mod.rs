//! Ports of packets: those at which departures are known on arrival, those driven event by event, and the last ones before hosts.

pub(super) mod changing_port;
pub(super) mod edge;
pub(super) mod last_hop;
pub(super) mod last_hop_rates;
pub(super) mod medium_ports;
pub(super) mod port;
pub(super) mod port_feedback;
pub(super) mod rate_log;
pub(super) mod routed;
pub(super) mod router_edges;
pub(super) mod serializer;
