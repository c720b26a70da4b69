//! The crate from outside: golden values, an independent computation of the geometry, small constellations, files.

mod any_elements;
mod csv;
mod elements;
#[cfg(feature = "files")]
mod files;
mod geo;
mod geometry;
mod iridium;
mod large;
mod scenes;
mod small;
