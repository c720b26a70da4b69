//! Reports of made-up results: how large they become, and how a browser shows them.

mod agreement;
mod browser;
#[path = "../browser/mod.rs"]
mod chromium;
mod made_up;
mod saving;
mod sizes;
