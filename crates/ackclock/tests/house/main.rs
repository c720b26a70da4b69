//! What holds for the files of every crate.

mod circles;
mod defaults;
mod journeys;
mod layers;
mod measures;
mod units;
