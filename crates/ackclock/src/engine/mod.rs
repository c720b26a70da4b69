//! What an engine is made of. Knows nothing about networks.

mod agenda;

pub use agenda::Agenda;
