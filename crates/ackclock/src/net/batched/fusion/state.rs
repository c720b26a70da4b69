//! What is known of a network in which ports may be fused, and whether they are.

use std::sync::Arc;

use crate::ids::{IdVec, LinkId};
use crate::link::RoutingTable;
use crate::net::batched::packets::routed::port_places::PortPlaces;
use crate::net::batched::upstreams::Upstream;
use crate::units::{Span, Time};

/// What is known of a network of which ports may be fused: all routes of packets between ports change.
pub(in crate::net::batched) struct Fusion {
    pub(super) routes: Vec<FusableRoute>,
    pub(super) places: Arc<PortPlaces>,
    /// What the shortest packet takes on each link.
    pub(super) transmissions: IdVec<LinkId, Span>,
    /// What can reach each process if no ports are fused.
    pub(super) separate: Vec<Vec<Upstream>>,
    pub(super) now: Option<Fused>,
    /// When it is tried next to fuse ports, and how long after that if it is of no use then.
    pub(super) next: Time,
    pub(super) pause: Span,
    /// The shortest and the longest such pause, and for how long ports are fused at least.
    pub(super) pauses: (Span, Span),
    pub(super) shortest: Span,
}

/// A route that changes, with the processes of the hosts where it begins and ends.
pub(in crate::net::batched) struct FusableRoute {
    pub(in crate::net::batched) first: LinkId,
    pub(in crate::net::batched) table: Arc<RoutingTable>,
    pub(in crate::net::batched) origin: usize,
    pub(in crate::net::batched) destination: usize,
}

/// What is fused now.
pub(super) struct Fused {
    pub(super) since: Time,
    pub(super) limit: Time,
    /// The processes that have other ports with them.
    pub(super) owners: Vec<usize>,
    /// Processes all of whose ports are fused with others, or idle.
    pub(super) empty: Vec<usize>,
    /// Whether something has come that they cannot take.
    pub(super) is_blocked: bool,
}

/// When ports are fused. It changes no result, and nothing at all on the reference engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusing {
    /// When it is likely to pay.
    #[default]
    IfItPays,
    /// Whenever it is possible.
    Always,
    /// Each port is in its own process.
    Never,
}

/// To fuse ports costs as much as some segments on a long way: for less than this it does not pay.
const SHORTEST: Span = Span::from_ms(50);
/// After the first attempt in vain, or the first short success, and after the last of many.
const PAUSES: (Span, Span) = (Span::from_ms(20), Span::from_secs(5));

impl Fusion {
    /// Of a network with these routes, whose ports are at these places.
    pub(in crate::net::batched) fn new(
        routes: Vec<FusableRoute>,
        places: Arc<PortPlaces>,
        transmissions: IdVec<LinkId, Span>,
    ) -> Fusion {
        let mut fusion = Fusion {
            routes,
            places,
            transmissions,
            separate: Vec::new(),
            now: None,
            next: Time::ZERO,
            pause: Span::ZERO,
            pauses: PAUSES,
            shortest: SHORTEST,
        };
        fusion.set(Fusing::IfItPays);
        fusion
    }

    pub(super) fn set(&mut self, fusing: Fusing) {
        let moment = Span::from_ps(1);
        (self.shortest, self.pauses, self.next) = match fusing {
            Fusing::IfItPays => (SHORTEST, PAUSES, Time::ZERO),
            Fusing::Always => (moment, (moment, moment), Time::ZERO),
            Fusing::Never => (SHORTEST, PAUSES, Time::NEVER),
        };
        self.pause = self.pauses.0;
    }

    pub(super) fn process(&self, port: LinkId) -> usize {
        self.places.of(port).0 as usize
    }
}
