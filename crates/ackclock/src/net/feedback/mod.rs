//! Rate control of TCP in networks: which ports compute rates for TCP flows, and what the routers of these ports do to
//! acknowledgements. Pure parts, which both engines drive; docs/models/tcp-rate-control.md.

mod edge;
mod group_rates;
mod on_routes;
mod packet_rates;
mod placement;
mod session_rates;
mod shares;

pub(super) use edge::{Edge, Passed, PassedData};
pub(super) use on_routes::EdgesOnRoutes;
pub(super) use packet_rates::PacketRates;
pub(super) use placement::{Acks, EdgePlace, Edges, atm_ports, opening, packet_rates};
pub(super) use session_rates::SessionRates;
pub(super) use shares::max_min;
