//! What the files of a plan are known by.

/// The number that changes whenever a reader of plans would have to.
pub const FORMAT_VERSION: u32 = 1;
/// The file that vouches for the others.
pub const INDEX: &str = "plan.json";
