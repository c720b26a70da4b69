//! Drop policies.
mod params;
pub use params::{DropParams, Forgiveness, FrameParams};
