//! Reports of made-up results: how large they become, and how a browser shows them.

mod browser;
mod made_up;
mod sizes;
