//! Selective acknowledgements: what the two ends know, and the options that say it.

pub(super) mod interval_set;
pub mod offset_sack;
pub(super) mod sack_ends;
pub mod sack_option;
pub(super) mod scoreboard;
