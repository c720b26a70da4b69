//! The kinds of tables in a scenario file.

/// The kinds of tables in a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Top,
    Network,
    Node,
    Link,
    LinkDirection,
    Medium,
    Queue,
    /// The table of one drop policy or rate algorithm below [`Section::Queue`].
    QueueAlgorithm(u8),
    Port,
    /// The table of one drop policy or rate algorithm below [`Section::Port`].
    PortAlgorithm(u8),
    Atm,
    Packet,
    Abr,
    Tcp,
    /// The table of one congestion control, recovery or host model below [`Section::Tcp`].
    TcpAlgorithm(u8),
    Traffic,
    /// The table of one application below [`Section::Traffic`].
    Application(u8),
    Flow,
    /// The table of one application below [`Section::Flow`].
    FlowApplication(u8),
    FlowAbr,
    FlowTcp,
    /// The table of one congestion control, recovery or host model below [`Section::FlowTcp`].
    FlowTcpAlgorithm(u8),
    /// Files that arrive: each is a flow.
    Arrivals,
    Udp,
    Satellites,
    Place,
}
