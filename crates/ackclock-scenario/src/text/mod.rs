//! From texts to one tree that knows where each value came from, and how what is wrong with them is said.

pub(crate) mod diagnostic;
pub(crate) mod files;
pub(crate) mod names;
pub(crate) mod overrides;
pub(crate) mod source;
pub(crate) mod tree;
