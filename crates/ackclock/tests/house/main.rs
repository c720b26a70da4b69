//! What holds for the files of every crate.

mod circles;
mod defaults;
mod dispatch;
mod journeys;
mod layers;
mod measures;
mod units;
