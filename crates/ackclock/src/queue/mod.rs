//! What happens in a buffer: how many wait, of whom, and who is refused.

mod buffer;
pub mod drop;

pub use buffer::Buffer;
