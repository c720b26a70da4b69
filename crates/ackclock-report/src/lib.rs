//! Results as people look at them.
//!
//! Reports are one HTML file each, complete in itself, that opens without a network: [`run`](mod@run) puts together that of one
//! result, [`compare`] that of several, from the blocks in [`page`] (escaping, tables, charts, the shell) and [`plots`] (charts of
//! what was recorded). Packets go to capture files ([`captures`]), curves also to a terminal ([`terminal`]).

pub mod captures;
pub mod compare;
pub mod decimate;
pub mod diff;
pub mod figures;
pub mod page;
pub mod plots;
pub mod repeat;
pub mod run;
pub mod terminal;

/// No report is as large as this, however long the run and however many the flows.
pub const LARGEST_BYTES: usize = 3_000_000;
