//! What happens in a buffer.
pub mod drop;
