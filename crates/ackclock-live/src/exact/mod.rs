//! How exact a live run is: what lateness is compared with, for how long a pause is felt, what the kernel has counted of hosts.

mod counted;
mod disturbed;
mod limits;

pub(crate) use counted::Counted;
pub use counted::Lost;
pub(crate) use disturbed::Disturbed;
pub use disturbed::Share;
pub use limits::{FlowLimit, INVALID_ABOVE_PERCENT, Limits};
