//! Packet ports that routes which change may cross.

pub(in crate::net::batched) mod edges;
pub(in crate::net::batched) mod fused;
pub(in crate::net::batched) mod packets;
pub(in crate::net::batched) mod port;
pub(in crate::net::batched) mod port_places;
pub(in crate::net::batched) mod ports;
