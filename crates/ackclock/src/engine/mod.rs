//! What an engine is made of. Knows nothing about networks.

mod event_tree;

pub use event_tree::EventTree;
