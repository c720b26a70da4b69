//! Where units go next from an output, and where they come in there.

use crate::ids::VcId;
use crate::units::Span;

/// Where units come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InputRef {
    /// Which port they go to, of those that share the mailbox.
    pub(super) port: u32,
    /// Which of the port's inputs they come from.
    pub(super) input: u32,
    /// The connection's number at the port.
    pub(super) at_port: VcId,
}

/// The next hop of one connection: from one output to the next process.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextHop {
    /// From the sending output's reference instant to the arrival: its documentation says which.
    pub(super) lag: Span,
    pub(super) to: Destination,
}

/// Where a next hop leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A port, which reads this mailbox.
    Port { mailbox: u32, input_ref: InputRef },
    /// A cell port of a network with ABR connections, which reads the runs of this process.
    RunPort { mailbox: u32, input_ref: InputRef },
    /// The last port before a host, done together with the port before: which of them, and what the next hop is there.
    LastHopPort { last_hop: u32, at_port: VcId },
    /// The host where the connection ends: which inbox of its group of hosts is for it, and by which link it is reached.
    Host { inbox: u32, link: u32 },
}
