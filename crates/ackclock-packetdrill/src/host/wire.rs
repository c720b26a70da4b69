//! Packets as the host sends them, and what those that it gets say about marks.

use ackclock::packet::{Ecn, Timestamps};
use ackclock::units::Time;

use crate::script::{EcnBits, Flags, Packet};

/// A segment that the host has sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) flags: Flags,
    pub(crate) seq: u64,
    pub(crate) len: u64,
    pub(crate) ack: Option<u64>,
    pub(crate) blocks: Vec<(u32, u32)>,
    pub(crate) timestamps: Option<Timestamps>,
    /// Whether queues may mark it.
    pub(crate) ect: bool,
    /// What only a SYN says.
    pub(crate) mss: Option<u32>,
    pub(crate) scale: Option<u8>,
    pub(crate) sack: bool,
}

/// The bits of ECN of a packet.
pub(super) fn ecn_of(packet: &Packet) -> Ecn {
    let of_ip = match packet.ecn {
        Some(EcnBits::Ce) => Ecn::CE,
        Some(EcnBits::Ect0 | EcnBits::Ect01) => Ecn::ECT_0,
        _ => Ecn::NOT_ECT,
    };
    if packet.flags.cwr { of_ip.with(Ecn::CWR) } else { of_ip }
}
