//! What is kept of a run: the document with the numbers, tables over time, captures, reports.

pub mod captures;
pub mod comparison;
pub mod decimate;
pub mod delays;
pub mod diff;
pub mod disk;
pub mod document;
pub mod events;
#[doc(hidden)]
pub mod example;
pub mod keyed;
mod lines;
mod measured;
pub mod pcapng;
pub mod report;
pub mod summary;
pub mod tables;
pub mod terminal;
