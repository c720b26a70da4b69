//! TCP as pure state machines: time and segments in, segments out, nobody schedules.
//!
//! [`Sender`] and [`Receiver`] are the two ends of one connection. *What to retransmit* is the family in
//! [`recovery`], *how large the window is* the family in [`cc`]; every member of one combines with every member of
//! the other. Sequence numbers are bytes counted from 0 in 64 bits, so they do not wrap. Connections start
//! established and are not closed [SACK-UBR] §6.1, unless their parameters say otherwise.

pub mod cc;
mod delayed_ack;
mod delivery_rate;
mod handshake;
mod interval_set;
pub mod offset_sack;
mod pacer;
mod params;
mod reassembly_queue;
mod receiver;
pub mod recovery;
mod rfc6298;
mod rto;
mod sack_ends;
pub mod sack_option;
mod scoreboard;
mod send_times;
mod sender;
mod setup;
mod tick_log;
mod timer;
mod timestamps;

pub use cc::CongestionControlParams;
pub use delayed_ack::DelayedAck;
pub use params::*;
pub use receiver::{Receiver, ReceiverStats};
pub use recovery::RecoveryParams;
pub use rto::{CoarseRto, TickClock};
pub use sack_ends::SackStats;
pub use scoreboard::Scoreboard;
pub use send_times::{SendTimes, Transmissions};
pub use sender::{Application, Expired, Sender, SenderStats};
