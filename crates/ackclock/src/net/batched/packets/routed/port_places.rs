//! Where the ports are that routes which change may cross.

use crate::ids::{Id, LinkId};

/// Of each link of the network the mailbox of its port and its number there, if routes that change may cross it.
pub(in crate::net::batched) struct PortPlaces(Vec<(u32, u32)>);

impl PortPlaces {
    /// Those of all links, in their order.
    pub(in crate::net::batched) fn new(places: impl Iterator<Item = (u32, u32)>) -> PortPlaces {
        PortPlaces(places.collect())
    }

    /// The mailbox of the port of `link`, and its number there.
    pub(in crate::net::batched) fn of(&self, link: LinkId) -> (u32, u32) {
        self.0[link.index()]
    }
}
