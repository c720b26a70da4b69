//! The names by which files know kinds and reasons.

#[cfg(feature = "files")]
use super::NodeId;
use super::{EventKind, Gap, LinkKind, NodeKind, Reason};

impl NodeKind {
    /// All of them.
    pub const ALL: [NodeKind; 2] = [NodeKind::Satellite, NodeKind::Terminal];

    /// The name by which files know it.
    pub const fn name(self) -> &'static str {
        match self {
            NodeKind::Satellite => "satellite",
            NodeKind::Terminal => "terminal",
        }
    }
}

impl LinkKind {
    /// All of them.
    pub const ALL: [LinkKind; 4] = [LinkKind::Access, LinkKind::InPlane, LinkKind::CrossPlane, LinkKind::CrossSeam];

    /// The name by which files know it.
    pub const fn name(self) -> &'static str {
        match self {
            LinkKind::Access => "access",
            LinkKind::InPlane => "in-plane",
            LinkKind::CrossPlane => "cross-plane",
            LinkKind::CrossSeam => "cross-seam",
        }
    }
}

impl EventKind {
    /// All of them.
    pub const ALL: [EventKind; 5] =
        [EventKind::Acquired, EventKind::Handover, EventKind::Lost, EventKind::IslUp, EventKind::IslDown];

    /// The name by which files know it.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Acquired => "acquired",
            EventKind::Handover => "handover",
            EventKind::Lost => "lost",
            EventKind::IslUp => "isl-up",
            EventKind::IslDown => "isl-down",
        }
    }
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 11] = [
        Reason::Start,
        Reason::Rises,
        Reason::BelowMask,
        Reason::HigherElevation,
        Reason::LongerInView,
        Reason::ShorterPath,
        Reason::Latitude,
        Reason::Grazing,
        Reason::SeamLongitude,
        Reason::SeamPartner,
        Reason::Clear,
    ];

    /// The name by which files know it.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Start => "start",
            Reason::Rises => "rises",
            Reason::BelowMask => "below-mask",
            Reason::HigherElevation => "higher-elevation",
            Reason::LongerInView => "longer-in-view",
            Reason::ShorterPath => "shorter-way",
            Reason::Latitude => "latitude",
            Reason::Grazing => "grazing",
            Reason::SeamLongitude => "seam-longitude",
            Reason::SeamPartner => "seam-partner",
            Reason::Clear => "clear",
        }
    }
}

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
