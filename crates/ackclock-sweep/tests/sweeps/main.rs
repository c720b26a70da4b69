//! Folders of sweeps.

mod files;
mod properties;
#[path = "../support/readers.rs"]
mod readers;
