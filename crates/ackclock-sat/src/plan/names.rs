//! The names by which files know kinds and reasons.

#[cfg(feature = "files")]
use super::NodeId;
use ackclock::names;

use super::{EventKind, Gap, LinkKind, NodeKind, Reason};

names!(NodeKind: Satellite = "satellite", Terminal = "terminal");

names!(LinkKind: Access = "access", InPlane = "in-plane", CrossPlane = "cross-plane", CrossSeam = "cross-seam");

names!(EventKind:
    Acquired = "acquired", Handover = "handover", Lost = "lost", IslUp = "isl-up", IslDown = "isl-down"
);

names!(Reason:
    Start = "start", Rises = "rises", BelowMask = "below-mask", HigherElevation = "higher-elevation",
    LongerInView = "longer-in-view", ShorterPath = "shorter-way", Latitude = "latitude", Grazing = "grazing",
    SeamLongitude = "seam-longitude", SeamPartner = "seam-partner", Clear = "clear"
);

impl Gap {
    /// The name by which files know it.
    pub const fn name(self) -> &'static str {
        match self {
            Gap::NoSatellite(_) => "no-satellite",
            Gap::NoIslRoute => "no-isl-route",
            Gap::Seam => "seam",
            Gap::TooManyHops => "too-many-hops",
            Gap::RoutesNotUpdated => "routes-not-updated",
        }
    }

    /// The one of a name; a terminal goes with it if it is the terminal's.
    #[cfg(feature = "files")]
    pub(super) fn named(name: &str, terminal: Option<NodeId>) -> Option<Gap> {
        let others = [Gap::NoIslRoute, Gap::Seam, Gap::TooManyHops, Gap::RoutesNotUpdated];
        let all = terminal.map(Gap::NoSatellite).into_iter().chain(others);
        all.into_iter().find(|gap| gap.name() == name)
    }
}
