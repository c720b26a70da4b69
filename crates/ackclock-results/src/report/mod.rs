//! Reports: one HTML file each, complete in itself, that opens without a network.
//!
//! The blocks from which every report is built: [`html`] (escaping), [`table`], [`chart`] and [`plots`] (charts of what
//! was recorded), [`scatter`], [`page`] (the shell). [`run`](mod@run) puts them together for one result, [`compare`]
//! for several.

pub mod agreement;
pub mod chart;
pub mod compare;
mod curves;
mod delays;
mod findings;
pub mod html;
pub mod number;
mod pack;
pub mod page;
pub mod plots;
mod repeat;
pub mod run;
pub mod scatter;
pub mod table;

/// No report is as large as this, however long the run and however many the flows.
pub const LARGEST_BYTES: usize = 3_000_000;
