//! Folders of sweeps.

mod files;
mod outside;
mod properties;
#[path = "../support/readers.rs"]
mod readers;
