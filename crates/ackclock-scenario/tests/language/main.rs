//! Scenario files: what they mean, and what is said about wrong ones.

mod abr;
#[path = "../support/any_sweep.rs"]
mod any_sweep;
mod any_sweep_file;
mod arrivals;
mod doubts;
mod elements;
mod errors;
#[path = "../support/good.rs"]
mod good;
mod links;
mod loading;
mod media;
mod outside;
mod properties;
mod randomness;
mod rate_control;
mod recipes;
mod registry;
mod remedies;
#[path = "../support/render.rs"]
mod render;
#[path = "../support/roundtrip.rs"]
mod roundtrip;
mod satellites;
mod schema;
mod sweeps;
mod topologies;
