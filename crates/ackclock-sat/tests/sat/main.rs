//! The crate from outside: golden values, an independent computation of the geometry, small constellations, files.

mod csv;
#[cfg(feature = "files")]
mod files;
mod geo;
mod geometry;
mod iridium;
mod large;
mod scenes;
mod small;
