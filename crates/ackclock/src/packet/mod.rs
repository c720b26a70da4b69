//! What travels: TCP segments, the AAL5 frames that carry them, the cells of those frames, and RM cells.

pub mod aal5;
mod ecn;
mod frames;
mod lost_frames;
mod rm;
mod sack;
mod segment;
mod unit;

pub use ecn::Ecn;
pub use frames::FrameLog;
pub use lost_frames::LostFrames;
pub use rm::RmCell;
pub use sack::{SackBlock, SackOption, wire_number};
pub use segment::{Segment, SegmentKind, Timestamps};
pub use unit::{Pti, Unit};

/// Octets of an IPv4 header without options.
pub const IP_HEADER_BYTES: u32 = 20;
/// Octets of a TCP header without options.
pub const TCP_HEADER_BYTES: u32 = 20;
