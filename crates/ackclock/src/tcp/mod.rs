//! TCP as pure state machines: time and segments in, segments out; they schedule nothing.
//!
//! [`Sender`] and [`Receiver`] are the two ends of one connection. *What to retransmit* is the family in
//! [`recovery`], *how large the window is* the family in [`cc`]; every member of one combines with every member of
//! the other. Sequence numbers are bytes counted from 0 in 64 bits, so they do not wrap. Connections start
//! established and are not closed [SACK-UBR] §6.1, unless their parameters say otherwise.

pub mod application;
pub mod cc;
mod delayed_ack;
mod delivery_rate;
mod ecn;
mod handshake;
pub mod host;
mod pacer;
mod params;
mod reassembly_queue;
mod receiver;
pub mod recovery;
mod sack;
mod send_times;
mod sender;
mod setup;
mod slow_start;
mod spurious;
mod timer;
mod window_use;

pub use application::ApplicationParams;
pub use cc::CongestionControlParams;
pub use delayed_ack::DelayedAck;
pub use host::HostModel;
pub use params::*;
pub use receiver::{Receiver, ReceiverStats};
pub use recovery::RecoveryParams;
pub use sack::sack_ends::SackStats;
pub use sack::scoreboard::Scoreboard;
pub use sack::{offset_sack, sack_option};
pub use send_times::{SendTimes, Transmissions};
pub use sender::{Expired, Repair, Sender, SenderStats, Standing, Transfer};
pub use timer::rto::{CoarseRto, TickClock};
